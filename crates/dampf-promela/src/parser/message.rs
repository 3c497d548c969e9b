//! What is sent, and what is waited for.

use super::Parser;
use crate::ast::{Argument, Expr, ExprKind, Reference, StatementKind};
use crate::lexer::Token;
use crate::problem::Checked;

impl Parser {
    /// `! a, b`, `!! a(b, c)`, behind the name of a channel.
    pub(super) fn send(&mut self, channel: Reference) -> Checked<StatementKind> {
        let is_sorted = self.current() == Token::SortedSend;
        self.advance();
        let mut values = vec![self.expression()?];
        if self.accept(Token::ParenthesisOpen) {
            self.values(&mut values)?;
            self.expect(Token::ParenthesisClose, "after the values of a message")?;
        } else if self.accept(Token::Comma) {
            self.values(&mut values)?;
        }
        Ok(StatementKind::Send { channel, values, is_sorted })
    }

    fn values(&mut self, values: &mut Vec<Expr>) -> Checked<()> {
        loop {
            values.push(self.expression()?);
            if !self.accept(Token::Comma) {
                return Ok(());
            }
        }
    }

    /// `? a, b`, `?? a(b)`, `? <a, b>`, behind the name of a channel.
    pub(super) fn receive(&mut self, channel: Reference) -> Checked<StatementKind> {
        let is_random = self.current() == Token::RandomReceive;
        self.advance();
        let is_copy = self.accept(Token::Less);
        let arguments = self.receive_arguments()?;
        if is_copy {
            self.expect(Token::Greater, "after what is copied from a message")?;
        }
        Ok(StatementKind::Receive { channel, arguments, is_random, is_copy })
    }

    /// `a, eval(b), 3, _` or `a(b, c)` or all of it in parentheses.
    pub(super) fn receive_arguments(&mut self) -> Checked<Vec<Argument>> {
        let mut arguments = Vec::new();
        loop {
            if self.current() == Token::ParenthesisOpen {
                self.enclosed_arguments(&mut arguments)?;
                return Ok(arguments);
            }
            arguments.push(self.receive_argument()?);
            if self.current() == Token::ParenthesisOpen {
                self.enclosed_arguments(&mut arguments)?;
                return Ok(arguments);
            }
            if !self.accept(Token::Comma) {
                return Ok(arguments);
            }
        }
    }

    fn enclosed_arguments(&mut self, arguments: &mut Vec<Argument>) -> Checked<()> {
        self.advance();
        arguments.extend(self.nested("a message", Self::receive_arguments)?);
        self.expect(Token::ParenthesisClose, "after the parts of a message").map(drop)
    }

    fn receive_argument(&mut self) -> Checked<Argument> {
        let start = self.at;
        match self.current() {
            Token::Eval => {
                self.advance();
                self.expect(Token::ParenthesisOpen, "after `eval`")?;
                let expr = self.expression()?;
                self.expect(Token::ParenthesisClose, "after the expression of `eval`")?;
                Ok(Argument::Eval(expr, self.since(start)))
            }
            Token::Minus => {
                self.advance();
                let Token::Number(value) = self.current() else { return Err(self.expected("a number")) };
                self.advance();
                let span = self.since(start);
                Ok(Argument::Constant(Expr { kind: ExprKind::Number(value.wrapping_neg()), span }))
            }
            Token::Number(_) | Token::True | Token::False | Token::Skip => Ok(Argument::Constant(self.operand()?)),
            Token::Identifier => Ok(Argument::Reference(self.reference("a variable")?)),
            _ => Err(self.expected("a variable, a constant, `eval(…)` or `_`")),
        }
    }
}
