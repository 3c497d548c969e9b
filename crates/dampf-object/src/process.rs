//! What belongs to the process and to no thread.

use crate::arena::Arena;
use crate::descriptors::Descriptors;
use crate::history::History;
use crate::mappings::Mappings;
use crate::signals::Signals;
use dampf_core::Word;
use dampf_rv::memory::Tree;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Process {
    /// The exit status, once the process has ended.
    pub ended: Option<u8>,
    /// How often the clocks have jumped ahead.
    pub clock_jumps: u32,
    pub globals_levels: u32,
    pub brk: Tree,
    pub brk_end: u64,
    pub maps: Tree,
    pub mappings: Mappings,
    /// The files that are open.
    pub descriptors: Descriptors,
    pub library_heap: Tree,
    /// Blocks that the libraries allocated for themselves.
    pub library_blocks: Arena,
    /// Addresses that threads have loaded with a reservation, by slot. Ascending.
    pub reservations: Vec<(u32, u64)>,
    /// Accesses that not all threads know of.
    pub history: History,
    pub signals: Signals,
}

/// Where the list begins in a process's words; mappings, open files, blocks, the history and signals follow it.
const FIXED_WORDS: usize = 11;
const RESERVATION_WORDS: usize = 3;

/// The word with the exit status has the clock's jumps from this bit on.
const CLOCK_SHIFT: u32 = 16;

impl Process {
    /// Where an encoded process has the roots of its trees, each with its levels behind it: the break, the maps, the
    /// libraries' heap.
    pub const TREES: [usize; 3] = [2, 4, 6];
    /// Where it has the levels of the globals' tree, whose root is a word of the state.
    pub const GLOBALS_LEVELS: usize = 1;

    pub fn encode(&self, out: &mut Vec<Word>) {
        out.clear();
        let halves = |value: u64| [value as Word, (value >> 32) as Word];
        out.push(self.ended.map_or(0, |status| 1 + Word::from(status)) | self.clock_jumps << CLOCK_SHIFT);
        out.push(self.globals_levels);
        for (at, tree) in Process::TREES.into_iter().zip([self.brk, self.maps, self.library_heap]) {
            debug_assert_eq!(out.len(), at);
            out.extend([tree.root, tree.levels]);
        }
        out.extend(halves(self.brk_end));
        out.push(self.reservations.len() as Word);
        debug_assert_eq!(out.len(), FIXED_WORDS);
        for &(slot, address) in &self.reservations {
            out.push(slot);
            out.extend(halves(address));
        }
        self.mappings.encode(out);
        self.descriptors.encode(out);
        self.library_blocks.encode(out);
        self.history.encode(out);
        self.signals.encode(out);
    }

    pub fn decode(words: &[Word]) -> Process {
        let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        let [brk, maps, library_heap] = Process::TREES.map(|at| Tree { root: words[at], levels: words[at + 1] });
        let reservations = words[10] as usize;
        let mappings_at = FIXED_WORDS + RESERVATION_WORDS * reservations;
        let (mappings, rest) = Mappings::decode(&words[mappings_at..]);
        let (descriptors, rest) = Descriptors::decode(rest);
        let (library_blocks, rest) = Arena::decode(rest);
        let (history, rest) = History::decode(rest);
        Process {
            ended: (words[0] & ((1 << CLOCK_SHIFT) - 1)).checked_sub(1).map(|status| status as u8),
            clock_jumps: words[0] >> CLOCK_SHIFT,
            globals_levels: words[Process::GLOBALS_LEVELS],
            brk,
            maps,
            library_heap,
            brk_end: long(8),
            mappings,
            descriptors,
            reservations: (0..reservations)
                .map(|number| FIXED_WORDS + RESERVATION_WORDS * number)
                .map(|at| (words[at], long(at + 1)))
                .collect(),
            library_blocks,
            history,
            signals: Signals::decode(rest),
        }
    }

    /// Whether words from elsewhere can be decoded.
    pub fn is_encoding(words: &[Word]) -> bool {
        let [.., reservations] = words.get(..FIXED_WORDS).unwrap_or_default() else { return false };
        let list = RESERVATION_WORDS as u64 * u64::from(*reservations);
        let rest = usize::try_from(list).ok().and_then(|list| words.get(FIXED_WORDS.checked_add(list)?..));
        let rest = rest.and_then(Mappings::skip).and_then(Descriptors::skip);
        rest.and_then(Arena::skip).and_then(History::skip).is_some_and(Signals::is_encoding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Maker;
    use crate::mappings::Rights;
    use crate::side_access::MemoryAccess;
    use crate::signals::Alarm;

    #[test]
    fn a_process_is_read_as_it_was_written() {
        let mut process = Process {
            ended: Some(3),
            clock_jumps: 2,
            globals_levels: 2,
            brk: Tree { root: 5, levels: 1 },
            brk_end: 0x4000_1234,
            reservations: vec![(1, 0x11_0000_0000), (2, 7)],
            ..Process::default()
        };
        process.signals.alarm = Alarm::Once;
        process.mappings.map(3, Rights::Reading, 77);
        process.descriptors.open(1, 3);
        process.library_blocks.allocate(100, 16, 77, Maker::Malloc, false);
        let mut words = Vec::new();
        process.encode(&mut words);
        assert_eq!(Process::decode(&words), process);
        assert!(Process::is_encoding(&words));
        let access = MemoryAccess { address: 8, bytes: 4, writes: true };
        assert!(process.history.access(1, access, 7, true));
        process.encode(&mut words);
        assert_eq!(Process::decode(&words), process);
        let without_signals = words.len() - 4;
        for length in (0..words.len()).filter(|&length| length != without_signals) {
            assert!(!Process::is_encoding(&words[..length]), "the first {length} words are no process");
        }
        for at in [10, words.len() - 24, words.len() - 17] {
            let mut damaged = words.clone();
            damaged[at] = Word::MAX;
            assert!(!Process::is_encoding(&damaged), "a process has no such word {at}");
        }
    }
}
