//! The layer: a model made of a model, with fewer steps.

use crate::companions::passes_companions_on;
use crate::plan::Plan;
use crate::remembered::{Remembered, STEPS_MAX};
use crate::stubborn::Chooser;
use dampf_core::{Action, FaultKind, Interleaving, Model, Successors, Symmetry, Word, Worker};

/// Random walks say beforehand whether reduction is worth while.
const WALKS: u64 = 24;
const WALK_STEPS: usize = 120;

/// No walk goes on when so many steps were computed for all of them (some models have thousands in a state), or when a
/// step was met that is too large to be computed.
const COMPUTED_MAX: usize = 1 << 17;

/// So many actions may be looked at, in search of sets, for each step that is left out. Some thirty take as long as a
/// step does, and with a step go others that would come behind it.
const ACTIONS_PER_STEP: u64 = 64;

/// The only step of a state goes on through at most so many states that have a single one, too. Where runs meet in one
/// of these, what is behind it is computed again, up to the next state that is kept.
const PASSED_MAX: usize = 8;

/// A model from whose states steps are left out, or the model as it is.
pub struct Reduced<M> {
    model: M,
    plan: Option<Plan>,
    /// Whether states with a single step are passed through.
    passes_through: bool,
}

impl<M: Interleaving> Reduced<M> {
    /// The model as it is.
    pub fn bare(model: M) -> Self {
        Reduced { model, plan: None, passes_through: false }
    }

    /// The model with steps left out, if that is understood and worth while.
    pub fn new(model: M) -> Self {
        let mut reduced = Reduced::always(model);
        if reduced.plan.is_some() {
            let walked = reduced.walked();
            if !walked.is_worth_while() {
                reduced.plan = None;
            } else if walked.meets_rarely() {
                return reduced.through_single_steps();
            }
        }
        reduced
    }

    /// The same, worth while or not.
    pub fn always(model: M) -> Self {
        let plan = model.interplay().and_then(Plan::new);
        Reduced { model, plan, passes_through: false }
    }

    /// The same with states passed through that have a single step.
    pub fn through_single_steps(self) -> Self {
        Reduced { passes_through: self.plan.is_some() && !self.watches_runs(), ..self }
    }

    /// Whether somebody watches runs, and wants to see all of their states.
    fn watches_runs(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.interplay.watches_runs)
    }

    /// The model inside.
    pub fn model(&self) -> &M {
        &self.model
    }

    /// How steps are left out, if they are.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Whether states with a single step are passed through: then a step may stand for several
    /// ([`steps_of`](ReducedWorker::steps_of)).
    pub fn passes_through(&self) -> bool {
        self.passes_through
    }

    /// Walks through the model, and says what was left out of it.
    pub fn walked(&self) -> Walked {
        let mut worker = self.worker();
        // What is counted is what choices cost that are made, not what finding them again does.
        worker.chooser.iter_mut().for_each(|choice| choice.remembered = None);
        let (mut out, mut state) = (Successors::new(self.width()), Vec::new());
        let (mut states, mut single, mut steps_left_out) = (0, 0, 0);
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let (mut computed, mut is_understood) = (0, true);
        for _ in 0..WALKS {
            worker.initial(&mut out);
            for _ in 0..WALK_STEPS {
                computed += out.len();
                is_understood &= out.unsupported().is_none();
                let open: Vec<usize> = (0..out.len()).filter(|index| out.leads_on(*index)).collect();
                if open.is_empty() || computed > COMPUTED_MAX || !is_understood {
                    break;
                }
                // Any fixed sequence that looks at many ways will do (Knuth's MMIX generator).
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let chosen = open[((seed >> 33) as usize) % open.len()];
                state.clear();
                state.extend_from_slice(out.state(chosen));
                worker.single_steps(&state, &mut out);
                states += 1;
                single += u64::from(is_passed_through(&out));
                steps_left_out += worker.chooser.as_ref().map_or(0, |choice| choice.left_out as u64);
            }
        }
        let actions_seen = worker.chooser.as_ref().map_or(0, |choice| choice.chooser.actions_seen());
        Walked { states, single, steps_left_out, actions_seen }
    }
}

/// One of the steps that a step stands for.
pub struct SingleStep {
    pub label: Action,
    /// The state that it leads to, if it does.
    pub reached: Option<Vec<Word>>,
    pub fault: Option<FaultKind>,
}

/// What random walks say about reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walked {
    pub states: u64,
    /// How many states had a single step, and nothing else to them.
    pub single: u64,
    pub steps_left_out: u64,
    /// How many actions were looked at to leave them out, or to find that they cannot be.
    pub actions_seen: u64,
}

impl Walked {
    /// Whether the steps that were left out are worth the search for sets.
    fn is_worth_while(&self) -> bool {
        self.actions_seen < self.steps_left_out * ACTIONS_PER_STEP
    }

    /// Whether runs part rarely, so that they meet rarely, too: then it costs little to pass through states.
    fn meets_rarely(&self) -> bool {
        self.single * 10 >= self.states * 9
    }
}

impl<M: Interleaving> Model for Reduced<M> {
    type Worker<'m>
        = ReducedWorker<'m, M>
    where
        M: 'm;

    fn width(&self) -> usize {
        self.model.width()
    }

    fn worker(&self) -> ReducedWorker<'_, M> {
        ReducedWorker {
            model: &self.model,
            worker: self.model.worker(),
            chooser: self.plan.as_ref().map(|plan| Box::new(Choice::new(&self.model, plan))),
            ahead: self.passes_through.then(|| Box::new(Successors::new(self.width()))),
        }
    }
}

/// What a worker needs to leave steps out.
struct Choice<'m> {
    chooser: Chooser<'m>,
    /// Choices that were made before, where states say simply what they depend on.
    remembered: Option<Remembered>,
    /// The words of states, and the bits of them, that say where processes stand and what parameters are.
    control: Vec<(usize, Word)>,
    key: Vec<Word>,
    /// The action that each step begins with, and all of these in ascending order.
    begun_by: Vec<u32>,
    begun: Vec<u32>,
    /// Which steps are taken.
    taken: Vec<bool>,
    /// How many steps of the last state are not.
    left_out: usize,
}

impl<'m> Choice<'m> {
    fn new<M: Interleaving>(model: &M, plan: &'m Plan) -> Self {
        let bits = model.control_bits(&plan.parameters);
        let remembered = bits.is_some().then(Remembered::new);
        let control = bits.unwrap_or_default().into_iter().enumerate().filter(|(_, bits)| *bits != 0).collect();
        let (key, begun_by, begun, taken) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Choice { chooser: Chooser::new(plan), remembered, control, key, begun_by, begun, taken, left_out: 0 }
    }

    /// Decides which steps are taken; whether some are not.
    fn decide<M: Interleaving>(&mut self, model: &M, worker: &M::Worker<'_>, state: &[Word], out: &Successors) -> bool {
        self.left_out = 0;
        if out.len() < 2 || !out.is_unremarkable() {
            return false;
        }
        self.begun_by.clear();
        self.begun_by
            .extend(out.actions().iter().enumerate().map(|(step, label)| M::begun_by(worker, state, step, *label)));
        self.taken.clear();
        let mut remembered = self.remembered.as_mut().filter(|known| out.len() <= STEPS_MAX && !known.is_given_up());
        if let Some(remembered) = &mut remembered {
            self.key.clear();
            self.key.extend(self.control.iter().map(|(word, bits)| state[*word] & bits));
            self.key.extend_from_slice(&self.begun_by);
            if let Some(taken) = remembered.find(&self.key, |guard| model.is_guard_false(guard, state)) {
                self.left_out = out.len() - taken.count_ones() as usize;
                if self.left_out > 0 {
                    self.taken.extend((0..out.len()).map(|step| taken >> step & 1 == 1));
                }
                return self.left_out > 0;
            }
        }
        self.begun.clear();
        self.begun.extend_from_slice(&self.begun_by);
        self.begun.sort_unstable();
        self.begun.dedup();
        match self.chooser.choose(model, state, &self.begun) {
            Some(chosen) => self.taken.extend(self.begun_by.iter().map(|action| chosen.contains(action))),
            None => self.taken.resize(out.len(), true),
        }
        if let Some(remembered) = remembered {
            let bits = self.taken.iter().enumerate().fold(0, |bits, (step, taken)| bits | u64::from(*taken) << step);
            remembered.learn(self.chooser.asked(), bits);
        }
        self.left_out = self.taken.iter().filter(|is_taken| !**is_taken).count();
        self.left_out > 0
    }
}

pub struct ReducedWorker<'m, M: Interleaving + 'm> {
    model: &'m M,
    worker: M::Worker<'m>,
    chooser: Option<Box<Choice<'m>>>,
    /// The steps of a state that may be passed through, where that is done.
    ahead: Option<Box<Successors>>,
}

impl<M: Interleaving> ReducedWorker<'_, M> {
    /// The steps of a state that are taken, each to the state behind it.
    #[inline]
    fn single_steps(&mut self, state: &[Word], out: &mut Successors) {
        self.worker.successors(state, out);
        if let Some(choice) = &mut self.chooser
            && choice.decide(self.model, &self.worker, state, out)
        {
            out.retain_steps(&choice.taken);
        }
    }

    /// The steps that a step with this label stands for; none if the state has no such step.
    pub fn steps_of(&mut self, state: &[Word], label: Action) -> Vec<SingleStep> {
        let (mut out, mut steps) = (Successors::new(state.len()), Vec::new());
        self.single_steps(state, &mut out);
        let mut next = out.actions().iter().position(|action| *action == label);
        let mut goes_on = self.ahead.is_some() && is_passed_through(&out);
        while let Some(step) = next {
            let reached = out.leads_on(step).then(|| out.state(step).to_vec());
            let fault = out.fault(step).map(|fault| fault.kind);
            steps.push(SingleStep { label: out.action(step), reached: reached.clone(), fault });
            goes_on &= steps.len() <= PASSED_MAX;
            next = None;
            if goes_on && let Some(reached) = reached {
                self.single_steps(&reached, &mut out);
                next = is_passed_through(&out).then_some(0);
            }
        }
        steps
    }

    /// Lets the only step of a state go on to a state that is not passed through.
    fn go_on(&mut self, out: &mut Successors) {
        let Some(mut ahead) = self.ahead.take() else { return };
        for _ in 0..PASSED_MAX {
            self.single_steps(out.state(0), &mut ahead);
            if !is_passed_through(&ahead) {
                break;
            }
            out.state_mut(0).copy_from_slice(ahead.state(0));
        }
        self.ahead = Some(ahead);
    }
}

/// Whether a state with these steps has nothing to it but a single one.
fn is_passed_through(out: &Successors) -> bool {
    out.len() == 1 && out.is_unremarkable() && !out.is_ruled_out()
}

impl<M: Interleaving> Worker for ReducedWorker<'_, M> {
    fn initial(&mut self, out: &mut Successors) {
        self.worker.initial(out);
    }

    #[inline]
    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        self.single_steps(state, out);
        if self.ahead.is_some() && is_passed_through(out) {
            self.go_on(out);
        }
    }

    fn left_out(&mut self, state: &[Word], out: &mut Successors) {
        self.worker.successors(state, out);
        if let Some(choice) = &mut self.chooser
            && choice.decide(self.model, &self.worker, state, out)
        {
            choice.taken.iter_mut().for_each(|is_taken| *is_taken = !*is_taken);
            out.retain_steps(&choice.taken);
        } else {
            out.clear();
        }
    }
}

impl<M: Interleaving + Symmetry> Symmetry for Reduced<M> {
    fn is_symmetric(&self) -> bool {
        self.model.is_symmetric()
    }
    fn canonicalise(&self, state: &mut [Word]) {
        self.model.canonicalise(state);
    }
}

passes_companions_on!(Reduced, Interleaving);
