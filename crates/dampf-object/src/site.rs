//! Where blocks are allocated and threads are created: the innermost call on a line that the user wrote.
//!
//! A container allocates in a header of the library, a string in the library itself; that line says nothing, and is the
//! same for all containers. So the callers are followed to the user's own code. That is done at every allocation: code
//! with debug information keeps frame pointers, which are followed quickly, and only through other code the unwinder
//! leads.
//!
//! Invariant: a site depends on nothing but the thread's registers and stack, so equal states have equal sites.

use crate::layout::Region;
use crate::machine::Machine;
use dampf_rv::machine::Hart;
use std::collections::HashMap;

const RA: usize = 1;
const SP: usize = 2;
const FRAME_POINTER: u8 = 8;
/// Calls that are followed before the site is where the allocation is.
const CALLS_MAX: usize = 32;

/// What is known about return addresses.
#[derive(Default)]
pub struct Callers {
    known: HashMap<u64, Caller>,
}

#[derive(Clone, Copy)]
struct Caller {
    /// The call is on a line that the user wrote.
    by_user: bool,
    /// The function that calls has its frame pointer in the usual register.
    has_frame_pointer: bool,
}

impl Machine<'_> {
    /// The address behind the user's call that led to the operation a thread stands before.
    pub fn site(&mut self, hart: &Hart) -> u32 {
        let mut returns_to = hart.x[RA];
        let (mut frame, mut below) = (hart.x[usize::from(FRAME_POINTER)], hart.x[SP]);
        for _ in 0..CALLS_MAX {
            let caller = self.caller(returns_to);
            if caller.by_user {
                return returns_to as u32;
            }
            let lies_above =
                frame > below && Region::of(frame - 16, self.slots()) == Some(Region::Stack(self.threads.running));
            if !caller.has_frame_pointer || !lies_above {
                return self.unwound_site(hart);
            }
            below = frame;
            returns_to = self.memory.peek_long(frame - 8);
            frame = self.memory.peek_long(frame - 16);
        }
        hart.x[RA] as u32
    }

    /// The same, by the unwinder.
    fn unwound_site(&mut self, hart: &Hart) -> u32 {
        let behind_call = |pc: u64| (pc & !1) + 2;
        let calls = self.call_stack(hart);
        let found = calls.into_iter().skip(1).map(behind_call).find(|&returns_to| self.caller(returns_to).by_user);
        found.unwrap_or(hart.x[RA]) as u32
    }

    fn caller(&mut self, returns_to: u64) -> Caller {
        let program = &self.system.program;
        *self.callers.known.entry(returns_to).or_insert_with(|| {
            let call = returns_to.wrapping_sub(2);
            Caller {
                by_user: program.is_user_line(call),
                has_frame_pointer: program.is_user_code(call)
                    && program.debug.frame_register(call) == Some(FRAME_POINTER),
            }
        })
    }
}
