//! The way of a state from one worker to its right neighbour: a bounded queue with one writer and one reader, without
//! locks.
//!
//! Both ends count for ever: how many states were written, and how many were read. State number `n` lies in slot `n`
//! modulo the number of slots. Invariant: `read <= written <= read + slots`. The writer alone writes the free slots,
//! from number `written` to `read + slots`, and the reader alone reads the others, from `read` to `written`, so no slot
//! is written while it is read. Each end is a value that cannot be copied, so there is one writer and one reader.
//!
//! Slots are atomics that are accessed as if they were plain memory, so there is nothing here that could be unsafe;
//! what counts is the order that the two counters bring about. A full queue refuses: nobody ever waits for room, so
//! workers cannot wait for each other in a circle.

use dampf_core::Word;
use dampf_store::StateRef;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Alone on its cache lines, of which processors fetch two at a time: the writer's counter and the reader's are written
/// all the time, by different cores.
#[repr(align(128))]
struct Alone<T>(T);

struct Slot {
    state: AtomicU64,
    depth: AtomicU32,
}

struct Queue {
    written: Alone<AtomicUsize>,
    read: Alone<AtomicUsize>,
    slots: Box<[Slot]>,
    /// Words that are carried with each state, slot by slot.
    words: Box<[AtomicU32]>,
    carried: usize,
}

/// The left neighbour's end.
pub struct Giving {
    queue: Arc<Queue>,
    written: usize,
    /// What the reader has read when this end last looked: at least so much.
    read: usize,
}

/// The right neighbour's end.
pub struct Taking {
    queue: Arc<Queue>,
    read: usize,
    /// What the writer has written when this end last looked: at least so much.
    written: usize,
}

/// A queue for so many states, with so many words carried with each.
pub fn queue(states: usize, carried: usize) -> (Giving, Taking) {
    assert!(states > 0, "a queue without slots hands nothing over");
    let queue = Arc::new(Queue {
        written: Alone(AtomicUsize::new(0)),
        read: Alone(AtomicUsize::new(0)),
        slots: (0..states).map(|_| Slot { state: AtomicU64::new(0), depth: AtomicU32::new(0) }).collect(),
        words: (0..states * carried).map(|_| AtomicU32::new(0)).collect(),
        carried,
    });
    (Giving { queue: queue.clone(), written: 0, read: 0 }, Taking { queue, read: 0, written: 0 })
}

impl Queue {
    fn slot(&self, number: usize) -> (&Slot, &[AtomicU32]) {
        let index = number % self.slots.len();
        (&self.slots[index], &self.words[index * self.carried..][..self.carried])
    }
}

impl Giving {
    /// Hands a state over; false where the queue is full, and the state stays with the caller.
    #[inline]
    pub fn give(&mut self, state: StateRef, depth: u32, words: &[Word]) -> bool {
        if self.written - self.read == self.queue.slots.len() {
            // ORDERING: Acquire pairs with the Release in `take`: what the reader has read of a slot, it has read
            // before this end writes there again.
            self.read = self.queue.read.0.load(Ordering::Acquire);
            if self.written - self.read == self.queue.slots.len() {
                return false;
            }
        }
        let (slot, carried) = self.queue.slot(self.written);
        // ORDERING: Relaxed: the counters order what is in slots.
        slot.state.store(state.0, Ordering::Relaxed);
        slot.depth.store(depth, Ordering::Relaxed);
        carried.iter().zip(words).for_each(|(to, &word)| to.store(word, Ordering::Relaxed));
        self.written += 1;
        // ORDERING: Release pairs with the Acquire in `is_empty`: whoever sees the count sees the slot, and the state
        // in the store.
        self.queue.written.0.store(self.written, Ordering::Release);
        true
    }
}

impl Taking {
    /// Whether nothing waits here, as far as can be seen.
    #[inline]
    pub fn is_empty(&mut self) -> bool {
        if self.read == self.written {
            // ORDERING: Acquire pairs with the Release in `give`: what was written to slots before the count is seen.
            self.written = self.queue.written.0.load(Ordering::Acquire);
        }
        self.read == self.written
    }

    /// Takes the state that has waited longest, with its depth; the words that are carried with it replace `words`.
    pub fn take(&mut self, words: &mut Vec<Word>) -> Option<(StateRef, u32)> {
        if self.is_empty() {
            return None;
        }
        let (slot, carried) = self.queue.slot(self.read);
        // ORDERING: Relaxed: the counters order what is in slots.
        let taken = (StateRef(slot.state.load(Ordering::Relaxed)), slot.depth.load(Ordering::Relaxed));
        words.clear();
        words.extend(carried.iter().map(|word| word.load(Ordering::Relaxed)));
        self.read += 1;
        // ORDERING: Release pairs with the Acquire in `give`: the slot was read before it is written again.
        self.queue.read.0.store(self.read, Ordering::Release);
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_refuses_and_an_empty_one_has_nothing() {
        let (mut giving, mut taking) = queue(2, 1);
        let mut words = Vec::new();
        assert_eq!(taking.take(&mut words), None);
        for round in 0..5 {
            let state = |number: u64| StateRef(10 * round + number);
            assert!(giving.give(state(1), 1, &[7]) && giving.give(state(2), 2, &[8]));
            assert!(!giving.give(state(3), 3, &[9]));
            assert_eq!((taking.take(&mut words), words.as_slice()), (Some((state(1), 1)), &[7][..]));
            assert!(giving.give(state(4), 4, &[9]));
            assert_eq!((taking.take(&mut words), words.as_slice()), (Some((state(2), 2)), &[8][..]));
            assert_eq!((taking.take(&mut words), words.as_slice()), (Some((state(4), 4)), &[9][..]));
            assert!(taking.is_empty());
        }
    }

    #[test]
    fn states_arrive_whole_once_and_in_order() {
        const STATES: u64 = 200_000;
        for slots in [1, 2, 7, 64] {
            let (mut giving, mut taking) = queue(slots, 3);
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    for number in 0..STATES {
                        let words = [number as u32, !number as u32, number as u32 ^ 0x5555];
                        while !giving.give(StateRef(number), number as u32, &words) {
                            std::thread::yield_now();
                        }
                    }
                });
                let mut words = Vec::new();
                for number in 0..STATES {
                    let taken = loop {
                        match taking.take(&mut words) {
                            Some(taken) => break taken,
                            None => std::thread::yield_now(),
                        }
                    };
                    assert_eq!(taken, (StateRef(number), number as u32));
                    assert_eq!(words, [number as u32, !number as u32, number as u32 ^ 0x5555]);
                }
                assert!(taking.is_empty());
            });
        }
    }
}
