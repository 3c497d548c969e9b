//! How processes stand in a state: which are alive, and which of them wait.

use crate::ir::ProcessId;
use crate::model::{GclModel, GclWorker};
use dampf_core::{Acceptance, Action, Footprint, Footprints, Model, Movers, Observations, Standing, Successors, Word};

impl GclModel {
    /// For each process, whether a step of the state moves it.
    pub fn movable(&self, state: &[Word]) -> Vec<bool> {
        let mut steps = Successors::new(self.width());
        self.single_steps(state, &mut steps);
        if let (true, Some(timeout)) = (steps.is_empty(), self.timeout()) {
            let mut waiting = state.to_vec();
            timeout.set(&mut waiting, 1);
            self.single_steps(&waiting, &mut steps);
        }
        let mut movable = vec![false; self.program().processes.len()];
        for action in steps.actions() {
            self.moved_by(*action).for_each(|process| movable[process.0 as usize] = true);
        }
        movable
    }

    /// The processes that a single step moves.
    fn moved_by(&self, action: Action) -> impl Iterator<Item = ProcessId> {
        let source = self.actions()[action.front_end() as usize];
        let joint = self.program().process(source.process).transitions[source.transition].joint;
        let moved = [Some(source.process), source.partner.map(|partner| partner.0), joint.map(|one| one.process)];
        moved.into_iter().flatten()
    }

    /// Whether a process has ended: no transition leads on from where it is, its own or one that takes it along.
    fn has_ended(&self, process: ProcessId, state: &[Word]) -> bool {
        let location = self.interpreter().location(process, state);
        let program = self.program();
        let leaves = program.process(process).transitions.iter().any(|transition| transition.source == location);
        let taken_along = || {
            let joints = program.processes.iter().flat_map(|other| &other.transitions);
            joints.filter_map(|one| one.joint).any(|joint| joint.process == process && joint.source == location)
        };
        !leaves && !taken_along()
    }
}

/// Processes are alive until they have ended, and blocked where they cannot move, a faulty step being a move. There are
/// no locks.
impl Observations for GclModel {
    fn observe(worker: &mut GclWorker<'_>, state: &[Word], standings: &mut Vec<Standing>) {
        let model = worker.model();
        let movable = model.movable(state);
        standings.clear();
        standings.extend(movable.iter().enumerate().map(|(process, can_move)| {
            let is_alive = !model.has_ended(ProcessId(process as u32), state);
            Standing { is_alive, is_blocked: is_alive && !can_move, locks: 0 }
        }));
    }

    fn accesses(worker: &mut GclWorker<'_>, state: &[Word], action: Action, footprint: &mut Footprint) {
        worker.model().footprint(state, action, footprint);
    }
}

/// Processes, each of which takes part in a step that contains a single step of it.
impl Movers for GclModel {
    fn mover_count(&self) -> usize {
        self.program().processes.len()
    }

    fn movers(&self, state: &[Word], action: Action, visit: &mut dyn FnMut(usize)) {
        match self.program().has_compound_steps {
            false => self.moved_by(action).for_each(|process| visit(process.0 as usize)),
            true => {
                for (_, action) in self.path(state, action) {
                    self.moved_by(action).for_each(|process| visit(process.0 as usize));
                }
            }
        }
    }
}

/// A state in which some process is in an accepting location. The property automaton of a program is none of its
/// processes.
impl Acceptance for GclModel {
    fn is_accepting(&self, state: &[Word]) -> bool {
        self.accepting_processes().iter().any(|&process| {
            let location = self.interpreter().location(process, state);
            self.program().process(process).locations[location.0 as usize].accepting
        })
    }
}
