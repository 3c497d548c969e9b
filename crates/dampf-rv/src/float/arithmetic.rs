//! Addition, multiplication, division, square root and the fused forms.
//!
//! Each operation asks the host first, where that is sound, and computes the exact result with integers otherwise. When
//! the host's answer counts is decided by [`trusted`] on the answer alone.

use super::{Environment, Format, Number, Rounding, Value, flag, infinity, round, shift_sticky, unpack, zero};

/// Whether the host may be asked: its rounding is to nearest, and it does not tell whether it rounded.
#[inline(always)]
fn asks_host(environment: &Environment) -> bool {
    environment.rounding == Rounding::NearestEven && environment.flags & flag::INEXACT != 0
}

/// Whether an answer of the host is right, flags included, given that it was asked.
///
/// A finite answer above the smallest normal number comes neither from an invalid operation nor from a division by
/// zero, has not overflowed and was not tiny, so that inexactness is the only flag it can raise, and that one is up.
/// The smallest normal number itself may have been tiny before it was rounded.
#[inline(always)]
fn trusted<F: Format>(answer: u64) -> bool {
    let magnitude = answer & !F::SIGN;
    magnitude > F::NORMAL_MIN && magnitude < F::INFINITY
}

/// The canonical NaN, for an operation with a NaN among its operands.
fn propagate<F: Format>(operands: &[u64], environment: &mut Environment) -> u64 {
    if operands.iter().any(|&bits| F::is_signaling(bits)) {
        environment.raise(flag::INVALID);
    }
    F::CANONICAL_NAN
}

#[inline]
pub(crate) fn add<F: Format>(a: u64, b: u64, environment: &mut Environment) -> u64 {
    if asks_host(environment) {
        let answer = F::host_add(a, b);
        // A sum is zero only if it is exactly zero.
        if trusted::<F>(answer) || answer & !F::SIGN == 0 {
            return answer;
        }
    }
    add_exactly::<F>(a, b, environment)
}

#[inline]
pub(crate) fn subtract<F: Format>(a: u64, b: u64, environment: &mut Environment) -> u64 {
    // The sign of a NaN does not show in the answer.
    add::<F>(a, b ^ F::SIGN, environment)
}

#[inline]
pub(crate) fn multiply<F: Format>(a: u64, b: u64, environment: &mut Environment) -> u64 {
    if asks_host(environment) {
        let answer = F::host_multiply(a, b);
        if trusted::<F>(answer) {
            return answer;
        }
    }
    multiply_exactly::<F>(a, b, environment)
}

#[inline]
pub(crate) fn divide<F: Format>(a: u64, b: u64, environment: &mut Environment) -> u64 {
    if asks_host(environment) {
        let answer = F::host_divide(a, b);
        if trusted::<F>(answer) {
            return answer;
        }
    }
    divide_exactly::<F>(a, b, environment)
}

/// `a * b + c`, rounded once.
#[inline]
pub(crate) fn fused<F: Format>(a: u64, b: u64, c: u64, environment: &mut Environment) -> u64 {
    if asks_host(environment) {
        let answer = F::host_fused(a, b, c);
        if trusted::<F>(answer) {
            return answer;
        }
    }
    fused_exactly::<F>(a, b, c, environment)
}

#[inline]
pub(crate) fn square_root<F: Format>(a: u64, environment: &mut Environment) -> u64 {
    if asks_host(environment) {
        let answer = F::host_square_root(a);
        if trusted::<F>(answer) {
            return answer;
        }
    }
    square_root_exactly::<F>(a, environment)
}

/// The zero that a sum of opposite numbers is.
fn cancelled<F: Format>(environment: &Environment) -> u64 {
    zero::<F>(environment.rounding == Rounding::Down)
}

fn add_exactly<F: Format>(a: u64, b: u64, environment: &mut Environment) -> u64 {
    match (unpack::<F>(a), unpack::<F>(b)) {
        (Value::Nan, _) | (_, Value::Nan) => propagate::<F>(&[a, b], environment),
        (Value::Infinity { negative }, Value::Infinity { negative: other }) if negative != other => {
            environment.invalid::<F>()
        }
        (Value::Infinity { .. }, _) => a,
        (_, Value::Infinity { .. }) => b,
        (Value::Zero { negative }, Value::Zero { negative: other }) if negative != other => cancelled::<F>(environment),
        (_, Value::Zero { .. }) => a,
        (Value::Zero { .. }, _) => b,
        (Value::Finite(a), Value::Finite(b)) => round_sum::<F>(a, b, environment),
    }
}

fn round_sum<F: Format>(a: Number, b: Number, environment: &mut Environment) -> u64 {
    match sum(a, b) {
        Some(number) => round::<F>(number, environment),
        None => cancelled::<F>(environment),
    }
}

/// The sum of two numbers, with a sticky bit; none if it is zero.
///
/// Operands have at most 106 leading bits that matter. If aligning the smaller one loses bits it is smaller by more
/// than a factor of two, so the sum keeps nearly all of its 126 bits, and a sticky lowest bit is as good as exact.
fn sum(a: Number, b: Number) -> Option<Number> {
    let (large, small) = if (a.exponent, a.significand) >= (b.exponent, b.significand) { (a, b) } else { (b, a) };
    // One bit of headroom for the carry.
    let upper = large.significand >> 1;
    let lower = shift_sticky(small.significand >> 1, large.exponent.abs_diff(small.exponent));
    let significand = if large.negative == small.negative { upper + lower } else { upper - lower };
    Number::new(large.negative, large.exponent + 1, significand)
}

/// The exact product of two numbers of a format.
fn product(a: Number, b: Number) -> Number {
    // The significands of operands have at most 53 bits, all in the upper half.
    let significand = (a.significand >> 64) * (b.significand >> 64);
    Number::nonzero(a.negative != b.negative, a.exponent + b.exponent + 1, significand)
}

fn multiply_exactly<F: Format>(a: u64, b: u64, environment: &mut Environment) -> u64 {
    let negative = (a ^ b) & F::SIGN != 0;
    match (unpack::<F>(a), unpack::<F>(b)) {
        (Value::Nan, _) | (_, Value::Nan) => propagate::<F>(&[a, b], environment),
        (Value::Infinity { .. }, Value::Zero { .. }) | (Value::Zero { .. }, Value::Infinity { .. }) => {
            environment.invalid::<F>()
        }
        (Value::Infinity { .. }, _) | (_, Value::Infinity { .. }) => infinity::<F>(negative),
        (Value::Finite(a), Value::Finite(b)) => round::<F>(product(a, b), environment),
        _ => zero::<F>(negative),
    }
}

fn divide_exactly<F: Format>(a: u64, b: u64, environment: &mut Environment) -> u64 {
    let negative = (a ^ b) & F::SIGN != 0;
    match (unpack::<F>(a), unpack::<F>(b)) {
        (Value::Nan, _) | (_, Value::Nan) => propagate::<F>(&[a, b], environment),
        (Value::Infinity { .. }, Value::Infinity { .. }) | (Value::Zero { .. }, Value::Zero { .. }) => {
            environment.invalid::<F>()
        }
        (Value::Infinity { .. }, _) => infinity::<F>(negative),
        (_, Value::Infinity { .. }) | (Value::Zero { .. }, _) => zero::<F>(negative),
        (Value::Finite(_), Value::Zero { .. }) => {
            environment.raise(flag::DIVISION_BY_ZERO);
            infinity::<F>(negative)
        }
        (Value::Finite(a), Value::Finite(b)) => {
            let divisor = b.significand >> 64;
            // The quotient has 63 or 64 bits: more than enough, with the remainder as the sticky bit.
            let dividend = a.significand >> 1;
            let (quotient, remainder) = (dividend / divisor, dividend % divisor);
            let significand = quotient << 64 | (remainder != 0) as u128;
            round::<F>(Number::nonzero(negative, a.exponent - b.exponent, significand), environment)
        }
    }
}

fn fused_exactly<F: Format>(a: u64, b: u64, c: u64, environment: &mut Environment) -> u64 {
    let negative = (a ^ b) & F::SIGN != 0;
    let (factor, other, addend) = (unpack::<F>(a), unpack::<F>(b), unpack::<F>(c));
    match (factor, other, addend) {
        // Infinity times zero is invalid even if a quiet NaN is added to it.
        (Value::Infinity { .. }, Value::Zero { .. }, _) | (Value::Zero { .. }, Value::Infinity { .. }, _) => {
            environment.invalid::<F>()
        }
        (Value::Nan, ..) | (_, Value::Nan, _) | (.., Value::Nan) => propagate::<F>(&[a, b, c], environment),
        (Value::Infinity { .. }, ..) | (_, Value::Infinity { .. }, _) => match addend {
            Value::Infinity { negative: opposite } if opposite != negative => environment.invalid::<F>(),
            _ => infinity::<F>(negative),
        },
        (.., Value::Infinity { .. }) => c,
        (Value::Finite(a), Value::Finite(b), Value::Finite(c)) => round_sum::<F>(product(a, b), c, environment),
        (Value::Finite(a), Value::Finite(b), _) => round::<F>(product(a, b), environment),
        // The product is a zero.
        (.., Value::Zero { negative: other }) if other != negative => cancelled::<F>(environment),
        _ => c,
    }
}

fn square_root_exactly<F: Format>(a: u64, environment: &mut Environment) -> u64 {
    match unpack::<F>(a) {
        Value::Nan => propagate::<F>(&[a], environment),
        Value::Zero { .. } | Value::Infinity { negative: false } => a,
        Value::Infinity { negative: true } | Value::Finite(Number { negative: true, .. }) => environment.invalid::<F>(),
        Value::Finite(Number { exponent, significand, .. }) => {
            // An even power of two comes out of the root; the rest is between one and four, so the root of the
            // 128 bits has its uppermost bit at 63.
            let odd = exponent & 1 != 0;
            let radicand = if odd { significand } else { significand >> 1 };
            let root = radicand.isqrt();
            let significand = root << 64 | (root * root != radicand) as u128;
            round::<F>(Number { negative: false, exponent: exponent >> 1, significand }, environment)
        }
    }
}
