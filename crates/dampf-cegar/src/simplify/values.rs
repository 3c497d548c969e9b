//! Variables that have few values, all of them known, become locations: a program counter is recovered.
//!
//! Tools that print one predicate for a whole program have its program counter among the arguments. A location for each
//! of its values makes every relation smaller and an abstraction need no predicates about it. The values of a variable
//! are what entering relations say: a constant, or the value of a variable before whose values are known. Variables
//! with one value go; of those with several only such are split that are compared with constants and copied, as control
//! is.

use super::Simplified;
use super::eliminate::{Definition, Sorts};
use super::lift::Step;
use crate::formula::Formula;
use crate::linear::{Linear, Overflow, Relation, Symbol};
use crate::system::{Location, LocationId, Sort, System, Transition};
use std::collections::BTreeSet;

/// Values of one variable that may become locations.
const VALUES_MAX: usize = 40;
const LOCATIONS_MAX: usize = 100;
const TRANSITIONS_MAX: usize = 300;

/// The values of a variable; `None` if they are not known.
type Values = Option<BTreeSet<i128>>;

impl Simplified {
    pub(super) fn split_by_values(&mut self) {
        while let Some((location, variable, values)) = self.control_variable() {
            let done = self.split_location(location, variable, &values);
            if !done {
                break;
            }
        }
    }

    /// The next variable to split by: constants first.
    fn control_variable(&self) -> Option<(LocationId, u32, Vec<i128>)> {
        let known = known_values(&self.system);
        let mut best: Option<(usize, LocationId, u32)> = None;
        for (at, variables) in known.iter().enumerate() {
            let location = LocationId(at as u32);
            for (index, values) in variables.iter().enumerate() {
                let Some(values) = values else { continue };
                let splits = values.len() > 1;
                let sort = self.system.locations[at].variables[index].sort;
                // No value at all: no transition enters the location, which pruning removes.
                if values.is_empty()
                    || (splits && (sort == Sort::Boolean || !is_control(&self.system, location, index as u32)))
                {
                    continue;
                }
                let candidate = (values.len(), location, index as u32);
                if best.is_none_or(|best| candidate < best) {
                    best = Some(candidate);
                }
            }
        }
        let (_, location, variable) = best?;
        let values = known[location.0 as usize][variable as usize].iter().flatten().copied().collect();
        Some((location, variable, values))
    }

    /// One location per value, without the variable. `false` if that is too many.
    fn split_location(&mut self, location: LocationId, variable: u32, values: &[i128]) -> bool {
        let new_locations: Vec<LocationId> =
            (0..values.len() as u32).map(|at| LocationId(self.system.locations.len() as u32 + at)).collect();
        if values.len() > 1 && self.system.locations.len() + values.len() > LOCATIONS_MAX {
            return false;
        }
        let ends = |end: LocationId| -> Vec<Option<(i128, LocationId)>> {
            if end == location {
                values.iter().zip(&new_locations).map(|(&value, &id)| Some((value, id))).collect()
            } else {
                vec![None]
            }
        };
        let mut transitions = Vec::new();
        for (origins, transition) in self.origins.iter().zip(&self.system.transitions) {
            for from in ends(transition.from) {
                for to in ends(transition.to) {
                    let copy = with_values(&self.system, transition, variable, from, to);
                    if copy.relation != Formula::False {
                        transitions.push((origins.clone(), copy));
                    }
                }
            }
        }
        if values.len() > 1 && transitions.len() > TRANSITIONS_MAX.max(self.system.transitions.len()) {
            return false;
        }
        let old = self.system.location(location).clone();
        for &value in values {
            let mut variables = old.variables.clone();
            let removed = variables.remove(variable as usize);
            let name =
                if values.len() == 1 { old.name.clone() } else { format!("{}[{}={value}]", old.name, removed.name) };
            self.system.locations.push(Location { name, variables });
        }
        self.set_transitions(transitions);
        let values = values.iter().copied().zip(new_locations).collect();
        self.steps.push(Step::Split { location, variable, values });
        true
    }
}

/// The transition where the variable has the given values at its ends, between the locations of these values.
fn with_values(
    system: &System,
    transition: &Transition,
    variable: u32,
    from: Option<(i128, LocationId)>,
    to: Option<(i128, LocationId)>,
) -> Transition {
    let sorts = Sorts::of(system, transition);
    let mut relation = transition.relation.clone();
    for (end, symbol) in [(from, Symbol::Before(variable)), (to, Symbol::After(variable))] {
        if let Some((value, _)) = end {
            relation = match Definition::constant(symbol, value).applied(&relation, &sorts) {
                Ok(relation) => relation,
                // Numbers too large to compute with stay, and so does what the value is.
                Err(Overflow) => Formula::and([relation, is(symbol, value)]),
            };
        }
    }
    let all = |count: usize, gone: bool| -> Vec<u32> {
        (0..count as u32).filter(|&index| !(gone && index == variable)).collect()
    };
    let mut copy = Transition { relation, ..transition.clone() };
    let (before, after) = (all(sorts.before.len(), from.is_some()), all(sorts.after.len(), to.is_some()));
    (copy.relation, copy.auxiliaries) = super::slice::projected(system, &copy, &before, &after);
    copy.from = from.map_or(transition.from, |(_, id)| id);
    copy.to = to.map_or(transition.to, |(_, id)| id);
    copy
}

fn is(symbol: Symbol, value: i128) -> Formula {
    let sum = Linear::symbol(symbol).plus(-1, &Linear::constant(value));
    Formula::atom(sum.expect("a value is the negation of a number that fits"), Relation::Equal)
}

/// For each location and variable what values runs may give it.
fn known_values(system: &System) -> Vec<Vec<Values>> {
    let mut known: Vec<Vec<Values>> =
        system.locations.iter().map(|location| vec![Some(BTreeSet::new()); location.variables.len()]).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for transition in &system.transitions {
            for index in 0..known[transition.to.0 as usize].len() {
                if known[transition.to.0 as usize][index].is_none() {
                    continue;
                }
                let given = given(&transition.relation, index as u32, &known[transition.from.0 as usize]);
                let mine = &mut known[transition.to.0 as usize][index];
                let joined = match (&*mine, given) {
                    (Some(mine), Some(given)) => Some(mine.union(&given).copied().collect::<BTreeSet<i128>>())
                        .filter(|all| all.len() <= VALUES_MAX),
                    _ => None,
                };
                if joined != *mine {
                    *mine = joined;
                    changed = true;
                }
            }
        }
    }
    known
}

/// The values that a relation gives to a variable after.
fn given(relation: &Formula, index: u32, before: &[Values]) -> Values {
    match relation {
        Formula::False => Some(BTreeSet::new()),
        Formula::True => None,
        Formula::And(parts) => parts.iter().find_map(|part| given(part, index, before)),
        Formula::Or(parts) => parts.iter().try_fold(BTreeSet::new(), |mut all, part| {
            all.extend(given(part, index, before)?);
            Some(all)
        }),
        Formula::Atom(constraint) => {
            if constraint.relation() != Relation::Equal {
                return None;
            }
            let constant = constraint.sum().constant_part();
            match *constraint.sum().terms() {
                [(Symbol::After(after), 1)] if after == index => Some(BTreeSet::from([constant.checked_neg()?])),
                [(Symbol::Before(from), 1), (Symbol::After(after), -1)] if after == index && constant == 0 => {
                    before[from as usize].clone()
                }
                _ => None,
            }
        }
    }
}

/// Whether a variable is only compared with constants and copied, wherever it is read.
fn is_control(system: &System, location: LocationId, variable: u32) -> bool {
    let leaving = system.transitions.iter().filter(|transition| transition.from == location);
    leaving.clone().any(|transition| compares(&transition.relation, variable))
        && leaving.into_iter().all(|transition| is_only_compared(&transition.relation, variable))
}

fn compares(formula: &Formula, variable: u32) -> bool {
    match formula {
        Formula::True | Formula::False => false,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| compares(part, variable)),
        Formula::Atom(constraint) => {
            matches!(constraint.sum().terms(), [(Symbol::Before(index), _)] if *index == variable)
        }
    }
}

fn is_only_compared(formula: &Formula, variable: u32) -> bool {
    match formula {
        Formula::True | Formula::False => true,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(|part| is_only_compared(part, variable)),
        Formula::Atom(constraint) => match constraint.sum().terms() {
            [_] => true,
            [(Symbol::Before(_), _), (Symbol::After(_), _)] if constraint.relation() == Relation::Equal => true,
            terms => terms.iter().all(|&(symbol, _)| symbol != Symbol::Before(variable)),
        },
    }
}
