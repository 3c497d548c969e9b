//! States that were generated a moment ago.
//!
//! Neighbouring states have many successors in common. A small table of the last ones, one per slot, finds most of
//! these duplicates before they are sorted. Whatever is in the table was gathered before, in this level or an earlier
//! one, so that it need not be gathered again. The table compares whole states.

/// What a slot holds in the beginning must not be a state that belongs there.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

pub(crate) struct Recent {
    slots: Vec<u64>,
    keys: usize,
    hint_bits: u32,
    /// 64 minus the number of bits of a slot's number.
    shift: u32,
}

impl Recent {
    /// A table of about so many bytes.
    pub fn new(bytes: usize, keys: usize, hint_bits: u32) -> Recent {
        let bits = (bytes / (8 * keys)).max(2).ilog2();
        let mut recent = Recent { slots: vec![0; keys << bits], keys, hint_bits, shift: 64 - bits };
        // All slots hold the state of zeros, which belongs into one of them only: that one gets a state that belongs
        // elsewhere.
        let home = recent.slot(&vec![0; keys]);
        let mut other = vec![0; keys];
        while recent.slot(&other) == home {
            other[keys - 1] += 1 << hint_bits;
        }
        recent.slots[home * keys..][..keys].copy_from_slice(&other);
        recent
    }

    #[inline]
    fn slot(&self, record: &[u64]) -> usize {
        let (last, others) = record.split_last().expect("a record has a number");
        let mixed = others.iter().fold(0u64, |mixed, number| (mixed ^ number).wrapping_mul(ODD).rotate_left(23));
        ((mixed ^ last >> self.hint_bits).wrapping_mul(ODD) >> self.shift) as usize
    }

    /// Whether the record's state was here a moment ago; from now on it was.
    #[inline]
    pub fn was_here(&mut self, record: &[u64]) -> bool {
        let slot = self.slot(record);
        let keys = self.keys;
        let known = &mut self.slots[slot * keys..][..keys];
        if super::sorting::is_same(known, record, self.hint_bits) {
            return true;
        }
        known.copy_from_slice(record);
        false
    }

    /// The same for records of one number.
    #[inline]
    pub fn was_one_here(&mut self, record: u64) -> bool {
        let state = record >> self.hint_bits;
        let known = &mut self.slots[(state.wrapping_mul(ODD) >> self.shift) as usize];
        let was_here = *known >> self.hint_bits == state;
        *known = record;
        was_here
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_state_was_here_before_it_was_here() {
        for keys in [1, 2, 5] {
            for hint_bits in [0, 8] {
                let mut recent = Recent::new(1 << 10, keys, hint_bits);
                for number in 0..100u64 {
                    let mut record = vec![0; keys];
                    record[keys - 1] = number << hint_bits;
                    assert!(!recent.was_here(&record), "{keys} {number}");
                    assert!(recent.was_here(&record));
                    if keys == 1 {
                        assert!(recent.was_one_here(record[0]));
                    }
                }
            }
        }
    }
}
