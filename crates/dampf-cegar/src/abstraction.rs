//! What the abstraction speaks of: predicates of locations, and facts.
//!
//! Predicates are numbered by location in the order in which they were found, and are never taken back, so that sets of
//! them keep their meaning when refinement adds more. Facts are invariants that are known to hold wherever a location
//! is reached; they are part of every abstract state without being counted as predicates.

use crate::bits::Bits;
use crate::formula::Formula;
use crate::system::{LocationId, System};
use std::collections::BTreeMap;

/// Whether predicates belong to the location where they were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scope {
    #[default]
    Local,
    /// To all locations with the same variables, as in the paper.
    Global,
}

#[derive(Clone, Debug)]
pub struct Abstraction {
    scope: Scope,
    /// By location, its variables' sorts and names: locations that are alike share global predicates.
    kinds: Vec<u32>,
    predicates: Vec<Vec<Formula>>,
    numbers: Vec<BTreeMap<Formula, u32>>,
    facts: Vec<Formula>,
    without: Vec<bool>,
}

impl Abstraction {
    pub fn new(system: &System, scope: Scope) -> Abstraction {
        let mut kinds = Vec::with_capacity(system.locations.len());
        let mut known = Vec::new();
        for location in &system.locations {
            let kind = known.iter().position(|variables| *variables == &location.variables).unwrap_or_else(|| {
                known.push(&location.variables);
                known.len() - 1
            });
            kinds.push(kind as u32);
        }
        let count = system.locations.len();
        let mut without = vec![false; count];
        without[system.initial.0 as usize] = true;
        without[system.error.0 as usize] = true;
        Abstraction {
            scope,
            kinds,
            predicates: vec![Vec::new(); count],
            numbers: vec![BTreeMap::new(); count],
            facts: vec![Formula::True; count],
            without,
        }
    }

    /// Adds a predicate, or the conjuncts of one; says whether any of it is new.
    pub fn add(&mut self, location: LocationId, formula: &Formula) -> bool {
        match formula {
            Formula::True | Formula::False => false,
            Formula::And(parts) => parts.iter().fold(false, |is_new, part| self.add(location, part) | is_new),
            _ => match self.scope {
                Scope::Local => self.add_one(location.0 as usize, formula),
                Scope::Global => {
                    let kind = self.kinds[location.0 as usize];
                    let alike: Vec<usize> = (0..self.kinds.len()).filter(|&at| self.kinds[at] == kind).collect();
                    alike.into_iter().fold(false, |is_new, at| self.add_one(at, formula) | is_new)
                }
            },
        }
    }

    fn add_one(&mut self, location: usize, formula: &Formula) -> bool {
        if self.without[location] || self.numbers[location].contains_key(formula) {
            return false;
        }
        self.numbers[location].insert(formula.clone(), self.predicates[location].len() as u32);
        self.predicates[location].push(formula.clone());
        true
    }

    pub fn predicates(&self, location: LocationId) -> &[Formula] {
        &self.predicates[location.0 as usize]
    }

    pub fn count(&self) -> usize {
        self.predicates.iter().map(Vec::len).sum()
    }

    pub fn facts(&self) -> &[Formula] {
        &self.facts
    }

    pub fn fact(&self, location: LocationId) -> &Formula {
        &self.facts[location.0 as usize]
    }

    pub fn set_facts(&mut self, facts: Vec<Formula>) {
        self.facts = facts;
    }

    /// What an abstract state says of its location's variables.
    pub fn meaning(&self, location: LocationId, holding: &Bits) -> Formula {
        let predicates = self.predicates(location);
        let holding = holding.iter().map(|index| predicates[index as usize].clone());
        Formula::and([self.fact(location).clone()].into_iter().chain(holding))
    }
}
