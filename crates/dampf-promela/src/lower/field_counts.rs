//! Statements that have more or fewer fields than the messages of their channel.
//!
//! Which channel a statement uses is known only when it is executed, so this is an error of the run and not of the
//! text; what SPIN finds wrong, and when, is found wrong here:
//!
//! - A send with another number of fields, as soon as it can be executed; without a receiver, too. Missing values are
//!   0, and values too many are lost.
//! - A receive, when it takes a message that it fits as far as both go. But a copy (`?<…>`) may leave fields out.
//! - A poll, when it compares a field that no message has.
//!
//! Where messages have one field, a second one is 0 to whoever compares it, and that is no error yet.

use super::steps::Draft;
use super::values::{and, equal};
use super::{Lowering, Part, constant, element};
use crate::typed::{Pattern, Statement, Value};
use dampf_core::FaultKind;
use dampf_gcl::ir::{Effect, Expr};

impl Lowering<'_> {
    /// What a send puts into each field of a channel's messages.
    pub fn sent(&self, queue: usize, values: &[Value]) -> Vec<Value> {
        let fields = self.queues[queue].fields.len();
        values.iter().cloned().chain(std::iter::repeat(Value::Const(0))).take(fields).collect()
    }

    /// The guard of a send with so many fields. One with the wrong number of them is a fault, which only a search that
    /// goes on passes.
    pub fn of_right_size(&mut self, part: Part, guard: Expr, queue: usize, fields: usize) -> Expr {
        if fields == self.queues[queue].fields.len() {
            return guard;
        }
        let can_send = if self.queues[queue].length.is_some() { self.has_room(queue) } else { constant(1) };
        let fault = Draft::new(part, and(guard.clone(), can_send));
        self.push(self.misfit(fault, part));
        if self.goes_on { guard } else { constant(0) }
    }

    /// Adds a step that receives from a channel, as a fault where the statement has the wrong number of fields.
    pub fn push_receive(&mut self, draft: Draft, queue: usize) {
        let receiver = draft.partner.unwrap_or(draft.part);
        let Statement::Receive { patterns, is_copy, .. } = &self.alternative(receiver).statement else {
            unreachable!("only a receive takes a message")
        };
        let (given, fields) = (patterns.len(), self.queues[queue].fields.len());
        if given == fields || given < fields && *is_copy {
            return self.push(draft);
        }
        let Draft { part, joint, partner, .. } = draft;
        let fault = Draft { joint, partner, ..Draft::new(part, draft.guard.clone()) };
        self.push(self.misfit(fault, receiver));
        if self.goes_on && given < fields {
            self.push(draft);
        }
    }

    fn misfit(&self, draft: Draft, at: Part) -> Draft {
        let span = self.alternative(at).span;
        let fault = Effect::Assert { condition: constant(0), kind: FaultKind::InvalidAccess, span };
        Draft { effects: vec![fault], ..draft }
    }

    /// Whether a poll finds the message at a position of a queue. Comparing a field that is not there is an access
    /// outside of the message.
    pub fn polls(&self, queue: usize, position: u32, patterns: &[Pattern], instance: usize) -> Expr {
        let found = self.matches(queue, position, patterns, instance);
        let slots = &self.queues[queue].slots;
        let compared = patterns.iter().skip(slots.len()).find(|pattern| matches!(pattern, Pattern::Match(_)));
        match (compared.filter(|_| slots.len() > 1), slots.first()) {
            (Some(_), Some(slots)) => and(found, equal(Expr::Read(element(*slots, constant(-1))), constant(0))),
            _ => found,
        }
    }

    /// Whether what a statement compares with fields that are not there fits: where messages have one field, with 0.
    pub fn matches_beyond(&self, fields: usize, patterns: &[Pattern], instance: usize) -> Expr {
        let beyond = patterns.iter().skip(fields).filter(|_| fields == 1);
        beyond.fold(constant(1), |fits, pattern| match pattern {
            Pattern::Match(value) => and(fits, equal(self.value(value, instance), constant(0))),
            Pattern::Store(_) | Pattern::Ignore => fits,
        })
    }
}
