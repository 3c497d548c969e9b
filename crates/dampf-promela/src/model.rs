//! A Promela model that engines explore and people read.

use crate::assumptions::{Assumptions, ROOM, Site, Subject};
use crate::lower::{ABSENT, Choice, Instance, Lowered, Part, Storage, Unprepared};
use crate::refutation::Refutation;
use crate::typed::{Print, ScalarKind, Statement, Typed, Value};
use dampf_core::{
    Action, Binding, Describe, Model, Restore, Sections, Step, Successors, Transfer, Unsupported, Word, Worker,
};
use dampf_gcl::Estimate;
use dampf_gcl::ir::{BinaryOp, Effect, Expr, Place, ProcessId, VariableId};
use dampf_gcl::model::{Backend, GclModel, GclWorker};
use std::collections::BTreeSet;
use std::sync::Arc;

pub struct PromelaModel {
    gcl: GclModel,
    typed: Arc<Typed>,
    lowered: Lowered,
}

impl PromelaModel {
    pub(crate) fn new(typed: &Arc<Typed>, lowered: Lowered, backend: Backend) -> Result<Self, Unsupported> {
        let gcl = GclModel::new(lowered.program.clone(), backend)?;
        Ok(PromelaModel { gcl, typed: Arc::clone(typed), lowered })
    }

    /// One that is quickly made.
    pub(crate) fn spacious(typed: &Arc<Typed>, lowered: Lowered) -> Result<Self, Unsupported> {
        let gcl = GclModel::spacious(lowered.program.clone())?;
        Ok(PromelaModel { gcl, typed: Arc::clone(typed), lowered })
    }

    /// The model with estimates, which are asked for by their places.
    #[must_use]
    pub fn estimating(self, estimates: &[Estimate]) -> PromelaModel {
        PromelaModel { gcl: self.gcl.estimating(estimates), ..self }
    }

    /// The model as guarded commands.
    pub fn gcl(&self) -> &GclModel {
        &self.gcl
    }

    /// What a step refutes that the model is not prepared for.
    pub(crate) fn refutation(&self, state: &[Word], action: Action) -> Option<Refutation> {
        let (moment, action) = self.gcl.path(state, action).pop()?;
        let source = self.gcl.actions()[action.front_end() as usize];
        let account = &self.lowered.accounts[source.process.0 as usize][source.transition];
        let proctype = match account.unprepared {
            Some(Unprepared::Process(proctype)) => proctype,
            Some(Unprepared::Channel(choice)) => return self.surprise(choice, &moment),
            Some(Unprepared::Receiver) => {
                let choices = 0..self.lowered.choices.len();
                let mut unprepared = choices.filter(|choice| self.stands_before(*choice, &moment));
                return unprepared.find_map(|choice| self.surprise(choice, &moment));
            }
            Some(Unprepared::Room(subject)) => {
                return Some(Refutation::Values(vec![Subject { field: Some(ROOM), ..subject }]));
            }
            None => {
                let effects = &self.gcl.program().process(source.process).transitions[source.transition].effects;
                let stored = effects.iter().filter_map(|effect| match effect {
                    Effect::Assign { target, .. } => self.lowered.subjects[target.variable.0 as usize],
                    Effect::Assert { .. } | Effect::Assume { .. } => None,
                });
                return Some(Refutation::Values(stored.filter(|subject| subject.field != Some(ROOM)).collect()));
            }
        };
        let value = |variable: VariableId| self.gcl.layout().element(variable, 0).get(&moment) as u32;
        let parents = self.lowered.instances.first().map_or(0, |instance| instance.channels);
        let started = Instance {
            pid: value(self.lowered.process_count),
            proctype,
            channels: self.lowered.channel_count.map_or(parents, value),
        };
        Some(match self.lowered.instances.contains(&started) {
            true => {
                let (instance, site) = self.site(*account.parts.last()?);
                Refutation::Choice(instance, site, started.pid)
            }
            false => Refutation::Process(started),
        })
    }

    fn site(&self, part: Part) -> (Instance, Site) {
        let instance = self.lowered.instances[part.instance];
        let Part { state, edge, alternative, .. } = part;
        (instance, Site { proctype: instance.proctype, state, edge, alternative })
    }

    /// The channel that a statement names without being prepared for it.
    fn surprise(&self, choice: usize, state: &[Word]) -> Option<Refutation> {
        let Choice { part, named, expected } = &self.lowered.choices[choice];
        let number = self.gcl.interpreter().evaluate(named, state).ok()? as u32;
        let (instance, site) = self.site(*part);
        (!expected.contains(&number)).then_some(Refutation::Choice(instance, site, number))
    }

    /// Whether a process is where the statement of a choice comes next.
    fn stands_before(&self, choice: usize, state: &[Word]) -> bool {
        let part = self.lowered.choices[choice].part;
        let location = self.gcl.interpreter().location(ProcessId(part.instance as u32), state);
        self.lowered.states[part.instance][location.0 as usize] == Some(part.state)
    }

    /// Expects the channels that statements would use in a state, wherever their processes are.
    pub(crate) fn observe_choices(&self, state: &[Word], expected: &mut Assumptions) {
        for Choice { part, named, .. } in &self.lowered.choices {
            if self.is_alive(part.instance, state)
                && let Ok(number) = self.gcl.interpreter().evaluate(named, state)
            {
                let (instance, site) = self.site(*part);
                expected.expect(instance, site, number as u32);
            }
        }
    }

    /// Takes the values of a state into account.
    pub(crate) fn observe(&self, state: &[Word], seen: &mut Assumptions) {
        for (number, subject) in self.lowered.subjects.iter().enumerate() {
            let Some(subject) = subject else { continue };
            let id = VariableId(number as u32);
            for index in 0..self.gcl.program().variable(id).array.unwrap_or(1) {
                seen.see(*subject, self.gcl.layout().element(id, index).get(state));
            }
        }
    }

    fn evaluate(&self, value: &Value, instance: usize, state: &[Word]) -> Option<i32> {
        let expr = self.lowered.expression(&self.typed, value, instance)?;
        self.gcl.interpreter().evaluate(&expr, state).ok()
    }

    /// Says so if a proposition has no value in a state: what SPIN does then is its own.
    fn check_propositions(&self, state: &[Word], out: &mut Successors) {
        let propositions = &self.gcl.program().propositions;
        let has_none =
            |number: &&usize| self.gcl.interpreter().evaluate(&propositions[**number].condition, state).is_err();
        if let Some(number) = self.lowered.partial.iter().find(has_none) {
            let text = &propositions[*number].text;
            out.set_unsupported(Unsupported { what: format!("a state in which `{text}` has no value") });
        }
    }

    /// Whether a proposition is `np_`.
    pub(crate) fn is_non_progress(&self, proposition: usize) -> bool {
        matches!(self.typed.propositions[proposition].condition, Value::NonProgress)
    }

    pub(crate) fn is_alive(&self, instance: usize, state: &[Word]) -> bool {
        self.gcl.interpreter().location(ProcessId(instance as u32), state) != ABSENT
    }

    /// A value as its type is written.
    fn shown(&self, kind: ScalarKind, value: i32) -> String {
        let named = |kind: usize| {
            let index = usize::try_from(value).ok()?.checked_sub(1)?;
            self.typed.mtypes[kind].constants.get(index).cloned()
        };
        match kind {
            ScalarKind::Mtype(kind) => named(kind).unwrap_or_else(|| value.to_string()),
            ScalarKind::Number | ScalarKind::Channel => value.to_string(),
        }
    }

    fn variable_binding(&self, name: String, storage: Storage, kind: ScalarKind, state: &[Word]) -> Option<Binding> {
        let Storage::Variable(id) = storage else { return None };
        let element = |index: u32| self.shown(kind, self.gcl.layout().element(id, index).get(state));
        let value = match self.gcl.program().variable(id).array {
            None => element(0),
            Some(len) => format!("[{}]", (0..len).map(element).collect::<Vec<_>>().join(", ")),
        };
        Some(Binding { name, value })
    }

    fn queue_bindings(&self, state: &[Word]) -> Vec<Binding> {
        let mut bindings = Vec::new();
        for (number, queue) in self.lowered.queues.iter().enumerate() {
            let Some(length) = queue.length else { continue };
            if queue.owner.is_some_and(|owner| !self.is_alive(owner, state)) {
                continue;
            }
            let layout = self.gcl.layout();
            let message = |position: u32| {
                let fields = queue.slots.iter().zip(&queue.fields);
                let fields: Vec<String> = fields
                    .map(|(slots, field)| self.shown(field.kind, layout.element(*slots, position).get(state)))
                    .collect();
                if fields.len() == 1 { fields.concat() } else { format!("({})", fields.join(", ")) }
            };
            let messages: Vec<String> = (0..layout.element(length, 0).get(state) as u32).map(message).collect();
            bindings.push(Binding { name: self.channel_name(number), value: format!("[{}]", messages.join(", ")) });
        }
        bindings
    }

    fn process_name(&self, instance: usize) -> &str {
        &self.gcl.program().processes[instance].name
    }

    /// The single statements of a step, each with the state that it is executed in, as far as that is known.
    fn parts(&self, state: &[Word], action: Action) -> Vec<(Part, Option<Vec<Word>>)> {
        let mut parts = Vec::new();
        for (moment, action) in self.gcl.path(state, action) {
            let source = self.gcl.actions()[action.front_end() as usize];
            let account = &self.lowered.accounts[source.process.0 as usize][source.transition];
            for (number, part) in account.parts.iter().enumerate() {
                parts.push((*part, (number == 0).then(|| moment.clone())));
            }
        }
        parts
    }

    fn describe_part(&self, part: Part, state: Option<&[Word]>) -> Step {
        let proctype = &self.typed.proctypes[self.lowered.instances[part.instance].proctype];
        let alternative = &proctype.control.states[part.state].edges[part.edge].alternatives[part.alternative];
        let written = self.typed.source.slice(alternative.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let text = match (&alternative.statement, state) {
            (Statement::End, _) => "ends".to_owned(),
            (Statement::Else, _) => "else".to_owned(),
            (Statement::Print(print), Some(state)) => {
                format!("{written} prints \"{}\"", self.printed(print, part.instance, state).escape_debug())
            }
            (Statement::Send { channel, values, .. }, Some(state)) => {
                let fields = self.fields_of(channel, part.instance, state);
                let kind = |field: usize| fields.get(field).map_or(ScalarKind::Number, |field| field.kind);
                let shown = |(field, value): (usize, &Value)| {
                    Some(self.shown(kind(field), self.evaluate(value, part.instance, state)?))
                };
                let misfit = misfit(values.len(), fields.len());
                match values.iter().enumerate().map(shown).collect::<Option<Vec<String>>>() {
                    Some(values) => format!("{written} sends {}{misfit}", values.join(", ")),
                    None => format!("{written}{misfit}"),
                }
            }
            (Statement::Receive { channel, patterns, is_copy: false, .. }, Some(state)) => {
                let fields = self.fields_of(channel, part.instance, state);
                format!("{written}{}", misfit(patterns.len(), fields.len()))
            }
            _ => written,
        };
        Step {
            process: self.process_name(part.instance).to_owned(),
            function: proctype.name.clone(),
            location: Some(self.typed.source.location(alternative.span)),
            text,
        }
    }

    /// The types of the messages of a channel.
    fn fields_of(&self, channel: &crate::typed::Place, instance: usize, state: &[Word]) -> Vec<crate::typed::Scalar> {
        let number = self.evaluate(&Value::Read(channel.clone()), instance, state).unwrap_or(0);
        let named = self.lowered.queues.iter().find(|queue| queue.id as i32 == number);
        named.map_or_else(Vec::new, |queue| queue.fields.clone())
    }

    /// What a statement prints.
    fn printed(&self, print: &Print, instance: usize, state: &[Word]) -> String {
        match print {
            Print::Name(value, kind) => {
                let value = self.evaluate(value, instance, state).unwrap_or(0);
                self.shown(ScalarKind::Mtype(*kind), value)
            }
            Print::Format(format, arguments) => {
                let mut values = arguments.iter().map(|value| {
                    let kind = match value {
                        Value::Read(place) => self.kind_of(place.variable, instance),
                        _ => ScalarKind::Mtype(0),
                    };
                    (self.evaluate(value, instance, state).unwrap_or(0), kind)
                });
                let mut out = String::new();
                let mut letters = format.chars();
                while let Some(letter) = letters.next() {
                    if letter != '%' {
                        out.push(letter);
                        continue;
                    }
                    match letters.next() {
                        Some('%') => out.push('%'),
                        Some('c') => {
                            let (value, _) = values.next().unwrap_or((0, ScalarKind::Number));
                            out.extend(u8::try_from(value).ok().map(char::from));
                        }
                        Some('e') => {
                            let (value, kind) = values.next().unwrap_or((0, ScalarKind::Number));
                            let kind = if kind == ScalarKind::Number { ScalarKind::Mtype(0) } else { kind };
                            out.push_str(&self.shown(kind, value));
                        }
                        Some('u') => out.push_str(&(values.next().map_or(0, |(value, _)| value) as u32).to_string()),
                        Some('x') => out.push_str(&format!("{:x}", values.next().map_or(0, |(value, _)| value))),
                        Some('o') => out.push_str(&format!("{:o}", values.next().map_or(0, |(value, _)| value))),
                        _ => out.push_str(&values.next().map_or(0, |(value, _)| value).to_string()),
                    }
                }
                out
            }
        }
    }

    fn kind_of(&self, variable: crate::typed::VariableRef, instance: usize) -> ScalarKind {
        match variable {
            crate::typed::VariableRef::Global(number) => self.typed.globals[number].scalar.kind,
            crate::typed::VariableRef::Local(number) => {
                self.typed.proctypes[self.lowered.instances[instance].proctype].locals[number].scalar.kind
            }
        }
    }
}

impl Model for PromelaModel {
    type Worker<'m> = PromelaWorker<'m>;

    fn width(&self) -> usize {
        self.gcl.width()
    }

    fn worker(&self) -> PromelaWorker<'_> {
        PromelaWorker { gcl: self.gcl.worker(), model: self }
    }
}

/// Steps as guarded commands have them. Where one refutes an assumption, it is said in the model's own terms which.
pub struct PromelaWorker<'m> {
    gcl: GclWorker<'m>,
    model: &'m PromelaModel,
}

impl<'m> PromelaWorker<'m> {
    /// The worker of the guarded commands.
    pub(crate) fn gcl(&self) -> &GclWorker<'m> {
        &self.gcl
    }

    pub(crate) fn model(&self) -> &'m PromelaModel {
        self.model
    }

    pub(crate) fn gcl_mut(&mut self) -> &mut GclWorker<'m> {
        &mut self.gcl
    }

    #[cold]
    fn explain(&self, state: &[Word], out: &mut Successors) {
        let actions: Vec<Action> = out.refuted().iter().map(|(index, _)| out.action(*index)).collect();
        for ((_, revise), action) in out.refuted_mut().iter_mut().zip(actions) {
            revise.facts = self.model.refutation(state, action).map_or_else(Vec::new, |refutation| refutation.encode());
        }
    }
}

impl Worker for PromelaWorker<'_> {
    fn initial(&mut self, out: &mut Successors) {
        self.gcl.initial(out);
    }

    #[inline]
    fn successors(&mut self, state: &[Word], out: &mut Successors) {
        self.gcl.successors(state, out);
        if !out.refuted().is_empty() {
            self.explain(state, out);
        }
        if !self.model.lowered.partial.is_empty() {
            self.model.check_propositions(state, out);
        }
    }
}

/// States hold no names of parts.
impl Transfer for PromelaModel {}
impl Restore for PromelaModel {}

/// Sections are those of guarded commands, but that a channel is one, whatever variables it is made of:
/// processes (`P:1`, with their local variables and channels), variables (`x`, `P:1.x`), channels (`q`, `P:1.q`).
impl Sections for PromelaModel {
    fn section(&self, name: &str) -> Option<Vec<Word>> {
        if self.names_within_channels().contains(name) {
            return None;
        }
        let channels = self.buffered_channels().filter(|number| self.channel_name(*number) == name);
        let fields =
            channels.flat_map(|number| self.channel_variables(number)).flat_map(|id| self.gcl.variable_fields(id));
        let of_channels = self.gcl.mask_of(fields);
        match self.gcl.section(name) {
            Some(mask) => Some(mask.iter().zip(of_channels).map(|(left, right)| left | right).collect()),
            None => self.buffered_channels().any(|number| self.channel_name(number) == name).then_some(of_channels),
        }
    }

    fn sections(&self) -> Vec<String> {
        let hidden = self.names_within_channels();
        let mut names = self.gcl.sections();
        names.retain(|name| !hidden.contains(name));
        names.extend(self.buffered_channels().map(|number| self.channel_name(number)));
        let mut seen = BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }
}

impl PromelaModel {
    /// The channels that hold messages.
    fn buffered_channels(&self) -> impl Iterator<Item = usize> {
        (0..self.lowered.queues.len()).filter(|number| self.lowered.queues[*number].length.is_some())
    }

    fn channel_name(&self, number: usize) -> String {
        let queue = &self.lowered.queues[number];
        match queue.owner {
            Some(owner) => format!("{}.{}", self.process_name(owner), queue.name),
            None => queue.name.clone(),
        }
    }

    /// The variables that a channel is made of.
    fn channel_variables(&self, number: usize) -> impl Iterator<Item = VariableId> {
        let queue = &self.lowered.queues[number];
        queue.length.into_iter().chain(queue.slots.iter().copied())
    }

    /// What guarded commands call those variables. Nobody has written such names.
    fn names_within_channels(&self) -> BTreeSet<String> {
        let variables = self.buffered_channels().flat_map(|number| self.channel_variables(number));
        variables.map(|id| self.gcl.program().variable_name(id)).collect()
    }
}

impl Describe for PromelaModel {
    /// The processes that are there, the variables, the channels.
    fn describe_state(&self, state: &[Word]) -> Vec<Binding> {
        let mut bindings = Vec::new();
        let alive: Vec<usize> =
            (0..self.lowered.instances.len()).filter(|instance| self.is_alive(*instance, state)).collect();
        for (variable, storage) in self.typed.globals.iter().zip(&self.lowered.globals) {
            bindings.extend(self.variable_binding(variable.name.clone(), *storage, variable.scalar.kind, state));
        }
        bindings.extend(self.queue_bindings(state));
        for &instance in &alive {
            let location = self.gcl.interpreter().location(ProcessId(instance as u32), state);
            let process = &self.gcl.program().processes[instance];
            let value = process.locations[location.0 as usize].name.clone();
            bindings.push(Binding { name: process.name.clone(), value });
            let proctype = &self.typed.proctypes[self.lowered.instances[instance].proctype];
            for (variable, storage) in proctype.locals.iter().zip(&self.lowered.locals[instance]) {
                let name = format!("{}.{}", process.name, variable.name);
                bindings.extend(self.variable_binding(name, *storage, variable.scalar.kind, state));
            }
        }
        bindings
    }

    fn describe_step(&self, before: &[Word], action: Action) -> Step {
        let mut parts = self.describe_parts(before, action);
        let mut step = parts.remove(0);
        for part in parts {
            step.text = format!("{}; {}", step.text, part.text);
        }
        step
    }

    fn describe_parts(&self, before: &[Word], action: Action) -> Vec<Step> {
        let parts = self.parts(before, action);
        let mut steps: Vec<Step> =
            parts.iter().map(|(part, state)| self.describe_part(*part, state.as_deref())).collect();
        if steps.is_empty() {
            let source = self.gcl.path(before, action).last().map(|(_, action)| *action).unwrap_or(action);
            steps.push(self.gcl.describe_step(before, source));
        }
        steps
    }

    fn describe_blocked(&self, state: &[Word]) -> Vec<String> {
        let mut lines = Vec::new();
        for instance in (0..self.lowered.instances.len()).filter(|instance| self.is_alive(*instance, state)) {
            let location = self.gcl.interpreter().location(ProcessId(instance as u32), state);
            let proctype = &self.typed.proctypes[self.lowered.instances[instance].proctype];
            let Some(state) = self.lowered.states[instance][location.0 as usize] else { continue };
            let description = &proctype.control.states[state];
            let place = self.typed.source.location(description.span);
            let mut waits: Vec<String> = Vec::new();
            for alternative in description.edges.iter().flat_map(|edge| &edge.alternatives) {
                let text = match alternative.statement {
                    Statement::End => "the end of the processes it is older than".to_owned(),
                    _ => {
                        let words = self.typed.source.slice(alternative.span).split_whitespace();
                        format!("`{}`", words.collect::<Vec<_>>().join(" "))
                    }
                };
                if !waits.contains(&text) {
                    waits.push(text);
                }
            }
            let name = self.process_name(instance);
            lines.push(format!("{name} at {}:{}: waits for {}", place.file, place.line, waits.join(" or ")));
        }
        lines
    }
}

/// What is wrong with a statement of so many fields, for a channel whose messages have so many; nothing is known of a
/// channel that has none.
fn misfit(given: usize, fields: usize) -> String {
    match fields {
        0 => String::new(),
        _ if fields == given => String::new(),
        _ => format!(" (fields: {given}, of the channel's messages: {fields})"),
    }
}

impl Lowered {
    /// A simple expression of an instance; none for one that depends on more than variables.
    fn expression(&self, typed: &Typed, value: &Value, instance: usize) -> Option<Expr> {
        let of = |value: &Value| self.expression(typed, value, instance).map(Box::new);
        Some(match value {
            Value::Const(value) => Expr::Const(*value),
            Value::Pid => Expr::Const(self.instances[instance].pid as i32),
            Value::ProcessCount => {
                let count = Expr::Read(Place { variable: self.process_count, index: None, span: Default::default() });
                let watching = Expr::Const(typed.watching);
                Expr::Binary(BinaryOp::Add, Box::new(count), Box::new(watching), Default::default())
            }
            Value::Unary(op, operand) => Expr::Unary(*op, of(operand)?),
            Value::Binary(op, left, right, span) => Expr::Binary(*op, of(left)?, of(right)?, *span),
            Value::Conditional(condition, then, otherwise) => {
                Expr::Conditional(of(condition)?, of(then)?, of(otherwise)?)
            }
            Value::Read(place) => {
                let (storage, sizes) = match place.variable {
                    crate::typed::VariableRef::Global(number) => (self.globals[number], &typed.globals[number].sizes),
                    crate::typed::VariableRef::Local(number) => {
                        let proctype = &typed.proctypes[self.instances[instance].proctype];
                        (self.locals[instance][number], &proctype.locals[number].sizes)
                    }
                };
                let index = match (sizes.len(), place.indices.as_slice()) {
                    (0, _) => None,
                    (1, [index]) => Some(of(index)?),
                    _ => return None,
                };
                match storage {
                    Storage::Variable(variable) => Expr::Read(Place { variable, index, span: place.span }),
                    Storage::Channels(first) => match index.as_deref() {
                        None => Expr::Const(first as i32),
                        Some(Expr::Const(index)) => Expr::Const(first as i32 + index),
                        Some(_) => return None,
                    },
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
}

/// A model in words, a line each.
pub struct About {
    pub processes: Vec<String>,
    pub channels: Vec<String>,
    pub variables: Vec<String>,
    pub formulas: Vec<String>,
}

impl PromelaModel {
    /// What the model consists of.
    pub fn about(&self) -> About {
        let instances = self.lowered.instances.iter().enumerate();
        let processes = instances.map(|(number, instance)| {
            let proctype = &self.typed.proctypes[instance.proctype];
            let when = if number < self.typed.active.len() { "from the beginning" } else { "when started" };
            let states = proctype.control.states.len();
            format!("{:<4} {:<20} {states} places, {when}", instance.pid, proctype.name.trim_matches(':'))
        });
        let channels = self.lowered.queues.iter().map(|queue| {
            let fields: Vec<String> = queue.fields.iter().map(|field| self.type_name(*field)).collect();
            let owner = queue.owner.map_or(String::new(), |owner| format!(", of {}", self.process_name(owner)));
            format!("{:<4} {:<20} [{}] of {{ {} }}{owner}", queue.id, queue.name, queue.capacity, fields.join(", "))
        });
        let program = self.gcl.program();
        let variables = (0..program.variables.len() as u32).map(VariableId).filter_map(|id| {
            let variable = program.variable(id);
            let range = self.gcl.ranges()[id.0 as usize];
            let array = variable.array.map_or(String::new(), |len| format!("[{len}]"));
            let name = format!("{}{array}", program.variable_name(id));
            (variable.name != "timeout").then(|| format!("{name:<25} {} values", range.count))
        });
        About {
            processes: processes.collect(),
            channels: channels.collect(),
            variables: variables.collect(),
            formulas: self.typed.ltl.clone(),
        }
    }

    fn type_name(&self, scalar: crate::typed::Scalar) -> String {
        match scalar.kind {
            ScalarKind::Channel => "chan".to_owned(),
            ScalarKind::Mtype(kind) => match &self.typed.mtypes[kind].name {
                Some(name) => format!("mtype:{name}"),
                None => "mtype".to_owned(),
            },
            ScalarKind::Number => match (scalar.ty.bits, scalar.ty.signed) {
                (1, _) => "bit".to_owned(),
                (8, false) => "byte".to_owned(),
                (16, true) => "short".to_owned(),
                (32, true) => "int".to_owned(),
                (bits, _) => format!("unsigned:{bits}"),
            },
        }
    }
}
