//! `cargo xtask bench slicing`: what stack slicing gains, in figures like those of the paper that it comes from
//! (Holzmann and Bošnački, *The design of a multicore extension of the SPIN model checker*, figures 4 to 6).
//!
//! Each figure is an SVG file under `docs`, a table on the terminal, and rows of the JSON file. Speed-ups are ratios of
//! wall times, so the machine has to be idle; the CPU time beside them tells whether it was, and whether a worker that
//! waits does so by spinning. More workers than cores are measured too, and said to be.

mod curves;
mod runs;

use super::machine;
use crate::Failure;
use crate::workspace::{FileOptions, Workspace};
use clap::Args;
use curves::{Curve, Plot, Sample};
use dampf_testkit::plot::{Axis, Figure};
use runs::{Runs, Way};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub struct SlicingOptions {
    /// Small spaces and few points, to see that everything works; nothing is drawn
    #[arg(long)]
    quick: bool,

    /// How many times each is run; the best counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Where the figures are drawn
    #[arg(long, value_name = "DIR", default_value = "docs")]
    svg: PathBuf,

    #[command(flatten)]
    files: FileOptions,
}

/// The depth of the figures over delay, size and branching: the paper's default.
const USUAL: &str = "20";
/// What steps cost, as powers of two.
const DELAYS: [u32; 6] = [1, 4, 7, 10, 13, 16];
const BYTES: [u32; 5] = [16, 50, 100, 300, 800];
const BRANCHES: [u32; 6] = [1, 2, 3, 4, 8, 16];
const HAND_OFFS: [u32; 13] = [1, 2, 3, 5, 10, 20, 50, 100, 300, 1000, 3000, 10_000, 100_000];
/// Steps of a run, each counted with its delay: it keeps runs of all delays about equally long.
const COST_MAX: u64 = 1 << 28;

struct Bench {
    root: PathBuf,
    cores: usize,
    quick: bool,
}

pub fn run(workspace: &Workspace, options: &SlicingOptions) -> Result<(), Failure> {
    let mut runs = Runs::new(workspace.release_binary(options.files.dampf.as_deref())?, options.runs);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let bench = Bench { root: workspace.root.clone(), cores, quick: options.quick };
    let files = FileOptions {
        json: options.files.json.clone().or_else(|| Some(workspace.root.join("bench/results-slicing.json"))),
        dampf: None,
    };
    let mut rows: Vec<Value> = Vec::new();
    for plot in [bench.hand_off_depth(), bench.delay(), bench.state_size(), bench.branching()] {
        let mut plotted = plot.measure(&mut runs)?;
        if let Some(load) = load().filter(|&load| load > cores as f64 + 1.0) {
            plotted.figure.subtitle += &format!("; disturbed: a load of {load:.0} on {cores} cores");
            println!("\nDisturbed: the machine has a load of {load:.1} on {cores} cores. Wall times say little.");
        }
        rows.extend(plotted.rows);
        if options.quick {
            continue;
        }
        draw(&workspace.root.join(&options.svg), plot.file, &plotted.figure)?;
        // All runs together take long: what was measured so far is not in vain if one is broken off.
        files.write(|| json!({ "machine": machine(), "runs": options.runs, "load": load(), "rows": rows }))?;
    }
    if options.quick {
        println!("\n{:#}", json!({ "machine": machine(), "runs": options.runs, "load": load(), "rows": rows }));
    } else {
        files.json.iter().for_each(|file| println!("\nwritten: {}", file.display()));
    }
    Ok(())
}

/// How many threads have been running or waiting for a core in the last minute, on average; none where the system does
/// not tell. A search has two to four.
fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

fn draw(folder: &Path, name: &str, figure: &Figure) -> Result<(), Failure> {
    let path = folder.join(name);
    std::fs::write(&path, figure.svg()).map_err(|error| format!("cannot write `{}`: {error}", path.display()))?;
    println!("drawn: {}", path.display());
    Ok(())
}

impl Bench {
    /// `2 workers`, and whether there are as many cores.
    fn workers(&self, threads: u32) -> String {
        let name = if threads == 1 { "1 worker".to_owned() } else { format!("{threads} workers") };
        if threads as usize > self.cores { format!("{name} (on {} cores)", self.cores) } else { name }
    }

    fn points(&self, all: &[u32]) -> Vec<u32> {
        if self.quick { all.iter().copied().step_by(4).collect() } else { all.to_vec() }
    }

    /// The reference model with these knobs. Where a step takes long there are fewer states.
    fn reference(&self, branch: u32, bytes: u32, delay: u32) -> Way {
        let most = if self.quick { 20_000 } else { 200_000 };
        let states = (COST_MAX >> (delay + u32::from(self.quick) * 4)) / u64::from(branch);
        let states = states.clamp(1000, most);
        let knobs = [("states", states), ("branch", branch.into()), ("bytes", bytes.into()), ("delay", delay.into())];
        Way {
            model: self.root.join("bench/reference.reference"),
            definitions: knobs.iter().map(|(knob, value)| format!("{knob}={value}")).collect(),
            ..Way::default()
        }
    }

    /// Figures 4 and 5: the bath-tub.
    fn hand_off_depth(&self) -> Plot {
        let depths = self.points(&HAND_OFFS);
        // With reduction there are fewer states, so that there are more philosophers.
        let panel = |reduces: bool| {
            let philosophers = match (reduces, self.quick) {
                (_, true) => 8,
                (false, false) => 12,
                (true, false) => 16,
            };
            let way = Way {
                model: self.root.join("models/dmc/philosophers.dmc"),
                definitions: vec![format!("N={philosophers}"), "LEFTHANDED=1".to_owned()],
                reduces,
                ..Way::default()
            };
            let ends = [depths[0], depths[depths.len() - 1]];
            let sample = |depth: u32, way: Way| Sample { x: f64::from(depth), way, base: None };
            let level = |name: String, way: Way| {
                let samples = ends.iter().map(|&depth| sample(depth, way.clone())).collect();
                Curve { name, samples, is_plain: true }
            };
            let sliced = |threads: u32| Curve {
                name: self.workers(threads),
                samples: depths.iter().map(|&depth| sample(depth, way.sliced(threads, &depth.to_string()))).collect(),
                is_plain: false,
            };
            let reduction = if reduces { "with partial-order reduction" } else { "without reduction" };
            let curves = vec![
                level("1 worker (depth-first)".to_owned(), way.clone()),
                sliced(2),
                sliced(4),
                level("2 workers, auto".to_owned(), way.sliced(2, "auto")),
            ];
            (format!("{philosophers} philosophers, {reduction}"), curves)
        };
        Plot {
            file: "slicing-handoff.svg",
            title: "The time of a search over the hand-off depth",
            subtitle: "models/dmc/philosophers.dmc, of whom one is left-handed; seconds of wall time".to_owned(),
            x: Axis::logarithmic("hand-off depth", [1, 10, 100, 1000, 10_000, 100_000]),
            y: "seconds",
            panels: vec![panel(false), panel(true)],
        }
    }

    /// The curves of figure 6: branch factors with two workers, and two things that the paper has not.
    fn curves(&self, points: &[u32], way: impl Fn(u32, u32) -> Way) -> Vec<Curve> {
        let curve = |name: String, branch: u32, threads: u32, hand_off: &str| Curve {
            name,
            samples: points.iter().map(|&x| speedup(x, way(x, branch), threads, hand_off)).collect(),
            is_plain: false,
        };
        vec![
            curve("branch 1".to_owned(), 1, 2, USUAL),
            curve("branch 1, auto".to_owned(), 1, 2, "auto"),
            curve("branch 2".to_owned(), 2, 2, USUAL),
            curve("branch 8".to_owned(), 8, 2, USUAL),
            curve(format!("branch 8, {}", self.workers(4)), 8, 4, USUAL),
        ]
    }

    /// Figure 6, above.
    fn delay(&self) -> Plot {
        let delays = self.points(&DELAYS);
        let panel = |bytes: u32| {
            let title = format!("states of {bytes} bytes");
            (title, self.curves(&delays, |delay, branch| self.reference(branch, bytes, delay)))
        };
        let ticks = DELAYS.map(|delay| (f64::from(delay), format!("2^{delay}")));
        Plot {
            file: "slicing-delay.svg",
            title: "Speed-up over the time of a step",
            subtitle: format!("reference model, 2 workers unless said otherwise, hand-off depth {USUAL}"),
            x: Axis { name: "additions per step".to_owned(), is_logarithmic: false, ticks: ticks.to_vec() },
            y: "speed-up",
            panels: vec![panel(10), panel(200)],
        }
    }

    /// Figure 6, below.
    fn state_size(&self) -> Plot {
        let sizes = self.points(&BYTES);
        let panel = |delay: u32, store: &'static str| {
            let title = format!("2^{delay} additions per step, --store {store}");
            let way = |bytes, branch| Way { store, ..self.reference(branch, bytes, delay) };
            (title, self.curves(&sizes, way))
        };
        Plot {
            file: "slicing-size.svg",
            title: "Speed-up over the size of a state",
            subtitle: format!("reference model, 2 workers unless said otherwise, hand-off depth {USUAL}"),
            x: Axis::logarithmic("bytes of a state", BYTES),
            y: "speed-up",
            panels: vec![panel(3, "tree"), panel(3, "exact"), panel(13, "tree")],
        }
    }

    /// Speed-up over the number of successors, beside the depth-first search that shares its stacks.
    fn branching(&self) -> Plot {
        let branches = self.points(&BRANCHES);
        let panel = |delay: u32| {
            let curve = |name: String, threads: u32, hand_off: &str| Curve {
                name,
                samples: branches
                    .iter()
                    .map(|&branch| speedup(branch, self.reference(branch, 200, delay), threads, hand_off))
                    .collect(),
                is_plain: false,
            };
            let curves = vec![
                curve(format!("{}, depth {USUAL}", self.workers(2)), 2, USUAL),
                curve(format!("{}, auto", self.workers(2)), 2, "auto"),
                curve(self.workers(4), 4, USUAL),
                curve("2 threads, --search dfs".to_owned(), 2, ""),
            ];
            (format!("2^{delay} additions per step"), curves)
        };
        Plot {
            file: "slicing-branch.svg",
            title: "Speed-up over the number of successors",
            subtitle: "reference model, states of 200 bytes".to_owned(),
            x: Axis::logarithmic("successors of a state", BRANCHES),
            y: "speed-up",
            panels: vec![panel(3), panel(9), panel(13)],
        }
    }
}

/// A way with so many threads against the same with one. Without a hand-off depth it is the depth-first search.
fn speedup(x: u32, one: Way, threads: u32, hand_off: &str) -> Sample {
    let way = if hand_off.is_empty() { Way { threads, ..one.clone() } } else { one.sliced(threads, hand_off) };
    Sample { x: f64::from(x), way, base: Some(one) }
}
