//! From tokens to a program, by recursive descent.
//!
//! The first problem ends the reading: what is refused here (arrays, pointers, structures) changes how all that follows
//! is read.

use super::ast::{Declaration, Expression, ExpressionKind, Function, Program, Statement, StatementKind};
use super::lexer::Token;
use super::types::Type;
use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};
use std::collections::HashMap;

/// Statements and expressions may not be nested deeper.
const DEPTH_MAX: usize = 400;

/// Binary operators from the loosest to the tightest, `&&` and `||` among them.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

pub struct Parser<'t> {
    tokens: &'t [(Token, Span)],
    at: usize,
    depth: usize,
    typedefs: HashMap<String, Type>,
    program: Program,
}

/// What stands before a name in a declaration.
struct Specifiers {
    /// `None` for `void`.
    of: Option<Type>,
    is_extern: bool,
    is_typedef: bool,
    is_static: bool,
}

pub fn parse(tokens: &[(Token, Span)]) -> Checked<Program> {
    let mut parser = Parser { tokens, at: 0, depth: 0, typedefs: HashMap::new(), program: Program::default() };
    while *parser.peek() != Token::End {
        parser.external_declaration()?;
    }
    Ok(parser.program)
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn peek_behind(&self, offset: usize) -> &Token {
        &self.tokens[(self.at + offset).min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].1)
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.peek(), Token::Mark(found) if *found == mark)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Identifier(found) if found == word)
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn problem(&self, message: impl Into<String>, label: impl Into<String>) -> Box<Problem> {
        Problem::new(self.span(), message, label)
    }

    fn need(&mut self, mark: &str) -> Checked<()> {
        if self.take(mark) {
            return Ok(());
        }
        if self.is("[") {
            return Err(self.refused("arrays"));
        }
        Err(self.problem(format!("`{mark}` is needed"), "not expected here"))
    }

    fn refused(&self, what: &str) -> Box<Problem> {
        self.problem(format!("{what} are not supported"), "used here").help("integers of C are supported")
    }

    fn name(&mut self) -> Checked<String> {
        match self.peek().clone() {
            Token::Identifier(name) => {
                self.at += 1;
                Ok(name)
            }
            Token::Mark("*") => Err(self.refused("pointers")),
            _ => Err(self.problem("a name is needed", "not expected here")),
        }
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Checked<T>) -> Checked<T> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.problem(format!("the program is nested more than {DEPTH_MAX} times"), "this deep"));
        }
        let result = inner(self)?;
        self.depth -= 1;
        Ok(result)
    }

    /// `__attribute__((…))` says nothing about values.
    fn skip_attributes(&mut self) -> Checked<()> {
        while self.take_word("__attribute__") || self.take_word("__asm__") || self.take_word("asm") {
            self.need("(")?;
            let mut open = 1;
            while open > 0 {
                match self.peek() {
                    Token::Mark("(") => open += 1,
                    Token::Mark(")") => open -= 1,
                    Token::End => return Err(self.problem("an attribute is not closed", "the text ends")),
                    _ => {}
                }
                self.at += 1;
            }
        }
        Ok(())
    }

    fn begins_type(&self, token: &Token) -> bool {
        match token {
            Token::Identifier(name) => {
                matches!(
                    name.as_str(),
                    "int"
                        | "unsigned"
                        | "signed"
                        | "long"
                        | "short"
                        | "char"
                        | "_Bool"
                        | "bool"
                        | "void"
                        | "const"
                        | "static"
                        | "extern"
                        | "inline"
                        | "__inline"
                        | "__inline__"
                        | "register"
                        | "auto"
                        | "typedef"
                        | "volatile"
                        | "struct"
                        | "union"
                        | "enum"
                        | "float"
                        | "double"
                        | "__extension__"
                        | "_Noreturn"
                        | "restrict"
                        | "size_t"
                        | "_Atomic"
                        | "__int128"
                        | "__signed__"
                        | "__const"
                        | "__volatile__"
                ) || self.typedefs.contains_key(name)
            }
            _ => false,
        }
    }

    fn specifiers(&mut self) -> Checked<Specifiers> {
        let mut result = Specifiers { of: None, is_extern: false, is_typedef: false, is_static: false };
        let (mut signed, mut unsigned, mut longs, mut base) = (false, false, 0, None);
        loop {
            self.skip_attributes()?;
            let Token::Identifier(word) = self.peek().clone() else { break };
            match word.as_str() {
                "int" => base = base.or(Some(Type::INT)),
                "char" => base = Some(Type::CHAR),
                "short" => base = Some(Type { is_signed: true, bits: 16 }),
                "_Bool" | "bool" => base = Some(Type::BOOLEAN),
                "size_t" => base = Some(Type::LONG.unsigned()),
                "long" => longs += 1,
                "signed" | "__signed__" => signed = true,
                "unsigned" => unsigned = true,
                "void" => {
                    self.at += 1;
                    continue;
                }
                "const" | "__const" | "inline" | "__inline" | "__inline__" | "register" | "auto" | "__extension__"
                | "_Noreturn" => {}
                "static" => result.is_static = true,
                "extern" => result.is_extern = true,
                "typedef" => result.is_typedef = true,
                "float" | "double" => return Err(self.refused("floating-point numbers")),
                "struct" | "union" => return Err(self.refused("structures and unions")),
                "volatile" | "__volatile__" | "_Atomic" => return Err(self.refused("volatile and atomic variables")),
                "__int128" => return Err(self.refused("integers of 128 bits")),
                "restrict" => return Err(self.refused("pointers")),
                "enum" => {
                    self.at += 1;
                    self.enumeration()?;
                    base = Some(Type::INT);
                    continue;
                }
                name => match self.typedefs.get(name) {
                    Some(&of) if base.is_none() && longs == 0 && !signed && !unsigned => base = Some(of),
                    _ => break,
                },
            }
            self.at += 1;
        }
        if longs > 0 {
            base = Some(Type::LONG);
        }
        if base.is_none() && (signed || unsigned) {
            base = Some(Type::INT);
        }
        result.of = if unsigned { base.map(Type::unsigned) } else { base };
        Ok(result)
    }

    /// `enum name { A, B = 3 }`: constants of type `int`.
    fn enumeration(&mut self) -> Checked<()> {
        if matches!(self.peek(), Token::Identifier(_)) {
            self.at += 1;
        }
        if !self.take("{") {
            return Ok(());
        }
        let mut previous: Option<Expression> = None;
        while !self.take("}") {
            let span = self.span();
            let name = self.name()?;
            let value = if self.take("=") {
                self.assignment()?
            } else {
                let number = |value| {
                    let literal = super::lexer::Literal { value, is_unsigned: false, is_long: false, is_decimal: true };
                    Expression { kind: ExpressionKind::Number(literal), span }
                };
                match previous {
                    None => number(0),
                    Some(before) => {
                        let kind = ExpressionKind::Binary("+", Box::new(before), Box::new(number(1)));
                        Expression { kind, span }
                    }
                }
            };
            previous = Some(Expression { kind: ExpressionKind::Name(name.clone()), span });
            self.program.constants.push((name, value));
            if !self.take(",") && !self.is("}") {
                return Err(self.problem("`,` or `}` is needed", "not expected here"));
            }
        }
        Ok(())
    }

    fn external_declaration(&mut self) -> Checked<()> {
        if self.take(";") {
            return Ok(());
        }
        let start = self.span();
        if !self.begins_type(self.peek()) && !self.is_word("__attribute__") {
            // Old programs declare `main()` without a type.
            let old = matches!(self.peek(), Token::Identifier(_)) && *self.peek_behind(1) == Token::Mark("(");
            if !old {
                return Err(self.problem("a declaration is needed", "not expected here"));
            }
        }
        let specifiers = self.specifiers()?;
        if self.take(";") {
            return Ok(());
        }
        loop {
            // `extern char *f(char *)` is harmless as long as nobody calls it.
            let pointer = self.is("*");
            let pointer_problem = self.refused("pointers");
            while self.take("*") || self.take_word("const") {}
            let span = self.span();
            let name = self.name()?;
            if self.take("(") {
                let parameters = self.parameters()?;
                self.skip_attributes()?;
                if self.is("{") {
                    if pointer {
                        return Err(pointer_problem);
                    }
                    // What `main` is given nobody needs; a program that uses it is told that the name is unknown.
                    let parameters = if name == "main" { parameters.unwrap_or_default() } else { parameters? };
                    let result = specifiers.of;
                    let body = self.block()?;
                    let span = self.since(start);
                    self.program.functions.push(Function { name, result, parameters, body, span });
                    return Ok(());
                }
                self.program.externals.push((name, specifiers.of));
            } else if pointer {
                return Err(pointer_problem);
            } else {
                self.declarator(&specifiers, name, span, true)?;
            }
            if self.take(";") {
                return Ok(());
            }
            self.need(",")?;
        }
    }

    /// The parameters of a function; a problem with them counts only where the function has a body.
    fn parameters(&mut self) -> Checked<Checked<Vec<(String, Type)>>> {
        let begin = self.at;
        let parsed = self.parameter_list();
        if parsed.is_err() {
            self.at = begin;
            let mut open = 1;
            while open > 0 {
                match self.peek() {
                    Token::Mark("(") => open += 1,
                    Token::Mark(")") => open -= 1,
                    Token::End => return Err(self.problem("`)` is needed", "the text ends")),
                    _ => {}
                }
                self.at += 1;
            }
        }
        Ok(parsed)
    }

    fn parameter_list(&mut self) -> Checked<Vec<(String, Type)>> {
        let mut parameters = Vec::new();
        if self.take(")") {
            return Ok(parameters);
        }
        loop {
            if !self.begins_type(self.peek()) {
                return Err(self.problem("a parameter with its type is needed", "not expected here"));
            }
            let specifiers = self.specifiers()?;
            match specifiers.of {
                None if parameters.is_empty() && self.take(")") => return Ok(parameters),
                None => return Err(self.refused("pointers")),
                Some(of) => {
                    if self.is("*") || self.is("(") {
                        return Err(self.refused("pointers"));
                    }
                    let name = if let Token::Identifier(_) = self.peek() { self.name()? } else { String::new() };
                    if self.is("[") {
                        return Err(self.refused("arrays"));
                    }
                    parameters.push((name, of));
                }
            }
            if self.take(")") {
                return Ok(parameters);
            }
            self.need(",")?;
        }
    }

    /// What stands behind the name of a variable.
    fn declarator(
        &mut self,
        specifiers: &Specifiers,
        name: String,
        span: Span,
        global: bool,
    ) -> Checked<Option<Declaration>> {
        self.skip_attributes()?;
        if self.is("[") {
            return Err(self.refused("arrays"));
        }
        if self.is("(") {
            // A function that is declared within another.
            self.at += 1;
            drop(self.parameters()?);
            self.program.externals.push((name, specifiers.of));
            return Ok(None);
        }
        let Some(of) = specifiers.of else {
            return Err(Problem::new(span, format!("`{name}` has no type of integers"), "declared here"));
        };
        if specifiers.is_typedef {
            self.typedefs.insert(name, of);
            return Ok(None);
        }
        if specifiers.is_static && !global {
            return Err(Problem::new(
                span,
                format!("the static variable `{name}` within a function is not supported"),
                "declared here",
            )
            .help("make it a global variable"));
        }
        let value = if self.take("=") {
            if self.is("{") {
                return Err(self.refused("initialisers in braces"));
            }
            Some(self.assignment()?)
        } else {
            None
        };
        let declaration = Declaration { name, of, value, span: self.since(span) };
        if global {
            // A variable that is only declared and defined elsewhere may have any value.
            if specifiers.is_extern && declaration.value.is_none() {
                let message = format!("the external variable `{}` is not supported", declaration.name);
                return Err(Problem::new(span, message, "defined elsewhere"));
            }
            self.program.globals.push(declaration);
            return Ok(None);
        }
        Ok(Some(declaration))
    }

    fn block(&mut self) -> Checked<Statement> {
        let start = self.span();
        self.need("{")?;
        let mut statements = Vec::new();
        while !self.take("}") {
            if *self.peek() == Token::End {
                return Err(Problem::new(start, "a block is not closed", "begins here").help("close it with `}`"));
            }
            statements.push(self.statement()?);
        }
        Ok(Statement { kind: StatementKind::Block(statements), span: self.since(start) })
    }

    fn statement(&mut self) -> Checked<Statement> {
        self.deeper(|parser| {
            let start = parser.span();
            let kind = parser.statement_kind()?;
            Ok(Statement { kind, span: parser.since(start) })
        })
    }

    fn statement_kind(&mut self) -> Checked<StatementKind> {
        if self.is("{") {
            return Ok(self.block()?.kind);
        }
        if self.take(";") {
            return Ok(StatementKind::Empty);
        }
        let Token::Identifier(word) = self.peek().clone() else { return self.expression_statement() };
        if *self.peek_behind(1) == Token::Mark(":") && !matches!(word.as_str(), "default" | "case") {
            self.at += 2;
            self.skip_attributes()?;
            return Ok(StatementKind::Label(word, Box::new(self.labelled()?)));
        }
        match word.as_str() {
            "if" => {
                self.at += 1;
                let condition = self.parenthesised()?;
                let then = Box::new(self.statement()?);
                let otherwise = if self.take_word("else") { Some(Box::new(self.statement()?)) } else { None };
                Ok(StatementKind::If(condition, then, otherwise))
            }
            "while" => {
                self.at += 1;
                let condition = self.parenthesised()?;
                Ok(StatementKind::While(condition, Box::new(self.statement()?)))
            }
            "do" => {
                self.at += 1;
                let body = Box::new(self.statement()?);
                if !self.take_word("while") {
                    return Err(self.problem("`while` is needed behind the body of `do`", "not expected here"));
                }
                let condition = self.parenthesised()?;
                self.need(";")?;
                Ok(StatementKind::DoWhile(body, condition))
            }
            "for" => self.for_loop(),
            "switch" => {
                self.at += 1;
                let value = self.parenthesised()?;
                Ok(StatementKind::Switch(value, Box::new(self.statement()?)))
            }
            "case" => {
                self.at += 1;
                let value = self.conditional()?;
                if self.is("...") {
                    return Err(self.refused("ranges of cases"));
                }
                self.need(":")?;
                Ok(StatementKind::Case(value, Box::new(self.labelled()?)))
            }
            "default" => {
                self.at += 1;
                self.need(":")?;
                Ok(StatementKind::Default(Box::new(self.labelled()?)))
            }
            "goto" => {
                self.at += 1;
                if self.is("*") {
                    return Err(self.refused("computed gotos"));
                }
                let label = self.name()?;
                self.need(";")?;
                Ok(StatementKind::Goto(label))
            }
            "break" | "continue" => {
                self.at += 1;
                self.need(";")?;
                Ok(if word == "break" { StatementKind::Break } else { StatementKind::Continue })
            }
            "return" => {
                self.at += 1;
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.need(";")?;
                Ok(StatementKind::Return(value))
            }
            "asm" | "__asm__" => Err(self.refused("assembly statements")),
            _ if self.begins_type(self.peek()) => self.declarations(),
            _ => self.expression_statement(),
        }
    }

    /// What a label stands before: nothing, at the end of a block.
    fn labelled(&mut self) -> Checked<Statement> {
        if self.is("}") {
            return Ok(Statement { kind: StatementKind::Empty, span: self.span() });
        }
        self.statement()
    }

    fn for_loop(&mut self) -> Checked<StatementKind> {
        self.at += 1;
        self.need("(")?;
        let start_span = self.span();
        let start = if self.take(";") {
            StatementKind::Empty
        } else if self.begins_type(self.peek()) {
            self.declarations()?
        } else {
            self.expression_statement()?
        };
        let start = Box::new(Statement { kind: start, span: self.since(start_span) });
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.need(";")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.need(")")?;
        Ok(StatementKind::For { start, condition, step, body: Box::new(self.statement()?) })
    }

    fn declarations(&mut self) -> Checked<StatementKind> {
        let specifiers = self.specifiers()?;
        let mut declarations = Vec::new();
        if self.take(";") {
            return Ok(StatementKind::Empty);
        }
        loop {
            let span = self.span();
            let name = self.name()?;
            declarations.extend(self.declarator(&specifiers, name, span, false)?);
            if self.take(";") {
                return Ok(StatementKind::Declarations(declarations));
            }
            self.need(",")?;
        }
    }

    fn expression_statement(&mut self) -> Checked<StatementKind> {
        let expression = self.expression()?;
        self.need(";")?;
        Ok(StatementKind::Expression(expression))
    }

    fn parenthesised(&mut self) -> Checked<Expression> {
        self.need("(")?;
        let expression = self.expression()?;
        self.need(")")?;
        Ok(expression)
    }

    fn expression(&mut self) -> Checked<Expression> {
        let mut left = self.assignment()?;
        while self.take(",") {
            let right = self.assignment()?;
            let span = left.span.to(right.span);
            left = Expression { kind: ExpressionKind::Binary(",", Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn assignment(&mut self) -> Checked<Expression> {
        self.deeper(|parser| {
            let target = parser.conditional()?;
            let Token::Mark(mark) = *parser.peek() else { return Ok(target) };
            let operator = match mark {
                "=" => None,
                "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" => LEVELS
                    .iter()
                    .flat_map(|level| level.iter())
                    .find(|operator| **operator == &mark[..mark.len() - 1])
                    .copied(),
                _ => return Ok(target),
            };
            parser.at += 1;
            let value = parser.assignment()?;
            let span = target.span.to(value.span);
            Ok(Expression { kind: ExpressionKind::Assign(operator, Box::new(target), Box::new(value)), span })
        })
    }

    fn conditional(&mut self) -> Checked<Expression> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        self.deeper(|parser| {
            let one = parser.expression()?;
            parser.need(":")?;
            let other = parser.conditional()?;
            let span = condition.span.to(other.span);
            Ok(Expression { kind: ExpressionKind::Choice(Box::new(condition), Box::new(one), Box::new(other)), span })
        })
    }

    fn binary(&mut self, level: usize) -> Checked<Expression> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Token::Mark(mark) = *self.peek()
            && operators.contains(&mark)
        {
            self.at += 1;
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            left = Expression { kind: ExpressionKind::Binary(mark, Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Checked<Expression> {
        self.deeper(|parser| {
            let start = parser.span();
            let kind = match *parser.peek() {
                Token::Mark(mark @ ("-" | "+" | "!" | "~")) => {
                    parser.at += 1;
                    ExpressionKind::Unary(mark, Box::new(parser.unary()?))
                }
                Token::Mark(mark @ ("++" | "--")) => {
                    parser.at += 1;
                    let by = if mark == "++" { 1 } else { -1 };
                    ExpressionKind::Step { target: Box::new(parser.unary()?), by, old: false }
                }
                Token::Mark("*" | "&") => return Err(parser.refused("pointers")),
                Token::Mark("(") if parser.begins_type(parser.peek_behind(1)) => {
                    parser.at += 1;
                    let of = parser.type_name()?;
                    parser.need(")")?;
                    ExpressionKind::Cast(of, Box::new(parser.unary()?))
                }
                _ if parser.is_word("sizeof") => {
                    parser.at += 1;
                    if !parser.is("(") || !parser.begins_type(parser.peek_behind(1)) {
                        return Err(parser.problem("`sizeof` needs a type in parentheses", "not expected here"));
                    }
                    parser.at += 1;
                    let of = parser.type_name()?;
                    parser.need(")")?;
                    ExpressionKind::SizeOf(of.unwrap_or(Type::CHAR))
                }
                _ => return parser.postfix(),
            };
            Ok(Expression { kind, span: parser.since(start) })
        })
    }

    fn type_name(&mut self) -> Checked<Option<Type>> {
        let specifiers = self.specifiers()?;
        if self.is("*") {
            return Err(self.refused("pointers"));
        }
        Ok(specifiers.of)
    }

    fn postfix(&mut self) -> Checked<Expression> {
        let start = self.span();
        let mut expression = self.primary()?;
        loop {
            let kind = match *self.peek() {
                Token::Mark(mark @ ("++" | "--")) => {
                    self.at += 1;
                    let by = if mark == "++" { 1 } else { -1 };
                    ExpressionKind::Step { target: Box::new(expression), by, old: true }
                }
                Token::Mark("[") => return Err(self.refused("arrays")),
                Token::Mark("." | "->") => return Err(self.refused("structures and unions")),
                Token::Mark("(") => {
                    let ExpressionKind::Name(name) = expression.kind else {
                        return Err(self.refused("calls through pointers"));
                    };
                    self.at += 1;
                    let mut arguments = Vec::new();
                    if !self.take(")") {
                        loop {
                            arguments.push(self.assignment()?);
                            if self.take(")") {
                                break;
                            }
                            self.need(",")?;
                        }
                    }
                    ExpressionKind::Call(name, arguments)
                }
                _ => return Ok(expression),
            };
            expression = Expression { kind, span: self.since(start) };
        }
    }

    fn primary(&mut self) -> Checked<Expression> {
        let span = self.span();
        let kind = match self.peek().clone() {
            Token::Number(literal) => ExpressionKind::Number(literal),
            Token::Text => {
                while *self.peek_behind(1) == Token::Text {
                    self.at += 1;
                }
                ExpressionKind::Text
            }
            Token::Identifier(name) => ExpressionKind::Name(name),
            Token::Mark("(") => {
                self.at += 1;
                if self.is("{") {
                    return Err(self.refused("statements in expressions"));
                }
                let mut inner = self.deeper(Self::expression)?;
                self.need(")")?;
                inner.span = self.since(span);
                return Ok(inner);
            }
            _ => return Err(self.problem("an expression is needed", "not expected here")),
        };
        self.at += 1;
        Ok(Expression { kind, span })
    }
}
