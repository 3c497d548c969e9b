//! The properties that a model names, and what watches its runs.
//!
//! A never claim runs beside the processes: before every step it makes a move of its own. What is one step to it is
//! what is one step here: SPIN's claims do not move within `atomic` and `d_step`, nor between the two sides of a
//! rendezvous. And it is a process: a model in which one runs has one more of them in `_nr_pr`.

use crate::typed::Control;
use dampf_core::{Automaton, AutomatonEdge, AutomatonLocation, Literal};

/// What the text of a model says about its runs, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// `ltl name { formula }`: what all runs do. The formula is text behind the preprocessor, its words separated by
    /// blanks.
    Formula { name: Option<String>, text: String },
    /// `never name { … }`: what no run does.
    Never { name: Option<String> },
    /// `trace` or `notrace`, which nothing here checks.
    Trace { is_negated: bool },
}

/// What looks at the runs of a model.
#[derive(Clone)]
pub enum Watch {
    /// Expressions that somebody else makes a property of.
    Atoms(Vec<String>),
    /// The never claim with this name; the first one without a name given.
    Claim(Option<String>),
    NonProgress,
    /// Expressions for the steps that may be left, which no property is made of.
    Estimates(Vec<String>),
}

/// Numbers the propositions of several that watch, one after the other, by how many each has.
pub fn numbered(watched: impl Iterator<Item = (usize, Automaton)>) -> Vec<(u32, Automaton)> {
    let mut first = 0;
    let number = |(count, mut automaton): (usize, Automaton)| {
        let edges = automaton.locations.iter_mut().flat_map(|location| &mut location.edges);
        edges.flat_map(|edge| &mut edge.guard).for_each(|literal| literal.proposition += first);
        let numbered = (first, automaton);
        first += count as u32;
        numbered
    };
    watched.map(number).collect()
}

/// What SPIN calls the `np_` demon: at some time it guesses that there will be no progress any more.
pub fn non_progress() -> Automaton {
    let guard = || vec![Literal { proposition: 0, is_positive: true }];
    let to = |target, guard| AutomatonEdge { guard, target };
    let waiting = AutomatonLocation {
        name: "progress".to_owned(),
        edges: vec![to(1, guard()), to(0, Vec::new())],
        ..Default::default()
    };
    let cycling = AutomatonLocation {
        name: "non-progress".to_owned(),
        is_accepting: true,
        is_final: false,
        edges: vec![to(1, guard())],
    };
    Automaton { name: "progress".to_owned(), locations: vec![waiting, cycling], initial: 0 }
}

/// Whether a process can come to an accepting place within an atomic sequence, and end the sequence from there.
pub fn has_passing_acceptance(control: &Control) -> bool {
    let alternatives = || control.states.iter().flat_map(|state| &state.edges).flat_map(|edge| &edge.alternatives);
    control.states.iter().enumerate().any(|(number, state)| {
        let is_within = || alternatives().any(|alternative| alternative.holds && alternative.target == number);
        let ends = || state.edges.iter().flat_map(|edge| &edge.alternatives).any(|alternative| !alternative.holds);
        state.is_accepting && is_within() && ends()
    })
}
