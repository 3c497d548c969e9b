//! What the language means, seen through the states that models reach.

use dampf_core::{FaultKind, Model, Source, Successors, Worker};
use dampf_dmc::{parse, parse_buchi, parse_expression};
use dampf_gcl::ir::{Expr, Program};
use dampf_gcl::{Backend, GclModel};
use std::collections::BTreeSet;

fn program(text: &str) -> Program {
    parse(Source::new("m.dmc", text))
        .unwrap_or_else(|diagnostics| panic!("{}", diagnostics.iter().map(|d| format!("{d}\n")).collect::<String>()))
}

/// The values that some expressions have together in the reachable states, in ascending order, and the faults.
fn reach<const N: usize>(text: &str, expressions: [&str; N]) -> (Vec<[i32; N]>, BTreeSet<FaultKind>) {
    let program = program(text);
    let parsed = expressions.map(|text| parse_expression(&program, text).unwrap_or_else(|d| panic!("{d}")));
    let model = GclModel::new(program, Backend::Interpreter).unwrap();
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    worker.initial(&mut out);
    let mut seen = BTreeSet::from([out.state(0).to_vec()]);
    let mut frontier = vec![out.state(0).to_vec()];
    let mut values = BTreeSet::new();
    let mut faults = BTreeSet::new();
    while let Some(state) = frontier.pop() {
        values.insert(parsed.each_ref().map(|expr| model.interpreter().evaluate(expr, &state).unwrap()));
        worker.successors(&state, &mut out);
        if out.is_empty() && !out.valid_end() {
            faults.insert(FaultKind::Deadlock);
        }
        for index in 0..out.len() {
            match out.fault(index) {
                Some(fault) => {
                    faults.insert(fault.kind);
                }
                None if seen.insert(out.state(index).to_vec()) => frontier.push(out.state(index).to_vec()),
                None => (),
            }
        }
    }
    (values.into_iter().collect(), faults)
}

/// A model of one process that makes one step and stops.
fn step(declarations: &str, transition: &str) -> String {
    format!(
        "model m: {declarations} process P: var l : int; state A: trans {transition} goto B final state B: end; \
         init: new P; end; end."
    )
}

#[test]
fn initialisation_runs_in_the_order_of_the_text() {
    let text = "model m:
        const N = 2;
        var x = 5, y = x * N : int; a = y : array[4] of int;
        process P: var i = pid, j = (i + 1) % 3 + x : int; init: a[i] = j; x = x + 1; end; state A: end;
        process Q: var k = pid : int; state A: end;
        init: y = 7; new P; x = 50; new Q; new P * N; end;
        end.";
    let (values, _) = reach(text, ["x", "y", "a[0]", "a[1]", "a[3]"]);
    assert_eq!(values, [[52, 7, 6, 10, 52]]);
    let (values, _) = reach(text, ["P[0].i", "P[1].i", "P[2].i", "Q.k", "Q[0].k"]);
    assert_eq!(values, [[0, 2, 3, 1, 1]]);
    let names: Vec<String> = program(text).processes.into_iter().map(|process| process.name).collect();
    assert_eq!(names, ["P[0]", "Q", "P[1]", "P[2]"]);
}

#[test]
fn operators_bind_as_the_documentation_says() {
    let value = |text: &str| {
        let program = program(&step("", ""));
        match parse_expression(&program, text).unwrap() {
            Expr::Const(value) => value,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(value("2 + 3 * 4 - 1"), 13);
    assert_eq!(value("(3 * 3 div 2 mod 2) + 5 - 1"), 4);
    assert_eq!(value("7 % 4 / 2"), 1);
    assert_eq!(value("-7 div 2"), -3);
    assert_eq!(value("-7 mod 2"), -1);
    assert_eq!(value("1 - -1"), 2);
    assert_eq!(value("1--1"), 2);
    assert_eq!(value("2 = 2 and 3 < 2 or 1"), 1);
    assert_eq!(value("0 and 1 or 1"), 1);
    assert_eq!(value("not 2 = 3 and 0"), 0);
    assert_eq!(value("not 2 = 3"), 1);
    assert_eq!(value("!2 == 3"), 0);
    assert_eq!(value("1 < 2 = 2 > 1"), 1);
    assert_eq!(value("1 <> 2 && 1 != 2 || false"), 1);
    assert_eq!(value("-2147483648 - 1"), i32::MAX);
    assert_eq!(value("sum(k = 1 .. 4: k * k)"), 30);
    assert_eq!(value("all(k = 1 .. 0: false) and not any(k = 1 .. 0: true)"), 1);
    assert_eq!(value("all(k = 1 .. 3: any(l = 1 .. 3: l * l = k * k))"), 1);
    assert_eq!(value("0 and 1 div 0"), 0);
}

#[test]
fn statements_run_in_sequence_and_guards_before_them() {
    let (values, faults) = reach(
        &step("var x = 3, y : int;", "guard (x = 3) guard x > 2 y = x; x++; l = x; x--;"),
        ["x", "y", "P.l", "P.B"],
    );
    assert_eq!(values, [[3, 0, 0, 0], [3, 3, 4, 1]]);
    assert!(faults.is_empty());
    let (values, faults) = reach(&step("var x : int;", "guard (1) guard (x) x = 1;"), ["x"]);
    assert_eq!((values, faults), (vec![[0]], BTreeSet::from([FaultKind::Deadlock])));
}

#[test]
fn queues_are_first_in_first_out_and_bounded() {
    let text = "model m:
        var q : queue[2] of int; last : int;
        process Producer: var n : int; state A: trans guard (n < 3) send(q, n * 10); n = n + 1; goto A end;
        process Consumer: state A: trans last = recv(q); goto A end;
        init: new Producer; new Consumer; end;
        end.";
    let (values, faults) = reach(text, ["Producer.n", "len(q)", "last"]);
    assert!(values.iter().all(|[sent, waiting, last]| {
        *waiting <= 2 && (*last == (sent - waiting - 1) * 10 || (sent == waiting && *last == 0))
    }));
    assert!(values.contains(&[3, 0, 20]) && values.contains(&[2, 2, 0]) && !values.contains(&[3, 3, 0]));
    assert_eq!(faults, BTreeSet::from([FaultKind::Deadlock]));
}

#[test]
fn arrays_of_several_dimensions_keep_their_elements_apart() {
    let text = step(
        "var t : array[2] of array[3] of array[4] of int; i = 1, j = 2, k = 3 : int;",
        "i = 0; t[1][j][k] = 5; t[i][1][2] = 6; j = t[1][j][3] - 3; k = t[0][1][j];",
    );
    let (values, _) = reach(
        &text,
        ["t[1][2][3]", "t[0][1][2]", "j", "k", "sum(a = 0 .. 1: sum(b = 0 .. 2: sum(c = 0 .. 3: t[a][b][c])))"],
    );
    assert_eq!(values, [[0, 0, 2, 3, 0], [5, 6, 2, 6, 11]]);
    // An index outside its own dimension would be inside the whole.
    for index in ["t[0][3 + x][0]", "t[0][0][4 + x]", "t[x - 1][2][3]", "t[1073741824 + x][0][0]"] {
        let text = step("var t : array[2] of array[3] of array[4] of int; x : int;", &format!("x = 0; {index} = 1;"));
        let (_, faults) = reach(&text, ["x"]);
        assert_eq!(faults, BTreeSet::from([FaultKind::IndexOutOfBounds]), "{index}");
    }
}

#[test]
fn a_wrong_index_from_a_variable_is_a_fault_of_the_system() {
    let text = "model m: var b : array[2] of int;
        process P: var i = pid : int; state A: trans b[i] = 1; goto B final state B: end;
        init: new P; new P; new P; end; end.";
    let (values, faults) = reach(text, ["b[0] + b[1]"]);
    assert_eq!((values.len(), faults), (3, BTreeSet::from([FaultKind::IndexOutOfBounds])));
    let (_, faults) = reach(&step("var x : int;", "x = 1 div x;"), ["x"]);
    assert_eq!(faults, BTreeSet::from([FaultKind::DivisionByZero]));
    // What a constant guard excludes need not make sense.
    let text = "model m: var a : array[2] of int;
        process P: state A: trans guard (pid > 0 and a[pid - 1] = 0) a[pid] = 1; goto A
                            trans guard (pid > 1) a[pid + 5] = 1; goto A end;
        init: new P * 2; end; end.";
    let (values, faults) = reach(text, ["a[1]"]);
    assert_eq!((values, faults), (vec![[0], [1]], BTreeSet::new()));
}

#[test]
fn for_makes_transitions_and_statements() {
    let text = "model m: const N = 3; var a : array[N] of int; x : int;
        process P: state A:
          trans for k = 0 .. N - 1: for l = k + 1 .. N - 1: x = 10 * k + l; goto A
          trans x = 0; for k = 0 .. N - 1: a[k] = a[k] + k; end; goto B
          final state B: end;
        init: for k = 0 .. N - 1: a[k] = k * 100; end; new P; end; end.";
    let (values, _) = reach(text, ["x", "a[0]", "a[1]", "a[2]"]);
    assert_eq!(values, [[0, 0, 100, 200], [0, 0, 101, 202], [1, 0, 100, 200], [2, 0, 100, 200], [12, 0, 100, 200]]);
}

#[test]
fn assertions_and_final_states() {
    let (_, faults) = reach(&step("var x : int;", "x = 2; assert (x = 3);"), ["x"]);
    assert_eq!(faults, BTreeSet::from([FaultKind::Assertion]));
    let (_, faults) = reach(&step("", "").replace("final", ""), ["1"]);
    assert_eq!(faults, BTreeSet::from([FaultKind::Deadlock]));
}

#[test]
fn added_words_are_not_reserved() {
    let text = "model m: const const = 2; var for, all, len, final, assert, sum, any : int;
        process P: state final: trans for = 1; all = for + len; assert = 1; goto final state A: end;
        init: new P; end; end.";
    let (values, _) = reach(text, ["for", "all", "assert", "P.final", "const"]);
    assert_eq!(values, [[0, 0, 0, 1, 2], [1, 1, 1, 1, 2]]);
}

#[test]
fn variables_without_assignments_need_no_bits() {
    let text = "model m: var n = 5, x : int; process P: var i = pid, j = i + n : int; \
                state A: trans x = 1 - x; goto A end; init: new P * 3; end; end.";
    let model = GclModel::new(program(text), Backend::Interpreter).unwrap();
    assert!(model.layout().bits <= 32, "{} bits", model.layout().bits);
    assert_eq!(reach(text, ["P[2].j", "x"]).0, [[7, 0], [7, 1]]);
}

#[test]
fn automata_name_processes_and_their_states() {
    let program = program(&step("const N = 1; var x : int;", "x = N;"));
    let text = "bstate start:
          btrans goto start
          btrans guard (x = N) and P.B guard P.l <= 1 goto seen
          btrans guard (0) goto seen
        bstate* seen: // stays
          btrans guard true goto seen";
    let property = parse_buchi(&program, Source::new("m.buc", text)).unwrap();
    let guards: Vec<bool> = property.transitions.iter().map(|transition| transition.guard.is_some()).collect();
    assert_eq!(guards, [false, true, false]);
    assert!(!property.locations[0].accepting && property.locations[1].accepting);
    assert_eq!(property.initial.0, 0);
}
