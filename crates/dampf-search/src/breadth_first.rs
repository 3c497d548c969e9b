//! Breadth-first search, level by level, on one or more threads.
//!
//! A level is a list of chunks that threads take from; the next level is what they leave behind. Threads
//! meet at the end of each level, so that every state is found at its least distance, and the first
//! fault found has a shortest trail.

use crate::expand::{BATCH, Expander, Met};
use crate::meeting::Meeting;
use crate::{Discovery, Explored, Monitor, SearchOptions, StopReason, Way};
use dampf_core::{Model, Trail};
use dampf_store::{StateRef, Store};
use std::collections::VecDeque;
use std::sync::Mutex;

/// States that a thread takes at a time: small, so that short levels are shared too.
const CHUNK: usize = 256;

type Chunk = Vec<StateRef>;

struct Levels {
    now: VecDeque<Chunk>,
    next: VecDeque<Chunk>,
    /// Said once for all threads at the end of a level: by the time a thread looks at `now`, another may have
    /// emptied it.
    over: bool,
}

pub(crate) fn search<M: Model, S: Store>(model: &M, store: &S, options: &SearchOptions, monitor: &Monitor) -> Explored {
    let mut explored = Explored::default();
    let mut first = Chunk::new();
    if !begin(model, store, options, monitor, &mut first, &mut explored) {
        return explored;
    }
    let levels = Mutex::new(Levels { now: VecDeque::from([first]), next: VecDeque::new(), over: false });
    let meeting = Meeting::new(options.threads);
    let work = || {
        let mut thread = Thread {
            expander: Expander::new(model, store, options.deadlocks),
            options,
            monitor,
            levels: &levels,
            explored: Explored::default(),
            filling: Chunk::new(),
            met: Vec::new(),
        };
        thread.run(&meeting);
        thread.explored.take(&mut thread.expander);
        thread.explored
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..options.threads).map(|_| scope.spawn(work)).collect();
        explored.absorb(work());
        for thread in threads {
            explored.absorb(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
    });
    explored
}

/// Adds the initial states. False where the search is over before it began.
pub(crate) fn begin<M: Model, S: Store>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
    first: &mut Vec<StateRef>,
    explored: &mut Explored,
) -> bool {
    let mut met = Vec::new();
    let mut expander = Expander::new(model, store, options.deadlocks);
    expander.begin(|state| first.push(state), &mut met);
    explored.take(&mut expander);
    monitor.add(first.len() as u64, 0);
    for Met { number, fault, .. } in met {
        monitor.add_fault();
        let trail = Trail::ending(number as u64, Vec::new());
        explored.note(Discovery { fault, way: Way::Known(trail), step: None });
    }
    if !explored.refuted.is_empty() {
        monitor.stop(StopReason::Refuted);
        return false;
    }
    explored.discoveries.is_empty() || options.keep_going
}

struct Thread<'a, M: Model, S: Store> {
    expander: Expander<'a, M, S>,
    options: &'a SearchOptions,
    monitor: &'a Monitor,
    levels: &'a Mutex<Levels>,
    explored: Explored,
    /// The chunk of the next level that is being filled.
    filling: Chunk,
    met: Vec<Met>,
}

impl<'a, M: Model, S: Store> Thread<'a, M, S> {
    fn run(&mut self, meeting: &Meeting) {
        for depth in 0.. {
            if self.options.max_depth == Some(depth) {
                self.explored.truncated |= !self.lock().now.is_empty();
                return;
            }
            while let Some(chunk) = self.take() {
                for batch in chunk.chunks(BATCH) {
                    self.explore(batch, depth);
                    if self.monitor.is_stopped() {
                        break;
                    }
                }
            }
            if !self.filling.is_empty() {
                let filled = std::mem::take(&mut self.filling);
                self.lock().next.push_back(filled);
            }
            if meeting.wait() {
                self.turn(depth);
            }
            meeting.wait();
            if self.lock().over {
                return;
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'a, Levels> {
        self.levels.lock().expect("no thread panics while it holds the levels")
    }

    fn take(&self) -> Option<Chunk> {
        if self.monitor.is_stopped() { None } else { self.lock().now.pop_front() }
    }

    /// Makes the next level the current one.
    fn turn(&self, depth: u64) {
        let mut levels = self.lock();
        let frontier: usize = levels.next.iter().map(Vec::len).sum();
        self.monitor.set_frontier(frontier as u64 + levels.now.iter().map(Vec::len).sum::<usize>() as u64);
        if frontier > 0 {
            self.monitor.deepen(depth + 1);
        }
        if self.monitor.is_stopped() || frontier == 0 {
            levels.over = true;
        } else {
            levels.now = std::mem::take(&mut levels.next);
        }
    }

    fn explore(&mut self, batch: &[StateRef], depth: u64) {
        let mut states = 0;
        let (filling, levels) = (&mut self.filling, self.levels);
        let new = |_, state| {
            states += 1;
            filling.push(state);
            if filling.len() >= CHUNK {
                let filled = std::mem::replace(filling, Chunk::with_capacity(CHUNK));
                levels.lock().expect("no thread panics while it holds the levels").next.push_back(filled);
            }
        };
        let transitions = self.expander.expand(batch, new, &mut self.met);
        let states = self.monitor.add(states, transitions);
        if self.expander.has_refuted() {
            self.monitor.stop(StopReason::Refuted);
        }
        if self.options.max_states.is_some_and(|limit| states >= limit) {
            self.monitor.stop(StopReason::StateLimit);
        }
        for Met { number, step, fault } in self.met.drain(..) {
            self.monitor.add_fault();
            let way = Way::To { state: batch[number], distance: Some(depth) };
            self.explored.note(Discovery { fault, way, step });
            if !self.options.keep_going {
                self.monitor.stop(StopReason::Fault);
            }
        }
    }
}
