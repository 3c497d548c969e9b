//! Disjunctions at the top of a relation become relations of their own, where these stay few.
//!
//! An abstraction that keeps conjunctions of predicates loses what a disjunction says; two transitions keep it. The
//! relation is the union of the parts: nothing is lost and nothing is added.

use super::eliminate::{Sorts, eliminated};
use crate::formula::Formula;
use crate::system::Sort;

/// Transitions that one relation may become.
pub const PARTS_MAX: usize = 16;

/// The parts of a relation, each with its own auxiliaries; none if no step satisfies it.
pub fn split(relation: &Formula, sorts: Sorts<'_>, parts_max: usize) -> Vec<(Formula, Vec<Sort>)> {
    let (formula, auxiliaries) = eliminated(relation, sorts);
    if formula == Formula::False {
        return Vec::new();
    }
    let inner = Sorts { auxiliaries: &auxiliaries, ..sorts };
    match smallest_disjunction(&formula, parts_max) {
        None => vec![(formula, auxiliaries)],
        Some((others, disjuncts)) => {
            let share = parts_max / disjuncts.len();
            let with = |part: Formula| Formula::and(others.iter().cloned().chain([part]));
            disjuncts.into_iter().flat_map(|part| split(&with(part), inner, share)).collect()
        }
    }
}

/// A disjunction of at most this many parts, and what stands beside it.
fn smallest_disjunction(formula: &Formula, parts_max: usize) -> Option<(Vec<Formula>, Vec<Formula>)> {
    let conjuncts = match formula {
        Formula::And(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let width = |part: &Formula| match part {
        Formula::Or(parts) if parts.len() <= parts_max => Some(parts.len()),
        _ => None,
    };
    let at =
        (0..conjuncts.len()).filter(|&at| width(&conjuncts[at]).is_some()).min_by_key(|&at| width(&conjuncts[at]))?;
    let Formula::Or(disjuncts) = &conjuncts[at] else { return None };
    let others = conjuncts.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, part)| part.clone()).collect();
    Some((others, disjuncts.clone()))
}
