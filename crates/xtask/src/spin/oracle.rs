//! What SPIN says of a model, asked once.
//!
//! An answer depends on the text of the model, on its definitions and on the version of SPIN, so answers are kept under
//! a name made of these. One that was not found for want of time is asked for again when there is more of it.

use super::{Compiler, Extent, Recipe, Verifier, report::Report};
use crate::Failure;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// States of more than a kilobyte are rare, and room for them slows all searches down.
const LARGE_VECTOR_BYTES: u32 = 60_000;

/// A search that is long or deep is one of the corpus; the memory is that of a desktop.
const MEMORY_MEGABYTES: u32 = 12_000;

/// Raised when answers are asked for in another way, so that old ones are not used.
const QUESTION: u32 = 1;

pub struct Oracle {
    /// Where verifiers are built.
    pub scratch: PathBuf,
    /// Where answers are kept.
    pub answers: PathBuf,
    pub version: String,
    pub max_time: Duration,
}

/// What came of asking.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    /// A search that ended by itself; its report says whether it left something out.
    Searched { report: Report, times: Times },
    /// SPIN or the compiler does not take the model.
    Refused { reason: String },
    /// The verifier crashed or took too long.
    Failed { reason: String, limit_seconds: f64 },
}

/// Seconds that passed.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Times {
    pub generation: f64,
    pub compilation: f64,
    pub search: f64,
}

impl Outcome {
    /// The report of a search that left nothing out, or why there is none.
    pub fn whole(&self) -> Result<&Report, String> {
        match self {
            Outcome::Searched { report: Report { cut: Some(reason), .. }, .. } => Err(reason.clone()),
            Outcome::Searched { report, .. } => Ok(report),
            Outcome::Refused { reason } | Outcome::Failed { reason, .. } => Err(reason.clone()),
        }
    }

    pub fn report(&self) -> Option<&Report> {
        if let Outcome::Searched { report, .. } = self { Some(report) } else { None }
    }

    /// Whether a limit of the verifier was in the way.
    fn is_cut_by(&self, limit: &str) -> bool {
        let Outcome::Searched { report, .. } = self else {
            return matches!(self, Outcome::Failed { reason, .. } if reason.contains(limit));
        };
        report.messages.iter().chain(&report.cut).any(|message| message.contains(limit))
    }

    /// Whether there is anything to compare with: a whole search, or a fault that was found in half a search.
    pub fn says_something(&self) -> bool {
        self.report().is_some_and(|report| report.cut.is_none() || !report.faults().is_empty())
    }

    pub fn search_seconds(&self) -> Option<f64> {
        if let Outcome::Searched { times, .. } = self { Some(times.search) } else { None }
    }
}

impl Oracle {
    /// The answer that is kept, or a new one, which is kept then.
    pub fn ask(&self, model: &Path, definitions: &[String]) -> Result<Outcome, Failure> {
        let kept = self.answers.join(self.name(model, definitions)?);
        let known: Option<Outcome> =
            std::fs::read_to_string(&kept).ok().and_then(|text| serde_json::from_str(&text).ok());
        let limit_seconds = self.max_time.as_secs_f64();
        match known {
            Some(Outcome::Failed { limit_seconds: before, .. }) if before < limit_seconds => {}
            Some(outcome) => return Ok(outcome),
            None => {}
        }
        let outcome = self.ask_now(model, definitions);
        let text = serde_json::to_string_pretty(&outcome).map_err(|error| error.to_string())?;
        std::fs::create_dir_all(&self.answers)
            .and_then(|()| std::fs::write(&kept, format!("{text}\n")))
            .map_err(|error| format!("cannot write `{}`: {error}", kept.display()))?;
        Ok(outcome)
    }

    fn ask_now(&self, model: &Path, definitions: &[String]) -> Outcome {
        let mut recipe = Recipe {
            compiler: Compiler::Optimising,
            definitions: definitions.to_owned(),
            memory_megabytes: MEMORY_MEGABYTES,
            vector_bytes: None,
            collapse: false,
        };
        let extent = Extent { time: Some(self.max_time), ..Extent::LARGE };
        let mut outcome = search(model, &self.scratch, &recipe, &extent);
        if outcome.is_cut_by("VECTORSZ") {
            recipe.vector_bytes = Some(LARGE_VECTOR_BYTES);
            outcome = search(model, &self.scratch, &recipe, &extent);
        }
        if outcome.is_cut_by("MEMLIM") {
            recipe.collapse = true;
            outcome = search(model, &self.scratch, &recipe, &extent);
        }
        outcome
    }

    /// Where the answer of a model is kept: its name for people, and a number for all that the answer depends on.
    fn name(&self, model: &Path, definitions: &[String]) -> Result<String, Failure> {
        let mut hasher = DefaultHasher::new();
        (QUESTION, &self.version, definitions).hash(&mut hasher);
        for text in texts(model)? {
            text.hash(&mut hasher);
        }
        let stem = model.file_stem().unwrap_or_default().to_string_lossy();
        Ok(format!("{stem}-{:016x}.json", hasher.finish()))
    }
}

/// Makes a verifier and lets it search, in a folder that is there afterwards for whoever wants to look.
pub fn search(model: &Path, scratch: &Path, recipe: &Recipe, extent: &Extent) -> Outcome {
    let verifier = match Verifier::build(model, scratch, recipe) {
        Ok(verifier) => verifier,
        Err(reason) => return Outcome::Refused { reason },
    };
    match verifier.search(extent) {
        Ok(searched) => Outcome::Searched {
            report: searched.report,
            times: Times {
                generation: verifier.generation.wall.as_secs_f64(),
                compilation: verifier.compilation.wall.as_secs_f64(),
                search: searched.usage.wall.as_secs_f64(),
            },
        },
        Err(reason) => {
            Outcome::Failed { reason, limit_seconds: extent.time.map_or(f64::MAX, |time| time.as_secs_f64()) }
        }
    }
}

/// The text of a model, and of the files that it includes.
fn texts(model: &Path) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    let mut seen = BTreeSet::new();
    let mut paths = vec![model.to_owned()];
    while let Some(path) = paths.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        match std::fs::read(&path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let folder = path.parent().unwrap_or(Path::new(""));
                paths.extend(included(&text).map(|name| folder.join(name)));
                texts.push(text);
            }
            // What is included within a condition may be missing.
            Err(_) if path != model => {}
            Err(error) => return Err(format!("cannot read `{}`: {error}", path.display())),
        }
    }
    Ok(texts)
}

fn included(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (_, rest) = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.split_once('"')?;
        rest.split_once('"').map(|(name, _)| name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_found() {
        let text = "#include \"a.h\"\nint x;\n  # include \"b/c.h\" /* d */\n#define include \"e\"\n";
        assert_eq!(included(text).collect::<Vec<_>>(), ["a.h", "b/c.h"]);
    }

    #[test]
    fn answers_are_kept_until_something_changes() {
        let folder = std::env::temp_dir().join(format!("dampf-oracle-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let model = folder.join("m.pml");
        std::fs::write(&model, "#include \"h\"\n").expect("a model");
        std::fs::write(folder.join("h"), "byte x;\n").expect("a header");
        let mut oracle = Oracle {
            scratch: folder.join("scratch"),
            answers: folder.join("answers"),
            version: "one".to_owned(),
            max_time: Duration::from_secs(5),
        };
        let first = oracle.name(&model, &[]).expect("a readable model");
        assert_eq!(oracle.name(&model, &[]), Ok(first.clone()));
        assert_ne!(oracle.name(&model, &["N=2".to_owned()]), Ok(first.clone()));
        std::fs::write(folder.join("h"), "byte y;\n").expect("a header");
        let second = oracle.name(&model, &[]).expect("a readable model");
        oracle.version = "two".to_owned();
        assert!(second != first && oracle.name(&model, &[]) != Ok(second.clone()));

        // A kept answer is used as it stands, so nothing is run here.
        let kept = Outcome::Failed { reason: "too slow".to_owned(), limit_seconds: 5.0 };
        std::fs::create_dir_all(&oracle.answers).expect("a folder");
        let name = oracle.name(&model, &[]).expect("a readable model");
        std::fs::write(oracle.answers.join(name), serde_json::to_string(&kept).expect("plain data")).expect("a file");
        assert_eq!(oracle.ask(&model, &[]), Ok(kept));
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
    }

    #[test]
    fn only_a_whole_search_is_an_answer() {
        let searched = |cut: Option<&str>| Outcome::Searched {
            report: Report { states: 7, cut: cut.map(str::to_owned), ..Report::default() },
            times: Times::default(),
        };
        assert_eq!(searched(None).whole().map(|report| report.states), Ok(7));
        assert_eq!(searched(Some("depth")).whole(), Err("depth".to_owned()));
        assert!(searched(None).says_something() && !searched(Some("depth")).says_something());
        assert_eq!(Outcome::Refused { reason: "syntax".to_owned() }.whole(), Err("syntax".to_owned()));
    }
}
