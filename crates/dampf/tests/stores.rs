//! `--store`: what stores that trade memory for certainty or time say, against counts that are known.

mod running;

use running::program::{folder, has_compiler};
use running::{own_models, summary_of};
use serde_json::Value;

/// Models with known numbers of states, and their constants: sparse graphs and dense ones.
const KNOWN: [(&str, &[&str], u64); 4] = [
    ("dmc/adding.dmc", &["-D", "MAX=200"], 836_838),
    ("dmc/philosophers_room.dmc", &["-D", "N=9", "-D", "SEATS=7"], 340_789),
    ("dmc/hanoi.dmc", &["-D", "N=12"], 531_441),
    ("dmc/lamport.dmc", &["-D", "N=4"], 1_066_800),
];

fn check(model: &str, options: &[&str]) -> Value {
    let path = own_models().join(model).display().to_string();
    summary_of(&[&["check", &path, "--keep-going"], options].concat())
}

fn states(result: &Value) -> u64 {
    result["states"].as_u64().expect("a number")
}

/// The last share that a reason names, in percent.
fn estimate(result: &Value) -> f64 {
    let reason = result["reason"].as_str().expect("a reason");
    let (_, rest) = reason.rsplit_once("an estimated coverage of ").unwrap_or_else(|| panic!("{reason}"));
    rest.strip_suffix(" %").and_then(|share| share.parse().ok()).unwrap_or_else(|| panic!("{reason}"))
}

#[test]
fn a_byte_a_state_finds_99_in_100_and_says_so() {
    for (model, constants, known) in KNOWN {
        let store = format!("bitstate:{known},states={known}");
        for search in [&["--search", "bfs"][..], &["--search", "dfs"], &["--search", "bfs", "--threads", "2"]] {
            let result = check(model, &[constants, search, &["--no-deadlock", "--store", &store]].concat());
            let (found, estimate) = (100.0 * states(&result) as f64 / known as f64, estimate(&result));
            assert_eq!(result["verdict"], "unknown", "{model}");
            assert!((99.0..100.0).contains(&found), "{model} {search:?}: {found} % of {known}");
            assert!((99.0..100.0).contains(&estimate), "{model} {search:?}: {estimate} %");
            assert!((found - estimate).abs() < 0.5, "{model} {search:?}: {found} %, but {estimate} % was said");
        }
    }
}

#[test]
fn a_filter_with_room_enough_misses_nothing_and_says_how_sure_that_is() {
    let (model, constants, known) = KNOWN[1];
    let result = check(model, &[constants, &["--store", "bitstate:32M,k=14"]].concat());
    assert_eq!((states(&result), &result["verdict"]), (known, &"unknown".into()));
    assert!(result["reason"].as_str().is_some_and(|reason| reason.contains("the probability that one was left out")));
    assert_eq!(result["store_bytes"], 32 << 20);
}

#[test]
fn runs_with_different_hash_functions_find_more_together() {
    let (model, constants, known) = KNOWN[1];
    let store = |runs: u32| format!("bitstate:{},k=2,runs={runs}", known / 4);
    let result = |runs: u32| check(model, &[constants, &["--store", &store(runs)]].concat());
    let (one, four) = (result(1), result(4));
    assert!(states(&one) < known * 97 / 100, "{}", states(&one));
    let reason = four["reason"].as_str().expect("a reason");
    assert!(reason.contains("4 runs with different hash functions"), "{reason}");
    assert!(estimate(&four) > estimate(&one) && estimate(&four) > 99.5, "{reason}");
    let (_, together) = reason.split_once("found about ").expect("a number of states");
    let together: f64 = together.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    assert!((together / known as f64 - 1.0).abs() < 0.05, "{together} of {known}");
}

#[test]
fn fewer_bits_of_a_hash_take_less_memory_and_lose_what_they_say() {
    let (model, constants, known) = KNOWN[3];
    let mut bytes = u64::MAX;
    for (bits, least) in [(64, known), (48, known), (40, known - 4), (32, known - 250)] {
        let result = check(model, &[constants, &["--store", &format!("hash-compact:{bits}")]].concat());
        assert_eq!(result["verdict"], "unknown");
        assert!((least..=known).contains(&states(&result)), "{bits} bits: {}", states(&result));
        let used = result["store_bytes"].as_u64().expect("a number");
        assert!(used < bytes, "{used} bytes with {bits} bits");
        bytes = used;
        if bits == 32 {
            assert!((estimate(&result) - 99.99).abs() < 0.011, "{}", estimate(&result));
        }
    }
    assert!(bytes < known * 43 / 10, "{bytes}");
}

#[test]
fn what_is_reconstructed_is_what_was_there() {
    for (model, constants) in [
        ("dve/leader_election.dve", &[][..]),
        ("dve/philosophers_deadlock.dve", &[]),
        ("dmc/bakery.dmc", &["-D", "N=3", "-D", "ERROR=1"]),
        ("dmc/adding.dmc", &[]),
        ("promela/election.pml", &["--no-claims"]),
    ] {
        let sure = check(model, &[constants, &["--store", "exact"]].concat());
        for options in
            [&["--store", "reconstruct"][..], &["--store", "reconstruct:3", "--search", "dfs", "--threads", "2"]]
        {
            let again = check(model, &[constants, options].concat());
            for field in ["verdict", "states", "transitions", "faults"] {
                assert_eq!(again[field], sure[field], "{model} {options:?} {field}");
            }
        }
    }
}

#[test]
fn programs_are_checked_with_every_store() {
    if !has_compiler() {
        return;
    }
    let program = folder("models/cpp/philosophers.cc").display().to_string();
    let check = |store: &str| summary_of(&["check", &program, "--keep-going", "--store", store]);
    let sure = check("exact");
    for store in ["reconstruct:4", "hash-compact:48", "bitstate:1M"] {
        let result = check(store);
        assert_eq!(result["states"], sure["states"], "{store}");
        assert_eq!(result["error"]["kind"], sure["error"]["kind"], "{store}");
    }
}
