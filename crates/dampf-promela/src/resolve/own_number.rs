//! Processes that receive into `_pid`.
//!
//! `c?_pid` does not wait for a message with the number of the process, which is `c?eval(_pid)`: SPIN stores what it
//! receives, and the process has that for its `_pid` from then on. So there `_pid` is a variable that begins with the
//! number.

use crate::ast::{Argument, Reference, Statement, StatementKind};

pub const OWN_NUMBER: &str = "_pid";

/// Whether one of the statements, or of those within them, receives into `_pid`.
pub fn is_received(statements: &[Statement]) -> bool {
    let within = |statement: &Statement| is_received(std::slice::from_ref(statement));
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Receive { arguments, .. } => arguments.iter().any(is_own_number),
        StatementKind::If(options) | StatementKind::Do(options) => options.iter().any(|option| is_received(option)),
        StatementKind::Atomic(inner) | StatementKind::DStep(inner) | StatementKind::Block(inner) => is_received(inner),
        StatementKind::For { body, .. } => is_received(body),
        StatementKind::Unless { main, escape } => within(main) || within(escape),
        _ => false,
    })
}

fn is_own_number(argument: &Argument) -> bool {
    let Argument::Reference(Reference { parts, .. }) = argument else { return false };
    matches!(parts.as_slice(), [part] if part.name.text == OWN_NUMBER && part.index.is_none())
}
