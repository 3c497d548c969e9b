//! Numbers for the words of states that are the same in every process.
//!
//! A word that names a part means something in one process only, so whoever decides by a state's words where in a
//! network the state belongs must not use the name but what it stands for. The fingerprint of a part is a hash of its
//! kind and contents, in which the names of further parts count as their fingerprints. Parts are kept once and never
//! change, so a fingerprint is remembered: a successor that differs from its state in a line of memory costs that line
//! and the few nodes above it.
//!
//! What is remembered is limited. Beyond the limit new fingerprints take the places of old ones, which are computed
//! again when they are needed; a part that is still in use has most of its own parts remembered, so that costs one
//! level.

use crate::{Part, Transfer, Word};

/// Places for remembered fingerprints at first, as a power of two.
const SLOT_BITS_FIRST: u32 = 10;
/// Bytes that remembered fingerprints may take unless somebody says otherwise.
const BYTES_MAX: usize = 64 << 20;

/// A key that no part has: models number their kinds from 0.
const EMPTY: u64 = u64::MAX;

#[derive(Clone, Copy)]
struct Slot {
    /// The kind and the name of the part.
    key: u64,
    fingerprint: u64,
}

/// Computes fingerprints of the words of one model's states, for one thread.
pub struct Fingerprints {
    /// Every part has one place; nothing at first.
    slots: Vec<Slot>,
    slot_bits: u32,
    slot_bits_max: u32,
    /// Places that are taken.
    taken: usize,
    /// What each position of the last state named. Neighbours mostly name the same, and here it is at hand.
    last: Vec<Slot>,
    /// Stacks of what is being computed, from the part that was asked for inwards.
    contents: Vec<Word>,
    values: Vec<u64>,
    inner: Vec<(usize, Part)>,
}

impl Default for Fingerprints {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprints {
    pub fn new() -> Self {
        Self::with_bytes_max(BYTES_MAX)
    }

    /// Remembers no more fingerprints than fit into so many bytes; at least one.
    pub fn with_bytes_max(bytes_max: usize) -> Self {
        Fingerprints {
            slots: Vec::new(),
            slot_bits: 0,
            slot_bits_max: (bytes_max / size_of::<Slot>()).max(1).ilog2(),
            taken: 0,
            last: Vec::new(),
            contents: Vec::new(),
            values: Vec::new(),
            inner: Vec::new(),
        }
    }

    /// Fills `out` with a fingerprint for each word of a state. Always with states of the same model.
    pub fn words<M: Transfer>(&mut self, model: &M, state: &[Word], out: &mut Vec<u64>) {
        self.words_where(model, state, |_| true, out);
    }

    /// The same, where only the words matter at whose positions `mask` is not zero: the others have any number.
    pub fn words_at<M: Transfer>(&mut self, model: &M, state: &[Word], mask: &[Word], out: &mut Vec<u64>) {
        self.words_where(model, state, |position| mask[position] != 0, out);
    }

    fn words_where<M: Transfer>(
        &mut self,
        model: &M,
        state: &[Word],
        matters: impl Fn(usize) -> bool,
        out: &mut Vec<u64>,
    ) {
        out.clear();
        out.extend(state.iter().map(|&word| of_word(word)));
        self.last.resize(state.len(), Slot { key: EMPTY, fingerprint: 0 });
        model.parts_of_state(state, &mut |position, part| {
            if !matters(position) {
                return;
            }
            let key = key(part);
            if self.last[position].key != key || key == EMPTY {
                self.last[position] = Slot { key, fingerprint: self.of_part(model, part) };
            }
            out[position] = self.last[position].fingerprint;
        });
    }

    /// The fingerprint of a part.
    pub fn of_part<M: Transfer>(&mut self, model: &M, part: Part) -> u64 {
        let key = key(part);
        if let Some(slot) = self.slots.get(self.place(key))
            && slot.key == key
            && key != EMPTY
        {
            return slot.fingerprint;
        }
        let fingerprint = self.compute(model, part);
        self.remember(Slot { key, fingerprint });
        fingerprint
    }

    fn compute<M: Transfer>(&mut self, model: &M, part: Part) -> u64 {
        let (first_value, first_inner) = (self.values.len(), self.inner.len());
        let Fingerprints { contents, values, inner, .. } = self;
        contents.clear();
        model.part(part, contents, &mut |position, part| inner.push((position, part)));
        values.extend(contents.iter().map(|&word| u64::from(word)));
        for number in first_inner..self.inner.len() {
            let (position, part) = self.inner[number];
            let fingerprint = self.of_part(model, part);
            self.values[first_value + position] = fingerprint;
        }
        let fingerprint = of_contents(part.kind, &self.values[first_value..]);
        self.values.truncate(first_value);
        self.inner.truncate(first_inner);
        fingerprint
    }

    /// The place of a key. (Names count up from 0, so their low bits alone would do; kinds must not fall on each
    /// other.)
    #[inline]
    fn place(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (63 - self.slot_bits) >> 1) as usize
    }

    fn remember(&mut self, slot: Slot) {
        if self.slots.is_empty() || self.taken * 2 >= self.slots.len() && self.slot_bits < self.slot_bits_max {
            self.grow();
        }
        let place = self.place(slot.key);
        self.taken += usize::from(self.slots[place].key == EMPTY);
        self.slots[place] = slot;
    }

    fn grow(&mut self) {
        self.slot_bits =
            if self.slots.is_empty() { SLOT_BITS_FIRST.min(self.slot_bits_max) } else { self.slot_bits + 1 };
        let empty = vec![Slot { key: EMPTY, fingerprint: 0 }; 1 << self.slot_bits];
        let old = std::mem::replace(&mut self.slots, empty);
        self.taken = 0;
        for slot in old.into_iter().filter(|slot| slot.key != EMPTY) {
            let place = self.place(slot.key);
            self.taken += usize::from(self.slots[place].key == EMPTY);
            self.slots[place] = slot;
        }
    }

    /// Bytes that remembered fingerprints take.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }
}

#[inline]
fn key(part: Part) -> u64 {
    u64::from(part.kind) << 32 | u64::from(part.name)
}

/// The fingerprint of a word that names nothing: a bijection, so different words differ.
#[inline]
fn of_word(word: Word) -> u64 {
    let mut mixed = u64::from(word).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// The fingerprint of a part whose words, or what they name, are these values.
fn of_contents(kind: u32, values: &[u64]) -> u64 {
    let multiplied = |left: u64, right: u64| {
        let product = u128::from(left) * u128::from(right);
        product as u64 ^ (product >> 64) as u64
    };
    let mut hash = multiplied(values.len() as u64 ^ 0xa076_1d64_78bd_642f, u64::from(kind) ^ 0xe703_7ed1_a0b4_28db);
    for pair in values.chunks(2) {
        let second = pair.get(1).copied().unwrap_or_default();
        let mixed = multiplied(pair[0] ^ 0x8ebc_6af0_9c88_c6e3, second ^ 0x5899_65cc_7537_4cc3);
        hash = multiplied(hash ^ mixed, 0xd6e8_feb8_6659_fd93);
    }
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ComponentId, ComponentTable, Model, Successors, Worker};

    /// States of a plain word and a list, which is made of pairs of a word and the rest of the list.
    struct Lists(ComponentTable);

    impl Model for Lists {
        type Worker<'m> = &'m Lists;

        fn width(&self) -> usize {
            2
        }

        fn worker(&self) -> &Lists {
            self
        }
    }

    impl Worker for &Lists {
        fn initial(&mut self, out: &mut Successors) {
            out.clear();
        }

        fn successors(&mut self, _: &[Word], out: &mut Successors) {
            out.clear();
        }
    }

    impl Transfer for Lists {
        fn has_parts(&self) -> bool {
            true
        }

        fn parts_of_state(&self, state: &[Word], visit: &mut dyn FnMut(usize, Part)) {
            if state[1] != 0 {
                visit(1, Part { kind: 0, name: state[1] });
            }
        }

        fn part(&self, part: Part, words: &mut Vec<Word>, visit: &mut dyn FnMut(usize, Part)) {
            let pair = self.0.get(ComponentId(part.name - 1));
            words.extend_from_slice(pair);
            if pair[1] != 0 {
                visit(1, Part { kind: part.kind, name: pair[1] });
            }
        }
    }

    impl Lists {
        fn list(&self, items: &[Word]) -> Word {
            items.iter().rev().fold(0, |rest, &item| self.0.intern(&[item, rest]).0 + 1)
        }

        fn fingerprints(&self, of: &mut Fingerprints, items: &[Word]) -> Vec<u64> {
            let mut words = Vec::new();
            of.words(self, &[7, self.list(items)], &mut words);
            words
        }
    }

    #[test]
    fn fingerprints_follow_contents_and_not_names() {
        let (here, there) = (Lists(ComponentTable::new()), Lists(ComponentTable::new()));
        let (mut of_here, mut of_there) = (Fingerprints::new(), Fingerprints::new());
        let lists: Vec<Vec<Word>> =
            (0..20_000).map(|seed: Word| (0..seed % 9).map(|at| (seed / 9) >> at & 3).collect()).collect();
        // Names are given in another order there.
        lists.iter().rev().for_each(|items| {
            there.list(items);
        });
        let mut seen: Vec<(u64, &[Word])> = Vec::new();
        let mut names_differ = 0;
        for items in &lists {
            let words = here.fingerprints(&mut of_here, items);
            assert_eq!(words, there.fingerprints(&mut of_there, items));
            assert_eq!(words[0], of_word(7));
            names_differ += usize::from(here.list(items) != there.list(items));
            seen.push((words[1], items));
        }
        assert!(names_differ > 0, "the test would show nothing");
        seen.sort();
        seen.dedup();
        assert!(seen.windows(2).all(|two| two[0].0 != two[1].0), "different lists have different fingerprints");
    }

    #[test]
    fn what_is_remembered_is_limited_and_forgotten_things_are_the_same_again() {
        let model = Lists(ComponentTable::new());
        let first = model.fingerprints(&mut Fingerprints::new(), &[1, 2, 3]);
        for bytes_max in [0, 100, 1000, 40_000] {
            let mut fingerprints = Fingerprints::with_bytes_max(bytes_max);
            for seed in 0..2000 {
                model.fingerprints(&mut fingerprints, &[seed, seed / 2, 3]);
                assert_eq!(model.fingerprints(&mut fingerprints, &[1, 2, 3]), first);
            }
            assert!(fingerprints.bytes() <= bytes_max.max(16));
        }
    }

    #[test]
    fn the_numbers_depend_on_nothing_but_the_state() {
        let model = Lists(ComponentTable::new());
        let words = model.fingerprints(&mut Fingerprints::new(), &[1, 2]);
        assert_eq!(words, [7_191_089_600_892_374_487, 6_967_214_405_400_906_129]);
    }
}
