//! How processes stand in a state: which are alive, and which of them wait.

use crate::ir::{ProcessId, VariableId};
use crate::layout::{Buffer, Field};
use crate::model::{GclModel, GclWorker};
use dampf_core::{
    Acceptance, Action, Agents, Footprint, Footprints, Model, Movers, Observations, Standing, Successors, Word,
};

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

    /// Makes `transitions` those that a step takes, by their labels.
    pub fn list_transitions(&self, state: &[Word], action: Action, transitions: &mut Vec<u64>) {
        transitions.clear();
        match self.is_composed() {
            true => transitions.extend(self.path(state, action).iter().map(|(_, action)| action.0)),
            false => transitions.push(action.0),
        }
    }

    /// How many transitions all processes together are from where they stand in another state.
    pub fn locations_apart(&self, from: &[Word], to: &[Word]) -> u32 {
        let steps = (0..self.program().processes.len() as u32).map(ProcessId).map(|process| {
            let [from, to] = [from, to].map(|state| self.interpreter().location(process, state));
            self.location_steps(process, from, to)
        });
        steps.fold(0, u32::saturating_add)
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

    fn estimate(worker: &mut GclWorker<'_>, estimate: usize, state: &[Word]) -> u32 {
        worker.model().estimated(estimate, state)
    }

    /// The transitions that a step takes.
    fn branches(worker: &mut GclWorker<'_>, state: &[Word], action: Action, branches: &mut Vec<u64>) {
        worker.model().list_transitions(state, action, branches);
    }

    /// Locations, elements of variables, and channels.
    fn differences(&self, one: &[Word], other: &[Word]) -> u32 {
        let differ = |field: &Field| field.get(one) != field.get(other);
        let locations = self.layout().locations.iter().filter(|field| differ(field)).count();
        let ids = (0..self.program().variables.len() as u32).map(VariableId);
        let elements = ids.flat_map(|id| self.variable_fields(id)).filter(differ).count();
        let channel = |buffer: &&Buffer| {
            let slots = buffer.slots.iter().flat_map(|slots| (0..slots.len).map(|index| slots.element(index)));
            differ(&buffer.length) || slots.into_iter().any(|field| differ(&field))
        };
        let channels = self.layout().channels.iter().flatten().filter(channel).count();
        (locations + elements + channels) as u32
    }

    fn location_distance(worker: &mut GclWorker<'_>, from: &[Word], to: &[Word]) -> u32 {
        worker.model().locations_apart(from, to)
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
impl Agents for GclModel {}

impl Acceptance for GclModel {
    fn is_accepting(&self, state: &[Word]) -> bool {
        self.accepting_processes().iter().any(|&process| {
            let location = self.interpreter().location(process, state);
            self.program().process(process).locations[location.0 as usize].accepting
        })
    }
}
