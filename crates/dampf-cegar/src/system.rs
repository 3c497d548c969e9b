//! A program as a transition system: what front ends make and the engine proves.
//!
//! Each location has variables of its own, as a predicate of Horn clauses has arguments; a front end whose locations
//! all have the same variables repeats them. The initial and the error location have none: what holds in the
//! beginning is the formula of a transition that leaves the initial location. A program is safe if no run leads to
//! the error location.

use crate::formula::Formula;
use dampf_core::Span;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocationId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TransitionId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    Integer,
    Real,
    /// An integer between 0 and 1. Front ends say so in formulas, too; the sort is for printing.
    Boolean,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    pub sort: Sort,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    pub name: String,
    pub variables: Vec<Variable>,
}

/// Where a transition comes from, for people.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    pub span: Span,
    /// What happens, in the words of the input: `x := x + 1`, or empty.
    pub text: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    pub from: LocationId,
    pub to: LocationId,
    /// Over [`Symbol::Before`](crate::Symbol) of `from`, `After` of `to`, and `Auxiliary`.
    pub relation: Formula,
    /// The sorts of the auxiliaries.
    pub auxiliaries: Vec<Sort>,
    pub origin: Origin,
}

/// The order of transitions is the order in which counterexamples are compared: it is part of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System {
    pub locations: Vec<Location>,
    pub transitions: Vec<Transition>,
    pub initial: LocationId,
    pub error: LocationId,
}

impl System {
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.0 as usize]
    }

    pub fn transition(&self, id: TransitionId) -> &Transition {
        &self.transitions[id.0 as usize]
    }

    pub fn transition_ids(&self) -> impl Iterator<Item = TransitionId> {
        (0..self.transitions.len() as u32).map(TransitionId)
    }
}
