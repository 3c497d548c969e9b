//! Texts that are almost models: reading one must end, without a panic, in a model or in diagnostics that point into
//! the text.
//!
//! The seed is printed; `DAMPF_FUZZ_SEED` repeats a run and `DAMPF_FUZZ_SECONDS` makes it longer.

use crate::random::Random;
use dampf_core::Diagnostic;
use std::time::{Duration, Instant};

const SECONDS: u64 = 4;
/// Longer texts make few mutants in the time there is.
const BYTES_MAX: usize = 30_000;

/// What mutants are made of, and how long reading one may take.
pub struct Mutants<'a> {
    pub texts: Vec<String>,
    /// Words and marks that mean something to the reader, and some that mean nothing.
    pub fragments: &'a [&'a str],
    pub longest: Duration,
}

impl Mutants<'_> {
    /// Makes mutants for some seconds. `check` gets each with another text, looks at what reading it gives, and says
    /// whether it was accepted.
    pub fn try_out(mut self, mut check: impl FnMut(&str, &str) -> bool) {
        let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
        let seconds = number("DAMPF_FUZZ_SECONDS").unwrap_or(SECONDS);
        let seed = number("DAMPF_FUZZ_SEED").unwrap_or(0x5eed);
        let mut random = Random::new(seed);
        self.texts.retain(|text| text.len() < BYTES_MAX);
        let deadline = Instant::now() + Duration::from_secs(seconds);
        let (mut mutants, mut accepted) = (0u64, 0u64);
        while Instant::now() < deadline {
            let text = &self.texts[below(&mut random, self.texts.len())];
            let other = &self.texts[below(&mut random, self.texts.len())];
            let mutant = if random.one_in(3) {
                mutate_bytes(text, &mut random)
            } else {
                mutate_pieces(text, self.fragments, &mut random)
            };
            let start = Instant::now();
            accepted += u64::from(check(&mutant, other));
            assert!(start.elapsed() < self.longest, "a text of {} bytes took too long:\n{mutant}", mutant.len());
            mutants += 1;
        }
        println!("seed {seed}: {mutants} mutants of {} models, {accepted} accepted", self.texts.len());
        assert!(mutants > 20 && accepted < mutants);
    }
}

/// A diagnostic has a place in its text, and says something.
pub fn check_diagnostic(diagnostic: &Diagnostic) {
    let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
    assert!(start <= end && diagnostic.source.text.get(start..end).is_some(), "{diagnostic:?}");
    assert!(!diagnostic.message.is_empty() && !diagnostic.label.is_empty(), "{diagnostic:?}");
}

/// Those of a text that was rejected: there are some, in their order.
pub fn check_diagnostics(diagnostics: &[Diagnostic]) {
    assert!(!diagnostics.is_empty());
    diagnostics.iter().for_each(check_diagnostic);
    assert!(diagnostics.is_sorted_by_key(|diagnostic| diagnostic.span));
}

/// Some words from the middle of a text, to be read as an expression.
pub fn words_within(text: &str) -> String {
    let words = pieces(text);
    words[words.len() / 2..].iter().take(9).copied().collect()
}

/// A number below `bound`, or 0.
fn below(random: &mut Random, bound: usize) -> usize {
    random.below(bound.max(1) as u64) as usize
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

fn mutate_pieces(text: &str, fragments: &[&str], random: &mut Random) -> String {
    let mut pieces = pieces(text);
    for _ in 0..=below(random, 4) {
        let at = below(random, pieces.len());
        let other = below(random, pieces.len());
        match below(random, 7) {
            0 if !pieces.is_empty() => drop(pieces.remove(at)),
            1 if !pieces.is_empty() => pieces.insert(other, pieces[at]),
            2 if !pieces.is_empty() => pieces.swap(at, other),
            3 => pieces.insert(at, fragments[below(random, fragments.len())]),
            4 if !pieces.is_empty() => pieces[at] = fragments[below(random, fragments.len())],
            5 if random.one_in(8) => pieces.truncate(at),
            // A part many times over: nesting, long lists, long chains.
            6 if random.one_in(8) && !pieces.is_empty() => {
                let end = (at + 1 + below(random, 3)).min(pieces.len());
                let part = pieces[at..end].repeat(below(random, 3000));
                pieces.splice(at..at, part);
            }
            _ => {}
        }
    }
    pieces.concat()
}

fn mutate_bytes(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=below(random, 6) {
        let at = below(random, bytes.len());
        match below(random, 4) {
            0 if !bytes.is_empty() => drop(bytes.remove(at)),
            1 => bytes.insert(at, below(random, 256) as u8),
            2 if !bytes.is_empty() => bytes[at] ^= 1 << below(random, 8),
            3 if random.one_in(8) => bytes.truncate(at),
            _ => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
