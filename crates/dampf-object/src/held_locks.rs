//! The locks that threads of a class hold: where they lie.
//!
//! A lock names its holder by the slot. Where interchangeable threads change their slots, the locks that they hold have
//! to be found, so their addresses stand in the state behind their holder's registers (see
//! [`symmetry`](crate::symmetry)). Of other threads nothing is noted.

use dampf_core::Word;

/// The words of a lock in those of its holder: its address.
pub const HELD_LOCK_WORDS: usize = 2;

/// The locks that threads hold, by slot, ascending; as often as they hold them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeldLocks(Vec<Vec<u64>>);

impl HeldLocks {
    pub fn new(slots: usize) -> HeldLocks {
        HeldLocks(vec![Vec::new(); slots])
    }

    pub fn of(&self, slot: u32) -> &[u64] {
        &self.0[slot as usize]
    }

    /// A thread has taken a lock, or given it back.
    pub fn note(&mut self, slot: u32, lock: u64, taken: bool) {
        let held = &mut self.0[slot as usize];
        match (taken, held.binary_search(&lock)) {
            (true, Ok(at) | Err(at)) => held.insert(at, lock),
            (false, Ok(at)) => drop(held.remove(at)),
            (false, Err(_)) => {}
        }
    }

    /// Appends the words of the locks of a thread that counts so many.
    pub fn encode(&self, slot: u32, count: u8, out: &mut Vec<Word>) {
        let locks = self.of(slot).iter().copied().chain(std::iter::repeat(0));
        locks.take(count.into()).for_each(|lock| out.extend([lock as Word, (lock >> 32) as Word]));
    }

    /// Reads the locks of a thread.
    pub fn decode(&mut self, slot: u32, words: &[Word]) {
        let held = &mut self.0[slot as usize];
        held.clear();
        held.extend(words.chunks_exact(HELD_LOCK_WORDS).map(|words| u64::from(words[0]) | u64::from(words[1]) << 32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locks_are_read_as_they_were_written() {
        let mut held = HeldLocks::new(2);
        for (lock, taken) in [(1 << 40, true), (8, true), (16, true), (8, true), (16, false), (99, false)] {
            held.note(1, lock, taken);
        }
        assert_eq!(held.of(1), [8, 8, 1 << 40]);
        let mut words = Vec::new();
        held.encode(1, 3, &mut words);
        let mut read = HeldLocks::new(2);
        read.decode(1, &words);
        assert_eq!(read, held);
        held.encode(0, 2, &mut words);
        assert_eq!(words.len(), 5 * HELD_LOCK_WORDS, "as many are written as are counted");
    }
}
