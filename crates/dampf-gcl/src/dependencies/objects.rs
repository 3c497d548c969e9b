//! The parts of a state that steps read and write, numbered.

use crate::ir::{ChannelId, Expr, Place, ProcessId, Program, VariableId};
use crate::layout::dynamically_indexed;
use std::collections::BTreeSet;

/// A part of a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Object {
    /// A scalar, or an array as a whole.
    Variable(VariableId),
    /// An element of an array that is indexed by constants only.
    Element(VariableId, u32),
    /// The contents of a channel.
    Channel(ChannelId),
    /// Where a process is.
    Location(ProcessId),
    /// Which process holds the system in an atomic location.
    Holder,
}

/// Numbers for all objects of a program.
pub struct Objects {
    objects: Vec<Object>,
    /// The number of each variable's first object, and how many elements are objects of their own.
    variables: Vec<(u32, u32)>,
    first_channel: u32,
    first_location: u32,
}

impl Objects {
    pub fn new(program: &Program) -> Self {
        Objects::with(program, &dynamically_indexed(program))
    }

    /// The same where it is given which arrays are objects as a whole.
    pub fn with(program: &Program, is_whole: &[bool]) -> Self {
        let mut objects = Vec::new();
        let mut variables = Vec::new();
        for (number, (variable, is_whole)) in program.variables.iter().zip(is_whole).enumerate() {
            let id = VariableId(number as u32);
            let elements = variable.array.filter(|_| !is_whole);
            variables.push((objects.len() as u32, elements.unwrap_or(0)));
            match elements {
                Some(len) => objects.extend((0..len).map(|index| Object::Element(id, index))),
                None => objects.push(Object::Variable(id)),
            }
        }
        let first_channel = objects.len() as u32;
        objects.extend((0..program.channels.len() as u32).map(|number| Object::Channel(ChannelId(number))));
        let first_location = objects.len() as u32;
        objects.extend((0..program.processes.len() as u32).map(|number| Object::Location(ProcessId(number))));
        objects.push(Object::Holder);
        Objects { objects, variables, first_channel, first_location }
    }

    pub fn count(&self) -> usize {
        self.objects.len()
    }

    pub fn get(&self, object: u32) -> Object {
        self.objects[object as usize]
    }

    pub fn channel(&self, id: ChannelId) -> u32 {
        self.first_channel + id.0
    }

    pub fn location(&self, id: ProcessId) -> u32 {
        self.first_location + id.0
    }

    pub fn holder(&self) -> u32 {
        self.objects.len() as u32 - 1
    }

    /// The object of a place that is exactly that object: a scalar, or an element with a number of its own.
    pub fn exact(&self, place: &Place) -> Option<u32> {
        let (first, elements) = self.variables[place.variable.0 as usize];
        match place.index.as_deref() {
            None => Some(first),
            Some(Expr::Const(index)) => u32::try_from(*index).ok().filter(|at| *at < elements).map(|at| first + at),
            Some(_) => None,
        }
    }

    /// Adds the objects that a place may be part of, not what its index reads.
    pub fn add_place(&self, place: &Place, into: &mut BTreeSet<u32>) {
        let (first, elements) = self.variables[place.variable.0 as usize];
        match self.exact(place) {
            Some(object) => {
                into.insert(object);
            }
            // An index that varies.
            None => into.extend(first..first + elements.max(1)),
        }
    }

    /// Adds the objects that an expression reads.
    pub fn add_reads(&self, expr: &Expr, into: &mut BTreeSet<u32>) {
        match expr {
            Expr::Const(_) => {}
            Expr::Read(place) => {
                self.add_place(place, into);
                place.index.iter().for_each(|index| self.add_reads(index, into));
            }
            Expr::At(process, _) => {
                into.insert(self.location(*process));
            }
            Expr::Length(channel) => {
                into.insert(self.channel(*channel));
            }
            Expr::Unary(_, operand) => self.add_reads(operand, into),
            Expr::Binary(_, left, right, _) => {
                self.add_reads(left, into);
                self.add_reads(right, into);
            }
            Expr::Conditional(condition, then, otherwise) => {
                self.add_reads(condition, into);
                self.add_reads(then, into);
                self.add_reads(otherwise, into);
            }
        }
    }
}
