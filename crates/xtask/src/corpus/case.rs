//! One model with what is known of it, and what came out.

use crate::checker::{Checked, Checker, Setting};
use crate::figures::{grouped, millions_per_second};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// A model, in one size, and what is known of it.
#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    pub model: PathBuf,
    /// For the command line: constants, invariants.
    pub arguments: Vec<String>,
    pub expected: Expected,
}

/// What is known; the rest is not compared.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Expected {
    pub states: Option<u64>,
    pub transitions: Option<u64>,
    /// Breadth-first levels, that of the initial state included.
    pub levels: Option<u64>,
    pub answer: Option<Answer>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Verified,
    /// A fault of this kind is among those found.
    Found(String),
    /// No fault of this kind is among those found.
    NotFound(String),
}

/// What came out of all the runs of a case.
#[derive(Debug)]
pub struct Examined {
    pub runs: Vec<(Setting, Checked)>,
    pub problems: Vec<String>,
}

impl Case {
    pub fn examine(&self, checker: &Checker, settings: &[Setting]) -> Examined {
        let mut examined = Examined { runs: Vec::new(), problems: Vec::new() };
        for setting in settings {
            match checker.check(&self.model, setting, &self.arguments) {
                Ok(checked) => {
                    let first = examined.runs.first().map(|(_, first)| first);
                    for difference in self.expected.differences(&checked, first) {
                        examined.problems.push(format!("{}: {difference}", setting.label()));
                    }
                    examined.runs.push((setting.clone(), checked));
                }
                Err(failure) => examined.problems.push(format!("{}: {failure}", setting.label())),
            }
        }
        examined
    }
}

impl Expected {
    /// How a run differs from what is known, and from the first run.
    pub fn differences(&self, checked: &Checked, first: Option<&Checked>) -> Vec<String> {
        if checked.verdict == "unknown" {
            return vec![format!("the verdict is unknown: {}", checked.reason)];
        }
        let mut differences = Vec::new();
        let counts = &checked.counts;
        let known = [
            ("states", counts.states, self.states),
            ("transitions", counts.transitions, self.transitions),
            ("levels", counts.depth + 1, self.levels),
        ];
        for (what, found, expected) in known {
            if let Some(expected) = expected.filter(|&expected| expected != found) {
                differences.push(format!("{found} {what}, expected {expected}"));
            }
        }
        let answered = match &self.answer {
            None => true,
            Some(Answer::Verified) => checked.verdict == "verified",
            Some(Answer::Found(kind)) => checked.faults.contains(kind),
            Some(Answer::NotFound(kind)) => !checked.faults.contains(kind),
        };
        if !answered {
            differences
                .push(format!("the verdict is {} {:?}, expected {:?}", checked.verdict, checked.faults, self.answer));
        }
        if let Some(first) = first.filter(|first| first.counts != *counts) {
            differences.push(format!("{counts:?}, the first run {:?}", first.counts));
        }
        differences
    }
}

impl Examined {
    /// One line, and one more for each problem.
    pub fn line(&self, name: &str, name_width: usize) -> String {
        let mut text = format!("{:5} {name:<name_width$}", if self.problems.is_empty() { "ok" } else { "FAIL" });
        if let Some((_, first)) = self.runs.first() {
            let (states, transitions) = (grouped(first.counts.states), grouped(first.counts.transitions));
            let _ = write!(text, " {states:>11} states {transitions:>12} transitions {:>5} deep", first.counts.depth);
        }
        for (setting, checked) in &self.runs {
            let wall = checked.usage.wall;
            let rate = millions_per_second(checked.counts.transitions, wall);
            let _ = write!(text, " | {} {:.2} s {rate:.2} M/s", setting.label(), wall.as_secs_f64());
        }
        text.push('\n');
        for problem in &self.problems {
            let _ = writeln!(text, "      {problem}");
        }
        text
    }

    pub fn json(&self, name: &str) -> Value {
        let run = |(setting, checked): &(Setting, Checked)| {
            json!({
                "store": setting.store, "threads": setting.threads, "backend": setting.backend,
                "verdict": checked.verdict, "faults": checked.faults, "states": checked.counts.states,
                "transitions": checked.counts.transitions, "depth": checked.counts.depth,
                "wall_seconds": checked.usage.wall.as_secs_f64(), "cpu_seconds": checked.usage.cpu.as_secs_f64(),
                "peak_rss_bytes": checked.usage.peak_rss_bytes, "store_bytes": checked.store_bytes,
            })
        };
        json!({
            "instance": name,
            "passed": self.problems.is_empty(),
            "problems": self.problems,
            "runs": self.runs.iter().map(run).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::Counts;
    use crate::measured::Usage;
    use std::time::Duration;

    fn checked(states: u64, faults: &[&str]) -> Checked {
        Checked {
            verdict: if faults.is_empty() { "verified" } else { "violated" }.to_owned(),
            reason: String::new(),
            faults: faults.iter().map(|&fault| fault.to_owned()).collect(),
            steps: None,
            counts: Counts { states, transitions: 2 * states, depth: 4, faults: 0 },
            frontier: 0,
            store_bytes: 0,
            reduction: "none".to_owned(),
            rounds: 1,
            usage: Usage { wall: Duration::from_secs(1), cpu: Duration::from_secs(1), peak_rss_bytes: 0 },
        }
    }

    #[test]
    fn what_is_known_is_compared() {
        let expected = Expected { states: Some(10), transitions: Some(20), levels: Some(5), answer: None };
        assert!(expected.differences(&checked(10, &[]), None).is_empty());
        let found = expected.differences(&checked(9, &[]), None);
        assert_eq!(found, ["9 states, expected 10", "18 transitions, expected 20"]);
        assert!(Expected::default().differences(&checked(9, &["goal"]), None).is_empty());
    }

    #[test]
    fn runs_are_compared_with_the_first() {
        let found = Expected::default().differences(&checked(9, &[]), Some(&checked(10, &[])));
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("the first run"), "{found:?}");
    }

    #[test]
    fn an_unknown_verdict_is_no_answer() {
        let unknown = Checked { verdict: "unknown".to_owned(), reason: "time".to_owned(), ..checked(1, &[]) };
        assert_eq!(Expected::default().differences(&unknown, None), ["the verdict is unknown: time"]);
    }

    #[test]
    fn answers_are_compared() {
        let differs = |answer: Answer, faults: &[&str]| {
            let expected = Expected { answer: Some(answer), ..Expected::default() };
            !expected.differences(&checked(1, faults), None).is_empty()
        };
        assert!(!differs(Answer::Verified, &[]) && differs(Answer::Verified, &["goal"]));
        assert!(!differs(Answer::Found("goal".to_owned()), &["assertion", "goal"]));
        assert!(differs(Answer::Found("goal".to_owned()), &["assertion"]));
        assert!(!differs(Answer::NotFound("invariant".to_owned()), &["deadlock"]));
        assert!(differs(Answer::NotFound("invariant".to_owned()), &["invariant"]));
    }
}
