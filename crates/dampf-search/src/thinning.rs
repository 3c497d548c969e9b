//! A run without the steps that have nothing to do with its fault.
//!
//! A search that goes deep takes steps of threads that the fault does not need. So stretches of the run are left out,
//! long ones first, and what is left is followed: a step that is not possible any more is left out as well. What comes
//! to a fault of the same kind with fewer steps is kept. A label is mostly a thread, so that to leave one out means
//! that the thread does not come as far.
//!
//! The work is limited by a number of steps, never by a time.

use crate::{Monitor, SearchOptions};
use dampf_core::{Action, Fault, FaultKind, Finding, Model, Successors, Trail, Word, Worker};

/// It is not worth the time where fewer runs than this can be followed.
const RUNS_LEAST: u64 = 4;

/// A run to a fault of the same kind that has fewer steps, if one is found with so many steps taken at most.
pub fn thinned<M: Model>(
    model: &M,
    finding: &Finding,
    steps_max: u64,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Option<Finding> {
    let Trail { initial, stem, cycle } = &finding.trail;
    if !cycle.is_empty() {
        return None;
    }
    let out = Successors::new(model.width());
    let (kind, of_run) = (finding.fault.kind, steps_max / RUNS_LEAST);
    let mut runs = Runs { worker: model.worker(), out, options, kind, spent: 0, steps_max: of_run };
    let first = runs.first(*initial)?;
    let (mut fault, mut best) = runs.follow(&first, stem)?;
    runs.steps_max = steps_max;
    let mut length = best.len() / 2;
    'shorter: while length > 0 {
        let mut from = 0;
        while from < best.len() {
            if monitor.is_stopped() || runs.spent > steps_max {
                break 'shorter;
            }
            let rest = [&best[..from], &best[best.len().min(from + length)..]].concat();
            match runs.follow(&first, &rest) {
                Some((found, taken)) if taken.len() < best.len() => (fault, best) = (found, taken),
                _ => from += length,
            }
        }
        length /= 2;
    }
    (best.len() < stem.len()).then(|| Finding { fault, trail: Trail::ending(*initial, best) })
}

struct Runs<'a, W> {
    worker: W,
    out: Successors,
    options: &'a SearchOptions,
    kind: FaultKind,
    /// How many steps were computed.
    spent: u64,
    steps_max: u64,
}

impl<W: Worker> Runs<'_, W> {
    /// The state that runs begin in.
    fn first(&mut self, initial: u64) -> Option<Vec<Word>> {
        self.worker.initial(&mut self.out);
        let initial = initial as usize;
        (initial < self.out.len() && self.out.leads_on(initial)).then(|| self.out.state(initial).to_vec())
    }

    /// Computes the steps of a state. None where that is of no use.
    fn expand(&mut self, state: &[Word]) -> Option<()> {
        self.worker.successors(state, &mut self.out);
        self.out.ignore(&self.options.faults);
        self.spent += self.out.len() as u64;
        (self.out.refuted().is_empty() && self.spent <= self.steps_max).then_some(())
    }

    /// Follows a run as far as it is possible. The fault that it comes to, if it is of the kind, and the steps until
    /// then.
    fn follow(&mut self, first: &[Word], run: &[Action]) -> Option<(Fault, Vec<Action>)> {
        let (mut state, mut taken) = (first.to_vec(), Vec::new());
        self.expand(&state)?;
        for &action in run {
            if let Some(fault) = self.fault_here() {
                return Some((fault, taken));
            }
            let Some(step) = self.out.actions().iter().position(|&label| label == action) else { continue };
            if let Some(fault) = self.out.fault(step).filter(|fault| fault.kind == self.kind) {
                let fault = fault.clone();
                taken.push(action);
                return Some((fault, taken));
            }
            if !self.out.leads_on(step) {
                continue;
            }
            state.clear();
            state.extend_from_slice(self.out.state(step));
            taken.push(action);
            self.expand(&state)?;
        }
        self.fault_here().map(|fault| (fault, taken))
    }

    fn fault_here(&self) -> Option<Fault> {
        self.out.fault_of_state(self.options.deadlocks).filter(|fault| fault.kind == self.kind)
    }
}
