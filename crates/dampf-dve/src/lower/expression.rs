//! Expressions and places, with their names resolved and their constant parts folded.

use crate::ast::{self, ExprKind, Name, Operator};
use crate::names::{Names, Symbol, Table, wrong_kind};
use crate::problem::{Checked, Problem};
use dampf_core::Span;
use dampf_gcl::ir::{BinaryOp, Expr, Place, ProcessId, UnaryOp, Variable, VariableId};

pub struct ExpressionLowering<'n> {
    names: &'n Names,
    /// Where a constant array goes that is indexed by a computed value; None where nothing can be added.
    variables: Option<&'n mut Vec<Variable>>,
    /// The process whose names come first.
    within: Option<usize>,
    /// Whether `P.x` may also mean a variable of P.
    dot_reads_variables: bool,
}

impl<'n> ExpressionLowering<'n> {
    pub fn in_model(names: &'n Names, variables: &'n mut Vec<Variable>, within: Option<usize>) -> Self {
        ExpressionLowering { names, variables: Some(variables), within, dot_reads_variables: false }
    }

    /// For an expression that was given beside the model.
    pub fn outside(names: &'n Names) -> Self {
        ExpressionLowering { names, variables: None, within: None, dot_reads_variables: true }
    }

    pub fn expression(&mut self, expr: &ast::Expr<'_>) -> Checked<Expr> {
        match &expr.kind {
            ExprKind::Number(value) => Ok(Expr::Const(*value)),
            ExprKind::Variable(name, index) => {
                let symbol = self.names.find(*name, self.within)?;
                let owner = self.within.filter(|process| self.is_local(*process, name.text));
                let owner = owner.and_then(|process| self.names.processes[process].id);
                self.read(symbol, *name, index.as_deref(), expr.span, owner)
            }
            ExprKind::Member(process, member, index) => self.member(*process, *member, index.as_deref(), expr.span),
            ExprKind::Foreign(process, variable, index) => {
                let (owner, symbol) = self.foreign(*process, *variable)?;
                self.read(symbol, *variable, index.as_deref(), expr.span, Some(owner))
            }
            ExprKind::Unary(operator, operand) => Ok(unary(*operator, self.expression(operand)?)),
            ExprKind::Binary(operator, left, right) => {
                let (left, right) = (self.expression(left)?, self.expression(right)?);
                Ok(match operator {
                    Operator::Plain(operator) => binary(*operator, left, right, expr.span),
                    Operator::Imply => binary(BinaryOp::Or, unary(UnaryOp::Not, left), right, expr.span),
                })
            }
        }
    }

    fn is_local(&self, process: usize, name: &str) -> bool {
        self.names.processes[process].variables.find(name).is_some()
    }

    /// `P.s`
    fn member(
        &mut self,
        process: Name<'_>,
        member: Name<'_>,
        index: Option<&ast::Expr<'_>>,
        span: Span,
    ) -> Checked<Expr> {
        let (id, names) = self.names.process(process)?;
        let location = names.locations.get(member.text);
        let variable = names.variables.find(member.text);
        match (location, index, variable) {
            (Some(location), None, _) => Ok(Expr::At(id, *location)),
            (_, _, Some(symbol)) if self.dot_reads_variables => self.read(symbol, member, index, span, Some(id)),
            (Some(_), Some(index), _) => {
                let message = format!("`{}.{}` is a state, not an array", process.text, member.text);
                Err(Problem::new(index.span, message, "has nothing to index"))
            }
            (None, _, Some(_)) => {
                let help = format!("to read its variable: `{}->{}`", process.text, member.text);
                Err(names.no_such_location(member).help(help))
            }
            (None, _, None) => Err(names.no_such_location(member)),
        }
    }

    /// `P->x`
    fn foreign(&self, process: Name<'_>, variable: Name<'_>) -> Checked<(ProcessId, &'n Symbol)> {
        let (id, names) = self.names.process(process)?;
        match names.variables.find(variable.text) {
            Some(symbol) => Ok((id, symbol)),
            None => {
                let message = format!("process `{}` has no variable `{}`", process.text, variable.text);
                let problem = Problem::new(variable.span, message, "not among its variables");
                Err(if names.locations.contains_key(variable.text) {
                    problem.help(format!("to ask for its state: `{}.{}`", process.text, variable.text))
                } else {
                    problem.suggest(variable.text, names.variables.known())
                })
            }
        }
    }

    fn read(
        &mut self,
        symbol: &Symbol,
        name: Name<'_>,
        index: Option<&ast::Expr<'_>>,
        span: Span,
        owner: Option<ProcessId>,
    ) -> Checked<Expr> {
        match (symbol, index) {
            (Symbol::Constant(value), None) => Ok(Expr::Const(*value)),
            (Symbol::Table(table), None) => Ok(Expr::Const(table.values[0])),
            (Symbol::Table(table), Some(index)) => {
                let lowered = self.index(name, index, table.values.len() as u32)?;
                if let Expr::Const(at) = lowered {
                    return Ok(Expr::Const(table.values[at as usize]));
                }
                let variable = self.table_variable(table, name, index.span, owner)?;
                Ok(Expr::Read(Place { variable, index: Some(Box::new(lowered)), span }))
            }
            _ => Ok(Expr::Read(self.place_of(symbol, name, index, span)?)),
        }
    }

    /// A place that can be stored into.
    pub fn target(&mut self, target: &ast::Expr<'_>, verb: &str) -> Checked<Place> {
        let ExprKind::Variable(name, index) = &target.kind else {
            let problem = Problem::new(target.span, format!("cannot {verb} this"), "not a variable");
            return Err(match &target.kind {
                ExprKind::Foreign(process, ..) => {
                    problem.help(format!("only process `{}` itself changes its variables", process.text))
                }
                _ => problem.help("a variable or an element of an array is needed: `x`, `a[i]`"),
            });
        };
        match self.names.find(*name, self.within)? {
            Symbol::Constant(_) | Symbol::Table(_) => {
                Err(Problem::new(target.span, format!("cannot {verb} the constant `{}`", name.text), "a constant"))
            }
            symbol => self.place_of(symbol, *name, index.as_deref(), target.span),
        }
    }

    fn place_of(
        &mut self,
        symbol: &Symbol,
        name: Name<'_>,
        index: Option<&ast::Expr<'_>>,
        span: Span,
    ) -> Checked<Place> {
        match (symbol, index) {
            (Symbol::Scalar(variable), None) => Ok(Place { variable: *variable, index: None, span }),
            (Symbol::Array(variable, len), Some(index)) => {
                let index = self.index(name, index, *len)?;
                Ok(Place { variable: *variable, index: Some(Box::new(index)), span })
            }
            // As in DiVinE: BEEM's train-gate models use an array where they mean its first element.
            (Symbol::Array(variable, _), None) => {
                Ok(Place { variable: *variable, index: Some(Box::new(Expr::Const(0))), span })
            }
            (Symbol::Scalar(_) | Symbol::Constant(_), Some(index)) => {
                let message = format!("`{}` is not an array", name.text);
                Err(Problem::new(index.span, message, "has nothing to index"))
            }
            (other, _) => Err(wrong_kind(name, other, "a variable")),
        }
    }

    fn index(&mut self, array: Name<'_>, index: &ast::Expr<'_>, len: u32) -> Checked<Expr> {
        let lowered = self.expression(index)?;
        match lowered {
            Expr::Const(at) if !(0..i64::from(len)).contains(&i64::from(at)) => {
                let message = format!("index {at} is outside the array `{}`", array.text);
                let problem = Problem::new(index.span, message, format!("the array has {len} elements"));
                Err(problem.help(format!("its indices are 0 to {}", len - 1)))
            }
            _ => Ok(lowered),
        }
    }

    fn table_variable(
        &mut self,
        table: &Table,
        name: Name<'_>,
        index: Span,
        owner: Option<ProcessId>,
    ) -> Checked<VariableId> {
        if let Some(id) = table.variable.get() {
            return Ok(id);
        }
        let Some(variables) = &mut self.variables else {
            let message = format!("the constant array `{}` is indexed by a value that is computed", name.text);
            return Err(Problem::new(index, message, "not a constant").help("only the model itself can do that"));
        };
        let id = VariableId(variables.len() as u32);
        variables.push(Variable {
            name: name.text.to_owned(),
            owner,
            ty: table.ty,
            array: Some(table.values.len() as u32),
            initial: table.values.clone(),
            span: name.span,
        });
        table.variable.set(Some(id));
        Ok(id)
    }
}

pub fn unary(operator: UnaryOp, operand: Expr) -> Expr {
    match operand {
        Expr::Const(value) => Expr::Const(operator.apply(value)),
        _ => Expr::Unary(operator, Box::new(operand)),
    }
}

/// An operation, or its value where that is known. A division by a constant zero stays: it is a fault of
/// the step that does it. Models that a macro language wrote are full of constant conditions.
pub fn binary(operator: BinaryOp, left: Expr, right: Expr, span: Span) -> Expr {
    if let (Expr::Const(left), Expr::Const(right)) = (&left, &right)
        && let Some(value) = operator.apply(*left, *right)
    {
        return Expr::Const(value);
    }
    match (operator, &left, &right) {
        // The right operand is not even evaluated.
        (BinaryOp::And, Expr::Const(0), _) => Expr::Const(0),
        (BinaryOp::Or, Expr::Const(known), _) if *known != 0 => Expr::Const(1),
        // What is left decides alone.
        (BinaryOp::And, Expr::Const(_), _) | (BinaryOp::Or, Expr::Const(0), _) if is_truth_value(&right) => right,
        (BinaryOp::Or, _, Expr::Const(0)) if is_truth_value(&left) => left,
        (BinaryOp::And, _, Expr::Const(known)) if *known != 0 && is_truth_value(&left) => left,
        _ => Expr::Binary(operator, Box::new(left), Box::new(right), span),
    }
}

/// Whether an expression has no values but 0 and 1.
fn is_truth_value(expr: &Expr) -> bool {
    use BinaryOp::{And, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Or};
    match expr {
        Expr::Const(value) => matches!(value, 0 | 1),
        Expr::At(..) | Expr::Unary(UnaryOp::Not, _) => true,
        Expr::Binary(operator, ..) => {
            matches!(operator, And | Or | Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
        }
        _ => false,
    }
}
