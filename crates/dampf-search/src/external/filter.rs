//! A filter that knows which states are surely new.
//!
//! Most candidates that survive sorting are new, and looking for them in the runs of visited states is in vain. The
//! filter is an array of bits, four of which are set for every visited state: a candidate with one of them not set was
//! never visited. It only saves reading; what it cannot exclude is compared with the visited states, word by word.
//!
//! All four bits of a state are in one 64-bit number, so that a look costs one access to memory. A full filter is made
//! anew, four times as large, by reading all runs once; when it may not grow any more and is too full to be of use, it
//! is given up.

use super::disk::DiskTrouble;
use super::packing::Packing;
use super::run::{PartReader, Run};
use super::sorting::is_same;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bits per state when the filter is made, and when it is full.
const BITS_BEGIN: u64 = 32;
const BITS_FULL: u64 = 8;
/// With fewer bits per state than this, most questions are answered with "maybe".
const BITS_USEFUL: u64 = 3;
const BYTES_MIN: u64 = 1 << 20;

pub(crate) struct Filter {
    packing: Arc<Packing>,
    numbers: Vec<AtomicU64>,
    states: AtomicU64,
}

impl Filter {
    /// A filter for so many states and some more, within so many bytes. None where it would be of no use.
    fn sized(states: u64, packing: &Arc<Packing>, bytes_max: u64) -> Option<Filter> {
        let bytes = (states * BITS_BEGIN / 8).max(BYTES_MIN).min(bytes_max);
        let filter = |numbers: usize| Filter {
            packing: Arc::clone(packing),
            numbers: std::iter::repeat_with(|| AtomicU64::new(0)).take(numbers).collect(),
            states: AtomicU64::new(0),
        };
        (bytes >= 8 && bytes * 8 >= states * BITS_USEFUL).then(|| filter((bytes / 8) as usize))
    }

    /// Whether the filter will do for another level.
    fn is_fit(&self, packing: &Arc<Packing>, bytes_max: u64) -> bool {
        let bytes = self.numbers.len() as u64 * 8;
        let bits_per_state = bytes * 8 / self.states.load(Ordering::Relaxed).max(1);
        let can_grow = bytes + 8 <= bytes_max;
        self.packing == *packing && bits_per_state >= if can_grow { BITS_FULL } else { BITS_USEFUL }
    }

    /// Where a state's bits are, and which.
    #[inline]
    fn place(&self, record: &[u64], hint_bits: u32) -> (usize, u64) {
        const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;
        let (last, others) = record.split_last().expect("a record has a number");
        let mixed = others.iter().fold(0u64, |mixed, number| (mixed ^ number).wrapping_mul(FACTOR).rotate_left(31));
        let mixed = (mixed ^ last >> hint_bits).wrapping_mul(FACTOR);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(FACTOR);
        let bit = |number: u32| 1u64 << (mixed >> (6 * number) & 63);
        // The high bits choose the number, the low ones the bits within it.
        let at = ((u128::from(mixed) * self.numbers.len() as u128) >> 64) as usize;
        (at, bit(0) | bit(1) | bit(2) | bit(3))
    }

    /// Whether a state may have been visited.
    #[inline]
    fn may_have(&self, (at, bits): (usize, u64)) -> bool {
        self.numbers[at].load(Ordering::Relaxed) & bits == bits
    }

    /// Adds states. `is_shared` says whether other threads may add at the same time: then no bit must be lost, which
    /// takes longer.
    pub fn add(&self, records: &[u64], is_shared: bool) {
        let (keys, hint_bits) = (self.packing.keys(), self.packing.hint_bits());
        for record in records.chunks_exact(keys) {
            let (at, bits) = self.place(record, hint_bits);
            let number = &self.numbers[at];
            if is_shared {
                number.fetch_or(bits, Ordering::Relaxed);
            } else {
                number.store(number.load(Ordering::Relaxed) | bits, Ordering::Relaxed);
            }
        }
        self.states.fetch_add((records.len() / keys) as u64, Ordering::Relaxed);
    }

    /// Splits candidates: appends those that may have been visited to `maybe`, and says for each candidate whether it
    /// is one of these.
    pub fn divide(&self, candidates: &[u64], maybe: &mut Vec<u64>, is_maybe: &mut Vec<bool>) {
        let (keys, hint_bits) = (self.packing.keys(), self.packing.hint_bits());
        let mut places = [(0, 0); 64];
        for group in candidates.chunks(64 * keys) {
            // All places are computed before the first is looked at, so that the accesses overlap.
            let records = group.chunks_exact(keys);
            let count = records.len();
            records.clone().zip(&mut places).for_each(|(record, place)| *place = self.place(record, hint_bits));
            let mut answers = [false; 64];
            for (answer, &place) in answers.iter_mut().zip(&places[..count]) {
                *answer = self.may_have(place);
            }
            is_maybe.extend_from_slice(&answers[..count]);
            for (record, _) in records.zip(answers).filter(|(_, answer)| *answer) {
                maybe.extend_from_slice(record);
            }
        }
    }
}

/// Leaves out of the candidates what is maybe visited, by the filter's word, and is not among the survivors of a closer
/// look.
pub(crate) fn rejoin<const N: usize>(
    candidates: &mut Vec<u64>,
    is_maybe: &[bool],
    survivors: &[u64],
    keys: usize,
    hint_bits: u32,
) {
    let keys = if N > 0 { N } else { keys };
    let (mut kept, mut survivor) = (0, 0);
    for (number, &is_maybe) in is_maybe.iter().enumerate() {
        let (before, rest) = candidates.split_at_mut(number * keys);
        let candidate = &rest[..keys];
        if is_maybe {
            let at = survivors.get(survivor..survivor + keys);
            if !at.is_some_and(|at| is_same(at, candidate, hint_bits)) {
                continue;
            }
            survivor += keys;
        }
        if kept < before.len() {
            before[kept..kept + keys].copy_from_slice(candidate);
        }
        kept += keys;
    }
    candidates.truncate(kept);
}

/// A filter that is made when it begins to pay.
///
/// Looking candidates up without a filter costs about as much as reading all visited states; with one it costs two
/// accesses to memory for each candidate. What a filter would have saved is added up, and when it reaches the price of
/// making one, one is made: so at most twice the price of the better choice is paid, whatever comes.
#[derive(Default)]
pub(crate) struct LazyFilter {
    filter: Option<Filter>,
    /// Picoseconds that a filter would have saved.
    forgone: u64,
}

/// Measured prices in picoseconds: of reading a visited state, of asking for and adding a candidate, of adding a state
/// to a new filter.
const READ_PRICE: u64 = 2500;
const ASK_PRICE: u64 = 40_000;
const MAKE_PRICE: u64 = 25_000;

impl LazyFilter {
    pub fn get(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }

    /// Prepares for a level of so many candidates: makes, grows or drops the filter. The runs have all visited states.
    pub fn prepare<'r>(
        &mut self,
        runs: impl Iterator<Item = &'r Run> + Clone,
        candidates: u64,
        packing: &Arc<Packing>,
        bytes_max: u64,
    ) -> Result<(), DiskTrouble> {
        if self.filter.as_ref().is_some_and(|filter| filter.is_fit(packing, bytes_max)) {
            return Ok(());
        }
        self.filter = None;
        let states: u64 = runs.clone().map(Run::states).sum();
        let saved = states.saturating_mul(READ_PRICE).saturating_sub(candidates.saturating_mul(ASK_PRICE));
        self.forgone = self.forgone.saturating_add(saved);
        if self.forgone < states.saturating_mul(MAKE_PRICE) {
            return Ok(());
        }
        self.forgone = 0;
        let Some(made) = Filter::sized(states, packing, bytes_max) else { return Ok(()) };
        for part in runs.flat_map(|run| &run.parts) {
            let mut reader = PartReader::new(part, packing, false);
            for block in 0..reader.blocks() {
                made.add(reader.load(block)?, false);
            }
        }
        self.filter = Some(made);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external::run::{Part, Resident};

    fn run(packing: &Arc<Packing>, states: impl Iterator<Item = u64>) -> Run {
        let records = states.map(|state| state << packing.hint_bits()).collect();
        let resident = Resident { packing: Arc::clone(packing), hints: false, records };
        Run { parts: vec![Part::Memory(Arc::new(resident))] }
    }

    /// Prepares for levels of few candidates until a filter pays.
    fn prepared(filter: &mut LazyFilter, visited: &Run, packing: &Arc<Packing>, bytes_max: u64) {
        for _ in 0..20 {
            filter.prepare([visited].into_iter(), 1, packing, bytes_max).unwrap();
        }
    }

    #[test]
    fn what_was_added_is_never_surely_new_and_most_of_the_rest_is() {
        let packing = Arc::new(Packing::of(vec![20, 20]));
        let visited = run(&packing, (0..100_000).map(|number| 3 * number));
        let mut filter = LazyFilter::default();
        prepared(&mut filter, &visited, &packing, 1 << 20);
        let candidates: Vec<u64> = (0..300_000u64).map(|number| number << 8).collect();
        let (mut maybe, mut is_maybe) = (Vec::new(), Vec::new());
        filter.get().unwrap().divide(&candidates, &mut maybe, &mut is_maybe);
        assert!(is_maybe.iter().step_by(3).all(|&is_maybe| is_maybe));
        assert_eq!(maybe.len(), is_maybe.iter().filter(|&&is_maybe| is_maybe).count());
        assert!(maybe.len() < 101_000, "{}", maybe.len());
    }

    #[test]
    fn a_filter_is_made_when_it_pays_grows_while_it_may_and_is_given_up_when_it_is_full() {
        let packing = Arc::new(Packing::of(vec![20, 20]));
        let (mut filter, mut known) = (LazyFilter::default(), 0);
        let visited = run(&packing, 0..1000);
        filter.prepare([&visited].into_iter(), 1000, &packing, 8 * 1024).unwrap();
        assert!(filter.get().is_none(), "many candidates are better looked up");
        for (states, is_there) in [(100, true), (1000, true), (8000, true), (100_000, false)] {
            if let Some(filter) = filter.get() {
                filter.add(&(known..states).map(|state| state << 8).collect::<Vec<u64>>(), true);
            }
            known = states;
            prepared(&mut filter, &run(&packing, 0..states), &packing, 8 * 1024);
            assert_eq!(filter.get().is_some(), is_there, "{states}");
        }
    }

    #[test]
    fn survivors_are_put_back_where_they_were() {
        let mut candidates = vec![1 << 8, 2 << 8, 3 << 8, 4 << 8, 5 << 8];
        rejoin::<1>(&mut candidates, &[false, true, true, false, true], &[3 << 8], 1, 8);
        assert_eq!(candidates, [1 << 8, 3 << 8, 4 << 8]);
    }
}
