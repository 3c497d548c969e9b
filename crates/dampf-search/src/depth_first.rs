//! Depth-first search: a frontier of stacks, on one or more threads.
//!
//! Each thread has a stack (`path_stack.rs`). A thread without work gets the oldest open states of another's stack:
//! they tend to have the largest part of the graph below them.

use crate::frontier::{Frontier, States};
use crate::path_stack::{PathStack, Taken};
use crate::rebuild::Route;
use crate::recall::Recall;
use crate::traversal::Traversal;
use crate::{Monitor, SearchOptions};
use dampf_core::{Action, Model, Word};
use dampf_store::{StateRef, Store};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

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
    work: Vec<PathStack>,
    waiting: usize,
    over: bool,
}

pub(crate) fn search<R: Recall<S>, M: Model, S: Store>(
    model: &M,
    (store, recall): (&S, &R),
    options: &SearchOptions,
    monitor: &Monitor,
) -> Traversal {
    let mut traversal = Traversal::default();
    let mut first = PathStack::new(R::carried(model.width()));
    let (mut notes, mut waiting) = (recall.notes(), Vec::new());
    let begun = traversal.begin(model, store, (options, monitor), |number, state, words| {
        R::begin(&mut notes, number, words, &mut waiting);
        first.push(state, 0, &waiting);
    });
    if !begun {
        return traversal;
    }
    first.reverse();
    let exchange = Exchange {
        offers: Mutex::new(Offers { work: vec![first], waiting: 0, over: false }),
        changed: Condvar::new(),
        waiting: AtomicUsize::new(0),
    };
    let frontier = |_| StackFrontier {
        exchange: &exchange,
        monitor,
        options,
        stack: PathStack::new(R::carried(model.width())),
        until_look: SHARE_INTERVAL,
        truncated: false,
    };
    traversal.explore::<R, M, S, _>(model, (store, recall), (options, monitor), frontier);
    traversal
}

impl Exchange {
    /// Waits for work; none when all threads wait, which means that there is none any more.
    fn take(&self, threads: usize, monitor: &Monitor) -> Option<PathStack> {
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

    fn give(&self, work: PathStack) {
        let mut offers = self.offers.lock().expect("no thread panics while it holds the offers");
        offers.work.push(work);
        self.changed.notify_one();
    }
}

struct StackFrontier<'a> {
    exchange: &'a Exchange,
    monitor: &'a Monitor,
    options: &'a SearchOptions,
    stack: PathStack,
    until_look: u32,
    truncated: bool,
}

impl StackFrontier<'_> {
    /// Hands the older half of the open states to a waiting thread.
    #[cold]
    fn share(&mut self) {
        self.until_look = SHARE_INTERVAL;
        self.monitor.set_frontier(self.stack.len() as u64);
        if self.exchange.waiting.load(Ordering::Relaxed) == 0 || self.stack.len() < SHARE_LEAST {
            return;
        }
        let open = self.stack.open();
        if open >= SHARE_LEAST {
            self.exchange.give(self.stack.split_oldest(open / 2));
        }
    }

    /// The next open state, from the own stack.
    #[inline]
    fn pop(&mut self, batch: &mut States) -> bool {
        while !self.monitor.is_stopped() {
            match self.stack.take(batch, self.options.max_depth) {
                Taken::Open => return true,
                Taken::TooDeep => self.truncated = true,
                Taken::Nothing => return false,
            }
        }
        false
    }
}

impl Frontier for StackFrontier<'_> {
    #[inline]
    fn take(&mut self, batch: &mut States) -> bool {
        while !self.pop(batch) {
            self.monitor.set_frontier(self.stack.open() as u64);
            match self.exchange.take(self.options.threads, self.monitor) {
                Some(stack) => self.stack = stack,
                None => return false,
            }
        }
        true
    }

    #[inline]
    fn put(&mut self, state: StateRef, carried: &[Word], _: &[Word], _: Action) {
        self.stack.put(state, carried);
    }

    fn route(&self, _: &States, _: usize) -> Route {
        self.stack.route()
    }

    #[inline]
    fn finish_batch(&mut self) {
        if self.stack.finish() {
            self.monitor.deepen(u64::from(self.stack.depth()) + 1);
        }
        self.until_look -= 1;
        if self.until_look == 0 {
            self.share();
        }
    }

    fn truncated(&self) -> bool {
        self.truncated
    }
}
