//! `cargo xtask bench puzzle`: sliding puzzles that are solved by IDA* and A*, as a program with `RANGE` and as a model
//! in DVE, next to the length of a shortest solution that the reference knows.
//!
//! The boards are scrambled, and those with the lengths that are asked for are taken. The program publishes the
//! Manhattan distance (`models/cpp/puzzle.c`), the model is given it as an expression.

use super::machine;
use crate::Failure;
use crate::checker::{Checked, Checker};
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use dampf_testkit::puzzle::Board;
use serde_json::{Value, json};
use std::process::Command;
use std::time::Duration;

#[derive(Args, Debug)]
pub struct PuzzleOptions {
    /// Of how many moves the shortest solutions are
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "20,24,28,32,36,40")]
    moves: Vec<u32>,

    /// How many rows and columns boards have
    #[arg(long, value_name = "N", default_value = "4")]
    side: usize,

    /// What a search may take
    #[arg(long, value_name = "SECONDS", default_value = "600")]
    seconds: u64,

    #[command(flatten)]
    files: FileOptions,
}

/// So many boards are tried for one that has a length.
const SEEDS_MAX: u64 = 10_000;

/// A board whose shortest solution has so many moves.
fn board(side: usize, moves: u32) -> Result<Board, Failure> {
    // Random walks come back on themselves: longer ones than the solution are needed for long solutions.
    let boards = (0..SEEDS_MAX).map(|seed| Board::scrambled(side, side, moves as usize + seed as usize % 60, seed));
    let near = |board: &Board| board.distance() <= moves && board.distance() % 2 == moves % 2;
    let found = boards.filter(near).find(|board| board.moves() == moves);
    found.ok_or_else(|| format!("there is no board with a solution of {moves} moves among {SEEDS_MAX}"))
}

pub fn run(workspace: &Workspace, options: &PuzzleOptions) -> Result<(), Failure> {
    let checker = Checker {
        binary: workspace.release_binary(options.files.dampf.as_deref())?,
        max_time: format!("{}s", options.seconds),
        hard_limit: Some(Duration::from_secs(options.seconds * 2 + 60)),
    };
    let folder = workspace.root.join("target/puzzle");
    let unwritable = |error: std::io::Error| format!("cannot write into `{}`: {error}", folder.display());
    std::fs::create_dir_all(&folder).map_err(unwritable)?;
    println!(
        "{:>5} {:>9} {:<8} {:<8} {:>6} {:>9} {:>8}",
        "moves", "Manhattan", "input", "search", "steps", "visits", "CPU s"
    );
    let mut rows: Vec<Value> = Vec::new();
    for &moves in &options.moves {
        let board = board(options.side, moves)?;
        let model = folder.join(format!("puzzle-{moves}.dve"));
        std::fs::write(&model, board.dve()).map_err(unwritable)?;
        for search in ["idastar", "astar"] {
            for input in ["dve", "program"] {
                let mut command = Command::new(&checker.binary);
                command.arg("check");
                match input {
                    "dve" => {
                        let heuristic = format!("distance({})", board.distance_expression());
                        command.arg(&model).args(["--goal", &board.goal(), "--heuristic", &heuristic]);
                    }
                    _ => {
                        command.arg(workspace.root.join("models/cpp/puzzle.c"));
                        command.args(["-D", &format!("SIDE={}", options.side)]);
                        command.args(["-D", &format!("TILES={}", board.listed())]);
                    }
                }
                command.args(["--search", search, "--progress", "never", "--json", "-"]);
                command.args(["--max-time", &checker.max_time]);
                let Checked { verdict, counts, usage, steps, .. } = checker.summary(&mut command)?;
                let (cpu, distance) = (usage.cpu.as_secs_f64(), board.distance());
                let told = steps.filter(|_| verdict == "violated").map_or("-".to_owned(), |steps| steps.to_string());
                println!("{moves:>5} {distance:>9} {input:<8} {search:<8} {told:>6} {:>9} {cpu:>8.1}", counts.states);
                rows.push(json!({
                    "board": board.listed(), "moves": moves, "manhattan": distance, "input": input, "search": search,
                    "steps": steps, "states": counts.states, "cpu_seconds": cpu,
                }));
            }
        }
    }
    options.files.write(|| json!({ "machine": machine(), "rows": rows }))
}
