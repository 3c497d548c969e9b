//! `cargo xtask bench plan`: table 8.9 of the thesis. Random instances of the manufacturing problem are solved by
//! agents alone and by agents that are advised, ten times each, and every schedule is checked.
//!
//! What counts are parallel steps, which do not depend on the machine. The limits of a planning phase are counted in
//! states, so that the same figures come out again; the time is what the phases took.

use super::{machine, table::Table};
use crate::mamp::check_runs;
use crate::workspace::{FileOptions, Workspace};
use crate::{Failure, measured};
use clap::Args;
use dampf_testkit::mamp::{Instance, InstanceSize};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How much the thesis gained by planning, in parallel steps on average: agents, jobs, gain.
const THESIS: [(u32, u32, f64); 12] = [
    (5, 10, 31.0),
    (5, 20, 36.0),
    (5, 50, 6.0),
    (5, 100, 52.0),
    (10, 10, 15.0),
    (10, 20, -28.0),
    (10, 50, 25.0),
    (10, 100, 26.0),
    (15, 10, 45.0),
    (15, 20, 30.0),
    (15, 50, 42.0),
    (15, 100, 59.0),
];

/// What a planning phase may take.
const PHASE_SECONDS_MAX: f64 = 3.0;

#[derive(Args, Debug)]
pub struct PlanOptions {
    /// Runs of each instance, with and without planning
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Another number, other instances
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// Only rows with so many agents
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    agents: Vec<u32>,

    /// Only rows with so many jobs
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    jobs: Vec<u32>,

    /// How the planner searches: bfs or best-first
    #[arg(long, value_name = "ORDER", default_value = "best-first")]
    search: String,

    /// States that a planning phase may find
    #[arg(long, value_name = "N", default_value = "1000")]
    states: u64,

    /// After how many parallel steps a planning phase may follow another one
    #[arg(long, value_name = "N", default_value = "1")]
    phase_min: u64,

    /// Who has to be idle for it: as-before (the thesis), one-more, or a number
    #[arg(long, value_name = "AGENTS", default_value = "one-more")]
    idle: String,

    #[arg(long, value_name = "N", default_value = "1")]
    threads: usize,

    #[command(flatten)]
    files: FileOptions,
}

/// Runs of one instance.
struct Solved {
    min: f64,
    max: f64,
    mean: f64,
    planning_seconds: f64,
    longest_phase_seconds: f64,
    /// States of simulations that were compared with planned paths, and whether none was below.
    compared: u64,
    holds: bool,
    reproducible: bool,
}

pub fn run(workspace: &Workspace, options: &PlanOptions) -> Result<(), Failure> {
    let bench = Bench {
        binary: workspace.release_binary(options.files.dampf.as_deref())?,
        model: workspace.root.join("models/plan/mamp.cc"),
        folder: workspace.target_directory()?.join("bench"),
        options,
    };
    std::fs::create_dir_all(&bench.folder)
        .map_err(|error| format!("cannot make `{}`: {error}", bench.folder.display()))?;
    let title = format!("{} runs of each instance, seed {}: parallel steps", options.runs, options.seed);
    let columns =
        [("type", 4), ("agents", 6), ("jobs", 5), ("min", 5), ("max", 5), ("mean", 7), ("pt s", 6), ("gain", 6)];
    let table = Table::new(&title, &[&columns[..], &[("thesis", 6), ("phase s", 7), ("5.1", 7)]].concat());
    let mut tally = Tally::default();
    let mut rows = Vec::new();
    let is_asked = |asked: &[u32], size: u32| asked.is_empty() || asked.contains(&size);
    let asked = THESIS.iter().filter(|row| is_asked(&options.agents, row.0) && is_asked(&options.jobs, row.1));
    for &(agents, jobs, thesis) in asked {
        let [alone, advised] = bench.row(agents, jobs)?;
        let gain = alone.mean - advised.mean;
        tally.count(gain, thesis, &advised);
        let size = [agents.to_string(), jobs.to_string()];
        table.row(&[&["sim".to_owned()], &size[..], &alone.cells()].concat());
        let compared = format!("{} {}", if advised.holds { "ok" } else { "NO" }, advised.compared);
        let beside = [format!("{gain:+.1}"), format!("{thesis:+.0}"), seconds(advised.longest_phase_seconds), compared];
        table.row(&[&["plan".to_owned()], &size[..], &advised.cells(), &beside].concat());
        rows.push(json!({ "agents": agents, "jobs": jobs, "simulation": alone.json(), "planning": advised.json(),
                          "gain": gain, "gain_of_thesis": thesis }));
        options.files.write(|| {
            json!({ "machine": machine(), "seed": options.seed, "runs": options.runs,
                                       "search": options.search, "states": options.states, "rows": rows })
        })?;
    }
    tally.conclude()
}

struct Bench<'a> {
    binary: PathBuf,
    model: PathBuf,
    /// Where instances are kept.
    folder: PathBuf,
    options: &'a PlanOptions,
}

impl Bench<'_> {
    /// Solves one instance without and with planning.
    fn row(&self, agents: u32, jobs: u32) -> Result<[Solved; 2], Failure> {
        let seed = self.options.seed.wrapping_mul(1_000_003) ^ u64::from(agents * 1000 + jobs);
        let instance = Instance::random(InstanceSize::of_thesis(agents, jobs), seed);
        let path = self.folder.join(format!("mamp-{agents}-{jobs}-{}.txt", self.options.seed));
        std::fs::write(&path, instance.to_text())
            .map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
        let options = self.options;
        let states = options.states.to_string();
        let (phase_min, threads) = (options.phase_min.to_string(), options.threads.to_string());
        let planning = ["--search", &options.search, "--max-states", &states, "--max-time", "3s", "--phase-min"];
        let planning = [&planning[..], &[&phase_min, "--idle", &options.idle, "--threads", &threads]].concat();
        let solved = |more: &[&str]| {
            let summary = self.planned(&path, more)?;
            check_runs(&instance, &summary)?;
            Solved::read(&summary).ok_or_else(|| "a figure is missing in the summary of dampf".to_owned())
        };
        Ok([solved(&["--no-planning"])?, solved(&planning)?])
    }

    /// The summary of `dampf plan`.
    fn planned(&self, instance: &Path, more: &[&str]) -> Result<Value, Failure> {
        let mut command = Command::new(&self.binary);
        command.arg("plan").arg(&self.model).arg("--file").arg(instance).args(["--json", "-", "--seed", "1"]);
        command.args(["--runs", &self.options.runs.to_string()]).args(more).arg("--").arg(instance);
        let finished =
            measured::run(&mut command).map_err(|error| format!("cannot run `{}`: {error}", self.binary.display()))?;
        serde_json::from_str(&finished.stdout)
            .map_err(|_| format!("dampf gave no summary ({}): {}", finished.status, finished.complaint()))
    }
}

impl Solved {
    fn read(summary: &Value) -> Option<Solved> {
        let runs = summary["runs"].as_array()?;
        let steps = &summary["parallel_steps"];
        let longest: Option<Vec<f64>> = runs.iter().map(|run| run["longest_phase_seconds"].as_f64()).collect();
        let compared = runs.iter().map(|run| run["theorem"]["compared"].as_u64());
        Some(Solved {
            min: steps["min"].as_f64()?,
            max: steps["max"].as_f64()?,
            mean: steps["mean"].as_f64()?,
            planning_seconds: summary["planning_seconds"]["mean"].as_f64()?,
            longest_phase_seconds: longest?.into_iter().reduce(f64::max)?,
            compared: compared.sum::<Option<u64>>()?,
            holds: runs.iter().all(|run| run["theorem"]["holds"] == true),
            reproducible: summary["reproducible"].as_bool()?,
        })
    }

    fn cells(&self) -> [String; 4] {
        let whole = |steps: f64| format!("{steps:.0}");
        [whole(self.min), whole(self.max), format!("{:.1}", self.mean), seconds(self.planning_seconds)]
    }

    fn json(&self) -> Value {
        json!({ "min": self.min, "max": self.max, "mean": self.mean, "planning_seconds": self.planning_seconds,
                "longest_phase_seconds": self.longest_phase_seconds, "compared": self.compared,
                "theorem_holds": self.holds, "reproducible": self.reproducible })
    }
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.2}")
}

/// What is to be shown.
#[derive(Default)]
struct Tally {
    rows: usize,
    better: usize,
    better_than_thesis: usize,
    compared: u64,
    problems: Vec<String>,
}

impl Tally {
    fn count(&mut self, gain: f64, thesis: f64, advised: &Solved) {
        self.rows += 1;
        self.better += usize::from(gain > 0.0);
        self.better_than_thesis += usize::from(gain > thesis);
        self.compared += advised.compared;
        if !advised.holds {
            self.problems.push("a simulation was below its plan".to_owned());
        }
        if !advised.reproducible {
            self.problems.push("a limit on time has cut a plan short".to_owned());
        }
        if advised.longest_phase_seconds > PHASE_SECONDS_MAX {
            self.problems.push(format!("a planning phase took {} s", seconds(advised.longest_phase_seconds)));
        }
    }

    fn conclude(&self) -> Result<(), Failure> {
        println!(
            "\nplanning is better on average in {} of {} rows, and gains more than in the thesis in {}; all schedules are \
             solutions; {} states were compared with planned paths",
            self.better, self.rows, self.better_than_thesis, self.compared
        );
        self.problems.first().map_or(Ok(()), |problem| Err(problem.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_against_the_thesis() {
        let advised = |holds| Solved {
            min: 1.0,
            max: 2.0,
            mean: 1.5,
            planning_seconds: 0.0,
            longest_phase_seconds: 1.0,
            compared: 5,
            holds,
            reproducible: true,
        };
        let mut tally = Tally::default();
        tally.count(7.0, 6.0, &advised(true));
        tally.count(-1.0, -28.0, &advised(true));
        assert_eq!((tally.rows, tally.better, tally.better_than_thesis, tally.compared), (2, 1, 2, 10));
        assert!(tally.conclude().is_ok());
        tally.count(7.0, 9.0, &advised(false));
        assert!(tally.conclude().is_err() && tally.better_than_thesis == 2);
    }
}
