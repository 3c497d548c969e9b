//! `cargo xtask bench steam`: how large a program can be for an error in it to be found, in tables like those of the
//! thesis that the programs and the heuristics come from (Mehler, *Challenges and applications of assembly level
//! software model checking*, tables 8.1 to 8.5).
//!
//! Each program is checked with more and more threads, in every order and by every heuristic, until one is too many
//! within the time and memory that a search is given. The largest one counts: the length of the run that is shown, the
//! one that was found before it was shortened being longer, CPU time and memory.

use super::machine;
use crate::Failure;
use crate::checker::{Checked, Checker};
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

#[derive(Args, Debug)]
pub struct SteamOptions {
    /// Which programs
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    programs: Vec<String>,

    /// Which orders and heuristics: names of rows
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    ways: Vec<String>,

    /// What a search may take
    #[arg(long, value_name = "TIME", default_value = "60")]
    seconds: u64,

    /// What a search may take
    #[arg(long, value_name = "SIZE", default_value = "1G")]
    max_memory: String,

    #[command(flatten)]
    files: FileOptions,
}

/// A program, what makes it wrong, and the numbers of threads that are tried.
struct Program {
    name: &'static str,
    definitions: &'static [&'static str],
    scales: &'static [u32],
}

const PROGRAMS: [Program; 4] = [
    Program { name: "philosophers", definitions: &[], scales: &[4, 6, 10, 20, 50, 100, 200, 500, 1000] },
    Program { name: "optical_telegraph", definitions: &[], scales: &[2, 3, 5, 10, 20, 50, 100, 200] },
    Program { name: "leader_election", definitions: &["TWINS"], scales: &[3, 4, 5, 10, 20, 40, 60, 80] },
    Program { name: "cashit", definitions: &["WRONG_LOCK"], scales: &[1, 2, 3, 4] },
];

/// An order and a heuristic.
fn ways() -> Vec<(String, Vec<String>)> {
    let way = |name: &str, arguments: &[&str]| {
        (name.to_owned(), arguments.iter().map(|argument| (*argument).to_owned()).collect())
    };
    let mut ways = vec![way("bfs", &["--search", "bfs"]), way("dfs", &["--search", "dfs"])];
    ways.push(way("auto", &["--search", "auto"]));
    ways.push(way("random", &["--search", "random"]));
    for search in ["best-first", "astar"] {
        for heuristic in ["mb", "lnb", "pl1", "pl2", "pba", "pbb", "int", "rw", "aa"] {
            ways.push(way(&format!("{search} {heuristic}"), &["--search", search, "--heuristic", heuristic]));
        }
    }
    ways
}

pub fn run(workspace: &Workspace, options: &SteamOptions) -> Result<(), Failure> {
    let checker = Checker {
        binary: workspace.release_binary(options.files.dampf.as_deref())?,
        max_time: format!("{}s", options.seconds),
        hard_limit: Some(Duration::from_secs(options.seconds * 2 + 60)),
    };
    let is_wanted = |wanted: &[String], name: &str| wanted.is_empty() || wanted.iter().any(|one| one == name);
    let mut rows: Vec<Value> = Vec::new();
    for program in PROGRAMS.iter().filter(|program| is_wanted(&options.programs, program.name)) {
        println!(
            "\n{}\n\n{:<16} {:>6} {:>6} {:>9} {:>8} {:>8}",
            program.name, "way", "scale", "steps", "states", "CPU s", "MB"
        );
        for (name, arguments) in ways().iter().filter(|(name, _)| is_wanted(&options.ways, name)) {
            let mut largest = None;
            for &scale in program.scales {
                let checked = check(&checker, &workspace.root, program, scale, (arguments, &options.max_memory))?;
                if checked.verdict != "violated" {
                    break;
                }
                largest = Some((scale, checked));
            }
            let Some((scale, Checked { counts, usage, steps, .. })) = largest else {
                println!("{name:<16} {:>6}", "-");
                continue;
            };
            let (cpu, megabytes) = (usage.cpu.as_secs_f64(), usage.peak_rss_bytes >> 20);
            println!("{name:<16} {scale:>6} {:>6} {:>9} {cpu:>8.1} {megabytes:>8}", steps.unwrap_or(0), counts.states);
            rows.push(json!({
                "program": program.name, "way": name, "scale": scale, "steps": steps, "states": counts.states,
                "cpu_seconds": cpu, "peak_rss_bytes": usage.peak_rss_bytes,
            }));
            options.files.write(|| json!({ "machine": machine(), "seconds": options.seconds, "rows": rows }))?;
        }
    }
    Ok(())
}

fn check(
    checker: &Checker,
    root: &Path,
    program: &Program,
    scale: u32,
    (arguments, max_memory): (&[String], &str),
) -> Result<Checked, Failure> {
    let mut command = Command::new(&checker.binary);
    command.arg("check").arg(root.join("models/cpp").join(program.name).with_extension("cc"));
    command.arg("-D").arg(format!("N={scale}"));
    for definition in program.definitions {
        command.args(["-D", definition]);
    }
    command.args(["--progress", "never", "--json", "-", "--max-memory", max_memory]);
    command.args(["--max-time", &checker.max_time]).args(arguments);
    checker.summary(&mut command)
}
