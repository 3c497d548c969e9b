//! What the program has mapped with `mmap`, and what may be done with it: whole pages of one region.
//!
//! A mapping lies at the lowest place that fits, with a page that is nobody's behind it, so that equal sets of mappings
//! look the same however they came about. What was unmapped last rests, as a freed block does: whoever still has a
//! pointer to it is noticed.
//!
//! Invariant: stretches are sorted and disjoint, and neighbours of one mapping differ in what may be done with them.

use crate::layout::{LIBRARY_HEAP, MAPS};
use dampf_core::Word;
use std::ops::Range;

pub const PAGE_BYTES: u64 = 4096;
const PAGES: u32 = ((LIBRARY_HEAP - MAPS) / PAGE_BYTES) as u32;

/// Where a word has what may be done with the pages whose end it tells.
const RIGHTS_SHIFT: u32 = 24;
/// The words before the stretches: their number, and what was unmapped last.
const FIXED_WORDS: usize = 4;
const STRETCH_WORDS: usize = 3;

/// What may be done with pages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Rights {
    Nothing,
    Reading,
    Writing,
}

impl Rights {
    /// Those that a protection of the system's asks for. What can be written or executed can be read on most machines.
    pub fn of(protection: u64) -> Rights {
        const WRITE: u64 = 2;
        match protection {
            0 => Rights::Nothing,
            _ if protection & WRITE != 0 => Rights::Writing,
            _ => Rights::Reading,
        }
    }
}

/// Pages of one mapping that have the same rights.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stretch {
    /// Numbers of pages, from the beginning of the region.
    pub pages: Range<u32>,
    pub rights: Rights,
    /// The rights were taken away by `mprotect`; otherwise the mapping never had others.
    pub is_protected: bool,
    /// The address behind the call that made the mapping.
    pub site: Word,
}

impl Stretch {
    fn encode(&self) -> [Word; STRETCH_WORDS] {
        let rights = self.rights as Word | Word::from(self.is_protected) << 2;
        [self.pages.start, self.pages.end | rights << RIGHTS_SHIFT, self.site]
    }

    fn decode(words: &[Word]) -> Stretch {
        let rights = words[1] >> RIGHTS_SHIFT;
        Stretch {
            pages: words[0]..words[1] & ((1 << RIGHTS_SHIFT) - 1),
            rights: [Rights::Nothing, Rights::Reading, Rights::Writing][(rights & 3).min(2) as usize],
            is_protected: rights >> 2 != 0,
            site: words[2],
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mappings {
    stretches: Vec<Stretch>,
    last_unmapped: Option<Stretch>,
}

/// The pages that bytes lie in, where all of them belong to the region.
pub fn pages_of(address: u64, bytes: u64) -> Option<Range<u32>> {
    let end = address.checked_add(bytes)?;
    let lies_within = (MAPS..LIBRARY_HEAP).contains(&address) && end <= LIBRARY_HEAP;
    lies_within.then(|| page_of(address)..end.div_ceil(PAGE_BYTES) as u32 - (MAPS / PAGE_BYTES) as u32)
}

fn page_of(address: u64) -> u32 {
    ((address - MAPS) / PAGE_BYTES) as u32
}

/// The address of the first byte of a page.
pub fn address_of(page: u32) -> u64 {
    MAPS + u64::from(page) * PAGE_BYTES
}

fn overlap(one: &Range<u32>, other: &Range<u32>) -> bool {
    one.start < other.end && other.start < one.end
}

impl Mappings {
    /// The stretch that an address of the region lies in.
    pub fn at(&self, address: u64) -> Option<&Stretch> {
        let page = page_of(address);
        let after = self.stretches.partition_point(|stretch| stretch.pages.start <= page);
        self.stretches[..after].last().filter(|stretch| stretch.pages.contains(&page))
    }

    /// What was unmapped last, if an address lies in it.
    pub fn unmapped_at(&self, address: u64) -> Option<&Stretch> {
        self.last_unmapped.as_ref().filter(|stretch| stretch.pages.contains(&page_of(address)))
    }

    /// Whether all of some pages are mapped.
    pub fn cover(&self, pages: &Range<u32>) -> bool {
        let mut from = pages.start;
        for stretch in &self.stretches {
            if stretch.pages.contains(&from) {
                from = stretch.pages.end;
            }
        }
        from >= pages.end
    }

    /// Maps so many pages somewhere; the address, if there is room.
    pub fn map(&mut self, count: u32, rights: Rights, site: Word) -> Option<u64> {
        let mut start = 0_u32;
        let mut at = 0;
        loop {
            let pages = start..start.checked_add(count)?;
            if pages.end >= PAGES {
                return None;
            }
            let resting = self.last_unmapped.as_ref().map(|stretch| &stretch.pages);
            match (self.stretches.get(at).map(|stretch| &stretch.pages), resting) {
                (Some(next), _) if next.start <= pages.end => {
                    start = start.max(next.end + 1);
                    at += 1;
                }
                (_, Some(resting)) if overlap(resting, &pages) => start = resting.end,
                _ => {
                    self.stretches.insert(at, Stretch { pages, rights, is_protected: false, site });
                    return Some(address_of(start));
                }
            }
        }
    }

    /// Takes pages out of the mappings; what was there.
    fn take(&mut self, pages: &Range<u32>) -> Vec<Stretch> {
        let mut taken = Vec::new();
        let mut left = Vec::with_capacity(self.stretches.len() + 1);
        for stretch in self.stretches.drain(..) {
            let part = |pages: Range<u32>| Stretch { pages, ..stretch.clone() };
            let Range { start, end } = stretch.pages;
            let parts = [start..end.min(pages.start), start.max(pages.end)..end];
            left.extend(parts.into_iter().filter(|pages| !pages.is_empty()).map(part));
            let inside = start.max(pages.start)..end.min(pages.end);
            taken.extend((!inside.is_empty()).then(|| part(inside)));
        }
        self.stretches = left;
        taken
    }

    /// Unmaps what is mapped of some pages.
    pub fn unmap(&mut self, pages: &Range<u32>) {
        if let Some(last) = self.take(pages).pop() {
            self.last_unmapped = Some(Stretch { pages: pages.clone(), ..last });
        }
    }

    /// Gives pages that are mapped other rights.
    pub fn protect(&mut self, pages: &Range<u32>, rights: Rights) {
        let is_protected = rights != Rights::Writing;
        let changed = self.take(pages).into_iter().map(|stretch| Stretch { rights, is_protected, ..stretch });
        self.put(changed);
    }

    /// Maps pages anew that are mapped already.
    pub fn map_again(&mut self, pages: &Range<u32>, rights: Rights, site: Word) {
        self.take(pages);
        self.put([Stretch { pages: pages.clone(), rights, is_protected: false, site }]);
    }

    fn put(&mut self, stretches: impl IntoIterator<Item = Stretch>) {
        self.stretches.extend(stretches);
        self.stretches.sort_by_key(|stretch| stretch.pages.start);
        self.stretches.dedup_by(|next, before| {
            let is_same = before.pages.end == next.pages.start
                && (before.rights, before.is_protected, before.site) == (next.rights, next.is_protected, next.site);
            if is_same {
                before.pages.end = next.pages.end;
            }
            is_same
        });
    }

    pub fn encode(&self, out: &mut Vec<Word>) {
        out.push(self.stretches.len() as Word);
        out.extend(self.last_unmapped.as_ref().map_or([0; STRETCH_WORDS], Stretch::encode));
        out.extend(self.stretches.iter().flat_map(Stretch::encode));
    }

    /// Reads mappings, and returns what follows them.
    pub fn decode(words: &[Word]) -> (Mappings, &[Word]) {
        let count = words[0] as usize;
        let (stretches, rest) = words[FIXED_WORDS..].split_at(STRETCH_WORDS * count);
        let last_unmapped = Some(Stretch::decode(&words[1..FIXED_WORDS])).filter(|stretch| !stretch.pages.is_empty());
        (Mappings { stretches: stretches.chunks(STRETCH_WORDS).map(Stretch::decode).collect(), last_unmapped }, rest)
    }

    /// What follows mappings in words from elsewhere, if they begin with some that can be decoded.
    pub fn skip(words: &[Word]) -> Option<&[Word]> {
        let end = (*words.first()? as usize).checked_mul(STRETCH_WORDS)?.checked_add(FIXED_WORDS)?;
        words.get(end..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(mappings: &Mappings) -> Vec<(Range<u32>, Rights)> {
        mappings.stretches.iter().map(|stretch| (stretch.pages.clone(), stretch.rights)).collect()
    }

    #[test]
    fn mappings_are_split_and_come_together_again() {
        let mut mappings = Mappings::default();
        assert_eq!(mappings.map(8, Rights::Writing, 7), Some(MAPS));
        assert_eq!(mappings.map(1, Rights::Nothing, 8), Some(address_of(9)));
        let whole = mappings.clone();
        mappings.protect(&(2..4), Rights::Reading);
        let parts =
            [(0..2, Rights::Writing), (2..4, Rights::Reading), (4..8, Rights::Writing), (9..10, Rights::Nothing)];
        assert_eq!(told(&mappings), parts);
        assert!(mappings.cover(&(0..8)) && !mappings.cover(&(0..9)) && !mappings.cover(&(8..9)));
        let mut words = Vec::new();
        mappings.unmap(&(7..8));
        mappings.encode(&mut words);
        words.push(99);
        assert_eq!(Mappings::decode(&words), (mappings.clone(), &[99][..]));
        assert_eq!(Mappings::skip(&words), Some(&[99][..]));
        assert!(mappings.unmapped_at(address_of(7)).is_some() && mappings.at(address_of(7)).is_none());
        mappings = whole.clone();
        mappings.protect(&(2..4), Rights::Nothing);
        mappings.protect(&(1..5), Rights::Writing);
        assert_eq!(mappings, whole);
    }

    #[test]
    fn what_was_unmapped_last_rests() {
        let mut mappings = Mappings::default();
        mappings.map(2, Rights::Writing, 0);
        mappings.unmap(&(0..2));
        assert_eq!(mappings.map(1, Rights::Writing, 0), Some(address_of(2)));
        mappings.unmap(&(2..3));
        assert_eq!(mappings.map(2, Rights::Writing, 0), Some(MAPS));
        assert_eq!(mappings.map(PAGES, Rights::Writing, 0), None);
    }

    #[test]
    fn pages_are_those_of_the_region() {
        assert_eq!(pages_of(MAPS, 1), Some(0..1));
        assert_eq!(pages_of(MAPS + PAGE_BYTES, PAGE_BYTES + 1), Some(1..3));
        assert_eq!(pages_of(MAPS - 1, 2), None);
        assert_eq!(pages_of(LIBRARY_HEAP - 1, 2), None);
        assert_eq!(pages_of(MAPS, u64::MAX), None);
    }
}
