//! What the operations of locks, condition variables, semaphores and barriers have in common.
//!
//! The objects live in the program's own memory, in the places where the C library keeps the same things, so that
//! static initialisers mean what they say. Who waits is not in the object: waiting threads stand before their call, or
//! say in their status what they wait for.

use crate::machine::Machine;

pub const EPERM: u64 = 1;
pub const EAGAIN: u64 = 11;
pub const EBUSY: u64 = 16;
pub const EDEADLK: u64 = 35;
pub const ETIMEDOUT: u64 = 110;

/// What becomes of an operation for which its thread would have to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// The thread waits: the operation is not performed before its time has come.
    Wait,
    /// It fails at once.
    Try,
    /// It fails as soon as its time is over, which may be at once.
    Timed,
}

impl Attempt {
    /// What the failure is called.
    pub fn busy(self) -> u64 {
        match self {
            Attempt::Wait | Attempt::Try => EBUSY,
            Attempt::Timed => ETIMEDOUT,
        }
    }
}

impl Machine<'_> {
    /// What a thread waits for, and who has it.
    pub fn told_wait(&self, kind: &str, object: u64, owner: Option<u32>, slot: u32) -> String {
        let held = match owner {
            Some(owner) if owner == slot => ", which it holds itself".to_owned(),
            Some(owner) => format!(", held by {}", self.thread_name(owner)),
            None => String::new(),
        };
        format!("waits for {kind}{}{held}", self.place_name(object))
    }
}
