//! Parallel steps: every mover that can move does so once, in an order that is drawn (thesis, section 5.4.1).

use crate::Interruption;
use crate::atomic_step::{self, Choosing, Turn};
use dampf_core::{Agents, Fault, FaultKind, FaultSelection, Observations, Standing, Successors, Word, Worker};
use dampf_search::Chance;

/// How a run has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// As it may: the program has come to its end.
    Ended,
    /// A goal is reached.
    GoalReached,
    /// It fails.
    Faulty(Fault),
    /// It took as many parallel steps as it may.
    StepLimit,
    Interrupted,
}

/// A run of a model, step by step.
pub struct Simulation<'m, M: Agents + Observations + 'm> {
    pub worker: M::Worker<'m>,
    pub state: Vec<Word>,
    choosing: Choosing,
    deadlocks: bool,
    next: Successors,
    standings: Vec<Standing>,
    order: Vec<usize>,
}

impl<'m, M: Agents + Observations + 'm> Simulation<'m, M> {
    /// Stands at the beginning. Some faults count, and deadlocks may.
    pub fn new(model: &'m M, seed: u64, faults: FaultSelection, deadlocks: bool) -> Result<Self, Interruption> {
        let mut worker = model.worker();
        let mut next = Successors::new(model.width());
        let state = initial_state(&mut worker, &mut next)?;
        let choosing = Choosing { chance: Chance(seed), faults };
        Ok(Simulation { worker, state, choosing, deadlocks, next, standings: Vec::new(), order: Vec::new() })
    }

    /// Takes a parallel step; how the run has ended, if it has.
    pub fn step(&mut self) -> Result<Option<RunEnd>, Interruption> {
        M::observe(&mut self.worker, &self.state, &mut self.standings);
        self.order.clear();
        let alive = self.standings.iter().enumerate().filter(|(_, standing)| standing.is_alive);
        self.order.extend(alive.map(|(mover, _)| mover));
        shuffle(&mut self.order, &mut self.choosing.chance);
        let mut has_moved = false;
        for &mover in &self.order {
            let turn =
                atomic_step::take::<M>(&mut self.worker, mover, &mut self.choosing, &mut self.state, &mut self.next)?;
            match turn {
                Turn::Moved => has_moved = true,
                Turn::Waits => {}
                Turn::Faulty(fault) if fault.kind == FaultKind::Goal => return Ok(Some(RunEnd::GoalReached)),
                Turn::Faulty(fault) => return Ok(Some(RunEnd::Faulty(fault))),
            }
            if self.next_is_end() {
                return Ok(Some(RunEnd::Ended));
            }
        }
        Ok(if has_moved { None } else { Some(self.standstill()) })
    }

    /// Whether the last mover that was asked for its steps has none because the run has ended.
    fn next_is_end(&self) -> bool {
        self.next.is_empty() && self.next.valid_end()
    }

    /// Nobody can move: the run has come to its end, or is stuck.
    fn standstill(&mut self) -> RunEnd {
        self.worker.successors(&self.state, &mut self.next);
        self.next.ignore(&self.choosing.faults);
        match self.next.fault_of_state(self.deadlocks) {
            Some(fault) if fault.kind == FaultKind::Goal => RunEnd::GoalReached,
            Some(fault) => RunEnd::Faulty(fault),
            None => RunEnd::Ended,
        }
    }
}

/// The state that a run of a model begins in.
pub fn initial_state<W: Worker>(worker: &mut W, next: &mut Successors) -> Result<Vec<Word>, Interruption> {
    worker.initial(next);
    if !next.refuted().is_empty() {
        return Err(Interruption::Refuted(next.refuted().iter().map(|(_, revise)| revise.clone()).collect()));
    }
    if let Some(unsupported) = next.unsupported() {
        return Err(Interruption::Unsupported(unsupported.clone()));
    }
    match (next.is_empty(), next.faults().first()) {
        (true, _) => Err(Interruption::NoBeginning("there is no initial state".to_owned())),
        (false, Some((_, fault))) => {
            Err(Interruption::NoBeginning(format!("the program fails before `main`: {fault}")))
        }
        (false, None) => Ok(next.state(0).to_vec()),
    }
}

/// Brings a list into an order that is drawn (Fisher and Yates).
fn shuffle(list: &mut [usize], chance: &mut Chance) {
    for end in (1..list.len()).rev() {
        list.swap(end, chance.below(end + 1));
    }
}
