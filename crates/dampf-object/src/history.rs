//! Who knows of which access: happens-before, for programs with atomic operations that order less than all memory.
//!
//! As long as atomic operations order everything, a thread that has seen what another did after an access comes behind
//! that access, and [`segments`](crate::segments) find all races without any history. A relaxed store publishes
//! nothing, and a relaxed load learns nothing, though the value gets from one thread to the other. Where a program has
//! such operations (which is learnt, as everything is that costs states), a state has the plain accesses that some
//! thread does not know of yet. A thread *knows* an access that happens before whatever it does next.
//!
//! Knowledge travels. A release leaves all that its thread knows at an object, an acquisition takes what is there; a
//! store that releases nothing takes away what was left there, other updates leave it (they are part of the release
//! sequence). Whoever is created knows what its creator knows; whoever joins, what the ended thread knew. A fence that
//! releases lets later stores of its thread leave what was known at the fence; one that acquires makes known what
//! earlier loads found. An access races with every conflicting one that its thread does not know of. That is the
//! definition of the languages, for runs that are sequentially consistent up to their first race.
//!
//! As with segments, releases are not folded behind an access: whoever takes from a semaphore that has enough need not
//! know of the last one that gave back, and does not if it comes first.
//!
//! What all threads know is forgotten, and so is an access behind which a later one tells as much: the form is
//! canonical, and programs that hand memory over properly have a short history. Whoever waits for the end of another
//! thread, and can do nothing else before, counts as knowing what that thread knows: it will, before it does anything.
//! Where order is not told by objects (signals, files) all that is known is made known to all, so that nothing is
//! reported that may be ordered.
//!
//! **Locks first.** Who knows of an access tells in which order critical sections came, which the memory as a rule does
//! not: that is what makes histories many. Most memory needs no such knowledge. An access is therefore noted with the
//! locks that its thread holds, and knowledge of it travels with beginnings and ends of threads alone, until that turns
//! out to be too little. Two accesses under one lock (not both for reading) are ordered by it. All else that orders is
//! left out, so fewer accesses seem ordered than are: where none conflict there is no race, and a conflict refutes that
//! locks are enough for this memory, of which everything is tracked from then on. What is noted so depends on where
//! threads are and hardly on how they got there. *A later access takes the place of an earlier one* that its thread
//! knows of, whatever the locks: whoever comes behind the later one comes behind both.

use crate::side_access::MemoryAccess;
use dampf_core::Word;

/// More accesses are not remembered; the oldest are forgotten, and races with them are not found.
const ENTRIES_MAX: usize = 1 << 12;

/// How much of an object an operation is about stands above its address.
const LENGTH_SHIFT: u32 = 56;

/// Where something is left: at an object of so many bytes. Operations on atomic variables may be about parts of others.
pub fn place(address: u64, bytes: u64) -> u64 {
    address & ((1 << LENGTH_SHIFT) - 1) | bytes.min(u8::MAX.into()) << LENGTH_SHIFT
}

/// The address of a place, and its end.
fn bounds(place: u64) -> (u64, u64) {
    let address = place & ((1 << LENGTH_SHIFT) - 1);
    (address, address + (place >> LENGTH_SHIFT).max(1))
}

fn overlap(one: u64, other: u64) -> bool {
    let ((start, end), (from, to)) = (bounds(one), bounds(other));
    start < to && from < end
}

fn covers(one: u64, other: u64) -> bool {
    let ((start, end), (from, to)) = (bounds(one), bounds(other));
    start <= from && to <= end
}

/// What stands for the order of atomic sections, and of system calls, among the addresses of objects.
pub const SECTIONS: u64 = 1;
pub const SYSTEM: u64 = 2;
/// What stands for the end of the thread in slot 0; others follow.
const ENDS: u64 = 0x100;

/// What stands for the end of a thread.
pub fn end_of(slot: u32) -> u64 {
    ENDS + u64::from(slot)
}

fn is_end(place: u64) -> bool {
    (ENDS..ENDS + u64::from(u64::BITS)).contains(&place)
}

/// A plain access that not everybody knows of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Entry {
    pub address: u64,
    pub bytes: u32,
    pub writes: bool,
    /// The instruction to blame, and the slot of the thread.
    pub pc: u32,
    pub slot: u32,
    /// The slots of the threads that know of it, as bits.
    known: u64,
    /// Those that knew of it at their last fence that releases.
    fenced: u64,
    /// Those that found it with a load, and will know of it behind a fence that acquires.
    found: u64,
    /// The objects where it was left. Ascending.
    places: Vec<u64>,
    /// The locks that its thread held, where these and beginnings and ends of threads are all that is known to order
    /// it; none where everything is tracked. Ascending.
    locks: Option<Vec<u64>>,
}

/// Marks the address of a lock that is held for reading.
pub const FOR_READING: u64 = 1 << 63;

/// Whether the same lock is held, and not by two for reading.
fn excludes(one: u64, other: u64) -> bool {
    (one ^ other) & !FOR_READING == 0 && one & other & FOR_READING == 0
}

const ENTRY_WORDS: usize = 12;
/// The numbers of entries and of locks that are held stand before them.
const HEAD_WORDS: usize = 2;
const HELD_WORDS: usize = 3;
/// The last word of an entry has the number of places, and from this bit on that of locks plus one, if these count.
const LOCKS_SHIFT: u32 = 16;

/// How many places an entry has, and how many locks.
fn lengths(word: Word) -> (usize, Option<usize>) {
    ((word & ((1 << LOCKS_SHIFT) - 1)) as usize, (word >> LOCKS_SHIFT).checked_sub(1).map(|locks| locks as usize))
}

impl Entry {
    fn end(&self) -> u64 {
        self.address + u64::from(self.bytes)
    }

    fn overlaps(&self, address: u64, bytes: u64) -> bool {
        self.address < address.saturating_add(bytes) && address < self.end()
    }

    pub fn is_known_to(&self, slot: u32) -> bool {
        self.known & bit(slot) != 0
    }

    /// Whether all that orders it is known.
    pub fn is_tracked(&self) -> bool {
        self.locks.is_none()
    }

    fn leave(&mut self, place: u64) {
        if let Err(at) = self.places.binary_search(&place) {
            self.places.insert(at, place);
        }
    }

    /// What is written in part keeps what was left at the rest.
    fn take_away(&mut self, place: u64) {
        self.places.retain(|&known| !covers(place, known));
    }

    fn is_at(&self, place: u64) -> bool {
        self.places.iter().any(|&known| overlap(known, place))
    }

    /// Whether two differ in nothing but where they are, and leave no gap.
    fn continues(&self, other: &Entry) -> bool {
        self.end() == other.address
            && (self.writes, self.pc, self.slot) == (other.writes, other.pc, other.slot)
            && (self.known, self.fenced, self.found) == (other.known, other.fenced, other.found)
            && (&self.places, &self.locks) == (&other.places, &other.locks)
            && self.bytes.checked_add(other.bytes).is_some()
    }
}

/// How an atomic operation orders memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Order {
    pub acquires: bool,
    pub releases: bool,
}

impl Order {
    pub const FULL: Order = Order { acquires: true, releases: true };

    /// From the number that the compiler gives. The upper bits are for the hardware's transactions.
    pub fn of(number: u64) -> Order {
        // Consume counts as acquire, which is what compilers make of it.
        let number = number & 0xf;
        Order { acquires: matches!(number, 1 | 2 | 4 | 5), releases: matches!(number, 3..=5) }
    }
}

fn bit(slot: u32) -> u64 {
    1 << (slot % u64::BITS)
}

/// All accesses that not everybody knows of, ascending.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct History {
    entries: Vec<Entry>,
    /// The locks that threads hold, by slot, as often as they hold them. Ascending.
    held: Vec<(u32, u64)>,
}

impl History {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// A thread has taken a lock.
    pub fn hold(&mut self, slot: u32, lock: u64) {
        let at = self.held.partition_point(|&held| held < (slot, lock));
        self.held.insert(at, (slot, lock));
    }

    /// A thread has given a lock back, whichever way it held it.
    pub fn give_back(&mut self, slot: u32, lock: u64) {
        let is_it = |&(holder, held): &(u32, u64)| holder == slot && held & !FOR_READING == lock;
        if let Some(at) = self.held.iter().position(is_it) {
            self.held.remove(at);
        }
    }

    fn locks_of(&self, slot: u32) -> impl Iterator<Item = u64> {
        self.held.iter().filter(move |&&(holder, _)| holder == slot).map(|&(_, lock)| lock)
    }

    /// An access that a thread does not know of and that conflicts with one of its own; one that is tracked, if there
    /// is one.
    pub fn conflict(&self, slot: u32, address: u64, bytes: u64, writes: bool) -> Option<&Entry> {
        let conflicts = |entry: &&Entry| {
            entry.known & bit(slot) == 0
                && (entry.writes || writes)
                && entry.overlaps(address, bytes)
                && !self.is_locked_out(slot, entry)
        };
        let mut found = self.entries.iter().filter(conflicts);
        let first = found.next()?;
        if first.is_tracked() { Some(first) } else { found.find(|entry| entry.is_tracked()).or(Some(first)) }
    }

    /// Whether a lock that a thread holds orders it behind an access of another.
    fn is_locked_out(&self, slot: u32, entry: &Entry) -> bool {
        let locks = entry.locks.as_deref().unwrap_or_default();
        !locks.is_empty() && self.locks_of(slot).any(|held| locks.iter().any(|&lock| excludes(held, lock)))
    }

    /// The accesses that a thread does not know of.
    pub fn unknown_to(&self, slot: u32) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| !entry.is_known_to(slot) && !self.is_locked_out(slot, entry))
    }

    /// A thread accesses memory plainly: everything that orders the access is tracked, or locks alone. False if another
    /// access had to be forgotten.
    pub fn access(&mut self, slot: u32, access: MemoryAccess, pc: u32, is_tracked: bool) -> bool {
        let MemoryAccess { address, bytes, writes } = access;
        let bytes = bytes.clamp(1, u64::from(u32::MAX >> 1)) as u32;
        let known = bit(slot);
        let locks = (!is_tracked).then(|| self.locks_of(slot).collect());
        let entry = Entry { address, bytes, writes, pc, slot, known, fenced: 0, found: 0, places: Vec::new(), locks };
        let says_less = |earlier: &Entry| {
            earlier.known & known != 0
                && (writes || !earlier.writes)
                && address <= earlier.address
                && earlier.end() <= entry.end()
        };
        self.entries.retain(|earlier| !says_less(earlier));
        self.entries.push(entry);
        let has_room = self.entries.len() <= ENTRIES_MAX;
        if !has_room {
            self.entries.remove(0);
        }
        has_room
    }

    /// Memory is no more, and what was done to it does not matter.
    pub fn forget(&mut self, address: u64, bytes: u64) {
        self.entries.retain(|entry| !entry.overlaps(address, bytes));
    }

    pub fn forget_entry(&mut self, forgotten: &Entry) {
        self.entries.retain(|entry| entry != forgotten);
    }

    /// A thread leaves what it knows at an object, beside what is there.
    pub fn release(&mut self, slot: u32, place: u64) {
        let is_left = |entry: &&mut Entry| entry.known & bit(slot) != 0 && (entry.is_tracked() || is_end(place));
        self.entries.iter_mut().filter(is_left).for_each(|entry| entry.leave(place));
    }

    /// A thread takes what is at an object.
    pub fn acquire(&mut self, slot: u32, place: u64) {
        let there = self.entries.iter_mut().filter(|entry| entry.is_at(place));
        there.for_each(|entry| entry.known |= bit(slot));
    }

    /// Nothing is at an object any more.
    pub fn clear(&mut self, place: u64) {
        self.entries.iter_mut().for_each(|entry| entry.take_away(place));
    }

    /// A thread reads an object atomically. What it finds without acquiring matters where there are fences.
    pub fn load(&mut self, slot: u32, place: u64, order: Order, fences: bool) {
        for entry in self.entries.iter_mut().filter(|entry| entry.is_at(place)) {
            if order.acquires {
                entry.known |= bit(slot);
            } else if fences {
                entry.found |= bit(slot);
            }
        }
    }

    /// A thread writes an object atomically: a store begins anew, an update goes on with what is there.
    pub fn store(&mut self, slot: u32, place: u64, order: Order, updates: bool) {
        for entry in self.entries.iter_mut().filter(|entry| entry.is_tracked()) {
            if !updates {
                entry.take_away(place);
            }
            let left = if order.releases { entry.known } else { entry.fenced };
            if left & bit(slot) != 0 {
                entry.leave(place);
            }
        }
    }

    /// A fence of a thread.
    pub fn fence(&mut self, slot: u32, order: Order) {
        for entry in self.entries.iter_mut().filter(|entry| entry.is_tracked()) {
            if order.acquires && entry.found & bit(slot) != 0 {
                entry.known |= bit(slot);
            }
            if order.releases && entry.known & bit(slot) != 0 {
                entry.fenced |= bit(slot);
            }
        }
    }

    /// All that one thread knows another knows, too.
    pub fn tell(&mut self, from: u32, to: u32) {
        let known = self.entries.iter_mut().filter(|entry| entry.is_tracked() && entry.known & bit(from) != 0);
        known.for_each(|entry| entry.known |= bit(to));
    }

    /// A thread waits for the end of another, and knows before it does anything else what that one knows now, or left
    /// when it ended. Whether that is news.
    pub fn foresee(&mut self, joiner: u32, joined: u32) -> bool {
        let mut is_news = false;
        for entry in self.entries.iter_mut().filter(|entry| !entry.is_known_to(joiner)) {
            if entry.is_known_to(joined) || entry.is_at(end_of(joined)) {
                entry.known |= bit(joiner);
                is_news = true;
            }
        }
        is_news
    }

    /// A thread begins in a slot, and knows what its creator knows.
    pub fn begin(&mut self, creator: u32, slot: u32) {
        for entry in &mut self.entries {
            for bits in [&mut entry.known, &mut entry.fenced, &mut entry.found] {
                *bits &= !bit(slot);
            }
        }
        self.clear(end_of(slot));
        let known = self.entries.iter_mut().filter(|entry| entry.known & bit(creator) != 0);
        known.for_each(|entry| entry.known |= bit(slot));
    }

    /// Threads get other slots.
    pub fn rename(&mut self, renamed: &dyn Fn(u32) -> u32) {
        let places = |bits: u64| {
            let slots = (0..u64::BITS).filter(|&slot| bits & bit(slot) != 0);
            slots.fold(0, |bits, slot| bits | bit(renamed(slot)))
        };
        for entry in &mut self.entries {
            entry.slot = renamed(entry.slot);
            [&mut entry.known, &mut entry.fenced, &mut entry.found].into_iter().for_each(|bits| *bits = places(*bits));
            for place in entry.places.iter_mut().filter(|place| is_end(**place)) {
                *place = end_of(renamed((*place - ENDS) as u32));
            }
            entry.places.sort_unstable();
        }
        self.entries.sort_unstable();
        self.held.iter_mut().for_each(|(slot, _)| *slot = renamed(*slot));
        self.held.sort_unstable();
    }

    /// An order of threads by what they know and did, whatever slots others have.
    pub fn compare(&self, one: u32, other: u32) -> std::cmp::Ordering {
        let told = |slot: u32| {
            let mut told: Vec<_> = self
                .entries
                .iter()
                .map(|entry| {
                    let knows = [entry.known, entry.fenced, entry.found].map(|bits| bits & bit(slot) != 0);
                    let is_left = entry.places.binary_search(&end_of(slot)).is_ok();
                    ((entry.address, entry.bytes, entry.writes, entry.pc), entry.slot == slot, knows, is_left)
                })
                .collect();
            told.sort_unstable();
            told
        };
        if self.entries.is_empty() { std::cmp::Ordering::Equal } else { told(one).cmp(&told(other)) }
    }

    /// Forgets what all these threads know, and brings the rest into its canonical form.
    pub fn settle(&mut self, alive: impl Iterator<Item = u32>) {
        let alive = alive.fold(0, |bits, slot| bits | bit(slot));
        self.entries.retain(|entry| alive & !entry.known != 0);
        for entry in &mut self.entries {
            for bits in [&mut entry.known, &mut entry.fenced, &mut entry.found] {
                *bits &= alive;
            }
            // Whoever knows of it already learns nothing by a fence.
            entry.found &= !entry.known;
        }
        self.entries.sort_unstable();
        self.entries.dedup();
        self.entries.dedup_by(|next, entry| {
            let continues = entry.continues(next);
            if continues {
                entry.bytes += next.bytes;
            }
            continues
        });
    }

    pub fn encode(&self, out: &mut Vec<Word>) {
        let halves = |value: u64| [value as Word, (value >> 32) as Word];
        out.extend([self.entries.len() as Word, self.held.len() as Word]);
        for &(slot, lock) in &self.held {
            out.push(slot);
            out.extend(halves(lock));
        }
        for entry in &self.entries {
            out.extend(halves(entry.address));
            out.extend([entry.bytes << 1 | Word::from(entry.writes), entry.pc, entry.slot]);
            [entry.known, entry.fenced, entry.found].into_iter().for_each(|bits| out.extend(halves(bits)));
            let locks = entry.locks.as_deref();
            out.push(entry.places.len() as Word | locks.map_or(0, |locks| 1 + locks.len() as Word) << LOCKS_SHIFT);
            let lists = entry.places.iter().chain(locks.unwrap_or_default());
            lists.for_each(|&place| out.extend(halves(place)));
        }
    }

    /// Reads a history; what is behind it, too.
    pub fn decode(words: &[Word]) -> (History, &[Word]) {
        let long = |words: &[Word]| u64::from(words[0]) | u64::from(words[1]) << 32;
        let (held, mut rest) = words[HEAD_WORDS..].split_at(HELD_WORDS * words[1] as usize);
        let held = held.chunks_exact(HELD_WORDS).map(|words| (words[0], long(&words[1..]))).collect();
        let mut entries = Vec::with_capacity(words[0] as usize);
        for _ in 0..words[0] {
            let (places, locks) = lengths(rest[ENTRY_WORDS - 1]);
            let behind = &rest[ENTRY_WORDS..];
            let list = |words: &[Word]| words.chunks_exact(2).map(long).collect::<Vec<u64>>();
            let behind_places = &behind[2 * places..];
            entries.push(Entry {
                address: long(rest),
                bytes: rest[2] >> 1,
                writes: rest[2] & 1 == 1,
                pc: rest[3],
                slot: rest[4],
                known: long(&rest[5..]),
                fenced: long(&rest[7..]),
                found: long(&rest[9..]),
                places: list(&behind[..2 * places]),
                locks: locks.map(|locks| list(&behind_places[..2 * locks])),
            });
            rest = &behind_places[2 * locks.unwrap_or(0)..];
        }
        (History { entries, held }, rest)
    }

    /// What is behind a history among words from elsewhere; none where there is no history.
    pub fn skip(words: &[Word]) -> Option<&[Word]> {
        let &[count, held] = words.get(..HEAD_WORDS)? else { return None };
        let mut rest = words.get(HEAD_WORDS.checked_add(HELD_WORDS.checked_mul(held as usize)?)?..)?;
        for _ in 0..count {
            let (places, locks) = lengths(*rest.get(ENTRY_WORDS - 1)?);
            rest = rest.get(ENTRY_WORDS + 2 * (places + locks.unwrap_or(0))..)?;
        }
        Some(rest)
    }
}

#[cfg(test)]
mod tests;
