//! Nested searches from all accepting states at once (Courcoubetis, Vardi, Wolper, Yannakakis 1992, on many ranks as in
//! the thesis on reducing communication, §4.1.7).
//!
//! A search goes on from every accepting state, its *root*, in pairs of root and state, each of which is followed once.
//! A pair of two equal states closes a cycle. There may be as many pairs as the square of the states, at about 30 bytes
//! each: this is here to be compared with.

use super::rounds::{CycleId, Tally};
use super::table::StateTable;
use super::{Load, Orders, Technique};
use dampf_net::Rank;
use std::collections::HashSet;

pub(crate) struct NaiveNested {
    orders: Orders,
    pairs: HashSet<(CycleId, u32)>,
    waiting: Vec<(CycleId, u32)>,
    /// Accepting states before this one are roots.
    cursor: u32,
    /// A state that leads to itself.
    pub found: Option<u32>,
}

impl NaiveNested {
    pub fn new(orders: Orders) -> Self {
        NaiveNested { orders, pairs: HashSet::new(), waiting: Vec::new(), cursor: 0, found: None }
    }

    pub fn best(&self, table: &StateTable) -> CycleId {
        self.found.map_or(CycleId::NONE, |number| self.orders.id(table, number))
    }

    pub fn into_orders(self) -> Orders {
        self.orders
    }
}

impl Technique for NaiveNested {
    fn next(&mut self, table: &mut StateTable) -> Option<(u32, Load)> {
        if self.found.is_some() {
            return None;
        }
        if let Some((root, number)) = self.waiting.pop() {
            return Some((number, (root.order, root.holder)));
        }
        let number = (self.cursor..table.len()).find(|&number| table.is_accepting(number));
        self.cursor = number.map_or(table.len(), |number| number + 1);
        let root = self.orders.id(table, number?);
        Some((number?, (root.order, root.holder)))
    }

    fn arrive(&mut self, table: &mut StateTable, number: u32, _: Rank, (order, holder): Load) {
        let root = CycleId { order, holder };
        // Only accepting states are roots. Whether this one is accepting may not be known here yet.
        if root == self.orders.id(table, number) {
            // What others were told of stays.
            self.found.get_or_insert(number);
        } else if self.pairs.insert((root, number)) {
            self.waiting.push((root, number));
        }
    }

    fn tally(&self) -> Tally {
        Tally::default()
    }
}
