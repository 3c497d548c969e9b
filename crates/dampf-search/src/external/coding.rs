//! Sorted records as bytes, block by block.
//!
//! Records of one number are kept as differences to the one before, of one, two, four or eight bytes, whose lengths
//! stand apart in two bits each: that decodes without mispredicted branches, which is what counts, since visited states
//! are decoded once per level. Wider records are kept as the bytes in which they differ from the one before. The first
//! record of a block stands in the index, not in the block.
//!
//! Hints, one byte each, follow the states, so that whoever needs no hints does not read them.

use super::sorting::with_keys;

/// Bytes that must follow a block in memory, because numbers are fetched whole.
pub(crate) const SLACK: usize = 8;

const LENGTHS: [usize; 4] = [1, 2, 4, 8];
const MASKS: [u64; 4] = [0xff, 0xffff, 0xffff_ffff, u64::MAX];

/// The bytes of four differences, by the byte that has their lengths.
const FOUR_LENGTHS: [u8; 256] = {
    let mut lengths = [0; 256];
    let mut control = 0;
    while control < 256 {
        let mut number = 0;
        while number < 4 {
            lengths[control] += LENGTHS[control >> (2 * number) & 3] as u8;
            number += 1;
        }
        control += 1;
    }
    lengths
};

/// How the records of a block look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// 64-bit numbers per record.
    pub keys: usize,
    /// How many low bits of the last number are a hint.
    pub hint_bits: u32,
    /// Whether hints are kept.
    pub hints: bool,
}

/// Appends a block of at least one record.
pub(crate) fn encode(records: &[u64], layout: Layout, bytes: &mut Vec<u8>) {
    if layout.keys == 1 {
        encode_single(records, layout.hint_bits, bytes);
    } else {
        encode_several(records, layout, bytes);
    }
    if layout.hints {
        let mask = (1 << layout.hint_bits) - 1;
        bytes.extend(records.chunks_exact(layout.keys).map(|record| (record[layout.keys - 1] & mask) as u8));
    }
}

fn encode_single(records: &[u64], hint_bits: u32, bytes: &mut Vec<u8>) {
    let differences = records.len() - 1;
    let controls = bytes.len();
    bytes.resize(controls + differences.div_ceil(4), 0);
    for (number, pair) in records.windows(2).enumerate() {
        // States differ, so the difference is at least 1.
        let difference = (pair[1] >> hint_bits) - (pair[0] >> hint_bits) - 1;
        let code = MASKS.iter().position(|mask| difference <= *mask).expect("the last mask has all bits");
        bytes[controls + number / 4] |= (code as u8) << (2 * (number % 4));
        bytes.extend_from_slice(&difference.to_le_bytes()[..LENGTHS[code]]);
    }
    // Groups are whole: what is missing has a difference of one byte.
    bytes.resize(bytes.len() + differences.next_multiple_of(4) - differences, 0);
}

fn encode_several(records: &[u64], layout: Layout, bytes: &mut Vec<u8>) {
    let Layout { keys, hint_bits, .. } = layout;
    let state_mask = |key: usize| if key + 1 == keys { u64::MAX << hint_bits } else { u64::MAX };
    for pair in records.windows(2 * keys).step_by(keys) {
        let map = bytes.len();
        bytes.resize(map + keys.div_ceil(8), 0);
        for key in 0..keys {
            let difference = (pair[key] ^ pair[keys + key]) & state_mask(key);
            if difference != 0 {
                bytes[map + key / 8] |= 1 << (key % 8);
                encode_difference(difference, bytes);
            }
        }
    }
}

/// Which bytes of a number are not zero, then these.
fn encode_difference(difference: u64, bytes: &mut Vec<u8>) {
    let all = difference.to_le_bytes();
    let which = (0..8).filter(|&byte| all[byte] != 0).fold(0u8, |which, byte| which | 1 << byte);
    bytes.push(which);
    bytes.extend(all.into_iter().filter(|&byte| byte != 0));
}

/// Replaces `records` with the records of a block, hints included if `with_hints`. The block ends [`SLACK`] bytes
/// before `bytes` does. None if the bytes are no block of so many records.
pub(crate) fn decode(
    bytes: &[u8],
    first: &[u64],
    count: usize,
    layout: Layout,
    with_hints: bool,
    records: &mut Vec<u64>,
) -> Option<()> {
    records.clear();
    let end = bytes.len().checked_sub(SLACK)?;
    let states_end = if layout.hints { end.checked_sub(count)? } else { end };
    if layout.keys == 1 {
        decode_single(bytes, states_end, first[0], count, layout.hint_bits, records)?;
    } else {
        with_keys!(layout.keys, decode_several(&bytes[..states_end], first, count, layout, records))?;
    }
    if with_hints && layout.hints && layout.hint_bits > 0 {
        let last = records.iter_mut().skip(layout.keys - 1).step_by(layout.keys);
        last.zip(&bytes[states_end..end]).for_each(|(last, &hint)| *last |= u64::from(hint));
    }
    Some(())
}

fn decode_single(
    bytes: &[u8],
    end: usize,
    first: u64,
    count: usize,
    hint_bits: u32,
    records: &mut Vec<u64>,
) -> Option<()> {
    let groups = (count - 1).div_ceil(4);
    let controls = bytes.get(..groups)?;
    let length: usize = controls.iter().map(|&control| usize::from(FOUR_LENGTHS[usize::from(control)])).sum();
    if groups + length != end {
        return None;
    }
    records.resize(1 + 4 * groups, 0);
    let mut state = first >> hint_bits;
    records[0] = state << hint_bits;
    let mut at = groups;
    for (&control, four) in controls.iter().zip(records[1..].chunks_exact_mut(4)) {
        let mut control = usize::from(control);
        for record in four {
            let code = control & 3;
            let number = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
            state = state.wrapping_add(number & MASKS[code]).wrapping_add(1);
            *record = state << hint_bits;
            at += LENGTHS[code];
            control >>= 2;
        }
    }
    records.truncate(count);
    Some(())
}

fn decode_several<const N: usize>(
    bytes: &[u8],
    first: &[u64],
    count: usize,
    layout: Layout,
    records: &mut Vec<u64>,
) -> Option<()> {
    let keys = if N > 0 { N } else { layout.keys };
    records.resize(count * keys, 0);
    let first = &first[..keys];
    records[..keys].copy_from_slice(first);
    records[keys - 1] &= u64::MAX << layout.hint_bits;
    let mut at = 0;
    for number in 1..count {
        let map = bytes.get(at..at + keys.div_ceil(8))?;
        at += map.len();
        let (before, rest) = records.split_at_mut(number * keys);
        let record = &mut rest[..keys];
        record.copy_from_slice(&before[(number - 1) * keys..]);
        for (byte, &marks) in map.iter().enumerate() {
            let mut marks = marks;
            while marks != 0 {
                let key = 8 * byte + marks.trailing_zeros() as usize;
                marks &= marks - 1;
                let mut which = *bytes.get(at)?;
                let values = bytes.get(at + 1..at + 1 + which.count_ones() as usize)?;
                at += 1 + values.len();
                let mut difference = 0;
                for &value in values {
                    difference |= u64::from(value) << (8 * which.trailing_zeros());
                    which &= which - 1;
                }
                *record.get_mut(key)? ^= difference;
            }
        }
    }
    (at == bytes.len()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::checksum;

    fn records(keys: usize, count: usize, spread: u32) -> Vec<u64> {
        let mut number = 1u64;
        let mut next = move || {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            number >> 7 >> ((number >> 58) % 40)
        };
        let mut all: Vec<Vec<u64>> = (0..count)
            .map(|_| (0..keys).map(|key| if key % 3 == 1 { 5 } else { next() & (u64::MAX >> (64 - spread)) }).collect())
            .collect();
        all.sort();
        all.dedup_by(|one, other| crate::external::sorting::is_same(one, other, 8));
        all.concat()
    }

    fn in_memory(bytes: &[u8]) -> Vec<u8> {
        [bytes, &[0xee; SLACK]].concat()
    }

    #[test]
    fn blocks_can_be_read_back_with_and_without_hints() {
        for keys in [1, 2, 3, 9, 17] {
            for (count, spread) in [(1, 64), (2, 64), (7, 30), (300, 64), (300, 20)] {
                let records = records(keys, count, spread);
                let count = records.len() / keys;
                for hints in [false, true] {
                    let layout = Layout { keys, hint_bits: 8, hints };
                    let mut bytes = Vec::new();
                    encode(&records, layout, &mut bytes);
                    for with_hints in [false, true] {
                        let mut decoded = Vec::new();
                        decode(&in_memory(&bytes), &records[..keys], count, layout, with_hints, &mut decoded).unwrap();
                        let mut expected = records.clone();
                        if !(hints && with_hints) {
                            expected.iter_mut().skip(keys - 1).step_by(keys).for_each(|last| *last &= !0xff);
                        }
                        assert!(decoded == expected, "{keys} {count} {hints} {with_hints}");
                    }
                }
            }
        }
    }

    #[test]
    fn damaged_blocks_do_no_harm() {
        for keys in [1, 3] {
            let records = records(keys, 100, 50);
            let count = records.len() / keys;
            let layout = Layout { keys, hint_bits: 8, hints: true };
            let mut bytes = Vec::new();
            encode(&records, layout, &mut bytes);
            let mut decoded = Vec::new();
            for at in 0..bytes.len() {
                let mut damaged = bytes.clone();
                damaged[at] ^= 0x55;
                assert_ne!(checksum(&damaged), checksum(&bytes));
                let _ = decode(&in_memory(&damaged), &records[..keys], count, layout, true, &mut decoded);
                let _ = decode(&in_memory(&bytes[..at]), &records[..keys], count, layout, true, &mut decoded);
            }
            assert!(decode(&bytes[..4], &records[..keys], count, layout, true, &mut decoded).is_none());
        }
    }
}
