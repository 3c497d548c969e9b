//! Formulas and systems as people write them.

use crate::formula::Formula;
use crate::linear::{Constraint, Linear, Relation, Symbol};
use crate::system::{Sort, System, Transition, Variable};
use std::fmt::Write;

/// The names of the symbols of one formula.
#[derive(Clone, Copy)]
pub struct Names<'n> {
    pub before: &'n [Variable],
    pub after: &'n [Variable],
}

impl<'n> Names<'n> {
    pub fn of(system: &'n System, transition: &Transition) -> Self {
        Names { before: &system.location(transition.from).variables, after: &system.location(transition.to).variables }
    }

    /// Names for a formula about one location.
    pub fn at(variables: &'n [Variable]) -> Self {
        Names { before: variables, after: &[] }
    }

    fn name(&self, symbol: Symbol) -> String {
        let known = |variables: &[Variable], index: u32| variables.get(index as usize).map(|v| v.name.clone());
        match symbol {
            Symbol::Before(index) => known(self.before, index).unwrap_or_else(|| format!("x{index}")),
            Symbol::After(index) => known(self.after, index).unwrap_or_else(|| format!("x{index}")) + "'",
            Symbol::Auxiliary(index) => format!("?{index}"),
        }
    }

    fn is_boolean(&self, symbol: Symbol) -> bool {
        let of = |variables: &[Variable], index: u32| {
            variables.get(index as usize).is_some_and(|variable| variable.sort == Sort::Boolean)
        };
        match symbol {
            Symbol::Before(index) => of(self.before, index),
            Symbol::After(index) => of(self.after, index),
            Symbol::Auxiliary(_) => false,
        }
    }
}

/// `x = y + 1 and (a or b)`
pub fn formula(formula: &Formula, names: Names<'_>) -> String {
    let joined = |parts: &[Formula], word: &str| {
        let part = |part: &Formula| match part {
            Formula::And(_) | Formula::Or(_) => format!("({})", self::formula(part, names)),
            _ => self::formula(part, names),
        };
        parts.iter().map(part).collect::<Vec<_>>().join(word)
    };
    match formula {
        Formula::True => "true".to_owned(),
        Formula::False => "false".to_owned(),
        Formula::Atom(atom) => constraint(atom, names),
        Formula::And(parts) => joined(parts, " and "),
        Formula::Or(parts) => joined(parts, " or "),
    }
}

/// What is positive stands on the left, what is negative on the right: `x <= y + 3`.
pub fn constraint(constraint: &Constraint, names: Names<'_>) -> String {
    let sum = constraint.sum();
    if let ([(symbol, factor)], constant) = (sum.terms(), sum.constant_part())
        && names.is_boolean(*symbol)
        && let Some(literal) = literal(*factor, constant, constraint.relation(), &names.name(*symbol))
    {
        return literal;
    }
    let side = |sign: i128| -> String {
        let mut text = String::new();
        let mut add = |value: i128, name: Option<String>| {
            if value.signum() != sign {
                return;
            }
            let value = value.unsigned_abs();
            if !text.is_empty() {
                text.push_str(" + ");
            }
            match name {
                Some(name) if value == 1 => text.push_str(&name),
                Some(name) => drop(write!(text, "{value}*{name}")),
                None => drop(write!(text, "{value}")),
            }
        };
        sum.terms().iter().for_each(|&(symbol, value)| add(value, Some(names.name(symbol))));
        add(sum.constant_part(), None);
        if text.is_empty() { "0".to_owned() } else { text }
    };
    let (left, right) = (side(1), side(-1));
    // `0 >= x` reads better as `x <= 0`, and `5 <= x` as `x >= 5`.
    let turned = left.bytes().all(|byte| byte.is_ascii_digit());
    let (left, right) = if turned { (right, left) } else { (left, right) };
    let relation = match (constraint.relation(), turned) {
        (Relation::AtMost, false) => "<=",
        (Relation::AtMost, true) => ">=",
        (Relation::Below, false) => "<",
        (Relation::Below, true) => ">",
        (Relation::Equal, _) => "=",
    };
    format!("{left} {relation} {right}")
}

fn literal(factor: i128, constant: i128, relation: Relation, name: &str) -> Option<String> {
    let holds = |value: i128| match relation {
        Relation::AtMost => factor * value + constant <= 0,
        Relation::Below => factor * value + constant < 0,
        Relation::Equal => factor * value + constant == 0,
    };
    if factor.abs() > 1 || constant.abs() > 1 {
        return None;
    }
    match (holds(0), holds(1)) {
        (true, false) => Some(format!("not {name}")),
        (false, true) => Some(name.to_owned()),
        _ => None,
    }
}

/// A sum as it is assigned: `x + 2*y - 1`.
pub fn sum(sum: &Linear, names: Names<'_>) -> String {
    let mut text = String::new();
    let terms = sum.terms().iter().map(|&(symbol, value)| (value, Some(names.name(symbol))));
    for (value, name) in terms.chain([(sum.constant_part(), None)]) {
        if value == 0 && !(name.is_none() && text.is_empty()) {
            continue;
        }
        match (text.is_empty(), value < 0) {
            (true, true) => text.push('-'),
            (true, false) => {}
            (false, negative) => text.push_str(if negative { " - " } else { " + " }),
        }
        match (value.unsigned_abs(), name) {
            (1, Some(name)) => text.push_str(&name),
            (value, Some(name)) => drop(write!(text, "{value}*{name}")),
            (value, None) => drop(write!(text, "{value}")),
        }
    }
    text
}

/// The whole system: a line for each location and each transition. What a transition does not change is left out.
pub fn system(system: &System) -> String {
    let mut text = String::new();
    for location in &system.locations {
        let variables: Vec<&str> = location.variables.iter().map(|variable| variable.name.as_str()).collect();
        let _ = writeln!(text, "location {}({})", location.name, variables.join(", "));
    }
    for (index, transition) in system.transitions.iter().enumerate() {
        let (from, to) = (system.location(transition.from), system.location(transition.to));
        let relation = shown_relation(system, transition);
        let _ = writeln!(text, "{index}: {} -> {}: {relation}", from.name, to.name);
    }
    text
}

/// The relation of a transition without what says that a variable keeps its value, where both ends have the same
/// variables.
pub fn shown_relation(system: &System, transition: &Transition) -> String {
    let names = Names::of(system, transition);
    let same = names.before == names.after;
    let keeps = |part: &Formula| match part {
        Formula::Atom(constraint) if same && constraint.relation() == Relation::Equal => {
            matches!(constraint.sum().terms(), [(Symbol::Before(one), _), (Symbol::After(other), _)] if one == other)
                && constraint.sum().constant_part() == 0
        }
        _ => false,
    };
    let parts = match &transition.relation {
        Formula::And(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let changed: Vec<Formula> = parts.iter().filter(|part| !keeps(part)).cloned().collect();
    if changed.is_empty() && !parts.is_empty() && keeps(&parts[0]) {
        return "nothing changes".to_owned();
    }
    formula(&Formula::and(changed), names)
}
