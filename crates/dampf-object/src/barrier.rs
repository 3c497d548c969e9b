//! Barriers.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::thread::Status;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

pub const BARRIER_BYTES: u8 = 32;

/// Where the parts of a barrier are.
const ARRIVED: u64 = 0;
const COUNT: u64 = 8;

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
        self.memory.poke(hart.x[A0], &[0; BARRIER_BYTES as usize]);
        self.memory.poke_word(hart.x[A0] + COUNT, hart.x[A2] as u32);
        Ok(Next::Return(0))
    }

    pub fn destroy_barrier(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let barrier = hart.x[A0];
        if self.threads.iter().any(|thread| waits(thread.status, barrier)) {
            let message = format!("barrier {} is destroyed while threads wait at it", self.place_name(barrier));
            return Err(RunEnd::fault(FaultKind::LockMisuse, message));
        }
        Ok(Next::Return(0))
    }

    /// The running thread arrives, and is the last that the others wait for or waits itself.
    pub fn wait_at_barrier(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let barrier = hart.x[A0];
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
                self.step.fresh.push(slot);
            }
        }
        Ok(Next::Return(SERIAL_THREAD))
    }
}
