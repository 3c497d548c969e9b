//! Sends that a model is not prepared for because a queue has less room than its channel: taken for what they are.
//!
//! A front end may give a queue less room than its channel has, and put a step in the place of a send beyond it that
//! refutes this. Taken literally, whoever receives from the queue disturbs that step. But it stands for the same send,
//! and a reduction need not find it: it has to be right for the model in which the queue has all its room. As long as
//! no state that is explored has such a step, that model has the same reduced graph, and where one has, exploration
//! restarts. So for the analysis the room is taken to be the channel's: the send loses its bound, and the other step is
//! impossible.
//!
//! That the queue is never longer than its room must be used by nothing then. So the analysis is told the greater range
//! of the length. What is known about other variables was found with the smaller one; so this is done only where no
//! step carries the length anywhere else, and where guards ask for no more than whether the queue is empty, or whether
//! its channel is full where they send: these guards hold in some states and not in others with either range.

use super::uses::reads;
use crate::ir::{BinaryOp, Effect, Expr, Program, Sync, Transition, VariableId};
use crate::ranges::Range;
use std::collections::{BTreeMap, BTreeSet};

/// A program whose queues have all the room that its channels have.
pub struct Roomy {
    pub program: Program,
    /// The values that its variables take.
    pub ranges: Vec<Range>,
    /// The lengths of queues that were given more room.
    pub lengths: BTreeSet<VariableId>,
}

pub fn with_all_room(program: &Program, ranges: &[Range]) -> Roomy {
    let (mut program, mut ranges, mut roomy) = (program.clone(), ranges.to_vec(), BTreeSet::new());
    let lengths: BTreeMap<VariableId, i32> = lengths(&program);
    for process in &mut program.processes {
        for refuting in 0..process.transitions.len() {
            let one = &process.transitions[refuting];
            let Some((rest, length, room)) = refuted_room(one) else { continue };
            if !lengths.contains_key(&length) {
                continue;
            }
            let (source, rest) = (one.source, rest.clone());
            let text = format!("{:?}", super::analysis::unplaced(&rest));
            let mut is_sent = false;
            for send in process.transitions.iter_mut().filter(|send| send.source == source) {
                let within = bounded(send, BinaryOp::Less).is_some_and(|(own, of, bound)| {
                    of == length && bound == room && format!("{:?}", super::analysis::unplaced(own)) == text
                });
                if within {
                    send.guard = Some(rest.clone());
                    is_sent = true;
                }
            }
            if is_sent {
                process.transitions[refuting].guard = Some(Expr::Const(0));
                let range = &mut ranges[length.0 as usize];
                range.base = range.base.min(0);
                range.count = range.count.max(lengths[&length] as u64 + 1);
                roomy.insert(length);
            }
        }
    }
    Roomy { program, ranges, lengths: roomy }
}

/// Whether a transition refutes what was assumed whenever it is taken: what else it asks for, the length and the room.
fn refuted_room(transition: &Transition) -> Option<(&Expr, VariableId, i32)> {
    let is_refuting = matches!(transition.effects[..], [Effect::Assume { condition: Expr::Const(0), .. }]);
    let is_plain = transition.sync.is_none() && transition.joint.is_none() && transition.holder.is_none();
    bounded(transition, BinaryOp::Equal).filter(|_| is_refuting && is_plain)
}

/// A guard that ends with a comparison of a variable with a number: what comes before, the variable, the number.
fn bounded(transition: &Transition, op: BinaryOp) -> Option<(&Expr, VariableId, i32)> {
    let Some(Expr::Binary(BinaryOp::And, rest, last, _)) = &transition.guard else { return None };
    match &**last {
        Expr::Binary(by, left, right, _) if *by == op => match (&**left, &**right) {
            (Expr::Read(place), Expr::Const(bound)) if place.index.is_none() => Some((rest, place.variable, *bound)),
            _ => None,
        },
        _ => None,
    }
}

/// The lengths of channels that are used as such and nowhere else, with what they are at most: a step that adds to one
/// asks whether it is less than that.
fn lengths(program: &Program) -> BTreeMap<VariableId, i32> {
    let transitions = || program.processes.iter().flat_map(|process| &process.transitions);
    let mut lengths: BTreeMap<VariableId, Option<i32>> = BTreeMap::new();
    for transition in transitions() {
        for effect in &transition.effects {
            if let Effect::Assign { target, value: Expr::Binary(BinaryOp::Add, ..), .. } = effect
                && target.index.is_none()
            {
                let capacity = transition.guard.as_ref().and_then(|guard| greatest_bound(guard, target.variable));
                let known = lengths.entry(target.variable).or_insert(capacity);
                *known = known.zip(capacity).map(|(one, other)| one.max(other));
            }
        }
    }
    let carries = |transition: &Transition, length: VariableId| {
        let in_effects = transition.effects.iter().any(|effect| match effect {
            Effect::Assign { target, value, .. } if target.variable == length => !counts_one(value, length),
            Effect::Assign { target, value, .. } => {
                let is_index = matches!(target.index.as_deref(), Some(Expr::Read(place)) if place.variable == length);
                let in_index = target.index.as_ref().is_some_and(|index| reads(index, length).is_some());
                reads(value, length).is_some() || in_index && !is_index
            }
            Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => reads(condition, length).is_some(),
        });
        let in_message = match &transition.sync {
            Some(Sync::Send { values, .. }) => values.iter().any(|value| reads(value, length).is_some()),
            Some(Sync::Receive { targets, .. }) => targets.iter().any(|target| {
                target.variable == length || target.index.as_ref().is_some_and(|index| reads(index, length).is_some())
            }),
            None => false,
        };
        in_effects || in_message
    };
    let asks_more = |transition: &Transition, length: VariableId, capacity: i32| {
        let is_send = transition.effects.iter().any(|effect| {
            matches!(effect, Effect::Assign { target, value: Expr::Binary(BinaryOp::Add, ..), .. }
                if target.variable == length)
        });
        let own = |found: &(&Expr, VariableId, i32)| found.1 == length;
        let room = refuted_room(transition)
            .filter(own)
            .or_else(|| bounded(transition, BinaryOp::Less).filter(|found| is_send && own(found)));
        let guard = room.map(|(rest, ..)| rest).or(transition.guard.as_ref());
        guard.is_some_and(|guard| !asks_for_ends(guard, length, Some(capacity)))
    };
    let is_alone = |length: VariableId| !transitions().any(|transition| carries(transition, length));
    let known = lengths.into_iter().filter_map(|(length, capacity)| Some((length, capacity?)));
    let known = known.filter(|(length, _)| is_alone(*length));
    known.filter(|(length, most)| !transitions().any(|one| asks_more(one, *length, *most))).collect()
}

/// Whether a guard asks of a length only whether it is 0, or less than a capacity, and that not the other way round.
fn asks_for_ends(guard: &Expr, length: VariableId, capacity: Option<i32>) -> bool {
    match guard {
        Expr::Binary(BinaryOp::And, left, right, _) => {
            asks_for_ends(left, length, capacity) && asks_for_ends(right, length, capacity)
        }
        Expr::Binary(op, left, right, _) if op.is_comparison() => match (&**left, &**right) {
            (Expr::Read(place), Expr::Const(bound)) if place.variable == length && place.index.is_none() => {
                let asks_for_none = matches!(
                    (op, bound),
                    (BinaryOp::Greater | BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::LessEqual, 0)
                        | (BinaryOp::GreaterEqual | BinaryOp::Less, 1)
                );
                asks_for_none || *op == BinaryOp::Less && Some(*bound) == capacity
            }
            (left, right) => [left, right].into_iter().all(|part| asks_for_ends(part, length, None)),
        },
        Expr::Read(place) => {
            place.variable != length && place.index.as_ref().is_none_or(|index| asks_for_ends(index, length, None))
        }
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => true,
        Expr::Unary(_, operand) => asks_for_ends(operand, length, None),
        Expr::Binary(_, left, right, _) => [left, right].into_iter().all(|part| asks_for_ends(part, length, None)),
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().all(|part| asks_for_ends(part, length, None))
        }
    }
}

/// Whether a value is a length and one, or one less.
fn counts_one(value: &Expr, length: VariableId) -> bool {
    matches!(value, Expr::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right, _)
        if matches!(&**left, Expr::Read(place) if place.variable == length) && matches!(**right, Expr::Const(1)))
        || matches!(value, Expr::Const(0))
}

/// The greatest number that a conjunction asks a variable to be less than.
fn greatest_bound(guard: &Expr, variable: VariableId) -> Option<i32> {
    match guard {
        Expr::Binary(BinaryOp::And, left, right, _) => {
            greatest_bound(left, variable).max(greatest_bound(right, variable))
        }
        Expr::Binary(BinaryOp::Less, left, right, _) => match (&**left, &**right) {
            (Expr::Read(place), Expr::Const(bound)) if place.variable == variable => Some(*bound),
            _ => None,
        },
        _ => None,
    }
}
