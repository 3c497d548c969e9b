//! Runs a search on a model of any kind, as the options say.

use crate::failure::Failure;
use crate::options::{self, CheckOptions, Search};
use crate::progress::Progress;
use crate::terminal::Terminal;
use dampf_core::{Describe, Model, Verdict};
use dampf_report::Run;
use dampf_search::{Monitor, Order, Outcome, Stop};
use dampf_store::{ExactStore, TreeStore};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// Searches a model. `deadlocks` says whether one is a fault, `time_spent` what of the time limit is used up already.
pub fn search<M: Model>(
    model: &M,
    deadlocks: bool,
    time_spent: Duration,
    options: &CheckOptions,
    terminal: &Terminal,
) -> Result<Outcome, Failure> {
    let monitor = Arc::new(Monitor::new());
    stop_on_interrupt(&monitor)?;
    let progress = Progress::start(&monitor, options.progress == options::Progress::Auto, terminal);
    let search = dampf_search::Options {
        order: match options.search {
            Search::Bfs => Order::BreadthFirst,
            Search::Dfs => Order::DepthFirst,
        },
        threads: options.threads,
        deterministic: options.deterministic,
        keep_going: options.keep_going,
        deadlocks,
        max_depth: options.max_depth,
        max_states: options.max_states,
        max_time: options.max_time,
        time_spent,
        max_memory_bytes: options.max_memory,
    };
    let width = model.width();
    let outcome = match options.store {
        options::Store::Tree => dampf_search::check(model, &TreeStore::new(width), &search, &monitor),
        options::Store::Exact => dampf_search::check(model, &ExactStore::new(width), &search, &monitor),
    };
    progress.finish();
    Ok(outcome)
}

/// The first Ctrl-C ends the search that is under way, the second ends Dampf.
fn stop_on_interrupt(monitor: &Arc<Monitor>) -> Result<(), Failure> {
    static CURRENT: OnceLock<Mutex<Arc<Monitor>>> = OnceLock::new();
    if let Some(current) = CURRENT.get() {
        *current.lock().expect("nothing panics under this lock") = Arc::clone(monitor);
        return Ok(());
    }
    let current = CURRENT.get_or_init(|| Mutex::new(Arc::clone(monitor)));
    let pressed = AtomicBool::new(false);
    let handler = move || {
        if pressed.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        current.lock().expect("nothing panics under this lock").stop(Stop::Interrupted);
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::new(format!("cannot watch for Ctrl-C: {error}")))
}

/// Replays the run of a violation on the bare front end. A run that does not replay proves nothing, so the
/// verdict is unknown then.
pub fn told<M: Describe>(outcome: Outcome, reference: Option<&M>, deadlocks: bool) -> (Outcome, Option<Run<'_, M>>) {
    let (Verdict::Violated(finding), Some(reference)) = (&outcome.verdict, reference) else {
        return (outcome, None);
    };
    let reason = match Run::replay(reference, finding.trail.clone(), deadlocks) {
        Ok(run) if run.fault() == Some(&finding.fault) => return (outcome, Some(run)),
        Ok(_) => format!("a run that should end in `{}` does not", finding.fault),
        Err(error) => format!("a run that should end in `{}` does not replay: {error}", finding.fault),
    };
    let verdict = Verdict::Unknown(format!("{reason}; this is an error in Dampf, please report it"));
    (Outcome { verdict, findings: Vec::new(), ..outcome }, None)
}
