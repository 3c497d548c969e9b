//! Breadth-first search: a frontier of levels, on one or more threads.
//!
//! A level is a list of chunks that threads take from; the next level is what they leave behind. Threads
//! meet at the end of each level, so that every state is found at its least distance, and the first
//! fault found has a shortest trail.

use crate::expand::BATCH;
use crate::frontier::{Frontier, States};
use crate::meeting::Meeting;
use crate::rebuild::Route;
use crate::recall::Recall;
use crate::scouts::{Round, Rounds};
use crate::traversal::Traversal;
use crate::{Monitor, SearchOptions};
use dampf_core::{Action, Model, Word};
use dampf_store::{StateRef, Store};
use std::collections::VecDeque;
use std::sync::Mutex;

/// States that a thread takes at a time: small, so that short levels are shared too.
const CHUNK: usize = 256;

/// Boxed: a list that grows by doubling has room for as many again, and a chunk is seven words before its states.
type Chunk = Box<States>;

struct Levels {
    now: VecDeque<Chunk>,
    next: VecDeque<Chunk>,
    /// Said once for all threads at the end of a level: by the time a thread looks at `now`, another may have
    /// emptied it.
    over: bool,
    /// Scouts are sent between levels.
    rounds: Rounds,
    round: Option<Round>,
}

/// Sends the scouts of a round, as one of the threads.
pub(crate) type Send<'a> = &'a (dyn Fn(Round, usize) + Sync);

pub(crate) fn search<R: Recall<S>, M: Model, S: Store>(
    model: &M,
    (store, recall): (&S, &R),
    options: &SearchOptions,
    monitor: &Monitor,
    send: Option<Send<'_>>,
) -> Traversal {
    let mut traversal = Traversal::default();
    let carried = R::carried(model.width());
    let mut first = States::new(carried);
    let (mut notes, mut waiting) = (recall.notes(), Vec::new());
    let begun = traversal.begin(model, store, (options, monitor), |number, state, words| {
        R::begin(&mut notes, number, words, &mut waiting);
        first.push(state, &waiting);
    });
    if !begun {
        return traversal;
    }
    let levels = Mutex::new(Levels {
        now: VecDeque::from([Box::new(first)]),
        next: VecDeque::new(),
        over: false,
        rounds: Rounds::new(options, send.is_some()),
        round: None,
    });
    let meeting = Meeting::new(options.threads);
    let frontier = |thread: usize| LevelFrontier {
        send,
        thread,
        levels: &levels,
        meeting: &meeting,
        monitor,
        max_depth: options.max_depth,
        depth: 0,
        taken: Box::new(States::new(carried)),
        at: 0,
        filling: Box::new(States::new(carried)),
        carried,
        truncated: false,
    };
    traversal.explore::<R, M, S, _>(model, (store, recall), (options, monitor), frontier);
    traversal
}

struct LevelFrontier<'a> {
    send: Option<Send<'a>>,
    thread: usize,
    levels: &'a Mutex<Levels>,
    meeting: &'a Meeting,
    monitor: &'a Monitor,
    max_depth: Option<u64>,
    /// Of the current level.
    depth: u64,
    /// The chunk of the current level that is being explored, and where the part begins that is not.
    taken: Chunk,
    at: usize,
    /// The chunk of the next level that is being filled.
    filling: Chunk,
    carried: usize,
    truncated: bool,
}

impl<'a> LevelFrontier<'a> {
    fn lock(&self) -> std::sync::MutexGuard<'a, Levels> {
        self.levels.lock().expect("no thread panics while it holds the levels")
    }

    /// Adds the chunk that was filled to the next level.
    #[cold]
    fn hand_over(&mut self) {
        let filled = std::mem::replace(&mut self.filling, Box::new(States::with_capacity(self.carried, CHUNK)));
        self.lock().next.push_back(filled);
    }

    /// Meets the other threads at the end of a level. False where it was the last.
    #[cold]
    fn end_level(&mut self) -> bool {
        if !self.filling.is_empty() {
            let filled = std::mem::replace(&mut self.filling, Box::new(States::new(self.carried)));
            self.lock().next.push_back(filled);
        }
        if self.meeting.wait() {
            self.turn();
        }
        self.meeting.wait();
        self.depth += 1;
        let (over, round) = {
            let levels = self.lock();
            (levels.over, levels.round)
        };
        if let (Some(round), Some(send), false) = (round, self.send, over) {
            send(round, self.thread);
        }
        !over
    }

    /// Makes the next level the current one.
    fn turn(&self) {
        let mut levels = self.lock();
        let count = |chunks: &VecDeque<Chunk>| chunks.iter().map(|chunk| chunk.len()).sum::<usize>() as u64;
        let (left, found) = (count(&levels.now), count(&levels.next));
        self.monitor.set_frontier(left + found);
        if found > 0 {
            self.monitor.deepen(self.depth + 1);
        }
        if self.monitor.is_stopped() || found == 0 {
            levels.over = true;
        } else {
            levels.now = std::mem::take(&mut levels.next);
            levels.round = levels.rounds.due(self.monitor.snapshot().states);
        }
    }
}

impl Frontier for LevelFrontier<'_> {
    #[inline]
    fn take(&mut self, batch: &mut States) -> bool {
        loop {
            if self.max_depth == Some(self.depth) {
                self.truncated |= !self.lock().now.is_empty();
                return false;
            }
            if !self.monitor.is_stopped() {
                if self.at < self.taken.len() {
                    let end = self.taken.len().min(self.at + BATCH);
                    batch.extend(&self.taken, self.at..end);
                    self.at = end;
                    return true;
                }
                let chunk = self.lock().now.pop_front();
                if let Some(chunk) = chunk {
                    (self.taken, self.at) = (chunk, 0);
                    continue;
                }
            }
            if !self.end_level() {
                return false;
            }
        }
    }

    #[inline]
    fn put(&mut self, state: StateRef, carried: &[Word], _: &[Word], _: Action) {
        self.filling.push(state, carried);
        if self.filling.len() >= CHUNK {
            self.hand_over();
        }
    }

    fn route(&self, batch: &States, number: usize) -> Route {
        Route::ByParents { state: batch.names()[number], distance: Some(self.depth) }
    }

    fn finish_batch(&mut self) {}

    fn truncated(&self) -> bool {
        self.truncated
    }
}
