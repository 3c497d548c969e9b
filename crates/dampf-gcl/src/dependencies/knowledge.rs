//! What is certain about some objects, and what follows for an expression.
//!
//! Enough to see that a step that stores 1 into `x` does not enable what waits for `x == 2`, and that two
//! steps that wait for different values of `x` are never enabled together.

use super::objects::Objects;
use crate::ir::{BinaryOp, Expr, IntType, LocationId, Place, ProcessId, Program};
use std::collections::BTreeMap;

/// Objects and locations whose values are known.
#[derive(Clone, Default)]
pub struct Knowledge {
    objects: BTreeMap<u32, i32>,
    locations: BTreeMap<ProcessId, LocationId>,
}

impl Knowledge {
    pub fn stands(&mut self, process: ProcessId, location: LocationId) {
        self.locations.insert(process, location);
    }

    /// What follows from a condition being true: the values that its conjuncts compare objects with.
    pub fn learn(&mut self, condition: &Expr, objects: &Objects) {
        let Expr::Binary(op, left, right, _) = condition else { return };
        match (op, &**left, &**right) {
            (BinaryOp::And, _, _) => {
                self.learn(left, objects);
                self.learn(right, objects);
            }
            (BinaryOp::Equal, Expr::Read(place), Expr::Const(value))
            | (BinaryOp::Equal, Expr::Const(value), Expr::Read(place)) => {
                if let Some(object) = objects.exact(place) {
                    self.objects.insert(object, *value);
                }
            }
            _ => {}
        }
    }

    /// What follows from a value being stored; none for one that is not known.
    pub fn store(&mut self, program: &Program, objects: &Objects, target: &Place, value: Option<i32>) {
        let Some(object) = objects.exact(target) else {
            // Elements of an array as a whole are never known.
            return;
        };
        let ty: IntType = program.variable(target.variable).ty;
        match value {
            Some(value) => self.objects.insert(object, ty.wrap(value)),
            None => self.objects.remove(&object),
        };
    }

    /// The value of an expression, if its evaluation certainly yields it, without a fault.
    pub fn value(&self, expr: &Expr, objects: &Objects) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Read(place) => self.objects.get(&objects.exact(place)?).copied(),
            Expr::At(process, location) => self.locations.get(process).map(|at| i32::from(at == location)),
            Expr::Length(_) => None,
            Expr::Unary(op, operand) => Some(op.apply(self.value(operand, objects)?)),
            Expr::Binary(op, left, right, _) => {
                let (left_value, right_value) = (self.value(left, objects), self.value(right, objects));
                match (op, left_value, right_value) {
                    (BinaryOp::And, Some(0), _) => Some(0),
                    (BinaryOp::And, None, Some(0)) if !may_fault(left) => Some(0),
                    (BinaryOp::Or, Some(value), _) if value != 0 => Some(1),
                    (BinaryOp::Or, None, Some(value)) if value != 0 && !may_fault(left) => Some(1),
                    (_, Some(left), Some(right)) => op.apply(left, right),
                    _ => None,
                }
            }
            Expr::Conditional(condition, then, otherwise) => match self.value(condition, objects)? {
                0 => self.value(otherwise, objects),
                _ => self.value(then, objects),
            },
        }
    }

    /// Whether a guard is certainly false.
    pub fn refutes(&self, guard: Option<&Expr>, objects: &Objects) -> bool {
        guard.is_some_and(|guard| self.value(guard, objects) == Some(0))
    }
}

/// Whether the evaluation of an expression may divide by zero or index outside an array.
pub fn may_fault(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => false,
        Expr::Read(place) => place.index.as_ref().is_some_and(|index| !matches!(**index, Expr::Const(_))),
        Expr::Unary(_, operand) => may_fault(operand),
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, left, right, _) => {
            may_fault(left) || !matches!(**right, Expr::Const(divisor) if divisor != 0)
        }
        Expr::Binary(_, left, right, _) => may_fault(left) || may_fault(right),
        Expr::Conditional(condition, then, otherwise) => {
            may_fault(condition) || may_fault(then) || may_fault(otherwise)
        }
    }
}
