//! SPIN as the peer to compare with: a model becomes a C program that searches it.
//!
//! The verifier is generated and compiled so that it does the same work: no partial-order reduction, no merging of
//! statements and no removal of dead variables (`-o1 -o2 -o3`), no stop at errors. Its states are then those of
//! the model in DVE, but for a few in which the processes are started.

use crate::Failure;
use crate::measured::{self, Finished, Usage};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const COMPILER_OPTIONS: &[&str] = &["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DMEMLIM=12000"];

/// Depth and hash table large enough for every model; neither dead code listed nor deadlocks nor errors stopped at.
const SEARCH_OPTIONS: &[&str] = &["-m10000000", "-w24", "-n", "-E", "-c0"];

/// A model made into a verifier.
pub struct Verifier {
    folder: PathBuf,
    /// What SPIN and the compiler used.
    pub compilation: Duration,
}

/// A whole search.
#[derive(Clone, Copy, Debug)]
pub struct Searched {
    pub states: u64,
    pub transitions: u64,
    pub usage: Usage,
}

/// Whether SPIN and a C compiler are there.
pub fn is_installed() -> bool {
    let runs = |program: &str, option: &str| measured::run(Command::new(program).arg(option)).is_ok();
    runs("spin", "-V") && runs("gcc", "--version")
}

impl Verifier {
    /// Makes the verifier of a model in a folder, which is created.
    pub fn build(model: &Path, folder: PathBuf) -> Result<Verifier, Failure> {
        std::fs::create_dir_all(&folder).map_err(|error| format!("cannot create `{}`: {error}", folder.display()))?;
        let generated = finished(Command::new("spin").args(["-o1", "-o2", "-o3", "-a"]).arg(model), &folder)?;
        let compiled = finished(Command::new("gcc").args(COMPILER_OPTIONS).args(["-o", "pan", "pan.c"]), &folder)?;
        Ok(Verifier { folder, compilation: generated.usage.cpu + compiled.usage.cpu })
    }

    pub fn search(&self) -> Result<Searched, Failure> {
        let finished = finished(Command::new(self.folder.join("pan")).args(SEARCH_OPTIONS), &self.folder)?;
        let (states, transitions) = whole_search(&finished.stdout)?;
        Ok(Searched { states, transitions, usage: finished.usage })
    }
}

fn finished(command: &mut Command, folder: &Path) -> Result<Finished, Failure> {
    let program = command.get_program().to_string_lossy().into_owned();
    let finished =
        measured::run(command.current_dir(folder)).map_err(|error| format!("cannot run {program}: {error}"))?;
    if !finished.status.success() {
        return Err(format!("{program} failed ({}): {}", finished.status, finished.complaint()));
    }
    Ok(finished)
}

/// The states and transitions of a search that left nothing out.
fn whole_search(report: &str) -> Result<(u64, u64), Failure> {
    let cut = ["max search depth too small", "Search not completed", "reached -DMEMLIM bound", "Bit statespace"];
    if let Some(sign) = cut.iter().find(|sign| report.contains(**sign)) {
        return Err(format!("SPIN did not search the whole space: {sign}"));
    }
    if !report.contains("Full statespace search") {
        return Err("SPIN does not say that it searched the whole space".to_owned());
    }
    let number = |what: &str| {
        let line = report.lines().find(|line| line.contains(what));
        // Large numbers come as 1.2345678e+08.
        let number = line.and_then(|line| line.split_whitespace().next()).and_then(|word| word.parse::<f64>().ok());
        number.map(|number| number as u64).ok_or_else(|| format!("SPIN does not say how many {what}"))
    };
    Ok((number("states, stored")?, number("transitions (= stored+matched)")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "Full statespace search for:\n\nState-vector 56 byte, depth reached 47009, errors: 0\n   \
                          765381 states, stored\n  2389648 states, matched\n  1.155029e+08 transitions (= stored+matched)\n";

    #[test]
    fn a_report_is_read() {
        assert_eq!(whole_search(REPORT), Ok((765_381, 115_502_900)));
    }

    #[test]
    fn half_a_search_is_no_search() {
        let cut = whole_search(&format!("error: max search depth too small\n{REPORT}"));
        assert!(cut.is_err_and(|failure| failure.contains("max search depth")));
        assert!(whole_search("Full statespace search for:\n").is_err());
    }
}
