//! Automata in the HOA format: what is written can be read again, and what others write.

mod oracle;

use dampf_ltl::{parse_hoa, translate, write_hoa};
use oracle::random::Random;
use oracle::word::Word;

#[test]
fn what_is_written_is_read_again() {
    let names = ["x > 3".to_owned(), "a \"quoted\" \\ one".to_owned(), "r".to_owned()];
    for seed in 0..300 {
        let automaton = translate(&Random(seed).formula(8, 3, true));
        let text = write_hoa(&automaton, &names);
        let (again, again_names) = parse_hoa(&text).unwrap_or_else(|diagnostic| panic!("{diagnostic}\n{text}"));
        assert_eq!(again_names, names);
        // Edges to one target may be joined anew: words decide.
        assert_eq!(again.locations.len(), automaton.locations.len());
        let mut random = Random(seed);
        for _ in 0..20 {
            let word = random.word(3);
            assert_eq!(word.is_accepted(&again), word.is_accepted(&automaton), "seed {seed}, {word:?}\n{text}");
        }
    }
}

#[test]
fn a_written_automaton_looks_like_this() {
    let formula = dampf_ltl::parse("p U q").expect("a formula");
    let automaton = dampf_core::Automaton { name: "p U q".to_owned(), ..translate(&formula.formula) };
    let expected = r#"HOA: v1
name: "p U q"
States: 2
Start: 0
AP: 2 "p" "q"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc
--BODY--
State: 0 "wait0"
[0&!1] 0
[1] 1
State: 1 "accept1" {0}
[t] 1
--END--
"#;
    assert_eq!(write_hoa(&automaton, &["p".to_owned(), "q".to_owned()]), expected);
}

fn with(header: &str, body: &str) -> String {
    format!("HOA: v1\n{header}\n--BODY--\n{body}\n--END--\n")
}

/// The words `p q`, `p`, `q` and none, each for ever, and whether they are accepted.
fn constant_words(text: &str) -> [bool; 4] {
    let (automaton, _) = parse_hoa(text).unwrap_or_else(|diagnostic| panic!("{diagnostic}\n{text}"));
    [3, 1, 2, 0].map(|letter| Word { letters: vec![letter], back_to: 0 }.is_accepted(&automaton))
}

#[test]
fn forms_of_acceptance_and_labels_are_read() {
    let two = "States: 1 Start: 0 AP: 2 \"p\" \"q\"";
    let generalized = format!("{two} acc-name: generalized-Buchi 2 Acceptance: 2 (Inf(0) & Inf(1))");
    assert_eq!(
        constant_words(&with(&generalized, "State: 0 [0&1] 0 {0 1} [0&!1] 0 {0} [!0&1] 0 {1} [!0&!1] 0")),
        [true, false, false, false]
    );
    let one = format!("{two} Acceptance: 1 Inf(0)");
    assert_eq!(constant_words(&with(&one, "State: 0 [0|1] 0 {0} [!(0|1)] 0")), [true, true, true, false]);
    assert_eq!(constant_words(&with(&one, "State: [0] 0 \"only\" {0} 0")), [true, true, false, false]);
    assert_eq!(constant_words(&with(&one, "State: 0 {0} 0 0 0 /* one edge a /* letter */ */ 0")), [true; 4]);
    let aliased = format!("{two} Acceptance: 0 t Alias: @a 0 Alias: @b !@a & 1");
    assert_eq!(constant_words(&with(&aliased, "State: 0 [@b | f] 0")), [false, false, true, false]);
    let starts =
        "States: 2 Start: 0 Start: 1 AP: 2 \"p\" \"q\" Acceptance: 1 Inf(0) tool: \"any\" \"1.0\" properties: x y";
    assert_eq!(constant_words(&with(starts, "State: 0 {0} [0] 0 State: 1 {0} [1] 1")), [true, true, true, false]);
    assert_eq!(constant_words(&with("AP: 0 Acceptance: 0 t", "")), [false; 4]);
}

#[test]
fn random_automata_with_two_sets_keep_their_words() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let count = 1 + random.below(4);
        // Sets of transitions, as text and as a list of edges.
        let mut body = String::new();
        let mut edges = Vec::new();
        for state in 0..count {
            body.push_str(&format!("State: {state}\n"));
            for _ in 0..random.below(4) {
                let (letter, target, marks) = (random.below(4), random.below(count), random.below(4));
                let sets = ["", "{0}", "{1}", "{0 1}"][marks];
                let sign = |bit: usize| if letter >> bit & 1 == 1 { "" } else { "!" };
                body.push_str(&format!("[{}0 & {}1] {target} {sets}\n", sign(0), sign(1)));
                edges.push((state, letter as u32, target, marks));
            }
        }
        let text = with(&format!("States: {count} Start: 0 AP: 2 \"p\" \"q\" Acceptance: 2 Inf(0)&Inf(1)"), &body);
        let (automaton, _) = parse_hoa(&text).unwrap_or_else(|diagnostic| panic!("{diagnostic}\n{text}"));
        for _ in 0..30 {
            let word = random.word(2);
            assert_eq!(word.is_accepted(&automaton), accepts(&edges, count, &word), "seed {seed}, {word:?}\n{text}");
        }
    }
}

/// Acceptance by marks on edges: a place remembers the marks of the edge that led to it.
fn accepts(edges: &[(usize, u32, usize, usize)], count: usize, word: &Word) -> bool {
    let after = |at: usize| if at + 1 < word.letters.len() { at + 1 } else { word.back_to };
    let place = |at: usize, state: usize, marks: usize| (at * count + state) * 4 + marks;
    let mut successors = vec![Vec::new(); word.letters.len() * count * 4];
    for at in 0..word.letters.len() {
        for &(source, letter, target, marks) in edges.iter().filter(|edge| edge.1 == word.letters[at]) {
            assert_eq!(letter, word.letters[at]);
            for before in 0..4 {
                successors[place(at, source, before)].push(place(after(at), target, marks));
            }
        }
    }
    oracle::has_fair_cycle(&successors, 0, &[&|place| place & 1 == 1, &|place| place & 2 == 2])
}

#[test]
fn every_error_says_what_and_where() {
    let fine = "States: 1 Start: 0 AP: 1 \"p\" Acceptance: 1 Inf(0)";
    let whole = |header: &str, body: &str| with(header, body);
    for (text, message) in [
        ("never { }".to_owned(), "1:1: an automaton in the HOA format begins with `HOA: v1`"),
        ("HOA: v2".to_owned(), "1:6: only version `v1` of the HOA format is read"),
        (whole("AP: 2 \"p\"", ""), "2:1: 2 propositions are announced, and 1 are named"),
        (whole("AP: 0", ""), "3:1: the header has no `Acceptance:`"),
        (whole("Acceptance: 1 Fin(0)", ""), "2:15: the acceptance condition is not supported"),
        (whole("Acceptance: 2 Inf(0)|Inf(1)", ""), "2:1: the acceptance condition is not supported"),
        (whole("Acceptance: 1 Inf(!0)", ""), "2:15: the acceptance condition is not supported"),
        (whole("Acceptance: 1 Inf(3)", ""), "2:15: there is no set 3"),
        (whole("Parity: 1", ""), "2:1: `Parity:` is not supported, and the automaton may depend on it"),
        (whole("Start: 0&1", ""), "2:9: alternating automata are not supported"),
        (whole(fine, "State: 0 [t] 0&0"), "4:15: alternating automata are not supported"),
        (whole(fine, "State: 0 [1] 0"), "4:11: there is no proposition 1"),
        (whole(fine, "State: 0 [@x] 0"), "4:11: the alias `@x` is not defined"),
        (whole(fine, "State: 0 [0 0"), "4:13: `]` is expected"),
        (whole(fine, "State: 0 [0] 0 {1}"), "4:17: there is no acceptance set 1"),
        (whole(fine, "State: 0 [0] 1"), "4:10: there is no state 1"),
        (whole(fine, "State: 1"), "4:8: there is no state 1"),
        (whole(fine, "State: 0 State: 0"), "4:17: state 0 is defined twice"),
        (whole(fine, "State: 0 0"), "4:8: 1 edges have no label, and there are 2 letters"),
        (whole(fine, "State: [0] 0 [0] 0"), "4:14: labels stand at a state or at all of its edges"),
        (whole(&fine.replace("Start: 0", "Start: 4"), ""), "2:11: there is no state 4"),
        (whole(fine, "--ABORT--"), "4:1: whoever wrote the automaton gave up"),
        (with(fine, "") + "HOA: v1", "6:1: something follows the automaton"),
        (whole("States: 99999999", ""), "2:1: more than 1000000 states are not read"),
        (whole("States: 99999999999", ""), "2:9: a number is too large"),
        (whole("name: \"x", ""), "2:7: a quoted text is never closed"),
        (whole("/* x", ""), "2:1: a comment is never closed"),
        (whole("#", ""), "2:1: `#` has no meaning in an automaton"),
        (whole("3", ""), "2:1: an item of the header, or `--BODY--`, is expected"),
        (whole(fine, "Edge"), "4:1: `State:` or `--END--` is expected"),
    ] {
        let diagnostic = parse_hoa(&text).expect_err(&text);
        let told = diagnostic.to_string();
        assert!(told.starts_with(&format!("automaton:{message}")), "{told} instead of {message}");
    }
}
