//! Transitions of a process instance, and of a Büchi automaton, lowered.
//!
//! A transition that can never be taken is left out.

use crate::ast::{self, Expression, Statement};
use crate::fold;
use crate::lower::Lowering;
use crate::mistake::Mistake;
use crate::symbols::Template;
use dampf_core::{FaultKind, Span};
use dampf_gcl::ir::{BinaryOp, Effect, Expr, LocationId, Sync, Transition};

/// When a transition can be taken, as far as its guards say.
pub enum Guard {
    Never,
    Always,
    When(Expr),
}

impl Lowering<'_> {
    /// Adds what a transition becomes: one for each value of its `for`.
    pub fn transition(
        &mut self,
        template: &Template,
        source: LocationId,
        transition: &ast::Transition,
        out: &mut Vec<Transition>,
    ) -> Result<(), Mistake> {
        let target = template.states.find(&transition.target)?;
        self.bound_transition(transition, 0, &mut |lowering| {
            lowering.budget.spend(1, transition.span)?;
            let guard = match lowering.guard(&transition.guards, transition.span)? {
                Guard::Never => return Ok(()),
                Guard::Always => None,
                Guard::When(condition) => Some(condition),
            };
            let sync = transition.sync.as_ref().map(|sync| lowering.sync(sync)).transpose()?;
            let mut effects = Vec::new();
            lowering.effects(&transition.statements, &mut effects)?;
            out.push(Transition {
                source,
                target,
                guard,
                sync,
                joint: None,
                effects,
                holder: None,
                span: transition.span,
            });
            Ok(())
        })
    }

    fn bound_transition(
        &mut self,
        transition: &ast::Transition,
        bound: usize,
        action: &mut dyn FnMut(&mut Self) -> Result<(), Mistake>,
    ) -> Result<(), Mistake> {
        match transition.binders.get(bound) {
            None => action(self),
            Some(binder) => {
                self.for_each(binder, |lowering| lowering.bound_transition(transition, bound + 1, &mut *action))
            }
        }
    }

    pub fn guard(&mut self, guards: &[Expression], span: Span) -> Result<Guard, Mistake> {
        let mut conditions = Vec::new();
        for guard in guards {
            match self.expression(guard)? {
                Expr::Const(0) => return Ok(Guard::Never),
                Expr::Const(_) => (),
                condition => conditions.push(condition),
            }
        }
        Ok(match fold::joined(BinaryOp::And, conditions, 1, span) {
            Expr::Const(0) => Guard::Never,
            Expr::Const(_) => Guard::Always,
            condition => Guard::When(condition),
        })
    }

    fn sync(&mut self, sync: &ast::Sync) -> Result<Sync, Mistake> {
        Ok(match sync {
            ast::Sync::Send { queue, value } => {
                Sync::Send { channel: self.scope.queue(queue)?, values: vec![self.expression(value)?] }
            }
            ast::Sync::Receive { target, queue } => {
                Sync::Receive { channel: self.scope.queue(queue)?, targets: vec![self.place(target)?] }
            }
        })
    }

    fn effects(&mut self, statements: &[Statement], out: &mut Vec<Effect>) -> Result<(), Mistake> {
        for statement in statements {
            match statement {
                Statement::Assign { target, value, span } => {
                    let target = self.place(target)?;
                    out.push(Effect::Assign { target, value: self.expression(value)?, span: *span });
                }
                Statement::Assert { condition, span } => {
                    let condition = self.expression(condition)?;
                    out.push(Effect::Assert { condition, kind: FaultKind::Assertion, span: *span });
                }
                Statement::For { binder, body } => {
                    self.for_each(binder, |lowering| lowering.effects(body, &mut *out))?;
                }
                Statement::New { span, .. } => return Err(new_in_process(*span)),
            }
        }
        Ok(())
    }
}

pub fn new_in_process(span: Span) -> Mistake {
    Mistake::new(span, "a process is created by a process", "created here")
        .help("processes are created in the `init` of the model")
}
