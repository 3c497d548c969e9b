//! The bitstate store: a Bloom filter of a size that is chosen beforehand.
//!
//! A state sets a few bits, chosen by as many hash functions, and is taken for known if all of them are set. About a
//! byte a state is enough to miss few states. Nothing else is kept, so the store is not exact, and says so: how many
//! states it has taken for others follows from its size and the number of states it was given.
//!
//! All bits of a state lie in one cache line, so a lookup fetches one line however many bits there are. That costs some
//! precision, because lines fill unevenly, which [`Filter::left_out`] takes into account.
//!
//! **Threads.** Bit 0 of a line is its lock. Who finds all bits of a state set needs no lock; who does not takes it,
//! looks again and sets them: so of several threads that bring the same state one is told that it is new.

use crate::hash::{hash_words, mix, unmix};
use crate::memory::Memory;
use crate::sample::Sample;
use crate::{Exactness, Inserted, Session, StateRef, Store};
use dampf_core::Word;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const LINE_WORDS: usize = 8;
const LINE_BYTES: u64 = 64;
/// Bits that choose one of the bits of a line.
const CHOICE_BITS: u32 = 9;
/// How many bits are chosen by one number of 64.
const CHOICES: u32 = u64::BITS / CHOICE_BITS;
const LOCK: u64 = 1;

/// The shape of a filter, from which follows how sure it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Filter {
    lines: u64,
    functions: u32,
}

impl Filter {
    /// How many hash functions there may be.
    pub const FUNCTIONS: std::ops::RangeInclusive<u32> = 1..=2 * CHOICES;

    /// A filter of about so many bytes, with so many hash functions.
    pub fn new(bytes: u64, functions: u32) -> Filter {
        assert!(Filter::FUNCTIONS.contains(&functions), "{functions} hash functions");
        Filter { lines: (bytes / LINE_BYTES).max(1), functions }
    }

    /// A filter of about so many bytes with as many hash functions as suit so many states best.
    pub fn for_states(bytes: u64, states: u64) -> Filter {
        let filters = Filter::FUNCTIONS.map(|functions| Filter::new(bytes, functions));
        let best = filters.min_by(|one, other| one.missed(states).total_cmp(&other.missed(states)));
        best.expect("there is a number of functions")
    }

    pub fn bytes(self) -> u64 {
        self.lines * LINE_BYTES
    }

    pub fn functions(self) -> u32 {
        self.functions
    }

    /// How many of so many states are to be expected to be taken for others.
    fn missed(self, states: u64) -> f64 {
        const PIECES: u32 = 64;
        let missed = |piece: u32| self.mistake_probability(states as f64 * f64::from(piece) / f64::from(PIECES));
        // Simpson's rule.
        let inner: f64 = (1..PIECES).map(|piece| f64::from(2 + piece % 2 * 2) * missed(piece)).sum();
        states as f64 * (missed(0) + inner + missed(PIECES)) / f64::from(3 * PIECES)
    }

    /// How many states are to be expected to have been taken for others when this many were found to be new.
    ///
    /// A state is missed with the probability that all of its bits were set before, which grows while the filter fills.
    /// States that can be reached by way of missed ones only may be missed too, and are not counted.
    pub fn left_out(self, found: u64) -> f64 {
        const PIECES: u32 = 64;
        // How many states have to come for one to be found, when so many have come: integrated by the method of Runge
        // and Kutta. A missed state sets no bits, so what is set follows from how many states have come.
        let needed = |came: f64| 1.0 / (1.0 - self.mistake_probability(came)).max(1e-6);
        let piece = found as f64 / f64::from(PIECES);
        let came = (0..PIECES).fold(0.0, |came, _| {
            let first = needed(came);
            let second = needed(came + piece / 2.0 * first);
            let third = needed(came + piece / 2.0 * second);
            let last = needed(came + piece * third);
            came + piece / 6.0 * (first + 2.0 * second + 2.0 * third + last)
        });
        (came - found as f64).max(0.0)
    }

    /// The probability that all bits of a new state are set when so many others have come.
    pub fn mistake_probability(self, states: f64) -> f64 {
        let states_per_line = states / self.lines as f64;
        // More states than this: lines differ little, and a distribution would need other arithmetic.
        const EVEN_FROM: f64 = 300.0;
        let bits = (LINE_BYTES * 8 - 1) as f64;
        let all_set = |states: f64| {
            let unset = (-f64::from(self.functions) * states / bits).exp();
            (1.0 - unset).powi(self.functions as i32)
        };
        if states_per_line > EVEN_FROM {
            return all_set(states_per_line);
        }
        // The number of states of a line has a Poisson distribution.
        let last = (states_per_line + 12.0 * states_per_line.sqrt() + 12.0) as u32;
        let (mut share, mut sum) = ((-states_per_line).exp(), 0.0);
        for states in 0..=last {
            sum += share * all_set(f64::from(states));
            share *= states_per_line / f64::from(states + 1);
        }
        sum
    }
}

pub struct BitstateStore {
    filter: Filter,
    /// What the hash functions differ in from those of other runs.
    seed: u64,
    sample: Option<Arc<Sample>>,
    lines: *const Line,
    _memory: Memory,
}

#[repr(C, align(64))]
struct Line([AtomicU64; LINE_WORDS]);

// SAFETY: what the pointer leads to is atomics, which threads may share, and lives as long as the memory beside it.
unsafe impl Send for BitstateStore {}
// SAFETY: as above.
unsafe impl Sync for BitstateStore {}

impl BitstateStore {
    /// An empty filter. Runs with different numbers have different hash functions.
    ///
    /// # Errors
    /// Where the system has no memory of that size.
    pub fn new(filter: Filter, run: u32) -> io::Result<Self> {
        let memory = Memory::try_zeroed(usize::try_from(filter.bytes()).unwrap_or(usize::MAX))?;
        let lines = memory.start().cast_const().cast();
        Ok(BitstateStore { filter, seed: mix(u64::from(run)), sample: None, lines, _memory: memory })
    }

    /// The same, with new states noted in a sample.
    pub fn noting(self, sample: Arc<Sample>) -> Self {
        BitstateStore { sample: Some(sample), ..self }
    }

    /// Notes a new state in the sample, by a hash that does not depend on the run.
    #[inline]
    fn note(&self, hash: u64) {
        if let Some(sample) = &self.sample {
            sample.note(unmix(unmix(hash)).wrapping_sub(self.seed));
        }
    }

    #[inline]
    fn line(&self, number: u64) -> &[AtomicU64; LINE_WORDS] {
        debug_assert!(number < self.filter.lines);
        // SAFETY: the memory holds that many lines, is aligned for them, and zeroed memory is valid atomics. It is
        // touched through this pointer only, and lives as long as `self`.
        unsafe { &(*self.lines.add(number as usize)).0 }
    }

    /// The bits of a state in its line.
    #[inline]
    fn bits(&self, hash: u64) -> [u64; LINE_WORDS] {
        let mut bits = [0; LINE_WORDS];
        let (mut choices, mut left) = (hash, CHOICES);
        for _ in 0..self.filter.functions {
            if left == 0 {
                (choices, left) = (mix(hash), CHOICES);
            }
            // Bit 0 is the lock.
            let bit = (choices & ((1 << CHOICE_BITS) - 1)).max(1);
            bits[(bit / 64) as usize] |= 1 << (bit % 64);
            choices >>= CHOICE_BITS;
            left -= 1;
        }
        bits
    }
}

impl Store for BitstateStore {
    type Session<'s> = BitstateSession<'s>;

    fn session(&self) -> BitstateSession<'_> {
        BitstateSession { store: self }
    }

    fn bytes(&self) -> u64 {
        self.filter.bytes()
    }

    fn exactness(&self) -> Exactness {
        Exactness::Filtered(self.filter)
    }
}

pub struct BitstateSession<'s> {
    store: &'s BitstateStore,
}

/// Whether all of these bits are set.
#[inline]
fn are_set(line: &[AtomicU64; LINE_WORDS], bits: &[u64; LINE_WORDS]) -> bool {
    line.iter().zip(bits).all(|(word, bits)| word.load(Ordering::Relaxed) & bits == *bits)
}

impl BitstateSession<'_> {
    /// Sets bits of a line; whether one of them was not set.
    fn set(line: &[AtomicU64; LINE_WORDS], bits: &[u64; LINE_WORDS]) -> bool {
        let backoff = crossbeam_utils::Backoff::new();
        // ORDERING: Acquire pairs with the Release below: who has the lock sees the bits that others set.
        while line[0].fetch_or(LOCK, Ordering::Acquire) & LOCK != 0 {
            backoff.snooze();
        }
        let is_new = !are_set(line, bits);
        for (word, bits) in line.iter().zip(bits).rev().filter(|_| is_new) {
            // Bits change under the lock only, and the lock itself is set by whoever waits for it, which changes
            // nothing.
            word.store(word.load(Ordering::Relaxed) | bits, Ordering::Relaxed);
        }
        // ORDERING: Release publishes the bits to the next who takes the lock.
        line[0].fetch_and(!LOCK, Ordering::Release);
        is_new
    }
}

impl Session for BitstateSession<'_> {
    /// The line, and what chooses bits there.
    type Pending = (u64, u64);

    #[inline]
    fn prepare(&mut self, words: &[Word]) -> (u64, u64) {
        let hash = mix(hash_words(words).wrapping_add(self.store.seed));
        let line = ((u128::from(hash) * u128::from(self.store.filter.lines)) >> 64) as u64;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetching has no effect but on speed.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(self.store.line(line).as_ptr().cast());
        }
        (line, mix(hash))
    }

    #[inline]
    fn commit(&mut self, (line, hash): (u64, u64), _: &[Word], _: Option<StateRef>) -> Inserted {
        let state = StateRef(hash);
        let (line, bits) = (self.store.line(line), self.store.bits(hash));
        if are_set(line, &bits) || !BitstateSession::set(line, &bits) {
            return Inserted::Known(state);
        }
        self.store.note(hash);
        Inserted::New(state)
    }

    fn contains(&mut self, (line, hash): (u64, u64), _: &[Word]) -> bool {
        are_set(self.store.line(line), &self.store.bits(hash))
    }

    fn quiesce(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many different states are taken for others.
    fn missed(filter: Filter, states: u32, run: u32) -> u64 {
        let store = BitstateStore::new(filter, run).expect("there is room");
        let mut session = store.session();
        let mut is_known = |words: &[Word]| {
            let pending = session.prepare(words);
            matches!(session.commit(pending, words, None), Inserted::Known(_))
        };
        (0..states).map(|state| u64::from(is_known(&[state, 7, state / 3]))).sum()
    }

    #[test]
    fn what_is_missed_is_what_is_said() {
        const STATES: u32 = 1_000_000;
        for bits_per_state in [2, 4, 8, 16] {
            for functions in [1, 3, 6, 9] {
                let filter = Filter::new(u64::from(STATES * bits_per_state / 8), functions);
                let missed = missed(filter, STATES, 0);
                let said = filter.left_out(u64::from(STATES) - missed);
                let slack = said * 0.05 + 5.0 * said.sqrt() + 3.0;
                assert!((missed as f64 - said).abs() < slack, "{filter:?}: {missed}, but {said} was said");
            }
        }
    }

    #[test]
    fn a_byte_a_state_is_enough_for_99_in_100() {
        for states in [10_000, 1_000_000] {
            let filter = Filter::for_states(states, states);
            assert!((5..=7).contains(&filter.functions()), "{filter:?}");
            assert!(filter.left_out(states) < states as f64 * 0.006, "{}", filter.left_out(states));
            assert!(missed(filter, states as u32, 0) < states / 150);
        }
        // Where there is room, more functions are better; where there is none, fewer.
        assert!(Filter::for_states(8_000_000, 1_000_000).functions() > 8);
        assert_eq!(Filter::for_states(100_000, 1_000_000).functions(), 1);
    }

    #[test]
    fn runs_miss_different_states() {
        let filter = Filter::new(500_000, 3);
        let missed_by = |run: u32| {
            let store = BitstateStore::new(filter, run).expect("there is room");
            let mut session = store.session();
            let states = (0..1_000_000u32).filter(|&state| {
                let pending = session.prepare(&[state]);
                matches!(session.commit(pending, &[state], None), Inserted::Known(_))
            });
            states.collect::<std::collections::HashSet<_>>()
        };
        let (one, other) = (missed_by(1), missed_by(2));
        let share = one.len() as f64 / 1e6;
        let both = one.intersection(&other).count() as f64;
        // As many as of two draws that know nothing of each other, but that later states are missed more often.
        assert!(both < 2.0 * share * other.len() as f64, "{both} of {} and {}", one.len(), other.len());
    }

    #[test]
    fn of_several_threads_one_is_first() {
        let store = BitstateStore::new(Filter::new(8 << 20, 6), 0).expect("there is room");
        let count = || {
            let mut session = store.session();
            let states = (0..400_000u32).filter(|&state| {
                let pending = session.prepare(&[state]);
                matches!(session.commit(pending, &[state], None), Inserted::New(_))
            });
            states.count()
        };
        let new: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert!((399_900..=400_000).contains(&new), "{new}");
    }
}
