//! The search for accepting cycles: which algorithm, and what its result means.
//!
//! The algorithms are a file each: `ndfs.rs` (one thread, nested depth-first), `dual_core.rs` (the same with a thread
//! for each of the two searches), `cndfs.rs` (any number of threads) and `components.rs` (strongly connected
//! components, and fair runs). They share what a thread does with a state (`explorer.rs`), their stack (`path.rs`) and
//! what becomes of a lasso (`lasso.rs`, `shorter.rs`).
//!
//! Every lasso is replayed on the model before it is returned, and seen to close, to pass an accepting state and, where
//! that is asked, to be fair.

mod cndfs;
mod components;
mod dual_core;
mod ends;
mod explorer;
mod lasso;
mod ndfs;
mod path;
mod shorter;

use dampf_core::{
    Acceptance, Fault, FaultKind, Finding, Movers, Successors, Trail, Unsupported, Word, Worker, replay_selected,
};
use dampf_search::{Monitor, Outcome, SearchOptions, StopReason, judge, watched};
use dampf_store::{Coloured, Numbered, Parent, Retrieve};
pub use explorer::MOVERS_MAX;
use explorer::{Sets, mover_set};
use lasso::{Runs, Seen};
pub use shorter::shortened;

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
pub fn check_cycles<M: Acceptance + Movers, S: Numbered + Parent + Coloured>(
    model: &M,
    store: &S,
    search: &CycleSearch,
    monitor: &Monitor,
) -> Outcome {
    let CycleSearch { algorithm, is_fair, options, .. } = search;
    let has_too_many = *is_fair && model.mover_count() > MOVERS_MAX;
    let seen = if has_too_many {
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
    concluded(model, store, seen, search, monitor)
}

/// The same by nested depth-first search with one thread, of runs that need not be fair: it asks less of a store.
///
/// # Panics
/// If a run does not replay, as above.
pub fn check_nested<M: Acceptance + Movers, S: Coloured>(
    model: &M,
    store: &S,
    search: &CycleSearch,
    monitor: &Monitor,
) -> Outcome {
    debug_assert!(!search.is_fair && search.algorithm == CycleAlgorithm::Ndfs);
    let options = &search.options;
    let seen = watched(&|| store.bytes(), options, monitor, || ndfs::search(model, store, options, monitor));
    concluded(model, store, seen, search, monitor)
}

/// Makes runs of what a search has seen, replays them, and says what the verdict is.
fn concluded<M: Acceptance + Movers, S: Retrieve>(
    model: &M,
    store: &S,
    mut seen: Seen,
    search: &CycleSearch,
    monitor: &Monitor,
) -> Outcome {
    let options = &search.options;
    // What a search found under a refuted assumption is nothing.
    if !seen.judgement.refuted.is_empty() {
        (seen.lasso, seen.faults) = (None, Vec::new());
    }
    let mut runs = Runs::new(model, store);
    let mut findings = Vec::new();
    for met in &seen.faults {
        let finding = runs.finding(met);
        if !findings.iter().any(|known: &Finding| known.fault == finding.fault) {
            confirm(model, &finding, false, search);
            findings.push(finding);
        }
    }
    if let Some(lasso) = &seen.lasso {
        let trail = runs.lasso(lasso);
        let finding = Finding { fault: search.fault.clone(), trail };
        confirm(model, &finding, true, search);
        findings.push(finding);
    }
    let stopped = monitor.stopped();
    let statistics = monitor.snapshot().statistics(store.bytes());
    let certainty = (store.exactness(), statistics.states);
    let verdict = judge(&findings, &seen.judgement, stopped, certainty, options);
    debug_assert!(stopped != Some(StopReason::Fault) || !findings.is_empty());
    Outcome { verdict, statistics, findings, stopped, judgement: seen.judgement }
}

fn confirm<M: Acceptance + Movers>(model: &M, finding: &Finding, is_cycle: bool, search: &CycleSearch) {
    if let Err(reason) = confirmed(model, finding, is_cycle, search.is_fair, &search.options) {
        panic!("a run to {} does not replay: {reason}", finding.fault);
    }
}

/// What is wrong with a run from which no end can be reached any more behind so many steps.
pub fn hopeless_from(steps: usize) -> Fault {
    let message = format!("from step {} on no end can be reached any more, though other runs end", steps.max(1));
    Fault { kind: FaultKind::Livelock, message, location: None }
}

/// Looks for a state from which no end can be reached, though some run ends, and for all other faults of the model on
/// the way. The store is empty when the search begins.
///
/// # Panics
/// If a run does not replay, as above.
pub fn check_ends<M: Acceptance + Movers, S: Numbered + Parent>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Outcome {
    let (mut seen, steps) =
        watched(&|| store.bytes(), options, monitor, || ends::search(model, store, options, monitor));
    if !seen.judgement.refuted.is_empty() {
        (seen.lasso, seen.faults) = (None, Vec::new());
    }
    let mut runs = Runs::new(model, store);
    let mut findings: Vec<Finding> = seen.faults.iter().map(|met| runs.finding(met)).collect();
    if let Some(lasso) = &seen.lasso {
        findings.push(Finding { fault: hopeless_from(steps), trail: runs.lasso(lasso) });
        monitor.stop(StopReason::Fault);
    }
    for Finding { fault, trail } in &findings {
        if let Err(error) = replay_selected(model, trail, options.deadlocks, &options.faults) {
            panic!("a run to {fault} does not replay: {error}");
        }
    }
    let stopped = monitor.stopped();
    let statistics = monitor.snapshot().statistics(store.bytes());
    let certainty = (store.exactness(), statistics.states);
    let verdict = judge(&findings, &seen.judgement, stopped, certainty, options);
    Outcome { verdict, statistics, findings, stopped, judgement: seen.judgement }
}

/// Runs a finding again and looks at everything that it is said to be: a run to a fault, or, where it `is_cycle`, a
/// lasso whose cycle passes an accepting state and, where it has to be, is fair; or a run that brings the automaton to
/// a final location.
pub fn confirmed<M: Acceptance + Movers>(
    model: &M,
    finding: &Finding,
    is_cycle: bool,
    is_fair: bool,
    options: &SearchOptions,
) -> Result<(), String> {
    let Finding { fault, trail } = finding;
    let replayed =
        replay_selected(model, trail, options.deadlocks, &options.faults).map_err(|error| error.to_string())?;
    if trail.cycle.is_empty() {
        let ends_in = [replayed.fault, replayed.fault_beyond];
        let is_there = ends_in.iter().flatten().any(|end| end == fault || is_cycle && end.kind == FaultKind::Property);
        return if is_there { Ok(()) } else { Err(format!("it ends in {ends_in:?}, not in {fault}")) };
    }
    let cycle = &replayed.states[trail.stem.len()..];
    if !cycle.iter().any(|state| model.is_accepting(state)) {
        return Err("its cycle passes no accepting state".to_owned());
    }
    if is_fair && !is_fair_cycle(model, cycle, trail) {
        return Err("its cycle is not fair".to_owned());
    }
    Ok(())
}

/// Whether everybody who can move in all states of a cycle does move along it.
fn is_fair_cycle<M: Movers>(model: &M, cycle: &[Vec<Word>], trail: &Trail) -> bool {
    let mut met: Sets = 0;
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
    let wanted = (0..model.mover_count()).fold(0, |all, mover| all | mover_set(mover));
    met & wanted == wanted
}
