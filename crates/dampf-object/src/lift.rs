//! Runs of a model in which threads change places, as runs of the program.
//!
//! A step of a model with symmetry leads to the canonical form of the state it leads to, so a label says which slot's
//! thread moves, and the thread may be in another slot afterwards. Here both models walk side by side: the one with
//! symmetry says where its threads went, and in the one without every thread stays where it is. The two stop at the
//! same places, but for the first thread while it joins a class: it may have gone further without symmetry, past
//! threads that have ended, which is noticed by nobody.
//!
//! Where a step can be taken in several ways (whom a signal wakes), the way is the one after which all threads stand
//! where they stand in the other model.

use crate::model::{ObjectModel, ObjectWorker, action, parts};
use crate::thread::Status;
use dampf_core::{Action, Model, Successors, Trail, Word, Worker};

/// A run of a model with symmetry as a run of the model without; none where it is no such run, which is an error of
/// ours.
pub fn lifted(symmetric: &ObjectModel, bare: &ObjectModel, trail: &Trail) -> Option<Trail> {
    if !symmetric.system.is_symmetric {
        return Some(trail.clone());
    }
    let mut walk = Walk::new(symmetric, bare)?;
    let mut stem = Vec::with_capacity(trail.stem.len());
    for (number, &label) in trail.stem.iter().enumerate() {
        let is_last = number + 1 == trail.stem.len();
        match walk.step(label) {
            Some(lifted) => stem.push(lifted),
            None if is_last => {
                stem.push(walk.faulty(label)?);
                return Some(Trail::ending(trail.initial, stem));
            }
            None => return None,
        }
    }
    // What the first thread has yet to join it joins before it is stuck.
    while let Some(joined) = walk.join() {
        stem.push(joined);
    }
    Some(Trail::ending(trail.initial, stem))
}

struct Walk<'m> {
    symmetric: ObjectWorker<'m>,
    bare: ObjectWorker<'m>,
    canonical: Vec<Word>,
    state: Vec<Word>,
    out: Successors,
    /// The slots in the bare state of the threads in the canonical one.
    slots: Vec<u32>,
}

impl<'m> Walk<'m> {
    fn new(symmetric: &'m ObjectModel, bare: &'m ObjectModel) -> Option<Walk<'m>> {
        let (mut symmetric, mut worker) = (symmetric.worker(), bare.worker());
        let mut out = Successors::new(bare.width());
        symmetric.initial(&mut out);
        let canonical = (!out.is_empty()).then(|| out.state(0).to_vec())?;
        worker.initial(&mut out);
        let state = (!out.is_empty()).then(|| out.state(0).to_vec())?;
        let slots = (0..symmetric.machine.slots() as u32).collect();
        Some(Walk { symmetric, bare: worker, canonical, state, out, slots })
    }

    /// Takes a step in both models, if it leads to a state. Its label in the bare one.
    fn step(&mut self, label: Action) -> Option<Action> {
        let (slot, way) = parts(label);
        let (next, origins) = self.symmetric.stepped(&self.canonical, slot, way)?;
        let slots: Vec<u32> = origins.iter().map(|&origin| self.slots[origin as usize]).collect();
        let wanted = standing(&mut self.symmetric, &next);
        let steps = self.steps_of(self.slots[slot as usize], way);
        for (label, state) in steps.into_iter().filter_map(|(label, state)| Some((label, state?))) {
            let found = standing(&mut self.bare, &state);
            let is_there = |(slot, wanted): (usize, &Option<(u64, Status)>)| {
                wanted.is_none() || found[slots[slot] as usize] == *wanted
            };
            if wanted.iter().enumerate().all(is_there) {
                self.state = state;
                self.slots = slots;
                // Whoever gets a slot that is free gets the same one in both models.
                self.symmetric.machine.load(&next);
                for (slot, thread) in self.symmetric.machine.threads.iter().enumerate() {
                    if thread.is_free() {
                        self.slots[slot] = slot as u32;
                    }
                }
                self.canonical = next;
                return Some(label);
            }
        }
        None
    }

    /// The steps of a thread in the bare state, with the states they lead to, those that go a way first.
    fn steps_of(&mut self, slot: u32, way: u32) -> Vec<(Action, Option<Vec<Word>>)> {
        self.bare.successors(&self.state, &mut self.out);
        let out = &self.out;
        let state = |index: usize| out.leads_on(index).then(|| out.state(index).to_vec());
        let of_slot = (0..out.len()).filter(|&index| parts(out.action(index)).0 == slot);
        let mut steps: Vec<_> = of_slot.map(|index| (out.action(index), state(index))).collect();
        steps.sort_by_key(|(label, _)| *label != action(slot, way));
        steps
    }

    /// The last step, which ends in a fault.
    fn faulty(&mut self, label: Action) -> Option<Action> {
        let (slot, way) = parts(label);
        let steps = self.steps_of(self.slots[slot as usize], way);
        steps.into_iter().find(|(_, state)| state.is_none()).map(|(label, _)| label)
    }

    /// A join of the first thread, which others would not notice, where nothing is wrong yet.
    fn join(&mut self) -> Option<Action> {
        self.bare.successors(&self.state, &mut self.out);
        if self.out.fault_of_state(true).is_some() || self.out.len() != 1 || !self.out.leads_on(0) {
            return None;
        }
        let label = self.out.action(0);
        self.state = self.out.state(0).to_vec();
        self.bare.machine.load(&self.state);
        (parts(label).0 == 0 && self.bare.machine.process.ended.is_none()).then_some(label)
    }
}

/// Where the threads of a state stand that are alive.
fn standing(worker: &mut ObjectWorker<'_>, state: &[Word]) -> Vec<Option<(u64, Status)>> {
    worker.machine.load(state);
    worker.machine.threads.iter().map(|thread| thread.is_alive().then_some((thread.pc, thread.status))).collect()
}
