//! How well a search would go on clusters that are not at hand: a projection.
//!
//!     cargo run --release -p dampf --example projection -- models/dmc/lamport.dmc -D N=4 --svg projection.svg
//!
//! The model is searched on one rank first, for real; that tells what a transition costs on this machine. Then the
//! search is run on simulated clusters, with that cost and the network that the options describe: every rank does all
//! that it would do, but its time is counted and not spent. The efficiency on R ranks is the time of one rank by R
//! times that of the cluster, from the start to the moment when all ranks have the result.
//!
//! What is left out: packing a state costs nothing, and the cost of looking a state up is borne by the rank that finds
//! it, though its owner does it. Both are small against what a message costs.

use clap::Parser;
use dampf_core::{Model, Source};
use dampf_dist::{Node, Order, Partition, RankSettings, Summary, search_on_threads};
use dampf_gcl::model::{Backend, GclModel};
use dampf_net::Rank;
use dampf_net::simulation::{self, Ending, MICROSECOND, NANOSECOND, Outcome, Time};
use dampf_search::{Monitor, SearchOptions};
use dampf_store::TreeStore;
use dampf_testkit::plot::{Axis, Figure, Line, Panel, Point};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Project the efficiency of a search on clusters
#[derive(Parser, Debug)]
struct Arguments {
    /// A DVE or DMC model
    model: PathBuf,

    /// Set a constant of a DMC model
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = definition)]
    definitions: Vec<(String, i64)>,

    /// Numbers of ranks
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "16,64,256,1024", value_parser = clap::value_parser!(u32).range(1..))]
    ranks: Vec<Rank>,

    /// How long a message travels, in microseconds
    #[arg(long, value_name = "US", default_value_t = 2.0)]
    latency: f64,

    /// What a message costs its sender, and its receiver, in microseconds
    #[arg(long, value_name = "US", default_value_t = 1.0)]
    overhead: f64,

    /// How fast a rank sends, in gigabits per second
    #[arg(long, value_name = "GBIT", default_value_t = 10.0)]
    bandwidth: f64,

    /// Also with transitions that cost so many microseconds, as those of large programs do
    #[arg(long, value_name = "US,…", value_delimiter = ',')]
    cost: Vec<f64>,

    /// Level by level instead of first come, first served
    #[arg(long)]
    levels: bool,

    /// Levels in a slice, for the partition by depth
    #[arg(long, value_name = "N", default_value_t = 10)]
    slice: u32,

    /// The size of a range, for the partition by distance
    #[arg(long, value_name = "N", default_value_t = 5000)]
    range: u64,

    /// Give a simulation up when so many times the states that there are were explored
    #[arg(long, value_name = "N", default_value_t = 8)]
    redundancy_max: u64,

    /// Where the plot is written
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

fn definition(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("NAME=VALUE is wanted")?;
    Ok((name.to_owned(), value.parse().map_err(|_| format!("`{value}` is no number"))?))
}

fn main() -> ExitCode {
    match project(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn project(arguments: &Arguments) -> Result<(), String> {
    let model = read(arguments)?;
    let measured = Measured::of(&model)?;
    let name = arguments.model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    println!(
        "{name}: {} states, {} transitions; one rank takes {:.3} s, {:.0} ns per transition",
        measured.states,
        measured.transitions,
        measured.time.as_secs_f64(),
        measured.nanoseconds_per_transition()
    );
    let own_cost = measured.nanoseconds_per_transition() / 1000.0;
    let mut panels = Vec::new();
    for cost in [own_cost].into_iter().chain(arguments.cost.iter().copied()) {
        panels.push(panel(arguments, &model, &measured, cost)?);
    }
    if let Some(file) = &arguments.svg {
        let title = format!("{name}, {:.2} million states: projected efficiency", measured.states as f64 / 1e6);
        let network = format!(
            "latency {} µs, overhead {} µs, {} Gbit/s",
            arguments.latency, arguments.overhead, arguments.bandwidth
        );
        let figure = Figure { title, subtitle: network, panels, bound: "less than this: given up" };
        std::fs::write(file, figure.svg()).map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
        println!("\nwritten: {}", file.display());
    }
    Ok(())
}

fn read(arguments: &Arguments) -> Result<GclModel, String> {
    let path = arguments.model.display().to_string();
    let text = std::fs::read_to_string(&arguments.model).map_err(|error| format!("cannot read `{path}`: {error}"))?;
    let is_dmc = arguments.model.extension().is_some_and(|ending| ending == "dmc");
    let source = Source::new(path, text);
    let program = if is_dmc { dampf_dmc::parse_with(source, &arguments.definitions) } else { dampf_dve::parse(source) };
    let program = program.map_err(|problems| problems.first().map(ToString::to_string).unwrap_or_default())?;
    GclModel::new(program, Backend::Native).map_err(|unsupported| unsupported.what)
}

/// What one rank does, for real.
struct Measured {
    states: u64,
    transitions: u64,
    time: Duration,
}

/// How often the search on one rank is timed; the best time counts.
const TIMED_RUNS: usize = 3;

/// Everything is explored, whatever faults there are.
fn options() -> SearchOptions {
    SearchOptions { keep_going: true, deadlocks: false, ..SearchOptions::default() }
}

impl Measured {
    fn of(model: &GclModel) -> Result<Measured, String> {
        let mut best: Option<Measured> = None;
        for _ in 0..TIMED_RUNS {
            let settings = RankSettings { order: Order::FirstCome, ..RankSettings::default() };
            let start = Instant::now();
            let summary = search_on_threads(1, model, &options(), &settings, &Monitor::new());
            let time = start.elapsed();
            let summary = summary.map_err(|problem| problem.to_string())?;
            if let Some(unsupported) = summary.judgement.unsupported {
                return Err(unsupported.what);
            }
            if best.as_ref().is_none_or(|best| time < best.time) {
                let statistics = summary.statistics;
                best = Some(Measured { states: statistics.states, transitions: statistics.transitions.max(1), time });
            }
        }
        best.ok_or_else(|| "nothing was timed".to_owned())
    }

    fn nanoseconds_per_transition(&self) -> f64 {
        self.time.as_secs_f64() * 1e9 / self.transitions as f64
    }
}

fn partitions(arguments: &Arguments, model: &GclModel) -> Vec<(String, Partition)> {
    let first_process = model.program().processes.first().map(|process| process.name.clone());
    let section = first_process.map(|name| (format!("section {name}"), Partition::Sections(vec![name])));
    let mut partitions = vec![("full".to_owned(), Partition::Full), ("incremental".to_owned(), Partition::Incremental)];
    partitions.extend(section);
    partitions.push((format!("depth {}", arguments.slice), Partition::DepthSlices(arguments.slice)));
    partitions.push((format!("distance {}", arguments.range), Partition::Distance(arguments.range)));
    partitions
}

/// All partitions on all clusters, with transitions that cost so many microseconds.
fn panel(arguments: &Arguments, model: &GclModel, measured: &Measured, cost: f64) -> Result<Panel, String> {
    println!("\na transition takes {cost:.3} us\n");
    println!(
        "{:<22} {:>6} {:>11} {:>11} {:>9} {:>12} {:>10} {:>11}",
        "partition", "ranks", "time ms", "efficiency", "busy", "messages", "MB", "redundant"
    );
    let cost = (cost * MICROSECOND as f64) as Time;
    let time_of_one = measured.transitions.saturating_mul(cost) as f64;
    let mut lines = Vec::new();
    for (name, partition) in partitions(arguments, model) {
        let mut points = Vec::new();
        for &ranks in &arguments.ranks {
            let network = network(arguments, cost);
            let settings = RankSettings {
                partition: partition.clone(),
                order: if arguments.levels { Order::Levels } else { Order::FirstCome },
                remembered: 1 << 14,
                ..RankSettings::default()
            };
            let limit = measured.states.saturating_mul(arguments.redundancy_max);
            let (summary, outcome) = simulated(model, ranks, limit, &settings, &network)?;
            let efficiency = time_of_one / (outcome.makespan as f64 * f64::from(ranks));
            let is_bound = summary.stopped.is_some();
            print_row(&name, ranks, efficiency, &summary, &outcome);
            points.push(Point { x: f64::from(ranks), y: efficiency, is_bound });
        }
        lines.push(Line { name, points, is_plain: false });
    }
    let microseconds = cost as f64 / MICROSECOND as f64;
    let digits = if microseconds < 1.0 { 2 } else { 0 };
    let percents = (0..=100).step_by(20).map(|percent| (f64::from(percent) / 100.0, format!("{percent}%")));
    Ok(Panel {
        title: format!("a transition takes {microseconds:.digits$} µs"),
        x: Axis::logarithmic("ranks", arguments.ranks.iter().copied()),
        y: Axis { name: "efficiency".to_owned(), is_logarithmic: false, ticks: percents.collect() },
        lines,
    })
}

fn print_row(name: &str, ranks: Rank, efficiency: f64, summary: &Summary, outcome: &Outcome) {
    let (less, redundant) = match summary.stopped {
        None => ("", summary.redundant.to_string()),
        Some(_) => ("< ", "given up".to_owned()),
    };
    println!(
        "{name:<22} {ranks:>6} {:>11.3} {:>11} {:>8.1}% {:>12} {:>10.2} {redundant:>11}",
        outcome.makespan as f64 / simulation::MILLISECOND as f64,
        format!("{less}{:.1}%", 100.0 * efficiency),
        100.0 * outcome.utilisation(),
        outcome.messages(),
        outcome.bytes() as f64 / 1e6,
    );
}

fn network(arguments: &Arguments, cost: Time) -> simulation::SimulationSettings {
    let microseconds = |count: f64| (count.max(0.0) * MICROSECOND as f64) as Time;
    let picoseconds_per_byte = 8.0 * NANOSECOND as f64 / arguments.bandwidth.max(1e-3);
    simulation::SimulationSettings {
        cost_per_turn: 100 * NANOSECOND,
        cost_per_work: cost,
        overhead: microseconds(arguments.overhead),
        gap_per_byte: picoseconds_per_byte as Time,
        latency: microseconds(arguments.latency),
        delay_max: microseconds(arguments.latency / 10.0),
        turns_max: u64::MAX,
        ..simulation::SimulationSettings::new(1)
    }
}

/// Searches on a simulated cluster, until so many states were explored.
fn simulated(
    model: &GclModel,
    ranks: Rank,
    limit: u64,
    settings: &RankSettings,
    network: &simulation::SimulationSettings,
) -> Result<(Summary, Outcome), String> {
    let options = SearchOptions { max_states: Some(limit), ..options() };
    let stores: Vec<TreeStore> = (0..ranks).map(|_| TreeStore::new(model.width())).collect();
    let monitors: Vec<Monitor> = (0..ranks).map(|_| Monitor::new()).collect();
    let mut nodes = Vec::new();
    for (rank, (store, monitor)) in stores.iter().zip(&monitors).enumerate() {
        let node = Node::new(rank as Rank, ranks, model, store, (&options, settings), monitor);
        nodes.push(node.map_err(|problem| problem.to_string())?);
    }
    let outcome = simulation::simulate(&mut nodes, network);
    match nodes[0].summary() {
        Some(summary) if outcome.ending == Ending::Finished => Ok((summary.clone(), outcome)),
        _ => Err(format!("the search came to no end on {ranks} ranks: {settings:?}")),
    }
}
