//! Where things are in the address space of a checked program.
//!
//! The image lies where its file says, below 1 GiB. What the program gets from the system or from us lies at fixed
//! places above: threads have slots, and every slot has its own heap arenas, thread-local storage and stack. Addresses
//! are therefore a function of who allocates and in which order *that thread* does, not of the interleaving, and
//! interleavings that come to the same program state have the same memory.

/// Ends the addresses an image may use.
pub const IMAGE_END: u64 = 0x4000_0000;
/// The C library's `brk` area: the main thread's thread-local storage.
pub const BREAK: u64 = 0x4000_0000;
/// What the program maps.
pub const MAPS: u64 = 0x5000_0000;
/// Heap blocks that the libraries allocate for themselves.
pub const LIBRARY_HEAP: u64 = 0x6000_0000;
const FIXED_END: u64 = 0x8000_0000;

const SLOTS: u64 = 0x800_0000_0000;
const SLOT: u64 = 0x1_0000_0000;
const ARENA: u64 = 0x4000_0000;
const TLS: u64 = 0x8000_0000;
const STACK_TOP: u64 = 0xffff_0000;
/// A thread's stack may grow to this size.
pub const STACK_BYTES: u64 = 8 << 20;

/// How far below the end of its memory a stack's tree has the bits that say what was written (see `initialisation`).
pub const STACK_BITS: u64 = 4 * STACK_BYTES;

/// Whether an address of a stack's tree is that of such bits.
pub fn is_stack_bits(address: u64) -> bool {
    address >= SLOTS && address % SLOT < STACK_TOP - STACK_BYTES
}

/// Where compiled code says which bytes of a stack are no variable's: a byte about eight, as AddressSanitizer has it
/// for this machine. What is said about the threads' stacks lies between the fixed parts and the slots.
const SHADOW: u64 = 1 << 29;
/// So many bytes are told about by a byte of the shadow.
pub const GRANULE_BYTES: u64 = 8;
/// So many lines of a stack are told about by a line of the shadow, which is kept behind them in the stack's tree.
const LINES_PER_SHADOW_LINE: u32 = 8;

/// Where it is said which of the eight bytes at an address are no variable's.
#[inline]
pub fn shadow_of(address: u64) -> u64 {
    address / GRANULE_BYTES + SHADOW
}

/// The bytes that a byte of the shadow is about.
#[inline]
pub fn shadowed_by(address: u64) -> u64 {
    (address - SHADOW) * GRANULE_BYTES
}

/// Whether an address is in the shadow of what threads have.
#[inline]
pub fn is_shadow(address: u64) -> bool {
    (SLOTS / GRANULE_BYTES + SHADOW..SLOTS).contains(&address)
}

/// Places that are no code: a thread that returns to one of them is at the end of a stage of its life.
pub const RETURN_FROM_START: u64 = 0x7fff_f000;
pub const RETURN_FROM_BODY: u64 = 0x7fff_f010;
pub const RETURN_FROM_LOCAL_DESTRUCTORS: u64 = 0x7fff_f020;
pub const RETURN_FROM_KEY_DESTRUCTORS: u64 = 0x7fff_f030;
/// Where a signal handler returns to.
pub const RETURN_FROM_HANDLER: u64 = 0x7fff_f028;
/// Where a thread arrives that has left all its functions at once.
pub const RETURN_FROM_UNWINDING: u64 = 0x7fff_f038;

/// Stands for the clock where it is told what a step reads and writes. No memory is there.
pub const CLOCK: u64 = 0x7fff_e000;

/// Whether an address is one of those places. They can be read, as zeros: the unwinder looks at the code it returns to.
pub fn is_return_place(address: u64) -> bool {
    (RETURN_FROM_START..RETURN_FROM_START + 64).contains(&address)
}

/// A part of the address space with its own tree of lines.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Region {
    /// The image's writable data.
    Globals,
    Break,
    Maps,
    LibraryHeap,
    /// Heap blocks of a slot's thread that other threads may use.
    Shared(u32),
    /// Heap blocks of a slot's thread that it keeps to itself.
    Private(u32),
    Tls(u32),
    Stack(u32),
}

/// How many regions there are before those of slots.
const FIXED_REGIONS: usize = 4;
const REGIONS_PER_SLOT: usize = 4;

impl Region {
    pub fn count(slots: usize) -> usize {
        FIXED_REGIONS + REGIONS_PER_SLOT * slots
    }

    #[inline]
    pub fn number(self) -> usize {
        let of_slot = |slot: u32, kind: usize| FIXED_REGIONS + REGIONS_PER_SLOT * slot as usize + kind;
        match self {
            Region::Globals => 0,
            Region::Break => 1,
            Region::Maps => 2,
            Region::LibraryHeap => 3,
            Region::Shared(slot) => of_slot(slot, 0),
            Region::Private(slot) => of_slot(slot, 1),
            Region::Tls(slot) => of_slot(slot, 2),
            Region::Stack(slot) => of_slot(slot, 3),
        }
    }

    /// The slot that a region belongs to, if it is a thread's.
    pub fn slot(self) -> Option<u32> {
        match self {
            Region::Globals | Region::Break | Region::Maps | Region::LibraryHeap => None,
            Region::Shared(slot) | Region::Private(slot) | Region::Tls(slot) | Region::Stack(slot) => Some(slot),
        }
    }

    pub fn from_number(number: usize) -> Region {
        match number {
            0 => Region::Globals,
            1 => Region::Break,
            2 => Region::Maps,
            3 => Region::LibraryHeap,
            _ => {
                let slot = ((number - FIXED_REGIONS) / REGIONS_PER_SLOT) as u32;
                match (number - FIXED_REGIONS) % REGIONS_PER_SLOT {
                    0 => Region::Shared(slot),
                    1 => Region::Private(slot),
                    2 => Region::Tls(slot),
                    _ => Region::Stack(slot),
                }
            }
        }
    }

    /// The region of an address outside of the image, if there is one.
    #[inline]
    pub fn of(address: u64, slots: usize) -> Option<Region> {
        if address >= SLOTS {
            let slot = (address - SLOTS) / SLOT;
            if slot >= slots as u64 {
                return None;
            }
            let slot = slot as u32;
            let offset = address % SLOT;
            return match offset {
                0..ARENA => Some(Region::Shared(slot)),
                ARENA..TLS => Some(Region::Private(slot)),
                TLS..0x9000_0000 => Some(Region::Tls(slot)),
                _ if (STACK_TOP - STACK_BYTES..STACK_TOP).contains(&offset) => Some(Region::Stack(slot)),
                _ => None,
            };
        }
        match address {
            BREAK..MAPS => Some(Region::Break),
            MAPS..LIBRARY_HEAP => Some(Region::Maps),
            LIBRARY_HEAP..0x7000_0000 => Some(Region::LibraryHeap),
            _ if is_shadow(address) => {
                Region::of(shadowed_by(address), slots).filter(|region| matches!(region, Region::Stack(_)))
            }
            _ => None,
        }
    }

    /// The first address; for a stack the address behind its last byte.
    pub fn base(self, globals: u64) -> u64 {
        let slot_base = |slot: u32| SLOTS + u64::from(slot) * SLOT;
        match self {
            Region::Globals => globals,
            Region::Break => BREAK,
            Region::Maps => MAPS,
            Region::LibraryHeap => LIBRARY_HEAP,
            Region::Shared(slot) => slot_base(slot),
            Region::Private(slot) => slot_base(slot) + ARENA,
            Region::Tls(slot) => slot_base(slot) + TLS,
            Region::Stack(slot) => slot_base(slot) + STACK_TOP,
        }
    }

    /// The index of an address's line in the region's tree. Stacks count downwards, so that a little used one is
    /// a small tree, and every eight lines are followed by the line of their shadow.
    #[inline]
    pub fn line_index(self, address: u64, globals: u64) -> u32 {
        const GROUP: u32 = LINES_PER_SHADOW_LINE;
        match self {
            Region::Stack(_) if is_shadow(address) => {
                let line = ((self.base(globals) - 1 - shadowed_by(address)) / 64) as u32;
                line / GROUP * (GROUP + 1) + GROUP
            }
            Region::Stack(_) => {
                let line = ((self.base(globals) - 1 - address) / 64) as u32;
                line + line / GROUP
            }
            _ => ((address - self.base(globals)) / 64) as u32,
        }
    }

    /// The address of the first byte of a line.
    pub fn line_address(self, index: u32, globals: u64) -> u64 {
        match self {
            Region::Stack(_) => {
                let (group, of_group) = (index / (LINES_PER_SHADOW_LINE + 1), index % (LINES_PER_SHADOW_LINE + 1));
                let lines = u64::from(group * LINES_PER_SHADOW_LINE);
                match of_group {
                    LINES_PER_SHADOW_LINE => {
                        shadow_of(self.base(globals) - (lines + u64::from(LINES_PER_SHADOW_LINE)) * 64)
                    }
                    _ => self.base(globals) - (lines + u64::from(of_group) + 1) * 64,
                }
            }
            _ => self.base(globals) + u64::from(index) * 64,
        }
    }
}

/// The slot in whose part of the address space an address lies.
pub fn slot_of(address: u64) -> Option<u32> {
    match address {
        BREAK..MAPS => Some(0),
        SLOTS.. => u32::try_from((address - SLOTS) / SLOT).ok(),
        _ => None,
    }
}

const _: () = assert!(RETURN_FROM_START < FIXED_END);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_and_addresses_agree() {
        for number in 1..Region::count(5) {
            let region = Region::from_number(number);
            assert_eq!(region.number(), number);
            for index in [0, 1, 7, 8, 9, 77, 5000] {
                let address = region.line_address(index, 0x2_0000);
                for address in [address, address + 1, address + 63] {
                    assert_eq!(Region::of(address, 5), Some(region));
                    assert_eq!(region.line_index(address, 0x2_0000), index);
                }
            }
        }
        for slot in [0, 4] {
            let top = Region::Stack(slot).base(0);
            for address in [top - 8, top - 512, top - 520, top - STACK_BYTES] {
                assert!(is_shadow(shadow_of(address)) && !is_shadow(address));
                assert_eq!(Region::of(shadow_of(address), 5), Some(Region::Stack(slot)));
                assert_eq!(shadowed_by(shadow_of(address)), address);
            }
        }
        assert_eq!(Region::of(shadow_of(Region::Tls(0).base(0)), 5), None);
        assert_eq!(Region::of(RETURN_FROM_START, 5), None);
        assert_eq!(Region::of(Region::Stack(1).base(0), 5), None);
        assert_eq!(Region::of(Region::Shared(5).base(0), 5), None);
    }
}
