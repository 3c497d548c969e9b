//! Comparison, minimum and maximum, sign injection, classification.

use std::cmp::Ordering;

use super::{Environment, Format, flag};

/// The order of two values that are no NaNs. The zeros are equal.
fn order<F: Format>(a: u64, b: u64) -> Ordering {
    total_order::<F>(if a == F::SIGN { 0 } else { a }, if b == F::SIGN { 0 } else { b })
}

/// The order of two values that are no NaNs, with the negative zero below the positive one.
fn total_order<F: Format>(a: u64, b: u64) -> Ordering {
    // Magnitudes order like integers; those of negative numbers the other way round.
    let key = |bits: u64| if bits & F::SIGN != 0 { !(bits & !F::SIGN) as i64 } else { bits as i64 };
    key(a).cmp(&key(b))
}

/// Raises the flag for a comparison with a NaN, if there is one. A quiet comparison minds only signaling NaNs.
fn unordered<F: Format>(a: u64, b: u64, quiet: bool, environment: &mut Environment) -> bool {
    let unordered = F::is_nan(a) || F::is_nan(b);
    if unordered && (!quiet || F::is_signaling(a) || F::is_signaling(b)) {
        environment.raise(flag::INVALID);
    }
    unordered
}

pub(crate) fn equal<F: Format>(a: u64, b: u64, environment: &mut Environment) -> bool {
    !unordered::<F>(a, b, true, environment) && order::<F>(a, b) == Ordering::Equal
}

pub(crate) fn less<F: Format>(a: u64, b: u64, environment: &mut Environment) -> bool {
    !unordered::<F>(a, b, false, environment) && order::<F>(a, b) == Ordering::Less
}

pub(crate) fn less_or_equal<F: Format>(a: u64, b: u64, environment: &mut Environment) -> bool {
    !unordered::<F>(a, b, false, environment) && order::<F>(a, b) != Ordering::Greater
}

/// The operand on the given side of the other; the only number, if the other is a NaN.
fn extreme<F: Format>(a: u64, b: u64, side: Ordering, environment: &mut Environment) -> u64 {
    unordered::<F>(a, b, true, environment);
    match (F::is_nan(a), F::is_nan(b)) {
        (true, true) => F::CANONICAL_NAN,
        (true, false) => b,
        (false, true) => a,
        (false, false) => {
            if total_order::<F>(a, b) == side {
                a
            } else {
                b
            }
        }
    }
}

pub(crate) fn minimum<F: Format>(a: u64, b: u64, environment: &mut Environment) -> u64 {
    extreme::<F>(a, b, Ordering::Less, environment)
}

pub(crate) fn maximum<F: Format>(a: u64, b: u64, environment: &mut Environment) -> u64 {
    extreme::<F>(a, b, Ordering::Greater, environment)
}

/// `a` with the sign of `b`.
pub(crate) fn with_sign<F: Format>(a: u64, b: u64) -> u64 {
    a & !F::SIGN | b & F::SIGN
}

/// The class of a value as one bit of ten, numbered from negative infinity to positive infinity, signaling NaN and
/// quiet NaN.
pub(crate) fn class<F: Format>(bits: u64) -> u64 {
    let magnitude = bits & !F::SIGN;
    let positive = bits & F::SIGN == 0;
    let (below, above) = match magnitude {
        0 => (3, 4),
        _ if magnitude < F::NORMAL_MIN => (2, 5),
        _ if magnitude < F::INFINITY => (1, 6),
        _ if magnitude == F::INFINITY => (0, 7),
        _ if magnitude & F::QUIET == 0 => (8, 8),
        _ => (9, 9),
    };
    1 << if positive { above } else { below }
}
