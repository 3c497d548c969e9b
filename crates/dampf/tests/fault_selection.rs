//! `--only`, `--ignore` and `--suppressions`: faults that do not count, with every search, in trails and checkpoints.

mod running;

use running::program::has_compiler;
use running::{Finished, Playground, dampf, on_own_models};
use serde_json::Value;

/// Two threads count their visits without a lock, and money with one.
const BANK: &str = r#"#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int visits, balance;
void *customer(void *unused) {
    visits++;
    pthread_mutex_lock(&lock);
    balance++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, customer, 0);
    pthread_create(&other, 0, customer, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(balance == BALANCE);
}
"#;

fn summary(playground: &Playground, arguments: &[&str]) -> Value {
    let finished = playground.dampf(&[arguments, &["--json", "-"]].concat());
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished:?}"))
}

fn bank() -> Option<Playground> {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
        return None;
    }
    let playground = Playground::new();
    playground.write("bank.c", BANK.as_bytes());
    Some(playground)
}

#[track_caller]
fn is_verified_assuming(finished: &Finished, assumption: &str) {
    assert_eq!(finished.status, 0, "{finished:?}");
    assert!(finished.stdout.contains(&format!("assuming {assumption}")), "{finished:?}");
}

#[test]
fn a_race_that_does_not_matter_hides_no_failed_assertion() {
    let Some(playground) = bank() else { return };
    let fault = |options: &[&str]| {
        let summary = summary(&playground, &[&["check", "bank.c"], options].concat());
        summary["error"]["kind"].as_str().map(str::to_owned)
    };
    assert_eq!(fault(&["-DBALANCE=2"]).as_deref(), Some("data-race"));
    for ignored in ["data-race", "leak,data-race", "data-race@bank.c", "data-race@bank.c:6"] {
        assert_eq!(fault(&["-DBALANCE=2", "--ignore", ignored]), None);
        assert_eq!(fault(&["-DBALANCE=3", "--ignore", ignored]).as_deref(), Some("assertion"), "{ignored}");
    }
    for other in ["leak", "data-race@counter.c", "data-race@bank.c:7"] {
        assert_eq!(fault(&["-DBALANCE=2", "--ignore", other]).as_deref(), Some("data-race"), "{other}");
    }
    assert_eq!(fault(&["-DBALANCE=3", "--only", "assertion"]).as_deref(), Some("assertion"));
    let verified = playground.dampf(&["check", "bank.c", "-DBALANCE=2", "--only", "assertion,deadlock"]);
    is_verified_assuming(&verified, "that only faults of kind assertion, deadlock matter");
}

#[test]
fn a_file_of_suppressions_says_the_same() {
    let Some(playground) = bank() else { return };
    playground.write("known.txt", b"# Visits are only statistics.\n\ndata-race@bank.c  # since ever\n");
    let options = ["check", "bank.c", "-DBALANCE=2", "--suppressions", "known.txt"];
    let verified = playground.dampf(&options);
    is_verified_assuming(&verified, "that faults of kind data-race in bank.c do not matter");
    playground.write("known.txt", b"data-race@bank.c\nrace\n");
    playground.refused(&options, "known.txt:2: `race` is no kind of fault");
}

#[test]
fn trails_keep_what_did_not_count() {
    let Some(playground) = bank() else { return };
    playground.write("known.txt", b"data-race\n");
    let options = ["check", "bank.c", "-DBALANCE=3", "--suppressions", "known.txt", "--trail", "t.json"];
    assert_eq!(playground.dampf(&options).status, 1);
    std::fs::remove_file(playground.path("known.txt")).unwrap();
    let replayed = playground.dampf(&["replay", "t.json"]);
    assert_eq!(replayed.status, 0, "{replayed:?}");
    assert!(replayed.stdout.contains("violated: assertion"), "{replayed:?}");
}

#[test]
fn every_search_goes_on_behind_what_does_not_count() {
    let searches: [&[&str]; 6] = [
        &[],
        &["--search", "dfs", "--threads", "2"],
        &["--deterministic"],
        &["--store", "disk"],
        &["--ranks", "3"],
        &["--ranks", "2", "--search", "first-come"],
    ];
    for search in searches {
        let options = [&["check", "forks.dve", "--ignore", "deadlock"], search].concat();
        is_verified_assuming(&dampf(&options), "that faults of kind deadlock do not matter");
        let found = dampf(&[&["check", "forks.dve", "--ignore", "assertion"], search].concat());
        assert_eq!(found.status, 1, "{found:?}");
    }
}

#[test]
fn a_search_is_resumed_with_the_faults_it_was_begun_with() {
    let folder = tempfile::tempdir().unwrap();
    for (place, store) in [("--checkpoint", "tree"), ("--disk", "disk")] {
        let kept = folder.path().join(store);
        let kept = kept.to_str().unwrap();
        let check = ["check", "dmc/philosophers.dmc", "-D", "N=9", "--ignore", "deadlock", "--max-states", "4000"];
        let begun = on_own_models(&[&check[..], &["--store", store, place, kept, "--checkpoint-every", "0"]].concat());
        assert_eq!(begun.status, 3, "{begun:?}");
        is_verified_assuming(&on_own_models(&["resume", kept]), "that faults of kind deadlock do not matter");
    }
}

#[test]
fn an_unknown_kind_is_refused_with_those_there_are() {
    for option in ["--only", "--ignore"] {
        let finished = dampf(&["check", "forks.dve", option, "race"]);
        assert_eq!(finished.status, 2, "{finished:?}");
        assert!(finished.stderr.contains("`race` is no kind of fault; there are deadlock, assertion"), "{finished:?}");
    }
}
