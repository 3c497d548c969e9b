//! Expressions, lowered to guarded commands.
//!
//! Constants, `pid` and variables that no transition assigns are folded into the expressions: a parameterised model
//! costs as much as one written out by hand. Variables that are folded everywhere keep their place in the program, for
//! properties to name; they need no bits in a state.

use crate::ast::{Binder, Expression, Quantifier, Reference};
use crate::fold::{self, NoValue};
use crate::mistake::Mistake;
use crate::symbols::{Instance, Meaning, Scope, dimensions_fit, queue_as_value};
use dampf_core::Span;
use dampf_gcl::ir::{BinaryOp, Expr, Place, UnaryOp, Variable};
use std::cell::Cell;

/// So many nodes may the lowered program have: a bound on time and memory, far above any model one could explore.
const NODES_MAX: usize = 2_000_000;

/// So many values may a `for`, `all`, `any` or `sum` range over.
const RANGE_MAX: i64 = 1 << 16;

/// How much of the program's size is left.
pub struct Budget(Cell<usize>);

impl Budget {
    pub fn new() -> Self {
        Budget(Cell::new(NODES_MAX))
    }

    pub fn spend(&self, nodes: usize, span: Span) -> Result<(), Mistake> {
        match self.0.get().checked_sub(nodes) {
            Some(left) => {
                self.0.set(left);
                Ok(())
            }
            None => {
                self.0.set(0);
                Err(Mistake::new(span, "the model becomes too large", "here it outgrows the limit"))
            }
        }
    }

    pub fn is_spent(&self) -> bool {
        self.0.get() == 0
    }
}

/// What is known of variables once initialisation is over.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub variables: &'a [Variable],
    /// Whether some transition assigns the variable.
    pub assigned: &'a [bool],
}

pub struct Lowering<'a> {
    pub scope: Scope<'a>,
    pub instance: Option<Instance>,
    pub known: Option<Known<'a>>,
    pub budget: &'a Budget,
    /// Whether `P.x` can be read: in properties, which look at the system from outside.
    pub members: bool,
}

impl<'a> Lowering<'a> {
    pub fn expression(&mut self, expression: &Expression) -> Result<Expr, Mistake> {
        self.budget.spend(1, expression.span())?;
        match expression {
            Expression::Number(value, _) => Ok(Expr::Const(*value)),
            Expression::Pid(span) => match self.instance {
                Some(instance) => Ok(Expr::Const(instance.process.0 as i32)),
                None => Err(pid_outside(*span)),
            },
            Expression::Reference(reference) => self.read(reference),
            Expression::Length(queue, _) => self.scope.queue(queue).map(Expr::Length),
            Expression::Negate(operand, _) => Ok(fold::unary(UnaryOp::Negate, self.expression(operand)?)),
            Expression::Not(operand, _) => Ok(fold::unary(UnaryOp::Not, self.expression(operand)?)),
            Expression::Binary(op, left, right, span) => {
                let left = self.expression(left)?;
                // What is never evaluated may be nonsense: `pid > 0 and a[pid - 1] = 0`.
                match (op, &left) {
                    (BinaryOp::And, Expr::Const(0)) => return Ok(Expr::Const(0)),
                    (BinaryOp::Or, Expr::Const(value)) if *value != 0 => return Ok(Expr::Const(1)),
                    _ => (),
                }
                Ok(fold::binary(*op, left, self.expression(right)?, *span))
            }
            Expression::Quantified(quantifier, binder, body, span) => {
                let mut operands = Vec::new();
                self.for_each(binder, |lowering| {
                    operands.push(lowering.expression(body)?);
                    Ok(())
                })?;
                Ok(match quantifier {
                    Quantifier::All => fold::truth(fold::joined(BinaryOp::And, operands, 1, *span), *span),
                    Quantifier::Any => fold::truth(fold::joined(BinaryOp::Or, operands, 0, *span), *span),
                    Quantifier::Sum => fold::joined(BinaryOp::Add, operands, 0, *span),
                })
            }
        }
    }

    /// A value that does not depend on any variable.
    pub fn constant(&mut self, expression: &Expression, what: &str) -> Result<i32, Mistake> {
        let lowered = self.unfolded(expression)?;
        fold::evaluate(&lowered, &[]).map_err(|reason| match reason {
            NoValue::NotConstant(span) => {
                let span = span.unwrap_or(expression.span());
                Mistake::new(span, format!("{what} must be constant"), "not constant")
                    .help("declare what it depends on with `const NAME = value;`")
            }
            reason => no_value(reason, expression.span()),
        })
    }

    /// An expression in which variables stay variables.
    pub fn unfolded(&mut self, expression: &Expression) -> Result<Expr, Mistake> {
        let known = self.known.take();
        let lowered = self.expression(expression);
        self.known = known;
        lowered
    }

    /// Does something for each value of a bound name.
    pub fn for_each(
        &mut self,
        binder: &Binder,
        mut action: impl FnMut(&mut Self) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        let from = self.constant(&binder.from, "the lower bound")?;
        let to = self.constant(&binder.to, "the upper bound")?;
        if i64::from(to) - i64::from(from) >= RANGE_MAX {
            let message = format!("`{}` takes more than {RANGE_MAX} values", binder.name.text);
            return Err(Mistake::new(binder.span(), message, "too many values"));
        }
        for value in from..=to {
            self.budget.spend(1, binder.span())?;
            self.scope.bound.push((binder.name.text.clone(), value));
            let done = action(self);
            self.scope.bound.pop();
            done?;
        }
        Ok(())
    }

    fn read(&mut self, reference: &Reference) -> Result<Expr, Mistake> {
        if reference.member.is_some() {
            return self.member(reference);
        }
        match self.scope.find(&reference.name)? {
            Meaning::Number(value) => {
                dimensions_fit(&reference.name, 0, reference.indices.len(), reference.span)?;
                Ok(Expr::Const(value))
            }
            Meaning::Queue(_) => Err(queue_as_value(&reference.name)),
            Meaning::Global(..) | Meaning::Local(..) => {
                let place = self.place(reference)?;
                Ok(self.fold_read(place))
            }
        }
    }

    /// The value of a place that always has the same one, or the reading of it.
    pub fn fold_read(&self, place: Place) -> Expr {
        if let Some(known) = self.known
            && !known.assigned[place.variable.0 as usize]
            && matches!(place.index.as_deref(), None | Some(Expr::Const(_)))
            && let Ok(element) = fold::element(&place, known.variables)
        {
            return Expr::Const(known.variables[place.variable.0 as usize].initial[element]);
        }
        Expr::Read(place)
    }
}

pub fn pid_outside(span: Span) -> Mistake {
    Mistake::new(span, "`pid` outside a process", "no process here")
}

/// Why an initial value cannot be computed.
pub fn no_value(reason: NoValue, whole: Span) -> Mistake {
    match reason {
        NoValue::DivisionByZero(span) => Mistake::new(span, "an initial value is divided by zero", "divided here")
            .help("a variable without an initial value is 0"),
        NoValue::OutOfBounds(span, index) => {
            Mistake::new(span, format!("the index is {index}, outside the array"), "while the system is initialised")
        }
        NoValue::NotConstant(span) => {
            Mistake::new(span.unwrap_or(whole), "no value is known before the system runs", "not constant")
        }
    }
}
