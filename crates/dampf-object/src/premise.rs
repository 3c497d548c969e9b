//! What a verdict about a program rests on, and nobody checks.
//!
//! The machine differs from those that programs run on in ways that are meant: its memory is sequentially consistent,
//! its clocks jump, its random numbers are zeros. A program that makes use of such a thing is told about it beside the
//! verdict. A worker notes what it meets once; searches gather it.

/// Something that is taken for granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Premise {
    /// Atomic operations ask for less than sequential consistency, and get it.
    SequentialConsistency,
    /// A clock was read.
    Clock { jumps_max: u32 },
    /// Random numbers were asked for.
    RandomNumbers,
}

impl Premise {
    fn number(self) -> u32 {
        match self {
            Premise::SequentialConsistency => 0,
            Premise::Clock { .. } => 1,
            Premise::RandomNumbers => 2,
        }
    }

    /// How people are told: what follows "assuming".
    pub fn told(self) -> String {
        match self {
            Premise::SequentialConsistency => {
                "sequential consistency: atomic operations with weaker memory orders were taken for seq_cst".to_owned()
            }
            Premise::Clock { jumps_max } => {
                let times = if jumps_max == 1 { "once".to_owned() } else { format!("{jumps_max} times") };
                format!(
                    "that clocks stand still but for jumps past all deadlines, at most {times} in a run (--clock-jumps)"
                )
            }
            Premise::RandomNumbers => "that random numbers of the system are all zero".to_owned(),
        }
    }
}

/// The premises that a worker has met.
#[derive(Default)]
pub struct Premises {
    met: u32,
    /// Those that nobody was told of.
    news: Vec<Premise>,
}

impl Premises {
    #[inline]
    pub fn note(&mut self, premise: Premise) {
        let bit = 1 << premise.number();
        if self.met & bit == 0 {
            self.met |= bit;
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
        [clock, Premise::RandomNumbers, clock].into_iter().for_each(|premise| premises.note(premise));
        assert_eq!(premises.take_news(), [clock, Premise::RandomNumbers]);
        premises.note(clock);
        assert!(premises.take_news().is_empty());
    }
}
