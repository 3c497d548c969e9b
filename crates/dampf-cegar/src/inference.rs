//! Invariants of locations from the program alone: what helps when refinement unrolls a loop without end.
//!
//! Two analyses, each by asking for a state that is reached and not yet described, and widening the description to it.
//! The first describes locations by equations (affine hulls); it ends by itself, since each new point takes an equation
//! away. The second bounds linear forms: variables, their sums and differences, and whatever forms guards and
//! predicates have. A bound that keeps growing jumps to the next constant that the program or a predicate compares this
//! form with, and then to infinity, so that it ends, too.
//!
//! What is found is inductive when no question for a further state has a model. Effort is counted in questions and
//! conflicts. All of it happens in one place and in one order: the facts are a function of system and predicates.

use crate::abstraction::Abstraction;
use crate::affine::AffineHull;
use crate::cases::Columns;
use crate::decide::{Answer, Question};
use crate::formula::Formula;
use crate::linear::{Constraint, Linear, Relation, Symbol};
use crate::patience::Patience;
use crate::rational::Rational;
use crate::system::{LocationId, Sort, System, TransitionId};
use std::collections::{BTreeMap, BTreeSet};

/// Locations with more variables are described by the forms of guards and predicates only.
const PAIRED_VARIABLES_MAX: usize = 12;

/// Forms of one location.
const FORMS_MAX: usize = 400;

/// Questions of one inference, fewer if relations are large, and conflicts of one question.
const QUESTIONS_MAX: usize = 3_000;
const QUESTIONS_ATOMS_MAX: usize = 300_000;
const CONFLICTS_MAX: u32 = 500;

/// A bound may grow so often before it jumps.
const GROWTHS_MAX: u32 = 3;

/// A linear form over the variables of a location.
pub(crate) type Form = Vec<(u32, i128)>;

#[derive(Clone, Debug)]
struct Bound {
    /// None is infinity.
    value: Option<Rational>,
    growths: u32,
}

struct Description {
    hull: AffineHull,
    /// Sorted; each is bounded from above.
    forms: Vec<Form>,
    /// By form, constants that it is compared with.
    thresholds: Vec<BTreeSet<i128>>,
    /// None until the location is reached.
    bounds: Option<Vec<Bound>>,
}

/// Facts of all locations; none if the effort did not suffice.
pub fn infer(system: &System, abstraction: &Abstraction, patience: Patience<'_>) -> Option<Vec<Formula>> {
    let mut atoms = 0;
    for transition in &system.transitions {
        visit_atoms(&transition.relation, &mut |_| atoms += 1);
    }
    let mut inference = Inference {
        system,
        columns: system.transitions.iter().map(|transition| Columns::of(system, transition)).collect(),
        bases: Vec::new(),
        descriptions: describe(system, abstraction),
        questions: QUESTIONS_MAX.min(QUESTIONS_ATOMS_MAX / atoms.max(1)),
        patience,
    };
    inference.bases = system.transition_ids().map(|id| inference.base(id)).collect();
    inference.run(Inference::next_point)?;
    inference.run(Inference::next_bounds)?;
    Some((0..system.locations.len()).map(|at| inference.fact(LocationId(at as u32))).collect())
}

struct Inference<'s> {
    system: &'s System,
    columns: Vec<Columns>,
    bases: Vec<Question>,
    descriptions: Vec<Description>,
    questions: usize,
    patience: Patience<'s>,
}

impl Inference<'_> {
    fn base(&self, id: TransitionId) -> Question {
        let columns = &self.columns[id.0 as usize];
        let mut question = columns.question();
        question.assert(&columns.condition(&self.system.transition(id).relation), 0);
        question.check();
        question
    }

    /// Takes each transition in turn as long as it leads to something new, until none does.
    fn run(&mut self, next: impl Fn(&mut Self, TransitionId) -> Option<bool>) -> Option<()> {
        loop {
            let mut is_new = false;
            for id in self.system.transition_ids() {
                while next(self, id)? {
                    is_new = true;
                    if self.system.transition(id).from == self.system.initial && self.is_exhausted() {
                        return None;
                    }
                }
            }
            if !is_new {
                return Some(());
            }
        }
    }

    fn is_exhausted(&self) -> bool {
        self.questions == 0 || self.patience.is_over()
    }

    /// A state behind a transition from a described state that satisfies a formula. None if the effort is spent.
    fn ask(&mut self, id: TransitionId, from: &Formula, outside: &Formula) -> Option<Option<Vec<Rational>>> {
        if self.is_exhausted() {
            return None;
        }
        self.questions -= 1;
        let columns = &self.columns[id.0 as usize];
        let transition = self.system.transition(id);
        let mut question = self.bases[id.0 as usize].clone();
        question.assert(&columns.condition(from), 0);
        question.assert(&columns.condition_after(outside), 0);
        match question.decide(CONFLICTS_MAX, self.patience) {
            Answer::Refuted(_) => Some(None),
            Answer::GaveUp => None,
            Answer::Model(model) => {
                let first = self.system.location(transition.from).variables.len();
                let count = self.system.location(transition.to).variables.len();
                Some(Some(model[first..first + count].to_vec()))
            }
        }
    }

    fn equations(&self, location: LocationId) -> Vec<Linear> {
        let hull = &self.descriptions[location.0 as usize].hull;
        hull.equations().iter().filter_map(|equation| linear(equation)).collect()
    }

    fn is_reached(&self, location: LocationId) -> bool {
        location == self.system.initial || !self.descriptions[location.0 as usize].hull.is_empty()
    }

    /// Looks for a point outside of the hull of a transition's target.
    fn next_point(&mut self, id: TransitionId) -> Option<bool> {
        let (from, to) = (self.system.transition(id).from, self.system.transition(id).to);
        if !self.is_reached(from) || to == self.system.error {
            return Some(false);
        }
        let outside = match self.is_reached(to) {
            false => Formula::True,
            true => Formula::or(self.equations(to).into_iter().flat_map(|equation| {
                let opposite = equation.times(-1).unwrap_or_default();
                [Formula::atom(equation, Relation::Below), Formula::atom(opposite, Relation::Below)]
            })),
        };
        let known = self.equations(from).into_iter().map(|equation| Formula::atom(equation, Relation::Equal));
        let known = Formula::and(known);
        match self.ask(id, &known, &outside)? {
            None => Some(false),
            Some(point) => {
                self.descriptions[to.0 as usize].hull.add(point);
                Some(true)
            }
        }
    }

    /// What is known of a location: equations and bounds.
    fn known(&self, location: LocationId) -> Formula {
        let equations = self.equations(location).into_iter().map(|sum| Formula::atom(sum, Relation::Equal));
        let description = &self.descriptions[location.0 as usize];
        let bounds = description.bounds.iter().flat_map(|bounds| description.forms.iter().zip(bounds));
        let bounds = bounds.filter_map(|(form, bound)| at_most(form, bound.value.as_ref()?));
        Formula::and(equations.chain(bounds))
    }

    fn is_bounded(&self, location: LocationId) -> bool {
        location == self.system.initial || self.descriptions[location.0 as usize].bounds.is_some()
    }

    /// Looks for a state outside of the bounds of a transition's target.
    fn next_bounds(&mut self, id: TransitionId) -> Option<bool> {
        let (from, to) = (self.system.transition(id).from, self.system.transition(id).to);
        if !self.is_bounded(from) || to == self.system.error {
            return Some(false);
        }
        let description = &self.descriptions[to.0 as usize];
        let outside = match &description.bounds {
            None => Formula::True,
            Some(bounds) => {
                let bounds = description.forms.iter().zip(bounds);
                let inside = bounds.filter_map(|(form, bound)| at_most(form, bound.value.as_ref()?));
                Formula::or(inside.filter_map(|bound| bound.negated().ok()))
            }
        };
        let known = self.known(from);
        match self.ask(id, &known, &outside)? {
            None => Some(false),
            Some(state) => {
                self.descriptions[to.0 as usize].widen(&state);
                Some(true)
            }
        }
    }

    /// The description of a location as a formula, without bounds that follow from the rest.
    fn fact(&self, location: LocationId) -> Formula {
        let description = &self.descriptions[location.0 as usize];
        if location == self.system.initial || location == self.system.error {
            return Formula::True;
        }
        if description.bounds.is_none() {
            return Formula::False;
        }
        let mut conjuncts = match self.known(location) {
            Formula::And(parts) => parts,
            other => vec![other],
        };
        let variables = &self.system.location(location).variables;
        let is_integer = |column: u32| variables[column as usize].sort != Sort::Real;
        let condition = |formula: &Formula| {
            let column = |symbol: Symbol| match symbol {
                Symbol::Before(index) => index,
                other => unreachable!("{other:?} in a formula about one location"),
            };
            crate::inequality::Condition::of(formula, &mut { column }, &is_integer)
        };
        // Complicated forms go first, so that bounds of variables stay.
        let mut at = conjuncts.len();
        while at > 0 {
            at -= 1;
            let is_equation = matches!(&conjuncts[at], Formula::Atom(atom) if atom.relation() == Relation::Equal);
            let Ok(negated) = conjuncts[at].negated() else { continue };
            if is_equation {
                continue;
            }
            let mut question = Question::default();
            for variable in variables {
                question.add_variable(variable.sort != Sort::Real, 0);
            }
            for (index, other) in conjuncts.iter().enumerate() {
                if index != at {
                    question.assert(&condition(other), 0);
                }
            }
            question.assert(&condition(&negated), 0);
            if !question.check() {
                conjuncts.remove(at);
            }
        }
        Formula::and(conjuncts)
    }
}

impl Description {
    /// Takes a state in: bounds that it exceeds grow, or jump if they have grown often.
    fn widen(&mut self, state: &[Rational]) {
        let values = self.forms.iter().map(|form| {
            form.iter().fold(Rational::ZERO, |sum, &(variable, factor)| {
                sum.plus_product(&Rational::integer(factor), &state[variable as usize])
            })
        });
        let Some(bounds) = &mut self.bounds else {
            self.bounds = Some(values.map(|value| Bound { value: Some(value), growths: 0 }).collect());
            return;
        };
        for ((bound, value), thresholds) in bounds.iter_mut().zip(values).zip(&self.thresholds) {
            if bound.value.as_ref().is_some_and(|bound| *bound < value) {
                bound.growths += 1;
                bound.value = match bound.growths > GROWTHS_MAX {
                    false => Some(value),
                    true => {
                        let mut above = thresholds.iter().map(|&constant| Rational::integer(constant));
                        above.find(|constant| *constant >= value)
                    }
                };
            }
        }
    }
}

/// `form <= bound`; none where that leaves 128 bits.
pub(crate) fn at_most(form: &Form, bound: &Rational) -> Option<Formula> {
    let (numerator, denominator) = bound.parts()?;
    let mut sum = Linear::constant(numerator.checked_neg()?);
    for &(variable, factor) in form {
        sum = sum.plus(factor.checked_mul(denominator)?, &Linear::symbol(Symbol::Before(variable))).ok()?;
    }
    Some(Formula::atom(sum, Relation::AtMost))
}

/// An equation with integer coefficients.
fn linear(equation: &[Rational]) -> Option<Linear> {
    let factor = Rational::common_denominator(equation);
    let (constant, coefficients) = equation.split_last()?;
    let mut sum = Linear::constant(constant.times(&factor).to_integer()?);
    for (index, value) in coefficients.iter().enumerate() {
        let symbol = Linear::symbol(Symbol::Before(index as u32));
        sum = sum.plus(value.times(&factor).to_integer()?, &symbol).ok()?;
    }
    Some(sum)
}

/// The descriptions of all locations, of which nothing is known yet.
fn describe(system: &System, abstraction: &Abstraction) -> Vec<Description> {
    let describe = |at: usize| {
        let forms = compared_forms(system, abstraction, LocationId(at as u32), FORMS_MAX);
        let (forms, thresholds) = forms.into_iter().unzip();
        Description { hull: AffineHull::default(), forms, thresholds, bounds: None }
    };
    (0..system.locations.len()).map(describe).collect()
}

/// The forms that matter at a location: variables, their sums and differences, and those of guards and predicates.
pub(crate) fn forms_of(
    system: &System,
    abstraction: &Abstraction,
    location: LocationId,
    forms_max: usize,
) -> Vec<Form> {
    compared_forms(system, abstraction, location, forms_max).into_iter().map(|(form, _)| form).collect()
}

/// Forms with the constants that they are compared with.
fn compared_forms(
    system: &System,
    abstraction: &Abstraction,
    location: LocationId,
    forms_max: usize,
) -> Vec<(Form, BTreeSet<i128>)> {
    let mut forms: BTreeMap<Form, BTreeSet<i128>> = BTreeMap::new();
    for transition in &system.transitions {
        for (end, is_before) in [(transition.from, true), (transition.to, false)] {
            if end == location {
                visit_atoms(&transition.relation, &mut |constraint| compare(&mut forms, constraint, is_before));
            }
        }
    }
    for predicate in abstraction.predicates(location) {
        visit_atoms(predicate, &mut |constraint| compare(&mut forms, constraint, true));
    }
    let count = system.location(location).variables.len();
    for one in 0..count as u32 {
        forms.entry(vec![(one, 1)]).or_default();
        forms.entry(vec![(one, -1)]).or_default();
        let others = if count > PAIRED_VARIABLES_MAX { 0..0 } else { one + 1..count as u32 };
        for other in others {
            for (first, second) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                forms.entry(vec![(one, first), (other, second)]).or_default();
            }
        }
    }
    // Short forms first: what is left out when there are too many is long.
    let mut forms: Vec<_> = forms.into_iter().collect();
    forms.sort_by_key(|(form, _)| form.len());
    forms.truncate(forms_max);
    forms
}

fn visit_atoms(formula: &Formula, visit: &mut impl FnMut(&Constraint)) {
    match formula {
        Formula::True | Formula::False => {}
        Formula::Atom(constraint) => visit(constraint),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| visit_atoms(part, visit)),
    }
}

/// The form of a constraint that speaks only of one side of a transition.
fn form_of(constraint: &Constraint, is_before: bool) -> Option<Form> {
    let index = |symbol: Symbol| match symbol {
        Symbol::Before(index) if is_before => Some(index),
        Symbol::After(index) if !is_before => Some(index),
        _ => None,
    };
    let terms = constraint.sum().terms().iter().map(|&(symbol, factor)| Some((index(symbol)?, factor)));
    terms.collect()
}

/// Notes that a form is compared with a constant, and its converse too.
fn compare(forms: &mut BTreeMap<Form, BTreeSet<i128>>, constraint: &Constraint, is_before: bool) {
    let Some(form) = form_of(constraint, is_before) else { return };
    let divisor = form.iter().fold(0, |divisor, &(_, factor)| crate::rational::gcd(divisor, factor.unsigned_abs()));
    let Some(divisor) = i128::try_from(divisor).ok().filter(|divisor| *divisor > 0) else { return };
    let form: Form = form.into_iter().map(|(variable, factor)| (variable, factor / divisor)).collect();
    let constant = -(constraint.sum().constant_part() / divisor).clamp(-(1 << 100), 1 << 100);
    let converse: Form = form.iter().map(|&(variable, factor)| (variable, -factor)).collect();
    forms.entry(form).or_default().extend([constant - 1, constant, constant + 1]);
    forms.entry(converse).or_default().extend([-constant - 1, -constant, -constant + 1]);
}
