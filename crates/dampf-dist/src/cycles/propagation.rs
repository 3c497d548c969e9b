//! Maximal accepting predecessors (Brim, Černá, Moravec, Šimša 2004), of the states that OWCTY has left.
//!
//! Every state learns the greatest accepting state that it can be reached from by steps among these states. One that is
//! its own lies on a cycle. There always is one: of the strongly connected components, take one that none of the others
//! leads to. Each of its states has a predecessor, which can only be in it, and can be reached from an accepting state,
//! which can only be in it. The greatest accepting state in it is its own greatest predecessor.
//!
//! Which state is greater is up to whoever asks. Greater ones are passed on first, so that few states are visited
//! again. A state takes 16 bytes, and 24 more while it waits.

use super::rounds::{CycleId, Tally};
use super::table::StateTable;
use super::{Load, Orders, Technique};
use dampf_net::Rank;
use std::collections::BinaryHeap;

pub(crate) struct Propagation {
    orders: Orders,
    known: Vec<CycleId>,
    waiting: BinaryHeap<(CycleId, u32)>,
    /// States that were their own greatest predecessors at some time.
    suspects: Vec<u32>,
}

impl Propagation {
    pub fn new(table: &StateTable, orders: Orders) -> Self {
        let accepting = (0..table.len()).filter(|&number| table.is_accepting(number));
        Propagation {
            known: vec![CycleId::NONE; table.len() as usize],
            waiting: accepting.map(|number| (orders.id(table, number), number)).collect(),
            suspects: Vec::new(),
            orders,
        }
    }

    fn own(&self, table: &StateTable, number: u32) -> CycleId {
        if table.is_accepting(number) { self.orders.id(table, number) } else { CycleId::NONE }
    }

    /// The state of this rank that is this one.
    pub fn find(&self, table: &StateTable, id: CycleId) -> Option<u32> {
        self.suspects.iter().copied().find(|&number| self.own(table, number) == id)
    }

    /// The greatest state of this rank that is its own greatest predecessor.
    pub fn best(&self, table: &StateTable) -> CycleId {
        let is_own = |&number: &u32| self.known[number as usize] == self.own(table, number);
        self.suspects.iter().copied().filter(is_own).map(|number| self.own(table, number)).max().unwrap_or_default()
    }

    pub fn into_orders(self) -> Orders {
        self.orders
    }
}

impl Technique for Propagation {
    fn next(&mut self, table: &mut StateTable) -> Option<(u32, Load)> {
        while let Some((id, number)) = self.waiting.pop() {
            // It may have learnt of a greater one since, which it has passed on already.
            if id >= self.known[number as usize].max(self.own(table, number)) {
                return Some((number, (id.order, id.holder)));
            }
        }
        None
    }

    fn arrive(&mut self, table: &mut StateTable, number: u32, _: Rank, (order, holder): Load) {
        let id = CycleId { order, holder };
        if !table.is_kept(number) || id <= self.known[number as usize] {
            return;
        }
        self.known[number as usize] = id;
        let own = self.own(table, number);
        if id == own {
            self.suspects.push(number);
        } else if id > own {
            self.waiting.push((id, number));
        }
    }

    fn tally(&self) -> Tally {
        Tally::default()
    }
}
