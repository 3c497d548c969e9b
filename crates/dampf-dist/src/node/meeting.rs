//! Finding out together: whether the search has ended, and who owns what nobody owns yet.

use super::saving::Saving;
use super::{Node, Phase};
use crate::Distributable;
use crate::message::{Message, Progress};
use crate::partition::Bucket;
use crate::termination::Detection;
use dampf_net::{Rank, Transport};

impl<M: Distributable> Node<'_, M> {
    /// Safra's detection, for a rank without work. True where that changed something.
    pub(super) fn detect(&mut self, network: &mut impl Transport) -> bool {
        match self.safra.idle() {
            Detection::Wait => false,
            Detection::Pass(to, token) => {
                network.send(to, Message::Token(token).encode());
                true
            }
            Detection::Ended => {
                self.broadcast(network, &Message::Ended);
                self.finish_search(network);
                true
            }
        }
    }

    /// The detection of 2007, for a rank without work.
    pub(super) fn tell_idle(&mut self, network: &mut impl Transport) -> bool {
        if self.rank > 0 {
            let told = !self.idle_reports.reported;
            if told {
                self.idle_reports.reported = true;
                network.send(0, Message::Idle(true).encode());
            }
            return told;
        }
        let ended = self.idle_reports.all_idle();
        if ended {
            self.broadcast(network, &Message::Ended);
            self.finish_search(network);
        }
        ended
    }

    /// The detection of 2007, for a rank that got work.
    pub(super) fn tell_busy(&mut self, network: &mut impl Transport) {
        if self.rank > 0 && self.idle_reports.reported {
            self.idle_reports.reported = false;
            network.send(0, Message::Idle(false).encode());
        }
    }

    /// The first rank gives a bucket to the rank with the least to do.
    pub(super) fn hand_out(&mut self, network: &mut impl Transport, bucket: Bucket) {
        if self.partitioner.assigned(bucket).is_some() {
            // Two ranks asked at once, and both were told already.
            return;
        }
        self.loads[0] = self.progress();
        let load = |progress: &Progress| progress.states + progress.waiting;
        let owner = (0..self.ranks).min_by_key(|&rank| load(&self.loads[rank as usize])).unwrap_or(0);
        // Until it says more, the new owner counts as having a little more to do.
        self.loads[owner as usize].waiting += 1;
        self.broadcast(network, &Message::Assigned(bucket, owner));
        self.take_assignment(network, bucket, owner);
    }

    pub(super) fn take_assignment(&mut self, network: &mut impl Transport, bucket: Bucket, owner: Rank) {
        self.partitioner.assign(bucket, owner);
        // Between its mark and its checkpoint a rank sends nothing: nobody would save what it sends.
        if self.phase == Phase::Searching && !self.saving.as_ref().is_some_and(Saving::is_waiting) {
            self.release(network, bucket);
        }
    }

    /// Sends the states of a bucket to its owner.
    fn release(&mut self, network: &mut impl Transport, bucket: Bucket) {
        let Some(owner) = self.partitioner.assigned(bucket) else { return };
        for held in self.held.remove(&bucket).unwrap_or_default() {
            if owner == self.rank {
                self.take_state(&held.state, held.companion);
            } else {
                self.send_state(network, owner, &held.state, &held.companion);
            }
        }
    }

    pub(super) fn release_all(&mut self, network: &mut impl Transport) {
        let buckets: Vec<Bucket> = self.held.keys().copied().collect();
        buckets.into_iter().for_each(|bucket| self.release(network, bucket));
    }
}
