//! Random programs with threads: they must have the same outcomes however they are explored, and whatever comes out
//! when an emulator runs one must be among them.
//!
//! The emulator is the oracle for what the explorations have in common: what the machine does, and what of a state is
//! kept. It is asked about programs of which every fault is an exit status, for only their outcomes are defined. Those
//! are compiled for it by the compiler alone, with and without optimisation. Faults of most kinds are none of theirs.

use super::outcomes::{Explored, Outcome, Tools};
use crate::Failure;
use crate::workspace::Workspace;
use clap::Args;
use dampf_testkit::threads::{FAULTS, ThreadProgram, random_equal_program, random_program};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

#[derive(Args, Debug)]
pub struct ProgramsOptions {
    /// How many programs are tried
    #[arg(long, value_name = "N", default_value = "200")]
    count: u64,

    /// The seed of the first program; the others follow
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,

    /// How many are tried at a time; as many as there are cores by default
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// Options of the exploration that is compared with the usual one
    #[arg(long, value_name = "OPTIONS", default_value = "--reduce none", allow_hyphen_values = true)]
    against: String,

    /// Options of the usual exploration
    #[arg(long, value_name = "OPTIONS", default_value = "", allow_hyphen_values = true)]
    with: String,

    /// A check that takes longer is no answer
    #[arg(long, value_name = "TIME", default_value = "20s")]
    max_time: String,

    /// A check with more states is no answer
    #[arg(long, value_name = "N", default_value = "300000")]
    max_states: u64,

    /// The same for the exploration that is compared with the usual one, which may need many more
    #[arg(long, value_name = "N", default_value = "300000")]
    max_states_against: u64,

    /// How often an emulator runs each program; qemu-riscv64, where it is installed
    #[arg(long, value_name = "N", default_value = "50")]
    runs: u64,

    /// How often a program that is too large for the other exploration is made smaller, by leaving lines out
    #[arg(long, value_name = "N", default_value = "5")]
    thin: u64,

    /// Programs in which several threads begin alike: for `--with --symmetry --against ""`
    #[arg(long)]
    equal: bool,

    /// Print the program of the first seed, and do nothing
    #[arg(long)]
    print: bool,

    /// Where programs go on which two ways differ; target/fuzz/programs by default
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,

    /// Run this binary instead of building one, to compare with another version
    #[arg(long, value_name = "FILE")]
    dampf: Option<PathBuf>,
}

impl ProgramsOptions {
    fn program(&self, seed: u64) -> ThreadProgram {
        if self.equal { random_equal_program(seed) } else { random_program(seed) }
    }
}

/// What became of a program.
#[derive(Default)]
struct Tried {
    /// How the first two ways that differ do so.
    difference: Option<String>,
    outcomes: usize,
    is_too_large: bool,
    /// The comparison with the other exploration alone was too large.
    is_half_explored: bool,
    /// Lines were left out to make it small enough.
    is_thinned: bool,
    emulated: u64,
}

pub fn programs(workspace: &Workspace, options: &ProgramsOptions) -> Result<(), Failure> {
    if options.print {
        print!("{}", options.program(options.seed).text());
        return Ok(());
    }
    let folder = match &options.output {
        Some(folder) => folder.clone(),
        None => workspace.target_directory()?.join("fuzz/programs"),
    };
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
    let binary = workspace.release_binary(options.dampf.as_deref())?;
    let tools = Tools::new(binary, &options.max_time);
    if !tools.has_emulator {
        println!("there is no qemu-riscv64 (scripts/setup installs it): no program is emulated");
    }
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let next = AtomicU64::new(options.seed);
    let end = options.seed.saturating_add(options.count);
    let tried = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.unwrap_or(cores).max(1) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        break;
                    }
                    let result = examine(&tools, &folder, seed, options);
                    if let Ok(Tried { difference: Some(how), .. }) = &result {
                        println!("seed {seed}: {how}");
                    }
                    tried.lock().unwrap_or_else(PoisonError::into_inner).push(result);
                }
            });
        }
    });
    let results = tried.into_inner().unwrap_or_else(PoisonError::into_inner);
    summarise(results.into_iter().collect::<Result<_, _>>()?, &folder)
}

fn summarise(tried: Vec<Tried>, folder: &Path) -> Result<(), Failure> {
    let count = |is_meant: &dyn Fn(&Tried) -> bool| tried.iter().filter(|tried| is_meant(tried)).count();
    let differed = count(&|tried| tried.difference.is_some());
    let too_large = count(&|tried| tried.is_too_large);
    println!(
        "{} programs agree in {} outcomes, {differed} differ, {too_large} are too large",
        tried.len() - differed - too_large,
        tried.iter().map(|tried| tried.outcomes).sum::<usize>(),
    );
    println!(
        "{} were emulated, in {} runs; {} were made smaller for the other exploration, {} were too large for it all the \
         same",
        count(&|tried| tried.emulated > 0),
        tried.iter().map(|tried| tried.emulated).sum::<u64>(),
        count(&|tried| tried.is_thinned && !tried.is_half_explored),
        count(&|tried| tried.is_half_explored),
    );
    if differed == 0 { Ok(()) } else { Err(format!("{differed} programs are worth a look, in {}", folder.display())) }
}

/// Compares the outcomes of one program. One that is too large for the other exploration is made smaller, so that as
/// many as possible are compared with it; one on which outcomes differ is made small and kept.
fn examine(tools: &Tools, folder: &Path, seed: u64, options: &ProgramsOptions) -> Result<Tried, Failure> {
    let mut program = options.program(seed);
    let place = folder.join(format!("{seed}.c"));
    let mut tried = compare(tools, &place, &program, options)?;
    for attempt in 0..options.thin {
        let is_large = tried.is_half_explored || tried.is_too_large;
        let Some(smaller) =
            program.thinned(seed.wrapping_add(attempt)).filter(|_| is_large && tried.difference.is_none())
        else {
            break;
        };
        program = smaller;
        tried = Tried { is_thinned: true, ..compare(tools, &place, &program, options)? };
    }
    if let Some(how) = &mut tried.difference {
        let differs = |smaller: &ThreadProgram| {
            compare(tools, &place, smaller, options).is_ok_and(|tried| tried.difference.is_some())
        };
        let smallest = program.shrunk(differs);
        tools.write(&place, &smallest)?;
        *how = format!("{how}; see {}", place.display());
    } else {
        // What agrees is made again from its seed.
        let _ = std::fs::remove_file(&place);
    }
    Ok(tried)
}

fn compare(tools: &Tools, place: &Path, program: &ThreadProgram, options: &ProgramsOptions) -> Result<Tried, Failure> {
    tools.write(place, program)?;
    let checked = tools.compile(place)?;
    let explored = tools.explore(&checked, &options.with, options.max_states);
    let other = tools.explore(&checked, &options.against, options.max_states_against);
    let _ = std::fs::remove_file(&checked);
    let (explored, other) = match (explored, other) {
        (Ok(explored), Ok(other)) => (explored, other),
        // A checker that breaks down is worth a look, too.
        (Err(reason), _) | (_, Err(reason)) => {
            return Ok(Tried { difference: Some(reason), ..Tried::default() });
        }
    };
    let Explored::All(usual) = explored else { return Ok(Tried { is_too_large: true, ..Tried::default() }) };
    let mut tried = Tried { outcomes: usual.len(), ..Tried::default() };
    let is_wrong = |outcome: &&Outcome| matches!(outcome, Outcome::Fault(kind) if !FAULTS.contains(&kind.as_str()));
    if let Some(fault) = usual.iter().find(is_wrong) {
        tried.difference = Some(format!("{fault}, which no such program has"));
        return Ok(tried);
    }
    // What comes behind a race is undefined, and explorations see more or less of it.
    let has_race = |outcomes: &BTreeSet<Outcome>| outcomes.contains(&Outcome::Fault("data-race".to_owned()));
    match other {
        Explored::All(other) if has_race(&other) && has_race(&usual) => {}
        Explored::All(other) if other != usual => {
            let told = |these: &BTreeSet<Outcome>, those: &BTreeSet<Outcome>| {
                these.difference(those).map(Outcome::to_string).collect::<Vec<_>>().join(", ")
            };
            tried.difference = Some(format!(
                "without the other: [{}]; with {} only: [{}]",
                told(&usual, &other),
                options.against,
                told(&other, &usual)
            ));
            return Ok(tried);
        }
        Explored::All(_) => {}
        Explored::Partly => {
            tried.is_half_explored = true;
            if options.thin > 0 {
                return Ok(tried);
            }
        }
    }
    let is_defined = usual.iter().all(|outcome| matches!(outcome, Outcome::Status(_)));
    if !is_defined || !program.can_be_emulated() || !tools.has_emulator {
        return Ok(tried);
    }
    for level in ["-O0", "-O2"] {
        let emulated = tools.compile_for_emulator(place, level)?;
        for _ in 0..options.runs.div_ceil(2) {
            let outcome = tools.emulate(&emulated)?;
            tried.emulated += 1;
            if !usual.contains(&outcome) {
                tried.difference = Some(format!("emulated ({level}): {outcome}, which no exploration sees"));
                break;
            }
        }
        let _ = std::fs::remove_file(&emulated);
    }
    Ok(tried)
}
