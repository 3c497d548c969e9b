//! `cargo xtask mamp`: instances of the multiagent manufacturing problem for `models/plan/mamp.cc`, and whether the
//! schedules that `dampf plan --json` wrote are solutions of them.

use crate::Failure;
use clap::{Args, Subcommand};
use dampf_testkit::mamp::{Done, Instance, InstanceSize};
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Subcommand, Debug)]
pub enum Mamp {
    /// Print a random instance
    Generate(GenerateOptions),
    /// Check the schedules of all runs that `dampf plan --json` wrote against an instance
    Check {
        /// What `generate` printed
        instance: PathBuf,
        /// What `dampf plan --json` wrote
        schedules: PathBuf,
    },
}

#[derive(Args, Debug)]
pub struct GenerateOptions {
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=16))]
    agents: u32,

    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..=127))]
    jobs: u32,

    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u32).range(1..=128))]
    resources: u32,

    /// Another number, another instance
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
}

pub fn run(command: &Mamp) -> Result<(), Failure> {
    match command {
        Mamp::Generate(options) => {
            let size =
                InstanceSize { resources: options.resources, ..InstanceSize::of_thesis(options.agents, options.jobs) };
            print!("{}", Instance::random(size, options.seed).to_text());
            Ok(())
        }
        Mamp::Check { instance, schedules } => {
            let instance = Instance::parse(&read(instance)?)?;
            let summary: Value = serde_json::from_str(&read(schedules)?)
                .map_err(|error| format!("`{}` is no JSON: {error}", schedules.display()))?;
            let checked = check_runs(&instance, &summary)?;
            println!("{checked} schedules are solutions");
            Ok(())
        }
    }
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))
}

/// Checks the schedules of all runs in a summary of `dampf plan`; how many there are.
pub fn check_runs(instance: &Instance, summary: &Value) -> Result<usize, Failure> {
    let runs = summary["runs"].as_array().ok_or("the summary has no runs")?;
    for run in runs {
        let told = |failure: Failure| format!("the schedule of seed {} is no solution: {failure}", run["seed"]);
        if run["end"] != "ended" {
            return Err(told(format!("the run has not come to its end: {}", run["end"])));
        }
        let schedule = schedule(run).ok_or_else(|| told("something is missing in the summary".to_owned()))?;
        instance.check(&schedule).map_err(told)?;
    }
    Ok(runs.len())
}

/// What each agent of a run did: its only suggestion is the job.
fn schedule(run: &Value) -> Option<Vec<Vec<Done>>> {
    let done = |busy: &Value| {
        let job = u32::try_from(busy["suggestions"][0].as_u64()?).ok()?;
        Some(Done { job, from: busy["from"].as_u64()?, to: busy["to"].as_u64()? })
    };
    run["agents"].as_array()?.iter().map(|agent| agent["busy"].as_array()?.iter().map(done).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn schedules_are_read_and_checked() {
        let instance = Instance::parse("1 1 2\n1 0\n3 1 0\n").expect("an instance");
        let summary = |end: &str, to: u64| {
            let busy = json!([{"from": 1, "to": to, "suggestions": [1]}]);
            json!({"runs": [{"seed": 7, "end": end, "agents": [{"busy": busy}]}]})
        };
        assert_eq!(check_runs(&instance, &summary("ended", 4)), Ok(1));
        assert!(check_runs(&instance, &summary("ended", 5)).is_err());
        assert!(check_runs(&instance, &summary("fault", 4)).is_err());
        assert!(check_runs(&instance, &json!({})).is_err());
    }
}
