//! IEEE 754 arithmetic as the F and D extensions define it: every rounding mode, every flag, canonical NaNs.
//!
//! The reference is integer arithmetic on 128 bits: operands are unpacked into sign, exponent and significand, the
//! exact result (or the exact result with a sticky bit below it) is formed, and one function rounds it. Underflow is
//! detected after rounding as though the exponent had no bound, which is what RISC-V asks for; ready-made libraries
//! decide it on the delivered result instead and miss a flag at the edge of the subnormals.
//!
//! Most arithmetic of real programs needs none of this: where the mode is round-to-nearest and the inexact flag is
//! raised already, a result of the host that is neither tiny nor infinite nor NaN is the right one, and raises no flag
//! that is not there. See [`arithmetic`].
//!
//! Values travel as bit patterns in 64 bits; a single has its upper half zero here, the NaN boxes are the business of
//! the machine.

pub(crate) mod arithmetic;
pub(crate) mod compare;
pub(crate) mod convert;

/// The exception flags, as they stand in the low bits of the control register.
pub(crate) mod flag {
    pub(crate) const INEXACT: u32 = 1;
    pub(crate) const UNDERFLOW: u32 = 2;
    pub(crate) const OVERFLOW: u32 = 4;
    pub(crate) const DIVISION_BY_ZERO: u32 = 8;
    pub(crate) const INVALID: u32 = 16;
}

/// The rounding modes, numbered as in instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rounding {
    NearestEven,
    TowardZero,
    Down,
    Up,
    /// To nearest, ties away from zero.
    NearestAway,
}

impl Rounding {
    /// The mode with this number; none for the reserved ones.
    pub(crate) fn new(number: u32) -> Option<Rounding> {
        use Rounding::*;
        [NearestEven, TowardZero, Down, Up, NearestAway].get(number as usize).copied()
    }

    /// Whether a magnitude is rounded up, away from zero. `rest` is what lies behind the last bit that is kept, and
    /// `half` is the value of half a last bit on the same scale.
    fn away(self, negative: bool, odd: bool, rest: u128, half: u128) -> bool {
        match self {
            Rounding::NearestEven => rest > half || (rest == half && odd),
            Rounding::TowardZero => false,
            Rounding::Down => negative && rest != 0,
            Rounding::Up => !negative && rest != 0,
            Rounding::NearestAway => rest >= half,
        }
    }
}

/// The rounding mode of an operation, and the flags it raises beside those that are up already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Environment {
    pub(crate) rounding: Rounding,
    pub(crate) flags: u32,
}

impl Environment {
    pub(crate) fn raise(&mut self, flags: u32) {
        self.flags |= flags;
    }

    /// The answer of an invalid operation.
    pub(crate) fn invalid<F: Format>(&mut self) -> u64 {
        self.raise(flag::INVALID);
        F::CANONICAL_NAN
    }
}

/// A binary interchange format, with the host's arithmetic on it.
pub(crate) trait Format {
    /// The bits of the whole.
    const BITS: u32;
    /// The bits of the fraction, without the leading one.
    const FRACTION: u32;
    /// The exponent field of infinities and NaNs.
    const EXPONENT_MAX: u32 = (1 << (Self::BITS - 1 - Self::FRACTION)) - 1;
    const BIAS: i32 = (Self::EXPONENT_MAX / 2) as i32;
    const SIGN: u64 = 1 << (Self::BITS - 1);
    const INFINITY: u64 = (Self::EXPONENT_MAX as u64) << Self::FRACTION;
    const QUIET: u64 = 1 << (Self::FRACTION - 1);
    const CANONICAL_NAN: u64 = Self::INFINITY | Self::QUIET;
    /// The smallest normal magnitude.
    const NORMAL_MIN: u64 = 1 << Self::FRACTION;

    fn host_add(a: u64, b: u64) -> u64;
    fn host_multiply(a: u64, b: u64) -> u64;
    fn host_divide(a: u64, b: u64) -> u64;
    fn host_fused(a: u64, b: u64, c: u64) -> u64;
    fn host_square_root(a: u64) -> u64;

    fn is_nan(bits: u64) -> bool {
        bits & !Self::SIGN > Self::INFINITY
    }

    fn is_signaling(bits: u64) -> bool {
        Self::is_nan(bits) && bits & Self::QUIET == 0
    }
}

macro_rules! binary_format {
    ($(#[$documentation:meta])* $name:ident, $host:ty, $integer:ty, $bits:literal, $fraction:literal) => {
        $(#[$documentation])*
        pub(crate) enum $name {}

        impl Format for $name {
            const BITS: u32 = $bits;
            const FRACTION: u32 = $fraction;

            #[inline(always)]
            fn host_add(a: u64, b: u64) -> u64 {
                (<$host>::from_bits(a as $integer) + <$host>::from_bits(b as $integer)).to_bits() as u64
            }

            #[inline(always)]
            fn host_multiply(a: u64, b: u64) -> u64 {
                (<$host>::from_bits(a as $integer) * <$host>::from_bits(b as $integer)).to_bits() as u64
            }

            #[inline(always)]
            fn host_divide(a: u64, b: u64) -> u64 {
                (<$host>::from_bits(a as $integer) / <$host>::from_bits(b as $integer)).to_bits() as u64
            }

            #[inline(always)]
            fn host_fused(a: u64, b: u64, c: u64) -> u64 {
                let (a, b, c) = (a as $integer, b as $integer, c as $integer);
                <$host>::from_bits(a).mul_add(<$host>::from_bits(b), <$host>::from_bits(c)).to_bits() as u64
            }

            #[inline(always)]
            fn host_square_root(a: u64) -> u64 {
                <$host>::from_bits(a as $integer).sqrt().to_bits() as u64
            }
        }
    };
}

binary_format!(
    /// 32 bits.
    Single, f32, u32, 32, 23
);
binary_format!(
    /// 64 bits.
    Double, f64, u64, 64, 52
);

/// A finite number other than zero: `significand / 2^127 * 2^exponent`.
///
/// Invariant: the uppermost bit of the significand is set. The lowest bit may stand for any amount below it (sticky).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Number {
    negative: bool,
    exponent: i32,
    significand: u128,
}

/// What a bit pattern stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Zero { negative: bool },
    Finite(Number),
    Infinity { negative: bool },
    Nan,
}

impl Number {
    /// Normalises a significand; none if it is zero. `exponent` is that of the uppermost bit of the 128.
    fn new(negative: bool, exponent: i32, significand: u128) -> Option<Number> {
        (significand != 0).then(|| Number::nonzero(negative, exponent, significand))
    }

    /// Normalises a significand that is known not to be zero.
    fn nonzero(negative: bool, exponent: i32, significand: u128) -> Number {
        let shift = significand.leading_zeros();
        Number { negative, exponent: exponent - shift as i32, significand: significand << shift }
    }
}

pub(crate) fn unpack<F: Format>(bits: u64) -> Value {
    let negative = bits & F::SIGN != 0;
    let field = (bits >> F::FRACTION) as u32 & F::EXPONENT_MAX;
    let fraction = bits & (F::NORMAL_MIN - 1);
    if field == F::EXPONENT_MAX {
        return if fraction == 0 { Value::Infinity { negative } } else { Value::Nan };
    }
    let (leading, exponent) = if field == 0 { (0, 1) } else { (F::NORMAL_MIN, field as i32) };
    let significand = ((leading | fraction) as u128) << (127 - F::FRACTION);
    match Number::new(negative, exponent - F::BIAS, significand) {
        Some(number) => Value::Finite(number),
        None => Value::Zero { negative },
    }
}

pub(crate) fn zero<F: Format>(negative: bool) -> u64 {
    if negative { F::SIGN } else { 0 }
}

pub(crate) fn infinity<F: Format>(negative: bool) -> u64 {
    F::INFINITY | zero::<F>(negative)
}

/// Shifts right, with everything that falls out kept as the lowest bit.
fn shift_sticky(significand: u128, amount: u32) -> u128 {
    if amount >= 128 {
        return (significand != 0) as u128;
    }
    let shifted = significand >> amount;
    shifted | ((shifted << amount) != significand) as u128
}

/// Rounds an exact number into a format.
pub(crate) fn round<F: Format>(number: Number, environment: &mut Environment) -> u64 {
    let Number { negative, exponent, significand } = number;
    let exponent_min = 1 - F::BIAS;
    // How many bits are not kept, and what half a last bit is worth.
    let dropped = 127 - F::FRACTION;
    let half = 1u128 << (dropped - 1);
    let rounded = |significand: u128| {
        let kept = (significand >> dropped) as u64;
        let rest = significand & (half * 2 - 1);
        (kept + environment.rounding.away(negative, kept & 1 != 0, rest, half) as u64, rest != 0)
    };
    // With the leading one counted into the exponent field, a carry out of the fraction corrects the field as well:
    // from subnormal to normal, to the next power of two, and from the largest number to infinity.
    let (magnitude, inexact, tiny) = if exponent >= exponent_min {
        let (kept, inexact) = rounded(significand);
        // More than the range by far would overflow the field itself.
        let field = (exponent - exponent_min).min(F::EXPONENT_MAX as i32) as u64;
        (kept + (field << F::FRACTION), inexact, false)
    } else {
        let (unbounded, _) = rounded(significand);
        let reaches_normal = exponent == exponent_min - 1 && unbounded >> (F::FRACTION + 1) != 0;
        let (kept, inexact) = rounded(shift_sticky(significand, exponent_min.abs_diff(exponent)));
        (kept, inexact, !reaches_normal)
    };
    if magnitude >= F::INFINITY {
        environment.raise(flag::OVERFLOW | flag::INEXACT);
        let to_infinity = match environment.rounding {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::TowardZero => false,
            Rounding::Down => negative,
            Rounding::Up => !negative,
        };
        return zero::<F>(negative) | (F::INFINITY - !to_infinity as u64);
    }
    if inexact {
        environment.raise(flag::INEXACT | if tiny { flag::UNDERFLOW } else { 0 });
    }
    magnitude | zero::<F>(negative)
}

#[cfg(test)]
mod tests;
