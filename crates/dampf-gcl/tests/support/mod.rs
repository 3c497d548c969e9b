//! Programs for tests: short ways to write them, random ones, and their exploration.
#![allow(dead_code)]

use dampf_core::{Source, Span, Successors, Word};
use dampf_gcl::Interpreter;
use dampf_gcl::ir::*;
use dampf_gcl::layout::Layout;
use dampf_gcl::ranges::Range;
use dampf_testkit::program::{self, Size};
use std::collections::HashMap;
use std::sync::Arc;

pub const NOWHERE: Span = Span { start: 0, end: 0 };

pub fn number(value: i32) -> Expr {
    Expr::Const(value)
}

pub fn scalar(variable: u32) -> Place {
    Place { variable: VariableId(variable), index: None, span: NOWHERE }
}

pub fn element(variable: u32, index: Expr) -> Place {
    Place { variable: VariableId(variable), index: Some(Box::new(index)), span: NOWHERE }
}

pub fn read(variable: u32) -> Expr {
    Expr::Read(scalar(variable))
}

pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right), NOWHERE)
}

pub fn assign(target: Place, value: Expr) -> Effect {
    Effect::Assign { target, value, span: NOWHERE }
}

pub fn variable(name: &str, ty: IntType, initial: i32) -> Variable {
    Variable { name: name.to_owned(), owner: None, ty, array: None, initial: vec![initial], span: NOWHERE }
}

pub fn array(name: &str, ty: IntType, initial: Vec<i32>) -> Variable {
    let array = Some(initial.len() as u32);
    Variable { name: name.to_owned(), owner: None, ty, array, initial, span: NOWHERE }
}

pub fn channel(name: &str, capacity: u32, fields: &[IntType]) -> Channel {
    Channel { name: name.to_owned(), capacity, fields: fields.to_vec(), span: NOWHERE }
}

pub fn location(name: &str) -> Location {
    let name = name.to_owned();
    Location { name, committed: false, end: false, accepting: false, span: NOWHERE }
}

/// A process with plain locations `q0`, `q1`, …
pub fn process(name: &str, locations: u32, transitions: Vec<Transition>) -> Process {
    Process {
        name: name.to_owned(),
        locations: (0..locations).map(|number| location(&format!("q{number}"))).collect(),
        initial: LocationId(0),
        transitions,
        span: NOWHERE,
    }
}

pub fn transition(source: u32, target: u32) -> Transition {
    let (source, target) = (LocationId(source), LocationId(target));
    Transition {
        source,
        target,
        guard: None,
        sync: None,
        joint: None,
        effects: Vec::new(),
        holder: None,
        span: NOWHERE,
    }
}

pub trait TransitionParts {
    fn when(self, guard: Expr) -> Self;
    fn send(self, channel: u32, values: Vec<Expr>) -> Self;
    fn receive(self, channel: u32, targets: Vec<Place>) -> Self;
    fn does(self, effects: Vec<Effect>) -> Self;
    /// With a second process that moves along.
    fn along(self, process: u32, source: u32, target: u32) -> Self;
    /// With a process that holds the system afterwards.
    fn leaves_to(self, holder: u32) -> Self;
}

impl TransitionParts for Transition {
    fn when(self, guard: Expr) -> Self {
        Transition { guard: Some(guard), ..self }
    }
    fn send(self, channel: u32, values: Vec<Expr>) -> Self {
        Transition { sync: Some(Sync::Send { channel: ChannelId(channel), values }), ..self }
    }
    fn receive(self, channel: u32, targets: Vec<Place>) -> Self {
        Transition { sync: Some(Sync::Receive { channel: ChannelId(channel), targets }), ..self }
    }
    fn does(self, effects: Vec<Effect>) -> Self {
        Transition { effects, ..self }
    }
    fn along(self, process: u32, source: u32, target: u32) -> Self {
        let (source, target) = (LocationId(source), LocationId(target));
        Transition { joint: Some(Joint { process: ProcessId(process), source, target }), ..self }
    }
    fn leaves_to(self, holder: u32) -> Self {
        Transition { holder: Some(ProcessId(holder)), ..self }
    }
}

pub fn program(variables: Vec<Variable>, channels: Vec<Channel>, processes: Vec<Process>) -> Program {
    Program {
        name: "test".to_owned(),
        source: Source::new("test.gcl", ""),
        variables,
        channels,
        processes,
        checks: Vec::new(),
        propositions: Vec::new(),
        estimates: vec![],
        property: None,
        has_error_state: false,
        error_location: None,
        has_compound_steps: false,
        timeout: None,
    }
}

/// The layout that gives every variable the whole range of its type.
pub fn widest_layout(program: &Program) -> Layout {
    let ranges: Vec<Range> = program.variables.iter().map(Range::of_type).collect();
    Layout::new(program, &ranges)
}

pub fn interpreter(program: Program) -> Interpreter {
    let layout = widest_layout(&program);
    Interpreter::new(Arc::new(program), layout)
}

/// All reachable states, in the order of a breadth-first search; none if there are more than `states_max`.
pub fn explore(interpreter: &Interpreter, states_max: usize) -> Option<Vec<Vec<Word>>> {
    let mut out = Successors::new(interpreter.layout().width);
    let mut states = vec![interpreter.initial_state()];
    let mut known: HashMap<Vec<Word>, usize> = HashMap::from([(states[0].clone(), 0)]);
    let mut next = 0;
    while next < states.len() {
        let state = states[next].clone();
        next += 1;
        interpreter.successors(&state, &mut out);
        for index in (0..out.len()).filter(|index| out.fault(*index).is_none()) {
            let successor = out.state(index).to_vec();
            let number = states.len();
            if *known.entry(successor.clone()).or_insert(number) == number {
                states.push(successor);
            }
        }
        if states.len() > states_max {
            return None;
        }
    }
    Some(states)
}

/// A random program, mostly small enough to explore.
pub fn random_program(seed: u64) -> Program {
    let small = Size { processes: 3, locations: 3, transitions: 5, globals: 3, locals: 1, channels: 2, depth: 2 };
    program::random_program(seed, if seed.is_multiple_of(4) { Size::default() } else { small })
}
