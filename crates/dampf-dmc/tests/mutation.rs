//! Models with random damage: whatever is done to a text, it is a model or it is refused with a reason that points
//! into it.
//!
//! The damage comes from a seed, printed when something goes wrong. `DAMPF_FUZZ_SECONDS` sets how long it goes on.

use dampf_core::{Diagnostic, Model, Source, Successors, Worker};
use dampf_dmc::{parse, parse_buchi, parse_expression};
use dampf_gcl::ir::Program;
use dampf_gcl::{Backend, GclModel};
use std::path::Path;
use std::time::{Duration, Instant};

/// A small generator of the xorshift family: the damage must be the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % sides.max(1)
    }
}

fn texts(extension: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/dmc");
    let mut texts = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the models are there") {
        let path = entry.expect("a readable folder").path();
        if path.extension().is_some_and(|found| found == extension) {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            texts.push((name, std::fs::read_to_string(&path).unwrap()));
        }
    }
    texts.sort();
    texts
}

/// Words, numbers and single signs, with the white space between them left to the joints.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    for line in text.split_inclusive('\n').filter(|line| !line.starts_with("//")) {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let same = |c: char| (c.is_alphanumeric() || c == '_') == (first.is_alphanumeric() || first == '_');
            let length = if first.is_alphanumeric() || first == '_' {
                rest.find(|c| !same(c)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            pieces.push(&rest[..length]);
            rest = &rest[length..];
        }
    }
    pieces
}

const SPICE: [&str; 24] = [
    "0",
    "-1",
    "2147483647",
    "2147483648",
    "65536",
    "(",
    ")",
    "[",
    "]",
    ";",
    ":",
    "..",
    "not ",
    "-",
    "é",
    "#",
    "\0",
    "pid",
    " for k = 0 .. 9: ",
    " new P * 5000; ",
    "all(k = 0 .. 99: ",
    " end; ",
    " goto ",
    "// ",
];

fn damage(text: &str, dice: &mut Dice) -> String {
    let mut pieces: Vec<&str> = pieces(text);
    for _ in 0..1 + dice.roll(4) {
        let (at, other) = (dice.roll(pieces.len()), dice.roll(pieces.len()));
        let length = 1 + dice.roll(12);
        match dice.roll(6) {
            0 => drop(pieces.drain(at..(at + length).min(pieces.len()))),
            1 => {
                let copied: Vec<&str> = pieces[at..(at + length).min(pieces.len())].to_vec();
                pieces.splice(other..other, copied);
            }
            2 if !pieces.is_empty() => pieces.swap(at, other),
            3 if dice.roll(4) == 0 => pieces.truncate(at),
            4 if !pieces.is_empty() => pieces[at] = SPICE[dice.roll(SPICE.len())],
            _ => pieces.insert(at.min(pieces.len()), SPICE[dice.roll(SPICE.len())]),
        }
    }
    pieces.concat()
}

fn points_into_its_text(diagnostic: &Diagnostic) -> bool {
    let text = &diagnostic.source.text;
    let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
    let fits = start <= end && text.is_char_boundary(start) && text.is_char_boundary(end);
    fits && !diagnostic.message.is_empty() && !diagnostic.label.is_empty()
}

fn refused_well(diagnostics: &[Diagnostic]) -> bool {
    !diagnostics.is_empty() && diagnostics.iter().all(points_into_its_text)
}

/// Runs a little of what was accepted: it must be a program that makes sense to those who execute programs.
fn run(program: Program) {
    if program.processes.len() > 32 || program.variables.len() > 200 {
        return;
    }
    let Ok(model) = GclModel::new(program, Backend::Interpreter) else { return };
    let mut worker = model.worker();
    let mut out = Successors::new(model.width());
    worker.initial(&mut out);
    let mut frontier = vec![out.state(0).to_vec()];
    for _ in 0..20 {
        let Some(state) = frontier.pop() else { return };
        worker.successors(&state, &mut out);
        frontier.extend((0..out.len()).filter(|index| out.fault(*index).is_none()).map(|at| out.state(at).to_vec()));
    }
}

#[test]
fn damaged_models_are_refused_with_a_reason() {
    let seconds = std::env::var("DAMPF_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(4);
    let until = Instant::now() + Duration::from_secs(seconds);
    let (models, automata) = (texts("dmc"), texts("buc"));
    let incdec = models.iter().find(|(name, _)| name == "incdec").expect("incdec");
    let program = parse(Source::new("incdec.dmc", incdec.1.as_str())).expect("incdec is a model");
    let expressions = ["x = 1 and not Push.raised or Swing.at", "sum(k = 0 .. 3: x * k) div 2 <= Push[0].armed"];
    let (mut seed, mut accepted, mut refused, mut slowest) = (0u64, 0u64, 0u64, Duration::ZERO);
    while Instant::now() < until {
        seed += 1;
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (name, text) = &models[dice.roll(models.len())];
        let started = Instant::now();
        match parse(Source::new(name.clone(), damage(text, &mut dice))) {
            Ok(program) => {
                accepted += 1;
                run(program);
            }
            Err(diagnostics) => {
                refused += 1;
                assert!(refused_well(&diagnostics), "seed {seed}, {name}: {diagnostics:?}");
            }
        }
        slowest = slowest.max(started.elapsed());
        assert!(started.elapsed() < Duration::from_secs(20), "seed {seed}, {name} takes too long");
        let (name, text) = &automata[dice.roll(automata.len())];
        if let Err(diagnostics) = parse_buchi(&program, Source::new(name.clone(), damage(text, &mut dice))) {
            assert!(refused_well(&diagnostics), "seed {seed}, {name}.buc: {diagnostics:?}");
        }
        let text = damage(expressions[dice.roll(expressions.len())], &mut dice);
        if let Err(diagnostic) = parse_expression(&program, &text) {
            assert!(points_into_its_text(&diagnostic), "seed {seed}, {text}: {diagnostic:?}");
        }
    }
    println!("{seed} seeds: {accepted} models accepted, {refused} refused, the slowest took {slowest:?}");
    assert!(accepted > 0 && refused > 0);
}
