//! Runs a search on a model of any kind, as the options say.

use crate::cluster::{self, Attempt, Ranks};
use crate::contents::Contents;
use crate::disk;
use crate::failure::Failure;
use crate::front_end::{FrontEnd, Made};
use crate::interrupt;
use crate::options::{self, CheckOptions, Search};
use crate::progress::Progress;
use crate::rounds::{Clock, Round};
use crate::store_options::Store;
use crate::terminal::{Terminal, complain};
use dampf_core::{Describe, Finding, Observations, Restore, Sections, Transfer, Verdict, replay_selected};
use dampf_report::{Origin, Run, Traffic};
use dampf_search::{
    Direction, Heuristic, Measure, Monitor, Order, Outcome, StopReason, check_a_star, check_deepening, check_directed,
    check_directed_carrying, judge,
};
use dampf_store::{BitstateStore, ExactStore, Exactness, HashCompactStore, ReconstructingStore, TreeStore};
use std::num::NonZeroUsize;
use std::sync::Arc;

/// How many states of a level a beam has, where nobody says.
const BEAM_WIDTH: usize = 1000;

/// What a search came to.
pub struct Searched {
    pub outcome: Outcome,
    pub traffic: Option<Traffic>,
    /// Why the search ended before its end, if somebody wanted it to.
    pub cut_short: Option<String>,
}

impl Searched {
    /// A search by one process that nobody ended.
    pub fn alone(outcome: Outcome) -> Searched {
        Searched { outcome, traffic: None, cut_short: None }
    }
}

/// What is asked about a model.
pub struct Question<'a> {
    pub origin: &'a Origin,
    pub round: &'a Round,
    /// Where what the states are made of is.
    pub contents: &'a Contents,
    /// Whether scouts are sent ahead of a breadth-first search.
    pub sends_scouts: bool,
    /// What directed searches go by, where it is said.
    pub heuristic: Option<&'a Heuristic>,
}

/// What every engine together asks of a model.
pub trait Searchable: Transfer + Restore + Sections + Observations {}

impl<M: Transfer + Restore + Sections + Observations> Searchable for M {}

/// What the options say about a search, of whose limits earlier rounds have used up so much.
pub fn search_options(options: &CheckOptions, clock: &Clock, states_before: u64) -> dampf_search::SearchOptions {
    dampf_search::SearchOptions {
        order: match options.search {
            Search::Dfs => Order::DepthFirst,
            Search::StackSlicing => Order::StackSlicing(options.handoff.unwrap_or_default()),
            _ => Order::BreadthFirst,
        },
        threads: options.threads,
        deterministic: options.deterministic,
        keep_going: options.keep_going,
        deadlocks: options.model.deadlocks(),
        faults: options.model.selection(),
        max_depth: options.max_depth,
        max_states: options.max_states.map(|limit| limit.saturating_sub(states_before).max(1)),
        max_time: options.max_time,
        time_spent: clock.elapsed(),
        max_memory_bytes: options.max_memory,
    }
}

/// Searches a model.
pub fn search<M: Searchable>(
    model: &M,
    question: &Question,
    attempt: &mut Attempt,
    ranks: &mut Ranks,
    options: &CheckOptions,
    terminal: &Terminal,
) -> Result<Searched, Failure> {
    let &Question { origin, round, contents, sends_scouts, heuristic } = question;
    let monitor = Arc::new(Monitor::new());
    interrupt::direct_to(&monitor);
    let shows = options.progress == options::Progress::Auto && ranks.speaks();
    let progress = Progress::start(&monitor, shows, terminal);
    let search = search_options(options, &round.clock, round.states_before);
    let width = model.width();
    let mut trouble = None;
    let searched: Result<Searched, Failure> = contents.watched(&monitor, || match (&mut *ranks, options.store) {
        (Ranks::One, _) if options.search.is_directed() || options.search == Search::BestFirst => {
            search_directed(model, heuristic, &search, options, &monitor).map(Searched::alone)
        }
        (Ranks::One, Store::Tree) if sends_scouts => {
            let outcome = dampf_search::check_with_scouts(model, &TreeStore::new(width), &search, &monitor);
            Ok(Searched::alone(outcome))
        }
        (Ranks::One, Store::Tree) => {
            let outcome = dampf_search::check(model, &TreeStore::new(width), &search, &monitor);
            Ok(Searched::alone(outcome))
        }
        (Ranks::One, Store::Exact) => {
            let outcome = dampf_search::check(model, &ExactStore::new(width), &search, &monitor);
            Ok(Searched::alone(outcome))
        }
        (Ranks::One, Store::HashCompact { bits }) => {
            let outcome = dampf_search::check_carrying(model, &HashCompactStore::new(bits), &search, &monitor);
            Ok(Searched::alone(outcome))
        }
        (Ranks::One, Store::Bitstate(bitstate)) => {
            let (filter, runs) = (bitstate.filter(options.max_memory), bitstate.runs());
            let outcome = dampf_search::check_in_runs(model, filter, runs, &search, &monitor).map_err(no_memory)?;
            Ok(Searched::alone(outcome))
        }
        (Ranks::One, Store::Reconstruct { steps }) => {
            let store = ReconstructingStore::new(model, steps);
            let outcome = dampf_search::check_in_order(model, &store, &search, &monitor);
            Ok(Searched::alone(outcome))
        }
        (Ranks::One, Store::Disk) => {
            // The contents have a share of the memory, if they are not all in it anyway.
            let share = if contents.is_on_disk() { Contents::share(options.max_memory) } else { 0 };
            let max_memory_bytes = search.max_memory_bytes.map(|limit| limit - share);
            let search = dampf_search::SearchOptions { max_memory_bytes, ..search.clone() };
            let outcome = disk::search(model, &search, options, (attempt, origin), &monitor)?;
            Ok(Searched::alone(outcome))
        }
        _ => {
            let settings = cluster::settings(options, attempt, origin, model, ranks.parts())?;
            let summary = ranks.search(model, &search, &settings, &monitor)?;
            trouble = summary.checkpoint_trouble.clone().filter(|_| ranks.speaks());
            let certainty = (Exactness::Exact, summary.statistics.states);
            let verdict = judge(&summary.findings, &summary.judgement, summary.stopped, certainty, &search);
            let traffic = Some(cluster::traffic(&summary, &settings));
            let outcome = Outcome {
                verdict,
                statistics: summary.statistics,
                findings: summary.findings,
                stopped: summary.stopped,
                judgement: summary.judgement,
            };
            Ok(Searched { outcome, traffic, cut_short: None })
        }
    });
    let mut searched = searched?;
    let limits = search_options(options, &round.clock, 0);
    searched.cut_short = searched.outcome.stopped.filter(|stop| stop.is_wanted()).map(|stop| stop.reason(&limits));
    if let (Verdict::Unknown(reason), Some(StopReason::StateLimit)) =
        (&mut searched.outcome.verdict, searched.outcome.stopped)
    {
        // What earlier rounds used up is part of the limit.
        *reason = reason.replacen(&StopReason::StateLimit.reason(&search), &StopReason::StateLimit.reason(&limits), 1);
    }
    progress.finish();
    if let Some(trouble) = trouble {
        complain(&format!("warning: checkpoints could not be written any more: {trouble}\n"));
    }
    attempt.number += 1;
    Ok(searched)
}

/// Searches in the order that a heuristic says.
fn search_directed<M: Observations>(
    model: &M,
    heuristic: Option<&Heuristic>,
    search: &dampf_search::SearchOptions,
    options: &CheckOptions,
    monitor: &Monitor,
) -> Result<Outcome, Failure> {
    let by_default = |measure: Measure| heuristic.cloned().unwrap_or_else(|| Heuristic(vec![measure]));
    let (direction, heuristic) = match options.search {
        Search::Astar => return Ok(check_a_star(model, &by_default(Measure::MostBlocked), search, monitor)),
        Search::Idastar => return Ok(check_deepening(model, &by_default(Measure::MostBlocked), search, monitor)),
        Search::Iddfs => return Ok(check_deepening(model, &Heuristic::default(), search, monitor)),
        Search::Beam => {
            let width = options.beam_width.map_or(BEAM_WIDTH, NonZeroUsize::get);
            (Direction::Beam { width }, by_default(Measure::LockAndBlock))
        }
        Search::Random => (Direction::Random { seed: options.seed.unwrap_or(0) }, Heuristic::default()),
        _ => (Direction::BestFirst, by_default(Measure::LockAndBlock)),
    };
    let (width, how) = (model.width(), (direction, &heuristic));
    Ok(match options.store {
        Store::Tree => check_directed(model, &TreeStore::new(width), how, search, monitor),
        Store::Exact => check_directed(model, &ExactStore::new(width), how, search, monitor),
        Store::Reconstruct { steps } => {
            check_directed(model, &ReconstructingStore::new(model, steps), how, search, monitor)
        }
        Store::HashCompact { bits } => {
            check_directed_carrying(model, &HashCompactStore::new(bits), how, search, monitor)
        }
        Store::Bitstate(bitstate) => {
            let filter = BitstateStore::new(bitstate.filter(options.max_memory), 0).map_err(no_memory)?;
            check_directed_carrying(model, &filter, how, search, monitor)
        }
        Store::Disk => unreachable!("refused where options are checked: what waits there are levels"),
    })
}

/// A filter that is larger than what there is.
fn no_memory(error: std::io::Error) -> Failure {
    Failure::with_help(
        format!("the system has no memory for the filter of --store bitstate: {error}"),
        "give it a size that there is, as in --store bitstate:512M",
    )
}

/// Makes runs of what was searched runs of the bare front end, where what is interchangeable was exchanged in between,
/// or a step stands for several. The faults are told as they are met there. A run that is none there is kept as it is,
/// and will not replay.
pub fn lifted<F: FrontEnd>(outcome: Outcome, made: &Made<F::Model>, options: &options::ModelOptions) -> Outcome {
    let lift = |finding: &Finding| {
        let trail = F::lifted(made, &finding.trail).filter(|trail| *trail != finding.trail)?;
        let replay = replay_selected(made.bare(), &trail, options.deadlocks(), &options.selection()).ok()?;
        Some(Finding { fault: replay.fault?, trail })
    };
    let lift = |finding: &Finding| lift(finding).unwrap_or_else(|| finding.clone());
    let verdict = match &outcome.verdict {
        Verdict::Violated(finding) => Verdict::Violated(Box::new(lift(finding))),
        verdict => verdict.clone(),
    };
    let findings = outcome.findings.iter().map(lift).collect();
    Outcome { verdict, findings, ..outcome }
}

/// Replays the run of a violation on the bare front end. A run that does not replay proves nothing, so the
/// verdict is unknown then.
pub fn told<'m, M: Describe>(
    outcome: Outcome,
    reference: Option<&'m M>,
    options: &options::ModelOptions,
) -> (Outcome, Option<Run<'m, M>>) {
    let (Verdict::Violated(finding), Some(reference)) = (&outcome.verdict, reference) else {
        return (outcome, None);
    };
    let reason = match Run::replay(reference, finding.trail.clone(), options.deadlocks(), &options.selection()) {
        Ok(run) if run.fault() == Some(&finding.fault) => return (outcome, Some(run)),
        Ok(_) => format!("a run that should end in `{}` does not", finding.fault),
        Err(error) => format!("a run that should end in `{}` does not replay: {error}", finding.fault),
    };
    let verdict = Verdict::Unknown(format!("{reason}; this is an error in Dampf, please report it"));
    (Outcome { verdict, findings: Vec::new(), ..outcome }, None)
}
