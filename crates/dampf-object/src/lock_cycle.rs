//! Threads that wait for each other for ever, while others go on.
//!
//! A thread that waits for a lock waits for the one thread that holds it, and one that joins another for that one to end. Where such waits
//! form a circle, none of its threads will ever move again, whatever the others do: a deadlock, though the program has not stopped.

use crate::hooks::Hook;
use crate::machine::Machine;
use crate::thread::Status;
use dampf_core::{Fault, FaultKind};

impl Machine<'_> {
    /// The circle that this state has, if it has one.
    pub fn lock_cycle(&self) -> Option<Fault> {
        let slots = self.slots() as u32;
        (0..slots).find_map(|start| self.cycle_from(start)).map(|cycle| self.told_cycle(&cycle))
    }

    /// The threads that a thread waits for, each for the next, if they lead back to it.
    fn cycle_from(&self, start: u32) -> Option<Vec<u32>> {
        let mut cycle = vec![start];
        loop {
            let next = self.waits_for(*cycle.last()?)?;
            if next == start {
                return Some(cycle);
            }
            // A circle that the thread is not in is found from another one.
            if cycle.contains(&next) {
                return None;
            }
            cycle.push(next);
        }
    }

    /// The one thread that a thread waits for without which it cannot go on.
    fn waits_for(&self, slot: u32) -> Option<u32> {
        let thread = &self.threads[slot as usize];
        let mutex_held = |mutex: u64| self.mutex_owner(mutex).filter(|_| !self.can_lock(mutex, slot));
        match thread.status {
            Status::Reacquiring { mutex, .. } => mutex_held(mutex),
            Status::Running => {
                let object = || self.register(slot, 10);
                match self.system.program.hook(thread.pc)? {
                    Hook::MutexLock => mutex_held(object()),
                    Hook::SpinLock => self.spin_owner(object()),
                    Hook::ReadLock | Hook::WriteLock => self.rwlock_writer(object()),
                    Hook::ThreadJoin | Hook::ThreadJoinC11 if !self.can_join(object()) => self.slot_of_handle(object()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn told_cycle(&self, cycle: &[u32]) -> Fault {
        let names: Vec<String> = cycle.iter().map(|&slot| self.thread_name(slot)).collect();
        let message = match names.as_slice() {
            [one] => format!("{one} waits for itself"),
            [first @ .., last] => format!("{} and {last} wait for each other", first.join(", ")),
            [] => unreachable!("a circle has a thread"),
        };
        Fault { kind: FaultKind::Deadlock, message, location: None }
    }
}
