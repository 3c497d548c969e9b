//! Runs a search on a simulated network.

use dampf_core::{Acceptance, Fault, FaultKind, Word};
use dampf_dist::{Distributable, Node, RankSettings, SoughtCycles, Summary};
use dampf_net::{Rank, simulation};
use dampf_search::{Monitor, SearchOptions};
use dampf_store::TreeStore;

/// Searches on so many ranks, each with its own model, and returns what they agree on.
#[allow(dead_code, reason = "each test crate uses what it needs")]
pub fn simulated<M: Distributable>(
    models: &[M],
    ranks: Rank,
    options: &SearchOptions,
    settings: &RankSettings,
    network: &simulation::SimulationSettings,
) -> (Summary, simulation::Outcome) {
    let (summary, outcome) = try_simulated(models, ranks, options, settings, network);
    assert_eq!(outcome.ending, simulation::Ending::Finished, "{settings:?} {options:?} {network:?}");
    (summary.expect("the search has ended"), outcome)
}

/// The same, where the simulation may end before the search has.
#[allow(dead_code, reason = "each test crate uses what it needs")]
pub fn try_simulated<M: Distributable>(
    models: &[M],
    ranks: Rank,
    options: &SearchOptions,
    settings: &RankSettings,
    network: &simulation::SimulationSettings,
) -> (Option<Summary>, simulation::Outcome) {
    let model = |rank: Rank| &models[rank as usize % models.len()];
    let stores: Vec<TreeStore> = (0..ranks).map(|rank| TreeStore::new(model(rank).width())).collect();
    let monitors: Vec<Monitor> = (0..ranks).map(|_| Monitor::new()).collect();
    let mut nodes: Vec<Node<M, TreeStore>> = (0..ranks)
        .map(|rank| {
            let at = rank as usize;
            Node::new(rank, ranks, model(rank), &stores[at], (options, settings), &monitors[at])
                .unwrap_or_else(|problem| panic!("{problem}"))
        })
        .collect();
    let outcome = simulation::simulate(&mut nodes, network);
    let summary = nodes[0].summary().cloned();
    if outcome.ending == simulation::Ending::Finished && outcome.lost.is_none() {
        let known = |node: &Node<M, TreeStore>| node.summary().map(Summary::encode);
        assert!(nodes.iter().all(|node| known(node) == known(&nodes[0])));
    }
    (summary, outcome)
}

/// Looks for accepting cycles on so many ranks, each with its own model, and returns what they agree on.
#[allow(dead_code, reason = "each test crate uses what it needs")]
pub fn simulated_cycles<M: Distributable + Acceptance + Sync>(
    models: &[M],
    ranks: Rank,
    (options, settings): (&SearchOptions, &RankSettings),
    network: &simulation::SimulationSettings,
    monitors: &[Monitor],
) -> Summary {
    let (summary, outcome) = try_simulated_cycles(models, ranks, (options, settings), network, monitors);
    assert_eq!(outcome.ending, simulation::Ending::Finished, "{settings:?} {options:?} {network:?}");
    summary.expect("the search has ended")
}

/// The same, where the simulation may end before the search has.
#[allow(dead_code, reason = "each test crate uses what it needs")]
pub fn try_simulated_cycles<M: Distributable + Acceptance + Sync>(
    models: &[M],
    ranks: Rank,
    (options, settings): (&SearchOptions, &RankSettings),
    network: &simulation::SimulationSettings,
    monitors: &[Monitor],
) -> (Option<Summary>, simulation::Outcome) {
    try_simulated_runs(models, ranks, (options, settings), network, monitors, false)
}

/// The same for states from which no end can be reached.
#[allow(dead_code, reason = "each test crate uses what it needs")]
pub fn try_simulated_ends<M: Distributable + Acceptance + Sync>(
    models: &[M],
    ranks: Rank,
    (options, settings): (&SearchOptions, &RankSettings),
    network: &simulation::SimulationSettings,
    monitors: &[Monitor],
) -> (Option<Summary>, simulation::Outcome) {
    try_simulated_runs(models, ranks, (options, settings), network, monitors, true)
}

fn try_simulated_runs<M: Distributable + Acceptance + Sync>(
    models: &[M],
    ranks: Rank,
    (options, settings): (&SearchOptions, &RankSettings),
    network: &simulation::SimulationSettings,
    monitors: &[Monitor],
    of_ends: bool,
) -> (Option<Summary>, simulation::Outcome) {
    let fault = cycle_fault();
    let model = |rank: Rank| &models[rank as usize % models.len()];
    let is_accepting: Vec<_> =
        (0..ranks).map(|rank| move |state: &[Word]| of_ends || model(rank).is_accepting(state)).collect();
    let stores: Vec<TreeStore> = (0..ranks).map(|rank| TreeStore::new(model(rank).width())).collect();
    let mut nodes: Vec<Node<M, TreeStore>> = (0..ranks)
        .map(|rank| {
            let (store, monitor) = (&stores[rank as usize], &monitors[rank as usize]);
            let sought = SoughtCycles { is_accepting: &is_accepting[rank as usize], fault: &fault, of_ends };
            Node::with_cycles((rank, ranks), model(rank), store, (options, settings), monitor, sought)
                .unwrap_or_else(|problem| panic!("{problem}"))
        })
        .collect();
    let outcome = simulation::simulate(&mut nodes, network);
    if outcome.ending == simulation::Ending::Finished && outcome.lost.is_none() {
        let known = |node: &Node<M, TreeStore>| node.summary().map(Summary::encode);
        assert!(nodes.iter().all(|node| known(node) == known(&nodes[0])));
    }
    (nodes[0].summary().cloned(), outcome)
}

#[allow(dead_code, reason = "each test crate uses what it needs")]
pub fn cycle_fault() -> Fault {
    Fault { kind: FaultKind::Property, message: "an accepting cycle".to_owned(), location: None }
}
