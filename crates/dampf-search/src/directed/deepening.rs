//! Iterative deepening: depth-first up to a bound for the sum of the steps so far and the estimate of those that are
//! left, then again with the least sum that was beyond the bound (Korf's IDA*; plain iterative deepening where there is
//! no heuristic).
//!
//! What waits is the path and the untried steps of its states. What was visited is remembered in a table that never
//! grows, where a later state takes the place of an earlier one: so memory is small, and states may be visited again.
//! A state that was visited in the same iteration with no more steps so far is not visited again: whatever lies within
//! the bound behind it was seen, or is about to be.
//!
//! The space is explored when an iteration leaves nothing out.

use super::heuristic::{Guidance, RunSeen};
use crate::expand::{Expander, Explored, Sink};
use crate::rebuild::Route;
use crate::traversal::{Discovery, Traversal};
use crate::{Monitor, SearchOptions, Snapshot, StopReason};
use dampf_core::{Action, Fault, Model, Successors, Trail, Word, Worker};
use dampf_store::hash_words;
use std::cmp::Reverse;
use std::convert::Infallible;

/// The size of the table.
const TABLE_BYTES: usize = 64 << 20;

/// The monitor is told after so many visits.
const TELL_INTERVAL: u64 = 1024;

/// A state that waits on the path.
struct Step {
    action: Action,
    estimate: u32,
    run: RunSeen,
    state: Box<[Word]>,
}

/// A state on the path.
struct Frame {
    action: Action,
    /// What it leads to and was not tried, the best last.
    steps: Vec<Step>,
}

pub(super) fn search<M: Model, G: Guidance>(
    model: &M,
    guide: G,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Traversal {
    let mut search = Deepening {
        expander: Expander::new(model, options),
        guide,
        visited: Visited::new(model.width()),
        options,
        monitor,
        traversal: Traversal::default(),
        counted: Snapshot::default(),
        bound: 0,
        beyond: None,
    };
    let mut initial = Successors::new(model.width());
    model.worker().initial(&mut initial);
    search.begin();
    while !monitor.is_stopped() {
        search.beyond = None;
        for number in (0..initial.len()).filter(|&number| initial.leads_on(number)) {
            search.iterate(number as u64, initial.state(number));
        }
        search.tell();
        let Some(beyond) = search.beyond else { break };
        if options.max_depth.is_some_and(|limit| u64::from(beyond) > limit) {
            search.traversal.judgement.truncated = true;
            break;
        }
        search.bound = beyond;
        search.visited.iteration += 1;
    }
    search.traversal.judgement.absorb(search.expander.take_judgement());
    search.traversal
}

struct Deepening<'a, M: Model, G> {
    expander: Expander<'a, M>,
    guide: G,
    visited: Visited,
    options: &'a SearchOptions,
    monitor: &'a Monitor,
    traversal: Traversal,
    /// Visits of all iterations.
    counted: Snapshot,
    bound: u32,
    /// The least sum that was beyond the bound.
    beyond: Option<u32>,
}

impl<M: Model, G: Guidance> Deepening<'_, M, G> {
    /// Judges the initial states.
    fn begin(&mut self) {
        let mut met = Vec::new();
        self.expander.begin(|number, fault| met.push((number, fault)));
        for (number, fault) in met {
            let route = Route::Known(Trail::ending(number as u64, Vec::new()));
            self.note(Discovery { fault, route, step: None });
        }
    }

    fn note(&mut self, discovery: Discovery) {
        self.counted.faults += 1;
        self.traversal.note(discovery);
        if !self.options.keep_going {
            self.monitor.stop(StopReason::Fault);
        }
    }

    fn tell(&mut self) {
        self.monitor.publish(&self.counted);
    }

    fn iterate(&mut self, initial: u64, state: &[Word]) {
        let run = RunSeen::default();
        let estimate = self.guide.estimate(state, run);
        let mut path: Vec<Frame> = Vec::new();
        let first = Step { action: Action(initial), estimate, run, state: state.into() };
        self.visit(first, initial, &mut path);
        while !self.monitor.is_stopped() {
            let Some(frame) = path.last_mut() else { return };
            match frame.steps.pop() {
                Some(step) => self.visit(step, initial, &mut path),
                None => drop(path.pop()),
            }
        }
    }

    /// Puts a state on the path, unless it is beyond the bound or was visited.
    fn visit(&mut self, step: Step, initial: u64, path: &mut Vec<Frame>) {
        let depth = path.len() as u32;
        let sum = depth.saturating_add(step.estimate);
        if sum > self.bound {
            self.beyond = Some(self.beyond.map_or(sum, |least| least.min(sum)));
            return;
        }
        if !self.visited.enter(&step.state, depth) {
            return;
        }
        let mut sink =
            Gathering { guide: &mut self.guide, state: &step.state, run: step.run, steps: Vec::new(), met: Vec::new() };
        let Ok(steps) = self.expander.expand(&[()], &mut sink);
        let Gathering { steps: mut found, met, .. } = sink;
        // The first among equals is tried first.
        found.reverse();
        found.sort_by_key(|step| Reverse(step.estimate));
        path.push(Frame { action: step.action, steps: found });
        self.counted.states += 1;
        self.counted.transitions += steps;
        self.counted.depth = self.counted.depth.max(u64::from(depth));
        for (last, fault) in met {
            // A faulty step beyond the bound is no nearer than a faulty state behind it: the next iteration says which.
            let length = depth + u32::from(last.is_some());
            if length > self.bound {
                self.beyond = Some(self.beyond.map_or(length, |least| least.min(length)));
                continue;
            }
            let actions = path[1..].iter().map(|frame| frame.action).chain(last).collect();
            self.note(Discovery { fault, route: Route::Known(Trail::ending(initial, actions)), step: None });
        }
        if !self.expander.judgement().refuted.is_empty() {
            self.monitor.stop(StopReason::Refuted);
        }
        if self.options.max_states.is_some_and(|limit| self.counted.states >= limit) {
            self.monitor.stop(StopReason::StateLimit);
        }
        if self.counted.states.is_multiple_of(TELL_INTERVAL) {
            self.tell();
        }
    }
}

/// Lists what a state leads to.
struct Gathering<'t, G> {
    guide: &'t mut G,
    state: &'t [Word],
    run: RunSeen,
    steps: Vec<Step>,
    /// Faults, each with the faulty step if it is one's.
    met: Vec<(Option<Action>, Fault)>,
}

impl<G: Guidance> Sink for Gathering<'_, G> {
    type Source = ();
    type Error = Infallible;

    fn load(&mut self, _: usize, (): (), words: &mut [Word]) {
        words.copy_from_slice(self.state);
    }

    fn prepare(&mut self, _: usize, (): (), _: &[Word], _: &Successors) -> Result<(), Infallible> {
        Ok(())
    }

    fn fault(&mut self, explored: Explored<'_, ()>, step: Option<usize>, fault: Fault) {
        self.met.push((step.map(|step| explored.successors.action(step)), fault));
    }

    fn commit(&mut self, _: &[()], successors: &[Successors]) -> Result<(), Infallible> {
        for successors in successors {
            for step in (0..successors.len()).filter(|&step| successors.leads_on(step)) {
                let (action, state) = (successors.action(step), successors.state(step));
                let run = self.guide.behind(self.run, self.state, action);
                let estimate = self.guide.estimate(state, run);
                self.steps.push(Step { action, estimate, run, state: state.into() });
            }
        }
        Ok(())
    }
}

/// What was visited, as far as there is room for it.
struct Visited {
    /// By the state's hash: its words, the iteration plus one, and its depth then.
    table: Vec<Word>,
    width: usize,
    entries: usize,
    iteration: u32,
}

impl Visited {
    fn new(width: usize) -> Self {
        let entries = (TABLE_BYTES / ((width + 2) * size_of::<Word>())).max(1);
        Visited { table: vec![0; entries * (width + 2)], width, entries, iteration: 1 }
    }

    /// Notes a visit. False where the state was visited in the same iteration, with no more steps.
    fn enter(&mut self, state: &[Word], depth: u32) -> bool {
        let place = ((u128::from(hash_words(state)) * self.entries as u128) >> 64) as usize;
        let entry = &mut self.table[place * (self.width + 2)..][..self.width + 2];
        let (words, visit) = entry.split_at_mut(self.width);
        if visit[0] == self.iteration && visit[1] <= depth && words == state {
            return false;
        }
        words.copy_from_slice(state);
        visit.copy_from_slice(&[self.iteration, depth]);
        true
    }
}
