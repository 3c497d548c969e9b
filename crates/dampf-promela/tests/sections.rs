//! The sections of a model's states: processes, variables and channels by the names that people know.

use dampf_core::{Describe, Model, Sections, Source, Successors, Word, Worker};
use dampf_gcl::model::Backend;
use dampf_promela::{Promela, PromelaModel};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

const TEXT: &str = "
mtype = { red, green };
byte total;
bool flags[2];
chan shared = [2] of { byte, mtype };

proctype Worker(byte number) {
    byte mine;
    chan own = [1] of { byte };
    atomic { shared!number, green; mine = number + 1 };
    own!mine;
    own?mine;
    flags[number] = true;
    total = total + mine
}

active proctype Watcher() {
    byte seen;
    mtype colour;
    shared?seen, colour;
    total = total + seen
}

init {
    run Worker(0);
    run Worker(1)
}
";

fn model(text: &str) -> PromelaModel {
    let mut none = |name: &str, _: &Path| Err(format!("no file {name}"));
    let model = dampf_promela::read(Source::new("sections.pml", text), &[], &mut none);
    let model = model.unwrap_or_else(|problems| panic!("{}", problems[0]));
    let mut promela = Promela::new(&model).unwrap_or_else(|problems| panic!("{}", problems[0]));
    promela.explore().expect("a model that is supported");
    promela.model(Backend::Interpreter, false).expect("a model that is supported")
}

fn explore(model: &PromelaModel) -> Vec<Vec<Word>> {
    let (mut worker, mut next) = (model.worker(), Successors::new(model.width()));
    worker.initial(&mut next);
    let mut found = vec![next.state(0).to_vec()];
    let mut seen: HashSet<Vec<Word>> = found.iter().cloned().collect();
    let mut at = 0;
    while at < found.len() {
        worker.successors(&found[at], &mut next);
        let states = (0..next.len()).filter(|index| next.leads_on(*index)).map(|index| next.state(index).to_vec());
        found.extend(states.filter(|state| seen.insert(state.clone())));
        at += 1;
    }
    found
}

fn within(state: &[Word], mask: &[Word]) -> Vec<Word> {
    state.iter().zip(mask).map(|(word, mask)| word & mask).collect()
}

#[test]
fn sections_have_the_names_that_people_know() {
    let model = model(TEXT);
    let mut names = model.sections();
    names.retain(|name| !name.starts_with('_') && name != "timeout");
    let expected = [
        "Watcher:0",
        "init:1",
        "Worker:2",
        "Worker:3",
        "total",
        "flags",
        "Watcher:0.seen",
        "Watcher:0.colour",
        "Worker:2.number",
        "Worker:2.mine",
        "Worker:3.number",
        "Worker:3.mine",
        "shared",
        "Worker:2.own",
        "Worker:3.own",
    ];
    assert_eq!(names, expected);
    for unknown in ["", "Worker", "len(shared)", "shared.0", "Worker:2.len(own)", "Worker:9"] {
        assert_eq!(model.section(unknown), None, "{unknown}");
    }
}

#[test]
fn sections_are_what_people_see_of_a_state() {
    let model = model(TEXT);
    let states = explore(&model);
    assert!(states.len() > 50, "{} states", states.len());
    let names = model.sections();
    let masks: BTreeMap<&str, Vec<Word>> =
        names.iter().map(|name| (name.as_str(), model.section(name).expect("a section that is listed"))).collect();
    let all: Vec<Word> = (0..model.width()).map(|at| masks.values().fold(0, |all, mask| all | mask[at])).collect();
    let described: Vec<BTreeMap<String, String>> = states
        .iter()
        .map(|state| model.describe_state(state).into_iter().map(|binding| (binding.name, binding.value)).collect())
        .collect();
    for (left, left_state) in states.iter().enumerate() {
        assert_eq!(within(left_state, &all), *left_state, "every bit belongs to a section");
        for right in (0..states.len()).step_by(3) {
            for (name, value) in &described[left] {
                let Some(other) = described[right].get(name) else { continue };
                let mask = &masks[name.as_str()];
                let same_bits = within(left_state, mask) == within(&states[right], mask);
                assert!(!same_bits || value == other, "{name} is {value} and {other}");
                // A process's section has its variables, too.
                let is_process = name.contains(':') && !name.contains('.');
                assert!(same_bits || value != other || is_process, "{name} is {value} twice");
            }
        }
    }
    // Local variables and channels belong to their process.
    for (name, mask) in &masks {
        if let Some((process, _)) = name.split_once('.') {
            assert_eq!(within(&masks[process], mask), *mask, "{name} is a part of {process}");
        }
    }
}
