//! `cargo xtask corpus reduction`: partial-order reduction finds what there is to find, in every search.
//!
//! Each model is searched without reduction, then with it, breadth-first and depth-first, predictably, on disk, with
//! two threads and on three ranks. Verdicts and kinds of faults must be those of the first search. The reduced graph is
//! one graph, so all searches of it must have the same number of states; but what a search refutes before it restarts
//! depends on its order, so that those which restarted may have explored different models in the end.

use super::case::{Case, Expected};
use super::{beem, notes, promela};
use crate::Failure;
use crate::checker::{Checked, Checker, Setting};
use crate::figures::grouped;
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use serde_json::{Value, json};
use std::path::Path;

#[derive(Args, Debug)]
pub struct ReductionOptions {
    /// Leave out models with more states
    #[arg(long, value_name = "N", default_value = "1000000")]
    max_states: u64,

    /// Only models with this in their name
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,

    /// Only the first way to search with reduction, for figures
    #[arg(long)]
    once: bool,

    /// `por-always` reduces where it gains nothing, too; `por` leaves that to the checker
    #[arg(long, value_name = "KIND", default_value = "por-always")]
    reduce: String,

    /// A single run that takes longer has failed
    #[arg(long, value_name = "TIME", default_value = "10m")]
    max_time: String,

    #[command(flatten)]
    files: FileOptions,
}

/// A way to search: what it is called, the store, the number of threads, further options.
struct Way {
    name: &'static str,
    store: &'static str,
    threads: usize,
    arguments: &'static [&'static str],
}

const WAYS: &[Way] = &[
    Way { name: "breadth-first", store: "tree", threads: 1, arguments: &[] },
    Way { name: "breadth-first, 2 threads", store: "tree", threads: 2, arguments: &[] },
    Way { name: "depth-first", store: "tree", threads: 1, arguments: &["--search", "dfs"] },
    Way { name: "depth-first, 2 threads", store: "exact", threads: 2, arguments: &["--search", "dfs"] },
    Way { name: "predictable, 2 threads", store: "tree", threads: 2, arguments: &["--deterministic"] },
    Way { name: "on disk", store: "disk", threads: 1, arguments: &[] },
    Way { name: "3 ranks", store: "tree", threads: 1, arguments: &["--ranks", "3"] },
];

/// What came of a model.
struct Compared {
    full: Checked,
    reduced: Vec<(&'static str, Checked)>,
    problems: Vec<String>,
}

pub fn run(workspace: &Workspace, options: &ReductionOptions) -> Result<(), Failure> {
    let mut cases = cases(workspace)?;
    cases.retain(|case| options.filter.as_ref().is_none_or(|part| case.name.contains(part)));
    cases.retain(|case| case.expected.states.is_none_or(|states| states <= options.max_states));
    let checker = Checker {
        binary: workspace.release_binary(options.files.dampf.as_deref())?,
        max_time: options.max_time.clone(),
        hard_limit: None,
    };
    let ways = if options.once { &WAYS[..1] } else { WAYS };
    let width = cases.iter().map(|case| case.name.len()).max().unwrap_or(0);
    let (mut compared, mut left_out) = (Vec::new(), 0);
    for case in &cases {
        match compare(case, &checker, ways, options) {
            Some(result) => {
                print!("{}", result.lines(&case.name, width));
                compared.push((case, result));
            }
            None => left_out += 1,
        }
    }
    options.files.write(|| {
        let models: Vec<Value> = compared.iter().map(|(case, result)| result.json(&case.name)).collect();
        json!({ "models": models })
    })?;
    let failed: Vec<&str> =
        compared.iter().filter(|(_, result)| !result.problems.is_empty()).map(|(case, _)| case.name.as_str()).collect();
    let smaller = compared.iter().filter(|(_, result)| result.is_smaller()).count();
    println!(
        "{} models agree, {} differ, {smaller} have fewer states; {left_out} have no answer without reduction, or \
         more than {} states",
        compared.len() - failed.len(),
        failed.len(),
        grouped(options.max_states)
    );
    match failed.is_empty() {
        true if compared.is_empty() => Err("no model is left to compare; see --filter and --max-states".to_owned()),
        true => Ok(()),
        false => Err(format!("reduction changes the answer: {}", failed.join(", "))),
    }
}

/// All models that there are, with what is asked about them.
fn cases(workspace: &Workspace) -> Result<Vec<Case>, Failure> {
    let mut cases = Vec::new();
    if let Some(folder) = workspace.corpus("beem") {
        cases.extend(beem::cases(&folder)?);
    }
    for language in ["dve", "dmc"] {
        // What a model says of its size is said of the whole graph.
        let own = notes::cases(&workspace.root.join("models").join(language), language)?;
        cases.extend(own.into_iter().map(|case| Case { expected: Expected::default(), ..case }));
    }
    cases.extend(promela::all(&workspace.root.join("models/promela"), "models/")?);
    if let Some(folder) = workspace.corpus("promela") {
        cases.extend(promela::all(&folder, "promela/")?);
    }
    if Path::new(promela::EXAMPLES).is_dir() {
        cases.extend(promela::all(Path::new(promela::EXAMPLES), "spin/")?);
    }
    Ok(cases)
}

/// None where there is nothing to compare with.
fn compare(case: &Case, checker: &Checker, ways: &'static [Way], options: &ReductionOptions) -> Option<Compared> {
    let limit = ["--max-states".to_owned(), options.max_states.to_string()];
    let arguments = [case.arguments.as_slice(), &limit, &["--reduce".to_owned(), "none".to_owned()]].concat();
    let full = checker.check(&case.model, &Setting::native("tree", 1), &arguments).ok()?;
    if full.verdict == "unknown" || full.frontier > 0 {
        return None;
    }
    let mut result = Compared { full, reduced: Vec::new(), problems: Vec::new() };
    for way in ways {
        let own = way.arguments.iter().map(|&argument| argument.to_owned());
        let reduction = ["--reduce".to_owned(), options.reduce.clone()];
        let arguments: Vec<String> = case.arguments.iter().cloned().chain(reduction).chain(own).collect();
        match checker.check(&case.model, &Setting::native(way.store, way.threads), &arguments) {
            Ok(checked) => {
                let differences = differences(&result.full, result.reduced.first().map(|(_, first)| first), &checked);
                result.problems.extend(differences.into_iter().map(|problem| format!("{}: {problem}", way.name)));
                result.reduced.push((way.name, checked));
            }
            Err(failure) => result.problems.push(format!("{}: {failure}", way.name)),
        }
    }
    Some(result)
}

/// How a search with reduction differs from the one without, and from the first one with it.
fn differences(full: &Checked, first: Option<&Checked>, reduced: &Checked) -> Vec<String> {
    let mut differences = Vec::new();
    if (&full.verdict, &full.faults) != (&reduced.verdict, &reduced.faults) {
        differences.push(format!(
            "{} {:?} {}, without reduction {} {:?}",
            reduced.verdict, reduced.faults, reduced.reason, full.verdict, full.faults
        ));
    }
    if reduced.counts.states > full.counts.states {
        differences.push(format!("{} states, without reduction {}", reduced.counts.states, full.counts.states));
    }
    let restarted = |first: &&Checked| first.rounds.max(reduced.rounds) > 1;
    if let Some(first) = first.filter(|first| first.counts.states != reduced.counts.states && !restarted(first)) {
        differences.push(format!("{} states, the first search {}", reduced.counts.states, first.counts.states));
    }
    differences
}

impl Compared {
    fn is_smaller(&self) -> bool {
        self.reduced.first().is_some_and(|(_, reduced)| reduced.counts.states < self.full.counts.states)
    }

    /// One line, and one more for each problem.
    fn lines(&self, name: &str, width: usize) -> String {
        let word = if self.problems.is_empty() { "ok" } else { "DIFFERS" };
        let mut text = format!("{word:<7} {name:<width$} {:>9}", grouped(self.full.counts.states));
        if let Some((_, reduced)) = self.reduced.first() {
            let share = reduced.counts.states as f64 * 100.0 / self.full.counts.states.max(1) as f64;
            let (before, after) = (self.full.usage.cpu.as_secs_f64(), reduced.usage.cpu.as_secs_f64());
            text.push_str(&format!(
                " {:>9} states {share:>6.1} % {before:>7.2} {after:>7.2} s {:<4} {:?}",
                grouped(reduced.counts.states),
                reduced.reduction,
                self.full.faults
            ));
        }
        text.push('\n');
        self.problems.iter().for_each(|problem| text.push_str(&format!("        {problem}\n")));
        text
    }

    fn json(&self, name: &str) -> Value {
        let figures = |checked: &Checked| {
            json!({
                "verdict": checked.verdict, "faults": checked.faults, "states": checked.counts.states,
                "transitions": checked.counts.transitions, "reduction": checked.reduction,
                "wall_seconds": checked.usage.wall.as_secs_f64(), "cpu_seconds": checked.usage.cpu.as_secs_f64(),
            })
        };
        let ways: Vec<Value> =
            self.reduced.iter().map(|(way, checked)| json!({ "way": way, "figures": figures(checked) })).collect();
        json!({ "model": name, "problems": self.problems, "full": figures(&self.full), "reduced": ways })
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
            reduction: "por".to_owned(),
            rounds: 1,
            usage: Usage { wall: Duration::from_secs(1), cpu: Duration::from_secs(1), peak_rss_bytes: 0 },
        }
    }

    #[test]
    fn fewer_states_with_the_same_faults_are_no_difference() {
        let full = checked(10, &["deadlock"]);
        assert!(differences(&full, None, &checked(5, &["deadlock"])).is_empty());
        assert!(differences(&full, Some(&checked(5, &["deadlock"])), &checked(5, &["deadlock"])).is_empty());
    }

    #[test]
    fn lost_faults_more_states_and_other_graphs_are_differences() {
        let full = checked(10, &["deadlock"]);
        assert_eq!(differences(&full, None, &checked(5, &[])).len(), 1);
        assert_eq!(differences(&full, None, &checked(11, &["deadlock"])).len(), 1);
        assert_eq!(differences(&full, Some(&checked(5, &["deadlock"])), &checked(6, &["deadlock"])).len(), 1);
    }
}
