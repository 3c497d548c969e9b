//! Trails from what the store knows about parents.
//!
//! A store names candidates for the parent of a state; the true parent is among them. A candidate counts if
//! the state is among its successors. Where several do, all are tried, so that a wrong turn is only a
//! detour; where the distance is known, only a way of that length is taken, so that breadth-first trails are shortest.
//!
//! The first states of a search have the vaguest parents (the store was small when they came) and deep graphs
//! have long ways of them. Where trying candidates takes long ([`TRIED_MAX`]), the search is therefore begun anew, with
//! whole parents in memory, up to [`KNOWN_MAX`] states; a way backwards is complete as soon as it meets one of these.

use dampf_core::{Action, Model, Successors, Trail, Word, Worker};
use dampf_store::{Inserted, Parents, Retrieve, Session, StateRef, Store};
use std::collections::{HashMap, HashSet, VecDeque};

/// How many states of the beginning are remembered with their parents.
const KNOWN_MAX: usize = 2_000_000;
/// After so many candidates the beginning is worth remembering.
const TRIED_MAX: u64 = 3_000_000;

/// What a search knows about how it came to a state.
#[derive(Clone, Debug)]
pub(crate) enum Route {
    /// The state; its ancestors are in the store's parent information. With its distance, where that is the least there
    /// is.
    ByParents { state: StateRef, distance: Option<u64> },
    /// Consecutive states that end in the state; how to reach the first is in the store.
    Along(Vec<StateRef>),
    /// The whole run.
    Known(Trail),
}

impl Route {
    /// The state it ends in, where that is not the end of a run.
    fn end(&self) -> Option<StateRef> {
        match self {
            Route::ByParents { state, .. } => Some(*state),
            Route::Along(states) => states.last().copied(),
            Route::Known(_) => None,
        }
    }
}

/// The trail along a route, and along one more step of its last state where one is given. Candidates that the search
/// has not expanded may refute what the model assumes; such steps lead nowhere, and the trail is a run all the same.
pub(crate) fn trail<M: Model, S: Retrieve + Parents>(
    model: &M,
    store: &S,
    route: &Route,
    step: Option<usize>,
) -> Trail {
    let mut rebuilder = Rebuilder::<M, S> {
        store,
        worker: model.worker(),
        session: store.session(),
        out: Successors::new(model.width()),
        words: vec![0; model.width()],
        initial: Vec::new(),
        known: HashMap::new(),
        tried: 0,
        is_begun_anew: false,
    };
    rebuilder.find_initial();
    let mut trail = match route {
        Route::Known(trail) => trail.clone(),
        Route::ByParents { state, distance } => rebuilder.way_to(*state, *distance),
        Route::Along(states) => rebuilder.along(states),
    };
    if let (Some(last), Some(step)) = (route.end(), step) {
        trail.stem.push(rebuilder.action(last, step));
    }
    trail
}

/// The same where the whole run is known but for its last step.
pub(crate) fn trail_of_actions<M: Model>(model: &M, route: &Route, step: Option<usize>) -> Trail {
    let Route::Known(trail) = route else { unreachable!("a search that carries states knows how it came to them") };
    let mut trail = trail.clone();
    let Some(step) = step else { return trail };
    let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
    worker.initial(&mut out);
    let mut state = out.state(trail.initial as usize).to_vec();
    for &action in &trail.stem {
        worker.successors(&state, &mut out);
        let index = out.actions().iter().position(|&other| other == action);
        state.copy_from_slice(out.state(index.expect("the step was taken from this state before")));
    }
    worker.successors(&state, &mut out);
    trail.stem.push(out.action(step));
    trail
}

struct Rebuilder<'a, M: Model + 'a, S: Store> {
    store: &'a S,
    worker: M::Worker<'a>,
    session: S::Session<'a>,
    out: Successors,
    words: Vec<Word>,
    initial: Vec<StateRef>,
    /// States near the initial ones: their parents, and their distance.
    known: HashMap<StateRef, (StateRef, u64)>,
    tried: u64,
    is_begun_anew: bool,
}

/// A state on a way that is being rebuilt backwards.
struct Link {
    state: StateRef,
    /// Predecessors that were not tried yet; none while they are not looked for.
    untried: Option<Vec<StateRef>>,
}

impl<M: Model, S: Retrieve + Parents> Rebuilder<'_, M, S> {
    fn find_initial(&mut self) {
        self.worker.initial(&mut self.out);
        for number in 0..self.out.len() {
            let pending = self.session.prepare(self.out.state(number));
            let (Inserted::New(state) | Inserted::Known(state)) =
                self.session.commit(pending, self.out.state(number), None);
            self.initial.push(state);
            self.known.insert(state, (state, 0));
        }
    }

    /// Generates the successors of a state into `self.out`.
    fn expand(&mut self, state: StateRef) {
        S::load(&mut self.session, state, &mut self.words);
        self.worker.successors(&self.words, &mut self.out);
    }

    fn action(&mut self, state: StateRef, step: usize) -> Action {
        self.expand(state);
        self.out.action(step)
    }

    /// The least label of a step from one state to another.
    fn step_to(&mut self, from: StateRef, to: &[Word]) -> Option<Action> {
        self.expand(from);
        let out = &self.out;
        (0..out.len()).find(|&index| out.state(index) == to && out.leads_on(index)).map(|index| out.action(index))
    }

    fn along(&mut self, states: &[StateRef]) -> Trail {
        let mut trail = self.way_to(states[0], None);
        trail.stem.extend(self.steps_along(states));
        trail
    }

    /// The labels of the steps from each state to the next.
    fn steps_along(&mut self, states: &[StateRef]) -> Vec<Action> {
        let mut target = vec![0; self.words.len()];
        let step = |pair: &[StateRef]| {
            S::load(&mut self.session, pair[1], &mut target);
            self.step_to(pair[0], &target).expect("the states of a way are neighbours")
        };
        states.windows(2).map(step).collect()
    }

    /// Searches from the initial states until the target or enough states are known.
    fn find_known(&mut self, target: StateRef) {
        self.is_begun_anew = true;
        let mut queue: VecDeque<StateRef> = self.initial.iter().copied().collect();
        while let Some(state) = queue.pop_front() {
            if self.known.contains_key(&target) || self.known.len() >= KNOWN_MAX {
                return;
            }
            let distance = self.known[&state].1 + 1;
            self.expand(state);
            for index in (0..self.out.len()).filter(|&index| self.out.leads_on(index)) {
                let pending = self.session.prepare(self.out.state(index));
                let (Inserted::New(next) | Inserted::Known(next)) =
                    self.session.commit(pending, self.out.state(index), Some(state));
                self.known.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    (state, distance)
                });
            }
        }
    }

    /// A way from an initial state, of the given length if one is given.
    fn way_to(&mut self, target: StateRef, distance: Option<u64>) -> Trail {
        // A state at a length that was seen to lead nowhere needs no second try.
        let mut seen = HashSet::from([(target, 0)]);
        let mut way = vec![Link { state: target, untried: None }];
        loop {
            if self.tried > TRIED_MAX && !self.is_begun_anew {
                self.find_known(target);
                // With more states known, a shorter part has to be found: from the end again.
                seen = HashSet::from([(target, 0)]);
                way = vec![Link { state: target, untried: None }];
            }
            let length = way.len() as u64;
            let link = way.last_mut().expect("the true parents lead to an initial state");
            if link.untried.is_none() {
                let remaining = distance.map(|distance| distance + 1 - length);
                let known = self.known.get(&link.state);
                if known.is_some_and(|&(_, known)| remaining.is_none_or(|remaining| known == remaining)) {
                    return self.joined(&way);
                }
                let state = link.state;
                let untried = if remaining == Some(0) { Vec::new() } else { self.predecessors(state) };
                way.last_mut().expect("it was there before").untried = Some(untried);
                continue;
            }
            let Some(state) = link.untried.as_mut().and_then(Vec::pop) else {
                way.pop();
                continue;
            };
            // Without a distance any way will do, but it must not run in circles.
            let place = if distance.is_some() { length } else { 0 };
            if seen.insert((state, place)) {
                way.push(Link { state, untried: None });
            }
        }
    }

    /// The trail along a backward way whose last state is a known one.
    fn joined(&mut self, way: &[Link]) -> Trail {
        let mut states: Vec<StateRef> = way.iter().map(|link| link.state).collect();
        loop {
            let state = *states.last().expect("a way has a state");
            let (parent, distance) = self.known[&state];
            if distance == 0 {
                break;
            }
            states.push(parent);
        }
        states.reverse();
        let initial = self.initial.iter().position(|&state| state == states[0]);
        let initial = initial.expect("what is at distance 0 is initial") as u64;
        Trail::ending(initial, self.steps_along(&states))
    }

    /// The candidates that are predecessors; the first is the last in the list.
    fn predecessors(&mut self, state: StateRef) -> Vec<StateRef> {
        let mut target = vec![0; self.words.len()];
        S::load(&mut self.session, state, &mut target);
        let mut found = Vec::new();
        let store = self.store;
        store.parents(state, &mut |candidate| {
            self.tried += 1;
            if self.step_to(candidate, &target).is_some() {
                found.push(candidate);
            }
            true
        });
        found.reverse();
        found
    }
}
