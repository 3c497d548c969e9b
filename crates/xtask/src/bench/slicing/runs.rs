//! Runs of the checker. The same run is wanted by several curves and done once.

use crate::Failure;
use crate::checker::Checker;
use crate::measured::Usage;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// How a model is searched.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Way {
    pub model: PathBuf,
    /// Constants of the model: `N=4`.
    pub definitions: Vec<String>,
    pub reduces: bool,
    pub store: &'static str,
    pub threads: u32,
    /// Depth-first without one.
    pub hand_off: Option<String>,
}

impl Default for Way {
    fn default() -> Way {
        Way {
            model: PathBuf::new(),
            definitions: Vec::new(),
            reduces: false,
            store: "tree",
            threads: 1,
            hand_off: None,
        }
    }
}

impl Way {
    /// The same with stack slicing.
    pub fn sliced(&self, threads: u32, hand_off: &str) -> Way {
        Way { threads, hand_off: Some(hand_off.to_owned()), ..self.clone() }
    }

    fn arguments(&self) -> Vec<String> {
        let (threads, search) = (self.threads.to_string(), self.hand_off.as_ref().map_or("dfs", |_| "stack-slicing"));
        let mut arguments = vec!["--search", search, "--threads", &threads, "--store", self.store];
        arguments.extend(self.definitions.iter().flat_map(|definition| ["-D", definition]));
        arguments.extend(self.hand_off.iter().flat_map(|depth| ["--handoff", depth]));
        arguments.extend(["--reduce", "por"].iter().filter(|_| self.reduces));
        arguments.into_iter().map(str::to_owned).collect()
    }

    /// What is searched, however it is done.
    fn subject(&self) -> (PathBuf, Vec<String>, bool) {
        (self.model.clone(), self.definitions.clone(), self.reduces)
    }

    pub fn json(&self, measured: &Measured) -> Value {
        json!({
            "model": self.model.file_name().map(|name| name.to_string_lossy()),
            "definitions": self.definitions,
            "reduction": if self.reduces { "por" } else { "none" },
            "store": self.store,
            "search": if self.hand_off.is_some() { "stack-slicing" } else { "dfs" },
            "handoff": self.hand_off,
            "threads": self.threads,
            "states": measured.states,
            "depth": measured.depth,
            "seconds": measured.usage.wall.as_secs_f64(),
            "cpu_seconds": measured.usage.cpu.as_secs_f64(),
            "peak_rss_bytes": measured.usage.peak_rss_bytes,
        })
    }
}

/// The best of some runs.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    pub usage: Usage,
}

pub struct Runs {
    checker: Checker,
    runs: u32,
    done: BTreeMap<Way, Measured>,
}

impl Runs {
    pub fn new(binary: PathBuf, runs: u32) -> Runs {
        Runs { checker: Checker { binary, max_time: "10m".to_owned(), hard_limit: None }, runs, done: BTreeMap::new() }
    }

    pub fn of(&self, way: &Way) -> Result<Measured, Failure> {
        self.done.get(way).copied().ok_or_else(|| format!("{way:?} was not measured"))
    }

    /// Searches in all these ways that were not tried before. They take turns, so that what else happens on the machine
    /// disturbs all of them.
    pub fn measure(&mut self, mut ways: Vec<Way>) -> Result<(), Failure> {
        ways.retain(|way| !self.done.contains_key(way));
        ways.sort();
        ways.dedup();
        for _ in 0..self.runs {
            for way in &ways {
                let new = self.search(way)?;
                let best = self.done.entry(way.clone()).or_insert(new);
                if new.usage.wall < best.usage.wall {
                    *best = new;
                }
            }
        }
        self.agree(&ways)
    }

    fn search(&self, way: &Way) -> Result<Measured, Failure> {
        let mut command = Command::new(&self.checker.binary);
        command.arg("check").arg(&way.model).args(["--keep-going", "--progress", "never", "--json", "-"]);
        command.args(["--max-time", &self.checker.max_time]).args(way.arguments());
        let in_context = |failure| format!("{} {}: {failure}", way.model.display(), way.arguments().join(" "));
        let checked = self.checker.summary(&mut command).map_err(in_context)?;
        if checked.verdict == "unknown" {
            return Err(in_context(checked.reason));
        }
        let counts = checked.counts;
        Ok(Measured {
            states: counts.states,
            transitions: counts.transitions,
            depth: counts.depth,
            usage: checked.usage,
        })
    }

    /// Whoever searches a space another way finds the same states.
    fn agree(&self, ways: &[Way]) -> Result<(), Failure> {
        let mut counts: BTreeMap<_, (u64, u64)> = BTreeMap::new();
        for way in ways {
            let measured = self.of(way)?;
            let found = (measured.states, measured.transitions);
            let first = *counts.entry(way.subject()).or_insert(found);
            if found != first {
                return Err(format!("{way:?} finds {found:?} states and transitions, another way {first:?}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_becomes_arguments() {
        let one = Way { definitions: vec!["N=4".to_owned()], reduces: true, ..Way::default() };
        assert_eq!(one.arguments().join(" "), "--search dfs --threads 1 --store tree -D N=4 --reduce por");
        assert_eq!(
            Way { reduces: false, ..one.sliced(2, "auto") }.arguments().join(" "),
            "--search stack-slicing --threads 2 --store tree -D N=4 --handoff auto"
        );
    }
}
