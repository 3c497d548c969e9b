//! Local search for nested searches from all accepting states (the thesis on reducing communication, §4.2.2).
//!
//! A rank that follows a pair of root and state goes on through states of other ranks, for a number of steps, before it
//! sends anything. States of its own are looked up as ever, and begin local searches themselves.
//!
//! Nothing is missed. Whatever a nested search comes to is either known to its owner or followed here, and following a
//! state here means that each of its successors is looked up, sent, or followed here in turn. What is lost is the
//! owner's mark that a pair was followed, so several ranks may follow it. Only one moment needs the owner: that the
//! nested search is back at its root. A root is an accepting state of the rank that holds it, so accepting states of
//! that rank are never passed through, but sent.
//!
//! Pairs that were followed here lately are remembered. All their successors were taken care of, however deep the local
//! search was then.
//!
//! Other methods have no such thing. OWCTY counts how many steps lead to a state, each once. Nested searches that begin
//! at back-level edges need the owner of every state to see at which depths it is reached: a local search that passes
//! through a cycle in strides may bring to each owner pairs that are known there, and none of them frozen (§4.2.3 has
//! an example).

use super::Load;
use crate::local::LocalSearch;
use crate::recent::RecentStates;
use dampf_core::Word;
use dampf_net::Rank;

pub(crate) struct LocalPairs {
    depth: u32,
    /// Pairs that were followed here: the words of the state, then those of the root.
    met: RecentStates,
    key: Vec<Word>,
    /// States to follow here, one after the other, with the steps that lead to each.
    words: Vec<Word>,
    steps: Vec<u32>,
}

/// The words of a root.
const ROOT_WORDS: usize = 3;

impl LocalPairs {
    pub fn new(width: usize, settings: &LocalSearch) -> Self {
        LocalPairs {
            depth: settings.depth,
            met: RecentStates::new(width + ROOT_WORDS, settings.cached),
            key: Vec::new(),
            words: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// A state of another rank is so many steps behind the pair that is followed. True where it is the business of this
    /// rank, false where it has to be sent.
    pub fn takes(&mut self, state: &[Word], (order, holder): Load, steps: u32, may_be_root: bool) -> bool {
        if may_be_root || steps >= self.depth {
            return false;
        }
        self.key.clear();
        self.key.extend_from_slice(state);
        self.key.extend([order as Word, (order >> Word::BITS) as Word, holder]);
        if !self.met.contains_or_insert(&self.key) {
            self.words.extend_from_slice(state);
            self.steps.push(steps);
        }
        true
    }

    /// The next state to follow here, with the steps that lead to it.
    pub fn next(&mut self, state: &mut [Word]) -> Option<u32> {
        let steps = self.steps.pop()?;
        state.copy_from_slice(&self.words[self.words.len() - state.len()..]);
        self.words.truncate(self.words.len() - state.len());
        Some(steps)
    }

    /// Whether a state of this rank can be the root of a pair.
    pub fn may_be_root(owner: Rank, (_, holder): Load, is_accepting: impl FnOnce() -> bool) -> bool {
        owner + 1 == holder && is_accepting()
    }
}
