//! The logic of one assertion: sums of rational numbers, and formulas as a graph in which equal parts are one node.
//!
//! A `let` that names a formula used a thousand times costs one node here. All variables of an assertion are
//! auxiliaries at this stage; which of them are values before or after a step is known only once its predicates are.

use crate::linear::{Constraint, Linear, Overflow, Relation, Symbol};
use crate::system::Sort;
use std::collections::HashMap;

/// `linear / denominator`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sum {
    pub linear: Linear,
    /// Positive.
    pub denominator: i128,
    pub is_real: bool,
}

impl Sum {
    pub fn integer(linear: Linear) -> Sum {
        Sum { linear, denominator: 1, is_real: false }
    }

    /// `self + numerator / denominator * other`.
    pub fn plus(&self, numerator: i128, denominator: i128, other: &Sum) -> Result<Sum, Overflow> {
        let theirs = other.denominator.checked_mul(denominator).ok_or(Overflow)?;
        let common = self.denominator.checked_mul(theirs).ok_or(Overflow)?;
        let factor = numerator.checked_mul(self.denominator).ok_or(Overflow)?;
        let linear = self.linear.times(theirs)?.plus(factor, &other.linear)?;
        Sum { linear, denominator: common, is_real: self.is_real || other.is_real }.reduced()
    }

    pub fn times(&self, numerator: i128, denominator: i128) -> Result<Sum, Overflow> {
        let mut product = Sum::integer(Linear::default()).plus(numerator, denominator, self)?;
        product.is_real |= self.is_real;
        Ok(product)
    }

    /// The number, as numerator and denominator, if this is one.
    pub fn as_constant(&self) -> Option<(i128, i128)> {
        self.linear.is_constant().then(|| (self.linear.constant_part(), self.denominator))
    }

    fn reduced(mut self) -> Result<Sum, Overflow> {
        let numbers = self.linear.terms().iter().map(|&(_, value)| value).chain([self.linear.constant_part()]);
        let mut divisor = self.denominator.unsigned_abs();
        for number in numbers {
            let (mut a, mut b) = (divisor, number.unsigned_abs());
            while b != 0 {
                (a, b) = (b, a % b);
            }
            divisor = a;
        }
        let divisor = i128::try_from(divisor).map_err(|_| Overflow)?;
        if divisor > 1 {
            let start = Linear::constant(self.linear.constant_part() / divisor);
            self.linear = self
                .linear
                .terms()
                .iter()
                .try_fold(start, |all, &(symbol, value)| all.plus(value / divisor, &Linear::symbol(symbol)))?;
            self.denominator /= divisor;
        }
        Ok(self)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LogicId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    Forall,
    Exists,
}

/// The argument of a predicate.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    Number(Sum),
    Truth(LogicId),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Logic {
    Truth(bool),
    Atom(Constraint),
    /// A Boolean variable.
    Boolean(Symbol),
    Not(LogicId),
    And(Vec<LogicId>),
    Or(Vec<LogicId>),
    Iff(LogicId, LogicId),
    Choice(LogicId, LogicId, LogicId),
    Predicate(usize, Vec<Argument>),
    Quantified(Quantifier, LogicId),
}

/// What an auxiliary is that stands for a term: a total function of its arguments, so that saying so takes nothing
/// away.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Meaning {
    /// `if condition then one else other`
    Choice(LogicId, Sum, Sum),
    /// The greatest integer `q` with `divisor * q <= sum`, for a positive divisor.
    Floor(Sum, i128),
}

/// The nodes and the auxiliaries of one assertion.
#[derive(Default)]
pub struct Graph {
    nodes: Vec<Logic>,
    ids: HashMap<Logic, LogicId>,
    pub sorts: Vec<Sort>,
    /// In the order in which they were made: a meaning speaks of earlier auxiliaries only.
    meanings: HashMap<Meaning, u32>,
    meaning_of: HashMap<u32, Meaning>,
}

impl Graph {
    pub fn node(&self, id: LogicId) -> &Logic {
        &self.nodes[id.0 as usize]
    }

    pub fn add(&mut self, logic: Logic) -> LogicId {
        if let Some(&id) = self.ids.get(&logic) {
            return id;
        }
        let id = LogicId(self.nodes.len() as u32);
        self.nodes.push(logic.clone());
        self.ids.insert(logic, id);
        id
    }

    pub fn truth(&mut self, value: bool) -> LogicId {
        self.add(Logic::Truth(value))
    }

    pub fn not(&mut self, id: LogicId) -> LogicId {
        match *self.node(id) {
            Logic::Truth(value) => self.truth(!value),
            Logic::Not(inner) => inner,
            _ => self.add(Logic::Not(id)),
        }
    }

    pub fn and(&mut self, parts: Vec<LogicId>) -> LogicId {
        self.connective(parts, true)
    }

    pub fn or(&mut self, parts: Vec<LogicId>) -> LogicId {
        self.connective(parts, false)
    }

    fn connective(&mut self, parts: Vec<LogicId>, neutral: bool) -> LogicId {
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            match *self.node(part) {
                Logic::Truth(value) if value == neutral => {}
                Logic::Truth(value) => return self.truth(value),
                _ if kept.contains(&part) && kept.len() < 32 => {}
                _ => kept.push(part),
            }
        }
        match kept.len() {
            0 => self.truth(neutral),
            1 => kept[0],
            _ => self.add(if neutral { Logic::And(kept) } else { Logic::Or(kept) }),
        }
    }

    pub fn iff(&mut self, one: LogicId, other: LogicId) -> LogicId {
        match (self.node(one), self.node(other)) {
            _ if one == other => self.truth(true),
            (&Logic::Truth(value), _) => {
                if value {
                    other
                } else {
                    self.not(other)
                }
            }
            (_, &Logic::Truth(value)) => {
                if value {
                    one
                } else {
                    self.not(one)
                }
            }
            _ => self.add(Logic::Iff(one, other)),
        }
    }

    pub fn choice(&mut self, condition: LogicId, one: LogicId, other: LogicId) -> LogicId {
        match (self.node(condition), self.node(one), self.node(other)) {
            (&Logic::Truth(value), _, _) => {
                if value {
                    one
                } else {
                    other
                }
            }
            (_, &Logic::Truth(true), _) => self.or(vec![condition, other]),
            (_, &Logic::Truth(false), _) => {
                let not = self.not(condition);
                self.and(vec![not, other])
            }
            (_, _, &Logic::Truth(false)) => self.and(vec![condition, one]),
            (_, _, &Logic::Truth(true)) => {
                let not = self.not(condition);
                self.or(vec![not, one])
            }
            _ => self.add(Logic::Choice(condition, one, other)),
        }
    }

    /// `sum relation 0`, in which integers are not strict.
    pub fn compare(&mut self, sum: &Sum, relation: Relation) -> Result<LogicId, Overflow> {
        let constraint = Constraint::new(self.tight(&sum.linear, relation)?, self.loose(&sum.linear, relation));
        Ok(match constraint.truth() {
            Some(value) => self.truth(value),
            None => self.add(Logic::Atom(constraint)),
        })
    }

    fn is_whole(&self, linear: &Linear) -> bool {
        linear.terms().iter().all(|&(symbol, _)| self.sort(symbol) != Sort::Real)
    }

    fn tight(&self, linear: &Linear, relation: Relation) -> Result<Linear, Overflow> {
        let strict = relation == Relation::Below && self.is_whole(linear);
        if strict { linear.plus(1, &Linear::constant(1)) } else { Ok(linear.clone()) }
    }

    fn loose(&self, linear: &Linear, relation: Relation) -> Relation {
        if relation == Relation::Below && self.is_whole(linear) { Relation::AtMost } else { relation }
    }

    pub fn sort(&self, symbol: Symbol) -> Sort {
        match symbol {
            Symbol::Auxiliary(index) => self.sorts[index as usize],
            Symbol::Before(_) | Symbol::After(_) => unreachable!("an assertion has auxiliaries only"),
        }
    }

    pub fn fresh(&mut self, sort: Sort) -> Symbol {
        self.sorts.push(sort);
        Symbol::Auxiliary(self.sorts.len() as u32 - 1)
    }

    /// The auxiliary that stands for a term.
    pub fn term(&mut self, sort: Sort, meaning: Meaning) -> Symbol {
        if let Some(&index) = self.meanings.get(&meaning) {
            return Symbol::Auxiliary(index);
        }
        let symbol = self.fresh(sort);
        let index = self.sorts.len() as u32 - 1;
        self.meanings.insert(meaning.clone(), index);
        self.meaning_of.insert(index, meaning);
        symbol
    }

    pub fn meaning(&self, auxiliary: u32) -> Option<&Meaning> {
        self.meaning_of.get(&auxiliary)
    }

    /// A formula as a number between 0 and 1, where it is a literal.
    pub fn as_bit(&self, id: LogicId) -> Option<Linear> {
        match *self.node(id) {
            Logic::Truth(value) => Some(Linear::constant(i128::from(value))),
            Logic::Boolean(symbol) => Some(Linear::symbol(symbol)),
            Logic::Not(inner) => Linear::constant(1).plus(-1, &self.as_bit(inner)?).ok(),
            _ => None,
        }
    }

    /// The nodes that a node is made of.
    pub fn parts(&self, id: LogicId) -> Vec<LogicId> {
        match self.node(id) {
            Logic::Truth(_) | Logic::Atom(_) | Logic::Boolean(_) => Vec::new(),
            Logic::Not(inner) | Logic::Quantified(_, inner) => vec![*inner],
            Logic::And(parts) | Logic::Or(parts) => parts.clone(),
            Logic::Iff(one, other) => vec![*one, *other],
            Logic::Choice(condition, one, other) => vec![*condition, *one, *other],
            Logic::Predicate(_, arguments) => arguments
                .iter()
                .filter_map(|argument| match argument {
                    Argument::Truth(id) => Some(*id),
                    Argument::Number(_) => None,
                })
                .collect(),
        }
    }

    /// All nodes: a node comes behind its parts.
    pub fn ids(&self) -> impl Iterator<Item = LogicId> {
        (0..self.nodes.len() as u32).map(LogicId)
    }

    pub fn count(&self) -> usize {
        self.nodes.len()
    }
}

impl LogicId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
