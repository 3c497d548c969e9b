//! Depth-first search on one or more threads.
//!
//! Each thread has a stack. A state that is expanded stays on the stack as a *mark*, below its new
//! successors, until these are done: the marks on a stack are the way to the state being expanded, so a
//! trail needs no search. A thread without work gets the oldest open states of another's stack (they tend to have the
//! largest part of the graph below them); the way to those is rebuilt from the store when it is needed.

use crate::breadth_first::begin;
use crate::expand::{Expander, Met};
use crate::{Discovery, Explored, Monitor, SearchOptions, StopReason, Way};
use dampf_core::Model;
use dampf_store::{StateRef, Store};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

#[derive(Clone, Copy)]
struct Entry {
    state: StateRef,
    depth: u32,
    /// Expanded; its new successors lie above.
    mark: bool,
}

/// How often, in expansions, a thread looks whether another one is waiting for work.
const SHARE_INTERVAL: u32 = 64;
/// The least number of open states worth handing over.
const SHARE_LEAST: usize = 8;

/// Where work changes hands.
struct Exchange {
    offers: Mutex<Offers>,
    changed: Condvar,
    /// Threads waiting for an offer: a hint that is read without the lock.
    waiting: AtomicUsize,
}

struct Offers {
    work: Vec<Vec<Entry>>,
    waiting: usize,
    over: bool,
}

pub(crate) fn search<M: Model, S: Store>(model: &M, store: &S, options: &SearchOptions, monitor: &Monitor) -> Explored {
    let mut explored = Explored::default();
    let mut first = Vec::new();
    if !begin(model, store, options, monitor, &mut first, &mut explored) {
        return explored;
    }
    let entries = first.into_iter().rev().map(|state| Entry { state, depth: 0, mark: false }).collect();
    let exchange = Exchange {
        offers: Mutex::new(Offers { work: vec![entries], waiting: 0, over: false }),
        changed: Condvar::new(),
        waiting: AtomicUsize::new(0),
    };
    let work = || {
        let mut thread = Thread {
            expander: Expander::new(model, store, options.deadlocks),
            options,
            monitor,
            exchange: &exchange,
            explored: Explored::default(),
            stack: Vec::new(),
            met: Vec::new(),
        };
        while let Some(stack) = exchange.take(options.threads, monitor) {
            thread.stack = stack;
            thread.run();
        }
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

impl Exchange {
    /// Waits for work; none when all threads wait, which means that there is none any more.
    fn take(&self, threads: usize, monitor: &Monitor) -> Option<Vec<Entry>> {
        let mut offers = self.offers.lock().expect("no thread panics while it holds the offers");
        offers.waiting += 1;
        loop {
            if monitor.is_stopped() {
                offers.over = true;
            }
            if let (Some(work), false) = (offers.work.pop(), offers.over) {
                offers.waiting -= 1;
                self.waiting.store(offers.waiting, Ordering::Relaxed);
                return Some(work);
            }
            if offers.over || offers.waiting == threads {
                offers.over = true;
                self.changed.notify_all();
                return None;
            }
            self.waiting.store(offers.waiting, Ordering::Relaxed);
            offers = self.changed.wait(offers).expect("no thread panics while it holds the offers");
        }
    }

    fn give(&self, work: Vec<Entry>) {
        let mut offers = self.offers.lock().expect("no thread panics while it holds the offers");
        offers.work.push(work);
        self.changed.notify_one();
    }
}

struct Thread<'a, M: Model, S: Store> {
    expander: Expander<'a, M, S>,
    options: &'a SearchOptions,
    monitor: &'a Monitor,
    exchange: &'a Exchange,
    explored: Explored,
    stack: Vec<Entry>,
    met: Vec<Met>,
}

impl<M: Model, S: Store> Thread<'_, M, S> {
    fn run(&mut self) {
        let mut until_look = SHARE_INTERVAL;
        while let Some(entry) = self.stack.pop() {
            if entry.mark {
                continue;
            }
            if self.monitor.is_stopped() {
                self.stack.push(entry);
                break;
            }
            if self.options.max_depth.is_some_and(|limit| u64::from(entry.depth) >= limit) {
                self.explored.truncated = true;
                continue;
            }
            self.explore(entry);
            until_look -= 1;
            if until_look == 0 {
                until_look = SHARE_INTERVAL;
                self.monitor.set_frontier(self.stack.len() as u64);
                self.share();
            }
        }
        let open = self.stack.iter().filter(|entry| !entry.mark).count();
        self.monitor.set_frontier(open as u64);
        self.stack.clear();
    }

    fn explore(&mut self, entry: Entry) {
        let Entry { state, depth, .. } = entry;
        self.stack.push(Entry { mark: true, ..entry });
        let first_new = self.stack.len();
        let stack = &mut self.stack;
        let new = |_, state| stack.push(Entry { state, depth: depth + 1, mark: false });
        let transitions = self.expander.expand(&[state], new, &mut self.met);
        let found = self.stack.len() - first_new;
        let states = self.monitor.add(found as u64, transitions);
        if self.expander.has_refuted() {
            self.monitor.stop(StopReason::Refuted);
        }
        if self.options.max_states.is_some_and(|limit| states >= limit) {
            self.monitor.stop(StopReason::StateLimit);
        }
        if found == 0 {
            // Nothing lies above the mark: it is done.
            if self.met.is_empty() {
                self.stack.pop();
            }
        } else {
            self.monitor.deepen(u64::from(depth) + 1);
            // The first successor is to be explored first.
            self.stack[first_new..].reverse();
        }
        if !self.met.is_empty() {
            self.note_faults(first_new);
        }
    }

    /// Notes the faults of the state whose mark lies right below `first_new`.
    #[cold]
    fn note_faults(&mut self, first_new: usize) {
        let way: Vec<StateRef> =
            self.stack[..first_new].iter().filter(|entry| entry.mark).map(|entry| entry.state).collect();
        for Met { step, fault, .. } in self.met.drain(..) {
            self.monitor.add_fault();
            self.explored.note(Discovery { fault, way: Way::Along(way.clone()), step });
            if !self.options.keep_going {
                self.monitor.stop(StopReason::Fault);
            }
        }
    }

    /// Hands the older half of the open states to a waiting thread.
    fn share(&mut self) {
        if self.exchange.waiting.load(Ordering::Relaxed) == 0 || self.stack.len() < SHARE_LEAST {
            return;
        }
        let open = self.stack.iter().filter(|entry| !entry.mark).count();
        let mut share = open / 2;
        if open < SHARE_LEAST {
            return;
        }
        let mut handed = Vec::with_capacity(share);
        self.stack.retain(|entry| {
            let take = !entry.mark && share > 0;
            if take {
                share -= 1;
                handed.push(*entry);
            }
            !take
        });
        self.exchange.give(handed);
    }
}
