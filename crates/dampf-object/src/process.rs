//! What belongs to the process and to no thread.

use crate::arena::Arena;
use dampf_core::Word;
use dampf_rv::memory::Tree;

/// A variable that a thread locked against the others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LockedVariable {
    pub address: u64,
    pub bytes: u64,
    pub owner: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Process {
    /// The exit status, once the process has ended.
    pub ended: Option<u8>,
    pub globals_levels: u32,
    pub brk: Tree,
    pub brk_end: u64,
    pub maps: Tree,
    pub maps_end: u64,
    pub library_heap: Tree,
    /// Blocks that the libraries allocated for themselves.
    pub library_blocks: Arena,
    /// Addresses that threads have loaded with a reservation, by slot. Ascending.
    pub reservations: Vec<(u32, u64)>,
    /// Ascending.
    pub locked: Vec<LockedVariable>,
}

impl Process {
    pub fn encode(&self, out: &mut Vec<Word>) {
        out.clear();
        let halves = |value: u64| [value as Word, (value >> 32) as Word];
        out.push(self.ended.map_or(0, |status| 1 + Word::from(status)));
        out.push(self.globals_levels);
        for tree in [self.brk, self.maps, self.library_heap] {
            out.extend([tree.root, tree.levels]);
        }
        out.extend(halves(self.brk_end));
        out.extend(halves(self.maps_end));
        out.push(self.reservations.len() as Word);
        out.push(self.locked.len() as Word);
        for &(slot, address) in &self.reservations {
            out.push(slot);
            out.extend(halves(address));
        }
        for locked in &self.locked {
            out.extend(halves(locked.address));
            out.extend(halves(locked.bytes));
            out.push(locked.owner);
        }
        self.library_blocks.encode(out);
    }

    pub fn decode(words: &[Word]) -> Process {
        let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        let tree = |at: usize| Tree { root: words[at], levels: words[at + 1] };
        let (reservations, locked) = (words[12] as usize, words[13] as usize);
        let locked_at = 14 + 3 * reservations;
        let blocks_at = locked_at + 5 * locked;
        Process {
            ended: words[0].checked_sub(1).map(|status| status as u8),
            globals_levels: words[1],
            brk: tree(2),
            maps: tree(4),
            library_heap: tree(6),
            brk_end: long(8),
            maps_end: long(10),
            reservations: (0..reservations).map(|number| (words[14 + 3 * number], long(15 + 3 * number))).collect(),
            locked: (0..locked)
                .map(|number| locked_at + 5 * number)
                .map(|at| LockedVariable { address: long(at), bytes: long(at + 2), owner: words[at + 4] })
                .collect(),
            library_blocks: Arena::decode(&words[blocks_at..]).0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Maker;

    #[test]
    fn a_process_is_read_as_it_was_written() {
        let mut process = Process {
            ended: Some(3),
            globals_levels: 2,
            brk: Tree { root: 5, levels: 1 },
            brk_end: 0x4000_1234,
            maps_end: 0x1_0000_0001,
            reservations: vec![(1, 0x11_0000_0000), (2, 7)],
            locked: vec![LockedVariable { address: 9, bytes: 1 << 40, owner: 3 }],
            ..Process::default()
        };
        process.library_blocks.allocate(100, 16, 77, Maker::Malloc, false);
        let mut words = Vec::new();
        process.encode(&mut words);
        assert_eq!(Process::decode(&words), process);
    }
}
