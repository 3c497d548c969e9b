//! The exact store: every state as it is, side by side.
//!
//! Simple, larger than the tree store, and the one to compare others with. States lie in an array by number; a growing
//! table of `hash | number` slots finds them; a second array holds the number of each state's parent, and a third the
//! states' marks, from the first mark on.

use crate::growing::{Geometry, Growing, Probe, Tally};
use crate::hash::hash_words;
use crate::nodes::{HashAndId, place, slot_id};
use crate::segments::Segments;
use crate::{
    Coloured, Exactness, Inserted, Marks, Numbered, Parent, Parents, Retrieve, Session, Staged, Staging, StateRef,
    Store,
};
use crossbeam_epoch::Guard;
use dampf_core::Word;
use std::sync::atomic::{AtomicU64, Ordering};

const NO_PARENT: u32 = 0;

pub struct ExactStore {
    width: usize,
    index: Growing<HashAndId>,
    states: Segments,
    /// The parent's number plus one.
    parents: Segments,
    marks: Segments,
    next: AtomicU64,
    /// The first number of the current level.
    level: AtomicU64,
}

impl ExactStore {
    /// A store for states of `width` words.
    pub fn new(width: usize) -> Self {
        ExactStore {
            width,
            index: Growing::new(),
            states: Segments::of_width(width),
            parents: Segments::of_width(1),
            marks: Segments::of_width(1),
            next: AtomicU64::new(0),
            level: AtomicU64::new(0),
        }
    }
}

impl Store for ExactStore {
    type Session<'s> = ExactSession<'s>;

    fn session(&self) -> ExactSession<'_> {
        ExactSession { store: self, guard: crossbeam_epoch::pin(), tally: Tally::new() }
    }

    fn bytes(&self) -> u64 {
        self.index.bytes() + self.next.load(Ordering::Relaxed) * (self.width as u64 + 1) * 4
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }
}

impl Parent for ExactStore {
    fn parent(&self, state: StateRef) -> Option<StateRef> {
        let parent = self.parents.get(state.0).word();
        (parent != NO_PARENT).then(|| StateRef(u64::from(parent - 1)))
    }
}

impl Parents for ExactStore {
    fn parents(&self, state: StateRef, visit: &mut dyn FnMut(StateRef) -> bool) {
        self.parent(state).map(visit);
    }
}

impl Retrieve for ExactStore {
    fn load(session: &mut ExactSession<'_>, state: StateRef, words: &mut [Word]) {
        session.store.states.get(state.0).read(words);
    }
}

impl Staging for ExactStore {
    fn begin_level(&self) {
        self.level.store(self.next.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    fn stage<'s>(session: &mut ExactSession<'s>, hash: u64, words: &[Word]) -> Staged
    where
        Self: 's,
    {
        let (number, _) = session.find_or_insert(hash, words, NO_PARENT);
        if u64::from(number) < session.store.level.load(Ordering::Relaxed) {
            Staged::Old
        } else {
            Staged::Fresh(StateRef(u64::from(number)))
        }
    }

    fn publish(session: &mut ExactSession<'_>, staged: StateRef, parent: Option<StateRef>) {
        session.store.parents.get(staged.0).write(&[parent_entry(parent)]);
    }
}

impl Marks for ExactStore {
    fn mark(&self, state: StateRef, bits: u32) -> u32 {
        self.marks.ready(state.0).add_bits(bits)
    }

    fn unmark(&self, state: StateRef, bits: u32) {
        self.marks.ready(state.0).take_bits(bits);
    }

    fn marks(&self, state: StateRef) -> u32 {
        self.marks.ready(state.0).word()
    }
}

impl Numbered for ExactStore {}

impl Coloured for ExactStore {
    fn commit_coloured<'s>(
        session: &mut ExactSession<'s>,
        hash: u64,
        words: &[Word],
        parent: Option<StateRef>,
    ) -> (Inserted, u8)
    where
        Self: 's,
    {
        match session.commit(hash, words, parent) {
            known @ Inserted::Known(state) => (known, session.store.marks(state) as u8),
            new @ Inserted::New(_) => (new, 0),
        }
    }

    fn approach(session: &mut ExactSession<'_>, state: StateRef) {
        session.store.marks.ready(state.0);
        session.store.marks.fetch(state.0);
    }

    fn colour(session: &mut ExactSession<'_>, state: StateRef) -> u8 {
        session.store.marks(state) as u8
    }

    fn paint(session: &mut ExactSession<'_>, state: StateRef, colour: u8) {
        session.store.marks.ready(state.0).write(&[u32::from(colour)]);
    }
}

pub struct ExactSession<'s> {
    store: &'s ExactStore,
    guard: Guard,
    tally: Tally,
}

impl ExactSession<'_> {
    fn find_or_insert(&mut self, hash: u64, words: &[Word], parent: u32) -> (u32, bool) {
        let store = self.store;
        let (shard, position) = place(hash);
        let mut taken = None;
        let matches = |slot: u64, _: u32, _: &Geometry| {
            (slot >> 32) as u32 == position && store.states.get(u64::from(slot_id(slot))).is(words)
        };
        let make = |_: u32, _: &Geometry| {
            // A number that was taken for a slot lost to another thread is used for the next try.
            let number = *taken.get_or_insert_with(|| store.next.fetch_add(1, Ordering::Relaxed));
            assert!(number < u64::from(u32::MAX) - 1, "the exact store has run out of state numbers");
            store.states.ready(number).write(words);
            store.parents.ready(number).write(&[parent]);
            u64::from(position) << 32 | (number + 1)
        };
        match store.index.find_or_insert(shard, position, &self.guard, &mut self.tally, matches, make) {
            Probe::Found(slot) => (slot_id(slot), false),
            Probe::Inserted => (taken.expect("what was inserted was made") as u32, true),
        }
    }
}

fn parent_entry(parent: Option<StateRef>) -> u32 {
    parent.map_or(NO_PARENT, |parent| parent.0 as u32 + 1)
}

impl Session for ExactSession<'_> {
    /// The hash.
    type Pending = u64;

    fn prepare(&mut self, words: &[Word]) -> u64 {
        let hash = hash_words(words);
        let (shard, position) = place(hash);
        self.store.index.prefetch(shard, position, &self.guard);
        hash
    }

    #[inline]
    fn approach(&mut self, hash: u64) {
        let (shard, position) = place(hash);
        let is_candidate = |slot: u64, _: u32, _: &Geometry| (slot >> 32) as u32 == position;
        if let Some(slot) = self.store.index.find(shard, position, &self.guard, is_candidate) {
            self.store.states.fetch(u64::from(slot_id(slot)));
        }
    }

    fn commit(&mut self, hash: u64, words: &[Word], parent: Option<StateRef>) -> Inserted {
        let (number, new) = self.find_or_insert(hash, words, parent_entry(parent));
        let state = StateRef(u64::from(number));
        if new { Inserted::New(state) } else { Inserted::Known(state) }
    }

    fn contains(&mut self, hash: u64, words: &[Word]) -> bool {
        let (shard, position) = place(hash);
        let matches = |slot: u64, _: u32, _: &Geometry| {
            (slot >> 32) as u32 == position && self.store.states.get(u64::from(slot_id(slot))).is(words)
        };
        self.store.index.find(shard, position, &self.guard, matches).is_some()
    }

    fn quiesce(&mut self) {
        self.guard.repin();
    }
}
