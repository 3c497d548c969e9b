//! Memory that operations and system calls access besides their objects: places for results, and buffers.
//!
//! `pthread_join(thread, &result)` writes `result`, `write(1, buffer, n)` reads `buffer`. To other threads these are plain accesses like any in
//! the program: visible where the memory is shared, and races where nothing orders them.

use crate::hooks::{Atomic, Hook};
use crate::machine::Machine;
use crate::race::PendingAccess;
use crate::syscalls;
use crate::trouble::RunEnd;
use dampf_rv::machine::Hart;

/// What `pthread_create` looks at of a thread's attributes.
const THREAD_ATTRIBUTES_BYTES: u64 = 40;

const RA: usize = 1;
const A0: usize = 10;
const A1: usize = 11;

/// A stretch of memory, and what is done with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Beside {
    pub address: u64,
    pub bytes: u64,
    pub writes: bool,
}

impl Beside {
    pub fn written(address: u64, bytes: u64) -> Beside {
        Beside { address, bytes, writes: true }
    }
}

impl Hook {
    /// Whether an operation may access more memory than its object.
    pub fn accesses_beside(self) -> bool {
        use Hook::*;
        matches!(
            self,
            ThreadCreate
                | MutexInit
                | PosixMemalign
                | SemaphoreValue
                | ThreadJoin
                | ThreadJoinC11
                | ThreadTryjoin
                | ThreadTimedjoin
                | Atomic(crate::hooks::Atomic::CompareExchange, _)
        )
    }
}

impl Machine<'_> {
    /// What an operation accesses besides its object, with these registers: up to two places.
    fn beside_operation(&self, hook: Hook, register: impl Fn(usize) -> u64) -> [Option<Beside>; 2] {
        let attributes = |bytes: u64| {
            let given = !matches!(register(A1), 0 | u64::MAX);
            given.then(|| Beside { address: register(A1), bytes, writes: false })
        };
        let place = match hook {
            Hook::ThreadCreate => return [Some(Beside::written(register(A0), 8)), attributes(THREAD_ATTRIBUTES_BYTES)],
            Hook::MutexInit => return [attributes(4), None],
            Hook::PosixMemalign => Beside::written(register(A0), 8),
            Hook::SemaphoreValue => Beside::written(register(A1), 4),
            Hook::ThreadJoin | Hook::ThreadJoinC11 | Hook::ThreadTryjoin | Hook::ThreadTimedjoin => {
                // Nothing is written before the thread has ended.
                if register(A1) == 0 || !self.can_join(register(A0)) {
                    return [None, None];
                }
                Beside::written(register(A1), if hook == Hook::ThreadJoinC11 { 4 } else { 8 })
            }
            // The value that is expected is read; the one that was found instead is written there.
            Hook::Atomic(Atomic::CompareExchange, bytes) => {
                let value = |address: u64| self.peek_value(address, usize::from(bytes));
                let writes = value(register(A0)) != value(register(A1));
                Beside { address: register(A1), bytes: u64::from(bytes), writes }
            }
            _ => return [None, None],
        };
        [Some(place), None]
    }

    /// Whether other threads can notice what an operation does besides.
    pub fn is_visible_beside(&mut self, hook: Hook, hart: &Hart) -> Result<bool, RunEnd> {
        let mut visible = false;
        for Beside { address, bytes, writes } in
            self.beside_operation(hook, |number| hart.x[number]).into_iter().flatten()
        {
            visible |= self.is_visible(address, bytes, writes)?;
        }
        Ok(visible)
    }

    /// The accesses that a thread which stands before an operation, or none, is about to make besides.
    pub fn pending_beside(&self, hook: Option<Hook>, slot: u32) -> impl Iterator<Item = PendingAccess> {
        let pc = self.threads[slot as usize].pc;
        let register = |number: usize| self.register(slot, number);
        let (places, pc) = match hook {
            Some(hook) => (self.beside_operation(hook, register), register(RA).wrapping_sub(2)),
            None if self.is_system_call(pc) => ([syscalls::beside_call(register), None], pc),
            None => ([None, None], pc),
        };
        places.into_iter().flatten().map(move |Beside { address, bytes, writes }| PendingAccess {
            slot,
            address,
            bytes,
            writes,
            atomic: false,
            told_atomic: false,
            pc,
        })
    }
}
