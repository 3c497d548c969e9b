//! States on their way to other ranks, gathered into messages.
//!
//! A message costs the network about the same whether it holds one state or a thousand, so states wait in a buffer per
//! receiver. How long adapts itself: a buffer that fills up while there is work gets larger, one that had to be sent because its
//! rank ran out of work gets smaller.
//!
//! A state is written as its difference to the state before it in the buffer. Neighbours are mostly successors of one state,
//! so that a few bytes are left of it.
//!
//! States that were sent lately are remembered, by all their words, and not sent again.

use crate::passage::{Arrivals, Departures};
use crate::wire::{Garbled, Reader, Write};
use dampf_core::{Transfer, Word};
use dampf_net::Rank;
use dampf_store::hash_words;

/// Bytes at which a buffer is sent: at first, at least, at most.
const FIRST_BYTES: usize = 2 << 10;
const LEAST_BYTES: usize = 512;
const MOST_BYTES: usize = 64 << 10;
/// A buffer that so many batches were expanded with is sent, full or not: the receiver may have nothing else to do.
const BATCHES_MAX: u32 = 512;

/// What travels with a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Companion {
    /// The first bits of the reference of the state it was reached from.
    pub parent: u32,
    /// Steps from an initial state, on the way it was reached.
    pub depth: u32,
    /// In a predictable search: the position of the state it was reached from in its level, and the step's index there.
    pub place: (u64, u32),
}

/// How many bits of the parent's reference travel.
pub const PARENT_BITS: u32 = 24;

/// Which companions are on the wire. The same on all ranks.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    pub depths: bool,
    pub places: bool,
    pub parts: bool,
}

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
    /// Steps to states of other ranks, those that were not sent (again) included.
    pub cross_transitions: u64,
}

impl Traffic {
    pub fn add(&mut self, other: &Traffic) {
        self.states += other.states;
        self.messages += other.messages;
        self.bytes += other.bytes;
        self.part_bytes += other.part_bytes;
        self.cross_transitions += other.cross_transitions;
    }
}

pub struct Outbox {
    format: Format,
    buffers: Vec<Buffer>,
    sent: SentCache,
    pub traffic: Traffic,
}

struct Buffer {
    departures: Departures,
    bytes: Vec<u8>,
    count: u64,
    /// The state written last.
    last: Vec<Word>,
    limit: usize,
    batches: u32,
}

impl Outbox {
    /// `remembered` is the number of states that the cache of sent states has room for.
    pub fn new(ranks: Rank, width: usize, format: Format, remembered: usize) -> Self {
        let buffer = |_| Buffer {
            departures: Departures::default(),
            bytes: Vec::new(),
            count: 0,
            last: vec![0; width],
            limit: FIRST_BYTES,
            batches: 0,
        };
        Outbox {
            format,
            buffers: (0..ranks).map(buffer).collect(),
            sent: SentCache::new(width, remembered),
            traffic: Traffic::default(),
        }
    }

    /// Adds a state to what is to be sent; true where the buffer is full then.
    #[inline]
    pub fn push<M: Transfer>(&mut self, model: &M, to: Rank, state: &[Word], companion: &Companion) -> bool {
        self.traffic.cross_transitions += 1;
        if self.sent.contains_or_insert(state) {
            return false;
        }
        let buffer = &mut self.buffers[to as usize];
        if self.format.parts {
            let shape = buffer.departures.describe(model, state);
            buffer.bytes.number(shape);
        }
        buffer.bytes.difference(state, &buffer.last);
        buffer.last.copy_from_slice(state);
        buffer.bytes.extend_from_slice(&companion.parent.to_le_bytes()[..3]);
        if self.format.depths {
            buffer.bytes.number(u64::from(companion.depth));
        }
        if self.format.places {
            buffer.bytes.number(companion.place.0);
            buffer.bytes.number(u64::from(companion.place.1));
        }
        buffer.count += 1;
        self.traffic.states += 1;
        buffer.bytes.len() + buffer.departures.described_bytes() >= buffer.limit
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
        if out_of_work && buffer.count > 0 {
            buffer.limit = (buffer.limit / 2).max(LEAST_BYTES);
        }
        self.take(to)
    }

    /// Says that a batch was expanded, and returns a rank whose buffer has waited too long.
    pub fn age(&mut self) -> Option<Rank> {
        let mut overdue = None;
        for (rank, buffer) in self.buffers.iter_mut().enumerate().filter(|(_, buffer)| buffer.count > 0) {
            buffer.batches += 1;
            if buffer.batches >= BATCHES_MAX {
                overdue = Some(rank as Rank);
            }
        }
        overdue
    }

    pub fn is_empty(&self) -> bool {
        self.buffers.iter().all(|buffer| buffer.count == 0)
    }

    fn take(&mut self, to: Rank) -> Option<Vec<u8>> {
        let buffer = &mut self.buffers[to as usize];
        if buffer.count == 0 {
            return None;
        }
        let descriptions = buffer.departures.take();
        let mut message = Vec::with_capacity(buffer.bytes.len() + descriptions.len() + 16);
        message.number(buffer.count);
        if self.format.parts {
            message.bytes(&descriptions);
            self.traffic.part_bytes += descriptions.len() as u64;
        }
        message.extend_from_slice(&buffer.bytes);
        buffer.bytes.clear();
        buffer.last.fill(0);
        buffer.count = 0;
        buffer.batches = 0;
        self.traffic.messages += 1;
        self.traffic.bytes += message.len() as u64;
        Some(message)
    }

    /// Forgets what was sent: for a search in which a state that was sent once may have to be sent again.
    pub fn forget_sent(&mut self) {
        self.sent.forget();
    }
}

/// Reads the states of a message. Calls `visit` with each, in this process's names.
pub fn unpack<M: Transfer>(
    model: &M,
    format: Format,
    arrivals: &mut Arrivals,
    reader: &mut Reader,
    words: &mut [Word],
    mut visit: impl FnMut(&[Word], Companion),
) -> Result<(), Garbled> {
    let count = reader.number()?;
    if format.parts {
        let descriptions = reader.bytes()?;
        arrivals.learn(model, descriptions)?;
    }
    let mut theirs = vec![0; words.len()];
    for _ in 0..count {
        let shape = if format.parts { reader.number()? } else { 0 };
        reader.difference(&mut theirs)?;
        words.copy_from_slice(&theirs);
        if format.parts {
            arrivals.translate(shape, words)?;
        }
        let mut companion = Companion { parent: reader.three_bytes()?, ..Companion::default() };
        if format.depths {
            companion.depth = reader.word()?;
        }
        if format.places {
            companion.place = (reader.number()?, reader.word()?);
        }
        visit(words, companion);
    }
    if reader.is_empty() { Ok(()) } else { Err(Garbled) }
}

/// States that were sent lately. A state that was sent long ago may be forgotten; one that was never sent is never in it.
struct SentCache {
    width: usize,
    /// As many words per place as a state has.
    places: Vec<Word>,
    used: Vec<bool>,
}

impl SentCache {
    fn new(width: usize, states: usize) -> Self {
        let states = if states == 0 { 0 } else { states.next_power_of_two() };
        SentCache { width, places: vec![0; states * width], used: vec![false; states] }
    }

    #[inline]
    fn contains_or_insert(&mut self, state: &[Word]) -> bool {
        if self.used.is_empty() {
            return false;
        }
        let place = hash_words(state) as usize & (self.used.len() - 1);
        let words = &mut self.places[place * self.width..][..self.width];
        if self.used[place] && words == state {
            return true;
        }
        words.copy_from_slice(state);
        self.used[place] = true;
        false
    }

    fn forget(&mut self) {
        self.used.fill(false);
    }
}
