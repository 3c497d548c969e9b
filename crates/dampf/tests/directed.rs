//! Searches that go by a heuristic, scouts, and `dampf shorten`: for every front end, with runs that replay.

mod running;

use running::program::has_compiler;
use running::{Playground, on_own_models, own_models, summary_of};
use serde_json::Value;

/// Searches that come to the end of a space.
const SEARCHES: [&[&str]; 9] = [
    &["--search", "auto"],
    &["--search", "best-first"],
    &["--search", "best-first", "--heuristic", "pl1+alive", "--threads", "2"],
    &["--search", "best-first", "--heuristic", "interleaving", "--store", "exact"],
    &["--search", "random"],
    &["--search", "random", "--seed", "5", "--threads", "2"],
    &["--search", "astar"],
    &["--search", "astar", "--heuristic", "pbb"],
    &["--search", "beam", "--beam-width", "1000000"],
];

fn steps(result: &Value) -> u64 {
    result["errors"][0]["steps"].as_u64().unwrap_or_else(|| panic!("{result}"))
}

#[test]
fn whole_spaces_have_the_same_states_and_verdicts() {
    for name in ["dve/philosophers_ordered.dve", "dve/peterson.dve", "dmc/adding.dmc", "promela/alternating_bit.pml"] {
        let check = |options: &[&str]| summary_of(&[&["check", name, "--keep-going", "--no-claims"], options].concat());
        let expected = check(&["--search", "bfs"]);
        for search in SEARCHES {
            let result = check(search);
            for field in ["verdict", "states", "transitions", "faults"] {
                assert_eq!(result[field], expected[field], "{field} of {name} {search:?}");
            }
        }
    }
}

#[test]
fn deadlocks_are_found_and_runs_are_made_short() {
    let path = "dve/philosophers_deadlock.dve";
    let shortest = steps(&summary_of(&["check", path]));
    for search in SEARCHES.iter().copied().chain([&["--search", "idastar"][..], &["--search", "iddfs"]]) {
        let result = summary_of(&[&["check", path], search].concat());
        assert_eq!((&result["verdict"], &result["error"]["kind"]), (&"violated".into(), &"deadlock".into()));
        assert_eq!(steps(&result), shortest, "{search:?}");
    }
}

#[test]
fn programs_are_searched_in_every_order() {
    if !has_compiler() {
        return;
    }
    let path = "cpp/philosophers.cc";
    for (arguments, verdict) in [(&["-D", "N=5"][..], "violated"), (&["-D", "N=3", "-D", "LEFT_HANDED"], "verified")] {
        for search in SEARCHES {
            let result = summary_of(&[&["check", path], arguments, search].concat());
            assert_eq!(result["verdict"], verdict, "{arguments:?} {search:?}");
        }
    }
    // Far too many for any other order.
    let result = summary_of(&["check", path, "-D", "N=100", "--search", "best-first", "--max-states", "100000"]);
    assert_eq!(result["error"]["kind"], "deadlock");
}

#[test]
fn a_beam_that_threw_states_away_says_so() {
    let result = summary_of(&["check", "dve/philosophers_ordered.dve", "--search", "beam", "--beam-width", "2"]);
    assert_eq!(result["verdict"], "unknown");
}

#[test]
fn a_trail_becomes_as_short_as_it_can_be() {
    let playground = Playground::new();
    let path = own_models().join("dve/philosophers_deadlock.dve").display().to_string();
    let found = playground.dampf(&["check", &path, "--search", "dfs", "--trail", "deep.trail"]);
    assert_eq!(found.status, 1, "{found:?}");
    let shortened = playground.dampf(&["shorten", "deep.trail", "-o", "short.trail"]);
    assert_eq!(shortened.status, 0, "{shortened:?}");
    let shortest = steps(&summary_of(&["check", &path]));
    assert!(shortened.stderr.contains(&format!("{shortest} steps instead of ")), "{shortened:?}");
    let replayed = playground.dampf(&["replay", "short.trail"]);
    assert!(replayed.status == 0 && replayed.stdout.contains("deadlock"), "{replayed:?}");
    let again = playground.dampf(&["shorten", "short.trail"]);
    assert!(again.status == 0 && again.stderr.contains("no shorter run"), "{again:?}");
    playground.refused(&["shorten", "missing.trail"], "missing.trail");
}

#[test]
fn what_does_not_go_together_is_refused() {
    for (arguments, told) in [
        (&["--search", "bfs", "--heuristic", "mb"][..], "--heuristic says nothing to --search bfs"),
        (&["--search", "astar", "--threads", "2"], "--search astar has one thread"),
        (&["--search", "random", "--ranks", "2"], "--search random is a search by one process"),
        (&["--search", "best-first", "--heuristic", "mb", "--ranks", "2"], "goes by the number of steps"),
        (&["--search", "best-first", "--heuristic", "nose"], "there is no heuristic `nose`"),
        (&["--seed", "3"], "--seed says nothing to --search auto"),
        (&["--search", "iddfs", "--store", "disk"], "keeps whole states"),
        (&["--search", "random", "--store", "disk"], "level by level"),
    ] {
        let refused = on_own_models(&[&["check", "dve/peterson.dve"], arguments].concat());
        assert!(refused.status == 2 && refused.stderr.contains(told), "{arguments:?}: {refused:?}");
    }
}
