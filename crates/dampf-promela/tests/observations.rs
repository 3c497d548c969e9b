//! What is observed of Promela models, and which states are accepting.

use dampf_core::{Acceptance, Model, Observations, Source, Standing, Successors, Word, Worker};
use dampf_gcl::model::Backend;
use dampf_promela::{Promela, PromelaModel};
use std::path::Path;

fn model(text: &str) -> PromelaModel {
    let mut none = |name: &str, _: &Path| Err(format!("no file {name}"));
    let model = dampf_promela::read(Source::new("test.pml", text), &[], &mut none).expect("a readable text");
    let mut promela = Promela::new(&model).expect("a model that is understood");
    promela.explore().expect("a model that can be explored");
    promela.model(Backend::Interpreter, true).expect("a model")
}

/// The states of a run that always takes the first step.
fn first_run(model: &PromelaModel, steps_max: usize) -> Vec<Vec<Word>> {
    let (mut worker, mut steps) = (model.worker(), Successors::new(model.width()));
    worker.initial(&mut steps);
    let mut states = vec![steps.state(0).to_vec()];
    for _ in 0..steps_max {
        worker.successors(&states[states.len() - 1], &mut steps);
        match steps.is_empty() {
            true => break,
            false => states.push(steps.state(0).to_vec()),
        }
    }
    states
}

#[test]
fn processes_come_and_go_and_messages_are_under_way() {
    let model = model("chan c = [2] of { byte }; proctype P() { c!1; c?2 } init { run P(); false }");
    let (mut worker, mut standings) = (model.worker(), Vec::new());
    let observed: Vec<(usize, usize)> = first_run(&model, 10)
        .iter()
        .map(|state| {
            PromelaModel::observe(&mut worker, state, &mut standings);
            let count = |is: fn(&Standing) -> bool| standings.iter().filter(|standing| is(standing)).count();
            (count(|standing| standing.is_alive), count(|standing| standing.is_blocked))
        })
        .collect();
    assert_eq!(observed, [(1, 0), (2, 1), (2, 2)]);
}

#[test]
fn a_process_at_an_accept_label_is_enough() {
    let model = model("bit x; active proctype P() { x = 1; accept_here: x = 0; x = 1; false } ");
    let accepting: Vec<bool> = first_run(&model, 10).iter().map(|state| model.is_accepting(state)).collect();
    assert_eq!(accepting, [false, true, false, false]);
}
