//! Transactions: a thread that has acquired a mutex goes on and acquires the next one without a place to switch.
//!
//! Acquiring a mutex is a *right mover* (Lipton): while a thread holds one, others can do nothing with it but wait,
//! so the acquisition can as well come later, behind whatever others do meanwhile. Plain accesses to memory move
//! freely, or they are races. So a step that begins with an acquisition can go on through further ones, as long as it
//! has done nothing else that others notice, and given nothing back: every run that goes on behind the last of them
//! is equivalent to one in which they come at once. What would notice the difference (a try, a timed wait) makes all
//! acquisitions visible, as it does for releases.
//!
//! **Deadlocks.** What is lost is that a thread stands *within* such a step, before a mutex that is free at first and
//! taken by another later. If it waits there for ever, some other thread holds what it waits for. Move the beginning
//! of its step behind everything that others do: then the mutex is taken when it arrives, and it stops there, since a
//! step never goes on through a mutex that is held. With several such threads, let those come first whose mutexes
//! others wait for. That is impossible only if they wait for each other in a circle, each at an acquisition that its
//! step would have gone through. So steps go through an acquisition only if it follows a fixed *order*, a relation
//! between mutexes without circles, from every mutex that was acquired in the step: then every deadlock is found.
//! That holds for any such relation; a good one is what random runs see, but for the circles in it.

use crate::machine::Machine;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of mutexes, of which the second is acquired while the first is held.
pub type LockOrder = BTreeSet<(u64, u64)>;

/// More pairs than this are not looked for.
const PAIRS_MAX: usize = 1 << 12;

/// What the running thread has acquired in the step at hand, as long as it has done nothing else.
#[derive(Default, Debug)]
pub struct Transaction {
    is_open: bool,
    acquired: Vec<u64>,
}

impl Transaction {
    /// Another step begins, or something was done that is not to be moved.
    pub fn close(&mut self) {
        self.is_open = false;
        self.acquired.clear();
    }

    /// A mutex was acquired, by the first operation of a step or by another.
    fn acquire(&mut self, mutex: u64, is_first: bool) {
        if is_first {
            self.close();
            self.is_open = true;
        }
        if self.is_open {
            self.acquired.push(mutex);
        }
    }

    /// Whether it goes on through the acquisition of a mutex.
    fn goes_through(&self, mutex: u64, order: &LockOrder) -> bool {
        self.is_open && self.acquired.iter().all(|&held| order.contains(&(held, mutex)))
    }
}

impl Machine<'_> {
    /// Takes note that the running thread has acquired a mutex that it did not hold.
    pub fn note_acquired(&mut self, mutex: u64) {
        self.step.transaction.acquire(mutex, self.step.granted);
    }

    /// Whether the running thread need not stop before it acquires a mutex.
    pub fn goes_through(&self, mutex: u64) -> bool {
        let sharing = &self.system.sharing;
        !sharing.locks_observed() && self.step.transaction.goes_through(mutex, &sharing.lock_order)
    }
}

/// The order in which mutexes were seen to be acquired, without the pairs that are part of a circle.
pub fn without_circles(pairs: &LockOrder) -> LockOrder {
    let mut next: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    pairs.iter().for_each(|&(held, acquired)| next.entry(held).or_default().push(acquired));
    let reaches = |from: u64, to: u64| {
        let (mut passed, mut open) = (BTreeSet::from([from]), vec![from]);
        while let Some(mutex) = open.pop() {
            if mutex == to {
                return true;
            }
            let following = next.get(&mutex).into_iter().flatten();
            open.extend(following.filter(|&&mutex| passed.insert(mutex)));
        }
        false
    };
    pairs.iter().copied().take(PAIRS_MAX).filter(|&(held, acquired)| !reaches(acquired, held)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_are_left_out() {
        let pairs = LockOrder::from([(1, 2), (2, 3), (3, 1), (3, 4), (4, 5), (5, 5), (1, 4)]);
        assert_eq!(without_circles(&pairs), LockOrder::from([(3, 4), (4, 5), (1, 4)]));
    }

    #[test]
    fn a_step_goes_on_in_order_only() {
        let order = LockOrder::from([(1, 2), (2, 3)]);
        let mut transaction = Transaction::default();
        assert!(!transaction.goes_through(2, &order));
        transaction.acquire(2, false);
        assert!(!transaction.goes_through(3, &order));
        transaction.acquire(1, true);
        assert!(transaction.goes_through(2, &order) && !transaction.goes_through(3, &order));
        transaction.acquire(2, false);
        assert!(!transaction.goes_through(3, &order), "nothing is known of 1 and 3");
        transaction.close();
        assert!(!transaction.goes_through(2, &order));
    }
}
