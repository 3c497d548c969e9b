//! Conversions between the formats, and from and to integers.

use super::{Environment, Format, Number, Value, flag, infinity, round, unpack, zero};

/// A value of format `F` in format `G`.
pub(crate) fn convert<F: Format, G: Format>(bits: u64, environment: &mut Environment) -> u64 {
    match unpack::<F>(bits) {
        Value::Nan => {
            if F::is_signaling(bits) {
                environment.raise(flag::INVALID);
            }
            G::CANONICAL_NAN
        }
        Value::Infinity { negative } => infinity::<G>(negative),
        Value::Zero { negative } => zero::<G>(negative),
        Value::Finite(number) => round::<G>(number, environment),
    }
}

/// An integer, given by sign and magnitude.
fn from_magnitude<F: Format>(negative: bool, magnitude: u64, environment: &mut Environment) -> u64 {
    match Number::new(negative, 127, magnitude as u128) {
        Some(number) => round::<F>(number, environment),
        None => 0,
    }
}

pub(crate) fn from_signed<F: Format>(value: i64, environment: &mut Environment) -> u64 {
    from_magnitude::<F>(value < 0, value.unsigned_abs(), environment)
}

pub(crate) fn from_unsigned<F: Format>(value: u64, environment: &mut Environment) -> u64 {
    from_magnitude::<F>(false, value, environment)
}

/// The integer next to a value by the rounding mode, kept within `least` and `greatest`. What does not fit is
/// invalid and gives the nearest bound; a NaN counts as positive infinity.
fn to_integer<F: Format>(bits: u64, least: i128, greatest: i128, environment: &mut Environment) -> i128 {
    let (result, inexact) = match unpack::<F>(bits) {
        Value::Zero { .. } => return 0,
        Value::Nan | Value::Infinity { negative: false } => (i128::MAX, false),
        Value::Infinity { negative: true } => (i128::MIN, false),
        Value::Finite(number) => nearest_integer(number, environment),
    };
    if result < least || result > greatest {
        environment.raise(flag::INVALID);
        return result.clamp(least, greatest);
    }
    if inexact {
        environment.raise(flag::INEXACT);
    }
    result
}

/// The integer next to a number, and whether it is another. Magnitudes far beyond 64 bits stay there, if not as what
/// they are.
fn nearest_integer(number: Number, environment: &Environment) -> (i128, bool) {
    let Number { negative, exponent, significand } = number;
    // Below a half every amount rounds alike, so one more bit for the half itself and a sticky one suffice.
    let (kept, rest, half) = match exponent {
        ..-1 => (0, 1, 2),
        -1 => (0, significand, 1 << 127),
        0..=100 => {
            let dropped = 127 - exponent as u32;
            (significand >> dropped, significand & ((1 << dropped) - 1), 1 << (dropped - 1))
        }
        _ => (1 << 101, 0, 1),
    };
    let magnitude = kept + environment.rounding.away(negative, kept & 1 != 0, rest, half) as u128;
    let result = if negative { -(magnitude as i128) } else { magnitude as i128 };
    (result, rest != 0)
}

pub(crate) fn to_i32<F: Format>(bits: u64, environment: &mut Environment) -> i32 {
    to_integer::<F>(bits, i32::MIN as i128, i32::MAX as i128, environment) as i32
}

pub(crate) fn to_u32<F: Format>(bits: u64, environment: &mut Environment) -> u32 {
    to_integer::<F>(bits, 0, u32::MAX as i128, environment) as u32
}

pub(crate) fn to_i64<F: Format>(bits: u64, environment: &mut Environment) -> i64 {
    to_integer::<F>(bits, i64::MIN as i128, i64::MAX as i128, environment) as i64
}

pub(crate) fn to_u64<F: Format>(bits: u64, environment: &mut Environment) -> u64 {
    to_integer::<F>(bits, 0, u64::MAX as i128, environment) as u64
}
