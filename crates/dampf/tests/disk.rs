//! Searches on disk: the same results as in memory, resumed after a sudden death, and never more disk than allowed.

mod running;

use running::{Finished, dampf_in};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn run(arguments: &[&str]) -> Finished {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    dampf_in(&models(), &arguments)
}

fn result(arguments: &[&str]) -> Value {
    let finished = run(&[arguments, &["--json", "-"]].concat());
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {finished:?}"))
}

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
        let expected = result(&[&["check"], subject].concat());
        let on_disk = result(&[&["check"], subject, &["--store", "disk"]].concat());
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
    let expected = result(&[&["check"], &model[..]].concat());
    let runs: u64 = std::env::var("DAMPF_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let mut resumed = 0;
    for number in 0..runs {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("search");
        let folder = folder.to_str().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_dampf"))
            .arg("check")
            .args(model)
            .args(["--store", "disk", "--disk", folder, "--checkpoint-every", "0"])
            .current_dir(models())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(60 + number * 53 % 400));
        child.kill().unwrap();
        child.wait().unwrap();
        if run(&["resume", folder, "--max-states", "1"]).status == 2 {
            // Killed before anything was written.
            continue;
        }
        resumed += 1;
        assert_eq!(counts(&result(&["resume", folder])), counts(&expected));
    }
    assert!(resumed * 2 >= runs, "only {resumed} of {runs} searches could be resumed");
}

#[test]
fn the_disk_limit_is_kept_and_the_search_goes_on_with_more() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("search");
    let folder = folder.to_str().unwrap();
    let check = ["check", "dmc/philosophers.dmc", "-D", "N=11", "--no-deadlock"];
    let finished = run(&[&check[..], &["--store", "disk", "--disk", folder, "--max-disk", "20K"]].concat());
    assert_eq!(finished.status, 3, "{finished:?}");
    assert!(finished.stdout.contains("disk limit"), "{finished:?}");
    assert!(finished.stdout.contains(&format!("`dampf resume {folder}`")), "{finished:?}");
    let again = run(&[&check[..], &["--store", "disk", "--disk", folder]].concat());
    assert_eq!(again.status, 2, "{again:?}");
    assert!(again.stderr.contains("holds a search already"), "{again:?}");
    assert_eq!(counts(&result(&["resume", folder])), counts(&result(&check)));
}

#[test]
fn what_cannot_be_is_refused() {
    for (arguments, message) in [
        (&["check", "dve/peterson.dve", "--store", "disk", "--search", "dfs"][..], "level by level"),
        (&["check", "dve/peterson.dve", "--disk", "x"], "--store disk"),
        (&["check", "dve/peterson.dve", "--store", "disk", "--disk", "/proc/nothing/here"], "/proc/nothing/here"),
        (&["check", "dve/peterson.dve", "--store", "disk", "--ranks", "2"], "--ranks"),
    ] {
        let finished = run(arguments);
        assert_eq!(finished.status, 2, "{arguments:?}: {finished:?}");
        assert!(finished.stderr.contains(message), "{arguments:?}: {finished:?}");
    }
}
