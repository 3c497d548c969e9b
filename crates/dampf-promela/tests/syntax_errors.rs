//! What people are told about the syntax of a text: the place, what is wrong, what stands there, and the way out.

use dampf_core::{Diagnostic, Source};
use expect_test::{Expect, expect};
use std::path::Path;

fn check(text: &str, expected: Expect) {
    let mut no_files = |_: &str, _: &Path| Err("no such file".to_owned());
    let errors = dampf_promela::read(Source::new("test.pml", text), &[], &mut no_files).expect_err("the text is wrong");
    expected.assert_eq(&errors.iter().map(drawn).collect::<String>());
}

/// The line with the place underlined.
fn drawn(diagnostic: &Diagnostic) -> String {
    let at = diagnostic.source.location(diagnostic.span);
    let line = diagnostic.source.text.lines().nth(at.line as usize - 1).unwrap_or("");
    let marked = diagnostic.source.slice(diagnostic.span).chars().take_while(|c| *c != '\n').count().max(1);
    let (blank, mark) = (" ".repeat(at.column as usize - 1), "^".repeat(marked));
    let help = diagnostic.help.as_ref().map(|help| format!("help: {help}\n")).unwrap_or_default();
    let (message, label) = (&diagnostic.message, &diagnostic.label);
    format!("{}:{}: {message}\n  {line}\n  {blank}{mark} {label}\n{help}", at.line, at.column)
}

#[test]
fn directives_are_checked() {
    check(
        "#defin N 3\ninit { skip }",
        expect![[r#"
            1:1: unknown directive `#defin`
              #defin N 3
              ^^^^^^ not a directive
            help: there is a similar name: `define`
        "#]],
    );
    check(
        "#include\n#ifdef\n#endif\n#endif\n#else\ninit { skip }",
        expect![[r#"
            1:1: expected the name of a file after `#include`
              #include
              ^^^^^^^^ includes nothing
            help: write it in quotes: `#include "types.h"`
            2:1: expected the name of a macro, found the end of the line
              #ifdef
              ^^^^^^ names nothing
            4:1: `#endif` without `#if`
              #endif
              ^^^^^^ continues nothing
            5:1: `#else` without `#if`
              #else
              ^^^^^ continues nothing
        "#]],
    );
    check(
        "#if 1 +\n#elif (1\n#else\n#elif\ninit { skip }",
        expect![[r#"
            1:1: a conditional is not closed
              #if 1 +
              ^^^ begins here
            help: close it with `#endif`
            1:7: expected a value, found the end of the line
              #if 1 +
                    ^ the line ends after this
            4:1: `#elif` after `#else`
              #elif
              ^^^^^ only `#endif` can come here
        "#]],
    );
    check(
        "#if 1 / 0\n#endif\n#if 0 && 1 / 0 || 1 ? 0 : 1 / 0\n#error not here\n#endif\n#error never   this\n",
        expect![[r#"
            1:7: division by zero in a condition
              #if 1 / 0
                    ^ divides by zero
            6:1: #error never this
              #error never   this
              ^^^^^^ this text is not meant to be read
        "#]],
    );
    check(
        "#if x = 1\n#endif\n#if 08\n#endif\ninit { skip }",
        expect![[r#"
            1:7: expected an operator or the end of the line, found `=`
              #if x = 1
                    ^ not expected here
            3:5: `08` is not a number
              #if 08
                  ^^ not an integer
        "#]],
    );
    check(
        "#define f(a, a) a\n#define g(a b) a\n#define h(\n#define 3\ninit { skip }",
        expect![[r#"
            1:14: the macro `f` has two parameters `a`
              #define f(a, a) a
                           ^ here again
            2:13: expected `,` or `)` of the macro `g`, found `b`
              #define g(a b) a
                          ^ not expected here
            help: a blank after the name makes it a macro without parameters
            3:9: expected a parameter of the macro `h`, found the end of the line
              #define h(
                      ^ not expected here
            help: a blank after the name makes it a macro without parameters
            4:9: expected the name of a macro, found `3`
              #define 3
                      ^ not a name
        "#]],
    );
    check(
        "init { skip } /* no end",
        expect![[r#"
            1:15: a comment is not closed
              init { skip } /* no end
                            ^^ begins here
            help: close it with `*/`
        "#]],
    );
}

#[test]
fn macros_are_checked() {
    check(
        "#define add(a, b) a + b\nbyte x; init { x = add(1); x = add(1, 2, 3); x = 1 }",
        expect![[r#"
            2:20: the macro `add` takes 2 arguments, not 1
              byte x; init { x = add(1); x = add(1, 2, 3); x = 1 }
                                 ^^^^^^ used here
            2:32: the macro `add` takes 2 arguments, not 3
              byte x; init { x = add(1); x = add(1, 2, 3); x = 1 }
                                             ^^^^^^^^^^^^ used here
        "#]],
    );
    check(
        "#define add(a, b) a + b\ninit { x = add(1 }",
        expect![[r#"
            2:12: the arguments of the macro `add` are not closed
              init { x = add(1 }
                         ^^^ used here
            help: close them with `)`
        "#]],
    );
    check(
        "#define glue(a, b) a ## b\nbyte x; init { x = glue(+, 1) }",
        expect![[r#"
            2:20: `+` and `1` together are not one word
              byte x; init { x = glue(+, 1) }
                                 ^^^^^^^^^^ pasted by `##` in this macro
            2:25: expected an expression, found `+`
              byte x; init { x = glue(+, 1) }
                                      ^ not expected here
        "#]],
    );
    check(
        "#define self self + 1\nbyte x; init { x = self }\ninit { x = }",
        expect![[r#"
            3:12: expected an expression, found `}`
              init { x = }
                         ^ not expected here
        "#]],
    );
}

#[test]
fn common_slips_have_a_way_out() {
    check(
        "byte x; init { if :: (x = 1) -> skip fi }",
        expect![[r#"
            1:25: expected `)` to close the parenthesis, found `=`
              byte x; init { if :: (x = 1) -> skip fi }
                                      ^ not expected here
            help: to compare, write `==`
        "#]],
    );
    check(
        "byte x; init { if x == 1 -> skip fi; x = 2 }",
        expect![[r#"
            1:19: expected `::` after `if`, found `x`
              byte x; init { if x == 1 -> skip fi; x = 2 }
                                ^ not expected here
            help: every option begins with `::`
        "#]],
    );
    check(
        "byte x; init { if :: x == 1 -> skip od; do :: skip fi }",
        expect![[r#"
            1:37: this `if` is closed by `od`
              byte x; init { if :: x == 1 -> skip od; do :: skip fi }
                                                  ^^ expected `fi`
            help: `if` ends with `fi`, and `do` with `od`
            1:52: this `do` is closed by `fi`
              byte x; init { if :: x == 1 -> skip od; do :: skip fi }
                                                                 ^^ expected `od`
            help: `if` ends with `fi`, and `do` with `od`
        "#]],
    );
    check(
        "byte x; init { if :: x == 1 : x = 2 fi }",
        expect![[r#"
            1:29: expected `;` or `->` after a statement, found `:`
              byte x; init { if :: x == 1 : x = 2 fi }
                                          ^ not expected here
            help: an option begins with `::`
        "#]],
    );
    check(
        "byte x; init { do :: skip }\ninit { skip }",
        expect![[r#"
            1:16: expected `::` or `od`, found `}`
              byte x; init { do :: skip }
                             ^^ not closed by `od`
        "#]],
    );
    check(
        "byte x; init { :: x = 1 }",
        expect![[r#"
            1:16: expected a statement, found `::`
              byte x; init { :: x = 1 }
                             ^^ not expected here
            help: options stand between `if` and `fi`, or between `do` and `od`
        "#]],
    );
    check(
        "chan c = [2] { byte }; chan d = 2 of { byte }; init { skip }",
        expect![[r#"
            1:14: expected `of` after the capacity of a channel, found `{`
              chan c = [2] { byte }; chan d = 2 of { byte }; init { skip }
                           ^ not expected here
            help: a channel is `[2] of { byte, bool }`
            1:35: expected the end of the declaration, found `of`
              chan c = [2] { byte }; chan d = 2 of { byte }; init { skip }
                                                ^^ not expected here
            help: a channel is `[2] of { byte, bool }`
        "#]],
    );
    check(
        "proctype P(byte a, byte b) { skip }\ninit { P(1, 2); rum Q() }",
        expect![[r#"
            1:20: expected the name of a variable, found `byte`
              proctype P(byte a, byte b) { skip }
                                 ^^^^ not expected here
            help: to begin another declaration, write `;` and not `,`
            2:8: `P` is a proctype
              init { P(1, 2); rum Q() }
                     ^ cannot be called
            help: to start a process, write `run P(…)`
            2:17: there is no type `rum`
              init { P(1, 2); rum Q() }
                              ^^^ not a type
            help: there is a similar name: `run`
        "#]],
    );
    check(
        "byte x; init { x += 1; ++x; x = x == 1 ? 2 : 3; !!x }",
        expect![[r#"
            1:19: expected an expression, found `=`
              byte x; init { x += 1; ++x; x = x == 1 ? 2 : 3; !!x }
                                ^ not expected here
            help: there is no assignment that also computes: write `x = x + 1`
            1:24: expected a statement, found `++`
              byte x; init { x += 1; ++x; x = x == 1 ? 2 : 3; !!x }
                                     ^^ not expected here
            help: write `x++` or `x--` as a statement of its own
            1:40: expected `;` or `->` after a statement, found `?`
              byte x; init { x += 1; ++x; x = x == 1 ? 2 : 3; !!x }
                                                     ^ not expected here
            help: a choice between two values is `(a -> b : c)`
            1:49: expected a statement, found `!!`
              byte x; init { x += 1; ++x; x = x == 1 ? 2 : 3; !!x }
                                                              ^^ not expected here
            help: `!!` sends in order; to negate twice, write `! !`
        "#]],
    );
    check(
        "byte x; init { while (x) { skip } }",
        expect![[r#"
            1:16: there is no `while`
              byte x; init { while (x) { skip } }
                             ^^^^^ not expected here
            help: write `do :: condition -> … :: else -> break od`
        "#]],
    );
    check(
        "byte x; init { x = 1\n+ 2 }",
        expect![[r#"
            2:1: expected a statement, found `+`
              + 2 }
              ^ not expected here
            help: a line that can end a statement does: put the operator at its end, or use parentheses
        "#]],
    );
    check(
        "chan c; init { chan d = [1]\nof { byte } }",
        expect![[r#"
            1:27: expected `of` after the capacity of a channel, found the end of the line
              chan c; init { chan d = [1]
                                        ^ the line ends after this
            help: a line that can end a statement does: put the operator at its end, or use parentheses
        "#]],
    );
    check(
        "byte x; init { x = 1 x = 2 }",
        expect![[r#"
            1:22: expected `;` or `->` after a statement, found `x`
              byte x; init { x = 1 x = 2 }
                                   ^ not expected here
        "#]],
    );
    check(
        "foo x; bytes y; init { itn z }",
        expect![[r#"
            1:1: there is no type `foo`
              foo x; bytes y; init { itn z }
              ^^^ not a type
            help: a record must be declared with `typedef` before it is used
            1:8: there is no type `bytes`
              foo x; bytes y; init { itn z }
                     ^^^^^ not a type
            help: there is a similar name: `byte`
            1:24: there is no type `itn`
              foo x; bytes y; init { itn z }
                                     ^^^ not a type
            help: a record must be declared with `typedef` before it is used
        "#]],
    );
    check(
        "byte x; x = 3; init { skip }",
        expect![[r#"
            1:9: expected a declaration, a proctype or another part of a model, found `x`
              byte x; x = 3; init { skip }
                      ^ not expected here
            help: statements stand in the body of a proctype or of `init`
        "#]],
    );
    check(
        "init { skip } }",
        expect![[r#"
            1:15: expected a declaration, a proctype or another part of a model, found `}`
              init { skip } }
                            ^ not expected here
            help: is there one `}` too many before it?
        "#]],
    );
    check(
        "byte if; init { byte of }",
        expect![[r#"
            1:6: expected the name of a variable, found `if`
              byte if; init { byte of }
                   ^^ not expected here
            help: this word has a meaning of its own and cannot be a name
            1:22: expected the name of a variable, found `of`
              byte if; init { byte of }
                                   ^^ not expected here
            help: this word has a meaning of its own and cannot be a name
        "#]],
    );
    check(
        "init { for (i = 1 .. 3) { skip } }",
        expect![[r#"
            1:15: expected `:` before a range, found `=`
              init { for (i = 1 .. 3) { skip } }
                            ^ not expected here
            help: a range is written `i : 1 .. 3`
        "#]],
    );
    check(
        "init { assert x = 1 }",
        expect![[r#"
            1:17: expected `;` or `->` after a statement, found `=`
              init { assert x = 1 }
                              ^ not expected here
            help: to compare, write `==`
        "#]],
    );
    check(
        "init { skip\nproctype P() { skip }",
        expect![[r#"
            1:6: expected `}` after the body of `init`, found the end of the text
              init { skip
                   ^ opened here
            2:1: expected a statement, found `proctype`
              proctype P() { skip }
              ^^^^^^^^ not expected here
            help: is the `}` of the process before it missing?
        "#]],
    );
}

#[test]
fn other_tools_are_named() {
    check(
        "c_decl { int *p; }\nc_state \"int x\" \"Global\"\nc_track \"p\" \"4\"\ninit { c_code { x = '\"'; }; c_expr { x } -> skip }",
        expect![[r#"
            1:1: `c_decl` is not supported
              c_decl { int *p; }
              ^^^^^^ embedded C
            help: models with C in them cannot be checked; write it in Promela
            2:1: `c_state` is not supported
              c_state "int x" "Global"
              ^^^^^^^ embedded C
            help: models with C in them cannot be checked; write it in Promela
            3:1: `c_track` is not supported
              c_track "p" "4"
              ^^^^^^^ embedded C
            help: models with C in them cannot be checked; write it in Promela
            4:8: `c_code` is not supported
              init { c_code { x = '"'; }; c_expr { x } -> skip }
                     ^^^^^^ embedded C
            help: models with C in them cannot be checked; write it in Promela
            4:29: `c_expr` is not supported
              init { c_code { x = '"'; }; c_expr { x } -> skip }
                                          ^^^^^^ embedded C
            help: models with C in them cannot be checked; write it in Promela
        "#]],
    );
}

#[test]
fn inlines_are_checked() {
    check(
        "inline f(a) { a = 1 } byte x; init { f(x, 2); f(); g(x); x = 1 + f(x) }",
        expect![[r#"
            1:38: the inline `f` takes 1 argument, not 2
              inline f(a) { a = 1 } byte x; init { f(x, 2); f(); g(x); x = 1 + f(x) }
                                                   ^^^^^^^ called here
            1:47: the inline `f` takes 1 argument, not 0
              inline f(a) { a = 1 } byte x; init { f(x, 2); f(); g(x); x = 1 + f(x) }
                                                            ^^^ called here
            1:52: there is no inline `g`
              inline f(a) { a = 1 } byte x; init { f(x, 2); f(); g(x); x = 1 + f(x) }
                                                                 ^ called here
            help: an inline must be defined before it is called
            1:66: `f` is an inline
              inline f(a) { a = 1 } byte x; init { f(x, 2); f(); g(x); x = 1 + f(x) }
                                                                               ^ cannot be called here
            help: call it in a statement of its own: `f(…)`, or `x = f(…)`
        "#]],
    );
    check(
        "inline f(a) { g(a) } inline g(a) { f(a) } byte x; init { f(x) }",
        expect![[r#"
            1:36: the inline `f` calls itself
              inline f(a) { g(a) } inline g(a) { f(a) } byte x; init { f(x) }
                                                 ^^^^ would be replaced without end
        "#]],
    );
    check(
        "inline f(a) { a = } byte x; init { f(x); f(x) }",
        expect![[r#"
            1:19: expected an expression, found `}`
              inline f(a) { a = } byte x; init { f(x); f(x) }
                                ^ not expected here
        "#]],
    );
    check(
        "inline f(a) { return a } byte x; init { f(1); return 3 }",
        expect![[r#"
            1:15: the inline `f` returns a value that nobody takes
              inline f(a) { return a } byte x; init { f(1); return 3 }
                            ^^^^^^ returned here
            help: call it as `x = f(…)`
            1:47: `return` outside of an inline
              inline f(a) { return a } byte x; init { f(1); return 3 }
                                                            ^^^^^^ returns to nowhere
        "#]],
    );
    check(
        "inline f(a, a) { skip } inline f() { skip } init { f() }",
        expect![[r#"
            1:13: the inline `f` has two parameters `a`
              inline f(a, a) { skip } inline f() { skip } init { f() }
                          ^ here again
            1:32: the inline `f` is defined twice
              inline f(a, a) { skip } inline f() { skip } init { f() }
                                             ^ defined here again
        "#]],
    );
    check(
        "inline empty() { } init { empty(x) }",
        expect![[r#"
            1:8: expected the name of an inline, found `empty`
              inline empty() { } init { empty(x) }
                     ^^^^^ not expected here
            help: this word has a meaning of its own and cannot be a name
        "#]],
    );
    check(
        "inline f() { } init { f() }",
        expect![[r#"
            1:14: expected a statement, found `}`
              inline f() { } init { f() }
                           ^ not expected here
            help: `skip` is a statement that does nothing
        "#]],
    );
    check(
        "inline f(a) { skip",
        expect![[r#"
            1:13: expected `}` after the body of an inline, found the end of the text
              inline f(a) { skip
                          ^ opened here
        "#]],
    );
    check(
        "inline raise(a) { a++ } init { raize(x); raise( }",
        expect![[r#"
            1:32: there is no inline `raize`
              inline raise(a) { a++ } init { raize(x); raise( }
                                             ^^^^^ called here
            help: there is a similar name: `raise`
            1:47: the arguments of a call are not closed
              inline raise(a) { a++ } init { raize(x); raise( }
                                                            ^ opened here
        "#]],
    );
}

#[test]
fn declarations_are_checked() {
    check(
        "unsigned x; int y : 3; chan c = [1] of { unsigned : 3 }; init { skip }",
        expect![[r#"
            1:10: the unsigned `x` has no width
              unsigned x; int y : 3; chan c = [1] of { unsigned : 3 }; init { skip }
                       ^ how many bits?
            help: give it a number of bits: `unsigned x : 3`
            1:19: `y` cannot have a width
              unsigned x; int y : 3; chan c = [1] of { unsigned : 3 }; init { skip }
                                ^ not expected here
            help: only an `unsigned` has a number of bits
            1:42: `unsigned` cannot be a part of a message
              unsigned x; int y : 3; chan c = [1] of { unsigned : 3 }; init { skip }
                                                       ^^^^^^^^ not expected here
            help: take `byte`, `short` or `int`
        "#]],
    );
    check(
        "typedef T { byte a byte b }; typedef U { }; init { skip }",
        expect![[r#"
            1:20: expected `;` after a field, found `byte`
              typedef T { byte a byte b }; typedef U { }; init { skip }
                                 ^^^^ not expected here
            1:38: the type `U` has no fields
              typedef T { byte a byte b }; typedef U { }; init { skip }
                                                   ^ declared here
        "#]],
    );
    check(
        "mtype = { a, if }; init { mtype = { b } }",
        expect![[r#"
            1:14: expected a name of the mtype, or `}`, found `if`
              mtype = { a, if }; init { mtype = { b } }
                           ^^ not expected here
            help: this word has a meaning of its own and cannot be a name
            1:27: the names of an mtype are declared inside a process
              mtype = { a, if }; init { mtype = { b } }
                                        ^^^^^ must be outside of all processes
        "#]],
    );
    check(
        "active proctype { skip } active foo() { skip } never 3 { skip }",
        expect![[r#"
            1:17: expected the name of a proctype, found `{`
              active proctype { skip } active foo() { skip } never 3 { skip }
                              ^ not expected here
            1:33: expected `proctype`, found `foo`
              active proctype { skip } active foo() { skip } never 3 { skip }
                                              ^^^ not expected here
            1:54: expected `{` before the body of a claim, found `3`
              active proctype { skip } active foo() { skip } never 3 { skip }
                                                                   ^ not expected here
        "#]],
    );
    check(
        "ltl p { } ltl q { [] x",
        expect![[r#"
            1:1: the formula is empty
              ltl p { } ltl q { [] x
              ^^^^^^^^^ says nothing
            1:17: expected `}` after the formula of `ltl`, found the end of the text
              ltl p { } ltl q { [] x
                              ^ opened here
        "#]],
    );
    check(
        "byte a[2 = 3; byte b = ; byte c[]; init { skip }",
        expect![[r#"
            1:10: expected `]` after the size of an array, found `=`
              byte a[2 = 3; byte b = ; byte c[]; init { skip }
                       ^ not expected here
            1:24: expected an expression, found `;`
              byte a[2 = 3; byte b = ; byte c[]; init { skip }
                                     ^ not expected here
            1:32: expected `[` and the size of an array, found `[]`
              byte a[2 = 3; byte b = ; byte c[]; init { skip }
                                             ^^ not expected here
        "#]],
    );
}

#[test]
fn statements_are_checked() {
    check(
        "init { goto 3; goto; break 2; atomic x = 1; d_step }",
        expect![[r#"
            1:13: expected the name of a label, found `3`
              init { goto 3; goto; break 2; atomic x = 1; d_step }
                          ^ not expected here
            1:20: expected the name of a label, found `;`
              init { goto 3; goto; break 2; atomic x = 1; d_step }
                                 ^ not expected here
            1:28: expected `;` or `->` after a statement, found `2`
              init { goto 3; goto; break 2; atomic x = 1; d_step }
                                         ^ not expected here
            1:38: expected `{` before the statements of `atomic`, found `x`
              init { goto 3; goto; break 2; atomic x = 1; d_step }
                                                   ^ not expected here
            1:52: expected `{` before the statements of `d_step`, found `}`
              init { goto 3; goto; break 2; atomic x = 1; d_step }
                                                                 ^ not expected here
        "#]],
    );
    check(
        "init { c! ; c? ; c?[ ; c?[x; c?<x; c?-y; c?x + 1; c!x(1 }",
        expect![[r#"
            1:11: expected an expression, found `;`
              init { c! ; c? ; c?[ ; c?[x; c?<x; c?-y; c?x + 1; c!x(1 }
                        ^ not expected here
            1:16: expected a variable, a constant, `eval(…)` or `_`, found `;`
              init { c! ; c? ; c?[ ; c?[x; c?<x; c?-y; c?x + 1; c!x(1 }
                             ^ not expected here
            1:22: expected a variable, a constant, `eval(…)` or `_`, found `;`
              init { c! ; c? ; c?[ ; c?[x; c?<x; c?-y; c?x + 1; c!x(1 }
                                   ^ not expected here
            1:28: expected `]` after what is polled for, found `;`
              init { c! ; c? ; c?[ ; c?[x; c?<x; c?-y; c?x + 1; c!x(1 }
                                         ^ not expected here
            1:34: expected `>` after what is copied from a message, found `;`
              init { c! ; c? ; c?[ ; c?[x; c?<x; c?-y; c?x + 1; c!x(1 }
                                               ^ not expected here
            1:39: expected a number, found `y`
              init { c! ; c? ; c?[ ; c?[x; c?<x; c?-y; c?x + 1; c!x(1 }
                                                    ^ not expected here
            1:46: expected `;` or `->` after a statement, found `+`
              init { c! ; c? ; c?[ ; c?[x; c?<x; c?-y; c?x + 1; c!x(1 }
                                                           ^ not expected here
            1:57: expected `)` after the values of a message, found `}`
              init { c! ; c? ; c?[ ; c?[x; c?<x; c?-y; c?x + 1; c!x(1 }
                                                                      ^ not expected here
        "#]],
    );
    check(
        "init { printf(x); printf(\"a; run 3; run P; len(3) }\n",
        expect![[r#"
            1:15: expected a string, found `x`
              init { printf(x); printf("a; run 3; run P; len(3) }
                            ^ not expected here
            1:26: a quote is not closed on its line
              init { printf(x); printf("a; run 3; run P; len(3) }
                                       ^^^^^^^^^^^^^^^^^^^^^^^^^^ begins here
        "#]],
    );
    check(
        "init { x = 3 +; x = * 4; (x; x); x = (1 -> 2) }",
        expect![[r#"
            1:15: expected an expression, found `;`
              init { x = 3 +; x = * 4; (x; x); x = (1 -> 2) }
                            ^ not expected here
            1:21: expected an expression, found `*`
              init { x = 3 +; x = * 4; (x; x); x = (1 -> 2) }
                                  ^ not expected here
            1:28: expected `)` to close the parenthesis, found `;`
              init { x = 3 +; x = * 4; (x; x); x = (1 -> 2) }
                                         ^ not expected here
            1:45: expected `:` between the values of a conditional expression, found `)`
              init { x = 3 +; x = * 4; (x; x); x = (1 -> 2) }
                                                          ^ not expected here
        "#]],
    );
    check(
        "init { x = 3 $ 4; x = 99999999999; x = 0x10; x = 'ab' }",
        expect![[r#"
            1:14: unexpected character `$`
              init { x = 3 $ 4; x = 99999999999; x = 0x10; x = 'ab' }
                           ^ not part of the language
            1:23: a number is too large
              init { x = 3 $ 4; x = 99999999999; x = 0x10; x = 'ab' }
                                    ^^^^^^^^^^^ does not fit 32 bits
            help: the greatest number is 2147483647
            1:40: `0x10` is not a number
              init { x = 3 $ 4; x = 99999999999; x = 0x10; x = 'ab' }
                                                     ^^^^ not decimal
            help: Promela has decimal numbers only, and names begin with a letter
            1:50: a quote is not closed on its line
              init { x = 3 $ 4; x = 99999999999; x = 0x10; x = 'ab' }
                                                               ^ begins here
        "#]],
    );
    check(
        "init { } never { skip; ",
        expect![[r#"
            1:8: expected a statement, found `}`
              init { } never { skip; 
                     ^ not expected here
            help: `skip` is a statement that does nothing
            1:16: expected `}` after the body of a claim, found the end of the text
              init { } never { skip; 
                             ^ opened here
        "#]],
    );
    check(
        "init { select (i : 1); for (i in 3) { skip } ; for (i : 1 .. 2) skip }",
        expect![[r#"
            1:21: expected `..` between the ends of a range, found `)`
              init { select (i : 1); for (i in 3) { skip } ; for (i : 1 .. 2) skip }
                                  ^ not expected here
            help: a range is written `i : 1 .. 3`
            1:34: expected an array or a channel, found `3`
              init { select (i : 1); for (i in 3) { skip } ; for (i : 1 .. 2) skip }
                                               ^ not expected here
            1:65: expected `{` before the statements of a loop, found `skip`
              init { select (i : 1); for (i in 3) { skip } ; for (i : 1 .. 2) skip }
                                                                              ^^^^ not expected here
        "#]],
    );
    check(
        "init { a: }\ninit { unless { x } }\ninit { x unless }",
        expect![[r#"
            2:8: expected a statement, found `unless`
              init { unless { x } }
                     ^^^^^^ not expected here
            3:17: expected a statement, found `}`
              init { x unless }
                              ^ not expected here
        "#]],
    );
}

#[test]
fn nesting_is_bounded() {
    let first = |text: String| {
        let mut no_files = |_: &str, _: &Path| Err(String::new());
        let outcome = dampf_promela::read(Source::new("test.pml", text), &[], &mut no_files);
        outcome.map(drop).map_err(|errors| {
            assert_eq!(errors.len(), 1, "{errors:#?}");
            errors[0].message.clone()
        })
    };
    let repeated = |before: &str, open: &str, middle: &str, close: &str, after: &str, count: usize| {
        format!("{before}{}{middle}{}{after}", open.repeat(count), close.repeat(count))
    };
    let shapes = [
        ("byte x; init { x = ", "(", "x", ")", " }", "an expression is nested more than 200 deep"),
        ("byte x; init { x = ", "-(", "x", ")", " }", "an expression is nested more than 200 deep"),
        ("byte x; init { x = ", "x[", "1", "]", " }", "an expression is nested more than 200 deep"),
        ("byte x; init { x ? ", "(", "x", ")", " }", "a message is nested more than 200 deep"),
        ("init ", "{", " skip ", "}", "", "a statement is nested more than 200 deep"),
        ("init { ", "if :: do :: ", "skip", " od fi", " }", "a statement is nested more than 200 deep"),
        ("#if ", "(", "1", ")", "\n#endif", "a condition is nested more than 200 deep"),
        ("#if ", "1 ? ", "1", " : 0", "\n#endif", "a condition is nested more than 200 deep"),
        ("#define f(x) x\nbyte x; init { x = ", "f(", "1", ")", " }", {
            "macros are used within more than 100 arguments of macros"
        }),
    ];
    for (before, open, middle, close, after, message) in shapes {
        let text = |count| repeated(before, open, middle, close, after, count);
        assert_eq!(first(text(80)), Ok(()), "{open}");
        assert_eq!(first(text(2_000)), Err(message.to_owned()), "{open}");
    }
    let sum = |count| repeated("byte x; init { x = ", "x + ", "x", "", " }", count);
    assert_eq!(first(sum(400)), Ok(()));
    assert_eq!(first(sum(20_000)), Err("an expression has more than 500 operators within each other".to_owned()));
}

#[test]
fn what_grows_is_bounded() {
    let doubled: String = (0..60).map(|level| format!("#define m{level} m{} m{}\n", level + 1, level + 1)).collect();
    check(
        &format!("{doubled}init {{ m0 }}"),
        expect![[r#"
            61:8: macros make more than 1000000 words
              init { m0 }
                     ^^ goes no further than here
        "#]],
    );
    let nested: String =
        (0..60).map(|level| format!("inline f{}() {{ f{level}(); f{level}() }}\n", level + 1)).collect();
    check(
        &format!("inline f0() {{ skip }}\n{nested}init {{ f60() }}"),
        expect![[r#"
            4:15: inline calls become more than 1000000 words
              inline f3() { f2(); f2() }
                            ^^^^ goes no further than here
        "#]],
    );
    let mut itself = |name: &str, _: &Path| Ok((name.to_owned(), format!("byte x;\n#include \"{name}\"\n")));
    let errors = dampf_promela::read(Source::new("test.pml", "#include \"a.h\"\n"), &[], &mut itself).unwrap_err();
    assert_eq!(errors.len(), 1);
    expect!["a.h:2:10: `a.h` is included within too many other files (do two files include each other? guard them with `#ifndef`)"]
    .assert_eq(&errors[0].to_string());
}
