//! Spin locks: a word that names the owner.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::EBUSY;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

pub const SPIN_BYTES: u8 = 4;

const A0: usize = 10;

impl Machine<'_> {
    /// The slot of the thread that holds a spin lock.
    pub fn spin_owner(&self, lock: u64) -> Option<u32> {
        self.memory.peek_word(lock).checked_sub(1)
    }

    pub fn init_spin(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        self.memory.poke_word(hart.x[A0], 0);
        Ok(Next::Return(0))
    }

    pub fn destroy_spin(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let lock = hart.x[A0];
        if self.spin_owner(lock).is_some() {
            let message = format!("spin lock {} is destroyed while it is held", self.place_name(lock));
            return Err(RunEnd::fault(FaultKind::LockMisuse, message));
        }
        Ok(Next::Return(0))
    }

    /// Takes a spin lock, or fails at once.
    pub fn lock_spin(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let lock = hart.x[A0];
        if self.spin_owner(lock).is_some() {
            return Ok(Next::Return(EBUSY));
        }
        self.memory.poke_word(lock, self.threads.own_number());
        self.threads.current_mut().count_held(true);
        Ok(Next::Return(0))
    }

    pub fn unlock_spin(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let lock = hart.x[A0];
        if self.spin_owner(lock) != Some(self.threads.running) {
            let (me, place) = (self.thread_name(self.threads.running), self.place_name(lock));
            let message = format!("{me} unlocks spin lock {place}, which it does not hold");
            return Err(RunEnd::fault(FaultKind::LockMisuse, message));
        }
        self.memory.poke_word(lock, 0);
        self.threads.current_mut().count_held(false);
        Ok(Next::Return(0))
    }
}
