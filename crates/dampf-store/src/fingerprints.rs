//! A set of short keys: so many bytes each, in order, in a hash table that grows.
//!
//! The table is split by the first byte of a key into shards, which is why that byte is not stored. In a shard keys lie
//! at their *home*, the part of the table that corresponds to their part of all keys, or behind it: linear probing with
//! all keys ascending. A search ends at the first greater key, so that it is short though nine in ten places are in
//! use, and a shard grows by reading and writing it once from front to end.
//!
//! A shard has a lock. There are more of them than threads, and a lookup is a few dozen instructions, so threads seldom
//! meet. In return keys may have any number of bytes, which no atomic has.

use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

const SHARDS: usize = 256;
const SHARD_BITS: u32 = 8;
/// Places of the smallest shard at the start.
const FIRST_PLACES: usize = 128;
/// Room behind the last home, for keys that find no place at theirs.
const OVERFLOW_PLACES: usize = 64;
/// A place is read as eight bytes.
const PADDING: usize = 8;
const EMPTY: u64 = 0;

/// How many bits keys may have: whole bytes.
pub const KEY_BITS: std::ops::RangeInclusive<u32> = 24..=64;

pub struct Fingerprints {
    shards: Box<[Shard]>,
    /// Of a key, the first included.
    key_bits: u32,
    bytes: AtomicU64,
}

struct Shard {
    places: Mutex<Places>,
    /// Where the table begins and how many homes it has, to fetch a line without the lock: out of date at worst.
    start: AtomicPtr<u8>,
    homes: AtomicUsize,
}

/// The places of one shard.
struct Places {
    bytes: Vec<u8>,
    homes: usize,
    used: usize,
    /// Bytes of a place.
    size: usize,
}

/// A place with the key, or where it belongs.
enum Sought {
    Here,
    Belongs(usize),
}

impl Fingerprints {
    /// An empty set of keys of so many bits.
    pub fn new(key_bits: u32) -> Self {
        assert!(KEY_BITS.contains(&key_bits) && key_bits.is_multiple_of(8), "keys have 3 to 8 bytes");
        let size = (key_bits - SHARD_BITS) as usize / 8;
        // Shards are of different sizes, so that they do not grow all at once.
        let homes = |number: usize| FIRST_PLACES + FIRST_PLACES * number / (5 * SHARDS);
        let shards: Box<[Shard]> = (0..SHARDS).map(|number| Shard::new(Places::new(homes(number), size))).collect();
        let bytes = shards.iter().map(|shard| shard.lock().bytes.len() as u64).sum();
        Fingerprints { shards, key_bits, bytes: AtomicU64::new(bytes) }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub fn key_bits(&self) -> u32 {
        self.key_bits
    }

    /// The shard of a key, and what is stored of it: never what an empty place has.
    #[inline]
    fn split(&self, key: u64) -> (&Shard, u64) {
        let shard = (key >> (self.key_bits - SHARD_BITS)) as usize;
        let rest = key & ((1 << (self.key_bits - SHARD_BITS)) - 1);
        (&self.shards[shard], rest.max(EMPTY + 1))
    }

    /// Asks for the cache line of a key's home.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        let (shard, rest) = self.split(key);
        let (start, homes) = (shard.start.load(Ordering::Relaxed), shard.homes.load(Ordering::Relaxed));
        let size = (self.key_bits - SHARD_BITS) as usize / 8;
        let place = start.wrapping_add(home(rest, homes, size) * size);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: prefetching has no effect but on speed, wherever the address is.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(place.cast_const().cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = place;
    }

    /// Adds a key; whether it was not there.
    #[inline]
    pub fn insert(&self, key: u64) -> bool {
        let (shard, rest) = self.split(key);
        let mut places = shard.lock();
        loop {
            let Sought::Belongs(place) = places.seek(rest) else { return false };
            if !places.is_full() && places.put(place, rest) {
                return true;
            }
            self.grow(shard, &mut places);
        }
    }

    pub fn contains(&self, key: u64) -> bool {
        let (shard, rest) = self.split(key);
        matches!(shard.lock().seek(rest), Sought::Here)
    }

    #[cold]
    fn grow(&self, shard: &Shard, places: &mut Places) {
        let larger = places.grown();
        self.bytes.fetch_add((larger.bytes.len() - places.bytes.len()) as u64, Ordering::Relaxed);
        *places = larger;
        shard.start.store(places.bytes.as_mut_ptr(), Ordering::Relaxed);
        shard.homes.store(places.homes, Ordering::Relaxed);
    }
}

impl Shard {
    fn new(mut places: Places) -> Shard {
        let (start, homes) = (AtomicPtr::new(places.bytes.as_mut_ptr()), AtomicUsize::new(places.homes));
        Shard { places: Mutex::new(places), start, homes }
    }

    #[inline]
    fn lock(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The home of what is stored of a key: homes are in the order of keys.
#[inline]
fn home(rest: u64, homes: usize, size: usize) -> usize {
    ((u128::from(rest) * homes as u128) >> (8 * size)) as usize
}

impl Places {
    fn new(homes: usize, size: usize) -> Places {
        Places { bytes: vec![0; (homes + OVERFLOW_PLACES) * size + PADDING], homes, used: 0, size }
    }

    fn end(&self) -> usize {
        self.homes + OVERFLOW_PLACES
    }

    /// Nine places in ten are in use.
    fn is_full(&self) -> bool {
        self.used * 10 >= self.homes * 9
    }

    #[inline]
    fn at(&self, place: usize) -> u64 {
        let bytes = self.bytes[place * self.size..][..8].try_into().expect("eight bytes were taken");
        u64::from_le_bytes(bytes) & ((1 << (8 * self.size)) - 1)
    }

    #[inline]
    fn write(&mut self, place: usize, rest: u64) {
        self.bytes[place * self.size..][..self.size].copy_from_slice(&rest.to_le_bytes()[..self.size]);
    }

    #[inline]
    fn seek(&self, rest: u64) -> Sought {
        let mut place = home(rest, self.homes, self.size);
        while place < self.end() {
            match self.at(place) {
                found if found == rest => return Sought::Here,
                found if found == EMPTY || found > rest => break,
                _ => place += 1,
            }
        }
        Sought::Belongs(place)
    }

    /// Puts a key where it belongs, and those behind it one place on. False where there is no room.
    #[inline]
    fn put(&mut self, place: usize, rest: u64) -> bool {
        let Some(free) = (place..self.end()).find(|&free| self.at(free) == EMPTY) else { return false };
        self.bytes.copy_within(place * self.size..free * self.size, (place + 1) * self.size);
        self.write(place, rest);
        self.used += 1;
        true
    }

    /// The same keys in a table that is larger by a fifth, or by as much as it takes.
    fn grown(&self) -> Places {
        let mut homes = self.homes;
        loop {
            homes += homes / 5 + 1;
            let mut larger = Places::new(homes, self.size);
            let mut next = 0;
            let rests = (0..self.end()).map(|place| self.at(place)).filter(|&rest| rest != EMPTY);
            let have_room = rests.into_iter().all(|rest| {
                let place = next.max(home(rest, homes, self.size));
                next = place + 1;
                let has_room = place < larger.end();
                if has_room {
                    larger.write(place, rest);
                }
                has_room
            });
            if have_room {
                larger.used = self.used;
                return larger;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;
    use std::collections::HashSet;

    #[test]
    fn keys_of_every_size_are_kept_once() {
        for key_bits in KEY_BITS.step_by(8) {
            let (set, mut model) = (Fingerprints::new(key_bits), HashSet::new());
            for number in 0..300_000u64 {
                let key = mix(number % 250_000) >> (64 - key_bits);
                set.prefetch(key);
                assert_eq!(set.contains(key), model.contains(&key));
                assert_eq!(set.insert(key), model.insert(key), "{key_bits} bits, key {key}");
            }
            assert!(model.iter().all(|&key| set.contains(key)));
        }
    }

    #[test]
    fn keys_that_crowd_at_the_end_find_room() {
        let set = Fingerprints::new(32);
        for key in (0..3_000).map(|number| u64::from(u32::MAX) - number) {
            assert!(set.insert(key) && !set.insert(key));
        }
    }

    #[test]
    fn a_key_takes_little_more_than_its_bytes() {
        for (key_bits, bytes_max) in [(32, 4.1), (40, 5.4), (48, 6.7), (64, 9.4)] {
            let set = Fingerprints::new(key_bits);
            let mut kept = 0;
            for number in 0..1_500_000 {
                kept += u64::from(set.insert(mix(number) >> (64 - key_bits)));
                if number > 500_000 && number % 50_000 == 0 {
                    let bytes = set.bytes() as f64 / kept as f64;
                    assert!(bytes < bytes_max, "{bytes} bytes for {key_bits} bits at {number}");
                }
            }
        }
    }
}
