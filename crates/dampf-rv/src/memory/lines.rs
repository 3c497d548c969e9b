//! The table of distinct lines.
//!
//! Lines are spread by hash over shards; each shard has an index behind a reader-writer lock and the lines themselves
//! in segments that never move, so [`LineTable::get`] takes no lock. The shard's number is the low bits of an id.

use dampf_core::interning::{HashIndex, locate, places, segments};
use dampf_core::{Ground, Heap};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};

pub const LINE_BYTES: usize = 64;
/// The id of the line that is all zeros.
pub const ZERO_LINE: u32 = 0;

/// 64 bytes of memory, or a node of a tree: sixteen ids.
#[repr(C, align(64))]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Line(pub [u32; 16]);

impl Line {
    pub const ZERO: Line = Line([0; 16]);

    pub fn bytes(&self) -> &[u8; LINE_BYTES] {
        // SAFETY: sixteen words are 64 bytes without padding, and bytes have no alignment.
        unsafe { &*self.0.as_ptr().cast() }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8; LINE_BYTES] {
        // SAFETY: as above; every byte pattern is a value of words.
        unsafe { &mut *self.0.as_mut_ptr().cast() }
    }

    #[inline]
    fn hash(&self) -> u64 {
        // Four independent chains, so that the multiplications overlap.
        let pair = |at: usize| u64::from(self.0[at]) | u64::from(self.0[at + 1]) << 32;
        let mut lanes = [0x9e37_79b9_7f4a_7c15u64, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x27d4_eb2f_1656_67c5];
        for (number, lane) in lanes.iter_mut().enumerate() {
            *lane = mix(*lane ^ pair(4 * number), 0xd6e8_feb8_6659_fd93);
            *lane = mix(*lane ^ pair(4 * number + 2), 0xa076_1d64_78bd_642f);
        }
        mix(lanes[0] ^ lanes[1].rotate_left(17), lanes[2] ^ lanes[3].rotate_left(29) | 1)
    }
}

#[inline]
fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    product as u64 ^ (product >> 64) as u64
}

const SHARD_BITS: u32 = 5;
/// Tables have so many shards.
pub const SHARDS: usize = 1 << SHARD_BITS;
const SEGMENTS: usize = segments(32 - SHARD_BITS);

pub struct LineTable {
    shards: Box<[Shard]>,
    ground: Arc<dyn Ground>,
    /// Bytes of lines.
    bytes: AtomicUsize,
}

#[derive(Default)]
struct Shard {
    segments: [AtomicPtr<Line>; SEGMENTS],
    index: RwLock<HashIndex>,
}

impl Default for LineTable {
    fn default() -> Self {
        Self::new()
    }
}

impl LineTable {
    pub fn new() -> Self {
        Self::on(Arc::new(Heap::default()))
    }

    /// A table whose lines lie on a ground.
    pub fn on(ground: Arc<dyn Ground>) -> Self {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        let table = LineTable { shards, ground, bytes: AtomicUsize::new(0) };
        // The first id of the first shard is the zero line, which is never looked up by hash.
        let zero = table.shards[0].index.write().expect("not shared yet").add_hidden();
        table.place(&table.shards[0], zero, &Line::ZERO);
        table
    }

    /// The line behind an id of this table.
    #[inline]
    pub fn get(&self, id: u32) -> &Line {
        let shard = &self.shards[(id & (SHARDS as u32 - 1)) as usize];
        let (segment, offset) = locate(id >> SHARD_BITS);
        // ORDERING: Acquire pairs with the Release in `place`.
        let pointer = shard.segments[segment].load(Ordering::Acquire);
        debug_assert!(!pointer.is_null());
        // SAFETY: an id is handed out after its line was written, in a segment that lives as long as the table; written
        // lines never change.
        unsafe { &*pointer.add(offset) }
    }

    /// The id of a line; the same for equal lines, whichever thread asks.
    pub fn intern(&self, line: &Line) -> u32 {
        if *line == Line::ZERO {
            return ZERO_LINE;
        }
        let hash = line.hash();
        let number = (hash >> (64 - SHARD_BITS)) as u32;
        let hash = hash as u32;
        let shard = &self.shards[number as usize];
        let id = |index: u32| index << SHARD_BITS | number;
        let matches = |index: u32| self.get(id(index)) == line;
        if let Some(found) = shard.index.read().expect("nothing panics under this lock").find(hash, matches) {
            return id(found);
        }
        let mut index = shard.index.write().expect("nothing panics under this lock");
        if let Some(found) = index.find(hash, matches) {
            return id(found);
        }
        assert!(index.len() < 1 << (32 - SHARD_BITS), "ids of memory lines are used up");
        self.place(shard, index.len(), line);
        id(index.add(hash))
    }

    /// Writes a new line of a shard; the caller holds the shard's lock.
    fn place(&self, shard: &Shard, index: u32, line: &Line) {
        let (segment, offset) = locate(index);
        let mut pointer = shard.segments[segment].load(Ordering::Relaxed);
        if pointer.is_null() {
            pointer = self.ground.piece(places(segment) * LINE_BYTES).cast().as_ptr();
            // ORDERING: Release publishes the segment to readers that take no lock.
            shard.segments[segment].store(pointer, Ordering::Release);
        }
        self.bytes.fetch_add(LINE_BYTES, Ordering::Relaxed);
        // SAFETY: within the segment, and nobody else writes or yet reads this place.
        unsafe { pointer.add(offset).write(*line) };
    }

    /// How many lines each shard has.
    pub fn counts(&self) -> Vec<u32> {
        self.shards.iter().map(|shard| shard.index.read().expect("nothing panics under this lock").len()).collect()
    }

    /// The id of a shard's line, by its number there. Numbers are given in order.
    pub fn id_in_shard(shard: usize, number: u32) -> u32 {
        number << SHARD_BITS | shard as u32
    }

    /// The number of distinct lines.
    pub fn len(&self) -> usize {
        self.fold(|index| index.len() as usize)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed) + self.fold(HashIndex::bytes)
    }

    fn fold(&self, count: impl Fn(&HashIndex) -> usize) -> usize {
        self.shards.iter().map(|shard| count(&shard.index.read().expect("nothing panics under this lock"))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seed: u32) -> Line {
        Line(std::array::from_fn(|at| if at == (seed % 16) as usize { seed } else { seed / 16 % 7 }))
    }

    #[test]
    fn equal_lines_have_one_id_on_all_threads() {
        let table = LineTable::new();
        let ids: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let work = || (0..20_000).map(|seed| table.intern(&line(seed))).collect();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|of_thread| *of_thread == ids[0]));
        for (seed, &id) in ids[0].iter().enumerate() {
            assert_eq!(*table.get(id), line(seed as u32));
        }
        assert_eq!(table.intern(&Line::ZERO), ZERO_LINE);
        assert_eq!(*table.get(ZERO_LINE), Line::ZERO);
    }
}
