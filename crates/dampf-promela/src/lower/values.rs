//! Expressions of an instance as expressions over the variables of the program.

use super::{Lowering, NOBODY, Storage, cell, constant, element};
use crate::typed::{Pattern, Place, Value};
use dampf_core::Span;
use dampf_gcl::ir::{BinaryOp, Expr, IntType, Place as Cell, UnaryOp};

/// Who is asked with `enabled` may wait for an answer about somebody who waits for one, up to so many in a row: SPIN
/// follows them for ever.
const ASKING_MAX: u32 = 2;

pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    if let (Expr::Const(left), Expr::Const(right)) = (&left, &right)
        && let Some(value) = op.apply(*left, *right)
    {
        return Expr::Const(value);
    }
    Expr::Binary(op, Box::new(left), Box::new(right), Span { start: 0, end: 0 })
}

pub fn not(operand: Expr) -> Expr {
    match operand {
        Expr::Const(value) => Expr::Const(i32::from(value == 0)),
        Expr::Unary(UnaryOp::Not, inner) if is_truth(&inner) => *inner,
        operand => Expr::Unary(UnaryOp::Not, Box::new(operand)),
    }
}

/// Whether an expression is 0 or 1.
fn is_truth(expr: &Expr) -> bool {
    match expr {
        Expr::At(..) | Expr::Unary(UnaryOp::Not, _) => true,
        Expr::Const(value) => *value == 0 || *value == 1,
        Expr::Binary(op, ..) => matches!(
            op,
            BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
                | BinaryOp::And
                | BinaryOp::Or
        ),
        _ => false,
    }
}

pub fn and(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (Expr::Const(0), _) => Expr::Const(0),
        (Expr::Const(_), right) => right,
        (left, Expr::Const(value)) if value != 0 => left,
        (left, right) => binary(BinaryOp::And, left, right),
    }
}

pub fn or(left: Expr, right: Expr) -> Expr {
    match (left, right) {
        (Expr::Const(0), right) => right,
        (Expr::Const(_), _) => Expr::Const(1),
        (left, Expr::Const(0)) => left,
        (left, right) => binary(BinaryOp::Or, left, right),
    }
}

pub fn equal(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Equal, left, right)
}

pub fn conditional(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    match condition {
        Expr::Const(0) => otherwise,
        Expr::Const(_) => then,
        condition => Expr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise)),
    }
}

/// The value that a field of a type holds after an expression was stored into it.
pub fn wrapped(value: Expr, ty: IntType) -> Expr {
    match value {
        Expr::Const(value) => Expr::Const(ty.wrap(value)),
        value if ty.bits == 32 || is_truth(&value) && (ty.bits > 1 || !ty.signed) => value,
        value if ty.signed => {
            let unused = constant(32 - i32::from(ty.bits));
            binary(BinaryOp::ShiftRight, binary(BinaryOp::ShiftLeft, value, unused.clone()), unused)
        }
        value => binary(BinaryOp::BitAnd, value, constant(((1u32 << ty.bits) - 1) as i32)),
    }
}

impl Lowering<'_> {
    pub fn value(&self, value: &Value, instance: usize) -> Expr {
        let of = |value: &Value| self.value(value, instance);
        match value {
            Value::Const(value) => Expr::Const(*value),
            Value::Read(place) => self.read(place, instance),
            Value::Unary(UnaryOp::Not, operand) => not(of(operand)),
            Value::Unary(op, operand) => Expr::Unary(*op, Box::new(of(operand))),
            Value::Binary(BinaryOp::And, left, right, _) => zero_or_one(and(truth(of(left)), truth(of(right)))),
            Value::Binary(BinaryOp::Or, left, right, _) => zero_or_one(or(truth(of(left)), truth(of(right)))),
            Value::Binary(op, left, right, span) => match (of(left), of(right)) {
                (Expr::Const(left), Expr::Const(right)) if op.apply(left, right).is_some() => {
                    Expr::Const(op.apply(left, right).unwrap_or(0))
                }
                (left, right) => Expr::Binary(*op, Box::new(left), Box::new(right), *span),
            },
            Value::Conditional(condition, then, otherwise) => conditional(of(condition), of(then), of(otherwise)),
            Value::Length(channel) => self.over_channels(channel, instance, |lowering, queue| {
                lowering.queues[queue].length.map_or(constant(0), |length| Expr::Read(cell(length)))
            }),
            Value::Full(channel) => self.over_channels(channel, instance, |lowering, queue| {
                let queue = &lowering.queues[queue];
                let full = |length| equal(Expr::Read(cell(length)), constant(queue.capacity as i32));
                queue.length.map_or(constant(0), full)
            }),
            Value::Poll { channel, patterns, is_random } => self.over_channels(channel, instance, |lowering, queue| {
                let positions = if *is_random { lowering.queues[queue].room } else { 1 };
                let found = (0..positions).map(|position| lowering.polls(queue, position, patterns, instance));
                match lowering.queues[queue].capacity {
                    0 => constant(0),
                    _ => found.fold(constant(0), or),
                }
            }),
            Value::Enabled(pid) => {
                let pid = of(pid);
                if self.asking.get() == ASKING_MAX {
                    self.is_asked_too_deeply.set(true);
                    return constant(0);
                }
                self.asking.set(self.asking.get() + 1);
                let enabled = |other: usize| match equal(pid.clone(), constant(self.instances[other].pid as i32)) {
                    Expr::Const(0) => constant(0),
                    is_meant => and(is_meant, self.can_move(other)),
                };
                let others = (0..self.instances.len()).filter(|other| *other != instance);
                let enabled = others.map(enabled).fold(constant(0), or);
                self.asking.set(self.asking.get() - 1);
                // Whoever asks about itself is looked up where nothing is: an error in SPIN, too.
                let own = equal(pid, constant(self.instances[instance].pid as i32));
                conditional(own, self.no_value(), enabled)
            }
            Value::StateNumber(pid) => {
                let pid = of(pid);
                (0..self.instances.len()).fold(constant(0), |rest, other| {
                    let is_meant = equal(pid.clone(), constant(self.instances[other].pid as i32));
                    let states = self.proctype(other).control.states.iter().enumerate();
                    states.fold(rest, |rest, (state, description)| {
                        let here = Expr::At(self.process(other), self.location(state));
                        let here = and(is_meant.clone(), here);
                        conditional(here, constant(description.number as i32), rest)
                    })
                })
            }
            Value::Priority(pid) => {
                let pid = of(pid);
                let instances = (0..self.instances.len()).rev();
                instances.fold(constant(0), |rest, other| {
                    let number = constant(self.instances[other].pid as i32);
                    let is_meant = and(equal(pid.clone(), number), self.is_alive(other));
                    let priority = self.priorities.get(other).map_or(constant(1), |id| Expr::Read(cell(*id)));
                    conditional(is_meant, priority, rest)
                })
            }
            Value::Timeout => Expr::Read(cell(self.timeout)),
            Value::Pid => constant(self.instances[instance].pid as i32),
            Value::ProcessCount => match (Expr::Read(cell(self.process_count)), self.typed.watching) {
                (count, 0) => count,
                (count, watching) => binary(BinaryOp::Add, count, constant(watching)),
            },
            Value::NonProgress => self.non_progress(),
            Value::Last => self.last.map_or(constant(0), |last| Expr::Read(cell(last))),
            Value::At { proctype, pid, label } => {
                let number = self.typed.proctypes[*proctype].labels.get(label).copied().unwrap_or(0);
                // With a number SPIN looks at the process that has it, whatever it is.
                let meant = pid.is_none().then_some(*proctype);
                self.over_processes(meant, pid.as_deref(), instance, constant(0), |lowering, other| {
                    let states = lowering.proctype(other).control.states.iter().enumerate();
                    let named = states.filter(|(_, state)| state.number == number && !state.is_deterministic);
                    let at = |(state, _)| Expr::At(lowering.process(other), lowering.location(state));
                    named.map(at).fold(constant(0), or)
                })
            }
            Value::Remote { proctype, pid, name, indices, span } => {
                self.over_processes(Some(*proctype), pid.as_deref(), instance, constant(0), |lowering, other| {
                    let locals = &lowering.proctype(other).locals;
                    let Some(local) = locals.iter().position(|local| local.name == *name) else { return constant(0) };
                    let indices: Vec<Expr> = indices.iter().map(|index| lowering.value(index, instance)).collect();
                    match lowering.locals[other][local] {
                        Storage::Variable(id) => {
                            let index = flat_index(&locals[local].sizes, indices);
                            Expr::Read(Cell { variable: id, index: index.map(Box::new), span: *span })
                        }
                        Storage::Channels(first) => constant(first as i32),
                        Storage::Nowhere => constant(0),
                    }
                })
            }
        }
    }

    /// An expression that cannot be evaluated.
    fn no_value(&self) -> Expr {
        self.nothing.map_or(constant(0), |nothing| Expr::Read(element(nothing, constant(-1))))
    }

    /// No process is at a progress label.
    fn non_progress(&self) -> Expr {
        (0..self.instances.len()).fold(constant(1), |nobody, instance| {
            let states = self.proctype(instance).control.states.iter().enumerate();
            states.filter(|(_, state)| state.is_progress).fold(nobody, |nobody, (state, _)| {
                and(nobody, not(Expr::At(self.process(instance), self.location(state))))
            })
        })
    }

    /// One of several values, by the process of a proctype that is meant: the one with the least number, where none is
    /// given. From outside of processes, SPIN reads the variable of another proctype's process as if it was one of
    /// this: there is no value then.
    fn over_processes(
        &self,
        proctype: Option<usize>,
        pid: Option<&Value>,
        instance: usize,
        otherwise: Expr,
        value: impl Fn(&Self, usize) -> Expr,
    ) -> Expr {
        let pid = pid.map(|pid| self.value(pid, instance));
        let is_outside = instance == NOBODY && pid.is_some();
        let mut others: Vec<usize> = (0..self.instances.len()).collect();
        others.sort_by_key(|other| std::cmp::Reverse(self.instances[*other].pid));
        others.into_iter().fold(otherwise, |rest, other| {
            let is_other = proctype.is_some_and(|proctype| self.instances[other].proctype != proctype);
            let value = match is_other {
                true if is_outside => self.no_value(),
                true => return rest,
                false => value(self, other),
            };
            let number = constant(self.instances[other].pid as i32);
            let is_meant = pid.clone().map_or(constant(1), |pid| equal(pid, number));
            conditional(and(is_meant, self.is_alive(other)), value, rest)
        })
    }

    /// Queues that a place can name, each with the condition under which it does.
    pub fn channels(&self, channel: &Place, instance: usize) -> Vec<(usize, Expr)> {
        let numbers = self.points_to.numbers(self, channel, instance);
        let is_fixed = matches!(self.storage(channel.variable, instance), Storage::Channels(_)) && numbers.len() == 1;
        let named = self.read(channel, instance);
        let mut queues = Vec::new();
        for number in numbers.into_iter().filter(|number| *number > 0) {
            let same: Vec<usize> = (0..self.queues.len()).filter(|queue| self.queues[*queue].id == number).collect();
            for queue in same {
                let owner = self.queues[queue].owner;
                if is_fixed && owner.is_some() && owner != Some(instance) {
                    continue;
                }
                let is_named = if is_fixed { constant(1) } else { equal(named.clone(), constant(number as i32)) };
                let is_there = match owner {
                    Some(owner) if owner != instance => self.is_alive(owner),
                    _ => constant(1),
                };
                let condition = and(is_named, is_there);
                if !matches!(condition, Expr::Const(0)) {
                    queues.push((queue, condition));
                }
            }
        }
        queues
    }

    fn over_channels(&self, channel: &Place, instance: usize, value: impl Fn(&Self, usize) -> Expr) -> Expr {
        let queues = self.channels(channel, instance);
        if let [(queue, Expr::Const(1))] = queues.as_slice() {
            return value(self, *queue);
        }
        queues
            .into_iter()
            .rev()
            .fold(constant(0), |rest, (queue, is_named)| conditional(is_named, value(self, queue), rest))
    }

    pub fn read(&self, place: &Place, instance: usize) -> Expr {
        match self.storage(place.variable, instance) {
            Storage::Variable(_) => Expr::Read(self.place(place, instance)),
            Storage::Channels(first) => {
                let sizes = &self.typed_variable(place.variable, instance).sizes;
                let indices = place.indices.iter().map(|index| self.value(index, instance)).collect();
                match flat_index(sizes, indices) {
                    Some(index) => binary(BinaryOp::Add, constant(first as i32), index),
                    None => constant(first as i32),
                }
            }
            Storage::Nowhere => constant(0),
        }
    }

    /// A place that is stored in a variable.
    pub fn place(&self, place: &Place, instance: usize) -> Cell {
        let Storage::Variable(variable) = self.storage(place.variable, instance) else {
            unreachable!("only variables have places")
        };
        let sizes = &self.typed_variable(place.variable, instance).sizes;
        let indices = place.indices.iter().map(|index| self.value(index, instance)).collect();
        let index = flat_index(sizes, indices);
        Cell { variable, index: index.map(Box::new), span: place.span }
    }

    /// Whether the message at a position of a queue is there and fits.
    pub fn matches(&self, queue: usize, position: u32, patterns: &[Pattern], instance: usize) -> Expr {
        let queue = &self.queues[queue];
        let Some(length) = queue.length else { return constant(0) };
        let is_there = binary(BinaryOp::Greater, Expr::Read(cell(length)), constant(position as i32));
        let fields = patterns.iter().zip(&queue.slots);
        let fits = fields.fold(is_there, |fits, (pattern, slots)| match pattern {
            Pattern::Match(value) => {
                let stored = Expr::Read(element(*slots, constant(position as i32)));
                and(fits, equal(stored, self.value(value, instance)))
            }
            Pattern::Store(_) | Pattern::Ignore => fits,
        });
        and(fits, self.matches_beyond(queue.slots.len(), patterns, instance))
    }
}

/// Whether there may be states in which an expression has no value.
pub fn may_fail(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => false,
        Expr::Read(place) => match place.index.as_deref() {
            None => false,
            // A constant index is within bounds, but for the one that is none.
            Some(Expr::Const(index)) => *index < 0,
            Some(_) => true,
        },
        Expr::Unary(_, operand) => may_fail(operand),
        Expr::Binary(op, left, right, _) => {
            matches!(op, BinaryOp::Divide | BinaryOp::Remainder) || may_fail(left) || may_fail(right)
        }
        Expr::Conditional(condition, then, otherwise) => [condition, then, otherwise].iter().any(|part| may_fail(part)),
    }
}

/// The truth of an expression as a number.
fn zero_or_one(expr: Expr) -> Expr {
    if is_truth(&expr) { expr } else { binary(BinaryOp::NotEqual, expr, constant(0)) }
}

/// An expression that is only asked for its truth.
pub fn truth(expr: Expr) -> Expr {
    match expr {
        Expr::Const(value) => Expr::Const(i32::from(value != 0)),
        expr => expr,
    }
}

/// One index from those of nested arrays; outside where one of them is.
fn flat_index(sizes: &[u32], indices: Vec<Expr>) -> Option<Expr> {
    let mut parts = sizes.iter().zip(indices);
    let (_, first) = parts.next()?;
    Some(parts.fold(first, |outer, (size, index)| {
        let size = constant(*size as i32);
        let at_least = binary(BinaryOp::GreaterEqual, index.clone(), constant(0));
        let is_within = and(at_least, binary(BinaryOp::Less, index.clone(), size.clone()));
        let flat = binary(BinaryOp::Add, binary(BinaryOp::Multiply, outer, size), index);
        conditional(is_within, flat, constant(-1))
    }))
}
