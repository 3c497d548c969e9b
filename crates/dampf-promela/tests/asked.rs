//! Invariants and goals: what is asked about the states of a model.

use dampf_core::{FaultKind, Model, Remark, Revise, Source, Successors, Worker};
use dampf_gcl::model::Backend;
use dampf_promela::{Asked, Promela, PromelaModel};
use std::collections::HashSet;
use std::path::Path;

const MODEL: &str = "
    byte x, a[2];
    chan c = [2] of { byte, byte };
    proctype Child(byte n) { byte twice; twice = 2 * n; done: skip }
    active proctype P() {
        atomic { x = 9; x = 1 };
        a[x] = 3;
        c!x,a[1];
        run Child(x + 1);
        c?x,_;
        goto last;
        x = 7;
        last: goto leave;
        leave: x = 2
    }";

/// The number of states, and whether one of them violates the invariant or reaches the goal.
fn explored(kind: FaultKind, text: &str, backend: Backend) -> (usize, bool) {
    let mut no_files = |name: &str, _: &Path| Err(format!("no file {name}"));
    let model = dampf_promela::read(Source::new("test.pml", MODEL), &[], &mut no_files).expect("a model");
    let mut promela = Promela::asked(&model, &[Asked { kind, text }]).unwrap_or_else(|told| panic!("{}", told[0]));
    promela.explore().expect("a model that can be explored");
    loop {
        let model = promela.model(backend, true).expect("a model");
        match search(&model, kind) {
            Ok(found) => return found,
            Err(refuted) => assert!(promela.learn(&refuted), "{text}: nothing to learn"),
        }
    }
}

/// Explores all states, or says what the model was not prepared for.
fn search(model: &PromelaModel, kind: FaultKind) -> Result<(usize, bool), Vec<Revise>> {
    let mut worker = model.worker();
    let mut steps = Successors::new(model.width());
    worker.initial(&mut steps);
    let mut queue = vec![steps.state(0).to_vec()];
    let mut reached: HashSet<_> = queue.iter().cloned().collect();
    let (mut next, mut is_found) = (0, false);
    while next < queue.len() {
        worker.successors(&queue[next], &mut steps);
        for remark in steps.remarks(true) {
            match remark {
                Remark::Fault { fault, .. } => assert_eq!(fault.kind, kind, "{}", fault.message),
                Remark::Unsupported(unsupported) => panic!("{unsupported}"),
                Remark::Refuted(revise) => return Err(vec![revise]),
                Remark::Premise(_) | Remark::End => continue,
            }
            is_found = true;
        }
        for index in (0..steps.len()).filter(|index| steps.fault(*index).is_none()) {
            if reached.insert(steps.state(index).to_vec()) {
                queue.push(steps.state(index).to_vec());
            }
        }
        next += 1;
    }
    Ok((queue.len(), is_found))
}

/// SPIN's numbers. Where something outside refers to the label `last`, it is a state although a jump follows.
const STATES: usize = 17;
const STATES_WITH_LABEL: usize = 21;

fn asks(text: &str, states: usize, holds_always: bool, holds_ever: bool) {
    for backend in [Backend::Interpreter, Backend::Native] {
        assert_eq!(explored(FaultKind::Invariant, text, backend), (states, !holds_always), "{text}, {backend:?}");
        assert_eq!(explored(FaultKind::Goal, text, backend), (states, holds_ever), "{text}, {backend:?}");
    }
}

#[test]
fn variables_are_asked_about() {
    asks("x <= 2", STATES, true, true);
    asks("x < 2", STATES, false, true);
    asks("a[1] == 3 && a[x % 2] != 3", STATES, false, true);
    // The inside of an atomic sequence is no state.
    asks("x == 9", STATES, false, false);
}

#[test]
fn channels_are_asked_about() {
    asks("len(c) < 2", STATES, true, true);
    asks("empty(c)", STATES, false, true);
    asks("c?[1,3]", STATES, false, true);
    asks("c?[1,2]", STATES, false, false);
}

#[test]
fn other_processes_are_asked_about() {
    asks("_nr_pr <= 2", STATES, true, true);
    asks("Child:twice != 3", STATES, true, true);
    asks("Child[1]:twice == 4", STATES, false, true);
    asks("Child@done", STATES, false, true);
    asks("Child[1]@done && Child:twice == 0", STATES, false, false);
    asks("P[0]@last", STATES_WITH_LABEL, false, true);
}
