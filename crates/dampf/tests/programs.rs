//! The built command on programs, each of which says in its first lines what is to come out;
//! `dampf_testkit::expectations` reads these lines.
//!
//! A fault's trail is kept and replayed, and has to end in the same fault.

mod running;

use dampf_testkit::expectations::{Expectation, expectations, sources};
use running::program::{folder, has_compiler, in_parallel, is_installed};
use running::{Playground, dampf_among, dampf_in};
use serde_json::Value;
use std::path::Path;

/// Checks a program as an expectation says, with the compiler that environment variables may name; the complaint, if it
/// comes out otherwise.
fn check(folder: &Path, expectation: &Expectation, compiler: &[(&str, &str)]) -> Result<(), String> {
    let trail = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    let trail_path = trail.path().display().to_string();
    let mut arguments = vec!["check".to_owned(), expectation.file.clone()];
    arguments.extend(expectation.arguments());
    arguments.extend(["--json", "-", "--max-states", "3000000", "--trail"].map(str::to_owned));
    arguments.push(trail_path.clone());
    let finished = dampf_among(compiler, folder, &arguments);
    let complain =
        |what: String| Err(format!("{} {:?}: {what}\n{}", expectation.file, expectation.arguments(), finished.stderr));
    let Ok(summary) = serde_json::from_str::<Value>(&finished.stdout) else { return complain("no summary".to_owned()) };
    let verdict = summary["verdict"].as_str().unwrap_or("?");
    let found = if verdict == "violated" { summary["error"]["kind"].as_str().unwrap_or("?") } else { verdict };
    let status = match verdict {
        "verified" => 0,
        "violated" => 1,
        _ => 3,
    };
    if found != expectation.kind || finished.status != status {
        return complain(format!("{found} instead of {}", expectation.kind));
    }
    let states = summary["states"].as_u64().unwrap_or(u64::MAX);
    if expectation.states_max.is_some_and(|most| states > most) {
        return complain(format!("{states} states instead of {:?}", expectation.states_max));
    }
    if verdict != "violated" {
        return Ok(());
    }
    let line = summary["error"]["location"]["line"].as_u64();
    let blamed = &expectation.fault_lines;
    if !blamed.is_empty() && !line.is_some_and(|line| blamed.contains(&line)) {
        return complain(format!("line {line:?} is blamed, not {blamed:?}"));
    }
    let replayed = dampf_among(compiler, folder, &["replay".to_owned(), trail_path]);
    let message = summary["error"]["message"].as_str().unwrap_or("?");
    if replayed.status != 0 || !replayed.stdout.contains(message) {
        return complain(format!("the trail does not replay: {replayed:?}"));
    }
    Ok(())
}

fn is_large(folder: &Path, file: &str) -> bool {
    let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
    text.lines().take_while(|line| line.starts_with("//")).any(|line| line.trim() == "// large")
}

fn check_folder(folder: &Path) {
    check_changed(folder, Some);
}

/// Checks the programs of a folder as they say, but for what is changed or left out of that.
fn check_changed(folder: &Path, change: impl Fn(Expectation) -> Option<Expectation>) {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    let mut files = sources(folder);
    if cfg!(debug_assertions) {
        // What takes a minute in an optimised build takes many in this one.
        files.retain(|file| !is_large(folder, file));
        println!("programs that say `// large` are left out: cargo test --release checks them");
    }
    let expected: Vec<Expectation> =
        files.iter().flat_map(|file| expectations(folder, file)).filter_map(change).collect();
    assert!(!expected.is_empty());
    let complaints = in_parallel(&expected, |expectation| check(folder, expectation, &[]).err());
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), expected.len(), complaints.join("\n\n"));
}

#[test]
fn every_check_and_primitive_does_what_its_programs_say() {
    check_folder(&folder("crates/dampf-object/tests/programs"));
}

#[test]
fn the_example_programs_have_the_verdicts_they_state() {
    check_folder(&folder("models/cpp"));
}

#[test]
fn programs_with_agents_are_checked_like_others() {
    check_folder(&folder("models/plan"));
}

#[test]
fn seeded_errors_are_found_and_what_is_right_is_verified() {
    check_folder(&folder("models/seeded"));
}

#[test]
fn properties_of_whole_runs_hold_as_their_programs_say() {
    check_folder(&folder("crates/dampf/tests/liveness"));
}

/// Fair runs, too, threads that starve, and livelocks.
#[test]
fn properties_of_whole_runs_hold_on_ranks_as_their_programs_say() {
    check_changed(&folder("crates/dampf/tests/liveness"), |mut expectation| {
        expectation.options.extend(["--ranks", "2"].map(str::to_owned));
        Some(expectation)
    });
}

/// What clang is told. gcc's standard of C++ is the later one.
const CLANG: [(&str, &str); 2] = [("DAMPF_CC", "clang"), ("DAMPF_CXX", "clang++ -std=gnu++17")];

#[test]
fn clang_makes_programs_with_the_same_verdicts() {
    let folder = folder("crates/dampf-object/tests/programs");
    let hello = Playground::new();
    hello.write("hello.cc", b"#include <atomic>\nstd::atomic<int> number;\nint main() { return number.load(); }\n");
    let hello = dampf_among(&CLANG, &hello.path("."), &["check".to_owned(), "hello.cc".to_owned()]);
    if !is_installed("clang++") || hello.status == 2 {
        println!("skipped: there is no clang that compiles for riscv64-linux-gnu: {}", hello.stderr);
        return;
    }
    assert_eq!(hello.status, 0, "{hello:?}");
    let parts = ["atomic_", "race_", "heap_", "stack_", "rwlock", "cxx_atomic_w", "cxx_container_", "cxx_shared_ptr"];
    let mut files = sources(&folder);
    files.retain(|file| parts.iter().any(|part| file.starts_with(part)) && !is_large(&folder, file));
    let expected: Vec<Expectation> = files.iter().flat_map(|file| expectations(&folder, file)).collect();
    let complaints = in_parallel(&expected, |expectation| check(&folder, expectation, &CLANG).err());
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{} of {}:\n{}", complaints.len(), expected.len(), complaints.join("\n\n"));
    // Optimised code has the copies of atomic loads in other places, and its variables in parts.
    for level in ["-O1", "-O2", "-Os"] {
        for (file, flags, status) in [("atomic_peterson.c", "", 0), ("atomic_peterson.c", "-DBUG", 1)] {
            let arguments = ["check", file, "--cflags", level, "--cflags", flags].map(str::to_owned);
            let finished = dampf_among(&CLANG, &folder, &arguments);
            assert_eq!(finished.status, status, "{file} {level} {flags}: {finished:?}");
        }
    }
}

/// Whether a kind of fault, or a verdict, is what a table of programs expects in its words.
fn agrees(found: &str, expected: &str) -> bool {
    expected.split(" or ").any(|expected| match expected {
        "violated" => !matches!(found, "verified" | "unknown"),
        "data race" => found == "data-race",
        "violated assertion" => found == "assertion",
        expected => found == expected,
    })
}

#[test]
fn programs_that_others_get_wrong_have_the_expected_verdicts() {
    let folder = folder("../shared/corpora/c");
    let Ok(table) = std::fs::read_to_string(folder.join("expected.tsv")) else {
        println!("skipped: there is no folder ../shared/corpora/c");
        return;
    };
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let complaints = in_parallel(&rows, |row| {
        let [file, flags, expected] = row[..] else { return Some(format!("not a row: {row:?}")) };
        let mut arguments = vec!["check".to_owned(), file.to_owned(), "--json".to_owned(), "-".to_owned()];
        arguments.extend(flags.split_whitespace().map(str::to_owned));
        let finished = dampf_in(&folder, &arguments);
        let summary: Value = serde_json::from_str(&finished.stdout).unwrap_or_default();
        let verdict = summary["verdict"].as_str().unwrap_or("?");
        let found = if verdict == "violated" { summary["error"]["kind"].as_str().unwrap_or("?") } else { verdict };
        (!agrees(found, expected))
            .then(|| format!("{file} {flags}: {found} instead of {expected}\n{}", finished.stderr))
    });
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
