//! From a formula to an automaton: the tableau.
//!
//! A location is a set of formulas that must hold from here on. Expanding a formula says in which ways it can hold: by
//! a guard on the current state, with formulas for the rest of the run. `a U b` holds if `b` does, or if `a` does and
//! `a U b` holds from the next state on; in the second case it *promises* `b`. A mark for each `until` is on the edges
//! that do not promise its right side, so that a run which promises for ever is not accepted (Couvreur: On-the-fly
//! verification of linear temporal logic, 1999; Gastin, Oddoux: Fast LTL to Büchi automata translation, 2001).
//!
//! A way that asks for more than another, under the same guard, is left out: what follows it also follows the other.
//! Locations with the same ways to go on are one location. (Formulas that others in the set imply must not be left out
//! just for that: the promise of `<> a` would get lost in a set with `[] X <> a`.)

use crate::generalized::{Edge, Generalized, Marks};
use crate::guards::{ALWAYS, Guard, Guards, NEVER};
use crate::terms::{Node, TRUE, Term, Terms};
use dampf_core::Literal;
use std::collections::HashMap;

/// One way in which a set of formulas can hold.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Way {
    /// Formulas for the rest of the run, in ascending order.
    next: Vec<Term>,
    promises: Marks,
    guard: Guard,
}

struct Tableau<'t> {
    terms: &'t mut Terms,
    guards: &'t mut Guards,
    /// The `until` formulas that were expanded; the number of each is its mark.
    untils: Vec<Term>,
    expanded: HashMap<Term, Vec<Way>>,
}

pub fn tableau(terms: &mut Terms, guards: &mut Guards, formula: Term) -> Generalized {
    let mut tableau = Tableau { terms, guards, untils: Vec::new(), expanded: HashMap::new() };
    let mut numbers: HashMap<Vec<Way>, usize> = HashMap::new();
    let mut by_set: HashMap<Vec<Term>, usize> = HashMap::new();
    let mut ways_of: Vec<Vec<Way>> = Vec::new();
    let mut number = |tableau: &mut Tableau<'_>, set: &Vec<Term>, ways_of: &mut Vec<Vec<Way>>| {
        if let Some(&known) = by_set.get(set) {
            return known;
        }
        let needed = tableau.needed(set);
        let ways = tableau.expand_all(&needed);
        let location = *numbers.entry(ways.clone()).or_insert_with(|| {
            ways_of.push(ways);
            ways_of.len() - 1
        });
        by_set.insert(set.clone(), location);
        location
    };
    let first = tableau.parts(formula);
    let initial = number(&mut tableau, &first, &mut ways_of);
    let mut locations: Vec<Vec<Edge>> = Vec::new();
    while let Some(ways) = ways_of.get(locations.len()).cloned() {
        let mut edges = Vec::with_capacity(ways.len());
        for way in ways {
            let target = number(&mut tableau, &way.next, &mut ways_of);
            edges.push(Edge { target, marks: !way.promises, guard: way.guard });
        }
        locations.push(edges);
    }
    let marks = Marks::MAX.checked_shr(Marks::BITS - tableau.untils.len() as u32).unwrap_or(0);
    for edge in locations.iter_mut().flatten() {
        edge.marks &= marks;
    }
    let mut automaton = Generalized { locations, initial, marks };
    automaton.join_edges(guards);
    automaton
}

impl Tableau<'_> {
    /// The formulas that a formula is the conjunction of.
    fn parts(&self, term: Term) -> Vec<Term> {
        match self.terms.node(term) {
            Node::And(parts) => parts.clone(),
            _ if term == TRUE => Vec::new(),
            _ => vec![term],
        }
    }

    /// The set without the formulas whose ways others have as a factor of theirs: `a R b` has those of `b`. The ways of
    /// the set are the same without them, promises too.
    fn needed(&self, set: &[Term]) -> Vec<Term> {
        let mut contained = Vec::new();
        for &term in set {
            if let Node::Release(_, right) = self.terms.node(term) {
                contained.extend(self.parts(*right));
            }
        }
        set.iter().copied().filter(|term| !contained.contains(term)).collect()
    }

    fn expand_all(&mut self, set: &[Term]) -> Vec<Way> {
        let mut ways = vec![Way { next: Vec::new(), promises: 0, guard: ALWAYS }];
        for &term in set {
            let others = self.expand(term);
            ways = self.product(&ways, &others);
        }
        ways
    }

    fn expand(&mut self, term: Term) -> Vec<Way> {
        if let Some(known) = self.expanded.get(&term) {
            return known.clone();
        }
        let ways = match self.terms.node(term).clone() {
            Node::True => vec![Way { next: Vec::new(), promises: 0, guard: ALWAYS }],
            Node::False => Vec::new(),
            Node::Literal(proposition, is_positive) => {
                let guard = self.guards.literal(Literal { proposition, is_positive });
                vec![Way { next: Vec::new(), promises: 0, guard }]
            }
            Node::And(parts) => self.expand_all(&parts),
            Node::Or(parts) => {
                let ways = parts.into_iter().flat_map(|part| self.expand(part)).collect();
                self.reduced(ways)
            }
            Node::Next(inner) => vec![Way { next: self.parts(inner), promises: 0, guard: ALWAYS }],
            Node::Until(left, right) => {
                let promises = self.mark(term);
                let wait = vec![Way { next: vec![term], promises, guard: ALWAYS }];
                let (left, mut ways) = (self.expand(left), self.expand(right));
                ways.extend(self.product(&left, &wait));
                self.reduced(ways)
            }
            Node::Release(left, right) => {
                let mut ways = vec![Way { next: vec![term], promises: 0, guard: ALWAYS }];
                ways.extend(self.expand(left));
                let right = self.expand(right);
                self.product(&right, &ways)
            }
        };
        self.expanded.insert(term, ways.clone());
        ways
    }

    fn mark(&mut self, until: Term) -> Marks {
        let number = self.untils.iter().position(|known| *known == until).unwrap_or_else(|| {
            self.untils.push(until);
            self.untils.len() - 1
        });
        assert!(number < Marks::BITS as usize, "the formula has more `until`s than there are marks");
        1 << number
    }

    fn product(&mut self, one: &[Way], two: &[Way]) -> Vec<Way> {
        let mut ways = Vec::with_capacity(one.len() * two.len());
        for a in one {
            for b in two {
                let guard = self.guards.and(a.guard, b.guard);
                if guard == NEVER {
                    continue;
                }
                let mut next = [&a.next[..], &b.next[..]].concat();
                next.sort();
                next.dedup();
                ways.push(Way { next, promises: a.promises | b.promises, guard });
            }
        }
        self.reduced(ways)
    }

    /// Joins ways that differ in their guards, and takes from each what a way that asks for less has, too.
    fn reduced(&mut self, mut ways: Vec<Way>) -> Vec<Way> {
        ways.sort();
        let mut joined: Vec<Way> = Vec::with_capacity(ways.len());
        for way in ways {
            match joined.last_mut() {
                Some(last) if last.next == way.next && last.promises == way.promises => {
                    last.guard = self.guards.or(last.guard, way.guard);
                }
                _ => joined.push(way),
            }
        }
        let asks_less = |less: &Way, more: &Way| {
            less.promises & !more.promises == 0
                && less.next.len() <= more.next.len()
                && less.next.iter().all(|term| more.next.binary_search(term).is_ok())
        };
        let mut kept = Vec::with_capacity(joined.len());
        for (index, way) in joined.iter().enumerate() {
            let mut guard = way.guard;
            for (place, other) in joined.iter().enumerate() {
                if place != index && asks_less(other, way) {
                    guard = self.guards.without(guard, other.guard);
                }
            }
            if guard != NEVER {
                kept.push(Way { guard, ..way.clone() });
            }
        }
        kept
    }
}
