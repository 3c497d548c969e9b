//! Spin locks: a word that names the owner.
//!
//! There is no room for a mark besides: the upper half of the word is one, the lower half the owner. Zeros are no
//! spin lock: on some machines they are a free one, on others one that is held.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::{EBUSY, lock_misuse as misuse};
use dampf_rv::machine::Hart;

pub const SPIN_BYTES: u8 = 4;

const FREE: u32 = 0x9d4e_0000;
const OWNER: u32 = 0xffff;
const DESTROYED: u32 = FREE | OWNER;

const A0: usize = 10;

impl Machine<'_> {
    /// The slot of the thread that holds a spin lock.
    pub fn spin_owner(&self, lock: u64) -> Option<u32> {
        let word = self.memory.peek_word(lock);
        (word & !OWNER == FREE && word != DESTROYED).then_some(word & OWNER)?.checked_sub(1)
    }

    pub fn init_spin(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let lock = hart.x[A0];
        if let Some(owner) = self.spin_owner(lock).filter(|_| self.is_told_by_memory(lock)) {
            let (place, owner) = (self.place_name(lock), self.thread_name(owner));
            return Err(misuse(format!("spin lock {place} is initialised while {owner} holds it")));
        }
        self.memory.poke_word(lock, FREE);
        Ok(Next::Return(0))
    }

    pub fn destroy_spin(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let lock = self.usable_spin(hart)?;
        if self.spin_owner(lock).is_some() {
            return Err(misuse(format!("spin lock {} is destroyed while it is held", self.place_name(lock))));
        }
        self.memory.poke_word(lock, DESTROYED);
        Ok(Next::Return(0))
    }

    /// Takes a spin lock, or fails at once.
    pub fn lock_spin(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let lock = self.usable_spin(hart)?;
        if self.spin_owner(lock).is_some() {
            return Ok(Next::Return(EBUSY));
        }
        self.memory.poke_word(lock, FREE | self.threads.own_number());
        self.count_held(lock, true);
        self.hold_in_history(lock);
        self.tell_apart_running();
        Ok(Next::Return(0))
    }

    pub fn unlock_spin(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let lock = self.usable_spin(hart)?;
        if self.spin_owner(lock) != Some(self.threads.running) {
            let (me, place) = (self.thread_name(self.threads.running), self.place_name(lock));
            return Err(misuse(format!("{me} unlocks spin lock {place}, which it does not hold")));
        }
        self.memory.poke_word(lock, FREE);
        self.count_held(lock, false);
        Ok(Next::Return(0))
    }

    /// The spin lock that an operation is about.
    fn usable_spin(&self, hart: &Hart) -> Result<u64, RunEnd> {
        let lock = hart.x[A0];
        match self.memory.peek_word(lock) {
            DESTROYED => Err(misuse(format!("spin lock {} is used after it was destroyed", self.place_name(lock)))),
            word if word & !OWNER == FREE => Ok(lock),
            _ => Err(misuse(format!("spin lock {} is used, but was never initialised", self.place_name(lock)))),
        }
    }
}
