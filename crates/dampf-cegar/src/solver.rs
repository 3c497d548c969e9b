//! Who answers whether an abstract state and a transition imply a predicate: Dampf's own simplex, or Z3.
//!
//! Only the bits of the answers go into the abstraction. A bit is a fact about the program, so that it does not matter who
//! asked it, when, and in what order; models, proofs and cores of Z3 are not facts in this sense, and are never asked for.
//! The own solver also says which predicates it used, which is a fact, too: these imply it already.

use crate::abstraction::Abstraction;
use crate::bits::Bits;
use crate::cases::Columns;
use crate::decide::{Answer, Question, Refutation};
use crate::inequality::Condition;
use crate::rational::Rational;
use crate::system::{LocationId, System, TransitionId};
use std::collections::{BTreeSet, HashMap};

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

pub trait Solver {
    fn post(&mut self, abstraction: &Abstraction, question: &PostQuestion<'_>) -> PostAnswer;

    /// The facts of the abstraction have changed.
    fn forget(&mut self);

    /// Questions that were answered so far.
    fn checks(&self) -> u64;
}

/// So many splits, and the answer is unknown.
const SPLITS_MAX: u32 = 600;

/// Dampf's own: the exact simplex, with splits.
pub struct OwnSolver<'s> {
    system: &'s System,
    columns: Vec<Columns>,
    /// By transition, what its relation and the fact of its origin say.
    bases: Vec<Option<Question>>,
    before: HashMap<(TransitionId, u32), Condition>,
    after: HashMap<(TransitionId, u32), (Condition, Condition)>,
    checks: u64,
}

impl<'s> OwnSolver<'s> {
    pub fn new(system: &'s System) -> OwnSolver<'s> {
        OwnSolver {
            system,
            columns: system.transitions.iter().map(|transition| Columns::of(system, transition)).collect(),
            bases: vec![None; system.transitions.len()],
            before: HashMap::new(),
            after: HashMap::new(),
            checks: 0,
        }
    }

    fn base(&mut self, abstraction: &Abstraction, id: TransitionId) -> Question {
        let at = id.0 as usize;
        if self.bases[at].is_none() {
            let transition = self.system.transition(id);
            let columns = &self.columns[at];
            let mut question = columns.question();
            question.assert(&columns.condition(&transition.relation), 0);
            question.assert(&columns.condition(abstraction.fact(transition.from)), 0);
            question.check();
            self.bases[at] = Some(question);
        }
        self.bases[at].clone().expect("it was just made")
    }

    fn predicate_after(&mut self, abstraction: &Abstraction, id: TransitionId, to: LocationId, index: u32) {
        let columns = &self.columns[id.0 as usize];
        self.after.entry((id, index)).or_insert_with(|| {
            let formula = &abstraction.predicates(to)[index as usize];
            // What cannot be negated in 128 bits is never found to be implied.
            let negated = formula.negated().unwrap_or(crate::formula::Formula::True);
            (columns.condition_after(formula), columns.condition_after(&negated))
        });
    }
}

/// The predicates of the cube that a refutation uses: parts above zero.
fn used(refutation: &Refutation) -> Bits {
    let mut parts = BTreeSet::new();
    refutation.parts(&mut parts);
    parts.into_iter().filter(|part| *part > 0).map(|part| part - 1).collect()
}

impl Solver for OwnSolver<'_> {
    fn post(&mut self, abstraction: &Abstraction, question: &PostQuestion<'_>) -> PostAnswer {
        let id = question.transition;
        let transition = self.system.transition(id);
        let mut base = self.base(abstraction, id);
        for index in question.cube.iter() {
            let columns = &self.columns[id.0 as usize];
            let condition = self
                .before
                .entry((id, index))
                .or_insert_with(|| columns.condition(&abstraction.predicates(transition.from)[index as usize]));
            base.assert(condition, index + 1);
        }
        self.checks += 1;
        if !base.check() {
            let core = used(base.refutation().expect("a failed check leaves a refutation"));
            return PostAnswer { impossible: Truth::Yes(core), implied: Vec::new() };
        }
        let mut implied: Vec<Option<Truth>> = vec![None; question.wanted.len()];
        let mut impossible = Truth::Unknown;
        for &index in question.wanted {
            self.predicate_after(abstraction, id, transition.to, index);
        }
        if question.asks_possible {
            match base.clone().decide(SPLITS_MAX) {
                Answer::Refuted(refutation) => {
                    return PostAnswer { impossible: Truth::Yes(used(&refutation)), implied: Vec::new() };
                }
                Answer::Model(model) => {
                    impossible = Truth::No;
                    self.exclude(id, question.wanted, &model, &mut implied);
                }
                Answer::GaveUp => {}
            }
        }
        for (at, &index) in question.wanted.iter().enumerate() {
            if implied[at].is_some() {
                continue;
            }
            self.checks += 1;
            let mut inner = base.clone();
            inner.assert(&self.after[&(id, index)].1, 0);
            match inner.decide(SPLITS_MAX) {
                Answer::Refuted(refutation) => implied[at] = Some(Truth::Yes(used(&refutation))),
                Answer::Model(model) => {
                    self.exclude(id, question.wanted, &model, &mut implied);
                    implied[at] = Some(Truth::No);
                }
                Answer::GaveUp => implied[at] = Some(Truth::Unknown),
            }
        }
        PostAnswer { impossible, implied: implied.into_iter().map(|truth| truth.expect("all were asked")).collect() }
    }

    fn forget(&mut self) {
        self.bases.fill(None);
    }

    fn checks(&self) -> u64 {
        self.checks
    }
}

impl OwnSolver<'_> {
    /// What is false in one successor is not implied.
    fn exclude(&self, id: TransitionId, wanted: &[u32], model: &[Rational], implied: &mut [Option<Truth>]) {
        for (truth, index) in implied.iter_mut().zip(wanted) {
            if truth.is_none() && !crate::decide::holds_for(&self.after[&(id, *index)].0, model) {
                *truth = Some(Truth::No);
            }
        }
    }
}
