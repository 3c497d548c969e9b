//! Trails from what the store knows about parents.
//!
//! A store names candidates for the parent of a state; the true parent is among them. A candidate counts if
//! the state is among its successors. Where several do, all are tried, so that a wrong turn is only a
//! detour; where the distance is known, only a way of that length is taken, so that breadth-first trails are shortest.

use crate::{Discovery, Way};
use dampf_core::{Action, Model, Successors, Trail, Word, Worker};
use dampf_store::{Inserted, Session, StateRef, Store};
use std::collections::HashSet;

/// The trail to a fault.
pub(crate) fn trail<M: Model, S: Store>(model: &M, store: &S, discovery: &Discovery) -> Trail {
    let mut rebuilder = Rebuilder::<M, S> {
        store,
        worker: model.worker(),
        session: store.session(),
        out: Successors::new(model.width()),
        words: vec![0; model.width()],
        initial: Vec::new(),
    };
    rebuilder.find_initial();
    let (mut trail, last) = match &discovery.way {
        Way::Known(trail) => (trail.clone(), None),
        Way::To { state, distance } => (rebuilder.way_to(*state, *distance), Some(*state)),
        Way::Along(states) => (rebuilder.along(states), states.last().copied()),
    };
    if let (Some(last), Some(step)) = (last, discovery.step) {
        trail.actions.push(rebuilder.action(last, step));
    }
    trail
}

struct Rebuilder<'a, M: Model + 'a, S: Store> {
    store: &'a S,
    worker: M::Worker<'a>,
    session: S::Session<'a>,
    out: Successors,
    words: Vec<Word>,
    initial: Vec<StateRef>,
}

/// A state on a way that is being rebuilt backwards.
struct Link {
    state: StateRef,
    /// The step from this state to the one before it in the list.
    action: Option<Action>,
    /// Predecessors that were not tried yet.
    untried: Vec<(StateRef, Action)>,
}

impl<M: Model, S: Store> Rebuilder<'_, M, S> {
    fn find_initial(&mut self) {
        self.worker.initial(&mut self.out).expect("the search began with these initial states");
        for number in 0..self.out.len() {
            let pending = self.session.prepare(self.out.state(number));
            let (Inserted::New(state) | Inserted::Known(state)) =
                self.session.commit(pending, self.out.state(number), None);
            self.initial.push(state);
        }
    }

    /// Generates the successors of a state into `self.out`.
    fn expand(&mut self, state: StateRef) {
        self.session.load(state, &mut self.words);
        self.worker.successors(&self.words, &mut self.out).expect("the search expanded this state before");
    }

    fn action(&mut self, state: StateRef, step: usize) -> Action {
        self.expand(state);
        self.out.action(step)
    }

    /// The least label of a step from one state to another.
    fn step_to(&mut self, from: StateRef, to: &[Word]) -> Option<Action> {
        self.expand(from);
        let out = &self.out;
        (0..out.len())
            .find(|&index| out.state(index) == to && out.fault(index).is_none())
            .map(|index| out.action(index))
    }

    fn along(&mut self, states: &[StateRef]) -> Trail {
        let mut trail = self.way_to(states[0], None);
        for pair in states.windows(2) {
            let mut target = vec![0; self.words.len()];
            self.session.load(pair[1], &mut target);
            let action = self.step_to(pair[0], &target).expect("states that lie on one another are neighbours");
            trail.actions.push(action);
        }
        trail
    }

    /// A way from an initial state, of the given length if one is given.
    fn way_to(&mut self, target: StateRef, distance: Option<u64>) -> Trail {
        // A state at a length that was seen to lead nowhere needs no second try.
        let mut seen = HashSet::from([(target, 0)]);
        let mut way = vec![Link { state: target, action: None, untried: Vec::new() }];
        if let Some(trail) = self.finished(&way, distance) {
            return trail;
        }
        way[0].untried = self.predecessors(target);
        loop {
            let length = way.len() as u64;
            let link = way.last_mut().expect("the true parents lead to an initial state");
            let Some((state, action)) = link.untried.pop() else {
                way.pop();
                continue;
            };
            // Without a distance any way will do, but it must not run in circles.
            let place = if distance.is_some() { length } else { 0 };
            if distance.is_some_and(|limit| length > limit) || !seen.insert((state, place)) {
                continue;
            }
            way.push(Link { state, action: Some(action), untried: Vec::new() });
            if let Some(trail) = self.finished(&way, distance) {
                return trail;
            }
            let untried = self.predecessors(state);
            way.last_mut().expect("just pushed").untried = untried;
        }
    }

    /// The trail, if the way has arrived at an initial state.
    fn finished(&self, way: &[Link], distance: Option<u64>) -> Option<Trail> {
        let link = way.last()?;
        if distance.is_some_and(|distance| distance + 1 != way.len() as u64) {
            return None;
        }
        let initial = self.initial.iter().position(|&state| state == link.state)? as u64;
        Some(Trail { initial, actions: way.iter().rev().filter_map(|link| link.action).collect() })
    }

    /// The candidates that are predecessors; the first is the last in the list.
    fn predecessors(&mut self, state: StateRef) -> Vec<(StateRef, Action)> {
        let mut target = vec![0; self.words.len()];
        self.session.load(state, &mut target);
        let mut found = Vec::new();
        let store = self.store;
        store.parents(state, &mut |candidate| {
            if let Some(action) = self.step_to(candidate, &target) {
                found.push((candidate, action));
            }
            true
        });
        found.reverse();
        found
    }
}
