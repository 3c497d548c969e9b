//! The states near the initial ones, with the ways to them: where a trail is rebuilt backwards, it is complete as soon
//! as it meets one of these.

use dampf_core::{Action, Model, Successors, Trail, Word, Worker};
use std::collections::HashMap;

/// How many states are remembered, and how many words of them at most.
const KNOWN_MAX: usize = 500_000;
const KNOWN_WORDS_MAX: usize = 1 << 25;

/// The states near the initial ones, with the ways to them.
pub(crate) struct NearStates {
    /// The number of each state.
    numbers: HashMap<Vec<Word>, usize>,
    /// For each, its parent and the step from it (for an initial state, itself and its number), and its distance.
    origins: Vec<(usize, Action, u64)>,
}

impl NearStates {
    /// Searches from the initial states, on this rank alone.
    pub fn of<M: Model>(model: &M) -> NearStates {
        let mut worker = model.worker();
        let mut out = Successors::new(model.width());
        let mut near = NearStates { numbers: HashMap::new(), origins: Vec::new() };
        let mut states: Vec<Vec<Word>> = Vec::new();
        worker.initial(&mut out);
        for number in (0..out.len()).filter(|&number| out.leads_on(number)) {
            let origin = (states.len(), Action(number as u64), 0);
            near.add(&mut states, out.state(number), origin);
        }
        let mut at = 0;
        let most = KNOWN_MAX.min(KNOWN_WORDS_MAX / model.width().max(1));
        while at < states.len() && states.len() < most {
            worker.successors(&states[at], &mut out);
            let distance = near.origins[at].2 + 1;
            for step in (0..out.len()).filter(|&step| out.leads_on(step)) {
                near.add(&mut states, out.state(step), (at, out.action(step), distance));
            }
            at += 1;
        }
        near
    }

    fn add(&mut self, states: &mut Vec<Vec<Word>>, state: &[Word], origin: (usize, Action, u64)) {
        if !self.numbers.contains_key(state) {
            self.numbers.insert(state.to_vec(), states.len());
            states.push(state.to_vec());
            self.origins.push(origin);
        }
    }

    /// The way to a state, of the given length if one is given.
    pub fn trail_to(&self, state: &[Word], distance: Option<u64>) -> Option<Trail> {
        let mut number = *self.numbers.get(state)?;
        if distance.is_some_and(|distance| distance != self.origins[number].2) {
            return None;
        }
        let mut actions = Vec::new();
        loop {
            let (parent, action, distance) = self.origins[number];
            if distance == 0 {
                actions.reverse();
                return Some(Trail::ending(action.0, actions));
            }
            actions.push(action);
            number = parent;
        }
    }
}
