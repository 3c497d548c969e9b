//! What the program's own expressions say of the steps that are left: as they are written, and never too much where
//! that is promised.

mod support;

use dampf_core::{FaultKind, Model, Observations, Successors, Word, Worker};
use dampf_gcl::ir::*;
use dampf_gcl::patterns::Counted;
use dampf_gcl::{Backend, Estimate, GclModel};
use dampf_testkit::program::{self as random, Size};
use std::collections::HashMap;
use support::*;

/// All states, each with the steps to the nearest fault of the kinds that count: of a state, or of a step, which is one
/// step more. None for a model with more states than this.
fn distances(
    model: &GclModel,
    counts: impl Fn(FaultKind) -> bool,
    states_max: usize,
) -> Option<HashMap<Vec<Word>, u32>> {
    let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
    worker.initial(&mut out);
    let mut states: Vec<Vec<Word>> = out.states().map(<[Word]>::to_vec).collect();
    let mut numbers: HashMap<Vec<Word>, usize> = states.iter().cloned().zip(0..).collect();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); states.len()];
    let (mut faulty, mut nearly) = (Vec::new(), Vec::new());
    let mut next = 0;
    while next < states.len() {
        worker.successors(&states[next].clone(), &mut out);
        if out.unsupported().is_some() {
            return None;
        }
        let deadlock = out.is_empty() && !out.valid_end() && counts(FaultKind::Deadlock);
        if out.state_fault().is_some_and(|fault| counts(fault.kind)) || deadlock {
            faulty.push(next);
        }
        if out.faults().iter().any(|(_, fault)| counts(fault.kind)) {
            nearly.push(next);
        }
        for step in (0..out.len()).filter(|&step| out.leads_on(step)) {
            let target = *numbers.entry(out.state(step).to_vec()).or_insert_with_key(|state| {
                states.push(state.clone());
                before.push(Vec::new());
                states.len() - 1
            });
            before[target].push(next);
        }
        next += 1;
        if states.len() > states_max {
            return None;
        }
    }
    let mut distances = vec![u32::MAX; states.len()];
    let mut level = faulty;
    for distance in 0.. {
        let mut further = if distance == 0 { std::mem::take(&mut nearly) } else { Vec::new() };
        for state in level {
            if distances[state] == u32::MAX {
                distances[state] = distance;
                further.extend(&before[state]);
            }
        }
        if further.is_empty() {
            break;
        }
        level = further;
    }
    Some(states.into_iter().zip(distances).collect())
}

fn estimates(model: &GclModel, number: usize, state: &[Word]) -> u32 {
    GclModel::estimate(&mut model.worker(), number, state)
}

#[test]
fn bounds_and_patterns_are_never_too_much() {
    let (mut compared, mut informed) = (0, [0, 0, 0]);
    for seed in 0..250 {
        let program =
            random::random_program(seed, Size { processes: 3, locations: 4, transitions: 6, ..Size::default() });
        let counted = Counted { deadlocks: seed % 3 == 0, steps: seed % 2 == 0 };
        let some: Vec<String> =
            program.variables.first().map(|_| program.variable_name(VariableId(0))).into_iter().collect();
        let named = [some, vec![program.processes[0].name.clone()]].concat();
        let asked = [
            Estimate::FormulaBound,
            Estimate::Patterns { patterns: Vec::new(), counted },
            Estimate::Patterns { patterns: vec![named], counted },
        ];
        let Ok(model) = GclModel::new(program, Backend::Interpreter) else { continue };
        let model = model.estimating(&asked);
        let checked = |kind| matches!(kind, FaultKind::Assertion | FaultKind::Invariant | FaultKind::Goal);
        // A check without a value is a fault of the state, whatever its kind.
        let counts = |kind| match kind {
            FaultKind::Deadlock => counted.deadlocks,
            kind => checked(kind) || counted.steps,
        };
        let (Some(to_checks), Some(to_all)) = (distances(&model, checked, 3000), distances(&model, counts, 3000))
        else {
            continue;
        };
        compared += 1;
        for (number, distances) in [&to_checks, &to_all, &to_all].into_iter().enumerate() {
            for (state, distance) in distances {
                let estimate = estimates(&model, number, state);
                let context = || format!("seed {seed}, estimate {number}: {estimate} of {distance} in {state:?}");
                assert!(estimate <= *distance, "{}", context());
                informed[number] += u32::from(estimate > 0 && *distance != u32::MAX);
            }
        }
    }
    println!("{compared} programs, states with an estimate: {informed:?}");
    assert!(compared > 80 && informed.iter().all(|count| *count > 100), "{compared}, {informed:?}");
}

/// Two counters that are counted up to 5 and 3.
fn counters(condition: Expr) -> Program {
    let count = |counter: u32, until: i32| {
        let more = binary(BinaryOp::Add, read(counter), number(1));
        let is_less = binary(BinaryOp::Less, read(counter), number(until));
        transition(0, 0).when(is_less).does(vec![assign(scalar(counter), more)])
    };
    let process = process("P", 1, vec![count(0, 5), count(1, 3)]);
    let check = Check { kind: FaultKind::Goal, condition, text: "goal".to_owned(), span: None };
    let variables = vec![variable("x", IntType::U8, 0), variable("y", IntType::U8, 0)];
    Program { checks: vec![check], ..program(variables, vec![], vec![process]) }
}

#[test]
fn formulas_count_what_is_missing() {
    let at_least = |variable, value| binary(BinaryOp::GreaterEqual, read(variable), number(value));
    let cases = [
        (at_least(0, 4), [4, 4]),
        (binary(BinaryOp::And, at_least(0, 4), at_least(1, 2)), [6, 4]),
        (binary(BinaryOp::Or, at_least(0, 4), at_least(1, 2)), [2, 2]),
        (binary(BinaryOp::Equal, binary(BinaryOp::Add, read(0), read(1)), number(8)), [8, 4]),
        (Expr::Unary(UnaryOp::Not, Box::new(binary(BinaryOp::Less, read(0), number(3)))), [3, 3]),
    ];
    for (condition, expected) in cases {
        let model = GclModel::new(counters(condition.clone()), Backend::Interpreter).unwrap();
        let counted = Counted { deadlocks: false, steps: true };
        let pattern = Estimate::Patterns { patterns: vec![vec!["x".to_owned(), "P".to_owned()]], counted };
        let model = model.estimating(&[Estimate::Formula, Estimate::FormulaBound, pattern]);
        let initial = model.interpreter().initial_state();
        assert_eq!([0, 1].map(|number| estimates(&model, number, &initial)), expected, "{condition:?}");
        assert!(estimates(&model, 2, &initial) <= expected[0], "{condition:?}");
    }
}

#[test]
fn a_pattern_that_has_all_is_the_distance_itself() {
    let both = binary(BinaryOp::And, at(0, 5), at(1, 3));
    let model = GclModel::new(counters(both), Backend::Interpreter).unwrap();
    let counted = Counted { deadlocks: false, steps: true };
    let all = ["x", "y", "P"].map(str::to_owned).to_vec();
    let patterns = [Vec::new(), vec![all], vec![vec!["x".to_owned()], vec!["y".to_owned()]]];
    let model = model.estimating(&patterns.map(|patterns| Estimate::Patterns { patterns, counted }));
    let initial = model.interpreter().initial_state();
    assert_eq!([0, 1, 2].map(|number| estimates(&model, number, &initial)), [8, 8, 5]);
}

fn at(variable: u32, value: i32) -> Expr {
    binary(BinaryOp::Equal, read(variable), number(value))
}
