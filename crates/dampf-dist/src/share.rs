//! A rank's share of the states: those it has visited, those that wait, and the way of all others to their owners.

use crate::accepting_predecessors::AcceptingPredecessors;
use crate::bounded_nested::BoundedNested;
use crate::delivery::{Delivery, Held};
use crate::frontier::Frontier;
use crate::mail::Mail;
use crate::order::Ranking;
use crate::parcel::Companion;
use crate::partition::{Bucket, Owner};
use crate::queue::Stored;
use crate::visited::{Pending, Visited, parent_of_bits};
use crate::{Distributable, RankStore};
use dampf_core::Word;
use dampf_net::Rank;
use dampf_search::expand::BATCH;
use dampf_store::{Inserted, Session};

pub(crate) struct Share<'a, M: Distributable, S: RankStore + 'a> {
    pub visited: Visited<'a, S>,
    pub frontier: Frontier,
    pub delivery: Delivery<'a, M>,
    /// In a predictable search.
    pub ranking: Option<Ranking>,
    /// In a search for cycles that may end at the first one.
    pub predecessors: Option<AcceptingPredecessors<'a>>,
    /// In a search for cycles that every rank looks for by itself.
    pub nested: Option<BoundedNested<'a>>,
    received: Received<Pending<'a, S>>,
    words: Vec<Word>,
}

/// States of a message that were not looked up yet, their words one after the other, and what they were prepared as.
struct Received<P> {
    companions: Vec<Companion>,
    words: Vec<Word>,
    pending: Vec<P>,
}

impl<'a, M: Distributable, S: RankStore> Share<'a, M, S> {
    pub fn new(
        width: usize,
        visited: Visited<'a, S>,
        frontier: Frontier,
        delivery: Delivery<'a, M>,
        ranking: Option<Ranking>,
    ) -> Self {
        let received = Received { companions: Vec::new(), words: Vec::new(), pending: Vec::new() };
        let words = vec![0; width];
        Share { visited, frontier, delivery, ranking, predecessors: None, nested: None, received, words }
    }

    /// The next state to explore.
    pub fn next(&mut self) -> Option<Stored> {
        if let Some(stored) = self.frontier.pop() {
            return Some(stored);
        }
        while let Some(companion) = self.frontier.pop_whole(&mut self.words) {
            if let Inserted::New(state) = self.visited.insert(&self.words, parent_of_bits(companion.parent)) {
                self.visited.note(state, companion);
                if let Some(predecessors) = &mut self.predecessors {
                    predecessors.note(state, companion.accepting);
                }
                return Some(Stored::new(state, companion.depth));
            }
        }
        None
    }

    /// Gives a state to its owner, whoever that is.
    pub fn deliver(&mut self, mail: &mut Mail, owner: Owner, state: &[Word], companion: Companion) {
        match owner {
            Owner::Rank(owner) if owner == self.delivery.rank => self.take(state, companion),
            Owner::Rank(owner) => self.delivery.send(mail, owner, state, &companion),
            Owner::Unassigned(bucket) => {
                self.delivery.hold(mail, bucket, Held { state: state.to_vec(), companion });
            }
        }
    }

    /// Sends the states of a bucket to its owner.
    pub fn release(&mut self, mail: &mut Mail, bucket: Bucket) {
        let Some((owner, held)) = self.delivery.release(bucket) else { return };
        for Held { state, companion } in held {
            self.deliver(mail, Owner::Rank(owner), &state, companion);
        }
    }

    pub fn release_all(&mut self, mail: &mut Mail) {
        self.delivery.held_buckets().into_iter().for_each(|bucket| self.release(mail, bucket));
    }

    /// Takes states in that another rank found. In a search by levels they are of the level behind this one.
    pub fn receive(&mut self, from: Rank, level: u64, states: &[u8]) {
        let depth = self.frontier.by_levels().then_some(level as u32 + 1);
        let keeps_whole = self.frontier.keeps_whole;
        let looks_up = self.frontier.looks_up_received();
        let Share { visited, frontier, delivery, received, .. } = self;
        delivery.receive(from, states, |state, mut companion| {
            companion.depth = depth.unwrap_or(companion.depth);
            if keeps_whole {
                if !(looks_up && visited.contains(state)) {
                    frontier.push_whole(state, companion, |state| visited.contains(state));
                }
                return;
            }
            // Like own successors, states are looked up in batches, while the lines of the table are on their way.
            received.companions.push(companion);
            received.words.extend_from_slice(state);
        });
        self.commit_received();
    }

    fn commit_received(&mut self) {
        let mut received = std::mem::replace(
            &mut self.received,
            Received { companions: Vec::new(), words: Vec::new(), pending: Vec::new() },
        );
        let width = self.words.len();
        for (companions, words) in received.companions.chunks(BATCH).zip(received.words.chunks(width * BATCH)) {
            received.pending.clear();
            self.visited.session.prepare_neighbours(width, words, &mut received.pending);
            for ((&companion, state), &pending) in
                companions.iter().zip(words.chunks_exact(width)).zip(&received.pending)
            {
                self.store(pending, state, companion);
            }
        }
        received.companions.clear();
        received.words.clear();
        self.received = received;
    }

    /// Takes a state of this rank in that was found by itself.
    fn take(&mut self, state: &[Word], companion: Companion) {
        if self.frontier.keeps_whole {
            if !(self.frontier.looks_up_received() && self.visited.contains(state)) {
                self.wait_whole(state, companion);
            }
            return;
        }
        let pending = self.visited.session.prepare(state);
        self.store(pending, state, companion);
    }

    fn store(&mut self, pending: Pending<'a, S>, state: &[Word], companion: Companion) {
        let inserted = self.visited.session.commit(pending, state, parent_of_bits(companion.parent));
        if let Some(predecessors) = &mut self.predecessors {
            predecessors.reach(inserted, companion.accepting);
        }
        if let Some(ranking) = &mut self.ranking {
            ranking.reach(inserted, companion.place);
        } else if let Inserted::New(stored) = inserted {
            let Companion { parent, depth, label, .. } = companion;
            self.visited.note(stored, Companion { parent, depth, ..Companion::default() });
            let partitioner = &mut self.delivery.partitioner;
            self.frontier.push_received(Stored { state: stored, depth, label }, || partitioner.estimate(state));
        }
    }

    /// Lets a whole state wait.
    pub fn wait_whole(&mut self, state: &[Word], companion: Companion) {
        let visited = &mut self.visited;
        self.frontier.push_whole(state, companion, |state| visited.contains(state));
    }

    /// Makes the next level the current one. In a predictable search its states are those that were put in order.
    pub fn turn_level(&mut self, level: u64) {
        self.delivery.level = level;
        self.frontier.turn_level();
        self.push_ranked(level);
    }

    /// The states of the current level of a predictable search wait to be explored.
    pub fn push_ranked(&mut self, level: u64) {
        if let Some(ranking) = &self.ranking {
            let depth = level as u32;
            ranking.current().iter().for_each(|&state| self.frontier.push_now(Stored::new(state, depth), || 0));
        }
    }
}
