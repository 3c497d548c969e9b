//! Looks for runs that violate properties, as the options say, and tells them.

use crate::cluster::{self, Attempt, Ranks};
use crate::earlier_properties::EarlierProperties;
use crate::engine::{Searched, search_options};
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{self, CheckOptions, CycleOption, Fairness};
use crate::progress::Progress;
use crate::properties::{Property, STARVES};
use crate::rounds::Round;
use crate::store_options::Store;
use crate::terminal::Terminal;
use dampf_core::{
    Acceptance, Describe, Fault, Finding, Model, Movers, Propositions, Sections, Statistics, Transfer, Verdict, Word,
    replay,
};
use dampf_dist::SoughtCycles;
use dampf_ltl::{
    CycleAlgorithm, CycleSearch, FairCopies, MOVERS_MAX, Product, check_cycles, check_ends, check_nested, confirmed,
    hopeless_from, projected, shortened,
};
use dampf_report::{Origin, Run};
use dampf_search::{Monitor, Outcome, judge};
use dampf_store::{ColouredTree, ExactStore, Exactness};
use std::sync::Arc;

/// A shorter run is looked for among so many states, unless it is asked for.
const SHORTENED_STATES_MAX: usize = 200_000;

/// Why it is not known whether every state leads on to an end where there is none: a program may be meant to go on for
/// ever, and another may lose its way in every run.
const NO_END_TO_MISS: &str = "no run ends at all, so no state can have lost its way to an end; a formula (--ltl) says what else runs are to come to";

/// What looking at properties came to.
pub struct Watched {
    pub searched: Searched,
    /// The number of the property that is violated, if one is.
    pub violated: Option<usize>,
}

/// What all searches of a round have in common.
pub struct CycleQuestion<'a> {
    pub origin: &'a Origin,
    pub round: &'a Round,
}

/// Looks at properties one after the other, until one is violated. A search that is resumed begins with the one that it
/// was at. Each counts as an attempt of its own.
pub fn search<M: Propositions + Acceptance + Movers + Transfer + Sections>(
    model: &M,
    properties: &[Property],
    question: &CycleQuestion,
    attempt: &mut Attempt,
    ranks: &mut Ranks,
    (options, terminal): (&CheckOptions, &Terminal),
) -> Result<Watched, Failure> {
    let round = question.round;
    let earlier = attempt.earlier.take().filter(|_| attempt.is_resumed && attempt.number == 0).unwrap_or_default();
    let mut watched = Watched { searched: Searched::alone(earlier.outcome()), violated: None };
    for (number, property) in properties.iter().enumerate().skip(earlier.count) {
        attempt.earlier = Some(EarlierProperties::new(number, &watched.searched.outcome));
        let before = watched.searched.outcome.statistics;
        let Searched { mut outcome, traffic, .. } =
            search_one(model, property, (question, attempt, before.states), ranks, (options, terminal))?;
        attempt.number += 1;
        watched.searched.traffic = traffic;
        outcome.statistics = together(before, outcome.statistics);
        let all = &mut watched.searched.outcome;
        let judgement = std::mem::take(&mut all.judgement);
        outcome.judgement.absorb(judgement);
        if let (Verdict::Verified, Verdict::Unknown(reason)) = (&outcome.verdict, &all.verdict) {
            outcome.verdict = Verdict::Unknown(reason.clone());
        }
        *all = outcome;
        if matches!(all.verdict, Verdict::Violated(_)) {
            watched.violated = Some(number);
        }
        if watched.violated.is_some() || all.stopped.is_some() {
            break;
        }
    }
    let limits = search_options(options, &round.clock, 0);
    let stopped = watched.searched.outcome.stopped.filter(|stop| stop.is_wanted());
    watched.searched.cut_short = stopped.map(|stop| stop.reason(&limits));
    Ok(watched)
}

/// The states of all searches count, and the largest store.
fn together(one: Statistics, other: Statistics) -> Statistics {
    Statistics {
        states: one.states + other.states,
        transitions: one.transitions + other.transitions,
        depth: one.depth.max(other.depth),
        store_bytes: one.store_bytes + other.store_bytes,
        frontier: one.frontier + other.frontier,
        faults: one.faults + other.faults,
    }
}

fn search_one<M: Propositions + Acceptance + Movers + Transfer + Sections>(
    model: &M,
    property: &Property,
    (question, attempt, states_before): (&CycleQuestion, &Attempt, u64),
    ranks: &mut Ranks,
    (options, terminal): (&CheckOptions, &Terminal),
) -> Result<Searched, Failure> {
    if property.is_of_ends && matches!(ranks, Ranks::One) && !options.deterministic {
        return Ok(Searched::alone(search_ends(model, (question.round, states_before), options, terminal)));
    }
    let product = product(model, property);
    let monitor = Arc::new(Monitor::new());
    interrupt::direct_to(&monitor);
    let shows = options.progress == options::Progress::Auto && ranks.speaks();
    let progress = Progress::start(&monitor, shows, terminal);
    let round = question.round;
    let search = CycleSearch {
        algorithm: algorithm(options),
        is_fair: property.is_fair || is_fair(options),
        fault: property.fault.clone(),
        options: search_options(options, &round.clock, round.states_before + states_before),
    };
    let searched = match ranks {
        _ if property.is_of_ends => {
            let mut alone = Ranks::Here { ranks: 1, threads: options.threads as u32 };
            let is_alone = matches!(ranks, Ranks::One);
            let ranks = if is_alone { &mut alone } else { ranks };
            search_on_ranks(model, (&search, true), (question, attempt), ranks, (options, &monitor))
                .map(|searched| Searched { traffic: searched.traffic.filter(|_| !is_alone), ..searched })
        }
        // The run that is the same for any number of threads and ranks is the one that ranks choose.
        Ranks::One if options.deterministic && !search.is_fair && options.cycles == CycleOption::Auto => {
            let mut alone = Ranks::Here { ranks: 1, threads: options.threads as u32 };
            search_on_ranks(&product, (&search, false), (question, attempt), &mut alone, (options, &monitor))
                .map(|searched| Searched { traffic: None, ..searched })
        }
        // To more than these nobody is fair, which is said at once.
        ranks if matches!(ranks, Ranks::One) || search.is_fair && product.mover_count() > MOVERS_MAX => {
            // Whole states are found faster, a compressed tree of them takes a third of the memory: who limits it wants
            // the latter.
            let is_compressed = options.store == Store::Tree && options.max_memory.is_some();
            let nests = search.algorithm == CycleAlgorithm::Ndfs && !search.is_fair && is_compressed;
            let outcome = if nests {
                check_nested(&product, &ColouredTree::coloured(product.width()), &search, &monitor)
            } else {
                check_cycles(&product, &ExactStore::new(product.width()), &search, &monitor)
            };
            Ok(Searched::alone(shorter(outcome, &product, search.is_fair, options)))
        }
        ranks if search.is_fair => search_on_ranks(
            &FairCopies::new(&product),
            (&search, false),
            (question, attempt),
            ranks,
            (options, &monitor),
        ),
        ranks => search_on_ranks(&product, (&search, false), (question, attempt), ranks, (options, &monitor)),
    };
    progress.finish();
    searched
}

/// Has a run that was found deep become a shorter one. (Ranks look for the shortest themselves.)
fn shorter<M: Acceptance>(mut outcome: Outcome, product: &M, is_fair: bool, options: &CheckOptions) -> Outcome {
    if let Verdict::Violated(finding) = &outcome.verdict {
        let states_max = if options.short { usize::MAX } else { SHORTENED_STATES_MAX };
        let shorter = shortened(product, finding, is_fair, states_max);
        let known = outcome.findings.iter_mut().filter(|known| known.fault == shorter.fault);
        known.for_each(|known| *known = shorter.clone());
        outcome.verdict = Verdict::Violated(Box::new(shorter));
    }
    outcome
}

/// Looks for cycles on all ranks.
fn search_on_ranks<P: Acceptance + Transfer + Sections>(
    product: &P,
    (search, of_ends): (&CycleSearch, bool),
    (question, attempt): (&CycleQuestion, &Attempt),
    ranks: &mut Ranks,
    (options, monitor): (&CheckOptions, &Monitor),
) -> Result<Searched, Failure> {
    let settings = cluster::settings(options, attempt, question.origin, product, ranks.parts())?;
    let is_accepting = |state: &[Word]| of_ends || product.is_accepting(state);
    let sought = SoughtCycles { is_accepting: &is_accepting, fault: &search.fault, of_ends };
    let mut summary = ranks.search_cycles(product, sought, (&search.options, &settings), monitor)?;
    for finding in summary.findings.iter_mut().filter(|finding| of_ends && !finding.trail.cycle.is_empty()) {
        finding.fault = hopeless_from(finding.trail.stem.len());
    }
    let certainty = (Exactness::Exact, summary.statistics.states);
    let verdict = judge(&summary.findings, &summary.judgement, summary.stopped, certainty, &search.options);
    let traffic = Some(cluster::traffic(&summary, &settings));
    let outcome = Outcome {
        verdict,
        statistics: summary.statistics,
        findings: summary.findings,
        stopped: summary.stopped,
        judgement: summary.judgement,
    };
    let outcome = if of_ends { without_ends(outcome) } else { outcome };
    Ok(Searched { outcome, traffic, cut_short: None })
}

/// Nothing is said of states that lead on to an end where there is none.
fn without_ends(mut outcome: Outcome) -> Outcome {
    if outcome.verdict == Verdict::Verified && !outcome.judgement.met_end {
        outcome.verdict = Verdict::Unknown(NO_END_TO_MISS.to_owned());
    }
    outcome
}

/// Looks for states from which no end can be reached.
fn search_ends<M: Acceptance + Movers>(
    model: &M,
    (round, states_before): (&Round, u64),
    options: &CheckOptions,
    terminal: &Terminal,
) -> Outcome {
    let monitor = Arc::new(Monitor::new());
    interrupt::direct_to(&monitor);
    let progress = Progress::start(&monitor, options.progress == options::Progress::Auto, terminal);
    let search = search_options(options, &round.clock, round.states_before + states_before);
    let outcome = check_ends(model, &ExactStore::new(model.width()), &search, &monitor);
    progress.finish();
    without_ends(outcome)
}

fn product<'a, M: Propositions + Acceptance>(model: &'a M, property: &'a Property) -> Product<'a, M> {
    match property.is_of_labels {
        true => Product::looking_on(model, &property.automaton),
        false => Product::new(model, &property.automaton),
    }
}

pub fn is_fair(options: &CheckOptions) -> bool {
    options.fairness == Fairness::Weak
}

/// How cycles are looked for, where nobody says how.
pub fn algorithm(options: &CheckOptions) -> CycleAlgorithm {
    match options.cycles {
        CycleOption::Ndfs => CycleAlgorithm::Ndfs,
        CycleOption::DualCore => CycleAlgorithm::DualCore,
        CycleOption::Cndfs => CycleAlgorithm::Cndfs,
        CycleOption::Scc => CycleAlgorithm::Components,
        _ if is_fair(options) => CycleAlgorithm::Components,
        _ if options.threads > 1 && !options.deterministic => CycleAlgorithm::Cndfs,
        _ => CycleAlgorithm::Ndfs,
    }
}

/// Replays the run of a violation on the bare front end, with the automaton beside it. A run that does not replay
/// proves nothing, so the verdict is unknown then.
pub fn told<'m, M: Describe + Propositions + Acceptance + Movers>(
    outcome: Outcome,
    reference: Option<&'m M>,
    property: &Property,
    options: &CheckOptions,
) -> (Outcome, Option<Run<'m, M>>) {
    let (Verdict::Violated(finding), Some(reference)) = (&outcome.verdict, reference) else {
        return (outcome, None);
    };
    let limits = dampf_search::SearchOptions {
        deadlocks: options.model.deadlocks(),
        faults: options.model.selection(),
        ..dampf_search::SearchOptions::default()
    };
    if property.is_of_ends {
        return told_ends(outcome, reference, &limits);
    }
    let is_cycle = finding.fault == property.fault;
    let bare = |finding: &Finding| Finding { trail: projected(&finding.trail), ..finding.clone() };
    let run =
        confirmed(&product(reference, property), finding, is_cycle, property.is_fair || is_fair(options), &limits)
            .and_then(|()| {
                let Finding { fault, trail } = named(reference, bare(finding));
                Run::ending_in(reference, trail, fault).map_err(|error| error.to_string())
            });
    match run {
        Ok(run) => {
            let bare = |finding: &Finding| named(reference, bare(finding));
            let verdict = Verdict::Violated(Box::new(bare(finding)));
            let findings = outcome.findings.iter().map(bare).collect();
            (Outcome { verdict, findings, ..outcome }, Some(run))
        }
        Err(reason) => {
            let verdict = Verdict::Unknown(format!(
                "a run that should violate `{}` does not replay: {reason}; this is an error in Dampf, please report it",
                property.automaton.name
            ));
            (Outcome { verdict, findings: Vec::new(), ..outcome }, None)
        }
    }
}

/// A run in which somebody starves, with the name of who it is.
fn named<M: Describe>(model: &M, finding: Finding) -> Finding {
    let Finding { fault, trail } = &finding;
    if fault.message != STARVES {
        return finding;
    }
    let Ok(replayed) = replay(model, trail, false) else { return finding };
    let waiting = model.describe_starving(&replayed.states[trail.stem.len()..], &trail.cycle);
    let message =
        waiting.map_or_else(|| fault.message.clone(), |who| format!("{who} waits for ever while others go on"));
    Finding { fault: Fault { message, ..fault.clone() }, ..finding }
}

/// Replays a run to where no end can be reached any more, or to another fault.
fn told_ends<'m, M: Describe>(
    outcome: Outcome,
    reference: &'m M,
    limits: &dampf_search::SearchOptions,
) -> (Outcome, Option<Run<'m, M>>) {
    let Verdict::Violated(finding) = &outcome.verdict else { return (outcome, None) };
    let Finding { fault, trail } = (**finding).clone();
    let run = match trail.cycle.is_empty() {
        true => Run::replay(reference, trail, limits.deadlocks, &limits.faults),
        false => Run::ending_in(reference, trail, fault),
    };
    match run {
        Ok(run) => (outcome, Some(run)),
        Err(error) => {
            let reason = format!("a run that should be a livelock does not replay: {error}");
            let verdict = Verdict::Unknown(format!("{reason}; this is an error in Dampf, please report it"));
            (Outcome { verdict, findings: Vec::new(), ..outcome }, None)
        }
    }
}
