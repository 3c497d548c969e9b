//! How the threads of states stand, one state after another.
//!
//! States that a search looks at one after another have nearly everything in common, so how most threads stand is
//! known. A thread has to be looked at again where its own word is another one, or where what it waits for may have
//! changed: the memory of an object, a variable that somebody has locked or unlocked, the thread that it joins. Which
//! threads wait for what is kept by lines of memory. What else could decide (signals, threads that are
//! interchangeable) has all threads looked at again.

use crate::arena::Arenas;
use crate::hooks::{WaitsOn, Ways};
use crate::layout::Region;
use crate::locked::LOCKED_WORDS;
use crate::machine::{GLOBALS, Machine, PROCESS, arenas_at, thread_at};
use crate::process::Process;
use crate::thread::{Status, Thread};
use dampf_core::{ComponentId, Standing, Word};
use dampf_rv::memory::{LINE_BYTES, Tree};
use std::collections::HashMap;

const A0: usize = 10;

/// What decides, beside a thread's own word, whether it is blocked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Decider {
    #[default]
    Nothing,
    /// What is at an address, memory or a locked variable.
    Bytes { address: u64, bytes: u64 },
    /// How another thread stands.
    Thread(u32),
    /// Anything.
    All,
}

/// Names what threads wait for: the number of a line, or a thread.
fn line_key(address: u64) -> u64 {
    address / LINE_BYTES as u64
}

fn thread_key(slot: u32) -> u64 {
    1 << 63 | u64::from(slot)
}

/// More lines than this are not kept one by one.
const LINES_MAX: u64 = 8;

impl Decider {
    fn keys(self) -> impl Iterator<Item = u64> {
        let (first, last) = match self {
            Decider::Nothing | Decider::All => (1, 0),
            Decider::Bytes { address, bytes } => (line_key(address), line_key(address + (bytes.max(1) - 1))),
            Decider::Thread(slot) => (thread_key(slot), thread_key(slot)),
        };
        first..=last
    }
}

#[derive(Default)]
pub struct Standings {
    /// The state that they are of.
    state: Vec<Word>,
    all: Vec<Standing>,
    deciders: Vec<Decider>,
    /// Who waits for what, by its key.
    waiters: HashMap<u64, Vec<u32>>,
    /// Those who are looked at every time.
    restless: Vec<u32>,
    /// Slots that are to be looked at again, and room for their keys.
    stale: Vec<u32>,
    keys: Vec<u64>,
}

impl Standings {
    /// How the threads of a state stand, which a machine is made to hold.
    pub fn of(&mut self, machine: &mut Machine<'_>, state: &[Word]) -> &[Standing] {
        let is_known = self.state.len() == state.len()
            && self.state[PROCESS] == state[PROCESS]
            && machine.system.sharing.classes.is_empty()
            && self.find_stale(machine, state);
        machine.load(state);
        if !is_known || machine.process.signals.are_due() {
            self.forget(machine.slots());
        }
        let stale = std::mem::take(&mut self.stale);
        stale.iter().for_each(|&slot| self.look_at(machine, slot));
        self.stale = stale;
        self.state.clear();
        self.state.extend_from_slice(state);
        &self.all
    }

    fn forget(&mut self, slots: usize) {
        self.all.resize(slots, Standing::default());
        self.deciders.clear();
        self.deciders.resize(slots, Decider::Nothing);
        self.waiters.clear();
        self.restless.clear();
        self.stale.clear();
        self.stale.extend(0..slots as u32);
    }

    /// Finds the threads that may stand otherwise in another state with the same process. False if all may.
    fn find_stale(&mut self, machine: &Machine<'_>, state: &[Word]) -> bool {
        let (system, former) = (machine.system, &self.state);
        let components = &system.components;
        let words_of = |word: Word| word.checked_sub(1).map(|id| components.get(ComponentId(id)));
        let (stale, keys) = (&mut self.stale, &mut self.keys);
        stale.clear();
        keys.clear();
        let start = system.program.globals.start;
        let compare = |region: Region, [before, behind]: [Tree; 2], keys: &mut Vec<u64>| {
            if before != behind {
                before.for_each_difference(behind, &system.lines, &mut |index| {
                    keys.push(line_key(region.line_address(index, start)));
                });
            }
        };
        // The globals' tree has as many levels as the process says, which is the same one.
        let levels = words_of(state[PROCESS]).map_or(0, |words| words[Process::GLOBALS_LEVELS]);
        let globals = [former[GLOBALS], state[GLOBALS]].map(|root| Tree { root, levels });
        compare(Region::Globals, globals, keys);
        const SLOTS_AT_ONCE: usize = 16;
        for first in (0..machine.slots()).step_by(SLOTS_AT_ONCE) {
            let slots = first..machine.slots().min(first + SLOTS_AT_ONCE);
            let words = thread_at(slots.start)..thread_at(slots.end);
            if former[words.clone()] == state[words] {
                continue;
            }
            for slot in slots {
                let number = slot as u32;
                let threads = [former[thread_at(slot)], state[thread_at(slot)]];
                if threads[0] != threads[1] {
                    stale.push(number);
                    keys.push(thread_key(number));
                    let words = threads.map(words_of);
                    if !words.into_iter().flatten().all(|words| add_locked(Thread::locked(words), keys)) {
                        return false;
                    }
                    let trees = words.map(|words| words.map_or([Tree::EMPTY; 2], Thread::trees));
                    for (at, region) in [Region::Stack(number), Region::Tls(number)].into_iter().enumerate() {
                        compare(region, [trees[0][at], trees[1][at]], keys);
                    }
                }
                let arenas = [former[arenas_at(slot)], state[arenas_at(slot)]];
                if arenas[0] != arenas[1] {
                    let trees = arenas.map(|word| words_of(word).map_or([Tree::EMPTY; 2], Arenas::decode_trees));
                    for (at, region) in [Region::Shared(number), Region::Private(number)].into_iter().enumerate() {
                        compare(region, [trees[0][at], trees[1][at]], keys);
                    }
                }
            }
        }
        stale.extend(keys.iter().filter_map(|key| self.waiters.get(key)).flatten());
        stale.extend_from_slice(&self.restless);
        stale.sort_unstable();
        stale.dedup();
        true
    }

    /// Looks at one thread of the state that the machine holds.
    fn look_at(&mut self, machine: &mut Machine<'_>, slot: u32) {
        let thread = &machine.threads[slot as usize];
        let (is_alive, held) = (thread.is_alive(), u32::from(thread.held));
        let is_blocked = is_alive && matches!(machine.ways(slot), Ok(0));
        let locks = held + machine.locked.count_of(slot);
        self.all[slot as usize] = Standing { is_alive, is_blocked, locks };
        let decider = machine.decider(slot);
        let before = std::mem::replace(&mut self.deciders[slot as usize], decider);
        if before == decider {
            return;
        }
        for key in before.keys() {
            if let Some(waiters) = self.waiters.get_mut(&key) {
                waiters.retain(|&waiter| waiter != slot);
                if waiters.is_empty() {
                    self.waiters.remove(&key);
                }
            }
        }
        if before == Decider::All {
            self.restless.retain(|&restless| restless != slot);
        }
        decider.keys().for_each(|key| self.waiters.entry(key).or_default().push(slot));
        if decider == Decider::All {
            self.restless.push(slot);
        }
    }
}

/// Adds the keys of locked variables, from the words of their owner. False if one is too long.
fn add_locked(words: &[Word], keys: &mut Vec<u64>) -> bool {
    let long = |words: &[Word]| u64::from(words[0]) | u64::from(words[1]) << 32;
    words.chunks_exact(LOCKED_WORDS).all(|words| {
        let decider = bytes_of(long(words), long(&words[2..]));
        keys.extend(decider.keys());
        decider != Decider::All
    })
}

impl Machine<'_> {
    /// What decides whether a thread is blocked.
    fn decider(&self, slot: u32) -> Decider {
        let thread = &self.threads[slot as usize];
        if thread.cancellation.is_requested {
            return Decider::All;
        }
        match thread.status {
            Status::Absent | Status::Exited { .. } | Status::OnBarrier { .. } => Decider::Nothing,
            Status::OnCondition { .. } | Status::OnFutex { .. } => Decider::Nothing,
            Status::Reacquiring { mutex, .. } => bytes_of(mutex, OBJECT_BYTES),
            Status::Running => match self.system.program.hook(thread.pc).map(|hook| &hook.row().ways) {
                None if self.is_system_call(thread.pc) => Decider::All,
                None | Some(Ways::One) => Decider::Nothing,
                Some(Ways::Waits(wait)) => {
                    let [object, bytes] = [A0, A0 + 1].map(|register| self.threads.register(slot, register));
                    match wait.depends_on {
                        WaitsOn::Object => bytes_of(object, OBJECT_BYTES),
                        WaitsOn::Variable => bytes_of(object, bytes),
                        WaitsOn::Thread => self.slot_of_handle(object).map_or(Decider::Nothing, Decider::Thread),
                    }
                }
                Some(Ways::Values(_) | Ways::MayFail | Ways::Outcomes(_)) => Decider::All,
            },
        }
    }
}

/// No object that threads wait for is longer.
const OBJECT_BYTES: u64 = 64;

fn bytes_of(address: u64, bytes: u64) -> Decider {
    let is_short = bytes <= LINES_MAX * LINE_BYTES as u64 && address.checked_add(bytes).is_some();
    if is_short { Decider::Bytes { address, bytes } } else { Decider::All }
}
