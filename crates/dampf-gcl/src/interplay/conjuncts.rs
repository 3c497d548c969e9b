//! Guards taken apart: conditions without each of which a guard is not true.
//!
//! A bound on one object is a condition of its own, since what only grows cannot fall below a bound again. An equation
//! is two bounds, and a condition of its own. What is behind a part whose evaluation may fault is not taken apart:
//! where that part begins to fault, the step is there all the same.

use crate::dependencies::Objects;
use crate::ir::{BinaryOp, Expr, Place, Program, UnaryOp};
use crate::native::interval::Interval;
use crate::ranges::Range;

/// What kind of condition it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The value of an object is at most this.
    AtMost(u32, i64),
    AtLeast(u32, i64),
    /// Both: what stores another constant does not bring it about.
    Exactly(u32, i64),
    /// Something about the first message of a queue, or the queue is empty: appending does not bring that about.
    Head,
    Other,
}

/// A necessary condition of a guard.
#[derive(Clone, Debug)]
pub struct Conjunct {
    pub shape: Shape,
    pub expr: Expr,
}

/// What is known about values in all states.
pub struct Values<'p> {
    pub program: &'p Program,
    pub objects: &'p Objects,
    pub ranges: &'p [Range],
}

impl Values<'_> {
    /// The values that a variable can have.
    pub fn of_variable(&self, place: &Place) -> Interval {
        let number = place.variable.0 as usize;
        let (range, of_type) = (self.ranges[number], Interval::of_type(self.program.variables[number].ty));
        let least = i64::from(range.base);
        let greatest = least + range.count as i64 - 1;
        // A range may go around the end of its type.
        if of_type.least <= least && greatest <= of_type.greatest {
            Interval::between(least, greatest)
        } else {
            of_type
        }
    }

    pub fn of(&self, expr: &Expr) -> Interval {
        match expr {
            Expr::Const(value) => Interval::point(*value),
            Expr::Read(place) => self.of_variable(place),
            Expr::At(..) | Expr::Unary(UnaryOp::Not, _) => Interval::TRUTH,
            Expr::Length(channel) => Interval::between(0, i64::from(self.program.channel(*channel).capacity)),
            Expr::Unary(UnaryOp::Negate, operand) => self.of(operand).negated(),
            Expr::Unary(UnaryOp::BitNot, _) => Interval::FULL,
            Expr::Binary(BinaryOp::BitAnd, left, mask, _) if self.is_kept_by(left, mask) => self.of(left),
            Expr::Binary(op, left, right, _) => Interval::binary(*op, self.of(left), self.of(right)),
            Expr::Conditional(_, then, otherwise) => self.of(then).or(self.of(otherwise)),
        }
    }

    /// Whether no value of an expression has bits besides those of a mask of low bits.
    fn is_kept_by(&self, expr: &Expr, mask: &Expr) -> bool {
        let Expr::Const(mask) = mask else { return false };
        let mask = i64::from(*mask);
        mask > 0 && mask & (mask + 1) == 0 && self.of(expr).is_within(0, mask)
    }

    /// Whether the index of a place may lie outside of its array.
    pub fn may_miss(&self, place: &Place) -> bool {
        let Some(index) = &place.index else { return false };
        let len = self.program.variable(place.variable).array.unwrap_or(1);
        self.may_fault(index) || !self.of(index).is_within(0, i64::from(len) - 1)
    }

    /// Whether the evaluation of an expression may divide by zero or index outside of an array.
    pub fn may_fault(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::At(..) | Expr::Length(_) => false,
            Expr::Read(place) => self.may_miss(place),
            Expr::Unary(_, operand) => self.may_fault(operand),
            Expr::Binary(op, left, right, _) => {
                let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
                self.may_fault(left) || self.may_fault(right) || divides && self.of(right).contains(0)
            }
            Expr::Conditional(condition, then, otherwise) => {
                self.may_fault(condition) || self.may_fault(then) || self.may_fault(otherwise)
            }
        }
    }

    /// The object whose value an expression is, if it is that of one object.
    pub fn object(&self, expr: &Expr) -> Option<u32> {
        match expr {
            Expr::Read(place) => self.objects.exact(place),
            Expr::Length(channel) => Some(self.objects.channel(*channel)),
            _ => None,
        }
    }

    /// The conditions that a guard is made of, in the order of their evaluation.
    pub fn conjuncts(&self, guard: &Expr) -> Vec<Conjunct> {
        let mut parts = Vec::new();
        self.split(guard, false, &mut parts);
        match parts.iter().position(|part| self.may_fault(&part.expr)) {
            None => parts,
            Some(first) => {
                parts.truncate(first);
                parts.push(Conjunct { shape: Shape::Other, expr: guard.clone() });
                parts
            }
        }
    }

    fn split(&self, expr: &Expr, is_negated: bool, parts: &mut Vec<Conjunct>) {
        match expr {
            Expr::Unary(UnaryOp::Not, operand) => return self.split(operand, !is_negated, parts),
            Expr::Binary(BinaryOp::And, left, right, _) if !is_negated => {
                self.split(left, false, parts);
                return self.split(right, false, parts);
            }
            Expr::Binary(BinaryOp::Or, left, right, _) if is_negated => {
                self.split(left, true, parts);
                return self.split(right, true, parts);
            }
            Expr::Binary(op, left, right, _) if op.is_comparison() => {
                let (op, operand, bound) = match (&**left, &**right) {
                    (operand, Expr::Const(bound)) => (*op, operand, *bound),
                    (Expr::Const(bound), operand) => (op.exchanged(), operand, *bound),
                    _ => return parts.push(whole(expr, is_negated)),
                };
                let op = if is_negated { op.complement() } else { op };
                return self.bounds(expr, is_negated, op, operand, i64::from(bound), parts);
            }
            Expr::Read(_) | Expr::Length(_) => {
                let op = if is_negated { BinaryOp::Equal } else { BinaryOp::NotEqual };
                return self.bounds(expr, is_negated, op, expr, 0, parts);
            }
            _ => {}
        }
        parts.push(whole(expr, is_negated));
    }

    /// A comparison of an operand with a number, as bounds if it can be.
    fn bounds(
        &self,
        expr: &Expr,
        is_negated: bool,
        op: BinaryOp,
        operand: &Expr,
        bound: i64,
        parts: &mut Vec<Conjunct>,
    ) {
        let Some(object) = self.object(operand) else { return parts.push(whole(expr, is_negated)) };
        let values = self.of(operand);
        let at_most = |bound: i64| Conjunct {
            shape: Shape::AtMost(object, bound),
            expr: compared(BinaryOp::LessEqual, operand, bound),
        };
        let at_least = |bound: i64| Conjunct {
            shape: Shape::AtLeast(object, bound),
            expr: compared(BinaryOp::GreaterEqual, operand, bound),
        };
        let fits = i64::from(i32::MIN) < bound && bound < i64::from(i32::MAX);
        match op {
            _ if !fits => parts.push(whole(expr, is_negated)),
            BinaryOp::Less => parts.push(at_most(bound - 1)),
            BinaryOp::LessEqual => parts.push(at_most(bound)),
            BinaryOp::Greater => parts.push(at_least(bound + 1)),
            BinaryOp::GreaterEqual => parts.push(at_least(bound)),
            BinaryOp::Equal => {
                let shape = Shape::Exactly(object, bound);
                let exactly = Conjunct { shape, expr: compared(BinaryOp::Equal, operand, bound) };
                parts.extend([exactly, at_most(bound), at_least(bound)]);
            }
            BinaryOp::NotEqual if values.least >= bound => parts.push(at_least(bound + 1)),
            BinaryOp::NotEqual if values.greatest <= bound => parts.push(at_most(bound - 1)),
            _ => parts.push(Conjunct { shape: Shape::Other, expr: compared(op, operand, bound) }),
        }
    }
}

fn compared(op: BinaryOp, operand: &Expr, bound: i64) -> Expr {
    Expr::Binary(op, Box::new(operand.clone()), Box::new(Expr::Const(bound as i32)), Default::default())
}

fn whole(expr: &Expr, is_negated: bool) -> Conjunct {
    let expr = if is_negated { Expr::Unary(UnaryOp::Not, Box::new(expr.clone())) } else { expr.clone() };
    Conjunct { shape: Shape::Other, expr }
}
