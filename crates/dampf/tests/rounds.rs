//! Commands end when they are told to, whatever round they are in.
//!
//! The model and the program are more than can be explored, and a search of them restarts several times in its first
//! second. What is asserted holds at any moment: how far a command has come when it is told to end is left to chance.

#![cfg(target_os = "linux")]

mod running;

use running::program::{has_compiler, in_parallel};
use running::{Finished, Playground};
use serde_json::Value;
use std::time::{Duration, Instant};

/// A command that is told to end does so at once; this is for machines that are busy with something else.
const SLACK: Duration = Duration::from_secs(15);

/// Where searches keep their states, and whether they go on after faults.
const SEARCHES: &[&[&str]] = &[
    &["--threads", "1"],
    &["--threads", "2", "--keep-going"],
    &["--search", "dfs"],
    &["--ranks", "3"],
    &["--ranks", "2", "--keep-going"],
    &["--store", "disk"],
    &["--store", "disk", "--keep-going"],
    &["--checkpoint", "kept"],
];

fn inputs() -> Vec<&'static str> {
    let inputs = ["restarts.pml", "restarts.c"];
    inputs.into_iter().filter(|input| input.ends_with(".pml") || has_compiler()).collect()
}

#[track_caller]
fn assert_unknown(finished: &Finished, reason: &str, what: &str) -> Value {
    assert_eq!(finished.status, 3, "{what}: {finished:?}");
    let summary: Value =
        serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{what}: {error}: {finished:?}"));
    assert_eq!(summary["verdict"], "unknown", "{what}");
    let found = summary["reason"].as_str().unwrap_or_default();
    assert!(found.starts_with(reason), "{what}: {found}");
    summary
}

/// Each search has a folder of its own.
fn arguments<'a>(input: &'a str, search: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [&["check", input][..], search, more, &["--json", "-"]].concat()
}

#[test]
fn a_time_limit_spans_all_rounds() {
    let mut rounds_max = 0;
    for input in inputs() {
        for search in SEARCHES {
            let start = Instant::now();
            let arguments = arguments(input, search, &["--max-time", "1"]);
            let finished = Playground::new().dampf(&arguments);
            let summary = assert_unknown(&finished, "the time limit of 1 s was reached", &format!("{arguments:?}"));
            assert!(start.elapsed() < SLACK, "{arguments:?}: {:?}", start.elapsed());
            rounds_max = rounds_max.max(summary["rounds"].as_u64().unwrap_or(0));
        }
    }
    assert!(rounds_max > 1, "no search has restarted");
}

#[test]
fn a_time_limit_holds_for_programs_that_never_end() {
    if !has_compiler() {
        println!("no compiler for RISC-V: programs are not checked");
        return;
    }
    const KINDS: usize = 16;
    let kinds: Vec<usize> = (0..KINDS).collect();
    in_parallel(&kinds, |&kind| {
        // One thread, or two.
        let (kind, threads) = (format!("KIND={kind}"), format!("THREADS={}", 1 + kind % 2));
        let arguments = ["check", "endless.c", "-D", &kind, "-D", &threads, "--max-time", "1", "--json", "-"];
        let start = Instant::now();
        let finished = Playground::new().dampf(&arguments);
        assert!(start.elapsed() < SLACK, "{arguments:?}: {:?}", start.elapsed());
        assert_unknown(&finished, "the time limit of 1 s was reached", &format!("{arguments:?}"));
    });
}

#[test]
fn an_interrupt_ends_a_check_in_any_round() {
    // Before the search, in its first rounds, in the last one.
    let delays = [0, 100, 400, 1_500].map(Duration::from_millis);
    for input in inputs() {
        for (number, search) in SEARCHES.iter().enumerate() {
            let delay = delays[number % delays.len()];
            let arguments = arguments(input, search, &[]);
            let (finished, elapsed) = Playground::new().interrupted(true, delay, &arguments);
            assert!(elapsed < SLACK, "{arguments:?} after {delay:?}: {elapsed:?}");
            assert_unknown(&finished, "the search was interrupted", &format!("{arguments:?} after {delay:?}"));
        }
    }
}

#[test]
fn a_resumed_search_ends_when_it_is_told_to() {
    for input in inputs() {
        for kept in [&["--checkpoint", "kept", "--checkpoint-every", "1"][..], &["--store", "disk", "--disk", "kept"]] {
            let playground = Playground::new();
            let what = format!("{input} {kept:?}");
            let limit = ["--max-time", "3"];
            let finished = playground.dampf(&arguments(input, kept, &limit));
            let summary = assert_unknown(&finished, "the time limit of 3 s was reached", &what);
            if !summary["reason"].as_str().is_some_and(|reason| reason.contains("dampf resume kept")) {
                // A machine so busy that no checkpoint was written in three seconds has nothing to resume.
                println!("{what}: there is no checkpoint");
                continue;
            }
            let start = Instant::now();
            let finished = playground.dampf(&["resume", "kept", "--max-time", "1", "--json", "-"]);
            assert_unknown(&finished, "the time limit of 1 s was reached", &what);
            assert!(start.elapsed() < SLACK, "{what}: {:?}", start.elapsed());
            let delay = Duration::from_millis(500);
            let (finished, elapsed) = playground.interrupted(true, delay, &["resume", "kept", "--json", "-"]);
            assert_unknown(&finished, "the search was interrupted", &what);
            assert!(elapsed < SLACK, "{what}: {elapsed:?}");
        }
    }
}

/// Commands that print and explore nothing are not watched: the system ends them, as any other tool.
#[test]
fn an_interrupt_ends_a_simulation_at_once() {
    for input in inputs() {
        for delay in [50, 700].map(Duration::from_millis) {
            let arguments = ["simulate", input, "--seed", "1", "--steps", "1000000000"];
            let (finished, elapsed) = Playground::new().interrupted(false, delay, &arguments);
            assert!(elapsed < SLACK, "{arguments:?}: {elapsed:?}");
            assert_eq!(finished.status, -1, "{arguments:?} is ended by the signal: {finished:?}");
        }
    }
}

#[test]
fn an_interrupt_ends_info_and_replay() {
    for input in inputs() {
        let playground = Playground::new();
        let fault = ["check", "forks.dve", "--trail", "t.json"];
        assert_eq!(playground.dampf(&fault).status, 1);
        for arguments in [&["info", input][..], &["replay", "t.json"]] {
            let (finished, elapsed) = playground.interrupted(false, Duration::from_millis(5), arguments);
            assert!(elapsed < SLACK, "{arguments:?}: {elapsed:?}");
            assert!([-1, 0].contains(&finished.status), "{arguments:?}: ended, or done before: {finished:?}");
        }
    }
}
