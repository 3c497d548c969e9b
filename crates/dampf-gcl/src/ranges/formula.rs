//! Expressions over the inputs of a step: evaluated for single values, and for intervals.

use super::intervals;
use super::values::{Interval, wrap_interval};
use crate::ir::{BinaryOp, IntType, UnaryOp};
use std::collections::BTreeSet;

/// An expression over the inputs of a step.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    Const(i32),
    /// The input with this number.
    Input(u32),
    Unary(UnaryOp, Box<Formula>),
    Binary(BinaryOp, Box<Formula>, Box<Formula>),
    Conditional(Box<Formula>, Box<Formula>, Box<Formula>),
    Wrap(IntType, Box<Formula>),
}

impl Formula {
    /// The value for given inputs; none where it faults.
    pub fn evaluate(&self, inputs: &[i32]) -> Option<i32> {
        Some(match self {
            Formula::Const(value) => *value,
            Formula::Input(input) => inputs[*input as usize],
            Formula::Unary(op, operand) => op.apply(operand.evaluate(inputs)?),
            Formula::Binary(op, left, right) => {
                let left = left.evaluate(inputs)?;
                match op {
                    BinaryOp::And if left == 0 => 0,
                    BinaryOp::Or if left != 0 => 1,
                    _ => op.apply(left, right.evaluate(inputs)?)?,
                }
            }
            Formula::Conditional(condition, then, otherwise) => match condition.evaluate(inputs)? {
                0 => otherwise.evaluate(inputs)?,
                _ => then.evaluate(inputs)?,
            },
            Formula::Wrap(ty, value) => ty.wrap(value.evaluate(inputs)?),
        })
    }

    /// An interval around the values for inputs from given intervals; none where all fault.
    pub fn bounds(&self, inputs: &[Interval]) -> Option<Interval> {
        match self {
            Formula::Const(value) => Some((i64::from(*value), i64::from(*value))),
            Formula::Input(input) => Some(inputs[*input as usize]),
            Formula::Unary(op, operand) => Some(intervals::unary(*op, operand.bounds(inputs)?)),
            Formula::Binary(op, left, right) => intervals::binary(*op, left.bounds(inputs)?, right.bounds(inputs)),
            Formula::Conditional(condition, then, otherwise) => match condition.bounds(inputs)? {
                (0, 0) => otherwise.bounds(inputs),
                (least, greatest) if least > 0 || greatest < 0 => then.bounds(inputs),
                _ => match (then.bounds(inputs), otherwise.bounds(inputs)) {
                    (Some(then), Some(otherwise)) => Some((then.0.min(otherwise.0), then.1.max(otherwise.1))),
                    (then, otherwise) => then.or(otherwise),
                },
            },
            Formula::Wrap(ty, value) => Some(wrap_interval(value.bounds(inputs)?, *ty).hull()),
        }
    }

    /// Adds the inputs that occur.
    pub fn collect_inputs(&self, into: &mut BTreeSet<u32>) {
        match self {
            Formula::Const(_) => {}
            Formula::Input(input) => {
                into.insert(*input);
            }
            Formula::Unary(_, operand) | Formula::Wrap(_, operand) => operand.collect_inputs(into),
            Formula::Binary(_, left, right) => {
                left.collect_inputs(into);
                right.collect_inputs(into);
            }
            Formula::Conditional(condition, then, otherwise) => {
                condition.collect_inputs(into);
                then.collect_inputs(into);
                otherwise.collect_inputs(into);
            }
        }
    }

    pub fn nodes(&self) -> usize {
        1 + match self {
            Formula::Const(_) | Formula::Input(_) => 0,
            Formula::Unary(_, operand) | Formula::Wrap(_, operand) => operand.nodes(),
            Formula::Binary(_, left, right) => left.nodes() + right.nodes(),
            Formula::Conditional(condition, then, otherwise) => condition.nodes() + then.nodes() + otherwise.nodes(),
        }
    }

    /// What storing the value into a variable of a type leaves there.
    pub fn wrapped(self, ty: IntType) -> Formula {
        match self {
            Formula::Const(value) => Formula::Const(ty.wrap(value)),
            value if ty.bits == 32 => value,
            value => Formula::Wrap(ty, Box::new(value)),
        }
    }
}
