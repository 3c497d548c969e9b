//! The options of `dampf plan`.

use crate::options::ModelOptions;
use crate::values;
use clap::{Args, ValueEnum, ValueHint};
use dampf_plan::{Criterion, IdleAgents, PlanningOrder};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

pub const PLAN_NOTES: &str = "\
Examples:
  dampf plan shop.cpp                         run a program with agents, and advise them from time to time
  dampf plan shop.cpp --no-planning           the same run without advice, to compare with
  dampf plan shop.cpp --runs 10 --json r.json ten runs with other seeds each, for programs to read
  dampf plan shop.cpp --gantt shop.svg        draw who did what when
  dampf plan puzzle.cpp --goal 'misplaced == 0' -- 3 1 4 2 3 7 5 6 8 0
                                              a program without agents: the shortest way to the goal

Agents are threads that say with SUGGEST(&variable) of dampf.h which variables they take as advice, with BUSY and IDLE
whether they are at work, and with EVALUATE(value) how good things stand. docs/plan.md tells how.
Exit status: 0 the run or the plan is shown, 1 the run fails or there is no plan, 2 bad usage or input, 3 unknown.";

#[derive(Args, Debug)]
pub struct PlanOptions {
    #[command(flatten)]
    pub model: ModelOptions,

    /// The seed of the random choices: who moves when, and what agents decide by themselves
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Simulation")]
    pub seed: u64,

    /// How many runs to make, with this seed and those that follow it
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Simulation")]
    pub runs: NonZeroU64,

    /// Give a run up after so many parallel steps
    #[arg(long, value_name = "N", default_value = "1000000", help_heading = "Simulation")]
    pub max_steps: u64,

    /// Simulate alone: no advice is given
    #[arg(long, help_heading = "Planning")]
    pub no_planning: bool,

    /// In which order the futures of the agents are looked at: breadth-first, or those with the highest value first
    #[arg(long, value_enum, value_name = "ORDER", default_value = "bfs", help_heading = "Planning")]
    pub search: PlanSearch,

    /// How many threads plan; the plans are the same for any number, `auto` or 0 means one per core
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::threads, help_heading = "Planning")]
    pub threads: usize,

    /// After how many parallel steps planning may be asked for again
    #[arg(long, value_name = "N", default_value = "20", help_heading = "Planning")]
    pub phase_min: NonZeroU64,

    /// After how many parallel steps it is, whoever is idle
    #[arg(long, value_name = "N", default_value = "100", help_heading = "Planning")]
    pub phase_max: NonZeroU64,

    /// How many agents have to be idle in between: `as-before`, as many as when planning ended; `one-more`, more than
    /// at some moment since; or a number
    #[arg(long, value_name = "AGENTS", default_value = "as-before", value_parser = idle_agents, help_heading = "Planning")]
    pub idle: IdleAgents,

    /// States that a planning phase may find; 5,000 unless you say otherwise, and 10 million without agents
    #[arg(long, value_name = "N", value_parser = values::states, help_heading = "Limits")]
    pub max_states: Option<u64>,

    /// The time of a planning phase at most; a plan that it cuts short may differ from run to run
    #[arg(long, value_name = "TIME", value_parser = values::time, help_heading = "Limits")]
    pub max_time: Option<Duration>,

    /// End a planning phase before using more memory; such a plan may differ from run to run, too
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Limits")]
    pub max_memory: Option<u64>,

    /// Write the schedules or the plan as JSON into FILE; `-` writes it to standard output instead of the text
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Draw the schedule of the first run as a Gantt chart, in SVG
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub gantt: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PlanSearch {
    /// Breadth-first
    Bfs,
    /// The state with the highest value first
    BestFirst,
}

impl PlanSearch {
    pub fn order(self) -> PlanningOrder {
        match self {
            PlanSearch::Bfs => PlanningOrder::BreadthFirst,
            PlanSearch::BestFirst => PlanningOrder::BestFirst,
        }
    }

    /// Its name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

impl PlanOptions {
    pub fn criterion(&self) -> Criterion {
        Criterion { steps_min: self.phase_min.get(), steps_max: self.phase_max.get(), idle: self.idle }
    }
}

fn idle_agents(text: &str) -> Result<IdleAgents, String> {
    match text {
        "as-before" => Ok(IdleAgents::AsBefore),
        "one-more" => Ok(IdleAgents::OneMore),
        number => match number.parse() {
            Ok(count @ 1..) => Ok(IdleAgents::AtLeast(count)),
            _ => Err("`as-before`, `one-more` or a number from 1 on".to_owned()),
        },
    }
}

/// What an option for [`IdleAgents`] says.
pub fn idle_name(idle: IdleAgents) -> String {
    match idle {
        IdleAgents::AsBefore => "as-before".to_owned(),
        IdleAgents::OneMore => "one-more".to_owned(),
        IdleAgents::AtLeast(count) => count.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_agents_are_read_as_they_are_said() {
        for said in ["as-before", "one-more", "3"] {
            assert_eq!(idle_agents(said).map(idle_name), Ok(said.to_owned()));
        }
        for wrong in ["", "0", "-1", "all"] {
            assert!(idle_agents(wrong).is_err(), "{wrong}");
        }
    }
}
