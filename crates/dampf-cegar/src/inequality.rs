//! Constraints over the columns of a simplex, tightened where all their variables are integers.
//!
//! Over integers `x < y` is `x + 1 <= y`, and what the coefficients have in common also divides the constant:
//! `2x <= 5` is `x <= 2`, and `2x = 5` is false. Tightened constraints have no integer solution less, and the rational
//! simplex refutes more of them.

use crate::formula::Formula;
use crate::linear::{Constraint, Linear, Overflow, Relation, Symbol};
use crate::rational::{Rational, gcd};
use crate::simplex::{Column, Simplex, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// `terms + constant` compared with zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Inequality {
    /// Sorted by column; none is zero; their greatest common divisor is one.
    pub terms: Vec<(Column, Rational)>,
    pub constant: Rational,
    pub relation: Relation,
}

/// A formula over columns.
#[derive(Clone, Debug)]
pub enum Condition {
    Atom(Arc<Inequality>),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

impl Condition {
    /// Translates a formula. `column` names the columns of its symbols, `is_integer` says which of them are integers.
    pub fn of(
        formula: &Formula,
        column: &mut dyn FnMut(Symbol) -> Column,
        is_integer: &dyn Fn(Column) -> bool,
    ) -> Condition {
        match formula {
            Formula::True => Condition::All(Vec::new()),
            Formula::False => Condition::Any(Vec::new()),
            Formula::Atom(constraint) => {
                Condition::Atom(Arc::new(Inequality::of(constraint, &mut *column, is_integer)))
            }
            Formula::And(parts) => {
                Condition::All(parts.iter().map(|part| Condition::of(part, &mut *column, is_integer)).collect())
            }
            Formula::Or(parts) => {
                Condition::Any(parts.iter().map(|part| Condition::of(part, &mut *column, is_integer)).collect())
            }
        }
    }

    /// Whether the values of a simplex satisfy it.
    pub fn holds(&self, simplex: &Simplex) -> bool {
        match self {
            Condition::Atom(inequality) => inequality.holds(simplex),
            Condition::All(parts) => parts.iter().all(|part| part.holds(simplex)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(simplex)),
        }
    }

    /// Whether it is true of a model.
    pub fn holds_for(&self, model: &[Rational]) -> bool {
        match self {
            Condition::Atom(inequality) => inequality.holds_for(model),
            Condition::All(parts) => parts.iter().all(|part| part.holds_for(model)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds_for(model)),
        }
    }
}

impl Inequality {
    pub fn of(
        constraint: &Constraint,
        column: &mut dyn FnMut(Symbol) -> Column,
        is_integer: &dyn Fn(Column) -> bool,
    ) -> Inequality {
        let sum = constraint.sum();
        let mut terms: Vec<(Column, i128)> = Vec::with_capacity(sum.terms().len());
        terms.extend(sum.terms().iter().map(|&(symbol, factor)| (column(symbol), factor)));
        terms.sort_unstable_by_key(|&(column, _)| column);
        let divisor = terms.iter().fold(0, |divisor, &(_, factor)| gcd(divisor, factor.unsigned_abs())).max(1);
        let scale = Rational::integer(i128::try_from(divisor).unwrap_or(1)).inverse();
        let integral = terms.iter().all(|&(column, _)| is_integer(column));
        let terms = terms.into_iter().map(|(column, factor)| (column, Rational::integer(factor).times(&scale)));
        let inequality = Inequality {
            terms: terms.collect(),
            constant: Rational::integer(sum.constant_part()).times(&scale),
            relation: constraint.relation(),
        };
        if integral { inequality.tightened() } else { inequality }
    }

    /// The same over integers; coefficients are integers without a common divisor.
    fn tightened(mut self) -> Inequality {
        match self.relation {
            Relation::AtMost => self.constant = self.constant.ceiling(),
            Relation::Below => {
                // `sum + c < 0` is `sum <= ceil(-c) - 1`.
                self.constant = self.constant.floor().plus(&Rational::ONE);
                self.relation = Relation::AtMost;
            }
            Relation::Equal if !self.constant.is_integer() => {
                self = Inequality { terms: Vec::new(), constant: Rational::ONE, relation: Relation::AtMost };
            }
            Relation::Equal => {}
        }
        self
    }

    pub fn holds_for(&self, model: &[Rational]) -> bool {
        let mut value = self.constant.clone();
        for (column, factor) in &self.terms {
            value = value.plus_product(factor, &model[*column as usize]);
        }
        match self.relation {
            Relation::AtMost => !value.is_positive(),
            Relation::Below => value.is_negative(),
            Relation::Equal => value.is_zero(),
        }
    }

    pub fn holds(&self, simplex: &Simplex) -> bool {
        let mut value = Value::real(self.constant.clone());
        for (column, factor) in &self.terms {
            let term = simplex.value(*column);
            value.real = value.real.plus_product(factor, &term.real);
            value.infinitesimal = value.infinitesimal.plus_product(factor, &term.infinitesimal);
        }
        let order = value.cmp(&Value::default());
        match self.relation {
            Relation::AtMost => order != Ordering::Greater,
            Relation::Below => order == Ordering::Less,
            Relation::Equal => order == Ordering::Equal,
        }
    }
}

/// A sum of inequalities, each with a factor that keeps its direction: what a part of a certificate says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeightedSum {
    pub terms: Vec<(Column, Rational)>,
    pub constant: Rational,
    pub is_strict: bool,
}

impl Default for WeightedSum {
    fn default() -> WeightedSum {
        WeightedSum { terms: Vec::new(), constant: Rational::ZERO, is_strict: false }
    }
}

impl WeightedSum {
    pub fn add(&mut self, factor: &Rational, inequality: &Inequality) {
        self.terms = crate::simplex::sum(&self.terms, factor, &inequality.terms);
        self.constant = self.constant.plus_product(factor, &inequality.constant);
        self.is_strict |= inequality.relation == Relation::Below && !factor.is_zero();
    }

    /// Whether it says `0 <= 0`, or less.
    pub fn is_trivial(&self) -> bool {
        self.terms.is_empty() && (self.constant.is_negative() || self.constant.is_zero() && !self.is_strict)
    }

    /// As a formula over symbols; tightened if all of them are integers.
    pub fn formula(
        &self,
        symbol: &dyn Fn(Column) -> Symbol,
        is_integer: &dyn Fn(Column) -> bool,
    ) -> Result<Formula, Overflow> {
        let factor = Rational::common_denominator(self.terms.iter().map(|(_, factor)| factor));
        let mut divisor = 0;
        let mut integers = Vec::with_capacity(self.terms.len());
        for (column, value) in &self.terms {
            let value = value.times(&factor).to_integer().ok_or(Overflow)?;
            divisor = gcd(divisor, value.unsigned_abs());
            integers.push((*column, value));
        }
        let divisor = i128::try_from(divisor.max(1)).map_err(|_| Overflow)?;
        let mut constant = self.constant.times(&factor).divided_by(&Rational::integer(divisor));
        let mut relation = if self.is_strict { Relation::Below } else { Relation::AtMost };
        if self.terms.iter().all(|(column, _)| is_integer(*column)) {
            constant = if self.is_strict { constant.floor().plus(&Rational::ONE) } else { constant.ceiling() };
            relation = Relation::AtMost;
        }
        let (numerator, denominator) = constant.parts().ok_or(Overflow)?;
        let mut sum = Linear::constant(numerator);
        for (column, value) in integers {
            let value = (value / divisor).checked_mul(denominator).ok_or(Overflow)?;
            sum = sum.plus(value, &Linear::symbol(symbol(column)))?;
        }
        Ok(Formula::atom(sum, relation))
    }
}
