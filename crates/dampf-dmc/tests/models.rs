//! The models under `models/dmc` against what they say of themselves, explored by a plain search.
//!
//! A line `//~` in a model states what is expected: `VERDICT verified` or `VERDICT violated KIND` without any
//! property, `STATES n` and `TRANSITIONS n` of its graph, `HOLDS expression` and `FAILS expression` of an
//! invariant. They speak of the model as it stands, or after `WITH KNOB=VALUE …:` of the model with those
//! constants. What is larger than `DAMPF_STATES_MAX` (by default small enough for every change) is left to the real
//! engines.

use dampf_core::{FaultKind, Model, Source, Successors, Worker};
use dampf_dmc::{parse_buchi, parse_expression, parse_with};
use dampf_gcl::{Backend, GclModel};
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};

/// What a model says of itself with certain knobs.
#[derive(Debug, Default)]
struct Expectation {
    knobs: Vec<(String, i64)>,
    verdict: Option<String>,
    states: Option<usize>,
    transitions: Option<usize>,
    holds: Option<String>,
    fails: Option<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The models with their texts, by name.
fn models() -> Vec<(String, String)> {
    let mut models = Vec::new();
    for entry in std::fs::read_dir(root().join("models/dmc")).expect("the models are there") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_some_and(|extension| extension == "dmc") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            models.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    models.sort();
    models
}

/// The `//~` lines, those without `WITH` gathered first.
fn expectations(text: &str) -> Vec<Expectation> {
    let mut expectations = vec![Expectation::default()];
    for line in text.lines().filter_map(|line| line.strip_prefix("//~")) {
        let mut rest = line.trim();
        if let Some((knobs, after)) = rest.strip_prefix("WITH ").and_then(|with| with.split_once(':')) {
            let knobs = knobs.split_whitespace().map(|knob| {
                let (name, value) = knob.split_once('=').expect("KNOB=VALUE");
                (name.to_string(), value.parse().expect("a number"))
            });
            expectations.push(Expectation { knobs: knobs.collect(), ..Expectation::default() });
            rest = after.trim();
        }
        let with_knobs = line.contains("WITH ");
        let target = if with_knobs { expectations.last_mut().unwrap() } else { &mut expectations[0] };
        if let Some(holds) = rest.strip_prefix("HOLDS ") {
            target.holds = Some(holds.to_string());
        } else if let Some(fails) = rest.strip_prefix("FAILS ") {
            target.fails = Some(fails.to_string());
        } else {
            let mut words = rest.split_whitespace();
            while let Some(word) = words.next() {
                let said = words.next().expect("a word after it");
                match word {
                    "VERDICT" if said == "violated" => {
                        target.verdict = Some(format!("violated {}", words.next().expect("a kind of fault")));
                    }
                    "VERDICT" => target.verdict = Some(said.to_string()),
                    "STATES" => target.states = Some(said.parse().expect("a number")),
                    "TRANSITIONS" => target.transitions = Some(said.parse().expect("a number")),
                    _ => panic!("what is {word}?"),
                }
            }
        }
    }
    expectations
}

#[derive(Debug, PartialEq, Eq)]
struct Explored {
    states: usize,
    transitions: usize,
    faults: Vec<FaultKind>,
}

/// All reachable states; `see` is shown each.
fn explore(model: &GclModel, mut see: impl FnMut(&[u32])) -> Explored {
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    worker.initial(&mut out);
    let mut visited: HashSet<Box<[u32]>> = HashSet::new();
    let mut frontier = VecDeque::new();
    let mut faults = Vec::new();
    let mut transitions = 0;
    for index in 0..out.len() {
        visited.insert(out.state(index).into());
        frontier.push_back(Box::from(out.state(index)));
    }
    while let Some(state) = frontier.pop_front() {
        see(&state);
        worker.successors(&state, &mut out);
        if out.is_empty() && !out.valid_end() {
            faults.push(FaultKind::Deadlock);
        }
        transitions += out.len();
        faults.extend(out.state_fault().map(|fault| fault.kind));
        for index in 0..out.len() {
            if let Some(fault) = out.fault(index) {
                faults.push(fault.kind);
            } else if !visited.contains(out.state(index)) {
                visited.insert(out.state(index).into());
                frontier.push_back(Box::from(out.state(index)));
            }
        }
    }
    faults.sort();
    faults.dedup();
    Explored { states: visited.len(), transitions, faults }
}

fn program(name: &str, text: &str, knobs: &[(String, i64)]) -> dampf_gcl::ir::Program {
    parse_with(Source::new(format!("{name}.dmc"), text), knobs)
        .unwrap_or_else(|diagnostics| panic!("{}", diagnostics.iter().map(|d| format!("{d}\n")).collect::<String>()))
}

fn states_max() -> usize {
    std::env::var("DAMPF_STATES_MAX").ok().and_then(|value| value.parse().ok()).unwrap_or(120_000)
}

#[test]
fn models_do_what_they_say() {
    for (name, text) in models() {
        for expectation in expectations(&text) {
            let program = program(&name, &text, &expectation.knobs);
            if expectation.states.is_some_and(|states| states > states_max()) {
                continue;
            }
            let condition = expectation.holds.as_ref().or(expectation.fails.as_ref());
            let invariant =
                condition.map(|text| parse_expression(&program, text).unwrap_or_else(|d| panic!("{name}: {d}")));
            let model = GclModel::new(program, Backend::Interpreter).unwrap();
            let mut held = true;
            let explored = explore(&model, |state| {
                if let Some(invariant) = &invariant {
                    held &= model.interpreter().evaluate(invariant, state) != Ok(0);
                }
            });
            println!("{name} {:?}: {explored:?}", expectation.knobs);
            let knobs = &expectation.knobs;
            if let Some(states) = expectation.states {
                assert_eq!(explored.states, states, "{name} {knobs:?}");
            }
            if let Some(transitions) = expectation.transitions {
                assert_eq!(explored.transitions, transitions, "{name} {knobs:?}");
            }
            if let Some(verdict) = &expectation.verdict {
                let found = explored.faults.iter().map(|kind| format!("violated {kind}")).collect::<Vec<_>>();
                let found = if found.is_empty() { vec!["verified".to_string()] } else { found };
                assert!(found.contains(verdict), "{name} {knobs:?} is {found:?}, not {verdict}");
            }
            assert!(held || expectation.holds.is_none(), "{name} {knobs:?}: {:?} does not hold", expectation.holds);
            assert!(!held || expectation.fails.is_none(), "{name} {knobs:?}: {:?} does not fail", expectation.fails);
        }
    }
}

#[test]
fn every_model_states_a_verdict() {
    let models = models();
    assert!(models.len() >= 10);
    for (name, text) in models {
        assert!(text.starts_with("// "), "{name} does not say what it is");
        assert!(expectations(&text)[0].verdict.is_some(), "{name} has no verdict");
    }
}

#[test]
fn the_automaton_of_incdec_watches_it() {
    let folder = root().join("models/dmc");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let program = program("incdec", &read("incdec.dmc"), &[]);
    let property = parse_buchi(&program, Source::new("incdec.buc", read("incdec.buc"))).unwrap();
    assert_eq!(property.locations.iter().map(|at| at.accepting).collect::<Vec<_>>(), [false, true]);
    assert_eq!(property.transitions.iter().map(|step| step.guard.is_some()).collect::<Vec<_>>(), [false, true, true]);
}

/// Models of the BEEM database and what they are here.
const BEEM: &[(&str, &str, &str)] = &[
    ("adding.1", "adding", ""),
    ("adding.2", "adding", "MAX=200"),
    ("adding.3", "adding", "MAX=300"),
    ("adding.4", "adding", "MAX=400"),
    ("adding.5", "adding", "MAX=500"),
    ("adding.6", "adding", "MAX=600"),
    ("bakery.1", "bakery", ""),
    ("bakery.2", "bakery", "N=2 MAX=6 ERROR=1"),
    ("bakery.3", "bakery", "N=3 MAX=4"),
    ("bakery.4", "bakery", "N=3 MAX=6 ERROR=1"),
    ("bakery.5", "bakery", "N=4 MAX=7"),
    ("bakery.6", "bakery", "N=4 MAX=5 ERROR=1"),
    ("elevator2.1", "elevator2", ""),
    ("elevator2.2", "elevator2", "N=10 SWEEP=0"),
    ("elevator2.3", "elevator2", "N=13"),
    ("fischer.1", "fischer", ""),
    ("fischer.2", "fischer", "N=4 PATIENCE=3"),
    ("fischer.3", "fischer", "N=6 PATIENCE=3"),
    ("fischer.4", "fischer", "N=7"),
    ("fischer.6", "fischer", "N=8"),
    ("hanoi.1", "hanoi", ""),
    ("hanoi.2", "hanoi", "N=12"),
    ("lamport.1", "lamport", ""),
    ("lamport.2", "lamport", "N=3 ERROR=1"),
    ("lamport.3", "lamport", "N=3 ERROR=2"),
    ("lamport.5", "lamport", "N=4"),
    ("lamport.6", "lamport", "N=4 ERROR=1"),
    ("leader_filters.1", "leader_filters", ""),
    ("leader_filters.2", "leader_filters", "N=3 ERROR=1"),
    ("leader_filters.3", "leader_filters", "N=4"),
    ("leader_filters.4", "leader_filters", "N=4 ERROR=2"),
    ("leader_filters.5", "leader_filters", "N=5"),
    ("phils.1", "philosophers", ""),
    ("phils.2", "philosophers_room", ""),
    ("phils.3", "philosophers", "N=6 LEFTHANDED=1"),
    ("phils.4", "philosophers_room", "N=9 SEATS=7"),
    ("phils.5", "philosophers", "N=12"),
];

#[test]
fn stated_numbers_are_those_of_beem() {
    let path = root().join("../shared/corpora/beem/counts.tsv");
    let Ok(counts) = std::fs::read_to_string(&path) else {
        println!("skipped: no table of the BEEM database beside the project");
        return;
    };
    let models = models();
    for &(instance, name, knobs) in BEEM {
        let line = counts.lines().find(|line| line.split('\t').next() == Some(instance)).expect(instance);
        let number = |column| line.split('\t').nth(column).and_then(|text| text.parse::<usize>().ok());
        let text = &models.iter().find(|(model, _)| model == name).expect(name).1;
        let written = |knob: &(String, i64)| format!("{}={}", knob.0, knob.1);
        let stated = expectations(text)
            .into_iter()
            .find(|stated| stated.knobs.iter().map(written).collect::<Vec<_>>().join(" ") == knobs)
            .expect(instance);
        assert_eq!(stated.states, number(1), "{instance}");
        if let Some(transitions) = number(3) {
            assert_eq!(stated.transitions, Some(transitions), "{instance}");
        }
    }
}
