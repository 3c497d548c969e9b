//! Texts that are almost models: whatever is done to a model, reading it ends, without a panic, in a tree or in
//! diagnostics that point into the text. What is accepted is understood and explored a little.
//!
//! The seed is printed; `DAMPF_FUZZ_SEED` repeats a run and `DAMPF_FUZZ_SECONDS` makes it longer.

mod rendering;

use dampf_core::{Diagnostic, Source};
use dampf_gcl::model::Backend;
use dampf_promela::Promela;
use std::path::Path;
use std::time::{Duration, Instant};

const SECONDS: u64 = 4;

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

/// A small generator of good enough numbers (xorshift64*): tests need no dependency for this.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

/// Cuts a text into words, numbers, marks and blanks.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let class = |c: char| (c.is_alphanumeric() || c == '_', c.is_whitespace());
        let end = match class(first) {
            (false, false) => first.len_utf8(),
            of_first => rest.find(|c| class(c) != of_first).unwrap_or(rest.len()),
        };
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn mutate_pieces(text: &str, random: &mut Random) -> String {
    let mut pieces = pieces(text);
    for _ in 0..=random.below(4) {
        let at = random.below(pieces.len());
        let other = random.below(pieces.len());
        match random.below(7) {
            0 if !pieces.is_empty() => drop(pieces.remove(at)),
            1 if !pieces.is_empty() => pieces.insert(other, pieces[at]),
            2 if !pieces.is_empty() => pieces.swap(at, other),
            3 => pieces.insert(at, FRAGMENTS[random.below(FRAGMENTS.len())]),
            4 if !pieces.is_empty() => pieces[at] = FRAGMENTS[random.below(FRAGMENTS.len())],
            5 if random.below(8) == 0 => pieces.truncate(at),
            // A part many times over: nesting, long lists, long chains.
            6 if random.below(8) == 0 && !pieces.is_empty() => {
                let end = (at + 1 + random.below(3)).min(pieces.len());
                let part = pieces[at..end].repeat(random.below(3000));
                pieces.splice(at..at, part);
            }
            _ => {}
        }
    }
    pieces.concat()
}

fn mutate_bytes(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 if !bytes.is_empty() => drop(bytes.remove(at)),
            1 => bytes.insert(at, random.below(256) as u8),
            2 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            3 if random.below(8) == 0 => bytes.truncate(at),
            _ => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn check_diagnostic(diagnostic: &Diagnostic) {
    let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
    assert!(start <= end && diagnostic.source.text.get(start..end).is_some(), "{diagnostic:?}");
    assert!(!diagnostic.message.is_empty() && !diagnostic.label.is_empty(), "{diagnostic:?}");
}

/// Reads a text and checks what comes out; whether it was accepted.
fn check(text: &str, other: &str) -> bool {
    let mut include = |name: &str, _: &Path| match name {
        "itself" => Ok(("itself".to_owned(), text.to_owned())),
        "other" => Ok(("other".to_owned(), other.to_owned())),
        "shared.h" => Ok(("shared.h".to_owned(), include_str!("texts/shared.h").to_owned())),
        _ => Err("no such file".to_owned()),
    };
    // Every expression a model holds, or almost holds, is a text of its own.
    let words = pieces(text);
    let expression: String = words[words.len() / 2..].iter().take(9).copied().collect();
    if let Err(diagnostic) = dampf_promela::read_expression(&Source::new("expression", expression), ["x"]) {
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
            assert!(!diagnostics.is_empty());
            diagnostics.iter().for_each(check_diagnostic);
            assert!(diagnostics.is_sorted_by_key(|diagnostic| diagnostic.span));
            false
        }
    }
}

#[test]
fn mutants_are_read_or_rejected_with_a_place() {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let seconds = number("DAMPF_FUZZ_SECONDS").unwrap_or(SECONDS);
    let seed = number("DAMPF_FUZZ_SEED").unwrap_or(0x5eed);
    let mut random = Random(seed | 1);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts: Vec<String> = Vec::new();
    for folder in [folder.join("tests/texts"), folder.join("../../models/promela")] {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
        paths.sort();
        texts.extend(paths.iter().map(|path| std::fs::read_to_string(path).expect("a text")));
    }
    // The long ones make few mutants in the time there is.
    texts.retain(|text| text.len() < 30_000);
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let (mut mutants, mut accepted) = (0u64, 0u64);
    while Instant::now() < deadline {
        let text = &texts[random.below(texts.len())];
        let other = &texts[random.below(texts.len())];
        let mutant =
            if random.below(3) == 0 { mutate_bytes(text, &mut random) } else { mutate_pieces(text, &mut random) };
        let start = Instant::now();
        accepted += u64::from(check(&mutant, other));
        assert!(start.elapsed() < Duration::from_secs(60), "a text of {} bytes took too long:\n{mutant}", mutant.len());
        mutants += 1;
    }
    println!("seed {seed}: {mutants} mutants of {} models, {accepted} accepted", texts.len());
    assert!(mutants > 20 && accepted < mutants);
}
