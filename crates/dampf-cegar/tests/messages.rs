//! What front ends say of texts that they cannot read: every message once.

use dampf_cegar::input::{c, horn};
use dampf_core::Source;

fn of_clauses(text: &str) -> String {
    match horn::parse(&Source::new("clauses.smt2", text)) {
        Ok(_) => "was read".to_owned(),
        Err(errors) => errors[0].message.clone(),
    }
}

fn of_assertion(formula: &str) -> String {
    let declared = "(declare-fun p (Int) Bool) (declare-fun q (Bool Real) Bool)
                    (define-fun f ((x Int)) Int (+ x 1))";
    of_clauses(&format!("{declared} (assert (forall ((x Int) (y Int) (b Bool) (r Real)) {formula}))"))
}

fn of_program(text: &str) -> String {
    match c::parse(&Source::new("program.c", text)) {
        Ok(_) => "was read".to_owned(),
        Err(errors) => errors[0].message.clone(),
    }
}

fn of_body(body: &str) -> String {
    of_program(&format!(
        "int twice(int x) {{ return 2 * x; }} void quiet(void) {{}} int main(void) {{ int a = 1, b = 2; unsigned u = 3; {body} }}"
    ))
}

#[test]
fn commands_that_are_not_supported_are_named() {
    assert_eq!(of_clauses("x"), "a command is needed");
    assert_eq!(of_clauses("(set-logic QF_LIA)"), "the logic must be HORN");
    assert_eq!(
        of_clauses("(declare-fun f (Int) Int)"),
        "the function `f` is not supported: only predicates are uninterpreted"
    );
    assert_eq!(of_clauses("(declare-fun p (Int) Bool) (declare-const p Bool)"), "`p` is declared twice");
    assert_eq!(of_clauses("(declare-fun 5 () Bool)"), "a name is needed");
    assert_eq!(of_clauses("(define-fun 5 () Bool true)"), "a name is needed");
    assert_eq!(of_clauses("(declare-fun p ((Array Int Int)) Bool)"), "arrays are not supported");
    assert_eq!(of_clauses("(declare-fun p ((_ BitVec 8)) Bool)"), "bit-vectors are not supported");
    assert_eq!(of_clauses("(declare-fun p (Colour) Bool)"), "the sort `Colour` is not supported");
    assert_eq!(of_clauses("(define-fun-rec f ((x Int)) Int (f x))"), "recursive definitions are not supported");
    assert_eq!(of_clauses("(define-fun f ((x Int)) Int (f x))"), "recursive definitions are not supported");
    assert_eq!(of_clauses("(declare-datatypes () ())"), "datatypes are not supported");
    assert_eq!(of_clauses("(declare-sort S 0)"), "uninterpreted sorts are not supported");
    assert_eq!(of_clauses("(rule (p 1))"), "`rule` is of Z3's own clause format, which is not supported");
    assert_eq!(of_clauses("(push 1)"), "`push` is not supported: one problem per text");
    assert_eq!(of_clauses("(assert true false)"), "`assert` is no command with these arguments");
    assert_eq!(of_clauses("(define-fun f (x) Int 1)"), "a list of names and sorts is needed");
    assert_eq!(of_clauses("(define-sort N () Int) (declare-fun p (N) Bool) (exit) (nonsense)"), "was read");
}

#[test]
fn clauses_that_are_no_linear_horn_clauses_are_refused() {
    assert_eq!(of_assertion("(=> (and (p x) (p y)) false)"), "a nonlinear clause: its body has `p` and `p`");
    assert_eq!(of_assertion("(=> (and (p x) (q b r)) (p y))"), "a nonlinear clause: its body has `p` and `q`");
    assert_eq!(of_assertion("(or (p x) (q b r))"), "no Horn clause: its head has `p` and `q`");
    assert_eq!(
        of_assertion("(=> (forall ((z Int)) (p z)) false)"),
        "a quantifier alternates: `forall` in a body or `exists` in a head"
    );
    assert_eq!(of_assertion("(q (p x) r)"), "a predicate or a quantifier in an argument of `q`");
    let bodies = |count: i32| (0..count).map(|number| format!("(and (> x {number}) (p y)) ")).collect::<String>();
    assert_eq!(of_assertion(&format!("(=> (or {}) (p x))", bodies(200))), "was read");
    assert_eq!(of_assertion(&format!("(=> (or {}) (p x))", bodies(300))), "an assertion is more than 256 clauses");
}

#[test]
fn terms_that_are_not_linear_are_refused() {
    assert_eq!(of_assertion("(p (* x y))"), "a product of two variables is not linear");
    assert_eq!(of_assertion("(p (div x y))"), "a division by a variable is not linear");
    assert_eq!(of_assertion("(p (div x 0))"), "division by zero may be any number, which is not supported");
    assert_eq!(of_assertion("(p (mod x 1 2))"), "`mod` takes two arguments");
    assert_eq!(of_assertion("(=> (= (mod r 2) 1) (p x))"), "`div` and `mod` are of integers");
    assert_eq!(of_assertion("(p (select x 1))"), "`select`: arrays are not supported");
    assert_eq!(of_assertion("(p (bvadd x y))"), "`bvadd`: bit-vectors are not supported");
    assert_eq!(of_assertion("(p #b01)"), "bit-vectors are not supported");
    assert_eq!(
        of_assertion("(p ((_ int2bv 8) x))"),
        "`int2bv` is not supported: only linear arithmetic and Booleans are"
    );
    assert_eq!(of_assertion("(p (sin x))"), "`sin`: nonlinear functions are not supported");
    assert_eq!(of_assertion("(p (match x))"), "`match`: datatypes are not supported");
    assert_eq!(of_assertion("(p z)"), "unknown name `z`");
    assert_eq!(of_assertion("(p r)"), "a real stands where an integer is needed");
    assert_eq!(of_assertion("(p b)"), "a formula stands where a number is needed");
    assert_eq!(of_assertion("x"), "a number stands where a formula is needed");
    assert_eq!(of_assertion("(= x b)"), "a number and a formula are compared");
    assert_eq!(of_assertion("(p (ite b x b))"), "`ite` chooses between a number and a formula");
    assert_eq!(of_assertion("(p x y)"), "`p` takes 1 arguments");
    assert_eq!(of_assertion("(p (f x y))"), "`f` takes 1 arguments");
    assert_eq!(of_assertion("(let x y)"), "`let` needs a list of names and terms");
    assert_eq!(of_assertion("(let ((x)) y)"), "`let` binds names to terms");
    assert_eq!(of_assertion("(let ((z 1)))"), "`let` takes two arguments");
    assert_eq!(of_assertion("(!)"), "`!` takes one or more arguments");
    assert_eq!(of_assertion("()"), "`()` is no term");
    assert_eq!(of_assertion("(p :key)"), "this is no term");
    assert_eq!(of_assertion(&format!("(p {})", "9".repeat(60))), "a number exceeds 128 bits");
    let large = i128::MAX;
    assert_eq!(of_assertion(&format!("(p (+ (* {large} x) (* {large} x)))")), "a coefficient exceeds 128 bits");
}

#[test]
fn what_is_no_program_over_integers_is_refused() {
    assert_eq!(of_program("int f(void) { return 0; }"), "there is no function `main`");
    assert_eq!(of_program("int main(void) { return 0; } int main(void) { return 1; }"), "`main` is defined twice");
    assert_eq!(of_program("x"), "a declaration is needed");
    assert_eq!(of_program("int a[3]; int main(void) { return 0; }"), "arrays are not supported");
    assert_eq!(of_program("int *p; int main(void) { return 0; }"), "pointers are not supported");
    assert_eq!(of_program("int f(int *p) { return 0; } int main(void) { return 0; }"), "pointers are not supported");
    assert_eq!(
        of_program("struct s { int x; }; int main(void) { return 0; }"),
        "structures and unions are not supported"
    );
    assert_eq!(of_program("double d; int main(void) { return 0; }"), "floating-point numbers are not supported");
    assert_eq!(
        of_program("volatile int v; int main(void) { return 0; }"),
        "volatile and atomic variables are not supported"
    );
    assert_eq!(of_program("__int128 v; int main(void) { return 0; }"), "integers of 128 bits are not supported");
    assert_eq!(of_program("extern int v; int main(void) { return 0; }"), "the external variable `v` is not supported");
    assert_eq!(of_program("void v; int main(void) { return 0; }"), "`v` has no type of integers");
    assert_eq!(of_program("int v = {1}; int main(void) { return 0; }"), "initialisers in braces are not supported");
    assert_eq!(of_program("int x = 1; int y = x; int main(void) { return 0; }"), "a constant is needed");
    assert_eq!(of_program("enum { A B }; int main(void) { return 0; }"), "`,` or `}` is needed");
    assert_eq!(
        of_program("int f(x) { return x; } int main(void) { return 0; }"),
        "a parameter with its type is needed"
    );
    assert_eq!(of_program("int f(int"), "`)` is needed");
    assert_eq!(of_program("int main(void) {"), "a block is not closed");
    assert_eq!(of_program("__attribute__((x) int main(void) {}"), "an attribute is not closed");
    assert_eq!(
        of_program("int f(int n) { return n ? f(n - 1) : 0; } int main(void) { return f(3); }"),
        "the recursive function `f` is not supported"
    );
    let doubling: String =
        (1..16).map(|level| format!("void f{level}(void) {{ f{0}(); f{0}(); }}", level - 1)).collect();
    assert_eq!(
        of_program(&format!("int x; void f0(void) {{ x++; }} {doubling} int main(void) {{ f15(); }}")),
        "the program has more than 10000 steps"
    );
}

#[test]
fn statements_and_expressions_that_mean_nothing_here_are_refused() {
    assert_eq!(of_body("a = b * a;"), "a product of two variables is not linear");
    assert_eq!(of_body("a = 3 / a;"), "a division by a variable is not linear");
    assert_eq!(of_body("a = b << a;"), "a shift by a variable is not linear");
    assert_eq!(of_body("a = b / 0;"), "a division by zero");
    assert_eq!(of_body("a = 5 % 0;"), "a division by zero");
    assert_eq!(of_body("a = a << 40;"), "a shift by more bits than there are");
    assert_eq!(of_body("a = 2147483647 + 1;"), "a constant overflows its type");
    assert_eq!(of_body("a = a | b;"), "the bitwise operator `|` on variables is not supported");
    assert_eq!(of_body("a = a & 6;"), "the bitwise operator `&` on variables is not supported");
    assert_eq!(of_body("a = c;"), "unknown name `c`");
    assert_eq!(of_body("c = 1;"), "unknown name `c`");
    assert_eq!(of_body("a + b = 1;"), "this cannot be assigned to");
    assert_eq!(of_body("a = \"x\";"), "strings are not supported");
    assert_eq!(of_body("a = quiet();"), "`quiet` gives no value");
    assert_eq!(of_body("a = (void)b;"), "a void value is used");
    assert_eq!(of_body("a = twice();"), "`twice` takes 1 arguments");
    assert_eq!(of_body("unheard();"), "unknown function `unheard`");
    assert_eq!(of_program("int g(int); int main(void) { return g(1); }"), "the function `g` has no body");
    assert_eq!(of_body("assert();"), "`assert` takes another number of arguments");
    assert_eq!(of_body("a = *b;"), "pointers are not supported");
    assert_eq!(of_body("a = b[0];"), "arrays are not supported");
    assert_eq!(of_body("int c[2];"), "arrays are not supported");
    assert_eq!(of_body("a = b.x;"), "structures and unions are not supported");
    assert_eq!(of_body("a = (b)(1);"), "unknown function `b`");
    assert_eq!(of_body("a = (a + b)(1);"), "calls through pointers are not supported");
    assert_eq!(of_body("a = ({ 1; });"), "statements in expressions are not supported");
    assert_eq!(of_body("asm(\"nop\");"), "assembly statements are not supported");
    assert_eq!(of_body("goto *a;"), "computed gotos are not supported");
    assert_eq!(of_body("switch (a) { case 1 ... 3: ; }"), "ranges of cases are not supported");
    assert_eq!(of_body("goto nowhere;"), "there is no label `nowhere`");
    assert_eq!(of_body("l: ; l: ;"), "the label `l` stands twice");
    assert_eq!(of_body("case 1: ;"), "`case` outside of a `switch`");
    assert_eq!(of_body("default: ;"), "`default` outside of a `switch`");
    assert_eq!(of_body("switch (a) { case 1: case 1: ; }"), "the case 1 stands twice");
    assert_eq!(of_body("switch (a) { default: default: ; }"), "`default` stands twice");
    assert_eq!(of_body("break;"), "`break` outside of a loop");
    assert_eq!(of_body("continue;"), "`continue` outside of a loop");
    assert_eq!(of_body("int a = 1, a = 2;"), "`a` is declared twice");
    assert_eq!(of_body("static int s;"), "the static variable `s` within a function is not supported");
    assert_eq!(of_body("a = sizeof a;"), "`sizeof` needs a type in parentheses");
    assert_eq!(of_body("do { } a;"), "`while` is needed behind the body of `do`");
    assert_eq!(of_body("a = ;"), "an expression is needed");
    assert_eq!(of_body("a = 1"), "`;` is needed");
    assert_eq!(of_body("int 5;"), "a name is needed");
    assert_eq!(
        of_body("u = twice(a) ? u : u + 1;"),
        "a choice with side effects between unsigned numbers is not supported"
    );
}
