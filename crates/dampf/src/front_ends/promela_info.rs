//! What was understood of a Promela model.

use dampf_promela::PromelaModel;
use dampf_report::{Palette, grouped};
use std::io::{self, Write};

pub fn write(out: &mut dyn Write, palette: Palette, model: &PromelaModel) -> io::Result<()> {
    let layout = model.gcl().layout();
    let about = model.about();
    let transitions: usize = model.gcl().program().processes.iter().map(|process| process.transitions.len()).sum();
    let rows = [
        ("model", format!("{} (Promela)", model.gcl().program().source.path)),
        ("state", format!("{} bits in {} words", grouped(u64::from(layout.bits)), grouped(layout.width as u64))),
        ("processes", grouped(about.processes.len() as u64)),
        ("channels", grouped(about.channels.len() as u64)),
        ("transitions", grouped(transitions as u64)),
        ("formulas", grouped(about.formulas.len() as u64)),
    ];
    for (name, value) in rows {
        writeln!(out, "{} {value}", palette.aside(format!("{name:<12}")))?;
    }
    let sections = [
        ("processes that there can be", about.processes),
        ("channels", about.channels),
        ("variables", about.variables),
        ("formulas (kept, not checked yet)", about.formulas),
    ];
    for (heading, lines) in sections.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        writeln!(out, "\n{}", palette.heading(heading))?;
        lines.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    }
    Ok(())
}
