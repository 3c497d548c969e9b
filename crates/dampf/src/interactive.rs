//! A walk whose steps are chosen by hand.
//!
//! Commands are lines of standard input, so that a walk can also be written down and piped in. The end of the
//! input ends the walk.

use crate::simulate::{Interruption, RunEnd, Standing, Walk};
use dampf_core::{Action, Describe, Word};
use dampf_report::{Palette, StepTable};
use std::io::{self, BufRead, IsTerminal, Write};

const HELP: &str = "a number takes that step, u takes a step back, s shows all values, q ends";

/// Walks as the lines of standard input say; returns whether the walk ends in a fault. `taken` are the steps so far: a
/// walk that refuted what the model assumes is gone on with on another model, as far as the same steps lead there.
pub fn walk<M: Describe>(
    walk: &mut Walk<'_, M>,
    taken: &mut Vec<Action>,
    end: RunEnd,
    out: &mut dyn Write,
    palette: Palette,
) -> Result<bool, Interruption> {
    let mut past: Vec<Vec<Word>> = Vec::new();
    let mut lines = io::stdin().lock().lines();
    if taken.is_empty() {
        walk.write_state(out, palette, "initial state")?;
    } else {
        go_on(walk, taken, &mut past)?;
        walk.write_state(out, palette, "state")?;
    }
    loop {
        let standing = write_standing(walk, past.len(), end, out, palette)?;
        let ended = matches!(standing, Standing::Faulty(_));
        match ask(walk, &mut lines, !past.is_empty(), out, palette)? {
            Answer::Quit => {
                walk.write_state(out, palette, "final state")?;
                return Ok(ended);
            }
            Answer::Back => {
                if let Some(state) = past.pop() {
                    taken.pop();
                    walk.go_to(state)?;
                }
            }
            Answer::Step(index) => {
                let (told, fault) = walk.choice(index);
                StepTable::default().write(out, palette, past.len() + 1, &told)?;
                match fault {
                    // A faulty step leads nowhere: the walk stays before it.
                    Some(fault) => walk.write_fault(out, palette, fault)?,
                    None => {
                        past.push(walk.state().to_vec());
                        taken.push(walk.action(index));
                        walk.take(index)?;
                    }
                }
            }
        }
    }
}

/// Takes the same steps again, as far as there are such.
fn go_on<M: Describe>(
    walk: &mut Walk<'_, M>,
    taken: &mut Vec<Action>,
    past: &mut Vec<Vec<Word>>,
) -> Result<(), Interruption> {
    for number in 0..taken.len() {
        let same = |index: &usize| walk.action(*index) == taken[number] && walk.leads_on(*index);
        let Some(index) = (0..walk.choices()).find(same) else {
            taken.truncate(number);
            break;
        };
        past.push(walk.state().to_vec());
        walk.take(index)?;
    }
    Ok(())
}

enum Answer {
    Step(usize),
    Back,
    Quit,
}

/// Writes what is wrong here and what can be done next.
fn write_standing<M: Describe>(
    walk: &Walk<'_, M>,
    steps: usize,
    end: RunEnd,
    out: &mut dyn Write,
    palette: Palette,
) -> io::Result<Standing> {
    let standing = walk.standing();
    writeln!(out)?;
    match &standing {
        Standing::Faulty(fault) => walk.write_fault(out, palette, fault)?,
        Standing::Ended => writeln!(out, "{}", end.told)?,
        Standing::Open => {}
    }
    if walk.choices() > 0 {
        let steps = if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") };
        writeln!(out, "{}", palette.heading(format!("after {steps}, choose:")))?;
    }
    let mut table = StepTable::default();
    let choices: Vec<_> = (0..walk.choices()).map(|index| walk.choice(index)).collect();
    choices.iter().for_each(|(told, _)| table.fit(told));
    for (index, (told, fault)) in choices.iter().enumerate() {
        table.write(out, palette, index + 1, told)?;
        if let Some(fault) = fault {
            writeln!(out, "         {}", palette.bad(format!("ends in {fault}")))?;
        }
    }
    Ok(standing)
}

/// Asks until the answer makes sense.
fn ask<M: Describe>(
    walk: &Walk<'_, M>,
    lines: &mut impl Iterator<Item = io::Result<String>>,
    has_past: bool,
    out: &mut dyn Write,
    palette: Palette,
) -> Result<Answer, Interruption> {
    loop {
        write!(out, "> ")?;
        out.flush()?;
        let line = match lines.next() {
            Some(Ok(line)) => line,
            // What is no text is no answer either.
            Some(Err(error)) if error.kind() == io::ErrorKind::InvalidData => String::from("?"),
            Some(Err(_)) | None => {
                writeln!(out)?;
                return Ok(Answer::Quit);
            }
        };
        if !io::stdin().is_terminal() {
            // A terminal shows what is typed; a transcript shows it this way.
            writeln!(out, "{line}")?;
        }
        match (line.trim(), line.trim().parse::<usize>()) {
            ("q" | "quit", _) => return Ok(Answer::Quit),
            ("u" | "undo", _) if has_past => return Ok(Answer::Back),
            ("u" | "undo", _) => writeln!(out, "this is the beginning")?,
            ("s" | "state", _) => walk.write_state(out, palette, "state")?,
            ("", _) => {}
            (_, Ok(number)) if (1..=walk.choices()).contains(&number) => return Ok(Answer::Step(number - 1)),
            (_, Ok(number)) => writeln!(out, "there is no step {number}")?,
            _ => writeln!(out, "{HELP}")?,
        }
    }
}
