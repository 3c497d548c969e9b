//! Variables that threads have locked against the others.
//!
//! In a state they stand behind their owner's registers, not in a list of the process: a step that locks a variable
//! then changes one thread, however many variables others have locked. With hundreds of threads, such a list would make
//! every state name a component of its own that is as long as the state.
//!
//! A lock may outlive its owner; the slot then has words though no thread is in it.

use dampf_core::Word;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// A variable that a thread locked against the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LockedVariable {
    pub address: u64,
    pub bytes: u64,
    pub owner: u32,
}

/// The words of a variable in those of its owner: where it is and how long.
pub const LOCKED_WORDS: usize = 4;

/// All variables that are locked, by address and by owner: there may be as many as threads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LockedVariables {
    /// Each with how often it is locked.
    by_address: BTreeMap<LockedVariable, u32>,
    /// Ascending for each owner that has locked some.
    by_owner: BTreeMap<u32, Vec<LockedVariable>>,
    /// No variable that is locked is longer than this.
    longest: u64,
}

impl LockedVariables {
    pub fn is_empty(&self) -> bool {
        self.by_owner.is_empty()
    }

    pub fn len(&self) -> usize {
        self.by_owner.values().map(Vec::len).sum()
    }

    pub fn lock(&mut self, variable: LockedVariable) {
        *self.by_address.entry(variable).or_default() += 1;
        let owned = self.by_owner.entry(variable.owner).or_default();
        let at = owned.partition_point(|other| *other <= variable);
        owned.insert(at, variable);
        self.longest = self.longest.max(variable.bytes);
    }

    /// Unlocks the variable at an address; none where the thread has not locked it.
    pub fn unlock(&mut self, address: u64, owner: u32) -> Option<LockedVariable> {
        let owned = self.by_owner.get_mut(&owner)?;
        let held = owned.iter().position(|locked| locked.address == address)?;
        let unlocked = owned.remove(held);
        if owned.is_empty() {
            self.by_owner.remove(&owner);
        }
        self.remove_address(unlocked);
        Some(unlocked)
    }

    fn remove_address(&mut self, unlocked: LockedVariable) {
        if let Entry::Occupied(mut times) = self.by_address.entry(unlocked) {
            *times.get_mut() -= 1;
            if *times.get() == 0 {
                times.remove();
            }
        }
        if self.by_address.is_empty() {
            self.longest = 0;
        }
    }

    /// The first variable among these bytes that another thread has locked.
    pub fn of_others(&self, address: u64, bytes: u64, slot: u32) -> Option<&LockedVariable> {
        if self.is_empty() {
            return None;
        }
        let from = |address: u64| LockedVariable { address, bytes: 0, owner: 0 };
        // What begins earlier does not reach so far.
        let (first, behind) = (address.saturating_sub(self.longest), address.saturating_add(bytes));
        let overlaps =
            |locked: &&LockedVariable| locked.owner != slot && address < locked.address.saturating_add(locked.bytes);
        self.by_address.range(from(first)..from(behind)).map(|(locked, _)| locked).find(overlaps)
    }

    /// Who has locked something, once for each variable.
    pub fn owners(&self) -> impl Iterator<Item = u32> {
        self.by_owner.iter().flat_map(|(&owner, owned)| std::iter::repeat_n(owner, owned.len()))
    }

    /// How many variables a thread has locked.
    pub fn count_of(&self, owner: u32) -> u32 {
        self.by_owner.get(&owner).map_or(0, |owned| owned.len() as u32)
    }

    /// Appends the words of the variables that a thread has locked.
    pub fn encode(&self, owner: u32, out: &mut Vec<Word>) -> bool {
        let halves = |value: u64| [value as Word, (value >> 32) as Word];
        let Some(owned) = self.by_owner.get(&owner) else { return false };
        for locked in owned {
            out.extend(halves(locked.address));
            out.extend(halves(locked.bytes));
        }
        true
    }

    /// Forgets what the threads in these slots have locked.
    pub fn forget(&mut self, owners: &[u32]) {
        if self.is_empty() {
            return;
        }
        for owner in owners {
            for unlocked in self.by_owner.remove(owner).unwrap_or_default() {
                self.remove_address(unlocked);
            }
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
