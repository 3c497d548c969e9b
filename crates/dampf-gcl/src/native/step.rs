//! Steps as code: a step is tried, and if it can be taken its result is written where the cursor stands.
//!
//! A wrongly predicted branch costs more than the whole of a typical step. Where a step cannot fault and is
//! short, its result is therefore written always, and the cursor moves only if the step was enabled; the next
//! step overwrites what was written in vain. Other steps branch around their effects.

use super::effort::EFFORT_IN_VAIN_MAX;
use super::expression::{Destination, Target};
use super::facts::{Facts, length_field};
use super::interval::Interval;
use super::lowering::{Cursor, FaultExit, Lowering};
use super::operand::{Condition, Operand};
use super::view::View;
use super::{FAULTY, REPORT_STEP_FAULTS};
use crate::faults::FaultSite;
use crate::ir::{BinaryOp, ChannelId, Effect, Expr, Place, ProcessId, Sync, Transition};
use crate::layout::{Field, Layout, Storage, places_of};
use cranelift_codegen::ir::Block;

/// A step whose moving processes are known to be in its sources.
#[derive(Clone, Copy)]
pub(super) struct Step<'p> {
    pub label: usize,
    pub mover: ProcessId,
    pub transition: &'p Transition,
    /// The receiver of a rendezvous.
    pub partner: Option<(ProcessId, &'p Transition)>,
    /// What is left to be evaluated of the guards: of a rendezvous, the receiver's.
    pub guard: Option<&'p Expr>,
}

impl<'p> Lowering<'p, '_> {
    /// Tries a step, which is enabled only where `ready` holds too; the cursor behind it. Where that is not
    /// certain, the step must be one that can be taken in vain.
    pub fn step(&mut self, step: &Step<'p>, facts: &Facts, ready: Condition, cursor: Cursor) -> Cursor {
        let is_certain =
            step.guard.is_none() && step.buffered(self.layout).is_none() && step.transition.joint.is_none();
        let is_short = || self.effort(step, facts).is_some_and(|effort| effort <= EFFORT_IN_VAIN_MAX);
        match ready {
            Condition::Known(false) => cursor,
            Condition::Known(true) if is_certain || !is_short() => self.step_by_branches(step, facts, cursor),
            _ => self.step_in_vain(step, facts, ready, cursor),
        }
    }

    /// Writes the result of a step, and moves on only if it is enabled.
    fn step_in_vain(&mut self, step: &Step<'p>, facts: &Facts, ready: Condition, cursor: Cursor) -> Cursor {
        self.exit = None;
        let mut view = View::before(self.layout.width, facts.clone());
        let joint_ready = self.joint_ready(step, &mut view);
        let mut condition = self.both(ready, joint_ready);
        if let Some(guard) = step.guard {
            let guard_holds = self.condition(guard, &view);
            condition = self.both(condition, guard_holds);
            view.facts.assume(self.layout, guard, true);
        }
        let channel_ready = self.channel_ready(step, &mut view);
        condition = self.both(condition, channel_ready);
        if matches!(condition, Condition::Known(false)) {
            return cursor;
        }
        self.take(step, &view, cursor);
        self.advance_if(condition, cursor)
    }

    /// Branches around what need not be done.
    fn step_by_branches(&mut self, step: &Step<'p>, facts: &Facts, cursor: Cursor) -> Cursor {
        let next = self.cursor_block();
        self.exit = Some(FaultExit::default());
        let mut view = View::before(self.layout.width, facts.clone());
        let joint_ready = self.joint_ready(step, &mut view);
        if !matches!(joint_ready, Condition::Known(true)) {
            let go = self.builder.create_block();
            self.branch_on(joint_ready, (go, &[]), (next, &cursor.arguments()));
            self.builder.switch_to_block(go);
        }
        if let Some(guard) = step.guard {
            self.go_on_if(guard, &view, next, cursor);
            view.facts.assume(self.layout, guard, true);
        }
        let channel_ready = self.channel_ready(step, &mut view);
        if !matches!(channel_ready, Condition::Known(true)) {
            let go = self.builder.create_block();
            self.branch_on(channel_ready, (go, &[]), (next, &cursor.arguments()));
            self.builder.switch_to_block(go);
        }
        self.take(step, &view, cursor);
        let behind = self.advance(cursor);
        let is_certain =
            step.guard.is_none() && step.buffered(self.layout).is_none() && step.transition.joint.is_none();
        if is_certain && self.exit.is_some_and(|exit| exit.block.is_none()) {
            return behind;
        }
        self.jump(next, behind);
        self.finish_faults(step.label, cursor, next);
        self.enter_with_cursor(next)
    }

    /// Goes on in a new block if the guard is true, and with the unchanged cursor at `otherwise` if not.
    pub fn go_on_if(&mut self, guard: &Expr, view: &View, otherwise: Block, cursor: Cursor) {
        let go = self.builder.create_block();
        let no = Destination { block: otherwise, arguments: &cursor.arguments() };
        self.branch(guard, view, Destination::to(go), no);
        self.builder.switch_to_block(go);
    }

    /// Makes the code for a step that ended in a fault: an entry like any other, but marked.
    pub fn finish_faults(&mut self, label: usize, cursor: Cursor, next: Block) {
        let Some(FaultExit { block: Some(block) }) = self.exit.take() else { return };
        self.builder.switch_to_block(block);
        let site = self.builder.block_params(block)[0];
        self.store_label(cursor, label as i64 | FAULTY as i64);
        self.store_at(site, cursor.words, 0);
        let one = self.constant(1);
        self.store_at(one, self.report, REPORT_STEP_FAULTS);
        let behind = self.advance(cursor);
        self.jump(next, behind);
    }

    /// Whether the process that moves along is where it must be.
    fn joint_ready(&mut self, step: &Step<'_>, enabled: &mut View) -> Condition {
        let Some(joint) = step.transition.joint else { return Condition::Known(true) };
        let field = self.layout.locations[joint.process.0 as usize];
        let here = self.read_field(enabled, field);
        let ready = self.compare(BinaryOp::Equal, here, Operand::constant(joint.source.0 as i32));
        enabled.facts.narrow(field, Interval::point(joint.source.0 as i32));
        ready
    }

    /// Whether the buffered channel of a step is not full, or not empty.
    fn channel_ready(&mut self, step: &Step<'_>, enabled: &mut View) -> Condition {
        let Some((channel, is_send)) = step.buffered(self.layout) else { return Condition::Known(true) };
        let field = length_field(self.layout, channel).expect("the channel is buffered");
        let length = self.read_field(enabled, field);
        let (op, bound) = readiness(self.program.channel(channel).capacity, is_send);
        let ready = self.compare(op, length, Operand::constant(bound));
        assume_ready(&mut enabled.facts, self.layout, channel, op, bound);
        ready
    }

    /// Writes the result of a step that is enabled in the state before it.
    fn take(&mut self, step: &Step<'p>, enabled: &View, cursor: Cursor) {
        let mut values = Vec::new();
        if let Some(Sync::Send { values: sent, .. }) = &step.transition.sync {
            values.extend(sent.iter().map(|value| {
                let interval = enabled.facts.interval(self.layout, value);
                (self.value(value, enabled), interval)
            }));
        }
        let mut view = enabled.begin_step(cursor);
        self.move_processes(step, &mut view);
        match (&step.transition.sync, step.partner) {
            (Some(Sync::Send { channel, .. }), Some((_, receiving))) => {
                if let Some(Sync::Receive { targets, .. }) = &receiving.sync {
                    self.deliver(*channel, &values, targets, &mut view);
                }
            }
            (Some(Sync::Send { channel, .. }), None) => self.enqueue(*channel, &values, &mut view),
            (Some(Sync::Receive { channel, targets }), _) => {
                let values = self.dequeue(*channel, &mut view);
                self.deliver(*channel, &values, targets, &mut view);
            }
            (None, _) => {}
        }
        for transition in step.transitions() {
            for effect in &transition.effects {
                self.effect(effect, &mut view);
            }
        }
        self.write_back(&view, cursor);
        self.store_label(cursor, step.label as i64);
    }

    /// The locations that change, and the holder, with their new values.
    pub fn moves(&self, step: &Step<'_>) -> Vec<(Field, i32)> {
        let mut moves = vec![(self.layout.locations[step.mover.0 as usize], step.transition.target.0 as i32)];
        if let Some((receiver, receiving)) = step.partner {
            moves.push((self.layout.locations[receiver.0 as usize], receiving.target.0 as i32));
        }
        if let Some(joint) = step.transition.joint {
            moves.push((self.layout.locations[joint.process.0 as usize], joint.target.0 as i32));
        }
        let holder = step.partner.and_then(|(_, receiving)| receiving.holder).or(step.transition.holder);
        let holder = holder.map_or(0, |holder| holder.0 as i32 + 1);
        moves.extend(self.layout.holder.map(|field| (field, holder)));
        moves
    }

    fn move_processes(&mut self, step: &Step<'_>, view: &mut View) {
        for (field, value) in self.moves(step) {
            self.write_field(view, field, Operand::constant(value));
            view.facts.store(field, Interval::point(value));
        }
    }

    /// Stores a message into the targets of a receive, each value wrapped to the channel's type first.
    fn deliver(&mut self, channel: ChannelId, values: &[(Operand, Interval)], targets: &[Place], view: &mut View) {
        let types = &self.program.channel(channel).fields;
        for (((value, interval), target), ty) in values.iter().zip(targets).zip(types) {
            self.settle_place(target, view, true);
            let place = self.target(target, view);
            let bits = self.program.variable(target.variable).ty.bits;
            let value = match bits <= ty.bits {
                true => self.congruent(*value, u32::from(bits)),
                false => self.wrapped(*value, *ty),
            };
            let interval = if interval.is_within_type(*ty) { *interval } else { Interval::of_type(*ty) };
            self.store(place, value, interval, view);
        }
    }

    fn enqueue(&mut self, channel: ChannelId, values: &[(Operand, Interval)], view: &mut View) {
        let buffer = self.layout.channels[channel.0 as usize].as_ref().expect("the channel is buffered");
        let length = self.read_field(view, buffer.length);
        for (slots, (value, _)) in buffer.slots.iter().zip(values) {
            self.fill_element(view, slots, length, *value);
        }
        self.write_field(view, buffer.length, length.plus(1));
        change_length(&mut view.facts, self.layout, channel, 1);
    }

    fn dequeue(&mut self, channel: ChannelId, view: &mut View) -> Vec<(Operand, Interval)> {
        let buffer = self.layout.channels[channel.0 as usize].as_ref().expect("the channel is buffered");
        let mut values = Vec::new();
        for slots in &buffer.slots {
            let head = self.read_field(view, slots.element(0));
            values.push((head, Interval::of_field(slots.first)));
            self.shift_elements(view, slots);
        }
        let length = self.read_field(view, buffer.length);
        self.write_field(view, buffer.length, length.plus(-1));
        change_length(&mut view.facts, self.layout, channel, -1);
        values
    }

    fn effect(&mut self, effect: &'p Effect, view: &mut View) {
        match effect {
            Effect::Assign { target, value, .. } => {
                self.settle_place(target, view, true);
                self.settle_expr(value, view);
                let place = self.target(target, view);
                let interval = view.facts.interval(self.layout, value);
                let bits = self.program.variable(target.variable).ty.bits;
                let value = self.value_modulo(value, view, u32::from(bits));
                self.store(place, value, interval, view);
            }
            Effect::Assert { condition, .. } | Effect::Assume { condition, .. }
                if view.facts.is_certain(self.layout, condition) => {}
            Effect::Assert { condition, kind, span } => {
                let is_violated = self.is_violated(condition, view);
                self.check(is_violated, FaultSite::Assertion(*kind, *span));
                view.facts.assume(self.layout, condition, true);
            }
            Effect::Assume { condition, span } => {
                let is_refuted = self.is_violated(condition, view);
                self.check_assumption(is_refuted, *span);
                view.facts.assume(self.layout, condition, true);
            }
        }
    }

    fn is_violated(&mut self, condition: &Expr, view: &mut View) -> Condition {
        self.settle_expr(condition, view);
        let holds = self.condition(condition, view);
        self.not(holds)
    }

    fn store(&mut self, target: Target, value: Operand, interval: Interval, view: &mut View) {
        match target {
            Target::Fixed(field) => {
                self.write_field(view, field, value);
                view.facts.store(field, interval);
            }
            Target::Element(array, index) => {
                self.write_element(view, &array, index, value);
                view.facts.forget(&array);
            }
        }
    }

    /// Prepares the arrays of several words that an expression indexes.
    fn settle_expr(&mut self, expr: &Expr, view: &mut View) {
        let layout = self.layout;
        places_of(expr, &mut |place| self.settle_array(layout, place, view, false));
    }

    fn settle_place(&mut self, place: &Place, view: &mut View, is_written: bool) {
        self.settle_array(self.layout, place, view, is_written);
        if let Some(index) = &place.index {
            self.settle_expr(index, view);
        }
    }

    fn settle_array(&mut self, layout: &Layout, place: &Place, view: &mut View, is_written: bool) {
        let is_computed = place.index.as_deref().is_some_and(|index| !matches!(index, Expr::Const(_)));
        if let (true, Storage::Array(array)) = (is_computed, &layout.variables[place.variable.0 as usize]) {
            self.settle(view, array, is_written);
        }
    }
}

impl<'p> Step<'p> {
    /// The buffered channel that the step sends to (true) or receives from.
    pub fn buffered(&self, layout: &Layout) -> Option<(ChannelId, bool)> {
        let sync = self.transition.sync.as_ref()?;
        let channel = sync.channel();
        layout.channels[channel.0 as usize].as_ref()?;
        Some((channel, matches!(sync, Sync::Send { .. })))
    }

    /// The transitions in the order in which their effects run.
    pub fn transitions(&self) -> impl Iterator<Item = &'p Transition> {
        self.partner.map(|(_, transition)| transition).into_iter().chain([self.transition])
    }
}

/// The comparison with a channel's length that a send, or a receive, needs to hold.
pub(super) fn readiness(capacity: u32, is_send: bool) -> (BinaryOp, i32) {
    if is_send { (BinaryOp::Less, capacity as i32) } else { (BinaryOp::Greater, 0) }
}

pub(super) fn assume_ready(facts: &mut Facts, layout: &Layout, channel: ChannelId, op: BinaryOp, bound: i32) {
    let length = Box::new(Expr::Length(channel));
    let span = dampf_core::Span { start: 0, end: 0 };
    facts.assume(layout, &Expr::Binary(op, length, Box::new(Expr::Const(bound)), span), true);
}

pub(super) fn change_length(facts: &mut Facts, layout: &Layout, channel: ChannelId, change: i64) {
    let field = length_field(layout, channel).expect("the channel is buffered");
    let length = facts.of(field);
    facts.store(field, length.shifted(change).and(Interval::of_field(field)));
}
