//! Text to tokens.
//!
//! Only the words of the thesis's grammars are reserved. The words that Dampf adds (`const`, `for`, `final`, …)
//! are ordinary names to the lexer and are recognised by the parser where nothing else can stand, so that a
//! model which uses one of them as a variable stays a model.

use crate::mistake::Mistake;
use dampf_core::Span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    Identifier,
    Number,
    // Reserved words.
    Model,
    Var,
    Process,
    State,
    Trans,
    Guard,
    Goto,
    Init,
    New,
    End,
    Int,
    Array,
    Queue,
    Of,
    Send,
    Recv,
    Pid,
    Mod,
    Div,
    And,
    Or,
    Not,
    Bstate,
    Btrans,
    // Signs.
    Colon,
    Semicolon,
    Comma,
    Dot,
    DotDot,
    OpenParen,
    CloseParen,
    OpenBracket,
    CloseBracket,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Equal,
    EqualEqual,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Bang,
    EndOfText,
}

/// How each reserved word and each sign is written; the longer signs come first.
const SPELLINGS: &[(&str, TokenKind)] = &[
    ("model", TokenKind::Model),
    ("var", TokenKind::Var),
    ("process", TokenKind::Process),
    ("state", TokenKind::State),
    ("trans", TokenKind::Trans),
    ("guard", TokenKind::Guard),
    ("goto", TokenKind::Goto),
    ("init", TokenKind::Init),
    ("new", TokenKind::New),
    ("end", TokenKind::End),
    ("int", TokenKind::Int),
    ("array", TokenKind::Array),
    ("queue", TokenKind::Queue),
    ("of", TokenKind::Of),
    ("send", TokenKind::Send),
    ("recv", TokenKind::Recv),
    ("pid", TokenKind::Pid),
    ("mod", TokenKind::Mod),
    ("div", TokenKind::Div),
    ("and", TokenKind::And),
    ("or", TokenKind::Or),
    ("not", TokenKind::Not),
    ("bstate", TokenKind::Bstate),
    ("btrans", TokenKind::Btrans),
    ("&&", TokenKind::And),
    ("||", TokenKind::Or),
    ("==", TokenKind::EqualEqual),
    ("!=", TokenKind::NotEqual),
    ("<>", TokenKind::NotEqual),
    ("<=", TokenKind::LessEqual),
    (">=", TokenKind::GreaterEqual),
    ("..", TokenKind::DotDot),
    (":", TokenKind::Colon),
    (";", TokenKind::Semicolon),
    (",", TokenKind::Comma),
    (".", TokenKind::Dot),
    ("(", TokenKind::OpenParen),
    (")", TokenKind::CloseParen),
    ("[", TokenKind::OpenBracket),
    ("]", TokenKind::CloseBracket),
    ("+", TokenKind::Plus),
    ("-", TokenKind::Minus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
    ("%", TokenKind::Percent),
    ("=", TokenKind::Equal),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    ("!", TokenKind::Bang),
];

impl TokenKind {
    /// The token in a sentence: quoted where it is always written the same.
    pub fn describe(self) -> String {
        match self {
            TokenKind::Identifier => "a name".to_string(),
            TokenKind::Number => "a number".to_string(),
            TokenKind::EndOfText => "the end of the text".to_string(),
            _ => {
                SPELLINGS.iter().find(|(_, kind)| *kind == self).map_or(String::new(), |(text, _)| format!("`{text}`"))
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// The tokens of a text, the last of which is `EndOfText`, and the characters that belong to none.
pub fn tokenize(text: &str) -> (Vec<Token>, Vec<Mistake>) {
    let mut tokens = Vec::new();
    let mut mistakes = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if next.is_whitespace() {
            next.len_utf8()
        } else if next == '#' || rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some((kind, length)) = token_at(rest) {
            tokens.push(Token { kind, span: Span::new(at, at + length) });
            length
        } else {
            mistakes.push(stray(next, Span::new(at, at + next.len_utf8())));
            next.len_utf8()
        };
        at += length;
    }
    tokens.push(Token { kind: TokenKind::EndOfText, span: Span::new(text.len(), text.len()) });
    (tokens, mistakes)
}

fn token_at(rest: &str) -> Option<(TokenKind, usize)> {
    let first = rest.chars().next()?;
    let run = |accept: fn(char) -> bool| rest.find(|c| !accept(c)).unwrap_or(rest.len());
    if first.is_ascii_digit() {
        return Some((TokenKind::Number, run(|c| c.is_ascii_digit())));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let length = run(|c| c.is_ascii_alphanumeric() || c == '_');
        let reserved = SPELLINGS.iter().find(|(word, _)| *word == &rest[..length]);
        return Some((reserved.map_or(TokenKind::Identifier, |(_, kind)| *kind), length));
    }
    SPELLINGS.iter().find(|(sign, _)| rest.starts_with(sign)).map(|(sign, kind)| (*kind, sign.len()))
}

fn stray(character: char, span: Span) -> Mistake {
    let written = match character {
        '≤' => Some("<="),
        '≥' => Some(">="),
        '≠' => Some("!="),
        '×' => Some("*"),
        '÷' => Some("div"),
        '&' => Some("and"),
        '|' => Some("or"),
        _ => None,
    };
    let mistake = Mistake::new(span, format!("`{}` means nothing here", character.escape_default()), "stray character");
    match written {
        Some(word) => mistake.help(format!("write `{word}`")),
        None => mistake,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokenize(text).0.into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn longer_signs_win() {
        use TokenKind::*;
        assert_eq!(kinds("a<=b<>c"), [Identifier, LessEqual, Identifier, NotEqual, Identifier, EndOfText]);
        assert_eq!(kinds("0..3 >= !x"), [Number, DotDot, Number, GreaterEqual, Bang, Identifier, EndOfText]);
    }

    #[test]
    fn comments_reach_to_the_end_of_the_line() {
        use TokenKind::*;
        assert_eq!(kinds("end # not. this\n// nor ; this\n."), [End, Dot, EndOfText]);
        assert_eq!(kinds("x # at the end of the text"), [Identifier, EndOfText]);
    }

    #[test]
    fn stray_characters_are_mistakes_on_character_boundaries() {
        let (tokens, mistakes) = tokenize("x ≤ 1 ü");
        assert_eq!(tokens.len(), 3);
        assert_eq!(mistakes.len(), 2);
        assert_eq!(mistakes[0].help.as_deref(), Some("write `<=`"));
        assert_eq!(mistakes[0].span, Span::new(2, 5));
    }
}
