//! Breadth-first search whose result does not depend on the number of threads.
//!
//! States of a level are kept in a canonical order: by the position of the first state that leads to them, then by the
//! step's index there. That is the order in which a search on one thread finds them, so the way to the
//! first faulty state in it is the shortest, and among the shortest the least in action order.
//!
//! A level is done in two passes. First all threads expand states and *stage* what is not in the store; nothing
//! is added, so what a thread sees does not depend on the others. Then the staged states are sorted, the
//! first way to each is kept, and they are added. The levels are kept with their parents' positions (twelve bytes a state):
//! a trail is then read off directly.
//!
//! A faulty step takes part in the order as if it led to a state of the next level.

use crate::breadth_first::begin;
use crate::expand::{BATCH, Expander, Met};
use crate::{Discovery, Explored, Monitor, SearchOptions, StopReason, Way, least};
use dampf_core::{Fault, Model, Revise, Successors, Trail, Unsupported, Word, Worker};
use dampf_store::{Session, StateRef, Store};
use std::collections::BTreeSet;
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
    unsupported: Option<Unsupported>,
    refuted: BTreeSet<Revise>,
}

pub(crate) fn search<M: Model, S: Store>(model: &M, store: &S, options: &SearchOptions, monitor: &Monitor) -> Explored {
    let mut explored = Explored::default();
    let mut first = Vec::new();
    if !begin(model, store, options, monitor, &mut first, &mut explored) {
        return explored;
    }
    let mut levels = vec![Level { states: first, parents: Vec::new() }];
    let mut places: Vec<Place> = Vec::new();
    // Faulty steps of the level before, which stand among the states of the current one.
    let mut faulty_steps: Vec<(Place, Fault)> = Vec::new();
    let mut crew = Crew { model, store, options, own: Expander::new(model, store, options.deadlocks) };
    loop {
        let depth = levels.len() as u64 - 1;
        let level = levels.last().expect("there is a level");
        if options.max_depth == Some(depth) && !level.states.is_empty() {
            explored.truncated = true;
            break;
        }
        store.begin_level();
        let harvest = expand_level(&mut crew, &level.states, monitor);
        monitor.add(0, harvest.transitions);
        explored.note_unsupported(harvest.unsupported);
        if !harvest.refuted.is_empty() {
            // All that the level refutes, whoever met it: what is learnt must not depend on the threads either.
            explored.refuted = harvest.refuted;
            monitor.stop(StopReason::Refuted);
            break;
        }
        let mut found = std::mem::take(&mut faulty_steps);
        for (position, step, fault) in harvest.faults {
            match step {
                Some(step) => faulty_steps.push(((position, step), fault)),
                // An initial state stands by its own position.
                None => found.push((places.get(position as usize).copied().unwrap_or((position, 0)), fault)),
            }
        }
        // Stable: a faulty step that leads on comes before the fault of the state it leads to.
        found.sort_by_key(|(place, _)| *place);
        for (place, fault) in found {
            monitor.add_fault();
            let trail = match &levels[..levels.len() - 1] {
                [] => Trail::ending(u64::from(place.0), Vec::new()),
                before => way_through(model, store, before, place),
            };
            explored.note(Discovery { fault, way: Way::Known(trail), step: None });
            if !options.keep_going {
                monitor.stop(StopReason::Fault);
                break;
            }
        }
        if monitor.is_stopped() {
            break;
        }
        let next = first_ways(harvest.staged);
        if next.is_empty() && faulty_steps.is_empty() {
            monitor.set_frontier(0);
            break;
        }
        publish(&mut crew, &level.states, &next);
        monitor.set_frontier(next.len() as u64);
        if !next.is_empty() {
            monitor.deepen(depth + 1);
        }
        let states = monitor.add(next.len() as u64, 0);
        places = next.iter().map(|&(_, place)| place).collect();
        levels.push(Level {
            states: next.iter().map(|&(state, _)| state).collect(),
            parents: next.iter().map(|&(_, (position, _))| position).collect(),
        });
        if options.max_states.is_some_and(|limit| states >= limit) {
            monitor.stop(StopReason::StateLimit);
            break;
        }
    }
    explored
}

/// The first pass over a level, shared by all threads.
fn expand_level<M: Model, S: Store>(crew: &mut Crew<M, S>, states: &[StateRef], monitor: &Monitor) -> Harvest {
    let next = AtomicUsize::new(0);
    let work = |expander: &mut Expander<M, S>| {
        let mut harvest = Harvest::default();
        let mut met = Vec::new();
        loop {
            let from = next.fetch_add(BATCH, Ordering::Relaxed);
            if from >= states.len() || monitor.is_stopped() {
                return harvest;
            }
            let batch = &states[from..states.len().min(from + BATCH)];
            let position = |number: usize| (from + number) as u32;
            let staged = &mut harvest.staged;
            let fresh = |number, step, state| staged.push((state, (position(number), step as u32)));
            harvest.transitions += expander.stage(batch, fresh, &mut met);
            harvest.unsupported = least([harvest.unsupported.take(), expander.take_unsupported()]);
            harvest.refuted.append(&mut expander.take_refuted());
            let faults = met.drain(..);
            harvest.faults.extend(
                faults.map(|Met { number, step, fault }| (position(number), step.map(|step| step as u32), fault)),
            );
        }
    };
    let mut all = Harvest::default();
    for harvest in crew.run(states.len(), &work) {
        all.staged.extend(harvest.staged);
        all.faults.extend(harvest.faults);
        all.transitions += harvest.transitions;
        all.unsupported = least([all.unsupported.take(), harvest.unsupported]);
        all.refuted.extend(harvest.refuted);
    }
    all
}

/// The threads of a search. An expander is bound to the thread that made it, so a level that is worth sharing
/// gets fresh ones for all threads but the first.
struct Crew<'a, M: Model, S: Store> {
    model: &'a M,
    store: &'a S,
    options: &'a SearchOptions,
    own: Expander<'a, M, S>,
}

/// Levels smaller than this are not worth waking other threads.
const SHARED_FROM: usize = 16 * BATCH;

impl<'a, M: Model, S: Store> Crew<'a, M, S> {
    /// Runs `work` on every thread, or on this one alone where `size` is small.
    fn run<R: Send>(&mut self, size: usize, work: &(impl Fn(&mut Expander<'a, M, S>) -> R + Sync)) -> Vec<R> {
        let others = if size < SHARED_FROM { 0 } else { self.options.threads - 1 };
        let (model, store, deadlocks) = (self.model, self.store, self.options.deadlocks);
        std::thread::scope(|scope| {
            let spawn = |_| scope.spawn(move || work(&mut Expander::new(model, store, deadlocks)));
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

fn publish<M: Model, S: Store>(crew: &mut Crew<M, S>, level: &[StateRef], next: &[(StateRef, Place)]) {
    let from = AtomicUsize::new(0);
    const PIECE: usize = 1024;
    let work = |expander: &mut Expander<M, S>| {
        loop {
            let first = from.fetch_add(PIECE, Ordering::Relaxed);
            if first >= next.len() {
                return;
            }
            for &(state, (position, _)) in &next[first..next.len().min(first + PIECE)] {
                expander.publish(state, level[position as usize]);
            }
        }
    };
    crew.run(next.len(), &work);
}

/// The trail through the levels to the step at `place` of the last of them.
fn way_through<M: Model, S: Store>(model: &M, store: &S, levels: &[Level], place: Place) -> Trail {
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
        session.load(levels[depth].states[positions[depth] as usize], &mut words);
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
    Trail::ending(u64::from(positions[0]), actions)
}
