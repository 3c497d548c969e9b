//! How much work the code of a step is, and whether it may be done in vain.
//!
//! Efforts are rough numbers of instructions. What is found out here of a step's values is what the generated
//! code finds out, because both ask the same facts in the same order. The limits were found by measuring.

use super::facts::{Facts, Spot, spot};
use super::interval::Interval;
use super::lowering::Lowering;
use super::step::{Step, assume_ready, change_length, readiness};
use crate::ir::{BinaryOp, Effect, Expr, Place, Sync};
use crate::layout::Layout;

/// The greatest effort that is spent on a step that may be disabled, rather than on a branch around it.
pub(super) const EFFORT_IN_VAIN_MAX: usize = 40;

/// The same for all the steps of a sender with its receivers, of which at most a few are enabled.
pub(super) const EFFORT_OF_RENDEZVOUS_MAX: usize = 16;

/// The greatest effort that is spent on all transitions of a process, rather than on a jump to its location.
pub(super) const EFFORT_WITHOUT_DISPATCH_MAX: usize = 14;

/// The greatest effort that is spent on a condition whose value may not matter.
pub(super) const EFFORT_FOR_A_BRANCH_MAX: usize = 12;

impl Lowering<'_, '_> {
    /// The effort of a step; none if it must not be taken in vain.
    pub fn effort(&self, step: &Step<'_>, facts: &Facts) -> Option<usize> {
        let layout = self.layout;
        let mut facts = facts.clone();
        let mut effort = 2 + layout.width.div_ceil(2);
        if let Some(joint) = step.transition.joint {
            facts.narrow(layout.locations[joint.process.0 as usize], Interval::point(joint.source.0 as i32));
            effort += 2;
        }
        if let Some(guard) = step.guard {
            effort += weigh(&facts, layout, guard)?;
            facts.assume(layout, guard, true);
        }
        if let Some((channel, is_send)) = step.buffered(layout) {
            let (op, bound) = readiness(self.program.channel(channel).capacity, is_send);
            assume_ready(&mut facts, layout, channel, op, bound);
        }
        let mut sent = Vec::new();
        if let Some(Sync::Send { values, .. }) = &step.transition.sync {
            for value in values {
                effort += weigh(&facts, layout, value)?;
                sent.push(facts.interval(layout, value));
            }
        }
        for (field, value) in self.moves(step) {
            facts.store(field, Interval::point(value));
            effort += 1;
        }
        let receiving = step.partner.map_or(step.transition, |(_, receiving)| receiving);
        if let Some((channel, is_send)) = step.buffered(layout) {
            let slots = &layout.channels[channel.0 as usize].as_ref()?.slots;
            effort += slots.iter().map(|slots| 5 * slots.words().count()).sum::<usize>();
            change_length(&mut facts, layout, channel, if is_send { 1 } else { -1 });
            if !is_send {
                sent = slots.iter().map(|slots| Interval::of_field(slots.first)).collect();
            }
        }
        if let Some(Sync::Receive { channel, targets }) = &receiving.sync {
            let types = &self.program.channel(*channel).fields;
            for ((target, interval), ty) in targets.iter().zip(sent).zip(types) {
                let interval = if interval.is_within_type(*ty) { interval } else { Interval::of_type(*ty) };
                effort += store(&mut facts, layout, target, interval)?;
            }
        }
        for transition in step.transitions() {
            for effect in &transition.effects {
                match effect {
                    Effect::Assign { target, value, .. } => {
                        effort += weigh(&facts, layout, value)?;
                        let interval = facts.interval(layout, value);
                        effort += store(&mut facts, layout, target, interval)?;
                    }
                    Effect::Assert { condition, .. } | Effect::Assume { condition, .. }
                        if facts.is_certain(layout, condition) => {}
                    // What may fail is a check.
                    Effect::Assert { .. } | Effect::Assume { .. } => return None,
                }
            }
        }
        Some(effort)
    }
}

/// The effort of a store; what is known afterwards is what the generated code knows.
fn store(facts: &mut Facts, layout: &Layout, target: &Place, value: Interval) -> Option<usize> {
    if !facts.is_place_harmless(layout, target) {
        return None;
    }
    match spot(layout, target) {
        Spot::Fixed(field) => {
            facts.store(field, value);
            Some(if value.constant().is_some() { 1 } else { 4 })
        }
        Spot::Element(array) => {
            let index = target.index.as_deref().map_or(Some(0), |index| weigh(facts, layout, index))?;
            facts.forget(&array);
            Some(index + 6 + if array.is_one_word() { 0 } else { array.words().count() })
        }
        Spot::Outside => None,
    }
}

/// The effort of an expression; none if it must not be evaluated in vain.
pub(super) fn weigh(facts: &Facts, layout: &Layout, expr: &Expr) -> Option<usize> {
    facts.is_harmless(layout, expr).then(|| weight(expr))
}

/// A rough number of instructions for an expression.
pub(super) fn weight(expr: &Expr) -> usize {
    match expr {
        Expr::Const(_) => 0,
        Expr::At(..) | Expr::Length(_) => 2,
        Expr::Read(place) => place.index.as_deref().map_or(2, |index| 2 + 2 * weight(index)),
        Expr::Unary(_, operand) => 1 + weight(operand),
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, left, right, _) => 20 + weight(left) + weight(right),
        Expr::Binary(_, left, right, _) => 1 + weight(left) + weight(right),
        Expr::Conditional(condition, then, otherwise) => 2 + weight(condition) + weight(then) + weight(otherwise),
    }
}
