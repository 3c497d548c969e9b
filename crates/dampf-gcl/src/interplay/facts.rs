//! What single steps do, and what they depend on.

use super::analysis::{Analysis, asked};
use super::conjuncts::{Conjunct, Shape};
use super::uses::{
    APPENDED, BOUNDED_ABOVE, BOUNDED_BELOW, CHANGED, DECREASED, INCREASED, Queues, READ, TAKEN, TESTED, Use, WRITTEN,
    addition,
};
use crate::dependencies::Object;
use crate::ir::{ActionSource, BinaryOp, Effect, Expr, LocationId, Place, ProcessId, Sync, Transition, VariableId};
use dampf_core::ProcessMove;
use std::collections::{BTreeMap, BTreeSet};

/// What one part of a step does, and what it depends on.
#[derive(Clone, Default)]
pub(super) struct Facts {
    pub(super) moves: Vec<ProcessMove>,
    /// Where processes must stand for a step to begin with this.
    pub(super) stands: Vec<(usize, u32)>,
    pub(super) uses: BTreeMap<u32, Use>,
    /// Locations that are asked about.
    pub(super) asked: BTreeSet<(usize, u32)>,
    pub(super) conjuncts: Vec<Conjunct>,
    /// The constants that are stored, by object, if nothing else is stored there behind them.
    pub(super) stored: BTreeMap<u32, i32>,
    pub(super) may_fault: bool,
    /// Whether no step leads on: it always ends in a fault, or refutes something, or there is none.
    pub(super) is_last: bool,
    /// Whether there is none.
    pub(super) is_impossible: bool,
    pub(super) waits: bool,
    pub(super) holder: Option<(usize, Option<u32>)>,
    /// Processes that move, or may move, behind the first part.
    pub(super) moves_later: BTreeSet<usize>,
    /// The single steps that the step may contain.
    pub(super) parts: BTreeSet<u32>,
    /// Whether a step may be too large to be computed.
    pub(super) may_be_endless: bool,
}

impl Analysis<'_> {
    pub(super) fn facts(&self, action: &ActionSource, is_first_pair: bool, queues: &Queues) -> Facts {
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
        facts.waits |= timeout.is_some_and(|timeout| super::uses::reads(guard, timeout).is_some());
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
        let is_first = super::uses::reads_first_only(&part.expr, array) && !self.values.may_fault(&part.expr);
        (is_first && self.is_filled(guard, length)).then(|| {
            let length = Expr::Read(Place { variable: length, index: None, span: Default::default() });
            let is_empty =
                Expr::Binary(BinaryOp::Equal, Box::new(length), Box::new(Expr::Const(0)), Default::default());
            let expr = Expr::Binary(BinaryOp::Or, Box::new(is_empty), Box::new(part.expr.clone()), Default::default());
            Conjunct { shape: Shape::Head, expr }
        })
    }

    pub(super) fn add_reads(&self, facts: &mut Facts, expr: &Expr, how: Use) {
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
}
