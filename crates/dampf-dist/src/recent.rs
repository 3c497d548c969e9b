//! A cache of states, by all their words.

use dampf_core::Word;
use dampf_store::hash_words;

/// States that were met lately. One that was met long ago may be forgotten; one that was never met is never in it.
pub struct RecentStates {
    places: Places,
    /// The number of places less one, which is a power of two; none for a cache without room.
    last: Option<usize>,
}

enum Places {
    /// States of at most two words are known by their hashes. A place that is not used holds what belongs elsewhere.
    Hashes(Vec<u64>),
    /// A mark that the place is used, then the words.
    Words { stride: usize, words: Vec<Word> },
}

impl RecentStates {
    /// Room for so many states, or a little more.
    pub fn new(width: usize, states: usize) -> Self {
        let states = if states == 0 { 0 } else { states.next_power_of_two().max(2) };
        let places = if width <= 2 {
            Places::Hashes((0..states as u64).map(|place| !place).collect())
        } else {
            Places::Words { stride: width + 1, words: vec![0; states * (width + 1)] }
        };
        RecentStates { places, last: states.checked_sub(1) }
    }

    #[inline]
    pub fn contains_or_insert(&mut self, state: &[Word]) -> bool {
        self.contains_or_insert_hashed(hash_words(state), state)
    }

    /// Fetches the place where a state with this hash (by [`hash_words`]) is or will be: whoever has several states
    /// fetches all before the first is looked at.
    #[inline]
    pub fn fetch(&self, hash: u64) {
        let Some(last) = self.last else { return };
        let place = hash as usize & last;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetching has no effect but on speed.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let address = match &self.places {
                Places::Hashes(hashes) => hashes.as_ptr().wrapping_add(place).cast(),
                Places::Words { stride, words } => words.as_ptr().wrapping_add(place * stride).cast(),
            };
            _mm_prefetch::<_MM_HINT_T0>(address);
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = place;
    }

    /// Like [`contains_or_insert`](Self::contains_or_insert), where the state's hash is known.
    #[inline]
    pub fn contains_or_insert_hashed(&mut self, hash: u64, state: &[Word]) -> bool {
        let Some(last) = self.last else { return false };
        let place = hash as usize & last;
        match &mut self.places {
            Places::Hashes(hashes) => std::mem::replace(&mut hashes[place], hash) == hash,
            Places::Words { stride, words } => {
                let (used, words) = words[place * *stride..][..*stride].split_first_mut().expect("a place has a mark");
                if *used == 1 && words == state {
                    return true;
                }
                *used = 1;
                words.copy_from_slice(state);
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_was_not_met_is_not_in_it() {
        for width in [1, 2, 3, 5] {
            for room in [0, 1, 2, 64] {
                let mut recent = RecentStates::new(width, room);
                let mut met = std::collections::HashSet::new();
                for number in 0..2_000u32 {
                    let state: Vec<Word> =
                        (0..width as u32).map(|word| (number * 7 + word) % 97 / (word + 1)).collect();
                    recent.fetch(hash_words(&state));
                    let is_known = recent.contains_or_insert(&state);
                    assert!(met.contains(&state) || !is_known);
                    met.insert(state.clone());
                    assert_eq!(recent.contains_or_insert(&state), room > 0, "what was met last is in it");
                }
            }
        }
    }
}
