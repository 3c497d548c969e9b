//! What a search goes by: the text of `--heuristic`.
//!
//! A sum of terms. A term is a name, of a measure that every model has or of something that the front end estimates by,
//! or a name with something in parentheses: `distance(left + right)`, `pdb(x, y; P)`. A `+` within parentheses belongs
//! to what stands there.

use crate::failure::Failure;
use crate::front_end::{AskedEstimate, FrontEnd};
use crate::options::ModelOptions;
use dampf_core::{Diagnostic, Fault, FaultKind, Source, Span};
use dampf_search::{Heuristic, Measure};
use std::sync::Arc;

/// One of what is added up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Term {
    Measure(Measure),
    /// `distance(EXPRESSION)`.
    Distance(String),
    /// `published`.
    Published,
    /// `formula`.
    Formula,
    /// `formula-bound`.
    FormulaBound,
    /// `pdb`, `pdb(NAME, …; …)`: the names of each pattern.
    Patterns(Vec<Vec<String>>),
}

/// What front ends may estimate by, for people: how it is written, and what it is.
pub const ESTIMATES: [(&str, &str); 5] = [
    ("distance(EXPR)", "the value of an expression"),
    ("published", "what HEURISTIC(...) of dampf.h said last"),
    ("formula", "how far invariants, goals and assertions are from failing"),
    ("formula-bound", "the same, never too much"),
    ("pdb, pdb(NAME, ...; ...)", "distances in abstractions to some variables and processes, never too much"),
];

/// Reads what is written.
pub fn parse(text: &str) -> Result<Vec<Term>, Diagnostic> {
    let source = Source::new("--heuristic", text);
    parts(&source)?.into_iter().map(|span| term(&source, span)).collect()
}

fn wrong(
    source: &Arc<Source>,
    span: Span,
    message: impl Into<String>,
    label: &str,
    help: Option<String>,
) -> Diagnostic {
    Diagnostic { source: Arc::clone(source), span, message: message.into(), label: label.to_owned(), help }
}

/// The terms between `+`, without the blanks around them.
fn parts(source: &Arc<Source>) -> Result<Vec<Span>, Diagnostic> {
    let text = &source.text;
    let (mut open, mut begin) = (Vec::new(), 0);
    let mut spans = Vec::new();
    for (at, letter) in text.char_indices().chain([(text.len(), '+')]) {
        match letter {
            '(' => open.push(at),
            ')' if open.pop().is_none() => {
                return Err(wrong(source, Span::new(at, at + 1), "`)` without `(`", "closes nothing", None));
            }
            '+' if open.is_empty() => {
                let part = &text[begin..at];
                let start = begin + part.len() - part.trim_start().len();
                spans.push(Span::new(start, start.max(begin + part.trim_end().len())));
                begin = at + 1;
            }
            _ => {}
        }
    }
    match open.pop() {
        Some(at) => Err(wrong(source, Span::new(at, at + 1), "`)` is missing", "opened here", None)),
        None => Ok(spans),
    }
}

fn term(source: &Arc<Source>, span: Span) -> Result<Term, Diagnostic> {
    let text = source.slice(span);
    let (name, argument) = match text.split_once('(') {
        // Parentheses are balanced, and what comes behind the last is no part of a name.
        Some((name, rest)) => (name.trim(), Some(rest)),
        None => (text, None),
    };
    let name_span = Span::new(span.start as usize, span.start as usize + name.len());
    let argument = match argument {
        Some(rest) => match rest.strip_suffix(')') {
            Some(argument) => Some(argument.trim()),
            None => {
                let behind = span.start as usize + text.rfind(')').map_or(0, |at| at + 1);
                let place = Span::new(behind, span.end as usize);
                return Err(wrong(source, place, "`+` is missing", "stands behind a heuristic", None));
            }
        },
        None => None,
    };
    if name.is_empty() {
        return Err(wrong(source, span, "a heuristic is missing", "here", Some(all_names())));
    }
    match (name, argument) {
        ("distance", Some(argument)) if !argument.is_empty() => Ok(Term::Distance(argument.to_owned())),
        ("distance", _) => {
            let help = "distance(EXPRESSION): how many steps may be left, as an expression of the input's own language";
            Err(wrong(source, span, "`distance` needs an expression", "of what?", Some(help.to_owned())))
        }
        ("pdb", None) => Ok(Term::Patterns(Vec::new())),
        ("pdb", Some(argument)) => {
            let names = |pattern: &str| pattern.split(',').map(|name| name.trim().to_owned()).collect();
            let patterns: Vec<Vec<String>> = argument.split(';').map(names).collect();
            match patterns.iter().flatten().any(String::is_empty) {
                true => {
                    let help = "pdb(x, y; P): names of variables and processes; without any, they are chosen";
                    Err(wrong(source, span, "a name is missing", "in here", Some(help.to_owned())))
                }
                false => Ok(Term::Patterns(patterns)),
            }
        }
        (name, Some(_)) if is_known(name) => Err(wrong(
            source,
            span,
            format!("`{name}` is a heuristic without parentheses"),
            "nothing goes in here",
            None,
        )),
        ("published", None) => Ok(Term::Published),
        ("formula", None) => Ok(Term::Formula),
        ("formula-bound", None) => Ok(Term::FormulaBound),
        (name, None) if is_known(name) => Ok(Term::Measure(Measure::named(name).expect("it is known"))),
        _ => {
            let message = format!("there is no heuristic `{name}`");
            Err(wrong(source, name_span, message, "named here", Some(all_names())))
        }
    }
}

fn is_known(name: &str) -> bool {
    Measure::named(name).is_some() || matches!(name, "published" | "formula" | "formula-bound")
}

fn all_names() -> String {
    let measures = Measure::ALL.iter().map(|measure| measure.names()[0]);
    let names: Vec<&str> = measures.chain(ESTIMATES.iter().map(|(name, _)| *name)).collect();
    format!("there are {}", names.join(", "))
}

/// Has a front end make what is asked for, and says what a search goes by. Without a word from the user, that is what
/// the input itself publishes, if it does.
pub fn asked<F: FrontEnd>(
    front_end: &mut F,
    text: Option<&str>,
    options: &ModelOptions,
) -> Result<Option<Heuristic>, Failure> {
    let terms = match text {
        Some(text) => parse(text)?,
        None if front_end.publishes_estimates() => vec![Term::Published],
        None => return Ok(None),
    };
    let counts = |kind: FaultKind| options.selection().counts(&Fault { kind, message: String::new(), location: None });
    let mut measures = Vec::new();
    for term in terms {
        let asked = match term {
            Term::Measure(measure) => {
                measures.push(measure);
                continue;
            }
            Term::Distance(text) => AskedEstimate::Distance(text),
            Term::Published => AskedEstimate::Published,
            Term::Formula => AskedEstimate::Formula,
            Term::FormulaBound => AskedEstimate::FormulaBound,
            Term::Patterns(patterns) => AskedEstimate::Patterns {
                patterns,
                deadlocks: options.deadlocks(),
                steps: counts(FaultKind::IndexOutOfBounds) || counts(FaultKind::DivisionByZero),
            },
        };
        measures.push(Measure::Estimate(front_end.estimate_by(&asked)?));
    }
    Ok(Some(Heuristic(measures)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_alone_and_in_sums() {
        assert_eq!(parse("mb").unwrap(), [Term::Measure(Measure::MostBlocked)]);
        let sum = [Term::Measure(Measure::LockAndBlock), Term::Measure(Measure::Alive), Term::Formula];
        assert_eq!(parse("lock-and-block + alive+formula").unwrap(), sum);
        let distance = |text: &str| Term::Distance(text.to_owned());
        assert_eq!(parse("distance((a + b) * c) + distance(d)").unwrap(), [distance("(a + b) * c"), distance("d")]);
        let patterns = |names: &[&[&str]]| {
            Term::Patterns(names.iter().map(|names| names.iter().map(|&name| name.to_owned()).collect()).collect())
        };
        assert_eq!(parse("pdb").unwrap(), [patterns(&[])]);
        assert_eq!(parse("pdb(x, P.y; z)").unwrap(), [patterns(&[&["x", "P.y"], &["z"]])]);
    }

    #[test]
    fn mistakes_are_pointed_at() {
        for (text, message, (start, end)) in [
            ("mb+nonsense", "there is no heuristic `nonsense`", (3, 11)),
            ("mb + ", "a heuristic is missing", (5, 5)),
            ("distance(a", "`)` is missing", (8, 9)),
            ("a) + mb", "`)` without `(`", (1, 2)),
            ("distance() + mb", "`distance` needs an expression", (0, 10)),
            ("distance(a) b", "`+` is missing", (11, 13)),
            ("pdb(x,,y)", "a name is missing", (0, 9)),
            ("mb(3)", "`mb` is a heuristic without parentheses", (0, 5)),
        ] {
            let diagnostic = parse(text).expect_err(text);
            assert_eq!(diagnostic.message, message, "{text}");
            assert_eq!((diagnostic.span.start, diagnostic.span.end), (start, end), "{text}");
        }
    }
}
