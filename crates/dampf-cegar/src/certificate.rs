//! Invariants as evidence: checked by Dampf's own solver, or written down for any solver of SMT-LIB.
//!
//! Invariants of locations are a proof if each transition keeps them: initiation (transitions that leave the initial
//! location), consecution (all others) and safety (transitions that enter the error location, whose invariant is
//! false). Each of these obligations is a formula without a model. Nothing here knows how the invariants were found.

use crate::cases::Columns;
use crate::decide::Answer;
use crate::formula::Formula;
use crate::linear::{Constraint, Linear, Overflow, Symbol};
use crate::patience::Patience;
use crate::system::{Sort, System, Transition, TransitionId};
use std::fmt::Write as _;

/// So many conflicts for one obligation.
const CONFLICTS_MAX: u32 = 200_000;

/// Why invariants are not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Defect {
    /// There is one for each location, or there is no proof.
    Count,
    /// An invariant speaks of something that its location does not have.
    ForeignSymbol,
    /// A step leads from where an invariant holds to where the next one does not.
    Broken(TransitionId),
    /// The solver gave up.
    Undecided(TransitionId),
    Overflow,
}

impl From<Overflow> for Defect {
    fn from(_: Overflow) -> Defect {
        Defect::Overflow
    }
}

/// What has to have no model for a transition to keep the invariants, in three parts: the invariant before, the
/// relation, and the negated invariant behind it. The error location counts as excluded and the initial one as open,
/// whatever the invariants say of them.
fn obligation(system: &System, invariants: &[Formula], transition: &Transition) -> Result<[Formula; 3], Defect> {
    let before = match transition.from == system.initial {
        true => Formula::True,
        false => invariants[transition.from.0 as usize].clone(),
    };
    let outside = match transition.to == system.error {
        true => Formula::True,
        false => invariants[transition.to.0 as usize].negated()?,
    };
    Ok([before, transition.relation.clone(), outside])
}

/// Checks invariants with Dampf's own solver: none of it was warm, and nothing is remembered.
pub fn certify(system: &System, invariants: &[Formula]) -> Result<(), Defect> {
    if invariants.len() != system.locations.len() {
        return Err(Defect::Count);
    }
    for (location, invariant) in system.locations.iter().zip(invariants) {
        if !speaks_of(invariant, location.variables.len()) {
            return Err(Defect::ForeignSymbol);
        }
    }
    for id in system.transition_ids() {
        let transition = system.transition(id);
        let [before, relation, outside] = obligation(system, invariants, transition)?;
        let columns = Columns::of(system, transition);
        let mut question = columns.question();
        question.assert(&columns.condition(&relation), 0);
        question.assert(&columns.condition(&before), 0);
        question.assert(&columns.condition_after(&outside), 0);
        match question.decide(CONFLICTS_MAX, Patience::default()) {
            Answer::Refuted(_) => {}
            Answer::Model(_) => return Err(Defect::Broken(id)),
            Answer::GaveUp => return Err(Defect::Undecided(id)),
        }
    }
    Ok(())
}

fn speaks_of(formula: &Formula, variables: usize) -> bool {
    match formula {
        Formula::True | Formula::False => true,
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(|part| speaks_of(part, variables)),
        Formula::Atom(constraint) => constraint
            .sum()
            .terms()
            .iter()
            .all(|(symbol, _)| matches!(symbol, Symbol::Before(index) if (*index as usize) < variables)),
    }
}

/// The obligations as a script of SMT-LIB: every `check-sat` has to be answered `unsat`.
pub fn obligations_as_smtlib(system: &System, invariants: &[Formula]) -> Result<String, Defect> {
    if invariants.len() != system.locations.len() {
        return Err(Defect::Count);
    }
    let mut text = String::from("; every answer has to be unsat\n(set-logic ALL)\n");
    for id in system.transition_ids() {
        let transition = system.transition(id);
        let kind = match (transition.from == system.initial, transition.to == system.error) {
            (_, true) => "safety",
            (true, false) => "initiation",
            (false, false) => "consecution",
        };
        let _ = writeln!(text, "(push 1) ; {kind}, transition {}", id.0);
        let (from, to) = (system.location(transition.from), system.location(transition.to));
        let before = from.variables.iter().map(|variable| variable.sort);
        let after = to.variables.iter().map(|variable| variable.sort);
        let sides = [('b', before.collect::<Vec<_>>()), ('a', after.collect()), ('u', transition.auxiliaries.clone())];
        for (prefix, sorts) in &sides {
            for (index, sort) in sorts.iter().enumerate() {
                let sort = if *sort == Sort::Real { "Real" } else { "Int" };
                let _ = writeln!(text, "(declare-const {prefix}{index} {sort})");
            }
        }
        let is_real = |symbol: Symbol| {
            let (side, index) = split_symbol(symbol);
            sides[side].1[index as usize] == Sort::Real
        };
        let [before, relation, outside] = obligation(system, invariants, transition)?;
        let outside = outside.renamed(&mut |symbol| match symbol {
            Symbol::Before(index) => Symbol::After(index),
            other => other,
        });
        for formula in [before, relation, outside] {
            let _ = writeln!(text, "(assert {})", formula_text(&formula, &is_real));
        }
        text.push_str("(check-sat)\n(pop 1)\n");
    }
    Ok(text)
}

/// Before, after or auxiliary, and the index.
fn split_symbol(symbol: Symbol) -> (usize, u32) {
    match symbol {
        Symbol::Before(index) => (0, index),
        Symbol::After(index) => (1, index),
        Symbol::Auxiliary(index) => (2, index),
    }
}

fn formula_text(formula: &Formula, is_real: &dyn Fn(Symbol) -> bool) -> String {
    let all = |name: &str, parts: &[Formula]| {
        let parts: Vec<_> = parts.iter().map(|part| formula_text(part, is_real)).collect();
        format!("({name} {})", parts.join(" "))
    };
    match formula {
        Formula::True => "true".to_string(),
        Formula::False => "false".to_string(),
        Formula::And(parts) => all("and", parts),
        Formula::Or(parts) => all("or", parts),
        Formula::Atom(constraint) => constraint_text(constraint, is_real),
    }
}

fn constraint_text(constraint: &Constraint, is_real: &dyn Fn(Symbol) -> bool) -> String {
    let real = constraint.sum().terms().iter().any(|&(symbol, _)| is_real(symbol));
    let relation = constraint.relation().sign();
    let zero = if real { "0.0" } else { "0" };
    format!("({relation} {} {zero})", sum_text(constraint.sum(), real, is_real))
}

fn sum_text(sum: &Linear, real: bool, is_real: &dyn Fn(Symbol) -> bool) -> String {
    let number = |value: i128| {
        let digits = value.unsigned_abs();
        let digits = if real { format!("{digits}.0") } else { digits.to_string() };
        if value < 0 { format!("(- {digits})") } else { digits }
    };
    let mut text = format!("(+ {}", number(sum.constant_part()));
    for &(symbol, factor) in sum.terms() {
        let (side, index) = split_symbol(symbol);
        let name = format!("{}{index}", ["b", "a", "u"][side]);
        let name = if real && !is_real(symbol) { format!("(to_real {name})") } else { name };
        let _ = write!(text, " (* {} {name})", number(factor));
    }
    // A sum of one term is no sum.
    text.push_str(if real { " 0.0)" } else { " 0)" });
    text
}
