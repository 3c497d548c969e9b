//! What it costs to hash large states: whole, by a section, or by what a step has changed.
//!
//! ```sh
//! cargo run --release -p dampf-store --example hashing
//! ```
//!
//! A chain of states is made by steps that change a few words each, as steps of programs do. *Full* hashing goes over
//! all words. *Partial* hashing goes over a section of them, here the first eighth; states that differ elsewhere have
//! the same hash. *Incremental* hashing keeps the sum of a term for each word and its position, and exchanges the terms
//! of the words that differ: which ones these are is either known, or found by comparing with the state before.

use dampf_core::Word;
use dampf_store::hash_words;
use std::collections::HashSet;
use std::hint::black_box;
use std::time::Instant;

/// Words of all states of a chain: they fit a cache, so that hashing is measured and not memory.
const WORDS: usize = 1 << 17;
/// The best of so many runs counts: others use the machine, too.
const RUNS: usize = 50;

/// A generator that needs nothing.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }
}

fn mixed(value: u64) -> u64 {
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

/// What a word at a position adds to an incremental hash.
fn term(position: usize, word: Word) -> u64 {
    mixed((position as u64) << 32 | u64::from(word))
}

fn sum(state: &[Word]) -> u64 {
    state.iter().enumerate().fold(0, |sum, (position, word)| sum.wrapping_add(term(position, *word)))
}

/// States one after the other, each with the positions that differ from the one before.
fn chain(width: usize, changes: usize) -> (Vec<Word>, Vec<Vec<usize>>) {
    let mut numbers = Numbers(width as u64);
    let mut state: Vec<Word> = (0..width).map(|_| numbers.next() as Word).collect();
    let (mut states, mut changed) = (Vec::with_capacity(WORDS), Vec::new());
    for _ in 0..WORDS / width {
        let positions: Vec<usize> = (0..changes).map(|_| numbers.next() as usize % width).collect();
        positions.iter().for_each(|&position| state[position] = numbers.next() as Word);
        states.extend_from_slice(&state);
        changed.push(positions);
    }
    (states, changed)
}

/// Nanoseconds for each state, and the hashes.
fn measured(mut hash: impl FnMut() -> Vec<u64>) -> (f64, Vec<u64>) {
    let mut best = f64::INFINITY;
    let mut hashes = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        hashes = black_box(hash());
        best = best.min(start.elapsed().as_nanos() as f64 / hashes.len() as f64);
    }
    (best, hashes)
}

/// The share of states that have a hash of their own or are the first with theirs.
fn told_apart(hashes: &[u64]) -> f64 {
    hashes.iter().collect::<HashSet<_>>().len() as f64 / hashes.len() as f64
}

fn main() {
    println!(
        "{:>6} {:>8} {:>9} {:>9} {:>13} {:>14} {:>12}",
        "words", "changed", "full ns", "partial", "incremental", "by comparing", "told apart"
    );
    for width in [8, 64, 512, 4096] {
        for changes in [1, 4] {
            let (states, changed) = chain(width, changes);
            let (full, hashes) = measured(|| states.chunks(width).map(hash_words).collect());
            assert_eq!(told_apart(&hashes), 1.0, "a full hash tells all states apart");
            let section = (width / 8).max(1);
            let (partial, in_sections) =
                measured(|| states.chunks(width).map(|state| hash_words(&state[..section])).collect());
            let whole: Vec<u64> = states.chunks(width).map(sum).collect();
            let (known, by_known) = measured(|| {
                let mut before = &states[..width];
                let mut hash = sum(before);
                let steps = states.chunks(width).zip(&changed).enumerate();
                let follow = |(number, (state, positions)): (usize, (&'_ [Word], &Vec<usize>))| {
                    if number > 0 {
                        for (index, &position) in positions.iter().enumerate() {
                            // A position that is changed twice counts once.
                            if !positions[..index].contains(&position) {
                                hash = hash.wrapping_sub(term(position, before[position]));
                                hash = hash.wrapping_add(term(position, state[position]));
                            }
                        }
                    }
                    before = &states[number * width..][..width];
                    hash
                };
                steps.map(follow).collect()
            });
            let (compared, by_comparing) = measured(|| {
                let mut before = &states[..width];
                let mut hash = sum(before);
                let follow = |(number, state): (usize, &[Word])| {
                    for (position, (old, new)) in before.iter().zip(state).enumerate() {
                        if old != new {
                            hash = hash.wrapping_sub(term(position, *old)).wrapping_add(term(position, *new));
                        }
                    }
                    before = &states[number * width..][..width];
                    hash
                };
                states.chunks(width).enumerate().map(follow).collect()
            });
            assert!(by_known == whole && by_comparing == whole, "what was exchanged adds up to the whole");
            println!(
                "{width:>6} {changes:>8} {full:>9.1} {partial:>9.1} {known:>13.1} {compared:>14.1} {:>10.1} %",
                100.0 * told_apart(&in_sections)
            );
        }
    }
}
