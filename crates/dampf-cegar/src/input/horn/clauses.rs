//! Assertions as clauses: which predicates an assertion ties to which.
//!
//! The negation of a clause is a conjunction of what its body says, its body's predicates, and the negation of its
//! head. Whatever shape an assertion has (implications in implications, `(not (and …))`, a disjunction), its negation
//! is taken apart down to the predicates; where a predicate lies below a disjunction, the assertion is several clauses.
//! What has no predicate in it is left whole.

use super::logic::{Argument, Graph, Logic, LogicId, Quantifier};
use super::terms::Predicate;
use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};

/// Clauses that one assertion may be.
const CLAUSES_MAX: usize = 256;

/// A predicate with its arguments, as index and as node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    pub predicate: usize,
    pub arguments: Vec<Argument>,
}

#[derive(Clone, Default, Debug)]
pub struct Clause {
    pub body: Option<Occurrence>,
    pub head: Option<Occurrence>,
    /// What the body says, each with whether it holds or its negation does.
    pub constraints: Vec<(LogicId, bool)>,
}

#[derive(Clone, Default)]
struct Partial {
    bodies: Vec<LogicId>,
    heads: Vec<LogicId>,
    constraints: Vec<(LogicId, bool)>,
    /// What is not taken apart yet.
    pending: Vec<(LogicId, bool)>,
}

/// The clauses of an assertion, in the order of the text.
pub fn clauses(graph: &Graph, predicates: &[Predicate], assertion: LogicId, span: Span) -> Checked<Vec<Clause>> {
    let structural = structural(graph);
    let mut done = Vec::new();
    let mut stack = vec![Partial { pending: vec![(assertion, false)], ..Partial::default() }];
    while let Some(mut partial) = stack.pop() {
        if done.len() + stack.len() > CLAUSES_MAX {
            let message = format!("an assertion is more than {CLAUSES_MAX} clauses");
            return Err(Problem::new(span, message, "too many disjunctions over predicates"));
        }
        let Some((id, holds)) = partial.pending.pop() else {
            done.push(clause(graph, predicates, partial, &structural, span)?);
            continue;
        };
        let mut branch = |partial: &Partial, parts: &[(LogicId, bool)]| {
            let mut branch = partial.clone();
            branch.pending.extend(parts.iter().rev());
            stack.push(branch);
        };
        match (graph.node(id), holds) {
            (&Logic::Truth(value), _) if value == holds => stack.push(partial),
            (Logic::Truth(_), _) => {}
            _ if !structural[id.index()] => {
                partial.constraints.push((id, holds));
                stack.push(partial);
            }
            (&Logic::Not(inner), _) => branch(&partial, &[(inner, !holds)]),
            (Logic::And(parts), true) | (Logic::Or(parts), false) => {
                branch(&partial, &parts.iter().map(|&part| (part, holds)).collect::<Vec<_>>());
            }
            (Logic::And(parts), false) | (Logic::Or(parts), true) => {
                parts.iter().rev().for_each(|&part| branch(&partial, &[(part, holds)]));
            }
            (&Logic::Iff(one, other), _) => {
                branch(&partial, &[(one, false), (other, !holds)]);
                branch(&partial, &[(one, true), (other, holds)]);
            }
            (&Logic::Choice(condition, one, other), _) => {
                branch(&partial, &[(condition, false), (other, holds)]);
                branch(&partial, &[(condition, true), (one, holds)]);
            }
            (Logic::Predicate(..), _) => {
                let side = if holds { &mut partial.bodies } else { &mut partial.heads };
                if !side.contains(&id) {
                    side.push(id);
                }
                stack.push(partial);
            }
            (&Logic::Quantified(quantifier, inner), _) => {
                if (quantifier == Quantifier::Exists) != holds {
                    let message = "a quantifier alternates: `forall` in a body or `exists` in a head";
                    return Err(Problem::new(span, message, "in this assertion")
                        .help("variables are universal in a clause, and existential in its body"));
                }
                branch(&partial, &[(inner, holds)]);
            }
            (Logic::Atom(_) | Logic::Boolean(_), _) => unreachable!("a literal has no predicate in it"),
        }
    }
    Ok(done)
}

/// For each node whether a predicate or a quantifier is in it. A node's parts were made before it.
fn structural(graph: &Graph) -> Vec<bool> {
    let mut structural: Vec<bool> = Vec::with_capacity(graph.count());
    for id in graph.ids() {
        let own = matches!(graph.node(id), Logic::Predicate(..) | Logic::Quantified(..));
        structural.push(own || graph.parts(id).iter().any(|part| structural[part.index()]));
    }
    structural
}

fn clause(
    graph: &Graph,
    predicates: &[Predicate],
    partial: Partial,
    structural: &[bool],
    span: Span,
) -> Checked<Clause> {
    let name = |id: LogicId| match graph.node(id) {
        Logic::Predicate(index, _) => predicates[*index].name.as_str(),
        _ => unreachable!("only predicates are collected"),
    };
    if let [one, other, ..] = partial.bodies[..] {
        let message = format!("a nonlinear clause: its body has `{}` and `{}`", name(one), name(other));
        return Err(Problem::new(span, message, "two predicates in one body")
            .help("linear clauses are supported: at most one predicate in a body"));
    }
    if let [one, other, ..] = partial.heads[..] {
        let message = format!("no Horn clause: its head has `{}` and `{}`", name(one), name(other));
        return Err(Problem::new(span, message, "two predicates in one head"));
    }
    let occurrence = |ids: &[LogicId]| -> Checked<Option<Occurrence>> {
        let Some(&id) = ids.first() else { return Ok(None) };
        let Logic::Predicate(predicate, arguments) = graph.node(id) else {
            unreachable!("only predicates are collected")
        };
        let nested = arguments.iter().any(|argument| match argument {
            Argument::Truth(id) => structural[id.index()],
            Argument::Number(_) => false,
        });
        if nested {
            let message = format!("a predicate or a quantifier in an argument of `{}`", name(id));
            return Err(Problem::new(span, message, "in this assertion"));
        }
        Ok(Some(Occurrence { predicate: *predicate, arguments: arguments.clone() }))
    };
    Ok(Clause {
        body: occurrence(&partial.bodies)?,
        head: occurrence(&partial.heads)?,
        constraints: partial.constraints,
    })
}
