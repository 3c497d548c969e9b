//! Never claims as automata over propositions.
//!
//! The control structure is SPIN's, as for proctypes. A claim makes one move per step of the system, along an edge
//! whose condition holds in the state before the step. What it does in an `atomic` sequence is one move: all its
//! conditions are about the same state, and one that does not hold undoes the move. Where a claim comes to its end, or
//! to a label that begins with `end`, it is violated, and so it is where an assertion of it fails.

use super::asked::{Place, foreign};
use super::body::Body;
use super::{Resolver, misplaced};
use crate::ast::{self, StatementKind};
use crate::problem::{Checked, Problem};
use crate::typed::{Control, Proposition, Statement, Value};
use dampf_core::{Automaton, AutomatonEdge, AutomatonLocation, Literal, Span};

/// What a claim without a name is called.
const UNNAMED: &str = "never claim";

/// More edges than this are refused: atomic sequences of a claim can multiply them.
const EDGES_MAX: usize = 100_000;

/// A claim with its conditions, which the edges of the automaton name by number.
pub struct Claim {
    pub automaton: Automaton,
    pub propositions: Vec<Proposition>,
}

impl Resolver {
    /// Understands the never claim with a name, or the first one.
    pub fn claim(&mut self, model: &ast::Model, name: Option<&str>) -> Checked<Claim> {
        let mut claims = model.units.iter().filter_map(|unit| match unit {
            ast::Unit::Never(claim) => Some(claim),
            _ => None,
        });
        let is_meant = |claim: &&ast::Automaton| match (name, &claim.name) {
            (None, _) => true,
            (Some(name), Some(own)) => own.text == name,
            (Some(_), None) => false,
        };
        let Some(claim) = claims.find(is_meant) else {
            let message = name.map_or_else(|| "no never claim".to_owned(), |name| format!("no never claim `{name}`"));
            return Err(Problem::new(Span::default(), format!("there is {message}"), "in this model"));
        };
        claim.body.iter().try_for_each(check_statement)?;
        let unnamed = ast::Name { text: UNNAMED.to_owned(), span: claim.span };
        let proctype = ast::Proctype {
            name: claim.name.clone().unwrap_or(unnamed),
            is_init: false,
            is_deterministic: false,
            active: None,
            parameters: Vec::new(),
            priority: None,
            provided: None,
            body: claim.body.clone(),
            span: claim.span,
        };
        let body = Body::read(self, &proctype);
        let control = body.builder.finish().map_err(misplaced)?;
        let text = |span: Span| {
            let text = self.source.as_ref().map_or("", |source| source.slice(span));
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        Drawing::new(&control, &text).draw(proctype.name.text)
    }
}

/// Whether a statement can be in a claim.
fn check_statement(statement: &ast::Statement) -> Checked<()> {
    let refused = |what: &str, why: &str| {
        let message = format!("{what} in a never claim is not supported");
        Err(Problem::new(statement.span, message, why))
    };
    let all = |inner: &[ast::Statement]| inner.iter().try_for_each(check_statement);
    match &statement.kind {
        StatementKind::Condition(value) | StatementKind::Assert(value) => match foreign(value, Place::Property) {
            Some((what, span)) => {
                Err(Problem::new(span, format!("`{what}` in a never claim is not supported"), "used here"))
            }
            None => Ok(()),
        },
        StatementKind::Else
        | StatementKind::Skip
        | StatementKind::Printf { .. }
        | StatementKind::Printm(_)
        | StatementKind::Goto(_)
        | StatementKind::Break => Ok(()),
        StatementKind::If(options) | StatementKind::Do(options) => options.iter().try_for_each(|option| all(option)),
        StatementKind::Atomic(inner) | StatementKind::Block(inner) => all(inner),
        StatementKind::DStep(_) => refused("`d_step`", "use `atomic`"),
        StatementKind::Unless { .. } => refused("`unless`", "used here"),
        StatementKind::Variables(_) => refused("a variable", "declared here"),
        StatementKind::Assign { .. }
        | StatementKind::Increment(_)
        | StatementKind::Decrement(_)
        | StatementKind::For { .. }
        | StatementKind::Select { .. }
        | StatementKind::SetPriority { .. } => refused("an assignment", "a claim only looks"),
        StatementKind::Send { .. } | StatementKind::Receive { .. } | StatementKind::Exclusive { .. } => {
            refused("a use of a channel", "a claim only looks")
        }
    }
}

/// When a statement can be executed.
#[derive(Clone, Copy)]
enum Executable {
    Never,
    Always,
    /// Where a proposition holds.
    Where(u32),
}

/// An automaton in the making.
struct Drawing<'c> {
    control: &'c Control,
    propositions: Vec<Proposition>,
    /// For each state and edge, when its statement can be executed; of an assertion, when it holds.
    conditions: Vec<Vec<Executable>>,
    edge_count: usize,
}

impl<'c> Drawing<'c> {
    fn new(control: &'c Control, text: &dyn Fn(Span) -> String) -> Self {
        let mut propositions = Vec::new();
        let mut condition = |value: &Value, span: Span| match value {
            Value::Const(0) => Executable::Never,
            Value::Const(_) => Executable::Always,
            value => {
                propositions.push(Proposition { text: text(span), condition: value.clone() });
                Executable::Where(propositions.len() as u32 - 1)
            }
        };
        let mut conditions = Vec::new();
        for state in &control.states {
            let alternatives = state.edges.iter().flat_map(|edge| &edge.alternatives);
            let of_state = alternatives.map(|alternative| match &alternative.statement {
                Statement::Condition(value) => condition(value, alternative.span),
                Statement::Assert(value, span) => condition(value, *span),
                _ => Executable::Always,
            });
            conditions.push(of_state.collect());
        }
        Drawing { control, propositions, conditions, edge_count: 0 }
    }

    fn draw(mut self, name: String) -> Checked<Claim> {
        let mut locations = Vec::new();
        for (number, state) in self.control.states.iter().enumerate() {
            let mut edges = Vec::new();
            if !state.is_end {
                self.leave(number, &[], 0, &mut edges)?;
            }
            locations.push(AutomatonLocation {
                name: state.name.clone(),
                is_accepting: state.is_accepting,
                is_final: state.is_end,
                edges,
            });
        }
        // Where assertions that fail lead to.
        locations.push(AutomatonLocation { name: "assertion".to_owned(), is_final: true, ..Default::default() });
        let automaton = Automaton { name, locations, initial: self.control.initial as u32 };
        Ok(Claim { automaton, propositions: self.propositions })
    }

    /// The moves from a state, in which the claim came by an atomic sequence whose conditions were met.
    fn leave(&mut self, at: usize, met: &[Literal], depth: usize, edges: &mut Vec<AutomatonEdge>) -> Checked<()> {
        let state = &self.control.states[at];
        if depth > self.control.states.len() || self.edge_count > EDGES_MAX {
            let message = "an atomic sequence of a never claim that goes round is not supported";
            return Err(Problem::new(state.span, message, "comes here again"));
        }
        for (number, edge) in state.edges.iter().enumerate() {
            let [alternative] = edge.alternatives.as_slice() else { continue };
            let condition = self.conditions[at][number];
            let needed = match (&alternative.statement, condition) {
                (Statement::End, _) => None,
                (Statement::Else, _) => self.nothing_before(at, number),
                (Statement::Assert(..), _) => {
                    let failing = match condition {
                        Executable::Never => Some(Vec::new()),
                        Executable::Always => None,
                        Executable::Where(proposition) => Some(vec![Literal { proposition, is_positive: false }]),
                    };
                    let failed = self.control.states.len() as u32;
                    edges.extend(
                        failing.map(|failing| AutomatonEdge { guard: [met, &failing].concat(), target: failed }),
                    );
                    literals(condition)
                }
                _ => literals(condition),
            };
            let Some(needed) = needed else { continue };
            let guard = [met, &needed].concat();
            if alternative.holds && !self.control.states[alternative.target].is_end {
                self.leave(alternative.target, &guard, depth + 1, edges)?;
            } else {
                self.edge_count += 1;
                edges.push(AutomatonEdge { guard, target: alternative.target as u32 });
            }
        }
        Ok(())
    }

    /// That no edge before one can be taken; none if one always can.
    fn nothing_before(&self, at: usize, edge: usize) -> Option<Vec<Literal>> {
        let mut needed = Vec::new();
        let edges = self.control.states[at].edges[..edge].iter().flat_map(|edge| &edge.alternatives);
        for (alternative, condition) in edges.zip(&self.conditions[at]) {
            match (&alternative.statement, condition) {
                (Statement::Condition(_), Executable::Never) => {}
                (Statement::Condition(_), Executable::Where(proposition)) => {
                    needed.push(Literal { proposition: *proposition, is_positive: false });
                }
                _ => return None,
            }
        }
        Some(needed)
    }
}

/// What must hold for a statement to be executed; none if it never can.
fn literals(condition: Executable) -> Option<Vec<Literal>> {
    match condition {
        Executable::Never => None,
        Executable::Always => Some(Vec::new()),
        Executable::Where(proposition) => Some(vec![Literal { proposition, is_positive: true }]),
    }
}
