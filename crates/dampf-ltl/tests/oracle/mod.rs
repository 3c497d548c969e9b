//! What the translation is compared with: an evaluator of formulas on words that end in a cycle, acceptance of such
//! words by automata, emptiness of intersections, and a reader of the claims that SPIN writes.
//!
//! Nothing here shares an idea with the translation. Which parts are used differs from test to test.
#![allow(dead_code, reason = "each test uses its part")]

pub mod claim;
pub mod random;
pub mod word;

use dampf_core::{Automaton, Literal};

/// The guard holds of a letter, whose bits are the values of the propositions.
pub fn holds(guard: &[Literal], letter: u32) -> bool {
    guard.iter().all(|literal| (letter >> literal.proposition & 1 == 1) == literal.is_positive)
}

/// Whether no word is accepted by both automata, over the first few propositions.
pub fn are_disjoint(one: &Automaton, two: &Automaton, propositions: u32) -> bool {
    let width = two.locations.len();
    let count = one.locations.len() * width;
    let mut successors = vec![Vec::new(); count];
    for (a, from_one) in one.locations.iter().enumerate() {
        for (b, from_two) in two.locations.iter().enumerate() {
            for letter in 0..1 << propositions {
                for edge in from_one.edges.iter().filter(|edge| holds(&edge.guard, letter)) {
                    for other in from_two.edges.iter().filter(|edge| holds(&edge.guard, letter)) {
                        successors[a * width + b].push(edge.target as usize * width + other.target as usize);
                    }
                }
            }
        }
    }
    for targets in &mut successors {
        targets.sort();
        targets.dedup();
    }
    let accepts_one = |pair: usize| one.locations[pair / width].is_accepting;
    let accepts_two = |pair: usize| two.locations[pair % width].is_accepting;
    let initial = one.initial as usize * width + two.initial as usize;
    !has_fair_cycle(&successors, initial, &[&accepts_one, &accepts_two])
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
