//! Breadth-first search whose result does not depend on the number of threads.
//!
//! States of a level are kept in a canonical order: by the position of the first state that leads to them, then by the
//! step's index there. That is the order in which a search on one thread finds them, so the way to the
//! first faulty state in it is the shortest, and among the shortest the least in action order.
//!
//! A level is done in two passes. First all threads expand states and *stage* what is not in the store; nothing is
//! added, so what a thread sees does not depend on the others. Then the staged states are sorted, the first way to each
//! is kept, and they are added. The levels are kept with their parents' positions (twelve bytes a state): a trail is
//! then read off directly.
//!
//! A faulty step takes part in the order as if it led to a state of the next level.

use crate::expand::{BATCH, Expander, Explored, Judgement, Sink};
use crate::rebuild::Route;
use crate::traversal::{Discovery, Traversal};
use crate::{Monitor, SearchOptions, StopReason};
use dampf_core::{Action, Fault, Model, Successors, Trail, Word, Worker};
use dampf_store::{Parents, Retrieve, Session, Staged, Staging, StateRef};
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where a state or a faulty step stands: the position of the state it comes from and the step's index.
type Place = (u32, u32);

struct Level {
    states: Vec<StateRef>,
    /// For each state, the position in the level before; empty for the first level.
    parents: Vec<u32>,
}

/// What the threads found in one level.
#[derive(Default)]
struct Harvest {
    staged: Vec<(StateRef, Place)>,
    /// Position, step, fault.
    faults: Vec<(u32, Option<u32>, Fault)>,
    transitions: u64,
    judgement: Judgement,
}

pub(crate) fn search<M: Model, S: Retrieve + Parents + Staging>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Traversal {
    let mut traversal = Traversal::default();
    let (mut first, mut initial) = (Vec::new(), Vec::new());
    let begun = traversal.begin(model, store, (options, monitor), |number, state, _| {
        first.push(state);
        initial.push(number as u64);
    });
    if !begun {
        return traversal;
    }
    let own = Hand::new(model, store, options);
    let mut search = Search {
        crew: Crew { model, store, options, own },
        monitor,
        traversal,
        initial,
        levels: vec![Level { states: first, parents: Vec::new() }],
        places: Vec::new(),
        faulty_steps: Vec::new(),
    };
    while search.explore_level() {}
    search.traversal
}

struct Search<'a, M: Model, S: Staging> {
    crew: Crew<'a, M, S>,
    monitor: &'a Monitor,
    traversal: Traversal,
    /// The numbers of the initial states that are the first level.
    initial: Vec<u64>,
    /// All levels; the last is explored next.
    levels: Vec<Level>,
    /// Where the states of the last level stand; nothing for initial states, which stand by their positions.
    places: Vec<Place>,
    /// Faulty steps of the level before, which stand among the states of the last one.
    faulty_steps: Vec<(Place, Fault)>,
}

impl<M: Model, S: Retrieve + Parents + Staging> Search<'_, M, S> {
    /// Explores the last level and finds the next. False where there is none, or the search ends.
    fn explore_level(&mut self) -> bool {
        let (options, monitor) = (self.crew.options, self.monitor);
        let level = self.levels.last().expect("there is a level");
        if options.max_depth == Some(self.levels.len() as u64 - 1) && !level.states.is_empty() {
            self.traversal.judgement.truncated = true;
            return false;
        }
        self.crew.store.begin_level();
        let Harvest { staged, faults, transitions, judgement } = expand_level(&mut self.crew, &level.states, monitor);
        monitor.add(0, transitions);
        self.traversal.judgement.absorb(judgement);
        if !self.traversal.judgement.refuted.is_empty() {
            // All that the level refutes, whoever met it: what is learnt must not depend on the threads either.
            monitor.stop(StopReason::Refuted);
            return false;
        }
        self.note_faults(faults);
        if monitor.is_stopped() {
            return false;
        }
        let next = first_ways(staged);
        if next.is_empty() && self.faulty_steps.is_empty() {
            monitor.set_frontier(0);
            return false;
        }
        let states = self.publish_level(&next);
        let is_enough = options.max_states.is_some_and(|limit| states >= limit);
        if is_enough {
            monitor.stop(StopReason::StateLimit);
        }
        !is_enough
    }

    /// Notes the faults of the last level's states and of the steps to it in their order; faulty steps that leave it
    /// wait for the next level.
    fn note_faults(&mut self, faults: Vec<(u32, Option<u32>, Fault)>) {
        let mut found = std::mem::take(&mut self.faulty_steps);
        for (position, step, fault) in faults {
            match step {
                Some(step) => self.faulty_steps.push(((position, step), fault)),
                None => found.push((self.places.get(position as usize).copied().unwrap_or((position, 0)), fault)),
            }
        }
        // Stable: a faulty step that leads on comes before the fault of the state it leads to.
        found.sort_by_key(|(place, _)| *place);
        for (place, fault) in found {
            self.monitor.add_fault();
            if self.traversal.wants(&fault) {
                let route = Route::Known(self.way_to(place));
                self.traversal.note(Discovery { fault, route, step: None });
            }
            if !self.crew.options.keep_going {
                self.monitor.stop(StopReason::Fault);
                break;
            }
        }
    }

    /// The run to a state of the last level, or to a faulty step that stands among these.
    fn way_to(&self, place: Place) -> Trail {
        match &self.levels[..self.levels.len() - 1] {
            [] => Trail::ending(self.initial[place.0 as usize], Vec::new()),
            before => {
                let (position, actions) = way_through(self.crew.model, self.crew.store, before, place);
                Trail::ending(self.initial[position as usize], actions)
            }
        }
    }

    /// Adds the next level. Returns the number of states there are now.
    fn publish_level(&mut self, next: &[(StateRef, Place)]) -> u64 {
        let level = self.levels.last().expect("there is a level");
        publish(&mut self.crew, &level.states, next);
        self.monitor.set_frontier(next.len() as u64);
        if !next.is_empty() {
            self.monitor.deepen(self.levels.len() as u64);
        }
        self.places = next.iter().map(|&(_, place)| place).collect();
        self.levels.push(Level {
            states: next.iter().map(|&(state, _)| state).collect(),
            parents: next.iter().map(|&(_, (position, _))| position).collect(),
        });
        self.monitor.add(next.len() as u64, 0)
    }
}

/// The first pass over a level, shared by all threads.
fn expand_level<M: Model, S: Retrieve + Staging>(
    crew: &mut Crew<M, S>,
    states: &[StateRef],
    monitor: &Monitor,
) -> Harvest {
    let next = AtomicUsize::new(0);
    let work = |hand: &mut Hand<M, S>| {
        let mut harvest = Harvest::default();
        loop {
            let from = next.fetch_add(BATCH, Ordering::Relaxed);
            if from >= states.len() || monitor.is_stopped() {
                harvest.judgement = hand.expander.take_judgement();
                return harvest;
            }
            let batch = &states[from..states.len().min(from + BATCH)];
            let mut sink = StagingSink::<S> {
                session: &mut hand.session,
                pending: &mut hand.pending,
                from: from as u32,
                harvest: &mut harvest,
            };
            let Ok(transitions) = hand.expander.expand(batch, &mut sink);
            harvest.transitions += transitions;
        }
    };
    let mut all = Harvest::default();
    for harvest in crew.run(states.len(), &work) {
        all.staged.extend(harvest.staged);
        all.faults.extend(harvest.faults);
        all.transitions += harvest.transitions;
        all.judgement.absorb(harvest.judgement);
    }
    all
}

/// Stages the successors of a level's states: notes those that were not in the store when the level began, with their
/// places.
struct StagingSink<'t, 's, S: Staging + 's> {
    session: &'t mut S::Session<'s>,
    pending: &'t mut Vec<<S::Session<'s> as Session>::Pending>,
    /// The position of the first state of the batch.
    from: u32,
    harvest: &'t mut Harvest,
}

impl<S: Retrieve + Staging> Sink for StagingSink<'_, '_, S> {
    type Source = StateRef;
    type Error = Infallible;

    #[inline]
    fn load(&mut self, _: usize, source: StateRef, words: &mut [Word]) {
        S::load(self.session, source, words);
    }

    #[inline]
    fn prepare(&mut self, _: usize, _: StateRef, _: &[Word], successors: &Successors) -> Result<(), Infallible> {
        self.session.prepare_all(successors, 0..successors.len(), self.pending);
        Ok(())
    }

    fn fault(&mut self, explored: Explored<'_, StateRef>, step: Option<usize>, fault: Fault) {
        let position = self.from + explored.number as u32;
        self.harvest.faults.push((position, step.map(|step| step as u32), fault));
    }

    #[inline]
    fn commit(&mut self, _: &[StateRef], successors: &[Successors]) -> Result<(), Infallible> {
        let mut pending = self.pending.as_slice();
        for (position, successors) in (self.from..).zip(successors) {
            let (steps, rest) = pending.split_at(successors.len());
            pending = rest;
            for (step, &pending) in steps.iter().enumerate() {
                if !successors.leads_on(step) {
                    continue;
                }
                if let Staged::Fresh(state) = S::stage(self.session, pending, successors.state(step)) {
                    self.harvest.staged.push((state, (position, step as u32)));
                }
            }
        }
        self.pending.clear();
        self.session.quiesce();
        Ok(())
    }
}

/// What a thread works with.
struct Hand<'a, M: Model, S: Staging + 'a> {
    expander: Expander<'a, M>,
    session: S::Session<'a>,
    pending: Vec<<S::Session<'a> as Session>::Pending>,
}

impl<'a, M: Model, S: Staging> Hand<'a, M, S> {
    fn new(model: &'a M, store: &'a S, options: &SearchOptions) -> Self {
        Hand { expander: Expander::new(model, options), session: store.session(), pending: Vec::new() }
    }
}

/// The threads of a search. A session is bound to the thread that made it, so a level that is worth sharing
/// gets fresh ones for all threads but the first.
struct Crew<'a, M: Model, S: Staging> {
    model: &'a M,
    store: &'a S,
    options: &'a SearchOptions,
    own: Hand<'a, M, S>,
}

/// Levels smaller than this are not worth waking other threads.
const SHARED_FROM: usize = 16 * BATCH;

impl<'a, M: Model, S: Staging> Crew<'a, M, S> {
    /// Runs `work` on every thread, or on this one alone where `size` is small.
    fn run<R: Send>(&mut self, size: usize, work: &(impl Fn(&mut Hand<'a, M, S>) -> R + Sync)) -> Vec<R> {
        let others = if size < SHARED_FROM { 0 } else { self.options.threads - 1 };
        let (model, store, options) = (self.model, self.store, self.options);
        std::thread::scope(|scope| {
            let spawn = |_| scope.spawn(move || work(&mut Hand::new(model, store, options)));
            let threads: Vec<_> = (0..others).map(spawn).collect();
            let mut results = vec![work(&mut self.own)];
            let join = |thread: std::thread::ScopedJoinHandle<'_, R>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            results.extend(threads.into_iter().map(join));
            results
        })
    }
}

/// The first way to each staged state, in canonical order.
fn first_ways(mut staged: Vec<(StateRef, Place)>) -> Vec<(StateRef, Place)> {
    staged.sort_unstable();
    staged.dedup_by_key(|(state, _)| *state);
    staged.sort_unstable_by_key(|&(_, place)| place);
    staged
}

fn publish<M: Model, S: Staging>(crew: &mut Crew<M, S>, level: &[StateRef], next: &[(StateRef, Place)]) {
    let from = AtomicUsize::new(0);
    const PIECE: usize = 1024;
    let work = |hand: &mut Hand<M, S>| {
        loop {
            let first = from.fetch_add(PIECE, Ordering::Relaxed);
            if first >= next.len() {
                return;
            }
            for &(state, (position, _)) in &next[first..next.len().min(first + PIECE)] {
                S::publish(&mut hand.session, state, Some(level[position as usize]));
            }
        }
    };
    crew.run(next.len(), &work);
}

/// The way through the levels to the step at `place` of the last of them: the position of its initial state, and its
/// labels.
fn way_through<M: Model, S: Retrieve>(model: &M, store: &S, levels: &[Level], place: Place) -> (u32, Vec<Action>) {
    let mut positions = vec![place.0];
    for level in levels.iter().skip(1).rev() {
        let last = *positions.last().expect("begins with one");
        positions.push(level.parents[last as usize]);
    }
    positions.reverse();
    let mut worker = model.worker();
    let mut session = store.session();
    let mut out = Successors::new(model.width());
    let mut load = |depth: usize| {
        let mut words: Vec<Word> = vec![0; model.width()];
        S::load(&mut session, levels[depth].states[positions[depth] as usize], &mut words);
        words
    };
    let mut actions = Vec::new();
    for depth in 0..levels.len() {
        worker.successors(&load(depth), &mut out);
        let step = if depth + 1 < levels.len() {
            let target = load(depth + 1);
            let leads_there = |&step: &usize| out.state(step) == target && out.leads_on(step);
            (0..out.len()).find(leads_there).expect("a state is a successor of its parent")
        } else {
            place.1 as usize
        };
        actions.push(out.action(step));
    }
    (positions[0], actions)
}
