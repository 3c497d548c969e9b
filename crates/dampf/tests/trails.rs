//! Kept runs and walks: `replay` and `simulate`.

mod running;

use expect_test::{Expect, expect};
use running::{Playground, dampf, dampf_with_input};

fn check_walk(input: &str, status: i32, expected: Expect) {
    let finished = dampf_with_input(&["simulate", "forks.dve", "--interactive"], input);
    assert_eq!((finished.status, finished.stderr.as_str()), (status, ""), "{finished:?}");
    expected.assert_eq(&finished.stdout);
}

#[test]
fn every_trail_replays() {
    let playground = Playground::new();
    for model in ["forks.dve", "lights.dve", "count.dve"] {
        for search in ["bfs", "dfs"] {
            for threads in ["1", "3"] {
                let options = ["--search", search, "--threads", threads, "--trail", "t.json"];
                let checked = playground.dampf(&[&["check", model], &options[..]].concat());
                assert_eq!(checked.status, 1, "{checked:?}");
                let replayed = playground.dampf(&["replay", "t.json"]);
                assert_eq!((replayed.status, replayed.stderr.as_str()), (0, ""), "{replayed:?}");
                let verdict = checked.stdout.lines().next().unwrap();
                assert!(replayed.stdout.contains(verdict), "{model}, {options:?}: {replayed:?}");
                let guided = playground.dampf(&["simulate", model, "--trail", "t.json"]);
                assert_eq!((guided.status, guided.stdout), (1, replayed.stdout));
            }
        }
    }
}

#[test]
fn a_replay_shows_every_step() {
    let playground = Playground::new();
    playground.dampf(&["check", "lights.dve", "--deterministic", "--trail", "t.json"]);
    expect![[r#"
        a run of lights.dve in 6 steps

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

        violated: assertion `served < 2` is violated in Light.red
          at lights.dve:18:15
    "#]].assert_eq(&playground.dampf(&["replay", "t.json"]).stdout);
    playground.dampf(&["check", "count.dve", "--trail", "t.json"]);
    assert_eq!(playground.dampf(&["replay", "t.json"]).stdout.matches("  Counter  ").count(), 201);
}

#[test]
fn what_was_checked_is_part_of_the_trail() {
    let playground = Playground::new();
    let options = ["--no-deadlock", "--invariant", "fork[0] < 9", "--goal", "Bert.eats", "--trail", "t.json"];
    assert_eq!(playground.dampf(&[&["check", "forks.dve"], &options[..]].concat()).status, 1);
    let replayed = playground.dampf(&["replay", "t.json"]);
    assert_eq!(replayed.status, 0, "{replayed:?}");
    assert!(replayed.stdout.contains("violated: goal"), "{replayed:?}");
}

#[test]
fn constants_are_part_of_the_trail() {
    let playground = Playground::new();
    let options = ["-D", "N=6", "-D", "LOSSY=1", "--trail", "t.json"];
    assert_eq!(playground.dampf(&[&["check", "ring.dmc"], &options[..]].concat()).status, 1);
    let replayed = playground.dampf(&["replay", "t.json"]);
    assert_eq!(replayed.status, 0, "{replayed:?}");
    assert!(replayed.stdout.contains("Station[5]"), "{replayed:?}");
}

#[test]
fn a_changed_model_is_noticed() {
    let playground = Playground::new();
    playground.dampf(&["check", "forks.dve", "--trail", "t.json"]);
    let text = playground.read("forks.dve");
    playground.write("forks.dve", text.replace("// Two", "// Still two").as_bytes());
    playground.refused(&["replay", "t.json"], "has changed since the trail was written");
    playground.refused(&["simulate", "forks.dve", "--trail", "t.json"], "has changed since the trail was written");
    assert_eq!(playground.dampf(&["replay", "t.json", "--allow-changed-model"]).status, 0);
    playground.write("forks.dve", text.replace("guard fork[1] == 0; effect fork[1] = 2;", "guard false;").as_bytes());
    playground.refused(&["replay", "t.json", "--allow-changed-model"], "step 2");
    playground.write(
        "forks.dve",
        text.replace("has_left -> eats { guard fork[1] == 0", "has_left -> eats { guard true").as_bytes(),
    );
    playground.refused(&["replay", "t.json", "--allow-changed-model"], "ends without a fault");
    playground.write("forks.dve", b"process");
    playground.refused(&["replay", "t.json"], "forks.dve:1:");
}

#[test]
fn a_model_that_moved_is_found_or_named() {
    let playground = Playground::new();
    std::fs::create_dir(playground.path("below")).unwrap();
    playground.dampf(&["check", "forks.dve", "--trail", "below/t.json"]);
    std::fs::rename(playground.path("forks.dve"), playground.path("below/forks.dve")).unwrap();
    assert_eq!(playground.dampf(&["replay", "below/t.json"]).status, 0);
    std::fs::rename(playground.path("below/forks.dve"), playground.path("other.dve")).unwrap();
    playground.refused(&["replay", "below/t.json"], "--model FILE");
    assert_eq!(playground.dampf(&["replay", "below/t.json", "--model", "other.dve"]).status, 0);
}

#[test]
fn what_is_no_trail_is_refused() {
    let playground = Playground::new();
    playground.refused(&["replay", "missing.json"], "cannot read `missing.json`");
    playground.refused(&["replay", "."], "directory");
    playground.refused(&["replay", "forks.dve"], "this is no trail file");
    playground.write("t.json", b"{\"format\": \"something else\"}");
    playground.refused(&["replay", "t.json"], "this is no trail file");
    playground.dampf(&["check", "forks.dve", "--trail", "t.json"]);
    let trail = playground.read("t.json");
    playground.write("cut.json", &trail.as_bytes()[..trail.len() / 2]);
    playground.refused(&["replay", "cut.json"], "this is no trail file");
    let actions = trail.find("\"actions\":[").unwrap() + "\"actions\":[".len();
    for (insertion, complaint) in [("999999,", "step 1"), ("18446744073709551615,", "step 1"), ("-1,", "no trail file")]
    {
        let mut changed = trail.clone();
        changed.insert_str(actions, insertion);
        playground.write("odd.json", changed.as_bytes());
        playground.refused(&["replay", "odd.json"], complaint);
    }
    playground.write("odd.json", trail.replace("\"initial\":0", "\"initial\":7").as_bytes());
    playground.refused(&["replay", "odd.json"], "no initial state 7");
    playground.write("odd.json", trail.replace("\"deadlock\"", "\"goal\"").as_bytes());
    playground.refused(&["replay", "odd.json"], "written for `goal");
}

#[test]
fn a_random_run_is_the_same_for_the_same_seed() {
    let run = |seed: &str| dampf(&["simulate", "turns.dve", "--seed", seed, "--steps", "9"]);
    assert_eq!(run("7").stdout, run("7").stdout);
    assert_eq!(run("7").status, 0);
    expect![[r#"
        a random run of turns.dve, --seed 7

        initial state
          Even = wait, Odd = wait, turn = 0, rounds = 0

        steps
            1  Even  turns.dve:9  wait -> work { guard turn == 0; }
            2  Even  turns.dve:10  work -> wait { effect turn = 1, rounds = (rounds + 1) % 4; }
                 turn: 0 -> 1, rounds: 0 -> 1
            3  Odd   turns.dve:17  wait -> work { guard turn == 1; }
            4  Odd   turns.dve:18  work -> wait { effect turn = 0; }
                 turn: 1 -> 0
            5  Even  turns.dve:9   wait -> work { guard turn == 0; }
            6  Even  turns.dve:10  work -> wait { effect turn = 1, rounds = (rounds + 1) % 4; }
                 turn: 0 -> 1, rounds: 1 -> 2
            7  Odd   turns.dve:17  wait -> work { guard turn == 1; }
            8  Odd   turns.dve:18  work -> wait { effect turn = 0; }
                 turn: 1 -> 0
            9  Even  turns.dve:9   wait -> work { guard turn == 0; }

        final state
          Even = work, Odd = wait, turn = 0, rounds = 2

        the run could go on; --steps sets its length
    "#]]
    .assert_eq(&run("7").stdout);
    let fresh = dampf(&["simulate", "huge.dve", "--steps", "20"]);
    let seed = fresh.stdout.lines().next().unwrap().rsplit(' ').next().unwrap().to_owned();
    assert_eq!(dampf(&["simulate", "huge.dve", "--steps", "20", "--seed", &seed]).stdout, fresh.stdout);
}

#[test]
fn a_random_run_ends_where_it_must() {
    let counted = dampf(&["simulate", "count.dve", "--steps", "1000"]);
    assert_eq!(counted.status, 1, "{counted:?}");
    assert!(counted.stdout.contains("violated: division by zero"), "{counted:?}");
    let stopped = dampf(&["simulate", "count.dve", "--steps", "0"]);
    assert_eq!(stopped.status, 0, "{stopped:?}");
    let stuck = dampf(&["simulate", "lights.dve", "--steps", "1000", "--no-deadlock"]);
    assert_eq!(stuck.status, 1, "{stuck:?}");
}

#[test]
fn a_walk_is_chosen_by_number() {
    check_walk(
        "2\n9\nx\nu\n1\ns\nq\n",
        0,
        expect![[r#"
            initial state
              Anna = thinks, Bert = thinks, fork = [0, 0]

            after 0 steps, choose:
                1  Anna  forks.dve:8   thinks -> has_left { guard fork[0] == 0; effect fork[0] = 1; }
                     fork[0]: 0 -> 1
                2  Bert  forks.dve:17  thinks -> has_left { guard fork[1] == 0; effect fork[1] = 2; }
                     fork[1]: 0 -> 2
            > 2
                1  Bert  forks.dve:17  thinks -> has_left { guard fork[1] == 0; effect fork[1] = 2; }
                     fork[1]: 0 -> 2

            after 1 step, choose:
                1  Anna  forks.dve:8   thinks -> has_left { guard fork[0] == 0; effect fork[0] = 1; }
                     fork[0]: 0 -> 1
                2  Bert  forks.dve:18  has_left -> eats { guard fork[0] == 0; effect fork[0] = 2; }
                     fork[0]: 0 -> 2
            > 9
            there is no step 9
            > x
            a number takes that step, u takes a step back, s shows all values, q ends
            > u

            after 0 steps, choose:
                1  Anna  forks.dve:8   thinks -> has_left { guard fork[0] == 0; effect fork[0] = 1; }
                     fork[0]: 0 -> 1
                2  Bert  forks.dve:17  thinks -> has_left { guard fork[1] == 0; effect fork[1] = 2; }
                     fork[1]: 0 -> 2
            > 1
                1  Anna  forks.dve:8  thinks -> has_left { guard fork[0] == 0; effect fork[0] = 1; }
                     fork[0]: 0 -> 1

            after 1 step, choose:
                1  Anna  forks.dve:9   has_left -> eats { guard fork[1] == 0; effect fork[1] = 1; }
                     fork[1]: 0 -> 1
                2  Bert  forks.dve:17  thinks -> has_left { guard fork[1] == 0; effect fork[1] = 2; }
                     fork[1]: 0 -> 2
            > s
            state
              Anna = has_left, Bert = thinks, fork = [1, 0]
            > q
            final state
              Anna = has_left, Bert = thinks, fork = [1, 0]
        "#]],
    );
}

#[test]
fn a_walk_into_a_fault_says_so() {
    let finished = dampf_with_input(&["simulate", "forks.dve", "-i"], "1\n2\nu\n2");
    assert_eq!(finished.status, 1, "{finished:?}");
    assert_eq!(finished.stdout.matches("violated: deadlock").count(), 2);
    assert!(finished.stdout.contains("who waits for what"), "{finished:?}");
}

#[test]
fn a_walk_without_input_ends() {
    assert_eq!(dampf_with_input(&["simulate", "forks.dve", "-i"], "").status, 0);
    assert_eq!(dampf_with_input(&["simulate", "forks.dve", "-i"], "\u{0}\n\nu\n99999999999999999999\n").status, 0);
}
