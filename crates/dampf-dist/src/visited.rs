//! The states of a rank that were found: the store, and what is kept beside it.

use crate::RankStore;
use crate::parcel::{Companion, PARENT_BITS, UNKNOWN_PARENT};
use crate::parents::EarlyParents;
use dampf_core::Word;
use dampf_store::{Inserted, Prefix, Session, StateRef, Store};

/// A state on its way into the store.
pub(crate) type Pending<'a, S> = <<S as Store>::Session<'a> as Session>::Pending;

/// What of a parent's reference travels.
#[inline]
pub(crate) fn parent_bits(parent: StateRef) -> u32 {
    (parent.0 >> (64 - PARENT_BITS)) as u32
}

/// A parent of which only these bits are known.
#[inline]
pub(crate) fn parent_of_bits(bits: u32) -> Option<StateRef> {
    (bits != UNKNOWN_PARENT).then_some(StateRef(u64::from(bits) << (64 - PARENT_BITS)))
}

pub(crate) struct Visited<'a, S: RankStore> {
    store: &'a S,
    pub session: S::Session<'a>,
    /// Counted when they were found.
    pub states: u64,
    /// The greatest depth at which one was found.
    pub depth: u64,
    /// This rank's initial states, with their numbers.
    initial: Vec<(StateRef, u64)>,
    early_parents: EarlyParents,
    /// States that were found since the last checkpoint, with what is known of the way to each. None where no
    /// checkpoints are written.
    unsaved: Option<Vec<(StateRef, Companion)>>,
}

impl<'a, S: RankStore> Visited<'a, S> {
    pub fn new(store: &'a S, by_levels: bool, saves: bool) -> Self {
        Visited {
            store,
            session: store.session(),
            states: 0,
            depth: 0,
            initial: Vec::new(),
            early_parents: EarlyParents::new(by_levels),
            unsaved: saves.then(Vec::new),
        }
    }

    #[inline]
    pub fn load(&mut self, state: StateRef, words: &mut [Word]) {
        S::load(&mut self.session, state, words);
    }

    pub fn insert(&mut self, state: &[Word], parent: Option<StateRef>) -> Inserted {
        let pending = self.session.prepare(state);
        self.session.commit(pending, state, parent)
    }

    pub fn contains(&mut self, state: &[Word]) -> bool {
        let pending = self.session.prepare(state);
        self.session.contains(pending, state)
    }

    /// Counts a new state.
    #[inline]
    pub fn note(&mut self, state: StateRef, companion: Companion) {
        self.states += 1;
        self.depth = self.depth.max(u64::from(companion.depth));
        self.early_parents.note(state, companion.parent);
        self.note_unsaved(state, companion);
    }

    /// A state belongs to the next checkpoint.
    #[inline]
    pub fn note_unsaved(&mut self, state: StateRef, companion: Companion) {
        if let Some(unsaved) = &mut self.unsaved {
            unsaved.push((state, companion));
        }
    }

    pub fn unsaved(&self) -> usize {
        self.unsaved.as_ref().map_or(0, Vec::len)
    }

    pub fn take_unsaved(&mut self) -> Vec<(StateRef, Companion)> {
        self.unsaved.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// No more checkpoints are written.
    pub fn forget_unsaved(&mut self) {
        self.unsaved = None;
    }

    pub fn note_initial(&mut self, state: StateRef, number: u64) {
        self.initial.push((state, number));
    }

    pub fn initial_states(&self) -> impl Iterator<Item = StateRef> {
        self.initial.iter().map(|&(state, _)| state)
    }

    /// The number of a state among the initial ones, if it is one.
    pub fn initial_number(&self, state: StateRef) -> Option<u64> {
        self.initial.iter().find(|&&(initial, _)| initial == state).map(|&(_, number)| number)
    }

    /// What is known of the state that a state was first reached from, on whichever rank: no more bits than travel. All
    /// states may be parents of one of whose parent nothing is known.
    pub fn parent_prefix(&self, state: StateRef) -> Prefix {
        match self.early_parents.get(state).filter(|&bits| bits != UNKNOWN_PARENT) {
            Some(bits) => Prefix { value: u64::from(bits), bits: PARENT_BITS },
            None => self.store.parent_prefix(state).unwrap_or(Prefix::ANY).cut(PARENT_BITS),
        }
    }

    /// All states whose references begin like this.
    pub fn with_prefix(&self, prefix: Prefix) -> Vec<StateRef> {
        let mut states = Vec::new();
        self.store.for_each_with(prefix, &mut |state| {
            states.push(state);
            true
        });
        states
    }

    pub fn bytes(&self) -> u64 {
        self.store.bytes()
    }
}
