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

/// A source file as it was read, with the files it includes.
///
/// All of them are one text, so that a [`Span`] names a place in any of them: first the file itself, then the
/// included ones, each behind a line break of its own. That break still counts to the file before it, and so the end
/// of a file is never taken for the beginning of the next.
#[derive(PartialEq, Eq, Debug)]
pub struct Source {
    pub path: String,
    pub text: String,
    /// In the order of the text.
    included: Vec<IncludedFile>,
}

#[derive(PartialEq, Eq, Debug)]
struct IncludedFile {
    path: String,
    start: usize,
}

/// One of the files of a [`Source`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceFile<'s> {
    pub path: &'s str,
    pub text: &'s str,
    /// Where the file begins in the text of its source.
    pub start: usize,
}

impl Source {
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Self::with_included(path, text, Vec::new())
    }

    /// A file and those it includes, as pairs of a path and a text.
    pub fn with_included(path: impl Into<String>, text: impl Into<String>, files: Vec<(String, String)>) -> Arc<Self> {
        let mut source = Source { path: path.into(), text: text.into(), included: Vec::new() };
        for (path, text) in files {
            source.text.push('\n');
            source.included.push(IncludedFile { path, start: source.text.len() });
            source.text.push_str(&text);
        }
        Arc::new(source)
    }

    /// The text a span covers; empty where the span does not fit the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The file that a span begins in.
    pub fn file(&self, span: Span) -> SourceFile<'_> {
        let at = span.start as usize;
        let index = self.included.partition_point(|file| file.start <= at);
        let end = self.included.get(index).map_or(self.text.len(), |next| next.start - 1);
        let (path, start) = match index.checked_sub(1) {
            Some(index) => (&self.included[index].path, self.included[index].start),
            None => (&self.path, 0),
        };
        SourceFile { path, text: &self.text[start..end], start }
    }

    /// Where a span begins. Columns count characters.
    pub fn location(&self, span: Span) -> SourceLocation {
        let file = self.file(span);
        let before = file.text.get(..(span.start as usize - file.start)).unwrap_or(file.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        SourceLocation {
            file: file.path.to_owned(),
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

    #[test]
    fn places_in_included_files_are_named_by_their_file() {
        let files = vec![("a.h".to_owned(), "one\ntwo\n".to_owned()), ("b.h".to_owned(), String::new())];
        let source = Source::with_included("m.pml", "main", files);
        let place = |at: usize| source.location(Span::new(at, at)).to_string();
        let two = source.text.find("two").unwrap();
        assert_eq!(place(3), "m.pml:1:4");
        assert_eq!(place(4), "m.pml:1:5", "the end of the main file");
        assert_eq!(place(5), "a.h:1:1");
        assert_eq!(place(two), "a.h:2:1");
        assert_eq!(place(two + 4), "a.h:3:1", "the end of the first included file");
        assert_eq!(place(source.text.len()), "b.h:1:1");
        assert_eq!(source.file(Span::new(two, two)).text, "one\ntwo\n");
        assert_eq!(place(900), "b.h:1:1", "outside of the text");
    }
}
