//! Visited sets.
//!
//! A store answers one question, millions of times a second and from all threads at once: *was this state
//! here before?* All stores grow by themselves, in small steps, while they are used; none has a size option
//! and none is ever "full" before memory is.
//!
//! The lookup is split in two so that the memory system works in parallel: [`Session::prepare`] hashes a
//! state and asks for the table's cache line, [`Session::commit`] looks. An engine prepares a batch before it
//! commits the batch.
//!
//! Parent information is part of every store ([`Store::parents`]): small, sometimes ambiguous, and always
//! enough to rebuild a trail by trying the candidates it names.

mod exact;
mod file_ground;
mod growing;
mod hash;
mod memory;
mod moving;
mod nodes;
mod segments;
mod shape;
mod tree;

pub use exact::ExactStore;
pub use file_ground::FileGround;
pub use hash::hash_words;
pub use tree::{Prefix, TreeStore};

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

/// What [`Session::stage`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Staged {
    /// The state was in the store before the current level began.
    Old,
    /// It was not. Equal states, and only they, are staged under equal references until they are published.
    Fresh(StateRef),
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

    /// Begins a level of a search that stages: what was committed or published so far is old.
    ///
    /// No other thread uses the store during the call.
    fn begin_level(&self);

    /// Calls `visit` for states among which is the one that `state` was first reached from, until `visit`
    /// returns false. No candidates for a state that was stored without parent.
    ///
    /// No other thread inserts during the call.
    fn parents(&self, state: StateRef, visit: &mut dyn FnMut(StateRef) -> bool);
}

/// One thread's access to a store.
pub trait Session {
    /// A state on its way into the store.
    type Pending: Copy;

    /// Reads a stored state back, and makes it the one that successors are compared with: what a prepared
    /// state shares with it is not hashed again.
    fn load(&mut self, state: StateRef, words: &mut [Word]);

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

    /// Prepares states that follow one another in `states` and mostly resemble the one before: what two neighbours share is
    /// not hashed again.
    #[inline]
    fn prepare_neighbours(&mut self, width: usize, states: &[Word], pending: &mut Vec<Self::Pending>) {
        pending.extend(states.chunks_exact(width).map(|state| self.prepare(state)));
    }

    /// Looks the state up and adds it if it is not there. `words` are those that were prepared.
    fn commit(&mut self, pending: Self::Pending, words: &[Word], parent: Option<StateRef>) -> Inserted;

    /// Looks the state up without making it known to other lookups of the same level.
    fn stage(&mut self, pending: Self::Pending, words: &[Word]) -> Staged;

    /// Adds a staged state. Called once for each.
    fn publish(&mut self, staged: StateRef, parent: Option<StateRef>);

    /// Says that no lookup is under way, so that memory of outgrown tables may be given back. To be called
    /// between batches.
    fn quiesce(&mut self);
}
