//! Programs on which Dampf and SPIN differ, made small and kept.

use super::trial::{Trial, Tried, write_model};
use crate::Failure;
use crate::measured;
use crate::spin::{Compiler, Verifier};
use dampf_testkit::promela::{Tree, shrink};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Where a program takes long each time, it stays as large as it is by then.
const SHRINKING_TIME_MAX: Duration = Duration::from_secs(180);

/// What was found so far, by all jobs.
pub struct Findings {
    pub folder: PathBuf,
    count_max: usize,
    attempts_max: usize,
    found: Mutex<Found>,
}

#[derive(Default)]
struct Found {
    differences: usize,
    /// Programs without an answer are kept once for every reason.
    reasons: BTreeSet<String>,
}

impl Findings {
    pub fn new(folder: PathBuf, count_max: usize, attempts_max: usize) -> Findings {
        Findings { folder, count_max, attempts_max, found: Mutex::default() }
    }

    pub fn count(&self) -> usize {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.differences + found.reasons.len()
    }

    pub fn are_enough(&self) -> bool {
        self.count() >= self.count_max
    }

    /// Whether a program with this symptom is to be kept, which is then counted.
    pub fn wants(&self, symptom: &str) -> bool {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if symptom.starts_with("no answer") {
            return found.reasons.insert(symptom.to_owned());
        }
        found.differences += 1;
        found.differences <= self.count_max
    }

    /// Makes a program small and writes it into a folder of its own, with what both say of it.
    pub fn keep(
        &self,
        trial: &Trial,
        seed: u64,
        program: &Tree,
        symptom: &str,
        scratch: &Path,
    ) -> Result<String, Failure> {
        let has_symptom = |tried: Result<Tried, Failure>| {
            tried.is_ok_and(|tried| tried.symptom().is_some_and(|other| other == symptom))
        };
        // Nothing is believed that only the small compiler says.
        if !has_symptom(trial.attempt(program, scratch, Compiler::Plain)) {
            return Ok(format!("seed {seed}: {symptom}, but only with {:?}\n", trial.compiler));
        }
        let started = Instant::now();
        let small = shrink(program.clone(), self.attempts_max, |smaller| {
            started.elapsed() < SHRINKING_TIME_MAX && has_symptom(trial.attempt(smaller, scratch, trial.compiler))
        });
        let is_confirmed = has_symptom(trial.attempt(&small, scratch, Compiler::Plain));
        let small = if is_confirmed { small } else { program.clone() };
        let folder = self.folder.join(format!("seed-{seed}"));
        write_model(&small, &folder)?;
        write(&folder.join("original.pml"), &program.to_string())?;
        let remark = match trial.attempt(&small, scratch, Compiler::Plain)? {
            Tried::Differed { differences, .. } => differences.join("; "),
            Tried::Silent { reason, .. } => format!("no answer: {reason}"),
            _ => symptom.to_owned(),
        };
        write(&folder.join("spin.txt"), &spin_says(trial, &folder, scratch))?;
        write(&folder.join("dampf.txt"), &dampf_says(trial, &folder))?;
        let lines = small.to_string().lines().count();
        Ok(format!("seed {seed}: {remark}\n  {lines} lines: {}\n", folder.join("model.pml").display()))
    }
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}

/// What SPIN prints about the model of a folder.
fn spin_says(trial: &Trial, folder: &Path, scratch: &Path) -> String {
    let verifier = Verifier::build(&folder.join("model.pml"), scratch, &trial.recipe(Compiler::Plain));
    match verifier.and_then(|verifier| verifier.run(&trial.extent())) {
        Ok(finished) => format!("{}{}", finished.stdout, finished.stderr),
        Err(failure) => failure,
    }
}

/// What Dampf prints about the model of a folder.
fn dampf_says(trial: &Trial, folder: &Path) -> String {
    let Some(checker) = &trial.checker else { return String::new() };
    let mut command = Command::new(&checker.binary);
    command.arg("check").arg(folder.join("model.pml")).args(["--keep-going", "--progress", "never"]);
    command.args(["--backend", trial.setting.backend, "--max-time", &checker.max_time, "--json", "-"]);
    match measured::run_within(&mut command, checker.hard_limit) {
        Ok(finished) => format!("{}\n{}{}", finished.status, finished.stdout, finished.stderr),
        Err(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_kept_once_and_differences_up_to_a_number() {
        let findings = Findings::new(PathBuf::new(), 3, 10);
        assert!(findings.wants("no answer: a") && !findings.wants("no answer: a") && findings.wants("no answer: b"));
        assert!(!findings.are_enough());
        assert!(findings.wants("differs") && findings.are_enough());
    }
}
