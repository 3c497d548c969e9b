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
}

const ENTRY_WORDS: usize = 12;

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
            && self.places == other.places
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
}

impl History {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// An access that a thread does not know of and that conflicts with one of its own.
    pub fn conflict(&self, slot: u32, address: u64, bytes: u64, writes: bool) -> Option<&Entry> {
        let conflicts =
            |entry: &&Entry| entry.known & bit(slot) == 0 && (entry.writes || writes) && entry.overlaps(address, bytes);
        self.entries.iter().find(conflicts)
    }

    /// The accesses that a thread does not know of.
    pub fn unknown_to(&self, slot: u32) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| !entry.is_known_to(slot))
    }

    /// A thread accesses memory plainly. False if another access had to be forgotten.
    pub fn access(&mut self, slot: u32, address: u64, bytes: u32, writes: bool, pc: u32) -> bool {
        let known = bit(slot);
        let entry = Entry { address, bytes, writes, pc, slot, known, fenced: 0, found: 0, places: Vec::new() };
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
        let known = self.entries.iter_mut().filter(|entry| entry.known & bit(slot) != 0);
        known.for_each(|entry| entry.leave(place));
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
        for entry in &mut self.entries {
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
        for entry in &mut self.entries {
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
        let known = self.entries.iter_mut().filter(|entry| entry.known & bit(from) != 0);
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
        self.tell(creator, slot);
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
            for place in entry.places.iter_mut().filter(|place| (ENDS..ENDS + u64::from(u64::BITS)).contains(*place)) {
                *place = end_of(renamed((*place - ENDS) as u32));
            }
            entry.places.sort_unstable();
        }
        self.entries.sort_unstable();
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
        out.push(self.entries.len() as Word);
        for entry in &self.entries {
            out.extend(halves(entry.address));
            out.extend([entry.bytes << 1 | Word::from(entry.writes), entry.pc, entry.slot]);
            [entry.known, entry.fenced, entry.found].into_iter().for_each(|bits| out.extend(halves(bits)));
            out.push(entry.places.len() as Word);
            entry.places.iter().for_each(|&place| out.extend(halves(place)));
        }
    }

    /// Reads a history; what is behind it, too.
    pub fn decode(words: &[Word]) -> (History, &[Word]) {
        let long = |words: &[Word]| u64::from(words[0]) | u64::from(words[1]) << 32;
        let mut rest = &words[1..];
        let mut entries = Vec::with_capacity(words[0] as usize);
        for _ in 0..words[0] {
            let places = rest[ENTRY_WORDS - 1] as usize;
            let behind = &rest[ENTRY_WORDS..];
            entries.push(Entry {
                address: long(rest),
                bytes: rest[2] >> 1,
                writes: rest[2] & 1 == 1,
                pc: rest[3],
                slot: rest[4],
                known: long(&rest[5..]),
                fenced: long(&rest[7..]),
                found: long(&rest[9..]),
                places: behind[..2 * places].chunks_exact(2).map(long).collect(),
            });
            rest = &behind[2 * places..];
        }
        (History { entries }, rest)
    }

    /// What is behind a history among words from elsewhere; none where there is no history.
    pub fn skip(words: &[Word]) -> Option<&[Word]> {
        let (&count, mut rest) = words.split_first()?;
        for _ in 0..count {
            let places = *rest.get(ENTRY_WORDS - 1)? as usize;
            rest = rest.get(ENTRY_WORDS.checked_add(places.checked_mul(2)?)?..)?;
        }
        Some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELAXED: Order = Order { acquires: false, releases: false };
    const FLAG: u64 = 0x1000;
    const DATA: u64 = 0x2000;

    fn written() -> History {
        let mut history = History::default();
        assert!(history.access(0, DATA, 4, true, 7));
        history
    }

    fn races(history: &History) -> bool {
        history.conflict(1, DATA, 4, false).is_some()
    }

    #[test]
    fn a_release_that_is_acquired_orders() {
        for (store, load, is_race) in
            [(Order::FULL, Order::FULL, false), (RELAXED, Order::FULL, true), (Order::FULL, RELAXED, true)]
        {
            let mut history = written();
            history.store(0, FLAG, store, false);
            history.load(1, FLAG, load, true);
            assert_eq!(races(&history), is_race, "{store:?} {load:?}");
            history.fence(1, Order::FULL);
            assert_eq!(races(&history), store == RELAXED, "{store:?} {load:?} and a fence");
        }
    }

    #[test]
    fn a_fence_lets_later_stores_release_what_came_before() {
        let mut history = written();
        history.fence(0, Order::FULL);
        assert!(history.access(0, DATA + 8, 4, true, 8));
        history.store(0, FLAG, RELAXED, false);
        history.load(1, FLAG, Order::FULL, true);
        assert!(!races(&history) && history.conflict(1, DATA + 8, 4, false).is_some());
    }

    #[test]
    fn updates_go_on_with_a_release_and_stores_end_it() {
        for (updates, is_race) in [(true, false), (false, true)] {
            let mut history = written();
            history.store(0, FLAG, Order::FULL, false);
            history.store(2, FLAG, RELAXED, updates);
            history.load(1, FLAG, Order::FULL, false);
            assert_eq!(races(&history), is_race);
        }
    }

    #[test]
    fn parts_of_a_variable_are_about_the_same() {
        let mut history = written();
        history.store(0, place(FLAG + 1, 1), Order::FULL, false);
        history.store(2, place(FLAG + 2, 1), RELAXED, false);
        let mut whole = history.clone();
        history.load(1, place(FLAG, 8), Order::FULL, false);
        assert!(!races(&history));
        whole.store(2, place(FLAG, 8), RELAXED, false);
        whole.load(1, place(FLAG + 1, 1), Order::FULL, false);
        assert!(races(&whole));
    }

    #[test]
    fn knowledge_travels_and_ends() {
        let mut history = written();
        history.release(0, end_of(0));
        history.begin(2, 1);
        assert!(races(&history));
        history.acquire(2, end_of(0));
        history.tell(2, 1);
        assert!(!races(&history) && history.conflict(3, DATA, 4, false).is_some());
        history.settle([1, 2].into_iter());
        assert!(history.is_empty());
    }

    #[test]
    fn whoever_waits_for_an_end_will_know() {
        let mut history = written();
        assert!(!history.foresee(1, 2) && races(&history));
        assert!(history.foresee(2, 0) && history.foresee(1, 2) && !history.foresee(1, 2));
        assert!(!races(&history));
        let mut ended = written();
        ended.release(0, end_of(0));
        ended.begin(3, 0);
        ended.release(3, end_of(3));
        assert!(!ended.foresee(1, 3), "it is another thread in the same slot");
    }

    #[test]
    fn a_later_access_that_says_as_much_is_enough() {
        let mut history = written();
        assert!(history.access(0, DATA, 8, true, 9));
        assert!(history.access(0, DATA, 4, false, 10));
        assert!(history.access(1, DATA + 8, 4, false, 9));
        history.settle([0, 1, 2].into_iter());
        assert_eq!(history.entries().len(), 3);
        assert!(history.access(0, DATA, 4, false, 11));
        assert_eq!(history.entries().iter().filter(|entry| entry.pc == 10).count(), 0);
    }

    #[test]
    fn a_history_is_read_as_it_was_written() {
        let mut history = written();
        assert!(history.access(1, 1 << 41, 16, false, u32::MAX));
        history.store(0, FLAG, Order::FULL, false);
        history.fence(1, Order::FULL);
        history.settle([0, 1, 2].into_iter());
        let mut words = Vec::new();
        history.encode(&mut words);
        words.push(77);
        assert_eq!(History::decode(&words), (history, &[77][..]));
        assert_eq!(History::skip(&words), Some(&[77][..]));
        for length in 0..words.len() - 1 {
            assert_eq!(History::skip(&words[..length]), None, "{length}");
        }
    }
}
