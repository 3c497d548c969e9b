//! What a C program says, before any meaning: expressions, statements, functions.

use super::lexer::Literal;
use super::types::Type;
use dampf_core::Span;

#[derive(Clone, PartialEq, Debug)]
pub struct Expression {
    pub kind: ExpressionKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum ExpressionKind {
    Number(Literal),
    /// A string: only for functions that are known to do nothing with it.
    Text,
    Name(String),
    Call(String, Vec<Expression>),
    /// `-`, `+`, `!`, `~`
    Unary(&'static str, Box<Expression>),
    /// Arithmetic and comparisons; `&&`, `||` and `,` too.
    Binary(&'static str, Box<Expression>, Box<Expression>),
    /// `=`, and `+=` as `+`.
    Assign(Option<&'static str>, Box<Expression>, Box<Expression>),
    /// `++x` and `x++`: by how much, and whether the value before is the value.
    Step {
        target: Box<Expression>,
        by: i128,
        old: bool,
    },
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
    Cast(Option<Type>, Box<Expression>),
    /// `sizeof`
    SizeOf(Type),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum StatementKind {
    Block(Vec<Statement>),
    Declarations(Vec<Declaration>),
    Expression(Expression),
    If(Expression, Box<Statement>, Option<Box<Statement>>),
    While(Expression, Box<Statement>),
    DoWhile(Box<Statement>, Expression),
    For { start: Box<Statement>, condition: Option<Expression>, step: Option<Expression>, body: Box<Statement> },
    Switch(Expression, Box<Statement>),
    Case(Expression, Box<Statement>),
    Default(Box<Statement>),
    Label(String, Box<Statement>),
    Goto(String),
    Break,
    Continue,
    Return(Option<Expression>),
    Empty,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Declaration {
    pub name: String,
    pub of: Type,
    pub value: Option<Expression>,
    pub span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    pub name: String,
    /// `None` for `void`.
    pub result: Option<Type>,
    pub parameters: Vec<(String, Type)>,
    pub body: Statement,
    pub span: Span,
}

#[derive(Default, Debug)]
pub struct Program {
    pub globals: Vec<Declaration>,
    pub functions: Vec<Function>,
    /// What is declared and defined elsewhere, with its result.
    pub externals: Vec<(String, Option<Type>)>,
    pub constants: Vec<(String, Expression)>,
}
