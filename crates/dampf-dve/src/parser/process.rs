//! The body of a process: its sections, and its transitions.

use super::Parser;
use crate::ast::{Assignment, Direction, Expr, Name, Process, Sync, Transition};
use crate::lexer::Token;
use crate::problem::{Checked, Problem};

impl<'a> Parser<'a> {
    /// Everything up to and including the closing brace.
    pub(super) fn process_body(&mut self, process: &mut Process<'a>) {
        loop {
            match self.current() {
                Token::BraceClose => {
                    self.advance();
                    return;
                }
                Token::End | Token::Process | Token::System => {
                    let wanted = format!("`}}` to close process `{}`", process.name.text);
                    self.problems.push(*self.expected(&wanted));
                    return;
                }
                Token::Trans => self.transitions(&mut process.transitions),
                _ => {
                    let parsed = self.section(process);
                    if self.report(parsed).is_none() {
                        self.skip_section();
                    }
                }
            }
        }
    }

    fn section(&mut self, process: &mut Process<'a>) -> Checked<()> {
        match self.current() {
            Token::Channel => {
                let problem = Problem::new(self.span(), "a channel is declared within a process", "declared here");
                return Err(problem.help("channels are global: declare it before the processes"));
            }
            Token::Byte | Token::Int | Token::Const => return self.declaration(&mut process.declarations),
            Token::State => self.state_names(&mut process.states)?,
            Token::Init => self.state_names(&mut process.initial)?,
            Token::Commit => self.state_names(&mut process.committed)?,
            Token::Accept => self.accepting(&mut process.accepting)?,
            Token::Assert => self.assertions(&mut process.assertions)?,
            _ => return Err(self.expected("a declaration, `state`, `init`, `trans` or `}`")),
        }
        self.expect(Token::Semicolon, "after the list").map(drop)
    }

    /// After an error: to behind the next `;`, but never over the end of the process.
    fn skip_section(&mut self) {
        loop {
            match self.current() {
                Token::Semicolon => {
                    self.advance();
                    return;
                }
                Token::End | Token::Process | Token::System | Token::Trans | Token::BraceClose => return,
                _ => self.advance(),
            };
        }
    }

    fn state_names(&mut self, out: &mut Vec<Name<'a>>) -> Checked<()> {
        self.advance();
        self.more_state_names(out)
    }

    fn more_state_names(&mut self, out: &mut Vec<Name<'a>>) -> Checked<()> {
        out.push(self.name("the name of a state")?);
        while self.accept(Token::Comma) {
            out.push(self.name("the name of a state")?);
        }
        Ok(())
    }

    /// `accept a, b`, `accept buchi a, b`
    fn accepting(&mut self, out: &mut Vec<Name<'a>>) -> Checked<()> {
        self.advance();
        let kind = self.slice(self.span());
        let is_kind = matches!(self.following(), Token::Identifier | Token::ParenthesisOpen);
        if self.current() == Token::Identifier && is_kind {
            if kind != "buchi" {
                let message = format!("acceptance of kind `{kind}` is not supported");
                let problem = Problem::new(self.span(), message, "this kind of automaton");
                self.skip_acceptance();
                return Err(problem.help("list the accepting states of a Büchi automaton: `accept q1, q2;`"));
            }
            self.advance();
        }
        self.more_state_names(out)
    }

    /// The sets of other kinds have semicolons within their parentheses.
    fn skip_acceptance(&mut self) {
        while !matches!(self.current(), Token::ParenthesisClose | Token::BraceClose | Token::End | Token::Trans) {
            self.advance();
        }
    }

    /// `assert q: e, r: f`; the colon may be left out.
    fn assertions(&mut self, out: &mut Vec<(Name<'a>, Expr<'a>)>) -> Checked<()> {
        self.advance();
        loop {
            let state = self.name("the name of a state")?;
            self.accept(Token::Colon);
            out.push((state, self.expression()?));
            if !self.accept(Token::Comma) {
                return Ok(());
            }
        }
    }

    /// `trans a -> b { … }, -> c { … };`
    fn transitions(&mut self, out: &mut Vec<Transition<'a>>) {
        self.advance();
        let mut source = None;
        // DiVinE lets the commas between transitions and the last semicolon go.
        while matches!(self.current(), Token::Identifier | Token::Arrow) {
            let transition = self.transition(&mut source);
            match self.report(transition) {
                Some(transition) => out.push(transition),
                None => self.skip_transition(),
            }
            if self.accept(Token::Comma) && !matches!(self.current(), Token::Identifier | Token::Arrow) {
                let problem = self.expected("a transition after the comma");
                self.problems.push(*problem);
                self.skip_transition();
            }
        }
        if !self.accept(Token::Semicolon) && self.current() != Token::BraceClose {
            let problem = self.expected("`,` or `;` after a transition");
            self.problems.push(*problem);
            self.skip_section();
        }
    }

    fn transition(&mut self, last_source: &mut Option<Name<'a>>) -> Checked<Transition<'a>> {
        let start = self.span();
        if self.current() == Token::Identifier {
            *last_source = Some(self.name("the name of a state")?);
        }
        let Some(source) = *last_source else {
            let problem = Problem::new(start, "the first transition has no source state", "comes from where?");
            return Err(problem.help("only later transitions may leave it out, and then share the last one"));
        };
        if self.current() == Token::WideArrow {
            let message = "probabilistic transitions are not supported";
            return Err(Problem::new(self.span(), message, "chooses by probability"));
        }
        self.expect(Token::Arrow, "between the states of a transition")?;
        let target = self.name("the name of a state")?;
        self.expect(Token::BraceOpen, "before the body of a transition")?;
        let mut transition =
            Transition { source, target, guards: Vec::new(), sync: None, effects: Vec::new(), span: start };
        while self.current() != Token::BraceClose {
            self.transition_part(&mut transition)?;
        }
        transition.span = start.to(self.advance());
        Ok(transition)
    }

    fn transition_part(&mut self, transition: &mut Transition<'a>) -> Checked<()> {
        let (part, start) = (self.current(), self.span());
        let given = match part {
            Token::Guard => !transition.guards.is_empty(),
            Token::Sync => transition.sync.is_some(),
            Token::Effect => !transition.effects.is_empty(),
            _ => return Err(self.expected("`guard`, `sync`, `effect` or `}`")),
        };
        if given {
            let message = format!("a transition has two {} parts", part.describe());
            return Err(Problem::new(start, message, "the second one").help("write both in one part"));
        }
        self.advance();
        match part {
            Token::Guard => transition.guards = self.expressions()?,
            Token::Sync => transition.sync = Some(self.sync()?),
            _ => transition.effects = self.assignments()?,
        }
        self.expect(Token::Semicolon, &format!("after the {} part", part.describe())).map(drop)
    }

    fn expressions(&mut self) -> Checked<Vec<Expr<'a>>> {
        let mut expressions = vec![self.expression()?];
        while self.accept(Token::Comma) {
            expressions.push(self.expression()?);
        }
        Ok(expressions)
    }

    /// `c!`, `c!e`, `c!{e, f}`, `c?`, `c?x`, `c?{x, y}`; the braces may be left out.
    fn sync(&mut self) -> Checked<Sync<'a>> {
        let channel = self.name("the name of a channel")?;
        let direction = match self.current() {
            Token::Exclamation => Direction::Send,
            Token::Question => Direction::Receive,
            // `c!=1` reads as one mark; nobody means it.
            _ => return Err(self.expected("`!` to send or `?` to receive")),
        };
        self.advance();
        let operands = match self.current() {
            Token::Semicolon => Vec::new(),
            Token::BraceOpen => {
                self.advance();
                let operands = self.expressions()?;
                self.expect(Token::BraceClose, "after the values of a message")?;
                operands
            }
            _ => self.expressions()?,
        };
        Ok(Sync { channel, direction, operands, span: channel.span.to(self.previous_span()) })
    }

    fn assignments(&mut self) -> Checked<Vec<Assignment<'a>>> {
        let mut assignments = Vec::new();
        loop {
            let target = self.expression()?;
            self.expect(Token::Assign, "in an assignment")?;
            let value = self.expression()?;
            let span = target.span.to(value.span);
            assignments.push(Assignment { target, value, span });
            if !self.accept(Token::Comma) {
                return Ok(assignments);
            }
        }
    }

    /// After an error in a transition: to behind its closing brace, or to where the list ends.
    fn skip_transition(&mut self) {
        loop {
            match self.current() {
                Token::BraceClose => {
                    let in_process = matches!(self.following(), Token::Process | Token::System | Token::End);
                    if !in_process {
                        self.advance();
                    }
                    return;
                }
                Token::End | Token::Process | Token::System => return,
                _ => self.advance(),
            };
        }
    }
}
