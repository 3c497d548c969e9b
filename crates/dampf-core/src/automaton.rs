//! Büchi automata that watch the runs of a model: what a property is to an engine, whatever language it was written in.
//!
//! An automaton reads the states of a run, one after the other, and moves once for each: along an edge whose guard
//! holds in that state. It describes the runs that *violate* the property: those along which it can pass accepting
//! locations for ever, and those that bring it to a final location. A run along which it cannot move any more is of no
//! interest.

/// A Büchi automaton over numbered propositions (see [`Propositions`](crate::Propositions)).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Automaton {
    /// Of the property, for people.
    pub name: String,
    pub locations: Vec<AutomatonLocation>,
    /// Where it is before it has read anything.
    pub initial: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AutomatonLocation {
    /// For people.
    pub name: String,
    pub is_accepting: bool,
    /// Whether the property is violated as soon as the automaton comes here, whatever the run does from then on.
    pub is_final: bool,
    pub edges: Vec<AutomatonEdge>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonEdge {
    /// A conjunction; empty where the edge can always be taken.
    pub guard: Vec<Literal>,
    pub target: u32,
}

/// A proposition, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    pub proposition: u32,
    /// What the proposition has to be.
    pub is_positive: bool,
}

impl Automaton {
    pub fn location(&self, number: u32) -> &AutomatonLocation {
        &self.locations[number as usize]
    }
}
