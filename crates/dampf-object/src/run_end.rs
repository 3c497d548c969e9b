//! Why a run of a thread ends before its next instruction has happened.

use dampf_core::{FaultKind, Unsupported};

/// Why an access or an operation did not happen.
#[derive(Debug)]
pub enum RunEnd {
    /// It is visible, and the step has had its visible operation.
    Visible,
    /// Others can notice it, but it is no place to switch if it is a plain access.
    Shared,
    /// A read of which only some bytes are valid. Library code may do that: it reads strings word by word.
    PartlyValid,
    /// A read of heap memory that was never written.
    Uninitialised,
    /// An access to the own stack below the stack pointer.
    BelowStack,
    /// A thread in an atomic section has to wait: the section does not begin.
    Blocked,
    /// An assumption about sharing is refuted: the system knows which, and exploration has to restart.
    Refuted,
    /// The program is wrong.
    Fault(Box<ProgramFault>),
    /// The run is not to be looked at any further: an assumption of the program does not hold.
    Pruned,
    Unsupported(Box<Unsupported>),
}

/// What is wrong, before it is told to people.
#[derive(Debug)]
pub struct ProgramFault {
    pub kind: FaultKind,
    pub message: String,
    /// The instruction to blame, where it is not the one that the running thread is at.
    pub blamed: Option<u64>,
}

impl RunEnd {
    /// A fault that another instruction is to blame for than the one at hand.
    pub fn fault_of(kind: FaultKind, message: String, blamed: u64) -> RunEnd {
        RunEnd::Fault(Box::new(ProgramFault { kind, message, blamed: Some(blamed) }))
    }

    pub fn fault(kind: FaultKind, message: impl Into<String>) -> RunEnd {
        RunEnd::Fault(Box::new(ProgramFault { kind, message: message.into(), blamed: None }))
    }
}

impl From<Unsupported> for RunEnd {
    fn from(unsupported: Unsupported) -> Self {
        RunEnd::Unsupported(Box::new(unsupported))
    }
}
