//! The stack of one thread of a search that goes deep first.
//!
//! A state that is expanded stays on the stack as a *mark*, below its new successors, until these are done: the marks
//! on a stack are the path to the state that is being expanded, so a trail needs no search. How the search came to the
//! first of them, which may have been found by another thread, is rebuilt from the store when it is needed.
//!
//! Invariant: the words that are carried with open states lie in the order of the open states, and marks have none.

use crate::frontier::States;
use crate::rebuild::Route;
use dampf_core::Word;
use dampf_store::StateRef;

#[derive(Clone, Copy)]
struct Entry {
    state: StateRef,
    depth: u32,
    /// Expanded; its new successors lie above.
    mark: bool,
}

/// Open states, and the path to the one that is being expanded.
pub(crate) struct PathStack {
    entries: Vec<Entry>,
    /// The words that are carried with the open states, in their order.
    words: Vec<Word>,
    /// Words that are carried with each open state.
    carried: usize,
    /// How many of the entries are marks.
    marks: usize,
    /// Of the state that is being expanded.
    depth: u32,
    /// Where its new successors begin, right above its mark, and where their words do.
    first_new: (usize, usize),
}

/// What taking the next state has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Taken {
    /// It is in the batch.
    Open,
    /// It is too deep to be explored, and thrown away.
    TooDeep,
    /// There is none.
    Nothing,
}

impl PathStack {
    pub fn new(carried: usize) -> Self {
        PathStack { entries: Vec::new(), words: Vec::new(), carried, marks: 0, depth: 0, first_new: (0, 0) }
    }

    /// Adds an open state that was not found from one of this stack.
    pub fn push(&mut self, state: StateRef, depth: u32, words: &[Word]) {
        self.entries.push(Entry { state, depth, mark: false });
        self.words.extend_from_slice(&words[..self.carried]);
    }

    /// Turns a stack of nothing but open states around.
    pub fn reverse(&mut self) {
        self.reverse_from(0, 0);
    }

    /// Turns the entries from one on around, and their words. All of them are open.
    #[inline]
    fn reverse_from(&mut self, entry: usize, word: usize) {
        self.entries[entry..].reverse();
        if self.carried > 0 {
            let words = &mut self.words[word..];
            words.reverse();
            words.chunks_exact_mut(self.carried).for_each(<[Word]>::reverse);
        }
    }

    /// Takes the state on top into an empty batch, and leaves a mark in its place.
    #[inline]
    pub fn take(&mut self, batch: &mut States, max_depth: Option<u64>) -> Taken {
        while let Some(entry) = self.entries.last_mut() {
            if entry.mark {
                self.entries.pop();
                self.marks -= 1;
                continue;
            }
            let words = self.words.len() - self.carried;
            if max_depth.is_some_and(|limit| u64::from(entry.depth) >= limit) {
                self.entries.pop();
                self.words.truncate(words);
                return Taken::TooDeep;
            }
            entry.mark = true;
            self.marks += 1;
            self.depth = entry.depth;
            batch.push(entry.state, &self.words[words..]);
            if self.carried > 0 {
                self.words.truncate(words);
            }
            self.first_new = (self.entries.len(), words);
            return Taken::Open;
        }
        Taken::Nothing
    }

    /// Adds a state that was found from the one that is being expanded.
    #[inline]
    pub fn put(&mut self, state: StateRef, words: &[Word]) {
        self.entries.push(Entry { state, depth: self.depth + 1, mark: false });
        if self.carried > 0 {
            self.words.extend_from_slice(&words[..self.carried]);
        }
    }

    /// The state is expanded, and what was found from it is there. Whether there is anything.
    #[inline]
    pub fn finish(&mut self) -> bool {
        let (entry, word) = self.first_new;
        if self.entries.len() == entry {
            // Nothing lies above the mark: it is done.
            self.entries.pop();
            self.marks -= 1;
            return false;
        }
        // The first successor is to be explored first.
        self.reverse_from(entry, word);
        true
    }

    /// Of the state that is being expanded.
    #[inline]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// How the search came to the state that is being expanded.
    pub fn route(&self) -> Route {
        let marks = self.entries[..self.first_new.0].iter().filter(|entry| entry.mark);
        Route::Along(marks.map(|entry| entry.state).collect())
    }

    /// Open states and marks.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline]
    pub fn open(&self) -> usize {
        self.entries.len() - self.marks
    }

    /// Takes the oldest open states off.
    pub fn split_oldest(&mut self, mut share: usize) -> PathStack {
        let words = self.words.drain(..share * self.carried).collect();
        let mut handed = PathStack { words, ..PathStack::new(self.carried) };
        self.entries.retain(|entry| {
            let take = !entry.mark && share > 0;
            if take {
                share -= 1;
                handed.entries.push(*entry);
            }
            !take
        });
        handed
    }
}
