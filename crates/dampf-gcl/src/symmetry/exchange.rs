//! What an exchange maps to what, guessed from two processes that are read side by side; and what it maps transitions
//! and conditions to.

use crate::ir::{
    BinaryOp, ChannelId, Effect, Expr, Joint, Location, Place, ProcessId, Program, Sync, Transition, VariableId,
};
use crate::layout::{Field, Layout};
use std::collections::HashMap;

/// What is mapped to what; what is not named here is mapped to itself.
#[derive(Clone, Default, Debug)]
pub struct Exchange {
    pub processes: HashMap<u32, u32>,
    variables: HashMap<u32, u32>,
    /// Elements of arrays, which are mapped to elements of the array that theirs is mapped to.
    elements: HashMap<(u32, i32), i32>,
    channels: HashMap<u32, u32>,
}

/// Notes that one is mapped to the other, and back. False if something else is known.
fn note(map: &mut HashMap<u32, u32>, one: u32, other: u32) -> bool {
    *map.entry(one).or_insert(other) == other && *map.entry(other).or_insert(one) == one
}

impl Exchange {
    /// Reads two processes side by side. None if they are not alike.
    pub fn guess(program: &Program, one: ProcessId, other: ProcessId) -> Option<Exchange> {
        let mut exchange = Exchange::default();
        let (left, right) = (program.process(one), program.process(other));
        let is_alike = note(&mut exchange.processes, one.0, other.0)
            && left.transitions.len() == right.transitions.len()
            && left.transitions.iter().zip(&right.transitions).all(|(one, other)| exchange.transitions(one, other));
        if !is_alike {
            return None;
        }
        // What is not named in transitions is exchanged in the order of declaration.
        let unnamed = |process: ProcessId, exchange: &Exchange| -> Vec<u32> {
            let is_local = |id: &u32| program.variables[*id as usize].owner == Some(process);
            let locals = (0..program.variables.len() as u32).filter(is_local);
            locals.filter(|id| !exchange.variables.contains_key(id)).collect()
        };
        let (locals, others) = (unnamed(one, &exchange), unnamed(other, &exchange));
        (locals.len() == others.len()).then_some(())?;
        locals.into_iter().zip(others).all(|(one, other)| note(&mut exchange.variables, one, other)).then_some(exchange)
    }

    fn transitions(&mut self, one: &Transition, other: &Transition) -> bool {
        let is_synchronised = match (&one.sync, &other.sync) {
            (None, None) => true,
            (
                Some(Sync::Send { channel: left, values: sent }),
                Some(Sync::Send { channel: right, values: other_sent }),
            ) => note(&mut self.channels, left.0, right.0) && self.all(sent, other_sent, Exchange::expressions),
            (
                Some(Sync::Receive { channel: left, targets }),
                Some(Sync::Receive { channel: right, targets: other_targets }),
            ) => note(&mut self.channels, left.0, right.0) && self.all(targets, other_targets, Exchange::places),
            _ => false,
        };
        let is_joined = match (one.joint, other.joint) {
            (None, None) => true,
            (Some(left), Some(right)) => {
                note(&mut self.processes, left.process.0, right.process.0)
                    && (left.source, left.target) == (right.source, right.target)
            }
            _ => false,
        };
        let is_held = match (one.holder, other.holder) {
            (None, None) => true,
            (Some(left), Some(right)) => note(&mut self.processes, left.0, right.0),
            _ => false,
        };
        let is_guarded = match (&one.guard, &other.guard) {
            (None, None) => true,
            (Some(left), Some(right)) => self.expressions(left, right),
            _ => false,
        };
        (one.source, one.target) == (other.source, other.target)
            && is_synchronised
            && is_joined
            && is_held
            && is_guarded
            && self.all(&one.effects, &other.effects, Exchange::effects)
    }

    fn all<T>(&mut self, one: &[T], other: &[T], alike: impl Fn(&mut Exchange, &T, &T) -> bool) -> bool {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(self, one, other))
    }

    fn effects(&mut self, one: &Effect, other: &Effect) -> bool {
        match (one, other) {
            (Effect::Assign { target, value, .. }, Effect::Assign { target: other, value: other_value, .. }) => {
                self.places(target, other) && self.expressions(value, other_value)
            }
            (Effect::Assert { condition, kind, .. }, Effect::Assert { condition: other, kind: other_kind, .. }) => {
                kind == other_kind && self.expressions(condition, other)
            }
            (Effect::Assume { condition, .. }, Effect::Assume { condition: other, .. }) => {
                self.expressions(condition, other)
            }
            _ => false,
        }
    }

    fn places(&mut self, one: &Place, other: &Place) -> bool {
        let (left, right) = (one.variable.0, other.variable.0);
        let is_element = match (one.index.as_deref(), other.index.as_deref()) {
            (None, None) => true,
            (Some(&Expr::Const(one)), Some(&Expr::Const(other))) if left == right => {
                *self.elements.entry((left, one)).or_insert(other) == other
                    && *self.elements.entry((left, other)).or_insert(one) == one
            }
            (Some(one), Some(other)) => self.expressions(one, other),
            _ => false,
        };
        note(&mut self.variables, left, right) && is_element
    }

    fn expressions(&mut self, one: &Expr, other: &Expr) -> bool {
        match (one, other) {
            (Expr::Const(one), Expr::Const(other)) => one == other,
            (Expr::Read(one), Expr::Read(other)) => self.places(one, other),
            (Expr::At(one, at), Expr::At(other, other_at)) => {
                at == other_at && note(&mut self.processes, one.0, other.0)
            }
            (Expr::Length(one), Expr::Length(other)) => note(&mut self.channels, one.0, other.0),
            (Expr::Unary(op, one), Expr::Unary(other_op, other)) => op == other_op && self.expressions(one, other),
            (Expr::Binary(op, left, right, _), Expr::Binary(other_op, other_left, other_right, _)) => {
                op == other_op && self.expressions(left, other_left) && self.expressions(right, other_right)
            }
            (Expr::Conditional(one, two, three), Expr::Conditional(other, other_two, other_three)) => {
                self.expressions(one, other) && self.expressions(two, other_two) && self.expressions(three, other_three)
            }
            _ => false,
        }
    }

    pub fn process(&self, id: ProcessId) -> ProcessId {
        ProcessId(self.processes.get(&id.0).copied().unwrap_or(id.0))
    }

    fn channel(&self, id: ChannelId) -> ChannelId {
        ChannelId(self.channels.get(&id.0).copied().unwrap_or(id.0))
    }

    fn variable(&self, id: VariableId) -> VariableId {
        VariableId(self.variables.get(&id.0).copied().unwrap_or(id.0))
    }

    /// What an element of an array is mapped to.
    fn element(&self, variable: VariableId, index: i32) -> i32 {
        self.elements.get(&(variable.0, index)).copied().unwrap_or(index)
    }

    /// Whether elements of an array change places.
    fn moves_elements(&self, variable: VariableId) -> bool {
        self.elements.iter().any(|(&(of, index), &to)| of == variable.0 && index != to)
    }

    /// Whether what is mapped to each other is of the same make.
    pub fn fits(&self, program: &Program, layout: &Layout) -> bool {
        let processes = self.processes.iter().all(|(&one, &other)| {
            let flags = |number: u32| -> Vec<(bool, bool, bool)> {
                let locations = own_locations(program, number as usize).iter();
                locations.map(|at| (at.committed, at.end, at.accepting)).collect()
            };
            flags(one) == flags(other)
        });
        let variables = self.variables.iter().all(|(&one, &other)| {
            let (left, right) = (&program.variables[one as usize], &program.variables[other as usize]);
            (left.ty, left.array) == (right.ty, right.array)
                && program.timeout.is_none_or(|timeout| timeout.0 != one || one == other)
        });
        let elements = self.elements.iter().all(|(&(variable, index), &to)| {
            let length = program.variables[variable as usize].array.unwrap_or(0);
            [index, to].into_iter().all(|index| u32::try_from(index).is_ok_and(|index| index < length))
        });
        let channels = self.channels.iter().all(|(&one, &other)| {
            let (one, other) = (&program.channels[one as usize], &program.channels[other as usize]);
            (one.capacity, &one.fields) == (other.capacity, &other.fields)
        });
        // Values are moved as bits, so both places must have the same room for them. Numbers of locations fit anyway.
        let is_alike = |one: Field, other: Field| (one.bits, one.base, one.ty) == (other.bits, other.base, other.ty);
        processes
            && variables
            && elements
            && channels
            && self.fields(program, layout)[1..].iter().all(|&(one, other)| is_alike(one, other))
    }

    /// The fields that change places, the first process's first: its location, variables, elements, channels.
    pub fn fields(&self, program: &Program, layout: &Layout) -> Vec<(Field, Field)> {
        let ordered = |map: &HashMap<u32, u32>| {
            let mut pairs: Vec<(u32, u32)> = map.iter().map(|(&one, &other)| (one, other)).collect();
            pairs.retain(|(one, other)| one < other);
            pairs.sort_unstable();
            pairs
        };
        let mut fields = Vec::new();
        for (one, other) in ordered(&self.processes) {
            fields.push((layout.locations[one as usize], layout.locations[other as usize]));
        }
        for (one, other) in ordered(&self.variables) {
            let length = program.variables[one as usize].array.unwrap_or(1);
            let field = |id: u32, index: u32| layout.element(VariableId(id), index);
            fields.extend((0..length).map(|index| (field(one, index), field(other, index))));
        }
        let mut elements: Vec<(u32, i32, i32)> =
            self.elements.iter().map(|(&(variable, index), &to)| (variable, index, to)).collect();
        elements.retain(|(_, index, to)| index < to);
        elements.sort_unstable();
        for (variable, index, to) in elements {
            let field = |index: i32| layout.element(VariableId(variable), index as u32);
            fields.push((field(index), field(to)));
        }
        for (one, other) in ordered(&self.channels) {
            if let (Some(one), Some(other)) = (&layout.channels[one as usize], &layout.channels[other as usize]) {
                fields.push((one.length, other.length));
                for (one, other) in one.slots.iter().zip(&other.slots) {
                    fields.extend((0..one.len).map(|index| (one.element(index), other.element(index))));
                }
            }
        }
        fields
    }
}

/// The locations of a process, without the one that it is in behind a fault.
pub fn own_locations(program: &Program, number: usize) -> &[Location] {
    let locations = &program.processes[number].locations;
    let is_faulty = number == 0 && program.error_location.is_some();
    &locations[..locations.len() - usize::from(is_faulty)]
}

/// The words that something is mapped to, by which it is compared; none where it cannot be mapped.
pub struct Writer<'a> {
    pub exchange: &'a Exchange,
}

pub type Written = Vec<i64>;

impl Writer<'_> {
    fn place(&self, place: &Place) -> Option<Written> {
        let mut written = vec![1, i64::from(self.exchange.variable(place.variable).0)];
        match place.index.as_deref() {
            None => written.push(0),
            Some(&Expr::Const(index)) => written.extend([1, i64::from(self.exchange.element(place.variable, index))]),
            Some(_) if self.exchange.moves_elements(place.variable) => return None,
            Some(index) => {
                written.push(2);
                written.extend(self.expression(index)?);
            }
        }
        Some(written)
    }

    pub fn expression(&self, expression: &Expr) -> Option<Written> {
        Some(match expression {
            Expr::Const(value) => vec![2, i64::from(*value)],
            Expr::Read(place) => self.place(place)?,
            Expr::At(process, location) => vec![3, i64::from(self.exchange.process(*process).0), i64::from(location.0)],
            Expr::Length(channel) => vec![4, i64::from(self.exchange.channel(*channel).0)],
            Expr::Unary(op, operand) => {
                let mut written = vec![5, *op as i64];
                written.extend(self.expression(operand)?);
                written
            }
            Expr::Binary(op, left, right, _) => {
                let mut operands = Vec::new();
                match commutes(*op) && !may_fault(expression) {
                    // Those that stand in a row are one list.
                    true => self.operands(*op, expression, &mut operands)?,
                    false => operands.extend([self.expression(left)?, self.expression(right)?]),
                }
                if commutes(*op) && !may_fault(expression) {
                    operands.sort_unstable();
                }
                let mut written = vec![6, *op as i64, operands.len() as i64];
                written.extend(operands.into_iter().flatten());
                written
            }
            Expr::Conditional(condition, yes, no) => {
                let mut written = vec![7];
                for part in [condition, yes, no] {
                    written.extend(self.expression(part)?);
                }
                written
            }
        })
    }

    /// The operands of an operator, where several of it stand in a row.
    fn operands(&self, op: BinaryOp, expression: &Expr, operands: &mut Vec<Written>) -> Option<()> {
        match expression {
            // Truth is not zero: a row of these is a list only if all but the outermost yield what they are used for.
            Expr::Binary(inner, left, right, _)
                if *inner == op && !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) =>
            {
                self.operands(op, left, operands)?;
                self.operands(op, right, operands)
            }
            Expr::Binary(inner, left, right, _) if *inner == op && operands.is_empty() => {
                operands.extend([self.expression(left)?, self.expression(right)?]);
                Some(())
            }
            other => {
                operands.push(self.expression(other)?);
                Some(())
            }
        }
    }

    pub fn transition(&self, transition: &Transition) -> Option<Written> {
        let Transition { source, target, guard, sync, joint, effects, holder, .. } = transition;
        let mut written = vec![i64::from(source.0), i64::from(target.0)];
        match guard {
            None => written.push(0),
            Some(guard) => {
                written.push(1);
                written.extend(self.expression(guard)?);
            }
        }
        match sync {
            None => written.push(0),
            Some(Sync::Send { channel, values }) => {
                written.extend([1, i64::from(self.exchange.channel(*channel).0), values.len() as i64]);
                for value in values {
                    written.extend(self.expression(value)?);
                }
            }
            Some(Sync::Receive { channel, targets }) => {
                written.extend([2, i64::from(self.exchange.channel(*channel).0), targets.len() as i64]);
                for target in targets {
                    written.extend(self.place(target)?);
                }
            }
        }
        match joint {
            None => written.push(0),
            Some(Joint { process, source, target }) => written.extend([
                1,
                i64::from(self.exchange.process(*process).0),
                i64::from(source.0),
                i64::from(target.0),
            ]),
        }
        for effect in effects {
            match effect {
                Effect::Assign { target, value, .. } => {
                    written.push(1);
                    written.extend(self.place(target)?);
                    written.extend(self.expression(value)?);
                }
                Effect::Assert { condition, kind, .. } => {
                    written.extend([2, *kind as i64]);
                    written.extend(self.expression(condition)?);
                }
                Effect::Assume { condition, .. } => {
                    written.push(3);
                    written.extend(self.expression(condition)?);
                }
            }
        }
        written.push(holder.map_or(-1, |holder| i64::from(self.exchange.process(holder).0)));
        Some(written)
    }
}

fn commutes(op: BinaryOp) -> bool {
    use BinaryOp::{Add, And, BitAnd, BitOr, BitXor, Equal, Multiply, NotEqual, Or};
    matches!(op, Add | Multiply | BitAnd | BitOr | BitXor | Equal | NotEqual | And | Or)
}

/// Whether evaluating an expression may end in a fault.
fn may_fault(expression: &Expr) -> bool {
    match expression {
        Expr::Const(_) | Expr::At(..) | Expr::Length(_) => false,
        Expr::Read(place) => place.index.as_deref().is_some_and(|index| !matches!(index, Expr::Const(_))),
        Expr::Unary(_, operand) => may_fault(operand),
        Expr::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..) => true,
        Expr::Binary(_, left, right, _) => may_fault(left) || may_fault(right),
        Expr::Conditional(condition, yes, no) => [condition, yes, no].into_iter().any(|part| may_fault(part)),
    }
}
