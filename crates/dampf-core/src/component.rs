//! Components: the large or variable parts of states, interned and named by 32-bit ids.
//!
//! A memory page, a stack, a heap block, the contents of an unbounded queue: a state names it by id, so an
//! unchanged component costs nothing, and only what changed is hashed again. Equal contents have equal ids,
//! which is what makes the words of two equal states equal (the papers' collapse compression and incremental
//! hashing in one mechanism).
//!
//! The table is split by hash into shards. Ids are dense within a shard, and the shard's number is their low bits.
//! Looking for contents takes the shard's reader-writer lock; contents are never moved or freed, so
//! [`ComponentTable::get`] takes none and hands out plain references.

use crate::interning::{HashIndex, locate, places, segments};
use crate::{Ground, Heap, Word};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

const SHARD_BITS: u32 = 6;
const SHARDS: usize = 1 << SHARD_BITS;
const SEGMENTS: usize = segments(32 - SHARD_BITS);

/// Room for contents is taken in pieces of this many words, the first ones smaller.
const PIECE_WORDS_MIN: usize = 1 << 8;
const PIECE_WORDS_MAX: usize = 1 << 16;

/// The name of an interned component. Ids mean something in their own table only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ComponentId(pub Word);

/// The contents behind component ids, shared by all workers of a model.
pub struct ComponentTable {
    shards: [Shard; SHARDS],
    ground: Arc<dyn Ground>,
}

#[derive(Default)]
struct Shard {
    /// Where contents are, by index: their length and, behind it, their words. In segments that are made when they are
    /// needed.
    places: [OnceLock<Box<[AtomicPtr<Word>]>>; SEGMENTS],
    filling: RwLock<Filling>,
}

#[derive(Default)]
struct Filling {
    index: HashIndex,
    /// What is left of the last piece.
    rest: Rest,
    /// Bytes of pieces and places.
    bytes: usize,
}

/// Words that nothing was put into yet.
struct Rest {
    start: NonNull<Word>,
    words: usize,
}

impl Default for Rest {
    fn default() -> Self {
        Rest { start: NonNull::dangling(), words: 0 }
    }
}

// SAFETY: a rest belongs to its shard, under whose lock it is written; the ground's memory can be used by all threads.
unsafe impl Send for Rest {}
// SAFETY: as above; a shared rest is not even read.
unsafe impl Sync for Rest {}

impl Filling {
    /// Puts contents where they stay, with their length before them.
    fn put(&mut self, contents: &[Word], ground: &dyn Ground) -> NonNull<Word> {
        let length = Word::try_from(contents.len()).expect("a component has no more words than a word counts");
        let needed = contents.len() + 1;
        if self.rest.words < needed {
            let words = needed.max((self.bytes / size_of::<Word>()).clamp(PIECE_WORDS_MIN, PIECE_WORDS_MAX));
            self.rest = Rest { start: ground.piece(words * size_of::<Word>()).cast(), words };
            self.bytes += words * size_of::<Word>();
        }
        let start = self.rest.start;
        // SAFETY: the rest has room for the length and the contents, and nobody else writes or yet reads there.
        unsafe {
            start.write(length);
            start.add(1).copy_from_nonoverlapping(NonNull::from(contents).cast(), contents.len());
            self.rest = Rest { start: start.add(needed), words: self.rest.words - needed };
        }
        start
    }
}

impl Shard {
    #[inline]
    fn get(&self, index: u32) -> &[Word] {
        let (segment, place) = locate(index);
        let segment = self.places[segment].get().expect("an id is handed out after its contents were placed");
        // ORDERING: Acquire pairs with the Release in `intern`.
        let start = segment[place].load(Ordering::Acquire);
        // SAFETY: written once by `put` and then published; it stays as it is while the table, and with it the ground,
        // is there.
        unsafe { std::slice::from_raw_parts(start.add(1), *start as usize) }
    }
}

impl Default for ComponentTable {
    fn default() -> Self {
        ComponentTable::on(Arc::new(Heap::default()))
    }
}

impl ComponentTable {
    pub fn new() -> Self {
        Self::default()
    }

    /// A table whose contents lie on a ground.
    pub fn on(ground: Arc<dyn Ground>) -> Self {
        ComponentTable { shards: std::array::from_fn(|_| Shard::default()), ground }
    }

    /// The id of these contents; the same for equal contents, whichever thread asks.
    pub fn intern(&self, contents: &[Word]) -> ComponentId {
        let hash = hash_words(contents);
        let number = (hash >> (64 - SHARD_BITS)) as u32;
        let shard = &self.shards[number as usize];
        let id = |index: u32| ComponentId(index << SHARD_BITS | number);
        let hash = hash as u32;
        let matches = |index: u32| *shard.get(index) == *contents;
        if let Some(found) = shard.filling.read().expect(UNHARMED).index.find(hash, matches) {
            return id(found);
        }
        let mut filling = shard.filling.write().expect(UNHARMED);
        // Another thread may have been here between the two locks.
        if let Some(found) = filling.index.find(hash, matches) {
            return id(found);
        }
        let new = filling.index.len();
        assert!(new < 1 << (32 - SHARD_BITS), "component ids are used up");
        let start = filling.put(contents, &*self.ground);
        let (segment, place) = locate(new);
        let segment = shard.places[segment].get_or_init(|| {
            filling.bytes += places(segment) * size_of::<AtomicPtr<Word>>();
            (0..places(segment)).map(|_| AtomicPtr::default()).collect()
        });
        // ORDERING: Release publishes the contents to readers that take no lock.
        segment[place].store(start.as_ptr(), Ordering::Release);
        filling.index.add(hash);
        id(new)
    }

    /// The contents behind an id of this table.
    #[inline]
    pub fn get(&self, id: ComponentId) -> &[Word] {
        self.shards[(id.0 & (SHARDS as u32 - 1)) as usize].get(id.0 >> SHARD_BITS)
    }

    /// How many components each shard has.
    pub fn counts(&self) -> Vec<u32> {
        self.shards.iter().map(|shard| shard.filling.read().expect(UNHARMED).index.len()).collect()
    }

    /// The name of a shard's component, by its number there. Numbers are given in order.
    pub fn id_in_shard(shard: usize, number: u32) -> ComponentId {
        ComponentId(number << SHARD_BITS | shard as u32)
    }

    /// The number of distinct components.
    pub fn len(&self) -> usize {
        self.fold(|filling| filling.index.len() as usize)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes the contents occupy, their bookkeeping included.
    pub fn bytes(&self) -> usize {
        self.fold(|filling| filling.bytes + filling.index.bytes())
    }

    fn fold(&self, count: impl Fn(&Filling) -> usize) -> usize {
        self.shards.iter().map(|shard| count(&shard.filling.read().expect(UNHARMED))).sum()
    }
}

const UNHARMED: &str = "no thread panics while it holds a shard";

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
