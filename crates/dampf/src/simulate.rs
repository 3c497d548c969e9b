//! `dampf simulate`: one run of a model.
//!
//! The walk is on the interpreter, the reference for what a model means. Random choices come from a seed that
//! is printed, so that every run can be had again.

use crate::chance::Chance;
use crate::failure::Failure;
use crate::input::Input;
use crate::options::SimulateOptions;
use crate::program::{self, ProgramInput};
use crate::promela::{self, PromelaInput};
use crate::run_program;
use crate::terminal::{Terminal, print};
use crate::{interactive, replay};
use dampf_core::{Describe, Fault, FaultKind, Successors, Word, Worker};
use dampf_gcl::model::{Backend, GclModel};
use dampf_report::{Palette, StepTable, ToldStep, write_blocked, write_fault, write_state};
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

pub fn run(options: &SimulateOptions, terminal: &Terminal) -> Result<u8, Failure> {
    if let Some(trail) = &options.trail {
        let kept = replay::read(trail)?;
        return Ok(replay::follow(&kept, &options.model.input, false, terminal)?.into());
    }
    if program::is_program(&options.model.input) {
        let mut input = ProgramInput::load(&options.model)?;
        if options.quiet {
            return run_program::run(&input, options);
        }
        input.try_out(None);
        return walk_through(&input.model(), input.deadlocks, options, terminal);
    }
    if promela::is_promela(&options.model.input) && !options.quiet {
        let mut input = PromelaInput::load(&options.model)?;
        input.promela.explore()?;
        return walk_through(&input.model(Backend::Interpreter, false)?, input.deadlocks, options, terminal);
    }
    if options.quiet {
        return Err(Failure::new(format!(
            "--quiet goes with programs; `{}` is a model",
            options.model.input.display()
        )));
    }
    let input = Input::load(&options.model)?;
    let deadlocks = input.deadlocks;
    let model = GclModel::new(input.program, Backend::Interpreter)?;
    walk_through(&model, deadlocks, options, terminal)
}

fn walk_through<M: Describe>(
    model: &M,
    deadlocks: bool,
    options: &SimulateOptions,
    terminal: &Terminal,
) -> Result<u8, Failure> {
    let mut walk = Walk::new(model, deadlocks)?;
    let mut stopped = None;
    // Trouble within the model travels beside trouble with the output.
    print(|out| {
        let walked = if options.interactive {
            interactive::walk(&mut walk, out, terminal.palette)
        } else {
            random(&mut walk, options, out, terminal.palette)
        };
        match walked {
            Ok(ended) => stopped = Some(Ok(ended)),
            Err(Interruption::Output(error)) => return Err(error),
            Err(Interruption::Failure(failure)) => stopped = Some(Err(failure)),
        }
        Ok(())
    })?;
    let in_fault = stopped.transpose()?.unwrap_or(false);
    Ok(in_fault.into())
}

/// Why a walk cannot go on.
pub enum Interruption {
    Output(io::Error),
    Failure(Failure),
}

impl From<io::Error> for Interruption {
    fn from(error: io::Error) -> Self {
        Interruption::Output(error)
    }
}

impl From<dampf_core::Unsupported> for Interruption {
    fn from(unsupported: dampf_core::Unsupported) -> Self {
        Interruption::Failure(unsupported.into())
    }
}

/// A walk through a model, with everything that can happen next.
pub struct Walk<'m, M: Describe> {
    model: &'m M,
    worker: M::Worker<'m>,
    deadlocks: bool,
    state: Vec<Word>,
    next: Successors,
}

/// How a walk stands.
pub enum Standing {
    /// Some step can be taken.
    Open,
    /// No step can be taken, and that is right.
    Ended,
    Faulty(Fault),
}

impl<'m, M: Describe> Walk<'m, M> {
    /// Stands at the beginning: programs and models have one initial state.
    pub fn new(model: &'m M, deadlocks: bool) -> Result<Walk<'m, M>, Failure> {
        let mut worker = model.worker();
        let mut next = Successors::new(model.width());
        worker.initial(&mut next);
        if let Some(unsupported) = next.unsupported().filter(|_| next.is_empty()) {
            return Err(unsupported.clone().into());
        }
        if let Some(fault) = next.fault(0) {
            return Err(Failure::new(format!("the program fails before `main`: {fault}")));
        }
        let state = next.state(0).to_vec();
        worker.successors(&state, &mut next);
        Ok(Walk { model, worker, deadlocks, state, next })
    }

    pub fn state(&self) -> &[Word] {
        &self.state
    }

    /// The number of steps to choose from.
    pub fn choices(&self) -> usize {
        self.next.len()
    }

    /// What choice `index` does, and the fault it ends in, if it does.
    pub fn choice(&self, index: usize) -> (ToldStep, Option<&Fault>) {
        let fault = self.next.fault(index);
        let after = fault.is_none().then(|| self.next.state(index));
        (ToldStep::new(self.model, &self.state, self.next.action(index), after), fault)
    }

    /// Goes to the state that choice `index` leads to; the choice is not a faulty one.
    pub fn take(&mut self, index: usize) -> Result<(), Interruption> {
        let state = self.next.state(index).to_vec();
        self.go_to(state)
    }

    pub fn go_to(&mut self, state: Vec<Word>) -> Result<(), Interruption> {
        self.worker.successors(&state, &mut self.next);
        self.state = state;
        Ok(())
    }

    pub fn standing(&self) -> Standing {
        if let Some(fault) = self.next.state_fault() {
            return Standing::Faulty(fault.clone());
        }
        match self.next.is_empty() {
            false => Standing::Open,
            true if self.next.valid_end() || !self.deadlocks => Standing::Ended,
            true => Standing::Faulty(Fault {
                kind: FaultKind::Deadlock,
                message: "no process can move".to_owned(),
                location: None,
            }),
        }
    }

    pub fn write_state(&self, out: &mut dyn Write, palette: Palette, heading: &str) -> io::Result<()> {
        write_state(out, palette, heading, &self.model.describe_state(&self.state))
    }

    /// Writes what is wrong, and for a deadlock who waits for what.
    pub fn write_fault(&self, out: &mut dyn Write, palette: Palette, fault: &Fault) -> io::Result<()> {
        write_fault(out, palette, fault)?;
        if fault.kind == FaultKind::Deadlock {
            write_blocked(out, palette, &self.model.describe_blocked(&self.state))?;
        }
        Ok(())
    }
}

/// Takes random steps; returns whether the run ends in a fault.
fn random<M: Describe>(
    walk: &mut Walk<'_, M>,
    options: &SimulateOptions,
    out: &mut dyn Write,
    palette: Palette,
) -> Result<bool, Interruption> {
    let seed = options.seed.unwrap_or_else(fresh_seed);
    writeln!(
        out,
        "{}\n",
        palette.heading(format!("a random run of {}, --seed {seed}", options.model.input.display()))
    )?;
    walk.write_state(out, palette, "initial state")?;
    writeln!(out, "\n{}", palette.heading("steps"))?;
    let mut chance = Chance(seed);
    let mut table = StepTable::default();
    let mut step = 0;
    let fault = loop {
        match walk.standing() {
            Standing::Faulty(fault) => break Some(fault),
            Standing::Ended => break None,
            Standing::Open if step >= options.steps => break None,
            Standing::Open => {}
        }
        let choice = chance.below(walk.choices());
        step += 1;
        let (told, fault) = walk.choice(choice);
        table.write(out, palette, step as usize, &told)?;
        if let Some(fault) = fault {
            break Some(fault.clone());
        }
        walk.take(choice)?;
    };
    if step == 0 {
        writeln!(out, "  none")?;
    }
    writeln!(out)?;
    walk.write_state(out, palette, "final state")?;
    writeln!(out)?;
    match (&fault, walk.standing()) {
        (Some(fault), _) => walk.write_fault(out, palette, fault)?,
        (None, Standing::Ended) => writeln!(out, "the run ends here: nothing can move")?,
        (None, _) => writeln!(out, "the run could go on; --steps sets its length")?,
    }
    Ok(fault.is_some())
}

/// A seed that differs from run to run.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Six digits are enough to differ, and short enough to type again.
    Chance(now.as_nanos() as u64 ^ u64::from(std::process::id())).below(1_000_000) as u64
}
