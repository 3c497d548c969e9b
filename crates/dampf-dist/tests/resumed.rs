//! Searches that die at any moment and are resumed, on any number of ranks: same verdict, same counts.

mod network;

use dampf_core::replay;
use dampf_dist::{Checkpoints, Order, Partition, RankProblem, RankSettings, Start, Waiting};
use dampf_net::simulation;
use dampf_search::checkpoint::{self, CheckpointProblem, MANIFEST};
use dampf_search::{Monitor, SearchOptions};
use dampf_store::TreeStore;
use dampf_testkit::graph::{Size, random_graph};
use dampf_testkit::pages::Pages;
use dampf_testkit::reference::reference;
use network::{simulated, try_simulated};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

fn checkpoints(folder: &Path, resume: bool) -> Option<Checkpoints> {
    Some(Checkpoints {
        folder: folder.to_owned(),
        every: Duration::ZERO,
        identity: "a graph".to_owned(),
        description: "for whoever resumes".to_owned(),
        start: if resume { Start::Resume } else { Start::New },
    })
}

#[test]
fn a_search_that_dies_is_resumed_on_any_number_of_ranks() {
    let mut resumptions = 0;
    for seed in 0..250u64 {
        let graph = random_graph(seed, Size { states: 700, fanout: 3, faults: [0, 5, 200][seed as usize % 3] });
        let pick = |choices: usize, salt: u64| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> salt) as usize % choices;
        let options = SearchOptions { keep_going: true, deterministic: pick(4, 9) == 0, ..SearchOptions::default() };
        let expected = reference(&graph, true);
        let order = [Order::Levels, Order::FirstCome, Order::DepthFirst, Order::BestFirst][pick(4, 17)];
        let order = if options.deterministic { Order::Levels } else { order };
        let raw = matches!(order, Order::Levels | Order::FirstCome);
        let mut settings = RankSettings {
            partition: [Partition::Full, Partition::Distance(2), Partition::DepthSlices(2)][pick(3, 23)].clone(),
            order,
            waiting: if raw { [Waiting::Hash, Waiting::None, Waiting::Store][pick(3, 29)] } else { Waiting::Hash },
            ..RankSettings::default()
        };
        if options.deterministic && settings.partition == Partition::DepthSlices(2) {
            settings.partition = Partition::Incremental;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut lives = 0;
        let summary = loop {
            let resume = folder.path().join(MANIFEST).exists();
            resumptions += u64::from(resume);
            settings.checkpoints = checkpoints(folder.path(), resume);
            let ranks = [1, 2, 3, 5][(pick(4, 41) + lives as usize) % 4];
            let mut network = simulation::SimulationSettings::varied(seed + lives);
            // Longer lives as time goes by, so that the search comes to its end.
            network.turns_max = 30 + 60 * lives + pick(200, 47) as u64;
            lives += 1;
            let (summary, outcome) = try_simulated(std::slice::from_ref(&graph), ranks, &options, &settings, &network);
            if let (Some(summary), simulation::Ending::Finished) = (summary, outcome.ending) {
                break summary;
            }
            assert!(lives < 200, "seed {seed}: {settings:?}");
        };
        let context = format!("seed {seed}, {lives} lives: {options:?} {settings:?}: {summary:?}, {expected:?}");
        assert_eq!(summary.statistics.states, expected.states, "{context}");
        assert_eq!(summary.statistics.transitions, expected.transitions, "{context}");
        assert!(summary.statistics.faults >= expected.faults.len() as u64, "{context}");
        let faults: BTreeSet<_> = summary.findings.iter().map(|finding| finding.fault.clone()).collect();
        assert_eq!(faults, expected.faults, "{context}");
        for finding in &summary.findings {
            replay(&graph, &finding.trail, true).expect("trails replay");
        }
        if let (true, Some((trail, fault))) = (options.deterministic, &expected.first) {
            assert_eq!((&summary.findings[0].trail, &summary.findings[0].fault), (trail, fault), "{context}");
        }
    }
    assert!(resumptions > 150, "only {resumptions} searches went on from a checkpoint");
}

#[test]
fn a_search_that_is_halted_during_a_checkpoint_leaves_nothing_out() {
    let mut resumed = 0;
    for seed in 0..300u64 {
        let graph = random_graph(seed, Size { states: 900, fanout: 4, faults: 0 });
        let expected = reference(&graph, false);
        let complete = SearchOptions { keep_going: true, deadlocks: false, ..SearchOptions::default() };
        let limited = SearchOptions { max_states: Some(expected.states / 2 + seed % 40), ..complete.clone() };
        let folder = tempfile::tempdir().unwrap();
        let mut settings = RankSettings {
            order: [Order::FirstCome, Order::DepthFirst, Order::Levels][seed as usize % 3],
            checkpoints: checkpoints(folder.path(), false),
            ..RankSettings::default()
        };
        let network = simulation::SimulationSettings::varied(seed);
        simulated(std::slice::from_ref(&graph), 3, &limited, &settings, &network);
        if !folder.path().join(MANIFEST).exists() {
            continue;
        }
        resumed += 1;
        settings.checkpoints = checkpoints(folder.path(), true);
        let (summary, _) = simulated(std::slice::from_ref(&graph), 2, &complete, &settings, &network);
        let counts = (summary.statistics.states, summary.statistics.transitions);
        assert_eq!(counts, (expected.states, expected.transitions), "seed {seed}: {settings:?}");
    }
    assert!(resumed > 30, "only {resumed} searches went on from a checkpoint");
}

#[test]
fn parts_of_states_are_in_the_checkpoint() {
    let options = SearchOptions::default();
    for order in [Order::Levels, Order::DepthFirst] {
        let mut settings = RankSettings { order, ..RankSettings::default() };
        // It dies as soon as there is a checkpoint.
        let dead = (1..).map(|tens| {
            let folder = tempfile::tempdir().unwrap();
            settings.checkpoints = checkpoints(folder.path(), false);
            let pages: Vec<Pages> = (0..2).map(|_| Pages::new(3, 8)).collect();
            let network =
                simulation::SimulationSettings { turns_max: 10 * tens, ..simulation::SimulationSettings::new(1) };
            let (summary, _) = try_simulated(&pages, 2, &options, &settings, &network);
            assert!(summary.is_none());
            folder
        });
        let folder = dead.into_iter().find(|folder| checkpoint::description(folder.path()).is_ok()).unwrap();
        settings.checkpoints = checkpoints(folder.path(), true);
        let pages: Vec<Pages> = (0..3).map(|_| Pages::new(3, 8)).collect();
        let (summary, _) = simulated(&pages, 3, &options, &settings, &simulation::SimulationSettings::new(1));
        assert_eq!(summary.statistics.states, pages[0].state_count());
    }
}

#[test]
fn folders_that_cannot_be_used_are_refused() {
    let graphs = (0..).map(|seed| random_graph(seed, Size { states: 3000, fanout: 6, faults: 0 }));
    let graph = graphs.into_iter().find(|graph| reference(graph, true).states > 1000).unwrap();
    let options = SearchOptions { keep_going: true, ..SearchOptions::default() };
    let folder = tempfile::tempdir().unwrap();
    let problem = |checkpoints: Option<Checkpoints>| {
        let settings = RankSettings { checkpoints, ..RankSettings::default() };
        let (store, monitor) = (TreeStore::new(1), Monitor::new());
        let node = dampf_dist::Node::new(0, 1, &graph, &store, (&options, &settings), &monitor);
        match node.err() {
            Some(RankProblem::Checkpoint(problem)) => Some(problem),
            None => None,
            other => panic!("{other:?}"),
        }
    };
    assert!(matches!(problem(checkpoints(folder.path(), true)), Some(CheckpointProblem::NoCheckpoint { .. })));
    let settings = RankSettings { checkpoints: checkpoints(folder.path(), false), ..RankSettings::default() };
    simulated(std::slice::from_ref(&graph), 2, &options, &settings, &simulation::SimulationSettings::new(1));
    assert_eq!(checkpoint::description(folder.path()).unwrap(), "for whoever resumes");
    assert!(matches!(problem(checkpoints(folder.path(), false)), Some(CheckpointProblem::HoldsCheckpoint { .. })));
    let mut other = checkpoints(folder.path(), true);
    other.as_mut().unwrap().identity = "another graph".to_owned();
    assert!(matches!(problem(other), Some(CheckpointProblem::OtherSearch { .. })));
    let manifest = folder.path().join(MANIFEST);
    let whole = std::fs::read(&manifest).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&manifest, &whole[..length]).unwrap();
        assert!(matches!(problem(checkpoints(folder.path(), true)), Some(CheckpointProblem::Damaged { .. })));
    }
    std::fs::write(&manifest, &whole).unwrap();
    assert!(problem(checkpoints(folder.path(), true)).is_none());
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "stored") {
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(&path, bytes).unwrap();
        }
    }
    assert!(matches!(problem(checkpoints(folder.path(), true)), Some(CheckpointProblem::Damaged { .. })));
}
