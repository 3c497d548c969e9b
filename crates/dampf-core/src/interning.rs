//! What tables of interned contents have in common: a compact index by hash, and places for entries that never move.

/// The first segment of places has 2^FIRST_BITS of them, and each further one as many as all before it.
const FIRST_BITS: u32 = 6;

/// The number of segments for indices of so many bits.
pub const fn segments(index_bits: u32) -> usize {
    (index_bits + 1 - FIRST_BITS) as usize
}

/// The segment of an entry, and its place there.
#[inline]
pub fn locate(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + (1 << FIRST_BITS);
    let top = 63 - shifted.leading_zeros();
    ((top - FIRST_BITS) as usize, (shifted - (1 << top)) as usize)
}

/// How many places a segment has.
pub const fn places(segment: usize) -> usize {
    1 << (FIRST_BITS as usize + segment)
}

/// From hashes to the numbers of entries, which are given in order.
///
/// Open addressing; a slot is a hash and, above it, the entry's number + 1. Zero is empty. Hashes have 32 bits, all of
/// which are kept, so that the index grows without looking at the entries again.
pub struct HashIndex {
    slots: Vec<u64>,
    len: u32,
}

impl Default for HashIndex {
    fn default() -> Self {
        HashIndex { slots: vec![0; 64], len: 0 }
    }
}

impl HashIndex {
    /// The number of entries.
    pub fn len(&self) -> u32 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn bytes(&self) -> usize {
        self.slots.len() * size_of::<u64>()
    }

    /// The entry with this hash that matches.
    #[inline]
    pub fn find(&self, hash: u32, matches: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            let entry = (slot >> 32) as u32;
            if slot as u32 == hash && matches(entry - 1) {
                return Some(entry - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds the next entry, which must not be there yet, and returns its number.
    pub fn add(&mut self, hash: u32) -> u32 {
        if (self.len as usize + 1) * 4 > self.slots.len() * 3 {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![0; old.len() * 2];
            old.into_iter().filter(|&slot| slot != 0).for_each(|slot| self.put(slot));
        }
        let new = self.add_hidden();
        self.put(u64::from(new + 1) << 32 | u64::from(hash));
        new
    }

    /// Counts an entry that is not looked for by hash.
    pub fn add_hidden(&mut self) -> u32 {
        self.len += 1;
        self.len - 1
    }

    fn put(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = slot as u32 as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}
