//! One expansion for every search: states in, successors and what is to be said about the states out.
//!
//! An [`Expander`] generates the successors of a batch of states and judges the states; a [`Sink`] is what a search
//! does with them: commit them to a store, stage them for the end of a level, gather them for the disk, send them to
//! other ranks. A search is an expander, a sink and a frontier.
//!
//! A batch goes through two passes. The first generates all successors of all its states and prepares each one, which
//! starts the fetch of the table line it needs; the second looks them up. By then the lines have arrived: the search
//! waits for memory once per batch, not once per transition.

use crate::{SearchOptions, StopReason};
use dampf_core::{Fault, FaultSelection, Model, Remark, Revise, Successors, Unsupported, Word, Worker};
use std::collections::BTreeSet;

/// States expanded together: enough for the fetches to overlap, few enough for the buffers to stay in cache.
pub const BATCH: usize = 32;

/// What a search does with explored states and their successors.
pub trait Sink {
    /// Names a state that is to be explored.
    type Source: Copy;
    type Error;

    /// Reads the state with this number in its batch.
    fn load(&mut self, number: usize, source: Self::Source, words: &mut [Word]);

    /// Begins to look the successors of a state up.
    fn prepare(
        &mut self,
        number: usize,
        source: Self::Source,
        state: &[Word],
        successors: &Successors,
    ) -> Result<(), Self::Error>;

    /// Takes a fault: of the state, or of the step with this index.
    fn fault(&mut self, explored: Explored<'_, Self::Source>, step: Option<usize>, fault: Fault);

    /// Whether nobody wants the rest of a batch any more. Where steps are long, a batch takes seconds.
    #[inline]
    fn is_stopped(&self) -> bool {
        false
    }

    /// Takes the successors of a whole batch, or of its states up to where it was stopped: all that were prepared.
    fn commit(&mut self, batch: &[Self::Source], successors: &[Successors]) -> Result<(), Self::Error>;
}

/// A state that was explored.
#[derive(Clone, Copy)]
pub struct Explored<'a, S> {
    /// In its batch.
    pub number: usize,
    pub source: S,
    pub state: &'a [Word],
    pub successors: &'a Successors,
}

/// What judging states has come to, beside the faults themselves.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Judgement {
    /// Faulty states and faulty steps.
    pub faults: u64,
    /// The least reason why a step could not be computed: then the search has not seen everything.
    pub unsupported: Option<Unsupported>,
    /// What was refuted of what the model assumes: then nothing counts that the search has seen.
    pub refuted: BTreeSet<Revise>,
    /// Whether the depth limit left states unexplored.
    pub truncated: bool,
    /// What the search takes for granted, in words for people.
    pub premises: BTreeSet<String>,
    /// Whether some run ends as it may.
    pub met_end: bool,
    /// Whether a fault was found ahead of a breadth-first search, on a run that need not be short.
    pub found_ahead: bool,
}

impl Judgement {
    /// Notes that a step could not be computed. Of several reasons the least is kept: it must not depend on threads.
    pub fn note_unsupported(&mut self, unsupported: Option<Unsupported>) {
        let reasons = [self.unsupported.take(), unsupported];
        self.unsupported = reasons.into_iter().flatten().min_by(|one, other| one.what.cmp(&other.what));
    }

    pub fn absorb(&mut self, other: Judgement) {
        self.faults += other.faults;
        self.note_unsupported(other.unsupported);
        self.refuted.extend(other.refuted);
        self.truncated |= other.truncated;
        self.premises.extend(other.premises);
        self.met_end |= other.met_end;
        self.found_ahead |= other.found_ahead;
    }

    /// Why a search need not go on, if it need not.
    pub fn ends_search(&self, options: &SearchOptions) -> Option<StopReason> {
        if !self.refuted.is_empty() {
            return Some(StopReason::Refuted);
        }
        (self.faults > 0 && !options.keep_going).then_some(StopReason::Fault)
    }
}

/// Generates and judges for one thread.
pub struct Expander<'m, M: Model + 'm> {
    worker: M::Worker<'m>,
    /// One buffer per state of a batch.
    successors: Vec<Successors>,
    state: Vec<Word>,
    deadlocks: bool,
    /// Faults that do not count are taken out of what the worker says, before anybody looks at it.
    selection: FaultSelection,
    judgement: Judgement,
}

impl<'m, M: Model> Expander<'m, M> {
    /// The options say which faults count.
    pub fn new(model: &'m M, options: &SearchOptions) -> Self {
        Expander {
            worker: model.worker(),
            successors: (0..BATCH).map(|_| Successors::new(model.width())).collect(),
            state: vec![0; model.width()],
            deadlocks: options.deadlocks,
            selection: options.faults.clone(),
            judgement: Judgement::default(),
        }
    }

    /// What judging has come to since it was taken last.
    pub fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    pub fn take_judgement(&mut self) -> Judgement {
        std::mem::take(&mut self.judgement)
    }

    /// The initial states, judged: calls `fault` with the number of each one that cannot be, and its fault.
    pub fn begin(&mut self, mut fault: impl FnMut(usize, Fault)) -> &Successors {
        let initial = &mut self.successors[0];
        self.worker.initial(initial);
        initial.ignore(&self.selection);
        // A model without initial states is in no deadlock.
        judge(initial, false, &mut self.judgement, |step, found| fault(step.unwrap_or_default(), found));
        initial
    }

    /// Expands a batch of at most [`BATCH`] states. Returns the number of their steps.
    #[inline]
    pub fn expand<S: Sink>(&mut self, batch: &[S::Source], sink: &mut S) -> Result<u64, S::Error> {
        let deadlocks = self.deadlocks;
        self.expand_by(batch, sink, deadlocks, |worker, state, out| worker.successors(state, out))
    }

    /// The same for those steps of the states that a layer of the model has left out.
    pub fn expand_left_out<S: Sink>(&mut self, batch: &[S::Source], sink: &mut S) -> Result<u64, S::Error> {
        self.expand_by(batch, sink, false, |worker, state, out| worker.left_out(state, out))
    }

    #[inline]
    fn expand_by<S: Sink>(
        &mut self,
        batch: &[S::Source],
        sink: &mut S,
        deadlocks: bool,
        generate: impl Fn(&mut M::Worker<'m>, &[Word], &mut Successors),
    ) -> Result<u64, S::Error> {
        let (mut steps, mut explored) = (0, 0);
        for (number, (&source, successors)) in batch.iter().zip(&mut self.successors).enumerate() {
            if sink.is_stopped() {
                break;
            }
            explored = number + 1;
            sink.load(number, source, &mut self.state);
            generate(&mut self.worker, &self.state, successors);
            steps += successors.len() as u64;
            if !successors.is_unremarkable() {
                successors.ignore(&self.selection);
                let (state, successors) = (self.state.as_slice(), &*successors);
                judge(successors, deadlocks, &mut self.judgement, |step, fault| {
                    sink.fault(Explored { number, source, state, successors }, step, fault);
                });
            }
            sink.prepare(number, source, &self.state, successors)?;
        }
        sink.commit(&batch[..explored], &self.successors[..explored])?;
        Ok(steps)
    }

    /// The successors of a state, not judged: for ways back through states that were explored before.
    pub fn successors_of(&mut self, state: &[Word]) -> &Successors {
        self.worker.successors(state, &mut self.successors[0]);
        self.successors[0].ignore(&self.selection);
        &self.successors[0]
    }

    /// The initial states, not judged.
    pub fn initial_states(&mut self) -> &Successors {
        self.worker.initial(&mut self.successors[0]);
        &self.successors[0]
    }
}

/// Judges a state: the one place where it is decided what is wrong with it.
#[cold]
fn judge(
    successors: &Successors,
    deadlocks: bool,
    judgement: &mut Judgement,
    mut fault: impl FnMut(Option<usize>, Fault),
) {
    for remark in successors.remarks(deadlocks) {
        match remark {
            Remark::Fault { step, fault: found } => {
                judgement.faults += 1;
                fault(step, found);
            }
            Remark::Unsupported(unsupported) => judgement.note_unsupported(Some(unsupported)),
            Remark::Refuted(revise) => {
                judgement.refuted.insert(revise);
            }
            Remark::Premise(premise) => {
                judgement.premises.insert(premise);
            }
            Remark::End => judgement.met_end = true,
        }
    }
}
