//! The formula of a path: is there a run along these transitions, and if not, why not.
//!
//! Every location on the path has its variables once; step `k` (from 1) leads from position `k - 1` to position `k`.
//! What is known of the location that a step leaves is part of the step. The answer is a run, or a refutation whose
//! inequalities know their steps.

use crate::decide::{Answer, Question};
use crate::formula::Formula;
use crate::inequality::Condition;
use crate::linear::Symbol;
use crate::patience::Patience;
use crate::proof::{Premise, Proof};
use crate::rational::Rational;
use crate::simplex::Column;
use crate::system::{LocationId, Sort, System, TransitionId};
use std::sync::Arc;

/// Values along a path: those of the variables at each location, and of the auxiliaries of each transition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    pub transitions: Vec<TransitionId>,
    /// By position, one more than there are transitions.
    pub values: Vec<Vec<Rational>>,
    /// By step.
    pub auxiliaries: Vec<Vec<Rational>>,
}

pub enum PathAnswer {
    Run(Run),
    Refuted(Proof),
    GaveUp,
}

pub struct PathFormula<'s> {
    system: &'s System,
    transitions: Vec<TransitionId>,
    /// By position, the column of its first variable.
    positions: Vec<Column>,
    /// By step, the column of its first auxiliary.
    auxiliaries: Vec<Column>,
    pub(crate) integers: Vec<bool>,
    /// By column, the step that a split of it belongs to.
    owners: Vec<u32>,
    /// By step, its conjuncts.
    pub(crate) conjuncts: Vec<Vec<Condition>>,
}

impl<'s> PathFormula<'s> {
    /// `facts` are known of locations; none for what is not known.
    pub fn new(system: &'s System, transitions: &[TransitionId], facts: &[Formula]) -> PathFormula<'s> {
        let mut path = PathFormula {
            system,
            transitions: transitions.to_vec(),
            positions: Vec::new(),
            auxiliaries: Vec::new(),
            integers: Vec::new(),
            owners: Vec::new(),
            conjuncts: Vec::new(),
        };
        path.add_position(path.location(0), 0);
        for (step, &id) in transitions.iter().enumerate() {
            let transition = system.transition(id);
            let owner = step as u32 + 1;
            path.add_position(transition.to, owner);
            path.auxiliaries.push(path.integers.len() as Column);
            for &sort in &transition.auxiliaries {
                path.add_column(sort, owner);
            }
        }
        for (step, &id) in transitions.iter().enumerate() {
            let transition = system.transition(id);
            let mut conjuncts = Vec::new();
            if let Some(fact) = facts.get(transition.from.0 as usize) {
                path.add_conjuncts(fact, step, &mut conjuncts);
            }
            path.add_conjuncts(&transition.relation, step, &mut conjuncts);
            path.conjuncts.push(conjuncts);
        }
        path
    }

    fn add_position(&mut self, location: LocationId, owner: u32) {
        self.positions.push(self.integers.len() as Column);
        for variable in &self.system.location(location).variables {
            self.add_column(variable.sort, owner);
        }
    }

    fn add_column(&mut self, sort: Sort, owner: u32) {
        self.integers.push(sort != Sort::Real);
        self.owners.push(owner);
    }

    fn add_conjuncts(&self, formula: &Formula, step: usize, conjuncts: &mut Vec<Condition>) {
        match formula {
            Formula::And(parts) => parts.iter().for_each(|part| self.add_conjuncts(part, step, conjuncts)),
            _ => {
                let column = |symbol: Symbol| match symbol {
                    Symbol::Before(index) => self.positions[step] + index,
                    Symbol::After(index) => self.positions[step + 1] + index,
                    Symbol::Auxiliary(index) => self.auxiliaries[step] + index,
                };
                conjuncts.push(Condition::of(formula, &mut { column }, &|column| self.integers[column as usize]));
            }
        }
    }

    /// The location at a position.
    pub fn location(&self, position: usize) -> LocationId {
        match position {
            0 => self.system.transition(self.transitions[0]).from,
            _ => self.system.transition(self.transitions[position - 1]).to,
        }
    }

    pub fn steps(&self) -> usize {
        self.transitions.len()
    }

    pub fn transition(&self, step: usize) -> TransitionId {
        self.transitions[step]
    }

    pub(crate) fn first_column(&self, position: usize) -> Column {
        self.positions[position]
    }

    /// A question with all columns and nothing asserted.
    pub(crate) fn question(&self) -> Question {
        let mut question = Question::default();
        for (&is_integer, &owner) in self.integers.iter().zip(&self.owners) {
            question.add_variable(is_integer, owner);
        }
        question
    }

    /// Decides, with at most so many conflicts.
    pub fn decide(&self, conflicts_max: u32) -> PathAnswer {
        self.decide_within(conflicts_max, Patience::default())
    }

    pub fn decide_within(&self, conflicts_max: u32, patience: Patience<'_>) -> PathAnswer {
        let mut question = self.question();
        for (step, conjuncts) in self.conjuncts.iter().enumerate() {
            for conjunct in conjuncts {
                question.assert(conjunct, step as u32 + 1);
            }
        }
        match question.decide(conflicts_max, patience) {
            Answer::Model(model) => PathAnswer::Run(self.run(&model)),
            Answer::Refuted(proof) => PathAnswer::Refuted(proof),
            Answer::GaveUp => PathAnswer::GaveUp,
        }
    }

    /// Refutes again with a part of the inequalities only.
    pub(crate) fn refute_subset(&self, premises: &[Premise]) -> Option<Vec<(Premise, Rational)>> {
        let mut question = self.question();
        for premise in premises {
            question.assert(&Condition::Atom(Arc::clone(&premise.inequality)), premise.part);
        }
        if question.check() { None } else { question.certificate() }
    }

    /// The values of a run of this path, by column.
    pub(crate) fn columns_of(&self, run: &Run) -> Vec<Rational> {
        let mut columns = run.values[0].clone();
        for (values, auxiliaries) in run.values[1..].iter().zip(&run.auxiliaries) {
            columns.extend(values.iter().chain(auxiliaries).cloned());
        }
        columns
    }

    fn run(&self, model: &[Rational]) -> Run {
        let slice = |first: Column, count: usize| model[first as usize..first as usize + count].to_vec();
        let variables = |position: usize| self.system.location(self.location(position)).variables.len();
        Run {
            transitions: self.transitions.clone(),
            values: (0..=self.steps()).map(|at| slice(self.positions[at], variables(at))).collect(),
            auxiliaries: (0..self.steps())
                .map(|at| slice(self.auxiliaries[at], self.system.transition(self.transitions[at]).auxiliaries.len()))
                .collect(),
        }
    }
}

impl Run {
    /// Replays the run: it begins in the initial location, ends in the error location, every value has its sort, and
    /// every relation holds, exactly.
    pub fn replays(&self, system: &System) -> bool {
        let mut at = system.initial;
        let is_sorted = |value: &Rational, sort: Sort| match sort {
            Sort::Real => true,
            Sort::Integer => value.is_integer(),
            Sort::Boolean => value.is_zero() || value.is_one(),
        };
        for (step, &id) in self.transitions.iter().enumerate() {
            let transition = system.transition(id);
            if transition.from != at {
                return false;
            }
            at = transition.to;
            let (before, after, auxiliaries) = (&self.values[step], &self.values[step + 1], &self.auxiliaries[step]);
            let sorts = system.location(at).variables.iter().map(|variable| variable.sort);
            let value = |symbol: Symbol| match symbol {
                Symbol::Before(index) => before[index as usize].clone(),
                Symbol::After(index) => after[index as usize].clone(),
                Symbol::Auxiliary(index) => auxiliaries[index as usize].clone(),
            };
            if !after.iter().zip(sorts).all(|(value, sort)| is_sorted(value, sort))
                || !auxiliaries.iter().zip(&transition.auxiliaries).all(|(value, &sort)| is_sorted(value, sort))
                || !transition.relation.holds(&value)
            {
                return false;
            }
        }
        at == system.error && !self.transitions.is_empty()
    }
}
