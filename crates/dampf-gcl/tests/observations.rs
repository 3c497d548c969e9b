//! What is observed of states, and which of them are accepting.

mod support;

use dampf_core::{Acceptance, Action, Model, Movers, Observations, Standing, Successors, Word, Worker};
use dampf_gcl::ir::*;
use dampf_gcl::{Backend, GclModel};
use support::*;

fn model(program: Program) -> GclModel {
    GclModel::new(program, Backend::Interpreter).expect("the program is supported")
}

/// How many processes are alive, and how many of them wait.
fn observed(model: &GclModel, state: &[Word]) -> (usize, usize) {
    let mut standings = Vec::new();
    GclModel::observe(&mut model.worker(), state, &mut standings);
    assert_eq!(standings.len(), model.mover_count());
    let count = |is: fn(&Standing) -> bool| standings.iter().filter(|standing| is(standing)).count();
    (count(|standing| standing.is_alive), count(|standing| standing.is_blocked))
}

/// Where a step leads.
fn after<M: Model>(model: &M, state: &[Word], action: Action) -> Vec<Word> {
    let mut steps = Successors::new(model.width());
    model.worker().successors(state, &mut steps);
    let index = steps.actions().iter().position(|label| *label == action).expect("the step can be taken");
    steps.state(index).to_vec()
}

#[test]
fn processes_end_and_wait() {
    let sender = process("S", 2, vec![transition(0, 1).send(0, vec![number(1)])]);
    let receiver = process("R", 2, vec![transition(0, 1).receive(0, vec![scalar(0)])]);
    let stuck = process("T", 2, vec![transition(0, 1).when(number(0))]);
    let variables = vec![variable("x", IntType::BIT, 0)];
    let model = model(program(variables, vec![channel("c", 2, &[IntType::BIT])], vec![sender, receiver, stuck]));
    let initial = model.interpreter().initial_state();
    assert_eq!(observed(&model, &initial), (3, 2));
    let sent = after(&model, &initial, Action(0));
    assert_eq!(observed(&model, &sent), (2, 1));
    let received = after(&model, &sent, Action(1));
    assert_eq!(observed(&model, &received), (1, 1));
}

#[test]
fn who_waits_for_a_timeout_is_blocked_only_while_others_move() {
    let waiting = process("W", 2, vec![transition(0, 1).when(read(0))]);
    let other = process("O", 2, vec![transition(0, 1)]);
    let mut program = program(vec![variable("timeout", IntType::BIT, 0)], vec![], vec![waiting, other]);
    program.timeout = Some(VariableId(0));
    let model = model(program);
    let initial = model.interpreter().initial_state();
    assert_eq!(observed(&model, &initial).1, 1);
    assert_eq!(observed(&model, &after(&model, &initial, Action(1))).1, 0);
}

#[test]
fn observations_agree_with_the_steps_of_random_programs() {
    for seed in 0..300 {
        let program = random_program(seed);
        if program.has_compound_steps {
            continue;
        }
        let model = model(program);
        let state = model.interpreter().initial_state();
        let mut steps = Successors::new(model.width());
        model.worker().successors(&state, &mut steps);
        let (alive, blocked) = observed(&model, &state);
        assert!(blocked <= alive, "seed {seed}");
        assert_eq!(blocked == alive, steps.is_empty(), "seed {seed}");
    }
}

#[test]
fn a_process_in_an_accepting_location_is_enough() {
    let mut accepting = process("P", 2, vec![transition(0, 1)]);
    accepting.locations[1].accepting = true;
    let model = model(program(vec![], vec![], vec![accepting, process("Q", 1, vec![])]));
    let initial = model.interpreter().initial_state();
    assert!(!model.is_accepting(&initial));
    assert!(model.is_accepting(&after(&model, &initial, Action(0))));
}
