//! Büchi automata with several sets of accepting edges, the form between a formula and its automaton.
//!
//! An edge carries *marks*; a run is accepted if it passes every mark again and again. What engines get, accepting
//! locations, is the special case of one mark that the edges of a location all have or all lack.

use crate::guards::{Guard, Guards, NEVER};

/// A set of marks, one bit each.
pub type Marks = u128;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    pub target: usize,
    pub marks: Marks,
    pub guard: Guard,
}

#[derive(Clone, Debug)]
pub struct Generalized {
    /// The edges of each location.
    pub locations: Vec<Vec<Edge>>,
    pub initial: usize,
    /// All marks that a run has to pass.
    pub marks: Marks,
}

/// The strongly connected components: for each location its component, numbered from the ends of the graph backwards.
pub struct Components {
    pub of: Vec<usize>,
    pub count: usize,
}

impl Generalized {
    pub fn components(&self) -> Components {
        components(self.locations.len(), |location| self.locations[location].iter().map(|edge| edge.target))
    }

    /// Joins edges that differ in their guards only, and drops those that can never be taken.
    pub fn join_edges(&mut self, guards: &mut Guards) {
        for edges in &mut self.locations {
            edges.sort();
            let mut joined: Vec<Edge> = Vec::with_capacity(edges.len());
            for edge in edges.drain(..).filter(|edge| edge.guard != NEVER) {
                match joined.last_mut() {
                    Some(last) if (last.target, last.marks) == (edge.target, edge.marks) => {
                        last.guard = guards.or(last.guard, edge.guard);
                    }
                    _ => joined.push(edge),
                }
            }
            *edges = joined;
        }
    }

    /// The marks that edges inside each component have, together.
    pub fn marks_inside(&self, components: &Components) -> Vec<Option<Marks>> {
        let mut inside = vec![None; components.count];
        for (location, edges) in self.locations.iter().enumerate() {
            for edge in edges.iter().filter(|edge| components.of[edge.target] == components.of[location]) {
                *inside[components.of[location]].get_or_insert(0) |= edge.marks;
            }
        }
        inside
    }

    /// Removes locations that no run reaches, or from which none is accepted. The initial location stays.
    pub fn prune(&mut self) {
        let components = self.components();
        let accepting: Vec<bool> =
            self.marks_inside(&components).iter().map(|inside| *inside == Some(self.marks)).collect();
        // Components are numbered from the ends backwards, so successors are known first.
        let mut is_useful = accepting;
        let mut order: Vec<usize> = (0..self.locations.len()).collect();
        order.sort_by_key(|&location| components.of[location]);
        for &location in &order {
            if self.locations[location].iter().any(|edge| is_useful[components.of[edge.target]]) {
                is_useful[components.of[location]] = true;
            }
        }
        for edges in &mut self.locations {
            edges.retain(|edge| is_useful[components.of[edge.target]]);
        }
        let mut names = vec![usize::MAX; self.locations.len()];
        let mut reached = vec![self.initial];
        names[self.initial] = 0;
        let mut at = 0;
        while at < reached.len() {
            for edge in &self.locations[reached[at]] {
                if names[edge.target] == usize::MAX {
                    names[edge.target] = reached.len();
                    reached.push(edge.target);
                }
            }
            at += 1;
        }
        let rename = |edge: &Edge| Edge { target: names[edge.target], ..*edge };
        self.locations = reached.iter().map(|&old| self.locations[old].iter().map(rename).collect()).collect();
        self.initial = 0;
    }
}

/// Tarjan's algorithm, with a stack of its own.
pub fn components<I: Iterator<Item = usize>>(count: usize, successors: impl Fn(usize) -> I) -> Components {
    const UNSEEN: usize = usize::MAX;
    let (mut index, mut low) = (vec![UNSEEN; count], vec![0; count]);
    let (mut of, mut found) = (vec![UNSEEN; count], 0);
    let (mut stack, mut next) = (Vec::new(), 0);
    for root in 0..count {
        if index[root] != UNSEEN {
            continue;
        }
        (index[root], low[root]) = (next, next);
        next += 1;
        stack.push(root);
        let mut path = vec![(root, successors(root))];
        while let Some((location, rest)) = path.last_mut() {
            let location = *location;
            match rest.next() {
                Some(target) if index[target] == UNSEEN => {
                    (index[target], low[target]) = (next, next);
                    next += 1;
                    stack.push(target);
                    path.push((target, successors(target)));
                }
                Some(target) => {
                    if of[target] == UNSEEN {
                        low[location] = low[location].min(index[target]);
                    }
                }
                None => {
                    path.pop();
                    if let Some((parent, _)) = path.last() {
                        low[*parent] = low[*parent].min(low[location]);
                    }
                    if low[location] == index[location] {
                        while let Some(member) = stack.pop() {
                            of[member] = found;
                            if member == location {
                                break;
                            }
                        }
                        found += 1;
                    }
                }
            }
        }
    }
    Components { of, count: found }
}
