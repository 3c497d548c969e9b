//! Semaphores: a word that counts.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::{Attempt, EAGAIN, ETIMEDOUT};
use dampf_rv::machine::Hart;

pub const SEMAPHORE_BYTES: u8 = 32;

const A0: usize = 10;
const A1: usize = 11;
const A2: usize = 12;

impl Machine<'_> {
    pub fn can_take_from_semaphore(&self, semaphore: u64) -> bool {
        self.memory.peek_word(semaphore) > 0
    }

    pub fn init_semaphore(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        self.memory.poke(hart.x[A0], &[0; SEMAPHORE_BYTES as usize]);
        self.memory.poke_word(hart.x[A0], hart.x[A2] as u32);
        Ok(Next::Return(0))
    }

    pub fn take_from_semaphore(&mut self, hart: &Hart, attempt: Attempt) -> Result<Next, RunEnd> {
        let value = self.memory.peek_word(hart.x[A0]);
        if value == 0 {
            self.set_errno(hart, if attempt == Attempt::Timed { ETIMEDOUT } else { EAGAIN });
            return Ok(Next::Return(u64::MAX));
        }
        self.memory.poke_word(hart.x[A0], value - 1);
        Ok(Next::Return(0))
    }

    pub fn add_to_semaphore(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        self.memory.poke_word(hart.x[A0], self.memory.peek_word(hart.x[A0]).wrapping_add(1));
        Ok(Next::Return(0))
    }

    pub fn read_semaphore(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        self.check_writable(hart.x[A1], 4)?;
        self.memory.poke_word(hart.x[A1], self.memory.peek_word(hart.x[A0]));
        Ok(Next::Return(0))
    }
}
