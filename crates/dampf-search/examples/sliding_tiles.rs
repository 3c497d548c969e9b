//! Explores the sliding-tile puzzle, in memory or on disk: a space of known size, 239,500,800 states for three rows of
//! four. A search on disk that was interrupted, even killed, is resumed by the same command.
//!
//! ```text
//! cargo run --release --example sliding_tiles -- 3 4 --disk FOLDER --threads 2 --max-memory 1000
//! ```

use dampf_core::{Action, Model, Restore, Successors, Word, Worker};
use dampf_search::checkpoint::CheckpointProblem;
use dampf_search::external::{self, DiskSettings};
use dampf_search::{Monitor, Outcome, SearchOptions, peak_resident_bytes};
use dampf_store::TreeStore;
use std::path::Path;
use std::time::{Duration, Instant};

/// A board of at most sixteen cells. A state is two words, four bits for each cell.
struct Tiles {
    rows: u32,
    columns: u32,
}

impl Restore for Tiles {}

impl Model for Tiles {
    type Worker<'m> = &'m Tiles;

    fn width(&self) -> usize {
        2
    }

    fn worker(&self) -> &Tiles {
        self
    }
}

fn words(board: u64) -> [Word; 2] {
    [(board >> 32) as Word, board as Word]
}

impl Worker for &Tiles {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        let board = (0..u64::from(self.rows * self.columns)).fold(0, |board, cell| board | cell << (4 * cell));
        out.push(Action(0), &words(board));
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        out.clear();
        let board = u64::from(state[0]) << 32 | u64::from(state[1]);
        let cells = self.rows * self.columns;
        let gap = (0..cells).find(|cell| board >> (4 * cell) & 15 == 0).unwrap_or(0);
        let (row, column) = (gap / self.columns, gap % self.columns);
        let moves = [
            (row > 0).then(|| gap - self.columns),
            (row + 1 < self.rows).then(|| gap + self.columns),
            (column > 0).then(|| gap - 1),
            (column + 1 < self.columns).then(|| gap + 1),
        ];
        for (number, cell) in moves.into_iter().enumerate() {
            if let Some(cell) = cell {
                let tile = board >> (4 * cell) & 15;
                out.push(Action(number as u64), &words(board & !(15 << (4 * cell)) | tile << (4 * gap)));
            }
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<u32>().ok());
    let option = |name: &str| arguments.iter().position(|text| text == name).and_then(|at| arguments.get(at + 1));
    let (Some(rows), Some(columns)) = (number(0), number(1)) else {
        eprintln!(
            "usage: sliding_tiles ROWS COLUMNS [--disk FOLDER] [--threads N] [--max-memory MIB] [--checkpoint-every S]"
        );
        std::process::exit(2);
    };
    let parsed = |name: &str| option(name).and_then(|text| text.parse::<u64>().ok());
    let options = SearchOptions {
        threads: parsed("--threads").unwrap_or(1) as usize,
        max_memory_bytes: parsed("--max-memory").map(|size| size << 20),
        ..SearchOptions::default()
    };
    let model = Tiles { rows, columns };
    let begin = Instant::now();
    let outcome = match option("--disk") {
        Some(folder) => on_disk(&model, Path::new(folder), &options, parsed("--checkpoint-every").unwrap_or(60)),
        None => dampf_search::check(&model, &TreeStore::new(model.width()), &options, &Monitor::new()),
    };
    report(&outcome, begin.elapsed());
}

fn on_disk(model: &Tiles, folder: &Path, options: &SearchOptions, checkpoint_every: u64) -> Outcome {
    let settings = DiskSettings {
        identity: format!("{} by {}", model.rows, model.columns),
        remove_when_done: true,
        checkpoint_every: Duration::from_secs(checkpoint_every),
        ..DiskSettings::default()
    };
    let outcome = match external::resume(model, folder, options, &settings, &Monitor::new()) {
        Err(CheckpointProblem::NoCheckpoint { .. }) => {
            external::check(model, folder, options, &settings, &Monitor::new())
        }
        resumed => resumed,
    };
    outcome.unwrap_or_else(|problem| {
        eprintln!("{problem}");
        std::process::exit(1);
    })
}

fn report(outcome: &Outcome, elapsed: Duration) {
    let statistics = &outcome.statistics;
    let per_second = |count: u64| count as f64 / elapsed.as_secs_f64() / 1e6;
    println!(
        "{:?}: {} states, {} transitions, depth {}",
        outcome.verdict, statistics.states, statistics.transitions, statistics.depth
    );
    println!(
        "{:.1} s, {:.2} million states/s, {:.2} million transitions/s, {:.2} bytes/state, peak memory {} MiB",
        elapsed.as_secs_f64(),
        per_second(statistics.states),
        per_second(statistics.transitions),
        statistics.store_bytes as f64 / statistics.states as f64,
        peak_resident_bytes().unwrap_or(0) >> 20,
    );
}
