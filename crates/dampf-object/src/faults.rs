//! What is wrong with an access or an operation, in words.

use crate::access::is_below_stack;
use crate::arena::{Arena, Block};
use crate::layout::Region;
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::shadow::beside;
use crate::step::Next;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

const RA: usize = 1;
const A0: usize = 10;

impl Machine<'_> {
    /// The fault of an access to bytes that may not be accessed.
    #[cold]
    pub fn bad_access(&mut self, address: u64, bytes: u64, write: bool) -> RunEnd {
        let what =
            format!("{} of {bytes} byte{}", if write { "write" } else { "read" }, if bytes == 1 { "" } else { "s" });
        if address < 0x1_0000 {
            let message = match address {
                0 => format!("{what} through a null pointer"),
                _ => format!("{what} at {address:#x}, through a null pointer"),
            };
            return RunEnd::fault(FaultKind::InvalidAccess, message);
        }
        if is_below_stack(address, self.slots()) {
            return RunEnd::fault(
                FaultKind::StackOverflow,
                format!("{what} below the end of the stack: it is used up"),
            );
        }
        let behind = address.saturating_add(bytes.saturating_sub(1));
        let program = &self.system.program;
        if let Some(global) = program.global_before(address).or_else(|| program.global_before(behind)) {
            let place = beside(&global.told(), global.variable.end, address, bytes);
            return RunEnd::fault(FaultKind::VariableOverflow, format!("{what} {place}"));
        }
        if program.line(address).is_some() {
            let message = format!("{what} at {address:#x}, in {}", self.place_name(address));
            return RunEnd::fault(FaultKind::InvalidAccess, message);
        }
        match Region::of(address, self.slots()) {
            Some(region @ (Region::Shared(slot) | Region::Private(slot))) => {
                let offset = (address - region.base(0)) as u32;
                let arenas = self.heap.arenas(slot);
                let arena = if matches!(region, Region::Shared(_)) { &arenas.shared } else { &arenas.private };
                let (kind, place) = heap_place(arena, offset);
                let place = place.replace("{site}", &self.site_name(site_near(&arena_of(self, region, slot), offset)));
                RunEnd::fault(kind, format!("{what} {place}"))
            }
            Some(region @ Region::Stack(slot))
                if self.threads[slot as usize].is_alive()
                    && address < region.base(0) - u64::from(self.threads[slot as usize].stack_bytes) =>
            {
                RunEnd::fault(FaultKind::StackOverflow, format!("{what} below the end of the stack: it is used up"))
            }
            Some(region @ Region::Stack(slot)) => {
                if let Some((kind, place)) = self.bad_local_access(region, address, bytes) {
                    return RunEnd::fault(kind, format!("{what} {place}"));
                }
                let owner = self.thread_name(slot);
                RunEnd::fault(
                    FaultKind::StackAccess,
                    format!("{what} in a part of the stack of {owner} that is not in use"),
                )
            }
            Some(Region::Tls(slot)) => {
                let owner = self.thread_name(slot);
                RunEnd::fault(
                    FaultKind::InvalidAccess,
                    format!("{what} to a thread-local variable of {owner}, which has ended"),
                )
            }
            Some(Region::Maps) => {
                // What begins in a mapping may reach beyond it.
                let first = if self.is_refused(address, write) { address } else { behind };
                let place = self.mapped_place(first);
                RunEnd::fault(FaultKind::InvalidAccess, format!("{what} at {address:#x}, {place}"))
            }
            _ => RunEnd::fault(FaultKind::InvalidAccess, format!("{what} at {address:#x}, where there is no object")),
        }
    }

    pub fn check_aligned(&mut self, address: u64, bytes: u64) -> Result<(), RunEnd> {
        if address.is_multiple_of(bytes) {
            return Ok(());
        }
        let place = self.place_name(address);
        Err(RunEnd::fault(
            FaultKind::MisalignedAccess,
            format!("access of {bytes} bytes at {place}, which is not aligned to them"),
        ))
    }

    /// `memcpy`, whose own code copies: refuses what the user's code must not ask for. What starts at the same place is
    /// tolerated, since compilers themselves copy structures so.
    pub fn copy(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let [to, from, bytes] = [hart.x[A0], hart.x[A0 + 1], hart.x[A0 + 2]];
        let overlaps = to != from && to.abs_diff(from) < bytes;
        if overlaps && self.system.program.is_user_code(hart.x[RA]) {
            let (to, from) = (self.place_name(to), self.place_name(from));
            let message = format!("memcpy of {bytes} bytes from {from} to {to}, which overlap");
            return Err(RunEnd::fault(FaultKind::OverlappingCopy, message));
        }
        self.note_copied(hart)?;
        Ok(Next::Run)
    }

    pub fn check_locked(&mut self, address: u64, bytes: u64) -> Result<(), RunEnd> {
        let running = self.threads.running;
        let Some(&locked) = self.locked.of_others(address, bytes, running) else { return Ok(()) };
        let (place, owner) = (self.place_name(locked.address), self.thread_name(locked.owner));
        Err(RunEnd::fault(FaultKind::PrivilegeViolation, format!("access to {place}, which {owner} has locked")))
    }

    /// The name of an address for people: a variable, a heap block, a place on a stack.
    pub fn place_name(&self, address: u64) -> String {
        let program = &self.system.program;
        if program.line(address).is_some() {
            if let Some(variable) = program.debug.global_at(address) {
                return self.part_of(&variable.name, variable.ty, address - variable.address).name;
            }
            if let Some(symbol) = program.image.data_symbol_at(address) {
                return dampf_rv::image::demangle(&symbol.name);
            }
        }
        match Region::of(address, self.slots()) {
            Some(region @ (Region::Shared(slot) | Region::Private(slot))) => {
                if let Some(place) = self.pointed_place(address) {
                    return place.name;
                }
                let offset = (address - region.base(0)) as u32;
                match arena_of(self, region, slot).block_at(offset).copied() {
                    Some(block) => {
                        let at = offset - block.offset;
                        let site = self.site_name(Some(block));
                        if at == 0 {
                            format!("the block of {site}")
                        } else {
                            format!("byte {at} of the block of {site}")
                        }
                    }
                    None => self.name_outside_of_blocks(&arena_of(self, region, slot), offset, address),
                }
            }
            Some(Region::Stack(slot)) => {
                let name = self.local_name(slot, address);
                name.unwrap_or_else(|| format!("{address:#x} on the stack of {}", self.thread_name(slot)))
            }
            Some(Region::Tls(slot)) => {
                let name = self.thread_local_name(slot, address);
                name.unwrap_or_else(|| format!("a thread-local variable of {}", self.thread_name(slot)))
            }
            // The C library places the first thread's own variables behind the others.
            Some(Region::Break) => self.thread_local_name(0, address).unwrap_or_else(|| format!("{address:#x}")),
            _ => format!("{address:#x}"),
        }
    }

    /// The name of a thread-local variable at an address, and whose it is.
    fn thread_local_name(&self, slot: u32, address: u64) -> Option<String> {
        const THREAD_POINTER: usize = 4;
        let offset = address.checked_sub(self.threads.register(slot, THREAD_POINTER))?;
        let name = self.system.program.debug.name_thread_local(offset)?;
        Some(format!("{name} of {}", self.thread_name(slot)))
    }

    /// The source line of an address behind a call, or the function that calls.
    pub fn caller_place(&self, site: u32) -> String {
        let call = u64::from(site).saturating_sub(2);
        match self.user_location(call) {
            Some(location) => format!("{}:{}", location.file, location.line),
            None => dampf_rv::image::demangle(self.system.program.function_at(call)),
        }
    }

    /// The name of an address of the heap that lies in no block.
    fn name_outside_of_blocks(&self, arena: &Arena, offset: u32, address: u64) -> String {
        match (freed_at(arena, offset), heap_place(arena, offset)) {
            (Some(freed), _) if freed.offset == offset => format!("the freed block of {}", self.site_name(Some(freed))),
            (Some(freed), _) => {
                format!("byte {} of the freed block of {}", offset - freed.offset, self.site_name(Some(freed)))
            }
            (None, (FaultKind::UseAfterFree, _)) => format!("{address:#x} in a block that was freed"),
            (None, (_, place)) => {
                format!("{address:#x} {}", place.replace("{site}", &self.site_name(site_near(arena, offset))))
            }
        }
    }

    /// What is to be said of a block of the heap that is named by a pointer to it: its size and where it is from.
    pub fn block_origin(&self, address: u64) -> Option<String> {
        let region = Region::of(address, self.slots())?;
        let (Region::Shared(slot) | Region::Private(slot)) = region else { return None };
        let (arena, offset) = (arena_of(self, region, slot), (address - region.base(0)) as u32);
        let (block, freed) = (arena.block_at(offset).copied(), freed_at(&arena, offset));
        let what = if block.is_some() { "" } else { "the freed block of " };
        block.or(freed).map(|block| format!("{what}{}", self.site_name(Some(block))))
    }

    fn site_name(&self, block: Option<Block>) -> String {
        let Some(block) = block else { return "unknown origin".to_owned() };
        format!("{} bytes from {}", block.size, self.caller_place(block.site))
    }

    pub fn user_location(&self, pc: u64) -> Option<dampf_core::SourceLocation> {
        self.system.program.location(pc)
    }
}

/// A function's name without its arguments and, for what std::thread wraps around the user's function, the bare fact.
pub fn short_name(name: &str) -> &str {
    if name.starts_with("execute_native_thread_routine") || name.contains("std::thread::") {
        return "std::thread";
    }
    // The parameters of a lambda are within its name.
    let lambda = name.rfind("{lambda(").map_or(0, |at| at + "{lambda(".len());
    let end = name[lambda..].find('}').filter(|_| lambda > 0).map_or(0, |end| lambda + end + 1);
    let parameters = name[end..].find('(').map_or(name.len(), |at| end + at);
    name[..parameters].strip_suffix("::operator").unwrap_or(&name[..parameters])
}

fn arena_of(machine: &Machine<'_>, region: Region, slot: u32) -> Arena {
    let arenas = machine.heap.peek_arenas(slot).into_owned();
    if matches!(region, Region::Shared(_)) { arenas.shared } else { arenas.private }
}

/// The freed block around an offset, where it is known.
fn freed_at(arena: &Arena, offset: u32) -> Option<Block> {
    arena.last_freed.filter(|freed| freed.contains(offset) || freed.offset == offset)
}

fn site_near(arena: &Arena, offset: u32) -> Option<Block> {
    freed_at(arena, offset).or_else(|| arena.block_before(offset).copied())
}

/// What is wrong with an offset that lies in no block.
fn heap_place(arena: &Arena, offset: u32) -> (FaultKind, String) {
    if freed_at(arena, offset).is_some() {
        return (FaultKind::UseAfterFree, "in a freed block of {site}".to_owned());
    }
    match arena.block_before(offset) {
        Some(block) if offset < block.end() => {
            (FaultKind::HeapOverflow, "that reaches beyond the end of the block of {site}".to_owned())
        }
        Some(block) if offset - block.end() < 64 => {
            (FaultKind::HeapOverflow, format!("{} bytes behind the end of the block of {{site}}", offset - block.end()))
        }
        _ if arena.blocks.iter().any(|block| block.offset > offset && block.offset - offset <= 16) => {
            (FaultKind::HeapOverflow, "just before the start of a block".to_owned())
        }
        _ => (FaultKind::UseAfterFree, "in a block that was freed".to_owned()),
    }
}
