//! A sample of the states that several runs have found, to estimate how many there are.
//!
//! Kept are the hashes below a bound, which sinks as the sample fills: so the sample of a state space is always the
//! same, however often and in whichever order its states come, and runs that find the same states have the same
//! sample. What share of what others found a run has found too tells how much all of them have missed.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// States that are kept at most.
const KEPT_MAX: usize = 1 << 14;

pub struct Sample {
    bound: AtomicU64,
    kept: Mutex<HashMap<u64, Finders>>,
}

/// Who has found a state.
#[derive(Clone, Copy, Default)]
struct Finders {
    earlier: bool,
    current: bool,
}

impl Sample {
    pub fn new() -> Self {
        Sample { bound: AtomicU64::new(u64::MAX), kept: Mutex::default() }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<u64, Finders>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a run: what was found so far was found earlier.
    pub fn begin_run(&self) {
        for finders in self.kept().values_mut() {
            *finders = Finders { earlier: true, current: false };
        }
    }

    /// Notes a state by its hash.
    #[inline]
    pub fn note(&self, hash: u64) {
        if hash < self.bound.load(Ordering::Relaxed) {
            self.keep(hash);
        }
    }

    #[cold]
    fn keep(&self, hash: u64) {
        let mut kept = self.kept();
        kept.entry(hash).or_default().current = true;
        while kept.len() > KEPT_MAX {
            // The bound changes under the lock only.
            let bound = self.bound.load(Ordering::Relaxed) / 2;
            self.bound.store(bound, Ordering::Relaxed);
            kept.retain(|&hash, _| hash < bound);
        }
    }

    /// About how many different states all runs have found.
    pub fn states(&self) -> f64 {
        let share = self.bound.load(Ordering::Relaxed) as f64 / u64::MAX as f64;
        self.kept().len() as f64 / share
    }

    /// The share of all states that all runs together have found, estimated from what the current run has found of what
    /// earlier ones have, and the other way round (Lincoln's index). None for a first run.
    pub fn coverage(&self) -> Option<f64> {
        let kept = self.kept();
        let count =
            |is_counted: fn(&Finders) -> bool| kept.values().filter(|finders| is_counted(finders)).count() as f64;
        let (earlier, current) = (count(|finders| finders.earlier), count(|finders| finders.current));
        let both = count(|finders| finders.earlier && finders.current);
        let is_known = earlier > 0.0 && current > 0.0;
        is_known.then(|| 1.0 - (1.0 - both / earlier) * (1.0 - both / current))
    }
}

impl Default for Sample {
    fn default() -> Self {
        Sample::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    /// Notes every state of which a hash with this seed does not say that it is missed.
    fn run(sample: &Sample, seed: u64, missed_of_ten: u64) {
        sample.begin_run();
        for state in (0..1_000_000u64).filter(|state| mix(state ^ seed << 40) % 10 >= missed_of_ten) {
            sample.note(mix(state));
        }
    }

    #[test]
    fn what_is_missed_is_estimated_from_what_runs_have_in_common() {
        let sample = Sample::new();
        run(&sample, 1, 3);
        assert_eq!(sample.coverage(), None);
        assert!((sample.states() / 700_000.0 - 1.0).abs() < 0.05, "{}", sample.states());
        run(&sample, 2, 3);
        assert!((sample.states() / 910_000.0 - 1.0).abs() < 0.05, "{}", sample.states());
        let coverage = sample.coverage().expect("there were two runs");
        assert!((coverage - 0.91).abs() < 0.01, "{coverage}");
        run(&sample, 3, 3);
        let coverage = sample.coverage().expect("there were three runs");
        assert!((coverage - 0.973).abs() < 0.01, "{coverage}");
    }

    #[test]
    fn small_spaces_are_kept_whole() {
        let sample = Sample::new();
        for state in 0..1000 {
            sample.note(mix(state));
        }
        assert_eq!(sample.states(), 1000.0);
    }
}
