//! Every search for cycles against a reference, on random graphs with accepting nodes.

use dampf_core::{Fault, FaultKind, Model, Verdict};
use dampf_ltl::{
    CycleAlgorithm, CycleSearch, FairCopies, check_cycles, check_ends, check_nested, confirmed, shortened,
};
use dampf_search::{Monitor, SearchOptions};
use dampf_store::{ColouredTree, ExactStore};
use dampf_testkit::buchi::{BuchiGraph, random_buchi_graph};
use dampf_testkit::graph::Size;

fn search(algorithm: CycleAlgorithm, is_fair: bool, threads: usize) -> CycleSearch {
    let options = SearchOptions { threads, deadlocks: false, ..SearchOptions::default() };
    let fault = Fault { kind: FaultKind::Property, message: "a cycle".to_owned(), location: None };
    CycleSearch { algorithm, is_fair, fault, options }
}

/// Whether a search finds a cycle. What it finds was replayed.
fn finds(graph: &BuchiGraph, search: &CycleSearch) -> bool {
    let store = ExactStore::new(graph.graph.width);
    let outcome = check_cycles(graph, &store, search, &Monitor::new());
    if search.algorithm == CycleAlgorithm::Ndfs && !search.is_fair {
        let coloured = ColouredTree::coloured(graph.graph.width);
        let again = check_nested(graph, &coloured, search, &Monitor::new());
        assert_eq!(again.findings, outcome.findings, "what is found does not depend on the store");
        assert_eq!(again.statistics.states, outcome.statistics.states);
    }
    match outcome.verdict {
        Verdict::Violated(finding) => {
            assert!(!finding.trail.cycle.is_empty(), "a finding is a lasso");
            let shorter = shortened(graph, &finding, search.is_fair, 1_000);
            assert!(shorter.trail.len() <= finding.trail.len());
            confirmed(graph, &shorter, true, search.is_fair, &search.options).expect("a shorter lasso replays, too");
            true
        }
        Verdict::Verified => false,
        Verdict::Unknown(reason) => panic!("{reason}"),
    }
}

/// Graphs of all shapes: thin and dense, with few and with many accepting nodes.
fn graphs(count: u64) -> impl Iterator<Item = (u64, BuchiGraph)> {
    (0..count).map(|seed| {
        let states = if seed % 2 == 0 { 4 + seed % 37 } else { 3 + seed % 9 };
        let size = Size { states, fanout: 1 + seed % 3, faults: 0 };
        (seed, random_buchi_graph(seed, size, 2 + seed % 7))
    })
}

#[test]
fn every_search_finds_accepting_cycles() {
    let (mut with, mut without) = (0, 0);
    for (seed, graph) in graphs(1500) {
        let expected = graph.has_accepting_cycle();
        *if expected { &mut with } else { &mut without } += 1;
        for algorithm in CycleAlgorithm::ALL {
            for threads in [1, 3] {
                let found = finds(&graph, &search(algorithm, false, threads));
                assert_eq!(found, expected, "seed {seed}, {}, {threads} threads", algorithm.name());
            }
        }
    }
    assert!(with > 300 && without > 300, "{with} graphs with a cycle, {without} without");
}

#[test]
fn fair_cycles_are_found_and_no_others() {
    let (mut with, mut only_unfair) = (0, 0);
    for (seed, graph) in graphs(8000) {
        let expected = graph.has_fair_cycle();
        with += u64::from(expected);
        only_unfair += u64::from(!expected && graph.has_accepting_cycle());
        let found = finds(&graph, &search(CycleAlgorithm::Components, true, 1));
        assert_eq!(found, expected, "seed {seed}");
    }
    assert!(with > 200 && only_unfair > 80, "{with} graphs with a fair cycle, {only_unfair} with unfair ones only");
}

/// A search that knows nothing of fairness finds fair cycles among copies of states, and a run of copies is one of the
/// model.
#[test]
fn fair_cycles_are_cycles_of_copies() {
    let mut with = 0;
    for (seed, graph) in graphs(4000) {
        let expected = graph.has_fair_cycle();
        with += u64::from(expected);
        let copies = FairCopies::new(&graph);
        let plain = search(CycleAlgorithm::Ndfs, false, 1);
        let outcome = check_cycles(&copies, &ExactStore::new(copies.width()), &plain, &Monitor::new());
        match outcome.verdict {
            Verdict::Violated(finding) => {
                assert!(expected, "seed {seed}");
                confirmed(&graph, &finding, true, true, &plain.options).expect("it is a fair run of the model");
            }
            Verdict::Verified => assert!(!expected, "seed {seed}"),
            Verdict::Unknown(reason) => panic!("{reason}"),
        }
        let states = dampf_search::check(&graph, &ExactStore::new(graph.graph.width), &plain.options, &Monitor::new());
        let most = states.statistics.states * (graph.movers as u64 + 2);
        assert!(outcome.statistics.states <= most, "seed {seed}: {:?}", outcome.statistics);
    }
    assert!(with > 100, "{with} graphs with a fair cycle");
}

/// Faults are found as by every other search, and their trails replay.
#[test]
fn faults_are_found_on_the_way() {
    let mut faulty = 0;
    for seed in 0..600 {
        let size = Size { states: 5 + seed % 40, fanout: 1 + seed % 3, faults: 12 };
        // Without accepting nodes there is nothing but faults to find.
        let mut graph = random_buchi_graph(seed, size, 2);
        graph.accepting.fill(false);
        let expected = {
            let store = ExactStore::new(graph.graph.width);
            let options = SearchOptions { deadlocks: false, ..SearchOptions::default() };
            let outcome = dampf_search::check(&graph, &store, &options, &Monitor::new());
            matches!(outcome.verdict, Verdict::Violated(_))
        };
        faulty += u64::from(expected);
        for algorithm in CycleAlgorithm::ALL {
            let store = ExactStore::new(graph.graph.width);
            let outcome = check_cycles(&graph, &store, &search(algorithm, false, 2), &Monitor::new());
            let found = matches!(outcome.verdict, Verdict::Violated(_));
            assert_eq!(found, expected, "seed {seed}, {}", algorithm.name());
        }
    }
    assert!(faulty > 100, "only {faulty} graphs have faults");
}

/// A search that visits everything counts as many states and steps as any other.
#[test]
fn counts_are_those_of_other_searches() {
    for (seed, graph) in graphs(300).filter(|(_, graph)| !graph.has_accepting_cycle()) {
        let options = SearchOptions { deadlocks: false, ..SearchOptions::default() };
        let store = ExactStore::new(graph.graph.width);
        let expected = dampf_search::check(&graph, &store, &options, &Monitor::new()).statistics;
        for algorithm in CycleAlgorithm::ALL {
            let store = ExactStore::new(graph.graph.width);
            let found = check_cycles(&graph, &store, &search(algorithm, false, 2), &Monitor::new()).statistics;
            assert_eq!(
                (found.states, found.transitions),
                (expected.states, expected.transitions),
                "seed {seed}, {}",
                algorithm.name()
            );
        }
    }
}

#[test]
fn states_without_a_way_to_an_end_are_found() {
    let (mut with, mut without) = (0, 0);
    for (seed, graph) in graphs(4000) {
        let expected = graph.has_livelock();
        *if expected { &mut with } else { &mut without } += 1;
        let options = SearchOptions { deadlocks: false, ..SearchOptions::default() };
        let outcome = check_ends(&graph, &ExactStore::new(graph.graph.width), &options, &Monitor::new());
        let found = matches!(outcome.verdict, Verdict::Violated(_));
        assert_eq!(found, expected, "seed {seed}: {:?}", outcome.verdict);
    }
    assert!(with > 50 && without > 100, "{with} graphs with such states, {without} without");
}
