//! Texts that are almost models: whatever is done to a model, reading it ends, without a panic, in a program
//! or in diagnostics that point into the text.
//!
//! The seed is printed; `DAMPF_FUZZ_SEED` repeats a run and `DAMPF_FUZZ_SECONDS` makes it longer.

mod exploration;

use dampf_core::{Diagnostic, Model, Source, Successors, Worker};
use dampf_gcl::ir::Program;
use dampf_gcl::{Backend, GclModel};
use exploration::{beem, models, read, workspace};
use std::time::{Duration, Instant};

const SECONDS: u64 = 4;
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

fn check_diagnostic(text: &str, diagnostic: &Diagnostic) {
    let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
    assert!(start <= end && text.get(start..end).is_some(), "{diagnostic:?}");
    assert!(!diagnostic.message.is_empty() && !diagnostic.label.is_empty(), "{diagnostic:?}");
}

/// What was accepted is a program that runs, however strange it is.
fn run_a_little(program: Program) {
    let Ok(model) = GclModel::new(program, Backend::Interpreter) else { return };
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    worker.initial(&mut out).expect("every program has an initial state");
    let mut state = out.state(0).to_vec();
    for step in 0..STEPS {
        worker.successors(&state, &mut out).expect("the interpreter decides every state");
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
            let words = pieces(text);
            let expression = words[words.len() / 2..].iter().take(9).copied().collect::<String>();
            if let Err(diagnostic) = dampf_dve::parse_expression(&program, &expression) {
                check_diagnostic(&expression, &diagnostic);
            }
            for variable in &program.variables {
                assert_eq!(variable.initial.len(), variable.array.unwrap_or(1) as usize);
                assert!(variable.initial.iter().all(|value| variable.ty.wrap(*value) == *value));
            }
            run_a_little(program);
            true
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty());
            diagnostics.iter().for_each(|diagnostic| check_diagnostic(text, diagnostic));
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
    let mut texts: Vec<String> = models(&workspace().join("models/dve")).iter().map(|path| read(path)).collect();
    texts.extend(beem().iter().flat_map(|folder| models(folder)).map(|path| read(&path)));
    // The long ones make few mutants in the time there is.
    texts.retain(|text| text.len() < 30_000);
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let (mut mutants, mut accepted) = (0u64, 0u64);
    while Instant::now() < deadline {
        let text = &texts[random.below(texts.len())];
        let mutant =
            if random.below(3) == 0 { mutate_bytes(text, &mut random) } else { mutate_pieces(text, &mut random) };
        let start = Instant::now();
        accepted += u64::from(check(&mutant));
        assert!(start.elapsed() < Duration::from_secs(5), "a text of {} bytes took too long", mutant.len());
        mutants += 1;
    }
    println!("seed {seed}: {mutants} mutants of {} models, {accepted} accepted", texts.len());
    assert!(mutants > 20 && accepted < mutants);
}
