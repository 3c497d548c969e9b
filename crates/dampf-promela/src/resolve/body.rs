//! The body of a proctype: its statements go into the control structure in the order of the text.

use super::expression::{Context, Noticed, ValueOrRun};
use super::own_number::{self, OWN_NUMBER};
use super::{Resolver, Unfinished};
use crate::ast::{self, ForRange, StatementKind};
use crate::control::{Builder, SequenceId};
use crate::names::{BYTE, Declared, Entry, Field, Locals, Shape};
use crate::problem::{Checked, Problem};
use crate::typed::{Initial, Pattern, Place, Print, Statement, Value, VariableRef};
use dampf_core::Span;
use dampf_gcl::ir::BinaryOp;

/// A `select` between two constants that are no farther apart is a choice between assignments.
const SELECTED_MAX: i32 = 32;

/// Labels with the blocks they stand in.
type Labels = Vec<(String, Vec<u32>)>;

pub struct Body<'r> {
    resolver: &'r mut Resolver,
    locals: Locals,
    builder: Builder,
    /// The blocks that are open, and how many there were.
    scope: Vec<u32>,
    scopes: u32,
    /// Whether no statement was read yet, so that initial values are those of the process's beginning.
    at_beginning: bool,
}

impl<'r> Body<'r> {
    pub fn read(resolver: &'r mut Resolver, proctype: &ast::Proctype) -> Unfinished {
        let mut body = Body {
            resolver,
            locals: Locals::default(),
            builder: Builder::new(),
            scope: Vec::new(),
            scopes: 0,
            at_beginning: true,
        };
        for parameter in &proctype.parameters {
            let declared = body.declare_parameter(parameter);
            body.resolver.report(declared);
        }
        let parameters = body.locals.variables.len();
        if own_number::is_received(&proctype.body) {
            let declared = body.declare_own_number(proctype.name.span);
            body.resolver.report(declared);
        }
        let mut priority = 1;
        if let Some(given) = &proctype.priority {
            body.resolver.has_priorities = true;
            let value = body.resolver.constant(given);
            priority = body.resolver.report(value).unwrap_or(1);
        }
        body.statements(&proctype.body);
        let provided = proctype.provided.as_ref().and_then(|provided| {
            let value = body.value(provided);
            body.resolver.report(value)
        });
        let end = Span { start: proctype.span.end.saturating_sub(1).max(proctype.span.start), end: proctype.span.end };
        body.builder.end(end);
        Unfinished {
            name: proctype.name.text.clone(),
            locals: body.locals,
            parameters,
            provided,
            priority,
            builder: body.builder,
            span: proctype.span,
        }
    }

    fn with<T>(&mut self, work: impl FnOnce(&mut Context<'_>) -> Checked<T>) -> Checked<T> {
        let mut context = Context::new(&self.resolver.names, Some((&self.locals, &self.scope)));
        let result = work(&mut context);
        let noticed: Noticed = context.noticed;
        self.resolver.notice(noticed);
        result
    }

    fn value(&mut self, expr: &ast::Expr) -> Checked<Value> {
        self.with(|context| context.value(expr))
    }

    fn place(&mut self, reference: &ast::Reference) -> Checked<Place> {
        self.with(|context| context.place(reference))
    }

    /// A record is as many parameters as it has fields.
    fn declare_parameter(&mut self, parameter: &ast::Declaration) -> Checked<()> {
        self.declare(parameter)?;
        let entry = self.locals.find(&parameter.name.text, &self.scope).expect("it was just declared");
        match entry.has_arrays() {
            true => Err(Problem::new(parameter.span, "an array cannot be a parameter", "declared here")),
            false => Ok(()),
        }
    }

    /// The number of the process as a variable, for a process that receives into it.
    fn declare_own_number(&mut self, span: Span) -> Checked<Entry> {
        let initial = Some(Initial::Value(Value::Pid));
        let field = Field { name: OWN_NUMBER.to_owned(), ty: Declared::Scalar(BYTE), size: None, initial, span };
        self.declare_field(&field, false)
    }

    fn declare(&mut self, declaration: &ast::Declaration) -> Checked<Option<Value>> {
        let field = self.resolver.field(declaration, Some((&self.locals, &self.scope)))?;
        let name = &declaration.name;
        if self.locals.find(&name.text, &self.scope).is_some() {
            let message = format!("`{}` is declared twice", name.text);
            return Err(Problem::new(name.span, message, "declared again here"));
        }
        if let (Declared::Record(_), Some(_), false) = (&field.ty, &field.initial, self.at_beginning) {
            let problem =
                Problem::new(declaration.span, "a record that is declared late has no initial value", "given here");
            return Err(problem.help("declare it at the beginning of the process, or assign to its fields"));
        }
        let later = match &field.initial {
            _ if self.at_beginning => None,
            Some(Initial::Value(value)) => Some(value.clone()),
            Some(Initial::List(_) | Initial::Channels { .. }) => None,
            None => Some(Value::Const(0)),
        };
        let field = Field { initial: field.initial.filter(|_| later.is_none()), ..field };
        let is_hidden = declaration.visibility == ast::Visibility::Hidden;
        self.declare_field(&field, is_hidden)?;
        Ok(later)
    }

    fn declare_field(&mut self, field: &Field, is_hidden: bool) -> Checked<Entry> {
        let variables = &mut self.locals.variables;
        let entry = self.resolver.names.declare(field, is_hidden, variables, &VariableRef::Local)?;
        self.locals.names.push((field.name.clone(), self.scope.clone(), entry.clone()));
        Ok(entry)
    }

    fn statements(&mut self, statements: &[ast::Statement]) {
        for statement in statements {
            let read = self.statement(statement);
            self.resolver.report(read);
        }
    }

    /// A sequence of its own; an empty one is an error.
    fn sequence(&mut self, statements: &[ast::Statement], span: Span) -> Checked<SequenceId> {
        self.builder.open_sequence();
        self.statements(statements);
        self.close(span)
    }

    fn close(&mut self, span: Span) -> Checked<SequenceId> {
        let closed = self.builder.close_sequence();
        closed.ok_or_else(|| Problem::new(span, "a sequence without a statement", "begins here").help("write `skip`"))
    }

    /// A sequence in a block of its own.
    fn block(&mut self, statements: &[ast::Statement], span: Span) -> Checked<SequenceId> {
        self.scopes += 1;
        self.scope.push(self.scopes);
        let sequence = self.sequence(statements, span);
        self.scope.pop();
        sequence
    }

    fn statement(&mut self, statement: &ast::Statement) -> Checked<()> {
        let span = statement.span;
        let labels: Labels = statement.labels.iter().map(|label| (label.text.clone(), self.scope.clone())).collect();
        if let StatementKind::Variables(declarations) = &statement.kind {
            return self.declarations(declarations);
        }
        if let StatementKind::Exclusive { channels, .. } = &statement.kind {
            // An assertion for SPIN's reduction; the names must be there.
            return channels.iter().try_for_each(|channel| self.with(|context| context.channel(channel)).map(|_| ()));
        }
        self.at_beginning = false;
        match &statement.kind {
            StatementKind::Goto(label) => {
                self.builder.goto(label.text.clone(), self.scope.clone(), span, &labels);
            }
            StatementKind::Break => {
                if !self.builder.break_loop(span, &labels) {
                    return Err(Problem::new(span, "`break` outside of a loop", "leaves nothing"));
                }
            }
            StatementKind::If(options) => {
                let options = self.options(options, span)?;
                self.builder.choice(options, false, span, &labels).map_err(super::misplaced)?;
            }
            StatementKind::Do(options) => {
                self.builder.begin_loop();
                let options = self.options(options, span)?;
                self.builder.choice(options, true, span, &labels).map_err(super::misplaced)?;
            }
            StatementKind::For { variable, range, body } => self.for_loop(variable, range, body, span, &labels)?,
            StatementKind::Select { variable, first, last, is_plain: true } => {
                self.select_between(variable, first, last, span, &labels)?;
            }
            StatementKind::Select { variable, first, last, is_plain: false } => {
                self.select(variable, first, last, span, &labels)?;
            }
            StatementKind::Atomic(inner) => {
                let inner = self.block(inner, span)?;
                self.builder.atomic(inner, span, &labels);
            }
            StatementKind::DStep(inner) => {
                let inner = self.block(inner, span)?;
                self.builder.deterministic(inner, span, &labels);
            }
            StatementKind::Block(inner) => {
                let inner = self.block(inner, span)?;
                self.builder.block(inner, span, &labels);
            }
            StatementKind::Unless { main, escape } => self.unless(main, escape, span, &labels)?,
            _ => {
                let simple = self.simple(statement)?;
                self.builder.statement(simple, span, &labels);
            }
        }
        Ok(())
    }

    fn declarations(&mut self, declarations: &[ast::Declaration]) -> Checked<()> {
        for declaration in declarations {
            let later = self.declare(declaration)?;
            if let Some(value) = later {
                let entry = self.locals.find(&declaration.name.text, &self.scope).expect("it was just declared");
                // A step of its own, as in SPIN: it stores into the first element of an array, and does nothing to a
                // record.
                let indices = if entry.size.is_some() { vec![Value::Const(0)] } else { Vec::new() };
                let statement = match &entry.shape {
                    Shape::Leaf(variable, _) => {
                        Statement::Assign(Place { variable: *variable, indices, span: declaration.span }, value)
                    }
                    // No `skip`, of which SPIN takes out all but one in a row.
                    Shape::Record(_) => Statement::Condition(Value::Const(1)),
                };
                self.builder.statement(statement, declaration.span, &[]);
            }
        }
        Ok(())
    }

    fn options(&mut self, options: &[Vec<ast::Statement>], span: Span) -> Checked<Vec<SequenceId>> {
        options.iter().map(|option| self.sequence(option, option.first().map_or(span, |first| first.span))).collect()
    }

    /// `main unless escape`: blocks become the two sequences, other statements sequences of one.
    fn unless(&mut self, main: &ast::Statement, escape: &ast::Statement, span: Span, labels: &Labels) -> Checked<()> {
        let main = self.part(main)?;
        let escape = self.part(escape)?;
        self.builder.unless(main, escape, span, labels);
        Ok(())
    }

    fn part(&mut self, statement: &ast::Statement) -> Checked<SequenceId> {
        match &statement.kind {
            StatementKind::Block(inner) if statement.labels.is_empty() => self.block(inner, statement.span),
            _ => self.sequence(std::slice::from_ref(statement), statement.span),
        }
    }

    /// `for`: SPIN makes it a loop of plain statements, in the sequence that it stands in.
    fn for_loop(
        &mut self,
        variable: &ast::Reference,
        range: &ForRange,
        body: &[ast::Statement],
        span: Span,
        labels: &Labels,
    ) -> Checked<()> {
        let (counter, last, receives) = match range {
            ForRange::Values(first, last) => {
                let (counter, first, last) = (self.place(variable)?, self.value(first)?, self.value(last)?);
                self.builder.statement(Statement::Assign(counter.clone(), first), span, &[]);
                (counter, last, None)
            }
            ForRange::In(array) if self.with(|context| Ok(context.is_record(variable)))? => {
                return self.for_messages(variable, array, body, span, labels);
            }
            ForRange::In(array) => {
                let size = self.with(|context| context.array_size(array))?;
                let Some(size) = size else {
                    return Err(Problem::new(array.span, "this is no array", "to be walked through"));
                };
                let counter = self.place(variable)?;
                self.builder.statement(Statement::Assign(counter.clone(), Value::Const(0)), span, &[]);
                (counter, Value::Const(size as i32 - 1), None)
            }
        };
        let read = Box::new(Value::Read(counter.clone()));
        let condition = Value::Binary(BinaryOp::LessEqual, read, Box::new(last), span);
        self.counting_loop(counter, condition, receives, body, true, span, labels)
    }

    /// `for (m in c)`: the messages of a channel, which are received and sent again.
    fn for_messages(
        &mut self,
        variable: &ast::Reference,
        channel: &ast::Reference,
        body: &[ast::Statement],
        span: Span,
        labels: &Labels,
    ) -> Checked<()> {
        let place = self.with(|context| context.channel(channel))?;
        let argument = ast::Argument::Reference(variable.clone());
        let patterns = self.with(|context| context.patterns(std::slice::from_ref(&argument)))?;
        // Loops that stand in the same block share their counter.
        let block: Vec<String> = self.scope.iter().map(u32::to_string).collect();
        let name = format!("_for{}", block.join("_"));
        let entry = match self.locals.find(&name, &self.scope) {
            Some(entry) => entry.clone(),
            None => {
                let field = Field { name, ty: Declared::Scalar(BYTE), size: None, initial: None, span };
                self.declare_field(&field, false)?
            }
        };
        let counter = Place { variable: entry.leaves()[0], indices: Vec::new(), span };
        self.builder.statement(Statement::Assign(counter.clone(), Value::Const(0)), span, &[]);
        let (read, length) = (Box::new(Value::Read(counter.clone())), Box::new(Value::Length(place.clone())));
        let condition = Value::Binary(BinaryOp::Less, read, length, span);
        self.counting_loop(counter, condition, Some((place, patterns)), body, true, span, labels)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a loop")]
    fn counting_loop(
        &mut self,
        counter: Place,
        condition: Value,
        rotates: Option<(Place, Vec<Pattern>)>,
        body: &[ast::Statement],
        has_else: bool,
        span: Span,
        labels: &Labels,
    ) -> Checked<()> {
        self.builder.begin_loop();
        self.builder.open_sequence();
        self.builder.statement(Statement::Condition(condition), span, &[]);
        if let Some((channel, patterns)) = rotates {
            let places = patterns.iter().filter_map(|pattern| match pattern {
                Pattern::Store(place) => Some(Value::Read(place.clone())),
                _ => None,
            });
            let values = places.collect();
            let receive = Statement::Receive { channel: channel.clone(), patterns, is_random: false, is_copy: false };
            self.builder.statement(receive, span, &[]);
            self.builder.statement(Statement::Send { channel, values, is_sorted: false }, span, &[]);
        }
        self.scopes += 1;
        self.scope.push(self.scopes);
        self.statements(body);
        self.scope.pop();
        let read = Box::new(Value::Read(counter.clone()));
        let next = Value::Binary(BinaryOp::Add, read, Box::new(Value::Const(1)), span);
        self.builder.statement(Statement::Assign(counter, next), span, &[]);
        let main = self.close(span)?;
        self.builder.open_sequence();
        if has_else {
            self.builder.statement(Statement::Else, span, &[]);
        }
        self.builder.break_loop(span, &[]);
        let leave = self.close(span)?;
        self.builder.choice(vec![leave, main], true, span, labels).map_err(super::misplaced)
    }

    /// `select` as SPIN's parser reads it: a loop that counts, and may be left at any time.
    fn select(
        &mut self,
        variable: &ast::Reference,
        first: &ast::Expr,
        last: &ast::Expr,
        span: Span,
        labels: &Labels,
    ) -> Checked<()> {
        let (place, first, last) = (self.place(variable)?, self.value(first)?, self.value(last)?);
        self.builder.statement(Statement::Assign(place.clone(), first), span, &[]);
        let condition = Value::Binary(BinaryOp::Less, Box::new(Value::Read(place.clone())), Box::new(last), span);
        self.counting_loop(place, condition, None, &[], false, span, labels)
    }

    /// `select` between two numbers as SPIN's lexer replaces it: a choice between assignments, or where these are too
    /// many, an assignment and a loop. Then the label is the assignment's, and counting comes before leaving.
    fn select_between(
        &mut self,
        variable: &ast::Reference,
        first: &ast::Expr,
        last: &ast::Expr,
        span: Span,
        labels: &Labels,
    ) -> Checked<()> {
        let place = self.place(variable)?;
        let (Value::Const(least), Value::Const(greatest)) = (self.value(first)?, self.value(last)?) else {
            unreachable!("numbers are constants")
        };
        if least > greatest {
            let message = format!("there is no number between {least} and {greatest}");
            return Err(Problem::new(first.span, message, "the range begins here"));
        }
        if greatest.saturating_sub(least) <= SELECTED_MAX {
            let mut options = Vec::new();
            for value in least..=greatest {
                self.builder.open_sequence();
                self.builder.statement(Statement::Assign(place.clone(), Value::Const(value)), span, &[]);
                options.push(self.close(span)?);
            }
            return self.builder.choice(options, false, span, labels).map_err(super::misplaced);
        }
        self.builder.statement(Statement::Assign(place.clone(), Value::Const(least)), span, labels);
        self.builder.begin_loop();
        let read = || Box::new(Value::Read(place.clone()));
        let is_less = Value::Binary(BinaryOp::Less, read(), Box::new(Value::Const(greatest)), span);
        let next = Value::Binary(BinaryOp::Add, read(), Box::new(Value::Const(1)), span);
        self.builder.open_sequence();
        self.builder.statement(Statement::Condition(is_less), span, &[]);
        self.builder.statement(Statement::Assign(place, next), span, &[]);
        let count = self.close(span)?;
        self.builder.open_sequence();
        self.builder.break_loop(span, &[]);
        let leave = self.close(span)?;
        self.builder.choice(vec![count, leave], true, span, &[]).map_err(super::misplaced)
    }

    /// A statement that is one step.
    fn simple(&mut self, statement: &ast::Statement) -> Checked<Statement> {
        let span = statement.span;
        Ok(match &statement.kind {
            StatementKind::Condition(condition) => match self.with(|context| context.value_or_run(condition))? {
                // The number itself; what is merely worth 1 is a condition.
                ValueOrRun::Value(Value::Const(1)) if is_one(condition) => Statement::Skip,
                ValueOrRun::Value(value) => Statement::Condition(value),
                ValueOrRun::Run(run) => Statement::Run { run: Box::new(run), result: None },
            },
            StatementKind::Else => Statement::Else,
            StatementKind::Skip => Statement::Skip,
            StatementKind::Assign { target, value } => {
                let value = self.with(|context| context.value_or_run(value))?;
                if let (ValueOrRun::Value(value), true) = (&value, is_named(target, "_priority")) {
                    self.resolver.has_priorities = true;
                    return Ok(Statement::SetPriority(Value::Pid, value.clone()));
                }
                let place = if is_named(target, "_") { None } else { Some(self.place(target)?) };
                match (value, place) {
                    (ValueOrRun::Value(value), Some(place)) => Statement::Assign(place, value),
                    (ValueOrRun::Value(_), None) => Statement::Skip,
                    (ValueOrRun::Run(run), result) => Statement::Run { run: Box::new(run), result },
                }
            }
            StatementKind::Increment(target) => self.step_by(target, BinaryOp::Add, span)?,
            StatementKind::Decrement(target) => self.step_by(target, BinaryOp::Subtract, span)?,
            StatementKind::Assert(condition) => {
                let span = self.resolver.unwrapped(condition.span);
                Statement::Assert(self.value(condition)?, span)
            }
            StatementKind::Printf { format, arguments } => {
                let arguments = arguments.iter().map(|argument| self.value(argument));
                Statement::Print(Box::new(Print::Format(format.clone(), arguments.collect::<Checked<Vec<_>>>()?)))
            }
            StatementKind::Printm(value) => {
                let kind = self.with(|context| Ok(context.mtype_kind(value)))?;
                Statement::Print(Box::new(Print::Name(self.value(value)?, kind)))
            }
            StatementKind::Send { channel, values, is_sorted } => {
                let channel = self.with(|context| context.channel(channel))?;
                let values = self.with(|context| context.message(values))?;
                Statement::Send { channel, values, is_sorted: *is_sorted }
            }
            StatementKind::Receive { channel, arguments, is_random, is_copy } => {
                let channel = self.with(|context| context.channel(channel))?;
                let patterns = self.with(|context| context.patterns(arguments))?;
                Statement::Receive { channel, patterns, is_random: *is_random, is_copy: *is_copy }
            }
            StatementKind::SetPriority { process, priority } => {
                self.resolver.has_priorities = true;
                Statement::SetPriority(self.value(process)?, self.value(priority)?)
            }
            other => unreachable!("{other:?} is no simple statement"),
        })
    }

    fn step_by(&mut self, target: &ast::Reference, op: BinaryOp, span: Span) -> Checked<Statement> {
        let place = self.place(target)?;
        let value = Value::Binary(op, Box::new(Value::Read(place.clone())), Box::new(Value::Const(1)), span);
        Ok(Statement::Assign(place, value))
    }
}

fn is_one(expr: &ast::Expr) -> bool {
    matches!(expr.kind, ast::ExprKind::Number(1))
}

/// Whether a reference is just this name.
fn is_named(reference: &ast::Reference, name: &str) -> bool {
    matches!(reference.parts.as_slice(), [part] if part.name.text == name)
}
