//! Mutexes that guard memory: all who use a word, or the blocks of a site, hold the same one.
//!
//! **Why accesses to guarded memory need not be visible.** Suppose that in every explored run each plain access to a
//! word is made by a thread that holds a mutex. Next to such an access, whatever another thread does is no access to
//! the word: it would have to hold the mutex, which is held, and neither of the two operations gives it back. So the
//! access commutes with everything that others do, as those to thread-local memory do, and the argument of
//! [`sharing`](crate::sharing) applies: the first access of any run that is made without the mutex would have been met.
//! Freeing a block and leaving a part of a stack count as writing it. Operations that synchronise count as made without
//! the mutex, since what they do to each other is not told by the memory that they access alone: a word that such an
//! operation is about is never guarded. Acquiring a mutex stays visible, whatever is held; so every deadlock is found.
//!
//! Two accesses under one mutex do not race. Where one of them is made without it, the word is visible in the next
//! round, and the race is found there.
//!
//! Candidates are seen in random runs, in the manner of locksets: the mutexes that were held at every access.

use crate::machine::Machine;
use std::ops::BitAnd;

/// Some of the mutexes that were seen, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MutexSet(u64);

impl BitAnd for MutexSet {
    type Output = MutexSet;

    fn bitand(self, other: MutexSet) -> MutexSet {
        MutexSet(self.0 & other.0)
    }
}

/// The addresses of mutexes that were acquired, as many as a set has room for.
#[derive(Clone, Default, Debug)]
pub struct SeenMutexes {
    addresses: Vec<u64>,
}

impl SeenMutexes {
    /// Notes a mutex. Its number, if there is room.
    pub fn see(&mut self, mutex: u64) -> Option<usize> {
        let known = self.addresses.iter().position(|&address| address == mutex);
        known.or_else(|| {
            (self.addresses.len() < u64::BITS as usize).then(|| {
                self.addresses.push(mutex);
                self.addresses.len() - 1
            })
        })
    }

    fn members(&self, set: MutexSet) -> impl Iterator<Item = u64> {
        self.addresses.iter().enumerate().filter(move |(number, _)| set.0 >> number & 1 == 1).map(|(_, &mutex)| mutex)
    }

    /// The set of the same mutexes here, as far as there is room.
    pub fn adopt(&mut self, set: MutexSet, of: &SeenMutexes) -> MutexSet {
        MutexSet(of.members(set).filter_map(|mutex| self.see(mutex)).fold(0, |set, number| set | 1 << number))
    }

    /// The member with the lowest address.
    pub fn least(&self, set: MutexSet) -> Option<u64> {
        self.members(set).min()
    }
}

impl Machine<'_> {
    /// The mutexes that the running thread holds, of those that were seen.
    pub fn held_of(&self, seen: &SeenMutexes) -> MutexSet {
        let held = seen.addresses.iter().enumerate().filter(|&(_, &mutex)| self.holds_mutex(mutex));
        MutexSet(held.fold(0, |set, (number, _)| set | 1 << number))
    }

    /// Takes note in random runs that a mutex is acquired.
    pub fn see_mutex(&self, mutex: u64) {
        if let Some(seen) = &self.system.seen {
            let seen = &mut *seen.lock().expect("nothing panics under this lock");
            let held = self.held_of(&seen.mutexes);
            seen.acquired.extend(seen.mutexes.members(held).map(|held| (held, mutex)));
            seen.mutexes.see(mutex);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_adopted_by_address() {
        let (mut one, mut other) = (SeenMutexes::default(), SeenMutexes::default());
        assert_eq!((one.see(8), one.see(16), one.see(8)), (Some(0), Some(1), Some(0)));
        other.see(24);
        let adopted = other.adopt(MutexSet(0b11), &one);
        assert_eq!((adopted, other.least(adopted)), (MutexSet(0b110), Some(8)));
        assert_eq!(other.least(adopted & MutexSet(0b100)), Some(16));
        assert_eq!(other.least(MutexSet::default()), None);
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut seen = SeenMutexes::default();
        assert!((0..64).all(|mutex| seen.see(mutex).is_some()));
        assert_eq!((seen.see(64), seen.see(63)), (None, Some(63)));
    }
}
