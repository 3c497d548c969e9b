//! Finds out what the names of a model stand for, and builds the control structure of its proctypes.

mod asked;
mod body;
mod claim;
mod expression;
mod message_size;
mod observed;
mod own_number;

use crate::ast;
use crate::control::{Builder, Misplaced};
use crate::names::{Declared, Field, Locals, Names, RecordType, Signature};
use crate::problem::{self, Checked, Problem};
use crate::property::{self, Watch};
use crate::typed::{Check, Initial, Proctype, Proposition, Scalar, ScalarKind, Typed, Value, VariableRef};
pub use asked::Asked;
use body::Body;
use dampf_core::{Automaton, Diagnostic, Source, Span};
use dampf_gcl::ir::IntType;
use expression::{Context, Noticed, RemoteVariable, fold};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A channel with room for more messages is refused, as SPIN does.
const CAPACITY_MAX: i32 = 255;

/// More processes than this cannot be.
pub const PROCESSES_MAX: usize = 255;

/// Resolves a model, with conditions that are asked about its states and what watches its runs, or says what is wrong
/// with it or with them.
pub fn resolve(model: &ast::Model, asked: &[Asked<'_>], watches: &[Watch]) -> Result<Typed, Vec<Diagnostic>> {
    let diagnose = |problems: Vec<Problem>| problem::diagnose(&model.source, problems);
    let mut resolver = Resolver { source: Some(Arc::clone(&model.source)), ..Resolver::default() };
    resolver.names.mtype_kind(None);
    resolver.declare_constants(model);
    resolver.declare_types_and_variables(model);
    let proctypes = resolver.proctypes(model);
    // What each looks at, and the automaton of each that is a claim.
    let mut watched: Vec<(Vec<Proposition>, Automaton)> = vec![Default::default(); watches.len()];
    for (watch, (propositions, automaton)) in watches.iter().zip(&mut watched) {
        match watch {
            Watch::Atoms(_) | Watch::Estimates(_) => {}
            Watch::Claim(name) => {
                let claim = resolver.claim(model, name.as_deref());
                if let Some(claim) = resolver.report(claim) {
                    (*propositions, *automaton) = (claim.propositions, claim.automaton);
                }
            }
            Watch::NonProgress => {
                propositions.push(Proposition { text: "np_".to_owned(), condition: Value::NonProgress });
                *automaton = property::non_progress();
            }
        }
    }
    resolver.check_remote_variables(&proctypes);
    if !resolver.problems.is_empty() {
        return Err(diagnose(resolver.problems));
    }
    resolver.remote_labels.extend(observed::labels(model, &resolver.names));
    resolver.checks = resolver.asked(asked, &proctypes)?;
    for (watch, (propositions, _)) in watches.iter().zip(&mut watched) {
        if let Watch::Atoms(atoms) = watch {
            *propositions = resolver.atoms(atoms, &proctypes)?;
        }
    }
    let mut estimates = Vec::new();
    for watch in watches {
        if let Watch::Estimates(texts) = watch {
            estimates.extend(resolver.estimates(texts, &proctypes)?);
        }
    }
    let watches_runs = watches.iter().any(|watch| !matches!(watch, Watch::Estimates(_)));
    let typed = Typed {
        propositions: watched.iter().flat_map(|(propositions, _)| propositions).cloned().collect(),
        has_acceptance: !watches.iter().any(|watch| matches!(watch, Watch::NonProgress)),
        // SPIN runs one claim at a time.
        watching: i32::from(watches_runs),
        estimates,
        watched: property::numbered(
            watched.into_iter().map(|(propositions, automaton)| (propositions.len(), automaton)),
        ),
        ..resolver.finish(model, proctypes)
    };
    if resolver.problems.is_empty() { Ok(typed) } else { Err(diagnose(resolver.problems)) }
}

#[derive(Default)]
struct Resolver {
    source: Option<Arc<Source>>,
    names: Names,
    problems: Vec<Problem>,
    active: Vec<usize>,
    ltl: Vec<String>,
    has_last: bool,
    has_timeout: bool,
    has_enabled: bool,
    has_priorities: bool,
    claims: Vec<String>,
    /// Labels of proctypes that remote references name.
    remote_labels: Vec<(usize, String, Span)>,
    remote_variables: Vec<RemoteVariable>,
    checks: Vec<Check>,
}

/// A proctype whose control structure is not finished: others may refer to its labels.
struct Unfinished {
    name: String,
    locals: Locals,
    parameters: usize,
    provided: Option<Value>,
    priority: i32,
    builder: Builder,
    span: Span,
}

impl Resolver {
    fn report<T>(&mut self, result: Checked<T>) -> Option<T> {
        result.map_err(|problem| self.problems.push(*problem)).ok()
    }

    fn declare_constants(&mut self, model: &ast::Model) {
        for unit in &model.units {
            let ast::Unit::Mtype(declaration) = unit else { continue };
            let kind = self.names.mtype_kind(declaration.kind.as_ref().map(|name| name.text.as_str()));
            // The last name of a declaration has the least value.
            for name in declaration.names.iter().rev() {
                self.names.mtypes[kind].constants.push(name.text.clone());
                let value = self.names.mtypes[kind].constants.len() as i32;
                if self.names.constants.insert(name.text.clone(), (kind, value)).is_some() {
                    let message = format!("`{}` is declared twice", name.text);
                    self.problems.push(*Problem::new(name.span, message, "declared again here"));
                }
            }
        }
    }

    fn declare_types_and_variables(&mut self, model: &ast::Model) {
        for unit in &model.units {
            match unit {
                ast::Unit::Typedef(typedef) => {
                    let fields: Vec<Field> = typedef
                        .fields
                        .iter()
                        .filter_map(|field| {
                            let field = self.field(field, None);
                            self.report(field)
                        })
                        .collect();
                    if self.names.record(&typedef.name.text).is_some() {
                        let message = format!("`{}` is declared twice", typedef.name.text);
                        self.problems.push(*Problem::new(typedef.name.span, message, "declared again here"));
                    }
                    self.names.records.push(RecordType { name: typedef.name.text.clone(), fields });
                }
                ast::Unit::Variables(declarations) => {
                    for declaration in declarations {
                        let declared = self.declare_global(declaration);
                        self.report(declared);
                    }
                }
                ast::Unit::Proctype(proctype) => {
                    let name = proctype.name.text.clone();
                    if self.names.proctype(&name).is_some() {
                        let message = format!("`{name}` is declared twice");
                        self.problems.push(*Problem::new(proctype.name.span, message, "declared again here"));
                    }
                    let parameters = proctype.parameters.iter().map(|parameter| self.names.leaves(&parameter.ty)).sum();
                    self.names.signatures.push(Signature { name, parameters });
                }
                ast::Unit::Ltl(ltl) => {
                    self.ltl.push(ltl.formula.clone());
                    let name = ltl.name.as_ref().map_or(String::new(), |name| format!(" `{}`", name.text));
                    self.claims.push(format!("the formula{name}"));
                }
                ast::Unit::Never(_) => self.claims.push("the never claim".to_owned()),
                ast::Unit::Trace { is_negated: false, .. } => self.claims.push("the trace assertion".to_owned()),
                ast::Unit::Trace { is_negated: true, .. } => self.claims.push("the notrace assertion".to_owned()),
                ast::Unit::Mtype(_) => {}
            }
        }
    }

    fn declare_global(&mut self, declaration: &ast::Declaration) -> Checked<()> {
        let field = self.field(declaration, None)?;
        let mut variables = std::mem::take(&mut self.names.globals);
        let is_hidden = declaration.visibility == ast::Visibility::Hidden;
        let entry = self.names.declare(&field, is_hidden, &mut variables, &VariableRef::Global);
        self.names.globals = variables;
        let name = &declaration.name;
        if self.names.global_names.insert(name.text.clone(), entry?).is_some() {
            let message = format!("`{}` is declared twice", name.text);
            return Err(Problem::new(name.span, message, "declared again here"));
        }
        Ok(())
    }

    /// A declaration with its type and initial value understood.
    fn field(&mut self, declaration: &ast::Declaration, locals: Option<(&Locals, &[u32])>) -> Checked<Field> {
        let mut ty = self.ty(&declaration.ty, declaration.span)?;
        if let (Declared::Scalar(scalar), Some(_)) = (&mut ty, &declaration.array) {
            // SPIN keeps arrays of bits as bytes, and what is stored into them.
            scalar.ty = at_least_a_byte(scalar.ty);
        }
        let size = match &declaration.array {
            None => None,
            Some(size) => {
                let value = self.constant(size)?;
                let fits = u32::try_from(value).ok().filter(|value| *value > 0);
                Some(fits.ok_or_else(|| Problem::new(size.span, "an array has at least one element", "its size"))?)
            }
        };
        let initial = match &declaration.initial {
            None => None,
            Some(ast::Initial::Value(value)) => Some(Initial::Value(self.initial_value(value, locals)?)),
            Some(ast::Initial::List(values)) => {
                let values: Checked<Vec<Value>> =
                    values.iter().map(|value| self.initial_value(value, locals)).collect();
                Some(Initial::List(values?))
            }
            Some(ast::Initial::Channel { capacity, fields, span }) => {
                let room = self.constant(capacity)?;
                if !(0..=CAPACITY_MAX).contains(&room) {
                    let message = format!("a channel has room for 0 to {CAPACITY_MAX} messages");
                    return Err(Problem::new(capacity.span, message, "its capacity"));
                }
                let mut scalars = Vec::new();
                for (ty, span) in fields {
                    let ty = self.ty(ty, *span)?;
                    scalars.extend(self.names.message_fields(&ty, *span)?);
                }
                if let [single] = scalars.as_mut_slice() {
                    // The same for messages of a single field.
                    single.ty = at_least_a_byte(single.ty);
                }
                if !matches!(ty, Declared::Scalar(Scalar { kind: ScalarKind::Channel, .. })) {
                    return Err(Problem::new(*span, "only a `chan` begins as a channel", "given here"));
                }
                Some(Initial::Channels { capacity: room as u32, fields: scalars })
            }
        };
        Ok(Field { name: declaration.name.text.clone(), ty, size, initial, span: declaration.name.span })
    }

    fn initial_value(&mut self, value: &ast::Expr, locals: Option<(&Locals, &[u32])>) -> Checked<Value> {
        let mut context = Context::new(&self.names, locals);
        let value = context.value(value)?;
        let noticed = context.noticed;
        self.notice(noticed);
        Ok(value)
    }

    /// What is within a pair of parentheses.
    fn unwrapped(&self, span: Span) -> Span {
        let text = self.source.as_ref().map_or("", |source| source.slice(span));
        let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return span };
        let mut open = 0;
        for letter in inner.chars() {
            open += i32::from(letter == '(') - i32::from(letter == ')');
            if open < 0 {
                return span;
            }
        }
        Span { start: span.start + 1, end: span.end - 1 }
    }

    fn notice(&mut self, noticed: Noticed) {
        self.has_last |= noticed.last;
        self.has_timeout |= noticed.timeout;
        self.has_enabled |= noticed.enabled;
        self.has_priorities |= noticed.priorities;
        self.remote_labels.extend(noticed.labels);
        self.remote_variables.extend(noticed.variables);
    }

    /// The variables of other processes are known when all processes are read.
    fn check_remote_variables(&mut self, proctypes: &[Unfinished]) {
        for variable in std::mem::take(&mut self.remote_variables) {
            let checked = variable.check(proctypes);
            self.report(checked);
        }
    }

    fn constant(&self, expr: &ast::Expr) -> Checked<i32> {
        let mut context = Context::new(&self.names, None);
        match fold(context.value(expr)?) {
            Value::Const(value) => Ok(value),
            _ => Err(Problem::new(expr.span, "this must be a constant", "has no value yet")),
        }
    }

    fn ty(&mut self, ty: &ast::Type, span: Span) -> Checked<Declared> {
        let number = |ty: IntType| Declared::Scalar(Scalar { ty, kind: ScalarKind::Number });
        Ok(match ty {
            ast::Type::Bit | ast::Type::Bool => number(IntType::BIT),
            ast::Type::Byte | ast::Type::Pid => number(IntType::U8),
            ast::Type::Short => number(IntType::I16),
            ast::Type::Int => number(IntType::I32),
            ast::Type::Unsigned(bits) => match self.constant(bits)? {
                width @ 1..=32 => number(IntType { bits: width as u8, signed: false }),
                _ => return Err(Problem::new(bits.span, "an `unsigned` has 1 to 32 bits", "its width")),
            },
            ast::Type::Mtype(kind) => {
                let kind = self.names.mtype_kind(kind.as_ref().map(|name| name.text.as_str()));
                Declared::Scalar(Scalar { ty: IntType::U8, kind: ScalarKind::Mtype(kind) })
            }
            ast::Type::Chan => Declared::Scalar(Scalar { ty: IntType::U8, kind: ScalarKind::Channel }),
            ast::Type::Record(name) => match self.names.record(&name.text) {
                Some(record) => Declared::Record(record),
                None => {
                    let message = format!("there is no type `{}`", name.text);
                    let known = self.names.records.iter().map(|record| record.name.as_str());
                    return Err(Problem::new(span, message, "used here").suggest(&name.text, known));
                }
            },
        })
    }

    fn proctypes(&mut self, model: &ast::Model) -> Vec<Unfinished> {
        let mut unfinished = Vec::new();
        for unit in &model.units {
            let ast::Unit::Proctype(proctype) = unit else { continue };
            let number = unfinished.len();
            unfinished.push(Body::read(self, proctype));
            let count = match &proctype.active {
                None => 0,
                Some(None) => 1,
                Some(Some(count)) => {
                    let value = self.constant(count);
                    self.report(value).unwrap_or(0).clamp(0, PROCESSES_MAX as i32)
                }
            };
            self.active.extend((0..count).map(|_| number));
        }
        unfinished
    }

    /// Finishes the control structures, labels that others refer to first.
    fn finish(&mut self, model: &ast::Model, mut unfinished: Vec<Unfinished>) -> Typed {
        let mut labels: Vec<BTreeMap<String, u32>> = unfinished.iter().map(|_| BTreeMap::new()).collect();
        for (proctype, label, span) in std::mem::take(&mut self.remote_labels) {
            match unfinished[proctype].builder.labelled_state(&label) {
                Some(number) => {
                    labels[proctype].insert(label, number);
                }
                None if span == Span::default() => {}
                None => {
                    let message = format!("`{}` has no label `{label}`", unfinished[proctype].name);
                    self.problems.push(*Problem::new(span, message, "named here"));
                }
            }
        }
        let mut proctypes = Vec::new();
        for (unfinished, labels) in unfinished.into_iter().zip(labels) {
            let control = unfinished.builder.finish();
            let control = control.map_err(misplaced);
            let control = self.report(control).unwrap_or_default();
            proctypes.push(Proctype {
                name: unfinished.name,
                locals: unfinished.locals.variables,
                parameters: unfinished.parameters,
                provided: unfinished.provided,
                priority: unfinished.priority,
                control,
                labels,
                span: unfinished.span,
            });
        }
        let typed = Typed {
            source: Arc::clone(&model.source),
            mtypes: std::mem::take(&mut self.names.mtypes),
            globals: std::mem::take(&mut self.names.globals),
            proctypes,
            active: std::mem::take(&mut self.active),
            has_last: self.has_last,
            has_timeout: self.has_timeout,
            has_enabled: self.has_enabled,
            has_priorities: self.has_priorities,
            claims: std::mem::take(&mut self.claims),
            ltl: std::mem::take(&mut self.ltl),
            checks: std::mem::take(&mut self.checks),
            propositions: Vec::new(),
            estimates: Vec::new(),
            has_acceptance: true,
            watching: 0,
            watched: Vec::new(),
        };
        self.problems.extend(message_size::check(&typed));
        self.problems.extend(without_process(model, &typed));
        typed
    }
}

/// A model that begins with no process never does anything.
fn without_process(model: &ast::Model, typed: &Typed) -> Option<Problem> {
    let named = model.units.iter().find_map(|unit| match unit {
        ast::Unit::Proctype(proctype) => Some(proctype.name.span),
        _ => None,
    });
    let place = named.unwrap_or_default();
    let help = "start one with `active proctype`, or write an `init` that runs one";
    let problem = || *Problem::new(place, "there is no process at the beginning", "not started by anybody").help(help);
    typed.active.is_empty().then(problem)
}

fn at_least_a_byte(ty: IntType) -> IntType {
    if ty.bits < 8 { IntType::U8 } else { ty }
}

fn misplaced(misplaced: Misplaced) -> Box<Problem> {
    let problem = Problem::new(misplaced.span, misplaced.message, "here");
    match misplaced.help {
        Some(help) => problem.help(help),
        None => problem,
    }
}
