//! `dampf plan`: runs with advice, plans, schedules that are solutions, and complaints.

mod running;

use dampf_testkit::mamp::{Done, Instance, InstanceSize};
use running::program::has_compiler;
use running::{Playground, on_own_models, summary_of};
use serde_json::Value;

/// Skips where programs cannot be compiled.
fn can_compile() -> bool {
    if !has_compiler() {
        println!("skipped: there is no cross compiler (scripts/setup installs it)");
    }
    has_compiler()
}

/// A small instance of the manufacturing problem, and the file that it is in.
fn shop(playground: &Playground) -> (Instance, String) {
    let size = InstanceSize { duration_min: 3, duration_max: 12, ..InstanceSize::of_thesis(4, 12) };
    let instance = Instance::random(size, 3);
    playground.write("shop.txt", instance.to_text().as_bytes());
    (instance, playground.path("shop.txt").display().to_string())
}

/// The summary of runs of agents in a shop.
fn runs(shop: &str, options: &[&str]) -> Value {
    let arguments = [&["plan", "plan/mamp.cc", "--file", shop, "--seed", "1", "--json", "-"], options, &["--", shop]];
    let finished = on_own_models(&arguments.concat());
    assert_eq!(finished.status, 0, "{finished:?}");
    serde_json::from_str(&finished.stdout).unwrap()
}

const ADVISED: &[&str] = &["--phase-min", "1", "--idle", "one-more"];

/// What does not depend on the machine or on how many threads it has.
fn timeless(mut summary: Value) -> Value {
    fn forget(value: &mut Value) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(forget),
            Value::Object(fields) => {
                fields.retain(|name, _| !name.contains("seconds") && name != "threads" && name != "peak_rss_bytes");
                fields.values_mut().for_each(forget);
            }
            _ => {}
        }
    }
    forget(&mut summary);
    summary
}

fn schedule(run: &Value) -> Vec<Vec<Done>> {
    let done = |busy: &Value| Done {
        job: busy["suggestions"][0].as_u64().unwrap() as u32,
        from: busy["from"].as_u64().unwrap(),
        to: busy["to"].as_u64().unwrap(),
    };
    let agents = run["agents"].as_array().unwrap().iter();
    agents.map(|agent| agent["busy"].as_array().unwrap().iter().map(done).collect()).collect()
}

#[test]
fn schedules_are_solutions_and_advice_makes_them_shorter() {
    if !can_compile() {
        return;
    }
    let playground = Playground::new();
    let (instance, path) = shop(&playground);
    let alone = runs(&path, &["--runs", "6", "--no-planning"]);
    for search in ["bfs", "best-first"] {
        let advised = runs(&path, &[ADVISED, &["--runs", "6", "--search", search]].concat());
        for run in [&alone, &advised].into_iter().flat_map(|summary| summary["runs"].as_array().unwrap()) {
            assert_eq!(instance.check(&schedule(run)), Ok(()), "{search}, seed {}", run["seed"]);
            assert_eq!(run["parallel_steps"], run["makespan"]);
        }
        let mean = |summary: &Value| summary["parallel_steps"]["mean"].as_f64().unwrap();
        assert!(mean(&advised) < mean(&alone), "{search}: {} and {}", mean(&advised), mean(&alone));
        for run in advised["runs"].as_array().unwrap() {
            // Theorem 5.1: no state of the simulation is below the planned path.
            assert_eq!(run["theorem"]["holds"], true, "{run}");
            assert!(run["theorem"]["compared"].as_u64() > Some(0) && !run["phases"].as_array().unwrap().is_empty());
        }
    }
    assert!(alone["runs"].as_array().unwrap().iter().all(|run| run["phases"] == serde_json::json!([])));
}

#[test]
fn runs_follow_from_their_seed_with_any_number_of_threads() {
    if !can_compile() {
        return;
    }
    let playground = Playground::new();
    let (_, path) = shop(&playground);
    for search in ["bfs", "best-first"] {
        let run = |more: &[&str]| {
            timeless(runs(&path, &[ADVISED, &["--search", search, "--max-states", "300"], more].concat()))
        };
        let alone = run(&["--threads", "1"]);
        assert_eq!(alone["reproducible"], true);
        assert_eq!(alone, run(&["--threads", "2"]), "{search}");
        assert_eq!(alone, run(&["--threads", "1"]), "{search}");
        assert_ne!(alone["runs"], run(&["--runs", "2"])["runs"][1], "{search}");
    }
}

#[test]
fn the_schedule_is_told_and_drawn() {
    if !can_compile() {
        return;
    }
    let playground = Playground::new();
    let gantt = playground.path("shop.svg").display().to_string();
    let told = on_own_models(&["plan", "plan/mamp.cc", "--gantt", &gantt]);
    assert_eq!(told.status, 0, "{told:?}");
    for text in ["thread 1 (Agent::run)", "#1 at 1 to 3", "planning", "4 parallel steps", "no state was below"] {
        assert!(told.stdout.contains(text), "{text}: {told:?}");
    }
    let drawing = std::fs::read_to_string(&gantt).unwrap();
    assert!(drawing.starts_with("<svg") && drawing.trim_end().ends_with("</svg>"), "{drawing}");
    for text in ["thread 2 (Agent::run)", "#3", "planning after 0 steps", "parallel steps"] {
        assert!(drawing.contains(text), "{text}: {drawing}");
    }
}

/// Left, up, up, left: the plan that the thesis shows.
#[test]
fn a_puzzle_is_solved_by_the_shortest_plan() {
    if !can_compile() {
        return;
    }
    let board = ["--", "3", "1", "4", "2", "3", "7", "5", "6", "8", "0"];
    let arguments = [&["plan", "plan/puzzle.cc", "--goal", "solved", "--json", "-"], &board[..]].concat();
    let finished = on_own_models(&arguments);
    let summary: Value = serde_json::from_str(&finished.stdout).unwrap();
    let steps = summary["plan"]["steps"].as_array().unwrap();
    let chosen: Vec<&str> = steps.iter().filter_map(|step| step["text"].as_str()?.split("chooses ").nth(1)).collect();
    assert_eq!((finished.status, chosen), (0, vec!["2", "0", "0", "2"]), "{summary:#}");
    // Half of all boards cannot be solved.
    let none = on_own_models(&["plan", "plan/puzzle.cc", "--goal", "solved", "--", "2", "0", "2", "1", "3"]);
    assert!(none.status == 1 && none.stdout.contains("there is no plan"), "{none:?}");
    let unknown = on_own_models(&["plan", "plan/puzzle.cc", "--goal", "solved", "--max-states", "5"]);
    assert!(unknown.status == 3 && unknown.stdout.contains("limit of states"), "{unknown:?}");
}

#[test]
fn other_domains_are_planned_for() {
    if !can_compile() {
        return;
    }
    let blocks = summary_of(&["plan", "plan/blocks.cc", "--goal", "solved", "--search", "best-first"]);
    assert_eq!(blocks["plan"]["end"], "goal");
    let trucks = |options: &[&str]| {
        let summary = summary_of(&[&["plan", "plan/logistics.cc", "--runs", "5"], options].concat());
        summary["parallel_steps"]["mean"].as_f64().unwrap()
    };
    assert!(trucks(ADVISED) < trucks(&["--no-planning"]));
    // Models have no agents, and plans all the same.
    let in_order: Vec<String> = (0..6).map(|tile| format!("tile[{tile}] == {tile}")).collect();
    let model = summary_of(&["plan", "dve/puzzle.dve", "--goal", &in_order.join(" && ")]);
    assert_eq!(model["plan"]["steps"].as_array().map(Vec::len), Some(21), "{model}");
}

#[test]
fn broken_agents_are_caught_by_the_checker() {
    if !can_compile() {
        return;
    }
    let checked = on_own_models(&["check", "plan/mamp.cc", "-DBROKEN"]);
    assert!(checked.status == 1 && checked.stdout.contains("required.meets(in_use)"), "{checked:?}");
    let run = on_own_models(&["plan", "plan/mamp.cc", "-DBROKEN", "--no-planning", "--runs", "20"]);
    assert!(run.status == 1 && run.stdout.contains("the program fails"), "{run:?}");
}

#[test]
fn bad_usage_is_told() {
    let cases: [(&[&str], &str); 7] = [
        (&["plan", "plan/mamp.cc", "--idle", "0"], "as-before"),
        (&["plan", "plan/mamp.cc", "--phase-min", "5", "--phase-max", "4"], "--phase-max"),
        (&["plan", "plan/mamp.cc", "--symmetry"], "--symmetry"),
        (&["plan", "plan/mamp.cc", "--reduce", "por"], "--reduce por"),
        (&["plan", "plan/nothing.cc"], "nothing.cc"),
        (&["plan", "dve/peterson.dve"], "nothing to plan for"),
        (&["plan", "dve/peterson.dve", "--goal", "1 == 1", "--gantt", "/dev/null"], "--gantt"),
    ];
    for (arguments, text) in cases {
        let refused = on_own_models(arguments);
        assert!(refused.status == 2 && refused.stderr.contains(text), "{arguments:?}: {refused:?}");
        assert_eq!(refused.stderr.lines().filter(|line| line.starts_with("error:")).count(), 1, "{refused:?}");
    }
}
