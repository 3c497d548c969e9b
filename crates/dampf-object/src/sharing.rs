//! What is known about which memory threads share.
//!
//! A step runs a thread up to its next *visible* operation. An access is invisible, and no other thread can come
//! between, if the memory belongs to the thread alone. Whether memory will ever be shared cannot be known when it is
//! allocated, so the checker assumes that a thread's stack, thread-local storage and heap blocks are thread-local until
//! it sees another thread touch them. Then the assumption is refuted for good and exploration restarts.
//!
//! **Why the verdict does not depend on the assumption.** Let S be what is assumed thread-local, and suppose an
//! exploration under S ended without meeting an access by another thread to S. Every operation that the exploration
//! treated as invisible is on memory that no other thread accesses *in any run it explored*. Consider any run of the
//! program with all interleavings, and its first access by a thread other than the owner to memory in S. Up to that
//! access all accesses to S are by owners, so they commute with everything other threads do, and the run up to there
//! can be rearranged, step by step, into one that the exploration visited (the classic argument for invisible local
//! actions: moving an owner's access to the end of the step it belongs to changes neither what is read nor the order of
//! visible operations). In that rearranged run the foreign access would have been met. So there is none, and the
//! explored graph has every visible behaviour of the program.
//!
//! Each round adds at least one fact about an allocation site or a line of a stack, of which there are finitely many.
//!
//! **Local blocks.** A heap block of a shared site is its thread's own until a pointer to it, or to something that
//! leads to it, is written where other threads can read it. Until then accesses to it are invisible. That a pointer was
//! written is noticed for aligned words; where it travels in another way, another thread's access to a block that
//! counts as local is a refuted assumption, like those above.
//!
//! **Releasing a lock** is treated in the same way. While a thread holds a lock, what others can do with it is wait for
//! it; unlocking it commutes with everything else they do, and can as well happen at once, at the end of the step
//! before. Only an operation that notices that the lock is held without waiting for it (a try, a timed wait, its
//! destruction, a look at a semaphore's value) does not commute. The checker assumes that there is none; when it meets
//! one while other threads are alive, unlocking becomes visible and exploration restarts. The argument is the one
//! above: before the first such operation of a run all unlockings commute, so a run that has one can be rearranged, up
//! to there, into one that was explored. A plain access to a lock does not commute either; locks among the globals are
//! known from random runs, so that it is met likewise. Giving back the memory that a lock lies in does not commute
//! either: where blocks of a site are freed, or a line of a stack is left, while other threads are alive, releases of
//! what lies there are visible.
//!
//! **The end of a thread** commutes with what others do as long as nobody asks whether it has ended without waiting for
//! that (`pthread_tryjoin_np`); it is assumed likewise. **To join a thread** makes its slot free for another one, and
//! threads are told apart by their slots. As long as only the first thread creates and joins others, whoever gets the
//! slot comes after whoever had it. When others do that, joining becomes visible: somebody may be created before, and
//! gets another slot.
//!
//! **A signal handler** runs between two instructions of its thread, wherever that is. As long as threads send signals
//! only to themselves it runs where they do that. Once a signal comes from elsewhere, threads that would handle one
//! stop before every instruction of the program's own code. **Cancellation** is treated in the same way: threads stop
//! before cancellation points once one thread has cancelled another.

use crate::futures::Futures;
use crate::symmetry::{CLASSES_MAX, ThreadClass};
use crate::transactions::{LockOrder, without_circles};
use crate::uses::{Use, line_of};
use crate::watch::Watch;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

/// Stack and thread-local memory is assumed shared or thread-local in lines of so many bytes.
pub const SHARED_LINE_BYTES: u64 = 64;

/// After so many searches that refuted an assumed use nothing is assumed any more about how words are used.
const REFUTED_USES_MAX: u32 = 6;

/// Of so many lines and call sites it is learnt one by one that locks alone do not order their accesses; then that is
/// assumed of none.
const TRACKED_MAX: usize = 24;

/// A stack is left in multiples of so many bytes.
pub const UNIT_BYTES: u64 = 16;

/// Room for so many threads at the same time, until more are seen.
const SLOTS: usize = 6;

/// One row says everything about an assumption that a fact of this kind refutes: its name in files, and how people are
/// told.
macro_rules! fact_kinds {
    ($($(#[$doc:meta])* $kind:ident, $name:literal, $what:literal;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum FactKind { $($(#[$doc])* $kind),* }

        impl FactKind {
            pub const ALL: &[FactKind] = &[$(FactKind::$kind),*];

            fn name(self) -> &'static str {
                match self { $(FactKind::$kind => $name),* }
            }

            /// What was assumed and is not so.
            pub fn what(self) -> &'static str {
                match self { $(FactKind::$kind => $what),* }
            }
        }
    };
}

fact_kinds! {
    /// Blocks of this call site are used by several threads.
    SharedSite, "shared-site", "threads share heap memory that was assumed thread-local";
    /// They become known to other threads in ways that are not seen.
    OpenSite, "open-site", "heap memory escapes to other threads in a way that is not seen";
    /// They are freed while other threads live.
    FreedSite, "freed-site", "heap memory with a lock is freed while other threads live";
    /// A line of a stack or of thread-local storage, by its number (address / 64).
    SharedLine, "shared-line", "threads share a stack that was assumed thread-local";
    /// A part of a stack, by its number (address / 16), is left while other threads live.
    LeftUnit, "left-unit", "a stack frame with a lock is left while other threads live";
    /// Words of this line of memory, by its address, are used otherwise than assumed.
    CommonLine, "common-line", "threads share memory that one of them was assumed to use alone";
    /// Blocks of this call site are used without the mutex that guards them.
    UnguardedSite, "unguarded-site", "threads use memory without the mutex that was assumed to guard it";
    /// Some operation tells that a lock is held without waiting for it.
    LocksObserved, "locks-observed", "an operation observes that a lock is held";
    /// This lock, a [`LockPlace`], is released without anybody noticing.
    ReleasedLock, "released-lock", "a lock is released that was not seen to be released before";
    /// Some operation tells that a thread has not ended.
    EndsObserved, "ends-observed", "an operation observes that a thread has not ended";
    /// Threads besides the first create or join others.
    JoinsObserved, "joins-observed", "threads besides the first create or join others";
    /// So many threads at the same time were too few.
    TooFewSlots, "too-few-slots", "more threads live at the same time than there was room for";
    /// Signals are sent to other threads, or by a timer, and handled there.
    SignalsSent, "signals-sent", "a signal is handled by a thread that did not send it";
    /// Atomic operations order less than all memory.
    WeakOrders, "weak-orders", "an atomic operation orders less than all memory";
    /// There are fences beside them.
    FencesUsed, "fences-used", "memory is ordered by fences";
    /// Accesses to this line of memory, by its number (address / 64), are ordered by more than locks.
    TrackedLine, "tracked-line", "accesses are not ordered by locks alone";
    /// Accesses to blocks of this call site are.
    TrackedSite, "tracked-site", "accesses to heap memory are not ordered by locks alone";
    /// Threads cancel others.
    ThreadsCancelled, "threads-cancelled", "a thread cancels another";
    /// Threads that begin in this function are told apart.
    Asymmetric, "asymmetric", "threads are told apart that were assumed interchangeable";
}

/// Something that is so in the program, and was assumed not to be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fact {
    pub kind: FactKind,
    /// A site, an address, a number; 0 where the kind says it all.
    pub value: u64,
}

/// Where a lock lies, and how many bytes it has, in one number: at an address, or at an offset in the blocks of a call
/// site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LockPlace(u64);

impl LockPlace {
    const BYTES_BITS: u32 = 8;
    const OFFSET_BITS: u32 = 23;
    const IN_BLOCKS: u64 = 1 << 63;

    /// None for one that is too large, or too far away.
    pub fn at(address: u64, bytes: u64) -> Option<LockPlace> {
        let fits = address < LockPlace::IN_BLOCKS >> LockPlace::BYTES_BITS && bytes < 1 << LockPlace::BYTES_BITS;
        fits.then_some(LockPlace(address << LockPlace::BYTES_BITS | bytes))
    }

    /// The same.
    pub fn in_blocks(site: u32, offset: u64, bytes: u64) -> Option<LockPlace> {
        let fits = offset < 1 << LockPlace::OFFSET_BITS && bytes < 1 << LockPlace::BYTES_BITS;
        let blocks = LockPlace::IN_BLOCKS | u64::from(site) << (LockPlace::OFFSET_BITS + LockPlace::BYTES_BITS);
        fits.then_some(LockPlace(blocks | offset << LockPlace::BYTES_BITS | bytes))
    }

    /// The first place among those that are told apart by offsets.
    fn base(self) -> LockPlace {
        let below = (1 << (LockPlace::OFFSET_BITS + LockPlace::BYTES_BITS)) - 1;
        LockPlace(if self.0 < LockPlace::IN_BLOCKS { 0 } else { self.0 & !below })
    }

    /// The address or offset behind the lock.
    fn end(self) -> u64 {
        let below = (1 << LockPlace::BYTES_BITS) - 1;
        ((self.0 - self.base().0) >> LockPlace::BYTES_BITS) + (self.0 & below)
    }
}

impl From<LockPlace> for u64 {
    fn from(place: LockPlace) -> u64 {
        place.0
    }
}

impl Fact {
    pub fn new(kind: FactKind, value: impl Into<u64>) -> Fact {
        Fact { kind, value: value.into() }
    }

    /// A line of text, for whoever makes the next model.
    fn write(self, out: &mut String) {
        writeln!(out, "{} {}", self.kind.name(), self.value).expect("a string takes everything");
    }

    fn read(line: &str) -> Option<Fact> {
        let (name, value) = line.split_once(' ')?;
        let kind = FactKind::ALL.iter().copied().find(|kind| kind.name() == name)?;
        Some(Fact { kind, value: value.parse().ok()? })
    }
}

/// Facts as text.
pub fn write_facts(facts: impl IntoIterator<Item = Fact>) -> String {
    let mut text = String::new();
    facts.into_iter().for_each(|fact| fact.write(&mut text));
    text
}

/// The facts in a text; whatever is none is left out.
pub fn read_facts(text: &str) -> impl Iterator<Item = Fact> {
    text.lines().filter_map(Fact::read)
}

/// What is known about which memory threads share, and what is assumed about the rest.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sharing {
    facts: BTreeSet<Fact>,
    /// Words that others can reach and that are not used in common all the same, by address. See [`uses`](crate::uses).
    pub uses: BTreeMap<u64, Use>,
    /// The mutexes that guard the blocks of call sites, by site; for blocks of which nothing else is assumed.
    pub guarded_sites: BTreeMap<u32, u64>,
    /// Steps go through the acquisition of the second mutex of a pair behind that of the first. See
    /// [`transactions`](crate::transactions).
    pub lock_order: LockOrder,
    /// Threads that were seen to begin with the same function and argument. See [`symmetry`](crate::symmetry).
    pub classes: Vec<ThreadClass>,
    /// Instructions at which rounds of loops begin that try for a while. See [`spin_counters`](crate::spin_counters).
    pub round_heads: BTreeSet<u64>,
    /// What is watched of whole runs.
    pub watch: Watch,
    /// What threads were seen to do from where they stand. See [`persistent`](crate::persistent).
    pub futures: Futures,
    /// How often searches have refuted that.
    refuted_uses: u32,
    /// Nothing is assumed thread-local (`--reduce none`).
    pub everything: bool,
    locks_observed: bool,
    has_released: bool,
    ends_observed: bool,
    joins_observed: bool,
    signals_sent: bool,
    threads_cancelled: bool,
    weak_orders: bool,
    fences: bool,
    /// Where more than locks orders accesses, in programs with a history: numbers of lines and call sites, ascending.
    tracked_lines: Vec<u64>,
    tracked_sites: Vec<u64>,
    tracks_all: bool,
    /// The numbers of the lines of stacks and thread-local storage that are shared, ascending.
    shared_lines: Vec<u64>,
    slots: usize,
}

/// What stands before the address of a word and the number of its use.
const USE: &str = "use";
/// What stands before a site and the address of the mutex that guards its blocks.
const GUARD: &str = "guard";
/// What stands before the addresses of two mutexes that are acquired in this order.
const ORDER: &str = "order";
/// What stands before what a class of threads begins with.
const CLASS: &str = "class";
/// What stands before the address of an instruction where rounds begin.
const ROUND: &str = "round";

impl Sharing {
    pub fn new(everything: bool) -> Sharing {
        let mut sharing = Sharing { everything, ..Sharing::default() };
        sharing.summarise();
        sharing
    }

    /// Computes what is asked for all the time.
    fn summarise(&mut self) {
        // Whoever watches whole runs notices who holds a lock: see `watch.rs`.
        self.locks_observed = self.everything || self.watch.runs || self.knows(FactKind::LocksObserved, 0);
        let released = self.range(FactKind::ReleasedLock, 0..u64::MAX).next();
        self.has_released = released.is_some();
        self.ends_observed = self.everything || self.knows(FactKind::EndsObserved, 0);
        self.joins_observed = self.everything || self.knows(FactKind::JoinsObserved, 0);
        self.signals_sent = self.knows(FactKind::SignalsSent, 0);
        self.threads_cancelled = self.knows(FactKind::ThreadsCancelled, 0);
        self.weak_orders = self.knows(FactKind::WeakOrders, 0);
        self.fences = self.knows(FactKind::FencesUsed, 0);
        self.shared_lines = self.range(FactKind::SharedLine, 0..u64::MAX).collect();
        self.tracked_lines = self.range(FactKind::TrackedLine, 0..u64::MAX).collect();
        self.tracked_sites = self.range(FactKind::TrackedSite, 0..u64::MAX).collect();
        self.tracks_all = self.everything || self.tracked_lines.len() + self.tracked_sites.len() > TRACKED_MAX;
        let most = self.range(FactKind::TooFewSlots, 0..u64::MAX).last();
        self.slots = most.map_or(SLOTS, |too_few| 2 * too_few as usize);
        let is_told_apart = |class: &ThreadClass| self.facts.contains(&Fact::new(FactKind::Asymmetric, class.entry));
        let knows_threads = self.ends_observed || self.joins_observed || self.signals_sent || self.threads_cancelled;
        let mut classes = std::mem::take(&mut self.classes);
        classes.retain(|class| !knows_threads && !is_told_apart(class));
        self.classes = classes;
    }

    fn knows(&self, kind: FactKind, value: u64) -> bool {
        self.facts.contains(&Fact { kind, value })
    }

    /// The values in a range for which a fact of a kind is known, ascending.
    fn range(&self, kind: FactKind, values: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let bound = |value| Fact { kind, value };
        let known = (values.start < values.end).then(|| self.facts.range(bound(values.start)..bound(values.end)));
        known.into_iter().flatten().map(|fact| fact.value)
    }

    pub fn is_shared_site(&self, site: u32) -> bool {
        self.everything || self.knows(FactKind::SharedSite, site.into())
    }

    /// Whether a block of a shared site is known to other threads from the beginning.
    pub fn is_open_site(&self, site: u32) -> bool {
        self.everything || self.knows(FactKind::OpenSite, site.into())
    }

    /// Whether blocks of a site are freed while other threads live.
    pub fn is_freed_site(&self, site: u32) -> bool {
        self.knows(FactKind::FreedSite, site.into())
    }

    pub fn is_shared_line(&self, address: u64) -> bool {
        self.everything || self.shared_lines.binary_search(&(address / SHARED_LINE_BYTES)).is_ok()
    }

    /// The shared lines of stacks in a range of numbers.
    pub fn shared_lines(&self, lines: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        let first = self.shared_lines.partition_point(|&line| line < lines.start);
        self.shared_lines[first..].iter().copied().take_while(move |&line| line < lines.end)
    }

    /// Whether the part of a stack with this number is left while other threads live.
    pub fn is_left_unit(&self, unit: u64) -> bool {
        self.knows(FactKind::LeftUnit, unit)
    }

    /// Whether some operation tells that a lock is held without waiting for it.
    #[inline]
    pub fn locks_observed(&self) -> bool {
        self.locks_observed
    }

    /// Whether any lock is released without anybody noticing.
    pub fn has_released(&self) -> bool {
        self.has_released
    }

    /// Whether a lock is among those that are.
    pub fn is_released(&self, lock: LockPlace) -> bool {
        self.knows(FactKind::ReleasedLock, lock.0)
    }

    /// Whether the last lock that begins up to a place reaches as far as an address, or as an offset in the same block.
    pub fn is_of_released(&self, last: LockPlace, first: u64) -> bool {
        let lock = self.range(FactKind::ReleasedLock, last.base().0..last.0 + (1 << LockPlace::BYTES_BITS)).last();
        lock.is_some_and(|lock| LockPlace(lock).end() > first)
    }

    /// Whether some operation tells that a thread has not ended.
    #[inline]
    pub fn ends_observed(&self) -> bool {
        self.ends_observed
    }

    /// Whether threads besides the first create or join others.
    #[inline]
    pub fn joins_observed(&self) -> bool {
        self.joins_observed
    }

    /// Whether signals are sent to other threads, or by a timer.
    #[inline]
    pub fn signals_sent(&self) -> bool {
        self.signals_sent
    }

    /// Whether threads cancel others.
    #[inline]
    pub fn threads_cancelled(&self) -> bool {
        self.threads_cancelled
    }

    /// Whether atomic operations order less than all memory.
    #[inline]
    pub fn has_weak_orders(&self) -> bool {
        self.weak_orders
    }

    /// Whether memory is ordered by fences, too.
    #[inline]
    pub fn has_fences(&self) -> bool {
        self.fences
    }

    /// Whether more than locks orders accesses to some of these bytes.
    pub fn are_tracked_lines(&self, address: u64, bytes: u64) -> bool {
        let (first, last) = (address / SHARED_LINE_BYTES, address.saturating_add(bytes.max(1) - 1) / SHARED_LINE_BYTES);
        let at = self.tracked_lines.partition_point(|&line| line < first);
        self.tracks_all || self.tracked_lines.get(at).is_some_and(|&line| line <= last)
    }

    #[inline]
    pub fn has_tracked_sites(&self) -> bool {
        !self.tracked_sites.is_empty()
    }

    pub fn is_tracked_site(&self, site: u32) -> bool {
        self.tracked_sites.binary_search(&site.into()).is_ok()
    }

    /// Watches whole runs from now on, and whatever `look` has watched of them besides.
    pub fn watch<T>(&mut self, look: impl FnOnce(&mut Watch) -> T) -> T {
        self.watch.runs = true;
        let seen = look(&mut self.watch);
        self.summarise();
        seen
    }

    /// States have so many slots: those of threads, and behind them one for each class of threads.
    #[inline]
    pub fn slots(&self) -> usize {
        self.slots + self.classes.len()
    }

    /// Assumes that threads of these classes are interchangeable, as far as nothing is known to the contrary.
    pub fn assume_symmetric(&mut self, classes: Vec<ThreadClass>) {
        self.classes = classes;
        self.summarise();
    }

    /// Threads that live at the same time have so many slots.
    #[inline]
    pub fn thread_slots(&self) -> usize {
        self.slots
    }

    pub fn learn(&mut self, facts: impl IntoIterator<Item = Fact>) {
        for fact in facts {
            match fact.kind {
                FactKind::CommonLine => {
                    self.uses.retain(|&word, _| line_of(word) != fact.value);
                    self.count_refuted_use();
                }
                FactKind::UnguardedSite => {
                    self.guarded_sites.retain(|&site, _| u64::from(site) != fact.value);
                    self.count_refuted_use();
                }
                _ => {
                    self.facts.insert(fact);
                }
            }
        }
        self.summarise();
    }

    /// These locks are released without anybody noticing.
    pub fn assume_released(&mut self, locks: &BTreeSet<LockPlace>) {
        self.learn(locks.iter().map(|lock| Fact::new(FactKind::ReleasedLock, *lock)));
    }

    /// Learns all facts in a text: what a search has refuted.
    pub fn learn_text(&mut self, text: &str) {
        self.learn(read_facts(text));
        self.futures.merge(&Futures::read(text));
    }

    fn count_refuted_use(&mut self) {
        self.refuted_uses += 1;
        // Random runs do not tell much about this program, and every search that has to restart costs more than what
        // was hoped for.
        if self.refuted_uses > REFUTED_USES_MAX {
            self.uses.clear();
            self.guarded_sites.clear();
        }
    }

    /// From now on searches refute what is assumed about uses, not random runs.
    pub fn end_trials(&mut self) {
        self.refuted_uses = 0;
    }

    /// All that is known and assumed, as text that [`from_text`](Self::from_text) reads.
    pub fn to_text(&self) -> String {
        let mut text = write_facts(self.facts.iter().copied());
        for (word, using) in &self.uses {
            writeln!(text, "{USE} {word} {}", using.to_number()).expect("a string takes everything");
        }
        for (site, mutex) in &self.guarded_sites {
            writeln!(text, "{GUARD} {site} {mutex}").expect("a string takes everything");
        }
        for (held, acquired) in &self.lock_order {
            writeln!(text, "{ORDER} {held} {acquired}").expect("a string takes everything");
        }
        for ThreadClass { entry, argument, created_at } in &self.classes {
            writeln!(text, "{CLASS} {entry} {argument} {created_at}").expect("a string takes everything");
        }
        for head in &self.round_heads {
            writeln!(text, "{ROUND} {head}").expect("a string takes everything");
        }
        self.watch.write(&mut text);
        self.futures.write(&mut text);
        text
    }

    pub fn from_text(everything: bool, text: &str) -> Sharing {
        let using = |line: &str| {
            let (word, number) = line.strip_prefix(USE)?.trim_start().split_once(' ')?;
            Some((word.parse().ok()?, Use::from_number(number.parse().ok()?)))
        };
        let guard = |line: &str| {
            let (site, mutex) = line.strip_prefix(GUARD)?.trim_start().split_once(' ')?;
            Some((site.parse().ok()?, mutex.parse().ok()?))
        };
        let order = |line: &str| {
            let (held, acquired) = line.strip_prefix(ORDER)?.trim_start().split_once(' ')?;
            Some((held.parse().ok()?, acquired.parse().ok()?))
        };
        let class = |line: &str| {
            let mut numbers = line.strip_prefix(CLASS)?.split_whitespace().map(|number| number.parse().ok());
            let mut next = || numbers.next().flatten();
            let (entry, argument, created_at) = (next()?, next()?, next()?);
            Some(ThreadClass { entry, argument, created_at: u32::try_from(created_at).ok()? })
        };
        let mut sharing = Sharing::new(everything);
        sharing.watch = Watch::read(text);
        sharing.classes = text.lines().filter_map(class).take(CLASSES_MAX).collect();
        let head = |line: &str| line.strip_prefix(ROUND)?.trim_start().parse().ok();
        sharing.round_heads = text.lines().filter_map(head).collect();
        sharing.lock_order = without_circles(&text.lines().filter_map(order).collect());
        sharing.uses = text.lines().filter_map(using).collect();
        sharing.futures = Futures::read(text);
        sharing.guarded_sites = text.lines().filter_map(guard).collect();
        sharing.learn(read_facts(text));
        sharing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_reads_back_as_it_was_written() {
        let mut sharing = Sharing::new(false);
        let values = (0..).map(|number| number * 37 + 6);
        sharing.learn(FactKind::ALL.iter().zip(values).map(|(&kind, value): (_, u64)| Fact::new(kind, value)));
        sharing.learn([Fact::new(FactKind::LocksObserved, 0_u64)]);
        sharing.uses.extend([(64, Use::ReadOnly), (1 << 40, Use::Of(3)), (72, Use::Guarded(1 << 41))]);
        sharing.guarded_sites.extend([(7, 64), (u32::MAX, 1 << 41)]);
        sharing.lock_order.extend([(8, 1 << 40), (1 << 40, 3)]);
        sharing.end_trials();
        assert_eq!(Sharing::from_text(false, &sharing.to_text()), sharing);
        let mut symmetric = Sharing::new(false);
        symmetric.classes.push(ThreadClass { entry: 7, argument: 1 << 40, created_at: 9 });
        assert_eq!(Sharing::from_text(false, &symmetric.to_text()), symmetric);
        symmetric.learn([Fact::new(FactKind::Asymmetric, 7_u64)]);
        assert!(symmetric.classes.is_empty());
        assert!(sharing.locks_observed() && !sharing.ends_observed());
        let too_few = FactKind::ALL.iter().position(|kind| *kind == FactKind::TooFewSlots).expect("it is one of all");
        assert_eq!(sharing.slots(), 2 * (too_few * 37 + 6));
        assert_eq!(Sharing::from_text(false, "nonsense\nuse 1\nshared-site x\n"), Sharing::new(false));
    }

    #[test]
    fn refuted_uses_are_given_up_by_lines_and_in_the_end_all() {
        let mut sharing = Sharing::new(false);
        sharing.uses = (0..100).map(|number| (number * 32, Use::ReadOnly)).collect();
        sharing.learn([Fact::new(FactKind::CommonLine, 64_u64)]);
        assert_eq!(sharing.uses.len(), 98);
        sharing.learn((2..8_u64).map(|line| Fact::new(FactKind::CommonLine, line * 64)));
        assert!(sharing.uses.is_empty());
    }
}
