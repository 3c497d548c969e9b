//! The reconstructing store: of most states only how they were reached (T. Mehler, *Challenges and applications of
//! assembly-level software model checking*, chapter 7).
//!
//! A state is kept as a *mini-state*: the number of the state it was first reached from, and which of the steps of that
//! one led here. Every so many steps along a way there is a *key state*, which is kept as it is. Any other state is
//! computed by taking the steps from the last key state before it. A slot of the table has a part of the state's hash;
//! where that is the hash of a state that is looked for, the stored one is reconstructed and compared, word for word.
//! So the store is exact: it trades time for memory and no certainty.
//!
//! What makes it work for every model: the successors of a state are always the same, in the same order, so an index is
//! enough to find the step again, whatever it chose between. A step whose index does not fit a byte leads to a key
//! state.
//!
//! **Time.** A thread remembers states it has met lately, whole, so that a reconstruction mostly begins near its end:
//! states that are explored one after the other have the same ancestors.
//!
//! **Memory.** Fifteen bytes a state and the key states, however wide states are. What their words name (the contents
//! of a program's memory) is not the store's, and remains.

use crate::growing::{Geometry, Growing, Probe, Tally};
use crate::hash::hash_words;
use crate::nodes::{HashAndId, place, slot_id};
use crate::segments::Segments;
use crate::{Exactness, Inserted, Parent, Parents, Retrieve, Session, StateRef, Store};
use crossbeam_epoch::Guard;
use dampf_core::{Model, Successors, Word, Worker};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};

const NO_PARENT: u32 = 0;
/// In place of a step: the state is a key state.
const KEY: u32 = 0;
/// The most that is kept in place of a step, which is its index plus one.
const STEP_MAX: u32 = u8::MAX as u32;
/// Four steps are kept in a word.
const STEPS_PER_WORD: u64 = 4;
/// Words of states that a thread remembers.
const RECENT_WORDS: usize = 1 << 20;
const RECENT_MIN: usize = 64;
const RECENT_MAX: usize = 1 << 15;
const NO_STATE: u32 = u32::MAX;

pub struct ReconstructingStore<'m, M> {
    model: &'m M,
    /// Of two key states on a way: the most there are from one to the next.
    key_steps: u32,
    index: Growing<HashAndId>,
    /// Of a mini-state the parent's number plus one, of a key state its number among these.
    links: Segments,
    /// Which step leads from the parent here, or [`KEY`]: a byte each.
    steps: Segments,
    /// The parent's number plus one, and the state.
    keys: Segments,
    width: usize,
    next: AtomicU64,
    next_key: AtomicU64,
}

impl<'m, M: Model> ReconstructingStore<'m, M> {
    /// A store for states of this model, with key states so many steps apart.
    pub fn new(model: &'m M, key_steps: NonZeroU32) -> Self {
        let width = model.width();
        ReconstructingStore {
            model,
            key_steps: key_steps.get(),
            index: Growing::new(),
            links: Segments::of_width(1),
            steps: Segments::of_width(1),
            keys: Segments::of_width(width + 1),
            width,
            next: AtomicU64::new(0),
            next_key: AtomicU64::new(0),
        }
    }

    /// How many states are kept as they are.
    pub fn key_states(&self) -> u64 {
        self.next_key.load(Ordering::Relaxed)
    }

    #[inline]
    fn step(&self, state: u32) -> u32 {
        let state = u64::from(state);
        self.steps.get(state / STEPS_PER_WORD).word() >> (8 * (state % STEPS_PER_WORD)) & STEP_MAX
    }

    #[inline]
    fn link(&self, state: u32) -> u32 {
        self.links.get(u64::from(state)).word()
    }

    /// How many steps a state is from the last key state before it.
    fn distance(&self, mut state: u32) -> u32 {
        let mut distance = 0;
        while self.step(state) != KEY {
            state = self.link(state) - 1;
            distance += 1;
        }
        distance
    }
}

impl<'m, M: Model> Store for ReconstructingStore<'m, M> {
    type Session<'s>
        = ReconstructingSession<'s, 'm, M>
    where
        Self: 's;

    fn session(&self) -> ReconstructingSession<'_, 'm, M> {
        ReconstructingSession {
            guard: crossbeam_epoch::pin(),
            tally: Tally::new(),
            past: Past {
                store: self,
                worker: self.model.worker(),
                out: Successors::new(self.width),
                expanded: NO_STATE,
                state: vec![0; self.width],
                way: Vec::new(),
                recent: Recent::new(self.width),
            },
        }
    }

    fn bytes(&self) -> u64 {
        let key_bytes = (self.width as u64 + 1) * size_of::<Word>() as u64;
        self.index.bytes() + self.next.load(Ordering::Relaxed) * 5 + self.key_states() * key_bytes
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }
}

impl<M: Model> Parent for ReconstructingStore<'_, M> {
    fn parent(&self, state: StateRef) -> Option<StateRef> {
        let number = state.0 as u32;
        let link = self.link(number);
        let parent = match self.step(number) {
            KEY => self.keys.get(u64::from(link)).part(0).load(Ordering::Relaxed),
            _ => link,
        };
        (parent != NO_PARENT).then(|| StateRef(u64::from(parent - 1)))
    }
}

impl<M: Model> Parents for ReconstructingStore<'_, M> {
    fn parents(&self, state: StateRef, visit: &mut dyn FnMut(StateRef) -> bool) {
        self.parent(state).map(visit);
    }
}

impl<M: Model> Retrieve for ReconstructingStore<'_, M> {
    fn load(session: &mut Self::Session<'_>, state: StateRef, words: &mut [Word]) {
        session.past.reconstruct(state.0 as u32);
        words.copy_from_slice(&session.past.state);
    }
}

/// States that a thread has met lately, at the place their number says, with their distance from a key state. There are
/// more places where there are more states.
struct Recent {
    states: Vec<(u32, u32)>,
    words: Vec<Word>,
    width: usize,
    places_max: usize,
}

impl Recent {
    fn new(width: usize) -> Recent {
        let places_max = (RECENT_WORDS / width).clamp(RECENT_MIN, RECENT_MAX).next_power_of_two();
        let mut recent = Recent { states: Vec::new(), words: Vec::new(), width, places_max };
        recent.enlarge(RECENT_MIN);
        recent
    }

    fn enlarge(&mut self, places: usize) {
        self.states.resize(places, (NO_STATE, 0));
        self.words.resize(places * self.width, 0);
    }

    #[inline]
    fn get(&self, state: u32) -> Option<(&[Word], u32)> {
        let place = state as usize & (self.states.len() - 1);
        let (found, distance) = self.states[place];
        (found == state).then(|| (&self.words[place * self.width..][..self.width], distance))
    }

    #[inline]
    fn put(&mut self, state: u32, distance: u32, words: &[Word]) {
        let places = self.states.len();
        if state as usize >= places && places < self.places_max {
            // What is no longer at its place is forgotten.
            self.enlarge(2 * places);
        }
        let place = state as usize & (self.states.len() - 1);
        self.states[place] = (state, distance);
        self.words[place * self.width..][..self.width].copy_from_slice(words);
    }
}

/// What computes states that are not kept.
struct Past<'s, 'm, M: Model + 'm> {
    store: &'s ReconstructingStore<'m, M>,
    worker: M::Worker<'m>,
    out: Successors,
    /// The state whose successors are in `out`.
    expanded: u32,
    /// The state that was reconstructed last.
    state: Vec<Word>,
    /// States on the way to it, the last one first, each with the step that leads there.
    way: Vec<(u32, u32)>,
    recent: Recent,
}

impl<M: Model> Past<'_, '_, M> {
    /// Makes `self.state` the state with this number.
    fn reconstruct(&mut self, state: u32) {
        self.way.clear();
        let mut at = state;
        let mut distance = loop {
            if let Some((words, distance)) = self.recent.get(at) {
                self.state.copy_from_slice(words);
                break distance;
            }
            let (step, link) = (self.store.step(at), self.store.link(at));
            if step == KEY {
                let key = self.store.keys.get(u64::from(link));
                self.state.iter_mut().enumerate().for_each(|(word, to)| {
                    *to = key.part(word + 1).load(Ordering::Relaxed);
                });
                self.recent.put(at, 0, &self.state);
                break 0;
            }
            self.way.push((at, step));
            at = link - 1;
        };
        while let Some((next, step)) = self.way.pop() {
            if self.expanded != at {
                self.worker.successors(&self.state, &mut self.out);
                self.expanded = at;
            }
            self.state.copy_from_slice(self.out.state(step as usize - 1));
            distance += 1;
            self.recent.put(next, distance, &self.state);
            at = next;
        }
    }

    /// Whether the state with this number is this one.
    #[inline]
    fn is(&mut self, state: u32, words: &[Word]) -> bool {
        if let Some((recent, _)) = self.recent.get(state) {
            return recent == words;
        }
        self.reconstruct(state);
        self.state == words
    }

    fn distance(&self, state: u32) -> u32 {
        self.recent.get(state).map_or_else(|| self.store.distance(state), |(_, distance)| distance)
    }
}

/// A state on its way into the store.
#[derive(Clone, Copy)]
pub struct Arriving {
    hash: u64,
    /// The index, plus one, of the step that leads to it from the state that was loaded; [`KEY`] where it is not known.
    step: u32,
}

pub struct ReconstructingSession<'s, 'm, M: Model + 'm> {
    guard: Guard,
    tally: Tally,
    past: Past<'s, 'm, M>,
}

impl<M: Model> ReconstructingSession<'_, '_, M> {
    fn arriving(&mut self, words: &[Word], step: u32) -> Arriving {
        let hash = hash_words(words);
        let (shard, position) = place(hash);
        self.past.store.index.prefetch(shard, position, &self.guard);
        Arriving { hash, step }
    }
}

impl<M: Model> Session for ReconstructingSession<'_, '_, M> {
    type Pending = Arriving;

    fn prepare(&mut self, words: &[Word]) -> Arriving {
        self.arriving(words, KEY)
    }

    #[inline]
    fn prepare_all(
        &mut self,
        successors: &Successors,
        steps: impl Iterator<Item = usize> + Clone,
        pending: &mut Vec<Arriving>,
    ) {
        for step in steps {
            // What does not fit makes a key state.
            let index = u32::try_from(step + 1).ok().filter(|&index| index <= STEP_MAX).unwrap_or(KEY);
            pending.push(self.arriving(successors.state(step), index));
        }
    }

    fn commit(&mut self, Arriving { hash, step }: Arriving, words: &[Word], parent: Option<StateRef>) -> Inserted {
        let store = self.past.store;
        let (shard, position) = place(hash);
        let parent = parent.map(|parent| parent.0 as u32);
        let parent_link = parent.map_or(NO_PARENT, |parent| parent + 1);
        let past = std::cell::RefCell::new(&mut self.past);
        let mut taken = None;
        let take = || {
            let number = store.next.fetch_add(1, Ordering::Relaxed);
            assert!(number < u64::from(u32::MAX) - 1, "the reconstructing store has run out of state numbers");
            let distance = parent.map_or(0, |parent| past.borrow().distance(parent) + 1);
            let is_key = step == KEY || parent.is_none() || distance >= store.key_steps;
            let link = if is_key {
                let key = store.next_key.fetch_add(1, Ordering::Relaxed);
                let record = store.keys.ready(key);
                record.part(0).store(parent_link, Ordering::Relaxed);
                (0..store.width).for_each(|word| record.part(word + 1).store(words[word], Ordering::Relaxed));
                key as u32
            } else {
                let steps = store.steps.ready(number / STEPS_PER_WORD);
                steps.add_bits(step << (8 * (number % STEPS_PER_WORD)));
                parent_link
            };
            store.steps.ready(number / STEPS_PER_WORD);
            store.links.ready(number).write(&[link]);
            (number as u32, if is_key { 0 } else { distance })
        };
        let matches = |slot: u64, _: u32, _: &Geometry| {
            (slot >> 32) as u32 == position && past.borrow_mut().is(slot_id(slot), words)
        };
        let make = |_: u32, _: &Geometry| {
            // A number that was taken for a slot lost to another thread is used for the next try.
            let (number, _) = *taken.get_or_insert_with(take);
            u64::from(position) << 32 | u64::from(number + 1)
        };
        match store.index.find_or_insert(shard, position, &self.guard, &mut self.tally, matches, make) {
            Probe::Found(slot) => Inserted::Known(StateRef(u64::from(slot_id(slot)))),
            Probe::Inserted => {
                let (number, distance) = taken.expect("what was inserted was made");
                self.past.recent.put(number, distance, words);
                Inserted::New(StateRef(u64::from(number)))
            }
        }
    }

    fn contains(&mut self, Arriving { hash, .. }: Arriving, words: &[Word]) -> bool {
        let (shard, position) = place(hash);
        let (store, past) = (self.past.store, &mut self.past);
        let matches =
            |slot: u64, _: u32, _: &Geometry| (slot >> 32) as u32 == position && past.is(slot_id(slot), words);
        store.index.find(shard, position, &self.guard, matches).is_some()
    }

    fn quiesce(&mut self) {
        self.guard.repin();
    }
}
