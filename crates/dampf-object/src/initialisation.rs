//! Which bytes of the heap and of stacks have been written since they are there, where that is checked.
//!
//! A bit per byte, kept in the region's own tree beyond the addresses that the program can use: eight lines of memory
//! share a line of bits. On the heap, reading bytes of which none was written is a fault of the user's code. Local
//! variables are copied with what surrounds them, and fields of a few bits are written by way of their neighbours. So a
//! local variable that was never written may be read, and it is a fault if the code behind the read lets a branch or an
//! address depend on the value. A copy counts as written. Libraries may read what they like.

use crate::access::lines;
use crate::layout::{Region, STACK_BITS};
use crate::machine::Machine;
use crate::memory::Memory;
use dampf_rv::decode::Code;

/// Where an arena's bits begin, from its base.
const BITS: u64 = 0x4000_0000;

/// The instructions behind a read that are looked at.
const INSTRUCTIONS_MAX: usize = 64;

impl Memory<'_> {
    fn place_of_bits(region: Region, address: u64) -> (u64, usize) {
        match region {
            Region::Stack(_) => {
                let line = (region.base(0) - 1 - address) / 64;
                (region.base(0) - STACK_BITS - (line / 8 + 1) * 64, (line % 8) as usize * 8)
            }
            _ => {
                let line = (address - region.base(0)) / 64;
                (region.base(0) + BITS + line / 8 * 64, (line % 8) as usize * 8)
            }
        }
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

impl Machine<'_> {
    /// Looks at where the running thread's stack pointer is now. What was made room for has not been written yet, and
    /// what was left does not count.
    pub fn note_stack_pointer(&mut self, sp: u64) {
        let before = std::mem::replace(&mut self.step.sp_noted, sp);
        let region = Region::Stack(self.threads.running);
        let (from, to) = (before.min(sp), before.max(sp));
        let is_own = |address| Region::of(address, self.slots()) == Some(region);
        if from == to || !is_own(from) || !is_own(to - 1) {
            return;
        }
        for (line, mask) in lines(from, to - from) {
            self.memory.set_initialised(region, line, 0, mask);
        }
    }
}

/// Whether the value that an instruction loads decides what happens next: whether a branch or an address depends on it
/// before control goes elsewhere.
pub fn decides(code: &Code, load: u64) -> bool {
    let Some(instruction) = code.at(load) else { return false };
    let mut holding = instruction.defines();
    let mut pc = load + u64::from(instruction.length);
    for _ in 0..INSTRUCTIONS_MAX {
        let Some(instruction) = code.at(pc) else { return false };
        let depends = instruction.uses() & holding != 0;
        let access = instruction.memory_access();
        match access {
            Some(access) if holding >> access.base & 1 == 1 => return true,
            None if instruction.transfers_control() => return depends,
            _ => {}
        }
        holding &= !instruction.defines();
        if depends && access.is_none() {
            holding |= instruction.defines();
        }
        if holding == 0 {
            return false;
        }
        pc += u64::from(instruction.length);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the first of some instructions loads a value that decides.
    fn first_decides(words: &[u32]) -> bool {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        decides(&Code::new(&[(0x1000, &bytes)]), 0x1000)
    }

    #[test]
    fn branches_and_addresses_decide() {
        let (load, add_one) = (0xfec4_2783, 0x0017_8793);
        let (store, branch, load_through) = (0xfef4_2423, 0x0007_8463, 0x0007_a783);
        let (set, jump) = (0x0010_0793, 0x0000_006f);
        assert!(first_decides(&[load, branch]) && first_decides(&[load, add_one, branch]));
        assert!(first_decides(&[load, load_through]));
        assert!(!first_decides(&[load, add_one, store, jump]));
        assert!(!first_decides(&[load, set, branch]) && !first_decides(&[load, jump]));
    }
}
