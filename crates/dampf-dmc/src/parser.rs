//! Tokens to a model or an automaton, by recursive descent.
//!
//! After a mistake the parser skips to the next word that opens a part (`trans`, `state`, `process`, …) and goes
//! on, so that one run shows several mistakes. Every loop consumes a token per round, or ends.

use crate::ast::*;
use crate::lexer::{Token, TokenKind, tokenize};
use crate::mistake::Mistake;
use dampf_core::{Source, Span};

/// After so many mistakes the rest is noise.
const MISTAKES_MAX: usize = 20;

/// `for` statements within one another.
const FOR_NESTING_MAX: usize = 32;

pub struct Parser<'s> {
    source: &'s Source,
    tokens: Vec<Token>,
    position: usize,
    mistakes: Vec<Mistake>,
    /// Parentheses, indices, signs and `for` around the current token.
    pub(crate) nesting: usize,
}

type Parsed<T> = Result<T, Mistake>;

pub fn parse_model(source: &Source) -> Result<Model, Vec<Mistake>> {
    let mut parser = Parser::new(source)?;
    let model = parser.model();
    parser.finish(model)
}

pub fn parse_automaton(source: &Source) -> Result<Automaton, Vec<Mistake>> {
    let mut parser = Parser::new(source)?;
    let automaton = parser.automaton();
    parser.finish(automaton)
}

pub fn parse_lone_expression(source: &Source) -> Result<Expression, Vec<Mistake>> {
    let mut parser = Parser::new(source)?;
    let expression = parser.expression();
    parser.finish(expression)
}

impl<'s> Parser<'s> {
    fn new(source: &'s Source) -> Result<Self, Vec<Mistake>> {
        // Spans are 32 bits wide.
        if source.text.len() > u32::MAX as usize / 2 {
            return Err(vec![Mistake::new(Span::default(), "the text is longer than 2 GB", "too long")]);
        }
        let (tokens, mut mistakes) = tokenize(&source.text);
        mistakes.truncate(MISTAKES_MAX);
        Ok(Parser { source, tokens, position: 0, mistakes, nesting: 0 })
    }

    /// The result, if nothing was wrong and nothing is left.
    fn finish<T>(mut self, result: Parsed<T>) -> Result<T, Vec<Mistake>> {
        let result = result.and_then(|value| match self.kind() {
            TokenKind::EndOfText => Ok(value),
            _ => Err(self.unexpected("nothing more")),
        });
        match result {
            Ok(value) if self.mistakes.is_empty() => Ok(value),
            Ok(_) => Err(self.mistakes),
            Err(mistake) => {
                self.mistakes.push(mistake);
                Err(self.mistakes)
            }
        }
    }

    // Tokens.

    pub(crate) fn kind(&self) -> TokenKind {
        self.tokens[self.position].kind
    }

    fn kind_after(&self, distance: usize) -> TokenKind {
        self.tokens.get(self.position + distance).map_or(TokenKind::EndOfText, |token| token.kind)
    }

    pub(crate) fn span(&self) -> Span {
        self.tokens[self.position].span
    }

    /// From the beginning of an earlier token to the end of the last one consumed.
    pub(crate) fn span_since(&self, start: Span) -> Span {
        start.to(self.tokens[self.position.saturating_sub(1)].span)
    }

    pub(crate) fn text(&self, span: Span) -> &'s str {
        self.source.slice(span)
    }

    pub(crate) fn bump(&mut self) -> Token {
        let token = self.tokens[self.position];
        if token.kind != TokenKind::EndOfText {
            self.position += 1;
        }
        token
    }

    pub(crate) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    pub(crate) fn expect(&mut self, kind: TokenKind) -> Parsed<Span> {
        if self.kind() == kind { Ok(self.bump().span) } else { Err(self.unexpected(&kind.describe())) }
    }

    /// Whether an unreserved word stands here, and a token of the given kind after it.
    pub(crate) fn at_word(&self, word: &str, followed_by: TokenKind) -> bool {
        self.kind() == TokenKind::Identifier && self.text(self.span()) == word && self.kind_after(1) == followed_by
    }

    pub(crate) fn unexpected(&self, wanted: &str) -> Mistake {
        let found = match self.kind() {
            kind @ (TokenKind::EndOfText | TokenKind::Identifier | TokenKind::Number) => match self.text(self.span()) {
                text if text.is_empty() || text.len() > 40 => kind.describe(),
                text => format!("`{text}`"),
            },
            _ => format!("`{}`", self.text(self.span())),
        };
        let mistake = Mistake::new(self.span(), format!("expected {wanted}, found {found}"), "not expected here");
        match self.kind() {
            TokenKind::Identifier | TokenKind::Number | TokenKind::EndOfText => mistake,
            _ if wanted == TokenKind::Identifier.describe() && found.len() > 3 => {
                mistake.help(format!("{found} has a meaning of its own"))
            }
            _ => mistake,
        }
    }

    pub(crate) fn name(&mut self) -> Parsed<Name> {
        let span = self.expect(TokenKind::Identifier)?;
        Ok(Name { text: self.text(span).to_string(), span })
    }

    // Recovery.

    /// Notes a mistake and skips to one of the words at which parsing can go on.
    fn recover(&mut self, mistake: Mistake, stops: &[TokenKind]) -> Parsed<()> {
        if self.mistakes.len() + 1 >= MISTAKES_MAX {
            return Err(mistake);
        }
        self.mistakes.push(mistake);
        while self.kind() != TokenKind::EndOfText {
            // An `end` that closes a `for` opens nothing to go on with.
            let opens = self.kind() != TokenKind::End || self.ends_a_process();
            if opens && stops.contains(&self.kind()) {
                break;
            }
            self.bump();
        }
        Ok(())
    }

    /// Whether the `end` here is followed by what can follow a process.
    fn ends_a_process(&self) -> bool {
        use TokenKind::{End, EndOfText, Init, Process, Semicolon, Var};
        self.kind_after(1) != Semicolon || matches!(self.kind_after(2), Process | Init | Var | End | EndOfText)
    }

    // Models.

    fn model(&mut self) -> Parsed<Model> {
        self.expect(TokenKind::Model)?;
        let name = self.name()?;
        self.expect(TokenKind::Colon)?;
        let mut model = Model { name, declarations: Vec::new(), processes: Vec::new(), init: None };
        loop {
            let before = self.position;
            let part = match self.kind() {
                TokenKind::End => break,
                TokenKind::Var => self.variables(&mut model.declarations),
                TokenKind::Process => self.process().map(|process| model.processes.push(process)),
                TokenKind::Init => self.init().and_then(|init| set_once(&mut model.init, init)),
                _ if self.at_word("const", TokenKind::Identifier) => self.constants(&mut model.declarations),
                _ => Err(self.unexpected("`var`, `const`, `process`, `init` or `end`")),
            };
            if let Err(mistake) = part {
                let stops = [TokenKind::Process, TokenKind::Init, TokenKind::Var];
                self.recover(mistake, &stops)?;
                if self.position == before {
                    self.bump();
                }
                if self.kind() == TokenKind::EndOfText {
                    return Ok(model);
                }
            }
        }
        self.expect(TokenKind::End)?;
        self.expect(TokenKind::Dot)?;
        Ok(model)
    }

    fn constants(&mut self, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        self.bump();
        loop {
            let name = self.name()?;
            self.expect(TokenKind::Equal)?;
            let initial = Some(self.expression()?);
            declarations.push(Declaration { name, kind: DeclarationKind::Constant, initial });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.expect(TokenKind::Semicolon).map(|_| ())
    }

    fn variables(&mut self, declarations: &mut Vec<Declaration>) -> Parsed<()> {
        self.expect(TokenKind::Var)?;
        while !self.at_end_of_variables() {
            let mut names = Vec::new();
            loop {
                let name = self.name()?;
                let initial = if self.eat(TokenKind::Equal) { Some(self.expression()?) } else { None };
                names.push((name, initial));
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
            self.expect(TokenKind::Colon)?;
            let kind = self.kind_of_variable()?;
            self.expect(TokenKind::Semicolon)?;
            for (name, initial) in names {
                declarations.push(Declaration { name, kind: clone_kind(&kind), initial });
            }
        }
        Ok(())
    }

    fn at_end_of_variables(&self) -> bool {
        match self.kind() {
            TokenKind::Identifier => {
                self.at_word("const", TokenKind::Identifier) || self.at_word("final", TokenKind::State)
            }
            TokenKind::Var | TokenKind::Process | TokenKind::Init | TokenKind::State | TokenKind::End => true,
            _ => false,
        }
    }

    fn kind_of_variable(&mut self) -> Parsed<DeclarationKind> {
        if self.eat(TokenKind::Queue) {
            self.expect(TokenKind::OpenBracket)?;
            let capacity = self.expression()?;
            self.expect(TokenKind::CloseBracket)?;
            self.expect(TokenKind::Of)?;
            if self.kind() == TokenKind::Array {
                return Err(self.unexpected("`int`").help("the messages of a queue are of type `int`"));
            }
            self.expect(TokenKind::Int)?;
            return Ok(DeclarationKind::Queue(capacity));
        }
        let mut sizes = Vec::new();
        while self.eat(TokenKind::Array) {
            self.expect(TokenKind::OpenBracket)?;
            sizes.push(self.expression()?);
            self.expect(TokenKind::CloseBracket)?;
            self.expect(TokenKind::Of)?;
        }
        match self.kind() {
            TokenKind::Int => self.bump(),
            TokenKind::Queue => {
                return Err(self.unexpected("`int` or `array`").help("the elements of an array are of type `int`"));
            }
            _ if sizes.is_empty() => return Err(self.unexpected("`int`, `array` or `queue`")),
            _ => return Err(self.unexpected("`int` or `array`")),
        };
        Ok(DeclarationKind::Variable(sizes))
    }

    fn init(&mut self) -> Parsed<Init> {
        let start = self.expect(TokenKind::Init)?;
        self.expect(TokenKind::Colon)?;
        let mut statements = Vec::new();
        while self.kind() != TokenKind::End {
            if self.kind() == TokenKind::Send {
                return Err(Mistake::new(self.span(), "a message is sent in `init`", "sent here")
                    .help("queues are empty at the beginning; send in a transition"));
            }
            statements.push(self.statement()?);
        }
        self.bump();
        self.expect(TokenKind::Semicolon)?;
        Ok(Init { statements, span: self.span_since(start) })
    }

    fn process(&mut self) -> Parsed<Process> {
        self.expect(TokenKind::Process)?;
        let name = self.name()?;
        self.expect(TokenKind::Colon)?;
        let mut process = Process { name, declarations: Vec::new(), init: None, states: Vec::new() };
        loop {
            match self.kind() {
                TokenKind::Var => self.variables(&mut process.declarations)?,
                TokenKind::Init => {
                    let init = self.init()?;
                    set_once(&mut process.init, init)?;
                }
                TokenKind::State => process.states.push(self.state()?),
                _ if self.at_word("final", TokenKind::State) => process.states.push(self.state()?),
                TokenKind::End => break,
                _ if process.states.is_empty() => return Err(self.unexpected("`var`, `init` or `state`")),
                _ => return Err(self.unexpected("`trans`, `state` or `end`")),
            }
        }
        self.bump();
        self.expect(TokenKind::Semicolon)?;
        Ok(process)
    }

    fn state(&mut self) -> Parsed<State> {
        let is_final = self.kind() == TokenKind::Identifier;
        if is_final {
            self.bump();
        }
        self.expect(TokenKind::State)?;
        let name = self.name()?;
        self.expect(TokenKind::Colon)?;
        let mut transitions = Vec::new();
        while self.kind() == TokenKind::Trans {
            match self.transition() {
                Ok(transition) => transitions.push(transition),
                Err(mistake) => {
                    let stops =
                        [TokenKind::Trans, TokenKind::State, TokenKind::End, TokenKind::Process, TokenKind::Init];
                    self.recover(mistake, &stops)?;
                }
            }
        }
        Ok(State { name, is_final, transitions })
    }

    fn transition(&mut self) -> Parsed<Transition> {
        let start = self.expect(TokenKind::Trans)?;
        let mut binders = Vec::new();
        while self.at_word("for", TokenKind::Identifier) {
            self.bump();
            binders.push(self.binder()?);
            self.expect(TokenKind::Colon)?;
        }
        let guards = self.guards()?;
        let mut sync = None;
        let mut statements = Vec::new();
        while self.kind() != TokenKind::Goto {
            let place = self.span();
            match self.step()? {
                Step::Statement(statement) => statements.push(statement),
                Step::Sync(_) if sync.is_some() => {
                    return Err(Mistake::new(place, "a transition sends or receives twice", "the second time here")
                        .help("one transition takes part in at most one send or receive"));
                }
                Step::Sync(_) if !statements.is_empty() => {
                    return Err(Mistake::new(place, "a send or receive comes after a statement", "comes too late")
                        .help("it decides whether the transition can be taken: put it before the statements"));
                }
                Step::Sync(found) => sync = Some(found),
            }
        }
        self.bump();
        let target = self.name()?;
        let span = self.span_since(start);
        self.eat(TokenKind::Semicolon);
        Ok(Transition { binders, guards, sync, statements, target, span })
    }

    fn guards(&mut self) -> Parsed<Vec<Expression>> {
        let mut guards = Vec::new();
        while self.eat(TokenKind::Guard) {
            guards.push(self.expression()?);
        }
        Ok(guards)
    }

    fn step(&mut self) -> Parsed<Step> {
        if self.eat(TokenKind::Send) {
            self.expect(TokenKind::OpenParen)?;
            let queue = self.name()?;
            self.expect(TokenKind::Comma)?;
            let value = self.expression()?;
            self.expect(TokenKind::CloseParen)?;
            self.expect(TokenKind::Semicolon)?;
            return Ok(Step::Sync(Sync::Send { queue, value }));
        }
        let is_word = self.at_word("assert", TokenKind::OpenParen) || self.at_word("for", TokenKind::Identifier);
        if self.kind() != TokenKind::Identifier || is_word {
            return self.statement().map(Step::Statement);
        }
        let target = self.reference()?;
        if self.kind() == TokenKind::Equal && self.kind_after(1) == TokenKind::Recv {
            self.bump();
            self.bump();
            self.expect(TokenKind::OpenParen)?;
            let queue = self.name()?;
            self.expect(TokenKind::CloseParen)?;
            self.expect(TokenKind::Semicolon)?;
            return Ok(Step::Sync(Sync::Receive { target, queue }));
        }
        self.assignment(target).map(Step::Statement)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span();
        match self.kind() {
            TokenKind::New => {
                self.bump();
                let process = self.name()?;
                let count = if self.eat(TokenKind::Star) { Some(self.expression()?) } else { None };
                self.expect(TokenKind::Semicolon)?;
                Ok(Statement::New { process, count, span: self.span_since(start) })
            }
            TokenKind::Guard => {
                let help = "a transition is `trans guard condition statements goto state`";
                Err(Mistake::new(start, "a guard comes after a statement", "comes too late").help(help))
            }
            _ if self.at_word("assert", TokenKind::OpenParen) => {
                self.bump();
                let condition = self.expression()?;
                let span = condition.span();
                self.expect(TokenKind::Semicolon)?;
                Ok(Statement::Assert { condition, span })
            }
            _ if self.at_word("for", TokenKind::Identifier) => self.for_statement(),
            TokenKind::Identifier => {
                let target = self.reference()?;
                self.assignment(target)
            }
            _ => Err(self.unexpected("a statement")),
        }
    }

    fn for_statement(&mut self) -> Parsed<Statement> {
        let start = self.bump().span;
        if self.nesting >= FOR_NESTING_MAX {
            return Err(Mistake::new(start, "`for` is nested too deeply", "one too many"));
        }
        let binder = self.binder()?;
        self.expect(TokenKind::Colon)?;
        let mut body = Vec::new();
        self.nesting += 1;
        while self.kind() != TokenKind::End {
            if self.kind() == TokenKind::Send {
                return Err(Mistake::new(self.span(), "a message is sent within `for`", "sent here")
                    .help("one transition takes part in at most one send or receive"));
            }
            body.push(self.statement()?);
        }
        self.nesting -= 1;
        self.bump();
        self.expect(TokenKind::Semicolon)?;
        Ok(Statement::For { binder, body })
    }

    /// What follows the target of an assignment: `= value;`, `++;` or `--;`.
    fn assignment(&mut self, target: Reference) -> Parsed<Statement> {
        let value = match (self.kind(), self.kind_after(1)) {
            (TokenKind::Equal, TokenKind::Recv) => {
                self.bump();
                return Err(Mistake::new(self.span(), "`recv` is not allowed here", "received here")
                    .help("a receive stands in a transition, before the statements: `x = recv(queue);`"));
            }
            (TokenKind::Equal, _) => {
                self.bump();
                self.expression()?
            }
            (TokenKind::Plus, TokenKind::Plus) => self.counted(&target, dampf_gcl::ir::BinaryOp::Add),
            (TokenKind::Minus, TokenKind::Minus) => self.counted(&target, dampf_gcl::ir::BinaryOp::Subtract),
            _ => return Err(self.unexpected("`=`, `++` or `--`")),
        };
        let span = self.span_since(target.span);
        self.expect(TokenKind::Semicolon)?;
        Ok(Statement::Assign { target, value, span })
    }

    /// The value of `x++` or `x--`.
    fn counted(&mut self, target: &Reference, op: dampf_gcl::ir::BinaryOp) -> Expression {
        self.bump();
        let sign = self.bump().span;
        let one = Box::new(Expression::Number(1, sign));
        Expression::Binary(op, Box::new(Expression::Reference(target.clone())), one, target.span.to(sign))
    }

    // Büchi automata.

    fn automaton(&mut self) -> Parsed<Automaton> {
        let start = self.span();
        let mut states = Vec::new();
        while self.kind() != TokenKind::EndOfText || states.is_empty() {
            if let Err(mistake) = self.automaton_state().map(|state| states.push(state)) {
                let before = self.position;
                self.recover(mistake, &[TokenKind::Bstate])?;
                if self.kind() == TokenKind::EndOfText {
                    break;
                }
                if self.position == before && self.kind() != TokenKind::Bstate {
                    self.bump();
                }
            }
        }
        Ok(Automaton { states, span: self.span_since(start) })
    }

    fn automaton_state(&mut self) -> Parsed<AutomatonState> {
        self.expect(TokenKind::Bstate)?;
        let accepting = self.eat(TokenKind::Star);
        let name = self.name()?;
        self.expect(TokenKind::Colon)?;
        let mut transitions = Vec::new();
        while self.kind() == TokenKind::Btrans {
            let start = self.bump().span;
            let guards = self.guards()?;
            if self.kind() != TokenKind::Goto {
                return Err(self.unexpected("`guard` or `goto`").help("a Büchi transition changes no variables"));
            }
            self.bump();
            let target = self.name()?;
            transitions.push(AutomatonTransition { guards, target, span: self.span_since(start) });
            self.eat(TokenKind::Semicolon);
        }
        Ok(AutomatonState { name, accepting, transitions })
    }
}

enum Step {
    Statement(Statement),
    Sync(Sync),
}

fn set_once(slot: &mut Option<Init>, init: Init) -> Parsed<()> {
    if slot.is_some() {
        return Err(Mistake::new(init.span, "a second `init`", "one `init` was there already"));
    }
    *slot = Some(init);
    Ok(())
}

fn clone_kind(kind: &DeclarationKind) -> DeclarationKind {
    match kind {
        DeclarationKind::Constant => DeclarationKind::Constant,
        DeclarationKind::Variable(sizes) => DeclarationKind::Variable(sizes.clone()),
        DeclarationKind::Queue(capacity) => DeclarationKind::Queue(capacity.clone()),
    }
}
