//! The table of distinct lines.
//!
//! Lines are spread by hash over shards; each shard has an index behind a reader-writer lock and the lines
//! themselves in segments that never move, so [`LineTable::get`] takes no lock. The shard's number is the low bits of an id.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::sync::RwLock;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

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
const SHARDS: usize = 1 << SHARD_BITS;
const FIRST_BITS: u32 = 6;
const SEGMENTS: usize = (33 - SHARD_BITS - FIRST_BITS) as usize;

pub struct LineTable {
    shards: Box<[Shard]>,
    /// Bytes of lines and indices.
    bytes: AtomicUsize,
}

struct Shard {
    segments: [AtomicPtr<Line>; SEGMENTS],
    index: RwLock<Index>,
}

/// Open addressing; a slot is the upper half of a hash and, below it, the line's index + 1. Zero is empty.
struct Index {
    slots: Vec<u64>,
    len: u32,
}

impl Index {
    #[inline]
    fn find(&self, hash: u64, matches: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if slot >> 32 == hash >> 32 && matches(slot as u32 - 1) {
                return Ok(slot as u32 - 1);
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![0; old.len() * 2];
        let mask = self.slots.len() - 1;
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut at = hash_of(slot as u32 - 1) as usize & mask;
            while self.slots[at] != 0 {
                at = (at + 1) & mask;
            }
            self.slots[at] = slot;
        }
    }
}

#[inline]
fn locate(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + (1 << FIRST_BITS);
    let top = 63 - shifted.leading_zeros();
    ((top - FIRST_BITS) as usize, (shifted - (1 << top)) as usize)
}

fn segment_layout(segment: usize) -> Layout {
    Layout::array::<Line>(1 << (FIRST_BITS as usize + segment)).expect("a segment fits the address space")
}

impl Default for LineTable {
    fn default() -> Self {
        Self::new()
    }
}

impl LineTable {
    pub fn new() -> Self {
        let shard = || Shard {
            segments: std::array::from_fn(|_| AtomicPtr::default()),
            index: RwLock::new(Index { slots: vec![0; 256], len: 0 }),
        };
        let table = LineTable { shards: (0..SHARDS).map(|_| shard()).collect(), bytes: AtomicUsize::new(0) };
        // The first id of the first shard is the zero line, which is never looked up by hash.
        let mut index = table.shards[0].index.write().expect("not shared yet");
        table.place(&table.shards[0], 0, &Line::ZERO);
        index.len = 1;
        drop(index);
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
        // The shard's bits are the top of the hash: the tag must not repeat them.
        let hash = hash << SHARD_BITS | u64::from(number);
        let shard = &self.shards[number as usize];
        let id = |index: u32| index << SHARD_BITS | number;
        let matches = |index: u32| self.get(id(index)) == line;
        if let Ok(found) = shard.index.read().expect("nothing panics under this lock").find(hash, matches) {
            return id(found);
        }
        let mut index = shard.index.write().expect("nothing panics under this lock");
        let slot = match index.find(hash, matches) {
            Ok(found) => return id(found),
            Err(slot) => slot,
        };
        let new = index.len;
        assert!(new < 1 << (32 - SHARD_BITS), "ids of memory lines are used up");
        self.place(shard, new, line);
        index.slots[slot] = hash & !u64::from(u32::MAX) | u64::from(new + 1);
        index.len += 1;
        if index.len as usize * 4 > index.slots.len() * 3 {
            self.bytes.fetch_add(index.slots.len() * size_of::<u64>(), Ordering::Relaxed);
            index.grow(|index| {
                let hash = self.get(id(index)).hash();
                hash << SHARD_BITS | u64::from(number)
            });
        }
        id(new)
    }

    /// Writes a new line of a shard; the caller holds the shard's lock.
    fn place(&self, shard: &Shard, index: u32, line: &Line) {
        let (segment, offset) = locate(index);
        let mut pointer = shard.segments[segment].load(Ordering::Relaxed);
        if pointer.is_null() {
            let layout = segment_layout(segment);
            // SAFETY: the layout is not empty.
            pointer = unsafe { alloc_zeroed(layout) }.cast();
            if pointer.is_null() {
                handle_alloc_error(layout);
            }
            // ORDERING: Release publishes the segment to readers that take no lock.
            shard.segments[segment].store(pointer, Ordering::Release);
        }
        self.bytes.fetch_add(LINE_BYTES, Ordering::Relaxed);
        // SAFETY: within the segment, and nobody else writes or yet reads this place.
        unsafe { pointer.add(offset).write(*line) };
    }

    /// The number of distinct lines.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.index.read().expect("nothing panics under this lock").len as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed) + SHARDS * 256 * size_of::<u64>()
    }
}

impl Drop for LineTable {
    fn drop(&mut self) {
        for shard in &mut self.shards {
            for (number, segment) in shard.segments.iter_mut().enumerate() {
                let pointer = *segment.get_mut();
                if !pointer.is_null() {
                    // SAFETY: allocated in `place` with this layout; no reference outlives the table.
                    unsafe { dealloc(pointer.cast(), segment_layout(number)) };
                }
            }
        }
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
