//! Where a search has the words of states that wait, and how it came to them: in the store, where it gives states back
//! and knows their parents, or beside their names.

use crate::rebuild::{self, Route};
use dampf_core::{Action, Model, Trail, Word};
use dampf_store::{Lineage, LineageSession, Parents, Retrieve, StateRef, Store};

/// How a search gets at the words of the states that it has found, and at the runs that lead to them.
pub(crate) trait Recall<S: Store>: Sync {
    /// What a thread needs to note how it came to states.
    type Notes<'r>
    where
        Self: 'r;

    fn notes(&self) -> Self::Notes<'_>;

    /// How many words wait with the name of a state.
    fn carried(width: usize) -> usize;

    /// Makes `carried` what waits with an initial state.
    fn begin(notes: &mut Self::Notes<'_>, number: usize, words: &[Word], carried: &mut Vec<Word>);

    /// Makes `carried` what waits with a state that was found by a step from one that waited with `parent`.
    fn find(notes: &mut Self::Notes<'_>, parent: &[Word], action: Action, words: &[Word], carried: &mut Vec<Word>);

    /// Reads a state that waited with these words.
    fn load(session: &mut S::Session<'_>, state: StateRef, carried: &[Word], words: &mut [Word]);

    /// How the search came to a state that waited with these words, where the store does not know it.
    fn route(notes: &Self::Notes<'_>, carried: &[Word]) -> Option<Route>;

    /// A state that waited with these words is explored, and nobody asks for it any more.
    fn finish(notes: &mut Self::Notes<'_>, carried: &[Word]);

    /// The run to the end of a route, and one more step.
    fn trail<M: Model>(model: &M, store: &S, route: &Route, step: Option<usize>) -> Trail;
}

/// Names wait, and the store gives the states back.
pub(crate) struct FromStore;

impl<S: Retrieve + Parents> Recall<S> for FromStore {
    type Notes<'r> = ();

    fn notes(&self) {}

    #[inline]
    fn carried(_: usize) -> usize {
        0
    }

    fn begin((): &mut (), _: usize, _: &[Word], _: &mut Vec<Word>) {}

    #[inline]
    fn find((): &mut (), _: &[Word], _: Action, _: &[Word], _: &mut Vec<Word>) {}

    #[inline]
    fn load(session: &mut S::Session<'_>, state: StateRef, _: &[Word], words: &mut [Word]) {
        S::load(session, state, words);
    }

    fn route((): &(), _: &[Word]) -> Option<Route> {
        None
    }

    #[inline]
    fn finish((): &mut (), _: &[Word]) {}

    fn trail<M: Model>(model: &M, store: &S, route: &Route, step: Option<usize>) -> Trail {
        rebuild::trail(model, store, route, step)
    }
}

/// Whole states wait, each with its node in a tree of steps as its last word.
#[derive(Default)]
pub(crate) struct Carried {
    lineage: Lineage,
}

/// A state and its node.
fn state_and_node(carried: &[Word]) -> (&[Word], Word) {
    let (&node, state) = carried.split_last().expect("a node is carried with every state");
    (state, node)
}

impl<S: Store> Recall<S> for Carried {
    type Notes<'r> = LineageSession<'r>;

    fn notes(&self) -> LineageSession<'_> {
        self.lineage.session()
    }

    #[inline]
    fn carried(width: usize) -> usize {
        width + 1
    }

    fn begin(notes: &mut LineageSession<'_>, number: usize, words: &[Word], carried: &mut Vec<Word>) {
        carried.clear();
        carried.extend_from_slice(words);
        carried.push(notes.root(number));
    }

    #[inline]
    fn find(notes: &mut LineageSession<'_>, parent: &[Word], action: Action, words: &[Word], carried: &mut Vec<Word>) {
        carried.clear();
        carried.extend_from_slice(words);
        carried.push(notes.child(state_and_node(parent).1, action));
    }

    #[inline]
    fn load(_: &mut S::Session<'_>, _: StateRef, carried: &[Word], words: &mut [Word]) {
        words.copy_from_slice(state_and_node(carried).0);
    }

    fn route(notes: &LineageSession<'_>, carried: &[Word]) -> Option<Route> {
        Some(Route::Known(notes.trail(state_and_node(carried).1)))
    }

    #[inline]
    fn finish(notes: &mut LineageSession<'_>, carried: &[Word]) {
        notes.release(state_and_node(carried).1);
    }

    fn trail<M: Model>(model: &M, _: &S, route: &Route, step: Option<usize>) -> Trail {
        rebuild::trail_of_actions(model, route, step)
    }
}
