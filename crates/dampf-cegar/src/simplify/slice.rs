//! Variables that nobody reads: backwards slicing.
//!
//! A variable is read at a location if the relation of a leaving transition says something about its value before, once
//! what is not read of the values after is quantified away. Then for any value of what is not read there are values
//! after, so a run without these variables is one with them. The bounds that a relation says of a Boolean before are no
//! reading: every relation that enters the location says them too.

use super::Simplified;
use super::eliminate::{Sorts, eliminated, visit};
use super::lift::Step;
use crate::formula::Formula;
use crate::linear::{Relation, Symbol};
use crate::system::{Sort, System, Transition};

impl Simplified {
    pub(super) fn slice(&mut self) {
        let read = read_variables(&self.system);
        if read.iter().zip(&self.system.locations).all(|(read, location)| read.len() == location.variables.len()) {
            return;
        }
        let mut transitions = self.take_transitions();
        for (_, transition) in &mut transitions {
            let (before, after) = (&read[transition.from.0 as usize], &read[transition.to.0 as usize]);
            (transition.relation, transition.auxiliaries) = projected(&self.system, transition, before, after);
        }
        for (read, location) in read.iter().zip(&mut self.system.locations) {
            location.variables = read.iter().map(|&index| location.variables[index as usize].clone()).collect();
        }
        self.set_transitions(transitions);
        self.steps.push(Step::Sliced { kept: read });
    }
}

/// For each location the variables that are read there, sorted.
fn read_variables(system: &System) -> Vec<Vec<u32>> {
    let mut read: Vec<Vec<u32>> = vec![Vec::new(); system.locations.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for transition in system.transitions.iter().rev() {
            let from = transition.from.0 as usize;
            let all: Vec<u32> = (0..system.locations[from].variables.len() as u32).collect();
            if read[from].len() == all.len() {
                continue;
            }
            let (relation, _) = projected(system, transition, &all, &read[transition.to.0 as usize]);
            let before = &system.locations[from].variables;
            let is_bound = |part: &Formula| match part {
                Formula::Atom(constraint) if constraint.relation() == Relation::AtMost => {
                    match (constraint.sum().terms(), constraint.sum().constant_part()) {
                        ([(Symbol::Before(index), -1)], 0) | ([(Symbol::Before(index), 1)], -1) => {
                            before[*index as usize].sort == Sort::Boolean
                        }
                        _ => false,
                    }
                }
                _ => false,
            };
            let parts = match &relation {
                Formula::And(parts) => parts.as_slice(),
                other => std::slice::from_ref(other),
            };
            for part in parts.iter().filter(|part| !is_bound(part)) {
                visit(part, &mut |symbol| {
                    if let Symbol::Before(index) = symbol
                        && let Err(at) = read[from].binary_search(&index)
                    {
                        read[from].insert(at, index);
                        changed = true;
                    }
                });
            }
        }
    }
    read
}

/// The relation over some of the variables: the others are quantified away as far as possible.
pub fn projected(system: &System, transition: &Transition, before: &[u32], after: &[u32]) -> (Formula, Vec<Sort>) {
    let old = Sorts::of(system, transition);
    let mut auxiliaries = transition.auxiliaries.clone();
    let mut quantified = std::collections::HashMap::new();
    let mut rename = |symbol: Symbol| {
        let kept = match symbol {
            Symbol::Before(index) => before.binary_search(&index).ok().map(|at| Symbol::Before(at as u32)),
            Symbol::After(index) => after.binary_search(&index).ok().map(|at| Symbol::After(at as u32)),
            Symbol::Auxiliary(_) => Some(symbol),
        };
        kept.unwrap_or_else(|| {
            *quantified.entry(symbol).or_insert_with(|| {
                auxiliaries.push(old.sort(symbol));
                Symbol::Auxiliary(auxiliaries.len() as u32 - 1)
            })
        })
    };
    let relation = transition.relation.renamed(&mut rename);
    let pick = |variables: &[crate::system::Variable], kept: &[u32]| -> Vec<_> {
        kept.iter().map(|&index| variables[index as usize].clone()).collect()
    };
    let (before, after) = (pick(old.before, before), pick(old.after, after));
    eliminated(&relation, Sorts { before: &before, after: &after, auxiliaries: &auxiliaries })
}
