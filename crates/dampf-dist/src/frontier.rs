//! The states of a rank that wait to be explored: references to stored states, or whole states that are looked up when
//! their turn comes. In a search by levels those of the next level wait apart.

use crate::parcel::Companion;
use crate::queue::{Order, RawQueue, Stored, StoredQueue, Waiting};
use dampf_core::Word;
use dampf_store::StateRef;

pub(crate) struct Frontier {
    waiting: Waiting,
    /// Whether whole states wait, rather than references to stored ones.
    pub keeps_whole: bool,
    stored: StoredQueue,
    whole: RawQueue,
    /// In a search by levels: the states of the next level.
    next: Option<(StoredQueue, RawQueue)>,
}

impl Frontier {
    pub fn new(width: usize, order: Order, waiting: Waiting, by_levels: bool, keeps_whole: bool) -> Self {
        Frontier {
            waiting,
            keeps_whole,
            stored: StoredQueue::new(order),
            whole: RawQueue::new(width, waiting),
            next: by_levels.then(|| (StoredQueue::new(Order::Levels), RawQueue::new(width, waiting))),
        }
    }

    /// Whether no state is left that may be explored now.
    pub fn is_empty(&self) -> bool {
        self.stored.len() + self.whole.len() == 0
    }

    /// How many states wait, those of the next level included.
    pub fn len(&self) -> usize {
        let next = self.next.as_ref().map_or(0, |(stored, whole)| stored.len() + whole.len());
        self.stored.len() + self.whole.len() + next
    }

    pub fn by_levels(&self) -> bool {
        self.next.is_some()
    }

    /// A stored state waits to be explored now.
    pub fn push_now(&mut self, stored: Stored, estimate: impl FnOnce() -> u64) {
        self.stored.push(stored, estimate);
    }

    /// A new state of this rank waits.
    #[inline]
    pub fn push(&mut self, stored: Stored, estimate: impl FnOnce() -> u64) {
        match &mut self.next {
            Some((next, _)) => next.push(stored, || 0),
            None => self.stored.push(stored, estimate),
        }
    }

    /// The same for a state that another rank found.
    #[inline]
    pub fn push_received(&mut self, stored: Stored, estimate: impl FnOnce() -> u64) {
        match &mut self.next {
            Some((next, _)) => next.push(stored, || 0),
            None => self.stored.push_received(stored, estimate),
        }
    }

    /// A whole state waits; where too many do, those are thrown out that `is_stored` meanwhile.
    pub fn push_whole(&mut self, state: &[Word], companion: Companion, is_stored: impl FnMut(&[Word]) -> bool) {
        let queue = self.next.as_mut().map_or(&mut self.whole, |(_, next)| next);
        if let (true, Waiting::Limit { extended, .. }) = (queue.push(state, companion), self.waiting) {
            queue.sweep(extended, is_stored);
        }
    }

    /// A whole state waits to be explored now.
    pub fn push_whole_now(&mut self, state: &[Word], companion: Companion) {
        self.whole.push(state, companion);
    }

    /// Whether a state that another rank found is looked up before it may wait as a whole.
    pub fn looks_up_received(&self) -> bool {
        matches!(self.waiting, Waiting::Store | Waiting::Limit { store: true, .. })
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Stored> {
        self.stored.pop()
    }

    pub fn pop_whole(&mut self, words: &mut [Word]) -> Option<Companion> {
        let popped = self.whole.pop(words);
        if self.whole.len() == 0 {
            self.whole.reset_limit(self.waiting);
        }
        popped
    }

    /// Makes the next level the current one.
    pub fn turn_level(&mut self) {
        let (stored, whole) = self.next.as_mut().expect("asked for in a search by levels only");
        std::mem::swap(&mut self.stored, stored);
        std::mem::swap(&mut self.whole, whole);
        whole.reset_limit(self.waiting);
    }

    /// All stored states that wait, in an order of no meaning.
    pub fn stored(&self) -> Vec<Stored> {
        let mut all = self.stored_now();
        if let Some((next, _)) = &self.next {
            next.for_each(&mut |stored| all.push(stored));
        }
        all
    }

    /// The same without those of the next level.
    pub fn stored_now(&self) -> Vec<Stored> {
        let mut all = Vec::with_capacity(self.stored.len());
        self.stored.for_each(&mut |stored| all.push(stored));
        all
    }

    /// The stored states that wait, in order: nobody's parents, and in a search that goes deep far more than those that
    /// were explored.
    pub fn unexplored(&self) -> Vec<StateRef> {
        let mut states: Vec<StateRef> = self.stored().into_iter().map(|stored| stored.state).collect();
        states.sort_unstable();
        states
    }

    pub fn for_each_whole(&self, visit: impl FnMut(&[Word], Companion)) {
        self.whole.for_each(visit);
    }
}
