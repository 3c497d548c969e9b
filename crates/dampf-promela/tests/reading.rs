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
    let rising = "(a || (b && (c | (d ^ (e & (f == (g < (h << (i + (j * k))))))))))";
    check_expression("a || b && c | d ^ e & f == g < h << i + j * k", rising);
    let falling = "((((((((((a * b) + c) >> d) >= e) != f) & g) ^ h) | i) && j) || k)";
    check_expression("a * b + c >> d >= e != f & g ^ h | i && j || k", falling);
    check_expression("a - b - c % d / e", "((a - b) - ((c % d) / e))");
    check_expression("!a == -b * ~c", "((!a) == ((-b) * (~c)))");
    check_expression("! !c?[x] + - -1", "((!(!c?[x])) + (-(-1)))");
    check_expression("(a -> b + 1 : (c -> d : e)) > 2", "((a -> (b + 1) : (c -> d : e)) > 2)");
    check_expression("P[i + 1]@l && P@l || P:x + P[2]:y[3]", "((P[(i + 1)]@l && P@l) || (P:x + P[2]:y[3]))");
    check_expression("Q@l + (a -> Q : P:x)", "(Q@l + (a -> Q : P:x))");
    check_expression("len(c[1].d) + skip + timeout * np_", "((Length(c[1].d) + 1) + (timeout * np_))");
    check_expression("4294967295 - 'a'", "(-1 - 97)");
}

#[test]
fn the_end_of_a_line_separates_statements() {
    check_init(
        "x = y\n-1\n(z)\n(x +\n y\n)\ny\n!z; a[1]\n(b)",
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
    check_init(
        "x = y -\n1; c!a\n(b)\nc!a(b)\nc?a\n(b)\nc?<a>\nd++\ne--\nbreak\ngoto f\ntimeout\nskip\nf: x /* a\nb */ y \\\n z",
        expect![[r#"
            x = (y - 1);
            c ! a;
            b;
            c ! a, b;
            c ? a;
            b;
            c ? <a>;
            d++;
            e--;
            break;
            goto f;
            timeout;
            skip;
            f: x;
            y;
            z;
        "#]],
    );
    // The name of a record, of an inline or of a proctype does not end a statement.
    check(
        "typedef T { byte a }\ninline f(a) { a++ }\ninit { T\nt; f\n(x) run P()\n}",
        expect![[r#"
            T t;
            {
              x++;
            };
            run P();
        "#]],
    );
}

#[test]
fn separators_may_be_doubled_or_left_out() {
    check_init(
        "x = 1;; -> x = 2 -> ; if :: a; :: else b :: else fi; { c } d; atomic { e } f; ;",
        expect![[r#"
            x = 1;
            x = 2;
            if
            ::
              a;
            ::
              else;
              b;
            ::
              else;
            fi;
            {
              c;
            };
            d;
            atomic {
              e;
            };
            f;
        "#]],
    );
}

#[test]
fn labels_and_escapes() {
    check_init(
        "a: b: x = 1; c: byte y; d: { x } unless { e: y }; if :: f: :: g: x fi; h: ; x unless y; i:",
        expect![[r#"
            a: b: x = 1;
            c: byte y;
            (d: {
              x;
            } unless {
              e: y;
            });
            if
            ::
              f: skip;
            ::
              g: x;
            fi;
            h: skip;
            (x unless y);
            i: skip;
        "#]],
    );
}

#[test]
fn a_name_with_a_colon_is_a_label_until_it_is_a_proctype() {
    check(
        "proctype Q() { P: (a -> P : b); goto P } proctype P() { skip } init { P: x == 1; (a -> P[1]: y : z) }",
        expect![[r#"
            (P:x == 1);
            (a -> P[1]:y : z);
        "#]],
    );
}

#[test]
fn messages_can_be_written_in_two_ways() {
    check_init(
        "c!m(a, b); c!m, a, b; c!(m); c?m(a, b); c?m, a, b; c?(m, a); c?m(a(b)); c?[m(a)] && d??[_]; c[1].d!-1",
        expect![[r#"
            c ! m, a, b;
            c ! m, a, b;
            c ! m;
            c ? m, a, b;
            c ? m, a, b;
            c ? m, a;
            c ? m, a, b;
            (c?[m, a] && d??[_]);
            c[1].d ! (-1);
        "#]],
    );
}

#[test]
fn an_inline_is_replaced_by_its_text() {
    check(
        "inline g(y) { y = x }\n\
         inline f(x) { g(x); s.x = x + 1; printf(\"x\"); x }\n\
         init { f(a[x]); f(b) }",
        expect![[r#"
            {
              {
                a[x] = x;
              };
              s.a[x] = (a[x] + 1);
              printf "x" ;
              a[x];
            };
            {
              {
                b = x;
              };
              s.b = (b + 1);
              printf "x" ;
              b;
            };
        "#]],
    );
}

#[test]
fn spans_are_places_in_the_text() {
    let text = "#define twice(v) v = v + v; skip\n\
                inline set(a, b) {\n a = b +\n 1 }\n\
                init { twice(x); set(y, 1 + z); if :: x == 1 fi; { x++ } }\n";
    let model = parsed(text);
    let Some(Unit::Proctype(init)) = model.units.last() else { panic!("no process at the end") };
    let mut out = String::new();
    for statement in &init.body {
        out += &format!("{:?}\n", model.source.slice(statement.span));
        if let StatementKind::Block(body) = &statement.kind {
            out += &body.iter().map(|inner| format!("  {:?}\n", model.source.slice(inner.span))).collect::<String>();
            if let [Statement { kind: StatementKind::Assign { target, .. }, .. }] = &body[..] {
                let at = model.source.location(target.parts[0].name.span);
                out += &format!("  the name is at {at}\n");
            }
        }
    }
    expect![[r#"
        "twice(x)"
        "twice(x)"
        "set(y, 1 + z)"
          "a = b +\n 1"
          the name is at test.pml:5:22
        "if"
        "{"
          "x++"
    "#]]
    .assert_eq(&out);
}

#[test]
fn included_files_are_part_of_the_source() {
    let mut asked = Vec::new();
    let mut include = |name: &str, including: &Path| {
        asked.push(format!("{name} from {}", including.display()));
        match name {
            "a.h" => Ok(("dir/a.h".to_owned(), "byte a\n#include \"b.h\"\n".to_owned())),
            "b.h" => Ok(("dir/b.h".to_owned(), "byte b;".to_owned())),
            _ => Err("no such file".to_owned()),
        }
    };
    let text = "#include \"a.h\"\n#include <b.h>\ninit { a = b }\n";
    let model = read(Source::new("main.pml", text), &[], &mut include).unwrap();
    let places: Vec<String> = model
        .units
        .iter()
        .filter_map(|unit| match unit {
            Unit::Variables(list) => Some(model.source.location(list[0].span).to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(places, ["dir/a.h:1:6", "dir/b.h:1:6", "dir/b.h:1:6"]);
    let errors = read(Source::new("main.pml", "init { skip }\n#include \"x.h\""), &[], &mut include).unwrap_err();
    assert_eq!(errors[0].to_string(), "main.pml:2:10: cannot include `x.h`: no such file");
    assert_eq!(asked, ["a.h from main.pml", "b.h from dir/a.h", "b.h from main.pml", "x.h from main.pml"]);
}

#[test]
fn macros_can_be_defined_from_outside() {
    let definitions = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect()
    };
    let text = "#ifndef N\n#define N 1\n#endif\nbyte a[N];\n#if FAST\nbyte fast;\n#endif\n";
    let read_with = |list: &[(&str, &str)]| {
        let model = read(Source::new("m.pml", text), &definitions(list), &mut no_files);
        model.map(|model| rendering::model(&model)).map_err(|errors| errors[0].to_string())
    };
    assert_eq!(read_with(&[]).unwrap(), "byte a[1]\n");
    assert_eq!(read_with(&[("N", "2 + 3"), ("FAST", "1")]).unwrap(), "byte a[(2 + 3)]\nbyte fast\n");
    let wrong = "m.pml:1:1: `2N` is defined from outside, but it is not a name";
    assert_eq!(read_with(&[("2N", "")]).unwrap_err(), wrong);
}

#[test]
fn expressions_are_read_alone_and_whole() {
    let error = |text: &str| read_expression(&Source::new("expression", text), ["P"]).unwrap_err().to_string();
    assert_eq!(error("x + "), "expression:1:5: expected an expression, found the end of the text");
    assert_eq!(error("x y"), "expression:1:3: expected an operator or the end of the expression, found `y`");
    assert_eq!(error("x /*"), "expression:1:3: a comment is not closed (close it with `*/`)");
}
