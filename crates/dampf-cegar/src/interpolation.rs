//! Interpolants along a refuted path.
//!
//! Between two steps stands a formula over the variables of the location there. It follows from the steps before, it
//! contradicts the steps after, and each one, with the next step, implies the next one. A certificate of Farkas gives
//! them as partial sums: what is local to the steps before cancels out in their sum, because it cancels out in the whole.
//! The cases of a split in a step are joined after it and met before it.
//!
//! Certificates are made small first: inequalities are dropped, one by one in a fixed order, as long as the rest is still
//! contradictory. Interpolants of small certificates speak of fewer variables, and more often hold on all iterations of
//! a loop.

use crate::decide::{Premise, Refutation};
use crate::formula::Formula;
use crate::inequality::WeightedSum;
use crate::linear::{Overflow, Symbol};
use crate::path::PathFormula;
use crate::rational::Rational;
use std::collections::BTreeMap;

/// Why there are no interpolants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoInterpolants {
    Overflow,
    /// The refutation uses divisibility, which no formula here can say.
    Divisibility,
}

impl From<Overflow> for NoInterpolants {
    fn from(_: Overflow) -> NoInterpolants {
        NoInterpolants::Overflow
    }
}

/// Which inequalities are dropped first when a certificate is made small.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preference {
    /// Those of the first steps: what is left is about the end of the path.
    Late,
    /// Those of the last steps: what is left is about its beginning.
    Early,
}

/// The interpolants of a path, for each position but the first and the last.
pub fn interpolants(
    path: &PathFormula<'_>,
    refutation: &Refutation,
    preference: Preference,
) -> Result<Vec<Formula>, NoInterpolants> {
    match refutation {
        Refutation::Divisibility(_) => Err(NoInterpolants::Divisibility),
        Refutation::Farkas(premises) => {
            let premises = minimised(path, premises, preference);
            partial_sums(path, &premises)
        }
        Refutation::Split { part, cases } => {
            let mut all = Vec::with_capacity(cases.len());
            for case in cases {
                all.push(interpolants(path, case, preference)?);
            }
            let join = |position: usize| {
                let parts = all.iter().map(|case| case[position - 1].clone());
                if position >= *part as usize { disjunction(parts) } else { conjunction(parts) }
            };
            Ok((1..path.steps()).map(join).collect())
        }
    }
}

fn conjunction(parts: impl Iterator<Item = Formula>) -> Formula {
    let mut parts: Vec<_> = parts.collect();
    parts.sort();
    parts.dedup();
    Formula::and(parts)
}

fn disjunction(parts: impl Iterator<Item = Formula>) -> Formula {
    let mut parts: Vec<_> = parts.collect();
    parts.sort();
    parts.dedup();
    Formula::or(parts)
}

/// Drops premises as long as the rest is contradictory.
fn minimised(
    path: &PathFormula<'_>,
    premises: &[(Premise, Rational)],
    preference: Preference,
) -> Vec<(Premise, Rational)> {
    let mut kept = premises.to_vec();
    kept.sort_by_key(|(premise, _)| premise.part);
    if preference == Preference::Early {
        kept.reverse();
    }
    if kept.len() > PREMISES_MINIMISED_MAX {
        return kept;
    }
    let mut at = 0;
    while at < kept.len() {
        let rest = kept.iter().enumerate().filter(|(index, _)| *index != at);
        let rest: Vec<_> = rest.map(|(_, (premise, _))| (premise.inequality.clone(), premise.part)).collect();
        match path.refute_subset(&rest) {
            Some(Refutation::Farkas(mut smaller)) => {
                smaller.sort_by_key(|(premise, _)| premise.part);
                if preference == Preference::Early {
                    smaller.reverse();
                }
                // Those before this place were all needed, and still are.
                kept = smaller;
            }
            _ => at += 1,
        }
    }
    kept
}

/// Larger certificates are taken as they are.
const PREMISES_MINIMISED_MAX: usize = 120;

fn partial_sums(path: &PathFormula<'_>, premises: &[(Premise, Rational)]) -> Result<Vec<Formula>, NoInterpolants> {
    let mut by_step: BTreeMap<u32, Vec<&(Premise, Rational)>> = BTreeMap::new();
    for premise in premises {
        by_step.entry(premise.0.part).or_default().push(premise);
    }
    let mut sum = WeightedSum::default();
    let mut formulas = Vec::with_capacity(path.steps().saturating_sub(1));
    for position in 1..path.steps() {
        for (premise, factor) in by_step.get(&(position as u32)).into_iter().flatten() {
            sum.add(factor, &premise.inequality);
        }
        let first = path.first_column(position);
        let symbol = |column| Symbol::Before(column - first);
        formulas.push(sum.formula(&symbol, &|column| path.integers[column as usize])?);
    }
    Ok(formulas)
}
