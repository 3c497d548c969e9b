//! A shorter run than one that was found with steps left out.
//!
//! A search of a reduced graph finds a run that is shortest there. The model may have a shorter one: the reduction
//! prefers steps that disturb nobody, whether or not they have to do with the fault. So a small search without
//! reduction follows, from the initial states. If it comes to a fault before its limit, that fault is a nearest one of
//! the model, and least in action order, whoever found the first. If it does not, the run is kept up to its middle,
//! and the search is repeated from there; then from three quarters, and so on.
//!
//! The limit is a number of states, never a time, and the search is the predictable one on one thread. So what comes
//! out is a function of the model and of the run that goes in. Every run that comes out is one of the model it was
//! searched on, and is replayed like any other.

use crate::{Monitor, SearchOptions, check};
use dampf_core::{Action, Finding, Model, Successors, Trail, Verdict, Word, Worker, replay_selected};
use dampf_store::TreeStore;

/// How many states of a width each of these searches should find: less than a second's work.
pub fn shortening_states_max(width: usize) -> u64 {
    const STATES: u64 = 100_000;
    /// With more words than this, what a state costs grows with them.
    const WORDS_FEW: usize = 32;
    STATES * WORDS_FEW as u64 / width.max(WORDS_FEW) as u64
}

/// A run of `model` to a fault that has fewer steps than this one, if a search with these options finds one. They say
/// how many states each of the searches may find.
pub fn shortened<M: Model>(
    model: &M,
    finding: &Finding,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Option<Finding> {
    shortened_from(model, finding, 0, options, monitor)
}

/// The same where the run is kept up to its middle from the beginning: nothing is to be found near the initial states.
pub fn shortened_behind<M: Model>(
    model: &M,
    finding: &Finding,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Option<Finding> {
    shortened_from(model, finding, finding.trail.stem.len() / 2, options, monitor)
}

fn shortened_from<M: Model>(
    model: &M,
    finding: &Finding,
    from: usize,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Option<Finding> {
    let Trail { initial, stem, cycle } = &finding.trail;
    if !cycle.is_empty() {
        return None;
    }
    let replay = replay_selected(model, &finding.trail, options.deadlocks, &options.faults).ok()?;
    let mut from = from;
    while from < stem.len() {
        let steps = stem.len() - from;
        let options = SearchOptions {
            threads: 1,
            deterministic: true,
            keep_going: false,
            max_depth: Some(steps as u64),
            ..options.clone()
        };
        // A limit ends one of the searches, Ctrl-C all of them.
        let within = monitor.within();
        let outcome = match from {
            0 => check(model, &TreeStore::new(model.width()), &options, &within),
            _ => {
                let onward = Onward { model, state: &replay.states[from] };
                check(&onward, &TreeStore::new(model.width()), &options, &within)
            }
        };
        if !outcome.judgement.refuted.is_empty() || monitor.is_stopped() {
            return None;
        }
        if let Verdict::Violated(found) = outcome.verdict {
            // What begins later on the run has no shorter end either.
            let is_shorter = found.trail.len() < steps;
            let begun = if from == 0 { found.trail.initial } else { *initial };
            let stem = [&stem[..from], &found.trail.stem].concat();
            return is_shorter.then(|| Finding { fault: found.fault, trail: Trail::ending(begun, stem) });
        }
        from += steps.div_ceil(2);
    }
    None
}

/// A model that begins in one of its states.
struct Onward<'a, M> {
    model: &'a M,
    state: &'a [Word],
}

impl<M: Model> Model for Onward<'_, M> {
    type Worker<'m>
        = OnwardWorker<'m, M::Worker<'m>>
    where
        Self: 'm;

    fn width(&self) -> usize {
        self.model.width()
    }

    fn worker(&self) -> Self::Worker<'_> {
        OnwardWorker { worker: self.model.worker(), state: self.state }
    }
}

struct OnwardWorker<'m, W> {
    worker: W,
    state: &'m [Word],
}

impl<W: Worker> Worker for OnwardWorker<'_, W> {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        out.push(Action(0), self.state);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        self.worker.successors(state, out);
    }
}
