//! Loops that try for a while: `for (i = 0; i < 1024; i++) if (ready()) break;` before a wait that blocks.
//!
//! Every try would be a state of its own, told apart by a counter that means nothing to anybody else. A counter of
//! tries (`frame_slots/counters.rs`) decides nothing but whether there is another try. So:
//!
//! - A thread that alone would come back to where it stands, with nothing in the whole state changed but such a
//!   counter, is marked instead of moved: it may have used up any number of its tries by now, all but one.
//! - A thread with that mark can, whenever it stands at the same place in the same call, go on as usual, or take its
//!   step as its *last try*: with the counter as it is before the last one. The mark goes when the loop is left.
//! - The mark knows what else the thread had in its registers and on its stack. A step by which it comes back to the
//!   same, after steps that changed nothing but its own stack and registers, leads to where it was: the counter is as
//!   it was then.
//!
//! **Nothing is missed.** Take a run of all states, and leave out of it every round of a thread that changes nothing
//! but a counter, though others may have moved meanwhile: they have not noticed it. What is left is a run of states
//! that differ in counters alone, whose threads have as many tries or more. They do the same up to the branch that ends
//! the loop. Where the thread in the full run has no try left there, it has made more of them than the one in ours, so
//! a round was left out, and the mark is there: the last try is among its steps.
//!
//! **Nothing is made up.** Between the moment a thread got its mark and its last try it could have gone round, at that
//! moment and undisturbed, as often as it takes to have one try left: the state would have been the same. How often
//! that is, and that there is an end to it, is found out by letting it.
//!
//! Rounds of one step are seen when they are made. Where rounds of several steps begin is seen in random runs; a place
//! that was not seen costs states, nothing else.

use crate::dead_slots::Visited;
use crate::layout::Region;
use crate::machine::{Machine, thread_at};
use crate::model::ObjectWorker;
use crate::thread::{Status, Thread};
use dampf_core::{ComponentId, Word};
use dampf_rv::machine::Hart;
use dampf_rv::memory::Tree;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

const RA: usize = 1;

/// Added to the way of a step that is a thread's last try.
pub const LAST_TRY: u32 = 1 << 19;

/// A loop that goes round more often than this is not known to end.
const TRIES_MAX: u32 = 1 << 14;

/// A round with more steps than this is not looked for.
const ROUND_STEPS_MAX: u32 = 8;

/// Counters of callers further away than this are not looked at.
const FRAMES_MAX: usize = 6;

/// Random runs look so often whether a round begins at an instruction.
const VAIN_ROUNDS_MAX: u32 = 256;

/// The mark of a thread that may be at its last try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastTry {
    /// Where the thread stands when it tries: the instruction, the stack pointer, the return address.
    pub place: [u64; 3],
    /// Where the counter is, and how long.
    pub counter: u64,
    pub bytes: u32,
    /// What is added to it, what it was when the thread was marked, and what it is before the last try.
    pub change: u64,
    pub base: u64,
    pub value: u64,
    /// A hash of what else the thread had when it was marked; 0 once it has done something that others may notice.
    pub kept: u64,
}

pub const LAST_TRY_WORDS: usize = 17;

impl LastTry {
    pub fn encode(&self) -> [Word; LAST_TRY_WORDS] {
        let [pc, sp, returns_to] = self.place;
        let longs = [pc, sp, returns_to, self.counter, self.change, self.base, self.value, self.kept];
        let mut words = [self.bytes; LAST_TRY_WORDS];
        for (at, long) in longs.into_iter().enumerate() {
            words[2 * at..2 * at + 2].copy_from_slice(&[long as Word, (long >> 32) as Word]);
        }
        words
    }

    pub fn decode(words: &[Word]) -> LastTry {
        let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        let [pc, sp, returns_to, counter, change, base, value, kept] = [0, 2, 4, 6, 8, 10, 12, 14].map(long);
        LastTry { place: [pc, sp, returns_to], counter, bytes: words[LAST_TRY_WORDS - 1], change, base, value, kept }
    }
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

    /// Whether tries are left out. Where threads are interchangeable, all are made: a mark would have to move with its
    /// thread, and runs could not be lifted step by step. Whoever watches whole runs would see a thread go round for
    /// ever that has only so many tries.
    fn leaves_out_tries(&self) -> bool {
        self.has_segments() && self.system.sharing.classes.is_empty() && !self.system.sharing.watch.runs
    }

    /// Whether a thread stands where it may be at its last try.
    pub fn may_be_last_try(&self, slot: u32) -> bool {
        self.threads[slot as usize].last_try.is_some_and(|last| self.stands_at(slot, last.place))
    }

    /// The mark of the running thread goes when its loop has been left, though it may have been entered again.
    pub fn check_last_try(&mut self, hart: &Hart, before: Option<u64>) {
        let Some(last) = self.threads.current().last_try else { return };
        let now = self.counter_value(last.counter, last.bytes);
        let goes_on = before.is_some_and(|before| now == before || now == last.next(before))
            && self.counters_at(self.threads.running, hart).iter().any(|place| place.start == last.counter);
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

    /// The counters of the loops in which a thread is.
    fn counters_of_tries(&mut self, slot: u32) -> Vec<Range<u64>> {
        let hart = self.threads.hart_mut(slot).clone();
        self.counters_at(slot, &hart)
    }

    /// The same for a thread with these registers.
    fn counters_at(&mut self, slot: u32, hart: &Hart) -> Vec<Range<u64>> {
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
    /// Marks a thread that would only go round, if it stands where rounds of several steps begin. The state with the
    /// mark has been put together then.
    pub fn mark_round(&mut self, state: &[Word], slot: u32, way: u32) -> bool {
        let begins = way < LAST_TRY && self.machine.leaves_out_tries() && self.machine.begins_round(state, slot);
        begins && self.mark(state, slot, way)
    }

    /// Looks at a step from a state to the one that the machine holds and that was put together. A thread that has only
    /// tried again gets its mark instead, if it has none; if it has, it is where it was.
    pub fn settle_round(&mut self, state: &[Word], slot: u32, way: u32) {
        let machine = &mut self.machine;
        let Some(last) = machine.threads[slot as usize].last_try else {
            let is_round = way < LAST_TRY
                && machine.leaves_out_tries()
                && machine.stands_at(slot, machine.place_in(state, slot))
                && self.is_only_own(state, slot);
            if is_round {
                let behind = std::mem::take(&mut self.words);
                if !self.mark(state, slot, way) {
                    self.words = behind;
                }
            }
            return;
        };
        if last.kept == 0 {
            return;
        }
        if !self.is_only_own(state, slot) {
            // Others may notice what was done, so that coming back is not the same as staying.
            self.machine.set_mark(slot, LastTry { kept: 0, ..last });
            self.machine.store(&mut self.words);
        } else if self.machine.may_be_last_try(slot) && self.machine.kept(slot, &last) == last.kept {
            self.machine.memory.poke(last.counter, &last.base.to_le_bytes()[..last.bytes as usize]);
            self.machine.store(&mut self.words);
        }
    }

    /// Whether the state that was put together differs from another in the stack and the registers of a thread alone.
    fn is_only_own(&self, state: &[Word], slot: u32) -> bool {
        let at = thread_at(slot as usize);
        let storage = |words: &[Word]| {
            let id = words[at].checked_sub(1).map(ComponentId)?;
            Some(Thread::decode(self.machine.system.components.get(id)).tls)
        };
        state[..at] == self.words[..at]
            && state[at + 1..] == self.words[at + 1..]
            && storage(state) == storage(&self.words)
    }

    /// Marks a thread in a state, if it comes back alone with nothing changed but a counter of tries. The state with
    /// the mark is put together then.
    fn mark(&mut self, state: &[Word], slot: u32, way: u32) -> bool {
        let Some(mark) = self.mark_of(state, slot, way) else {
            let [pc, ..] = self.machine.place_in(state, slot);
            *self.machine.scratch.vain_rounds.entry(pc).or_default() += 1;
            return false;
        };
        let machine = &mut self.machine;
        machine.load(state);
        let kept = machine.kept(slot, &mark);
        machine.set_mark(slot, LastTry { kept, ..mark });
        machine.store(&mut self.words);
        true
    }

    fn mark_of(&mut self, state: &[Word], slot: u32, way: u32) -> Option<LastTry> {
        let place = self.machine.place_in(state, slot);
        let steps = self.round(state, slot, way)?;
        let mut behind = Vec::new();
        self.machine.store(&mut behind);
        let (counter, former, latter) = self.changed_counter(state, &behind, slot)?;
        let value = self.last_value(state, slot, way, counter.clone())?;
        if steps > 1 {
            self.machine.see_round(place[0]);
        }
        let (bytes, change) = ((counter.end - counter.start) as u32, latter.wrapping_sub(former));
        Some(LastTry { place, counter: counter.start, bytes, change, base: former, value, kept: 0 })
    }

    /// How many steps a thread takes alone to come back to where it stands in a state; the machine is there then.
    fn round(&mut self, state: &[Word], slot: u32, way: u32) -> Option<u32> {
        let machine = &mut self.machine;
        machine.load(state);
        let place = machine.place(slot);
        for steps in 1..=ROUND_STEPS_MAX {
            machine.advance(slot, if steps == 1 { way } else { 0 }).ok()?;
            if machine.stands_at(slot, place) {
                return Some(steps);
            }
            if machine.ways(slot).ok()? == 0 {
                return None;
            }
        }
        None
    }

    /// The counter of tries in which two states differ, with its values, if it is all in which they do.
    fn changed_counter(&mut self, state: &[Word], behind: &[Word], slot: u32) -> Option<(Range<u64>, u64, u64)> {
        let machine = &mut self.machine;
        machine.load(state);
        let marked = machine.threads[slot as usize].last_try;
        let counters = machine.counters_of_tries(slot);
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
        machine.threads.hart_mut(slot);
        machine.threads[slot as usize].last_try = marked;
        let mut restored = Vec::new();
        machine.store(&mut restored);
        (restored == state).then_some((place, former[number], latter[number]))
    }

    /// What a counter is before the last try of a thread that tries alone; none if that takes too long to see.
    fn last_value(&mut self, state: &[Word], slot: u32, way: u32, counter: Range<u64>) -> Option<u64> {
        let machine = &mut self.machine;
        machine.load(state);
        let place = machine.place(slot);
        let mut value = None;
        for _ in 0..TRIES_MAX {
            let is_try = machine.stands_at(slot, place);
            if is_try {
                value = Some(machine.counter_value(counter.start, (counter.end - counter.start) as u32));
            }
            let has_ended = machine.advance(slot, if is_try { way } else { 0 }).is_err()
                || !machine.stands_at(slot, place)
                    && !machine.counters_of_tries(slot).iter().any(|counted| counted.start == counter.start);
            if has_ended {
                return value;
            }
        }
        None
    }
}

impl Machine<'_> {
    /// Whether a thread stands in a state where rounds of several steps begin, and has no mark that is up to date.
    /// Random runs look for such places.
    fn begins_round(&mut self, state: &[Word], slot: u32) -> bool {
        let (heads, is_random_run) = (&self.system.sharing.round_heads, self.system.seen.is_some());
        let is_head = !heads.is_empty() && heads.contains(&self.place_in(state, slot)[0]);
        if !is_head && !is_random_run {
            return false;
        }
        self.load(state);
        if self.threads[slot as usize].status != Status::Running {
            return false;
        }
        match self.threads[slot as usize].last_try {
            Some(last) => self.may_be_last_try(slot) && self.kept(slot, &last) != last.kept,
            None if is_head => true,
            None => {
                let pc = self.threads[slot as usize].pc;
                let is_vain = self.scratch.vain_rounds.get(&pc).is_some_and(|&times| times >= VAIN_ROUNDS_MAX);
                !is_vain && !self.counters_of_tries(slot).is_empty()
            }
        }
    }

    /// Takes note in random runs that a round begins at an instruction.
    fn see_round(&self, pc: u64) {
        if let Some(seen) = &self.system.seen {
            seen.lock().expect("nothing panics under this lock").round_heads.insert(pc);
        }
    }

    fn set_mark(&mut self, slot: u32, mark: LastTry) {
        self.threads.hart_mut(slot);
        self.threads[slot as usize].last_try = Some(mark);
    }

    /// Where a thread stands in a state: its next instruction, its stack pointer, its return address.
    fn place_in(&self, state: &[Word], slot: u32) -> [u64; 3] {
        let id = state[thread_at(slot as usize)].checked_sub(1).map(ComponentId);
        id.map_or([0; 3], |id| Thread::place(self.system.components.get(id)))
    }

    fn place(&self, slot: u32) -> [u64; 3] {
        let thread = &self.threads[slot as usize];
        [thread.pc, thread.sp, self.threads.register(slot, RA)]
    }

    /// Whether a thread stands there.
    fn stands_at(&self, slot: u32, place: [u64; 3]) -> bool {
        self.threads[slot as usize].status == Status::Running
            && self.threads[slot as usize].pc == place[0]
            && self.place(slot) == place
    }

    /// A hash of what a thread has in its registers and on its stack, but for the counter of a mark; never 0.
    fn kept(&mut self, slot: u32, last: &LastTry) -> u64 {
        let region = Region::Stack(slot);
        let mut words = Vec::new();
        let hart = self.threads.hart_mut(slot).clone();
        let thread = self.threads[slot as usize];
        Thread { last_try: None, stack: Tree::default(), tls: Tree::default(), ..thread }.encode(&hart, &mut words);
        self.segments.encode(slot, &mut words);
        let mut hasher = DefaultHasher::new();
        words.hash(&mut hasher);
        let counter = last.counter..last.counter + u64::from(last.bytes);
        for line in (thread.sp & !63..region.base(0)).step_by(64) {
            let mut bytes = *self.memory.space.line(region, line).bytes();
            for (byte, address) in bytes.iter_mut().zip(line..) {
                if address < thread.sp || counter.contains(&address) {
                    *byte = 0;
                }
            }
            bytes.hash(&mut hasher);
        }
        hasher.finish().max(1)
    }
}
