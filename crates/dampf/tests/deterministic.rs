//! With `--deterministic` everything that is reported is the same for any number of threads and ranks, but for what
//! resources the search took.

mod running;

use dampf_testkit::expectations::{expectations, sources};
use running::program::{folder, has_compiler, in_parallel};
use running::{dampf_in, own_models, summary_of};
use serde_json::Value;
use std::path::Path;

/// What is not a result: time, memory, traffic, and how many took part.
const RESOURCES: [&str; 8] =
    ["seconds", "states_per_second", "peak_rss_bytes", "store_bytes", "bytes_per_state", "traffic", "threads", "ranks"];

const CREWS: [&[&str]; 4] = [&["--threads", "2"], &["--threads", "4"], &["--ranks", "2"], &["--ranks", "3"]];

/// What to look for, and when to give up.
const LIMITS: [&[&str]; 6] = [
    &["--max-states", "4000"],
    &["--keep-going", "--max-states", "3000"],
    &["--max-states", "1"],
    &["--max-depth", "7"],
    &["--keep-going", "--max-depth", "11"],
    &["--keep-going", "--max-depth", "0"],
];

fn result_of(arguments: &[&str]) -> Value {
    let mut result = summary_of(arguments);
    let fields = result.as_object_mut().expect("a summary is an object");
    RESOURCES.iter().for_each(|resource| {
        fields.remove(*resource);
    });
    result
}

/// What differs between crews in the check of a subject, if anything does.
fn compare(subject: &str, limits: &[&str], crews: &[&[&str]]) -> Vec<String> {
    let check = [&["check", subject, "--deterministic"], limits].concat();
    let expected = result_of(&check);
    let mut complaints = Vec::new();
    for crew in crews {
        let result = result_of(&[check.as_slice(), crew].concat());
        let names =
            expected.as_object().expect("an object").keys().chain(result.as_object().expect("an object").keys());
        for name in names.filter(|name| expected[name.as_str()] != result[name.as_str()]) {
            let (ours, theirs) = (&result[name.as_str()], &expected[name.as_str()]);
            complaints.push(format!("{subject} {limits:?} {crew:?}: {name} is {ours}, not {theirs}"));
        }
    }
    complaints
}

fn assert_none(complaints: Vec<Vec<String>>) {
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{} differences:\n{}", complaints.len(), complaints.join("\n"));
}

fn models() -> Vec<String> {
    let mut models = Vec::new();
    for (language, ending) in [("dve", ".dve"), ("dmc", ".dmc"), ("promela", ".pml"), ("self", ".pml")] {
        let entries = std::fs::read_dir(own_models().join(language)).expect("a folder of models");
        let names = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        models.extend(names.filter(|name| name.ends_with(ending)).map(|name| format!("{language}/{name}")));
    }
    models.sort();
    models
}

#[test]
fn models_are_judged_alike_by_any_number_of_threads_and_ranks() {
    let models = models();
    assert!(models.len() > 30, "{models:?}");
    let checks: Vec<(&String, &[&str])> =
        models.iter().flat_map(|model| LIMITS.iter().map(move |&limits| (model, limits))).collect();
    assert_none(in_parallel(&checks, |(model, limits)| compare(model, limits, &CREWS)));
}

/// Runs that violate a property, too: of all lassos the least one is shown, whoever looks for it.
#[test]
fn lassos_are_the_same_for_any_number_of_threads_and_ranks() {
    let models = models();
    // Something that never holds, and is not known to: every run violates that it comes to hold.
    let never = |model: &str| if model.starts_with("dmc") { "<> (1 = 2)" } else { "<> (1 == 2)" };
    let again = |model: &str| if model.starts_with("dmc") { "[] <> (1 = 2)" } else { "[] <> (1 == 2)" };
    let mut checks: Vec<(&str, Vec<&str>)> = Vec::new();
    for model in &models {
        checks.push((model, vec!["--ltl", never(model), "--max-states", "20000"]));
        checks.push((model, vec!["--ltl", again(model), "--max-states", "20000"]));
    }
    // Runs that go wrong late, and fair ones.
    checks.push(("dve/crossing_unfair.dve", Vec::new()));
    for formula in ["[] (P_0.critical -> <> P_1.critical)", "<> [] P_0.idle", "[] <> P_0.critical"] {
        checks.push(("dve/peterson.dve", vec!["--ltl", formula]));
    }
    let lassos = std::sync::atomic::AtomicU64::new(0);
    let complaints = in_parallel(&checks, |(model, asked)| {
        let check = [&["check", model, "--deterministic"], asked.as_slice()].concat();
        if result_of(&check)["cycle_start"].is_u64() {
            lassos.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        compare(model, asked, &CREWS)
    });
    assert_none(complaints);
    let lassos = lassos.into_inner();
    assert!(lassos > 30, "only {lassos} of {} checks have shown a run that goes on for ever", checks.len());
}

/// Compiles a program as its first expectation says.
fn compiled(sources: &Path, file: &str, scratch: &Path) -> String {
    let executable = scratch.join(file).with_extension("elf").display().to_string();
    let compiler = if file.ends_with(".c") { "cc" } else { "c++" };
    let flags = expectations(sources, file).into_iter().next().map_or_else(Vec::new, |first| first.flags);
    let arguments = [compiler, file, "-o", &executable].map(str::to_owned).into_iter().chain(flags);
    let finished = dampf_in(sources, &arguments.collect::<Vec<_>>());
    assert_eq!(finished.status, 0, "{file}: {finished:?}");
    executable
}

#[test]
fn programs_are_judged_alike_by_any_number_of_threads_and_ranks() {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    let (programs, scratch) = (folder("models/cpp"), tempfile::tempdir().expect("a folder"));
    let files = sources(&programs);
    assert!(files.len() > 10, "{files:?}");
    let crews: [&[&str]; 3] = [&["--threads", "4"], &["--ranks", "2"], &["--ranks", "3"]];
    assert_none(in_parallel(&files, |file| {
        let executable = compiled(&programs, file, scratch.path());
        let limits: [&[&str]; 2] = [&["--max-states", "1500"], &["--keep-going", "--max-depth", "6"]];
        limits.iter().flat_map(|limits| compare(&executable, limits, &crews)).collect()
    }));
}
