//! Whether a formula can tell how often a state is repeated.
//!
//! A formula that cannot is *stutter-invariant*. Partial-order reduction keeps the answers for such formulas only. One
//! without `X` is stutter-invariant (Lamport, 1983). For one with `X` the automata decide: it is if and only if no word
//! is a stuttered version both of a word that satisfies it and of one that does not (Michaud, Duret-Lutz: Practical
//! stutter-invariance checks for ω-regular languages, 2015). Here both automata run along the same word and may each
//! stand still while a letter is repeated.

use crate::formula::Formula;
use crate::generalized::components;
use crate::translation::translate;
use dampf_core::{Automaton, AutomatonEdge};
use std::collections::HashMap;

/// The check looks at all letters, and at pairs of locations. Beyond these sizes the answer is no.
const PROPOSITIONS_MAX: usize = 8;
const PLACES_MAX: usize = 200_000;

/// Whether a formula is stutter-invariant. Where finding out would take too long, the answer is no.
pub fn is_stutter_invariant(formula: &Formula) -> bool {
    if !formula.any(&mut |part| matches!(part, Formula::Next(_))) {
        return true;
    }
    let (automaton, negation) = (translate(formula), translate(&formula.negated()));
    let mut propositions: Vec<u32> = [&automaton, &negation]
        .iter()
        .flat_map(|automaton| &automaton.locations)
        .flat_map(|location| &location.edges)
        .flat_map(|edge| edge.guard.iter().map(|literal| literal.proposition))
        .collect();
    propositions.sort();
    propositions.dedup();
    let pairs = automaton.locations.len() * negation.locations.len();
    if propositions.len() > PROPOSITIONS_MAX || pairs << propositions.len() > PLACES_MAX {
        return false;
    }
    !have_common_stuttering(&automaton, &negation, &propositions)
}

/// Where both automata are, and the letter that was read last, if any.
type Place = (u32, u32, Option<u32>);

fn holds(edge: &AutomatonEdge, letter: u32, propositions: &[u32]) -> bool {
    edge.guard.iter().all(|literal| {
        propositions
            .binary_search(&literal.proposition)
            .is_ok_and(|bit| (letter >> bit & 1 == 1) == literal.is_positive)
    })
}

/// Whether a word is a stuttered version of words that either automaton accepts.
fn have_common_stuttering(one: &Automaton, two: &Automaton, propositions: &[u32]) -> bool {
    let mut numbers: HashMap<Place, usize> = HashMap::new();
    let mut places: Vec<Place> = vec![(one.initial, two.initial, None)];
    numbers.insert(places[0], 0);
    // With each successor, which of the automata came to an accepting location by a move of its own.
    let mut successors: Vec<Vec<(usize, u8)>> = Vec::new();
    while let Some(&(from_one, from_two, last)) = places.get(successors.len()) {
        let mut found = Vec::new();
        for letter in 0..1 << propositions.len() {
            let moves = |automaton: &Automaton, location: u32| {
                let edges = automaton.location(location).edges.iter();
                let mut moves: Vec<(u32, bool)> = edges
                    .filter(|edge| holds(edge, letter, propositions))
                    .map(|edge| (edge.target, automaton.location(edge.target).is_accepting))
                    .collect();
                if last == Some(letter) {
                    moves.push((location, false));
                }
                moves.sort();
                moves.dedup();
                moves
            };
            for (to_one, accepts_one) in moves(one, from_one) {
                for (to_two, accepts_two) in moves(two, from_two) {
                    let place = (to_one, to_two, Some(letter));
                    let number = *numbers.entry(place).or_insert_with(|| {
                        places.push(place);
                        places.len() - 1
                    });
                    found.push((number, u8::from(accepts_one) | u8::from(accepts_two) << 1));
                }
            }
        }
        successors.push(found);
    }
    let of = components(places.len(), |place| successors[place].iter().map(|(target, _)| *target));
    let mut passed = vec![0; of.count];
    for (place, targets) in successors.iter().enumerate() {
        for (target, accepts) in targets.iter().filter(|(target, _)| of.of[*target] == of.of[place]) {
            debug_assert_eq!(of.of[*target], of.of[place]);
            passed[of.of[place]] |= accepts;
        }
    }
    passed.contains(&3)
}
