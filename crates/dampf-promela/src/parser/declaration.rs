//! Declarations: variables, fields, parameters, message types.

use super::Parser;
use crate::ast::{Declaration, Expr, Initial, MtypeDeclaration, Name, Type, Visibility};
use crate::lexer::Token;
use crate::problem::{Checked, Problem};
use dampf_core::Span;

const CHANNEL_HELP: &str = "a channel is `[2] of { byte, bool }`";

impl Parser {
    pub(super) fn is_at_declaration(&self) -> bool {
        match self.current() {
            Token::Hidden | Token::Show | Token::Local => true,
            Token::Bit | Token::Bool | Token::Byte | Token::Short | Token::Int | Token::Pid => true,
            Token::Unsigned | Token::Mtype | Token::Chan => true,
            Token::Identifier => self.records.contains(&self.lexeme().text),
            _ => false,
        }
    }

    /// Whether `mtype = { … }` stands here.
    pub(super) fn is_at_mtype_names(&self) -> bool {
        self.current() == Token::Mtype
            && match self.following() {
                Token::Assign | Token::BraceOpen => true,
                Token::Colon => matches!(self.lookahead(3), Token::Assign | Token::BraceOpen),
                _ => false,
            }
    }

    /// `mtype = { a, b }`, `mtype:kind = { a b }`: the commas are optional.
    pub(super) fn mtype_names(&mut self) -> Checked<MtypeDeclaration> {
        self.advance();
        let kind = if self.accept(Token::Colon) { Some(self.name("the kind of an mtype")?) } else { None };
        self.accept(Token::Assign);
        self.expect(Token::BraceOpen, "before the names of an mtype")?;
        let mut names = vec![self.name("a name of the mtype")?];
        while self.current() != Token::BraceClose {
            if !self.accept(Token::Comma) {
                names.push(self.name("a name of the mtype, or `}`")?);
            }
        }
        self.advance();
        Ok(MtypeDeclaration { kind, names })
    }

    /// `hidden byte a, b[2] = 1`, without the separator behind it.
    pub(super) fn declarations(&mut self) -> Checked<Vec<Declaration>> {
        let visibility = match self.current() {
            Token::Hidden => Visibility::Hidden,
            Token::Show => Visibility::Show,
            Token::Local => Visibility::Local,
            _ => Visibility::Plain,
        };
        if visibility != Visibility::Plain {
            self.advance();
        }
        let is_unsigned = self.current() == Token::Unsigned;
        let ty = if is_unsigned {
            self.advance();
            None
        } else {
            Some(self.type_name()?)
        };
        let mut out = Vec::new();
        loop {
            out.push(self.declarator(visibility, ty.as_ref())?);
            if !self.accept(Token::Comma) {
                return Ok(out);
            }
        }
    }

    /// A type other than `unsigned`, which is written around the name.
    fn type_name(&mut self) -> Checked<Type> {
        let ty = match self.current() {
            Token::Bit => Type::Bit,
            Token::Bool => Type::Bool,
            Token::Byte => Type::Byte,
            Token::Short => Type::Short,
            Token::Int => Type::Int,
            Token::Pid => Type::Pid,
            Token::Chan => Type::Chan,
            Token::Mtype => {
                self.advance();
                let kind = if self.accept(Token::Colon) { Some(self.name("the kind of an mtype")?) } else { None };
                return Ok(Type::Mtype(kind));
            }
            Token::Identifier => return self.record_name(),
            _ => return Err(self.expected("a type")),
        };
        self.advance();
        Ok(ty)
    }

    fn record_name(&mut self) -> Checked<Type> {
        if self.records.contains(&self.lexeme().text) {
            return Ok(Type::Record(self.name("a type")?));
        }
        let name = self.name("a type")?;
        let problem = Problem::new(name.span, format!("there is no type `{}`", name.text), "not a type");
        let types = ["bit", "bool", "byte", "short", "int", "pid", "unsigned", "mtype", "chan", "run", "goto"];
        let known = types.into_iter().chain(self.records.iter().map(|name| &**name));
        let suggested = problem.suggest(&name.text, known);
        let help = "a record must be declared with `typedef` before it is used";
        Err(if suggested.help.is_none() { suggested.help(help) } else { suggested })
    }

    /// `x`, `x : 3`, `x[n]`, with an initial value.
    fn declarator(&mut self, visibility: Visibility, ty: Option<&Type>) -> Checked<Declaration> {
        let start = self.at;
        let name = self.declared_name()?;
        let ty = self.width(&name, ty)?;
        let mut array = None;
        if self.current() == Token::Always {
            return Err(self.expected("`[` and the size of an array"));
        }
        if self.accept(Token::BracketOpen) {
            array = Some(self.expression()?);
            self.expect(Token::BracketClose, "after the size of an array")?;
        }
        let initial = if self.accept(Token::Assign) { Some(self.initial()?) } else { None };
        let span = self.since(start);
        Ok(Declaration { visibility, ty, name, array, initial, span })
    }

    fn declared_name(&mut self) -> Checked<Name> {
        // A type here is the second one: `byte a, byte b`.
        let is_type = self.current() != Token::Identifier && self.is_at_declaration();
        self.name("the name of a variable").map_err(|problem| match is_type {
            true => problem.help("to begin another declaration, write `;` and not `,`"),
            false => problem,
        })
    }

    fn width(&mut self, name: &Name, ty: Option<&Type>) -> Checked<Type> {
        let colon = self.place();
        match (ty, self.accept(Token::Colon)) {
            (None, true) => Ok(Type::Unsigned(self.operand()?)),
            (Some(ty), false) => Ok(ty.clone()),
            (None, false) => {
                let message = format!("the unsigned `{}` has no width", name.text);
                let help = format!("give it a number of bits: `unsigned {} : 3`", name.text);
                Err(Problem::new(name.span, message, "how many bits?").help(help))
            }
            (Some(_), true) => {
                let message = format!("`{}` cannot have a width", name.text);
                Err(Problem::new(colon, message, "not expected here").help("only an `unsigned` has a number of bits"))
            }
        }
    }

    fn initial(&mut self) -> Checked<Initial> {
        match self.current() {
            Token::BraceOpen => {
                self.advance();
                let mut values: Vec<Expr> = vec![self.expression()?];
                while self.accept(Token::Comma) {
                    values.push(self.expression()?);
                }
                self.expect(Token::BraceClose, "after the values of an array")?;
                Ok(Initial::List(values))
            }
            Token::BracketOpen => self.channel(),
            _ => {
                let value = self.expression()?;
                match self.current() {
                    Token::Of => Err(self.expected("the end of the declaration").help(CHANNEL_HELP)),
                    _ => Ok(Initial::Value(value)),
                }
            }
        }
    }

    /// `[2] of { byte, mtype }`
    fn channel(&mut self) -> Checked<Initial> {
        let start = self.at;
        self.advance();
        let capacity = self.expression()?;
        self.expect(Token::BracketClose, "after the capacity of a channel")?;
        self.expect(Token::Of, "after the capacity of a channel")
            .map_err(|problem| if problem.help.is_none() { problem.help(CHANNEL_HELP) } else { problem })?;
        self.expect(Token::BraceOpen, "before the types of a message")?;
        let mut fields = vec![self.field_type()?];
        while self.accept(Token::Comma) {
            fields.push(self.field_type()?);
        }
        self.expect(Token::BraceClose, "after the types of a message")?;
        Ok(Initial::Channel { capacity, fields, span: self.since(start) })
    }

    fn field_type(&mut self) -> Checked<(Type, Span)> {
        let start = self.at;
        if self.current() == Token::Unsigned {
            let problem = Problem::new(self.place(), "`unsigned` cannot be a part of a message", "not expected here");
            return Err(problem.help("take `byte`, `short` or `int`"));
        }
        let ty = self.type_name()?;
        Ok((ty, self.since(start)))
    }
}
