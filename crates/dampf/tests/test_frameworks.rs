//! Tests that were written with a test framework are checked as they are: a check that fails in some run is a fault at
//! its line, and what a framework does for itself makes no states.
//!
//! The frameworks are Debian's packages; a test says so where one is missing (`scripts/setup --libraries`).

mod running;

use running::program::{folder, has_compiler};
use running::{Finished, Playground, dampf_in};
use serde_json::Value;
use std::path::Path;

const GOOGLE: &str = "/usr/src/googletest/googletest";
const DOCTEST: &str = "/usr/include/doctest/doctest.h";
const CATCH: &str = "/usr/include/catch2/catch.hpp";

fn is_there(file: &str) -> bool {
    let is_there = has_compiler() && Path::new(file).exists();
    if !is_there {
        println!("skipped: there is no cross compiler or no `{file}` (scripts/setup --libraries installs them)");
    }
    is_there
}

fn dampf(arguments: &[&str]) -> Finished {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    dampf_in(&folder("crates/dampf/tests/frameworks"), &arguments)
}

/// The summary of a check.
fn summary(arguments: &[&str]) -> Value {
    let finished = dampf(&[&["check", "--json", "-"], arguments].concat());
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished:?}"))
}

#[track_caller]
fn assert_verified(arguments: &[&str]) {
    let summary = summary(arguments);
    assert_eq!(summary["verdict"], "verified", "{summary:#}");
    // The frameworks look at clocks, which nothing depends on.
    assert_eq!(summary["assumptions"], Value::Array(Vec::new()), "{summary:#}");
}

/// The line of a source that fails in some runs.
fn failing_line(source: &str) -> u64 {
    let path = folder("crates/dampf/tests/frameworks").join(source);
    let text = std::fs::read_to_string(path).expect("a source");
    let line = text.lines().position(|line| line.ends_with("// fails in some runs"));
    line.expect("a line that is marked") as u64 + 1
}

#[track_caller]
fn assert_violated(arguments: &[&str], source: &str, message: &str) {
    let summary = summary(arguments);
    assert_eq!(summary["verdict"], "violated", "{summary:#}");
    assert_eq!(summary["error"]["kind"], "assertion", "{summary:#}");
    assert_eq!(summary["error"]["message"], message);
    assert_eq!(summary["error"]["location"]["file"], source, "{summary:#}");
    assert_eq!(summary["error"]["location"]["line"], failing_line(source), "{summary:#}");
}

#[test]
fn google_test() {
    if !is_there(GOOGLE) {
        return;
    }
    let playground = Playground::new();
    let [framework, locked, unlocked] = ["framework.o", "locked", "unlocked"].map(|name| playground.path(name));
    let [framework, locked, unlocked] = [&framework, &locked, &unlocked].map(|path| path.display().to_string());
    let include = format!("-I{GOOGLE}/include");
    let all = format!("{GOOGLE}/src/gtest-all.cc");
    let main = format!("{GOOGLE}/src/gtest_main.cc");
    let compiled = dampf(&["c++", "-c", &include, &format!("-I{GOOGLE}"), &all, "-o", &framework]);
    assert_eq!(compiled.status, 0, "{compiled:?}");
    for (program, definition) in [(&locked, "-DLOCKED"), (&unlocked, "-DUNLOCKED")] {
        let linked = dampf(&["c++", &include, definition, "google.cc", &main, &framework, "-o", program]);
        assert_eq!(linked.status, 0, "{linked:?}");
    }
    assert_verified(&[&locked]);
    let message = "a check of the test fails: Expected equality of these values: total Which is: 1 2";
    assert_violated(&[&unlocked], "google.cc", message);
    // The test that fails is left out.
    assert_verified(&[&unlocked, "--", "--gtest_filter=-Threads.Count"]);
}

#[test]
fn doctest() {
    if !is_there(DOCTEST) {
        return;
    }
    assert_verified(&["doctest.cc", "-D", "LOCKED"]);
    assert_verified(&["doctest.cc", "-D", "LOCKED", "-D", "EXPECTED"]);
    assert_violated(&["doctest.cc"], "doctest.cc", "a check of the test fails");
    // Where tests are expected to fail, the framework decides at the end.
    let summary = summary(&["doctest.cc", "-D", "EXPECTED"]);
    assert_eq!(summary["error"]["kind"], "exit-status", "{summary:#}");
}

#[test]
fn catch_with_its_exit_status() {
    if !is_there(CATCH) {
        return;
    }
    let playground = Playground::new();
    let program = playground.path("program").display().to_string();
    let compiled = dampf(&["c++", "catch.cc", "-o", &program]);
    assert_eq!(compiled.status, 0, "{compiled:?}");
    let summary = summary(&[&program]);
    assert_eq!(summary["error"]["kind"], "exit-status", "{summary:#}");
    assert_verified(&[&program, "--", "threads lock"]);
}
