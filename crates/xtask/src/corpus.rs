//! Whole collections of models, checked in every way there is, against known counts.
//!
//! The numbers of a run must be those of the table and, where the table has none, those of the other runs: they
//! may depend neither on the store nor on the number of threads nor on who computes the successors.

mod beem;
mod case;
mod ltl;
mod notes;
pub mod promela;
mod ranks;
mod reduction;

use crate::Failure;
use crate::checker::{Checker, Setting};
use crate::workspace::{FileOptions, Workspace};
use case::{Case, Examined};
use clap::{Args, Subcommand};
use ltl::LtlOptions;
use promela::PromelaOptions;
use ranks::RanksOptions;
use reduction::ReductionOptions;
use serde_json::json;

#[derive(Subcommand, Debug)]
pub enum Corpus {
    /// The BEEM models in ../shared/corpora/beem, with the counts of its counts.tsv
    ///
    /// Compares states everywhere, and transitions and breadth-first levels where the table has them. The levels
    /// of the table count the initial state as one, so they are the `depth` of the checker's summary plus one.
    Beem(CorpusOptions),
    /// The models in models/dve, with what they say of themselves
    Dve(CorpusOptions),
    /// The models in models/dmc, with what they say of themselves, in all their sizes
    Dmc(CorpusOptions),
    /// The Promela models in ../shared/corpora/promela and the examples of SPIN's package, with what SPIN says of them
    ///
    /// Compares states and kinds of faults: SPIN searches everything, without reductions and past all errors. Its
    /// answers are kept in target/spin/answers.
    Promela(PromelaOptions),
    /// All these and some programs on several ranks, with every strategy there is, against the search without ranks
    ///
    /// Compares verdicts, states and transitions; depth and number of faults where the strategy keeps them.
    Ranks(RanksOptions),
    /// Properties of the BEEM models with the answers of its ltl_answers.tsv, with every search for cycles
    ///
    /// Compares verdicts, and states and transitions where a property holds.
    Ltl(LtlOptions),
    /// All models with and without partial-order reduction, in every kind of search
    ///
    /// Compares verdicts and kinds of faults with the search without reduction, and the states of all searches with
    /// it among each other.
    Reduction(ReductionOptions),
}

#[derive(Args, Debug)]
pub struct CorpusOptions {
    /// Numbers of threads to search with
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,

    /// Stores to keep the states in
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', default_value = "tree,exact")]
    stores: Vec<String>,

    /// Leave out what is known to have more states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,

    /// Only instances with this in their name
    #[arg(long, value_name = "NAME")]
    filter: Option<String>,

    /// Also compare with the interpreter where fewer states are expected
    #[arg(long, value_name = "N", default_value = "500000")]
    interpreter_below: u64,

    /// A single run that takes longer has failed
    #[arg(long, value_name = "TIME", default_value = "30m")]
    max_time: String,

    #[command(flatten)]
    files: FileOptions,
}

impl CorpusOptions {
    fn wants(&self, case: &Case) -> bool {
        self.filter.as_ref().is_none_or(|part| case.name.contains(part))
            && self.max_states.is_none_or(|limit| case.expected.states.is_none_or(|states| states <= limit))
    }

    /// How a case is checked; the first way is the one that the others are compared with.
    fn settings(&self, case: &Case) -> Vec<Setting> {
        let mut settings = Vec::new();
        for store in &self.stores {
            for &threads in &self.threads {
                settings.push(Setting::native(store, threads));
            }
        }
        if let Some(first) = settings.first()
            && case.expected.states.is_some_and(|states| states < self.interpreter_below)
        {
            settings.push(Setting { backend: "interpreter", ..first.clone() });
        }
        settings
    }
}

pub fn run(workspace: &Workspace, corpus: &Corpus) -> Result<(), Failure> {
    let (options, cases) = match corpus {
        Corpus::Beem(options) => match workspace.corpus("beem") {
            Some(folder) => (options, beem::cases(&folder)?),
            None => return Ok(()),
        },
        Corpus::Dve(options) => (options, notes::cases(&workspace.root.join("models/dve"), "dve")?),
        Corpus::Dmc(options) => (options, notes::cases(&workspace.root.join("models/dmc"), "dmc")?),
        Corpus::Promela(options) => return promela::run(workspace, options),
        Corpus::Ranks(options) => return ranks::run(workspace, options),
        Corpus::Ltl(options) => return ltl::run(workspace, options),
        Corpus::Reduction(options) => return reduction::run(workspace, options),
    };
    let cases: Vec<Case> = cases.into_iter().filter(|case| options.wants(case)).collect();
    if cases.is_empty() {
        return Err("no instance is left to check; see --filter and --max-states".to_owned());
    }
    let checker = Checker {
        binary: workspace.release_binary(options.files.dampf.as_deref())?,
        max_time: options.max_time.clone(),
        hard_limit: None,
    };
    let name_width = cases.iter().map(|case| case.name.len()).max().unwrap_or(0);
    let mut examined = Vec::new();
    for case in &cases {
        let result = case.examine(&checker, &options.settings(case));
        print!("{}", result.line(&case.name, name_width));
        examined.push((case, result));
    }
    options.files.write(|| {
        let instances: Vec<_> = examined.iter().map(|(case, result)| result.json(&case.name)).collect();
        json!({ "instances": instances })
    })?;
    conclude(&examined)
}

/// Counts, and fails where an instance differs.
fn conclude(examined: &[(&Case, Examined)]) -> Result<(), Failure> {
    let differing = examined.iter().filter(|(_, result)| !result.problems.is_empty());
    let failed: Vec<&str> = differing.map(|(case, _)| case.name.as_str()).collect();
    println!("{} passed, {} failed", examined.len() - failed.len(), failed.len());
    if failed.is_empty() { Ok(()) } else { Err(format!("not as they should be: {}", failed.join(", "))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use case::Expected;
    use std::path::PathBuf;

    #[test]
    fn a_difference_fails_the_whole() {
        let case = |name: &str| Case {
            name: name.to_owned(),
            model: PathBuf::new(),
            arguments: Vec::new(),
            expected: Expected::default(),
        };
        let (good, bad) = (case("a.1"), case("a.2"));
        let result = |problems: &[&str]| Examined {
            runs: Vec::new(),
            problems: problems.iter().map(|&problem| problem.to_owned()).collect(),
        };
        let examined = [(&good, result(&[])), (&bad, result(&["9 states, expected 10"]))];
        assert_eq!(conclude(&examined), Err("not as they should be: a.2".to_owned()));
        assert_eq!(conclude(&examined[..1]), Ok(()));
    }
}
