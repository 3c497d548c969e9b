//! From tokens to a tree, by recursive descent.
//!
//! The grammar is the one of DiVinE, where BEEM comes from, with the order of sections left free. A syntax
//! error ends the declaration, the section or the transition it stands in; parsing goes on behind it, so
//! that one run reports the errors of several places. Nothing is lowered from a text with a syntax error.

mod expression;
mod process;

use crate::ast::{Channel, Declaration, Initial, Model, Name, Process, Variable};
use crate::lexer::{Token, Tokens, tokenize};
use crate::problem::{Checked, Problem};
use dampf_core::Span;
use dampf_gcl::ir::IntType;

/// Parses a model, or says all that is wrong with its syntax.
pub fn parse_model(text: &str) -> Result<Model<'_>, Vec<Problem>> {
    let mut parser = Parser::new(text);
    let model = parser.model();
    if parser.problems.is_empty() { Ok(model) } else { Err(parser.problems) }
}

/// Parses a text that is one expression.
pub fn parse_single_expression(text: &str) -> Checked<crate::ast::Expr<'_>> {
    let mut parser = Parser::new(text);
    if let Some(problem) = parser.problems.first() {
        return Err(Box::new(problem.clone()));
    }
    let expr = parser.expression()?;
    match parser.current() {
        Token::End => Ok(expr),
        _ => Err(parser.expected("the end of the expression or an operator")),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    /// How deep the expression at hand is nested.
    nesting: u32,
    problems: Vec<Problem>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Self {
        let Tokens { tokens, problems } = tokenize(text);
        Parser { text, tokens, at: 0, nesting: 0, problems }
    }

    fn current(&self) -> Token {
        self.tokens[self.at].0
    }

    fn following(&self) -> Token {
        self.tokens.get(self.at + 1).map_or(Token::End, |(token, _)| *token)
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The place of the token before the current one.
    fn previous_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    /// Steps over the current token; the end stays the end.
    fn advance(&mut self) -> Span {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
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
        let previous = self.previous_span();
        let between = &self.text[previous.end as usize..self.span().start as usize];
        // What is missing at the end of a line is missing there, not on the next.
        if token == Token::Semicolon && between.contains('\n') {
            let message = format!("expected {} {purpose}", token.describe());
            return Err(Problem::new(previous, message, format!("{} is missing after this", token.describe())));
        }
        Err(self.expected(&format!("{} {purpose}", token.describe())))
    }

    /// The problem that something else stands here than `wanted`.
    fn expected(&self, wanted: &str) -> Box<Problem> {
        let found = match self.current() {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", self.slice(self.span())),
        };
        let problem = Problem::new(self.span(), format!("expected {wanted}, found {found}"), "not expected here");
        match self.current() {
            Token::Increment | Token::Decrement => problem.help("DVE has no `++` and `--`: write `x = x + 1`"),
            Token::Assign if self.at > 0 && expression::is_operator(self.tokens[self.at - 1].0) => {
                problem.help("DVE has no assignment that also computes: write `x = x + 1`")
            }
            Token::Assign => problem.help("to compare, write `==`"),
            _ => problem,
        }
    }

    fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn name(&mut self, what: &str) -> Checked<Name<'a>> {
        if self.current() == Token::Identifier {
            let span = self.advance();
            return Ok(Name { text: self.slice(span), span });
        }
        let problem = self.expected(what);
        let is_word = self.slice(self.span()).starts_with(|c: char| c.is_ascii_alphabetic());
        Err(if is_word { problem.help("this word has a meaning of its own and cannot be a name") } else { problem })
    }

    fn report<T>(&mut self, outcome: Checked<T>) -> Option<T> {
        outcome.map_err(|problem| self.problems.push(*problem)).ok()
    }

    /// Skips to behind the next `;`, or to where something else certainly begins.
    fn skip_declaration(&mut self) {
        loop {
            match self.current() {
                Token::Semicolon => {
                    self.advance();
                    return;
                }
                Token::End | Token::State | Token::Init | Token::Trans => return,
                _ if self.is_at_top_level() => return,
                _ => self.advance(),
            };
        }
    }

    /// Whether a process or the system line certainly begins here.
    fn is_at_top_level(&self) -> bool {
        matches!(
            (self.current(), self.following()),
            (Token::Process, Token::Identifier) | (Token::System, Token::Async | Token::Sync)
        )
    }

    fn model(&mut self) -> Model<'a> {
        let mut model =
            Model { declarations: Vec::new(), processes: Vec::new(), property: None, system: Span::default() };
        let mut ended = false;
        while self.current() != Token::End {
            match self.current() {
                Token::Process => {
                    let process = self.process();
                    model.processes.extend(process);
                }
                Token::System => {
                    let start = self.span();
                    let property = self.system();
                    model.property = self.report(property).flatten();
                    model.system = start.to(self.previous_span());
                    ended = true;
                    break;
                }
                Token::Byte | Token::Int | Token::Const | Token::Channel => {
                    let parsed = self.declaration(&mut model.declarations);
                    if self.report(parsed).is_none() {
                        self.skip_declaration();
                    }
                }
                _ => {
                    let problem = self.expected("a declaration, a process or `system`");
                    let is_typed = (self.current(), self.following()) == (Token::Identifier, Token::Identifier);
                    let help = "the types are `byte` and `int`";
                    self.problems.push(if is_typed { *problem.help(help) } else { *problem });
                    self.skip_to_top_level();
                }
            }
        }
        if ended && self.problems.is_empty() && self.current() != Token::End {
            let problem = self.expected("the end of the text");
            self.problems.push(*problem.help("`system async;` is the last line of a model"));
        }
        if !ended && self.problems.is_empty() {
            let problem = Problem::new(self.span(), "the model has no `system` line", "the text ends here");
            self.problems.push(*problem.help("a model ends with `system async;`"));
        }
        model
    }

    fn skip_to_top_level(&mut self) {
        loop {
            self.advance();
            if matches!(
                self.current(),
                Token::End | Token::Process | Token::System | Token::Byte | Token::Int | Token::Const | Token::Channel
            ) {
                return;
            }
        }
    }

    /// `system async;`, `system async property P;`
    fn system(&mut self) -> Checked<Option<Name<'a>>> {
        self.advance();
        if self.current() == Token::Sync {
            let problem = Problem::new(self.span(), "synchronous systems are not supported", "all processes in step");
            return Err(problem.help("only `system async;` can be checked"));
        }
        self.expect(Token::Async, "after `system`")?;
        let property =
            if self.accept(Token::Property) { Some(self.name("the name of the property process")?) } else { None };
        self.expect(Token::Semicolon, "after the system line")?;
        Ok(property)
    }

    /// `const byte a = 1, b[2] = {1, 2};`, `channel c, d;`, `channel {byte, int} e[4];`
    fn declaration(&mut self, out: &mut Vec<Declaration<'a>>) -> Checked<()> {
        if self.accept(Token::Channel) {
            let types = if self.accept(Token::BraceOpen) { Some(self.types()?) } else { None };
            loop {
                let name = self.name("the name of a channel")?;
                let capacity = self.bracketed("the capacity of a channel")?;
                out.push(Declaration::Channel(Channel { name, types: types.clone(), capacity }));
                if !self.accept(Token::Comma) {
                    break;
                }
            }
        } else {
            let constant = self.accept(Token::Const);
            let ty = self.type_name()?;
            loop {
                out.push(Declaration::Variable(self.variable(constant, ty)?));
                if !self.accept(Token::Comma) {
                    break;
                }
            }
        }
        self.expect(Token::Semicolon, "after a declaration").map(drop)
    }

    fn type_name(&mut self) -> Checked<IntType> {
        let ty = match self.current() {
            Token::Byte => IntType::U8,
            Token::Int => IntType::I16,
            _ => return Err(self.expected("a type, `byte` or `int`")),
        };
        self.advance();
        Ok(ty)
    }

    fn types(&mut self) -> Checked<Vec<IntType>> {
        let mut types = vec![self.type_name()?];
        while self.accept(Token::Comma) {
            types.push(self.type_name()?);
        }
        self.expect(Token::BraceClose, "after the types of a channel")?;
        Ok(types)
    }

    fn variable(&mut self, constant: bool, ty: IntType) -> Checked<Variable<'a>> {
        let name = self.name(if constant { "the name of a constant" } else { "the name of a variable" })?;
        let size = self.bracketed("the size of an array")?;
        let initial = if self.accept(Token::Assign) { Some(self.initial()?) } else { None };
        Ok(Variable { name, constant, ty, size, initial })
    }

    fn initial(&mut self) -> Checked<Initial<'a>> {
        let start = self.span();
        if !self.accept(Token::BraceOpen) {
            return Ok(Initial::One(self.expression()?));
        }
        let mut values = vec![self.expression()?];
        while self.accept(Token::Comma) {
            values.push(self.expression()?);
        }
        let end = self.expect(Token::BraceClose, "after the values of an array")?;
        Ok(Initial::List(values, start.to(end)))
    }

    /// `[e]`, if it is there.
    fn bracketed(&mut self, purpose: &str) -> Checked<Option<crate::ast::Expr<'a>>> {
        if !self.accept(Token::BracketOpen) {
            return Ok(None);
        }
        let expr = self.expression()?;
        self.expect(Token::BracketClose, &format!("after {purpose}"))?;
        Ok(Some(expr))
    }

    /// `process P { … }`. None only where not even a name is there.
    fn process(&mut self) -> Option<Process<'a>> {
        let start = self.advance();
        let header = self.process_header();
        let Some(name) = self.report(header) else {
            self.skip_to_top_level();
            return None;
        };
        let mut process = Process {
            name,
            declarations: Vec::new(),
            states: Vec::new(),
            initial: Vec::new(),
            committed: Vec::new(),
            accepting: Vec::new(),
            assertions: Vec::new(),
            transitions: Vec::new(),
            span: start.to(name.span),
        };
        self.process_body(&mut process);
        process.span = start.to(self.previous_span());
        Some(process)
    }

    fn process_header(&mut self) -> Checked<Name<'a>> {
        let name = self.name("the name of a process")?;
        self.expect(Token::BraceOpen, "before the body of a process")?;
        Ok(name)
    }
}
