//! What is known about which memory threads share.
//!
//! A step runs a thread up to its next *visible* operation. An access is invisible, and no other thread can come between, if
//! the memory belongs to the thread alone. Whether memory will ever be shared cannot be known when it is allocated, so the
//! checker assumes that a thread's stack, thread-local storage and heap blocks are private until it sees another thread
//! touch them. Then the assumption is dropped for good and the exploration begins again.
//!
//! **Why the verdict does not depend on the assumption.** Let S be what is assumed private, and suppose an exploration under S
//! ended without meeting an access by another thread to S. Every operation that the exploration treated as invisible is on
//! memory that no other thread accesses *in any run it explored*. Consider any run of the program with all interleavings, and
//! its first access by a thread other than the owner to memory in S. Up to that access all accesses to S are by owners, so they
//! commute with everything other threads do, and the run up to there can be rearranged, step by step, into one that the exploration
//! visited (the classic argument for invisible local actions: moving an owner's access to the end of the step it belongs to changes
//! neither what is read nor the order of visible operations). In that rearranged run the foreign access would have been met.
//! So there is none, and the explored graph has every visible behaviour of the program.
//!
//! Each round adds at least one allocation site or granule of a stack, of which there are finitely many.
//!
//! **Local blocks.** A heap block of a shared site is its thread's own until a pointer to it, or to something that leads to it, is written
//! where other threads can read it. Until then accesses to it are invisible. That a pointer was written is noticed for aligned words; where it
//! travels in another way, another thread's access to a block that counts as local is an assumption that has turned out wrong, like those above.
//!
//! **Releasing a lock** is treated in the same way. While a thread holds a lock, what others can do with it is wait for it; unlocking it
//! commutes with everything else they do, and can as well happen at once, at the end of the step before. Only an operation that notices
//! that the lock is held without waiting for it (a try, a timed wait, its destruction, a look at a semaphore's value) does not commute.
//! The checker assumes that there is none; when it meets one while other threads are alive, unlocking becomes visible and the exploration
//! begins again. The argument is the one above: before the first such operation of a run all unlockings commute, so a run that has one
//! can be rearranged, up to there, into one that was explored. Giving back the memory that a lock lies in does not commute either: where blocks of a
//! site are freed, or a line of a stack is left, while other threads are alive, releases of what lies there are visible.
//!
//! **The end of a thread** commutes with what others do as long as nobody asks whether it has ended without waiting for that
//! (`pthread_tryjoin_np`); it is assumed likewise. **To join a thread** makes its slot free for another one, and threads are told apart by
//! their slots. As long as only the first thread creates and joins others, whoever gets the slot comes after whoever had it. When others do that,
//! joining becomes visible: somebody may be created before, and gets another slot.

use crate::uses::{Use, line_of};
use std::collections::{BTreeMap, BTreeSet};

/// Stack and thread-local memory is assumed shared or private in units of so many bytes.
pub const GRANULE_BYTES: u64 = 64;

/// After so many searches that had to begin again nothing is assumed any more about how words are used.
const DISAPPOINTMENTS_MAX: u32 = 6;

/// A stack is left in multiples of so many bytes.
pub const UNIT_BYTES: u64 = 16;

/// Memory of threads that is not private after all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sharing {
    /// Call sites whose heap blocks are used by several threads.
    pub sites: BTreeSet<u32>,
    /// Those of them whose blocks become known to other threads in ways that are not seen.
    pub open_sites: BTreeSet<u32>,
    /// Lines of stacks and thread-local storage, by number (address / 64).
    pub granules: BTreeSet<u64>,
    /// Those call sites whose blocks are freed, and those parts of stacks that are left, while other threads live.
    pub freed_sites: BTreeSet<u32>,
    pub left_units: BTreeSet<u64>,
    /// Words that others can reach and that are not used in common all the same, by address. See [`uses`](crate::uses).
    pub uses: BTreeMap<u64, Use>,
    /// How often that turned out wrong.
    pub disappointments: u32,
    /// Some operation notices that a lock is held.
    pub locks_observed: bool,
    /// Some operation notices that a thread has not ended.
    pub ends_observed: bool,
    /// Threads besides the first create or join others.
    pub joins_observed: bool,
    /// Nothing is assumed private (`--reduce none`).
    pub everything: bool,
    /// Threads that live at the same time need so many slots.
    pub slots: usize,
}

impl Sharing {
    pub fn new(everything: bool) -> Sharing {
        Sharing {
            sites: BTreeSet::new(),
            open_sites: BTreeSet::new(),
            granules: BTreeSet::new(),
            freed_sites: BTreeSet::new(),
            left_units: BTreeSet::new(),
            uses: BTreeMap::new(),
            disappointments: 0,
            locks_observed: everything,
            ends_observed: everything,
            joins_observed: everything,
            everything,
            slots: 6,
        }
    }

    pub fn is_shared_site(&self, site: u32) -> bool {
        self.everything || self.sites.contains(&site)
    }

    /// Whether a block of a shared site is known to other threads from the beginning.
    pub fn is_open_site(&self, site: u32) -> bool {
        self.everything || self.open_sites.contains(&site)
    }

    pub fn is_shared_granule(&self, address: u64) -> bool {
        self.everything || self.granules.contains(&(address / GRANULE_BYTES))
    }
}

/// An assumption that turned out wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Lesson {
    SharedSite(u32),
    SharedGranule(u64),
    OpenSite(u32),
    LocksObserved,
    MoreSlots,
    FreedSite(u32),
    LeftUnit(u64),
    EndsObserved,
    CommonLine(u64),
    JoinsObserved,
}

impl Lesson {
    /// The lesson as numbers, for another process that checks the same program.
    pub fn to_numbers(self) -> (u8, u64) {
        match self {
            Lesson::SharedSite(site) => (0, u64::from(site)),
            Lesson::SharedGranule(address) => (1, address),
            Lesson::OpenSite(site) => (2, u64::from(site)),
            Lesson::LocksObserved => (3, 0),
            Lesson::MoreSlots => (4, 0),
            Lesson::FreedSite(site) => (5, u64::from(site)),
            Lesson::LeftUnit(address) => (6, address),
            Lesson::EndsObserved => (7, 0),
            Lesson::CommonLine(address) => (8, address),
            Lesson::JoinsObserved => (9, 0),
        }
    }

    pub fn from_numbers(kind: u8, value: u64) -> Option<Lesson> {
        Some(match kind {
            0 => Lesson::SharedSite(u32::try_from(value).ok()?),
            1 => Lesson::SharedGranule(value),
            2 => Lesson::OpenSite(u32::try_from(value).ok()?),
            3 => Lesson::LocksObserved,
            4 => Lesson::MoreSlots,
            5 => Lesson::FreedSite(u32::try_from(value).ok()?),
            6 => Lesson::LeftUnit(value),
            7 => Lesson::EndsObserved,
            8 => Lesson::CommonLine(value),
            9 => Lesson::JoinsObserved,
            _ => return None,
        })
    }
}

impl Sharing {
    pub fn learn(&mut self, lesson: Lesson) {
        match lesson {
            Lesson::SharedSite(site) => {
                self.sites.insert(site);
            }
            Lesson::SharedGranule(address) => {
                self.granules.insert(address / GRANULE_BYTES);
            }
            Lesson::OpenSite(site) => {
                self.open_sites.insert(site);
            }
            Lesson::LocksObserved => self.locks_observed = true,
            Lesson::MoreSlots => self.slots *= 2,
            Lesson::FreedSite(site) => {
                self.freed_sites.insert(site);
            }
            Lesson::LeftUnit(address) => {
                self.left_units.insert(address / UNIT_BYTES);
            }
            Lesson::EndsObserved => self.ends_observed = true,
            Lesson::JoinsObserved => self.joins_observed = true,
            Lesson::CommonLine(address) => {
                self.uses.retain(|&word, _| line_of(word) != address);
                self.disappointments += 1;
                // Random runs do not tell much about this program, and every search that has to begin again costs more than what was hoped for.
                if self.disappointments > DISAPPOINTMENTS_MAX {
                    self.uses.clear();
                }
            }
        }
    }
}
