//! Rounds: in each, a rank does what it can do, and says so to everybody.
//!
//! What a rank says at the end of a round it says behind the states that it sent in it, and messages between two ranks
//! keep their order. So whoever has heard from all has all states of the round, and all ranks know the same of it: what
//! comes next they decide alike, and nobody need be asked. A rank can be one round ahead of another, never two.

use super::message::CycleMessage;
use crate::mail::Mail;
use crate::message::Message;
use crate::wire::{Garbled, Reader, Write};
use dampf_net::Rank;

/// An accepting state, wherever it is: these are ordered, and different for different states.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct CycleId {
    pub order: u64,
    /// Its rank plus one; 0 for no state.
    pub holder: u32,
}

impl CycleId {
    pub const NONE: CycleId = CycleId { order: 0, holder: 0 };
}

/// What a rank says at the end of a round, or what all together have said. What the numbers count, the stage says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    /// States that were sent to other ranks in this round.
    pub sent: u64,
    pub count: u64,
    /// How many ranks say yes to what the stage is to find out.
    pub yes: u64,
    pub partial: u64,
    /// The greatest.
    pub best: CycleId,
}

impl Tally {
    fn add(self, other: Tally) -> Tally {
        Tally {
            sent: self.sent + other.sent,
            count: self.count + other.count,
            yes: self.yes + other.yes,
            partial: self.partial + other.partial,
            best: self.best.max(other.best),
        }
    }

    pub fn write(&self, out: &mut Vec<u8>) {
        let Tally { sent, count, yes, partial, best } = *self;
        [sent, count, yes, partial, best.order, u64::from(best.holder)]
            .into_iter()
            .for_each(|number| out.number(number));
    }

    pub fn read(reader: &mut Reader) -> Result<Tally, Garbled> {
        Ok(Tally {
            sent: reader.number()?,
            count: reader.number()?,
            yes: reader.number()?,
            partial: reader.number()?,
            best: CycleId { order: reader.number()?, holder: reader.word()? },
        })
    }
}

pub(crate) struct Rounds {
    pub round: u64,
    /// What the ranks said at the end of this round, and of the next.
    ends: Vec<Option<Tally>>,
    next_ends: Vec<Option<Tally>>,
}

impl Rounds {
    pub fn new(ranks: Rank) -> Self {
        Rounds { round: 0, ends: vec![None; ranks as usize], next_ends: vec![None; ranks as usize] }
    }

    pub fn take_end(&mut self, from: Rank, round: u64, tally: Tally) {
        let ends = if round == self.round { &mut self.ends } else { &mut self.next_ends };
        ends[from as usize] = Some(tally);
    }

    pub fn has_told(&self, rank: Rank) -> bool {
        self.ends[rank as usize].is_some()
    }

    pub fn tell(&mut self, mail: &mut Mail, tally: Tally) {
        self.ends[mail.rank as usize] = Some(tally);
        let message = CycleMessage::RoundEnd { round: self.round, tally }.encode();
        mail.broadcast(&Message::Cycle(&message));
    }

    /// What all ranks together have said, once all have.
    pub fn all_told(&self) -> Option<Tally> {
        self.ends.iter().try_fold(Tally::default(), |all, end| Some(all.add((*end)?)))
    }

    pub fn turn(&mut self) {
        self.round += 1;
        std::mem::swap(&mut self.ends, &mut self.next_ends);
        self.next_ends.fill(None);
    }
}
