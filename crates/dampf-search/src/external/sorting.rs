//! Sorting of records.
//!
//! Records of one number, the common case, are sorted by radix: a large array is dealt out by its highest differing
//! bits into parts that fit the second-level cache, and these are sorted from the lowest digit up. Only bits that
//! differ are looked at. Wider records are sorted by their first number with their place beside it, and by the next
//! number where the first are equal.
//!
//! Of equal states one is kept; which hint survives does not matter.

/// Up to this length comparisons are faster than counting.
const SHORT: usize = 384;
/// Records that are sorted from the lowest digit up: they and their copy fit the second-level cache.
const CACHED: usize = 1 << 16;
/// Bits by which a large array is dealt out at once: more parts than this cost more address translations than they
/// save.
const DEALT_BITS_MAX: u32 = 9;
const DIGIT_BITS_MAX: u32 = 11;

/// Whether two records are of the same state.
#[inline]
pub(crate) fn is_same(one: &[u64], other: &[u64], hint_bits: u32) -> bool {
    let last = one.len() - 1;
    let differing = one[..last].iter().zip(&other[..last]).fold(0, |all, (one, other)| all | one ^ other);
    differing | (one[last] ^ other[last]) >> hint_bits == 0
}

/// Does something with the number of a record's numbers as a constant where it is small, so that copies and comparisons
/// become single instructions; the constant is 0 where it is not.
macro_rules! with_keys {
    ($keys:expr, $function:ident($($argument:expr),*)) => {
        match $keys {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            3 => $function::<3>($($argument),*),
            4 => $function::<4>($($argument),*),
            _ => $function::<0>($($argument),*),
        }
    };
}
pub(crate) use with_keys;

/// Sorts records and keeps one of each state. The scratch space grows as needed.
pub(crate) fn sort_distinct(records: &mut Vec<u64>, scratch: &mut Vec<u64>, keys: usize, hint_bits: u32) {
    if keys == 1 {
        if records.len() > SHORT && scratch.len() < records.len() {
            scratch.resize(records.len(), 0);
        }
        sort_in_place(records, scratch, hint_bits);
        records.dedup_by_key(|record| *record >> hint_bits);
    } else {
        sort_several(records, scratch, keys, hint_bits);
    }
}

/// What is sorted by a number.
trait Sorted: Copy + Ord {
    fn number(self) -> u64;
}

impl Sorted for u64 {
    #[inline]
    fn number(self) -> u64 {
        self
    }
}

/// A record of several numbers, as it is sorted: one of its numbers, and its place.
type Item = (u64, u32);

impl Sorted for Item {
    #[inline]
    fn number(self) -> u64 {
        self.0
    }
}

/// Sorts by the bits from `low` up. The scratch space is as large as the data, unless these are few.
fn sort_in_place<T: Sorted>(data: &mut [T], scratch: &mut [T], low: u32) {
    if data.len() <= SHORT {
        return data.sort_unstable();
    }
    let scratch = &mut scratch[..data.len()];
    let Some(high) = highest_difference(data, low) else { return };
    if data.len() <= CACHED {
        scratch.copy_from_slice(data);
        return sort_by_digits(scratch, data, low, high);
    }
    for part in parts(&deal(data, scratch, low, high)) {
        sort_to(&mut scratch[part.clone()], &mut data[part], low);
    }
}

/// Like [`sort_in_place`], but the result is in `to`, whose contents do not matter.
fn sort_to<T: Sorted>(from: &mut [T], to: &mut [T], low: u32) {
    if from.len() <= SHORT {
        to.copy_from_slice(from);
        return to.sort_unstable();
    }
    let Some(high) = highest_difference(from, low) else { return to.copy_from_slice(from) };
    if from.len() <= CACHED {
        return sort_by_digits(from, to, low, high);
    }
    for part in parts(&deal(from, to, low, high)) {
        sort_in_place(&mut to[part.clone()], &mut from[part], low);
    }
}

/// One more than the highest bit in which the data differ, if they do at `low` or above.
fn highest_difference<T: Sorted>(data: &[T], low: u32) -> Option<u32> {
    let first = data[0].number();
    let differing = data.iter().fold(0, |all, item| all | item.number() ^ first);
    let high = u64::BITS - differing.leading_zeros();
    (high > low).then_some(high)
}

/// Deals the data out into parts by the highest bits that differ. Returns the ends of the parts.
fn deal<T: Sorted>(from: &[T], to: &mut [T], low: u32, high: u32) -> Vec<usize> {
    let wanted = (from.len() / (CACHED / 4)).ilog2();
    let bits = wanted.clamp(1, DEALT_BITS_MAX).min(high - low);
    let shift = high - bits;
    let mask = (1u64 << bits) - 1;
    let mut places = vec![0usize; 1 << bits];
    for item in from {
        places[(item.number() >> shift & mask) as usize] += 1;
    }
    let mut begin = 0;
    for place in &mut places {
        begin += std::mem::replace(place, begin);
    }
    for &item in from {
        let place = &mut places[(item.number() >> shift & mask) as usize];
        to[*place] = item;
        *place += 1;
    }
    places
}

/// The parts that end at these places.
fn parts(ends: &[usize]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut begin = 0;
    ends.iter().filter_map(move |&end| {
        let part = std::mem::replace(&mut begin, end)..end;
        (!part.is_empty()).then_some(part)
    })
}

/// Sorts by the bits from `low` to `high`, the lowest digit first, in an odd number of passes: the result is in `to`.
fn sort_by_digits<T: Sorted>(from: &mut [T], to: &mut [T], low: u32, high: u32) {
    let bits = high - low;
    // Long digits need fewer passes, but their counts have to be cleared and added up in each.
    let cost = |passes: &u32| *passes as usize * (2 * from.len() + (1 << bits.div_ceil(*passes)));
    let is_possible = |passes: &u32| {
        let digit = bits.div_ceil(*passes);
        // The last pass has something left to do.
        digit <= DIGIT_BITS_MAX && digit * (passes - 1) < bits
    };
    let passes = (1..=9).step_by(2).filter(is_possible).min_by_key(cost).expect("seven passes are enough for all bits");
    let digit = bits.div_ceil(passes);
    let mask = (1u64 << digit) - 1;
    let mut places = [0u32; 1 << DIGIT_BITS_MAX];
    let (mut from, mut to) = (from, to);
    for pass in 0..passes {
        let shift = low + pass * digit;
        let digit_of = |item: T| (item.number() >> shift & mask) as usize;
        let places = &mut places[..1 << digit];
        places.fill(0);
        for &item in from.iter() {
            places[digit_of(item)] += 1;
        }
        let mut begin = 0;
        for place in places.iter_mut() {
            begin += std::mem::replace(place, begin);
        }
        for &item in from.iter() {
            let place = &mut places[digit_of(item)];
            to[*place as usize] = item;
            *place += 1;
        }
        (from, to) = (to, from);
    }
}

fn sort_several(records: &mut Vec<u64>, sorted: &mut Vec<u64>, keys: usize, hint_bits: u32) {
    let count = records.len() / keys;
    let mut items: Vec<Item> = (0..count as u32).map(|place| (0, place)).collect();
    let mut scratch = if count > SHORT { items.clone() } else { Vec::new() };
    sort_items(&mut items, &mut scratch, records, keys, 0, hint_bits);
    sorted.clear();
    sorted.reserve(records.len());
    with_keys!(keys, take_distinct(records, &items, sorted, keys, hint_bits));
    std::mem::swap(records, sorted);
}

/// Appends the records in the order of the items, each state once.
fn take_distinct<const N: usize>(records: &[u64], items: &[Item], sorted: &mut Vec<u64>, keys: usize, hint_bits: u32) {
    let keys = if N > 0 { N } else { keys };
    for &(_, place) in items {
        let record = &records[place as usize * keys..][..keys];
        let is_known = sorted.len() >= keys && is_same(&sorted[sorted.len() - keys..], record, hint_bits);
        if !is_known {
            sorted.extend_from_slice(record);
        }
    }
}

/// Sorts records that are equal before number `key`.
fn sort_items(items: &mut [Item], scratch: &mut [Item], records: &[u64], keys: usize, key: usize, hint_bits: u32) {
    let shift = if key + 1 == keys { hint_bits } else { 0 };
    for item in items.iter_mut() {
        item.0 = records[item.1 as usize * keys + key] >> shift;
    }
    sort_in_place(items, scratch, 0);
    if key + 1 < keys {
        for group in items.chunk_by_mut(|one, other| one.0 == other.0).filter(|group| group.len() > 1) {
            sort_items(group, scratch, records, keys, key + 1, hint_bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn numbers(seed: u64) -> impl FnMut() -> u64 {
        let mut number = seed;
        move || {
            number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let x = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x ^ x >> 27
        }
    }

    #[test]
    fn arrays_of_all_sizes_and_spreads_are_sorted() {
        for length in [0, 1, 2, 300, 400, 5000, CACHED + 1, 300_000, 1_500_000] {
            for (spread, hint_bits) in [(0, 8), (3, 8), (20, 8), (40, 8), (64, 8), (64, 0), (22, 0)] {
                let mut next = numbers(length as u64 + spread);
                let mask = if spread == 64 { u64::MAX } else { (1 << spread) - 1 };
                let mut records: Vec<u64> = (0..length).map(|_| next() & mask).collect();
                let expected: Vec<u64> =
                    records.iter().map(|record| record >> hint_bits).collect::<BTreeSet<_>>().into_iter().collect();
                sort_distinct(&mut records, &mut Vec::new(), 1, hint_bits);
                let found: Vec<u64> = records.iter().map(|record| record >> hint_bits).collect();
                assert!(found == expected, "{length} numbers of {spread} bits");
            }
        }
    }

    #[test]
    fn skewed_arrays_are_sorted() {
        let mut next = numbers(7);
        // Most numbers share their high bits, a few do not.
        let mut records: Vec<u64> =
            (0..600_000).map(|_| if next().is_multiple_of(1000) { next() } else { next() & 0xf_ffff_ffff }).collect();
        let mut expected = records.clone();
        expected.sort_unstable();
        expected.dedup();
        sort_distinct(&mut records, &mut Vec::new(), 1, 0);
        assert!(records == expected);
    }

    #[test]
    fn wide_records_are_sorted() {
        for keys in [2, 3, 7] {
            let mut next = numbers(keys as u64);
            let mut records: Vec<u64> = (0..20_000 * keys).map(|_| next() & 0x300).collect();
            let expected: BTreeSet<Vec<u64>> = records.chunks_exact(keys).map(<[u64]>::to_vec).collect();
            sort_distinct(&mut records, &mut Vec::new(), keys, 8);
            assert!(records.chunks_exact(keys).map(<[u64]>::to_vec).eq(expected));
        }
    }
}
