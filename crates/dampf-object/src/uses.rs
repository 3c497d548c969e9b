//! Words of shared memory that only one thread uses, or nobody writes, while there are several threads.
//!
//! Memory that several threads can reach is often used by one of them alone: its part of an array, the block with the
//! arguments that it was started with. Or it was written before there were others, and is only read since. Accesses to
//! such a word commute with everything that other threads do, and need not be visible. Which words are such is seen in
//! random runs before a search, assumed by the search, and checked on every access: a use that does not fit refutes the
//! assumption, as everywhere in [`sharing`](crate::sharing). A word that the random runs did not see is visible.
//!
//! Accesses while there are no others do not count. A thread that has ended counts as there until it was joined: its
//! last accesses may be yet to come in another order of the same steps. Freeing a block, and leaving a part of a stack,
//! count as writing it.

use crate::access::lines;
use crate::by_address::ByAddress;
use crate::layout::Region;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, FactKind, Sharing};
use dampf_rv::memory::LINE_BYTES;
use std::collections::{BTreeMap, HashMap};

/// Memory is told apart in words of so many bytes.
const WORD_BYTES: u64 = 8;
const WORDS: usize = (LINE_BYTES as u64 / WORD_BYTES) as usize;

/// How a word is used while there are several threads.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Use {
    ReadOnly,
    /// By the thread in this slot alone.
    Of(u32),
}

impl Use {
    fn allows(self, slot: u32, write: bool) -> bool {
        match self {
            Use::ReadOnly => !write,
            Use::Of(owner) => owner == slot,
        }
    }

    /// As a number, for files.
    pub fn to_number(self) -> u32 {
        match self {
            Use::ReadOnly => 0,
            Use::Of(slot) => slot + 1,
        }
    }

    pub fn from_number(number: u32) -> Use {
        number.checked_sub(1).map_or(Use::ReadOnly, Use::Of)
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

/// What was seen of all words, by their addresses.
#[derive(Clone, Default, Debug)]
pub struct SeenUses {
    words: HashMap<u64, Seen>,
}

impl SeenUses {
    fn see(&mut self, word: u64, now: Seen) {
        self.words.entry(word).and_modify(|seen| *seen = seen.and(now)).or_insert(now);
    }

    /// Adds what was seen in other runs.
    pub fn merge(&mut self, other: &SeenUses) {
        other.words.iter().for_each(|(&word, &seen)| self.see(word, seen));
    }

    /// The words that are not common, by address.
    pub fn uses(&self) -> impl Iterator<Item = (u64, Use)> {
        self.words.iter().filter_map(|(&word, &seen)| match seen {
            Seen::Read(_) | Seen::ReadByMany => Some((word, Use::ReadOnly)),
            Seen::Written(slot) => Some((word, Use::Of(slot))),
            Seen::Common => None,
        })
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
    pub fn is_noticed(&self, line: u64, region: Option<Region>, mask: u64, write: bool) -> Result<bool, RunEnd> {
        if mask == 0 {
            return Ok(false);
        }
        if !self.step.others || !is_told_apart(region) {
            return Ok(true);
        }
        if let Some(seen) = &self.system.seen {
            let mut seen = seen.lock().expect("nothing panics under this lock");
            let now = if write { Seen::Written(self.threads.running) } else { Seen::Read(self.threads.running) };
            words_in(mask).for_each(|word| seen.see(line + word as u64 * WORD_BYTES, now));
        }
        let Some(uses) = self.system.uses.get(line) else { return Ok(true) };
        let mut noticed = false;
        for word in words_in(mask) {
            match uses[word] {
                None => noticed = true,
                Some(using) if using.allows(self.threads.running, write) => {}
                Some(_) => {
                    return Err(self.refute(Fact::new(FactKind::CommonLine, line)));
                }
            }
        }
        Ok(noticed)
    }

    /// The bytes of a line that the running thread may read and write without asking, of those that others can reach.
    /// `free` says whether it may do whatever it likes, but for what was assumed not to happen.
    pub fn unasked(&self, line: u64, region: Option<Region>, free: bool) -> (u64, u64) {
        let all = if free { u64::MAX } else { 0 };
        if !self.step.others || !is_told_apart(region) {
            return (all, all);
        }
        if self.system.seen.is_some() {
            return (0, 0);
        }
        let Some(uses) = self.system.uses.get(line) else { return (all, all) };
        let (mut read, mut write) = (0, 0);
        for (number, using) in uses.iter().enumerate() {
            let bytes = 0xff << (number as u64 * WORD_BYTES);
            match using {
                None => (read, write) = (read | all & bytes, write | all & bytes),
                // Pointers that are written where others may read them later are looked at: writes have to ask.
                Some(using) if using.allows(self.threads.running, false) => read |= bytes,
                Some(_) => {}
            }
        }
        (read, write)
    }

    /// Whether others notice that bytes are no more. Refutes that they do not use them, if that was assumed.
    pub fn is_end_noticed(&self, address: u64, bytes: u64) -> Result<bool, RunEnd> {
        let region = Region::of(address, self.slots());
        let mut noticed = false;
        for (line, mask) in lines(address, bytes.max(1)) {
            noticed |= self.is_noticed(line, region, mask, true)?;
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
            seen.see(64, if write { Seen::Written(slot) } else { Seen::Read(slot) });
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
            sharing.uses.insert(number * number * 8, Use::from_number(number as u32));
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
