//! Condition variables.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::ETIMEDOUT;
use crate::thread::Status;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

pub const CONDITION_BYTES: u8 = 48;

const A0: usize = 10;
const A1: usize = 11;

impl Machine<'_> {
    pub fn init_condition(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        self.memory.poke(hart.x[A0], &[0; CONDITION_BYTES as usize]);
        Ok(Next::Return(0))
    }

    pub fn destroy_condition(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let condition = hart.x[A0];
        let Some(waiter) = self.threads.waiters(condition).next() else { return Ok(Next::Return(0)) };
        let (place, waiter) = (self.place_name(condition), self.thread_name(waiter));
        let message = format!("condition variable {place} is destroyed while {waiter} waits on it");
        Err(RunEnd::fault(FaultKind::LockMisuse, message))
    }

    pub fn wait_on_condition(&mut self, hart: &Hart, timed: bool) -> Result<Next, RunEnd> {
        let (condition, mutex) = (hart.x[A0], hart.x[A1]);
        self.is_visible_mutex(mutex)?;
        if self.mutex_owner(mutex) != Some(self.threads.running) {
            let (me, place) = (self.thread_name(self.threads.running), self.place_name(mutex));
            let message = format!("{me} waits on a condition variable with mutex {place}, which it does not hold");
            return Err(RunEnd::fault(FaultKind::LockMisuse, message));
        }
        self.release(mutex);
        self.threads.current_mut().status = Status::OnCondition { condition, mutex, timed };
        Ok(Next::Wait)
    }

    /// Wakes one of the threads that wait.
    pub fn signal_condition(&mut self, hart: &Hart, way: u32) -> Result<Next, RunEnd> {
        let woken = self.threads.waiters(hart.x[A0]).nth(way as usize);
        if let Some(woken) = woken {
            self.wake_from_condition(woken);
        }
        Ok(Next::Return(0))
    }

    pub fn broadcast_condition(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let woken: Vec<u32> = self.threads.waiters(hart.x[A0]).collect();
        woken.into_iter().for_each(|waiter| self.wake_from_condition(waiter));
        Ok(Next::Return(0))
    }

    fn wake_from_condition(&mut self, slot: u32) {
        let Status::OnCondition { mutex, .. } = self.threads[slot as usize].status else { return };
        self.threads.hart_mut(slot);
        self.threads[slot as usize].status = Status::Reacquiring { mutex, result: 0 };
    }

    /// A wait of the running thread on a condition variable ends by itself.
    pub fn time_out(&mut self, result_if_timed: bool) {
        if let Status::OnCondition { mutex, timed, .. } = self.threads.current().status {
            let result = if timed && result_if_timed { ETIMEDOUT as u32 } else { 0 };
            self.threads.current_mut().status = Status::Reacquiring { mutex, result };
        }
    }

    pub fn told_condition_wait(&self, hart: &Hart) -> String {
        format!("waits on {}, unlocks {}", self.place_name(hart.x[A0]), self.place_name(hart.x[A1]))
    }

    pub fn told_signal(&self, hart: &Hart, way: u32) -> String {
        let place = self.place_name(hart.x[A0]);
        match self.threads.waiters(hart.x[A0]).nth(way as usize) {
            Some(woken) => format!("signals {place}, wakes {}", self.thread_name(woken)),
            None => format!("signals {place}, nobody waits"),
        }
    }

    pub fn told_broadcast(&self, hart: &Hart) -> String {
        format!("wakes all {} that wait on {}", self.threads.waiter_count(hart.x[A0]), self.place_name(hart.x[A0]))
    }
}
