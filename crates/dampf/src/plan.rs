//! `dampf plan`: runs of a program with agents, which are given advice, or the way of a model to a goal.
//!
//! Runs and plans are made on the bare front end, as simulations are. A run that refutes what the model assumes is made
//! again, from its beginning and with the same seed. What is decided follows from the input, the options and the seed.

mod gantt;
mod options;
mod report;
mod summary;

pub use options::{PLAN_NOTES, PlanOptions};

use crate::failure::Failure;
use crate::front_end::{Backend, FrontEnd, Made, Making};
use crate::front_ends::Registry;
use crate::interrupt;
use crate::options::Reduce;
use crate::output_file::OutputFile;
use crate::rounds::{self, Clock, Ended, Exploration, Explored, Round};
use crate::terminal::{Terminal, print};
use dampf_core::{Agents, Describe, Model, Successors, Trail, Unsupported, replay};
use dampf_plan::simulation::initial_state;
use dampf_plan::{
    Interruption, Planned, PlanningLimits, PlanningSettings, Pruning, Run, RunEnd, RunSettings, interleave, plan,
};
use dampf_report::ToldStep;
use report::Report;
use std::path::Path;

/// States that a planning phase may find, unless it is said otherwise.
const PHASE_STATES: u64 = 5_000;
/// The same for a plan to a goal.
const PLAN_STATES: u64 = 10_000_000;

const HOW_TO_PLAN: &str = "`--goal EXPR` says what to plan for, or SUGGEST and EVALUATE of dampf.h do: docs/plan.md";

/// What was found.
enum Outcome {
    /// Runs with agents.
    Runs(Vec<Run>),
    /// A plan of a model without agents, with its steps as people read them.
    Plan { planned: Planned, steps: Vec<ToldStep> },
}

pub fn run(options: &mut PlanOptions, registry: &Registry, terminal: &Terminal) -> Result<u8, Failure> {
    options.model.faults.read_suppressions()?;
    let options = &*options;
    let language = registry.of(&options.model.input)?;
    registry.refuse_unoffered(language, &options.model.input, &options.model.asked())?;
    let program = &options.model.program;
    if program.symmetry || matches!(program.reduce, Reduce::Por | Reduce::PorAlways) {
        return Err(Failure::new("--symmetry and --reduce por go with `dampf check`: a plan tells all agents apart"));
    }
    if options.phase_max < options.phase_min {
        return Err(Failure::new("--phase-max is less than --phase-min"));
    }
    language.plan(options, terminal)
}

pub fn plan_input<F: FrontEnd>(options: &PlanOptions, terminal: &Terminal) -> Result<u8, Failure> {
    let json_to_stdout = options.json.as_deref() == Some(Path::new("-"));
    let mut precious: Vec<&Path> = vec![&options.model.input];
    let json = options.json.as_deref().filter(|_| !json_to_stdout);
    let json_file = json.map(|path| OutputFile::reserve("--json", path, &precious)).transpose()?;
    precious.extend(json);
    let gantt = options.gantt.as_deref();
    let gantt_file = gantt.map(|path| OutputFile::reserve("--gantt", path, &precious)).transpose()?;
    interrupt::watch(None)?;
    let front_end = F::load(&options.model.input, &options.model, None)?;
    let mut planning = Planning { options };
    let outcome = match rounds::run(front_end, true, Clock::new(None), Some(terminal), &mut planning)? {
        Ended::Done(outcome) => outcome,
        Ended::Stopped(_) => return Err(Failure::Unknown("interrupted".to_owned())),
    };
    interrupt::end_of_searches();
    let report = Report { options, outcome: &outcome };
    // A file that cannot be written costs the exit status, never the result.
    let json = json_file.map_or(Ok(()), |file| file.write(|out| report.write_json(out)));
    let drawn = match (gantt_file, &outcome) {
        (Some(file), Outcome::Runs(runs)) => file.write(|out| gantt::write(out, &runs[0])),
        (Some(file), Outcome::Plan { .. }) => {
            file.remove();
            Err(Failure::new("--gantt draws what agents do, and the program has none"))
        }
        (None, _) => Ok(()),
    };
    let printed =
        print(|out| if json_to_stdout { report.write_json(out) } else { report.write_text(out, terminal.palette) });
    json.and(drawn).and(printed)?;
    Ok(report.exit_status())
}

struct Planning<'a> {
    options: &'a PlanOptions,
}

impl<F: FrontEnd> Exploration<F> for Planning<'_> {
    type Result = Outcome;

    fn making(&mut self) -> Result<Making, Failure> {
        Ok(Making { backend: Backend::Fast, ..Making::bare(false) })
    }

    fn explore(
        &mut self,
        _: &F,
        made: Result<Made<F::Model>, Unsupported>,
        _: Round,
    ) -> Result<Explored<Outcome>, Failure> {
        let made = made?;
        let outcome = match made.searched.has_agents() {
            true => self.runs(&made.searched),
            false => self.plan(&made)?,
        };
        match outcome {
            Ok(outcome) => Ok(Explored::Done(outcome)),
            Err(Interruption::Refuted(facts)) => Ok(Explored::Refuted { facts, states: 0 }),
            Err(Interruption::Unsupported(unsupported)) => Err(unsupported.into()),
            Err(Interruption::NoBeginning(what)) => Err(Failure::new(what)),
        }
    }
}

impl Planning<'_> {
    fn settings(&self, states_max: u64) -> PlanningSettings {
        let options = self.options;
        PlanningSettings {
            order: options.search.order(),
            limits: PlanningLimits {
                states_max: options.max_states.unwrap_or(states_max),
                time_max: options.max_time,
                memory_bytes_max: options.max_memory,
            },
            threads: options.threads,
            interrupted: Some(interrupt::flag()),
        }
    }

    /// Runs with agents.
    fn runs<M: Agents + dampf_core::Observations>(&self, model: &M) -> Result<Outcome, Interruption> {
        let options = self.options;
        let planning = (!options.no_planning).then(|| self.settings(PHASE_STATES));
        let mut runs = Vec::new();
        for number in 0..options.runs.get() {
            let run = interleave(
                model,
                &RunSettings {
                    seed: options.seed.wrapping_add(number),
                    planning,
                    criterion: options.criterion(),
                    steps_max: options.max_steps,
                    faults: options.model.selection(),
                    deadlocks: options.model.deadlocks(),
                    interrupted: Some(interrupt::flag()),
                },
            )?;
            let is_last = matches!(run.end, RunEnd::Interrupted | RunEnd::Faulty(_));
            runs.push(run);
            if is_last {
                break;
            }
        }
        Ok(Outcome::Runs(runs))
    }

    /// The way of a model without agents to a goal, or to the best state. It is replayed before it is told.
    fn plan<M: Describe + Agents>(&self, made: &Made<M>) -> Result<Result<Outcome, Interruption>, Failure> {
        if self.options.no_planning {
            return Err(Failure::with_help("--no-planning simulates agents, and the input has none", HOW_TO_PLAN));
        }
        if self.options.model.goals.is_empty() && !made.searched.has_evaluation() {
            let what = "there is nothing to plan for: the input has no agents, no values, and is given no goal";
            return Err(Failure::with_help(what, HOW_TO_PLAN));
        }
        let planned = match self.way(&made.searched) {
            Ok(planned) => planned,
            Err(interruption) => return Ok(Err(interruption)),
        };
        let bare = made.bare();
        let trail = Trail::ending(0, planned.actions.clone());
        let replayed = replay(bare, &trail, false);
        let states = replayed.unwrap_or_else(|error| panic!("a plan does not replay: {error}")).states;
        let told = states.windows(2).zip(&planned.actions);
        let steps = told.map(|(pair, &action)| ToldStep::new(bare, &pair[0], action, Some(&pair[1]))).collect();
        Ok(Ok(Outcome::Plan { planned, steps }))
    }

    fn way<M: Model + Agents>(&self, model: &M) -> Result<Planned, Interruption> {
        let root = initial_state(&mut model.worker(), &mut Successors::new(model.width()))?;
        plan(model, &root, Pruning::None, &self.settings(PLAN_STATES))
    }
}
