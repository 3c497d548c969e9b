//! From the text of a file to lexemes.
//!
//! One kind of lexeme serves the preprocessor and the parser. It keeps its text, because a macro may make a lexeme
//! whose text stands nowhere; and the line breaks before it, because they separate statements. What is no lexeme of
//! the language becomes one all the same ([`Token::Stranger`] and the like): text that the preprocessor leaves out
//! may hold anything, and only the parser knows whether somebody asks for it.

use crate::problem::Problem;
use dampf_core::Span;
use std::collections::HashMap;
use std::rc::Rc;

macro_rules! tokens {
    ($($name:ident $text:literal,)* ; $($keyword:ident $word:literal,)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Token {
            Identifier,
            Number(i32),
            /// A number that is not made of decimal digits only, or that is too large.
            StrangeNumber,
            Text,
            /// A quote without its partner on the same line.
            OpenQuote,
            /// A character that means nothing.
            Stranger,
            End,
            $($name,)*
            $($keyword,)*
        }

        impl Token {
            /// The token as a person would name it.
            pub fn describe(self) -> &'static str {
                match self {
                    Token::Identifier => "a name",
                    Token::Number(_) | Token::StrangeNumber => "a number",
                    Token::Text | Token::OpenQuote => "a string",
                    Token::Stranger => "a strange character",
                    Token::End => "the end of the text",
                    $(Token::$name => concat!("`", $text, "`"),)*
                    $(Token::$keyword => concat!("`", $word, "`"),)*
                }
            }

            fn word(word: &str) -> Token {
                match word {
                    $($word => Token::$keyword,)*
                    _ => Token::Identifier,
                }
            }
        }

        /// Longer marks stand before their prefixes.
        const MARKS: &[(&str, Token)] = &[$(($text, Token::$name),)*];
    };
}

// The marks of formulas (`<->`, `[]`, `<>`, `/\`, `\/`) cannot stand next to each other in this way in anything else.
tokens! {
    Equivalent "<->", Always "[]", Eventually "<>", LogicalAnd "/\\", LogicalOr "\\/",
    Arrow "->", ShiftLeft "<<", ShiftRight ">>", LessEqual "<=", GreaterEqual ">=",
    EqualEqual "==", NotEqual "!=", AndAnd "&&", OrOr "||", Increment "++", Decrement "--",
    SortedSend "!!", RandomReceive "??", Option "::", Range "..", Paste "##", Hash "#",
    Dot ".", Comma ",", Semicolon ";", Colon ":", BraceOpen "{", BraceClose "}",
    BracketOpen "[", BracketClose "]", ParenthesisOpen "(", ParenthesisClose ")", At "@",
    Question "?", Exclamation "!", Tilde "~", Assign "=", Plus "+", Minus "-", Star "*", Slash "/",
    Percent "%", Bar "|", Ampersand "&", Caret "^", Less "<", Greater ">",
    ;
    Active "active", Assert "assert", Atomic "atomic", Bit "bit", Bool "bool", Break "break", Byte "byte",
    CCode "c_code", CDecl "c_decl", CExpr "c_expr", CState "c_state", CTrack "c_track", Chan "chan",
    DeterministicProctype "D_proctype", DStep "d_step", Do "do", Else "else", Empty "empty", Enabled "enabled",
    Eval "eval", False "false", Fi "fi", For "for", Full "full", GetPriority "get_priority", Goto "goto",
    Hidden "hidden", If "if", Init "init", Inline "inline", Int "int", Len "len", Local "local", Ltl "ltl",
    Mtype "mtype", Nempty "nempty", Never "never", Nfull "nfull", Notrace "notrace", NonProgress "np_", Od "od",
    Of "of", PcValue "pc_value", Pid "pid", Printf "printf", Printm "printm", Priority "priority",
    Proctype "proctype", Provided "provided", Return "return", Run "run", Select "select",
    SetPriority "set_priority", Short "short", Show "show", Skip "skip", Timeout "timeout", Trace "trace",
    True "true", Typedef "typedef", Unless "unless", Unsigned "unsigned", Xr "xr", Xs "xs",
}

#[derive(Clone, Debug)]
pub struct Lexeme {
    pub token: Token,
    pub text: Rc<str>,
    /// Where the user wrote it; for what a macro made, where the user wrote the macro's name.
    pub span: Span,
    /// Where it stands in what is being read: the span, except for the argument of an inline call, which stands where
    /// the parameter is used.
    pub place: Span,
    /// Whether it is the first of its line, continued lines and comments taken as one line.
    pub starts_line: bool,
    /// Whether any line break comes before it.
    pub after_newline: bool,
    /// Whether anything comes between it and the lexeme before it.
    pub after_blank: bool,
    /// Whether a macro made it.
    pub is_made: bool,
    /// Whether it is the name of a macro that must not be replaced any more.
    pub is_final: bool,
}

impl Lexeme {
    pub fn new(token: Token, text: Rc<str>, span: Span) -> Lexeme {
        Lexeme {
            token,
            text,
            span,
            place: span,
            starts_line: false,
            after_newline: false,
            after_blank: false,
            is_made: false,
            is_final: false,
        }
    }

    /// Whether it could be the name of a macro: names and keywords.
    pub fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }
}

/// The lexemes of a text that begins at `base` of its source, without an end mark.
pub fn lex(text: &str, base: usize, problems: &mut Vec<Problem>) -> Vec<Lexeme> {
    let mut lexer = Lexer {
        text,
        base,
        at: 0,
        starts_line: true,
        after_newline: true,
        after_blank: true,
        texts: HashMap::new(),
        lexemes: Vec::new(),
        problems,
    };
    lexer.run();
    lexer.lexemes
}

struct Lexer<'a> {
    text: &'a str,
    base: usize,
    at: usize,
    starts_line: bool,
    after_newline: bool,
    after_blank: bool,
    /// The same word everywhere is one text in memory.
    texts: HashMap<&'a str, Rc<str>>,
    lexemes: Vec<Lexeme>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        while let Some(first) = self.rest().chars().next() {
            let start = self.at;
            if self.blank(first) {
                continue;
            }
            if first.is_ascii_alphabetic() || first == '_' {
                let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
                self.push(Token::word(word), start);
            } else if first.is_ascii_digit() {
                let digits = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
                self.push(number(digits), start);
            } else if first == '"' {
                self.string(start);
            } else if first == '\'' {
                self.character(start);
            } else if let Some(&(mark, token)) = self.mark() {
                self.at += mark.len();
                self.push(token, start);
            } else {
                self.at += first.len_utf8();
                self.push(Token::Stranger, start);
            }
        }
    }

    /// Steps over what is between lexemes. A byte order mark is what some editors begin a text with.
    fn blank(&mut self, first: char) -> bool {
        let rest = self.rest();
        if first == '\n' {
            self.at += 1;
            self.starts_line = true;
            self.after_newline = true;
        } else if first.is_whitespace() || matches!(first, '\u{feff}' | '\0') {
            self.at += first.len_utf8();
        } else if let Some(length) = continuation(rest) {
            self.at += length;
            self.after_newline = true;
        } else if rest.starts_with("//") {
            self.line_comment();
        } else if rest.starts_with("/*") {
            self.block_comment();
        } else {
            return false;
        }
        self.after_blank = true;
        true
    }

    /// To the end of the line, which a backslash puts off.
    fn line_comment(&mut self) {
        while let Some(first) = self.rest().chars().next() {
            match continuation(self.rest()) {
                Some(length) => self.at += length,
                None if first == '\n' => return,
                None => self.at += first.len_utf8(),
            }
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.text[start + 2..].find("*/") {
            Some(length) => {
                self.at = start + 2 + length + 2;
                self.after_newline |= self.text[start..self.at].contains('\n');
            }
            None => {
                self.at = self.text.len();
                let span = Span::new(self.base + start, self.base + start + 2);
                let problem = Problem::new(span, "a comment is not closed", "begins here");
                self.problems.push(*problem.help("close it with `*/`"));
            }
        }
    }

    fn string(&mut self, start: usize) {
        let mut rest = self.rest()[1..].char_indices();
        while let Some((offset, c)) = rest.next() {
            match c {
                '"' => {
                    self.at = start + 1 + offset + 1;
                    return self.push(Token::Text, start);
                }
                '\\' => drop(rest.next()),
                '\n' => break,
                _ => {}
            }
        }
        self.take_while(|c| c != '\n');
        self.push(Token::OpenQuote, start);
    }

    /// `'x'`, or with an escape, of which there are few: `'\0'` is the digit, as SPIN reads it.
    fn character(&mut self, start: usize) {
        let mut rest = self.rest().chars().skip(1);
        let first = rest.next();
        let (escaped, value) = if first == Some('\\') { (true, rest.next()) } else { (false, first) };
        let (Some(value), Some('\'')) = (value.filter(|c| *c != '\n'), rest.next()) else {
            self.at += 1;
            return self.push(Token::OpenQuote, start);
        };
        self.at += 2 + usize::from(escaped) + value.len_utf8();
        let value = match value {
            'n' if escaped => '\n',
            'r' if escaped => '\r',
            't' if escaped => '\t',
            'f' if escaped => '\u{c}',
            other => other,
        };
        self.push(Token::Number(value as i32), start);
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
        let text = &self.text[start..self.at];
        let text = Rc::clone(self.texts.entry(text).or_insert_with(|| text.into()));
        let span = Span::new(self.base + start, self.base + self.at);
        self.lexemes.push(Lexeme {
            starts_line: self.starts_line,
            after_newline: self.after_newline,
            after_blank: self.after_blank,
            ..Lexeme::new(token, text, span)
        });
        (self.starts_line, self.after_newline, self.after_blank) = (false, false, false);
    }
}

/// The length of a backslash at the end of a line, with the end of the line.
pub fn continuation(rest: &str) -> Option<usize> {
    let blanks = rest.strip_prefix('\\')?;
    let line_end = blanks.find(|c| !matches!(c, ' ' | '\t' | '\r'))?;
    blanks[line_end..].starts_with('\n').then_some(1 + line_end + 1)
}

/// Numbers of 32 bits without a sign are taken with their bits, as SPIN does it.
fn number(digits: &str) -> Token {
    match digits.parse::<u32>() {
        Ok(value) => Token::Number(value as i32),
        Err(_) => Token::StrangeNumber,
    }
}

/// The value of a string's text, without its quotes and with its escapes resolved.
pub fn string_value(text: &str) -> String {
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let mut value = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(c) = rest.chars().next() {
        if let Some(length) = continuation(rest) {
            rest = &rest[length..];
            continue;
        }
        rest = &rest[c.len_utf8()..];
        if c == '\\' {
            rest = escape(rest, &mut value);
        } else {
            value.push(c);
        }
    }
    value
}

/// Resolves the escape whose backslash stands before `rest`, and gives what comes behind it.
fn escape<'r>(rest: &'r str, value: &mut String) -> &'r str {
    let Some(c) = rest.chars().next() else { return rest };
    let after = &rest[c.len_utf8()..];
    let digits = |text: &'r str, radix: u32, digits_max: usize| {
        let length = text.chars().take(digits_max).take_while(|c| c.is_digit(radix)).count();
        let code = u32::from_str_radix(&text[..length], radix).ok();
        (code.and_then(char::from_u32), &text[length..])
    };
    let (meaning, rest) = match c {
        'n' => (Some('\n'), after),
        't' => (Some('\t'), after),
        'r' => (Some('\r'), after),
        'a' => (Some('\u{7}'), after),
        'b' => (Some('\u{8}'), after),
        'f' => (Some('\u{c}'), after),
        'v' => (Some('\u{b}'), after),
        '0'..='7' => digits(rest, 8, 3),
        'x' => digits(after, 16, 2),
        other => (Some(other), after),
    };
    value.extend(meaning);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Token> {
        lex(text, 0, &mut Vec::new()).into_iter().map(|lexeme| lexeme.token).collect()
    }

    #[test]
    fn longer_marks_win_and_comments_vanish() {
        use Token::*;
        assert_eq!(
            kinds("c?\u{3f}x::a->1..2 // x \\\n still\n/* ** */ []<>p<->!!q"),
            [
                Identifier,
                RandomReceive,
                Identifier,
                Option,
                Identifier,
                Arrow,
                Number(1),
                Range,
                Number(2),
                Always,
                Eventually,
                Identifier,
                Equivalent,
                SortedSend,
                Identifier
            ]
        );
    }

    #[test]
    fn line_breaks_are_known() {
        let flags = |text: &str| -> Vec<(bool, bool)> {
            let lexemes = lex(text, 0, &mut Vec::new());
            lexemes.iter().map(|lexeme| (lexeme.starts_line, lexeme.after_newline)).collect()
        };
        let (first, same, joined) = ((true, true), (false, false), (false, true));
        assert_eq!(flags("a b\nc \\\n d"), [first, same, first, joined]);
        assert_eq!(flags("a /*\n*/ b // x\n\n c"), [first, joined, first]);
    }

    #[test]
    fn constants_have_the_values_of_spin() {
        use Token::*;
        assert_eq!(kinds("7 4294967295 4294967296 0x1"), [Number(7), Number(-1), StrangeNumber, StrangeNumber]);
        assert_eq!(kinds(r"'a' '\n' '\\' '\0' ''' 'ab"), {
            [Number(97), Number(10), Number(92), Number(48), Number(39), OpenQuote, Identifier]
        });
        assert_eq!(string_value(r#""a\tb\n\"\\ \101\x42%d""#), "a\tb\n\"\\ AB%d");
        assert_eq!(string_value("\"a\\\nb\""), "ab");
    }

    #[test]
    fn strange_texts_are_no_panic() {
        for text in
            ["\u{feff}byte x;", "/*", "/*/", "é\0", "99999999999", "1x", "'\"@`", "\\\n", "'", "'é'", "\"\\", "'\\"]
        {
            let mut problems = Vec::new();
            for lexeme in lex(text, 0, &mut problems) {
                assert!(text.get(lexeme.span.start as usize..lexeme.span.end as usize).is_some(), "{lexeme:?}");
                string_value(&lexeme.text);
            }
            assert_eq!(problems.len(), usize::from(text.starts_with("/*")));
        }
    }
}
