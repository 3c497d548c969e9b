//! What a rank is about to send.
//!
//! The parts of a node write their messages here and know nothing of networks; the node hands them over. Messages leave
//! in the order in which they were written, which is the order that their receivers rely on.

use crate::message::Message;
use dampf_net::{Rank, Transport};
use std::collections::VecDeque;

pub(crate) struct Mail {
    pub rank: Rank,
    pub ranks: Rank,
    outgoing: VecDeque<(Rank, Vec<u8>)>,
    to_self: VecDeque<Vec<u8>>,
}

impl Mail {
    pub fn new(rank: Rank, ranks: Rank) -> Self {
        Mail { rank, ranks, outgoing: VecDeque::new(), to_self: VecDeque::new() }
    }

    pub fn send(&mut self, to: Rank, message: &Message) {
        self.send_encoded(to, message.encode());
    }

    /// Sends a message. One for this rank is taken in when the present one is dealt with: a long conversation of a rank
    /// with itself must not nest.
    pub fn send_encoded(&mut self, to: Rank, message: Vec<u8>) {
        if to == self.rank {
            self.to_self.push_back(message);
        } else {
            self.outgoing.push_back((to, message));
        }
    }

    /// Sends a message to every other rank.
    pub fn broadcast(&mut self, message: &Message) {
        let encoded = message.encode();
        let others = (0..self.ranks).filter(|&to| to != self.rank);
        self.outgoing.extend(others.map(|to| (to, encoded.clone())));
    }

    pub fn hand_over(&mut self, network: &mut impl Transport) {
        self.outgoing.drain(..).for_each(|(to, message)| network.send(to, message));
    }

    /// The next message of this rank to itself.
    pub fn next_to_self(&mut self) -> Option<Vec<u8>> {
        self.to_self.pop_front()
    }

    pub fn has_any_to_self(&self) -> bool {
        !self.to_self.is_empty()
    }
}
