//! Random formulas on random words: the automaton accepts a word exactly if the formula holds of it.

mod oracle;

use dampf_ltl::translate;
use oracle::are_disjoint;
use oracle::random::Random;

const WORDS: usize = 30;

#[test]
fn automata_accept_exactly_the_words_of_which_formulas_hold() {
    for seed in 0..4_000 {
        let mut random = Random(seed);
        let propositions = 1 + random.below(3) as u32;
        let operators = 1 + random.below(12);
        let formula = random.formula(operators, propositions, true);
        let (automaton, negation) = (translate(&formula), translate(&formula.negated()));
        for _ in 0..WORDS {
            let word = random.word(propositions);
            let expected = word.satisfies(&formula);
            assert_eq!(word.is_accepted(&automaton), expected, "seed {seed}, {formula}, {word:?}");
            assert_eq!(word.is_accepted(&negation), !expected, "seed {seed}, !({formula}), {word:?}");
        }
        let pairs = automaton.locations.len() * negation.locations.len();
        if pairs <= 400 {
            assert!(are_disjoint(&automaton, &negation, propositions), "seed {seed}, {formula}");
        }
    }
}

#[test]
fn translations_are_the_same_every_time() {
    for seed in 0..50 {
        let formula = Random(seed).formula(10, 3, true);
        assert_eq!(translate(&formula), translate(&formula), "seed {seed}, {formula}");
    }
}
