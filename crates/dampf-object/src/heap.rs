//! The heap: `malloc` and its family, `new` and `delete`.

use crate::access::lines;
use crate::arena::{ARENA_BYTES, Block, Maker};
use crate::layout::{Region, STACK_BYTES};
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::shadow::live_bytes;
use crate::sharing::{Fact, FactKind};
use crate::step::Next;
use crate::touched::Mode;
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

const EINVAL: u64 = 22;
const ENOMEM: u64 = 12;

/// Blocks are aligned to so many bytes unless the program asks for more.
const ALIGN: u64 = 16;

/// No process has so much memory: asking for it fails everywhere.
const ADDRESS_SPACE_BYTES: u64 = 1 << 47;

/// Larger alignments than this are not supported.
const ALIGN_MAX: u64 = 1 << 20;

/// The way of an allocation in which the thread is given the block that it freed last.
const REUSE: u32 = 1;

const RA: usize = 1;
const SP: usize = 2;
const A0: usize = 10;
const A1: usize = 11;
const A2: usize = 12;

/// Functions of the libraries that allocate for the libraries' own use. What other library functions allocate is for
/// whoever called them. Taking the user's memory for the libraries' would hide interleavings, so only what is known is
/// listed; the opposite mistake merely costs states.
const LIBRARY_ALLOCATORS: &[&str] = &[
    // Streams, locales, character sets, time zones of the C library, and its loader.
    "_IO_",
    "_nl_",
    "_dl_",
    "__dl_",
    "setlocale",
    "newlocale",
    "__newlocale",
    "__gconv",
    "__wcsmbs",
    "__tz",
    "__cxa_atexit",
    "__new_exitfn",
    // Tables of the unwinder.
    "search_object",
    "init_object",
    "start_fde_sort",
    "__register_frame",
    "_Unwind_",
    // Locales of the C++ library, and its pool for exceptions when memory is short.
    "_ZNSt6locale",
    "_ZN9__gnu_cxx",
];

/// What becomes of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Allocated,
    /// The thread is given the block that it freed last.
    Reused,
    /// There is no memory, or so the program is told.
    Failed,
}

impl Machine<'_> {
    /// In how many ways an allocation can happen. A thread that has freed a block which others know may be given the
    /// same one again, as real allocators do, or another: whoever still holds a pointer to the old one can tell.
    pub fn ways_to_allocate(&self, size: u64, slot: u32) -> u32 {
        1 + u32::from(self.can_reuse(size, slot)) + self.ways_to_fail(slot)
    }

    /// In how many ways an allocation can fail for want of memory. Before `main` the libraries set themselves up.
    pub fn ways_to_fail(&self, slot: u32) -> u32 {
        u32::from(self.system.options.allocations_may_fail && self.threads[slot as usize].entry != 0)
    }

    fn can_reuse(&self, size: u64, slot: u32) -> bool {
        let (address, recycled_size) = self.threads[slot as usize].recycled;
        self.note_recycled(address);
        if address == 0 || u64::from(recycled_size) != size {
            return false;
        }
        match Region::of(address, self.slots()) {
            Some(region @ Region::Shared(of)) => {
                let offset = (address - region.base(0)) as u32;
                self.heap.peek_arenas(of).shared.is_free(offset, recycled_size)
            }
            _ => false,
        }
    }

    /// What becomes of an allocation that happens in one of its ways. To fail is the last one; `malloc` does so only
    /// where the user's code calls it, and otherwise the last way is as the first.
    fn outcome(&self, hart: &Hart, size: u64, maker: Maker, way: u32) -> Outcome {
        let slot = self.threads.running;
        match way {
            0 => Outcome::Allocated,
            REUSE if self.can_reuse(size, slot) => Outcome::Reused,
            _ if maker != Maker::Malloc || self.system.program.is_user_code(hart.x[RA]) => Outcome::Failed,
            _ => Outcome::Allocated,
        }
    }

    /// Whether the library's `operator new` has called the function at hand. It does so only where there is no memory:
    /// otherwise its work is done for it.
    fn is_called_by_new(&self, hart: &Hart) -> bool {
        let (program, call) = (&self.system.program, hart.x[RA].wrapping_sub(2));
        let caller = program.function_at(call);
        (caller.starts_with("_Znwm") || caller.starts_with("_Znam")) && !program.is_user_code(call)
    }

    pub fn malloc(&mut self, hart: &Hart, way: u32) -> Result<Next, RunEnd> {
        if self.is_called_by_new(hart) {
            return Ok(self.allocated(hart, None));
        }
        match self.outcome(hart, hart.x[A0], Maker::Malloc, way) {
            Outcome::Reused => Ok(self.reuse(hart, Maker::Malloc, false)),
            _ => self.malloc_aligned(hart, hart.x[A0], ALIGN, way),
        }
    }

    pub fn calloc(&mut self, hart: &Hart, way: u32) -> Result<Next, RunEnd> {
        // A product that is no size is more than there is.
        let size = hart.x[A0].saturating_mul(hart.x[A1]);
        match self.outcome(hart, size, Maker::Malloc, way) {
            Outcome::Reused => return Ok(self.reuse(hart, Maker::Malloc, true)),
            Outcome::Failed => return Ok(self.allocated(hart, None)),
            Outcome::Allocated => {}
        }
        let address = self.allocate(hart, size, ALIGN, Maker::Malloc)?;
        if let Some(address) = address {
            self.note_written(address, size, true);
        }
        Ok(self.allocated(hart, address))
    }

    pub fn malloc_aligned(&mut self, hart: &Hart, size: u64, align: u64, way: u32) -> Result<Next, RunEnd> {
        let address = match self.outcome(hart, size, Maker::Malloc, way) {
            Outcome::Failed => None,
            _ => self.allocate(hart, size, align, Maker::Malloc)?,
        };
        Ok(self.allocated(hart, address))
    }

    /// `aligned_alloc` and `memalign`, which the C library may have as one function. What is no alignment is refused.
    pub fn aligned_alloc(&mut self, hart: &Hart, way: u32) -> Result<Next, RunEnd> {
        let align = hart.x[A0];
        if !align.is_power_of_two() {
            self.set_errno(hart, EINVAL);
            return Ok(Next::Return(0));
        }
        self.malloc_aligned(hart, hart.x[A1], align, way)
    }

    /// Returns the address of a block, or that there is no memory.
    fn allocated(&mut self, hart: &Hart, address: Option<u64>) -> Next {
        if address.is_none() {
            self.set_errno(hart, ENOMEM);
        }
        Next::Return(address.unwrap_or(0))
    }

    pub fn posix_memalign(&mut self, hart: &Hart, way: u32) -> Result<Next, RunEnd> {
        let (pointer, align, size) = (hart.x[A0], hart.x[A1], hart.x[A2]);
        if !align.is_power_of_two() || align < 8 {
            return Ok(Next::Return(EINVAL));
        }
        self.check_writable(pointer, 8)?;
        let address = match self.outcome(hart, size, Maker::Malloc, way) {
            Outcome::Failed => None,
            _ => self.allocate(hart, size, align, Maker::Malloc)?,
        };
        let Some(address) = address else { return Ok(Next::Return(ENOMEM)) };
        self.memory.poke_long(pointer, address);
        Ok(Next::Return(0))
    }

    pub fn usable_size(&mut self, address: u64) -> u64 {
        self.block_at(address).map_or(0, |(_, block)| u64::from(block.size))
    }

    /// Frees the block that the first argument points to, as one that was made in this way.
    pub fn free(&mut self, hart: &Hart, maker: Maker) -> Result<Next, RunEnd> {
        self.release_block(hart.x[A0], maker)?;
        Ok(Next::Return(0))
    }

    /// Hands the block that the thread freed last out again.
    fn reuse(&mut self, hart: &Hart, maker: Maker, zeroed: bool) -> Next {
        let (address, size) = std::mem::take(&mut self.threads.current_mut().recycled);
        if let Some(region @ Region::Shared(of)) = Region::of(address, self.slots()) {
            let offset = (address - region.base(0)) as u32;
            let site = self.site(hart);
            self.heap.arenas_mut(of).shared.allocate_at(offset, size, site, maker);
            self.memory.note_write(address, size.into());
            self.note_written(address, u64::from(size), zeroed);
            self.memory.forget_translations();
        }
        Next::Return(address)
    }

    /// `operator new` without memory throws, which the library's own code does best.
    pub fn new_block(&mut self, hart: &Hart, align: u64, maker: Maker, way: u32) -> Result<Next, RunEnd> {
        match self.outcome(hart, hart.x[A0], maker, way) {
            // The one that does not throw asks the other, which has failed then.
            _ if self.is_called_by_new(hart) => Ok(Next::Run),
            Outcome::Failed => Ok(Next::Run),
            Outcome::Reused => Ok(self.reuse(hart, maker, false)),
            Outcome::Allocated if !align.is_power_of_two() => Ok(Next::Run),
            Outcome::Allocated => Ok(self.allocate(hart, hart.x[A0], align, maker)?.map_or(Next::Run, Next::Return)),
        }
    }

    /// The address of a new block; none where there cannot be so much memory. What there may be, but not here, is not
    /// supported: a program is not to be told that there is none.
    fn allocate(&mut self, hart: &Hart, size: u64, align: u64, maker: Maker) -> Result<Option<u64>, RunEnd> {
        if size >= ADDRESS_SPACE_BYTES {
            return Ok(None);
        }
        let address = if align <= ALIGN_MAX { self.place_block(hart, size, align as u32, maker) } else { None };
        match address {
            Some(address) => Ok(Some(address)),
            None => {
                let what = format!("an allocation of {size} bytes aligned to {align}");
                Err(RunEnd::from(self.system.program.unsupported(what, self.user_pc(hart))))
            }
        }
    }

    fn place_block(&mut self, hart: &Hart, size: u64, align: u32, maker: Maker) -> Option<u64> {
        let size = u32::try_from(size).ok().filter(|&size| size < ARENA_BYTES)?;
        let site = self.site(hart);
        self.threads.current_mut().recycled = (0, 0);
        if maker == Maker::Malloc && self.is_library_allocation(hart, site) {
            let offset = self.process.change().library_blocks.allocate(size, align, site, maker, false)?;
            self.note_library_blocks();
            self.memory.forget_translations();
            self.memory.note_write(Region::LibraryHeap.base(0) + u64::from(offset), size.into());
            return Some(Region::LibraryHeap.base(0) + u64::from(offset));
        }
        let (slot, shared) = (self.threads.running, self.system.sharing.is_shared_site(site));
        let local = shared && !self.step.alone && !self.system.sharing.is_open_site(site);
        self.note_allocation();
        let arenas = self.heap.arenas_mut(slot);
        let arena = if shared { &mut arenas.shared } else { &mut arenas.private };
        let offset = arena.allocate(size, align, site, maker, local)?;
        self.memory.forget_translations();
        let region = if shared { Region::Shared(slot) } else { Region::Private(slot) };
        let address = region.base(0) + u64::from(offset);
        self.memory.note_write(address, size.into());
        Some(address)
    }

    fn is_library_allocation(&self, hart: &Hart, site: u32) -> bool {
        let program = &self.system.program;
        let caller = hart.x[1];
        if program.debug.user_code().is_empty() || program.is_user_code(caller) {
            return false;
        }
        // Before `main` everything is the libraries' but for what the user's constructors ask for.
        let by_user = |site: u32| program.is_user_line(u64::from(site).wrapping_sub(2));
        if self.threads.current().entry == 0
            && !by_user(site)
            && self.return_address_on_stack(hart, |pc| program.is_user_line(pc)).is_none()
        {
            return true;
        }
        let function = program.function_at(caller - 2);
        LIBRARY_ALLOCATORS.iter().any(|prefix| function.starts_with(prefix))
    }

    /// The region of a heap block, and the block, where an address is one's start or inside.
    pub fn block_at(&mut self, address: u64) -> Option<(Region, Block)> {
        let region = Region::of(address, self.slots())?;
        let offset = |region: Region| u32::try_from(address - region.base(0)).ok();
        let block = match region {
            Region::Shared(slot) => self.heap.arenas(slot).shared.block_at(offset(region)?).copied(),
            Region::Private(slot) => self.heap.arenas(slot).private.block_at(offset(region)?).copied(),
            Region::LibraryHeap => self.process.library_blocks.block_at(offset(region)?).copied(),
            _ => None,
        };
        block.map(|block| (region, block))
    }

    /// Whether freeing a block is visible to other threads: those who use it notice. The owner of the arena may be
    /// given the place again, a little earlier than in another order of the same steps. Which free place an allocation
    /// gets is the allocator's choice, and nobody can tell by it, but for those who still look at the block.
    pub fn is_visible_block(&mut self, address: u64) -> Result<bool, RunEnd> {
        let Some(region @ Region::Shared(_)) = Region::of(address, self.slots()) else { return Ok(false) };
        match self.block_at(address) {
            Some((_, block)) if block.local => Ok(false),
            Some((_, block)) => {
                let start = region.base(0) + u64::from(block.offset);
                self.is_end_noticed(start, u64::from(block.size))
            }
            None => Ok(true),
        }
    }

    fn release_block(&mut self, address: u64, maker: Maker) -> Result<(), RunEnd> {
        if address == 0 {
            return Ok(());
        }
        let operation = match maker {
            Maker::Malloc => "free",
            Maker::New => "delete",
            Maker::NewArray => "delete[]",
        };
        let found = self.block_at(address);
        let Some((region, block)) = found.filter(|(region, block)| region.base(0) + u64::from(block.offset) == address)
        else {
            return Err(self.bad_free(address, operation, found.is_some()));
        };
        if block.maker != maker {
            let made = match block.maker {
                Maker::Malloc => "malloc",
                Maker::New => "new",
                Maker::NewArray => "new[]",
            };
            let message = format!("{operation} of {}, which was allocated with {made}", self.place_name(address));
            return Err(RunEnd::fault(FaultKind::InvalidFree, message));
        }
        // It is as if every byte was written, visible or not.
        self.memory.note_write(address, block.size.into());
        let is_noticed = self.is_visible_block(address)?;
        if is_noticed {
            self.note_touched(address, block.size.into(), Mode::WRITE);
        }
        if region == Region::LibraryHeap {
            self.note_library_blocks();
        }
        self.check_unaccessed(address, block.size.into(), FaultKind::UseAfterFree, "frees")?;
        // What is freed holds nothing: equal heaps are to look the same.
        self.memory.space.clear_bytes(region, address..address + u64::from(block.size));
        self.note_written(address, u64::from(block.size), false);
        match region {
            Region::Shared(slot) => {
                if block.local && slot != self.threads.running {
                    return Err(self.refute(Fact::new(FactKind::OpenSite, block.site)));
                }
                if !block.local {
                    self.threads.current_mut().recycled = (address, block.size);
                }
                let is_foreign = slot != self.threads.running;
                let arena = &mut self.heap.arenas_mut(slot).shared;
                let resting = arena.last_freed;
                let freed = arena.free(block.offset);
                // Of two blocks, the one that others used is the one that they may still use.
                if is_foreign && !is_noticed && resting.is_some() {
                    arena.last_freed = resting;
                }
                freed
            }
            Region::Private(slot) => {
                if slot != self.threads.running {
                    return Err(self.refute(Fact::new(FactKind::SharedSite, block.site)));
                }
                self.heap.arenas_mut(slot).private.free(block.offset)
            }
            _ => self.process.change().library_blocks.free(block.offset),
        };
        self.memory.forget_translations();
        Ok(())
    }

    /// Notes that bytes of the heap count as written, or as not.
    fn note_written(&mut self, address: u64, bytes: u64, written: bool) {
        let Some(region) = Region::of(address, self.slots()).filter(|&region| self.memory.is_watched(Some(region)))
        else {
            return;
        };
        for (line, mask) in lines(address, bytes) {
            let (written, forgotten) = if written { (mask, 0) } else { (0, mask) };
            self.memory.set_initialised(region, line, written, forgotten);
        }
    }

    fn bad_free(&mut self, address: u64, operation: &str, inside: bool) -> RunEnd {
        if inside {
            let message = format!("{operation} of {}: only a block's start can be freed", self.place_name(address));
            return RunEnd::fault(FaultKind::InvalidFree, message);
        }
        match Region::of(address, self.slots()) {
            Some(region @ (Region::Shared(slot) | Region::Private(slot))) => {
                let offset = (address - region.base(0)) as u32;
                let arenas = self.heap.arenas(slot);
                let arena = if matches!(region, Region::Shared(_)) { &arenas.shared } else { &arenas.private };
                let freed_last = arena.last_freed.is_some_and(|block| block.offset == offset);
                let behind = arena.block_before(offset).is_some_and(|block| offset - block.end() < 16);
                if freed_last || !behind {
                    RunEnd::fault(FaultKind::DoubleFree, format!("{operation} of a block that was freed before"))
                } else {
                    RunEnd::fault(FaultKind::InvalidFree, format!("{operation} of {address:#x}, which is no block"))
                }
            }
            _ => {
                let place = self.place_name(address);
                RunEnd::fault(FaultKind::InvalidFree, format!("{operation} of {place}, which is not on the heap"))
            }
        }
    }

    pub fn reallocate(&mut self, hart: &Hart, way: u32) -> Result<Next, RunEnd> {
        let (old, size) = (hart.x[A0], hart.x[A1]);
        if old == 0 {
            return self.malloc_aligned(hart, size, ALIGN, way);
        }
        if size == 0 {
            self.release_block(old, Maker::Malloc)?;
            return Ok(Next::Return(0));
        }
        let found = self.block_at(old);
        let Some((_, block)) = found.filter(|(region, block)| region.base(0) + u64::from(block.offset) == old) else {
            return Err(self.bad_free(old, "realloc", found.is_some()));
        };
        if self.outcome(hart, size, Maker::Malloc, way) == Outcome::Failed {
            return Ok(self.allocated(hart, None));
        }
        let Some(new) = self.allocate(hart, size, ALIGN, Maker::Malloc)? else { return Ok(self.allocated(hart, None)) };
        let mut contents = vec![0; u64::from(block.size).min(size) as usize];
        self.memory.peek(old, &mut contents);
        self.memory.poke(new, &contents);
        self.release_block(old, block.maker)?;
        Ok(Next::Return(new))
    }

    /// `exit` is called, with what it needs of the stack above: what functions before left there points to nothing.
    pub fn begin_exit(&mut self, hart: &Hart) -> Next {
        const LEFT_BYTES: u64 = 256 << 10;
        let region = Region::Stack(self.threads.running);
        let (sp, end) = (hart.x[SP], region.base(0) - STACK_BYTES);
        if self.system.options.leaks {
            self.memory.clear_left(region, sp.saturating_sub(LEFT_BYTES).max(end), sp);
        }
        Next::Run
    }

    /// The blocks of the user's that nothing points to any more. What looks like a pointer to a block counts as one.
    pub fn unreachable_blocks(&mut self) -> Vec<(Region, Block)> {
        let mut unseen = self.live_blocks();
        if unseen.is_empty() {
            return unseen;
        }
        let mut words = Vec::new();
        for number in 0..Region::count(self.slots()) {
            let region = Region::from_number(number);
            let is_root = match region {
                Region::Shared(_) | Region::Private(_) => false,
                Region::Stack(slot) | Region::Tls(slot) => self.threads[slot as usize].is_alive(),
                _ => true,
            };
            let sp = match region {
                Region::Stack(slot) => self.threads[slot as usize].sp,
                _ => 0,
            };
            if is_root {
                self.memory.space.for_each_line(region, &mut |address, line| {
                    // What lies below a stack pointer is nobody's, and pointers are aligned as it is.
                    let dead = (!live_bytes(address, sp)).trailing_ones() as usize / 4;
                    words.extend_from_slice(&line.0[dead..]);
                });
            }
        }
        for hart in (0..self.slots() as u32).filter_map(|slot| self.threads.loaded_hart(slot)) {
            words.extend(hart.x[..32].iter().flat_map(|&value| [value as u32, (value >> 32) as u32]));
        }
        while !words.is_empty() && !unseen.is_empty() {
            let pointers: Vec<u64> =
                words.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect();
            words.clear();
            let is_reached = |(region, block): &(Region, Block)| {
                let start = region.base(0) + u64::from(block.offset);
                pointers.iter().any(|pointer| (start..start + u64::from(block.size.max(1))).contains(pointer))
            };
            let (reached, rest): (Vec<_>, Vec<_>) = unseen.into_iter().partition(is_reached);
            unseen = rest;
            for (region, block) in reached {
                let mut bytes = vec![0; block.size as usize / 8 * 8];
                self.memory.peek(region.base(0) + u64::from(block.offset), &mut bytes);
                words.extend(bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
            }
        }
        unseen
    }

    /// The blocks of the user's that are left: the region, and each block.
    pub fn live_blocks(&mut self) -> Vec<(Region, Block)> {
        let mut live = Vec::new();
        for slot in 0..self.slots() as u32 {
            let arenas = self.heap.arenas(slot);
            live.extend(arenas.shared.blocks.iter().map(|&block| (Region::Shared(slot), block)));
            live.extend(arenas.private.blocks.iter().map(|&block| (Region::Private(slot), block)));
        }
        live
    }
}
