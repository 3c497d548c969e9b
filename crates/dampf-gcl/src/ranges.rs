//! Which values each variable can take: what makes states small.
//!
//! A sound over-approximation of all runs. Each scalar, each element of an array that is indexed by constants
//! only, and each other array as a whole has a set of values. The sets are the least ones that hold the initial
//! values and are closed under all steps, with a step's guard and stores taken together (`fixpoint.rs`); where
//! one process alone stores into a variable, a small search of that process makes them smaller still
//! (`owned.rs`).
//!
//! Values in the middle of a step count as well: fields hold them for a moment.

mod enumeration;
mod fixpoint;
mod formula;
mod intervals;
mod owned;
mod symbolic;
mod values;

use crate::ir::{
    ChannelId, Effect, Expr, IntType, Process, ProcessId, Program, Sync, Transition, Variable, VariableId,
};
use crate::layout::bits_for;
use fixpoint::Fixpoint;
use owned::OwnedSearch;
use symbolic::{Cells, SymbolicStep};
use values::Values;

/// How often the two analyses feed each other.
const ROUNDS_MAX: usize = 3;

/// `count` consecutive values from `base` on, wrapped to the type of the variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub base: i32,
    pub count: u64,
}

impl Range {
    /// All values of the variable's type.
    pub fn of_type(variable: &Variable) -> Range {
        let (least, greatest) = variable.ty.range();
        Range { base: least, count: (i64::from(greatest) - i64::from(least) + 1) as u64 }
    }

    /// Whether a value of the type is one of these.
    pub fn contains(&self, value: i32, ty: IntType) -> bool {
        let distance = IntType { bits: ty.bits, signed: false }.wrap(value.wrapping_sub(self.base)) as u32;
        u64::from(distance) < self.count
    }

    /// A range around ascending values of a type, of as few bits as one can have; among those one that does
    /// not wrap around, and one that starts at zero, where there is such.
    fn around(sorted: &[i32], ty: IntType) -> Range {
        let [first, .., last] = sorted else {
            return Range { base: sorted.first().copied().unwrap_or(0), count: 1 };
        };
        let plain = Range::between(i64::from(*first), i64::from(*last), ty);
        // The widest gap is left out, the one from the last value around to the first included.
        let gaps = sorted.windows(2).map(|pair| (i64::from(pair[1]) - i64::from(pair[0]), pair[1]));
        let Some((gap, after)) = gaps.max_by_key(|(gap, _)| *gap) else { return plain };
        let modulus = 1i64 << ty.bits;
        let count = (modulus - gap + 1) as u64;
        if bits_for(count) >= bits_for(plain.count) {
            return plain;
        }
        let base = if ty.signed || ty.bits == 32 { after } else { (i64::from(after) - modulus) as i32 };
        Range { base, count }
    }

    /// A range around an interval within a type.
    fn between(least: i64, greatest: i64, ty: IntType) -> Range {
        let count = |base: i64| (greatest - base + 1) as u64;
        if least >= 0 && bits_for(count(0)) == bits_for(count(least)) {
            return Range { base: 0, count: count(0) };
        }
        // A base so low that all bit patterns decode to values of the type saves the wrapping.
        let patterns = 1i64 << bits_for(count(least));
        let (type_least, type_greatest) = (i64::from(ty.range().0), i64::from(ty.range().1));
        let base = least.min(type_greatest - patterns + 1).max(type_least);
        Range { base: base as i32, count: count(base) }
    }
}

/// How much work the analysis may do. Whatever the limits, its result is sound.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// With more rendezvous than this, senders and receivers are looked at separately.
    pub rendezvous_max: usize,
    /// More combinations of a value's inputs than this are not tried one by one.
    pub combinations_max: usize,
    /// When so many inputs were tried altogether, only values with a handful of combinations are still tried.
    pub work_max: u64,
    /// Inputs tried in searches of single processes, altogether.
    pub owned_work_max: u64,
}

impl Default for Limits {
    /// A thousand transitions take some ten milliseconds.
    fn default() -> Self {
        Limits { rendezvous_max: 5_000, combinations_max: 65_536, work_max: 500_000, owned_work_max: 300_000 }
    }
}

/// For each variable, a range that holds every value it takes in any run.
pub fn ranges(program: &Program) -> Vec<Range> {
    ranges_within(program, Limits::default())
}

/// The same, with other limits.
pub fn ranges_within(program: &Program, limits: Limits) -> Vec<Range> {
    analyse(program, limits).0
}

/// The ranges, and whether a step may store a value that does not fit where that is a fault.
pub(crate) fn analyse(program: &Program, limits: Limits) -> (Vec<Range>, bool) {
    let cells = Cells::new(program);
    let values = all_values(program, &cells, limits);
    let may_overflow = values[cells.overflow as usize].hull().is_some_and(|(_, greatest)| greatest > 0);
    let range = |(id, variable): (usize, &Variable)| {
        let of_variable = cells.of_variable(VariableId(id as u32));
        range_of(variable, &values[of_variable.start as usize..of_variable.end as usize])
    };
    (program.variables.iter().enumerate().map(range).collect(), may_overflow)
}

fn range_of(variable: &Variable, cells: &[Values]) -> Range {
    let sets: Option<Vec<&[i32]>> = cells.iter().map(Values::as_set).collect();
    if let Some(sets) = sets {
        let mut sorted = sets.concat();
        sorted.sort_unstable();
        sorted.dedup();
        return Range::around(&sorted, variable.ty);
    }
    let hulls: Vec<_> = cells.iter().filter_map(Values::hull).collect();
    let least = hulls.iter().map(|hull| hull.0).min().unwrap_or(0);
    let greatest = hulls.iter().map(|hull| hull.1).max().unwrap_or(0);
    Range::between(least, greatest, variable.ty)
}

fn all_values(program: &Program, cells: &Cells, limits: Limits) -> Vec<Values> {
    let steps = symbolic_steps(program, cells, limits);
    let thresholds = thresholds(program);
    let mut known: Vec<Option<Values>> = vec![None; cells.types.len()];
    known[cells.truth as usize] = Some(Values::between(0, 1));
    for (number, channel) in program.channels.iter().enumerate() {
        let capacity = i32::try_from(channel.capacity).unwrap_or(i32::MAX);
        let id = ChannelId(number as u32);
        known[cells.of_length(id) as usize] = Some(Values::between(0, capacity));
    }
    let mut owned_work = limits.owned_work_max;
    for round in 1.. {
        let mut fixpoint = Fixpoint::new(program, cells, &steps, &thresholds, &known, limits);
        fixpoint.run();
        let values = fixpoint.values;
        if round == ROUNDS_MAX {
            return values;
        }
        let mut search = OwnedSearch::new(program, cells, &steps, &values, owned_work);
        let better = search.run();
        owned_work = search.work_left;
        if better.is_empty() {
            return values;
        }
        for (cell, values) in better {
            known[cell as usize] = Some(values);
        }
    }
    unreachable!("the last round returns")
}

fn symbolic_steps(program: &Program, cells: &Cells, limits: Limits) -> Vec<SymbolicStep> {
    let is_rendezvous = |transition: &Transition| {
        transition.sync.as_ref().is_some_and(|sync| program.channel(sync.channel()).capacity == 0)
    };
    let actions = program.actions();
    let pairs = actions.iter().filter(|action| action.partner.is_some()).count();
    if pairs <= limits.rendezvous_max {
        return actions.iter().map(|action| SymbolicStep::new(program, cells, action)).collect();
    }
    let alone = actions.iter().filter(|action| action.partner.is_none());
    let mut steps: Vec<SymbolicStep> = alone.map(|action| SymbolicStep::new(program, cells, action)).collect();
    for (number, process) in program.processes.iter().enumerate() {
        for transition in process.transitions.iter().filter(|transition| is_rendezvous(transition)) {
            steps.push(SymbolicStep::side(program, cells, ProcessId(number as u32), transition));
        }
    }
    steps
}

/// The numbers that occur in a program and their neighbours: where intervals are likely to end.
fn thresholds(program: &Program) -> Vec<i64> {
    let mut numbers = Vec::new();
    for process in &program.processes {
        collect_constants(process, &mut numbers);
    }
    for variable in &program.variables {
        numbers.extend(variable.initial.iter().copied().map(i64::from));
        numbers.extend(variable.array.map(i64::from));
    }
    let mut thresholds: Vec<i64> = numbers.iter().flat_map(|number| number - 1..=number + 1).collect();
    thresholds.sort_unstable();
    thresholds.dedup();
    thresholds
}

fn collect_constants(process: &Process, into: &mut Vec<i64>) {
    for transition in &process.transitions {
        transition.guard.iter().for_each(|guard| constants_of(guard, into));
        if let Some(Sync::Send { values, .. }) = &transition.sync {
            values.iter().for_each(|value| constants_of(value, into));
        }
        for effect in &transition.effects {
            match effect {
                Effect::Assign { value, .. } => constants_of(value, into),
                Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => constants_of(condition, into),
            }
        }
    }
}

fn constants_of(expr: &Expr, into: &mut Vec<i64>) {
    match expr {
        Expr::Const(value) => into.push(i64::from(*value)),
        Expr::Read(place) => place.index.iter().for_each(|index| constants_of(index, into)),
        Expr::At(..) | Expr::Length(_) => {}
        Expr::Unary(_, operand) => constants_of(operand, into),
        Expr::Binary(_, left, right, _) => {
            constants_of(left, into);
            constants_of(right, into);
        }
        Expr::Conditional(condition, then, otherwise) => {
            constants_of(condition, into);
            constants_of(then, into);
            constants_of(otherwise, into);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_around_values_has_as_few_bits_as_any() {
        for ty in [IntType { bits: 4, signed: false }, IntType { bits: 4, signed: true }] {
            let (least, greatest) = ty.range();
            for members in 1u32..1 << 16 {
                let sorted: Vec<i32> = (least..=greatest).filter(|value| members >> (value - least) & 1 == 1).collect();
                let range = Range::around(&sorted, ty);
                assert!(sorted.iter().all(|value| range.contains(*value, ty)), "{sorted:?} {range:?}");
                let holds_all = |base: i32, count| {
                    let range = Range { base, count };
                    sorted.iter().all(|value| range.contains(*value, ty))
                };
                let bits = bits_for(range.count);
                let is_smaller_possible = bits > 0 && (least..=greatest).any(|base| holds_all(base, 1 << (bits - 1)));
                assert!(!is_smaller_possible, "{sorted:?} fit less than {range:?}");
            }
        }
    }
}
