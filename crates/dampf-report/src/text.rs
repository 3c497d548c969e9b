//! Runs as text: a numbered list of steps with what each changed.
//!
//! The layout is the same on a terminal and in a pipe; only colour differs. A line of a step has the shape
//! `number  process  file:line  source text`, and the values it changed follow, indented below the text.

use crate::run::{line_of, place, shortest};
use crate::{Palette, Run, ToldStep, grouped};
use dampf_core::{Binding, CallStack, Describe, Fault};
use std::collections::HashSet;
use std::io::{self, Write};

/// How much of a long run is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excerpt {
    Whole,
    /// All steps, with the calls of libraries in which they are.
    Unfolded,
    /// The first and the last steps, where there are more than these and a few others.
    Ends,
}

const LONG: usize = 60;
const SHOWN_FIRST: usize = 10;
const SHOWN_LAST: usize = 40;

/// A column is not widened for a rare long entry.
const COLUMN_MAX: usize = 56;

/// Writes steps with aligned columns, as wide as the widest entry so far.
#[derive(Clone, Debug, Default)]
pub struct StepTable {
    number: usize,
    process: usize,
    place: usize,
    /// Whether calls of libraries are shown.
    unfolds: bool,
}

impl StepTable {
    /// Makes room for steps up to this number.
    pub fn for_steps(count: usize) -> Self {
        StepTable { number: count.to_string().len().max(3), ..StepTable::default() }
    }

    /// Widens the columns so that this step fits.
    pub fn fit(&mut self, told: &ToldStep) {
        let width = |text: &str| text.chars().count().min(COLUMN_MAX);
        for part in told.parts() {
            self.process = self.process.max(width(&part.process));
            self.place = self.place.max(width(&place(part)));
        }
    }

    /// Writes one step; `number` counts from 1.
    pub fn write(&mut self, out: &mut dyn Write, palette: Palette, number: usize, told: &ToldStep) -> io::Result<()> {
        self.fit(told);
        let width = self.number.max(3);
        for (index, part) in told.parts().enumerate() {
            // Only the first part of a step has its number.
            let number = if index == 0 { number.to_string() } else { String::new() };
            let process = padded(&part.process, self.process);
            let place = padded(&place(part), self.place);
            let text = one_line(&part.text);
            let line = format!("  {number:>width$}  {}  {}  {text}", palette.name(process), palette.aside(place));
            writeln!(out, "{}", line.trim_end())?;
            if index == 0 && self.unfolds {
                for (function, location) in &told.library_calls {
                    let call = format!("in {function} at {}", line_of(location));
                    writeln!(out, "  {:width$}    {}", "", palette.aside(call))?;
                }
            }
        }
        let changes: Vec<String> = told.noteworthy_changes().map(|change| shown_change(palette, change)).collect();
        if !changes.is_empty() {
            writeln!(out, "  {:width$}    {}", "", changes.join(", "))?;
        }
        Ok(())
    }
}

fn shown_change(palette: Palette, change: &crate::Change) -> String {
    format!("{}: {} -> {}", change.name, palette.aside(&change.before), palette.heading(&change.after))
}

fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

/// Source text on one line, with single spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is wrong, with its kind unless the message says that anyway.
pub(crate) fn fault_sentence(fault: &Fault) -> String {
    let kind = fault.kind.name().replace('-', " ");
    if fault.message.starts_with(&kind) { fault.message.clone() } else { fault.to_string() }
}

/// Writes what is wrong, and where.
pub fn write_fault(out: &mut dyn Write, palette: Palette, fault: &Fault) -> io::Result<()> {
    writeln!(out, "{}: {}", palette.bad("violated"), fault_sentence(fault))?;
    match &fault.location {
        Some(location) => writeln!(out, "  at {}:{}:{}", shortest(&location.file), location.line, location.column),
        None => Ok(()),
    }
}

/// Writes values under a heading, several to a line.
pub fn write_state(out: &mut dyn Write, palette: Palette, heading: &str, values: &[Binding]) -> io::Result<()> {
    const LINE: usize = 96;
    writeln!(out, "{}", palette.heading(heading))?;
    if values.is_empty() {
        return writeln!(out, "  {}", palette.aside("no variables"));
    }
    let mut line = String::new();
    for (index, Binding { name, value }) in values.iter().enumerate() {
        let comma = if index + 1 < values.len() { "," } else { "" };
        let entry = format!("{name} = {value}{comma}");
        if !line.is_empty() && line.chars().count() + 1 + entry.chars().count() > LINE {
            writeln!(out, "  {line}")?;
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&entry);
    }
    writeln!(out, "  {line}")
}

/// Writes who waits for what, for a run that ends in a deadlock.
pub fn write_blocked(out: &mut dyn Write, palette: Palette, blocked: &[String]) -> io::Result<()> {
    if blocked.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", palette.heading("who waits for what"))?;
    blocked.iter().try_for_each(|line| writeln!(out, "  {line}"))
}

/// Writes a run: where it begins, its steps, and where it ends.
pub fn write_run<M: Describe>(
    out: &mut dyn Write,
    palette: Palette,
    run: &Run<'_, M>,
    excerpt: Excerpt,
) -> io::Result<()> {
    let changing = run.changing();
    write_relevant(out, palette, "initial state", run.initial(), &changing)?;
    writeln!(out)?;
    match run.len() {
        0 => writeln!(out, "{}", palette.heading("no steps: the initial state itself is the end of the run"))?,
        1 => writeln!(out, "{}", palette.heading("1 step"))?,
        count => writeln!(out, "{}", palette.heading(format!("{} steps", grouped(count as u64))))?,
    }
    write_steps(out, palette, run, excerpt)?;
    if run.stays() {
        writeln!(out, "  {}", palette.heading("and there it stays for ever: nothing can move any more"))?;
    }
    if !run.is_empty() {
        writeln!(out)?;
        write_relevant(out, palette, "final state", run.last(), &changing)?;
    }
    write_blocked(out, palette, &run.blocked())?;
    write_stacks(out, palette, &run.stacks())
}

/// Writes where the threads are.
fn write_stacks(out: &mut dyn Write, palette: Palette, stacks: &[CallStack]) -> io::Result<()> {
    if stacks.iter().all(|stack| stack.calls.is_empty()) {
        return Ok(());
    }
    writeln!(out, "\n{}", palette.heading("where the threads are"))?;
    for stack in stacks.iter().filter(|stack| !stack.calls.is_empty()) {
        writeln!(out, "  {}", palette.name(&stack.thread))?;
        for (function, location) in &stack.calls {
            writeln!(out, "    {function} at {}", line_of(location))?;
        }
    }
    Ok(())
}

/// Writes the values of a run's first or last state that matter to it: those that change on the way.
fn write_relevant(
    out: &mut dyn Write,
    palette: Palette,
    heading: &str,
    values: Vec<Binding>,
    changing: &HashSet<String>,
) -> io::Result<()> {
    if changing.is_empty() {
        return write_state(out, palette, heading, &values);
    }
    let all = values.len();
    let relevant: Vec<Binding> = values.into_iter().filter(|value| changing.contains(&value.name)).collect();
    let heading = match all - relevant.len() {
        0 => heading.to_owned(),
        1 => format!("{heading} (without 1 value that never changes here)"),
        constant => format!("{heading} (without {} values that never change here)", grouped(constant as u64)),
    };
    write_state(out, palette, &heading, &relevant)
}

fn write_steps<M: Describe>(
    out: &mut dyn Write,
    palette: Palette,
    run: &Run<'_, M>,
    excerpt: Excerpt,
) -> io::Result<()> {
    let count = run.len();
    let hidden = match excerpt {
        Excerpt::Ends if count > LONG => SHOWN_FIRST..count - SHOWN_LAST,
        _ => count..count,
    };
    let mut table = StepTable { unfolds: excerpt == Excerpt::Unfolded, ..StepTable::for_steps(count) };
    if count <= LONG || !hidden.is_empty() {
        (0..hidden.start).chain(hidden.end..count).for_each(|index| table.fit(&run.step(index)));
    }
    for index in (0..hidden.start).chain(hidden.end..count) {
        if index == hidden.end && !hidden.is_empty() {
            let steps = grouped(hidden.len() as u64);
            let note = format!("… {steps} steps not shown; --trail FILE and `dampf replay` show all");
            writeln!(out, "  {}", palette.aside(note))?;
        }
        if run.cycle_start() == Some(index)
            || hidden.end == index && run.cycle_start().is_some_and(|at| hidden.contains(&at))
        {
            writeln!(out, "  {}", palette.heading(cycle_heading(run)))?;
        }
        table.write(out, palette, index + 1, &run.step(index))?;
    }
    for line in run.idle() {
        writeln!(out, "  in the cycle, {line}")?;
    }
    Ok(())
}

fn cycle_heading<M: Describe>(run: &Run<'_, M>) -> String {
    let start = run.cycle_start().unwrap_or_default();
    match run.len() - start {
        1 => format!("step {} is repeated for ever:", start + 1),
        _ => format!("steps {} to {} are repeated for ever:", start + 1, run.len()),
    }
}
