//! An array of records that grows at its end without moving: segments of doubling size, allocated when first needed.
//!
//! A record is a fixed number of words, which are atomics and zero until written. Whoever writes a record publishes
//! its index through some other atomic with Release; readers that got the index with Acquire may read it Relaxed.

use crate::memory::{Memory, fetch};
use dampf_core::Word;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

const FIRST_BITS: u32 = 12;
const SEGMENTS: usize = 64 - FIRST_BITS as usize;

pub struct Segments {
    /// Where each segment begins; null where there is none yet.
    segments: [AtomicPtr<AtomicU32>; SEGMENTS],
    memory: Mutex<Vec<Memory>>,
    /// Words of a record.
    width: usize,
}

/// The segment of an index, and the place within.
#[inline]
fn locate(index: u64) -> (usize, usize) {
    let shifted = index + (1 << FIRST_BITS);
    let top = 63 - shifted.leading_zeros();
    ((top - FIRST_BITS) as usize, (shifted - (1 << top)) as usize)
}

/// One record.
#[derive(Clone, Copy)]
pub struct Record<'s>(&'s [AtomicU32]);

impl Record<'_> {
    /// Whether these words, and zeros behind them, are the record.
    #[inline]
    pub fn is(self, words: &[Word]) -> bool {
        let (head, rest) = self.0.split_at(words.len());
        head.iter().zip(words).all(|(stored, &word)| stored.load(Ordering::Relaxed) == word)
            && rest.iter().all(|stored| stored.load(Ordering::Relaxed) == 0)
    }

    /// Copies the record's beginning.
    #[inline]
    pub fn read(self, words: &mut [Word]) {
        for (word, stored) in words.iter_mut().zip(self.0) {
            *word = stored.load(Ordering::Relaxed);
        }
    }

    /// Writes these words, and zeros behind them, into a record that nobody was told of yet.
    #[inline]
    pub fn write(self, words: &[Word]) {
        let words = words.iter().copied().chain(std::iter::repeat(0));
        for (stored, word) in self.0.iter().zip(words) {
            stored.store(word, Ordering::Relaxed);
        }
    }

    /// One word, for those who order what they do with it themselves.
    #[inline]
    pub fn part(&self, word: usize) -> &AtomicU32 {
        &self.0[word]
    }

    /// Adds bits to the only word of a record of one; returns the word as it was.
    #[inline]
    pub fn add_bits(self, bits: Word) -> Word {
        // ORDERING: AcqRel: whoever sees a bit sees what was done before it was added, and bits of one word have one
        // order.
        self.0[0].fetch_or(bits, Ordering::AcqRel)
    }

    /// Takes bits out of the only word of a record of one.
    #[inline]
    pub fn take_bits(self, bits: Word) {
        // ORDERING: as in `add_bits`.
        self.0[0].fetch_and(!bits, Ordering::AcqRel);
    }

    /// The only word of a record of one.
    #[inline]
    pub fn word(self) -> Word {
        // ORDERING: Acquire pairs with the changes of bits: whoever sees one sees what was done before it.
        self.0[0].load(Ordering::Acquire)
    }
}

impl Segments {
    /// An empty array of records of `width` words.
    pub fn of_width(width: usize) -> Self {
        assert!(width > 0, "a record has words");
        Segments { segments: std::array::from_fn(|_| AtomicPtr::default()), memory: Mutex::default(), width }
    }

    /// The record at `index`, whose segment exists: an index that was made ready before.
    #[inline]
    pub fn get(&self, index: u64) -> Record<'_> {
        let (segment, offset) = locate(index);
        // ORDERING: Acquire pairs with the Release in `allocate`: whoever sees the pointer sees zeroed memory.
        let pointer = self.segments[segment].load(Ordering::Acquire);
        debug_assert!(!pointer.is_null());
        // SAFETY: the segment was allocated with a size that covers the record, and lives as long as `self`.
        Record(unsafe { std::slice::from_raw_parts(pointer.add(offset * self.width), self.width) })
    }

    /// Asks for the memory of the record at `index`, whose segment exists.
    #[inline]
    pub fn fetch(&self, index: u64) {
        fetch(self.get(index).0.as_ptr().cast());
    }

    /// Makes the record at `index` usable.
    #[inline]
    pub fn ready(&self, index: u64) -> Record<'_> {
        let (segment, _) = locate(index);
        // ORDERING: Acquire as in `get`.
        if self.segments[segment].load(Ordering::Acquire).is_null() {
            self.allocate(segment);
        }
        self.get(index)
    }

    #[cold]
    fn allocate(&self, segment: usize) {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let start = &self.segments[segment];
        // The lock orders this load behind the store of whoever was here before.
        if start.load(Ordering::Relaxed).is_null() {
            let fresh = Memory::zeroed((self.width << (FIRST_BITS as usize + segment)) * size_of::<AtomicU32>());
            // ORDERING: Release publishes the zeroed memory to those who load the pointer with Acquire.
            start.store(fresh.start().cast(), Ordering::Release);
            memory.push(fresh);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_its_own_record() {
        let array = Segments::of_width(3);
        for index in 0..100_000 {
            array.ready(u64::from(index)).write(&[index, 7, index + 1]);
        }
        let mut read = [0; 3];
        for index in 0..100_000 {
            array.get(u64::from(index)).read(&mut read);
            assert_eq!(read, [index, 7, index + 1]);
            assert!(array.get(u64::from(index)).is(&read));
        }
    }
}
