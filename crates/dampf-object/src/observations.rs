//! Numbers about a state that a heuristic can be made of.

use crate::model::ObjectModel;
use dampf_core::{Model, Observations, Word};

impl Observations for ObjectModel {
    /// Threads that are alive; those of them that have to wait; locks and variables that are held.
    fn observations(&self) -> &[&'static str] {
        &["alive", "blocked", "locks-held"]
    }

    fn observe(&self, state: &[Word], values: &mut Vec<i64>) {
        let mut worker = self.worker();
        let machine = &mut worker.machine;
        machine.load(state);
        let alive = machine.threads.alive_slots();
        let blocked = alive.iter().filter(|&&slot| matches!(machine.ways(slot), Ok(0))).count();
        let held: usize = machine.threads.iter().map(|thread| usize::from(thread.held)).sum();
        values.extend([alive.len(), blocked, held + machine.locked.len()].map(|count| count as i64));
    }
}
