//! What a text becomes: the program, written out.

use dampf_core::Source;
use dampf_gcl::ir::{Effect, Expr, Place, Process, Program, Sync};
use expect_test::{Expect, expect};
use std::fmt::Write;

fn check(text: &str, expected: Expect) {
    let program = dampf_dve::parse(Source::new("test.dve", text)).unwrap_or_else(|errors| panic!("{errors:#?}"));
    expected.assert_eq(&written(&program));
}

/// Checks the shape of an expression over `x y z` (bytes), `a` (an array) and process P.
fn check_expression(text: &str, expected: &str) {
    let model = "const int K = 7; const byte T[3] = {4, 5, 6}; byte x, y, z, a[4];
        process P { byte x, b[2]; const byte L = 9; state s, t; init s; } system async;";
    let program = dampf_dve::parse(Source::new("test.dve", model)).unwrap();
    let found = match dampf_dve::parse_expression(&program, text) {
        Ok(expr) => expression(&program, &expr),
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected, "{text}");
}

fn written(program: &Program) -> String {
    let mut out = String::new();
    for (id, variable) in program.variables.iter().enumerate() {
        let name = program.variable_name(dampf_gcl::ir::VariableId(id as u32));
        let sign = if variable.ty.signed { 'i' } else { 'u' };
        let size = variable.array.map(|size| format!("[{size}]")).unwrap_or_default();
        writeln!(out, "{sign}{} {name}{size} = {:?}", variable.ty.bits, variable.initial).unwrap();
    }
    for channel in &program.channels {
        let fields: Vec<u8> = channel.fields.iter().map(|ty| ty.bits).collect();
        writeln!(out, "channel {} of {fields:?}, capacity {}", channel.name, channel.capacity).unwrap();
    }
    program.processes.iter().for_each(|process| write_process(program, "process", process, &mut out));
    program.property.iter().for_each(|process| write_process(program, "property", process, &mut out));
    for check in &program.checks {
        let condition = expression(program, &check.condition);
        writeln!(out, "{} {condition} \"{}\"", check.kind, check.text).unwrap();
    }
    out
}

fn write_process(program: &Program, kind: &str, process: &Process, out: &mut String) {
    let locations = process.locations.iter().map(|location| {
        let committed = if location.committed { "!" } else { "" };
        let accepting = if location.accepting { "*" } else { "" };
        format!("{}{committed}{accepting}", location.name)
    });
    let locations: Vec<String> = locations.collect();
    let name = |id: dampf_gcl::ir::LocationId| &process.locations[id.0 as usize].name;
    writeln!(out, "{kind} {}: {} from {}", process.name, locations.join(" "), name(process.initial)).unwrap();
    for transition in &process.transitions {
        write!(out, "  {} -> {}", name(transition.source), name(transition.target)).unwrap();
        if let Some(guard) = &transition.guard {
            write!(out, " if {}", expression(program, guard)).unwrap();
        }
        if let Some(sync) = &transition.sync {
            let operands: Vec<String> = match sync {
                Sync::Send { values, .. } => values.iter().map(|value| expression(program, value)).collect(),
                Sync::Receive { targets, .. } => targets.iter().map(|target| place(program, target)).collect(),
            };
            let mark = if matches!(sync, Sync::Send { .. }) { '!' } else { '?' };
            write!(out, " {}{mark}{}", program.channel(sync.channel()).name, operands.join(",")).unwrap();
        }
        for effect in &transition.effects {
            match effect {
                Effect::Assign { target, value, .. } => {
                    write!(out, "; {} := {}", place(program, target), expression(program, value)).unwrap();
                }
                Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => {
                    write!(out, "; fits {}", expression(program, condition)).unwrap()
                }
            }
        }
        out.push('\n');
    }
}

fn place(program: &Program, place: &Place) -> String {
    let index = place.index.as_ref().map(|index| format!("[{}]", expression(program, index)));
    program.variable_name(place.variable) + &index.unwrap_or_default()
}

/// With every operation in parentheses, so that the grouping shows.
fn expression(program: &Program, expr: &Expr) -> String {
    match expr {
        Expr::Const(value) => value.to_string(),
        Expr::Read(read) => place(program, read),
        Expr::At(process, location) => {
            let process = program.process(*process);
            format!("{}@{}", process.name, process.locations[location.0 as usize].name)
        }
        Expr::Unary(operator, operand) => format!("({operator:?} {})", expression(program, operand)),
        Expr::Binary(operator, left, right, _) => {
            format!("({} {operator:?} {})", expression(program, left), expression(program, right))
        }
        Expr::Length(_) | Expr::Conditional(..) => panic!("DVE has no such expression"),
    }
}

#[test]
fn declarations_take_constants_lists_and_earlier_values() {
    check(
        "const byte N = 3, M = N * 2; const int NEGATIVE = -5;
         byte x, y = 255, wrapped = 256 + 7;
         int low = NEGATIVE, far = 40000, from_y = y + 1;
         byte t[5] = {255, 1 + 1, M}, long[2] = {1, 0, 0}, sized[N + 1];
         process P { byte x = N; int z[2] = {-1}; const byte N = 9; byte late = N; state s; init s; }
         system async;",
        expect![[r#"
            u8 x = [0]
            u8 y = [255]
            u8 wrapped = [7]
            i16 low = [-5]
            i16 far = [-25536]
            i16 from_y = [256]
            u8 t[5] = [255, 2, 6, 0, 0]
            u8 long[2] = [1, 0]
            u8 sized[4] = [0, 0, 0, 0]
            u8 P.x = [3]
            i16 P.z[2] = [-1, 0]
            u8 P.late = [9]
            process P: s from s
        "#]],
    );
}

#[test]
fn channels_are_typed_by_declaration_or_by_use() {
    check(
        "byte x, y; channel bare, pair, unused; channel {byte, int} queue[4]; channel {int} meet[0], meet_too;
         process P { state s; init s; trans
           s -> s { sync bare!; }, -> s { sync pair!x, y + 1; }, -> s { sync queue!{x, -1}; }, -> s { sync meet!5; };
         }
         process Q { byte a[2]; state s; init s; trans
           s -> s { sync bare?; } s -> s { sync pair?{a[0], a[x]}; }, -> s { sync queue?x, y; }, -> s { sync meet?(x); }
         }
         system async;",
        expect![[r#"
            u8 x = [0]
            u8 y = [0]
            u8 Q.a[2] = [0, 0]
            channel bare of [], capacity 0
            channel pair of [32, 32], capacity 0
            channel unused of [], capacity 0
            channel queue of [8, 16], capacity 4
            channel meet of [16], capacity 0
            channel meet_too of [16], capacity 0
            process P: s from s
              s -> s bare!
              s -> s pair!x,(y Add 1)
              s -> s queue!x,-1
              s -> s meet!5
            process Q: s from s
              s -> s bare?
              s -> s pair?Q.a[0],Q.a[x]
              s -> s queue?x,y
              s -> s meet?x
        "#]],
    );
}

#[test]
fn sections_and_parts_come_in_any_order() {
    check(
        "byte x; channel c;
         process P {
           init b; accept a; commit b, a; state a, b; assert a: x > 0, b x < 9 or Q.r, a: true;
           trans a -> b { effect x = 1, x = x + 1; guard x, x < 3, not x; sync c!; },
                 -> a { },
                 b -> b { guard Q->v == 1; };
         }
         process Q { byte v; state r; init r; trans r -> r { sync c?; }; }
         system async;",
        expect![[r#"
            u8 x = [0]
            u8 Q.v = [0]
            channel c of [], capacity 0
            process P: a!* b! from b
              a -> b if ((x And (x Less 3)) And (Not x)) c!; x := 1; fits ((x Add 1) LessEqual 255); x := (x Add 1)
              a -> a
              b -> b if (Q.v Equal 1)
            process Q: r from r
              r -> r c?
            assertion ((Not P@a) Or (x Greater 0)) "x > 0 at P.a"
            assertion ((Not P@b) Or ((x Less 9) Or Q@r)) "x < 9 or Q.r at P.b"
            assertion ((Not P@a) Or 1) "true at P.a"
        "#]],
    );
}

#[test]
fn the_property_is_kept_apart_and_processes_are_numbered_without_it() {
    check(
        "byte x;
         process First { state a; init a; }
         process Watch {
           const byte LIMIT = 2; state q, r; init q; accept buchi r;
           trans q -> q {}, q -> r { guard Last.b && x > LIMIT; }, r -> r { guard not Last->y; };
         }
         process Last { byte y; state b; init b; trans b -> b { effect y = 1; }; }
         system async property Watch;",
        expect![[r#"
            u8 x = [0]
            u8 Last.y = [0]
            process First: a from a
            process Last: b from b
              b -> b; Last.y := 1
            property Watch: q r* from q
              q -> q
              q -> r if (Last@b And (x Greater 2))
              r -> r if (Not Last.y)
        "#]],
    );
}

#[test]
fn constant_arrays_are_folded_or_become_variables_nobody_writes() {
    check(
        "const byte T[3] = {4, 5, 6}, U[2] = {1, 2}; byte x;
         process P { const int L[2] = {-1, 1}; state s; init s;
           trans s -> s { guard T[1 + 1] == 6 and U[0]; effect x = T[x], x = T[x + 1] + L[x]; }; }
         system async;",
        expect![[r#"
            u8 x = [0]
            u8 T[3] = [4, 5, 6]
            i16 P.L[2] = [-1, 1]
            process P: s from s
              s -> s if 1; x := T[x]; fits (((T[(x Add 1)] Add P.L[x]) GreaterEqual 0) And ((T[(x Add 1)] Add P.L[x]) LessEqual 255)); x := (T[(x Add 1)] Add P.L[x])
        "#]],
    );
}

#[test]
fn operators_group_as_in_divine() {
    check_expression("x or y and z", "((x Or y) And z)");
    check_expression("x and y or z", "((x And y) Or z)");
    check_expression("x || y && z imply x imply y", "((Not ((Not ((x Or y) And z)) Or x)) Or y)");
    check_expression("x | y & z ^ x", "(((x BitOr y) BitAnd z) BitXor x)");
    check_expression("x & y == z", "(x BitAnd (y Equal z))");
    check_expression("x == y < z", "(x Equal (y Less z))");
    check_expression("x < y << z", "(x Less (y ShiftLeft z))");
    check_expression("x >> y + z", "(x ShiftRight (y Add z))");
    check_expression("x - y - z * x / y % z", "((x Subtract y) Subtract (((z Multiply x) Divide y) Remainder z))");
    check_expression("not x == y", "((Not x) Equal y)");
    check_expression("-x + ~y", "((Negate x) Add (BitNot y))");
    check_expression(
        "!!x != --1",
        "expression:1:8: expected an expression, found `--` (DVE has no `++` and `--`: write `x = x + 1`)",
    );
    check_expression("- -x", "(Negate (Negate x))");
    check_expression("((x))", "x");
}

#[test]
fn an_array_without_an_index_is_its_first_element() {
    check(
        "byte e[3]; const byte T[2] = {8, 9};
         process P { state s; init s; trans s -> s { guard e == T; effect e = e + 1, e[1] = e; }; }
         system async;",
        expect![[r#"
            u8 e[3] = [0, 0, 0]
            process P: s from s
              s -> s if (e[0] Equal 8); fits ((e[0] Add 1) LessEqual 255); e[0] := (e[0] Add 1); e[1] := e[0]
        "#]],
    );
}

#[test]
fn conditions_that_are_known_vanish() {
    check_expression("(7 == 4) and x / 0", "0");
    check_expression("7 == 7 or x / 0", "1");
    check_expression("(7 == 4) && x == 1 || (7 == 7) && y == 2", "(y Equal 2)");
    check_expression("x == 1 or false", "(x Equal 1)");
    check_expression("x == 1 and true", "(x Equal 1)");
    check_expression("x and true", "(x And 1)");
    check_expression("true and x", "(1 And x)");
    check_expression("x == 1 and false", "((x Equal 1) And 0)");
    check_expression("1 / 0", "(1 Divide 0)");
}

#[test]
fn expressions_from_outside_know_all_names() {
    check_expression("x == P.x and P->x != a[x]", "((x Equal P.x) And (P.x NotEqual a[x]))");
    check_expression("P.s or P.t", "(P@s Or P@t)");
    check_expression("P->b[1] + a[3] + K + T[2]", "(((P.b[1] Add a[3]) Add 7) Add 6)");
    check_expression("true + false * 2 ** 1", "expression:1:19: expected an expression, found `*`");
    check_expression("x + 2 * 3 << 1", "((x Add 6) ShiftLeft 1)");
    check_expression("P.b[x] + P.b[1]", "(P.b[x] Add P.b[1])");
}

#[test]
fn expressions_from_outside_are_checked() {
    check_expression("", "expression:1:1: expected an expression, found the end of the text");
    check_expression("x y", "expression:1:3: expected the end of the expression or an operator, found `y`");
    check_expression("x + q", "expression:1:5: unknown name `q`");
    check_expression("a[4]", "expression:1:3: index 4 is outside the array `a` (its indices are 0 to 3)");
    check_expression(
        "T[x]",
        "expression:1:3: the constant array `T` is indexed by a value that is computed (only the model itself can do that)",
    );
    check_expression("Q.s", "expression:1:1: unknown process `Q`");
    check_expression("P.u", "expression:1:3: process `P` has no state `u`");
    check_expression("x @ y", "expression:1:3: unexpected character `@`");
    check_expression(
        "x = 1",
        "expression:1:3: expected the end of the expression or an operator, found `=` (to compare, write `==`)",
    );
}
