//! Nested searches that begin at back-level edges (the thesis on reducing communication, §4.1.8).
//!
//! A breadth-first search from the initial states takes along the accepting state that was passed last, the *root*. A
//! step to a state that was found before, and not deeper, is a back-level edge, which every cycle has. Behind one the
//! root is *frozen*: the search goes on as a nested one, in pairs of root and state, and where the two are equal a
//! cycle is closed. Fewer pairs are followed than with a search from every accepting state.
//!
//! Every round is a level. Of the pairs of a level those that are not frozen come first: the first pair that comes to a
//! state must be one that makes an accepting state a root. In the order of arrival a frozen one could be first. About
//! 30 bytes a pair, and 4 a state.

use super::rounds::{CycleId, Tally};
use super::table::StateTable;
use super::{Load, Orders, Technique};
use dampf_net::Rank;
use std::collections::HashSet;

/// In what travels, beside the rank of the root.
const FROZEN: u32 = 1 << 31;
/// The depth of a state that was not found.
const NOT_FOUND: u32 = u32::MAX;

/// A pair; the order is that in which pairs of a level are followed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    is_frozen: bool,
    root: CycleId,
    number: u32,
}

pub(crate) struct ImprovedNested {
    orders: Orders,
    depths: Vec<u32>,
    pairs: HashSet<(CycleId, u32)>,
    depth: u32,
    /// The pairs of this level, the next one last, and of the next level.
    level: Vec<Pair>,
    arrivals: Vec<Pair>,
    explored: u64,
    /// A state that leads to itself.
    pub found: Option<u32>,
}

impl ImprovedNested {
    pub fn new(table: &StateTable, orders: Orders, initial: impl Iterator<Item = u32>) -> Self {
        ImprovedNested {
            orders,
            depths: vec![NOT_FOUND; table.len() as usize],
            pairs: HashSet::new(),
            depth: 0,
            level: initial.map(|number| Pair { is_frozen: false, root: CycleId::NONE, number }).collect(),
            arrivals: Vec::new(),
            explored: 0,
            found: None,
        }
    }

    pub fn turn_level(&mut self) {
        self.depth += 1;
        self.explored = 0;
        self.level = std::mem::take(&mut self.arrivals);
        self.level.sort_unstable();
        self.level.dedup();
        self.level.reverse();
    }

    pub fn best(&self, table: &StateTable) -> CycleId {
        self.found.map_or(CycleId::NONE, |number| self.orders.id(table, number))
    }

    pub fn into_orders(self) -> Orders {
        self.orders
    }
}

impl Technique for ImprovedNested {
    fn next(&mut self, table: &mut StateTable) -> Option<(u32, Load)> {
        while let Some(Pair { mut is_frozen, mut root, number }) = self.level.pop() {
            let depth = &mut self.depths[number as usize];
            if *depth == NOT_FOUND {
                *depth = self.depth;
            } else if root == CycleId::NONE || self.pairs.contains(&(root, number)) {
                continue;
            } else if *depth <= self.depth {
                is_frozen = true;
            }
            self.explored += 1;
            let own = if table.is_accepting(number) { self.orders.id(table, number) } else { CycleId::NONE };
            if root != CycleId::NONE {
                if root == own {
                    self.found = Some(number);
                    self.level.clear();
                    return None;
                }
                self.pairs.insert((root, number));
            }
            if !is_frozen && own != CycleId::NONE {
                root = own;
            }
            return Some((number, (root.order, root.holder | if is_frozen { FROZEN } else { 0 })));
        }
        None
    }

    fn arrive(&mut self, _: &mut StateTable, number: u32, _: Rank, (order, holder): Load) {
        let root = CycleId { order, holder: holder & !FROZEN };
        self.arrivals.push(Pair { is_frozen: holder & FROZEN != 0, root, number });
    }

    fn tally(&self) -> Tally {
        Tally { count: self.explored, ..Tally::default() }
    }
}
