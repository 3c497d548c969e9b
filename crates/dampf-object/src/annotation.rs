//! Annotations: assertions, atomic sections, locked variables, estimates.

use crate::locked::LockedVariable;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::touched::Mode;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

const A0: usize = 10;
const A1: usize = 11;

pub fn reached_error() -> RunEnd {
    RunEnd::fault(FaultKind::Assertion, "reach_error is reached")
}

pub fn verifier_assert(hart: &Hart) -> Result<Next, RunEnd> {
    match hart.x[A0] as u32 {
        0 => Err(RunEnd::fault(FaultKind::Assertion, "__VERIFIER_assert does not hold")),
        _ => Ok(Next::Return(0)),
    }
}

impl Machine<'_> {
    pub fn failed_assertion(&self, hart: &Hart) -> RunEnd {
        let expression = self.memory.peek_string(hart.x[A0]);
        RunEnd::fault(FaultKind::Assertion, format!("assertion `{expression}` does not hold"))
    }

    /// Keeps what a program says of the steps that are left. It never looks there itself, so that nobody notices the
    /// write: it is no access of the program's.
    pub fn publish_estimate(&mut self, hart: &Hart) {
        self.memory.poke_long(hart.x[A0], hart.x[A1]);
    }

    pub fn begin_section(&mut self) {
        let thread = self.threads.current_mut();
        thread.atomic = thread.atomic.saturating_add(1);
        self.step.section_began = true;
        self.note_section_rivals();
        self.memory.forget_translations();
    }

    pub fn end_section(&mut self) {
        let thread = self.threads.current_mut();
        thread.atomic = thread.atomic.saturating_sub(1);
        if thread.atomic == 0 {
            self.order_section_end();
            self.scratch.section_rivals.clear();
        }
        // What was visible within the section has happened; what follows is another step.
        self.step.granted = false;
        self.memory.forget_translations();
    }

    /// Whether a variable can be locked: no other thread has.
    pub fn can_lock_variable(&self, [address, bytes]: [u64; 2], slot: u32) -> bool {
        self.memory.note_read(address, bytes.max(1));
        self.locked.of_others(address, bytes.max(1), slot).is_none()
    }

    pub fn lock_variable(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let locked = LockedVariable { address: hart.x[A0], bytes: hart.x[A1].max(1), owner: self.threads.running };
        // Others may not access it from now on, which is as if it were written.
        self.is_visible(locked.address, locked.bytes, true)?;
        self.memory.note_write(locked.address, locked.bytes);
        self.note_touched(locked.address, locked.bytes, Mode::WRITE);
        self.check_unaccessed(locked.address, locked.bytes, FaultKind::PrivilegeViolation, "locks")?;
        // The owner runs, so its words are written anew.
        self.locked.lock(locked);
        self.memory.forget_translations();
        Ok(Next::Return(0))
    }

    pub fn unlock_variable(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let (address, owner) = (hart.x[A0], self.threads.running);
        self.note_touched(address, hart.x[A1].max(1), Mode::WRITE);
        let Some(unlocked) = self.locked.unlock(address, owner) else {
            let (me, place) = (self.thread_name(owner), self.place_name(address));
            return Err(RunEnd::fault(
                FaultKind::PrivilegeViolation,
                format!("{me} unlocks {place}, which it has not locked"),
            ));
        };
        self.memory.note_write(unlocked.address, unlocked.bytes);
        self.note_touched(unlocked.address, unlocked.bytes, Mode::WRITE);
        self.memory.forget_translations();
        Ok(Next::Return(0))
    }
}
