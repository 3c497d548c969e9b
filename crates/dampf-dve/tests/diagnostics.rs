//! What people are told: the place, what is wrong, what stands there, and the way out.

use dampf_core::{Diagnostic, Source};
use expect_test::{Expect, expect};

/// Checks the diagnostics of a whole model.
fn check(text: &str, expected: Expect) {
    let errors = dampf_dve::parse(Source::new("test.dve", text)).expect_err("the text is wrong");
    expected.assert_eq(&errors.iter().map(drawn).collect::<String>());
}

/// Checks the diagnostics of a process that has variables, channels and a neighbour around it.
fn check_process(process: &str, expected: Expect) {
    let text = format!(
        "byte x, a[3]; const byte K = 1; channel bare; channel {{byte, int}} two[2];\n\
         {process}\n\
         process Other {{ byte v; state o; init o; trans o -> o {{ sync bare?; }}; }}\n\
         system async;\n"
    );
    check(&text, expected);
}

/// Checks the diagnostics of the body of a transition.
fn check_transition(body: &str, expected: Expect) {
    check_process(&format!("process P {{ byte y; state s, waiting; init s; trans\ns -> s {{ {body} }}; }}"), expected);
}

/// The line with the place underlined.
fn drawn(diagnostic: &Diagnostic) -> String {
    let at = diagnostic.source.location(diagnostic.span);
    let line = diagnostic.source.text.lines().nth(at.line as usize - 1).unwrap_or("").replace('\0', "?");
    let marked = diagnostic.source.slice(diagnostic.span).chars().take_while(|c| *c != '\n').count().max(1);
    let (blank, mark) = (" ".repeat(at.column as usize - 1), "^".repeat(marked));
    let help = diagnostic.help.as_ref().map(|help| format!("help: {help}\n")).unwrap_or_default();
    let (message, label) = (&diagnostic.message, &diagnostic.label);
    let source = format!("  {line}").trim_end().to_owned();
    format!("{}:{}: {message}\n{source}\n  {blank}{mark} {label}\n{help}", at.line, at.column)
}

#[test]
fn a_model_has_a_system_line() {
    check(
        "byte x;\n",
        expect![[r#"
            2:1: the model has no `system` line

              ^ the text ends here
            help: a model ends with `system async;`
        "#]],
    );
    check(
        "",
        expect![[r#"
            1:1: the model has no `system` line

              ^ the text ends here
            help: a model ends with `system async;`
        "#]],
    );
    check(
        "process P { state s; init s; }\nsystem sync;",
        expect![[r#"
        2:8: synchronous systems are not supported
          system sync;
                 ^^^^ all processes in step
        help: only `system async;` can be checked
    "#]],
    );
    check(
        "process P { state s; init s; }\nsystem async;\nbyte x;",
        expect![[r#"
        3:1: expected the end of the text, found `byte`
          byte x;
          ^^^^ not expected here
        help: `system async;` is the last line of a model
    "#]],
    );
    check(
        "process P { state s; init s; }\nsystem async property Q;",
        expect![[r#"
        2:23: the property `Q` is not a process of the model
          system async property Q;
                                ^ no such process
    "#]],
    );
    check(
        "byte x;\n\nsystem async;",
        expect![[r#"
        3:1: the model has no processes
          system async;
          ^^^^^^^^^^^^^ a system of nothing
        help: a model has at least one: `process P { state s; init s; }`
    "#]],
    );
    check(
        "byte x;\nbool y;\nsystem async;",
        expect![[r#"
            2:1: expected a declaration, a process or `system`, found `bool`
              bool y;
              ^^^^ not expected here
            help: the types are `byte` and `int`
        "#]],
    );
}

#[test]
fn declarations() {
    check(
        "byte x, x; channel x;\nint y = z, v = 1 / 0;\nsystem async;",
        expect![[r#"
            1:9: `x` is declared twice
              byte x, x; channel x;
                      ^ already the name of a variable
            1:20: `x` is declared twice
              byte x, x; channel x;
                                 ^ already the name of a variable
            2:9: unknown name `z`
              int y = z, v = 1 / 0;
                      ^ not declared
            2:16: an initial value divides by zero
              int y = z, v = 1 / 0;
                             ^^^^^ has no value
            3:1: the model has no processes
              system async;
              ^^^^^^^^^^^^^ a system of nothing
            help: a model has at least one: `process P { state s; init s; }`
        "#]],
    );
    check(
        "byte a[0], b[-1], c[2000000];\nbyte d = {1}, e[2] = 1, f[1] = {g[3]};\nsystem async;",
        expect![[r#"
            1:8: an array cannot have 0 elements
              byte a[0], b[-1], c[2000000];
                     ^ too small
            help: an array has at least one element
            1:14: an array cannot have -1 elements
              byte a[0], b[-1], c[2000000];
                           ^^ too small
            help: an array has at least one element
            1:21: the arrays and buffers of the model have more than 1000000 elements
              byte a[0], b[-1], c[2000000];
                                  ^^^^^^^ one too many here
            2:10: `d` is initialised with a list, but is no array
              byte d = {1}, e[2] = 1, f[1] = {g[3]};
                       ^^^ a list of values
            help: make it an array: `d[2]`
            2:22: the array `e` is initialised with one value
              byte d = {1}, e[2] = 1, f[1] = {g[3]};
                                   ^ a single value
            help: give a list: `{1, 2, 3}`
            2:33: unknown name `g`
              byte d = {1}, e[2] = 1, f[1] = {g[3]};
                                              ^ not declared
            3:1: the model has no processes
              system async;
              ^^^^^^^^^^^^^ a system of nothing
            help: a model has at least one: `process P { state s; init s; }`
        "#]],
    );
    check(
        "channel {byte} c[900000];\nchannel {byte, byte} d[100000];\nsystem async;",
        expect![[r#"
            2:24: the arrays and buffers of the model have more than 1000000 elements
              channel {byte, byte} d[100000];
                                     ^^^^^^ one too many here
            3:1: the model has no processes
              system async;
              ^^^^^^^^^^^^^ a system of nothing
            help: a model has at least one: `process P { state s; init s; }`
        "#]],
    );
    check(
        "channel c[2]; channel {byte} d[-1]; channel {bool} e[1];\nsystem async;",
        expect![[r#"
        1:46: expected a type, `byte` or `int`, found `bool`
          channel c[2]; channel {byte} d[-1]; channel {bool} e[1];
                                                       ^^^^ not expected here
    "#]],
    );
    check(
        "byte x\nbyte y;\nint 5;\nbyte process;\nsystem async;",
        expect![[r#"
            1:6: expected `;` after a declaration
              byte x
                   ^ `;` is missing after this
            3:5: expected the name of a variable, found `5`
              int 5;
                  ^ not expected here
            4:6: expected the name of a variable, found `process`
              byte process;
                   ^^^^^^^ not expected here
            help: this word has a meaning of its own and cannot be a name
        "#]],
    );
    check(
        "byte x = 99999999999, y = 12ab;\nsystem async;",
        expect![[r#"
        1:10: a number is too large
          byte x = 99999999999, y = 12ab;
                   ^^^^^^^^^^^ does not fit 32 bits
        help: the greatest number is 2147483647
        1:29: a number runs into a name
          byte x = 99999999999, y = 12ab;
                                      ^^ does not belong to a decimal number
        help: DVE has decimal numbers only, and names begin with a letter
    "#]],
    );
    check(
        "byte a[2], i; byte b = a[7], c = P.s;\nprocess P { state s; init s; } system async;",
        expect![[r#"
            1:26: index 7 is outside the array `a`
              byte a[2], i; byte b = a[7], c = P.s;
                                       ^ the array has 2 elements
            help: its indices are 0 to 1
            1:34: an initial value depends on the state of a process
              byte a[2], i; byte b = a[7], c = P.s;
                                               ^^^ not a constant
        "#]],
    );
}

#[test]
fn processes() {
    check_process(
        "process P { byte y; }",
        expect![[r#"
        2:9: process `P` has no states
          process P { byte y; }
                  ^ this process
        help: declare them: `state a, b;`
    "#]],
    );
    check_process(
        "process P { state s, t, s; }",
        expect![[r#"
        2:9: process `P` has no initial state
          process P { state s, t, s; }
                  ^ starts where?
        help: name one: `init s;`
        2:25: `s` is declared twice
          process P { state s, t, s; }
                                  ^ already the name of a state
    "#]],
    );
    check_process(
        "process P { state s, t; init u; commit v; accept S; }",
        expect![[r#"
        2:30: process `P` has no state `u`
          process P { state s, t; init u; commit v; accept S; }
                                       ^ not among its states
        2:40: process `P` has no state `v`
          process P { state s, t; init u; commit v; accept S; }
                                                 ^ not among its states
        2:50: process `P` has no state `S`
          process P { state s, t; init u; commit v; accept S; }
                                                           ^ not among its states
        help: there is a similar name: `s`
    "#]],
    );
    check_process(
        "process P { state s, t; init s, t; }",
        expect![[r#"
        2:33: process `P` has more than one initial state
          process P { state s, t; init s, t; }
                                          ^ the second one
    "#]],
    );
    check_process(
        "process P { channel c; state s; init s; }",
        expect![[r#"
        2:13: a channel is declared within a process
          process P { channel c; state s; init s; }
                      ^^^^^^^ declared here
        help: channels are global: declare it before the processes
    "#]],
    );
    check_process(
        "process Other { state s; init s; }",
        expect![[r#"
        3:9: `Other` is declared twice
          process Other { byte v; state o; init o; trans o -> o { sync bare?; }; }
                  ^^^^^ already the name of a process
    "#]],
    );
    check_process(
        "process P { state s; init s; accept rabin (s; s); }",
        expect![[r#"
            2:37: acceptance of kind `rabin` is not supported
              process P { state s; init s; accept rabin (s; s); }
                                                  ^^^^^ this kind of automaton
            help: list the accepting states of a Büchi automaton: `accept q1, q2;`
        "#]],
    );
    check_process(
        "process P { state s; init s; assert q: x == 1, s: nothing; }",
        expect![[r#"
        2:37: process `P` has no state `q`
          process P { state s; init s; assert q: x == 1, s: nothing; }
                                              ^ not among its states
        2:51: unknown name `nothing`
          process P { state s; init s; assert q: x == 1, s: nothing; }
                                                            ^^^^^^^ not declared
    "#]],
    );
    check_process(
        "process P { state s; init s;",
        expect![[r#"
        3:1: expected `}` to close process `P`, found `process`
          process Other { byte v; state o; init o; trans o -> o { sync bare?; }; }
          ^^^^^^^ not expected here
    "#]],
    );
    check_process(
        "process { state s; init s; }",
        expect![[r#"
        2:9: expected the name of a process, found `{`
          process { state s; init s; }
                  ^ not expected here
    "#]],
    );
}

#[test]
fn transitions() {
    check_process(
        "process P { state s; init s; trans -> s { }; }",
        expect![[r#"
        2:36: the first transition has no source state
          process P { state s; init s; trans -> s { }; }
                                             ^^ comes from where?
        help: only later transitions may leave it out, and then share the last one
    "#]],
    );
    check_process(
        "process P { state s; init s; trans s -> q { }, r -> s { guard 1; }; }",
        expect![[r#"
        2:41: process `P` has no state `q`
          process P { state s; init s; trans s -> q { }, r -> s { guard 1; }; }
                                                  ^ not among its states
        2:48: process `P` has no state `r`
          process P { state s; init s; trans s -> q { }, r -> s { guard 1; }; }
                                                         ^ not among its states
    "#]],
    );
    check_process(
        "process P { state s; init s; trans s => { s: 1 }; }",
        expect![[r#"
        2:38: probabilistic transitions are not supported
          process P { state s; init s; trans s => { s: 1 }; }
                                               ^^ chooses by probability
    "#]],
    );
    check_process(
        "process P { state s; init s; trans s -> s { }, }",
        expect![[r#"
        2:48: expected a transition after the comma, found `}`
          process P { state s; init s; trans s -> s { }, }
                                                         ^ not expected here
    "#]],
    );
    check_transition(
        "guard x == 1; guard x == 2;",
        expect![[r#"
        3:24: a transition has two `guard` parts
          s -> s { guard x == 1; guard x == 2; }; }
                                 ^^^^^ the second one
        help: write both in one part
    "#]],
    );
    check_transition(
        "guard x == 1",
        expect![[r#"
        3:23: expected `;` after the `guard` part, found `}`
          s -> s { guard x == 1 }; }
                                ^ not expected here
    "#]],
    );
    check_transition(
        "guard x = 1;",
        expect![[r#"
            3:18: expected `;` after the `guard` part, found `=`
              s -> s { guard x = 1; }; }
                               ^ not expected here
            help: to compare, write `==`
        "#]],
    );
    check_transition(
        "guard (x == 1;",
        expect![[r#"
        3:23: expected `)` to close the parenthesis, found `;`
          s -> s { guard (x == 1; }; }
                                ^ not expected here
    "#]],
    );
    check_transition(
        "effect x++;",
        expect![[r#"
        3:18: expected `=` in an assignment, found `++`
          s -> s { effect x++; }; }
                           ^^ not expected here
        help: DVE has no `++` and `--`: write `x = x + 1`
    "#]],
    );
    check_transition(
        "effect x += 1;",
        expect![[r#"
            3:20: expected an expression, found `=`
              s -> s { effect x += 1; }; }
                                 ^ not expected here
            help: DVE has no assignment that also computes: write `x = x + 1`
        "#]],
    );
    check_transition(
        "sync bare;",
        expect![[r#"
        3:19: expected `!` to send or `?` to receive, found `;`
          s -> s { sync bare; }; }
                            ^ not expected here
    "#]],
    );
    check_transition(
        "when x == 1;",
        expect![[r#"
        3:10: expected `guard`, `sync`, `effect` or `}`, found `when`
          s -> s { when x == 1; }; }
                   ^^^^ not expected here
    "#]],
    );
}

#[test]
fn names() {
    check_transition(
        "guard waitin == 1 or wating;",
        expect![[r#"
        3:16: unknown name `waitin`
          s -> s { guard waitin == 1 or wating; }; }
                         ^^^^^^ not declared
    "#]],
    );
    check_transition(
        "guard waiting;",
        expect![[r#"
        3:16: unknown name `waiting`
          s -> s { guard waiting; }; }
                         ^^^^^^^ not declared
        help: to ask whether the process is in that state: `P.waiting`
    "#]],
    );
    check_transition(
        "guard Other.waiting or Othr.o or Other.v;",
        expect![[r#"
        3:22: process `Other` has no state `waiting`
          s -> s { guard Other.waiting or Othr.o or Other.v; }; }
                               ^^^^^^^ not among its states
    "#]],
    );
    check_transition(
        "guard Othr.o; effect x = Other.v, y = Other->o, x = Other->w;",
        expect![[r#"
        3:16: unknown process `Othr`
          s -> s { guard Othr.o; effect x = Other.v, y = Other->o, x = Other->w; }; }
                         ^^^^ not declared
        help: there is a similar name: `Other`
        3:41: process `Other` has no state `v`
          s -> s { guard Othr.o; effect x = Other.v, y = Other->o, x = Other->w; }; }
                                                  ^ not among its states
        help: to read its variable: `Other->v`
        3:55: process `Other` has no variable `o`
          s -> s { guard Othr.o; effect x = Other.v, y = Other->o, x = Other->w; }; }
                                                                ^ not among its variables
        help: to ask for its state: `Other.o`
        3:69: process `Other` has no variable `w`
          s -> s { guard Othr.o; effect x = Other.v, y = Other->o, x = Other->w; }; }
                                                                              ^ not among its variables
    "#]],
    );
    check_transition(
        "guard x.o; sync x!; effect bare = 1, y = bare;",
        expect![[r#"
        3:16: `x` is not a process
          s -> s { guard x.o; sync x!; effect bare = 1, y = bare; }; }
                         ^ the name of a variable
        3:26: `x` is not a channel
          s -> s { guard x.o; sync x!; effect bare = 1, y = bare; }; }
                                   ^ the name of a variable
        3:37: `bare` is not a variable
          s -> s { guard x.o; sync x!; effect bare = 1, y = bare; }; }
                                              ^^^^ the name of a channel
        3:51: `bare` is not a variable
          s -> s { guard x.o; sync x!; effect bare = 1, y = bare; }; }
                                                            ^^^^ the name of a channel
    "#]],
    );
    check_transition(
        "sync nowhere!;",
        expect![[r#"
        3:15: unknown channel `nowhere`
          s -> s { sync nowhere!; }; }
                        ^^^^^^^ not declared
    "#]],
    );
    check_transition(
        "guard P and Other[1] and x[0] and a;",
        expect![[r#"
        3:16: `P` is not a variable
          s -> s { guard P and Other[1] and x[0] and a; }; }
                         ^ the name of a process
    "#]],
    );
}

#[test]
fn places_and_arities() {
    check_transition(
        "effect K = 1;",
        expect![[r#"
        3:17: cannot assign to the constant `K`
          s -> s { effect K = 1; }; }
                          ^ a constant
    "#]],
    );
    check_transition(
        "effect x + 1 = 2;",
        expect![[r#"
        3:17: cannot assign to this
          s -> s { effect x + 1 = 2; }; }
                          ^^^^^ not a variable
        help: a variable or an element of an array is needed: `x`, `a[i]`
    "#]],
    );
    check_transition(
        "effect Other->v = 2, a = 3, a[3] = 1, a[-1] = 1, x[1] = 0;",
        expect![[r#"
            3:17: cannot assign to this
              s -> s { effect Other->v = 2, a = 3, a[3] = 1, a[-1] = 1, x[1] = 0; }; }
                              ^^^^^^^^ not a variable
            help: only process `Other` itself changes its variables
            3:40: index 3 is outside the array `a`
              s -> s { effect Other->v = 2, a = 3, a[3] = 1, a[-1] = 1, x[1] = 0; }; }
                                                     ^ the array has 3 elements
            help: its indices are 0 to 2
            3:50: index -1 is outside the array `a`
              s -> s { effect Other->v = 2, a = 3, a[3] = 1, a[-1] = 1, x[1] = 0; }; }
                                                               ^^ the array has 3 elements
            help: its indices are 0 to 2
            3:61: `x` is not an array
              s -> s { effect Other->v = 2, a = 3, a[3] = 1, a[-1] = 1, x[1] = 0; }; }
                                                                          ^ has nothing to index
        "#]],
    );
    check_transition(
        "sync two!1;",
        expect![[r#"
        3:15: channel `two` carries 2 values, not 1
          s -> s { sync two!1; }; }
                        ^^^^^ has 1 value
        help: its declaration says what it carries
    "#]],
    );
    check_transition(
        "sync bare!1;",
        expect![[r#"
        4:62: channel `bare` carries 1 value, not 0
          process Other { byte v; state o; init o; trans o -> o { sync bare?; }; }
                                                                       ^^^^^ has 0 values
        help: the channel has no declared types: its first use decides what it carries
    "#]],
    );
    check_transition(
        "sync two?{x, 5};",
        expect![[r#"
        3:23: cannot receive into this
          s -> s { sync two?{x, 5}; }; }
                                ^ not a variable
        help: a variable or an element of an array is needed: `x`, `a[i]`
    "#]],
    );
    check_transition(
        "sync two?{K, y};",
        expect![[r#"
        3:20: cannot receive into the constant `K`
          s -> s { sync two?{K, y}; }; }
                             ^ a constant
    "#]],
    );
}

#[test]
fn properties_only_watch() {
    check(
        "byte x; channel c;\nprocess P { state s; init s; trans s -> s { guard W.q; }; }\nprocess W { byte y; state q; init q; assert q: x;\n  trans q -> q { effect x = 1; }, q -> q { sync c!; }; }\nsystem async property W;",
        expect![[r#"
            2:51: `W` is the property, not a process of the system
              process P { state s; init s; trans s -> s { guard W.q; }; }
                                                                ^ watches the system from outside
            3:18: a property process has a variable
              process W { byte y; state q; init q; assert q: x;
                               ^ changes with time
            help: a property automaton has states, guards and constants only
            3:45: the property `W` does more than watch
              process W { byte y; state q; init q; assert q: x;
                                                          ^ not allowed in a property
            help: the transitions of a property process have guards only
            4:25: the property `W` does more than watch
                trans q -> q { effect x = 1; }, q -> q { sync c!; }; }
                                      ^^^^^ not allowed in a property
            help: the transitions of a property process have guards only
            4:49: the property `W` does more than watch
                trans q -> q { effect x = 1; }, q -> q { sync c!; }; }
                                                              ^^ not allowed in a property
            help: the transitions of a property process have guards only
        "#]],
    );
}

#[test]
fn several_errors_are_found_in_one_go() {
    check(
        "byte x = ;\nbyte a[2];\nprocess P {\n  state s t;\n  init s;\n  trans\n    s -> s { guard (x; },\n    s - > s { },\n    s -> s { effect a[0] = 1; },\n    s -> s { sync ; };\n}\nprocess Q { state q; init q; trans q -> q { guard ; }; }\nsystem async;",
        expect![[r#"
            1:10: expected an expression, found `;`
              byte x = ;
                       ^ not expected here
            4:11: expected `;` after the list, found `t`
                state s t;
                        ^ not expected here
            7:22: expected `)` to close the parenthesis, found `;`
                  s -> s { guard (x; },
                                   ^ not expected here
            8:7: expected `->` between the states of a transition, found `-`
                  s - > s { },
                    ^ not expected here
            10:19: expected the name of a channel, found `;`
                  s -> s { sync ; };
                                ^ not expected here
            12:51: expected an expression, found `;`
              process Q { state q; init q; trans q -> q { guard ; }; }
                                                                ^ not expected here
        "#]],
    );
}

#[test]
fn strange_texts() {
    check(
        "byte x; /* never closed\nsystem async;",
        expect![[r#"
        1:9: a comment is not closed
          byte x; /* never closed
                  ^^ begins here
        help: close it with `*/`
    "#]],
    );
    check(
        "byte é;\nsystem async;",
        expect![[r#"
        1:6: unexpected character `é`
          byte é;
               ^ not part of the language
        1:7: expected the name of a variable, found `;`
          byte é;
                ^ not expected here
    "#]],
    );
    check(
        "byte x; \0 system async; @",
        expect![[r#"
        1:9: unexpected character `\0`
          byte x; ? system async; @
                  ^ not part of the language
        1:25: unexpected character `@`
          byte x; ? system async; @
                                  ^ not part of the language
    "#]],
    );
}

#[test]
fn nesting_is_bounded() {
    let guarded = |guard: String| {
        format!("byte x;\nprocess P {{ state s; init s; trans s -> s {{\nguard {guard}; }}; }}\nsystem async;")
    };
    let message = |text: String| {
        let errors = dampf_dve::parse(Source::new("test.dve", text)).expect_err("the text is wrong");
        format!("{}, {}", errors.len(), errors[0])
    };
    let accepted = |text: String| dampf_dve::parse(Source::new("test.dve", text)).is_ok();
    let parentheses = |depth: usize| guarded(format!("{}x{}", "(".repeat(depth), ")".repeat(depth)));
    let indices = |depth: usize| guarded(format!("{}x{}", "a[".repeat(depth), "]".repeat(depth)));
    let mixed = |depth: usize| {
        guarded(format!("{}x{}", "x imply x or x | x == x < x << x + x * (".repeat(depth), ")".repeat(depth)))
    };
    let too_deep = "an expression is nested more than 200 deep";
    assert!(accepted(parentheses(200)) && accepted(mixed(50)));
    assert_eq!(message(parentheses(201)), format!("1, test.dve:3:208: {too_deep}"));
    for count in [201, 1000, 100_000] {
        for text in [parentheses(count), indices(count), mixed(count), guarded("not ".repeat(count) + "x")] {
            assert!(message(text).contains(too_deep));
        }
        for text in ["- ", "~", "!"] {
            assert!(message(guarded(text.repeat(count) + "x")).contains(too_deep));
        }
    }
    assert!(accepted(guarded("x + ".repeat(400) + "x")));
    assert!(message(guarded("x + ".repeat(100_000) + "x")).contains("more than 500 operators within each other"));
    assert!(accepted(guarded("x, ".repeat(100_000) + "x")), "a long list of guards is not deep");
}

#[test]
fn pairs_are_bounded() {
    let transitions = |mark: char| vec![format!("s -> s {{ sync c{mark}; }}"); 1001].join(",\n");
    let process = |name: char, mark| format!("process {name} {{ state s; init s; trans\n{}; }}", transitions(mark));
    let text = format!("channel c;\n{}\n{}\nsystem async;", process('P', '!'), process('Q', '?'));
    let errors = dampf_dve::parse(Source::new("test.dve", text)).expect_err("too many");
    assert_eq!(errors[0].to_string(), "test.dve:1:9: there are more than 1000000 pairs of a send and a receive");
}
