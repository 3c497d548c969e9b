//! A cache of states, by all their words.

use dampf_core::Word;
use dampf_store::hash_words;

/// States that were met lately. One that was met long ago may be forgotten; one that was never met is never in it.
pub struct RecentStates {
    /// Words of a place: a mark that it is used, then those of the state.
    stride: usize,
    places: Vec<Word>,
    /// The number of places less one, which is a power of two; none for a cache without room.
    last: Option<usize>,
}

impl RecentStates {
    /// Room for so many states, or a little more.
    pub fn new(width: usize, states: usize) -> Self {
        let states = if states == 0 { 0 } else { states.next_power_of_two() };
        RecentStates { stride: width + 1, places: vec![0; states * (width + 1)], last: states.checked_sub(1) }
    }

    #[inline]
    pub fn contains_or_insert(&mut self, state: &[Word]) -> bool {
        let place = self.place(state);
        self.contains_or_insert_at(place, state)
    }

    /// Where a state is or will be. The place is fetched: whoever has several states asks for the places of all before
    /// they are looked at.
    #[inline]
    pub fn place(&self, state: &[Word]) -> usize {
        let Some(last) = self.last else { return 0 };
        let place = (hash_words(state) as usize & last) * self.stride;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetching has no effect but on speed.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.places[place..].as_ptr().cast());
        }
        place
    }

    /// Like [`contains_or_insert`](Self::contains_or_insert), where the state's place is known.
    #[inline]
    pub fn contains_or_insert_at(&mut self, place: usize, state: &[Word]) -> bool {
        if self.last.is_none() {
            return false;
        }
        let (used, words) = self.places[place..][..self.stride].split_first_mut().expect("a place has a mark");
        // States are mostly short: loops are faster than calls to compare and copy memory.
        if *used == 1 && words.iter().zip(state).all(|(known, word)| known == word) {
            return true;
        }
        *used = 1;
        words.iter_mut().zip(state).for_each(|(known, &word)| *known = word);
        false
    }
}
