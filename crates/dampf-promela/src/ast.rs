//! A Promela model as it was written: preprocessed, with inline calls replaced by their bodies, and nothing resolved.
//!
//! Spans are of the text that the user wrote. What a macro produced has the span of the macro's use, the statements of
//! an inlined body the spans they have in the body.

use dampf_core::{Source, Span};
/// Promela's operators mean what those of guarded commands mean.
pub use dampf_gcl::ir::{BinaryOp as Binary, UnaryOp as Unary};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct Model {
    pub source: Arc<Source>,
    /// In the order of the text.
    pub units: Vec<Unit>,
}

#[derive(Clone, Debug)]
pub enum Unit {
    Mtype(MtypeDeclaration),
    Typedef(Typedef),
    Variables(Vec<Declaration>),
    Proctype(Box<Proctype>),
    Never(Automaton),
    /// `trace` or `notrace`.
    Trace {
        is_negated: bool,
        body: Automaton,
    },
    Ltl(Ltl),
}

#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// `mtype = { a, b }`, or `mtype:kind = { a, b }`.
#[derive(Clone, Debug)]
pub struct MtypeDeclaration {
    pub kind: Option<Name>,
    /// In the order of the text. (The last has the value 1.)
    pub names: Vec<Name>,
}

#[derive(Clone, Debug)]
pub struct Typedef {
    pub name: Name,
    pub fields: Vec<Declaration>,
}

/// One declared variable; a list of them in the text becomes several of these.
#[derive(Clone, Debug)]
pub struct Declaration {
    pub visibility: Visibility,
    pub ty: Type,
    pub name: Name,
    /// The number of elements, a constant expression.
    pub array: Option<Expr>,
    pub initial: Option<Initial>,
    /// The declared name with its array size and initial value.
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    Plain,
    Hidden,
    Show,
    Local,
}

#[derive(Clone, Debug)]
pub enum Type {
    Bit,
    Bool,
    Byte,
    Short,
    Int,
    Pid,
    /// `unsigned x : n`; the width is a constant expression.
    Unsigned(Expr),
    /// `mtype`, or `mtype:kind`.
    Mtype(Option<Name>),
    Chan,
    Record(Name),
}

#[derive(Clone, Debug)]
pub enum Initial {
    Value(Expr),
    /// `{ 1, 2, 3 }` for an array.
    List(Vec<Expr>),
    /// `[capacity] of { types }`; the capacity is a constant expression.
    Channel {
        capacity: Expr,
        fields: Vec<(Type, Span)>,
        span: Span,
    },
}

/// A `proctype`, or `init`, which has the name `:init:`.
#[derive(Clone, Debug)]
pub struct Proctype {
    pub name: Name,
    pub is_init: bool,
    /// `D_proctype`: deterministic, which SPIN takes on trust.
    pub is_deterministic: bool,
    /// `active [n]`; `init` is active once. The number is a constant expression, 1 if not given.
    pub active: Option<Option<Expr>>,
    pub parameters: Vec<Declaration>,
    pub priority: Option<Expr>,
    pub provided: Option<Expr>,
    pub body: Vec<Statement>,
    pub span: Span,
}

/// The body of a `never` claim or of a trace assertion.
#[derive(Clone, Debug)]
pub struct Automaton {
    pub name: Option<Name>,
    pub body: Vec<Statement>,
    pub span: Span,
}

/// `ltl name { formula }`, kept as text.
#[derive(Clone, Debug)]
pub struct Ltl {
    pub name: Option<Name>,
    /// After preprocessing, tokens separated by blanks.
    pub formula: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Statement {
    /// The labels before it, outermost first.
    pub labels: Vec<Name>,
    pub kind: StatementKind,
    /// Of a compound statement: its first token only. Otherwise the whole statement without its labels.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    /// Declarations among statements.
    Variables(Vec<Declaration>),
    /// An expression that must not be zero.
    Condition(Expr),
    Else,
    /// `skip` (which is also the condition 1, but is shown as written).
    Skip,
    Assign {
        target: Reference,
        value: Expr,
    },
    Increment(Reference),
    Decrement(Reference),
    Assert(Expr),
    Printf {
        format: String,
        arguments: Vec<Expr>,
    },
    Printm(Expr),
    Goto(Name),
    Break,
    If(Vec<Vec<Statement>>),
    Do(Vec<Vec<Statement>>),
    /// `for (variable : first .. last) { body }`.
    For {
        variable: Reference,
        range: Box<ForRange>,
        body: Vec<Statement>,
    },
    /// `select (variable : first .. last)`; plain if SPIN knows a name and two numbers before it knows a statement.
    Select {
        variable: Reference,
        first: Expr,
        last: Expr,
        is_plain: bool,
    },
    Atomic(Vec<Statement>),
    DStep(Vec<Statement>),
    /// `{ … }`, and the body of an inline call.
    Block(Vec<Statement>),
    /// Two statements, mostly blocks.
    Unless {
        main: Box<Statement>,
        escape: Box<Statement>,
    },
    /// `c ! a, b`, or sorted with `!!`.
    Send {
        channel: Reference,
        values: Vec<Expr>,
        is_sorted: bool,
    },
    /// `c ? a, b`; with `??` any matching message (the first that matches), with `<>` it stays in the channel.
    Receive {
        channel: Reference,
        arguments: Vec<Argument>,
        is_random: bool,
        is_copy: bool,
    },
    /// `xr c, d` or `xs c, d`.
    Exclusive {
        channels: Vec<Reference>,
        receives: bool,
    },
    /// `set_priority(process, priority)`.
    SetPriority {
        process: Expr,
        priority: Expr,
    },
}

#[derive(Clone, Debug)]
pub enum ForRange {
    /// `first .. last`.
    Values(Expr, Expr),
    /// `in name`: the indices of an array, or the messages of a channel.
    In(Reference),
}

/// What stands in a receive or a poll.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A variable that takes the value, unless it is the name of an mtype constant, or `_`.
    Reference(Reference),
    /// A constant, perhaps negative.
    Constant(Expr),
    /// `eval(e)`.
    Eval(Expr, Span),
}

/// A variable, an element, a field: `a[i].b[j].c`.
#[derive(Clone, Debug)]
pub struct Reference {
    pub parts: Vec<Part>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Part {
    pub name: Name,
    pub index: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Also `true`, `false`, and `skip` where an expression stands.
    Number(i32),
    /// A variable, a constant of an mtype, or one of `_pid`, `_nr_pr`, `_last`, `_priority`.
    Reference(Reference),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `(a -> b : c)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Run {
        proctype: Name,
        arguments: Vec<Expr>,
        priority: Option<Box<Expr>>,
    },
    /// `len`, `empty`, … of a channel.
    Channel(ChannelQuery, Reference),
    /// `c ? [a, b]`, or with `??`.
    Poll {
        channel: Reference,
        arguments: Vec<Argument>,
        is_random: bool,
    },
    Enabled(Box<Expr>),
    PcValue(Box<Expr>),
    GetPriority(Box<Expr>),
    Timeout,
    /// `np_`.
    NonProgress,
    /// `P[i]@label`, or `P@label`.
    AtLabel {
        proctype: Name,
        process: Option<Box<Expr>>,
        label: Name,
    },
    /// `P[i]:x`, or `P:x`.
    RemoteVariable {
        proctype: Name,
        process: Option<Box<Expr>>,
        variable: Reference,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelQuery {
    Length,
    Empty,
    Full,
    NotEmpty,
    NotFull,
}
