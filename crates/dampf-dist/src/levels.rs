//! Levels: all ranks explore one before any explores the next.
//!
//! A rank that has explored its part of a level says so to everybody, behind the states that it sent them. Messages
//! between two ranks keep their order, so whoever has heard from all has all states of the next level. The level in
//! which nobody explored anything is the last. A rank can be one level ahead of another, never two; what it says waits.

use crate::mail::Mail;
use crate::message::Message;
use dampf_net::Rank;

/// What a rank says at the end of a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LevelEnd {
    pub explored: u64,
    /// In a predictable search: faults of this level's states and of steps to it, and faulty steps that leave it.
    pub faults: u64,
    pub faulty_steps: u64,
    /// In a predictable search: whether something was refuted.
    pub refuted: bool,
    /// Said by the first rank: a checkpoint is due.
    pub save: bool,
}

/// States of a message that came too early, with their sender.
type EarlyStates = (Rank, Vec<u8>);

pub(crate) struct Levels {
    /// The level that is being explored.
    pub level: u64,
    /// States of this level that were explored here.
    pub explored: u64,
    /// What the ranks said at the end of this level, and of the next.
    ends: Vec<Option<LevelEnd>>,
    next_ends: Vec<Option<LevelEnd>>,
    early_states: Vec<EarlyStates>,
}

impl Levels {
    pub fn new(ranks: Rank) -> Self {
        Levels {
            level: 0,
            explored: 0,
            ends: vec![None; ranks as usize],
            next_ends: vec![None; ranks as usize],
            early_states: Vec::new(),
        }
    }

    /// Whether states are from a rank that is ahead. They are kept: a state of this level may still arrive by a shorter
    /// way.
    pub fn keeps(&mut self, from: Rank, level: u64, states: &[u8]) -> bool {
        let is_early = level > self.level;
        if is_early {
            self.early_states.push((from, states.to_vec()));
        }
        is_early
    }

    pub fn take_end(&mut self, from: Rank, level: u64, end: LevelEnd) {
        let ends = if level == self.level { &mut self.ends } else { &mut self.next_ends };
        ends[from as usize] = Some(end);
    }

    pub fn has_told(&self, rank: Rank) -> bool {
        self.ends[rank as usize].is_some()
    }

    /// Says that this rank has explored its part of the level.
    pub fn tell(&mut self, mail: &mut Mail, end: LevelEnd) {
        self.ends[mail.rank as usize] = Some(end);
        mail.broadcast(&Message::LevelEnd { level: self.level, end });
    }

    /// What all ranks together have said, once all have.
    pub fn all_told(&self) -> Option<LevelEnd> {
        self.ends.iter().copied().try_fold(LevelEnd::default(), |all, end| {
            let end = end?;
            Some(LevelEnd {
                explored: all.explored + end.explored,
                faults: all.faults + end.faults,
                faulty_steps: all.faulty_steps + end.faulty_steps,
                refuted: all.refuted | end.refuted,
                save: all.save | end.save,
            })
        })
    }

    /// Goes on to the next level, and returns the states of it that came too early.
    pub fn turn(&mut self) -> Vec<EarlyStates> {
        self.level += 1;
        self.explored = 0;
        std::mem::swap(&mut self.ends, &mut self.next_ends);
        self.next_ends.fill(None);
        std::mem::take(&mut self.early_states)
    }
}
