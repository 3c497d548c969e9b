//! What waits to be explored, and in which order it is taken.

use crate::rebuild::Route;
use dampf_core::{Action, Word};
use dampf_store::StateRef;

/// States that wait: their names, and as many of their words as the search carries ([`Recall`](crate::recall::Recall)).
#[derive(Default)]
pub(crate) struct States {
    names: Vec<StateRef>,
    words: Vec<Word>,
    /// Words that are carried with each name.
    carried: usize,
}

impl States {
    pub fn new(carried: usize) -> Self {
        States { names: Vec::new(), words: Vec::new(), carried }
    }

    pub fn with_capacity(carried: usize, states: usize) -> Self {
        States { names: Vec::with_capacity(states), words: Vec::with_capacity(carried * states), carried }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    #[inline]
    pub fn names(&self) -> &[StateRef] {
        &self.names
    }

    /// The words that are carried with a state.
    #[inline]
    pub fn words(&self, number: usize) -> &[Word] {
        &self.words[number * self.carried..][..self.carried]
    }

    /// Adds a state with these words, of which those that are carried are kept.
    #[inline]
    pub fn push(&mut self, state: StateRef, words: &[Word]) {
        self.names.push(state);
        if self.carried > 0 {
            self.words.extend_from_slice(&words[..self.carried]);
        }
    }

    /// Adds some states of another list.
    #[inline]
    pub fn extend(&mut self, other: &States, range: std::ops::Range<usize>) {
        self.names.extend_from_slice(&other.names[range.clone()]);
        if self.carried > 0 {
            self.words.extend_from_slice(&other.words[range.start * self.carried..range.end * self.carried]);
        }
    }

    #[inline]
    pub fn clear(&mut self) {
        self.names.clear();
        self.words.clear();
    }
}

/// The order of a search, as one of its threads sees it. What is common to all threads lies behind it.
pub(crate) trait Frontier {
    /// Takes the states that are to be explored next into an empty batch. False when there is nothing left to do: for
    /// all threads, or because the search was stopped.
    fn take(&mut self, batch: &mut States) -> bool;

    /// Is told the words of a state of the batch, before what was found from it.
    #[inline]
    fn expands(&mut self, state: &[Word]) {
        let _ = state;
    }

    /// Adds a state that a step from the state that was told last has led to, with what is carried with its name.
    fn put(&mut self, state: StateRef, carried: &[Word], words: &[Word], action: Action);

    /// How the search came to a state of the batch.
    fn route(&self, batch: &States, number: usize) -> Route;

    /// The batch is explored, and what was found from it is there.
    fn finish_batch(&mut self);

    /// Whether the depth limit left states unexplored.
    fn truncated(&self) -> bool;
}
