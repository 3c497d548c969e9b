//! `dampf simulate`: one run of an input.
//!
//! The walk is on the bare front end, the reference for what an input means. Random choices come from a seed that is
//! printed, so that every run can be had again. A random run is made before it is told: where it refutes what the model
//! assumes, it is made again with a model that knows better, and nobody need know.

use crate::failure::Failure;
use crate::front_end::{FrontEnd, Made, Making, Offer};
use crate::front_ends::Registry;
use crate::options::{ModelOptions, SimulateOptions};
use crate::replay::Replayed;
use crate::rounds::{self, Clock, Ended, Exploration, Explored, Round};
use crate::terminal::{Terminal, print};
use crate::{interactive, replay};
use dampf_core::{
    Action, Describe, Fault, FaultKind, FaultSelection, Revise, StepEnd, Successors, Unsupported, Word, Worker,
};
use dampf_report::{Excerpt, Palette, StepTable, ToldStep, write_blocked, write_fault, write_state};
use dampf_search::Chance;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

pub fn run(options: &mut SimulateOptions, registry: &Registry, terminal: &Terminal) -> Result<u8, Failure> {
    options.model.faults.read_suppressions()?;
    let options = &*options;
    let input = &options.model.input;
    let language = registry.of(input)?;
    if let Some(trail) = &options.trail {
        let shown = Replayed { may_differ: false, excerpt: Excerpt::Whole, shortening: None };
        return Ok(language.follow(&replay::read(trail)?, input, shown, terminal)?.into());
    }
    let mut asked = options.model.asked();
    asked.push(("--quiet", options.quiet, Offer::Programs));
    registry.refuse_unoffered(language, input, &asked)?;
    language.simulate(options, terminal)
}

pub fn simulate<F: FrontEnd>(options: &SimulateOptions, terminal: &Terminal) -> Result<u8, Failure> {
    let front_end = F::load(&options.model.input, &options.model, None)?;
    if options.quiet {
        return front_end.run(options.seed.unwrap_or(0));
    }
    let seed = options.seed.unwrap_or_else(fresh_seed);
    let end = RunEnd::of::<F>(&options.model);
    let mut simulation = Simulation { options, terminal, seed, end, taken: Vec::new() };
    match rounds::run(front_end, true, Clock::new(None), None, &mut simulation)? {
        Ended::Done(in_fault) => Ok(in_fault.into()),
        Ended::Stopped(_) => unreachable!("nobody watches for Ctrl-C"),
    }
}

/// How a run ends that ends as it may.
#[derive(Clone, Copy)]
pub struct RunEnd {
    /// In words for people.
    pub told: &'static str,
    /// Whether nothing is left behind the last step: then the values before it are the last ones.
    leaves_nothing: bool,
}

impl RunEnd {
    fn of<F: FrontEnd>(options: &ModelOptions) -> RunEnd {
        let told = match (F::RUNS_END, options.program.any_exit_status) {
            (false, _) => "the run ends here: nothing can move",
            // Any other exit status is a fault.
            (true, false) => "the program ends with exit status 0",
            (true, true) => "the program ends",
        };
        RunEnd { told, leaves_nothing: F::RUNS_END }
    }
}

/// A simulation that is under way.
struct Simulation<'a> {
    options: &'a SimulateOptions,
    terminal: &'a Terminal,
    seed: u64,
    end: RunEnd,
    /// The steps that were chosen by hand so far.
    taken: Vec<Action>,
}

impl<F: FrontEnd> Exploration<F> for Simulation<'_> {
    /// Whether the run ends in a fault.
    type Result = bool;

    fn making(&mut self) -> Result<Making, Failure> {
        Ok(Making::bare(false))
    }

    fn explore(
        &mut self,
        _: &F,
        made: Result<Made<F::Model>, Unsupported>,
        _: Round,
    ) -> Result<Explored<bool>, Failure> {
        let made = made?;
        let walked = Walk::new(made.bare(), &self.options.model, self.end)
            .and_then(|walk| if self.options.interactive { self.by_hand(walk) } else { self.at_random(walk) });
        match walked {
            Ok(in_fault) => Ok(Explored::Done(in_fault)),
            Err(Interruption::Refuted(facts)) => Ok(Explored::Refuted { facts, states: 0 }),
            Err(Interruption::Failure(failure)) => Err(failure),
            Err(Interruption::Output(_)) => unreachable!("trouble with the output is told where it is met"),
        }
    }
}

impl Simulation<'_> {
    /// Takes random steps, and tells of them when all are taken; whether the run ends in a fault.
    fn at_random<M: Describe>(&self, mut walk: Walk<'_, M>) -> Result<bool, Interruption> {
        let start = walk.state().to_vec();
        let mut chance = Chance(self.seed);
        let mut choices = Vec::new();
        while choices.len() < self.options.steps as usize && matches!(walk.standing(), Standing::Open) {
            let choice = chance.below(walk.choices());
            choices.push(choice);
            if !walk.leads_on(choice) {
                break;
            }
            walk.take(choice)?;
        }
        walk.go_to(start)?;
        let made = MadeRun { choices: &choices, end: self.end };
        let mut told = Ok(false);
        print(|out| {
            told = tell(&mut walk, &made, (self.options, self.seed), out, self.terminal.palette);
            output_of(&mut told)
        })
        .map_err(Interruption::Failure)?;
        told
    }

    /// Takes steps by hand; whether the walk ends in a fault.
    fn by_hand<M: Describe>(&mut self, mut walk: Walk<'_, M>) -> Result<bool, Interruption> {
        let mut walked = Ok(false);
        print(|out| {
            walked = interactive::walk(&mut walk, &mut self.taken, self.end, out, self.terminal.palette);
            output_of(&mut walked)
        })
        .map_err(Interruption::Failure)?;
        walked
    }
}

/// Trouble with the output travels apart from trouble within the model.
fn output_of(walked: &mut Result<bool, Interruption>) -> io::Result<()> {
    match std::mem::replace(walked, Ok(false)) {
        Err(Interruption::Output(error)) => Err(error),
        other => {
            *walked = other;
            Ok(())
        }
    }
}

/// Why a walk cannot go on.
pub enum Interruption {
    Output(io::Error),
    Failure(Failure),
    /// A step refutes what the model assumes.
    Refuted(Vec<Revise>),
}

impl From<io::Error> for Interruption {
    fn from(error: io::Error) -> Self {
        Interruption::Output(error)
    }
}

/// A walk through a model, with everything that can happen next.
pub struct Walk<'m, M: Describe> {
    model: &'m M,
    worker: M::Worker<'m>,
    deadlocks: bool,
    /// Behind the faults of states that do not count, the walk goes on.
    selection: FaultSelection,
    leaves_nothing: bool,
    state: Vec<Word>,
    /// The state whose values are told: the last one that has some.
    told: Vec<Word>,
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
    pub fn new(model: &'m M, options: &ModelOptions, end: RunEnd) -> Result<Walk<'m, M>, Interruption> {
        let mut worker = model.worker();
        let mut next = Successors::new(model.width());
        worker.initial(&mut next);
        refuse_refuted(&next)?;
        let failure = match (next.is_empty(), next.step_end(0)) {
            (true, _) => match next.unsupported() {
                Some(unsupported) => unsupported.clone().into(),
                None => Failure::new("there is no initial state"),
            },
            (false, Some(StepEnd::Fault(fault))) => Failure::new(format!("the program fails before `main`: {fault}")),
            (false, _) => {
                let state = next.state(0).to_vec();
                let (deadlocks, selection) = (options.deadlocks(), options.selection());
                let mut walk = Walk {
                    model,
                    worker,
                    deadlocks,
                    selection,
                    leaves_nothing: end.leaves_nothing,
                    state: Vec::new(),
                    told: Vec::new(),
                    next,
                };
                walk.go_to(state)?;
                return Ok(walk);
            }
        };
        Err(Interruption::Failure(failure))
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
        let after = fault.is_none().then(|| self.next.state(index)).filter(|after| !self.is_void(after));
        (ToldStep::new(self.model, &self.state, self.next.action(index), after), fault)
    }

    /// Whether a run has ended in a state and left nothing.
    fn is_void(&self, state: &[Word]) -> bool {
        let mut next = Successors::new(self.model.width());
        self.leaves_nothing && {
            self.model.worker().successors(state, &mut next);
            next.is_empty() && next.valid_end()
        }
    }

    /// The label of choice `index`.
    pub fn action(&self, index: usize) -> Action {
        self.next.action(index)
    }

    pub fn leads_on(&self, index: usize) -> bool {
        self.next.fault(index).is_none() && self.next.leads_on(index)
    }

    /// Goes to the state that choice `index` leads to; the choice is not a faulty one.
    pub fn take(&mut self, index: usize) -> Result<(), Interruption> {
        let state = self.next.state(index).to_vec();
        self.go_to(state)
    }

    pub fn go_to(&mut self, state: Vec<Word>) -> Result<(), Interruption> {
        self.worker.successors(&state, &mut self.next);
        self.next.ignore_of_state(&self.selection);
        let is_void = self.leaves_nothing && self.next.is_empty() && self.next.valid_end();
        if !is_void {
            self.told.clone_from(&state);
        }
        self.state = state;
        refuse_refuted(&self.next)
    }

    pub fn standing(&self) -> Standing {
        match self.next.fault_of_state(self.deadlocks) {
            Some(fault) => Standing::Faulty(fault),
            None if self.next.is_empty() => Standing::Ended,
            None => Standing::Open,
        }
    }

    pub fn write_state(&self, out: &mut dyn Write, palette: Palette, heading: &str) -> io::Result<()> {
        write_state(out, palette, heading, &self.model.describe_state(&self.told))
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

/// What the steps of a state refute comes before everything else: a model that knows better has other steps.
fn refuse_refuted(next: &Successors) -> Result<(), Interruption> {
    match next.refuted() {
        [] => Ok(()),
        refuted => Err(Interruption::Refuted(refuted.iter().map(|(_, revise)| revise.clone()).collect())),
    }
}

/// A run that was made and is to be told.
struct MadeRun<'a> {
    choices: &'a [usize],
    end: RunEnd,
}

/// Tells of a run that was made before; whether it ends in a fault.
fn tell<M: Describe>(
    walk: &mut Walk<'_, M>,
    made: &MadeRun<'_>,
    (options, seed): (&SimulateOptions, u64),
    out: &mut dyn Write,
    palette: Palette,
) -> Result<bool, Interruption> {
    let input = options.model.input.display();
    writeln!(out, "{}\n", palette.heading(format!("a random run of {input}, --seed {seed}")))?;
    walk.write_state(out, palette, "initial state")?;
    writeln!(out, "\n{}", palette.heading("steps"))?;
    let mut table = StepTable::default();
    let mut faulty_step = None;
    for (number, &choice) in made.choices.iter().enumerate() {
        let (told, fault) = walk.choice(choice);
        table.write(out, palette, number + 1, &told)?;
        match fault {
            Some(fault) => faulty_step = Some(fault.clone()),
            None => walk.take(choice)?,
        }
    }
    if made.choices.is_empty() {
        writeln!(out, "  none")?;
    }
    writeln!(out)?;
    walk.write_state(out, palette, "final state")?;
    writeln!(out)?;
    match (faulty_step, walk.standing()) {
        (Some(fault), _) | (None, Standing::Faulty(fault)) => {
            walk.write_fault(out, palette, &fault)?;
            return Ok(true);
        }
        (None, Standing::Ended) => writeln!(out, "{}", made.end.told)?,
        (None, Standing::Open) => writeln!(out, "the run could go on; --steps sets its length")?,
    }
    Ok(false)
}

/// A seed that differs from run to run.
fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Six digits are enough to differ, and short enough to type again.
    Chance(now.as_nanos() as u64 ^ u64::from(std::process::id())).below(1_000_000) as u64
}
