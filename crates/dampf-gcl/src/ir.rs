//! The guarded-command program, and what it means.
//!
//! # State
//! A state gives every process a *location* and every variable (scalar, array element, buffered channel) a
//! value. Initially each process is in its `initial` location, variables have their `initial` values and
//! channels are empty. There is one initial state.
//!
//! # Values
//! Expressions are evaluated over 32-bit two's complement integers, with wrap-around. Truth is "not zero";
//! comparisons and logical operators yield 0 or 1. `And` and `Or` of the logical kind and `Conditional`
//! evaluate their later operands only where needed; everything else evaluates all operands, left to right.
//! `/` and `%` truncate towards zero (`MIN / -1` wraps to `MIN`, `MIN % -1` is 0); a shift uses the low five
//! bits of its right operand; `>>` is arithmetic. A variable holds the values of its [`IntType`]; storing
//! another value keeps the low bits (wrap-around) and, for a signed type, sign-extends them.
//!
//! Dividing by zero, and indexing an array outside `0..len`, in a guard, a sent value, a receive target or
//! an effect, is a fault of the step being evaluated. A fault in a check is a fault of the state.
//!
//! # Steps
//! A *step* is one of the following, in a state where each moving process is in the transition's source:
//!
//! - a transition without synchronisation whose guard is true;
//! - a transition that sends to, or receives from, a buffered channel that is not full, or not empty, and
//!   whose guard is true;
//! - a *rendezvous*: a sending transition of one process and a receiving transition of another, on the same
//!   channel of capacity 0, both guards true.
//!
//! Guards are evaluated before the step; a sender's values too, in the state before the step. The guard is
//! evaluated before the channel is looked at, the values after it; for a rendezvous the sender's guard, then
//! the receiver's guard, then the values, left to right. (Of a process that is not in the transition's source,
//! or that committed locations keep from moving, nothing is evaluated.) A guard, or value, that faults makes a
//! faulty step: for a transition without rendezvous once; the sender's guard once, wherever the receivers are,
//! labelled with the first pair of the sender's transition; the receiver's guard and the values once per pair.
//!
//! Then, in this order: the locations change; values enter or leave the buffer; received values are stored into the
//! receiver's targets, left to right, each wrapped first to the channel's field type; the effects run in sequence, each
//! seeing what the earlier ones did, the receiver's before the sender's (as in DiVinE). The index of a target is
//! evaluated, and compared with the bounds, immediately before its value is stored, and sees the new locations, the new
//! buffer and the targets stored before. A receive takes the message at the head of a buffered channel, and the vacated
//! slot at its tail becomes zero. An effect, or a target, that faults ends the step in the fault.
//!
//! # Committed locations
//! While some process is in a committed location, only steps all of whose processes are in committed locations
//! can be taken. A rendezvous between a committed and another location is thus never possible, and has no label.
//!
//! # Joint moves
//! A transition may move a second process along: the step can be taken only while that process is in the joint
//! source, and both locations change. (A process that is created, or that takes part in a rendezvous whose
//! message the front end has resolved.) Transitions with a joint move have no synchronisation.
//!
//! # Atomicity
//! A transition may leave the system to a *holder*; of a rendezvous, the receiver's word counts before the
//! sender's. While there is a holder and it can take part in some step as mover or sender, only those steps of
//! the holder can be taken. If it can take none, atomicity is lost for the moment: the steps of all processes can be
//! taken. A step that names no holder leaves none. The holder is part of the state, in programs that have one.
//! (Committed locations are considered first, atomicity among what they leave: a holder that they keep from
//! moving can take part in no step.) A step that ends in a fault is a step here. There is no holder initially.
//!
//! # Compound steps
//! Where [`Program::has_compound_steps`], what a holder does in a row is one step: a state whose holder can move is
//! only passed through. A state whose holder cannot move has none any more. What is passed through is not checked.
//!
//! # Timeout
//! The variable [`Program::timeout`] reads as 0, but in a state without steps as 1, which may give it some. It is 0 in
//! all states, and no step stores into it.
//!
//! # Order and labels
//! The successors of a state are ordered by process, then by transition as listed in the process, then, for
//! a rendezvous, which is ordered by its sender, by the receiver's process and transition. Labels number all possible
//! steps of the program in that same order (see [`Program::actions`]), so that action order is label order.
//!
//! # Deadlock, checks
//! A state without steps is a valid end if every process is in a location marked `end`; otherwise a deadlock.
//! A program without any `end` location has no valid ends. A [`Check`] is evaluated in every state; the first
//! that fails, or faults, is the fault of the state. [`Process`] assertions on locations are lowered to checks.
//! (`Successors::valid_end` says whether every process is in an `end` location, also of a state with steps.)

use dampf_core::{FaultKind, Source, Span};
use std::sync::Arc;

/// A bounded integer type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntType {
    /// 1 to 32.
    pub bits: u8,
    pub signed: bool,
}

impl IntType {
    pub const BIT: IntType = IntType { bits: 1, signed: false };
    pub const U8: IntType = IntType { bits: 8, signed: false };
    pub const I16: IntType = IntType { bits: 16, signed: true };
    pub const I32: IntType = IntType { bits: 32, signed: true };

    /// The value that a variable of this type holds after `value` was stored into it.
    pub fn wrap(self, value: i32) -> i32 {
        let unused = 32 - u32::from(self.bits);
        if self.signed { value << unused >> unused } else { ((value as u32) << unused >> unused) as i32 }
    }

    /// The least and the greatest value. (An unsigned 32-bit type reads as signed: values are `i32`.)
    pub fn range(self) -> (i32, i32) {
        match (self.bits, self.signed) {
            (32, _) => (i32::MIN, i32::MAX),
            (bits, true) => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            (bits, false) => (0, ((1u32 << bits) - 1) as i32),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VariableId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChannelId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProcessId(pub u32);
/// A location, numbered within its process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocationId(pub u32);

/// A whole model.
#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub source: Arc<Source>,
    /// Global and local variables; never constants, which the front ends fold.
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    pub processes: Vec<Process>,
    /// State checks: assertions at locations, and invariants and goals given from outside.
    pub checks: Vec<Check>,
    /// Observations of states that properties are made of.
    pub propositions: Vec<Proposition>,
    /// Numbers of steps that may be left, as somebody says: searches that go by them ask for their values.
    pub estimates: Vec<Expr>,
    /// A property automaton that watches the system: a process whose transitions have guards only. It is not
    /// among `processes`; nothing runs it before it is [taken out](Program::take_property).
    pub property: Option<Process>,
    /// Whether the language has an *error state* that a faulty step leads to, for searches that go on after
    /// faults: all variables are zero, all channels empty, the first process is in a location of its own without
    /// transitions, and the others are in their first locations.
    pub has_error_state: bool,
    /// The location of the first process in the error state, once it was added because a fault was found possible.
    pub error_location: Option<LocationId>,
    /// Whether what a holder does in a row is one step.
    pub has_compound_steps: bool,
    /// A variable of one bit that says that nothing else can happen.
    pub timeout: Option<VariableId>,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    /// The process it is local to.
    pub owner: Option<ProcessId>,
    pub ty: IntType,
    /// The number of elements, for an array; at least 1.
    pub array: Option<u32>,
    /// One value for a scalar, `array` values for an array, all within the type.
    pub initial: Vec<i32>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Channel {
    pub name: String,
    /// 0: rendezvous.
    pub capacity: u32,
    /// The types of a message's fields. Every send and receive on the channel has this number of operands.
    /// Fields of a rendezvous channel without declared types are `I32`: values pass through unchanged.
    pub fields: Vec<IntType>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Process {
    pub name: String,
    pub locations: Vec<Location>,
    pub initial: LocationId,
    pub transitions: Vec<Transition>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Location {
    pub name: String,
    pub committed: bool,
    /// A valid place to stand when nothing can move.
    pub end: bool,
    /// For a property automaton.
    pub accepting: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Transition {
    pub source: LocationId,
    pub target: LocationId,
    pub guard: Option<Expr>,
    pub sync: Option<Sync>,
    /// A second process that moves along.
    pub joint: Option<Joint>,
    pub effects: Vec<Effect>,
    /// Who holds the system afterwards.
    pub holder: Option<ProcessId>,
    /// The whole transition; its text is what trails show.
    pub span: Span,
}

/// A process that moves with another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joint {
    pub process: ProcessId,
    pub source: LocationId,
    pub target: LocationId,
}

#[derive(Clone, Debug)]
pub enum Sync {
    Send { channel: ChannelId, values: Vec<Expr> },
    Receive { channel: ChannelId, targets: Vec<Place> },
}

impl Sync {
    pub fn channel(&self) -> ChannelId {
        match self {
            Sync::Send { channel, .. } | Sync::Receive { channel, .. } => *channel,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Effect {
    /// The place's index is evaluated and compared with the bounds first, then the value is evaluated, then stored.
    Assign { target: Place, value: Expr, span: Span },
    /// A fault if the condition is false: of kind `Assertion`, the span being the condition's, or of kind `Overflow`,
    /// the span being that of the assignment that follows, where a language forbids to store a value that does not fit.
    /// Of other kinds where a language has a word for it; the span is that of the statement.
    Assert { condition: Expr, kind: FaultKind, span: Span },
    /// The program was made under the assumption that the condition holds here: a step in which it does not refutes
    /// that. The span is that of the statement.
    Assume { condition: Expr, span: Span },
}

/// Something that can be read and stored into.
#[derive(Clone, Debug)]
pub struct Place {
    pub variable: VariableId,
    /// For an element of an array. A constant index is within bounds: front ends reject others.
    pub index: Option<Box<Expr>>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Expr {
    Const(i32),
    Read(Place),
    /// 1 if the process is in the location.
    At(ProcessId, LocationId),
    /// The number of messages in a buffered channel.
    Length(ChannelId),
    Unary(UnaryOp, Box<Expr>),
    /// The span is for faults: the whole expression.
    Binary(BinaryOp, Box<Expr>, Box<Expr>, Span),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    Negate,
    BitNot,
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Short-circuit.
    And,
    /// Short-circuit.
    Or,
}

impl UnaryOp {
    pub fn apply(self, operand: i32) -> i32 {
        match self {
            UnaryOp::Negate => operand.wrapping_neg(),
            UnaryOp::BitNot => !operand,
            UnaryOp::Not => i32::from(operand == 0),
        }
    }
}

impl BinaryOp {
    /// The result for two evaluated operands; none for a division by zero.
    pub fn apply(self, left: i32, right: i32) -> Option<i32> {
        Some(match self {
            BinaryOp::Add => left.wrapping_add(right),
            BinaryOp::Subtract => left.wrapping_sub(right),
            BinaryOp::Multiply => left.wrapping_mul(right),
            BinaryOp::Divide if right == 0 => return None,
            BinaryOp::Divide => left.wrapping_div(right),
            BinaryOp::Remainder if right == 0 => return None,
            BinaryOp::Remainder => left.wrapping_rem(right),
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitOr => left | right,
            BinaryOp::BitXor => left ^ right,
            BinaryOp::ShiftLeft => left.wrapping_shl(right as u32),
            BinaryOp::ShiftRight => left.wrapping_shr(right as u32),
            BinaryOp::Equal => i32::from(left == right),
            BinaryOp::NotEqual => i32::from(left != right),
            BinaryOp::Less => i32::from(left < right),
            BinaryOp::LessEqual => i32::from(left <= right),
            BinaryOp::Greater => i32::from(left > right),
            BinaryOp::GreaterEqual => i32::from(left >= right),
            BinaryOp::And => i32::from(left != 0 && right != 0),
            BinaryOp::Or => i32::from(left != 0 || right != 0),
        })
    }
}

/// Something to be checked in every state.
#[derive(Clone, Debug)]
pub struct Check {
    /// `Assertion` and `Invariant` fail where the condition is false, `Goal` where it is true.
    pub kind: FaultKind,
    pub condition: Expr,
    /// The text of the condition, for the fault's message.
    pub text: String,
    /// Where the check stands in the source; none for one given from outside.
    pub span: Option<Span>,
}

/// An observation of states.
#[derive(Clone, Debug)]
pub struct Proposition {
    /// As people wrote it.
    pub text: String,
    pub condition: Expr,
}

/// One possible step of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActionSource {
    pub process: ProcessId,
    /// Index into the process's transitions.
    pub transition: usize,
    /// The receiver of a rendezvous and the index of its transition.
    pub partner: Option<(ProcessId, usize)>,
}

impl Program {
    /// All possible steps. The label of a step is its index here.
    pub fn actions(&self) -> Vec<ActionSource> {
        let mut actions = Vec::new();
        for (number, process) in self.processes.iter().enumerate() {
            let mover = ProcessId(number as u32);
            for (index, transition) in process.transitions.iter().enumerate() {
                match &transition.sync {
                    Some(sync) if self.channel(sync.channel()).capacity == 0 => {
                        if let Sync::Send { channel, .. } = sync {
                            self.rendezvous(mover, index, *channel, &mut actions);
                        }
                    }
                    _ => actions.push(ActionSource { process: mover, transition: index, partner: None }),
                }
            }
        }
        actions
    }

    fn rendezvous(&self, sender: ProcessId, transition: usize, channel: ChannelId, actions: &mut Vec<ActionSource>) {
        let sending = self.process(sender);
        let sender_is_committed = sending.locations[sending.transitions[transition].source.0 as usize].committed;
        for (number, process) in self.processes.iter().enumerate() {
            let receiver = ProcessId(number as u32);
            if receiver == sender {
                continue;
            }
            for (index, candidate) in process.transitions.iter().enumerate() {
                let receives = matches!(&candidate.sync, Some(Sync::Receive { channel: on, .. }) if *on == channel);
                // With one of the two committed and the other not, the other may not move.
                let is_committed = process.locations[candidate.source.0 as usize].committed;
                if receives && is_committed == sender_is_committed {
                    actions.push(ActionSource { process: sender, transition, partner: Some((receiver, index)) });
                }
            }
        }
    }

    pub fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    pub fn channel(&self, id: ChannelId) -> &Channel {
        &self.channels[id.0 as usize]
    }

    pub fn process(&self, id: ProcessId) -> &Process {
        &self.processes[id.0 as usize]
    }

    /// For each process and location, whether a step leaves the process holding the system there.
    pub fn held_locations(&self) -> Vec<Vec<bool>> {
        let mut held: Vec<Vec<bool>> =
            self.processes.iter().map(|process| vec![false; process.locations.len()]).collect();
        for (number, process) in self.processes.iter().enumerate() {
            for transition in &process.transitions {
                let Some(holder) = transition.holder else { continue };
                let joint = transition.joint.filter(|joint| joint.process == holder);
                match joint {
                    Some(joint) => held[holder.0 as usize][joint.target.0 as usize] = true,
                    None if holder.0 as usize == number => held[number][transition.target.0 as usize] = true,
                    // Somebody who does not move may be anywhere.
                    None => held[holder.0 as usize].fill(true),
                }
            }
        }
        held
    }

    /// The name of a variable as people write it: `x`, or `P.x` for a local one.
    pub fn variable_name(&self, id: VariableId) -> String {
        let variable = self.variable(id);
        match variable.owner {
            Some(owner) => format!("{}.{}", self.process(owner).name, variable.name),
            None => variable.name.clone(),
        }
    }
}
