//! A model as it was written.
//!
//! Heights of expressions are bounded by the parser, so that everything that walks a tree may recurse.

use dampf_core::Span;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

#[derive(Debug)]
pub struct Model {
    pub name: Name,
    /// Constants and variables, in the order of the text, which is the order of their evaluation.
    pub declarations: Vec<Declaration>,
    pub processes: Vec<Process>,
    pub init: Option<Init>,
}

/// One name of a `const` or `var` section.
#[derive(Debug)]
pub struct Declaration {
    pub name: Name,
    pub kind: DeclarationKind,
    /// Always there for a constant.
    pub initial: Option<Expression>,
}

#[derive(Debug)]
pub enum DeclarationKind {
    Constant,
    /// An `int`, or an array with the sizes of its dimensions, the outermost first.
    Variable(Vec<Expression>),
    Queue(Expression),
}

#[derive(Debug)]
pub struct Init {
    pub statements: Vec<Statement>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Process {
    pub name: Name,
    pub declarations: Vec<Declaration>,
    pub init: Option<Init>,
    pub states: Vec<State>,
}

#[derive(Debug)]
pub struct State {
    pub name: Name,
    pub is_final: bool,
    pub transitions: Vec<Transition>,
}

#[derive(Debug)]
pub struct Transition {
    pub binders: Vec<Binder>,
    pub guards: Vec<Expression>,
    pub sync: Option<Sync>,
    pub statements: Vec<Statement>,
    pub target: Name,
    pub span: Span,
}

#[derive(Debug)]
pub enum Sync {
    Send { queue: Name, value: Expression },
    Receive { target: Reference, queue: Name },
}

#[derive(Debug)]
pub enum Statement {
    Assign {
        target: Reference,
        value: Expression,
        span: Span,
    },
    /// The span is that of the condition, without the parentheses around it: faults quote it.
    Assert {
        condition: Expression,
        span: Span,
    },
    For {
        binder: Binder,
        body: Vec<Statement>,
    },
    New {
        process: Name,
        count: Option<Expression>,
        span: Span,
    },
}

/// `k = 0 .. N - 1`: a name for each of some constants.
#[derive(Clone, Debug)]
pub struct Binder {
    pub name: Name,
    pub from: Expression,
    pub to: Expression,
}

impl Binder {
    pub fn span(&self) -> Span {
        self.name.span.to(self.to.span())
    }
}

#[derive(Clone, Debug)]
pub enum Expression {
    Number(i32, Span),
    Pid(Span),
    Reference(Reference),
    /// The number of messages in a queue.
    Length(Name, Span),
    Negate(Box<Expression>, Span),
    Not(Box<Expression>, Span),
    Binary(dampf_gcl::ir::BinaryOp, Box<Expression>, Box<Expression>, Span),
    Quantified(Quantifier, Box<Binder>, Box<Expression>, Span),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    All,
    Any,
    Sum,
}

/// A constant, a variable or an element of one; with a member, a local variable or a state of a process.
#[derive(Clone, Debug)]
pub struct Reference {
    pub name: Name,
    pub indices: Vec<Expression>,
    pub member: Option<(Name, Vec<Expression>)>,
    pub span: Span,
}

impl Expression {
    pub fn span(&self) -> Span {
        match self {
            Expression::Number(_, span)
            | Expression::Pid(span)
            | Expression::Length(_, span)
            | Expression::Negate(_, span)
            | Expression::Not(_, span)
            | Expression::Binary(_, _, _, span)
            | Expression::Quantified(_, _, _, span) => *span,
            Expression::Reference(reference) => reference.span,
        }
    }
}

/// A Büchi automaton as it was written.
#[derive(Debug)]
pub struct Automaton {
    pub states: Vec<AutomatonState>,
    pub span: Span,
}

#[derive(Debug)]
pub struct AutomatonState {
    pub name: Name,
    pub accepting: bool,
    pub transitions: Vec<AutomatonTransition>,
}

#[derive(Debug)]
pub struct AutomatonTransition {
    pub guards: Vec<Expression>,
    pub target: Name,
    pub span: Span,
}
