//! Runs a search on a simulated network.

use dampf_core::Transfer;
use dampf_dist::{Node, Settings, Summary};
use dampf_net::{Rank, simulation};
use dampf_search::{Monitor, Options};
use dampf_store::TreeStore;

/// Searches on so many ranks, each with its own model, and returns what they agree on.
pub fn simulated<M: Transfer>(
    models: &[M],
    ranks: Rank,
    options: &Options,
    settings: &Settings,
    network: &simulation::Settings,
) -> (Summary, simulation::Outcome) {
    let model = |rank: Rank| &models[rank as usize % models.len()];
    let stores: Vec<TreeStore> = (0..ranks).map(|rank| TreeStore::new(model(rank).width())).collect();
    let monitors: Vec<Monitor> = (0..ranks).map(|_| Monitor::new()).collect();
    let mut nodes: Vec<Node<M>> = (0..ranks)
        .map(|rank| {
            let at = rank as usize;
            let note = move || vec![rank as u8];
            Node::new(rank, ranks, model(rank), &stores[at], (options, settings), &monitors[at], note)
                .expect("the sections exist")
        })
        .collect();
    let outcome = simulation::simulate(&mut nodes, network);
    assert_eq!(outcome.ending, simulation::Ending::Finished, "{settings:?} {options:?} {network:?}");
    let summary = nodes[0].summary().expect("the search has ended").clone();
    for node in &nodes {
        assert_eq!(node.summary().expect("the search has ended").encode(), summary.encode());
    }
    (summary, outcome)
}
