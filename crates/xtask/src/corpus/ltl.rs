//! `cargo xtask corpus ltl`: properties of runs whose answers are known, with every search for cycles there is.
//!
//! The answer must not depend on the way, the threads or the ranks. Where a property holds, everything was explored, so
//! the states and transitions of all ways must be the same, too.

use crate::Failure;
use crate::checker::{Checked, Checker};
use crate::figures::{grouped, time};
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Dampf ends its runs by itself; one that takes this much longer has failed to.
const GRACE: Duration = Duration::from_secs(60);

#[derive(Args, Debug)]
pub struct LtlOptions {
    /// Numbers of threads for the ways that share memory
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2")]
    threads: Vec<u32>,

    /// Numbers of ranks for the ways of ranks
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2,3")]
    ranks: Vec<u32>,

    /// Ways to look for cycles
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "ndfs,scc,dual-core,cndfs,owcty,bounded-nested,naive-nested,improved-nested"
    )]
    cycles: Vec<String>,

    /// Only properties with this in their name
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,

    /// A single run that takes longer is left out, and counted
    #[arg(long, value_name = "TIME", default_value = "5m")]
    max_time: String,

    #[command(flatten)]
    files: FileOptions,
}

/// A property and its answer.
struct Answer {
    model: PathBuf,
    name: String,
    holds: bool,
}

/// A way to look for cycles, and who does.
struct Way<'a> {
    cycles: &'a str,
    threads: u32,
    ranks: Option<u32>,
}

impl Way<'_> {
    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--cycles".to_owned(), self.cycles.to_owned()];
        arguments.extend(["--threads".to_owned(), self.threads.to_string()]);
        arguments.extend(self.ranks.iter().flat_map(|ranks| ["--ranks".to_owned(), ranks.to_string()]));
        arguments
    }

    fn label(&self) -> String {
        match self.ranks {
            Some(ranks) => format!("{}, {ranks} ranks", self.cycles),
            None => format!("{}, {} threads", self.cycles, self.threads),
        }
    }
}

impl LtlOptions {
    fn ways(&self) -> Vec<Way<'_>> {
        let mut ways = Vec::new();
        for cycles in &self.cycles {
            let counts: &[u32] = match cycles.as_str() {
                "ndfs" | "scc" => &[1],
                "dual-core" => &[2],
                "cndfs" => &self.threads,
                _ => {
                    ways.extend(self.ranks.iter().map(|&ranks| Way { cycles, threads: 1, ranks: Some(ranks) }));
                    continue;
                }
            };
            ways.extend(counts.iter().map(|&threads| Way { cycles, threads, ranks: None }));
        }
        ways
    }
}

fn answers(folder: &Path) -> Result<Vec<Answer>, Failure> {
    let table = folder.join("ltl_answers.tsv");
    let text = std::fs::read_to_string(&table).map_err(|error| format!("`{}`: {error}", table.display()))?;
    let rows = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    rows.map(|line| {
        let mut fields = line.split('\t');
        let (Some(name), Some(_), Some(answer)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(format!("`{}` has a line that is none: {line}", table.display()));
        };
        Ok(Answer {
            model: folder.join(name),
            name: name.trim_end_matches(".dve").to_owned(),
            holds: answer.trim() == "holds",
        })
    })
    .collect()
}

pub fn run(workspace: &Workspace, options: &LtlOptions) -> Result<(), Failure> {
    let Some(folder) = workspace.corpus("beem") else { return Ok(()) };
    let mut answers = answers(&folder)?;
    answers.retain(|answer| options.filter.as_ref().is_none_or(|part| answer.name.contains(part)));
    if answers.is_empty() {
        return Err("no property is left to check; see --filter".to_owned());
    }
    let checker = Checker {
        binary: workspace.release_binary(options.files.dampf.as_deref())?,
        max_time: options.max_time.clone(),
        hard_limit: Some(time(&options.max_time)? + GRACE),
    };
    let width = answers.iter().map(|answer| answer.name.len()).max().unwrap_or(0);
    let (mut runs, mut late, mut problems, mut told) = (0, 0, Vec::new(), Vec::new());
    for (number, answer) in answers.iter().enumerate() {
        let mut states = None;
        for way in options.ways() {
            runs += 1;
            match checked(&checker, answer, &way) {
                Ok(checked) if checked.verdict == "unknown" => late += 1,
                Ok(checked) => {
                    let counts = (checked.counts.states, checked.counts.transitions);
                    if (checked.verdict == "verified") != answer.holds {
                        problems.push(format!("{}: {}: {}", answer.name, way.label(), checked.verdict));
                    } else if answer.holds && *states.get_or_insert(counts) != counts {
                        problems.push(format!("{}: {}: {counts:?}, not {states:?}", answer.name, way.label()));
                    }
                }
                Err(failure) => problems.push(format!("{}: {}: {failure}", answer.name, way.label())),
            }
        }
        let said = if answer.holds { "holds" } else { "violated" };
        let size = states.map_or(String::new(), |(states, _)| format!("  {} states", grouped(states)));
        println!("[{:>2}/{}] {:width$}  {said}{size}", number + 1, answers.len(), answer.name);
        told.push(json!({ "name": answer.name, "holds": answer.holds, "states": states.map(|(states, _)| states) }));
    }
    options.files.write(|| json!({ "properties": told, "runs": runs, "out_of_time": late, "problems": problems }))?;
    println!("{runs} runs, {late} not within {}, {} wrong", options.max_time, problems.len());
    if problems.is_empty() { Ok(()) } else { Err(format!("not as they should be:\n{}", problems.join("\n"))) }
}

fn checked(checker: &Checker, answer: &Answer, way: &Way) -> Result<Checked, Failure> {
    let mut command = Command::new(&checker.binary);
    command.arg("check").arg(&answer.model).args(["--progress", "never", "--json", "-"]);
    command.args(["--max-time", &checker.max_time]).args(way.arguments());
    checker.summary(&mut command)
}
