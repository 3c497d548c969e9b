//! Models, their workers, and the buffer in which successors travel.
//!
//! A worker delivers *all* successors of a state at once into a buffer the engine owns. That shape is what
//! makes the hot loop fast: generated code writes states side by side without a call per transition, and
//! the engine may look up a whole batch of them while the memory system fetches the table lines.

use crate::{Fault, FaultKind, FaultSelection, Revise, Unsupported};

/// One word of a state.
pub type Word = u32;

/// A compact label of a step, unique among the steps that leave one state.
///
/// A front end uses the low 32 bits. A layer that adds choices of its own (a property automaton, say) keeps
/// the label it was given there and puts its choice above, so that the label of the bare front end can
/// always be recovered with [`Action::front_end`].
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Action(pub u64);

impl Action {
    /// The label as the bare front end gave it.
    pub fn front_end(self) -> u32 {
        self.0 as u32
    }
}

/// Something whose states can be explored. Shared by all threads; the work is done by its workers.
pub trait Model: Sync {
    type Worker<'m>: Worker + Send
    where
        Self: 'm;

    /// The number of words of every state; at least one.
    fn width(&self) -> usize;

    /// A new worker with its own scratch space, for one thread.
    fn worker(&self) -> Self::Worker<'_>;
}

/// Generates states for one thread.
pub trait Worker {
    /// Fills `out` with the initial states. Their labels are their numbers: 0, 1, 2, …
    fn initial(&mut self, out: &mut Successors);

    /// Fills `out` with everything that can happen next in `state`, in action order.
    ///
    /// Implementations start with [`Successors::clear`].
    fn successors(&mut self, state: &[Word], out: &mut Successors);

    /// Fills `out` with the steps of `state` that [`successors`](Self::successors) leaves out because they need not be
    /// taken there, as far as this model can tell. Only layers that reduce leave steps out; an engine asks for them
    /// where a reduction would otherwise put them off for ever.
    fn left_out(&mut self, state: &[Word], out: &mut Successors) {
        let _ = state;
        out.clear();
    }
}

/// How a step ends that leads to no state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StepEnd {
    Fault(Fault),
    Refuted(Revise),
}

impl From<Fault> for StepEnd {
    fn from(fault: Fault) -> Self {
        StepEnd::Fault(fault)
    }
}

/// Something to say about an explored state beside the states that its steps lead to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remark {
    /// Of the state, or of the step with this index.
    Fault { step: Option<usize>, fault: Fault },
    /// A step cannot be computed: nothing can be verified any more, but faults are still found.
    Unsupported(Unsupported),
    /// What was explored does not count.
    Refuted(Revise),
    /// The steps are all there are only if this holds, which nobody checks.
    Premise(String),
    /// A run ends here, as it may.
    End,
}

/// What a worker says about one state: its steps, and the three ways in which something is wrong: a [`Fault`] of the
/// state or of a step, a step that is [`Unsupported`], a step that refutes what the model assumes ([`Revise`]).
#[derive(Debug)]
pub struct Successors {
    width: usize,
    words: Vec<Word>,
    actions: Vec<Action>,
    faults: Vec<(usize, Fault)>,
    refuted: Vec<(usize, Revise)>,
    /// Whether faulty steps have states too.
    beyond_faults: bool,
    /// Steps that lead nowhere because the faults they end in do not count. Ascending.
    dead_ends: Vec<usize>,
    /// The last one is told first.
    state_faults: Vec<Fault>,
    valid_end: bool,
    ruled_out: bool,
    unsupported: Option<Unsupported>,
    premises: Vec<String>,
}

impl Successors {
    pub fn new(width: usize) -> Self {
        Successors {
            width,
            words: Vec::new(),
            actions: Vec::new(),
            faults: Vec::new(),
            refuted: Vec::new(),
            beyond_faults: false,
            dead_ends: Vec::new(),
            state_faults: Vec::new(),
            valid_end: false,
            ruled_out: false,
            unsupported: None,
            premises: Vec::new(),
        }
    }

    /// Forgets everything but the capacity.
    #[inline]
    pub fn clear(&mut self) {
        self.words.clear();
        self.actions.clear();
        self.faults.clear();
        self.refuted.clear();
        self.beyond_faults = false;
        self.dead_ends.clear();
        self.state_faults.clear();
        self.valid_end = false;
        self.ruled_out = false;
        self.unsupported = None;
        self.premises.clear();
    }

    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of steps, those that lead to no state included.
    #[inline]
    pub fn len(&self) -> usize {
        self.actions.len()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }

    #[inline]
    pub fn action(&self, index: usize) -> Action {
        self.actions[index]
    }

    #[inline]
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// Whether step `index` leads to a state. One that refutes an assumption does not, and a faulty one does only where
    /// the language says what state the system is in after a fault (see [`go_beyond_faults`](Self::go_beyond_faults)).
    #[inline]
    pub fn leads_on(&self, index: usize) -> bool {
        (self.faults.is_empty() || self.beyond_faults || self.fault(index).is_none())
            && (self.refuted.is_empty() || self.refuted_by(index).is_none())
            && (self.dead_ends.is_empty() || self.dead_ends.binary_search(&index).is_err())
    }

    /// Whether there is nothing to say about the explored state but its steps, and each of them leads to a state.
    #[inline]
    pub fn is_unremarkable(&self) -> bool {
        !self.actions.is_empty()
            && self.faults.is_empty()
            && self.refuted.is_empty()
            && self.dead_ends.is_empty()
            && self.state_faults.is_empty()
            && self.unsupported.is_none()
            && self.premises.is_empty()
    }

    /// The words of the state that step `index` leads to. Meaningless for a step that does not lead on.
    #[inline]
    pub fn state(&self, index: usize) -> &[Word] {
        &self.words[index * self.width..][..self.width]
    }

    /// The same for all steps, in their order.
    #[inline]
    pub fn states(&self) -> std::slice::ChunksExact<'_, Word> {
        self.words.chunks_exact(self.width)
    }

    /// The state of one step, to be changed.
    #[inline]
    pub fn state_mut(&mut self, index: usize) -> &mut [Word] {
        &mut self.words[index * self.width..][..self.width]
    }

    /// Labels the steps by their numbers: 0, 1, 2, …
    pub fn renumber(&mut self) {
        self.actions.iter_mut().enumerate().for_each(|(number, action)| *action = Action(number as u64));
    }

    /// Forgets all steps, and takes over what another buffer says about the state.
    pub fn restart_from(&mut self, other: &Successors) {
        self.clear();
        self.state_faults.clone_from(&other.state_faults);
        self.valid_end = other.valid_end;
        self.ruled_out = other.ruled_out;
        self.unsupported = other.unsupported.clone();
        self.premises.clone_from(&other.premises);
    }

    /// Forgets the steps whose flags are false, of a state about which nothing is to be said but its steps
    /// ([`is_unremarkable`](Self::is_unremarkable)). The labels of the others stay what they are.
    pub fn retain_steps(&mut self, kept: &[bool]) {
        debug_assert!(self.is_unremarkable() && kept.len() == self.len());
        let mut next = 0;
        for (index, _) in kept.iter().enumerate().filter(|(_, is_kept)| **is_kept) {
            self.actions[next] = self.actions[index];
            self.words.copy_within(index * self.width..(index + 1) * self.width, next * self.width);
            next += 1;
        }
        self.actions.truncate(next);
        self.words.truncate(next * self.width);
    }

    /// The steps that end in a fault: the index of the step, and the fault. Ascending.
    #[inline]
    pub fn faults(&self) -> &[(usize, Fault)] {
        &self.faults
    }

    /// The fault of step `index`, if it ends in one.
    pub fn fault(&self, index: usize) -> Option<&Fault> {
        let at = self.faults.binary_search_by_key(&index, |(at, _)| *at).ok()?;
        Some(&self.faults[at].1)
    }

    /// The steps that refute an assumption of the model: the index of the step, and what it refutes. Ascending.
    #[inline]
    pub fn refuted(&self) -> &[(usize, Revise)] {
        &self.refuted
    }

    /// The same, for a layer that knows better what was assumed.
    pub fn refuted_mut(&mut self) -> &mut [(usize, Revise)] {
        &mut self.refuted
    }

    /// What step `index` refutes, if it does.
    pub fn refuted_by(&self, index: usize) -> Option<&Revise> {
        let at = self.refuted.binary_search_by_key(&index, |(at, _)| *at).ok()?;
        Some(&self.refuted[at].1)
    }

    /// How step `index` ends, if it leads to no state.
    pub fn step_end(&self, index: usize) -> Option<StepEnd> {
        let fault = self.fault(index).cloned().map(StepEnd::Fault);
        fault.or_else(|| self.refuted_by(index).cloned().map(StepEnd::Refuted))
    }

    /// What is wrong with the explored state itself: a violated assertion about it, an invariant, a goal.
    #[inline]
    pub fn state_fault(&self) -> Option<&Fault> {
        self.state_faults.last()
    }

    /// What is wrong with the explored state, a deadlock included where that counts.
    pub fn fault_of_state(&self, deadlocks: bool) -> Option<Fault> {
        let is_stuck = || self.is_empty() && !self.valid_end && self.unsupported.is_none();
        let fault = self.state_fault().cloned().or_else(|| is_stuck().then(Fault::deadlock));
        fault.filter(|fault| deadlocks || fault.kind != FaultKind::Deadlock)
    }

    /// Judges the explored state: everything there is to say about it beside the states that its steps lead to. The one
    /// place where that is decided, for every engine; nothing where [`is_unremarkable`](Self::is_unremarkable).
    ///
    /// `deadlocks` says whether a state without steps that is no valid end is a fault.
    pub fn remarks(&self, deadlocks: bool) -> impl Iterator<Item = Remark> + '_ {
        let of_state = self.fault_of_state(deadlocks).map(|fault| Remark::Fault { step: None, fault });
        let of_steps =
            self.faults.iter().map(|(step, fault)| Remark::Fault { step: Some(*step), fault: fault.clone() });
        let unsupported = self.unsupported.clone().map(Remark::Unsupported);
        let refuted = self.refuted.iter().map(|(_, revise)| Remark::Refuted(revise.clone()));
        let premises = self.premises.iter().cloned().map(Remark::Premise);
        let end = (self.is_empty() && self.valid_end).then_some(Remark::End);
        of_state.into_iter().chain(of_steps).chain(unsupported).chain(refuted).chain(premises).chain(end)
    }

    /// Whether the explored state may have no successors: it is an end state of its language.
    #[inline]
    pub fn valid_end(&self) -> bool {
        self.valid_end
    }

    /// Whether the model itself rules out runs that come here and do not go on: they are no runs that stay here.
    pub fn is_ruled_out(&self) -> bool {
        self.ruled_out
    }

    /// Says that runs which do not go on from the explored state are of no interest, and no deadlocks.
    pub fn rule_out(&mut self) {
        (self.valid_end, self.ruled_out) = (true, true);
    }

    pub fn push(&mut self, action: Action, words: &[Word]) {
        debug_assert_eq!(words.len(), self.width);
        self.words.extend_from_slice(words);
        self.actions.push(action);
    }

    pub fn push_fault(&mut self, action: Action, fault: Fault) {
        self.push_end(action, StepEnd::Fault(fault));
    }

    /// Adds a step that leads to no state.
    pub fn push_end(&mut self, action: Action, end: StepEnd) {
        self.actions.push(action);
        self.words.resize(self.actions.len() * self.width, 0);
        self.mark(self.actions.len() - 1, end);
    }

    /// Notes what is wrong with the explored state. What was noted before is told only where this does not count.
    pub fn set_state_fault(&mut self, fault: Fault) {
        self.state_faults.push(fault);
    }

    /// Forgets faults that do not count. A step that ends in one leads nowhere, unless the language says where; then
    /// the steps of this state are all there are only under the premise that nothing is wrong behind it.
    pub fn ignore(&mut self, selection: &FaultSelection) {
        if selection.is_everything() {
            return;
        }
        self.ignore_of_state(selection);
        let (counting, ignored) =
            std::mem::take(&mut self.faults).into_iter().partition(|(_, fault)| selection.counts(fault));
        self.faults = counting;
        for (index, Fault { kind, .. }) in ignored {
            if !self.beyond_faults {
                self.dead_ends.push(index);
                self.rest_on(format!("that nothing is wrong after an ignored {kind}: runs are not followed behind it"));
            }
        }
    }

    /// The same for the faults of the explored state alone.
    pub fn ignore_of_state(&mut self, selection: &FaultSelection) {
        self.state_faults.retain(|fault| selection.counts(fault));
    }

    /// Notes that a step of the explored state cannot be computed. The other steps count, so faults are still found,
    /// but a search that meets this verifies nothing.
    pub fn set_unsupported(&mut self, unsupported: Unsupported) {
        self.unsupported.get_or_insert(unsupported);
    }

    /// A step that cannot be computed, if there is one.
    #[inline]
    pub fn unsupported(&self) -> Option<&Unsupported> {
        self.unsupported.as_ref()
    }

    /// Notes that the steps of the explored state are all there are only under this premise, in words for people. A
    /// model need not say the same again.
    pub fn rest_on(&mut self, premise: String) {
        self.premises.push(premise);
    }

    #[inline]
    pub fn set_valid_end(&mut self, valid_end: bool) {
        self.valid_end = valid_end;
    }

    /// Room for generated code to write up to `capacity` steps after [`clear`](Self::clear): where their
    /// words go, and where their labels go. What was written becomes visible with
    /// [`assume_written`](Self::assume_written).
    #[inline]
    pub fn spare(&mut self, capacity: usize) -> (*mut Word, *mut Action) {
        self.words.reserve(capacity * self.width);
        self.actions.reserve(capacity);
        (self.words.as_mut_ptr(), self.actions.as_mut_ptr())
    }

    /// Makes `count` steps that were written to [`spare`](Self::spare) visible.
    ///
    /// # Safety
    /// The words and labels of the first `count` steps were written, and `count` is at most the capacity
    /// that was asked for.
    #[inline]
    pub unsafe fn assume_written(&mut self, count: usize) {
        debug_assert!(count <= self.actions.capacity() && count * self.width <= self.words.capacity());
        // SAFETY: the caller wrote that much, within the reserved capacity.
        unsafe {
            self.words.set_len(count * self.width);
            self.actions.set_len(count);
        }
    }

    /// Gives all faulty steps the same state to lead to: the error state of a language that has one. A search
    /// that goes on after faults explores it.
    pub fn go_beyond_faults(&mut self, error_state: &[Word]) {
        debug_assert_eq!(error_state.len(), self.width);
        for (index, _) in &self.faults {
            self.words[index * self.width..][..self.width].copy_from_slice(error_state);
        }
        self.beyond_faults = true;
    }

    /// Marks an already written step as one that leads to no state. Steps are marked in ascending order.
    pub fn mark(&mut self, index: usize, end: StepEnd) {
        debug_assert!(index < self.actions.len());
        debug_assert!(self.faults.last().is_none_or(|(last, _)| *last < index));
        debug_assert!(self.refuted.last().is_none_or(|(last, _)| *last < index));
        self.words[index * self.width..][..self.width].fill(0);
        match end {
            StepEnd::Fault(fault) => self.faults.push((index, fault)),
            StepEnd::Refuted(revise) => self.refuted.push((index, revise)),
        }
    }
}
