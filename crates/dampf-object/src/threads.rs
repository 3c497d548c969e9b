//! The threads of the state that a step goes through, and which of them runs.
//!
//! A thread's registers are decoded when they are needed, which is rarely: with hundreds of threads, a step looks at a
//! few.

use crate::system::System;
use crate::thread::{Status, Thread};
use dampf_core::{ComponentId, Word};
use dampf_rv::machine::Hart;
use dampf_rv::memory::Tree;
use std::borrow::Cow;
use std::ops::{Index, IndexMut};

pub struct Threads<'m> {
    system: &'m System,
    all: Vec<Thread>,
    /// The registers of threads that run or were changed in this step.
    harts: Vec<Option<Box<Hart>>>,
    #[expect(clippy::vec_box, reason = "harts move between here and `harts` as boxes")]
    spare_harts: Vec<Box<Hart>>,
    /// The word of each thread in the state this step began in: what is not in `harts` is there.
    stored: Vec<Word>,
    /// Slots of which something was changed in this step. All others are as the state has them.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// The slot of the running thread.
    pub running: u32,
    /// The slot whose registers are out, because its thread runs.
    pub out: Option<u32>,
    /// Its registers at the operation that it performs, where that is on its own stack: faults name what is there.
    pub operating: Option<Hart>,
}

impl Index<usize> for Threads<'_> {
    type Output = Thread;

    #[inline]
    fn index(&self, slot: usize) -> &Thread {
        &self.all[slot]
    }
}

impl IndexMut<usize> for Threads<'_> {
    #[inline]
    fn index_mut(&mut self, slot: usize) -> &mut Thread {
        &mut self.all[slot]
    }
}

impl<'m> Threads<'m> {
    pub fn new(system: &'m System) -> Threads<'m> {
        let slots = system.sharing.slots();
        Threads {
            system,
            all: vec![Thread::default(); slots],
            harts: (0..slots).map(|_| None).collect(),
            spare_harts: Vec::new(),
            stored: vec![0; slots],
            touched: Vec::new(),
            is_touched: vec![false; slots],
            running: 0,
            out: None,
            operating: None,
        }
    }

    /// All threads, by slot.
    #[inline]
    pub fn iter(&self) -> std::slice::Iter<'_, Thread> {
        self.all.iter()
    }

    /// The words of a thread in the state this step began in; none where there is no thread.
    #[inline]
    fn stored_words(&self, slot: usize) -> Option<&'m [Word]> {
        let system = self.system;
        self.stored[slot].checked_sub(1).map(|id| system.components.get(ComponentId(id)))
    }

    /// Takes note that what is known of a slot is not, or soon will not be, what the state has.
    pub fn touch(&mut self, slot: u32) {
        if !std::mem::replace(&mut self.is_touched[slot as usize], true) {
            self.touched.push(slot);
        }
    }

    pub fn is_touched(&self, slot: u32) -> bool {
        self.is_touched[slot as usize]
    }

    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// Takes the touched slots, ascending, which are about to be loaded.
    pub fn take_touched(&mut self) -> Vec<u32> {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched
    }

    /// Gives back what [`take_touched`](Self::take_touched) took, for its room.
    pub fn give_back(&mut self, mut touched: Vec<u32>) {
        touched.clear();
        self.touched = touched;
    }

    /// Loads a thread from its word in a state. Its words, if there are some.
    pub fn load(&mut self, slot: u32, word: Word) -> Option<&'m [Word]> {
        let slot = slot as usize;
        self.is_touched[slot] = false;
        self.spare_harts.extend(self.harts[slot].take());
        self.stored[slot] = word;
        let words = self.stored_words(slot);
        self.all[slot] = words.map_or_else(Thread::default, Thread::decode);
        words
    }

    /// Writes the words of a thread with these trees of its stack and its thread-local storage, where its registers may
    /// have changed.
    pub fn encode_changed(&self, slot: u32, [stack, tls]: [Tree; 2], words: &mut Vec<Word>) -> bool {
        let slot = slot as usize;
        let Some(hart) = &self.harts[slot] else { return false };
        Thread { stack, tls, ..self.all[slot] }.encode(hart, words);
        true
    }

    /// Writes the words of a thread of which nothing but the trees has changed.
    pub fn encode_stored(&self, slot: u32, [stack, tls]: [Tree; 2], words: &mut Vec<Word>) {
        words.clear();
        words.extend_from_slice(self.stored_words(slot as usize).expect("a thread whose memory changes is there"));
        Thread::replace_trees(words, stack, tls);
    }

    /// An integer register of a thread.
    #[inline]
    pub fn register(&self, slot: u32, number: usize) -> u64 {
        match &self.harts[slot as usize] {
            Some(hart) => hart.x[number],
            None => self.stored_words(slot as usize).map_or(0, |words| Thread::register(words, number)),
        }
    }

    /// The registers of a thread, for reading and writing.
    pub fn hart_mut(&mut self, slot: u32) -> &mut Hart {
        self.touch(slot);
        let slot = slot as usize;
        if self.harts[slot].is_none() {
            let mut hart = self.spare_harts.pop().unwrap_or_else(|| Box::new(Hart::new(0)));
            match self.stored_words(slot) {
                None => *hart = Hart::new(0),
                Some(words) => Thread::decode_registers(words, &mut hart),
            }
            self.harts[slot] = Some(hart);
        }
        self.harts[slot].as_mut().expect("loaded above")
    }

    /// The registers that are loaded of a thread.
    pub fn loaded_hart(&self, slot: u32) -> Option<&Hart> {
        self.harts[slot as usize].as_deref()
    }

    /// The registers of a thread, for descriptions; none while it runs, since they are out, unless at an operation on
    /// its own stack.
    pub fn peek_hart(&self, slot: u32) -> Option<Cow<'_, Hart>> {
        if self.out == Some(slot) {
            return self.operating.as_ref().map(Cow::Borrowed);
        }
        if let Some(hart) = &self.harts[slot as usize] {
            return Some(Cow::Borrowed(hart));
        }
        let words = self.stored_words(slot as usize)?;
        let mut hart = Hart::new(0);
        Thread::decode_registers(words, &mut hart);
        Some(Cow::Owned(hart))
    }

    /// Takes a thread's registers out, to run it.
    pub fn take_hart(&mut self, slot: u32) -> Box<Hart> {
        self.hart_mut(slot);
        self.harts[slot as usize].take().expect("loaded above")
    }

    /// Puts a thread's registers back.
    pub fn put_hart(&mut self, slot: u32, hart: Box<Hart>) {
        self.harts[slot as usize] = Some(hart);
    }

    /// The running thread.
    #[inline]
    pub fn current(&self) -> &Thread {
        &self.all[self.running as usize]
    }

    #[inline]
    pub fn current_mut(&mut self) -> &mut Thread {
        &mut self.all[self.running as usize]
    }

    /// How objects name the running thread: 0 is nobody.
    pub fn own_number(&self) -> u32 {
        self.running + 1
    }

    /// The slots of the threads that are alive.
    pub fn alive_slots(&self) -> Vec<u32> {
        (0..self.all.len() as u32).filter(|&slot| self.all[slot as usize].is_alive()).collect()
    }

    /// The number of threads that are alive, counted up to a number.
    pub fn alive(&self, most: usize) -> usize {
        self.all.iter().filter(|thread| thread.is_alive()).take(most).count()
    }

    /// Whether there are threads besides the running one, or some that may have ended just now: nobody has joined them.
    pub fn has_others(&self) -> bool {
        let is_other = |slot: usize, thread: &Thread| slot != self.running as usize && thread.status != Status::Absent;
        self.all.iter().enumerate().any(|(slot, thread)| is_other(slot, thread))
    }

    /// The slots of the threads whose status is such a one.
    fn with_status(&self, is_such: impl Fn(Status) -> bool) -> impl Iterator<Item = u32> {
        self.all.iter().enumerate().filter(move |(_, thread)| is_such(thread.status)).map(|(slot, _)| slot as u32)
    }

    /// The threads that wait on a condition variable.
    pub fn waiters(&self, wanted: u64) -> impl Iterator<Item = u32> {
        self.with_status(move |status| matches!(status, Status::OnCondition { condition, .. } if condition == wanted))
    }

    pub fn waiter_count(&self, condition: u64) -> u32 {
        self.waiters(condition).count() as u32
    }

    /// The threads that wait for a change of a futex.
    pub fn futex_waiters(&self, wanted: u64) -> impl Iterator<Item = u32> {
        self.with_status(move |status| matches!(status, Status::OnFutex { address, .. } if address == wanted))
    }
}
