//! Faults as a rank has met them: what is wrong, and where, but not yet how to get there.

use dampf_core::{Action, Fault};
use dampf_search::FINDINGS_MAX;
use dampf_store::StateRef;

/// Where a rank met a fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Discovery {
    pub fault: Fault,
    pub place: FaultPlace,
    /// The steps that lead from there to the fault, the faulty one included; none where the state itself is faulty.
    pub steps: Vec<Action>,
    /// Where the fault is a run that goes on for ever: the steps that lead from there back to there.
    pub cycle: Vec<Action>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FaultPlace {
    /// An initial state that cannot even be made.
    Initial(u64),
    /// A state of the rank that reports it, with its distance where that is the least there is.
    State { state: StateRef, distance: Option<u64> },
    /// In a predictable search: this step of the level before, or else the state of this level that it leads to.
    Placed { level: u64, position: u64, step: u32, of_state: bool },
}

impl FaultPlace {
    /// Nearer places come first.
    pub fn order(&self) -> (u64, u64, u32, bool) {
        match *self {
            FaultPlace::Initial(number) => (0, number, 0, true),
            FaultPlace::State { distance, .. } => (distance.unwrap_or(0), 0, 0, true),
            FaultPlace::Placed { level, position, step, of_state } => (level, position, step, of_state),
        }
    }
}

/// The different faults that a rank has met, the first first.
///
/// As many are kept as all ranks together report. Where the first of each rank come first, the first of all are among
/// them: a fault that is among the first of all has fewer before it on the rank that met it.
#[derive(Default)]
pub(crate) struct Discoveries {
    known: Vec<Discovery>,
}

impl Discoveries {
    /// Notes a fault unless one like it is known.
    pub fn note(&mut self, discovery: Discovery) {
        let is_known = self.known.iter().any(|known| known.fault == discovery.fault);
        if !is_known && self.known.len() < FINDINGS_MAX {
            self.known.push(discovery);
        }
    }

    pub fn list(&self) -> &[Discovery] {
        &self.known
    }

    pub fn take(&mut self) -> Vec<Discovery> {
        std::mem::take(&mut self.known)
    }
}
