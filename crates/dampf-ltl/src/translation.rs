//! The way from a formula to a small automaton, and from the inner form of automata to the one that engines use.
//!
//! Formula, simplified term, tableau, reductions of the automaton with marks, locations that accept, reductions again.
//! Everything is a function of the formula: no order of a hash table shows.

use crate::acceptance::{Indifferent, normalise_edges, normalise_locations};
use crate::degeneralize::degeneralize;
use crate::formula::Formula;
use crate::generalized::{Generalized, Marks};
use crate::guards::{ALWAYS, Guards, NEVER};
use crate::parser::Parsed;
use crate::simulation::{dominators, forward, reduce_backward, reduce_forward};
use crate::tableau::tableau;
use crate::terms::{Term, Terms};
use dampf_core::{Automaton, AutomatonEdge, AutomatonLocation};

/// Orders of marks are tried while there are not more marks than this, and not more locations.
const ORDERED_MARKS_MAX: u32 = 3;
const ORDERED_LOCATIONS_MAX: usize = 60;

/// The automaton of the runs that satisfy a formula.
pub fn translate(formula: &Formula) -> Automaton {
    let mut terms = Terms::new();
    let mut guards = Guards::default();
    let term = terms.of(formula, true);
    let delayed = terms.delayed(term);
    let mut found = smallest(&mut terms, &mut guards, term);
    if delayed != term {
        let other = smallest(&mut terms, &mut guards, delayed);
        if size(&other) < size(&found) {
            found = other;
        }
    }
    finished(&found, &mut guards, true)
}

fn smallest(terms: &mut Terms, guards: &mut Guards, term: Term) -> Generalized {
    let mut automaton = tableau(terms, guards, term);
    automaton.prune();
    reduce(&mut automaton, guards, false);
    let found = orders(&automaton).into_iter().map(|order| {
        let mut split = degeneralize(&automaton, &order);
        split.join_edges(guards);
        split.prune();
        reduce(&mut split, guards, true);
        normalise_locations(&mut split, Indifferent::None);
        split
    });
    found.min_by_key(size).expect("there is an order")
}

/// The automaton of the runs that violate a formula: what an engine looks for.
pub fn violations(parsed: &Parsed, name: &str) -> Automaton {
    Automaton { name: name.to_owned(), ..translate(&parsed.formula.negated()) }
}

fn size(automaton: &Generalized) -> (usize, usize) {
    (automaton.locations.len(), automaton.locations.iter().map(Vec::len).sum())
}

/// Simulation forwards and backwards, until nothing changes with either choice of the marks that make no difference.
pub(crate) fn reduce(automaton: &mut Generalized, guards: &mut Guards, by_location: bool) {
    let mut unchanged = 0;
    for round in 0.. {
        let before = size(automaton);
        let indifferent = if round % 2 == 0 { Indifferent::None } else { Indifferent::All };
        if by_location {
            normalise_locations(automaton, indifferent);
        } else {
            normalise_edges(automaton, indifferent);
        }
        automaton.join_edges(guards);
        reduce_forward(automaton, guards);
        reduce_backward(automaton, guards, by_location);
        unchanged = if size(automaton) == before { unchanged + 1 } else { 0 };
        if unchanged == 2 {
            return;
        }
    }
}

/// The orders of marks to try.
fn orders(automaton: &Generalized) -> Vec<Vec<Marks>> {
    let marks: Vec<Marks> = (0..Marks::BITS).map(|bit| 1 << bit).filter(|mark| automaton.marks & mark != 0).collect();
    let count = automaton.marks.count_ones();
    if count > ORDERED_MARKS_MAX || automaton.locations.len() > ORDERED_LOCATIONS_MAX {
        return vec![marks];
    }
    permutations(&marks)
}

fn permutations(marks: &[Marks]) -> Vec<Vec<Marks>> {
    if marks.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (index, &mark) in marks.iter().enumerate() {
        let rest = [&marks[..index], &marks[index + 1..]].concat();
        all.extend(permutations(&rest).into_iter().map(|order| [vec![mark], order].concat()));
    }
    all
}

/// The automaton for engines: guards become conjunctions.
///
/// An edge needs its guard only where no better edge can be taken; where that makes fewer conjunctions, the guard
/// covers more, if it `may_widen`. Otherwise it does not, which leaves fewer runs to explore.
pub(crate) fn finished(automaton: &Generalized, guards: &mut Guards, may_widen: bool) -> Automaton {
    let simulation = if may_widen { forward(automaton, guards) } else { None };
    let mut locations = Vec::with_capacity(automaton.locations.len());
    for (number, edges) in automaton.locations.iter().enumerate() {
        let mut written = Vec::new();
        for (index, edge) in edges.iter().enumerate() {
            let free = simulation.as_ref().map_or(NEVER, |known| dominators(edges, index, known, guards));
            let allowed = guards.or(edge.guard, free);
            let (tight, loose) = (guards.cubes(edge.guard, edge.guard), guards.cubes(edge.guard, allowed));
            let cubes = if loose.len() < tight.len() { loose } else { tight };
            written.extend(cubes.into_iter().map(|guard| AutomatonEdge { guard, target: edge.target as u32 }));
        }
        let is_accepting = edges.first().is_some_and(|edge| edge.marks != 0);
        debug_assert!(edges.iter().all(|edge| (edge.marks != 0) == is_accepting));
        let kind = if is_accepting { "accept" } else { "wait" };
        locations.push(AutomatonLocation {
            name: format!("{kind}{number}"),
            is_accepting,
            is_final: false,
            edges: written,
        });
    }
    Automaton { name: String::new(), locations, initial: automaton.initial as u32 }
}

/// The automaton with the locations marked as final from which every run is accepted.
///
/// A search may then stop as soon as it comes there. What is lost: the trail ends there, with no cycle to show; and a
/// run that ends in a deadlock, which is no infinite run and violates nothing, counts as a violation if it gets there.
/// So this is for engines that look for final locations and treat the end of a run as one that goes on for ever.
pub fn with_final_locations(automaton: &Automaton) -> Automaton {
    let mut guards = Guards::default();
    let mut is_universal: Vec<bool> = automaton.locations.iter().map(|location| location.is_accepting).collect();
    loop {
        let mut changed = false;
        for (number, location) in automaton.locations.iter().enumerate().filter(|(_, location)| location.is_accepting) {
            let mut covered = NEVER;
            for edge in location.edges.iter().filter(|edge| is_universal[edge.target as usize]) {
                let guard = guards.cube(&edge.guard);
                covered = guards.or(covered, guard);
            }
            if covered != ALWAYS && is_universal[number] {
                is_universal[number] = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let mut marked = automaton.clone();
    for (location, is_universal) in marked.locations.iter_mut().zip(is_universal) {
        location.is_final |= is_universal;
    }
    marked
}
