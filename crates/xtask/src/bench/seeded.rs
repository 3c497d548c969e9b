//! `cargo xtask bench seeded`: how soon errors are found that were put into programs (`models/seeded`), by a
//! breadth-first search and by the default, which sends scouts ahead of one.
//!
//! What is right has to be explored as a whole by both, so that the difference there is what the scouts cost.

use super::machine;
use crate::Failure;
use crate::checker::{Checked, Checker};
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use dampf_testkit::expectations::{Expectation, expectations, sources};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

#[derive(Args, Debug)]
pub struct SeededOptions {
    /// Which programs: names of files in models/seeded
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    programs: Vec<String>,

    /// What a search may take
    #[arg(long, value_name = "TIME", default_value = "120")]
    seconds: u64,

    #[command(flatten)]
    files: FileOptions,
}

/// The two orders that are compared.
const BEFORE: &str = "bfs";
const AFTER: &str = "auto";

pub fn run(workspace: &Workspace, options: &SeededOptions) -> Result<(), Failure> {
    let checker = Checker {
        binary: workspace.release_binary(options.files.dampf.as_deref())?,
        max_time: format!("{}s", options.seconds),
        hard_limit: Some(Duration::from_secs(options.seconds * 2 + 60)),
    };
    let folder = workspace.root.join("models/seeded");
    let (mut rows, mut gains, mut costs): (Vec<Value>, Vec<f64>, Vec<f64>) = Default::default();
    let mut longest = 0.0_f64;
    println!(
        "{:<20} {:<26} {:>9} {:>9} {:>7} {:>7} {:>6} {:>6} {:>6}",
        "program", "variant", "states", "scouted", "CPU s", "CPU s", "times", "steps", "steps"
    );
    for file in sources(&folder).iter().filter(|file| options.programs.is_empty() || options.programs.contains(file)) {
        let all = expectations(&folder, file);
        let common = all.first().map(|first| first.flags.clone()).unwrap_or_default();
        for expectation in &all {
            let [before, after] = [BEFORE, AFTER].map(|search| check(&checker, &folder, expectation, search));
            let (before, after) = (before?, after?);
            let variant: Vec<&str> =
                expectation.flags.iter().filter(|flag| !common.contains(flag)).map(String::as_str).collect();
            let variant = if variant.is_empty() { "right".to_owned() } else { variant.join(" ").replace("-D", "") };
            let [first, second] = [&before, &after].map(|checked| checked.usage.cpu.as_secs_f64());
            let times = first / second.max(0.01);
            match expectation.kind.as_str() {
                "verified" => costs.push(second / first.max(0.01)),
                _ => {
                    gains.push(times);
                    longest = longest.max(after.steps.unwrap_or(0) as f64 / before.steps.unwrap_or(1).max(1) as f64);
                }
            }
            println!(
                "{file:<20} {variant:<26} {:>9} {:>9} {first:>7.2} {second:>7.2} {times:>6.1} {:>6} {:>6}",
                before.counts.states,
                after.counts.states,
                before.steps.unwrap_or(0),
                after.steps.unwrap_or(0),
            );
            let told = |checked: &Checked| {
                json!({ "states": checked.counts.states, "steps": checked.steps, "verdict": checked.verdict,
                        "cpu_seconds": checked.usage.cpu.as_secs_f64() })
            };
            rows.push(json!({ "program": file, "variant": variant, BEFORE: told(&before), AFTER: told(&after) }));
            options.files.write(|| json!({ "machine": machine(), "seconds": options.seconds, "rows": rows }))?;
        }
    }
    gains.sort_by(f64::total_cmp);
    let (Some(least), Some(median)) = (gains.first(), gains.get(gains.len() / 2)) else { return Ok(()) };
    println!("\n{} errors: sooner by {median:.1} in the median, {least:.2} at least", gains.len());
    println!("runs are longer by {longest:.2} at most");
    println!("what is right takes longer by {:.2} at most", costs.iter().copied().fold(0.0, f64::max));
    Ok(())
}

fn check(checker: &Checker, folder: &Path, expectation: &Expectation, search: &str) -> Result<Checked, Failure> {
    let mut command = Command::new(&checker.binary);
    command.arg("check").arg(folder.join(&expectation.file)).args(expectation.arguments());
    command.args(["--progress", "never", "--json", "-", "--search", search, "--max-time", &checker.max_time]);
    let checked = checker.summary(&mut command)?;
    let is_expected = match expectation.kind.as_str() {
        "verified" => checked.verdict == "verified",
        kind => checked.faults.iter().any(|fault| fault == kind),
    };
    match is_expected || checked.verdict == "unknown" {
        true => Ok(checked),
        false => Err(format!("{} {:?}: {:?} with {search}", expectation.file, expectation.flags, checked.faults)),
    }
}
