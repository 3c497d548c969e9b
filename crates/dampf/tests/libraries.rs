//! Programs over real libraries have the verdicts that they state: those of `models/libraries` that take no time.
//! `cargo xtask libraries` checks all of them.
//!
//! The libraries are Debian's packages; the test says so where one is missing (`scripts/setup --libraries`).

mod running;

use dampf_testkit::expectations::{Expectation, expectations};
use dampf_testkit::libraries::missing_for;
use running::dampf_in;
use running::program::{folder, has_compiler, in_parallel};
use serde_json::Value;
use std::path::Path;

/// One or two of each library.
const PROGRAMS: [&str; 10] = [
    "aq_queue2.cc",
    "boost_spsc.cc",
    "cds_ringbuffer.cc",
    "ck_fifo.c",
    "ck_ring_spsc.c",
    "cq_bulk.cc",
    "rwq_queue.cc",
    "std_atomic_shared_ptr.cc",
    "std_latch.cc",
    "urcu_wfstack.c",
];

/// The complaint, if a program comes out otherwise than it says.
fn check(folder: &Path, expectation: &Expectation) -> Option<String> {
    let mut arguments = vec!["check".to_owned(), expectation.file.clone(), "--json".to_owned(), "-".to_owned()];
    arguments.extend(expectation.arguments());
    let finished = dampf_in(folder, &arguments);
    let summary: Value = serde_json::from_str(&finished.stdout).unwrap_or_default();
    let verdict = summary["verdict"].as_str().unwrap_or("?");
    let found = if verdict == "violated" { summary["error"]["kind"].as_str().unwrap_or("?") } else { verdict };
    let is_expected = found == expectation.kind;
    (!is_expected).then(|| format!("{expectation:?}: {found}\n{}", finished.stderr))
}

#[test]
fn programs_over_real_libraries_have_the_verdicts_they_state() {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return;
    }
    let folder = folder("models/libraries");
    let mut expected = Vec::new();
    for program in PROGRAMS {
        match missing_for(program) {
            Some(library) => {
                let package = library.package;
                println!("{program} skipped: there is no {package} (scripts/setup --libraries installs it)");
            }
            None => expected.extend(expectations(&folder, program)),
        }
    }
    let complaints = in_parallel(&expected, |expectation| check(&folder, expectation));
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}
