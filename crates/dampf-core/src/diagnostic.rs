//! Errors in an input, with the place they are at.
//!
//! Front ends return these; the command line draws them with the source line. Their plain form is the
//! `file:line:column: message` that editors understand.

use crate::SourceLocation;
use std::fmt;
use std::sync::Arc;

/// A range of bytes in a source text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest range that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A source file as it was read.
#[derive(PartialEq, Eq, Debug)]
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Source { path: path.into(), text: text.into() })
    }

    /// The text a span covers; empty where the span does not fit the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Where a span begins. Columns count characters.
    pub fn location(&self, span: Span) -> SourceLocation {
        let before = self.text.get(..span.start as usize).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        SourceLocation {
            file: self.path.clone(),
            line: before.matches('\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
        }
    }
}

/// What is wrong with an input, where, and what to do about it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub source: Arc<Source>,
    pub span: Span,
    /// What is wrong: `channel `ack` is used before it is declared`.
    pub message: String,
    /// What stands at the place: `used here`.
    pub label: String,
    /// The way out, where there is one to name.
    pub help: Option<String>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.source.location(self.span), self.message)?;
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_count_lines_and_characters_from_one() {
        let source = Source::new("m.dve", "byte x;\nbyte ü, y;\n");
        let y = source.text.find("y;").unwrap();
        let at = source.text[..].rfind("y;").unwrap_or(y);
        let location = source.location(Span::new(at, at + 1));
        assert_eq!((location.line, location.column), (2, 9));
        assert_eq!(source.location(Span::new(0, 4)).to_string(), "m.dve:1:1");
    }

    #[test]
    fn a_span_outside_the_text_is_no_panic() {
        let source = Source::new("m.dve", "ü");
        assert_eq!(source.slice(Span::new(1, 9)), "");
        assert_eq!(source.location(Span::new(1, 9)).line, 1);
    }
}
