//! Certificates: the invariants of a proof as a text that a person can read and a program can check.
//!
//! A certificate has one invariant for each location, over the location's variables by number (`x0`, `x1`). It names
//! the text that it is about by its hash, and says whether its locations are those of the system as it was read or of
//! the simplified system, which is the same for the same text. Nothing in it is trusted: whoever checks it makes the
//! system from the text again.

use crate::formula::Formula;
use crate::input::show::{Names, formula as shown};
use crate::input::smtlib::{Node, NodeId, Tree, read};
use crate::linear::{Linear, Relation, Symbol};
use crate::system::System;
use dampf_core::problem::{Checked, Problem, diagnose};
use dampf_core::{Diagnostic, Source, fnv1a};
use std::fmt::Write;
use std::sync::Arc;

const VERSION: &str = "1";
/// Formulas may not be nested deeper.
const DEPTH_MAX: usize = 1_000;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    pub text_hash: u64,
    /// Whether the locations are those of the simplified system.
    pub is_simplified: bool,
    /// By location.
    pub invariants: Vec<Formula>,
}

/// The hash by which a certificate names a text.
pub fn text_hash(text: &str) -> u64 {
    fnv1a(text.bytes())
}

impl Certificate {
    /// The certificate as a text; `system` is the one whose locations it speaks of.
    pub fn write(&self, system: &System) -> String {
        let of = if self.is_simplified { "simplified" } else { "original" };
        let mut text = format!(
            "; the invariants of a proof, by location: each holds whenever a run is there\n\
             (certificate {VERSION})\n(text h{:016x})\n(system {of})\n",
            self.text_hash
        );
        for (index, (location, invariant)) in system.locations.iter().zip(&self.invariants).enumerate() {
            let names = Names::at(&location.variables);
            let name = location.name.replace(['\n', '\r'], " ");
            let _ = writeln!(text, "; {name}: {}", shown(invariant, names).replace(['\n', '\r'], " "));
            let _ = writeln!(text, "(invariant {index} {})", written(invariant));
        }
        text
    }

    pub fn parse(source: &Arc<Source>) -> Result<Certificate, Vec<Diagnostic>> {
        parsed(&source.text).map_err(|problem| diagnose(source, vec![*problem]))
    }
}

fn written(formula: &Formula) -> String {
    let all = |parts: &[Formula]| parts.iter().map(written).collect::<Vec<_>>().join(" ");
    match formula {
        Formula::True => "true".to_owned(),
        Formula::False => "false".to_owned(),
        Formula::And(parts) => format!("(and {})", all(parts)),
        Formula::Or(parts) => format!("(or {})", all(parts)),
        Formula::Atom(constraint) => {
            let relation = constraint.relation().sign();
            let mut text = format!("({relation} {}", constraint.sum().constant_part());
            for (symbol, value) in constraint.sum().terms() {
                let Symbol::Before(index) = symbol else { unreachable!("an invariant speaks of one location") };
                let _ = write!(text, " ({value} x{index})");
            }
            text + ")"
        }
    }
}

fn parsed(text: &str) -> Checked<Certificate> {
    let tree = read(text)?;
    let wrong = |id: NodeId, message: &str| Problem::new(tree.span(id), message, "not expected here");
    let mut certificate = Certificate { text_hash: 0, is_simplified: false, invariants: Vec::new() };
    let mut seen = (false, false, false);
    for &entry in &tree.roots {
        match tree.application(entry) {
            Some(("certificate", &[version])) => {
                if word(&tree, version) != Some(VERSION) {
                    return Err(wrong(version, "a certificate of another version"));
                }
                seen.0 = true;
            }
            Some(("text", &[hash])) => {
                let hash = word(&tree, hash).and_then(|hash| u64::from_str_radix(hash.strip_prefix('h')?, 16).ok());
                certificate.text_hash = hash.ok_or_else(|| wrong(entry, "a hash is `h` and hexadecimal digits"))?;
                seen.1 = true;
            }
            Some(("system", &[of])) => {
                certificate.is_simplified = match word(&tree, of) {
                    Some("simplified") => true,
                    Some("original") => false,
                    _ => return Err(wrong(of, "the system is `original` or `simplified`")),
                };
                seen.2 = true;
            }
            Some(("invariant", &[index, invariant])) => {
                let next = certificate.invariants.len().to_string();
                if word(&tree, index) != Some(next.as_str()) {
                    return Err(wrong(index, &format!("the invariant of location {next} is needed")));
                }
                certificate.invariants.push(formula(&tree, invariant, 0)?);
            }
            _ => return Err(wrong(entry, "this is no part of a certificate")),
        }
    }
    if seen != (true, true, true) {
        return Err(Problem::new(dampf_core::Span::new(0, 0), "this is no certificate", "its head is missing"));
    }
    Ok(certificate)
}

/// A name or a number as it is written. Hashes begin with a letter, because SMT-LIB takes digits for numbers.
fn word(tree: &Tree, id: NodeId) -> Option<&str> {
    match tree.node(id) {
        Node::Symbol(word) | Node::Number(word) => Some(word),
        _ => None,
    }
}

fn formula(tree: &Tree, id: NodeId, depth: usize) -> Checked<Formula> {
    let wrong = |id: NodeId, message: &str| Problem::new(tree.span(id), message, "not expected here");
    if depth > DEPTH_MAX {
        return Err(wrong(id, "a formula is nested too deep"));
    }
    match tree.symbol(id) {
        Some("true") => return Ok(Formula::True),
        Some("false") => return Ok(Formula::False),
        _ => {}
    }
    let Some((operator, arguments)) = tree.application(id) else { return Err(wrong(id, "a formula is needed")) };
    let relation = match operator {
        "and" | "or" => {
            let parts: Checked<Vec<Formula>> = arguments.iter().map(|&part| formula(tree, part, depth + 1)).collect();
            return Ok(if operator == "and" { Formula::and(parts?) } else { Formula::or(parts?) });
        }
        "<=" => Relation::AtMost,
        "<" => Relation::Below,
        "=" => Relation::Equal,
        _ => return Err(wrong(id, "a formula is needed")),
    };
    let number = |id: NodeId| word(tree, id).and_then(|word| word.parse::<i128>().ok());
    let Some((constant, terms)) = arguments.split_first() else { return Err(wrong(id, "a sum is needed")) };
    let mut sum = Linear::constant(number(*constant).ok_or_else(|| wrong(*constant, "a number is needed"))?);
    for &term in terms {
        let parsed = match tree.list(term) {
            Some(&[factor, variable]) => number(factor).zip(word(tree, variable).and_then(variable_index)),
            _ => None,
        };
        let (factor, index) = parsed.ok_or_else(|| wrong(term, "a factor and a variable are needed"))?;
        sum = sum
            .plus(factor, &Linear::symbol(Symbol::Before(index)))
            .map_err(|overflow| wrong(term, &overflow.to_string()))?;
    }
    Ok(Formula::atom(sum, relation))
}

fn variable_index(name: &str) -> Option<u32> {
    name.strip_prefix('x')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{Location, LocationId, Sort, Variable};

    fn system() -> System {
        let variable = |name: &str| Variable { name: name.to_owned(), sort: Sort::Integer };
        let location = |name: &str, variables| Location { name: name.to_owned(), variables };
        System {
            locations: vec![
                location("initial", vec![]),
                location("error", vec![]),
                location("loop\n", vec![variable("i"), variable("n")]),
            ],
            transitions: Vec::new(),
            initial: LocationId(0),
            error: LocationId(1),
        }
    }

    fn message(text: &str) -> String {
        Certificate::parse(&Source::new("c", text)).unwrap_err()[0].message.clone()
    }

    #[test]
    fn what_is_written_is_read() {
        let sum = Linear::constant(-3)
            .plus(-2, &Linear::symbol(Symbol::Before(0)))
            .unwrap()
            .plus(1, &Linear::symbol(Symbol::Before(1)))
            .unwrap();
        let parts = [Relation::AtMost, Relation::Below, Relation::Equal].map(|of| Formula::atom(sum.clone(), of));
        let inner = Formula::and([parts[0].clone(), Formula::or([parts[1].clone(), parts[2].clone()])]);
        let certificate = Certificate {
            text_hash: 0x1234,
            is_simplified: true,
            invariants: vec![Formula::True, Formula::False, inner],
        };
        let text = certificate.write(&system());
        assert_eq!(Certificate::parse(&Source::new("c", text)).unwrap(), certificate);
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        let head = "(certificate 1) (text h00ff) (system original)";
        assert_eq!(message(""), "this is no certificate");
        assert_eq!(message("(certificate 7)"), "a certificate of another version");
        assert_eq!(message("(text zz)"), "a hash is `h` and hexadecimal digits");
        assert_eq!(message("(system other)"), "the system is `original` or `simplified`");
        assert_eq!(message("(x)"), "this is no part of a certificate");
        let with = |rest: &str| message(&format!("{head} {rest}"));
        assert_eq!(with("(invariant 1 true)"), "the invariant of location 0 is needed");
        assert_eq!(with("(invariant 0 (xor))"), "a formula is needed");
        assert_eq!(with("(invariant 0 5)"), "a formula is needed");
        assert_eq!(with("(invariant 0 (<=))"), "a sum is needed");
        assert_eq!(with("(invariant 0 (<= y))"), "a number is needed");
        assert_eq!(with("(invariant 0 (<= 1 (2 y)))"), "a factor and a variable are needed");
        let large = i128::MAX;
        assert_eq!(with(&format!("(invariant 0 (<= 1 ({large} x0) ({large} x0)))")), "a coefficient exceeds 128 bits");
        let deep = format!("(invariant 0 {}true{})", "(and ".repeat(2_000), ")".repeat(2_000));
        assert_eq!(with(&deep), "a formula is nested too deep");
    }
}
