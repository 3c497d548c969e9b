//! Components: the large or variable parts of states, interned and named by 32-bit ids.
//!
//! A memory page, a stack, a heap block, the contents of an unbounded queue: a state names it by id, so an
//! unchanged component costs nothing, and only what changed is hashed again. Equal contents have equal ids,
//! which is what makes the words of two equal states equal (the papers' collapse compression and incremental
//! hashing in one mechanism).
//!
//! The table is split by hash into shards. Ids are dense within a shard, and the shard's number is their low bits. Looking for
//! contents takes the shard's reader-writer lock; contents are never moved or freed, so [`ComponentTable::get`] takes none and
//! hands out plain references.

use crate::Word;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{OnceLock, RwLock};

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;

/// The name of an interned component. Ids mean something in their own table only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ComponentId(pub Word);

/// The contents behind component ids, shared by all workers of a model.
pub struct ComponentTable {
    shards: [Shard; SHARDS],
}

#[derive(Default)]
struct Shard {
    contents: Contents,
    index: RwLock<Index>,
}

/// Contents by index, in segments of doubling size that are made when they are needed.
#[derive(Default)]
struct Contents {
    segments: [OnceLock<Box<[Cell]>>; SEGMENTS],
}

type Cell = OnceLock<Box<[Word]>>;

/// The first segment has 2^FIRST_BITS places.
const FIRST_BITS: u32 = 6;
const SEGMENTS: usize = (33 - SHARD_BITS - FIRST_BITS) as usize;

impl Contents {
    fn place(&self, index: u32) -> &Cell {
        let shifted = u64::from(index) + (1 << FIRST_BITS);
        let top = 63 - shifted.leading_zeros();
        let make = || (0..1usize << top).map(|_| OnceLock::new()).collect();
        let segment = self.segments[(top - FIRST_BITS) as usize].get_or_init(make);
        &segment[(shifted - (1 << top)) as usize]
    }

    #[inline]
    fn get(&self, index: u32) -> &[Word] {
        self.place(index).get().expect("an id is handed out after its contents were placed")
    }
}

impl Default for ComponentTable {
    fn default() -> Self {
        ComponentTable { shards: std::array::from_fn(|_| Shard::default()) }
    }
}

#[derive(Default)]
struct Index {
    len: u32,
    /// From the hash of the contents to the indices of the components with that hash.
    by_hash: HashMap<u64, Vec<u32>, BuildHasherDefault<Prehashed>>,
    bytes: usize,
}

impl ComponentTable {
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of these contents; the same for equal contents, whichever thread asks.
    pub fn intern(&self, contents: &[Word]) -> ComponentId {
        let hash = hash_words(contents);
        let shard_number = (hash >> (64 - SHARD_BITS)) as u32;
        let shard = &self.shards[shard_number as usize];
        let find = |index: &Index| {
            let candidates = index.by_hash.get(&hash)?;
            candidates.iter().copied().find(|&index| *shard.contents.get(index) == *contents)
        };
        if let Some(index) = find(&shard.index.read().expect("no thread panics while it holds a shard")) {
            return ComponentId(index << SHARD_BITS | shard_number);
        }
        let mut index = shard.index.write().expect("no thread panics while it holds a shard");
        // Another thread may have been here between the two locks.
        let found = find(&index).unwrap_or_else(|| {
            let new = index.len;
            assert!(new < 1 << (32 - SHARD_BITS), "component ids are used up");
            shard.contents.place(new).set(contents.into()).expect("a new index has no contents yet");
            index.len += 1;
            index.by_hash.entry(hash).or_default().push(new);
            index.bytes += size_of_val(contents) + 64;
            new
        });
        ComponentId(found << SHARD_BITS | shard_number)
    }

    /// The contents behind an id of this table.
    #[inline]
    pub fn get(&self, id: ComponentId) -> &[Word] {
        let shard = &self.shards[(id.0 & (SHARDS as u32 - 1)) as usize];
        shard.contents.get(id.0 >> SHARD_BITS)
    }

    /// The number of distinct components.
    pub fn len(&self) -> usize {
        self.fold(|index| index.len as usize)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes the contents occupy, their bookkeeping included.
    pub fn bytes(&self) -> usize {
        self.fold(|index| index.bytes)
    }

    fn fold(&self, count: impl Fn(&Index) -> usize) -> usize {
        let shards = self.shards.iter();
        shards.map(|shard| count(&shard.index.read().expect("no thread panics while it holds a shard"))).sum()
    }
}

/// A 64-bit hash of words, equal in every process.
fn hash_words(words: &[Word]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15 ^ words.len() as u64;
    for pair in words.chunks(2) {
        let value = u64::from(pair[0]) | pair.get(1).map_or(0, |&high| u64::from(high) << 32);
        let product = u128::from(hash ^ value) * 0xd6e8_feb8_6659_fd93;
        hash = (product as u64) ^ ((product >> 64) as u64);
    }
    hash ^ hash >> 29
}

/// Passes on a key that is a hash already.
#[derive(Default)]
struct Prehashed(u64);

impl Hasher for Prehashed {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are 64-bit hashes")
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_contents_have_one_id_on_all_threads() {
        let table = ComponentTable::new();
        let ids: Vec<Vec<ComponentId>> = std::thread::scope(|scope| {
            let work = || (0..1000).map(|n: u32| table.intern(&vec![n % 250; (n % 7) as usize])).collect();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|of_thread| *of_thread == ids[0]));
        for (n, id) in ids[0].iter().enumerate() {
            let n = n as u32;
            assert_eq!(*table.get(*id), *vec![n % 250; (n % 7) as usize]);
        }
        let mut distinct = ids[0].clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), table.len());
    }
}
