//! Locations that no run reaches, and locations from which no run reaches the error.

use super::Simplified;
use super::lift::Step;
use crate::formula::Formula;
use crate::system::{LocationId, System, Transition};

impl Simplified {
    pub(super) fn prune(&mut self) {
        let forwards = reached(&self.system, self.system.initial, |transition| (transition.from, transition.to));
        let backwards = reached(&self.system, self.system.error, |transition| (transition.to, transition.from));
        let useful = |id: LocationId| forwards[id.0 as usize] && backwards[id.0 as usize];
        let before = self.system.transitions.len();
        let mut transitions = self.take_transitions();
        // What leaves the error location is no part of a run that has arrived there.
        transitions.retain(|(_, transition)| {
            transition.relation != Formula::False
                && useful(transition.from)
                && useful(transition.to)
                && transition.from != self.system.error
                && transition.to != self.system.initial
        });
        self.set_transitions(transitions);
        if self.system.transitions.len() < before {
            self.steps.push(Step::Pruned { forwards, backwards });
        }
    }
}

/// For each location whether transitions lead to it from `start`.
fn reached(system: &System, start: LocationId, ends: impl Fn(&Transition) -> (LocationId, LocationId)) -> Vec<bool> {
    let mut targets: Vec<Vec<LocationId>> = vec![Vec::new(); system.locations.len()];
    for transition in system.transitions.iter().filter(|transition| transition.relation != Formula::False) {
        let (from, to) = ends(transition);
        targets[from.0 as usize].push(to);
    }
    let mut reached = vec![false; system.locations.len()];
    reached[start.0 as usize] = true;
    let mut pending = vec![start];
    while let Some(location) = pending.pop() {
        for &next in &targets[location.0 as usize] {
            if !std::mem::replace(&mut reached[next.0 as usize], true) {
                pending.push(next);
            }
        }
    }
    reached
}
