//! The way of states to their owners: who owns a state, what is about to be sent, what nobody owns yet, and what others
//! sent.

use crate::library::{Author, Library};
use crate::mail::Mail;
use crate::message::Message;
use crate::outbox::{Outbox, Traffic};
use crate::parcel::{Companion, Format, unpack};
use crate::partition::{Bucket, Owner, Partitioner};
use crate::passage::Arrivals;
use crate::wire::Garbled;
use crate::{Distributable, RankProblem, RankSettings};
use dampf_core::Word;
use dampf_net::Rank;
use dampf_search::safra::Balance;
use dampf_store::hash_words;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A state whose owner is not known yet.
pub(crate) struct Held {
    pub state: Vec<Word>,
    pub companion: Companion,
}

pub(crate) struct Delivery<'a, M: Distributable> {
    model: &'a M,
    pub rank: Rank,
    pub ranks: Rank,
    pub format: Format,
    pub partitioner: Partitioner<'a, M>,
    pub outbox: Outbox,
    /// What each rank has told about parts of states.
    arrivals: Vec<Arrivals>,
    /// States whose owner is not known yet.
    held: BTreeMap<Bucket, Vec<Held>>,
    /// The level that is being explored, in a search by levels.
    pub level: u64,
    /// Messages with states.
    pub balance: Balance,
    /// A file of another rank that cannot be read.
    unreadable: Option<PathBuf>,
    words: Vec<Word>,
}

impl<'a, M: Distributable> Delivery<'a, M> {
    pub fn new(
        model: &'a M,
        (rank, ranks): (Rank, Rank),
        format: Format,
        settings: &RankSettings,
    ) -> Result<Self, RankProblem> {
        let width = model.width();
        let library = settings.library.as_ref().filter(|_| format.parts && ranks > 1);
        let author =
            |library: &Library| Author::shared(library, rank).map_err(RankProblem::library(library.file(rank)));
        let author = library.map(author).transpose()?;
        Ok(Delivery {
            model,
            rank,
            ranks,
            format,
            partitioner: Partitioner::new(model, ranks, settings.partition.clone())?,
            outbox: Outbox::new(ranks, width, format, settings.remembered, author),
            arrivals: (0..ranks).map(|from| Arrivals::from_rank(from, library)).collect(),
            held: BTreeMap::new(),
            level: 0,
            balance: Balance::default(),
            unreadable: None,
            words: vec![0; width],
        })
    }

    /// From now on states travel with accepting states before them. Nothing was sent yet.
    pub fn carry_accepting(&mut self) {
        self.format.accepting = true;
        self.outbox.set_format(self.format);
    }

    pub fn traffic(&self) -> Traffic {
        self.outbox.traffic
    }

    /// The file that cannot be read, if there is one.
    pub fn unreadable(&self) -> Option<&Path> {
        self.unreadable.as_deref()
    }

    pub fn is_own(&mut self, state: &[Word], depth: u32) -> bool {
        self.partitioner.owner(state, depth) == Owner::Rank(self.rank)
    }

    /// Sends a state to its owner, unless it was sent lately.
    pub fn send(&mut self, mail: &mut Mail, owner: Rank, state: &[Word], companion: &Companion) {
        self.outbox.traffic.cross_transitions += 1;
        self.send_hashed(mail, owner, (hash_words(state), state), companion);
    }

    /// The same where the state's hash is known. The caller has counted the step.
    #[inline]
    pub fn send_hashed(&mut self, mail: &mut Mail, owner: Rank, (hash, state): (u64, &[Word]), companion: &Companion) {
        if !self.outbox.was_sent(hash, state) && self.outbox.push(self.model, owner, state, companion) {
            let states = self.outbox.take_full(owner);
            self.send_states(mail, owner, &states);
        }
    }

    fn send_states(&mut self, mail: &mut Mail, owner: Rank, states: &[u8]) {
        mail.send(owner, &Message::States { level: self.level, states });
        self.balance.sent += 1;
    }

    fn send_early(&mut self, mail: &mut Mail, owner: Rank, out_of_work: bool) -> bool {
        let states = self.outbox.take_early(owner, out_of_work);
        states.iter().for_each(|states| self.send_states(mail, owner, states));
        states.is_some()
    }

    /// Sends what is buffered; true where there was something.
    pub fn flush(&mut self, mail: &mut Mail, out_of_work: bool) -> bool {
        let mut any = false;
        for owner in 0..self.ranks {
            any |= self.send_early(mail, owner, out_of_work);
        }
        any
    }

    /// A batch was explored: sends what has waited too long.
    pub fn send_overdue(&mut self, mail: &mut Mail) {
        while let Some(overdue) = self.outbox.age() {
            self.send_early(mail, overdue, false);
        }
    }

    /// Lets a state wait until its owner is known. The first rank is asked.
    pub fn hold(&mut self, mail: &mut Mail, bucket: Bucket, held: Held) {
        let waiting = self.held.entry(bucket).or_default();
        waiting.push(held);
        if waiting.len() == 1 {
            mail.send(0, &Message::AskOwner(bucket));
        }
    }

    pub fn holds_any(&self) -> bool {
        !self.held.is_empty()
    }

    pub fn for_each_held(&self, mut visit: impl FnMut(&[Word], Companion)) {
        self.held.values().flatten().for_each(|held| visit(&held.state, held.companion));
    }

    /// The states of a bucket, where its owner is known by now.
    pub fn release(&mut self, bucket: Bucket) -> Option<(Rank, Vec<Held>)> {
        let owner = self.partitioner.assigned(bucket)?;
        Some((owner, self.held.remove(&bucket)?))
    }

    pub fn held_buckets(&self) -> Vec<Bucket> {
        self.held.keys().copied().collect()
    }

    /// Reads the states of a message.
    pub fn receive(&mut self, from: Rank, states: &[u8], visit: impl FnMut(&[Word], Companion)) {
        self.balance.received += 1;
        let arrivals = &mut self.arrivals[from as usize];
        let read = unpack(self.model, self.format, arrivals, states, &mut self.words, visit);
        if let Some(file) = check_read(read, arrivals) {
            self.unreadable = Some(file);
        }
    }

    /// A file of another rank cannot be read.
    pub fn note_unreadable(&mut self, file: Option<PathBuf>) {
        self.unreadable = self.unreadable.take().or(file);
    }
}

/// Whatever another rank says can be read, but for files that are not seen here: that file, if there is one.
pub(crate) fn check_read(read: Result<(), Garbled>, arrivals: &Arrivals) -> Option<PathBuf> {
    match (read, arrivals.library()) {
        (Err(Garbled), Some(file)) => Some(file.to_owned()),
        (read, _) => {
            read.expect("states from another rank can be read");
            None
        }
    }
}
