//! A cache of states, by all their words.

use dampf_core::Word;
use dampf_store::hash_words;

/// States that were met lately. One that was met long ago may be forgotten; one that was never met is never in it.
pub struct RecentStates {
    width: usize,
    /// As many words per place as a state has.
    places: Vec<Word>,
    used: Vec<bool>,
}

impl RecentStates {
    /// Room for so many states, or a little more.
    pub fn new(width: usize, states: usize) -> Self {
        let states = if states == 0 { 0 } else { states.next_power_of_two() };
        RecentStates { width, places: vec![0; states * width], used: vec![false; states] }
    }

    #[inline]
    pub fn contains_or_insert(&mut self, state: &[Word]) -> bool {
        if self.used.is_empty() {
            return false;
        }
        let place = hash_words(state) as usize & (self.used.len() - 1);
        let words = &mut self.places[place * self.width..][..self.width];
        if self.used[place] && words == state {
            return true;
        }
        words.copy_from_slice(state);
        self.used[place] = true;
        false
    }
}
