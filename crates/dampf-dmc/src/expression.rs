//! The expression part of the parser: precedence climbing.
//!
//! From loose to tight: `or`, `and`, `not`, equality, comparison, sums, products, signs. The thesis gives no
//! table; this one reads all of its examples as they are meant. `=` within an expression is equality.

use crate::ast::*;
use crate::lexer::TokenKind;
use crate::mistake::Mistake;
use crate::parser::Parser;
use dampf_core::Span;
use dampf_gcl::ir::BinaryOp;

/// Parentheses, indices and signs around one another.
const NESTING_MAX: usize = 100;

/// The height of an expression's tree: a chain of operators counts too, because it leans to the left.
const HEIGHT_MAX: usize = 400;

const NOT_LEVEL: u32 = 3;
const TIGHTEST: u32 = 7;

/// An expression with its height, and its place with the parentheses around it.
struct Piece {
    expression: Expression,
    height: usize,
    span: Span,
}

impl Piece {
    fn leaf(expression: Expression) -> Self {
        Piece { span: expression.span(), expression, height: 1 }
    }

    /// An expression over operands, the tallest of which is `height` high.
    fn over(expression: Expression, height: usize) -> Result<Self, Mistake> {
        let span = expression.span();
        if height < HEIGHT_MAX { Ok(Piece { expression, height: height + 1, span }) } else { Err(too_deep(span)) }
    }
}

impl Parser<'_> {
    pub(crate) fn expression(&mut self) -> Result<Expression, Mistake> {
        self.operators(1).map(|piece| piece.expression)
    }

    pub(crate) fn binder(&mut self) -> Result<Binder, Mistake> {
        self.measured_binder().map(|(binder, _)| binder)
    }

    /// `x`, `a[i][j]`, `P.x`, `P[2].a[i]`.
    pub(crate) fn reference(&mut self) -> Result<Reference, Mistake> {
        self.measured_reference().map(|(reference, _)| reference)
    }

    /// Operands joined by operators that bind at least as tightly as `level`.
    fn operators(&mut self, level: u32) -> Result<Piece, Mistake> {
        let mut left = if self.kind() == TokenKind::Not { self.negation(level)? } else { self.operand()? };
        while let Some((op, op_level)) = binary_operator(self.kind()).filter(|(_, found)| *found >= level) {
            self.bump();
            let right = self.operators(op_level + 1)?;
            let height = left.height.max(right.height);
            let span = left.span.to(right.span);
            let operands = (Box::new(left.expression), Box::new(right.expression));
            left = Piece::over(Expression::Binary(op, operands.0, operands.1, span), height)?;
        }
        Ok(left)
    }

    fn negation(&mut self, level: u32) -> Result<Piece, Mistake> {
        let start = self.bump().span;
        if level > NOT_LEVEL {
            return Err(Mistake::new(start, "`not` is an operand here", "binds more loosely than what is before it")
                .help("put it into parentheses"));
        }
        let piece = self.nested(start, |parser| parser.operators(NOT_LEVEL))?;
        Piece::over(Expression::Not(Box::new(piece.expression), start.to(piece.span)), piece.height)
    }

    fn nested<T>(&mut self, at: Span, parse: impl FnOnce(&mut Self) -> Result<T, Mistake>) -> Result<T, Mistake> {
        if self.nesting >= NESTING_MAX {
            return Err(too_deep(at));
        }
        self.nesting += 1;
        let parsed = parse(self);
        self.nesting -= 1;
        parsed
    }

    fn operand(&mut self) -> Result<Piece, Mistake> {
        let start = self.span();
        match self.kind() {
            TokenKind::Minus => {
                self.bump();
                if self.kind() == TokenKind::Number {
                    return self.number(start, true);
                }
                let piece = self.nested(start, Self::operand)?;
                Piece::over(Expression::Negate(Box::new(piece.expression), start.to(piece.span)), piece.height)
            }
            TokenKind::Bang => {
                self.bump();
                let piece = self.nested(start, Self::operand)?;
                Piece::over(Expression::Not(Box::new(piece.expression), start.to(piece.span)), piece.height)
            }
            TokenKind::OpenParen => {
                self.bump();
                let piece = self.nested(start, |parser| parser.operators(1))?;
                self.expect(TokenKind::CloseParen)?;
                Ok(Piece { span: self.span_since(start), ..piece })
            }
            TokenKind::Number => self.number(start, false),
            TokenKind::Pid => Ok(Piece::leaf(Expression::Pid(self.bump().span))),
            TokenKind::Identifier => self.named(),
            TokenKind::Recv => Err(Mistake::new(start, "`recv` within an expression", "received here")
                .help("receive into a variable first: `x = recv(queue);`")),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn number(&mut self, start: Span, negative: bool) -> Result<Piece, Mistake> {
        let digits = self.bump().span;
        let span = start.to(digits);
        let magnitude: Option<i64> = self.text(digits).parse().ok();
        let value = magnitude.map(|value| if negative { -value } else { value });
        match value.and_then(|value| i32::try_from(value).ok()) {
            Some(value) => Ok(Piece::leaf(Expression::Number(value, span))),
            None => Err(Mistake::new(span, "the number does not fit into 32 bits", "too large")),
        }
    }

    /// What begins with a name: `all(…)`, `any(…)`, `sum(…)`, `len(…)`, or a reference.
    fn named(&mut self) -> Result<Piece, Mistake> {
        let start = self.span();
        let is_call = |word| self.at_word(word, TokenKind::OpenParen);
        let quantifier = if is_call("all") {
            Quantifier::All
        } else if is_call("any") {
            Quantifier::Any
        } else if is_call("sum") {
            Quantifier::Sum
        } else if is_call("len") {
            return self.length();
        } else {
            let (reference, height) = self.measured_reference()?;
            return Piece::over(Expression::Reference(reference), height);
        };
        self.bump();
        self.bump();
        let ((binder, bounds), body) = self.nested(start, |parser| {
            let binder = parser.measured_binder()?;
            parser.expect(TokenKind::Colon)?;
            Ok((binder, parser.operators(1)?))
        })?;
        self.expect(TokenKind::CloseParen)?;
        let span = self.span_since(start);
        let expression = Expression::Quantified(quantifier, Box::new(binder), Box::new(body.expression), span);
        Piece::over(expression, bounds.max(body.height))
    }

    fn length(&mut self) -> Result<Piece, Mistake> {
        let start = self.bump().span;
        self.bump();
        let queue = self.name()?;
        self.expect(TokenKind::CloseParen)?;
        Ok(Piece::leaf(Expression::Length(queue, self.span_since(start))))
    }

    fn measured_binder(&mut self) -> Result<(Binder, usize), Mistake> {
        let name = self.name()?;
        self.expect(TokenKind::Equal)?;
        let from = self.operators(1)?;
        self.expect(TokenKind::DotDot)?;
        let to = self.operators(1)?;
        let height = from.height.max(to.height);
        Ok((Binder { name, from: from.expression, to: to.expression }, height))
    }

    fn measured_reference(&mut self) -> Result<(Reference, usize), Mistake> {
        let name = self.name()?;
        let start = name.span;
        let (indices, mut height) = self.indices()?;
        let mut member = None;
        if self.eat(TokenKind::Dot) {
            let name = self.name()?;
            let (indices, member_height) = self.indices()?;
            height = height.max(member_height);
            member = Some((name, indices));
        }
        Ok((Reference { name, indices, member, span: self.span_since(start) }, height))
    }

    fn indices(&mut self) -> Result<(Vec<Expression>, usize), Mistake> {
        let mut indices = Vec::new();
        let mut height = 0;
        while self.eat(TokenKind::OpenBracket) {
            let at = self.span();
            let piece = self.nested(at, |parser| parser.operators(1))?;
            self.expect(TokenKind::CloseBracket)?;
            height = height.max(piece.height);
            indices.push(piece.expression);
        }
        Ok((indices, height))
    }
}

fn too_deep(span: Span) -> Mistake {
    Mistake::new(span, "the expression is nested too deeply", "here it becomes too deep")
        .help("keep a part of it in a variable of its own, or use `all`, `any` or `sum`")
}

/// An operator's meaning and how tightly it binds.
fn binary_operator(kind: TokenKind) -> Option<(BinaryOp, u32)> {
    Some(match kind {
        TokenKind::Or => (BinaryOp::Or, 1),
        TokenKind::And => (BinaryOp::And, 2),
        TokenKind::Equal | TokenKind::EqualEqual => (BinaryOp::Equal, 4),
        TokenKind::NotEqual => (BinaryOp::NotEqual, 4),
        TokenKind::Less => (BinaryOp::Less, 5),
        TokenKind::LessEqual => (BinaryOp::LessEqual, 5),
        TokenKind::Greater => (BinaryOp::Greater, 5),
        TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, 5),
        TokenKind::Plus => (BinaryOp::Add, 6),
        TokenKind::Minus => (BinaryOp::Subtract, 6),
        TokenKind::Star => (BinaryOp::Multiply, TIGHTEST),
        TokenKind::Slash | TokenKind::Div => (BinaryOp::Divide, TIGHTEST),
        TokenKind::Percent | TokenKind::Mod => (BinaryOp::Remainder, TIGHTEST),
        _ => return None,
    })
}
