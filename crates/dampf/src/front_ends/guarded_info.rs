//! `dampf info` of a model in guarded commands.

use dampf_gcl::ir::{Channel, IntType, Location, LocationId, Process, Program, Variable, VariableId};
use dampf_gcl::layout::{Layout, Storage};
use dampf_gcl::model::GclModel;
use dampf_gcl::ranges::Range;
use dampf_report::{Palette, grouped};
use std::io::{self, Write};

pub fn write(out: &mut dyn Write, palette: Palette, model: &GclModel, language: &'static str) -> io::Result<()> {
    Info { model, palette, language }.write(out)
}

struct Info<'m> {
    model: &'m GclModel,
    palette: Palette,
    language: &'static str,
}

impl Info<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_overview(out)?;
        let program = self.program();
        self.write_variables(out)?;
        self.write_channels(out)?;
        for process in &program.processes {
            self.write_process(out, "process", process)?;
        }
        if let Some(property) = &program.property {
            self.write_process(out, "property automaton", property)?;
        }
        self.write_checks(out)
    }

    fn program(&self) -> &Program {
        self.model.program()
    }

    fn layout(&self) -> &Layout {
        self.model.layout()
    }

    fn heading(&self, out: &mut dyn Write, text: &str) -> io::Result<()> {
        writeln!(out, "\n{}", self.palette.heading(text))
    }

    fn write_overview(&self, out: &mut dyn Write) -> io::Result<()> {
        let program = self.program();
        let layout = self.layout();
        let transitions: usize = program.processes.iter().map(|process| process.transitions.len()).sum();
        let property = program.property.as_ref().map_or("none", |property| &property.name);
        let rows = [
            ("model", format!("{} ({}, {})", program.name, program.source.path, self.language)),
            (
                "state",
                format!("{} in {}", counted(u64::from(layout.bits), "bit"), counted(layout.width as u64, "word")),
            ),
            ("processes", grouped(program.processes.len() as u64)),
            ("transitions", grouped(transitions as u64)),
            ("actions", grouped(self.model.actions().len() as u64)),
            ("variables", grouped(program.variables.len() as u64)),
            ("channels", grouped(program.channels.len() as u64)),
            ("property", property.to_owned()),
            ("checks", grouped(program.checks.len() as u64)),
        ];
        rows.iter().try_for_each(|(name, value)| writeln!(out, "{} {value}", self.palette.aside(format!("{name:<12}"))))
    }

    fn write_variables(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.program().variables.is_empty() {
            return Ok(());
        }
        self.heading(out, "variables")?;
        let ranges = self.model.ranges();
        let rows = self.program().variables.iter().zip(ranges).enumerate().map(|(index, (variable, range))| {
            let id = VariableId(index as u32);
            let bits = storage_bits(&self.layout().variables[index]);
            [
                self.program().variable_name(id),
                variable_type(variable),
                shown_range(variable.ty, *range),
                counted(u64::from(bits), "bit"),
                format!("initially {}", initial(variable)),
            ]
        });
        write_table(out, &rows.collect::<Vec<_>>())
    }

    fn write_channels(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.program().channels.is_empty() {
            return Ok(());
        }
        self.heading(out, "channels")?;
        let rows = self.program().channels.iter().zip(&self.layout().channels).map(|(channel, buffer)| {
            let bits = buffer.as_ref().map_or(0, |buffer| {
                let slots: u32 = buffer.slots.iter().map(|slots| slots.first.bits * slots.len).sum();
                buffer.length.bits + slots
            });
            [channel.name.clone(), capacity(channel), fields(channel), counted(u64::from(bits), "bit")]
        });
        write_table(out, &rows.collect::<Vec<_>>())
    }

    fn write_process(&self, out: &mut dyn Write, role: &str, process: &Process) -> io::Result<()> {
        let locations = counted(process.locations.len() as u64, "location");
        let transitions = counted(process.transitions.len() as u64, "transition");
        self.heading(out, &format!("{role} {}: {locations}, {transitions}", process.name))?;
        let marked = |(index, location): (usize, &Location)| {
            let marks = marks(location, process.initial == LocationId(index as u32));
            if marks.is_empty() { location.name.clone() } else { format!("{} ({})", location.name, marks.join(", ")) }
        };
        let names: Vec<String> = process.locations.iter().enumerate().map(marked).collect();
        writeln!(out, "  {}", names.join(", "))?;
        let source = &self.program().source;
        let rows = process.transitions.iter().map(|transition| {
            let line = source.location(transition.span).line;
            let text = source.slice(transition.span).split_whitespace().collect::<Vec<_>>().join(" ");
            let name = |id: LocationId| process.locations.get(id.0 as usize).map_or("?", |location| &location.name);
            let way = format!("{} -> {}", name(transition.source), name(transition.target));
            let text = text.strip_prefix(way.as_str()).map_or(text.as_str(), str::trim_start).to_owned();
            [format!("{line}:"), way, text]
        });
        write_table(out, &rows.collect::<Vec<_>>())
    }

    fn write_checks(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.program().checks.is_empty() {
            return Ok(());
        }
        self.heading(out, "checks")?;
        let source = &self.program().source;
        let rows = self.program().checks.iter().map(|check| {
            let place =
                check.span.map_or("given on the command line".to_owned(), |span| source.location(span).to_string());
            [check.kind.to_string(), check.text.split_whitespace().collect::<Vec<_>>().join(" "), place]
        });
        write_table(out, &rows.collect::<Vec<_>>())
    }
}

/// Writes rows with aligned columns.
fn write_table<const COLUMNS: usize>(out: &mut dyn Write, rows: &[[String; COLUMNS]]) -> io::Result<()> {
    let length = |text: &String| text.chars().count();
    let widths: [usize; COLUMNS] =
        std::array::from_fn(|column| rows.iter().map(|row| length(&row[column])).max().unwrap_or(0).min(48));
    for row in rows {
        let cells = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width.saturating_sub(length(cell)))));
        writeln!(out, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

fn marks(location: &Location, initial: bool) -> Vec<&'static str> {
    let marks = [
        (initial, "initial"),
        (location.committed, "committed"),
        (location.end, "end"),
        (location.accepting, "accepting"),
    ];
    marks.into_iter().filter(|(holds, _)| *holds).map(|(_, mark)| mark).collect()
}

fn type_name(ty: IntType) -> String {
    format!("{}{}", if ty.signed { "int" } else { "uint" }, ty.bits)
}

fn variable_type(variable: &Variable) -> String {
    match variable.array {
        None => type_name(variable.ty),
        Some(len) => format!("{}[{len}]", type_name(variable.ty)),
    }
}

/// The values a variable can take. A range that wraps around is shown as the type keeps it: `255, 0 .. 2`.
fn shown_range(ty: IntType, range: Range) -> String {
    let (first, last) = (range.base, range.base.wrapping_add(range.count.saturating_sub(1) as i32));
    let (kept_first, kept_last) = (ty.wrap(first), ty.wrap(last));
    let (least, greatest) = ty.range();
    let span = |from: i32, to: i32| if from == to { from.to_string() } else { format!("{from}..{to}") };
    if kept_first <= kept_last {
        span(kept_first, kept_last)
    } else {
        format!("{}, {}", span(kept_first, greatest), span(least, kept_last))
    }
}

fn storage_bits(storage: &Storage) -> u32 {
    match storage {
        Storage::Scalar(field) => field.bits,
        Storage::Elements(fields) => fields.iter().map(|field| field.bits).sum(),
        Storage::Array(array) => array.first.bits * array.len,
    }
}

fn initial(variable: &Variable) -> String {
    let first = variable.initial.first().copied().unwrap_or(0);
    if variable.array.is_none() || variable.initial.iter().all(|value| *value == first) {
        return first.to_string();
    }
    const SHOWN: usize = 16;
    let mut values: Vec<String> = variable.initial.iter().take(SHOWN).map(i32::to_string).collect();
    if variable.initial.len() > SHOWN {
        values.push("…".to_owned());
    }
    values.join(", ")
}

fn capacity(channel: &Channel) -> String {
    match channel.capacity {
        0 => "rendezvous".to_owned(),
        1 => "buffer of 1 message".to_owned(),
        capacity => format!("buffer of {} messages", grouped(u64::from(capacity))),
    }
}

fn fields(channel: &Channel) -> String {
    let types: Vec<String> = channel.fields.iter().map(|ty| type_name(*ty)).collect();
    if types.is_empty() { "no values".to_owned() } else { types.join(", ") }
}
