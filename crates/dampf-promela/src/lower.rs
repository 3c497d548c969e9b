//! From a resolved model and the processes it may have to guarded commands.
//!
//! A process of Promela is created and dies, and gets the number of one that died before. In guarded commands processes
//! are there for ever. So there is one of them for every *instance*: a proctype, the number it runs under, and how many
//! channels were there before it, which gives its own channels their numbers. An instance that does not run is in a
//! location of its own, and its variables are 0, so that states correspond one to one to SPIN's. Which instances there
//! can be is found out by exploring (see `prepare.rs`); a step that starts an unknown one is marked, and the model is
//! made again.
//!
//! Channels become variables: their length, and an array for each field of their messages. A send or receive on a
//! channel that is only known when it happens becomes one transition for every channel it can be. The two sides of a
//! rendezvous become one transition that moves both processes.

mod channels;
mod choices;
mod effects;
mod field_counts;
mod reachable;
mod standing;
mod steps;
mod values;

use crate::assumptions::{Assumptions, Bounds, ROOM, Subject};
use crate::typed::{Initial, Place, Scalar, ScalarKind, Statement, Typed, Usage, Value, VariableRef};
use channels::{PointsTo, Queue};
pub use choices::Choice;
use dampf_core::{Span, Unsupported};
use dampf_gcl::ir::{
    Check, Effect, Expr, IntType, Location, LocationId, Place as Slot, Process, ProcessId, Program, Proposition,
    Transition, Variable, VariableId,
};
use reachable::Reachable;
use standing::Standing;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A process that may be there: what it does, its number, and the number of channels that were there before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Instance {
    pub pid: u32,
    pub proctype: usize,
    pub channels: u32,
}

/// The location of an instance that does not run.
pub const ABSENT: LocationId = LocationId(0);

/// What a transition does, in the model's own terms.
#[derive(Clone, Debug)]
pub struct Account {
    /// The statements, each with the instance that executes it.
    pub parts: Vec<Part>,
    /// What the step is not prepared for, if it is marked.
    pub unprepared: Option<Unprepared>,
}

/// What a model was not prepared for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unprepared {
    /// A process of a proctype.
    Process(usize),
    /// So many messages in a channel.
    Room(Subject),
    /// Another channel, of the choice with this number.
    Channel(usize),
    /// Another channel of somebody who stands before a receive.
    Receiver,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub instance: usize,
    pub state: usize,
    pub edge: usize,
    pub alternative: usize,
}

/// A lowered model.
pub struct Lowered {
    pub program: Program,
    pub instances: Vec<Instance>,
    /// For each process and transition.
    pub accounts: Vec<Vec<Account>>,
    /// For each process and location the state of its proctype; none where it does not run.
    pub states: Vec<Vec<Option<usize>>>,
    pub process_count: VariableId,
    pub channel_count: Option<VariableId>,
    /// The variables of each queue, for people.
    pub queues: Vec<Queue>,
    /// What becomes of the variables of the model: for globals, and for each instance's locals.
    pub globals: Vec<Storage>,
    pub locals: Vec<Vec<Storage>>,
    /// What each variable of the program stands for.
    pub subjects: Vec<Option<Subject>>,
    /// Statements that are prepared for some channels.
    pub choices: Vec<Choice>,
    /// The propositions that may have no value in some states.
    pub partial: Vec<usize>,
}

/// Where the values of a variable are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    Variable(VariableId),
    /// A channel variable that never changes: the number of its first channel.
    Channels(u32),
    /// A hidden variable that nobody reads.
    Nowhere,
}

/// A program of more transitions is refused.
const TRANSITIONS_MAX: usize = 200_000;

/// Lowers a model for these processes. With `goes_on`, a violated assertion is passed as well as reported.
pub fn lower(
    typed: &Typed,
    instances: &[Instance],
    assumptions: &Assumptions,
    goes_on: bool,
) -> Result<Lowered, Unsupported> {
    let mut lowering = Lowering::new(typed, instances, assumptions);
    lowering.goes_on = goes_on;
    lowering.declare();
    lowering.points_to = PointsTo::find(&lowering);
    lowering.transitions()?;
    Ok(lowering.finish())
}

struct Lowering<'t> {
    typed: &'t Typed,
    goes_on: bool,
    /// How many expressions for `enabled` are being made, each within the one before, and whether there were too many.
    asking: Cell<u32>,
    is_asked_too_deeply: Cell<bool>,
    instances: &'t [Instance],
    assumptions: &'t Assumptions,
    variables: Vec<Variable>,
    subjects: Vec<Option<Subject>>,
    choices: Vec<Choice>,
    globals: Vec<Storage>,
    locals: Vec<Vec<Storage>>,
    queues: Vec<Queue>,
    points_to: PointsTo,
    process_count: VariableId,
    channel_count: Option<VariableId>,
    last: Option<VariableId>,
    /// For each instance, in a model with priorities.
    priorities: Vec<VariableId>,
    timeout: VariableId,
    /// An array that holds nothing, in a model that uses `enabled`.
    nothing: Option<VariableId>,
    transitions: Vec<Vec<Transition>>,
    transition_count: usize,
    accounts: Vec<Vec<Account>>,
    /// Variables that are changed somewhere, or chosen from by an index: globals, and locals by proctype.
    changed: BTreeSet<(Option<usize>, usize)>,
    read: BTreeSet<(Option<usize>, usize)>,
}

const NOWHERE: Span = Span { start: 0, end: 0 };

/// Stands for the instance where an expression is about no process in particular.
const NOBODY: usize = usize::MAX;

fn constant(value: i32) -> Expr {
    Expr::Const(value)
}

fn cell(variable: VariableId) -> Slot {
    Slot { variable, index: None, span: NOWHERE }
}

fn element(variable: VariableId, index: Expr) -> Slot {
    Slot { variable, index: Some(Box::new(index)), span: NOWHERE }
}

fn assign(target: Slot, value: Expr) -> Effect {
    let span = target.span;
    Effect::Assign { target, value, span }
}

impl<'t> Lowering<'t> {
    fn new(typed: &'t Typed, instances: &'t [Instance], assumptions: &'t Assumptions) -> Self {
        let (changed, read) = used_variables(typed);
        Lowering {
            typed,
            goes_on: false,
            asking: Cell::new(0),
            is_asked_too_deeply: Cell::new(false),
            instances,
            assumptions,
            variables: Vec::new(),
            subjects: Vec::new(),
            choices: Vec::new(),
            globals: Vec::new(),
            locals: Vec::new(),
            queues: Vec::new(),
            points_to: PointsTo::default(),
            process_count: VariableId(0),
            channel_count: None,
            last: None,
            priorities: Vec::new(),
            timeout: VariableId(0),
            nothing: None,
            transitions: instances.iter().map(|_| Vec::new()).collect(),
            transition_count: 0,
            accounts: instances.iter().map(|_| Vec::new()).collect(),
            changed,
            read,
        }
    }

    fn process(&self, instance: usize) -> ProcessId {
        ProcessId(instance as u32)
    }

    fn proctype(&self, instance: usize) -> &'t crate::typed::Proctype {
        &self.typed.proctypes[self.instances[instance].proctype]
    }

    fn location(&self, state: usize) -> LocationId {
        LocationId(state as u32 + 1)
    }

    /// The process is there.
    fn is_alive(&self, instance: usize) -> Expr {
        values::not(Expr::At(self.process(instance), ABSENT))
    }

    fn add_variable(
        &mut self,
        name: &str,
        owner: Option<usize>,
        ty: IntType,
        initial: Vec<i32>,
        array: Option<u32>,
    ) -> VariableId {
        let owner = owner.map(|instance| self.process(instance));
        let initial = initial.into_iter().map(|value| ty.wrap(value)).collect();
        self.variables.push(Variable { name: name.to_owned(), owner, ty, array, initial, span: NOWHERE });
        self.subjects.push(None);
        VariableId(self.variables.len() as u32 - 1)
    }

    fn declare(&mut self) {
        let active = self.typed.active.len() as i32;
        self.process_count = self.add_variable("_nr_pr", None, IntType::U8, vec![active], None);
        self.timeout = self.add_variable("timeout", None, IntType::BIT, vec![0], None);
        if self.typed.has_enabled || !self.typed.propositions.is_empty() {
            self.nothing = Some(self.add_variable("enabled", None, IntType::BIT, vec![0], Some(1)));
        }
        if self.typed.has_last {
            self.last = Some(self.add_variable("_last", None, IntType::U8, vec![0], None));
        }
        let mut next_queue = 1;
        for number in 0..self.typed.globals.len() {
            let storage =
                self.declare_variable(&self.typed.globals[number], None, (None, number), &mut next_queue, true);
            self.globals.push(storage);
        }
        let global_queues = next_queue - 1;
        let mut queues = global_queues;
        for number in 0..self.instances.len() {
            let Instance { proctype, channels, .. } = self.instances[number];
            let is_active = number < self.typed.active.len();
            let mut next_queue = channels + 1;
            self.locals.push(Vec::new());
            for (local, variable) in self.typed.proctypes[proctype].locals.iter().enumerate() {
                let storage =
                    self.declare_variable(variable, Some(number), (Some(proctype), local), &mut next_queue, is_active);
                self.locals[number].push(storage);
            }
            if is_active {
                queues = next_queue - 1;
            }
            if self.typed.has_priorities {
                let initial = if is_active { self.typed.proctypes[proctype].priority } else { 0 };
                let priority = self.add_variable("_priority", Some(number), IntType::U8, vec![initial], None);
                self.priorities.push(priority);
            }
        }
        if self.typed.needs_channel_count() {
            self.channel_count = Some(self.add_variable("_nr_qs", None, IntType::U8, vec![queues as i32], None));
        }
    }

    fn declare_variable(
        &mut self,
        variable: &crate::typed::Variable,
        owner: Option<usize>,
        key: (Option<usize>, usize),
        next_queue: &mut u32,
        is_there: bool,
    ) -> Storage {
        let is_changed = self.changed.contains(&key);
        let first_queue = *next_queue;
        if let Initial::Channels { capacity, fields } = &variable.initial {
            for index in 0..variable.len() {
                let name = if variable.sizes.is_empty() {
                    variable.name.clone()
                } else {
                    format!("{}[{index}]", variable.name)
                };
                let subject = Subject { proctype: key.0, variable: key.1, field: None };
                self.add_queue(first_queue + index, name, owner, *capacity, fields, subject);
            }
            *next_queue += variable.len();
            if !is_changed {
                return Storage::Channels(first_queue);
            }
        }
        if variable.is_hidden && !self.read.contains(&key) {
            return Storage::Nowhere;
        }
        let len = variable.len() as usize;
        let initial = match &variable.initial {
            _ if !is_there => vec![0; len],
            Initial::Channels { .. } => (first_queue..*next_queue).map(|queue| queue as i32).collect(),
            Initial::Value(value) => vec![self.initial_value(value, owner); len],
            Initial::List(values) => {
                let mut values: Vec<i32> = values.iter().map(|value| self.initial_value(value, owner)).collect();
                values.resize(len, 0);
                values
            }
        };
        let array = (!variable.sizes.is_empty()).then_some(variable.len());
        let id = self.add_variable(&variable.name, owner, variable.scalar.ty, initial, array);
        self.variables[id.0 as usize].span = variable.span;
        if variable.scalar.ty.bits > 1 && !is_channel(variable.scalar) {
            self.subjects[id.0 as usize] = Some(Subject { proctype: key.0, variable: key.1, field: None });
        }
        Storage::Variable(id)
    }

    fn add_queue(
        &mut self,
        id: u32,
        name: String,
        owner: Option<usize>,
        capacity: u32,
        fields: &[Scalar],
        subject: Subject,
    ) {
        let room = self.assumptions.room(subject).map_or(capacity, |room| room.clamp(1, capacity.max(1)).min(capacity));
        let fields = fields.to_vec();
        let mut queue = Queue { id, name, owner, capacity, room, subject, fields, length: None, slots: Vec::new() };
        if capacity > 0 {
            let length = format!("len({})", queue.name);
            let length = self.add_variable(&length, owner, IntType::U8, vec![0], None);
            self.subjects[length.0 as usize] = Some(Subject { field: Some(ROOM), ..subject });
            queue.length = Some(length);
            for (number, field) in queue.fields.iter().enumerate() {
                let slots = format!("{}.{number}", queue.name);
                let slots = self.add_variable(&slots, owner, field.ty, vec![0; room as usize], Some(room));
                if field.ty.bits > 1 && !is_channel(*field) {
                    self.subjects[slots.0 as usize] = Some(Subject { field: Some(number), ..subject });
                }
                queue.slots.push(slots);
            }
        }
        self.queues.push(queue);
    }

    /// What is assumed about the values of a variable, if that is less than it could hold.
    fn assumed(&self, variable: VariableId) -> Option<Bounds> {
        let subject = self.subjects[variable.0 as usize]?;
        if subject.field == Some(ROOM) {
            return None;
        }
        let (least, greatest) = self.variables[variable.0 as usize].ty.range();
        self.assumptions.bounds(subject).filter(|bounds| bounds.0 > least || bounds.1 < greatest)
    }

    /// What an expression is worth at the beginning.
    fn initial_value(&self, value: &Value, owner: Option<usize>) -> i32 {
        let of = |value: &Value| self.initial_value(value, owner);
        match value {
            Value::Const(value) => *value,
            Value::Unary(op, operand) => op.apply(of(operand)),
            Value::Binary(op, left, right, _) => op.apply(of(left), of(right)).unwrap_or(0),
            Value::Conditional(condition, then, otherwise) => {
                if of(condition) != 0 {
                    of(then)
                } else {
                    of(otherwise)
                }
            }
            Value::Pid => owner.map_or(0, |instance| self.instances[instance].pid as i32),
            Value::ProcessCount => {
                owner.map_or(0, |instance| self.instances[instance].pid as i32 + 1) + self.typed.watching
            }
            Value::Read(Place { variable, indices, .. }) => {
                let storage = match (variable, owner) {
                    (VariableRef::Global(number), _) => self.globals.get(*number),
                    (VariableRef::Local(number), Some(owner)) => self.locals[owner].get(*number),
                    (VariableRef::Local(_), None) => None,
                };
                let index = indices.first().map_or(0, of) as usize;
                match storage {
                    Some(Storage::Variable(id)) => {
                        self.variables[id.0 as usize].initial.get(index).copied().unwrap_or(0)
                    }
                    Some(Storage::Channels(first)) => *first as i32 + index as i32,
                    _ => 0,
                }
            }
            _ => 0,
        }
    }

    fn storage(&self, variable: VariableRef, instance: usize) -> Storage {
        match variable {
            VariableRef::Global(number) => self.globals[number],
            VariableRef::Local(number) => self.locals[instance][number],
        }
    }

    fn typed_variable(&self, variable: VariableRef, instance: usize) -> &'t crate::typed::Variable {
        match variable {
            VariableRef::Global(number) => &self.typed.globals[number],
            VariableRef::Local(number) => &self.proctype(instance).locals[number],
        }
    }

    /// Where an instance is at the beginning.
    fn beginning(&self, number: usize) -> LocationId {
        let is_active = number < self.typed.active.len();
        if is_active { self.location(self.proctype(number).control.initial) } else { ABSENT }
    }

    /// What is asked about states, of nobody's.
    fn checks(&self, reachable: &Reachable) -> Vec<Check> {
        let checks = self.typed.checks.iter().map(|check| Check {
            kind: check.kind,
            condition: reachable.expr(self.value(&check.condition, NOBODY)),
            text: check.text.clone(),
            span: None,
        });
        checks.collect()
    }

    /// What properties are made of, and which of that may have no value in some states.
    fn propositions(&self, reachable: &Reachable) -> (Vec<Proposition>, Vec<usize>) {
        let propositions = self.typed.propositions.iter().map(|proposition| Proposition {
            text: proposition.text.clone(),
            condition: reachable.expr(values::truth(self.value(&proposition.condition, NOBODY))),
        });
        let propositions: Vec<Proposition> = propositions.collect();
        let may_fail = |number: &usize| values::may_fail(&propositions[*number].condition);
        let partial = (0..propositions.len()).filter(may_fail).collect();
        (propositions, partial)
    }

    fn finish(self) -> Lowered {
        let typed = self.typed;
        let locations: Vec<Vec<Location>> = self.instances.iter().map(|instance| places(typed, *instance)).collect();
        let initial: Vec<LocationId> = (0..self.instances.len()).map(|number| self.beginning(number)).collect();
        let reachable = Reachable::find(&locations, &initial, &self.transitions);
        let checks = self.checks(&reachable);
        let (propositions, partial) = self.propositions(&reachable);
        let estimates = typed.estimates.iter().map(|value| reachable.expr(self.value(value, NOBODY))).collect();
        let named = |choice: Choice| Choice { named: reachable.expr(choice.named), ..choice };
        let choices = self.choices.into_iter().map(named).collect();
        let mut processes = Vec::new();
        let mut accounts = Vec::new();
        let mut states = Vec::new();
        let parts = self.transitions.into_iter().zip(self.accounts).zip(locations).zip(initial);
        for (number, (((transitions, told), locations), initial)) in parts.enumerate() {
            let proctype = &typed.proctypes[self.instances[number].proctype];
            let name = format!("{}:{}", proctype.name.trim_matches(':'), self.instances[number].pid);
            let (transitions, told) = reachable.transitions(number, transitions, told);
            let remaining: Vec<LocationId> = reachable.locations(number).collect();
            let kept = remaining.iter().map(|old| locations[old.0 as usize].clone()).collect();
            let initial = reachable.number(number, initial).expect("the beginning is reached");
            processes.push(Process { name, locations: kept, initial, transitions, span: proctype.span });
            accounts.push(told);
            states.push(remaining.iter().map(|old| (old.0 as usize).checked_sub(1)).collect());
        }
        let has_compound_steps =
            processes.iter().flat_map(|process| &process.transitions).any(|transition| transition.holder.is_some());
        let program = Program {
            name: typed.source.path.clone(),
            source: Arc::clone(&typed.source),
            variables: self.variables,
            channels: Vec::new(),
            processes,
            checks,
            propositions,
            estimates,
            property: None,
            has_error_state: false,
            error_location: None,
            has_compound_steps,
            timeout: typed.has_timeout.then_some(self.timeout),
        };
        Lowered {
            program,
            instances: self.instances.to_vec(),
            accounts,
            states,
            process_count: self.process_count,
            channel_count: self.channel_count,
            queues: self.queues,
            globals: self.globals,
            locals: self.locals,
            subjects: self.subjects,
            choices,
            partial,
        }
    }
}

/// All locations of an instance.
fn places(typed: &Typed, instance: Instance) -> Vec<Location> {
    let proctype = &typed.proctypes[instance.proctype];
    let absent =
        Location { name: "(absent)".to_owned(), committed: false, end: true, accepting: false, span: proctype.span };
    let states = proctype.control.states.iter().map(|state| Location {
        name: state_name(typed, state),
        committed: false,
        end: state.is_end,
        accepting: state.is_accepting && typed.has_acceptance,
        span: state.span,
    });
    std::iter::once(absent).chain(states).collect()
}

/// A label, or the line of what comes next.
fn state_name(typed: &Typed, state: &crate::typed::State) -> String {
    if !state.name.is_empty() {
        return state.name.clone();
    }
    format!("line {}", typed.source.location(state.span).line)
}

type Uses = BTreeSet<(Option<usize>, usize)>;

/// The variables that are changed, or chosen from by an index, and those that are read.
fn used_variables(typed: &Typed) -> (Uses, Uses) {
    let (mut changed, mut read) = (Uses::new(), Uses::new());
    for (number, proctype) in typed.proctypes.iter().enumerate() {
        let key = |variable: VariableRef| match variable {
            VariableRef::Global(global) => (None, global),
            VariableRef::Local(local) => (Some(number), local),
        };
        changed.extend((0..proctype.parameters).map(|parameter| (Some(number), parameter)));
        let edges = || proctype.control.states.iter().flat_map(|state| &state.edges);
        let alternatives = || edges().flat_map(|edge| &edge.alternatives);
        for alternative in alternatives() {
            match &alternative.statement {
                Statement::Assign(place, _) | Statement::Run { result: Some(place), .. } => {
                    changed.insert(key(place.variable));
                }
                Statement::Receive { patterns, .. } => {
                    for pattern in patterns {
                        if let crate::typed::Pattern::Store(place) = pattern {
                            changed.insert(key(place.variable));
                        }
                    }
                }
                _ => {}
            }
        }
        let mut note_read = |place: &Place, usage: Usage| {
            read.insert(key(place.variable));
            let variable = match place.variable {
                VariableRef::Global(global) => &typed.globals[global],
                VariableRef::Local(local) => &proctype.locals[local],
            };
            // An element that is chosen by an index has to be looked up, and the index checked.
            if usage == Usage::Value && !variable.is_within(&place.indices) {
                changed.insert(key(place.variable));
            }
        };
        alternatives().for_each(|alternative| alternative.statement.visit_reads(&mut note_read));
        proctype.provided.iter().for_each(|provided| provided.visit_reads(&mut note_read));
    }
    let checks = typed.checks.iter().map(|check| &check.condition);
    let propositions = typed.propositions.iter().map(|proposition| &proposition.condition);
    for condition in checks.chain(propositions).chain(&typed.estimates) {
        condition.visit_reads(&mut |place: &Place, usage: Usage| {
            let VariableRef::Global(global) = place.variable else { return };
            read.insert((None, global));
            if usage == Usage::Value && !typed.globals[global].is_within(&place.indices) {
                changed.insert((None, global));
            }
        });
    }
    (changed, read)
}

/// Whether a channel variable is one that never changes.
fn is_channel(scalar: Scalar) -> bool {
    scalar.kind == ScalarKind::Channel
}
