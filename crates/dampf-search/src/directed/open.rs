//! What waits in a directed search: a queue by priority that threads share, and the states that were taken from it.

use super::heuristic::RunSeen;
use crate::Monitor;
use dampf_core::Word;
use dampf_store::StateRef;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::{Condvar, Mutex, MutexGuard};

/// The index of a state that was reached from none.
pub const NOWHERE: u32 = u32::MAX;

/// A state that waits.
pub struct Waiting {
    /// Less comes first.
    pub key: u64,
    pub name: StateRef,
    /// The words that are carried with it.
    pub words: Box<[Word]>,
    /// The state it was reached from, by its number among those that were taken.
    pub parent: u32,
    pub depth: u32,
    pub run: RunSeen,
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The greatest of a heap is the one with the least key.
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

#[derive(Default)]
struct Contents {
    heap: BinaryHeap<Waiting>,
    /// States that were taken, each with the number of the one it was reached from.
    taken: Vec<(StateRef, u32)>,
    /// Threads that have a state.
    working: usize,
    is_over: bool,
    /// For a beam: the level that is being explored, and how many of its states were taken.
    level: (u32, usize),
    has_dropped: bool,
}

/// The queue.
pub struct Open {
    contents: Mutex<Contents>,
    changed: Condvar,
    /// How many states of a level are taken, in a beam.
    width: Option<usize>,
}

impl Open {
    pub fn new(first: Vec<Waiting>, width: Option<usize>) -> Self {
        let contents = Contents { heap: BinaryHeap::from(first), ..Contents::default() };
        Open { contents: Mutex::new(contents), changed: Condvar::new(), width }
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().expect("no thread panics while it holds the queue")
    }

    /// Takes the next state, with its number. None when nothing is left to do.
    pub fn take(&self, monitor: &Monitor) -> Option<(Waiting, u32)> {
        let mut contents = self.lock();
        loop {
            if monitor.is_stopped() || contents.is_over {
                contents.is_over = true;
                self.changed.notify_all();
                return None;
            }
            while let Some(next) = contents.heap.pop() {
                if self.width.is_some_and(|width| contents.is_beyond(&next, width)) {
                    contents.has_dropped = true;
                    continue;
                }
                contents.working += 1;
                let number = contents.taken.len() as u32;
                contents.taken.push((next.name, next.parent));
                return Some((next, number));
            }
            if contents.working == 0 {
                contents.is_over = true;
                continue;
            }
            contents = self.changed.wait(contents).expect("no thread panics while it holds the queue");
        }
    }

    /// Adds what was found from the state that a thread has taken.
    pub fn finish(&self, found: &mut Vec<Waiting>) {
        let mut contents = self.lock();
        contents.working -= 1;
        contents.heap.extend(found.drain(..));
        self.changed.notify_all();
    }

    pub fn len(&self) -> usize {
        self.lock().heap.len()
    }

    /// Whether states were thrown away.
    pub fn has_dropped(&self) -> bool {
        self.lock().has_dropped
    }

    /// The states on the way to a state that was taken, and that state.
    pub fn way_to(&self, number: u32) -> Vec<StateRef> {
        let contents = self.lock();
        let parent = |&number: &u32| Some(contents.taken[number as usize].1).filter(|&parent| parent != NOWHERE);
        let mut way: Vec<StateRef> =
            std::iter::successors(Some(number), parent).map(|number| contents.taken[number as usize].0).collect();
        way.reverse();
        way
    }
}

impl Contents {
    /// Whether a state does not belong to a beam of this width. States come level by level.
    fn is_beyond(&mut self, next: &Waiting, width: usize) -> bool {
        if self.level.0 != next.depth {
            self.level = (next.depth, 0);
        }
        self.level.1 += 1;
        self.level.1 > width
    }
}
