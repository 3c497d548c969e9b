//! Properties of runs on the command line.

mod running;

use expect_test::expect;
use running::{Finished, Playground};

/// A process that counts round and round, and one that may count, too.
const COUNTERS: &[u8] = b"byte x, y;
active proctype Round() { do :: x = (x + 1) % 3 od }
active proctype Other() { do :: y == 0 -> y = 1 :: y == 1 -> break od }
ltl again { [] <> (x == 0) }
ltl ends { <> [] (y == 1) }
";

fn counters() -> Playground {
    let playground = Playground::new();
    playground.write("counters.pml", COUNTERS);
    playground
}

fn check(playground: &Playground, arguments: &[&str]) -> Finished {
    playground.dampf(&[&["check", "counters.pml", "--progress", "never"], arguments].concat())
}

fn first_line(finished: &Finished) -> &str {
    finished.stdout.lines().next().unwrap_or_default()
}

#[test]
fn all_properties_of_a_model_are_checked() {
    let playground = counters();
    let checked = check(&playground, &[]);
    assert_eq!(checked.status, 1, "{checked:?}");
    assert_eq!(first_line(&checked), "violated: property `ends` does not hold: <> [] ( y == 1 )");
    let again = check(&playground, &["--property", "again"]);
    assert_eq!((again.status, first_line(&again)), (0, "verified: every run satisfies `again`"));
}

/// Nobody has to let both processes move; whoever is fair does.
#[test]
fn fairness_leaves_runs_out() {
    let playground = counters();
    for cycles in ["auto", "scc"] {
        let fair = check(&playground, &["--fairness", "weak", "--cycles", cycles]);
        assert_eq!(fair.status, 0, "{fair:?}");
        assert_eq!(first_line(&fair), "verified: every run that is fair to all satisfies `again`, `ends`");
    }
}

#[test]
fn a_run_that_goes_on_for_ever_is_shown_as_such() {
    let playground = counters();
    let checked = check(&playground, &["--ltl", "<> [] (x == 0)", "--trail", "t.json"]);
    let shown: Vec<&str> = checked.stdout.lines().take_while(|line| *line != "search").collect();
    expect![[r#"
        violated: property `<> [] (x == 0)` does not hold

        initial state (without 3 values that never change here)
          x = 0

        4 steps
            1  Round:0  counters.pml:2  x = (x + 1) % 3
                 x: 0 -> 1
          steps 2 to 4 are repeated for ever:
            2  Round:0  counters.pml:2  x = (x + 1) % 3
                 x: 1 -> 2
            3  Round:0  counters.pml:2  x = (x + 1) % 3
                 x: 2 -> 0
            4  Round:0  counters.pml:2  x = (x + 1) % 3
                 x: 0 -> 1

        final state (without 3 values that never change here)
          x = 1
    "#]]
    .assert_eq(&format!("{}\n", shown.join("\n").trim_end()));
    let replayed = playground.dampf(&["replay", "t.json"]);
    assert_eq!((replayed.status, replayed.stderr.as_str()), (0, ""), "{replayed:?}");
    assert!(replayed.stdout.contains("steps 2 to 4 are repeated for ever"), "{replayed:?}");
    let json = check(&playground, &["--ltl", "<> [] (x == 0)", "--json", "-"]);
    assert!(json.stdout.contains(r#""cycle_start": 1"#) && json.stdout.contains(r#""kind": "property""#), "{json:?}");
}

/// A run that ends stays where it ends, and what is forbidden may happen once.
#[test]
fn runs_that_end_and_safety() {
    let playground = Playground::new();
    playground.write("ends.pml", b"byte x;\nactive proctype P() { x = 1; x = 2 }\n");
    let stays = playground.dampf(&["check", "ends.pml", "--ltl", "<> (x == 3)"]);
    assert_eq!(stays.status, 1, "{stays:?}");
    assert!(stays.stdout.contains("there it stays for ever"), "{stays:?}");
    let forbidden = playground.dampf(&["check", "ends.pml", "--ltl", "[] (x < 2)", "--trail", "t.json"]);
    assert_eq!(forbidden.status, 1, "{forbidden:?}");
    assert!(first_line(&forbidden).contains("what it forbids has happened"), "{forbidden:?}");
    assert_eq!(playground.dampf(&["replay", "t.json"]).status, 0);
    let holds = playground.dampf(&["check", "ends.pml", "--ltl", "<> [] (x == 2)"]);
    assert_eq!((holds.status, first_line(&holds)), (0, "verified: every run satisfies `<> [] (x == 2)`"));
}

#[test]
fn every_search_comes_to_the_same_verdict() {
    let playground = counters();
    for cycles in ["ndfs", "dual-core", "cndfs", "scc"] {
        for threads in ["1", "2", "4"] {
            let violated = check(&playground, &["--property", "ends", "--cycles", cycles, "--threads", threads]);
            assert_eq!(violated.status, 1, "{cycles}, {threads}: {violated:?}");
            let ltl = "[] (x < 3)";
            let holds = check(&playground, &["--ltl", ltl, "--cycles", cycles, "--threads", threads]);
            assert_eq!(holds.status, 0, "{cycles}, {threads}: {holds:?}");
        }
    }
}

/// The same run for any number of threads.
#[test]
fn predictable() {
    let playground = counters();
    let told = |threads: &str| {
        let checked = check(&playground, &["--property", "ends", "--deterministic", "--threads", threads]);
        checked.stdout.lines().take_while(|line| *line != "search").map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(told("1"), told("4"));
}

#[test]
fn labels_of_processes() {
    let playground = Playground::new();
    playground.write(
        "labels.pml",
        b"byte x;\nactive proctype P() { accept: do :: x = 1 - x :: x == 1 -> progress: x = 0 od }\n",
    );
    let status = |option: &str| playground.dampf(&["check", "labels.pml", option]).status;
    assert_eq!(status("--acceptance"), 1);
    assert_eq!(status("--non-progress"), 1);
    let plain = playground.dampf(&["check", "labels.pml"]);
    assert_eq!(plain.status, 0, "labels are looked at where that is asked for: {plain:?}");
}

#[test]
fn automata_in_files() {
    let playground = counters();
    playground.write(
        "never.hoa",
        b"HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"x == 2\"\nAcceptance: 1 Inf(0)\n--BODY--\n\
          State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n",
    );
    let violated = check(&playground, &["--buchi", "never.hoa"]);
    assert_eq!(violated.status, 1, "x is 2 some time: {violated:?}");
    playground.write("broken.hoa", b"HOA: v1\nStates: 2\nStart: 0\n");
    let broken = check(&playground, &["--buchi", "broken.hoa"]);
    assert_eq!(broken.status, 2, "{broken:?}");
    assert!(broken.stderr.contains("broken.hoa"), "{broken:?}");
}

#[test]
fn reduction_is_left_out_where_it_would_be_noticed() {
    let playground = counters();
    let reduced = check(&playground, &["--ltl", "[] (x < 3)", "--reduce", "por"]);
    assert_eq!(reduced.status, 0, "{reduced:?}");
    let counting = check(&playground, &["--ltl", "X (x == 1)", "--reduce", "por"]);
    assert_eq!(counting.status, 1, "{counting:?}");
    assert!(counting.stdout.contains("no steps are left out"), "{counting:?}");
}

#[test]
fn what_is_refused_says_what_to_do() {
    let playground = counters();
    for (arguments, said) in [
        (&["--property", "agian"][..], "it has `again`, `ends`"),
        (&["--ltl", "[] (x ==="], "formula"),
        (&["--ltl", "[] (nobody == 1)"], "nobody"),
        (&["--property", "ends", "--store", "disk"], "--no-claims"),
        (&["--property", "ends", "--search", "dfs"], "--cycles"),
        (&["--no-claims", "--fairness", "weak"], "--ltl FORMULA"),
    ] {
        let refused = check(&playground, arguments);
        assert_eq!(refused.status, 2, "{arguments:?}: {refused:?}");
        assert!(refused.stderr.contains(said), "{arguments:?}: {refused:?}");
    }
}

#[test]
fn limits_hold() {
    let playground = Playground::new();
    playground.write("endless.pml", b"int x;\nactive proctype P() { do :: x++ od }\nltl p { [] <> (x == 0) }\n");
    for limit in [["--max-states", "1000"], ["--max-time", "1"]] {
        let limited = playground.dampf(&[&["check", "endless.pml"], &limit[..]].concat());
        assert_eq!(limited.status, 3, "{limited:?}");
    }
}

#[test]
fn ranks_come_to_the_same_verdict() {
    let playground = counters();
    for ranks in ["2", "3"] {
        let violated = check(&playground, &["--property", "ends", "--ranks", ranks]);
        assert_eq!(violated.status, 1, "{ranks}: {violated:?}");
        let holds = check(&playground, &["--property", "again", "--ranks", ranks]);
        assert_eq!(holds.status, 0, "{ranks}: {holds:?}");
        let fair = check(&playground, &["--fairness", "weak", "--ranks", ranks]);
        assert_eq!(fair.status, 0, "{fair:?}");
        assert_eq!(first_line(&fair), "verified: every run that is fair to all satisfies `again`, `ends`");
    }
    let told = |ranks: &str| {
        let checked = check(&playground, &["--property", "ends", "--deterministic", "--ranks", ranks]);
        checked.stdout.lines().take_while(|line| *line != "search").map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(told("2"), told("3"), "the same run for any number of ranks");
}

/// Every way that ranks have, with local search where that misses nothing; and without --ranks, on one.
#[test]
fn every_way_of_ranks_comes_to_the_same_verdict() {
    let playground = counters();
    let local = ["--local-search", "3", "--search", "first-come"];
    for (cycles, has_local) in
        [("owcty", false), ("naive-nested", true), ("improved-nested", false), ("bounded-nested", true)]
    {
        for ranks in [&[][..], &["--ranks", "2"], &["--ranks", "3"]] {
            for more in [&[][..], &local] {
                let arguments = [&["--cycles", cycles], ranks, more].concat();
                let asked =
                    |property: &'static str| check(&playground, &[&["--property", property], &arguments[..]].concat());
                let (violated, holds) = (asked("ends"), asked("again"));
                if more.is_empty() || has_local {
                    assert_eq!((violated.status, holds.status), (1, 0), "{arguments:?}: {violated:?} {holds:?}");
                    assert!(violated.stdout.contains("repeated for ever"), "{arguments:?}: {violated:?}");
                } else {
                    assert_eq!((violated.status, holds.status), (2, 2), "{arguments:?}: {violated:?} {holds:?}");
                }
            }
            let fair = check(&playground, &[&["--fairness", "weak", "--cycles", cycles], ranks].concat());
            assert_eq!(fair.status, 0, "{cycles} {ranks:?}: {fair:?}");
        }
    }
}

/// A bound leaves the question open where it leaves something out, and is obeyed by runs that are found.
#[test]
fn nested_searches_of_ranks_are_bounded() {
    let playground = counters();
    let asked = |property: &'static str, depth: &'static str| {
        let bounded = ["--cycles", "bounded-nested", "--ranks", "2", "--max-depth", depth];
        check(&playground, &[&["--property", property], &bounded[..]].concat())
    };
    assert_eq!(asked("again", "3").status, 3);
    assert_eq!(asked("ends", "1").status, 3);
    assert_eq!(asked("ends", "100").status, 1);
}

#[test]
fn what_ranks_do_not_have_is_refused() {
    let playground = counters();
    for (arguments, said) in [
        (&["--cycles", "ndfs"][..], "--cycles owcty, naive-nested, improved-nested and bounded-nested"),
        (&["--cycles", "cndfs"], "ranks have --cycles"),
        (&["--cycles", "dual-core"], "ranks have --cycles"),
        (&["--cycles", "scc"], "ranks have --cycles"),
        (&["--cycles", "naive-nested", "--deterministic"], "bounded-nested"),
        (&["--cycles", "improved-nested", "--deterministic"], "bounded-nested"),
        (&["--local-search", "3", "--search", "first-come"], "--cycles bounded-nested or naive-nested"),
        (&["--cycles", "bounded-nested", "--local-search", "3"], "--search first-come"),
        (&["--cycles", "bounded-nested", "--checkpoint", "there"], "--cycles owcty"),
    ] {
        let refused = check(&playground, &[&["--ranks", "2", "--property", "ends"], arguments].concat());
        assert_eq!(refused.status, 2, "{arguments:?}: {refused:?}");
        assert!(refused.stderr.contains(said), "{arguments:?}: {refused:?}");
        assert_eq!(refused.stderr.matches("error").count(), 1, "{arguments:?}: {refused:?}");
    }
    let told = |ranks: &str| {
        let bounded = ["--property", "ends", "--deterministic", "--cycles", "bounded-nested", "--ranks", ranks];
        let checked = check(&playground, &bounded);
        assert_eq!(checked.status, 1, "{checked:?}");
        checked.stdout.lines().take_while(|line| *line != "search").map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(told("1"), told("3"), "the same run for any number of ranks");
}
