//! Every search, store and number of threads against the naive reference, on random graphs.

use dampf_core::{FaultKind, FaultSelection, IgnoredFaults, Model, Verdict, replay_selected};
use dampf_search::{
    HandOff, Monitor, Order, Outcome, SearchOptions, StopReason, check, check_carrying, check_in_order, check_in_runs,
};
use dampf_store::{BitstateStore, ExactStore, Filter, HashCompactStore, ReconstructingStore, TreeStore};
use dampf_testkit::graph::{Edge, Graph, Size, random_graph};
use dampf_testkit::pages::Pages;
use dampf_testkit::reference::{Expected, reference, reference_selected};
use std::collections::BTreeSet;
use std::fmt;
use std::num::NonZeroU32;

#[derive(Clone, Copy, Debug)]
enum StoreKind {
    Exact,
    Tree,
    /// Of so many bits.
    HashCompact(u32),
    /// Of so many bytes: far more than is needed, or far less.
    Bitstate(u64),
    /// With key states so many steps apart.
    Reconstruct(u32),
}

impl StoreKind {
    /// The verdict on a model of which nothing is wrong and nothing was left out.
    fn is_green(self, verdict: &Verdict) -> bool {
        match (self, verdict) {
            (StoreKind::HashCompact(bits), Verdict::Unknown(reason)) => {
                reason.contains(&format!("{bits} bits of a hash"))
            }
            (StoreKind::Bitstate(_), Verdict::Unknown(reason)) => reason.contains("bits in a filter of"),
            (StoreKind::HashCompact(_) | StoreKind::Bitstate(_), _) => false,
            (_, verdict) => *verdict == Verdict::Verified,
        }
    }

    /// Whether a predictable search has what it asks for.
    fn is_predictable(self) -> bool {
        matches!(self, StoreKind::Exact | StoreKind::Tree)
    }
}

#[derive(Clone, Debug)]
struct Engine {
    store: StoreKind,
    options: SearchOptions,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SearchOptions { order, threads, deterministic, keep_going, .. } = &self.options;
        write!(f, "{:?} {order:?} threads={threads} deterministic={deterministic} keep_going={keep_going}", self.store)
    }
}

impl Engine {
    fn run<M: Model>(&self, model: &M) -> Outcome {
        let monitor = Monitor::new();
        match self.store {
            StoreKind::Exact => check(model, &ExactStore::new(model.width()), &self.options, &monitor),
            StoreKind::Tree => check(model, &TreeStore::new(model.width()), &self.options, &monitor),
            StoreKind::HashCompact(bits) => {
                check_carrying(model, &HashCompactStore::new(bits), &self.options, &monitor)
            }
            StoreKind::Bitstate(bytes) => {
                let store = BitstateStore::new(Filter::new(bytes, 8), 0).expect("there is room");
                check_carrying(model, &store, &self.options, &monitor)
            }
            StoreKind::Reconstruct(steps) => {
                let store = ReconstructingStore::new(model, NonZeroU32::new(steps).expect("not zero"));
                check_in_order(model, &store, &self.options, &monitor)
            }
        }
    }
}

/// Every order, and whether it is predictable. Slices of all sizes from one step to more than small graphs have.
fn orders() -> Vec<(Order, bool)> {
    let slices = [1, 4].map(|depth| HandOff::Depth(NonZeroU32::new(depth).expect("not zero")));
    let slicing = slices.into_iter().chain([HandOff::Auto]).map(|hand_off| (Order::StackSlicing(hand_off), false));
    let others = [(Order::BreadthFirst, false), (Order::DepthFirst, false), (Order::BreadthFirst, true)];
    others.into_iter().chain(slicing).collect()
}

/// Every search with every store that loses no state of a small graph.
fn matrix(deadlocks: bool) -> Vec<Engine> {
    use StoreKind::{Bitstate, Exact, HashCompact, Reconstruct, Tree};
    engines(&[Exact, Tree, HashCompact(64), Bitstate(1 << 14), Reconstruct(3)], deadlocks)
}

fn engines(stores: &[StoreKind], deadlocks: bool) -> Vec<Engine> {
    let mut engines = Vec::new();
    for &store in stores {
        for threads in [1, 2, 4] {
            for keep_going in [false, true] {
                for (order, deterministic) in orders() {
                    if deterministic && !store.is_predictable() {
                        continue;
                    }
                    let options = SearchOptions {
                        order,
                        threads,
                        deterministic,
                        keep_going,
                        deadlocks,
                        ..SearchOptions::default()
                    };
                    engines.push(Engine { store, options });
                }
            }
        }
    }
    engines
}

fn compare<M: Model>(model: &M, expected: &Expected, engine: &Engine, context: &str) {
    let outcome = engine.run(model);
    let context = format!("{context}, {engine}: {outcome:?}, expected {expected:?}");
    let complete = engine.options.keep_going || expected.faults.is_empty();
    if complete {
        let Outcome { statistics, .. } = outcome;
        assert_eq!(statistics.states, expected.states, "{context}");
        assert_eq!(statistics.transitions, expected.transitions, "{context}");
        if engine.options.order == Order::BreadthFirst {
            assert_eq!(statistics.depth, expected.depth, "{context}");
        }
        let faults: BTreeSet<_> = outcome.findings.iter().map(|finding| finding.fault.clone()).collect();
        assert_eq!(faults, expected.faults, "{context}");
    }
    match (&outcome.verdict, &expected.first) {
        (verdict, None) if engine.store.is_green(verdict) => {}
        (Verdict::Violated(finding), Some((trail, fault))) => {
            assert!(expected.faults.contains(&finding.fault), "{context}");
            let SearchOptions { deadlocks, faults, .. } = &engine.options;
            let replayed = replay_selected(model, &finding.trail, *deadlocks, faults).expect("trails replay");
            assert!([replayed.fault, replayed.fault_beyond].contains(&Some(finding.fault.clone())), "{context}");
            if engine.options.order == Order::BreadthFirst && !engine.options.keep_going {
                // A faulty step of one level and a faulty state of the next are equally near.
                let slack = usize::from(!engine.options.deterministic);
                assert!(finding.trail.stem.len() <= trail.stem.len() + slack, "{context}");
            }
            if engine.options.deterministic {
                assert_eq!((&finding.trail, &finding.fault), (trail, fault), "{context}");
            }
        }
        _ => panic!("{context}"),
    }
}

#[test]
fn engines_agree_with_the_reference_on_random_graphs() {
    for seed in 0..500 {
        let faults = [0, 7, 40][seed as usize % 3];
        let graph = random_graph(seed, Size { states: 40, fanout: 3, faults });
        for deadlocks in [true, false] {
            let expected = reference(&graph, deadlocks);
            for engine in matrix(deadlocks) {
                compare(&graph, &expected, &engine, &format!("seed {seed}"));
            }
        }
    }
}

#[test]
fn faults_that_do_not_count_are_as_if_they_were_not_there() {
    for seed in 0..200 {
        let graph = random_graph(seed, Size { states: 40, fanout: 3, faults: [3, 7, 40][seed as usize % 3] });
        for kind in [FaultKind::Assertion, FaultKind::DivisionByZero] {
            let ignoring = FaultSelection::new(None, vec![IgnoredFaults { kinds: vec![kind], place: None }]);
            for selection in [FaultSelection::new(Some(vec![kind]), Vec::new()), ignoring] {
                let expected = reference_selected(&graph, true, &selection);
                for mut engine in matrix(true) {
                    engine.options.faults = selection.clone();
                    compare(&graph, &expected, &engine, &format!("seed {seed}, {selection:?}"));
                }
            }
        }
    }
}

#[test]
fn a_step_behind_which_nobody_looked_is_what_a_verdict_rests_on() {
    let leading_nowhere = |graph: &Graph| {
        let is_faulty = |edge: &Edge| edge.target.is_err();
        graph.error.is_none() && graph.nodes.iter().any(|node| node.edges.iter().any(is_faulty))
    };
    let graphs = (0..200).map(|seed| random_graph(seed, Size { states: 8, fanout: 3, faults: 9 }));
    let selection = FaultSelection::new(Some(Vec::new()), Vec::new());
    let mut rested = 0;
    for graph in graphs.filter(leading_nowhere) {
        let options = SearchOptions { deadlocks: false, faults: selection.clone(), ..SearchOptions::default() };
        let outcome = check(&graph, &TreeStore::new(graph.width()), &options, &Monitor::new());
        assert_eq!(outcome.verdict, Verdict::Verified);
        let is_met = reference(&graph, false).faults.iter().any(|fault| fault.kind == FaultKind::DivisionByZero);
        let premises = outcome.judgement.premises;
        assert_eq!(premises.iter().any(|premise| premise.contains("after an ignored division-by-zero")), is_met);
        rested += usize::from(is_met);
    }
    assert!(rested > 10, "{rested}");
}

#[test]
fn initial_states_that_are_repeated_keep_their_numbers() {
    for seed in 0..60 {
        let mut graph = random_graph(seed, Size { states: 40, fanout: 3, faults: 12 });
        let first = graph.initial[0];
        let others = (0..graph.nodes.len() as u32).filter(|node| *node != first).take(2);
        graph.initial = [first, first].into_iter().chain(others).collect();
        let expected = reference(&graph, true);
        matrix(true).iter().for_each(|engine| compare(&graph, &expected, engine, &format!("seed {seed}")));
    }
}

#[test]
fn engines_agree_on_graphs_that_make_tables_grow() {
    use StoreKind::{Bitstate, Exact, HashCompact, Reconstruct, Tree};
    let stores = [Exact, Tree, HashCompact(64), Bitstate(1 << 24), Reconstruct(8)];
    for seed in 0..2 {
        let graph = random_graph(seed, Size { states: 300_000, fanout: 6, faults: [0, 50_000][seed as usize] });
        let expected = reference(&graph, false);
        for engine in engines(&stores, false) {
            compare(&graph, &expected, &engine, &format!("seed {seed}"));
        }
    }
}

/// What a store that loses states may say: nothing that is not so, and nothing about what it has not seen.
#[test]
fn stores_that_lose_states_find_real_faults_and_verify_nothing() {
    let (mut missed, mut found) = (0, 0);
    for seed in 0..200 {
        let graph = random_graph(seed, Size { states: 150, fanout: 3, faults: [0, 20][seed as usize % 2] });
        let expected = reference(&graph, false);
        for engine in engines(&[StoreKind::HashCompact(24), StoreKind::Bitstate(64)], false) {
            let outcome = engine.run(&graph);
            let context = format!("seed {seed}, {engine}: {outcome:?}");
            assert!(outcome.statistics.states <= expected.states, "{context}");
            assert!(outcome.statistics.transitions <= expected.transitions, "{context}");
            missed += usize::from(outcome.statistics.states < expected.states && expected.faults.is_empty());
            found += outcome.findings.len();
            for finding in &outcome.findings {
                let replayed = replay_selected(&graph, &finding.trail, false, &engine.options.faults);
                let replayed = replayed.expect("trails replay");
                assert!([replayed.fault, replayed.fault_beyond].contains(&Some(finding.fault.clone())), "{context}");
                assert!(expected.faults.contains(&finding.fault), "{context}");
            }
            match &outcome.verdict {
                Verdict::Violated(finding) => assert_eq!(Some(&**finding), outcome.findings.first(), "{context}"),
                verdict => assert!(outcome.findings.is_empty() && engine.store.is_green(verdict), "{context}"),
            }
        }
    }
    assert!(missed > 300 && found > 1000, "{missed} {found}");
}

#[test]
fn states_with_components_are_explored_like_others() {
    let pages = Pages::new(3, 12);
    for engine in matrix(true) {
        let outcome = engine.run(&pages);
        assert!(engine.store.is_green(&outcome.verdict), "{engine}: {:?}", outcome.verdict);
        assert_eq!(outcome.statistics.states, pages.state_count(), "{engine}");
    }
}

#[test]
fn limits_end_in_unknown() {
    let pages = Pages::new(3, 12);
    for engine in matrix(true) {
        let limited = |change: fn(&mut SearchOptions)| {
            let mut engine = engine.clone();
            change(&mut engine.options);
            engine.run(&pages).verdict
        };
        let reason = |verdict: Verdict| match verdict {
            Verdict::Unknown(reason) => reason,
            other => panic!("{engine}: {other:?}"),
        };
        assert!(reason(limited(|options| options.max_depth = Some(5))).contains("depth limit of 5"));
        assert!(reason(limited(|options| options.max_states = Some(100))).contains("limit of 100 states"));
        assert!(engine.store.is_green(&limited(|options| options.max_depth = Some(1000))), "{engine}");
    }
}

#[test]
fn a_search_that_is_asked_to_stop_says_so() {
    let pages = Pages::new(3, 12);
    let monitor = Monitor::new();
    monitor.stop(StopReason::Interrupted);
    let outcome = check(&pages, &TreeStore::new(pages.width()), &SearchOptions::default(), &monitor);
    assert_eq!(outcome.verdict, Verdict::Unknown("the search was interrupted".to_owned()));
}

#[test]
fn runs_with_different_hash_functions_find_more_faults_and_verify_nothing() {
    let (mut once, mut often) = (0, 0);
    for seed in 0..200 {
        let graph = random_graph(seed, Size { states: 300, fanout: 3, faults: 30 });
        let expected = reference(&graph, false);
        let options = SearchOptions { deadlocks: false, keep_going: true, ..SearchOptions::default() };
        let run = |runs: u32| {
            let outcome = check_in_runs(&graph, Filter::new(64, 2), runs, &options, &Monitor::new());
            let outcome = outcome.expect("there is room");
            assert!(outcome.statistics.states <= expected.states, "seed {seed}");
            assert!(outcome.findings.iter().all(|finding| expected.faults.contains(&finding.fault)), "seed {seed}");
            match &outcome.verdict {
                Verdict::Violated(_) => assert!(!outcome.findings.is_empty(), "seed {seed}"),
                verdict => assert!(StoreKind::Bitstate(64).is_green(verdict), "seed {seed}: {verdict:?}"),
            }
            outcome.findings.len()
        };
        (once, often) = (once + run(1), often + run(5));
    }
    assert!(once < often, "{once} {often}");
}
