//! Sends of more fields than the messages of any channel have.
//!
//! Whether a message fits its channel shows when it is sent. But one that is larger than all messages fits none, and
//! SPIN refuses the model.

use crate::problem::Problem;
use crate::typed::{Initial, Statement, Typed, Variable};

pub fn check(typed: &Typed) -> Vec<Problem> {
    let fields = |variable: &Variable| match &variable.initial {
        Initial::Channels { fields, .. } => fields.len(),
        _ => 0,
    };
    let locals = typed.proctypes.iter().flat_map(|proctype| &proctype.locals);
    let most = typed.globals.iter().chain(locals).map(fields).max().unwrap_or(0);
    let states = typed.proctypes.iter().flat_map(|proctype| &proctype.control.states);
    let alternatives = states.flat_map(|state| &state.edges).flat_map(|edge| &edge.alternatives);
    let mut problems: Vec<Problem> = Vec::new();
    for alternative in alternatives {
        let Statement::Send { values, .. } = &alternative.statement else { continue };
        let is_told = problems.iter().any(|problem| problem.span == alternative.span);
        if values.len() > most && !is_told {
            let message = format!("a message of {} fields, and channels take {most} at most", values.len());
            problems.push(*Problem::new(alternative.span, message, "sent here"));
        }
    }
    problems
}
