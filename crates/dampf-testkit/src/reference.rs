//! The naive checker.

use dampf_core::{Action, Fault, FaultSelection, Model, Successors, Trail, Word, Worker};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// What there is to know about a model's state graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    pub states: u64,
    pub transitions: u64,
    /// The greatest distance of a state from the initial states.
    pub depth: u64,
    /// Every different fault.
    pub faults: BTreeSet<Fault>,
    /// The shortest trail to a fault, and among the shortest the least in action order, with its fault.
    pub first: Option<(Trail, Fault)>,
}

/// Explores everything, one state after the other, with whole states as keys.
pub fn reference<M: Model>(model: &M, deadlocks: bool) -> Expected {
    reference_selected(model, deadlocks, &FaultSelection::default())
}

/// The same where not all faults count.
pub fn reference_selected<M: Model>(model: &M, deadlocks: bool, selection: &FaultSelection) -> Expected {
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    let mut trails: HashMap<Vec<Word>, Trail> = HashMap::new();
    let mut queue = VecDeque::new();
    let mut expected = Expected { states: 0, transitions: 0, depth: 0, faults: BTreeSet::new(), first: None };
    worker.initial(&mut out);
    for number in 0..out.len() {
        let trail = Trail::ending(number as u64, Vec::new());
        discover(out.state(number), trail, &mut trails, &mut queue);
    }
    // States are dequeued in the order of their trails: by length, then by action order.
    while let Some(state) = queue.pop_front() {
        worker.successors(&state, &mut out);
        let trail = trails[&state].clone();
        expected.depth = expected.depth.max(trail.stem.len() as u64);
        expected.transitions += out.len() as u64;
        let is_stuck = out.is_empty() && !out.valid_end();
        let of_state = out.state_fault().cloned().filter(|fault| selection.counts(fault));
        if let Some(fault) = of_state.or_else(|| (deadlocks && is_stuck).then(Fault::deadlock)) {
            expected.note(trail.clone(), fault);
        }
        for index in 0..out.len() {
            let next = extend(&trail, out.action(index));
            if let Some(fault) = out.fault(index).filter(|fault| selection.counts(fault)) {
                expected.note(next.clone(), fault.clone());
            }
            if out.leads_on(index) {
                discover(out.state(index), next, &mut trails, &mut queue);
            }
        }
    }
    expected.states = trails.len() as u64;
    expected
}

fn extend(trail: &Trail, action: Action) -> Trail {
    let mut next = trail.clone();
    next.stem.push(action);
    next
}

fn discover(state: &[Word], trail: Trail, trails: &mut HashMap<Vec<Word>, Trail>, queue: &mut VecDeque<Vec<Word>>) {
    if !trails.contains_key(state) {
        trails.insert(state.to_vec(), trail);
        queue.push_back(state.to_vec());
    }
}

impl Expected {
    fn note(&mut self, trail: Trail, fault: Fault) {
        let rank = |trail: &Trail| (trail.stem.len(), trail.initial, trail.stem.clone());
        if self.first.as_ref().is_none_or(|(first, _)| rank(&trail) < rank(first)) {
            self.first = Some((trail, fault.clone()));
        }
        self.faults.insert(fault);
    }
}
