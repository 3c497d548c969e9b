//! Decides conjunctions of formulas: finds a model, or a refutation, or gives up.
//!
//! Conjunctions go to the simplex; a disjunction is split only when the values that the simplex found do not satisfy it,
//! and an integer is split only when its value is a fraction. If the refutation of a case does not use the case, it
//! refutes all of them, and the others are not tried. Every choice is the first possible one, so that an answer is a
//! function of the question.
//!
//! A refutation is a tree: certificates of Farkas at the leaves, splits above. It says which inequalities it uses, and
//! with which factors, so that interpolants can be read off it; see [`crate::interpolation`].

use crate::inequality::{Condition, Inequality};
use crate::linear::Relation;
use crate::rational::Rational;
use crate::simplex::{Column, Conflict, Side, Simplex, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Which part of a question an inequality belongs to: a step of a path, a predicate of a cube.
pub type Part = u32;

/// An inequality that was asserted, and what for.
#[derive(Clone, Debug)]
pub struct Premise {
    pub inequality: Arc<Inequality>,
    pub part: Part,
    /// How many splits deep it was asserted: zero for what the question says.
    level: u32,
}

#[derive(Clone, Debug)]
pub enum Refutation {
    /// The sum of these inequalities, with these factors, is false. Factors of equations may be negative.
    Farkas(Vec<(Premise, Rational)>),
    /// These equations have no solution in integers, though one in fractions.
    Divisibility(Vec<Premise>),
    /// One of these cases is true, and none is possible. The split belongs to the part.
    Split { part: Part, cases: Vec<Refutation> },
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// By column, a value.
    Model(Vec<Rational>),
    Refuted(Refutation),
    /// The limit of splits was hit.
    GaveUp,
}

impl Answer {
    pub fn is_refuted(&self) -> bool {
        matches!(self, Answer::Refuted(_))
    }
}

impl Refutation {
    fn uses_level(&self, level: u32) -> bool {
        match self {
            Refutation::Farkas(premises) => premises.iter().any(|(premise, _)| premise.level == level),
            Refutation::Divisibility(premises) => premises.iter().any(|premise| premise.level == level),
            Refutation::Split { cases, .. } => cases.iter().any(|case| case.uses_level(level)),
        }
    }

    /// The parts of the question that it uses.
    pub fn parts(&self, parts: &mut BTreeSet<Part>) {
        match self {
            Refutation::Farkas(premises) => parts.extend(premises.iter().map(|(premise, _)| premise.part)),
            Refutation::Divisibility(premises) => parts.extend(premises.iter().map(|premise| premise.part)),
            Refutation::Split { part, cases } => {
                parts.insert(*part);
                cases.iter().for_each(|case| case.parts(parts));
            }
        }
    }
}

/// A conjunction under construction. Cloning it is how a question is asked again with something added.
#[derive(Clone, Default)]
pub struct Question {
    simplex: Simplex,
    /// By column.
    integers: Vec<bool>,
    /// The part to which a split of an integer belongs, by column.
    owners: Vec<Part>,
    premises: Vec<Premise>,
    disjunctions: Vec<(Arc<Vec<Condition>>, Part)>,
    /// Found while asserting.
    refutation: Option<Refutation>,
}

impl Question {
    pub fn add_variable(&mut self, is_integer: bool, owner: Part) -> Column {
        let column = self.simplex.add_variable();
        self.integers.resize(column as usize, false);
        self.owners.resize(column as usize, 0);
        self.integers.push(is_integer);
        self.owners.push(owner);
        column
    }

    pub fn simplex(&self) -> &Simplex {
        &self.simplex
    }

    pub fn assert(&mut self, condition: &Condition, part: Part) {
        self.assert_at(condition, part, 0);
    }

    fn assert_at(&mut self, condition: &Condition, part: Part, level: u32) {
        if self.refutation.is_some() {
            return;
        }
        match condition {
            Condition::Atom(inequality) => self.assert_inequality(inequality, part, level),
            Condition::All(parts) => parts.iter().for_each(|condition| self.assert_at(condition, part, level)),
            Condition::Any(parts) if parts.len() == 1 => self.assert_at(&parts[0], part, level),
            Condition::Any(parts) if parts.is_empty() => {
                let falsum = Inequality { terms: Vec::new(), constant: Rational::ONE, relation: Relation::AtMost };
                self.assert_inequality(&Arc::new(falsum), part, level);
            }
            Condition::Any(parts) => self.disjunctions.push((Arc::new(parts.clone()), part)),
        }
    }

    fn assert_inequality(&mut self, inequality: &Arc<Inequality>, part: Part, level: u32) {
        let reason = self.premises.len() as u32;
        let premise = Premise { inequality: Arc::clone(inequality), part, level };
        let Some((_, scale)) = inequality.terms.first() else {
            let is_true = match inequality.relation {
                Relation::AtMost => !inequality.constant.is_positive(),
                Relation::Below => inequality.constant.is_negative(),
                Relation::Equal => inequality.constant.is_zero(),
            };
            if !is_true {
                let sign = if inequality.constant.is_negative() { Rational::integer(-1) } else { Rational::ONE };
                self.refutation = Some(Refutation::Farkas(vec![(premise, sign)]));
            }
            return;
        };
        self.premises.push(premise);
        // Forms have a first coefficient of one, so that a constraint and its converse are bounds of one column.
        let (scale, inverse) = (scale.clone(), scale.inverse());
        let terms: Vec<_> =
            inequality.terms.iter().map(|(column, factor)| (*column, factor.times(&inverse))).collect();
        let column = self.simplex.form(&terms);
        let bound = inequality.constant.times(&inverse).negated();
        let infinitesimal = match inequality.relation {
            Relation::Below => Rational::integer(if scale.is_positive() { -1 } else { 1 }),
            _ => Rational::ZERO,
        };
        let value = Value { real: bound, infinitesimal };
        let result = match (inequality.relation, scale.is_positive()) {
            (Relation::Equal, _) => self
                .simplex
                .assert_upper(column, value.clone(), reason)
                .and_then(|()| self.simplex.assert_lower(column, value, reason)),
            (_, true) => self.simplex.assert_upper(column, value, reason),
            (_, false) => self.simplex.assert_lower(column, value, reason),
        };
        if let Err(conflict) = result {
            self.refutation = Some(self.farkas(&conflict));
        }
    }

    fn farkas(&self, conflict: &Conflict) -> Refutation {
        let mut premises: Vec<(Premise, Rational)> = Vec::new();
        for (reason, side, factor) in conflict {
            let premise = &self.premises[*reason as usize];
            let scale = &premise.inequality.terms[0].1;
            let factor = factor.divided_by(scale);
            let factor = if *side == Side::Upper { factor } else { factor.negated() };
            premises.push((premise.clone(), factor));
        }
        Refutation::Farkas(premises)
    }

    /// Whether fractions are possible, disjunctions aside.
    pub fn check(&mut self) -> bool {
        if self.refutation.is_none()
            && let Err(conflict) = self.simplex.check()
        {
            self.refutation = Some(self.farkas(&conflict));
        }
        self.refutation.is_none()
    }

    pub fn refutation(&self) -> Option<&Refutation> {
        self.refutation.as_ref()
    }

    /// The supremum of a form over all fractions, disjunctions aside, after a successful check.
    pub fn maximise(&mut self, terms: &[(Column, Rational)]) -> Option<Value> {
        let column = self.simplex.form(terms);
        self.simplex.maximise(column)
    }

    /// Decides, with at most so many splits.
    pub fn decide(mut self, splits_max: u32) -> Answer {
        let mut splits = splits_max;
        self.search(1, &mut splits)
    }

    fn search(&mut self, level: u32, splits: &mut u32) -> Answer {
        if !self.check() {
            return Answer::Refuted(self.refutation.take().expect("a failed check leaves a refutation"));
        }
        // What the values satisfy needs no split now, but may later.
        if let Some(at) = self.unsatisfied() {
            let (cases, part) = self.disjunctions.remove(at);
            return self.split(&cases, part, level, splits);
        }
        if let Some(refutation) = self.indivisible() {
            return Answer::Refuted(refutation);
        }
        let fraction = (0..self.integers.len())
            .find(|&column| self.integers[column] && !self.simplex.value(column as Column).real.is_integer());
        match fraction {
            None => Answer::Model(self.model()),
            Some(column) => {
                let value = &self.simplex.value(column as Column).real;
                let terms = |sign: i128| vec![(column as Column, Rational::integer(sign))];
                let atom = |terms, constant| {
                    Condition::Atom(Arc::new(Inequality { terms, constant, relation: Relation::AtMost }))
                };
                let cases = [atom(terms(1), value.floor().negated()), atom(terms(-1), value.ceiling())];
                self.split(&cases, self.owners[column], level, splits)
            }
        }
    }

    /// The disjunction to split next: of those that the values violate, the first with the fewest cases.
    fn unsatisfied(&self) -> Option<usize> {
        let violated = |(cases, _): &(Arc<Vec<Condition>>, Part)| !cases.iter().any(|case| case.holds(&self.simplex));
        let violated = self.disjunctions.iter().enumerate().filter(|(_, disjunction)| violated(disjunction));
        violated.min_by_key(|(_, (cases, _))| cases.len()).map(|(at, _)| at)
    }

    fn split(&mut self, cases: &[Condition], part: Part, level: u32, splits: &mut u32) -> Answer {
        if *splits == 0 {
            return Answer::GaveUp;
        }
        *splits -= 1;
        let mut refutations = Vec::with_capacity(cases.len());
        let mut gave_up = false;
        for case in cases {
            let mut inner = self.clone();
            inner.assert_at(case, part, level);
            match inner.search(level + 1, splits) {
                Answer::Refuted(refutation) if !refutation.uses_level(level) => return Answer::Refuted(refutation),
                Answer::Refuted(refutation) => refutations.push(refutation),
                Answer::GaveUp => gave_up = true,
                model => return model,
            }
        }
        if gave_up { Answer::GaveUp } else { Answer::Refuted(Refutation::Split { part, cases: refutations }) }
    }

    /// Rows of integers whose columns that can move only move in steps that miss every solution.
    fn indivisible(&self) -> Option<Refutation> {
        let is_integer = |column: Column| self.integers.get(column as usize).copied().unwrap_or(false);
        'rows: for (basic, terms) in self.simplex.rows() {
            // Slack columns are sums of variables; a row of them is looked at only where all are fixed or variables.
            let mut all: Vec<(Column, Rational)> = terms.to_vec();
            all.push((basic, Rational::integer(-1)));
            let mut constant = Rational::ZERO;
            let mut free = Vec::new();
            let mut fixed = Vec::new();
            for (column, factor) in &all {
                match self.simplex.fixed(*column) {
                    Some(value) if value.infinitesimal.is_zero() => {
                        constant = constant.plus_product(factor, &value.real);
                        fixed.push(*column);
                    }
                    _ if is_integer(*column) => free.push(factor),
                    _ => continue 'rows,
                }
            }
            if free.is_empty() {
                continue;
            }
            let scale = Rational::common_denominator(free.iter().copied());
            let mut divisor = 0;
            for factor in free {
                let Some(value) = factor.times(&scale).to_integer() else { continue 'rows };
                divisor = gcd_of(divisor, value);
            }
            if !constant.times(&scale).divided_by(&Rational::integer(divisor)).is_integer() {
                let reasons: BTreeSet<u32> = fixed.iter().flat_map(|column| self.simplex.reasons(*column)).collect();
                let premises = reasons.into_iter().map(|reason| self.premises[reason as usize].clone());
                return Some(Refutation::Divisibility(premises.collect()));
            }
        }
        None
    }

    /// The values as numbers: the infinitesimal is made small enough that everything strict stays strict.
    fn model(&self) -> Vec<Rational> {
        let mut epsilon = Rational::ONE;
        for column in 0..self.simplex.columns() as Column {
            let value = self.simplex.value(column);
            let mut shrink = |low: &Value, high: &Value| {
                if low.real < high.real && low.infinitesimal > high.infinitesimal {
                    let room = high.real.minus(&low.real).divided_by(&low.infinitesimal.minus(&high.infinitesimal));
                    if room < epsilon {
                        epsilon = room;
                    }
                }
            };
            if let Some(lower) = self.simplex.lower_bound(column) {
                shrink(lower, value);
            }
            if let Some(upper) = self.simplex.upper_bound(column) {
                shrink(value, upper);
            }
        }
        // Disjunctions that the values satisfied without being asserted leave room for half, and for less.
        let mut tries = 0;
        loop {
            let model: Vec<Rational> = (0..self.integers.len() as Column)
                .map(|column| {
                    let value = self.simplex.value(column);
                    value.real.plus_product(&epsilon, &value.infinitesimal)
                })
                .collect();
            let holds = |case: &Condition| holds_for(case, &model);
            tries += 1;
            if tries == 64 || self.disjunctions.iter().all(|(cases, _)| cases.iter().any(holds)) {
                return model;
            }
            epsilon = epsilon.times(&Rational::ratio(1, 2));
        }
    }
}

pub(crate) fn holds_for(condition: &Condition, model: &[Rational]) -> bool {
    match condition {
        Condition::All(parts) => parts.iter().all(|part| holds_for(part, model)),
        Condition::Any(parts) => parts.iter().any(|part| holds_for(part, model)),
        Condition::Atom(inequality) => {
            let mut value = inequality.constant.clone();
            for (column, factor) in &inequality.terms {
                value = value.plus_product(factor, &model[*column as usize]);
            }
            match inequality.relation {
                Relation::AtMost => !value.is_positive(),
                Relation::Below => value.is_negative(),
                Relation::Equal => value.is_zero(),
            }
        }
    }
}

fn gcd_of(a: i128, b: i128) -> i128 {
    crate::rational::gcd(a.unsigned_abs(), b.unsigned_abs()) as i128
}
