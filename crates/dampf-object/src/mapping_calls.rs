//! `mmap` and what changes mappings: `munmap`, `mprotect`, `madvise`.
//!
//! Only memory of the program's own is mapped, no files. To unmap memory is to write it, as freeing a block is: it
//! races with every access that nothing orders with it. So is to map it anew, or to say that it is not needed. Other
//! rights are no access, but others can notice them.

use crate::layout::Region;
use crate::machine::Machine;
use crate::mappings::{PAGE_BYTES, Rights, address_of, pages_of};
use crate::run_end::RunEnd;
use crate::side_access::MemoryAccess;
use crate::syscalls::number;
use dampf_rv::machine::Hart;
use std::ops::Range;

const A0: usize = 10;
const A7: usize = 17;

const ENOMEM: i64 = -12;
const EINVAL: i64 = -22;

/// No process has so much memory: asking for it fails everywhere.
const ADDRESS_SPACE_BYTES: u64 = 1 << 47;

/// Flags of `mmap`.
const FIXED: u64 = 0x10;
const ANONYMOUS: u64 = 0x20;
const FIXED_NOREPLACE: u64 = 0x10_0000;

/// The advice that the contents of pages are of no use any more.
const DONT_NEED: u64 = 4;

/// Whether a system call with these registers changes mappings that other threads may use.
pub fn is_change(register: impl Fn(usize) -> u64) -> bool {
    let [address, bytes, third, flags] = [0, 1, 2, 3].map(|argument| register(A0 + argument));
    let concerns_mappings = match register(A7) {
        number::MUNMAP | number::MPROTECT => true,
        number::MADVISE => third == DONT_NEED,
        number::MMAP => flags & FIXED != 0,
        _ => false,
    };
    concerns_mappings && pages_of(address, bytes).is_some()
}

/// Whether it takes the contents of memory away.
pub fn is_end(register: impl Fn(usize) -> u64) -> bool {
    register(A7) != number::MPROTECT && is_change(register)
}

/// The memory whose contents are taken away.
pub fn ended(address: u64, bytes: u64) -> Option<MemoryAccess> {
    let pages = pages_of(address, bytes)?;
    Some(MemoryAccess::written(address, address_of(pages.end) - address))
}

impl Machine<'_> {
    pub fn map(&mut self, hart: &Hart) -> Result<i64, RunEnd> {
        let [wanted, bytes, protection, flags] = [0, 1, 2, 3].map(|argument| hart.x[A0 + argument]);
        if flags & ANONYMOUS == 0 {
            return Err(self.refuse("mapping files into memory", hart));
        }
        if bytes == 0 {
            return Ok(EINVAL);
        }
        if bytes >= ADDRESS_SPACE_BYTES {
            return Ok(ENOMEM);
        }
        let (rights, site) = (Rights::of(protection), self.site(hart));
        if flags & (FIXED | FIXED_NOREPLACE) != 0 {
            let own = pages_of(wanted, bytes).filter(|pages| self.process.mappings.cover(pages));
            let (Some(pages), true) = (own, flags & FIXED != 0 && wanted.is_multiple_of(PAGE_BYTES)) else {
                let what = format!("`mmap` with MAP_FIXED at {wanted:#x}, which is not mapped already");
                return Err(self.refuse(&what, hart));
            };
            self.clear_pages(&pages);
            self.process.change().mappings.map_again(&pages, rights, site);
            return Ok(wanted as i64);
        }
        let count = u32::try_from(bytes.div_ceil(PAGE_BYTES)).ok();
        let Some(start) = count.and_then(|count| self.process.change().mappings.map(count, rights, site)) else {
            return Err(self.refuse(&format!("`mmap` of {bytes} bytes"), hart));
        };
        self.memory.forget_translations();
        self.memory.note_write(start, bytes);
        Ok(start as i64)
    }

    pub fn unmap(&mut self, address: u64, bytes: u64, hart: &Hart) -> Result<i64, RunEnd> {
        if !address.is_multiple_of(PAGE_BYTES) || bytes == 0 {
            return Ok(EINVAL);
        }
        let Some(pages) = pages_of(address, bytes) else {
            let what = format!("`munmap` of {}, which `mmap` has not returned", self.place_name(address));
            return Err(self.refuse(&what, hart));
        };
        self.clear_pages(&pages);
        self.process.change().mappings.unmap(&pages);
        Ok(0)
    }

    pub fn protect(&mut self, address: u64, bytes: u64, protection: u64, hart: &Hart) -> Result<i64, RunEnd> {
        let rights = Rights::of(protection);
        if !address.is_multiple_of(PAGE_BYTES) {
            return Ok(EINVAL);
        }
        let Some(pages) = pages_of(address, bytes) else {
            // The C library protects what it has prepared before `main`, and nobody would notice.
            if self.step.before_main || rights == Rights::Writing {
                return Ok(0);
            }
            let what = format!("`mprotect` of {}, which `mmap` has not returned", self.place_name(address));
            return Err(self.refuse(&what, hart));
        };
        if !self.process.mappings.cover(&pages) {
            return Ok(ENOMEM);
        }
        self.memory.forget_translations();
        self.memory.note_write(address, bytes);
        self.process.change().mappings.protect(&pages, rights);
        Ok(0)
    }

    pub fn advise(&mut self, address: u64, bytes: u64, advice: u64) -> i64 {
        match pages_of(address, bytes).filter(|_| advice == DONT_NEED) {
            Some(pages) if !self.process.mappings.cover(&pages) => return ENOMEM,
            Some(pages) => self.clear_pages(&pages),
            None => {}
        }
        0
    }

    /// Pages that hold nothing any more are zero: equal states are to look the same.
    fn clear_pages(&mut self, pages: &Range<u32>) {
        let addresses = address_of(pages.start)..address_of(pages.end);
        let mut written = Vec::new();
        self.memory.space.for_each_line(Region::Maps, &mut |address, line| {
            if addresses.contains(&address) && line.bytes().iter().any(|&byte| byte != 0) {
                written.push(address);
            }
        });
        for address in written {
            self.memory.space.line_mut(Region::Maps, address).bytes_mut().fill(0);
        }
        self.memory.forget_translations();
        self.memory.note_write(addresses.start, addresses.end - addresses.start);
    }

    /// Whether the running thread may not access a byte.
    pub fn is_refused(&mut self, address: u64, write: bool) -> bool {
        let Some(standing) = self.standing(address) else { return true };
        let allowed = if write { standing.writable } else { standing.valid };
        allowed >> (address % 64) & 1 == 0
    }

    /// What was done to memory that must not be accessed, for people.
    pub fn mapped_place(&self, address: u64) -> String {
        let mappings = &self.process.mappings;
        match (mappings.at(address), mappings.unmapped_at(address)) {
            (Some(stretch), _) => {
                let against = if stretch.rights == Rights::Nothing { "every access" } else { "writing" };
                let by = if stretch.is_protected { "mprotect" } else { "mmap" };
                format!("in memory mapped at {}, protected against {against} by {by}", self.caller_place(stretch.site))
            }
            (None, Some(stretch)) => {
                format!("in memory mapped at {} that was unmapped by munmap", self.caller_place(stretch.site))
            }
            (None, None) => "where nothing is mapped, or not any more".to_owned(),
        }
    }
}
