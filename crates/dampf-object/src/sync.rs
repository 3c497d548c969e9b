//! What the operations of locks, condition variables, semaphores and barriers have in common.
//!
//! The objects live in the program's own memory, in the places where the C library keeps the same things, so that
//! static initialisers mean what they say. Who waits is not in the object: waiting threads stand before their call, or
//! say in their status what they wait for.

//!
//! What an object is, is written in it where its memory has room for that: a held lock, a destroyed object and, where
//! zeros are no valid object, an initialised one carry a mark. The marks are numbers that memory of other uses does not
//! have by chance: a program may make a lock of bytes that were something else before.

use crate::layout::Region;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use dampf_core::FaultKind;

pub const EPERM: u64 = 1;
pub const ESRCH: u64 = 3;
pub const EAGAIN: u64 = 11;
pub const ENOMEM: u64 = 12;
pub const EBUSY: u64 = 16;
pub const EINVAL: u64 = 22;
pub const EDEADLK: u64 = 35;
pub const EOVERFLOW: u64 = 75;
pub const ENOTSUP: u64 = 95;
pub const ETIMEDOUT: u64 = 110;

/// Marks of objects.
pub const HELD: u32 = 0x9d4e_10c5;
pub const INITIALISED: u32 = 0x9d4e_1217;
pub const DESTROYED: u32 = 0x9d4e_dead;

const CLOCK_REALTIME: u64 = 0;
const CLOCK_MONOTONIC: u64 = 1;
const NANOSECONDS: u64 = 1_000_000_000;

/// What becomes of an operation for which its thread would have to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// The thread waits: the operation is not performed before its time has come.
    Wait,
    /// It fails at once.
    Try,
    /// It fails as soon as its time is over, which may be at once.
    Timed(Deadline),
}

/// Where a time is that an operation waits for at most, and the clock that shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadline {
    pub time: u64,
    pub clock: u64,
}

impl Attempt {
    /// Waits until the system's clock shows the time at an address.
    pub fn until(time: u64) -> Attempt {
        Attempt::Timed(Deadline { time, clock: CLOCK_REALTIME })
    }

    /// Waits until a clock shows the time at an address.
    pub fn until_on(clock: u64, time: u64) -> Attempt {
        Attempt::Timed(Deadline { time, clock })
    }

    /// What the failure is called.
    pub fn busy(self) -> u64 {
        match self {
            Attempt::Wait | Attempt::Try => EBUSY,
            Attempt::Timed(_) => ETIMEDOUT,
        }
    }
}

pub fn lock_misuse(message: String) -> RunEnd {
    RunEnd::fault(FaultKind::LockMisuse, message)
}

impl Machine<'_> {
    /// Whether an operation names a clock that cannot be waited for.
    pub fn has_invalid_clock(&self, attempt: Attempt) -> bool {
        matches!(attempt, Attempt::Timed(Deadline { clock, .. })
            if !matches!(clock & 0xffff_ffff, CLOCK_REALTIME | CLOCK_MONOTONIC))
    }

    /// Whether an operation is given a time that is none.
    pub fn has_invalid_time(&self, attempt: Attempt) -> bool {
        matches!(attempt, Attempt::Timed(Deadline { time, .. })
            if self.memory.peek_long(time.wrapping_add(8)) >= NANOSECONDS)
    }

    /// What an operation returns that would have to wait.
    pub fn busy(&self, attempt: Attempt) -> u64 {
        if self.has_invalid_time(attempt) { EINVAL } else { attempt.busy() }
    }

    /// Whether what is written in an object is about that object. What lies on a stack may be left there by a function
    /// that has returned.
    pub fn is_told_by_memory(&self, object: u64) -> bool {
        !matches!(Region::of(object, self.slots()), Some(Region::Stack(_)))
    }

    /// Complains about an object that bears the mark of a destroyed one.
    pub fn check_not_destroyed(&self, kind: &str, object: u64, mark: u32) -> Result<(), RunEnd> {
        if mark != DESTROYED {
            return Ok(());
        }
        Err(lock_misuse(format!("{kind} {} is used after it was destroyed", self.place_name(object))))
    }

    /// Complains about an object that does not bear the mark of an initialised one.
    pub fn check_initialised(&self, kind: &str, object: u64, mark: u32) -> Result<(), RunEnd> {
        self.check_not_destroyed(kind, object, mark)?;
        if mark == INITIALISED {
            return Ok(());
        }
        Err(lock_misuse(format!("{kind} {} is used, but was never initialised", self.place_name(object))))
    }

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
