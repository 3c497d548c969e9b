//! Local search: exploring a few steps on, whoever owns the states.
//!
//! A rank that takes a state from its queue explores not only this state but all that follow within a number of steps, and sends only
//! those at the end. That saves messages and repeats work: several ranks may explore the same state. What is remembered of the states in
//! between decides how much. Every state that is sent or stored names the state the local search began with as the one it came from,
//! so trails are rebuilt by searching as deep from there.

use crate::Distributable;
use crate::node::Node;
use crate::parcel::{Companion, PARENT_BITS};
use crate::partition::Owner;
use crate::queue::Stored;
use dampf_core::{Action, Successors, Word, Worker};
use dampf_net::Transport;
use dampf_store::{Inserted, Session, hash_words};

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

impl<M: Distributable> Node<'_, M> {
    /// Explores on from the successors of a state. Returns the number of further steps.
    pub(crate) fn explore_locally(
        &mut self,
        network: &mut impl Transport,
        local: &LocalSearch,
        root: Stored,
        successors: &Successors,
    ) -> u64 {
        let mut stack = Vec::new();
        for step in (0..successors.len()).filter(|&step| successors.leads_on(step)) {
            self.go_local(network, local, root, successors.state(step), vec![successors.action(step)], &mut stack);
        }
        let mut steps = 0;
        let mut out = Successors::new(self.model.width());
        while let Some(Inner { words, path, is_stored }) = stack.pop() {
            self.worker.successors(&words, &mut out);
            steps += out.len() as u64;
            self.redundant += u64::from(!is_stored);
            if !out.is_unremarkable() {
                self.note_inner(&out, root, &path);
            }
            for step in (0..out.len()).filter(|&step| out.leads_on(step)) {
                let mut path = path.clone();
                path.push(out.action(step));
                self.go_local(network, local, root, out.state(step), path, &mut stack);
            }
        }
        steps
    }

    /// Decides about a state that a local search has reached.
    fn go_local(
        &mut self,
        network: &mut impl Transport,
        local: &LocalSearch,
        root: Stored,
        state: &[Word],
        path: Vec<Action>,
        stack: &mut Vec<Inner>,
    ) {
        let below = path.len() as u32;
        let companion = Companion {
            parent: (root.state.0 >> (64 - PARENT_BITS)) as u32,
            depth: root.depth + below,
            label: path.last().map_or(0, |action| action.front_end()),
            ..Companion::default()
        };
        let owner = self.partitioner.owner(state, companion.depth);
        let is_own = owner == Owner::Rank(self.rank);
        let is_last = below >= local.depth || matches!(owner, Owner::Unassigned(_));
        let is_known = if is_last || is_own && local.own == OwnStates::Enqueue {
            self.deliver(network, owner, state, companion);
            return;
        } else if is_own {
            match local.own {
                OwnStates::Store => {
                    let is_new = self.store_inner(state, root, companion);
                    if is_new {
                        stack.push(Inner { words: state.to_vec(), path, is_stored: true });
                    }
                    return;
                }
                OwnStates::Cache => self.is_stored(state) || self.searched.contains_or_insert(state),
                OwnStates::Leave | OwnStates::Enqueue => self.is_stored(state),
            }
        } else {
            match local.foreign {
                ForeignStates::SentCache => self.outbox.was_sent(hash_words(state), state),
                ForeignStates::SearchCache => self.searched.contains_or_insert(state),
                ForeignStates::Leave => false,
            }
        };
        if !is_known {
            stack.push(Inner { words: state.to_vec(), path, is_stored: false });
        }
    }

    fn is_stored(&mut self, state: &[Word]) -> bool {
        let hash = self.session.prepare(state);
        self.session.contains(hash, state)
    }

    /// Stores a state that is explored at once; true where it is new.
    fn store_inner(&mut self, state: &[Word], root: Stored, companion: Companion) -> bool {
        let hash = self.session.prepare(state);
        let Inserted::New(stored) = self.session.commit(hash, state, Some(root.state)) else { return false };
        self.note_stored(stored, companion);
        true
    }

    /// The steps that lead from a state to another: one, or as many as a local search goes.
    pub(crate) fn path_to(&mut self, from: &[Word], target: &[Word], out: &mut Successors) -> Option<Vec<Action>> {
        let deepest = self.settings.local.map_or(1, |local| local.depth.max(1));
        let mut frontier: Vec<(Vec<Word>, Vec<Action>)> = vec![(from.to_vec(), Vec::new())];
        for _ in 0..deepest {
            let mut next = Vec::new();
            for (words, path) in &frontier {
                self.worker.successors(words, out);
                for step in (0..out.len()).filter(|&step| out.leads_on(step)) {
                    let extended = || path.iter().copied().chain([out.action(step)]).collect();
                    if out.state(step) == target {
                        return Some(extended());
                    }
                    if deepest > 1 {
                        next.push((out.state(step).to_vec(), extended()));
                    }
                }
            }
            frontier = next;
        }
        None
    }
}
