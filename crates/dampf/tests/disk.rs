//! Searches on disk: the same results as in memory, resumed after a sudden death, and never more disk than allowed.

mod running;

use running::program::has_compiler;
use running::{Playground, killed_after, on_own_models, summary_of};
use serde_json::Value;
use std::time::Duration;

fn counts(result: &Value) -> [&Value; 5] {
    [&result["verdict"], &result["states"], &result["transitions"], &result["depth"], &result["error"]["kind"]]
}

#[test]
fn a_search_on_disk_comes_to_the_same_result() {
    for subject in [
        &["dve/leader_election.dve"][..],
        &["dve/philosophers_deadlock.dve", "--keep-going"],
        &["dve/philosophers_deadlock.dve", "--deterministic"],
        &["dmc/lamport.dmc", "-D", "N=3"],
        &["promela/election.pml"],
        &["promela/workers.pml", "--threads", "2"],
    ] {
        let expected = summary_of(&[&["check"], subject].concat());
        let on_disk = summary_of(&[&["check"], subject, &["--store", "disk"]].concat());
        assert_eq!(counts(&on_disk), counts(&expected), "{subject:?}");
        assert_eq!(on_disk["store"], "disk");
        if subject.contains(&"--deterministic") {
            assert_eq!(on_disk["trail"], expected["trail"], "{subject:?}");
        }
    }
}

#[test]
fn a_search_that_is_killed_is_resumed_from_its_folder() {
    let model = ["dmc/philosophers.dmc", "-D", "N=11", "--no-deadlock"];
    let expected = summary_of(&[&["check"], &model[..]].concat());
    let runs: u64 = std::env::var("DAMPF_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let mut resumed = 0;
    for number in 0..runs {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("search");
        let folder = folder.to_str().unwrap();
        let disk = ["--store", "disk", "--disk", folder, "--checkpoint-every", "0"];
        let begin = [&["check"], &model[..], &disk].concat();
        killed_after(Duration::from_millis(60 + number * 53 % 400), &begin);
        if on_own_models(&["resume", folder, "--max-states", "1"]).status == 2 {
            // Killed before anything was written.
            continue;
        }
        resumed += 1;
        assert_eq!(counts(&summary_of(&["resume", folder])), counts(&expected));
    }
    assert!(resumed * 2 >= runs, "only {resumed} of {runs} searches could be resumed");
}

#[test]
fn the_disk_limit_is_kept_and_the_search_goes_on_with_more() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("search");
    let folder = folder.to_str().unwrap();
    let check = ["check", "dmc/philosophers.dmc", "-D", "N=11", "--no-deadlock"];
    let finished = on_own_models(&[&check[..], &["--store", "disk", "--disk", folder, "--max-disk", "20K"]].concat());
    assert_eq!(finished.status, 3, "{finished:?}");
    assert!(finished.stdout.contains("disk limit"), "{finished:?}");
    assert!(finished.stdout.contains(&format!("`dampf resume {folder}`")), "{finished:?}");
    let again = on_own_models(&[&check[..], &["--store", "disk", "--disk", folder]].concat());
    assert_eq!(again.status, 2, "{again:?}");
    assert!(again.stderr.contains("holds a checkpoint already"), "{again:?}");
    assert_eq!(counts(&summary_of(&["resume", folder])), counts(&summary_of(&check)));
}

#[test]
fn a_program_on_disk_is_resumed_too() {
    if !has_compiler() {
        println!("skipped: there is no compiler for programs (scripts/setup)");
        return;
    }
    let program = "cpp/bounded_buffer.cc";
    let expected = summary_of(&["check", program, "--keep-going"]);
    let states = expected["states"].as_u64().expect("a number");
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("search");
    let folder = folder.to_str().unwrap();
    let limit = (states / 3).to_string();
    let check = ["check", program, "--keep-going", "--store", "disk", "--disk", folder, "--max-states", &limit];
    let begun = on_own_models(&check);
    assert_eq!(begun.status, 3, "{begun:?}");
    assert!(begun.stdout.contains(&format!("`dampf resume {folder}`")), "{begun:?}");
    let limit = (states / 3 * 2).to_string();
    assert_eq!(on_own_models(&["resume", folder, "--max-states", &limit]).status, 3);
    assert_eq!(counts(&summary_of(&["resume", folder])), counts(&expected));
}

/// Every round fills a block with new numbers, so that no two states have much in common.
const LARGE_STATES: &str = "\
#include <dampf.h>
unsigned block[4096];
int main(void) {
    unsigned seed = 1, choice;
    for (int round = 0; round < 5; round++) {
        RANGE(choice, 0, 3)
        seed = seed * 31 + choice;
        for (unsigned at = 0; at < 4096; at++)
            block[at] = seed * 2654435761u + at * 40503u;
    }
    return 0;
}
";

#[test]
fn contents_of_programs_on_disk_leave_memory_free() {
    if !has_compiler() {
        println!("skipped: there is no compiler for programs (scripts/setup)");
        return;
    }
    let playground = Playground::new();
    playground.write("large.c", LARGE_STATES.as_bytes());
    let summary = |options: &[&str]| -> Value {
        let finished = playground.dampf(&[&["check", "large.c", "--json", "-"], options].concat());
        assert_eq!(finished.status, 0, "{finished:?}");
        serde_json::from_str(&finished.stdout).expect("a summary")
    };
    let expected = summary(&[]);
    for options in [&["--contents", "disk"][..], &["--store", "disk"], &["--store", "disk", "--contents", "memory"]] {
        assert_eq!(counts(&summary(options)), counts(&expected), "{options:?}");
    }
    let limited = summary(&["--contents", "disk", "--max-memory", "60M"]);
    assert_eq!(counts(&limited), counts(&expected));
    assert!(limited["peak_rss_bytes"].as_u64() < expected["peak_rss_bytes"].as_u64(), "{limited} {expected}");
    let full = playground.dampf(&["check", "large.c", "--contents", "disk", "--max-disk", "1M"]);
    assert_eq!(full.status, 3, "{full:?}");
    assert!(full.stdout.contains("disk limit"), "{full:?}");
}

#[test]
fn what_cannot_be_is_refused() {
    for (arguments, message) in [
        (&["check", "dve/peterson.dve", "--store", "disk", "--search", "dfs"][..], "level by level"),
        (&["check", "dve/peterson.dve", "--disk", "x"], "--store disk"),
        (&["check", "dve/peterson.dve", "--contents", "disk"], "goes with programs"),
        (&["check", "dve/peterson.dve", "--store", "disk", "--disk", "/proc/nothing/here"], "/proc/nothing/here"),
        (&["check", "dve/peterson.dve", "--store", "disk", "--ranks", "2"], "--ranks"),
    ] {
        let finished = on_own_models(arguments);
        assert_eq!(finished.status, 2, "{arguments:?}: {finished:?}");
        assert!(finished.stderr.contains(message), "{arguments:?}: {finished:?}");
    }
}
