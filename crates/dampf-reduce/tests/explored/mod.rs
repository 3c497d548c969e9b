//! The plainest search there is, for comparison: all reachable states, and a run to each fault.

use dampf_core::{Action, Fault, Model, Revise, Successors, Trail, Word, Worker};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub type State = Box<[Word]>;

/// The reachable states, each with the state and step it was reached by, and what was found in them.
pub struct Explored {
    pub states: HashMap<State, Option<(State, Action)>>,
    /// Every fault, with a run to it.
    pub faults: BTreeMap<Fault, Trail>,
    pub refuted: Vec<Revise>,
}

impl Explored {
    /// None for a model with more states than that, or one that is not understood.
    pub fn new<M: Model>(model: &M, states_max: usize) -> Option<Explored> {
        let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
        worker.initial(&mut out);
        let mut open: Vec<State> = (0..out.len()).map(|index| out.state(index).into()).collect();
        let states = open.iter().map(|state| (state.clone(), None)).collect();
        let mut explored = Explored { states, faults: BTreeMap::new(), refuted: Vec::new() };
        while let Some(state) = open.pop() {
            worker.successors(&state, &mut out);
            if let Some(fault) = out.fault_of_state(true) {
                explored.note(&fault, &state, None);
            }
            for (step, fault) in out.faults() {
                explored.note(fault, &state, Some(out.action(*step)));
            }
            explored.refuted.extend(out.refuted().iter().map(|(_, revise)| revise.clone()));
            for index in (0..out.len()).filter(|index| out.leads_on(*index)) {
                if !explored.states.contains_key(out.state(index)) {
                    explored.states.insert(out.state(index).into(), Some((state.clone(), out.action(index))));
                    open.push(out.state(index).into());
                }
            }
            if explored.states.len() > states_max || out.unsupported().is_some() {
                return None;
            }
        }
        Some(explored)
    }

    /// Every fault that was found.
    #[allow(dead_code, reason = "not every test that shares this module asks for faults as a set")]
    pub fn fault_set(&self) -> BTreeSet<&Fault> {
        self.faults.keys().collect()
    }

    fn note(&mut self, fault: &Fault, state: &State, last: Option<Action>) {
        if self.faults.contains_key(fault) {
            return;
        }
        let mut stem: Vec<Action> = last.into_iter().collect();
        let mut at = state;
        while let Some((before, action)) = &self.states[at] {
            stem.push(*action);
            at = before;
        }
        stem.reverse();
        self.faults.insert(fault.clone(), Trail::ending(0, stem));
    }
}
