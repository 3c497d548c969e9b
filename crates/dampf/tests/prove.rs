//! `dampf prove` and `dampf certify`: verdicts, runs, certificates and complaints.

mod running;

use running::{Finished, Playground, dampf};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/prove")
}

fn path(name: &str) -> String {
    folder().join(name).display().to_string()
}

fn summary(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished:?}"))
}

/// Has the solvers that are installed answer a script: every answer is `unsat`.
fn others_agree(script: &str) {
    let questions = std::fs::read_to_string(script).unwrap().matches("(check-sat)").count();
    assert!(questions > 0);
    for (solver, options) in [("z3", &[][..]), ("cvc5", &["--incremental"])] {
        let Ok(output) = Command::new(solver).args(options).arg(script).output() else {
            println!("{solver} is not installed: it is not asked");
            continue;
        };
        let answers = String::from_utf8_lossy(&output.stdout);
        let are_unsat = answers.lines().count() == questions && answers.lines().all(|answer| answer == "unsat");
        assert!(are_unsat, "{solver} on {script}: {output:?}");
    }
}

#[test]
fn models_have_the_verdicts_that_they_say() {
    let playground = Playground::new();
    let mut proved = 0;
    for file in std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().unwrap() == "md" {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let note = text.lines().find_map(|line| line.split_once("~ VERDICT "));
        let (_, expected) = note.unwrap_or_else(|| panic!("{file:?} does not say what is expected of it"));
        let expected = expected.trim();
        let input = file.display().to_string();
        let certificate = playground.path("certificate").display().to_string();
        for more in [&[][..], &["--no-simplify"], &["--workers", "3"]] {
            let arguments = [&["prove", &input, "--json", "-", "--certificate", &certificate], more].concat();
            let finished = dampf(&arguments);
            let found = summary(&finished);
            assert_eq!(found["verdict"], *expected, "{arguments:?}");
            assert_eq!(finished.status, i32::from(expected == "violated"), "{arguments:?}");
            let steps = found["trail"].as_array().unwrap().len();
            assert_eq!(steps > 0, expected == "violated", "{arguments:?}");
            for key in ["states", "transitions", "depth", "seconds", "refinements", "predicates", "nodes", "threads"] {
                assert!(found[key].is_number(), "{key}: {found}");
            }
            if expected == "verified" {
                assert!(!found["invariants"].as_array().unwrap().is_empty(), "{arguments:?}");
                let script = playground.path("script.smt2").display().to_string();
                let certified = dampf(&["certify", &input, &certificate, "--smtlib", &script]);
                assert_eq!(certified.status, 0, "{certified:?}");
                assert!(certified.stdout.starts_with("certified: "), "{certified:?}");
                others_agree(&script);
            } else {
                assert!(!Path::new(&certificate).exists(), "a run certifies nothing");
            }
        }
        proved += 1;
    }
    assert!(proved >= 8);
}

#[test]
fn a_run_is_told_with_lines_and_values() {
    let finished = dampf(&["prove", &path("ring_wrap.c")]);
    assert_eq!(finished.status, 1);
    let text = finished.stdout;
    assert!(text.starts_with("violated: ") && text.contains("ring_wrap.c:9: `index < 8` fails"), "{text}");
    assert!(text.contains("unsigned index = 2") || text.contains("index = 2"), "{text}");
    assert!(text.contains("index = 4294967295"), "{text}");
    assert!(!text.contains("assuming"), "a run rests on nothing: {text}");
}

#[test]
fn a_proof_says_what_it_assumes() {
    let finished = dampf(&["prove", &path("gauss.c")]);
    assert!(finished.stdout.contains("assuming: arithmetic of signed integers does not overflow"), "{finished:?}");
    let clauses = dampf(&["prove", &path("three_ways.smt2")]);
    assert!(!clauses.stdout.contains("assuming"), "{clauses:?}");
}

#[test]
fn a_certificate_that_proves_nothing_is_refused() {
    let playground = Playground::new();
    let (input, kept) = (path("gauss.c"), playground.path("kept").display().to_string());
    assert_eq!(dampf(&["prove", &input, "--certificate", &kept]).status, 0);
    let text = std::fs::read_to_string(&kept).unwrap();
    let damaged = |from: &str, to: &str| {
        let damaged = playground.path("damaged");
        std::fs::write(&damaged, text.replace(from, to)).unwrap();
        dampf(&["certify", &input, &damaged.display().to_string()])
    };
    let open = damaged("(invariant 1 false)", "(invariant 1 true)");
    assert_eq!((open.status, open.stdout.as_str()), (1, "refused: the error location is not excluded\n"));
    // Nothing is claimed of any location but that of the error.
    let claims: String = text
        .lines()
        .map(|line| match line.strip_prefix("(invariant ").and_then(|rest| rest.split_once(' ')) {
            Some((index, _)) if index != "1" => format!("(invariant {index} true)\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let empty = playground.path("empty");
    std::fs::write(&empty, claims).unwrap();
    let empty = dampf(&["certify", &input, &empty.display().to_string()]);
    assert_eq!(empty.status, 1, "{empty:?}");
    assert!(empty.stdout.starts_with("refused: a step breaks the invariants: "), "{empty:?}");
    let other = dampf(&["certify", &path("lock.c"), &kept]);
    assert_eq!(other.status, 2);
    assert!(other.stderr.contains("certifies another text"), "{other:?}");
    let longer = damaged("(invariant 0 true)", "(invariant 0 (<= 1 (1 x9)))");
    assert!(longer.stderr.contains("does not fit the locations and variables"), "{longer:?}");
    let broken = damaged("(certificate 1)", "(certificate");
    assert_eq!(broken.status, 2, "{broken:?}");
}

#[test]
fn inputs_that_cannot_be_proved_are_refused_with_their_place() {
    let playground = Playground::new();
    let refused = |name: &str, text: &str, complaint: &str| {
        let file = playground.path(name);
        std::fs::write(&file, text).unwrap();
        let finished = dampf(&["prove", &file.display().to_string()]);
        assert_eq!((finished.status, finished.stdout.as_str()), (2, ""), "{finished:?}");
        assert!(finished.stderr.contains(complaint), "{finished:?}");
    };
    refused("a.c", "int main(void) {\n  int x[3];\n}", "a.c:2:8: arrays are not supported");
    refused("a.smt2", "(declare-fun p (Int) Bool)\n(assert (p x))", "a.smt2:2:12: unknown name `x`");
    refused("a.pl", "start(pc(a)).", "no location is an error");
    refused("a.txt", "", "is no input that can be proved");
    let missing = dampf(&["prove", "nothing.smt2"]);
    assert!(missing.status == 2 && missing.stderr.contains("cannot read `nothing.smt2`"), "{missing:?}");
    let onto_itself = dampf(&["prove", &path("gauss.c"), "--json", &path("gauss.c")]);
    assert!(onto_itself.status == 2 && onto_itself.stderr.contains("is an input"), "{onto_itself:?}");
}

#[test]
fn limits_make_the_answer_unknown() {
    let none = dampf(&["prove", &path("gauss.c"), "--max-refinements", "0", "--json", "-"]);
    let found = summary(&none);
    assert_eq!((none.status, found["verdict"].as_str()), (3, Some("unknown")), "{none:?}");
    assert_eq!(found["reason"], "the limit on refinements was reached");
}

#[test]
fn an_overflow_is_no_run() {
    let playground = Playground::new();
    let file = playground.path("over.c");
    let text = "int main(void) { int x = __VERIFIER_nondet_int(); assume(x > 2147483000); x = x + 1000; assert(x < 2147483600); }";
    std::fs::write(&file, text).unwrap();
    let finished = dampf(&["prove", &file.display().to_string()]);
    assert_eq!(finished.status, 3, "{finished:?}");
    assert!(finished.stdout.contains("makes a signed integer overflow"), "{finished:?}");
}

#[test]
fn info_shows_the_system() {
    let finished = dampf(&["info", &path("three_ways.smt2")]);
    assert_eq!(finished.status, 0, "{finished:?}");
    assert!(finished.stdout.contains("location raised(x, z)"), "{finished:?}");
    assert!(finished.stdout.contains("last -> error: y <= 0"), "{finished:?}");
}
