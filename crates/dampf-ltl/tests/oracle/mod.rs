//! What the translation is compared with: an evaluator of formulas on words that end in a cycle, acceptance of such
//! words by automata, emptiness of intersections, and a reader of the claims that SPIN writes.
//!
//! Nothing here shares an idea with the translation. Which parts are used differs from test to test.
#![allow(dead_code, reason = "each test uses its part")]

pub mod claim;
pub mod random;
pub mod word;

use dampf_core::{Automaton, Literal};
use std::collections::HashMap;

/// The guard holds of a letter, whose bits are the values of the propositions.
pub fn holds(guard: &[Literal], letter: u32) -> bool {
    guard.iter().all(|literal| (letter >> literal.proposition & 1 == 1) == literal.is_positive)
}

/// Whether no word is accepted by both automata, over the first few propositions.
pub fn are_disjoint(one: &Automaton, two: &Automaton, propositions: u32) -> bool {
    let mut numbers = HashMap::from([((one.initial, two.initial), 0)]);
    let mut pairs = vec![(one.initial, two.initial)];
    let mut successors: Vec<Vec<usize>> = Vec::new();
    while let Some(&(a, b)) = pairs.get(successors.len()) {
        let mut targets = Vec::new();
        for letter in 0..1 << propositions {
            for edge in one.location(a).edges.iter().filter(|edge| holds(&edge.guard, letter)) {
                for other in two.location(b).edges.iter().filter(|edge| holds(&edge.guard, letter)) {
                    let pair = (edge.target, other.target);
                    targets.push(*numbers.entry(pair).or_insert_with(|| {
                        pairs.push(pair);
                        pairs.len() - 1
                    }));
                }
            }
        }
        targets.sort();
        targets.dedup();
        successors.push(targets);
    }
    let accepts_one = |pair: usize| one.location(pairs[pair].0).is_accepting;
    let accepts_two = |pair: usize| two.location(pairs[pair].1).is_accepting;
    !has_fair_cycle(&successors, 0, &[&accepts_one, &accepts_two])
}

/// Whether a cycle is reachable that visits a member of each set. Slow and simple: reachability from every candidate.
pub fn has_fair_cycle(successors: &[Vec<usize>], initial: usize, sets: &[&dyn Fn(usize) -> bool]) -> bool {
    let reach = |from: &[usize]| {
        let mut seen = vec![false; successors.len()];
        let mut open: Vec<usize> = from.to_vec();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(&successors[at]);
            }
        }
        seen
    };
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (at, targets) in successors.iter().enumerate() {
        for &target in targets {
            predecessors[target].push(at);
        }
    }
    let reachable = reach(&[initial]);
    let mut settled = vec![false; successors.len()];
    for start in 0..successors.len() {
        if !reachable[start] || settled[start] || !sets[0](start) {
            continue;
        }
        let ahead = reach(&successors[start]);
        if !ahead[start] {
            continue;
        }
        let mut component = vec![false; successors.len()];
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            if ahead[at] && !std::mem::replace(&mut component[at], true) {
                open.extend(&predecessors[at]);
            }
        }
        if sets.iter().all(|set| (0..successors.len()).any(|at| component[at] && set(at))) {
            return true;
        }
        for (at, inside) in component.iter().enumerate() {
            settled[at] |= inside;
        }
    }
    false
}

/// The number of edges if those between the same two locations count once.
pub fn arrows(automaton: &Automaton) -> usize {
    let targets = |edges: &[dampf_core::AutomatonEdge]| {
        let mut targets: Vec<u32> = edges.iter().map(|edge| edge.target).collect();
        targets.sort();
        targets.dedup();
        targets.len()
    };
    automaton.locations.iter().map(|location| targets(&location.edges)).sum()
}

pub fn edges(automaton: &Automaton) -> usize {
    automaton.locations.iter().map(|location| location.edges.len()).sum()
}
