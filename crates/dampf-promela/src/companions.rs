//! What a model says about its steps and states for reductions, heuristics and properties, beyond what guarded commands
//! say.
//!
//! Channels are variables here, and processes that come and go are instances that are always there; so objects are
//! those of guarded commands: the location of an instance, `_nr_pr` and the number of channels among the variables, and
//! for a channel its length and the places for its messages.

use crate::model::{PromelaModel, PromelaWorker};
use dampf_core::{
    Acceptance, Action, Agents, Fault, Footprint, Footprints, Interleaving, Interplay, Movers, Object, Observations,
    Propositions, Standing, Symmetry, Word,
};
use dampf_gcl::GclModel;

impl Footprints for PromelaModel {
    fn footprint(&self, state: &[Word], action: Action, footprint: &mut Footprint) {
        self.gcl().footprint(state, action, footprint);
    }

    fn object_name(&self, object: Object) -> String {
        self.gcl().object_name(object)
    }
}

/// Processes are alive while they are there.
impl Observations for PromelaModel {
    fn observe(worker: &mut PromelaWorker<'_>, state: &[Word], standings: &mut Vec<Standing>) {
        let model = worker.model();
        let movable = model.gcl().movable(state);
        standings.clear();
        standings.extend(movable.iter().enumerate().map(|(instance, can_move)| {
            let is_alive = model.is_alive(instance, state);
            Standing { is_alive, is_blocked: is_alive && !can_move, locks: 0 }
        }));
    }

    fn accesses(worker: &mut PromelaWorker<'_>, state: &[Word], action: Action, footprint: &mut Footprint) {
        worker.model().footprint(state, action, footprint);
    }

    fn estimate(worker: &mut PromelaWorker<'_>, estimate: usize, state: &[Word]) -> u32 {
        worker.model().gcl().estimated(estimate, state)
    }

    fn branches(worker: &mut PromelaWorker<'_>, state: &[Word], action: Action, branches: &mut Vec<u64>) {
        worker.model().gcl().list_transitions(state, action, branches);
    }

    fn differences(&self, one: &[Word], other: &[Word]) -> u32 {
        self.gcl().differences(one, other)
    }

    fn location_distance(worker: &mut PromelaWorker<'_>, from: &[Word], to: &[Word]) -> u32 {
        worker.model().gcl().locations_apart(from, to)
    }
}

/// A state in which some process is at a label that begins with `accept`.
impl Agents for PromelaModel {}

impl Acceptance for PromelaModel {
    fn is_accepting(&self, state: &[Word]) -> bool {
        self.gcl().is_accepting(state)
    }
}

/// Processes that are there or may be, by their instances. As in `pan -f`, who moves is whoever executes a statement:
/// of a rendezvous the sender, not the receiver, who for SPIN cannot move by itself, and of `run` the parent. Of what
/// is done in a row within `atomic`, all who execute a part.
///
/// `pan -f` misses runs that are fair in two cases: where `provided` or a priority keeps a process from moving, since
/// it does not see that in steps of processes with greater numbers; and where all processes are stuck, since it looks
/// at the claim's accepting places in the first of its moves there only.
impl Movers for PromelaModel {
    fn mover_count(&self) -> usize {
        self.gcl().mover_count()
    }

    fn movers(&self, state: &[Word], action: Action, visit: &mut dyn FnMut(usize)) {
        let mut mover = |action: Action| visit(self.gcl().actions()[action.front_end() as usize].process.0 as usize);
        match self.gcl().program().has_compound_steps {
            false => mover(action),
            true => self.gcl().path(state, action).into_iter().for_each(|(_, action)| mover(action)),
        }
    }
}

impl Propositions for PromelaModel {
    fn proposition_count(&self) -> usize {
        self.gcl().proposition_count()
    }

    fn proposition_name(&self, proposition: usize) -> &str {
        self.gcl().proposition_name(proposition)
    }

    fn holds(worker: &mut PromelaWorker<'_>, proposition: usize, state: &[Word]) -> Result<bool, Fault> {
        GclModel::holds(worker.gcl_mut(), proposition, state)
    }

    fn holding(&self, state: &[Word]) -> Option<u64> {
        self.gcl().holding(state)
    }

    /// SPIN's `np_` is false for a claim that moves alone.
    fn is_of_steps(&self, proposition: usize) -> bool {
        self.is_non_progress(proposition)
    }
}

impl Symmetry for PromelaModel {
    fn is_symmetric(&self) -> bool {
        self.gcl().is_symmetric()
    }

    fn canonicalise(&self, state: &mut [Word]) {
        self.gcl().canonicalise(state);
    }
}

impl Interleaving for PromelaModel {
    fn interplay(&self) -> Option<Interplay> {
        self.gcl().interplay()
    }

    fn process_location(&self, process: usize, state: &[Word]) -> u32 {
        self.gcl().process_location(process, state)
    }

    fn control_bits(&self, values: &[u32]) -> Option<Vec<Word>> {
        self.gcl().control_bits(values)
    }

    fn is_urgent(&self, state: &[Word]) -> bool {
        self.gcl().is_urgent(state)
    }

    fn is_guard_false(&self, guard: u32, state: &[Word]) -> bool {
        self.gcl().is_guard_false(guard, state)
    }

    fn value(&self, value: u32, state: &[Word]) -> i32 {
        self.gcl().value(value, state)
    }

    fn begun_by(worker: &PromelaWorker<'_>, state: &[Word], step: usize, label: Action) -> u32 {
        worker.gcl().begun_by(state, step, label)
    }
}
