//! The parts of a program's states: what moves with a state to another process.
//!
//! A state names a process, threads and arenas, which are components; those name trees, whose nodes are lines that name
//! lines. The words of a line do not say whether they are memory or names. So the kind of a line says how far it is
//! from the bottom of its tree, and whoever names a line knows that: the levels of a tree stand behind its root, those
//! of the globals' tree in the process.
//!
//! Invariant: a name is visited unless it is 0, which means *none* for a component and the line of zeros in a tree,
//! here and everywhere. Contents that are no component of their kind get the name 0, so that whatever has a name can be
//! decoded.

use crate::arena::Arenas;
use crate::machine::{GLOBALS, PROCESS, arenas_at, thread_at};
use crate::model::ObjectModel;
use crate::process::Process;
use crate::thread::Thread;
use dampf_core::{ComponentId, ComponentTable, Model, Part, Restore, Sections, Transfer, Word};
use dampf_rv::memory::{LINE_SHARDS, Line, LineTable, Tree, ZERO_LINE};

/// The kinds of parts. A line at level `n` of a tree has the kind `LINE_KIND + n`.
const PROCESS_KIND: u32 = 0;
const THREAD_KIND: u32 = 1;
const ARENAS_KIND: u32 = 2;
const LINE_KIND: u32 = 3;

/// Trees have no more levels: lines are numbered by 32 bits, four of which each level takes.
const LEVELS_MAX: u32 = 8;

/// The word for a component that is not there.
const NONE: Word = 0;

/// Where the components of a kind hold trees.
fn trees_of(kind: u32) -> &'static [usize] {
    match kind {
        PROCESS_KIND => &Process::TREES,
        THREAD_KIND => &Thread::TREES,
        _ => &Arenas::TREES,
    }
}

/// Whether words from elsewhere can be a component of a kind.
fn is_component(kind: u32, contents: &[Word]) -> bool {
    let is_encoding = match kind {
        PROCESS_KIND => Process::is_encoding(contents) && contents[Process::GLOBALS_LEVELS] <= LEVELS_MAX,
        THREAD_KIND => Thread::is_encoding(contents),
        ARENAS_KIND => Arenas::is_encoding(contents),
        _ => false,
    };
    is_encoding && trees_of(kind).iter().all(|&root| contents[root + 1] <= LEVELS_MAX)
}

fn visit_tree(position: usize, tree: Tree, visit: &mut dyn FnMut(usize, Part)) {
    if tree.root != ZERO_LINE {
        visit(position, Part { kind: LINE_KIND + tree.levels, name: tree.root });
    }
}

impl ObjectModel {
    fn component(&self, name: Word) -> &[Word] {
        self.system.components.get(ComponentId(name - 1))
    }

    pub(crate) fn slots(&self) -> usize {
        self.system.sharing.slots()
    }

    /// A mask of whole words.
    fn words_at(&self, positions: impl IntoIterator<Item = usize>) -> Vec<Word> {
        let mut mask = vec![0; self.width()];
        positions.into_iter().for_each(|position| mask[position] = Word::MAX);
        mask
    }
}

impl Transfer for ObjectModel {
    fn has_parts(&self) -> bool {
        true
    }

    fn parts_of_state(&self, state: &[Word], visit: &mut dyn FnMut(usize, Part)) {
        let levels = match state[PROCESS] {
            NONE => 0,
            process => self.component(process)[Process::GLOBALS_LEVELS],
        };
        visit_tree(GLOBALS, Tree { root: state[GLOBALS], levels }, visit);
        let of_slot = |slot: usize| [(thread_at(slot), THREAD_KIND), (arenas_at(slot), ARENAS_KIND)];
        for (position, kind) in [(PROCESS, PROCESS_KIND)].into_iter().chain((0..self.slots()).flat_map(of_slot)) {
            if state[position] != NONE {
                visit(position, Part { kind, name: state[position] });
            }
        }
    }

    fn part(&self, part: Part, words: &mut Vec<Word>, visit: &mut dyn FnMut(usize, Part)) {
        if part.kind < LINE_KIND {
            let contents = self.component(part.name);
            words.extend_from_slice(contents);
            for &root in trees_of(part.kind) {
                visit_tree(root, Tree { root: contents[root], levels: contents[root + 1] }, visit);
            }
            return;
        }
        let line = self.system.lines.get(part.name);
        words.extend_from_slice(&line.0);
        if let Some(levels) = (part.kind - LINE_KIND).checked_sub(1) {
            line.0.iter().enumerate().for_each(|(position, &root)| visit_tree(position, Tree { root, levels }, visit));
        }
    }

    fn name_of(&self, kind: u32, contents: &[Word]) -> Word {
        match kind {
            PROCESS_KIND | THREAD_KIND | ARENAS_KIND if is_component(kind, contents) => {
                self.system.components.intern(contents).0 + 1
            }
            PROCESS_KIND | THREAD_KIND | ARENAS_KIND => NONE,
            _ => contents.try_into().map_or(ZERO_LINE, |line| self.system.lines.intern(&Line(line))),
        }
    }
}

impl Restore for ObjectModel {
    fn tables(&self) -> Vec<u32> {
        [self.system.lines.counts(), self.system.components.counts()].concat()
    }

    fn entry(&self, table: usize, number: u32, words: &mut Vec<Word>) {
        match table.checked_sub(LINE_SHARDS) {
            None => words.extend_from_slice(&self.system.lines.get(LineTable::id_in_shard(table, number)).0),
            Some(shard) => {
                words.extend_from_slice(self.system.components.get(ComponentTable::id_in_shard(shard, number)));
            }
        }
    }

    fn restore(&self, table: usize, number: u32, contents: &[Word]) -> bool {
        match table.checked_sub(LINE_SHARDS) {
            None => contents
                .try_into()
                .is_ok_and(|line| self.system.lines.intern(&Line(line)) == LineTable::id_in_shard(table, number)),
            Some(shard) => self.system.components.intern(contents) == ComponentTable::id_in_shard(shard, number),
        }
    }
}

/// `memory` is what threads share: the globals, the process and the heap. A thread is its registers, its stack and its
/// thread-local storage, and `stacks` are all of them.
impl Sections for ObjectModel {
    fn section(&self, name: &str) -> Option<Vec<Word>> {
        let slots = 0..self.slots();
        match name {
            "memory" => Some(self.words_at([GLOBALS, PROCESS].into_iter().chain(slots.map(arenas_at)))),
            "stacks" => Some(self.words_at(slots.map(thread_at))),
            _ => {
                let slot = slots.into_iter().find(|slot| name == thread_section(*slot))?;
                Some(self.words_at([thread_at(slot)]))
            }
        }
    }

    fn sections(&self) -> Vec<String> {
        let fixed = ["memory", "stacks"].map(str::to_owned);
        fixed.into_iter().chain((0..self.slots()).map(thread_section)).collect()
    }
}

/// The name of the section of one thread.
fn thread_section(slot: usize) -> String {
    format!("thread {slot}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::Maker;
    use crate::locked::{LockedVariable, LockedVariables};
    use dampf_rv::machine::Hart;

    fn process() -> Vec<Word> {
        let maps = Tree { root: 32, levels: 3 };
        let mut process = Process { maps, reservations: vec![(1, 7), (2, 9)], ..Process::default() };
        process.library_blocks.allocate(100, 16, 77, Maker::Malloc, false);
        let mut words = Vec::new();
        process.encode(&mut words);
        words
    }

    fn thread() -> Vec<Word> {
        let mut hart = Hart::new(0x1_0000);
        (hart.x[2], hart.x[10], hart.f[9]) = (0x11_0000_0010, u64::MAX, 3);
        let mut words = Vec::new();
        Thread { stack: Tree { root: 64, levels: 2 }, ..Thread::default() }.encode(&hart, &mut words);
        let mut locked = LockedVariables::default();
        locked.lock(LockedVariable { address: 9, bytes: 1 << 40, owner: 3 });
        locked.encode(3, &mut words);
        words
    }

    fn arenas() -> Vec<Word> {
        let mut arenas = Arenas::default();
        arenas.shared.allocate(100, 16, 77, Maker::NewArray, true);
        arenas.private.allocate(0, 16, 78, Maker::New, false);
        let mut words = Vec::new();
        Arenas::encode_trees([Tree { root: 96, levels: 1 }, Tree::EMPTY], &mut words);
        arenas.encode_blocks(&mut words);
        words
    }

    fn decode(kind: u32, words: &[Word]) {
        match kind {
            PROCESS_KIND => drop(Process::decode(words)),
            THREAD_KIND => {
                Thread::decode(words);
                Thread::decode_registers(words, &mut Hart::new(0));
                LockedVariables::default().decode(3, Thread::locked(words));
            }
            _ => drop((Arenas::decode_trees(words), Arenas::decode_blocks(words))),
        }
    }

    #[test]
    fn damaged_components_are_refused_or_decoded() {
        let mut random = 5u64;
        let mut next = |limit: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % limit
        };
        for (kind, words) in [(PROCESS_KIND, process()), (THREAD_KIND, thread()), (ARENAS_KIND, arenas())] {
            assert!(is_component(kind, &words));
            decode(kind, &words);
            let (mut refused, mut decoded) = (0, 0);
            for _ in 0..20_000 {
                let mut damaged = words.clone();
                for _ in 0..1 + next(3) {
                    let at = next(words.len());
                    damaged[at] = [0, 1, 3, 8, 17, 1 << next(32), Word::MAX][next(7)];
                }
                if next(4) == 0 {
                    damaged.resize(next(2 * words.len()), 1);
                }
                if is_component(kind, &damaged) {
                    decode(kind, &damaged);
                    decoded += 1;
                } else {
                    refused += 1;
                }
            }
            assert!(refused > 1000 && decoded > 1000, "{refused} were refused and {decoded} decoded");
        }
    }
}
