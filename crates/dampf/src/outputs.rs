//! Where the result of a check goes.
//!
//! What was learnt is first written to the files that were asked for, then printed. A file that cannot be
//! written costs the exit status, never the result.

use crate::failure::Failure;
use crate::options::CheckOptions;
use crate::output_file::OutputFile;
use crate::terminal;
use dampf_core::Describe;
use dampf_report::{CheckReport, Excerpt, Palette, TrailFile};
use std::path::Path;

/// Where the result goes.
pub struct Outputs {
    json: Option<OutputFile>,
    json_to_stdout: bool,
    trail: Option<OutputFile>,
}

impl Outputs {
    /// Nothing where somebody else speaks.
    pub fn reserve(options: &CheckOptions, speaks: bool) -> Result<Outputs, Failure> {
        if !speaks {
            return Ok(Outputs { json: None, json_to_stdout: false, trail: None });
        }
        let json_to_stdout = options.json.as_deref() == Some(Path::new("-"));
        let mut precious: Vec<&Path> = vec![&options.model.input];
        precious.extend(options.buchi.as_deref());
        let json = options.json.as_deref().filter(|_| !json_to_stdout);
        let json_file = json.map(|path| OutputFile::reserve("--json", path, &precious)).transpose()?;
        precious.extend(json);
        let trail = options.trail.as_deref().map(|path| OutputFile::reserve("--trail", path, &precious)).transpose()?;
        Ok(Outputs { json: json_file, json_to_stdout, trail })
    }

    /// Writes everything that can be written; the first failure is returned after the rest was tried.
    pub fn write<M: Describe>(
        &self,
        report: &CheckReport<'_, M>,
        trail: Option<&TrailFile>,
        shown: Shown,
    ) -> Result<(), Failure> {
        let json = self.json.as_ref().map_or(Ok(()), |file| file.write(|out| report.write_json(out)));
        let kept = match (&self.trail, trail) {
            (Some(file), Some(trail)) => file.write(|out| out.write_all(trail.to_json().as_bytes())),
            (Some(file), None) => {
                file.remove();
                Ok(())
            }
            (None, _) => Ok(()),
        };
        let printed = terminal::print(|out| {
            if self.json_to_stdout {
                report.write_json(out)
            } else {
                report.write_text(out, shown.palette, shown.excerpt)
            }
        });
        if printed.is_err() {
            // Nobody may have to search again because a disk is full: the result goes where it still can.
            let mut text = Vec::new();
            if report.write_text(&mut text, shown.error_palette, shown.excerpt).is_ok() {
                terminal::complain(&String::from_utf8_lossy(&text));
            }
        }
        json.and(kept).and(printed)
    }
}

/// How the text is shown.
#[derive(Clone, Copy)]
pub struct Shown {
    pub palette: Palette,
    pub error_palette: Palette,
    pub excerpt: Excerpt,
}
