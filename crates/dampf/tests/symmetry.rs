//! `--symmetry` changes how many states there are, and nothing else: the same verdicts, and trails that are runs.

mod running;

use running::program::{has_compiler, in_parallel};
use running::{Finished, dampf_in};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/symmetry")
}

fn check(folder: &Path, arguments: &[&str]) -> (Finished, Value) {
    let arguments = [&["check"], arguments, &["--json", "-"]].concat();
    let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
    let finished = dampf_in(folder, &arguments);
    let summary = serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
    (finished, summary)
}

/// Verdict and kind of fault without and with symmetry must be the same; the numbers of states.
#[track_caller]
fn compare(folder: &Path, arguments: &[&str]) -> (u64, u64) {
    let (_, plain) = check(folder, arguments);
    let (finished, symmetric) = check(folder, &[arguments, &["--symmetry"]].concat());
    assert_eq!(symmetric["verdict"], plain["verdict"], "{arguments:?}: {finished:?}");
    assert_eq!(symmetric["error"]["kind"], plain["error"]["kind"], "{arguments:?}: {finished:?}");
    let states = |summary: &Value| summary["states"].as_u64().expect("a summary says how many states there are");
    (states(&plain), states(&symmetric))
}

#[test]
fn threads_that_count_are_interchangeable() {
    if !has_compiler() {
        return;
    }
    // Sequences of what threads do, and their multisets, with a few states at both ends.
    for (threads, expected) in [(2, (28, 17)), (3, (129, 37)), (4, (630, 72))] {
        let (threads, rounds) = (format!("THREADS={threads}"), "ROUNDS=4");
        let found = compare(&programs(), &["counter.c", "-D", &threads, "-D", rounds]);
        assert_eq!(found, expected, "{threads}");
        compare(&programs(), &["counter.c", "-D", &threads, "-D", rounds, "-D", "WRONG=1"]);
    }
}

#[test]
fn what_tells_threads_apart_is_noticed() {
    if !has_compiler() {
        return;
    }
    const KINDS: usize = 20;
    let kinds: Vec<usize> = (0..KINDS).collect();
    in_parallel(&kinds, |&kind| {
        let kind = format!("KIND={kind}");
        compare(&programs(), &["apart.c", "-D", &kind]);
        compare(&programs(), &["apart.c", "-D", &kind, "--reduce", "lgc"]);
    });
}

#[test]
fn threads_are_created_one_by_one_and_in_batches() {
    if !has_compiler() {
        return;
    }
    for kind in ["KIND=0", "KIND=1", "KIND=2", "KIND=3", "KIND=4"] {
        compare(&programs(), &["created.c", "-D", kind]);
        compare(&programs(), &["created.c", "-D", kind, "--reduce", "lgc"]);
    }
}

#[test]
fn every_engine_sees_the_same_states() {
    if !has_compiler() {
        return;
    }
    let engines: &[&[&str]] = &[
        &[],
        &["--threads", "2"],
        &["--deterministic", "--threads", "2"],
        &["--search", "dfs"],
        &["--store", "exact"],
        &["--store", "disk"],
        &["--ranks", "3"],
    ];
    let counts = in_parallel(engines, |engine| {
        let (finished, summary) = check(&programs(), &[&["pool.c", "--symmetry"], *engine].concat());
        assert_eq!(summary["verdict"], "verified", "{engine:?}: {finished:?}");
        summary["states"].as_u64()
    });
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    let (plain, symmetric) = compare(&programs(), &["pool.c"]);
    assert!(symmetric * 3 < plain, "{symmetric} of {plain} states");
}

#[test]
fn processes_of_models_are_interchangeable() {
    let (plain, symmetric) = compare(&programs(), &["readers.dve"]);
    assert!(symmetric * 3 < plain, "{symmetric} of {plain} states");
    let (plain, symmetric) = compare(&programs(), &["workers.pml"]);
    assert!(symmetric * 3 < plain, "{symmetric} of {plain} states");
    // A run to a state that names one of them is told as a run of that one.
    for goal in ["taken[0] == 1 && taken[2] == 1", "B.rounds == 2 && A.rounds == 1", "C.busy"] {
        compare(&programs(), &["readers.dve", "--goal", goal]);
    }
}

#[test]
fn own_models_come_out_the_same() {
    let models = running::own_models();
    for folder in ["dve", "dmc", "promela"] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(models.join(folder))
            .expect("the folder is there")
            .map(|entry| entry.unwrap().path())
            .collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == folder || extension == "pml"));
        files.sort();
        in_parallel(&files, |file| {
            let name = file.to_str().expect("names are text");
            compare(&models, &[name, "--no-claims"]);
        });
    }
}
