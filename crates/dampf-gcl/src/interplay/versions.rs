//! Steps told apart by the values that their indices have.
//!
//! `flag[j] == 0` reads one element of an array, but which one depends on `j`: taken as it stands, it disturbs and is
//! disturbed by whoever writes any of them. So a transition whose indices read variables with few values is replaced by
//! *versions*, one for each choice of values: the version for `j = 2` has the guard `j == 2 && flag[2] == 0`. Exactly
//! one version of a transition stands for it in a state, so a step has the version that the state says, and all that
//! is known about steps is known of versions.
//!
//! Within a version, what is fixed stands for the variable until the step stores into it. Of a rendezvous the other
//! process stores before the effects run, so only variables that no other process stores into are fixed there. An index
//! that would lie outside of its array stays as it is: the step is faulty then, and the analysis has to see that.

use crate::ir::{
    ActionSource, BinaryOp, Effect, Expr, Place, ProcessId, Program, Sync, Transition, UnaryOp, VariableId,
};
use crate::ranges::Range;
use std::collections::{BTreeMap, BTreeSet};

/// A variable with more values is not fixed.
const VALUES_MAX: u64 = 16;

/// A transition has at most so many versions.
const VERSIONS_MAX: u64 = 32;

/// Variables and their values, in a version.
type Fixed = Vec<(VariableId, i32)>;

/// A program whose transitions are versions of those of another.
pub struct Versions {
    pub program: Program,
    pub actions: Vec<ActionSource>,
    /// For each action of the first program, what is fixed in its versions, and their numbers.
    pub of_action: Vec<Vec<(Fixed, u32)>>,
}

impl Versions {
    /// `queues` are arrays whose indices say where in a queue something is, which is not of interest, and the lengths
    /// of these. There are at most `actions_max` versions, or as many as there are actions.
    pub fn new(
        program: &Program,
        actions: &[ActionSource],
        ranges: &[Range],
        queues: &BTreeSet<VariableId>,
        actions_max: usize,
    ) -> Versions {
        let found = Versions::split(program, actions, Some((ranges, queues)));
        if found.actions.len() <= actions_max { found } else { Versions::split(program, actions, None) }
    }

    fn split(
        program: &Program,
        actions: &[ActionSource],
        split: Option<(&[Range], &BTreeSet<VariableId>)>,
    ) -> Versions {
        let storing = storing(program);
        // The version that a transition is, and what is fixed in it.
        let mut versions: Vec<Vec<(usize, Fixed)>> = Vec::new();
        let mut result = program.clone();
        for (number, process) in result.processes.iter_mut().enumerate() {
            let own = ProcessId(number as u32);
            let mut of_process = Vec::new();
            let mut transitions = Vec::new();
            for (index, transition) in process.transitions.iter().enumerate() {
                let is_rendezvous =
                    transition.sync.as_ref().is_some_and(|sync| program.channel(sync.channel()).capacity == 0);
                let choices = split.map_or_else(Vec::new, |(ranges, queues)| {
                    let mut variables = BTreeSet::new();
                    indexing(transition, queues, &mut variables);
                    variables.retain(|variable| !queues.contains(variable));
                    let is_alone = |variable: &VariableId| {
                        storing.get(variable).is_none_or(|by| by.iter().all(|process| *process == own))
                    };
                    variables.retain(|variable| !is_rendezvous || is_alone(variable));
                    choices(program, &variables, ranges)
                });
                for fixed in combinations(&choices) {
                    let version = version(program, transition, &fixed);
                    let is_possible = is_rendezvous || !matches!(version.guard, Some(Expr::Const(0)));
                    if is_possible || fixed.is_empty() {
                        transitions.push(version);
                        of_process.push((index, fixed));
                    }
                }
            }
            process.transitions = transitions;
            versions.push(of_process);
        }
        let numbers: BTreeMap<_, usize> =
            actions.iter().enumerate().map(|(at, one)| ((one.process, one.transition, one.partner), at)).collect();
        let mut of_action = vec![Vec::new(); actions.len()];
        let of_versions = result.actions();
        for (number, action) in of_versions.iter().enumerate() {
            let (transition, mut fixed) = versions[action.process.0 as usize][action.transition].clone();
            let partner = action.partner.map(|(receiver, index)| {
                let (transition, further) = &versions[receiver.0 as usize][index];
                fixed.extend(further);
                (receiver, *transition)
            });
            let original = numbers[&(action.process, transition, partner)];
            of_action[original].push((fixed, number as u32));
        }
        Versions { program: result, actions: of_versions, of_action }
    }
}

/// For each variable that is stored into, the processes that do.
fn storing(program: &Program) -> BTreeMap<VariableId, BTreeSet<ProcessId>> {
    let mut storing: BTreeMap<VariableId, BTreeSet<ProcessId>> = BTreeMap::new();
    for (number, process) in program.processes.iter().enumerate() {
        let mut store = |target: &Place| {
            storing.entry(target.variable).or_default().insert(ProcessId(number as u32));
        };
        for transition in &process.transitions {
            if let Some(Sync::Receive { targets, .. }) = &transition.sync {
                targets.iter().for_each(&mut store);
            }
            for effect in &transition.effects {
                if let Effect::Assign { target, .. } = effect {
                    store(target);
                }
            }
        }
    }
    storing
}

/// The variables that indices of a transition read.
fn indexing(transition: &Transition, queues: &BTreeSet<VariableId>, into: &mut BTreeSet<VariableId>) {
    transition.guard.iter().for_each(|guard| indices(guard, queues, into));
    match &transition.sync {
        Some(Sync::Send { values, .. }) => values.iter().for_each(|value| indices(value, queues, into)),
        Some(Sync::Receive { targets, .. }) => targets.iter().for_each(|target| indices_of(target, queues, into)),
        None => {}
    }
    for effect in &transition.effects {
        match effect {
            Effect::Assign { target, value, .. } => {
                indices_of(target, queues, into);
                indices(value, queues, into);
            }
            Effect::Assert { condition, .. } | Effect::Assume { condition, .. } => indices(condition, queues, into),
        }
    }
}

fn indices(expr: &Expr, queues: &BTreeSet<VariableId>, into: &mut BTreeSet<VariableId>) {
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => {}
        Expr::Read(place) => indices_of(place, queues, into),
        Expr::Unary(_, operand) => indices(operand, queues, into),
        Expr::Binary(_, left, right, _) => [left, right].into_iter().for_each(|part| indices(part, queues, into)),
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| indices(part, queues, into));
        }
    }
}

fn indices_of(place: &Place, queues: &BTreeSet<VariableId>, into: &mut BTreeSet<VariableId>) {
    let Some(index) = &place.index else { return };
    if !queues.contains(&place.variable) {
        scalars(index, into);
    }
    indices(index, queues, into);
}

/// The variables without an index that an expression reads.
fn scalars(expr: &Expr, into: &mut BTreeSet<VariableId>) {
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => {}
        Expr::Read(place) => match &place.index {
            None => {
                into.insert(place.variable);
            }
            Some(index) => scalars(index, into),
        },
        Expr::Unary(_, operand) => scalars(operand, into),
        Expr::Binary(_, left, right, _) => [left, right].into_iter().for_each(|part| scalars(part, into)),
        Expr::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().for_each(|part| scalars(part, into));
        }
    }
}

/// The values that variables are fixed to: those with the fewest first, as long as there are not too many versions.
fn choices(program: &Program, variables: &BTreeSet<VariableId>, ranges: &[Range]) -> Vec<(VariableId, Vec<i32>)> {
    let count = |variable: &VariableId| ranges[variable.0 as usize].count;
    let mut few: Vec<VariableId> =
        variables.iter().copied().filter(|variable| (2..=VALUES_MAX).contains(&count(variable))).collect();
    few.retain(|variable| program.variable(*variable).array.is_none());
    few.sort_by_key(count);
    let mut versions = 1;
    few.retain(|variable| {
        let fits = versions * count(variable) <= VERSIONS_MAX;
        versions *= if fits { count(variable) } else { 1 };
        fits
    });
    let values = |variable: VariableId| {
        let (range, ty) = (ranges[variable.0 as usize], program.variable(variable).ty);
        (0..range.count as i32).map(|at| ty.wrap(range.base.wrapping_add(at))).collect()
    };
    few.into_iter().map(|variable| (variable, values(variable))).collect()
}

fn combinations(choices: &[(VariableId, Vec<i32>)]) -> Vec<Fixed> {
    choices.iter().fold(vec![Vec::new()], |all, (variable, values)| {
        let extended =
            |fixed: Fixed| values.iter().map(move |value| [fixed.as_slice(), &[(*variable, *value)]].concat());
        all.into_iter().flat_map(extended).collect()
    })
}

/// A transition for the values that are fixed.
fn version(program: &Program, transition: &Transition, fixed: &Fixed) -> Transition {
    if fixed.is_empty() {
        return transition.clone();
    }
    let mut fixing = Fixing { program, fixed: fixed.clone() };
    let is = |(variable, value): &(VariableId, i32)| {
        let read = Expr::Read(Place { variable: *variable, index: None, span: Default::default() });
        Expr::Binary(BinaryOp::Equal, Box::new(read), Box::new(Expr::Const(*value)), Default::default())
    };
    let and =
        |left: Expr, right: Expr| Expr::Binary(BinaryOp::And, Box::new(left), Box::new(right), Default::default());
    let guard = match transition.guard.as_ref().map(|guard| fixing.expr(guard)) {
        Some(Expr::Const(0)) => Expr::Const(0),
        guard => {
            let chosen = fixed.iter().map(is).reduce(and).expect("something is fixed");
            guard.into_iter().fold(chosen, and)
        }
    };
    let sync = transition.sync.as_ref().map(|sync| match sync {
        Sync::Send { channel, values } => {
            Sync::Send { channel: *channel, values: values.iter().map(|value| fixing.expr(value)).collect() }
        }
        Sync::Receive { channel, targets } => {
            let targets = targets.iter().map(|target| {
                let place = fixing.place(target);
                fixing.forget(target.variable);
                place
            });
            Sync::Receive { channel: *channel, targets: targets.collect() }
        }
    });
    let effect = |effect: &Effect| match effect {
        Effect::Assign { target, value, span } => {
            let place = fixing.place(target);
            // That a variable is counted up or down is worth more than what it becomes, which is known all the same.
            let value = if counts(target, value) { value.clone() } else { fixing.expr(value) };
            fixing.forget(target.variable);
            Effect::Assign { target: place, value, span: *span }
        }
        Effect::Assert { condition, kind, span } => {
            Effect::Assert { condition: fixing.expr(condition), kind: *kind, span: *span }
        }
        Effect::Assume { condition, span } => Effect::Assume { condition: fixing.expr(condition), span: *span },
    };
    let effects = transition.effects.iter().map(effect).collect();
    Transition { guard: Some(guard), sync, effects, ..transition.clone() }
}

/// Whether an assignment adds a number to a variable.
fn counts(target: &Place, value: &Expr) -> bool {
    let is_target = |expr: &Expr| matches!(expr, Expr::Read(place) if place.variable == target.variable);
    let is_number = |expr: &Expr| matches!(expr, Expr::Const(_));
    target.index.is_none()
        && match value {
            Expr::Binary(BinaryOp::Add, left, right, _) => {
                is_target(left) && is_number(right) || is_number(left) && is_target(right)
            }
            Expr::Binary(BinaryOp::Subtract, left, right, _) => is_target(left) && is_number(right),
            _ => false,
        }
}

/// Puts values in the place of variables.
struct Fixing<'p> {
    program: &'p Program,
    fixed: Fixed,
}

impl Fixing<'_> {
    /// From here on the variable may have another value.
    fn forget(&mut self, variable: VariableId) {
        self.fixed.retain(|(fixed, _)| *fixed != variable);
    }

    fn place(&self, place: &Place) -> Place {
        let index = place.index.as_ref().map(|index| match self.expr(index) {
            Expr::Const(at) if !self.is_within(place, at) => index.clone(),
            index => Box::new(index),
        });
        Place { variable: place.variable, index, span: place.span }
    }

    fn is_within(&self, place: &Place, at: i32) -> bool {
        let len = self.program.variable(place.variable).array.unwrap_or(1);
        u32::try_from(at).is_ok_and(|at| at < len)
    }

    fn expr(&self, expr: &Expr) -> Expr {
        match expr {
            Expr::Const(_) | Expr::At(..) | Expr::Length(_) => expr.clone(),
            Expr::Read(Place { variable, index: None, .. }) => {
                let value = self.fixed.iter().find(|(fixed, _)| fixed == variable);
                value.map_or_else(|| expr.clone(), |(_, value)| Expr::Const(*value))
            }
            Expr::Read(place) => Expr::Read(self.place(place)),
            Expr::Unary(op, operand) => match self.expr(operand) {
                Expr::Const(value) => Expr::Const(op.apply(value)),
                operand => Expr::Unary(*op, Box::new(operand)),
            },
            Expr::Binary(op, left, right, span) => self.binary(*op, left, right, *span),
            Expr::Conditional(condition, then, otherwise) => match self.expr(condition) {
                Expr::Const(0) => self.expr(otherwise),
                Expr::Const(_) => self.expr(then),
                condition => {
                    Expr::Conditional(Box::new(condition), Box::new(self.expr(then)), Box::new(self.expr(otherwise)))
                }
            },
        }
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr, span: dampf_core::Span) -> Expr {
        let truth = |expr: Expr| Expr::Unary(UnaryOp::Not, Box::new(Expr::Unary(UnaryOp::Not, Box::new(expr))));
        match (op, self.expr(left)) {
            (BinaryOp::And, Expr::Const(0)) => Expr::Const(0),
            (BinaryOp::Or, Expr::Const(value)) if value != 0 => Expr::Const(1),
            (BinaryOp::And | BinaryOp::Or, Expr::Const(_)) => match self.expr(right) {
                Expr::Const(value) => Expr::Const(i32::from(value != 0)),
                right => truth(right),
            },
            (op, left) => {
                let right = self.expr(right);
                if let (Expr::Const(left), Expr::Const(right)) = (&left, &right)
                    && let Some(value) = op.apply(*left, *right)
                {
                    return Expr::Const(value);
                }
                Expr::Binary(op, Box::new(left), Box::new(right), span)
            }
        }
    }
}
