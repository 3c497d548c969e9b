//! What clocks show.
//!
//! They stand still, at zero: with time that passes no two states would be the same. But whoever has waited for a time
//! looks at the clock to see whether that time is over, and has to find that it is. So a thread whose timed wait or
//! sleep has ended is shown the end of it, the first time that it looks at a clock. After that the clock is back at
//! zero, or a loop around a timed wait would have no end of states.

use crate::hooks::Hook;
use crate::machine::Machine;
use crate::sync::ETIMEDOUT;
use dampf_rv::machine::Hart;

const NANOSECONDS: u64 = 1_000_000_000;
const A0: usize = 10;

impl Machine<'_> {
    /// Takes note that an operation has come back, if it did so because its time was over. Semaphores tell that by the
    /// library's other convention.
    pub fn note_result(&mut self, hook: Hook, hart: &Hart, result: u64) {
        if matches!(result, ETIMEDOUT | u64::MAX) {
            self.note_timeout(hook, hart);
        }
    }

    /// Takes note that the time of a timed operation is over.
    pub fn note_timeout(&mut self, hook: Hook, hart: &Hart) {
        if let Some(argument) = hook.deadline {
            self.note_end(hart.x[A0 + usize::from(argument)]);
        }
    }

    /// The running thread has waited until the time at an address, or as long as that.
    pub fn note_end(&mut self, timespec: u64) {
        let (seconds, nanoseconds) = (self.memory.peek_long(timespec), self.memory.peek_long(timespec.wrapping_add(8)));
        let is_time = seconds <= i64::MAX as u64 && nanoseconds < NANOSECONDS;
        let end = if is_time { seconds.saturating_mul(NANOSECONDS).saturating_add(nanoseconds) } else { 0 };
        if self.threads.current().wait_ended != end {
            self.threads.current_mut().wait_ended = end;
        }
    }

    /// What the clock shows the running thread: seconds and nanoseconds.
    pub fn look_at_clock(&mut self) -> (u64, u64) {
        let now = self.threads.current().wait_ended;
        if now != 0 {
            self.threads.current_mut().wait_ended = 0;
        }
        (now / NANOSECONDS, now % NANOSECONDS)
    }
}
