//! The steps of a program, found by who moves.

use crate::ir::{ActionSource, LocationId, Process, ProcessId, Program};
use std::ops::Range;

/// The actions of a program, and where to find them.
pub(super) struct Steps<'a> {
    pub actions: &'a [ActionSource],
    /// For each process and transition, the labels of the steps that it moves or sends in.
    pub labels: Vec<Vec<Range<usize>>>,
}

impl<'a> Steps<'a> {
    pub fn new(program: &Program, actions: &'a [ActionSource]) -> Self {
        let mut labels: Vec<Vec<Range<usize>>> =
            program.processes.iter().map(|process| vec![0..0; process.transitions.len()]).collect();
        for (label, action) in actions.iter().enumerate() {
            let range = &mut labels[action.process.0 as usize][action.transition];
            if range.start == range.end {
                *range = label..label;
            }
            range.end = label + 1;
        }
        Steps { actions, labels }
    }

    /// The greatest number of steps that any state has.
    pub fn most(&self, program: &Program) -> usize {
        let of_process = |process: &Process, labels: &[Range<usize>]| {
            let mut by_location = vec![0; process.locations.len()];
            for (transition, labels) in process.transitions.iter().zip(labels) {
                by_location[transition.source.0 as usize] += self.most_of(program, labels.clone());
            }
            by_location.into_iter().max().unwrap_or(0)
        };
        program.processes.iter().zip(&self.labels).map(|(process, labels)| of_process(process, labels)).sum()
    }

    /// The greatest number of steps of one transition: with every receiver, in the location where most match.
    fn most_of(&self, program: &Program, labels: Range<usize>) -> usize {
        let mut counts: Vec<(ProcessId, LocationId, usize)> = Vec::new();
        for action in &self.actions[labels.clone()] {
            let Some((receiver, index)) = action.partner else { return labels.len() };
            let location = program.process(receiver).transitions[index].source;
            match counts.iter_mut().find(|(process, at, _)| (*process, *at) == (receiver, location)) {
                Some((_, _, count)) => *count += 1,
                None => counts.push((receiver, location, 1)),
            }
        }
        let mut receivers: Vec<ProcessId> = counts.iter().map(|(receiver, _, _)| *receiver).collect();
        receivers.dedup();
        let of_receiver = |receiver: ProcessId| {
            counts.iter().filter(|(process, _, _)| *process == receiver).map(|(_, _, count)| *count).max()
        };
        receivers.into_iter().filter_map(of_receiver).sum()
    }
}
