//! Runs that a depth-first search finds become as short as those of a breadth-first search.

use dampf_core::{Finding, Verdict, replay};
use dampf_search::{Monitor, Order, SearchOptions, check, shortened};
use dampf_store::TreeStore;
use dampf_testkit::graph::{Graph, Size, random_graph};

fn found(graph: &Graph, options: &SearchOptions) -> Option<Finding> {
    let outcome = check(graph, &TreeStore::new(dampf_core::Model::width(graph)), options, &Monitor::new());
    match outcome.verdict {
        Verdict::Violated(finding) => Some(*finding),
        _ => None,
    }
}

#[test]
fn what_comes_out_is_a_shortest_run_and_replays() {
    let (mut violated, mut shorter) = (0, 0);
    for seed in 0..400 {
        let graph = random_graph(seed, Size { states: 80, fanout: 3, faults: 40 });
        let deep = SearchOptions { order: Order::DepthFirst, ..SearchOptions::default() };
        let Some(first) = found(&graph, &deep) else { continue };
        let predictable = SearchOptions { deterministic: true, ..SearchOptions::default() };
        let shortest = found(&graph, &predictable).expect("a search finds what another finds");
        violated += 1;
        match shortened(&graph, &first, &deep, &Monitor::new()) {
            Some(finding) => {
                assert!(finding.trail.len() < first.trail.len(), "seed {seed}");
                assert_eq!(finding, shortest, "seed {seed}");
                let replayed = replay(&graph, &finding.trail, true).expect("a run of the graph");
                assert_eq!(replayed.fault.as_ref(), Some(&finding.fault), "seed {seed}");
                shorter += 1;
            }
            None => assert_eq!(first.trail.len(), shortest.trail.len(), "seed {seed}"),
        }
    }
    println!("{shorter} of {violated} runs become shorter");
    assert!(violated > 100 && shorter > 50, "{shorter} of {violated} runs become shorter");
}
