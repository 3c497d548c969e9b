//! Texts that are almost models: whatever is done to a model, reading it ends, without a panic, in a program
//! or in diagnostics that point into the text.

mod exploration;

use dampf_core::{Model, Source, Successors, Worker};
use dampf_gcl::ir::Program;
use dampf_gcl::{Backend, GclModel};
use dampf_testkit::mutants::{Mutants, check_diagnostic, check_diagnostics, words_within};
use exploration::{beem, models, read, workspace};
use std::time::Duration;

/// Steps that an accepted mutant takes.
const STEPS: usize = 8;

/// Words and marks that mean something to the parser, and some that mean nothing.
const FRAGMENTS: &[&str] = &[
    "guard",
    "sync",
    "async",
    "effect",
    "process",
    "state",
    "init",
    "accept",
    "commit",
    "trans",
    "system",
    "true",
    "false",
    "and",
    "or",
    "not",
    "imply",
    "int",
    "byte",
    "const",
    "channel",
    "property",
    "assert",
    "->",
    "=>",
    "<<",
    ">>",
    "<=",
    ">=",
    "==",
    "!=",
    "&&",
    "||",
    "++",
    "--",
    ".",
    ",",
    ";",
    ":",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "?",
    "!",
    "~",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "|",
    "&",
    "^",
    "<",
    ">",
    "0",
    "1",
    "255",
    "65536",
    "2147483647",
    "2147483648",
    "99999999999999999999",
    "x",
    "P",
    "//",
    "/*",
    "*/",
    "\n",
    "\0",
    "\u{feff}",
    "é",
    "\\",
    "\"",
    "@",
    "buchi",
    "byte a[1000001];",
    "channel {byte} c[2000000000];",
    "const byte c = 1/0;",
    "-1",
];

/// What was accepted is a program that runs, however strange it is.
fn run_a_little(program: Program) {
    let Ok(model) = GclModel::new(program, Backend::Interpreter) else { return };
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    worker.initial(&mut out);
    let mut state = out.state(0).to_vec();
    for step in 0..STEPS {
        worker.successors(&state, &mut out);
        let whole: Vec<usize> = (0..out.len()).filter(|index| out.fault(*index).is_none()).collect();
        let Some(chosen) = whole.get(step % whole.len().max(1)) else { return };
        state.copy_from_slice(out.state(*chosen));
    }
}

/// Reads a text and checks what comes out; whether it was accepted.
fn check(text: &str) -> bool {
    match dampf_dve::parse(Source::new("mutant.dve", text)) {
        Ok(program) => {
            // Every expression a model holds, or almost holds, is a text of its own.
            if let Err(diagnostic) = dampf_dve::parse_expression(&program, &words_within(text)) {
                check_diagnostic(&diagnostic);
            }
            for variable in &program.variables {
                assert_eq!(variable.initial.len(), variable.array.unwrap_or(1) as usize);
                assert!(variable.initial.iter().all(|value| variable.ty.wrap(*value) == *value));
            }
            run_a_little(program);
            true
        }
        Err(diagnostics) => {
            check_diagnostics(&diagnostics);
            false
        }
    }
}

#[test]
fn mutants_are_read_or_rejected_with_a_place() {
    let mut texts: Vec<String> = models(&workspace().join("models/dve")).iter().map(|path| read(path)).collect();
    texts.extend(beem().iter().flat_map(|folder| models(folder)).map(|path| read(&path)));
    let mutants = Mutants { texts, fragments: FRAGMENTS, longest: Duration::from_secs(5) };
    mutants.try_out(|mutant, _| check(mutant));
}
