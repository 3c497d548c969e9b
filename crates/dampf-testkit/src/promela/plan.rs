//! What is decided about a program before its statements are written.

use super::tree::{Tree, list, row, text};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Unsigned(u32),
    Pid,
}

impl Number {
    pub fn name(self) -> &'static str {
        match self {
            Number::Bit => "bit",
            Number::Bool => "bool",
            Number::Byte => "byte",
            Number::Short => "short",
            Number::Int => "int",
            Number::Unsigned(_) => "unsigned",
            Number::Pid => "pid",
        }
    }

    pub fn declared(self, name: &str, len: &str) -> String {
        match self {
            // An array of these has no width.
            Number::Unsigned(_) if !len.is_empty() => format!("byte {name}{len}"),
            Number::Unsigned(bits) => format!("unsigned {name} : {bits}"),
            _ => format!("{} {name}{len}", self.name()),
        }
    }

    /// Whether counting up comes round soon.
    pub fn is_small(self) -> bool {
        matches!(self, Number::Bit | Number::Bool | Number::Unsigned(0..=3))
    }

    /// Whether all values of another type fit.
    pub fn holds(self, other: Number) -> bool {
        match other {
            Number::Bit | Number::Bool => true,
            Number::Byte | Number::Pid | Number::Unsigned(_) => {
                matches!(self, Number::Byte | Number::Pid | Number::Short | Number::Int | Number::Unsigned(8..))
            }
            Number::Short => matches!(self, Number::Short | Number::Int),
            Number::Int => self == Number::Int,
        }
    }

    pub fn is_negative_possible(self) -> bool {
        matches!(self, Number::Short | Number::Int)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ty {
    Number(Number),
    /// One of the sets of names.
    Mtype(usize),
    Record(usize),
    /// A channel for messages of a kind.
    Channel(usize),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
    pub len: Option<usize>,
}

/// A set of names.
#[derive(Clone, Debug)]
pub struct Mtype {
    pub kind: Option<String>,
    pub names: Vec<String>,
}

impl Mtype {
    pub fn keyword(&self) -> String {
        self.kind.as_ref().map_or_else(|| "mtype".to_owned(), |kind| format!("mtype:{kind}"))
    }
}

#[derive(Clone, Debug)]
pub struct Record {
    pub name: String,
    pub fields: Vec<Variable>,
}

impl Record {
    /// The type, fields one below the other. Records hold numbers and smaller records.
    pub fn declaration(&self) -> Tree {
        let field = |field: &Variable| {
            let len = field.len.map_or_else(String::new, |len| format!("[{len}]"));
            text(match &field.ty {
                Ty::Number(number) => number.declared(&field.name, &len),
                Ty::Record(index) => format!("Record{index} {}{len}", field.name),
                Ty::Mtype(_) | Ty::Channel(_) => format!("byte {}{len}", field.name),
            })
        };
        let fields = self.fields.iter().map(field).collect();
        row(vec![text(format!("typedef {} {{ ", self.name)), list(fields, "; ", "byte unused"), text(" };")])
    }
}

/// What messages are made of.
#[derive(Clone, Debug)]
pub struct Signature {
    pub fields: Vec<Ty>,
}

#[derive(Clone, Debug)]
pub struct Channel {
    pub name: String,
    pub signature: usize,
    pub len: Option<usize>,
    /// Not known of a channel that came as a parameter or in a message.
    pub capacity: Option<usize>,
}

impl Channel {
    /// Whether messages certainly have room in it.
    pub fn is_buffered(&self) -> bool {
        self.capacity.is_some_and(|capacity| capacity > 0)
    }
}

/// A process, before its statements are written.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Empty for `init`.
    pub name: String,
    /// How many there are from the start.
    pub active: usize,
    /// The number of the first of them.
    pub first_pid: usize,
    pub parameters: Vec<Variable>,
    pub locals: Vec<Variable>,
    pub channels: Vec<Channel>,
    /// A label that others may look for.
    pub landmark: Option<String>,
    /// How deep it may still start itself is its first parameter.
    pub is_recursive: bool,
}
