//! Accepting cycles that are found while states are still being explored.
//!
//! Every state passes on to its successors the greatest accepting state that it knows to lie before it, itself
//! included, by its fingerprint: its *maximal accepting predecessor* (Brim, Černá, Moravec, Šimša 2004). A step to an
//! accepting state that passes on just this state closes a cycle. Here every state passes on what it knows at the
//! moment it is explored, once, as in OWCTY with this heuristic (Barnat, Brim, Ročkai 2009): that finds most cycles
//! early, and misses some, which are found when everything was explored.
//!
//! Two states may have the same fingerprint, so what is found here is a *suspect*: a cycle through it is looked for
//! before anybody is told.
//!
//! Only states that wait have an entry here, of 16 bytes.

use crate::parents::Scrambled;
use dampf_core::{Successors, Word};
use dampf_store::{Inserted, StateRef};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Says which states are accepting.
pub(crate) type IsAccepting<'a> = &'a (dyn Fn(&[Word]) -> bool + Sync);

pub(crate) struct AcceptingPredecessors<'a> {
    is_accepting: IsAccepting<'a>,
    /// What states that wait will pass on, where that is anything.
    waiting: HashMap<StateRef, u64, BuildHasherDefault<Scrambled>>,
    /// What the states of the batch that is explored pass on; 0 for nothing.
    batch: Vec<u64>,
    suspect: Option<Vec<Word>>,
}

impl<'a> AcceptingPredecessors<'a> {
    pub fn new(is_accepting: IsAccepting<'a>) -> Self {
        AcceptingPredecessors { is_accepting, waiting: HashMap::default(), batch: Vec::new(), suspect: None }
    }

    /// A state is new, and is explored later.
    #[inline]
    pub fn note(&mut self, state: StateRef, passed_on: u64) {
        if passed_on != 0 {
            self.waiting.insert(state, passed_on);
        }
    }

    /// A step leads to a state. One that still waits may learn of a greater accepting state.
    #[inline]
    pub fn reach(&mut self, inserted: Inserted, passed_on: u64) {
        match inserted {
            Inserted::New(state) => self.note(state, passed_on),
            Inserted::Known(state) if passed_on != 0 => {
                if let Some(known) = self.waiting.get_mut(&state) {
                    *known = passed_on.max(*known);
                }
            }
            Inserted::Known(_) => {}
        }
    }

    /// A state of the batch is explored: its steps may close cycles.
    #[inline]
    pub fn explore(
        &mut self,
        number: usize,
        name: StateRef,
        (state, successors): (&[Word], &Successors),
        mut fingerprint: impl FnMut(&[Word]) -> u64,
    ) {
        let own = if (self.is_accepting)(state) { fingerprint(state) } else { 0 };
        let passed_on = own.max(self.waiting.remove(&name).unwrap_or(0));
        if self.batch.len() <= number {
            self.batch.resize(number + 1, 0);
        }
        self.batch[number] = passed_on;
        if passed_on == 0 || self.suspect.is_some() {
            return;
        }
        for step in (0..successors.len()).filter(|&step| successors.leads_on(step)) {
            let target = successors.state(step);
            if (self.is_accepting)(target) && fingerprint(target) == passed_on {
                self.suspect = Some(target.to_vec());
                return;
            }
        }
    }

    /// What a state of the batch passes on.
    #[inline]
    pub fn passed_on(&self, number: usize) -> u64 {
        self.batch[number]
    }

    /// An accepting state that seems to lie on a cycle, once there is one.
    pub fn suspect(&self) -> Option<&[Word]> {
        self.suspect.as_deref()
    }
}
