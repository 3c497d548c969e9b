//! Inlines: named texts whose parameters are replaced by the texts of the arguments.
//!
//! SPIN replaces names in the text of the body, whatever they mean there, and reads the result where the call stands.
//! The same is done here to lexemes: a call makes a copy of the body and reads it as a block. So a body is read anew
//! for every call, and one that is never called is never read.

use super::Parser;
use crate::ast::{Reference, Statement, StatementKind};
use crate::lexer::{Lexeme, Token};
use crate::problem::{Checked, Problem};
use dampf_core::Span;
use std::rc::Rc;

/// Lexemes that all calls together may be replaced by: inlines that call inlines grow fast.
const INLINED_MAX: usize = 1_000_000;

#[derive(Debug)]
pub(super) struct Inline {
    parameters: Vec<Rc<str>>,
    /// With its braces.
    body: Vec<Lexeme>,
}

impl Parser {
    /// `inline name(a, b) { … }`
    pub(super) fn inline_definition(&mut self) -> Checked<()> {
        self.advance();
        let text = Rc::clone(&self.lexeme().text);
        let name = self.name("the name of an inline")?;
        self.expect(Token::ParenthesisOpen, "before the parameters of an inline")?;
        let mut parameters: Vec<Rc<str>> = Vec::new();
        while self.current() != Token::ParenthesisClose {
            let parameter = Rc::clone(&self.lexeme().text);
            let written = self.name("a parameter of the inline")?;
            if parameters.contains(&parameter) {
                let message = format!("the inline `{text}` has two parameters `{parameter}`");
                self.complain(*Problem::new(written.span, message, "here again"));
            }
            parameters.push(parameter);
            if !self.accept(Token::Comma) {
                break;
            }
        }
        self.expect(Token::ParenthesisClose, "after the parameters of an inline")?;
        let body = self.braced("the body of an inline")?;
        if self.inlines.insert(text, Rc::new(Inline { parameters, body })).is_some() {
            let message = format!("the inline `{}` is defined twice", name.text);
            self.complain(*Problem::new(name.span, message, "defined here again"));
        }
        Ok(())
    }

    /// The lexemes from here to the brace that closes the one that must be here.
    pub(super) fn braced(&mut self, what: &str) -> Checked<Vec<Lexeme>> {
        let start = self.at;
        if self.current() != Token::BraceOpen {
            return Err(self.expected(&format!("`{{` before {what}")));
        }
        let mut depth = 0usize;
        loop {
            match self.current() {
                Token::BraceOpen => depth += 1,
                Token::BraceClose => depth -= 1,
                Token::End => {
                    let message = format!("expected `}}` after {what}, found the end of the text");
                    return Err(Problem::new(self.lexemes[start].place, message, "opened here"));
                }
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(self.lexemes[start..self.at].to_vec());
            }
        }
    }

    /// Whether a call of an inline stands here.
    pub(super) fn is_at_call(&self) -> bool {
        self.current() == Token::Identifier
            && self.following() == Token::ParenthesisOpen
            && self.inlines.contains_key(&self.lexeme().text)
    }

    /// `name(a, b)`, replaced by the body. What it returns goes to `target`.
    pub(super) fn inline_call(&mut self, target: Option<Reference>) -> Checked<StatementKind> {
        let name = Rc::clone(&self.lexeme().text);
        let start = self.at;
        self.advance();
        let arguments = self.call_arguments()?;
        let span = self.since(start);
        let Some(inline) = self.inlines.get(&name).map(Rc::clone) else { return Err(self.expected("an inline")) };
        self.check_call(&name, &inline, &arguments, span)?;
        let body = if self.is_over { Vec::new() } else { substituted(&inline, &arguments) };
        self.inlined += body.len();
        if self.is_over || self.inlined > INLINED_MAX {
            let message = format!("inline calls become more than {INLINED_MAX} words");
            self.complain(*Problem::new(span, message, "goes no further than here"));
            self.is_over = true;
            return Ok(StatementKind::Block(Vec::new()));
        }
        self.calls.push((name, target));
        let statements = self.read_apart(body);
        self.calls.pop();
        Ok(StatementKind::Block(statements?))
    }

    /// The problem with `f(x)` where no call can stand; the parenthesis is the current lexeme.
    pub(super) fn strange_call(&self) -> Option<Box<Problem>> {
        let previous = self.lexemes.get(self.at.checked_sub(1)?)?;
        if self.current() != Token::ParenthesisOpen || previous.token != Token::Identifier {
            return None;
        }
        let (name, place) = (&previous.text, previous.place);
        if &**name == "while" {
            let problem = Problem::new(place, "there is no `while`", "not expected here");
            return Some(problem.help("write `do :: condition -> … :: else -> break od`"));
        }
        if self.declares_proctype(name) {
            let problem = Problem::new(place, format!("`{name}` is a proctype"), "cannot be called");
            return Some(problem.help(format!("to start a process, write `run {name}(…)`")));
        }
        if self.inlines.contains_key(name) {
            let problem = Problem::new(place, format!("`{name}` is an inline"), "cannot be called here");
            return Some(problem.help(format!("call it in a statement of its own: `{name}(…)`, or `x = {name}(…)`")));
        }
        let problem = Problem::new(place, format!("there is no inline `{name}`"), "called here");
        // The nearest name is the same in whatever order they come.
        let suggested = problem.suggest(name, self.inlines.keys().map(|name| &**name));
        let help = "an inline must be defined before it is called";
        Some(if suggested.help.is_none() { suggested.help(help) } else { suggested })
    }

    /// Whether a proctype of this name is declared anywhere.
    fn declares_proctype(&self, name: &str) -> bool {
        self.lexemes.windows(2).any(|pair| {
            matches!(pair[0].token, Token::Proctype | Token::DeterministicProctype) && *pair[1].text == *name
        })
    }

    fn check_call(&self, name: &str, inline: &Inline, arguments: &[Vec<Lexeme>], span: Span) -> Checked<()> {
        let (wanted, given) = (inline.parameters.len(), arguments.len());
        if wanted != given {
            let arguments = if wanted == 1 { "1 argument".to_owned() } else { format!("{wanted} arguments") };
            let message = format!("the inline `{name}` takes {arguments}, not {given}");
            return Err(Problem::new(span, message, "called here"));
        }
        if self.calls.iter().any(|(active, _)| **active == *name) {
            let message = format!("the inline `{name}` calls itself");
            return Err(Problem::new(span, message, "would be replaced without end"));
        }
        Ok(())
    }

    /// The texts of the arguments, between parentheses.
    fn call_arguments(&mut self) -> Checked<Vec<Vec<Lexeme>>> {
        let open = self.advance();
        let mut arguments = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let lexeme = self.lexeme().clone();
            match lexeme.token {
                Token::End => return Err(Problem::new(open, "the arguments of a call are not closed", "opened here")),
                Token::ParenthesisClose if depth == 0 => break,
                Token::ParenthesisOpen | Token::BracketOpen | Token::BraceOpen => depth += 1,
                Token::ParenthesisClose | Token::BracketClose | Token::BraceClose => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.advance();
            if lexeme.token == Token::Comma && depth == 0 {
                arguments.push(Vec::new());
            } else if let Some(argument) = arguments.last_mut() {
                argument.push(lexeme);
            }
        }
        if arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        } else if arguments.iter().any(Vec::is_empty) {
            return Err(self.expected("an argument"));
        }
        self.advance();
        Ok(arguments)
    }

    /// Reads these lexemes as a block, and goes on here afterwards.
    fn read_apart(&mut self, body: Vec<Lexeme>) -> Checked<Vec<Statement>> {
        let position = self.position();
        let outer = std::mem::replace(&mut self.lexemes, body);
        (self.at, self.is_separated, self.parentheses) = (0, false, 0);
        let outcome = self.block("the body of an inline");
        self.lexemes = outer;
        self.return_to(position);
        outcome
    }
}

/// The body with the arguments in the places of the parameters.
fn substituted(inline: &Inline, arguments: &[Vec<Lexeme>]) -> Vec<Lexeme> {
    let mut body = Vec::with_capacity(inline.body.len() + 1);
    for lexeme in &inline.body {
        let parameter = inline.parameters.iter().position(|name| *name == lexeme.text);
        match parameter.filter(|_| lexeme.token == Token::Identifier) {
            None => body.push(lexeme.clone()),
            Some(index) => {
                let place = lexeme.place;
                for (number, argument) in arguments[index].iter().enumerate() {
                    let after_newline = number == 0 && lexeme.after_newline;
                    body.push(Lexeme { place, after_newline, ..argument.clone() });
                }
            }
        }
    }
    let end = inline.body.last().map_or(Span::default(), |last| last.place);
    body.push(Lexeme::new(Token::End, "".into(), end));
    body
}
