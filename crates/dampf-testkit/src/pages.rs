//! A small machine with a large memory: the stand-in for compiled programs.
//!
//! A few counters step through a memory of pages that are components; a step writes one word of one page.
//! States are a handful of words however large the memory is, and equal memories have equal words.

use dampf_core::{
    Action, ComponentId, ComponentTable, Model, Part, Restore, Sections, Successors, Transfer, Word, Worker,
};

const PAGE_WORDS: usize = 1024;

pub struct Pages {
    pub table: ComponentTable,
    /// Each thread increments a word of each page once.
    pub threads: usize,
    pub pages: usize,
}

impl Pages {
    pub fn new(threads: usize, pages: usize) -> Self {
        Pages { table: ComponentTable::new(), threads, pages }
    }

    /// Every thread is independent, so every combination of positions is reachable.
    pub fn state_count(&self) -> u64 {
        (self.pages as u64 + 1).pow(self.threads as u32)
    }
}

impl Model for Pages {
    type Worker<'m> = &'m Pages;

    fn width(&self) -> usize {
        self.threads + self.pages
    }

    fn worker(&self) -> &Pages {
        self
    }
}

impl Worker for &Pages {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        let zero = self.table.intern(&[0; PAGE_WORDS]);
        let mut state = vec![0; self.width()];
        state[self.threads..].fill(zero.0);
        out.push(Action(0), &state);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        out.clear();
        for thread in 0..self.threads {
            let page = state[thread] as usize;
            if page < self.pages {
                let mut contents = self.table.get(ComponentId(state[self.threads + page])).to_vec();
                contents[PAGE_WORDS / 2 + thread] += 1;
                let mut next = state.to_vec();
                next[thread] += 1;
                next[self.threads + page] = self.table.intern(&contents).0;
                out.push(Action(thread as u64), &next);
            }
        }
        out.set_valid_end(true);
    }
}

impl Transfer for Pages {
    fn has_parts(&self) -> bool {
        true
    }

    fn parts_of_state(&self, state: &[Word], visit: &mut dyn FnMut(usize, Part)) {
        (self.threads..state.len()).for_each(|position| visit(position, Part { kind: 0, name: state[position] }));
    }

    fn part(&self, part: Part, words: &mut Vec<Word>, _: &mut dyn FnMut(usize, Part)) {
        words.extend_from_slice(self.table.get(ComponentId(part.name)));
    }

    fn name_of(&self, _: u32, contents: &[Word]) -> Word {
        self.table.intern(contents).0
    }
}

impl Restore for Pages {
    fn tables(&self) -> Vec<u32> {
        self.table.counts()
    }

    fn entry(&self, table: usize, number: u32, words: &mut Vec<Word>) {
        words.extend_from_slice(self.table.get(ComponentTable::id_in_shard(table, number)));
    }

    fn restore(&self, table: usize, number: u32, contents: &[Word]) -> bool {
        self.table.intern(contents) == ComponentTable::id_in_shard(table, number)
    }
}

impl Sections for Pages {}
