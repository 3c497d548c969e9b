//! `cargo xtask bench prove`: how many problems are proved or refuted in a given time, next to Z3's Spacer.
//!
//! A folder of problems has a table `expected.tsv` beside them: the file and its answer, `safe` or `unsafe` (anything
//! else is not known). An answer that differs from it is wrong, whoever gives it, and wrong answers make the command
//! fail: they are what the table is for.

use super::table::Table;
use crate::Failure;
use crate::workspace::Workspace;
use clap::Args;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Args, Debug)]
pub struct ProveOptions {
    /// Folders with problems and an `expected.tsv` [default: the collections of clauses beside the workspace]
    folders: Vec<PathBuf>,

    /// Seconds for each problem
    #[arg(long, value_name = "SECONDS", default_value = "20")]
    limit: u64,

    /// Only problems whose path contains this
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// Leave Z3 out
    #[arg(long)]
    no_z3: bool,

    /// Further options of `dampf prove`
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    with: Vec<String>,

    /// Run this binary instead of building one
    #[arg(long, value_name = "FILE")]
    dampf: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    Safe,
    Unsafe,
    /// Not within the limit, or not at all.
    None,
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Answer::Safe => "safe",
            Answer::Unsafe => "unsafe",
            Answer::None => "-",
        })
    }
}

#[derive(Default)]
struct Tally {
    problems: usize,
    ours: usize,
    theirs: usize,
    only_ours: usize,
    only_theirs: usize,
    our_wrong: Vec<String>,
    their_wrong: Vec<String>,
}

pub fn run(workspace: &Workspace, options: &ProveOptions) -> Result<(), Failure> {
    let binary = workspace.release_binary(options.dampf.as_deref())?;
    let with_z3 = !options.no_z3 && Command::new("z3").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !with_z3 {
        println!("without Z3 there is nothing to compare with");
    }
    let mut folders = options.folders.clone();
    if folders.is_empty() {
        folders.extend(["chc", "armc"].iter().filter_map(|name| workspace.corpus(name)));
    }
    let limit = Duration::from_secs(options.limit);
    let mut tally = Tally::default();
    let title = format!("problems, {} seconds each", options.limit);
    let table = Table::new(&title, &[("problem", 70), ("answer", 7), ("Dampf", 7), ("s", 6), ("Spacer", 7), ("s", 6)]);
    for folder in folders {
        for (name, expected) in problems(&folder)? {
            if options.only.as_ref().is_some_and(|text| !name.contains(text)) {
                continue;
            }
            let path = folder.join(&name);
            let (ours, our_time) = dampf(&binary, &path, limit, &options.with)?;
            let is_smt = path.extension().is_some_and(|extension| extension == "smt2");
            let (theirs, their_time) =
                if with_z3 && is_smt { spacer(&path, limit)? } else { (Answer::None, Duration::ZERO) };
            tally.count(&name, expected, ours, theirs);
            let seconds = |time: Duration| format!("{:.1}", time.as_secs_f64());
            let short: String = name.chars().rev().take(70).collect::<Vec<_>>().into_iter().rev().collect();
            table.row(&[
                short,
                expected.to_string(),
                ours.to_string(),
                seconds(our_time),
                theirs.to_string(),
                seconds(their_time),
            ]);
        }
    }
    tally.print()
}

impl Tally {
    fn count(&mut self, name: &str, expected: Answer, ours: Answer, theirs: Answer) {
        let is_wrong = |answer: Answer| answer != Answer::None && expected != Answer::None && answer != expected;
        self.problems += 1;
        if is_wrong(ours) {
            self.our_wrong.push(name.to_owned());
        }
        if is_wrong(theirs) {
            self.their_wrong.push(name.to_owned());
        }
        let (we, they) = (ours != Answer::None && !is_wrong(ours), theirs != Answer::None && !is_wrong(theirs));
        self.ours += usize::from(we);
        self.theirs += usize::from(they);
        self.only_ours += usize::from(we && !they);
        self.only_theirs += usize::from(they && !we);
    }

    fn print(&self) -> Result<(), Failure> {
        println!(
            "\n{} problems: {} solved by Dampf, {} by Spacer; {} by Dampf only, {} by Spacer only; {} wrong answers",
            self.problems,
            self.ours,
            self.theirs,
            self.only_ours,
            self.only_theirs,
            self.our_wrong.len(),
        );
        for name in &self.their_wrong {
            println!("Spacer's answer differs from what is expected: {name}");
        }
        match self.our_wrong.first() {
            Some(name) => Err(format!("{} answers are wrong: {name} for one", self.our_wrong.len())),
            None => Ok(()),
        }
    }
}

/// The problems of a folder with their answers, in the order of its table.
fn problems(folder: &Path) -> Result<Vec<(String, Answer)>, Failure> {
    let path = folder.join("expected.tsv");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
    Ok(text.lines().skip(1).filter_map(|line| line.split_once('\t')).map(problem).collect())
}

fn problem((name, answer): (&str, &str)) -> (String, Answer) {
    let answer = match answer.split('\t').next() {
        Some("safe") => Answer::Safe,
        Some("unsafe") => Answer::Unsafe,
        _ => Answer::None,
    };
    (name.to_owned(), answer)
}

fn dampf(binary: &Path, path: &Path, limit: Duration, with: &[String]) -> Result<(Answer, Duration), Failure> {
    let mut command = Command::new(binary);
    command.arg("prove").arg(path).arg("--max-time").arg(limit.as_secs().to_string()).args(with);
    let (status, _, time) = finished(command, limit)?;
    let answer = match status {
        Some(0) => Answer::Safe,
        Some(1) => Answer::Unsafe,
        _ => Answer::None,
    };
    Ok((answer, time))
}

fn spacer(path: &Path, limit: Duration) -> Result<(Answer, Duration), Failure> {
    let mut command = Command::new("z3");
    command.arg("fp.engine=spacer").arg(path);
    let (_, output, time) = finished(command, limit)?;
    let answer = match output.lines().next() {
        Some("sat") => Answer::Safe,
        Some("unsat") => Answer::Unsafe,
        _ => Answer::None,
    };
    Ok((answer, time))
}

/// Runs a command to its end, or ends it some time behind the limit: its status, what it printed, and how long it took.
fn finished(mut command: Command, limit: Duration) -> Result<(Option<i32>, String, Duration), Failure> {
    let start = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.map_err(|error| format!("cannot run {command:?}: {error}"))?;
    let stdout = child.stdout.take();
    // Read beside the waiting, so that a long answer does not fill the pipe.
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(mut stdout) = stdout {
            let _ = std::io::Read::read_to_string(&mut stdout, &mut text);
        }
        text
    });
    let status = loop {
        match child.try_wait().map_err(|error| format!("cannot wait for {command:?}: {error}"))? {
            Some(status) => break status.code(),
            None if start.elapsed() > limit + Duration::from_secs(1) => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let time = start.elapsed();
    Ok((status, reader.join().unwrap_or_default(), time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_against_what_is_expected() {
        let mut tally = Tally::default();
        tally.count("a", Answer::Safe, Answer::Safe, Answer::None);
        tally.count("b", Answer::Unsafe, Answer::None, Answer::Unsafe);
        tally.count("c", Answer::None, Answer::Safe, Answer::Safe);
        assert!(tally.our_wrong.is_empty() && tally.their_wrong.is_empty());
        assert_eq!((tally.ours, tally.theirs, tally.only_ours, tally.only_theirs), (2, 2, 1, 1));
        tally.count("d", Answer::Unsafe, Answer::Safe, Answer::Unsafe);
        assert_eq!(tally.our_wrong, ["d"]);
        assert_eq!((tally.ours, tally.only_theirs), (2, 2));
    }

    #[test]
    fn rows_are_read() {
        assert_eq!(problem(("x.smt2", "safe")), ("x.smt2".to_owned(), Answer::Safe));
        assert_eq!(problem(("x.smt2", "unsafe\tremark")), ("x.smt2".to_owned(), Answer::Unsafe));
        assert_eq!(problem(("x.pl", "unknown")), ("x.pl".to_owned(), Answer::None));
    }
}
