//! Zeroed memory for tables and arrays.
//!
//! Large pieces come straight from the system: zeroed, page by page when first touched, so that an unused rest costs
//! address space only, and given back at once when freed, so that outgrown tables leave no holes in the heap.

use memmap2::MmapMut;
use std::io;

const SYSTEM_MEMORY_FROM: usize = 128 << 10;
/// Pieces of this size on ask for huge pages: they are touched at random, so a page-table entry for every 4 KiB would
/// miss nearly every time.
const HUGE_PAGES_FROM: usize = HUGE_PAGE;
const HUGE_PAGE: usize = 2 << 20;

/// A piece of memory that begins at a cache line's beginning.
pub struct Memory {
    start: *mut u8,
    _owner: Owner,
}

#[expect(dead_code, reason = "kept only to be dropped with the memory")]
enum Owner {
    Heap(Box<[Line]>),
    System(MmapMut),
}

#[repr(C, align(64))]
#[derive(Clone)]
struct Line([u8; 64]);

// SAFETY: whoever uses the memory through its address sees to it that threads agree; the owner is only dropped.
unsafe impl Send for Memory {}
// SAFETY: as above; nothing can be done with a shared `Memory` but to learn its address.
unsafe impl Sync for Memory {}

impl Memory {
    pub fn zeroed(bytes: usize) -> Memory {
        Memory::try_zeroed(bytes).unwrap_or_else(|error| out_of_memory(bytes, &error))
    }

    /// The same for a size that somebody chose: there may not be so much.
    pub fn try_zeroed(bytes: usize) -> io::Result<Memory> {
        if bytes < SYSTEM_MEMORY_FROM {
            let mut lines = vec![Line([0; 64]); bytes.div_ceil(64)].into_boxed_slice();
            return Ok(Memory { start: lines.as_mut_ptr().cast(), _owner: Owner::Heap(lines) });
        }
        let huge = bytes >= HUGE_PAGES_FROM;
        // Huge pages begin at multiples of their size: the address space before the first is not touched.
        let reserved = if huge { bytes.saturating_add(HUGE_PAGE) } else { bytes };
        let mut map = MmapMut::map_anon(reserved)?;
        let skipped = if huge { map.as_ptr().align_offset(HUGE_PAGE) } else { 0 };
        #[cfg(target_os = "linux")]
        if huge {
            // Only a hint: a kernel without huge pages refuses, and nothing is lost but some speed.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Memory { start: map[skipped..].as_mut_ptr(), _owner: Owner::System(map) })
    }

    /// Where the memory begins, for as long as `self` lives.
    pub fn start(&self) -> *mut u8 {
        self.start
    }
}

/// Asks for the cache line at an address that will be read soon.
#[inline]
pub fn fetch(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching has no effect but on speed.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cold]
fn out_of_memory(bytes: usize, error: &io::Error) -> ! {
    panic!("the system has no {bytes} bytes for a table ({error}); a limit (--max-memory) ends a search in time")
}
