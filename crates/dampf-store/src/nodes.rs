//! Interned pairs of words: the inner nodes of the tree store.
//!
//! A node is 64 bits, two words or two ids of other nodes, and has a stable 32-bit id. The nodes lie in an
//! array by id; a growing table of `hash | id` slots finds them.

use crate::growing::{Format, Geometry, Growing, Probe, SHARD_BITS, Tally};
use crate::hash::mix;
use crate::segments::Segments;
use crossbeam_epoch::Guard;
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Nodes {
    index: Growing<HashAndId>,
    nodes: Segments<AtomicU64>,
    next: AtomicU64,
}

/// A slot is 32 hash bits, which are the position, and the id plus one.
pub struct HashAndId;

impl Format for HashAndId {
    const FROZEN: u64 = 1 << 32;

    fn position(slot: u64, _: u32, _: &Geometry) -> u32 {
        (slot >> 32) as u32
    }

    fn moved(slot: u64, _: u32, _: &Geometry, _: &Geometry, _: u32) -> u64 {
        slot
    }
}

/// The id in a slot.
#[inline]
pub fn slot_id(slot: u64) -> u32 {
    slot as u32 - 1
}

/// A thread's scratch space: counts, and the ids it has taken but not used.
pub struct NodeSession {
    tally: Tally,
    ids: std::ops::Range<u64>,
    /// Recently used nodes by hash: most lookups end here, without touching shared memory.
    recent: Box<[(u64, u32)]>,
}

const ID_BLOCK: u64 = 64;
const RECENT_BITS: u32 = 12;
/// What no recent entry has as its id: ids end below it.
const NO_ID: u32 = u32::MAX;

impl NodeSession {
    pub fn new() -> Self {
        NodeSession { tally: Tally::new(), ids: 0..0, recent: vec![(0, NO_ID); 1 << RECENT_BITS].into() }
    }
}

impl Nodes {
    pub fn new() -> Self {
        Nodes { index: Growing::new(), nodes: Segments::new(), next: AtomicU64::new(0) }
    }

    /// The pair behind an id.
    #[inline]
    pub fn get(&self, id: u32) -> u64 {
        self.nodes.get(u64::from(id)).load(Ordering::Relaxed)
    }

    /// The id of a pair.
    #[inline]
    pub fn intern(&self, pair: u64, guard: &Guard, session: &mut NodeSession) -> u32 {
        let hash = mix(pair);
        let recent = (hash as usize) & ((1 << RECENT_BITS) - 1);
        let (known, id) = session.recent[recent];
        if known == pair && id != NO_ID {
            return id;
        }
        let id = self.look_up(pair, hash, guard, session);
        session.recent[recent] = (pair, id);
        id
    }

    fn look_up(&self, pair: u64, hash: u64, guard: &Guard, session: &mut NodeSession) -> u32 {
        let shard = (hash >> (64 - SHARD_BITS)) as usize;
        let position = (hash >> (32 - SHARD_BITS)) as u32;
        if session.ids.is_empty() {
            let first = self.next.fetch_add(ID_BLOCK, Ordering::Relaxed);
            assert!(first + ID_BLOCK < u64::from(NO_ID), "the tree store has run out of node ids");
            session.ids = first..first + ID_BLOCK;
        }
        let id = session.ids.start;
        let matches =
            |slot: u64, _: u32, _: &Geometry| (slot >> 32) as u32 == position && self.get(slot_id(slot)) == pair;
        let make = |_: u32, _: &Geometry| {
            // Written before the slot is published, and not visible if it never is: then the id stays free.
            self.nodes.ready(id).store(pair, Ordering::Relaxed);
            u64::from(position) << 32 | (id + 1)
        };
        match self.index.find_or_insert(shard, position, guard, &mut session.tally, matches, make) {
            Probe::Found(slot) => slot_id(slot),
            Probe::Inserted => {
                session.ids.start += 1;
                id as u32
            }
        }
    }

    pub fn bytes(&self) -> u64 {
        self.index.bytes() + self.next.load(Ordering::Relaxed) * 8
    }
}
