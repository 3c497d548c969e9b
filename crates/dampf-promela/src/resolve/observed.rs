//! The labels that never claims and formulas refer to.
//!
//! A label that something outside of a proctype names is a state even where a jump follows, so these references matter
//! although the properties themselves are left to the property engine.

use crate::ast::{self, Expr, ExprKind, Statement, StatementKind};
use crate::names::Names;
use dampf_core::Span;

/// A reference to a label: the proctype, the label, where it is. Those in formulas have no place of their own.
pub type LabelReference = (usize, String, Span);

pub fn labels(model: &ast::Model, names: &Names) -> Vec<LabelReference> {
    let mut found = Vec::new();
    for unit in &model.units {
        match unit {
            ast::Unit::Never(automaton) | ast::Unit::Trace { body: automaton, .. } => {
                automaton.body.iter().for_each(|statement| in_statement(statement, names, &mut found));
            }
            ast::Unit::Ltl(ltl) => in_formula(&ltl.formula, names, &mut found),
            _ => {}
        }
    }
    found
}

fn in_statement(statement: &Statement, names: &Names, found: &mut Vec<LabelReference>) {
    let mut statements =
        |statements: &[Statement]| statements.iter().for_each(|statement| in_statement(statement, names, found));
    match &statement.kind {
        StatementKind::If(options) | StatementKind::Do(options) => options.iter().for_each(|option| statements(option)),
        StatementKind::Atomic(inner) | StatementKind::DStep(inner) | StatementKind::Block(inner) => statements(inner),
        StatementKind::For { body, .. } => statements(body),
        StatementKind::Unless { main, escape } => {
            in_statement(main, names, found);
            in_statement(escape, names, found);
        }
        StatementKind::Condition(value) | StatementKind::Assert(value) => in_expression(value, names, found),
        _ => {}
    }
}

fn in_expression(expr: &Expr, names: &Names, found: &mut Vec<LabelReference>) {
    match &expr.kind {
        ExprKind::AtLabel { proctype, label, .. } => {
            if let Some(proctype) = names.proctype(&proctype.text) {
                found.push((proctype, label.text.clone(), label.span));
            }
        }
        ExprKind::Unary(_, operand) => in_expression(operand, names, found),
        ExprKind::Binary(_, left, right) => {
            in_expression(left, names, found);
            in_expression(right, names, found);
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].iter().for_each(|expr| in_expression(expr, names, found));
        }
        _ => {}
    }
}

/// A formula is kept as words: `P [ 1 ] @ label`.
fn in_formula(formula: &str, names: &Names, found: &mut Vec<LabelReference>) {
    let words: Vec<&str> = formula.split_whitespace().collect();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == "@") {
        let opening = words[..at].iter().rposition(|word| *word == "[");
        let owner = match words[..at].last() {
            Some(&"]") => opening.and_then(|opening| words[..opening].last()),
            other => other,
        };
        if let (Some(proctype), Some(label)) = (owner.and_then(|name| names.proctype(name)), words.get(at + 1)) {
            found.push((proctype, (*label).to_owned(), Span::default()));
        }
    }
}
