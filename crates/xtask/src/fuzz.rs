//! Random programs, on which Dampf and another checker must say the same.
//!
//! A seed determines a program, and nothing else does; several programs are tried at a time, and what is printed does
//! not depend on how many.

mod claims;
mod finding;
mod outcomes;
mod programs;
mod trial;

pub use claims::{ClaimsOptions, claims};
pub use programs::{ProgramsOptions, programs};

use crate::Failure;
use crate::checker::{Checker, Setting};
use crate::figures::time;
use crate::spin::{self, Compiler};
use crate::workspace::Workspace;
use clap::Args;
use dampf_testkit::promela::Feature;
use finding::Findings;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};
use trial::{Trial, Tried};

/// Dampf ends its runs by itself; one that takes this much longer has failed to.
const GRACE: Duration = Duration::from_secs(20);

#[derive(Args, Debug)]
pub struct PromelaSpinOptions {
    /// How many programs are tried
    #[arg(long, value_name = "N", default_value = "1000")]
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

    /// Only look whether programs are good: how many SPIN takes, and how large they are
    #[arg(long)]
    spin_only: bool,

    /// A search by either that takes longer is no answer
    #[arg(long, value_name = "TIME", default_value = "10s")]
    max_time: String,

    /// Stop after this many programs on which Dampf and SPIN differ
    #[arg(long, value_name = "N", default_value = "10")]
    max_findings: usize,

    /// How often a program is made smaller before that is good enough
    #[arg(long, value_name = "N", default_value = "800")]
    max_attempts: usize,

    /// Let Dampf interpret the programs instead of compiling them
    #[arg(long)]
    interpreter: bool,

    /// What Dampf leaves out of its searches; with `por` and `por-always` it may have fewer states
    #[arg(long, value_name = "KIND", default_value = "none")]
    reduce: String,

    /// Print the program of the first seed, and do nothing
    #[arg(long)]
    print: bool,

    /// Where programs go on which they differ; target/fuzz/promela-spin by default
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,

    /// Run this binary instead of building one, to compare with another version
    #[arg(long, value_name = "FILE")]
    dampf: Option<PathBuf>,
}

pub fn promela_spin(workspace: &Workspace, options: &PromelaSpinOptions) -> Result<(), Failure> {
    if options.print {
        print!("{}", dampf_testkit::promela::random_model(options.seed, &options.without));
        return Ok(());
    }
    if !spin::is_installed() {
        println!("skipped: SPIN is not installed, and there is nobody else to compare with: scripts/setup --oracles");
        return Ok(());
    }
    let target = workspace.target_directory()?;
    let max_time = time(&options.max_time)?;
    let setting = Setting::native("tree", 1);
    let backend = if options.interpreter { "interpreter" } else { setting.backend };
    let trial = Trial {
        checker: match options.spin_only {
            true => None,
            false => Some(Checker {
                binary: workspace.release_binary(options.dampf.as_deref())?,
                max_time: options.max_time.clone(),
                hard_limit: Some(max_time + GRACE),
            }),
        },
        setting: Setting { backend, ..setting },
        arguments: vec!["--reduce".to_owned(), options.reduce.clone()],
        compiler: Compiler::quickest(),
        max_time,
        without: options.without.clone(),
    };
    let output = options.output.clone().unwrap_or_else(|| target.join("fuzz/promela-spin"));
    let findings = Findings::new(output, options.max_findings, options.max_attempts);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let jobs = options.jobs.unwrap_or(cores).max(1);
    let started = Instant::now();
    let seeds = options.seed..options.seed.saturating_add(options.count);
    let summary = try_all(&trial, &findings, seeds, jobs, &target.join("fuzz/scratch"))?;
    print!("{}", summary.text(started.elapsed()));
    match findings.count() {
        0 => Ok(()),
        count => Err(format!("{count} programs are worth a look, in {}", findings.folder.display())),
    }
}

/// Tries the programs of all seeds, several at a time, and prints what is to be said in the order of the seeds.
fn try_all(
    trial: &Trial,
    findings: &Findings,
    seeds: Range<u64>,
    jobs: usize,
    scratch: &std::path::Path,
) -> Result<Summary, Failure> {
    let next = AtomicU64::new(seeds.start);
    let failure: Mutex<Option<Failure>> = Mutex::new(None);
    let (sender, results) = mpsc::channel::<(u64, Tried, String)>();
    let mut summary = Summary::default();
    std::thread::scope(|scope| {
        for job in 0..jobs {
            let (sender, next, failure, seeds) = (sender.clone(), &next, &failure, &seeds);
            let folder = scratch.join(format!("{}-{job}", std::process::id()));
            scope.spawn(move || {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if !seeds.contains(&seed) || findings.are_enough() {
                        break;
                    }
                    match trial.examine(seed, &folder, findings) {
                        Ok((tried, said)) => drop(sender.send((seed, tried, said))),
                        Err(reason) => {
                            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
                            next.store(seeds.end, Ordering::Relaxed);
                        }
                    }
                }
                // What is left there is of no interest, so neither is whether it can be removed.
                let _ = std::fs::remove_dir_all(&folder);
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut expected = seeds.start;
        for (seed, tried, said) in results {
            waiting.insert(seed, (tried, said));
            while let Some((tried, said)) = waiting.remove(&expected) {
                print!("{said}");
                summary.note(&tried);
                expected += 1;
            }
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(reason) => Err(reason),
        None => Ok(summary),
    }
}

/// What became of all programs.
#[derive(Default)]
struct Summary {
    agreed: u64,
    differed: u64,
    silent: u64,
    refused: BTreeMap<String, u64>,
    cut: BTreeMap<String, u64>,
    /// Of the programs that SPIN searched.
    states: Vec<u64>,
    /// How many of these had faults of a kind.
    faults: BTreeMap<String, u64>,
}

impl Summary {
    fn note(&mut self, tried: &Tried) {
        match tried {
            Tried::Refused(reason) => *self.refused.entry(outline(reason)).or_default() += 1,
            Tried::Cut(reason) => *self.cut.entry(outline(reason)).or_default() += 1,
            Tried::Agreed { .. } => self.agreed += 1,
            Tried::Differed { .. } => self.differed += 1,
            Tried::Silent { .. } => self.silent += 1,
        }
        if let Some((states, faults)) = tried.answer() {
            self.states.push(states);
            for fault in faults {
                *self.faults.entry((*fault).to_owned()).or_default() += 1;
            }
        }
    }

    fn text(&self, elapsed: Duration) -> String {
        let sum = |reasons: &BTreeMap<String, u64>| reasons.values().sum::<u64>();
        let (refused, cut) = (sum(&self.refused), sum(&self.cut));
        let all = self.agreed + self.differed + self.silent + refused + cut;
        let share = |count: u64| count as f64 * 100.0 / all.max(1) as f64;
        let mut text = format!(
            "{all} programs in {:.0} s: {} agree, {} differ, {} have no answer from Dampf; {refused} refused by SPIN ({:.1} %), {cut} not searched ({:.1} %) to the end\n",
            elapsed.as_secs_f64(),
            self.agreed,
            self.differed,
            self.silent,
            share(refused),
            share(cut),
        );
        for (what, reasons) in [("refused", &self.refused), ("not searched", &self.cut)] {
            let mut reasons: Vec<_> = reasons.iter().collect();
            reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            for (reason, count) in reasons.into_iter().take(12) {
                text.push_str(&format!("  {what} {count:5}: {reason}\n"));
            }
        }
        let mut states = self.states.clone();
        states.sort_unstable();
        let at = |percent: usize| states.get(states.len() * percent / 100).or(states.last()).copied().unwrap_or(0);
        let quantiles = [10, 25, 50, 75, 90, 100].map(at);
        text.push_str(&format!(
            "  states at 10, 25, 50, 75, 90, 100 %: {quantiles:?}; with faults: {:?}\n",
            self.faults
        ));
        text
    }
}

/// A reason without what is special about one program: numbers, names in quotes, file names.
fn outline(reason: &str) -> String {
    let line = reason.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut outline = String::new();
    let mut quote = None;
    for letter in line.chars() {
        match quote {
            Some(end) if letter == end => {
                quote = None;
                outline.push(letter);
            }
            Some(_) => {}
            None => {
                if letter == '\'' || letter == '`' {
                    quote = Some(if letter == '`' && line.matches('`').count() < 2 { '\'' } else { letter });
                }
                if !letter.is_ascii_digit() {
                    outline.push(letter);
                }
            }
        }
    }
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_are_alike() {
        assert_eq!(outline("spin: m.pml:12, Error: undeclared 'x'"), outline("spin: m.pml:7, Error: undeclared 'abc'"));
        assert_eq!(outline("\n12 states\nmore"), " states");
        assert_eq!(outline("cannot read `a` or `b`"), "cannot read `` or ``");
    }

    #[test]
    fn a_summary_counts() {
        let mut summary = Summary::default();
        summary.note(&Tried::Refused("syntax error".to_owned()));
        summary.note(&Tried::Agreed { states: 12, faults: vec!["deadlock"] });
        summary.note(&Tried::Agreed { states: 20, faults: Vec::new() });
        let text = summary.text(Duration::from_secs(2));
        assert!(text.starts_with("3 programs in 2 s: 2 agree, 0 differ, 0 have no answer"), "{text}");
        assert!(text.contains("1 refused by SPIN (33.3 %)") && text.contains("\"deadlock\": 1"), "{text}");
    }
}
