//! Conditions on states that are given from outside, and how far a state is from what is looked for.
//!
//! Conditions are over global variables and places. What they look at is watched, as for properties of runs
//! ([`watch`](crate::watch)), so that every value that a variable has is seen in a state.
//!
//! Estimates only look at states that there are anyway.

use crate::expressions::{Binary, Expression, Unary};
use crate::machine::Machine;
use crate::program::Program;
use dampf_core::{Fault, FaultKind};

/// A condition that is looked at in every state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateCheck {
    /// An invariant, which fails where it does not hold, or a goal, where it does.
    pub kind: FaultKind,
    pub text: String,
    pub condition: Expression,
}

/// What steps to an error are estimated by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProgramEstimate {
    /// The value of an expression. A negative one is 0.
    Value(Expression),
    /// How far the conditions are from failing.
    Formula,
}

/// Farther than any error.
const FAR: u32 = 1 << 24;

/// Something that a program publishes.
struct Published {
    /// The variable that holds the last value.
    variable: &'static str,
    /// A variable at each place that publishes one.
    publishing: &'static str,
}

const ESTIMATE: Published = Published { variable: "__dampf_estimate", publishing: "__dampf_publishes" };
const EVALUATION: Published = Published { variable: "__dampf_evaluation", publishing: "__dampf_evaluates" };

impl Program {
    /// What the program publishes of the steps that are left; none where it publishes nothing.
    pub fn published_estimate(&self) -> Option<Expression> {
        self.published(&ESTIMATE)
    }

    /// What it publishes of how good states are.
    pub fn published_evaluation(&self) -> Option<Expression> {
        self.published(&EVALUATION)
    }

    fn published(&self, published: &Published) -> Option<Expression> {
        let mut symbols = self.image.symbols().iter();
        // A compiler adds a number to the name of a static variable, or mangles it.
        let publishes = symbols.clone().any(|symbol| symbol.name.contains(published.publishing));
        let place = symbols.find(|symbol| symbol.name == published.variable).filter(|_| publishes)?;
        Some(Expression::Memory { address: place.address, bytes: 8, is_signed: true })
    }
}

impl Machine<'_> {
    /// The first condition that fails in the state that is loaded.
    pub fn failed_check(&mut self, checks: &[StateCheck]) -> Option<Fault> {
        let failed = checks
            .iter()
            .find(|StateCheck { kind, condition, .. }| (self.value_of(condition) != 0) == (*kind == FaultKind::Goal))?;
        let message = match failed.kind {
            FaultKind::Goal => format!("goal `{}` is reached", failed.text),
            kind => format!("{kind} `{}` is violated", failed.text),
        };
        Some(Fault { kind: failed.kind, message, location: None })
    }

    /// How many steps may be left from the state that is loaded.
    pub fn estimated(&mut self, estimate: &ProgramEstimate, checks: &[StateCheck]) -> u32 {
        match estimate {
            ProgramEstimate::Value(expression) => self.value_of(expression).clamp(0, i128::from(u32::MAX)) as u32,
            ProgramEstimate::Formula => {
                let ways = checks.iter().map(|check| self.until(&check.condition, check.kind == FaultKind::Goal));
                ways.min().unwrap_or(0)
            }
        }
    }

    /// How far an expression is from being true, or false, over its tree: of parts that all have to change their sum,
    /// of others the least; comparisons by the difference of their sides.
    fn until(&mut self, expression: &Expression, wanted: bool) -> u32 {
        match expression {
            Expression::Number(number) => u32::from((*number != 0) != wanted) * FAR,
            Expression::Unary(Unary::Not, operand) => self.until(operand, !wanted),
            Expression::Binary(operator @ (Binary::And | Binary::Or), left, right) => {
                let (left, right) = (self.until(left, wanted), self.until(right, wanted));
                match (*operator == Binary::And) == wanted {
                    true => left.saturating_add(right).min(FAR),
                    false => left.min(right),
                }
            }
            Expression::Binary(operator, left, right) if operator.is_comparison() => {
                let (one, other) = (self.value_of(left), self.value_of(right));
                let missing = match (operator, wanted) {
                    (Binary::Equal, true) | (Binary::Unequal, false) => (one - other).abs(),
                    (Binary::Equal, false) | (Binary::Unequal, true) => i128::from(one == other),
                    (Binary::Less, true) | (Binary::GreaterOrEqual, false) => one - other + 1,
                    (Binary::LessOrEqual, true) | (Binary::Greater, false) => one - other,
                    (Binary::Greater, true) | (Binary::LessOrEqual, false) => other - one + 1,
                    _ => other - one,
                };
                missing.clamp(0, i128::from(FAR)) as u32
            }
            _ => match self.value_of(expression) {
                value if (value != 0) == wanted => 0,
                value if !wanted => value.unsigned_abs().min(u128::from(FAR)) as u32,
                _ => 1,
            },
        }
    }
}
