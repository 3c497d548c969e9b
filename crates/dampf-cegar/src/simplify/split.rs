//! Disjunctions in a relation become relations of their own, where these stay few.
//!
//! An abstraction that keeps conjunctions of predicates loses what a disjunction says; two transitions keep it. The
//! relation is the union of the parts: nothing is lost and nothing is added. It is all or nothing: a relation with some
//! of its disjunctions taken apart is several times the work, and none of its parts is simple.

use super::eliminate::{Sorts, eliminated};
use crate::formula::Formula;
use crate::system::Sort;

/// Transitions that one relation may become.
pub const PARTS_MAX: usize = 16;
/// Combinations that are looked at; most of them may contradict themselves.
const COMBINATIONS_MAX: usize = 64;

type Part = (Formula, Vec<Sort>);

/// The parts of a relation, each with its own auxiliaries; none if no step satisfies it.
pub fn split(relation: &Formula, sorts: Sorts<'_>, parts_max: usize) -> Vec<Part> {
    let (formula, auxiliaries) = eliminated(relation, sorts);
    let mut parts = Vec::new();
    let mut combinations = COMBINATIONS_MAX;
    let inner = Sorts { auxiliaries: &auxiliaries, ..sorts };
    match take_apart(&formula, inner, &mut combinations, parts_max, &mut parts) {
        Some(()) => parts,
        None => vec![(formula, auxiliaries)],
    }
}

/// `None` if there are too many parts.
fn take_apart(
    formula: &Formula,
    sorts: Sorts<'_>,
    combinations: &mut usize,
    parts_max: usize,
    parts: &mut Vec<Part>,
) -> Option<()> {
    *combinations = combinations.checked_sub(1)?;
    let (formula, auxiliaries) = eliminated(formula, sorts);
    if formula == Formula::False {
        return Some(());
    }
    let Some((others, disjuncts)) = smallest_disjunction(&formula) else {
        parts.push((formula, auxiliaries));
        return (parts.len() <= parts_max).then_some(());
    };
    let inner = Sorts { auxiliaries: &auxiliaries, ..sorts };
    for part in disjuncts {
        let whole = Formula::and(others.iter().cloned().chain([part]));
        take_apart(&whole, inner, combinations, parts_max, parts)?;
    }
    Some(())
}

/// The disjunction with the fewest parts, and what stands beside it.
fn smallest_disjunction(formula: &Formula) -> Option<(Vec<Formula>, Vec<Formula>)> {
    let conjuncts = match formula {
        Formula::And(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let width = |at: usize| match &conjuncts[at] {
        Formula::Or(parts) => parts.len(),
        _ => usize::MAX,
    };
    let at = (0..conjuncts.len()).min_by_key(|&at| width(at))?;
    let Formula::Or(disjuncts) = &conjuncts[at] else { return None };
    let others = conjuncts.iter().enumerate().filter(|(index, _)| *index != at).map(|(_, part)| part.clone()).collect();
    Some((others, disjuncts.clone()))
}
