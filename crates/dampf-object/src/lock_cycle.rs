//! Threads that wait for each other for ever, while others go on.
//!
//! A thread that waits for a lock waits for the one thread that holds it, and one that joins another for that one to
//! end. Where such waits form a circle, none of its threads will ever move again, whatever the others do: a deadlock,
//! though the program has not stopped. So is a wait for a lock whose holder has ended.

use crate::hooks::Ways;
use crate::machine::Machine;
use crate::thread::Status;
use dampf_core::{Fault, FaultKind};

/// More threads of a circle are counted, not named.
const NAMED_MAX: usize = 4;

const A0: usize = 10;

/// Why a thread will never move again.
enum Stuck {
    /// It is one of a circle.
    InCircle(u32),
    /// It waits for one that has ended.
    ForEnded(u32),
}

impl Machine<'_> {
    /// The threads of this state that will never move again, if there are some that wait in such a way.
    pub fn stuck_threads(&mut self) -> Option<Fault> {
        let mut passed = std::mem::take(&mut self.scratch.passed);
        let stuck = self.find_stuck(&mut passed);
        self.scratch.passed = passed;
        let message = match stuck? {
            Stuck::InCircle(within) => self.told_cycle(within),
            Stuck::ForEnded(slot) => self.told_ended(slot)?,
        };
        Some(Fault { kind: FaultKind::Deadlock, message, location: None })
    }

    /// A thread that is stuck. Every thread waits for one at most, so no thread is passed twice but by the way that
    /// closes the circle.
    fn find_stuck(&self, passed: &mut Vec<u32>) -> Option<Stuck> {
        const NEVER: u32 = u32::MAX;
        passed.clear();
        passed.resize(self.slots(), NEVER);
        for start in 0..self.slots() as u32 {
            let mut slot = start;
            while passed[slot as usize] == NEVER {
                passed[slot as usize] = start;
                let Some(next) = self.waits_for(slot) else { break };
                if !self.threads[next as usize].is_alive() {
                    return Some(Stuck::ForEnded(slot));
                }
                if passed[next as usize] == start {
                    return Some(Stuck::InCircle(next));
                }
                slot = next;
            }
        }
        None
    }

    /// The one thread that a thread waits for without which it cannot go on.
    fn waits_for(&self, slot: u32) -> Option<u32> {
        let thread = &self.threads[slot as usize];
        if self.is_about_to_be_interrupted(slot) {
            return None;
        }
        match thread.status {
            Status::Reacquiring { mutex, .. } => self.mutex_owner(mutex).filter(|_| !self.can_lock(mutex, slot)),
            Status::Running => match self.system.program.hook(thread.pc)?.ways {
                Ways::Waits(wait) => (wait.on_thread)(self, self.threads.register(slot, A0), slot),
                Ways::One | Ways::Values(_) | Ways::MayFail | Ways::Outcomes(_) => None,
            },
            _ => None,
        }
    }

    fn told_cycle(&self, within: u32) -> String {
        let mut cycle = vec![within];
        while let Some(next) = cycle.last().and_then(|&slot| self.waits_for(slot)).filter(|&next| next != within) {
            cycle.push(next);
        }
        cycle.sort_unstable();
        let others = cycle.len().saturating_sub(NAMED_MAX);
        let mut names: Vec<String> = cycle.iter().take(NAMED_MAX).map(|&slot| self.thread_name(slot)).collect();
        if others > 0 {
            names.push(format!("{others} more"));
        }
        match names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last} wait for each other", first.join(", ")),
            _ => format!("{} waits for itself", names.concat()),
        }
    }

    fn told_ended(&self, slot: u32) -> Option<String> {
        let lock = match self.threads[slot as usize].status {
            Status::Reacquiring { mutex, .. } => mutex,
            _ => self.threads.register(slot, A0),
        };
        let (waiting, ended) = (self.thread_name(slot), self.thread_name(self.waits_for(slot)?));
        Some(format!("{waiting} waits for {}, which {ended} held when it ended", self.place_name(lock)))
    }
}
