//! One Way Catch Them Young (Fisler, Fraer, Kamhi, Vardi, Yang 2001; on many ranks Černá, Pelánek 2003).
//!
//! Of all states, those are kept that are reachable from accepting states among them, then those of them that have
//! predecessors among them, and so on until nothing changes. A state on an accepting cycle is never dropped. Where
//! states are left, each accepting one has a predecessor, which is reachable from an accepting one, and so on: there
//! are finitely many, so there is an accepting cycle.
//!
//! Predecessors are counted by following steps forward: reaching a state along a step counts one, and dropping a state
//! takes one off each of its successors. A state takes 4 bytes for the count, beside its place in the table; each
//! iteration follows the steps of the states it begins with once, and those of the states it drops once more.

use super::rounds::Tally;
use super::table::StateTable;
use super::{CycleProgress, Load, Technique};
use crate::saving::KeptStates;
use dampf_net::Rank;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Half {
    /// From accepting states.
    Reaching,
    /// States without predecessors.
    Dropping,
}

/// What the end of half an iteration means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OwctyEnd {
    GoesOn,
    /// No state is left.
    Empty,
    /// What is left has an accepting cycle.
    FixedPoint,
}

pub(crate) struct Owcty {
    half: Half,
    predecessors: Vec<u32>,
    /// States whose steps are to be followed.
    waiting: Vec<u32>,
    /// States before this one were looked at in this half.
    cursor: u32,
    /// States that were reached or dropped here, in this half.
    count: u64,
    /// States of all ranks that the iteration begins with; unknown in the first.
    kept: Option<u64>,
    pub iterations: u64,
}

impl Owcty {
    pub fn new(table: &StateTable) -> Self {
        Owcty {
            half: Half::Reaching,
            predecessors: vec![0; table.len() as usize],
            waiting: Vec::new(),
            cursor: 0,
            count: 0,
            kept: None,
            iterations: 1,
        }
    }

    /// Goes on from a checkpoint.
    pub fn resumed(table: &mut StateTable, progress: CycleProgress, kept: &KeptStates) -> Self {
        let mut owcty = Owcty::new(table);
        if progress.kept.is_some() {
            table.drop_all();
            for &(state, count) in kept {
                let number = table.number(state).expect("a kept state was stored");
                table.keep(number);
                owcty.predecessors[number as usize] = count;
            }
        }
        owcty.half = if progress.drops { Half::Dropping } else { Half::Reaching };
        (owcty.kept, owcty.iterations) = (progress.kept, progress.iterations);
        owcty
    }

    /// How far it has come, between two halves.
    pub fn progress(&self) -> CycleProgress {
        CycleProgress { drops: self.half == Half::Dropping, kept: self.kept, iterations: self.iterations }
    }

    /// The states that are kept between two halves; none at the beginning, when all are.
    pub fn kept_states(&self, table: &StateTable) -> KeptStates {
        let numbers = if self.kept.is_some() { 0..table.len() } else { 0..0 };
        let kept = numbers.filter(|&number| table.is_kept(number));
        kept.map(|number| (table.state(number), self.predecessors[number as usize])).collect()
    }

    /// A half of an iteration has ended on all ranks, with this many states reached or dropped.
    pub fn end_half(&mut self, table: &mut StateTable, count: u64) -> OwctyEnd {
        (self.cursor, self.count) = (0, 0);
        match self.half {
            Half::Reaching => {
                table.keep_reached();
                self.half = Half::Dropping;
                let before = self.kept.replace(count);
                match count {
                    0 => OwctyEnd::Empty,
                    // All have predecessors: those that have none were dropped before.
                    _ if before == Some(count) => OwctyEnd::FixedPoint,
                    _ => OwctyEnd::GoesOn,
                }
            }
            Half::Dropping => {
                self.half = Half::Reaching;
                let kept = self.kept.expect("states were counted when they were reached") - count;
                self.kept = Some(kept);
                match kept {
                    0 => OwctyEnd::Empty,
                    _ if count == 0 => OwctyEnd::FixedPoint,
                    _ => {
                        self.iterations += 1;
                        self.predecessors.fill(0);
                        OwctyEnd::GoesOn
                    }
                }
            }
        }
    }

    /// Whether a state is one that this half begins with.
    #[inline]
    fn begins_with(&self, table: &mut StateTable, number: u32) -> bool {
        if !table.is_kept(number) {
            return false;
        }
        match self.half {
            Half::Reaching => table.is_accepting(number) && table.reach(number),
            Half::Dropping => {
                let drops = self.predecessors[number as usize] == 0;
                if drops {
                    table.drop(number);
                }
                drops
            }
        }
    }
}

impl Technique for Owcty {
    fn next(&mut self, table: &mut StateTable) -> Option<(u32, Load)> {
        if let Some(number) = self.waiting.pop() {
            return Some((number, Load::default()));
        }
        while self.cursor < table.len() {
            let number = self.cursor;
            self.cursor += 1;
            if self.begins_with(table, number) {
                self.count += 1;
                return Some((number, Load::default()));
            }
        }
        None
    }

    #[inline]
    fn arrive(&mut self, table: &mut StateTable, number: u32, _: Rank, _: Load) {
        if !table.is_kept(number) {
            return;
        }
        let predecessors = &mut self.predecessors[number as usize];
        let is_next = match self.half {
            Half::Reaching => {
                *predecessors += 1;
                table.reach(number)
            }
            Half::Dropping => {
                *predecessors -= 1;
                let drops = *predecessors == 0;
                if drops {
                    table.drop(number);
                }
                drops
            }
        };
        if is_next {
            self.count += 1;
            self.waiting.push(number);
        }
    }

    fn tally(&self) -> Tally {
        Tally { count: self.count, ..Tally::default() }
    }
}
