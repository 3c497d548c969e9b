//! Memory accesses: which are allowed, which are visible, and what they do.

use crate::layout::{Region, STACK_BYTES, is_return_place, is_shadow};
use crate::machine::Machine;
use crate::mappings::Rights;
use crate::premise::Premise;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, FactKind, SHARED_LINE_BYTES};
use crate::touched::Mode;
use crate::uses::AccessKind;
use dampf_core::FaultKind;
use dampf_rv::machine::Bus;
use dampf_rv::memory::LINE_BYTES;

/// What a thread may do with the bytes of a line.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    /// None for the image's constant part.
    pub region: Option<Region>,
    pub valid: u64,
    /// Of those, the bytes that may be written.
    pub writable: u64,
    /// Bytes that other threads may access.
    pub visible: u64,
    /// Bytes that were assumed to be another thread's own.
    pub foreign: u64,
}

impl Standing {
    /// Whether some of these bytes must not be written though they can be read.
    fn is_constant(&self, mask: u64) -> bool {
        self.valid & !self.writable & mask != 0
    }

    /// Whether some of these bytes are data that libraries keep for themselves.
    fn is_partly_of_libraries(&self, mask: u64) -> bool {
        matches!(self.region, Some(Region::Globals | Region::LibraryHeap)) && self.visible & mask != mask
    }

    /// Whether these bytes are data that libraries keep for themselves.
    fn is_of_libraries(&self, mask: u64) -> bool {
        matches!(self.region, Some(Region::Globals | Region::LibraryHeap)) && self.visible & mask == 0
    }
}

impl Machine<'_> {
    /// What the running thread may do with the line of an address; none where there is no memory.
    pub fn standing(&mut self, address: u64) -> Option<Standing> {
        let program = &self.system.program;
        let sharing = &self.system.sharing;
        let line = address & !(LINE_BYTES as u64 - 1);
        if let Some((_, masks)) = program.line(address) {
            let region = program.globals.contains(&address).then_some(Region::Globals);
            let (writable, visible) = if region.is_some() { (masks.valid, masks.user) } else { (0, 0) };
            let standing = Standing { region, valid: masks.valid, writable, visible, foreign: 0 };
            return (masks.valid != 0).then_some(standing);
        }
        if is_return_place(address) {
            return Some(Standing { region: None, valid: u64::MAX, writable: 0, visible: 0, foreign: 0 });
        }
        let region = Region::of(address, self.slots())?;
        let is_at_home = self.is_at_home(region);
        let below = |end: u64| match end.saturating_sub(line) {
            bytes @ 0..64 => (1u64 << bytes) - 1,
            _ => u64::MAX,
        };
        let standing =
            |valid, visible, foreign| Some(Standing { region: Some(region), valid, writable: valid, visible, foreign });
        let own = |slot: u32, valid: u64| {
            if sharing.is_shared_line(line) && !is_at_home {
                standing(valid, u64::MAX, 0)
            } else {
                standing(valid, 0, if slot == self.threads.running { 0 } else { u64::MAX })
            }
        };
        match region {
            Region::Globals => None,
            Region::Break => own(0, below(self.process.brk_end)),
            Region::Maps => {
                let rights = self.process.mappings.at(address)?.rights;
                let mask = |least: Rights| if rights >= least { u64::MAX } else { 0 };
                let (valid, writable) = (mask(Rights::Reading), mask(Rights::Writing));
                Some(Standing { region: Some(region), valid, writable, visible: u64::MAX, foreign: 0 })
            }
            Region::LibraryHeap => {
                standing(self.process.library_blocks.valid_mask((line - region.base(0)) as u32), 0, 0)
            }
            Region::Shared(slot) => {
                let offset = (line - region.base(0)) as u32;
                let arena = &self.heap.arenas(slot).shared;
                let (valid, local) = (arena.valid_mask(offset), arena.local_mask(offset));
                let visible = if is_at_home { 0 } else { !local };
                standing(valid, visible, if slot == self.threads.running { 0 } else { local })
            }
            Region::Private(slot) => {
                let valid = self.heap.arenas(slot).private.valid_mask((line - region.base(0)) as u32);
                standing(valid, 0, if slot == self.threads.running { 0 } else { u64::MAX })
            }
            Region::Tls(slot) => own(slot, if self.threads[slot as usize].is_alive() { u64::MAX } else { 0 }),
            // What functions say of their frames is not for programs to read.
            Region::Stack(_) if is_shadow(address) => None,
            Region::Stack(slot) => {
                let thread = &self.threads[slot as usize];
                let valid = match thread.is_alive() {
                    false => 0,
                    true if slot == self.threads.running => !below(region.base(0) - u64::from(thread.stack_bytes)),
                    // The bytes from its stack pointer on.
                    true => !below(thread.sp),
                };
                own(slot, valid & self.memory.allowed_on_stack(region, line))
            }
        }
    }

    /// Whether an access to these bytes is visible to other threads. Refutes that they are thread-local where that was
    /// assumed.
    pub fn is_visible(&mut self, address: u64, bytes: u64, write: bool) -> Result<bool, RunEnd> {
        let mut visible = false;
        for (line, mask) in lines(address, bytes) {
            let Some(standing) = self.standing(line) else { return Err(self.bad_access(address, bytes, write)) };
            if standing.valid & mask != mask || write && standing.is_constant(mask) {
                return Err(self.bad_access(address, bytes, write));
            }
            if standing.foreign & mask != 0 {
                return Err(self.learn_shared(line, standing));
            }
            let kind = AccessKind::Synchronisation { writes: write };
            visible |= self.is_noticed(line, standing.region, standing.visible & mask, kind)?;
        }
        Ok(visible)
    }

    /// Refuses a place for a result that is no memory of the program's.
    pub fn check_writable(&mut self, address: u64, bytes: u64) -> Result<(), RunEnd> {
        self.is_visible(address, bytes, true).map(|_| ())
    }

    fn learn_shared(&mut self, address: u64, standing: Standing) -> RunEnd {
        match standing.region {
            Some(region @ Region::Private(slot)) => {
                // The line may hold several blocks; the access is to one of them, and learning of all is no harm.
                let line = (address & !63) - region.base(0);
                let arena = &self.heap.arenas(slot).private;
                let sites: Vec<u32> = arena
                    .blocks
                    .iter()
                    .filter(|block| u64::from(block.offset) < line + 64 && u64::from(block.end()) > line)
                    .map(|block| block.site)
                    .collect();
                self.refute_all(sites.into_iter().map(|site| Fact::new(FactKind::SharedSite, site)))
            }
            Some(region @ Region::Shared(slot)) => {
                let line = ((address & !63) - region.base(0)) as u32;
                let arena = &self.heap.arenas(slot).shared;
                let local =
                    arena.blocks.iter().filter(|block| block.local && block.offset < line + 64 && block.end() > line);
                let sites: Vec<u32> = local.map(|block| block.site).collect();
                self.refute_all(sites.into_iter().map(|site| Fact::new(FactKind::OpenSite, site)))
            }
            _ => self.refute(Fact::new(FactKind::SharedLine, address / SHARED_LINE_BYTES)),
        }
    }

    /// Whether the running thread may access these bytes now; uses up its grant if the access is visible.
    fn ask(&mut self, address: u64, bytes: u64, write: bool) -> Result<(), RunEnd> {
        let mut visible = false;
        for (line, mask) in lines(address, bytes) {
            let Some(standing) = self.standing(line) else { return Err(self.bad_access(address, bytes, write)) };
            if standing.valid & mask != mask || write && standing.is_constant(mask) {
                let is_beside = standing.valid & whole_words(mask) == 0;
                if !write && !is_beside && !self.memory.lenient {
                    return Err(RunEnd::PartlyValid);
                }
                if write || is_beside {
                    return Err(self.bad_access(address, bytes, write));
                }
            }
            if standing.foreign & mask != 0 {
                return Err(self.learn_shared(line, standing));
            }
            if self.memory.is_watched(standing.region)
                && let Some(region) = standing.region
            {
                if write {
                    self.memory.set_initialised(region, line, mask, 0);
                } else if !self.memory.lenient && self.memory.initialised(region, line) & mask == 0 {
                    return Err(RunEnd::Uninitialised);
                }
            }
            if write && self.step.others && standing.is_of_libraries(mask) {
                self.premises.note(Premise::LibraryData);
            }
            let kind = AccessKind::plain(write);
            visible |= self.is_noticed(line, standing.region, standing.visible & mask, kind)?;
            if self.is_noting() && standing.is_partly_of_libraries(mask) {
                self.note_library_line(line, write);
            }
            self.remember(line, standing, write);
        }
        self.check_aligned(address, bytes)?;
        if write && self.stops_for_watch(address, bytes) {
            return Err(RunEnd::Visible);
        }
        if !self.locked.is_empty() {
            self.check_locked(address, bytes)?;
        }
        if visible && self.is_left_alone() {
            self.check_unreleased(address, bytes)?;
        }
        if visible && !self.is_free_to_access() {
            if !self.step.granted {
                return Err(if self.has_segments() { RunEnd::Shared } else { RunEnd::Visible });
            }
            self.step.granted = false;
        }
        if visible {
            self.note_touched(address, bytes, Mode::access(write));
        }
        if visible && self.has_section_rivals() {
            self.check_section_access(address, bytes, write)?;
        }
        if write && visible && !self.process.reservations.is_empty() {
            self.cancel_reservations(address, bytes);
        }
        Ok(())
    }

    /// Lets later accesses to a line's private bytes go the fast way.
    fn remember(&mut self, address: u64, standing: Standing, is_written: bool) {
        if self.memory.is_recording() {
            return;
        }
        let watched = !self.locked.is_empty() || !self.process.reservations.is_empty() || self.has_section_rivals();
        let notes_all = self.is_noting() && matches!(standing.region, Some(Region::Globals | Region::LibraryHeap));
        let (read, write) = match standing.visible {
            _ if self.memory.is_watched(standing.region) => (0, 0),
            // What was noted once for a line need not be noted again, but to write it is another thing.
            0 if notes_all && !is_written => (standing.valid, 0),
            0 => (standing.valid, standing.writable),
            visible if watched && !notes_all => (standing.valid & !visible, standing.writable & !visible),
            _ if watched => (0, 0),
            visible => {
                let is_lock = self.is_left_alone() && self.is_of_released(address & !63, LINE_BYTES as u64);
                let is_free = self.is_free_to_access() && !self.is_noting() && !is_lock;
                let (read, write) = self.unasked(address & !63, standing.region, is_free);
                // Of a line that libraries use as well, only what nobody else can use needs no note.
                let others = if notes_all { 0 } else { !visible };
                (standing.valid & (others | read), standing.writable & (others | write))
            }
        };
        let write = write & !self.system.sharing.watch.mask(address & !63);
        let program = &self.system.program;
        match (standing.region, program.line(address)) {
            (None, Some((line, _))) => self.memory.space.remember_constant(address, line, read),
            (Some(region), _) => {
                let is_own_stack = region == Region::Stack(self.threads.running);
                self.memory.space.remember(address, region, (read, write), is_own_stack);
            }
            (None, None) => {}
        }
    }

    fn cancel_reservations(&mut self, address: u64, bytes: u64) {
        let running = self.threads.running;
        let overlaps =
            |&(slot, reserved): &(u32, u64)| slot != running && reserved < address + bytes && address < reserved + 8;
        if self.process.reservations.iter().any(overlaps) {
            self.process.change().reservations.retain(|reservation| !overlaps(reservation));
        }
    }

    #[cold]
    #[inline(never)]
    fn slow_load(&mut self, address: u64, bytes: usize) -> Result<u64, RunEnd> {
        self.ask(address, bytes as u64, false)?;
        let mut value = [0; 8];
        self.memory.peek(address, &mut value[..bytes]);
        if self.memory.lenient {
            // What lies behind the end is not to look like the end of a string.
            let valid = self.standing(address).map_or(0, |standing| standing.valid >> (address % 64));
            for (number, byte) in value[..bytes].iter_mut().enumerate() {
                if valid >> number & 1 == 0 {
                    *byte = 0xa5;
                }
            }
        }
        Ok(u64::from_le_bytes(value))
    }

    /// Refuses an access to the running thread's own stack below its stack pointer.
    fn check_live(&self, address: u64, sp: u64) -> Result<(), RunEnd> {
        let own = || Region::of(address, self.slots()) == Some(Region::Stack(self.threads.running));
        if address < sp && !self.memory.lenient && !is_shadow(address) && own() {
            Err(RunEnd::BelowStack)
        } else {
            Ok(())
        }
    }

    /// Ends a step that has written much before it writes more, where it may end: limits of memory count between steps.
    #[inline]
    fn check_room(&self) -> Result<(), RunEnd> {
        let must_go_on = || self.step.before_main || self.threads.current().atomic > 0;
        if self.memory.space.is_full() && !must_go_on() { Err(RunEnd::Visible) } else { Ok(()) }
    }

    #[cold]
    #[inline(never)]
    fn slow_store(&mut self, address: u64, value: u64, bytes: usize) -> Result<(), RunEnd> {
        let own = Region::Stack(self.threads.running);
        if is_shadow(address) && Region::of(address, self.slots()) == Some(own) {
            self.memory.write_shadow(own, address, &value.to_le_bytes()[..bytes]);
            return Ok(());
        }
        self.ask(address, bytes as u64, true)?;
        self.memory.poke(address, &value.to_le_bytes()[..bytes]);
        if bytes == 8 {
            self.publish_at(address, value);
        }
        Ok(())
    }

    /// A word was written: if other threads can read it, what it points to is no longer local.
    fn publish_at(&mut self, address: u64, value: u64) {
        let own = Region::Shared(self.threads.running);
        if Region::of(value, self.slots()) == Some(own)
            && self.standing(address).is_some_and(|standing| standing.visible >> (address % 64) & 1 != 0)
        {
            self.publish(value);
        }
    }

    /// Other threads may know of the block that a pointer leads to, and of all that its contents lead to.
    pub fn publish(&mut self, pointer: u64) {
        let own = Region::Shared(self.threads.running);
        let mut pointers = vec![pointer];
        while let Some(pointer) = pointers.pop() {
            if Region::of(pointer, self.slots()) != Some(own) {
                continue;
            }
            let offset = (pointer - own.base(0)) as u32;
            let slot = self.threads.running;
            let Some(block) = self.heap.arenas(slot).shared.block_at(offset).copied().filter(|block| block.local)
            else {
                continue;
            };
            self.heap.arenas_mut(slot).shared.publish(block.offset);
            self.memory.forget_translations();
            let mut contents = vec![0; block.size as usize / 8 * 8];
            self.memory.peek(own.base(0) + u64::from(block.offset), &mut contents);
            pointers
                .extend(contents.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes"))));
        }
    }

    /// An access that the operation of a hook makes: as if the program made it.
    pub fn load_checked(&mut self, address: u64, bytes: usize) -> Result<u64, RunEnd> {
        match self.slow_load(address, bytes) {
            Err(RunEnd::PartlyValid) => Err(self.bad_access(address, bytes as u64, false)),
            Err(RunEnd::Uninitialised) => {
                let message = format!("read of memory that was never written: {}", self.place_name(address));
                Err(RunEnd::fault(FaultKind::UninitialisedRead, message))
            }
            result => result,
        }
    }

    pub fn store_checked(&mut self, address: u64, value: u64, bytes: usize) -> Result<(), RunEnd> {
        self.slow_store(address, value, bytes)
    }
}

/// The lines that bytes lie in, with the mask of the bytes in each.
pub fn lines(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u64)> {
    let mut at = address;
    let end = address.saturating_add(bytes);
    std::iter::from_fn(move || {
        (at < end).then(|| {
            let line = at & !63;
            let (from, to) = (at - line, (end - line).min(64));
            let upto = |bits: u64| if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
            at = line.saturating_add(64);
            (line, upto(to) & !upto(from))
        })
    })
}

/// The bytes of the aligned words that some bytes of a line lie in.
fn whole_words(mask: u64) -> u64 {
    let words = mask.to_le_bytes().map(|word| if word == 0 { 0 } else { u8::MAX });
    u64::from_le_bytes(words)
}

/// Whether an address lies just below a thread's stack.
pub fn is_below_stack(address: u64, slots: usize) -> bool {
    let above = address.saturating_add(STACK_BYTES);
    Region::of(address, slots).is_none() && matches!(Region::of(above, slots), Some(Region::Stack(_)))
}

impl Bus for Machine<'_> {
    type Stop = RunEnd;

    fn load<const BYTES: usize>(&mut self, address: u64) -> Result<u64, RunEnd> {
        self.slow_load(address, BYTES)
    }

    fn store<const BYTES: usize>(&mut self, address: u64, value: u64) -> Result<(), RunEnd> {
        self.check_room()?;
        self.slow_store(address, value, BYTES)
    }

    #[inline(always)]
    fn load_beside_stack<const BYTES: usize>(&mut self, address: u64, stack_pointer: u64) -> Result<u64, RunEnd> {
        match self.memory.space.fast_load::<BYTES>(address, stack_pointer) {
            Some(bytes) => {
                let mut value = [0; 8];
                value[..BYTES].copy_from_slice(&bytes);
                Ok(u64::from_le_bytes(value))
            }
            None => {
                self.check_live(address, stack_pointer)?;
                self.slow_load(address, BYTES)
            }
        }
    }

    #[inline(always)]
    fn store_beside_stack<const BYTES: usize>(
        &mut self,
        address: u64,
        value: u64,
        stack_pointer: u64,
    ) -> Result<(), RunEnd> {
        let mut bytes = [0; BYTES];
        bytes.copy_from_slice(&value.to_le_bytes()[..BYTES]);
        if self.memory.space.fast_store::<BYTES>(address, bytes, stack_pointer) {
            return Ok(());
        }
        self.check_live(address, stack_pointer)?;
        self.check_room()?;
        self.slow_store(address, value, BYTES)
    }

    fn load_reserved<const BYTES: usize>(&mut self, address: u64) -> Result<u64, RunEnd> {
        self.check_aligned(address, BYTES as u64)?;
        let visible = self.is_visible(address, BYTES as u64, false)?;
        let value = self.slow_load(address, BYTES)?;
        if visible {
            // Other threads' writes take such a reservation away, so the state has to know of it.
            let reservation = (self.threads.running, address);
            let reservations = &mut self.process.change().reservations;
            reservations.retain(|(slot, _)| *slot != reservation.0);
            reservations.push(reservation);
            reservations.sort_unstable();
            self.memory.forget_translations();
        }
        Ok(value)
    }

    fn store_conditional<const BYTES: usize>(
        &mut self,
        address: u64,
        value: u64,
        reserved: bool,
    ) -> Result<bool, RunEnd> {
        self.check_aligned(address, BYTES as u64)?;
        let mine = (self.threads.running, address);
        if self.is_noting() && self.is_visible(address, BYTES as u64, true)? {
            self.note_touched(address, BYTES as u64, Mode::WRITE);
        }
        let holds =
            reserved && (!self.is_visible(address, BYTES as u64, true)? || self.process.reservations.contains(&mine));
        if holds {
            self.slow_store(address, value, BYTES)?;
        }
        if self.process.reservations.iter().any(|(slot, _)| *slot == mine.0) {
            self.process.change().reservations.retain(|(slot, _)| *slot != mine.0);
        }
        Ok(holds)
    }

    fn amo<const BYTES: usize>(&mut self, address: u64, update: impl FnOnce(u64) -> u64) -> Result<u64, RunEnd> {
        self.check_aligned(address, BYTES as u64)?;
        self.ask(address, BYTES as u64, true)?;
        let mut old = [0; 8];
        self.memory.peek(address, &mut old[..BYTES]);
        let old = u64::from_le_bytes(old);
        let new = update(old);
        self.memory.poke(address, &new.to_le_bytes()[..BYTES]);
        if BYTES == 8 {
            self.publish_at(address, new);
        }
        Ok(old)
    }
}
