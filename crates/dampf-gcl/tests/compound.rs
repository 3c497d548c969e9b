//! Compound steps and timeouts against a literal reading of their definition.

mod support;

use dampf_core::{Model, Successors, Word, Worker};
use dampf_gcl::ir::*;
use dampf_gcl::model::{Backend, GclModel};
use std::collections::{BTreeSet, HashSet};
use support::*;

/// What a state leads to: states, and the kinds of faults.
type Outcome = (BTreeSet<Vec<Word>>, BTreeSet<String>);

fn without_holder(model: &GclModel, state: &[Word]) -> Vec<Word> {
    let mut state = state.to_vec();
    model.layout().holder.iter().for_each(|holder| holder.set(&mut state, 0));
    state
}

fn set_timeout(model: &GclModel, state: &[Word], value: i32) -> Vec<Word> {
    let mut state = state.to_vec();
    model.timeout().iter().for_each(|timeout| timeout.set(&mut state, value));
    state
}

/// Follows the definition: take single steps of the holder until there is none, or it cannot move.
fn naive(model: &GclModel, state: &[Word]) -> Outcome {
    let mut steps = Successors::new(model.width());
    model.interpreter().successors(state, &mut steps);
    if steps.is_empty() && model.timeout().is_some() {
        model.interpreter().successors(&set_timeout(model, state, 1), &mut steps);
    }
    let (mut states, mut faults) = (BTreeSet::new(), BTreeSet::new());
    let mut pending = Vec::new();
    let mut seen = HashSet::new();
    collect(model, &steps, &mut pending, &mut states, &mut faults);
    while let Some(moment) = pending.pop() {
        if !seen.insert(moment.clone()) {
            continue;
        }
        let mut steps = Successors::new(model.width());
        match model.interpreter().successors(&moment, &mut steps) {
            true => collect(model, &steps, &mut pending, &mut states, &mut faults),
            false => {
                states.insert(without_holder(model, &moment));
            }
        }
    }
    (states, faults)
}

fn collect(
    model: &GclModel,
    steps: &Successors,
    pending: &mut Vec<Vec<Word>>,
    states: &mut BTreeSet<Vec<Word>>,
    faults: &mut BTreeSet<String>,
) {
    for index in 0..steps.len() {
        if let Some(fault) = steps.fault(index) {
            faults.insert(fault.to_string());
            continue;
        }
        let state = set_timeout(model, steps.state(index), 0);
        match model.interpreter().holder(&state) {
            Some(_) if model.program().has_compound_steps => pending.push(state),
            _ => {
                states.insert(state);
            }
        }
    }
}

fn found(steps: &Successors) -> Outcome {
    let states = (0..steps.len()).filter(|index| steps.fault(*index).is_none());
    let states = states.map(|index| steps.state(index).to_vec()).collect();
    (states, steps.faults().iter().map(|(_, fault)| fault.to_string()).collect())
}

#[test]
fn random_programs_take_the_compound_steps_that_the_definition_gives() {
    let mut composed = 0;
    for seed in 0..250 {
        let program = random_program(seed);
        if !program.has_compound_steps && program.timeout.is_none() {
            continue;
        }
        composed += 1;
        for backend in [Backend::Interpreter, Backend::Native] {
            let Ok(model) = GclModel::new(program.clone(), backend) else { continue };
            let mut worker = model.worker();
            let mut steps = Successors::new(model.width());
            worker.initial(&mut steps);
            let mut queue = vec![steps.state(0).to_vec()];
            let mut reached: HashSet<Vec<Word>> = queue.iter().cloned().collect();
            let mut next = 0;
            while next < queue.len() && next < 40 {
                let state = queue[next].clone();
                worker.successors(&state, &mut steps);
                assert_eq!(found(&steps), naive(&model, &state), "seed {seed}, {backend:?}");
                for index in 0..steps.len() {
                    let path = model.path(&state, steps.action(index));
                    assert!(!path.is_empty(), "seed {seed}: a step is made of something");
                    if steps.fault(index).is_none() && reached.insert(steps.state(index).to_vec()) {
                        queue.push(steps.state(index).to_vec());
                    }
                }
                next += 1;
            }
        }
    }
    assert!(composed > 30, "only {composed} programs have compound steps or timeouts");
}

#[test]
fn a_holder_in_a_circle_ends() {
    let circle = process("A", 2, vec![transition(0, 1).leaves_to(0), transition(1, 0).leaves_to(0), transition(1, 1)]);
    let program = Program { has_compound_steps: true, ..program(vec![], vec![], vec![circle]) };
    let model = GclModel::new(program, Backend::Native).expect("a model");
    let mut worker = model.worker();
    let mut steps = Successors::new(model.width());
    worker.initial(&mut steps);
    let initial = steps.state(0).to_vec();
    worker.successors(&initial, &mut steps);
    assert!(!steps.is_empty());
    assert!((0..steps.len()).all(|index| model.interpreter().holder(steps.state(index)).is_none()));
}

#[test]
fn a_joint_move_needs_both_processes_in_place() {
    let first = process("A", 2, vec![transition(0, 1).along(1, 1, 0)]);
    let second = process("B", 2, vec![transition(0, 1)]);
    let model = interpreter(program(vec![], vec![], vec![first, second]));
    let mut steps = Successors::new(model.layout().width);
    model.successors(&model.initial_state(), &mut steps);
    assert_eq!(steps.len(), 1, "only B can move");
    let state = steps.state(0).to_vec();
    model.successors(&state, &mut steps);
    assert_eq!(steps.len(), 1);
    let after = steps.state(0);
    assert_eq!([0, 1].map(|process| model.location(ProcessId(process), after)), [LocationId(1), LocationId(0)]);
}
