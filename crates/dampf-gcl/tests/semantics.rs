//! The meaning of programs, sentence by sentence of `ir.rs`.

mod support;

use dampf_core::{FaultKind, Source, Span, Successors, Word};
use dampf_gcl::Interpreter;
use dampf_gcl::ir::*;
use support::*;

/// The successors of a state.
fn successors(interpreter: &Interpreter, state: &[Word]) -> Successors {
    let mut out = Successors::new(interpreter.layout().width);
    interpreter.successors(state, &mut out);
    out
}

fn labels(out: &Successors) -> Vec<u64> {
    out.actions().iter().map(|action| action.0).collect()
}

/// The labels possible after taking `trail` from the initial state.
fn labels_after(interpreter: &Interpreter, trail: &[u64]) -> Vec<u64> {
    labels(&successors(interpreter, &state_after(interpreter, trail)))
}

fn state_after(interpreter: &Interpreter, trail: &[u64]) -> Vec<Word> {
    trail.iter().fold(interpreter.initial_state(), |state, label| {
        let out = successors(interpreter, &state);
        let index = out.actions().iter().position(|action| action.0 == *label).expect("the step is possible");
        assert_eq!(out.fault(index), None);
        out.state(index).to_vec()
    })
}

fn value(interpreter: &Interpreter, variable: u32, state: &[Word]) -> i32 {
    interpreter.layout().element(VariableId(variable), 0).get(state)
}

/// The values of scalars after a trail.
fn values_after(interpreter: &Interpreter, trail: &[u64], variables: &[u32]) -> Vec<i32> {
    let state = state_after(interpreter, trail);
    variables.iter().map(|variable| value(interpreter, *variable, &state)).collect()
}

fn fault_kinds(out: &Successors) -> Vec<(u64, FaultKind)> {
    out.faults().iter().map(|(index, fault)| (out.action(*index).0, fault.kind)).collect()
}

fn x(ty: IntType, initial: i32) -> Vec<Variable> {
    vec![variable("x", ty, initial)]
}

fn bytes(names: &[&str]) -> Vec<Variable> {
    names.iter().map(|name| variable(name, IntType::U8, 0)).collect()
}

fn set(variable: u32, value: i32) -> Vec<Effect> {
    vec![assign(scalar(variable), number(value))]
}

/// `1 / x == 1`: faults while x is 0.
fn inverse_of(variable: u32) -> Expr {
    let quotient = binary(BinaryOp::Divide, number(1), read(variable));
    binary(BinaryOp::Equal, quotient, number(1))
}

fn equals(variable: u32, value: i32) -> Expr {
    binary(BinaryOp::Equal, read(variable), number(value))
}

#[test]
fn operators_wrap_around_and_truncate() {
    use BinaryOp::*;
    let cases = [
        (Add, i32::MAX, 1, Some(i32::MIN)),
        (Subtract, i32::MIN, 1, Some(i32::MAX)),
        (Multiply, 1 << 30, 4, Some(0)),
        (Divide, -7, 2, Some(-3)),
        (Divide, i32::MIN, -1, Some(i32::MIN)),
        (Divide, 1, 0, None),
        (Remainder, -7, 2, Some(-1)),
        (Remainder, 7, -2, Some(1)),
        (Remainder, i32::MIN, -1, Some(0)),
        (Remainder, 1, 0, None),
        (ShiftLeft, 1, 33, Some(2)),
        (ShiftLeft, 1, -1, Some(i32::MIN)),
        (ShiftRight, -8, 1, Some(-4)),
        (ShiftRight, -8, 33, Some(-4)),
        (And, 2, 4, Some(1)),
        (Or, 0, -3, Some(1)),
        (BitAnd, 6, 3, Some(2)),
        (BitOr, 6, 3, Some(7)),
        (BitXor, 6, 3, Some(5)),
        (Less, -1, 0, Some(1)),
        (GreaterEqual, -1, 0, Some(0)),
        (NotEqual, 2, 2, Some(0)),
    ];
    for (op, left, right, expected) in cases {
        assert_eq!(op.apply(left, right), expected, "{left} {op:?} {right}");
    }
    assert_eq!(UnaryOp::Negate.apply(i32::MIN), i32::MIN);
    assert_eq!((UnaryOp::Not.apply(5), UnaryOp::Not.apply(0), UnaryOp::BitNot.apply(0)), (0, 1, -1));
}

#[test]
fn later_operands_are_evaluated_only_where_needed() {
    let model = interpreter(program(x(IntType::U8, 0), vec![], vec![]));
    let state = model.initial_state();
    let evaluate = |expr: &Expr| model.evaluate(expr, &state).map_err(|fault| fault.kind);
    assert_eq!(evaluate(&binary(BinaryOp::And, read(0), inverse_of(0))), Ok(0));
    assert_eq!(evaluate(&binary(BinaryOp::Or, equals(0, 0), inverse_of(0))), Ok(1));
    assert_eq!(evaluate(&binary(BinaryOp::And, inverse_of(0), read(0))), Err(FaultKind::DivisionByZero));
    let choice = |condition: Expr| Expr::Conditional(Box::new(condition), Box::new(number(7)), Box::new(inverse_of(0)));
    assert_eq!(evaluate(&choice(number(2))), Ok(7));
    assert_eq!(evaluate(&choice(number(0))), Err(FaultKind::DivisionByZero));
}

#[test]
fn stores_keep_the_low_bits() {
    let cases = [
        (IntType::U8, 257, 1),
        (IntType::U8, -1, 255),
        (IntType { bits: 3, signed: true }, 5, -3),
        (IntType::BIT, 2, 0),
        (IntType::I16, 40_000, -25_536),
        (IntType::I32, -5, -5),
    ];
    for (ty, stored, expected) in cases {
        let model =
            interpreter(program(x(ty, 0), vec![], vec![process("P", 1, vec![transition(0, 0).does(set(0, stored))])]));
        assert_eq!(values_after(&model, &[0], &[0]), [expected]);
    }
}

#[test]
fn successors_come_by_process_transition_and_receiver() {
    // A sends to B and C, B sends to A and C; labels number the pairs in order.
    let talker =
        |name: &str| process(name, 1, vec![transition(0, 0).send(0, vec![]), transition(0, 0).receive(0, vec![])]);
    let listener = process("C", 1, vec![transition(0, 0).receive(0, vec![]), transition(0, 0)]);
    let program = program(vec![], vec![channel("c", 0, &[])], vec![talker("A"), talker("B"), listener]);
    let partners: Vec<_> = program
        .actions()
        .iter()
        .map(|action| (action.process.0, action.partner.map(|(id, index)| (id.0, index))))
        .collect();
    let expected = [(0, Some((1, 1))), (0, Some((2, 0))), (1, Some((0, 1))), (1, Some((2, 0))), (2, None)];
    assert_eq!(partners, expected);
    let model = interpreter(program);
    assert_eq!(labels_after(&model, &[]), [0, 1, 2, 3, 4]);
}

#[test]
fn a_message_is_read_before_the_step_and_wrapped_on_its_way() {
    // S sends x + 256 + 7 over a field of 4 signed bits; S then changes x, R copies what it received.
    let fields = [IntType { bits: 4, signed: true }];
    let sent = binary(BinaryOp::Add, read(0), number(256 + 7));
    let send = transition(0, 0).send(0, vec![sent]).does(vec![assign(scalar(0), read(1))]);
    let receive = transition(0, 0).receive(0, vec![scalar(1)]).does(vec![assign(scalar(2), read(0))]);
    let variables = vec![variable("x", IntType::U8, 1), variable("y", IntType::U8, 0), variable("z", IntType::U8, 0)];
    let processes = vec![process("S", 1, vec![send]), process("R", 1, vec![receive])];
    let model = interpreter(program(variables, vec![channel("c", 0, &fields)], processes));
    // 264 is 8, which is -8 in four signed bits, which is 248 in a byte; the receiver's effect runs first.
    assert_eq!(values_after(&model, &[0], &[0, 1, 2]), [248, 248, 1]);
}

#[test]
fn targets_are_stored_from_left_to_right() {
    // The second target is indexed by what the first received.
    let send = transition(0, 0).send(0, vec![number(2), number(9)]);
    let receive = transition(0, 0).receive(0, vec![scalar(0), element(1, read(0))]);
    let variables = vec![variable("i", IntType::U8, 0), array("a", IntType::U8, vec![0, 0, 0])];
    let channels = |capacity| vec![channel("c", capacity, &[IntType::U8, IntType::U8])];
    let processes = vec![process("S", 1, vec![send]), process("R", 1, vec![receive])];
    for (capacity, trail) in [(0, &[0][..]), (1, &[0, 1])] {
        let model = interpreter(program(variables.clone(), channels(capacity), processes.clone()));
        let state = state_after(&model, trail);
        assert_eq!(model.layout().element(VariableId(1), 2).get(&state), 9);
    }
}

#[test]
fn a_senders_faulty_guard_is_one_step_wherever_the_receivers_are() {
    let send = transition(0, 0).when(inverse_of(0)).send(0, vec![]);
    let receive = |source| transition(source, 0).receive(0, vec![]);
    let processes = vec![
        process("S", 1, vec![send]),
        process("Q", 2, vec![receive(1)]),
        process("R", 1, vec![receive(0), transition(0, 0)]),
    ];
    let model = interpreter(program(bytes(&["x"]), vec![channel("c", 0, &[])], processes));
    let out = successors(&model, &model.initial_state());
    assert_eq!(labels(&out), [0, 2]);
    assert_eq!(fault_kinds(&out), [(0, FaultKind::DivisionByZero)]);
}

#[test]
fn a_receivers_faulty_guard_and_faulty_values_are_one_step_per_pair() {
    let send = |guard: i32| transition(0, 0).when(number(guard)).send(0, vec![inverse_of(0)]);
    let receive = |guard: Expr| transition(0, 0).when(guard).receive(0, vec![scalar(1)]);
    let processes = vec![
        process("S", 1, vec![send(1), send(0)]),
        process("Q", 1, vec![receive(inverse_of(0)), receive(number(1)), receive(number(0))]),
    ];
    let model = interpreter(program(bytes(&["x", "y"]), vec![channel("c", 0, &[IntType::U8])], processes));
    let out = successors(&model, &model.initial_state());
    assert_eq!(fault_kinds(&out), [(0, FaultKind::DivisionByZero), (1, FaultKind::DivisionByZero)]);
    assert_eq!(out.len(), 2);
}

#[test]
fn an_index_outside_the_array_is_a_fault_of_the_step() {
    let variables = vec![variable("i", IntType::I16, -1), array("a", IntType::U8, vec![0, 0])];
    let receive = transition(0, 0).receive(0, vec![element(1, read(0))]);
    let processes = vec![
        process("S", 1, vec![transition(0, 0).send(0, vec![number(1)])]),
        process("R", 1, vec![receive]),
        process(
            "T",
            1,
            vec![transition(0, 0).does(vec![assign(element(1, number(1)), Expr::Read(element(1, read(0))))])],
        ),
        process("U", 1, vec![transition(0, 0).does(vec![assign(element(1, read(0)), inverse_of(1))])]),
    ];
    let mut program = program(variables, vec![channel("c", 0, &[IntType::U8])], processes);
    for initial in [-1, 2] {
        program.variables[0].initial = vec![initial];
        let model = interpreter(program.clone());
        let out = successors(&model, &model.initial_state());
        let kind = FaultKind::IndexOutOfBounds;
        // The last one: an index is compared with the bounds before the value is evaluated.
        assert_eq!(fault_kinds(&out), [(0, kind), (1, kind), (2, kind)]);
    }
}

#[test]
fn buffers_are_queues_whose_free_slots_are_zero() {
    let send = |value| transition(0, 0).send(0, vec![number(value), number(-value)]);
    let receive = transition(0, 0).receive(0, vec![scalar(0), scalar(1)]);
    let fields = [IntType::U8, IntType { bits: 5, signed: true }];
    let processes = vec![process("S", 1, vec![send(5), send(300)]), process("R", 1, vec![receive])];
    let variables = vec![variable("x", IntType::I32, 0), variable("y", IntType::I32, 0)];
    let model = interpreter(program(variables, vec![channel("c", 2, &fields)], processes));
    assert_eq!(labels_after(&model, &[]), [0, 1]);
    assert_eq!(labels_after(&model, &[0]), [0, 1, 2]);
    assert_eq!(labels_after(&model, &[0, 1]), [2]);
    assert_eq!(values_after(&model, &[0, 1, 2], &[0, 1]), [5, -5]);
    // 300 is 44 in a byte; -300 is -12 in five signed bits.
    assert_eq!(values_after(&model, &[0, 1, 2, 2], &[0, 1]), [44, -12]);
    // The same contents are the same words, whatever was there before.
    let emptied = state_after(&model, &[0, 0, 2, 2]);
    assert_eq!(emptied, state_after(&model, &[1, 0, 2, 2]));
    let length = Expr::Length(ChannelId(0));
    assert_eq!(model.evaluate(&length, &state_after(&model, &[0, 1])), Ok(2));
}

#[test]
fn guards_come_before_the_channel_and_values_behind_it() {
    let refill = transition(0, 0).send(0, vec![number(1)]);
    let faulty_guard = transition(0, 0).when(inverse_of(0)).send(0, vec![number(1)]);
    let faulty_value = transition(0, 0).send(0, vec![inverse_of(0)]);
    let processes = vec![process("S", 1, vec![refill, faulty_guard, faulty_value])];
    let model = interpreter(program(bytes(&["x"]), vec![channel("c", 1, &[IntType::U8])], processes));
    let kind = FaultKind::DivisionByZero;
    assert_eq!(fault_kinds(&successors(&model, &model.initial_state())), [(1, kind), (2, kind)]);
    assert_eq!(fault_kinds(&successors(&model, &state_after(&model, &[0]))), [(1, kind)]);
}

#[test]
fn effects_see_the_new_locations_and_earlier_effects() {
    let at = |location| Expr::At(ProcessId(0), LocationId(location));
    let effects = vec![
        assign(scalar(0), at(1)),
        assign(scalar(1), binary(BinaryOp::Add, read(0), number(4))),
        assign(scalar(2), at(0)),
    ];
    let moving = transition(0, 1).when(at(0)).does(effects);
    let model = interpreter(program(bytes(&["x", "y", "z"]), vec![], vec![process("P", 2, vec![moving])]));
    assert_eq!(values_after(&model, &[0], &[0, 1, 2]), [1, 5, 0]);
}

#[test]
fn a_failing_effect_ends_the_step() {
    let assertion = Effect::Assert { condition: equals(0, 1), kind: FaultKind::Assertion, span: NOWHERE };
    let step = |value| transition(0, 0).does([set(0, value), vec![assertion.clone()], set(0, 0)].concat());
    let model = interpreter(program(bytes(&["x"]), vec![], vec![process("P", 1, vec![step(1), step(2)])]));
    let out = successors(&model, &model.initial_state());
    assert_eq!(labels(&out), [0, 1]);
    assert_eq!(fault_kinds(&out), [(1, FaultKind::Assertion)]);
}

#[test]
fn committed_processes_move_first() {
    let mut committed = process("C", 2, vec![transition(0, 1), transition(1, 0).send(0, vec![])]);
    committed.locations[1].committed = true;
    let other =
        process("P", 1, vec![transition(0, 0).receive(0, vec![]), transition(0, 0), transition(0, 0).send(1, vec![])]);
    let listener = process("L", 1, vec![transition(0, 0).receive(1, vec![])]);
    let processes = vec![committed, other, listener];
    let mut program = program(vec![], vec![channel("c", 0, &[]), channel("d", 0, &[])], processes);
    // The partner of a committed process must be committed too: here it never is.
    let model = interpreter(program.clone());
    assert_eq!(labels_after(&model, &[]), [0, 1, 2]);
    assert_eq!(labels_after(&model, &[0]), [0; 0]);
    program.processes[1].locations[0].committed = true;
    let model = interpreter(program.clone());
    assert_eq!(labels_after(&model, &[]), [2]);
    program.processes[1].locations[0].committed = false;
    // A committed process that cannot move blocks everybody.
    program.processes[1].transitions.remove(0);
    assert_eq!(labels_after(&interpreter(program), &[0]), []);
}

#[test]
fn the_holder_moves_alone_until_it_cannot() {
    let again = transition(1, 1).when(equals(0, 0)).does(set(0, 1)).leaves_to(0);
    let holder = process("A", 3, vec![transition(0, 1).leaves_to(0), again]);
    let other = process("B", 2, vec![transition(0, 1).does(set(0, 2)), transition(1, 0).does(set(0, 0))]);
    let model = interpreter(program(bytes(&["x"]), vec![], vec![holder, other]));
    assert_eq!(labels_after(&model, &[]), [0, 2]);
    assert_eq!(labels_after(&model, &[0]), [1]);
    // Blocked: the others go on, and what they do leaves no holder.
    assert_eq!(labels_after(&model, &[0, 1]), [2]);
    assert_eq!(labels_after(&model, &[0, 1, 2, 3]), [1, 2]);
    let held = state_after(&model, &[0, 1]);
    let free = state_after(&model, &[0, 1, 2, 3, 1, 2]);
    assert_eq!(model.holder(&held), Some(ProcessId(0)));
    assert_eq!(model.holder(&free), None);
}

#[test]
fn nobody_holds_the_system_initially() {
    let process_a = process("A", 1, vec![transition(0, 0).leaves_to(0)]);
    let model = interpreter(program(vec![], vec![], vec![process_a, process("B", 1, vec![transition(0, 0)])]));
    assert_eq!(labels_after(&model, &[]), [0, 1]);
    assert_eq!(labels_after(&model, &[0]), [0]);
}

#[test]
fn the_receiver_of_a_rendezvous_takes_the_system_over() {
    let sender = process("S", 2, vec![transition(0, 1).send(0, vec![]).leaves_to(0), transition(1, 0)]);
    let receiver = process("R", 2, vec![transition(0, 1).receive(0, vec![]).leaves_to(1), transition(1, 0)]);
    let other = process("T", 1, vec![transition(0, 0)]);
    let mut program = program(vec![], vec![channel("c", 0, &[])], vec![sender, receiver, other]);
    assert_eq!(labels_after(&interpreter(program.clone()), &[0]), [2]);
    program.processes[1].transitions[0].holder = None;
    assert_eq!(labels_after(&interpreter(program), &[0]), [1]);
}

#[test]
fn a_faulty_step_keeps_the_system_held() {
    let holder = process("A", 2, vec![transition(0, 1).leaves_to(0), transition(1, 0).when(inverse_of(0))]);
    let other = process("B", 1, vec![transition(0, 0)]);
    let model = interpreter(program(bytes(&["x"]), vec![], vec![holder, other]));
    let out = successors(&model, &state_after(&model, &[0]));
    assert_eq!(fault_kinds(&out), [(1, FaultKind::DivisionByZero)]);
    assert_eq!(out.len(), 1);
}

#[test]
fn commitment_comes_before_atomicity() {
    // A takes the system while B stands in a committed one: A cannot move, B can.
    let atomic = process("A", 3, vec![transition(0, 1).receive(0, vec![]).leaves_to(0), transition(1, 2)]);
    let mut committed = process("B", 2, vec![transition(0, 1).send(0, vec![]), transition(1, 0)]);
    committed.locations[1].committed = true;
    let model = interpreter(program(vec![], vec![channel("c", 0, &[])], vec![atomic, committed]));
    assert_eq!(labels_after(&model, &[1]), [2]);
}

#[test]
fn a_valid_end_has_every_process_at_an_end() {
    let mut first = process("A", 2, vec![transition(0, 1)]);
    let mut second = process("B", 1, vec![]);
    first.locations[1].end = true;
    second.locations[0].end = true;
    let mut program = program(vec![], vec![], vec![first, second]);
    let is_end = |program: &Program, trail: &[u64]| {
        let model = interpreter(program.clone());
        successors(&model, &state_after(&model, trail)).valid_end()
    };
    assert!(!is_end(&program, &[]));
    assert!(is_end(&program, &[0]));
    program.processes[1].locations[0].end = false;
    assert!(!is_end(&program, &[0]));
    program.processes.clear();
    assert!(!is_end(&program, &[]));
}

fn check(kind: FaultKind, condition: Expr, text: &str) -> Check {
    Check { kind, condition, text: text.to_owned(), span: None }
}

#[test]
fn the_first_failing_check_is_the_fault_of_the_state() {
    let up = transition(0, 0).does(vec![assign(scalar(0), binary(BinaryOp::Add, read(0), number(1)))]);
    let mut program = program(bytes(&["x"]), vec![], vec![process("P", 1, vec![up])]);
    let not_at = Expr::Unary(UnaryOp::Not, Box::new(Expr::At(ProcessId(0), LocationId(0))));
    program.checks = vec![
        check(FaultKind::Goal, equals(0, 2), "x == 2"),
        check(FaultKind::Invariant, binary(BinaryOp::Less, read(0), number(2)), "x  <\n 2"),
        check(FaultKind::Assertion, binary(BinaryOp::Or, not_at, equals(0, 0)), "x == 0"),
        check(FaultKind::Assertion, inverse_of(0), "1 / x == 1"),
    ];
    let model = interpreter(program);
    let message = |trail: &[u64]| {
        let out = successors(&model, &state_after(&model, trail));
        out.state_fault().map(|fault| fault.message.clone())
    };
    assert_eq!(message(&[]).as_deref(), Some("division by zero"));
    assert_eq!(message(&[0]).as_deref(), Some("assertion `x == 0` is violated in P.q0"));
    assert_eq!(message(&[0, 0]).as_deref(), Some("goal `x == 2` is reached"));
    assert_eq!(message(&[0, 0, 0]).as_deref(), Some("invariant `x < 2` is violated"));
}

#[test]
fn faults_name_their_object_and_place() {
    let text = "one\nx = a[x + 5] /\n   y; assert  y > 0;";
    let span = |part: &str| {
        let start = text.find(part).expect("the part is in the text");
        Span::new(start, start + part.len())
    };
    let indexed = Place { span: span("a[x + 5]"), ..element(2, binary(BinaryOp::Add, read(0), number(5))) };
    let division = Expr::Binary(BinaryOp::Divide, Box::new(number(1)), Box::new(read(1)), span("a[x + 5] /\n   y"));
    let assertion = Effect::Assert { condition: read(1), kind: FaultKind::Assertion, span: span("y > 0") };
    let step = |effect| transition(0, 0).does(vec![effect]);
    let transitions =
        vec![step(assign(scalar(0), Expr::Read(indexed))), step(assign(scalar(0), division)), step(assertion)];
    let mut variables = bytes(&["x", "y"]);
    variables.push(Variable { owner: Some(ProcessId(0)), ..array("a", IntType::U8, vec![0; 5]) });
    let mut program = program(variables, vec![], vec![process("P", 1, transitions)]);
    program.source = Source::new("m.gcl", text);
    let model = interpreter(program);
    let out = successors(&model, &model.initial_state());
    let faults: Vec<String> = out
        .faults()
        .iter()
        .map(|(_, fault)| format!("{}: {fault}", fault.location.as_ref().expect("the fault has a place")))
        .collect();
    assert_eq!(
        faults,
        [
            "m.gcl:2:5: index-out-of-bounds: an index of array `P.a` (5 elements) is out of bounds",
            "m.gcl:2:5: division-by-zero: division by zero in `a[x + 5] / y`",
            "m.gcl:3:15: assertion: assertion `y > 0` is violated",
        ]
    );
}
