//! Predicates for loops that refinement keeps unrolling.
//!
//! When a counterexample comes by a location again and again, interpolants tend to count the rounds. What does not
//! change from round to round is what the loop preserves: forms whose largest value is the same on the last visits.
//! They become predicates, with that value as their constant. Nothing has to be true of them: abstraction finds out.
//!
//! The path before the last visit has a run (or the refutation is elsewhere and there is nothing to do here); where
//! steps have disjunctions, the cases of that run are taken.

use crate::abstraction::Abstraction;
use crate::inequality::{Condition, Inequality};
use crate::inference::{Form, at_most, forms_of};
use crate::linear::Relation;
use crate::path::{PathAnswer, PathFormula};
use crate::patience::Patience;
use crate::rational::Rational;
use crate::simplex::{Column, Simplex, Value};
use crate::system::{LocationId, System, TransitionId};
use std::collections::BTreeMap;

/// So many last visits are compared.
const VISITS: usize = 3;

/// Forms of a location that are tried, and predicates that it gets at once.
const FORMS_MAX: usize = 300;
const PREDICATES_MAX: usize = 40;

/// Conflicts in search of a run.
const CONFLICTS_MAX: u32 = 2_000;

/// The largest number of visits of one location on a path.
pub fn visits(system: &System, transitions: &[TransitionId]) -> usize {
    positions(system, transitions).values().map(Vec::len).max().unwrap_or(0)
}

fn positions(system: &System, transitions: &[TransitionId]) -> BTreeMap<LocationId, Vec<usize>> {
    let mut positions: BTreeMap<LocationId, Vec<usize>> = BTreeMap::new();
    for (step, &id) in transitions.iter().enumerate() {
        positions.entry(system.transition(id).to).or_default().push(step + 1);
    }
    positions
}

/// Adds what the loops of a path preserve; says whether any of it is new.
pub fn generalise(
    system: &System,
    abstraction: &mut Abstraction,
    transitions: &[TransitionId],
    patience: Patience<'_>,
) -> bool {
    let mut is_new = false;
    for (location, positions) in positions(system, transitions) {
        let Some(last) = positions.len().checked_sub(VISITS) else { continue };
        let positions = &positions[last..];
        let Some(end) = positions.last() else { continue };
        let path = PathFormula::new(system, &transitions[..*end], abstraction.facts());
        let PathAnswer::Run(run) = path.decide_within(CONFLICTS_MAX, patience) else { continue };
        let model: Vec<Rational> = path.columns_of(&run);
        let forms = forms_of(system, abstraction, location, FORMS_MAX);
        let mut stable: Vec<Option<Value>> = Vec::new();
        for (visit, &position) in positions.iter().enumerate() {
            let suprema = suprema(&path, &model, position, &forms);
            match visit {
                0 => stable = suprema,
                _ => stable.iter_mut().zip(suprema).for_each(|(value, other)| {
                    if *value != other {
                        *value = None;
                    }
                }),
            }
        }
        let mut added = 0;
        for (form, value) in forms.iter().zip(stable) {
            let Some(predicate) = value.and_then(|value| at_most(form, &value.real)) else { continue };
            if added < PREDICATES_MAX && abstraction.add(location, &predicate) {
                added += 1;
                is_new = true;
            }
        }
    }
    is_new
}

/// The suprema of forms at a position, given the steps before it and the cases that a model takes.
fn suprema(path: &PathFormula<'_>, model: &[Rational], position: usize, forms: &[Form]) -> Vec<Option<Value>> {
    let mut simplex = Simplex::default();
    for _ in &path.integers {
        simplex.add_variable();
    }
    for conjuncts in &path.conjuncts[..position] {
        for conjunct in conjuncts {
            assert_case(&mut simplex, conjunct, model);
        }
    }
    if simplex.check().is_err() {
        return vec![None; forms.len()];
    }
    let first = path.first_column(position);
    let supremum = |form: &Form| {
        let scale = Rational::integer(form.first()?.1);
        let scale = if scale.is_negative() { scale.negated() } else { scale };
        let terms: Vec<(Column, Rational)> = form
            .iter()
            .map(|&(variable, factor)| (first + variable, Rational::integer(factor).divided_by(&scale)))
            .collect();
        let column = simplex.form(&terms);
        let value = simplex.maximise(column)?;
        Some(Value { real: value.real.times(&scale), infinitesimal: value.infinitesimal })
    };
    forms.iter().map(supremum).collect()
}

/// Asserts the inequalities of the cases that a model satisfies.
fn assert_case(simplex: &mut Simplex, condition: &Condition, model: &[Rational]) {
    match condition {
        Condition::All(parts) => parts.iter().for_each(|part| assert_case(simplex, part, model)),
        Condition::Any(parts) => {
            if let Some(part) = parts.iter().find(|part| part.holds_for(model)) {
                assert_case(simplex, part, model);
            }
        }
        Condition::Atom(inequality) => assert_inequality(simplex, inequality),
    }
}

fn assert_inequality(simplex: &mut Simplex, inequality: &Inequality) {
    if inequality.terms.is_empty() {
        return;
    }
    let column = simplex.form(&inequality.terms);
    let strict = inequality.relation == Relation::Below;
    let infinitesimal = if strict { Rational::integer(-1) } else { Rational::ZERO };
    let value = Value { real: inequality.constant.negated(), infinitesimal };
    // A model satisfies them all, so that there is no conflict to tell of.
    let _ = simplex.assert_upper(column, value.clone(), 0);
    if inequality.relation == Relation::Equal {
        let _ = simplex.assert_lower(column, value, 0);
    }
}
