//! `--reduce por`: the same verdicts as without it, and the same counts in every search.

mod running;

use running::{on_own_models, summary_of};
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

#[test]
fn a_reduction_goes_with_what_it_is_for() {
    let finished = on_own_models(&["check", "dve/peterson.dve", "--reduce", "lgc"]);
    assert_eq!(finished.status, 2);
    assert!(finished.stderr.contains("--reduce lgc goes with programs"), "{finished:?}");
}
