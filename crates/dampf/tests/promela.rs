//! Promela on the command line.

mod running;

use expect_test::{Expect, expect};
use running::{Playground, dampf};
use std::time::{Duration, Instant};

/// What a command may take to notice that it is to end, on a machine with other things to do.
const SLACK: Duration = Duration::from_secs(20);

fn check_output(arguments: &[&str], status: i32, expected: Expect) {
    let finished = dampf(arguments);
    assert_eq!((finished.status, finished.stderr.as_str()), (status, ""), "{finished:?}");
    let shown: Vec<&str> = finished.stdout.lines().take_while(|line| *line != "search").collect();
    expected.assert_eq(&format!("{}\n", shown.join("\n")));
}

#[test]
fn a_trail_shows_statements_messages_and_output() {
    check_output(
        &["check", "switchboard.pml", "--deterministic"],
        1,
        expect![[r#"
            violated: assertion `calls < LIMIT` is violated
              at switchboard.pml:18:39

            initial state (without 1 value that never changes here)
              Board:0 = line 17, Board:0.who = 0, Board:0.calls = 0, init:1 = line 23

            7 steps
                1  init:1    switchboard.pml:23  run Caller(7)
                   init:1    switchboard.pml:23  run Caller(9)
                     init:1: line 23 -> -end-, Caller:2: none -> line 7, Caller:2.number: none -> 7, Caller:3: none -> line 7, Caller:3.number: none -> 9
                2  Caller:2  switchboard.pml:8   line!call(number) sends call, 7
                   Board:0   switchboard.pml:18  line?call(who)
                     Board:0: line 17 -> line 18, Board:0.who: 0 -> 7, Caller:2: line 7 -> line 9
                3  Board:0   switchboard.pml:18  calls++
                     Board:0.calls: 0 -> 1
                4  Board:0   switchboard.pml:18  assert(calls < LIMIT)
                     Board:0: line 18 -> line 17
                5  Caller:3  switchboard.pml:8   line!call(number) sends call, 9
                   Board:0   switchboard.pml:18  line?call(who)
                     Board:0: line 17 -> line 18, Board:0.who: 7 -> 9, Caller:3: line 7 -> line 9
                6  Board:0   switchboard.pml:18  calls++
                     Board:0.calls: 1 -> 2
                7  Board:0   switchboard.pml:18  assert(calls < LIMIT)

            final state (without 1 value that never changes here)
              Board:0 = line 18, Board:0.who = 9, Board:0.calls = 2, init:1 = -end-, Caller:2 = line 9,
              Caller:2.number = 7, Caller:3 = line 9, Caller:3.number = 9

        "#]],
    );
}

#[test]
fn macros_of_the_command_line_reach_included_files() {
    let finished = dampf(&["check", "switchboard.pml", "-D", "LIMIT=3", "--json", "-"]);
    assert_eq!(finished.status, 1, "{finished:?}");
    assert!(finished.stdout.contains(r#""kind": "deadlock""#), "the board waits for ever: {finished:?}");
    let quiet = dampf(&["check", "switchboard.pml", "-D", "LIMIT=3", "--no-deadlock"]);
    assert_eq!(quiet.status, 0, "{quiet:?}");
}

#[test]
fn every_trail_replays() {
    let playground = Playground::new();
    for search in ["bfs", "dfs"] {
        for backend in ["native", "interpreter"] {
            let options = ["--search", search, "--backend", backend, "--trail", "t.json"];
            let checked = playground.dampf(&[&["check", "switchboard.pml"], &options[..]].concat());
            assert_eq!(checked.status, 1, "{checked:?}");
            let replayed = playground.dampf(&["replay", "t.json"]);
            assert_eq!((replayed.status, replayed.stderr.as_str()), (0, ""), "{replayed:?}");
            let verdict = checked.stdout.lines().next().unwrap();
            assert!(replayed.stdout.contains(verdict), "{options:?}: {replayed:?}");
        }
    }
}

#[test]
fn a_changed_include_is_noticed() {
    let playground = Playground::new();
    playground.dampf(&["check", "switchboard.pml", "--trail", "t.json"]);
    playground.write("switchboard.h", b"#define LIMIT 1\nmtype = { call, hang_up };\n");
    let replayed = playground.dampf(&["replay", "t.json"]);
    assert_eq!(replayed.status, 2, "{replayed:?}");
    assert!(replayed.stderr.contains("has changed since"), "{replayed:?}");
}

#[test]
fn claims_that_are_not_checked_make_no_verified() {
    let playground = Playground::new();
    playground.write("claimed.pml", b"chan c = [1] of { bit };\nactive proctype P() { c!1 }\ntrace { c!1 }\n");
    let checked = playground.dampf(&["check", "claimed.pml"]);
    assert_eq!(checked.status, 3, "{checked:?}");
    assert!(checked.stdout.contains("the trace assertion is not checked"), "{checked:?}");
    assert_eq!(playground.dampf(&["check", "claimed.pml", "--no-claims"]).status, 0);
}

#[test]
fn a_process_that_is_started_late_is_found() {
    // So deep that it is no part of what is explored beforehand.
    let playground = Playground::new();
    playground.write(
        "late.pml",
        b"int n, m;\nproctype Late() { m = n; assert(m != 30000) }\n\
         init { do :: n < 30000 -> n++ :: else -> break od; run Late() }\n",
    );
    let checked = playground.dampf(&["check", "late.pml", "--trail", "t.json"]);
    assert_eq!(checked.status, 1, "{checked:?}");
    assert!(checked.stdout.starts_with("violated: assertion `m != 30000` is violated"), "{checked:?}");
    assert_eq!(playground.dampf(&["replay", "t.json"]).status, 0);
}

#[test]
fn errors_name_file_line_and_column() {
    let playground = Playground::new();
    playground.write("switchboard.h", b"#define LIMIT 2\nmtype = = { call };\n");
    let checked = playground.dampf(&["check", "switchboard.pml"]);
    assert_eq!(checked.status, 2, "{checked:?}");
    assert!(checked.stderr.contains("switchboard.h:2:"), "{checked:?}");
    playground.write("wrong.pml", b"byte x;\nactive proctype P() {\n  x = y + 1\n}\n");
    let checked = playground.dampf(&["check", "wrong.pml"]);
    assert_eq!(checked.status, 2, "{checked:?}");
    assert!(checked.stderr.contains("wrong.pml:3:7"), "{checked:?}");
    assert!(checked.stderr.contains("unknown name `y`"), "{checked:?}");
    let missing = playground.dampf(&["check", "nowhere.pml"]);
    assert_eq!(missing.status, 2, "{missing:?}");
    playground.write("coded.pml", b"active proctype P() {\n  c_code { x(); }\n}\n");
    let coded = playground.dampf(&["check", "coded.pml"]);
    assert_eq!(coded.status, 2, "{coded:?}");
    assert!(coded.stderr.contains("coded.pml:2:3") && coded.stderr.contains("c_code"), "{coded:?}");
}

/// Everybody uses every channel, so that there is much to prepare.
const CROWD: &[u8] = b"chan c[200] = [3] of { byte, byte };
    active [200] proctype P() {
        byte x;
        do
        :: x = (x + 1) % 200
        :: c[x]!x,1
        :: c[x]??x,1
        :: c[x]?[x,2] && len(c[x]) > 1 -> x = 0
        :: else
        od
    }";

#[test]
fn preparing_ends_with_the_time_and_with_ctrl_c() {
    let playground = Playground::new();
    playground.write("crowd.pml", CROWD);
    let start = Instant::now();
    let late = playground.dampf(&["check", "crowd.pml", "--max-time", "1"]);
    assert!(late.status == 3 && start.elapsed() < SLACK, "{:?}: {late:?}", start.elapsed());
    for delay in [0, 500].map(Duration::from_millis) {
        let (interrupted, elapsed) = playground.interrupted(true, delay, &["check", "crowd.pml"]);
        assert!(interrupted.status == 3 && elapsed < SLACK, "{elapsed:?}: {interrupted:?}");
        assert!(interrupted.stdout.contains("interrupted"), "{interrupted:?}");
    }
}

const COUNTER: &str = "byte x; active proctype Count() { byte y; do :: x < 3 -> x++; up: y = x :: else -> break od }";

#[test]
fn invariants_and_goals_are_asked_in_the_models_language() {
    let playground = Playground::new();
    playground.write("counter.pml", COUNTER.as_bytes());
    let asked = |option: &str, text: &str| playground.dampf(&["check", "counter.pml", option, text]);
    for (option, text, status, verdict) in [
        ("--invariant", "x <= 3", 0, "verified"),
        ("--invariant", "x < 3", 1, "violated: invariant `x < 3` is violated"),
        ("--goal", "Count[0]:y == 3 && x == 3", 1, "violated: goal `Count[0]:y == 3 && x == 3` is reached"),
        ("--goal", "Count:y > x", 0, "verified"),
        ("--goal", "Count@up && x == 2", 1, "violated: goal `Count@up && x == 2` is reached"),
    ] {
        let finished = asked(option, text);
        assert_eq!(finished.status, status, "{text}: {finished:?}");
        assert!(finished.stdout.starts_with(verdict), "{text}: {finished:?}");
    }
    let unknown = asked("--invariant", "x < z");
    assert!(unknown.status == 2 && unknown.stderr.contains("unknown name `z`"), "{unknown:?}");
    let kept = playground.dampf(&["check", "counter.pml", "--goal", "x == 2", "--trail", "t.json"]);
    assert_eq!(kept.status, 1, "{kept:?}");
    let replayed = playground.dampf(&["replay", "t.json"]);
    assert_eq!((replayed.status, replayed.stderr.as_str()), (0, ""), "{replayed:?}");
    assert!(replayed.stdout.contains("goal `x == 2` is reached"), "{replayed:?}");
}

#[test]
fn texts_are_read_as_they_were_written_once() {
    let playground = Playground::new();
    for name in ["old.pr", "old.prom", "old.pml"] {
        playground.write(name, b"/* fran\xe7ais */ active proctype P() { printf(\"\xe9\"); skip } // \xe9\n");
        let finished = playground.dampf(&["check", name]);
        assert_eq!(finished.status, 0, "{name}: {finished:?}");
    }
    playground.write("included.h", b"/* \xe9t\xe9 */ byte x;\n");
    playground.write("including.pml", b"#include \"included.h\"\nactive proctype P() { x = 1 }\n");
    let finished = playground.dampf(&["check", "including.pml"]);
    assert_eq!(finished.status, 0, "{finished:?}");
    playground.write("name.pml", b"active proctype \xe9() { skip }\n");
    playground.refused(&["check", "name.pml"], "name.pml:1:17: ");
}

#[test]
fn a_model_without_processes_is_no_deadlock() {
    let playground = Playground::new();
    playground.write("idle.pml", b"byte x;\nproctype P() { x = 1 }\n");
    playground.refused(&["check", "idle.pml"], "idle.pml:2:10: there is no process at the beginning");
    playground.write("empty.pml", b"");
    playground.refused(&["check", "empty.pml"], "there is no process at the beginning");
}

#[test]
fn a_trail_says_how_many_fields_a_channel_takes() {
    let playground = Playground::new();
    playground.write("few.pml", b"chan c = [1] of { byte, byte }; active proctype P() { c!1 }\n");
    let finished = playground.dampf(&["check", "few.pml"]);
    assert_eq!(finished.status, 1, "{finished:?}");
    assert!(finished.stdout.contains("c!1 sends 1 (fields: 1, of the channel's messages: 2)"), "{finished:?}");
}

#[test]
fn a_random_run_comes_again_with_its_seed() {
    let first = dampf(&["simulate", "switchboard.pml", "--seed", "5"]);
    assert_eq!(first.stdout, dampf(&["simulate", "switchboard.pml", "--seed", "5"]).stdout);
    assert!(first.stdout.contains("is through"), "{first:?}");
}

#[test]
fn info_shows_processes_and_channels() {
    check_output(
        &["info", "switchboard.pml"],
        0,
        expect![[r#"
            model        switchboard.pml (Promela)
            state        43 bits in 2 words
            processes    4
            channels     2
            transitions  18
            formulas     0

            processes that there can be
              0    Board                3 places, from the beginning
              1    init                 3 places, from the beginning
              2    Caller               4 places, when started
              3    Caller               4 places, when started

            channels
              1    line                 [0] of { mtype, byte }
              2    log                  [3] of { byte }

            variables
              _nr_pr                    4 values
              len(log)                  4 values
              log.0[3]                  10 values
              Board:0.who               10 values
              Board:0.calls             3 values
              Caller:2.number           10 values
              Caller:3.number           10 values

            heuristics (--search best-first, beam, astar, idastar)
              most-blocked, lock-and-block, locked-block, locked-blocks, alive-blocks, blocked-blocks
              threads-alive, interleaving, read-write, alternating-access, branch-coverage
              distance(_nr_pr)          the value of any expression over variables and locations
              formula, formula-bound    with --invariant or --goal
              pdb, pdb(NAME, ...; ...)  by any variables and processes
        "#]],
    );
}
