//! The faults a program can have, and the assumptions it can refute, by where they arise.
//!
//! The interpreter and generated code must report equal faults, and generated code keeps no run-time values
//! beside the state. A fault is therefore a function of its *site* in the program alone.

use crate::ir::{BinaryOp, Check, Expr, Place, Program, UnaryOp};
use dampf_core::{Fault, FaultKind, Revise, Span, StepEnd};

/// A place in a program that can fault.
#[derive(Clone, Copy, Debug)]
pub enum FaultSite<'p> {
    /// An index outside the bounds of the place's array.
    Index(&'p Place),
    /// A division, or remainder, by zero: the span of the whole expression.
    Division(Span),
    /// A violated [`Effect::Assert`](crate::ir::Effect::Assert): its kind and span.
    Assertion(FaultKind, Span),
    /// A check that fails.
    Check(&'p Check),
}

/// The fault that arises at a site.
pub fn fault_at(program: &Program, site: FaultSite<'_>) -> Fault {
    let source = &program.source;
    let (kind, message, span) = match site {
        FaultSite::Index(place) => {
            let name = program.variable_name(place.variable);
            let elements = match program.variable(place.variable).array.unwrap_or(1) {
                1 => "1 element".to_owned(),
                len => format!("{len} elements"),
            };
            let message = format!("an index of array `{name}` ({elements}) is out of bounds");
            (FaultKind::IndexOutOfBounds, message, Some(place.span))
        }
        FaultSite::Division(span) => {
            let message = match collapsed(source.slice(span)) {
                text if text.is_empty() => "division by zero".to_owned(),
                text => format!("division by zero in `{text}`"),
            };
            (FaultKind::DivisionByZero, message, Some(span))
        }
        FaultSite::Assertion(kind, span) => {
            let text = collapsed(source.slice(span));
            let message = match kind {
                FaultKind::Overflow => format!("`{text}` stores a value that does not fit"),
                FaultKind::InvalidAccess => format!("`{text}` uses a channel that is not there"),
                FaultKind::IndexOutOfBounds => format!("`{text}` uses an index that is out of bounds"),
                FaultKind::Deadlock => format!("`{text}` blocks within a deterministic step"),
                _ => format!("assertion `{text}` is violated"),
            };
            (kind, message, Some(span))
        }
        FaultSite::Check(check) => (check.kind, check_message(program, check), check.span),
    };
    Fault { kind, message, location: span.map(|span| source.location(span)) }
}

/// How a step ends that refutes the assumption at a place.
pub fn refuted_at(program: &Program, span: Span) -> StepEnd {
    let text = collapsed(program.source.slice(span));
    StepEnd::Refuted(Revise { what: format!("`{text}` was not prepared for"), facts: Vec::new() })
}

fn check_message(program: &Program, check: &Check) -> String {
    let text = collapsed(&check.text);
    match check.kind {
        FaultKind::Goal => format!("goal `{text}` is reached"),
        FaultKind::Assertion => match asserted_location(program, &check.condition) {
            // A text that says where it belongs need not say it twice.
            Some(location) => {
                let text = text.strip_suffix(&format!(" at {location}")).unwrap_or(&text);
                format!("assertion `{text}` is violated in {location}")
            }
            None => format!("assertion `{text}` is violated"),
        },
        kind => format!("{kind} `{text}` is violated"),
    }
}

/// The location an assertion belongs to, where its condition has the form "not at the location, or …".
fn asserted_location(program: &Program, condition: &Expr) -> Option<String> {
    let (process, location) = match condition {
        Expr::Binary(BinaryOp::Or, left, _, _) => match &**left {
            Expr::Unary(UnaryOp::Not, at) => match **at {
                Expr::At(process, location) => (process, location),
                _ => return None,
            },
            _ => return None,
        },
        Expr::Conditional(at, _, _) => match **at {
            Expr::At(process, location) => (process, location),
            _ => return None,
        },
        _ => return None,
    };
    let process = program.process(process);
    Some(format!("{}.{}", process.name, process.locations[location.0 as usize].name))
}

/// A text on one line: every run of white space becomes one blank.
pub fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
