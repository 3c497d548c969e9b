//! A state taken apart, in which a thread can run; and put together again.
//!
//! The machine is made of parts, each of which owns what it is about and touches nothing else. What needs several of
//! them is a method of the machine, in the file that is named for it.

use crate::current_step::CurrentStep;
use crate::frame_slots::FrameSlots;
use crate::heap_arenas::HeapArenas;
use crate::held_locks::HeldLocks;
use crate::layout::Region;
use crate::liveness::Liveness;
use crate::loaded_process::LoadedProcess;
use crate::locked::LockedVariables;
use crate::memory::Memory;
use crate::premise::Premises;
use crate::process::Process;
use crate::race::PendingAccess;
use crate::refutation::Refuted;
use crate::segments::Segments;
use crate::shadow::live_bytes;
use crate::site::Callers;
use crate::system::System;
use crate::thread::Thread;
use crate::threads::Threads;
use crate::touched::Touched;
use dampf_core::Word;
use dampf_rv::memory::Tree;
use std::cell::RefCell;
use std::collections::HashMap;

/// Words of a state before those of the slots: the globals and the process.
const FIXED_WORDS: usize = 2;
/// Where they are: the root of the globals' tree, and the process.
pub const GLOBALS: usize = 0;
pub const PROCESS: usize = 1;
/// A thread and its arenas.
const WORDS_PER_SLOT: usize = 2;

const STACK_POINTER: usize = 2;

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
    /// The words of the state this step began in.
    state: Vec<Word>,
    pub memory: Memory<'m>,
    pub threads: Threads<'m>,
    pub heap: HeapArenas<'m>,
    pub process: LoadedProcess<'m>,
    /// Variables that threads have locked.
    pub locked: LockedVariables,
    /// The locks that threads of classes hold.
    pub held: HeldLocks,
    pub segments: Segments,
    pub step: CurrentStep,
    /// What the step at hand touches, where that is asked for.
    pub touched: Touched,
    pub refuted: Refuted,
    pub liveness: Liveness,
    pub frames: FrameSlots,
    pub callers: Callers,
    pub scratch: Scratch,
    pub premises: Premises,
    /// Instructions that were executed, in all steps together.
    pub instructions: u64,
}

/// Room that is used again and again.
#[derive(Default)]
pub struct Scratch {
    /// The accesses that threads stand before.
    pub pending: Vec<PendingAccess>,
    /// The same by their addresses.
    pub by_address: Vec<PendingAccess>,
    /// The plain accesses that others stand before while the running thread is in an atomic section.
    pub section_rivals: Vec<PendingAccess>,
    /// From where threads were passed in the search of circles of waiting threads.
    pub passed: Vec<u32>,
    /// Whether instructions come from lines that the user wrote, as far as somebody asked.
    pub user_lines: RefCell<HashMap<u64, bool>>,
    /// The watched places that instructions belong to, likewise.
    pub places: RefCell<HashMap<u64, u64>>,
    /// How often threads did not go round that stood before an instruction.
    pub vain_rounds: HashMap<u64, u32>,
    words: Vec<Word>,
    slots: Vec<u32>,
}

impl<'m> Machine<'m> {
    pub fn new(system: &'m System) -> Self {
        Machine {
            system,
            state: vec![0; width(system.sharing.slots())],
            memory: Memory::new(system),
            threads: Threads::new(system),
            heap: HeapArenas::new(system),
            process: LoadedProcess::new(system),
            locked: LockedVariables::default(),
            held: HeldLocks::new(system.sharing.slots()),
            segments: Segments::new(system.sharing.slots()),
            step: CurrentStep::default(),
            touched: Touched::new(system.notes_touched()),
            refuted: Refuted::default(),
            liveness: Liveness::default(),
            frames: FrameSlots::default(),
            callers: Callers::default(),
            scratch: Scratch::default(),
            premises: Premises::default(),
            instructions: 0,
        }
    }

    #[inline]
    pub fn slots(&self) -> usize {
        self.system.sharing.slots()
    }

    /// Takes a state apart. What is as it was in the state before is not taken apart again: with hundreds of threads,
    /// that is nearly everything.
    pub fn load(&mut self, state: &[Word]) {
        self.memory.space.rewind();
        self.step.clear();
        self.touched.clear();
        self.load_process(state);
        self.touch_different(state);
        let touched = self.threads.take_touched();
        self.locked.forget(&touched);
        touched.iter().for_each(|&slot| self.load_thread(slot, state));
        self.threads.give_back(touched);
        while let Some(slot) = self.heap.pop_touched() {
            self.load_arenas(slot, state);
        }
    }

    fn load_process(&mut self, state: &[Word]) {
        self.process.load(state[PROCESS]);
        let (process, space) = (&self.process, &mut self.memory.space);
        space.set_base(Region::Globals, Tree { root: state[GLOBALS], levels: process.globals_levels });
        space.set_base(Region::Break, process.brk);
        space.set_base(Region::Maps, process.maps);
        space.set_base(Region::LibraryHeap, process.library_heap);
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
                if state[thread_at(slot)] != self.state[thread_at(slot)] {
                    self.threads.touch(slot as u32);
                }
                if state[arenas_at(slot)] != self.state[arenas_at(slot)] {
                    self.heap.touch(slot as u32);
                }
            }
        }
    }

    fn load_thread(&mut self, slot: u32, state: &[Word]) {
        let word = state[thread_at(slot as usize)];
        let words = self.threads.load(slot, word);
        self.segments.decode(slot, words.map_or(&[], Thread::segment));
        self.held.decode(slot, words.map_or(&[], Thread::held_locks));
        if let Some(words) = words {
            self.locked.decode(slot, Thread::locked(words));
        }
        let thread = &self.threads[slot as usize];
        self.memory.space.set_base(Region::Stack(slot), thread.stack);
        self.memory.space.set_base(Region::Tls(slot), thread.tls);
        self.state[thread_at(slot as usize)] = word;
    }

    fn load_arenas(&mut self, slot: u32, state: &[Word]) {
        let word = state[arenas_at(slot as usize)];
        let [shared, private] = self.heap.load(slot, word);
        self.memory.space.set_base(Region::Shared(slot), shared);
        self.memory.space.set_base(Region::Private(slot), private);
        self.state[arenas_at(slot as usize)] = word;
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
        let mut slots = std::mem::take(&mut self.scratch.slots);
        slots.extend(self.threads.touched());
        slots.extend(self.heap.touched());
        slots.extend(self.memory.space.changed().filter_map(Region::slot));
        slots.sort_unstable();
        slots.dedup();
        for slot in slots.drain(..) {
            self.store_thread(slot, out);
            self.store_arenas(slot, out);
        }
        self.scratch.slots = slots;
    }

    fn store_process(&mut self, out: &mut [Word]) {
        let space = &self.memory.space;
        let globals = space.tree(Region::Globals);
        out[GLOBALS] = globals.root;
        let trees = [Region::Break, Region::Maps, Region::LibraryHeap];
        let is_changed = self.process.is_changed()
            || globals.levels != self.process.globals_levels
            || trees.into_iter().any(|region| space.is_changed(region));
        if is_changed {
            let process = self.process.change();
            process.globals_levels = globals.levels;
            [process.brk, process.maps, process.library_heap] = trees.map(|region| space.tree(region));
            process.encode(&mut self.scratch.words);
            out[PROCESS] = self.interned_words();
        }
    }

    fn store_thread(&mut self, slot: u32, out: &mut [Word]) {
        let regions = [Region::Stack(slot), Region::Tls(slot)];
        let trees = regions.map(|region| self.memory.space.tree(region));
        let words = &mut self.scratch.words;
        if self.threads.encode_changed(slot, trees, words) {
            let holds_locks = self.locked.encode(slot, words);
            let thread = &self.threads[slot as usize];
            if thread.class != 0 {
                self.held.encode(slot, thread.held, words);
            }
            let accesses = self.segments.encode(slot, words);
            Thread::set_accesses(words, accesses);
            let is_empty = self.threads[slot as usize].is_free() && !holds_locks;
            out[thread_at(slot as usize)] = if is_empty { 0 } else { self.interned_words() };
        } else if regions.into_iter().any(|region| self.memory.space.is_changed(region)) {
            self.threads.encode_stored(slot, trees, words);
            out[thread_at(slot as usize)] = self.interned_words();
        }
    }

    fn store_arenas(&mut self, slot: u32, out: &mut [Word]) {
        let regions = [Region::Shared(slot), Region::Private(slot)];
        let space = &self.memory.space;
        if self.heap.is_touched(slot) || regions.into_iter().any(|region| space.is_changed(region)) {
            self.heap.encode(slot, regions.map(|region| space.tree(region)), &mut self.scratch.words);
            out[arenas_at(slot as usize)] = self.interned_words();
        }
    }

    /// The word for the component that was just encoded.
    fn interned_words(&self) -> Word {
        self.system.components.intern(&self.scratch.words).0 + 1
    }

    /// The state of a process that has ended: nothing is left but its exit status, and variables that are watched.
    fn store_end(&mut self, out: &mut Vec<Word>) {
        let mut ended = Process { ended: self.process.ended, ..Process::default() };
        out.clear();
        out.resize(width(self.slots()), 0);
        if self.system.sharing.watch.runs {
            // A run that has ended stays where it ended, and what it looked at last still holds.
            let globals = self.memory.space.tree(Region::Globals);
            (out[GLOBALS], ended.globals_levels) = (globals.root, globals.levels);
        }
        ended.encode(&mut self.scratch.words);
        out[PROCESS] = self.interned_words();
        // What is loaded is not what was stored.
        self.process.change();
    }

    /// Clears what no thread can read any more, and makes what was written part of the trees.
    fn settle(&mut self) {
        for &slot in self.threads.touched() {
            let Some(hart) = self.threads.loaded_hart(slot) else { continue };
            let sp = if self.threads[slot as usize].is_alive() { hart.x[STACK_POINTER] } else { u64::MAX };
            self.memory.space.clear_dead(Region::Stack(slot), |line| live_bytes(line, sp));
        }
        self.check_escape();
        self.memory.space.settle();
    }

    /// Whether the running thread may perform any number of visible operations.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.step.alone || self.threads.current().atomic > 0
    }

    /// Whether the running thread may access memory as it likes: it is free, and no thread that has ended has left
    /// accesses that it does not know of.
    #[inline]
    pub fn is_free_to_access(&self) -> bool {
        self.threads.current().atomic > 0 || self.step.alone && self.process.history.is_empty()
    }
}
