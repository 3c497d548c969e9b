//! What a running search tells others, and what others tell it.

use crate::SearchOptions;
use dampf_core::Statistics;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Why a search ended early.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum StopReason {
    /// A fault was found, and one is enough.
    Fault = 1,
    Interrupted,
    TimeLimit,
    MemoryLimit,
    StateLimit,
    /// An assumption of the model was refuted.
    Refuted,
    /// The files of a search on disk are as large as they may be.
    DiskLimit,
    /// The disk cannot be written any more.
    DiskFull,
}

impl StopReason {
    /// The reason with this number.
    pub fn from_code(code: u8) -> Option<StopReason> {
        use StopReason::{DiskFull, DiskLimit, Fault, Interrupted, MemoryLimit, Refuted, StateLimit, TimeLimit};
        [Fault, Interrupted, TimeLimit, MemoryLimit, StateLimit, Refuted, DiskLimit, DiskFull]
            .into_iter()
            .find(|stop| *stop as u8 == code)
    }

    /// Whether the search ended for a reason outside of the model: a limit, an interruption, the size of the disk.
    pub fn is_wanted(self) -> bool {
        use StopReason::{DiskFull, DiskLimit, Interrupted, MemoryLimit, StateLimit, TimeLimit};
        matches!(self, Interrupted | TimeLimit | MemoryLimit | StateLimit | DiskLimit | DiskFull)
    }

    /// Why the search did not come to its end, as people read it.
    pub fn reason(self, options: &SearchOptions) -> String {
        match self {
            StopReason::Fault => "the search ended at a fault".to_owned(),
            StopReason::Interrupted => "the search was interrupted".to_owned(),
            StopReason::TimeLimit => {
                format!("the time limit of {} s was reached", options.max_time.unwrap_or_default().as_secs_f64())
            }
            StopReason::MemoryLimit => {
                format!("the memory limit of {} MiB was reached", options.max_memory_bytes.unwrap_or_default() >> 20)
            }
            StopReason::StateLimit => {
                format!("the limit of {} states was reached", options.max_states.unwrap_or_default())
            }
            StopReason::Refuted => "an assumption of the model was refuted".to_owned(),
            StopReason::DiskLimit => "the disk limit was reached".to_owned(),
            StopReason::DiskFull => "the disk cannot be written any more".to_owned(),
        }
    }
}

/// Counters of a running search, and the request to stop it. Shared by the search's threads, a progress
/// display and whoever handles Ctrl-C.
#[derive(Default, Debug)]
pub struct Monitor {
    states: AtomicU64,
    transitions: AtomicU64,
    frontier: AtomicU64,
    depth: AtomicU64,
    faults: AtomicU64,
    store_bytes: AtomicU64,
    stop: Arc<AtomicU8>,
    /// The request to stop the search that this one is a part of.
    outer: Option<Arc<AtomicU8>>,
}

/// The counters at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Snapshot {
    pub states: u64,
    pub transitions: u64,
    pub frontier: u64,
    pub depth: u64,
    pub faults: u64,
    pub store_bytes: u64,
}

impl Snapshot {
    /// The counters as what a search saw, with the bytes of its visited set.
    pub fn statistics(&self, store_bytes: u64) -> Statistics {
        let Snapshot { states, transitions, frontier, depth, faults, .. } = *self;
        Statistics { states, transitions, depth, store_bytes, frontier, faults }
    }
}

impl Monitor {
    pub fn new() -> Self {
        Self::default()
    }

    /// The monitor of a search within this one: it ends when this one is asked to, and has counters of its own.
    pub fn within(&self) -> Monitor {
        Monitor { outer: Some(Arc::clone(&self.stop)), ..Monitor::default() }
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            states: self.states.load(Ordering::Relaxed),
            transitions: self.transitions.load(Ordering::Relaxed),
            frontier: self.frontier.load(Ordering::Relaxed),
            depth: self.depth.load(Ordering::Relaxed),
            faults: self.faults.load(Ordering::Relaxed),
            store_bytes: self.store_bytes.load(Ordering::Relaxed),
        }
    }

    /// Asks the search to end. The first reason given stays.
    pub fn stop(&self, reason: StopReason) {
        // ORDERING: Relaxed: the flag orders nothing; the results travel through the threads' ends.
        let _ = self.stop.compare_exchange(0, reason as u8, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Why the search was asked to end, if it was.
    pub fn stopped(&self) -> Option<StopReason> {
        let own = StopReason::from_code(self.stop.load(Ordering::Relaxed));
        own.or_else(|| StopReason::from_code(self.outer.as_ref()?.load(Ordering::Relaxed)))
    }

    /// Makes these the counters, but for the store's bytes: for a search that counts elsewhere.
    pub fn publish(&self, counters: &Snapshot) {
        self.states.store(counters.states, Ordering::Relaxed);
        self.transitions.store(counters.transitions, Ordering::Relaxed);
        self.frontier.store(counters.frontier, Ordering::Relaxed);
        self.depth.store(counters.depth, Ordering::Relaxed);
        self.faults.store(counters.faults, Ordering::Relaxed);
    }

    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) != 0
            || self.outer.as_ref().is_some_and(|outer| outer.load(Ordering::Relaxed) != 0)
    }

    /// Adds what one batch found, and returns the number of states there are now.
    pub fn add(&self, states: u64, transitions: u64) -> u64 {
        self.transitions.fetch_add(transitions, Ordering::Relaxed);
        self.states.fetch_add(states, Ordering::Relaxed) + states
    }

    pub fn add_fault(&self) {
        self.faults.fetch_add(1, Ordering::Relaxed);
    }

    pub fn set_frontier(&self, frontier: u64) {
        self.frontier.store(frontier, Ordering::Relaxed);
    }

    pub fn deepen(&self, depth: u64) {
        if depth > self.depth.load(Ordering::Relaxed) {
            self.depth.fetch_max(depth, Ordering::Relaxed);
        }
    }

    pub(crate) fn set_store_bytes(&self, bytes: u64) {
        self.store_bytes.store(bytes, Ordering::Relaxed);
    }
}
