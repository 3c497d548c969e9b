//! The control-flow graph that statements are lowered to, and the system it becomes.
//!
//! While the graph grows, a variable has one number in the whole program. Every place knows the variables in scope
//! there, and only these are variables of its location: what goes out of scope is forgotten. A variable that comes into
//! scope without a value may have any value of its type.

use super::types::{Range, Type};
use crate::formula::Formula;
use crate::linear::{Linear, Overflow, Relation, Symbol};
use crate::simplify::eliminate::{Sorts, visit};
use crate::simplify::split::{PARTS_MAX, split};
use crate::system::{Location, LocationId, Origin, Sort, System, Transition, Variable};
use std::collections::{BTreeSet, HashMap};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place(u32);

pub const INITIAL: Place = Place(0);
pub const ERROR: Place = Place(1);

pub struct ProgramVariable {
    pub name: String,
    pub of: Type,
    /// What its value is known to be between.
    pub range: Range,
}

struct PlaceScope {
    name: String,
    scope: Vec<u32>,
}

/// A step between places. Formulas speak of variables as [`Symbol::Before`] with their number in the program.
pub struct Edge {
    pub from: Place,
    pub to: Place,
    pub guards: Vec<Formula>,
    pub assigned: Vec<(u32, Linear)>,
    /// Those that get any value of their range.
    pub inputs: Vec<u32>,
    pub auxiliaries: Vec<Sort>,
    pub origin: Origin,
}

pub struct Graph {
    pub variables: Vec<ProgramVariable>,
    places: Vec<PlaceScope>,
    pub edges: Vec<Edge>,
}

/// A program as a system, and the same system with what C says about signed integers.
pub struct Systems {
    pub system: System,
    /// Every value fits its type: the runs without overflow. It has the same transitions in the same order.
    pub within_ranges: System,
}

impl Graph {
    pub fn new() -> Self {
        let bare = |name: &str| PlaceScope { name: name.to_owned(), scope: Vec::new() };
        Graph { variables: Vec::new(), places: vec![bare("initial"), bare("error")], edges: Vec::new() }
    }

    pub fn place(&mut self, name: String, scope: &[u32]) -> Place {
        self.places.push(PlaceScope { name, scope: scope.to_vec() });
        Place(self.places.len() as u32 - 1)
    }

    /// A label's place is known before its scope is.
    pub fn set_scope(&mut self, place: Place, scope: &[u32]) {
        self.places[place.0 as usize].scope = scope.to_vec();
    }

    pub fn variable(&mut self, name: String, of: Type, range: Range) -> u32 {
        self.variables.push(ProgramVariable { name, of, range });
        self.variables.len() as u32 - 1
    }

    pub fn systems(&self) -> Result<Systems, Overflow> {
        let variable = |&id: &u32| {
            let variable = &self.variables[id as usize];
            let sort = if variable.of == Type::BOOLEAN { Sort::Boolean } else { Sort::Integer };
            Variable { name: variable.name.clone(), sort }
        };
        let locations: Vec<Location> = self
            .places
            .iter()
            .map(|place| Location { name: place.name.clone(), variables: place.scope.iter().map(variable).collect() })
            .collect();
        let mut system = System { locations, transitions: Vec::new(), initial: LocationId(0), error: LocationId(1) };
        for edge in &self.edges {
            self.add_transitions(edge, &mut system)?;
        }
        let mut within_ranges = system.clone();
        for transition in &mut within_ranges.transitions {
            let scope = &self.places[transition.to.0 as usize].scope;
            let mut parts = vec![transition.relation.clone()];
            for (index, &id) in scope.iter().enumerate() {
                parts.push(between(
                    &Linear::symbol(Symbol::After(index as u32)),
                    self.variables[id as usize].of.range(),
                )?);
            }
            transition.relation = Formula::and(parts);
        }
        Ok(Systems { system, within_ranges })
    }

    fn add_transitions(&self, edge: &Edge, system: &mut System) -> Result<(), Overflow> {
        let (from, to) = (&self.places[edge.from.0 as usize].scope, &self.places[edge.to.0 as usize].scope);
        let before: HashMap<u32, u32> = from.iter().zip(0..).map(|(&id, index)| (id, index)).collect();
        let mut auxiliaries = edge.auxiliaries.clone();
        let mut parts = edge.guards.clone();
        for (index, id) in to.iter().enumerate() {
            let after = Linear::symbol(Symbol::After(index as u32));
            if let Some((_, value)) = edge.assigned.iter().find(|(assigned, _)| assigned == id) {
                parts.push(Formula::atom(after.plus(-1, value)?, Relation::Equal));
            } else if before.contains_key(id) && !edge.inputs.contains(id) {
                parts.push(Formula::atom(after.plus(-1, &Linear::symbol(Symbol::Before(*id)))?, Relation::Equal));
            } else {
                parts.push(between(&after, self.variables[*id as usize].range)?);
            }
        }
        // What every assignment to a variable sees to is known wherever it is read. Of signed variables nothing is.
        let mut read = BTreeSet::new();
        for guard in &edge.guards {
            visit(guard, &mut |symbol| {
                read.insert(symbol);
            });
        }
        read.extend(edge.assigned.iter().flat_map(|(_, sum)| sum.terms()).map(|&(symbol, _)| symbol));
        for symbol in read {
            if let Symbol::Before(id) = symbol {
                let variable = &self.variables[id as usize];
                if !variable.of.is_signed || variable.range != variable.of.range() {
                    parts.push(between(&Linear::symbol(symbol), variable.range)?);
                }
            }
        }
        let mut strangers: HashMap<u32, u32> = HashMap::new();
        let relation = Formula::and(parts).renamed(&mut |symbol| match symbol {
            Symbol::Before(id) => match before.get(&id) {
                Some(&index) => Symbol::Before(index),
                // Read before it is in scope: any value will do.
                None => Symbol::Auxiliary(*strangers.entry(id).or_insert_with(|| {
                    auxiliaries.push(Sort::Integer);
                    auxiliaries.len() as u32 - 1
                })),
            },
            other => other,
        });
        let (from, to) = (LocationId(edge.from.0), LocationId(edge.to.0));
        let sorts = Sorts {
            before: &system.location(from).variables,
            after: &system.location(to).variables,
            auxiliaries: &auxiliaries,
        };
        for (relation, auxiliaries) in split(&relation, sorts, PARTS_MAX) {
            system.transitions.push(Transition { from, to, relation, auxiliaries, origin: edge.origin.clone() });
        }
        Ok(())
    }
}

pub fn between(value: &Linear, range: Range) -> Result<Formula, Overflow> {
    let low = Linear::constant(range.least).plus(-1, value)?;
    let high = value.plus(-1, &Linear::constant(range.greatest))?;
    Ok(Formula::and([Formula::atom(low, Relation::AtMost), Formula::atom(high, Relation::AtMost)]))
}
