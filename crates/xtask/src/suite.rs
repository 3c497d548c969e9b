//! Commands that are a row of cargo commands: `test`, `fuzz`, `bless`.
//!
//! What cargo prints goes straight to the terminal. The first command that fails ends the row, and the last line
//! says how to repeat that command alone.

use crate::Failure;
use crate::fuzz::{ClaimsOptions, ProgramsOptions, PromelaSpinOptions};
use crate::tidy;
use crate::workspace::Workspace;
use clap::{Args, Subcommand};

/// One cargo command: its environment and its arguments.
struct Step {
    environment: Vec<(&'static str, String)>,
    arguments: Vec<String>,
}

impl Step {
    fn new(arguments: &[&str]) -> Step {
        Step { environment: Vec::new(), arguments: arguments.iter().map(|&argument| argument.to_owned()).collect() }
    }

    fn with(mut self, name: &'static str, value: impl ToString) -> Step {
        self.environment.push((name, value.to_string()));
        self
    }

    /// The step as one would type it.
    fn typed(&self) -> String {
        let variables = self.environment.iter().map(|(name, value)| format!("{name}={value} "));
        format!("{}cargo {}", variables.collect::<String>(), self.arguments.join(" "))
    }

    fn run(&self, workspace: &Workspace) -> Result<(), Failure> {
        println!("$ {}", self.typed());
        let mut command = workspace.cargo();
        command.args(&self.arguments).envs(self.environment.iter().map(|(name, value)| (name, value)));
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("a check failed ({status}); repeat it with: {}", self.typed())),
            Err(error) => Err(format!("cannot run `{}`: {error}", self.typed())),
        }
    }
}

/// Everything that is asked of a change, the quickest answers first.
pub fn test(workspace: &Workspace) -> Result<(), Failure> {
    Step::new(&["fmt", "--all", "--check"]).run(workspace)?;
    println!("$ cargo xtask tidy");
    tidy::run(workspace).map_err(|failure| format!("{failure}; repeat it with: cargo xtask tidy"))?;
    Step::new(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).run(workspace)?;
    Step::new(&["test", "--workspace"]).run(workspace)?;
    println!("all checks passed");
    Ok(())
}

pub fn bless(workspace: &Workspace) -> Result<(), Failure> {
    Step::new(&["test", "--workspace", "--no-fail-fast"]).with("UPDATE_EXPECT", 1).run(workspace)
}

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct FuzzOptions {
    /// How long to damage the models of each language
    #[arg(long, value_name = "N", default_value = "60")]
    seconds: u64,

    #[command(subcommand)]
    comparison: Option<FuzzComparison>,
}

#[derive(Subcommand, Debug)]
pub enum FuzzComparison {
    /// Compare Dampf with SPIN on random programs in Promela
    ///
    /// A program on which they differ is made small and kept. SPIN is the judge of what a program is: those that it
    /// refuses or cannot search are counted and left out.
    PromelaSpin(PromelaSpinOptions),

    /// Compare with SPIN on random Promela programs with formulas about their runs: the same verdicts
    Claims(ClaimsOptions),

    /// Compare ways to explore random programs in C with threads: they have the same outcomes
    Programs(ProgramsOptions),
}

pub fn fuzz(workspace: &Workspace, options: &FuzzOptions) -> Result<(), Failure> {
    match &options.comparison {
        Some(FuzzComparison::PromelaSpin(options)) => crate::fuzz::promela_spin(workspace, options),
        Some(FuzzComparison::Claims(options)) => crate::fuzz::claims(workspace, options),
        Some(FuzzComparison::Programs(options)) => crate::fuzz::programs(workspace, options),
        None => mutation(workspace, options),
    }
}

/// Runs the test target `mutation` of every crate that has one.
fn mutation(workspace: &Workspace, options: &FuzzOptions) -> Result<(), Failure> {
    let metadata = workspace.metadata()?;
    let mut crates: Vec<&str> = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let mut targets = package["targets"].as_array().into_iter().flatten();
        if targets.any(|target| target["name"] == "mutation") {
            crates.extend(package["name"].as_str());
        }
    }
    crates.sort_unstable();
    if crates.is_empty() {
        return Err("no crate has a test target called `mutation`".to_owned());
    }
    for name in crates {
        Step::new(&["test", "--package", name, "--test", "mutation", "--", "--nocapture"])
            .with("DAMPF_FUZZ_SECONDS", options.seconds)
            .run(workspace)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_can_be_typed() {
        let step = Step::new(&["test", "--workspace"]).with("UPDATE_EXPECT", 1);
        assert_eq!(step.typed(), "UPDATE_EXPECT=1 cargo test --workspace");
    }
}
