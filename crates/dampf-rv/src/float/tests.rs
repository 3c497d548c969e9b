//! The integer arithmetic against the host's, and the corners that the host cannot tell about.

use super::arithmetic::{add, divide, fused, multiply, square_root, subtract};
use super::compare::{class, equal, less, less_or_equal, maximum, minimum};
use super::convert::{convert, from_signed, from_unsigned, to_i32, to_i64, to_u32, to_u64};
use super::*;

const MODES: [Rounding; 5] =
    [Rounding::NearestEven, Rounding::TowardZero, Rounding::Down, Rounding::Up, Rounding::NearestAway];

/// A stream of bit patterns with a liking for the ends of the exponent range and for short fractions.
struct Patterns(u64);

impl Patterns {
    fn next<F: Format>(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let mixed = mixed ^ (mixed >> 31);
        let choice = self.0.count_ones();
        let mask = (F::SIGN << 1).wrapping_sub(1);
        let bits = mixed & mask;
        match choice % 4 {
            0 => bits & !(F::INFINITY >> 1),
            1 => bits & !((F::NORMAL_MIN - 1) >> (choice % 16)),
            2 => bits & !F::INFINITY | ((F::BIAS as u64 + mixed % 5) << F::FRACTION) & F::INFINITY,
            _ => bits,
        }
    }
}

fn with_mode<T>(rounding: Rounding, operation: impl Fn(&mut Environment) -> T) -> (T, u32) {
    let mut environment = Environment { rounding, flags: 0 };
    let result = operation(&mut environment);
    (result, environment.flags)
}

fn canonical<F: Format>(bits: u64) -> u64 {
    if F::is_nan(bits) { F::CANONICAL_NAN } else { bits }
}

/// Checks one operation in all modes: to nearest it is what the host says, the directed modes enclose it, and the paths
/// through the host and through integers agree, flags included.
fn check<F: Format>(host: u64, operation: impl Fn(&mut Environment) -> u64, context: &dyn Fn() -> String) {
    let results = MODES.map(|mode| with_mode(mode, &operation));
    let [(nearest, flags), (toward_zero, _), (down, _), (up, _), (away, _)] = results;
    assert_eq!(nearest, canonical::<F>(host), "{}", context());
    assert!(toward_zero == down || toward_zero == up, "{}", context());
    assert!(away == down || away == up, "{}", context());
    let magnitude = |bits: u64| bits & !F::SIGN;
    if magnitude(down) != 0 || magnitude(up) != 0 {
        assert!(magnitude(down).abs_diff(magnitude(up)) <= 1, "{}", context());
    }
    assert_eq!(flags & flag::INEXACT != 0, down != up && magnitude(down) | magnitude(up) != 0, "{}", context());
    let mut environment = Environment { rounding: Rounding::NearestEven, flags: flag::INEXACT };
    assert_eq!(operation(&mut environment), nearest, "{}", context());
    assert_eq!(environment.flags, flags | flag::INEXACT, "{}", context());
}

fn check_format<F: Format>() {
    let mut patterns = Patterns(7);
    for _ in 0..100_000 {
        let (a, b, c) = (patterns.next::<F>(), patterns.next::<F>(), patterns.next::<F>());
        let context = |name: &'static str| move || format!("{name} {a:#x} {b:#x} {c:#x}");
        check::<F>(F::host_add(a, b), |environment| add::<F>(a, b, environment), &context("add"));
        check::<F>(F::host_add(a, b ^ F::SIGN), |environment| subtract::<F>(a, b, environment), &context("subtract"));
        check::<F>(F::host_multiply(a, b), |environment| multiply::<F>(a, b, environment), &context("multiply"));
        check::<F>(F::host_divide(a, b), |environment| divide::<F>(a, b, environment), &context("divide"));
        check::<F>(F::host_fused(a, b, c), |environment| fused::<F>(a, b, c, environment), &context("fused"));
        check::<F>(F::host_square_root(a), |environment| square_root::<F>(a, environment), &context("root"));
    }
}

#[test]
fn singles_agree_with_the_host() {
    check_format::<Single>();
}

#[test]
fn doubles_agree_with_the_host() {
    check_format::<Double>();
}

#[test]
fn conversions_agree_with_the_host() {
    let mut patterns = Patterns(8);
    for _ in 0..100_000 {
        let bits = patterns.next::<Double>();
        let single = bits as u32;
        let (value, narrow) = (f64::from_bits(bits), f32::from_bits(single));
        let nearest = |operation: &dyn Fn(&mut Environment) -> u64| with_mode(Rounding::NearestEven, operation).0;
        let truncated = |operation: &dyn Fn(&mut Environment) -> i128| with_mode(Rounding::TowardZero, operation).0;
        assert_eq!(
            nearest(&|environment| convert::<Double, Single>(bits, environment)),
            canonical::<Single>((value as f32).to_bits() as u64)
        );
        assert_eq!(
            nearest(&|environment| convert::<Single, Double>(single as u64, environment)),
            canonical::<Double>((narrow as f64).to_bits())
        );
        assert_eq!(
            nearest(&|environment| from_signed::<Double>(bits as i64, environment)),
            (bits as i64 as f64).to_bits()
        );
        assert_eq!(nearest(&|environment| from_unsigned::<Double>(bits, environment)), (bits as f64).to_bits());
        assert_eq!(nearest(&|environment| from_unsigned::<Single>(bits, environment)), (bits as f32).to_bits() as u64);
        // The host's casts saturate like ours but for NaNs.
        if !value.is_nan() {
            assert_eq!(truncated(&|environment| to_i32::<Double>(bits, environment) as i128), value as i32 as i128);
            assert_eq!(truncated(&|environment| to_u32::<Double>(bits, environment) as i128), value as u32 as i128);
            assert_eq!(truncated(&|environment| to_i64::<Double>(bits, environment) as i128), value as i64 as i128);
            assert_eq!(truncated(&|environment| to_u64::<Double>(bits, environment) as i128), value as u64 as i128);
        }
    }
}

#[test]
fn comparisons_agree_with_the_host() {
    let mut patterns = Patterns(9);
    for round in 0..100_000 {
        let a = patterns.next::<Double>();
        let b = match round % 8 {
            0 => a,
            1 => a ^ Double::SIGN,
            _ => patterns.next::<Double>(),
        };
        let (x, y) = (f64::from_bits(a), f64::from_bits(b));
        let quiet = |operation: &dyn Fn(&mut Environment) -> bool| with_mode(Rounding::NearestEven, operation).0;
        assert_eq!(quiet(&|environment| equal::<Double>(a, b, environment)), x == y);
        assert_eq!(quiet(&|environment| less::<Double>(a, b, environment)), x < y);
        assert_eq!(quiet(&|environment| less_or_equal::<Double>(a, b, environment)), x <= y);
    }
}

#[test]
fn tininess_is_seen_after_rounding_without_bound() {
    let nearest =
        |a, b| with_mode(Rounding::NearestEven, |environment: &mut Environment| multiply::<Double>(a, b, environment));
    let least_normal = Double::NORMAL_MIN;
    // (1 - 2^-53) * 2^-1022 is representable but for its exponent: tiny, though it is delivered as a normal number.
    let below_one = 0x3FEF_FFFF_FFFF_FFFF;
    assert_eq!(nearest(below_one, least_normal), (least_normal, flag::UNDERFLOW | flag::INEXACT));
    // (1 + 2^-52) * (1 - 2^-52) * 2^-1022 rounds to 2^-1022 in any case.
    assert_eq!(nearest(0x3FF0_0000_0000_0001, least_normal - 1), (least_normal, flag::INEXACT));
    // An exact subnormal result is tiny, and no underflow.
    assert_eq!(nearest(0x3FE0_0000_0000_0000, least_normal), (least_normal / 2, 0));
    // The host does not tell, so its answer is not good enough here.
    let mut environment = Environment { rounding: Rounding::NearestEven, flags: flag::INEXACT };
    assert_eq!(multiply::<Double>(below_one, least_normal, &mut environment), least_normal);
    assert_eq!(environment.flags, flag::UNDERFLOW | flag::INEXACT);
}

#[test]
fn square_roots_are_enclosed() {
    // Significands whose squares are just below a number with 53 bits: its root is so close that only the remainder
    // tells it from an exact one.
    let one = 1u64 << 52;
    for root in (one..2 * one).step_by(one as usize / 20_000) {
        let square = root as u128 * root as u128;
        let dropped = 128 - square.leading_zeros() - 53;
        let operand = square.div_ceil(1 << dropped) << dropped;
        if operand.leading_zeros() != square.leading_zeros() {
            continue;
        }
        let bits = with_mode(Rounding::NearestEven, |e| from_unsigned::<Double>((operand >> dropped) as u64, e)).0;
        // The exponent of the operand is even again if its significand is scaled as the square was.
        let bits = bits + ((dropped as u64) << 52);
        let (up, flags) = with_mode(Rounding::Up, |e| square_root::<Double>(bits, e));
        let exact = with_mode(Rounding::NearestEven, |e| from_unsigned::<Double>(root, e)).0;
        let inexact = operand != square;
        assert_eq!((up, flags), (exact + inexact as u64, if inexact { flag::INEXACT } else { 0 }), "{root:#x}");
    }
}

#[test]
fn overflow_goes_where_the_mode_says() {
    let largest = Double::INFINITY - 1;
    let twice = |sign: u64| MODES.map(|mode| with_mode(mode, |e| add::<Double>(largest | sign, largest | sign, e)));
    let flags = flag::OVERFLOW | flag::INEXACT;
    let infinity = Double::INFINITY;
    assert_eq!(twice(0), [infinity, largest, largest, infinity, infinity].map(|bits| (bits, flags)));
    let negative = [infinity, largest, infinity, largest, infinity].map(|bits| (bits | Double::SIGN, flags));
    assert_eq!(twice(Double::SIGN), negative);
}

#[test]
fn integers_saturate() {
    let nan = Double::CANONICAL_NAN;
    let minus_infinity = Double::INFINITY | Double::SIGN;
    let toward_zero = |bits| {
        let mut environment = Environment { rounding: Rounding::TowardZero, flags: 0 };
        let results = (
            to_i32::<Double>(bits, &mut environment),
            to_u32::<Double>(bits, &mut environment),
            to_i64::<Double>(bits, &mut environment),
            to_u64::<Double>(bits, &mut environment),
        );
        (results, environment.flags)
    };
    assert_eq!(toward_zero(nan), ((i32::MAX, u32::MAX, i64::MAX, u64::MAX), flag::INVALID));
    assert_eq!(toward_zero(Double::INFINITY), ((i32::MAX, u32::MAX, i64::MAX, u64::MAX), flag::INVALID));
    assert_eq!(toward_zero(minus_infinity), ((i32::MIN, 0, i64::MIN, 0), flag::INVALID));
    // What rounds to zero is not negative any more.
    assert_eq!(toward_zero((-0.75f64).to_bits()), ((0, 0, 0, 0), flag::INEXACT));
    assert_eq!(toward_zero(Double::SIGN), ((0, 0, 0, 0), 0));
    let down = with_mode(Rounding::Down, |e| to_u32::<Double>((-0.75f64).to_bits(), e));
    assert_eq!(down, (0, flag::INVALID));
}

#[test]
fn minimum_and_maximum_know_zeros_and_nans() {
    let (plus, minus, quiet) = (0, Double::SIGN, Double::CANONICAL_NAN);
    let signaling = Double::INFINITY | 1;
    let both = |a, b| {
        let minimum = with_mode(Rounding::NearestEven, |e| minimum::<Double>(a, b, e));
        let maximum = with_mode(Rounding::NearestEven, |e| maximum::<Double>(a, b, e));
        assert_eq!(minimum.1, maximum.1);
        (minimum.0, maximum.0, maximum.1)
    };
    assert_eq!(both(plus, minus), (minus, plus, 0));
    assert_eq!(both(minus, plus), (minus, plus, 0));
    assert_eq!(both(quiet, minus), (minus, minus, 0));
    assert_eq!(both(minus, signaling), (minus, minus, flag::INVALID));
    assert_eq!(both(quiet, quiet | 1), (quiet, quiet, 0));
}

#[test]
fn infinity_times_zero_is_invalid_whatever_is_added() {
    let product = |addend| with_mode(Rounding::NearestEven, |e| fused::<Double>(Double::INFINITY, 0, addend, e));
    assert_eq!(product(Double::CANONICAL_NAN), (Double::CANONICAL_NAN, flag::INVALID));
    assert_eq!(product(0), (Double::CANONICAL_NAN, flag::INVALID));
}

#[test]
fn classes_are_numbered_from_below() {
    let patterns = [
        Single::INFINITY | Single::SIGN,
        Single::NORMAL_MIN | Single::SIGN,
        1 | Single::SIGN,
        Single::SIGN,
        0,
        1,
        Single::NORMAL_MIN,
        Single::INFINITY,
        Single::INFINITY | 1,
        Single::CANONICAL_NAN,
    ];
    for (number, bits) in patterns.into_iter().enumerate() {
        assert_eq!(class::<Single>(bits), 1 << number);
    }
}
