//! The tree of abstract reachability: what is added, what is pruned, which counterexample is taken.
//!
//! A state is pruned by a larger one only if that is not deeper (the paper's AddNode). Then it does not matter in which
//! order states arrive: what is left in the end, down to the depth of the shortest counterexample, is the same, as long
//! as larger states have larger successors. States below a pruned one may stay for a while; successors of the state
//! that pruned it prune them in turn, or take their place.
//!
//! Unlike in the paper's pseudocode, a further parent at the same depth is always recorded and passed on: it may be
//! part of the least counterexample.

use crate::expansion::AbstractState;
use crate::fingerprint::Fingerprint;
use crate::system::{LocationId, TransitionId};
use std::collections::HashMap;

pub type NodeId = u32;

#[derive(Clone, Debug)]
pub struct Node {
    pub state: AbstractState,
    pub depth: u32,
    /// Whether it is part of the tree, and not pruned.
    pub is_reached: bool,
    pub parents: Vec<(NodeId, TransitionId)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Addition {
    /// It is new, or not as deep as before: its successors are to be computed.
    New(NodeId),
    /// It was there at this depth, and has one more parent.
    Parent(NodeId),
    /// A larger state that is not deeper covers it.
    Covered,
}

/// Nodes of one depth, each with the last step of the least path to it.
type Level = Vec<(NodeId, Option<(NodeId, TransitionId)>)>;

#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    numbers: HashMap<AbstractState, NodeId>,
    /// By location, the nodes that are part of the tree.
    reached: Vec<Vec<NodeId>>,
    /// Whether depths count. Without, the first state that covers another wins, as in a naive distribution.
    is_naive: bool,
}

impl Tree {
    pub fn new(locations: usize, is_naive: bool) -> Tree {
        Tree { reached: vec![Vec::new(); locations], is_naive, ..Tree::default() }
    }

    /// Adds the root, at depth zero.
    pub fn add_root(&mut self, state: AbstractState) -> NodeId {
        self.insert(state, 0)
    }

    fn insert(&mut self, state: AbstractState, depth: u32) -> NodeId {
        let location = state.location.0 as usize;
        let id = *self.numbers.entry(state.clone()).or_insert(self.nodes.len() as NodeId);
        if id as usize == self.nodes.len() {
            self.nodes.push(Node { state, depth, is_reached: false, parents: Vec::new() });
        }
        let node = &mut self.nodes[id as usize];
        node.depth = depth;
        if !node.is_reached {
            node.is_reached = true;
            self.reached[location].push(id);
        }
        id
    }

    /// Adds a state that was reached from a node by a transition.
    pub fn add(&mut self, state: AbstractState, depth: u32, parent: NodeId, transition: TransitionId) -> Addition {
        let known = self.numbers.get(&state).copied();
        if let Some(id) = known {
            let node = &mut self.nodes[id as usize];
            if node.is_reached && (node.depth == depth || self.is_naive) {
                node.parents.push((parent, transition));
                return Addition::Parent(id);
            }
        }
        let nodes = &self.nodes;
        let is_naive = self.is_naive;
        let reached = &self.reached[state.location.0 as usize];
        let covers = |&id: &NodeId| {
            let node = &nodes[id as usize];
            state.is_within(&node.state) && (depth >= node.depth || is_naive)
        };
        if reached.iter().any(covers) {
            return Addition::Covered;
        }
        self.prune(&state, depth);
        let id = self.insert(state, depth);
        self.nodes[id as usize].parents.push((parent, transition));
        Addition::New(id)
    }

    /// Takes out what a new state covers: itself at a greater depth, and smaller states that are at least as deep.
    fn prune(&mut self, state: &AbstractState, depth: u32) {
        let nodes = &mut self.nodes;
        let is_naive = self.is_naive;
        self.reached[state.location.0 as usize].retain(|&id| {
            let node = &mut nodes[id as usize];
            let is_covered = node.state.is_within(state) && (is_naive || node.depth >= depth);
            node.is_reached = !is_covered;
            !is_covered
        });
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    pub fn id_of(&self, state: &AbstractState) -> Option<NodeId> {
        self.numbers.get(state).copied()
    }

    /// The nodes in the order of the least paths to them, level by level down to a depth. A node whose parents were all
    /// pruned is left out.
    fn levels(&self, root: NodeId, depth_max: u32) -> Vec<Level> {
        let mut by_depth: Vec<Vec<NodeId>> = Vec::new();
        for &id in self.reached.iter().flatten() {
            let depth = self.nodes[id as usize].depth;
            if depth <= depth_max {
                if by_depth.len() <= depth as usize {
                    by_depth.resize(depth as usize + 1, Vec::new());
                }
                by_depth[depth as usize].push(id);
            }
        }
        let mut ranks: HashMap<NodeId, usize> = HashMap::from([(root, 0)]);
        let mut levels = vec![vec![(root, None)]];
        for candidates in by_depth.iter().skip(1) {
            let mut level = Vec::with_capacity(candidates.len());
            for &id in candidates {
                let node = &self.nodes[id as usize];
                let connected = node.parents.iter().filter_map(|&(parent, transition)| {
                    let parent_node = &self.nodes[parent as usize];
                    let is_above = parent_node.is_reached && parent_node.depth + 1 == node.depth;
                    let rank = ranks.get(&parent).filter(|_| is_above)?;
                    Some((*rank, transition, parent))
                });
                if let Some(least) = connected.min() {
                    level.push((least, id));
                }
            }
            level.sort_unstable();
            ranks = level.iter().enumerate().map(|(rank, &(_, id))| (id, rank)).collect();
            levels.push(
                level.into_iter().map(|((_, transition, parent), id)| (id, Some((parent, transition)))).collect(),
            );
        }
        levels
    }

    /// The shortest path from the root to a location, and of these the least by the order of transitions.
    pub fn least_path(&self, root: NodeId, location: LocationId) -> Option<Vec<TransitionId>> {
        let levels = self.levels(root, u32::MAX);
        for (depth, level) in levels.iter().enumerate() {
            let Some(&(found, _)) = level.iter().find(|(id, _)| self.nodes[*id as usize].state.location == location)
            else {
                continue;
            };
            let mut path = Vec::new();
            let mut at = found;
            for level in levels[1..=depth].iter().rev() {
                let step = level.iter().find(|(id, _)| *id == at).and_then(|(_, step)| *step);
                let (parent, transition) = step.expect("a node below the root has a parent on the level above");
                path.push(transition);
                at = parent;
            }
            path.reverse();
            return Some(path);
        }
        None
    }

    /// The path to the first node found at a location, by first parents: what a naive distribution takes.
    pub fn first_path(&self, root: NodeId, node: NodeId) -> Vec<TransitionId> {
        let mut path = Vec::new();
        let mut at = node;
        while at != root {
            let &(parent, transition) = &self.nodes[at as usize].parents[0];
            path.push(transition);
            at = parent;
        }
        path.reverse();
        path
    }

    /// The states of the tree down to a depth, in the order of the least paths to them.
    pub fn states(&self, root: NodeId, depth_max: u32) -> impl Iterator<Item = (u32, &AbstractState)> {
        let levels = self.levels(root, depth_max).into_iter().enumerate();
        levels.flat_map(move |(depth, level)| {
            level.into_iter().map(move |(id, _)| (depth as u32, &self.nodes[id as usize].state))
        })
    }

    /// A number that two trees share if they have the same states at the same depths.
    pub fn fingerprint(&self, root: NodeId, depth_max: u32) -> u64 {
        let mut fingerprint = Fingerprint::default();
        for (depth, state) in self.states(root, depth_max) {
            fingerprint.add(u64::from(depth));
            fingerprint.add(u64::from(state.location.0));
            state.holding.words().iter().for_each(|&word| fingerprint.add(word));
        }
        fingerprint.value()
    }

    pub fn nodes_made(&self) -> usize {
        self.nodes.len()
    }
}
