//! Replacing macros.
//!
//! The rules are those of the C standard: arguments are expanded before they take the place of a parameter, unless
//! `#` or `##` stands there; what came out is scanned again together with what follows; and while a macro's text is
//! being scanned, its own name is left alone, for good. The texts that wait to be scanned are a stack of
//! [`Context`]s.

use super::Preprocessor;
use crate::lexer::{Lexeme, Token, lex};
use crate::problem::Problem;
use dampf_core::Span;
use std::rc::Rc;

/// Lexemes that macros may make in all.
const MADE_MAX: usize = 1_000_000;
/// Macro uses within the arguments of macro uses.
const ARGUMENT_DEPTH_MAX: usize = 100;
/// What the rest of the arguments is called in the text of a macro.
pub(super) const REST: &str = "__VA_ARGS__";

#[derive(Debug)]
pub(super) struct Macro {
    /// None if the macro takes no arguments.
    pub parameters: Option<Vec<Rc<str>>>,
    /// Whether the last parameter takes all further arguments.
    pub takes_rest: bool,
    pub body: Vec<Lexeme>,
}

/// A text that waits to be scanned.
pub(super) struct Context {
    lexemes: Vec<Lexeme>,
    at: usize,
    /// The macro it came from; that name is left alone in it.
    name: Option<Rc<str>>,
    /// The argument of a macro is scanned on its own: what follows it is out of reach.
    is_argument: bool,
}

type Arguments = Vec<Vec<Lexeme>>;

impl Preprocessor<'_> {
    /// The next lexeme with all macros replaced.
    pub(super) fn next(&mut self) -> Option<Lexeme> {
        loop {
            let mut lexeme = self.take()?;
            self.after_newline |= std::mem::take(&mut lexeme.after_newline);
            if lexeme.is_final || !lexeme.is_word() {
                return Some(lexeme);
            }
            let Some(definition) = self.macros.get(&lexeme.text).map(Rc::clone) else { return Some(lexeme) };
            if self.contexts.iter().any(|context| context.name.as_ref() == Some(&lexeme.text)) {
                lexeme.is_final = true;
                return Some(lexeme);
            }
            if !self.enter(&lexeme, &definition) {
                return Some(lexeme);
            }
        }
    }

    fn take(&mut self) -> Option<Lexeme> {
        while let Some(context) = self.contexts.last_mut() {
            if let Some(lexeme) = context.lexemes.get(context.at) {
                context.at += 1;
                return if self.is_over { None } else { Some(lexeme.clone()) };
            }
            if context.is_argument {
                return None;
            }
            self.contexts.pop();
        }
        self.raw()
    }

    /// Undoes the last [`Self::take`].
    fn give_back(&mut self, lexeme: Lexeme) {
        match self.contexts.last_mut() {
            Some(context) => context.at -= 1,
            None => self.put_back = Some(lexeme),
        }
    }

    /// Puts the text of a macro in the place of its name. False if the name stays, because it is no use of the macro,
    /// or a wrong one.
    fn enter(&mut self, name: &Lexeme, definition: &Macro) -> bool {
        let mut place = name.span;
        let mut arguments = Arguments::new();
        if let Some(parameters) = &definition.parameters {
            match self.take() {
                Some(open) if open.token == Token::ParenthesisOpen => self.owes_newline |= open.after_newline,
                Some(other) => {
                    self.give_back(other);
                    return false;
                }
                None => return false,
            }
            let Some((collected, close)) = self.collect(name, definition.takes_rest.then_some(parameters.len())) else {
                return false;
            };
            // A use that begins and ends in different files stands where its name is.
            let file = |span: Span| self.files.partition_point(|file| file.start <= span.start as usize);
            if !name.is_made && !close.is_made && file(name.span) == file(close.span) {
                place = place.to(close.span);
            }
            arguments = collected;
            if !self.check_count(name, place, parameters.len(), &mut arguments, definition.takes_rest) {
                return false;
            }
        }
        let lexemes = self.substitute(definition, arguments, place);
        self.made += lexemes.len() + 1;
        if self.made > MADE_MAX && !self.is_over {
            let message = format!("macros make more than {MADE_MAX} words");
            let problem = Problem::new(place, message, "goes no further than here");
            self.problems.push(*problem);
            self.is_over = true;
        }
        self.contexts.push(Context { lexemes, at: 0, name: Some(Rc::clone(&name.text)), is_argument: false });
        true
    }

    /// The arguments up to the closing parenthesis, and that. At most `count_max` are told apart.
    fn collect(&mut self, name: &Lexeme, count_max: Option<usize>) -> Option<(Arguments, Lexeme)> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0usize;
        let mut after_newline = false;
        loop {
            let Some(mut lexeme) = self.take() else {
                if !self.is_over {
                    let message = format!("the arguments of the macro `{}` are not closed", name.text);
                    let problem = Problem::new(name.span, message, "used here");
                    self.problems.push(*problem.help("close them with `)`"));
                    self.is_over = true;
                }
                return None;
            };
            after_newline |= lexeme.after_newline;
            match lexeme.token {
                Token::ParenthesisOpen => depth += 1,
                Token::ParenthesisClose if depth == 0 => {
                    // A use stands on one line; what follows a use of several lines stands on the next.
                    self.owes_newline |= after_newline;
                    return Some((arguments, lexeme));
                }
                Token::ParenthesisClose => depth -= 1,
                Token::Comma if depth == 0 && count_max.is_none_or(|count| arguments.len() < count) => {
                    arguments.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            lexeme.after_blank |= lexeme.after_newline;
            lexeme.after_newline = false;
            if let Some(argument) = arguments.last_mut() {
                argument.push(lexeme);
            }
        }
    }

    fn check_count(
        &mut self,
        name: &Lexeme,
        place: Span,
        count: usize,
        arguments: &mut Arguments,
        takes_rest: bool,
    ) -> bool {
        if count == 0 && arguments.len() == 1 && arguments[0].is_empty() {
            arguments.clear();
        }
        if takes_rest && arguments.len() + 1 == count {
            arguments.push(Vec::new());
        }
        if arguments.len() == count {
            return true;
        }
        let message = format!("the macro `{}` takes {}, not {}", name.text, plural(count), arguments.len());
        self.problems.push(*Problem::new(place, message, "used here"));
        false
    }

    /// The text of a macro with its arguments in place.
    fn substitute(&mut self, definition: &Macro, arguments: Arguments, place: Span) -> Vec<Lexeme> {
        let mut text = MacroText { definition, expanded: vec![None; arguments.len()], arguments, place };
        let mut out: Vec<Lexeme> = Vec::new();
        let mut at = 0;
        while at < definition.body.len() && self.made + out.len() <= MADE_MAX {
            let pastes = |at: usize| definition.body.get(at).is_some_and(|lexeme| lexeme.token == Token::Paste);
            let (mut part, mut next) = text.verbatim(at);
            if !pastes(next)
                && let Some(index) = text.parameter(at)
            {
                part = self.expanded(&mut text, index);
            }
            while pastes(next) && next + 1 < definition.body.len() {
                let (right, after) = text.verbatim(next + 1);
                next = after;
                self.paste_lists(&mut part, right, place);
            }
            if let Some(first) = part.first_mut() {
                first.after_blank = definition.body[at].after_blank;
            }
            out.append(&mut part);
            at = next;
        }
        out
    }

    /// The argument for a parameter, with its macros replaced.
    fn expanded(&mut self, text: &mut MacroText<'_>, index: usize) -> Vec<Lexeme> {
        if text.expanded[index].is_none() {
            text.expanded[index] = Some(self.expand_argument(text.arguments[index].clone(), text.place));
        }
        text.expanded[index].clone().unwrap_or_default()
    }

    /// All macros of an argument replaced, as if nothing followed it.
    pub(super) fn expand_argument(&mut self, lexemes: Vec<Lexeme>, place: Span) -> Vec<Lexeme> {
        if self.argument_depth == ARGUMENT_DEPTH_MAX {
            if !self.is_over {
                let message = format!("macros are used within more than {ARGUMENT_DEPTH_MAX} arguments of macros");
                self.problems.push(*Problem::new(place, message, "too deep from here on"));
                self.is_over = true;
            }
            return Vec::new();
        }
        let after_newline = self.after_newline;
        self.argument_depth += 1;
        let depth = self.contexts.len();
        self.made += lexemes.len();
        self.contexts.push(Context { lexemes, at: 0, name: None, is_argument: true });
        let mut out = Vec::new();
        while let Some(lexeme) = self.next() {
            out.push(lexeme);
        }
        self.contexts.truncate(depth);
        self.argument_depth -= 1;
        self.after_newline = after_newline;
        out
    }

    /// `a ## b`: the last lexeme of one side and the first of the other become one. A side may be empty.
    fn paste_lists(&mut self, left: &mut Vec<Lexeme>, right: Vec<Lexeme>, place: Span) {
        let mut right = right.into_iter();
        if let Some(last) = left.pop() {
            match right.next() {
                Some(first) => self.paste(last, first, place, left),
                None => left.push(last),
            }
        }
        left.extend(right);
    }

    fn paste(&mut self, left: Lexeme, right: Lexeme, place: Span, out: &mut Vec<Lexeme>) {
        let text = format!("{}{}", left.text, right.text);
        match lex(&text, 0, &mut Vec::new()).as_slice() {
            [one] if *one.text == *text => {
                let (after_blank, is_made) = (left.after_blank, true);
                let word = Lexeme::new(one.token, Rc::clone(&one.text), place);
                out.push(Lexeme { after_blank, is_made, ..word });
            }
            _ => {
                let message = format!("`{}` and `{}` together are not one word", left.text, right.text);
                self.problems.push(*Problem::new(place, message, "pasted by `##` in this macro"));
                out.extend([left, right]);
            }
        }
    }
}

/// The text of a macro while its parameters are replaced.
struct MacroText<'m> {
    definition: &'m Macro,
    arguments: Arguments,
    /// The arguments with their macros replaced, as far as somebody asked.
    expanded: Vec<Option<Vec<Lexeme>>>,
    place: Span,
}

impl MacroText<'_> {
    fn parameter(&self, at: usize) -> Option<usize> {
        let word = &self.definition.body.get(at)?.text;
        self.definition.parameters.as_ref()?.iter().position(|name| name == word)
    }

    /// What stands at a place of the text, its macros not replaced, and where it goes on.
    fn verbatim(&self, at: usize) -> (Vec<Lexeme>, usize) {
        let lexeme = &self.definition.body[at];
        if let Some(index) = self.parameter(at) {
            return (self.arguments[index].clone(), at + 1);
        }
        let made = |lexeme: Lexeme| Lexeme { span: self.place, place: self.place, is_made: true, ..lexeme };
        match self.parameter(at + 1) {
            Some(index) if lexeme.token == Token::Hash => {
                (vec![made(stringized(&self.arguments[index], lexeme))], at + 2)
            }
            _ => (vec![made(lexeme.clone())], at + 1),
        }
    }
}

/// `#parameter`: the argument as a string.
fn stringized(argument: &[Lexeme], hash: &Lexeme) -> Lexeme {
    let mut text = String::from("\"");
    for (index, lexeme) in argument.iter().enumerate() {
        if index > 0 && lexeme.after_blank {
            text.push(' ');
        }
        let is_quoted = lexeme.token == Token::Text || lexeme.text.starts_with('\'');
        for c in lexeme.text.chars() {
            if is_quoted && matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
    }
    text.push('"');
    Lexeme { after_blank: hash.after_blank, ..Lexeme::new(Token::Text, text.into(), hash.span) }
}

fn plural(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}
