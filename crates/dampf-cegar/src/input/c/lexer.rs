//! From C text to tokens, behind the little of the preprocessor that small programs use.
//!
//! Included files are not read: what they declare for checking is known (`assert`, `abort`), and the rest is unknown by
//! name. Macros without parameters are replaced; those with parameters are refused where they are used.

use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};
use std::collections::HashMap;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Token {
    Identifier(String),
    Number(Literal),
    Text,
    /// An operator, a parenthesis, a semicolon.
    Mark(&'static str),
    End,
}

/// An integer as it is written, with what its spelling says about its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Literal {
    pub value: i128,
    pub is_unsigned: bool,
    pub is_long: bool,
    /// Decimal literals are never unsigned by themselves.
    pub is_decimal: bool,
}

/// Longer marks stand before their prefixes.
const MARKS: &[&str] = &[
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "{", "}", "(", ")", "[", "]", ";", ",", ":", "?", "=", "+", "-", "*", "/", "%", "<", ">",
    "!", "~", "&", "|", "^", ".",
];

/// Tokens that macros may expand to in all.
const EXPANDED_MAX: usize = 1_000_000;

type Placed = (Token, Span);

enum Macro {
    Object(Vec<Placed>),
    Function,
}

pub fn tokenize(text: &str) -> Checked<Vec<Placed>> {
    let mut lexer = Lexer { text, at: 0, out: Vec::new(), macros: HashMap::new(), conditions: Vec::new() };
    lexer.run()?;
    if let Some(&(_, start)) = lexer.conditions.last() {
        return Err(Problem::new(Span::new(start, start + 1), "a condition has no `#endif`", "begins here"));
    }
    lexer.out.push((Token::End, Span::new(text.len(), text.len())));
    Ok(lexer.out)
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    out: Vec<Placed>,
    macros: HashMap<String, Macro>,
    /// The conditions that are open: whether their text counts, and where they begin.
    conditions: Vec<(bool, usize)>,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn run(&mut self) -> Checked<()> {
        let mut at_line_start = true;
        loop {
            at_line_start |= self.skip_blanks()?;
            let start = self.at;
            let Some(first) = self.rest().chars().next() else { return Ok(()) };
            if first == '#' && at_line_start {
                self.directive()?;
                continue;
            }
            at_line_start = false;
            if self.conditions.iter().any(|(counts, _)| !counts) {
                let rest = self.rest();
                self.at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            let token = self.token(first)?;
            let span = Span::new(start, self.at);
            self.push(token, span, 0)?;
        }
    }

    /// Whether a line ended.
    fn skip_blanks(&mut self) -> Checked<bool> {
        let mut line = false;
        loop {
            let rest = self.rest();
            let length = rest.find(|c: char| !c.is_whitespace() && c != '\u{feff}').unwrap_or(rest.len());
            line |= rest[..length].contains('\n');
            self.at += length;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(length) = comment.find("*/") else {
                    return Err(self.problem(2, "a comment is not closed", "begins here").help("close it with `*/`"));
                };
                self.at += length + 4;
            } else if rest.starts_with("\\\n") {
                self.at += 2;
            } else if length == 0 {
                return Ok(line);
            }
        }
    }

    fn problem(&self, width: usize, message: impl Into<String>, label: &str) -> Box<Problem> {
        Problem::new(Span::new(self.at, self.at + width), message, label)
    }

    fn token(&mut self, first: char) -> Checked<Token> {
        if first.is_ascii_alphabetic() || first == '_' {
            return Ok(Token::Identifier(self.word().to_owned()));
        }
        if first.is_ascii_digit() || (first == '.' && self.rest()[1..].starts_with(|c: char| c.is_ascii_digit())) {
            return self.number();
        }
        match first {
            '"' => self.string(),
            '\'' => self.character(),
            _ => match MARKS.iter().find(|mark| self.rest().starts_with(**mark)) {
                Some(mark) => {
                    self.at += mark.len();
                    Ok(Token::Mark(mark))
                }
                None => Err(self.problem(first.len_utf8(), format!("`{first}` is no token of C"), "not expected here")),
            },
        }
    }

    fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let word = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn number(&mut self) -> Checked<Token> {
        let start = self.at;
        let rest = self.rest();
        let word = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len())];
        let lower = word.to_ascii_lowercase();
        let hexadecimal = lower.strip_prefix("0x");
        if word.contains('.') || (hexadecimal.is_none() && lower.contains('e')) {
            return Err(self.problem(word.len(), "floating-point numbers are not supported", "is one"));
        }
        let digits = lower.trim_end_matches(['u', 'l']);
        let suffix = &lower[digits.len()..];
        let value = match (hexadecimal, digits.strip_prefix('0')) {
            (Some(_), _) => i128::from_str_radix(&digits[2..], 16).ok(),
            (None, Some("")) => Some(0),
            (None, Some(octal)) => i128::from_str_radix(octal, 8).ok(),
            (None, None) => digits.parse().ok(),
        };
        match value {
            Some(value) if value <= i128::from(u64::MAX) => {
                self.at = start + word.len();
                Ok(Token::Number(Literal {
                    value,
                    is_unsigned: suffix.contains('u'),
                    is_long: suffix.contains('l'),
                    is_decimal: hexadecimal.is_none() && (digits == "0" || !digits.starts_with('0')),
                }))
            }
            _ => Err(self.problem(word.len(), format!("`{word}` is no integer of 64 bits"), "not understood")),
        }
    }

    fn string(&mut self) -> Checked<Token> {
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(Token::Text);
                }
                '\\' => drop(characters.next()),
                '\n' => break,
                _ => {}
            }
        }
        Err(self.problem(1, "a string is not closed", "begins here"))
    }

    fn character(&mut self) -> Checked<Token> {
        let rest = self.rest();
        let mut characters = rest[1..].chars();
        let (value, length) = match (characters.next(), characters.next(), characters.next()) {
            (Some('\\'), Some(escape), Some('\'')) => {
                let value = match escape {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    '\\' | '\'' | '"' => escape,
                    _ => return Err(self.problem(4, "this escape is not supported", "in a character")),
                };
                (value, 4)
            }
            (Some(value), Some('\''), _) if value.is_ascii() && value != '\'' => (value, 3),
            _ => return Err(self.problem(1, "this is no character of one byte", "begins here")),
        };
        self.at += length;
        let value = i128::from(u32::from(value));
        Ok(Token::Number(Literal { value, is_unsigned: false, is_long: false, is_decimal: true }))
    }

    /// Replaces macros by what they stand for, at the place where they are used.
    fn push(&mut self, token: Token, span: Span, depth: usize) -> Checked<()> {
        if let Token::Identifier(name) = &token {
            match self.macros.get(name) {
                Some(Macro::Function) => {
                    return Err(Problem::new(span, format!("the macro `{name}` has parameters"), "used here")
                        .help("run the preprocessor first: gcc -E -P FILE.c -o FILE.i"));
                }
                Some(Macro::Object(_)) if depth > 32 || self.out.len() > EXPANDED_MAX => {
                    return Err(Problem::new(span, format!("the macro `{name}` expands without measure"), "used here"));
                }
                Some(Macro::Object(body)) => {
                    for (token, _) in body.clone() {
                        // A macro does not expand within itself.
                        if token == Token::Identifier(name.clone()) {
                            self.out.push((token, span));
                        } else {
                            self.push(token, span, depth + 1)?;
                        }
                    }
                    return Ok(());
                }
                None => {}
            }
        }
        self.out.push((token, span));
        Ok(())
    }

    fn directive(&mut self) -> Checked<()> {
        let start = self.at;
        let rest = self.rest();
        // A backslash before its end continues the line.
        let mut end = 0;
        loop {
            end += rest[end..].find('\n').unwrap_or(rest.len() - end);
            if end < rest.len() && rest[..end].ends_with('\\') {
                end += 1;
            } else {
                break;
            }
        }
        let line = rest[1..end].replace("\\\n", " ");
        let line = line.trim();
        let name = line.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or("");
        let operand = line[name.len()..].trim();
        let skipping = self.conditions.iter().any(|(counts, _)| !counts);
        let span = Span::new(start, start + end);
        let wrong = |message: &str| Err(Problem::new(span, message.to_owned(), "not supported"));
        let defined = |lexer: &Self| lexer.macros.contains_key(operand.split_whitespace().next().unwrap_or(""));
        match name {
            "ifdef" => self.conditions.push((defined(self), start)),
            "ifndef" => self.conditions.push((!defined(self), start)),
            "if" if skipping || matches!(operand, "0" | "1") => self.conditions.push((operand == "1", start)),
            "else" | "endif" if self.conditions.is_empty() => return wrong("a directive without its condition"),
            "else" => {
                if let Some((counts, _)) = self.conditions.last_mut() {
                    *counts = !*counts;
                }
            }
            "endif" => drop(self.conditions.pop()),
            _ if skipping => {}
            "define" => self.define(operand, span)?,
            "undef" => drop(self.macros.remove(operand)),
            // A line marker of a preprocessor begins with a number.
            "include" | "pragma" | "line" | "" => {}
            _ => return wrong(&format!("the directive `#{name}` is not supported")),
        }
        self.at = start + end;
        Ok(())
    }

    fn define(&mut self, operand: &str, span: Span) -> Checked<()> {
        let length = operand.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(operand.len());
        let (name, body) = operand.split_at(length);
        if name.is_empty() {
            return Err(Problem::new(span, "a macro needs a name", "defined here"));
        }
        let meaning = if body.starts_with('(') {
            Macro::Function
        } else {
            let mut inner =
                Lexer { text: body, at: 0, out: Vec::new(), macros: HashMap::new(), conditions: Vec::new() };
            let result = inner.run();
            result.map_err(|mut problem| {
                problem.span = span;
                problem
            })?;
            Macro::Object(inner.out)
        };
        self.macros.insert(name.to_owned(), meaning);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(text: &str) -> Vec<Token> {
        tokenize(text).unwrap().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn macros_and_conditions_are_followed() {
        let number = |value| Token::Number(Literal { value, is_unsigned: false, is_long: false, is_decimal: true });
        let text =
            "#include <assert.h>\n#define N 10\n#define M N\n#ifdef N\nM\n#else\nno\n#endif\n#if 0\n' \n#endif\n";
        assert_eq!(marks(text), [number(10), Token::End]);
    }

    #[test]
    fn what_is_no_token_is_told() {
        let message = |text: &str| tokenize(text).unwrap_err().message;
        assert_eq!(message("1.5"), "floating-point numbers are not supported");
        assert_eq!(message("@"), "`@` is no token of C");
        assert_eq!(message("/* x"), "a comment is not closed");
        assert_eq!(message("\"x"), "a string is not closed");
        assert_eq!(message("'ab'"), "this is no character of one byte");
        assert_eq!(message("'\\q'"), "this escape is not supported");
        assert_eq!(message("99999999999999999999"), "`99999999999999999999` is no integer of 64 bits");
        assert_eq!(message("#define F(x) x\nF(1)"), "the macro `F` has parameters");
        assert_eq!(message("#if X\n"), "the directive `#if` is not supported");
        assert_eq!(message("#ifdef X\n"), "a condition has no `#endif`");
        assert_eq!(message("#endif\n"), "a directive without its condition");
        assert_eq!(message("#define\n"), "a macro needs a name");
        assert_eq!(message("#define A B B\n#define B A A\nA"), "the macro `B` expands without measure");
    }
}
