//! Searches on disk that are interrupted in every way and resumed: same verdict, same counts.

mod external_folder;

use dampf_core::{Model, Restore, Successors, Verdict, Word, Worker};
use dampf_search::checkpoint::{self, CheckpointProblem};
use dampf_search::external::{self, DiskSettings};
use dampf_search::{Monitor, Outcome, SearchOptions, StopReason};
use dampf_testkit::graph::{Graph, Size, random_graph};
use dampf_testkit::pages::Pages;
use dampf_testkit::random::Random;
use dampf_testkit::reference::{Expected, reference};
use external_folder::Folder;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn settings(buffer_bytes: u64) -> DiskSettings {
    DiskSettings {
        identity: "a graph".to_owned(),
        description: "{\"command\": \"check\"}".to_owned(),
        buffer_bytes: Some(buffer_bytes),
        ..DiskSettings::default()
    }
}

/// Begins a search, or goes on with the one in the folder.
fn go_on<M: Restore>(
    model: &M,
    folder: &Path,
    options: &SearchOptions,
    settings: &DiskSettings,
    monitor: &Monitor,
) -> Result<Outcome, CheckpointProblem> {
    match external::resume(model, folder, options, settings, monitor) {
        Err(CheckpointProblem::NoCheckpoint { .. }) => external::check(model, folder, options, settings, monitor),
        other => other,
    }
}

/// A random graph with at least half as many reachable states as it may have.
fn large_graph(seed: u64, size: Size) -> Graph {
    let is_large = |graph: &Graph| reference(graph, false).states * 2 > size.states;
    (seed..).map(|seed| random_graph(seed, size)).find(is_large).expect("some are large")
}

fn assert_complete(outcome: &Outcome, expected: &Expected, options: &SearchOptions, context: &str) {
    let context = format!("{context}, {options:?}: {outcome:?}, expected {expected:?}");
    assert_eq!(outcome.statistics.states, expected.states, "{context}");
    assert_eq!(outcome.statistics.transitions, expected.transitions, "{context}");
    assert_eq!(outcome.statistics.depth, expected.depth, "{context}");
    let faults: BTreeSet<_> = outcome.findings.iter().map(|finding| finding.fault.clone()).collect();
    assert_eq!(faults, expected.faults, "{context}");
    match (&outcome.verdict, &expected.first) {
        (Verdict::Verified, None) => {}
        (Verdict::Violated(finding), Some((trail, fault))) => {
            if options.deterministic {
                assert_eq!((&finding.trail, &finding.fault), (trail, fault), "{context}");
            }
        }
        _ => panic!("{context}"),
    }
}

/// A graph that asks the search to stop after a number of expansions.
struct Stopping<'a> {
    graph: &'a Graph,
    monitor: &'a Monitor,
    left: AtomicU64,
}

impl<'a> Model for Stopping<'a> {
    type Worker<'m>
        = &'m Stopping<'a>
    where
        Self: 'm;

    fn width(&self) -> usize {
        self.graph.width
    }

    fn worker(&self) -> &Stopping<'a> {
        self
    }
}

impl Restore for Stopping<'_> {}

impl Worker for &Stopping<'_> {
    fn initial(&mut self, out: &mut Successors) {
        self.graph.worker().initial(out)
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.monitor.stop(StopReason::Interrupted);
        }
        self.graph.worker().successors(state, out)
    }
}

#[test]
fn an_interrupted_search_goes_on_where_it_was() {
    for seed in 0..60 {
        let faults = [0, 40][seed as usize % 2];
        let graph = large_graph(100 * seed, Size { states: 3000, fanout: 4, faults });
        let expected = reference(&graph, true);
        let mut random = Random::new(seed);
        let options = SearchOptions { keep_going: true, deterministic: seed % 3 == 0, ..SearchOptions::default() };
        let folder = Folder::new();
        for round in 0.. {
            let (monitor, left) = (Monitor::new(), 1 + random.below(expected.states));
            let model = Stopping { graph: &graph, monitor: &monitor, left: AtomicU64::new(left) };
            let options = SearchOptions { threads: 1 + random.below(2) as usize, ..options.clone() };
            let settings = settings([100, 2000, 100_000][random.below(3) as usize]);
            let outcome = go_on(&model, &folder.path, &options, &settings, &monitor).unwrap();
            if outcome.stopped.is_none() {
                assert_complete(&outcome, &expected, &options, &format!("seed {seed}, round {round}"));
                break;
            }
            assert!(round < 100, "seed {seed}: no end");
        }
    }
}

#[test]
fn names_mean_the_same_after_a_resumption() {
    let folder = Folder::new();
    let limits = (1..).map(|round| Some(round * 150)).take(6).chain([None]);
    for (round, max_states) in limits.enumerate() {
        // A process that goes on has a model without names.
        let pages = Pages::new(3, 9);
        let options = SearchOptions { max_states, threads: 1 + round % 2, ..SearchOptions::default() };
        let outcome = go_on(&pages, &folder.path, &options, &settings(2000), &Monitor::new()).unwrap();
        if max_states.is_none() {
            assert_eq!((&outcome.verdict, outcome.statistics.states), (&Verdict::Verified, pages.state_count()));
        }
    }
}

#[test]
fn damaged_contents_are_noticed() {
    let folder = Folder::new();
    let limited = SearchOptions { max_states: Some(300), ..SearchOptions::default() };
    go_on(&Pages::new(3, 9), &folder.path, &limited, &settings(2000), &Monitor::new()).unwrap();
    let is_contents =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("contents"));
    let mut files = std::fs::read_dir(&folder.path).unwrap().map(|entry| entry.unwrap().path());
    let file = files.find(is_contents).expect("names are kept in a file");
    let whole = std::fs::read(&file).unwrap();
    for at in (0..whole.len()).step_by(whole.len() / 37) {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        for bytes in [damaged.as_slice(), &whole[..at]] {
            std::fs::write(&file, bytes).unwrap();
            let problem = external::resume(&Pages::new(3, 9), &folder.path, &limited, &settings(2000), &Monitor::new());
            assert!(matches!(problem, Err(CheckpointProblem::Damaged { .. })), "byte {at}: {problem:?}");
        }
    }
}

#[test]
fn limits_can_be_raised_and_what_is_finished_is_judged_again() {
    let graph = large_graph(5, Size { states: 20_000, fanout: 4, faults: 3000 });
    let expected = reference(&graph, true);
    for deterministic in [false, true] {
        let (folder, settings) = (Folder::new(), settings(3000));
        let with = |max_states: Option<u64>, max_depth: Option<u64>| {
            let options =
                SearchOptions { keep_going: true, deterministic, max_states, max_depth, ..SearchOptions::default() };
            let outcome = go_on(&graph, &folder.path, &options, &settings, &Monitor::new()).unwrap();
            (outcome, options)
        };
        for limit in [10, 100, 5000] {
            let (outcome, _) = with(Some(limit), None);
            assert_eq!(outcome.stopped, Some(StopReason::StateLimit));
            assert!(outcome.statistics.states >= limit);
        }
        for depth in [4, 9] {
            with(None, Some(depth));
        }
        for _ in 0..2 {
            let (outcome, options) = with(None, None);
            assert_complete(&outcome, &expected, &options, "after limits");
        }
    }
}

#[test]
fn a_violation_is_found_again_by_a_search_that_is_resumed() {
    let graph = large_graph(8, Size { states: 5000, fanout: 4, faults: 500 });
    let (folder, options) = (Folder::new(), SearchOptions::default());
    let run = || go_on(&graph, &folder.path, &options, &settings(1000), &Monitor::new()).unwrap();
    let (first, second) = (run(), run());
    assert!(matches!(first.verdict, Verdict::Violated(_)));
    assert_eq!((first.verdict, first.statistics), (second.verdict, second.statistics));
}

/// Runs into a full disk over and over, with a little more room each time.
fn run_out_of_room(change: fn(&mut DiskSettings, u64), expected_stop: StopReason, reason: &str) {
    let graph = large_graph(11, Size { states: 4000, fanout: 4, faults: 0 });
    let expected = reference(&graph, false);
    for threads in [1, 2] {
        let options = SearchOptions { threads, deadlocks: false, ..SearchOptions::default() };
        let folder = Folder::new();
        let (mut room, mut stopped) = (0, 0);
        loop {
            let mut settings = settings(1000);
            settings.checkpoint_every = Duration::from_micros(room % 3000);
            change(&mut settings, room);
            let outcome = go_on(&graph, &folder.path, &options, &settings, &Monitor::new()).unwrap();
            if outcome.stopped.is_none() {
                assert_complete(&outcome, &expected, &options, "after full disks");
                break;
            }
            assert_eq!(outcome.stopped, Some(expected_stop));
            let Verdict::Unknown(text) = &outcome.verdict else { panic!("{outcome:?}") };
            assert!(text.contains(reason), "{text}");
            stopped += 1;
            room += 500 + room / 8;
        }
        assert!(stopped > 10, "{stopped}");
    }
}

#[test]
fn a_full_disk_ends_in_unknown_and_loses_nothing() {
    let change = |settings: &mut DiskSettings, room| settings.failing_after_bytes = Some(room);
    run_out_of_room(change, StopReason::DiskFull, "the disk cannot be written any more: cannot write");
}

#[test]
fn the_disk_limit_ends_in_unknown_and_loses_nothing() {
    let change = |settings: &mut DiskSettings, room| settings.max_disk_bytes = Some(room);
    run_out_of_room(change, StopReason::DiskLimit, "the disk limit of");
}

#[test]
fn folders_that_are_not_for_this_search_are_refused() {
    let graph = random_graph(2, Size { states: 500, fanout: 3, faults: 0 });
    let options = SearchOptions { deadlocks: false, ..SearchOptions::default() };
    let (folder, monitor) = (Folder::new(), Monitor::new());
    let check = |settings: &DiskSettings| external::check(&graph, &folder.path, &options, settings, &monitor);
    let resume = |options: &SearchOptions, settings: &DiskSettings| {
        external::resume(&graph, &folder.path, options, settings, &monitor)
    };
    assert!(matches!(resume(&options, &settings(1000)), Err(CheckpointProblem::NoCheckpoint { .. })));
    assert!(matches!(checkpoint::description(&folder.path), Err(CheckpointProblem::NoCheckpoint { .. })));
    std::fs::create_dir_all(&folder.path).unwrap();
    std::fs::write(folder.path.join("letter.txt"), "dear reader").unwrap();
    let problem = check(&settings(1000)).unwrap_err();
    assert!(problem.to_string().ends_with("is not empty: `letter.txt` is no file of a search"), "{problem}");
    std::fs::remove_file(folder.path.join("letter.txt")).unwrap();

    check(&settings(1000)).unwrap();
    assert_eq!(checkpoint::description(&folder.path).unwrap(), "{\"command\": \"check\"}");
    assert!(matches!(check(&settings(1000)), Err(CheckpointProblem::HoldsCheckpoint { .. })));
    let other = DiskSettings { identity: "another graph".to_owned(), ..settings(1000) };
    assert!(matches!(resume(&options, &other), Err(CheckpointProblem::OtherSearch { .. })));
    let other = SearchOptions { keep_going: true, ..options.clone() };
    assert!(matches!(
        resume(&other, &settings(1000)),
        Err(CheckpointProblem::OtherOption { option: "keep going", .. })
    ));
    resume(&options, &settings(1000)).unwrap();

    let lock = std::fs::File::open(folder.path.join("dampf-search.lock")).unwrap();
    lock.lock().unwrap();
    assert!(matches!(resume(&options, &settings(1000)), Err(CheckpointProblem::InUse { .. })));
    lock.unlock().unwrap();
    external::remove(&folder.path).unwrap();
    assert!(!folder.path.exists());
}

#[test]
fn damaged_files_are_refused_and_never_believed() {
    let graph = large_graph(12, Size { states: 3000, fanout: 4, faults: 0 });
    let expected = reference(&graph, false);
    let options = SearchOptions { deadlocks: false, ..SearchOptions::default() };
    let origin = Folder::new();
    let half = SearchOptions { max_states: Some(expected.states / 2), ..options.clone() };
    external::check(&graph, &origin.path, &half, &settings(1000), &Monitor::new()).unwrap();
    let mut names: Vec<String> = std::fs::read_dir(&origin.path)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut random = Random::new(1);
    let mut refused = 0;
    for round in 0..150 {
        let folder = Folder::new();
        std::fs::create_dir_all(&folder.path).unwrap();
        for name in &names {
            std::fs::copy(origin.path.join(name), folder.path.join(name)).unwrap();
        }
        let file = folder.path.join(&names[random.below(names.len() as u64) as usize]);
        let mut bytes = std::fs::read(&file).unwrap();
        if bytes.is_empty() {
            continue;
        }
        let at = random.below(bytes.len() as u64) as usize;
        match round % 3 {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << random.below(8),
            _ => bytes.extend_from_slice(b"and more"),
        }
        std::fs::write(&file, bytes).unwrap();
        match external::resume(&graph, &folder.path, &options, &settings(1000), &Monitor::new()) {
            Ok(outcome) => assert_complete(&outcome, &expected, &options, &format!("round {round}, {file:?}")),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 50, "{refused}");
}

/// How a child process is told what to search.
const CHILD: &str = "DAMPF_EXTERNAL_CHILD";

/// A seed whose graph is large.
const SEED_OF_CHILDREN: u64 = 8;

fn graph_of_children() -> Graph {
    random_graph(SEED_OF_CHILDREN, Size { states: 60_000, fanout: 4, faults: 0 })
}

/// The search that is killed: this test executable again. Without a parent there is nothing to do.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let options = SearchOptions { threads: 2, deadlocks: false, ..SearchOptions::default() };
    let settings = DiskSettings { checkpoint_every: Duration::from_millis(3), ..settings(20_000) };
    let outcome = go_on(&graph_of_children(), Path::new(&folder), &options, &settings, &Monitor::new()).unwrap();
    let statistics = outcome.statistics;
    println!(
        "result: {} {} {} {}",
        outcome.verdict.name(),
        statistics.states,
        statistics.transitions,
        statistics.depth
    );
}

#[test]
fn a_killed_search_comes_to_the_same_end() {
    let expected = reference(&graph_of_children(), false);
    assert!(expected.states > 30_000, "{}", expected.states);
    let expected = format!("result: verified {} {} {}", expected.states, expected.transitions, expected.depth);
    let mut random = Random::new(77);
    let (mut kills, mut ends) = (0, 0);
    while kills < 50 || ends == 0 {
        let folder = Folder::new();
        loop {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "child", "--nocapture", "--test-threads", "1"])
                .env(CHILD, &folder.path)
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_millis(random.below(150)));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
            }
            let output = child.wait_with_output().unwrap();
            if output.status.success() {
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(text.contains(&expected), "{text}\ninstead of {expected}");
                ends += 1;
                break;
            }
            assert_eq!(output.status.code(), None, "the child failed: {output:?}");
            // A child that was killed before it began to search proves nothing.
            kills += u32::from(checkpoint::description(&folder.path).is_ok());
        }
    }
}
