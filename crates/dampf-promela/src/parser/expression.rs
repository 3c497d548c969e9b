//! Expressions, by precedence climbing.
//!
//! The levels are those of C. Unary operators bind tightest: `!x == y` is `(!x) == y`.
//!
//! Both the nesting and the depth of a tree are bounded, so that no text makes a recursion overflow the stack, here
//! or in anything that walks the tree later.

use super::Parser;
use crate::ast::{Binary, ChannelQuery, Expr, ExprKind, Name, Part, Reference, Unary};
use crate::lexer::Token;
use crate::problem::{Checked, Problem};
use dampf_core::Span;

/// Nodes on the way from an expression to its farthest leaf; long sums are deep to the left.
const DEPTH_MAX: u32 = 500;
const WEAKEST: u8 = 1;

/// An expression and its depth.
type Measured = (Expr, u32);

/// The level of a binary operator, weakest first, and its meaning.
fn binary_operator(token: Token) -> Option<(u8, Binary)> {
    Some(match token {
        Token::OrOr => (WEAKEST, Binary::Or),
        Token::AndAnd => (2, Binary::And),
        Token::Bar => (3, Binary::BitOr),
        Token::Caret => (4, Binary::BitXor),
        Token::Ampersand => (5, Binary::BitAnd),
        Token::EqualEqual => (6, Binary::Equal),
        Token::NotEqual => (6, Binary::NotEqual),
        Token::Less => (7, Binary::Less),
        Token::LessEqual => (7, Binary::LessEqual),
        Token::Greater => (7, Binary::Greater),
        Token::GreaterEqual => (7, Binary::GreaterEqual),
        Token::ShiftLeft => (8, Binary::ShiftLeft),
        Token::ShiftRight => (8, Binary::ShiftRight),
        Token::Plus => (9, Binary::Add),
        Token::Minus => (9, Binary::Subtract),
        Token::Star => (10, Binary::Multiply),
        Token::Slash => (10, Binary::Divide),
        Token::Percent => (10, Binary::Remainder),
        _ => return None,
    })
}

pub(super) fn is_operator(token: Token) -> bool {
    binary_operator(token).is_some()
}

fn channel_query(token: Token) -> Option<ChannelQuery> {
    Some(match token {
        Token::Len => ChannelQuery::Length,
        Token::Empty => ChannelQuery::Empty,
        Token::Full => ChannelQuery::Full,
        Token::Nempty => ChannelQuery::NotEmpty,
        Token::Nfull => ChannelQuery::NotFull,
        _ => return None,
    })
}

impl Parser {
    pub(super) fn expression(&mut self) -> Checked<Expr> {
        Ok(self.measured()?.0)
    }

    /// An expression without binary operators, unless they are in parentheses.
    pub(super) fn operand(&mut self) -> Checked<Expr> {
        Ok(self.unary()?.0)
    }

    fn measured(&mut self) -> Checked<Measured> {
        self.nested("an expression", |parser| parser.binary(WEAKEST))
    }

    /// An expression of operators of this level or stronger.
    fn binary(&mut self, weakest: u8) -> Checked<Measured> {
        let start = self.at;
        let (mut left, mut depth) = self.unary()?;
        while let Some((level, operator)) = binary_operator(self.current()).filter(|(level, _)| *level >= weakest) {
            self.advance();
            let (right, right_depth) = self.binary(level + 1)?;
            let span = self.since(start);
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            (left, depth) = self.node(kind, span, 1 + depth.max(right_depth))?;
        }
        Ok((left, depth))
    }

    fn unary(&mut self) -> Checked<Measured> {
        let operator = match self.current() {
            Token::Minus => Unary::Negate,
            Token::Tilde => Unary::BitNot,
            Token::Exclamation => Unary::Not,
            _ => return self.primary(),
        };
        let start = self.at;
        self.advance();
        let (operand, depth) = self.nested("an expression", Self::unary)?;
        let span = self.since(start);
        self.node(ExprKind::Unary(operator, Box::new(operand)), span, 1 + depth)
    }

    fn primary(&mut self) -> Checked<Measured> {
        let token = self.current();
        match token {
            Token::Number(value) => self.leaf(ExprKind::Number(value)),
            Token::True | Token::Skip => self.leaf(ExprKind::Number(1)),
            Token::False => self.leaf(ExprKind::Number(0)),
            Token::Timeout => self.leaf(ExprKind::Timeout),
            Token::NonProgress => self.leaf(ExprKind::NonProgress),
            Token::ParenthesisOpen => self.parenthesized(),
            Token::Run => self.run(),
            Token::Enabled => self.of_process(ExprKind::Enabled),
            Token::PcValue => self.of_process(ExprKind::PcValue),
            Token::GetPriority => self.of_process(ExprKind::GetPriority),
            Token::Identifier => self.named(),
            _ => match channel_query(token) {
                Some(query) => self.channel_query(query),
                None => Err(self.expected("an expression")),
            },
        }
    }

    fn leaf(&mut self, kind: ExprKind) -> Checked<Measured> {
        let span = self.advance();
        self.node(kind, span, 1)
    }

    /// `(e)`, `(a -> b : c)`
    fn parenthesized(&mut self) -> Checked<Measured> {
        let start = self.at;
        self.advance();
        let (mut inner, mut depth) = self.measured()?;
        if self.accept(Token::Arrow) {
            let (first, first_depth) = self.measured()?;
            self.expect(Token::Colon, "between the values of a conditional expression")?;
            let (second, second_depth) = self.measured()?;
            let span = self.since(start + 1);
            let kind = ExprKind::Conditional(Box::new(inner), Box::new(first), Box::new(second));
            (inner, depth) = self.node(kind, span, 1 + depth.max(first_depth).max(second_depth))?;
        }
        self.expect(Token::ParenthesisClose, "to close the parenthesis")?;
        inner.span = self.since(start);
        Ok((inner, depth))
    }

    /// `run P(a, b) priority 2`
    fn run(&mut self) -> Checked<Measured> {
        let start = self.at;
        self.advance();
        let proctype = self.name("the name of a proctype")?;
        self.expect(Token::ParenthesisOpen, "before the arguments of a process")?;
        let mut arguments = Vec::new();
        let mut depth = 0;
        while self.current() != Token::ParenthesisClose {
            let (argument, argument_depth) = self.measured()?;
            arguments.push(argument);
            depth = depth.max(argument_depth);
            if !self.accept(Token::Comma) {
                break;
            }
        }
        self.expect(Token::ParenthesisClose, "after the arguments of a process")?;
        let priority = if self.accept(Token::Priority) { Some(Box::new(self.operand()?)) } else { None };
        let span = self.since(start);
        self.node(ExprKind::Run { proctype, arguments, priority }, span, 1 + depth)
    }

    /// `enabled(e)` and the like.
    fn of_process(&mut self, kind: fn(Box<Expr>) -> ExprKind) -> Checked<Measured> {
        let start = self.at;
        self.advance();
        self.expect(Token::ParenthesisOpen, "before the number of a process")?;
        let (process, depth) = self.measured()?;
        self.expect(Token::ParenthesisClose, "after the number of a process")?;
        self.node(kind(Box::new(process)), self.since(start), 1 + depth)
    }

    /// `len(c)` and the like.
    fn channel_query(&mut self, query: ChannelQuery) -> Checked<Measured> {
        let start = self.at;
        self.advance();
        self.expect(Token::ParenthesisOpen, "before the name of a channel")?;
        let channel = self.reference("the name of a channel")?;
        self.expect(Token::ParenthesisClose, "after the name of a channel")?;
        self.node(ExprKind::Channel(query, channel), self.since(start), 1)
    }

    /// What begins with a name: a variable, a poll, a place or a variable of another process.
    fn named(&mut self) -> Checked<Measured> {
        let start = self.at;
        let word = self.lexeme().text.clone();
        let (mut reference, depth) = self.measured_reference("a name")?;
        let is_process = reference.parts.len() == 1 && self.proctypes.contains(&word);
        match self.current() {
            Token::At if reference.parts.len() == 1 => {
                self.advance();
                let (proctype, process) = process_of(&mut reference);
                let label = self.name("the name of a label")?;
                let span = self.since(start);
                self.node(ExprKind::AtLabel { proctype, process, label }, span, 1 + depth)
            }
            Token::Colon if is_process => {
                self.advance();
                let (proctype, process) = process_of(&mut reference);
                let (variable, variable_depth) = self.measured_reference("the name of a variable of the process")?;
                let span = self.since(start);
                let kind = ExprKind::RemoteVariable { proctype, process, variable };
                self.node(kind, span, 1 + depth.max(variable_depth))
            }
            Token::Question | Token::RandomReceive if self.following() == Token::BracketOpen => {
                let is_random = self.current() == Token::RandomReceive;
                self.advance();
                self.advance();
                let arguments = self.nested("a message", Self::receive_arguments)?;
                self.expect(Token::BracketClose, "after what is polled for")?;
                let kind = ExprKind::Poll { channel: reference, arguments, is_random };
                self.node(kind, self.since(start), 1 + depth)
            }
            _ => {
                let span = reference.span;
                self.node(ExprKind::Reference(reference), span, depth)
            }
        }
    }

    pub(super) fn reference(&mut self, what: &str) -> Checked<Reference> {
        Ok(self.measured_reference(what)?.0)
    }

    /// `a[i].b[j].c`
    fn measured_reference(&mut self, what: &str) -> Checked<(Reference, u32)> {
        let start = self.at;
        let mut parts = Vec::new();
        let mut depth = 1;
        let mut what = what;
        loop {
            let name = self.name(what)?;
            let mut index = None;
            if self.accept(Token::BracketOpen) {
                let (expr, index_depth) = self.measured()?;
                self.expect(Token::BracketClose, "after an index")?;
                index = Some(Box::new(expr));
                depth = depth.max(1 + index_depth);
            }
            parts.push(Part { name, index });
            if !self.accept(Token::Dot) {
                break;
            }
            what = "the name of a field";
        }
        Ok((Reference { parts, span: self.since(start) }, depth))
    }

    fn node(&self, kind: ExprKind, span: Span, depth: u32) -> Checked<Measured> {
        if depth > DEPTH_MAX {
            let message = format!("an expression has more than {DEPTH_MAX} operators within each other");
            let problem = Problem::new(self.previous_place(), message, "too long from here on");
            return Err(problem.help("put parts of it into parentheses"));
        }
        Ok((Expr { kind, span }, depth))
    }
}

/// The proctype and the process of `P[i]`.
fn process_of(reference: &mut Reference) -> (Name, Option<Box<Expr>>) {
    let part = reference.parts.remove(0);
    (part.name, part.index)
}
