//! Statements and sequences of them.

use super::Parser;
use crate::ast::{Expr, ForRange, Name, Statement, StatementKind};
use crate::lexer::{Lexeme, Token, string_value};
use crate::problem::{Checked, Problem};

impl Parser {
    /// `{ … }`
    pub(super) fn block(&mut self, what: &str) -> Checked<Vec<Statement>> {
        let open = self.expect(Token::BraceOpen, &format!("before {what}"))?;
        let statements = self.nested("a statement", Self::sequence)?;
        if self.current() != Token::BraceClose {
            let problem = self.expected(&format!("`}}` after {what}"));
            return Err(match self.current() {
                Token::End => Problem::new(open, problem.message, "opened here"),
                Token::Fi | Token::Od | Token::Option => problem.help("is a `}` or an `if` or a `do` missing?"),
                _ => problem,
            });
        }
        self.advance();
        Ok(statements)
    }

    fn is_at_sequence_end(&self) -> bool {
        matches!(self.current(), Token::BraceClose | Token::Option | Token::Fi | Token::Od | Token::End)
    }

    /// Statements with separators between them, one at least.
    fn sequence(&mut self) -> Checked<Vec<Statement>> {
        let mut statements = Vec::new();
        if self.is_at_sequence_end() {
            let problem = self.expected("a statement");
            return Err(match self.current() {
                Token::Option => problem.help("options stand between `if` and `fi`, or between `do` and `od`"),
                _ => problem.help("`skip` is a statement that does nothing"),
            });
        }
        let mut has_failed = false;
        loop {
            let parentheses = self.parentheses;
            match self.step() {
                Ok(statement) => {
                    statements.push(statement);
                    if !self.separators() && !self.is_at_sequence_end() && !self.needs_no_separator(statements.last()) {
                        // The end of a parenthesis that has a problem of its own.
                        if !(has_failed && self.current() == Token::ParenthesisClose) {
                            let problem = self.missing_separator();
                            self.complain(*problem);
                        }
                        self.skip_statement();
                    }
                    has_failed = false;
                }
                Err(problem) => {
                    self.complain(*problem);
                    self.parentheses = parentheses;
                    // A line that ended too early goes on in the next.
                    self.is_separated = false;
                    self.skip_statement();
                    has_failed = true;
                }
            }
            self.separators();
            if self.is_at_sequence_end() {
                return Ok(statements);
            }
        }
    }

    /// Steps over separators; whether there are any.
    fn separators(&mut self) -> bool {
        let start = self.position();
        while matches!(self.current(), Token::Semicolon | Token::Arrow) {
            self.advance();
        }
        self.at > start.at || start.is_separated
    }

    /// SPIN reads a `;` after every `}` and every `else`; and a new line cannot belong to a whole statement.
    fn needs_no_separator(&self, statement: Option<&Statement>) -> bool {
        let is_closed = |kind: &StatementKind| {
            use StatementKind::{Atomic, Block, DStep, Else, For};
            matches!(kind, Block(_) | Atomic(_) | DStep(_) | For { .. } | Else)
        };
        self.lexemes[self.at.saturating_sub(1)].token == Token::BraceClose
            || self.lexeme().after_newline
            || statement.is_some_and(|statement| match &statement.kind {
                StatementKind::Unless { escape, .. } => is_closed(&escape.kind),
                kind => is_closed(kind),
            })
    }

    fn missing_separator(&self) -> Box<Problem> {
        let problem = self.expected("`;` or `->` after a statement");
        let (previous, current) = (self.lexemes[self.at.saturating_sub(1)].token, self.current());
        match (previous, current) {
            (Token::Identifier, Token::Identifier) => {
                problem.help("to declare a variable, begin with a type that is declared before")
            }
            (_, Token::Assign) => problem.help("to compare, write `==`"),
            (_, Token::Colon) => problem.help("an option begins with `::`"),
            _ => problem,
        }
    }

    /// Skips to behind what the statement at hand must be in.
    fn skip_statement(&mut self) {
        let mut depth = 0u32;
        loop {
            match self.current() {
                Token::End => return,
                Token::Semicolon | Token::Arrow | Token::Option if depth == 0 => return,
                Token::BraceOpen | Token::If | Token::Do => depth += 1,
                Token::BraceClose | Token::Fi | Token::Od if depth == 0 => return,
                Token::BraceClose | Token::Fi | Token::Od => depth -= 1,
                _ => {}
            }
            let parentheses = self.parentheses;
            self.advance();
            // Parentheses that were left open must not hide the ends of lines.
            self.parentheses = self.parentheses.min(parentheses);
            if self.current() == Token::End {
                return;
            }
        }
    }

    /// A statement, or two with `unless` between them.
    fn step(&mut self) -> Checked<Statement> {
        let main = self.statement()?;
        if self.current() != Token::Unless {
            return Ok(main);
        }
        self.advance();
        let escape = self.statement()?;
        let span = main.span;
        let kind = StatementKind::Unless { main: Box::new(main), escape: Box::new(escape) };
        Ok(Statement { labels: Vec::new(), kind, span })
    }

    fn statement(&mut self) -> Checked<Statement> {
        let mut labels: Vec<Name> = Vec::new();
        while self.is_at_label() {
            labels.push(self.name("a label")?);
            self.advance();
        }
        let is_empty = !labels.is_empty()
            && (self.is_at_sequence_end() || matches!(self.current(), Token::Semicolon | Token::Arrow | Token::Unless));
        if is_empty {
            let span = labels.last().map_or(self.place(), |label| label.span);
            return Ok(Statement { labels, kind: StatementKind::Skip, span });
        }
        let start = self.at;
        let kind = self.statement_kind()?;
        // The body of an inline stands for its call, and is a block that does not begin with a brace.
        let is_compound = is_compound(&kind) || self.lexemes[start].token == Token::BraceOpen;
        let span = if is_compound { self.lexemes[start].place } else { self.since(start) };
        Ok(Statement { labels, kind, span })
    }

    fn is_at_label(&self) -> bool {
        self.current() == Token::Identifier
            && self.following() == Token::Colon
            && !self.proctypes.contains(&self.lexeme().text)
    }

    fn statement_kind(&mut self) -> Checked<StatementKind> {
        if self.is_at_declaration() {
            if self.is_at_mtype_names() {
                let message = "the names of an mtype are declared inside a process";
                return Err(Problem::new(self.place(), message, "must be outside of all processes"));
            }
            return Ok(StatementKind::Variables(self.declarations()?));
        }
        match self.current() {
            Token::Else => self.word(StatementKind::Else),
            Token::Break => self.word(StatementKind::Break),
            Token::Goto => {
                self.advance();
                Ok(StatementKind::Goto(self.name("the name of a label")?))
            }
            Token::If => Ok(StatementKind::If(self.options(Token::Fi)?)),
            Token::Do => Ok(StatementKind::Do(self.options(Token::Od)?)),
            Token::Atomic => {
                self.advance();
                Ok(StatementKind::Atomic(self.block("the statements of `atomic`")?))
            }
            Token::DStep => {
                self.advance();
                Ok(StatementKind::DStep(self.block("the statements of `d_step`")?))
            }
            Token::BraceOpen => Ok(StatementKind::Block(self.block("the statements of a block")?)),
            Token::For => self.for_loop(),
            Token::Select => self.select(),
            Token::Assert => {
                self.advance();
                Ok(StatementKind::Assert(self.expression()?))
            }
            Token::Printf => self.printf(),
            Token::Printm => {
                self.advance();
                self.expect(Token::ParenthesisOpen, "after `printm`")?;
                let value = self.expression()?;
                self.expect(Token::ParenthesisClose, "after the value of `printm`")?;
                Ok(StatementKind::Printm(value))
            }
            Token::Xr | Token::Xs => self.exclusive(),
            Token::SetPriority => self.set_priority(),
            Token::Return => self.return_statement(),
            Token::Identifier => self.named_statement(),
            Token::CCode | Token::CDecl | Token::CState | Token::CTrack => Err(self.embedded_c()),
            _ => self.condition(),
        }
    }

    fn word(&mut self, kind: StatementKind) -> Checked<StatementKind> {
        self.advance();
        Ok(kind)
    }

    fn condition(&mut self) -> Checked<StatementKind> {
        let start = self.at;
        let is_skip = self.current() == Token::Skip;
        let expr = self.expression().map_err(|problem| match self.at == start && self.strange().is_none() {
            true => self.expected_statement(),
            false => problem,
        })?;
        Ok(if is_skip && self.at == start + 1 { StatementKind::Skip } else { StatementKind::Condition(expr) })
    }

    fn expected_statement(&self) -> Box<Problem> {
        let problem = self.expected("a statement");
        match self.current() {
            Token::Inline | Token::Proctype | Token::Active | Token::Init | Token::Typedef | Token::Ltl => {
                problem.help("is the `}` of the process before it missing?")
            }
            _ => problem,
        }
    }

    /// What begins with a name: an assignment, a message, a call, or a condition.
    fn named_statement(&mut self) -> Checked<StatementKind> {
        if self.is_at_call() {
            return self.nested("a statement", |parser| parser.inline_call(None));
        }
        if self.following() == Token::Identifier && !self.lexemes[self.at + 1].after_newline {
            // Two names in a row can only be meant as a declaration.
            return Ok(StatementKind::Variables(self.declarations()?));
        }
        let position = self.position();
        if self.following() == Token::ParenthesisOpen {
            return self.condition();
        }
        let reference = self.reference("a variable")?;
        match self.current() {
            Token::Assign => {
                self.advance();
                if self.is_at_call() {
                    return self.nested("a statement", |parser| parser.inline_call(Some(reference)));
                }
                Ok(StatementKind::Assign { target: reference, value: self.expression()? })
            }
            Token::Increment => self.word(StatementKind::Increment(reference)),
            Token::Decrement => self.word(StatementKind::Decrement(reference)),
            Token::Exclamation | Token::SortedSend => self.send(reference),
            Token::Question | Token::RandomReceive if self.following() != Token::BracketOpen => self.receive(reference),
            _ => {
                self.return_to(position);
                self.condition()
            }
        }
    }

    /// `:: … :: … fi`, or `od`, behind the first word.
    fn options(&mut self, close: Token) -> Checked<Vec<Vec<Statement>>> {
        let open = self.advance();
        let mut options = Vec::new();
        let mut is_option = self.accept(Token::Option);
        if !is_option {
            let word = if close == Token::Fi { "if" } else { "do" };
            let problem = self.expected(&format!("`::` after `{word}`"));
            self.complain(*problem.help("every option begins with `::`"));
            is_option = !self.is_at_sequence_end();
        }
        while is_option {
            let option = self.nested("a statement", Self::sequence);
            options.extend(self.report(option));
            is_option = self.accept(Token::Option);
        }
        if self.accept(close) {
            return Ok(options);
        }
        match self.current() {
            Token::Fi | Token::Od => {
                let (word, found) = if close == Token::Fi { ("if", "od") } else { ("do", "fi") };
                let message = format!("this `{word}` is closed by `{found}`");
                let problem = Problem::new(self.place(), message, format!("expected {}", close.describe()));
                self.complain(*problem.help("`if` ends with `fi`, and `do` with `od`"));
                self.advance();
                Ok(options)
            }
            _ => {
                let found = self.expected(&format!("`::` or {}", close.describe())).message;
                Err(Problem::new(open, found, format!("not closed by {}", close.describe())))
            }
        }
    }

    /// `for (i : 1 .. n) { … }`, `for (i in a) { … }`
    fn for_loop(&mut self) -> Checked<StatementKind> {
        self.advance();
        self.expect(Token::ParenthesisOpen, "after `for`")?;
        let variable = self.reference("the variable of the loop")?;
        let range = if self.current() == Token::Identifier && &*self.lexeme().text == "in" {
            self.advance();
            ForRange::In(self.reference("an array or a channel")?)
        } else {
            let (first, last) = self.range()?;
            ForRange::Values(first, last)
        };
        self.expect(Token::ParenthesisClose, "after the range of the loop")?;
        self.accept(Token::Semicolon);
        let body = self.block("the statements of a loop")?;
        Ok(StatementKind::For { variable, range: Box::new(range), body })
    }

    /// `select (i : 1 .. n)`
    fn select(&mut self) -> Checked<StatementKind> {
        let is_plain = self.calls.is_empty() && self.is_at_plain_selection();
        self.advance();
        self.expect(Token::ParenthesisOpen, "after `select`")?;
        let variable = self.reference("the variable that takes the value")?;
        let (first, last) = self.range()?;
        self.expect(Token::ParenthesisClose, "after the range of `select`")?;
        Ok(StatementKind::Select { variable, first, last, is_plain })
    }

    /// Whether `select (i : 1 .. 3)` is written in the way that SPIN's lexer takes apart by itself, outside of inlines:
    /// a name of letters and digits only, two numbers, and no line break within the parentheses.
    fn is_at_plain_selection(&self) -> bool {
        let Some([_, _, name, colon, first, range, last, close]) = self.lexemes.get(self.at..self.at + 8) else {
            return false;
        };
        let is_made_of = |lexeme: &Lexeme, belongs: fn(&u8) -> bool| lexeme.text.as_bytes().iter().all(&belongs);
        [name, colon, first, range, last, close].iter().all(|lexeme| !lexeme.after_newline)
            && is_made_of(name, u8::is_ascii_alphanumeric)
            && is_made_of(first, u8::is_ascii_digit)
            && is_made_of(last, u8::is_ascii_digit)
            && [colon.token, range.token, close.token] == [Token::Colon, Token::Range, Token::ParenthesisClose]
    }

    fn range(&mut self) -> Checked<(Expr, Expr)> {
        let with_help = |problem: Box<Problem>| problem.help("a range is written `i : 1 .. 3`");
        self.expect(Token::Colon, "before a range").map_err(with_help)?;
        let first = self.expression()?;
        self.expect(Token::Range, "between the ends of a range").map_err(with_help)?;
        Ok((first, self.expression()?))
    }

    fn printf(&mut self) -> Checked<StatementKind> {
        self.advance();
        self.expect(Token::ParenthesisOpen, "after `printf`")?;
        if self.current() != Token::Text {
            return Err(self.expected("a string"));
        }
        let format = string_value(&self.lexeme().text);
        self.advance();
        let mut arguments = Vec::new();
        while self.accept(Token::Comma) {
            arguments.push(self.expression()?);
        }
        self.expect(Token::ParenthesisClose, "after the values of `printf`")?;
        Ok(StatementKind::Printf { format, arguments })
    }

    fn exclusive(&mut self) -> Checked<StatementKind> {
        let receives = self.current() == Token::Xr;
        self.advance();
        let mut channels = vec![self.reference("the name of a channel")?];
        while self.accept(Token::Comma) {
            channels.push(self.reference("the name of a channel")?);
        }
        Ok(StatementKind::Exclusive { channels, receives })
    }

    fn set_priority(&mut self) -> Checked<StatementKind> {
        self.advance();
        self.expect(Token::ParenthesisOpen, "after `set_priority`")?;
        let process = self.expression()?;
        self.expect(Token::Comma, "between a process and its priority")?;
        let priority = self.expression()?;
        self.expect(Token::ParenthesisClose, "after a priority")?;
        Ok(StatementKind::SetPriority { process, priority })
    }

    /// `return e` of an inline: an assignment to what the caller named. It ends nothing, as in SPIN.
    fn return_statement(&mut self) -> Checked<StatementKind> {
        let place = self.advance();
        let value = self.expression()?;
        match self.calls.last() {
            Some((_, Some(target))) => Ok(StatementKind::Assign { target: target.clone(), value }),
            Some((name, None)) => {
                let message = format!("the inline `{name}` returns a value that nobody takes");
                Err(Problem::new(place, message, "returned here").help(format!("call it as `x = {name}(…)`")))
            }
            None => Err(Problem::new(place, "`return` outside of an inline", "returns to nowhere")),
        }
    }

    /// The problem with C in a model. What belongs to it is stepped over.
    pub(super) fn embedded_c(&mut self) -> Box<Problem> {
        let problem = self.strange().unwrap_or_else(|| self.expected("a statement"));
        let mut depth = 0u32;
        let word = self.current();
        self.advance();
        match word {
            Token::CState | Token::CTrack => {
                while self.current() == Token::Text {
                    self.advance();
                }
            }
            _ => loop {
                match self.current() {
                    Token::BraceOpen => depth += 1,
                    Token::BraceClose => depth = depth.saturating_sub(1),
                    Token::End => break,
                    _ => {}
                }
                let is_end = depth == 0 && self.current() == Token::BraceClose;
                self.advance();
                if is_end {
                    break;
                }
            },
        }
        problem
    }
}

/// Whether the span of a statement is that of its first word.
fn is_compound(kind: &StatementKind) -> bool {
    use StatementKind::{Atomic, DStep, Do, For, If, Unless};
    matches!(kind, If(_) | Do(_) | For { .. } | Atomic(_) | DStep(_) | Unless { .. })
}
