//! Steps as formulas over the state before them.
//!
//! Executing the parts of a step symbolically, in their order, expresses every value it stores, and every
//! condition it passes, by *inputs*: what the step reads of the state before it. That keeps what values within
//! one step have to do with each other: `x = x + 1, y = x` under the guard `x < 3` stores at most 3 into `y`.
//! What cannot be followed (an array stored into by an index that varies) becomes an input that may have any
//! value of its cell.
//!
//! A *cell* is what the analysis keeps one set of values for: a scalar, an element of an array that is only
//! indexed by constants, any other array as a whole, a field of a channel's messages, a channel's length.

use super::formula::Formula;
use crate::ir::{
    ActionSource, BinaryOp, ChannelId, Effect, Expr, IntType, Joint, LocationId, Place, ProcessId, Program, Sync,
    Transition, UnaryOp, VariableId,
};
use crate::layout::dynamically_indexed;
use dampf_core::FaultKind;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Arrays with more elements get one cell, however they are indexed.
const ELEMENT_CELLS_MAX: u32 = 256;

/// Stored values with more nodes are not put into later formulas: what is read then is some value of the cell.
const NODES_MAX: usize = 40;

pub type Cell = u32;

/// Where the cells of a program are.
pub struct Cells {
    /// The type of each cell.
    pub types: Vec<IntType>,
    /// Whether each cell stands for one place of a state, not for several.
    single: Vec<bool>,
    variables: Vec<Placement>,
    /// The cell of each channel's first field; the other fields follow.
    messages: Vec<Cell>,
    lengths: Vec<Cell>,
    /// Holds 0 and 1: whether a process is somewhere.
    pub truth: Cell,
    /// Holds 1 where a step may store a value that does not fit, in a language that forbids it.
    pub overflow: Cell,
}

#[derive(Clone, Copy, Debug)]
enum Placement {
    /// A scalar, or the elements of an array side by side.
    Elements(Cell, u32),
    Whole(Cell),
}

impl Cells {
    pub fn new(program: &Program) -> Self {
        let dynamic = dynamically_indexed(program);
        let mut types = Vec::new();
        let mut add = |ty: IntType, count: u32| {
            types.extend((0..count).map(|_| ty));
            types.len() as u32 - count
        };
        let variables = program.variables.iter().zip(dynamic).map(|(variable, dynamic)| match variable.array {
            Some(len) if dynamic || len > ELEMENT_CELLS_MAX => Placement::Whole(add(variable.ty, 1)),
            len => Placement::Elements(add(variable.ty, len.unwrap_or(1)), len.unwrap_or(1)),
        });
        let variables: Vec<Placement> = variables.collect();
        let messages = program.channels.iter().map(|channel| {
            let first = add(IntType::I32, 0);
            channel.fields.iter().for_each(|ty| {
                add(*ty, 1);
            });
            first
        });
        let messages = messages.collect();
        let lengths = program.channels.iter().map(|_| add(IntType::I32, 1)).collect();
        let truth = add(IntType::I32, 1);
        let overflow = add(IntType::I32, 1);
        let mut single = vec![false; types.len()];
        for placement in &variables {
            if let Placement::Elements(first, count) = *placement {
                single[first as usize..][..count as usize].fill(true);
            }
        }
        Cells { types, single, variables, messages, lengths, truth, overflow }
    }

    /// The cells that hold the values of a variable.
    pub fn of_variable(&self, id: VariableId) -> std::ops::Range<Cell> {
        match self.variables[id.0 as usize] {
            Placement::Elements(first, count) => first..first + count,
            Placement::Whole(cell) => cell..cell + 1,
        }
    }

    /// The cell of an element.
    pub fn of_element(&self, id: VariableId, index: u32) -> Cell {
        match self.variables[id.0 as usize] {
            Placement::Elements(first, _) => first + index,
            Placement::Whole(cell) => cell,
        }
    }

    /// Whether the cell stands for one place of a state, not for several.
    pub fn is_single(&self, cell: Cell) -> bool {
        self.single[cell as usize]
    }

    pub fn of_message(&self, channel: ChannelId, field: usize) -> Cell {
        self.messages[channel.0 as usize] + field as u32
    }

    pub fn of_length(&self, channel: ChannelId) -> Cell {
        self.lengths[channel.0 as usize]
    }
}

/// Something a step reads of the state before it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Input {
    cell: Cell,
    which: Which,
}

/// What tells apart the inputs from one cell. Equal inputs have equal values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Which {
    /// The only place that the cell stands for.
    Only,
    Element(Formula),
    Process(ProcessId, LocationId),
    /// Some value of the cell, unlike any other input.
    Any(u32),
}

/// A value that a step stores.
#[derive(Debug)]
pub struct Store {
    pub cell: Cell,
    /// Within the type of the cell.
    pub value: Formula,
    /// The process whose transition stores it.
    pub by: ProcessId,
    /// How many of the step's conditions were passed before.
    pub conditions: usize,
}

/// A process that moves in a step.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub process: ProcessId,
    pub source: LocationId,
    pub target: LocationId,
}

/// A step as formulas. Where several values are stored into one single cell, the last one stays.
#[derive(Debug)]
pub struct SymbolicStep {
    pub moves: Vec<Move>,
    /// The cell of each input.
    pub inputs: Vec<Cell>,
    /// For each input, whether it is the value that the only place of its cell has before the step.
    pub direct: Vec<bool>,
    /// What must be true for the step to be taken to its end, in order.
    pub conditions: Vec<Formula>,
    /// How many of the conditions come from guards; the others are assertions, before which stores may happen.
    pub guards: usize,
    pub stores: Vec<Store>,
}

impl SymbolicStep {
    pub fn new(program: &Program, cells: &Cells, action: &ActionSource) -> Self {
        let mut execution = Execution::new(program, cells);
        let transition = &program.process(action.process).transitions[action.transition];
        let partner = action.partner.map(|(receiver, index)| (receiver, &program.process(receiver).transitions[index]));
        execution.stand(action.process, transition.source);
        if let Some((receiver, receiving)) = partner {
            execution.stand(receiver, receiving.source);
        }
        if let Some(joint) = transition.joint {
            execution.stand(joint.process, joint.source);
        }
        execution.guard(transition);
        if let Some((_, receiving)) = partner {
            execution.guard(receiving);
        }
        let sent = match &transition.sync {
            Some(Sync::Send { values, .. }) => values.iter().map(|value| execution.expression(value)).collect(),
            _ => Vec::new(),
        };
        execution.travel(action.process, transition);
        if let Some((receiver, receiving)) = partner {
            execution.travel(receiver, receiving);
        }
        if let Some(Joint { process, source, target }) = transition.joint {
            execution.moves.push(Move { process, source, target });
            execution.stand(process, target);
        }
        match (&transition.sync, partner) {
            (Some(_), Some((receiver, receiving))) => execution.receive(receiver, receiving, Some(sent)),
            (Some(Sync::Send { channel, .. }), None) => execution.enqueue(action.process, *channel, sent),
            (Some(Sync::Receive { channel, .. }), None) => {
                execution.forget_length(*channel);
                execution.receive(action.process, transition, None);
            }
            (None, _) => {}
        }
        if let Some((receiver, receiving)) = partner {
            execution.effects(receiver, receiving);
        }
        execution.effects(action.process, transition);
        execution.finish()
    }

    /// One side of a rendezvous, whoever the other side is: the message passes through the channel's cells.
    pub fn side(program: &Program, cells: &Cells, process: ProcessId, transition: &Transition) -> Self {
        let mut execution = Execution::new(program, cells);
        execution.stand(process, transition.source);
        execution.guard(transition);
        let sent: Vec<Formula> = match &transition.sync {
            Some(Sync::Send { values, .. }) => values.iter().map(|value| execution.expression(value)).collect(),
            _ => Vec::new(),
        };
        execution.travel(process, transition);
        execution.blind = true;
        match &transition.sync {
            Some(Sync::Send { channel, .. }) => execution.enqueue(process, *channel, sent),
            Some(Sync::Receive { .. }) => execution.receive(process, transition, None),
            None => {}
        }
        execution.effects(process, transition);
        execution.finish()
    }
}

/// The symbolic execution of one step.
struct Execution<'p> {
    program: &'p Program,
    cells: &'p Cells,
    numbers: HashMap<Input, u32>,
    inputs: Vec<Input>,
    /// What the moving processes' locations are at this point.
    locations: BTreeMap<ProcessId, LocationId>,
    /// What was stored into single cells so far.
    stored: BTreeMap<Cell, Formula>,
    /// Cells of several places, or lengths, that were changed so far.
    changed: BTreeSet<Cell>,
    /// Whether what is read may have been changed by a partner that is not followed.
    blind: bool,
    moves: Vec<Move>,
    conditions: Vec<Formula>,
    guards: usize,
    stores: Vec<Store>,
}

impl<'p> Execution<'p> {
    fn new(program: &'p Program, cells: &'p Cells) -> Self {
        Execution {
            program,
            cells,
            numbers: HashMap::new(),
            inputs: Vec::new(),
            locations: BTreeMap::new(),
            stored: BTreeMap::new(),
            changed: BTreeSet::new(),
            blind: false,
            moves: Vec::new(),
            conditions: Vec::new(),
            guards: 0,
            stores: Vec::new(),
        }
    }

    fn finish(self) -> SymbolicStep {
        SymbolicStep {
            moves: self.moves,
            direct: self.inputs.iter().map(|input| input.which == Which::Only).collect(),
            inputs: self.inputs.iter().map(|input| input.cell).collect(),
            conditions: self.conditions,
            guards: self.guards,
            stores: self.stores,
        }
    }

    fn stand(&mut self, process: ProcessId, location: LocationId) {
        self.locations.insert(process, location);
    }

    fn travel(&mut self, process: ProcessId, transition: &Transition) {
        self.moves.push(Move { process, source: transition.source, target: transition.target });
        self.stand(process, transition.target);
    }

    fn guard(&mut self, transition: &Transition) {
        if let Some(guard) = &transition.guard {
            self.condition(guard);
            self.guards = self.conditions.len();
        }
    }

    /// The conjuncts of a condition that must hold here.
    fn condition(&mut self, condition: &Expr) {
        if let Expr::Binary(BinaryOp::And, left, right, _) = condition {
            self.condition(left);
            self.condition(right);
        } else {
            let condition = self.expression(condition);
            self.conditions.push(condition);
        }
    }

    fn forget_length(&mut self, channel: ChannelId) {
        self.changed.insert(self.cells.of_length(channel));
    }

    fn enqueue(&mut self, by: ProcessId, channel: ChannelId, sent: Vec<Formula>) {
        self.forget_length(channel);
        for ((field, value), ty) in sent.into_iter().enumerate().zip(&self.program.channel(channel).fields) {
            let cell = self.cells.of_message(channel, field);
            self.changed.insert(cell);
            let conditions = self.conditions.len();
            self.stores.push(Store { cell, value: value.wrapped(*ty), by, conditions });
        }
    }

    /// Stores a message, or whatever a buffer has, into the targets of a receive.
    fn receive(&mut self, by: ProcessId, receiving: &Transition, sent: Option<Vec<Formula>>) {
        let Some(Sync::Receive { channel, targets }) = &receiving.sync else { return };
        let fields = &self.program.channel(*channel).fields;
        for (field, (target, ty)) in targets.iter().zip(fields).enumerate() {
            let value = match &sent {
                Some(values) => values[field].clone().wrapped(*ty),
                None => self.any(self.cells.of_message(*channel, field)),
            };
            self.store(by, target, value);
        }
    }

    fn effects(&mut self, by: ProcessId, transition: &Transition) {
        for effect in &transition.effects {
            match effect {
                Effect::Assign { target, value, .. } => {
                    let value = self.expression(value);
                    // What belongs to the process that moves along counts as its own.
                    let owner = self.program.variable(target.variable).owner;
                    let along = transition.joint.map(|joint| joint.process).filter(|along| owner == Some(*along));
                    self.store(along.unwrap_or(by), target, value);
                }
                Effect::Assert { condition, kind, .. } => {
                    if *kind == FaultKind::Overflow {
                        let holds = self.expression(condition);
                        let value = Formula::Unary(UnaryOp::Not, Box::new(holds));
                        let conditions = self.conditions.len();
                        self.stores.push(Store { cell: self.cells.overflow, value, by, conditions });
                    }
                    self.condition(condition);
                }
                Effect::Assume { condition, .. } => self.condition(condition),
            }
        }
    }

    fn store(&mut self, by: ProcessId, target: &Place, value: Formula) {
        let value = value.wrapped(self.program.variable(target.variable).ty);
        // A constant index outside the array ends the step in a fault.
        let Some(cell) = self.place(target) else { return };
        self.stores.push(Store { cell, value: value.clone(), by, conditions: self.conditions.len() });
        if self.cells.is_single(cell) {
            self.stored.insert(cell, value);
        } else {
            self.changed.insert(cell);
        }
    }

    /// The cell of a place; none for a constant index outside the array.
    fn place(&self, place: &Place) -> Option<Cell> {
        let index = match place.index.as_deref() {
            Some(Expr::Const(index)) => u32::try_from(*index).ok()?,
            _ => 0,
        };
        let len = self.program.variable(place.variable).array.unwrap_or(1);
        (index < len).then(|| self.cells.of_element(place.variable, index))
    }

    fn input(&mut self, cell: Cell, which: Which) -> Formula {
        let input = Input { cell, which };
        let next = self.inputs.len() as u32;
        let number = *self.numbers.entry(input.clone()).or_insert(next);
        if number == next {
            self.inputs.push(input);
        }
        Formula::Input(number)
    }

    fn any(&mut self, cell: Cell) -> Formula {
        let number = self.inputs.len() as u32;
        self.input(cell, Which::Any(number))
    }

    fn expression(&mut self, expr: &Expr) -> Formula {
        match expr {
            Expr::Const(value) => Formula::Const(*value),
            Expr::Read(place) => self.read(place),
            Expr::At(process, location) => match self.locations.get(process) {
                Some(current) => Formula::Const(i32::from(current == location)),
                None if self.blind => self.any(self.cells.truth),
                None => self.input(self.cells.truth, Which::Process(*process, *location)),
            },
            Expr::Length(channel) => {
                let cell = self.cells.of_length(*channel);
                if self.blind || self.changed.contains(&cell) { self.any(cell) } else { self.input(cell, Which::Only) }
            }
            Expr::Unary(op, operand) => match self.expression(operand) {
                Formula::Const(value) => Formula::Const(op.apply(value)),
                operand => Formula::Unary(*op, Box::new(operand)),
            },
            Expr::Binary(op, left, right, _) => {
                let (left, right) = (self.expression(left), self.expression(right));
                if let (Formula::Const(left), Formula::Const(right)) = (&left, &right)
                    && let Some(value) = op.apply(*left, *right)
                {
                    return Formula::Const(value);
                }
                Formula::Binary(*op, Box::new(left), Box::new(right))
            }
            Expr::Conditional(condition, then, otherwise) => {
                let condition = Box::new(self.expression(condition));
                let (then, otherwise) = (Box::new(self.expression(then)), Box::new(self.expression(otherwise)));
                Formula::Conditional(condition, then, otherwise)
            }
        }
    }

    fn read(&mut self, place: &Place) -> Formula {
        // A constant index outside the array faults, so that any value will do.
        let Some(cell) = self.place(place) else { return Formula::Const(0) };
        if self.cells.is_single(cell) {
            return match self.stored.get(&cell) {
                _ if self.blind => self.any(cell),
                Some(value) if value.nodes() > NODES_MAX => self.any(cell),
                Some(value) => value.clone(),
                None => self.input(cell, Which::Only),
            };
        }
        if self.blind || self.changed.contains(&cell) {
            return self.any(cell);
        }
        let index = place.index.as_ref().map_or(Formula::Const(0), |index| self.expression(index));
        if index.nodes() > NODES_MAX {
            return self.any(cell);
        }
        self.input(cell, Which::Element(index))
    }
}
