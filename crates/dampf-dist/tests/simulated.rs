//! Every way of sharing the work against the naive reference, on simulated networks.

mod network;

use dampf_core::{FaultKind, FaultSelection, Model, Transfer, Verdict, replay_selected};
use dampf_dist::{ForeignStates, Library, LocalSearch, Order, OwnStates, Partition, RankSettings, Summary, Waiting};
use dampf_net::simulation;
use dampf_search::{SearchOptions, judge};
use dampf_store::Exactness;
use dampf_testkit::graph::{Size, random_graph};
use dampf_testkit::pages::Pages;
use dampf_testkit::reference::{Expected, reference, reference_selected};
use network::simulated;
use std::collections::BTreeSet;

fn partitions() -> Vec<Partition> {
    vec![
        Partition::Full,
        Partition::Incremental,
        Partition::DepthSlices(1),
        Partition::DepthSlices(3),
        Partition::Estimate,
        Partition::Distance(1),
        Partition::Distance(4),
    ]
}

const WAITING: [Waiting; 7] = [
    Waiting::Hash,
    Waiting::None,
    Waiting::Store,
    Waiting::Limit { states: 3, extended: false, store: false },
    Waiting::Limit { states: 3, extended: true, store: false },
    Waiting::Limit { states: 3, extended: false, store: true },
    Waiting::Limit { states: 3, extended: true, store: true },
];

const ORDERS: [Order; 4] = [Order::Levels, Order::FirstCome, Order::DepthFirst, Order::BestFirst];

fn compare<M: Model>(
    model: &M,
    expected: &Expected,
    (options, settings): (&SearchOptions, &RankSettings),
    summary: &Summary,
    context: &str,
) {
    let context = format!("{context}: {options:?} {settings:?}: {summary:?}, expected {expected:?}");
    let complete = options.keep_going || expected.faults.is_empty();
    let levels = settings.order == Order::Levels || options.deterministic;
    if complete {
        let statistics = &summary.statistics;
        assert_eq!(statistics.states, expected.states, "{context}");
        assert_eq!(statistics.transitions, expected.transitions, "{context}");
        if levels && !matches!(settings.partition, Partition::DepthSlices(_)) {
            assert_eq!(statistics.depth, expected.depth, "{context}");
        }
        let faults: BTreeSet<_> = summary.findings.iter().map(|finding| finding.fault.clone()).collect();
        assert_eq!(faults, expected.faults, "{context}");
    }
    let verdict = {
        let certainty = (Exactness::Exact, summary.statistics.states);
        judge(&summary.findings, &summary.judgement, summary.stopped, certainty, options)
    };
    match (&verdict, &expected.first) {
        (Verdict::Verified, None) => {}
        (Verdict::Violated(finding), Some((trail, fault))) => {
            assert!(expected.faults.contains(&finding.fault), "{context}");
            let replayed =
                replay_selected(model, &finding.trail, options.deadlocks, &options.faults).expect("trails replay");
            assert!([replayed.fault, replayed.fault_beyond].contains(&Some(finding.fault.clone())), "{context}");
            if levels && !options.keep_going && !matches!(settings.partition, Partition::DepthSlices(_)) {
                let slack = usize::from(!options.deterministic);
                assert!(finding.trail.stem.len() <= trail.stem.len() + slack, "{context}");
            }
            if options.deterministic {
                assert_eq!((&finding.trail, &finding.fault), (trail, fault), "{context}");
            }
        }
        _ => panic!("{context}"),
    }
}

#[test]
fn ranks_agree_with_the_reference_on_random_graphs() {
    let partitions = partitions();
    for seed in 0..3000u64 {
        let faults = [0, 7, 40][seed as usize % 3];
        let graph = random_graph(seed, Size { states: 60, fanout: 3, faults });
        let pick = |choices: usize, salt: u64| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> salt) as usize % choices;
        let only = [None, None, Some(FaultKind::Assertion), Some(FaultKind::DivisionByZero)][pick(4, 43)];
        let options = SearchOptions {
            keep_going: pick(2, 11) == 0,
            deadlocks: pick(2, 13) == 0,
            faults: FaultSelection::new(only.map(|kind| vec![kind]), Vec::new()),
            ..SearchOptions::default()
        };
        let expected = reference_selected(&graph, options.deadlocks, &options.faults);
        let order = ORDERS[pick(4, 17)];
        let settings = RankSettings {
            partition: partitions[pick(partitions.len(), 23)].clone(),
            order,
            waiting: if matches!(order, Order::Levels | Order::FirstCome) {
                WAITING[pick(7, 29)]
            } else {
                Waiting::Hash
            },
            remembered: [0, 1, 16, 1 << 12][pick(4, 37)],
            ..RankSettings::default()
        };
        let ranks = [1, 2, 3, 4, 7][pick(5, 41)];
        let (summary, _) = simulated(
            std::slice::from_ref(&graph),
            ranks,
            &options,
            &settings,
            &simulation::SimulationSettings::varied(seed),
        );
        compare(&graph, &expected, (&options, &settings), &summary, &format!("seed {seed}, {ranks} ranks"));
    }
}

#[test]
fn a_predictable_search_comes_to_the_same_on_any_number_of_ranks() {
    for seed in 0..600u64 {
        let graph = random_graph(seed, Size { states: 80, fanout: 3, faults: [0, 3, 40][seed as usize % 3] });
        for keep_going in [false, true] {
            let options = SearchOptions { deterministic: true, keep_going, ..SearchOptions::default() };
            let expected = reference(&graph, true);
            let mut first: Option<Summary> = None;
            for ranks in [1, 2, 5] {
                let settings = RankSettings {
                    partition: [Partition::Full, Partition::Incremental, Partition::Distance(2)][seed as usize % 3]
                        .clone(),
                    ..RankSettings::default()
                };
                let network = simulation::SimulationSettings::varied(seed + u64::from(ranks));
                let (summary, _) = simulated(std::slice::from_ref(&graph), ranks, &options, &settings, &network);
                compare(&graph, &expected, (&options, &settings), &summary, &format!("seed {seed}, {ranks} ranks"));
                let first = first.get_or_insert_with(|| summary.clone());
                assert_eq!(first.findings, summary.findings, "seed {seed}, {ranks} ranks");
                let counts = |summary: &Summary| {
                    let statistics = summary.statistics;
                    (statistics.states, statistics.transitions, statistics.depth, statistics.faults)
                };
                assert_eq!(counts(first), counts(&summary), "seed {seed}, {ranks} ranks");
            }
        }
    }
}

#[test]
fn parts_of_states_travel_once() {
    for (order, partition) in [
        (Order::Levels, Partition::Full),
        (Order::FirstCome, Partition::Incremental),
        (Order::DepthFirst, Partition::DepthSlices(4)),
    ] {
        let pages: Vec<Pages> = (0..3).map(|_| Pages::new(3, 6)).collect();
        let settings = RankSettings { partition, order, ..RankSettings::default() };
        let options = SearchOptions::default();
        let (summary, _) = simulated(&pages, 3, &options, &settings, &simulation::SimulationSettings::new(1));
        assert_eq!(summary.statistics.states, pages[0].state_count());
        let parts: usize = pages.iter().map(|pages| pages.table.len()).sum();
        // Two other ranks may have to be told; a page of zeros is a few bytes long.
        assert!(summary.traffic.part_bytes < 2 * 2 * parts as u64 * 600, "{:?}", summary.traffic);

        // Through files, messages say only where parts are.
        let place = tempfile::tempdir().expect("a folder");
        let library = Library { folder: place.path().join("shared"), number: 0 };
        let settings = RankSettings { library: Some(library.clone()), ..settings };
        let pages: Vec<Pages> = (0..3).map(|_| Pages::new(3, 6)).collect();
        let (filed, _) = simulated(&pages, 3, &options, &settings, &simulation::SimulationSettings::new(1));
        assert_eq!(filed.statistics.states, pages[0].state_count());
        assert!(filed.traffic.part_bytes < summary.traffic.part_bytes / 2, "{:?}", filed.traffic);
        assert!(filed.traffic.filed_bytes > 0, "{:?}", filed.traffic);
        assert_eq!(std::fs::read_dir(&library.folder).expect("the folder is there").count(), 0);
    }
    let pages = Pages::new(3, 6);
    assert!(pages.has_parts());
}

#[test]
fn local_searches_leave_nothing_out() {
    let owns = [OwnStates::Store, OwnStates::Enqueue, OwnStates::Cache, OwnStates::Leave];
    let foreigns = [ForeignStates::SentCache, ForeignStates::SearchCache, ForeignStates::Leave];
    let mut redundant = 0;
    for seed in 0..600u64 {
        let pick = |choices: usize, salt: u64| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> salt) as usize % choices;
        let graph = random_graph(seed, Size { states: 60, fanout: 3, faults: [0, 7, 40][seed as usize % 3] });
        let options = SearchOptions { keep_going: pick(2, 11) == 0, ..SearchOptions::default() };
        let expected = reference(&graph, true);
        let local = LocalSearch {
            depth: 2 + pick(3, 13) as u32,
            own: owns[pick(4, 17)],
            foreign: foreigns[pick(3, 23)],
            cached: 64,
        };
        let settings = RankSettings {
            order: [Order::FirstCome, Order::DepthFirst, Order::BestFirst][pick(3, 29)],
            partition: [Partition::Full, Partition::Distance(2)][pick(2, 31)].clone(),
            remembered: 64,
            local: Some(local),
            ..RankSettings::default()
        };
        let ranks = [1, 2, 4][pick(3, 41)];
        let network = simulation::SimulationSettings::varied(seed);
        let (summary, _) = simulated(std::slice::from_ref(&graph), ranks, &options, &settings, &network);
        let context = format!("seed {seed}, {ranks} ranks: {settings:?}: {summary:?}, expected {expected:?}");
        assert!(summary.statistics.states <= expected.states, "{context}");
        assert_eq!(summary.findings.is_empty(), expected.faults.is_empty(), "{context}");
        if options.keep_going {
            let faults: BTreeSet<_> = summary.findings.iter().map(|finding| finding.fault.clone()).collect();
            assert_eq!(faults, expected.faults, "{context}");
        }
        redundant += summary.redundant;
    }
    assert!(redundant > 0);
}
