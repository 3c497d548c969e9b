//! Prolog clauses as terms: what ARMC's files are written in.
//!
//! Facts are read, with lists, quoted atoms, numbers and the operators of comparisons and arithmetic; a directive
//! (`:- …`) is skipped, and a rule with a body is refused, because these files have none.

use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};

/// Terms may not be nested deeper.
const DEPTH_MAX: usize = 200;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    pub kind: TermKind,
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TermKind {
    Variable(String),
    Number(i128),
    /// A name with its arguments; an operator is a name too, and an atom has no arguments.
    Compound(String, Vec<Term>),
    List(Vec<Term>),
}

impl Term {
    pub fn compound(&self) -> Option<(&str, &[Term])> {
        match &self.kind {
            TermKind::Compound(name, arguments) => Some((name, arguments)),
            _ => None,
        }
    }
}

/// All facts of a text.
pub fn read(text: &str) -> Checked<Vec<Term>> {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let mut facts = Vec::new();
    loop {
        reader.skip_blanks();
        if reader.rest().is_empty() {
            return Ok(facts);
        }
        if reader.take(":-") {
            reader.skip_directive();
            continue;
        }
        let fact = reader.term(1100)?;
        reader.skip_blanks();
        if reader.rest().starts_with(":-") || reader.rest().starts_with("-->") {
            return Err(reader.problem("a rule with a body is not supported", "facts alone are read"));
        }
        if !reader.take(".") {
            return Err(reader.problem("a `.` is needed behind a fact", "not expected here"));
        }
        facts.push(fact);
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

/// Infix operators with their precedence; longer ones stand before their prefixes.
const OPERATORS: &[(&str, usize)] = &[
    ("=:=", 700),
    ("=\\=", 700),
    ("\\==", 700),
    ("\\=", 700),
    ("==", 700),
    ("=<", 700),
    (">=", 700),
    ("<=", 700),
    ("<", 700),
    (">", 700),
    ("=", 700),
    (";", 1100),
    ("+", 500),
    ("-", 500),
    ("//", 400),
    ("*", 400),
    ("/", 400),
];

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn problem(&self, message: impl Into<String>, label: &str) -> Box<Problem> {
        let width = self.rest().chars().next().map_or(0, char::len_utf8);
        Problem::new(Span::new(self.at, self.at + width), message, label)
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = self.rest().starts_with(mark);
        if found {
            self.at += mark.len();
        }
        found
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.find(|c: char| !c.is_whitespace() && c != '\u{feff}').unwrap_or(rest.len());
            self.at += blank;
            let rest = &rest[blank..];
            if rest.starts_with('%') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                self.at += comment.find("*/").map_or(rest.len(), |length| length + 4);
            } else if blank == 0 {
                return;
            }
        }
    }

    /// Up to a point that ends a clause: one with a blank behind it.
    fn skip_directive(&mut self) {
        let rest = self.rest();
        let ends = |&(at, c): &(usize, char)| {
            c == '.' && rest[at + 1..].chars().next().is_none_or(|next| next.is_whitespace() || next == '%')
        };
        self.at += rest.char_indices().find(ends).map_or(rest.len(), |(at, _)| at + 1);
    }

    fn term(&mut self, precedence: usize) -> Checked<Term> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.problem(format!("a term is nested more than {DEPTH_MAX} times"), "this deep"));
        }
        let mut left = self.primary()?;
        loop {
            self.skip_blanks();
            let rest = self.rest();
            let symbolic = OPERATORS.iter().find(|(mark, _)| rest.starts_with(mark)).copied();
            let word = ["mod", "is"].into_iter().find(|word| {
                rest.starts_with(word)
                    && !rest[word.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '('))
            });
            let (operator, level) = match (symbolic, word) {
                (Some(found), _) => found,
                (None, Some("mod")) => ("mod", 400),
                (None, Some(word)) => (word, 700),
                (None, None) => break,
            };
            if level > precedence {
                break;
            }
            self.at += operator.len();
            // Operators group from the left, comparisons not at all.
            let right = self.term(if level == 1100 { level } else { level - 1 })?;
            let span = left.span.to(right.span);
            left = Term { kind: TermKind::Compound(operator.to_owned(), vec![left, right]), span };
        }
        self.depth -= 1;
        Ok(left)
    }

    fn primary(&mut self) -> Checked<Term> {
        self.skip_blanks();
        let start = self.at;
        let Some(first) = self.rest().chars().next() else {
            return Err(self.problem("the text ends within a term", "more is needed here"));
        };
        let kind = match first {
            '(' => {
                self.at += 1;
                let mut parts = self.terms_until(")")?;
                // `(V, 'name')` is a pair, and a term in parentheses is itself.
                if parts.len() == 1 { parts.remove(0).kind } else { TermKind::Compound(",".to_owned(), parts) }
            }
            '[' => {
                self.at += 1;
                TermKind::List(self.terms_until("]")?)
            }
            '-' | '+' => {
                self.at += 1;
                let operand = self.term(200)?;
                match (first, operand.kind) {
                    ('+', kind) => kind,
                    (_, TermKind::Number(value)) => TermKind::Number(-value),
                    (_, kind) => {
                        TermKind::Compound("-".to_owned(), vec![Term { kind, span: Span::new(start, self.at) }])
                    }
                }
            }
            '\'' => {
                let name = self.quoted()?;
                self.with_arguments(name)?
            }
            c if c.is_ascii_digit() => self.number()?,
            c if c.is_ascii_alphabetic() || c == '_' => {
                let rest = self.rest();
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                self.at += end;
                let name = rest[..end].to_owned();
                if c.is_ascii_uppercase() || c == '_' { TermKind::Variable(name) } else { self.with_arguments(name)? }
            }
            _ => return Err(self.problem(format!("`{first}` begins no term"), "not expected here")),
        };
        Ok(Term { kind, span: Span::new(start, self.at) })
    }

    fn with_arguments(&mut self, name: String) -> Checked<TermKind> {
        let arguments = if self.take("(") { self.terms_until(")")? } else { Vec::new() };
        Ok(TermKind::Compound(name, arguments))
    }

    fn terms_until(&mut self, close: &str) -> Checked<Vec<Term>> {
        let mut terms = Vec::new();
        self.skip_blanks();
        if self.take(close) {
            return Ok(terms);
        }
        loop {
            terms.push(self.term(1100)?);
            self.skip_blanks();
            if self.take(close) {
                return Ok(terms);
            }
            if !self.take(",") {
                return Err(self.problem(format!("`,` or `{close}` is needed"), "not expected here"));
            }
        }
    }

    fn number(&mut self) -> Checked<TermKind> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if rest[end..].starts_with('.') && rest[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.problem("a number is no integer", "integers alone are supported"));
        }
        let Ok(value) = rest[..end].parse() else {
            return Err(self.problem("a number exceeds 128 bits", "does not fit"));
        };
        self.at += end;
        Ok(TermKind::Number(value))
    }

    /// Two quotes within quotes are one; a backslash keeps what is behind it.
    fn quoted(&mut self) -> Checked<String> {
        let start = self.at;
        let mut name = String::new();
        let mut characters = self.text[start + 1..].char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            match c {
                '\'' if characters.peek().is_some_and(|&(_, next)| next == '\'') => {
                    name.push('\'');
                    characters.next();
                }
                '\'' => {
                    self.at = start + 1 + at + 1;
                    return Ok(name);
                }
                '\\' => name.extend(characters.next().map(|(_, next)| next)),
                c => name.push(c),
            }
        }
        Err(Problem::new(Span::new(start, start + 1), "a quoted atom is not closed", "begins here"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_terms_and_directives_are_skipped() {
        let facts = read(":- multifile r/5,\n x/1.\n% comment\nr(pc(a-1-b), [V + 1 =< 2*W], 'it''s').").unwrap();
        assert_eq!(facts.len(), 1);
        let (name, arguments) = facts[0].compound().unwrap();
        assert_eq!((name, arguments.len()), ("r", 3));
        let TermKind::List(guards) = &arguments[1].kind else { panic!("a list") };
        let (operator, sides) = guards[0].compound().unwrap();
        assert_eq!(operator, "=<");
        assert_eq!(sides[0].compound().unwrap().0, "+");
        assert_eq!(arguments[2].compound().unwrap().0, "it's");
    }

    #[test]
    fn errors_have_their_place() {
        let message = |text: &str| read(text).unwrap_err().message;
        assert_eq!(message("a(b"), "`,` or `)` is needed");
        assert_eq!(message("a"), "a `.` is needed behind a fact");
        assert_eq!(message("a :- b."), "a rule with a body is not supported");
        assert_eq!(message("a('b)."), "a quoted atom is not closed");
        assert_eq!(message("a(1.5)."), "a number is no integer");
        assert_eq!(message("a(?)."), "`?` begins no term");
        assert_eq!(message("a(").as_str(), "the text ends within a term");
        assert_eq!(message(&format!("{}1", "(".repeat(1000))), "a term is nested more than 200 times");
    }
}
