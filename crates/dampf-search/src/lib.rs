//! Searches of a model's state graph.
//!
//! Every search is an [expander](expand), a sink and a frontier: the expander generates and judges, the sink takes the
//! successors, the frontier says what comes next. Searches in memory share one loop (`traversal.rs`) and differ in
//! their frontiers:
//!
//! - `breadth_first.rs`: levels, so that a fault found is a nearest one;
//! - `depth_first.rs`: a stack for each thread, with work handed to threads that have none;
//! - `stack_slicing.rs`: a ring of threads, each with a slice of the depth-first stack, handing deep states on.
//!
//! [`directed`] has searches that go by a heuristic.
//!
//! `predictable.rs` is breadth-first in a canonical order, with the same result for any number of threads: its sink
//! stages. [`external`] is breadth-first on disk, for spaces that are larger than memory: its sink gathers.
//!
//! `sequential.rs` repeats a search that loses states, with other hash functions.
//!
//! `shortening.rs` looks for a shorter run where one was found with steps left out.
//!
//! A search answers with a [`Verdict`] that is honest: `Verified` only if nothing was left out, which the store has a
//! say in. The trail of every finding is rebuilt from the store's parent information, or from what waits with states
//! (`recall.rs`), and replayed on the model before it is returned.

mod breadth_first;
mod chance;
pub mod checkpoint;
mod depth_first;
mod directed;
pub mod expand;
pub mod external;
mod frontier;
mod meeting;
mod monitor;
mod path_stack;
mod patience;
mod predictable;
mod rebuild;
mod recall;
pub mod safra;
mod scouts;
mod sequential;
mod shortening;
mod stack_slicing;
mod thinning;
mod traversal;
mod watch;

pub use chance::Chance;
pub use directed::{
    Direction, Heuristic, Measure, check_a_star, check_deepening, check_directed, check_directed_carrying,
};
pub use expand::{Expander, Judgement, Sink};
pub use monitor::{Monitor, Snapshot, StopReason};
pub use sequential::check_in_runs;
pub use shortening::{shortened, shortened_behind, shortening_states_max};
pub use stack_slicing::HandOff;
pub use thinning::thinned;
pub use watch::{peak_resident_bytes, resident_bytes, resident_file_bytes, watched};

use dampf_core::{Fault, FaultSelection, Finding, Model, Observations, Statistics, Trail, Verdict, replay_selected};
use dampf_store::{Exactness, Parents, Retrieve, Staging, Store};
use recall::{Carried, FromStore, Recall};
use std::time::Duration;
use traversal::{Discovery, Traversal};

/// The order in which states are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    BreadthFirst,
    DepthFirst,
    /// Depth-first in slices, by a ring of threads.
    StackSlicing(HandOff),
}

/// What to search for, how, and when to give up.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    pub order: Order,
    /// At least 1.
    pub threads: usize,
    /// The same verdict, counts and trail for any number of threads. Breadth-first whatever `order` says.
    pub deterministic: bool,
    /// Go on after a fault and find them all.
    pub keep_going: bool,
    /// Whether a state without successors that is no valid end is a fault.
    pub deadlocks: bool,
    /// Which of the other faults count.
    pub faults: FaultSelection,
    /// States at this distance are found but not explored.
    pub max_depth: Option<u64>,
    pub max_states: Option<u64>,
    pub max_time: Option<Duration>,
    /// Time that counts as used up when the search begins: by an earlier search that this one repeats.
    pub time_spent: Duration,
    /// Of resident memory of the whole process.
    pub max_memory_bytes: Option<u64>,
}

impl Default for SearchOptions {
    fn default() -> Self {
        SearchOptions {
            order: Order::BreadthFirst,
            threads: 1,
            deterministic: false,
            keep_going: false,
            deadlocks: true,
            faults: FaultSelection::default(),
            max_depth: None,
            max_states: None,
            max_time: None,
            time_spent: Duration::ZERO,
            max_memory_bytes: None,
        }
    }
}

/// What a search returns.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub verdict: Verdict,
    pub statistics: Statistics,
    /// The different faults that were found, the first first. More than one only with `keep_going`.
    pub findings: Vec<Finding>,
    /// Why the search ended before everything was explored, if it was told to end.
    pub stopped: Option<StopReason>,
    /// What judging states came to. If anything was refuted of what the model assumes, nothing else counts.
    pub judgement: Judgement,
}

/// How many different faults a search that goes on keeps trails for.
pub const FINDINGS_MAX: usize = 64;

/// Explores a model and judges it. The store is empty when the search begins.
///
/// # Panics
/// If a trail does not replay: then Dampf, not the model, is wrong, and no verdict must be given.
pub fn check<M: Model, S: Retrieve + Parents + Staging>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Outcome {
    conclude::<FromStore, M, S>(model, store, options, monitor, || match options.deterministic {
        true => predictable::search(model, store, options, monitor),
        false => in_order(model, (store, &FromStore), options, monitor),
    })
}

/// Breadth-first, with scouts that are sent ahead from time to time.
///
/// # Panics
/// Like [`check`].
pub fn check_with_scouts<M: Observations, S: Retrieve + Parents>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Outcome {
    conclude::<FromStore, M, S>(model, store, options, monitor, || {
        let ahead = scouts::Seen::default();
        let send = |round: scouts::Round, thread: usize| ahead.send(model, round, thread, (options, monitor));
        let mut traversal = breadth_first::search(model, (store, &FromStore), options, monitor, Some(&send));
        traversal.absorb(ahead.into_inner());
        traversal
    })
}

/// Like [`check`] with a store that cannot look states up level by level. Not for predictable searches.
///
/// # Panics
/// Like [`check`].
pub fn check_in_order<M: Model, S: Retrieve + Parents>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Outcome {
    assert!(!options.deterministic, "a predictable search stages what it finds");
    conclude::<FromStore, M, S>(model, store, options, monitor, || {
        in_order(model, (store, &FromStore), options, monitor)
    })
}

/// The same with a store that does not give states back: the words of states that wait are kept with them, and how the
/// search came to them. Not for predictable searches.
///
/// # Panics
/// Like [`check`].
pub fn check_carrying<M: Model, S: Store>(model: &M, store: &S, options: &SearchOptions, monitor: &Monitor) -> Outcome {
    assert!(!options.deterministic, "a predictable search asks its store for states");
    let carried = Carried::default();
    conclude::<Carried, M, S>(model, store, options, monitor, || in_order(model, (store, &carried), options, monitor))
}

/// Explores in the order that the options say.
fn in_order<R: Recall<S>, M: Model, S: Store>(
    model: &M,
    (store, recall): (&S, &R),
    options: &SearchOptions,
    monitor: &Monitor,
) -> Traversal {
    match options.order {
        Order::BreadthFirst => breadth_first::search(model, (store, recall), options, monitor, None),
        Order::DepthFirst => depth_first::search(model, (store, recall), options, monitor),
        Order::StackSlicing(hand_off) => stack_slicing::search(model, (store, recall), hand_off, options, monitor),
    }
}

fn conclude<R: Recall<S>, M: Model, S: Store>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
    search: impl FnOnce() -> Traversal,
) -> Outcome {
    assert!(options.threads > 0, "a search needs a thread");
    let Traversal { discoveries, judgement } = watch::watched(&|| store.bytes(), options, monitor, search);
    // What a search found under a refuted assumption is nothing.
    let discoveries = if judgement.refuted.is_empty() { discoveries.as_slice() } else { &[] };
    let finding = |discovery| finding::<R, M, S>(model, store, discovery, options);
    let findings: Vec<Finding> = discoveries.iter().map(finding).collect();
    let stopped = monitor.stopped();
    let statistics = monitor.snapshot().statistics(store.bytes());
    let verdict = judge(&findings, &judgement, stopped, (store.exactness(), statistics.states), options);
    Outcome { verdict, statistics, findings, stopped, judgement }
}

/// What follows from what a search saw: the findings, what judging states came to, why it ended early, and how sure the
/// store is of the states that it holds.
pub fn judge(
    findings: &[Finding],
    judgement: &Judgement,
    stopped: Option<StopReason>,
    (exactness, states): (Exactness, u64),
    options: &SearchOptions,
) -> Verdict {
    if let Some(finding) = findings.first() {
        return Verdict::Violated(Box::new(finding.clone()));
    }
    let depth_limit = || format!("the depth limit of {} left states unexplored", options.max_depth.unwrap_or_default());
    let reasons = [
        stopped.map(|stop| stop.reason(options)),
        judgement.truncated.then(depth_limit),
        judgement.unsupported.as_ref().map(ToString::to_string),
    ];
    let mut reasons: Vec<String> = reasons.into_iter().flatten().collect();
    if reasons.is_empty() && exactness == Exactness::Exact {
        return Verdict::Verified;
    }
    if reasons.is_empty() {
        reasons.push("nothing was found".to_owned());
    }
    let uncertainty = uncertainty(exactness, states).map_or_else(String::new, |what| format!(", but {what}"));
    Verdict::Unknown(reasons.join("; ") + &uncertainty)
}

/// How sure a store is of so many states that it holds, in words for people; none where it is wholly.
fn uncertainty(exactness: Exactness, states: u64) -> Option<String> {
    let by_what = match exactness {
        Exactness::Exact => return None,
        Exactness::Hashed { bits } => format!("{bits} bits of a hash"),
        Exactness::Filtered(filter) => format!("{} bits in a filter of {} bytes", filter.functions(), filter.bytes()),
    };
    let left_out = exactness.left_out(states);
    let so_much = match left_out {
        ..0.5 => format!("the probability that one was left out is at most {left_out:.1e}"),
        _ => format!(
            "the probability that one was left out is {:.2}, and about {} of {} were taken for others, an estimated coverage of {:.2} %",
            1.0 - (-left_out).exp(),
            left_out.round(),
            (states as f64 + left_out).round(),
            100.0 * exactness.coverage(states)
        ),
    };
    Some(format!("states were told apart by {by_what}: {so_much}"))
}

/// Turns a discovery into a finding whose trail was seen to lead to its fault.
fn finding<R: Recall<S>, M: Model, S: Store>(
    model: &M,
    store: &S,
    discovery: &Discovery,
    options: &SearchOptions,
) -> Finding {
    let trail = R::trail(model, store, &discovery.route, discovery.step);
    let ends_in = ends_in(model, &trail, options);
    assert!(ends_in.contains(&Some(discovery.fault.clone())), "{ends_in:?} is not {}", discovery.fault);
    Finding { fault: discovery.fault.clone(), trail }
}

/// The faults that a trail leads to: at its end, and behind a faulty last step.
fn ends_in<M: Model>(model: &M, trail: &Trail, options: &SearchOptions) -> [Option<Fault>; 2] {
    match replay_selected(model, trail, options.deadlocks, &options.faults) {
        Ok(replayed) => [replayed.fault, replayed.fault_beyond],
        Err(error) => panic!("a trail to a fault does not replay: {error}"),
    }
}
