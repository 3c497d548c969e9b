//! States that wait to be explored.
//!
//! Four strategies say what waits. *Hash*: a state enters the store when it is found, and only its reference waits, so
//! that it waits once. The others let whole states wait and look them up when their turn comes: *none* takes in all,
//! *store* leaves out received states that are in the store already, *limit* lets the queue grow to a limit and then
//! throws out what has entered the store meanwhile, looking at each state once if it is *extended*.

use crate::parcel::Companion;
use dampf_core::Word;
use dampf_store::StateRef;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What waits in a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Waiting {
    #[default]
    Hash,
    None,
    Store,
    Limit {
        states: usize,
        /// States that were looked at when the limit was reached are not looked at again.
        extended: bool,
        /// Received states that are stored already do not even enter, as in `Store`.
        store: bool,
    },
}

/// In which order states are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Level by level: all ranks meet at the end of each, so trails are shortest.
    #[default]
    Levels,
    /// First come, first served; nobody waits for anybody.
    FirstCome,
    /// The deepest first, of those the latest, and of the steps that leave a state the one whose label follows that of
    /// the step that led there: so that processes take turns, which is how they get in each other's way.
    DepthFirst,
    /// The state with the fewest steps first.
    BestFirst,
}

/// A stored state that waits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stored {
    pub state: StateRef,
    pub depth: u32,
    /// The label of the step that led there, in a depth-first search.
    pub label: u32,
}

impl Stored {
    pub fn new(state: StateRef, depth: u32) -> Self {
        Stored { state, depth, label: 0 }
    }
}

/// The queue of stored states.
pub enum StoredQueue {
    FirstIn(VecDeque<Stored>),
    Deepest(ByDepth),
    /// By estimate, then by arrival.
    Best(BinaryHeap<Reverse<(u64, u64, Stored)>>, u64),
}

impl StoredQueue {
    pub fn new(order: Order) -> Self {
        match order {
            Order::Levels | Order::FirstCome => StoredQueue::FirstIn(VecDeque::new()),
            Order::DepthFirst => StoredQueue::Deepest(ByDepth::default()),
            Order::BestFirst => StoredQueue::Best(BinaryHeap::new(), 0),
        }
    }

    #[inline]
    pub fn push(&mut self, stored: Stored, estimate: impl FnOnce() -> u64) {
        match self {
            StoredQueue::FirstIn(queue) => queue.push_back(stored),
            StoredQueue::Deepest(stacks) => stacks.at(stored.depth).push_back(stored),
            StoredQueue::Best(heap, arrivals) => {
                *arrivals += 1;
                heap.push(Reverse((estimate(), *arrivals, stored)));
            }
        }
    }

    /// Like [`push`](Self::push), for a state that another rank found.
    #[inline]
    pub fn push_received(&mut self, stored: Stored, estimate: impl FnOnce() -> u64) {
        match self {
            StoredQueue::Deepest(stacks) => stacks.at(stored.depth).push_front(stored),
            _ => self.push(stored, estimate),
        }
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Stored> {
        match self {
            StoredQueue::FirstIn(queue) => queue.pop_front(),
            StoredQueue::Deepest(stacks) => stacks.pop(),
            StoredQueue::Best(heap, _) => heap.pop().map(|Reverse((_, _, stored))| stored),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            StoredQueue::FirstIn(queue) => queue.len(),
            StoredQueue::Deepest(stacks) => stacks.len,
            StoredQueue::Best(heap, _) => heap.len(),
        }
    }

    /// All that wait, in an order of no meaning.
    pub fn for_each(&self, visit: &mut dyn FnMut(Stored)) {
        match self {
            StoredQueue::FirstIn(queue) => queue.iter().copied().for_each(visit),
            StoredQueue::Deepest(stacks) => stacks.stacks.iter().flatten().copied().for_each(visit),
            StoredQueue::Best(heap, _) => heap.iter().for_each(|Reverse((_, _, stored))| visit(*stored)),
        }
    }
}

/// A stack for each depth. A plain stack would do on one rank; states that arrive from others must not come between a
/// rank and the deep end of its own search. They go below those of this rank, so that the first to arrive is the first
/// to be explored: it is where the search of its sender was going.
#[derive(Default)]
pub struct ByDepth {
    stacks: Vec<VecDeque<Stored>>,
    len: usize,
}

impl ByDepth {
    fn at(&mut self, depth: u32) -> &mut VecDeque<Stored> {
        let depth = depth as usize;
        if self.stacks.len() <= depth {
            self.stacks.resize_with(depth + 1, VecDeque::new);
        }
        self.len += 1;
        &mut self.stacks[depth]
    }

    fn pop(&mut self) -> Option<Stored> {
        while let Some(deepest) = self.stacks.last_mut() {
            if let Some(stored) = deepest.pop_back() {
                self.len -= 1;
                return Some(stored);
            }
            self.stacks.pop();
        }
        None
    }
}

/// The queue of whole states, which may have been explored before their turn comes.
pub struct RawQueue {
    width: usize,
    words: VecDeque<Word>,
    companions: VecDeque<Companion>,
    /// The most that ever waited.
    pub longest: usize,
    limit: usize,
    /// So many at the front were looked at when the limit was reached.
    checked: usize,
}

impl RawQueue {
    pub fn new(width: usize, waiting: Waiting) -> Self {
        let limit = match waiting {
            Waiting::Limit { states, .. } => states.max(1),
            _ => usize::MAX,
        };
        RawQueue { width, words: VecDeque::new(), companions: VecDeque::new(), longest: 0, limit, checked: 0 }
    }

    /// Adds a state. True where the limit is exceeded.
    #[inline]
    pub fn push(&mut self, state: &[Word], companion: Companion) -> bool {
        self.words.extend(state);
        self.companions.push_back(companion);
        self.longest = self.longest.max(self.companions.len());
        self.companions.len() > self.limit
    }

    #[inline]
    pub fn pop(&mut self, state: &mut [Word]) -> Option<Companion> {
        let companion = self.companions.pop_front()?;
        for (word, from) in state.iter_mut().zip(self.words.drain(..self.width)) {
            *word = from;
        }
        self.checked = self.checked.saturating_sub(1);
        Some(companion)
    }

    pub fn len(&self) -> usize {
        self.companions.len()
    }

    /// Throws out what `is_stored`, and lets the queue grow a little longer than before.
    pub fn sweep(&mut self, extended: bool, mut is_stored: impl FnMut(&[Word]) -> bool) {
        let from = if extended { self.checked } else { 0 };
        let mut kept = from;
        let words = self.words.make_contiguous();
        for number in from..self.companions.len() {
            let at = number * self.width;
            if !is_stored(&words[at..at + self.width]) {
                words.copy_within(at..at + self.width, kept * self.width);
                self.companions[kept] = self.companions[number];
                kept += 1;
            }
        }
        self.words.truncate(kept * self.width);
        self.companions.truncate(kept);
        self.checked = kept;
        self.limit = self.limit.saturating_add(self.limit / 10 + 1);
    }

    /// Begins again with the limit that was given.
    pub fn reset_limit(&mut self, waiting: Waiting) {
        if let Waiting::Limit { states, .. } = waiting {
            self.limit = states.max(1);
        }
    }

    pub fn for_each(&self, mut visit: impl FnMut(&[Word], Companion)) {
        let mut state = vec![0; self.width];
        for (number, companion) in self.companions.iter().enumerate() {
            let words = self.words.range(number * self.width..(number + 1) * self.width);
            state.iter_mut().zip(words).for_each(|(word, from)| *word = *from);
            visit(&state, *companion);
        }
    }
}
