//! Decides conjunctions of formulas: finds a model, or a proof that there is none, or gives up.
//!
//! A search with learnt clauses over the simplex. Formulas have no negation, so that a literal that is true asserts its
//! inequality and one that is false asserts nothing; a disjunction asks for a decision only when the values that the
//! simplex found do not satisfy it already. Integers are split where a value is a fraction, by a clause that holds of
//! every integer. Every choice is determined by the question and by what was asked before: there are no clocks, no
//! addresses, and no order of hashes.
//!
//! Every variable of the search belongs to one part of the question, even if two parts say the same: a proof then
//! resolves on variables of one part each, and interpolants between parts can be read off it.

use crate::inequality::{Condition, Inequality};
use crate::linear::Relation;
use crate::patience::Patience;
use crate::proof::{ClauseId, Derivation, Part, Premise, Proof};
use crate::rational::Rational;
use crate::simplex::{Column, Conflict, Side, Simplex, Value};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Integers are split so often in one search: where there are no bounds, splitting goes on for ever.
const SPLITS_MAX: u32 = 100;

/// A variable of the search.
type Variable = u32;

/// Twice the variable, and one more if it is negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal(u32);

impl Literal {
    fn positive(variable: Variable) -> Literal {
        Literal(variable * 2)
    }

    fn variable(self) -> Variable {
        self.0 / 2
    }

    fn is_negative(self) -> bool {
        self.0 % 2 == 1
    }

    fn negated(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// By column, a value.
    Model(Vec<Rational>),
    Refuted(Proof),
    /// The limit was hit.
    GaveUp,
}

#[derive(Clone, Debug)]
pub enum AssumedAnswer {
    Model(Vec<Rational>),
    /// These assumptions are impossible together.
    Refuted(Vec<Literal>),
    GaveUp,
}

#[derive(Clone)]
enum Meaning {
    Atom(Arc<Inequality>),
    /// Implies a condition, by clauses.
    Definition(Arc<Condition>),
}

#[derive(Clone)]
struct Clause {
    literals: Vec<Literal>,
    /// Whether it says something of the question, and is not learnt.
    is_original: bool,
}

/// A conjunction under construction, and all that was learnt about it.
#[derive(Clone, Default)]
pub struct Question {
    simplex: Simplex,
    /// By column.
    integers: Vec<bool>,
    /// The part to which a split of an integer belongs, by column.
    owners: Vec<Part>,
    meanings: Vec<Meaning>,
    parts: Vec<Part>,
    atoms: HashMap<(Arc<Inequality>, Part), Variable>,
    /// By column of the simplex, the atoms that bound it.
    bounding: HashMap<Column, Vec<(Variable, Side, Value)>>,
    clauses: Vec<Clause>,
    derivations: Vec<Derivation>,
    originals: Vec<ClauseId>,
    watches: Vec<Vec<ClauseId>>,
    values: Vec<Option<bool>>,
    levels: Vec<u32>,
    reasons: Vec<Option<ClauseId>>,
    activities: Vec<f64>,
    bump: f64,
    trail: Vec<Literal>,
    /// By decision level, how long the trail and the bounds of the simplex were before.
    marks: Vec<(usize, usize)>,
    propagated: usize,
    asserted: usize,
    exclusions: HashMap<(Variable, Variable), ClauseId>,
    empty: Option<ClauseId>,
    splits: usize,
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

    fn new_variable(&mut self, meaning: Meaning, part: Part) -> Variable {
        let variable = self.meanings.len() as Variable;
        self.meanings.push(meaning);
        self.parts.push(part);
        self.watches.extend([Vec::new(), Vec::new()]);
        self.values.push(None);
        self.levels.push(0);
        self.reasons.push(None);
        self.activities.push(0.0);
        variable
    }

    fn atom(&mut self, inequality: &Arc<Inequality>, part: Part) -> Variable {
        if let Some(&variable) = self.atoms.get(&(Arc::clone(inequality), part)) {
            return variable;
        }
        let variable = self.new_variable(Meaning::Atom(Arc::clone(inequality)), part);
        self.atoms.insert((Arc::clone(inequality), part), variable);
        if let Some((column, value, scale)) = self.bound(inequality) {
            let bounding = self.bounding.entry(column).or_default();
            if inequality.relation == Relation::Equal || scale.is_positive() {
                bounding.push((variable, Side::Upper, value.clone()));
            }
            if inequality.relation == Relation::Equal || scale.is_negative() {
                bounding.push((variable, Side::Lower, value));
            }
        }
        variable
    }

    /// The column that an inequality bounds, the bound, and its first coefficient, whose sign is the direction.
    fn bound(&mut self, inequality: &Inequality) -> Option<(Column, Value, Rational)> {
        let (_, scale) = inequality.terms.first()?;
        // Forms have a first coefficient of one, so that a constraint and its converse are bounds of one column.
        let inverse = scale.inverse();
        let terms: Vec<_> = inequality.terms.iter().map(|(column, factor)| (*column, factor.times(&inverse))).collect();
        let column = self.simplex.form(&terms);
        let infinitesimal = match inequality.relation {
            Relation::Below => Rational::integer(if scale.is_positive() { -1 } else { 1 }),
            _ => Rational::ZERO,
        };
        let value = Value { real: inequality.constant.times(&inverse).negated(), infinitesimal };
        Some((column, value, scale.clone()))
    }

    /// Asserts a condition. Only between decisions.
    pub fn assert(&mut self, condition: &Condition, part: Part) {
        self.backtrack(0);
        match condition {
            Condition::All(parts) => parts.iter().for_each(|condition| self.assert(condition, part)),
            Condition::Any(cases) => {
                let literals = self.cases(cases, part);
                self.add_original(literals, part);
            }
            Condition::Atom(_) => {
                let literal = self.literal(condition, part);
                self.add_original(vec![literal], part);
            }
        }
    }

    fn cases(&mut self, cases: &[Condition], part: Part) -> Vec<Literal> {
        let mut literals = Vec::with_capacity(cases.len());
        for case in cases {
            match case {
                Condition::Any(inner) => literals.extend(self.cases(inner, part)),
                _ => literals.push(self.literal(case, part)),
            }
        }
        literals.sort_unstable();
        literals.dedup();
        literals
    }

    /// A literal that implies a condition.
    pub fn literal(&mut self, condition: &Condition, part: Part) -> Literal {
        self.backtrack(0);
        match condition {
            Condition::Atom(inequality) => Literal::positive(self.atom(inequality, part)),
            Condition::All(parts) => {
                let literal = self.definition(condition, part);
                for part_of in parts {
                    let implied = self.literal(part_of, part);
                    self.add_original(vec![literal.negated(), implied], part);
                }
                literal
            }
            Condition::Any(cases) => {
                let literal = self.definition(condition, part);
                let mut literals = self.cases(cases, part);
                literals.push(literal.negated());
                self.add_original(literals, part);
                literal
            }
        }
    }

    fn definition(&mut self, condition: &Condition, part: Part) -> Literal {
        Literal::positive(self.new_variable(Meaning::Definition(Arc::new(condition.clone())), part))
    }

    fn add_original(&mut self, literals: Vec<Literal>, part: Part) {
        let id = self.store(literals, true, Derivation::Given(part));
        self.originals.push(id);
        self.attach(id);
    }

    fn store(&mut self, literals: Vec<Literal>, is_original: bool, derivation: Derivation) -> ClauseId {
        self.clauses.push(Clause { literals, is_original });
        self.derivations.push(derivation);
        (self.clauses.len() - 1) as ClauseId
    }

    /// Watches a clause, and propagates it if it has one literal left. At level zero.
    fn attach(&mut self, id: ClauseId) {
        if self.empty.is_some() {
            return;
        }
        // Literals that are not false come first.
        let (values, clause) = (&self.values, &mut self.clauses[id as usize]);
        let is_false = |literal: &Literal| values[literal.variable() as usize] == Some(literal.is_negative());
        clause.literals.sort_by_key(is_false);
        let open = clause.literals.iter().filter(|literal| !is_false(literal)).count();
        let first = clause.literals.first().copied();
        if clause.literals.len() >= 2 {
            let (first, second) = (clause.literals[0], clause.literals[1]);
            self.watches[first.0 as usize].push(id);
            self.watches[second.0 as usize].push(id);
        }
        match (open, first) {
            (0, _) => self.empty = Some(self.resolved_to_nothing(id)),
            (1, Some(first)) if self.value(first).is_none() => self.enqueue(first, Some(id)),
            _ => {}
        }
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        self.values[literal.variable() as usize].map(|value| value != literal.is_negative())
    }

    fn level(&self) -> u32 {
        self.marks.len() as u32
    }

    fn enqueue(&mut self, literal: Literal, reason: Option<ClauseId>) {
        let variable = literal.variable() as usize;
        self.values[variable] = Some(!literal.is_negative());
        self.levels[variable] = self.level();
        self.reasons[variable] = reason;
        self.trail.push(literal);
    }

    fn backtrack(&mut self, level: u32) {
        if self.level() <= level {
            return;
        }
        let (trail, bounds) = self.marks[level as usize];
        self.marks.truncate(level as usize);
        for literal in self.trail.drain(trail..) {
            self.values[literal.variable() as usize] = None;
        }
        self.simplex.backtrack(bounds);
        self.propagated = self.trail.len();
        self.asserted = self.asserted.min(self.trail.len());
    }

    fn new_level(&mut self) {
        self.marks.push((self.trail.len(), self.simplex.mark()));
    }

    /// Propagates clauses and bounds until nothing follows any more, or a clause is violated.
    fn propagate(&mut self) -> Option<ClauseId> {
        loop {
            while self.propagated < self.trail.len() {
                let literal = self.trail[self.propagated];
                self.propagated += 1;
                if let Some(conflict) = self.propagate_literal(literal.negated()) {
                    return Some(conflict);
                }
            }
            if self.asserted == self.trail.len() {
                break;
            }
            while self.asserted < self.trail.len() {
                let literal = self.trail[self.asserted];
                self.asserted += 1;
                if !literal.is_negative()
                    && let Some(conflict) = self.assert_atom(literal.variable())
                {
                    return Some(conflict);
                }
            }
            if self.propagated == self.trail.len() {
                break;
            }
        }
        self.simplex.check().err().map(|conflict| self.lemma(&conflict))
    }

    /// Looks at the clauses that watch a literal that has become false.
    fn propagate_literal(&mut self, falsified: Literal) -> Option<ClauseId> {
        let watching = std::mem::take(&mut self.watches[falsified.0 as usize]);
        let mut kept = Vec::with_capacity(watching.len());
        let mut conflict = None;
        for (at, &id) in watching.iter().enumerate() {
            let literals = &mut self.clauses[id as usize].literals;
            if literals[0] == falsified {
                literals.swap(0, 1);
            }
            let first = literals[0];
            let values = &self.values;
            let value = |literal: Literal| values[literal.variable() as usize].map(|is| is != literal.is_negative());
            if value(first) == Some(true) {
                kept.push(id);
                continue;
            }
            if let Some(other) = (2..literals.len()).find(|&other| value(literals[other]) != Some(false)) {
                literals.swap(1, other);
                let watched = literals[1];
                self.watches[watched.0 as usize].push(id);
                continue;
            }
            kept.push(id);
            if value(first) == Some(false) {
                kept.extend_from_slice(&watching[at + 1..]);
                conflict = Some(id);
                break;
            }
            self.enqueue(first, Some(id));
        }
        self.watches[falsified.0 as usize] = kept;
        conflict
    }

    /// Asserts the inequality of an atom, and excludes atoms that contradict it.
    fn assert_atom(&mut self, variable: Variable) -> Option<ClauseId> {
        let Meaning::Atom(inequality) = &self.meanings[variable as usize] else { return None };
        let inequality = Arc::clone(inequality);
        let Some((column, value, scale)) = self.bound(&inequality) else {
            let is_true = match inequality.relation {
                Relation::AtMost => !inequality.constant.is_positive(),
                Relation::Below => inequality.constant.is_negative(),
                Relation::Equal => inequality.constant.is_zero(),
            };
            let sign = if inequality.constant.is_negative() { Rational::integer(-1) } else { Rational::ONE };
            let premise = self.premise(variable);
            return (!is_true).then(|| {
                let negated = Literal::positive(variable).negated();
                self.store(vec![negated], false, Derivation::Farkas(vec![(premise, sign)]))
            });
        };
        let is_equation = inequality.relation == Relation::Equal;
        if is_equation || scale.is_positive() {
            if let Err(conflict) = self.simplex.assert_upper(column, value.clone(), variable) {
                return Some(self.lemma(&conflict));
            }
            self.exclude(variable, column, Side::Upper, &value);
        }
        if is_equation || scale.is_negative() {
            if let Err(conflict) = self.simplex.assert_lower(column, value.clone(), variable) {
                return Some(self.lemma(&conflict));
            }
            self.exclude(variable, column, Side::Lower, &value);
        }
        None
    }

    /// Makes atoms false that a new bound of their column contradicts.
    fn exclude(&mut self, variable: Variable, column: Column, side: Side, value: &Value) {
        let Some(bounding) = self.bounding.get(&column) else { return };
        let mut excluded = Vec::new();
        for (other, other_side, bound) in bounding {
            let contradicts = match (side, other_side) {
                (Side::Upper, Side::Lower) => bound > value,
                (Side::Lower, Side::Upper) => bound < value,
                _ => false,
            };
            if contradicts && self.values[*other as usize].is_none() {
                excluded.push((*other, *other_side));
            }
        }
        for (other, other_side) in excluded {
            if self.values[other as usize].is_some() {
                continue;
            }
            let id = match self.exclusions.get(&(variable, other)) {
                Some(&id) => id,
                None => {
                    let conflict = vec![(variable, side, Rational::ONE), (other, other_side, Rational::ONE)];
                    let id = self.lemma(&conflict);
                    self.exclusions.insert((variable, other), id);
                    id
                }
            };
            self.enqueue(Literal::positive(other).negated(), Some(id));
        }
    }

    fn premise(&self, variable: Variable) -> Premise {
        match &self.meanings[variable as usize] {
            Meaning::Atom(inequality) => {
                Premise { inequality: Arc::clone(inequality), part: self.parts[variable as usize] }
            }
            Meaning::Definition(_) => unreachable!("definitions bound nothing"),
        }
    }

    /// The clause that a conflict of bounds proves.
    fn lemma(&mut self, conflict: &Conflict) -> ClauseId {
        let mut premises: Vec<(Premise, Rational)> = Vec::with_capacity(conflict.len());
        let mut literals = Vec::with_capacity(conflict.len());
        for (variable, side, factor) in conflict {
            let premise = self.premise(*variable);
            let factor = factor.divided_by(&premise.inequality.terms[0].1);
            premises.push((premise, if *side == Side::Upper { factor } else { factor.negated() }));
            literals.push(Literal::positive(*variable).negated());
        }
        literals.sort_unstable();
        literals.dedup();
        self.store(literals, false, Derivation::Farkas(premises))
    }

    /// Whether fractions are possible, as far as no decisions are needed to see it.
    pub fn check(&mut self) -> bool {
        self.backtrack(0);
        if self.empty.is_none()
            && let Some(conflict) = self.propagate()
        {
            self.empty = Some(self.resolved_to_nothing(conflict));
        }
        self.empty.is_none()
    }

    /// After a failed check of inequalities without disjunctions: those that contradict each other, with factors.
    pub fn certificate(&self) -> Option<Vec<(Premise, Rational)>> {
        let Derivation::Resolved { first, steps } = &self.derivations[self.empty? as usize] else { return None };
        let clauses = [*first].into_iter().chain(steps.iter().map(|(_, clause)| *clause));
        clauses.into_iter().find_map(|id| match &self.derivations[id as usize] {
            Derivation::Farkas(premises) => Some(premises.clone()),
            _ => None,
        })
    }

    /// The supremum of a form over all fractions, disjunctions aside, after a successful check.
    pub fn maximise(&mut self, terms: &[(Column, Rational)]) -> Option<Value> {
        let column = self.simplex.form(terms);
        self.simplex.maximise(column)
    }

    /// Decides, with at most so many conflicts and splits of integers.
    pub fn decide(mut self, conflicts_max: u32, patience: Patience<'_>) -> Answer {
        match self.decide_assuming(&[], conflicts_max, patience) {
            AssumedAnswer::Model(model) => Answer::Model(model),
            AssumedAnswer::GaveUp => Answer::GaveUp,
            AssumedAnswer::Refuted(_) => {
                let root = self.empty.expect("without assumptions, a refutation is of the question itself");
                Answer::Refuted(Proof { derivations: self.derivations, parts: self.parts, root })
            }
        }
    }

    /// Decides under assumptions, and keeps what was learnt.
    pub fn decide_assuming(
        &mut self,
        assumptions: &[Literal],
        conflicts_max: u32,
        patience: Patience<'_>,
    ) -> AssumedAnswer {
        self.backtrack(0);
        self.bump = 1.0;
        let (mut left, mut splits) = (conflicts_max, 0);
        loop {
            if self.empty.is_some() {
                return AssumedAnswer::Refuted(Vec::new());
            }
            if let Some(conflict) = self.propagate() {
                // Clocks are looked at rarely: they are slow.
                if left == 0 || left.is_multiple_of(64) && patience.is_over() {
                    return AssumedAnswer::GaveUp;
                }
                left -= 1;
                self.learn(conflict);
                continue;
            }
            if let Some(&assumption) = assumptions.get(self.level() as usize) {
                match self.value(assumption) {
                    Some(false) => return AssumedAnswer::Refuted(self.core(assumption)),
                    value => {
                        self.new_level();
                        if value.is_none() {
                            self.enqueue(assumption, None);
                        }
                    }
                }
                continue;
            }
            if let Some(decision) = self.decision() {
                self.new_level();
                self.enqueue(decision, None);
                continue;
            }
            if let Some(conflict) = self.indivisible() {
                if left == 0 {
                    return AssumedAnswer::GaveUp;
                }
                left -= 1;
                self.learn(conflict);
                continue;
            }
            let fraction = (0..self.integers.len())
                .find(|&column| self.integers[column] && !self.simplex.value(column as Column).real.is_integer());
            let Some(column) = fraction else { return AssumedAnswer::Model(self.model()) };
            if left == 0 || splits == SPLITS_MAX {
                return AssumedAnswer::GaveUp;
            }
            left -= 1;
            splits += 1;
            self.split(column as Column);
        }
    }

    /// How many splits of integers it has kept.
    pub fn splits(&self) -> usize {
        self.splits
    }

    /// Adds that an integer is on one side of its value or on the other.
    fn split(&mut self, column: Column) {
        self.splits += 1;
        let value = self.simplex.value(column).real.clone();
        let part = self.owners[column as usize];
        self.backtrack(0);
        let atom = |sign: i128, constant: Rational| {
            let terms = vec![(column, Rational::integer(sign))];
            Condition::Atom(Arc::new(Inequality { terms, constant, relation: Relation::AtMost }))
        };
        let cases = [atom(1, value.floor().negated()), atom(-1, value.ceiling())];
        let literals = self.cases(&cases, part);
        self.add_original(literals, part);
    }

    /// A literal of the first clause that nothing satisfies: the one with the most conflicts of late.
    fn decision(&self) -> Option<Literal> {
        'clauses: for &id in &self.originals {
            let clause = &self.clauses[id as usize];
            debug_assert!(clause.is_original);
            let mut best: Option<(f64, Literal)> = None;
            for &literal in &clause.literals {
                match self.value(literal) {
                    Some(true) => continue 'clauses,
                    Some(false) => {}
                    None if literal.is_negative() || self.holds(literal.variable()) => continue 'clauses,
                    None => {
                        let activity = self.activities[literal.variable() as usize];
                        let is_better =
                            best.is_none_or(|(most, first)| activity > most || activity == most && literal < first);
                        if is_better {
                            best = Some((activity, literal));
                        }
                    }
                }
            }
            return best.map(|(_, literal)| literal);
        }
        None
    }

    /// Whether the values of the simplex satisfy what a variable stands for.
    fn holds(&self, variable: Variable) -> bool {
        match &self.meanings[variable as usize] {
            Meaning::Atom(inequality) => inequality.holds(&self.simplex),
            Meaning::Definition(condition) => condition.holds(&self.simplex),
        }
    }

    /// Learns the clause of the first unique implication point, and goes back to where it propagates.
    fn learn(&mut self, conflict: ClauseId) {
        let deepest = |question: &Question, id: ClauseId| {
            let literals = &question.clauses[id as usize].literals;
            literals.iter().map(|literal| question.levels[literal.variable() as usize]).max().unwrap_or(0)
        };
        // A conflict of bounds may be older than the last decision.
        self.backtrack(deepest(self, conflict));
        if self.level() == 0 {
            self.empty = Some(self.resolved_to_nothing(conflict));
            return;
        }
        let level = self.level();
        let mut steps = Vec::new();
        let mut seen: BTreeSet<Variable> = BTreeSet::new();
        let mut learnt: Vec<Literal> = Vec::new();
        let mut open = 0;
        let mut clause = conflict;
        let mut at = self.trail.len();
        let mut zero: BTreeSet<usize> = BTreeSet::new();
        let point = loop {
            for index in 0..self.clauses[clause as usize].literals.len() {
                let literal = self.clauses[clause as usize].literals[index];
                let variable = literal.variable();
                if self.value(literal) == Some(true) || !seen.insert(variable) {
                    continue;
                }
                self.activities[variable as usize] += self.bump;
                match self.levels[variable as usize] {
                    0 => {
                        zero.insert(variable as usize);
                    }
                    deep if deep == level => open += 1,
                    _ => learnt.push(literal),
                }
            }
            let literal = loop {
                at -= 1;
                let literal = self.trail[at];
                if seen.contains(&literal.variable()) && self.levels[literal.variable() as usize] == level {
                    break literal;
                }
            };
            open -= 1;
            if open == 0 {
                break literal;
            }
            clause = self.reasons[literal.variable() as usize].expect("only the first of a level has no reason");
            steps.push((literal.variable(), clause));
        };
        self.resolve_level_zero(zero, &mut steps);
        self.bump *= 1.05;
        if self.bump > 1e100 {
            self.activities.iter_mut().for_each(|activity| *activity *= 1e-100);
            self.bump *= 1e-100;
        }
        let back = learnt.iter().map(|literal| self.levels[literal.variable() as usize]).max().unwrap_or(0);
        learnt.sort_unstable_by_key(|literal| (std::cmp::Reverse(self.levels[literal.variable() as usize]), *literal));
        learnt.insert(0, point.negated());
        let id = self.store(learnt, false, Derivation::Resolved { first: conflict, steps });
        self.backtrack(back);
        let literals = &self.clauses[id as usize].literals;
        if literals.len() >= 2 {
            let (first, second) = (literals[0], literals[1]);
            self.watches[first.0 as usize].push(id);
            self.watches[second.0 as usize].push(id);
        }
        self.enqueue(point.negated(), Some(id));
    }

    /// Resolves away what is false at level zero, last first.
    fn resolve_level_zero(&self, mut open: BTreeSet<usize>, steps: &mut Vec<(Variable, ClauseId)>) {
        if open.is_empty() {
            return;
        }
        let end = self.marks.first().map_or(self.trail.len(), |&(trail, _)| trail);
        for literal in self.trail[..end].iter().rev() {
            let variable = literal.variable();
            if open.remove(&(variable as usize)) {
                let reason = self.reasons[variable as usize].expect("at level zero everything has a reason");
                steps.push((variable, reason));
                for other in &self.clauses[reason as usize].literals {
                    if other.variable() != variable {
                        open.insert(other.variable() as usize);
                    }
                }
            }
        }
    }

    /// The empty clause, from one that is false at level zero.
    fn resolved_to_nothing(&mut self, id: ClauseId) -> ClauseId {
        let open = self.clauses[id as usize].literals.iter().map(|literal| literal.variable() as usize).collect();
        let mut steps = Vec::new();
        self.resolve_level_zero(open, &mut steps);
        self.store(Vec::new(), false, Derivation::Resolved { first: id, steps })
    }

    /// The assumptions that make one of them false, this one included.
    fn core(&self, falsified: Literal) -> Vec<Literal> {
        let mut core = vec![falsified];
        let mut open = BTreeSet::from([falsified.variable()]);
        let end = self.marks.first().map_or(self.trail.len(), |&(trail, _)| trail);
        for &literal in self.trail[end..].iter().rev() {
            if !open.remove(&literal.variable()) {
                continue;
            }
            match self.reasons[literal.variable() as usize] {
                None => core.push(literal),
                Some(reason) => {
                    let literals = self.clauses[reason as usize].literals.iter();
                    open.extend(literals.map(|other| other.variable()).filter(|&other| other != literal.variable()));
                }
            }
        }
        core
    }

    /// A row of integers whose columns that can move only move in steps that miss every solution.
    fn indivisible(&mut self) -> Option<ClauseId> {
        let is_integer = |column: Column| self.integers.get(column as usize).copied().unwrap_or(false);
        let mut found = None;
        'rows: for (basic, terms) in self.simplex.rows() {
            let one = Rational::integer(-1);
            let all = terms.iter().map(|(column, factor)| (*column, factor)).chain([(basic, &one)]);
            let mut constant = Rational::ZERO;
            let mut free = Vec::new();
            let mut fixed = Vec::new();
            for (column, factor) in all {
                match self.simplex.fixed(column) {
                    Some(value) if value.infinitesimal.is_zero() => {
                        constant = constant.plus_product(factor, &value.real);
                        fixed.push(column);
                    }
                    _ if is_integer(column) => free.push(factor.clone()),
                    _ => continue 'rows,
                }
            }
            if free.is_empty() {
                continue;
            }
            let scale = Rational::common_denominator(&free);
            let mut divisor = 0;
            for factor in free {
                let Some(value) = factor.times(&scale).to_integer() else { continue 'rows };
                divisor = crate::rational::gcd(divisor, value.unsigned_abs());
            }
            let divisor = Rational::integer(i128::try_from(divisor).unwrap_or(1));
            if !constant.times(&scale).divided_by(&divisor).is_integer() {
                found = Some(fixed.iter().flat_map(|column| self.simplex.reasons(*column)).collect::<BTreeSet<_>>());
                break;
            }
        }
        let reasons = found?;
        let literals = reasons.iter().map(|&variable| Literal::positive(variable).negated()).collect();
        Some(self.store(literals, false, Derivation::Divisibility))
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
        let has_infinitesimals =
            (0..self.integers.len() as Column).any(|column| !self.simplex.value(column).infinitesimal.is_zero());
        // What the values satisfied without being asserted may need a smaller one.
        let mut tries = 0;
        loop {
            let model: Vec<Rational> = (0..self.integers.len() as Column)
                .map(|column| {
                    let value = self.simplex.value(column);
                    value.real.plus_product(&epsilon, &value.infinitesimal)
                })
                .collect();
            tries += 1;
            if !has_infinitesimals || tries == 64 || self.satisfies_all(&model) {
                return model;
            }
            epsilon = epsilon.times(&Rational::ratio(1, 2));
        }
    }

    fn satisfies_all(&self, model: &[Rational]) -> bool {
        let holds = |literal: &Literal| match &self.meanings[literal.variable() as usize] {
            _ if literal.is_negative() => self.value(*literal) != Some(false),
            Meaning::Atom(inequality) => inequality.holds_for(model),
            Meaning::Definition(condition) => condition.holds_for(model),
        };
        self.originals.iter().all(|&id| self.clauses[id as usize].literals.iter().any(holds))
    }
}
