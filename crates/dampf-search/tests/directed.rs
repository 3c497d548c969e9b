//! Directed searches, and scouts, against the naive reference on random graphs, with heuristics that are right and such
//! that are nonsense.

use dampf_core::{
    Action, Fault, FaultKind, Finding, Model, Movers, Observations, Standing, Successors, Trail, Verdict, Word, Worker,
    replay,
};
use dampf_search::{
    Direction, Heuristic, Measure, Monitor, Order, Outcome, SearchOptions, TrailDistance, TrailSearch, approached,
    check, check_a_star, check_deepening, check_directed, check_directed_carrying, check_with_scouts, switches,
    with_fewer_switches,
};
use dampf_store::{ExactStore, HashCompactStore, TreeStore};
use dampf_testkit::graph::{Edge, Graph, Node, Size, random_graph};
use dampf_testkit::reference::{Expected, reference};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

/// A graph with an estimate for each state: as many threads can move there as the estimate says.
struct Estimated {
    graph: Graph,
    estimates: HashMap<Vec<Word>, u32>,
    greatest: usize,
}

struct EstimatedWorker<'m> {
    model: &'m Estimated,
    worker: &'m Graph,
}

impl Worker for EstimatedWorker<'_> {
    fn initial(&mut self, out: &mut Successors) {
        self.worker.initial(out);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        self.worker.successors(state, out);
    }
}

impl Model for Estimated {
    type Worker<'m> = EstimatedWorker<'m>;

    fn width(&self) -> usize {
        self.graph.width()
    }

    fn worker(&self) -> EstimatedWorker<'_> {
        EstimatedWorker { model: self, worker: &self.graph }
    }
}

/// Somebody moves with each label.
impl Movers for Estimated {
    fn mover_count(&self) -> usize {
        self.greatest
    }

    fn movers(&self, _: &[Word], action: Action, visit: &mut dyn FnMut(usize)) {
        visit(action.0 as usize % 3);
    }
}

impl Observations for Estimated {
    fn observe(worker: &mut EstimatedWorker<'_>, state: &[Word], standings: &mut Vec<Standing>) {
        let can_move = worker.model.estimates.get(state).copied().unwrap_or(0) as usize;
        let standing = |number: usize| Standing { is_alive: true, is_blocked: number >= can_move, locks: 0 };
        standings.clear();
        standings.extend((0..worker.model.greatest).map(standing));
    }
}

/// All states, each with the steps from there to the nearest fault: of a state, or of a step, which is one step more.
fn distances(graph: &Graph) -> HashMap<Vec<Word>, u32> {
    let (mut worker, mut out) = (graph.worker(), Successors::new(graph.width()));
    worker.initial(&mut out);
    let mut states: Vec<Vec<Word>> = out.states().map(<[Word]>::to_vec).collect();
    let mut before: HashMap<Vec<Word>, Vec<Vec<Word>>> = states.iter().map(|state| (state.clone(), vec![])).collect();
    let mut faulty: VecDeque<(Vec<Word>, u32)> = VecDeque::new();
    let mut stepping = Vec::new();
    let mut next = 0;
    while next < states.len() {
        let state = states[next].clone();
        next += 1;
        worker.successors(&state, &mut out);
        if out.state_fault().is_some() || out.is_empty() && !out.valid_end() {
            faulty.push_back((state.clone(), 0));
        } else if !out.faults().is_empty() {
            stepping.push((state.clone(), 1));
        }
        for step in (0..out.len()).filter(|&step| out.leads_on(step)) {
            let target = out.state(step).to_vec();
            before.entry(target.clone()).or_insert_with(|| {
                states.push(target.clone());
                Vec::new()
            });
            before.get_mut(&target).expect("it is there").push(state.clone());
        }
    }
    // Those at distance 1 by a faulty step come before what is one step from a faulty state is extended.
    let mut distances = HashMap::new();
    let mut level: Vec<Vec<Word>> = faulty.into_iter().map(|(state, _)| state).collect();
    let mut distance = 0;
    while !level.is_empty() || distance == 0 {
        let mut further = Vec::new();
        for state in level {
            if let Entry::Vacant(new) = distances.entry(state) {
                further.extend(before[new.key()].clone());
                new.insert(distance);
            }
        }
        if distance == 0 {
            further.extend(stepping.drain(..).map(|(state, _)| state));
        }
        distance += 1;
        level = further;
    }
    states.into_iter().map(|state| (state.clone(), distances.get(&state).copied().unwrap_or(99))).collect()
}

fn estimated(graph: &Graph, change: impl Fn(u32) -> u32) -> Estimated {
    let estimates: HashMap<Vec<Word>, u32> =
        distances(graph).into_iter().map(|(state, distance)| (state, change(distance).min(30))).collect();
    Estimated { graph: graph.clone(), estimates, greatest: 30 }
}

/// Compares a search with the reference; the length of the run that it found.
fn compare(model: &Estimated, outcome: &Outcome, expected: &Expected, is_exact: bool, context: &str) -> Option<usize> {
    let context = format!("{context}: {outcome:?}, expected {expected:?}");
    match (&outcome.verdict, &expected.first) {
        (Verdict::Verified, None) => assert!(is_exact, "{context}"),
        (Verdict::Unknown(_), None) => assert!(!is_exact, "{context}"),
        (Verdict::Violated(finding), Some(_)) => {
            assert!(expected.faults.contains(&finding.fault), "{context}");
            let replayed = replay(model, &finding.trail, true).expect("runs replay");
            assert!([replayed.fault, replayed.fault_beyond].contains(&Some(finding.fault.clone())), "{context}");
            return Some(finding.trail.stem.len());
        }
        _ => panic!("{context}"),
    }
    None
}

fn graphs() -> impl Iterator<Item = (u64, Graph)> {
    (0..500).map(|seed| {
        let faults = [0, 12, 60][seed as usize % 3];
        (seed, random_graph(seed, Size { states: 40, fanout: 3, faults }))
    })
}

fn shortest(expected: &Expected) -> Option<usize> {
    expected.first.as_ref().map(|(trail, _): &(Trail, _)| trail.stem.len())
}

#[test]
fn best_first_and_random_searches_agree_with_the_reference() {
    let measures = [Measure::MostBlocked, Measure::Interleaving, Measure::BlockedBlocks, Measure::BranchCoverage];
    let heuristics = [Heuristic::default(), Heuristic(measures.to_vec())];
    for (seed, graph) in graphs() {
        let expected = reference(&graph, true);
        let model = estimated(&graph, |distance| distance.wrapping_mul(7) % 5);
        for (direction, heuristic) in [
            (Direction::BestFirst, &heuristics[0]),
            (Direction::BestFirst, &heuristics[1]),
            (Direction::Random { seed }, &heuristics[0]),
        ] {
            for threads in [1, 3] {
                for keep_going in [false, true] {
                    let options = SearchOptions { threads, keep_going, ..SearchOptions::default() };
                    let how = (direction, heuristic);
                    let context = format!("seed {seed}, {how:?}, {threads} threads, going on: {keep_going}");
                    let store = TreeStore::new(model.width());
                    let outcome = check_directed(&model, &store, how, &options, &Monitor::new());
                    compare(&model, &outcome, &expected, true, &context);
                    if keep_going || expected.first.is_none() {
                        let counted = (outcome.statistics.states, outcome.statistics.transitions);
                        assert_eq!(counted, (expected.states, expected.transitions), "{context}");
                    }
                    let store = HashCompactStore::new(64);
                    let outcome = check_directed_carrying(&model, &store, how, &options, &Monitor::new());
                    compare(&model, &outcome, &expected, false, &context);
                }
            }
        }
    }
}

#[test]
fn a_beam_proves_nothing_that_it_has_thrown_away() {
    for (seed, graph) in graphs() {
        let expected = reference(&graph, true);
        let model = estimated(&graph, |distance| distance / 2);
        for width in [1, 3, 1000] {
            let how = (Direction::Beam { width }, &Heuristic(vec![Measure::MostBlocked]));
            let store = ExactStore::new(model.width());
            let outcome = check_directed(&model, &store, how, &SearchOptions::default(), &Monitor::new());
            match outcome.verdict {
                Verdict::Verified => assert!(expected.first.is_none(), "seed {seed}, width {width}"),
                Verdict::Violated(_) => drop(compare(&model, &outcome, &expected, true, &format!("seed {seed}"))),
                Verdict::Unknown(_) => assert!(width < 1000, "seed {seed}: nothing was thrown away"),
            }
        }
    }
}

#[test]
fn runs_are_shortest_where_no_estimate_is_too_much() {
    // The distance itself, half of it, nothing, and what is right in one of two states: admissible, but not consistent.
    let changes: [fn(u32) -> u32; 4] =
        [|distance| distance, |distance| distance / 2, |_| 0, |distance| if distance % 2 == 0 { distance } else { 0 }];
    for (seed, graph) in graphs() {
        let expected = reference(&graph, true);
        for (number, change) in changes.into_iter().enumerate() {
            let model = estimated(&graph, change);
            let heuristic = Heuristic(vec![Measure::MostBlocked]);
            for keep_going in [false, true] {
                let options = SearchOptions { keep_going, ..SearchOptions::default() };
                let context = format!("seed {seed}, estimate {number}, going on: {keep_going}");
                let a_star = check_a_star(&model, &heuristic, &options, &Monitor::new());
                let length = compare(&model, &a_star, &expected, true, &format!("A*, {context}"));
                if keep_going || length.is_none() {
                    let counted = (a_star.statistics.states, a_star.statistics.transitions);
                    assert_eq!(counted, (expected.states, expected.transitions), "{context}");
                } else {
                    assert_eq!(length, shortest(&expected), "A*, {context}");
                }
            }
            let options = SearchOptions::default();
            let deepening = check_deepening(&model, &heuristic, &options, &Monitor::new());
            let length = compare(&model, &deepening, &expected, true, &format!("IDA*, seed {seed}, estimate {number}"));
            assert_eq!(length, shortest(&expected), "IDA*, seed {seed}, estimate {number}");
        }
    }
}

#[test]
fn nonsense_misleads_nobody_but_the_clock() {
    for (seed, graph) in graphs() {
        let expected = reference(&graph, true);
        let model = estimated(&graph, |distance| distance.wrapping_mul(2_654_435_761) % 31);
        for heuristic in [Measure::MostBlocked, Measure::Interleaving].map(|measure| Heuristic(vec![measure])) {
            let options = SearchOptions::default();
            let a_star = check_a_star(&model, &heuristic, &options, &Monitor::new());
            compare(&model, &a_star, &expected, true, &format!("A*, seed {seed}, {heuristic:?}"));
            let deepening = check_deepening(&model, &heuristic, &options, &Monitor::new());
            compare(&model, &deepening, &expected, true, &format!("IDA*, seed {seed}, {heuristic:?}"));
        }
    }
}

/// What a depth-first search finds.
fn found_deep(model: &Estimated) -> Option<Finding> {
    let options = SearchOptions { order: Order::DepthFirst, ..SearchOptions::default() };
    match check(model, &TreeStore::new(model.width()), &options, &Monitor::new()).verdict {
        Verdict::Violated(finding) => Some(*finding),
        _ => None,
    }
}

#[test]
fn runs_towards_the_end_of_another_are_shorter_and_replay() {
    let distances = [TrailDistance::Hamming, TrailDistance::Locations, TrailDistance::Greater];
    let (mut violated, mut shorter) = (0, 0);
    for (seed, graph) in graphs() {
        let expected = reference(&graph, true);
        let model = estimated(&graph, |distance| distance);
        let Some(found) = found_deep(&model) else { continue };
        violated += 1;
        for search in [TrailSearch::AStar, TrailSearch::Deepening, TrailSearch::BestFirst] {
            for distance in distances {
                let how = (search, distance);
                let nearer = approached(&model, &found, how, &SearchOptions::default(), &Monitor::new());
                let Some(nearer) = nearer else { continue };
                shorter += 1;
                let context = format!("seed {seed}, {how:?}");
                assert!(nearer.trail.len() < found.trail.len(), "{context}");
                assert!(expected.faults.contains(&nearer.fault), "{context}");
                let replayed = replay(&model, &nearer.trail, true).expect("runs replay");
                assert!([replayed.fault, replayed.fault_beyond].contains(&Some(nearer.fault)), "{context}");
                let limited = SearchOptions { max_states: Some(2), ..SearchOptions::default() };
                let early = approached(&model, &found, how, &limited, &Monitor::new());
                assert!(early.is_none_or(|early| early.trail.len() < found.trail.len()), "{context}");
            }
        }
    }
    println!("{violated} runs, {shorter} times shorter");
    assert!(violated > 200 && shorter > 500, "{violated} runs, {shorter} times shorter");
}

/// The fewest switches of a run to a fault, and the fewest steps among those runs: by trying longer and longer ones.
fn fewest(model: &Estimated) -> Option<(usize, usize)> {
    let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
    worker.initial(&mut out);
    // For each state and mover, the least switches and steps so far.
    let mut least: HashMap<(Vec<Word>, Option<u64>), (usize, usize)> = HashMap::new();
    for step in (0..out.len()).filter(|&step| out.leads_on(step)) {
        least.insert((out.state(step).to_vec(), None), (0, 0));
    }
    let mut best: Option<(usize, usize)> = None;
    let mut note = |length: (usize, usize)| best = Some(best.map_or(length, |best| best.min(length)));
    loop {
        let before = least.clone();
        for ((state, last), (switches, steps)) in &before {
            worker.successors(state, &mut out);
            if out.fault_of_state(true).is_some() {
                note((*switches, *steps));
                continue;
            }
            for step in 0..out.len() {
                let mover = out.action(step).0 % 3;
                let length = (switches + usize::from(last.is_some_and(|last| last != mover)), steps + 1);
                if out.fault(step).is_some() {
                    note(length);
                } else if out.leads_on(step) {
                    let known = least.entry((out.state(step).to_vec(), Some(mover))).or_insert(length);
                    *known = (*known).min(length);
                }
            }
        }
        if before == least {
            return best;
        }
    }
}

#[test]
fn runs_have_as_few_switches_as_can_be() {
    let (mut violated, mut fewer) = (0, 0);
    for (seed, graph) in graphs() {
        let model = estimated(&graph, |distance| distance);
        let Some(found) = found_deep(&model) else { continue };
        let options = SearchOptions::default();
        let counted = |trail: &Trail| (switches(&model, trail, &options).expect("a run"), trail.stem.len());
        violated += 1;
        let least = match with_fewer_switches(&model, &found, &options, &Monitor::new()) {
            Some(better) => {
                fewer += 1;
                assert!(counted(&better.trail) < counted(&found.trail), "seed {seed}");
                let replayed = replay(&model, &better.trail, true).expect("runs replay");
                assert_eq!(replayed.fault.as_ref(), Some(&better.fault), "seed {seed}");
                better
            }
            None => found,
        };
        assert_eq!(Some(counted(&least.trail)), fewest(&model), "seed {seed}");
    }
    println!("{violated} runs, {fewer} with fewer switches");
    assert!(violated > 200 && fewer > 100, "{violated} runs, {fewer} with fewer switches");
}

/// Three counters; something is wrong when the first is full, which is far away for whoever counts with all of them.
fn counters(full: u32) -> Graph {
    let values = full + 1;
    let node = |number: u32| {
        let steps = [1, values, values * values].into_iter().enumerate();
        let can_count = |(_, step): &(usize, u32)| number / step % values < full;
        let edge = |(label, step): (usize, u32)| Edge { label: label as u32, target: Ok(number + step) };
        let fault = Fault { kind: FaultKind::Assertion, message: "full".to_owned(), location: None };
        let is_full = number % values == full;
        Node { edges: steps.filter(can_count).map(edge).collect(), fault: is_full.then_some(fault), valid_end: true }
    };
    Graph { initial: vec![0], nodes: (0..values.pow(3)).map(node).collect(), width: 1, error: None }
}

#[test]
fn scouts_find_what_is_there_and_nothing_else() {
    for is_faulty in [true, false] {
        let mut graph = counters(40);
        if !is_faulty {
            graph.nodes.iter_mut().for_each(|node| node.fault = None);
        }
        let model = Estimated { estimates: HashMap::new(), greatest: 0, graph };
        let expected = reference(&model.graph, true);
        for threads in [1, 2] {
            let options = SearchOptions { threads, ..SearchOptions::default() };
            let store = TreeStore::new(model.width());
            let outcome = check_with_scouts(&model, &store, &options, &Monitor::new());
            compare(&model, &outcome, &expected, true, &format!("{threads} threads"));
            // Two threads share what scouts may find, which is too little for each then.
            assert!(threads > 1 || outcome.judgement.found_ahead == is_faulty, "{threads} threads");
            match is_faulty {
                // A breadth-first search alone has 12,341 states before it.
                true => assert!(threads > 1 || outcome.statistics.states < 12_000, "{:?}", outcome.statistics),
                false => assert_eq!(outcome.statistics.states, expected.states, "scouts do not count"),
            }
        }
    }
}
