//! The channels of a model, and which of them a channel variable can name.

use super::{Lowering, Storage};
use crate::assumptions::Subject;
use crate::typed::{Initial, Pattern, Place, Scalar, Statement, Value, VariableRef};
use dampf_gcl::ir::VariableId;
use std::collections::{BTreeMap, BTreeSet};

/// A channel. Those of processes that are never there together may have the same number.
#[derive(Clone, Debug)]
pub struct Queue {
    /// What a channel variable holds that names it; from 1.
    pub id: u32,
    pub name: String,
    /// The instance that it lives and dies with.
    pub owner: Option<usize>,
    pub capacity: u32,
    /// The number of messages that there is room for, if it is assumed never to hold more.
    pub room: u32,
    /// The variable that it begins with.
    pub subject: Subject,
    pub fields: Vec<Scalar>,
    /// None for a rendezvous.
    pub length: Option<VariableId>,
    /// One array for each field.
    pub slots: Vec<VariableId>,
}

/// Something that can hold the number of a channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Holder {
    Variable(VariableId),
    /// A field of the messages of the channels with this number.
    Field(u32, usize),
}

/// The numbers of channels that variables and messages can hold, whatever the order of events.
#[derive(Default)]
pub struct PointsTo {
    sets: BTreeMap<Holder, BTreeSet<u32>>,
}

impl PointsTo {
    pub fn find(lowering: &Lowering<'_>) -> PointsTo {
        let mut points_to = PointsTo::default();
        let globals = lowering.globals.iter().zip(&lowering.typed.globals);
        let locals = (0..lowering.instances.len())
            .flat_map(|instance| lowering.locals[instance].iter().zip(&lowering.proctype(instance).locals));
        for (storage, variable) in globals.chain(locals) {
            if let (Storage::Variable(id), true) = (storage, super::is_channel(variable.scalar)) {
                let set = points_to.sets.entry(Holder::Variable(*id)).or_default();
                set.insert(0);
                // An instance that is not there at the beginning gets its channels when it is started.
                let initial = &lowering.variables[id.0 as usize].initial;
                set.extend(initial.iter().map(|value| *value as u32));
            }
        }
        for (instance, storages) in lowering.locals.iter().enumerate() {
            let mut next = lowering.instances[instance].channels + 1;
            for (storage, variable) in storages.iter().zip(&lowering.proctype(instance).locals) {
                if let Initial::Channels { .. } = variable.initial {
                    if let Storage::Variable(id) = storage {
                        points_to.sets.entry(Holder::Variable(*id)).or_default().extend(next..next + variable.len());
                    }
                    next += variable.len();
                }
            }
        }
        while points_to.pass(lowering) {}
        points_to
    }

    /// Goes through all statements once; whether something was new.
    fn pass(&mut self, lowering: &Lowering<'_>) -> bool {
        let before: usize = self.sets.values().map(BTreeSet::len).sum();
        for instance in 0..lowering.instances.len() {
            let proctype = lowering.proctype(instance);
            for (local, variable) in proctype.locals.iter().enumerate() {
                if let (Initial::Value(value), true) = (&variable.initial, super::is_channel(variable.scalar)) {
                    self.store(lowering, VariableRef::Local(local), instance, value, instance);
                }
            }
            let edges = proctype.control.states.iter().flat_map(|state| &state.edges);
            for alternative in edges.flat_map(|edge| &edge.alternatives) {
                self.statement(lowering, instance, &alternative.statement);
            }
        }
        self.sets.values().map(BTreeSet::len).sum::<usize>() > before
    }

    fn statement(&mut self, lowering: &Lowering<'_>, instance: usize, statement: &Statement) {
        match statement {
            Statement::Assign(place, value) => self.store(lowering, place.variable, instance, value, instance),
            Statement::Run { run, .. } => {
                for target in 0..lowering.instances.len() {
                    if lowering.instances[target].proctype == run.proctype {
                        for (parameter, argument) in run.arguments.iter().enumerate() {
                            self.store(lowering, VariableRef::Local(parameter), target, argument, instance);
                        }
                    }
                }
            }
            Statement::Send { channel, values, .. } => {
                for queue in self.numbers(lowering, channel, instance) {
                    for (field, value) in values.iter().enumerate() {
                        let numbers = self.values(lowering, value, instance);
                        if !numbers.is_empty() {
                            self.sets.entry(Holder::Field(queue, field)).or_default().extend(numbers);
                        }
                    }
                }
            }
            Statement::Receive { channel, patterns, .. } => {
                for queue in self.numbers(lowering, channel, instance) {
                    for (field, pattern) in patterns.iter().enumerate() {
                        let Pattern::Store(place) = pattern else { continue };
                        let Storage::Variable(id) = lowering.storage(place.variable, instance) else { continue };
                        if let Some(numbers) = self.sets.get(&Holder::Field(queue, field)).cloned() {
                            self.sets.entry(Holder::Variable(id)).or_default().extend(numbers);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn store(&mut self, lowering: &Lowering<'_>, target: VariableRef, owner: usize, value: &Value, instance: usize) {
        if let Storage::Variable(id) = lowering.storage(target, owner) {
            let numbers = self.values(lowering, value, instance);
            if !numbers.is_empty() {
                self.sets.entry(Holder::Variable(id)).or_default().extend(numbers);
            }
        }
    }

    /// The numbers of channels that an expression can be.
    fn values(&self, lowering: &Lowering<'_>, value: &Value, instance: usize) -> BTreeSet<u32> {
        match value {
            Value::Read(place) => match lowering.storage(place.variable, instance) {
                Storage::Channels(_) => self.numbers(lowering, place, instance),
                Storage::Variable(id) => self.sets.get(&Holder::Variable(id)).cloned().unwrap_or_default(),
                Storage::Nowhere => BTreeSet::new(),
            },
            Value::Conditional(_, then, otherwise) => {
                let mut numbers = self.values(lowering, then, instance);
                numbers.extend(self.values(lowering, otherwise, instance));
                numbers
            }
            _ => BTreeSet::new(),
        }
    }

    /// The numbers that a channel variable can hold; 0 for no channel.
    pub fn numbers(&self, lowering: &Lowering<'_>, place: &Place, instance: usize) -> BTreeSet<u32> {
        match lowering.storage(place.variable, instance) {
            Storage::Channels(first) => match place.indices.as_slice() {
                [Value::Const(index)] => BTreeSet::from([first.wrapping_add(*index as u32)]),
                _ => (first..first + lowering.typed_variable(place.variable, instance).len()).collect(),
            },
            Storage::Variable(id) => self.sets.get(&Holder::Variable(id)).cloned().unwrap_or_default(),
            Storage::Nowhere => BTreeSet::new(),
        }
    }
}
