//! A program together with its property automaton: the model in which accepting runs are looked for.
//!
//! The automaton moves with every step of the program; its guards look at the state before the step. Where the program
//! cannot move, the automaton moves alone, so that runs that end are infinite runs too. Where the automaton cannot
//! move, the run is of no interest and ends, which is no deadlock.
//!
//! A state has the words of the program's, and one more for the automaton's location. A label is the program's, with
//! the number of the automaton's transition above it. Faults are the program's own business: a faulty step is told once
//! and leads nowhere.

use crate::ir::{LocationId, Process};
use crate::model::{GclModel, GclWorker};
use dampf_core::{Acceptance, Action, Model, Propositions, Successors, Word, Worker};

pub struct Watched {
    model: GclModel,
    automaton: Process,
}

/// The label of the program's part where it cannot move.
const NO_STEP: u64 = u32::MAX as u64;

impl Watched {
    /// None for a program without a property automaton.
    pub fn new(model: GclModel) -> Option<Watched> {
        let automaton = model.program().property.clone()?;
        Some(Watched { model, automaton })
    }

    /// Where the automaton is.
    pub fn location(&self, state: &[Word]) -> LocationId {
        LocationId(state[self.model.width()])
    }
}

impl Model for Watched {
    type Worker<'m> = WatchedWorker<'m>;

    fn width(&self) -> usize {
        self.model.width() + 1
    }

    fn worker(&self) -> WatchedWorker<'_> {
        let steps = Successors::new(self.model.width());
        WatchedWorker { watched: self, worker: self.model.worker(), steps, scratch: Vec::new() }
    }
}

impl Acceptance for Watched {
    fn is_accepting(&self, state: &[Word]) -> bool {
        self.automaton.locations[self.location(state).0 as usize].accepting
    }
}

pub struct WatchedWorker<'m> {
    watched: &'m Watched,
    worker: GclWorker<'m>,
    /// Of the program alone.
    steps: Successors,
    scratch: Vec<Word>,
}

impl WatchedWorker<'_> {
    fn push(&mut self, action: u64, step: Option<usize>, own: &[Word], location: LocationId, out: &mut Successors) {
        self.scratch.clear();
        self.scratch.extend_from_slice(step.map_or(own, |step| self.steps.state(step)));
        self.scratch.push(location.0);
        out.push(Action(action), &self.scratch);
    }
}

impl Worker for WatchedWorker<'_> {
    fn initial(&mut self, out: &mut Successors) {
        self.worker.initial(&mut self.steps);
        out.clear();
        for step in 0..self.steps.len() {
            self.push(self.steps.action(step).0, Some(step), &[], self.watched.automaton.initial, out);
        }
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        let (location, own) = (self.watched.location(state), &state[..self.watched.model.width()]);
        self.worker.successors(own, &mut self.steps);
        out.restart_from(&self.steps);
        out.set_valid_end(true);
        for step in 0..self.steps.len() {
            if let Some(end) = self.steps.step_end(step) {
                out.push_end(self.steps.action(step), end);
            }
        }
        for (number, transition) in self.watched.automaton.transitions.iter().enumerate() {
            // The guards are the first propositions of a model, in this order.
            if transition.source != location || !self.watched.model.holds(number, own) {
                continue;
            }
            let above = (number as u64) << 32;
            if self.steps.is_empty() {
                self.push(above | NO_STEP, None, own, transition.target, out);
            }
            for step in 0..self.steps.len() {
                if self.steps.step_end(step).is_none() {
                    self.push(above | self.steps.action(step).0, Some(step), own, transition.target, out);
                }
            }
        }
    }
}
