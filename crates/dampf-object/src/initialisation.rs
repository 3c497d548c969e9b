//! Which bytes of the heap have been written since they were allocated, where that is checked.
//!
//! A bit per byte, kept in the arena's own tree behind the addresses that blocks can have: eight lines of the heap
//! share a line of bits. Reading bytes of which none was written is a fault of the user's code; libraries may copy what
//! they like.

use crate::layout::Region;
use crate::memory::Memory;

/// Where an arena's bits begin, from its base.
const BITS: u64 = 0x4000_0000;

impl Memory<'_> {
    fn place_of_bits(region: Region, address: u64) -> (u64, usize) {
        let line = (address - region.base(0)) / 64;
        (region.base(0) + BITS + line / 8 * 64, (line % 8) as usize * 8)
    }

    /// The bytes of a line that have been written, as a mask.
    pub fn initialised(&self, region: Region, address: u64) -> u64 {
        let (place, offset) = Self::place_of_bits(region, address);
        let bytes = &self.space.line(region, place).bytes()[offset..offset + 8];
        u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
    }

    /// Notes which bytes of a line count as written from now on, and which do not.
    pub fn set_initialised(&mut self, region: Region, address: u64, written: u64, forgotten: u64) {
        let before = self.initialised(region, address);
        let after = (before | written) & !forgotten;
        if after != before {
            let (place, offset) = Self::place_of_bits(region, address);
            self.space.line_mut(region, place).bytes_mut()[offset..offset + 8].copy_from_slice(&after.to_le_bytes());
        }
    }
}
