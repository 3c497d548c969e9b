//! `dampf info` of a program.

use super::program::Program;
use crate::front_end::Making;
use dampf_core::Model;
use dampf_report::{Palette, grouped};
use std::io::{self, Write};

/// Variables that are listed; a program may have thousands.
const VARIABLES_SHOWN: usize = 100;

/// Variables that annotations need; that of `PROP` has the name of a proposition, and is worth knowing.
const ANNOTATIONS: [&str; 6] = [
    "__dampf_publishes",
    "__dampf_estimate",
    "__dampf_evaluates",
    "__dampf_evaluation",
    "__dampf_suggests",
    "__dampf_agent",
];

/// Whether a variable is neither the library's nor an annotation's.
fn is_the_users(name: &str) -> bool {
    !name.starts_with("std::") && !ANNOTATIONS.iter().any(|variable| name.contains(variable))
}

pub fn write(out: &mut dyn Write, palette: Palette, input: &Program) -> io::Result<()> {
    let program = &input.program;
    let model = input.model_on(Making::bare(false).ground);
    let code: u64 = program.debug.user_code().iter().map(|range| range.end - range.start).sum();
    let races = if program.instrumented { "yes" } else { "no: compile the program with `dampf cc` or `dampf c++`" };
    let rows = [
        ("program", program.path.clone()),
        ("arguments", program.surroundings.arguments[1..].join(" ")),
        (
            "your code",
            if code == 0 {
                "unknown: there is no debug information (-g)".to_owned()
            } else {
                format!("{} bytes", grouped(code))
            },
        ),
        ("data", format!("{} bytes", grouped(program.globals.end - program.globals.start))),
        ("data races", races.to_owned()),
        ("state", format!("{} words for up to {} threads, more when needed", model.width(), input.sharing.slots())),
    ];
    for (name, value) in rows {
        writeln!(out, "{} {value}", palette.aside(format!("{name:<12}")))?;
    }
    let variables: Vec<_> = program.debug.globals().iter().filter(|variable| is_the_users(&variable.name)).collect();
    if !variables.is_empty() {
        writeln!(out, "\n{}", palette.heading("global variables"))?;
    }
    for variable in variables.iter().take(VARIABLES_SHOWN) {
        let kind = if variable.thread_local { "thread-local " } else { "" };
        writeln!(
            out,
            "  {}  {kind}{}  {} bytes",
            palette.name(&variable.name),
            program.debug.type_name(variable.ty),
            grouped(variable.size)
        )?;
    }
    if variables.len() > VARIABLES_SHOWN {
        writeln!(out, "  and {} more", grouped((variables.len() - VARIABLES_SHOWN) as u64))?;
    }
    Ok(())
}
