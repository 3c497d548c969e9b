//! What is said about texts that are no models, to the letter.

use dampf_core::{Diagnostic, Source};
use dampf_dmc::{parse, parse_buchi, parse_expression, parse_with};
use expect_test::{Expect, expect};

/// A diagnostic as `line:column: message`, the text it points at with its label, and the way out.
fn show(diagnostics: &[Diagnostic]) -> String {
    let mut shown = String::new();
    for diagnostic in diagnostics {
        let at = diagnostic.source.location(diagnostic.span);
        let pointed = diagnostic.source.slice(diagnostic.span).replace('\n', " ");
        shown += &format!("{}:{}: {}\n  `{pointed}`: {}\n", at.line, at.column, diagnostic.message, diagnostic.label);
        if let Some(help) = &diagnostic.help {
            shown += &format!("  help: {help}\n");
        }
    }
    shown
}

fn check(text: &str, expected: Expect) {
    let diagnostics = parse(Source::new("m.dmc", text)).expect_err("this is no model");
    expected.assert_eq(&show(&diagnostics));
}

/// A model around the transitions of one process.
fn around(transitions: &str) -> String {
    format!(
        "model m:
const N = 3;
var x, y : int; a : array[N] of int; t : array[2] of array[4] of int; q : queue[2] of int;
process P:
  var i = pid : int;
  state A:
{transitions}
  state B:
end;
init: new P; end;
end."
    )
}

#[test]
fn syntax() {
    check(
        "",
        expect![[r#"
        1:1: expected `model`, found the end of the text
          ``: not expected here
    "#]],
    );
    check(
        "model",
        expect![[r#"
        1:6: expected a name, found the end of the text
          ``: not expected here
    "#]],
    );
    check(
        "model m: process P: state A: trans goto A end; init: new P; end; end",
        expect![[r#"
        1:69: expected `.`, found the end of the text
          ``: not expected here
    "#]],
    );
    check(
        "model m: process P: state A: trans goto A end; init: new P; end; end. end",
        expect![[r#"
        1:71: expected nothing more, found `end`
          `end`: not expected here
    "#]],
    );
    check(
        "model m: var x : float; process P: state A: end; init: new P; end; end.",
        expect![[r#"
        1:18: expected `int`, `array` or `queue`, found `float`
          `float`: not expected here
    "#]],
    );
    check(
        "model m: var int : int; process P: state A: end; init: new P; end; end.",
        expect![[r#"
            1:14: expected a name, found `int`
              `int`: not expected here
              help: `int` has a meaning of its own
        "#]],
    );
    check(
        "model m: procss P: state A: end; init: new P; end; end.",
        expect![[r#"
        1:10: expected `var`, `const`, `process`, `init` or `end`, found `procss`
          `procss`: not expected here
    "#]],
    );
}

#[test]
fn several_mistakes_are_found_in_one_go() {
    check(
        &around(
            "trans x = ; goto A\n trans guard (x = 0 goto B\n trans x = 1; goto\n trans x = 1 goto B\n \
             trans x <= 1; goto A",
        ),
        expect![[r#"
            7:11: expected an expression, found `;`
              `;`: not expected here
            8:21: expected `)`, found `goto`
              `goto`: not expected here
            10:2: expected a name, found `trans`
              `trans`: not expected here
              help: `trans` has a meaning of its own
            10:14: expected `;`, found `goto`
              `goto`: not expected here
            11:10: expected `=`, `++` or `--`, found `<=`
              `<=`: not expected here
        "#]],
    );
    check(
        &around("trans guard (z = 0) goto C\n trans xx = 1; goto A\n trans x = x & 1; goto B"),
        expect![[r#"
        9:14: `&` means nothing here
          `&`: stray character
          help: write `and`
        9:16: expected `;`, found `1`
          `1`: not expected here
    "#]],
    );
    check(
        &around("trans guard (z = 0) goto C\n trans xx = zz; goto A\n trans b[1] = q; a = 2; goto B"),
        expect![[r#"
            7:14: `z` is not declared
              `z`: unknown here
            7:26: there is no state `C` here
              `C`: unknown
              help: there is `A`, `B`
            8:8: `xx` is not declared
              `xx`: unknown here
            8:13: `zz` is not declared
              `zz`: unknown here
            9:8: `b` is not declared
              `b`: unknown here
            9:15: the queue `q` is used as a value
              `q`: has no value
              help: receive from it with `x = recv(q);`, or ask for `len(q)`
            9:18: `a` needs 1 index, not 0
              `a`: an `int` is needed here
        "#]],
    );
}

#[test]
fn names_are_used_as_what_they_are() {
    check(
        &around("trans x[1] = 2; goto A"),
        expect![[r#"
        7:7: `x` is not an array
          `x[1]`: indexed here
    "#]],
    );
    check(
        &around("trans a = 2; goto A"),
        expect![[r#"
        7:7: `a` needs 1 index, not 0
          `a`: an `int` is needed here
    "#]],
    );
    check(
        &around("trans t[1] = 2; goto A"),
        expect![[r#"
        7:7: `t` needs 2 indices, not 1
          `t[1]`: an `int` is needed here
    "#]],
    );
    check(
        &around("trans N = 2; goto A"),
        expect![[r#"
        7:7: `N` is not a variable
          `N`: a variable is needed here
    "#]],
    );
    check(
        &around("trans q = 2; goto A"),
        expect![[r#"
        7:7: the queue `q` is used as a value
          `q`: has no value
          help: receive from it with `x = recv(q);`, or ask for `len(q)`
    "#]],
    );
    check(
        &around("trans x = q; goto A"),
        expect![[r#"
        7:11: the queue `q` is used as a value
          `q`: has no value
          help: receive from it with `x = recv(q);`, or ask for `len(q)`
    "#]],
    );
    check(
        &around("trans send(x, 1); goto A"),
        expect![[r#"
        7:12: `x` is not a queue
          `x`: a queue is needed here
    "#]],
    );
    check(
        &around("trans x = P.i; goto A"),
        expect![[r#"
        7:11: a process looks into another one
          `P.i`: only a property can do that
          help: use a global variable
    "#]],
    );
    check(
        &around("trans x = N[0]; goto A"),
        expect![[r#"
        7:11: `N` is not an array
          `N[0]`: indexed here
    "#]],
    );
}

#[test]
fn sends_and_receives_come_first() {
    check(
        &around("trans x = 1; send(q, x); goto A"),
        expect![[r#"
        7:14: a send or receive comes after a statement
          `send`: comes too late
          help: it decides whether the transition can be taken: put it before the statements
    "#]],
    );
    check(
        &around("trans x = recv(q); y = recv(q); goto A"),
        expect![[r#"
        7:20: a transition sends or receives twice
          `y`: the second time here
          help: one transition takes part in at most one send or receive
    "#]],
    );
    check(
        &around("trans x = 1 + recv(q); goto A"),
        expect![[r#"
        7:15: `recv` within an expression
          `recv`: received here
          help: receive into a variable first: `x = recv(queue);`
    "#]],
    );
    check(
        &around("trans x = 1; guard (x) goto A"),
        expect![[r#"
            7:14: a guard comes after a statement
              `guard`: comes too late
              help: a transition is `trans guard condition statements goto state`
        "#]],
    );
    check(
        &around("trans for k = 0 .. 1: for l = 0 .. 1: for m = 0 .. 1: send(q, 1); end; goto A"),
        expect![[r#"
            7:67: expected a statement, found `end`
              `end`: not expected here
        "#]],
    );
}

#[test]
fn indices_and_ranges_that_are_certainly_wrong() {
    check(
        &around("trans a[3] = 2; goto A"),
        expect![[r#"
        7:9: the index 3 is outside an array of 3
          `3`: outside
          help: indices count from 0 to 2
    "#]],
    );
    check(
        &around("trans for k = 0 .. N: a[k] = 2; goto A"),
        expect![[r#"
        7:25: the index 3 is outside an array of 3
          `k`: outside
          help: indices count from 0 to 2
    "#]],
    );
    check(
        &around("trans t[1][-1] = 2; goto A"),
        expect![[r#"
        7:12: the index -1 is outside an array of 4
          `-1`: outside
          help: indices count from 0 to 3
    "#]],
    );
    check(
        &around("trans x = a[pid - 1]; goto A"),
        expect![[r#"
        7:13: the index -1 is outside an array of 3
          `pid - 1`: outside
          help: indices count from 0 to 2
    "#]],
    );
    check(
        &around("trans for k = 0 .. x: goto A"),
        expect![[r#"
        7:20: the upper bound must be constant
          `x`: not constant
          help: declare what it depends on with `const NAME = value;`
    "#]],
    );
    check(
        &around("trans for k = 0 .. 1000000: goto A"),
        expect![[r#"
        7:11: `k` takes more than 65536 values
          `k = 0 .. 1000000`: too many values
    "#]],
    );
    check(
        &around("trans x = sum(k = 0 .. 60000: sum(l = 0 .. 60000: x)); goto A"),
        expect![[r#"
            7:35: the model becomes too large
              `l = 0 .. 60000`: here it outgrows the limit
        "#]],
    );
}

#[test]
fn declarations() {
    let model = |declarations: &str| format!("model m: {declarations} process P: state A: end; init: new P; end; end.");
    check(
        &model("var x, y, x : int;"),
        expect![[r#"
        1:20: `x` is declared twice
          `x`: the second time here
    "#]],
    );
    check(
        &model("var n : int; a : array[n] of int;"),
        expect![[r#"
        1:33: the size of an array must be constant
          `n`: not constant
          help: declare what it depends on with `const NAME = value;`
    "#]],
    );
    check(
        &model("var a : array[0] of int;"),
        expect![[r#"
        1:24: the size of an array is 0
          `0`: out of range
          help: at least 1 and at most 65536
    "#]],
    );
    check(
        &model("var a : array[50000] of array[50000] of int;"),
        expect![[r#"
        1:14: the variables become too many
          `a`: here they outgrow the limit
          help: a state has at most 65536 values
    "#]],
    );
    check(
        &model("var x = 1 div y, y : int;"),
        expect![[r#"
        1:24: `y` is not declared
          `y`: unknown here
    "#]],
    );
    check(
        &model("var y : int; x = 1 div y : int;"),
        expect![[r#"
        1:27: an initial value is divided by zero
          `1 div y`: divided here
          help: a variable without an initial value is 0
    "#]],
    );
    check(
        &model("var x = 99999999999 : int;"),
        expect![[r#"
        1:18: the number does not fit into 32 bits
          `99999999999`: too large
    "#]],
    );
    check(
        &model("var q = 1 : queue[2] of int;"),
        expect![[r#"
        1:18: a queue has no initial value
          `1`: not a value of a queue
          help: queues are empty at the beginning
    "#]],
    );
    check(
        &model("var q : queue[2] of array[2] of int;"),
        expect![[r#"
        1:30: expected `int`, found `array`
          `array`: not expected here
          help: the messages of a queue are of type `int`
    "#]],
    );
    check(
        &model("const N = M; const M = 1;"),
        expect![[r#"
        1:20: `M` is not declared
          `M`: unknown here
    "#]],
    );
    check(
        &model("var x = pid : int;"),
        expect![[r#"
        1:18: `pid` outside a process
          `pid`: no process here
    "#]],
    );
}

#[test]
fn processes_and_their_creation() {
    check(
        "model m: end.",
        expect![[r#"
        1:7: the model has no processes
          `m`: nothing happens here
    "#]],
    );
    check(
        "model m: process P: state A: end; end.",
        expect![[r#"
        1:7: no process is created
          `m`: nothing happens here
          help: create one: `init: new P; end;`
    "#]],
    );
    check(
        "model m: process P: end; init: new P; end; end.",
        expect![[r#"
        1:18: the process `P` has no states
          `P`: needs at least one `state`
    "#]],
    );
    check(
        "model m: process P: state A: state A: end; process P: state A: end; init: new Q; end; end.",
        expect![[r#"
            1:36: `A` is declared twice
              `A`: the second time here
            1:52: `P` is declared twice
              `P`: the second time here
            1:79: there is no process `Q`
              `Q`: unknown
        "#]],
    );
    check(
        "model m: process P: var q : queue[1] of int; state A: end; init: new P; end; end.",
        expect![[r#"
        1:25: a queue within a process
          `q`: must be global
          help: declare it in the `var` section of the model
    "#]],
    );
    check(
        "model m: process P: init: new P; end; state A: trans new P; goto A end; init: new P; end; end.",
        expect![[r#"
            1:27: a process is created by a process
              `new P;`: created here
              help: processes are created in the `init` of the model
            1:54: a process is created by a process
              `new P;`: created here
              help: processes are created in the `init` of the model
        "#]],
    );
    check(
        "model m: process P: state A: end; init: new P * 1000000; end; end.",
        expect![[r#"
        1:41: more than 4096 processes are created
          `new P * 1000000;`: too many
    "#]],
    );
    check(
        "model m: process P: state A: end; init: new P * -1; end; end.",
        expect![[r#"
        1:49: -1 processes are created
          `-1`: a negative number
    "#]],
    );
    check(
        "model m: process P: var i = j, j = 1 : int; state A: end; init: new P; end; end.",
        expect![[r#"
        1:29: `j` is not declared
          `j`: unknown here
          help: an initial value can use what is declared before it
    "#]],
    );
    check(
        "model m: process P: state A: end; init: new P; end; init: new P; end; end.",
        expect![[r#"
        1:53: a second `init`
          `init: new P; end;`: one `init` was there already
    "#]],
    );
    check(
        "model m: var a : array[2] of int; process P: init: a[pid] = 1; end; state A: end; init: new P * 3; end; end.",
        expect![[r#"
            1:54: the index 2 is outside an array of 2
              `pid`: outside
              help: indices count from 0 to 1
        "#]],
    );
}

#[test]
fn the_forks_of_the_thesis_have_no_number() {
    // The appendix's dining philosophers divide by an `N` that was never given a value.
    check(
        "model Dining:
var fork : array[3] of int; N : int;
process phil:
  var i = pid, j = (i + 1) % N : int;
  state think: trans guard (fork[j] = 0) fork[j] = 1; goto think
end;
init: new phil; new phil; new phil; end;
end.",
        expect![[r#"
            4:20: an initial value is divided by zero
              `(i + 1) % N`: divided here
              help: a variable without an initial value is 0
        "#]],
    );
}

#[test]
fn depth_is_bounded() {
    let deep = |open: &str, close: &str, depth: usize| {
        around(&format!("trans x = {}1{}; goto A", open.repeat(depth), close.repeat(depth)))
    };
    for text in [
        deep("(", ")", 100_000),
        deep("-", "", 100_000),
        deep("!", "", 100_000),
        deep("not ", "", 100_000),
        deep("a[", "]", 100_000),
        deep("all(k = 0 .. 1: ", ")", 100_000),
        deep("1 + ", "", 100_000),
        deep("", " and 1", 100_000),
    ] {
        let diagnostics = parse(Source::new("m.dmc", text)).expect_err("too deep");
        assert_eq!(diagnostics[0].message, "the expression is nested too deeply");
    }
    let nested = around(&format!("trans {} x = 1; {} goto A", "for k = 0 .. 1: ".repeat(9000), "end; ".repeat(9000)));
    assert!(parse(Source::new("m.dmc", nested)).is_err());
    let fors =
        around(&format!("trans x = 1; {} x = 1; {} goto A", "for k = 0 .. 0: ".repeat(9000), "end; ".repeat(9000)));
    assert!(parse(Source::new("m.dmc", fors)).is_err());
    // What is just allowed can be lowered, indices that are copied included.
    assert!(parse(Source::new("m.dmc", deep("(", ")", 90))).is_ok());
    assert!(parse(Source::new("m.dmc", deep("", " + x", 300))).is_ok());
    let diagnostics = parse(Source::new("m.dmc", deep("t[x][", "]", 60))).expect_err("3 to the power of 60 copies");
    assert_eq!(diagnostics[0].message, "the model becomes too large");
}

#[test]
fn constants_from_outside() {
    let source = Source::new("m.dmc", "model m: const N = 1; process P: state A: end; init: new P * N; end; end.");
    let set = |name: &str, value| parse_with(source.clone(), &[(name.to_string(), value)]);
    assert_eq!(set("N", 3).unwrap().processes.len(), 3);
    expect![[r#"
        1:7: the model has no constant `M` to be set
          `m`: this model
          help: its constants are `N`
    "#]]
    .assert_eq(&show(&set("M", 3).unwrap_err()));
    expect![[r#"
        1:20: the value 1099511627776 for `N` does not fit into 32 bits
          `1`: cannot be set to that
    "#]]
    .assert_eq(&show(&set("N", 1 << 40).unwrap_err()));
    expect![[r#"
        1:63: -1 processes are created
          `N`: a negative number
    "#]]
    .assert_eq(&show(&set("N", -1).unwrap_err()));
}

#[test]
fn properties() {
    let text = "model m: var x : int; process P: var i : int; state A: end; process Q: state A: end;
        init: new P * 2; new Q; end; end.";
    let program = parse(Source::new("m.dmc", text)).unwrap();
    let expression = |text: &str, expected: Expect| {
        expected.assert_eq(&show(&[parse_expression(&program, text).expect_err("no expression")]));
    };
    expression(
        "",
        expect![[r#"
        1:1: expected an expression, found the end of the text
          ``: not expected here
    "#]],
    );
    expression(
        "x = 1 x",
        expect![[r#"
        1:7: expected nothing more, found `x`
          `x`: not expected here
    "#]],
    );
    expression(
        "X = 1",
        expect![[r#"
            1:1: `X` is not declared
              `X`: unknown here
              help: did you mean `x`?
        "#]],
    );
    expression(
        "P.i = 1",
        expect![[r#"
        1:1: there are 2 instances of `P`
          `P`: which one?
          help: write `P[0]` to `P[1]`
    "#]],
    );
    expression(
        "P[2].i = 1",
        expect![[r#"
        1:3: there is no `P[2]`
          `2`: no such instance
          help: the instances of `P` count from 0 to 1
    "#]],
    );
    expression(
        "P[x].i = 1",
        expect![[r#"
        1:3: the number of an instance must be constant
          `x`: not constant
          help: declare what it depends on with `const NAME = value;`
    "#]],
    );
    expression(
        "Q.i = 1",
        expect![[r#"
        1:3: `Q` has no variable and no state `i`
          `i`: unknown
    "#]],
    );
    expression(
        "R.i = 1",
        expect![[r#"
        1:1: there is no process `R`
          `R`: unknown
    "#]],
    );
    expression(
        "Q.A[1]",
        expect![[r#"
        1:1: the state `A` is indexed
          `Q.A[1]`: not an array
    "#]],
    );
    expression(
        "pid",
        expect![[r#"
        1:1: `pid` outside a process
          `pid`: no process here
    "#]],
    );
    let automaton = |text: &str, expected: Expect| {
        let source = Source::new("m.buc", text);
        expected.assert_eq(&show(&parse_buchi(&program, source).expect_err("no automaton")));
    };
    automaton(
        "",
        expect![[r#"
        1:1: expected `bstate`, found the end of the text
          ``: not expected here
    "#]],
    );
    automaton(
        "bstate A: btrans guard (y) goto B bstate A: btrans x = 1; goto A",
        expect![[r#"
        1:52: expected `guard` or `goto`, found `x`
          `x`: not expected here
          help: a Büchi transition changes no variables
    "#]],
    );
    automaton(
        "bstate A: btrans guard (y) goto B bstate A: btrans goto A",
        expect![[r#"
        1:33: there is no state `B` here
          `B`: unknown
          help: there is `A`, `A`
        1:42: `A` is declared twice
          `A`: the second time here
    "#]],
    );
}
