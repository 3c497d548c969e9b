//! Random programs with threads, which must have the same outcomes however they are explored.

use crate::Failure;
use crate::workspace::Workspace;
use clap::Args;
use dampf_testkit::threads::{OUTCOMES, random_program};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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

    /// Print the program of the first seed, and do nothing
    #[arg(long)]
    print: bool,

    /// Where programs go on which the two differ; target/fuzz/programs by default
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,

    /// Run this binary instead of building one, to compare with another version
    #[arg(long, value_name = "FILE")]
    dampf: Option<PathBuf>,
}

/// What became of a program.
enum Tried {
    Agreed { violated: u64 },
    Differed(String),
    Unanswered,
}

pub fn programs(workspace: &Workspace, options: &ProgramsOptions) -> Result<(), Failure> {
    if options.print {
        print!("{}", random_program(options.seed));
        return Ok(());
    }
    let binary = workspace.release_binary(options.dampf.as_deref())?;
    let folder = match &options.output {
        Some(folder) => folder.clone(),
        None => workspace.target_directory()?.join("fuzz/programs"),
    };
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make `{}`: {error}", folder.display()))?;
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
                    let result = examine(&binary, &folder, seed, options);
                    if let Ok(Tried::Differed(how)) = &result {
                        println!("seed {seed}: {how}");
                    }
                    tried.lock().unwrap_or_else(PoisonError::into_inner).push(result);
                }
            });
        }
    });
    let (mut agreed, mut differed, mut unanswered, mut violated) = (0, 0, 0, 0);
    for result in tried.into_inner().unwrap_or_else(PoisonError::into_inner) {
        match result? {
            Tried::Agreed { violated: outcomes } => (agreed, violated) = (agreed + 1, violated + outcomes),
            Tried::Differed(_) => differed += 1,
            Tried::Unanswered => unanswered += 1,
        }
    }
    println!(
        "{agreed} programs agree ({violated} of {} checks violated), {differed} differ, {unanswered} are too large",
        agreed * OUTCOMES
    );
    if differed == 0 { Ok(()) } else { Err(format!("{differed} programs are worth a look, in {}", folder.display())) }
}

/// Compares all verdicts on one program.
fn examine(binary: &Path, folder: &Path, seed: u64, options: &ProgramsOptions) -> Result<Tried, Failure> {
    let (source, program) = (folder.join(format!("{seed}.c")), folder.join(format!("{seed}")));
    std::fs::write(&source, random_program(seed)).map_err(|error| format!("`{}`: {error}", source.display()))?;
    let compiled = Command::new(binary).arg("cc").arg(&source).arg("-o").arg(&program).stdin(Stdio::null()).status();
    if !compiled.is_ok_and(|status| status.success()) {
        return Err(format!("`{}` is not compiled", source.display()));
    }
    let mut tried = Tried::Agreed { violated: 0 };
    for outcome in 0..OUTCOMES {
        let verdict = |more: &str| verdict(binary, &program, outcome, &options.max_time, more);
        let (usual, other) = (verdict(&options.with)?, verdict(&options.against)?);
        match &mut tried {
            _ if usual == "unknown" || other == "unknown" => {
                tried = Tried::Unanswered;
                break;
            }
            _ if usual != other => {
                tried = Tried::Differed(format!("outcome {outcome} is {usual}, and {other} with {}", options.against));
                break;
            }
            Tried::Agreed { violated } => *violated += u64::from(usual == "violated"),
            _ => {}
        }
    }
    // What agrees is made again from its seed.
    let _ = std::fs::remove_file(&program);
    if !matches!(tried, Tried::Differed(_)) {
        let _ = std::fs::remove_file(&source);
    }
    Ok(tried)
}

fn verdict(binary: &Path, program: &Path, outcome: u64, max_time: &str, more: &str) -> Result<String, Failure> {
    let mut command = Command::new(binary);
    command.arg("check").arg(program).args(["--max-time", max_time]).args(more.split_whitespace());
    command.arg("--").arg(outcome.to_string()).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("cannot run `{}`: {error}", binary.display()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.split([':', '\n']).next().unwrap_or_default();
    match first {
        "verified" | "violated" | "unknown" => Ok(first.to_owned()),
        _ => Err(format!("no verdict on `{}`:\n{text}{}", program.display(), String::from_utf8_lossy(&output.stderr))),
    }
}
