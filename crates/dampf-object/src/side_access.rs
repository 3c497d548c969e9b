//! Memory that operations and system calls access besides their objects: places for results, and buffers.
//!
//! `pthread_join(thread, &result)` writes `result`, `write(1, buffer, n)` reads `buffer`. To other threads these are
//! plain accesses like any in the program: visible where the memory is shared, and races where nothing orders them.

use crate::hooks::{Hook, Object, SideAccess, Visible};
use crate::machine::Machine;
use crate::mapping_calls::is_change;
use crate::race::PendingAccess;
use crate::run_end::RunEnd;
use crate::touched::Mode;
use dampf_rv::machine::Hart;

const RA: usize = 1;
const A0: usize = 10;
const A1: usize = 11;

/// A stretch of memory, and what is done with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryAccess {
    pub address: u64,
    pub bytes: u64,
    pub writes: bool,
}

impl MemoryAccess {
    pub fn read(address: u64, bytes: u64) -> MemoryAccess {
        MemoryAccess { address, bytes, writes: false }
    }

    pub fn written(address: u64, bytes: u64) -> MemoryAccess {
        MemoryAccess { address, bytes, writes: true }
    }
}

/// Whether an operation accesses this before others can go on because of it. A new thread begins when all is prepared,
/// its handle, too. An exchange that succeeds has read what is expected; one that fails releases nobody.
fn comes_before_release(hook: Hook, access: MemoryAccess, way: u32) -> bool {
    match hook.visible {
        Visible::AsCreation => true,
        _ => matches!(hook.object, Object::Atomic { writes: true }) && !access.writes && way == 0,
    }
}

impl Machine<'_> {
    /// The access that an operation on an object of so many bytes makes with these registers, if it does.
    fn side_access(&self, access: SideAccess, bytes: u64, register: impl Fn(usize) -> u64) -> Option<MemoryAccess> {
        let argument = |number: u8| register(A0 + usize::from(number));
        match access {
            SideAccess::Result { argument: place, bytes } => Some(MemoryAccess::written(argument(place), bytes.into())),
            SideAccess::Attributes { argument: place, bytes } => {
                let is_given = !matches!(argument(place), 0 | u64::MAX);
                is_given.then(|| MemoryAccess::read(argument(place), bytes.into()))
            }
            SideAccess::JoinResult { bytes } => {
                // Nothing is written before the thread has ended.
                let is_written = register(A1) != 0 && self.has_ended(register(A0));
                is_written.then(|| MemoryAccess::written(register(A1), bytes.into()))
            }
            SideAccess::Expected { argument: place } => {
                let value = |address: u64| self.memory.peek_value(address, bytes as usize);
                let writes = value(register(A0)) != value(argument(place));
                Some(MemoryAccess { address: argument(place), bytes, writes })
            }
        }
    }

    /// What an operation accesses besides its object, with these registers.
    pub fn side_accesses(&self, hook: Hook, register: impl Fn(usize) -> u64) -> impl Iterator<Item = MemoryAccess> {
        let bytes = hook.object_access().map_or(0, |(bytes, _)| bytes);
        hook.row().side_accesses.iter().filter_map(move |&access| self.side_access(access, bytes, &register))
    }

    /// Whether other threads can notice what an operation does besides.
    pub fn has_visible_side_access(&mut self, hook: Hook, hart: &Hart) -> Result<bool, RunEnd> {
        let bytes = hook.object_access().map_or(0, |(bytes, _)| bytes);
        let mut visible = false;
        for &access in hook.row().side_accesses {
            if let Some(MemoryAccess { address, bytes, writes }) = self.side_access(access, bytes, |at| hart.x[at]) {
                visible |= self.is_visible(address, bytes, writes)?;
            }
        }
        Ok(visible)
    }

    /// Notes what an operation accesses in the way of plain accesses, where those make no steps. What it accesses
    /// before it releases others is none of the accesses behind it: the thread has stood before them when it stood
    /// before the operation.
    pub fn note_accesses_besides(&mut self, hook: Hook, hart: &Hart, way: Option<u32>) -> Result<(), RunEnd> {
        let bytes = hook.object_access().map_or(0, |(bytes, _)| bytes);
        if hook.object == Object::PlainRead {
            self.note_side_access(hart, MemoryAccess::read(hart.x[A0], bytes))?;
        }
        for &access in hook.row().side_accesses {
            match self.side_access(access, bytes, |at| hart.x[at]) {
                None => {}
                Some(access) if way.is_some_and(|way| comes_before_release(hook, access, way)) => {
                    self.note_besides(access)?;
                }
                Some(access) => self.note_side_access(hart, access)?,
            }
        }
        Ok(())
    }

    /// Notes that an operation touches memory besides its object, if others can notice.
    pub fn note_besides(&mut self, access: MemoryAccess) -> Result<(), RunEnd> {
        let MemoryAccess { address, bytes, writes } = access;
        if self.is_noting() && self.is_visible(address, bytes, writes)? {
            self.note_touched(address, bytes, Mode::access(writes));
        }
        Ok(())
    }

    /// The same for a system call. To take memory away is no access like others.
    pub fn note_call_access(&mut self, hart: &Hart) -> Result<(), RunEnd> {
        match self.call_access(|number| hart.x[number]).filter(|_| !is_change(|number| hart.x[number])) {
            Some(access) => self.note_side_access(hart, access),
            None => Ok(()),
        }
    }

    /// Adds the accesses that a thread which stands before an operation is about to make besides.
    pub fn add_side_accesses(&self, hook: Hook, slot: u32, pending: &mut Vec<PendingAccess>) {
        let register = |number: usize| self.threads.register(slot, number);
        let pc = register(RA).wrapping_sub(2);
        pending.extend(self.side_accesses(hook, register).map(|access| PendingAccess::plain(slot, access, pc)));
    }

    /// Adds the access that a thread which stands before a system call is about to make.
    pub fn add_call_access(&self, slot: u32, pending: &mut Vec<PendingAccess>) {
        let pc = self.threads[slot as usize].pc;
        if self.is_system_call(pc) {
            let access = self.call_access(|number| self.threads.register(slot, number));
            pending.extend(access.map(|access| PendingAccess::plain(slot, access, pc)));
        }
    }
}
