//! States from which no end can be reached, among the states of all ranks.
//!
//! Whether an end can be reached is found out backwards, and ranks know steps forward. So every step is followed once,
//! and the owner of the state that it leads to notes where it came from (12 bytes a step). Then those that may end say
//! so to all they are reached from, these to theirs, and so on; what is left is without hope. Its states lead to each
//! other only, and each of them leads on: OWCTY finds a cycle among them, for which all of them are accepting.
//!
//! A state that leads nowhere counts as an end, since a deadlock is a fault of its own; so does one of which it is not
//! known what else follows, and one that leads to a state that was never visited.

use super::rounds::Tally;
use super::table::StateTable;
use super::{Load, Technique};
use dampf_net::Rank;

/// States that are gone back from in a turn.
const BACK_PER_TURN: usize = 4096;

pub(crate) struct Ends {
    rank: Rank,
    /// The next state whose steps are followed.
    cursor: u32,
    /// A state of this rank, and one that leads to it: its rank and its number there. Sorted when all are there.
    steps: Vec<(u32, Rank, u32)>,
    may_end: Vec<bool>,
    /// States that may end, and have not said so to those before them.
    waiting: Vec<u32>,
    /// States of other ranks from which an end can be reached, for these to know.
    for_others: Vec<Vec<u32>>,
}

impl Ends {
    pub fn new(table: &StateTable, rank: Rank, ranks: Rank) -> Self {
        Ends {
            rank,
            cursor: 0,
            steps: Vec::new(),
            may_end: vec![false; table.len() as usize],
            waiting: Vec::new(),
            for_others: (0..ranks).map(|_| Vec::new()).collect(),
        }
    }

    /// An end can be reached from a state of this rank.
    pub fn note(&mut self, number: u32) {
        if !std::mem::replace(&mut self.may_end[number as usize], true) {
            self.waiting.push(number);
        }
    }

    /// All steps were followed.
    pub fn turn_back(&mut self) {
        self.steps.sort_unstable();
    }

    /// Goes back from some states; says how many these were.
    pub fn go_back(&mut self) -> u64 {
        let mut work = 0;
        while work < BACK_PER_TURN as u64
            && let Some(number) = self.waiting.pop()
        {
            work += 1;
            let first = self.steps.partition_point(|step| step.0 < number);
            for at in first..self.steps.len() {
                let (to, rank, from) = self.steps[at];
                if to != number {
                    break;
                }
                self.note_at(rank, from);
            }
        }
        work
    }

    fn note_at(&mut self, rank: Rank, number: u32) {
        if rank == self.rank {
            self.note(number);
        } else {
            self.for_others[rank as usize].push(number);
        }
    }

    /// What a rank is to know.
    pub fn take_for(&mut self, rank: Rank) -> Vec<u32> {
        let mut numbers = std::mem::take(&mut self.for_others[rank as usize]);
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// Keeps the states from which no end can be reached.
    pub fn keep_hopeless(&self, table: &mut StateTable) {
        for number in (0..table.len()).filter(|&number| self.may_end[number as usize]) {
            table.drop(number);
        }
    }
}

impl Technique for Ends {
    fn next(&mut self, table: &mut StateTable) -> Option<(u32, Load)> {
        let number = self.cursor;
        (number < table.len()).then(|| {
            self.cursor += 1;
            (number, (u64::from(number), 0))
        })
    }

    fn followed(&mut self, number: u32, may_end: bool) {
        if may_end {
            self.note(number);
        }
    }

    fn arrive(&mut self, _: &mut StateTable, number: u32, from: Rank, (source, _): Load) {
        self.steps.push((number, from, source as u32));
    }

    fn miss(&mut self, from: Rank, (source, _): Load) {
        self.note_at(from, source as u32);
    }

    fn tally(&self) -> Tally {
        Tally::default()
    }
}
