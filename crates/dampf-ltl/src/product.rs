//! The product of a model and an automaton: a layer that is a model, in which accepting runs are looked for.
//!
//! The automaton moves with every step of the model; its guards look at the state before the step. Where the model
//! cannot move, the automaton moves alone, so that runs that end are infinite runs too, which stay in their last state.
//! Where the automaton cannot move, the run is of no interest and ends, which is no deadlock.
//!
//! A state has the model's words, and one more for the automaton's location. A label is the model's, with the number of
//! the automaton's edge above it, so the model's part of a run is read off its labels. Faults are the model's own
//! business: a faulty step is told once, whatever the automaton does, and leads nowhere; where the language says where
//! it leads, it is a step like any other, since it is part of runs that the property speaks of.

use crate::one_more_word::passes_parts_on;
use dampf_core::{
    Acceptance, Action, Automaton, Fault, FaultKind, Literal, Model, Movers, Propositions, Restore, Successors, Trail,
    Word, Worker,
};

/// The label of the model's part where the model cannot move.
pub const STUTTER: u32 = u32::MAX;

/// What stands above the label of a step that leads nowhere, whatever the automaton does.
const NO_EDGE: u64 = (u32::MAX as u64) << 32;

/// A model that is watched by an automaton.
pub struct Product<'a, M> {
    model: &'a M,
    automaton: &'a Automaton,
    /// Whether a state in which the model is stuck is one that people should know of.
    has_deadlocks: bool,
}

impl<'a, M: Propositions + Acceptance> Product<'a, M> {
    /// A model whose runs are looked at because of a property: that it gets stuck is none of the property's business.
    pub fn new(model: &'a M, automaton: &'a Automaton) -> Self {
        Product { model, automaton, has_deadlocks: false }
    }

    /// A model whose own accepting states count: the automaton only looks on.
    pub fn looking_on(model: &'a M, automaton: &'a Automaton) -> Self {
        Product { model, automaton, has_deadlocks: true }
    }

    pub fn model(&self) -> &'a M {
        self.model
    }

    /// Where the automaton is.
    pub fn location(&self, state: &[Word]) -> u32 {
        state[self.model.width()]
    }

    /// The model's part of a state.
    pub fn own<'s>(&self, state: &'s [Word]) -> &'s [Word] {
        &state[..self.model.width()]
    }
}

impl<M: Propositions + Acceptance> Model for Product<'_, M> {
    type Worker<'m>
        = ProductWorker<'m, M>
    where
        Self: 'm;

    fn width(&self) -> usize {
        self.model.width() + 1
    }

    fn worker(&self) -> ProductWorker<'_, M> {
        ProductWorker {
            model: self.model,
            automaton: self.automaton,
            has_deadlocks: self.has_deadlocks,
            worker: self.model.worker(),
            steps: Successors::new(self.model.width()),
            known: Valuation::new(self.model.proposition_count()),
            scratch: Vec::new(),
        }
    }
}

/// Both count: an accepting location of the automaton, and an accepting state of the model itself.
impl<M: Propositions + Acceptance> Acceptance for Product<'_, M> {
    fn is_accepting(&self, state: &[Word]) -> bool {
        self.automaton.location(self.location(state)).is_accepting || self.model.is_accepting(self.own(state))
    }
}

/// A step in which the automaton moves alone is nobody's.
impl<M: Propositions + Acceptance + Movers> Movers for Product<'_, M> {
    fn mover_count(&self) -> usize {
        self.model.mover_count()
    }

    fn movers(&self, state: &[Word], action: Action, visit: &mut dyn FnMut(usize)) {
        if action.front_end() != STUTTER {
            self.model.movers(self.own(state), Action(u64::from(action.front_end())), visit);
        }
    }
}

passes_parts_on!(Product, Propositions Acceptance);

impl<M: Propositions + Acceptance + Restore> Restore for Product<'_, M> {
    fn tables(&self) -> Vec<u32> {
        self.model.tables()
    }

    fn entry(&self, table: usize, number: u32, words: &mut Vec<Word>) {
        self.model.entry(table, number, words);
    }

    fn restore(&self, table: usize, number: u32, contents: &[Word]) -> bool {
        self.model.restore(table, number, contents)
    }
}

/// Which propositions hold in one state: all, where the model tells all at once, or those that somebody asked for.
struct Valuation {
    /// Two bits each: whether it is known, and whether it holds.
    values: Vec<u8>,
    /// As bits.
    at_once: Option<u64>,
    /// Whether nothing can happen in the state.
    is_stuck: bool,
}

const IS_KNOWN: u8 = 1;
const HOLDS: u8 = 2;

impl Valuation {
    fn new(count: usize) -> Self {
        Valuation { values: vec![0; count], at_once: None, is_stuck: false }
    }

    /// Makes it that of another state.
    fn look_at<M: Propositions>(&mut self, state: &[Word], is_stuck: bool, model: &M) {
        self.is_stuck = is_stuck;
        self.at_once = if self.values.is_empty() { None } else { model.holding(state) };
        if self.at_once.is_none() {
            self.values.fill(0);
        }
    }

    fn holds<'m, M: Propositions>(
        &mut self,
        proposition: usize,
        (model, worker): (&M, &mut M::Worker<'m>),
        state: &[Word],
    ) -> Result<bool, Fault> {
        if self.is_stuck && model.is_of_steps(proposition) {
            return Ok(false);
        }
        if let Some(all) = self.at_once {
            return Ok(all >> proposition & 1 != 0);
        }
        let value = &mut self.values[proposition];
        if *value & IS_KNOWN == 0 {
            let holds = M::holds(worker, proposition, state)?;
            *value = IS_KNOWN | if holds { HOLDS } else { 0 };
        }
        Ok(*value & HOLDS != 0)
    }

    /// Whether a guard holds.
    fn allows<'m, M: Propositions>(
        &mut self,
        guard: &[Literal],
        (model, worker): (&M, &mut M::Worker<'m>),
        state: &[Word],
    ) -> Result<bool, Fault> {
        for literal in guard {
            if self.holds(literal.proposition as usize, (model, &mut *worker), state)? != literal.is_positive {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

pub struct ProductWorker<'m, M: Model + 'm> {
    model: &'m M,
    automaton: &'m Automaton,
    has_deadlocks: bool,
    worker: M::Worker<'m>,
    /// Of the model alone.
    steps: Successors,
    known: Valuation,
    scratch: Vec<Word>,
}

impl<M: Propositions> ProductWorker<'_, M> {
    fn push(&mut self, action: u64, step: Option<usize>, own: &[Word], location: u32, out: &mut Successors) {
        self.scratch.clear();
        self.scratch.extend_from_slice(step.map_or(own, |step| self.steps.state(step)));
        self.scratch.push(location);
        out.push(Action(action), &self.scratch);
    }
}

impl<M: Propositions> ProductWorker<'_, M> {
    /// The steps that lead nowhere, once for all edges. A run that the automaton does not follow has none: as in SPIN,
    /// what goes wrong is told within the scope of the claim.
    fn push_ends(&self, out: &mut Successors) {
        for step in 0..self.steps.len() {
            if let Some(end) = self.steps.step_end(step).filter(|_| !self.steps.leads_on(step)) {
                out.push_end(Action(NO_EDGE | self.steps.action(step).0), end);
            }
        }
    }
}

impl<M: Propositions> Worker for ProductWorker<'_, M> {
    fn initial(&mut self, out: &mut Successors) {
        self.worker.initial(&mut self.steps);
        out.restart_from(&self.steps);
        for step in 0..self.steps.len() {
            match self.steps.step_end(step).filter(|_| !self.steps.leads_on(step)) {
                Some(end) => out.push_end(self.steps.action(step), end),
                None => self.push(self.steps.action(step).0, Some(step), &[], self.automaton.initial, out),
            }
        }
    }

    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        let width = self.model.width();
        let (own, location) = (&state[..width], self.automaton.location(state[width]));
        if location.is_final {
            // Whatever the run does from here on, the property is violated.
            out.clear();
            out.set_valid_end(true);
            out.set_state_fault(claim_violated(self.automaton));
            return;
        }
        self.worker.successors(own, &mut self.steps);
        out.restart_from(&self.steps);
        let is_stuck = self.steps.is_empty() && self.steps.unsupported().is_none() && !self.steps.is_ruled_out();
        if self.has_deadlocks && is_stuck && !self.steps.valid_end() {
            out.set_state_fault(Fault::deadlock());
        }
        // A run that the automaton does not follow any more ends here, as it may.
        out.set_valid_end(true);
        self.known.look_at(own, is_stuck, self.model);
        let mut is_followed = false;
        for (number, edge) in location.edges.iter().enumerate() {
            match self.known.allows(&edge.guard, (self.model, &mut self.worker), own) {
                Ok(true) => {}
                Ok(false) => continue,
                Err(fault) => {
                    out.set_state_fault(fault);
                    continue;
                }
            }
            if !std::mem::replace(&mut is_followed, true) {
                self.push_ends(out);
            }
            let above = (number as u64) << 32;
            if is_stuck {
                self.push(above | u64::from(STUTTER), None, own, edge.target, out);
            }
            for step in 0..self.steps.len() {
                if self.steps.leads_on(step) {
                    self.push(
                        above | u64::from(self.steps.action(step).front_end()),
                        Some(step),
                        own,
                        edge.target,
                        out,
                    );
                }
            }
        }
    }
}

/// The model's part of a run of a product: without the steps in which the automaton moved alone. A run whose cycle
/// consists of such steps ends, and stays where it ends.
pub fn projected(trail: &Trail) -> Trail {
    let own = |actions: &[Action]| {
        let moved = actions.iter().filter(|action| action.front_end() != STUTTER);
        moved.map(|action| Action(u64::from(action.front_end()))).collect()
    };
    Trail { initial: trail.initial, stem: own(&trail.stem), cycle: own(&trail.cycle) }
}

fn claim_violated(automaton: &Automaton) -> Fault {
    let message = format!("`{}` does not hold: what it forbids has happened", automaton.name);
    Fault { kind: FaultKind::Property, message, location: None }
}
