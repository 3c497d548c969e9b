//! Our automata and SPIN's claims accept the same words, and ours are not larger.
//!
//! For each formula, four intersections have to be empty: ours with ours of the negation, and each of ours with SPIN's
//! of the opposite. Together they say that SPIN's and ours are the same language. A few formulas are compared by
//! default; `DAMPF_LTL_FORMULAS=2000` asks for more, and `DAMPF_LTL_SEED=5000` for others. SPIN as it is distributed
//! has no `X`, so formulas have none.

mod oracle;

use dampf_core::Automaton;
use dampf_ltl::{Formula, translate};
use oracle::claim::{claim, is_spin_installed};
use oracle::random::Random;
use oracle::{are_disjoint, arrows, edges};

const WORDS: usize = 20;
/// SPIN's claims can be huge; words are compared for those too.
const PAIRS_MAX: usize = 20_000;

#[derive(Default)]
struct Sizes {
    locations: usize,
    edges: usize,
    arrows: usize,
}

impl Sizes {
    fn add(&mut self, automaton: &Automaton, edges: usize) {
        self.locations += automaton.locations.len();
        self.edges += edges;
        self.arrows += arrows(automaton);
    }

    fn show(&self, count: usize) -> String {
        let mean = |sum: usize| sum as f64 / count as f64;
        format!(
            "{:.2} locations, {:.2} edges, {:.2} pairs of locations with an edge",
            mean(self.locations),
            mean(self.edges),
            mean(self.arrows)
        )
    }
}

/// SPIN has no `W`; its other operators are written as ours.
fn spelled(formula: &Formula) -> String {
    use Formula::*;
    let two = |one: &Formula, operator: &str, two: &Formula| format!("({} {operator} {})", spelled(one), spelled(two));
    match formula {
        True | False | Proposition(_) => formula.to_string(),
        Not(one) => format!("! {}", spelled(one)),
        Always(one) => format!("[] {}", spelled(one)),
        Eventually(one) => format!("<> {}", spelled(one)),
        And(one, other) => two(one, "&&", other),
        Or(one, other) => two(one, "||", other),
        Implies(one, other) => two(one, "->", other),
        Equivalent(one, other) => two(one, "<->", other),
        Until(one, other) => two(one, "U", other),
        Release(one, other) => two(one, "V", other),
        WeakUntil(one, other) => format!("(([] {}) || {})", spelled(one), two(one, "U", other)),
        Next(_) => unreachable!("SPIN has no X"),
    }
}

#[test]
fn automata_and_claims_of_spin_accept_the_same_words() {
    if !is_spin_installed() {
        eprintln!("spin is not installed: nothing was compared");
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let wanted = number("DAMPF_LTL_FORMULAS").unwrap_or(25);
    let first_seed = number("DAMPF_LTL_SEED").unwrap_or(0) as u64;
    let (mut ours, mut theirs) = (Sizes::default(), Sizes::default());
    let (mut compared, mut given_up, mut proved, mut larger) = (0, 0, 0, 0);
    for seed in first_seed.. {
        if compared == wanted {
            break;
        }
        let mut random = Random(seed);
        let propositions = 1 + random.below(3) as u32;
        let operators = 2 + random.below(9);
        let formula = random.formula(operators, propositions, false);
        let negated = formula.negated();
        let claims = (claim(&spelled(&formula)), claim(&format!("! ({})", spelled(&formula))));
        let (Some((positive, positive_edges)), Some((negative, _))) = claims else {
            given_up += 1;
            assert!(given_up <= wanted / 5 + 5, "SPIN translates too few formulas, the last is {formula}");
            continue;
        };
        let (automaton, negation) = (translate(&formula), translate(&negated));
        for _ in 0..WORDS {
            let word = random.word(propositions);
            let expected = word.satisfies(&formula);
            assert_eq!(word.is_accepted(&positive), expected, "SPIN: seed {seed}, {formula}, {word:?}");
            assert_eq!(word.is_accepted(&negative), !expected, "SPIN: seed {seed}, !({formula}), {word:?}");
            assert_eq!(word.is_accepted(&automaton), expected, "seed {seed}, {formula}, {word:?}");
            assert_eq!(word.is_accepted(&negation), !expected, "seed {seed}, !({formula}), {word:?}");
        }
        let pairs = [(&automaton, &negation), (&automaton, &negative), (&positive, &negation), (&positive, &negative)];
        if pairs.iter().all(|(one, two)| one.locations.len() * two.locations.len() <= PAIRS_MAX) {
            for (one, two) in pairs {
                assert!(are_disjoint(one, two, propositions), "seed {seed}, {formula}");
            }
            proved += 1;
        }
        compared += 1;
        if compared % 100 == 0 {
            println!("{compared} formulas, to seed {seed}");
        }
        larger += usize::from(automaton.locations.len() > positive.locations.len());
        ours.add(&automaton, edges(&automaton));
        theirs.add(&positive, positive_edges);
    }
    println!("{compared} formulas, {proved} with empty intersections, {given_up} that SPIN gave up");
    println!("ours:   {}", ours.show(compared));
    println!("SPIN's: {}", theirs.show(compared));
    println!("ours has more locations for {larger}");
    assert!(ours.locations <= theirs.locations && ours.edges <= theirs.edges, "ours are larger on average");
}
