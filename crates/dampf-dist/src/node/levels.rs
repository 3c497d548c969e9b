//! Levels: all ranks explore one before any explores the next.
//!
//! A rank that has explored its part of a level says so to everybody, behind the states that it sent them. Messages between two ranks
//! keep their order, so whoever has heard from all has all states of the next level. The level in which nobody
//! explored anything is the last. A rank can be one level ahead of another, never two; what it says waits.

use super::Node;
use super::saving::Saving;
use crate::Distributable;
use crate::message::Message;
use crate::order::Ordering;
use crate::parcel::Companion;
use crate::queue::{Order, RawQueue, Stored, StoredQueue};
use dampf_net::{Rank, Transport};
use dampf_search::StopReason;

pub(super) struct Levels {
    /// The level that is being explored.
    pub level: u64,
    pub next: StoredQueue,
    pub next_raw: RawQueue,
    /// States of this level that were explored here.
    pub explored: u64,
    /// What the ranks said at the end of this level, and of the next.
    ends: Vec<Option<LevelEnd>>,
    next_ends: Vec<Option<LevelEnd>>,
    has_told: bool,
    /// States from ranks that are ahead.
    pub early_states: Vec<(Rank, Vec<u8>)>,
}

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

impl Levels {
    pub fn new(ranks: Rank, next_raw: RawQueue) -> Self {
        Levels {
            level: 0,
            next: StoredQueue::new(Order::Levels),
            next_raw,
            explored: 0,
            ends: vec![None; ranks as usize],
            next_ends: vec![None; ranks as usize],
            has_told: false,
            early_states: Vec::new(),
        }
    }

    pub fn waiting(&self) -> usize {
        self.next.len() + self.next_raw.len()
    }
}

impl<M: Distributable> Node<'_, M> {
    fn levels(&mut self) -> &mut Levels {
        self.levels.as_mut().expect("asked for in a search by levels only")
    }

    pub(super) fn take_level_end(&mut self, from: Rank, level: u64, end: LevelEnd) {
        let levels = self.levels();
        let ends = if level == levels.level { &mut levels.ends } else { &mut levels.next_ends };
        ends[from as usize] = Some(end);
    }

    /// Nothing of this level is left here. True where that changed something.
    pub(super) fn end_level(&mut self, network: &mut impl Transport) -> bool {
        let rank = self.rank as usize;
        if !self.levels().has_told {
            let (faults, faulty_steps) = self.ranking.as_ref().map_or((0, 0), |ranking| ranking.fault_counts());
            let save = self.rank == 0 && self.saving.as_ref().is_some_and(Saving::is_due);
            let refuted = !self.refuted.is_empty();
            let levels = self.levels();
            let end = LevelEnd { explored: levels.explored, faults, faulty_steps, refuted, save };
            levels.has_told = true;
            levels.ends[rank] = Some(end);
            let level = levels.level;
            self.broadcast(network, &Message::LevelEnd { level, end });
            return true;
        }
        if !self.levels().ends.iter().all(Option::is_some) {
            return false;
        }
        let all = self.levels().ends.iter().flatten().fold(LevelEnd::default(), |all, end| LevelEnd {
            explored: all.explored + end.explored,
            faults: all.faults + end.faults,
            faulty_steps: all.faulty_steps + end.faulty_steps,
            refuted: all.refuted | end.refuted,
            save: all.save | end.save,
        });
        if self.ranking.is_some() {
            return self.end_ranked_level(network, all);
        }
        if all.explored == 0 {
            self.finish_search(network);
        } else {
            self.turn_level(network, all.save);
        }
        true
    }

    /// The end of a level in a predictable search: faults are looked at, and the next level is put in order.
    fn end_ranked_level(&mut self, network: &mut impl Transport, all: LevelEnd) -> bool {
        let level = self.levels().level;
        let ranking = self.ranking.as_mut().expect("asked for in a predictable search only");
        if !ranking.is_ordering() {
            if all.refuted {
                // All that the level refutes, whoever met it: what is learnt must not depend on the ranks either.
                self.stop(network, StopReason::Refuted);
                return true;
            }
            let discoveries = ranking.take_faults(level);
            self.discoveries.extend(discoveries);
            if all.faults > 0 && !self.options.keep_going {
                self.stop(network, StopReason::Fault);
                return true;
            }
            if all.explored == 0 && all.faulty_steps == 0 {
                self.finish_search(network);
                return true;
            }
            for (to, places) in ranking.begin_ordering() {
                self.say(network, to, &Message::Places(&places));
            }
            return true;
        }
        match ranking.ordering() {
            Ordering::Waits => false,
            Ordering::Merged(replies) => {
                for (to, positions) in replies {
                    self.say(network, to, &Message::Positions(&positions));
                }
                true
            }
            Ordering::Done { size } => {
                let found = ranking.current().len() as u64;
                self.statistics.states += found;
                if size > 0 {
                    self.statistics.depth = level + 1;
                }
                self.note_level(level + 1);
                self.turn_level(network, all.save);
                true
            }
        }
    }

    /// The states of a level that was put in order belong to the next checkpoint.
    fn note_level(&mut self, level: u64) {
        let (Some(saving), Some(ranking)) = (&mut self.saving, &self.ranking) else { return };
        let depth = level as u32;
        ranking.for_each_current(|state, place, position| {
            saving.note(state, Companion { depth, place, position, ..Companion::default() });
        });
    }

    /// Makes the next level the current one.
    fn turn_level(&mut self, network: &mut impl Transport, save: bool) {
        let levels = self.levels.as_mut().expect("asked for in a search by levels only");
        levels.level += 1;
        levels.explored = 0;
        levels.has_told = false;
        std::mem::swap(&mut levels.ends, &mut levels.next_ends);
        levels.next_ends.fill(None);
        std::mem::swap(&mut self.queue, &mut levels.next);
        std::mem::swap(&mut self.raw, &mut levels.next_raw);
        levels.next_raw.reset_limit(self.settings.waiting);
        let level = levels.level;
        let early = std::mem::take(&mut levels.early_states);
        if let Some(ranking) = &mut self.ranking {
            let depth = level as u32;
            ranking.current().iter().for_each(|&state| self.queue.push(Stored::new(state, depth), || 0));
        }
        if save {
            self.save(network);
        }
        for (from, states) in early {
            self.take_states(from, level, &states);
        }
    }
}
