//! Whether the values of an expression fit a type, as far as the types of its variables tell.
//!
//! Storing a value that does not fit is an error in DVE. Most assignments cannot go wrong, and many only in one
//! direction: the condition to be checked is made as small as the types allow. (What the values of variables
//! tell beyond their types, the value analysis of guarded commands finds out.)

use super::expression::binary;
use dampf_core::Span;
use dampf_gcl::ir::{BinaryOp, Expr, IntType, UnaryOp, Variable};

/// Least and greatest.
type Bounds = (i64, i64);

const ANY: Bounds = (i32::MIN as i64, i32::MAX as i64);

/// The condition under which the value of an expression fits; none where it always does.
pub fn fitting(value: &Expr, ty: IntType, variables: &[Variable], span: Span) -> Option<Expr> {
    let (least, greatest) = ty.range();
    let bounds = bounds(value, variables);
    let compare = |op, bound| binary(op, value.clone(), Expr::Const(bound), span);
    let from_below = (bounds.0 < i64::from(least)).then(|| compare(BinaryOp::GreaterEqual, least));
    let from_above = (bounds.1 > i64::from(greatest)).then(|| compare(BinaryOp::LessEqual, greatest));
    match (from_below, from_above) {
        (Some(below), Some(above)) => Some(binary(BinaryOp::And, below, above, span)),
        (below, above) => below.or(above),
    }
}

fn bounds(expr: &Expr, variables: &[Variable]) -> Bounds {
    let found = match expr {
        Expr::Const(value) => (i64::from(*value), i64::from(*value)),
        Expr::Read(place) => {
            let (least, greatest) = variables[place.variable.0 as usize].ty.range();
            (i64::from(least), i64::from(greatest))
        }
        Expr::At(..) | Expr::Unary(UnaryOp::Not, _) => (0, 1),
        Expr::Length(_) | Expr::Unary(UnaryOp::BitNot, _) => ANY,
        Expr::Unary(UnaryOp::Negate, operand) => {
            let (least, greatest) = bounds(operand, variables);
            (-greatest, -least)
        }
        Expr::Binary(op, left, right, _) => binary_bounds(*op, bounds(left, variables), bounds(right, variables)),
        Expr::Conditional(_, then, otherwise) => {
            let (then, otherwise) = (bounds(then, variables), bounds(otherwise, variables));
            (then.0.min(otherwise.0), then.1.max(otherwise.1))
        }
    };
    // What leaves the 32-bit integers wraps around and can be anything.
    if found.0 < ANY.0 || found.1 > ANY.1 { ANY } else { found }
}

fn binary_bounds(op: BinaryOp, left: Bounds, right: Bounds) -> Bounds {
    match op {
        BinaryOp::Add => (left.0 + right.0, left.1 + right.1),
        BinaryOp::Subtract => (left.0 - right.1, left.1 - right.0),
        BinaryOp::Multiply => {
            let products = [left.0 * right.0, left.0 * right.1, left.1 * right.0, left.1 * right.1];
            (products.into_iter().min().unwrap_or(0), products.into_iter().max().unwrap_or(0))
        }
        BinaryOp::Divide if right.0 > 0 => (left.0.min(0), left.1.max(0)),
        BinaryOp::Remainder if right.0 > 0 => {
            let most = right.1 - 1;
            (if left.0 < 0 { -most } else { 0 }, most)
        }
        BinaryOp::BitAnd if left.0 >= 0 && right.0 >= 0 => (0, left.1.min(right.1)),
        BinaryOp::BitOr | BinaryOp::BitXor if left.0 >= 0 && right.0 >= 0 => {
            let most = left.1.max(right.1);
            (0, ((most + 1) as u64).next_power_of_two() as i64 - 1)
        }
        BinaryOp::Equal
        | BinaryOp::NotEqual
        | BinaryOp::Less
        | BinaryOp::LessEqual
        | BinaryOp::Greater
        | BinaryOp::GreaterEqual
        | BinaryOp::And
        | BinaryOp::Or => (0, 1),
        _ => ANY,
    }
}
