//! The loop body that all searches share: a batch of states in, new states and faults out.
//!
//! A batch goes through two passes. The first generates all successors of all its states and prepares each
//! one, which starts the fetch of the table line it needs; the second looks them up. By then the lines have
//! arrived: the search waits for memory once per batch, not once per transition.

use dampf_core::{Fault, Model, Remark, Revise, Successors, Unsupported, Word, Worker};
use dampf_store::{Inserted, Session, Staged, StateRef, Store};
use std::collections::BTreeSet;

/// States expanded together: enough for the fetches to overlap, few enough for the buffers to stay in cache.
pub(crate) const BATCH: usize = 32;

pub(crate) struct Expander<'a, M: Model + 'a, S: Store + 'a> {
    worker: M::Worker<'a>,
    session: S::Session<'a>,
    /// One buffer per state of a batch.
    successors: Vec<Successors>,
    pending: Vec<<S::Session<'a> as Session>::Pending>,
    state: Vec<Word>,
    deadlocks: bool,
    /// The least reason why a step could not be computed.
    unsupported: Option<Unsupported>,
    refuted: BTreeSet<Revise>,
}

/// A fault that a batch met.
pub(crate) struct Met {
    /// The number of the state in its batch.
    pub number: usize,
    /// The index of the faulty step; none where the state is faulty.
    pub step: Option<usize>,
    pub fault: Fault,
}

impl<'a, M: Model, S: Store> Expander<'a, M, S> {
    pub fn new(model: &'a M, store: &'a S, deadlocks: bool) -> Self {
        Expander {
            worker: model.worker(),
            session: store.session(),
            successors: (0..BATCH).map(|_| Successors::new(model.width())).collect(),
            pending: Vec::new(),
            state: vec![0; model.width()],
            deadlocks,
            unsupported: None,
            refuted: BTreeSet::new(),
        }
    }

    /// A step that could not be computed, if one was met: then the search has not seen everything.
    pub fn take_unsupported(&mut self) -> Option<Unsupported> {
        self.unsupported.take()
    }

    /// Whether steps have refuted what the model assumes: then nothing counts that the search has seen.
    pub fn has_refuted(&self) -> bool {
        !self.refuted.is_empty()
    }

    pub fn take_refuted(&mut self) -> BTreeSet<Revise> {
        std::mem::take(&mut self.refuted)
    }

    /// Adds the initial states, calling `new` for those that are, with the state's number.
    pub fn begin(&mut self, mut new: impl FnMut(StateRef), met: &mut Vec<Met>) {
        let initial = &mut self.successors[0];
        self.worker.initial(initial);
        self.unsupported = initial.unsupported().cloned();
        self.refuted.extend(initial.refuted().iter().map(|(_, revise)| revise.clone()));
        for number in 0..initial.len() {
            if let Some(fault) = initial.fault(number) {
                met.push(Met { number, step: Some(number), fault: fault.clone() });
            }
            if !initial.leads_on(number) {
                continue;
            }
            let pending = self.session.prepare(initial.state(number));
            if let Inserted::New(state) = self.session.commit(pending, initial.state(number), None) {
                new(state);
            }
        }
    }

    /// Expands a batch of at most [`BATCH`] states: calls `new` for every state that was not in the store,
    /// with the number of the expanded state, and notes the faults. Returns the number of steps.
    #[inline]
    pub fn expand(&mut self, batch: &[StateRef], mut new: impl FnMut(usize, StateRef), met: &mut Vec<Met>) -> u64 {
        let transitions = self.generate(batch, met);
        let mut pending = self.pending.iter();
        for (number, (&state, successors)) in batch.iter().zip(&self.successors).enumerate() {
            for step in 0..successors.len() {
                let &pending = pending.next().expect("every step was prepared");
                if !successors.leads_on(step) {
                    continue;
                }
                if let Inserted::New(found) = self.session.commit(pending, successors.state(step), Some(state)) {
                    new(number, found);
                }
            }
        }
        self.session.quiesce();
        transitions
    }

    /// Like [`expand`](Self::expand), but stages instead of adding: calls `fresh` for every step that leads
    /// to a state that was not in the store when the level began, with the step's index.
    pub fn stage(
        &mut self,
        batch: &[StateRef],
        mut fresh: impl FnMut(usize, usize, StateRef),
        met: &mut Vec<Met>,
    ) -> u64 {
        let transitions = self.generate(batch, met);
        let mut pending = self.pending.iter();
        for (number, successors) in self.successors[..batch.len()].iter().enumerate() {
            for step in 0..successors.len() {
                let &pending = pending.next().expect("every step was prepared");
                if !successors.leads_on(step) {
                    continue;
                }
                if let Staged::Fresh(found) = self.session.stage(pending, successors.state(step)) {
                    fresh(number, step, found);
                }
            }
        }
        self.session.quiesce();
        transitions
    }

    /// Adds a state that was staged.
    pub fn publish(&mut self, staged: StateRef, parent: StateRef) {
        self.session.publish(staged, Some(parent));
    }

    /// The first pass: successors of every state of the batch, prepared.
    #[inline]
    fn generate(&mut self, batch: &[StateRef], met: &mut Vec<Met>) -> u64 {
        self.pending.clear();
        let mut transitions = 0;
        for (number, (&state, successors)) in batch.iter().zip(&mut self.successors).enumerate() {
            self.session.load(state, &mut self.state);
            self.worker.successors(&self.state, successors);
            transitions += successors.len() as u64;
            self.session.prepare_all(successors, 0..successors.len(), &mut self.pending);
            if !successors.is_unremarkable() {
                let noted = (&mut *met, &mut self.unsupported, &mut self.refuted);
                Self::note(number, successors, self.deadlocks, noted);
            }
        }
        transitions
    }

    #[cold]
    fn note(
        number: usize,
        successors: &Successors,
        deadlocks: bool,
        (met, unsupported, refuted): (&mut Vec<Met>, &mut Option<Unsupported>, &mut BTreeSet<Revise>),
    ) {
        for remark in successors.remarks(deadlocks) {
            match remark {
                Remark::Fault { step, fault } => met.push(Met { number, step, fault }),
                Remark::Unsupported(what) => *unsupported = crate::least([unsupported.take(), Some(what)]),
                Remark::Refuted(revise) => {
                    refuted.insert(revise);
                }
            }
        }
    }
}
