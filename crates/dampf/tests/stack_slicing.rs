//! `--search stack-slicing`: what `--search dfs` finds, for every front end, and runs that replay.

mod running;

use running::program::{folder, has_compiler};
use running::{Playground, dampf, dampf_in, on_own_models, own_models, summary_of};
use serde_json::Value;
use std::path::Path;

/// One worker, several, more than there are cores; slices of one step, of some, and of a size that changes.
const SLICINGS: [&[&str]; 5] = [
    &["--threads", "1"],
    &["--threads", "2", "--handoff", "1"],
    &["--threads", "2"],
    &["--threads", "4", "--handoff", "5"],
    &["--threads", "3", "--store", "exact", "--handoff", "2"],
];

fn counts(result: &Value) -> [Value; 5] {
    let mut kinds: Vec<String> =
        result["errors"].as_array().expect("a list").iter().map(|e| e["kind"].to_string()).collect();
    kinds.sort();
    kinds.dedup();
    [
        result["verdict"].clone(),
        result["states"].clone(),
        result["transitions"].clone(),
        result["faults"].clone(),
        kinds.into(),
    ]
}

/// Models of a folder with one of these endings.
fn models(folder: &Path, endings: &[&str]) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| endings.iter().any(|ending| path.extension().is_some_and(|extension| extension == *ending)));
    paths.sort();
    paths.iter().map(|path| path.display().to_string()).collect()
}

/// Compares stack slicing with the depth-first search of one thread; how many states there are.
fn compare(arguments: &[&str]) -> u64 {
    let check = |options: &[&str]| summary_of(&[&["check", "--keep-going"], arguments, options].concat());
    let expected = check(&["--search", "dfs"]);
    for slicing in SLICINGS {
        let result = check(&[&["--search", "stack-slicing"], slicing].concat());
        assert_eq!(counts(&result), counts(&expected), "{arguments:?} {slicing:?}");
        assert_eq!((&result["search"], &result["frontier"]), (&"stack-slicing".into(), &0.into()));
    }
    expected["states"].as_u64().expect("a number")
}

#[test]
fn own_models_have_the_same_states_faults_and_verdicts() {
    let root = own_models();
    for model in ["dve", "dmc"].iter().flat_map(|language| models(&root.join(language), &[language])) {
        compare(&[&model, "--no-claims"]);
    }
    for model in ["promela", "self"].iter().flat_map(|folder| models(&root.join(folder), &["pml"])) {
        compare(&[&model, "--no-claims"]);
    }
}

#[test]
fn small_models_of_others_have_the_same_states_faults_and_verdicts() {
    let folder = own_models().join("../../shared/corpora/beem");
    if !folder.is_dir() {
        println!("skipped: there is no {}", folder.display());
        return;
    }
    for name in ["adding.1", "anderson.1", "at.1", "bakery.2", "collision.1", "elevator.1", "fischer.1", "rether.1"] {
        let model = folder.join(format!("{name}.dve")).display().to_string();
        println!("{name}: {} states", compare(&[&model]));
    }
}

#[test]
fn programs_have_the_same_states_faults_and_verdicts() {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    for arguments in [
        &["cpp/philosophers.cc"][..],
        &["cpp/philosophers.cc", "-D", "LEFT_HANDED", "-D", "MEALS=2"],
        &["cpp/bounded_buffer.cc"],
        &["cpp/bakery.c", "-D", "CONSUMERS=2", "-D", "NOT_CHOOSING"],
        &["cpp/double_checked_locking.cc", "-D", "BROKEN"],
    ] {
        // Which assumptions are refuted first depends on the order; in the end all searches know enough, so that states
        // and verdicts are the same, but what was learnt beside it need not be. A verdict is what must never differ.
        let kinds = |options: &[&str]| {
            let result = summary_of(&[&["check"], arguments, options].concat());
            (result["verdict"].clone(), result["error"]["kind"].clone())
        };
        let expected = kinds(&["--search", "dfs"]);
        for slicing in SLICINGS {
            let found = kinds(&[&["--search", "stack-slicing"], slicing].concat());
            assert_eq!(found, expected, "{arguments:?} {slicing:?}");
        }
    }
}

#[test]
fn runs_across_slices_replay() {
    let trail = tempfile::NamedTempFile::new().expect("a file");
    let trail = trail.path().display().to_string();
    for (model, message) in [("dve/philosophers_deadlock.dve", "deadlock"), ("dmc/philosophers.dmc", "deadlock")] {
        for slicing in SLICINGS {
            for store in ["tree", "exact", "hash-compact"] {
                let options = [&["check", model, "--search", "stack-slicing"], slicing].concat();
                let options: Vec<&str> =
                    options.into_iter().filter(|option| !["--store", "exact"].contains(option)).collect();
                let finished = on_own_models(&[&options[..], &["--store", store, "--trail", &trail]].concat());
                assert_eq!(finished.status, 1, "{finished:?}");
                let replayed = on_own_models(&["replay", &trail]);
                assert!(replayed.status == 0 && replayed.stdout.contains(message), "{replayed:?}");
            }
        }
    }
}

#[test]
fn limits_and_interruptions_are_obeyed() {
    let limited = |limit: &[&str]| {
        let slicing = ["check", "huge.dve", "--search", "stack-slicing", "--threads", "3", "--json", "-"];
        let finished = dampf(&[&slicing, limit].concat());
        assert_eq!(finished.status, 3, "{finished:?}");
        let result: Value = serde_json::from_str(&finished.stdout).expect("a summary");
        result["reason"].as_str().unwrap_or_default().to_owned()
    };
    assert!(limited(&["--max-states", "10000"]).contains("limit of 10000 states"));
    assert!(limited(&["--max-time", "0.2"]).contains("time limit of 0.2 s"));
    assert!(limited(&["--max-depth", "20", "--max-states", "3000000"]).contains("limit of"));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interruption_ends_all_workers() {
    let slicing =
        ["check", "huge.dve", "--search", "stack-slicing", "--threads", "3", "--max-time", "60", "--json", "-"];
    let finished = running::interrupted(&slicing);
    assert_eq!(finished.status, 3, "{finished:?}");
    assert!(finished.stdout.contains("the search was interrupted"), "{finished:?}");
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let playground = Playground::new();
    let slicing = ["check", "forks.dve", "--search", "stack-slicing"];
    let refused = |options: &[&str], complaint: &str| playground.refused(&[&slicing, options].concat(), complaint);
    refused(&["--handoff", "0"], "expected a number of steps");
    refused(&["--handoff", "deep"], "expected a number of steps");
    refused(&["--ranks", "2"], "without ranks");
    refused(&["--checkpoint", "kept"], "without ranks");
    refused(&["--deterministic"], "leave one of the two out");
    refused(&["--store", "disk"], "level by level");
    playground.refused(&["check", "forks.dve", "--handoff", "3"], "--search stack-slicing");
    playground.refused(&["check", "forks.dve", "--search", "dfs", "--handoff", "3"], "--search stack-slicing");
}

#[test]
fn the_reference_model_has_the_states_that_its_knobs_say() {
    let bench = folder("bench");
    let check = |options: &str| {
        let arguments = format!("check reference.reference --json - {options}");
        let finished = dampf_in(&bench, &arguments.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let result: Value = serde_json::from_str(&finished.stdout).unwrap_or_else(|_| panic!("{finished:?}"));
        [&result["verdict"], &result["states"], &result["transitions"]].map(Clone::clone)
    };
    // The first state, then layers of four: 249 of them, and three states more, which lead nowhere.
    let layers = (4 + 249 * 16 - 16 + 4 * 3).into();
    let chain = (4 * 999).into();
    let engines = [
        "",
        "--search stack-slicing --threads 2 --handoff 3",
        "--search stack-slicing --threads 4",
        "--store disk",
        "--ranks 2",
    ];
    for engine in engines {
        let found = check(&format!("-D states=1000 -D branch=4 -D bytes=10 -D delay=1 {engine}"));
        assert_eq!(found, ["verified".into(), 1000.into(), Value::clone(&layers)], "{engine}");
        let found = check(&format!("-D states=1000 -D branch=4 -D bytes=10 -D delay=1 -D meet=1 {engine}"));
        assert_eq!(found, ["verified".into(), 1000.into(), Value::clone(&chain)], "{engine}");
    }
    let arguments = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let complaint = dampf_in(&bench, &arguments("check reference.reference -D branch=0"));
    assert!(complaint.status == 2 && complaint.stderr.contains("`branch` is a number from 1"), "{complaint:?}");
    let info = dampf_in(&bench, &arguments("info reference.reference -D delay=3"));
    assert!(info.status == 0 && info.stdout.contains("delay        3"), "{info:?}");
    let simulated = dampf_in(&bench, &arguments("simulate reference.reference -D states=20 -D branch=2 --seed 1"));
    assert!(simulated.status == 0 && simulated.stdout.contains("counts"), "{simulated:?}");
}
