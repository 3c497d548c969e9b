//! The end of a search is noticed when it is there, and not before.

mod network;

use dampf_dist::{Distributable, Order, RankSettings, Termination};
use dampf_net::simulation;
use dampf_search::SearchOptions;
use dampf_testkit::graph::{Size, random_graph};
use dampf_testkit::reference::reference;
use network::simulated;

/// How many of the states a search on a network finds that is as unlike others as the seed makes it.
fn found<M: Distributable>(model: &M, seed: u64, termination: Termination) -> u64 {
    let options = SearchOptions { keep_going: true, deadlocks: false, ..SearchOptions::default() };
    let settings = RankSettings { order: Order::FirstCome, remembered: 16, termination, ..RankSettings::default() };
    let ranks = 2 + (seed % 4) as u32;
    let network = simulation::SimulationSettings::varied(seed);
    let (summary, _) = simulated(std::slice::from_ref(model), ranks, &options, &settings, &network);
    summary.statistics.states
}

#[test]
fn no_search_ends_early_in_ten_thousand_networks() {
    let mut seed = 0;
    for number in 0..100 {
        let graph = random_graph(number, Size { states: 30, fanout: 2, faults: 0 });
        let states = reference(&graph, false).states;
        for _ in 0..100 {
            assert_eq!(found(&graph, seed, Termination::Safra), states, "graph {number}, seed {seed}");
            seed += 1;
        }
    }
}

#[test]
fn ranks_that_only_report_to_be_idle_end_early() {
    let graph = random_graph(3, Size { states: 300, fanout: 3, faults: 0 });
    let states = reference(&graph, false).states;
    let early: Vec<u64> = (0..200).filter(|&seed| found(&graph, seed, Termination::IdleReports) < states).collect();
    // Messages that are under way are in nobody's report, so a slow message is enough.
    assert!(!early.is_empty(), "the algorithm of 2007 found all {states} states on every network");
    println!("the algorithm of 2007 ends early on {} of 200 networks, first with seed {}", early.len(), early[0]);
}
