//! The way back: invariants of the simplified system as invariants of the original.
//!
//! Every pass leaves a step that knows how to undo it. Undoing keeps the invariant of this crate's proofs: what holds
//! initially, is kept by every transition, and excludes the error location, still is so one step earlier.

use super::eliminate::{Sorts, auxiliaries_of, eliminated};
use crate::formula::Formula;
use crate::linear::{Linear, Relation, Symbol};
use crate::system::{LocationId, System, Transition, Variable};

/// An invariant with more symbols than this helps nobody.
const SYMBOLS_MAX: usize = 20_000;

/// A transition with the variables at its ends, as they were at the time.
pub struct Framed {
    transition: Transition,
    before: Vec<Variable>,
    after: Vec<Variable>,
}

impl Framed {
    pub fn new(system: &System, transition: Transition) -> Framed {
        let variables = |id: LocationId| system.location(id).variables.clone();
        Framed { before: variables(transition.from), after: variables(transition.to), transition }
    }
}

pub enum Step {
    /// For each location whether runs reach it, and whether it leads to the error.
    Pruned { forwards: Vec<bool>, backwards: Vec<bool> },
    /// For each location the variables that were kept.
    Sliced { kept: Vec<Vec<u32>> },
    /// A location became one per value of one of its variables.
    Split { location: LocationId, variable: u32, values: Vec<(i128, LocationId)> },
    /// A location was composed away.
    Inlined { location: LocationId, entering: Vec<Framed>, leaving: Vec<Framed> },
    /// The new number of each location that was kept.
    Compacted { kept: Vec<Option<LocationId>> },
}

impl Step {
    /// Invariants before the step from invariants behind it.
    pub fn undone(&self, mut invariants: Vec<Formula>) -> Option<Vec<Formula>> {
        match self {
            Step::Pruned { forwards, backwards } => {
                for (at, invariant) in invariants.iter_mut().enumerate() {
                    if !forwards[at] {
                        *invariant = Formula::False;
                    } else if !backwards[at] {
                        // From here only such locations are reached: `true` is kept.
                        *invariant = Formula::True;
                    }
                }
            }
            Step::Sliced { kept } => {
                for (invariant, kept) in invariants.iter_mut().zip(kept) {
                    *invariant = invariant.renamed(&mut |symbol| match symbol {
                        Symbol::Before(index) => Symbol::Before(kept[index as usize]),
                        other => other,
                    });
                }
            }
            Step::Split { location, variable, values } => {
                let mut cases = Vec::new();
                for &(value, id) in values {
                    let sum = Linear::symbol(Symbol::Before(*variable)).plus(-1, &Linear::constant(value)).ok()?;
                    let inner = invariants[id.0 as usize].renamed(&mut |symbol| match symbol {
                        Symbol::Before(index) if index >= *variable => Symbol::Before(index + 1),
                        other => other,
                    });
                    cases.push(Formula::and([Formula::atom(sum, Relation::Equal), inner]));
                }
                invariants.truncate(invariants.len() - values.len());
                invariants[location.0 as usize] = Formula::or(cases);
            }
            Step::Inlined { location, entering, leaving } => {
                let needed = weakest(leaving, &invariants).or_else(|| strongest(entering, &invariants))?;
                invariants[location.0 as usize] = needed;
            }
            Step::Compacted { kept } => {
                // Locations without transitions: pruning or composing decides what holds there.
                let old = |id: &Option<LocationId>| id.map_or(Formula::False, |id| invariants[id.0 as usize].clone());
                invariants = kept.iter().map(old).collect();
            }
        }
        Some(invariants)
    }
}

/// What must hold for every leaving transition to keep the invariants.
fn weakest(leaving: &[Framed], invariants: &[Formula]) -> Option<Formula> {
    let mut parts = Vec::new();
    for Framed { transition, before, after } in leaving {
        let broken = invariants[transition.to.0 as usize].negated().ok()?.renamed(&mut |symbol| match symbol {
            Symbol::Before(index) => Symbol::After(index),
            other => other,
        });
        let bad = quantified(&Formula::and([transition.relation.clone(), broken]), transition, before, after, true)?;
        parts.push(bad.negated().ok()?);
    }
    small(Formula::and(parts))
}

/// What entering transitions may bring about.
fn strongest(entering: &[Framed], invariants: &[Formula]) -> Option<Formula> {
    let mut parts = Vec::new();
    for Framed { transition, before, after } in entering {
        let start = invariants[transition.from.0 as usize].clone();
        let reached =
            quantified(&Formula::and([start, transition.relation.clone()]), transition, before, after, false)?;
        parts.push(reached.renamed(&mut |symbol| match symbol {
            Symbol::After(index) => Symbol::Before(index),
            other => other,
        }));
    }
    small(Formula::or(parts))
}

/// The formula over the values at one end of a transition alone, if all others can be eliminated.
fn quantified(
    formula: &Formula,
    transition: &Transition,
    before: &[Variable],
    after: &[Variable],
    keep_before: bool,
) -> Option<Formula> {
    let count = transition.auxiliaries.len() as u32;
    let mut sorts = transition.auxiliaries.clone();
    sorts.extend(if keep_before { after } else { before }.iter().map(|variable| variable.sort));
    let renamed = formula.renamed(&mut |symbol| match symbol {
        Symbol::Before(index) if !keep_before => Symbol::Auxiliary(count + index),
        Symbol::After(index) if keep_before => Symbol::Auxiliary(count + index),
        other => other,
    });
    let (formula, _) = eliminated(&renamed, Sorts { before, after, auxiliaries: &sorts });
    auxiliaries_of(&formula).is_empty().then_some(formula)
}

fn small(formula: Formula) -> Option<Formula> {
    let mut symbols = 0;
    super::eliminate::visit(&formula, &mut |_| symbols += 1);
    (symbols <= SYMBOLS_MAX).then_some(formula)
}
