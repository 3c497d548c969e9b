//! Expressions, by precedence climbing.
//!
//! The levels are those of DiVinE's grammar, and they are not those of C: `and` and `or` share one level, and
//! so do `&`, `|` and `^`; operators of one level group from the left. `a or b and c` is `(a or b) and c`.
//! Unary operators bind tightest: `not x == y` is `(not x) == y`.
//!
//! Both the nesting and the depth of a tree are bounded, so that no text makes a recursion overflow the
//! stack, here or in anything that walks the tree later.

use super::Parser;
use crate::ast::{Expr, ExprKind, Name, Operator};
use crate::lexer::Token;
use crate::problem::{Checked, Problem};
use dampf_core::Span;
use dampf_gcl::ir::{BinaryOp, UnaryOp};

/// Parentheses, brackets and unary operators within each other.
const NESTING_MAX: u32 = 200;
/// Nodes on the way from an expression to its farthest leaf; long sums are deep to the left.
const DEPTH_MAX: u32 = 500;

/// The level of a binary operator, weakest first, and its meaning.
fn binary_operator(token: Token) -> Option<(u8, Operator)> {
    use Operator::Plain;
    Some(match token {
        Token::Imply => (1, Operator::Imply),
        Token::Or | Token::OrOr => (2, Plain(BinaryOp::Or)),
        Token::And | Token::AndAnd => (2, Plain(BinaryOp::And)),
        Token::Bar => (3, Plain(BinaryOp::BitOr)),
        Token::Ampersand => (3, Plain(BinaryOp::BitAnd)),
        Token::Caret => (3, Plain(BinaryOp::BitXor)),
        Token::EqualEqual => (4, Plain(BinaryOp::Equal)),
        Token::NotEqual => (4, Plain(BinaryOp::NotEqual)),
        Token::Less => (5, Plain(BinaryOp::Less)),
        Token::LessEqual => (5, Plain(BinaryOp::LessEqual)),
        Token::Greater => (5, Plain(BinaryOp::Greater)),
        Token::GreaterEqual => (5, Plain(BinaryOp::GreaterEqual)),
        Token::ShiftLeft => (6, Plain(BinaryOp::ShiftLeft)),
        Token::ShiftRight => (6, Plain(BinaryOp::ShiftRight)),
        Token::Plus => (7, Plain(BinaryOp::Add)),
        Token::Minus => (7, Plain(BinaryOp::Subtract)),
        Token::Star => (8, Plain(BinaryOp::Multiply)),
        Token::Slash => (8, Plain(BinaryOp::Divide)),
        Token::Percent => (8, Plain(BinaryOp::Remainder)),
        _ => return None,
    })
}

pub(super) fn is_operator(token: Token) -> bool {
    binary_operator(token).is_some()
}

impl<'a> Parser<'a> {
    pub(super) fn expression(&mut self) -> Checked<Expr<'a>> {
        // A problem leaves through `?` from any depth, so the count starts anew with every whole expression.
        let outer = self.nesting;
        let outcome = self.binary(1);
        self.nesting = outer;
        outcome
    }

    /// An expression of operators of this level or stronger.
    fn binary(&mut self, weakest: u8) -> Checked<Expr<'a>> {
        let mut left = self.unary()?;
        while let Some((level, operator)) = binary_operator(self.current()).filter(|(level, _)| *level >= weakest) {
            self.advance();
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            let depth = 1 + left.depth.max(right.depth);
            left = self.node(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span, depth)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Checked<Expr<'a>> {
        let operator = match self.current() {
            Token::Minus => UnaryOp::Negate,
            Token::Tilde => UnaryOp::BitNot,
            Token::Not | Token::Exclamation => UnaryOp::Not,
            _ => return self.primary(),
        };
        let start = self.advance();
        let operand = self.nested(Self::unary)?;
        let (span, depth) = (start.to(operand.span), 1 + operand.depth);
        self.node(ExprKind::Unary(operator, Box::new(operand)), span, depth)
    }

    fn primary(&mut self) -> Checked<Expr<'a>> {
        let span = self.span();
        match self.current() {
            Token::Number(value) => {
                self.advance();
                self.node(ExprKind::Number(value), span, 1)
            }
            Token::True | Token::False => {
                let value = i32::from(self.current() == Token::True);
                self.advance();
                self.node(ExprKind::Number(value), span, 1)
            }
            Token::Identifier => self.variable_or_state(),
            Token::ParenthesisOpen => {
                self.advance();
                let mut inner = self.nested(|parser| parser.binary(1))?;
                let end = self.expect(Token::ParenthesisClose, "to close the parenthesis")?;
                inner.span = span.to(end);
                Ok(inner)
            }
            _ => Err(self.expected("an expression")),
        }
    }

    /// `x`, `a[e]`, `P.s`, `P->x`, `P->a[e]`
    fn variable_or_state(&mut self) -> Checked<Expr<'a>> {
        let name = self.name("a name")?;
        match self.current() {
            Token::Dot => {
                self.advance();
                let state = self.name("the name of a state")?;
                self.indexed(name.span, state, |state, index| ExprKind::Member(name, state, index))
            }
            Token::Arrow => {
                self.advance();
                let variable = self.name("the name of a variable")?;
                self.indexed(name.span, variable, |variable, index| ExprKind::Foreign(name, variable, index))
            }
            _ => self.indexed(name.span, name, ExprKind::Variable),
        }
    }

    fn indexed(
        &mut self,
        start: Span,
        name: Name<'a>,
        kind: impl FnOnce(Name<'a>, Option<Box<Expr<'a>>>) -> ExprKind<'a>,
    ) -> Checked<Expr<'a>> {
        if !self.accept(Token::BracketOpen) {
            return self.node(kind(name, None), start.to(name.span), 1);
        }
        let index = self.nested(|parser| parser.binary(1))?;
        let end = self.expect(Token::BracketClose, "after an index")?;
        let depth = 1 + index.depth;
        self.node(kind(name, Some(Box::new(index))), start.to(end), depth)
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Checked<Expr<'a>>) -> Checked<Expr<'a>> {
        if self.nesting == NESTING_MAX {
            let message = format!("an expression is nested more than {NESTING_MAX} deep");
            return Err(Problem::new(self.span(), message, "too deep from here on"));
        }
        self.nesting += 1;
        let outcome = parse(self);
        self.nesting -= 1;
        outcome
    }

    fn node(&self, kind: ExprKind<'a>, span: Span, depth: u32) -> Checked<Expr<'a>> {
        if depth > DEPTH_MAX {
            let message = format!("an expression has more than {DEPTH_MAX} operators within each other");
            let problem = Problem::new(self.previous_span(), message, "too long from here on");
            return Err(problem.help("put parts of it into parentheses, or into several guards"));
        }
        Ok(Expr { kind, span, depth })
    }
}
