//! `--reduce por`: the same verdicts as without it, and the same counts in every search.

mod running;

use running::{Playground, on_own_models, summary_of};
use serde_json::Value;

const MODELS: [&[&str]; 12] = [
    &["dve/alternating_bit.dve"],
    &["dve/bounded_buffer.dve"],
    &["dve/leader_election.dve"],
    &["dve/peterson.dve"],
    &["dve/philosophers_deadlock.dve"],
    &["dve/philosophers_ordered.dve"],
    &["dve/lock_in_two_steps.dve"],
    &["dve/transfer_committed.dve"],
    &["dmc/philosophers.dmc", "-D", "N=6"],
    &["promela/election.pml", "--no-claims"],
    &["promela/philosophers.pml", "--no-claims"],
    &["promela/workers.pml", "--no-claims"],
];

fn check(model: &[&str], options: &[&str]) -> Value {
    summary_of(&[&["check"], model, options].concat())
}

fn kinds(result: &Value) -> Vec<String> {
    let errors = result["errors"].as_array().map_or(&[][..], Vec::as_slice);
    let mut kinds: Vec<String> = errors.iter().map(|error| error["kind"].to_string()).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

#[test]
fn verdicts_are_the_same_and_states_are_fewer() {
    let mut reduced_models = 0;
    for model in MODELS {
        let full = check(model, &["--reduce", "none", "--keep-going"]);
        let reduced = check(model, &["--reduce", "por", "--keep-going"]);
        assert_eq!(full["verdict"], reduced["verdict"], "{model:?}");
        assert_eq!(kinds(&full), kinds(&reduced), "{model:?}");
        assert_eq!(full["reduction"], "none", "{model:?}");
        let states = |result: &Value| result["states"].as_u64().expect("a number");
        assert!(states(&reduced) <= states(&full), "{model:?}");
        if states(&reduced) < states(&full) {
            assert_eq!(reduced["reduction"], "por", "{model:?}");
            reduced_models += 1;
        }
        println!("{model:?}: {} of {} states", states(&reduced), states(&full));
    }
    assert!(reduced_models >= 5, "{reduced_models} models");
}

#[test]
fn every_search_counts_the_same_with_reduction() {
    let searches: [&[&str]; 8] = [
        &["--threads", "2"],
        &["--search", "dfs"],
        &["--search", "dfs", "--threads", "2"],
        &["--search", "stack-slicing", "--threads", "3", "--handoff", "4"],
        &["--deterministic", "--threads", "2"],
        &["--ranks", "3"],
        &["--store", "disk"],
        &["--backend", "interpreter"],
    ];
    for model in MODELS {
        let counts = |options: &[&str]| {
            let result = check(model, &[&["--reduce", "por", "--keep-going"], options].concat());
            [result["verdict"].clone(), result["states"].clone(), result["transitions"].clone()]
        };
        let expected = counts(&[]);
        for search in searches {
            assert_eq!(counts(search), expected, "{model:?} {search:?}");
        }
    }
}

/// Models with a violation.
const VIOLATED: [&[&str]; 4] = [
    &["dve/philosophers_deadlock.dve"],
    &["dve/no_sequence_number.dve"],
    &["dve/lock_in_two_steps.dve"],
    &["dmc/philosophers.dmc", "-D", "N=6"],
];

#[test]
fn a_predictable_run_is_the_same_on_any_number_of_threads_and_ranks() {
    for model in VIOLATED {
        let result = |options: &[&str]| {
            let result = check(model, &[&["--reduce", "por-always", "--deterministic"], options].concat());
            ["verdict", "error", "states", "transitions", "depth", "trail"].map(|figure| result[figure].clone())
        };
        let expected = result(&[]);
        assert_eq!(expected[0], "violated", "{model:?}");
        for options in [&["--threads", "2"][..], &["--ranks", "3"], &["--ranks", "2", "--threads", "2"]] {
            assert_eq!(result(options), expected, "{model:?} {options:?}");
        }
    }
}

#[test]
fn a_run_that_was_found_with_reduction_is_shortened() {
    for model in VIOLATED {
        let shortest = check(model, &["--reduce", "none", "--deterministic"]);
        for search in [&["--deterministic"][..], &["--search", "dfs"], &[]] {
            let found = check(model, &[&["--reduce", "por-always"], search].concat());
            assert_eq!(found["reduction"], "por", "{model:?} {search:?}");
            let length = |result: &Value| result["trail"].as_array().map(Vec::len);
            assert_eq!(length(&found), length(&shortest), "{model:?} {search:?}");
        }
    }
}

/// Steps that stand for several are told one by one, whether a step is faulty or a state.
#[test]
fn a_run_through_states_that_were_not_kept_is_told_whole() {
    let playground = Playground::new();
    let counters = "byte done;\nactive [2] proctype Counter() {\n  byte x;\n  do :: x < 40 -> x++ :: else -> break od;\n  \
                    done++; assert(done < 2)\n}\n";
    playground.write("counters.pml", counters.as_bytes());
    let counters = playground.path("counters.pml").display().to_string();
    let election = ["promela/election.pml", "--no-claims", "--invariant", "winners == 0"];
    for model in [&election[..], &[counters.as_str()]] {
        let shortest = check(model, &["--reduce", "none"]);
        for search in [&[][..], &["--search", "dfs"], &["--deterministic"], &["--store", "disk"], &["--ranks", "3"]] {
            let found = check(model, &[&["--reduce", "por"], search].concat());
            let all = check(model, &[&["--reduce", "por-always"], search].concat());
            assert_eq!(found["error"]["kind"], shortest["error"]["kind"], "{model:?} {search:?}");
            assert!(found["states"].as_u64() < all["states"].as_u64(), "{model:?} {search:?}");
            let length = |result: &Value| result["trail"].as_array().map(Vec::len);
            assert_eq!(length(&found), length(&shortest), "{model:?} {search:?}");
        }
    }
}

#[test]
fn a_reduction_goes_with_what_it_is_for() {
    let finished = on_own_models(&["check", "dve/peterson.dve", "--reduce", "lgc"]);
    assert_eq!(finished.status, 2);
    assert!(finished.stderr.contains("--reduce lgc goes with programs"), "{finished:?}");
}
