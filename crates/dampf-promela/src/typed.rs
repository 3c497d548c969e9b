//! A Promela model with its names resolved, its records taken apart and its control structure made a graph.
//!
//! Still independent of how many processes there are: a proctype is a template, and its local variables are numbered
//! within it.

use dampf_core::{Automaton, FaultKind, Source, Span};
use dampf_gcl::ir::{BinaryOp, IntType, UnaryOp};
use std::collections::BTreeMap;
use std::sync::Arc;

pub struct Typed {
    pub source: Arc<Source>,
    /// The kind without a name comes first.
    pub mtypes: Vec<MtypeKind>,
    pub globals: Vec<Variable>,
    pub proctypes: Vec<Proctype>,
    /// Processes that are there at the beginning, in the order of their numbers.
    pub active: Vec<usize>,
    pub has_last: bool,
    pub has_timeout: bool,
    pub has_enabled: bool,
    /// Whether processes have priorities that matter.
    pub has_priorities: bool,
    /// What the model says about runs that the check of states and steps does not cover: claims, traces, formulas.
    pub claims: Vec<String>,
    pub ltl: Vec<String>,
    /// Invariants and goals that are given from outside.
    pub checks: Vec<Check>,
    /// What properties are made of.
    pub propositions: Vec<Proposition>,
    /// For how many steps may be left.
    pub estimates: Vec<Value>,
    /// For each that watches the runs, the number of its first proposition, and its automaton if it is a claim.
    pub watched: Vec<(u32, Automaton)>,
    /// Whether accepting places of processes count: they do not where non-progress is looked for.
    pub has_acceptance: bool,
    /// The processes that watch, which `_nr_pr` counts.
    pub watching: i32,
}

/// An observation of states.
#[derive(Clone)]
pub struct Proposition {
    pub text: String,
    pub condition: Value,
}

/// A condition on states that are to be looked for: an invariant that does not hold, a goal that does.
pub struct Check {
    pub kind: FaultKind,
    pub condition: Value,
    pub text: String,
}

/// A set of named constants. The first in `constants` has the value 1.
pub struct MtypeKind {
    pub name: Option<String>,
    pub constants: Vec<String>,
}

/// A type of single values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    pub ty: IntType,
    pub kind: ScalarKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarKind {
    Number,
    /// With the number of its kind.
    Mtype(usize),
    Channel,
}

/// A variable of single values, or an array of them: a record is taken apart into one variable per field.
#[derive(Clone, Debug)]
pub struct Variable {
    /// As it is written: `x`, or `r.field`.
    pub name: String,
    pub scalar: Scalar,
    /// The sizes of the arrays on the way: for `r[2].a[3]` these are 2 and 3. Empty for a single value.
    pub sizes: Vec<u32>,
    pub initial: Initial,
    /// Not part of a state.
    pub is_hidden: bool,
    pub span: Span,
}

impl Variable {
    /// Whether indices are numbers within the arrays.
    pub fn is_within(&self, indices: &[Value]) -> bool {
        let fits =
            |(index, size): (&Value, &u32)| matches!(index, Value::Const(index) if (0..*size as i32).contains(index));
        indices.iter().zip(&self.sizes).all(fits)
    }

    /// The number of values.
    pub fn len(&self) -> u32 {
        self.sizes.iter().product()
    }
}

#[derive(Clone, Debug)]
pub enum Initial {
    /// All values are this expression's, evaluated when the process begins.
    Value(Value),
    /// One for each value.
    List(Vec<Value>),
    /// One channel for each value, with this capacity and these fields.
    Channels { capacity: u32, fields: Vec<Scalar> },
}

pub struct Proctype {
    pub name: String,
    /// Parameters come first.
    pub locals: Vec<Variable>,
    pub parameters: usize,
    pub provided: Option<Value>,
    /// Of processes that are there at the beginning; others get theirs where they are started.
    pub priority: i32,
    pub control: Control,
    /// The numbers of the states that remote references name.
    pub labels: BTreeMap<String, u32>,
    pub span: Span,
}

/// What a process does: states and what leads from one to another.
#[derive(Default)]
pub struct Control {
    pub states: Vec<State>,
    pub initial: usize,
}

pub struct State {
    /// What `pc_value` says.
    pub number: u32,
    /// A label, or the text of what comes next.
    pub name: String,
    pub edges: Vec<Edge>,
    /// Whether a process may end here.
    pub is_end: bool,
    /// Whether a run that comes here for ever is accepted.
    pub is_accepting: bool,
    /// Whether a process that comes here makes progress.
    pub is_progress: bool,
    /// Within a deterministic step: the first edge that can be taken is taken, and one must be.
    pub is_deterministic: bool,
    pub span: Span,
}

/// A way to leave a state. The order within a state matters: for `else`, for escapes and in deterministic steps.
#[derive(Clone, Debug)]
pub struct Edge {
    /// More than one for a deterministic step that begins with a choice: the first that can be taken is.
    pub alternatives: Vec<Alternative>,
    /// Not 0: which escape of an `unless` the edge belongs to. One that can be taken excludes edges behind it that are
    /// not of the same.
    pub escape: u32,
}

#[derive(Clone, Debug)]
pub struct Alternative {
    pub statement: Statement,
    pub target: usize,
    /// Whether the process goes on without interruption.
    pub holds: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Statement {
    /// `goto`, `break`, `skip`, and the end of a choice: nothing to do.
    Skip,
    Else,
    /// The process dies.
    End,
    Condition(Value),
    Assign(Place, Value),
    /// `run` alone, or with its number stored.
    Run {
        run: Box<Run>,
        result: Option<Place>,
    },
    /// With the place of its condition.
    Assert(Value, Span),
    Print(Box<Print>),
    /// The process with a number gets a priority.
    SetPriority(Value, Value),
    Send {
        channel: Place,
        values: Vec<Value>,
        is_sorted: bool,
    },
    Receive {
        channel: Place,
        patterns: Vec<Pattern>,
        is_random: bool,
        is_copy: bool,
    },
}

#[derive(Clone, Debug)]
pub struct Run {
    pub proctype: usize,
    pub arguments: Vec<Value>,
    pub priority: Option<Value>,
}

#[derive(Clone, Debug)]
pub enum Print {
    /// `printf`.
    Format(String, Vec<Value>),
    /// `printm`: the name of an mtype constant.
    Name(Value, usize),
}

/// What a receive does with a field of a message.
#[derive(Clone, Debug)]
pub enum Pattern {
    Store(Place),
    Match(Value),
    Ignore,
}

#[derive(Clone, Debug)]
pub struct Place {
    pub variable: VariableRef,
    /// One per array on the way.
    pub indices: Vec<Value>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum VariableRef {
    Global(usize),
    Local(usize),
}

#[derive(Clone, Debug)]
pub enum Value {
    Const(i32),
    Read(Place),
    Unary(UnaryOp, Box<Value>),
    Binary(BinaryOp, Box<Value>, Box<Value>, Span),
    Conditional(Box<Value>, Box<Value>, Box<Value>),
    /// The number of messages in a channel.
    Length(Place),
    /// Whether a channel has no room.
    Full(Place),
    /// Whether a message could be received.
    Poll {
        channel: Place,
        patterns: Vec<Pattern>,
        is_random: bool,
    },
    Enabled(Box<Value>),
    /// `pc_value`: the number of the state that a process is in.
    StateNumber(Box<Value>),
    /// The priority of a process, by its number.
    Priority(Box<Value>),
    Timeout,
    Pid,
    ProcessCount,
    Last,
    /// `np_`: no process is at a progress label.
    NonProgress,
    /// Whether a process of the proctype is in a state.
    At {
        proctype: usize,
        pid: Option<Box<Value>>,
        label: String,
    },
    /// A local variable of another process, by its name.
    Remote {
        proctype: usize,
        pid: Option<Box<Value>>,
        name: String,
        indices: Vec<Value>,
        span: Span,
    },
}

impl Typed {
    /// Whether the number of channels varies.
    pub fn needs_channel_count(&self) -> bool {
        let has_channels =
            |proctype: &Proctype| proctype.locals.iter().any(|local| matches!(local.initial, Initial::Channels { .. }));
        self.proctypes.iter().any(has_channels)
    }
}

impl Proctype {
    /// The number of channels that a process brings along.
    pub fn channels(&self) -> u32 {
        let of = |local: &Variable| if let Initial::Channels { .. } = local.initial { local.len() } else { 0 };
        self.locals.iter().map(of).sum()
    }
}

/// What a place is read for: its value, or to send to, receive from or look at the channel that it names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Usage {
    Value,
    Channel,
}

/// Is told of places that are read.
pub type Visit<'v> = dyn FnMut(&Place, Usage) + 'v;

impl Statement {
    /// Visits the places whose values matter.
    pub fn visit_reads(&self, visit: &mut Visit<'_>) {
        let indices = |place: &Place, visit: &mut Visit<'_>| {
            place.indices.iter().for_each(|index| index.visit_reads(visit));
        };
        match self {
            Statement::Skip | Statement::Else | Statement::End => {}
            Statement::Condition(value) | Statement::Assert(value, _) => value.visit_reads(visit),
            Statement::SetPriority(process, priority) => {
                process.visit_reads(visit);
                priority.visit_reads(visit);
            }
            Statement::Assign(place, value) => {
                indices(place, visit);
                value.visit_reads(visit);
            }
            Statement::Run { run, result } => {
                run.arguments.iter().for_each(|argument| argument.visit_reads(visit));
                result.iter().for_each(|place| indices(place, visit));
            }
            Statement::Print(print) => match &**print {
                Print::Format(_, values) => values.iter().for_each(|value| value.visit_reads(visit)),
                Print::Name(value, _) => value.visit_reads(visit),
            },
            Statement::Send { channel, values, .. } => {
                channel.visit_reads(visit, Usage::Channel);
                values.iter().for_each(|value| value.visit_reads(visit));
            }
            Statement::Receive { channel, patterns, .. } => {
                channel.visit_reads(visit, Usage::Channel);
                patterns.iter().for_each(|pattern| pattern.visit_reads(visit));
            }
        }
    }
}

impl Pattern {
    fn visit_reads(&self, visit: &mut Visit<'_>) {
        match self {
            Pattern::Store(place) => place.indices.iter().for_each(|index| index.visit_reads(visit)),
            Pattern::Match(value) => value.visit_reads(visit),
            Pattern::Ignore => {}
        }
    }
}

impl Place {
    fn visit_reads(&self, visit: &mut Visit<'_>, usage: Usage) {
        visit(self, usage);
        self.indices.iter().for_each(|index| index.visit_reads(visit));
    }
}

impl Value {
    pub fn visit_reads(&self, visit: &mut Visit<'_>) {
        match self {
            Value::Const(_) | Value::Timeout | Value::Pid | Value::ProcessCount | Value::Last | Value::NonProgress => {}
            Value::Read(place) => place.visit_reads(visit, Usage::Value),
            // Within an expression the index of a channel has to be checked by the expression itself.
            Value::Length(place) | Value::Full(place) => place.visit_reads(visit, Usage::Value),
            Value::Unary(_, operand)
            | Value::Enabled(operand)
            | Value::StateNumber(operand)
            | Value::Priority(operand) => operand.visit_reads(visit),
            Value::Binary(_, left, right, _) => {
                left.visit_reads(visit);
                right.visit_reads(visit);
            }
            Value::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].iter().for_each(|value| value.visit_reads(visit));
            }
            Value::Poll { channel, patterns, .. } => {
                channel.visit_reads(visit, Usage::Value);
                patterns.iter().for_each(|pattern| pattern.visit_reads(visit));
            }
            Value::At { pid, .. } => pid.iter().for_each(|pid| pid.visit_reads(visit)),
            Value::Remote { pid, indices, .. } => {
                pid.iter().for_each(|pid| pid.visit_reads(visit));
                indices.iter().for_each(|index| index.visit_reads(visit));
            }
        }
    }
}
