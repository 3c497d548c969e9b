//! The pieces of a file in the HOA format.

use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// `States:`, without the colon.
    Header(String),
    Name(String),
    /// `@busy`, without the mark.
    Alias(String),
    Text(String),
    Number(u32),
    Symbol(char),
    /// `--BODY--` and the like.
    Section(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    pub piece: Piece,
    pub span: Span,
}

pub fn tokens(text: &str) -> Checked<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("/*") {
            at += comment(rest)
                .ok_or_else(|| Problem::new(Span::new(at, at + 2), "a comment is never closed", "opened here"))?;
            continue;
        }
        let (piece, length) = piece(rest, first, at)?;
        tokens.push(Token { piece, span: Span::new(at, at + length) });
        at += length;
    }
    Ok(tokens)
}

/// The length of a comment. Comments nest.
fn comment(rest: &str) -> Option<usize> {
    let (mut depth, mut at) = (0, 0);
    while at + 1 < rest.len() {
        match &rest.as_bytes()[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

fn name_length(rest: &str) -> usize {
    rest.find(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_' || letter == '-')).unwrap_or(rest.len())
}

fn piece(rest: &str, first: char, at: usize) -> Checked<(Piece, usize)> {
    if first.is_ascii_digit() {
        let length = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[..length]
            .parse()
            .map_err(|_| Problem::new(Span::new(at, at + length), "a number is too large", "more than 32 bits"))?;
        return Ok((Piece::Number(number), length));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let length = name_length(rest);
        let name = rest[..length].to_owned();
        return Ok(match rest[length..].starts_with(':') {
            true => (Piece::Header(name), length + 1),
            false => (Piece::Name(name), length),
        });
    }
    match first {
        '@' => {
            let length = name_length(&rest[1..]);
            Ok((Piece::Alias(rest[1..1 + length].to_owned()), 1 + length))
        }
        '"' => quoted(rest)
            .ok_or_else(|| Problem::new(Span::new(at, at + 1), "a quoted text is never closed", "opened here")),
        '-' if rest.starts_with("--") => {
            let name = name_length(&rest[2..]);
            // The name takes the hyphens behind it along.
            let name = rest[2..2 + name].trim_end_matches('-').to_owned();
            let length = name.len() + 4;
            if !rest[2 + name.len()..].starts_with("--") {
                return Err(Problem::new(Span::new(at, at + 2), "`--` begins no section", "not expected here"));
            }
            Ok((Piece::Section(name), length))
        }
        '(' | ')' | '[' | ']' | '{' | '}' | '!' | '&' | '|' => Ok((Piece::Symbol(first), 1)),
        other => {
            let span = Span::new(at, at + other.len_utf8());
            Err(Problem::new(span, format!("`{other}` has no meaning in an automaton"), "not expected here"))
        }
    }
}

fn quoted(rest: &str) -> Option<(Piece, usize)> {
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((Piece::Text(text), at + 1)),
            '\\' => text.push(letters.next()?.1),
            _ => text.push(letter),
        }
    }
    None
}
