//! Simplification of systems: the same answer with fewer locations, transitions and variables, for every engine.
//!
//! The passes: locations that no run reaches or that lead nowhere go (`prune`), variables that nobody reads go
//! (`slice`), variables with few known values become locations (`values`), and locations that are passed through are
//! composed away (`inline`). Each pass is exact and deterministic: the simplified system has a run to its error
//! location exactly if the original has, and the same input gives the same system in every run.
//!
//! What is found out is told of the original. A run of the simplified system names for each of its transitions the
//! original ones it stands for ([`Simplified::original_path`]); the values on the way are found by solving that path
//! again. Invariants are carried back pass by pass ([`Simplified::original_invariants`]); where a location was composed
//! away, its invariant is the weakest one that suffices, which needs a quantifier. Where the quantifier cannot be
//! eliminated exactly there is no invariant of the original, and a certificate is one of the simplified system.

mod condense;
mod conjuncts;
pub mod eliminate;
mod inline;
mod lift;
mod prune;
mod slice;
pub mod split;
mod values;

pub use condense::condensed;

use crate::formula::Formula;
use crate::system::{LocationId, System, Transition, TransitionId};
use lift::Step;

/// Slicing and values open ways for each other.
const ROUNDS_MAX: usize = 4;

/// A simplified system and the way back.
pub struct Simplified {
    pub system: System,
    /// For each transition the original ones, in the order in which they are taken.
    origins: Vec<Vec<TransitionId>>,
    /// What was done, first to last.
    steps: Vec<Step>,
}

pub fn simplified(original: &System) -> Simplified {
    let mut work = Simplified::unchanged(original);
    work.prune();
    for _ in 0..ROUNDS_MAX {
        let done = work.steps.len();
        work.slice();
        work.split_by_values();
        work.prune();
        if work.steps.len() == done {
            break;
        }
    }
    work.inline();
    work.prune();
    work.slice();
    work.compact();
    work
}

impl Simplified {
    /// The system itself.
    pub fn unchanged(original: &System) -> Simplified {
        let origins = original.transition_ids().map(|id| vec![id]).collect();
        Simplified { system: original.clone(), origins, steps: Vec::new() }
    }

    /// The transitions of the original that a run of the simplified system takes.
    pub fn original_path(&self, path: &[TransitionId]) -> Vec<TransitionId> {
        path.iter().flat_map(|id| self.origins[id.0 as usize].iter().copied()).collect()
    }

    /// Invariants of the original's locations from those of the simplified system's, if they can be said without
    /// quantifiers.
    pub fn original_invariants(&self, invariants: &[Formula]) -> Option<Vec<Formula>> {
        self.steps.iter().rev().try_fold(invariants.to_vec(), |invariants, step| step.undone(invariants))
    }

    /// Replaces all transitions; each comes with the original ones it stands for, whose order is the new order.
    fn set_transitions(&mut self, mut transitions: Vec<(Vec<TransitionId>, Transition)>) {
        transitions.sort_by(|one, other| (&one.0, one.1.from, one.1.to).cmp(&(&other.0, other.1.from, other.1.to)));
        (self.origins, self.system.transitions) = transitions.into_iter().unzip();
    }

    fn take_transitions(&mut self) -> Vec<(Vec<TransitionId>, Transition)> {
        let origins = std::mem::take(&mut self.origins);
        origins.into_iter().zip(std::mem::take(&mut self.system.transitions)).collect()
    }

    /// Neither the initial nor the error location.
    fn is_inner(&self, id: LocationId) -> bool {
        id != self.system.initial && id != self.system.error
    }

    /// Numbers the locations anew that have transitions left.
    fn compact(&mut self) {
        let mut used = vec![false; self.system.locations.len()];
        used[self.system.initial.0 as usize] = true;
        used[self.system.error.0 as usize] = true;
        for transition in &self.system.transitions {
            used[transition.from.0 as usize] = true;
            used[transition.to.0 as usize] = true;
        }
        let mut kept: Vec<Option<LocationId>> = Vec::with_capacity(used.len());
        let mut locations = Vec::new();
        for (location, used) in self.system.locations.drain(..).zip(used) {
            kept.push(used.then_some(LocationId(locations.len() as u32)));
            if used {
                locations.push(location);
            }
        }
        let new = |id: LocationId| kept[id.0 as usize].expect("the location has a transition");
        for transition in &mut self.system.transitions {
            (transition.from, transition.to) = (new(transition.from), new(transition.to));
        }
        (self.system.initial, self.system.error) = (new(self.system.initial), new(self.system.error));
        self.system.locations = locations;
        self.steps.push(Step::Compacted { kept });
    }
}
