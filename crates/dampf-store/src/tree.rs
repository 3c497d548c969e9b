//! The tree-compressed store: states as trees of shared nodes, eight bytes for most states.
//!
//! The words of a state are the leaves of a flat tree ([`Shape`]). Each inner node but the root is a group of words or
//! ids interned in one shared table ([`Nodes`]) and named by a 32-bit id; the root is a pair of ids (or of words, where
//! a state has only two) and *is* the state's 64-bit key. States share most of their subtrees, so that nearly all
//! memory is in the set of roots. A successor that changed one word needs new nodes only on the path from that word to
//! the root.
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
//! A slot, from the top: 1 in use, 5 displacement (which of the distances from the home bucket), the rest of the hash,
//! the parent.
//!
//! **Colours.** A search for cycles by one thread needs no parents, since its stack has them, but a colour of every
//! state ([`Coloured`]). There the bits that are free hold the colour: whoever looks a state up has its colour in the
//! same cache line, and a state costs no more than without.

use crate::growing::{Format, Geometry, Growing, Probe, SHARD_BITS, Tally};
use crate::hash::{mix, pair, unmix};
use crate::nodes::{NO_ID, NodeSession, Nodes, Sought};
use crate::shape::Shape;
use crate::{
    ByPrefix, Coloured, Exactness, Inserted, Parents, Prefix, Retrieve, Session, Staged, Staging, StateRef, Store,
};
use crossbeam_epoch::Guard;
use dampf_core::{Successors, Word};
use std::marker::PhantomData;
use std::ops::Range;

/// Hash bits below the position.
const LOW_BITS: u32 = 64 - SHARD_BITS - 32;
const IN_USE: u64 = 1 << 63;
const DISPLACEMENT_SHIFT: u32 = 58;
/// There are never fewer than eight free bits.
const COLOUR_BITS: u32 = 3;

pub struct TreeStore<A: Aside = ParentBits> {
    shape: Shape,
    /// None for states of one or two words, which are roots only.
    nodes: Option<Nodes>,
    roots: Growing<HashAnd<A>>,
}

/// A tree store that keeps a colour with each state, and no parents.
pub type ColouredTree = TreeStore<ColourBits>;

/// What a slot holds in the bits that the hash leaves free.
pub trait Aside: Send + Sync + 'static {
    /// Whether a state that was met lately need not be looked up: not where what stands beside it changes.
    const IS_KEPT: bool;

    /// What stands beside a state when it is added, in so many bits: the hash of its parent is known.
    fn added(parent: Option<u64>, bits: u32) -> u64;

    /// What it is where `from` bits were free and `to` bits are now, which are no fewer.
    fn moved(bits: u64, from: u32, to: u32) -> u64;
}

/// Bits of the parent's hash, closed by a 1 bit.
pub struct ParentBits;

/// A colour, at the lower end.
pub struct ColourBits;

impl Aside for ParentBits {
    const IS_KEPT: bool = true;

    #[inline]
    fn added(parent: Option<u64>, bits: u32) -> u64 {
        parent.map_or(0, |hash| hash >> (64 - (bits - 1)) << 1 | 1)
    }

    #[inline]
    fn moved(bits: u64, from: u32, to: u32) -> u64 {
        // The closing bit stays right behind the bits that are known.
        bits << (to - from)
    }
}

impl Aside for ColourBits {
    const IS_KEPT: bool = false;

    #[inline]
    fn added(_: Option<u64>, _: u32) -> u64 {
        0
    }

    #[inline]
    fn moved(bits: u64, _: u32, _: u32) -> u64 {
        bits
    }
}

struct HashAnd<A>(PhantomData<A>);

type HashAndParent = HashAnd<ParentBits>;

/// Words of a wide state that are compared together: most stretches of it have not changed.
const WORDS_AT_ONCE: usize = 32;

/// How many states a session remembers.
const MET_BITS: u32 = 14;

#[inline]
fn met_place(hash: u64) -> usize {
    (hash & ((1 << MET_BITS) - 1)) as usize
}

#[inline]
fn shard_of(hash: u64) -> usize {
    (hash >> (64 - SHARD_BITS)) as usize
}

#[inline]
fn position_of(hash: u64) -> u32 {
    (hash >> LOW_BITS) as u32
}

impl<A: Aside> HashAnd<A> {
    /// How many bits of a slot hold the parent, its closing bit included, or the colour.
    #[inline]
    fn free_bits(geometry: &Geometry) -> u32 {
        DISPLACEMENT_SHIFT - LOW_BITS - geometry.position_bits
    }

    /// The bits of the hash that the bucket does not imply.
    #[inline]
    fn rest(hash: u64, geometry: &Geometry) -> u64 {
        hash & ((1 << (LOW_BITS + geometry.position_bits)) - 1)
    }

    /// A slot without its free bits, moved down to bit 0: what is compared.
    #[inline]
    fn pattern(hash: u64, displacement: u32, geometry: &Geometry) -> u64 {
        (IN_USE | u64::from(displacement) << DISPLACEMENT_SHIFT) >> Self::free_bits(geometry)
            | Self::rest(hash, geometry)
    }

    /// Whether a slot at a displacement holds the state with this hash.
    #[inline]
    fn is_of(slot: u64, hash: u64, displacement: u32, geometry: &Geometry) -> bool {
        slot >> Self::free_bits(geometry) == Self::pattern(hash, displacement, geometry)
    }

    /// The hash of the state in a slot.
    fn hash(slot: u64, bucket: u32, shard: usize, geometry: &Geometry) -> u64 {
        let position = Self::position(slot, bucket, geometry);
        let low = slot >> Self::free_bits(geometry) & ((1 << LOW_BITS) - 1);
        (shard as u64) << (64 - SHARD_BITS) | u64::from(position) << LOW_BITS | low
    }
}

impl<A: Aside> Format for HashAnd<A> {
    const FROZEN: u64 = 1;

    fn position(slot: u64, bucket: u32, geometry: &Geometry) -> u32 {
        let displacement = (slot >> DISPLACEMENT_SHIFT & 31) as u32;
        let low_bits = slot >> (Self::free_bits(geometry) + LOW_BITS) & ((1 << geometry.position_bits) - 1);
        geometry.position(geometry.home_of(bucket, displacement), low_bits as u32)
    }

    fn moved(slot: u64, position: u32, from: &Geometry, to: &Geometry, displacement: u32) -> u64 {
        let (from_bits, to_bits) = (Self::free_bits(from), Self::free_bits(to));
        let low = slot >> from_bits & ((1 << LOW_BITS) - 1);
        let rest = u64::from(position) << LOW_BITS & ((1 << (LOW_BITS + to.position_bits)) - 1) | low;
        let aside = A::moved(slot & ((1 << from_bits) - 1), from_bits, to_bits);
        IN_USE | u64::from(displacement) << DISPLACEMENT_SHIFT | rest << to_bits | aside
    }
}

impl TreeStore {
    /// A store for states of `width` words.
    pub fn new(width: usize) -> Self {
        TreeStore::of_width(width)
    }
}

impl ColouredTree {
    /// A store for states of `width` words and their colours.
    pub fn coloured(width: usize) -> Self {
        TreeStore::of_width(width)
    }
}

impl<A: Aside> TreeStore<A> {
    fn of_width(width: usize) -> Self {
        let shape = Shape::new(width);
        let nodes = (width > 2).then(|| Nodes::of_size(shape.group));
        TreeStore { shape, nodes, roots: Growing::new() }
    }

    fn nodes(&self) -> &Nodes {
        self.nodes.as_ref().expect("states of more than two words have inner nodes")
    }

    fn slot_of(&self, state: StateRef, guard: &Guard) -> Option<(u64, Geometry)> {
        let hash = state.0;
        let mut seen = None;
        self.roots.find(shard_of(hash), position_of(hash), guard, |slot, displacement, geometry| {
            let found = HashAnd::<A>::is_of(slot, hash, displacement, geometry);
            if found {
                seen = Some((slot, *geometry));
            }
            found
        });
        seen
    }
}

impl<A: Aside> Store for TreeStore<A> {
    type Session<'s> = TreeSession<'s, A>;

    fn session(&self) -> TreeSession<'_, A> {
        TreeSession {
            store: self,
            guard: crossbeam_epoch::pin(),
            nodes: NodeSession::new(),
            tally: Tally::new(),
            base: vec![NO_ID; self.shape.len],
            scratch: vec![NO_ID; self.shape.len],
            base_is_set: false,
            met: (0..if A::IS_KEPT { 1 << MET_BITS } else { 0 }).map(|place: u64| !place).collect(),
            changes: Vec::new(),
            ends: Vec::new(),
            risen: Vec::new(),
        }
    }

    fn bytes(&self) -> u64 {
        self.roots.bytes() + self.nodes.as_ref().map_or(0, Nodes::bytes)
    }

    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }
}

impl Parents for TreeStore {
    fn parents(&self, state: StateRef, visit: &mut dyn FnMut(StateRef) -> bool) {
        if let Some(prefix) = self.parent_prefix(state) {
            self.for_each_with(prefix, visit);
        }
    }
}

impl ByPrefix for TreeStore {
    fn parent_prefix(&self, state: StateRef) -> Option<Prefix> {
        let guard = crossbeam_epoch::pin();
        let (slot, geometry) = self.slot_of(state, &guard)?;
        let bits = slot & ((1 << HashAndParent::free_bits(&geometry)) - 1);
        (bits != 0).then(|| Prefix {
            value: bits >> (bits.trailing_zeros() + 1),
            bits: HashAndParent::free_bits(&geometry) - 1 - bits.trailing_zeros(),
        })
    }

    fn for_each_with(&self, prefix: Prefix, visit: &mut dyn FnMut(StateRef) -> bool) {
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

pub struct TreeSession<'s, A: Aside = ParentBits> {
    store: &'s TreeStore<A>,
    guard: Guard,
    nodes: NodeSession,
    tally: Tally,
    /// The tree of the state that was loaded last: its words, then its inner nodes' ids.
    base: Vec<u32>,
    base_is_set: bool,
    /// States that were committed lately, at the places that their lowest bits say: neighbours have common successors,
    /// and many lookups end here, in the processor's own cache. A place that is not used holds what belongs elsewhere.
    met: Box<[u64]>,
    /// The ids of `base`, and those of a successor while its key is computed.
    scratch: Vec<u32>,
    /// The changes of the states that are prepared together, one after the other.
    changes: Vec<Change>,
    /// Where the changes of each of them end.
    ends: Vec<usize>,
    /// Where the ids are that changed in the level that was dealt with last.
    risen: Vec<u32>,
}

/// A node directly above words, some of which are not the base's.
#[derive(Clone, Copy)]
struct Change {
    /// Where the node's id belongs.
    node: u32,
    sought: Sought,
}

impl<A: Aside> TreeSession<'_, A> {
    /// Looks a state up that was not met lately, and adds it if it is not there; returns its slot if it is. Apart from
    /// [`commit`](Session::commit), which is small enough to stand in every loop.
    #[inline(never)]
    fn insert(&mut self, hash: u64, parent: Option<StateRef>) -> Probe {
        if A::IS_KEPT {
            self.met[met_place(hash)] = hash;
        }
        let matches =
            |slot: u64, displacement: u32, geometry: &Geometry| HashAnd::<A>::is_of(slot, hash, displacement, geometry);
        let make = |displacement: u32, geometry: &Geometry| {
            let bits = HashAnd::<A>::free_bits(geometry);
            HashAnd::<A>::pattern(hash, displacement, geometry) << bits | A::added(parent.map(|parent| parent.0), bits)
        };
        let (shard, position) = (shard_of(hash), position_of(hash));
        self.store.roots.find_or_insert(shard, position, &self.guard, &mut self.tally, matches, make)
    }

    /// The hash of a state, whose place in the table is fetched.
    #[inline]
    fn hash(&mut self, words: &[Word]) -> u64 {
        let key = match words {
            [word] => u64::from(*word),
            [left, right] => pair(*left, *right),
            _ => {
                self.changes.clear();
                self.find_changes(words);
                let changes = 0..self.changes.len();
                let key = self.key(words, changes.clone());
                self.go_back(changes);
                key
            }
        };
        self.fetch(key)
    }

    /// The hash of a key, whose place in the table is fetched.
    #[inline]
    fn fetch(&self, key: u64) -> u64 {
        let hash = mix(key);
        if !A::IS_KEPT || self.met[met_place(hash)] != hash {
            self.store.roots.prefetch(shard_of(hash), position_of(hash), &self.guard);
        }
        hash
    }

    /// Notes the nodes above the words in which a state differs from the base, and begins to look them up.
    #[inline]
    fn find_changes(&mut self, words: &[Word]) {
        if !self.base_is_set {
            self.set_base(words);
        }
        if words.len() < 2 * WORDS_AT_ONCE {
            self.find_changes_in(words, 0..words.len(), NO_ID);
            return;
        }
        let mut last = NO_ID;
        for first in (0..words.len()).step_by(WORDS_AT_ONCE) {
            let stretch = first..words.len().min(first + WORDS_AT_ONCE);
            if words[stretch.clone()] != self.base[stretch.clone()] {
                last = self.find_changes_in(words, stretch, last);
            }
        }
    }

    /// The same for a stretch of the words, where the `last` node before it that changed may go on. Returns the last.
    #[inline(always)]
    fn find_changes_in(&mut self, words: &[Word], stretch: Range<usize>, mut last: u32) -> u32 {
        let shape = &self.store.shape;
        let level = &shape.levels[0];
        let leaves = words[stretch.clone()].iter().zip(&self.base[stretch.clone()]).zip(&shape.parent[stretch]);
        for ((&word, &before), &node) in leaves {
            if word != before && node != last {
                last = node;
                let children = &words[level.children(node as usize)];
                let sought = self.store.nodes().seek(children, &self.guard, &self.nodes);
                self.changes.push(Change { node, sought });
            }
        }
        last
    }

    /// The key of a state with these changes. Its ids are left in `scratch`.
    #[inline]
    fn key(&mut self, words: &[Word], changes: Range<usize>) -> u64 {
        let shape = &self.store.shape;
        for change in &self.changes[changes.clone()] {
            let node = change.node as usize;
            let children = &words[shape.levels[0].children(node)];
            self.scratch[node] = self.store.nodes().find(change.sought, children, &self.guard, &mut self.nodes);
        }
        if shape.levels.len() > 1 {
            self.rise(changes);
        }
        let root = shape.root();
        pair(self.scratch[root], self.scratch[root + 1])
    }

    /// Leaves a state with these changes for the base.
    #[inline]
    fn go_back(&mut self, changes: Range<usize>) {
        copy_changed(&self.base, &mut self.scratch, &self.changes[changes], &self.store.shape);
    }

    /// Makes a state with these changes the base.
    #[inline]
    fn follow(&mut self, changes: Range<usize>) {
        copy_changed(&self.scratch, &mut self.base, &self.changes[changes], &self.store.shape);
    }

    /// Makes the ids above changed nodes those of the changed state, level by level up to the root.
    fn rise(&mut self, changes: Range<usize>) {
        let shape = &self.store.shape;
        self.risen.clear();
        self.risen.extend(self.changes[changes].iter().map(|change| change.node));
        for level in &shape.levels[1..] {
            let mut above = 0;
            for below in 0..self.risen.len() {
                let node = shape.parent[self.risen[below] as usize];
                if above > 0 && self.risen[above - 1] == node {
                    continue;
                }
                let children = &self.scratch[level.children(node as usize)];
                self.scratch[node as usize] = self.store.nodes().intern(children, &self.guard, &mut self.nodes);
                self.risen[above] = node;
                above += 1;
            }
            self.risen.truncate(above);
        }
    }

    /// Makes a state the one that others are compared with.
    #[cold]
    fn set_base(&mut self, words: &[Word]) {
        let shape = &self.store.shape;
        self.base[..words.len()].copy_from_slice(words);
        for level in &shape.levels {
            for node in level.nodes() {
                let children = &self.base[level.children(node)];
                self.base[node] = self.store.nodes().intern(children, &self.guard, &mut self.nodes);
            }
        }
        self.scratch.copy_from_slice(&self.base);
        self.base_is_set = true;
    }

    /// Reads the tree under a root into the base. What stands under an id that was there before is there already.
    fn read_tree(&mut self, key: u64) {
        let shape = &self.store.shape;
        let nodes = self.store.nodes();
        let root = shape.root();
        (self.base[root], self.base[root + 1]) = ((key >> 32) as u32, key as u32);
        for level in shape.levels.iter().rev() {
            for node in level.nodes() {
                let id = self.base[node];
                if id != self.scratch[node] {
                    self.scratch[node] = id;
                    nodes.get(id).read(&mut self.base[level.children(node)]);
                }
            }
        }
        self.base_is_set = true;
    }
}

/// Copies the ids at and above changed nodes.
#[inline]
fn copy_changed(from: &[u32], to: &mut [u32], changes: &[Change], shape: &Shape) {
    let root = shape.root();
    for change in changes {
        let mut node = change.node as usize;
        while to[node] != from[node] {
            to[node] = from[node];
            if node >= root {
                break;
            }
            node = shape.parent[node] as usize;
        }
    }
}

impl<A: Aside> Session for TreeSession<'_, A> {
    /// The hash of the key.
    type Pending = u64;

    #[inline]
    fn prepare(&mut self, words: &[Word]) -> u64 {
        self.hash(words)
    }

    #[inline]
    fn prepare_all(
        &mut self,
        successors: &Successors,
        steps: impl Iterator<Item = usize> + Clone,
        pending: &mut Vec<u64>,
    ) {
        if self.store.nodes.is_none() {
            pending.extend(steps.map(|step| self.hash(successors.state(step))));
            return;
        }
        // First all nodes above changed words are fetched, then looked up: the fetches overlap.
        self.changes.clear();
        self.ends.clear();
        for step in steps.clone() {
            self.find_changes(successors.state(step));
            self.ends.push(self.changes.len());
        }
        let mut first = 0;
        for (number, step) in steps.enumerate() {
            let changes = first..self.ends[number];
            first = changes.end;
            let key = self.key(successors.state(step), changes.clone());
            self.go_back(changes);
            pending.push(self.fetch(key));
        }
    }

    fn prepare_neighbours(&mut self, width: usize, states: &[Word], pending: &mut Vec<u64>) {
        if self.store.nodes.is_none() {
            pending.extend(states.chunks_exact(width).map(|state| self.hash(state)));
            return;
        }
        self.changes.clear();
        self.ends.clear();
        for state in states.chunks_exact(width) {
            self.find_changes(state);
            self.base[..width].copy_from_slice(state);
            self.ends.push(self.changes.len());
        }
        let mut first = 0;
        for (number, state) in states.chunks_exact(width).enumerate() {
            let changes = first..self.ends[number];
            first = changes.end;
            let key = self.key(state, changes.clone());
            self.follow(changes);
            pending.push(self.fetch(key));
        }
    }

    #[inline]
    fn commit(&mut self, hash: u64, _: &[Word], parent: Option<StateRef>) -> Inserted {
        if A::IS_KEPT && self.met[met_place(hash)] == hash {
            return Inserted::Known(StateRef(hash));
        }
        match self.insert(hash, parent) {
            Probe::Found(_) => Inserted::Known(StateRef(hash)),
            Probe::Inserted => Inserted::New(StateRef(hash)),
        }
    }

    fn contains(&mut self, hash: u64, _: &[Word]) -> bool {
        self.store.slot_of(StateRef(hash), &self.guard).is_some()
    }

    fn quiesce(&mut self) {
        self.guard.repin();
    }
}

impl<A: Aside> Retrieve for TreeStore<A> {
    #[inline]
    fn load(session: &mut TreeSession<'_, A>, state: StateRef, words: &mut [Word]) {
        let key = unmix(state.0);
        match words {
            [word] => *word = key as u32,
            [left, right] => (*left, *right) = ((key >> 32) as u32, key as u32),
            _ => {
                session.read_tree(key);
                words.copy_from_slice(&session.base[..words.len()]);
            }
        }
    }
}

impl Staging for TreeStore {
    // Staging only looks; nothing needs to be remembered between levels.
    fn begin_level(&self) {}

    fn stage<'s>(session: &mut TreeSession<'s>, hash: u64, words: &[Word]) -> Staged
    where
        Self: 's,
    {
        if session.contains(hash, words) { Staged::Old } else { Staged::Fresh(StateRef(hash)) }
    }

    fn publish(session: &mut TreeSession<'_>, staged: StateRef, parent: Option<StateRef>) {
        session.commit(staged.0, &[], parent);
    }
}

/// The colour in a slot.
fn slot_colour(slot: u64) -> u8 {
    (slot & ((1 << COLOUR_BITS) - 1)) as u8
}

impl Coloured for ColouredTree {
    #[inline]
    fn commit_coloured<'s>(
        session: &mut TreeSession<'s, ColourBits>,
        hash: u64,
        _: &[Word],
        parent: Option<StateRef>,
    ) -> (Inserted, u8)
    where
        Self: 's,
    {
        match session.insert(hash, parent) {
            Probe::Found(slot) => (Inserted::Known(StateRef(hash)), slot_colour(slot)),
            Probe::Inserted => (Inserted::New(StateRef(hash)), 0),
        }
    }

    #[inline]
    fn approach(session: &mut TreeSession<'_, ColourBits>, state: StateRef) {
        session.store.roots.prefetch(shard_of(state.0), position_of(state.0), &session.guard);
    }

    #[inline]
    fn colour(session: &mut TreeSession<'_, ColourBits>, state: StateRef) -> u8 {
        let found = session.store.slot_of(state, &session.guard);
        slot_colour(found.expect("a state that has a name was added").0)
    }

    #[inline]
    fn paint(session: &mut TreeSession<'_, ColourBits>, state: StateRef, colour: u8) {
        debug_assert!(colour < 1 << COLOUR_BITS);
        let (shard, position) = (shard_of(state.0), position_of(state.0));
        session.store.roots.rewrite(shard, position, &session.guard, |slot, displacement, geometry| {
            let is_it = HashAnd::<ColourBits>::is_of(slot, state.0, displacement, geometry);
            is_it.then_some(slot & !((1 << COLOUR_BITS) - 1) | u64::from(colour))
        });
    }
}
