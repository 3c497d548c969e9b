//! Interchangeable threads: states that differ in nothing but which of them does what are one state.
//!
//! A *class* are the threads that the first thread creates with the same function and the same argument. They do the
//! same, but at other addresses: a thread's stack, thread-local storage and heap lie where its slot has them, and a
//! pointer to a local variable tells the slot. So threads of a class never run in their slots. A class has a *home*, a
//! slot behind those of threads in which nobody lives. A thread of the class that is to run is brought there, runs at
//! the addresses of the home, and goes back; in a state its words are the same in whichever slot it waits. A state's
//! canonical form has the threads of each class sorted by what their words lead to.
//!
//! **Why this is sound.** Where a thread's memory lies is the system's choice, so what a thread does at home it does in
//! a run of the program, too, unless somebody notices that others have theirs at the same addresses. For that, an
//! address of its own memory has to leave the thread. Four kinds of things know slots, and each is dealt with:
//! - *Addresses of the home.* Whatever a step of such a thread writes outside of its own memory is searched for words
//!   that lead home, at any offset ([`check_escape`](Machine::check_escape)). What lies at home is nobody else's then,
//!   and is never visible. What remains is an address that travels in disguise, by part or added to something; the
//!   lower half of an address is the same in all slots anyway. That it does not is a premise that the verdict names.
//! - *Handles* are those of the slots. Nobody but `pthread_join` may use one, and no thread of a class may ask for its
//!   own.
//! - *Locks* name their holder by slot, and *histories* know slots: both are renamed when threads change places
//!   ([`rename`](Machine::rename)). Other locks than mutexes tell threads apart.
//! - *Joins.* Whoever joins a class joins all of it in a row, and does nothing in between that others notice or depend
//!   on. Then to join one can as well wait until all have ended: the joins commute with what others do, the joiner's
//!   place does not depend on who ended first, and it is stuck before the first join if and only if it is stuck
//!   before the one whose thread never ends. That it is so is not known before: wherever some threads of a class have
//!   ended and others have not, the joiner is sent ahead over as many joins ([`Foresight`]), and has to come to another
//!   join of the class without having done anything but join. It must hold no lock then, so that nobody waits for it,
//!   and the threads must have returned the same.
//!
//! With these, exchanging two threads of a class is an automorphism of the graph of states, and a state is explored if
//! one of its permutations is. All four are assumptions: a thread that does such a thing refutes them for its class, as
//! everywhere in [`sharing`](crate::sharing), and exploration restarts without the class. Where threads are observed to
//! have ended, created by others, cancelled or sent signals, there are no classes at all. Runs are told on a model
//! without homes: see [`lift`](crate::lift).

use crate::arena::Arenas;
use crate::hooks::{Hook, Object, Visible};
use crate::layout::{Region, slot_of};
use crate::machine::{Machine, PROCESS, arenas_at, thread_at};
use crate::premise::Premise;
use crate::sharing::{Fact, FactKind};
use crate::sync::HELD;
use crate::thread::{Status, Thread};
use dampf_core::{ComponentId, Word};
use dampf_rv::machine::Hart;
use dampf_rv::memory::ZERO_LINE;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// More classes than this are not looked for.
pub const CLASSES_MAX: usize = 4;

/// A thread that holds so many locks is told apart from others: no more are counted.
const HELD_MAX: u8 = 200;

/// Where a mutex has its mark and its owner.
const MUTEX_LOCK: u64 = 0;
const MUTEX_OWNER: u64 = 8;

const A0: usize = 10;
const A2: usize = 12;
const A3: usize = 13;

/// What threads of a class begin with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ThreadClass {
    pub entry: u64,
    pub argument: u64,
    /// Where the first of them was seen to be created: the others may be created elsewhere.
    pub created_at: u32,
}

/// What was seen of the creation of threads in random runs: by function and argument, how many were created in a run,
/// and where the first.
pub type SeenCreations = BTreeMap<(u64, u64), (u32, u32)>;

/// The classes among what was seen.
pub fn classes(seen: &SeenCreations) -> Vec<ThreadClass> {
    let several = seen.iter().filter(|(_, (count, _))| *count > 1);
    let class = several.map(|(&(entry, argument), &(_, created_at))| ThreadClass { entry, argument, created_at });
    class.take(CLASSES_MAX).collect()
}

/// A thread that is at home, and the slot that is its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AtHome {
    pub home: u32,
    pub own: u32,
}

/// The joiner of a class is sent ahead, to see what it does between joins.
#[derive(Clone, Debug)]
pub struct Foresight {
    class: u8,
    /// Over so many more joins.
    left: usize,
    /// The slots whose threads it has joined.
    joined: Vec<u32>,
    /// It has done something else.
    strayed: bool,
}

impl Machine<'_> {
    /// Whether there are classes whose threads are interchangeable.
    #[inline]
    pub fn is_symmetric(&self) -> bool {
        self.system.is_symmetric
    }

    /// The class of a thread that begins with a function and an argument; 0 for none.
    pub fn class_of(&self, entry: u64, argument: u64) -> u8 {
        let classes = &self.system.sharing.classes;
        let class = classes.iter().position(|class| (class.entry, class.argument) == (entry, argument));
        class.filter(|_| self.threads.running == 0).map_or(0, |class| class as u8 + 1)
    }

    fn home_of(&self, class: u8) -> Option<u32> {
        let first = self.system.sharing.thread_slots() as u32;
        (self.is_symmetric() && class != 0).then(|| first + u32::from(class) - 1)
    }

    /// Where the thread of a slot runs, if that is elsewhere.
    #[inline]
    pub fn home(&self, slot: u32) -> Option<u32> {
        self.home_of(self.threads[slot as usize].class)
    }

    /// Whether a slot has a thread of a class, alive or ended.
    #[inline]
    pub fn is_member(&self, slot: u32) -> bool {
        self.home(slot).is_some()
    }

    /// Whether the thread of a slot is at home: it was created in this step, or runs.
    pub fn is_away(&self, slot: u32) -> bool {
        self.step.at_home.is_some_and(|at| at.own == slot)
    }

    /// The slots of threads of a class.
    fn members(&self, class: u8) -> impl Iterator<Item = u32> {
        self.threads.iter().enumerate().filter(move |(_, thread)| thread.class == class).map(|(slot, _)| slot as u32)
    }

    /// Something tells the thread of a slot from others of its class.
    pub fn tell_apart(&self, slot: u32) {
        self.tell_class_apart(self.class_in(slot));
    }

    /// The class of the thread of a slot, which may be at home.
    fn class_in(&self, slot: u32) -> u8 {
        let place = self.step.at_home.filter(|at| at.own == slot).map_or(slot, |at| at.home);
        self.threads[place as usize].class
    }

    /// The same of the running thread.
    pub fn tell_apart_running(&self) {
        self.tell_apart(self.threads.running);
    }

    fn tell_class_apart(&self, class: u8) {
        let Some(class) = usize::from(class).checked_sub(1).filter(|_| self.is_symmetric()) else { return };
        if let Some(class) = self.system.sharing.classes.get(class) {
            // The step goes on: what it leads to does not count any more.
            let _ = self.refute(Fact::new(FactKind::Asymmetric, class.entry));
        }
    }

    /// Takes note of the creation of a thread, in a random run.
    pub fn see_creation(&self, hart: &Hart, detached: bool) {
        if detached || self.threads.running != 0 {
            return;
        }
        if let Some(seen) = &self.system.seen {
            let site = self.site_of_creation(hart);
            let mut seen = seen.lock().expect("nothing panics under this lock");
            seen.created.entry((hart.x[A2], hart.x[A3])).or_insert((0, site)).0 += 1;
        }
    }

    fn site_of_creation(&self, hart: &Hart) -> u32 {
        hart.x[1] as u32
    }

    /// Where a new thread of a class is told to be created, if not where it is.
    pub fn told_creation(&self, class: u8) -> Option<u32> {
        let class = usize::from(class).checked_sub(1).filter(|_| self.is_symmetric())?;
        self.system.sharing.classes.get(class).map(|class| class.created_at)
    }

    /// Where a new thread begins whose own slot is given: at home, if it has one.
    pub fn place_of_new(&mut self, own: u32, class: u8) -> u32 {
        let Some(home) = self.home_of(class) else { return own };
        debug_assert_eq!(self.step.at_home, None, "a step creates one thread of a class");
        // What others left in the slot's arenas cannot move with the new thread.
        let arenas = self.heap.arenas(own);
        if !arenas.shared.blocks.is_empty() || !arenas.private.blocks.is_empty() {
            self.tell_class_apart(class);
        }
        self.premises.note(Premise::Symmetry);
        self.step.at_home = Some(AtHome { home, own });
        home
    }

    /// Whether a region is the home that the running thread is at. Where it is another's, threads are told apart.
    #[inline]
    pub fn is_at_home(&self, region: Region) -> bool {
        let Some(slot) = region.slot().filter(|_| self.is_symmetric()) else { return false };
        let class = self.class_in(slot);
        let homes = self.system.sharing.thread_slots() as u32;
        match slot == self.threads.running {
            true => slot >= homes,
            false if slot >= homes => {
                self.tell_class_apart((slot - homes) as u8 + 1);
                false
            }
            false => {
                self.tell_class_apart(class);
                false
            }
        }
    }

    /// Finds addresses of the home in what a thread has written elsewhere.
    pub fn check_escape(&self) {
        let Some(AtHome { home, .. }) = self.step.at_home else { return };
        if self.memory.space.has_written(home, (Region::Shared(home).base(0) >> 32) as u32) {
            self.tell_apart(home);
        }
    }

    /// Refutes what an operation of a thread of a class must not do, or of a joiner that is sent ahead.
    pub fn check_symmetry(&mut self, hook: Hook, hart: &Hart) {
        if let Some(foresight) = &mut self.step.foresight {
            foresight.strayed |= !matches!(hook.visible, Visible::Never | Visible::AsJoin);
        }
        if !self.is_member(self.threads.running) {
            return;
        }
        // An object of its own has the address of objects of others, for whom they wait or whom they order.
        let is_own = slot_of(hart.x[A0]) == Some(self.threads.running);
        let is_told_apart = match hook.object {
            Object::Synchronisation { .. } => is_own,
            Object::Atomic { .. } => is_own && self.has_history(),
            Object::None | Object::PlainRead => false,
        };
        if is_told_apart {
            self.tell_apart_running();
        }
    }

    /// Refutes what a thread of a class must not leave when it ends.
    pub fn check_end_of_member(&self, value: u64) {
        let running = self.threads.running;
        if self.is_member(running) && (slot_of(value) == Some(running) || self.threads.current().held > 0) {
            self.tell_apart_running();
        }
    }

    /// The running thread has taken a lock, or given it back.
    pub fn count_held(&mut self, lock: u64, taken: bool) {
        let running = self.threads.running;
        self.threads.current_mut().count_held(taken);
        if !taken && self.has_history() {
            self.process.change().history.give_back(running, lock);
        }
        let Thread { class, held, .. } = *self.threads.current();
        if class != 0 {
            self.held.note(running, lock, taken);
            if held > HELD_MAX {
                self.tell_apart_running();
            }
        }
    }

    /// The class of the thread that a thread stands before joining, if it is of one.
    fn joined_class(&self, joiner: u32) -> Option<u8> {
        let thread = &self.threads[joiner as usize];
        let hook = self.system.program.hook(thread.pc).filter(|_| thread.status == Status::Running)?;
        let joined = self.slot_of_handle(self.threads.register(joiner, A0))?;
        let joins = hook.visible == Visible::AsJoin && self.is_member(joined);
        joins.then(|| self.threads[joined as usize].class)
    }

    /// The thread that a joiner waits for; none where it waits for a class.
    pub fn joined_thread(&self, handle: u64, joiner: u32) -> Option<u32> {
        let joined = self.slot_of_handle(handle)?;
        if !self.is_member(joined) {
            return Some(joined);
        }
        if self.threads[joiner as usize].held > 0 {
            self.tell_apart(joined);
        }
        None
    }

    /// Whether a thread of a class can be joined: all of them have ended.
    pub fn can_join_class(&self, slot: u32) -> bool {
        match &self.step.foresight {
            Some(foresight) => {
                let is_of_class = self.threads[slot as usize].class == foresight.class;
                is_of_class && foresight.left > 0 && !foresight.joined.contains(&slot)
            }
            None => self.members(self.threads[slot as usize].class).all(|slot| !self.threads[slot as usize].is_alive()),
        }
    }

    /// A thread of a class is joined. If it is only to see what comes then, the value that it returns.
    pub fn foresee_join(&mut self, slot: u32) -> Option<u64> {
        let values = self.members(self.threads[slot as usize].class).filter_map(|slot| {
            match self.threads[slot as usize].status {
                Status::Exited { value } => Some(value),
                _ => None,
            }
        });
        let values: Vec<u64> = values.collect();
        let first = values.first().copied();
        if values.iter().any(|&value| Some(value) != first) {
            self.tell_apart(slot);
        }
        let foresight = self.step.foresight.as_mut()?;
        foresight.left = foresight.left.saturating_sub(1);
        foresight.joined.push(slot);
        Some(first.unwrap_or(0))
    }

    /// Sends the first thread ahead, if it stands before joining a class of which some have ended, in a state that is
    /// loaded. Refutes the class if the thread does anything but join. True if it was sent.
    pub fn foresee(&mut self) -> bool {
        let Some(class) = self.joined_class(0) else { return false };
        let (all, ended) = self
            .members(class)
            .fold((0, 0), |(all, ended), slot| (all + 1, ended + usize::from(!self.threads[slot as usize].is_alive())));
        if ended == 0 || ended == all {
            return false;
        }
        self.step.foresight = Some(Foresight { class, left: ended, joined: Vec::new(), strayed: false });
        let is_foreseen = self.advance(0, 0).is_ok() && self.has_only_joined(class);
        if !is_foreseen {
            self.tell_class_apart(class);
        }
        true
    }

    fn has_only_joined(&self, class: u8) -> bool {
        let Some(foresight) = &self.step.foresight else { return false };
        let next = self.slot_of_handle(self.threads.register(0, A0));
        let goes_on = self.joined_class(0) == Some(class) && next.is_some_and(|next| !foresight.joined.contains(&next));
        let is_quiet = self.process.ended.is_none() && self.step.fresh.is_empty() && self.step.output.is_empty();
        goes_on && is_quiet && foresight.left == 0 && !foresight.strayed && !self.has_accessed()
    }

    /// Loads a state in which the thread of a slot is at home, if it has one. The slot that it is in then.
    pub fn load_at_home(&mut self, state: &[Word], slot: u32) -> u32 {
        let word = state[thread_at(slot as usize)].checked_sub(1).filter(|_| self.is_symmetric());
        let class = word.map_or(0, |word| Thread::class(self.system.components.get(ComponentId(word))));
        let Some(home) = self.home_of(class) else {
            self.load(state);
            return slot;
        };
        let mut words = state.to_vec();
        move_slot(&mut words, slot, home);
        self.load(&words);
        self.rename(&[(home, slot, home)]);
        self.step.at_home = Some(AtHome { home, own: slot });
        home
    }

    /// Whether a thread of a class is like one in an earlier slot, whose steps lead to the same states.
    pub fn is_like_earlier(&self, state: &[Word], slot: u32) -> bool {
        let words_of = |slot: u32| [state[thread_at(slot as usize)], state[arenas_at(slot as usize)]];
        self.held.of(slot).is_empty()
            && self.process.history.is_empty()
            && self
                .members(self.threads[slot as usize].class)
                .any(|other| other < slot && words_of(other) == words_of(slot))
    }

    /// Puts the state together with all threads in slots of their own; `sorted`, in its canonical form. What came
    /// from which slot is noted in `origins`.
    pub fn store_at_rest(&mut self, sorted: bool, out: &mut Vec<Word>, origins: &mut [u32]) {
        self.store(out);
        if !self.is_symmetric() || self.process.ended.is_some() {
            return;
        }
        let mut moves = Vec::new();
        for class in 1..=self.system.sharing.classes.len() as u8 {
            let own = |slot: u32| self.step.at_home.filter(|at| at.home == slot).map_or(slot, |at| at.own);
            let mut from: Vec<u32> = self.members(class).collect();
            if from.iter().any(|&slot| self.threads[slot as usize].atomic > 0) {
                self.tell_class_apart(class);
            }
            from.sort_by_key(|&slot| own(slot));
            let to: Vec<u32> = from.iter().map(|&slot| own(slot)).collect();
            if sorted {
                from.sort_by(|&one, &other| self.compare(out, one, other));
            }
            moves.extend(from.into_iter().zip(to).map(|(from, to)| (from, own(from), to)));
        }
        let renamed: Vec<(u32, u32, u32)> =
            moves.iter().filter(|(from, _, to)| from != to).map(|&(from, _, to)| (from, from, to)).collect();
        if renamed.is_empty() {
            return;
        }
        if self.rename(&renamed) {
            self.store(out);
        }
        let before = out.clone();
        let origins_before = origins.to_vec();
        if let Some(AtHome { home, .. }) = self.step.at_home {
            for at in [thread_at(home as usize), arenas_at(home as usize)] {
                out[at] = 0;
            }
        }
        for (from, own, to) in moves {
            out[thread_at(to as usize)] = before[thread_at(from as usize)];
            out[arenas_at(to as usize)] = before[arenas_at(from as usize)];
            if let (Some(origin), Some(&of)) = (origins.get_mut(to as usize), origins_before.get(own as usize)) {
                *origin = of;
            }
        }
    }

    /// Threads change places: each is where the first number says, has the second number, and gets the third. True if
    /// anything named them by their numbers.
    fn rename(&mut self, moves: &[(u32, u32, u32)]) -> bool {
        let mut is_named = false;
        for &(at, old, new) in moves {
            for lock in self.held.of(at).to_vec() {
                let is_held = self.memory.look_at_word(lock + MUTEX_LOCK) == Some(HELD);
                if is_held && self.memory.look_at_word(lock + MUTEX_OWNER) == Some(old + 1) {
                    self.memory.poke_word(lock + MUTEX_OWNER, new + 1);
                    is_named = true;
                }
            }
        }
        let renamed = |slot: u32| moves.iter().find(|(_, old, _)| *old == slot).map_or(slot, |&(_, _, new)| new);
        if !self.process.history.is_empty() {
            self.process.change().history.rename(&renamed);
            is_named = true;
        }
        if !self.process.reservations.is_empty() {
            let reservations = &mut self.process.change().reservations;
            reservations.iter_mut().for_each(|(slot, _)| *slot = renamed(*slot));
            reservations.sort_unstable();
            is_named = true;
        }
        is_named
    }

    /// An order of threads by what their words lead to, which is the same in every process.
    fn compare(&self, state: &[Word], one: u32, other: u32) -> Ordering {
        let words_of = |at: usize| match state[at].checked_sub(1) {
            Some(id) => self.system.components.get(ComponentId(id)),
            None => &[],
        };
        let threads = [one, other].map(|slot| words_of(thread_at(slot as usize)));
        let arenas = [one, other].map(|slot| words_of(arenas_at(slot as usize)));
        self.compare_components(threads, &Thread::TREES)
            .then_with(|| self.compare_components(arenas, &Arenas::TREES))
            .then_with(|| self.process.history.compare(one, other))
    }

    /// Compares components: first all words but those that name lines, then what the trees at these places hold.
    fn compare_components(&self, [one, other]: [&[Word]; 2], trees: &[usize]) -> Ordering {
        if std::ptr::eq(one, other) {
            return Ordering::Equal;
        }
        let is_content = |(at, _): &(usize, &Word)| !trees.contains(at);
        let contents = |words: &'_ [Word]| words.iter().enumerate().filter(is_content).map(|(_, &word)| word).collect();
        let [first, second]: [Vec<Word>; 2] = [contents(one), contents(other)];
        let ordering = first.cmp(&second);
        if ordering != Ordering::Equal || one.is_empty() {
            return ordering;
        }
        let trees = trees.iter().map(|&at| self.compare_lines(one[at], other[at], one[at + 1]));
        trees.fold(Ordering::Equal, Ordering::then)
    }

    /// Compares trees of so many levels.
    fn compare_lines(&self, one: u32, other: u32, levels: u32) -> Ordering {
        let lines = &self.system.lines;
        if one == other || one == ZERO_LINE || other == ZERO_LINE {
            return (one != ZERO_LINE).cmp(&(other != ZERO_LINE));
        }
        let (one, other) = (lines.get(one), lines.get(other));
        match levels.checked_sub(1) {
            None => one.0.cmp(&other.0),
            Some(levels) => {
                let mut nodes = one.0.iter().zip(&other.0).map(|(&one, &other)| self.compare_lines(one, other, levels));
                nodes.find(|&ordering| ordering != Ordering::Equal).unwrap_or(Ordering::Equal)
            }
        }
    }
}

/// Moves the words of a slot to another, which has none.
fn move_slot(words: &mut [Word], from: u32, to: u32) {
    debug_assert!(words[PROCESS] != 0);
    for at in [thread_at, arenas_at] {
        words[at(to as usize)] = std::mem::take(&mut words[at(from as usize)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_created_several_times_in_a_run_is_a_class() {
        let seen = SeenCreations::from([((7, 0), (3, 70)), ((7, 1), (1, 71)), ((9, 0), (2, 90))]);
        let told: Vec<(u64, u64, u32)> =
            classes(&seen).iter().map(|class| (class.entry, class.argument, class.created_at)).collect();
        assert_eq!(told, [(7, 0, 70), (9, 0, 90)]);
    }
}
