//! Transitions: their states, guards, synchronisation and effects.

use super::Lowering;
use super::expression::binary;
use super::fitting::fitting;
use crate::ast::{self, Direction};
use crate::names::Symbol;
use crate::problem::{Checked, Problem};
use dampf_core::FaultKind;
use dampf_gcl::ir::{BinaryOp, ChannelId, Effect, Expr, IntType, Sync, Transition};

impl Lowering {
    /// The fields of an untyped channel are as many as its first use has operands. Values pass unchanged.
    pub(super) fn infer_channel_arities(&mut self, model: &ast::Model<'_>) {
        let mut inferred = vec![false; self.channels.len()];
        let syncs = model.processes.iter().flat_map(|process| &process.transitions);
        for sync in syncs.filter_map(|transition| transition.sync.as_ref()) {
            // Unknown names are reported where the transition is lowered.
            let Some(Symbol::Channel(channel)) = self.names.globals.find(sync.channel.text) else { continue };
            let channel = channel.0 as usize;
            if self.untyped[channel] && !inferred[channel] {
                inferred[channel] = true;
                self.channels[channel].fields = vec![IntType::I32; sync.operands.len()];
            }
        }
    }

    /// None where something is wrong with it, which is then reported: every part on its own.
    pub(super) fn transition(&mut self, index: usize, transition: &ast::Transition<'_>) -> Option<Transition> {
        let source = self.names.processes[index].location(transition.source);
        let target = self.names.processes[index].location(transition.target);
        let guard = self.guard(index, &transition.guards);
        let sync = transition.sync.as_ref().map(|sync| self.sync(index, sync)).transpose();
        let mut effects = Vec::new();
        for effect in &transition.effects {
            let effect = self.effect(index, effect);
            effects.push(self.report(effect));
            if self.is_hopeless() {
                return None;
            }
        }
        let (source, target, guard) = (self.report(source), self.report(target), self.report(guard));
        let sync = self.report(sync);
        Some(Transition {
            source: source?,
            target: target?,
            guard: guard?,
            sync: sync?,
            joint: None,
            effects: effects.into_iter().collect::<Option<Vec<_>>>()?.concat(),
            holder: None,
            span: transition.span,
        })
    }

    fn guard(&mut self, index: usize, guards: &[ast::Expr<'_>]) -> Checked<Option<Expr>> {
        let lowered = guards.iter().map(|guard| Ok((self.expressions(Some(index)).expression(guard)?, guard.span)));
        let mut parts = lowered.collect::<Checked<Vec<_>>>()?;
        // In pairs, not in a chain: the tree of a long list must not be deep.
        while parts.len() > 1 {
            let mut rest = parts.into_iter();
            let mut joined = Vec::new();
            while let Some((left, start)) = rest.next() {
                joined.push(match rest.next() {
                    Some((right, end)) => (binary(BinaryOp::And, left, right, start.to(end)), start.to(end)),
                    None => (left, start),
                });
            }
            parts = joined;
        }
        Ok(parts.pop().map(|(guard, _)| guard))
    }

    fn sync(&mut self, index: usize, sync: &ast::Sync<'_>) -> Checked<Sync> {
        let channel = self.names.channel(sync.channel)?;
        self.check_arity(channel, sync)?;
        let mut expressions = self.expressions(Some(index));
        Ok(match sync.direction {
            Direction::Send => {
                let values = sync.operands.iter().map(|value| expressions.expression(value));
                Sync::Send { channel, values: values.collect::<Checked<_>>()? }
            }
            Direction::Receive => {
                let targets = sync.operands.iter().map(|target| expressions.target(target, "receive into"));
                Sync::Receive { channel, targets: targets.collect::<Checked<_>>()? }
            }
        })
    }

    fn check_arity(&self, channel: ChannelId, sync: &ast::Sync<'_>) -> Checked<()> {
        let declared = &self.channels[channel.0 as usize];
        let (wanted, given) = (declared.fields.len(), sync.operands.len());
        if wanted == given {
            return Ok(());
        }
        let count = |count: usize| if count == 1 { "1 value".to_owned() } else { format!("{count} values") };
        let message = format!("channel `{}` carries {}, not {given}", declared.name, count(wanted));
        let problem = Problem::new(sync.span, message, format!("has {}", count(given)));
        Err(if self.untyped[channel.0 as usize] {
            problem.help("the channel has no declared types: its first use decides what it carries")
        } else {
            problem.help("its declaration says what it carries")
        })
    }

    /// An assignment, behind a check that its value fits: in DVE it is an error if it does not.
    fn effect(&mut self, index: usize, effect: &ast::Assignment<'_>) -> Checked<Vec<Effect>> {
        let mut expressions = self.expressions(Some(index));
        let target = expressions.target(&effect.target, "assign to")?;
        let value = expressions.expression(&effect.value)?;
        let variables = &self.variables;
        let check = fitting(&value, variables[target.variable.0 as usize].ty, variables, effect.span);
        let check = check.map(|condition| Effect::Assert { condition, kind: FaultKind::Overflow, span: effect.span });
        let assignment = Effect::Assign { target, value, span: effect.span };
        Ok(check.into_iter().chain([assignment]).collect())
    }
}
