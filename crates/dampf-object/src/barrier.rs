//! Barriers.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::{DESTROYED, EINVAL, INITIALISED, lock_misuse as misuse};
use crate::thread::Status;
use dampf_rv::machine::Hart;

pub const BARRIER_BYTES: u8 = 32;

/// Where the parts of a barrier are.
pub const ARRIVED: u64 = 0;
const COUNT: u64 = 8;
const MARK: u64 = 16;

/// More threads than this cannot meet.
const COUNT_MAX: u32 = u32::MAX / 2;

/// What `pthread_barrier_wait` returns to one of the threads.
const SERIAL_THREAD: u64 = -1i64 as u64;

const RA: usize = 1;
const A0: usize = 10;
const A2: usize = 12;

fn waits(status: Status, at: u64) -> bool {
    matches!(status, Status::OnBarrier { barrier } if barrier == at)
}

impl Machine<'_> {
    pub fn init_barrier(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let (barrier, count) = (hart.x[A0], hart.x[A2] as u32);
        if !(1..=COUNT_MAX).contains(&count) {
            return Ok(Next::Return(EINVAL));
        }
        self.check_nobody_waits(barrier, "initialised")?;
        self.memory.poke(barrier, &[0; BARRIER_BYTES as usize]);
        self.memory.poke_word(barrier + COUNT, count);
        self.memory.poke_word(barrier + MARK, INITIALISED);
        Ok(Next::Return(0))
    }

    pub fn destroy_barrier(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let barrier = self.usable_barrier(hart)?;
        self.check_nobody_waits(barrier, "destroyed")?;
        self.memory.poke(barrier, &[0; BARRIER_BYTES as usize]);
        self.memory.poke_word(barrier + MARK, DESTROYED);
        Ok(Next::Return(0))
    }

    fn check_nobody_waits(&self, barrier: u64, treated: &str) -> Result<(), RunEnd> {
        if self.threads.iter().any(|thread| waits(thread.status, barrier)) {
            return Err(misuse(format!("barrier {} is {treated} while threads wait at it", self.place_name(barrier))));
        }
        Ok(())
    }

    /// The barrier that an operation is about. Zeros are no barrier.
    fn usable_barrier(&self, hart: &Hart) -> Result<u64, RunEnd> {
        let barrier = hart.x[A0];
        self.check_initialised("barrier", barrier, self.memory.peek_word(barrier + MARK))?;
        Ok(barrier)
    }

    /// The running thread arrives, and is the last that the others wait for or waits itself.
    pub fn wait_at_barrier(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let barrier = self.usable_barrier(hart)?;
        let arrived = self.memory.peek_word(barrier + ARRIVED) + 1;
        if arrived < self.memory.peek_word(barrier + COUNT) {
            self.memory.poke_word(barrier + ARRIVED, arrived);
            self.threads.current_mut().status = Status::OnBarrier { barrier };
            return Ok(Next::Wait);
        }
        self.memory.poke_word(barrier + ARRIVED, 0);
        for slot in 0..self.slots() as u32 {
            if waits(self.threads[slot as usize].status, barrier) {
                let hart = self.threads.hart_mut(slot);
                hart.x[A0] = 0;
                hart.pc = hart.x[RA];
                self.threads[slot as usize].status = Status::Running;
                if self.has_history() {
                    self.process.change().history.acquire(slot, barrier);
                }
                self.step.fresh.push(slot);
            }
        }
        Ok(Next::Return(SERIAL_THREAD))
    }
}
