//! The tree-compressed store: states as trees of shared pairs, eight bytes for most states.
//!
//! The words of a state are the leaves of a balanced binary tree. Each inner node but the root is a pair
//! interned in one shared table ([`Nodes`]) and named by a 32-bit id; the root is a pair of ids (or of words, where
//! a state has only two) and *is* the state's 64-bit key. States share most of their subtrees, so that nearly
//! all memory is in the set of roots. A successor that changed one word needs new nodes only on the path from that word to the root.
//!
//! **The set of roots** keeps no keys but hashes that can be undone. The hash's high bits are implied by
//! the bucket a slot is in, and the bits this frees hold the parent: as many high bits of the parent's hash
//! as fit (never less than eight), closed by a 1 bit because a slot keeps what it was given when the table grows.
//! These bits name a contiguous part of the table of some hundred states, among which is the parent. So
//! parent information costs no memory at all, and a step of a trail costs a few hundred expansions.
//!
//! A state is named by the hash of its key: the set needs nothing else, and reading a state back undoes the
//! hash once, when it is expanded.
//!
//! A slot, from the top: 1 in use, 5 displacement (which of the distances from the home bucket), the rest of the hash, the parent.

use crate::growing::{Format, Geometry, Growing, Probe, SHARD_BITS, Tally};
use crate::hash::{mix, unmix};
use crate::nodes::{NodeSession, Nodes};
use crate::{Inserted, Session, Staged, StateRef, Store};
use crossbeam_epoch::Guard;
use dampf_core::Word;

/// Hash bits below the position.
const LOW_BITS: u32 = 64 - SHARD_BITS - 32;
const IN_USE: u64 = 1 << 63;
const DISPLACEMENT_SHIFT: u32 = 58;

pub struct TreeStore {
    shape: Shape,
    /// None for states of one or two words, which are roots only.
    nodes: Option<Nodes>,
    roots: Growing<HashAndParent>,
}

struct HashAndParent;

#[inline]
fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

#[inline]
fn position_of(hash: u64) -> u32 {
    (hash >> LOW_BITS) as u32
}

impl HashAndParent {
    /// How many bits of a slot hold the parent, its closing bit included.
    #[inline]
    fn parent_bits(geometry: &Geometry) -> u32 {
        DISPLACEMENT_SHIFT - LOW_BITS - geometry.position_bits
    }

    /// The bits of the hash that the bucket does not imply.
    #[inline]
    fn rest(hash: u64, geometry: &Geometry) -> u64 {
        hash & ((1 << (LOW_BITS + geometry.position_bits)) - 1)
    }

    /// A slot without its parent bits, moved down to bit 0: what is compared.
    #[inline]
    fn pattern(hash: u64, displacement: u32, geometry: &Geometry) -> u64 {
        (IN_USE | u64::from(displacement) << DISPLACEMENT_SHIFT) >> Self::parent_bits(geometry)
            | Self::rest(hash, geometry)
    }

    /// The parent bits for a parent with this hash; 0 for no parent.
    #[inline]
    fn parent(hash: Option<u64>, geometry: &Geometry) -> u64 {
        let bits = Self::parent_bits(geometry);
        hash.map_or(0, |hash| hash >> (64 - (bits - 1)) << 1 | 1)
    }

    /// The hash of the state in a slot.
    fn hash(slot: u64, bucket: u32, shard: usize, geometry: &Geometry) -> u64 {
        let position = Self::position(slot, bucket, geometry);
        let low = slot >> Self::parent_bits(geometry) & ((1 << LOW_BITS) - 1);
        (shard as u64) << (64 - SHARD_BITS) | u64::from(position) << LOW_BITS | low
    }
}

impl Format for HashAndParent {
    const FROZEN: u64 = 1;

    fn position(slot: u64, bucket: u32, geometry: &Geometry) -> u32 {
        let displacement = (slot >> DISPLACEMENT_SHIFT & 31) as u32;
        let low_bits = slot >> (Self::parent_bits(geometry) + LOW_BITS) & ((1 << geometry.position_bits) - 1);
        geometry.position(geometry.home_of(bucket, displacement), low_bits as u32)
    }

    fn moved(slot: u64, position: u32, from: &Geometry, to: &Geometry, displacement: u32) -> u64 {
        let (from_bits, to_bits) = (Self::parent_bits(from), Self::parent_bits(to));
        let low = slot >> from_bits & ((1 << LOW_BITS) - 1);
        let rest = u64::from(position) << LOW_BITS & ((1 << (LOW_BITS + to.position_bits)) - 1) | low;
        let parent = slot & ((1 << from_bits) - 1);
        IN_USE
            | u64::from(displacement) << DISPLACEMENT_SHIFT
            | rest << to_bits
            // The closing bit stays right behind the bits that are known.
            | parent << (to_bits - from_bits)
    }
}

impl TreeStore {
    /// A store for states of `width` words.
    pub fn new(width: usize) -> Self {
        TreeStore { shape: Shape::new(width), nodes: (width > 2).then(Nodes::new), roots: Growing::new() }
    }

    fn nodes(&self) -> &Nodes {
        self.nodes.as_ref().expect("states of more than two words have inner nodes")
    }

    fn slot_of(&self, state: StateRef, guard: &Guard) -> Option<(u64, Geometry)> {
        let hash = state.0;
        let mut seen = None;
        self.roots.find(shard_of(hash), position_of(hash), guard, |slot, displacement, geometry| {
            let found =
                slot >> HashAndParent::parent_bits(geometry) == HashAndParent::pattern(hash, displacement, geometry);
            if found {
                seen = Some((slot, *geometry));
            }
            found
        });
        seen
    }
}

impl Store for TreeStore {
    type Session<'s> = TreeSession<'s>;

    fn session(&self) -> TreeSession<'_> {
        TreeSession {
            store: self,
            guard: crossbeam_epoch::pin(),
            nodes: NodeSession::new(),
            tally: Tally::new(),
            base: vec![0; self.shape.len()],
            scratch: vec![0; self.shape.len()],
            base_is_set: false,
            marked: vec![0; self.shape.len().div_ceil(64)],
        }
    }

    fn bytes(&self) -> u64 {
        self.roots.bytes() + self.nodes.as_ref().map_or(0, Nodes::bytes)
    }

    // Staging only looks; nothing needs to be remembered between levels.
    fn begin_level(&self) {}

    fn parents(&self, state: StateRef, visit: &mut dyn FnMut(StateRef) -> bool) {
        if let Some(prefix) = self.parent_prefix(state) {
            self.for_each_with(prefix, visit);
        }
    }
}

/// Some high bits of a state's reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prefix {
    pub value: u64,
    /// How many bits are known; at most 63.
    pub bits: u32,
}

impl Prefix {
    /// What all references have.
    pub const ANY: Prefix = Prefix { value: 0, bits: 0 };

    /// The first `bits` of the prefix, or all where it has fewer.
    pub fn cut(self, bits: u32) -> Prefix {
        let bits = self.bits.min(bits);
        Prefix { value: self.value >> (self.bits - bits), bits }
    }
}

impl TreeStore {
    /// What is known of the reference of the state that this one was first reached from. Nothing for a state that was
    /// stored without parent.
    pub fn parent_prefix(&self, state: StateRef) -> Option<Prefix> {
        let guard = crossbeam_epoch::pin();
        let (slot, geometry) = self.slot_of(state, &guard)?;
        let bits = slot & ((1 << HashAndParent::parent_bits(&geometry)) - 1);
        (bits != 0).then(|| Prefix {
            value: bits >> (bits.trailing_zeros() + 1),
            bits: HashAndParent::parent_bits(&geometry) - 1 - bits.trailing_zeros(),
        })
    }

    /// Calls `visit` for all states whose references begin like this, until it returns false. No other thread inserts
    /// during the call.
    pub fn for_each_with(&self, prefix: Prefix, visit: &mut dyn FnMut(StateRef) -> bool) {
        let guard = crossbeam_epoch::pin();
        let first = prefix.value.checked_shl(64 - prefix.bits).unwrap_or(0);
        let last = first | (u64::MAX >> prefix.bits);
        for shard in shard_of(first)..=shard_of(last) {
            let from = if shard == shard_of(first) { position_of(first) } else { 0 };
            let to = if shard == shard_of(last) { position_of(last) } else { u32::MAX };
            let more = self.roots.for_each_between(shard, from, to, &guard, &mut |slot, bucket, geometry| {
                let hash = HashAndParent::hash(slot, bucket, shard, geometry);
                !(first..=last).contains(&hash) || visit(StateRef(hash))
            });
            if !more {
                return;
            }
        }
    }
}

pub struct TreeSession<'s> {
    store: &'s TreeStore,
    guard: Guard,
    nodes: NodeSession,
    tally: Tally,
    /// The tree of the state that was loaded last: its words, then its inner nodes' ids.
    base: Vec<u32>,
    base_is_set: bool,
    scratch: Vec<u32>,
    /// One bit per inner node that a successor needs anew.
    marked: Vec<u64>,
}

impl TreeSession<'_> {
    /// The key of a state.
    #[inline]
    fn key(&mut self, words: &[Word]) -> u64 {
        match words {
            [word] => u64::from(*word),
            [left, right] => pair(*left, *right),
            _ if self.base_is_set => self.key_from_base(words),
            _ => self.key_from_scratch(words),
        }
    }

    fn key_from_scratch(&mut self, words: &[Word]) -> u64 {
        let shape = &self.store.shape;
        self.scratch[..words.len()].copy_from_slice(words);
        for (number, &(left, right)) in shape.inner.iter().enumerate() {
            let pair = pair(self.scratch[left as usize], self.scratch[right as usize]);
            if number + 1 == shape.inner.len() {
                return pair;
            }
            self.scratch[words.len() + number] = self.store.nodes().intern(pair, &self.guard, &mut self.nodes);
        }
        unreachable!("a state of several words has a root")
    }

    fn key_from_base(&mut self, words: &[Word]) -> u64 {
        let shape = &self.store.shape;
        let width = words.len();
        for (leaf, &word) in words.iter().enumerate() {
            if word != self.base[leaf] {
                let mut node = shape.parent[leaf];
                while self.marked[node as usize / 64] & 1 << (node % 64) == 0 {
                    self.marked[node as usize / 64] |= 1 << (node % 64);
                    if node as usize + 1 == shape.inner.len() {
                        break;
                    }
                    node = shape.parent[width + node as usize];
                }
            }
        }
        let root = shape.inner.len() - 1;
        let mut key = pair(self.base[shape.inner[root].0 as usize], self.base[shape.inner[root].1 as usize]);
        for block in 0..self.marked.len() {
            // Ascending order is children first.
            while self.marked[block] != 0 {
                let node = block * 64 + self.marked[block].trailing_zeros() as usize;
                self.marked[block] &= self.marked[block] - 1;
                let (left, right) = shape.inner[node];
                let pair = pair(self.child(left, words), self.child(right, words));
                if node == root {
                    key = pair;
                } else {
                    let id = self.store.nodes().intern(pair, &self.guard, &mut self.nodes);
                    self.scratch[width + node] = id;
                }
            }
        }
        // Nodes that were not marked keep the base's ids: scratch is made equal to the base again.
        for (leaf, &word) in words.iter().enumerate() {
            if word != self.base[leaf] {
                let mut node = shape.parent[leaf] as usize;
                while node != root && self.scratch[width + node] != self.base[width + node] {
                    self.scratch[width + node] = self.base[width + node];
                    node = shape.parent[width + node] as usize;
                }
            }
        }
        key
    }

    #[inline]
    fn child(&self, child: u32, words: &[Word]) -> u32 {
        words.get(child as usize).copied().unwrap_or_else(|| self.scratch[child as usize])
    }
}

#[inline]
fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Session for TreeSession<'_> {
    /// The hash of the key.
    type Pending = u64;

    #[inline]
    fn load(&mut self, state: StateRef, words: &mut [Word]) {
        let key = unmix(state.0);
        match words {
            [word] => *word = key as u32,
            [left, right] => (*left, *right) = ((key >> 32) as u32, key as u32),
            _ => {
                let shape = &self.store.shape;
                let width = words.len();
                let root = shape.inner.len() - 1;
                for (number, &(left, right)) in shape.inner.iter().enumerate().rev() {
                    let pair = if number == root { key } else { self.store.nodes().get(self.base[width + number]) };
                    self.base[left as usize] = (pair >> 32) as u32;
                    self.base[right as usize] = pair as u32;
                }
                self.scratch.copy_from_slice(&self.base);
                self.base_is_set = true;
                words.copy_from_slice(&self.base[..width]);
            }
        }
    }

    #[inline]
    fn prepare(&mut self, words: &[Word]) -> u64 {
        let hash = mix(self.key(words));
        self.store.roots.prefetch(shard_of(hash), position_of(hash), &self.guard);
        hash
    }

    #[inline]
    fn commit(&mut self, hash: u64, _: &[Word], parent: Option<StateRef>) -> Inserted {
        let matches = |slot: u64, displacement: u32, geometry: &Geometry| {
            slot >> HashAndParent::parent_bits(geometry) == HashAndParent::pattern(hash, displacement, geometry)
        };
        let make = |displacement: u32, geometry: &Geometry| {
            HashAndParent::pattern(hash, displacement, geometry) << HashAndParent::parent_bits(geometry)
                | HashAndParent::parent(parent.map(|parent| parent.0), geometry)
        };
        let (shard, position) = (shard_of(hash), position_of(hash));
        match self.store.roots.find_or_insert(shard, position, &self.guard, &mut self.tally, matches, make) {
            Probe::Found(_) => Inserted::Known(StateRef(hash)),
            Probe::Inserted => Inserted::New(StateRef(hash)),
        }
    }

    fn stage(&mut self, hash: u64, _: &[Word]) -> Staged {
        match self.store.slot_of(StateRef(hash), &self.guard) {
            Some(_) => Staged::Old,
            None => Staged::Fresh(StateRef(hash)),
        }
    }

    fn publish(&mut self, staged: StateRef, parent: Option<StateRef>) {
        self.commit(staged.0, &[], parent);
    }

    fn quiesce(&mut self) {
        self.guard.repin();
    }
}

/// The tree over the words of a state. Inner nodes are numbered children first; the root is the last.
struct Shape {
    width: usize,
    /// Children of each inner node: a word's number, or the width plus an inner node's number.
    inner: Vec<(u32, u32)>,
    /// The inner node above each word, then above each inner node.
    parent: Vec<u32>,
}

impl Shape {
    fn new(width: usize) -> Self {
        assert!(width > 0, "a state has at least one word");
        let mut shape = Shape { width, inner: Vec::new(), parent: vec![0; 2 * width - 1] };
        shape.build(0, width);
        for (number, &(left, right)) in shape.inner.iter().enumerate() {
            shape.parent[left as usize] = number as u32;
            shape.parent[right as usize] = number as u32;
        }
        shape
    }

    /// Adds the inner nodes over words `first..end` and returns the number of their top.
    fn build(&mut self, first: usize, end: usize) -> u32 {
        if end - first == 1 {
            return first as u32;
        }
        let middle = first + (end - first).div_ceil(2);
        let children = (self.build(first, middle), self.build(middle, end));
        self.inner.push(children);
        (self.width + self.inner.len() - 1) as u32
    }

    /// Words and inner nodes together.
    fn len(&self) -> usize {
        2 * self.width - 1
    }
}
