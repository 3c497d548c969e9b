//! One random program, shown to both.

use super::finding::Findings;
use super::outline;
use crate::Failure;
use crate::checker::{Checked, Checker, Setting};
use crate::spin::compare::{Comparison, compare};
use crate::spin::oracle::{self, Outcome};
use crate::spin::{Compiler, Extent, Recipe};
use dampf_testkit::promela::{Feature, Tree, random_model};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Enough for some 200,000 states. Larger programs would take most of the time and show little that small ones do not.
const MEMORY_MEGABYTES: u32 = 24;

/// How the report of a search begins that ended with an error after which SPIN cannot go on.
const FATAL: &str = "Search not completed";

/// How programs are tried.
pub struct Trial {
    /// None where only SPIN is asked.
    pub checker: Option<Checker>,
    pub setting: Setting,
    /// Further options of Dampf.
    pub arguments: Vec<String>,
    pub compiler: Compiler,
    pub max_time: Duration,
    pub without: Vec<Feature>,
}

/// What became of a program.
#[derive(Clone, PartialEq, Debug)]
pub enum Tried {
    /// SPIN does not take it.
    Refused(String),
    /// One of them did not search it to the end, and they do not differ about what was found.
    Cut(String),
    Agreed {
        states: u64,
        faults: Vec<&'static str>,
    },
    Differed {
        states: u64,
        faults: Vec<&'static str>,
        differences: Vec<String>,
    },
    /// Dampf has no answer, though SPIN has one.
    Silent {
        states: u64,
        faults: Vec<&'static str>,
        reason: String,
    },
}

impl Tried {
    /// What SPIN says, where it says something.
    pub fn answer(&self) -> Option<(u64, &[&'static str])> {
        match self {
            Tried::Refused(_) | Tried::Cut(_) => None,
            Tried::Agreed { states, faults }
            | Tried::Differed { states, faults, .. }
            | Tried::Silent { states, faults, .. } => Some((*states, faults)),
        }
    }

    /// What two programs have in common of which one is a smaller version of the other; none where all is well.
    pub fn symptom(&self) -> Option<String> {
        match self {
            Tried::Refused(_) | Tried::Cut(_) | Tried::Agreed { .. } => None,
            Tried::Differed { .. } => Some("differs".to_owned()),
            Tried::Silent { reason, .. } => Some(format!("no answer: {}", outline(reason))),
        }
    }
}

impl Trial {
    /// Tries the program of a seed. If there is something to find in it, makes it small and keeps it. Returns what is
    /// to be printed, too.
    pub fn examine(&self, seed: u64, folder: &Path, findings: &Findings) -> Result<(Tried, String), Failure> {
        let program = random_model(seed, &self.without);
        let tried = self.attempt(&program, folder, self.compiler)?;
        let said = match tried.symptom() {
            Some(symptom) if findings.wants(&symptom) => findings.keep(self, seed, &program, &symptom, folder)?,
            _ => String::new(),
        };
        Ok((tried, said))
    }

    /// Shows a program to both.
    pub fn attempt(&self, program: &Tree, folder: &Path, compiler: Compiler) -> Result<Tried, Failure> {
        let model = write_model(program, folder)?;
        let outcome = oracle::search(&model, folder, &self.recipe(compiler), &self.extent());
        let (states, faults) = match (&outcome, outcome.whole()) {
            (Outcome::Refused { reason }, _) => return Ok(Tried::Refused(reason.clone())),
            (_, Ok(report)) => (report.states, report.faults()),
            // Where there was no room or time for all of it (`aborting` is said of states that are too large), Dampf
            // would have none either.
            (_, Err(reason))
                if !outcome.says_something() || !reason.starts_with(FATAL) || reason.contains("aborting") =>
            {
                return Ok(Tried::Cut(reason));
            }
            (_, Err(_)) => (0, Vec::new()),
        };
        let Some(checker) = &self.checker else {
            let cut = outcome.whole().err();
            return Ok(cut.map_or(Tried::Agreed { states, faults }, Tried::Cut));
        };
        let checked: Result<Checked, Failure> = checker.check(&model, &self.setting, &self.arguments);
        Ok(match compare(&outcome, &checked) {
            Comparison::Agrees => Tried::Agreed { states, faults },
            Comparison::SpinSilent(reason) => Tried::Cut(reason),
            Comparison::Differs(differences) => Tried::Differed { states, faults, differences },
            Comparison::DampfSilent(reason)
                if reason.starts_with("the time limit") || reason.starts_with("stopped") =>
            {
                Tried::Cut(format!("dampf: {reason}"))
            }
            Comparison::DampfSilent(reason) => Tried::Silent { states, faults, reason },
        })
    }

    pub fn recipe(&self, compiler: Compiler) -> Recipe {
        Recipe {
            compiler,
            definitions: Vec::new(),
            memory_megabytes: MEMORY_MEGABYTES,
            vector_bytes: None,
            collapse: false,
        }
    }

    /// Small, so that a verifier starts at once.
    pub fn extent(&self) -> Extent {
        Extent { depth: 100_000, table_bits: 16, time: Some(self.max_time) }
    }
}

pub fn write_model(program: &Tree, folder: &Path) -> Result<PathBuf, Failure> {
    let model = folder.join("model.pml");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&model, program.to_string()))
        .map_err(|error| format!("cannot write `{}`: {error}", model.display()))?;
    Ok(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spin;

    #[test]
    fn most_programs_can_be_searched() {
        if !spin::is_installed() {
            println!("skipped: SPIN is not installed");
            return;
        }
        let compiler = Compiler::quickest();
        let trial = Trial {
            checker: None,
            setting: Setting::native("tree", 1),
            arguments: Vec::new(),
            compiler,
            max_time: Duration::from_secs(5),
            without: Vec::new(),
        };
        let folder = std::env::temp_dir().join(format!("dampf-trial-{}", std::process::id()));
        // Without the small compiler every program takes half a second.
        let count = if compiler == Compiler::Tiny { 20 } else { 5 };
        let searched = (0..count)
            .filter(|&seed| {
                let tried =
                    trial.attempt(&random_model(seed, &[]), &folder, compiler).expect("programs can be written");
                tried.answer().is_some()
            })
            .count();
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        assert!(searched * 2 > count as usize, "only {searched} of {count}");
    }

    #[test]
    fn symptoms_leave_out_what_is_special() {
        let silent = |reason: &str| Tried::Silent { states: 1, faults: Vec::new(), reason: reason.to_owned() };
        assert_eq!(silent("line 3: no `x`").symptom(), silent("line 14: no `y`").symptom());
        assert_ne!(silent("no `x`").symptom(), silent("bad `x`").symptom());
        assert_eq!(Tried::Agreed { states: 1, faults: Vec::new() }.symptom(), None);
    }
}
