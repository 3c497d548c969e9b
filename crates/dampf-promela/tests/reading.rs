//! What a text means: trees, rendered with everything explicit.

mod rendering;

use dampf_core::Source;
use dampf_promela::ast::{Model, Statement, StatementKind, Unit};
use dampf_promela::{read, read_expression};
use expect_test::{Expect, expect, expect_file};
use std::path::{Path, PathBuf};

fn no_files(name: &str, _: &Path) -> Result<(String, String), String> {
    Err(format!("there is no file `{name}`"))
}

fn parsed(text: &str) -> Model {
    read(Source::new("test.pml", text), &[], &mut no_files).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Checks the statements of an `init`.
fn check(text: &str, expected: Expect) {
    let model = parsed(&format!("{text}\n"));
    let Some(Unit::Proctype(init)) = model.units.last() else { panic!("no process at the end") };
    expected.assert_eq(&rendering::statements(&init.body, 0));
}

fn check_init(text: &str, expected: Expect) {
    check(&format!("init {{ {text} }}"), expected);
}

fn check_expression(text: &str, expected: &str) {
    let source = Source::new("expression", text);
    let expr = read_expression(&source, ["P"]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(rendering::expr(&expr), expected, "{text}");
}

fn texts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts")
}

/// A file of a folder, beside the file that names it.
fn beside(name: &str, including: &Path) -> Result<(String, String), String> {
    let path = including.with_file_name(name);
    std::fs::read_to_string(texts().join(&path))
        .map(|text| (path.display().to_string(), text))
        .map_err(|error| error.to_string())
}

fn check_file(name: &str) {
    let text = std::fs::read_to_string(texts().join(name).with_extension("pml")).unwrap();
    let model = read(Source::new(format!("{name}.pml"), text), &[], &mut beside);
    let model = model.unwrap_or_else(|errors| panic!("{errors:#?}"));
    expect_file![texts().join(name).with_extension("tree")].assert_eq(&rendering::model(&model));
}

#[test]
fn all_declarations() {
    check_file("declarations");
}

#[test]
fn all_statements() {
    check_file("statements");
}

#[test]
fn macros_and_inlines() {
    check_file("replaced");
}

#[test]
fn operators_bind_as_in_c() {
    check_expression("a || b && c | d ^ e & f == g < h << i + j * k", {
        "(a || (b && (c | (d ^ (e & (f == (g < (h << (i + (j * k)))))))))"
    });
    check_expression("a * b + c >> d >= e != f & g ^ h | i && j || k", {
        "(((((((((a * b) + c) >> d) >= e) != f) & g) ^ h) | i) && j) || k)".replacen("((", "(((", 1).as_str()
    });
    check_expression("a - b - c % d / e", "((a - b) - ((c % d) / e))");
    check_expression("!a == -b * ~c", "((!a) == ((-b) * (~c)))");
    check_expression("! !c?[x] + - -1", "((!(!c?[x])) + (-(-1)))");
    check_expression("(a -> b + 1 : (c -> d : e)) > 2", "((a -> (b + 1) : (c -> d : e)) > 2)");
    check_expression("P[i + 1]@l && P@l || P:x + P[2]:y[3]", "((P[(i + 1)]@l && P@l) || (P:x + P[2]:y[3]))");
    check_expression("Q@l + (a -> Q : P:x)", "(Q@l + (a -> Q : P:x))");
    check_expression("len(c[1].d) + skip + timeout * np_ - true", { "(((Length(c[1].d) + 1) + (timeout * np_)) - 1)" });
    check_expression("4294967295 - 'a'", "(-1 - 97)");
}

#[test]
fn the_end_of_a_line_separates_statements() {
    check_init(
        "x = y\n-1\n(z)\n(x +\n y\n) y\n!z; a[1]\n(b)",
        expect![[r#"
            x = y;
            (-1);
            z;
            (x + y);
            y;
            (!z);
            a[1];
            b;
        "#]],
    );
    check_init("x = y -\n1 c!a\n(b)\nc!a\nc?a\n(b)\nc?<a>\nd++\ne--\nbreak\ngoto f\ntimeout\nskip", expect![[""]]);
}
