//! Simulation between locations: what makes automata small.
//!
//! A location simulates another if it can follow every edge of the other, letter by letter, with at least the same
//! marks, to a location that simulates the other's. Locations that simulate each other are one, and an edge beside a
//! better one is left out. The same is done backwards, along edges that come in. Both keep the language, marks compared
//! edge by edge (Somenzi, Bloem: Efficient Büchi automata from LTL formulas, 2000; Clemente, Mayr: Efficient reduction
//! of nondeterministic automata, 2019, which also says which edges may go at the same time).

use crate::generalized::{Edge, Generalized, Marks};
use crate::guards::{Guard, Guards, NEVER};

/// Relations are quadratic. Larger automata are rare, and keep their locations.
const LOCATIONS_MAX: usize = 300;

/// For each pair whether the second simulates the first.
pub struct Simulation {
    holds: Vec<bool>,
    count: usize,
}

/// An edge without one of its ends.
#[derive(Clone, Copy)]
struct HalfEdge {
    other: usize,
    marks: Marks,
    guard: Guard,
}

impl Simulation {
    pub fn holds(&self, one: usize, two: usize) -> bool {
        self.holds[one * self.count + two]
    }

    fn is_strict(&self, one: usize, two: usize) -> bool {
        self.holds(one, two) && !self.holds(two, one)
    }

    /// The largest relation among the pairs that are allowed: each half edge of the first is matched by some of the
    /// second's.
    fn largest(half_edges: &[Vec<HalfEdge>], guards: &mut Guards, allowed: impl Fn(usize, usize) -> bool) -> Self {
        let count = half_edges.len();
        let mut relation = Simulation { holds: vec![false; count * count], count };
        for one in 0..count {
            for two in 0..count {
                relation.holds[one * count + two] = allowed(one, two);
            }
        }
        loop {
            let mut changed = false;
            for one in 0..count {
                for two in 0..count {
                    if one != two
                        && relation.holds(one, two)
                        && !relation.follows(&half_edges[one], &half_edges[two], guards)
                    {
                        relation.holds[one * count + two] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return relation;
            }
        }
    }

    fn follows(&self, one: &[HalfEdge], two: &[HalfEdge], guards: &mut Guards) -> bool {
        one.iter().all(|edge| {
            let mut left = edge.guard;
            for other in two {
                if left == NEVER {
                    break;
                }
                if edge.marks & !other.marks == 0 && self.holds(edge.other, other.other) {
                    left = guards.without(left, other.guard);
                }
            }
            left == NEVER
        })
    }

    /// For each location the first that simulates it and that it simulates.
    fn representatives(&self) -> Vec<usize> {
        let first = |one: usize| (0..=one).find(|&two| self.holds(one, two) && self.holds(two, one));
        (0..self.count).map(|one| first(one).unwrap_or(one)).collect()
    }
}

/// Which location simulates which, or nothing where there are too many.
pub fn forward(automaton: &Generalized, guards: &mut Guards) -> Option<Simulation> {
    if automaton.locations.len() > LOCATIONS_MAX {
        return None;
    }
    let half = |edge: &Edge| HalfEdge { other: edge.target, marks: edge.marks, guard: edge.guard };
    let half_edges: Vec<Vec<HalfEdge>> =
        automaton.locations.iter().map(|edges| edges.iter().map(half).collect()).collect();
    Some(Simulation::largest(&half_edges, guards, |_, _| true))
}

fn backward(automaton: &Generalized, guards: &mut Guards, by_location: bool) -> Option<Simulation> {
    if automaton.locations.len() > LOCATIONS_MAX {
        return None;
    }
    let mut half_edges = vec![Vec::new(); automaton.locations.len()];
    for (location, edges) in automaton.locations.iter().enumerate() {
        for edge in edges {
            half_edges[edge.target].push(HalfEdge { other: location, marks: edge.marks, guard: edge.guard });
        }
    }
    // Where locations accept, a location that accepts is no match for one that does not, even if it is reached alike.
    let accepts = |location: usize| automaton.locations[location].first().map_or(0, |edge| edge.marks);
    Some(Simulation::largest(&half_edges, guards, |one, two| {
        (one != automaton.initial || two == automaton.initial) && (!by_location || accepts(one) & !accepts(two) == 0)
    }))
}

/// Joins locations that simulate each other, and leaves out edges that another edge of the location is better than.
pub fn reduce_forward(automaton: &mut Generalized, guards: &mut Guards) {
    let Some(simulation) = forward(automaton, guards) else { return };
    let representatives = simulation.representatives();
    for edge in automaton.locations.iter_mut().flatten() {
        edge.target = representatives[edge.target];
    }
    // The edges of the representative are enough: it can follow those of the others.
    automaton.initial = representatives[automaton.initial];
    automaton.join_edges(guards);
    for edges in &mut automaton.locations {
        for index in 0..edges.len() {
            let edge = edges[index];
            // One by one: what is left of a guard stays small, and the disjunction of all others need not.
            edges[index].guard = better_edges(edges, edge, &simulation)
                .fold(edge.guard, |left, other| if left == NEVER { left } else { guards.without(left, other.guard) });
        }
    }
    automaton.join_edges(guards);
    automaton.prune();
}

/// The edges of a location that do at least what a certain one does, and are not the same to it.
fn better_edges<'e>(edges: &'e [Edge], edge: Edge, simulation: &Simulation) -> impl Iterator<Item = &'e Edge> {
    edges.iter().filter(move |other| {
        edge.marks & !other.marks == 0
            && simulation.holds(edge.target, other.target)
            && (edge.marks != other.marks || simulation.is_strict(edge.target, other.target))
    })
}

/// Where a better edge than the one with an index can be taken.
pub fn dominators(edges: &[Edge], index: usize, simulation: &Simulation, guards: &mut Guards) -> Guard {
    better_edges(edges, edges[index], simulation).fold(NEVER, |found, other| guards.or(found, other.guard))
}

/// Joins locations that are reached in the same ways, and leaves out edges to a location that has a better edge from
/// elsewhere.
pub fn reduce_backward(automaton: &mut Generalized, guards: &mut Guards, by_location: bool) {
    let Some(simulation) = backward(automaton, guards, by_location) else { return };
    let representatives = simulation.representatives();
    let mut locations = vec![Vec::new(); automaton.locations.len()];
    for (location, edges) in automaton.locations.iter().enumerate() {
        for edge in edges {
            locations[representatives[location]].push(Edge { target: representatives[edge.target], ..*edge });
        }
    }
    automaton.locations = locations;
    automaton.initial = representatives[automaton.initial];
    automaton.join_edges(guards);
    let before = automaton.locations.clone();
    for (location, edges) in automaton.locations.iter_mut().enumerate() {
        for edge in edges {
            for (source, others) in before.iter().enumerate() {
                for other in others.iter().filter(|other| other.target == edge.target) {
                    let is_better = edge.marks & !other.marks == 0
                        && simulation.holds(location, source)
                        && (edge.marks != other.marks || simulation.is_strict(location, source));
                    if is_better {
                        edge.guard = guards.without(edge.guard, other.guard);
                    }
                }
            }
        }
    }
    automaton.join_edges(guards);
    automaton.prune();
}
