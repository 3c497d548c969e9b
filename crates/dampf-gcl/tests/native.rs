//! Generated code against the interpreter: on random programs, state by state, entry by entry.

use dampf_core::{Fault, Successors, Word};
use dampf_gcl::ir::{Program, Proposition};
use dampf_gcl::layout::Layout;
use dampf_gcl::ranges::{Range, ranges};
use dampf_gcl::{Interpreter, Native};
use dampf_testkit::program::{Size, random_program};
use std::collections::HashSet;
use std::sync::Arc;

/// What an exploration saw, to know that the programs are worth testing with.
#[derive(Default, Debug)]
struct Seen {
    states: usize,
    steps: usize,
    step_faults: usize,
    state_faults: usize,
    ends: usize,
    valuations: usize,
}

/// Explores up to `states_max` states and compares the two back ends in each.
fn compare(program: &Arc<Program>, layout: &Layout, states_max: usize, seen: &mut Seen) {
    let name = &program.name;
    let interpreter = Interpreter::new(Arc::clone(program), layout.clone());
    let native = Native::compile(program, layout, interpreter.actions()).expect("the host is supported");
    let (mut expected, mut found) = (Successors::new(layout.width), Successors::new(layout.width));
    let mut frontier = vec![interpreter.initial_state()];
    let mut visited: HashSet<Vec<Word>> = frontier.iter().cloned().collect();
    let mut next = 0;
    while next < frontier.len() && next < states_max {
        let state = frontier[next].clone();
        next += 1;
        interpreter.successors(&state, &mut expected);
        native.successors(&state, &mut found);
        assert_eq!(found.actions(), expected.actions(), "labels of {name} in {state:x?}");
        assert_eq!(found.faults(), expected.faults(), "faults of {name} in {state:x?}");
        assert_eq!(found.state_fault(), expected.state_fault(), "fault of the state {state:x?} of {name}");
        for step in 0..expected.len() {
            let label = expected.action(step);
            assert_eq!(found.state(step), expected.state(step), "{label:?} of {name} in {state:x?}");
            if expected.fault(step).is_none() && visited.insert(expected.state(step).to_vec()) {
                frontier.push(expected.state(step).to_vec());
            }
        }
        // Steps that are composed may lead nowhere, and a state that has such steps alone may be an end.
        if expected.is_empty() || program.has_compound_steps || program.timeout.is_some() {
            assert_eq!(found.valid_end(), expected.valid_end(), "end of {name} in {state:x?}");
            seen.ends += 1;
        }
        let holding = (0..program.propositions.len()).try_fold(0, |all, number| {
            let holds = interpreter.evaluate(&program.propositions[number].condition, &state)? != 0;
            Ok::<u64, Fault>(all | u64::from(holds) << number)
        });
        if !program.propositions.is_empty() {
            assert_eq!(native.holding(&state), holding.ok(), "propositions of {name} in {state:x?}");
            seen.valuations += usize::from(native.holding(&state).is_some());
        }
        seen.states += 1;
        seen.steps += expected.len();
        seen.step_faults += expected.faults().len();
        seen.state_faults += usize::from(expected.state_fault().is_some());
    }
}

/// Compares under the widest layout and under the one that the value analysis allows.
fn compare_layouts(mut program: Program, states_max: usize, seen: &mut Seen) {
    // Its guards make good propositions.
    let guards =
        program.processes.iter().flat_map(|process| &process.transitions).filter_map(|step| step.guard.clone());
    let propositions = guards.take(64).map(|condition| Proposition { text: "a guard".to_owned(), condition });
    program.propositions = propositions.collect();
    let program = Arc::new(program);
    let whole: Vec<Range> = program.variables.iter().map(Range::of_type).collect();
    compare(&program, &Layout::new(&program, &whole), states_max, seen);
    compare(&program, &Layout::new(&program, &ranges(&program)), states_max, seen);
}

#[test]
fn random_programs() {
    let mut seen = Seen::default();
    for seed in 0..1200 {
        compare_layouts(random_program(seed, Size::default()), 400, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.states > 50_000 && seen.steps > seen.states, "{seen:?}");
    assert!(seen.step_faults > 1_000 && seen.state_faults > 1_000 && seen.ends > 100, "{seen:?}");
    assert!(seen.valuations > 1_000, "{seen:?}");
}

#[test]
fn small_programs_exhaustively() {
    let size = Size { processes: 3, locations: 3, transitions: 6, globals: 2, locals: 1, channels: 2, depth: 2 };
    let mut seen = Seen::default();
    for seed in 10_000..10_600 {
        compare_layouts(random_program(seed, size), 3_000, &mut seen);
    }
    println!("{seen:?}");
}

#[test]
fn programs_with_many_receivers() {
    let size = Size { processes: 9, locations: 4, transitions: 20, globals: 3, locals: 1, channels: 2, depth: 2 };
    let mut seen = Seen::default();
    for seed in 20_000..20_060 {
        compare_layouts(random_program(seed, size), 300, &mut seen);
    }
    println!("{seen:?}");
}

#[test]
fn one_compiled_program_serves_many_threads() {
    let program = Arc::new(random_program(7, Size::default()));
    let layout = Layout::new(&program, &ranges(&program));
    let interpreter = Interpreter::new(Arc::clone(&program), layout.clone());
    let native = Native::compile(&program, &layout, interpreter.actions()).expect("the host is supported");
    let state = interpreter.initial_state();
    let expand = || {
        let mut out = Successors::new(layout.width);
        native.successors(&state, &mut out);
        (0..out.len()).map(|step| (out.action(step), out.state(step).to_vec())).collect::<Vec<_>>()
    };
    let expected = expand();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| (0..1000).all(|_| expand() == expected))).collect();
        assert!(threads.into_iter().all(|thread| thread.join().expect("expanding does not panic")));
    });
}
