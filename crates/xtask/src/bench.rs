//! `cargo xtask bench`: speed and memory of the checker, next to SPIN's.
//!
//! Machines are shared and their clocks wander, so CPU time counts and not wall time, the best of several runs
//! does, and a run of the one is followed at once by a run of the other. `bench/README.md` says what the
//! figures mean.

mod row;
mod spin;

use crate::Failure;
use crate::checker::{Checked, Checker, Setting};
use crate::workspace::Workspace;
use clap::Args;
use row::{Effort, HEADING, Peer, Row, Speedup};
use serde_json::json;
use spin::{Searched, Verifier};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Smaller spaces are over before a second thread is warm.
const SPEEDUP_STATES_MIN: u64 = 5_000_000;

#[derive(Args, Debug)]
pub struct BenchOptions {
    /// How many times each is run; the best counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Instances of the BEEM database; by default those in bench/models.tsv
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    models: Vec<String>,

    /// Also measure the speed-up with N threads, for models over 5 million states
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "2")]
    threads_speedup: Option<usize>,

    /// Where the figures are written
    #[arg(long, value_name = "FILE", default_value = "bench/results.json")]
    json: PathBuf,

    /// Run this binary instead of building one, to compare with another version
    #[arg(long, value_name = "FILE")]
    dampf: Option<PathBuf>,
}

/// All that is needed to measure a model.
struct Bench {
    checker: Checker,
    runs: u32,
    models: PathBuf,
    /// The models in Promela, where SPIN is installed.
    promela: Option<PathBuf>,
    /// Where verifiers are built.
    scratch: PathBuf,
    speedup_threads: Option<usize>,
}

pub fn run(workspace: &Workspace, options: &BenchOptions) -> Result<(), Failure> {
    let Some(models) = workspace.corpus("beem") else { return Ok(()) };
    let instances = if options.models.is_empty() {
        defined(&workspace.root.join("bench/models.tsv"))?
    } else {
        options.models.clone()
    };
    let promela = if spin::is_installed() {
        workspace.corpus("promela")
    } else {
        println!("SPIN is not installed, so there is nothing to compare with: scripts/setup --oracles");
        None
    };
    let bench = Bench {
        checker: Checker { binary: workspace.release_binary(options.dampf.as_deref())?, max_time: "30m".to_owned() },
        runs: options.runs,
        models,
        promela,
        scratch: workspace.target_directory()?.join("bench"),
        speedup_threads: options.threads_speedup,
    };
    println!("{HEADING}");
    let mut rows = Vec::new();
    for instance in &instances {
        let row = bench.measure(instance).map_err(|failure| format!("{instance}: {failure}"))?;
        println!("{}", row.line());
        rows.push(row.json());
    }
    let results = json!({ "machine": machine(), "runs": options.runs, "models": rows });
    let path = workspace.root.join(&options.json);
    std::fs::write(&path, format!("{results:#}\n"))
        .map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
    println!("written: {}", options.json.display());
    Ok(())
}

/// The instances of a table, in its order.
fn defined(path: &Path) -> Result<Vec<String>, Failure> {
    let table = std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    let names = table.lines().skip(1).filter_map(|line| line.split('\t').next());
    Ok(names.filter(|name| !name.is_empty()).map(str::to_owned).collect())
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
    fn measure(&self, instance: &str) -> Result<Row, Failure> {
        let model = self.models.join(format!("{instance}.dve"));
        if !model.is_file() {
            return Err("there is no such model in ../shared/corpora/beem".to_owned());
        }
        let verifier = self.verifier(instance)?;
        let mut preparation: Option<Checked> = None;
        let mut ours: Option<Checked> = None;
        let mut theirs: Option<Searched> = None;
        for _ in 0..self.runs {
            preparation = least(preparation, self.prepare(&model)?, |checked| checked.usage.cpu);
            ours = least(ours, self.search(&model, 1)?, |checked| checked.usage.cpu);
            if let Some(verifier) = &verifier {
                theirs = least(theirs, verifier.search()?, |searched| searched.usage.cpu);
            }
        }
        let (Some(preparation), Some(ours)) = (preparation, ours) else { return Err("nothing was run".to_owned()) };
        let compilation = preparation.usage.cpu.min(ours.usage.cpu);
        let peer = theirs.zip(verifier).map(|(searched, verifier)| Peer {
            searched,
            effort: Effort { compilation: verifier.compilation, search: searched.usage.cpu },
        });
        Ok(Row {
            instance: instance.to_owned(),
            states: ours.counts.states,
            transitions: ours.counts.transitions,
            store_bytes: ours.store_bytes,
            peak_rss_bytes: ours.usage.peak_rss_bytes,
            ours: Effort { compilation, search: ours.usage.cpu - compilation },
            spin: peer,
            speedup: self.speedup(&model, ours.counts.states)?,
        })
    }

    /// The verifier of a model that exists in Promela.
    fn verifier(&self, instance: &str) -> Result<Option<Verifier>, Failure> {
        let model = self.promela.as_ref().map(|folder| folder.join(format!("{instance}.pm")));
        match model.filter(|model| model.is_file()) {
            Some(model) => Verifier::build(&model, self.scratch.join(instance)).map(Some),
            None => Ok(None),
        }
    }

    /// Everything but the search: the same command, stopped at its first state.
    fn prepare(&self, model: &Path) -> Result<Checked, Failure> {
        self.checker.check(model, &Setting::native("tree", 1), &["--max-states".to_owned(), "1".to_owned()])
    }

    fn search(&self, model: &Path, threads: usize) -> Result<Checked, Failure> {
        let checked = self.checker.check(model, &Setting::native("tree", threads), &[])?;
        if checked.verdict == "unknown" {
            return Err(format!("the space was not searched to its end: {}", checked.reason));
        }
        Ok(checked)
    }

    fn speedup(&self, model: &Path, states: u64) -> Result<Option<Speedup>, Failure> {
        let Some(threads) = self.speedup_threads.filter(|_| states > SPEEDUP_STATES_MIN) else { return Ok(None) };
        let (mut one, mut several): (Option<Duration>, Option<Duration>) = (None, None);
        for _ in 0..self.runs {
            one = least(one, self.search(model, 1)?.usage.wall, |&wall| wall);
            several = least(several, self.search(model, threads)?.usage.wall, |&wall| wall);
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

    #[test]
    fn the_definitions_can_be_read() {
        let defined = defined(&Workspace::of_this_crate().root.join("bench/models.tsv")).expect("the table is there");
        assert!(defined.contains(&"at.4".to_owned()) && !defined.contains(&"instance".to_owned()), "{defined:?}");
    }
}
