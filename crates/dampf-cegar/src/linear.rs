//! Linear constraints with integer coefficients, in one canonical form.
//!
//! Equal constraints have equal representations: terms are sorted by symbol, no coefficient is zero, the greatest
//! common divisor of all numbers is one, and the first coefficient of an equation is positive. Real constants are
//! fractions in the input; multiplying a constraint by their denominator makes them integers. Numbers that do not fit
//! 128 bits are an [`Overflow`], which makes an answer unknown and never wrong.

use std::fmt;

/// A variable in a formula about a transition: its value before, its value after, or a number that only this formula
/// speaks of (existentially quantified: a quotient, an input).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// The variable with this index of the location that the transition leaves. Formulas about one location
    /// (predicates, invariants) use these alone.
    Before(u32),
    /// The variable with this index of the location that the transition enters.
    After(u32),
    /// The auxiliary with this index of the transition.
    Auxiliary(u32),
}

/// Arithmetic left the range of 128-bit numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

impl fmt::Display for Overflow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a coefficient exceeds 128 bits")
    }
}

impl std::error::Error for Overflow {}

/// A sum of symbols with coefficients, and a constant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    /// Sorted by symbol; no coefficient is zero.
    terms: Vec<(Symbol, i128)>,
    constant: i128,
}

impl Linear {
    pub fn constant(value: i128) -> Self {
        Linear { terms: Vec::new(), constant: value }
    }

    pub fn symbol(symbol: Symbol) -> Self {
        Linear { terms: vec![(symbol, 1)], constant: 0 }
    }

    pub fn terms(&self) -> &[(Symbol, i128)] {
        &self.terms
    }

    pub fn constant_part(&self) -> i128 {
        self.constant
    }

    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn coefficient(&self, symbol: Symbol) -> i128 {
        match self.terms.binary_search_by_key(&symbol, |&(symbol, _)| symbol) {
            Ok(at) => self.terms[at].1,
            Err(_) => 0,
        }
    }

    /// `self + factor * other`.
    pub fn plus(&self, factor: i128, other: &Linear) -> Result<Linear, Overflow> {
        let scaled = |value: i128| value.checked_mul(factor).ok_or(Overflow);
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut mine, mut theirs) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let (symbol, coefficient) = match (mine.peek(), theirs.peek()) {
                (None, None) => break,
                (Some(&&(left, value)), Some(&&(right, added))) if left == right => {
                    mine.next();
                    theirs.next();
                    (left, value.checked_add(scaled(added)?).ok_or(Overflow)?)
                }
                (Some(&&(left, value)), Some(&&(right, _))) if left < right => {
                    mine.next();
                    (left, value)
                }
                (Some(&&(left, value)), None) => {
                    mine.next();
                    (left, value)
                }
                (_, Some(&&(right, added))) => {
                    theirs.next();
                    (right, scaled(added)?)
                }
            };
            if coefficient != 0 {
                terms.push((symbol, coefficient));
            }
        }
        let constant = self.constant.checked_add(scaled(other.constant)?).ok_or(Overflow)?;
        Ok(Linear { terms, constant })
    }

    pub fn times(&self, factor: i128) -> Result<Linear, Overflow> {
        Linear::default().plus(factor, self)
    }

    /// The same sum over other symbols.
    pub fn renamed(&self, mut name: impl FnMut(Symbol) -> Symbol) -> Linear {
        let mut terms: Vec<_> = self.terms.iter().map(|&(symbol, value)| (name(symbol), value)).collect();
        terms.sort_unstable_by_key(|&(symbol, _)| symbol);
        debug_assert!(terms.windows(2).all(|pair| pair[0].0 < pair[1].0), "two symbols got one name");
        Linear { terms, constant: self.constant }
    }
}

/// How a sum compares with zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    /// `sum <= 0`
    AtMost,
    /// `sum < 0`
    Below,
    /// `sum = 0`
    Equal,
}

impl Relation {
    /// As mathematics and SMT-LIB write it.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::AtMost => "<=",
            Relation::Below => "<",
            Relation::Equal => "=",
        }
    }
}

/// A sum compared with zero, in canonical form.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Constraint {
    sum: Linear,
    relation: Relation,
}

impl Constraint {
    /// Strictness is kept as it is, because it takes the sorts of the symbols to know that `x < y` is `x + 1 <= y`.
    pub fn new(mut sum: Linear, relation: Relation) -> Self {
        let divisor = sum
            .terms
            .iter()
            .fold(sum.constant.unsigned_abs(), |divisor, &(_, value)| gcd(divisor, value.unsigned_abs()));
        // A divisor of 2^127 divides nothing but itself and zero; such sums stay as they are.
        let mut divisor = i128::try_from(divisor).unwrap_or(1).max(1);
        if relation == Relation::Equal && sum.terms.first().is_some_and(|&(_, value)| value < 0) {
            divisor = -divisor;
        }
        for (_, value) in &mut sum.terms {
            *value = value.checked_div(divisor).unwrap_or(*value);
        }
        sum.constant = sum.constant.checked_div(divisor).unwrap_or(sum.constant);
        Constraint { sum, relation }
    }

    pub fn sum(&self) -> &Linear {
        &self.sum
    }

    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// What the constraint is where it has no symbols.
    pub fn truth(&self) -> Option<bool> {
        self.sum.is_constant().then_some(match self.relation {
            Relation::AtMost => self.sum.constant <= 0,
            Relation::Below => self.sum.constant < 0,
            Relation::Equal => self.sum.constant == 0,
        })
    }

    pub fn renamed(&self, name: impl FnMut(Symbol) -> Symbol) -> Constraint {
        // The sign of an equation follows from the order of its symbols.
        Constraint::new(self.sum.renamed(name), self.relation)
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn x(index: u32) -> Linear {
        Linear::symbol(Symbol::Before(index))
    }

    #[test]
    fn sums_are_canonical() {
        let sum = x(1).plus(2, &x(0)).unwrap().plus(-1, &x(1)).unwrap().plus(1, &Linear::constant(4)).unwrap();
        assert_eq!(sum, x(0).times(2).unwrap().plus(4, &Linear::constant(1)).unwrap());
        assert_eq!(Constraint::new(sum.clone(), Relation::AtMost).sum().constant_part(), 2);
        let negated = sum.times(-1).unwrap();
        assert_eq!(Constraint::new(sum, Relation::Equal), Constraint::new(negated, Relation::Equal));
    }

    #[test]
    fn overflow_is_told() {
        assert_eq!(Linear::constant(i128::MAX).plus(2, &Linear::constant(1)), Err(Overflow));
        assert_eq!(x(0).times(i128::MAX).unwrap().times(2), Err(Overflow));
    }
}
