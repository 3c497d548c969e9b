//! Whether a formula can tell how often a state is repeated.
//!
//! A formula that cannot is *stutter-invariant*. Partial-order reduction keeps the answers for such formulas only. One
//! without `X` is stutter-invariant (Lamport, 1983). For one with `X` the automata decide: it is if and only if no word
//! is a stuttered version both of a word that satisfies it and of one that does not (Michaud, Duret-Lutz: Practical
//! stutter-invariance checks for ω-regular languages, 2015). Here both automata run along the same word and may each
//! stand still while a letter is repeated.
//!
//! Of an automaton that somebody made there is no negation at hand. Where it is deterministic, one is easily made, and
//! the same check decides. Where it is not, it is taken for stutter-invariant if a rule says so that looks at pairs of
//! edges: a letter may be read once more where it was read, and two equal letters lead nowhere that one does not lead
//! to, past no accepting location.

use crate::formula::Formula;
use crate::generalized::components;
use crate::translation::translate;
use dampf_core::{Automaton, AutomatonEdge, AutomatonLocation, Literal};
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
    let propositions = propositions_of(&[&automaton, &negation]);
    if propositions.len() > PROPOSITIONS_MAX || is_too_large(&automaton, &negation, &propositions) {
        return false;
    }
    !have_common_stuttering(&automaton, &negation, &propositions)
}

/// Whether the language of an automaton is stutter-invariant. Where it is not known, the answer is no.
pub fn accepts_stuttering(automaton: &Automaton) -> bool {
    let propositions = propositions_of(&[automaton]);
    if propositions.len() > PROPOSITIONS_MAX {
        return false;
    }
    if repeats_at_will(automaton, &propositions) {
        return true;
    }
    let Some(negation) = complement(automaton, &propositions) else { return false };
    !is_too_large(automaton, &negation, &propositions) && !have_common_stuttering(automaton, &negation, &propositions)
}

fn propositions_of(automata: &[&Automaton]) -> Vec<u32> {
    let edges = automata.iter().flat_map(|automaton| &automaton.locations).flat_map(|location| &location.edges);
    let mut propositions: Vec<u32> =
        edges.flat_map(|edge| edge.guard.iter().map(|literal| literal.proposition)).collect();
    propositions.sort();
    propositions.dedup();
    propositions
}

fn is_too_large(one: &Automaton, two: &Automaton, propositions: &[u32]) -> bool {
    (one.locations.len() * two.locations.len()) << propositions.len() > PLACES_MAX
}

/// Where a letter leads to from a location.
fn targets<'a>(
    automaton: &'a Automaton,
    location: u32,
    letter: u32,
    propositions: &'a [u32],
) -> impl Iterator<Item = u32> + 'a {
    let edges = automaton.location(location).edges.iter();
    edges.filter(move |edge| holds(edge, letter, propositions)).map(|edge| edge.target)
}

/// Whether every location that a letter leads to has that letter lead from it to itself, and whatever two equal letters
/// lead to, one does: without passing an accepting location, or to an accepting one.
fn repeats_at_will(automaton: &Automaton, propositions: &[u32]) -> bool {
    let is_accepting = |location: u32| automaton.location(location).is_accepting;
    (0..automaton.locations.len() as u32).all(|from| {
        (0..1 << propositions.len()).all(|letter| {
            let to = |location: u32| targets(automaton, location, letter, propositions);
            to(from).all(|middle| {
                to(middle).any(|target| target == middle)
                    && to(middle)
                        .all(|end| to(from).any(|target| target == end) && (!is_accepting(middle) || is_accepting(end)))
            })
        })
    })
}

/// An automaton of the words that a deterministic one does not accept: the run is followed, and from some moment on it
/// passes no accepting location any more, or has ended. None where the automaton is not deterministic.
fn complement(automaton: &Automaton, propositions: &[u32]) -> Option<Automaton> {
    let count = automaton.locations.len() as u32;
    let ended = 2 * count;
    let mut locations = Vec::new();
    for is_late in [false, true] {
        for from in 0..count {
            let mut edges = Vec::new();
            for letter in 0..1 << propositions.len() {
                let guard: Vec<Literal> = (0..)
                    .zip(propositions)
                    .map(|(bit, &proposition)| Literal { proposition, is_positive: letter >> bit & 1 == 1 })
                    .collect();
                let mut next = targets(automaton, from, letter, propositions);
                let target = next.next();
                if next.next().is_some() {
                    return None;
                }
                let mut lead_to = |target: u32| edges.push(AutomatonEdge { guard: guard.clone(), target });
                match target {
                    None => lead_to(ended),
                    Some(target) => {
                        if !is_late {
                            lead_to(target);
                        }
                        if !automaton.location(target).is_accepting {
                            lead_to(count + target);
                        }
                    }
                }
            }
            locations.push(AutomatonLocation { edges, is_accepting: is_late, ..AutomatonLocation::default() });
        }
    }
    let edges = vec![AutomatonEdge { guard: Vec::new(), target: ended }];
    locations.push(AutomatonLocation { edges, is_accepting: true, ..AutomatonLocation::default() });
    Some(Automaton { name: String::new(), locations, initial: automaton.initial })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hoa::parse_hoa;

    fn automaton(states: &str) -> Automaton {
        let text = format!("HOA: v1 Start: 0 AP: 2 \"p\" \"q\" Acceptance: 1 Inf(0) --BODY-- {states} --END--");
        parse_hoa(&text).expect("it is well-formed").0
    }

    /// Automata that formulas have are what the formulas are.
    #[test]
    fn automata_are_as_their_formulas() {
        for (text, expected) in [
            ("[] (p -> <> q)", true),
            ("[] <> p", true),
            ("p U q", true),
            ("X p", false),
            ("[] (p -> X q)", false),
            ("p && X (p && X !p)", false),
        ] {
            let parsed = crate::parse(text).expect("a formula");
            let found = accepts_stuttering(&translate(&parsed.formula));
            // Of one that is not deterministic it may not be known.
            assert!(!found || expected, "{text}");
            assert_eq!(is_stutter_invariant(&parsed.formula), expected, "{text}");
        }
    }

    #[test]
    fn deterministic_automata_are_decided() {
        // Some p, later some q behind it: no matter how often.
        assert!(
            !accepts_stuttering(&automaton("State: 0 [!0] 0 [0] 1 State: 1 [!1] 1 [1] 2 State: 2 {0} [t] 2")),
            "p and q at once are one letter: the second q comes with a repetition"
        );
        assert!(accepts_stuttering(&automaton(
            "State: 0 [!0] 0 [0] 1 State: 1 [0] 1 [!0 & !1] 1 [!0 & 1] 2 State: 2 {0} [t] 2"
        )));
        // Every second state has p.
        assert!(!accepts_stuttering(&automaton("State: 0 {0} [0] 1 State: 1 [t] 0")));
        // p holds, and then not.
        assert!(!accepts_stuttering(&automaton("State: 0 [0] 1 State: 1 [!0] 2 State: 2 {0} [t] 2")));
        // p for ever.
        assert!(accepts_stuttering(&automaton("State: 0 {0} [0] 0")));
    }

    #[test]
    fn nondeterministic_automata_are_known_where_letters_repeat_at_will() {
        // Infinitely often p, then never again q.
        assert!(accepts_stuttering(&automaton("State: 0 [t] 0 [!1] 1 State: 1 {0} [!1] 1")));
        // Some state and the one after it have p.
        assert!(!accepts_stuttering(&automaton("State: 0 [t] 0 [0] 1 State: 1 [0] 2 State: 2 {0} [t] 2")));
    }
}
