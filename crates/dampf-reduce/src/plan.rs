//! What is known beforehand about the steps of a model, for stubborn sets.
//!
//! An action that starts where its process does not stand is disabled for that reason, and what may end the reason is
//! the next move of the process, if it can get there from here at all. So all that a set is drawn to by an action, or
//! by a guard, are actions of the places where processes stand now: a list for each process and location, which is
//! computed when it is first asked for. (Numbers for that: a *cause* is an action, a guard, or a location to be
//! reached.)
//!
//! *Parameters* are values that are stored somewhere, but not by a run that comes back to a state, and that guards look
//! at. A guard about one that is false, and that nobody can make true from where all processes stand, stays false, and
//! its actions are dead.

use crate::circles::Circles;
use dampf_core::{Interplay, Participation, StepPart};
use std::collections::BTreeSet;

/// Lists for more pairs of a cause and a location would take more memory than they save.
const LISTS_MAX: usize = 1 << 22;

/// More values than that are not looked at in every state.
const PARAMETERS_MAX: usize = 64;

/// What is known about the steps of a model beforehand.
pub struct Plan {
    pub(crate) interplay: Interplay,
    pub(crate) visible: Vec<u32>,
    /// Values that no run that comes back to a state changes, and guards about them.
    pub(crate) parameters: Vec<u32>,
    pub(crate) settling: Vec<u32>,
    /// For each location, which of these guards its process may make true from there on: rows of bits.
    pub(crate) unsettled: Vec<u64>,
    pub(crate) unsettled_words: usize,
    /// The actions that may bring about something of interest: visible ones, and those whose steps may end.
    pub(crate) interesting: Vec<u32>,
    /// The number of each process's first location among all locations.
    pub(crate) first_location: Vec<usize>,
    /// How many locations there are of all processes.
    pub(crate) locations: usize,
    /// For each location, the actions that may move its process from there, with where they move it first.
    leaving: Vec<Vec<(u32, u32)>>,
    /// For each location, which locations of the same process are reached from it.
    reached: Vec<Vec<bool>>,
    /// For each action, then for each guard, the actions that it draws in, by the process that moves first.
    drawn: Vec<Vec<(usize, Vec<u32>)>>,
}

impl Plan {
    /// None for a model that is too large.
    pub fn new(mut interplay: Interplay) -> Option<Plan> {
        // A guard that hardly anybody makes true is the best reason for an action to be disabled.
        let establishing: Vec<usize> = interplay.guards.iter().map(Vec::len).collect();
        for action in &mut interplay.actions {
            action.guards.sort_by_key(|guard| establishing[*guard as usize]);
        }
        let mut first_location = Vec::new();
        let mut locations = 0;
        for count in &interplay.processes {
            first_location.push(locations);
            locations += count;
        }
        let causes = interplay.actions.len() + interplay.guards.len() + locations;
        if causes.saturating_mul(locations) > LISTS_MAX {
            return None;
        }
        let mut leaving: Vec<Vec<(u32, u32)>> = vec![Vec::new(); locations];
        for (number, action) in interplay.actions.iter().enumerate() {
            for moved in &action.moves {
                leaving[first_location[moved.process] + moved.source as usize].push((number as u32, moved.target));
            }
        }
        let mut reached = Vec::new();
        for (process, count) in interplay.processes.iter().enumerate() {
            let own = &leaving[first_location[process]..][..*count];
            reached.extend((0..*count).map(|from| reached_from(from, own)));
        }
        let by_process = |actions: &Vec<u32>| -> Vec<(usize, Vec<u32>)> {
            let mut groups: Vec<(usize, Vec<u32>)> = Vec::new();
            for action in actions {
                let mover = interplay.actions[*action as usize].stands[0].0;
                match groups.iter_mut().find(|(process, _)| *process == mover) {
                    Some((_, group)) => group.push(*action),
                    None => groups.push((mover, vec![*action])),
                }
            }
            groups
        };
        let conflicts = interplay.actions.iter().map(|action| by_process(&action.conflicts));
        let drawn = conflicts.chain(interplay.guards.iter().map(by_process)).collect();
        let actions = || 0..interplay.actions.len() as u32;
        let is_visible = |number: &u32| interplay.actions[*number as usize].is_visible;
        let is_interesting = |number: &u32| is_visible(number) || interplay.actions[*number as usize].may_end;
        let visible = actions().filter(is_visible).collect();
        let interesting = actions().filter(is_interesting).collect();
        let (parameters, settling, unsettled, unsettled_words) = (Vec::new(), Vec::new(), Vec::new(), 0);
        let mut plan = Plan {
            visible,
            parameters,
            settling,
            unsettled,
            unsettled_words,
            interesting,
            first_location,
            locations,
            leaving,
            reached,
            drawn,
            interplay,
        };
        plan.find_parameters();
        Some(plan)
    }

    /// Finds the values that no run that comes back to a state changes and that guards look at.
    fn find_parameters(&mut self) {
        let Interplay { parts, processes, actions, guard_values, .. } = &self.interplay;
        let mut on_circles = vec![true; parts.len()];
        Circles::new(parts, processes).reduce(&mut on_circles);
        let changed = |part: &StepPart| part.raised.iter().chain(&part.lowered).chain(&part.stored).copied().collect();
        let changes: Vec<Vec<u32>> = parts.iter().map(changed).collect();
        let varying: BTreeSet<u32> = changes
            .iter()
            .zip(&on_circles)
            .filter(|(_, on_circle)| **on_circle)
            .flat_map(|(own, _)| own.clone())
            .collect();
        let stored: BTreeSet<u32> = changes.iter().flatten().copied().collect();
        let may_come_again = |action: &&Participation| action.parts.iter().any(|part| on_circles[*part as usize]);
        let tested = actions.iter().filter(may_come_again).flat_map(|action| &action.guards);
        let parameters: BTreeSet<u32> = tested
            .filter_map(|guard| guard_values[*guard as usize])
            .filter(|value| stored.contains(value) && !varying.contains(value))
            .collect();
        if parameters.is_empty() || parameters.len() > PARAMETERS_MAX {
            return;
        }
        let is_settling = |guard: &u32| guard_values[*guard as usize].is_some_and(|value| parameters.contains(&value));
        let settling: Vec<u32> = (0..self.interplay.guards.len() as u32).filter(is_settling).collect();
        let words = settling.len().div_ceil(64);
        let mut unsettled = vec![0; self.locations * words];
        for (at, guard) in settling.iter().enumerate() {
            for action in &self.interplay.guards[*guard as usize] {
                let (process, source) = actions[*action as usize].stands[0];
                let first = self.first_location[process];
                for location in (0..processes[process]).filter(|from| self.reached[first + from][source as usize]) {
                    unsettled[(first + location) * words + at / 64] |= 1 << (at % 64);
                }
            }
        }
        self.parameters = parameters.into_iter().collect();
        self.settling = settling;
        self.unsettled = unsettled;
        self.unsettled_words = words;
    }

    /// The actions that can never be taken again in a state: a guard about a parameter is false, and nobody can make it
    /// true from where all processes stand. `unsettled` are the guards that somebody can.
    pub(crate) fn dead_actions(&self, unsettled: &[u64], is_false: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut is_dead_guard = vec![false; self.interplay.guards.len()];
        for (at, guard) in self.settling.iter().enumerate() {
            is_dead_guard[*guard as usize] = unsettled[at / 64] & 1 << (at % 64) == 0 && is_false(*guard);
        }
        let is_dead = |action: &Participation| action.guards.iter().any(|guard| is_dead_guard[*guard as usize]);
        self.interplay.actions.iter().map(is_dead).collect()
    }

    pub(crate) fn mover(&self, action: u32) -> usize {
        self.interplay.actions[action as usize].stands[0].0
    }

    pub(crate) fn waits(&self, action: u32) -> bool {
        self.interplay.actions[action as usize].waits
    }

    pub(crate) fn is_visible(&self, action: u32) -> bool {
        self.interplay.actions[action as usize].is_visible
    }

    pub(crate) fn cause_count(&self) -> usize {
        self.drawn.len() + self.locations
    }

    /// The processes that move first in the actions that an action or a guard draws in.
    pub(crate) fn movers_of(&self, cause: usize) -> impl Iterator<Item = usize> + use<'_> {
        self.drawn[cause].iter().map(|(process, _)| *process)
    }

    pub(crate) fn cause_of_guard(&self, guard: u32) -> usize {
        self.interplay.actions.len() + guard as usize
    }

    pub(crate) fn cause_of_location(&self, process: usize, location: u32) -> usize {
        self.drawn.len() + self.first_location[process] + location as usize
    }

    /// The number of actions.
    pub fn action_count(&self) -> usize {
        self.interplay.actions.len()
    }

    /// What a cause draws in of a process that stands at a location, without what is dead.
    pub(crate) fn list(&self, cause: usize, process: usize, location: u32, is_dead: &[bool]) -> Vec<u32> {
        let mut list = Vec::new();
        match self.drawn.get(cause) {
            Some(groups) => {
                let own = groups.iter().find(|(mover, _)| *mover == process).map_or(&[][..], |(_, own)| own);
                for action in own.iter().filter(|action| !is_dead[**action as usize]) {
                    let source = self.interplay.actions[*action as usize].stands[0].1;
                    if source == location {
                        list.push(*action);
                    } else {
                        self.add_ways(process, location, source, &mut list);
                    }
                }
            }
            None => {
                let target = cause - self.drawn.len() - self.first_location[process];
                self.add_ways(process, location, target as u32, &mut list);
            }
        }
        list.retain(|action| !is_dead[*action as usize]);
        list.sort_unstable();
        list.dedup();
        list
    }

    /// Adds the moves of a process by which it may come from one location to another.
    fn add_ways(&self, process: usize, from: u32, to: u32, list: &mut Vec<u32>) {
        let first = self.first_location[process];
        let leads = |location: u32| self.reached[first + location as usize][to as usize];
        let ways = self.leaving[first + from as usize].iter().filter(|(_, target)| leads(*target));
        list.extend(ways.map(|(action, _)| *action));
    }
}

/// Which of the locations of a process are reached from one of them.
fn reached_from(from: usize, leaving: &[Vec<(u32, u32)>]) -> Vec<bool> {
    let mut reached = vec![false; leaving.len()];
    let mut pending = vec![from];
    while let Some(location) = pending.pop() {
        if !std::mem::replace(&mut reached[location], true) {
            pending.extend(leaving[location].iter().map(|(_, target)| *target as usize));
        }
    }
    reached
}
