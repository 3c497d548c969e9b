//! Colour, or its absence.
//!
//! Text is written once; a palette that is off leaves every word as it is, so a pipe sees the same text as a
//! terminal, without escape sequences.

use std::fmt::Display;

/// Paints words where colour is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Palette {
    on: bool,
}

impl Palette {
    pub const fn plain() -> Self {
        Palette { on: false }
    }

    pub const fn colour() -> Self {
        Palette { on: true }
    }

    pub fn new(on: bool) -> Self {
        Palette { on }
    }

    pub fn is_on(self) -> bool {
        self.on
    }

    /// For what is well: `verified`.
    pub fn good(self, text: impl Display) -> String {
        self.paint("1;32", text)
    }

    /// For what is wrong: `violated`, errors.
    pub fn bad(self, text: impl Display) -> String {
        self.paint("1;31", text)
    }

    /// For what is not decided: `unknown`, warnings.
    pub fn doubtful(self, text: impl Display) -> String {
        self.paint("1;33", text)
    }

    pub fn heading(self, text: impl Display) -> String {
        self.paint("1", text)
    }

    /// For names of processes and choices.
    pub fn name(self, text: impl Display) -> String {
        self.paint("36", text)
    }

    /// For what stands beside the matter: places, old values, notes.
    pub fn aside(self, text: impl Display) -> String {
        self.paint("2", text)
    }

    fn paint(self, code: &str, text: impl Display) -> String {
        if self.on { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
}
