//! The search on disk against the naive reference and the search in memory, with buffers so small that everything goes
//! to disk.

mod external_folder;

use dampf_core::{
    Action, FaultKind, FaultSelection, Model, Restore, Successors, Verdict, Word, Worker, replay_selected,
};
use dampf_search::external::{self, DiskSettings};
use dampf_search::{Monitor, Outcome, SearchOptions, StopReason};
use dampf_store::TreeStore;
use dampf_testkit::graph::{Size, random_graph};
use dampf_testkit::pages::Pages;
use dampf_testkit::reference::{Expected, reference, reference_selected};
use external_folder::Folder;
use std::collections::BTreeSet;

fn settings(buffer_bytes: u64) -> DiskSettings {
    DiskSettings {
        identity: "a graph".to_owned(),
        description: "a description".to_owned(),
        buffer_bytes: Some(buffer_bytes),
        ..DiskSettings::default()
    }
}

fn run<M: Restore>(model: &M, options: &SearchOptions, settings: &DiskSettings) -> Outcome {
    let folder = Folder::new();
    external::check(model, &folder.path, options, settings, &Monitor::new()).expect("the folder is there")
}

fn compare<M: Restore>(model: &M, expected: &Expected, outcome: &Outcome, options: &SearchOptions, context: &str) {
    let context = format!("{context}, {options:?}: {outcome:?}, expected {expected:?}");
    if options.keep_going || expected.faults.is_empty() {
        assert_eq!(outcome.statistics.states, expected.states, "{context}");
        assert_eq!(outcome.statistics.transitions, expected.transitions, "{context}");
        assert_eq!(outcome.statistics.depth, expected.depth, "{context}");
        let faults: BTreeSet<_> = outcome.findings.iter().map(|finding| finding.fault.clone()).collect();
        assert_eq!(faults, expected.faults, "{context}");
    }
    match (&outcome.verdict, &expected.first) {
        (Verdict::Verified, None) => {}
        (Verdict::Violated(finding), Some((trail, fault))) => {
            let replayed =
                replay_selected(model, &finding.trail, options.deadlocks, &options.faults).expect("trails replay");
            assert!([replayed.fault, replayed.fault_beyond].contains(&Some(finding.fault.clone())), "{context}");
            if !options.keep_going {
                // A faulty step of one level and a faulty state of the next are equally near.
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

fn all_options(deadlocks: bool) -> Vec<SearchOptions> {
    let mut all = Vec::new();
    for threads in [1, 2] {
        for deterministic in [false, true] {
            for keep_going in [false, true] {
                all.push(SearchOptions { threads, deterministic, keep_going, deadlocks, ..SearchOptions::default() });
            }
        }
    }
    all
}

#[test]
fn the_search_agrees_with_the_reference_on_random_graphs() {
    for seed in 0..120 {
        let faults = [0, 7, 40][seed as usize % 3];
        let graph = random_graph(seed, Size { states: 60, fanout: 3, faults });
        let deadlocks = seed % 2 == 0;
        let expected = reference(&graph, deadlocks);
        for options in all_options(deadlocks) {
            let outcome = run(&graph, &options, &settings([64, 300, 100_000][seed as usize / 3 % 3]));
            compare(&graph, &expected, &outcome, &options, &format!("seed {seed}"));
        }
    }
}

#[test]
fn faults_that_do_not_count_are_as_if_they_were_not_there() {
    for seed in 0..60 {
        let graph = random_graph(seed, Size { states: 60, fanout: 3, faults: [3, 7, 40][seed as usize % 3] });
        for kind in [FaultKind::Assertion, FaultKind::DivisionByZero] {
            let faults = FaultSelection::new(Some(vec![kind]), Vec::new());
            let expected = reference_selected(&graph, true, &faults);
            for options in all_options(true) {
                let options = SearchOptions { faults: faults.clone(), ..options };
                let outcome = run(&graph, &options, &settings(300));
                compare(&graph, &expected, &outcome, &options, &format!("seed {seed}"));
            }
        }
    }
}

#[test]
fn the_search_agrees_on_graphs_that_need_many_runs() {
    for seed in 0..8 {
        let faults = [0, 50_000][seed as usize % 2];
        // With a small fanout, levels are many and small in relation to what was visited.
        let graph = random_graph(seed, Size { states: 200_000, fanout: [6, 3][seed as usize / 4], faults });
        let expected = reference(&graph, false);
        for threads in [1, 2, 3] {
            let options = SearchOptions { threads, deadlocks: false, keep_going: seed > 3, ..SearchOptions::default() };
            let outcome = run(&graph, &options, &settings([10_000, 60_000, 1_000_000][seed as usize % 3]));
            compare(&graph, &expected, &outcome, &options, &format!("seed {seed}"));
        }
    }
}

#[test]
fn states_with_components_are_explored_like_others() {
    let pages = Pages::new(3, 12);
    for options in all_options(true) {
        let outcome = run(&pages, &options, &settings(2000));
        assert_eq!((outcome.verdict, outcome.statistics.states), (Verdict::Verified, pages.state_count()));
    }
}

/// Counts up in steps of one, two and three, in words that are wider the larger the count.
struct Counter {
    width: usize,
    end: u64,
}

impl Restore for Counter {}

impl Model for Counter {
    type Worker<'m> = &'m Counter;

    fn width(&self) -> usize {
        self.width
    }

    fn worker(&self) -> &Counter {
        self
    }
}

impl Counter {
    fn state(&self, count: u64) -> Vec<Word> {
        let mixed = |word: usize| count.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * word as u32);
        // The high bits come late, so that packings are widened all the time.
        let bits = (64 - count.leading_zeros()).clamp(1, 32);
        let mut words: Vec<Word> = (1..self.width).map(|word| (mixed(word) as Word) >> (32 - bits)).collect();
        words.push(count as Word);
        words
    }
}

impl Worker for &Counter {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        out.push(Action(0), &self.state(0));
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        out.clear();
        let count = u64::from(state[self.width - 1]);
        for step in 1..=3 {
            if count + step <= self.end {
                out.push(Action(step), &self.state(count + step));
            }
        }
        out.set_valid_end(count == self.end);
    }
}

#[test]
fn deep_spaces_and_packings_that_are_widened_all_the_time_are_no_problem() {
    for width in [1, 2, 3, 7] {
        for (threads, buffer_bytes, end) in [(1, 50, 900), (2, 3000, 9000), (1, 1 << 20, 90_000)] {
            let model = Counter { width, end };
            let options = SearchOptions { threads, ..SearchOptions::default() };
            let outcome = run(&model, &options, &settings(buffer_bytes));
            let statistics = outcome.statistics;
            let context = format!("{width} words, {threads} threads, {buffer_bytes} bytes");
            assert_eq!((outcome.verdict, statistics.states), (Verdict::Verified, end + 1), "{context}");
            assert_eq!((statistics.transitions, statistics.depth), (3 * end - 3, end / 3), "{context}");
        }
    }
}

/// The cells of a square of two numbers, all bits of which are used; one cell is faulty.
struct Full {
    side: u32,
}

impl Restore for Full {}

impl Model for Full {
    type Worker<'m> = &'m Full;

    fn width(&self) -> usize {
        2
    }

    fn worker(&self) -> &Full {
        self
    }
}

const SPREAD: u32 = 0x9e37_79b1;
const INVERSE: u32 = 0x0e8b_2f51;

impl Worker for &Full {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        out.push(Action(0), &[0, 0]);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        out.clear();
        let (x, y) = (state[0].wrapping_mul(INVERSE), state[1].wrapping_mul(INVERSE));
        for (number, (x, y)) in [(x + 1, y), (x, y + 1)].into_iter().enumerate() {
            if x < self.side && y < self.side {
                out.push(Action(number as u64), &[x.wrapping_mul(SPREAD), y.wrapping_mul(SPREAD)]);
            }
        }
    }
}

#[test]
fn trails_are_found_where_records_have_no_room_for_hints() {
    assert_eq!(SPREAD.wrapping_mul(INVERSE), 1);
    let model = Full { side: 150 };
    for options in all_options(true) {
        let outcome = run(&model, &options, &settings(3000));
        let Verdict::Violated(finding) = &outcome.verdict else { panic!("the last cell is a deadlock: {outcome:?}") };
        assert_eq!((finding.trail.stem.len(), outcome.statistics.states), (298, 22_500));
        if options.deterministic {
            assert!(finding.trail.stem.is_sorted(), "{:?}", finding.trail);
        }
    }
}

#[test]
fn limits_end_in_unknown() {
    let pages = Pages::new(3, 12);
    for options in all_options(true) {
        let limited = |change: fn(&mut SearchOptions)| {
            let mut options = options.clone();
            change(&mut options);
            run(&pages, &options, &settings(2000)).verdict
        };
        let reason = |verdict: Verdict| match verdict {
            Verdict::Unknown(reason) => reason,
            other => panic!("{options:?}: {other:?}"),
        };
        assert!(reason(limited(|options| options.max_depth = Some(5))).contains("depth limit of 5"));
        assert!(reason(limited(|options| options.max_states = Some(100))).contains("limit of 100 states"));
        assert!(reason(limited(|options| options.max_time = Some(std::time::Duration::ZERO))).contains("time limit"));
        assert!(limited(|options| options.max_depth = Some(1000)) == Verdict::Verified);
    }
}

#[test]
fn a_predictable_search_counts_the_same_with_any_number_of_threads() {
    let graph = random_graph(3, Size { states: 100_000, fanout: 5, faults: 0 });
    let count = |threads: usize| {
        let options = SearchOptions {
            threads,
            deterministic: true,
            deadlocks: false,
            max_states: Some(20_000),
            ..SearchOptions::default()
        };
        run(&graph, &options, &settings(5000)).statistics
    };
    let in_memory = {
        let options = SearchOptions {
            deterministic: true,
            deadlocks: false,
            max_states: Some(20_000),
            ..SearchOptions::default()
        };
        dampf_search::check(&graph, &TreeStore::new(graph.width()), &options, &Monitor::new()).statistics
    };
    for threads in 1..=3 {
        let statistics = count(threads);
        assert_eq!((statistics.states, statistics.transitions), (in_memory.states, in_memory.transitions));
    }
}

#[test]
fn a_search_that_is_asked_to_stop_says_so() {
    let (folder, monitor) = (Folder::new(), Monitor::new());
    monitor.stop(StopReason::Interrupted);
    let pages = Pages::new(3, 12);
    let outcome = external::check(&pages, &folder.path, &SearchOptions::default(), &settings(2000), &monitor).unwrap();
    assert_eq!(outcome.verdict, Verdict::Unknown("the search was interrupted".to_owned()));
}
