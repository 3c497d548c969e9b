//! Condition variables.

use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::step::Next;
use crate::sync::{Attempt, DESTROYED, EINVAL, EPERM, ETIMEDOUT, lock_misuse as misuse};
use crate::thread::Status;
use dampf_rv::machine::Hart;

pub const CONDITION_BYTES: u8 = 48;

/// Where a condition variable says that it was destroyed.
const MARK: u64 = 0;

const A0: usize = 10;
const A1: usize = 11;

impl Machine<'_> {
    pub fn init_condition(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        self.check_no_waiter(hart.x[A0], "initialised")?;
        self.memory.poke(hart.x[A0], &[0; CONDITION_BYTES as usize]);
        Ok(Next::Return(0))
    }

    pub fn destroy_condition(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let condition = self.usable_condition(hart)?;
        self.check_no_waiter(condition, "destroyed")?;
        self.memory.poke_word(condition + MARK, DESTROYED);
        Ok(Next::Return(0))
    }

    fn check_no_waiter(&self, condition: u64, treated: &str) -> Result<(), RunEnd> {
        let Some(waiter) = self.threads.waiters(condition).next() else { return Ok(()) };
        let (place, waiter) = (self.place_name(condition), self.thread_name(waiter));
        Err(misuse(format!("condition variable {place} is {treated} while {waiter} waits on it")))
    }

    /// The condition variable that an operation is about, unless it was destroyed.
    fn usable_condition(&self, hart: &Hart) -> Result<u64, RunEnd> {
        let condition = hart.x[A0];
        self.check_not_destroyed("condition variable", condition, self.memory.peek_word(condition + MARK))?;
        Ok(condition)
    }

    pub fn wait_on_condition(&mut self, hart: &Hart, attempt: Attempt) -> Result<Next, RunEnd> {
        let (condition, mutex) = (self.usable_condition(hart)?, hart.x[A1]);
        if self.has_invalid_time(attempt) || self.has_invalid_clock(attempt) {
            return Ok(Next::Return(EINVAL));
        }
        self.is_visible_mutex(mutex)?;
        if self.mutex_owner(mutex) != Some(self.threads.running) {
            if self.refuses_foreign_unlock(mutex) {
                return Ok(Next::Return(EPERM));
            }
            let (me, place) = (self.thread_name(self.threads.running), self.place_name(mutex));
            return Err(misuse(format!(
                "{me} waits on a condition variable with mutex {place}, which it does not hold"
            )));
        }
        let timed = matches!(attempt, Attempt::Timed(_));
        self.release(mutex);
        self.threads.current_mut().status = Status::OnCondition { condition, mutex, timed };
        Ok(Next::Wait)
    }

    /// Wakes one of the threads that wait.
    pub fn signal_condition(&mut self, hart: &Hart, way: u32) -> Result<Next, RunEnd> {
        let condition = self.usable_condition(hart)?;
        let woken = self.threads.waiters(condition).nth(way as usize);
        if let Some(woken) = woken {
            self.wake_from_condition(woken);
        }
        Ok(Next::Return(0))
    }

    pub fn broadcast_condition(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let condition = self.usable_condition(hart)?;
        let woken: Vec<u32> = self.threads.waiters(condition).collect();
        woken.into_iter().for_each(|waiter| self.wake_from_condition(waiter));
        Ok(Next::Return(0))
    }

    fn wake_from_condition(&mut self, slot: u32) {
        let Status::OnCondition { mutex, .. } = self.threads[slot as usize].status else { return };
        self.threads.hart_mut(slot);
        self.threads[slot as usize].status = Status::Reacquiring { mutex, result: 0 };
        self.tell_history(slot);
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
