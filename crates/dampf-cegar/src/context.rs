//! Simplification of formulas in context: what stands beside a part decides some of what is inside it.
//!
//! In a conjunction, a part may assume its siblings; in a disjunction, it may assume that they are false. Constraints
//! that differ in their constant alone, or are each other's converse, then decide each other. Interpolants of proofs
//! are full of such repetitions.

use crate::formula::Formula;
use crate::linear::{Constraint, Relation, Symbol};

/// Whether a symbol is an integer.
pub type Integrality<'i> = &'i dyn Fn(Symbol) -> bool;

/// `terms + constant` is at most zero, or below it.
#[derive(Clone)]
struct Known {
    terms: Vec<(Symbol, i128)>,
    constant: i128,
    is_strict: bool,
}

impl Known {
    /// Strict constraints of integers are made weak ones, so that they compare.
    fn new(terms: Vec<(Symbol, i128)>, constant: i128, is_strict: bool, is_integer: Integrality<'_>) -> Known {
        let is_integral = terms.iter().all(|&(symbol, _)| is_integer(symbol));
        match constant.checked_add(1) {
            Some(constant) if is_strict && is_integral => Known { terms, constant, is_strict: false },
            _ => Known { terms, constant, is_strict },
        }
    }

    fn of(constraint: &Constraint, is_integer: Integrality<'_>) -> Option<Known> {
        let is_strict = match constraint.relation() {
            Relation::AtMost => false,
            Relation::Below => true,
            Relation::Equal => return None,
        };
        let sum = constraint.sum();
        Some(Known::new(sum.terms().to_vec(), sum.constant_part(), is_strict, is_integer))
    }

    fn negated(&self, is_integer: Integrality<'_>) -> Option<Known> {
        let terms = self.terms.iter().map(|&(symbol, factor)| Some((symbol, factor.checked_neg()?)));
        Some(Known::new(terms.collect::<Option<_>>()?, self.constant.checked_neg()?, !self.is_strict, is_integer))
    }

    fn implies(&self, other: &Known) -> bool {
        self.terms == other.terms
            && (self.constant > other.constant
                || self.constant == other.constant && (self.is_strict || !other.is_strict))
    }
}

/// An equivalent formula that is not larger.
pub fn simplified(formula: &Formula, is_integer: Integrality<'_>) -> Formula {
    within(formula, &mut Vec::new(), is_integer)
}

fn within(formula: &Formula, known: &mut Vec<Known>, is_integer: Integrality<'_>) -> Formula {
    match formula {
        Formula::True | Formula::False => formula.clone(),
        Formula::Atom(constraint) => match Known::of(constraint, is_integer) {
            None => formula.clone(),
            Some(atom) => {
                let negated = atom.negated(is_integer);
                if known.iter().any(|fact| fact.implies(&atom)) {
                    Formula::True
                } else if negated.is_some_and(|negated| known.iter().any(|fact| fact.implies(&negated))) {
                    Formula::False
                } else {
                    formula.clone()
                }
            }
        },
        Formula::And(parts) => Formula::and(parts_within(parts, true, known, is_integer)),
        Formula::Or(parts) => Formula::or(parts_within(parts, false, known, is_integer)),
    }
}

fn parts_within(
    parts: &[Formula],
    is_conjunction: bool,
    known: &mut Vec<Known>,
    is_integer: Integrality<'_>,
) -> Vec<Formula> {
    let before = known.len();
    let (decided, neutral) = match is_conjunction {
        true => (Formula::False, Formula::True),
        false => (Formula::True, Formula::False),
    };
    let mut simpler = Vec::with_capacity(parts.len());
    let is_atom = |part: &&Formula| matches!(part, Formula::Atom(_));
    let atoms = parts.iter().filter(is_atom);
    let others = parts.iter().filter(|part| !is_atom(part));
    for part in atoms.chain(others) {
        let part = within(part, known, is_integer);
        if part == neutral || simpler.contains(&part) {
            continue;
        }
        if part == decided {
            simpler = vec![part];
            break;
        }
        if let Formula::Atom(constraint) = &part
            && let Some(atom) = Known::of(constraint, is_integer)
        {
            let assumed = if is_conjunction { Some(atom) } else { atom.negated(is_integer) };
            known.extend(assumed);
        }
        simpler.push(part);
    }
    known.truncate(before);
    simpler
}

/// How many constraints a formula has.
pub fn size(formula: &Formula) -> usize {
    match formula {
        Formula::True | Formula::False => 0,
        Formula::Atom(_) => 1,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().map(size).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Linear;

    #[test]
    fn siblings_decide() {
        let at_most = |bound: i128| {
            Formula::atom(
                Linear::symbol(Symbol::Before(0)).plus(-bound, &Linear::constant(1)).unwrap(),
                Relation::AtMost,
            )
        };
        let at_least = |bound: i128| at_most(bound - 1).negated().unwrap();
        let other = Formula::atom(Linear::symbol(Symbol::Before(1)), Relation::AtMost);
        let is_integer: Integrality<'_> = &|_| true;
        // x <= 3 and (x >= 4 or y <= 0 or x <= 2 and x <= 5) is x <= 3 and (y <= 0 or x <= 2).
        let inner = Formula::or([at_least(4), other.clone(), Formula::And(vec![at_most(2), at_most(5)])]);
        let formula = simplified(&Formula::and([at_most(3), inner]), is_integer);
        assert_eq!(formula, Formula::and([at_most(3), Formula::or([other.clone(), at_most(2)])]));
        // x <= 0 or x >= 1 is true.
        assert_eq!(simplified(&Formula::or([at_most(0), at_least(1), other]), is_integer), Formula::True);
    }
}
