//! How many steps may be left to a violated check, computed from the program's own expressions.
//!
//! *By formula* (as in HSF-Spin, Edelkamp, Lluch Lafuente and Leue): how far a condition is from being true, or false,
//! over its tree. Of a conjunction that is to become true all parts count, of a disjunction the nearest; comparisons
//! count by the difference of their sides; a process that has to be in a location counts by the transitions on the way
//! there, whatever their guards say. An assertion within a step counts by the way to that step, too. That is a guess.
//!
//! *By a bound*: never more than the steps that are left to a violated check or assertion. Of parts that all have to
//! become true the farthest counts, since a step may change several; differences are divided by what a step can change
//! of them at most (`rates.rs`), and where nothing is known of that, a step is taken to change everything.

use crate::interpreter::Interpreter;
use crate::ir::{BinaryOp, Effect, Expr, LocationId, ProcessId, Program, UnaryOp};
use crate::model::GclModel;
use crate::patterns::{Counted, PatternDatabase};
use crate::rates::Rates;
use dampf_core::{FaultKind, Word};
use std::sync::OnceLock;

/// Farther than any error: what cannot be reached. Sums of such distances do not overflow.
pub const FAR: u32 = 1 << 24;

/// What a model of guarded commands can be asked to estimate by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Estimate {
    /// The value of one of the program's estimates. A negative one is 0.
    Value(usize),
    /// How far checks and assertions are from failing, as far as one can guess.
    Formula,
    /// The same, never too much.
    FormulaBound,
    /// The greatest of the distances in abstractions to some sections each: processes, variables, channels. Without
    /// any, the model chooses.
    Patterns { patterns: Vec<Vec<String>>, counted: Counted },
}

/// An estimate that a model was made with.
pub(crate) struct Estimator {
    pub asked: Estimate,
    /// Computed when first asked for.
    pub databases: OnceLock<Vec<PatternDatabase>>,
}

impl Estimator {
    pub fn new(asked: Estimate) -> Self {
        Estimator { asked, databases: OnceLock::new() }
    }
}

/// What formulas are compared by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    Guess,
    Bound,
}

impl Rule {
    /// Of two things that both have to happen.
    fn both(self, one: u32, other: u32) -> u32 {
        match self {
            Rule::Guess => one.saturating_add(other).min(FAR),
            Rule::Bound => one.max(other),
        }
    }
}

impl GclModel {
    /// The model with estimates, which are asked for by their places.
    #[must_use]
    pub fn estimating(mut self, estimates: &[Estimate]) -> GclModel {
        self.set_estimators(estimates.iter().cloned().map(Estimator::new).collect());
        self
    }

    /// How many steps may be left from a state.
    pub fn estimated(&self, number: usize, state: &[Word]) -> u32 {
        let estimator = &self.estimators()[number];
        match &estimator.asked {
            Estimate::Value(number) => {
                let value = self.interpreter().evaluate(&self.program().estimates[*number], state);
                value.map_or(FAR, |value| value.max(0) as u32)
            }
            Estimate::Formula => self.to_failure(Rule::Guess, state),
            // A faulty step may lead to the error state from anywhere.
            Estimate::FormulaBound if self.program().error_location.is_some() => {
                self.to_failure(Rule::Bound, state).min(1)
            }
            Estimate::FormulaBound => self.to_failure(Rule::Bound, state),
            Estimate::Patterns { patterns, counted } => {
                let databases = estimator.databases.get_or_init(|| PatternDatabase::all(self, patterns, *counted));
                databases.iter().map(|database| database.distance(state)).max().unwrap_or(0)
            }
        }
    }

    /// The way to the nearest check or assertion that fails.
    fn to_failure(&self, rule: Rule, state: &[Word]) -> u32 {
        let program = self.program();
        let formula = Formula { model: self, interpreter: self.interpreter(), rule, state };
        let checks = program.checks.iter().map(|check| formula.until(&check.condition, check.kind == FaultKind::Goal));
        let nearest = checks.min().unwrap_or(FAR);
        let processes = program.processes.iter().enumerate();
        processes.flat_map(|(number, process)| process.transitions.iter().map(move |one| (number, one))).fold(
            nearest,
            |nearest, (number, transition)| {
                let asserts = transition.effects.iter().filter_map(|effect| match effect {
                    // What a language asserts by itself is not what one looks for.
                    Effect::Assert { condition, kind, .. } if rule == Rule::Bound || *kind == FaultKind::Assertion => {
                        Some(condition)
                    }
                    _ => None,
                });
                asserts.fold(nearest, |nearest, condition| {
                    let on_the_way = formula.to_location(ProcessId(number as u32), transition.source);
                    let way = match rule {
                        Rule::Guess => rule.both(on_the_way, formula.until(condition, false)).saturating_add(1),
                        Rule::Bound => on_the_way.saturating_add(1).max(formula.until(condition, false)),
                    };
                    nearest.min(way)
                })
            },
        )
    }

    /// The transitions of a process between two locations at least, whatever guards say; [`FAR`] where there is no way.
    pub(crate) fn location_steps(&self, process: ProcessId, from: LocationId, to: LocationId) -> u32 {
        let ways = &self.ways()[process.0 as usize][to.0 as usize];
        ways.get_or_init(|| steps_to(self.program(), process, to))[from.0 as usize]
    }

    /// What steps can change of values at most; computed when first asked for.
    fn rates(&self) -> &Rates {
        self.rates_cell().get_or_init(|| Rates::new(self.program(), self.actions(), self.ranges()))
    }
}

/// For each location of a process, the transitions to another one at least.
fn steps_to(program: &Program, process: ProcessId, target: LocationId) -> Box<[u32]> {
    let own = program.process(process).transitions.iter().map(|transition| (transition.source, transition.target));
    let others =
        program.processes.iter().flat_map(|other| &other.transitions).filter_map(|transition| transition.joint);
    let taken_along = others.filter(|joint| joint.process == process).map(|joint| (joint.source, joint.target));
    let edges: Vec<(LocationId, LocationId)> = own.chain(taken_along).collect();
    let mut steps = vec![FAR; program.process(process).locations.len()].into_boxed_slice();
    let mut level = vec![target];
    for distance in 0.. {
        let fresh: Vec<LocationId> = level.drain(..).filter(|location| steps[location.0 as usize] == FAR).collect();
        if fresh.is_empty() {
            break;
        }
        for location in fresh {
            steps[location.0 as usize] = distance;
            level.extend(edges.iter().filter(|(_, to)| *to == location).map(|(from, _)| *from));
        }
    }
    steps
}

/// A formula that is looked at in a state.
struct Formula<'m> {
    model: &'m GclModel,
    interpreter: &'m Interpreter,
    rule: Rule,
    state: &'m [Word],
}

impl Formula<'_> {
    /// The steps until an expression is true, or false. One that has no value is a fault already.
    fn until(&self, expr: &Expr, wanted: bool) -> u32 {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => self.until(operand, !wanted),
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right, _) => {
                let (left, right) = (self.until(left, wanted), self.until(right, wanted));
                match (*op == BinaryOp::And) == wanted {
                    true => self.rule.both(left, right),
                    false => left.min(right),
                }
            }
            Expr::Binary(op, left, right, _) if is_comparison(*op) => self.until_compared(*op, left, right, wanted),
            Expr::Conditional(condition, then, otherwise) => {
                let way =
                    |holds: bool, part: &Expr| self.rule.both(self.until(condition, holds), self.until(part, wanted));
                way(true, then).min(way(false, otherwise))
            }
            Expr::At(process, location) if wanted => self.to_location(*process, *location),
            Expr::Const(value) => u32::from((*value != 0) != wanted) * FAR,
            _ => match self.interpreter.evaluate(expr, self.state) {
                Ok(value) if (value != 0) == wanted => 0,
                Ok(value) if !wanted => self.steps_for(u64::from(value.unsigned_abs()), expr, &Expr::Const(0)),
                Ok(_) => 1,
                Err(_) => 0,
            },
        }
    }

    fn until_compared(&self, op: BinaryOp, left: &Expr, right: &Expr, wanted: bool) -> u32 {
        let value = |expr: &Expr| self.interpreter.evaluate(expr, self.state).map(i64::from);
        let (Ok(one), Ok(other)) = (value(left), value(right)) else { return 0 };
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let missing = match (op, wanted) {
            (Equal, true) | (NotEqual, false) => (one - other).abs(),
            (Equal, false) | (NotEqual, true) => i64::from(one == other),
            (Less, true) | (GreaterEqual, false) => one - other + 1,
            (LessEqual, true) | (Greater, false) => one - other,
            (Greater, true) | (LessEqual, false) => other - one + 1,
            _ => other - one,
        };
        self.steps_for(missing.max(0) as u64, left, right)
    }

    /// The steps in which the difference of two expressions changes so much.
    fn steps_for(&self, missing: u64, left: &Expr, right: &Expr) -> u32 {
        let steps = match self.rule {
            Rule::Guess => missing,
            Rule::Bound => match self.model.rates().of_difference(left, right) {
                Some(0) => u64::from(missing > 0) * u64::from(FAR),
                Some(rate) => missing.div_ceil(rate),
                None => missing.min(1),
            },
        };
        steps.min(u64::from(FAR)) as u32
    }

    fn to_location(&self, process: ProcessId, location: LocationId) -> u32 {
        let steps = self.model.location_steps(process, self.interpreter.location(process, self.state), location);
        match self.rule {
            // A step that is made of several takes its process any part of the way.
            Rule::Bound if self.model.is_composed() && steps < FAR => steps.min(1),
            _ => steps,
        }
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
}
