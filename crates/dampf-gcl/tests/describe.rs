//! States, steps and blocked processes as people read them.

mod support;

use dampf_core::{Action, Describe, Model, Propositions, Source, Span, Successors, Worker};
use dampf_gcl::ir::*;
use dampf_gcl::{Backend, GclModel};
use support::*;

const TEXT: &str = "byte x;\nprocess S {\n q0 -> q1 { sync\n   c!x; },\n}\nprocess R {\n q0 -> q0 { sync c?y; }\n}\n";

fn span(part: &str) -> Span {
    let start = TEXT.find(part).expect("the part is in the text");
    Span::new(start, start + part.len())
}

fn model() -> GclModel {
    let send = Transition { span: span("q0 -> q1 { sync\n   c!x; }"), ..transition(0, 1).send(0, vec![read(0)]) };
    let buffer = transition(1, 1).send(1, vec![read(0), number(2)]);
    let guard = binary(
        BinaryOp::And,
        binary(BinaryOp::Less, read(0), number(9)),
        binary(BinaryOp::Equal, Expr::Read(element(2, binary(BinaryOp::Multiply, read(0), number(0)))), number(4)),
    );
    let guarded = transition(1, 0).when(guard);
    let receive = Transition { span: span("q0 -> q0 { sync c?y; }"), ..transition(0, 0).receive(0, vec![scalar(1)]) };
    let mut variables = vec![variable("x", IntType::U8, 3), variable("y", IntType::U8, 0)];
    variables[1].owner = Some(ProcessId(1));
    variables.push(array("a", IntType::U8, vec![1, 0, 3]));
    let channels = vec![channel("c", 0, &[IntType::U8]), channel("d", 2, &[IntType::U8, IntType::U8])];
    let processes = vec![process("S", 2, vec![send, buffer, guarded]), process("R", 1, vec![receive])];
    let mut program = program(variables, channels, processes);
    program.source = Source::new("m.dve", TEXT);
    program.processes[0].locations[1].span = span("q1");
    program.processes[1].locations[0].span = span("q0 -> q0");
    program.property = Some(Process {
        transitions: vec![Transition { span: span("byte x"), ..transition(0, 0).when(read(1)) }, transition(0, 0)],
        ..process("never", 1, vec![])
    });
    GclModel::new(program, Backend::Interpreter).expect("the program is supported")
}

/// The state after steps with these labels.
fn state_after(model: &GclModel, trail: &[u64]) -> Vec<u32> {
    let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
    worker.initial(&mut out);
    let mut state = out.state(0).to_vec();
    for label in trail {
        worker.successors(&state, &mut out);
        let index = out.actions().iter().position(|action| action.0 == *label).expect("the step is possible");
        state = out.state(index).to_vec();
    }
    state
}

fn state_text(model: &GclModel, trail: &[u64]) -> String {
    let bindings = model.describe_state(&state_after(model, trail));
    bindings.iter().map(|binding| format!("{}={}", binding.name, binding.value)).collect::<Vec<_>>().join(" ")
}

#[test]
fn states_list_locations_variables_and_buffers() {
    let model = model();
    assert_eq!(state_text(&model, &[]), "S=q0 R=q0 x=3 R.y=0 a=[1, 0, 3] d=[]");
    assert_eq!(state_text(&model, &[0, 1, 1]), "S=q1 R=q0 x=3 R.y=3 a=[1, 0, 3] d=[(3, 2), (3, 2)]");
}

#[test]
fn steps_show_who_moves_from_where_and_the_source() {
    let model = model();
    let step = model.describe_step(&state_after(&model, &[]), Action(0));
    assert_eq!((step.process.as_str(), step.function.as_str()), ("S, R", "q0"));
    assert_eq!(step.location.map(|location| location.line), Some(3));
    assert_eq!(step.text, "q0 -> q1 { sync c!x; } | q0 -> q0 { sync c?y; }");
}

#[test]
fn blocked_processes_say_what_they_wait_for() {
    let model = model();
    let blocked = model.describe_blocked(&state_after(&model, &[0, 1, 1]));
    assert_eq!(
        blocked,
        [
            "S at q1 (m.dve:3): channel `d` is full; `a[x * 0] == 4` is false",
            "R at q0 (m.dve:7): nobody sends for `c?R.y`",
        ]
    );
}

#[test]
fn the_guards_of_the_property_are_propositions() {
    let mut program = model().program().clone();
    let automaton = program.take_property().expect("there is a property");
    program
        .propositions
        .push(Proposition { text: "x is 3".to_owned(), condition: binary(BinaryOp::Equal, read(0), number(3)) });
    assert!(program.take_property().is_none(), "it was taken");
    let guards: Vec<usize> =
        automaton.locations.iter().flat_map(|location| &location.edges).map(|edge| edge.guard.len()).collect();
    assert_eq!(guards, [1, 0], "an edge without a guard can always be taken");
    let model = GclModel::new(program, Backend::Interpreter).expect("the interpreter takes every program");
    let (before, after) = (state_after(&model, &[]), state_after(&model, &[0]));
    assert_eq!(model.proposition_count(), 2);
    assert_eq!((model.proposition_name(0), model.proposition_name(1)), ("byte x", "x is 3"));
    let mut worker = model.worker();
    assert_eq!([0, 1].map(|proposition| GclModel::holds(&mut worker, proposition, &before)), [Ok(false), Ok(true)]);
    assert_eq!(GclModel::holds(&mut worker, 0, &after), Ok(true));
}

#[test]
fn expressions_are_printed_with_the_parentheses_they_need() {
    let model = model();
    let text = |expr: &Expr| dampf_gcl::expression_text(model.program(), expr);
    let sum = |left, right| binary(BinaryOp::Add, left, right);
    let difference = |left, right| binary(BinaryOp::Subtract, left, right);
    assert_eq!(text(&difference(number(1), difference(read(0), number(2)))), "1 - (x - 2)");
    assert_eq!(text(&difference(sum(number(1), read(0)), number(2))), "1 + x - 2");
    assert_eq!(text(&binary(BinaryOp::Multiply, sum(number(1), read(0)), number(-2))), "(1 + x) * -2");
    assert_eq!(text(&Expr::Unary(UnaryOp::Not, Box::new(sum(read(1), number(1))))), "!(R.y + 1)");
    let choice = |then| Expr::Conditional(Box::new(read(0)), Box::new(then), Box::new(Expr::Length(ChannelId(1))));
    assert_eq!(text(&sum(choice(number(1)), number(2))), "(x ? 1 : len(d)) + 2");
    assert_eq!(text(&Expr::At(ProcessId(0), LocationId(1))), "S.q1");
}
