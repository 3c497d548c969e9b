//! What clocks show.
//!
//! They stand still: with time that passes no two states would be the same. But wherever a program looks at a clock,
//! time may have passed, as much as it likes: the clock may jump ahead, past every deadline there can be, a few times
//! in a run. Both are tried. What a program does that depends on more jumps is not seen, and the verdict says so.
//!
//! Whoever has waited for a time looks at the clock to see whether that time is over, and has to find that it is. So a
//! thread whose timed wait or sleep has ended is shown the end of it, the first time that it looks at a clock. After
//! that the clock is back where it was, or a loop around a timed wait would have no end of states.
//!
//! Where a test framework looks at a clock, to tell how long a test took, it never moves
//! ([`test_frameworks`](crate::test_frameworks)).

use crate::hooks::Hook;
use crate::layout::CLOCK;
use crate::machine::Machine;
use crate::premise::Premise;
use crate::sync::ETIMEDOUT;
use crate::syscalls::number;
use dampf_rv::machine::Hart;

const NANOSECONDS: u64 = 1_000_000_000;

/// How far a clock jumps: no program waits for a year.
const JUMP_SECONDS: u64 = 365 * 24 * 3600;
const A0: usize = 10;
const A7: usize = 17;

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

    /// In how many ways the thread in a slot can look at a clock: it may jump ahead.
    pub fn ways_to_look_at_clock(&self, slot: u32) -> u32 {
        let is_shown_end = self.threads[slot as usize].wait_ended != 0;
        if is_shown_end || self.process.clock_jumps >= self.system.options.clock_jumps { 1 } else { 2 }
    }

    /// Whether a thread is about to look at a clock for a test framework, which sees that it stands still.
    pub fn is_frameworks_look(&self, hart: &Hart) -> bool {
        matches!(hart.x[A7], number::CLOCK_GETTIME | number::GETTIMEOFDAY) && self.acts_for_framework(hart)
    }

    /// What the clock shows the running thread, in one of the ways: seconds and nanoseconds.
    pub fn look_at_clock(&mut self, hart: &Hart, way: u32) -> (u64, u64) {
        if self.is_frameworks_look(hart) {
            return (0, 0);
        }
        self.memory.note_read(CLOCK, 1);
        let jumps_max = self.system.options.clock_jumps;
        if jumps_max > 0 {
            self.premises.note(Premise::Clock { jumps_max });
        } else {
            self.step.unsupported =
                Some("clocks that stand still while the program looks at them (--clock-jumps 1)".to_owned());
        }
        if way == 1 {
            self.memory.note_write(CLOCK, 1);
            self.process.change().clock_jumps += 1;
        }
        let base = u64::from(self.process.clock_jumps) * JUMP_SECONDS;
        let shown = self.threads.current().wait_ended;
        if shown == 0 {
            return (base, 0);
        }
        self.threads.current_mut().wait_ended = 0;
        // Of a time that is relative nobody knows the beginning: it ended that long after what the clock showed.
        let seconds = shown / NANOSECONDS;
        if seconds >= base { (seconds, shown % NANOSECONDS) } else { (base + seconds, shown % NANOSECONDS) }
    }
}
