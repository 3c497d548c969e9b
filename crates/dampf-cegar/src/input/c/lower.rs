//! Statements and functions as a control-flow graph.
//!
//! Functions are inlined at every call, which is why recursion is refused. Each call has its own variables. Code behind
//! a jump is lowered from a place that nothing leads to, and pruned with it later.

use super::ast::{Declaration, Expression, Function, Program, Statement, StatementKind};
use super::expression::{Pending, Value, fits, has_effects};
use super::graph::{ERROR, Edge, Graph, INITIAL, Place};
use super::types::{Range, Type};
use crate::formula::Formula;
use crate::linear::{Linear, Relation, Symbol};
use crate::system::Origin;
use dampf_core::Span;
use dampf_core::problem::{Checked, Problem};
use std::collections::HashMap;

/// Inlining may not make more steps than this.
const EDGES_MAX: usize = 10_000;
const TEXT_MAX: usize = 80;

/// A function that is being inlined.
struct Frame {
    name: String,
    end: Place,
    result: Option<u32>,
    labels: HashMap<String, (Place, Span, bool)>,
}

struct Switch {
    cases: Vec<(i128, Place)>,
    default: Option<Place>,
    of: Type,
}

pub struct Lowering<'p> {
    text: &'p str,
    /// Where lines begin.
    lines: Vec<usize>,
    functions: HashMap<&'p str, &'p Function>,
    externals: HashMap<&'p str, Option<Type>>,
    pub constants: HashMap<String, i128>,
    pub graph: Graph,
    pub current: Place,
    pub pending: Pending,
    /// The variables in scope, by number.
    scope: Vec<u32>,
    /// What names mean: globals first, then the blocks of the function at work.
    names: Vec<HashMap<String, u32>>,
    frames: Vec<Frame>,
    breaks: Vec<Place>,
    continues: Vec<Place>,
    switches: Vec<Switch>,
    /// Whether anything can fail.
    pub has_assertion: bool,
}

impl<'p> Lowering<'p> {
    pub fn new(text: &'p str, program: &'p Program) -> Checked<Self> {
        let mut functions: HashMap<&str, &Function> = HashMap::new();
        for function in &program.functions {
            if functions.insert(&function.name, function).is_some() {
                return Err(Problem::new(function.span, format!("`{}` is defined twice", function.name), "again here"));
            }
        }
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        Ok(Lowering {
            text,
            lines: std::iter::once(0).chain(starts).collect(),
            functions,
            externals: program.externals.iter().map(|(name, of)| (name.as_str(), *of)).collect(),
            constants: HashMap::new(),
            graph: Graph::new(),
            current: INITIAL,
            pending: Pending::default(),
            scope: Vec::new(),
            names: vec![HashMap::new()],
            frames: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            has_assertion: false,
        })
    }

    pub fn program(&mut self, program: &'p Program) -> Checked<()> {
        for (name, value) in &program.constants {
            let value = self.constant(value)?;
            self.constants.insert(name.clone(), value);
        }
        let mut assigned = Vec::new();
        for global in &program.globals {
            let value = match &global.value {
                Some(value) => self.constant(value)?,
                None => 0,
            };
            // A tentative definition may be repeated.
            let id = match self.lookup(&global.name) {
                Some(id) => id,
                None => self.declare(&global.name, global.of),
            };
            let converted = self.converted(Value::constant(value, Type::LONG), global.of, global.span)?;
            assigned.retain(|(other, _)| global.value.is_none() || *other != id);
            if !assigned.iter().any(|(other, _)| *other == id) {
                assigned.push((id, converted.sum));
            }
        }
        let Some(main) = self.functions.get("main").copied() else {
            return Err(Problem::new(Span::new(0, 0), "there is no function `main`", "the program begins there"));
        };
        self.step(assigned, Vec::new(), main.span_of_head(), "the program begins".to_owned());
        drop(self.inline(main, Vec::new(), main.span_of_head())?);
        Ok(())
    }

    fn constant(&mut self, expression: &Expression) -> Checked<i128> {
        let is_constant = !has_effects(expression);
        let value = if is_constant { self.value(expression)?.sum } else { Linear::symbol(Symbol::Before(0)) };
        if !value.is_constant() {
            return Err(Problem::new(expression.span, "a constant is needed", "is none"));
        }
        Ok(value.constant_part())
    }

    pub fn lookup(&self, name: &str) -> Option<u32> {
        self.names.iter().rev().find_map(|names| names.get(name)).copied()
    }

    pub fn unknown(&self, name: &str, span: Span) -> Box<Problem> {
        let known = self.names.iter().flat_map(|names| names.keys().map(String::as_str));
        Problem::new(span, format!("unknown name `{name}`"), "declared nowhere").suggest(name, known)
    }

    fn declare(&mut self, name: &str, of: Type) -> u32 {
        let id = self.graph.variable(name.to_owned(), of, of.range());
        self.scope.push(id);
        self.names.last_mut().expect("globals are always there").insert(name.to_owned(), id);
        id
    }

    /// A parameter of a function that is about to be entered: nobody knows its name yet.
    pub fn parameter(&mut self, name: &str, of: Type) -> u32 {
        let id = self.graph.variable(name.to_owned(), of, of.range());
        self.scope.push(id);
        id
    }

    /// A variable without a name, in scope to the end of the statement.
    pub fn temporary(&mut self, of: Type, range: Range) -> u32 {
        let id = self.graph.variable(format!("#{}", self.graph.variables.len()), of, range);
        self.scope.push(id);
        id
    }

    pub fn fresh_place(&mut self, span: Span) -> Place {
        let line = self.lines.partition_point(|&start| start <= span.start as usize);
        let function = self.frames.last().map_or("main", |frame| &frame.name);
        self.graph.place(format!("{function}:{line}"), &self.scope)
    }

    /// A step that leaves the current place, with what pending auxiliaries mean.
    pub fn edge(
        &mut self,
        to: Place,
        mut guards: Vec<Formula>,
        assigned: Vec<(u32, Linear)>,
        inputs: Vec<u32>,
        span: Span,
        text: String,
    ) {
        let pending = std::mem::take(&mut self.pending);
        guards.extend(pending.meanings);
        let origin = Origin { span, text };
        self.graph.edges.push(Edge {
            from: self.current,
            to,
            guards,
            assigned,
            inputs,
            auxiliaries: pending.auxiliaries,
            origin,
        });
    }

    pub fn go(&mut self, to: Place, span: Span) {
        self.edge(to, Vec::new(), Vec::new(), Vec::new(), span, String::new());
    }

    /// A step to a new place, where lowering goes on.
    pub fn step(&mut self, assigned: Vec<(u32, Linear)>, inputs: Vec<u32>, span: Span, text: String) {
        let next = self.fresh_place(span);
        self.edge(next, Vec::new(), assigned, inputs, span, text);
        self.current = next;
    }

    pub fn assign(&mut self, id: u32, value: Value, span: Span) -> Checked<()> {
        let of = self.graph.variables[id as usize].of;
        let value = self.converted(value, of, span)?;
        let text = self.source(span);
        self.step(vec![(id, value.sum)], Vec::new(), span, text);
        Ok(())
    }

    /// The text of a span on one line.
    pub fn source(&self, span: Span) -> String {
        let text = self.text.get(span.start as usize..span.end as usize).unwrap_or("");
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(TEXT_MAX) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line,
        }
    }

    /// Leads to one place where a condition holds and to another where it does not.
    pub fn condition(&mut self, condition: &Expression, yes: Place, no: Place) -> Checked<()> {
        use super::ast::ExpressionKind::{Binary, Unary};
        let span = condition.span;
        if has_effects(condition) {
            match &condition.kind {
                Unary("!", inner) => return self.condition(inner, no, yes),
                Binary("&&", left, right) => {
                    let next = self.fresh_place(right.span);
                    self.condition(left, next, no)?;
                    self.current = next;
                    return self.condition(right, yes, no);
                }
                Binary("||", left, right) => {
                    let next = self.fresh_place(right.span);
                    self.condition(left, yes, next)?;
                    self.current = next;
                    return self.condition(right, yes, no);
                }
                _ => {}
            }
        }
        let holds = self.formula(condition)?;
        let fails = fits(span, holds.negated())?;
        let text = self.source(span);
        let pending = self.pending.clone();
        self.edge(yes, vec![holds], Vec::new(), Vec::new(), span, text.clone());
        self.pending = pending;
        self.edge(no, vec![fails], Vec::new(), Vec::new(), span, format!("!({text})"));
        Ok(())
    }

    /// A place that nothing leads to: where a run has ended.
    fn dead_end(&mut self, span: Span) {
        self.current = self.fresh_place(span);
    }

    fn statement(&mut self, statement: &'p Statement) -> Checked<()> {
        if self.graph.edges.len() > EDGES_MAX {
            return Err(Problem::new(
                statement.span,
                format!("the program has more than {EDGES_MAX} steps"),
                "here and before",
            )
            .help("functions are inlined at every call"));
        }
        // Declarations stay in scope to the end of their block; temporaries end with their statement.
        let depth = self.scope.len();
        match &statement.kind {
            StatementKind::Empty => {}
            StatementKind::Block(statements) => {
                self.names.push(HashMap::new());
                statements.iter().try_for_each(|statement| self.statement(statement))?;
                self.names.pop();
            }
            StatementKind::Declarations(declarations) => {
                return declarations.iter().try_for_each(|declaration| self.declaration(declaration));
            }
            StatementKind::Expression(expression) => self.effects(expression)?,
            StatementKind::If(condition, then, otherwise) => {
                let (yes, no, end) =
                    (self.fresh_place(then.span), self.fresh_place(statement.span), self.fresh_place(statement.span));
                self.condition(condition, yes, no)?;
                self.scope.truncate(depth);
                self.current = yes;
                self.statement(then)?;
                self.go(end, then.span);
                self.current = no;
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise)?;
                }
                self.go(end, statement.span);
                self.current = end;
            }
            StatementKind::While(condition, body) => {
                let head = self.fresh_place(condition.span);
                self.go(head, statement.span);
                self.looped(head, Some(condition), body, None, false)?;
            }
            StatementKind::DoWhile(body, condition) => {
                let start = self.fresh_place(body.span);
                self.go(start, statement.span);
                self.looped(start, Some(condition), body, None, true)?;
            }
            StatementKind::For { start, condition, step, body } => {
                self.names.push(HashMap::new());
                self.statement(start)?;
                let head = self.fresh_place(condition.as_ref().map_or(statement.span, |condition| condition.span));
                self.go(head, statement.span);
                self.looped(head, condition.as_ref(), body, step.as_ref(), false)?;
                self.names.pop();
            }
            StatementKind::Switch(value, body) => self.switch(value, body)?,
            StatementKind::Case(value, inner) => {
                let Some(of) = self.switches.last().map(|switch| switch.of) else {
                    return Err(Problem::new(statement.span, "`case` outside of a `switch`", "not expected here"));
                };
                let value = self.constant(value)?;
                let value = self.converted(Value::constant(value, Type::LONG), of, statement.span)?.sum.constant_part();
                let place = self.fresh_place(statement.span);
                let switch = self.switches.last_mut().expect("a switch is open");
                if switch.cases.iter().any(|(other, _)| *other == value) {
                    return Err(Problem::new(statement.span, format!("the case {value} stands twice"), "again here"));
                }
                switch.cases.push((value, place));
                return self.fall_into(place, inner, statement.span);
            }
            StatementKind::Default(inner) => {
                let place = self.fresh_place(statement.span);
                match self.switches.last_mut() {
                    Some(switch) if switch.default.is_none() => switch.default = Some(place),
                    Some(_) => return Err(Problem::new(statement.span, "`default` stands twice", "again here")),
                    None => {
                        return Err(Problem::new(
                            statement.span,
                            "`default` outside of a `switch`",
                            "not expected here",
                        ));
                    }
                }
                return self.fall_into(place, inner, statement.span);
            }
            StatementKind::Label(name, inner) => {
                let place = self.label(name, statement.span);
                self.graph.set_scope(place, &self.scope);
                let frame = self.frames.last_mut().expect("statements are in functions");
                let entry = frame.labels.get_mut(name).expect("the label is known now");
                if std::mem::replace(&mut entry.2, true) {
                    return Err(Problem::new(statement.span, format!("the label `{name}` stands twice"), "again here"));
                }
                return self.fall_into(place, inner, statement.span);
            }
            StatementKind::Goto(name) => {
                let place = self.label(name, statement.span);
                self.go(place, statement.span);
                self.dead_end(statement.span);
            }
            StatementKind::Break | StatementKind::Continue => {
                let (places, word) = match statement.kind {
                    StatementKind::Break => (&self.breaks, "break"),
                    _ => (&self.continues, "continue"),
                };
                let Some(&place) = places.last() else {
                    return Err(Problem::new(
                        statement.span,
                        format!("`{word}` outside of a loop"),
                        "not expected here",
                    ));
                };
                self.go(place, statement.span);
                self.dead_end(statement.span);
            }
            StatementKind::Return(value) => self.returned(value.as_ref(), statement.span)?,
        }
        self.scope.truncate(depth);
        Ok(())
    }

    /// What a label names. It may be a declaration, which stays in scope.
    fn fall_into(&mut self, place: Place, inner: &'p Statement, span: Span) -> Checked<()> {
        self.go(place, span);
        self.current = place;
        self.statement(inner)
    }

    fn declaration(&mut self, declaration: &Declaration) -> Checked<()> {
        if self.names.last().is_some_and(|names| names.contains_key(&declaration.name)) {
            let message = format!("`{}` is declared twice", declaration.name);
            return Err(Problem::new(declaration.span, message, "again here"));
        }
        let depth = self.scope.len();
        // The value does not see the new variable: reading it there would be reading nothing.
        let value = match &declaration.value {
            Some(value) => Some(self.value(value)?),
            None => None,
        };
        let id = self.declare(&declaration.name, declaration.of);
        match value {
            Some(value) => self.assign(id, value, declaration.span)?,
            // It comes into scope with any value, even where a loop brings it into scope again.
            None => self.step(Vec::new(), vec![id], declaration.span, self.source(declaration.span)),
        }
        // Temporaries of the value are below the variable in the scope.
        self.scope.drain(depth..self.scope.len() - 1);
        Ok(())
    }

    /// A loop from its head, with the condition before the body or behind it.
    fn looped(
        &mut self,
        head: Place,
        condition: Option<&'p Expression>,
        body: &'p Statement,
        step: Option<&'p Expression>,
        condition_last: bool,
    ) -> Checked<()> {
        let depth = self.scope.len();
        let exit = self.fresh_place(body.span);
        let check = |lowering: &mut Self, yes: Place| match condition {
            Some(condition) => lowering.condition(condition, yes, exit),
            None => {
                lowering.go(yes, body.span);
                Ok(())
            }
        };
        self.current = head;
        let next = self.fresh_place(step.or(condition).map_or(body.span, |part| part.span));
        if !condition_last {
            let start = self.fresh_place(body.span);
            check(self, start)?;
            self.scope.truncate(depth);
            self.current = start;
        }
        self.breaks.push(exit);
        self.continues.push(next);
        self.statement(body)?;
        self.breaks.pop();
        self.continues.pop();
        self.go(next, body.span);
        self.current = next;
        if let Some(step) = step {
            self.effects(step)?;
        }
        if condition_last {
            check(self, head)?;
        } else {
            self.go(head, body.span);
        }
        self.scope.truncate(depth);
        self.current = exit;
        Ok(())
    }

    fn switch(&mut self, value: &Expression, body: &'p Statement) -> Checked<()> {
        let value_of = self.value(value)?;
        let of = value_of.of.promoted();
        let kept = self.converted(value_of, of, value.span)?;
        let kept = self.kept(kept, value.span)?;
        let dispatch = self.current;
        let end = self.fresh_place(body.span);
        self.breaks.push(end);
        self.switches.push(Switch { cases: Vec::new(), default: None, of });
        self.dead_end(body.span);
        self.statement(body)?;
        self.go(end, body.span);
        self.breaks.pop();
        let switch = self.switches.pop().expect("it was opened here");
        self.current = dispatch;
        let mut others = Vec::new();
        let text = self.source(value.span);
        for (case, place) in switch.cases {
            let difference = fits(value.span, kept.sum.plus(-1, &Linear::constant(case)))?;
            let equal = Formula::atom(difference, Relation::Equal);
            others.push(fits(value.span, equal.negated())?);
            self.edge(place, vec![equal], Vec::new(), Vec::new(), value.span, format!("{text} == {case}"));
        }
        let rest = switch.default.unwrap_or(end);
        self.edge(rest, others, Vec::new(), Vec::new(), value.span, format!("no case of {text}"));
        self.current = end;
        Ok(())
    }

    fn label(&mut self, name: &str, span: Span) -> Place {
        let known = self.frames.last().and_then(|frame| frame.labels.get(name)).map(|(place, ..)| *place);
        known.unwrap_or_else(|| {
            let place = self.fresh_place(span);
            let frame = self.frames.last_mut().expect("statements are in functions");
            frame.labels.insert(name.to_owned(), (place, span, false));
            place
        })
    }

    fn returned(&mut self, value: Option<&Expression>, span: Span) -> Checked<()> {
        let result = self.frames.last().and_then(|frame| frame.result);
        match (value, result) {
            (Some(value), Some(id)) => {
                let value = self.value(value)?;
                self.scope.push(id);
                self.assign(id, value, span)?;
            }
            (Some(value), None) => self.effects(value)?,
            (None, _) => {}
        }
        let end = self.frames.last().expect("statements are in functions").end;
        self.go(end, span);
        self.dead_end(span);
        Ok(())
    }

    /// The body of a function at the place of a call.
    pub fn inline(&mut self, function: &'p Function, arguments: Vec<u32>, span: Span) -> Checked<Option<Value>> {
        if self.frames.iter().any(|frame| frame.name == function.name) {
            return Err(Problem::new(
                span,
                format!("the recursive function `{}` is not supported", function.name),
                "calls itself",
            )
            .help("functions are inlined; write a loop"));
        }
        // The result comes into scope where it is returned.
        let result = function.result.map(|of| self.graph.variable(format!("{}()", function.name), of, of.range()));
        let depth = self.scope.len();
        self.scope.extend(result);
        let end = self.fresh_place(span);
        self.scope.truncate(depth);
        let inner = vec![self.names[0].clone(), HashMap::new()];
        let outside = std::mem::replace(&mut self.names, inner);
        for (index, (name, of)) in function.parameters.iter().enumerate() {
            match arguments.get(index) {
                Some(&id) => drop(self.names[1].insert(name.clone(), id)),
                None => drop(self.declare(name, *of)),
            }
        }
        let loops =
            (std::mem::take(&mut self.breaks), std::mem::take(&mut self.continues), std::mem::take(&mut self.switches));
        self.frames.push(Frame { name: function.name.clone(), end, result, labels: HashMap::new() });
        self.statement(&function.body)?;
        self.go(end, function.span_of_end());
        let frame = self.frames.pop().expect("it was entered here");
        // A map has no order that may show: the first label in the text is told.
        let missing = frame.labels.iter().filter(|(_, (_, _, found))| !found).min_by_key(|(_, (_, span, _))| *span);
        if let Some((name, (_, span, _))) = missing {
            return Err(Problem::new(*span, format!("there is no label `{name}`"), "jumps nowhere"));
        }
        (self.breaks, self.continues, self.switches) = loops;
        self.names = outside;
        self.scope.truncate(depth);
        self.scope.extend(result);
        self.current = end;
        Ok(result.map(|id| self.variable_value(id)))
    }

    pub fn function(&self, name: &str) -> Option<&'p Function> {
        self.functions.get(name).copied()
    }

    pub fn external(&self, name: &str) -> Option<Option<Type>> {
        self.externals.get(name).copied()
    }

    /// Where a condition fails, a run fails.
    pub fn assert(&mut self, condition: &Expression) -> Checked<()> {
        self.has_assertion = true;
        let next = self.fresh_place(condition.span);
        self.condition(condition, next, ERROR)?;
        self.current = next;
        Ok(())
    }

    /// Where a condition fails, a run ends.
    pub fn assume(&mut self, condition: &Expression) -> Checked<()> {
        let (next, end) = (self.fresh_place(condition.span), self.fresh_place(condition.span));
        self.condition(condition, next, end)?;
        self.current = next;
        Ok(())
    }

    pub fn fail(&mut self, span: Span) {
        self.has_assertion = true;
        let text = self.source(span);
        self.edge(ERROR, Vec::new(), Vec::new(), Vec::new(), span, text);
        self.dead_end(span);
    }

    pub fn end_run(&mut self, span: Span) {
        self.dead_end(span);
    }
}

impl Function {
    fn span_of_head(&self) -> Span {
        Span { start: self.span.start, end: self.body.span.start.max(self.span.start) }
    }

    fn span_of_end(&self) -> Span {
        Span { start: self.span.end.saturating_sub(1), end: self.span.end }
    }
}
