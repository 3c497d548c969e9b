//! The loop of every search that keeps its states in memory and commits them as they come: take a batch from the
//! frontier, expand it, commit what was found, put it into the frontier. Searches differ in their frontiers only.
//!
//! **Looking past known states.** A store that is not exact may take a new state for a known one, and what only that
//! leads to would be lost with it: in graphs with long ways and few branches, fifty states for every one. So where a
//! store is likely to be wrong ([`LOOK_FROM`]) and states have few steps ([`FEW_STEPS`]), the successors of states that
//! it takes for known are looked up too. Nearly all of them are known; one that is not has been found all the same.

use crate::expand::{Expander, Explored, Judgement, Sink};
use crate::frontier::{Frontier, States};
use crate::rebuild::Route;
use crate::recall::Recall;
use crate::{FINDINGS_MAX, Monitor, SearchOptions, StopReason};
use dampf_core::{Action, Fault, Model, Successors, Trail, Word};
use dampf_store::{Exactness, Inserted, Session, StateRef, Store};
use std::convert::Infallible;

/// From which probability on, that a new state is taken for a known one, it is worth the time to look past these.
const LOOK_FROM: f64 = 1e-4;
/// Where states have more steps than this, on average, there are other ways to what a lost state leads to, and most of
/// the time would be spent with looking.
const FEW_STEPS: u64 = 3;

/// Where a fault was met.
#[derive(Clone, Debug)]
pub(crate) struct Discovery {
    pub fault: Fault,
    /// To the faulty state, or to the state that the faulty step leaves.
    pub route: Route,
    /// The index of the faulty step among the successors.
    pub step: Option<usize>,
}

/// What exploring a space has come to.
#[derive(Default)]
pub(crate) struct Traversal {
    /// Different faults, the first first.
    pub discoveries: Vec<Discovery>,
    pub judgement: Judgement,
}

impl Traversal {
    /// Notes a fault unless one like it is known.
    pub fn note(&mut self, discovery: Discovery) {
        if self.wants(&discovery.fault) {
            self.discoveries.push(discovery);
        }
    }

    /// Whether a fault would be noted. There may be one in every state, so routes are looked for only then.
    pub fn wants(&self, fault: &Fault) -> bool {
        self.discoveries.len() < FINDINGS_MAX && self.discoveries.iter().all(|known| known.fault != *fault)
    }

    pub fn absorb(&mut self, other: Traversal) {
        other.discoveries.into_iter().for_each(|discovery| self.note(discovery));
        self.judgement.absorb(other.judgement);
    }

    /// Adds the initial states to a store, calling `new` for each with its number. False where the search is over
    /// before it began.
    pub fn begin<M: Model, S: Store>(
        &mut self,
        model: &M,
        store: &S,
        (options, monitor): (&SearchOptions, &Monitor),
        mut new: impl FnMut(usize, StateRef, &[Word]),
    ) -> bool {
        let mut expander = Expander::new(model, options);
        let mut session = store.session();
        let initial = expander.begin(|number, fault| {
            monitor.add_fault();
            let route = Route::Known(Trail::ending(number as u64, Vec::new()));
            self.note(Discovery { fault, route, step: None });
        });
        for number in (0..initial.len()).filter(|&number| initial.leads_on(number)) {
            let state = initial.state(number);
            let pending = session.prepare(state);
            if let Inserted::New(name) = session.commit(pending, state, None) {
                monitor.add(1, 0);
                new(number, name, state);
            }
        }
        self.judgement.absorb(expander.take_judgement());
        if !self.judgement.refuted.is_empty() {
            monitor.stop(StopReason::Refuted);
        }
        self.judgement.ends_search(options).is_none()
    }

    /// Explores with a frontier for each thread, made by `frontier` from the thread's number.
    pub fn explore<R: Recall<S>, M: Model, S: Store, F: Frontier>(
        &mut self,
        model: &M,
        (store, recall): (&S, &R),
        (options, monitor): (&SearchOptions, &Monitor),
        frontier: impl Fn(usize) -> F + Sync,
    ) {
        let work = |number: usize| {
            let mut thread = Thread::<R, M, S, F> {
                expander: Expander::new(model, options),
                exactness: store.exactness(),
                session: store.session(),
                frontier: frontier(number),
                options,
                monitor,
                traversal: Traversal::default(),
                pending: Vec::new(),
                met: Vec::new(),
                notes: recall.notes(),
                carried: Vec::new(),
                known: Known::default(),
            };
            thread.run(States::new(R::carried(model.width())));
            thread.traversal.judgement.absorb(thread.expander.take_judgement());
            thread.traversal.judgement.truncated |= thread.frontier.truncated();
            thread.traversal
        };
        let work = &work;
        std::thread::scope(|scope| {
            let threads: Vec<_> = (1..options.threads).map(|number| scope.spawn(move || work(number))).collect();
            self.absorb(work(0));
            for thread in threads {
                self.absorb(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
        });
    }
}

/// A fault that a batch met: the number of the state, the faulty step, the fault.
type Met = (usize, Option<usize>, Fault);

struct Thread<'a, R: Recall<S> + 'a, M: Model, S: Store + 'a, F> {
    expander: Expander<'a, M>,
    exactness: Exactness,
    session: S::Session<'a>,
    frontier: F,
    options: &'a SearchOptions,
    monitor: &'a Monitor,
    traversal: Traversal,
    pending: Vec<<S::Session<'a> as Session>::Pending>,
    met: Vec<Met>,
    notes: R::Notes<'a>,
    /// What will wait with a state that was found.
    carried: Vec<Word>,
    known: Known,
}

/// States that a store has taken for known, to be looked past.
#[derive(Default)]
struct Known {
    is_collected: bool,
    /// The number of the state in the batch from which a step with this label leads to one.
    steps: Vec<(usize, Action)>,
    words: Vec<Word>,
    /// How many states there are when it is to be decided again whether to look.
    decide_at: u64,
}

impl<R: Recall<S>, M: Model, S: Store, F: Frontier> Thread<'_, R, M, S, F> {
    fn run(&mut self, mut batch: States) {
        while self.frontier.take(&mut batch) {
            let mut sink = Committing::<R, S, F> {
                batch: &batch,
                session: &mut self.session,
                frontier: &mut self.frontier,
                pending: &mut self.pending,
                met: &mut self.met,
                monitor: self.monitor,
                found: 0,
                notes: &mut self.notes,
                carried: &mut self.carried,
                known: &mut self.known,
            };
            let Ok(steps) = self.expander.expand(batch.names(), &mut sink);
            let states = self.monitor.add(sink.found, steps);
            if self.exactness != Exactness::Exact {
                self.look_past_known(&batch, states);
            }
            if !self.expander.judgement().refuted.is_empty() {
                self.monitor.stop(StopReason::Refuted);
            }
            if self.options.max_states.is_some_and(|limit| states >= limit) {
                self.monitor.stop(StopReason::StateLimit);
            }
            if !self.met.is_empty() {
                self.note_faults(&batch);
            }
            self.frontier.finish_batch();
            (0..batch.len()).for_each(|number| R::finish(&mut self.notes, batch.words(number)));
            batch.clear();
        }
    }

    /// Looks the successors of states up that the store has taken for known. Not where depth is limited, because they
    /// are a step further away than what else is found from the batch.
    fn look_past_known(&mut self, batch: &States, states: u64) {
        let width = self.known.words.len() / self.known.steps.len().max(1);
        let mut found = 0;
        // What waits with the state that is looked past.
        let mut past = Vec::new();
        for (&(number, action), words) in self.known.steps.iter().zip(self.known.words.chunks_exact(width.max(1))) {
            if self.monitor.is_stopped() {
                break;
            }
            let mut is_noted = false;
            let successors = self.expander.successors_of(words);
            for step in (0..successors.len()).filter(|&step| successors.leads_on(step)) {
                let next = successors.state(step);
                let pending = self.session.prepare(next);
                let Inserted::New(name) = self.session.commit(pending, next, None) else { continue };
                if !std::mem::replace(&mut is_noted, true) {
                    R::find(&mut self.notes, batch.words(number), action, words, &mut past);
                }
                R::find(&mut self.notes, &past, successors.action(step), next, &mut self.carried);
                self.frontier.expands(words);
                self.frontier.put(name, &self.carried, next, successors.action(step));
                found += 1;
            }
            if is_noted {
                R::finish(&mut self.notes, &past);
            }
        }
        self.known.steps.clear();
        self.known.words.clear();
        let states = self.monitor.add(found, 0).max(states);
        if states >= self.known.decide_at && self.options.max_depth.is_none() {
            let is_likely_wrong = self.exactness.mistake_probability(states) >= LOOK_FROM;
            self.known.is_collected = is_likely_wrong && self.monitor.snapshot().transitions <= FEW_STEPS * states;
            self.known.decide_at = states + states / 16 + 64;
        }
    }

    #[cold]
    fn note_faults(&mut self, batch: &States) {
        for (number, step, fault) in self.met.drain(..) {
            self.monitor.add_fault();
            if self.traversal.wants(&fault) {
                let route = R::route(&self.notes, batch.words(number));
                let route = route.unwrap_or_else(|| self.frontier.route(batch, number));
                self.traversal.note(Discovery { fault, route, step });
            }
            if !self.options.keep_going {
                self.monitor.stop(StopReason::Fault);
            }
        }
    }
}

/// Commits successors to the store as they come, and puts the new ones into a frontier.
struct Committing<'t, 's, R: Recall<S> + 's, S: Store + 's, F> {
    batch: &'t States,
    session: &'t mut S::Session<'s>,
    frontier: &'t mut F,
    pending: &'t mut Vec<<S::Session<'s> as Session>::Pending>,
    met: &'t mut Vec<Met>,
    monitor: &'t Monitor,
    /// How many successors were new.
    found: u64,
    notes: &'t mut R::Notes<'s>,
    carried: &'t mut Vec<Word>,
    known: &'t mut Known,
}

impl<R: Recall<S>, S: Store, F: Frontier> Sink for Committing<'_, '_, R, S, F> {
    type Source = StateRef;
    type Error = Infallible;

    #[inline]
    fn load(&mut self, number: usize, source: StateRef, words: &mut [Word]) {
        R::load(self.session, source, self.batch.words(number), words);
    }

    #[inline]
    fn prepare(&mut self, _: usize, _: StateRef, state: &[Word], successors: &Successors) -> Result<(), Infallible> {
        self.frontier.expands(state);
        self.session.prepare_all(successors, 0..successors.len(), self.pending);
        Ok(())
    }

    fn fault(&mut self, explored: Explored<'_, StateRef>, step: Option<usize>, fault: Fault) {
        self.met.push((explored.number, step, fault));
    }

    #[inline]
    fn is_stopped(&self) -> bool {
        self.monitor.is_stopped()
    }

    #[inline]
    fn commit(&mut self, batch: &[StateRef], successors: &[Successors]) -> Result<(), Infallible> {
        let mut pending = self.pending.as_slice();
        for (number, (&state, successors)) in batch.iter().zip(successors).enumerate() {
            let (steps, rest) = pending.split_at(successors.len());
            pending = rest;
            let all_lead_on = successors.is_unremarkable();
            for (step, (&pending, words)) in steps.iter().zip(successors.states()).enumerate() {
                if !all_lead_on && !successors.leads_on(step) {
                    continue;
                }
                match self.session.commit(pending, words, Some(state)) {
                    Inserted::New(found) => {
                        self.found += 1;
                        R::find(self.notes, self.batch.words(number), successors.action(step), words, self.carried);
                        self.frontier.put(found, self.carried, words, successors.action(step));
                    }
                    Inserted::Known(_) if self.known.is_collected => {
                        self.known.steps.push((number, successors.action(step)));
                        self.known.words.extend_from_slice(words);
                    }
                    Inserted::Known(_) => {}
                }
            }
        }
        self.pending.clear();
        self.session.quiesce();
        Ok(())
    }
}
