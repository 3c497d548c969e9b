//! The futures that a planner looks at, as a model made of a model: its states are the model's, with their values
//! behind them, and its only initial state is the one that is planned for.
//!
//! **Pruning** (thesis, section 5.6.1). Where there are agents, only those move that are idle, and only those of their
//! steps count that change a suggestion: work goes on by itself, and an agent that has found nothing to do has found
//! out nothing. Without agents all steps count.
//!
//! Faulty steps lead nowhere: a plan never has one, and to look for them is what checking is for.

use crate::Interruption;
use crate::atomic_step::AtomicStep;
use dampf_core::{Action, Activity, Agent, Agents, FaultKind, Model, StepEnd, Successors, Word, Worker};

/// Words of the value behind a state.
const VALUE_WORDS: usize = 2;
/// A label is a mover and the number of the outcome of its step.
const OUTCOME_BITS: u32 = 20;

/// Which steps count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pruning {
    /// Those of idle agents that change a suggestion.
    IdleAgents,
    /// All of them.
    None,
}

pub struct Lookahead<'m, M> {
    model: &'m M,
    root: &'m [Word],
    pruning: Pruning,
}

impl<'m, M: Agents> Lookahead<'m, M> {
    pub fn new(model: &'m M, root: &'m [Word], pruning: Pruning) -> Self {
        Lookahead { model, root, pruning }
    }

    /// The model's own words of a state.
    pub fn inner<'s>(&self, state: &'s [Word]) -> &'s [Word] {
        &state[..state.len() - VALUE_WORDS]
    }
}

/// The value of a state that was found.
pub fn value_of(state: &[Word]) -> i64 {
    let [.., low, high] = state else { unreachable!("a value stands behind every state") };
    (u64::from(*high) << 32 | u64::from(*low)) as i64
}

impl<M: Agents> Model for Lookahead<'_, M> {
    type Worker<'w>
        = LookaheadWorker<'w, M>
    where
        Self: 'w;

    fn width(&self) -> usize {
        self.model.width() + VALUE_WORDS
    }

    fn worker(&self) -> LookaheadWorker<'_, M> {
        LookaheadWorker {
            worker: self.model.worker(),
            root: self.root,
            pruning: self.pruning,
            agents: Vec::new(),
            agents_after: Vec::new(),
            step: AtomicStep::default(),
            next: Successors::new(self.model.width()),
            words: Vec::new(),
        }
    }
}

pub struct LookaheadWorker<'w, M: Agents + 'w> {
    worker: M::Worker<'w>,
    root: &'w [Word],
    pruning: Pruning,
    agents: Vec<Agent>,
    agents_after: Vec<Agent>,
    step: AtomicStep,
    next: Successors,
    words: Vec<Word>,
}

impl<M: Agents> Worker for LookaheadWorker<'_, M> {
    fn initial(&mut self, out: &mut Successors) {
        out.clear();
        let root = self.root;
        self.push(Action(0), root, out);
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        out.clear();
        // To have nothing more to plan is no fault.
        out.set_valid_end(true);
        let state = &state[..state.len() - VALUE_WORDS];
        match self.pruning {
            Pruning::IdleAgents => self.steps_of_idle_agents(state, out),
            Pruning::None => self.all_steps(state, out),
        }
    }
}

impl<M: Agents> LookaheadWorker<'_, M> {
    /// Adds a step to a state of the model, with the state's value.
    fn push(&mut self, action: Action, state: &[Word], out: &mut Successors) {
        let value = M::evaluation(&mut self.worker, state) as u64;
        self.words.clear();
        self.words.extend_from_slice(state);
        self.words.extend([value as Word, (value >> 32) as Word]);
        out.push(action, &self.words);
    }

    fn steps_of_idle_agents(&mut self, state: &[Word], out: &mut Successors) {
        let mut agents = std::mem::take(&mut self.agents);
        M::agents(&mut self.worker, state, &mut agents);
        let mut step = std::mem::take(&mut self.step);
        for agent in agents.iter().filter(|agent| agent.activity == Activity::Idle) {
            let label = |outcome: usize| Action((agent.mover as u64) << OUTCOME_BITS | outcome as u64);
            match step.find::<M>(&mut self.worker, state, agent.mover) {
                Ok(()) => {}
                Err(Interruption::Refuted(facts)) => {
                    for (number, revise) in facts.into_iter().enumerate() {
                        out.push_end(label(number), StepEnd::Refuted(revise));
                    }
                    continue;
                }
                Err(Interruption::Unsupported(unsupported)) => {
                    out.set_unsupported(unsupported);
                    continue;
                }
                Err(Interruption::NoBeginning(what)) => unreachable!("a step has a beginning: {what}"),
            }
            for (outcome, after) in step.states.chunks_exact(state.len()).enumerate() {
                M::agents(&mut self.worker, after, &mut self.agents_after);
                if changes_suggestion(&agents, &self.agents_after) {
                    self.push(label(outcome), after, out);
                }
            }
        }
        self.step = step;
        self.agents = agents;
    }

    fn all_steps(&mut self, state: &[Word], out: &mut Successors) {
        let mut next = std::mem::replace(&mut self.next, Successors::new(0));
        self.worker.successors(state, &mut next);
        if let Some(unsupported) = next.unsupported() {
            out.set_unsupported(unsupported.clone());
        }
        match next.state_fault() {
            // There is nothing to plan behind a goal, and nothing good behind a fault.
            Some(fault) if fault.kind == FaultKind::Goal => out.set_state_fault(fault.clone()),
            Some(_) => {}
            None => {
                for index in 0..next.len() {
                    if let Some(revise) = next.refuted_by(index) {
                        out.push_end(next.action(index), StepEnd::Refuted(revise.clone()));
                    } else if next.leads_on(index) && next.fault(index).is_none() {
                        self.push(next.action(index), next.state(index), out);
                    }
                }
            }
        }
        self.next = next;
    }
}

/// Whether a suggestion of an agent that is still there has another value.
fn changes_suggestion(before: &[Agent], after: &[Agent]) -> bool {
    after.iter().any(|agent| {
        let same = before.iter().find(|same| same.mover == agent.mover);
        same.is_none_or(|same| same.suggestions != agent.suggestions)
    })
}
