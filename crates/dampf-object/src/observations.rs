//! Numbers about a state that a heuristic can be made of.

use crate::model::{ObjectModel, parts};
use dampf_core::{Acceptance, Action, Model, Movers, Observations, Propositions, Word};

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

/// Threads, by their slots. What happens to a thread is a step of its, too.
impl Movers for ObjectModel {
    fn mover_count(&self) -> usize {
        self.slots() as usize
    }

    fn movers(&self, _: &[Word], action: Action, visit: &mut dyn FnMut(usize)) {
        visit(parts(action).0 as usize);
    }
}

impl Propositions for ObjectModel {}
impl Acceptance for ObjectModel {}
