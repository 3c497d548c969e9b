//! Visited sets.
//!
//! A store answers one question, millions of times a second and from all threads at once: *was this state
//! here before?* Stores grow by themselves, in small steps, while they are used, and none of these is ever
//! "full" before memory is. The one exception is the bitstate store, whose size is what it trades for certainty.
//!
//! The lookup is split in two so that the memory system works in parallel: [`Session::prepare`] hashes a
//! state and asks for the table's cache line, [`Session::commit`] looks. An engine prepares a batch before it
//! commits the batch.
//!
//! **Capabilities.** Every store is a [`Store`]: states go in, and it says how sure it is that two it takes for one are
//! one ([`Exactness`]), from which follows what a verdict may be. What else a store can do is said by a trait each:
//! give states back ([`Retrieve`]), name candidates for the state another was reached from ([`Parents`]) or the state
//! itself ([`Parent`]), find states by the first bits of their names ([`ByPrefix`]), look states up without adding them
//! ([`Staging`]), keep marks ([`Marks`]) or, for one thread alone, colours ([`Coloured`]). An engine asks for what it
//! needs.

mod bitstate;
mod exact;
mod file_ground;
mod fingerprints;
mod growing;
mod hash;
mod hash_compact;
mod lineage;
mod memory;
mod moving;
mod nodes;
mod reconstruct;
mod sample;
mod segments;
mod shape;
mod tree;

pub use bitstate::{BitstateStore, Filter};
pub use exact::ExactStore;
pub use file_ground::FileGround;
pub use hash::hash_words;
pub use hash_compact::HashCompactStore;
pub use lineage::{Lineage, LineageSession};
pub use reconstruct::ReconstructingStore;
pub use sample::Sample;
pub use tree::{ColouredTree, TreeStore};

use dampf_core::{Successors, Word};

/// Names a stored state. What the bits mean is the store's matter; engines keep them in their frontiers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StateRef(pub u64);

/// What [`Session::commit`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    New(StateRef),
    Known(StateRef),
}

/// What [`Staging::stage`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Staged {
    /// The state was in the store before the current level began.
    Old,
    /// It was not. Equal states, and only they, are staged under equal references until they are published.
    Fresh(StateRef),
}

/// How sure a store is that two states which it takes for one are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exactness {
    /// Wholly: whole states are compared.
    Exact,
    /// States are told apart by so many bits of a hash: a state may be taken for another one, and what only it leads to
    /// is left out.
    Hashed { bits: u32 },
    /// States are told apart by the bits they set in a filter.
    Filtered(Filter),
}

impl Exactness {
    /// How many states are to be expected to have been taken for others in a search that found so many. What only they
    /// lead to is not counted.
    pub fn left_out(self, states: u64) -> f64 {
        match self {
            Exactness::Exact => 0.0,
            // Each pair of states collides with a probability of 2^-bits.
            Exactness::Hashed { bits } => states as f64 * states as f64 / 2.0 * (-f64::from(bits)).exp2(),
            Exactness::Filtered(filter) => filter.left_out(states),
        }
    }

    /// The probability that the next new state is taken for another one, when so many were found.
    pub fn mistake_probability(self, states: u64) -> f64 {
        match self {
            Exactness::Exact => 0.0,
            Exactness::Hashed { bits } => states as f64 * (-f64::from(bits)).exp2(),
            Exactness::Filtered(filter) => filter.mistake_probability(states as f64),
        }
    }

    /// An upper bound of the probability that a search which found so many states has left one out.
    pub fn omission_probability(self, states: u64) -> f64 {
        self.left_out(states).min(1.0)
    }

    /// The share of the states that a search has found, if it found so many: an estimate.
    pub fn coverage(self, states: u64) -> f64 {
        let left_out = self.left_out(states);
        if left_out == 0.0 { 1.0 } else { states as f64 / (states as f64 + left_out) }
    }
}

/// A set of visited states, shared by all threads.
pub trait Store: Sync {
    type Session<'s>: Session
    where
        Self: 's;

    /// A handle with scratch space for one thread.
    fn session(&self) -> Self::Session<'_>;

    /// Bytes the set occupies, free room and bookkeeping included.
    fn bytes(&self) -> u64;

    fn exactness(&self) -> Exactness;
}

/// One thread's access to a store.
pub trait Session {
    /// A state on its way into the store.
    type Pending: Copy;

    /// Hashes a state and fetches the line of the table where it is or will be.
    fn prepare(&mut self, words: &[Word]) -> Self::Pending;

    /// Prepares these successors of the state that was loaded last, in their order.
    #[inline]
    fn prepare_all(
        &mut self,
        successors: &Successors,
        steps: impl Iterator<Item = usize> + Clone,
        pending: &mut Vec<Self::Pending>,
    ) {
        pending.extend(steps.map(|step| self.prepare(successors.state(step))));
    }

    /// Prepares states that follow one another in `states` and mostly resemble the one before: what two neighbours
    /// share is not hashed again.
    #[inline]
    fn prepare_neighbours(&mut self, width: usize, states: &[Word], pending: &mut Vec<Self::Pending>) {
        pending.extend(states.chunks_exact(width).map(|state| self.prepare(state)));
    }

    /// Fetches what the line of the table refers to, once the line is there: for searches that look up few states at a
    /// time, where one fetch after the other is what takes long.
    #[inline]
    fn approach(&mut self, pending: Self::Pending) {
        let _ = pending;
    }

    /// Looks the state up and adds it if it is not there. `words` are those that were prepared.
    fn commit(&mut self, pending: Self::Pending, words: &[Word], parent: Option<StateRef>) -> Inserted;

    /// Whether the state is in the store.
    fn contains(&mut self, pending: Self::Pending, words: &[Word]) -> bool;

    /// Says that no lookup is under way, so that memory of outgrown tables may be given back. To be called
    /// between batches.
    fn quiesce(&mut self);
}

/// A store that gives states back.
pub trait Retrieve: Store {
    /// Reads a stored state back, and makes it the one that successors are compared with: what a prepared
    /// state shares with it is not hashed again.
    fn load(session: &mut Self::Session<'_>, state: StateRef, words: &mut [Word]);
}

/// A store that knows about where states were first reached from: little, sometimes ambiguous, and always enough to
/// rebuild a trail by trying the candidates it names.
pub trait Parents: Store {
    /// Calls `visit` for states among which is the one that `state` was first reached from, until `visit`
    /// returns false. No candidates for a state that was stored without parent.
    ///
    /// No other thread inserts during the call.
    fn parents(&self, state: StateRef, visit: &mut dyn FnMut(StateRef) -> bool);
}

/// A store that knows the one state that another was first reached from.
pub trait Parent: Store {
    /// None for a state that was stored without parent.
    fn parent(&self, state: StateRef) -> Option<StateRef>;
}

/// Some high bits of a state's reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    pub value: u64,
    /// How many bits are known; at most 63.
    pub bits: u32,
}

impl Prefix {
    /// What all references have.
    pub const ANY: Prefix = Prefix { value: 0, bits: 0 };

    /// The first `bits` of the prefix, or all where it has fewer.
    pub fn cut(self, bits: u32) -> Prefix {
        let bits = self.bits.min(bits);
        Prefix { value: self.value >> (self.bits - bits), bits }
    }
}

/// A store in which parents can be looked for by others: what it knows of a parent is how the parent's reference
/// begins, wherever the parent is stored.
pub trait ByPrefix: Parents {
    /// What is known of the state that a state was first reached from. None if it was stored without parent.
    fn parent_prefix(&self, state: StateRef) -> Option<Prefix>;

    /// Calls `visit` for all states whose references begin like this, until it returns false. No other thread inserts
    /// during the call.
    fn for_each_with(&self, prefix: Prefix, visit: &mut dyn FnMut(StateRef) -> bool);
}

/// A store that can look states up level by level, so that what a lookup sees does not depend on the other lookups of
/// its level.
pub trait Staging: Store {
    /// Begins a level: what was committed or published so far is old.
    ///
    /// No other thread uses the store during the call.
    fn begin_level(&self);

    /// Looks a state up without making it known to other lookups of the same level.
    fn stage<'s>(
        session: &mut Self::Session<'s>,
        pending: <Self::Session<'s> as Session>::Pending,
        words: &[Word],
    ) -> Staged
    where
        Self: 's;

    /// Adds a staged state. Called once for each.
    fn publish(session: &mut Self::Session<'_>, staged: StateRef, parent: Option<StateRef>);
}

/// A store that keeps a few bits with every state: colours of a search for cycles, say.
pub trait Marks: Store {
    /// Adds bits to the marks of a state; returns the marks it had before. Threads that mark the same state see each
    /// other's marks in one order.
    fn mark(&self, state: StateRef, bits: u32) -> u32;

    /// Takes bits out of the marks of a state.
    fn unmark(&self, state: StateRef, bits: u32);

    fn marks(&self, state: StateRef) -> u32;
}

/// A store that numbers its states from 0 on without gaps worth mentioning, so that whoever explores may keep what it
/// knows of a state in an array: the references are the numbers, and less than 2^32.
pub trait Numbered: Retrieve + Marks {}

/// A store that keeps a colour with every state, a number below eight that is 0 at first, where whoever looks the state
/// up finds it. One thread has the store to itself: there is one session at a time.
pub trait Coloured: Retrieve {
    /// As [`Session::commit`]; also the colour of the state.
    fn commit_coloured<'s>(
        session: &mut Self::Session<'s>,
        pending: <Self::Session<'s> as Session>::Pending,
        words: &[Word],
        parent: Option<StateRef>,
    ) -> (Inserted, u8)
    where
        Self: 's;

    /// Fetches what is needed to tell the colour of a state.
    fn approach(session: &mut Self::Session<'_>, state: StateRef);

    /// The colour of a state that was added.
    fn colour(session: &mut Self::Session<'_>, state: StateRef) -> u8;

    /// Gives such a state another colour.
    fn paint(session: &mut Self::Session<'_>, state: StateRef, colour: u8);
}
