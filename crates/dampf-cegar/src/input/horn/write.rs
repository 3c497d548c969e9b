//! A system as Horn clauses of SMT-LIB: what other tools are asked about a system, whatever language it came from.

use crate::formula::Formula;
use crate::linear::{Linear, Symbol};
use crate::simplify::eliminate::Sorts;
use crate::system::{LocationId, Sort, System, Transition};
use std::fmt::Write;

/// The clauses are satisfiable exactly if the system is safe.
pub fn write(system: &System) -> String {
    let mut text = String::from("(set-logic HORN)\n");
    for (index, location) in system.locations.iter().enumerate() {
        let id = LocationId(index as u32);
        if id != system.initial && id != system.error {
            let sorts: Vec<&str> = location.variables.iter().map(|variable| sort(variable.sort)).collect();
            let _ = writeln!(text, "(declare-fun |{}#{index}| ({}) Bool)", location.name, sorts.join(" "));
        }
    }
    for transition in &system.transitions {
        let _ = writeln!(text, "(assert {})", clause(system, transition));
    }
    text.push_str("(check-sat)\n");
    text
}

/// Booleans are integers here, as in the system; its relations say their bounds.
fn sort(sort: Sort) -> &'static str {
    if sort == Sort::Real { "Real" } else { "Int" }
}

fn clause(system: &System, transition: &Transition) -> String {
    let sorts = Sorts::of(system, transition);
    let count = |variables: usize, symbol: fn(u32) -> Symbol| (0..variables as u32).map(symbol);
    let symbols: Vec<Symbol> = count(sorts.before.len(), Symbol::Before)
        .chain(count(sorts.after.len(), Symbol::After))
        .chain(count(sorts.auxiliaries.len(), Symbol::Auxiliary))
        .collect();
    let predicate = |id: LocationId, symbol: fn(u32) -> Symbol, otherwise: &str| {
        if id == system.initial || id == system.error {
            return otherwise.to_owned();
        }
        let location = system.location(id);
        let head = format!("|{}#{}|", location.name, id.0);
        let arguments: Vec<String> = count(location.variables.len(), symbol).map(name).collect();
        if arguments.is_empty() { head } else { format!("({head} {})", arguments.join(" ")) }
    };
    let body = predicate(transition.from, Symbol::Before, "true");
    let head = predicate(transition.to, Symbol::After, "false");
    let clause = format!("(=> (and {body} {}) {head})", formula(&transition.relation, sorts));
    if symbols.is_empty() {
        return clause;
    }
    let bound: Vec<String> =
        symbols.iter().map(|&symbol| format!("({} {})", name(symbol), sort(sorts.sort(symbol)))).collect();
    format!("(forall ({}) {clause})", bound.join(" "))
}

fn name(symbol: Symbol) -> String {
    match symbol {
        Symbol::Before(index) => format!("x{index}"),
        Symbol::After(index) => format!("y{index}"),
        Symbol::Auxiliary(index) => format!("z{index}"),
    }
}

fn formula(of: &Formula, sorts: Sorts<'_>) -> String {
    let all = |parts: &[Formula]| parts.iter().map(|part| formula(part, sorts)).collect::<Vec<_>>().join(" ");
    match of {
        Formula::True => "true".to_owned(),
        Formula::False => "false".to_owned(),
        Formula::And(parts) => format!("(and {})", all(parts)),
        Formula::Or(parts) => format!("(or {})", all(parts)),
        Formula::Atom(constraint) => {
            let relation = constraint.relation().sign();
            format!("({relation} {} 0)", sum(constraint.sum(), sorts))
        }
    }
}

fn sum(of: &Linear, sorts: Sorts<'_>) -> String {
    let real = of.terms().iter().any(|&(symbol, _)| !sorts.is_integer(symbol));
    let number = |value: i128| match value {
        0.. => value.to_string(),
        _ => format!("(- {})", value.unsigned_abs()),
    };
    let term = |&(symbol, value): &(Symbol, i128)| {
        let cast = if real && sorts.is_integer(symbol) { format!("(to_real {})", name(symbol)) } else { name(symbol) };
        if value == 1 { cast } else { format!("(* {} {cast})", number(value)) }
    };
    let terms: Vec<String> = of.terms().iter().map(term).chain([number(of.constant_part())]).collect();
    format!("(+ {})", terms.join(" "))
}
