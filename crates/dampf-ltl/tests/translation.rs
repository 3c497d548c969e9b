//! Known formulas: the sizes of their automata, their final locations, whether they are stutter-invariant.

mod oracle;

use dampf_ltl::{is_stutter_invariant, parse, translate, violations, with_final_locations};
use oracle::edges;
use oracle::random::Random;

/// Locations and edges of the automaton of the formula.
fn size(text: &str) -> (usize, usize) {
    let automaton = translate(&parse(text).expect(text).formula);
    (automaton.locations.len(), edges(&automaton))
}

#[test]
fn known_formulas_have_small_automata() {
    for (text, locations, edges) in [
        ("true", 1, 1),
        ("false", 1, 0),
        ("p", 2, 2),
        ("[] p", 1, 1),
        ("<> p", 2, 3),
        ("[] <> p", 2, 4),
        ("<> [] p", 2, 3),
        ("<> [] <> p", 2, 4),
        ("p U q", 2, 3),
        ("p V q", 2, 3),
        ("p W q", 2, 3),
        ("p U (q U r)", 3, 6),
        ("[] (p -> <> q)", 2, 5),
        ("! [] (p -> <> q)", 2, 3),
        ("[] (p -> X q)", 2, 4),
        ("[]<> p && []<> q", 3, 8),
        ("[]<> p -> []<> q", 4, 8),
        ("!([]<> p -> []<> q)", 3, 6),
        ("!([]<> p && []<> q && []<> r -> []<> s)", 5, 15),
        ("<> p && <> q && <> r", 8, 27),
        ("<> p || <> q || <> r", 2, 5),
        ("p U q -> <> q", 1, 1),
        ("p && X p && X X p", 4, 4),
    ] {
        assert_eq!(size(text), (locations, edges), "{text}");
    }
}

#[test]
fn ordinary_formulas_take_no_time() {
    let begin = std::time::Instant::now();
    // Well under a second each; the bound is for machines that do other things, too.
    for text in [
        "!([] (p1 -> <> q1) && [] (p2 -> <> q2) && [] (p3 -> <> q3) && [] (p4 -> <> q4))",
        "!(([]<> a -> []<> b) && ([]<> c -> []<> d))",
        "[] (call && <> open -> ((!atfloor && !open) U (open || ((atfloor && !open) U (open || \
         ((!atfloor && !open) U (open || ((atfloor && !open) U (open || (!atfloor U open))))))))))",
        "p0 U (p1 U (p2 U (p3 U (p4 U (p5 U (p6 U (p7 U p8)))))))",
        "[]<> a1 && []<> a2 && []<> a3 && []<> a4 && []<> a5 && []<> a6 && []<> a7 && []<> a8",
        "!(([]<> a1 && []<> a2 && []<> a3 && []<> a4 && []<> a5) -> [] (b -> <> c))",
    ] {
        let automaton = translate(&parse(text).expect(text).formula);
        println!("{:?}: {} locations, {text}", begin.elapsed(), automaton.locations.len());
        assert!(automaton.locations.len() <= 70, "{text}: {} locations", automaton.locations.len());
    }
    assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
}

#[test]
fn violations_are_the_runs_of_the_negation() {
    let parsed = parse("[] p").expect("a formula");
    let automaton = violations(&parsed, "safe");
    assert_eq!(automaton.name, "safe");
    assert_eq!(automaton, dampf_core::Automaton { name: "safe".to_owned(), ..translate(&parsed.formula.negated()) });
}

#[test]
fn final_locations_are_those_that_accept_everything() {
    let marked = |text: &str| {
        let automaton = with_final_locations(&translate(&parse(text).expect(text).formula));
        automaton.locations.iter().map(|location| location.is_final).collect::<Vec<_>>()
    };
    assert_eq!(marked("<> p"), [false, true]);
    assert_eq!(marked("[] p"), [false]);
    assert_eq!(marked("true"), [true]);
    assert_eq!(marked("[] <> p"), [false, false]);
}

#[test]
fn final_locations_accept_every_word() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let automaton = with_final_locations(&translate(&random.formula(6, 2, true)));
        for (number, location) in automaton.locations.iter().enumerate().filter(|(_, location)| location.is_final) {
            let from_there = dampf_core::Automaton { initial: number as u32, ..automaton.clone() };
            for _ in 0..20 {
                assert!(random.word(2).is_accepted(&from_there), "seed {seed}, {}", location.name);
            }
        }
    }
}

#[test]
fn stutter_invariance_is_decided() {
    for (text, expected) in [
        ("[] (p -> <> q)", true),
        ("X p", false),
        ("p && X p", false),
        ("X <> p", false),
        ("X []<> p", true),
        ("<> (p && X p)", false),
        ("<> (p && X !p)", true),
        ("p U (q && X r)", false),
        ("X p || X !p", true),
        ("[] (p -> X p)", true),
        ("p U X q", false),
    ] {
        assert_eq!(is_stutter_invariant(&parse(text).expect(text).formula), expected, "{text}");
    }
}

#[test]
fn invariant_formulas_hold_of_stuttered_words_alike() {
    let (mut invariant, mut with_next) = (0, 0);
    for seed in 0..1_500 {
        let mut random = Random(seed);
        let operators = 1 + random.below(6);
        let formula = random.formula(operators, 2, true);
        let has_next = formula.to_string().contains('X');
        let claimed = is_stutter_invariant(&formula);
        let mut differs = false;
        for _ in 0..40 {
            let word = random.word(2);
            let mut stuttered = word.clone();
            let place = random.below(word.letters.len());
            stuttered.letters.insert(place, word.letters[place]);
            stuttered.back_to += usize::from(place < word.back_to);
            differs |= word.satisfies(&formula) != stuttered.satisfies(&formula);
        }
        assert!(!(claimed && differs), "seed {seed}, {formula}");
        with_next += usize::from(has_next);
        invariant += usize::from(has_next && claimed);
    }
    assert!(invariant > 50 && invariant < with_next, "{invariant} of {with_next}");
}
