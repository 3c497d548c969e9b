//! `--reduce por` on programs changes how many states there are, and nothing else: the same verdicts and the same
//! faults.

mod running;

use dampf_testkit::expectations::{Expectation, expectations, sources};
use running::dampf_in;
use running::program::{folder, has_compiler, in_parallel};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

const PROGRAMS: &str = "crates/dampf/tests/partial_order";

fn check(folder: &Path, arguments: &[&str]) -> Value {
    let arguments = [&["check"], arguments, &["--json", "-"]].concat();
    let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
    let finished = dampf_in(folder, &arguments);
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {finished:?}"))
}

fn states(summary: &Value) -> u64 {
    summary["states"].as_u64().expect("a summary says how many states there are")
}

/// What is wrong: the kinds of faults, and the exit statuses.
fn faults(summary: &Value) -> BTreeSet<String> {
    let told = |error: &Value| match error["kind"].as_str() {
        Some("exit-status") => error["message"].to_string(),
        kind => kind.unwrap_or("?").to_owned(),
    };
    summary["errors"].as_array().into_iter().flatten().map(told).collect()
}

#[test]
fn nothing_is_missed_that_happens_while_others_work() {
    if !has_compiler() {
        return;
    }
    const KINDS: usize = 20;
    let kinds: Vec<usize> = (0..KINDS).collect();
    in_parallel(&kinds, |&kind| {
        let kind = format!("KIND={kind}");
        let arguments = ["missed.c", "-D", &kind, "--keep-going"];
        let full = check(&folder(PROGRAMS), &arguments);
        let reduced = check(&folder(PROGRAMS), &[&arguments[..], &["--reduce", "por"]].concat());
        assert_eq!(reduced["verdict"], full["verdict"], "{kind}");
        assert_eq!(faults(&reduced), faults(&full), "{kind}");
        assert_eq!(reduced["reduction"], "por", "{kind}");
        assert!(states(&reduced) <= states(&full), "{kind}");
    });
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
        &["--search", "dfs", "--threads", "2"],
        &["--store", "exact"],
        &["--store", "disk"],
        &["--ranks", "3"],
    ];
    let counts = in_parallel(engines, |engine| {
        let summary = check(&folder(PROGRAMS), &[&["apart.cc", "--reduce", "por"], *engine].concat());
        assert_eq!(summary["verdict"], "verified", "{engine:?}");
        states(&summary)
    });
    assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
    let full = states(&check(&folder(PROGRAMS), &["apart.cc"]));
    assert!(counts[0] * 4 < full, "{} of {full} states", counts[0]);
}

/// One of so many programs of the corpus is checked.
const SHARE: usize = 6;

/// What comes out otherwise than a program says.
fn complaint(folder: &Path, expectation: &Expectation) -> Option<String> {
    let arguments = expectation.arguments();
    let is_asked = ["--reduce", "--symmetry", "--step"].iter().any(|option| arguments.iter().any(|own| own == option));
    if is_asked {
        return None;
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let summary = check(folder, &[&[expectation.file.as_str()], &arguments[..], &["--reduce", "por"]].concat());
    let found = match summary["verdict"].as_str() {
        Some("violated") => summary["error"]["kind"].as_str().unwrap_or("?"),
        verdict => verdict.unwrap_or("?"),
    };
    (found != expectation.kind).then(|| format!("{}: {found} instead of {}", expectation.file, expectation.kind))
}

#[test]
fn programs_have_the_verdicts_they_state() {
    if !has_compiler() {
        return;
    }
    let folder = folder("crates/dampf-object/tests/programs");
    let is_large = |file: &String| {
        let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
        text.lines().take_while(|line| line.starts_with("//")).any(|line| line.trim() == "// large")
    };
    let files = sources(&folder).into_iter().filter(|file| !is_large(file)).step_by(SHARE);
    let expected: Vec<Expectation> = files.flat_map(|file| expectations(&folder, &file)).collect();
    let complaints: Vec<String> =
        in_parallel(&expected, |expectation| complaint(&folder, expectation)).into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), expected.len(), complaints.join("\n"));
}
