//! How the steps of a program enable, disable and disturb each other: [`Interplay`], for reductions.
//!
//! [`dependencies`](crate::dependencies) says what single steps read and write. This is sharper, and speaks of whole
//! steps: guards are taken apart (`conjuncts.rs`), additions and queues are recognised (`uses.rs`, `rooms.rs`), steps
//! are told apart by the elements of arrays that they use (`versions.rs`), and where steps are compound, an action
//! stands for everything that its holder may do behind it, whatever way it goes.
//!
//! What is behind the first part of a compound step has no say in whether there is a step, only in what it does; so its
//! guards are reads like any others. That holds for a holder that blocks, too: what it waits for is among these guards.
//!
//! Not understood, and thus without an interplay: programs in which a holder is part of the states,
//! compound steps together with committed locations, and programs of very many actions.

mod conjuncts;
mod rooms;
mod uses;
mod versions;

use crate::dependencies::{Object, Objects};
use crate::ir::{
    ActionSource, BinaryOp, Effect, Expr, LocationId, Place, ProcessId, Program, Sync, Transition, VariableId,
};
use crate::layout::{Field, Layout};
use crate::model::{GclModel, GclWorker};
use crate::ranges::Range;
use conjuncts::{Conjunct, Shape, Values};
use dampf_core::{Action, Interleaving, Interplay, Model, Participation, ProcessMove, StepPart, Word};
use std::collections::{BTreeMap, BTreeSet};
use uses::{
    APPENDED, BOUNDED_ABOVE, BOUNDED_BELOW, CHANGED, DECREASED, INCREASED, Queues, READ, TAKEN, TESTED, Use, WRITTEN,
    addition, conflict, may_establish,
};
use versions::Versions;

/// Relations between all pairs of more actions would take longer than most searches.
const ACTIONS_MAX: usize = 3_000;

/// Actions are told apart by the values of their indices as long as there are not more than so many.
const VERSIONS_MAX: usize = 1_500;

/// A longer array is looked at as a whole.
const ELEMENTS_MAX: u32 = 64;

/// An atomic sequence of at most so many parts, none of which comes twice, has less moments than a step may have: as
/// many as there are subsets of parts, at most.
const PARTS_FEW: usize = 16;

impl Interleaving for GclModel {
    fn interplay(&self) -> Option<Interplay> {
        Some(self.interplay_tables()?.interplay.clone())
    }

    fn process_location(&self, process: usize, state: &[Word]) -> u32 {
        self.layout().locations[process].get(state) as u32
    }

    fn control_bits(&self, values: &[u32]) -> Option<Vec<Word>> {
        let tables = self.interplay_tables()?;
        let values = values.iter().filter_map(|value| tables.values[*value as usize].as_ref());
        let mut bits = vec![0; Model::width(self)];
        for field in self.layout().locations.iter().chain(values).filter(|field| field.bits > 0) {
            bits[field.word as usize] |= field.mask() << field.shift;
        }
        Some(bits)
    }

    fn is_urgent(&self, state: &[Word]) -> bool {
        let committing = self.interplay_tables().map_or(&[][..], |tables| &tables.committing);
        committing
            .iter()
            .any(|(process, is_committed)| is_committed[self.layout().locations[*process].get(state) as usize])
    }

    fn is_guard_false(&self, guard: u32, state: &[Word]) -> bool {
        let Some(tables) = self.interplay_tables() else { return false };
        match &tables.guards[guard as usize] {
            Guard::Compared(field, op, bound) => op.apply(field.get(state), *bound) == Some(0),
            Guard::Other(expr) => self.interpreter().evaluate(expr, state) == Ok(0),
        }
    }

    fn value(&self, value: u32, state: &[Word]) -> i32 {
        let field = self.interplay_tables().and_then(|tables| tables.values[value as usize]);
        field.map_or(0, |field| field.get(state))
    }

    fn begun_by(worker: &GclWorker<'_>, state: &[Word], step: usize, label: Action) -> u32 {
        worker.begun_by(state, step, label)
    }
}

/// A condition, for states: asked often, so that the usual ones are not interpreted.
enum Guard {
    Compared(Field, BinaryOp, i32),
    Other(Expr),
}

impl Guard {
    fn new(expr: Expr, program: &Program, layout: &Layout) -> Guard {
        if let Expr::Binary(op, operand, bound, _) = &expr
            && let Expr::Const(bound) = **bound
            && op.is_comparison()
        {
            let field = match &**operand {
                Expr::Read(Place { variable, index: None, .. }) => Some(layout.element(*variable, 0)),
                Expr::Read(Place { variable, index: Some(index), .. }) => match **index {
                    // Behind something that is never true there may be any index.
                    Expr::Const(at) => {
                        let len = program.variable(*variable).array.unwrap_or(1);
                        u32::try_from(at).ok().filter(|at| *at < len).map(|at| layout.element(*variable, at))
                    }
                    _ => None,
                },
                Expr::Length(channel) => layout.channels[channel.0 as usize].as_ref().map(|buffer| buffer.length),
                _ => None,
            };
            if let Some(field) = field {
                return Guard::Compared(field, *op, bound);
            }
        }
        Guard::Other(expr)
    }
}

/// A version of an action: the values of variables that it is for, and its number.
type ActionVersion = (Vec<(Field, i32)>, u32);

/// What is computed once for a model.
pub struct InterplayTables {
    interplay: Interplay,
    guards: Vec<Guard>,
    /// Processes with committed locations, and which these are.
    committing: Vec<(usize, Vec<bool>)>,
    /// For each action of the program, its versions.
    versions: Vec<Vec<ActionVersion>>,
    /// Where each object is that has one value.
    values: Vec<Option<Field>>,
}

impl InterplayTables {
    /// The version of an action of the program that a state has.
    pub fn version(&self, action: u32, state: &[Word]) -> u32 {
        let versions = &self.versions[action as usize];
        if let [(_, number)] = versions.as_slice() {
            return *number;
        }
        let is_for = |fixed: &[(Field, i32)]| fixed.iter().all(|(field, value)| field.get(state) == *value);
        let found = versions.iter().find(|(fixed, _)| is_for(fixed));
        found.expect("variables have the values that were found possible, and a step is possible").1
    }

    /// None for a program that is not understood.
    pub fn new(
        program: &Program,
        actions: &[ActionSource],
        ranges: &[Range],
        layout: &Layout,
    ) -> Option<InterplayTables> {
        let committing: Vec<(usize, Vec<bool>)> = program
            .processes
            .iter()
            .map(|process| process.locations.iter().map(|location| location.committed).collect::<Vec<bool>>())
            .enumerate()
            .filter(|(_, committed)| committed.contains(&true))
            .collect();
        let has_holders =
            program.processes.iter().flat_map(|process| &process.transitions).any(|one| one.holder.is_some());
        let is_understood = actions.len() <= ACTIONS_MAX
            && (!has_holders || program.has_compound_steps)
            && (!program.has_compound_steps || committing.is_empty());
        if !is_understood {
            return None;
        }
        let roomy = rooms::with_all_room(program, ranges);
        let (program, ranges) = (&roomy.program, roomy.ranges.as_slice());
        let objects = Objects::new(program);
        let queues = Analysis::without_steps(Values { program, objects: &objects, ranges }, &roomy.lengths).0.queues;
        let with_lengths = queue_variables(program, &queues);
        let versions = Versions::new(program, actions, ranges, &with_lengths, VERSIONS_MAX);
        let is_whole: Vec<bool> = (0..program.variables.len() as u32)
            .map(VariableId)
            .map(|id| queues.contains(&id) || program.variable(id).array.is_some_and(|len| len > ELEMENTS_MAX))
            .collect();
        let objects = Objects::with(program, &is_whole);
        let values = Values { program: &versions.program, objects: &objects, ranges };
        let analysis = Analysis::new(values, &roomy.lengths, &versions.actions);
        let (guards, interplay) = analysis.interplay();
        let fields = |(fixed, number): (Vec<(VariableId, i32)>, u32)| {
            (fixed.into_iter().map(|(variable, value)| (layout.element(variable, 0), value)).collect(), number)
        };
        let versions = versions.of_action.into_iter().map(|own| own.into_iter().map(fields).collect()).collect();
        let guards = guards.into_iter().map(|guard| Guard::new(guard, program, layout)).collect();
        let field = |object: u32| match objects.get(object) {
            Object::Variable(id) => program.variable(id).array.is_none().then(|| layout.element(id, 0)),
            Object::Element(id, index) => Some(layout.element(id, index)),
            Object::Channel(_) | Object::Location(_) | Object::Holder => None,
        };
        let values = (0..objects.count() as u32).map(field).collect();
        Some(InterplayTables { interplay, guards, committing, versions, values })
    }
}

/// Arrays that are queues, and the variables that count their messages.
fn queue_variables(program: &Program, queues: &BTreeSet<VariableId>) -> BTreeSet<VariableId> {
    let transitions = program.processes.iter().flat_map(|process| &process.transitions);
    let found = Queues::find(transitions.flat_map(|transition| &transition.effects));
    let lengths = found.arrays().filter(|array| queues.contains(array)).map(|array| found.length(array));
    lengths.chain(queues.iter().copied()).collect()
}

/// What one part of a step does, and what it depends on.
#[derive(Clone, Default)]
struct Facts {
    moves: Vec<ProcessMove>,
    /// Where processes must stand for a step to begin with this.
    stands: Vec<(usize, u32)>,
    uses: BTreeMap<u32, Use>,
    /// Locations that are asked about.
    asked: BTreeSet<(usize, u32)>,
    conjuncts: Vec<Conjunct>,
    /// The constants that are stored, by object, if nothing else is stored there behind them.
    stored: BTreeMap<u32, i32>,
    may_fault: bool,
    /// Whether no step leads on: it always ends in a fault, or refutes something, or there is none.
    is_last: bool,
    /// Whether there is none.
    is_impossible: bool,
    waits: bool,
    holder: Option<(usize, Option<u32>)>,
    /// Processes that move, or may move, behind the first part.
    moves_later: BTreeSet<usize>,
    /// The single steps that the step may contain.
    parts: BTreeSet<u32>,
    /// Whether a step may be too large to be computed.
    may_be_endless: bool,
}

struct Analysis<'p> {
    values: Values<'p>,
    /// The lengths of queues that have more room than their arrays (`rooms.rs`).
    roomy: &'p BTreeSet<VariableId>,
    queues: BTreeSet<VariableId>,
    /// The variable that counts the messages of each queue.
    lengths: BTreeMap<VariableId, VariableId>,
    /// Of single steps.
    single: Vec<Facts>,
    /// Of whole steps.
    whole: Vec<Facts>,
}

impl<'p> Analysis<'p> {
    /// The queues, as they are used and as they could be.
    fn without_steps(values: Values<'p>, roomy: &'p BTreeSet<VariableId>) -> (Self, Queues) {
        let transitions = values.program.processes.iter().flat_map(|process| &process.transitions);
        let queues = Queues::find(transitions.flat_map(|transition| &transition.effects));
        let (lengths, single, whole) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut analysis = Analysis { values, roomy, queues: BTreeSet::new(), lengths, single, whole };
        analysis.find_queues(&queues);
        analysis.lengths = analysis.queues.iter().map(|array| (*array, queues.length(*array))).collect();
        (analysis, queues)
    }

    fn new(values: Values<'p>, roomy: &'p BTreeSet<VariableId>, actions: &[ActionSource]) -> Self {
        let (mut analysis, queues) = Analysis::without_steps(values, roomy);
        let mut last_sender = None;
        for action in actions {
            let is_first_pair = last_sender != Some((action.process, action.transition));
            last_sender = Some((action.process, action.transition));
            let facts = analysis.facts(action, is_first_pair, &queues);
            analysis.single.push(facts);
        }
        let mut leaving: BTreeMap<(usize, u32), Vec<usize>> = BTreeMap::new();
        for (number, facts) in analysis.single.iter().enumerate() {
            leaving.entry(facts.stands[0]).or_default().push(number);
        }
        analysis.whole = (0..actions.len()).map(|number| analysis.whole_step(number, &leaving)).collect();
        analysis
    }

    /// Keeps the queues whose lengths count nothing else.
    fn find_queues(&mut self, queues: &Queues) {
        let program = self.values.program;
        let mut arrays: BTreeSet<VariableId> = queues.arrays().collect();
        for transition in program.processes.iter().flat_map(|process| &process.transitions) {
            let (guards, effects) =
                (transition.guard.iter().collect::<Vec<&Expr>>(), self.counting_effects(transition));
            let used = self.queues_used(transition, &guards, &effects, queues);
            arrays.retain(|array| {
                let length = queues.length(*array);
                let counts = effects.iter().any(|effect| {
                    matches!(effect, Effect::Assign { target, value, .. }
                        if target.variable == length && addition(&self.values, target, value).is_some())
                });
                !counts || used.iter().any(|(used, _)| used == array)
            });
        }
        self.queues = arrays;
    }

    /// The queues that a transition uses as such. One that synchronises may store into them by that, too.
    fn queues_used(
        &self,
        transition: &Transition,
        guards: &[&Expr],
        effects: &[&Effect],
        queues: &Queues,
    ) -> Vec<(VariableId, Use)> {
        if transition.sync.is_some() {
            return Vec::new();
        }
        let conjuncts: Vec<Conjunct> = guards.iter().flat_map(|guard| self.values.conjuncts(guard)).collect();
        queues.used(&self.values, guards, effects, &|length| self.is_filled(&conjuncts, length))
    }

    /// Whether a guard says that a length is at least one.
    fn is_filled(&self, conjuncts: &[Conjunct], length: VariableId) -> bool {
        let place = Place { variable: length, index: None, span: Default::default() };
        let object = self.values.objects.exact(&place);
        conjuncts.iter().any(|part| matches!(part.shape, Shape::AtLeast(of, bound) if Some(of) == object && bound >= 1))
    }

    /// The effects without those conditions that certainly hold.
    fn counting_effects<'e>(&self, transition: &'e Transition) -> Vec<&'e Effect> {
        let counts = |effect: &&Effect| match effect {
            Effect::Assign { .. } => true,
            Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => {
                self.values.may_fault(condition) || self.values.of(condition).contains(0)
            }
        };
        transition.effects.iter().filter(counts).collect()
    }

    fn facts(&self, action: &ActionSource, is_first_pair: bool, queues: &Queues) -> Facts {
        let program = self.values.program;
        let transition = &program.process(action.process).transitions[action.transition];
        let mut parts: Vec<(ProcessId, &Transition)> = vec![(action.process, transition)];
        if let Some((receiver, index)) = action.partner {
            parts.push((receiver, &program.process(receiver).transitions[index]));
        }
        let mut facts = Facts::default();
        // The fault of a sender's guard is there wherever the receivers are, with the label of the first pair.
        let stands_alone = is_first_pair
            && parts.len() > 1
            && transition.guard.as_ref().is_some_and(|guard| self.values.may_fault(guard));
        for (number, (process, transition)) in parts.iter().enumerate() {
            self.add_move(&mut facts, *process, transition.source, transition.target, number == 0 || !stands_alone);
            if let Some(guard) = &transition.guard {
                self.add_guard(&mut facts, guard, number == 0 || !stands_alone);
            }
            if let Some(joint) = transition.joint {
                self.add_move(&mut facts, joint.process, joint.source, joint.target, true);
            }
        }
        let taker = parts.iter().rev().find_map(|(_, transition)| transition.holder);
        facts.holder = taker.map(|holder| {
            let stands = facts.moves.iter().rev().find(|moved| moved.process == holder.0 as usize);
            (holder.0 as usize, stands.map(|moved| moved.target))
        });
        if action.partner.is_none() {
            self.add_buffer(&mut facts, transition);
        }
        for (_, transition) in parts.iter().rev() {
            self.add_message(&mut facts, transition);
        }
        for (_, transition) in parts.iter().rev() {
            self.add_effects(&mut facts, transition, queues);
        }
        facts
    }

    fn add_move(
        &self,
        facts: &mut Facts,
        process: ProcessId,
        source: LocationId,
        target: LocationId,
        is_required: bool,
    ) {
        let process = process.0 as usize;
        facts.moves.push(ProcessMove { process, source: source.0, target: target.0 });
        if is_required {
            facts.stands.push((process, source.0));
        }
    }

    fn add_guard(&self, facts: &mut Facts, guard: &Expr, is_required: bool) {
        facts.is_impossible |= matches!(guard, Expr::Const(0));
        facts.is_last |= facts.is_impossible;
        facts.may_fault |= self.values.may_fault(guard);
        let conjuncts = self.values.conjuncts(guard);
        for conjunct in &conjuncts {
            match conjunct.shape {
                Shape::AtMost(object, _) => *facts.uses.entry(object).or_default() |= BOUNDED_ABOVE,
                Shape::AtLeast(object, _) => *facts.uses.entry(object).or_default() |= BOUNDED_BELOW,
                Shape::Exactly(object, _) => *facts.uses.entry(object).or_default() |= BOUNDED_ABOVE | BOUNDED_BELOW,
                Shape::Head | Shape::Other => self.add_reads(facts, &conjunct.expr, TESTED),
            }
        }
        let timeout = self.values.program.timeout;
        facts.waits |= timeout.is_some_and(|timeout| uses::reads(guard, timeout).is_some());
        if is_required {
            let heads: Vec<Conjunct> = conjuncts.iter().filter_map(|part| self.head(part, &conjuncts)).collect();
            facts.conjuncts.extend(conjuncts);
            facts.conjuncts.extend(heads);
        }
    }

    /// What a guard asks of the first message of a queue, where it also asks that there is one: with this alone, an
    /// empty queue is no reason to be disabled, and appending to another does not end one.
    fn head(&self, part: &Conjunct, guard: &[Conjunct]) -> Option<Conjunct> {
        let mut read = BTreeSet::new();
        self.values.objects.add_reads(&part.expr, &mut read);
        let array = match read.into_iter().map(|object| self.values.objects.get(object)).collect::<Vec<_>>()[..] {
            [Object::Variable(array)] if self.queues.contains(&array) => array,
            _ => return None,
        };
        let length = self.lengths[&array];
        let is_first = uses::reads_first_only(&part.expr, array) && !self.values.may_fault(&part.expr);
        (is_first && self.is_filled(guard, length)).then(|| {
            let length = Expr::Read(Place { variable: length, index: None, span: Default::default() });
            let is_empty =
                Expr::Binary(BinaryOp::Equal, Box::new(length), Box::new(Expr::Const(0)), Default::default());
            let expr = Expr::Binary(BinaryOp::Or, Box::new(is_empty), Box::new(part.expr.clone()), Default::default());
            Conjunct { shape: Shape::Head, expr }
        })
    }

    fn add_reads(&self, facts: &mut Facts, expr: &Expr, how: Use) {
        let mut objects = BTreeSet::new();
        self.values.objects.add_reads(expr, &mut objects);
        objects.into_iter().for_each(|object| *facts.uses.entry(object).or_default() |= how);
        asked(expr, &mut facts.asked);
    }

    /// A message that goes into a buffer, or comes out of one.
    fn add_buffer(&self, facts: &mut Facts, transition: &Transition) {
        let Some(sync) = &transition.sync else { return };
        let object = self.values.objects.channel(sync.channel());
        let capacity = i64::from(self.values.program.channel(sync.channel()).capacity);
        let length = Box::new(Expr::Length(sync.channel()));
        let (how, shape, op, bound) = match sync {
            Sync::Send { .. } => {
                let shape = Shape::AtMost(object, capacity - 1);
                (APPENDED | INCREASED | BOUNDED_ABOVE, shape, BinaryOp::Less, capacity)
            }
            Sync::Receive { .. } => {
                let shape = Shape::AtLeast(object, 1);
                (TAKEN | DECREASED | BOUNDED_BELOW, shape, BinaryOp::Greater, 0)
            }
        };
        *facts.uses.entry(object).or_default() |= how;
        // A guard that faults is evaluated first.
        if !facts.may_fault {
            let expr = Expr::Binary(op, length, Box::new(Expr::Const(bound as i32)), Default::default());
            facts.conjuncts.push(Conjunct { shape, expr });
        }
    }

    fn add_message(&self, facts: &mut Facts, transition: &Transition) {
        match &transition.sync {
            Some(Sync::Send { values, .. }) => {
                for value in values {
                    facts.may_fault |= self.values.may_fault(value);
                    self.add_reads(facts, value, READ);
                }
            }
            Some(Sync::Receive { targets, .. }) => {
                targets.iter().for_each(|target| self.add_store(facts, target, None));
            }
            None => {}
        }
    }

    fn add_store(&self, facts: &mut Facts, target: &Place, value: Option<i32>) {
        facts.may_fault |= self.values.may_miss(target);
        let mut objects = BTreeSet::new();
        self.values.objects.add_place(target, &mut objects);
        for object in objects {
            *facts.uses.entry(object).or_default() |= WRITTEN;
            facts.stored.remove(&object);
        }
        if let (Some(object), Some(value)) = (self.values.objects.exact(target), value) {
            facts.stored.insert(object, self.values.program.variable(target.variable).ty.wrap(value));
        }
        target.index.iter().for_each(|index| self.add_reads(facts, index, READ));
    }

    /// Whether a guard says that there is room behind the last message of a queue.
    fn has_room(&self, conjuncts: &[Conjunct], array: VariableId) -> bool {
        let length = self.lengths[&array];
        let object = self.values.objects.exact(&Place { variable: length, index: None, span: Default::default() });
        let size = self.values.program.variable(array).array.map_or(0, i64::from);
        self.roomy.contains(&length)
            || conjuncts
                .iter()
                .any(|part| matches!(part.shape, Shape::AtMost(of, bound) if Some(of) == object && bound < size))
    }

    /// A number is added to an object. Where the guard says what it was, it is known what it becomes.
    fn add_addition(&self, facts: &mut Facts, object: u32, sum: i64) {
        let is_changed = facts.uses.get(&object).is_some_and(|how| how & CHANGED != 0);
        let before = facts.conjuncts.iter().find_map(|part| match part.shape {
            Shape::Exactly(of, value) if of == object => Some(value),
            _ => None,
        });
        facts.stored.remove(&object);
        if let Some(after) = before.filter(|_| !is_changed).and_then(|before| i32::try_from(before + sum).ok()) {
            facts.stored.insert(object, after);
        }
        *facts.uses.entry(object).or_default() |= if sum > 0 { INCREASED } else { DECREASED };
    }

    fn add_effects(&self, facts: &mut Facts, transition: &Transition, queues: &Queues) {
        let effects = self.counting_effects(transition);
        let guards: Vec<&Expr> = transition.guard.iter().collect();
        let used = self.queues_used(transition, &guards, &effects, queues);
        let used: Vec<(VariableId, Use)> = used.into_iter().filter(|(array, _)| self.queues.contains(array)).collect();
        let appended = |array: VariableId| used.iter().any(|(used, how)| *used == array && *how == APPENDED);
        for effect in &effects {
            match effect {
                Effect::Assign { target, value, .. } => {
                    let is_appended = appended(target.variable);
                    let fits = is_appended && self.has_room(&facts.conjuncts, target.variable);
                    facts.may_fault |= self.values.may_fault(value) || !fits && self.values.may_miss(target);
                    if is_appended {
                        self.add_reads(facts, value, READ);
                    } else if let Some((object, sum)) = addition(&self.values, target, value) {
                        self.add_addition(facts, object, sum);
                    } else {
                        let constant = if let Expr::Const(value) = value { Some(*value) } else { None };
                        self.add_reads(facts, value, READ);
                        self.add_store(facts, target, constant);
                    }
                }
                Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => {
                    facts.may_fault = true;
                    facts.is_last |= matches!(condition, Expr::Const(0));
                    self.add_reads(facts, condition, READ);
                }
            }
        }
        for (array, how) in used {
            let mut objects = BTreeSet::new();
            self.values
                .objects
                .add_place(&Place { variable: array, index: None, span: Default::default() }, &mut objects);
            objects.into_iter().for_each(|object| {
                facts.uses.insert(object, how);
            });
        }
    }

    /// Everything that can happen in a step that begins with an action.
    fn whole_step(&self, number: usize, leaving: &BTreeMap<(usize, u32), Vec<usize>>) -> Facts {
        let mut whole = self.single[number].clone();
        whole.parts.insert(number as u32);
        let Some(holder) = whole.holder else { return whole };
        whole.stored.clear();
        let locations = |process: usize| 0..self.values.program.processes[process].locations.len() as u32;
        let places = |(process, location): (usize, Option<u32>)| -> Vec<(usize, u32)> {
            // Whoever holds the system without having moved may be anywhere.
            location.map_or_else(|| locations(process).map(|at| (process, at)).collect(), |at| vec![(process, at)])
        };
        let mut pending = places(holder);
        let mut seen: BTreeSet<(usize, u32)> = pending.iter().copied().collect();
        while let Some(place) = pending.pop() {
            let leaving = leaving.get(&place).map_or(&[][..], Vec::as_slice);
            whole.parts.extend(leaving.iter().map(|next| *next as u32));
            for next in leaving.iter().map(|next| &self.single[*next]) {
                for (object, how) in &next.uses {
                    let tests = TESTED | BOUNDED_ABOVE | BOUNDED_BELOW;
                    let read = if how & tests != 0 { READ } else { 0 };
                    *whole.uses.entry(*object).or_default() |= how & !tests | read;
                }
                whole.asked.extend(&next.asked);
                whole.moves_later.extend(next.moves.iter().map(|moved| moved.process));
                whole.moves.extend(&next.moves);
                // Whether it can go on depends on where its partners stand.
                whole.asked.extend(next.stands[1..].iter());
                whole.may_fault |= next.may_fault;
                for place in next.holder.into_iter().flat_map(places) {
                    if seen.insert(place) {
                        pending.push(place);
                    }
                }
            }
        }
        whole.moves.sort_unstable();
        whole.moves.dedup();
        // Each of its parts can come once in a moment's past unless there is a circle, and few parts make few moments.
        whole.may_be_endless = whole.parts.len() > PARTS_FEW || self.has_circle(&whole.parts);
        whole
    }

    /// Whether some process can come back to a location by these parts.
    fn has_circle(&self, parts: &BTreeSet<u32>) -> bool {
        let moves = || parts.iter().flat_map(|part| &self.single[*part as usize].moves);
        let mut open: Vec<&ProcessMove> = moves().collect();
        loop {
            let before = open.len();
            let targets: BTreeSet<(usize, u32)> = open.iter().map(|moved| (moved.process, moved.target)).collect();
            open.retain(|moved| targets.contains(&(moved.process, moved.source)));
            if open.len() == before {
                return before > 0;
            }
        }
    }

    fn interplay(&self) -> (Vec<Expr>, Interplay) {
        let program = self.values.program;
        let mut checked = Facts::default();
        let conditions = program.checks.iter().map(|check| &check.condition);
        for condition in conditions.chain(program.propositions.iter().map(|proposition| &proposition.condition)) {
            self.add_reads(&mut checked, condition, READ);
        }
        let watches_runs = !program.propositions.is_empty();
        if watches_runs {
            // Who watches runs also sees whether processes are in accepting locations.
            for (number, process) in program.processes.iter().enumerate() {
                let accepting = process.locations.iter().enumerate().filter(|(_, location)| location.accepting);
                for (location, _) in accepting {
                    let at = Expr::At(ProcessId(number as u32), LocationId(location as u32));
                    self.add_reads(&mut checked, &at, READ);
                }
            }
        }
        let mut guards: Vec<(Conjunct, Vec<u32>)> = Vec::new();
        let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
        let mut actions: Vec<Participation> = Vec::new();
        for facts in &self.whole {
            let mut own = BTreeSet::new();
            for conjunct in &facts.conjuncts {
                let text = format!("{:?}", unplaced(&conjunct.expr));
                let next = guards.len() as u32;
                let number = *numbers.entry(text).or_insert(next);
                if number == next {
                    guards.push((conjunct.clone(), self.establishing(conjunct)));
                }
                own.insert(number);
            }
            actions.push(Participation {
                stands: facts.stands.clone(),
                moves: facts.moves.clone(),
                guards: own.into_iter().collect(),
                conflicts: Vec::new(),
                is_visible: self.changes(facts, &checked),
                waits: facts.waits,
                may_end: !facts.is_impossible && (facts.may_fault || facts.may_be_endless),
                parts: facts.parts.iter().copied().collect(),
            });
        }
        for one in 0..self.whole.len() {
            for other in one..self.whole.len() {
                if self.are_in_conflict(one, other) {
                    actions[one].conflicts.push(other as u32);
                    if one != other {
                        actions[other].conflicts.push(one as u32);
                    }
                }
            }
        }
        actions.iter_mut().for_each(|action| action.conflicts.sort_unstable());
        let interplay = Interplay {
            processes: values_processes(program),
            actions,
            guard_values: guards.iter().map(|(conjunct, _)| self.value_of(conjunct)).collect(),
            guards: guards.iter().map(|(_, establishing)| establishing.clone()).collect(),
            parts: self.single.iter().map(part).collect(),
            watches_runs,
        };
        (guards.into_iter().map(|(conjunct, _)| conjunct.expr).collect(), interplay)
    }

    /// Whether a step may change what is read.
    fn changes(&self, facts: &Facts, read: &Facts) -> bool {
        facts.uses.iter().any(|(object, how)| how & CHANGED != 0 && read.uses.contains_key(object))
            || facts.moves.iter().any(|moved| moves_across(moved, &read.asked))
    }

    /// The actions that may make a condition true.
    fn establishing(&self, conjunct: &Conjunct) -> Vec<u32> {
        let mut condition = Facts::default();
        self.add_reads(&mut condition, &conjunct.expr, READ);
        let may = |facts: &Facts| {
            let contradicts = |object: u32| match (facts.stored.get(&object), conjunct.shape) {
                (Some(value), Shape::AtMost(_, bound)) => i64::from(*value) > bound,
                (Some(value), Shape::AtLeast(_, bound)) => i64::from(*value) < bound,
                (Some(value), Shape::Exactly(_, bound)) => i64::from(*value) != bound,
                _ => false,
            };
            condition.uses.keys().any(|object| {
                let how = facts.uses.get(object).copied().unwrap_or(0);
                may_establish(how, conjunct.shape) && !contradicts(*object)
            }) || facts.moves.iter().any(|moved| moves_across(moved, &condition.asked))
        };
        (0..self.whole.len() as u32).filter(|number| may(&self.whole[*number as usize])).collect()
    }

    /// The object that a condition is about, if it is about the value of one.
    fn value_of(&self, conjunct: &Conjunct) -> Option<u32> {
        let mut read = Facts::default();
        self.add_reads(&mut read, &conjunct.expr, READ);
        let mut objects = read.uses.keys();
        let object = objects.next().copied().filter(|_| objects.next().is_none() && read.asked.is_empty())?;
        match self.values.objects.get(object) {
            Object::Variable(id) => self.values.program.variable(id).array.is_none().then_some(object),
            Object::Element(..) => Some(object),
            Object::Channel(_) | Object::Location(_) | Object::Holder => None,
        }
    }

    /// Whether a move leads into a committed location.
    fn commits(&self, moved: &ProcessMove) -> bool {
        let locations = &self.values.program.processes[moved.process].locations;
        locations[moved.target as usize].committed && !locations[moved.source as usize].committed
    }

    /// Whether two actions may be enabled together and then do not leave each other alone.
    fn are_in_conflict(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.whole[one], &self.whole[other]);
        if one.is_impossible || other.is_impossible {
            return false;
        }
        let elsewhere = |(process, location): &(usize, u32)| {
            other.stands.iter().any(|(same, at)| same == process && at != location)
        };
        if one.stands.iter().any(elsewhere) || are_contradictory(&one.conjuncts, &other.conjuncts) {
            return false;
        }
        // While somebody is committed, others are kept from moving.
        if [one, other].iter().any(|facts| facts.moves.iter().any(|moved| self.commits(moved))) {
            return true;
        }
        let moves_what_stands = |one: &Facts, other: &Facts| {
            let stands = |process: usize| other.moves.iter().any(|moved| moved.process == process);
            one.moves.iter().any(|moved| {
                (moved.source != moved.target || one.moves_later.contains(&moved.process)) && stands(moved.process)
            }) || one.moves.iter().any(|moved| moves_across(moved, &other.asked))
        };
        if moves_what_stands(one, other) || moves_what_stands(other, one) {
            return true;
        }
        let (few, many) = if one.uses.len() <= other.uses.len() { (one, other) } else { (other, one) };
        few.uses.iter().any(|(object, how)| many.uses.get(object).is_some_and(|other| conflict(*how, *other)))
    }
}

/// What a single step does to locations and values.
fn part(facts: &Facts) -> StepPart {
    let values = |how: Use| -> Vec<u32> {
        facts.uses.iter().filter(|(_, used)| **used & how != 0).map(|(object, _)| *object).collect()
    };
    StepPart {
        moves: facts.moves.clone(),
        raised: values(INCREASED),
        lowered: values(DECREASED),
        stored: values(WRITTEN),
        is_last: facts.is_last,
    }
}

fn values_processes(program: &Program) -> Vec<usize> {
    program.processes.iter().map(|process| process.locations.len()).collect()
}

/// Whether a move changes the answer to whether a process is at one of these locations.
fn moves_across(moved: &ProcessMove, asked: &BTreeSet<(usize, u32)>) -> bool {
    moved.source != moved.target
        && (asked.contains(&(moved.process, moved.source)) || asked.contains(&(moved.process, moved.target)))
}

/// Whether bounds contradict each other.
fn are_contradictory(one: &[Conjunct], other: &[Conjunct]) -> bool {
    let apart = |least: &Shape, greatest: &Shape| match (least, greatest) {
        (Shape::AtLeast(object, least), Shape::AtMost(same, greatest)) => object == same && least > greatest,
        _ => false,
    };
    one.iter().any(|one| other.iter().any(|other| apart(&one.shape, &other.shape) || apart(&other.shape, &one.shape)))
}

/// An expression without the places in the source that it comes from, so that the same conditions are one.
fn unplaced(expr: &Expr) -> Expr {
    let boxed = |expr: &Expr| Box::new(unplaced(expr));
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => expr.clone(),
        Expr::Read(place) => {
            let index = place.index.as_deref().map(boxed);
            Expr::Read(Place { variable: place.variable, index, span: Default::default() })
        }
        Expr::Unary(op, operand) => Expr::Unary(*op, boxed(operand)),
        Expr::Binary(op, left, right, _) => Expr::Binary(*op, boxed(left), boxed(right), Default::default()),
        Expr::Conditional(condition, then, otherwise) => {
            Expr::Conditional(boxed(condition), boxed(then), boxed(otherwise))
        }
    }
}

/// The locations that an expression asks about.
fn asked(expr: &Expr, into: &mut BTreeSet<(usize, u32)>) {
    match expr {
        Expr::Const(_) | Expr::Length(_) => {}
        Expr::At(process, location) => {
            into.insert((process.0 as usize, location.0));
        }
        Expr::Read(place) => place.index.iter().for_each(|index| asked(index, into)),
        Expr::Unary(_, operand) => asked(operand, into),
        Expr::Binary(_, left, right, _) => [left, right].into_iter().for_each(|part| asked(part, into)),
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| asked(part, into));
        }
    }
}
