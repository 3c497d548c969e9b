//! What is wrong with a text, before it is known which text that is.
//!
//! Everything inside this crate speaks of mistakes; they become [`Diagnostic`]s, which carry their source, at
//! the crate's boundary.

use dampf_core::{Diagnostic, Source, Span};
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    pub span: Span,
    pub message: String,
    pub label: String,
    pub help: Option<String>,
}

impl Mistake {
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Self {
        Mistake { span, message: message.into(), label: label.into(), help: None }
    }

    pub fn help(self, help: impl Into<String>) -> Self {
        Mistake { help: Some(help.into()), ..self }
    }

    /// Adds "did you mean" where one of the candidates is close to what was written.
    pub fn suggest<'a>(self, written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(written, candidates) {
            Some(name) => self.help(format!("did you mean `{name}`?")),
            None => self,
        }
    }

    pub fn locate(self, source: &Arc<Source>) -> Diagnostic {
        Diagnostic {
            source: source.clone(),
            span: self.span,
            message: self.message,
            label: self.label,
            help: self.help,
        }
    }
}

/// Gives mistakes their source, in the order of the text, each once: what is wrong with a process is found
/// again in every instance.
pub fn locate_all(mut mistakes: Vec<Mistake>, source: &Arc<Source>) -> Vec<Diagnostic> {
    mistakes.sort_by(|a, b| (a.span, &a.message).cmp(&(b.span, &b.message)));
    mistakes.dedup();
    mistakes.into_iter().map(|mistake| mistake.locate(source)).collect()
}

fn nearest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = if written.len() <= 3 { 1 } else { 2 };
    candidates
        .into_iter()
        .filter(|name| name.len().abs_diff(written.len()) <= allowed)
        .map(|name| (if name.eq_ignore_ascii_case(written) { 0 } else { distance(written, name) }, name))
        .filter(|(distance, name)| *distance <= allowed && *distance < name.len())
        .min()
        .map(|(_, name)| name)
}

/// The number of insertions, deletions and replacements between two words (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    // Names longer than this are compared by nobody's eye.
    if from.len() > 64 || to.len() > 64 {
        return usize::MAX;
    }
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (deleted, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = deleted + 1;
        for (column, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found() {
        assert_eq!(nearest("numbr", ["choosing", "number"]), Some("number"));
        assert_eq!(nearest("y", ["number", "x"]), None);
        assert_eq!(nearest("X", ["y", "x"]), Some("x"));
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
