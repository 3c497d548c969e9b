//! Constants within expressions: folding them, and evaluating what consists of nothing else.
//!
//! Folding keeps the meaning of an expression, its faults included: `x and 0` is 0 only where `x` cannot fault.

use dampf_core::Span;
use dampf_gcl::ir::{BinaryOp, Expr, Place, UnaryOp, Variable};

pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
    match operand {
        Expr::Const(value) => Expr::Const(op.apply(value)),
        operand => Expr::Unary(op, Box::new(operand)),
    }
}

pub fn binary(op: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    if let (Expr::Const(a), Expr::Const(b)) = (&left, &right)
        && let Some(value) = op.apply(*a, *b)
    {
        return Expr::Const(value);
    }
    // The value that decides a logical operation whatever the other operand is.
    let decisive = match op {
        BinaryOp::And => false,
        BinaryOp::Or => true,
        _ => return Expr::Binary(op, Box::new(left), Box::new(right), span),
    };
    match (&left, &right) {
        (Expr::Const(value), _) if (*value != 0) == decisive => Expr::Const(decisive.into()),
        (Expr::Const(_), _) => truth(right, span),
        (_, Expr::Const(value)) if (*value != 0) != decisive => truth(left, span),
        (_, Expr::Const(_)) if cannot_fault(&left) => Expr::Const(decisive.into()),
        _ => Expr::Binary(op, Box::new(left), Box::new(right), span),
    }
}

/// 1 for what is not zero.
pub fn truth(expr: Expr, span: Span) -> Expr {
    match expr {
        Expr::Const(value) => Expr::Const((value != 0).into()),
        expr if is_truth_value(&expr) => expr,
        expr => Expr::Binary(BinaryOp::NotEqual, Box::new(expr), Box::new(Expr::Const(0)), span),
    }
}

fn is_truth_value(expr: &Expr) -> bool {
    use BinaryOp::*;
    match expr {
        Expr::At(..) => true,
        Expr::Unary(op, _) => *op == UnaryOp::Not,
        Expr::Binary(op, ..) => {
            matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual | And | Or)
        }
        _ => false,
    }
}

fn cannot_fault(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => true,
        Expr::Read(Place { index, .. }) => matches!(index.as_deref(), None | Some(Expr::Const(_))),
        Expr::Unary(_, operand) => cannot_fault(operand),
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..) => false,
        Expr::Binary(_, left, right, _) => cannot_fault(left) && cannot_fault(right),
        Expr::Conditional(condition, yes, no) => cannot_fault(condition) && cannot_fault(yes) && cannot_fault(no),
    }
}

/// Operands joined by an associative operator, as a balanced tree: many operands make no deep tree.
pub fn joined(op: BinaryOp, mut operands: Vec<Expr>, neutral: i32, span: Span) -> Expr {
    match operands.len() {
        0 => Expr::Const(neutral),
        1 => operands.remove(0),
        count => {
            let right = operands.split_off(count / 2);
            binary(op, joined(op, operands, neutral, span), joined(op, right, neutral, span), span)
        }
    }
}

/// Why an expression has no value at initialisation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    DivisionByZero(Span),
    /// With the index.
    OutOfBounds(Span, i32),
    /// It depends on the state of a running system.
    NotConstant(Option<Span>),
}

/// The value of an expression where the variables have their initial values; without variables, only what is
/// constant has one.
pub fn evaluate(expr: &Expr, variables: &[Variable]) -> Result<i32, NoValue> {
    match expr {
        Expr::Const(value) => Ok(*value),
        Expr::Read(place) => {
            let element = element(place, variables)?;
            let variable = variables.get(place.variable.0 as usize).ok_or(NoValue::NotConstant(Some(place.span)))?;
            Ok(variable.initial[element])
        }
        Expr::At(..) | Expr::Length(_) => Err(NoValue::NotConstant(None)),
        Expr::Unary(op, operand) => Ok(op.apply(evaluate(operand, variables)?)),
        Expr::Binary(op, left, right, span) => {
            let left = evaluate(left, variables)?;
            match (op, left != 0) {
                (BinaryOp::And, false) => return Ok(0),
                (BinaryOp::Or, true) => return Ok(1),
                _ => (),
            }
            op.apply(left, evaluate(right, variables)?).ok_or(NoValue::DivisionByZero(*span))
        }
        Expr::Conditional(condition, yes, no) => {
            let chosen = if evaluate(condition, variables)? != 0 { yes } else { no };
            evaluate(chosen, variables)
        }
    }
}

/// Which element of its variable a place is.
pub fn element(place: &Place, variables: &[Variable]) -> Result<usize, NoValue> {
    let variable = variables.get(place.variable.0 as usize).ok_or(NoValue::NotConstant(Some(place.span)))?;
    let index = match &place.index {
        Some(index) => evaluate(index, variables)?,
        None => 0,
    };
    match usize::try_from(index) {
        Ok(element) if element < variable.initial.len() => Ok(element),
        _ => Err(NoValue::OutOfBounds(place.span, index)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dampf_gcl::ir::VariableId;

    fn read(index: Option<Expr>) -> Expr {
        Expr::Read(Place { variable: VariableId(0), index: index.map(Box::new), span: Span::default() })
    }

    #[test]
    fn what_can_fault_is_not_folded_away() {
        let safe = binary(BinaryOp::And, read(None), Expr::Const(0), Span::default());
        assert!(matches!(safe, Expr::Const(0)));
        let risky = binary(BinaryOp::And, read(Some(read(None))), Expr::Const(0), Span::default());
        assert!(matches!(risky, Expr::Binary(..)));
        let unreached = binary(BinaryOp::Or, Expr::Const(7), read(Some(read(None))), Span::default());
        assert!(matches!(unreached, Expr::Const(1)));
        let quotient = binary(BinaryOp::Divide, Expr::Const(1), Expr::Const(0), Span::default());
        assert_eq!(evaluate(&quotient, &[]), Err(NoValue::DivisionByZero(Span::default())));
    }

    #[test]
    fn a_number_as_a_truth_value_becomes_one() {
        let number = binary(BinaryOp::And, Expr::Const(2), read(None), Span::default());
        assert!(matches!(number, Expr::Binary(BinaryOp::NotEqual, ..)));
    }
}
