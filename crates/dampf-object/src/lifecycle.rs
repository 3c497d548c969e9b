//! Threads: how they begin, end, and are waited for.

use crate::hooks::Visible;
use crate::layout::{self, Region};
use crate::machine::Machine;
use crate::run_end::RunEnd;
use crate::sharing::{Fact, FactKind};
use crate::step::Next;
use crate::sync::{Attempt, EBUSY, EDEADLK, EINVAL, ENOMEM, ESRCH, ETIMEDOUT};
use crate::system::Granularity;
use crate::thread::{Status, Thread};
use crate::touched::{Mode, end_of};
use dampf_core::FaultKind;
use dampf_rv::machine::Hart;

/// Room before the thread pointer for what the C library keeps about a thread.
const BEFORE_THREAD_POINTER: u64 = 0x1000;
/// How far before the thread pointer the address of the thread's vector is.
const VECTOR_POINTER: u64 = 16;
const VECTOR_ENTRY: u64 = 16;
const VECTOR_LENGTH: u64 = 62;
const ERANGE: u64 = 34;
const DETACHED: u32 = 1;
const STACK_IS_SET: u32 = 8;
/// Where the flags are in a thread attribute object, and what says how large the stack is and where.
const ATTRIBUTE_FLAGS: u64 = 8;
const ATTRIBUTE_GUARD_BYTES: u64 = 16;
const ATTRIBUTE_STACK_TOP: u64 = 24;
const ATTRIBUTE_STACK_BYTES: u64 = 32;
const THREAD_ATTRIBUTES_BYTES: u64 = 56;
const PAGE_BYTES: u64 = 4096;
/// The C library keeps a thread's first values of keys in a block of this size, just before the pointer to it.
const KEY_BLOCK_BYTES: u64 = 512;
/// Where we keep, in a thread's own area, the registers to exit with (the stack pointer among them), and the value it
/// exits with.
const EXIT_BUFFER: u64 = 0x400;
const EXIT_BUFFER_SP: u64 = 104;
pub const EXIT_VALUE: u64 = 0x600;

/// What functions of C11 return that fail.
mod thrd {
    pub const BUSY: u64 = 1;
    pub const ERROR: u64 = 2;
    pub const NOMEM: u64 = 3;
    pub const TIMEDOUT: u64 = 4;
}

const RA: usize = 1;
const SP: usize = 2;
const GP: usize = 3;
const TP: usize = 4;
const S0: usize = 8;
const S1: usize = 9;
const A0: usize = 10;
const A1: usize = 11;
const A2: usize = 12;

/// Creating a thread is no place to switch until so many live: a program may create them for ever, and a step has to
/// end.
const CREATED_AT_ONCE: usize = 32;
/// In an atomic section nobody else moves: there a step goes on until it has created so many.
const CREATED_IN_SECTION: usize = 1024;

/// What a function of C11 returns where one of POSIX returns this.
pub fn as_c11(next: Next) -> Next {
    match next {
        Next::Return(error) if error != 0 => Next::Return(match error {
            EBUSY => thrd::BUSY,
            ENOMEM => thrd::NOMEM,
            ETIMEDOUT => thrd::TIMEDOUT,
            _ => thrd::ERROR,
        }),
        next => next,
    }
}

impl Machine<'_> {
    /// The thread pointer of a slot, which is also the thread's handle.
    fn thread_pointer(&self, slot: u32) -> u64 {
        let align = self.system.program.image.tls.map_or(16, |tls| tls.align.clamp(16, 4096));
        (Region::Tls(slot).base(0) + BEFORE_THREAD_POINTER).next_multiple_of(align)
    }

    /// The slot of a thread by its handle.
    pub fn slot_of_handle(&self, handle: u64) -> Option<u32> {
        layout::slot_of(handle).filter(|&slot| (slot as usize) < self.slots())
    }

    /// The first thread arrives at `main`.
    pub fn enter_main(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        if self.threads.current().entry == 0 {
            self.threads.current_mut().entry = hart.pc as u32;
        }
        Ok(Next::Run)
    }

    pub fn create_thread(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let [handle, attributes, entry, argument] = [hart.x[10], hart.x[11], hart.x[12], hart.x[13]];
        let slots = self.system.sharing.thread_slots();
        let Some(own) = self.threads.iter().take(slots).position(Thread::is_free) else {
            return Err(self.refute(Fact::new(FactKind::TooFewSlots, slots as u64)));
        };
        let own = own as u32;
        let c11 = attributes == u64::MAX;
        let detached = !c11 && attributes != 0 && self.memory.peek_word(attributes + ATTRIBUTE_FLAGS) & DETACHED != 0;
        let stack_bytes = match attributes {
            0 | u64::MAX => 0,
            _ => self.memory.peek_long(attributes + ATTRIBUTE_STACK_BYTES),
        };
        let stack_bytes = if stack_bytes == 0 { layout::STACK_BYTES } else { stack_bytes.min(layout::STACK_BYTES) };
        self.check_writable(handle, 8)?;
        self.publish(argument);
        self.see_creation(hart, detached);
        let class = if detached { 0 } else { self.class_of(entry, argument) };
        let slot = self.place_of_new(own, class);
        let stack_top = Region::Stack(slot).base(0);
        let pointer = self.thread_pointer(slot);
        self.copy_thread_local_image(pointer);
        self.make_thread_vector(hart.x[TP], pointer, slot);
        self.make_exit_buffer(pointer, slot);
        for flag in self.system.program.single_threaded_flags.clone() {
            self.memory.poke(flag, &[0]);
        }
        self.memory.poke_long(handle, self.thread_pointer(own));
        let begin = self.system.program.stages.begin;
        self.threads[slot as usize] = Thread {
            status: Status::Running,
            detached,
            c11,
            class,
            created_at: self.told_creation(class).unwrap_or_else(|| self.site(hart)),
            entry: self.given_function(entry, argument) as u32,
            stack_bytes: stack_bytes as u32,
            sp: stack_top,
            blocked: self.threads.current().blocked,
            ..Thread::default()
        };
        let new = self.threads.hart_mut(slot);
        *new = Hart::new(begin.unwrap_or(entry));
        new.x[SP] = stack_top;
        new.x[GP] = hart.x[GP];
        new.x[TP] = pointer;
        if begin.is_some() {
            new.x[RA] = layout::RETURN_FROM_START;
            new.x[S0] = entry;
            new.x[S1] = argument;
        } else {
            new.x[RA] = layout::RETURN_FROM_BODY;
            new.x[A0] = argument;
        }
        self.begin_history(slot);
        self.step.fresh.push(slot);
        self.step.alone = false;
        self.step.others = true;
        self.step.ends_here |= self.system.sharing.signals_sent();
        // What the creator does from here on can happen after what the new thread does.
        self.step.granted = false;
        self.step.ends_here |= match self.threads.current().atomic {
            0 => self.threads.alive(CREATED_AT_ONCE + 1) > CREATED_AT_ONCE,
            _ => self.step.fresh.len() > CREATED_IN_SECTION,
        };
        self.memory.forget_translations();
        Ok(Next::Return(0))
    }

    fn copy_thread_local_image(&mut self, pointer: u64) {
        let Some(tls) = self.system.program.image.tls else { return };
        let mut bytes = vec![0; tls.file_size as usize];
        self.memory.peek(tls.address, &mut bytes);
        self.memory.poke(pointer, &bytes);
    }

    /// Makes the vector by which the libraries find a thread's blocks of thread-local variables: its length, a
    /// generation that the creator knows, and the place of the program's own block, two words each.
    fn make_thread_vector(&mut self, creator: u64, pointer: u64, slot: u32) {
        let vector = Region::Tls(slot).base(0) + VECTOR_ENTRY;
        let of_creator = self.memory.peek_long(creator - VECTOR_POINTER);
        let generation = if of_creator == 0 { 0 } else { self.memory.peek_long(of_creator) };
        self.memory.poke_long(vector - VECTOR_ENTRY, VECTOR_LENGTH);
        self.memory.poke_long(vector, generation);
        self.memory.poke_long(vector + VECTOR_ENTRY, pointer);
        self.memory.poke_long(pointer - VECTOR_POINTER, vector);
        // The creator's pointer to its values of keys tells where the new thread's has to be.
        let is_key_pointer =
            |&distance: &u64| self.memory.peek_long(creator - distance) == creator - distance - KEY_BLOCK_BYTES;
        if let Some(distance) = (8..BEFORE_THREAD_POINTER - 0x700).step_by(8).find(is_key_pointer) {
            self.memory.poke_long(pointer - distance, pointer - distance - KEY_BLOCK_BYTES);
        }
    }

    /// Prepares where a thread arrives when it exits from within its functions: the libraries leave them one by one,
    /// with their cleanup handlers and destructors, and then jump to the registers that are saved here.
    pub fn make_exit_buffer(&mut self, pointer: u64, slot: u32) {
        let Some(offset) = self.system.program.exit_buffer_offset else { return };
        let buffer = Region::Tls(slot).base(0) + EXIT_BUFFER;
        self.memory.poke_long(buffer, layout::RETURN_FROM_UNWINDING);
        self.memory.poke_long(buffer + EXIT_BUFFER_SP, Region::Stack(slot).base(0));
        self.memory.poke_long(pointer.wrapping_add(offset), buffer);
    }

    /// A thread has returned to a place that is no code: the next stage of its life begins. None if there is none.
    pub fn next_stage(&mut self, hart: &mut Hart) -> Result<Option<Next>, RunEnd> {
        let stages = self.system.program.stages;
        let mut place = hart.pc;
        if place == layout::RETURN_FROM_START {
            hart.pc = std::mem::take(&mut hart.x[S0]);
            hart.x[A0] = std::mem::take(&mut hart.x[S1]);
            hart.x[RA] = layout::RETURN_FROM_BODY;
            return Ok(Some(Next::Jump));
        }
        if place == layout::RETURN_FROM_HANDLER {
            return self.return_from_handler(hart).map(Some);
        }
        if place == layout::RETURN_FROM_UNWINDING {
            hart.x[A0] = self.memory.peek_long(Region::Tls(self.threads.running).base(0) + EXIT_VALUE);
            place = layout::RETURN_FROM_BODY;
        }
        if place == layout::RETURN_FROM_BODY {
            self.refuse_cancellation();
            hart.x[S0] = if self.threads.current().c11 { hart.x[A0] as i32 as u64 } else { hart.x[A0] };
            if let Some(destructors) = stages.local_destructors {
                hart.x[RA] = layout::RETURN_FROM_LOCAL_DESTRUCTORS;
                hart.pc = destructors;
                return Ok(Some(Next::Jump));
            }
            place = layout::RETURN_FROM_LOCAL_DESTRUCTORS;
        }
        if place == layout::RETURN_FROM_LOCAL_DESTRUCTORS {
            if let Some(destructors) = stages.key_destructors {
                hart.x[RA] = layout::RETURN_FROM_KEY_DESTRUCTORS;
                hart.pc = destructors;
                return Ok(Some(Next::Jump));
            }
            place = layout::RETURN_FROM_KEY_DESTRUCTORS;
        }
        if place != layout::RETURN_FROM_KEY_DESTRUCTORS {
            return Ok(None);
        }
        // Of a detached thread nobody can tell later that it may have ended just now.
        let is_visible = self.is_visible_end();
        if is_visible && !self.is_free() && !self.step.granted {
            hart.pc = layout::RETURN_FROM_KEY_DESTRUCTORS;
            return Err(RunEnd::Visible);
        }
        Ok(Some(self.end_thread(hart.x[S0])))
    }

    /// `pthread_exit`: the library leaves the thread's functions; without its help, the thread's stages begin to end at
    /// once.
    pub fn exit_thread(&mut self, hart: &mut Hart) -> Next {
        self.refuse_cancellation();
        if self.system.program.exit_buffer_offset.is_some() {
            self.memory.poke_long(Region::Tls(self.threads.running).base(0) + EXIT_VALUE, hart.x[A0]);
            return Next::Run;
        }
        hart.x[SP] = Region::Stack(self.threads.running).base(0);
        hart.pc = layout::RETURN_FROM_BODY;
        Next::Jump
    }

    /// Whether others may notice that the running thread ends.
    pub fn is_visible_end(&self) -> bool {
        self.system.sharing.ends_observed() || self.threads.current().detached || self.has_accessed()
    }

    /// The running thread is no more.
    pub fn end_thread(&mut self, value: u64) -> Next {
        self.publish(value);
        self.note_end_of_thread();
        self.end_history();
        let slot = self.threads.running;
        let created = *self.threads.current();
        for region in [Region::Stack(slot), Region::Tls(slot)] {
            self.memory.space.clear_dead(region, |_| 0);
            self.memory.space.replace_tree(region, dampf_rv::memory::Tree::EMPTY);
        }
        let status = if created.detached { Status::Absent } else { Status::Exited { value } };
        let Thread { created_at, entry, held, class, .. } = created;
        *self.threads.current_mut() = Thread { status, created_at, entry, held, class, ..Thread::default() };
        self.check_end_of_member(value);
        if created.detached {
            *self.threads.current_mut() = created.gone();
        }
        if self.process.signals.has_thread(slot) {
            self.process.change().signals.forget_thread(slot);
        }
        if self.process.reservations.iter().any(|(of, _)| *of == slot) {
            self.process.change().reservations.retain(|(of, _)| *of != slot);
        }
        if self.threads.alive(1) == 0 {
            self.process.change().ended = Some(0);
        }
        if created.class == 0 {
            self.release_joiners(slot);
        }
        Next::End
    }

    /// Lets threads go on that wait for one that has ended, where nobody notices when they do.
    fn release_joiners(&mut self, ended: u32) {
        let is_noticed =
            self.system.sharing.joins_observed() || self.system.options.granularity != Granularity::Visible;
        // Whoever is left alone takes a step of its own: there is nothing to be saved, and people want to see what was
        // there before the program ended.
        if is_noticed || self.threads.alive(2) < 2 {
            return;
        }
        for slot in self.threads.alive_slots() {
            let thread = &self.threads[slot as usize];
            let hook = self.system.program.hook(thread.pc).filter(|_| thread.status == Status::Running);
            // What it has accessed is yet to be compared with what others do behind this end.
            let has_accessed = !self.segments.of(slot).is_empty();
            let joins = hook.is_some_and(|hook| hook.visible == Visible::AsJoin) && !has_accessed;
            if joins && self.slot_of_handle(self.threads.register(slot, A0)) == Some(ended) {
                self.step.fresh.push(slot);
            }
        }
    }

    /// Whether a join can happen now: its thread has ended, or there is something to complain about.
    pub fn can_join(&self, handle: u64, joiner: u32) -> bool {
        match self.slot_of_handle(handle) {
            Some(slot) if slot == joiner => true,
            Some(slot) if self.is_away(slot) => false,
            Some(slot) if self.is_member(slot) => self.can_join_class(slot),
            Some(slot) => !self.threads[slot as usize].is_alive() || self.threads[slot as usize].detached,
            None => true,
        }
    }

    /// Joins a thread whose result has so many bytes.
    pub fn join_thread(&mut self, hart: &Hart, attempt: Attempt, bytes: u64) -> Result<Next, RunEnd> {
        let (handle, result) = (hart.x[A0], hart.x[11]);
        let misuse = |message: String| Err(RunEnd::fault(FaultKind::ThreadMisuse, message));
        let me = self.thread_name(self.threads.running);
        let Some(slot) = self.slot_of_handle(handle) else {
            return misuse(format!("{me} joins {handle:#x}, which is no thread"));
        };
        let thread = self.threads[slot as usize];
        if self.has_invalid_clock(attempt) {
            return Ok(Next::Return(EINVAL));
        }
        if self.is_member(slot)
            && let Some(value) = self.foresee_join(slot)
        {
            if result != 0 {
                self.check_writable(result, bytes)?;
                self.memory.poke(result, &value.to_le_bytes()[..bytes as usize]);
            }
            return Ok(Next::Return(0));
        }
        if thread.detached && slot != self.threads.running {
            return misuse(format!("{me} joins {}, which is detached", self.thread_name(slot)));
        }
        match thread.status {
            Status::Absent => misuse(format!("{me} joins a thread that was joined before or is detached")),
            Status::Exited { value } => {
                if result != 0 {
                    self.check_writable(result, bytes)?;
                    self.memory.poke(result, &value.to_le_bytes()[..bytes as usize]);
                }
                self.threads.hart_mut(slot);
                self.threads[slot as usize] = thread.gone();
                self.join_history(slot);
                self.step.others = self.threads.has_others();
                self.memory.forget_translations();
                Ok(Next::Return(0))
            }
            _ if attempt == Attempt::Try => Ok(Next::Return(EBUSY)),
            _ if thread.detached => Ok(Next::Return(EINVAL)),
            _ if slot == self.threads.running => Ok(Next::Return(EDEADLK)),
            _ => Ok(Next::Return(self.busy(attempt))),
        }
    }

    /// What a thread waits for that joins another.
    pub fn told_join_wait(&self, handle: u64) -> String {
        match self.slot_of_handle(handle) {
            Some(joined) => format!("waits for {} to end", self.thread_name(joined)),
            None => "waits for a thread to end".to_owned(),
        }
    }

    pub fn told_join(&self, hart: &Hart) -> Option<String> {
        self.slot_of_handle(hart.x[A0]).map(|slot| format!("joins {}", self.thread_name(slot)))
    }

    pub fn detach_thread(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let me = self.thread_name(self.threads.running);
        let misuse = |message: String| Err(RunEnd::fault(FaultKind::ThreadMisuse, message));
        let Some(slot) = self.slot_of_handle(hart.x[A0]) else { return Ok(Next::Return(ESRCH)) };
        let thread = self.threads[slot as usize];
        self.tell_apart(slot);
        match thread.status {
            Status::Absent => misuse(format!("{me} detaches a thread that was joined before or is detached")),
            _ if thread.detached => Ok(Next::Return(EINVAL)),
            Status::Exited { .. } => {
                self.threads.hart_mut(slot);
                self.threads[slot as usize] = thread.gone();
                self.step.others = self.threads.has_others();
                self.memory.forget_translations();
                Ok(Next::Return(0))
            }
            _ => {
                if slot != self.threads.running {
                    self.threads.hart_mut(slot);
                }
                self.threads[slot as usize].detached = true;
                Ok(Next::Return(0))
            }
        }
    }

    /// A name of a thread has 15 characters at most, and does not matter otherwise.
    pub fn name_thread(&self, hart: &Hart) -> Next {
        const NAME_MAX: usize = 15;
        Next::Return(if self.memory.peek_string(hart.x[A1]).len() > NAME_MAX { ERANGE } else { 0 })
    }

    /// `pthread_getschedparam`: every thread is scheduled as any other, with the policy 0 and the priority 0.
    pub fn scheduling_of_thread(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        for result in [hart.x[A1], hart.x[A2]] {
            self.check_writable(result, 4)?;
            self.memory.poke_word(result, 0);
        }
        Ok(Next::Return(0))
    }

    /// `pthread_getattr_np`: how a thread was created, and where its stack is.
    pub fn attributes_of_thread(&mut self, hart: &Hart) -> Result<Next, RunEnd> {
        let (handle, attributes) = (hart.x[A0], hart.x[A1]);
        let Some(slot) = self.slot_of_handle(handle) else { return Ok(Next::Return(ESRCH)) };
        self.check_writable(attributes, THREAD_ATTRIBUTES_BYTES)?;
        self.note_object(end_of(slot), Mode::READ);
        self.tell_apart(slot);
        let thread = self.threads[slot as usize];
        self.memory.poke(attributes, &[0; THREAD_ATTRIBUTES_BYTES as usize]);
        let flags = STACK_IS_SET | if thread.detached { DETACHED } else { 0 };
        self.memory.poke_word(attributes + ATTRIBUTE_FLAGS, flags);
        self.memory.poke_long(attributes + ATTRIBUTE_GUARD_BYTES, PAGE_BYTES);
        self.memory.poke_long(attributes + ATTRIBUTE_STACK_TOP, Region::Stack(slot).base(0));
        self.memory.poke_long(attributes + ATTRIBUTE_STACK_BYTES, thread.stack_bytes.into());
        Ok(Next::Return(0))
    }

    /// The handle of the running thread.
    pub fn own_handle(&self, hart: &Hart) -> u64 {
        self.tell_apart_running();
        hart.x[TP]
    }

    /// Sets the running thread's `errno`.
    pub fn set_errno(&mut self, hart: &Hart, value: u64) {
        if let Some(offset) = self.system.program.errno_offset {
            self.memory.poke_word(hart.x[TP].wrapping_add(offset), value as u32);
        }
    }
}
