//! Expressions and Büchi automata over the names of a parsed model.
//!
//! A program does not carry all that its names mean: constants are folded, and arrays of several dimensions are
//! flat. Both are read again from the program's source, which is therefore the text that was parsed to the letter (see
//! [`parse_with`](crate::parse_with)).

use crate::ast;
use crate::elaborate::{Elaborated, elaborate};
use crate::lower::{Budget, Lowering};
use crate::mistake::{Mistake, locate_all};
use crate::parser::{parse_automaton, parse_lone_expression, parse_model};
use crate::symbols::States;
use crate::transitions::Guard;
use dampf_core::{Diagnostic, Source, Span};
use dampf_gcl::ir::{Expr, Location, LocationId, Place, Process, Program, Transition};
use std::sync::Arc;

/// A Büchi automaton over the names of a parsed model, to be put into [`Program::property`].
///
/// Its first `bstate` is its initial location, the starred ones are `accepting`. Its transitions have guards only. All
/// spans in it refer to `source`, not to the source of the program.
pub fn parse_buchi(program: &Program, source: Arc<Source>) -> Result<Process, Vec<Diagnostic>> {
    let built = parse_automaton(&source).and_then(|automaton| {
        let elaborated = elaborated_again(program).map_err(|mistake| vec![mistake])?;
        lower_automaton(&automaton, &elaborated)
    });
    built.map_err(|mistakes| locate_all(mistakes, &source))
}

/// An expression over the names of a parsed model: constants `N`, global variables `x` and `a[i][j]`, the length of
/// a queue `len(q)`, local variables `P.x`, and states `P.critical`, which are 1 while the process is there. Where
/// there are several instances of `P`, they are `P[0].x`, `P[1].x`, and so on.
///
/// The diagnostic refers to `text`. The expression has empty spans: whoever meets one looks into the source of the
/// program, where the expression is not.
pub fn parse_expression(program: &Program, text: &str) -> Result<Expr, Diagnostic> {
    let source = Source::new("expression", text);
    let lowered = parse_lone_expression(&source).map_err(first).and_then(|expression| {
        let elaborated = elaborated_again(program)?;
        elaborated.observer(&Budget::new()).expression(&expression).map(without_spans)
    });
    lowered.map_err(|mistake| mistake.locate(&source))
}

fn without_spans(expr: Expr) -> Expr {
    let inner = |expr: Box<Expr>| Box::new(without_spans(*expr));
    match expr {
        Expr::Read(place) => Expr::Read(Place { index: place.index.map(inner), span: Span::default(), ..place }),
        Expr::Unary(op, operand) => Expr::Unary(op, inner(operand)),
        Expr::Binary(op, left, right, _) => Expr::Binary(op, inner(left), inner(right), Span::default()),
        Expr::Conditional(condition, yes, no) => Expr::Conditional(inner(condition), inner(yes), inner(no)),
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => expr,
    }
}

fn first(mistakes: Vec<Mistake>) -> Mistake {
    let unknown = || Mistake::new(Span::default(), "the expression cannot be read", "here");
    mistakes.into_iter().next().unwrap_or_else(unknown)
}

fn elaborated_again(program: &Program) -> Result<Elaborated, Mistake> {
    let foreign = || Mistake::new(Span::default(), "the program was not made from a DMC model", "has no names");
    let model = parse_model(&program.source).map_err(|_| foreign())?;
    let elaborated = elaborate(&model, program.source.clone()).map_err(|_| foreign())?;
    let counts = |program: &Program| (program.variables.len(), program.channels.len(), program.processes.len());
    if counts(program) == counts(&elaborated.program) { Ok(elaborated) } else { Err(foreign()) }
}

fn lower_automaton(automaton: &ast::Automaton, elaborated: &Elaborated) -> Result<Process, Vec<Mistake>> {
    let budget = Budget::new();
    let mut lowering = elaborated.observer(&budget);
    let mut mistakes = Vec::new();
    let mut states = States::default();
    let mut locations: Vec<Location> = Vec::new();
    for state in &automaton.states {
        mistakes.extend(states.declare(&state.name).err());
        locations.push(Location {
            name: state.name.text.clone(),
            committed: false,
            end: false,
            accepting: state.accepting,
            span: state.name.span,
        });
    }
    let mut transitions = Vec::new();
    for (number, state) in automaton.states.iter().enumerate() {
        for transition in &state.transitions {
            match lower_transition(transition, LocationId(number as u32), &states, &mut lowering) {
                Ok(lowered) => transitions.extend(lowered),
                Err(mistake) => mistakes.push(mistake),
            }
        }
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    Ok(Process { name: "property".to_string(), locations, initial: LocationId(0), transitions, span: automaton.span })
}

/// None for a transition that can never be taken.
fn lower_transition(
    transition: &ast::AutomatonTransition,
    source: LocationId,
    states: &States,
    lowering: &mut Lowering<'_>,
) -> Result<Option<Transition>, Mistake> {
    let target = states.find(&transition.target)?;
    let guard = match lowering.guard(&transition.guards, transition.span)? {
        Guard::Never => return Ok(None),
        Guard::Always => None,
        Guard::When(condition) => Some(condition),
    };
    Ok(Some(Transition {
        source,
        target,
        guard,
        sync: None,
        joint: None,
        effects: Vec::new(),
        holder: None,
        span: transition.span,
    }))
}
