//! Loops that try for a while: `for (i = 0; i < 1024; i++) if (ready()) break;` before a wait that blocks.
//!
//! Every try would be a state of its own, told apart by a counter that means nothing to anybody else. A counter of
//! tries (`frame_slots/counters.rs`) decides nothing but whether there is another try. So:
//!
//! - A thread that comes back, by one step, to where it stood, with nothing in the whole state changed but such a
//!   counter, has not moved. The step is left out; instead the thread is marked: it may have used up any number of its
//!   tries by now, all but one.
//! - A thread with that mark can, whenever it stands at the same place in the same call, go on as usual, or take its
//!   step as its *last try*: with the counter as it is before the last one. The mark goes when the loop is left.
//!
//! **Nothing is missed.** Take a run of all states, and leave out of it every step that changes nothing but a counter.
//! What is left is a run of states that differ in counters alone, whose threads have as many tries or more. They do the
//! same up to the branch that ends the loop. Where the thread in the full run has no try left there, it has made more
//! of them than the one in ours, so some step was left out and the mark is there: the last try is among its steps.
//!
//! **Nothing is made up.** Between the moment a thread got its mark and its last try it could have gone round, at that
//! moment and undisturbed, as often as it takes to have one try left: the state would have been the same. How often that
//! is, and that there is an end to it, is found out by letting it.

use crate::dead_slots::Visited;
use crate::layout::Region;
use crate::machine::{Machine, thread_at};
use crate::model::ObjectWorker;
use crate::thread::{Status, Thread};
use dampf_core::{ComponentId, Word};
use dampf_rv::machine::Hart;
use std::ops::Range;

/// Added to the way of a step that is a thread's last try.
pub const LAST_TRY: u32 = 1 << 19;

/// A loop that goes round more often than this is not known to end.
const TRIES_MAX: u32 = 1 << 14;

/// Counters of callers further away than this are not looked at.
const FRAMES_MAX: usize = 6;

/// The mark of a thread that may be at its last try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastTry {
    /// Where the thread stands when it tries.
    pub pc: u64,
    pub sp: u64,
    /// Where the counter is, and how long.
    pub counter: u64,
    pub bytes: u32,
    /// What is added to it, and what it is before the last try.
    pub change: u64,
    pub value: u64,
}

pub const LAST_TRY_WORDS: usize = 11;

impl LastTry {
    pub fn encode(&self) -> [Word; LAST_TRY_WORDS] {
        let [pc, sp, counter, change, value] =
            [self.pc, self.sp, self.counter, self.change, self.value].map(|long| [long as Word, (long >> 32) as Word]);
        [pc[0], pc[1], sp[0], sp[1], counter[0], counter[1], change[0], change[1], value[0], value[1], self.bytes]
    }

    pub fn decode(words: &[Word]) -> LastTry {
        let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        LastTry { pc: long(0), sp: long(2), counter: long(4), change: long(6), value: long(8), bytes: words[10] }
    }
}

/// How a step counts that has led to a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    Made,
    /// The thread only tries again, which it may since it was marked.
    None,
}

impl Machine<'_> {
    /// Takes note that the step at hand is a thread's last try, if it is. Its way among the usual ones.
    pub fn begin_try(&mut self, slot: u32, way: u32) -> u32 {
        let Some(usual) = way.checked_sub(LAST_TRY) else { return way };
        if let Some(last) = self.threads[slot as usize].last_try.take() {
            self.memory.poke(last.counter, &last.value.to_le_bytes()[..last.bytes as usize]);
            self.threads.hart_mut(slot);
        }
        usual
    }

    /// Whether a thread stands where it may be at its last try.
    pub fn may_be_last_try(&self, slot: u32) -> bool {
        let thread = &self.threads[slot as usize];
        thread.last_try.is_some_and(|last| (last.pc, last.sp) == (thread.pc, thread.sp))
    }

    /// The mark of the running thread goes when its loop has been left, though it may have been entered again.
    pub fn check_last_try(&mut self, hart: &Hart, before: Option<u64>) {
        let Some(last) = self.threads.current().last_try else { return };
        let now = self.counter_value(last.counter, last.bytes);
        let goes_on = before.is_some_and(|before| now == before || now == last.next(before))
            && self.counters_of_tries(self.threads.running, hart).iter().any(|place| place.start == last.counter);
        if !goes_on {
            self.threads.current_mut().last_try = None;
        }
    }

    /// The counter of the running thread's mark.
    pub fn marked_counter(&self) -> Option<u64> {
        let last = self.threads.current().last_try?;
        Some(self.counter_value(last.counter, last.bytes))
    }

    fn counter_value(&self, counter: u64, bytes: u32) -> u64 {
        self.memory.peek_value(counter, bytes as usize)
    }

    /// The counters of the loops in which a thread with these registers is.
    fn counters_of_tries(&mut self, slot: u32, hart: &Hart) -> Vec<Range<u64>> {
        let region = Region::Stack(slot);
        let mut counters = Vec::new();
        let mut visited = self.innermost(hart);
        for _ in 0..FRAMES_MAX {
            if let Some(frame) = self.standing_frame(visited.pc, visited.is_in_call) {
                let places = frame.counters(visited.frame_pointer);
                counters.extend(places.filter(|place| visited.sp <= place.start && place.end <= region.base(0)));
            }
            match self.calling_frame(region, &visited, Visited::any) {
                Some(caller) => visited = caller,
                None => break,
            }
        }
        counters.retain(|place| place.end - place.start <= 8);
        counters
    }
}

impl LastTry {
    fn next(&self, counter: u64) -> u64 {
        let mask = u64::MAX >> (64 - 8 * self.bytes);
        counter.wrapping_add(self.change) & mask
    }
}

impl ObjectWorker<'_> {
    /// Whether a step has led anywhere: from a state to the one that the machine holds and that was put together. One
    /// that only tries again for the first time leads to the state with the mark.
    pub fn progress(&mut self, state: &[Word], slot: u32, way: u32) -> Progress {
        let behind = std::mem::take(&mut self.words);
        match self.tried_again(state, &behind, slot, way) {
            None => {
                self.words = behind;
                Progress::Made
            }
            Some(None) => Progress::None,
            Some(Some(mark)) => {
                let machine = &mut self.machine;
                machine.load(state);
                machine.threads.hart_mut(slot);
                machine.threads[slot as usize].last_try = Some(mark);
                machine.store(&mut self.words);
                Progress::Made
            }
        }
    }

    /// The mark of a thread that a step has led back to where it was, if it has; none for one that was marked before.
    fn tried_again(&mut self, state: &[Word], behind: &[Word], slot: u32, way: u32) -> Option<Option<LastTry>> {
        let machine = &self.machine;
        let word = state[thread_at(slot as usize)].checked_sub(1).map(ComponentId)?;
        let before = Thread::place(machine.system.components.get(word));
        let is_usual = machine.has_segments() && machine.process.ended.is_none() && way < LAST_TRY;
        if !is_usual || !machine.stands_at(slot, before) {
            return None;
        }
        let mut differs = (0..state.len()).filter(|&at| behind[at] != state[at]);
        if differs.next() != Some(thread_at(slot as usize)) || differs.next().is_some() {
            return None;
        }
        let (counter, former, latter) = self.changed_counter(state, behind, slot)?;
        if self.machine.threads[slot as usize].last_try.is_some() {
            return Some(None);
        }
        let bytes = (counter.end - counter.start) as u32;
        let change = latter.wrapping_sub(former);
        let value = self.last_value(state, slot, way, counter.clone())?;
        let (pc, sp) = before;
        Some(Some(LastTry { pc, sp, counter: counter.start, bytes, change, value }))
    }

    /// The counter of tries in which two states differ, with its values, if it is all in which they do.
    fn changed_counter(&mut self, state: &[Word], behind: &[Word], slot: u32) -> Option<(Range<u64>, u64, u64)> {
        let machine = &mut self.machine;
        machine.load(state);
        let hart = machine.threads.hart_mut(slot).clone();
        let counters = machine.counters_of_tries(slot, &hart);
        let value = |machine: &Machine, place: &Range<u64>| {
            machine.counter_value(place.start, (place.end - place.start) as u32)
        };
        let former: Vec<u64> = counters.iter().map(|place| value(machine, place)).collect();
        machine.load(behind);
        let latter: Vec<u64> = counters.iter().map(|place| value(machine, place)).collect();
        let mut changed = (0..counters.len()).filter(|&number| former[number] != latter[number]);
        let number = changed.next().filter(|_| changed.next().is_none())?;
        let place = counters[number].clone();
        machine.memory.poke(place.start, &former[number].to_le_bytes()[..(place.end - place.start) as usize]);
        let mut restored = Vec::new();
        machine.store(&mut restored);
        (restored == state).then_some((place, former[number], latter[number]))
    }

    /// What a counter is before the last try of a thread that tries alone; none if that takes too long to see.
    fn last_value(&mut self, state: &[Word], slot: u32, way: u32, counter: Range<u64>) -> Option<u64> {
        let machine = &mut self.machine;
        machine.load(state);
        let before = (machine.threads[slot as usize].pc, machine.threads[slot as usize].sp);
        for _ in 0..TRIES_MAX {
            let value = machine.counter_value(counter.start, (counter.end - counter.start) as u32);
            if machine.advance(slot, way).is_err() || !machine.stands_at(slot, before) {
                return Some(value);
            }
        }
        None
    }
}

impl Machine<'_> {
    /// Whether a thread stands before this instruction with this stack pointer.
    fn stands_at(&self, slot: u32, place: (u64, u64)) -> bool {
        let thread = &self.threads[slot as usize];
        thread.status == Status::Running && (thread.pc, thread.sp) == place
    }
}
