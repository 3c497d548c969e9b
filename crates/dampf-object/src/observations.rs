//! What can be said of a state: how threads stand, for heuristics, and what holds, for properties of runs.

use crate::expressions::Expression;
use crate::hooks::Visible;
use crate::machine::Machine;
use crate::model::{ObjectModel, ObjectWorker, parts};
use crate::thread::Status;
use dampf_core::{Acceptance, Action, Fault, Footprint, Movers, Observations, Propositions, Standing, Word};

/// Threads, by their slots, with the mutexes and the variables that they hold.
impl Observations for ObjectModel {
    fn observe(worker: &mut ObjectWorker<'_>, state: &[Word], standings: &mut Vec<Standing>) {
        let ObjectWorker { machine, standings: known, .. } = worker;
        standings.clear();
        standings.extend_from_slice(known.of(machine, state));
    }

    fn accesses(worker: &mut ObjectWorker<'_>, state: &[Word], action: Action, footprint: &mut Footprint) {
        worker.footprint(state, action, footprint);
    }

    fn estimate(worker: &mut ObjectWorker<'_>, estimate: usize, state: &[Word]) -> u32 {
        let model = worker.model;
        worker.machine.load(state);
        worker.machine.estimated(&model.estimates[estimate], &model.checks)
    }

    /// Branch instructions of the program's own code, and whether they were taken.
    fn branches(worker: &mut ObjectWorker<'_>, state: &[Word], action: Action, branches: &mut Vec<u64>) {
        let (slot, way) = parts(action);
        worker.branches(state, slot, way, branches);
    }

    /// Threads that stand elsewhere.
    fn location_distance(worker: &mut ObjectWorker<'_>, from: &[Word], to: &[Word]) -> u32 {
        let [mut here, mut there] = [Vec::new(), Vec::new()];
        worker.places_of_threads(from, &mut here);
        worker.places_of_threads(to, &mut there);
        here.iter().zip(&there).filter(|(here, there)| here != there).count() as u32
    }
}

/// Threads, by their slots. What happens to a thread is a step of its, too.
impl Movers for ObjectModel {
    fn mover_count(&self) -> usize {
        self.slots()
    }

    fn movers(&self, _: &[Word], action: Action, visit: &mut dyn FnMut(usize)) {
        visit(parts(action).0 as usize);
    }
}

/// A proposition, with what people call it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposition {
    pub text: String,
    pub expression: Expression,
}

impl Propositions for ObjectModel {
    fn proposition_count(&self) -> usize {
        self.propositions.len()
    }

    fn proposition_name(&self, proposition: usize) -> &str {
        &self.propositions[proposition].text
    }

    fn holds(worker: &mut ObjectWorker<'_>, proposition: usize, state: &[Word]) -> Result<bool, Fault> {
        let model = worker.model;
        let expression = &model.propositions[proposition].expression;
        if matches!(expression, Expression::Waits(slot) if *slot as usize >= model.slots()) {
            return Ok(false);
        }
        worker.machine.load(state);
        Ok(worker.machine.value_of(expression) != 0)
    }
}

impl Acceptance for ObjectModel {}

impl Machine<'_> {
    /// Whether a thread waits for what others have to do, while one of them can move. To wait for the end of another
    /// thread does not count: whether that one ends is its own business.
    pub fn waits_beside_others(&mut self, slot: u32) -> bool {
        if self.process.ended.is_some() || !self.threads[slot as usize].is_alive() || self.waits_for_end(slot) {
            return false;
        }
        let slots = self.threads.alive_slots();
        matches!(self.ways(slot), Ok(0)) && slots.into_iter().any(|other| !matches!(self.ways(other), Ok(0)))
    }

    fn waits_for_end(&self, slot: u32) -> bool {
        let thread = &self.threads[slot as usize];
        let hook = self.system.program.hook(thread.pc);
        thread.status == Status::Running && hook.is_some_and(|hook| matches!(hook.visible, Visible::AsJoin))
    }
}
