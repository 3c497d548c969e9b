//! What an engine found out, and what it cost.

use crate::{Fault, Trail};

/// A fault together with the run that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub fault: Fault,
    pub trail: Trail,
}

/// The answer to a check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every reachable state was explored and none is faulty.
    Verified,
    /// The shown run is a run of the model and ends in the shown fault.
    Violated(Box<Finding>),
    /// Neither was established, for the reason given.
    Unknown(String),
}

impl Verdict {
    /// The name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// The exit status of a process that reports this verdict.
    pub fn exit_status(&self) -> u8 {
        match self {
            Verdict::Verified => 0,
            Verdict::Violated(_) => 1,
            Verdict::Unknown(_) => 3,
        }
    }
}

/// What a search saw and used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Distinct states found, initial states included.
    pub states: u64,
    /// Steps taken from explored states, those that led to known states included.
    pub transitions: u64,
    /// The greatest number of steps from an initial state at which a state was found, in the order searched.
    pub depth: u64,
    /// Bytes the visited set occupies.
    pub store_bytes: u64,
    /// States that are found but not explored, at the end of the search.
    pub frontier: u64,
    /// Faulty states and steps met; more than one only where the search goes on after the first.
    pub faults: u64,
}
