//! The checker as its users meet it: a command line in, a JSON summary out.

use crate::Failure;
use crate::measured::{self, Usage};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A built `dampf`.
pub struct Checker {
    pub binary: PathBuf,
    /// Ends a run that takes too long; its verdict is then unknown.
    pub max_time: String,
    /// A run that goes on beyond this is ended, and has failed.
    pub hard_limit: Option<Duration>,
}

/// How a model is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    pub store: String,
    pub threads: usize,
    pub backend: &'static str,
}

impl Setting {
    pub fn native(store: &str, threads: usize) -> Setting {
        Setting { store: store.to_owned(), threads, backend: "native" }
    }

    /// Short, for tables: `tree/2`.
    pub fn label(&self) -> String {
        let backend = if self.backend == "native" { String::new() } else { format!("/{}", self.backend) };
        format!("{}/{}{backend}", self.store, self.threads)
    }
}

/// What must not depend on how a model was checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    pub faults: u64,
}

/// One finished check.
#[derive(Clone, Debug)]
pub struct Checked {
    pub verdict: String,
    /// Why the verdict is unknown; empty otherwise.
    pub reason: String,
    /// The kinds of the faults that were found, each once, in alphabetic order.
    pub faults: Vec<String>,
    /// The length of the run to the first of them.
    pub steps: Option<u64>,
    pub counts: Counts,
    /// States that were found and not explored: a search that keeps going and has some was stopped.
    pub frontier: u64,
    pub store_bytes: u64,
    /// What was left out of the search: `none`, `por`, …
    pub reduction: String,
    /// How often the search began: once, and again for everything that it refuted.
    pub rounds: u64,
    pub usage: Usage,
}

impl Checker {
    /// Explores the whole model, faults notwithstanding, unless `arguments` say something else.
    pub fn check(&self, model: &Path, setting: &Setting, arguments: &[String]) -> Result<Checked, Failure> {
        let mut command = Command::new(&self.binary);
        command.arg("check").arg(model).args(["--keep-going", "--progress", "never", "--json", "-"]);
        command.args(["--store", &setting.store, "--threads", &setting.threads.to_string()]);
        command.args(["--backend", setting.backend, "--max-time", &self.max_time]).args(arguments);
        self.summary(&mut command)
    }

    /// Runs a check that was told to print its summary, and nothing else, to standard output.
    pub fn summary(&self, command: &mut Command) -> Result<Checked, Failure> {
        let finished = measured::run_within(command, self.hard_limit)
            .map_err(|error| format!("cannot run `{}`: {error}", command.get_program().display()))?;
        if finished.out_of_time {
            return Err(format!("dampf does not keep to --max-time {}", self.max_time));
        }
        let unreadable = |what: &str| format!("{what} ({}): {}", finished.status, finished.complaint());
        let summary: Value = serde_json::from_str(&finished.stdout).map_err(|_| unreadable("dampf gave no summary"))?;
        summary_of(&summary, finished.usage)
            .ok_or_else(|| unreadable("a figure is missing in the summary of dampf"))
            .and_then(|checked| honest_status(checked, finished.status.code()))
    }
}

fn summary_of(summary: &Value, usage: Usage) -> Option<Checked> {
    let errors = summary["errors"].as_array()?.iter();
    let mut faults: Vec<String> = errors.filter_map(|error| error["kind"].as_str()).map(str::to_owned).collect();
    faults.sort();
    faults.dedup();
    Some(Checked {
        verdict: summary["verdict"].as_str()?.to_owned(),
        reason: summary["reason"].as_str().unwrap_or_default().to_owned(),
        faults,
        steps: summary["errors"][0]["steps"].as_u64(),
        counts: Counts {
            states: summary["states"].as_u64()?,
            transitions: summary["transitions"].as_u64()?,
            depth: summary["depth"].as_u64()?,
            faults: summary["faults"].as_u64()?,
        },
        frontier: summary["frontier"].as_u64()?,
        store_bytes: summary["store_bytes"].as_u64()?,
        reduction: summary["reduction"].as_str()?.to_owned(),
        rounds: summary["rounds"].as_u64()?,
        usage,
    })
}

/// The exit status is the verdict for scripts, and has to say the same.
fn honest_status(checked: Checked, status: Option<i32>) -> Result<Checked, Failure> {
    let expected = match checked.verdict.as_str() {
        "verified" => 0,
        "violated" => 1,
        _ => 3,
    };
    if status == Some(expected) {
        return Ok(checked);
    }
    Err(format!("the verdict is {}, but the exit status is {status:?}", checked.verdict))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage() -> Usage {
        Usage { wall: Duration::ZERO, cpu: Duration::ZERO, peak_rss_bytes: 0 }
    }

    #[test]
    fn a_summary_is_read() {
        let summary = serde_json::json!({
            "verdict": "violated", "reason": null, "states": 5, "transitions": 9, "depth": 3, "faults": 2,
            "frontier": 0, "store_bytes": 100, "reduction": "none", "rounds": 1,
            "errors": [{"kind": "goal"}, {"kind": "assertion"}, {"kind": "goal"}],
        });
        let checked = summary_of(&summary, usage()).expect("complete");
        assert_eq!(checked.counts, Counts { states: 5, transitions: 9, depth: 3, faults: 2 });
        assert_eq!(checked.faults, ["assertion", "goal"]);
        assert!(honest_status(checked.clone(), Some(0)).is_err());
        assert!(honest_status(checked, Some(1)).is_ok());
        assert!(summary_of(&serde_json::json!({"verdict": "verified"}), usage()).is_none());
    }

    #[test]
    fn labels_name_what_is_unusual() {
        assert_eq!(Setting::native("tree", 2).label(), "tree/2");
        assert_eq!(Setting { backend: "interpreter", ..Setting::native("exact", 1) }.label(), "exact/1/interpreter");
    }
}
