//! The table behind all stores: open addressing in cache-line buckets, lock-free, growing shard by shard.
//!
//! A slot is 64 bits and is written once, by compare-and-swap from empty. What the bits mean is up to the [`Format`];
//! the table needs to know only how to find a slot's *position*, 32 hash bits whose order is the order of the table:
//! home bucket = position * buckets >> 32. Buckets are cache lines of eight slots, tried at growing distances from the
//! home bucket ([`DISTANCES`]); the first empty slot ends the search. The distances are triangular because with
//! neighbours in order, full buckets would cluster and a table could hardly be filled beyond 80%.
//!
//! **Growth.** The table is split by hash into 16 shards that grow one by one, by a fifth, so free room is never more
//! than about a quarter and no thread waits for more than one shard's move. Shards start at staggered sizes, so that
//! they do not grow all at once. The grower freezes the empty slots of the old table, copies what is there, and
//! publishes the new table. A thread that meets a frozen slot waits for the new table; one that finds its key in the
//! old table is right at any time, because slots never change and never go away. The old memory is given back when no
//! thread can be reading it (epochs). Threads that need the shard meanwhile help to move it.
//!
//! Because positions keep their order in a table of any size, moving a shard reads and writes memory sequentially.

use crate::memory::{Memory, fetch};
use crate::moving::Moving;
use crossbeam_epoch::Guard;
use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

pub const SHARD_BITS: u32 = 4;
pub const SHARDS: usize = 1 << SHARD_BITS;
pub(crate) const SLOTS: usize = 8;
/// How far from its home, in buckets, the next place to try for a slot is. A slot's *displacement* is an index here.
/// With 32 of them, a table of any practical size can be filled to 91% before a slot finds no place.
pub(crate) const DISTANCES: [u32; 32] = {
    let mut distances = [0; 32];
    let mut next = 1;
    while next < 32 {
        distances[next] = distances[next - 1] + next as u32;
        next += 1;
    }
    distances
};
/// Buckets of the smallest shard at the start.
const FIRST_BUCKETS: u32 = 2048;
pub(crate) const EMPTY: u64 = 0;
/// How many insertions a session keeps to itself before it adds them to the shard's count.
const COUNT_BATCH: u32 = 8;

/// The shape of one table, from which formats derive what they need.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// More than the greatest distance.
    pub buckets: u32,
    /// How many low bits of a position tell the positions of one home bucket apart.
    pub position_bits: u32,
    /// 2^64 / buckets, rounded down: a multiplication instead of a division where slots are moved.
    reciprocal: u64,
}

impl Geometry {
    fn new(buckets: u32) -> Self {
        let positions_per_bucket = (1u64 << 32).div_ceil(u64::from(buckets));
        Geometry {
            buckets,
            position_bits: 64 - (positions_per_bucket - 1).leading_zeros(),
            reciprocal: u64::MAX / u64::from(buckets),
        }
    }

    #[inline]
    pub fn home(&self, position: u32) -> u32 {
        ((u64::from(position) * u64::from(self.buckets)) >> 32) as u32
    }

    /// The bucket at a displacement from a home.
    #[inline]
    pub(crate) fn bucket(&self, home: u32, displacement: u32) -> u32 {
        let bucket = home + DISTANCES[displacement as usize];
        if bucket < self.buckets { bucket } else { bucket - self.buckets }
    }

    /// The home of a slot that stands in `bucket` at a displacement.
    pub fn home_of(&self, bucket: u32, displacement: u32) -> u32 {
        let distance = DISTANCES[displacement as usize];
        if bucket >= distance { bucket - distance } else { bucket + self.buckets - distance }
    }

    /// The first position of a home bucket: home * 2^32 / buckets, rounded up.
    pub(crate) fn first_position(&self, home: u32) -> u32 {
        // The product is up to two too small.
        let dividend = u64::from(home) << 32;
        let mut first = ((u128::from(dividend) * u128::from(self.reciprocal)) >> 64) as u64;
        while first * u64::from(self.buckets) < dividend {
            first += 1;
        }
        debug_assert_eq!(first, dividend.div_ceil(u64::from(self.buckets)));
        first as u32
    }

    /// The position with these low bits (`position_bits` of them) among those of a home bucket.
    pub fn position(&self, home: u32, low_bits: u32) -> u32 {
        let first = self.first_position(home);
        let mask = ((1u64 << self.position_bits) - 1) as u32;
        first.wrapping_add(low_bits.wrapping_sub(first) & mask)
    }
}

/// What the bits of a slot mean. A slot in use is neither 0 nor `FROZEN`.
pub trait Format: Send + Sync + 'static {
    /// A value that is never a slot in use.
    const FROZEN: u64;

    /// The position of a slot that stands in `bucket`.
    fn position(slot: u64, bucket: u32, geometry: &Geometry) -> u32;

    /// The slot as it is written in a table of another geometry.
    fn moved(slot: u64, position: u32, from: &Geometry, to: &Geometry, displacement: u32) -> u64;
}

/// One bucket.
#[repr(C, align(64))]
struct Line([AtomicU64; SLOTS]);

/// One table.
pub(crate) struct Table {
    pub(crate) geometry: Geometry,
    lines: *const Line,
    _memory: Memory,
}

impl Table {
    fn allocate(buckets: u32) -> Box<Table> {
        let memory = Memory::zeroed(buckets as usize * size_of::<Line>());
        let lines = memory.start().cast_const().cast();
        Box::new(Table { geometry: Geometry::new(buckets), lines, _memory: memory })
    }

    #[inline]
    pub(crate) fn bucket(&self, bucket: u32) -> &[AtomicU64; SLOTS] {
        debug_assert!(bucket < self.geometry.buckets);
        // SAFETY: the memory holds that many lines, is aligned for them, and zeroed memory is valid atomics. It
        // is touched through this pointer only, and lives as long as `self`.
        unsafe { &(*self.lines.add(bucket as usize)).0 }
    }

    fn bytes(&self) -> u64 {
        u64::from(self.geometry.buckets) * size_of::<Line>() as u64
    }
}

struct Shard<F> {
    table: AtomicPtr<Table>,
    growing: Mutex<()>,
    /// The move that is under way, for those who wait for its end to lend a hand.
    moving: Mutex<Option<Arc<Moving<F>>>>,
}

pub struct Growing<F: Format> {
    shards: Box<[Shard<F>; SHARDS]>,
    counts: Box<[CachePadded<AtomicU64>; SHARDS]>,
    bytes: AtomicU64,
}

/// A thread's place to count insertions in before it tells the others.
pub struct Tally {
    pending: [u32; SHARDS],
}

impl Tally {
    pub fn new() -> Self {
        Tally { pending: [0; SHARDS] }
    }
}

/// What a probe ended at.
pub enum Probe {
    Found(u64),
    Inserted,
}

impl<F: Format> Growing<F> {
    pub fn new() -> Self {
        let first_size = |number: usize| FIRST_BUCKETS + (FIRST_BUCKETS / 5 * number as u32) / SHARDS as u32;
        let shards: Vec<Shard<F>> = (0..SHARDS)
            .map(|number| Shard {
                table: AtomicPtr::new(Box::into_raw(Table::allocate(first_size(number)))),
                growing: Mutex::new(()),
                moving: Mutex::new(None),
            })
            .collect();
        let bytes = shards.iter().map(|shard| {
            // SAFETY: allocated above and not shared yet.
            unsafe { (*shard.table.load(Ordering::Relaxed)).bytes() }
        });
        let bytes = bytes.sum();
        let Ok(shards) = shards.try_into() else { unreachable!("as many shards as the array has") };
        Growing {
            shards,
            counts: Box::new(std::array::from_fn(|_| CachePadded::default())),
            bytes: AtomicU64::new(bytes),
        }
    }

    #[inline]
    fn table<'g>(&self, shard: usize, _guard: &'g Guard) -> &'g Table {
        // ORDERING: Acquire pairs with the Release in `grow`: whoever sees the table sees its contents.
        let table = self.shards[shard].table.load(Ordering::Acquire);
        // SAFETY: a table that was read under a guard is not freed before the guard is released.
        unsafe { &*table }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Asks for the cache line of a position's home bucket.
    #[inline]
    pub fn prefetch(&self, shard: usize, position: u32, guard: &Guard) {
        let table = self.table(shard, guard);
        fetch(table.bucket(table.geometry.home(position)).as_ptr().cast());
    }

    /// Looks for a slot that `matches`, given the slot, its displacement and the table's geometry.
    #[inline]
    pub fn find(
        &self,
        shard: usize,
        position: u32,
        guard: &Guard,
        mut matches: impl FnMut(u64, u32, &Geometry) -> bool,
    ) -> Option<u64> {
        let table = self.table(shard, guard);
        let home = table.geometry.home(position);
        for displacement in 0..DISTANCES.len() as u32 {
            for slot in table.bucket(table.geometry.bucket(home, displacement)) {
                // ORDERING: Acquire pairs with the Release of the insertion: what a slot refers to is there.
                let slot = slot.load(Ordering::Acquire);
                if slot == EMPTY || slot == F::FROZEN {
                    // A frozen slot was empty when it froze. The key may have been added to the next table
                    // since; a reader that is told "absent" was then merely early.
                    return None;
                }
                if matches(slot, displacement, &table.geometry) {
                    return Some(slot);
                }
            }
        }
        None
    }

    /// Looks for a slot, given with its displacement and the table's geometry, for which `change` has another one, and
    /// puts that there. Neither the position nor the displacement is another. No other thread uses the table: it is the
    /// one exception to slots never being changed, for searches that have one thread.
    #[inline]
    pub fn rewrite(
        &self,
        shard: usize,
        position: u32,
        guard: &Guard,
        change: impl Fn(u64, u32, &Geometry) -> Option<u64>,
    ) {
        let table = self.table(shard, guard);
        let home = table.geometry.home(position);
        for displacement in 0..DISTANCES.len() as u32 {
            for cell in table.bucket(table.geometry.bucket(home, displacement)) {
                let slot = cell.load(Ordering::Relaxed);
                debug_assert!(slot != EMPTY && slot != F::FROZEN, "what is changed is there");
                if let Some(changed) = change(slot, displacement, &table.geometry) {
                    return cell.store(changed, Ordering::Relaxed);
                }
            }
        }
    }

    /// Looks for a slot that `matches`; where there is none, adds the one that `make` makes.
    #[inline]
    pub fn find_or_insert(
        &self,
        shard: usize,
        position: u32,
        guard: &Guard,
        tally: &mut Tally,
        mut matches: impl FnMut(u64, u32, &Geometry) -> bool,
        mut make: impl FnMut(u32, &Geometry) -> u64,
    ) -> Probe {
        loop {
            let table = self.table(shard, guard);
            match Self::probe(table, position, &mut matches, &mut make) {
                Attempt::Found(slot) => return Probe::Found(slot),
                Attempt::Inserted => {
                    self.count(shard, guard, tally);
                    return Probe::Inserted;
                }
                Attempt::Frozen => self.wait(shard, table),
                Attempt::NoRoom => self.grow(shard, table, guard),
            }
        }
    }

    #[inline]
    fn probe(
        table: &Table,
        position: u32,
        matches: &mut impl FnMut(u64, u32, &Geometry) -> bool,
        make: &mut impl FnMut(u32, &Geometry) -> u64,
    ) -> Attempt {
        let home = table.geometry.home(position);
        for displacement in 0..DISTANCES.len() as u32 {
            for cell in table.bucket(table.geometry.bucket(home, displacement)) {
                // ORDERING: Acquire as in `find`.
                let mut slot = cell.load(Ordering::Acquire);
                if slot == EMPTY {
                    let made = make(displacement, &table.geometry);
                    // ORDERING: Release publishes what the slot refers to; Acquire on failure as in `find`.
                    match cell.compare_exchange(EMPTY, made, Ordering::Release, Ordering::Acquire) {
                        Ok(_) => return Attempt::Inserted,
                        // Someone was faster, perhaps with the same key: the slot must be looked at.
                        Err(winner) => slot = winner,
                    }
                }
                if slot == F::FROZEN {
                    return Attempt::Frozen;
                }
                if matches(slot, displacement, &table.geometry) {
                    return Attempt::Found(slot);
                }
            }
        }
        Attempt::NoRoom
    }

    #[inline]
    fn count(&self, shard: usize, guard: &Guard, tally: &mut Tally) {
        tally.pending[shard] += 1;
        if tally.pending[shard] >= COUNT_BATCH {
            let pending = std::mem::take(&mut tally.pending[shard]);
            let count = self.counts[shard].fetch_add(u64::from(pending), Ordering::Relaxed) + u64::from(pending);
            let table = self.table(shard, guard);
            if count > capacity(table.geometry.buckets) {
                self.grow(shard, table, guard);
            }
        }
    }

    /// Helps to move the shard until it has another table than the frozen one.
    #[cold]
    fn wait(&self, shard: usize, frozen: &Table) {
        let shard = &self.shards[shard];
        let backoff = crossbeam_utils::Backoff::new();
        // ORDERING: Relaxed: the caller reads the pointer again with Acquire.
        while std::ptr::eq(shard.table.load(Ordering::Relaxed), frozen) {
            let moving = shard.moving.lock().expect("nothing panics under this lock").clone();
            match moving {
                // A move that began since may be that of a later table, which this thread's guard does not protect.
                Some(moving) if moving.is_from(frozen) => {
                    moving.help();
                    backoff.snooze();
                }
                _ => backoff.snooze(),
            }
        }
    }

    #[cold]
    fn grow(&self, number: usize, old: &Table, guard: &Guard) {
        let shard = &self.shards[number];
        let Ok(_only_one) = shard.growing.try_lock() else { return self.wait(number, old) };
        // ORDERING: Relaxed suffices under the lock: tables are only replaced while it is held.
        if !std::ptr::eq(shard.table.load(Ordering::Relaxed), old) {
            return;
        }
        let mut buckets = old.geometry.buckets;
        let new = loop {
            buckets += buckets / 5 + 1;
            let moving = Arc::new(Moving::<F>::new(old, Table::allocate(buckets)));
            *shard.moving.lock().expect("nothing panics under this lock") = Some(Arc::clone(&moving));
            let moved = moving.finish();
            *shard.moving.lock().expect("nothing panics under this lock") = None;
            if let Some(new) = moved {
                break new;
            }
        };
        self.bytes.fetch_add(new.bytes() - old.bytes(), Ordering::Relaxed);
        // ORDERING: Release publishes the contents of the new table.
        shard.table.store(Box::into_raw(new), Ordering::Release);
        let old = crossbeam_epoch::Shared::from(std::ptr::from_ref(old));
        // SAFETY: it came from a box and is unreachable from now on; threads that still read it hold guards.
        unsafe { guard.defer_destroy(old) };
        guard.flush();
    }

    /// Calls `visit` with every slot whose position is in the range, its bucket and the geometry, until
    /// `visit` returns false. No thread inserts meanwhile.
    pub fn for_each_between(
        &self,
        shard: usize,
        first: u32,
        last: u32,
        guard: &Guard,
        visit: &mut dyn FnMut(u64, u32, &Geometry) -> bool,
    ) -> bool {
        let table = self.table(shard, guard);
        let geometry = &table.geometry;
        let (from, to) = (geometry.home(first), geometry.home(last) + DISTANCES[DISTANCES.len() - 1]);
        // Once around at most: a bucket is not to be visited twice.
        for bucket in from..=to.min(from + geometry.buckets - 1) {
            let bucket = if bucket < geometry.buckets { bucket } else { bucket - geometry.buckets };
            for cell in table.bucket(bucket) {
                // ORDERING: Acquire as in `find`.
                let slot = cell.load(Ordering::Acquire);
                if slot == EMPTY {
                    break;
                }
                let position = F::position(slot, bucket, geometry);
                if (first..=last).contains(&position) && !visit(slot, bucket, geometry) {
                    return false;
                }
            }
        }
        true
    }
}

enum Attempt {
    Found(u64),
    Inserted,
    Frozen,
    NoRoom,
}

/// How many slots of a table may be in use before it grows: 92 in 100.
fn capacity(buckets: u32) -> u64 {
    u64::from(buckets) * SLOTS as u64 * 92 / 100
}

impl<F: Format> Drop for Growing<F> {
    fn drop(&mut self) {
        for shard in self.shards.iter_mut() {
            // SAFETY: it came from a box; no guard or reference into it outlives the exclusive borrow.
            drop(unsafe { Box::from_raw(*shard.table.get_mut()) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_known_from_its_bucket_and_low_bits() {
        let mut buckets = FIRST_BUCKETS;
        while buckets < 1 << 27 {
            let geometry = Geometry::new(buckets);
            let mask = ((1u64 << geometry.position_bits) - 1) as u32;
            let mut position = 1u32;
            for round in 0..2_000 {
                position = position.wrapping_mul(0x915f_77f5).wrapping_add(round);
                for position in [position, u32::MAX - round, round] {
                    assert_eq!(geometry.position(geometry.home(position), position & mask), position);
                    // The ends of a bucket are where rounding shows.
                    let first = geometry.position(geometry.home(position), 0).min(position);
                    assert_eq!(geometry.position(geometry.home(first), first & mask), first);
                }
            }
            // The exact first and last positions of some buckets.
            for home in (0..buckets).step_by(buckets as usize / 500 + 1) {
                let first = (u64::from(home) << 32).div_ceil(u64::from(buckets)) as u32;
                for position in [first, first.wrapping_sub(1), first + 1] {
                    assert_eq!(geometry.position(geometry.home(position), position & mask), position);
                }
            }
            buckets += buckets / 5 + 1;
        }
    }
}
