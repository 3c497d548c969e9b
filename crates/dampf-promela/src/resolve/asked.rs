//! Conditions on states that are given from outside, invariants and goals, in the model's own language.
//!
//! They are about what a state holds: global variables, channels, and other processes by remote references. What
//! belongs to a process or a run (`_pid`, `_last`, `enabled`, `timeout`, priorities) has no meaning there, or would
//! make other states of the model's.
//!
//! The atoms of properties are the same, but that they may ask for `_last`, which then is a part of states.

use super::expression::Context;
use super::{Resolver, Unfinished};
use crate::ast::{Argument, Expr, ExprKind, Reference};
use crate::parser::read_expression;
use crate::problem::{Checked, Problem, diagnose};
use crate::typed::{Check, Proposition, Value};
use dampf_core::{Diagnostic, FaultKind, Source, Span};

/// What is asked: whether a condition always holds, or whether it ever does.
pub struct Asked<'t> {
    pub kind: FaultKind,
    pub text: &'t str,
}

impl Resolver {
    /// Reads what is asked. Labels that are named become states, as those that a claim names do.
    pub fn asked(&mut self, asked: &[Asked<'_>], proctypes: &[Unfinished]) -> Result<Vec<Check>, Vec<Diagnostic>> {
        let mut checks = Vec::new();
        for Asked { kind, text } in asked {
            let source = Source::new("expression", *text);
            let names = proctypes.iter().map(|proctype| proctype.name.as_str());
            let expr = read_expression(&source, names).map_err(|diagnostic| vec![diagnostic])?;
            let check = self.check(*kind, text, &expr, proctypes);
            checks.push(check.map_err(|problem| diagnose(&source, vec![*problem]))?);
        }
        Ok(checks)
    }

    /// Reads expressions that properties are made of.
    pub fn atoms(&mut self, texts: &[String], proctypes: &[Unfinished]) -> Result<Vec<Proposition>, Vec<Diagnostic>> {
        let mut propositions = Vec::new();
        for text in texts {
            let source = Source::new("formula", text.as_str());
            let names = proctypes.iter().map(|proctype| proctype.name.as_str());
            let expr = read_expression(&source, names).map_err(|diagnostic| vec![diagnostic])?;
            let condition = self.outside(&expr, Place::Property, proctypes);
            let condition = condition.map_err(|problem| diagnose(&source, vec![*problem]))?;
            propositions.push(Proposition { text: text.clone(), condition });
        }
        Ok(propositions)
    }

    /// Reads expressions for how many steps may be left.
    pub fn estimates(&mut self, texts: &[String], proctypes: &[Unfinished]) -> Result<Vec<Value>, Vec<Diagnostic>> {
        let read = |text: &String| {
            let source = Source::new("expression", text.as_str());
            let names = proctypes.iter().map(|proctype| proctype.name.as_str());
            let expr = read_expression(&source, names).map_err(|diagnostic| vec![diagnostic])?;
            let value = self.outside(&expr, Place::Check, proctypes);
            value.map_err(|problem| diagnose(&source, vec![*problem]))
        };
        texts.iter().map(read).collect()
    }

    fn check(&mut self, kind: FaultKind, text: &str, expr: &Expr, proctypes: &[Unfinished]) -> Checked<Check> {
        let condition = self.outside(expr, Place::Check, proctypes)?;
        Ok(Check { kind, condition, text: text.to_owned() })
    }

    /// An expression that stands outside of all processes.
    fn outside(&mut self, expr: &Expr, place: Place, proctypes: &[Unfinished]) -> Checked<Value> {
        if let Some((what, span)) = foreign(expr, place) {
            let problem = Problem::new(span, format!("`{what}` cannot be asked about"), "not part of a state");
            return Err(problem.help("ask about global variables, channels, `P[i]:x` and `P[i]@label`"));
        }
        let mut context = Context::new(&self.names, None);
        let condition = context.value(expr)?;
        let noticed = context.noticed;
        noticed.variables.iter().try_for_each(|variable| variable.check(proctypes))?;
        self.has_last |= noticed.last;
        for (proctype, label, span) in noticed.labels {
            let Unfinished { name, builder, .. } = &proctypes[proctype];
            if !builder.has_label(&label) {
                return Err(Problem::new(span, format!("`{name}` has no label `{label}`"), "named here"));
            }
            self.remote_labels.push((proctype, label, Span::default()));
        }
        Ok(condition)
    }
}

/// Where an expression stands that belongs to no process.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// An invariant or a goal.
    Check,
    /// A never claim, or an atom of a formula.
    Property,
}

/// The first part of an expression that is about no state.
pub fn foreign(expr: &Expr, place: Place) -> Option<(&str, Span)> {
    let of = |expr| foreign(expr, place);
    match &expr.kind {
        ExprKind::Number(_) => None,
        ExprKind::Reference(reference) | ExprKind::Channel(_, reference) => foreign_name(reference, place),
        ExprKind::Unary(_, operand) | ExprKind::PcValue(operand) => of(operand),
        ExprKind::Binary(_, left, right) => of(left).or_else(|| of(right)),
        ExprKind::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().find_map(|part| of(part))
        }
        ExprKind::Poll { channel, arguments, .. } => foreign_name(channel, place)
            .or_else(|| arguments.iter().find_map(|argument| foreign_argument(argument, place))),
        ExprKind::AtLabel { process, .. } => process.as_deref().and_then(of),
        ExprKind::RemoteVariable { process, variable, .. } => {
            let indices = variable.parts.iter().filter_map(|part| part.index.as_deref());
            process.as_deref().into_iter().chain(indices).find_map(of)
        }
        ExprKind::Run { .. } => Some(("run", expr.span)),
        ExprKind::Enabled(_) => Some(("enabled", expr.span)),
        ExprKind::GetPriority(_) => Some(("get_priority", expr.span)),
        ExprKind::Timeout => Some(("timeout", expr.span)),
        ExprKind::NonProgress => Some(("np_", expr.span)),
    }
}

fn foreign_name(reference: &Reference, place: Place) -> Option<(&str, Span)> {
    let name = reference.parts[0].name.text.as_str();
    let mut indices = reference.parts.iter().filter_map(|part| part.index.as_deref());
    match name {
        "_pid" | "_priority" => Some((name, reference.span)),
        "_last" if place == Place::Check => Some((name, reference.span)),
        _ => indices.find_map(|index| foreign(index, place)),
    }
}

fn foreign_argument(argument: &Argument, place: Place) -> Option<(&str, Span)> {
    match argument {
        Argument::Reference(reference) => foreign_name(reference, place),
        Argument::Constant(expr) | Argument::Eval(expr, _) => foreign(expr, place),
    }
}
