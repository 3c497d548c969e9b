//! Words of shared memory that only one thread uses, or nobody writes, or only those who hold a certain mutex use,
//! while there are several threads.
//!
//! Memory that several threads can reach is often used by one of them alone: its part of an array, the block with the
//! arguments that it was started with. Or it was written before there were others, and is only read since. Or all who
//! use it hold the same mutex ([`guards`](crate::guards)). Accesses to such a word commute with everything that other
//! threads do, and need not be visible. Which words are such is seen in random runs before a search, assumed by the
//! search, and checked on every access: a use that does not fit refutes the assumption, as everywhere in
//! [`sharing`](crate::sharing). A word that the random runs did not see is visible.
//!
//! Accesses while there are no others do not count. A thread that has ended counts as there until it was joined: its
//! last accesses may be yet to come in another order of the same steps. Freeing a block, and leaving a part of a stack,
//! count as writing it.

use crate::access::lines;
use crate::by_address::ByAddress;
use crate::guards::{MutexSet, SeenMutexes};
use crate::layout::Region;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, FactKind, LockPlace, Sharing};
use crate::symmetry::{SeenCreations, ThreadClass, classes};
use crate::transactions::{LockOrder, without_circles};
use dampf_rv::memory::LINE_BYTES;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Memory is told apart in words of so many bytes.
const WORD_BYTES: u64 = 8;
const WORDS: usize = (LINE_BYTES as u64 / WORD_BYTES) as usize;

/// How a word is used while there are several threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Use {
    ReadOnly,
    /// By the thread in this slot alone.
    Of(u32),
    /// By threads that hold the mutex at this address.
    Guarded(u64),
}

/// Marks the number of a use that is about a mutex.
const GUARDED: u64 = 1 << 63;

impl Use {
    /// As a number, for files.
    pub fn to_number(self) -> u64 {
        match self {
            Use::ReadOnly => 0,
            Use::Of(slot) => u64::from(slot) + 1,
            Use::Guarded(mutex) => GUARDED | mutex,
        }
    }

    pub fn from_number(number: u64) -> Use {
        match number {
            0 => Use::ReadOnly,
            mutex if mutex & GUARDED != 0 => Use::Guarded(mutex & !GUARDED),
            slot => Use::Of((slot - 1) as u32),
        }
    }
}

/// How bytes are accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    Read,
    Write,
    /// By an operation that synchronises, and whose order is noticed whoever holds what; it may write.
    Synchronisation {
        writes: bool,
    },
}

impl AccessKind {
    pub fn plain(write: bool) -> AccessKind {
        if write { AccessKind::Write } else { AccessKind::Read }
    }

    fn writes(self) -> bool {
        matches!(self, AccessKind::Write | AccessKind::Synchronisation { writes: true })
    }

    fn is_plain(self) -> bool {
        !matches!(self, AccessKind::Synchronisation { .. })
    }
}

/// What was seen of a word in random runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seen {
    Read(u32),
    ReadByMany,
    Written(u32),
    Common,
}

impl Seen {
    fn and(self, other: Seen) -> Seen {
        match (self, other) {
            (one, two) if one == two => one,
            (Seen::Read(one), Seen::Written(two)) | (Seen::Written(one), Seen::Read(two)) if one == two => {
                Seen::Written(one)
            }
            (Seen::Read(_) | Seen::ReadByMany, Seen::Read(_) | Seen::ReadByMany) => Seen::ReadByMany,
            _ => Seen::Common,
        }
    }
}

/// What was seen of a word, and which mutexes were held whenever it was accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SeenWord {
    by: Seen,
    guards: MutexSet,
}

/// What was seen of all words, by their addresses.
#[derive(Clone, Default, Debug)]
pub struct SeenUses {
    words: HashMap<u64, SeenWord>,
    /// The same of blocks of the heap, by the sites that they were allocated at.
    sites: HashMap<u32, MutexSet>,
    pub mutexes: SeenMutexes,
    /// Mutexes that were acquired while others were held.
    pub acquired: LockOrder,
    /// What threads were created with.
    pub created: SeenCreations,
    /// Locks that were released while others could look at them.
    pub released: BTreeSet<LockPlace>,
    /// Where rounds of loops begin that try for a while.
    pub round_heads: BTreeSet<u64>,
}

impl SeenUses {
    fn see(&mut self, word: u64, now: SeenWord) {
        let merge = |seen: &mut SeenWord| {
            *seen = SeenWord { by: seen.by.and(now.by), guards: seen.guards & now.guards };
        };
        self.words.entry(word).and_modify(merge).or_insert(now);
    }

    fn see_site(&mut self, site: u32, guards: MutexSet) {
        self.sites.entry(site).and_modify(|seen| *seen = *seen & guards).or_insert(guards);
    }

    /// Adds what was seen in other runs.
    pub fn merge(&mut self, other: &SeenUses) {
        for (&word, &SeenWord { by, guards }) in &other.words {
            let guards = self.mutexes.adopt(guards, &other.mutexes);
            self.see(word, SeenWord { by, guards });
        }
        self.acquired.extend(&other.acquired);
        for (&began, &(count, site)) in &other.created {
            let seen = self.created.entry(began).or_insert((count, site));
            seen.0 = seen.0.max(count);
        }
        self.released.extend(&other.released);
        self.round_heads.extend(&other.round_heads);
        for (&site, &guards) in &other.sites {
            let guards = self.mutexes.adopt(guards, &other.mutexes);
            self.see_site(site, guards);
        }
    }

    /// The words that are not common, by address.
    pub fn uses(&self) -> impl Iterator<Item = (u64, Use)> {
        self.words.iter().filter_map(|(&word, &SeenWord { by, guards })| match by {
            Seen::Read(_) | Seen::ReadByMany => Some((word, Use::ReadOnly)),
            Seen::Written(slot) => Some((word, Use::Of(slot))),
            Seen::Common => self.mutexes.least(guards).map(|mutex| (word, Use::Guarded(mutex))),
        })
    }

    /// The order in which mutexes are acquired, as far as it has no circles.
    pub fn lock_order(&self) -> LockOrder {
        without_circles(&self.acquired)
    }

    /// Threads that begin with the same.
    pub fn classes(&self) -> Vec<ThreadClass> {
        classes(&self.created)
    }

    /// The mutexes that guard the blocks of sites.
    pub fn guarded_sites(&self) -> impl Iterator<Item = (u32, u64)> {
        self.sites.iter().filter_map(|(&site, &guards)| Some((site, self.mutexes.least(guards)?)))
    }
}

/// The assumed uses of the words of a line.
pub type LineUses = [Option<Use>; WORDS];

/// The assumed uses of all words, by line: looked up at every access that takes the slow way.
pub fn by_line(sharing: &Sharing) -> ByAddress<LineUses> {
    let mut lines: BTreeMap<u64, LineUses> = BTreeMap::new();
    for (&word, &using) in &sharing.uses {
        lines.entry(line_of(word)).or_default()[(word / WORD_BYTES) as usize % WORDS] = Some(using);
    }
    ByAddress::new(&lines)
}

/// The line that an address lies in.
pub fn line_of(address: u64) -> u64 {
    address & !(LINE_BYTES as u64 - 1)
}

/// The words that bytes of a line lie in.
fn words_in(mask: u64) -> impl Iterator<Item = usize> {
    (0..WORDS).filter(move |&word| mask >> (word as u64 * WORD_BYTES) & 0xff != 0)
}

/// Whether words of a region may have a use of their own. Blocks that a thread allocates for others after the first are
/// as a rule what threads hand each other, now this one and now that one; random runs would tell little about them.
fn is_told_apart(region: Option<Region>) -> bool {
    matches!(region, Some(Region::Globals | Region::Shared(0) | Region::Stack(_)))
}

impl Machine<'_> {
    /// Whether an access of the running thread to bytes of a line that others can reach is visible to them. Refutes, if
    /// it was assumed, that there is none like it.
    pub fn is_noticed(
        &mut self,
        line: u64,
        region: Option<Region>,
        mask: u64,
        kind: AccessKind,
    ) -> Result<bool, RunEnd> {
        if mask == 0 {
            return Ok(false);
        }
        let is_shared_heap = matches!(region, Some(Region::Shared(_)));
        if !self.step.others || !is_told_apart(region) && !is_shared_heap {
            return Ok(true);
        }
        let system = self.system;
        if let Some(seen) = &system.seen {
            self.see_access(&mut seen.lock().expect("nothing panics under this lock"), line, region, mask, kind);
        }
        let uses = self.system.uses.get(line).copied().unwrap_or_default();
        let mut noticed = false;
        for word in words_in(mask) {
            match uses[word] {
                None if is_shared_heap => noticed |= self.is_block_noticed(line + word as u64 * WORD_BYTES, kind)?,
                None => noticed = true,
                Some(using) if self.allows(using, kind) => {}
                Some(_) => return Err(self.refute(Fact::new(FactKind::CommonLine, line))),
            }
        }
        Ok(noticed)
    }

    fn see_access(&mut self, seen: &mut SeenUses, line: u64, region: Option<Region>, mask: u64, kind: AccessKind) {
        let running = self.threads.running;
        let by = if kind.writes() { Seen::Written(running) } else { Seen::Read(running) };
        let guards = if kind.is_plain() { self.held_of(&seen.mutexes) } else { MutexSet::default() };
        for word in words_in(mask) {
            let address = line + word as u64 * WORD_BYTES;
            if is_told_apart(region) {
                seen.see(address, SeenWord { by, guards });
            }
            if let Some((_, block)) = self.block_at(address).filter(|_| matches!(region, Some(Region::Shared(_)))) {
                seen.see_site(block.site, guards);
            }
        }
    }

    /// Whether what is assumed of a word allows an access of the running thread.
    fn allows(&self, using: Use, kind: AccessKind) -> bool {
        match using {
            Use::ReadOnly => !kind.writes(),
            Use::Of(owner) => owner == self.threads.running,
            Use::Guarded(mutex) => kind.is_plain() && self.holds_mutex(mutex),
        }
    }

    /// Whether other threads use what is at an address too, under a mutex.
    pub fn is_guarded(&mut self, address: u64) -> bool {
        let uses = self.system.uses.get(line_of(address)).copied().unwrap_or_default();
        let is_guarded_block = |machine: &mut Self| {
            let block = machine.block_at(address);
            block.is_some_and(|(_, block)| machine.system.sharing.guarded_sites.contains_key(&block.site))
        };
        match uses[(address / WORD_BYTES) as usize % WORDS] {
            Some(using) => self.step.others && matches!(using, Use::Guarded(_)),
            None => self.step.others && is_guarded_block(self),
        }
    }

    /// Whether others notice an access to a block of the heap, of which nothing is assumed word by word.
    fn is_block_noticed(&mut self, address: u64, kind: AccessKind) -> Result<bool, RunEnd> {
        if self.system.sharing.guarded_sites.is_empty() {
            return Ok(true);
        }
        let Some((_, block)) = self.block_at(address) else { return Ok(true) };
        match self.system.sharing.guarded_sites.get(&block.site) {
            None => Ok(true),
            Some(&mutex) if self.allows(Use::Guarded(mutex), kind) => Ok(false),
            Some(_) => Err(self.refute(Fact::new(FactKind::UnguardedSite, block.site))),
        }
    }

    /// The bytes of a line that the running thread may read and write without asking, of those that others can reach.
    /// `free` says whether it may do whatever it likes, but for what was assumed not to happen.
    pub fn unasked(&self, line: u64, region: Option<Region>, free: bool) -> (u64, u64) {
        let all = if free { u64::MAX } else { 0 };
        if !self.step.others {
            return (all, all);
        }
        let is_shared_heap = matches!(region, Some(Region::Shared(_)));
        if self.system.seen.is_some() || is_shared_heap && !self.system.sharing.guarded_sites.is_empty() {
            return (0, 0);
        }
        if !is_told_apart(region) {
            return (all, all);
        }
        let Some(uses) = self.system.uses.get(line) else { return (all, all) };
        let (mut read, mut write) = (0, 0);
        for (number, using) in uses.iter().enumerate() {
            let bytes = 0xff << (number as u64 * WORD_BYTES);
            match using {
                None => (read, write) = (read | all & bytes, write | all & bytes),
                // Pointers that are written where others may read them later are looked at: writes have to ask.
                Some(using) if self.allows(*using, AccessKind::Read) => read |= bytes,
                Some(_) => {}
            }
        }
        (read, write)
    }

    /// Whether others notice that bytes are no more. Refutes that they do not use them, if that was assumed.
    pub fn is_end_noticed(&mut self, address: u64, bytes: u64) -> Result<bool, RunEnd> {
        let region = Region::of(address, self.slots());
        let mut noticed = false;
        for (line, mask) in lines(address, bytes.max(1)) {
            noticed |= self.is_noticed(line, region, mask, AccessKind::Write)?;
        }
        Ok(noticed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(accesses: &[(u32, bool)]) -> Option<Use> {
        let mut seen = SeenUses::default();
        for &(slot, write) in accesses {
            let by = if write { Seen::Written(slot) } else { Seen::Read(slot) };
            seen.see(64, SeenWord { by, guards: MutexSet::default() });
        }
        let mut twice = SeenUses::default();
        twice.merge(&seen);
        twice.merge(&seen);
        assert_eq!(seen.uses().collect::<Vec<_>>(), twice.uses().collect::<Vec<_>>(), "{accesses:?}");
        seen.uses().next().map(|(_, using)| using)
    }

    #[test]
    fn a_word_is_read_or_one_threads_own_or_common() {
        assert_eq!(used(&[(1, false), (1, false)]), Some(Use::ReadOnly));
        assert_eq!(used(&[(1, false), (2, false), (0, false)]), Some(Use::ReadOnly));
        assert_eq!(used(&[(1, false), (1, true), (1, false)]), Some(Use::Of(1)));
        assert_eq!(used(&[(1, true), (1, true)]), Some(Use::Of(1)));
        assert_eq!(used(&[(1, true), (2, false)]), None);
        assert_eq!(used(&[(1, false), (2, true)]), None);
        assert_eq!(used(&[(1, false), (2, false), (1, true)]), None);
        assert_eq!(used(&[(1, false), (2, true), (2, true)]), None);
    }

    #[test]
    fn uses_are_looked_up_as_they_were_put_in() {
        let mut sharing = Sharing::new(false);
        for number in 0..1000_u64 {
            sharing.uses.insert(number * number * 8, Use::from_number(number));
        }
        let table = by_line(&sharing);
        let get = |word: u64| table.get(line_of(word)).and_then(|line| line[(word / 8 % 8) as usize]);
        for word in (0..1_000_000).step_by(8) {
            assert_eq!(get(word), sharing.uses.get(&word).copied(), "{word}");
        }
        assert!(sharing.uses.values().all(|&using| Use::from_number(using.to_number()) == using));
        assert!(by_line(&Sharing::new(false)).get(0).is_none());
    }
}
