//! Local search: exploring a few steps on, whoever owns the states.
//!
//! A rank that takes a state from its queue explores not only this state but all that follow within a number of steps,
//! and sends only those at the end. That saves messages and repeats work: several ranks may explore the same state.
//! What is remembered of the states in between decides how much. Every state that is sent or stored names the state the
//! local search began with as the one it came from, so trails are rebuilt by searching as deep from there.

use crate::discovery::{Discoveries, Discovery, FaultPlace};
use crate::mail::Mail;
use crate::parcel::Companion;
use crate::partition::Owner;
use crate::queue::Stored;
use crate::recent::RecentStates;
use crate::share::Share;
use crate::visited::parent_bits;
use crate::{Distributable, RankStore};
use dampf_core::{Action, Fault, Successors, Word};
use dampf_search::expand::Explored;
use dampf_search::{Expander, Judgement, SearchOptions, Sink};
use dampf_store::{Inserted, hash_words};
use std::convert::Infallible;

/// How deep, and what is remembered on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalSearch {
    /// Steps from the state that was taken from the queue; with 1 there is no local search.
    pub depth: u32,
    pub own: OwnStates,
    pub foreign: ForeignStates,
    /// States that the cache of local searches has room for.
    pub cached: usize,
}

/// What becomes of own states on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OwnStates {
    /// They are stored and explored at once.
    #[default]
    Store,
    /// They wait in the queue like others, and begin local searches of their own.
    Enqueue,
    /// They are explored and remembered in the cache.
    Cache,
    /// They are explored, and forgotten.
    Leave,
}

/// What becomes of others' states on the way. They are explored; this is about remembering them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ForeignStates {
    /// As if they had been sent.
    #[default]
    SentCache,
    /// In a cache of their own.
    SearchCache,
    Leave,
}

/// A state within a local search.
struct Inner {
    words: Vec<Word>,
    /// The steps to it from where the search began.
    path: Vec<Action>,
    /// Whether it is stored here, so that exploring it is nobody else's work.
    is_stored: bool,
}

/// Explores on from states of this rank.
pub(crate) struct LocalSearcher<'a, M: Distributable> {
    settings: LocalSearch,
    expander: Expander<'a, M>,
    /// States that local searches met lately.
    met: RecentStates,
    stack: Vec<Inner>,
}

impl<'a, M: Distributable> LocalSearcher<'a, M> {
    pub fn new(model: &'a M, settings: LocalSearch, options: &SearchOptions) -> Self {
        LocalSearcher {
            settings,
            expander: Expander::new(model, options),
            met: RecentStates::new(model.width(), settings.cached),
            stack: Vec::new(),
        }
    }

    pub fn take_judgement(&mut self) -> Judgement {
        self.expander.take_judgement()
    }
}

/// Takes the states that local searches begin with.
pub(crate) struct LocalRoots<'t, 'a, M: Distributable, S: RankStore + 'a> {
    pub local: &'t mut LocalSearcher<'a, M>,
    pub share: &'t mut Share<'a, M, S>,
    pub discoveries: &'t mut Discoveries,
    pub mail: &'t mut Mail,
    /// States that were explored although another rank explores them, too.
    pub redundant: u64,
    /// Steps beyond those of the roots.
    pub steps: u64,
}

impl<M: Distributable, S: RankStore> Sink for LocalRoots<'_, '_, M, S> {
    type Source = Stored;
    type Error = Infallible;

    fn load(&mut self, _: usize, source: Stored, words: &mut [Word]) {
        self.share.visited.load(source.state, words);
    }

    fn prepare(&mut self, _: usize, root: Stored, state: &[Word], _: &Successors) -> Result<(), Infallible> {
        if let Some(nested) = &mut self.share.nested {
            nested.explore(state, root, &[]);
        }
        Ok(())
    }

    fn fault(&mut self, explored: Explored<'_, Stored>, step: Option<usize>, fault: Fault) {
        note(self.discoveries, explored.source, &[], explored.successors, (step, fault));
    }

    /// Explores on from the successors of each root.
    fn commit(&mut self, batch: &[Stored], successors: &[Successors]) -> Result<(), Infallible> {
        for (&root, successors) in batch.iter().zip(successors) {
            let LocalSearcher { settings, expander, met, stack } = &mut *self.local;
            let (share, discoveries, mail) = (&mut *self.share, &mut *self.discoveries, &mut *self.mail);
            let explored = Inner { words: Vec::new(), path: Vec::new(), is_stored: true };
            let mut inside = Inside { settings, root, explored, met, stack, share, discoveries, mail };
            inside.go_on(successors);
            while let Some(inner) = inside.stack.pop() {
                self.redundant += u64::from(!inner.is_stored);
                inside.explored = inner;
                let Ok(steps) = expander.expand(&[()], &mut inside);
                self.steps += steps;
            }
        }
        Ok(())
    }
}

/// Takes the states that one local search explores.
struct Inside<'t, 'a, M: Distributable, S: RankStore + 'a> {
    settings: &'t LocalSearch,
    root: Stored,
    /// The state that is explored.
    explored: Inner,
    met: &'t mut RecentStates,
    stack: &'t mut Vec<Inner>,
    share: &'t mut Share<'a, M, S>,
    discoveries: &'t mut Discoveries,
    mail: &'t mut Mail,
}

impl<M: Distributable, S: RankStore> Sink for Inside<'_, '_, M, S> {
    type Source = ();
    type Error = Infallible;

    fn load(&mut self, _: usize, (): (), words: &mut [Word]) {
        words.copy_from_slice(&self.explored.words);
    }

    fn prepare(&mut self, _: usize, (): (), state: &[Word], _: &Successors) -> Result<(), Infallible> {
        if let Some(nested) = &mut self.share.nested {
            nested.explore(state, self.root, &self.explored.path);
        }
        Ok(())
    }

    fn fault(&mut self, explored: Explored<'_, ()>, step: Option<usize>, fault: Fault) {
        note(self.discoveries, self.root, &self.explored.path, explored.successors, (step, fault));
    }

    fn commit(&mut self, _: &[()], successors: &[Successors]) -> Result<(), Infallible> {
        successors.iter().for_each(|successors| self.go_on(successors));
        Ok(())
    }
}

impl<M: Distributable, S: RankStore> Inside<'_, '_, M, S> {
    /// Takes the successors of the state that is explored.
    fn go_on(&mut self, successors: &Successors) {
        for step in (0..successors.len()).filter(|&step| successors.leads_on(step)) {
            let mut path = self.explored.path.clone();
            path.push(successors.action(step));
            self.reach(successors.state(step), path);
        }
    }

    /// Decides about a state that the local search has reached.
    fn reach(&mut self, state: &[Word], path: Vec<Action>) {
        let below = path.len() as u32;
        let companion = Companion {
            parent: parent_bits(self.root.state),
            depth: self.root.depth + below,
            label: path.last().map_or(0, |action| action.front_end()),
            ..Companion::default()
        };
        let owner = self.share.delivery.partitioner.owner(state, companion.depth);
        let is_own = owner == Owner::Rank(self.mail.rank);
        let is_last = below >= self.settings.depth || matches!(owner, Owner::Unassigned(_));
        if is_last || is_own && self.settings.own == OwnStates::Enqueue {
            self.share.deliver(self.mail, owner, state, companion);
            return;
        }
        let stores = is_own && self.settings.own == OwnStates::Store;
        let is_known = if stores {
            !self.store(state, companion)
        } else if is_own {
            let is_cached = self.settings.own == OwnStates::Cache;
            self.share.visited.contains(state) || is_cached && self.met.contains_or_insert(state)
        } else {
            match self.settings.foreign {
                ForeignStates::SentCache => self.share.delivery.outbox.was_sent(hash_words(state), state),
                ForeignStates::SearchCache => self.met.contains_or_insert(state),
                ForeignStates::Leave => false,
            }
        };
        if !is_known {
            self.stack.push(Inner { words: state.to_vec(), path, is_stored: stores });
        }
    }

    /// Stores a state that is explored at once; true where it is new.
    fn store(&mut self, state: &[Word], companion: Companion) -> bool {
        let visited = &mut self.share.visited;
        let Inserted::New(stored) = visited.insert(state, Some(self.root.state)) else { return false };
        visited.note(stored, companion);
        true
    }
}

/// Notes a fault of a state that so many steps lead to from a root, or of a step of it.
fn note(
    discoveries: &mut Discoveries,
    root: Stored,
    path: &[Action],
    successors: &Successors,
    (step, fault): (Option<usize>, Fault),
) {
    let last = step.map(|step| successors.action(step));
    let place = FaultPlace::State { state: root.state, distance: None };
    let steps = path.iter().copied().chain(last).collect();
    discoveries.note(Discovery { fault, place, steps, cycle: Vec::new() });
}
