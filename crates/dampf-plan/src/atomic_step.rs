//! What one mover does in a step, to everybody else.
//!
//! A mover may make choices within something that is one step to the others, such as a `RANGE` within an atomic
//! section. To the model these are several steps. Here they are followed to the end of the section: all of them for a
//! planner, one by chance for a simulation.

use crate::Interruption;
use dampf_core::{Agents, Fault, FaultSelection, Successors, Unsupported, Word};
use dampf_search::Chance;

/// So many steps of the model may be one step to others; a section with more choices has no end.
const PARTS_MAX: usize = 100_000;

/// The states that an atomic step can lead to.
#[derive(Default)]
pub struct AtomicStep {
    /// Side by side, in the order of the choices that lead to them.
    pub states: Vec<Word>,
    /// States within the step that wait to be followed.
    open: Vec<Word>,
    next: Option<Successors>,
}

impl AtomicStep {
    /// Finds all states that a mover's next step leads to. Faulty choices lead nowhere.
    pub fn find<M: Agents>(
        &mut self,
        worker: &mut M::Worker<'_>,
        state: &[Word],
        mover: usize,
    ) -> Result<(), Interruption> {
        let width = state.len();
        let mut next = self.next.take().unwrap_or_else(|| Successors::new(width));
        self.states.clear();
        self.open.clear();
        self.open.extend_from_slice(state);
        let mut parts = 0;
        let found = loop {
            let Some(first) = self.open.len().checked_sub(width) else { break Ok(()) };
            let before = self.open.split_off(first);
            M::steps_of(worker, &before, mover, &mut next);
            parts += 1;
            if parts > PARTS_MAX {
                break Err(endless_section());
            }
            if let Err(interruption) = refuse_unusable(&next) {
                break Err(interruption);
            }
            let first_open = self.open.len();
            for index in (0..next.len()).filter(|&index| next.leads_on(index)) {
                let after = next.state(index);
                let is_within = M::is_within_step(worker, after, mover);
                if is_within { &mut self.open } else { &mut self.states }.extend_from_slice(after);
            }
            reverse_states(&mut self.open[first_open..], width);
        };
        self.next = Some(next);
        found
    }
}

/// The last state is followed first, so that choices keep their order.
fn reverse_states(states: &mut [Word], width: usize) {
    let count = states.len() / width;
    for at in 0..count / 2 {
        let (one, other) = states.split_at_mut((count - 1 - at) * width);
        one[at * width..][..width].swap_with_slice(&mut other[..width]);
    }
}

/// How a mover's turn ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Turn {
    /// It has moved.
    Moved,
    /// It cannot move.
    Waits,
    /// What it does ends in a fault, or the state does.
    Faulty(Fault),
}

/// How choices are made, and which faults end a turn.
pub struct Choosing {
    pub chance: Chance,
    pub faults: FaultSelection,
}

/// Has a mover take one step, by choices that are drawn; `state` becomes the state behind it.
pub fn take<M: Agents>(
    worker: &mut M::Worker<'_>,
    mover: usize,
    choosing: &mut Choosing,
    state: &mut Vec<Word>,
    next: &mut Successors,
) -> Result<Turn, Interruption> {
    let mut turn = Turn::Waits;
    for _ in 0..PARTS_MAX {
        M::steps_of(worker, state, mover, next);
        next.ignore(&choosing.faults);
        refuse_unusable(next)?;
        if let Some(fault) = next.state_fault() {
            return Ok(Turn::Faulty(fault.clone()));
        }
        // Nobody knows what comes behind a fault that does not count.
        let is_step = |index: &usize| next.leads_on(*index) || next.fault(*index).is_some();
        let steps = (0..next.len()).filter(is_step).count();
        if steps == 0 {
            return Ok(turn);
        }
        let chosen = if steps == 1 { 0 } else { choosing.chance.below(steps) };
        let index = (0..next.len()).filter(is_step).nth(chosen).expect("chosen among the steps");
        if let Some(fault) = next.fault(index) {
            return Ok(Turn::Faulty(fault.clone()));
        }
        state.clear();
        state.extend_from_slice(next.state(index));
        turn = Turn::Moved;
        if !M::is_within_step(worker, state, mover) {
            return Ok(turn);
        }
    }
    Err(endless_section())
}

/// What was refuted comes before everything else, and what cannot be computed cannot be planned with.
fn refuse_unusable(next: &Successors) -> Result<(), Interruption> {
    if !next.refuted().is_empty() {
        return Err(Interruption::Refuted(next.refuted().iter().map(|(_, revise)| revise.clone()).collect()));
    }
    next.unsupported().map_or(Ok(()), |unsupported| Err(Interruption::Unsupported(unsupported.clone())))
}

fn endless_section() -> Interruption {
    let what = format!("an atomic section with more than {PARTS_MAX} choices");
    Interruption::Unsupported(Unsupported { what })
}
