//! What is said about the objects of steps is true of random programs.

mod support;

use dampf_core::{Action, Footprint, Footprints};
use dampf_gcl::ir::*;
use dampf_gcl::{Backend, GclModel};
use dampf_testkit::footprints::{self, Looked};
use dampf_testkit::random::Random;
use support::*;

/// Random programs; among those with compound steps, the ones whose atomic sequences cannot count for long.
fn programs() -> impl Iterator<Item = (u64, Program)> {
    let bits = |program: &Program| -> u32 {
        program.variables.iter().map(|variable| u32::from(variable.ty.bits) * variable.array.unwrap_or(1)).sum()
    };
    let programs = (0..12_000).map(|seed| (seed, random_program(seed)));
    programs.filter(move |(seed, program)| match program.has_compound_steps {
        true => bits(program) <= 16,
        false => *seed < 1_500,
    })
}

#[test]
fn random_programs_write_what_they_say_and_commute_where_they_say() {
    let (mut looked, mut compound) = (Looked::default(), Looked::default());
    for (seed, program) in programs() {
        let model = GclModel::new(program, Backend::Interpreter).expect("the program is supported");
        let found = footprints::check(&model, 40, &format!("seed {seed}"));
        *if model.program().has_compound_steps { &mut compound } else { &mut looked } += found;
    }
    println!("{looked:?}, with compound steps {compound:?}");
    assert!(looked.commuting > 10_000 && looked.conflicting > 10_000, "{looked:?}");
    assert!(compound.commuting > 500 && compound.conflicting > 500, "{compound:?}");
}

#[test]
fn random_programs_read_nothing_that_they_do_not_say() {
    let (mut looked, mut compound) = (Looked::default(), Looked::default());
    for (seed, program) in programs() {
        let model = GclModel::spacious(program).expect("the program is supported");
        let found = footprints::perturb(&model, 25, &mut Random::new(seed), &format!("seed {seed}"));
        *if model.program().has_compound_steps { &mut compound } else { &mut looked } += found;
    }
    println!("{looked:?}, with compound steps {compound:?}");
    assert!(looked.perturbed > 100_000, "{looked:?}");
    assert!(compound.perturbed > 1_000, "{compound:?}");
}

fn footprint(model: &GclModel, action: u64) -> (Vec<String>, Vec<String>) {
    let mut footprint = Footprint::default();
    model.footprint(&model.interpreter().initial_state(), Action(action), &mut footprint);
    let names = |objects: &[dampf_core::Object]| objects.iter().map(|object| model.object_name(*object)).collect();
    (names(&footprint.reads), names(&footprint.writes))
}

fn model(program: Program) -> GclModel {
    GclModel::new(program, Backend::Interpreter).expect("the program is supported")
}

#[test]
fn elements_are_told_apart_by_the_values_of_indices() {
    let first = process("P", 2, vec![transition(0, 1).does(vec![assign(element(0, read(1)), number(1))])]);
    let variables = vec![array("a", IntType::U8, vec![0; 3]), variable("i", IntType::U8, 2)];
    let model = model(program(variables, vec![], vec![first]));
    assert_eq!(
        footprint(&model, 0),
        (vec!["i".to_owned(), "the location of P".to_owned()], vec!["a[2]".to_owned(), "the location of P".to_owned()])
    );
}

#[test]
fn what_is_not_evaluated_is_not_read() {
    let either = binary(BinaryOp::Or, read(0), read(1));
    let waiting = process("P", 1, vec![transition(0, 0).when(either)]);
    let variables = vec![variable("x", IntType::U8, 1), variable("y", IntType::U8, 1)];
    let model = model(program(variables, vec![], vec![waiting]));
    assert_eq!(footprint(&model, 0), (vec!["x".to_owned(), "the location of P".to_owned()], vec![]));
}

#[test]
fn an_atomic_sequence_that_blocks_reads_why() {
    let atomic = process("A", 3, vec![transition(0, 1).leaves_to(0), transition(1, 2).when(read(0))]);
    let mut program = program(vec![variable("x", IntType::BIT, 0)], vec![], vec![atomic]);
    program.has_compound_steps = true;
    let location = "the location of A".to_owned();
    assert_eq!(footprint(&model(program), 0), (vec!["x".to_owned(), location.clone()], vec![location]));
}

#[test]
fn a_step_that_waits_for_a_timeout_reads_everything() {
    let waiting = process("P", 2, vec![transition(0, 1).when(read(0))]);
    let other = process("Q", 2, vec![]);
    let mut program = program(
        vec![variable("timeout", IntType::BIT, 0), variable("x", IntType::U8, 0)],
        vec![],
        vec![waiting, other],
    );
    program.timeout = Some(VariableId(0));
    let model = model(program);
    assert_eq!(footprint(&model, 0).0.len() as u64, model.object_numbers().count());
    assert_eq!(footprint(&model, 0).1, ["the location of P"]);
}

#[test]
fn a_faulty_step_commutes_with_nothing() {
    let quotient = binary(BinaryOp::Divide, number(1), read(1));
    let faulty = process("P", 2, vec![transition(0, 1).does(vec![assign(scalar(0), quotient)])]);
    let variables = vec![variable("x", IntType::U8, 0), variable("i", IntType::U8, 0)];
    let model = model(program(variables, vec![], vec![faulty]));
    assert_eq!(footprint(&model, 0).0, ["i", "the location of P"]);
    assert_eq!(footprint(&model, 0).1.len() as u64, model.object_numbers().count());
}
