//! What a step touches that steps of other threads may touch as well, found out while the step is taken.
//!
//! Objects are words of memory that others can reach, lines of memory that libraries keep for themselves, and what is
//! no memory: the end of a thread, the blocks of a heap arena, which slots are free, the clock, what the system keeps.
//! What is assumed about uses and guards ([`uses`](crate::uses), [`guards`](crate::guards)) is left out, since it
//! commutes with everything others do as long as the assumption holds. Nothing is noted while a thread is alone.

use crate::cancellation::is_named;
use crate::hooks::{Hook, Object, Visible, Ways};
use crate::layout::Region;
use crate::machine::Machine;
use crate::mutex::MUTEX_BYTES;
use crate::run_end::RunEnd;
use crate::sharing::SHARED_LINE_BYTES;
use crate::syscalls::number;
use crate::thread::Status;
use dampf_rv::machine::Hart;
use std::cell::{Cell, RefCell};

const A0: usize = 10;
const A1: usize = 11;
const A7: usize = 17;

/// Memory is told apart in words of so many bytes.
const WORD_BYTES: u64 = 4;

/// Stretches longer than this stand for everything.
const STRETCH_MAX: u64 = 1 << 13;

/// Something that several threads may touch: the address of a word, or a number of its own.
pub type ObjectId = u64;

const LIBRARY_LINE: u64 = 1 << 62;
/// Words of blocks of a site, all of which count as one.
const SITE: u64 = 1 << 61;
const SITE_SHIFT: u32 = 8;
/// Words further behind in such a block are not told apart.
const SITE_WORDS: u64 = 1 << SITE_SHIFT;
const OTHER: u64 = 1 << 63;
const SLOTS: ObjectId = OTHER | 3;
const SYSTEM: ObjectId = OTHER | 4;
const CLOCK: ObjectId = OTHER | 5;
const LIBRARY_BLOCKS: ObjectId = OTHER | 6;
const SECTIONS: ObjectId = OTHER | 7;

/// The end of the thread in a slot.
pub fn end_of(slot: u32) -> ObjectId {
    OTHER | u64::from(slot) << 8 | 1
}

/// Which blocks there are in the arenas of a slot.
fn arenas_of(slot: u32) -> ObjectId {
    OTHER | u64::from(slot) << 8 | 2
}

/// The words that a stretch of memory lies in; none if it is too long.
fn words(address: u64, bytes: u64) -> Option<impl Iterator<Item = ObjectId>> {
    let last = address.checked_add(bytes.max(1) - 1).filter(|_| bytes <= STRETCH_MAX)?;
    Some((address / WORD_BYTES..=last / WORD_BYTES).map(|word| word * WORD_BYTES))
}

/// In which ways an object is touched.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Mode(pub u8);

impl Mode {
    pub const READ: Mode = Mode(1);
    pub const WRITE: Mode = Mode(2);
    /// A mutex is acquired by the operation that a step begins with, which waits until it is free.
    pub const ACQUIRE: Mode = Mode(4);
    /// A mutex is given back by the thread that holds it.
    pub const RELEASE: Mode = Mode(8);

    pub fn access(writes: bool) -> Mode {
        if writes { Mode::WRITE } else { Mode::READ }
    }

    pub fn and(self, other: Mode) -> Mode {
        Mode(self.0 | other.0)
    }

    pub fn has(self, other: Mode) -> bool {
        self.0 & other.0 != 0
    }

    pub fn covers(self, other: Mode) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the order of two threads' uses of an object matters. To give a mutex back changes nothing for those who
    /// wait for it: before, they cannot have it, and so do nothing with it.
    pub fn conflicts(self, other: Mode) -> bool {
        const LOCKING: Mode = Mode(4 | 8);
        self.has(Mode::WRITE) && other.0 != 0
            || other.has(Mode::WRITE) && self.0 != 0
            || self.has(Mode::READ) && other.has(LOCKING)
            || other.has(Mode::READ) && self.has(LOCKING)
            || self.has(Mode::ACQUIRE) && other.has(Mode::ACQUIRE)
    }
}

/// What was touched since the step began.
#[derive(Default)]
pub struct Touched {
    /// Whether anybody wants to know.
    is_on: bool,
    /// By the slots of the threads that ran.
    objects: RefCell<Vec<(u32, ObjectId, Mode)>>,
    /// More than objects can tell.
    anything: Cell<bool>,
}

impl Touched {
    pub fn new(is_on: bool) -> Touched {
        Touched { is_on, ..Touched::default() }
    }

    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    pub fn clear(&mut self) {
        self.objects.get_mut().clear();
        self.anything.set(false);
    }

    pub fn objects(&mut self) -> &mut Vec<(u32, ObjectId, Mode)> {
        self.objects.get_mut()
    }

    pub fn is_anything(&self) -> bool {
        self.anything.get()
    }
}

impl Machine<'_> {
    /// Whether it is noted what the running thread touches.
    #[inline]
    pub fn is_noting(&self) -> bool {
        self.touched.is_on && !self.step.alone
    }

    pub fn note_object(&self, object: ObjectId, mode: Mode) {
        if self.is_noting() {
            self.touched.objects.borrow_mut().push((self.threads.running, object, mode));
        }
    }

    /// Notes that the step touches more than can be told.
    pub fn note_anything(&self) {
        self.touched.anything.set(true);
    }

    pub fn note_touched(&self, address: u64, bytes: u64, mode: Mode) {
        if !self.is_noting() {
            return;
        }
        match self.objects_at(address, bytes) {
            Some(words) => {
                let slot = self.threads.running;
                self.touched.objects.borrow_mut().extend(words.map(|word| (slot, word, mode)));
            }
            None => self.note_anything(),
        }
    }

    /// The objects that a stretch of memory is; none if they cannot be told. Blocks of some sites are not told apart.
    pub fn objects_at(&self, address: u64, bytes: u64) -> Option<impl Iterator<Item = ObjectId>> {
        let mut of_site = None;
        if !self.system.sharing.futures.loose_sites.is_empty()
            && let Some(region @ Region::Shared(slot)) = Region::of(address, self.slots())
        {
            let arenas = self.heap.peek_arenas(slot);
            let block = arenas.shared.block_at((address - region.base(0)) as u32)?;
            let start = region.base(0) + u64::from(block.offset);
            let is_loose = self.system.sharing.futures.loose_sites.contains(&block.site);
            of_site = is_loose.then_some((start / WORD_BYTES, SITE | u64::from(block.site) << SITE_SHIFT));
        }
        let objects = words(address, bytes)?.map(move |word| match of_site {
            Some((start, site)) => site | (word / WORD_BYTES).saturating_sub(start).min(SITE_WORDS - 1),
            None => word,
        });
        Some(objects)
    }

    /// The site of the block of the heap that an object is in, if it is one that is told apart.
    pub fn site_of_object(&self, object: ObjectId) -> Option<u32> {
        let region @ Region::Shared(slot) = Region::of(object, self.slots())? else { return None };
        let arenas = self.heap.peek_arenas(slot);
        arenas.shared.block_at((object - region.base(0)) as u32).map(|block| block.site)
    }

    /// Notes an access to memory that libraries keep for themselves.
    pub fn note_library_line(&self, line: u64, writes: bool) {
        self.note_object(LIBRARY_LINE | line, Mode::access(writes));
    }

    /// Notes what an operation is about that the running thread is about to perform.
    pub fn note_operation(&mut self, hook: Hook, hart: &Hart) -> Result<(), RunEnd> {
        if !self.is_noting() {
            return Ok(());
        }
        match hook.visible {
            Visible::Always if is_of_variable(hook) => {}
            Visible::Always => self.note_anything(),
            Visible::AsCreation => self.note_object(SLOTS, Mode::WRITE),
            Visible::AsJoin => {
                self.note_object(SLOTS, Mode::WRITE);
                self.note_joined(hart, Mode::READ);
            }
            Visible::AsSection if self.has_history() => self.note_object(SECTIONS, Mode::WRITE),
            _ => {}
        }
        if hook.observes == crate::hooks::Observes::EndOfDetached {
            self.note_object(SLOTS, Mode::WRITE);
            self.note_joined(hart, Mode::WRITE);
        }
        if is_of_mutex(hook) || hook.object == Object::PlainRead {
            // What is acquired and given back is noted where that happens, and plain reads as such.
            return Ok(());
        }
        if let Some((bytes, writes)) = hook.object_access()
            && self.is_visible(hart.x[A0], bytes, writes)?
        {
            self.note_touched(hart.x[A0], bytes, Mode::access(writes));
        }
        Ok(())
    }

    fn note_joined(&self, hart: &Hart, mode: Mode) {
        if let Some(slot) = self.slot_of_handle(hart.x[A0]) {
            self.note_object(end_of(slot), mode);
        }
    }

    /// Notes that the running thread has arrived at an operation which it could have performed in the same step, but
    /// that it has to wait.
    pub fn note_arrival(&self, hook: Hook, hart: &Hart) {
        if !self.is_noting() {
            return;
        }
        match (hook.visible, hook.object_access()) {
            (Visible::AsJoin, _) => self.note_joined(hart, Mode::READ),
            (_, Some((bytes, _))) => self.note_touched(hart.x[A0], bytes, Mode::READ),
            _ => self.note_anything(),
        }
    }

    /// Notes that the running thread acquires a mutex, or gives it back.
    pub fn note_mutex(&mut self, mutex: u64, acquires: bool) {
        if !self.is_noting() || matches!(self.is_visible_mutex(mutex), Ok(false)) {
            return;
        }
        let mode = match acquires {
            true if self.step.granted => Mode::ACQUIRE,
            true => Mode::ACQUIRE.and(Mode::READ),
            false => Mode::RELEASE,
        };
        self.note_touched(mutex, MUTEX_BYTES.into(), mode);
    }

    /// Notes what a system call is about.
    pub fn note_call(&self, hart: &Hart) {
        match hart.x[A7] {
            number::FUTEX => self.note_touched(hart.x[A0], 4, Mode::WRITE),
            number::CLOCK_GETTIME | number::GETTIMEOFDAY => self.note_object(CLOCK, Mode::WRITE),
            number::WRITE | number::WRITEV if matches!(hart.x[A0], 1 | 2) => {}
            number::NANOSLEEP | number::CLOCK_NANOSLEEP | number::SCHED_YIELD | number::GETPID | number::GETTID => {}
            number::EXIT | number::EXIT_GROUP => {}
            _ => self.note_object(SYSTEM, Mode::WRITE),
        }
        if self.has_history() {
            self.note_object(SYSTEM, Mode::WRITE);
        }
    }

    /// Notes that the running thread ends.
    pub fn note_end_of_thread(&self) {
        let slot = self.threads.running;
        self.note_object(end_of(slot), Mode::WRITE);
        if self.threads.current().detached {
            self.note_object(SLOTS, Mode::WRITE);
        }
        let lines = |from: u64, to: u64| from / SHARED_LINE_BYTES..to / SHARED_LINE_BYTES;
        let storage = Region::Tls(slot).base(0);
        for line in self.system.sharing.shared_lines(lines(storage, Region::Stack(slot).base(0))) {
            self.note_touched(line * SHARED_LINE_BYTES, SHARED_LINE_BYTES, Mode::WRITE);
        }
    }

    /// Notes that a block of the libraries' own is allocated or freed.
    pub fn note_library_blocks(&self) {
        self.note_object(LIBRARY_BLOCKS, Mode::WRITE);
    }

    /// Notes that it matters whether a block is still free which the running thread may be given again. Which place a
    /// block gets otherwise is the allocator's choice, and nobody can tell by it.
    pub fn note_recycled(&self, address: u64) {
        if let Some(Region::Shared(slot)) = Region::of(address, self.slots()) {
            let is_own = slot == self.threads.running;
            self.note_object(arenas_of(slot), Mode::access(!is_own));
        }
    }

    /// Notes that the running thread allocates a block.
    pub fn note_allocation(&self) {
        self.note_object(arenas_of(self.threads.running), Mode::READ);
    }

    /// Notes what is known only when the step is over, and what no object stands for.
    pub fn note_rest(&self) {
        let in_section = self.threads.iter().any(|thread| thread.atomic > 0);
        if in_section || self.process.signals.are_due() {
            self.note_anything();
        }
    }

    /// Adds what a thread that stands somewhere is about to touch, which others may race with. False if that is more
    /// than can be told.
    pub fn add_standing(&mut self, slot: u32, out: &mut Vec<(ObjectId, Mode)>) -> bool {
        let mut add = |machine: &Self, address: u64, bytes: u64, mode: Mode| {
            let told = machine.objects_at(address, bytes).map(|words| out.extend(words.map(|word| (word, mode))));
            told.is_some()
        };
        let thread = self.threads[slot as usize];
        let hook = match thread.status {
            Status::Absent | Status::Exited { .. } => return true,
            Status::OnCondition { condition, .. } => return add(self, condition, 1, Mode::WRITE),
            Status::OnFutex { address, .. } => return add(self, address, 4, Mode::WRITE),
            Status::OnBarrier { barrier } => return add(self, barrier, 1, Mode::WRITE),
            Status::Reacquiring { mutex, .. } => return add(self, mutex, MUTEX_BYTES.into(), Mode::ACQUIRE),
            Status::Running => self.system.program.hook(thread.pc),
        };
        let object = self.threads.register(slot, A0);
        if hook.is_some_and(is_of_variable) {
            return add(self, object, self.threads.register(slot, A1).max(1), Mode::WRITE);
        }
        if let Some(hook) = hook {
            if is_of_mutex(hook) {
                let mode = if hook.visible == Visible::AsRelease { Mode::RELEASE } else { Mode::ACQUIRE };
                return add(self, object, MUTEX_BYTES.into(), mode);
            }
            if hook.visible == Visible::AsConditionWait {
                add(self, self.threads.register(slot, A1), MUTEX_BYTES.into(), Mode::RELEASE);
            }
        }
        let mut pending = std::mem::take(&mut self.scratch.pending);
        pending.clear();
        self.add_pending(slot, &mut pending);
        let mut is_told = true;
        for access in &pending {
            let is_own = match Region::of(access.address, self.slots()) {
                Some(Region::Private(_)) => true,
                Some(Region::Stack(of) | Region::Tls(of)) => {
                    of == slot && !self.system.sharing.is_shared_line(access.address)
                }
                _ => false,
            };
            if !is_own {
                is_told &= add(self, access.address, access.bytes, Mode::access(access.writes));
            }
        }
        self.scratch.pending = pending;
        is_told
    }

    /// Adds what a thread has accessed in its segment: others may race with it until the thread moves. False if that is
    /// more than can be told.
    pub fn add_accessed(&self, slot: u32, out: &mut Vec<(ObjectId, Mode)>) -> bool {
        self.segments.of(slot).iter().all(|access| {
            let touched = self.objects_at(access.address, access.bytes.into());
            touched.map(|words| out.extend(words.map(|word| (word, Mode::access(access.writes))))).is_some()
        })
    }
}

/// Whether an operation acquires a mutex or gives it back, and does nothing else.
fn is_of_mutex(hook: Hook) -> bool {
    let is_mutex = matches!(hook.object, Object::Synchronisation { bytes: MUTEX_BYTES, .. });
    is_mutex && (hook.visible == Visible::AsRelease || matches!(hook.ways, Ways::Waits(_)))
}

/// Whether an operation locks or unlocks a variable against other threads.
fn is_of_variable(hook: Hook) -> bool {
    is_named(hook.place, &["__dampf_lock", "__dampf_unlock"])
}

/// What a thread waits for that cannot move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// That the thread in a slot, or nobody that can, gives this mutex back.
    Mutex {
        objects: Vec<ObjectId>,
        owner: Option<u32>,
    },
    /// That something is done to objects.
    Object {
        objects: Vec<ObjectId>,
    },
    End {
        slot: u32,
    },
    /// Something else.
    Unknown,
}

impl Machine<'_> {
    /// What the thread in a slot waits for, if it cannot move.
    pub fn awaited(&self, slot: u32) -> Awaited {
        let objects = |address: u64, bytes: u64| self.objects_at(address, bytes).map(Iterator::collect::<Vec<_>>);
        let object = |address: u64, bytes: u64| {
            objects(address, bytes).map_or(Awaited::Unknown, |objects| Awaited::Object { objects })
        };
        let mutex = |address: u64| match objects(address, MUTEX_BYTES.into()) {
            Some(objects) => Awaited::Mutex { objects, owner: self.mutex_owner(address) },
            None => Awaited::Unknown,
        };
        let hook = match self.threads[slot as usize].status {
            Status::OnCondition { condition: address, .. }
            | Status::OnFutex { address, .. }
            | Status::OnBarrier { barrier: address } => return object(address, 1),
            Status::Reacquiring { mutex: address, .. } => return mutex(address),
            Status::Absent | Status::Exited { .. } => return Awaited::Unknown,
            Status::Running => self.system.program.hook(self.threads[slot as usize].pc),
        };
        let [first, second] = [A0, A1].map(|number| self.threads.register(slot, number));
        match hook.map(|hook| (hook, hook.visible)) {
            Some((hook, _)) if is_of_mutex(hook) => mutex(first),
            Some((_, Visible::AsJoin)) => {
                self.slot_of_handle(first).map_or(Awaited::Unknown, |slot| Awaited::End { slot })
            }
            Some((hook, _)) if is_of_variable(hook) => object(first, second.max(1)),
            Some((hook, _)) if matches!(hook.object, Object::Synchronisation { .. }) => object(first, 1),
            _ => Awaited::Unknown,
        }
    }
}
