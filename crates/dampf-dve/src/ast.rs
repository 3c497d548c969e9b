//! A DVE text as it was written: names are still words, nothing is resolved.
//!
//! Names borrow from the text. Every node knows its span, because every later message points at one.

use dampf_core::Span;
use dampf_gcl::ir::{BinaryOp, IntType, UnaryOp};

#[derive(Clone, Copy, Debug)]
pub struct Name<'a> {
    pub text: &'a str,
    pub span: Span,
}

#[derive(Debug)]
pub struct Model<'a> {
    pub declarations: Vec<Declaration<'a>>,
    pub processes: Vec<Process<'a>>,
    /// The line `system async;`.
    pub system: Span,
    /// From `system async property NAME;`.
    pub property: Option<Name<'a>>,
}

#[derive(Debug)]
pub enum Declaration<'a> {
    Variable(Variable<'a>),
    Channel(Channel<'a>),
}

#[derive(Debug)]
pub struct Variable<'a> {
    pub name: Name<'a>,
    pub constant: bool,
    pub ty: IntType,
    pub size: Option<Expr<'a>>,
    pub initial: Option<Initial<'a>>,
}

#[derive(Debug)]
pub enum Initial<'a> {
    One(Expr<'a>),
    List(Vec<Expr<'a>>, Span),
}

#[derive(Debug)]
pub struct Channel<'a> {
    pub name: Name<'a>,
    /// None for an untyped channel.
    pub types: Option<Vec<IntType>>,
    pub capacity: Option<Expr<'a>>,
}

#[derive(Debug)]
pub struct Process<'a> {
    pub name: Name<'a>,
    pub declarations: Vec<Declaration<'a>>,
    pub states: Vec<Name<'a>>,
    /// As often as it was given: once is right.
    pub initial: Vec<Name<'a>>,
    pub committed: Vec<Name<'a>>,
    pub accepting: Vec<Name<'a>>,
    pub assertions: Vec<(Name<'a>, Expr<'a>)>,
    pub transitions: Vec<Transition<'a>>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Transition<'a> {
    /// Written here, or taken over from the transition before.
    pub source: Name<'a>,
    pub target: Name<'a>,
    /// All must hold.
    pub guards: Vec<Expr<'a>>,
    pub sync: Option<Sync<'a>>,
    pub effects: Vec<Assignment<'a>>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Sync<'a> {
    pub channel: Name<'a>,
    pub direction: Direction,
    /// What is sent, or the places a receive stores into.
    pub operands: Vec<Expr<'a>>,
    pub span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    Send,
    Receive,
}

#[derive(Debug)]
pub struct Assignment<'a> {
    pub target: Expr<'a>,
    pub value: Expr<'a>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Expr<'a> {
    pub kind: ExprKind<'a>,
    pub span: Span,
    /// The number of nodes on the longest way to a leaf; bounded by the parser, so that recursion is safe.
    pub depth: u32,
}

#[derive(Debug)]
pub enum ExprKind<'a> {
    Number(i32),
    /// `x`, or `a[e]`.
    Variable(Name<'a>, Option<Box<Expr<'a>>>),
    /// `P.s`: whether process P is in state s. Beside a model also `P.x` and `P.a[e]`, as for `P->x`.
    Member(Name<'a>, Name<'a>, Option<Box<Expr<'a>>>),
    /// `P->x`, or `P->a[e]`: a variable of another process.
    Foreign(Name<'a>, Name<'a>, Option<Box<Expr<'a>>>),
    Unary(UnaryOp, Box<Expr<'a>>),
    Binary(Operator, Box<Expr<'a>>, Box<Expr<'a>>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    Plain(BinaryOp),
    Imply,
}
