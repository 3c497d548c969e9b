//! The value analysis is sound, and small where it should be.

mod support;

use dampf_gcl::Interpreter;
use dampf_gcl::ir::*;
use dampf_gcl::layout::{Field, Layout, bits_for};
use dampf_gcl::ranges::{Limits, Range, ranges, ranges_within};
use std::sync::Arc;
use support::*;

const I4: IntType = IntType { bits: 4, signed: true };

/// Explores under the widest layout and compares with the computed ranges; the number of states, if explored.
fn check_soundness(program: Program, states_max: usize, what: &str) -> Option<usize> {
    check_ranges(program.clone(), ranges(&program), states_max, what)
}

fn check_ranges(program: Program, computed: Vec<Range>, states_max: usize, what: &str) -> Option<usize> {
    let narrow = Interpreter::new(Arc::new(program.clone()), Layout::new(&program, &computed));
    let wide = interpreter(program);
    let Some(states) = explore(&wide, states_max) else {
        // Not finished: the narrow layout must at least hold what a part of the states needs.
        explore(&narrow, states_max);
        return None;
    };
    for state in &states {
        for (id, variable) in wide.program().variables.iter().enumerate() {
            for index in 0..variable.array.unwrap_or(1) {
                let value = wide.layout().element(VariableId(id as u32), index).get(state);
                assert!(
                    computed[id].contains(value, variable.ty),
                    "{what}: {} takes the value {value}, which is not in {:?}",
                    variable.name,
                    computed[id]
                );
            }
        }
    }
    let narrow_states = explore(&narrow, states_max).map(|states| states.len());
    assert_eq!(narrow_states, Some(states.len()), "{what}: layouts disagree on the number of states");
    Some(states.len())
}

#[test]
fn random_programs_stay_within_their_ranges() {
    let mut explored = 0;
    for seed in 0..2_000 {
        let states = check_soundness(random_program(seed), 2_000, &format!("seed {seed}"));
        explored += usize::from(states.is_some_and(|states| states > 5));
    }
    println!("{explored} programs with more than 5 states were explored");
    assert!(explored > 300, "only {explored} programs were worth exploring");
}

#[test]
fn ranges_are_sound_within_any_limits() {
    let none = Limits { rendezvous_max: 0, combinations_max: 0, work_max: 0, owned_work_max: 0 };
    let limits = [
        none,
        Limits { rendezvous_max: 0, ..Limits::default() },
        Limits { combinations_max: 10, ..Limits::default() },
        Limits { work_max: 20, ..Limits::default() },
        Limits { combinations_max: 0, owned_work_max: 1_000, ..none },
    ];
    for seed in 10_000..10_250 {
        for (number, limits) in limits.iter().enumerate() {
            let program = random_program(seed);
            let computed = ranges_within(&program, *limits);
            check_ranges(program, computed, 500, &format!("seed {seed}, limits {number}"));
        }
    }
}

fn bits(program: &Program) -> Vec<u32> {
    ranges(program).iter().map(|range| bits_for(range.count)).collect()
}

/// `variable op number`.
fn compare(variable: u32, op: BinaryOp, value: i32) -> Expr {
    binary(op, read(variable), number(value))
}

fn sum(variable: u32, value: i32) -> Expr {
    binary(BinaryOp::Add, read(variable), number(value))
}

#[test]
fn a_guarded_counter_is_small() {
    for (limit, bits_expected) in [(3, 2), (20, 5), (1000, 10), (30_000, 15)] {
        let up = transition(0, 0).when(compare(0, BinaryOp::Less, limit)).does(vec![assign(scalar(0), sum(0, 1))]);
        let reset = transition(0, 0).when(compare(0, BinaryOp::Equal, limit)).does(vec![assign(scalar(0), number(0))]);
        let program = program(vec![variable("x", IntType::I16, 0)], vec![], vec![process("P", 1, vec![up, reset])]);
        assert_eq!(bits(&program), [bits_expected], "limit {limit}");
        check_soundness(program, 50_000, "a guarded counter");
    }
}

#[test]
fn an_unguarded_counter_has_its_whole_type() {
    let up = transition(0, 0).does(vec![assign(scalar(0), sum(0, 1))]);
    let types = [IntType::U8, IntType::I16, IntType::I32, IntType { bits: 32, signed: false }, I4];
    for ty in types {
        let program = program(vec![variable("x", ty, 0)], vec![], vec![process("P", 1, vec![up.clone()])]);
        assert_eq!(bits(&program), [u32::from(ty.bits)]);
        check_soundness(program, 70_000, "an unguarded counter");
    }
}

/// A timer that counts down to zero and has 255 for "off": `t = (t - 1) | ((t == 255) * 255)` while `t != 0`.
#[test]
fn a_timer_that_is_switched_off_by_255_is_a_wrapped_range() {
    let off = binary(BinaryOp::Multiply, compare(0, BinaryOp::Equal, 255), number(255));
    let tick = assign(scalar(0), binary(BinaryOp::BitOr, sum(0, -1), off));
    let timer = transition(0, 0).when(compare(0, BinaryOp::NotEqual, 0)).does(vec![tick]);
    let start = transition(0, 1).does(vec![assign(scalar(0), number(2))]);
    let stop = transition(1, 0).when(compare(0, BinaryOp::Equal, 0)).does(vec![assign(scalar(0), number(255))]);
    let processes = vec![process("Timer", 1, vec![timer]), process("P", 2, vec![start, stop])];
    let program = program(vec![variable("t", IntType::U8, 255)], vec![], processes);
    assert_eq!(ranges(&program), [Range { base: -1, count: 4 }]);
    assert!(check_soundness(program, 100, "a timer").is_some());
}

#[test]
fn later_effects_see_what_earlier_ones_stored() {
    // x = x + 1, y = x, under x < 3: y is 0 to 3.
    let step = transition(0, 0)
        .when(compare(0, BinaryOp::Less, 3))
        .does(vec![assign(scalar(0), sum(0, 1)), assign(scalar(1), read(0))]);
    let reset = transition(0, 0).does(vec![assign(scalar(0), number(0))]);
    let variables = vec![variable("x", IntType::U8, 0), variable("y", IntType::U8, 0)];
    let program = program(variables, vec![], vec![process("P", 1, vec![step, reset])]);
    assert_eq!(bits(&program), [2, 2]);
    check_soundness(program, 100, "effects in sequence");
}

#[test]
fn values_in_the_middle_of_a_step_fit_their_fields() {
    // x = x + 9, x = x % 2: a state has 0 or 1, the field holds up to 10 for a moment.
    let effects =
        vec![assign(scalar(0), sum(0, 9)), assign(scalar(0), binary(BinaryOp::Remainder, read(0), number(2)))];
    let program = program(
        vec![variable("x", IntType::U8, 0)],
        vec![],
        vec![process("P", 1, vec![transition(0, 0).does(effects)])],
    );
    assert_eq!(bits(&program), [4]);
    assert_eq!(check_soundness(program, 100, "values on the way"), Some(2));
}

#[test]
fn rendezvous_carry_the_values_that_guards_leave() {
    // The sender counts without bounds but sends only below 4, into a nibble that the receiver copies.
    let count = transition(0, 0).does(vec![assign(scalar(0), sum(0, 1))]);
    let send = transition(0, 0).when(compare(0, BinaryOp::Less, 4)).send(0, vec![read(0)]);
    let receive = transition(0, 0).receive(0, vec![scalar(1)]).does(vec![assign(scalar(2), read(1))]);
    let variables = vec![variable("x", IntType::U8, 0), variable("y", IntType::U8, 0), variable("z", IntType::I32, 0)];
    let processes = vec![process("S", 1, vec![count, send]), process("R", 1, vec![receive])];
    let program = program(variables, vec![channel("c", 0, &[I4])], processes);
    assert_eq!(bits(&program), [8, 2, 2]);
    assert!(check_soundness(program, 10_000, "a rendezvous").is_some());
}

#[test]
fn buffers_carry_what_is_sent() {
    let send = |value: i32| transition(0, 0).send(0, vec![number(value), number(value + 300)]);
    let receive = transition(0, 0).receive(0, vec![scalar(0), scalar(1)]);
    let variables = vec![variable("x", IntType::I32, 0), variable("y", IntType::I32, 44)];
    let processes = vec![process("S", 1, vec![send(1), send(6)]), process("R", 1, vec![receive])];
    let program = program(variables, vec![channel("c", 2, &[IntType::I32, IntType::U8])], processes);
    assert_eq!(bits(&program), [3, 3]);
    assert!(check_soundness(program, 10_000, "a buffer").is_some());
}

#[test]
fn what_only_one_process_stores_is_followed_through_its_locations() {
    // A lift that goes up in one location and down in the other: without locations it would leave every bound.
    let up = transition(0, 0).when(compare(0, BinaryOp::NotEqual, 9)).does(vec![assign(scalar(0), sum(0, 1))]);
    let turn = transition(0, 1).when(compare(0, BinaryOp::Equal, 9));
    let down = transition(1, 1).when(compare(0, BinaryOp::NotEqual, 0)).does(vec![assign(scalar(0), sum(0, -1))]);
    let again = transition(1, 0).when(compare(0, BinaryOp::Equal, 0));
    // Follows the lift.
    let below = binary(BinaryOp::Less, read(1), read(0));
    let above = binary(BinaryOp::Greater, read(1), read(0));
    let rise = transition(0, 0).when(below).does(vec![assign(scalar(1), sum(1, 1))]);
    let sink = transition(0, 0).when(above).does(vec![assign(scalar(1), sum(1, -1))]);
    let variables = vec![variable("lift", IntType::I16, 3), variable("follower", IntType::I16, 3)];
    let processes = vec![process("Lift", 2, vec![up, turn, down, again]), process("Follower", 1, vec![rise, sink])];
    let program = program(variables, vec![], processes);
    assert_eq!(bits(&program), [4, 4]);
    assert!(check_soundness(program, 10_000, "a lift").is_some());
}

#[test]
fn steps_that_cannot_happen_store_nothing() {
    let never = transition(0, 0).when(compare(0, BinaryOp::Equal, 7)).does(vec![assign(scalar(1), number(100))]);
    let behind = transition(2, 0).does(vec![assign(scalar(1), number(50))]);
    let sometimes = transition(0, 1).does(vec![assign(scalar(0), number(1))]);
    let variables = vec![variable("x", IntType::U8, 0), variable("y", IntType::U8, 0)];
    let program = program(variables, vec![], vec![process("P", 3, vec![never, behind, sometimes])]);
    assert_eq!(bits(&program), [1, 0]);
    check_soundness(program, 100, "steps that cannot happen");
}

#[test]
fn arrays_indexed_by_variables_have_one_range_for_all_elements() {
    let store = transition(0, 0)
        .when(compare(0, BinaryOp::Less, 3))
        .does(vec![assign(element(1, read(0)), sum(0, 4)), assign(scalar(0), sum(0, 1))]);
    let variables = vec![variable("i", IntType::U8, 0), array("a", IntType::U8, vec![0, 0, 0])];
    let program = program(variables, vec![], vec![process("P", 1, vec![store])]);
    assert_eq!(bits(&program), [2, 3]);
    check_soundness(program, 100, "an array");
}

#[test]
fn the_analysis_is_quick_on_large_programs() {
    // Two hundred processes that count, wait for each other and pass values on.
    let processes = (0..200u32).map(|me| {
        let next = (me + 1) % 200;
        let both = binary(BinaryOp::And, compare(me, BinaryOp::Less, 100), compare(next, BinaryOp::Greater, 0));
        let count = transition(0, 1).when(both).does(vec![assign(scalar(me), sum(me, 1))]);
        let copy = transition(1, 2).does(vec![assign(scalar(me), read(next))]);
        let mix = binary(BinaryOp::BitXor, read(me), read(next));
        let mixed = transition(2, 0).when(compare(me, BinaryOp::NotEqual, 5)).does(vec![assign(scalar(me), mix)]);
        let wide = transition(1, 0).does(vec![assign(scalar(me), binary(BinaryOp::Multiply, read(me), read(next)))]);
        let back = transition(2, 1).when(compare(next, BinaryOp::Equal, 77));
        process(&format!("P{me}"), 3, vec![count, copy, mixed, wide, back])
    });
    let variables = (0..200).map(|number| variable(&format!("x{number}"), IntType::I32, 1)).collect();
    let program = program(variables, vec![], processes.collect());
    let begin = std::time::Instant::now();
    let computed = ranges(&program);
    println!("a thousand transitions took {:?}", begin.elapsed());
    assert!(computed.iter().all(|range| range.contains(1, IntType::I32)));
    // Far beyond the time it should take, for builds without optimisation on busy machines.
    assert!(begin.elapsed().as_secs() < 5);
}

#[test]
fn fields_give_back_every_value_of_their_range() {
    let types = (1..=5).flat_map(|bits| [true, false].map(|signed| IntType { bits, signed }));
    for ty in types {
        let (least, greatest) = ty.range();
        let modulus = 1i64 << ty.bits;
        for base in i64::from(least) - modulus..=i64::from(greatest) {
            for count in 1..=modulus as u64 {
                let range = Range { base: base as i32, count };
                let field = Field { word: 0, shift: 3, bits: bits_for(count), base: base as i32, ty };
                let values: Vec<i32> = (0..count).map(|n| ty.wrap((base + n as i64) as i32)).collect();
                for value in least..=greatest {
                    assert_eq!(range.contains(value, ty), values.contains(&value));
                }
                for value in values {
                    let mut state = [0xffff_ffff];
                    field.set(&mut state, value);
                    assert_eq!(field.get(&state), value, "{field:?}");
                    assert_eq!(state[0] | field.mask() << 3, 0xffff_ffff, "only the field's bits change");
                }
            }
        }
    }
}
