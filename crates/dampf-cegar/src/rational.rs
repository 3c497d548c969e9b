//! Exact fractions: two machine words while they fit, numbers of any size when they do not.
//!
//! Nearly all fractions that a simplex meets are small, so that the path that every operation takes first is arithmetic
//! of 128 bits on numerators and denominators of 64. What does not fit goes to `num-rational`, and comes back as soon
//! as it fits again, so that equal fractions have equal representations.
//!
//! Invariant: a small fraction is in lowest terms, its denominator is positive, and its numerator is not `i64::MIN`
//! (negation never leaves the representation); a big one does not fit a small one.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};
use std::cmp::Ordering;
use std::fmt;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Representation);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Representation {
    Small(i64, i64),
    Big(Box<BigRational>),
}

use Representation::{Big, Small};

impl Rational {
    pub const ZERO: Rational = Rational(Small(0, 1));
    pub const ONE: Rational = Rational(Small(1, 1));

    pub fn integer(value: i128) -> Rational {
        Rational::ratio(value, 1)
    }

    /// # Panics
    ///
    /// If the denominator is zero.
    pub fn ratio(numerator: i128, denominator: i128) -> Rational {
        assert!(denominator != 0, "a fraction has a denominator");
        if numerator == i128::MIN || denominator == i128::MIN {
            return Rational::big(BigRational::new(numerator.into(), denominator.into()));
        }
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()) as i128;
        let sign = denominator.signum();
        let (numerator, denominator) = (sign * (numerator / divisor), sign * (denominator / divisor));
        match (small(numerator), small(denominator)) {
            (Some(numerator), Some(denominator)) => Rational(Small(numerator, denominator)),
            _ => Rational(Big(Box::new(BigRational::new_raw(numerator.into(), denominator.into())))),
        }
    }

    fn big(value: BigRational) -> Rational {
        let fits = |number: &BigInt| number.to_i128().and_then(small);
        match (fits(value.numer()), fits(value.denom())) {
            (Some(numerator), Some(denominator)) => Rational(Small(numerator, denominator)),
            _ => Rational(Big(Box::new(value))),
        }
    }

    fn to_big(&self) -> BigRational {
        match &self.0 {
            &Small(numerator, denominator) => BigRational::new_raw(numerator.into(), denominator.into()),
            Big(value) => (**value).clone(),
        }
    }

    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }

    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1, 1))
    }

    pub fn is_positive(&self) -> bool {
        self.sign() > 0
    }

    pub fn is_negative(&self) -> bool {
        self.sign() < 0
    }

    /// -1, 0 or 1.
    pub fn sign(&self) -> i32 {
        match &self.0 {
            Small(numerator, _) => numerator.signum() as i32,
            Big(value) => {
                if value.is_negative() {
                    -1
                } else {
                    i32::from(!value.is_zero())
                }
            }
        }
    }

    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, denominator) => *denominator == 1,
            Big(value) => value.is_integer(),
        }
    }

    pub fn floor(&self) -> Rational {
        match &self.0 {
            &Small(_, 1) => self.clone(),
            &Small(numerator, denominator) => Rational(Small(numerator.div_euclid(denominator), 1)),
            Big(value) => Rational::big(value.floor()),
        }
    }

    pub fn ceiling(&self) -> Rational {
        self.negated().floor().negated()
    }

    pub fn negated(&self) -> Rational {
        match &self.0 {
            &Small(numerator, denominator) => Rational(Small(-numerator, denominator)),
            Big(value) => Rational::big(-(**value).clone()),
        }
    }

    /// # Panics
    ///
    /// If the fraction is zero.
    pub fn inverse(&self) -> Rational {
        match &self.0 {
            &Small(numerator, denominator) => {
                assert!(numerator != 0, "zero has no inverse");
                Rational(Small(numerator.signum() * denominator, numerator.abs()))
            }
            Big(value) => Rational::big(value.recip()),
        }
    }

    pub fn plus(&self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (&Small(a, 1), &Small(b, 1)) => match a.checked_add(b) {
                Some(sum) if sum != i64::MIN => Rational(Small(sum, 1)),
                _ => Rational::integer(i128::from(a) + i128::from(b)),
            },
            (&Small(a, b), &Small(c, d)) => {
                let (a, b, c, d) = (i128::from(a), i128::from(b), i128::from(c), i128::from(d));
                if b == d { Rational::ratio(a + c, b) } else { Rational::ratio(a * d + c * b, b * d) }
            }
            _ => Rational::big(self.to_big() + other.to_big()),
        }
    }

    pub fn minus(&self, other: &Rational) -> Rational {
        self.plus(&other.negated())
    }

    pub fn times(&self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (&Small(a, 1), &Small(b, 1)) => match a.checked_mul(b) {
                Some(product) if product != i64::MIN => Rational(Small(product, 1)),
                _ => Rational::integer(i128::from(a) * i128::from(b)),
            },
            (&Small(a, b), &Small(c, d)) => {
                Rational::ratio(i128::from(a) * i128::from(c), i128::from(b) * i128::from(d))
            }
            _ => Rational::big(self.to_big() * other.to_big()),
        }
    }

    pub fn divided_by(&self, other: &Rational) -> Rational {
        self.times(&other.inverse())
    }

    /// `self + factor * other`.
    pub fn plus_product(&self, factor: &Rational, other: &Rational) -> Rational {
        self.plus(&factor.times(other))
    }

    /// Numerator and denominator, where both fit.
    pub fn parts(&self) -> Option<(i128, i128)> {
        match &self.0 {
            &Small(numerator, denominator) => Some((numerator.into(), denominator.into())),
            Big(value) => Some((value.numer().to_i128()?, value.denom().to_i128()?)),
        }
    }

    pub fn to_integer(&self) -> Option<i128> {
        self.parts().filter(|&(_, denominator)| denominator == 1).map(|(numerator, _)| numerator)
    }

    /// The least positive integer that makes integers of all these fractions by multiplication.
    pub fn common_denominator<'r>(values: impl IntoIterator<Item = &'r Rational>) -> Rational {
        let mut common = BigInt::one();
        let mut small_common: i128 = 1;
        let mut is_small = true;
        for value in values {
            match &value.0 {
                Small(_, 1) => {}
                &Small(_, denominator) if is_small => {
                    let denominator = i128::from(denominator);
                    let factor = denominator / gcd(small_common.unsigned_abs(), denominator.unsigned_abs()) as i128;
                    match small_common.checked_mul(factor) {
                        Some(product) => small_common = product,
                        None => {
                            is_small = false;
                            common = BigInt::from(small_common) * factor;
                        }
                    }
                }
                _ => {
                    if is_small {
                        is_small = false;
                        common = small_common.into();
                    }
                    common = common.lcm(value.to_big().denom());
                }
            }
        }
        if is_small { Rational::integer(small_common) } else { Rational::big(BigRational::from_integer(common)) }
    }
}

fn small(value: i128) -> Option<i64> {
    i64::try_from(value).ok().filter(|value| *value != i64::MIN)
}

/// The greatest common divisor; of numbers of one word by arithmetic of one word, which is several times faster.
pub(crate) fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(mut a), Ok(mut b)) = (u64::try_from(a), u64::try_from(b)) {
            while b != 0 {
                (a, b) = (b, a % b);
            }
            return a.into();
        }
        (a, b) = (b, a % b);
    }
    a
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            (&Small(a, b), &Small(c, d)) if b == d => a.cmp(&c),
            (&Small(a, b), &Small(c, d)) => (i128::from(a) * i128::from(d)).cmp(&(i128::from(c) * i128::from(b))),
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::ZERO
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(numerator, 1) => write!(formatter, "{numerator}"),
            Small(numerator, denominator) => write!(formatter, "{numerator}/{denominator}"),
            Big(value) => write!(formatter, "{value}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_big_fractions_agree() {
        let numbers = [0, 1, -1, 7, -12, 1 << 40, i128::from(i64::MAX), -i128::from(i64::MAX), 1 << 90];
        let mut fractions = Vec::new();
        for numerator in numbers {
            for denominator in [1, 3, 1 << 33, i128::from(i64::MAX), 1 << 80] {
                fractions.push(Rational::ratio(numerator, denominator));
            }
        }
        for a in &fractions {
            for b in &fractions {
                assert_eq!(a.plus(b), Rational::big(a.to_big() + b.to_big()));
                assert_eq!(a.times(b), Rational::big(a.to_big() * b.to_big()));
                assert_eq!(a.cmp(b), a.to_big().cmp(&b.to_big()));
                assert_eq!(a.minus(b).plus(b), *a);
                if !b.is_zero() {
                    assert_eq!(a.divided_by(b).times(b), *a);
                }
            }
            assert_eq!(a.floor(), Rational::big(a.to_big().floor()));
            assert_eq!(a.ceiling(), Rational::big(a.to_big().ceil()));
        }
        let common = Rational::common_denominator(&fractions);
        assert!(fractions.iter().all(|fraction| fraction.times(&common).is_integer()));
    }
}
