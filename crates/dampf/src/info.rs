//! `dampf info`: what was understood of an input.

use crate::failure::Failure;
use crate::front_end::FrontEnd;
use crate::front_ends::Registry;
use crate::options::InfoOptions;
use crate::prove;
use crate::terminal::{Terminal, print};
use dampf_report::Palette;
use dampf_search::Measure;
use std::io::{self, Write};

pub fn run(options: &InfoOptions, registry: &Registry, terminal: &Terminal) -> Result<u8, Failure> {
    if let Some(shown) = prove::info(&options.model.input) {
        let text = shown?;
        print(|out| out.write_all(text.as_bytes()))?;
        return Ok(0);
    }
    let language = registry.of(&options.model.input)?;
    registry.refuse_unoffered(language, &options.model.input, &options.model.asked())?;
    language.info(options, terminal)
}

pub fn info<F: FrontEnd>(options: &InfoOptions, terminal: &Terminal) -> Result<u8, Failure> {
    let front_end = F::load(&options.model.input, &options.model, None)?;
    let estimates = front_end.offered_estimates();
    let mut text = Vec::new();
    let written = front_end.write_info(&mut text, terminal.palette)?;
    print(|out| {
        written?;
        out.write_all(&text)?;
        write_heuristics(out, terminal.palette, &estimates)
    })?;
    Ok(0)
}

/// Which heuristics directed searches can go by.
fn write_heuristics(out: &mut dyn Write, palette: Palette, estimates: &[(String, String)]) -> io::Result<()> {
    writeln!(out, "\n{}", palette.heading("heuristics (--search best-first, beam, astar, idastar)"))?;
    let measures: Vec<&str> = Measure::ALL.iter().map(|measure| measure.names()[0]).collect();
    measures.chunks(6).try_for_each(|names| writeln!(out, "  {}", names.join(", ")))?;
    let width = estimates.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    estimates.iter().try_for_each(|(name, told)| writeln!(out, "  {name:<width$}  {told}"))
}
