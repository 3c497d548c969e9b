//! What statements do: stores, messages, rendezvous, and the birth and death of processes.

use super::channels::Queue;
use super::steps::Draft;
use super::values::{and, binary, equal, not, or, wrapped};
use super::{ABSENT, Lowering, Part, Storage, Unprepared, assign, cell, constant, element};
use crate::resolve::PROCESSES_MAX;
use crate::typed::{Initial, Pattern, Place, Run, Statement, Value};
use dampf_core::{FaultKind, Unsupported};
use dampf_gcl::ir::{BinaryOp, Effect, Expr, IntType, Joint, Place as Cell, VariableId};
use std::collections::BTreeSet;

/// Those who send to, and receive from, channels without room.
#[derive(Default)]
pub struct Rendezvous {
    senders: Vec<Side>,
    receivers: Vec<Side>,
    /// For those who may receive, the condition that one stands there with a channel that it is not prepared for.
    unprepared: Vec<(usize, Expr)>,
}

struct Side {
    part: Part,
    guard: Expr,
    queue: usize,
}

impl Rendezvous {
    pub fn add_sender(&mut self, part: Part, guard: Expr, queue: usize) {
        self.senders.push(Side { part, guard, queue });
    }

    /// Whether somebody but an instance would receive from a channel that it is not prepared for.
    pub fn unprepared_but(&self, instance: usize) -> Expr {
        let others = self.unprepared.iter().filter(|(receiver, _)| *receiver != instance);
        others.map(|(_, condition)| condition.clone()).fold(constant(0), or)
    }
}

impl Lowering<'_> {
    pub fn assignment(&self, place: &Place, value: &Value, instance: usize) -> Option<Effect> {
        self.store(place, self.value(value, instance), instance)
    }

    /// A store; none into a variable that nobody reads.
    fn store(&self, place: &Place, value: Expr, instance: usize) -> Option<Effect> {
        match self.storage(place.variable, instance) {
            Storage::Variable(_) => Some(assign(self.place(place, instance), value)),
            Storage::Channels(_) | Storage::Nowhere => None,
        }
    }

    pub fn send(&mut self, part: Part, guard: Expr, queue: usize, values: &[Value]) {
        let guard = self.with_room(part, and(guard, self.has_room(queue)), queue);
        let mut draft = Draft::new(part, guard);
        let length = self.queues[queue].length.expect("the channel is buffered");
        let end = if self.queues[queue].room == 1 { constant(0) } else { Expr::Read(cell(length)) };
        for (slots, value) in self.queues[queue].slots.iter().zip(&self.sent(queue, values)) {
            draft.effects.push(assign(element(*slots, end.clone()), self.value(value, part.instance)));
        }
        draft.effects.push(change(length, BinaryOp::Add));
        self.push(draft);
    }

    /// The guard of a send to a channel that is assumed to hold no more messages than there is room for. The step that
    /// would break that is marked.
    fn with_room(&mut self, part: Part, guard: Expr, queue: usize) -> Expr {
        let Queue { room, capacity, subject, .. } = self.queues[queue];
        if room == capacity {
            return guard;
        }
        let length = Expr::Read(cell(self.queues[queue].length.expect("the channel is buffered")));
        let room = constant(room as i32);
        let is_broken = and(guard.clone(), equal(length.clone(), room.clone()));
        self.mark(part, is_broken, Unprepared::Room(subject));
        and(guard, binary(BinaryOp::Less, length, room))
    }

    /// Marks a step that the model is not prepared for.
    pub fn mark(&mut self, part: Part, guard: Expr, unprepared: Unprepared) {
        let location = self.location(part.state);
        let span = self.alternative(part).span;
        let effect = Effect::Assume { condition: constant(0), span };
        self.add(
            part.instance,
            location,
            location,
            None,
            None,
            guard,
            vec![effect],
            span,
            vec![part],
            Some(unprepared),
        );
    }

    /// One transition for every place in the channel that the message can come to.
    pub fn send_sorted(&mut self, part: Part, guard: Expr, queue: usize, values: &[Value]) {
        let capacity = self.queues[queue].room;
        let length = self.queues[queue].length.expect("the channel is buffered");
        let new: Vec<Expr> = self.sent(queue, values).iter().map(|value| self.value(value, part.instance)).collect();
        let slots = self.queues[queue].slots.clone();
        let mut guard = self.with_room(part, and(guard, self.has_room(queue)), queue);
        for position in 0..capacity {
            let is_end = equal(Expr::Read(cell(length)), constant(position as i32));
            let is_within = binary(BinaryOp::Greater, Expr::Read(cell(length)), constant(position as i32));
            let is_less = and(is_within, comes_before(&new, &slots, position));
            let mut draft = Draft::new(part, and(guard.clone(), or(is_end.clone(), is_less.clone())));
            for slots in &slots {
                for at in (position + 1..capacity).rev() {
                    draft.effects.push(copy(*slots, at, at - 1));
                }
            }
            for (slots, value) in slots.iter().zip(&new) {
                draft.effects.push(assign(element(*slots, constant(position as i32)), value.clone()));
            }
            draft.effects.push(change(length, BinaryOp::Add));
            self.push(draft);
            guard = and(guard, not(or(is_end, is_less)));
        }
    }

    /// Receives from a buffered channel: one transition for every message that it can be.
    pub fn receive(
        &mut self,
        part: Part,
        guard: Expr,
        queue: usize,
        patterns: &[Pattern],
        is_random: bool,
        is_copy: bool,
    ) {
        let mut guard = guard;
        let capacity = self.queues[queue].room;
        let positions = if is_random { capacity } else { 1 };
        for position in 0..positions {
            let found = self.matches(queue, position, patterns, part.instance);
            let mut draft = Draft::new(part, and(guard.clone(), found.clone()));
            for (pattern, slots) in patterns.iter().zip(&self.queues[queue].slots) {
                if let Pattern::Store(place) = pattern {
                    let value = Expr::Read(element(*slots, constant(position as i32)));
                    draft.effects.extend(self.store(place, value, part.instance));
                }
            }
            if !is_copy {
                for slots in &self.queues[queue].slots {
                    draft.effects.extend((position + 1..capacity).map(|at| copy(*slots, at - 1, at)));
                    draft.effects.push(assign(element(*slots, constant(capacity as i32 - 1)), constant(0)));
                }
                let length = self.queues[queue].length.expect("the channel is buffered");
                draft.effects.push(change(length, BinaryOp::Subtract));
            }
            self.push_receive(draft, queue);
            guard = and(guard, not(found));
        }
    }

    /// A channel variable that names no channel is an error of the model, and so is an index outside of an array of
    /// channels.
    pub fn without_channel(&mut self, part: Part, guard: Expr, channel: &Place) {
        let instance = part.instance;
        let span = self.alternative(part).span;
        if let Storage::Channels(_) = self.storage(channel.variable, instance) {
            let sizes = &self.typed_variable(channel.variable, instance).sizes;
            let indices = channel.indices.iter().map(|index| self.value(index, instance));
            let within = sizes.iter().zip(indices).fold(constant(1), |within, (size, index)| {
                let at_least = binary(BinaryOp::GreaterEqual, index.clone(), constant(0));
                let below = binary(BinaryOp::Less, index, constant(*size as i32));
                and(within, and(at_least, below))
            });
            let mut draft = Draft::new(part, and(guard, not(within)));
            draft.effects.push(Effect::Assert { condition: constant(0), kind: FaultKind::IndexOutOfBounds, span });
            return self.push(draft);
        }
        if !self.points_to.numbers(self, channel, instance).contains(&0) {
            return;
        }
        let Storage::Variable(_) = self.storage(channel.variable, instance) else { return };
        let is_none = equal(Expr::Read(self.place(channel, instance)), constant(0));
        let mut draft = Draft::new(part, and(guard, is_none));
        draft.effects.push(Effect::Assert { condition: constant(0), kind: FaultKind::InvalidAccess, span });
        self.push(draft);
    }

    /// Everybody who may receive from a channel without room.
    pub fn receivers(&self) -> Rendezvous {
        let mut rendezvous = Rendezvous::default();
        for instance in 0..self.instances.len() {
            for (state, description) in self.proctype(instance).control.states.iter().enumerate() {
                for (edge, description) in description.edges.iter().enumerate() {
                    for (alternative, description) in description.alternatives.iter().enumerate() {
                        let Statement::Receive { channel, .. } = &description.statement else { continue };
                        let part = Part { instance, state, edge, alternative };
                        if let Some(is_other) = self.names_another_channel(part, channel) {
                            let here = Expr::At(self.process(instance), self.location(state));
                            rendezvous.unprepared.push((instance, and(here, is_other)));
                        }
                        for (queue, _) in self.prepared_channels(part, channel) {
                            if self.queues[queue].length.is_none() {
                                // Whoever is sent a message takes it, whatever else it could escape to.
                                let guard = self.permission(instance);
                                rendezvous.receivers.push(Side { part, guard, queue });
                            }
                        }
                    }
                }
            }
        }
        rendezvous
    }

    /// Whether somebody stands ready to receive a message from a channel without room.
    pub fn has_receiver(&self, sender: usize, queue: usize, values: &[Value], rendezvous: &Rendezvous) -> Expr {
        let receivers = rendezvous.receivers.iter();
        let fitting = receivers.filter(|receiver| receiver.queue == queue && receiver.part.instance != sender);
        let ready = fitting.map(|receiver| {
            let here = Expr::At(self.process(receiver.part.instance), self.location(receiver.part.state));
            and(and(here, receiver.guard.clone()), self.agreement(sender, receiver, values))
        });
        ready.fold(constant(0), or)
    }

    /// Whether a receiver takes a message: it fits, and no escape that comes first takes it.
    fn agreement(&self, sender: usize, receiver: &Side, values: &[Value]) -> Expr {
        let Part { instance, state, edge, .. } = receiver.part;
        let accepted = self.fits(sender, instance, &self.alternative(receiver.part).statement, receiver.queue, values);
        let edges = &self.proctype(instance).control.states[state].edges;
        let escapes =
            edges[..edge].iter().filter(|earlier| earlier.escape != 0 && earlier.escape != edges[edge].escape);
        let escaping = escapes
            .flat_map(|escape| &escape.alternatives)
            .map(|alternative| self.fits(sender, instance, &alternative.statement, receiver.queue, values));
        and(accepted, not(escaping.fold(constant(0), or)))
    }

    /// Whether a statement is a receive from a channel without room that a message fits.
    fn fits(&self, sender: usize, receiver: usize, statement: &Statement, queue: usize, values: &[Value]) -> Expr {
        let Statement::Receive { channel, patterns, .. } = statement else { return constant(0) };
        let named = self.channels(channel, receiver).into_iter().filter(|(named, _)| *named == queue);
        let is_named = named.map(|(_, is_named)| is_named).fold(constant(0), or);
        let values = self.sent(queue, values);
        let parts = patterns.iter().zip(&values).zip(&self.queues[queue].fields);
        let agreed = parts.fold(is_named, |agreed, ((pattern, value), field)| match pattern {
            Pattern::Match(wanted) => {
                let sent = wrapped(self.value(value, sender), field.ty);
                and(agreed, equal(sent, self.value(wanted, receiver)))
            }
            Pattern::Store(_) | Pattern::Ignore => agreed,
        });
        and(agreed, self.matches_beyond(self.queues[queue].fields.len(), patterns, receiver))
    }

    /// Makes one transition of every sender with every receiver.
    pub fn pair(&mut self, rendezvous: &Rendezvous) -> Result<(), Unsupported> {
        for sender in &rendezvous.senders {
            for receiver in &rendezvous.receivers {
                if receiver.queue == sender.queue && receiver.part.instance != sender.part.instance {
                    self.meet(sender, receiver);
                }
            }
            self.check_size()?;
        }
        Ok(())
    }

    fn meet(&mut self, sender: &Side, receiver: &Side) {
        let Statement::Send { values, .. } = &self.alternative(sender.part).statement else { return };
        let Statement::Receive { patterns, .. } = &self.alternative(receiver.part).statement else { return };
        let agreement = self.agreement(sender.part.instance, receiver, values);
        let guard = and(and(sender.guard.clone(), receiver.guard.clone()), agreement);
        let mut draft = Draft::new(sender.part, guard);
        let mut stores = Vec::new();
        let values = self.sent(sender.queue, values);
        for ((pattern, value), field) in patterns.iter().zip(&values).zip(&self.queues[sender.queue].fields) {
            let Pattern::Store(place) = pattern else { continue };
            let value = wrapped(self.value(value, sender.part.instance), field.ty);
            if let Storage::Variable(_) = self.storage(place.variable, receiver.part.instance) {
                stores.push((self.place(place, receiver.part.instance), value));
            }
        }
        draft.effects = self.at_once(stores);
        let accepted = self.alternative(receiver.part);
        draft.joint = Some(Joint {
            process: self.process(receiver.part.instance),
            source: self.location(receiver.part.state),
            target: self.location(accepted.target),
        });
        // Whoever receives goes on, if that is atomic; the sender waits for its turn.
        draft.passes_to = accepted.holds.then(|| self.process(receiver.part.instance));
        draft.partner = Some(receiver.part);
        self.push_receive(draft, sender.queue);
    }

    /// Stores values that are all computed before the first is stored.
    fn at_once(&mut self, stores: Vec<(Cell, Expr)>) -> Vec<Effect> {
        let mut stored = BTreeSet::new();
        let mut is_disturbed = false;
        for (target, value) in &stores {
            is_disturbed |= reads_any(value, &stored);
            stored.insert(target.variable);
        }
        if !is_disturbed {
            return stores.into_iter().map(|(target, value)| assign(target, value)).collect();
        }
        let scratch: Vec<VariableId> = (0..stores.len()).map(|number| self.scratch(number)).collect();
        let mut effects = Vec::new();
        let (targets, values): (Vec<Cell>, Vec<Expr>) = stores.into_iter().unzip();
        effects.extend(scratch.iter().zip(values).map(|(scratch, value)| assign(cell(*scratch), value)));
        let kept = scratch.iter().zip(targets);
        effects.extend(kept.map(|(scratch, target)| assign(target, Expr::Read(cell(*scratch)))));
        effects.extend(scratch.iter().map(|scratch| assign(cell(*scratch), constant(0))));
        effects
    }

    /// A variable that is 0 in all states.
    fn scratch(&mut self, number: usize) -> VariableId {
        let name = format!("(message {number})");
        match self.variables.iter().position(|variable| variable.name == name) {
            Some(at) => VariableId(at as u32),
            None => self.add_variable(&name, None, IntType::I32, vec![0], None),
        }
    }

    /// Starts a process: one transition for every instance that it can be, and a mark for all others.
    pub fn start(&mut self, part: Part, guard: Expr, run: &Run, result: Option<&Place>) {
        let mut others = guard.clone();
        for instance in 0..self.instances.len() {
            let description = self.instances[instance];
            // Whoever is there is older than those who come.
            let is_younger = description.pid > self.instances[part.instance].pid;
            if description.proctype != run.proctype || !is_younger || !self.is_prepared_to_start(part, instance) {
                continue;
            }
            let mut is_next = equal(Expr::Read(cell(self.process_count)), constant(description.pid as i32));
            if let Some(count) = self.channel_count {
                is_next = and(is_next, equal(Expr::Read(cell(count)), constant(description.channels as i32)));
            }
            let mut draft = Draft::new(part, and(guard.clone(), is_next.clone()));
            draft.effects = self.birth(part.instance, instance, run);
            if let Some(place) = result {
                draft.effects.extend(self.store(place, constant(description.pid as i32), part.instance));
            }
            draft.joint = Some(Joint {
                process: self.process(instance),
                source: ABSENT,
                target: self.location(self.proctype(instance).control.initial),
            });
            self.push(draft);
            others = and(others, not(is_next));
        }
        let has_room = binary(BinaryOp::Less, Expr::Read(cell(self.process_count)), constant(PROCESSES_MAX as i32));
        self.mark(part, and(others, has_room), Unprepared::Process(run.proctype));
    }

    /// The new process gets its parameters, and its variables their initial values.
    fn birth(&self, parent: usize, child: usize, run: &Run) -> Vec<Effect> {
        let mut effects = Vec::new();
        for (parameter, argument) in run.arguments.iter().enumerate() {
            if let Storage::Variable(id) = self.locals[child][parameter] {
                effects.push(assign(cell(id), self.value(argument, parent)));
            }
        }
        if let Some(id) = self.priorities.get(child) {
            let priority = run.priority.as_ref().map(|priority| self.value(priority, parent));
            let priority = priority.unwrap_or(constant(1));
            effects.push(assign(cell(*id), priority));
        }
        effects.push(change(self.process_count, BinaryOp::Add));
        let mut next_channel = self.instances[child].channels as i32 + 1;
        for (local, variable) in self.proctype(child).locals.iter().enumerate().skip(run.arguments.len()) {
            let len = variable.len();
            let first = next_channel;
            if let Initial::Channels { .. } = variable.initial {
                next_channel += len as i32;
            }
            let Storage::Variable(id) = self.locals[child][local] else { continue };
            for index in 0..len {
                let value = match &variable.initial {
                    Initial::Value(value) => self.value(value, child),
                    Initial::List(values) => {
                        values.get(index as usize).map_or(constant(0), |value| self.value(value, child))
                    }
                    Initial::Channels { .. } => constant(first + index as i32),
                };
                if !matches!(value, Expr::Const(0)) {
                    let target = if variable.sizes.is_empty() { cell(id) } else { element(id, constant(index as i32)) };
                    effects.push(assign(target, value));
                }
            }
        }
        if let Some(count) = self.channel_count.filter(|_| next_channel > self.instances[child].channels as i32 + 1) {
            effects.push(assign(cell(count), constant(next_channel - 1)));
        }
        effects
    }

    /// A dead process leaves nothing behind.
    pub fn burial(&self, instance: usize) -> Vec<Effect> {
        let mut effects = vec![change(self.process_count, BinaryOp::Subtract)];
        if let Some(count) = self.channel_count.filter(|_| self.proctype(instance).channels() > 0) {
            effects.push(assign(cell(count), constant(self.instances[instance].channels as i32)));
        }
        let owned = (0..self.variables.len() as u32)
            .map(VariableId)
            .filter(|id| self.variables[id.0 as usize].owner == Some(self.process(instance)));
        for id in owned {
            match self.variables[id.0 as usize].array {
                None => effects.push(assign(cell(id), constant(0))),
                Some(len) => {
                    effects.extend((0..len).map(|index| assign(element(id, constant(index as i32)), constant(0))));
                }
            }
        }
        effects
    }
}

/// Adds 1 to a variable, or subtracts it.
fn change(variable: VariableId, op: BinaryOp) -> Effect {
    assign(cell(variable), binary(op, Expr::Read(cell(variable)), constant(1)))
}

fn copy(slots: VariableId, to: u32, from: u32) -> Effect {
    assign(element(slots, constant(to as i32)), Expr::Read(element(slots, constant(from as i32))))
}

/// Whether a message comes before the one at a position of a sorted channel.
fn comes_before(new: &[Expr], slots: &[VariableId], position: u32) -> Expr {
    let fields = new.iter().zip(slots).rev();
    fields.fold(constant(0), |later, (value, slots)| {
        let stored = Expr::Read(element(*slots, constant(position as i32)));
        let is_less = binary(BinaryOp::Less, value.clone(), stored.clone());
        or(is_less, and(equal(value.clone(), stored), later))
    })
}

/// Whether an expression reads one of the variables.
fn reads_any(expr: &Expr, variables: &BTreeSet<VariableId>) -> bool {
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => false,
        Expr::Read(place) => {
            variables.contains(&place.variable) || place.index.as_ref().is_some_and(|index| reads_any(index, variables))
        }
        Expr::Unary(_, operand) => reads_any(operand, variables),
        Expr::Binary(_, left, right, _) => reads_any(left, variables) || reads_any(right, variables),
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].iter().any(|expr| reads_any(expr, variables))
        }
    }
}
