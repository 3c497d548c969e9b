//! Weak fairness for searches that know nothing of it: a layer with a few copies of each state.
//!
//! A run counts where everybody who can move from some moment on does move: for each mover, either it cannot move in
//! infinitely many states, or it moves infinitely often. These are as many *conditions* as there are movers, and one
//! more is that accepting states are passed. The copies of a state differ in a number: how many of the conditions, in
//! their order, were met since the last round of all of them. A step leads to the copy behind all the conditions that
//! follow and that its state, or the step itself, meets; behind the last condition a round is complete, and the copy is
//! accepting. So a run passes accepting copies for ever just if it meets every condition for ever: fair accepting
//! cycles of the model are accepting cycles here (Choueka 1974). There are at most two copies more of a state than
//! there are movers.
//!
//! Labels are the model's. Each determines a step of a copy as it does of the state, so that a run of copies is a run
//! of the model as it is written.

use crate::one_more_word::passes_parts_on;
use dampf_core::{Acceptance, Action, Model, Movers, Successors, Word, Worker};

/// A model with copies of states.
pub struct FairCopies<'a, M> {
    model: &'a M,
}

impl<'a, M: Acceptance + Movers> FairCopies<'a, M> {
    pub fn new(model: &'a M) -> Self {
        FairCopies { model }
    }

    fn own<'s>(&self, state: &'s [Word]) -> &'s [Word] {
        &state[..self.model.width()]
    }
}

/// Acceptance, and one condition for each mover.
fn conditions<M: Movers>(model: &M) -> Word {
    model.mover_count() as Word + 1
}

impl<M: Acceptance + Movers> Model for FairCopies<'_, M> {
    type Worker<'m>
        = FairCopiesWorker<'m, M>
    where
        Self: 'm;

    fn width(&self) -> usize {
        self.model.width() + 1
    }

    fn worker(&self) -> FairCopiesWorker<'_, M> {
        FairCopiesWorker {
            model: self.model,
            worker: self.model.worker(),
            steps: Successors::new(self.model.width()),
            can_move: vec![false; self.model.mover_count()],
            moves: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl<M: Acceptance + Movers> Acceptance for FairCopies<'_, M> {
    fn is_accepting(&self, state: &[Word]) -> bool {
        state[self.model.width()] == conditions(self.model)
    }
}

/// Nobody has to look at who moves any more.
impl<M: Acceptance + Movers> Movers for FairCopies<'_, M> {}

passes_parts_on!(FairCopies, Acceptance Movers);

pub struct FairCopiesWorker<'m, M: Model + 'm> {
    model: &'m M,
    worker: M::Worker<'m>,
    /// Of the model alone.
    steps: Successors,
    /// Who can move in the state, and who moves along one of its steps.
    can_move: Vec<bool>,
    moves: Vec<usize>,
    scratch: Vec<Word>,
}

impl<M: Acceptance + Movers> FairCopiesWorker<'_, M> {
    /// Which copy a step of a state leads to, from this one.
    fn next_copy(&mut self, own: &[Word], action: Action, copy: Word) -> Word {
        let all = conditions(self.model);
        let FairCopiesWorker { model, can_move, moves, .. } = self;
        moves.clear();
        model.movers(own, action, &mut |mover| moves.push(mover));
        let is_met = |condition: Word| match condition.checked_sub(1) {
            None => model.is_accepting(own),
            Some(mover) => !can_move[mover as usize] || moves.contains(&(mover as usize)),
        };
        let first = if copy == all { 0 } else { copy };
        (first..all).find(|&condition| !is_met(condition)).unwrap_or(all)
    }

    /// Hands on the steps of the model, each to the copy that is given for it.
    fn push_all(&mut self, out: &mut Successors, mut copy_of: impl FnMut(&mut Self, Action) -> Word) {
        for step in 0..self.steps.len() {
            let action = self.steps.action(step);
            if let Some(end) = self.steps.step_end(step).filter(|_| !self.steps.leads_on(step)) {
                out.push_end(action, end);
                continue;
            }
            let copy = copy_of(self, action);
            self.scratch.clear();
            self.scratch.extend_from_slice(self.steps.state(step));
            self.scratch.push(copy);
            out.push(action, &self.scratch);
        }
    }
}

impl<M: Acceptance + Movers> Worker for FairCopiesWorker<'_, M> {
    fn initial(&mut self, out: &mut Successors) {
        self.worker.initial(&mut self.steps);
        out.restart_from(&self.steps);
        self.push_all(out, |_, _| 0);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        let (own, copy) = state.split_at(self.model.width());
        self.worker.successors(own, &mut self.steps);
        out.restart_from(&self.steps);
        self.can_move.fill(false);
        for &action in self.steps.actions() {
            self.model.movers(own, action, &mut |mover| self.can_move[mover] = true);
        }
        self.push_all(out, |worker, action| worker.next_copy(own, action, copy[0]));
    }
}
