//! What a step of a state reads and writes.
//!
//! The step is executed once more, as the interpreter would, and every object that its evaluation looks at is noted.
//! That is exact: evaluation is deterministic, so a state that agrees on what was looked at has the same step. What is
//! not in the expressions of a step but decides about it comes on top:
//!
//! - A process that is not in a committed location moves only while none is: its steps read, of every process that can
//!   be committed, whether it is. That is an object of its own, so that steps among plain locations have nothing to do
//!   with it.
//! - Where steps are single, they read who holds the system. While somebody does, they also write it, even if it stays
//!   the same. Steps of others are there only because the holder cannot move, and read why it cannot.
//! - A compound step has the objects of all its moments. One that ends because its holder cannot move reads why it
//!   cannot.
//! - A step that looks at the timeout asks whether anything else can happen, and reads everything.
//! - A step that leads to no state, or to an error state, writes everything: it commutes with nothing.
//!
//! Invariant: objects are numbered by the program alone. First the elements of all variables, in the order of their
//! declaration, then channels, locations and commitments of processes, and last the holder.

use crate::ir::{
    ActionSource, BinaryOp, ChannelId, Effect, Expr, LocationId, Place, ProcessId, Program, Sync, Transition,
    VariableId,
};
use crate::model::GclModel;
use dampf_core::{Action, Footprint, Footprints, Object, Word};

/// What the number of an object stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObjectKind {
    /// An element of an array, or a scalar (index 0).
    Element(VariableId, u32),
    /// The messages in a buffered channel.
    Channel(ChannelId),
    /// Where a process is.
    Location(ProcessId),
    /// Whether a process is in a committed location.
    Commitment(ProcessId),
    /// Which process holds the system.
    Holder,
}

/// Numbers for the objects of a program.
pub struct ObjectNumbers {
    /// The number of each variable's first element.
    variables: Vec<u64>,
    first_channel: u64,
    first_location: u64,
    first_commitment: u64,
    holder: u64,
    /// The processes that have committed locations.
    committing: Vec<ProcessId>,
}

impl ObjectNumbers {
    pub fn new(program: &Program) -> Self {
        let mut next = 0;
        let first_of = |variable: &crate::ir::Variable| {
            let first = next;
            next += u64::from(variable.array.unwrap_or(1));
            first
        };
        let variables = program.variables.iter().map(first_of).collect();
        let processes = program.processes.len() as u64;
        let first_location = next + program.channels.len() as u64;
        let can_commit =
            |process: &ProcessId| program.process(*process).locations.iter().any(|location| location.committed);
        ObjectNumbers {
            variables,
            first_channel: next,
            first_location,
            first_commitment: first_location + processes,
            holder: first_location + 2 * processes,
            committing: (0..processes as u32).map(ProcessId).filter(can_commit).collect(),
        }
    }

    /// How many objects there are.
    pub fn count(&self) -> u64 {
        self.holder + 1
    }

    pub fn element(&self, variable: VariableId, index: u32) -> Object {
        Object(self.variables[variable.0 as usize] + u64::from(index))
    }

    pub fn channel(&self, channel: ChannelId) -> Object {
        Object(self.first_channel + u64::from(channel.0))
    }

    pub fn location(&self, process: ProcessId) -> Object {
        Object(self.first_location + u64::from(process.0))
    }

    pub fn commitment(&self, process: ProcessId) -> Object {
        Object(self.first_commitment + u64::from(process.0))
    }

    pub fn holder(&self) -> Object {
        Object(self.holder)
    }

    pub fn kind(&self, object: Object) -> ObjectKind {
        let Object(number) = object;
        match number {
            _ if number < self.first_channel => {
                // A variable has at least one element, so the last that begins here or before is the one.
                let variable = self.variables.partition_point(|first| *first <= number) - 1;
                ObjectKind::Element(VariableId(variable as u32), (number - self.variables[variable]) as u32)
            }
            _ if number < self.first_location => ObjectKind::Channel(ChannelId((number - self.first_channel) as u32)),
            _ if number < self.first_commitment => {
                ObjectKind::Location(ProcessId((number - self.first_location) as u32))
            }
            _ if number < self.holder => ObjectKind::Commitment(ProcessId((number - self.first_commitment) as u32)),
            _ => ObjectKind::Holder,
        }
    }
}

impl Footprints for GclModel {
    fn footprint(&self, state: &[Word], action: Action, footprint: &mut Footprint) {
        footprint.clear();
        let mut reads_everything = false;
        let mut leads_on = true;
        let path = self.path(state, action);
        let last = path.len().saturating_sub(1);
        for (number, (moment, action)) in path.into_iter().enumerate() {
            let mut tracing = Tracing::new(self, moment, footprint);
            leads_on = tracing.step(&self.actions()[action.front_end() as usize]).is_some();
            if leads_on && number == last && self.program().has_compound_steps {
                tracing.attempts_of_holder();
            }
            reads_everything |= tracing.has_seen_timeout;
        }
        let everything = || (0..self.object_numbers().count()).map(Object);
        if reads_everything {
            footprint.reads = everything().collect();
        }
        if !leads_on {
            footprint.writes = everything().collect();
        }
        footprint.normalise();
    }

    fn object_name(&self, object: Object) -> String {
        let program = self.program();
        match self.object_numbers().kind(object) {
            ObjectKind::Element(id, index) => match program.variable(id).array {
                Some(_) => format!("{}[{index}]", program.variable_name(id)),
                None => program.variable_name(id),
            },
            ObjectKind::Channel(id) => program.channel(id).name.clone(),
            ObjectKind::Location(id) => format!("the location of {}", program.process(id).name),
            ObjectKind::Commitment(id) => format!("whether {} is committed", program.process(id).name),
            ObjectKind::Holder => "the holder of the system".to_owned(),
        }
    }
}

/// The execution of a step that notes what it uses. Every method that yields an `Option` yields none for a fault.
struct Tracing<'a> {
    model: &'a GclModel,
    numbers: &'a ObjectNumbers,
    /// Before the step, and as far as it has come.
    state: Vec<Word>,
    footprint: &'a mut Footprint,
    has_seen_timeout: bool,
}

impl<'a> Tracing<'a> {
    fn new(model: &'a GclModel, state: Vec<Word>, footprint: &'a mut Footprint) -> Self {
        Tracing { model, numbers: model.object_numbers(), state, footprint, has_seen_timeout: false }
    }

    fn read(&mut self, object: Object) {
        self.footprint.reads.push(object);
    }

    fn write(&mut self, object: Object) {
        self.footprint.writes.push(object);
    }

    /// Takes a step that is among those of the state.
    fn step(&mut self, action: &ActionSource) -> Option<()> {
        let program = self.model.program();
        let transition = &program.process(action.process).transitions[action.transition];
        let partner = action.partner.map(|(receiver, index)| (receiver, &program.process(receiver).transitions[index]));
        if self.model.interpreter().holder(&self.state).is_some_and(|holder| holder != action.process) {
            self.attempts_of_holder();
        }
        self.look_at_commitments(action.process);
        self.look_at_location(action.process);
        if let Some(joint) = transition.joint {
            self.look_at_location(joint.process);
        }
        self.guard(transition)?;
        if let Some((receiver, receiving)) = partner {
            self.look_at_location(receiver);
            self.guard(receiving)?;
        }
        let message = match &transition.sync {
            Some(Sync::Send { values, .. }) => {
                values.iter().map(|value| self.value(value)).collect::<Option<Vec<i32>>>()?
            }
            _ => Vec::new(),
        };
        self.go(action.process, transition.target);
        if let Some((receiver, receiving)) = partner {
            self.go(receiver, receiving.target);
        }
        if let Some(joint) = transition.joint {
            self.go(joint.process, joint.target);
        }
        let holder = partner.and_then(|(_, receiving)| receiving.holder).or(transition.holder);
        self.change_holder(holder);
        match (&transition.sync, partner) {
            (Some(_), Some((_, receiving))) => self.store(receiving, &message)?,
            (Some(Sync::Send { channel, .. }), None) => self.use_buffer(*channel, 1),
            (Some(Sync::Receive { channel, .. }), None) => {
                let message = self.head(*channel);
                self.use_buffer(*channel, -1);
                self.store(transition, &message)?;
            }
            (None, _) => {}
        }
        if let Some((_, receiving)) = partner {
            self.effects(&receiving.effects)?;
        }
        self.effects(&transition.effects)
    }

    /// Looks at why the holder, if there is one, cannot go on.
    fn attempts_of_holder(&mut self) {
        let Some(holder) = self.model.interpreter().holder(&self.state) else { return };
        let program = self.model.program();
        self.look_at_commitments(holder);
        let location = self.look_at_location(holder);
        for transition in program.process(holder).transitions.iter().filter(|one| one.source == location) {
            if transition.joint.is_some_and(|joint| self.look_at_location(joint.process) != joint.source)
                || self.guard(transition) == Some(0)
            {
                continue;
            }
            let Some(sync) = &transition.sync else { continue };
            if program.channel(sync.channel()).capacity > 0 {
                self.read(self.numbers.channel(sync.channel()));
            } else {
                self.attempts_to_receive(sync.channel());
            }
        }
    }

    /// Looks at whether somebody can receive in a rendezvous.
    fn attempts_to_receive(&mut self, channel: ChannelId) {
        for (number, process) in self.model.program().processes.iter().enumerate() {
            for transition in &process.transitions {
                let receives = matches!(&transition.sync, Some(Sync::Receive { channel: on, .. }) if *on == channel);
                if receives && self.look_at_location(ProcessId(number as u32)) == transition.source {
                    // Whether it is true, false or faulty: all that counts is what it depends on.
                    let _ = self.guard(transition);
                }
            }
        }
    }

    // Locations and holders.

    fn look_at_location(&mut self, process: ProcessId) -> LocationId {
        self.read(self.numbers.location(process));
        self.model.interpreter().location(process, &self.state)
    }

    /// What else lets a process move.
    fn look_at_commitments(&mut self, mover: ProcessId) {
        if self.model.layout().holder.is_some() && !self.model.program().has_compound_steps {
            self.read(self.numbers.holder());
        }
        let location = self.model.interpreter().location(mover, &self.state);
        if !self.is_committed(mover, location) {
            self.numbers.committing.iter().for_each(|other| self.footprint.reads.push(self.numbers.commitment(*other)));
        }
    }

    fn is_committed(&self, process: ProcessId, location: LocationId) -> bool {
        self.model.program().process(process).locations[location.0 as usize].committed
    }

    fn go(&mut self, process: ProcessId, target: LocationId) {
        let source = self.model.interpreter().location(process, &self.state);
        if source != target {
            self.write(self.numbers.location(process));
        }
        if self.is_committed(process, source) != self.is_committed(process, target) {
            self.write(self.numbers.commitment(process));
        }
        self.model.layout().locations[process.0 as usize].set(&mut self.state, target.0 as i32);
    }

    fn change_holder(&mut self, holder: Option<ProcessId>) {
        let Some(field) = self.model.layout().holder else { return };
        let is_held = field.get(&self.state) != 0;
        // Between compound steps nobody holds the system.
        if (is_held || holder.is_some()) && !self.model.program().has_compound_steps {
            self.write(self.numbers.holder());
        }
        field.set(&mut self.state, holder.map_or(0, |holder| holder.0 as i32 + 1));
    }

    // Channels.

    /// Sends or receives: of what is in the buffer, targets and effects see the length alone.
    fn use_buffer(&mut self, channel: ChannelId, more: i32) {
        self.read(self.numbers.channel(channel));
        self.write(self.numbers.channel(channel));
        if let Some(buffer) = &self.model.layout().channels[channel.0 as usize] {
            let length = buffer.length.get(&self.state);
            buffer.length.set(&mut self.state, length + more);
        }
    }

    /// The message that is received next.
    fn head(&self, channel: ChannelId) -> Vec<i32> {
        let buffer = self.model.layout().channels[channel.0 as usize].iter();
        buffer.flat_map(|buffer| &buffer.slots).map(|slots| slots.element(0).get(&self.state)).collect()
    }

    fn store(&mut self, receiving: &Transition, message: &[i32]) -> Option<()> {
        let Some(Sync::Receive { channel, targets }) = &receiving.sync else { return Some(()) };
        let fields = &self.model.program().channel(*channel).fields;
        for ((target, value), field) in targets.iter().zip(message).zip(fields) {
            let index = self.index(target)?;
            self.assign(target.variable, index, field.wrap(*value));
        }
        Some(())
    }

    // Expressions and effects.

    /// The value of a transition's guard, 1 without one.
    fn guard(&mut self, transition: &Transition) -> Option<i32> {
        transition.guard.as_ref().map_or(Some(1), |guard| self.value(guard))
    }

    fn effects(&mut self, effects: &[Effect]) -> Option<()> {
        for effect in effects {
            match effect {
                Effect::Assign { target, value, .. } => {
                    let index = self.index(target)?;
                    let value = self.value(value)?;
                    self.assign(target.variable, index, value);
                }
                Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => {
                    self.value(condition).filter(|value| *value != 0)?;
                }
            }
        }
        Some(())
    }

    fn assign(&mut self, variable: VariableId, index: u32, value: i32) {
        self.write(self.numbers.element(variable, index));
        let ty = self.model.program().variable(variable).ty;
        self.model.layout().element(variable, index).set(&mut self.state, ty.wrap(value));
    }

    fn index(&mut self, place: &Place) -> Option<u32> {
        let Some(index) = &place.index else { return Some(0) };
        let index = self.value(index)?;
        let len = self.model.program().variable(place.variable).array.unwrap_or(1);
        u32::try_from(index).ok().filter(|index| *index < len)
    }

    fn value(&mut self, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Const(value) => Some(*value),
            Expr::Read(place) => {
                let index = self.index(place)?;
                self.has_seen_timeout |= self.model.program().timeout == Some(place.variable);
                self.read(self.numbers.element(place.variable, index));
                Some(self.model.layout().element(place.variable, index).get(&self.state))
            }
            Expr::At(process, location) => Some(i32::from(self.look_at_location(*process) == *location)),
            Expr::Length(channel) => {
                self.read(self.numbers.channel(*channel));
                let buffer = self.model.layout().channels[channel.0 as usize].as_ref();
                Some(buffer.map_or(0, |buffer| buffer.length.get(&self.state)))
            }
            Expr::Unary(op, operand) => Some(op.apply(self.value(operand)?)),
            Expr::Binary(op, left, right, _) => {
                let left = self.value(left)?;
                match op {
                    BinaryOp::And if left == 0 => return Some(0),
                    BinaryOp::Or if left != 0 => return Some(1),
                    _ => {}
                }
                let right = self.value(right)?;
                op.apply(left, right)
            }
            Expr::Conditional(condition, then, otherwise) => match self.value(condition)? {
                0 => self.value(otherwise),
                _ => self.value(then),
            },
        }
    }
}
