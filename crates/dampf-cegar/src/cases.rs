//! Splits transitions into cases without disjunctions, as far as that stays small.
//!
//! The abstraction of a disjunction is a join that loses which case it was; a transition for each case loses nothing,
//! and the cases of a counterexample are then the steps of a path. Cases that are impossible are left out. A transition
//! that would have too many stays whole, and its disjunctions are split where they are decided.
//!
//! The order of cases is that of the disjuncts, so that the order of transitions, which decides between
//! counterexamples, stays a function of the program.

use crate::decide::Question;
use crate::formula::Formula;
use crate::inequality::Condition;
use crate::linear::Symbol;
use crate::simplex::Column;
use crate::system::{Sort, System, Transition, TransitionId};

/// So many cases of one transition, and no more.
const CASES_MAX: usize = 24;

/// Relations with more atoms are of large blocks, whose disjunctions are many and small.
const ATOMS_MAX: usize = 200;

/// So many cases of all transitions together, beyond one for each.
const CASES_TOTAL_MAX: usize = 20_000;

/// A system whose transitions are cases of those of another.
pub struct SplitSystem {
    pub system: System,
    /// By transition, the one that it is a case of.
    pub originals: Vec<TransitionId>,
}

pub fn split_into_cases(system: &System) -> SplitSystem {
    let mut transitions = Vec::new();
    let mut originals = Vec::new();
    let mut spare = CASES_TOTAL_MAX;
    for id in system.transition_ids() {
        let transition = system.transition(id);
        let cases = cases_of(system, transition, CASES_MAX.min(spare + 1));
        spare = spare.saturating_sub(cases.len().saturating_sub(1));
        for relation in cases {
            originals.push(id);
            transitions.push(Transition { relation, ..transition.clone() });
        }
    }
    let system = System { transitions, ..system.clone() };
    SplitSystem { system, originals }
}

/// The columns of a transition's symbols: variables before, variables after, auxiliaries.
pub(crate) struct Columns {
    before: u32,
    after: u32,
    integers: Vec<bool>,
}

impl Columns {
    pub fn of(system: &System, transition: &Transition) -> Columns {
        let is_integer = |sort: Sort| sort != Sort::Real;
        let (from, to) = (system.location(transition.from), system.location(transition.to));
        let sorts = from.variables.iter().chain(&to.variables).map(|variable| variable.sort);
        Columns {
            before: from.variables.len() as u32,
            after: to.variables.len() as u32,
            integers: sorts.chain(transition.auxiliaries.iter().copied()).map(is_integer).collect(),
        }
    }

    pub fn column(&self, symbol: Symbol) -> Column {
        match symbol {
            Symbol::Before(index) => index,
            Symbol::After(index) => self.before + index,
            Symbol::Auxiliary(index) => self.before + self.after + index,
        }
    }

    pub fn condition(&self, formula: &Formula) -> Condition {
        Condition::of(formula, &mut |symbol| self.column(symbol), &|column| self.integers[column as usize])
    }

    /// A formula about the location that the transition enters.
    pub fn condition_after(&self, formula: &Formula) -> Condition {
        let after = |symbol: Symbol| match symbol {
            Symbol::Before(index) => self.before + index,
            other => unreachable!("{other:?} in a formula about one location"),
        };
        Condition::of(formula, &mut { after }, &|column| self.integers[column as usize])
    }

    /// A question with these columns and nothing asserted.
    pub fn question(&self) -> Question {
        let mut question = Question::default();
        for &is_integer in &self.integers {
            question.add_variable(is_integer, 0);
        }
        question
    }
}

/// What remains to be split of one case, and what is decided.
#[derive(Clone)]
struct Case {
    atoms: Vec<Formula>,
    disjunctions: Vec<Vec<Formula>>,
    question: Question,
}

impl Case {
    /// Adds a conjunct; false if the case is impossible.
    fn add(&mut self, formula: &Formula, columns: &Columns) -> bool {
        match formula {
            Formula::True => true,
            Formula::False => false,
            Formula::And(parts) => parts.iter().all(|part| self.add(part, columns)),
            Formula::Or(parts) => {
                self.disjunctions.push(parts.clone());
                true
            }
            Formula::Atom(_) => {
                self.question.assert(&columns.condition(formula), 0);
                self.atoms.push(formula.clone());
                true
            }
        }
    }
}

fn cases_of(system: &System, transition: &Transition, cases_max: usize) -> Vec<Formula> {
    if atoms(&transition.relation) > ATOMS_MAX {
        return vec![transition.relation.clone()];
    }
    let columns = Columns::of(system, transition);
    let mut whole = Case { atoms: Vec::new(), disjunctions: Vec::new(), question: columns.question() };
    if !whole.add(&transition.relation, &columns) || !whole.question.check() {
        return Vec::new();
    }
    let mut cases = vec![whole];
    // Round by round, every case splits its first disjunction, until a round would make too many.
    loop {
        let mut next = Vec::with_capacity(cases.len());
        let mut has_split = false;
        for case in &cases {
            let mut case = case.clone();
            if case.disjunctions.is_empty() {
                next.push(case);
                continue;
            }
            let disjuncts = case.disjunctions.remove(0);
            has_split = true;
            for disjunct in &disjuncts {
                let mut inner = case.clone();
                if inner.add(disjunct, &columns) && inner.question.check() {
                    next.push(inner);
                }
            }
            if next.len() > cases_max {
                break;
            }
        }
        if next.len() > cases_max {
            return vec![transition.relation.clone()];
        }
        if !has_split {
            return next.into_iter().map(|case| Formula::and(case.atoms)).collect();
        }
        cases = next;
    }
}

fn atoms(formula: &Formula) -> usize {
    match formula {
        Formula::And(parts) | Formula::Or(parts) => parts.iter().map(atoms).sum(),
        _ => 1,
    }
}
