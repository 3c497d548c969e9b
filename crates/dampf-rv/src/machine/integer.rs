//! Integer arithmetic whose corners need a word: wide products, and division, which never traps on this machine.

#[inline]
pub(super) fn multiply_high(a: u64, b: u64) -> u64 {
    ((a as i64 as i128 * b as i64 as i128) >> 64) as u64
}

#[inline]
pub(super) fn multiply_high_unsigned(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// The first operand is signed, the second is not.
#[inline]
pub(super) fn multiply_high_mixed(a: u64, b: u64) -> u64 {
    ((a as i64 as i128 * b as i128) >> 64) as u64
}

/// Division by zero gives all ones; the one overflow gives the dividend.
#[inline]
pub(super) fn divide(a: u64, b: u64) -> u64 {
    if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 }
}

#[inline]
pub(super) fn divide_unsigned(a: u64, b: u64) -> u64 {
    a.checked_div(b).unwrap_or(u64::MAX)
}

/// The remainder of a division by zero is the dividend; that of the one overflow is zero.
#[inline]
pub(super) fn remainder(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { (a as i64).wrapping_rem(b as i64) as u64 }
}

#[inline]
pub(super) fn remainder_unsigned(a: u64, b: u64) -> u64 {
    a.checked_rem(b).unwrap_or(a)
}

/// A 32-bit result, extended by its sign as all of them are.
#[inline(always)]
pub(super) fn word(value: u64) -> u64 {
    value as i32 as i64 as u64
}

#[inline]
pub(super) fn divide_word(a: u64, b: u64) -> u64 {
    word(if b as i32 == 0 { u64::MAX } else { (a as i32).wrapping_div(b as i32) as u64 })
}

#[inline]
pub(super) fn divide_unsigned_word(a: u64, b: u64) -> u64 {
    word((a as u32).checked_div(b as u32).unwrap_or(u32::MAX) as u64)
}

#[inline]
pub(super) fn remainder_word(a: u64, b: u64) -> u64 {
    word(if b as i32 == 0 { a } else { (a as i32).wrapping_rem(b as i32) as u64 })
}

#[inline]
pub(super) fn remainder_unsigned_word(a: u64, b: u64) -> u64 {
    word((a as u32).checked_rem(b as u32).unwrap_or(a as u32) as u64)
}
