//! The condition of an `#if`: a constant expression of 64 bits, with the operators and precedences of C.
//!
//! All macros are replaced when it comes here; the names that are left count as 0.

use crate::lexer::{Lexeme, Token};
use crate::problem::{Checked, Problem};
use dampf_core::Span;

/// Parentheses and unary operators within each other.
const NESTING_MAX: u32 = 200;
const TERNARY: u8 = 0;
const WEAKEST: u8 = 1;

pub(super) fn evaluate(line: &[Lexeme], directive: Span) -> Checked<i64> {
    let mut condition = Condition { line, at: 0, directive, nesting: 0, is_needed: true };
    let value = condition.expression(TERNARY)?;
    match condition.current() {
        None => Ok(value),
        Some(lexeme) => {
            let message = format!("expected an operator or the end of the line, found `{}`", lexeme.text);
            Err(Problem::new(lexeme.span, message, "not expected here"))
        }
    }
}

struct Condition<'l> {
    line: &'l [Lexeme],
    at: usize,
    directive: Span,
    nesting: u32,
    /// Whether the value at hand counts: `0 && 1/0` is 0.
    is_needed: bool,
}

fn level(token: Token) -> Option<u8> {
    Some(match token {
        Token::OrOr => WEAKEST,
        Token::AndAnd => 2,
        Token::Bar => 3,
        Token::Caret => 4,
        Token::Ampersand => 5,
        Token::EqualEqual | Token::NotEqual => 6,
        Token::Less | Token::LessEqual | Token::Greater | Token::GreaterEqual => 7,
        Token::ShiftLeft | Token::ShiftRight => 8,
        Token::Plus | Token::Minus => 9,
        Token::Star | Token::Slash | Token::Percent => 10,
        _ => return None,
    })
}

impl<'l> Condition<'l> {
    fn current(&self) -> Option<&'l Lexeme> {
        self.line.get(self.at)
    }

    fn accept(&mut self, token: Token) -> bool {
        let found = self.current().is_some_and(|lexeme| lexeme.token == token);
        self.at += usize::from(found);
        found
    }

    fn expression(&mut self, weakest: u8) -> Checked<i64> {
        let mut left = self.unary()?;
        while let Some((operator, strength)) =
            self.current().and_then(|lexeme| Some((lexeme, level(lexeme.token)?))).filter(|(_, l)| *l >= weakest)
        {
            self.at += 1;
            let is_settled = match operator.token {
                Token::AndAnd => left == 0,
                Token::OrOr => left != 0,
                _ => false,
            };
            let right = self.unless_settled(is_settled, |condition| condition.expression(strength + 1))?;
            left = self.apply(operator, left, right)?;
        }
        if weakest == TERNARY && self.accept(Token::Question) {
            let first = self.unless_settled(left == 0, |condition| condition.nested(TERNARY))?;
            if !self.accept(Token::Colon) {
                return Err(self.expected("`:`"));
            }
            let second = self.unless_settled(left != 0, |condition| condition.nested(TERNARY))?;
            left = if left != 0 { first } else { second };
        }
        Ok(left)
    }

    fn unless_settled(&mut self, is_settled: bool, part: impl FnOnce(&mut Self) -> Checked<i64>) -> Checked<i64> {
        let outer = self.is_needed;
        self.is_needed &= !is_settled;
        let value = part(self);
        self.is_needed = outer;
        value
    }

    fn nested(&mut self, weakest: u8) -> Checked<i64> {
        if self.nesting == NESTING_MAX {
            let message = format!("a condition is nested more than {NESTING_MAX} deep");
            return Err(Problem::new(self.directive, message, "this condition"));
        }
        self.nesting += 1;
        let value = self.expression(weakest);
        self.nesting -= 1;
        value
    }

    fn unary(&mut self) -> Checked<i64> {
        // A loop and not a recursion: there may be many of them.
        let start = self.at;
        while matches!(
            self.current().map(|lexeme| lexeme.token),
            Some(Token::Exclamation | Token::SortedSend | Token::Minus | Token::Plus | Token::Tilde)
        ) {
            self.at += 1;
        }
        let operators = &self.line[start..self.at];
        let mut value = self.primary()?;
        for operator in operators.iter().rev() {
            value = match operator.token {
                Token::Exclamation => i64::from(value == 0),
                Token::SortedSend => i64::from(value != 0),
                Token::Minus => value.wrapping_neg(),
                Token::Tilde => !value,
                _ => value,
            };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Checked<i64> {
        let Some(lexeme) = self.current() else { return Err(self.expected("a value")) };
        if self.accept(Token::ParenthesisOpen) {
            let value = self.nested(TERNARY)?;
            return if self.accept(Token::ParenthesisClose) { Ok(value) } else { Err(self.expected("`)`")) };
        }
        let value = match lexeme.token {
            Token::Number(_) | Token::StrangeNumber if !lexeme.text.starts_with('\'') => number(lexeme)?,
            Token::Number(value) => i64::from(value),
            _ if lexeme.is_word() => 0,
            _ => return Err(self.expected("a value")),
        };
        self.at += 1;
        Ok(value)
    }

    fn expected(&self, wanted: &str) -> Box<Problem> {
        match self.current() {
            Some(lexeme) => {
                let message = format!("expected {wanted}, found `{}`", lexeme.text);
                let problem = Problem::new(lexeme.span, message, "not expected here");
                if lexeme.token == Token::Assign { problem.help("to compare, write `==`") } else { problem }
            }
            None => {
                let span = self.line.last().map_or(self.directive, |lexeme| lexeme.span);
                Problem::new(span, format!("expected {wanted}, found the end of the line"), "the line ends after this")
            }
        }
    }

    fn apply(&self, operator: &Lexeme, left: i64, right: i64) -> Checked<i64> {
        let shift = (right & 63) as u32;
        Ok(match operator.token {
            Token::OrOr => i64::from(left != 0 || right != 0),
            Token::AndAnd => i64::from(left != 0 && right != 0),
            Token::Bar => left | right,
            Token::Caret => left ^ right,
            Token::Ampersand => left & right,
            Token::EqualEqual => i64::from(left == right),
            Token::NotEqual => i64::from(left != right),
            Token::Less => i64::from(left < right),
            Token::LessEqual => i64::from(left <= right),
            Token::Greater => i64::from(left > right),
            Token::GreaterEqual => i64::from(left >= right),
            Token::ShiftLeft => left.wrapping_shl(shift),
            Token::ShiftRight => left.wrapping_shr(shift),
            Token::Plus => left.wrapping_add(right),
            Token::Minus => left.wrapping_sub(right),
            Token::Star => left.wrapping_mul(right),
            _ if right == 0 && self.is_needed => {
                return Err(Problem::new(operator.span, "division by zero in a condition", "divides by zero"));
            }
            _ if right == 0 => 0,
            Token::Slash => left.wrapping_div(right),
            _ => left.wrapping_rem(right),
        })
    }
}

/// A number with the prefixes and suffixes of C.
fn number(lexeme: &Lexeme) -> Checked<i64> {
    let text = lexeme.text.to_ascii_lowercase();
    let digits = text.trim_end_matches(['u', 'l']);
    let value = if let Some(hexadecimal) = digits.strip_prefix("0x") {
        i64::from_str_radix(hexadecimal, 16)
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8)
    } else {
        digits.parse()
    };
    value.map_err(|_| Problem::new(lexeme.span, format!("`{}` is not a number", lexeme.text), "not an integer"))
}
