//! The built command on small models: verdicts, exit statuses, files and complaints.

mod running;

use expect_test::{Expect, expect};
use running::{Finished, Playground, dampf};
use serde_json::{Value, json};

/// Checks the text of a result, without the figures that differ from run to run.
fn check_text(arguments: &[&str], status: i32, expected: Expect) {
    let finished = dampf(arguments);
    assert_eq!(finished.status, status, "{finished:?}");
    assert_eq!(finished.stderr, "");
    let timeless = |line: &&str| {
        let first = line.split_whitespace().next();
        !(line.starts_with("  ") && matches!(first, Some("time" | "rate" | "memory" | "store")))
    };
    let text: Vec<&str> = finished.stdout.lines().filter(timeless).collect();
    expected.assert_eq(&(text.join("\n") + "\n"));
}

/// Runs a command that has to be refused with status 2 and this complaint.
#[track_caller]
fn refused(arguments: &[&str], complaint: &str) {
    let finished = dampf(arguments);
    assert_eq!(finished.status, 2, "{finished:?}");
    assert_eq!(finished.stdout, "");
    assert!(finished.stderr.starts_with("error: "), "{finished:?}");
    assert!(finished.stderr.contains(complaint), "{finished:?}");
}

fn summary(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished:?}"))
}

#[test]
fn a_model_without_faults_is_verified() {
    check_text(
        &["check", "turns.dve"],
        0,
        expect![[r#"
        verified: no reachable state or step is faulty

        search
          states       16
          transitions  16
          depth        15
    "#]],
    );
}

#[test]
fn a_deadlock_is_told_step_by_step() {
    check_text(
        &["check", "forks.dve"],
        1,
        expect![[r#"
        violated: deadlock: no process can move

        initial state
          Anna = thinks, Bert = thinks, fork = [0, 0]

        2 steps
            1  Anna  forks.dve:8   thinks -> has_left { guard fork[0] == 0; effect fork[0] = 1; }
                 fork[0]: 0 -> 1
            2  Bert  forks.dve:17  thinks -> has_left { guard fork[1] == 0; effect fork[1] = 2; }
                 fork[1]: 0 -> 2

        final state
          Anna = has_left, Bert = has_left, fork = [1, 2]

        who waits for what
          Anna at has_left (forks.dve:5): `fork[1] == 0` is false
          Bert at has_left (forks.dve:14): `fork[0] == 0` is false

        search
          states       6
          transitions  8
          depth        2
    "#]],
    );
}

#[test]
fn an_assertion_names_its_place() {
    check_text(
        &["check", "lights.dve"],
        1,
        expect![[r#"
            violated: assertion `served < 2` is violated in Light.red
              at lights.dve:18:15

            initial state
              Walker = away, Light = red, presses = 0, Light.served = 0, button = []

            6 steps
                1  Walker         lights.dve:10  away -> waits { guard presses < 3; sync button!presses; effect presses = presses + 1; }
                     presses: 0 -> 1, button: [] -> [0]
                2  Light          lights.dve:20  red -> green { sync button?served; }
                     button: [0] -> []
                3  Light, Walker  lights.dve:21  green -> red { sync go!; effect served = served + 1; } | waits -> away { sync go?; }
                     Light.served: 0 -> 1
                4  Walker         lights.dve:10  away -> waits { guard presses < 3; sync button!presses; effect presses = presses + 1; }
                     presses: 1 -> 2, button: [] -> [1]
                5  Light          lights.dve:20  red -> green { sync button?served; }
                     button: [1] -> []
                6  Light, Walker  lights.dve:21  green -> red { sync go!; effect served = served + 1; } | waits -> away { sync go?; }
                     Light.served: 1 -> 2

            final state
              Walker = away, Light = red, presses = 2, Light.served = 2, button = []

            search
              states       8
              transitions  7
              depth        7
              not explored 1
        "#]],
    );
}

#[test]
fn invariants_and_goals_come_from_the_command_line() {
    let invariant = dampf(&["check", "forks.dve", "--no-deadlock", "--invariant", "fork[0] < 2"]);
    assert_eq!(invariant.status, 1, "{invariant:?}");
    assert!(invariant.stdout.starts_with("violated: invariant"), "{invariant:?}");
    let goal = dampf(&["check", "forks.dve", "--no-deadlock", "--goal", "Anna.eats"]);
    assert_eq!(goal.status, 1, "{goal:?}");
    assert!(goal.stdout.starts_with("violated: goal"), "{goal:?}");
    let both =
        ["check", "forks.dve", "--no-deadlock", "--invariant", "fork[0] <= 2", "--goal", "Anna.eats and Bert.eats"];
    assert_eq!(dampf(&both).status, 0);
    refused(&["check", "forks.dve", "--invariant", "fork[0] <"], "error: ");
    refused(&["check", "forks.dve", "--goal", "spoon == 0"], "spoon");
}

#[test]
fn without_deadlocks_as_faults_the_model_is_verified() {
    assert_eq!(dampf(&["check", "forks.dve", "--no-deadlock"]).status, 0);
}

#[test]
fn limits_leave_the_verdict_unknown() {
    for limit in [["--max-states", "3"], ["--max-depth", "2"]] {
        let finished = dampf(&["check", "turns.dve", limit[0], limit[1]]);
        assert_eq!(finished.status, 3, "{finished:?}");
        assert!(finished.stdout.starts_with("unknown: "), "{finished:?}");
    }
    let huge = dampf(&["check", "huge.dve", "--max-time", "0.1"]);
    assert_eq!(huge.status, 3, "{huge:?}");
    assert!(huge.stdout.contains("time limit"), "{huge:?}");
    let huge = dampf(&["check", "huge.dve", "--max-memory", "30M", "--max-time", "60"]);
    assert_eq!(huge.status, 3, "{huge:?}");
    assert!(huge.stdout.contains("memory limit"), "{huge:?}");
}

#[test]
fn a_property_process_is_checked() {
    let finished = dampf(&["check", "watched.dve", "--json", "-"]);
    assert_eq!(finished.status, 0, "{finished:?}");
    let summary = summary(&finished);
    assert_eq!((&summary["verdict"], &summary["states"]), (&"verified".into(), &3.into()), "{summary}");
}

#[test]
fn the_summary_says_everything() {
    let finished = dampf(&["check", "forks.dve", "--json", "-", "--threads", "2", "--store", "exact"]);
    assert_eq!(finished.status, 1, "{finished:?}");
    let summary = summary(&finished);
    assert_eq!(summary["verdict"], "violated");
    assert_eq!(summary["reason"], Value::Null);
    assert_eq!(summary["error"], json!({"kind": "deadlock", "message": "no process can move", "location": null}));
    assert_eq!((&summary["threads"], &summary["ranks"], &summary["findings"]), (&json!(2), &json!(1), &json!(1)));
    assert_eq!(
        (&summary["model"], &summary["search"], &summary["store"]),
        (&json!("forks.dve"), &json!("bfs"), &json!("exact"))
    );
    let steps = summary["trail"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    for step in steps {
        assert_eq!(step["file"], "forks.dve");
        assert_eq!(step["function"], "thinks");
        assert!([8, 17].contains(&step["line"].as_u64().unwrap()), "{step}");
        assert!(step["text"].as_str().unwrap().starts_with("thinks -> has_left"), "{step}");
    }
    let positive = |field: &str| assert!(summary[field].as_f64().unwrap() > 0.0, "{field}: {summary}");
    ["states", "transitions", "depth", "seconds", "bytes_per_state"].into_iter().for_each(positive);
    if cfg!(target_os = "linux") {
        positive("peak_rss_bytes");
    }
    let verified = dampf(&["check", "turns.dve", "--json", "-"]);
    let verified: Value = serde_json::from_str(&verified.stdout).unwrap();
    assert_eq!((&verified["states"], &verified["transitions"]), (&json!(16), &json!(16)));
    assert_eq!((&verified["error"], &verified["trail"]), (&Value::Null, &json!([])));
}

#[test]
fn the_summary_goes_into_a_file_beside_the_text() {
    let playground = Playground::new();
    let finished = playground.dampf(&["check", "forks.dve", "--json", "out.json"]);
    assert_eq!(finished.status, 1);
    assert!(finished.stdout.starts_with("violated: "), "{finished:?}");
    let summary: Value = serde_json::from_str(&playground.read("out.json")).unwrap();
    assert_eq!(summary["error"]["kind"], "deadlock");
}

#[test]
fn a_search_that_goes_on_counts_all_findings() {
    let arguments = ["check", "forks.dve", "--keep-going", "--goal", "Anna.eats", "--json", "-"];
    let summary = summary(&dampf(&arguments));
    assert_eq!(summary["findings"], 2, "{summary}");
    let kinds: Vec<&str> = summary["errors"].as_array().unwrap().iter().map(|e| e["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"deadlock") && kinds.contains(&"goal"), "{kinds:?}");
    let text = dampf(&arguments[..5]).stdout;
    assert!(text.contains("1 further finding\n"), "{text}");
}

#[test]
fn a_long_run_is_shortened_unless_asked_for() {
    let short = dampf(&["check", "count.dve"]).stdout;
    assert!(short.contains("… 151 steps not shown; --trail FILE and `dampf replay` show all"), "{short}");
    assert!(short.contains("  201  Counter"), "{short}");
    let full = dampf(&["check", "count.dve", "--full-trail"]).stdout;
    assert_eq!(full.matches("  Counter  ").count(), 201);
}

#[test]
fn the_predictable_search_finds_the_same_run_on_any_number_of_threads() {
    for model in ["forks.dve", "lights.dve", "count.dve"] {
        let result = |threads: &str| {
            let finished = dampf(&["check", model, "--deterministic", "--threads", threads, "--json", "-"]);
            let summary = summary(&finished);
            let fields = ["verdict", "error", "states", "transitions", "depth", "trail"];
            fields.map(|field| summary[field].clone())
        };
        let one = result("1");
        for threads in ["2", "3", "auto"] {
            assert_eq!(result(threads), one, "{model} on {threads} threads");
        }
    }
}

#[test]
fn every_engine_agrees() {
    for search in ["bfs", "dfs", "stack-slicing"] {
        for store in ["tree", "exact", "reconstruct:2"] {
            for backend in ["native", "interpreter"] {
                for threads in ["1", "2"] {
                    let options = ["--search", search, "--store", store, "--backend", backend, "--threads", threads];
                    for (model, status) in [("turns.dve", 0), ("forks.dve", 1), ("lights.dve", 1), ("count.dve", 1)] {
                        let finished = dampf(&[&["check", model], &options[..]].concat());
                        assert_eq!(finished.status, status, "{model} {options:?}: {finished:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_store_that_is_not_exact_verifies_nothing_and_finds_faults() {
    let check = |model: &str, store: &str, options: &[&str]| {
        summary(&dampf(&[&["check", model, "--store", store, "--json", "-"], options].concat()))
    };
    for options in [
        &[][..],
        &["--search", "dfs"],
        &["--threads", "2"],
        &["--search", "dfs", "--threads", "2"],
        &["--search", "stack-slicing", "--threads", "2", "--handoff", "1"],
    ] {
        let sure = summary(&dampf(&[&["check", "turns.dve", "--json", "-"], options].concat()));
        for store in ["hash-compact", "hash-compact:40", "bitstate:1M", "bitstate:64K,k=3,runs=2"] {
            let unsure = check("turns.dve", store, options);
            assert_eq!((&sure["verdict"], &unsure["verdict"]), (&json!("verified"), &json!("unknown")));
            assert_eq!((&sure["states"], &sure["transitions"]), (&unsure["states"], &unsure["transitions"]));
            let reason = unsure["reason"].as_str().expect("a reason");
            assert!(reason.contains("the probability that one was left out"), "{reason}");
            assert!(store.starts_with(unsure["store"].as_str().expect("a name")));
            assert_eq!(check("forks.dve", store, options)["verdict"], "violated");
        }
    }
    let limited = check("turns.dve", "bitstate:64K", &["--max-states", "2"])["reason"].to_string();
    assert!(limited.contains("the limit of 2 states was reached, but states were told apart"), "{limited}");
    for store in ["hash-compact", "bitstate:1M", "reconstruct"] {
        refused(&["check", "turns.dve", "--store", store, "--deterministic"], "gives them back");
        refused(&["check", "turns.dve", "--store", store, "--ranks", "2"], "--store");
        refused(&["check", "turns.dve", "--store", store, "--checkpoint", "there"], "--store");
        refused(&["check", "turns.dve", "--store", store, "--ltl", "[] true"], "--store");
    }
}

#[test]
fn stores_that_cannot_be_are_refused() {
    let refused = |store: &str, complaint: &str| refused(&["check", "turns.dve", "--store", store], complaint);
    refused("trees", "expected tree, exact, hash-compact[:BITS]");
    refused("tree:7", "expected tree, exact, hash-compact[:BITS]");
    refused("hash-compact:41", "24, 32, 40, 48, 56 or 64 bits");
    refused("reconstruct:0", "expected reconstruct:STEPS");
    refused("bitstate:many", "expected bitstate:SIZE");
    refused("bitstate:k=0", "1 to 14 hash functions");
    refused("bitstate:1M,k=3,states=7", "k=K was given");
    refused("bitstate:1M,2M", "says again");
    refused("bitstate:10000000T", "no memory for the filter");
}

#[test]
fn a_filter_leaves_room_below_the_limit_of_memory() {
    refused(&["check", "turns.dve", "--store", "bitstate:2G", "--max-memory", "1G"], "leaves no room");
    let limited = summary(&dampf(&["check", "turns.dve", "--store", "bitstate", "--max-memory", "1G", "--json", "-"]));
    assert_eq!(limited["store_bytes"], 512 << 20);
}

#[test]
fn constants_of_a_model_are_set_from_outside() {
    let states = |arguments: &[&str]| {
        summary(&dampf(&[&["check", "ring.dmc", "--json", "-"], arguments].concat()))["states"].clone()
    };
    assert_eq!(states(&[]), 3);
    assert_eq!(states(&["-D", "N=5"]), 5);
    assert_eq!(states(&["-DN=7", "--invariant", "place < N"]), 7);
    assert_eq!(dampf(&["check", "ring.dmc", "-D", "LOSSY=1"]).status, 1);
    refused(&["check", "ring.dmc", "-D", "M=5"], "no constant `M`");
    refused(&["check", "ring.dmc", "-D", "N=5", "-D", "N=6"], "more than once");
}

#[test]
fn a_buchi_automaton_in_a_file_is_checked() {
    let playground = Playground::new();
    playground.write("away.buc", b"bstate wait:\n  btrans guard (1) goto wait\n  btrans guard (place != 0) goto away\nbstate* away:\n  btrans guard (place != 0) goto away\n");
    let finished = playground.dampf(&["check", "ring.dmc", "--buchi", "away.buc"]);
    assert_eq!(finished.status, 0, "the ring is gone round for ever: {finished:?}");
    playground.write("away.buc", b"bstate wait:\n  btrans guard (plaice != 0) goto wait\n");
    playground.refused(&["check", "ring.dmc", "--buchi", "away.buc"], "away.buc:2:17: ");
    playground.refused(&["check", "ring.dmc", "--buchi", "missing.buc"], "cannot read `missing.buc`");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    refused(&["check", "forks.dve", "--deterministic", "--search", "dfs"], "leave one of the two out");
    refused(&["check", "forks.dve", "-D", "N=3"], "DMC models");
    refused(&["check", "forks.dve", "--buchi", "turns.dve"], "DMC models");
    refused(&["check", "forks.dve", "--trail", "-"], "needs the name of a file");
    refused(&["check", "forks.dve", "--search", "sideways"], "possible values: auto, bfs, dfs");
    refused(&["check", "forks.dve", "--store", "list"], "expected tree, exact");
    refused(&["check", "forks.dve", "--threads", "many"], "expected a number of threads");
    refused(&["check", "forks.dve", "--threads", "99999"], "at most 1024 threads");
    refused(&["check", "forks.dve", "--max-memory", "big"], "expected a size such as 512M");
    refused(&["check", "forks.dve", "--max-time", "-1"], "error: ");
    refused(&["check", "forks.dve", "--max-states", "1.5"], "error: ");
    refused(&["check", "forks.dve", "-D", "N"], "DMC models");
    refused(&["check", "forks.dve", "--frobnicate"], "--frobnicate");
    refused(&["check"], "required");
    refused(&["paint", "forks.dve"], "paint");
    refused(&["simulate", "forks.dve", "--interactive", "--seed", "3"], "cannot be used with");
}

#[test]
fn bad_inputs_are_named() {
    let playground = Playground::new();
    refused(&["check", "missing.dve"], "cannot read `missing.dve`");
    refused(&["check", "."], "directory");
    refused(&["check", "noextension"], "cannot read `noextension`");
    playground.write("notes.txt", b"remember the milk\n");
    playground.refused(&["check", "notes.txt"], ".dve (DVE) or .dmc (DMC)");
    refused(&["check", "broken.dve"], "broken.dve:6:14: ");
    refused(&["simulate", "broken.dve"], "broken.dve:6:14: ");
    refused(&["info", "broken.dve"], "broken.dve:6:14: ");
    playground.write("comment.dve", b"byte x; // \xe9t\xe9\nprocess P { state a; init a; }\nsystem async;\n");
    assert_eq!(playground.dampf(&["check", "comment.dve", "--no-deadlock"]).status, 0);
    playground.write("latin.dve", b"byte x; // \xe9t\xe9\nbyte \xe9;");
    playground.refused(&["check", "latin.dve"], "latin.dve:2:6: ");
    playground.write("empty.dve", b"");
    playground.refused(&["check", "empty.dve"], "empty.dve:1:1: ");
    std::fs::create_dir(playground.path("folder.dve")).unwrap();
    playground.refused(&["check", "folder.dve"], "it is a directory");
}

#[test]
fn outputs_that_cannot_be_written_are_refused_before_the_search() {
    let playground = Playground::new();
    for option in ["--json", "--trail"] {
        playground.refused(&["check", "huge.dve", option, "no/such/folder/out"], "cannot write");
        playground.refused(&["check", "huge.dve", option, "."], "cannot write");
        playground.refused(&["check", "huge.dve", option, "huge.dve"], "is an input or another output");
        playground.refused(&["check", "huge.dve", option, ""], "error: ");
    }
    playground.refused(&["check", "huge.dve", "--json", "same", "--trail", "./same"], "is an input or another output");
    assert!(!playground.path("same").exists());
    assert!(playground.read("huge.dve").contains("process"), "the model is still there");
}

#[test]
fn a_trail_file_exists_only_where_there_is_a_trail() {
    let playground = Playground::new();
    playground.write("t.json", b"from an earlier run");
    assert_eq!(playground.dampf(&["check", "turns.dve", "--trail", "t.json"]).status, 0);
    assert!(!playground.path("t.json").exists());
    assert_eq!(playground.dampf(&["check", "forks.dve", "--trail", "t.json"]).status, 1);
    assert!(playground.path("t.json").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_the_status_but_not_the_result() {
    for option in ["--json", "--trail"] {
        let finished = dampf(&["check", "forks.dve", option, "/dev/full"]);
        assert_eq!(finished.status, 2, "{finished:?}");
        assert!(finished.stdout.starts_with("violated: deadlock"), "{finished:?}");
        assert!(finished.stderr.contains("/dev/full"), "{finished:?}");
    }
    for command in [&["check", "forks.dve"][..], &["check", "forks.dve", "--json", "-"]] {
        let finished = running::dampf_into("/dev/full", command);
        assert_eq!(finished.status, 2, "{finished:?}");
        assert!(finished.stderr.contains("violated: deadlock"), "{finished:?}");
        assert!(finished.stderr.contains("error: cannot write to standard output"), "{finished:?}");
    }
    let others: [&[&str]; 7] = [
        &["--help"],
        &["--version"],
        &["info", "forks.dve"],
        &["simulate", "forks.dve", "--seed", "1"],
        &["completions", "bash"],
        &["man"],
        &["man", "check"],
    ];
    for command in others {
        let finished = running::dampf_into("/dev/full", command);
        assert_eq!(finished.status, 2, "{command:?}: {finished:?}");
        assert!(finished.stderr.starts_with("error: cannot write to standard output"), "{command:?}: {finished:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_a_quiet_end() {
    let commands: [(&[&str], i32); 5] = [
        (&["check", "count.dve", "--full-trail"], 1),
        (&["check", "count.dve", "--json", "-"], 1),
        (&["info", "forks.dve"], 0),
        (&["completions", "zsh"], 0),
        (&["--help"], 0),
    ];
    for (command, status) in commands {
        let finished = running::dampf_without_reader(command);
        assert_eq!((finished.status, finished.stderr.as_str()), (status, ""), "{command:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_search_prints_what_it_learnt() {
    let finished = running::interrupted(&["check", "huge.dve", "--max-time", "60", "--json", "-"]);
    assert_eq!(finished.status, 3, "{finished:?}");
    let summary = summary(&finished);
    assert_eq!(summary["verdict"], "unknown");
    assert_eq!(summary["reason"], "the search was interrupted");
}

#[test]
fn pipes_see_no_colour_unless_they_ask() {
    let escape = |finished: Finished| finished.stdout.contains('\x1b') || finished.stderr.contains('\x1b');
    assert!(!escape(dampf(&["check", "forks.dve"])));
    assert!(!escape(dampf(&["check", "broken.dve"])));
    assert!(!escape(dampf(&["--help"])));
    assert!(escape(dampf(&["check", "forks.dve", "--color", "always"])));
    assert!(escape(dampf(&["--color", "always", "check", "broken.dve"])));
    assert!(!escape(dampf(&["check", "forks.dve", "--color", "never"])));
}

#[test]
fn a_model_is_shown_as_it_was_understood() {
    check_text(
        &["info", "lights.dve", "--invariant", "presses < 9"],
        0,
        expect![[r#"
            model        lights (lights.dve, DVE)
            state        24 bits in 1 word
            processes    2
            transitions  4
            actions      3
            variables    2
            channels     2
            property     none
            checks       2

            variables
              presses       uint8  0..3  2 bits  initially 0
              Light.served  uint8  0..3  2 bits  initially 0

            channels
              button  buffer of 2 messages  uint8      18 bits
              go      rendezvous            no values  0 bits

            process Walker: 2 locations, 2 transitions
              away (initial), waits
              10:  away -> waits  { guard presses < 3; sync button!presses; effect presses = presses + 1; }
              11:  waits -> away  { sync go?; }

            process Light: 2 locations, 2 transitions
              red (initial), green
              20:  red -> green  { sync button?served; }
              21:  green -> red  { sync go!; effect served = served + 1; }

            checks
              assertion  served < 2 at Light.red  lights.dve:18:15
              invariant  presses < 9              given on the command line

            heuristics (--search best-first, beam, astar, idastar)
              most-blocked, lock-and-block, locked-block, locked-blocks, alive-blocks, blocked-blocks
              threads-alive, interleaving, read-write, alternating-access, branch-coverage
              distance(presses)         the value of any expression over variables and locations
              formula, formula-bound    of 2 conditions
              pdb, pdb(NAME, ...; ...)  by any variables and processes
        "#]],
    );
    let watched = dampf(&["info", "watched.dve"]).stdout;
    assert!(watched.contains("property automaton Never: 2 locations, 3 transitions"), "{watched}");
    assert!(watched.contains("bad (accepting)"), "{watched}");
}

#[test]
fn the_command_explains_itself() {
    let help = dampf(&["--help"]);
    assert_eq!(help.status, 0);
    for word in ["Examples:", "Exit status:", "check", "simulate", "replay", "info"] {
        assert!(help.stdout.contains(word), "{word}: {}", help.stdout);
    }
    assert_eq!(dampf(&["--version"]).stdout, format!("dampf {}\n", env!("CARGO_PKG_VERSION")));
    let nothing = dampf(&[]);
    assert_eq!(nothing.status, 2);
    assert!(nothing.stderr.contains("Usage:"), "{nothing:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = dampf(&["completions", shell]);
        assert_eq!(script.status, 0);
        assert!(script.stdout.contains("max-memory"), "{shell}");
    }
    assert!(dampf(&["man"]).stdout.contains(".TH dampf"));
    assert!(dampf(&["man", "check"]).stdout.contains("max\\-memory"));
    refused(&["man", "paint"], "the commands are check, resume, simulate");
}
