//! The shortest cycle through a state: a breadth-first search among the kept states, from it back to it.
//!
//! Every round is a level. A state remembers which state led to it: of those of the level before, the greatest, so that
//! in a predictable search, where the order of states does not depend on ranks, neither does the cycle. A state takes 8
//! bytes.

use super::rounds::Tally;
use super::table::StateTable;
use super::{Load, Orders, Technique};
use dampf_net::Rank;
use std::cmp::Reverse;

/// A state of some rank, by its number there.
type Numbered = (Rank, u32);

const NOWHERE: Numbered = (Rank::MAX, u32::MAX);

pub(crate) struct Circle {
    orders: Orders,
    /// The state that the cycle begins with, if it is here.
    begin: Option<u32>,
    origins: Vec<Numbered>,
    level: Vec<u32>,
    explored: u64,
    /// States that steps of this level lead to, with the order of where they come from.
    arrivals: Vec<(u32, Reverse<u64>, Numbered)>,
    is_closed: bool,
}

impl Circle {
    pub fn new(table: &StateTable, orders: Orders, begin: Option<u32>) -> Self {
        Circle {
            orders,
            begin,
            origins: vec![NOWHERE; table.len() as usize],
            level: begin.into_iter().collect(),
            explored: 0,
            arrivals: Vec::new(),
            is_closed: false,
        }
    }

    /// Makes the states that were reached the next level.
    pub fn turn_level(&mut self) {
        self.explored = 0;
        self.arrivals.sort_unstable();
        self.arrivals.dedup_by_key(|&mut (number, ..)| number);
        for (number, _, origin) in self.arrivals.drain(..) {
            self.origins[number as usize] = origin;
            match self.begin {
                Some(begin) if begin == number => self.is_closed = true,
                _ => self.level.push(number),
            }
        }
    }

    pub fn begin(&self) -> Option<u32> {
        self.begin
    }

    /// Where the cycle came to a state from.
    pub fn origin(&self, number: u32) -> Numbered {
        self.origins[number as usize]
    }
}

impl Technique for Circle {
    fn next(&mut self, table: &mut StateTable) -> Option<(u32, Load)> {
        let number = self.level.pop()?;
        self.explored += 1;
        Some((number, (self.orders.order(table, number), number)))
    }

    fn arrive(&mut self, table: &mut StateTable, number: u32, from: Rank, (order, origin): Load) {
        if table.is_kept(number) && self.origins[number as usize] == NOWHERE && !self.is_closed {
            self.arrivals.push((number, Reverse(order), (from, origin)));
        }
    }

    fn tally(&self) -> Tally {
        Tally { count: self.explored, yes: u64::from(self.is_closed), ..Tally::default() }
    }
}
