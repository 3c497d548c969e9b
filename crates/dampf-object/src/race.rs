//! Data races: two threads that are about to access the same memory, one of them to write it, and one not atomically.
//!
//! Both stand before their access, so nothing orders the two: this is the definition, not an approximation. Where plain
//! accesses are no places to stop at, what a thread has accessed since its last operation counts as what it stands
//! before, see [`segments`](crate::segments). Accesses
//! that are not atomic can be told from those that are only where the compiler announced the atomic ones; the plain
//! accesses of the libraries count as atomic, since the libraries implement atomics with them, but for those of
//! functions for strings and bytes.
//!
//! What a thread accesses within an atomic section it never stands before, since a section is one step. Sections
//! exclude each other, but nothing orders them with plain accesses outside: a section races with an access that another
//! thread stands before meanwhile.

use crate::happens_before;
use crate::history::Entry;
use crate::hooks::{Hook, Object};
use crate::layout::slot_of;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::segments;
use crate::side_access::MemoryAccess;
use crate::thread::Status;
use dampf_core::{Fault, FaultKind};
use dampf_rv::machine::Hart;

const RA: usize = 1;
const A0: usize = 10;

/// The access that a thread stands before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PendingAccess {
    pub slot: u32,
    pub address: u64,
    pub bytes: u64,
    pub writes: bool,
    /// It is atomic, or is taken for it because it may be.
    pub atomic: bool,
    /// It is known to be atomic.
    pub told_atomic: bool,
    /// The instruction to blame.
    pub pc: u64,
}

impl PendingAccess {
    /// An access that is certainly not atomic.
    pub fn plain(slot: u32, access: MemoryAccess, pc: u64) -> PendingAccess {
        let MemoryAccess { address, bytes, writes } = access;
        PendingAccess { slot, address, bytes, writes, atomic: false, told_atomic: false, pc }
    }

    fn end(&self) -> u64 {
        self.address + self.bytes
    }

    fn conflicts(&self, other: &PendingAccess) -> bool {
        self.slot != other.slot
            && (self.writes || other.writes)
            && !(self.atomic && other.atomic)
            && self.address < other.end()
            && other.address < self.end()
    }

    pub fn told(&self) -> &'static str {
        match (self.told_atomic, self.writes) {
            (true, true) => "atomically writes",
            (true, false) => "atomically reads",
            (false, true) => "writes",
            (false, false) => "reads",
        }
    }
}

/// Fewer accesses than this are compared with each other.
const ACCESSES_FEW: usize = 16;

/// Whether some of the accesses conflict. Where there are hundreds of threads, hardly any two access the same bytes, or
/// all of them do, in a way that is no conflict: those that overlap are looked at together, in the order of their
/// addresses.
fn has_conflict(pending: &[PendingAccess], by_address: &mut Vec<PendingAccess>) -> bool {
    let among = |group: &[PendingAccess]| {
        let others = |at: usize| &group[at + 1..];
        (0..group.len()).any(|at| others(at).iter().any(|other| other.conflicts(&group[at])))
    };
    if pending.len() < ACCESSES_FEW {
        return among(pending);
    }
    by_address.clear();
    by_address.extend_from_slice(pending);
    by_address.sort_unstable_by_key(|access| access.address);
    let mut rest = by_address.as_slice();
    while let Some(first) = rest.first() {
        let mut end = first.end();
        let overlapping = rest[1..].iter().take_while(|access| {
            let overlaps = access.address < end;
            end = end.max(access.end());
            overlaps
        });
        let (group, behind) = rest.split_at(1 + overlapping.count());
        rest = behind;
        let has = |is: fn(&PendingAccess) -> bool| group.iter().any(is);
        let is_shared = group.iter().any(|access| access.slot != first.slot);
        let may_conflict = has(|access| access.writes) && has(|access| !access.atomic);
        if is_shared && may_conflict && among(group) {
            return true;
        }
    }
    false
}

impl Machine<'_> {
    /// The access that a thread stands before, if it is one.
    pub fn pending_access(&self, slot: u32) -> Option<PendingAccess> {
        let thread = &self.threads[slot as usize];
        let hook = self.system.program.hook(thread.pc);
        (thread.status == Status::Running).then(|| self.pending_access_at(hook, slot)).flatten()
    }

    /// The same for a thread that runs, and stands before this operation or none.
    fn pending_access_at(&self, hook: Option<Hook>, slot: u32) -> Option<PendingAccess> {
        match hook {
            Some(hook) => self.pending_object_access(hook, slot),
            None => self.pending_instruction_access(slot),
        }
    }

    /// The access to its object that an operation is about to make.
    fn pending_object_access(&self, hook: Hook, slot: u32) -> Option<PendingAccess> {
        let (bytes, writes) = hook.object_access()?;
        let access = |atomic: bool, pc: u64| {
            let address = self.threads.register(slot, A0);
            Some(PendingAccess { slot, address, bytes, writes, atomic, told_atomic: atomic, pc })
        };
        let caller = self.threads.register(slot, RA).wrapping_sub(2);
        match hook.object {
            Object::None => None,
            // Nobody else may access a lock as if it were a variable.
            Object::Synchronisation { .. } => {
                access(true, caller).map(|access| PendingAccess { told_atomic: false, ..access })
            }
            Object::Atomic { .. } => access(true, caller),
            Object::PlainRead => access(false, self.threads[slot as usize].pc),
        }
    }

    fn pending_instruction_access(&self, slot: u32) -> Option<PendingAccess> {
        self.instruction_access(slot, self.threads[slot as usize].pc, |number| self.threads.register(slot, number))
    }

    /// The access that an instruction makes in a thread with these registers.
    pub fn instruction_access(&self, slot: u32, pc: u64, register: impl Fn(usize) -> u64) -> Option<PendingAccess> {
        let program = &self.system.program;
        let access = program.code.at(pc)?.memory_access()?;
        let address = register(usize::from(access.base)).wrapping_add(access.offset as i64 as u64);
        let bytes = match access.bytes {
            bytes if bytes > 1 && !access.writes && program.reads_string(pc) => self.string_part(address, bytes),
            bytes => u64::from(bytes),
        };
        let is_volatile = || self.system.options.volatile_is_atomic && program.is_volatile(address, bytes);
        let atomic = access.atomic || program.may_be_atomic(pc, access.writes) || is_volatile();
        Some(PendingAccess { slot, address, bytes, writes: access.writes, atomic, told_atomic: access.atomic, pc })
    }

    /// How much of a word belongs to the string that is read by words: up to its end.
    fn string_part(&self, address: u64, bytes: u8) -> u64 {
        let mut word = [0; 8];
        let word = &mut word[..usize::from(bytes)];
        self.memory.peek(address, word);
        word.iter().position(|&byte| byte == 0).map_or(u64::from(bytes), |end| end as u64 + 1)
    }

    /// Adds all accesses that a thread stands before.
    #[inline]
    pub fn add_pending(&self, slot: u32, pending: &mut Vec<PendingAccess>) {
        let thread = &self.threads[slot as usize];
        if thread.status != Status::Running {
            return;
        }
        let hook = self.system.program.hook(thread.pc);
        let others = pending.len();
        pending.extend(self.pending_access_at(hook, slot));
        match hook {
            Some(hook) => self.add_side_accesses(hook, slot, pending),
            None => self.add_call_access(slot, pending),
        }
        if let Some(home) = self.home(slot) {
            // What a thread of a class has for itself lies where the others have theirs.
            let mut number = 0..;
            pending.retain(|access| {
                number.next().is_some_and(|number| number < others) || slot_of(access.address) != Some(home)
            });
        }
    }

    /// Adds what a thread has accessed in its segment, which it might as well stand before.
    pub fn add_segment(&self, slot: u32, pending: &mut Vec<PendingAccess>) {
        pending.extend(self.segments.of(slot).iter().map(|&access| segments::pending(slot, access)));
    }

    /// Whether races are looked for.
    pub fn checks_races(&self) -> bool {
        self.system.checks_races()
    }

    /// The race that this state is in, if it is in one.
    pub fn race(&mut self) -> Option<Fault> {
        self.race_among(|_| true)
    }

    /// The race that the running thread has come into before a fault stopped it: what it stands before is not reached.
    pub fn race_before_fault(&mut self) -> Option<Fault> {
        let running = self.threads.running;
        self.race_among(|slot| slot != running)
    }

    /// The race among what threads have accessed, and what those stand before that are asked for.
    fn race_among(&mut self, stands: impl Fn(u32) -> bool) -> Option<Fault> {
        if !self.checks_races() || self.threads.alive(2) < 2 {
            return None;
        }
        let mut pending = std::mem::take(&mut self.scratch.pending);
        pending.clear();
        for slot in 0..self.slots() as u32 {
            if stands(slot) {
                self.add_pending(slot, &mut pending);
            }
            self.add_segment(slot, &mut pending);
        }
        let conflict = |(at, access): (usize, &PendingAccess)| {
            let other = pending[..at].iter().find(|other| other.conflicts(access))?;
            Some((*other, *access))
        };
        let found = match has_conflict(&pending, &mut self.scratch.by_address) {
            true => pending.iter().enumerate().find_map(conflict),
            false => None,
        };
        self.scratch.pending = pending;
        found.map(|(one, other)| self.told_race(one, other))
    }

    /// Notes which accesses of others the atomic section that the running thread is in would race with.
    pub fn note_section_rivals(&mut self) {
        self.scratch.section_rivals.clear();
        if !self.checks_races() || self.step.alone {
            return;
        }
        let mut rivals = std::mem::take(&mut self.scratch.section_rivals);
        let running = self.threads.running;
        for slot in (0..self.slots() as u32).filter(|&slot| slot != running) {
            self.add_pending(slot, &mut rivals);
            self.add_segment(slot, &mut rivals);
        }
        rivals.extend(self.process.history.unknown_to(running).map(happens_before::pending));
        rivals.retain(|rival| !rival.atomic && self.threads[rival.slot as usize].atomic == 0);
        self.scratch.section_rivals = rivals;
    }

    /// Whether accesses of the running thread have to be compared with those that others stand before.
    #[inline]
    pub fn has_section_rivals(&self) -> bool {
        !self.scratch.section_rivals.is_empty()
    }

    /// Refuses an access within an atomic section that races with one that another thread stands before.
    pub fn check_section_access(&mut self, address: u64, bytes: u64, writes: bool) -> Result<(), RunEnd> {
        let slot = self.threads.running;
        let access = PendingAccess::plain(slot, MemoryAccess { address, bytes, writes }, 0);
        let Some(rival) = self.scratch.section_rivals.iter().copied().find(|rival| rival.conflicts(&access)) else {
            return Ok(());
        };
        let is_it = |entry: &&Entry| happens_before::pending(entry) == rival && !entry.is_tracked();
        let untracked = self.process.history.unknown_to(slot).find(is_it).cloned();
        if let Some(earlier) = untracked {
            return Err(self.refute_locks(&earlier, address));
        }
        let place = self.place_name(address.max(rival.address));
        let (me, other) = (self.thread_name(slot), self.thread_name(rival.slot));
        let there = self.told_place(rival);
        let message =
            format!("{me} {} {place} in an atomic section while {other} {} it{there}", access.told(), rival.told());
        Err(RunEnd::fault(FaultKind::DataRace, message))
    }

    /// Where in the source an access is, for the end of a sentence.
    pub fn told_place(&mut self, access: PendingAccess) -> String {
        let hart = self.threads.take_hart(access.slot);
        let location = self.user_location(self.user_pc_of(&hart, access.pc));
        self.threads.put_hart(access.slot, hart);
        location.map_or_else(String::new, |location| format!(" at {}:{}", location.file, location.line))
    }

    fn told_race(&mut self, first: PendingAccess, second: PendingAccess) -> Fault {
        // The one that is not atomic is to blame.
        let (blamed, other) = if first.atomic { (second, first) } else { (first, second) };
        // What both access, though one may access more.
        let place = self.place_name(blamed.address.max(other.address));
        let (one, two) = (self.thread_name(blamed.slot), self.thread_name(other.slot));
        let there = self.told_place(other);
        let message = format!("{one} {} {place} while {two} {} it{there}", blamed.told(), other.told());
        let hart = self.threads.take_hart(blamed.slot);
        let pc = self.user_pc_of(&hart, blamed.pc);
        self.threads.put_hart(blamed.slot, hart);
        Fault { kind: FaultKind::DataRace, message, location: self.user_location(pc) }
    }

    fn user_pc_of(&self, hart: &Hart, pc: u64) -> u64 {
        if self.system.program.is_user_line(pc) { pc } else { self.user_pc(hart) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_found_among_few_and_many() {
        let mut seed = 7_u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (seed >> 33) % below
        };
        let (mut found, mut by_address) = ([0, 0], Vec::new());
        for round in 0..2000 {
            let pending: Vec<PendingAccess> = (0..draw(60))
                .map(|_| {
                    let (atomic, bytes) = (draw(4) > 0, 1 << draw(4));
                    let (address, writes) = (draw(1 << (4 + round % 12)) * 4, draw(8) == 0);
                    PendingAccess { slot: draw(9) as u32, address, bytes, writes, atomic, told_atomic: atomic, pc: 0 }
                })
                .collect();
            let expected = pending.iter().any(|one| pending.iter().any(|other| one.conflicts(other)));
            assert_eq!(has_conflict(&pending, &mut by_address), expected, "{pending:?}");
            found[usize::from(expected)] += 1;
        }
        assert!(found.iter().all(|&times| times > 200), "{found:?}");
    }
}
