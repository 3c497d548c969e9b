//! A state taken apart, in which a thread can run; and put together again.

use crate::arena::Arenas;
use crate::layout::Region;
use crate::liveness::Liveness;
use crate::process::Process;
use crate::race::PendingAccess;
use crate::site::Callers;
use crate::space::Space;
use crate::system::System;
use crate::thread::{Status, Thread};
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
    /// The words of the state this step began in, and its trees.
    state: Vec<Word>,
    base_trees: Vec<Tree>,
    /// The slot of the running thread.
    pub running: u32,
    /// The slot whose registers are out, because its thread runs.
    pub out: Option<u32>,
    /// Its registers at the operation that it performs, where that is on its own stack: faults name what is there.
    pub operating: Option<Hart>,
    /// No other thread is alive: nothing is visible to anybody.
    pub alone: bool,
    /// The running thread may perform one visible operation.
    pub granted: bool,
    /// Reads may reach beyond the end of an object.
    pub lenient: bool,
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
    #[expect(clippy::vec_box, reason = "harts move between here and `harts` as boxes")]
    spare_harts: Vec<Box<Hart>>,
    words: Vec<Word>,
}

impl<'m> Machine<'m> {
    pub fn new(system: &'m System) -> Self {
        let slots = system.sharing.slots;
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
            base_trees: vec![Tree::EMPTY; regions],
            running: 0,
            out: None,
            operating: None,
            alone: false,
            granted: false,
            lenient: false,
            section_began: false,
            fresh: Vec::new(),
            output: Vec::new(),
            gap: None,
            instructions: 0,
            liveness: Liveness::default(),
            callers: Callers::default(),
            pending: Vec::new(),
            spare_harts: Vec::new(),
            words: Vec::new(),
        }
    }

    pub fn slots(&self) -> usize {
        self.threads.len()
    }

    /// Takes a state apart. What is as it was in the state before is not taken apart again.
    pub fn load(&mut self, state: &[Word]) {
        let components = &self.system.components;
        self.space.reset();
        self.output.clear();
        self.gap = None;
        self.fresh.clear();
        if self.state[PROCESS] != state[PROCESS] || self.process_changed || state[PROCESS] == 0 {
            self.process = match state[PROCESS] {
                0 => Process::default(),
                id => Process::decode(components.get(ComponentId(id - 1))),
            };
        }
        self.process_changed = false;
        let trees = &mut self.base_trees;
        trees[Region::Globals.number()] = Tree { root: state[GLOBALS], levels: self.process.globals_levels };
        trees[Region::Break.number()] = self.process.brk;
        trees[Region::Maps.number()] = self.process.maps;
        trees[Region::LibraryHeap.number()] = self.process.library_heap;
        for slot in 0..self.threads.len() {
            let (thread, arenas) = (thread_at(slot), arenas_at(slot));
            let number = slot as u32;
            let known = self.harts[slot].is_none() && state[thread] == self.state[thread];
            // With hundreds of threads, nearly all are as they were.
            if known && state[arenas] == self.state[arenas] && !self.arenas_changed[slot] {
                continue;
            }
            self.spare_harts.extend(self.harts[slot].take());
            if !known {
                self.threads[slot] = match state[thread] {
                    0 => Thread::default(),
                    id => Thread::decode(components.get(ComponentId(id - 1))),
                };
                trees[Region::Stack(number).number()] = self.threads[slot].stack;
                trees[Region::Tls(number).number()] = self.threads[slot].tls;
            }
            if state[arenas] != self.state[arenas] || self.arenas_changed[slot] {
                self.arenas[slot] = None;
                self.arenas_changed[slot] = false;
                let [shared, private] = match state[arenas] {
                    0 => [Tree::EMPTY; 2],
                    id => Arenas::decode_trees(components.get(ComponentId(id - 1))),
                };
                trees[Region::Shared(number).number()] = shared;
                trees[Region::Private(number).number()] = private;
            }
        }
        self.state.copy_from_slice(state);
        self.space.trees.copy_from_slice(&self.base_trees);
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
        let components = &self.system.components;
        out.clear();
        out.extend_from_slice(&self.state);
        let trees = &self.space.trees;
        let globals = trees[Region::Globals.number()];
        out[GLOBALS] = globals.root;
        let changed = |region: Region| trees[region.number()] != self.base_trees[region.number()];
        self.process_changed |= globals.levels != self.process.globals_levels;
        self.process_changed |= [Region::Break, Region::Maps, Region::LibraryHeap].into_iter().any(changed);
        if self.process_changed {
            self.process.globals_levels = globals.levels;
            self.process.brk = trees[Region::Break.number()];
            self.process.maps = trees[Region::Maps.number()];
            self.process.library_heap = trees[Region::LibraryHeap.number()];
            self.process.encode(&mut self.words);
            out[PROCESS] = components.intern(&self.words).0 + 1;
        }
        for slot in 0..self.threads.len() {
            let number = slot as u32;
            let of_slot = Region::of_slot(number);
            if self.harts[slot].is_none()
                && !self.arenas_changed[slot]
                && trees[of_slot.clone()] == self.base_trees[of_slot]
            {
                continue;
            }
            let (thread_at, arenas_at) = (thread_at(slot), arenas_at(slot));
            let (stack, tls) = (trees[Region::Stack(number).number()], trees[Region::Tls(number).number()]);
            if let Some(hart) = &self.harts[slot] {
                out[thread_at] = match self.threads[slot].status {
                    Status::Absent => 0,
                    _ => {
                        Thread { stack, tls, ..self.threads[slot] }.encode(hart, &mut self.words);
                        components.intern(&self.words).0 + 1
                    }
                };
            } else if changed(Region::Stack(number)) || changed(Region::Tls(number)) {
                self.words.clear();
                self.words.extend_from_slice(components.get(ComponentId(out[thread_at] - 1)));
                Thread::replace_trees(&mut self.words, stack, tls);
                out[thread_at] = components.intern(&self.words).0 + 1;
            }
            let regions = [Region::Shared(number), Region::Private(number)];
            if self.arenas_changed[slot] || regions.into_iter().any(changed) {
                Arenas::encode_trees(regions.map(|region| trees[region.number()]), &mut self.words);
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
        for slot in 0..self.threads.len() {
            let Some(hart) = &self.harts[slot] else { continue };
            let sp = if self.threads[slot].is_alive() { hart.x[2] } else { u64::MAX };
            self.space.clear_dead(Region::Stack(slot as u32), |line| match sp.saturating_sub(line) {
                0 => u64::MAX,
                dead @ 1..64 => u64::MAX << dead,
                _ => 0,
            });
        }
        self.space.settle();
    }

    /// The registers of a thread, for reading and writing.
    pub fn hart_mut(&mut self, slot: u32) -> &mut Hart {
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

    pub fn alive(&self) -> usize {
        self.threads.iter().filter(|thread| thread.is_alive()).count()
    }

    /// Whether the running thread may perform any number of visible operations.
    pub fn is_free(&self) -> bool {
        self.alone || self.thread().atomic > 0
    }
}
