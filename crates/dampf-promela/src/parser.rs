//! From lexemes to a tree, by recursive descent.
//!
//! The grammar is SPIN's. Three things in it depend on what was declared before, and so does this parser: the names
//! of records begin declarations, the names of proctypes begin references to other processes, and the names of
//! inlines begin calls. And the end of a line may separate statements: where SPIN reads a `;` at the end of a line,
//! so does [`Parser::current`].
//!
//! A syntax error ends the statement or the declaration it stands in; parsing goes on behind it, so that one run
//! reports the errors of several places.

mod declaration;
mod expression;
mod inline;
mod message;
mod statement;
mod unit;

use crate::ast::{Expr, Model, Name, Reference};
use crate::lexer::{Lexeme, Token, lex};
use crate::preprocess::{Include, Preprocessed, preprocess};
use crate::problem::{Checked, Problem, diagnose};
use dampf_core::{Diagnostic, Source, Span};
use inline::Inline;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Statements, and expressions, within each other.
const NESTING_MAX: u32 = 200;

const LINE_HELP: &str = "a line that can end a statement does: put the operator at its end, or use parentheses";

/// Reads a model, or says everything that is wrong with its syntax, in the order of the text.
///
/// `definitions` are macros that are defined from outside. `include` finds the text of an included file, from its
/// name as written and the path of the file that includes it, and gives its path and its text.
pub fn read<'i>(
    source: Arc<Source>,
    definitions: &[(String, String)],
    include: &'i mut Include<'i>,
) -> Result<Model, Vec<Diagnostic>> {
    let Preprocessed { source, lexemes, file_starts, is_whole, problems } = preprocess(source, definitions, include);
    let mut parser = Parser { file_starts, problems, ..Parser::new(lexemes) };
    // A text that is cut off somewhere has problems that are nobody's.
    let units = if is_whole { parser.model() } else { Vec::new() };
    if parser.problems.is_empty() { Ok(Model { source, units }) } else { Err(diagnose(&source, parser.problems)) }
}

/// Reads a text that is one expression, without directives and macros. The names of proctypes are those that may
/// stand before a `:`.
pub fn read_expression<'n>(
    source: &Arc<Source>,
    proctypes: impl IntoIterator<Item = &'n str>,
) -> Result<Expr, Diagnostic> {
    let mut problems = Vec::new();
    let mut lexemes = lex(&source.text, 0, &mut problems);
    let end = Span::new(source.text.len(), source.text.len());
    lexemes.push(Lexeme::new(Token::End, "".into(), end));
    let mut parser = Parser { problems, ..Parser::new(lexemes) };
    parser.proctypes = proctypes.into_iter().map(Rc::from).collect();
    let outcome = parser.expression().and_then(|expr| match parser.current() {
        Token::End => Ok(expr),
        _ => Err(parser.expected("an operator or the end of the expression")),
    });
    match (outcome, parser.problems.pop()) {
        (Ok(expr), None) => Ok(expr),
        (_, Some(problem)) => Err(diagnose(source, vec![problem]).remove(0)),
        (Err(problem), None) => Err(diagnose(source, vec![*problem]).remove(0)),
    }
}

struct Parser {
    lexemes: Vec<Lexeme>,
    /// Where the included files begin.
    file_starts: Vec<u32>,
    at: usize,
    /// Whether the end of a line stands for a `;` before the current lexeme.
    is_separated: bool,
    /// Parentheses that are open.
    parentheses: u32,
    /// Whether this is a place where statements, or the fields of a record, follow each other.
    is_in_sequence: bool,
    nesting: u32,
    records: HashSet<Rc<str>>,
    proctypes: HashSet<Rc<str>>,
    inlines: HashMap<Rc<str>, Rc<Inline>>,
    /// The inline calls whose bodies are being read, outermost first, with the variable that takes what they return.
    calls: Vec<(Rc<str>, Option<Reference>)>,
    /// Lexemes that inline calls have been replaced by.
    inlined: usize,
    /// Whether the text ended too early, and somebody has said so.
    has_ended: bool,
    /// Whether it makes no sense to go on.
    is_over: bool,
    problems: Vec<Problem>,
}

/// A place to come back to.
#[derive(Clone, Copy)]
struct Position {
    at: usize,
    is_separated: bool,
    parentheses: u32,
}

impl Parser {
    fn new(lexemes: Vec<Lexeme>) -> Self {
        Parser {
            lexemes,
            file_starts: Vec::new(),
            at: 0,
            is_separated: false,
            parentheses: 0,
            is_in_sequence: false,
            nesting: 0,
            records: HashSet::new(),
            proctypes: HashSet::new(),
            inlines: HashMap::new(),
            calls: Vec::new(),
            inlined: 0,
            has_ended: false,
            is_over: false,
            problems: Vec::new(),
        }
    }

    fn position(&self) -> Position {
        Position { at: self.at, is_separated: self.is_separated, parentheses: self.parentheses }
    }

    fn return_to(&mut self, position: Position) {
        (self.at, self.is_separated) = (position.at, position.is_separated);
        self.parentheses = position.parentheses;
    }

    fn current(&self) -> Token {
        if self.is_separated { Token::Semicolon } else { self.lexemes[self.at].token }
    }

    fn lexeme(&self) -> &Lexeme {
        &self.lexemes[self.at]
    }

    /// The token after the current one.
    fn following(&self) -> Token {
        self.lookahead(1)
    }

    fn lookahead(&self, distance: usize) -> Token {
        let distance = distance - usize::from(self.is_separated);
        self.lexemes.get(self.at + distance).map_or(Token::End, |lexeme| lexeme.token)
    }

    fn place(&self) -> Span {
        if self.is_separated { self.previous_place() } else { self.lexemes[self.at].place }
    }

    fn previous_token(&self) -> Token {
        self.at.checked_sub(1).map_or(Token::End, |at| self.lexemes[at].token)
    }

    /// The place of the lexeme before the current one.
    fn previous_place(&self) -> Span {
        self.lexemes[self.at.saturating_sub(1)].place
    }

    /// The smallest place that holds both; where they are in different files, the first.
    fn join(&self, one: Span, other: Span) -> Span {
        let file = |span: Span| self.file_starts.partition_point(|start| *start <= span.start);
        if self.file_starts.is_empty() || file(one) == file(other) { one.to(other) } else { one }
    }

    /// The place of all lexemes from an earlier one to the one before the current. The places of what a macro was given
    /// are within that of its use, so the first and the last alone would not do.
    fn since(&self, start: usize) -> Span {
        let first = self.lexemes[start.min(self.at)].place;
        let between = self.lexemes.get(start..self.at).unwrap_or_default();
        between.iter().fold(first, |span, lexeme| self.join(span, lexeme.place))
    }

    /// Steps over the current token; the end stays the end.
    fn advance(&mut self) -> Span {
        let place = self.place();
        if self.is_separated {
            self.is_separated = false;
            return place;
        }
        match self.lexemes[self.at].token {
            Token::ParenthesisOpen => self.parentheses += 1,
            Token::ParenthesisClose => self.parentheses = self.parentheses.saturating_sub(1),
            Token::End => return place,
            _ => {}
        }
        self.at += 1;
        self.is_separated = self.separates_here();
        place
    }

    /// Whether the current lexeme begins a line, and the line before could end a statement. What SPIN takes back at
    /// once (a `;` before another, before `->`, or before `}`) is not put here in the first place.
    fn separates_here(&self) -> bool {
        let lexeme = &self.lexemes[self.at];
        if !lexeme.after_newline || !self.is_in_sequence || self.parentheses > 0 {
            return false;
        }
        if matches!(
            lexeme.token,
            Token::Semicolon | Token::Arrow | Token::BraceClose | Token::Unless | Token::End | Token::Option
        ) {
            return false;
        }
        let previous = &self.lexemes[self.at - 1];
        match previous.token {
            Token::BraceClose | Token::ParenthesisClose | Token::BracketClose => true,
            Token::Od | Token::Fi | Token::Else | Token::Break | Token::Timeout => true,
            Token::Number(_) | Token::True | Token::False | Token::Skip => true,
            Token::Increment | Token::Decrement => true,
            Token::Identifier => {
                let name = &previous.text;
                !(self.records.contains(name) || self.proctypes.contains(name) || self.inlines.contains_key(name))
            }
            _ => false,
        }
    }

    fn accept(&mut self, token: Token) -> bool {
        let found = self.current() == token;
        if found {
            self.advance();
        }
        found
    }

    /// Steps over `token`, which must be here; `purpose` says what it would do.
    fn expect(&mut self, token: Token, purpose: &str) -> Checked<Span> {
        if self.current() == token {
            return Ok(self.advance());
        }
        Err(self.expected(&format!("{} {purpose}", token.describe())))
    }

    /// The problem that something else stands here than `wanted`.
    fn expected(&self, wanted: &str) -> Box<Problem> {
        if self.is_separated {
            let message = format!("expected {wanted}, found the end of the line");
            let problem = Problem::new(self.place(), message, "the line ends after this");
            return problem.help(LINE_HELP);
        }
        let lexeme = self.lexeme();
        if let Some(problem) = self.strange() {
            return problem;
        }
        if let Some(problem) = self.strange_call() {
            return problem;
        }
        let found = match lexeme.token {
            Token::End if !self.calls.is_empty() => "the end of the inline".to_owned(),
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", lexeme.text),
        };
        let problem = Problem::new(lexeme.place, format!("expected {wanted}, found {found}"), "not expected here");
        match (self.previous_token(), lexeme.token) {
            (previous, Token::Assign) if expression::is_operator(previous) => {
                problem.help("there is no assignment that also computes: write `x = x + 1`")
            }
            (_, Token::Assign) if self.parentheses > 0 => problem.help("to compare, write `==`"),
            (_, Token::SortedSend) => problem.help("`!!` sends in order; to negate twice, write `! !`"),
            (_, Token::Increment | Token::Decrement) => problem.help("write `x++` or `x--` as a statement of its own"),
            (_, Token::Question) => problem.help("a choice between two values is `(a -> b : c)`"),
            (_, token) if lexeme.after_newline && self.is_in_sequence && expression::is_operator(token) => {
                problem.help(LINE_HELP)
            }
            _ => problem,
        }
    }

    /// The problem with the current lexeme, if it is none of the language.
    fn strange(&self) -> Option<Box<Problem>> {
        let lexeme = self.lexeme();
        let text = lexeme.text.escape_debug();
        Some(match lexeme.token {
            Token::Stranger => {
                Problem::new(lexeme.place, format!("unexpected character `{text}`"), "not part of the language")
            }
            Token::OpenQuote => Problem::new(lexeme.place, "a quote is not closed on its line", "begins here"),
            Token::StrangeNumber if lexeme.text.bytes().all(|byte| byte.is_ascii_digit()) => {
                let problem = Problem::new(lexeme.place, "a number is too large", "does not fit 32 bits");
                problem.help(format!("the greatest number is {}", i32::MAX))
            }
            Token::StrangeNumber => {
                let problem = Problem::new(lexeme.place, format!("`{text}` is not a number"), "not decimal");
                problem.help("Promela has decimal numbers only, and names begin with a letter")
            }
            Token::CCode | Token::CDecl | Token::CExpr | Token::CState | Token::CTrack => {
                let message = format!("`{text}` is not supported");
                let problem = Problem::new(lexeme.place, message, "embedded C");
                problem.help("models with C in them cannot be checked; write it in Promela")
            }
            _ => return None,
        })
    }

    fn name(&mut self, what: &str) -> Checked<Name> {
        if self.current() == Token::Identifier {
            let lexeme = self.lexeme();
            let name = Name { text: lexeme.text.to_string(), span: lexeme.span };
            self.advance();
            return Ok(name);
        }
        let problem = self.expected(what);
        let is_word = !self.is_separated && self.lexeme().is_word();
        Err(if is_word { problem.help("this word has a meaning of its own and cannot be a name") } else { problem })
    }

    /// Keeps a problem, unless it only follows from one that is known.
    fn complain(&mut self, problem: Problem) {
        let is_end = self.calls.is_empty() && self.current() == Token::End;
        let is_known = self.is_over || (is_end && self.has_ended);
        if !is_known {
            self.problems.push(problem);
        }
        // A quote that is not closed hides the rest of its line.
        self.has_ended |= is_end || self.lexeme().token == Token::OpenQuote;
    }

    fn report<T>(&mut self, outcome: Checked<T>) -> Option<T> {
        outcome.map_err(|problem| self.complain(*problem)).ok()
    }

    /// Reads something that may hold the like of itself.
    fn nested<T>(&mut self, what: &str, parse: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        if self.nesting == NESTING_MAX {
            let message = format!("{what} is nested more than {NESTING_MAX} deep");
            let problem = Problem::new(self.place(), message, "too deep from here on");
            // What stands around it cannot be told from its rest any more.
            self.complain(*problem.clone());
            self.is_over = true;
            return Err(problem);
        }
        self.nesting += 1;
        let outcome = parse(self);
        self.nesting -= 1;
        outcome
    }
}
