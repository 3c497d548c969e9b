//! From text to tokens.
//!
//! The whole text becomes tokens at once: models are small, and the parser looks ahead and recovers more
//! simply on a slice. What is no token is reported and left out; the parser goes on behind it. The last
//! token is always [`Token::End`], so that looking at the current token never needs a check.

use crate::problem::Problem;
use dampf_core::Span;

macro_rules! tokens {
    ($($name:ident $text:literal,)* ; $($keyword:ident $word:literal,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Token {
            Identifier,
            Number(i32),
            End,
            $($name,)*
            $($keyword,)*
        }

        impl Token {
            /// The token as a person would name it.
            pub fn describe(self) -> &'static str {
                match self {
                    Token::Identifier => "a name",
                    Token::Number(_) => "a number",
                    Token::End => "the end of the text",
                    $(Token::$name => concat!("`", $text, "`"),)*
                    $(Token::$keyword => concat!("`", $word, "`"),)*
                }
            }

            fn keyword(word: &str) -> Option<Token> {
                match word {
                    $($word => Some(Token::$keyword),)*
                    _ => None,
                }
            }
        }

        /// Longer marks stand before their prefixes.
        const MARKS: &[(&str, Token)] = &[$(($text, Token::$name),)*];
    };
}

tokens! {
    Arrow "->", WideArrow "=>", ShiftLeft "<<", ShiftRight ">>", LessEqual "<=", GreaterEqual ">=",
    EqualEqual "==", NotEqual "!=", AndAnd "&&", OrOr "||", Increment "++", Decrement "--",
    Dot ".", Comma ",", Semicolon ";", Colon ":", BraceOpen "{", BraceClose "}",
    BracketOpen "[", BracketClose "]", ParenthesisOpen "(", ParenthesisClose ")",
    Question "?", Exclamation "!", Tilde "~", Assign "=", Plus "+", Minus "-", Star "*", Slash "/",
    Percent "%", Bar "|", Ampersand "&", Caret "^", Less "<", Greater ">",
    ;
    Guard "guard", Sync "sync", Async "async", Effect "effect", Process "process", State "state",
    Init "init", Accept "accept", Commit "commit", Trans "trans", System "system", True "true",
    False "false", And "and", Or "or", Not "not", Imply "imply", Int "int", Byte "byte",
    Const "const", Channel "channel", Property "property", Assert "assert",
}

/// The tokens of a text with their places.
pub struct Tokens {
    pub tokens: Vec<(Token, Span)>,
    pub problems: Vec<Problem>,
}

pub fn tokenize(text: &str) -> Tokens {
    let mut lexer = Lexer { text, at: 0, out: Tokens { tokens: Vec::new(), problems: Vec::new() } };
    lexer.run();
    lexer.out.tokens.push((Token::End, Span::new(text.len(), text.len())));
    lexer.out
}

/// A byte order mark is what some editors begin a text with; a backslash continues a macro line.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}' || c == '\\'
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    out: Tokens,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        while let Some(first) = self.rest().chars().next() {
            let start = self.at;
            if is_blank(first) {
                self.take_while(is_blank);
            } else if self.rest().starts_with("//") {
                self.at = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
            } else if self.rest().starts_with("/*") {
                self.block_comment(start);
            } else if first.is_ascii_alphabetic() || first == '_' {
                let word = self.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#'));
                self.push(Token::keyword(word).unwrap_or(Token::Identifier), start);
            } else if first.is_ascii_digit() {
                self.number(start);
            } else if let Some(&(mark, token)) = self.mark() {
                self.at += mark.len();
                self.push(token, start);
            } else {
                self.at += first.len_utf8();
                self.stranger(first, start);
            }
        }
    }

    fn mark(&self) -> Option<&'static (&'static str, Token)> {
        let rest = &self.text.as_bytes()[self.at..];
        MARKS.iter().find(|(mark, _)| mark.as_bytes()[0] == rest[0] && rest.starts_with(mark.as_bytes()))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !belongs(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn push(&mut self, token: Token, start: usize) {
        self.out.tokens.push((token, Span::new(start, self.at)));
    }

    fn block_comment(&mut self, start: usize) {
        match self.text[start + 2..].find("*/") {
            Some(length) => self.at = start + 2 + length + 2,
            None => {
                self.at = self.text.len();
                let problem = Problem::new(Span::new(start, start + 2), "a comment is not closed", "begins here");
                self.out.problems.push(*problem.help("close it with `*/`"));
            }
        }
    }

    fn number(&mut self, start: usize) {
        let digits = self.take_while(|c| c.is_ascii_digit());
        let value = digits.parse().unwrap_or_else(|_| {
            let problem = Problem::new(Span::new(start, self.at), "a number is too large", "does not fit 32 bits");
            self.out.problems.push(*problem.help(format!("the greatest number is {}", i32::MAX)));
            0
        });
        self.push(Token::Number(value), start);
        let tail = self.at;
        if !self.take_while(|c| c.is_ascii_alphanumeric() || c == '_').is_empty() {
            let message = "a number runs into a name";
            let problem = Problem::new(Span::new(tail, self.at), message, "does not belong to a decimal number");
            self.out.problems.push(*problem.help("DVE has decimal numbers only, and names begin with a letter"));
        }
    }

    fn stranger(&mut self, character: char, start: usize) {
        let message = format!("unexpected character `{}`", character.escape_debug());
        let problem = Problem::new(Span::new(start, self.at), message, "not part of the language");
        self.out.problems.push(*problem);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Token> {
        tokenize(text).tokens.into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn longer_marks_win_and_comments_vanish() {
        use Token::*;
        assert_eq!(
            kinds("a->b<<=1 // x\n/* ** */ c! != !=="),
            [
                Identifier,
                Arrow,
                Identifier,
                ShiftLeft,
                Assign,
                Number(1),
                Identifier,
                Exclamation,
                NotEqual,
                NotEqual,
                Assign,
                End
            ]
        );
    }

    #[test]
    fn strange_texts_are_reported_and_never_panic() {
        for text in ["\u{feff}byte x;", "/*", "/*/", "é\0", "99999999999", "1x", "'\"@`", "\\\n"] {
            let out = tokenize(text);
            assert_eq!(out.tokens.last().unwrap().0, Token::End);
            for problem in out.problems {
                assert!(text.get(problem.span.start as usize..problem.span.end as usize).is_some(), "{problem:?}");
            }
        }
        assert!(tokenize("\u{feff}byte x;").problems.is_empty());
        assert_eq!(tokenize("99999999999").problems.len(), 1);
    }
}
