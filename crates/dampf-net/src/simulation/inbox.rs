//! What is under way to a rank, and the rank's view of the network during a turn.
//!
//! A message is put into its receiver's inbox when it is sent, with the time at which it arrives. A turn sees what has
//! arrived when it begins, and nothing of what arrives while it lasts: other ranks may yet be simulated up to
//! that time and send more.

use super::Time;
use crate::{Lost, Rank, Transport};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::Duration;

/// Something that arrives at a rank.
pub(super) struct Arrival {
    pub(super) time: Time,
    /// Numbers everything that was ever sent: of what arrives at the same time, the first sent comes first.
    pub(super) number: u64,
    pub(super) from: Rank,
    /// None is the notice that the sender has died.
    pub(super) message: Option<Vec<u8>>,
}

impl Arrival {
    fn key(&self) -> (Time, u64) {
        (self.time, self.number)
    }
}

// The greatest comes out of a heap first; here that is the earliest.
impl Ord for Arrival {
    fn cmp(&self, other: &Arrival) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Arrival {
    fn partial_cmp(&self, other: &Arrival) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Arrival {
    fn eq(&self, other: &Arrival) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Arrival {}

#[derive(Default)]
pub(super) struct Inbox(BinaryHeap<Arrival>);

impl Inbox {
    pub(super) fn put(&mut self, arrival: Arrival) {
        self.0.push(arrival);
    }

    /// When the next thing arrives, or has arrived.
    pub(super) fn next_time(&self) -> Option<Time> {
        self.0.peek().map(|arrival| arrival.time)
    }

    fn take(&mut self, now: Time) -> Option<Arrival> {
        if self.next_time()? <= now { self.0.pop() } else { None }
    }

    /// How many messages there are, arrived or under way.
    pub(super) fn messages(&self) -> u64 {
        self.0.iter().filter(|arrival| arrival.message.is_some()).count() as u64
    }
}

/// The network as one rank sees it during a turn.
pub(super) struct SimulatedTransport<'t> {
    pub(super) rank: Rank,
    pub(super) ranks: Rank,
    /// When the turn began.
    pub(super) now: Time,
    pub(super) inbox: &'t mut Inbox,
    /// What is sent leaves at the end of the turn: how long the turn takes is not known before.
    pub(super) outgoing: &'t mut Vec<(Rank, Vec<u8>)>,
    pub(super) messages_received: u64,
    pub(super) bytes_received: u64,
}

impl Transport for SimulatedTransport<'_> {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> Rank {
        self.ranks
    }

    fn send(&mut self, to: Rank, message: Vec<u8>) {
        assert!(to < self.ranks, "rank {} sends to rank {to} of {}", self.rank, self.ranks);
        self.outgoing.push((to, message));
    }

    fn receive(&mut self) -> Result<Option<(Rank, Vec<u8>)>, Lost> {
        let Some(Arrival { from, message, .. }) = self.inbox.take(self.now) else { return Ok(None) };
        let message = message.ok_or(Lost { rank: from })?;
        self.messages_received += 1;
        self.bytes_received += message.len() as u64;
        Ok(Some((from, message)))
    }

    /// Nothing arrives within a turn, so there is nothing to wait for.
    fn wait(&mut self, _at_most: Duration) {}
}
