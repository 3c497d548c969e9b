//! What is claimed about steps holds on explored state graphs.

mod support;

use dampf_core::{Dependencies, Successors, Word};
use dampf_gcl::dependencies::Object;
use dampf_gcl::ir::*;
use dampf_gcl::{Backend, GclModel};
use std::collections::HashMap;
use support::*;

/// The value of an object in a state.
fn value(model: &GclModel, object: u32, state: &[Word]) -> Vec<i32> {
    let (program, layout) = (model.program(), model.layout());
    match model.dependency_tables().objects().get(object) {
        Object::Variable(id) => {
            let len = program.variable(id).array.unwrap_or(1);
            (0..len).map(|index| layout.element(id, index).get(state)).collect()
        }
        Object::Element(id, index) => vec![layout.element(id, index).get(state)],
        Object::Channel(id) => layout.channels[id.0 as usize].iter().fold(Vec::new(), |mut values, buffer| {
            values.push(buffer.length.get(state));
            for slots in &buffer.slots {
                values.extend((0..slots.len).map(|slot| slots.element(slot).get(state)));
            }
            values
        }),
        Object::Location(process) => vec![layout.locations[process.0 as usize].get(state)],
        Object::Holder => layout.holder.iter().map(|holder| holder.get(state)).collect(),
    }
}

fn values(model: &GclModel, objects: &[u32], state: &[Word]) -> Vec<Vec<i32>> {
    objects.iter().map(|object| value(model, *object, state)).collect()
}

/// What a step does to a state, as far as claims about reads go: a fault, or the values that it changed.
type Effect = Option<Vec<(u32, Vec<i32>)>>;

struct Graph {
    states: Vec<Vec<Word>>,
    /// For each state, its steps: label, and the state reached, if the step does not fault.
    steps: Vec<Vec<(usize, Option<Vec<Word>>)>>,
}

fn graph(model: &GclModel, states_max: usize) -> Option<Graph> {
    let states = explore(model.interpreter(), states_max)?;
    let mut out = Successors::new(model.layout().width);
    let steps = states.iter().map(|state| {
        model.interpreter().successors(state, &mut out);
        let step = |index: usize| {
            let next = out.fault(index).is_none().then(|| out.state(index).to_vec());
            (out.action(index).0 as usize, next)
        };
        (0..out.len()).map(step).collect()
    });
    Some(Graph { steps: steps.collect(), states })
}

fn check(program: Program, what: &str) -> bool {
    let model = GclModel::new(program, Backend::Interpreter).expect("the program is supported");
    let Some(graph) = graph(&model, 300) else { return false };
    let numbers: HashMap<&[Word], usize> =
        graph.states.iter().enumerate().map(|(number, state)| (state.as_slice(), number)).collect();
    let is_enabled = |action: usize, state: usize| graph.steps[state].iter().any(|step| step.0 == action);
    for (number, state) in graph.states.iter().enumerate() {
        for (action, next) in graph.steps[number].iter().filter_map(|(action, next)| Some((*action, next.as_ref()?))) {
            for object in 0..model.object_count() as u32 {
                let is_changed = value(&model, object, state) != value(&model, object, next);
                assert!(
                    !is_changed || model.writes(action).contains(&object),
                    "{what}: step {action} changes {:?}",
                    model.dependency_tables().objects().get(object)
                );
            }
            let next = numbers[next.as_slice()];
            for other in 0..model.action_count() {
                match (is_enabled(other, number), is_enabled(other, next)) {
                    (false, true) => assert!(
                        model.enables(action).contains(&(other as u32)),
                        "{what}: step {action} enables step {other}"
                    ),
                    (true, false) => assert!(
                        model.disables(action).contains(&(other as u32)),
                        "{what}: step {action} disables step {other}"
                    ),
                    _ => {}
                }
            }
        }
    }
    check_reads(&model, &graph, what);
    true
}

/// States that agree on what decides about a step agree on whether it is there; states that agree on what
/// it reads agree on what it does.
fn check_reads(model: &GclModel, graph: &Graph, what: &str) {
    for action in 0..model.action_count() {
        let mut enabled: HashMap<Vec<Vec<i32>>, bool> = HashMap::new();
        let mut taken: HashMap<Vec<Vec<i32>>, (usize, Effect)> = HashMap::new();
        for (number, state) in graph.states.iter().enumerate() {
            let step = graph.steps[number].iter().find(|step| step.0 == action);
            let deciding = values(model, model.enabling(action), state);
            let before = *enabled.entry(deciding).or_insert(step.is_some());
            assert_eq!(before, step.is_some(), "{what}: something else decides about step {action}");
            let Some((_, next)) = step else { continue };
            let read = values(model, model.reads(action), state);
            let effect: Effect = next.as_ref().map(|next| {
                let writes = model.writes(action).iter();
                writes.map(|object| (*object, value(model, *object, next))).collect()
            });
            let (first, expected) = taken.entry(read).or_insert((number, effect.clone()));
            check_effects(model, &graph.states[*first], expected, state, &effect, &format!("{what}, step {action}"));
        }
    }
}

/// Two runs of a step change the same places to the same values; elements of an array that neither changed
/// may differ.
fn check_effects(
    model: &GclModel,
    first_state: &[Word],
    first: &Effect,
    second_state: &[Word],
    second: &Effect,
    what: &str,
) {
    assert_eq!(first.is_some(), second.is_some(), "{what}: something else decides whether it faults");
    let (Some(first), Some(second)) = (first, second) else { return };
    for ((object, first), (_, second)) in first.iter().zip(second) {
        let (before_first, before_second) = (value(model, *object, first_state), value(model, *object, second_state));
        for index in 0..first.len() {
            let is_changed = first[index] != before_first[index] || second[index] != before_second[index];
            assert!(!is_changed || first[index] == second[index], "{what}: reads something else");
        }
    }
}

#[test]
fn claims_hold_for_random_programs() {
    let checked = (0..2_000).filter(|seed| check(random_program(*seed), &format!("seed {seed}"))).count();
    println!("{checked} programs were checked");
    assert!(checked > 1_000);
}

fn compare(variable: u32, value: i32) -> Expr {
    binary(BinaryOp::Equal, read(variable), number(value))
}

fn set(variable: u32, value: i32) -> Vec<dampf_gcl::ir::Effect> {
    vec![assign(scalar(variable), number(value))]
}

fn model(program: Program) -> GclModel {
    GclModel::new(program, Backend::Interpreter).expect("the program is supported")
}

#[test]
fn independent_processes_have_nothing_to_do_with_each_other() {
    let worker = |number: u32| {
        let up = transition(0, 1).when(compare(number, 0)).does(set(number, 1));
        let down = transition(1, 0).does(set(number, 0));
        process(&format!("P{number}"), 2, vec![up, down])
    };
    let variables = vec![variable("x", IntType::U8, 0), variable("y", IntType::U8, 0)];
    let program = program(variables, vec![], vec![worker(0), worker(1)]);
    assert!(check(program.clone(), "independent processes"));
    let model = model(program);
    assert_eq!(model.enables(0), [1]);
    assert_eq!(model.disables(0), [0]);
    assert_eq!(model.enables(1), [0]);
    let common = |a: &[u32], b: &[u32]| a.iter().any(|object| b.contains(object));
    for (mine, yours) in [(0, 2), (0, 3), (1, 2), (1, 3)] {
        assert!(!common(model.writes(mine), model.reads(yours)) && !common(model.writes(yours), model.reads(mine)));
    }
}

#[test]
fn constants_that_contradict_a_guard_enable_nothing() {
    let setter = process("S", 2, vec![transition(0, 1).does(set(0, 1)), transition(1, 0).does(set(0, 2))]);
    let waiter = process("W", 2, vec![transition(0, 1).when(compare(0, 2)), transition(1, 0).when(compare(0, 1))]);
    let program = program(vec![variable("x", IntType::U8, 0)], vec![], vec![setter, waiter]);
    assert!(check(program.clone(), "constants"));
    let model = model(program);
    assert_eq!(model.enables(0), [1, 3]);
    assert_eq!(model.enables(1), [0, 2]);
}

#[test]
fn a_send_enables_receives_and_disables_sends() {
    let sender = process("S", 1, vec![transition(0, 0).send(0, vec![number(1)])]);
    let other = process("T", 1, vec![transition(0, 0).send(0, vec![number(0)])]);
    let receiver = process("R", 1, vec![transition(0, 0).receive(0, vec![scalar(0)])]);
    let program = program(
        vec![variable("x", IntType::BIT, 0)],
        vec![channel("c", 2, &[IntType::BIT])],
        vec![sender, other, receiver],
    );
    assert!(check(program.clone(), "a buffer"));
    let model = model(program);
    assert_eq!((model.enables(0), model.disables(0)), (&[2][..], &[0, 1][..]));
    assert_eq!((model.enables(2), model.disables(2)), (&[0, 1][..], &[2][..]));
}

#[test]
fn a_holder_that_never_blocks_leaves_other_steps_alone() {
    let atomic = process("A", 3, vec![transition(0, 1).leaves_to(0), transition(1, 2).does(set(0, 1))]);
    let other = process("B", 2, vec![transition(0, 1), transition(1, 0)]);
    let third = process("C", 2, vec![transition(0, 1)]);
    let program = program(vec![variable("x", IntType::BIT, 0)], vec![], vec![atomic, other, third]);
    assert!(check(program.clone(), "a holder"));
    let model = model(program);
    // Steps of B and C do not write the holder.
    for action in [2, 3, 4] {
        assert_eq!(model.writes(action).len(), 1);
    }
    assert_eq!(model.disables(0), [0, 2, 3, 4]);
    assert_eq!(model.enables(1), [2, 3, 4]);
}
