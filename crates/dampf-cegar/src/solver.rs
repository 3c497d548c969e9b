//! Who answers whether an abstract state and a transition imply a predicate: Dampf's own simplex, or Z3.
//!
//! Only the bits of the answers go into the abstraction. A bit is a fact about the program, so that it does not
//! matter who asked it, when, and in what order; models, proofs and cores of Z3 are not facts in this sense, and are
//! never asked for. The own solver also says which predicates it used, which is a fact, too: these imply it already.

use crate::abstraction::Abstraction;
use crate::bits::Bits;
use crate::cases::Columns;
use crate::decide::{AssumedAnswer, Literal, Question};
use crate::formula::Formula;
use crate::inequality::Condition;
use crate::patience::Patience;
use crate::rational::Rational;
use crate::system::{System, TransitionId};
use std::collections::{BTreeMap, HashMap};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Truth {
    /// It is implied, by these predicates alone.
    Yes(Bits),
    No,
    Unknown,
}

/// What is asked about a transition from an abstract state.
pub struct PostQuestion<'q> {
    pub transition: TransitionId,
    /// The predicates of its origin that hold.
    pub cube: &'q Bits,
    /// Whether it is to be decided if the transition is possible at all.
    pub asks_possible: bool,
    /// The predicates of its target that are asked for.
    pub wanted: &'q [u32],
}

#[derive(Clone, Debug)]
pub struct PostAnswer {
    /// Whether there is no successor; [`Truth::Unknown`] if that was not asked.
    pub impossible: Truth,
    /// As many as wanted; none if there is no successor.
    pub implied: Vec<Truth>,
}

pub trait Solver: Send {
    fn post(&mut self, abstraction: &Abstraction, question: &PostQuestion<'_>) -> PostAnswer;

    /// The facts of the abstraction have changed.
    fn forget(&mut self);

    /// Questions that were answered so far.
    fn checks(&self) -> u64;
}

/// So many conflicts of a warm solver, and the question is asked afresh; so many there, and the answer is unknown.
const CONFLICTS_MAX: u32 = 2_000;
const CONFLICTS_FRESH_MAX: u32 = 20_000;

/// So many questions to one warm solver, or so many splits of integers in it, and it is made afresh, lest it drown in
/// what it has learnt.
const WARM_MAX: u32 = 2_000;
const SPLITS_MAX: usize = 200;

/// A transition with all that was learnt about it.
#[derive(Clone)]
struct Warm {
    question: Question,
    before: HashMap<u32, Literal>,
    after: HashMap<u32, (Condition, Literal)>,
    asked: u32,
}

/// Dampf's own: the exact simplex, with learnt clauses.
pub struct OwnSolver<'s> {
    system: &'s System,
    columns: Vec<Columns>,
    warm: Vec<Option<Warm>>,
    checks: u64,
}

impl<'s> OwnSolver<'s> {
    pub fn new(system: &'s System) -> OwnSolver<'s> {
        OwnSolver {
            system,
            columns: system.transitions.iter().map(|transition| Columns::of(system, transition)).collect(),
            warm: vec![None; system.transitions.len()],
            checks: 0,
        }
    }

    /// A solver for the transition, with the relation and the fact of its origin.
    fn warm(&self, abstraction: &Abstraction, id: TransitionId) -> Warm {
        let transition = self.system.transition(id);
        let columns = &self.columns[id.0 as usize];
        let mut question = columns.question();
        question.assert(&columns.condition(&transition.relation), 0);
        question.assert(&columns.condition(abstraction.fact(transition.from)), 0);
        Warm { question, before: HashMap::new(), after: HashMap::new(), asked: 0 }
    }
}

impl OwnSolver<'_> {
    /// Decides warm, and once more afresh and with more effort if that did not suffice.
    fn decide(
        &self,
        warm: &mut Warm,
        abstraction: &Abstraction,
        question: &PostQuestion<'_>,
        assumptions: &[Literal],
        target: Option<u32>,
    ) -> AssumedAnswer {
        match warm.question.decide_assuming(assumptions, CONFLICTS_MAX, Patience::default()) {
            AssumedAnswer::GaveUp => {}
            answer => return answer,
        }
        let id = question.transition;
        let transition = self.system.transition(id);
        let columns = &self.columns[id.0 as usize];
        let mut fresh = self.warm(abstraction, id);
        for index in question.cube.iter() {
            let predicate = &abstraction.predicates(transition.from)[index as usize];
            fresh.question.assert(&columns.condition(predicate), 0);
        }
        if let Some(index) = target {
            let negated = abstraction.predicates(transition.to)[index as usize].negated();
            fresh.question.assert(&columns.condition_after(&negated.unwrap_or(Formula::True)), 0);
        }
        match fresh.question.decide_assuming(&[], CONFLICTS_FRESH_MAX, Patience::default()) {
            // Which predicates it needed is not known: all of them suffice.
            AssumedAnswer::Refuted(_) => AssumedAnswer::Refuted(assumptions.to_vec()),
            answer => answer,
        }
    }
}

impl Warm {
    /// Whether it is still faster than a new one.
    fn is_fit(&self) -> bool {
        self.asked < WARM_MAX && self.question.splits() < SPLITS_MAX
    }

    fn before(&mut self, columns: &Columns, predicates: &[Formula], index: u32) -> Literal {
        *self
            .before
            .entry(index)
            .or_insert_with(|| self.question.literal(&columns.condition(&predicates[index as usize]), index + 1))
    }

    fn add_after(&mut self, columns: &Columns, predicates: &[Formula], index: u32) {
        if self.after.contains_key(&index) {
            return;
        }
        let formula = &predicates[index as usize];
        // What cannot be negated in 128 bits is never found to be implied.
        let negated = formula.negated().unwrap_or(Formula::True);
        let literal = self.question.literal(&columns.condition_after(&negated), 0);
        self.after.insert(index, (columns.condition_after(formula), literal));
    }

    /// What is false in one successor is not implied.
    fn exclude(&self, wanted: &[u32], model: &[Rational], implied: &mut [Option<Truth>]) {
        for (truth, index) in implied.iter_mut().zip(wanted) {
            if truth.is_none() && !self.after[index].0.holds_for(model) {
                *truth = Some(Truth::No);
            }
        }
    }
}

impl Solver for OwnSolver<'_> {
    fn post(&mut self, abstraction: &Abstraction, question: &PostQuestion<'_>) -> PostAnswer {
        let id = question.transition;
        let transition = self.system.transition(id);
        let known = self.warm[id.0 as usize].take().filter(Warm::is_fit);
        let mut warm = known.unwrap_or_else(|| self.warm(abstraction, id));
        let columns = &self.columns[id.0 as usize];
        let mut by_literal: BTreeMap<Literal, Vec<u32>> = BTreeMap::new();
        for index in question.cube.iter() {
            let literal = warm.before(columns, abstraction.predicates(transition.from), index);
            by_literal.entry(literal).or_default().push(index);
        }
        for &index in question.wanted {
            warm.add_after(columns, abstraction.predicates(transition.to), index);
        }
        let mut assumptions: Vec<Literal> = by_literal.keys().copied().collect();
        let used =
            |core: &[Literal]| core.iter().filter_map(|literal| by_literal.get(literal)?.first().copied()).collect();
        let mut implied: Vec<Option<Truth>> = vec![None; question.wanted.len()];
        let mut impossible = Truth::Unknown;
        if question.asks_possible {
            self.checks += 1;
            warm.asked += 1;
            match self.decide(&mut warm, abstraction, question, &assumptions, None) {
                AssumedAnswer::Refuted(core) => {
                    self.warm[id.0 as usize] = Some(warm);
                    return PostAnswer { impossible: Truth::Yes(used(&core)), implied: Vec::new() };
                }
                AssumedAnswer::Model(model) => {
                    impossible = Truth::No;
                    warm.exclude(question.wanted, &model, &mut implied);
                }
                AssumedAnswer::GaveUp => {}
            }
        }
        for (at, &index) in question.wanted.iter().enumerate() {
            if implied[at].is_some() {
                continue;
            }
            self.checks += 1;
            warm.asked += 1;
            assumptions.push(warm.after[&index].1);
            match self.decide(&mut warm, abstraction, question, &assumptions, Some(index)) {
                AssumedAnswer::Refuted(core) => implied[at] = Some(Truth::Yes(used(&core))),
                AssumedAnswer::Model(model) => {
                    warm.exclude(question.wanted, &model, &mut implied);
                    implied[at] = Some(Truth::No);
                }
                AssumedAnswer::GaveUp => implied[at] = Some(Truth::Unknown),
            }
            assumptions.pop();
        }
        self.warm[id.0 as usize] = Some(warm);
        PostAnswer { impossible, implied: implied.into_iter().map(|truth| truth.expect("all were asked")).collect() }
    }

    fn forget(&mut self) {
        self.warm.fill(None);
    }

    fn checks(&self) -> u64 {
        self.checks
    }
}
