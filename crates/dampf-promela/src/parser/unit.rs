//! The units of a model: what stands outside of everything else.

use super::Parser;
use crate::ast::{Automaton, Expr, Ltl, Name, Proctype, Statement, Typedef, Unit};
use crate::lexer::Token;
use crate::problem::{Checked, Problem};
use std::rc::Rc;

impl Parser {
    pub(super) fn model(&mut self) -> Vec<Unit> {
        let mut units = Vec::new();
        while self.current() != Token::End {
            let start = self.at;
            (self.parentheses, self.nesting, self.is_in_sequence) = (0, 0, false);
            let outcome = self.unit();
            match outcome {
                Ok(unit) => units.extend(unit),
                Err(problem) => {
                    // What is left of something with a problem of its own begins with what closes it.
                    let is_rest = matches!(self.current(), Token::BraceClose | Token::Fi | Token::Od | Token::Option);
                    if !(is_rest && self.at == start && !self.problems.is_empty()) {
                        self.complain(*problem);
                    }
                    self.skip_unit(start);
                }
            }
        }
        units
    }

    fn is_at_unit(&self) -> bool {
        matches!(
            self.current(),
            Token::Proctype
                | Token::DeterministicProctype
                | Token::Active
                | Token::Init
                | Token::Never
                | Token::Trace
                | Token::Notrace
                | Token::Ltl
                | Token::Typedef
                | Token::Inline
                | Token::End
        )
    }

    /// Skips to where a unit certainly begins.
    fn skip_unit(&mut self, start: usize) {
        self.is_in_sequence = false;
        self.is_separated = false;
        if self.at == start {
            self.advance();
        }
        let mut depth = 0u32;
        while !self.is_at_unit() {
            match self.current() {
                Token::BraceOpen => depth += 1,
                Token::BraceClose => depth = depth.saturating_sub(1),
                Token::Semicolon if depth == 0 => return,
                _ if depth == 0 && self.lexeme().after_newline && self.is_at_declaration() => return,
                _ => {}
            }
            self.advance();
        }
    }

    fn unit(&mut self) -> Checked<Option<Unit>> {
        if self.is_at_declaration() {
            return Ok(Some(if self.is_at_mtype_names() {
                Unit::Mtype(self.mtype_names()?)
            } else {
                Unit::Variables(self.declarations()?)
            }));
        }
        Ok(Some(match self.current() {
            Token::Semicolon | Token::Arrow => {
                self.advance();
                return Ok(None);
            }
            Token::Inline => {
                self.inline_definition()?;
                return Ok(None);
            }
            Token::Active | Token::Proctype | Token::DeterministicProctype => {
                Unit::Proctype(Box::new(self.proctype()?))
            }
            Token::Init => Unit::Proctype(Box::new(self.init()?)),
            Token::Never => Unit::Never(self.automaton("the body of a claim")?),
            Token::Trace | Token::Notrace => {
                let is_negated = self.current() == Token::Notrace;
                Unit::Trace { is_negated, body: self.automaton("the body of a trace")? }
            }
            Token::Ltl => Unit::Ltl(self.ltl()?),
            Token::Typedef => Unit::Typedef(self.typedef()?),
            Token::CCode | Token::CDecl | Token::CState | Token::CTrack => {
                let problem = self.embedded_c();
                self.complain(*problem);
                return Ok(None);
            }
            _ => return Err(self.unknown_unit()),
        }))
    }

    fn unknown_unit(&mut self) -> Box<Problem> {
        let is_typed = (self.current(), self.following()) == (Token::Identifier, Token::Identifier);
        if is_typed && let Err(problem) = self.declarations() {
            return problem;
        }
        let problem = self.expected("a declaration, a proctype or another part of a model");
        match self.current() {
            Token::BraceClose => problem.help("is there one `}` too many before it?"),
            Token::Identifier | Token::Printf | Token::Run | Token::Assert | Token::If | Token::Do | Token::Atomic => {
                problem.help("statements stand in the body of a proctype or of `init`")
            }
            _ => problem,
        }
    }

    /// `active [2] proctype P(byte a, b; chan c) priority 2 provided (e) { … }`
    fn proctype(&mut self) -> Checked<Proctype> {
        let start = self.at;
        let active = if self.accept(Token::Active) { Some(self.instances()?) } else { None };
        let is_deterministic = self.current() == Token::DeterministicProctype;
        if !is_deterministic && self.current() != Token::Proctype {
            return Err(self.expected("`proctype`"));
        }
        self.advance();
        let text = Rc::clone(&self.lexeme().text);
        let name = self.name("the name of a proctype")?;
        let parameters = self.parameters()?;
        let (priority, provided) = self.circumstances()?;
        let body = self.body("the body of a proctype")?;
        // A process is known by its name behind its own text only, as in SPIN.
        self.proctypes.insert(text);
        let span = self.since(start);
        let is_init = false;
        Ok(Proctype { name, is_init, is_deterministic, active, parameters, priority, provided, body, span })
    }

    fn instances(&mut self) -> Checked<Option<Expr>> {
        if !self.accept(Token::BracketOpen) {
            return Ok(None);
        }
        let count = self.expression()?;
        self.expect(Token::BracketClose, "after the number of processes")?;
        Ok(Some(count))
    }

    fn parameters(&mut self) -> Checked<Vec<crate::ast::Declaration>> {
        self.expect(Token::ParenthesisOpen, "before the parameters of a proctype")?;
        let mut parameters = Vec::new();
        while self.current() != Token::ParenthesisClose {
            parameters.extend(self.declarations()?);
            if !self.accept(Token::Semicolon) {
                break;
            }
        }
        self.expect(Token::ParenthesisClose, "after the parameters of a proctype")?;
        Ok(parameters)
    }

    /// `priority 2 provided (e)`
    fn circumstances(&mut self) -> Checked<(Option<Expr>, Option<Expr>)> {
        let priority = if self.accept(Token::Priority) { Some(self.operand()?) } else { None };
        let mut provided = None;
        if self.accept(Token::Provided) {
            if self.current() != Token::ParenthesisOpen {
                return Err(self.expected("`(` after `provided`"));
            }
            provided = Some(self.operand()?);
        }
        Ok((priority, provided))
    }

    fn init(&mut self) -> Checked<Proctype> {
        let start = self.at;
        let span = self.lexeme().span;
        self.advance();
        let (priority, provided) = self.circumstances()?;
        let body = self.body("the body of `init`")?;
        Ok(Proctype {
            name: Name { text: ":init:".to_owned(), span },
            is_init: true,
            is_deterministic: false,
            active: Some(None),
            parameters: Vec::new(),
            priority,
            provided,
            body,
            span: self.since(start),
        })
    }

    fn body(&mut self, what: &str) -> Checked<Vec<Statement>> {
        self.is_in_sequence = true;
        let body = self.block(what);
        self.is_in_sequence = false;
        self.is_separated = false;
        body
    }

    fn automaton(&mut self, what: &str) -> Checked<Automaton> {
        let start = self.at;
        self.advance();
        let name = if self.current() == Token::Identifier { Some(self.name("a name")?) } else { None };
        let body = self.body(what)?;
        Ok(Automaton { name, body, span: self.since(start) })
    }

    /// `ltl name { formula }`: the formula is kept as its words.
    fn ltl(&mut self) -> Checked<Ltl> {
        let start = self.at;
        self.advance();
        let name = if self.current() == Token::Identifier { Some(self.name("a name")?) } else { None };
        let words = self.braced("the formula of `ltl`")?;
        let mut words = &words[1..words.len() - 1];
        while words.last().is_some_and(|last| last.token == Token::Semicolon) {
            words = &words[..words.len() - 1];
        }
        if words.is_empty() {
            return Err(Problem::new(self.since(start), "the formula is empty", "says nothing"));
        }
        let texts: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        Ok(Ltl { name, formula: texts.join(" "), span: self.since(start) })
    }

    fn typedef(&mut self) -> Checked<Typedef> {
        self.advance();
        let text = Rc::clone(&self.lexeme().text);
        let name = self.name("the name of a type")?;
        // Known already, so that the errors of its fields are not followed by those of its uses.
        self.records.insert(text);
        self.expect(Token::BraceOpen, "before the fields of a type")?;
        self.is_in_sequence = true;
        let mut fields = Vec::new();
        while self.current() != Token::BraceClose {
            fields.extend(self.declarations()?);
            let is_separated = self.lexeme().after_newline;
            let mut has_separator = false;
            while self.accept(Token::Semicolon) {
                has_separator = true;
            }
            if !has_separator && !is_separated && self.current() != Token::BraceClose {
                return Err(self.expected("`;` after a field"));
            }
        }
        self.is_in_sequence = false;
        self.advance();
        if fields.is_empty() {
            let message = format!("the type `{}` has no fields", name.text);
            return Err(Problem::new(name.span, message, "declared here"));
        }
        Ok(Typedef { name, fields })
    }
}
