//! The built command on programs, each of which says in its first lines what is to come out.
//!
//! - `// expect: KIND` (`verified`, `unknown` or a kind of fault), with its own `flags:` and `options:` behind it; several such lines
//!   are several checks. Lines `// flags:` and `// options:` are for all of them.
//! - `// fault: KIND` stands on the line that is to be blamed.
//!
//! A fault's trail is kept and replayed, and has to end in the same fault.

mod running;

use running::program::{Expectation, expectations, folder, has_compiler, in_parallel, sources};
use running::dampf_in;
use serde_json::Value;
use std::path::Path;

/// Checks a program as an expectation says; the complaint, if it comes out otherwise.
fn check(folder: &Path, expectation: &Expectation) -> Result<(), String> {
    let trail = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    let trail_path = trail.path().display().to_string();
    let mut arguments = vec!["check".to_owned(), expectation.file.clone()];
    arguments.extend(expectation.arguments());
    arguments.extend(["--json", "-", "--max-states", "3000000", "--trail"].map(str::to_owned));
    arguments.push(trail_path.clone());
    let finished = dampf_in(folder, &arguments);
    let complain = |what: String| {
        Err(format!("{} {:?}: {what}\n{}", expectation.file, expectation.arguments(), finished.stderr))
    };
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
    if verdict != "violated" {
        return Ok(());
    }
    let line = summary["error"]["location"]["line"].as_u64();
    let blamed = &expectation.fault_lines;
    if !blamed.is_empty() && !line.is_some_and(|line| blamed.contains(&line)) {
        return complain(format!("line {line:?} is blamed, not {blamed:?}"));
    }
    let replayed = dampf_in(folder, &["replay".to_owned(), trail_path]);
    let message = summary["error"]["message"].as_str().unwrap_or("?");
    if replayed.status != 0 || !replayed.stdout.contains(message) {
        return complain(format!("the trail does not replay: {replayed:?}"));
    }
    Ok(())
}

fn check_folder(folder: &Path) {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    let files = sources(folder);
    let expected: Vec<Expectation> = files.iter().flat_map(|file| expectations(folder, file)).collect();
    assert!(!expected.is_empty());
    let complaints = in_parallel(&expected, |expectation| check(folder, expectation).err());
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
