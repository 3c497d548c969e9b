//! What ends a command early, and how it is shown.
//!
//! There is one style: `error: ` and a sentence, with the way out below it where there is one. Errors in an
//! input show their source line on a terminal, and `file:line:column: message` in a pipe.

use crate::terminal::{Terminal, complain};
use dampf_core::{Diagnostic, Source, Span, Unsupported};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents};
use miette::{SourceCode, SourceSpan, SpanContents, ThemeCharacters, ThemeStyles};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Why a command cannot do what it was asked to.
#[derive(Debug)]
pub enum Failure {
    /// Bad usage, or trouble with a file.
    Message { message: String, help: Option<String> },
    /// Errors in an input.
    Input(Vec<Diagnostic>),
    /// Something Dampf cannot do yet.
    Unsupported(Unsupported),
    /// The search could not come to its end, for this reason.
    Unknown(String),
    /// What the matter is was told already, or another rank tells.
    ToldElsewhere { status: u8 },
}

/// Of a long list of errors, the first are of use.
const DIAGNOSTICS_SHOWN: usize = 10;

impl Failure {
    pub fn new(message: impl Into<String>) -> Failure {
        Failure::Message { message: message.into(), help: None }
    }

    pub fn with_help(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure::Message { message: message.into(), help: Some(help.into()) }
    }

    /// What is kept about an input was written by another version of Dampf.
    pub fn other_knowledge(path: &Path) -> Failure {
        Failure::with_help(
            format!("what was kept about `{}` is of another version of Dampf", path.display()),
            "check the input again",
        )
    }

    pub fn exit_status(&self) -> u8 {
        match self {
            Failure::Message { .. } | Failure::Input(_) => 2,
            Failure::Unsupported(_) | Failure::Unknown(_) => 3,
            Failure::ToldElsewhere { status } => *status,
        }
    }

    /// Shows the failure on standard error.
    pub fn draw(&self, terminal: &Terminal) {
        let error = terminal.error_palette.bad("error");
        let help = terminal.error_palette.name("help");
        match self {
            Failure::Message { message, help: None } => complain(&format!("{error}: {message}\n")),
            Failure::Message { message, help: Some(way_out) } => {
                complain(&format!("{error}: {message}\n  {help}: {way_out}\n"));
            }
            Failure::Unsupported(unsupported) => complain(&format!("{error}: {unsupported}\n")),
            Failure::Unknown(reason) => complain(&format!("unknown: {reason}\n")),
            Failure::ToldElsewhere { .. } => {}
            Failure::Input(diagnostics) => {
                for diagnostic in diagnostics.iter().take(DIAGNOSTICS_SHOWN) {
                    complain(&shown(diagnostic, terminal));
                }
                let hidden = diagnostics.len().saturating_sub(DIAGNOSTICS_SHOWN);
                if hidden > 0 {
                    complain(&format!("{error}: … and {hidden} more\n"));
                }
            }
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Input(vec![diagnostic])
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Failure::Input(diagnostics)
    }
}

impl From<Unsupported> for Failure {
    fn from(unsupported: Unsupported) -> Self {
        Failure::Unsupported(unsupported)
    }
}

fn shown(diagnostic: &Diagnostic, terminal: &Terminal) -> String {
    if terminal.draws_errors {
        drawn(diagnostic, terminal.error_palette.is_on(), terminal.error_columns())
    } else {
        format!("{}: {diagnostic}\n", terminal.error_palette.bad("error"))
    }
}

/// The error with its source line and what stands there.
fn drawn(diagnostic: &Diagnostic, colour: bool, columns: usize) -> String {
    let characters = ThemeCharacters { error: "error:".to_owned(), ..ThemeCharacters::unicode() };
    let styles = if colour { ThemeStyles::ansi() } else { ThemeStyles::none() };
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme { characters, styles })
        .with_width(columns.clamp(40, 120))
        .with_links(false);
    let mut text = String::new();
    match handler.render_report(&mut text, &Drawing::new(diagnostic)) {
        // The handler indents its headline, for a style of its own.
        Ok(()) => format!("{}\n", text.trim_start_matches(['\n', ' ']).trim_end()),
        Err(fmt::Error) => format!("error: {diagnostic}\n"),
    }
}

/// A diagnostic in the form that is drawn.
#[derive(Debug)]
struct Drawing {
    message: String,
    help: Option<String>,
    label: LabeledSpan,
    source: WholeLines,
}

impl Drawing {
    fn new(diagnostic: &Diagnostic) -> Drawing {
        let text = &diagnostic.source.text;
        let file = diagnostic.source.file(diagnostic.span);
        let boundary = |at: u32| {
            let at = (at as usize).clamp(file.start, file.start + file.text.len());
            (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
        };
        let (start, end) = (boundary(diagnostic.span.start), boundary(diagnostic.span.end));
        let label = (!diagnostic.label.is_empty()).then(|| diagnostic.label.clone());
        Drawing {
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            label: LabeledSpan::new(label, start, end.saturating_sub(start)),
            source: WholeLines(Arc::clone(&diagnostic.source)),
        }
    }
}

/// A source of which the lines of a span are drawn, whole and without their neighbours.
#[derive(Debug)]
struct WholeLines(Arc<Source>);

impl SourceCode for WholeLines {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        _: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let file = self.0.file(Span::new(span.offset(), span.offset()));
        let (start, end) = (span.offset() - file.start, span.offset() + span.len() - file.start);
        let (Some(before), Some(after)) = (file.text.get(..start), file.text.get(end..)) else {
            return Err(MietteError::OutOfBounds);
        };
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = after.find('\n').map_or(file.text.len(), |at| end + at);
        let line = before.matches('\n').count();
        // Labels have their places in the whole text, and so must the lines that are drawn.
        let lines = SourceSpan::from((file.start + line_start, line_end - line_start));
        let contents = &file.text.as_bytes()[line_start..line_end];
        let (path, column) = (file.path.to_owned(), start - line_start);
        let count = file.text[line_start..line_end].lines().count();
        Ok(Box::new(MietteSpanContents::new_named(path, contents, lines, line, column, count)))
    }
}

impl fmt::Display for Drawing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Drawing {}

impl miette::Diagnostic for Drawing {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(std::iter::once(self.label.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn diagnostic(start: usize, end: usize) -> Diagnostic {
        Diagnostic {
            source: Source::new("abp.dve", "channel {byte} data[1];\nprocess P {\n  ack!0;\n}\n"),
            span: Span::new(start, end),
            message: "channel `ack` is not declared".to_owned(),
            label: "used here".to_owned(),
            help: Some("declare it with `channel ack;`".to_owned()),
        }
    }

    #[test]
    fn an_error_is_drawn_with_its_source_line() {
        expect![[r#"
            error: channel `ack` is not declared
               ╭─[abp.dve:3:3]
             3 │   ack!0;
               ·   ─┬─
               ·    ╰── used here
               ╰────
              help: declare it with `channel ack;`
        "#]]
        .assert_eq(&drawn(&diagnostic(38, 41), false, 80));
    }

    #[test]
    fn an_error_in_an_included_file_is_drawn_with_that_file() {
        let files = vec![("types.h".to_owned(), "\nchan ack\n".to_owned())];
        let source = Source::with_included("m.pml", "#include \"types.h\"\n", files);
        let at = source.text.find("ack").unwrap();
        let wrong = Diagnostic { source, help: None, ..diagnostic(at, at + 3) };
        expect![[r#"
            error: channel `ack` is not declared
               ╭─[types.h:2:6]
             2 │ chan ack
               ·      ─┬─
               ·       ╰── used here
               ╰────
        "#]]
        .assert_eq(&drawn(&wrong, false, 80));
    }

    #[test]
    fn a_place_outside_of_the_text_is_drawn_too() {
        for (start, end) in [(500, 900), (41, 38), (54, 54), (0, 54)] {
            assert!(drawn(&diagnostic(start, end), true, 10).contains("`ack`"));
        }
        let empty = Diagnostic { source: Source::new("e.dve", ""), ..diagnostic(0, 0) };
        assert!(drawn(&empty, false, 80).contains("`ack`"));
    }
}
