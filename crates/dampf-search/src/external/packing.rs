//! States as short numbers.
//!
//! A state is sorted, compared and stored as a *record*: the words' used bits side by side, the first word highest, so
//! that records stand in the order of their states. How many bits a word uses is learnt while the search goes: a
//! packing is widened as soon as a state does not fit. Most models fit one 64-bit number that way, which is what makes
//! sorting fast.
//!
//! Where a record has eight bits left, they hold a *hint*: in which 256th of the level before the state's parent
//! stands. A hint is no part of the state; everything that compares records shifts it off.
//!
//! Invariant: packings are only ever widened, and records of the same states have the same order in every packing that
//! they fit.

use dampf_core::Word;

/// The bits of a hint.
pub(crate) const HINT_BITS: u32 = 8;

/// How states of a model become records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Packing {
    /// Used bits of each word, 0 to 32.
    bits: Vec<u8>,
    /// 64-bit numbers per record.
    keys: usize,
    /// 8, or 0 where a record has no room for a hint.
    hint_bits: u32,
}

impl Packing {
    /// The packing that no state but the one of zeros fits.
    pub fn narrowest(width: usize) -> Packing {
        Packing::of(vec![0; width])
    }

    /// The packing for words of at most these numbers of bits.
    pub fn of(bits: Vec<u8>) -> Packing {
        let total: u32 = bits.iter().map(|&bits| u32::from(bits)).sum();
        let keys = total.div_ceil(64).max(1);
        let hint_bits = if 64 * keys - total >= HINT_BITS { HINT_BITS } else { 0 };
        Packing { bits, keys: keys as usize, hint_bits }
    }

    pub fn bits(&self) -> &[u8] {
        &self.bits
    }

    #[inline]
    pub fn keys(&self) -> usize {
        self.keys
    }

    #[inline]
    pub fn hint_bits(&self) -> u32 {
        self.hint_bits
    }

    pub fn has_hints(&self) -> bool {
        self.hint_bits > 0
    }

    #[inline]
    pub fn fits(&self, words: &[Word]) -> bool {
        let over = |word: Word, bits: u8| u64::from(word) >> bits;
        match (words, &self.bits[..]) {
            (&[word], &[bits]) => over(word, bits) == 0,
            (&[left, right], &[left_bits, right_bits]) => over(left, left_bits) | over(right, right_bits) == 0,
            _ => words.iter().zip(&self.bits).fold(0, |all, (&word, &bits)| all | over(word, bits)) == 0,
        }
    }

    /// The least packing that this state fits too.
    pub fn widened(&self, words: &[Word]) -> Packing {
        let needed = |word: Word| (Word::BITS - word.leading_zeros()) as u8;
        Packing::of(words.iter().zip(&self.bits).map(|(&word, &bits)| bits.max(needed(word))).collect())
    }

    /// The least packing that the states of both fit.
    pub fn united(&self, other: &Packing) -> Packing {
        Packing::of(self.bits.iter().zip(&other.bits).map(|(&one, &other)| one.max(other)).collect())
    }

    /// Appends the record of a state that fits. Of the hint, as many bits are kept as there is room for: all or none.
    #[inline]
    pub fn pack(&self, words: &[Word], hint: u8, records: &mut Vec<u64>) {
        if self.keys == 1 {
            return records.push(self.pack_one(words, hint));
        }
        let begin = records.len();
        records.resize(begin + self.keys, 0);
        self.pack_several(words, hint, &mut records[begin..]);
    }

    /// The record, where records are single numbers.
    #[inline]
    pub fn pack_one(&self, words: &[Word], hint: u8) -> u64 {
        let state = match (words, &self.bits[..]) {
            ([word], _) => u64::from(*word),
            ([left, right], [_, bits]) => u64::from(*left) << bits | u64::from(*right),
            _ => words.iter().zip(&self.bits).fold(0, |state, (&word, &bits)| state << bits | u64::from(word)),
        };
        self.with_hint(state << self.hint_bits, hint)
    }

    /// A record's last number, with a hint where there is room.
    #[inline]
    fn with_hint(&self, last: u64, hint: u8) -> u64 {
        last | u64::from(hint) & ((1 << self.hint_bits) - 1)
    }

    fn pack_several(&self, words: &[Word], hint: u8, record: &mut [u64]) {
        let (mut number, mut used, mut at) = (0u128, self.hint_bits, record.len());
        for (&word, &bits) in words.iter().zip(&self.bits).rev() {
            number |= u128::from(word) << used;
            used += u32::from(bits);
            if used >= 64 {
                at -= 1;
                record[at] = number as u64;
                number >>= 64;
                used -= 64;
            }
        }
        if at > 0 {
            record[0] = number as u64;
        }
        let last = record.len() - 1;
        record[last] = self.with_hint(record[last], hint);
    }

    /// The hint of a record; 0 where there is none.
    #[inline]
    pub fn hint(&self, record: &[u64]) -> u8 {
        (record[record.len() - 1] & ((1 << self.hint_bits) - 1)) as u8
    }

    /// The state of a record.
    #[inline]
    pub fn unpack(&self, record: &[u64], words: &mut [Word]) {
        match (record, &mut *words, &self.bits[..]) {
            (&[record], [word], _) => *word = (record >> self.hint_bits) as Word,
            (&[record], [left, right], &[_, bits]) => {
                let state = record >> self.hint_bits;
                *left = (state >> bits) as Word;
                *right = (state & ((1 << bits) - 1)) as Word;
            }
            _ => self.unpack_any(record, words),
        }
    }

    fn unpack_any(&self, record: &[u64], words: &mut [Word]) {
        let mut numbers = record.iter().rev();
        let mut number = u128::from(numbers.next().copied().unwrap_or(0)) >> self.hint_bits;
        let mut available = 64 - self.hint_bits;
        for (word, &bits) in words.iter_mut().zip(&self.bits).rev() {
            let bits = u32::from(bits);
            if available < bits {
                number |= u128::from(numbers.next().copied().unwrap_or(0)) << available;
                available += 64;
            }
            *word = (number & ((1 << bits) - 1)) as Word;
            number >>= bits;
            available -= bits;
        }
    }

    /// Appends records of another packing, which fit this one. Hints are lost where either has no room for them.
    pub fn convert(&self, from: &Packing, records: &[u64], converted: &mut Vec<u64>) {
        let mut words = vec![0; self.bits.len()];
        converted.reserve(records.len() / from.keys * self.keys);
        for record in records.chunks_exact(from.keys) {
            from.unpack(record, &mut words);
            self.pack(&words, from.hint(record), converted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(bits: &[u8], seed: u64) -> Vec<Word> {
        let mut number = seed;
        let mut next = || {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (number >> 32) as Word
        };
        bits.iter().map(|&bits| (u64::from(next()) & ((1u64 << bits) - 1)) as Word).collect()
    }

    #[test]
    fn records_give_their_states_back_and_keep_their_order() {
        let shapes: [&[u8]; 9] = [
            &[0],
            &[32],
            &[20, 31],
            &[32, 32],
            &[3, 0, 7, 9],
            &[32, 32, 32],
            &[32; 4],
            &[1, 32, 32, 32, 32, 17, 9],
            &[30; 40],
        ];
        for bits in shapes {
            let packing = Packing::of(bits.to_vec());
            let mut states: Vec<Vec<Word>> = (0..200).map(|seed| words_of(bits, seed)).collect();
            states.sort();
            let mut records = Vec::new();
            for (number, state) in states.iter().enumerate() {
                assert!(packing.fits(state));
                packing.pack(state, number as u8, &mut records);
            }
            let mut words = vec![0; bits.len()];
            for (number, record) in records.chunks_exact(packing.keys()).enumerate() {
                packing.unpack(record, &mut words);
                assert_eq!(words, states[number], "{bits:?}");
                assert_eq!(packing.hint(record), if packing.has_hints() { number as u8 } else { 0 });
            }
            if !packing.has_hints() {
                assert!(records.chunks_exact(packing.keys()).is_sorted(), "{bits:?}");
            }
        }
    }

    #[test]
    fn a_packing_is_widened_by_what_does_not_fit() {
        let packing = Packing::narrowest(3);
        assert!(packing.fits(&[0, 0, 0]) && !packing.fits(&[0, 1, 0]));
        let wider = packing.widened(&[5, 0, u32::MAX]);
        assert_eq!(wider.bits(), [3, 0, 32]);
        let widest = wider.united(&Packing::of(vec![1, 32, 1]));
        assert_eq!((widest.bits(), widest.keys(), widest.hint_bits()), (&[3, 32, 32][..], 2, 8));
        let (mut records, mut converted) = (Vec::new(), Vec::new());
        wider.pack(&[5, 0, 77], 9, &mut records);
        widest.convert(&wider, &records, &mut converted);
        let mut words = [0; 3];
        widest.unpack(&converted, &mut words);
        assert_eq!((words, widest.hint(&converted)), ([5, 0, 77], 9));
    }
}
