//! Depth-first search: a frontier of stacks, on one or more threads.
//!
//! Each thread has a stack. A state that is expanded stays on the stack as a *mark*, below its new
//! successors, until these are done: the marks on a stack are the way to the state being expanded, so a
//! trail needs no search. A thread without work gets the oldest open states of another's stack (they tend to have the
//! largest part of the graph below them); the way to those is rebuilt from the store when it is needed.

use crate::frontier::{Frontier, States};
use crate::rebuild::Route;
use crate::recall::Recall;
use crate::traversal::Traversal;
use crate::{Monitor, SearchOptions};
use dampf_core::{Model, Word};
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

/// Entries, and the words that are carried with the open ones, in their order.
#[derive(Default)]
struct Stack {
    entries: Vec<Entry>,
    words: Vec<Word>,
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
    work: Vec<Stack>,
    waiting: usize,
    over: bool,
}

pub(crate) fn search<R: Recall<S>, M: Model, S: Store>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Traversal {
    let mut traversal = Traversal::default();
    let carried = R::carried(model.width());
    let mut first = Stack::default();
    let begun = traversal.begin(model, store, (options, monitor), |_, state, words| {
        first.entries.push(Entry { state, depth: 0, mark: false });
        first.words.extend_from_slice(&words[..carried]);
    });
    if !begun {
        return traversal;
    }
    first.reverse_from(0, 0, carried);
    let exchange = Exchange {
        offers: Mutex::new(Offers { work: vec![first], waiting: 0, over: false }),
        changed: Condvar::new(),
        waiting: AtomicUsize::new(0),
    };
    let frontier = || StackFrontier {
        exchange: &exchange,
        monitor,
        options,
        stack: Stack::default(),
        carried,
        depth: 0,
        first_new: (0, 0),
        until_look: SHARE_INTERVAL,
        truncated: false,
    };
    traversal.explore::<R, M, S, _>(model, store, (options, monitor), frontier);
    traversal
}

impl Exchange {
    /// Waits for work; none when all threads wait, which means that there is none any more.
    fn take(&self, threads: usize, monitor: &Monitor) -> Option<Stack> {
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

    fn give(&self, work: Stack) {
        let mut offers = self.offers.lock().expect("no thread panics while it holds the offers");
        offers.work.push(work);
        self.changed.notify_one();
    }
}

impl Stack {
    /// Turns the entries from one on around, and their words. All of them are open.
    #[inline]
    fn reverse_from(&mut self, entry: usize, word: usize, carried: usize) {
        self.entries[entry..].reverse();
        if carried > 0 {
            let words = &mut self.words[word..];
            words.reverse();
            words.chunks_exact_mut(carried).for_each(<[Word]>::reverse);
        }
    }

    fn open(&self) -> usize {
        self.entries.iter().filter(|entry| !entry.mark).count()
    }

    /// Takes the oldest open entries off.
    fn split_oldest(&mut self, mut share: usize, carried: usize) -> Stack {
        let mut handed = Stack { words: self.words.drain(..share * carried).collect(), ..Stack::default() };
        self.entries.retain(|entry| {
            let take = !entry.mark && share > 0;
            if take {
                share -= 1;
                handed.entries.push(*entry);
            }
            !take
        });
        handed
    }
}

struct StackFrontier<'a> {
    exchange: &'a Exchange,
    monitor: &'a Monitor,
    options: &'a SearchOptions,
    stack: Stack,
    carried: usize,
    /// Of the state that is being expanded.
    depth: u32,
    /// Where its new successors begin on the stack, right above its mark, and where their words do.
    first_new: (usize, usize),
    until_look: u32,
    truncated: bool,
}

impl StackFrontier<'_> {
    /// Hands the older half of the open states to a waiting thread.
    #[cold]
    fn share(&mut self) {
        self.until_look = SHARE_INTERVAL;
        self.monitor.set_frontier(self.stack.entries.len() as u64);
        if self.exchange.waiting.load(Ordering::Relaxed) == 0 || self.stack.entries.len() < SHARE_LEAST {
            return;
        }
        let open = self.stack.open();
        if open >= SHARE_LEAST {
            self.exchange.give(self.stack.split_oldest(open / 2, self.carried));
        }
    }

    /// The next open state, from the own stack.
    #[inline]
    fn pop(&mut self, batch: &mut States) -> bool {
        while let Some(entry) = self.stack.entries.last_mut() {
            if entry.mark {
                self.stack.entries.pop();
                continue;
            }
            if self.monitor.is_stopped() {
                return false;
            }
            if self.options.max_depth.is_some_and(|limit| u64::from(entry.depth) >= limit) {
                self.truncated = true;
                self.stack.entries.pop();
                self.stack.words.truncate(self.stack.words.len() - self.carried);
                continue;
            }
            entry.mark = true;
            self.depth = entry.depth;
            let words = self.stack.words.len() - self.carried;
            batch.push(entry.state, &self.stack.words[words..]);
            if self.carried > 0 {
                self.stack.words.truncate(words);
            }
            self.first_new = (self.stack.entries.len(), words);
            return true;
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
    fn put(&mut self, state: StateRef, words: &[Word]) {
        self.stack.entries.push(Entry { state, depth: self.depth + 1, mark: false });
        if self.carried > 0 {
            self.stack.words.extend_from_slice(&words[..self.carried]);
        }
    }

    fn route(&self, _: &States, _: usize) -> Route {
        let marks = self.stack.entries[..self.first_new.0].iter().filter(|entry| entry.mark);
        Route::Along(marks.map(|entry| entry.state).collect())
    }

    #[inline]
    fn finish_batch(&mut self) {
        let (entry, word) = self.first_new;
        if self.stack.entries.len() == entry {
            // Nothing lies above the mark: it is done.
            self.stack.entries.pop();
        } else {
            self.monitor.deepen(u64::from(self.depth) + 1);
            // The first successor is to be explored first.
            self.stack.reverse_from(entry, word, self.carried);
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
