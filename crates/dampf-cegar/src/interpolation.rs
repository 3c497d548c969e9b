//! Interpolants along a refuted path.
//!
//! Between two steps stands a formula over the variables of the location there. It follows from the steps before, it
//! contradicts the steps after, and each one, with the next step, implies the next one. A certificate of Farkas gives
//! them as partial sums: what is local to the steps before cancels out in their sum, because it cancels out in the
//! whole. Resolution on a variable of a step joins the formulas behind that step and meets those before it.
//!
//! Certificates are made small first: inequalities are dropped, one by one in a fixed order, as long as the rest is
//! still contradictory. Interpolants of small certificates speak of fewer variables, and more often hold on all
//! iterations of a loop.

use crate::context::{simplified, size};
use crate::formula::Formula;
use crate::inequality::WeightedSum;
use crate::linear::{Overflow, Relation, Symbol};
use crate::path::PathFormula;
use crate::patience::Patience;
use crate::proof::{ClauseId, Derivation, Premise, Proof};
use crate::rational::Rational;
use std::collections::{BTreeMap, HashMap};

/// Why there are no interpolants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoInterpolants {
    Overflow,
    /// The refutation uses divisibility, which no formula here can say.
    Divisibility,
    /// They exceed a limit.
    Size,
    /// Patience is over.
    Late,
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
    proof: &Proof,
    preference: Preference,
    patience: Patience<'_>,
) -> Result<Vec<Formula>, NoInterpolants> {
    let used = proof.used();
    let is_lemma = |id: &&ClauseId| matches!(proof.derivations[**id as usize], Derivation::Farkas(_));
    let is_minimised = used.iter().filter(is_lemma).count() <= LEMMAS_MINIMISED_MAX;
    let mut partial: HashMap<ClauseId, Vec<Formula>> = HashMap::with_capacity(used.len());
    for id in used {
        let formulas = match &proof.derivations[id as usize] {
            Derivation::Divisibility => return Err(NoInterpolants::Divisibility),
            Derivation::Given(part) => {
                let given = |position: usize| if position >= *part as usize { Formula::False } else { Formula::True };
                (1..path.steps()).map(given).collect()
            }
            Derivation::Farkas(premises) if is_minimised => partial_sums(path, &minimised(path, premises, preference))?,
            Derivation::Farkas(premises) => partial_sums(path, premises)?,
            Derivation::Resolved { first, steps } => {
                let mut formulas = partial[first].clone();
                for (variable, clause) in steps {
                    if patience.is_over() {
                        return Err(NoInterpolants::Late);
                    }
                    let part = proof.parts[*variable as usize] as usize;
                    for (at, (formula, other)) in formulas.iter_mut().zip(&partial[clause]).enumerate() {
                        let parts = [std::mem::replace(formula, Formula::True), other.clone()];
                        *formula = if at + 1 >= part { joined(parts) } else { met(parts) };
                        if size(formula) > SIMPLIFIED_FROM {
                            let first = path.first_column(at + 1);
                            let is_integer = |symbol: Symbol| match symbol {
                                Symbol::Before(index) => path.integers[(first + index) as usize],
                                _ => false,
                            };
                            *formula = simplified(formula, &is_integer);
                            if size(formula) > SIZE_MAX {
                                return Err(NoInterpolants::Size);
                            }
                        }
                    }
                }
                formulas
            }
        };
        partial.insert(id, formulas);
    }
    Ok(partial.remove(&proof.root).expect("the last clause is the empty one"))
}

/// Formulas of so many constraints are simplified, and none may have more than that.
const SIMPLIFIED_FROM: usize = 3;
const SIZE_MAX: usize = 3_000;

/// Proofs with more certificates than this have them taken as they are.
const LEMMAS_MINIMISED_MAX: usize = 40;

/// A conjunction, without what another conjunct implies by its constant.
fn met(parts: [Formula; 2]) -> Formula {
    match Formula::and(parts) {
        Formula::And(parts) => Formula::and(strongest(parts, false)),
        other => other,
    }
}

/// A disjunction, without what implies another disjunct by its constant.
fn joined(parts: [Formula; 2]) -> Formula {
    match Formula::or(parts) {
        Formula::Or(parts) => Formula::or(strongest(parts, true)),
        other => other,
    }
}

/// Of constraints that differ in their constant, only the strongest, or the weakest.
fn strongest(mut parts: Vec<Formula>, weakest: bool) -> Vec<Formula> {
    parts.sort();
    parts.dedup();
    let mut kept: Vec<Formula> = Vec::with_capacity(parts.len());
    'parts: for part in parts {
        if let Formula::Atom(constraint) = &part
            && constraint.relation() == Relation::AtMost
        {
            for other in &mut kept {
                if let Formula::Atom(known) = other
                    && known.relation() == Relation::AtMost
                    && known.sum().terms() == constraint.sum().terms()
                {
                    let is_stronger = constraint.sum().constant_part() > known.sum().constant_part();
                    if is_stronger != weakest {
                        *other = part;
                    }
                    continue 'parts;
                }
            }
        }
        kept.push(part);
    }
    kept
}

/// Drops premises as long as the rest is contradictory.
fn minimised(
    path: &PathFormula<'_>,
    premises: &[(Premise, Rational)],
    preference: Preference,
) -> Vec<(Premise, Rational)> {
    let sort = |premises: &mut Vec<(Premise, Rational)>| {
        premises.sort_by_key(|(premise, _)| premise.part);
        if preference == Preference::Early {
            premises.reverse();
        }
    };
    let mut kept = premises.to_vec();
    sort(&mut kept);
    if kept.len() > PREMISES_MINIMISED_MAX {
        return kept;
    }
    let mut at = 0;
    while at < kept.len() {
        let rest = kept.iter().enumerate().filter(|(index, _)| *index != at);
        let rest: Vec<_> = rest.map(|(_, (premise, _))| premise.clone()).collect();
        match path.refute_subset(&rest) {
            Some(mut smaller) => {
                // Those before this place were all needed, and still are.
                sort(&mut smaller);
                kept = smaller;
            }
            None => at += 1,
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
