//! Accepting cycles on many ranks against the naive reference, on simulated networks.

mod network;

use dampf_core::{
    Acceptance, Action, Fault, Finding, Model, Part, Sections, Successors, Trail, Transfer, Verdict, Word, Worker,
    replay,
};
use dampf_dist::{
    CycleMethod, ForeignStates, LocalSearch, Order, OwnStates, Partition, RankSettings, SoughtCycles, Summary, Waiting,
    cycles_on_threads,
};
use dampf_net::simulation::SimulationSettings;
use dampf_search::{Monitor, SearchOptions, StopReason, judge};
use dampf_store::Exactness;
use dampf_testkit::buchi::{BuchiGraph, random_buchi_graph};
use dampf_testkit::graph::Size;
use dampf_testkit::pages::Pages;
use network::{cycle_fault, simulated_cycles, try_simulated_ends};
use std::sync::atomic::{AtomicI64, Ordering};

/// Graphs of all kinds: with few cycles and many, few accepting nodes and many.
fn graph(seed: u64) -> BuchiGraph {
    let size = Size { states: [12, 40, 90][seed as usize % 3], fanout: [1, 2, 3][seed as usize / 3 % 3], faults: 0 };
    random_buchi_graph(seed, size, [2, 8, 30][seed as usize / 9 % 3])
}

fn monitors(ranks: u32) -> Vec<Monitor> {
    (0..ranks).map(|_| Monitor::new()).collect()
}

fn options(deterministic: bool) -> SearchOptions {
    SearchOptions { deterministic, deadlocks: false, ..SearchOptions::default() }
}

fn verdict(summary: &Summary, options: &SearchOptions) -> Verdict {
    judge(
        &summary.findings,
        &summary.judgement,
        summary.stopped,
        (Exactness::Exact, summary.statistics.states),
        options,
    )
}

/// States from which no end can be reached, though some run ends, against the reference.
#[test]
fn ranks_find_states_without_a_way_to_an_end() {
    let (mut with, mut without) = (0, 0);
    for seed in 0..500u64 {
        let mut graph = graph(seed);
        if seed % 4 > 0 {
            // Fewer places to stop in leave more states without a way to one.
            graph.graph.nodes.iter_mut().for_each(|node| node.valid_end &= node.edges.is_empty());
        }
        let expected = graph.has_livelock();
        *if expected { &mut with } else { &mut without } += 1;
        let pick = |choices: usize, salt: u64| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> salt) as usize % choices;
        let options = options(pick(3, 11) == 0);
        let partitions = [Partition::Full, Partition::Distance(2), Partition::Incremental];
        let order = [Order::Levels, Order::FirstCome, Order::DepthFirst][pick(3, 17)];
        let settings = RankSettings {
            partition: partitions[pick(3, 23)].clone(),
            order: if options.deterministic { Order::Levels } else { order },
            ..RankSettings::default()
        };
        let mut found = Vec::new();
        for ranks in [1, 2, 3, 5] {
            let network = SimulationSettings::varied(seed + u64::from(ranks));
            let graphs = std::slice::from_ref(&graph);
            let (summary, _) = try_simulated_ends(graphs, ranks, (&options, &settings), &network, &monitors(ranks));
            let summary = summary.expect("the search has ended");
            let context = format!("seed {seed}, {ranks} ranks: {options:?} {settings:?}: {summary:?}");
            assert_eq!(!summary.findings.is_empty(), expected, "{context}");
            for Finding { trail, .. } in &summary.findings {
                let states = replay(&graph, trail, false).expect("trails replay").states;
                assert!(!trail.cycle.is_empty(), "{context}");
                assert!(graph.is_hopeless(&states[trail.stem.len()]), "{context}");
            }
            found.push(summary.findings);
        }
        if options.deterministic {
            assert!(found.iter().all(|findings| *findings == found[0]), "seed {seed}");
        }
    }
    assert!(with > 20 && without > 100, "{with} graphs with a livelock, {without} without");
}

/// The run is one of the graph, goes round, and passes an accepting node there.
fn confirm(graph: &BuchiGraph, Finding { fault, trail }: &Finding, context: &str) {
    assert_eq!(*fault, cycle_fault(), "{context}");
    assert!(!trail.cycle.is_empty(), "{context}");
    let replayed = replay(graph, trail, false).unwrap_or_else(|error| panic!("{context}: {error}"));
    assert!(replayed.states[trail.stem.len()..].iter().any(|state| graph.is_accepting(state)), "{context}");
}

fn compare(graph: &BuchiGraph, summary: &Summary, options: &SearchOptions, context: &str) {
    match (verdict(summary, options), graph.has_accepting_cycle()) {
        (Verdict::Verified, false) => {}
        (Verdict::Violated(finding), true) => confirm(graph, &finding, context),
        (verdict, expected) => panic!("{context}: {verdict:?}, but a cycle: {expected}; {summary:?}"),
    }
}

#[test]
fn ranks_agree_with_the_reference_on_random_graphs() {
    let partitions =
        [Partition::Full, Partition::Incremental, Partition::Estimate, Partition::Distance(1), Partition::Distance(4)];
    let orders = [Order::Levels, Order::FirstCome, Order::DepthFirst, Order::BestFirst];
    let (mut violated, mut early) = (0, 0);
    for seed in 0..540u64 {
        let graph = graph(seed);
        for ranks in [1, 2, 3, 5] {
            for attempt in 0..3u64 {
                let mixed = (seed * 3 + attempt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let pick = |choices: usize, salt: u64| (mixed >> salt) as usize % choices;
                // A predictable search goes by levels.
                let order = if attempt == 1 { Order::Levels } else { orders[pick(4, 17)] };
                let is_whole = matches!(order, Order::Levels | Order::FirstCome) && pick(3, 19) == 0;
                let settings = RankSettings {
                    partition: partitions[pick(partitions.len(), 23)].clone(),
                    order,
                    waiting: if is_whole { Waiting::Store } else { Waiting::Hash },
                    remembered: [0, 1, 16, 1 << 12][pick(4, 37)],
                    ..RankSettings::default()
                };
                // A search that keeps going explores everything first.
                let options = SearchOptions { keep_going: attempt == 2, ..options(attempt == 1) };
                let network = SimulationSettings::varied(mixed);
                let summary = simulated_cycles(
                    std::slice::from_ref(&graph),
                    ranks,
                    (&options, &settings),
                    &network,
                    &monitors(ranks),
                );
                let context = format!("seed {seed}, {ranks} ranks, attempt {attempt}: {options:?} {settings:?}");
                compare(&graph, &summary, &options, &context);
                if attempt == 0 && graph.has_accepting_cycle() {
                    violated += 1;
                    early += u64::from(summary.cycles.on_the_fly);
                }
            }
        }
    }
    assert!(early > violated / 4, "{early} of {violated} cycles were found while states were explored");
    assert!(early < violated, "OWCTY has found none");
    println!("{early} of {violated} cycles were found while states were explored");
}

#[test]
fn a_predictable_search_finds_the_same_cycle_on_any_number_of_ranks() {
    for seed in 0..600u64 {
        let cycles = [CycleMethod::Owcty, CycleMethod::BoundedNested][seed as usize % 2];
        let graph = graph(seed / 2);
        let options = options(true);
        let mut first: Option<Option<Trail>> = None;
        for ranks in [1, 2, 3, 5] {
            let settings = RankSettings {
                cycles,
                partition: [Partition::Full, Partition::Incremental, Partition::Distance(2)][seed as usize % 3].clone(),
                ..RankSettings::default()
            };
            let network = SimulationSettings::varied(seed + u64::from(ranks));
            let summary = simulated_cycles(
                std::slice::from_ref(&graph),
                ranks,
                (&options, &settings),
                &network,
                &monitors(ranks),
            );
            let trail = summary.findings.first().map(|finding| finding.trail.clone());
            assert_eq!(first.get_or_insert_with(|| trail.clone()), &trail, "seed {seed}, {ranks} ranks");
        }
    }
}

/// Faults of the model come first, and a search that keeps going tells both.
#[test]
fn faults_of_the_model_are_told() {
    let mut both = 0;
    for seed in 0..200u64 {
        let size = Size { states: 40, fanout: 2, faults: 10 };
        let graph = random_buchi_graph(seed, size, 5);
        let faults = dampf_testkit::reference::reference(&graph.graph, false).faults;
        let ranks = 1 + (seed % 4) as u32;
        for keep_going in [false, true] {
            let options = SearchOptions { keep_going, ..options(seed % 2 == 0) };
            let settings = RankSettings::default();
            let network = SimulationSettings::varied(seed);
            let summary = simulated_cycles(
                std::slice::from_ref(&graph),
                ranks,
                (&options, &settings),
                &network,
                &monitors(ranks),
            );
            let context = format!("seed {seed}, {ranks} ranks: {summary:?}");
            let (cycles, others): (Vec<_>, Vec<_>) =
                summary.findings.iter().partition(|finding| !finding.trail.cycle.is_empty());
            cycles.iter().for_each(|cycle| confirm(&graph, cycle, &context));
            if keep_going {
                assert_eq!(!cycles.is_empty(), graph.has_accepting_cycle(), "{context}");
                assert_eq!(others.len(), faults.len(), "{context}");
                both += u64::from(!cycles.is_empty() && !others.is_empty());
            } else {
                let is_wrong = graph.has_accepting_cycle() || !faults.is_empty();
                assert_eq!(matches!(verdict(&summary, &options), Verdict::Violated(_)), is_wrong, "{context}");
            }
        }
    }
    assert!(both > 0);
}

/// A limit that is hit in any phase leaves the verdict open, or a cycle that was found before.
#[test]
fn limits_are_obeyed() {
    let (mut unknown, mut violated) = (0, 0);
    for seed in 0..200u64 {
        let graph = graph(seed);
        let ranks = 1 + (seed % 4) as u32;
        let monitors = monitors(ranks);
        monitors[(seed % u64::from(ranks)) as usize].stop(StopReason::TimeLimit);
        let options = options(seed % 2 == 0);
        let settings = RankSettings { order: Order::FirstCome, ..RankSettings::default() };
        let network = SimulationSettings::varied(seed);
        let summary = simulated_cycles(std::slice::from_ref(&graph), ranks, (&options, &settings), &network, &monitors);
        match verdict(&summary, &options) {
            Verdict::Unknown(_) => unknown += 1,
            Verdict::Violated(finding) => {
                confirm(&graph, &finding, "limited");
                violated += 1;
            }
            Verdict::Verified => panic!("seed {seed}: a search that was stopped has verified something"),
        }
        // Not all states are within a limit of depth, and what is within may have a cycle.
        let limited = SearchOptions { max_depth: Some(3), ..options };
        let monitors = self::monitors(ranks);
        let summary = simulated_cycles(std::slice::from_ref(&graph), ranks, (&limited, &settings), &network, &monitors);
        match verdict(&summary, &limited) {
            Verdict::Violated(finding) => confirm(&graph, &finding, "limited"),
            Verdict::Verified => assert!(!graph.has_accepting_cycle(), "seed {seed}"),
            Verdict::Unknown(_) => {}
        }
    }
    assert!(unknown > violated);
}

/// Local searches of several depths, with everything and nothing remembered on the way.
fn local_search(mixed: u64) -> LocalSearch {
    let pick = |choices: usize, salt: u64| (mixed >> salt) as usize % choices;
    LocalSearch {
        depth: 2 + pick(3, 29) as u32,
        own: [OwnStates::Store, OwnStates::Enqueue, OwnStates::Cache, OwnStates::Leave][pick(4, 33)],
        foreign: [ForeignStates::SentCache, ForeignStates::SearchCache, ForeignStates::Leave][pick(3, 39)],
        cached: [0, 1, 8, 1 << 10][pick(4, 43)],
    }
}

/// Nested searches come to the same, with more to do; local search leaves them complete, where they have it.
#[test]
fn all_methods_agree_with_the_reference() {
    let methods =
        [CycleMethod::Owcty, CycleMethod::NaiveNested, CycleMethod::ImprovedNested, CycleMethod::BoundedNested];
    let (mut followed, mut redundant) = ([0; 4], [0; 4]);
    for seed in 0..270u64 {
        let graph = graph(seed);
        for (number, cycles) in methods.into_iter().enumerate() {
            for (attempt, ranks) in [(0u64, 1), (1, 3), (2, 2), (3, 3), (4, 5)] {
                let mixed = (seed * 5 + attempt).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                let is_local = attempt > 1;
                if is_local && !cycles.allows_local_search() {
                    continue;
                }
                let settings = RankSettings {
                    cycles,
                    order: if is_local { Order::FirstCome } else { Order::Levels },
                    local: is_local.then(|| local_search(mixed)),
                    ..RankSettings::default()
                };
                let options = SearchOptions { keep_going: mixed >> 50 & 1 == 0, ..options(false) };
                let network = SimulationSettings::varied(mixed);
                let summary = simulated_cycles(
                    std::slice::from_ref(&graph),
                    ranks,
                    (&options, &settings),
                    &network,
                    &monitors(ranks),
                );
                compare(&graph, &summary, &options, &format!("seed {seed}, {ranks} ranks: {settings:?}"));
                followed[number] += summary.cycles.followed;
                redundant[number] += summary.redundant;
            }
        }
    }
    println!("states that were followed by {methods:?}: {followed:?}; those of others: {redundant:?}");
    assert!(redundant[1] > 0 && redundant[3] > 0, "local searches go through states of others: {redundant:?}");
}

/// With a limit of depth nested searches end early. What they find is a cycle, and finding none proves nothing then.
#[test]
fn nested_searches_are_bounded() {
    let (mut cut_short, mut violated) = (0, 0);
    for seed in 0..540u64 {
        let graph = graph(seed);
        let ranks = 1 + (seed % 3) as u32;
        for (cycles, local) in [
            (CycleMethod::BoundedNested, None),
            (CycleMethod::BoundedNested, Some(local_search(seed << 29))),
            (CycleMethod::NaiveNested, Some(local_search(seed << 29))),
        ] {
            let order = if local.is_some() { Order::FirstCome } else { Order::Levels };
            let settings = RankSettings { cycles, order, local, ..RankSettings::default() };
            let options = SearchOptions { max_depth: Some([2, 5, 9, 30][seed as usize % 4]), ..options(false) };
            let network = SimulationSettings::varied(seed);
            let asked = (&options, &settings);
            let summary = simulated_cycles(std::slice::from_ref(&graph), ranks, asked, &network, &monitors(ranks));
            match verdict(&summary, &options) {
                Verdict::Violated(finding) => {
                    confirm(&graph, &finding, "bounded");
                    let Trail { stem, cycle, .. } = &finding.trail;
                    let length = (stem.len() + cycle.len()) as u64;
                    let is_within = options.max_depth.is_some_and(|limit| length <= limit);
                    assert!(is_within || local.is_some(), "seed {seed}: {finding:?}");
                    violated += 1;
                }
                Verdict::Verified => assert!(!graph.has_accepting_cycle(), "seed {seed}: {settings:?}"),
                Verdict::Unknown(_) => cut_short += 1,
            }
        }
    }
    assert!(cut_short > 0 && violated > 0, "{cut_short} were cut short, {violated} have found something");
}

/// A machine that begins again when all its threads have come to their end, if it is to.
struct Laps {
    pages: Pages,
    begins_again: bool,
}

impl Laps {
    fn is_end(&self, state: &[Word]) -> bool {
        state[..self.pages.threads].iter().all(|&page| page as usize == self.pages.pages)
    }
}

impl Model for Laps {
    type Worker<'m> = &'m Laps;

    fn width(&self) -> usize {
        self.pages.width()
    }

    fn worker(&self) -> &Laps {
        self
    }
}

impl Worker for &Laps {
    fn initial(&mut self, out: &mut Successors) {
        self.pages.worker().initial(out);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        self.pages.worker().successors(state, out);
        if self.begins_again && self.is_end(state) {
            let mut first = Successors::new(self.width());
            self.pages.worker().initial(&mut first);
            out.push(Action(99), first.state(0));
        }
    }
}

impl Acceptance for Laps {
    fn is_accepting(&self, state: &[Word]) -> bool {
        self.is_end(state)
    }
}

impl Sections for Laps {}

/// Names of contents mean something to one rank only.
impl Transfer for Laps {
    fn has_parts(&self) -> bool {
        true
    }

    fn parts_of_state(&self, state: &[Word], visit: &mut dyn FnMut(usize, Part)) {
        self.pages.parts_of_state(state, visit);
    }

    fn part(&self, part: Part, words: &mut Vec<Word>, visit: &mut dyn FnMut(usize, Part)) {
        self.pages.part(part, words, visit);
    }

    fn name_of(&self, kind: u32, contents: &[Word]) -> Word {
        self.pages.name_of(kind, contents)
    }
}

#[test]
fn contents_of_states_travel() {
    for begins_again in [false, true] {
        for deterministic in [false, true] {
            for cycles in
                [CycleMethod::Owcty, CycleMethod::NaiveNested, CycleMethod::ImprovedNested, CycleMethod::BoundedNested]
            {
                let models: Vec<Laps> = (0..3).map(|_| Laps { pages: Pages::new(2, 4), begins_again }).collect();
                let settings = RankSettings { cycles, ..RankSettings::default() };
                let (options, network) = (options(deterministic), SimulationSettings::new(1));
                let summary = simulated_cycles(&models, 3, (&options, &settings), &network, &monitors(3));
                assert_eq!(summary.findings.len(), usize::from(begins_again), "{settings:?}: {summary:?}");
                for Finding { trail, .. } in &summary.findings {
                    assert_eq!((trail.stem.len(), trail.cycle.len()), (8, 9), "{trail:?}");
                    replay(&models[0], trail, false).expect("the run is one");
                }
            }
        }
    }
}

#[test]
fn ranks_on_threads_agree_with_the_reference() {
    let fault: Fault = cycle_fault();
    for seed in 0..60u64 {
        let graph = graph(seed);
        let sought = SoughtCycles { is_accepting: &|state| graph.is_accepting(state), fault: &fault, of_ends: false };
        for ranks in [1, 2, 3] {
            let (options, settings) = (options(seed % 2 == 0), RankSettings::default());
            let summary = cycles_on_threads(ranks, &graph, sought, (&options, &settings), &Monitor::new());
            let summary = summary.unwrap_or_else(|problem| panic!("{problem}"));
            compare(&graph, &summary, &options, &format!("seed {seed}, {ranks} ranks"));
        }
    }
}

/// A graph during whose exploration somebody stops the search, after so many states.
struct Stopping<'a> {
    graph: &'a BuchiGraph,
    monitor: &'a Monitor,
    left: AtomicI64,
}

impl Model for Stopping<'_> {
    type Worker<'m>
        = &'m Self
    where
        Self: 'm;

    fn width(&self) -> usize {
        self.graph.width()
    }

    fn worker(&self) -> &Self {
        self
    }
}

impl Worker for &Stopping<'_> {
    fn initial(&mut self, out: &mut Successors) {
        self.graph.worker().initial(out);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        // ORDERING: Relaxed, because nothing else depends on the count.
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            self.monitor.stop(StopReason::Interrupted);
        }
        self.graph.worker().successors(state, out);
    }
}

impl Acceptance for Stopping<'_> {
    fn is_accepting(&self, state: &[Word]) -> bool {
        self.graph.is_accepting(state)
    }
}

impl Sections for Stopping<'_> {}
impl Transfer for Stopping<'_> {}

/// A search that is stopped at any moment ends, and says nothing that is not so.
#[test]
fn a_search_for_cycles_can_be_stopped_at_any_moment() {
    let (mut unknown, mut whole) = (0, 0);
    for seed in 0..40u64 {
        let graph = graph(seed);
        for left in (0..400).step_by(7) {
            let ranks = 1 + (seed % 3) as u32;
            let monitors = monitors(ranks);
            let stopped = &monitors[left as usize % ranks as usize];
            let model = Stopping { graph: &graph, monitor: stopped, left: AtomicI64::new(left) };
            let options = SearchOptions { keep_going: left % 3 == 0, ..options(left % 2 == 0) };
            let cycles = [CycleMethod::Owcty, CycleMethod::BoundedNested][left as usize / 7 % 2];
            let settings = RankSettings { cycles, ..RankSettings::default() };
            let network = SimulationSettings::varied(seed + left as u64);
            let asked = (&options, &settings);
            let summary = simulated_cycles(std::slice::from_ref(&model), ranks, asked, &network, &monitors);
            if stopped.stopped().is_none() {
                compare(&graph, &summary, &options, &format!("seed {seed}, {left} states"));
                whole += 1;
                break;
            }
            match verdict(&summary, &options) {
                Verdict::Unknown(_) => unknown += 1,
                Verdict::Violated(finding) => confirm(&graph, &finding, "stopped"),
                // Stopped when all ranks had ended but for their reports.
                Verdict::Verified => assert!(!graph.has_accepting_cycle(), "seed {seed}, {left} states"),
            }
        }
    }
    assert!(unknown > 0 && whole > 0, "{unknown} searches were stopped, {whole} were not");
}
