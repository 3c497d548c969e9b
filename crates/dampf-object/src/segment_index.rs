//! Where the accesses lie that the threads of a state have in their segments, so that a step that has nothing to do
//! with them need not look at them: there may be hundreds of threads, and a step moves one.

use crate::layout::{IMAGE_END, Region};
use crate::segments::SegmentAccess;
use dampf_rv::memory::LINE_BYTES;

/// An access to more lines than this may be anywhere.
const LINES_MAX: u64 = 16;
/// Counters per thread: few accesses share one.
const COUNTERS_PER_SLOT: usize = 32;

/// What decides whether memory is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// The image, whose memory is always there.
    Image,
    /// The process: what it has mapped, and the like.
    Process,
    /// The thread in a slot: where its stack ends, and whether it is alive.
    Thread(u32),
    /// The blocks of a slot's heap arenas.
    Arenas(u32),
}

impl Owner {
    /// The owner of what was accessed; none where that is not one.
    pub fn of(access: &SegmentAccess, slots: usize) -> Option<Owner> {
        let last = access.end() - 1;
        if last < IMAGE_END {
            return Some(Owner::Image);
        }
        let region = Region::of(access.address, slots)?;
        (Region::of(last, slots) == Some(region)).then_some(match region {
            Region::Globals => Owner::Image,
            Region::Break | Region::Maps | Region::LibraryHeap => Owner::Process,
            Region::Stack(slot) | Region::Tls(slot) => Owner::Thread(slot),
            Region::Shared(slot) | Region::Private(slot) => Owner::Arenas(slot),
        })
    }
}

/// The lines of some bytes, by their numbers; none where they are too many.
fn line_numbers(address: u64, bytes: u64) -> Option<impl Iterator<Item = u64>> {
    let line_bytes = LINE_BYTES as u64;
    let (first, last) = (address / line_bytes, address.saturating_add(bytes.max(1) - 1) / line_bytes);
    (last - first < LINES_MAX).then_some(first..=last)
}

/// Counts accesses by who owns what they access, and by lines.
#[derive(Debug)]
pub struct SegmentIndex {
    slots: usize,
    /// What was counted for each thread.
    counted: Vec<Vec<SegmentAccess>>,
    /// How many accesses are to memory of the process, and of each slot's thread and arenas. A thread's own are left
    /// out where the thread decides about them.
    pub of_process: u32,
    pub of_threads: Vec<u32>,
    pub of_arenas: Vec<u32>,
    /// How many are to memory that has several owners.
    pub of_several: u32,
    /// How many accesses are to a line, some lines sharing a counter; and to very many lines.
    of_lines: Vec<u32>,
    of_many_lines: u32,
}

impl SegmentIndex {
    pub fn new(slots: usize) -> SegmentIndex {
        SegmentIndex {
            slots,
            counted: vec![Vec::new(); slots],
            of_process: 0,
            of_threads: vec![0; slots],
            of_arenas: vec![0; slots],
            of_several: 0,
            of_lines: vec![0; (slots * COUNTERS_PER_SLOT).next_power_of_two()],
            of_many_lines: 0,
        }
    }

    /// A thread's segment is this one from now on.
    pub fn replace(&mut self, slot: u32, segment: &[SegmentAccess]) {
        if self.counted[slot as usize] == segment {
            return;
        }
        let mut counted = std::mem::take(&mut self.counted[slot as usize]);
        counted.iter().for_each(|access| self.count(slot, access, false));
        counted.clear();
        counted.extend_from_slice(segment);
        counted.iter().for_each(|access| self.count(slot, access, true));
        self.counted[slot as usize] = counted;
    }

    fn count(&mut self, slot: u32, access: &SegmentAccess, is_added: bool) {
        let change = |count: &mut u32| *count = if is_added { *count + 1 } else { *count - 1 };
        match Owner::of(access, self.slots) {
            Some(Owner::Image) => {}
            Some(Owner::Thread(owner)) if owner == slot => {}
            Some(Owner::Thread(owner)) => change(&mut self.of_threads[owner as usize]),
            Some(Owner::Arenas(owner)) => change(&mut self.of_arenas[owner as usize]),
            Some(Owner::Process) => change(&mut self.of_process),
            None => change(&mut self.of_several),
        }
        match line_numbers(access.address, access.bytes.into()) {
            None => change(&mut self.of_many_lines),
            Some(lines) => lines.for_each(|line| {
                let counter = self.counter(line);
                let count = &mut self.of_lines[counter];
                *count = if is_added { *count + 1 } else { *count - 1 };
            }),
        }
    }

    /// Whether some counted access may be to some of these bytes.
    pub fn may_have(&self, address: u64, bytes: u64) -> bool {
        let is_accessed = |line: u64| self.of_lines[self.counter(line)] > 0;
        self.of_many_lines > 0 || line_numbers(address, bytes).is_none_or(|mut lines| lines.any(is_accessed))
    }

    fn counter(&self, line: u64) -> usize {
        let hash = line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        hash as usize & (self.of_lines.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_are_counted_and_taken_back() {
        let access = |address, bytes| SegmentAccess { address, bytes, writes: true, pc: 0 };
        let (own, arena) = (Region::Stack(1).base(0) - 8, Region::Shared(2).base(0) + 60);
        let segment = [access(0x1000, 4), access(arena, 8), access(Region::Maps.base(0), 1), access(own, 4)];
        let mut index = SegmentIndex::new(4);
        index.replace(1, &segment);
        index.replace(3, &[access(own, 4), access(0x1000, 1 << 20)]);
        assert_eq!((index.of_process, index.of_threads[1], index.of_arenas[2]), (1, 1, 1));
        assert!(index.may_have(1 << 40, 1));
        index.replace(3, &[]);
        assert!([0x1003, arena, arena + 4].into_iter().all(|address| index.may_have(address, 1)));
        assert!(index.may_have(0x2000, 1 << 30));
        index.replace(1, &segment[..1]);
        assert_eq!((index.of_process, &index.of_threads, &index.of_arenas), (0, &vec![0; 4], &vec![0; 4]));
        assert!(!index.may_have(arena, 8) && index.may_have(0x1000, 1));
    }

    #[test]
    fn what_has_two_owners_has_none() {
        let behind = Region::Private(0).base(0) - 4;
        let access = |bytes| SegmentAccess { address: behind, bytes, writes: false, pc: 0 };
        assert_eq!(Owner::of(&access(4), 2), Some(Owner::Arenas(0)));
        assert_eq!(Owner::of(&access(8), 2), None);
        assert_eq!(Owner::of(&SegmentAccess { address: 64, bytes: 4, writes: true, pc: 1 }, 2), Some(Owner::Image));
    }
}
