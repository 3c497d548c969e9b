//! Runs of a model, as the labels of their steps, and their replay.

use crate::{Action, Fault, Model, Successors, Unsupported, Word, Worker};
use std::fmt;

/// A run: the number of its initial state and the labels of its steps.
///
/// Where the run ends in a faulty step, that step is the last label.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Trail {
    pub initial: u64,
    pub actions: Vec<Action>,
}

/// A trail that was run again on a model.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The states passed, the initial one first. A last step that ends in a fault adds no state.
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
    Unsupported(Unsupported),
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
            ReplayError::Unsupported(unsupported) => unsupported.fmt(f),
        }
    }
}

impl std::error::Error for ReplayError {}

impl From<Unsupported> for ReplayError {
    fn from(unsupported: Unsupported) -> Self {
        ReplayError::Unsupported(unsupported)
    }
}

/// Runs a trail again, step by step, on a model.
pub fn replay<M: Model>(model: &M, trail: &Trail) -> Result<Replay, ReplayError> {
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    worker.initial(&mut out)?;
    let initial = trail.initial as usize;
    if initial >= out.len() {
        return Err(ReplayError::NoSuchInitialState(trail.initial));
    }
    if let Some(fault) = out.fault(initial) {
        let fault = Some(fault.clone());
        return match trail.actions.first() {
            None => Ok(Replay { states: Vec::new(), fault, fault_beyond: None }),
            Some(_) => Err(ReplayError::StepsAfterFault { step: 0 }),
        };
    }
    let mut states = vec![out.state(initial).to_vec()];
    for (step, &action) in trail.actions.iter().enumerate() {
        worker.successors(&states[step], &mut out)?;
        let Some(index) = out.actions().iter().position(|&label| label == action) else {
            return Err(ReplayError::NoSuchStep { step, action });
        };
        if let Some(fault) = out.fault(index) {
            if step + 1 == trail.actions.len() {
                let fault = Some(fault.clone());
                let beyond = out.leads_on(index).then(|| out.state(index).to_vec());
                let fault_beyond = match beyond {
                    Some(state) => {
                        worker.successors(&state, &mut out)?;
                        out.fault_of_state()
                    }
                    None => None,
                };
                return Ok(Replay { states, fault, fault_beyond });
            }
            if !out.leads_on(index) {
                return Err(ReplayError::StepsAfterFault { step });
            }
        }
        states.push(out.state(index).to_vec());
    }
    let last = states.last().expect("a replay has at least its initial state");
    worker.successors(last, &mut out)?;
    Ok(Replay { fault: out.fault_of_state(), states, fault_beyond: None })
}
