//! `cargo xtask bench`: speed and memory of the checker, next to SPIN's.
//!
//! Machines are shared and their clocks wander, so CPU time counts and not wall time, the best of several runs
//! does, and a run of the one is followed at once by a run of the other. `bench/README.md` says what the
//! figures mean.

mod cycles;
mod dist;
mod plan;
mod prove;
mod puzzle;
mod row;
mod seeded;
mod slicing;
mod steam;
mod subject;
mod table;

use crate::Failure;
use crate::checker::{Checked, Checker, Setting};
use crate::spin::{self, Compiler, Extent, Recipe, Searched, Verifier};
use crate::workspace::Workspace;
use clap::{Args, Subcommand, ValueEnum};
use cycles::CyclesOptions;
use dist::DistOptions;
use plan::PlanOptions;
use prove::ProveOptions;
use puzzle::PuzzleOptions;
use row::{Effort, Peer, Row, Speedup};
use seeded::SeededOptions;
use serde_json::json;
use slicing::SlicingOptions;
use std::path::PathBuf;
use std::time::Duration;
use steam::SteamOptions;
use subject::Subject;

/// Smaller spaces are over before a second thread is warm.
const SPEEDUP_STATES_MIN: u64 = 5_000_000;

/// The most that a verifier of SPIN may take.
const SPIN_MEMORY_MEGABYTES: u32 = 12_000;

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchOptions {
    #[command(subcommand)]
    other: Option<OtherBench>,

    /// Which models: of the BEEM database in DVE, or in Promela
    #[arg(long, value_enum, value_name = "NAME", default_value = "beem")]
    suite: Suite,

    /// How many times each is run; the best counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Other models than those of the suite: instances of the BEEM database, or rows of bench/promela.tsv
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    models: Vec<String>,

    /// Also measure the speed-up with N threads, for models over 5 million states
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "2")]
    threads_speedup: Option<usize>,

    /// Where the figures are written [default: bench/results.json, or bench/results-promela.json]
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Run this binary instead of building one, to compare with another version
    #[arg(long, value_name = "FILE")]
    dampf: Option<PathBuf>,
}

/// What else there is to measure.
#[derive(Subcommand, Debug)]
enum OtherBench {
    /// What a search on several ranks sends, in tables like those of the thesis that its models come from
    Dist(DistOptions),
    /// All ways in which ranks look for runs that violate properties, side by side
    Cycles(CyclesOptions),
    /// What stack slicing gains by more cores, in figures like those of the paper that it comes from
    Slicing(SlicingOptions),
    /// How large programs can be for their errors to be found, in tables like those of the thesis they come from
    Steam(SteamOptions),
    /// Sliding puzzles that are solved by A* and IDA*, next to the shortest solutions
    Puzzle(PuzzleOptions),
    /// How soon errors are found that were put into programs, by breadth-first search and by the default
    Seeded(SeededOptions),
    /// How many Horn clauses and transition systems are proved or refuted in a given time, next to Z3's Spacer
    Prove(ProveOptions),
    /// What agents gain by advice, in a table like that of the thesis it comes from
    Plan(PlanOptions),
}

/// A set of models, and what is of interest about them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Suite {
    /// bench/models.tsv: DVE for Dampf, the same models in Promela for SPIN
    Beem,
    /// bench/promela.tsv: the same files for both
    Promela,
}

/// All that is needed to measure a model.
struct Bench {
    checker: Checker,
    runs: u32,
    /// Where verifiers are built.
    scratch: PathBuf,
    speedup_threads: Option<usize>,
}

pub fn run(workspace: &Workspace, options: &BenchOptions) -> Result<(), Failure> {
    match &options.other {
        Some(OtherBench::Dist(options)) => return dist::run(workspace, options),
        Some(OtherBench::Cycles(options)) => return cycles::run(workspace, options),
        Some(OtherBench::Slicing(options)) => return slicing::run(workspace, options),
        Some(OtherBench::Steam(options)) => return steam::run(workspace, options),
        Some(OtherBench::Puzzle(options)) => return puzzle::run(workspace, options),
        Some(OtherBench::Seeded(options)) => return seeded::run(workspace, options),
        Some(OtherBench::Prove(options)) => return prove::run(workspace, options),
        Some(OtherBench::Plan(options)) => return plan::run(workspace, options),
        None => {}
    }
    let with_spin = spin::is_installed();
    if !with_spin {
        println!("SPIN is not installed, so there is nothing to compare with: scripts/setup --oracles");
    }
    let subjects = match options.suite {
        Suite::Beem => subject::beem(workspace, &options.models, with_spin)?,
        Suite::Promela => subject::promela(workspace, &options.models, with_spin)?,
    };
    if subjects.is_empty() {
        return Ok(());
    }
    let bench = Bench {
        checker: Checker {
            binary: workspace.release_binary(options.dampf.as_deref())?,
            max_time: "30m".to_owned(),
            hard_limit: None,
        },
        runs: options.runs,
        scratch: workspace.target_directory()?.join("bench"),
        speedup_threads: options.threads_speedup,
    };
    println!("{}", row::heading(options.suite));
    let mut rows = Vec::new();
    for subject in &subjects {
        let row = bench.measure(subject).map_err(|failure| format!("{}: {failure}", subject.name))?;
        println!("{}", row.line(options.suite));
        rows.push(row.json());
    }
    let results = json!({ "machine": machine(), "runs": options.runs, "models": rows });
    let file = options.json.clone().unwrap_or_else(|| PathBuf::from(options.suite.results()));
    let path = workspace.root.join(&file);
    std::fs::write(&path, format!("{results:#}\n"))
        .map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
    println!("written: {}", file.display());
    Ok(())
}

impl Suite {
    fn results(self) -> &'static str {
        match self {
            Suite::Beem => "bench/results.json",
            Suite::Promela => "bench/results-promela.json",
        }
    }
}

/// What the figures depend on besides the code.
fn machine() -> serde_json::Value {
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    json!({
        "processor": model.map(|(_, model)| model),
        "cores": std::thread::available_parallelism().map_or(1, |cores| cores.get()),
    })
}

impl Bench {
    fn measure(&self, subject: &Subject) -> Result<Row, Failure> {
        let verifier = self.verifier(subject)?;
        let mut preparation: Option<Checked> = None;
        let mut ours: Option<Checked> = None;
        let mut theirs: Option<Searched> = None;
        for _ in 0..self.runs {
            preparation = least(preparation, self.prepare(subject)?, |checked| checked.usage.cpu);
            ours = least(ours, self.search(subject, 1)?, |checked| checked.usage.cpu);
            if let Some(verifier) = &verifier {
                // The first search says how much room the others need.
                let extent = theirs.as_ref().map_or(Extent::LARGE, |searched| Extent::fitting(&searched.report));
                theirs = least(theirs, verifier.search_all(&extent)?, |searched| searched.usage.cpu);
            }
        }
        let (Some(preparation), Some(ours)) = (preparation, ours) else { return Err("nothing was run".to_owned()) };
        let compilation = preparation.usage.cpu.min(ours.usage.cpu);
        let peer = theirs.zip(verifier).map(|(searched, verifier)| Peer {
            effort: Effort {
                compilation: verifier.generation.cpu + verifier.compilation.cpu,
                search: searched.usage.cpu,
            },
            searched,
        });
        Ok(Row {
            instance: subject.name.clone(),
            states: ours.counts.states,
            transitions: ours.counts.transitions,
            store_bytes: ours.store_bytes,
            peak_rss_bytes: ours.usage.peak_rss_bytes,
            ours: Effort { compilation, search: ours.usage.cpu - compilation },
            spin: peer,
            speedup: self.speedup(subject, ours.counts.states)?,
        })
    }

    /// The verifier of a model that exists in Promela.
    fn verifier(&self, subject: &Subject) -> Result<Option<Verifier>, Failure> {
        let Some(model) = &subject.promela else { return Ok(None) };
        let recipe = Recipe {
            compiler: Compiler::Optimising,
            definitions: subject.definitions.clone(),
            memory_megabytes: SPIN_MEMORY_MEGABYTES,
            vector_bytes: None,
            collapse: false,
        };
        Verifier::build(model, &self.scratch.join(subject.name.replace('/', "_")), &recipe).map(Some)
    }

    /// Everything but the search: the same command, stopped at its first state.
    fn prepare(&self, subject: &Subject) -> Result<Checked, Failure> {
        let mut arguments = subject.arguments();
        arguments.extend(["--max-states", "1"].map(str::to_owned));
        self.checker.check(&subject.model, &Setting::native("tree", 1), &arguments)
    }

    fn search(&self, subject: &Subject, threads: usize) -> Result<Checked, Failure> {
        let checked = self.checker.check(&subject.model, &Setting::native("tree", threads), &subject.arguments())?;
        if checked.verdict == "unknown" {
            return Err(format!("the space was not searched to its end: {}", checked.reason));
        }
        Ok(checked)
    }

    fn speedup(&self, subject: &Subject, states: u64) -> Result<Option<Speedup>, Failure> {
        let Some(threads) = self.speedup_threads.filter(|_| states > SPEEDUP_STATES_MIN) else { return Ok(None) };
        let (mut one, mut several): (Option<Duration>, Option<Duration>) = (None, None);
        for _ in 0..self.runs {
            one = least(one, self.search(subject, 1)?.usage.wall, |&wall| wall);
            several = least(several, self.search(subject, threads)?.usage.wall, |&wall| wall);
        }
        Ok(one.zip(several).map(|(one, several)| Speedup { threads, one, several }))
    }
}

/// The better of the best so far and a new one.
fn least<T>(best: Option<T>, new: T, time: impl Fn(&T) -> Duration) -> Option<T> {
    match best {
        Some(best) if time(&best) <= time(&new) => Some(best),
        _ => Some(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_is_kept() {
        let best = [3, 1, 2].into_iter().fold(None, |best, seconds| least(best, seconds, |&s| Duration::from_secs(s)));
        assert_eq!(best, Some(1));
    }
}
