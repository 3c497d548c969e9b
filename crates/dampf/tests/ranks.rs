//! Searches on several ranks: the same results as on one, whatever way the work is shared, and after a sudden death.

mod running;

use running::{dampf_among, killed_after, on_own_models, own_models, summary_of};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn counts(result: &Value) -> [&Value; 4] {
    [&result["verdict"], &result["states"], &result["transitions"], &result["error"]["kind"]]
}

/// Models of every language; programs only where they can be compiled.
fn subjects() -> Vec<Vec<&'static str>> {
    let mut subjects = vec![
        vec!["dve/leader_election.dve"],
        vec!["dve/bounded_buffer.dve"],
        vec!["dve/philosophers_deadlock.dve"],
        vec!["dmc/philosophers.dmc", "-D", "N=7"],
        vec!["dmc/lamport.dmc", "-D", "N=3"],
        vec!["dmc/hanoi.dmc", "-D", "N=6"],
        vec!["promela/election.pml"],
        vec!["promela/workers.pml"],
        vec!["promela/commit.pml"],
        vec!["promela/priority_queue.pml", "--no-claims"],
    ];
    if Command::new("riscv64-linux-gnu-g++").arg("--version").stdout(Stdio::null()).status().is_ok() {
        subjects.push(vec!["cpp/bounded_buffer.cc"]);
        subjects.push(vec!["cpp/readers_writer.cc"]);
        subjects.push(vec!["cpp/bakery.c"]);
    }
    subjects
}

const PARTITIONS: [&str; 6] = ["full", "auto", "incremental", "depth=3", "estimate", "distance=20"];
const QUEUES: [&str; 5] = ["hash", "none", "store", "limit=50", "limit=50,extended,store"];

#[test]
fn ranks_come_to_the_same_result_as_one_process() {
    for (number, subject) in subjects().iter().enumerate() {
        let check = [&["check"], subject.as_slice(), &["--keep-going"]].concat();
        let expected = summary_of(&check);
        for ranks in 2..=4 {
            let partition = PARTITIONS[(number + ranks) % PARTITIONS.len()];
            let queue = QUEUES[(number * 3 + ranks) % QUEUES.len()];
            let ranks = ranks.to_string();
            for search in ["bfs", "first-come"] {
                let options = ["--ranks", &ranks, "--partition", partition, "--queue", queue, "--search", search];
                let shared = summary_of(&[check.as_slice(), &options].concat());
                assert_eq!(counts(&shared), counts(&expected), "{subject:?} {options:?}");
                assert_eq!(shared["ranks"].to_string(), ranks);
            }
            for search in ["dfs", "best-first"] {
                let options = ["--ranks", &ranks, "--partition", partition, "--search", search];
                let shared = summary_of(&[check.as_slice(), &options].concat());
                assert_eq!(counts(&shared), counts(&expected), "{subject:?} {options:?}");
            }
        }
    }
}

#[test]
fn ranks_may_have_threads() {
    for subject in subjects() {
        let check = [&["check"], subject.as_slice(), &["--keep-going"]].concat();
        let expected = summary_of(&check);
        for options in [
            &["--ranks", "2", "--threads", "2"][..],
            &["--ranks", "1", "--threads", "3", "--search", "first-come"],
            &["--threads", "2", "--partition", "auto"],
        ] {
            let shared = summary_of(&[check.as_slice(), options].concat());
            assert_eq!(counts(&shared), counts(&expected), "{subject:?} {options:?}");
            let threads = options.iter().position(|&option| option == "--threads").map(|at| options[at + 1]).unwrap();
            assert_eq!(shared["threads"].to_string(), threads);
        }
    }
}

#[test]
fn contents_travel_through_files_too() {
    for subject in subjects().iter().filter(|subject| subject[0].starts_with("cpp/")) {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("shared");
        let check = [&["check"], subject.as_slice(), &["--keep-going"]].concat();
        let expected = summary_of(&check);
        let options = ["--ranks", "3", "--shared-folder", folder.to_str().unwrap()];
        for partition in ["full", "depth=5"] {
            let filed = summary_of(&[check.as_slice(), &options, &["--partition", partition]].concat());
            assert_eq!(counts(&filed), counts(&expected), "{subject:?} {partition}");
            assert!(filed["traffic"]["filed_bytes"].as_u64() > Some(0), "{filed}");
        }
    }
    if !subjects().iter().any(|subject| subject[0].starts_with("cpp/")) {
        return;
    }
    let refused = on_own_models(&["check", "cpp/bakery.c", "--ranks", "2", "--shared-folder", "/proc/nothing/here"]);
    assert_eq!(refused.status, 2, "{refused:?}");
    assert!(refused.stderr.contains("/proc/nothing/here"), "{refused:?}");
}

#[test]
fn a_predictable_search_tells_the_same_story_on_any_number_of_ranks() {
    for subject in subjects() {
        let check = [&["check"], subject.as_slice(), &["--deterministic"]].concat();
        let expected = summary_of(&check);
        for ranks in ["1", "2", "3"] {
            let shared = summary_of(&[check.as_slice(), &["--ranks", ranks]].concat());
            assert_eq!(counts(&shared), counts(&expected), "{subject:?}, {ranks} ranks");
            assert_eq!(shared["depth"], expected["depth"], "{subject:?}, {ranks} ranks");
            assert_eq!(shared["faults"], expected["faults"], "{subject:?}, {ranks} ranks");
            assert_eq!(shared["trail"], expected["trail"], "{subject:?}, {ranks} ranks");
        }
    }
}

#[test]
fn sections_of_states_decide_who_owns_them() {
    let check = ["check", "dmc/lamport.dmc", "-D", "N=3", "--ranks", "3"];
    let expected = summary_of(&check);
    let finished =
        on_own_models(&["check", "dmc/lamport.dmc", "-D", "N=3", "--ranks", "2", "--partition", "section=nosuch"]);
    assert_eq!(finished.status, 2, "{finished:?}");
    assert!(finished.stderr.contains("no section `nosuch`"), "{finished:?}");
    let known = finished.stderr.split("there are: ").nth(1).expect("the message names the sections");
    let first = known.trim().split(", ").next().unwrap();
    let shared = summary_of(&[&check[..], &["--partition", &format!("section={first}")]].concat());
    assert_eq!(counts(&shared), counts(&expected), "{first}");
}

#[test]
fn local_searches_send_less_and_find_the_same() {
    let check = ["check", "dmc/lamport.dmc", "-D", "N=3", "--ranks", "3", "--search", "first-come"];
    let plain = summary_of(&check);
    for local in ["3", "3,own=queue,foreign=search", "2,own=cache,foreign=leave,cache=1000"] {
        let shared = summary_of(&[&check[..], &["--local-search", local]].concat());
        assert_eq!(shared["verdict"], plain["verdict"], "{local}");
        assert!(shared["states"].as_u64() <= plain["states"].as_u64(), "{local}");
        let redundant = shared["traffic"]["redundant_states"].as_u64().unwrap();
        assert!(redundant > 0, "{local}");
    }
    let deadlock =
        ["check", "dve/philosophers_deadlock.dve", "--ranks", "2", "--search", "first-come", "--local-search", "3"];
    assert_eq!(summary_of(&deadlock)["error"]["kind"], "deadlock");
}

#[test]
fn a_search_that_is_killed_goes_on_from_its_checkpoint() {
    let model = ["dmc/philosophers.dmc", "-D", "N=11", "--no-deadlock"];
    let expected = summary_of(&[&["check"], &model[..]].concat());
    let mut resumed = 0;
    let runs: u64 = std::env::var("DAMPF_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    for number in 0..runs {
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = folder.path().join("checkpoints");
        let checkpoints = checkpoints.to_str().unwrap();
        let search = ["bfs", "first-come", "dfs"][number as usize % 3];
        let begin = [
            &["check"],
            &model[..],
            &["--ranks", "2", "--search", search, "--checkpoint", checkpoints, "--checkpoint-every", "0.02s"],
        ]
        .concat();
        killed_after(Duration::from_millis(80 + number * 37 % 400), &begin);
        if !Path::new(checkpoints).join("dampf-search.manifest").exists() {
            continue;
        }
        resumed += 1;
        let ranks = ["1", "2", "3"][number as usize % 3];
        let finished = summary_of(&["resume", checkpoints, "--ranks", ranks]);
        assert_eq!(counts(&finished), counts(&expected), "{search}, resumed on {ranks}");
    }
    assert!(resumed * 2 >= runs, "only {resumed} of {runs} searches had a checkpoint");
}

/// Two properties, the first of which holds: a search that is resumed goes on with the one that it was at.
#[test]
fn a_search_for_cycles_that_is_killed_goes_on_from_its_checkpoint() {
    let holds = "([]<> Philosopher[0].eat && []<> Philosopher[0].hungry) -> []<> Philosopher[0].think";
    let is_violated = "[]<> Philosopher[0].eat";
    let model = ["dmc/philosophers.dmc", "-D", "N=9", "-D", "LEFTHANDED=1", "--ltl", holds, "--ltl"];
    let runs: u64 = std::env::var("DAMPF_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let mut resumed = 0;
    for second in [holds, is_violated] {
        let model = [&model[..], &[second]].concat();
        let expected = summary_of(&[&["check", "--ranks", "2"], &model[..]].concat());
        for number in 0..runs {
            let folder = tempfile::tempdir().unwrap();
            let checkpoints = folder.path().join("checkpoints");
            let checkpoints = checkpoints.to_str().unwrap();
            let search = ["bfs", "first-come"][number as usize % 2];
            let begin = [
                &["check"],
                &model[..],
                &["--ranks", "2", "--search", search, "--checkpoint", checkpoints, "--checkpoint-every", "0.02s"],
            ]
            .concat();
            killed_after(Duration::from_millis(100 + number * 211 % 1500), &begin);
            if !Path::new(checkpoints).join("dampf-search.manifest").exists() {
                continue;
            }
            resumed += 1;
            let ranks = ["1", "2", "3"][number as usize % 3];
            let finished = summary_of(&["resume", checkpoints, "--ranks", ranks]);
            assert_eq!(finished["verdict"], expected["verdict"], "{search}, resumed on {ranks}");
            if second == holds {
                assert_eq!(counts(&finished), counts(&expected), "{search}, resumed on {ranks}");
            } else {
                assert!(finished["cycle_start"].is_u64(), "{finished}");
            }
        }
    }
    assert!(resumed >= runs, "only {resumed} of {} searches had a checkpoint", 2 * runs);
}

#[test]
fn a_limit_leaves_a_checkpoint_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = folder.path().join("checkpoints");
    let checkpoints = checkpoints.to_str().unwrap();
    let keep = ["--checkpoint", checkpoints, "--checkpoint-every", "0"];
    let check = ["check", "dmc/philosophers.dmc", "-D", "N=9", "--no-deadlock"];
    let finished = on_own_models(&[&check[..], &keep, &["--max-states", "4000"]].concat());
    assert_eq!(finished.status, 3, "{finished:?}");
    assert!(finished.stdout.contains(&format!("`dampf resume {checkpoints}`")), "{finished:?}");
    for ranks in ["1", "3"] {
        let again = on_own_models(&[&check[..], &keep, &["--ranks", ranks]].concat());
        assert_eq!(again.status, 2, "{again:?}");
        assert!(again.stderr.contains("holds a checkpoint already"), "{again:?}");
    }
    assert_eq!(counts(&summary_of(&["resume", checkpoints, "--threads", "2"])), counts(&summary_of(&check)));
}

/// However seldom checkpoints are asked for, a search that is ended by a limit has one that is not old.
#[test]
fn a_limit_comes_after_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let check = ["check", "dmc/philosophers.dmc", "-D", "N=13", "--no-deadlock", "--max-time", "2"];
    for (number, search) in ["bfs", "first-come"].into_iter().enumerate() {
        let checkpoints = folder.path().join(number.to_string());
        let checkpoints = checkpoints.to_str().unwrap();
        let keep = ["--ranks", "2", "--search", search, "--checkpoint", checkpoints, "--checkpoint-every", "1h"];
        let finished = on_own_models(&[&check[..], &keep].concat());
        // A machine that is fast enough is done before.
        assert!(finished.status == 0 || finished.stdout.contains("dampf resume"), "{finished:?}");
    }
}

#[test]
fn a_folder_is_used_by_one_run_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = folder.path().join("checkpoints");
    let checkpoints = checkpoints.to_str().unwrap();
    let check = ["check", "dmc/philosophers.dmc", "-D", "N=9", "--no-deadlock", "--max-states", "4000"];
    let keep = ["--checkpoint", checkpoints, "--checkpoint-every", "0"];
    assert_eq!(on_own_models(&[&check[..], &keep].concat()).status, 3);
    let lock = std::fs::OpenOptions::new().write(true).open(Path::new(checkpoints).join("dampf-search.lock")).unwrap();
    lock.lock().unwrap();
    for ranks in ["1", "2"] {
        let refused = on_own_models(&["resume", checkpoints, "--ranks", ranks]);
        assert_eq!(refused.status, 2, "{refused:?}");
        assert!(refused.stderr.contains("used by another run"), "{refused:?}");
    }
    drop(lock);
    assert_eq!(on_own_models(&["resume", checkpoints, "--ranks", "2"]).status, 0);
}

/// Names of files need not be text, but those that a checkpoint keeps do.
#[test]
fn names_that_cannot_be_kept_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let strange = folder.path().join(std::ffi::OsStr::from_bytes(b"peterson\xff.dve"));
    std::fs::copy(own_models().join("dve/peterson.dve"), &strange).unwrap();
    let finished = Command::new(env!("CARGO_BIN_EXE_dampf"))
        .arg("check")
        .arg(&strange)
        .args(["--checkpoint", "c"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(finished.status.code(), Some(2), "{finished:?}");
    assert!(String::from_utf8_lossy(&finished.stderr).contains("no text in UTF-8"), "{finished:?}");
}

#[test]
fn a_search_for_all_faults_says_when_it_was_cut_short() {
    let check = ["check", "dve/philosophers_deadlock.dve", "--keep-going"];
    assert!(summary_of(&check)["reason"].is_null());
    let cut = summary_of(&["check", "dmc/philosophers.dmc", "-D", "N=10", "--keep-going", "--max-states", "50000"]);
    assert!(cut["verdict"] == "violated" || cut["verdict"] == "unknown", "{cut}");
    assert!(cut["reason"].as_str().is_some_and(|reason| reason.contains("50000 states")), "{cut}");
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().to_str().unwrap();
    for (arguments, message) in [
        (vec!["check", "dve/peterson.dve", "--ranks", "0"], "at least one rank"),
        (vec!["check", "dve/peterson.dve", "--ranks", "999"], "at most 256 ranks in one process"),
        (vec!["check", "dve/peterson.dve", "--max-states", "0"], "at least one state"),
        (vec!["check", "dve/peterson.dve", "--partition", "depth=0"], "depth=N"),
        (vec!["check", "dve/peterson.dve", "--partition", "halves"], "expected full, auto, incremental"),
        (vec!["check", "dve/peterson.dve", "--queue", "limit=x"], "expected hash, none"),
        (vec!["check", "dve/peterson.dve", "--queue", "none", "--search", "dfs"], "--queue"),
        (
            vec!["check", "dve/peterson.dve", "--deterministic", "--search", "best-first", "--ranks", "2"],
            "--deterministic",
        ),
        (vec!["check", "dve/peterson.dve", "--store", "exact", "--ranks", "2"], "--store"),
        (vec!["check", "dve/peterson.dve", "--local-search", "3"], "--search first-come"),
        (vec!["check", "dve/peterson.dve", "--local-search", "1"], "at least 2"),
        (vec!["check", "dve/peterson.dve", "--ranks", "64", "--threads", "64"], "too many for one process"),
        (vec!["check", "dve/peterson.dve", "--deterministic", "--partition", "depth=2"], "another --partition"),
        (vec!["check", "dve/peterson.dve", "--ranks", "2", "--shared-folder", empty], "goes with programs"),
        (vec!["check", "dve/peterson.dve", "--store", "disk", "--queue", "none"], "--store"),
        (vec!["check", "dve/peterson.dve", "--store", "exact", "--search", "first-come"], "--store"),
        (vec!["check", "dve/peterson.dve", "--ranks", "2", "--sent-cache", "999999999999"], "at most"),
        (vec!["resume", empty], "holds no checkpoint"),
        (vec!["resume", "no/such/folder"], "holds no checkpoint"),
    ] {
        let finished = on_own_models(&arguments);
        assert_eq!(finished.status, 2, "{arguments:?}: {finished:?}");
        assert!(finished.stderr.contains(message), "{arguments:?}: {finished:?}");
    }
    if cfg!(not(feature = "mpi")) {
        let arguments = ["check", "dve/peterson.dve"].map(str::to_owned);
        let finished = dampf_among(&[("OMPI_COMM_WORLD_SIZE", "2")], &own_models(), &arguments);
        assert_eq!(finished.status, 2, "{finished:?}");
        assert!(finished.stderr.contains("--features mpi"), "{finished:?}");
    }
}
