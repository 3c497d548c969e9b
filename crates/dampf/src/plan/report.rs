//! Runs and plans, as text for people.

use super::Outcome;
use super::options::PlanOptions;
use super::summary::{Spread, spread};
use dampf_core::Word;
use dampf_plan::planning::PlanningEnd;
use dampf_plan::{AgentSchedule, Planned, PlanningPhase, Run, RunEnd};
use dampf_report::{Palette, StepTable, ToldStep, grouped, seconds};
use std::io::{self, Write};

/// Of a run with many phases of planning, the first are shown.
const PHASES_SHOWN: usize = 12;
/// Of an agent that did many things, the first are shown.
const INTERVALS_SHOWN: usize = 10;

pub struct Report<'a> {
    pub options: &'a PlanOptions,
    pub outcome: &'a Outcome,
}

fn status_of_run(end: &RunEnd) -> u8 {
    match end {
        RunEnd::Ended | RunEnd::GoalReached => 0,
        RunEnd::Faulty(_) => 1,
        RunEnd::StepLimit | RunEnd::Interrupted => 3,
    }
}

fn status_of_plan(end: PlanningEnd, has_goal: bool) -> u8 {
    match end {
        PlanningEnd::GoalReached => 0,
        PlanningEnd::Exhausted => u8::from(has_goal),
        _ if has_goal => 3,
        _ => 0,
    }
}

impl Report<'_> {
    pub fn exit_status(&self) -> u8 {
        match self.outcome {
            Outcome::Runs(runs) => runs.iter().map(|run| status_of_run(&run.end)).max().unwrap_or(0),
            Outcome::Plan { planned, .. } => status_of_plan(planned.end, self.has_goal()),
        }
    }

    fn has_goal(&self) -> bool {
        !self.options.model.goals.is_empty()
    }

    pub fn mode(&self) -> &'static str {
        match self.outcome {
            Outcome::Plan { .. } => "plan",
            Outcome::Runs(_) if self.options.no_planning => "simulation",
            Outcome::Runs(_) => "interleaved",
        }
    }

    pub fn is_reproducible(&self) -> bool {
        match self.outcome {
            Outcome::Runs(runs) => runs.iter().flat_map(|run| &run.phases).all(|phase| phase.end.is_reproducible()),
            Outcome::Plan { planned, .. } => planned.end.is_reproducible(),
        }
    }

    pub fn write_text(&self, out: &mut dyn Write, palette: Palette) -> io::Result<()> {
        match self.outcome {
            Outcome::Runs(runs) if runs.len() > 1 => self.write_runs(out, palette, runs)?,
            Outcome::Runs(runs) => self.write_run(out, palette, &runs[0])?,
            Outcome::Plan { planned, steps } => self.write_plan(out, palette, planned, steps)?,
        }
        if !self.is_reproducible() {
            let what = "a limit on time or memory has cut a plan short: another run may differ";
            writeln!(out, "{}", palette.doubtful(what))?;
        }
        Ok(())
    }

    /// One line for each of several runs, and what they have in common.
    fn write_runs(&self, out: &mut dyn Write, palette: Palette, runs: &[Run]) -> io::Result<()> {
        let heading = format!("{} runs of {}, {}", runs.len(), self.options.model.input.display(), self.mode());
        writeln!(out, "{}\n", palette.heading(heading))?;
        writeln!(out, "{}", palette.aside("    seed  parallel steps  busy  phases  planning"))?;
        for run in runs {
            let (steps, busy, phases) = (grouped(run.steps), busy_share(run), run.phases.len());
            let time = seconds(run.planning_time());
            write!(out, "{:8}  {steps:>14}  {busy:>3} %  {phases:>6}  {time:>8}", run.seed)?;
            writeln!(
                out,
                "{}",
                if run.end == RunEnd::Ended { String::new() } else { format!("  {}", told(&run.end)) }
            )?;
        }
        if let Some(Spread { min, max, mean }) = spread(runs, |run| run.steps as f64) {
            writeln!(out, "\nparallel steps: {min} to {max}, {mean:.1} on average")?;
        }
        write_theorem(out, palette, runs)
    }

    fn write_run(&self, out: &mut dyn Write, palette: Palette, run: &Run) -> io::Result<()> {
        let heading = format!("a run of {}, {}, --seed {}", self.options.model.input.display(), self.mode(), run.seed);
        writeln!(out, "{}\n", palette.heading(heading))?;
        writeln!(out, "{}", palette.heading("agents"))?;
        let width = run.schedule.agents.iter().map(|agent| agent.name.chars().count()).max().unwrap_or(0);
        for agent in &run.schedule.agents {
            writeln!(out, "  {:width$}  {}", agent.name, told_intervals(agent))?;
        }
        if run.schedule.agents.is_empty() {
            writeln!(out, "  none has come")?;
        }
        if !run.phases.is_empty() {
            writeln!(out, "\n{}", palette.heading("planning"))?;
            writeln!(out, "{}", palette.aside("    step  idle  advised  value              states  depth      time"))?;
            run.phases.iter().take(PHASES_SHOWN).try_for_each(|phase| write_phase(out, phase))?;
            let hidden = run.phases.len().saturating_sub(PHASES_SHOWN);
            if hidden > 0 {
                writeln!(out, "  … and {hidden} more phases")?;
            }
        }
        writeln!(out)?;
        let end = match &run.end {
            RunEnd::Ended | RunEnd::GoalReached => palette.good(told(&run.end)),
            RunEnd::Faulty(_) => palette.bad(told(&run.end)),
            _ => palette.doubtful(told(&run.end)),
        };
        writeln!(
            out,
            "{} parallel steps, agents busy for {} % of their time, {} of planning: {end}",
            grouped(run.steps),
            busy_share(run),
            seconds(run.planning_time()),
        )?;
        if let RunEnd::Faulty(fault) = &run.end {
            writeln!(out, "{fault}")?;
            writeln!(out, "`dampf check` shows the shortest run that fails")?;
        }
        write_theorem(out, palette, std::slice::from_ref(run))
    }

    fn write_plan(
        &self,
        out: &mut dyn Write,
        palette: Palette,
        planned: &Planned,
        steps: &[ToldStep],
    ) -> io::Result<()> {
        let is_reached = planned.end == PlanningEnd::GoalReached;
        if self.has_goal() && !is_reached {
            let found = match planned.end {
                PlanningEnd::Exhausted => palette.bad("there is no plan: no state in reach is a goal"),
                end => palette.doubtful(format!("unknown: {} before a goal was reached", told_planning_end(end))),
            };
            writeln!(out, "{found}")?;
        } else {
            let to =
                if is_reached { "to the goal".to_owned() } else { format!("to a state of value {}", best(planned)) };
            let heading = format!("a plan of {} steps {to}", grouped(planned.steps() as u64));
            writeln!(out, "{}\n", palette.heading(heading))?;
            let mut table = StepTable::default();
            for (number, step) in steps.iter().enumerate() {
                table.write(out, palette, number + 1, step)?;
            }
            writeln!(out)?;
        }
        let (states, time) = (grouped(planned.states), seconds(planned.time));
        writeln!(out, "{states} states, depth {}, {time}; {}", planned.depth, told_planning_end(planned.end))
    }
}

fn best(planned: &Planned) -> i64 {
    planned.values.last().copied().unwrap_or(0)
}

fn write_phase(out: &mut dyn Write, phase: &PlanningPhase) -> io::Result<()> {
    let value = format!("{} -> {}", phase.value_before, phase.value_planned);
    writeln!(
        out,
        "{:>8}  {:>4}  {:>7}  {value:<17} {:>7}  {:>5}  {:>8}",
        phase.step,
        phase.idle_agents,
        phase.planned_steps,
        grouped(phase.states),
        phase.depth,
        seconds(phase.time),
    )
}

fn write_theorem(out: &mut dyn Write, palette: Palette, runs: &[Run]) -> io::Result<()> {
    let compared: u64 = runs.iter().map(|run| run.dominance.compared).sum();
    if compared == 0 {
        return Ok(());
    }
    match runs.iter().find_map(|run| run.dominance.below.map(|below| (run.seed, below))) {
        None => writeln!(out, "no state was below the planned path, of {} that were compared", grouped(compared)),
        Some((seed, below)) => {
            let what = format!(
                "below the planned path: after {} steps the value is {} and not {} (--seed {seed})",
                below.step, below.value, below.planned
            );
            writeln!(out, "{}", palette.doubtful(what))
        }
    }
}

/// The share of their time that agents were busy for, in percent.
fn busy_share(run: &Run) -> u64 {
    let (there, busy) = run.schedule.agent_steps();
    (100 * busy + there / 2) / there.max(1)
}

/// When an agent was busy, and with what.
fn told_intervals(agent: &AgentSchedule) -> String {
    let told =
        |busy: &dampf_plan::BusyInterval| format!("{} at {} to {}", label(&busy.suggestions), busy.from, busy.to);
    let shown: Vec<String> = agent.intervals.iter().take(INTERVALS_SHOWN).map(told).collect();
    let hidden = agent.intervals.len().saturating_sub(INTERVALS_SHOWN);
    match (shown.is_empty(), hidden) {
        (true, _) => "idle".to_owned(),
        (false, 0) => shown.join(", "),
        (false, hidden) => format!("{}, … and {hidden} more", shown.join(", ")),
    }
}

/// What an agent did, by the values of its suggestions.
pub fn label(suggestions: &[Word]) -> String {
    let values: Vec<String> = suggestions.iter().map(|value| (*value as i32).to_string()).collect();
    if values.is_empty() { "busy".to_owned() } else { format!("#{}", values.join(",")) }
}

fn told(end: &RunEnd) -> &'static str {
    match end {
        RunEnd::Ended => "the program ends",
        RunEnd::GoalReached => "the goal is reached",
        RunEnd::Faulty(_) => "the program fails",
        RunEnd::StepLimit => "the limit of steps was reached (--max-steps)",
        RunEnd::Interrupted => "interrupted",
    }
}

fn told_planning_end(end: PlanningEnd) -> &'static str {
    match end {
        PlanningEnd::Exhausted => "everything was explored",
        PlanningEnd::GoalReached => "the goal was reached",
        PlanningEnd::StateLimit => "the limit of states was reached",
        PlanningEnd::TimeLimit => "the limit of time was reached",
        PlanningEnd::MemoryLimit => "the limit of memory was reached",
        PlanningEnd::Interrupted => "interrupted",
    }
}
