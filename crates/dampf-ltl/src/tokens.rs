//! The pieces of a formula's text: operators of the logic, and the rest, which belongs to the model's language.
//!
//! The same word can be both. `U` between two operands is an operator, and so is `[]` where an operand is expected;
//! which of the two it is, the parser decides by the position. The lexer tells pieces apart by their spelling alone.

use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece {
    Binary(Binary),
    Unary(Unary),
    /// `!`, `not`.
    Negation,
    /// `true`, `false`.
    Constant(bool),
    /// A name or a number.
    Word,
    /// `"x > 3"`: the extent of a proposition, forced.
    Quoted,
    /// `(`, `[` or `{`, with the place of its partner among the tokens.
    Open(u8, usize),
    Close(u8),
    /// An operator or mark of the model's language.
    Symbol,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Binary {
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unary {
    Always,
    Eventually,
    Next,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub piece: Piece,
    pub span: Span,
}

/// Spellings with symbols, longer ones before those they begin with. The last rows keep operators of the model's
/// language in one piece, so that no part of them is taken for an operator of the logic.
const SYMBOLS: &[(&str, Piece)] = &[
    ("<->", Piece::Binary(Binary::Equivalent)),
    ("->", Piece::Binary(Binary::Implies)),
    ("<>", Piece::Unary(Unary::Eventually)),
    ("[]", Piece::Unary(Unary::Always)),
    ("&&", Piece::Binary(Binary::And)),
    ("/\\", Piece::Binary(Binary::And)),
    ("||", Piece::Binary(Binary::Or)),
    ("\\/", Piece::Binary(Binary::Or)),
    ("!=", Piece::Symbol),
    ("!", Piece::Negation),
    ("==", Piece::Symbol),
    ("<=", Piece::Symbol),
    (">=", Piece::Symbol),
    ("<<", Piece::Symbol),
    (">>", Piece::Symbol),
    ("::", Piece::Symbol),
];

const WORDS: &[(&str, Piece)] = &[
    ("always", Piece::Unary(Unary::Always)),
    ("eventually", Piece::Unary(Unary::Eventually)),
    ("next", Piece::Unary(Unary::Next)),
    ("X", Piece::Unary(Unary::Next)),
    ("U", Piece::Binary(Binary::Until)),
    ("until", Piece::Binary(Binary::Until)),
    ("stronguntil", Piece::Binary(Binary::Until)),
    ("W", Piece::Binary(Binary::WeakUntil)),
    ("weakuntil", Piece::Binary(Binary::WeakUntil)),
    ("V", Piece::Binary(Binary::Release)),
    ("R", Piece::Binary(Binary::Release)),
    ("release", Piece::Binary(Binary::Release)),
    ("implies", Piece::Binary(Binary::Implies)),
    ("imply", Piece::Binary(Binary::Implies)),
    ("equivalent", Piece::Binary(Binary::Equivalent)),
    ("and", Piece::Binary(Binary::And)),
    ("or", Piece::Binary(Binary::Or)),
    ("not", Piece::Negation),
    ("true", Piece::Constant(true)),
    ("false", Piece::Constant(false)),
];

/// Words that mean an operator to people and are names to SPIN: where an operand is expected, they are names.
pub const ALSO_NAMES: &[&str] = &["R", "and", "or", "imply"];

pub fn tokens(text: &str) -> Checked<Vec<Token>> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (piece, length) = piece(text, at, first)?;
        let span = Span::new(at, at + length);
        match piece {
            Piece::Open(..) => open.push(tokens.len()),
            Piece::Close(close) => {
                let opened = open.pop().ok_or_else(|| {
                    Problem::new(span, format!("there is no `{}` for this", partner(close) as char), "closed here")
                })?;
                let place = tokens.len();
                let Token { piece: Piece::Open(bracket, matched), span: begin } = &mut tokens[opened] else {
                    unreachable!("only opening brackets are remembered")
                };
                if partner(*bracket) != close {
                    let message = format!("`{}` is closed by `{}`", *bracket as char, close as char);
                    return Err(Problem::new(begin.to(span), message, "these do not match"));
                }
                *matched = place;
            }
            _ => {}
        }
        tokens.push(Token { piece, span });
        at += length;
    }
    match open.pop() {
        None => Ok(tokens),
        Some(opened) => {
            let span = tokens[opened].span;
            let bracket = &text[span.start as usize..span.end as usize];
            Err(Problem::new(span, format!("`{bracket}` is never closed"), "opened here"))
        }
    }
}

fn partner(bracket: u8) -> u8 {
    match bracket {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b')' => b'(',
        b']' => b'[',
        _ => b'{',
    }
}

pub fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// What stands at a place of the text, and how many bytes of it.
fn piece(text: &str, at: usize, first: char) -> Checked<(Piece, usize)> {
    let rest = &text[at..];
    if is_word(first) {
        let length = rest.find(|letter: char| !is_word(letter)).unwrap_or(rest.len());
        let known = WORDS.iter().find(|(word, _)| *word == &rest[..length]);
        return Ok((known.map_or(Piece::Word, |(_, piece)| *piece), length));
    }
    if let Some((symbol, piece)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
        return Ok((*piece, symbol.len()));
    }
    match first {
        '"' => match rest[1..].find('"') {
            Some(length) => Ok((Piece::Quoted, length + 2)),
            None => Err(Problem::new(Span::new(at, text.len()), "a quoted proposition is never closed", "opened here")),
        },
        '(' | '[' | '{' => Ok((Piece::Open(first as u8, 0), 1)),
        ')' | ']' | '}' => Ok((Piece::Close(first as u8), 1)),
        ';' => Err(Problem::new(Span::new(at, at + 1), "a formula has no `;`", "not part of a formula")
            .help("write one formula, without declarations")),
        other => Ok((Piece::Symbol, other.len_utf8())),
    }
}
