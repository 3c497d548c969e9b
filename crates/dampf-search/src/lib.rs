//! Searches of a model's state graph.
//!
//! All searches share one loop body ([`expand`]): take states from a frontier, generate their successors,
//! look these up in the store, and put the new ones into the frontier. They differ in the frontier:
//!
//! - [`breadth_first`]: level by level, so that a fault found is a nearest one;
//! - [`depth_first`]: a stack for each thread, with work handed to threads that have none;
//! - [`predictable`]: breadth-first in a canonical order, with the same result for any number of threads.
//!
//! [`external`] is a breadth-first search of its own: on disk, for spaces that are larger than memory.
//!
//! A search answers with a [`Verdict`] that is honest: `Verified` only if nothing was left out. The trail of
//! every finding is rebuilt from the store's parent information and replayed on the model before it is returned.

mod breadth_first;
pub mod checkpoint;
mod depth_first;
mod expand;
pub mod external;
mod meeting;
mod monitor;
mod predictable;
mod rebuild;
mod watch;

pub use monitor::{Monitor, Snapshot, StopReason};
pub use watch::{peak_resident_bytes, resident_bytes, resident_file_bytes, watched};

use dampf_core::{Fault, Finding, Model, Revise, Statistics, Trail, Unsupported, Verdict, replay};
use dampf_store::{StateRef, Store};
use std::collections::BTreeSet;
use std::time::Duration;

/// The order in which states are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    BreadthFirst,
    DepthFirst,
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
    /// What the search refuted of what the model assumes. If there is anything, nothing else counts.
    pub refuted: BTreeSet<Revise>,
}

/// How many different faults a search that goes on keeps trails for.
pub const FINDINGS_MAX: usize = 64;

/// Where a fault was met.
#[derive(Clone, Debug)]
struct Discovery {
    fault: Fault,
    /// The faulty state, or the state that the faulty step leaves, with the part of the way to it that the search knows.
    way: Way,
    /// The index of the faulty step among the successors.
    step: Option<usize>,
}

/// What a search knows about the way to a state.
#[derive(Clone, Debug)]
enum Way {
    /// The state; its ancestors are in the store's parent information. With its distance, where that is the least there is.
    To { state: StateRef, distance: Option<u64> },
    /// Consecutive states that end in the state; how to reach the first is in the store.
    Along(Vec<StateRef>),
    /// The whole way.
    Known(Trail),
}

/// What the engines return to [`check`].
#[derive(Default)]
struct Explored {
    discoveries: Vec<Discovery>,
    unsupported: Option<Unsupported>,
    refuted: BTreeSet<Revise>,
    /// Whether the depth limit left states unexplored.
    truncated: bool,
}

/// Of several reasons why something could not be computed, the one that is reported: it must not depend on the threads.
pub fn least(reasons: [Option<Unsupported>; 2]) -> Option<Unsupported> {
    reasons.into_iter().flatten().min_by(|one, other| one.what.cmp(&other.what))
}

impl Explored {
    /// Notes a fault unless one like it is known.
    fn note(&mut self, discovery: Discovery) {
        let known = self.discoveries.iter().any(|other| other.fault == discovery.fault);
        if !known && self.discoveries.len() < FINDINGS_MAX {
            self.discoveries.push(discovery);
        }
    }

    /// Notes that a step could not be computed.
    fn note_unsupported(&mut self, unsupported: Option<Unsupported>) {
        self.unsupported = least([self.unsupported.take(), unsupported]);
    }

    /// Notes what an expander has met beside faults.
    fn take<M: Model, S: Store>(&mut self, expander: &mut expand::Expander<'_, M, S>) {
        self.note_unsupported(expander.take_unsupported());
        self.refuted.append(&mut expander.take_refuted());
    }

    fn absorb(&mut self, other: Explored) {
        other.discoveries.into_iter().for_each(|discovery| self.note(discovery));
        self.note_unsupported(other.unsupported);
        self.refuted.extend(other.refuted);
        self.truncated |= other.truncated;
    }
}

/// Explores a model and judges it. The store is empty when the search begins.
///
/// # Panics
/// If a trail does not replay: then Dampf, not the model, is wrong, and no verdict must be given.
pub fn check<M: Model, S: Store>(model: &M, store: &S, options: &SearchOptions, monitor: &Monitor) -> Outcome {
    assert!(options.threads > 0, "a search needs a thread");
    let explored =
        watch::watched(&|| store.bytes(), options, monitor, || match (options.deterministic, options.order) {
            (true, _) => predictable::search(model, store, options, monitor),
            (false, Order::BreadthFirst) => breadth_first::search(model, store, options, monitor),
            (false, Order::DepthFirst) => depth_first::search(model, store, options, monitor),
        });
    // What a search found under a refuted assumption is nothing.
    let discoveries = if explored.refuted.is_empty() { explored.discoveries.as_slice() } else { &[] };
    let findings: Vec<Finding> =
        discoveries.iter().map(|discovery| finding(model, store, discovery, options.deadlocks)).collect();
    let snapshot = monitor.snapshot();
    let statistics = Statistics {
        states: snapshot.states,
        transitions: snapshot.transitions,
        depth: snapshot.depth,
        store_bytes: store.bytes(),
        frontier: snapshot.frontier,
        faults: snapshot.faults,
    };
    let unsupported = explored.unsupported.as_ref();
    let verdict = judge(&findings, unsupported, monitor.stopped(), explored.truncated, options);
    Outcome { verdict, statistics, findings, stopped: monitor.stopped(), refuted: explored.refuted }
}

/// What follows from what a search saw: the findings, what it could not compute, why it ended early, and whether the depth limit
/// left states unexplored.
pub fn judge(
    findings: &[Finding],
    unsupported: Option<&Unsupported>,
    stopped: Option<StopReason>,
    truncated: bool,
    options: &SearchOptions,
) -> Verdict {
    match (findings.first(), unsupported, stopped) {
        (Some(finding), _, _) => Verdict::Violated(Box::new(finding.clone())),
        (None, Some(unsupported), _) => Verdict::Unknown(unsupported.to_string()),
        (None, None, Some(stop)) => Verdict::Unknown(stop.reason(options)),
        (None, None, None) if truncated => Verdict::Unknown(format!(
            "the depth limit of {} left states unexplored",
            options.max_depth.unwrap_or_default()
        )),
        (None, None, None) => Verdict::Verified,
    }
}

/// Turns a discovery into a finding whose trail was seen to lead to its fault.
fn finding<M: Model, S: Store>(model: &M, store: &S, discovery: &Discovery, deadlocks: bool) -> Finding {
    let trail = rebuild::trail(model, store, discovery);
    let ends_in = ends_in(model, &trail, deadlocks);
    assert!(ends_in.contains(&Some(discovery.fault.clone())), "{ends_in:?} is not {}", discovery.fault);
    Finding { fault: discovery.fault.clone(), trail }
}

/// The faults that a trail leads to: at its end, and behind a faulty last step.
fn ends_in<M: Model>(model: &M, trail: &Trail, deadlocks: bool) -> [Option<Fault>; 2] {
    match replay(model, trail, deadlocks) {
        Ok(replayed) => [replayed.fault, replayed.fault_beyond],
        Err(error) => panic!("a trail to a fault does not replay: {error}"),
    }
}
