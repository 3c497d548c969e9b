//! An array that grows at its end without moving: segments of doubling size, allocated when first needed.
//!
//! Elements are atomics that are zero until written. Whoever writes an element publishes its index through
//! some other atomic with Release; readers that got the index with Acquire may read it Relaxed.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Types whose zeroed memory is a value.
///
/// # Safety
/// All-zero bytes are a valid value of the type, and it needs no drop.
pub unsafe trait Zeroed: Sync {}
// SAFETY: zero is a valid atomic integer.
unsafe impl Zeroed for AtomicU32 {}
// SAFETY: zero is a valid atomic integer.
unsafe impl Zeroed for AtomicU64 {}

const FIRST_BITS: u32 = 14;
const SEGMENTS: usize = 64 - FIRST_BITS as usize;

pub struct Segments<T: Zeroed> {
    segments: [AtomicPtr<T>; SEGMENTS],
}

// SAFETY: the segments are shared memory of `Sync` elements, which is what the pointers are used as.
unsafe impl<T: Zeroed> Send for Segments<T> {}
// SAFETY: as above; segments are installed by compare-and-swap.
unsafe impl<T: Zeroed> Sync for Segments<T> {}

/// The segment of an index, and the place within.
#[inline]
fn locate(index: u64) -> (usize, usize) {
    let shifted = index + (1 << FIRST_BITS);
    let top = 63 - shifted.leading_zeros();
    ((top - FIRST_BITS) as usize, (shifted - (1 << top)) as usize)
}

impl<T: Zeroed> Segments<T> {
    pub fn new() -> Self {
        Segments { segments: std::array::from_fn(|_| AtomicPtr::default()) }
    }

    /// The element at `index`, whose segment exists: an index that was made ready before.
    #[inline]
    pub fn get(&self, index: u64) -> &T {
        let (segment, offset) = locate(index);
        // ORDERING: Acquire pairs with the Release in `ready`: whoever sees the pointer sees zeroed memory.
        let pointer = self.segments[segment].load(Ordering::Acquire);
        debug_assert!(!pointer.is_null());
        // SAFETY: the segment was allocated with a size that covers `offset`, and lives as long as `self`.
        unsafe { &*pointer.add(offset) }
    }

    /// Makes the element at `index` usable.
    #[inline]
    pub fn ready(&self, index: u64) -> &T {
        let (segment, offset) = locate(index);
        // ORDERING: Acquire as in `get`.
        let mut pointer = self.segments[segment].load(Ordering::Acquire);
        if pointer.is_null() {
            pointer = self.allocate(segment);
        }
        // SAFETY: as in `get`.
        unsafe { &*pointer.add(offset) }
    }

    #[cold]
    fn allocate(&self, segment: usize) -> *mut T {
        let layout = segment_layout::<T>(segment);
        // SAFETY: the layout is not empty. Zeroed memory of this size comes untouched from the system, so an
        // unused rest of a segment costs address space only.
        let fresh = unsafe { alloc_zeroed(layout) }.cast::<T>();
        if fresh.is_null() {
            handle_alloc_error(layout);
        }
        let slot = &self.segments[segment];
        // ORDERING: Release publishes the zeroed memory; Acquire on failure to use the winner's.
        match slot.compare_exchange(std::ptr::null_mut(), fresh, Ordering::Release, Ordering::Acquire) {
            Ok(_) => fresh,
            Err(winner) => {
                // SAFETY: allocated above with this layout and shared with nobody.
                unsafe { dealloc(fresh.cast(), layout) };
                winner
            }
        }
    }
}

fn segment_layout<T>(segment: usize) -> Layout {
    Layout::array::<T>(1 << (FIRST_BITS as usize + segment)).expect("a segment fits the address space")
}

impl<T: Zeroed> Drop for Segments<T> {
    fn drop(&mut self) {
        for (number, segment) in self.segments.iter_mut().enumerate() {
            let pointer = *segment.get_mut();
            if !pointer.is_null() {
                // SAFETY: allocated in `allocate` with the same layout; no references outlive `self`.
                unsafe { dealloc(pointer.cast(), segment_layout::<T>(number)) };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_its_own_element() {
        let array = Segments::<AtomicU32>::new();
        for index in 0..100_000u64 {
            array.ready(index).store(index as u32 + 1, Ordering::Relaxed);
        }
        assert!((0..100_000u64).all(|index| array.get(index).load(Ordering::Relaxed) == index as u32 + 1));
    }
}
