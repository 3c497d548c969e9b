//! Runs of a model, as the labels of their steps, and their replay.

use crate::{Action, Fault, FaultSelection, Model, Revise, StepEnd, Successors, Unsupported, Word, Worker};
use std::fmt;

/// A run: the number of its initial state and the labels of its steps.
///
/// A run that goes on for ever is a lasso: a stem and a cycle that is repeated. Where a run ends in a faulty step, that
/// step is the last label of the stem.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Trail {
    pub initial: u64,
    pub stem: Vec<Action>,
    /// Leads from the state behind the stem back to it. Empty for a run that ends.
    pub cycle: Vec<Action>,
}

impl Trail {
    /// A run that ends.
    pub fn ending(initial: u64, stem: Vec<Action>) -> Trail {
        Trail { initial, stem, cycle: Vec::new() }
    }

    /// The number of steps, those of the cycle counted once.
    pub fn len(&self) -> usize {
        self.stem.len() + self.cycle.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The labels of the stem, then those of the cycle.
    pub fn actions(&self) -> impl Iterator<Item = Action> + '_ {
        self.stem.iter().chain(&self.cycle).copied()
    }
}

/// A trail that was run again on a model.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The states passed, the initial one first. A last step that ends in a fault adds no state; the last state of a
    /// lasso is the one behind its stem.
    pub states: Vec<Vec<Word>>,
    /// The fault at the end of the trail: of its last step, of its last state, or a deadlock there.
    pub fault: Option<Fault>,
    /// Where the last step is faulty and yet leads on: what is wrong with the state it leads to.
    pub fault_beyond: Option<Fault>,
}

/// Why a trail is no run of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayError {
    NoSuchInitialState(u64),
    /// The step with this number, counted from 0, is not among the successors.
    NoSuchStep {
        step: usize,
        action: Action,
    },
    /// The trail goes on behind a faulty step.
    StepsAfterFault {
        step: usize,
    },
    /// The cycle does not lead back to where it begins.
    OpenCycle,
    Unsupported(Unsupported),
    /// The step refutes what the model assumes: it is a run of another model.
    Refuted(Revise),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::NoSuchInitialState(number) => write!(f, "the model has no initial state {number}"),
            ReplayError::NoSuchStep { step, action } => {
                write!(f, "step {} (label {}) is not possible in the state it is taken in", step + 1, action.0)
            }
            ReplayError::StepsAfterFault { step } => {
                write!(f, "the trail goes on after the fault of step {}", step + 1)
            }
            ReplayError::OpenCycle => f.write_str("the cycle does not lead back to the state it begins in"),
            ReplayError::Unsupported(unsupported) => unsupported.fmt(f),
            ReplayError::Refuted(revise) => revise.fmt(f),
        }
    }
}

impl std::error::Error for ReplayError {}

/// Runs a trail again, step by step, on a model. A deadlock at its end is a fault where `deadlocks` says so.
pub fn replay<M: Model>(model: &M, trail: &Trail, deadlocks: bool) -> Result<Replay, ReplayError> {
    replay_selected(model, trail, deadlocks, &FaultSelection::default())
}

/// The same where not all faults count.
pub fn replay_selected<M: Model>(
    model: &M,
    trail: &Trail,
    deadlocks: bool,
    selection: &FaultSelection,
) -> Result<Replay, ReplayError> {
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    worker.initial(&mut out);
    let initial = trail.initial as usize;
    if initial >= out.len() {
        return Err(missing(&out, ReplayError::NoSuchInitialState(trail.initial)));
    }
    match out.step_end(initial) {
        None => {}
        Some(StepEnd::Refuted(revise)) => return Err(ReplayError::Refuted(revise)),
        Some(StepEnd::Fault(_)) if !trail.is_empty() => return Err(ReplayError::StepsAfterFault { step: 0 }),
        Some(StepEnd::Fault(fault)) => {
            return Ok(Replay { states: Vec::new(), fault: Some(fault), fault_beyond: None });
        }
    }
    let mut states = vec![out.state(initial).to_vec()];
    for (step, action) in trail.actions().enumerate() {
        worker.successors(&states[step], &mut out);
        let Some(index) = out.actions().iter().position(|&label| label == action) else {
            return Err(missing(&out, ReplayError::NoSuchStep { step, action }));
        };
        match out.step_end(index) {
            None => {}
            Some(StepEnd::Refuted(revise)) => return Err(ReplayError::Refuted(revise)),
            Some(StepEnd::Fault(fault)) if step + 1 == trail.len() && trail.cycle.is_empty() => {
                let beyond = out.leads_on(index).then(|| out.state(index).to_vec());
                let fault_beyond = beyond.and_then(|state| {
                    worker.successors(&state, &mut out);
                    out.ignore_of_state(selection);
                    out.fault_of_state(deadlocks)
                });
                return Ok(Replay { states, fault: Some(fault), fault_beyond });
            }
            Some(StepEnd::Fault(_)) if !out.leads_on(index) => return Err(ReplayError::StepsAfterFault { step }),
            Some(StepEnd::Fault(_)) => {}
        }
        states.push(out.state(index).to_vec());
    }
    if !trail.cycle.is_empty() {
        let closed = states.last() == states.get(trail.stem.len());
        return if closed {
            Ok(Replay { states, fault: None, fault_beyond: None })
        } else {
            Err(ReplayError::OpenCycle)
        };
    }
    let last = states.last().expect("a replay has at least its initial state");
    worker.successors(last, &mut out);
    out.ignore_of_state(selection);
    Ok(Replay { fault: out.fault_of_state(deadlocks), states, fault_beyond: None })
}

/// Why something is not among the steps: where a step could not be computed, it may be that one.
fn missing(out: &Successors, error: ReplayError) -> ReplayError {
    out.unsupported().cloned().map_or(error, ReplayError::Unsupported)
}
