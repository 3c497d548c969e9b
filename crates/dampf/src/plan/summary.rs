//! Runs and plans as JSON.

use super::Outcome;
use super::options::idle_name;
use super::report::Report;
use dampf_core::Word;
use dampf_plan::planning::PlanningEnd;
use dampf_plan::{AgentSchedule, Planned, PlanningPhase, Run, RunEnd};
use dampf_report::ToldStep;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Summary<'a> {
    model: String,
    /// What was done: `simulation`, `interleaved` or `plan`.
    mode: &'static str,
    search: String,
    threads: usize,
    phase_min: u64,
    phase_max: u64,
    idle: String,
    /// Whether another run would give the same: no limit on time or memory has cut a plan short.
    reproducible: bool,
    runs: Vec<RunEntry<'a>>,
    parallel_steps: Option<Spread>,
    planning_seconds: Option<Spread>,
    plan: Option<PlanEntry<'a>>,
    peak_rss_bytes: u64,
}

#[derive(Serialize)]
struct RunEntry<'a> {
    seed: u64,
    end: &'static str,
    error: Option<ErrorEntry<'a>>,
    parallel_steps: u64,
    makespan: u64,
    value: i64,
    planning_seconds: f64,
    longest_phase_seconds: f64,
    phases: Vec<PhaseEntry>,
    theorem: TheoremEntry,
    agents: Vec<AgentEntry<'a>>,
}

#[derive(Serialize)]
struct ErrorEntry<'a> {
    kind: &'static str,
    message: &'a str,
}

#[derive(Serialize)]
struct PhaseEntry {
    step: u64,
    idle_agents: usize,
    planned_steps: usize,
    value_before: i64,
    value_planned: i64,
    states: u64,
    depth: u32,
    end: &'static str,
    seconds: f64,
}

/// Theorem 5.1: states of the simulation that were compared with the planned path, and the first that was below.
#[derive(Serialize)]
struct TheoremEntry {
    holds: bool,
    compared: u64,
    below: Option<BelowEntry>,
}

#[derive(Serialize)]
struct BelowEntry {
    step: u64,
    value: i64,
    planned: i64,
}

#[derive(Serialize)]
struct AgentEntry<'a> {
    name: &'a str,
    from: u64,
    to: u64,
    busy: Vec<BusyEntry<'a>>,
}

#[derive(Serialize)]
struct BusyEntry<'a> {
    from: u64,
    to: u64,
    suggestions: &'a [Word],
}

#[derive(Serialize)]
struct PlanEntry<'a> {
    end: &'static str,
    value: i64,
    states: u64,
    depth: u32,
    seconds: f64,
    steps: Vec<StepEntry<'a>>,
}

#[derive(Serialize)]
struct StepEntry<'a> {
    process: &'a str,
    function: &'a str,
    text: &'a str,
    changes: Vec<String>,
}

/// A figure over all runs.
#[derive(Serialize)]
pub struct Spread {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
}

impl Report<'_> {
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let options = self.options;
        let runs: &[Run] = if let Outcome::Runs(runs) = self.outcome { runs } else { &[] };
        let summary = Summary {
            model: options.model.input.display().to_string(),
            mode: self.mode(),
            search: options.search.name(),
            threads: options.threads,
            phase_min: options.phase_min.get(),
            phase_max: options.phase_max.get(),
            idle: idle_name(options.idle),
            reproducible: self.is_reproducible(),
            runs: runs.iter().map(run_entry).collect(),
            parallel_steps: spread(runs, |run| run.steps as f64),
            planning_seconds: spread(runs, |run| run.planning_time().as_secs_f64()),
            plan: match self.outcome {
                Outcome::Runs(_) => None,
                Outcome::Plan { planned, steps } => Some(plan_entry(planned, steps)),
            },
            peak_rss_bytes: dampf_search::peak_resident_bytes().unwrap_or(0),
        };
        serde_json::to_writer_pretty(&mut *out, &summary).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }
}

pub fn spread(runs: &[Run], figure: impl Fn(&Run) -> f64) -> Option<Spread> {
    let figures: Vec<f64> = runs.iter().map(figure).collect();
    let min = figures.iter().copied().reduce(f64::min)?;
    let max = figures.iter().copied().reduce(f64::max)?;
    Some(Spread { min, max, mean: figures.iter().sum::<f64>() / figures.len() as f64 })
}

fn name_of_planning_end(end: PlanningEnd) -> &'static str {
    match end {
        PlanningEnd::Exhausted => "exhausted",
        PlanningEnd::GoalReached => "goal",
        PlanningEnd::StateLimit => "state-limit",
        PlanningEnd::TimeLimit => "time-limit",
        PlanningEnd::MemoryLimit => "memory-limit",
        PlanningEnd::Interrupted => "interrupted",
    }
}

fn name_of_run_end(end: &RunEnd) -> &'static str {
    match end {
        RunEnd::Ended => "ended",
        RunEnd::GoalReached => "goal",
        RunEnd::Faulty(_) => "fault",
        RunEnd::StepLimit => "step-limit",
        RunEnd::Interrupted => "interrupted",
    }
}

fn run_entry(run: &Run) -> RunEntry<'_> {
    let error = match &run.end {
        RunEnd::Faulty(fault) => Some(ErrorEntry { kind: fault.kind.name(), message: &fault.message }),
        _ => None,
    };
    let phase = |phase: &PlanningPhase| PhaseEntry {
        step: phase.step,
        idle_agents: phase.idle_agents,
        planned_steps: phase.planned_steps,
        value_before: phase.value_before,
        value_planned: phase.value_planned,
        states: phase.states,
        depth: phase.depth,
        end: name_of_planning_end(phase.end),
        seconds: phase.time.as_secs_f64(),
    };
    let below = run.dominance.below;
    RunEntry {
        seed: run.seed,
        end: name_of_run_end(&run.end),
        error,
        parallel_steps: run.steps,
        makespan: run.schedule.makespan(),
        value: run.value,
        planning_seconds: run.planning_time().as_secs_f64(),
        longest_phase_seconds: run.phases.iter().map(|phase| phase.time).max().unwrap_or_default().as_secs_f64(),
        phases: run.phases.iter().map(phase).collect(),
        theorem: TheoremEntry {
            holds: run.dominance.holds(),
            compared: run.dominance.compared,
            below: below.map(|below| BelowEntry { step: below.step, value: below.value, planned: below.planned }),
        },
        agents: run.schedule.agents.iter().map(agent_entry).collect(),
    }
}

fn agent_entry(agent: &AgentSchedule) -> AgentEntry<'_> {
    let busy = agent.intervals.iter();
    AgentEntry {
        name: &agent.name,
        from: agent.from,
        to: agent.to,
        busy: busy.map(|busy| BusyEntry { from: busy.from, to: busy.to, suggestions: &busy.suggestions }).collect(),
    }
}

fn plan_entry<'a>(planned: &'a Planned, steps: &'a [ToldStep]) -> PlanEntry<'a> {
    let changes = |step: &ToldStep| -> Vec<String> {
        step.changes.iter().map(|change| format!("{}: {} -> {}", change.name, change.before, change.after)).collect()
    };
    PlanEntry {
        end: name_of_planning_end(planned.end),
        value: planned.values.last().copied().unwrap_or(0),
        states: planned.states,
        depth: planned.depth,
        seconds: planned.time.as_secs_f64(),
        steps: steps
            .iter()
            .map(|step| StepEntry {
                process: &step.step.process,
                function: &step.step.function,
                text: &step.step.text,
                changes: changes(step),
            })
            .collect(),
    }
}
