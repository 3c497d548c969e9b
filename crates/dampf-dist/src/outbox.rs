//! States on their way to other ranks, gathered into messages.
//!
//! A message costs the network about the same whether it holds one state or a thousand, so states wait in a buffer per
//! receiver. How long adapts itself: a buffer that fills up while there is work gets larger, one that had to be sent
//! because its rank ran out of work gets smaller.
//!
//! States that were sent lately are remembered, by all their words, and not sent again.

use crate::library::SharedAuthor;
use crate::parcel::{Companion, Format, Packer};
use crate::recent::RecentStates;
use dampf_core::{Transfer, Word};
use dampf_net::Rank;
use std::sync::Arc;

/// Bytes at which a buffer is sent: at first, at least, at most.
const FIRST_BYTES: usize = 2 << 10;
const LEAST_BYTES: usize = 512;
const MOST_BYTES: usize = 64 << 10;
/// A buffer that so many batches were expanded with is sent, full or not: the receiver may have nothing else to do.
const BATCHES_MAX: u32 = 512;

/// What went over the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// States sent to other ranks.
    pub states: u64,
    /// Messages with states.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Those bytes that describe parts of states.
    pub part_bytes: u64,
    /// Bytes of parts that went through files.
    pub filed_bytes: u64,
    /// Steps to states of other ranks, those that were not sent (again) included.
    pub cross_transitions: u64,
}

impl Traffic {
    pub fn add(&mut self, other: &Traffic) {
        self.states += other.states;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.part_bytes += other.part_bytes;
        self.filed_bytes += other.filed_bytes;
        self.cross_transitions += other.cross_transitions;
    }
}

pub struct Outbox {
    buffers: Vec<Buffer>,
    sent: RecentStates,
    pub library: Option<SharedAuthor>,
    /// Bytes of the library that were counted.
    filed: u64,
    pub traffic: Traffic,
}

struct Buffer {
    packer: Packer,
    limit: usize,
    batches: u32,
}

impl Outbox {
    /// `remembered` is the number of states that the cache of sent states has room for.
    pub fn new(ranks: Rank, width: usize, format: Format, remembered: usize, library: Option<SharedAuthor>) -> Self {
        let packer = || match &library {
            Some(library) => Packer::through(Arc::clone(library), width, format),
            None => Packer::new(width, format),
        };
        let buffer = |_| Buffer { packer: packer(), limit: FIRST_BYTES, batches: 0 };
        Outbox {
            buffers: (0..ranks).map(buffer).collect(),
            sent: RecentStates::new(width, remembered),
            library,
            filed: 0,
            traffic: Traffic::default(),
        }
    }

    /// Changes what travels with states, before the first was pushed.
    pub fn set_format(&mut self, format: Format) {
        self.buffers.iter_mut().for_each(|buffer| buffer.packer.set_format(format));
    }

    /// Fetches what [`was_sent`](Self::was_sent) will look at.
    #[inline]
    pub fn fetch(&self, hash: u64) {
        self.sent.fetch(hash);
    }

    /// Whether a state was sent lately; it counts as sent from now on. The hash is that of all its words.
    #[inline]
    pub fn was_sent(&mut self, hash: u64, state: &[Word]) -> bool {
        self.sent.contains_or_insert_hashed(hash, state)
    }

    /// Adds a state to what is to be sent; true where the buffer is full then.
    #[inline]
    pub fn push<M: Transfer>(&mut self, model: &M, to: Rank, state: &[Word], companion: &Companion) -> bool {
        let buffer = &mut self.buffers[to as usize];
        buffer.packer.push(model, state, companion);
        self.traffic.states += 1;
        buffer.packer.size() >= buffer.limit
    }

    /// The contents of a full buffer, to be sent.
    pub fn take_full(&mut self, to: Rank) -> Vec<u8> {
        let buffer = &mut self.buffers[to as usize];
        buffer.limit = (buffer.limit * 2).min(MOST_BYTES);
        self.take(to).expect("a full buffer is not empty")
    }

    /// The contents of a buffer that is not full; `out_of_work` says that its rank has nothing else to do.
    pub fn take_early(&mut self, to: Rank, out_of_work: bool) -> Option<Vec<u8>> {
        let buffer = &mut self.buffers[to as usize];
        if out_of_work && buffer.packer.count() > 0 {
            buffer.limit = (buffer.limit / 2).max(LEAST_BYTES);
        }
        self.take(to)
    }

    /// Says that a batch was expanded, and returns a rank whose buffer has waited too long.
    pub fn age(&mut self) -> Option<Rank> {
        let mut overdue = None;
        for (rank, buffer) in self.buffers.iter_mut().enumerate().filter(|(_, buffer)| buffer.packer.count() > 0) {
            buffer.batches += 1;
            if buffer.batches >= BATCHES_MAX {
                overdue = Some(rank as Rank);
            }
        }
        overdue
    }

    fn take(&mut self, to: Rank) -> Option<Vec<u8>> {
        let buffer = &mut self.buffers[to as usize];
        let (parcel, description_bytes) = buffer.packer.take()?;
        buffer.batches = 0;
        self.traffic.messages += 1;
        self.traffic.bytes += parcel.len() as u64;
        self.traffic.part_bytes += description_bytes as u64;
        if let Some(library) = &self.library {
            let filed = library.lock().expect("nothing panics under this lock").bytes();
            self.traffic.filed_bytes += filed - self.filed;
            self.filed = filed;
        }
        Some(parcel)
    }
}
