//! Runs a search on a model of any kind, as the options say.

use crate::cluster::{self, Attempt, Ranks};
use crate::contents::Contents;
use crate::disk;
use crate::failure::Failure;
use crate::options::{self, CheckOptions, Search};
use crate::progress::Progress;
use crate::terminal::{Terminal, complain};
use dampf_core::{Describe, Restore, Sections, Transfer, Verdict};
use dampf_report::{Origin, Run, Traffic};
use dampf_search::{Monitor, Order, Outcome, Stop, judge};
use dampf_store::{ExactStore, TreeStore};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// What a search came to.
pub struct Searched {
    pub outcome: Outcome,
    pub traffic: Option<Traffic>,
    /// Why the search ended before its end, if somebody wanted it to.
    pub cut_short: Option<String>,
}

/// What is asked about a model.
pub struct Question<'a> {
    pub origin: &'a Origin,
    /// Whether a deadlock is a fault.
    pub deadlocks: bool,
    /// What of the time limit is used up already.
    pub time_spent: Duration,
    /// Where what the states are made of is.
    pub contents: &'a Contents,
}

/// Searches a model.
pub fn search<M: Transfer + Restore + Sections>(
    model: &M,
    question: &Question,
    attempt: &mut Attempt,
    ranks: &mut Ranks,
    options: &CheckOptions,
    terminal: &Terminal,
) -> Result<Searched, Failure> {
    let &Question { origin, deadlocks, time_spent, contents } = question;
    let monitor = Arc::new(Monitor::new());
    stop_on_interrupt(&monitor, ranks.are_processes().then(|| options.cluster.checkpoint.clone()))?;
    let shows = options.progress == options::Progress::Auto && ranks.speaks();
    let progress = Progress::start(&monitor, shows, terminal);
    let search = dampf_search::Options {
        order: match options.search {
            Search::Dfs => Order::DepthFirst,
            Search::Bfs | Search::FirstCome | Search::BestFirst => Order::BreadthFirst,
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
    let mut trouble = None;
    let searched: Result<Searched, Failure> = contents.watched(&monitor, || match (&mut *ranks, options.store) {
        (Ranks::One, options::Store::Tree) => {
            let outcome = dampf_search::check(model, &TreeStore::new(width), &search, &monitor);
            Ok(Searched { outcome, traffic: None, cut_short: None })
        }
        (Ranks::One, options::Store::Exact) => {
            let outcome = dampf_search::check(model, &ExactStore::new(width), &search, &monitor);
            Ok(Searched { outcome, traffic: None, cut_short: None })
        }
        (Ranks::One, options::Store::Disk) => {
            // The contents have a share of the memory, if they are not all in it anyway.
            let share = if contents.is_on_disk() { Contents::share(options.max_memory) } else { 0 };
            let max_memory_bytes = search.max_memory_bytes.map(|limit| limit - share);
            let search = dampf_search::Options { max_memory_bytes, ..search };
            let outcome = disk::search(model, &search, options, (attempt, origin), &monitor)?;
            Ok(Searched { outcome, traffic: None, cut_short: None })
        }
        _ => {
            let settings = cluster::settings(options, attempt, origin, model, ranks.parts())?;
            let summary = ranks.search(model, &search, &settings, &monitor)?;
            trouble = summary.checkpoint_trouble.clone().filter(|_| ranks.speaks());
            let unsupported = summary.unsupported.as_ref();
            let verdict = judge(&summary.findings, unsupported, summary.stopped, summary.truncated, &search);
            let traffic = Some(cluster::traffic(&summary, &settings));
            let outcome = Outcome {
                verdict,
                statistics: summary.statistics,
                findings: summary.findings,
                stopped: summary.stopped,
                refuted: summary.refuted,
            };
            Ok(Searched { outcome, traffic, cut_short: None })
        }
    });
    let mut searched = searched?;
    searched.cut_short = searched.outcome.stopped.filter(|stop| stop.is_wanted()).map(|stop| stop.reason(&search));
    progress.finish();
    if let Some(trouble) = trouble {
        complain(&format!("warning: checkpoints could not be written any more: {trouble}\n"));
    }
    attempt.number += 1;
    Ok(searched)
}

/// Set when everything is done but to end.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// From now on, requests to end change nothing.
pub fn end_of_searches() {
    IS_OVER.store(true, Ordering::Relaxed);
}

/// The first Ctrl-C (or request to terminate) ends the search that is under way, the second ends Dampf. Ranks that are `processes` are ended by
/// whoever started them, because another rank is gone or the user wants it: then there is no time left, and only the way on is told.
fn stop_on_interrupt(monitor: &Arc<Monitor>, processes: Option<Option<PathBuf>>) -> Result<(), Failure> {
    static CURRENT: OnceLock<Mutex<Arc<Monitor>>> = OnceLock::new();
    if let Some(current) = CURRENT.get() {
        *current.lock().expect("nothing panics under this lock") = Arc::clone(monitor);
        return Ok(());
    }
    let current = CURRENT.get_or_init(|| Mutex::new(Arc::clone(monitor)));
    let pressed = AtomicBool::new(false);
    let handler = move || {
        if IS_OVER.load(Ordering::Relaxed) {
            return;
        }
        if let Some(checkpoint) = &processes {
            cluster::say_how_to_go_on(checkpoint.as_deref());
            std::process::exit(3);
        }
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
