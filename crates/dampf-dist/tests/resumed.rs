//! Searches that die at any moment and are resumed, on any number of ranks: same verdict, same counts.

mod network;

use dampf_core::{Acceptance, replay};
use dampf_dist::{Checkpoints, CycleMethod, Order, Partition, RankProblem, RankSettings, Start, Waiting};
use dampf_net::simulation;
use dampf_search::checkpoint::{self, CheckpointProblem, MANIFEST};
use dampf_search::{Monitor, SearchOptions};
use dampf_store::TreeStore;
use dampf_testkit::buchi::random_buchi_graph;
use dampf_testkit::graph::{Edge, Size, random_graph};
use dampf_testkit::pages::Pages;
use dampf_testkit::reference::reference;
use network::{cycle_fault, simulated, simulated_cycles, try_simulated, try_simulated_cycles};
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

/// Searches for cycles die while states are explored, and while states are dropped: same verdict, same counts where
/// there is no cycle, and in a predictable search the same run.
#[test]
fn a_search_for_cycles_that_dies_is_resumed_on_any_number_of_ranks() {
    let (mut while_exploring, mut while_dropping, mut with, mut without) = (0, 0, 0, 0);
    for seed in 0..300u64 {
        let pick = |choices: usize, salt: u64| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> salt) as usize % choices;
        let size = Size { states: [150, 500][pick(2, 11)], fanout: [1, 2][pick(2, 13)], faults: 0 };
        let mut graph = random_buchi_graph(seed, size, [3, 40, 200][pick(3, 15)]);
        if pick(2, 19) == 0 {
            // A long way with accepting nodes now and then, in which OWCTY has much to drop, and no cycle but one that
            // some graphs have at the end.
            let last = graph.graph.nodes.len() as u32 - 1;
            graph.graph.initial = vec![0];
            for (number, node) in (0u32..).zip(&mut graph.graph.nodes) {
                let edge = |label: u32, ahead: u32| Edge { label, target: Ok((number + ahead).min(last)) };
                let skip = (1 + number.wrapping_mul(0x9e37_79b9)) >> 29;
                node.edges = if number < last { vec![edge(1, 1), edge(2, skip)] } else { Vec::new() };
            }
            if pick(2, 21) == 0 {
                graph.graph.nodes[last as usize].edges.push(Edge { label: 1, target: Ok(last - last / 8) });
            }
        }
        let options = SearchOptions { deterministic: pick(3, 9) == 0, deadlocks: false, ..SearchOptions::default() };
        let orders = [Order::Levels, Order::FirstCome, Order::DepthFirst, Order::BestFirst];
        let mut settings = RankSettings {
            partition: [Partition::Full, Partition::Distance(2), Partition::Incremental][pick(3, 23)].clone(),
            order: if options.deterministic { Order::Levels } else { orders[pick(4, 17)] },
            cycles: if options.deterministic || pick(4, 27) > 0 {
                CycleMethod::Owcty
            } else {
                CycleMethod::NaiveNested
            },
            ..RankSettings::default()
        };
        let monitors: Vec<Monitor> = (0..5).map(|_| Monitor::new()).collect();
        let undisturbed = simulated_cycles(
            std::slice::from_ref(&graph),
            2,
            (&options, &settings),
            &simulation::SimulationSettings::new(seed),
            &monitors,
        );
        let folder = tempfile::tempdir().unwrap();
        let mut lives = 0;
        let summary = loop {
            let manifest = std::fs::read_to_string(folder.path().join(MANIFEST));
            match &manifest {
                Ok(text) if text.contains("\"drops\"") => while_dropping += 1,
                Ok(_) => while_exploring += 1,
                Err(_) => {}
            }
            settings.checkpoints = checkpoints(folder.path(), manifest.is_ok());
            let ranks = [1, 2, 3, 5][(pick(4, 41) + lives as usize) % 4];
            let mut network = simulation::SimulationSettings::varied(seed + lives);
            network.turns_max = 30 + 40 * lives + pick(200, 47) as u64;
            lives += 1;
            let graphs = std::slice::from_ref(&graph);
            let (summary, outcome) = try_simulated_cycles(graphs, ranks, (&options, &settings), &network, &monitors);
            if let (Some(summary), simulation::Ending::Finished) = (summary, outcome.ending) {
                break summary;
            }
            assert!(lives < 300, "seed {seed}: {settings:?}");
        };
        let context = format!("seed {seed}, {lives} lives: {options:?} {settings:?}: {summary:?}");
        let expected = graph.has_accepting_cycle();
        assert_eq!(!summary.findings.is_empty(), expected, "{context}");
        *if expected { &mut with } else { &mut without } += 1;
        if !expected {
            let counts = |summary: &dampf_dist::Summary| (summary.statistics.states, summary.statistics.transitions);
            assert_eq!(counts(&summary), counts(&undisturbed), "{context}");
        }
        for finding in &summary.findings {
            assert_eq!(finding.fault, cycle_fault(), "{context}");
            let states = replay(&graph, &finding.trail, false).expect("trails replay").states;
            let cycle = &states[finding.trail.stem.len()..];
            assert!(cycle.iter().any(|state| graph.is_accepting(state)), "{context}");
        }
        if options.deterministic {
            assert_eq!(summary.findings, undisturbed.findings, "{context}");
        }
    }
    assert!(while_exploring > 100 && while_dropping > 50, "{while_exploring}, {while_dropping}");
    assert!(with > 50 && without > 50, "{with} graphs with a cycle, {without} without");
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
