//! Runs that a depth-first search finds become as short as those of a breadth-first search.

use dampf_core::{Finding, Verdict, replay};
use dampf_search::{Monitor, Order, SearchOptions, check, shortened, thinned};
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

#[test]
fn a_run_without_steps_that_it_does_not_need_replays() {
    let mut shorter = 0;
    for seed in 0..1_200 {
        let graph = random_graph(seed, Size { states: 80, fanout: 3, faults: 40 });
        let deep = SearchOptions { order: Order::DepthFirst, ..SearchOptions::default() };
        let Some(first) = found(&graph, &deep) else { continue };
        let Some(thinner) = thinned(&graph, &first, 10_000, &deep, &Monitor::new()) else { continue };
        assert!(thinner.trail.len() < first.trail.len(), "seed {seed}");
        assert_eq!(thinner.fault.kind, first.fault.kind, "seed {seed}");
        let replayed = replay(&graph, &thinner.trail, true).expect("a run of the graph");
        assert_eq!(replayed.fault.as_ref(), Some(&thinner.fault), "seed {seed}");
        assert_eq!(thinned(&graph, &first, 0, &deep, &Monitor::new()), None, "seed {seed}");
        shorter += 1;
    }
    assert!(shorter > 20, "{shorter} runs become shorter");
}
