//! What a verdict about a program rests on, and nobody checks.
//!
//! The machine differs from those that programs run on in ways that are meant: its memory is sequentially consistent,
//! its clocks jump, its random numbers are zeros. A program that makes use of such a thing is told about it beside the
//! verdict. A worker notes what it meets once; searches gather it.

use crate::choice::SAMPLES;

/// Something that is taken for granted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Premise {
    /// Atomic operations ask for less than sequential consistency, and get it.
    SequentialConsistency,
    /// They do so where no history is kept, which would tell what they do not order.
    OrdersAll,
    /// A clock was read.
    Clock { jumps_max: u32 },
    /// Random numbers were asked for.
    RandomNumbers,
    /// Some values were tried of all that a function returns.
    Samples { function: String },
    /// Libraries changed their own data while there were several threads.
    LibraryData,
    /// More accesses than are remembered were not yet known to all threads.
    ForgottenAccesses,
    /// Volatile variables are accessed atomically, because somebody said so.
    AtomicVolatile,
    /// Threads are interchangeable.
    Symmetry,
}

impl Premise {
    /// How people are told: what follows "assuming".
    pub fn told(&self) -> String {
        match self {
            Premise::SequentialConsistency => {
                "sequential consistency: atomic operations with weaker memory orders read what seq_cst ones would"
                    .to_owned()
            }
            Premise::OrdersAll => {
                "that atomic operations order all memory: races that weaker memory orders leave are found with --reduce \
                 auto alone, among at most 64 threads"
                    .to_owned()
            }
            Premise::Clock { jumps_max } => {
                let times = if *jumps_max == 1 { "once".to_owned() } else { format!("{jumps_max} times") };
                format!(
                    "that clocks stand still but for jumps past all deadlines, at most {times} in a run (--clock-jumps)"
                )
            }
            Premise::RandomNumbers => "that random numbers of the system are all zero".to_owned(),
            Premise::Samples { function } => {
                format!("that {SAMPLES} values stand for all of `{function}`: small ones, and the ends")
            }
            Premise::ForgottenAccesses => {
                "that accesses which were long unknown to some thread race with none: only so many are remembered"
                    .to_owned()
            }
            Premise::LibraryData => {
                "that libraries protect their private data among threads: it was not looked at".to_owned()
            }
            Premise::Symmetry => {
                "that threads with the same function and argument do not tell each other apart by computing with the \
                 addresses of their own variables (--symmetry)"
                    .to_owned()
            }
            Premise::AtomicVolatile => "that accesses to volatile variables are atomic (--volatile atomic)".to_owned(),
        }
    }
}

/// The premises that a worker has met.
#[derive(Default)]
pub struct Premises {
    met: Vec<Premise>,
    /// Those that nobody was told of.
    news: Vec<Premise>,
}

impl Premises {
    #[inline]
    pub fn note(&mut self, premise: Premise) {
        if !self.met.contains(&premise) {
            self.met.push(premise.clone());
            self.news.push(premise);
        }
    }

    /// What was met since this was asked last.
    #[inline]
    pub fn take_news(&mut self) -> Vec<Premise> {
        std::mem::take(&mut self.news)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_premise_is_news_once() {
        let mut premises = Premises::default();
        let clock = Premise::Clock { jumps_max: 1 };
        let samples = |name: &str| Premise::Samples { function: name.to_owned() };
        [clock.clone(), samples("one"), clock.clone(), samples("two"), samples("one")]
            .into_iter()
            .for_each(|premise| premises.note(premise));
        assert_eq!(premises.take_news(), [clock.clone(), samples("one"), samples("two")]);
        premises.note(clock);
        assert!(premises.take_news().is_empty());
    }
}
