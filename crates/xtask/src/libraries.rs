//! `cargo xtask libraries`: the programs over real libraries, against what they say of themselves.
//!
//! One line for each program and each way in which it is compiled. A library that is not installed is named, and its
//! programs are left out.

use crate::Failure;
use crate::checker::{Checked, Checker};
use crate::figures::{grouped, time};
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use dampf_testkit::expectations::{Expectation, expectations, sources};
use dampf_testkit::libraries::missing_for;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

#[derive(Args, Debug)]
pub struct LibraryOptions {
    /// Only programs whose names contain NAME
    #[arg(long, value_name = "NAME")]
    only: Option<String>,

    /// Give up on a check after this time
    #[arg(long, value_name = "TIME", default_value = "5m")]
    max_time: String,

    /// Further options for every check, such as `--threads 2`
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, default_value = "")]
    options: String,

    /// Check everything once more with these options instead, such as `--reduce lgc`, and put the figures beside
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    against: Option<String>,

    #[command(flatten)]
    files: FileOptions,
}

/// One program, compiled in one way, and what came out.
struct Row {
    expectation: Expectation,
    checked: Result<Checked, Failure>,
    against: Option<Result<Checked, Failure>>,
}

/// Checks one program in one way.
struct Bench {
    checker: Checker,
    folder: PathBuf,
}

impl Bench {
    fn check(&self, expectation: &Expectation, options: &str) -> Result<Checked, Failure> {
        let mut command = Command::new(&self.checker.binary);
        command.current_dir(&self.folder).arg("check").arg(&expectation.file).args(expectation.arguments());
        command.args(["--progress", "never", "--json", "-", "--max-time", &self.checker.max_time]);
        command.args(options.split_whitespace());
        self.checker.summary(&mut command)
    }
}

pub fn run(workspace: &Workspace, options: &LibraryOptions) -> Result<(), Failure> {
    // Compiling counts, too, and ends without being told to.
    let hard_limit = time(&options.max_time)? + Duration::from_secs(300);
    let folder = workspace.root.join("models/libraries");
    let wanted = |file: &String| options.only.as_ref().is_none_or(|part| file.contains(part.as_str()));
    let files: Vec<String> = sources(&folder).into_iter().filter(wanted).collect();
    if files.is_empty() {
        return Err("no program is left to check; see --only".to_owned());
    }
    let files = installed(files);
    let cases: Vec<Expectation> = files.iter().flat_map(|file| expectations(&folder, file)).collect();
    let binary = workspace.release_binary(options.files.dampf.as_deref())?;
    let checker = Checker { binary, max_time: options.max_time.clone(), hard_limit: Some(hard_limit) };
    let bench = Bench { checker, folder };
    let width = cases.iter().map(|case| label(case).len()).max().unwrap_or(0);
    println!("{}", heading(width, options.against.as_deref()));
    let mut rows = Vec::new();
    for expectation in cases {
        let checked = bench.check(&expectation, &options.options);
        let against = options.against.as_ref().map(|other| bench.check(&expectation, other));
        let row = Row { expectation, checked, against };
        println!("{}", row.line(width));
        rows.push(row);
    }
    options.files.write(|| json!({ "programs": rows.iter().map(Row::json).collect::<Vec<_>>() }))?;
    conclude(&rows)
}

/// The programs whose libraries are there; says once for each of the others how to get it.
fn installed(files: Vec<String>) -> Vec<String> {
    let mut named = Vec::new();
    let mut kept = Vec::new();
    for file in files {
        match missing_for(&file) {
            None => kept.push(file),
            Some(library) if named.contains(&library.package) => {}
            Some(library) => {
                let package = library.package;
                println!("skipped: {package} is not installed (scripts/setup --libraries installs it)");
                named.push(package);
            }
        }
    }
    kept
}

/// A program and the macros that it is compiled with.
fn label(expectation: &Expectation) -> String {
    let macros = expectation.flags.iter().filter(|flag| flag.starts_with("-D"));
    macros.fold(expectation.file.clone(), |label, flag| format!("{label} {flag}"))
}

fn heading(width: usize, against: Option<&str>) -> String {
    let columns = format!("{:width$}  {:18} {:18} {:>11} {:>8}", "program", "verdict", "expected", "states", "CPU s");
    against.map_or(columns.clone(), |other| format!("{columns} {:>11} {:>8}  with {other}", "states", "CPU s"))
}

/// The verdict, or the kind of the fault that was found first.
fn outcome(checked: &Checked) -> &str {
    match checked.verdict.as_str() {
        "violated" => checked.faults.first().map_or("violated", String::as_str),
        verdict => verdict,
    }
}

fn figures(checked: &Checked) -> String {
    format!("{:>11} {:>8.2}", grouped(checked.counts.states), checked.usage.cpu.as_secs_f64())
}

impl Row {
    /// What is not as it should be.
    fn problem(&self) -> Option<String> {
        let expected = &self.expectation.kind;
        let checked = match &self.checked {
            Ok(checked) => checked,
            Err(failure) => return Some(failure.clone()),
        };
        let is_expected = match checked.verdict.as_str() {
            "violated" => checked.faults.contains(expected),
            verdict => verdict == expected,
        };
        if !is_expected {
            return Some(format!("{} instead of {expected}", outcome(checked)));
        }
        // Which of several faults is found first is the search's affair; so is what it has no time for.
        match self.against.as_ref()? {
            Err(failure) => Some(failure.clone()),
            Ok(other) if other.verdict != checked.verdict && other.verdict != "unknown" => {
                Some(format!("{} with other options", outcome(other)))
            }
            Ok(_) => None,
        }
    }

    fn line(&self, width: usize) -> String {
        let (verdict, states) = match &self.checked {
            Ok(checked) => (outcome(checked), figures(checked)),
            Err(_) => ("failed", format!("{:>11} {:>8}", "-", "-")),
        };
        let (label, expected) = (label(&self.expectation), &self.expectation.kind);
        let mut line = format!("{label:width$}  {verdict:18} {expected:18} {states}");
        if let Some(Ok(other)) = &self.against {
            line += &format!(" {}", figures(other));
            if other.verdict == "unknown" {
                line += "  unknown";
            }
        }
        match self.problem() {
            Some(problem) => format!("{line}\n  {problem}"),
            None => line,
        }
    }

    fn json(&self) -> Value {
        let figures = |checked: &Result<Checked, Failure>| match checked {
            Ok(checked) => json!({
                "verdict": outcome(checked),
                "states": checked.counts.states,
                "cpu_seconds": checked.usage.cpu.as_secs_f64(),
            }),
            Err(failure) => json!({ "failure": failure }),
        };
        json!({
            "program": self.expectation.file,
            "arguments": self.expectation.arguments(),
            "expected": self.expectation.kind,
            "checked": figures(&self.checked),
            "against": self.against.as_ref().map(figures),
        })
    }
}

/// Counts, and fails where a verdict differs.
fn conclude(rows: &[Row]) -> Result<(), Failure> {
    let failed: Vec<String> =
        rows.iter().filter(|row| row.problem().is_some()).map(|row| label(&row.expectation)).collect();
    println!("{} passed, {} failed", rows.len() - failed.len(), failed.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("not as they should be: {}", failed.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::Counts;
    use crate::measured::Usage;

    fn checked(verdict: &str, faults: &[&str]) -> Checked {
        Checked {
            verdict: verdict.to_owned(),
            reason: String::new(),
            faults: faults.iter().map(|&fault| fault.to_owned()).collect(),
            steps: None,
            counts: Counts { states: 1234, transitions: 1, depth: 1, faults: faults.len() as u64 },
            frontier: 0,
            store_bytes: 0,
            reduction: "races".to_owned(),
            rounds: 1,
            usage: Usage { wall: Duration::ZERO, cpu: Duration::from_millis(1500), peak_rss_bytes: 0 },
        }
    }

    fn row(kind: &str, checked: Checked, against: Option<Checked>) -> Row {
        let expectation = Expectation {
            file: "a.cc".to_owned(),
            kind: kind.to_owned(),
            flags: ["-idirafter", "/usr/include", "-DBUG"].map(str::to_owned).to_vec(),
            options: Vec::new(),
            fault_lines: Vec::new(),
            states_max: None,
        };
        Row { expectation, checked: Ok(checked), against: against.map(Ok) }
    }

    #[test]
    fn a_verdict_is_compared_with_what_the_program_says() {
        assert_eq!(row("verified", checked("verified", &[]), None).problem(), None);
        assert_eq!(row("deadlock", checked("violated", &["deadlock"]), None).problem(), None);
        let wrong = row("deadlock", checked("violated", &["data-race"]), None);
        assert_eq!(wrong.problem(), Some("data-race instead of deadlock".to_owned()));
        assert_eq!(conclude(&[wrong]), Err("not as they should be: a.cc -DBUG".to_owned()));
    }

    #[test]
    fn other_options_must_not_change_what_is_decided() {
        let against = |verdict: &str| row("verified", checked("verified", &[]), Some(checked(verdict, &["goal"])));
        assert_eq!(against("unknown").problem(), None);
        assert_eq!(against("violated").problem(), Some("goal with other options".to_owned()));
    }

    #[test]
    fn a_line_has_the_macros_and_both_figures() {
        let line = row("verified", checked("verified", &[]), Some(checked("verified", &[]))).line(12);
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["a.cc", "-DBUG", "verified", "verified", "1,234", "1.50", "1,234", "1.50"]);
    }
}
