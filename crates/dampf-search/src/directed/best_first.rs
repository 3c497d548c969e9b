//! Best-first search: a frontier that is a queue by priority, on one or more threads.
//!
//! Among states with the same estimate the one that was found last comes first: where the heuristic has nothing to say
//! the search goes deep, instead of flooding a plain. A state is found once and waits with the estimate it had then. A
//! thread takes one state at a time, since what it finds may be better than all that waits.

use super::Direction;
use super::heuristic::{Guidance, RunSeen};
use super::open::{NOWHERE, Open, Waiting};
use crate::chance::Chance;
use crate::frontier::{Frontier, States};
use crate::rebuild::Route;
use crate::recall::Recall;
use crate::traversal::Traversal;
use crate::{Monitor, SearchOptions};
use dampf_core::{Action, Model, Word};
use dampf_store::{StateRef, Store};

pub(crate) fn search<R: Recall<S>, M: Model, S: Store, G: Guidance>(
    model: &M,
    (store, recall): (&S, &R),
    (direction, guide): (Direction, &(dyn Fn() -> G + Sync)),
    options: &SearchOptions,
    monitor: &Monitor,
) -> Traversal {
    let mut traversal = Traversal::default();
    let carried = R::carried(model.width());
    let mut keys = Keys::new(direction, 0);
    let mut first_guide = guide();
    let mut first = Vec::new();
    let (mut notes, mut waiting) = (recall.notes(), Vec::new());
    let begun = traversal.begin(model, store, (options, monitor), |number, name, words| {
        R::begin(&mut notes, number, words, &mut waiting);
        let (run, depth, parent) = (RunSeen::default(), 0, NOWHERE);
        let key = keys.key(depth, first_guide.estimate(words, run));
        first.push(Waiting { key, name, words: waiting[..carried].into(), parent, depth, run });
    });
    if !begun {
        return traversal;
    }
    let width = match direction {
        Direction::Beam { width } => Some(width),
        Direction::BestFirst | Direction::Random { .. } => None,
    };
    let open = Open::new(first, width);
    let frontier = |thread: usize| BestFrontier {
        open: &open,
        guide: guide(),
        keys: Keys::new(direction, thread as u64),
        monitor,
        max_depth: options.max_depth,
        carried,
        at: Here { number: NOWHERE, depth: 0, run: RunSeen::default(), estimate: None },
        state: vec![0; model.width()],
        found: Vec::new(),
        until_told: 0,
        truncated: false,
    };
    traversal.explore::<R, M, S, _>(model, (store, recall), (options, monitor), frontier);
    traversal.judgement.truncated |= open.has_dropped();
    traversal
}

/// Makes priorities.
struct Keys {
    direction: Direction,
    /// How many were made: what comes later goes first.
    made: u32,
    chance: Chance,
}

impl Keys {
    fn new(direction: Direction, thread: u64) -> Self {
        let seed = if let Direction::Random { seed } = direction { seed } else { 0 };
        Keys { direction, made: 0, chance: Chance(seed ^ thread << 32) }
    }

    fn key(&mut self, depth: u32, estimate: u32) -> u64 {
        self.made = self.made.wrapping_add(1);
        let pair = |first: u32, second: u32| u64::from(first) << 32 | u64::from(second);
        match self.direction {
            Direction::BestFirst => pair(estimate, u32::MAX - self.made),
            Direction::Beam { .. } => pair(depth, estimate),
            Direction::Random { .. } => pair(u32::MAX - depth, self.chance.below(1 << 32) as u32),
        }
    }
}

/// The state that is being expanded.
struct Here {
    number: u32,
    depth: u32,
    run: RunSeen,
    /// Where estimates are slow.
    estimate: Option<u32>,
}

/// The monitor is told after so many states how many wait.
const TELL_INTERVAL: u32 = 64;

struct BestFrontier<'a, G> {
    open: &'a Open,
    guide: G,
    keys: Keys,
    monitor: &'a Monitor,
    max_depth: Option<u64>,
    carried: usize,
    at: Here,
    /// Its words.
    state: Vec<Word>,
    found: Vec<Waiting>,
    until_told: u32,
    truncated: bool,
}

impl<G: Guidance> Frontier for BestFrontier<'_, G> {
    fn take(&mut self, batch: &mut States) -> bool {
        while let Some((next, number)) = self.open.take(self.monitor) {
            if self.max_depth.is_some_and(|limit| u64::from(next.depth) >= limit) {
                self.truncated = true;
                self.open.finish(&mut self.found);
                continue;
            }
            batch.push(next.name, &next.words);
            self.at = Here { number, depth: next.depth, run: next.run, estimate: None };
            return true;
        }
        false
    }

    fn expands(&mut self, state: &[Word]) {
        self.state.copy_from_slice(state);
        if self.guide.is_slow() {
            self.at.estimate = Some(self.guide.estimate(state, self.at.run));
        }
    }

    fn put(&mut self, name: StateRef, carried: &[Word], words: &[Word], action: Action) {
        let run = self.guide.behind(self.at.run, &self.state, action);
        let (depth, parent) = (self.at.depth + 1, self.at.number);
        let estimate = self.at.estimate.unwrap_or_else(|| self.guide.estimate(words, run));
        let key = self.keys.key(depth, estimate);
        self.found.push(Waiting { key, name, words: carried[..self.carried].into(), parent, depth, run });
    }

    fn route(&self, _: &States, _: usize) -> Route {
        Route::Along(self.open.way_to(self.at.number))
    }

    fn finish_batch(&mut self) {
        if !self.found.is_empty() {
            self.monitor.deepen(u64::from(self.at.depth) + 1);
        }
        self.open.finish(&mut self.found);
        self.until_told = self.until_told.wrapping_sub(1);
        if self.until_told.is_multiple_of(TELL_INTERVAL) {
            self.monitor.set_frontier(self.open.len() as u64);
        }
    }

    fn truncated(&self) -> bool {
        self.truncated
    }
}
