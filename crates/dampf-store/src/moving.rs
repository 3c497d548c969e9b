//! A shard's move to a larger table, done by all threads that need the shard.
//!
//! Positions keep their order in a table of any size, so a stretch of old buckets becomes a stretch of new ones, and
//! stretches can be moved by different threads at once without any care for each other. What does not stay within
//! its stretch (slots that stand or will stand beyond its end) is put aside and placed last, by one thread.

use crate::growing::{DISTANCES, EMPTY, Format, Geometry, SLOTS, Table};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Old buckets in a stretch: many times the greatest distance, so that little is put aside.
const STRETCH: u32 = 4096;

/// A slot of the old table and its bucket there.
type Aside = (u64, u32);

pub(crate) struct Moving<F> {
    /// Alive as long as someone helps: helpers hold guards under which they met this table.
    old: *const Table,
    /// Taken out by the thread that began the move, when all others are done.
    new: Mutex<Option<Box<Table>>>,
    lines: *const Table,
    stretches: u32,
    next: AtomicU32,
    done: AtomicU32,
    failed: AtomicBool,
    aside: Mutex<Vec<Aside>>,
    format: std::marker::PhantomData<F>,
}

// SAFETY: tables are shared between threads through atomics alone; the pointers are valid for helpers as said above.
unsafe impl<F> Send for Moving<F> {}
// SAFETY: as above.
unsafe impl<F> Sync for Moving<F> {}

impl<F: Format> Moving<F> {
    pub(crate) fn new(old: &Table, new: Box<Table>) -> Self {
        Moving {
            old,
            lines: &raw const *new,
            new: Mutex::new(Some(new)),
            stretches: old.geometry.buckets.div_ceil(STRETCH),
            next: AtomicU32::new(0),
            done: AtomicU32::new(0),
            failed: AtomicBool::new(false),
            aside: Mutex::new(Vec::new()),
            format: std::marker::PhantomData,
        }
    }

    pub(crate) fn is_from(&self, table: &Table) -> bool {
        std::ptr::eq(self.old, table)
    }

    /// Moves stretches until none is left to begin.
    pub(crate) fn help(&self) {
        loop {
            let stretch = self.next.fetch_add(1, Ordering::Relaxed);
            if stretch >= self.stretches {
                return;
            }
            // SAFETY: the caller's guard keeps the old table. The new one is not taken out before this
            // stretch is counted as done.
            let (old, new) = unsafe { (&*self.old, &*self.lines) };
            self.carry(stretch, old, new);
            // ORDERING: Release hands the new table's contents to the thread that waits for the count.
            self.done.fetch_add(1, Ordering::Release);
        }
    }

    /// Moves what is left, waits for the helpers, and yields the new table; none if a slot found no place in it.
    pub(crate) fn finish(&self) -> Option<Box<Table>> {
        self.help();
        let backoff = crossbeam_utils::Backoff::new();
        // ORDERING: Acquire pairs with the Release in `help`.
        while self.done.load(Ordering::Acquire) < self.stretches {
            backoff.snooze();
        }
        let new = self.new.lock().expect("nothing panics under this lock").take()?;
        // SAFETY: the caller, who began the move, holds a guard.
        let from = unsafe { &(*self.old).geometry };
        let mut all_placed = !self.failed.load(Ordering::Relaxed);
        for (slot, bucket) in self.aside.lock().expect("nothing panics under this lock").drain(..) {
            all_placed = all_placed && Self::place_late(&new, slot, bucket, from);
        }
        all_placed.then_some(new)
    }

    fn carry(&self, stretch: u32, old: &Table, new: &Table) {
        let buckets = stretch * STRETCH..(stretch * STRETCH).saturating_add(STRETCH).min(old.geometry.buckets);
        let own = own_buckets(&buckets, &old.geometry, &new.geometry);
        let mut filled = vec![0u8; own.len()];
        let mut aside = Vec::new();
        for bucket in buckets {
            for cell in old.bucket(bucket) {
                // ORDERING: Acquire so that what the slot refers to is passed on with the new table's Release.
                let mut slot = cell.load(Ordering::Acquire);
                if slot == EMPTY {
                    // ORDERING: as above, where a thread was faster and the slot is in use after all.
                    match cell.compare_exchange(EMPTY, F::FROZEN, Ordering::Relaxed, Ordering::Acquire) {
                        Ok(_) => break,
                        Err(winner) => slot = winner,
                    }
                }
                if slot == F::FROZEN {
                    break;
                }
                match Self::place(new, &own, &mut filled, slot, bucket, &old.geometry) {
                    Placed::Here => {}
                    Placed::Beyond => aside.push((slot, bucket)),
                    // The rest must still be frozen: threads may only insert into the next table.
                    Placed::Nowhere => self.failed.store(true, Ordering::Relaxed),
                }
            }
        }
        self.aside.lock().expect("nothing panics under this lock").append(&mut aside);
    }

    /// Puts a slot into the stretch's own buckets, of which so many slots are filled.
    #[inline]
    fn place(to: &Table, own: &Range<u32>, filled: &mut [u8], slot: u64, bucket: u32, from: &Geometry) -> Placed {
        let position = F::position(slot, bucket, from);
        let home = to.geometry.home(position);
        for displacement in 0..DISTANCES.len() as u32 {
            let bucket = to.geometry.bucket(home, displacement);
            if !own.contains(&bucket) {
                return Placed::Beyond;
            }
            let filled = &mut filled[(bucket - own.start) as usize];
            if usize::from(*filled) < SLOTS {
                let moved = F::moved(slot, position, from, &to.geometry, displacement);
                to.bucket(bucket)[usize::from(*filled)].store(moved, Ordering::Relaxed);
                *filled += 1;
                return Placed::Here;
            }
        }
        Placed::Nowhere
    }

    /// Puts a slot into a table that no other thread writes.
    fn place_late(to: &Table, slot: u64, bucket: u32, from: &Geometry) -> bool {
        let position = F::position(slot, bucket, from);
        let home = to.geometry.home(position);
        for displacement in 0..DISTANCES.len() as u32 {
            for cell in to.bucket(to.geometry.bucket(home, displacement)) {
                if cell.load(Ordering::Relaxed) == EMPTY {
                    let moved = F::moved(slot, position, from, &to.geometry, displacement);
                    cell.store(moved, Ordering::Relaxed);
                    return true;
                }
            }
        }
        false
    }
}

enum Placed {
    Here,
    Beyond,
    Nowhere,
}

/// The new buckets that are the home of slots of these old home buckets only.
fn own_buckets(buckets: &Range<u32>, old: &Geometry, new: &Geometry) -> Range<u32> {
    // The bucket at a border may be home to slots of both sides: it belongs to neither.
    let start = if buckets.start == 0 { 0 } else { new.home(old.first_position(buckets.start)) + 1 };
    let end = if buckets.end == old.buckets { new.buckets } else { new.home(old.first_position(buckets.end)) };
    start..end.max(start)
}
