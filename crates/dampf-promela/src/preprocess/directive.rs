//! Directives: the lines that begin with `#`.

use super::expand::{Macro, REST};
use super::{Conditional, Preprocessor, condition};
use crate::lexer::{Lexeme, Token, lex};
use crate::problem::{Checked, Problem};
use dampf_core::Span;
use std::rc::Rc;

const DIRECTIVES: &[&str] = &[
    "define", "elif", "else", "endif", "error", "ident", "if", "ifdef", "ifndef", "include", "line", "pragma", "undef",
    "warning",
];

impl Preprocessor<'_> {
    /// Obeys one directive; `line` is what follows the `#`.
    pub(super) fn directive(&mut self, hash: &Lexeme, line: &[Lexeme]) {
        let Some((name, rest)) = line.split_first() else { return };
        let span = hash.span.to(name.span);
        let outcome = match &*name.text {
            "if" | "ifdef" | "ifndef" => self.begin_conditional(name, rest, span),
            "elif" => self.elif(rest, span),
            "else" => self.otherwise(span),
            "endif" => self.endif(span),
            _ if !self.is_active() => Ok(()),
            "define" => self.define(rest, span),
            "undef" => macro_name(rest, span).map(|name| drop(self.macros.remove(&name.text))),
            "include" => self.include_directive(rest, span),
            "error" => Err(Problem::new(span, format!("#error {}", words(rest)), "this text is not meant to be read")),
            "line" | "pragma" | "ident" | "warning" => Ok(()),
            // `# 12 "file"` is how a preprocessor before this one marks places.
            _ if matches!(name.token, Token::Number(_)) => Ok(()),
            other => {
                let problem = Problem::new(span, format!("unknown directive `#{other}`"), "not a directive");
                Err(problem.suggest(other, DIRECTIVES.iter().copied()))
            }
        };
        if let Err(problem) = outcome {
            self.problems.push(*problem);
        }
    }

    fn begin_conditional(&mut self, name: &Lexeme, rest: &[Lexeme], span: Span) -> Checked<()> {
        let is_reachable = self.is_active();
        let outcome = match &*name.text {
            _ if !is_reachable => Ok(false),
            "if" => self.condition(rest, span),
            _ => macro_name(rest, span)
                .map(|macro_name| self.macros.contains_key(&macro_name.text) == (&*name.text == "ifdef")),
        };
        // A condition with a problem counts as true, so that its text is looked at too.
        let is_active = is_reachable && *outcome.as_ref().unwrap_or(&true);
        let is_decided = is_active;
        self.conditionals.push(Conditional { span, is_reachable, is_active, is_decided, has_else: false });
        outcome.map(drop)
    }

    /// The conditional that a directive continues; it must have begun in the same file.
    fn innermost(&mut self, span: Span, directive: &str) -> Checked<&mut Conditional> {
        let outer = self.open.last().map_or(0, |open| open.conditionals);
        if self.conditionals.len() <= outer {
            return Err(Problem::new(span, format!("`#{directive}` without `#if`"), "continues nothing"));
        }
        match self.conditionals.last_mut() {
            Some(conditional) if conditional.has_else && directive != "endif" => {
                Err(Problem::new(span, format!("`#{directive}` after `#else`"), "only `#endif` can come here"))
            }
            Some(conditional) => Ok(conditional),
            None => Err(Problem::new(span, format!("`#{directive}` without `#if`"), "continues nothing")),
        }
    }

    fn elif(&mut self, rest: &[Lexeme], span: Span) -> Checked<()> {
        let conditional = self.innermost(span, "elif")?;
        conditional.is_active = false;
        if conditional.is_reachable && !conditional.is_decided {
            let outcome = self.condition(rest, span);
            let is_active = *outcome.as_ref().unwrap_or(&true);
            let conditional = self.innermost(span, "elif")?;
            conditional.is_active = is_active;
            conditional.is_decided = is_active;
            outcome?;
        }
        Ok(())
    }

    fn otherwise(&mut self, span: Span) -> Checked<()> {
        let conditional = self.innermost(span, "else")?;
        conditional.is_active = conditional.is_reachable && !conditional.is_decided;
        conditional.has_else = true;
        Ok(())
    }

    fn endif(&mut self, span: Span) -> Checked<()> {
        self.innermost(span, "endif")?;
        self.conditionals.pop();
        Ok(())
    }

    fn condition(&mut self, line: &[Lexeme], span: Span) -> Checked<bool> {
        let line = self.resolve_defined(line)?;
        // The line is expanded on its own: what follows it in the file is out of reach.
        let contexts = std::mem::take(&mut self.contexts);
        let put_back = self.put_back.take();
        let expanded = self.expand_argument(line, span);
        self.contexts = contexts;
        self.put_back = put_back;
        Ok(condition::evaluate(&expanded, span)? != 0)
    }

    /// Replaces `defined X` and `defined(X)`, before macros are.
    fn resolve_defined(&self, line: &[Lexeme]) -> Checked<Vec<Lexeme>> {
        let mut out = Vec::new();
        let mut rest = line;
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            if &*first.text != "defined" {
                out.push(first.clone());
                continue;
            }
            let is_enclosed = rest.first().is_some_and(|lexeme| lexeme.token == Token::ParenthesisOpen);
            rest = &rest[usize::from(is_enclosed)..];
            let name = macro_name(rest, first.span)?;
            rest = &rest[1..];
            if is_enclosed {
                match rest.split_first() {
                    Some((close, after)) if close.token == Token::ParenthesisClose => rest = after,
                    _ => return Err(Problem::new(name.span, "expected `)` after `defined(` and a name", "not closed")),
                }
            }
            let value = i32::from(self.macros.contains_key(&name.text));
            out.push(Lexeme::new(Token::Number(value), value.to_string().into(), name.span));
        }
        Ok(out)
    }

    fn define(&mut self, line: &[Lexeme], span: Span) -> Checked<()> {
        let name = macro_name(line, span)?;
        let mut body = &line[1..];
        let mut definition = Macro { parameters: None, takes_rest: false, body: Vec::new() };
        if body.first().is_some_and(|lexeme| lexeme.token == Token::ParenthesisOpen && !lexeme.after_blank) {
            body = parameters(name, &body[1..], &mut definition)?;
        }
        definition.body = body.to_vec();
        for lexeme in &mut definition.body {
            lexeme.after_newline = false;
        }
        self.macros.insert(Rc::clone(&name.text), Rc::new(definition));
        Ok(())
    }

    /// `-Dname=text`.
    pub(super) fn define_from_outside(&mut self, name: &str, text: &str) {
        let span = Span::new(0, 0);
        let whole = format!("{name} {text}");
        let mut lexemes = lex(&whole, 0, &mut Vec::new());
        for lexeme in &mut lexemes {
            (lexeme.span, lexeme.place) = (span, span);
        }
        let is_name = lexemes.first().is_some_and(|lexeme| lexeme.is_word() && *lexeme.text == *name);
        if !is_name || self.define(&lexemes, span).is_err() {
            let message = format!("`{name}` is defined from outside, but it is not a name");
            self.problems.push(*Problem::new(span, message, "before this text"));
        }
    }

    fn include_directive(&mut self, rest: &[Lexeme], span: Span) -> Checked<()> {
        let name = match rest {
            [name] if name.token == Token::Text => name.text.trim_matches('"').to_owned(),
            [open, inner @ .., close] if open.token == Token::Less && close.token == Token::Greater => {
                inner.iter().map(|lexeme| &*lexeme.text).collect()
            }
            _ => {
                let problem = Problem::new(span, "expected the name of a file after `#include`", "includes nothing");
                return Err(problem.help("write it in quotes: `#include \"types.h\"`"));
            }
        };
        self.include(&name, rest[0].span.to(rest[rest.len() - 1].span));
        Ok(())
    }
}

/// The name that a directive is about.
fn macro_name(line: &[Lexeme], span: Span) -> Checked<&Lexeme> {
    match line.first() {
        Some(name) if name.is_word() => Ok(name),
        Some(other) => {
            Err(Problem::new(other.span, format!("expected the name of a macro, found `{}`", other.text), "not a name"))
        }
        None => Err(Problem::new(span, "expected the name of a macro, found the end of the line", "names nothing")),
    }
}

/// Reads `a, b)` of a definition and gives what is behind it.
fn parameters<'l>(name: &Lexeme, line: &'l [Lexeme], definition: &mut Macro) -> Checked<&'l [Lexeme]> {
    let mut names: Vec<Rc<str>> = Vec::new();
    let mut rest = line;
    if rest.first().is_some_and(|first| first.token == Token::ParenthesisClose) {
        definition.parameters = Some(names);
        return Ok(&rest[1..]);
    }
    loop {
        match rest {
            [parameter, after @ ..] if parameter.is_word() => {
                if names.contains(&parameter.text) {
                    let message = format!("the macro `{}` has two parameters `{}`", name.text, parameter.text);
                    return Err(Problem::new(parameter.span, message, "here again"));
                }
                names.push(Rc::clone(&parameter.text));
                rest = after;
            }
            [dots, dot, after @ ..] if dots.token == Token::Range && dot.token == Token::Dot => {
                names.push(REST.into());
                definition.takes_rest = true;
                rest = after;
            }
            _ => return Err(bad_parameter(name, rest, "a parameter")),
        }
        match rest {
            [close, after @ ..] if close.token == Token::ParenthesisClose => {
                definition.parameters = Some(names);
                return Ok(after);
            }
            [comma, after @ ..] if comma.token == Token::Comma && !definition.takes_rest => rest = after,
            _ => return Err(bad_parameter(name, rest, "`,` or `)`")),
        }
    }
}

fn bad_parameter(name: &Lexeme, rest: &[Lexeme], wanted: &str) -> Box<Problem> {
    let (span, found) = match rest.first() {
        Some(found) => (found.span, format!("`{}`", found.text)),
        None => (name.span, "the end of the line".to_owned()),
    };
    let message = format!("expected {wanted} of the macro `{}`, found {found}", name.text);
    let problem = Problem::new(span, message, "not expected here");
    problem.help("a blank after the name makes it a macro without parameters")
}

/// A line as it was written, blanks aside.
fn words(line: &[Lexeme]) -> String {
    let mut text = String::new();
    for (index, lexeme) in line.iter().enumerate() {
        if index > 0 && lexeme.after_blank {
            text.push(' ');
        }
        text.push_str(&lexeme.text);
    }
    text
}
