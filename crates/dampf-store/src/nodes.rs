//! Interned groups of words: the inner nodes of the tree store.
//!
//! A node is a few words, or ids of other nodes, and has a stable 32-bit id. The nodes lie in an array by id; a growing
//! table of `hash | id` slots finds them.

use crate::growing::{Format, Geometry, Growing, Probe, SHARD_BITS, Tally};
use crate::hash::hash_words;
use crate::segments::{Record, Segments};
use crossbeam_epoch::Guard;
use dampf_core::Word;
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Nodes {
    index: Growing<HashAndId>,
    nodes: Segments,
    /// Words of a node.
    size: usize,
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
    /// Recently used nodes, the hash and the id, at the place the hash says: most lookups end here, without a look
    /// into the large table.
    recent: Box<[(u64, u32)]>,
}

const ID_BLOCK: u64 = 64;
const RECENT_BITS: u32 = 13;
/// What no node has as its id: ids end below it.
pub const NO_ID: u32 = u32::MAX;

impl NodeSession {
    pub fn new() -> Self {
        NodeSession { tally: Tally::new(), ids: 0..0, recent: vec![(0, NO_ID); 1 << RECENT_BITS].into() }
    }
}

/// A node that is looked for.
#[derive(Clone, Copy)]
pub struct Sought {
    hash: u64,
    /// [`NO_ID`] as long as it is not known.
    id: u32,
}

/// The place of a hash in the table.
#[inline]
pub fn place(hash: u64) -> (usize, u32) {
    ((hash >> (64 - SHARD_BITS)) as usize, (hash >> (32 - SHARD_BITS)) as u32)
}

#[inline]
fn recent_place(hash: u64) -> usize {
    hash as usize & ((1 << RECENT_BITS) - 1)
}

impl Nodes {
    /// No nodes, which will have `size` words each.
    pub fn of_size(size: usize) -> Self {
        Nodes { index: Growing::new(), nodes: Segments::of_width(size), size, next: AtomicU64::new(0) }
    }

    /// The node with this id.
    #[inline]
    pub fn get(&self, id: u32) -> Record<'_> {
        self.nodes.get(u64::from(id))
    }

    /// The id of the node with these children. What a node has beyond them is zero.
    #[inline]
    pub fn intern(&self, children: &[Word], guard: &Guard, session: &mut NodeSession) -> u32 {
        let sought = self.seek(children, guard, session);
        self.find(sought, children, guard, session)
    }

    /// The first half of [`intern`](Self::intern): where the table must be looked at, its line is fetched.
    #[inline(always)]
    pub fn seek(&self, children: &[Word], guard: &Guard, session: &NodeSession) -> Sought {
        let hash = hash_words(children);
        let (known, id) = session.recent[recent_place(hash)];
        if known == hash && id != NO_ID && self.get(id).is(children) {
            return Sought { hash, id };
        }
        let (shard, position) = place(hash);
        self.index.prefetch(shard, position, guard);
        Sought { hash, id: NO_ID }
    }

    /// The second half.
    #[inline]
    pub fn find(&self, sought: Sought, children: &[Word], guard: &Guard, session: &mut NodeSession) -> u32 {
        if sought.id != NO_ID {
            return sought.id;
        }
        let id = self.look_up(children, sought.hash, guard, session);
        session.recent[recent_place(sought.hash)] = (sought.hash, id);
        id
    }

    fn look_up(&self, children: &[Word], hash: u64, guard: &Guard, session: &mut NodeSession) -> u32 {
        let (shard, position) = place(hash);
        if session.ids.is_empty() {
            let first = self.next.fetch_add(ID_BLOCK, Ordering::Relaxed);
            assert!(first + ID_BLOCK < u64::from(NO_ID), "the tree store has run out of node ids");
            session.ids = first..first + ID_BLOCK;
        }
        let id = session.ids.start;
        let matches =
            |slot: u64, _: u32, _: &Geometry| (slot >> 32) as u32 == position && self.get(slot_id(slot)).is(children);
        let make = |_: u32, _: &Geometry| {
            // Written before the slot is published, and not visible if it never is: then the id stays free.
            self.nodes.ready(id).write(children);
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
        self.index.bytes() + self.next.load(Ordering::Relaxed) * self.size as u64 * 4
    }
}
