//! Pattern databases: distances in an abstraction of the program, as estimates that are never too much.
//!
//! A *pattern* is a part of the state: the locations of some processes and some variables. What is left out may have
//! any value at any time. So every step of the program is a step of the abstraction, which has further ones, and the
//! way to an error is never longer there. The abstraction is explored forward, with the predecessors of every state,
//! and distances are computed backwards from the states that may be errors (Culberson and Schaeffer; Edelkamp for model
//! checking).
//!
//! Invariant: what is not known is taken for what makes the way shorter. A condition without a value may fail; a value
//! that is not known may be any of its variable's; a state that was not explored any more may be an error itself.
//!
//! Where steps are made of several single ones, all but the last of these leave a holder. A single step counts only
//! where it leaves none, and so a step counts once at most.

use crate::estimates::FAR;
use crate::ir::{
    ActionSource, BinaryOp, ChannelId, Effect, Expr, Place, ProcessId, Program, Sync, Transition, VariableId,
};
use crate::layout::{Field, places_of};
use crate::model::GclModel;
use crate::ranges::Range;
use dampf_core::{FaultKind, Model, Word};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// Abstractions with more states, or more steps, are explored up to here.
const STATES_MAX: usize = 1 << 19;
const STEPS_MAX: usize = 1 << 21;
/// A step with more outcomes is not followed: the state it leaves may be an error itself.
const OUTCOMES_MAX: u64 = 1 << 12;
/// What a pattern that the model chooses should have at most, in states.
const CHOSEN_STATES_MAX: u64 = 1 << 18;

/// Which faults count, besides violated checks and assertions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// States in which nothing can move.
    pub deadlocks: bool,
    /// Indices out of bounds, divisions by zero.
    pub steps: bool,
}

/// Distances by a part of the state.
pub struct PatternDatabase {
    /// Where the values of the pattern are in a state.
    fields: Vec<Field>,
    distances: HashMap<Box<[i32]>, u32>,
}

impl PatternDatabase {
    /// The databases of some patterns, or of one that suits the program. Names that mean nothing are left out: whoever
    /// reads them asks [`GclModel::is_pattern_part`] before.
    pub fn all(model: &GclModel, patterns: &[Vec<String>], counted: Counted) -> Vec<PatternDatabase> {
        let pattern = |names: &Vec<String>| {
            let mut pattern = Pattern::default();
            names.iter().for_each(|name| pattern.add(model.program(), name));
            PatternDatabase::new(model, pattern, counted)
        };
        match patterns {
            [] => vec![PatternDatabase::new(model, Pattern::chosen(model), counted)],
            _ => patterns.iter().map(pattern).collect(),
        }
    }

    fn new(model: &GclModel, pattern: Pattern, counted: Counted) -> PatternDatabase {
        let abstraction = Abstraction::new(model, pattern, counted);
        let fields = abstraction.fields();
        let distances = abstraction.distances(model);
        PatternDatabase { fields, distances }
    }

    /// Never more than the steps from a state to a fault that counts.
    pub fn distance(&self, state: &[Word]) -> u32 {
        let key: Vec<i32> = self.fields.iter().map(|field| field.get(state)).collect();
        self.distances.get(key.as_slice()).copied().unwrap_or(0)
    }

    /// How many abstract states there are.
    pub fn len(&self) -> usize {
        self.distances.len()
    }

    pub fn is_empty(&self) -> bool {
        self.distances.is_empty()
    }
}

impl GclModel {
    /// Whether a name is that of something a pattern can have: a process, which stands for its location and its local
    /// variables, or a variable.
    pub fn is_pattern_part(program: &Program, name: &str) -> bool {
        let mut pattern = Pattern::default();
        pattern.add(program, name);
        !pattern.processes.is_empty() || !pattern.variables.is_empty()
    }
}

/// What an abstraction keeps.
#[derive(Clone, Default, Debug)]
struct Pattern {
    processes: BTreeSet<u32>,
    variables: BTreeSet<u32>,
}

impl Pattern {
    fn add(&mut self, program: &Program, name: &str) {
        for number in (0..program.processes.len()).filter(|&number| program.processes[number].name == name) {
            self.add_process(program, number as u32);
        }
        let named = |id: &u32| program.variable_name(VariableId(*id)) == name;
        self.variables.extend((0..program.variables.len() as u32).filter(named));
        self.leave_out_timeout(program);
    }

    fn add_process(&mut self, program: &Program, number: u32) {
        self.processes.insert(number);
        let is_local = |id: &u32| program.variable(VariableId(*id)).owner == Some(ProcessId(number));
        self.variables.extend((0..program.variables.len() as u32).filter(is_local));
    }

    /// What says that nothing else can happen is part of no state.
    fn leave_out_timeout(&mut self, program: &Program) {
        self.variables.retain(|id| program.timeout != Some(VariableId(*id)));
    }

    /// What the checks look at, and then the processes that change it with what they wait for, as far as there are not
    /// too many states.
    fn chosen(model: &GclModel) -> Pattern {
        let program = model.program();
        let mut pattern = Pattern::default();
        let asserted = program.processes.iter().enumerate().flat_map(|(number, process)| {
            let effects = process.transitions.iter().flat_map(|transition| &transition.effects);
            effects.filter_map(move |effect| match effect {
                Effect::Assert { condition, .. } => Some((Some(number as u32), condition)),
                _ => None,
            })
        });
        let checked = program.checks.iter().map(|check| (None, &check.condition));
        let mut wanted: VecDeque<Part> = VecDeque::new();
        for (process, condition) in checked.chain(asserted) {
            places_of(condition, &mut |place| wanted.push_back(Part::Variable(place.variable.0)));
            locations_of(condition, &mut |process| wanted.push_back(Part::Process(process.0)));
            wanted.extend(process.map(Part::Process));
        }
        let mut size = 1u64;
        let mut seen = BTreeSet::new();
        while let Some(part) = wanted.pop_front() {
            let grown = size.saturating_mul(part.size(model));
            if !seen.insert(part) || grown > CHOSEN_STATES_MAX {
                continue;
            }
            size = grown;
            match part {
                Part::Process(number) => {
                    pattern.processes.insert(number);
                    let is_local = |id: &u32| program.variable(VariableId(*id)).owner == Some(ProcessId(number));
                    let locals = (0..program.variables.len() as u32).filter(is_local);
                    wanted.extend(locals.map(Part::Variable));
                    let process = &program.processes[number as usize];
                    for guard in process.transitions.iter().filter_map(|transition| transition.guard.as_ref()) {
                        places_of(guard, &mut |place| wanted.push_back(Part::Variable(place.variable.0)));
                    }
                }
                Part::Variable(id) => {
                    pattern.variables.insert(id);
                    wanted.extend(writers(program, id).map(Part::Process));
                }
            }
        }
        pattern.leave_out_timeout(program);
        pattern
    }
}

/// Something that a pattern can have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    Process(u32),
    Variable(u32),
}

impl Part {
    fn size(self, model: &GclModel) -> u64 {
        match self {
            Part::Process(number) => model.program().processes[number as usize].locations.len() as u64,
            Part::Variable(id) => {
                let elements = model.program().variable(VariableId(id)).array.unwrap_or(1);
                model.ranges()[id as usize].count.saturating_pow(elements)
            }
        }
    }
}

/// The processes that store into a variable.
fn writers(program: &Program, id: u32) -> impl Iterator<Item = u32> {
    let stores = move |transition: &Transition| {
        let targets = match &transition.sync {
            Some(Sync::Receive { targets, .. }) => targets.as_slice(),
            _ => &[],
        };
        let assigned = transition.effects.iter().filter_map(|effect| match effect {
            Effect::Assign { target, .. } => Some(target),
            _ => None,
        });
        targets.iter().chain(assigned).any(|target| target.variable.0 == id)
    };
    let processes = program.processes.iter().enumerate();
    processes.filter(move |(_, process)| process.transitions.iter().any(stores)).map(|(number, _)| number as u32)
}

fn locations_of(expr: &Expr, visit: &mut dyn FnMut(ProcessId)) {
    match expr {
        Expr::At(process, _) => visit(*process),
        Expr::Unary(_, operand) => locations_of(operand, visit),
        Expr::Binary(_, left, right, _) => [left, right].into_iter().for_each(|part| locations_of(part, visit)),
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| locations_of(part, visit));
        }
        Expr::Const(_) | Expr::Read(_) | Expr::Length(_) => {}
    }
}

/// A value that may be unknown, and whether finding it out may be a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Seen {
    value: Option<i32>,
    may_fault: bool,
}

const UNKNOWN: Seen = Seen { value: None, may_fault: false };

/// Some of whose values may be unknown while a step is under way.
type Values = Vec<Option<i32>>;

struct Abstraction<'m> {
    program: &'m Program,
    actions: &'m [ActionSource],
    counted: Counted,
    /// For each process, where its location is among the values.
    locations: Vec<Option<usize>>,
    /// For each variable, where its first element is.
    variables: Vec<Option<usize>>,
    /// For each value, the field, and the values that it can have.
    slots: Vec<(Field, Range)>,
    /// Whether a step that is a fault makes the state nearer to an error: it is one, or it leads to the error state.
    heeds_faults: bool,
    /// For each process, the locations that are committed; and whether there are some in processes that are left out.
    committed: Vec<Vec<bool>>,
    has_unseen_commitment: bool,
}

/// What a step of the abstraction leads to.
struct AbstractStep {
    weight: u32,
    target: Box<[i32]>,
}

/// The steps of an abstract state.
#[derive(Default)]
struct AbstractSteps {
    steps: Vec<AbstractStep>,
    /// Whether a step may be a fault, or has too many outcomes to be followed.
    may_fault: bool,
    is_given_up: bool,
    /// Whether a step can be taken for certain.
    goes_on: bool,
}

impl<'m> Abstraction<'m> {
    fn new(model: &'m GclModel, pattern: Pattern, counted: Counted) -> Self {
        let (program, layout) = (model.program(), model.layout());
        let mut slots = Vec::new();
        let mut locations = vec![None; program.processes.len()];
        for &number in &pattern.processes {
            let process = &program.processes[number as usize];
            locations[number as usize] = Some(slots.len());
            slots.push((layout.locations[number as usize], Range { base: 0, count: process.locations.len() as u64 }));
        }
        let mut variables = vec![None; program.variables.len()];
        for &id in &pattern.variables {
            variables[id as usize] = Some(slots.len());
            let range = model.ranges()[id as usize];
            slots.extend(model.variable_fields(VariableId(id)).map(|field| (field, range)));
        }
        let committed = |process: &crate::ir::Process| process.locations.iter().map(|one| one.committed).collect();
        let committed: Vec<Vec<bool>> = program.processes.iter().map(committed).collect();
        let has_unseen_commitment =
            committed.iter().zip(&locations).any(|(committed, kept)| kept.is_none() && committed.contains(&true));
        Abstraction {
            program,
            actions: model.actions(),
            counted,
            locations,
            variables,
            slots,
            heeds_faults: counted.steps || program.error_location.is_some(),
            committed,
            has_unseen_commitment,
        }
    }

    fn fields(&self) -> Vec<Field> {
        self.slots.iter().map(|(field, _)| *field).collect()
    }

    /// Explores, and computes distances backwards.
    fn distances(&self, model: &GclModel) -> HashMap<Box<[i32]>, u32> {
        let initial = model.interpreter().initial_state();
        debug_assert_eq!(initial.len(), model.width());
        let initial: Box<[i32]> = self.slots.iter().map(|(field, _)| field.get(&initial)).collect();
        let mut numbers: HashMap<Box<[i32]>, u32> = HashMap::from([(initial.clone(), 0)]);
        let mut states = vec![initial];
        let mut before: Vec<Vec<(u32, u32)>> = vec![Vec::new()];
        let mut distances: Vec<u32> = Vec::new();
        // States by their distances so far, the nearest first.
        let mut near = VecDeque::new();
        let (mut next, mut taken) = (0, 0);
        while next < states.len() {
            let state = states[next].clone();
            let is_beyond = states.len() > STATES_MAX || taken > STEPS_MAX;
            let steps = if is_beyond { AbstractSteps::default() } else { self.steps(&state) };
            let is_error = is_beyond || steps.is_given_up || self.may_fail(&state);
            let may_be_stuck = self.counted.deadlocks && !steps.goes_on;
            match (is_error || may_be_stuck, steps.may_fault) {
                (true, _) => near.push_front((0, next as u32)),
                (false, true) => near.push_back((1, next as u32)),
                (false, false) => {}
            }
            distances.push(FAR);
            taken += steps.steps.len();
            for AbstractStep { weight, target } in steps.steps {
                let number = *numbers.entry(target).or_insert_with_key(|target| {
                    states.push(target.clone());
                    before.push(Vec::new());
                    states.len() as u32 - 1
                });
                before[number as usize].push((next as u32, weight));
            }
            next += 1;
        }
        while let Some((distance, number)) = near.pop_front() {
            if distances[number as usize] <= distance {
                continue;
            }
            distances[number as usize] = distance;
            for &(source, weight) in &before[number as usize] {
                match weight {
                    0 => near.push_front((distance, source)),
                    _ => near.push_back((distance + 1, source)),
                }
            }
        }
        states.into_iter().zip(distances).collect()
    }

    /// Whether a check may fail in a state.
    fn may_fail(&self, state: &[i32]) -> bool {
        let values: Values = state.iter().copied().map(Some).collect();
        self.program.checks.iter().any(|check| {
            let seen = self.evaluate(&check.condition, &values);
            let fails = |value: i32| (value != 0) == (check.kind == FaultKind::Goal);
            seen.may_fault || seen.value.is_none_or(fails)
        })
    }

    fn steps(&self, state: &[i32]) -> AbstractSteps {
        let values: Values = state.iter().copied().map(Some).collect();
        let mut steps = AbstractSteps::default();
        let is_committed = |(number, slot): (usize, &Option<usize>)| {
            slot.is_some_and(|slot| self.committed[number][state[slot] as usize])
        };
        let some_committed = self.locations.iter().enumerate().any(is_committed);
        for action in self.actions {
            let transition = &self.program.process(action.process).transitions[action.transition];
            let partner = action.partner.map(|(process, index)| {
                let transition = &self.program.process(process).transitions[index];
                (process, transition)
            });
            let movers = [Some((action.process, transition)), partner];
            let keeps = |&(process, transition): &(ProcessId, &Transition)| {
                some_committed && !self.committed[process.0 as usize][transition.source.0 as usize]
            };
            if movers.iter().flatten().any(keeps) {
                continue;
            }
            self.take(&values, (action.process, transition), partner, &mut steps);
        }
        steps
    }

    /// Whether a process may be in a location, and whether it is for certain.
    fn stands(&self, process: ProcessId, location: u32, values: &Values) -> Option<bool> {
        match self.locations[process.0 as usize] {
            Some(slot) => (values[slot] == Some(location as i32)).then_some(true),
            None => Some(false),
        }
    }

    /// Adds what a transition, with the one of its partner, may lead to.
    fn take(
        &self,
        values: &Values,
        (process, transition): (ProcessId, &Transition),
        partner: Option<(ProcessId, &Transition)>,
        steps: &mut AbstractSteps,
    ) {
        let mut is_certain = transition.sync.is_none() && !self.has_unseen_commitment;
        let mut stands = vec![(process, transition.source.0)];
        stands.extend(partner.map(|(process, transition)| (process, transition.source.0)));
        stands.extend(transition.joint.map(|joint| (joint.process, joint.source.0)));
        for (process, location) in stands {
            let Some(is_there) = self.stands(process, location, values) else { return };
            is_certain &= is_there;
        }
        let guards = [Some(transition), partner.map(|(_, transition)| transition)];
        for guard in guards.into_iter().flatten().filter_map(|transition| transition.guard.as_ref()) {
            let seen = self.evaluate(guard, values);
            steps.may_fault |= seen.may_fault && self.heeds_faults;
            if seen.value == Some(0) {
                return;
            }
            is_certain &= seen.value.is_some() && !seen.may_fault;
        }
        steps.goes_on |= is_certain;

        let mut next = values.clone();
        self.move_to(process, transition.target.0, &mut next);
        if let Some((process, transition)) = partner {
            self.move_to(process, transition.target.0, &mut next);
        }
        if let Some(joint) = transition.joint {
            self.move_to(joint.process, joint.target.0, &mut next);
        }
        let mut course = Course { may_fault: false, goes_on: true };
        match (&transition.sync, partner) {
            (Some(Sync::Send { channel, values: sent }), Some((_, receiving))) => {
                let sent: Vec<Seen> = sent.iter().map(|value| self.evaluate(value, values)).collect();
                course.may_fault |= sent.iter().any(|seen| seen.may_fault);
                self.receive(receiving, *channel, &sent, &mut next, &mut course);
                self.run(&receiving.effects, &mut next, &mut course, steps);
            }
            (Some(Sync::Receive { channel, .. }), None) => {
                self.receive(transition, *channel, &[], &mut next, &mut course);
            }
            (Some(Sync::Send { values: sent, .. }), None) => {
                course.may_fault |= sent.iter().any(|value| self.evaluate(value, values).may_fault);
            }
            _ => {}
        }
        self.run(&transition.effects, &mut next, &mut course, steps);
        steps.may_fault |= course.may_fault && self.heeds_faults;
        if course.goes_on {
            let holder = partner.and_then(|(_, receiving)| receiving.holder).or(transition.holder);
            self.spread(&next, u32::from(holder.is_none()), steps);
        }
    }

    fn move_to(&self, process: ProcessId, location: u32, next: &mut Values) {
        if let Some(slot) = self.locations[process.0 as usize] {
            next[slot] = Some(location as i32);
        }
    }

    /// Stores what is received; nothing is known of messages that waited.
    fn receive(&self, by: &Transition, channel: ChannelId, sent: &[Seen], next: &mut Values, course: &mut Course) {
        let Some(Sync::Receive { targets, .. }) = &by.sync else { return };
        let fields = &self.program.channel(channel).fields;
        for (number, target) in targets.iter().enumerate() {
            let value = sent.get(number).and_then(|seen| seen.value).map(|value| fields[number].wrap(value));
            self.assign(target, value, next, course);
        }
    }

    fn run(&self, effects: &[Effect], next: &mut Values, course: &mut Course, steps: &mut AbstractSteps) {
        for effect in effects {
            if !course.goes_on {
                return;
            }
            match effect {
                Effect::Assign { target, value, .. } => {
                    let seen = self.evaluate(value, next);
                    course.may_fault |= seen.may_fault;
                    self.assign(target, seen.value, next, course);
                }
                Effect::Assert { condition, .. } => {
                    let seen = self.evaluate(condition, next);
                    // A violated assertion counts whatever else does.
                    steps.may_fault |= seen.may_fault || seen.value.is_none_or(|value| value == 0);
                    course.goes_on = seen.value != Some(0);
                }
                Effect::Assume { condition, .. } => {
                    // What was not prepared for makes the search restart: nothing is said of it.
                    let seen = self.evaluate(condition, next);
                    course.may_fault |= seen.may_fault;
                    course.goes_on = seen.value != Some(0);
                }
            }
        }
    }

    fn assign(&self, target: &Place, value: Option<i32>, next: &mut Values, course: &mut Course) {
        let variable = self.program.variable(target.variable);
        let length = variable.array.unwrap_or(1);
        let index = target.index.as_deref().map_or(Seen { value: Some(0), ..UNKNOWN }, |at| self.evaluate(at, next));
        course.may_fault |= index.may_fault;
        let index = match index.value {
            Some(index) if u32::try_from(index).is_ok_and(|index| index < length) => Some(index as usize),
            Some(_) => {
                course.may_fault = true;
                course.goes_on = false;
                return;
            }
            None => {
                course.may_fault = true;
                None
            }
        };
        let Some(first) = self.variables[target.variable.0 as usize] else { return };
        match index {
            Some(index) => next[first + index] = value.map(|value| variable.ty.wrap(value)),
            None => next[first..first + length as usize].fill(None),
        }
    }

    /// Adds a step to each of the states that some values may be.
    fn spread(&self, next: &Values, weight: u32, steps: &mut AbstractSteps) {
        let open: Vec<usize> = (0..next.len()).filter(|&slot| next[slot].is_none()).collect();
        let outcomes = open.iter().fold(1u64, |all, &slot| all.saturating_mul(self.slots[slot].1.count));
        if outcomes > OUTCOMES_MAX {
            steps.is_given_up = true;
            return;
        }
        let mut target: Box<[i32]> = next.iter().map(|value| value.unwrap_or(0)).collect();
        for number in 0..outcomes {
            let mut rest = number;
            for &slot in &open {
                let (field, range) = &self.slots[slot];
                target[slot] = field.ty.wrap(range.base.wrapping_add((rest % range.count) as i32));
                rest /= range.count;
            }
            steps.steps.push(AbstractStep { weight, target: target.clone() });
        }
    }

    fn evaluate(&self, expr: &Expr, values: &Values) -> Seen {
        let known = |value: i32| Seen { value: Some(value), may_fault: false };
        match expr {
            Expr::Const(value) => known(*value),
            Expr::At(process, location) => match self.locations[process.0 as usize] {
                Some(slot) => values[slot].map_or(UNKNOWN, |at| known(i32::from(at == location.0 as i32))),
                None => UNKNOWN,
            },
            Expr::Length(_) => UNKNOWN,
            Expr::Read(place) => self.read(place, values),
            Expr::Unary(op, operand) => {
                let seen = self.evaluate(operand, values);
                Seen { value: seen.value.map(|value| op.apply(value)), ..seen }
            }
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right, _) => {
                let decides = i32::from(*op == BinaryOp::Or);
                let truth = |seen: Seen| seen.value.map(|value| i32::from(value != 0));
                let left = self.evaluate(left, values);
                if truth(left) == Some(decides) {
                    return Seen { value: Some(decides), ..left };
                }
                let right = self.evaluate(right, values);
                let value = match (truth(left), truth(right)) {
                    (_, Some(right)) if right == decides => Some(decides),
                    (Some(_), Some(right)) => Some(right),
                    _ => None,
                };
                Seen { value, may_fault: left.may_fault || right.may_fault }
            }
            Expr::Binary(op, left, right, _) => {
                let (left, right) = (self.evaluate(left, values), self.evaluate(right, values));
                let may_fault = left.may_fault || right.may_fault;
                let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
                match (left.value, right.value) {
                    (Some(left), Some(right)) => {
                        let value = op.apply(left, right);
                        Seen { value, may_fault: may_fault || value.is_none() }
                    }
                    (_, right) => {
                        Seen { value: None, may_fault: may_fault || divides && right.is_none_or(|by| by == 0) }
                    }
                }
            }
            Expr::Conditional(condition, then, otherwise) => {
                let condition = self.evaluate(condition, values);
                let parts = match condition.value {
                    Some(0) => [otherwise, otherwise],
                    Some(_) => [then, then],
                    None => [then, otherwise],
                };
                let [one, other] = parts.map(|part| self.evaluate(part, values));
                let value = one.value.filter(|_| one.value == other.value);
                Seen { value, may_fault: condition.may_fault || one.may_fault || other.may_fault }
            }
        }
    }

    fn read(&self, place: &Place, values: &Values) -> Seen {
        let length = self.program.variable(place.variable).array.unwrap_or(1);
        let index = match place.index.as_deref() {
            None => Seen { value: Some(0), ..UNKNOWN },
            Some(index) => self.evaluate(index, values),
        };
        let is_within = |index: i32| u32::try_from(index).is_ok_and(|index| index < length);
        let may_fault = index.may_fault || !index.value.is_some_and(is_within);
        let first = self.variables[place.variable.0 as usize];
        let value = match (first, index.value.filter(|index| is_within(*index))) {
            (Some(first), Some(index)) => values[first + index as usize],
            _ => None,
        };
        Seen { value, may_fault }
    }
}

/// How a step is going.
struct Course {
    may_fault: bool,
    /// Whether it may lead to a state.
    goes_on: bool,
}
