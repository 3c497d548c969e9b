//! The heap arenas of the state that a step goes through: which blocks each thread has allocated.
//!
//! They are decoded when they are needed. What is in the blocks is memory.

use crate::arena::Arenas;
use crate::system::System;
use dampf_core::{ComponentId, Word};
use dampf_rv::memory::Tree;
use std::borrow::Cow;

pub struct HeapArenas<'m> {
    system: &'m System,
    loaded: Vec<Option<Box<Arenas>>>,
    /// The word of each slot's arenas in the state this step began in.
    stored: Vec<Word>,
    /// Slots whose arenas are not, or soon will not be, what the state has.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

impl<'m> HeapArenas<'m> {
    pub fn new(system: &'m System) -> HeapArenas<'m> {
        let slots = system.sharing.slots();
        HeapArenas {
            system,
            loaded: (0..slots).map(|_| None).collect(),
            stored: vec![0; slots],
            touched: Vec::new(),
            is_touched: vec![false; slots],
        }
    }

    fn stored_words(&self, slot: u32) -> Option<&'m [Word]> {
        let system = self.system;
        self.stored[slot as usize].checked_sub(1).map(|id| system.components.get(ComponentId(id)))
    }

    pub fn touch(&mut self, slot: u32) {
        if !std::mem::replace(&mut self.is_touched[slot as usize], true) {
            self.touched.push(slot);
        }
    }

    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// A slot whose arenas have to be loaded anew.
    pub fn pop_touched(&mut self) -> Option<u32> {
        self.touched.pop()
    }

    /// Loads the arenas of a slot from their word in a state. Their trees.
    pub fn load(&mut self, slot: u32, word: Word) -> [Tree; 2] {
        self.is_touched[slot as usize] = false;
        self.loaded[slot as usize] = None;
        self.stored[slot as usize] = word;
        self.stored_words(slot).map_or([Tree::EMPTY; 2], Arenas::decode_trees)
    }

    pub fn is_touched(&self, slot: u32) -> bool {
        self.is_touched[slot as usize]
    }

    /// Writes the words of a slot's arenas, with these trees.
    pub fn encode(&self, slot: u32, trees: [Tree; 2], words: &mut Vec<Word>) {
        Arenas::encode_trees(trees, words);
        match (&self.loaded[slot as usize], self.stored_words(slot)) {
            (Some(arenas), _) => arenas.encode_blocks(words),
            (None, None) => Arenas::default().encode_blocks(words),
            (None, Some(stored)) => words.extend_from_slice(&stored[Arenas::BLOCKS..]),
        }
    }

    pub fn arenas(&mut self, slot: u32) -> &Arenas {
        self.decode(slot);
        self.loaded[slot as usize].as_ref().expect("decoded above")
    }

    pub fn arenas_mut(&mut self, slot: u32) -> &mut Arenas {
        self.decode(slot);
        self.touch(slot);
        self.loaded[slot as usize].as_mut().expect("decoded above")
    }

    /// The blocks of a slot, for descriptions, which must not depend on what has been looked at before.
    pub fn peek_arenas(&self, slot: u32) -> Cow<'_, Arenas> {
        match &self.loaded[slot as usize] {
            Some(arenas) => Cow::Borrowed(arenas),
            None => Cow::Owned(self.decoded(slot)),
        }
    }

    fn decoded(&self, slot: u32) -> Arenas {
        self.stored_words(slot).map_or_else(Arenas::default, Arenas::decode_blocks)
    }

    fn decode(&mut self, slot: u32) {
        if self.loaded[slot as usize].is_none() {
            self.loaded[slot as usize] = Some(Box::new(self.decoded(slot)));
        }
    }
}
