//! The search for accepting cycles: which algorithm, and what its result means.
//!
//! Every lasso is replayed on the model before it is returned, and seen to close, to pass an accepting state and, where
//! that is asked, to be fair.

use crate::explorer::{ACCEPTING, MOVERS_MAX, Sets, mover_set};
use crate::lasso::{Runs, Seen};
use crate::{cndfs, components, dual_core, ndfs};
use dampf_core::{Acceptance, Fault, Finding, Movers, Successors, Trail, Unsupported, Worker, replay_selected};
use dampf_search::{Monitor, Outcome, SearchOptions, StopReason, judge, watched};
use dampf_store::{Numbered, Parent};

/// How cycles are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CycleAlgorithm {
    /// Nested depth-first search, by one thread.
    Ndfs,
    /// The same by two, one for each of the searches.
    DualCore,
    /// Nested depth-first search by any number of threads.
    Cndfs,
    /// Strongly connected components, by one thread. The only one for fair runs.
    Components,
}

impl CycleAlgorithm {
    pub const ALL: [CycleAlgorithm; 4] =
        [CycleAlgorithm::Ndfs, CycleAlgorithm::DualCore, CycleAlgorithm::Cndfs, CycleAlgorithm::Components];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            CycleAlgorithm::Ndfs => "ndfs",
            CycleAlgorithm::DualCore => "dual-core",
            CycleAlgorithm::Cndfs => "cndfs",
            CycleAlgorithm::Components => "scc",
        }
    }
}

/// What is looked for, and how.
#[derive(Clone, Debug)]
pub struct CycleSearch {
    pub algorithm: CycleAlgorithm,
    /// Whether only runs count in which everybody who can move from some moment on does move.
    pub is_fair: bool,
    /// What is wrong where there is such a run.
    pub fault: Fault,
    pub options: SearchOptions,
}

/// Looks for a run that passes accepting states for ever, and for all other faults of the model on the way. The store
/// is empty when the search begins.
///
/// # Panics
/// If a run does not replay: then Dampf, not the model, is wrong, and no verdict must be given.
pub fn check_cycles<M: Acceptance + Movers, S: Numbered + Parent>(
    model: &M,
    store: &S,
    search: &CycleSearch,
    monitor: &Monitor,
) -> Outcome {
    let CycleSearch { algorithm, is_fair, options, .. } = search;
    let has_too_many = *is_fair && model.mover_count() > MOVERS_MAX;
    let mut seen = if has_too_many {
        let mut seen = Seen::default();
        let what = format!("fairness to more than {MOVERS_MAX} processes");
        seen.judgement.note_unsupported(Some(Unsupported { what }));
        seen
    } else {
        watched(&|| store.bytes(), options, monitor, || match (is_fair, algorithm) {
            (true, _) | (false, CycleAlgorithm::Components) => {
                components::search(model, store, *is_fair, options, monitor)
            }
            (false, CycleAlgorithm::Ndfs) => ndfs::search(model, store, options, monitor),
            (false, CycleAlgorithm::DualCore) => dual_core::search(model, store, options, monitor),
            (false, CycleAlgorithm::Cndfs) => cndfs::search(model, store, options, monitor),
        })
    };
    // What a search found under a refuted assumption is nothing.
    if !seen.judgement.refuted.is_empty() {
        (seen.lasso, seen.faults) = (None, Vec::new());
    }
    let mut runs = Runs::new(model, store);
    let mut findings = Vec::new();
    for met in &seen.faults {
        let finding = runs.finding(met);
        if !findings.iter().any(|known: &Finding| known.fault == finding.fault) {
            confirm_fault(model, &finding, options);
            findings.push(finding);
        }
    }
    if let Some(lasso) = &seen.lasso {
        let trail = runs.lasso(lasso);
        confirm_lasso(model, &trail, *is_fair, options);
        findings.push(Finding { fault: search.fault.clone(), trail });
    }
    let stopped = monitor.stopped();
    let statistics = monitor.snapshot().statistics(store.bytes());
    let certainty = (store.exactness(), statistics.states);
    let verdict = judge(&findings, &seen.judgement, stopped, certainty, options);
    debug_assert!(stopped != Some(StopReason::Fault) || !findings.is_empty());
    Outcome { verdict, statistics, findings, stopped, judgement: seen.judgement }
}

fn confirm_fault<M: Acceptance>(model: &M, finding: &Finding, options: &SearchOptions) {
    let replayed = replay_selected(model, &finding.trail, options.deadlocks, &options.faults)
        .unwrap_or_else(|error| panic!("a trail to a fault does not replay: {error}"));
    let ends_in = [replayed.fault, replayed.fault_beyond];
    assert!(ends_in.contains(&Some(finding.fault.clone())), "{ends_in:?} is not {}", finding.fault);
}

/// Runs a lasso again and looks at everything that it is said to be.
pub(crate) fn confirm_lasso<M: Acceptance + Movers>(model: &M, trail: &Trail, is_fair: bool, options: &SearchOptions) {
    let replayed = replay_selected(model, trail, options.deadlocks, &options.faults)
        .unwrap_or_else(|error| panic!("a lasso does not replay: {error}"));
    let cycle = &replayed.states[trail.stem.len()..];
    assert!(cycle.iter().any(|state| model.is_accepting(state)), "the cycle of a lasso passes no accepting state");
    if is_fair {
        let mut met: Sets = ACCEPTING;
        let (mut worker, mut out) = (model.worker(), Successors::new(model.width()));
        for (state, action) in cycle.iter().zip(&trail.cycle) {
            worker.successors(state, &mut out);
            let mut can_move: Sets = 0;
            for &step in out.actions() {
                model.movers(state, step, &mut |mover| can_move |= mover_set(mover));
            }
            model.movers(state, *action, &mut |mover| met |= mover_set(mover));
            met |= !can_move;
        }
        let wanted = (0..model.mover_count()).fold(ACCEPTING, |all, mover| all | mover_set(mover));
        assert_eq!(met & wanted, wanted, "the cycle of a lasso is not fair");
    }
}
