//! Numbers of states and verdicts, as the models say them of themselves in lines that begin with `//~`.
//!
//! The numbers are SPIN's: `spin -o1 -o2 -o3 -a`, the verifier compiled with `-DSAFETY -DNOREDUCE` and run with `-c0`,
//! which goes on after errors. Every model is explored with the interpreter and with native code.

use dampf_core::{FaultKind, Model, Remark, Revise, Source, Successors, Worker};
use dampf_gcl::model::Backend;
use dampf_promela::{Promela, PromelaModel};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// What a model says of itself, with the definitions that are given on the command line.
struct Expected {
    definitions: Vec<(String, String)>,
    verdict: Option<FaultKind>,
    states: usize,
}

/// What a model says of itself as it stands, and in lines like `//~ WITH N=4: STATES 10` or `//~ WITH N=4: VERDICT
/// verified STATES 10` of itself with other definitions.
fn expected(text: &str) -> Vec<Expected> {
    let note = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("//~ ")?.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no line `//~ {name}`")).trim()
    };
    let verdict = |text: &str| match text.trim() {
        "verified" => None,
        other => match other.strip_prefix("violated ").and_then(FaultKind::from_name) {
            Some(kind) => Some(kind),
            None => panic!("no verdict: {other}"),
        },
    };
    let states = |text: &str| text.trim().parse().expect("a number of states");
    let usual = verdict(note("VERDICT"));
    let as_it_stands = Expected { definitions: Vec::new(), verdict: usual, states: states(note("STATES")) };
    let with = text.lines().filter_map(|line| line.strip_prefix("//~ WITH ")).map(|line| {
        let (definitions, said) = line.split_once(": ").expect("definitions and what is expected with them");
        let definition = |text: &str| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        let definitions = definitions.split(' ').map(|text| definition(text).expect("a definition")).collect();
        let (said, count) = said.split_once("STATES").expect("a number of states");
        let verdict = said.strip_prefix("VERDICT ").map_or(usual, verdict);
        Expected { definitions, verdict, states: states(count) }
    });
    [as_it_stands].into_iter().chain(with).collect()
}

fn read(path: &Path, definitions: &[(String, String)]) -> Promela {
    let text = std::fs::read_to_string(path).expect("a readable model");
    let mut none = |name: &str, _: &Path| Err(format!("no file {name}"));
    let model = dampf_promela::read(Source::new(path.display().to_string(), text), definitions, &mut none);
    let model = model.unwrap_or_else(|problems| panic!("{}", problems[0]));
    Promela::new(&model).unwrap_or_else(|problems| panic!("{}", problems[0]))
}

/// Explores everything behind faults, too: the number of states and the kinds of faults, or else what the model was not
/// prepared for.
fn explore(model: &PromelaModel) -> Result<(usize, BTreeSet<&'static str>), Vec<Revise>> {
    let mut worker = model.worker();
    let mut steps = Successors::new(model.width());
    worker.initial(&mut steps);
    let mut queue = vec![steps.state(0).to_vec()];
    let mut reached = HashSet::from([queue[0].clone()]);
    let mut kinds = BTreeSet::new();
    let mut next = 0;
    while next < queue.len() {
        worker.successors(&queue[next], &mut steps);
        let mut refuted = Vec::new();
        for remark in steps.remarks(true) {
            match remark {
                Remark::Fault { fault, .. } => {
                    kinds.insert(fault.kind.name());
                }
                Remark::Unsupported(unsupported) => panic!("{unsupported}"),
                Remark::Refuted(revise) => refuted.push(revise),
                Remark::Premise(_) | Remark::End => {}
            }
        }
        if !refuted.is_empty() {
            return Err(refuted);
        }
        for index in (0..steps.len()).filter(|&index| steps.fault(index).is_none()) {
            if reached.insert(steps.state(index).to_vec()) {
                queue.push(steps.state(index).to_vec());
            }
        }
        next += 1;
    }
    Ok((queue.len(), kinds))
}

fn check(path: &Path) {
    let text = std::fs::read_to_string(path).expect("a readable model");
    expected(&text).iter().for_each(|expected| check_with(path, expected));
}

fn check_with(path: &Path, expected: &Expected) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut promela = read(path, &expected.definitions);
    promela.explore().expect("a model that can be explored");
    for backend in [Backend::Interpreter, Backend::Native] {
        let (states, kinds) = loop {
            let model = promela.model(backend, true).expect("a model");
            match explore(&model) {
                Ok(found) => break found,
                Err(refuted) => assert!(promela.learn(&refuted), "{name}: nothing to learn"),
            }
        };
        assert_eq!(states, expected.states, "states of {name}, {backend:?}");
        let found: Vec<&str> = kinds.into_iter().collect();
        let wanted: Vec<&str> = expected.verdict.iter().map(|kind| kind.name()).collect();
        assert_eq!(found, wanted, "faults of {name}, {backend:?}");
    }
}

fn models(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "pml")).collect();
    paths.sort();
    paths
}

#[test]
fn the_example_models_have_the_states_that_spin_counts() {
    models("../../models/promela").iter().for_each(|path| check(path));
}

#[test]
fn the_protocols_of_distributed_searches_keep_their_promises() {
    models("../../models/self").iter().for_each(|path| check(path));
}

#[test]
fn what_differed_once_does_not_differ_any_more() {
    models("tests/regressions").iter().for_each(|path| check(path));
}
