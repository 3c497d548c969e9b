//! Compound steps, and steps that wait until nothing else can happen.
//!
//! What a holder does in a row is one step of the system. The back ends know single steps only; a worker follows the
//! holder from *moment* to moment until it lets go or cannot move, and what it then has is the state that the step
//! leads to. Moments are visited once per step, in the order in which they are found, so that a holder that runs in a
//! circle ends too. Labels number the compound steps of a state; which single steps one is made of is found by doing it
//! again.
//!
//! Invariant: a state that leaves here has no holder, and its timeout is 0.

use crate::model::GclModel;
use dampf_core::{Action, Successors, Unsupported, Word};
use std::collections::HashSet;

/// Beyond this number of moments a step looks for those that it has seen.
const MOMENTS_UNCHECKED: usize = 64;

/// A step of more moments is given up.
const MOMENTS_MAX: usize = 1 << 20;

/// What a step begins with.
const STATE: u32 = u32::MAX;

/// A single step: the moment it was taken in, or [`STATE`], and its label.
type Taken = (u32, Action);

/// The scratch space of a worker.
pub struct Compound {
    width: usize,
    /// The single steps of the state.
    first: Successors,
    /// The single steps of a moment.
    steps: Successors,
    /// The moments found so far, side by side, and the step that each was found by.
    moments: Vec<Word>,
    found_by: Vec<Taken>,
    seen: HashSet<Box<[Word]>>,
    /// The last single step of each compound step.
    last: Vec<Taken>,
    scratch: Vec<Word>,
}

impl Compound {
    pub fn new(width: usize) -> Self {
        Compound {
            width,
            first: Successors::new(width),
            steps: Successors::new(width),
            moments: Vec::new(),
            found_by: Vec::new(),
            seen: HashSet::new(),
            last: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Everything that can happen next in a state.
    pub fn successors(&mut self, model: &GclModel, state: &[Word], out: &mut Successors) {
        model.single_steps(state, out);
        if out.is_empty() {
            self.time_out(model, state, out);
        }
        if model.program().has_compound_steps {
            self.follow(model, out);
        }
    }

    /// The single steps of a compound step, each with the state or moment that it is taken in.
    pub fn path(&mut self, model: &GclModel, state: &[Word], action: Action) -> Vec<(Vec<Word>, Action)> {
        let mut out = Successors::new(self.width);
        self.successors(model, state, &mut out);
        if !model.program().has_compound_steps {
            return vec![(self.waiting(model, state), action)];
        }
        let mut path = Vec::new();
        let mut next = self.last.get(action.front_end() as usize).copied();
        while let Some((at, action)) = next {
            if at == STATE {
                path.push((self.waiting(model, state), action));
                break;
            }
            path.push((self.moment(at as usize).to_vec(), action));
            next = Some(self.found_by[at as usize]);
        }
        path.reverse();
        path
    }

    /// The first single step of a compound step of the state whose steps were computed last.
    pub fn begun_by(&self, step: usize) -> u32 {
        let (mut at, mut action) = self.last[step];
        while at != STATE {
            (at, action) = self.found_by[at as usize];
        }
        action.front_end()
    }

    /// The state in which the first single step is taken: with its timeout, if it waited for that.
    fn waiting(&mut self, model: &GclModel, state: &[Word]) -> Vec<Word> {
        let mut waiting = state.to_vec();
        model.single_steps(state, &mut self.steps);
        if let (true, Some(timeout)) = (self.steps.is_empty(), model.timeout()) {
            timeout.set(&mut waiting, 1);
        }
        waiting
    }

    /// In a state without steps: those that waited for it.
    fn time_out(&mut self, model: &GclModel, state: &[Word], out: &mut Successors) {
        let Some(timeout) = model.timeout() else { return };
        self.scratch.clear();
        self.scratch.extend_from_slice(state);
        timeout.set(&mut self.scratch, 1);
        model.single_steps(&self.scratch, out);
        (0..out.len()).for_each(|index| timeout.set(out.state_mut(index), 0));
    }

    /// Follows the holders of the steps in `out`.
    fn follow(&mut self, model: &GclModel, out: &mut Successors) {
        self.last.clear();
        self.moments.clear();
        self.found_by.clear();
        let holder = model.layout().holder;
        let is_held = |words: &[Word]| holder.is_some_and(|holder| holder.get(words) != 0);
        if !(0..out.len()).any(|index| out.leads_on(index) && is_held(out.state(index))) {
            self.last.extend(out.actions().iter().map(|action| (STATE, *action)));
            return out.renumber();
        }
        std::mem::swap(out, &mut self.first);
        out.restart_from(&self.first);
        for index in 0..self.first.len() {
            let (taken, start) = ((STATE, self.first.action(index)), self.found_by.len());
            match self.first.step_end(index) {
                Some(end) => out.push_end(self.label(taken), end),
                None if is_held(self.first.state(index)) => {
                    self.moments.extend_from_slice(self.first.state(index));
                    self.found_by.push(taken);
                    self.follow_moments(model, start, &is_held, out);
                }
                None => {
                    let label = self.label(taken);
                    out.push(label, self.first.state(index));
                }
            }
        }
    }

    /// Follows a moment to the states that it leads to.
    fn follow_moments(
        &mut self,
        model: &GclModel,
        start: usize,
        is_held: &impl Fn(&[Word]) -> bool,
        out: &mut Successors,
    ) {
        self.seen.clear();
        let mut current = start;
        while current < self.found_by.len() {
            if current - start > MOMENTS_MAX {
                return out.set_unsupported(Unsupported {
                    what: format!("an atomic sequence of more than {MOMENTS_MAX} steps"),
                });
            }
            let mut words = std::mem::take(&mut self.scratch);
            words.clear();
            words.extend_from_slice(self.moment(current));
            if model.single_steps(&words, &mut self.steps) {
                self.leave_moment(current, start, is_held, out);
            } else {
                // Nobody holds a system in which the holder cannot move.
                model.layout().holder.iter().for_each(|holder| holder.set(&mut words, 0));
                let taken = self.found_by[current];
                out.push(self.label(taken), &words);
            }
            self.scratch = words;
            current += 1;
        }
    }

    /// Takes the steps of a moment.
    fn leave_moment(&mut self, current: usize, start: usize, is_held: &impl Fn(&[Word]) -> bool, out: &mut Successors) {
        for index in 0..self.steps.len() {
            let taken = (current as u32, self.steps.action(index));
            if let Some(end) = self.steps.step_end(index) {
                out.push_end(self.label(taken), end);
            } else if is_held(self.steps.state(index)) {
                if self.found_by.len() - start < MOMENTS_UNCHECKED || self.seen.insert(self.steps.state(index).into()) {
                    self.moments.extend_from_slice(self.steps.state(index));
                    self.found_by.push(taken);
                }
            } else {
                let label = self.label(taken);
                out.push(label, self.steps.state(index));
            }
        }
    }

    /// The label of the next compound step, which ends with this single step.
    fn label(&mut self, taken: Taken) -> Action {
        self.last.push(taken);
        Action(self.last.len() as u64 - 1)
    }

    fn moment(&self, number: usize) -> &[Word] {
        &self.moments[number * self.width..][..self.width]
    }
}
