//! The reference: the semantics of [`crate::ir`], executed literally on packed states.
//!
//! Written to be compared with that text, not to be fast; generated code is tested against it. Invariant: a
//! state passed in is one that the interpreter made with the same layout, and stays untouched.

use crate::faults::{FaultSite, fault_at, refuted_at};
use crate::ir::{
    ActionSource, BinaryOp, Channel, ChannelId, Effect, Expr, LocationId, Place, Process, ProcessId, Program, Sync,
    Transition, VariableId,
};
use crate::layout::{Buffer, Layout};
use dampf_core::{Action, Fault, FaultKind, StepEnd, Successors, Word};
use std::ops::Range;
use std::sync::Arc;

pub struct Interpreter {
    program: Arc<Program>,
    layout: Layout,
    actions: Vec<ActionSource>,
    /// For each process and location, the transitions that leave it as mover or sender, with their labels.
    leaving: Vec<Vec<Vec<Leaving>>>,
}

struct Leaving {
    transition: usize,
    labels: Range<usize>,
}

impl Interpreter {
    pub fn new(program: Arc<Program>, layout: Layout) -> Self {
        let actions = program.actions();
        let no_transitions = |process: &Process| process.locations.iter().map(|_| Vec::new()).collect();
        let mut leaving: Vec<Vec<Vec<Leaving>>> = program.processes.iter().map(no_transitions).collect();
        for (label, action) in actions.iter().enumerate() {
            let source = program.process(action.process).transitions[action.transition].source;
            let from_source = &mut leaving[action.process.0 as usize][source.0 as usize];
            match from_source.last_mut() {
                Some(last) if last.transition == action.transition => last.labels.end = label + 1,
                _ => from_source.push(Leaving { transition: action.transition, labels: label..label + 1 }),
            }
        }
        Interpreter { program, layout, actions, leaving }
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn actions(&self) -> &[ActionSource] {
        &self.actions
    }

    pub fn initial_state(&self) -> Vec<Word> {
        let mut state = vec![0; self.layout.width];
        for (field, process) in self.layout.locations.iter().zip(&self.program.processes) {
            field.set(&mut state, process.initial.0 as i32);
        }
        for (id, variable) in self.program.variables.iter().enumerate() {
            for (index, &value) in variable.initial.iter().enumerate() {
                self.layout.element(VariableId(id as u32), index as u32).set(&mut state, value);
            }
        }
        state
    }

    /// Everything that can happen next in `state`: clears `out` and fills it in action order with steps and faulty
    /// steps, the fault of the state (its first failing check), and whether it is a valid end. Returns whether the
    /// steps are those of the holder alone.
    pub fn successors(&self, state: &[Word], out: &mut Successors) -> bool {
        out.clear();
        let some_committed = self.process_ids().any(|process| self.is_committed(process, state));
        let may_begin = |process: &ProcessId| !some_committed || self.is_committed(*process, state);
        if let Some(holder) = self.holder(state).filter(may_begin) {
            self.steps_of(holder, state, out);
        }
        let is_held = !out.is_empty();
        if !is_held {
            // A holder that was tried in vain has nothing to contribute here either.
            self.process_ids().filter(may_begin).for_each(|process| self.steps_of(process, state, out));
        }
        if let Some(fault) = self.state_fault(state) {
            out.set_state_fault(fault);
        }
        out.set_valid_end(self.is_valid_end(state));
        is_held
    }

    /// The value of an expression in a state.
    pub fn evaluate(&self, expr: &Expr, state: &[Word]) -> Result<i32, Fault> {
        match expr {
            Expr::Const(value) => Ok(*value),
            Expr::Read(place) => Ok(self.layout.element(place.variable, self.index(place, state)?).get(state)),
            Expr::At(process, location) => Ok(i32::from(self.location(*process, state) == *location)),
            Expr::Length(channel) => Ok(self.buffer(*channel).map_or(0, |buffer| buffer.length.get(state))),
            Expr::Unary(op, operand) => Ok(op.apply(self.evaluate(operand, state)?)),
            Expr::Binary(op, left, right, span) => {
                let left = self.evaluate(left, state)?;
                match op {
                    BinaryOp::And if left == 0 => return Ok(0),
                    BinaryOp::Or if left != 0 => return Ok(1),
                    _ => {}
                }
                let right = self.evaluate(right, state)?;
                op.apply(left, right).ok_or_else(|| self.fault(FaultSite::Division(*span)))
            }
            Expr::Conditional(condition, then, otherwise) => match self.evaluate(condition, state)? {
                0 => self.evaluate(otherwise, state),
                _ => self.evaluate(then, state),
            },
        }
    }

    /// The location a process is in.
    pub fn location(&self, process: ProcessId, state: &[Word]) -> LocationId {
        LocationId(self.layout.locations[process.0 as usize].get(state) as u32)
    }

    /// The process that holds the system.
    pub fn holder(&self, state: &[Word]) -> Option<ProcessId> {
        let holder = self.layout.holder?.get(state) as u32;
        (holder > 0).then(|| ProcessId(holder - 1))
    }

    /// Whether committed locations keep a process from being the first of a step.
    pub fn is_kept_by_commitment(&self, process: ProcessId, state: &[Word]) -> bool {
        !self.is_committed(process, state) && self.process_ids().any(|other| self.is_committed(other, state))
    }

    fn process_ids(&self) -> impl Iterator<Item = ProcessId> + use<> {
        (0..self.program.processes.len() as u32).map(ProcessId)
    }

    fn is_committed(&self, process: ProcessId, state: &[Word]) -> bool {
        let location = self.location(process, state);
        self.program.process(process).locations[location.0 as usize].committed
    }

    /// Appends the steps that `process` moves or sends in.
    fn steps_of(&self, process: ProcessId, state: &[Word], out: &mut Successors) {
        let location = self.location(process, state);
        for Leaving { transition, labels } in &self.leaving[process.0 as usize][location.0 as usize] {
            let transition = &self.program.process(process).transitions[*transition];
            self.steps_by(transition, labels.clone(), state, out);
        }
    }

    /// Appends the steps of a transition whose source its process is in.
    fn steps_by(&self, transition: &Transition, labels: Range<usize>, state: &[Word], out: &mut Successors) {
        if transition.joint.is_some_and(|joint| self.location(joint.process, state) != joint.source) {
            return;
        }
        match self.is_guard_true(transition, state) {
            Ok(false) => return,
            Ok(true) => {}
            Err(fault) => return out.push_fault(Action(labels.start as u64), fault),
        }
        for label in labels {
            match self.step(&self.actions[label], state) {
                Ok(None) => {}
                Ok(Some(next)) => out.push(Action(label as u64), &next),
                Err(end) => out.push_end(Action(label as u64), end),
            }
        }
    }

    fn is_guard_true(&self, transition: &Transition, state: &[Word]) -> Result<bool, Fault> {
        transition.guard.as_ref().map_or(Ok(true), |guard| Ok(self.evaluate(guard, state)? != 0))
    }

    /// Takes a step whose first process is in its source with a true guard; none if it is not enabled.
    fn step(&self, action: &ActionSource, state: &[Word]) -> Result<Option<Vec<Word>>, StepEnd> {
        let transition = &self.program.process(action.process).transitions[action.transition];
        let partner = action.partner.map(|(receiver, index)| {
            let transition = &self.program.process(receiver).transitions[index];
            (receiver, transition)
        });
        if let Some((receiver, receiving)) = partner
            && (self.location(receiver, state) != receiving.source || !self.is_guard_true(receiving, state)?)
        {
            return Ok(None);
        }
        if !self.is_channel_ready(transition, state) {
            return Ok(None);
        }
        let message = self.message(transition, state)?;

        let mut next = state.to_vec();
        self.move_to(action.process, transition, &mut next);
        if let Some((receiver, receiving)) = partner {
            self.move_to(receiver, receiving, &mut next);
        }
        if let Some(joint) = transition.joint {
            self.layout.locations[joint.process.0 as usize].set(&mut next, joint.target.0 as i32);
        }
        self.change_holder(transition, partner, &mut next);
        match (&transition.sync, partner) {
            (Some(_), Some((_, receiving))) => self.store(receiving, &message, &mut next)?,
            (Some(Sync::Send { channel, .. }), None) => self.enqueue(*channel, &message, &mut next),
            (Some(Sync::Receive { channel, .. }), None) => {
                let message = self.dequeue(*channel, &mut next);
                self.store(transition, &message, &mut next)?;
            }
            (None, _) => {}
        }
        if let Some((_, receiving)) = partner {
            self.run_effects(&receiving.effects, &mut next)?;
        }
        self.run_effects(&transition.effects, &mut next)?;
        Ok(Some(next))
    }

    /// Whether a buffer that the transition uses has room to send to, or a message to receive.
    fn is_channel_ready(&self, transition: &Transition, state: &[Word]) -> bool {
        let length = |channel: &ChannelId| self.buffer(*channel).map(|buffer| buffer.length.get(state) as u32);
        match &transition.sync {
            Some(Sync::Send { channel, .. }) => {
                length(channel).is_none_or(|length| length < self.program.channel(*channel).capacity)
            }
            Some(Sync::Receive { channel, .. }) => length(channel).is_none_or(|length| length > 0),
            None => true,
        }
    }

    /// The values that the transition sends.
    fn message(&self, transition: &Transition, state: &[Word]) -> Result<Vec<i32>, Fault> {
        match &transition.sync {
            Some(Sync::Send { values, .. }) => values.iter().map(|value| self.evaluate(value, state)).collect(),
            _ => Ok(Vec::new()),
        }
    }

    fn move_to(&self, process: ProcessId, transition: &Transition, next: &mut [Word]) {
        self.layout.locations[process.0 as usize].set(next, transition.target.0 as i32);
    }

    fn change_holder(&self, transition: &Transition, partner: Option<(ProcessId, &Transition)>, next: &mut [Word]) {
        let Some(field) = self.layout.holder else { return };
        let holder = partner.and_then(|(_, receiving)| receiving.holder).or(transition.holder);
        field.set(next, holder.map_or(0, |holder| holder.0 as i32 + 1));
    }

    /// Stores a message into the targets of a receive.
    fn store(&self, receiving: &Transition, message: &[i32], next: &mut [Word]) -> Result<(), Fault> {
        let Some(Sync::Receive { channel, targets }) = &receiving.sync else { return Ok(()) };
        let fields = &self.program.channel(*channel).fields;
        for ((target, value), field) in targets.iter().zip(message).zip(fields) {
            self.assign(target, field.wrap(*value), next)?;
        }
        Ok(())
    }

    fn assign(&self, target: &Place, value: i32, next: &mut [Word]) -> Result<(), Fault> {
        let index = self.index(target, next)?;
        let ty = self.program.variable(target.variable).ty;
        self.layout.element(target.variable, index).set(next, ty.wrap(value));
        Ok(())
    }

    fn run_effects(&self, effects: &[Effect], next: &mut [Word]) -> Result<(), StepEnd> {
        for effect in effects {
            match effect {
                Effect::Assign { target, value, .. } => {
                    let index = self.index(target, next)?;
                    let value = self.evaluate(value, next)?;
                    let ty = self.program.variable(target.variable).ty;
                    self.layout.element(target.variable, index).set(next, ty.wrap(value));
                }
                Effect::Assert { condition, kind, span } => {
                    if self.evaluate(condition, next)? == 0 {
                        return Err(self.fault(FaultSite::Assertion(*kind, *span)).into());
                    }
                }
                Effect::Assume { condition, span } => {
                    if self.evaluate(condition, next)? == 0 {
                        return Err(refuted_at(&self.program, *span));
                    }
                }
            }
        }
        Ok(())
    }

    /// The element of its variable that a place names; 0 for a scalar.
    fn index(&self, place: &Place, state: &[Word]) -> Result<u32, Fault> {
        let Some(index) = &place.index else { return Ok(0) };
        let index = self.evaluate(index, state)?;
        let len = self.program.variable(place.variable).array.unwrap_or(1);
        match u32::try_from(index) {
            Ok(index) if index < len => Ok(index),
            _ => Err(self.fault(FaultSite::Index(place))),
        }
    }

    fn buffer(&self, channel: ChannelId) -> Option<&Buffer> {
        self.layout.channels[channel.0 as usize].as_ref()
    }

    fn buffered(&self, id: ChannelId) -> (&Channel, &Buffer) {
        (self.program.channel(id), self.buffer(id).expect("a step without partner uses a buffered channel"))
    }

    fn enqueue(&self, channel: ChannelId, message: &[i32], next: &mut [Word]) {
        let (channel, buffer) = self.buffered(channel);
        let length = buffer.length.get(next);
        for ((slots, value), ty) in buffer.slots.iter().zip(message).zip(&channel.fields) {
            slots.element(length as u32).set(next, ty.wrap(*value));
        }
        buffer.length.set(next, length + 1);
    }

    fn dequeue(&self, channel: ChannelId, next: &mut [Word]) -> Vec<i32> {
        let (_, buffer) = self.buffered(channel);
        let length = buffer.length.get(next) as u32;
        let mut message = Vec::new();
        for slots in &buffer.slots {
            message.push(slots.element(0).get(next));
            for slot in 1..length {
                let value = slots.element(slot).get(next);
                slots.element(slot - 1).set(next, value);
            }
            slots.element(length - 1).set(next, 0);
        }
        buffer.length.set(next, length as i32 - 1);
        message
    }

    /// The first check that fails.
    fn state_fault(&self, state: &[Word]) -> Option<Fault> {
        self.program.checks.iter().find_map(|check| {
            let failing_value = check.kind == FaultKind::Goal;
            match self.evaluate(&check.condition, state) {
                Ok(value) => ((value != 0) == failing_value).then(|| self.fault(FaultSite::Check(check))),
                Err(fault) => Some(fault),
            }
        })
    }

    fn is_valid_end(&self, state: &[Word]) -> bool {
        let at_end = |process: ProcessId| {
            let location = self.location(process, state);
            self.program.process(process).locations[location.0 as usize].end
        };
        !self.program.processes.is_empty() && self.process_ids().all(at_end)
    }

    fn fault(&self, site: FaultSite<'_>) -> Fault {
        fault_at(&self.program, site)
    }
}
