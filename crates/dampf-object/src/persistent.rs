//! Partial-order reduction for programs: in a state, the steps of some threads are enough, where no other thread can
//! ever do anything that has to do with them before they are taken.
//!
//! Segments, transactions and invisible operations ([`segments`](crate::segments),
//! [`transactions`](crate::transactions), [`sharing`](crate::sharing)) make steps large; what is left is that steps on
//! different objects interleave in all orders. Here one order is chosen.
//!
//! # What is known
//! The *touched* objects of a step are what it reads and writes that others may use: see [`touched`](crate::touched).
//! They are exact, since every step of a state is taken before some are left out. What a thread *may touch later* is
//! known by the place where it stands ([`futures`](crate::futures)): all that steps from there were seen to touch, and
//! from the places that these lead to, for itself and for the threads that it creates. A step that touches something
//! else, or leads elsewhere, refutes what is known, and the search restarts.
//!
//! # The set
//! In a state, a set `P` of threads is chosen, one of which can move. The threads outside that can move are *active*,
//! and those that wait for something which an active one may do. `P` is closed:
//!
//! 1. for a thread of `P` that can move, nothing that its next steps touch conflicts with the future of an active
//!    thread. What the thread has accessed in its current segment, and what it stands before, counts as touched;
//! 2. for a thread of `P` that has to wait, no active thread may do what it waits for;
//! 3. a step that ends the process conflicts with every active thread, and so does one that touches more than can be
//!    told.
//!
//! The steps of `P` are taken and all others are left out, unless that may close a circle (below). Nothing is left out
//! of a state with a race, with steps that end in a fault, that are ruled out by the program, or that cannot be
//! computed; nor while somebody is in an atomic section, signals are about, or a thread tries for a while.
//!
//! # Why nothing is missed
//! Take a run from a state `s` of the reduced graph that ends in something of interest: a faulty step, a race, a
//! deadlock, an end of the process, a step that refutes what is known. Let it be the shortest run to something that is
//! missed, counted in instructions. Up to its last step all steps touch what is known, so that futures hold.
//!
//! *Some step of the run is by a thread of `P`.* Take the first, `t`. All before it are by active threads: a thread
//! that waits moves only after somebody has done what it waits for. By 2 the thread of `t` can move in `s`, and by 1
//! what comes before has nothing to do with `t`. So `t` is among the steps of `s`, and the run with `t` in front comes
//! to the same state, or the same faulty step, in fewer instructions from the state behind `t`. How far steps go may
//! change with that, where a thread is alone earlier: then some of them come at once.
//!
//! *No step is.* Then the run is not a deadlock, since the threads of `P` that could move still can. Take a step `t` of
//! `P` first: the process has not ended, by 3, so the run can follow. Its last step may be one that refutes; up to the
//! first access that is not known it has nothing to do with `t`, so it comes to that access behind `t`, too. A race
//! between two threads outside of `P` is a race still. One with an access of a thread of `P` in its current segment, or
//! that it stands before, is excluded by 1. So what is of interest is as far away as before, but in another state, and
//! this goes on only as long as reduced states follow each other on a circle: there are finitely many. Every circle has
//! a state of which nothing is left out, where the run's first step is taken.
//!
//! # Circles
//! Along a circle of states some thread goes round a circle of places and has the same stack again, or threads create
//! each other in a circle of places. For each component of the graph of places a *measure* is guessed, a word of the
//! stack that only rises (or falls): a step that lowers it may close a circle. If no step changes it, the circle lies
//! within the passages that do not always raise it; for their components other measures are guessed, and so on. Where
//! there is none, every circle has one of the passages that lead back in a depth-first search. Nothing is left out of a
//! state if one of the steps that would be taken may close a circle in one of these ways. So any guess is sound, and
//! the choice depends on the state alone: every engine sees the same graph.
//!
//! # What conflicts
//! Accesses, one of which writes. Acquisitions of one mutex. Giving a mutex back conflicts with whatever looks at the
//! mutex without waiting for it, but not with acquiring it: as long as it is not given back, nobody else can have it.
//! The same would be true of semaphores, but there it decides about races who takes first.

use crate::dead_slots::Visited;
use crate::future_plan::FuturePlan;
use crate::futures::{Futures, Passage, Place};
use crate::layout::Region;
use crate::machine::{Machine, thread_at};
use crate::thread::Status;
use crate::touched::{Awaited, Mode, ObjectId, end_of};
use dampf_core::{Word, fnv1a};
use std::collections::{BTreeMap, HashMap};

/// Threads are told apart by so many bits.
pub const SLOTS_MAX: usize = 64;

/// Calls further out are not looked at.
const CALLS_MAX: usize = 12;

/// So much of a stack is looked at for words that change.
const WINDOW_BYTES: u64 = 1 << 11;

/// Places that are kept in mind, at most.
const KEPT_MAX: usize = 1 << 16;

/// What a worker knows of the state whose steps it takes, to choose among them.
#[derive(Default)]
pub struct Choice {
    /// Where threads stand, by slot and word.
    kept: HashMap<(u32, Word), Place>,
    threads: Vec<Standing>,
    /// The slots of the steps, in their order.
    steps: Vec<u32>,
    /// Something about the state is not understood.
    is_whole: bool,
    /// What was seen in this state and is not known yet.
    news: Futures,
    /// Which steps are taken.
    pub taken: Vec<bool>,
    objects: Vec<(ObjectId, Mode)>,
    standing: Vec<(ObjectId, Mode)>,
}

/// A thread of the state.
#[derive(Clone)]
struct Standing {
    /// None for one that is not alive.
    place: Option<Place>,
    number: Option<u32>,
    /// What its next steps touch, by the numbers of objects.
    touches: Vec<(u32, Mode)>,
    /// They touch more than can be told.
    anything: bool,
    /// One of them may close a circle of states.
    may_close: bool,
    can_move: bool,
    awaited: Awaited,
    /// Words of its stack, by address.
    words: Vec<(u64, u32)>,
}

fn bit(slot: u32) -> u64 {
    1 << slot
}

fn slots_of(set: u64) -> impl Iterator<Item = u32> {
    (0..u64::BITS).filter(move |&slot| set & bit(slot) != 0)
}

impl Choice {
    /// Begins with a state that is loaded.
    pub fn begin(&mut self, machine: &mut Machine<'_>, state: &[Word]) {
        self.steps.clear();
        self.news = Futures::default();
        self.is_whole = false;
        self.threads.clear();
        if self.kept.len() > KEPT_MAX {
            self.kept.clear();
        }
        let system = machine.system;
        for slot in 0..machine.slots() as u32 {
            let thread = machine.threads[slot as usize];
            let is_alive = thread.is_alive();
            let word = state[thread_at(slot as usize)];
            let place = is_alive.then(|| *self.kept.entry((slot, word)).or_insert_with(|| machine.place_of(slot)));
            let number = place.and_then(|place| system.future_plan.as_ref()?.number(place));
            let words = match (place, number) {
                (Some(_), _) if system.survey.is_some() => machine.stack_window(slot),
                (Some(_), Some(number)) => machine.measured_words(slot, number),
                _ => Vec::new(),
            };
            if let Some(place) = place.filter(|_| number.is_none()) {
                self.news.see_place(place);
                self.is_whole = true;
            }
            self.is_whole |= thread.atomic > 0 || thread.last_try.is_some() || thread.cancellation.is_requested;
            let awaited = if is_alive { machine.awaited(slot) } else { Awaited::Unknown };
            if let Some(place) = place {
                self.note_standing(machine, slot, place);
            }
            let (touches, anything, may_close, can_move) = (Vec::new(), false, false, false);
            self.threads.push(Standing { place, number, touches, anything, may_close, can_move, awaited, words });
        }
        self.is_whole |= machine.process.signals.are_due();
    }

    /// Leaves nothing out of this state.
    pub fn take_whole(&mut self) {
        self.is_whole = true;
    }

    /// A thread is marked instead of moved, or may be at its last try: others may have to do with all of it.
    pub fn note_marked(&mut self, machine: &Machine<'_>, slot: u32) {
        self.is_whole = true;
        self.note_anything(machine, slot);
    }

    fn note_anything(&mut self, machine: &Machine<'_>, slot: u32) {
        let standing = &mut self.threads[slot as usize];
        standing.anything = true;
        let plan = machine.system.future_plan.as_ref();
        let is_known = standing.number.zip(plan).is_some_and(|(number, plan)| plan.knows_anything(number));
        if let Some(place) = standing.place.filter(|_| !is_known) {
            self.news.see_anything(place);
        }
    }

    /// Takes note of a step that the machine has taken, whether it leads to a state (it is the next one then) or not.
    pub fn note_step(&mut self, machine: &mut Machine<'_>, slot: u32, leads_on: bool) {
        if leads_on {
            self.steps.push(slot);
        } else {
            self.is_whole = true;
        }
        self.threads[slot as usize].can_move = true;
        // Whoever is alone has nobody to be compared with, nor will it before somebody else is there.
        if self.threads.iter().filter(|standing| standing.place.is_some()).count() < 2 {
            return;
        }
        machine.note_rest();
        let ends = machine.process.ended.is_some();
        let had_mark = machine.threads[slot as usize].last_try.is_some();
        if machine.touched.is_anything() || had_mark || ends && machine.system.options.leaks {
            let moved: Vec<u32> = machine.threads.touched().to_vec();
            moved.into_iter().chain([slot]).for_each(|slot| self.note_anything(machine, slot));
        }
        self.threads[slot as usize].anything |= ends;
        self.note_objects(machine, slot);
        if leads_on && !ends {
            self.note_passages(machine, slot);
        }
    }

    /// Notes what a step of a thread touches. What a thread does that goes on because of the step is known of where
    /// that one stood; and of the thread that moves, if the other was not there before.
    fn note_objects(&mut self, machine: &mut Machine<'_>, mover: u32) {
        let plan = machine.system.future_plan.as_ref();
        let objects = machine.touched.objects();
        objects.sort_unstable();
        objects.dedup();
        let mut unknown = Vec::new();
        for &(runner, object, mode) in objects.iter() {
            let of = if self.threads[runner as usize].place.is_some() { runner } else { mover };
            let Standing { place: Some(place), number, .. } = self.threads[of as usize] else { continue };
            let is_known = number.zip(plan).is_some_and(|(number, plan)| plan.knows_object(number, object, mode));
            if !is_known {
                unknown.push((place, object, mode));
            }
            if let Some(number) = plan.and_then(|plan| plan.object(object)) {
                self.threads[mover as usize].touches.push((number, mode));
            }
        }
        unknown.into_iter().for_each(|(place, object, mode)| self.see_object(machine, place, object, mode));
    }

    /// Learns that an object is touched from a place. A search that meets a block of the heap which the runs before it
    /// did not see takes all blocks of its site for one from then on: there may be many.
    fn see_object(&mut self, machine: &Machine<'_>, place: Place, object: ObjectId, mode: Mode) {
        self.news.see_object(place, object, mode);
        if let Some(site) = machine.site_of_object(object).filter(|_| machine.system.survey.is_none()) {
            self.news.see_loose(site);
        }
    }

    /// Notes where the threads stand that have moved in a step.
    fn note_passages(&mut self, machine: &mut Machine<'_>, mover: u32) {
        let plan = machine.system.future_plan.as_ref();
        let moved: Vec<u32> = machine.threads.touched().to_vec();
        let Some(from_mover) = self.threads[mover as usize].place else { return };
        for slot in moved {
            if !machine.threads[slot as usize].is_alive() {
                continue;
            }
            let to = machine.place_of(slot);
            let before = self.threads[slot as usize].place;
            let (from, creates) = (before.unwrap_or(from_mover), before.is_none());
            if slot != mover && before == Some(to) {
                continue;
            }
            let ends = plan.and_then(|plan| Some((plan, plan.number(from)?, plan.number(to)?)));
            let passage = match machine.system.survey.is_some() {
                true => self.sampled(machine, slot, creates),
                false => Passage { creates, ..Passage::default() },
            };
            match ends.filter(|(plan, from, to)| plan.knows_passage(*from, *to, creates)) {
                Some((plan, from, to)) => {
                    let words = &self.threads[slot as usize].words;
                    let word = |address: u64| {
                        let before = words.iter().find(|(at, _)| *at == address).map_or(0, |&(_, word)| word);
                        (before, machine.stack_word(slot, address))
                    };
                    if plan.may_close(from, to, creates, word) {
                        self.threads[mover as usize].may_close = true;
                    }
                }
                None => self.news.see_passage(from, to, &passage),
            }
            self.note_standing(machine, slot, to);
        }
    }

    /// Notes what a thread stands before at a place: others may race with it, though it may never come to it.
    fn note_standing(&mut self, machine: &mut Machine<'_>, slot: u32, place: Place) {
        let known = machine.system.future_plan.as_ref().and_then(|plan| Some((plan, plan.number(place)?)));
        let mut objects = std::mem::take(&mut self.standing);
        objects.clear();
        let is_told = machine.add_standing(slot, &mut objects);
        for &(object, mode) in &objects {
            if !known.is_some_and(|(plan, number)| plan.knows_object(number, object, mode)) {
                self.see_object(machine, place, object, mode);
            }
        }
        if !is_told && !known.is_some_and(|(plan, number)| plan.knows_anything(number)) {
            self.news.see_anything(place);
        }
        self.standing = objects;
    }

    /// How the words of a thread's stack have changed in a step.
    fn sampled(&self, machine: &Machine<'_>, slot: u32, creates: bool) -> Passage {
        let sp = machine.threads[slot as usize].sp;
        let mut changes = BTreeMap::new();
        for &(address, before) in self.threads[slot as usize].words.iter().filter(|(address, _)| *address >= sp) {
            let after = machine.stack_word(slot, address);
            if before != after {
                let is_raised = after as i32 > before as i32;
                changes.insert(address, (u32::from(is_raised), u32::from(!is_raised)));
            }
        }
        Passage { creates, samples: 1, words: changes }
    }

    /// What was seen and not known.
    pub fn take_news(&mut self) -> Option<Futures> {
        let news = std::mem::take(&mut self.news);
        (!news.is_empty()).then_some(news)
    }

    /// Chooses, in a state that is loaded and of which nothing is to be said but its steps. Whether some steps are left
    /// out.
    pub fn decide(&mut self, machine: &mut Machine<'_>) -> bool {
        let Some(plan) = machine.system.future_plan.as_ref().filter(|_| machine.system.survey.is_none()) else {
            return false;
        };
        if self.is_whole || !self.news.is_empty() {
            return false;
        }
        let can_move = self.threads.iter().zip(0..).filter(|(standing, _)| standing.can_move);
        let can_move: u64 = can_move.fold(0, |set, (_, slot)| set | bit(slot));
        if can_move.count_ones() < 2 {
            return false;
        }
        for slot in slots_of(can_move) {
            let mut objects = std::mem::take(&mut self.objects);
            objects.clear();
            let is_told = machine.add_standing(slot, &mut objects) & machine.add_accessed(slot, &mut objects);
            let standing = &mut self.threads[slot as usize];
            standing.anything |= !is_told;
            let known = objects.iter().filter_map(|&(object, mode)| Some((plan.object(object)?, mode)));
            standing.touches.extend(known);
            standing.touches.sort_unstable();
            standing.touches.dedup();
            self.objects = objects;
        }
        let view = View { plan, threads: &self.threads, can_move };
        let count = |set: u64| self.steps.iter().filter(|&&slot| set & bit(slot) != 0).count();
        let mut best: Option<(usize, u64)> = None;
        for slot in slots_of(can_move) {
            let Some(set) = view.closed(slot) else { continue };
            let may_close = slots_of(set & can_move).any(|slot| self.threads[slot as usize].may_close);
            let steps = count(set);
            if !may_close && best.is_none_or(|(least, _)| steps < least) {
                best = Some((steps, set));
            }
        }
        let Some((steps, set)) = best.filter(|(steps, _)| *steps < self.steps.len()) else { return false };
        debug_assert!(steps > 0);
        self.taken.clear();
        self.taken.extend(self.steps.iter().map(|&slot| set & bit(slot) != 0));
        true
    }
}

/// What a choice is made by.
struct View<'a> {
    plan: &'a FuturePlan,
    threads: &'a [Standing],
    can_move: u64,
}

impl View<'_> {
    /// The least closed set with a thread that can move; none if that is everybody who can.
    fn closed(&self, first: u32) -> Option<u64> {
        let mut chosen = bit(first);
        loop {
            let active = self.active(chosen);
            let added = slots_of(active).filter(|&other| slots_of(chosen).any(|slot| self.meets(slot, other)));
            let added = added.fold(0, |set, slot| set | bit(slot));
            if added == 0 {
                return Some(chosen);
            }
            chosen |= added;
            if self.can_move & !chosen == 0 {
                return None;
            }
        }
    }

    /// The threads that may move before one of a set does.
    fn active(&self, chosen: u64) -> u64 {
        let mut active = self.can_move & !chosen;
        let alive = self.threads.iter().zip(0..).filter(|(standing, _)| standing.place.is_some());
        let waiting = alive.fold(0, |set, (_, slot)| set | bit(slot)) & !self.can_move & !chosen;
        loop {
            let woken = slots_of(waiting & !active)
                .filter(|&slot| slots_of(active).any(|other| self.may_end_wait(slot, other)))
                .fold(0, |set, slot| set | bit(slot));
            if woken == 0 {
                return active;
            }
            active |= woken;
        }
    }

    /// Whether what a chosen thread does next, or waits for, may have to do with what another does some time.
    fn meets(&self, chosen: u32, other: u32) -> bool {
        let standing = &self.threads[chosen as usize];
        let future = self.future(other);
        if self.can_move & bit(chosen) == 0 {
            return self.may_end_wait(chosen, other);
        }
        future.anything
            || standing.anything
            || standing.touches.iter().any(|&(object, mode)| mode.conflicts(future.mode(object)))
    }

    /// Whether a thread may do what another waits for.
    fn may_end_wait(&self, waiting: u32, other: u32) -> bool {
        let future = self.future(other);
        let does = |object: ObjectId, modes: Mode| {
            self.plan.object(object).is_some_and(|object| future.mode(object).has(modes))
        };
        let does_to = |objects: &[ObjectId], modes: Mode| objects.iter().any(|&object| does(object, modes));
        future.anything
            || match &self.threads[waiting as usize].awaited {
                Awaited::Mutex { objects, owner } => *owner == Some(other) || does_to(objects, Mode::WRITE),
                Awaited::Object { objects } => does_to(objects, Mode::WRITE.and(Mode::RELEASE)),
                &Awaited::End { slot } => slot == other || does(end_of(slot), Mode::WRITE),
                Awaited::Unknown => true,
            }
    }

    fn future(&self, slot: u32) -> &crate::future_plan::Future {
        let number = self.threads[slot as usize].number.expect("all places of a state are known where some are chosen");
        self.plan.future(number)
    }
}

impl Machine<'_> {
    /// Where a thread stands.
    fn place_of(&mut self, slot: u32) -> Place {
        let thread = self.threads[slot as usize];
        let status: u64 = match thread.status {
            Status::Absent | Status::Exited { .. } => 0,
            Status::Running => 1,
            Status::OnCondition { .. } => 2,
            Status::Reacquiring { .. } => 3,
            Status::OnFutex { .. } => 4,
            Status::OnBarrier { .. } => 5,
        };
        let region = Region::Stack(slot);
        let mut numbers = vec![u64::from(slot), status, thread.pc, region.base(0).wrapping_sub(thread.sp)];
        if let Some(hart) = self.threads.peek_hart(slot).map(|hart| hart.into_owned()) {
            let mut visited = self.innermost(&hart);
            for _ in 0..CALLS_MAX {
                numbers.push(visited.pc);
                match self.calling_frame(region, &visited, Visited::any) {
                    Some(caller) => visited = caller,
                    None => break,
                }
            }
        }
        fnv1a(numbers.into_iter().flat_map(u64::to_le_bytes))
    }

    /// A word of a thread's own stack; 0 where there is none.
    fn stack_word(&self, slot: u32, address: u64) -> u32 {
        let is_there =
            address >= self.threads[slot as usize].sp && Region::of(address, self.slots()) == Some(Region::Stack(slot));
        if is_there { self.memory.look_at_word(address).unwrap_or(0) } else { 0 }
    }

    /// The words of a thread's stack from its stack pointer on, by address.
    fn stack_window(&self, slot: u32) -> Vec<(u64, u32)> {
        let (sp, top) = (self.threads[slot as usize].sp, Region::Stack(slot).base(0));
        let words = (sp.next_multiple_of(4)..top.min(sp.saturating_add(WINDOW_BYTES))).step_by(4);
        words.map(|address| (address, self.stack_word(slot, address))).collect()
    }

    /// The words of a thread's stack that tell whether it makes progress.
    fn measured_words(&self, slot: u32, place: u32) -> Vec<(u64, u32)> {
        let plan = self.system.future_plan.as_ref();
        let measured = plan.into_iter().flat_map(|plan| plan.measured(place));
        measured.map(|address| (address, self.stack_word(slot, address))).collect()
    }
}
