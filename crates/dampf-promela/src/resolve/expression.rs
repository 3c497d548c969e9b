//! Expressions with their names resolved and their constants folded.

use super::Unfinished;
use super::own_number::OWN_NUMBER;
use crate::ast::{self, ChannelQuery, ExprKind};
use crate::names::{Entry, Locals, Names, Shape};
use crate::problem::{Checked, Problem};
use crate::typed::{Pattern, Place, Run, ScalarKind, Value, VariableRef};
use dampf_core::Span;
use dampf_gcl::ir::{BinaryOp, UnaryOp};

/// What was seen on the way that concerns the whole model.
#[derive(Default)]
pub struct Noticed {
    /// `_last` is used.
    pub last: bool,
    pub timeout: bool,
    pub enabled: bool,
    pub priorities: bool,
    /// Labels of proctypes that are referred to.
    pub labels: Vec<(usize, String, Span)>,
    pub variables: Vec<RemoteVariable>,
}

/// A variable of another process that is referred to.
pub struct RemoteVariable {
    proctype: usize,
    name: String,
    indices: usize,
    span: Span,
}

impl RemoteVariable {
    /// It must be there, and have as many indices as it has arrays.
    pub fn check(&self, proctypes: &[Unfinished]) -> Checked<()> {
        let Unfinished { name: process, locals, .. } = &proctypes[self.proctype];
        let Some(variable) = locals.variables.iter().find(|variable| variable.name == self.name) else {
            let message = format!("`{process}` has no variable `{}`", self.name);
            let known = locals.variables.iter().map(|variable| variable.name.as_str());
            return Err(Problem::new(self.span, message, "named here").suggest(&self.name, known));
        };
        if variable.sizes.len() != self.indices {
            let message = format!("`{}` has {} indices, not {}", self.name, variable.sizes.len(), self.indices);
            return Err(Problem::new(self.span, message, "named here"));
        }
        Ok(())
    }
}

/// Where an expression stands.
pub struct Context<'n> {
    names: &'n Names,
    /// The variables of the proctype, and the blocks the expression is in.
    locals: Option<(&'n Locals, &'n [u32])>,
    pub noticed: Noticed,
}

/// An expression, or a `run`, which is no value that could be part of another.
pub enum ValueOrRun {
    Value(Value),
    Run(Run),
}

impl<'n> Context<'n> {
    pub fn new(names: &'n Names, locals: Option<(&'n Locals, &'n [u32])>) -> Self {
        Context { names, locals, noticed: Noticed::default() }
    }

    pub fn value(&mut self, expr: &ast::Expr) -> Checked<Value> {
        match self.value_or_run(expr)? {
            ValueOrRun::Value(value) => Ok(value),
            ValueOrRun::Run(_) => {
                let help = "write `x = run P()` first, and use `x`";
                Err(Problem::new(expr.span, "`run` cannot be part of an expression", "starts a process").help(help))
            }
        }
    }

    pub fn value_or_run(&mut self, expr: &ast::Expr) -> Checked<ValueOrRun> {
        let span = expr.span;
        Ok(ValueOrRun::Value(match &expr.kind {
            ExprKind::Number(value) => Value::Const(*value),
            ExprKind::Reference(reference) => self.reference(reference)?,
            ExprKind::Unary(op, operand) => fold(Value::Unary(*op, Box::new(self.value(operand)?))),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (Box::new(self.value(left)?), Box::new(self.value(right)?));
                fold(Value::Binary(*op, left, right, span))
            }
            ExprKind::Conditional(condition, then, otherwise) => fold(Value::Conditional(
                Box::new(self.value(condition)?),
                Box::new(self.value(then)?),
                Box::new(self.value(otherwise)?),
            )),
            ExprKind::Run { proctype, arguments, priority } => {
                let mut run = self.run(proctype, arguments, span)?;
                if let Some(priority) = priority {
                    self.noticed.priorities = true;
                    run.priority = Some(self.value(priority)?);
                }
                return Ok(ValueOrRun::Run(run));
            }
            ExprKind::Channel(query, channel) => {
                let channel = self.channel(channel)?;
                let compare = |value: Value, op| Value::Binary(op, Box::new(value), Box::new(Value::Const(0)), span);
                match query {
                    ChannelQuery::Length => Value::Length(channel),
                    ChannelQuery::Empty => compare(Value::Length(channel), BinaryOp::Equal),
                    ChannelQuery::NotEmpty => compare(Value::Length(channel), BinaryOp::Greater),
                    ChannelQuery::Full => Value::Full(channel),
                    ChannelQuery::NotFull => Value::Unary(UnaryOp::Not, Box::new(Value::Full(channel))),
                }
            }
            ExprKind::Poll { channel, arguments, is_random } => {
                let (channel, patterns) = (self.channel(channel)?, self.patterns(arguments)?);
                Value::Poll { channel, patterns, is_random: *is_random }
            }
            ExprKind::Enabled(pid) => {
                self.noticed.enabled = true;
                Value::Enabled(Box::new(self.value(pid)?))
            }
            ExprKind::PcValue(pid) => Value::StateNumber(Box::new(self.value(pid)?)),
            ExprKind::GetPriority(process) => {
                self.noticed.priorities = true;
                Value::Priority(Box::new(self.value(process)?))
            }
            ExprKind::Timeout => {
                self.noticed.timeout = true;
                Value::Timeout
            }
            ExprKind::NonProgress => {
                return Err(Problem::new(span, "`np_` belongs into a never claim", "used here"));
            }
            ExprKind::AtLabel { proctype, process, label } => {
                let proctype = self.proctype(proctype)?;
                self.noticed.labels.push((proctype, label.text.clone(), label.span));
                let pid = process.as_ref().map(|pid| self.value(pid)).transpose()?.map(Box::new);
                Value::At { proctype, pid, label: label.text.clone() }
            }
            ExprKind::RemoteVariable { proctype, process, variable } => {
                let proctype = self.proctype(proctype)?;
                let pid = process.as_ref().map(|pid| self.value(pid)).transpose()?.map(Box::new);
                let names: Vec<&str> = variable.parts.iter().map(|part| part.name.text.as_str()).collect();
                let indices = variable.parts.iter().filter_map(|part| part.index.as_deref());
                let indices = indices.map(|index| self.value(index)).collect::<Checked<Vec<Value>>>()?;
                let (name, span) = (names.join("."), variable.span);
                let indices_given = indices.len();
                let named = RemoteVariable { proctype, name: name.clone(), indices: indices_given, span };
                self.noticed.variables.push(named);
                Value::Remote { proctype, pid, name, indices, span }
            }
        }))
    }

    fn run(&mut self, proctype: &ast::Name, arguments: &[ast::Expr], span: Span) -> Checked<Run> {
        let number = self.proctype(proctype)?;
        let expected = self.names.signatures[number].parameters;
        let arguments = self.message(arguments)?;
        if arguments.len() != expected {
            let message = format!("`{}` takes {expected} parameters, not {}", proctype.text, arguments.len());
            return Err(Problem::new(span, message, "started here"));
        }
        Ok(Run { proctype: number, arguments, priority: None })
    }

    fn proctype(&self, name: &ast::Name) -> Checked<usize> {
        self.names.proctype(&name.text).ok_or_else(|| {
            let known = self.names.signatures.iter().map(|signature| signature.name.as_str());
            let message = format!("there is no proctype `{}`", name.text);
            Problem::new(name.span, message, "named here").suggest(&name.text, known)
        })
    }

    fn reference(&mut self, reference: &ast::Reference) -> Checked<Value> {
        if let [ast::Part { name, index: None }] = reference.parts.as_slice()
            && self.find(&name.text).is_none()
        {
            match name.text.as_str() {
                OWN_NUMBER => return Ok(Value::Pid),
                "_nr_pr" => return Ok(Value::ProcessCount),
                "_priority" => {
                    self.noticed.priorities = true;
                    return Ok(Value::Priority(Box::new(Value::Pid)));
                }
                "_last" => {
                    self.noticed.last = true;
                    return Ok(Value::Last);
                }
                "_" => return Err(Problem::new(name.span, "`_` has no value", "only to be stored into")),
                text => {
                    if let Some((_, value)) = self.names.constants.get(text) {
                        return Ok(Value::Const(*value));
                    }
                }
            }
        }
        Ok(Value::Read(self.place(reference)?))
    }

    fn find(&self, name: &str) -> Option<&'n Entry> {
        let local = self.locals.and_then(|(locals, scope)| locals.find(name, scope));
        local.or_else(|| self.names.global_names.get(name))
    }

    /// What a reference names, with the indices on the way.
    fn entry(&mut self, reference: &ast::Reference) -> Checked<(&'n Entry, Vec<Value>)> {
        let first = &reference.parts[0];
        let Some(mut entry) = self.find(&first.name.text) else { return Err(self.unknown(&first.name)) };
        let mut indices = Vec::new();
        self.index(entry, first, &mut indices)?;
        for part in &reference.parts[1..] {
            let Shape::Record(fields) = &entry.shape else {
                let message = format!("`{}` is no record and has no field `{}`", first.name.text, part.name.text);
                return Err(Problem::new(part.name.span, message, "named here"));
            };
            let Some((_, field)) = fields.iter().find(|(name, _)| *name == part.name.text) else {
                let message = format!("there is no field `{}`", part.name.text);
                let known = fields.iter().map(|(name, _)| name.as_str());
                return Err(Problem::new(part.name.span, message, "named here").suggest(&part.name.text, known));
            };
            entry = field;
            self.index(entry, part, &mut indices)?;
        }
        Ok((entry, indices))
    }

    /// The index of a part; the first element where none is given.
    fn index(&mut self, entry: &Entry, part: &ast::Part, indices: &mut Vec<Value>) -> Checked<()> {
        match (&part.index, entry.size) {
            (Some(index), Some(_)) => indices.push(self.value(index)?),
            (None, Some(_)) => indices.push(Value::Const(0)),
            (Some(index), None) => match self.value(index)? {
                Value::Const(0) => {}
                _ => {
                    let message = format!("`{}` is no array", part.name.text);
                    return Err(Problem::new(index.span, message, "indexed here"));
                }
            },
            (None, None) => {}
        }
        Ok(())
    }

    fn unknown(&self, name: &ast::Name) -> Box<Problem> {
        let locals = self.locals.iter().flat_map(|(locals, _)| locals.names.iter().map(|(name, _, _)| name.as_str()));
        let globals = self.names.global_names.keys().map(String::as_str);
        let constants = self.names.constants.keys().map(String::as_str);
        let message = format!("unknown name `{}`", name.text);
        Problem::new(name.span, message, "not declared").suggest(&name.text, locals.chain(globals).chain(constants))
    }

    /// A place for a single value.
    pub fn place(&mut self, reference: &ast::Reference) -> Checked<Place> {
        let (entry, indices) = self.entry(reference)?;
        match &entry.shape {
            Shape::Leaf(variable, _) => Ok(Place { variable: *variable, indices, span: reference.span }),
            Shape::Record(_) => {
                Err(Problem::new(reference.span, "a whole record cannot be used here", "name one of its fields"))
            }
        }
    }

    pub fn channel(&mut self, reference: &ast::Reference) -> Checked<Place> {
        let (entry, indices) = self.entry(reference)?;
        match &entry.shape {
            Shape::Leaf(variable, ScalarKind::Channel) => {
                Ok(Place { variable: *variable, indices, span: reference.span })
            }
            _ => Err(Problem::new(reference.span, "this is no channel", "used as one")),
        }
    }

    /// The places of all fields of a record, or the one place.
    fn places(&mut self, reference: &ast::Reference) -> Checked<Vec<Place>> {
        let (entry, indices) = self.entry(reference)?;
        if let Shape::Record(fields) = &entry.shape
            && fields.iter().any(|(_, field)| field.has_arrays())
        {
            return Err(Problem::new(reference.span, "a record with arrays is no message", "used here"));
        }
        let place = |variable: VariableRef| Place { variable, indices: indices.clone(), span: reference.span };
        Ok(entry.leaves().into_iter().map(place).collect())
    }

    /// What is sent: a record is all its fields.
    pub fn message(&mut self, values: &[ast::Expr]) -> Checked<Vec<Value>> {
        let mut message = Vec::new();
        for value in values {
            match &value.kind {
                ExprKind::Reference(reference) if self.is_record(reference) => {
                    message.extend(self.places(reference)?.into_iter().map(Value::Read));
                }
                _ => message.push(self.value(value)?),
            }
        }
        Ok(message)
    }

    pub fn is_record(&mut self, reference: &ast::Reference) -> bool {
        self.find(&reference.parts[0].name.text).is_some()
            && self.entry(reference).is_ok_and(|(entry, _)| matches!(entry.shape, Shape::Record(_)))
    }

    pub fn patterns(&mut self, arguments: &[ast::Argument]) -> Checked<Vec<Pattern>> {
        let mut patterns = Vec::new();
        for argument in arguments {
            match argument {
                ast::Argument::Constant(value) => patterns.push(Pattern::Match(self.value(value)?)),
                ast::Argument::Eval(value, _) => patterns.push(Pattern::Match(self.value(value)?)),
                ast::Argument::Reference(reference) => {
                    let name = reference.parts[0].name.text.as_str();
                    match self.names.constants.get(name) {
                        _ if name == "_" => patterns.push(Pattern::Ignore),
                        // In a poll, where nothing is stored.
                        _ if name == OWN_NUMBER && self.find(name).is_none() => patterns.push(Pattern::Ignore),
                        Some((_, value)) if self.find(name).is_none() => {
                            patterns.push(Pattern::Match(Value::Const(*value)));
                        }
                        _ => patterns.extend(self.places(reference)?.into_iter().map(Pattern::Store)),
                    }
                }
            }
        }
        Ok(patterns)
    }

    /// The kind of mtype that an expression has, for `printm`.
    pub fn mtype_kind(&self, expr: &ast::Expr) -> usize {
        let ExprKind::Reference(reference) = &expr.kind else { return 0 };
        let name = reference.parts[0].name.text.as_str();
        match self.find(name).map(|entry| &entry.shape) {
            Some(Shape::Leaf(_, ScalarKind::Mtype(kind))) => *kind,
            _ => self.names.constants.get(name).map_or(0, |(kind, _)| *kind),
        }
    }

    /// The number of elements of an array.
    pub fn array_size(&mut self, reference: &ast::Reference) -> Checked<Option<u32>> {
        Ok(self.entry(reference)?.0.size)
    }
}

/// A value whose operands are constants, as a constant.
pub fn fold(value: Value) -> Value {
    match &value {
        Value::Unary(op, operand) => match **operand {
            Value::Const(operand) => Value::Const(op.apply(operand)),
            _ => value,
        },
        Value::Binary(op, left, right, _) => match (&**left, &**right) {
            (Value::Const(left), Value::Const(right)) => match op.apply(*left, *right) {
                Some(result) => Value::Const(result),
                None => value,
            },
            _ => value,
        },
        Value::Conditional(condition, then, otherwise) => match **condition {
            Value::Const(0) => (**otherwise).clone(),
            Value::Const(_) => (**then).clone(),
            _ => value,
        },
        _ => value,
    }
}
