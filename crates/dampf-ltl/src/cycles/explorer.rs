//! One thread's hands in a search for cycles: it expands states, adds what they lead to, and notes what is wrong.
//!
//! A search for cycles needs the successors of a state whether they are new or not, by their numbers, in the order of
//! their actions. Where runs have to be fair it also needs to know whom an edge moves, and who cannot move in a state:
//! these are *sets* that a fair cycle has to meet, one for each mover, and set 0 is that of the accepting states.

use dampf_core::{Acceptance, Fault, Movers, Successors, Word};
use dampf_search::expand::Explored;
use dampf_search::{Expander, Judgement, Monitor, SearchOptions, Sink, StopReason};
use dampf_store::{Coloured, Inserted, Retrieve, Session, StateRef, Store};
use std::convert::Infallible;

/// Sets of states and edges, as bits.
pub type Sets = u128;

/// The set of the accepting states.
pub const ACCEPTING: Sets = 1;

/// More movers than this have no sets of their own.
pub const MOVERS_MAX: usize = Sets::BITS as usize - 1;

/// A step, by where it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    pub target: StateRef,
    /// Whether its target is an accepting state.
    pub is_accepting: bool,
    /// Whether its target was not there before.
    pub is_new: bool,
    /// The colour of its target when the edge was found, where the store keeps colours.
    pub colour: u8,
}

/// A fault that expanding a state has met.
pub struct Met {
    /// None for an initial state that cannot be.
    pub state: Option<StateRef>,
    /// The index of the faulty step, or none for a fault of the state.
    pub step: Option<usize>,
    pub fault: Fault,
}

/// What a state and its edges have to do with fairness.
#[derive(Default)]
pub struct FairSets {
    /// Of the state: those who cannot move in it.
    pub of_state: Sets,
    /// Of each edge: those who move. In the order of the edges.
    pub of_edges: Vec<Sets>,
}

/// What was found and not yet told the monitor, whose counters all threads share.
#[derive(Default)]
struct Tally {
    states: u64,
    steps: u64,
    expansions: u32,
}

/// The monitor is told after so many expansions; at once where states are limited.
const TALLY_MAX: u32 = 64;

pub struct Explorer<'a, M: Acceptance + Movers, S: Store + 'a> {
    model: &'a M,
    pub session: S::Session<'a>,
    expander: Expander<'a, M>,
    pending: Vec<<S::Session<'a> as Session>::Pending>,
    options: &'a SearchOptions,
    monitor: &'a Monitor,
    tally: Tally,
    /// None where runs need not be fair.
    pub fair: Option<FairSets>,
    pub met: Vec<Met>,
    /// Whether a run may end in the state that was expanded last, or it is not known what else it leads to.
    pub may_end: bool,
}

impl<'a, M: Acceptance + Movers, S: Retrieve> Explorer<'a, M, S> {
    pub fn new(
        model: &'a M,
        store: &'a S,
        (options, monitor): (&'a SearchOptions, &'a Monitor),
        is_fair: bool,
    ) -> Explorer<'a, M, S> {
        Explorer {
            model,
            session: store.session(),
            expander: Expander::new(model, options),
            pending: Vec::new(),
            options,
            monitor,
            tally: Tally::default(),
            fair: is_fair.then(FairSets::default),
            met: Vec::new(),
            may_end: false,
        }
    }

    /// Adds the initial states to the store.
    pub fn begin(&mut self, edges: &mut Vec<Edge>) {
        let mut met = Vec::new();
        let initial = self.expander.begin(|number, fault| met.push((number, fault)));
        for number in (0..initial.len()).filter(|&number| initial.leads_on(number)) {
            let words = initial.state(number);
            let pending = self.session.prepare(words);
            let (target, is_new) = named(self.session.commit(pending, words, None));
            self.monitor.add(u64::from(is_new), 0);
            edges.push(Edge { target, is_accepting: self.model.is_accepting(words), is_new, colour: 0 });
        }
        for (number, fault) in met {
            self.monitor.add_fault();
            self.met.push(Met { state: None, step: Some(number), fault });
        }
        self.look_at_judgement();
    }

    /// Appends the edges of a state. Each state is expanded for the first time once, by one thread or another; where
    /// `is_again`, no step is counted and no fault told twice.
    #[inline]
    pub fn expand(&mut self, state: StateRef, is_again: bool, edges: &mut Vec<Edge>) {
        self.expand_by(state, is_again, edges, |session, pending, words, parent| {
            (session.commit(pending, words, parent), 0)
        });
    }

    /// The same where the store keeps colours.
    #[inline]
    pub fn expand_coloured(&mut self, state: StateRef, is_again: bool, edges: &mut Vec<Edge>)
    where
        S: Coloured,
    {
        self.expand_by(state, is_again, edges, S::commit_coloured);
    }

    #[inline]
    fn expand_by(
        &mut self,
        state: StateRef,
        is_again: bool,
        edges: &mut Vec<Edge>,
        commit: impl Fn(
            &mut S::Session<'a>,
            <S::Session<'a> as Session>::Pending,
            &[Word],
            Option<StateRef>,
        ) -> (Inserted, u8),
    ) {
        let mut sink = Gathering::<M, S, _> {
            model: self.model,
            session: &mut self.session,
            pending: &mut self.pending,
            fair: self.fair.as_mut(),
            edges,
            met: &mut self.met,
            may_end: &mut self.may_end,
            is_again,
            found: 0,
            commit,
        };
        let Ok(steps) = self.expander.expand(&[state], &mut sink);
        self.tally.states += sink.found;
        self.tally.steps += if is_again { 0 } else { steps };
        self.tally.expansions += 1;
        if self.tally.expansions == TALLY_MAX || self.options.max_states.is_some() {
            self.tell();
        }
        self.look_at_judgement();
    }

    /// Tells the monitor what was found since it was told last.
    fn tell(&mut self) {
        let Tally { states, steps, .. } = std::mem::take(&mut self.tally);
        let states = self.monitor.add(states, steps);
        if self.options.max_states.is_some_and(|limit| states >= limit) {
            self.monitor.stop(StopReason::StateLimit);
        }
    }

    fn look_at_judgement(&mut self) {
        if !self.expander.judgement().refuted.is_empty() {
            self.monitor.stop(StopReason::Refuted);
        }
        if !self.met.is_empty() && !self.options.keep_going {
            self.monitor.stop(StopReason::Fault);
        }
    }

    /// What judging has come to, when the search is over.
    pub fn take_judgement(&mut self) -> Judgement {
        self.tell();
        self.expander.take_judgement()
    }
}

fn named(inserted: Inserted) -> (StateRef, bool) {
    match inserted {
        Inserted::New(state) => (state, true),
        Inserted::Known(state) => (state, false),
    }
}

/// Adds the successors of one state to the store and lists them.
struct Gathering<'t, 's, M, S: Store + 's, C> {
    model: &'t M,
    session: &'t mut S::Session<'s>,
    pending: &'t mut Vec<<S::Session<'s> as Session>::Pending>,
    fair: Option<&'t mut FairSets>,
    edges: &'t mut Vec<Edge>,
    met: &'t mut Vec<Met>,
    may_end: &'t mut bool,
    is_again: bool,
    found: u64,
    /// Looks a state up and adds it.
    commit: C,
}

impl<M: Acceptance + Movers, S: Retrieve, C> Gathering<'_, '_, M, S, C> {
    /// Who moves along each edge, and who cannot move at all.
    fn look_at_movers(&mut self, state: &[Word], successors: &Successors) {
        let Some(fair) = &mut self.fair else { return };
        let everybody: Sets = (0..self.model.mover_count()).map(mover_set).fold(0, |all, set| all | set);
        let mut can_move = 0;
        fair.of_edges.clear();
        for step in 0..successors.len() {
            let mut moved = 0;
            self.model.movers(state, successors.action(step), &mut |mover| moved |= mover_set(mover));
            can_move |= moved;
            if successors.leads_on(step) {
                fair.of_edges.push(moved);
            }
        }
        fair.of_state = everybody & !can_move;
    }
}

/// The set of the edges that move somebody.
pub fn mover_set(mover: usize) -> Sets {
    1 << (mover + 1)
}

impl<'s, M: Acceptance + Movers, S: Retrieve, C> Sink for Gathering<'_, 's, M, S, C>
where
    C: Fn(&mut S::Session<'s>, <S::Session<'s> as Session>::Pending, &[Word], Option<StateRef>) -> (Inserted, u8),
{
    type Source = StateRef;
    type Error = Infallible;

    #[inline]
    fn load(&mut self, _: usize, source: StateRef, words: &mut [Word]) {
        S::load(self.session, source, words);
    }

    #[inline]
    fn prepare(&mut self, _: usize, _: StateRef, state: &[Word], successors: &Successors) -> Result<(), Infallible> {
        self.session.prepare_all(successors, 0..successors.len(), self.pending);
        *self.may_end = successors.valid_end() || successors.unsupported().is_some();
        if self.fair.is_some() {
            self.look_at_movers(state, successors);
        }
        Ok(())
    }

    fn fault(&mut self, explored: Explored<'_, StateRef>, step: Option<usize>, fault: Fault) {
        if !self.is_again {
            self.met.push(Met { state: Some(explored.source), step, fault });
        }
    }

    #[inline]
    fn commit(&mut self, batch: &[StateRef], successors: &[Successors]) -> Result<(), Infallible> {
        self.pending.iter().for_each(|&pending| self.session.approach(pending));
        for (&source, successors) in batch.iter().zip(successors) {
            let all_lead_on = successors.is_unremarkable();
            for (step, (&pending, words)) in self.pending.iter().zip(successors.states()).enumerate() {
                if !all_lead_on && !successors.leads_on(step) {
                    continue;
                }
                let (inserted, colour) = (self.commit)(self.session, pending, words, Some(source));
                let (target, is_new) = named(inserted);
                self.found += u64::from(is_new);
                self.edges.push(Edge { target, is_accepting: self.model.is_accepting(words), is_new, colour });
            }
        }
        self.pending.clear();
        self.session.quiesce();
        Ok(())
    }
}
