//! Where a search that a limit has ended spends its steps, for people who want to make the space smaller.

use crate::{Palette, grouped};
use dampf_core::SourceLocation;
use std::io::{self, Write};

/// The source lines with most steps, in a sample of runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BusyLines {
    /// Of all lines.
    pub steps: u64,
    /// The busiest first.
    pub lines: Vec<BusyLine>,
    /// What may help, in words for people.
    pub advice: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BusyLine {
    pub location: SourceLocation,
    pub text: String,
    pub steps: u64,
}

impl BusyLines {
    pub(crate) fn write_text(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let heading = format!("most steps, of {} in a sample of runs", grouped(self.steps));
        writeln!(out, "\n{}", palette.heading(heading))?;
        for BusyLine { location: SourceLocation { file, line, .. }, text, steps } in &self.lines {
            writeln!(out, "  {:>9}  {file}:{line}  {}", grouped(*steps), palette.aside(text))?;
        }
        self.advice.iter().try_for_each(|advice| writeln!(out, "  {}: {advice}", palette.doubtful("hint")))
    }
}
