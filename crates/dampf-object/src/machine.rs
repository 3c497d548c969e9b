//! A state taken apart, in which a thread can run; and put together again.

use crate::arena::Arenas;
use crate::layout::Region;
use crate::liveness::Liveness;
use crate::locked::LockedVariables;
use crate::process::Process;
use crate::race::PendingAccess;
use crate::refutation::Refuted;
use crate::site::Callers;
use crate::space::Space;
use crate::system::System;
use crate::thread::Thread;
use dampf_core::{ComponentId, Word};
use dampf_rv::machine::Hart;
use dampf_rv::memory::Tree;
use std::borrow::Cow;

/// Words of a state before those of the slots: the globals and the process.
const FIXED_WORDS: usize = 2;
/// Where they are: the root of the globals' tree, and the process.
pub const GLOBALS: usize = 0;
pub const PROCESS: usize = 1;
/// A thread and its arenas.
const WORDS_PER_SLOT: usize = 2;

/// Where a state has the thread of a slot.
#[inline]
pub fn thread_at(slot: usize) -> usize {
    FIXED_WORDS + WORDS_PER_SLOT * slot
}

/// Where a state has the arenas of a slot.
#[inline]
pub fn arenas_at(slot: usize) -> usize {
    thread_at(slot) + 1
}

/// The width of states with so many slots.
pub fn width(slots: usize) -> usize {
    FIXED_WORDS + WORDS_PER_SLOT * slots
}

pub struct Machine<'m> {
    pub system: &'m System,
    pub space: Space<'m>,
    pub threads: Vec<Thread>,
    /// The registers of threads that run or were changed in this step.
    pub harts: Vec<Option<Box<Hart>>>,
    pub process: Process,
    process_changed: bool,
    arenas: Vec<Option<Box<Arenas>>>,
    arenas_changed: Vec<bool>,
    /// The words of the state this step began in.
    state: Vec<Word>,
    /// Slots of which something was changed in this step. All others are as the state has them.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// What threads have locked.
    pub locked: LockedVariables,
    /// The slot of the running thread.
    pub running: u32,
    /// The slot whose registers are out, because its thread runs.
    pub out: Option<u32>,
    /// Its registers at the operation that it performs, where that is on its own stack: faults name what is there.
    pub operating: Option<Hart>,
    /// No other thread is alive: nothing is visible to anybody.
    pub alone: bool,
    /// There are others, or some that may have ended just now.
    pub others: bool,
    /// The running thread may perform one visible operation.
    pub granted: bool,
    /// Reads may reach beyond the end of an object.
    pub lenient: bool,
    /// The running thread's stack pointer when what it has left of its stack was last looked at.
    pub sp_before: u64,
    /// The running thread has entered an atomic section in this step.
    pub section_began: bool,
    /// Threads that were created in this step and have not run yet.
    pub fresh: Vec<u32>,
    /// What the program wrote in this step.
    pub output: Vec<u8>,
    /// What this step leaves out, if it does: then the search verifies nothing.
    pub gap: Option<String>,
    /// Instructions that were executed, in all steps together.
    pub instructions: u64,
    pub liveness: Liveness,
    pub callers: Callers,
    /// Scratch: the accesses that threads stand before.
    pub pending: Vec<PendingAccess>,
    /// Room for the search of circles of waiting threads.
    pub passed: Vec<u32>,
    #[expect(clippy::vec_box, reason = "harts move between here and `harts` as boxes")]
    spare_harts: Vec<Box<Hart>>,
    words: Vec<Word>,
    stored_slots: Vec<u32>,
    pub refuted: Refuted,
}

impl<'m> Machine<'m> {
    pub fn new(system: &'m System) -> Self {
        let slots = system.sharing.slots();
        let regions = Region::count(slots);
        Machine {
            space: Space::new(&system.lines, system.program.globals.start, regions),
            system,
            threads: vec![Thread::default(); slots],
            harts: (0..slots).map(|_| None).collect(),
            process: Process::default(),
            process_changed: false,
            arenas: (0..slots).map(|_| None).collect(),
            arenas_changed: vec![false; slots],
            state: vec![0; width(slots)],
            touched: Vec::new(),
            is_touched: vec![false; slots],
            locked: LockedVariables::default(),
            running: 0,
            out: None,
            operating: None,
            alone: false,
            others: false,
            granted: false,
            lenient: false,
            sp_before: 0,
            section_began: false,
            fresh: Vec::new(),
            output: Vec::new(),
            gap: None,
            instructions: 0,
            liveness: Liveness::default(),
            callers: Callers::default(),
            pending: Vec::new(),
            passed: Vec::new(),
            spare_harts: Vec::new(),
            words: Vec::new(),
            stored_slots: Vec::new(),
            refuted: Refuted::default(),
        }
    }

    pub fn slots(&self) -> usize {
        self.threads.len()
    }

    /// Takes a state apart. What is as it was in the state before is not taken apart again: with hundreds of threads, that is nearly
    /// everything.
    pub fn load(&mut self, state: &[Word]) {
        self.space.rewind();
        self.output.clear();
        self.gap = None;
        self.fresh.clear();
        self.load_process(state);
        self.touch_different(state);
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        self.locked.forget(&touched);
        touched.drain(..).for_each(|slot| self.load_slot(slot, state));
        self.touched = touched;
    }

    fn load_process(&mut self, state: &[Word]) {
        if self.state[PROCESS] != state[PROCESS] || self.process_changed || state[PROCESS] == 0 {
            self.process = match state[PROCESS] {
                0 => Process::default(),
                id => Process::decode(self.system.components.get(ComponentId(id - 1))),
            };
        }
        self.process_changed = false;
        let process = &self.process;
        self.space.set_base(Region::Globals, Tree { root: state[GLOBALS], levels: process.globals_levels });
        self.space.set_base(Region::Break, process.brk);
        self.space.set_base(Region::Maps, process.maps);
        self.space.set_base(Region::LibraryHeap, process.library_heap);
        self.state[..FIXED_WORDS].copy_from_slice(&state[..FIXED_WORDS]);
    }

    /// Touches the slots whose words differ from those of the state before.
    fn touch_different(&mut self, state: &[Word]) {
        const SLOTS_AT_ONCE: usize = 16;
        for first in (0..self.slots()).step_by(SLOTS_AT_ONCE) {
            let slots = first..self.slots().min(first + SLOTS_AT_ONCE);
            let words = thread_at(slots.start)..thread_at(slots.end);
            if state[words.clone()] == self.state[words] {
                continue;
            }
            for slot in slots {
                let words = thread_at(slot)..thread_at(slot + 1);
                if state[words.clone()] != self.state[words] {
                    self.touch(slot as u32);
                }
            }
        }
    }

    /// Takes note that what is known of a slot is not, or soon will not be, what the state has.
    pub fn touch(&mut self, slot: u32) {
        if !std::mem::replace(&mut self.is_touched[slot as usize], true) {
            self.touched.push(slot);
        }
    }

    fn load_slot(&mut self, number: u32, state: &[Word]) {
        let slot = number as usize;
        self.is_touched[slot] = false;
        let (thread, arenas) = (thread_at(slot), arenas_at(slot));
        let components = &self.system.components;
        self.spare_harts.extend(self.harts[slot].take());
        self.threads[slot] = match state[thread] {
            0 => Thread::default(),
            id => {
                let words = components.get(ComponentId(id - 1));
                self.locked.decode(number, Thread::locked(words));
                Thread::decode(words)
            }
        };
        self.space.set_base(Region::Stack(number), self.threads[slot].stack);
        self.space.set_base(Region::Tls(number), self.threads[slot].tls);
        if state[arenas] != self.state[arenas] || self.arenas_changed[slot] {
            self.arenas[slot] = None;
            self.arenas_changed[slot] = false;
            let [shared, private] = match state[arenas] {
                0 => [Tree::EMPTY; 2],
                id => Arenas::decode_trees(components.get(ComponentId(id - 1))),
            };
            self.space.set_base(Region::Shared(number), shared);
            self.space.set_base(Region::Private(number), private);
        }
        self.state[thread] = state[thread];
        self.state[arenas] = state[arenas];
    }

    /// An integer register of a thread.
    #[inline]
    pub fn register(&self, slot: u32, number: usize) -> u64 {
        match (&self.harts[slot as usize], self.state[thread_at(slot as usize)]) {
            (Some(hart), _) => hart.x[number],
            (None, 0) => 0,
            (None, id) => Thread::register(self.system.components.get(ComponentId(id - 1)), number),
        }
    }

    /// Puts the state together again, as it is now.
    pub fn store(&mut self, out: &mut Vec<Word>) {
        self.settle();
        if self.process.ended.is_some() {
            self.store_end(out);
            return;
        }
        out.clear();
        out.extend_from_slice(&self.state);
        self.store_process(out);
        let mut slots = std::mem::take(&mut self.stored_slots);
        slots.extend(&self.touched);
        slots.extend(self.space.changed().filter_map(Region::slot));
        slots.sort_unstable();
        slots.dedup();
        slots.drain(..).for_each(|slot| self.store_slot(slot, out));
        self.stored_slots = slots;
    }

    fn store_process(&mut self, out: &mut [Word]) {
        let globals = self.space.tree(Region::Globals);
        out[GLOBALS] = globals.root;
        self.process_changed |= globals.levels != self.process.globals_levels;
        let trees = [Region::Break, Region::Maps, Region::LibraryHeap];
        self.process_changed |= trees.into_iter().any(|region| self.space.is_changed(region));
        if self.process_changed {
            self.process.globals_levels = globals.levels;
            [self.process.brk, self.process.maps, self.process.library_heap] =
                trees.map(|region| self.space.tree(region));
            self.process.encode(&mut self.words);
            out[PROCESS] = self.system.components.intern(&self.words).0 + 1;
        }
    }

    fn store_slot(&mut self, number: u32, out: &mut [Word]) {
        let components = &self.system.components;
        let slot = number as usize;
        let (thread_at, arenas_at) = (thread_at(slot), arenas_at(slot));
        let changed = |region: Region| self.space.is_changed(region);
        let [stack, tls] = [Region::Stack(number), Region::Tls(number)].map(|region| self.space.tree(region));
        if let Some(hart) = &self.harts[slot] {
            Thread { stack, tls, ..self.threads[slot] }.encode(hart, &mut self.words);
            let holds_locks = self.locked.encode(number, &mut self.words);
            let is_empty = self.threads[slot].is_free() && !holds_locks;
            out[thread_at] = if is_empty { 0 } else { components.intern(&self.words).0 + 1 };
        } else if changed(Region::Stack(number)) || changed(Region::Tls(number)) {
            self.words.clear();
            self.words.extend_from_slice(components.get(ComponentId(out[thread_at] - 1)));
            Thread::replace_trees(&mut self.words, stack, tls);
            out[thread_at] = components.intern(&self.words).0 + 1;
        }
        let regions = [Region::Shared(number), Region::Private(number)];
        if self.arenas_changed[slot] || regions.into_iter().any(changed) {
            Arenas::encode_trees(regions.map(|region| self.space.tree(region)), &mut self.words);
            match (&self.arenas[slot], self.state[arenas_at]) {
                (Some(arenas), _) => arenas.encode_blocks(&mut self.words),
                (None, 0) => Arenas::default().encode_blocks(&mut self.words),
                (None, id) => {
                    self.words.extend_from_slice(&components.get(ComponentId(id - 1))[Arenas::BLOCKS..]);
                }
            }
            out[arenas_at] = components.intern(&self.words).0 + 1;
        }
    }

    /// The state of a process that has ended: nothing is left but its exit status.
    fn store_end(&mut self, out: &mut Vec<Word>) {
        let ended = Process { ended: self.process.ended, ..Process::default() };
        ended.encode(&mut self.words);
        out.clear();
        out.resize(width(self.threads.len()), 0);
        out[PROCESS] = self.system.components.intern(&self.words).0 + 1;
        self.process_changed = true;
    }

    /// Clears what no thread can read any more, and makes what was written part of the trees.
    fn settle(&mut self) {
        for &number in &self.touched {
            let slot = number as usize;
            let Some(hart) = &self.harts[slot] else { continue };
            let sp = if self.threads[slot].is_alive() { hart.x[2] } else { u64::MAX };
            self.space.clear_dead(Region::Stack(number), |line| match sp.saturating_sub(line) {
                0 => u64::MAX,
                dead @ 1..64 => u64::MAX << dead,
                _ => 0,
            });
        }
        self.space.settle();
    }

    /// The registers of a thread, for reading and writing.
    pub fn hart_mut(&mut self, slot: u32) -> &mut Hart {
        self.touch(slot);
        let slot = slot as usize;
        if self.harts[slot].is_none() {
            let mut hart = self.spare_harts.pop().unwrap_or_else(|| Box::new(Hart::new(0)));
            match self.state[thread_at(slot)] {
                0 => *hart = Hart::new(0),
                id => Thread::decode_registers(self.system.components.get(ComponentId(id - 1)), &mut hart),
            }
            self.harts[slot] = Some(hart);
        }
        self.harts[slot].as_mut().expect("loaded above")
    }

    /// The registers of a thread, for descriptions; none while it runs, since they are out, unless at an operation on its
    /// own stack.
    pub fn peek_hart(&self, slot: u32) -> Option<Cow<'_, Hart>> {
        if self.out == Some(slot) {
            return self.operating.as_ref().map(Cow::Borrowed);
        }
        match (&self.harts[slot as usize], self.state[thread_at(slot as usize)]) {
            (Some(hart), _) => Some(Cow::Borrowed(hart)),
            (None, id) if id != 0 => {
                let mut hart = Hart::new(0);
                Thread::decode_registers(self.system.components.get(ComponentId(id - 1)), &mut hart);
                Some(Cow::Owned(hart))
            }
            _ => None,
        }
    }

    /// Takes a thread's registers out, to run it.
    pub fn take_hart(&mut self, slot: u32) -> Box<Hart> {
        self.hart_mut(slot);
        self.harts[slot as usize].take().expect("loaded above")
    }

    pub fn process_mut(&mut self) -> &mut Process {
        self.process_changed = true;
        &mut self.process
    }

    pub fn arenas(&mut self, slot: u32) -> &Arenas {
        self.load_arenas(slot);
        self.arenas[slot as usize].as_ref().expect("loaded above")
    }

    pub fn arenas_mut(&mut self, slot: u32) -> &mut Arenas {
        self.load_arenas(slot);
        self.touch(slot);
        self.arenas_changed[slot as usize] = true;
        self.arenas[slot as usize].as_mut().expect("loaded above")
    }

    /// The blocks of a slot, for descriptions, which must not depend on what has been looked at before.
    pub fn peek_arenas(&self, slot: u32) -> Cow<'_, Arenas> {
        match &self.arenas[slot as usize] {
            Some(arenas) => Cow::Borrowed(arenas),
            None => Cow::Owned(self.decode_arenas(slot)),
        }
    }

    fn decode_arenas(&self, slot: u32) -> Arenas {
        match self.state[arenas_at(slot as usize)] {
            0 => Arenas::default(),
            id => Arenas::decode_blocks(self.system.components.get(ComponentId(id - 1))),
        }
    }

    fn load_arenas(&mut self, slot: u32) {
        if self.arenas[slot as usize].is_none() {
            self.arenas[slot as usize] = Some(Box::new(self.decode_arenas(slot)));
        }
    }

    pub fn thread(&self) -> &Thread {
        &self.threads[self.running as usize]
    }

    pub fn thread_mut(&mut self) -> &mut Thread {
        &mut self.threads[self.running as usize]
    }

    /// The number of threads that are alive, counted up to a number.
    pub fn alive(&self, most: usize) -> usize {
        self.threads.iter().filter(|thread| thread.is_alive()).take(most).count()
    }

    /// Whether the running thread may perform any number of visible operations.
    pub fn is_free(&self) -> bool {
        self.alone || self.thread().atomic > 0
    }
}
