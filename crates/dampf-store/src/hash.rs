//! Hash functions: one that can be undone, and one for whole vectors.

use dampf_core::Word;

const FACTOR_1: u64 = 0xbf58_476d_1ce4_e5b9;
const FACTOR_2: u64 = 0x94d0_49bb_1331_11eb;

/// Scrambles a key so that all bits of the result depend on all bits of the key. A bijection: different keys
/// have different hashes, which is what allows a table to keep hashes instead of keys.
#[inline]
pub fn mix(key: u64) -> u64 {
    // Constants of the splitmix64 finaliser.
    let x = (key ^ key >> 30).wrapping_mul(FACTOR_1);
    let x = (x ^ x >> 27).wrapping_mul(FACTOR_2);
    x ^ x >> 31
}

/// The key whose hash this is.
#[inline]
pub fn unmix(hash: u64) -> u64 {
    const INVERSE_1: u64 = inverse(FACTOR_1);
    const INVERSE_2: u64 = inverse(FACTOR_2);
    let x = unshift::<31>(hash).wrapping_mul(INVERSE_2);
    let x = unshift::<27>(x).wrapping_mul(INVERSE_1);
    unshift::<30>(x)
}

/// Undoes `x ^ x >> SHIFT` for shifts from 22 to 31: each term makes that many more high bits right.
#[inline]
fn unshift<const SHIFT: u32>(value: u64) -> u64 {
    value ^ value >> SHIFT ^ value >> (2 * SHIFT)
}

/// The multiplicative inverse of an odd number modulo 2^64, by Newton's iteration.
const fn inverse(odd: u64) -> u64 {
    let mut x = odd;
    let mut round = 0;
    while round < 5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        round += 1;
    }
    x
}

/// Two words as a key.
#[inline]
pub fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// A hash of a whole vector. Vectors of one length of at most two words have the same hash only if they are equal.
#[inline]
pub fn hash_words(words: &[Word]) -> u64 {
    match *words {
        [word] => return mix(u64::from(word)),
        [left, right] => return mix(pair(left, right)),
        _ => {}
    }
    let mut hash = 0x9e37_79b9_7f4a_7c15;
    let mut pairs = words.chunks_exact(2);
    for pair in &mut pairs {
        let value = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        let product = u128::from(hash ^ value) * u128::from(FACTOR_1);
        hash = (product as u64 ^ (product >> 64) as u64).wrapping_add(FACTOR_2);
    }
    if let [last] = pairs.remainder() {
        hash ^= u64::from(*last);
    }
    mix(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_can_be_undone() {
        let mut x = 1u64;
        for round in 0..10_000u64 {
            for key in [round, !round, round << 32, x] {
                assert_eq!(unmix(mix(key)), key);
            }
            x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(round);
        }
    }
}
