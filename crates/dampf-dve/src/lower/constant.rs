//! The value of an expression before the system runs: sizes, capacities, initial values.

use dampf_gcl::ir::{BinaryOp, Expr, Variable};

/// Why an expression has no value before the system runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoValue {
    DependsOnState,
    DivisionByZero,
    IndexOutOfBounds,
}

/// The value of an expression where every variable has its initial value.
pub fn evaluate(expr: &Expr, variables: &[Variable]) -> Result<i32, NoValue> {
    match expr {
        Expr::Const(value) => Ok(*value),
        Expr::Read(place) => {
            let index = place.index.as_ref().map_or(Ok(0), |index| evaluate(index, variables))?;
            let initial = &variables[place.variable.0 as usize].initial;
            usize::try_from(index).ok().and_then(|index| initial.get(index)).copied().ok_or(NoValue::IndexOutOfBounds)
        }
        Expr::At(..) | Expr::Length(_) => Err(NoValue::DependsOnState),
        Expr::Unary(operator, operand) => Ok(operator.apply(evaluate(operand, variables)?)),
        Expr::Binary(operator, left, right, _) => {
            let left = evaluate(left, variables)?;
            match (operator, left != 0) {
                (BinaryOp::And, false) => Ok(0),
                (BinaryOp::Or, true) => Ok(1),
                _ => operator.apply(left, evaluate(right, variables)?).ok_or(NoValue::DivisionByZero),
            }
        }
        Expr::Conditional(condition, then, otherwise) => {
            let chosen = if evaluate(condition, variables)? != 0 { then } else { otherwise };
            evaluate(chosen, variables)
        }
    }
}
