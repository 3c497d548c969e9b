//! Formulas of linear arithmetic, without quantifiers and in negation normal form.
//!
//! There is no negation: that of a constraint is a constraint, but for an equation, whose negation is a disjunction.
//! Booleans of the input are integers between 0 and 1; remainders and quotients by constants are auxiliaries.

use crate::linear::{Constraint, Linear, Overflow, Relation, Symbol};
use crate::rational::Rational;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formula {
    True,
    False,
    Atom(Constraint),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

impl Formula {
    pub fn atom(sum: Linear, relation: Relation) -> Formula {
        let constraint = Constraint::new(sum, relation);
        match constraint.truth() {
            Some(true) => Formula::True,
            Some(false) => Formula::False,
            None => Formula::Atom(constraint),
        }
    }

    /// A conjunction, flattened; what is trivial is left out.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut conjuncts = Vec::new();
        for part in parts {
            match part {
                Formula::True => {}
                Formula::False => return Formula::False,
                Formula::And(inner) => conjuncts.extend(inner),
                other => conjuncts.push(other),
            }
        }
        match conjuncts.len() {
            0 => Formula::True,
            1 => conjuncts.remove(0),
            _ => Formula::And(conjuncts),
        }
    }

    /// A disjunction, flattened; what is trivial is left out.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut disjuncts = Vec::new();
        for part in parts {
            match part {
                Formula::False => {}
                Formula::True => return Formula::True,
                Formula::Or(inner) => disjuncts.extend(inner),
                other => disjuncts.push(other),
            }
        }
        match disjuncts.len() {
            0 => Formula::False,
            1 => disjuncts.remove(0),
            _ => Formula::Or(disjuncts),
        }
    }

    pub fn negated(&self) -> Result<Formula, Overflow> {
        Ok(match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::And(parts) => Formula::or(negated_parts(parts)?),
            Formula::Or(parts) => Formula::and(negated_parts(parts)?),
            Formula::Atom(constraint) => {
                let (sum, opposite) = (constraint.sum(), constraint.sum().times(-1)?);
                match constraint.relation() {
                    Relation::AtMost => Formula::atom(opposite, Relation::Below),
                    Relation::Below => Formula::atom(opposite, Relation::AtMost),
                    Relation::Equal => Formula::or([
                        Formula::atom(sum.clone(), Relation::Below),
                        Formula::atom(opposite, Relation::Below),
                    ]),
                }
            }
        })
    }

    /// Whether it is true of these values.
    pub fn holds(&self, value: &dyn Fn(Symbol) -> Rational) -> bool {
        match self {
            Formula::True => true,
            Formula::False => false,
            Formula::And(parts) => parts.iter().all(|part| part.holds(value)),
            Formula::Or(parts) => parts.iter().any(|part| part.holds(value)),
            Formula::Atom(constraint) => {
                let sum = constraint.sum();
                let mut total = Rational::integer(sum.constant_part());
                for &(symbol, factor) in sum.terms() {
                    total = total.plus_product(&Rational::integer(factor), &value(symbol));
                }
                match constraint.relation() {
                    Relation::AtMost => !total.is_positive(),
                    Relation::Below => total.is_negative(),
                    Relation::Equal => total.is_zero(),
                }
            }
        }
    }

    /// The same formula over other symbols.
    pub fn renamed(&self, name: &mut impl FnMut(Symbol) -> Symbol) -> Formula {
        match self {
            Formula::True => Formula::True,
            Formula::False => Formula::False,
            Formula::Atom(constraint) => Formula::Atom(constraint.renamed(&mut *name)),
            Formula::And(parts) => Formula::And(parts.iter().map(|part| part.renamed(name)).collect()),
            Formula::Or(parts) => Formula::Or(parts.iter().map(|part| part.renamed(name)).collect()),
        }
    }
}

fn negated_parts(parts: &[Formula]) -> Result<Vec<Formula>, Overflow> {
    parts.iter().map(Formula::negated).collect()
}
