//! The learning loop: explore, learn what was refuted, restart.
//!
//! A model may rest on assumptions. Exploring checks them; where one is refuted, what was explored does not count, the
//! front end learns the fact, and the next round explores a model that knows better. Every command that explores goes
//! through here, so that rounds are the same to all of them: limits and Ctrl-C span all rounds, making a model is part
//! of a round and can be ended like one, and whoever watches is told what was learnt.
//!
//! Invariant: a result comes from a round that refuted nothing, or says that it is none.

use crate::failure::Failure;
use crate::front_end::{FrontEnd, Made, Making};
use crate::interrupt;
use crate::terminal::{Terminal, complain};
use dampf_core::{Revise, Unsupported};
use dampf_search::StopReason;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The time that all rounds together have, and the memory that there is while no search looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    limit: Option<Duration>,
    memory_bytes_max: Option<u64>,
}

impl Clock {
    /// Starts now.
    pub fn new(limit: Option<Duration>) -> Clock {
        Clock { start: Instant::now(), limit, memory_bytes_max: None }
    }

    /// The same for work that may use so much memory.
    pub fn with_memory(self, memory_bytes_max: Option<u64>) -> Clock {
        Clock { memory_bytes_max, ..self }
    }

    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// When the time is up, if it ever is.
    pub fn end(&self) -> Option<Instant> {
        self.limit.and_then(|limit| self.start.checked_add(limit))
    }

    fn stop(&self) -> Option<StopReason> {
        if interrupt::is_pressed() {
            return Some(StopReason::Interrupted);
        }
        if self.end().is_some_and(|end| Instant::now() >= end) {
            return Some(StopReason::TimeLimit);
        }
        let is_full = |limit: u64| dampf_search::resident_bytes().is_some_and(|now| now >= limit);
        self.memory_bytes_max.is_some_and(is_full).then_some(StopReason::MemoryLimit)
    }

    /// Does work that does not look at limits itself: reading, compiling, analysing. Where the time is up, the memory
    /// is used up or Ctrl-C is pressed it is left alone, and ends with the process.
    pub fn watched<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, StopReason> {
        const INTERVAL: Duration = Duration::from_millis(20);
        let (sender, done) = mpsc::channel();
        // As much as the first thread has: inputs are read by recursion, within bounds.
        const STACK_BYTES: usize = 8 << 20;
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
            // Nobody may be waiting any more.
            let _ = sender.send(work());
        });
        let thread = thread.expect("the system has room for a thread");
        loop {
            match done.recv_timeout(INTERVAL) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Timeout) => match self.stop() {
                    Some(stop) => return Err(stop),
                    None => continue,
                },
                Err(RecvTimeoutError::Disconnected) => match thread.join() {
                    Err(panic) => std::panic::resume_unwind(panic),
                    Ok(()) => unreachable!("a thread that ends without a result has panicked"),
                },
            }
        }
    }
}

/// Which round it is, and what went before.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// From 1.
    pub number: u64,
    pub clock: Clock,
    /// States that earlier rounds found: they count where states are limited.
    pub states_before: u64,
}

/// What a round came to.
pub enum Explored<T> {
    Done(T),
    /// Nothing that was explored counts.
    Refuted {
        facts: Vec<Revise>,
        states: u64,
    },
}

/// What a command does in each round.
pub trait Exploration<F: FrontEnd> {
    type Result;

    /// How the model of the next round is made.
    fn making(&mut self) -> Result<Making, Failure>;

    /// Looks at the model, if there can be one.
    fn explore(
        &mut self,
        front_end: &F,
        made: Result<Made<F::Model>, Unsupported>,
        round: Round,
    ) -> Result<Explored<Self::Result>, Failure>;
}

/// What all rounds came to.
pub enum Ended<T> {
    Done(T),
    /// While the input was looked at, or a model was being made.
    Stopped(StopReason),
}

/// Explores in rounds until one refutes nothing, after a first look at the input if it is `new`. What is learnt is told
/// on a terminal that is watched.
pub fn run<F: FrontEnd, E: Exploration<F>>(
    mut front_end: F,
    is_new: bool,
    clock: Clock,
    terminal: Option<&Terminal>,
    exploration: &mut E,
) -> Result<Ended<E::Result>, Failure> {
    if is_new {
        let previewed = clock.watched(move || front_end.preview(clock.end()).map(|()| front_end));
        front_end = match previewed {
            Ok(previewed) => previewed?,
            Err(stop) => return Ok(Ended::Stopped(stop)),
        };
    }
    let mut states_before = 0;
    for number in 1.. {
        let making = exploration.making()?;
        let made = clock.watched(move || {
            let made = front_end.model(&making);
            (front_end, made)
        });
        let made = match made {
            Ok((same, made)) => {
                front_end = same;
                made
            }
            Err(stop) => return Ok(Ended::Stopped(stop)),
        };
        match exploration.explore(&front_end, made, Round { number, clock, states_before })? {
            Explored::Done(result) => return Ok(Ended::Done(result)),
            Explored::Refuted { facts, states } => {
                states_before += states;
                let what = facts.first().map_or_else(String::new, |revise| revise.what.clone());
                if !front_end.learn(&facts) {
                    return Err(Failure::Unknown(format!(
                        "{what}, and that was known before; this is an error in Dampf, please report it"
                    )));
                }
                if terminal.is_some_and(|terminal| terminal.watched) {
                    complain(&format!("round {}: {what}\n", number + 1));
                }
            }
        }
    }
    unreachable!("rounds end when nothing is refuted, and there are finitely many facts")
}
