//! What threads have accessed since they last synchronised: races without a place to switch at every access.
//!
//! A step of a thread begins with an operation that synchronises (or is taken for one), and goes on with a *segment*:
//! plain accesses to memory that others use, which are no places to switch. A state has, beside each thread, the
//! accesses of its last segment. Two threads whose segments conflict race: both have stopped before their next
//! operation, so neither has done anything since that others could be ordered by.
//!
//! **Releases.** What a thread does for others to wait for (unlocking, posting, creating a thread, ending) is folded
//! into the step before where nobody notices when it happens. It is not folded behind an access: a thread whose
//! segment is not empty stops before it. So a segment holds no release, and what is in it is ordered before nothing
//! that another thread does until its own thread moves again. That is why every reported pair is a race.
//! Likewise nobody is moved along by another's step (a thread that waits for an end, say) as long as its segment is not
//! empty. What an operation accesses itself before it releases others is in no segment: the thread stood before it.
//!
//! **Why no race is missed.** Take a run at the finest grain, and in it the first two accesses a (of thread A) and b
//! (of thread B) that conflict and that nothing orders; a comes first. Up to b, then, all conflicting accesses are
//! ordered, so the run can be rearranged into steps: every plain access directly behind the last operation of its
//! thread. Let S be A's segment with a, and T the operations and segments that B's segment with b depends on, that
//! segment included. Nothing in T comes behind A's next operation after a: otherwise something would order a before b,
//! through a release of A's that comes behind a, and those are such operations. So T can be explored with A standing
//! behind S, or S with B standing behind its segment; both orders are among the explored ones where both are possible,
//! and one of them is where only one is. In the state behind, both segments are there. If b, say, is atomic, then it is
//! never in a segment, but B stands before it, and that counts likewise: see [`race`](crate::race).
//!
//! What a thread *observes* without being ordered by it (that a lock is held, the value of a semaphore, that time has
//! passed) counts as an order here, as it does where threads stand side by side before their accesses.
//!
//! **Why the rest is not missed either.** Without a race, plain accesses commute with everything others do before the
//! thread's next operation. So every run is equivalent to one of steps, with the same faults and the same end.
//!
//! **Memory that ends.** Freeing a block, leaving a part of a stack and the like conflict with accesses. Where such an
//! operation comes behind an access in a segment of another thread, it could as well have come before: that is reported
//! as the illegal access that it would have been. Accesses within atomic sections are compared with the segments of
//! others when they happen, like atomic ones.
//!
//! **Ending segments early** is always possible: all of the above holds for any operation, one that does nothing, too.
//! A thread that runs for long, or accesses much, is interrupted.

use crate::access::{Standing, lines};
use crate::layout::Region;
use crate::machine::Machine;
use crate::race::PendingAccess;
use crate::run_end::RunEnd;
use crate::segment_index::{Owner, SegmentIndex};
use crate::side_access::MemoryAccess;
use crate::touched::Mode;
use crate::uses::AccessKind;
use dampf_core::{FaultKind, Word};
use dampf_rv::machine::{self, Exit, Hart};

const RA: usize = 1;
const A1: usize = 11;
const A2: usize = 12;

/// A segment with more accesses than this ends.
const ACCESSES_MAX: usize = 32;

/// A segment that accesses shared memory more often than this ends, too: it may be a loop that waits.
const REPEATED_MAX: u32 = 1 << 14;

/// The words of an access in a state: where it is, how long and whether it writes, and the instruction to blame.
pub const ACCESS_WORDS: usize = 4;

/// A stretch of memory that an instruction has accessed, once or several times.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SegmentAccess {
    pub address: u64,
    pub bytes: u32,
    pub writes: bool,
    pub pc: u32,
}

impl SegmentAccess {
    pub fn end(&self) -> u64 {
        self.address + u64::from(self.bytes)
    }

    fn covers(&self, other: &SegmentAccess) -> bool {
        (self.writes || !other.writes) && self.address <= other.address && other.end() <= self.end()
    }

    /// The two as one, where they are of the same instruction and leave no gap.
    fn joined(&self, other: &SegmentAccess) -> Option<SegmentAccess> {
        let touches = self.address <= other.end() && other.address <= self.end();
        let is_alike = (self.writes, self.pc) == (other.writes, other.pc);
        let address = self.address.min(other.address);
        let bytes = u32::try_from(self.end().max(other.end()) - address).ok()?;
        (touches && is_alike).then_some(SegmentAccess { address, bytes, ..*self })
    }

    fn overlaps(&self, address: u64, bytes: u64) -> bool {
        self.address < address.saturating_add(bytes) && address < self.end()
    }
}

/// The accesses of a segment, ascending, none of which says what another says.
type Segment = Vec<SegmentAccess>;

/// The segments of all threads, by slot.
#[derive(Debug)]
pub struct Segments {
    all: Vec<Segment>,
    /// Where the segments lie that the state has.
    stored: SegmentIndex,
    /// Whether the running thread's segment has accesses, in a history too.
    has_noted: bool,
    /// How often the running thread has accessed shared memory in its segment.
    repeated: u32,
}

impl Segments {
    pub fn new(slots: usize) -> Segments {
        Segments { all: vec![Segment::new(); slots], stored: SegmentIndex::new(slots), has_noted: false, repeated: 0 }
    }

    /// A thread begins another segment.
    pub fn begin(&mut self, slot: u32) {
        self.all[slot as usize].clear();
        self.repeated = 0;
        self.has_noted = false;
    }

    pub fn of(&self, slot: u32) -> &[SegmentAccess] {
        &self.all[slot as usize]
    }

    /// Notes an access. False if there is no room.
    fn note(&mut self, slot: u32, access: SegmentAccess) -> bool {
        let segment = &mut self.all[slot as usize];
        if segment.iter().any(|known| known.covers(&access)) {
            return true;
        }
        segment.retain(|known| !access.covers(known));
        let mut access = access;
        // What it touches on both sides becomes one.
        while let Some((at, joined)) =
            segment.iter().enumerate().find_map(|(at, known)| Some((at, known.joined(&access)?)))
        {
            segment.remove(at);
            access = joined;
        }
        if segment.len() >= ACCESSES_MAX {
            return false;
        }
        let at = segment.partition_point(|known| *known < access);
        segment.insert(at, access);
        true
    }

    /// The first access of another thread to some of these bytes, with its slot. The touched threads are those whose
    /// segments may not be as the state has them.
    fn of_others(&self, slot: u32, (address, bytes): (u64, u64), touched: &[u32]) -> Option<(u32, SegmentAccess)> {
        let of = |other: u32| {
            let access = self.of(other).iter().find(|access| access.overlaps(address, bytes))?;
            (other != slot).then_some((other, *access))
        };
        match self.stored.may_have(address, bytes) {
            true => (0..self.all.len() as u32).find_map(of),
            false => touched.iter().filter_map(|&other| of(other)).min_by_key(|(other, _)| *other),
        }
    }

    /// Appends the words of a thread's segment. Their number of accesses.
    pub fn encode(&self, slot: u32, out: &mut Vec<Word>) -> Word {
        let segment = &self.all[slot as usize];
        for access in segment {
            let length = access.bytes << 1 | Word::from(access.writes);
            out.extend([access.address as Word, (access.address >> 32) as Word, length, access.pc]);
        }
        segment.len() as Word
    }

    /// Reads a thread's segment.
    pub fn decode(&mut self, slot: u32, words: &[Word]) {
        let segment = &mut self.all[slot as usize];
        segment.clear();
        segment.extend(words.chunks_exact(ACCESS_WORDS).map(|words| SegmentAccess {
            address: u64::from(words[0]) | u64::from(words[1]) << 32,
            bytes: words[2] >> 1,
            writes: words[2] & 1 == 1,
            pc: words[3],
        }));
        self.stored.replace(slot, segment);
    }
}

impl Machine<'_> {
    /// Whether plain accesses are no places to switch.
    #[inline]
    pub fn has_segments(&self) -> bool {
        self.system.has_segments
    }

    /// Whether the running thread has accessed, since it last synchronised, what others may access.
    #[inline]
    pub fn has_accessed(&self) -> bool {
        self.segments.has_noted
    }

    /// Notes a plain access of the running thread. It stops before one for which there is no room.
    fn note_access(&mut self, access: PendingAccess) -> Result<(), RunEnd> {
        self.note_touched(access.address, access.bytes, Mode::access(access.writes));
        self.check_unreleased(access.address, access.bytes)?;
        if self.has_history() {
            self.remember_access(access)?;
            self.segments.has_noted = true;
            return Ok(());
        }
        let PendingAccess { slot, address, bytes, writes, pc, .. } = access;
        let bytes = bytes.clamp(1, u64::from(u32::MAX >> 1)) as u32;
        match self.segments.note(slot, SegmentAccess { address, bytes, writes, pc: pc as u32 }) {
            true => {
                self.segments.has_noted = true;
                Ok(())
            }
            false => Err(RunEnd::Visible),
        }
    }

    /// The plain access that the next instruction of the running thread makes; none where it is or may be atomic.
    pub fn plain_access_ahead(&self, hart: &Hart) -> Option<PendingAccess> {
        let access = self.instruction_access(self.threads.running, hart.pc, |register| hart.x[register])?;
        let is_copied = !access.told_atomic && !access.writes && self.system.program.copies(hart.pc);
        (!access.atomic || is_copied).then_some(access)
    }

    /// The running thread makes an access that others can notice: a plain one is noted and goes on, any other is a
    /// place to stop at. Says whether the thread should rest a while, since it may be waiting.
    pub fn access_shared(&mut self, hart: &mut Hart) -> Result<bool, RunEnd> {
        let Some(mut access) = self.plain_access_ahead(hart) else { return Err(RunEnd::Visible) };
        access.pc = self.blamed_pc(hart);
        if !access.atomic {
            self.note_access(access)?;
        }
        let system = self.system;
        self.step.granted = true;
        let stepped = match machine::step(hart, &system.program.code, self) {
            // Whoever left the access to us has decided that it may read more than there is.
            Err(Exit::Stopped(RunEnd::PartlyValid | RunEnd::BelowStack | RunEnd::Uninitialised)) => {
                self.step_leniently(hart)
            }
            stepped => stepped,
        };
        self.step.granted = false;
        match stepped {
            Ok(()) => {
                self.segments.repeated += 1;
                Ok(self.segments.repeated >= REPEATED_MAX)
            }
            Err(Exit::Stopped(stop)) => Err(stop),
            Err(_) => Err(self.bad_access(access.address, access.bytes, access.writes)),
        }
    }

    /// The instruction of the user's that an access is to be blamed on.
    fn blamed_pc(&mut self, hart: &Hart) -> u64 {
        // Functions that copy and the like call no others.
        let caller = hart.x[RA].wrapping_sub(2);
        let is_leaf = !self.system.program.is_user_code(hart.pc) && self.is_user_line(caller);
        if is_leaf { caller } else { self.user_pc(hart) }
    }

    /// Notes the plain accesses that an operation or a system call makes besides, as far as others can notice them.
    pub fn note_side_access(&mut self, hart: &Hart, access: MemoryAccess) -> Result<(), RunEnd> {
        if self.is_free_to_access() {
            return self.note_besides(access);
        }
        if !self.is_visible(access.address, access.bytes, access.writes)? {
            return Ok(());
        }
        let pc = self.blamed_pc(hart);
        self.note_access(PendingAccess::plain(self.threads.running, access, pc))
    }

    /// A function that copies is called: what it reads is noted here, since it may read what lies around as well.
    pub fn note_copied(&mut self, hart: &Hart) -> Result<(), RunEnd> {
        let [from, bytes] = [hart.x[A1], hart.x[A2]];
        if !self.has_segments() || !self.step.others || self.is_free_to_access() {
            return Ok(());
        }
        for (line, mask) in lines(from, bytes) {
            // What is no memory the function meets itself.
            let Some(standing) = self.standing(line) else { return Ok(()) };
            if self.is_noticed(line, standing.region, standing.visible & mask, AccessKind::Read)? {
                let (first, behind) = (mask.trailing_zeros(), u64::BITS - mask.leading_zeros());
                let access = MemoryAccess::read(line + u64::from(first), u64::from(behind - first));
                let pc = self.blamed_pc(hart);
                self.note_access(PendingAccess::plain(self.threads.running, access, pc))?;
            }
        }
        Ok(())
    }

    /// Refuses to take memory away that another thread has accessed, if nothing orders the two: it may access it now.
    pub fn check_unaccessed(&mut self, address: u64, bytes: u64, kind: FaultKind, told: &str) -> Result<(), RunEnd> {
        self.end_in_history(address, bytes, kind, told)?;
        let touched = self.threads.touched();
        let Some((slot, access)) = self.segments.of_others(self.threads.running, (address, bytes), touched) else {
            return Ok(());
        };
        Err(self.told_taken(pending(slot, access), address, kind, told))
    }

    /// The fault of an access to memory that the running thread takes away from an address on.
    pub fn told_taken(&mut self, access: PendingAccess, address: u64, kind: FaultKind, told: &str) -> RunEnd {
        let place = self.place_name(access.address.max(address));
        let (me, other) = (self.thread_name(self.threads.running), self.thread_name(access.slot));
        let message = format!("{other} {} {place} while {me} {told} it", access.told());
        RunEnd::fault_of(kind, message, access.pc)
    }

    /// Refuses what the running thread has done if it took memory away which others have accessed, whatever it is.
    ///
    /// What segments have accessed was there when their threads accessed it, and after every step since: each was
    /// looked at likewise. So only accesses count to what this step has changed, and those of threads that it touched.
    pub fn check_segments(&mut self) -> Result<(), RunEnd> {
        if self.process.ended.is_some() {
            return Ok(());
        }
        let running = self.threads.running;
        let others = if self.has_changed_under_segments() {
            (0..self.slots() as u32).collect()
        } else {
            let has_segment = |slot: &u32| *slot != running && !self.segments.of(*slot).is_empty();
            let mut touched: Vec<u32> = self.threads.touched().iter().copied().filter(has_segment).collect();
            touched.sort_unstable();
            touched
        };
        for slot in others {
            if slot == running || self.segments.of(slot).is_empty() {
                continue;
            }
            self.threads.running = slot;
            let is_touched = self.threads.is_touched(slot);
            let mut accesses = self.segments.of(slot).to_vec();
            accesses.retain(|access| is_touched || self.has_changed_around(access));
            let ended = accesses.into_iter().find(|access| !self.is_still_there(access));
            let fault = ended.map(|access| self.ended_under(slot, access));
            self.threads.running = running;
            fault.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    /// Whether this step has changed which memory there is where segments have accessed some, as the state has them.
    fn has_changed_under_segments(&self) -> bool {
        let stored = &self.segments.stored;
        stored.of_several > 0
            || self.process.is_changed() && stored.of_process > 0
            || self.threads.touched().iter().any(|&slot| stored.of_threads[slot as usize] > 0)
            || self.heap.touched().iter().any(|&slot| stored.of_arenas[slot as usize] > 0)
    }

    /// Whether this step has changed which memory there is, at most, where something was accessed.
    fn has_changed_around(&self, access: &SegmentAccess) -> bool {
        Owner::of(access, self.slots()).is_none_or(|owner| match owner {
            Owner::Image => false,
            Owner::Process => self.process.is_changed(),
            Owner::Thread(slot) => self.threads.is_touched(slot),
            Owner::Arenas(slot) => self.heap.is_touched(slot),
        })
    }

    /// Whether what the running thread has accessed is there. It may have left parts of its own stack itself.
    pub fn is_still_there(&mut self, access: &SegmentAccess) -> bool {
        let is_own = Region::of(access.address, self.slots()) == Some(Region::Stack(self.threads.running));
        is_own
            || lines(access.address, access.bytes.into()).all(|(line, mask)| {
                let standing = self.standing(line);
                let there = |standing: Standing| if access.writes { standing.writable } else { standing.valid };
                standing.is_some_and(|standing| there(standing) & mask == mask)
            })
    }

    /// The fault of an access that could as well come now, when there is nothing any more.
    pub fn ended_under(&mut self, slot: u32, access: SegmentAccess) -> RunEnd {
        let bytes = u64::from(access.bytes);
        match self.bad_access(access.address, bytes, access.writes) {
            RunEnd::Fault(fault) => {
                let message = format!("{}, by {}", fault.message, self.thread_name(slot));
                RunEnd::fault_of(fault.kind, message, access.pc.into())
            }
            other => other,
        }
    }
}

/// An access of a segment as one that a thread stands before: nothing that others do comes between.
pub fn pending(slot: u32, access: SegmentAccess) -> PendingAccess {
    let SegmentAccess { address, bytes, writes, pc } = access;
    let memory = MemoryAccess { address, bytes: bytes.into(), writes };
    PendingAccess::plain(slot, memory, pc.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(address: u64, bytes: u32, writes: bool, pc: u32) -> SegmentAccess {
        SegmentAccess { address, bytes, writes, pc }
    }

    #[test]
    fn an_access_that_says_no_more_is_not_kept() {
        let mut segments = Segments::new(2);
        for (address, bytes, writes, pc) in [(8, 4, false, 1), (8, 4, true, 2), (8, 4, false, 3), (10, 2, true, 4)] {
            assert!(segments.note(1, access(address, bytes, writes, pc)));
        }
        assert_eq!(segments.of(1), [access(8, 4, true, 2)]);
        assert!(segments.of(0).is_empty());
    }

    #[test]
    fn stretches_of_one_instruction_become_one_in_any_order() {
        let mut segments = Segments::new(1);
        for address in [0, 8, 16, 4, 12] {
            assert!(segments.note(0, access(address, 4, true, 1)));
        }
        assert_eq!(segments.of(0), [access(0, 20, true, 1)]);
        assert!(segments.note(0, access(20, 4, true, 2)));
        assert_eq!(segments.of(0).len(), 2);
        assert_eq!(segments.of_others(1, (19, 1), &[0]), Some((0, access(0, 20, true, 1))));
        assert_eq!((segments.of_others(1, (24, 8), &[0]), segments.of_others(0, (0, 8), &[0])), (None, None));
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut segments = Segments::new(1);
        assert!((0..ACCESSES_MAX as u64).all(|number| segments.note(0, access(16 * number, 4, false, 1))));
        assert!(!segments.note(0, access(1 << 40, 4, false, 1)));
        assert!(segments.note(0, access(0, 4, false, 7)));
        segments.begin(0);
        assert!(segments.of(0).is_empty());
    }

    #[test]
    fn segments_are_read_as_they_were_written() {
        let mut segments = Segments::new(2);
        for (address, bytes, writes, pc) in [(1 << 41, 4, true, 7), (9, 1 << 30, false, u32::MAX)] {
            assert!(segments.note(1, access(address, bytes, writes, pc)));
        }
        let mut words = Vec::new();
        assert_eq!((segments.encode(0, &mut words), segments.encode(1, &mut words)), (0, 2));
        let mut read = Segments::new(2);
        read.decode(1, &words);
        assert_eq!(read.of(1), segments.of(1));
    }
}
