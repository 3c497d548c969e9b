//! The hash-compact store: of every state some bits of a hash, and nothing else.
//!
//! What a state takes does not depend on its size: a byte less than the hash has, and a tenth or two of that for free
//! places. No state is given back and no parents are known, so a search carries the words of states that wait and how
//! it came to them. Two states with the same bits are taken for one, so the store is not exact, and says so.

use crate::fingerprints::{Fingerprints, KEY_BITS};
use crate::hash::hash_words;
use crate::{Exactness, Inserted, Session, StateRef, Store};
use dampf_core::Word;

pub struct HashCompactStore {
    hashes: Fingerprints,
}

impl HashCompactStore {
    /// How many bits of a hash may be kept: whole bytes.
    pub const BITS: std::ops::RangeInclusive<u32> = KEY_BITS;

    /// A store of so many bits a state: a multiple of eight among [`BITS`](Self::BITS).
    pub fn new(bits: u32) -> Self {
        HashCompactStore { hashes: Fingerprints::new(bits) }
    }
}

impl Store for HashCompactStore {
    type Session<'s> = HashCompactSession<'s>;

    fn session(&self) -> HashCompactSession<'_> {
        HashCompactSession { hashes: &self.hashes, shift: u64::BITS - self.hashes.key_bits() }
    }

    fn bytes(&self) -> u64 {
        self.hashes.bytes()
    }

    fn exactness(&self) -> Exactness {
        Exactness::Hashed { bits: self.hashes.key_bits() }
    }
}

pub struct HashCompactSession<'s> {
    hashes: &'s Fingerprints,
    /// How many bits of a hash are not kept.
    shift: u32,
}

impl Session for HashCompactSession<'_> {
    /// What is kept of the hash.
    type Pending = u64;

    #[inline]
    fn prepare(&mut self, words: &[Word]) -> u64 {
        let key = hash_words(words) >> self.shift;
        self.hashes.prefetch(key);
        key
    }

    #[inline]
    fn commit(&mut self, key: u64, _: &[Word], _: Option<StateRef>) -> Inserted {
        let state = StateRef(key);
        if self.hashes.insert(key) { Inserted::New(state) } else { Inserted::Known(state) }
    }

    fn contains(&mut self, key: u64, _: &[Word]) -> bool {
        self.hashes.contains(key)
    }

    fn quiesce(&mut self) {}
}
