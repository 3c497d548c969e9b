//! Variables that threads have locked against the others.
//!
//! In a state they stand behind their owner's registers, not in a list of the process: a step that locks a variable
//! then changes one thread, however many variables others have locked. With hundreds of threads, such a list would make
//! every state name a component of its own that is as long as the state.
//!
//! A lock may outlive its owner; the slot then has words though no thread is in it.

use dampf_core::Word;

/// A variable that a thread locked against the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LockedVariable {
    pub address: u64,
    pub bytes: u64,
    pub owner: u32,
}

/// The words of a variable in those of its owner: where it is and how long.
pub const LOCKED_WORDS: usize = 4;

/// All variables that are locked. Ascending.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LockedVariables(Vec<LockedVariable>);

impl LockedVariables {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn lock(&mut self, variable: LockedVariable) {
        let at = self.0.partition_point(|other| *other <= variable);
        self.0.insert(at, variable);
    }

    /// Unlocks the variable at an address; none where the thread has not locked it.
    pub fn unlock(&mut self, address: u64, owner: u32) -> Option<LockedVariable> {
        let held = self.0.iter().position(|locked| locked.address == address && locked.owner == owner);
        held.map(|at| self.0.remove(at))
    }

    /// The first variable among these bytes that another thread has locked.
    pub fn of_others(&self, address: u64, bytes: u64, slot: u32) -> Option<&LockedVariable> {
        let end = self.0.partition_point(|locked| locked.address < address.saturating_add(bytes));
        let overlaps =
            |locked: &&LockedVariable| locked.owner != slot && address < locked.address.saturating_add(locked.bytes);
        self.0[..end].iter().find(overlaps)
    }

    /// Who has locked something, once for each variable.
    pub fn owners(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|locked| locked.owner)
    }

    /// Appends the words of the variables that a thread has locked.
    pub fn encode(&self, owner: u32, out: &mut Vec<Word>) -> bool {
        let length = out.len();
        let halves = |value: u64| [value as Word, (value >> 32) as Word];
        for locked in self.0.iter().filter(|locked| locked.owner == owner) {
            out.extend(halves(locked.address));
            out.extend(halves(locked.bytes));
        }
        out.len() > length
    }

    /// Forgets what the threads in these slots have locked. Ascending.
    pub fn forget(&mut self, owners: &[u32]) {
        if !self.is_empty() {
            self.0.retain(|locked| owners.binary_search(&locked.owner).is_err());
        }
    }

    /// Adds the variables of a thread, from its words.
    pub fn decode(&mut self, owner: u32, words: &[Word]) {
        let long = |words: &[Word]| u64::from(words[0]) | u64::from(words[1]) << 32;
        for words in words.chunks_exact(LOCKED_WORDS) {
            self.lock(LockedVariable { address: long(words), bytes: long(&words[2..]), owner });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locked_variables_are_read_as_they_were_written() {
        let mut locked = LockedVariables::default();
        for (address, bytes, owner) in [(9, 1 << 40, 3), (1 << 41, 4, 2), (5, 4, 3), (5, 4, 3)] {
            locked.lock(LockedVariable { address, bytes, owner });
        }
        let written = [2, 3].map(|owner| {
            let mut words = Vec::new();
            assert!(locked.encode(owner, &mut words));
            words
        });
        let mut read = locked.clone();
        read.forget(&[2, 3, 4]);
        assert!(read.is_empty());
        [2, 3].into_iter().zip(&written).for_each(|(owner, words)| read.decode(owner, words));
        assert_eq!(read, locked);
    }

    #[test]
    fn what_others_have_locked_is_found() {
        let mut locked = LockedVariables::default();
        locked.lock(LockedVariable { address: 8, bytes: 4, owner: 1 });
        locked.lock(LockedVariable { address: u64::MAX - 1, bytes: 8, owner: 1 });
        for (address, found) in [(4, false), (5, true), (11, true), (12, false), (u64::MAX - 3, true)] {
            assert_eq!(locked.of_others(address, 4, 2).is_some(), found, "{address}");
            assert!(locked.of_others(address, 4, 1).is_none());
        }
        assert_eq!(locked.unlock(8, 2), None);
        assert_eq!(locked.unlock(8, 1), Some(LockedVariable { address: 8, bytes: 4, owner: 1 }));
        assert!(locked.of_others(8, 4, 2).is_none());
    }
}
