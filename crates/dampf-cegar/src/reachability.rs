//! One computation of abstract reachability, as its master sees it: the tree, what is to be expanded, and how deep.
//!
//! Who computes the successors does not matter here: the same master is driven by one loop, by threads, or by a
//! network. Work is handed out least depth first, which wastes the least; the result does not depend on it. Once a
//! counterexample is found, only what is above it is expanded, so that in the end all counterexamples of the least
//! length are in the tree.

use crate::expansion::AbstractState;
use crate::system::{LocationId, System, TransitionId};
use crate::tree::{Addition, NodeId, Tree};
use std::collections::BTreeSet;

pub struct Reachability {
    tree: Tree,
    root: NodeId,
    error: LocationId,
    /// Depth, order of arrival, node.
    queue: BTreeSet<(u32, u64, NodeId)>,
    arrivals: u64,
    /// The depth of the shallowest error state.
    bound: u32,
    /// The first error state that arrived, in a naive search.
    first_error: Option<NodeId>,
    is_naive: bool,
}

impl Reachability {
    pub fn new(system: &System, is_naive: bool) -> Reachability {
        let mut tree = Tree::new(system.locations.len(), is_naive);
        let root = tree.add_root(AbstractState { location: system.initial, holding: Default::default() });
        Reachability {
            tree,
            root,
            error: system.error,
            queue: BTreeSet::from([(0, 0, root)]),
            arrivals: 0,
            bound: u32::MAX,
            first_error: None,
            is_naive,
        }
    }

    /// The next node whose successors are needed.
    pub fn next_work(&mut self) -> Option<(NodeId, AbstractState, u32)> {
        loop {
            let (depth, _, id) = self.queue.pop_first()?;
            if depth >= self.bound {
                self.queue.clear();
                return None;
            }
            let node = self.tree.node(id);
            if node.is_reached && node.depth == depth {
                return Some((id, node.state.clone(), depth));
            }
        }
    }

    /// Puts a node back whose successors somebody failed to compute.
    pub fn reissue(&mut self, id: NodeId) {
        let depth = self.tree.node(id).depth;
        self.queue.insert((depth, 0, id));
    }

    /// How many nodes wait, those included that will turn out to be pruned.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// The depth of the next node that is to be expanded.
    pub fn next_depth(&mut self) -> Option<u32> {
        loop {
            let &(depth, arrival, id) = self.queue.first()?;
            if depth >= self.bound {
                return None;
            }
            let node = self.tree.node(id);
            if node.is_reached && node.depth == depth {
                return Some(depth);
            }
            self.queue.remove(&(depth, arrival, id));
        }
    }

    pub fn has_work(&self) -> bool {
        self.queue.first().is_some_and(|&(depth, ..)| depth < self.bound)
    }

    /// A state was reached from a node by a transition.
    pub fn reached(&mut self, parent: NodeId, parent_depth: u32, transition: TransitionId, state: AbstractState) {
        let depth = parent_depth + 1;
        if depth > self.bound {
            return;
        }
        let is_error = state.location == self.error;
        let addition = self.tree.add(state, depth, parent, transition);
        if let Addition::New(id) = addition {
            if is_error {
                self.bound = self.bound.min(depth);
                self.first_error.get_or_insert(id);
                if self.is_naive {
                    self.queue.clear();
                    self.bound = 0;
                }
            } else {
                self.arrivals += 1;
                self.queue.insert((depth, self.arrivals, id));
            }
        }
    }

    /// The counterexample to analyse, when there is no more work.
    pub fn counterexample(&self) -> Option<Vec<TransitionId>> {
        match self.is_naive {
            true => self.first_error.map(|node| self.tree.first_path(self.root, node)),
            false => self.tree.least_path(self.root, self.error),
        }
    }

    pub fn fingerprint(&self) -> u64 {
        self.tree.fingerprint(self.root, self.bound)
    }

    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The states of the tree that count, with their depths.
    pub fn states(&self) -> impl Iterator<Item = (u32, &AbstractState)> {
        self.tree.states(self.root, self.bound)
    }
}
