//! How a step uses an object, and which two uses disturb each other.
//!
//! More is told apart than reading and writing. A guard that is a bound is not hurt by what goes the other way. Two
//! additions commute. Appending to a queue and taking its head commute where both can be done: what is appended comes
//! to lie behind what is taken.

use super::conjuncts::{Shape, Values};
use crate::ir::{BinaryOp, Effect, Expr, Place, VariableId};
use crate::native::interval::Interval;
use std::collections::{BTreeMap, BTreeSet};

pub type Use = u16;

/// Read by a guard, in no way that is understood.
pub const TESTED: Use = 1;
/// A guard asks whether the value is at most so much.
pub const BOUNDED_ABOVE: Use = 2;
pub const BOUNDED_BELOW: Use = 4;
/// Read by what the step does.
pub const READ: Use = 8;
pub const WRITTEN: Use = 16;
/// A positive number is added, and that does not wrap around.
pub const INCREASED: Use = 32;
pub const DECREASED: Use = 64;
/// As a queue whose length is another object.
pub const APPENDED: Use = 128;
pub const TAKEN: Use = 256;

pub const CHANGED: Use = WRITTEN | INCREASED | DECREASED | APPENDED | TAKEN;

/// Whether a change of one step disturbs a use by another, where both steps are possible.
fn disturbs(change: Use, other: Use) -> bool {
    let known = TESTED | READ | WRITTEN;
    change & WRITTEN != 0 && other != 0
        || change & (INCREASED | DECREASED | APPENDED | TAKEN) != 0 && other & known != 0
        || change & INCREASED != 0 && other & BOUNDED_ABOVE != 0
        || change & DECREASED != 0 && other & BOUNDED_BELOW != 0
        || change & APPENDED != 0 && other & APPENDED != 0
        || change & TAKEN != 0 && other & TAKEN != 0
}

pub fn conflict(one: Use, other: Use) -> bool {
    disturbs(one, other) || disturbs(other, one)
}

/// Whether a change may make a condition of this shape true.
pub fn may_establish(change: Use, shape: Shape) -> bool {
    match shape {
        Shape::AtMost(..) => change & (WRITTEN | DECREASED) != 0,
        Shape::AtLeast(..) => change & (WRITTEN | INCREASED) != 0,
        Shape::Head => change & (CHANGED & !APPENDED & !INCREASED) != 0,
        Shape::Exactly(..) | Shape::Other => change & CHANGED != 0,
    }
}

/// The sum that a step adds to a place, if that is all that an assignment does: `x = x + 2`.
pub fn addition(values: &Values<'_>, target: &Place, value: &Expr) -> Option<(u32, i64)> {
    let object = values.objects.exact(target)?;
    let Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right, _) = value else { return None };
    let sum = match (&**left, &**right, op) {
        (Expr::Read(place), Expr::Const(sum), BinaryOp::Add) if values.objects.exact(place) == Some(object) => *sum,
        (Expr::Const(sum), Expr::Read(place), BinaryOp::Add) if values.objects.exact(place) == Some(object) => *sum,
        (Expr::Read(place), Expr::Const(sum), _) if values.objects.exact(place) == Some(object) => sum.checked_neg()?,
        _ => return None,
    };
    let sum = i64::from(sum);
    let (now, of_type) = (values.of_variable(target), Interval::of_type(values.program.variable(target.variable).ty));
    // Where it would wrap around, the result would be a value that the variable does not take.
    let fits = match sum {
        0 => false,
        1.. => now.greatest + sum <= of_type.greatest || now.least >= of_type.least + sum,
        _ => now.least + sum >= of_type.least || now.greatest <= of_type.greatest + sum,
    };
    (fits && sum.abs() < i64::from(i32::MAX)).then_some((object, sum))
}

/// Arrays that are used as queues, each with the variable that counts its messages.
pub struct Queues {
    lengths: BTreeMap<VariableId, VariableId>,
}

impl Queues {
    /// A queue is an array into which a value is stored at an index that is another variable.
    pub fn find<'e>(effects: impl Iterator<Item = &'e Effect>) -> Queues {
        let mut found: BTreeMap<VariableId, BTreeSet<VariableId>> = BTreeMap::new();
        for effect in effects {
            if let Effect::Assign { target, .. } = effect
                && let Some(Expr::Read(Place { variable, index: None, .. })) = target.index.as_deref()
            {
                found.entry(target.variable).or_default().insert(*variable);
            }
        }
        let alone = found.into_iter().filter(|(_, lengths)| lengths.len() == 1);
        Queues { lengths: alone.map(|(array, lengths)| (array, *lengths.first().expect("one"))).collect() }
    }

    pub fn arrays(&self) -> impl Iterator<Item = VariableId> {
        self.lengths.keys().copied()
    }

    pub fn length(&self, array: VariableId) -> VariableId {
        self.lengths[&array]
    }

    /// The queues that these effects append to, or take the head of, and do nothing else with; with how they do it.
    ///
    /// Appending is one store at the place behind the last message, before the length grows by one. Taking is reading
    /// the first place, then copying each place to the one before it and clearing the last, while the length falls by
    /// one; `is_guarded` says whether there certainly is a message.
    pub fn used(
        &self,
        values: &Values<'_>,
        guards: &[&Expr],
        effects: &[&Effect],
        is_guarded: &dyn Fn(VariableId) -> bool,
    ) -> Vec<(VariableId, Use)> {
        let uses = self.lengths.iter().filter_map(|(array, length)| {
            let steps = changes_of(values, *length, effects)?;
            let (one, first, last) = match steps.as_slice() {
                [(at, 1)] if self.appends(*array, *length, guards, effects, *at) => return Some((*array, APPENDED)),
                [(_, -1)] if is_guarded(*length) => self.takes(values, *array, guards, effects)?,
                _ => return None,
            };
            (one && first < last).then_some((*array, TAKEN))
        });
        uses.collect()
    }

    fn appends(
        &self,
        array: VariableId,
        length: VariableId,
        guards: &[&Expr],
        effects: &[&Effect],
        counted: usize,
    ) -> bool {
        let mut stores = 0;
        for (at, effect) in effects.iter().enumerate() {
            match effect {
                Effect::Assign { target, value, .. } => {
                    if reads(value, array).is_some() {
                        return false;
                    }
                    // Besides its counting, the length is the index of the store alone.
                    if at != counted && (reads(value, length).is_some()) {
                        return false;
                    }
                    let index = target.index.as_deref();
                    let is_end =
                        matches!(index, Some(Expr::Read(place)) if place.variable == length && place.index.is_none());
                    if target.variable == array {
                        if !is_end || at > counted {
                            return false;
                        }
                        stores += 1;
                    } else if !(self.lengths.get(&target.variable) == Some(&length) && is_end && at < counted)
                        && index.is_some_and(|index| reads(index, array).is_some() || reads(index, length).is_some())
                    {
                        return false;
                    }
                }
                Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => {
                    if reads(condition, array).is_some() || reads(condition, length).is_some() {
                        return false;
                    }
                }
            }
        }
        stores == 1 && guards.iter().all(|guard| reads(guard, array).is_none())
    }

    /// Whether all reads of an array are of its first place but for one shift of all its places; with the effects where
    /// the last other read and the shift are.
    fn takes(
        &self,
        values: &Values<'_>,
        array: VariableId,
        guards: &[&Expr],
        effects: &[&Effect],
    ) -> Option<(bool, usize, usize)> {
        let len = values.program.variable(array).array?;
        if guards.iter().any(|guard| !reads_first_only(guard, array)) {
            return None;
        }
        let place = |place: &Place, at: u32| {
            place.variable == array && matches!(place.index.as_deref(), Some(Expr::Const(index)) if *index == at as i32)
        };
        let (mut shifted, mut last_read, mut begun) = (0, 0, usize::MAX);
        for (at, effect) in effects.iter().enumerate() {
            match effect {
                Effect::Assign { target, value, .. } if target.variable == array => {
                    let is_next = match value {
                        Expr::Read(from) if shifted + 1 < len => place(from, shifted + 1),
                        Expr::Const(0) => shifted + 1 == len,
                        _ => false,
                    };
                    if !is_next || !place(target, shifted) {
                        return None;
                    }
                    begun = begun.min(at + 1);
                    shifted += 1;
                }
                Effect::Assign { target, value, .. } => {
                    let index = target.index.as_deref();
                    for expr in index.into_iter().chain([value]) {
                        if !reads_first_only(expr, array) {
                            return None;
                        }
                        if reads(expr, array).is_some() {
                            last_read = at + 1;
                        }
                    }
                }
                Effect::Assert { condition, .. } if reads(condition, array).is_some() => return None,
                // What is assumed about the values in the queue was checked when they were appended.
                Effect::Assert { .. } | Effect::Assume { .. } => {}
            }
        }
        Some((shifted == len, last_read, begun))
    }
}

/// Where a variable is changed, and by how much; none if by anything but additions.
fn changes_of(values: &Values<'_>, variable: VariableId, effects: &[&Effect]) -> Option<Vec<(usize, i64)>> {
    let mut changes = Vec::new();
    for (at, effect) in effects.iter().enumerate() {
        if let Effect::Assign { target, value, .. } = effect
            && target.variable == variable
        {
            changes.push((at, addition(values, target, value)?.1));
        }
    }
    Some(changes)
}

/// A place of a variable that an expression reads, if there is one.
pub fn reads(expr: &Expr, variable: VariableId) -> Option<&Place> {
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => None,
        Expr::Read(place) if place.variable == variable => Some(place),
        Expr::Read(place) => place.index.as_ref().and_then(|index| reads(index, variable)),
        Expr::Unary(_, operand) => reads(operand, variable),
        Expr::Binary(_, left, right, _) => reads(left, variable).or_else(|| reads(right, variable)),
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().find_map(|part| reads(part, variable))
        }
    }
}

pub fn reads_first_only(expr: &Expr, variable: VariableId) -> bool {
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => true,
        Expr::Read(place) => match place.index.as_deref() {
            Some(Expr::Const(0)) => true,
            Some(index) => place.variable != variable && reads_first_only(index, variable),
            None => place.variable != variable,
        },
        Expr::Unary(_, operand) => reads_first_only(operand, variable),
        Expr::Binary(_, left, right, _) => reads_first_only(left, variable) && reads_first_only(right, variable),
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().all(|part| reads_first_only(part, variable))
        }
    }
}
