//! Where output goes: a terminal, with colour and drawings, or a pipe, with plain text.
//!
//! A reader that has gone away (a closed pipe) is no error: there is nobody to tell. Any other trouble with
//! standard output is one, because the result would be lost without a word.

use crate::failure::Failure;
use crate::options::Color;
use dampf_report::Palette;
use std::io::{self, BufWriter, IsTerminal, Write};

pub struct Terminal {
    /// Colours for standard output.
    pub palette: Palette,
    /// Colours for standard error.
    pub error_palette: Palette,
    /// Whether errors are drawn with their source lines.
    pub draws_errors: bool,
    /// Whether there is somebody to watch progress.
    pub watched: bool,
}

impl Terminal {
    pub fn new(color: Color) -> Terminal {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|term| term == "dumb");
        let automatic = |is_terminal: bool| is_terminal && !dumb && set("NO_COLOR").is_none();
        let coloured = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => automatic(is_terminal),
        };
        // Launchers of MPI give every rank a terminal of its own for its output, and write that wherever theirs goes.
        let is_launched = dampf_net::ranks_of_environment().is_some();
        let (out, error) = (io::stdout().is_terminal() && !is_launched, io::stderr().is_terminal());
        Terminal {
            palette: Palette::new(coloured(out)),
            error_palette: Palette::new(coloured(error)),
            draws_errors: error,
            watched: error && !dumb,
        }
    }

    /// The columns of the terminal that errors are drawn on.
    pub fn error_columns(&self) -> usize {
        console::Term::stderr().size_checked().map_or(80, |(_, columns)| usize::from(columns))
    }
}

/// Writes to standard output and flushes it.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    // Dropping the buffer would try to write the rest once more.
    let _ = out.into_parts();
    tolerate_closed_pipe(written).map_err(|error| Failure::new(format!("cannot write to standard output: {error}")))
}

/// Takes a reader that has gone away for a quiet end.
pub fn tolerate_closed_pipe(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes to standard error; where that fails there is nobody left to tell.
pub fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
