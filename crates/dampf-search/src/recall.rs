//! Where a search has the words of states that wait: in the store, where it gives states back, or beside their names.

use crate::rebuild::{self, Route};
use dampf_core::{Model, Trail, Word};
use dampf_store::{Parent, Parents, Retrieve, StateRef, Store};

/// How a search gets at the words of the states that it has found, and at the runs that lead to them.
pub(crate) trait Recall<S: Store> {
    /// How many of the words of a state wait with its name.
    fn carried(width: usize) -> usize;

    /// Reads a state that waited with these words.
    fn load(session: &mut S::Session<'_>, state: StateRef, carried: &[Word], words: &mut [Word]);

    /// The run to the end of a route; none where the store has taken two states for one and the run is lost.
    fn trail<M: Model>(model: &M, store: &S, route: &Route, step: Option<usize>) -> Option<Trail>;
}

/// Names wait, and the store gives the states back.
pub(crate) enum FromStore {}

impl<S: Retrieve + Parents> Recall<S> for FromStore {
    #[inline]
    fn carried(_: usize) -> usize {
        0
    }

    #[inline]
    fn load(session: &mut S::Session<'_>, state: StateRef, _: &[Word], words: &mut [Word]) {
        S::load(session, state, words);
    }

    fn trail<M: Model>(model: &M, store: &S, route: &Route, step: Option<usize>) -> Option<Trail> {
        Some(rebuild::trail(model, store, route, step))
    }
}

/// Whole states wait.
pub(crate) enum Carried {}

impl<S: Parent> Recall<S> for Carried {
    #[inline]
    fn carried(width: usize) -> usize {
        width
    }

    #[inline]
    fn load(_: &mut S::Session<'_>, _: StateRef, carried: &[Word], words: &mut [Word]) {
        words.copy_from_slice(carried);
    }

    fn trail<M: Model>(model: &M, store: &S, route: &Route, step: Option<usize>) -> Option<Trail> {
        rebuild::trail_along_names(model, store, route, step)
    }
}
