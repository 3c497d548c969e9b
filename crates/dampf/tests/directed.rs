//! Searches that go by a heuristic, scouts, and `dampf shorten`: for every front end, with runs that replay.

mod running;

use dampf_testkit::puzzle::Board;
use running::program::has_compiler;
use running::{Playground, on_own_models, own_models, summary_of};
use serde_json::Value;

/// Searches that come to the end of a space.
const SEARCHES: [&[&str]; 10] = [
    &["--search", "auto"],
    &["--search", "best-first"],
    &["--search", "best-first", "--heuristic", "pl1+alive", "--threads", "2"],
    &["--search", "best-first", "--heuristic", "interleaving", "--store", "exact"],
    &["--search", "random"],
    &["--search", "random", "--seed", "5", "--threads", "2"],
    &["--search", "astar"],
    &["--search", "astar", "--heuristic", "pbb"],
    &["--search", "best-first", "--heuristic", "branch-coverage"],
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

/// A model, what is looked for, and estimates that are never too much.
const DISTANCES: [(&str, &[&str], &[&str]); 3] = [
    (
        "dve/puzzle.dve",
        &["--goal", "tile[0] == 0 && tile[1] == 1 && tile[2] == 2 && tile[3] == 3 && tile[4] == 4 && tile[5] == 5"],
        &[
            "distance((tile[4] != 4 && tile[4] != 0) + (tile[5] != 5 && tile[5] != 0))",
            "distance((tile[3] / 3 != 1 && tile[3] != 0) + (tile[4] / 3 != 1 && tile[4] != 0))",
            "formula-bound",
            "pdb(tile, empty)",
        ],
    ),
    (
        "dmc/hanoi.dmc",
        &["-D", "N=4", "--goal", "height[2] == N + 1"],
        &["distance(N + 1 - height[2])", "formula-bound", "pdb", "pdb(height)"],
    ),
    (
        "promela/workers.pml",
        &["-D", "JOBS=2", "--goal", "done == 2"],
        &["distance(2 - done)", "formula-bound", "pdb(done)"],
    ),
];

#[test]
fn runs_are_shortest_by_what_is_said_of_the_distance() {
    for (path, goal, heuristics) in DISTANCES {
        let only = ["check", path, "--only", "goal", "--no-claims"];
        let shortest = summary_of(&[&only, goal, &["--search", "bfs"]].concat());
        for heuristic in heuristics {
            for search in ["astar", "idastar"] {
                let found = summary_of(&[&only, goal, &["--search", search, "--heuristic", heuristic]].concat());
                assert_eq!(found["error"]["kind"], "goal", "{path} {search} {heuristic}: {found}");
                assert_eq!(steps(&found), steps(&shortest), "{path} {search} {heuristic}");
            }
        }
        let guess = summary_of(&[&only, goal, &["--search", "best-first", "--heuristic", "formula + bc"]].concat());
        assert_eq!(guess["error"]["kind"], "goal", "{path}: {guess}");
    }
}

#[test]
fn what_is_wrong_with_a_heuristic_is_pointed_at() {
    for (path, arguments, told) in [
        ("dve/peterson.dve", &["--heuristic", "mb + distance(turn + )"][..], "expression:1:"),
        ("dve/peterson.dve", &["--heuristic", "distance(nobody)"], "nobody"),
        ("dmc/hanoi.dmc", &["--heuristic", "distance(height[2] +)"], "expression:1:"),
        ("promela/workers.pml", &["--heuristic", "distance(done + )"], "expression:1:"),
        ("dve/peterson.dve", &["--heuristic", "mb + distance(turn"], "--heuristic:1:14: `)` is missing"),
        ("dve/peterson.dve", &["--heuristic", "published"], "HEURISTIC(...)"),
        ("dve/philosophers_ordered.dve", &["--heuristic", "formula"], "no assertions, invariants or goals"),
        ("dve/peterson.dve", &["--heuristic", "pdb(turn, nobody)"], "there is no process or variable `nobody`"),
    ] {
        let refused = on_own_models(&[&["check", path, "--search", "best-first"], arguments].concat());
        assert!(refused.status == 2 && refused.stderr.contains(told), "{arguments:?}: {refused:?}");
    }
}

#[test]
fn an_input_says_what_can_be_estimated_by() {
    let told = on_own_models(&["info", "dve/peterson.dve"]);
    for part in ["heuristics", "most-blocked", "branch-coverage", "distance(turn)", "of 2 conditions", "pdb"] {
        assert!(told.stdout.contains(part), "{part}: {told:?}");
    }
    let told = on_own_models(&["info", "dve/philosophers_ordered.dve"]);
    assert!(told.stdout.contains("with --invariant or --goal"), "{told:?}");
    if has_compiler() {
        let told = on_own_models(&["info", "cpp/puzzle.c"]);
        assert!(told.stdout.contains("what HEURISTIC(...) said last"), "{told:?}");
        let told = on_own_models(&["info", "cpp/bakery.c"]);
        assert!(!told.stdout.contains("HEURISTIC"), "{told:?}");
    }
}

#[test]
fn puzzles_are_solved_in_as_few_moves_as_the_reference_needs() {
    let playground = Playground::new();
    for seed in 0..4 {
        let board = Board::scrambled(3, 3, 30, seed);
        playground.write("puzzle.dve", board.dve().as_bytes());
        let heuristic = format!("distance({})", board.distance_expression());
        for search in ["astar", "idastar"] {
            let (goal, json) = (board.goal(), format!("{search}.json"));
            let arguments = ["check", "puzzle.dve", "--goal", &goal, "--search", search, "--heuristic", &heuristic];
            let found = playground.dampf(&[&arguments[..], &["--json", &json]].concat());
            let result: Value = serde_json::from_str(&playground.read(&json)).unwrap();
            assert_eq!(steps(&result), u64::from(board.moves()), "{board:?} {search}: {found:?}");
        }
    }
}

#[test]
fn programs_say_themselves_how_far_it_is() {
    if !has_compiler() {
        return;
    }
    let tiles = |board: &Board| format!("TILES={}", board.listed());
    // A run has one step more than the solution has moves: the one that comes to the first choice.
    for (side, moves, seed) in [(2, 9, 1), (3, 14, 2), (4, 16, 3)] {
        let board = Board::scrambled(side, side, moves, seed);
        let (side, tiles) = (format!("SIDE={side}"), tiles(&board));
        let solved =
            |search: &[&str]| summary_of(&[&["check", "cpp/puzzle.c", "-D", &side, "-D", &tiles], search].concat());
        let found = solved(&["--search", "idastar"]);
        assert_eq!(steps(&found), u64::from(board.moves()) + 1, "{board:?}: {found}");
        let by_name = solved(&["--search", "astar", "--heuristic", "published"]);
        assert_eq!(steps(&by_name), steps(&found), "{board:?}: {by_name}");
        if side != "SIDE=4" {
            let shortest = solved(&["--search", "bfs"]);
            assert_eq!(steps(&shortest), steps(&found), "{board:?}");
        }
    }
    let refused = on_own_models(&["check", "cpp/bakery.c", "--search", "astar", "--heuristic", "published"]);
    assert!(refused.status == 2 && refused.stderr.contains("publishes no estimate"), "{refused:?}");
}

/// Two threads count, and one looks for a sum that takes some switching.
const COUNTING: &str = r#"
#include <pthread.h>
#include <stdatomic.h>

atomic_int left, right;
int limit = 4;

static void *count(void *counter) {
    for (int i = 0; i < limit; i++) atomic_fetch_add((atomic_int *)counter, 1);
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, count, &left);
    pthread_create(&other, 0, count, &right);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
"#;

#[test]
fn programs_have_invariants_and_goals_and_estimates_by_them() {
    if !has_compiler() {
        return;
    }
    let playground = Playground::new();
    playground.write("counting.c", COUNTING.as_bytes());
    let check = |arguments: &[&str]| {
        let told = playground.dampf(&[&["check", "counting.c", "--json", "out.json"], arguments].concat());
        (told.status, serde_json::from_str::<Value>(&playground.read("out.json")).unwrap())
    };
    let (status, holds) = check(&["--invariant", "left <= limit && right <= 4"]);
    assert_eq!((status, &holds["verdict"]), (0, &"verified".into()), "{holds}");
    let (status, violated) = check(&["--invariant", "left != 3 || right != 2"]);
    assert_eq!((status, &violated["error"]["kind"]), (1, &"invariant".into()), "{violated}");
    let goal = ["--goal", "left == 2 && right == 4"];
    let (_, shortest) = check(&[&goal[..], &["--search", "bfs"]].concat());
    assert_eq!(shortest["error"]["kind"], "goal");
    for search in [
        &["--search", "best-first", "--heuristic", "formula"][..],
        &["--search", "astar", "--heuristic", "formula"],
        &["--search", "astar", "--heuristic", "distance((left != 2) + (right != 4))"],
        &["--search", "idastar", "--heuristic", "distance((left != 2) + (right != 4))"],
        &["--search", "best-first", "--heuristic", "branch-coverage"],
    ] {
        let (status, found) = check(&[&goal[..], search].concat());
        assert_eq!((status, &found["error"]["kind"]), (1, &"goal".into()), "{search:?}: {found}");
        assert_eq!(steps(&found), steps(&shortest), "{search:?}");
    }
    let trail =
        playground.dampf(&["check", "counting.c", "--goal", "left == 2 && right == 4", "--trail", "goal.trail"]);
    let replayed = playground.dampf(&["replay", "goal.trail"]);
    assert!(replayed.status == 0 && replayed.stdout.contains("is reached"), "{trail:?} {replayed:?}");
    playground.refused(&["check", "counting.c", "--goal", "left == middle"], "there is no global variable `middle`");
    let by_distance = ["check", "counting.c", "--search", "astar", "--heuristic"];
    playground.refused(&[&by_distance[..], &["distance(middle)"]].concat(), "there is no global variable `middle`");
    playground.refused(&[&by_distance[..], &["pdb"]].concat(), "go with models");
}

#[test]
fn trails_are_shortened_towards_their_ends() {
    let playground = Playground::new();
    for path in ["dve/philosophers_deadlock.dve", "dve/transfer_interleaved.dve", "promela/philosophers.pml"] {
        let model = own_models().join(path).display().to_string();
        let checked = ["check", &model, "--no-claims", "--trail"];
        let found = playground.dampf(&[&checked[..], &["deep.trail", "--search", "dfs"]].concat());
        let shortest = summary_of(&["check", path, "--no-claims"]);
        assert_eq!(found.status, 1, "{found:?}");
        for search in ["auto", "best-first", "astar", "idastar", "bfs"] {
            for by in ["hamming", "locations", "both"] {
                let shorten = ["shorten", "deep.trail", "--search", search, "--by", by, "-o", "short.trail"];
                let shortened = playground.dampf(&shorten);
                assert_eq!(shortened.status, 0, "{shortened:?}");
                let kept: Value = serde_json::from_str(&playground.read("short.trail")).unwrap();
                let length = kept["actions"].as_array().map(Vec::len).unwrap_or_default() as u64;
                assert_eq!(length, steps(&shortest), "{path} {search} {by}: {kept}");
            }
        }
    }
}

#[test]
fn a_trail_switches_as_rarely_as_it_can() {
    let playground = Playground::new();
    let model = own_models().join("dve/lock_in_two_steps.dve").display().to_string();
    let found = playground.dampf(&["check", &model, "--search", "dfs", "--trail", "found.trail"]);
    assert_eq!(found.status, 1, "{found:?}");
    let told = playground.dampf(&["shorten", "found.trail", "--measure", "switches", "-o", "rare.trail"]);
    let expected = "2 switches in 4 steps instead of 3 switches in 4 steps";
    assert!(told.status == 0 && told.stderr.contains(expected), "{told:?}");
    let replayed = playground.dampf(&["replay", "rare.trail"]);
    assert_eq!(replayed.status, 0, "{replayed:?}");
    let again = playground.dampf(&["shorten", "rare.trail", "--measure", "switches"]);
    assert!(again.stderr.contains("no run with less than"), "{again:?}");
}
