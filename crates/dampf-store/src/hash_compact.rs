//! The hash-compact store: of every state a 64-bit hash, and where it was first reached from.
//!
//! What a state takes does not depend on its size, and no state is given back: a search carries the words of states
//! that wait, and finds a trail by following parents to the initial state and walking forward along their hashes. Two
//! states with the same hash are taken for one, so the store is not exact, and says so.
//!
//! The hashes are kept as states of two words in an exact store.

use crate::exact::{ExactSession, ExactStore};
use crate::hash::hash_words;
use crate::{Exactness, Inserted, Marks, Parent, Session, StateRef, Store};
use dampf_core::Word;

const HASH_WORDS: usize = 2;

pub struct HashCompactStore {
    hashes: ExactStore,
}

impl HashCompactStore {
    pub fn new() -> Self {
        HashCompactStore { hashes: ExactStore::new(HASH_WORDS) }
    }
}

impl Default for HashCompactStore {
    fn default() -> Self {
        HashCompactStore::new()
    }
}

fn halves(hash: u64) -> [Word; HASH_WORDS] {
    [(hash >> 32) as Word, hash as Word]
}

impl Store for HashCompactStore {
    type Session<'s> = HashCompactSession<'s>;

    fn session(&self) -> HashCompactSession<'_> {
        HashCompactSession { hashes: self.hashes.session() }
    }

    fn bytes(&self) -> u64 {
        self.hashes.bytes()
    }

    fn exactness(&self) -> Exactness {
        Exactness::Hashed { bits: u64::BITS }
    }
}

pub struct HashCompactSession<'s> {
    hashes: ExactSession<'s>,
}

impl Session for HashCompactSession<'_> {
    /// The hash of the state, and that of the hash.
    type Pending = (u64, u64);

    #[inline]
    fn prepare(&mut self, words: &[Word]) -> (u64, u64) {
        let hash = hash_words(words);
        (hash, self.hashes.prepare(&halves(hash)))
    }

    #[inline]
    fn commit(&mut self, (hash, pending): (u64, u64), _: &[Word], parent: Option<StateRef>) -> Inserted {
        self.hashes.commit(pending, &halves(hash), parent)
    }

    fn contains(&mut self, (hash, pending): (u64, u64), _: &[Word]) -> bool {
        self.hashes.contains(pending, &halves(hash))
    }

    fn quiesce(&mut self) {
        self.hashes.quiesce();
    }
}

impl Parent for HashCompactStore {
    fn parent(&self, state: StateRef) -> Option<StateRef> {
        self.hashes.parent(state)
    }
}

impl Marks for HashCompactStore {
    fn mark(&self, state: StateRef, bits: u32) -> u32 {
        self.hashes.mark(state, bits)
    }

    fn unmark(&self, state: StateRef, bits: u32) {
        self.hashes.unmark(state, bits);
    }

    fn marks(&self, state: StateRef) -> u32 {
        self.hashes.marks(state)
    }
}
