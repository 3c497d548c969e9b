//! Texts that are almost models: whatever is done to a model, reading it ends, without a panic, in a tree or in
//! diagnostics that point into the text. What is accepted is understood and explored a little.

mod rendering;

use dampf_core::Source;
use dampf_gcl::model::Backend;
use dampf_promela::Promela;
use dampf_testkit::mutants::{Mutants, check_diagnostic, check_diagnostics, words_within};
use std::path::Path;
use std::time::Duration;

/// Words and marks that mean something to the preprocessor or to the parser, and some that mean nothing.
const FRAGMENTS: &[&str] = &[
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "c_code",
    "c_expr",
    "chan",
    "D_proctype",
    "d_step",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
    "->",
    "::",
    "..",
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
    "!!",
    "??",
    "?[",
    "?<",
    "[]",
    "<>",
    "<->",
    "/\\",
    "\\/",
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
    "@",
    "0",
    "1",
    "2147483648",
    "4294967296",
    "0x1",
    "'a'",
    "'",
    "\"",
    "\"text\\",
    "x",
    "_",
    "//",
    "/*",
    "*/",
    "\n",
    "\\\n",
    "\0",
    "\u{feff}",
    "é",
    "\\",
    "#",
    "##",
    "\n#define x ",
    "\n#define f(a) ",
    "f(",
    "f(x)",
    "\n#undef x\n",
    "\n#if ",
    "\n#ifdef x\n",
    "\n#elif 1\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#include \"itself\"\n",
    "\n#include \"other\"\n",
    "\n#error\n",
    "__VA_ARGS__",
    "...",
    "#x",
    "x##x",
    "inline f(a) { a = f }",
    "f(f(1))",
    "\n#define f f f\n",
];

/// Reads a text and checks what comes out; whether it was accepted.
fn check(text: &str, other: &str) -> bool {
    let mut include = |name: &str, _: &Path| match name {
        "itself" => Ok(("itself".to_owned(), text.to_owned())),
        "other" => Ok(("other".to_owned(), other.to_owned())),
        "shared.h" => Ok(("shared.h".to_owned(), include_str!("texts/shared.h").to_owned())),
        _ => Err("no such file".to_owned()),
    };
    // Every expression a model holds, or almost holds, is a text of its own.
    let expression = Source::new("expression", words_within(text));
    if let Err(diagnostic) = dampf_promela::read_expression(&expression, ["x"]) {
        check_diagnostic(&diagnostic);
    }
    match dampf_promela::read(Source::new("mutant.pml", text), &[], &mut include) {
        Ok(model) => {
            assert!(model.units.is_empty() || !rendering::model(&model).is_empty());
            match Promela::new(&model) {
                Ok(mut promela) => {
                    // What it means may be too much to be explored, but that is said.
                    if promela.explore().is_ok() {
                        let _ = promela.model(Backend::Interpreter, true);
                    }
                }
                Err(diagnostics) => {
                    assert!(!diagnostics.is_empty());
                    diagnostics.iter().for_each(check_diagnostic);
                }
            }
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts: Vec<String> = Vec::new();
    for folder in [folder.join("tests/texts"), folder.join("../../models/promela")] {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
        paths.sort();
        texts.extend(paths.iter().map(|path| std::fs::read_to_string(path).expect("a text")));
    }
    let mutants = Mutants { texts, fragments: FRAGMENTS, longest: Duration::from_secs(60) };
    mutants.try_out(check);
}
