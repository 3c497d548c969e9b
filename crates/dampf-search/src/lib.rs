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
//! `shortening.rs` looks for a shorter run where one was found with steps left out.
//!
//! A search answers with a [`Verdict`] that is honest: `Verified` only if nothing was left out, which the store has a
//! say in. The trail of every finding is rebuilt from the store's parent information and replayed on the model before
//! it is returned.

mod breadth_first;
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
mod shortening;
mod stack_slicing;
mod traversal;
mod watch;

pub use directed::{
    Direction, Heuristic, Measure, check_a_star, check_deepening, check_directed, check_directed_carrying,
};
pub use expand::{Expander, Judgement, Sink};
pub use monitor::{Monitor, Snapshot, StopReason};
pub use scouts::SCOUTS_FROM;
pub use shortening::{SHORTENING_STATES_MAX, shortened};
pub use stack_slicing::HandOff;
pub use watch::{peak_resident_bytes, resident_bytes, resident_file_bytes, watched};

use dampf_core::{Fault, FaultSelection, Finding, Model, Statistics, Trail, Verdict, replay_selected};
use dampf_store::{Exactness, Parent, Parents, Retrieve, Staging, Store};
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
    /// From how many states on a breadth-first search sends scouts ahead, short searches in other orders, if it does
    /// ([`SCOUTS_FROM`]).
    pub scouts_from: Option<u64>,
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
            scouts_from: None,
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
    conclude::<FromStore, M, S>(model, store, options, monitor, || match (options.deterministic, options.order) {
        (true, _) => predictable::search(model, store, options, monitor),
        (false, Order::BreadthFirst) => breadth_first::search::<FromStore, M, S>(model, store, options, monitor),
        (false, Order::DepthFirst) => depth_first::search::<FromStore, M, S>(model, store, options, monitor),
        (false, Order::StackSlicing(hand_off)) => {
            stack_slicing::search::<FromStore, M, S>(model, store, hand_off, options, monitor)
        }
    })
}

/// The same with a store that does not give states back: the words of states that wait are kept with them. Not for
/// predictable searches.
///
/// # Panics
/// Like [`check`].
pub fn check_carrying<M: Model, S: Parent>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Outcome {
    assert!(!options.deterministic, "a predictable search asks its store for states");
    conclude::<Carried, M, S>(model, store, options, monitor, || match options.order {
        Order::BreadthFirst => breadth_first::search::<Carried, M, S>(model, store, options, monitor),
        Order::DepthFirst => depth_first::search::<Carried, M, S>(model, store, options, monitor),
        Order::StackSlicing(hand_off) => {
            stack_slicing::search::<Carried, M, S>(model, store, hand_off, options, monitor)
        }
    })
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
    let findings: Vec<Finding> = discoveries.iter().filter_map(finding).collect();
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
    let reasons: Vec<String> = reasons.into_iter().flatten().collect();
    if !reasons.is_empty() {
        return Verdict::Unknown(reasons.join("; "));
    }
    match exactness {
        Exactness::Exact => Verdict::Verified,
        Exactness::Hashed { bits } => Verdict::Unknown(format!(
            "nothing was found, but states were told apart by {bits} bits of a hash: the probability that one was left out is at \
             most {:.1e}",
            exactness.omission_probability(states)
        )),
    }
}

/// Turns a discovery into a finding whose trail was seen to lead to its fault. None where the store is not exact and
/// has lost the trail.
fn finding<R: Recall<S>, M: Model, S: Store>(
    model: &M,
    store: &S,
    discovery: &Discovery,
    options: &SearchOptions,
) -> Option<Finding> {
    let trail = R::trail(model, store, &discovery.route, discovery.step)?;
    let ends_in = ends_in(model, &trail, options);
    let is_there = ends_in.contains(&Some(discovery.fault.clone()));
    let is_exact = store.exactness() == Exactness::Exact;
    assert!(is_there || !is_exact, "{ends_in:?} is not {}", discovery.fault);
    is_there.then(|| Finding { fault: discovery.fault.clone(), trail })
}

/// The faults that a trail leads to: at its end, and behind a faulty last step.
fn ends_in<M: Model>(model: &M, trail: &Trail, options: &SearchOptions) -> [Option<Fault>; 2] {
    match replay_selected(model, trail, options.deadlocks, &options.faults) {
        Ok(replayed) => [replayed.fault, replayed.fault_beyond],
        Err(error) => panic!("a trail to a fault does not replay: {error}"),
    }
}
