//! Random Promela programs with a formula about their runs: Dampf and SPIN must come to the same verdict, with and
//! without weak fairness.
//!
//! SPIN's verifier is built without reduction, which not every program and no fairness goes together with. It stops at
//! its first error, whatever that is, and so does Dampf; a deadlock is none to either while a formula is checked.
//!
//! Programs have no assertions: whether one is within the scope of a claim depends on how the claim was made small.
//!
//! SPIN's search for fair runs misses some: where `provided`, a priority or an atomic sequence that cannot go on keeps
//! a process from moving, it does not see that the process cannot move. So a fair run that Dampf alone finds, and that
//! was replayed and seen to be fair, is counted and is no difference; one that SPIN alone finds is.

use crate::Failure;
use crate::figures::time;
use crate::measured;
use crate::spin::{self, Compiler};
use crate::workspace::Workspace;
use clap::Args;
use dampf_testkit::promela::{Feature, Tree, random_model_with_claim};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[derive(Args, Debug)]
pub struct ClaimsOptions {
    /// How many programs are tried
    #[arg(long, value_name = "N", default_value = "500")]
    count: u64,

    /// The seed of the first program; the others follow
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// How many are tried at a time; as many as there are cores by default
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// Parts of the language to do without: atomic, unless, remote-label, …
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = Feature::named)]
    without: Vec<Feature>,

    /// A search by either that takes longer is no answer
    #[arg(long, value_name = "TIME", default_value = "5s")]
    max_time: String,

    /// Further options of Dampf
    #[arg(long, value_name = "OPTIONS", default_value = "", allow_hyphen_values = true)]
    with: String,

    /// Print the program of the first seed, and do nothing
    #[arg(long)]
    print: bool,

    /// Where programs go on which they differ; target/fuzz/claims by default
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,

    /// Run this binary instead of building one, to compare with another version
    #[arg(long, value_name = "FILE")]
    dampf: Option<PathBuf>,
}

impl ClaimsOptions {
    fn program(&self, seed: u64) -> Tree {
        let without: Vec<Feature> = self.without.iter().copied().chain([Feature::Assert]).collect();
        random_model_with_claim(seed, &without)
    }
}

/// Which runs count.
const FAIRNESS: [(&str, &[&str], &[&str]); 2] =
    [("all runs", &["-a"], &[]), ("fair runs", &["-a", "-f"], &["--fairness", "weak"])];

struct Asking<'a> {
    dampf: PathBuf,
    max_time: Duration,
    options: &'a ClaimsOptions,
}

pub fn claims(workspace: &Workspace, options: &ClaimsOptions) -> Result<(), Failure> {
    if options.print {
        print!("{}", options.program(options.seed));
        return Ok(());
    }
    if !spin::is_installed() {
        println!("skipped: SPIN is not installed, and there is nobody else to compare with: scripts/setup --oracles");
        return Ok(());
    }
    let target = workspace.target_directory()?;
    let output = options.output.clone().unwrap_or_else(|| target.join("fuzz/claims"));
    let asking = Asking {
        dampf: workspace.release_binary(options.dampf.as_deref())?,
        max_time: time(&options.max_time)?,
        options,
    };
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let (next, end) = (AtomicU64::new(options.seed), options.seed.saturating_add(options.count));
    let counts: Mutex<BTreeMap<String, u64>> = Mutex::default();
    let failure: Mutex<Option<Failure>> = Mutex::default();
    std::thread::scope(|scope| {
        for job in 0..options.jobs.unwrap_or(cores).max(1) {
            let (asking, next, counts, failure) = (&asking, &next, &counts, &failure);
            let folder = output.join(format!("scratch-{job}"));
            let output = &output;
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        break;
                    }
                    match asking.examine(seed, &folder, output) {
                        Ok(said) => {
                            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                            said.into_iter().for_each(|what| *counts.entry(what).or_default() += 1);
                        }
                        Err(problem) => {
                            failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(problem);
                            break;
                        }
                    }
                }
                // What is worth keeping was kept elsewhere.
                let _ = std::fs::remove_dir_all(&folder);
            });
        }
    });
    if let Some(problem) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(problem);
    }
    let counts = counts.into_inner().unwrap_or_else(PoisonError::into_inner);
    counts.iter().for_each(|(what, count)| println!("{count:>6}  {what}"));
    match counts.get(DIFFERENT) {
        None => Ok(()),
        Some(count) => Err(format!("{count} verdicts differ; see {}", output.display())),
    }
}

const DIFFERENT: &str = "differ";

impl Asking<'_> {
    /// What is to be counted of the program of a seed. One on which they differ is kept.
    fn examine(&self, seed: u64, folder: &Path, output: &Path) -> Result<Vec<String>, Failure> {
        let problem = |error: std::io::Error| format!("cannot write below `{}`: {error}", output.display());
        std::fs::create_dir_all(folder).map_err(problem)?;
        let model = folder.join("model.pml");
        let text = self.options.program(seed).to_string();
        std::fs::write(&model, &text).map_err(problem)?;
        if self.build(folder).is_err() {
            return Ok(vec!["refused by SPIN or its compiler".to_owned()]);
        }
        let mut said = Vec::new();
        for (runs, spin, dampf) in FAIRNESS {
            let Some(expected) = self.ask_spin(folder, spin) else {
                said.push(format!("{runs}: no answer by SPIN"));
                continue;
            };
            let found = self.ask_dampf(&model, dampf)?;
            if found == "unknown" {
                said.push(format!("{runs}: no answer by Dampf"));
            } else if found == expected {
                said.push(format!("{runs}: both say {expected}"));
            } else if !dampf.is_empty() && found == "violated" {
                said.push(format!("{runs}: one that SPIN does not find"));
            } else {
                let kept = output.join(format!("{seed}.pml"));
                std::fs::write(&kept, &text).map_err(problem)?;
                println!("seed {seed}, {runs}: SPIN says {expected}, Dampf {found}; see {}", kept.display());
                said.push(DIFFERENT.to_owned());
            }
        }
        Ok(said)
    }

    fn build(&self, folder: &Path) -> Result<(), String> {
        let [program, options @ ..] = Compiler::quickest().command_line() else { return Err("no compiler".to_owned()) };
        let mut spin = Command::new("spin");
        spin.args(["-o1", "-o2", "-o3", "-a", "model.pml"]);
        let mut compiler = Command::new(program);
        compiler.args(options).args(["-w", "-DNOREDUCE", "-DNFAIR=3", "-DMEMLIM=200", "-o", "pan", "pan.c"]);
        let _ = std::fs::remove_file(folder.join("pan.c"));
        for command in [&mut spin, &mut compiler] {
            let run = measured::run_within(command.current_dir(folder), Some(Duration::from_secs(60)));
            let run = run.map_err(|error| error.to_string())?;
            if !run.status.success() {
                return Err(run.complaint().lines().next().unwrap_or_default().to_owned());
            }
        }
        Ok(())
    }

    /// SPIN's verdict, where its search came to an end.
    fn ask_spin(&self, folder: &Path, options: &[&str]) -> Option<&'static str> {
        let mut pan = Command::new(folder.join("pan"));
        pan.args(["-m100000", "-w18", "-n"]).args(options).current_dir(folder);
        let run = measured::run_within(&mut pan, Some(self.max_time)).ok()?;
        let is_cut = ["max search depth too small", "out of memory", "reached -DMEMLIM", "bad queue", "aborting"]
            .iter()
            .any(|sign| run.stdout.contains(sign));
        if run.out_of_time || is_cut {
            return None;
        }
        // The same for what is wrong with a program itself.
        if run.stdout.contains("invalid array index") {
            return None;
        }
        let errors = run.stdout.split("errors: ").nth(1)?.split_whitespace().next()?.parse::<u64>().ok()?;
        Some(if errors > 0 { "violated" } else { "verified" })
    }

    fn ask_dampf(&self, model: &Path, options: &[&str]) -> Result<String, Failure> {
        let mut command = Command::new(&self.dampf);
        command.arg("check").arg(model).args(["--property", "property", "--json", "-", "--progress", "never"]);
        command.args(["--max-time", &self.options.max_time, "--max-states", "400000"]).args(options);
        command.args(self.options.with.split_whitespace());
        let run = measured::run_within(&mut command, Some(self.max_time + Duration::from_secs(60)));
        let run = run.map_err(|error| format!("cannot run `{}`: {error}", self.dampf.display()))?;
        let summary: Option<Value> = serde_json::from_str(&run.stdout).ok();
        match summary.as_ref().and_then(|summary| summary["verdict"].as_str()) {
            Some("violated") if summary.as_ref().is_some_and(|summary| summary["error"]["kind"] != "property") => {
                Ok("unknown".to_owned())
            }
            Some(verdict) => Ok(verdict.to_owned()),
            // What one refuses and the other takes is a difference, too.
            None if ["not supported", "cannot be asked"].iter().any(|sign| run.complaint().contains(sign)) => {
                Ok("unknown".to_owned())
            }
            None => Ok(format!("refused: {}", run.complaint().lines().next().unwrap_or_default())),
        }
    }
}
