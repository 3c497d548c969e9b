//! Models with known counts, searched on simulated networks: every seed is a model, a number of ranks, a way to share
//! the work and a network.
//!
//!     cargo run --release -p dampf --example networks -- FOLDER [SEEDS [STATES_MAX [FIRST_SEED]]]
//!
//! FOLDER holds DVE models and `counts.tsv`: a model's name, its number of states, whether that is all, and its
//! transitions where known.

use dampf_core::{Model, Sections, Source};
use dampf_dist::{Node, Order, Partition, RankSettings, Waiting};
use dampf_gcl::model::{Backend, GclModel};
use dampf_net::simulation::{self, simulate};
use dampf_search::{Monitor, SearchOptions};
use dampf_store::TreeStore;
use std::path::Path;

struct Subject {
    name: String,
    states: u64,
    transitions: Option<u64>,
}

fn subjects(folder: &Path, states_max: u64) -> Vec<Subject> {
    let table = std::fs::read_to_string(folder.join("counts.tsv")).expect("the folder holds counts.tsv");
    let subject = |line: &str| {
        let mut fields = line.split('\t');
        let (name, states, complete) = (fields.next()?, fields.next()?.parse().ok()?, fields.next()?);
        let transitions = fields.next().and_then(|text| text.parse().ok());
        (complete == "yes" && states < states_max).then(|| Subject { name: name.to_owned(), states, transitions })
    };
    table.lines().filter_map(subject).filter(|subject| folder.join(format!("{}.dve", subject.name)).exists()).collect()
}

/// A choice among so many that differs from seed to seed.
fn choice(seed: u64, salt: u64, among: usize) -> usize {
    let mixed = (seed ^ salt << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as usize % among
}

/// `sections` are those of the model's states.
fn settings(seed: u64, sections: &[String]) -> RankSettings {
    let partitions = [
        Partition::Full,
        Partition::Incremental,
        Partition::Sections(vec![sections[choice(seed, 7, sections.len())].clone()]),
        Partition::DepthSlices(5),
        Partition::Estimate,
        Partition::Distance(20),
    ];
    let limit = |extended, store| Waiting::Limit { states: 1000, extended, store };
    let waiting =
        [Waiting::Hash, Waiting::None, Waiting::Store, limit(false, false), limit(true, false), limit(true, true)];
    let order = [Order::Levels, Order::FirstCome, Order::DepthFirst, Order::BestFirst][choice(seed, 3, 4)];
    let is_raw = matches!(order, Order::Levels | Order::FirstCome);
    RankSettings {
        partition: partitions[choice(seed, 2, partitions.len())].clone(),
        order,
        waiting: if is_raw { waiting[choice(seed, 4, waiting.len())] } else { Waiting::Hash },
        remembered: [0, 1 << 10, 1 << 16][choice(seed, 5, 3)],
        ..RankSettings::default()
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, otherwise: u64| arguments.get(at).map_or(otherwise, |text| text.parse().expect("a number"));
    let folder = Path::new(arguments.first().expect("a folder is given"));
    let (seeds, states_max, first) = (number(1, 1000), number(2, 2_000_000), number(3, 0));
    let subjects = subjects(folder, states_max);
    let mut differing = 0;
    for seed in first..first + seeds {
        let subject = &subjects[choice(seed, 1, subjects.len())];
        let path = folder.join(format!("{}.dve", subject.name));
        let text = std::fs::read_to_string(&path).expect("the model can be read");
        let program = dampf_dve::parse(Source::new(path.display().to_string(), text)).expect("the model is right");
        let model = GclModel::new(program, Backend::Native).expect("the model can be compiled");
        let options = SearchOptions { keep_going: true, deadlocks: false, ..SearchOptions::default() };
        let (settings, ranks) = (settings(seed, &model.sections()), 2 + choice(seed, 6, 3) as u32);
        let stores: Vec<TreeStore> = (0..ranks).map(|_| TreeStore::new(model.width())).collect();
        let monitor = Monitor::new();
        let node = |rank: u32| {
            let store = &stores[rank as usize];
            Node::new(rank, ranks, &model, store, (&options, &settings), &monitor).expect("it can begin")
        };
        let mut nodes: Vec<Node<GclModel, TreeStore>> = (0..ranks).map(node).collect();
        let network =
            simulation::SimulationSettings { turns_max: u64::MAX, ..simulation::SimulationSettings::varied(seed) };
        let outcome = simulate(&mut nodes, &network);
        let counts = nodes[0].summary().map(|summary| summary.statistics);
        let agrees = counts.is_some_and(|counts| {
            counts.states == subject.states && subject.transitions.is_none_or(|known| known == counts.transitions)
        });
        differing += u64::from(!agrees);
        let word = if agrees { "same" } else { "DIFFERS" };
        println!(
            "{word} seed {seed} {} ranks {ranks} {:?} {:?} {:?}: {:?} of {}, {} messages, {:?}",
            subject.name,
            settings.partition,
            settings.order,
            settings.waiting,
            counts.map(|counts| (counts.states, counts.transitions)),
            subject.states,
            outcome.messages(),
            outcome.ending,
        );
    }
    println!("{seeds} seeds over {} models, {differing} differ", subjects.len());
    std::process::exit(i32::from(differing > 0));
}
