//! Stack slicing where it differs from other searches: one worker, full queues, limits, workers that break.

use dampf_core::{Action, Model, Successors, Verdict, Word, Worker};
use dampf_search::{HandOff, Monitor, Order, Outcome, SearchOptions, StopReason, check, check_carrying};
use dampf_store::{ExactStore, HashCompactStore, TreeStore};
use dampf_testkit::graph::{Edge, Graph, Node, Size, random_graph};
use dampf_testkit::reference::reference;
use std::num::NonZeroU32;
use std::time::Duration;

fn slicing(depth: u32, threads: usize) -> SearchOptions {
    let hand_off = NonZeroU32::new(depth).map_or(HandOff::Auto, HandOff::Depth);
    SearchOptions { order: Order::StackSlicing(hand_off), threads, ..SearchOptions::default() }
}

fn on_tree<M: Model>(model: &M, options: &SearchOptions) -> Outcome {
    check(model, &TreeStore::new(model.width()), options, &Monitor::new())
}

#[test]
fn one_worker_is_a_depth_first_search() {
    for seed in 0..200 {
        let graph = random_graph(seed, Size { states: 60, fanout: 3, faults: 20 });
        let depth_first = SearchOptions { order: Order::DepthFirst, ..SearchOptions::default() };
        let expected = on_tree(&graph, &depth_first);
        for depth in [0, 1, 5] {
            let outcome = on_tree(&graph, &slicing(depth, 1));
            assert_eq!(outcome.verdict, expected.verdict, "seed {seed}, slices of {depth}");
            assert_eq!(outcome.statistics.depth, expected.statistics.depth, "seed {seed}, slices of {depth}");
        }
    }
}

/// A state with so many successors, each the first of a chain of three.
fn fan(chains: u32) -> Graph {
    let mut nodes = vec![Node { valid_end: true, ..Node::default() }; 1 + 3 * chains as usize];
    let edge = |label: u32, target: u32| Edge { label, target: Ok(target) };
    nodes[0].edges = (0..chains).map(|chain| edge(chain, 1 + 3 * chain)).collect();
    for chain in 0..chains {
        for link in 0..2 {
            let node = 1 + 3 * chain + link;
            nodes[node as usize].edges = vec![edge(0, node + 1)];
        }
    }
    Graph { initial: vec![0], nodes, width: 2, error: None }
}

#[test]
fn states_that_a_full_queue_refuses_are_explored_all_the_same() {
    // Many times what a queue has room for, handed over while a single state is expanded.
    let graph = fan(60_000);
    let expected = reference(&graph, true);
    for threads in [2, 3, 4] {
        for depth in [0, 1, 2, 3] {
            let options = slicing(depth, threads);
            let exact = check(&graph, &ExactStore::new(graph.width()), &options, &Monitor::new());
            let carrying = check_carrying(&graph, &HashCompactStore::new(64), &options, &Monitor::new());
            assert_eq!(exact.verdict, Verdict::Verified, "slices of {depth}, {threads} workers");
            for outcome in [exact, carrying, on_tree(&graph, &options)] {
                let counts = (outcome.statistics.states, outcome.statistics.transitions, outcome.statistics.depth);
                assert_eq!(counts, (expected.states, expected.transitions, 3), "slices of {depth}, {threads} workers");
                assert_eq!(outcome.statistics.frontier, 0);
            }
        }
    }
}

#[test]
fn a_search_that_is_stopped_says_how_many_states_it_left() {
    let graph = fan(60_000);
    for threads in [1, 2, 4] {
        let outcome = on_tree(&graph, &SearchOptions { max_states: Some(100), ..slicing(1, threads) });
        assert_eq!(outcome.stopped, Some(StopReason::StateLimit));
        // The first state was explored, and perhaps others while it was.
        let (states, left) = (outcome.statistics.states, outcome.statistics.frontier);
        assert!(
            0 < left && left < states && (threads > 1 || left + 1 == states),
            "{left} of {states}, {threads} workers"
        );
    }
}

/// Counts for ever, in two ways, and breaks at a number.
struct Endless {
    breaks_at: Word,
}

impl Model for Endless {
    type Worker<'m> = &'m Endless;

    fn width(&self) -> usize {
        2
    }

    fn worker(&self) -> &Endless {
        self
    }
}

impl Worker for &Endless {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        out.push(Action(0), &[0, 0]);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        assert!(state[0] != self.breaks_at, "broken as it should be");
        out.clear();
        out.push(Action(0), &[state[0].wrapping_add(1), state[1]]);
        out.push(Action(1), &[state[0], state[1].wrapping_add(1)]);
    }
}

#[test]
fn limits_end_workers_that_work_and_workers_that_wait() {
    for depth in [0, 1, 1000, u32::MAX] {
        for threads in [2, 4] {
            let limited = SearchOptions { max_time: Some(Duration::from_millis(100)), ..slicing(depth, threads) };
            let outcome = on_tree(&Endless { breaks_at: Word::MAX }, &limited);
            assert_eq!(outcome.stopped, Some(StopReason::TimeLimit));
            let limited = SearchOptions { max_depth: Some(40), ..slicing(depth, threads) };
            let outcome = on_tree(&Endless { breaks_at: Word::MAX }, &limited);
            let reason = "the depth limit of 40 left states unexplored".to_owned();
            assert_eq!(outcome.verdict, Verdict::Unknown(reason));
            // All ways to a state are equally long, so that the order makes no difference.
            assert_eq!((outcome.statistics.states, outcome.statistics.depth), (41 * 42 / 2, 40));
        }
    }
}

#[test]
fn a_worker_that_breaks_does_not_leave_the_others_waiting() {
    for depth in [0, 1, 7] {
        let searched = std::panic::catch_unwind(|| on_tree(&Endless { breaks_at: 300 }, &slicing(depth, 3)));
        assert!(searched.is_err(), "slices of {depth}");
    }
}

#[test]
fn all_hand_off_depths_explore_the_same_graph() {
    for seed in 0..4 {
        let graph = random_graph(seed, Size { states: 20_000, fanout: 4, faults: 0 });
        let expected = reference(&graph, false);
        for threads in [2, 3] {
            for depth in [0, 1, 2, 3, 5, 10, 20, 100, 1000, 100_000] {
                let options = SearchOptions { deadlocks: false, ..slicing(depth, threads) };
                let outcome = on_tree(&graph, &options);
                let counts = (outcome.statistics.states, outcome.statistics.transitions);
                assert_eq!(counts, (expected.states, expected.transitions), "seed {seed}, {depth}, {threads} workers");
                assert_eq!(outcome.verdict, Verdict::Verified);
            }
        }
    }
}
