//! What is wrong with a text, before it is tied to its source.
//!
//! The stages of a front end hand these around by value; [`diagnose`] turns what was collected
//! into the diagnostics that leave the crate: in the order of the text, without repetitions, and not more
//! than anybody reads.

use crate::{Diagnostic, Source, Span};
use std::sync::Arc;

/// More than this many errors in one text help nobody.
pub const DIAGNOSTICS_MAX: usize = 50;
/// Comparing long names, or many, takes longer than the help is worth.
const SUGGESTION_BYTES_MAX: usize = 40;
const SUGGESTION_NAMES_MAX: usize = 2_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    pub span: Span,
    pub message: String,
    pub label: String,
    pub help: Option<String>,
}

/// The result of a step that stops at its first problem. Boxed: the good case should be small.
pub type Checked<T> = Result<T, Box<Problem>>;

impl Problem {
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Box<Self> {
        Box::new(Problem { span, message: message.into(), label: label.into(), help: None })
    }

    pub fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// Adds the name that was probably meant, if one of the known names is close to the written one.
    pub fn suggest<'n>(self: Box<Self>, written: &str, known: impl Iterator<Item = &'n str>) -> Box<Self> {
        match nearest(written, known) {
            Some(name) => self.help(format!("there is a similar name: `{name}`")),
            None => self,
        }
    }
}

/// Ties problems to their source, in the order of the text.
pub fn diagnose(source: &Arc<Source>, mut problems: Vec<Problem>) -> Vec<Diagnostic> {
    problems.sort_by(|one, other| (one.span, &one.message).cmp(&(other.span, &other.message)));
    problems.dedup();
    problems.truncate(DIAGNOSTICS_MAX);
    let tie = |problem: Problem| Diagnostic {
        source: Arc::clone(source),
        span: problem.span,
        message: problem.message,
        label: problem.label,
        help: problem.help,
    };
    problems.into_iter().map(tie).collect()
}

/// The known name with the fewest edits from the written one; with many edits it is another name.
fn nearest<'n>(written: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Of short names every other one is close.
    let edits_max = (written.len() / 3).min(3);
    let candidates: Vec<&str> = known.filter(|name| name.len().abs_diff(written.len()) <= edits_max).collect();
    if written.len() > SUGGESTION_BYTES_MAX || candidates.len() > SUGGESTION_NAMES_MAX {
        return None;
    }
    let ranked =
        candidates.into_iter().map(|name| (edits(written, name), name)).filter(|(edits, _)| *edits <= edits_max);
    // The name itself breaks ties, so that the order in which names are offered does not show.
    ranked.min().map(|(_, name)| name)
}

/// The number of single-byte insertions, deletions and replacements between two words, case aside.
fn edits(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(!a.eq_ignore_ascii_case(&b));
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_close_or_none() {
        let known = ["waiting", "working", "idle", "x"];
        assert_eq!(nearest("waitin", known.into_iter()), Some("waiting"));
        assert_eq!(nearest("Idle", known.into_iter()), Some("idle"));
        assert_eq!(nearest("elevator", known.into_iter()), None);
    }

    #[test]
    fn diagnostics_are_ordered_and_bounded() {
        let source = Source::new("m.pml", "x".repeat(200));
        let at = |start: usize| *Problem::new(Span::new(start, start + 1), "wrong", "here");
        let problems = (0..100).rev().map(at).chain([at(3)]).collect();
        let starts: Vec<u32> = diagnose(&source, problems).iter().map(|diagnostic| diagnostic.span.start).collect();
        assert_eq!(starts, (0..DIAGNOSTICS_MAX as u32).collect::<Vec<_>>());
    }
}
