//! Semaphores: a word that counts.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::{Attempt, DESTROYED, EAGAIN, EINVAL, EOVERFLOW, INITIALISED};
use dampf_rv::machine::Hart;

pub const SEMAPHORE_BYTES: u8 = 32;

/// Where the parts of a semaphore are.
const VALUE: u64 = 0;
const MARK: u64 = 16;

const VALUE_MAX: u32 = i32::MAX as u32;

const A0: usize = 10;
const A1: usize = 11;
const A2: usize = 12;

impl Machine<'_> {
    /// Whether a thread need not wait: it may take, or it is told what is wrong.
    pub fn can_take_from_semaphore(&self, semaphore: u64) -> bool {
        self.memory.peek_word(semaphore + VALUE) > 0 || self.memory.peek_word(semaphore + MARK) != INITIALISED
    }

    pub fn init_semaphore(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let (semaphore, value) = (hart.x[A0], hart.x[A2] as u32);
        if value > VALUE_MAX {
            return Ok(self.fail(hart, EINVAL));
        }
        self.memory.poke(semaphore, &[0; SEMAPHORE_BYTES as usize]);
        self.memory.poke_word(semaphore + VALUE, value);
        self.memory.poke_word(semaphore + MARK, INITIALISED);
        Ok(Next::Return(0))
    }

    pub fn destroy_semaphore(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let semaphore = self.usable_semaphore(hart)?;
        self.memory.poke(semaphore, &[0; SEMAPHORE_BYTES as usize]);
        self.memory.poke_word(semaphore + MARK, DESTROYED);
        Ok(Next::Return(0))
    }

    pub fn take_from_semaphore(&mut self, hart: &Hart, attempt: Attempt) -> Result<Next, RunEnd> {
        let semaphore = self.usable_semaphore(hart)?;
        if self.has_invalid_clock(attempt) || self.has_invalid_time(attempt) {
            return Ok(self.fail(hart, EINVAL));
        }
        match self.memory.peek_word(semaphore + VALUE) {
            0 => Ok(self.fail(hart, if attempt == Attempt::Try { EAGAIN } else { attempt.busy() })),
            value => {
                self.memory.poke_word(semaphore + VALUE, value - 1);
                Ok(Next::Return(0))
            }
        }
    }

    pub fn add_to_semaphore(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let semaphore = self.usable_semaphore(hart)?;
        match self.memory.peek_word(semaphore + VALUE) {
            VALUE_MAX => Ok(self.fail(hart, EOVERFLOW)),
            value => {
                self.memory.poke_word(semaphore + VALUE, value + 1);
                Ok(Next::Return(0))
            }
        }
    }

    pub fn read_semaphore(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let semaphore = self.usable_semaphore(hart)?;
        self.check_writable(hart.x[A1], 4)?;
        self.memory.poke_word(hart.x[A1], self.memory.peek_word(semaphore + VALUE));
        Ok(Next::Return(0))
    }

    /// The semaphore that an operation is about. Zeros are no semaphore.
    fn usable_semaphore(&self, hart: &Hart) -> Result<u64, RunEnd> {
        let semaphore = hart.x[A0];
        self.check_initialised("semaphore", semaphore, self.memory.peek_word(semaphore + MARK))?;
        Ok(semaphore)
    }

    /// An operation fails by the convention of functions that say why in `errno`.
    pub fn fail(&mut self, hart: &Hart, error: u64) -> Next {
        self.set_errno(hart, error);
        Next::Return(u64::MAX)
    }
}
