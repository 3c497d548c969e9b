//! Random guarded-command programs that use everything the intermediate representation has.
//!
//! They mean nothing, but they are well formed, their types are mostly small, and they go wrong in all the
//! ways a program can: an index outside its array, a division by zero, a violated assertion. Every site that
//! can fault has a span of its own, so that faults of different sites differ.

use crate::random::Random;
use dampf_core::{FaultKind, Source, Span};
use dampf_gcl::ir::{
    BinaryOp, Channel, ChannelId, Check, Effect, Expr, IntType, Joint, Location, LocationId, Place, Process, ProcessId,
    Program, Sync, Transition, UnaryOp, Variable, VariableId,
};

/// The greatest number of each thing; a program has up to that many.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub processes: usize,
    pub locations: usize,
    pub transitions: usize,
    pub globals: usize,
    pub locals: usize,
    pub channels: usize,
    /// The depth of expressions.
    pub depth: usize,
}

impl Default for Size {
    fn default() -> Self {
        Size { processes: 4, locations: 5, transitions: 9, globals: 4, locals: 2, channels: 3, depth: 3 }
    }
}

/// The program of a seed.
pub fn random_program(seed: u64, size: Size) -> Program {
    let mut generator = Generator {
        random: Random::new(seed),
        size,
        text: String::new(),
        variables: Vec::new(),
        channels: Vec::new(),
        locations: Vec::new(),
    };
    generator.program(seed)
}

struct Generator {
    random: Random,
    size: Size,
    text: String,
    variables: Vec<Variable>,
    channels: Vec<Channel>,
    /// The number of locations of each process.
    locations: Vec<usize>,
}

const COMPARISONS: [BinaryOp; 6] = [
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
];

const OPERATIONS: [BinaryOp; 18] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
    BinaryOp::And,
    BinaryOp::Or,
];

impl Generator {
    fn program(&mut self, seed: u64) -> Program {
        let processes = self.some(1, self.size.processes);
        for _ in 0..processes {
            let many = if self.chance(3) { 80 } else { self.size.locations };
            let count = self.some(1, many);
            self.locations.push(count);
        }
        for _ in 0..self.some(0, self.size.channels) {
            self.channel();
        }
        for _ in 0..self.some(1, self.size.globals) {
            self.variable(None);
        }
        for process in 0..processes {
            for _ in 0..self.some(0, self.size.locals) {
                self.variable(Some(ProcessId(process as u32)));
            }
        }
        let (committed, atomic, end) = (self.chance(30), self.chance(30), self.chance(60));
        let marks = Marks { committed, atomic, end };
        let processes = (0..processes).map(|number| self.process(number, marks)).collect();
        let checks = (0..self.some(0, 2)).map(|_| self.check()).collect();
        let property = self.chance(20).then(|| self.property());
        let has_compound_steps = atomic && self.chance(50);
        let mut processes: Vec<Process> = processes;
        let timeout = self.chance(20).then(|| self.timeout(&mut processes));
        Program {
            name: format!("random{seed}"),
            source: Source::new(format!("random{seed}.gcl"), std::mem::take(&mut self.text)),
            variables: std::mem::take(&mut self.variables),
            channels: std::mem::take(&mut self.channels),
            processes,
            checks,
            propositions: Vec::new(),
            estimates: Vec::new(),
            property,
            has_error_state: !has_compound_steps && self.chance(50),
            error_location: None,
            has_compound_steps,
            timeout,
        }
    }

    /// Makes some transitions wait until nothing else can happen.
    fn timeout(&mut self, processes: &mut [Process]) -> VariableId {
        let id = VariableId(self.variables.len() as u32);
        self.variables.push(Variable {
            name: "timeout".to_owned(),
            owner: None,
            ty: IntType::BIT,
            array: None,
            initial: vec![0],
            span: Span::default(),
        });
        for transition in processes.iter_mut().flat_map(|process| &mut process.transitions) {
            if self.chance(20) {
                let waits = Expr::Read(Place { variable: id, index: None, span: Span::default() });
                transition.guard = Some(match transition.guard.take() {
                    Some(guard) => Expr::Binary(BinaryOp::And, Box::new(guard), Box::new(waits), Span::default()),
                    None => waits,
                });
            }
        }
        id
    }

    // Choices.

    fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound as u64) as usize
    }

    /// A number between two, both included.
    fn some(&mut self, least: usize, greatest: usize) -> usize {
        least + self.below(greatest.max(least) - least + 1)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A span that no other site has, over a text that no other site has.
    fn span(&mut self) -> Span {
        let start = self.text.len();
        self.text.push_str(&format!("site{start}\n"));
        Span::new(start, self.text.len() - 1)
    }

    // Declarations.

    fn ty(&mut self) -> IntType {
        let (bits, signed) = match self.below(20) {
            0..=3 => (1, false),
            4..=8 => (2, false),
            9 | 10 => (3, false),
            11 => (1, true),
            12 | 13 => (3, true),
            14 | 15 => (8, false),
            16 => (8, true),
            17 => (16, true),
            18 => (32, true),
            _ => (32, false),
        };
        IntType { bits, signed }
    }

    fn variable(&mut self, owner: Option<ProcessId>) {
        let ty = self.ty();
        let array = self.chance(40).then(|| if self.chance(15) { self.some(20, 70) } else { self.some(1, 6) } as u32);
        let initial = (0..array.unwrap_or(1)).map(|_| ty.wrap(self.number())).collect();
        let name = format!("v{}", self.variables.len());
        let span = self.span();
        self.variables.push(Variable { name, owner, ty, array, initial, span });
    }

    fn channel(&mut self) {
        let capacity = match self.below(10) {
            0..=4 => 0,
            5..=8 => self.some(1, 4),
            _ => self.some(5, 20),
        };
        let fields = (0..self.some(0, 3)).map(|_| self.ty()).collect();
        let name = format!("c{}", self.channels.len());
        let span = self.span();
        self.channels.push(Channel { name, capacity: capacity as u32, fields, span });
    }

    fn process(&mut self, number: usize, marks: Marks) -> Process {
        let count = self.locations[number];
        let locations: Vec<Location> = (0..count).map(|location| self.location(location, marks)).collect();
        let transitions = match count {
            0..=20 => self.some(1, self.size.transitions),
            _ => self.some(count / 2, count),
        };
        let transitions = (0..transitions).map(|_| self.transition(number, count, marks)).collect();
        let initial = LocationId(self.below(count) as u32);
        Process { name: format!("P{number}"), locations, initial, transitions, span: self.span() }
    }

    fn location(&mut self, number: usize, marks: Marks) -> Location {
        Location {
            name: format!("l{number}"),
            committed: marks.committed && self.chance(20),
            end: marks.end && self.chance(60),
            accepting: false,
            span: Span::default(),
        }
    }

    fn transition(&mut self, process: usize, locations: usize, marks: Marks) -> Transition {
        let source = LocationId(self.below(locations) as u32);
        let target = LocationId(self.below(locations) as u32);
        let guard = self.chance(60).then(|| self.guard());
        let sync = if !self.channels.is_empty() && self.chance(45) { Some(self.sync()) } else { None };
        let effects = (0..self.some(0, 3)).map(|_| self.effect()).collect();
        let joint = if sync.is_none() && self.chance(10) { self.joint(process) } else { None };
        let own = (marks.atomic && self.chance(30)).then_some(ProcessId(process as u32));
        let holder = own.map(|own| joint.filter(|_| self.chance(50)).map_or(own, |joint| joint.process));
        Transition { source, target, guard, sync, joint, effects, holder, span: self.span() }
    }

    /// Another process that moves along, if there is one.
    fn joint(&mut self, mover: usize) -> Option<Joint> {
        let process = self.below(self.locations.len());
        let count = self.locations[process];
        let (source, target) = (LocationId(self.below(count) as u32), LocationId(self.below(count) as u32));
        (process != mover).then_some(Joint { process: ProcessId(process as u32), source, target })
    }

    fn property(&mut self) -> Process {
        let location = |name: &str, accepting| Location {
            name: name.to_owned(),
            committed: false,
            end: false,
            accepting,
            span: Span::default(),
        };
        let locations = vec![location("wait", false), location("seen", true)];
        let mut edge = |source, target| Transition {
            source: LocationId(source),
            target: LocationId(target),
            guard: self.chance(80).then(|| self.guard()),
            sync: None,
            joint: None,
            effects: Vec::new(),
            holder: None,
            span: self.span(),
        };
        let transitions = vec![edge(0, 0), edge(0, 1), edge(1, 1)];
        Process { name: "property".to_owned(), locations, initial: LocationId(0), transitions, span: self.span() }
    }

    fn check(&mut self) -> Check {
        let kind = self.pick(&[FaultKind::Assertion, FaultKind::Invariant, FaultKind::Goal]);
        let condition = match self.chance(50) {
            true => {
                let at = Expr::Unary(UnaryOp::Not, Box::new(self.at()));
                let guard = self.guard();
                self.binary(BinaryOp::Or, at, guard)
            }
            false => self.guard(),
        };
        let span = self.span();
        let text = self.text[span.start as usize..span.end as usize].to_owned();
        Check { kind, condition, text, span: self.chance(70).then_some(span) }
    }

    fn sync(&mut self) -> Sync {
        let number = self.below(self.channels.len());
        let channel = ChannelId(number as u32);
        let count = self.channels[number].fields.len();
        if self.chance(50) {
            Sync::Send { channel, values: (0..count).map(|_| self.expr(self.size.depth.saturating_sub(1))).collect() }
        } else {
            Sync::Receive { channel, targets: (0..count).map(|_| self.place(1)).collect() }
        }
    }

    fn effect(&mut self) -> Effect {
        if self.chance(8) {
            let kind = self.pick(&[FaultKind::Assertion, FaultKind::Overflow]);
            return Effect::Assert { condition: self.guard(), kind, span: self.span() };
        }
        let target = self.place(self.size.depth.saturating_sub(1));
        let value = match self.below(10) {
            0..=2 => Expr::Const(self.number()),
            3..=5 => {
                // Counting is what programs do most.
                let (op, distance) = (self.pick(&[BinaryOp::Add, BinaryOp::Subtract]), self.number());
                self.binary(op, Expr::Read(target.clone()), Expr::Const(distance))
            }
            _ => self.expr(self.size.depth),
        };
        Effect::Assign { target, value, span: self.span() }
    }

    // Expressions.

    fn number(&mut self) -> i32 {
        match self.below(20) {
            0..=13 => self.below(4) as i32,
            14 | 15 => -(self.below(4) as i32),
            16 => self.below(300) as i32,
            17 => self.pick(&[i32::MAX, i32::MIN, i32::MIN + 1]),
            18 => 1 << self.below(31),
            _ => self.random.next_number() as i32,
        }
    }

    /// A condition, mostly one that is sometimes true.
    fn guard(&mut self) -> Expr {
        match self.below(12) {
            0..=4 => self.comparison(),
            5 => {
                let (left, right) = (self.comparison(), self.comparison());
                self.binary(BinaryOp::And, left, right)
            }
            6 => {
                let (left, right) = (self.comparison(), self.comparison());
                self.binary(BinaryOp::Or, left, right)
            }
            7 => Expr::Unary(UnaryOp::Not, Box::new(self.comparison())),
            8 | 9 => self.bounded_access(),
            10 => self.at(),
            _ => self.expr(self.size.depth),
        }
    }

    /// A place compared with a number.
    fn comparison(&mut self) -> Expr {
        let (op, place) = (self.pick(&COMPARISONS), self.place(1));
        let other = if self.chance(75) { Expr::Const(self.number()) } else { self.expr(1) };
        self.binary(op, Expr::Read(place), other)
    }

    /// An array access behind a check of its index, which may be wrong by one.
    fn bounded_access(&mut self) -> Expr {
        let Some(array) = self.array() else { return self.comparison() };
        let len = self.variables[array].array.unwrap_or(1) as i32;
        let index = Expr::Read(self.scalar_or_first());
        let bound = len + i32::from(self.chance(20));
        let low = self.binary(BinaryOp::GreaterEqual, index.clone(), Expr::Const(0));
        let high = self.binary(BinaryOp::Less, index.clone(), Expr::Const(bound));
        let element = self.place_of(array, Some(index));
        let (op, value) = (self.pick(&COMPARISONS), self.number());
        let access = self.binary(op, Expr::Read(element), Expr::Const(value));
        let inside = self.binary(BinaryOp::And, low, high);
        if self.chance(80) {
            return self.binary(BinaryOp::And, inside, access);
        }
        let outside = Expr::Unary(UnaryOp::Not, Box::new(inside));
        self.binary(BinaryOp::Or, outside, access)
    }

    fn at(&mut self) -> Expr {
        let process = self.below(self.locations.len());
        let location = self.below(self.locations[process]);
        Expr::At(ProcessId(process as u32), LocationId(location as u32))
    }

    fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 || self.chance(20) {
            return self.leaf(depth);
        }
        match self.below(12) {
            0..=7 => {
                let op = self.pick(&OPERATIONS);
                let (left, right) = (self.expr(depth - 1), self.expr(depth - 1));
                self.binary(op, left, right)
            }
            8 | 9 => {
                let op = self.pick(&[UnaryOp::Negate, UnaryOp::BitNot, UnaryOp::Not]);
                Expr::Unary(op, Box::new(self.expr(depth - 1)))
            }
            10 => {
                let (condition, then, otherwise) = (self.expr(depth - 1), self.expr(depth - 1), self.expr(depth - 1));
                Expr::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise))
            }
            _ => self.leaf(depth),
        }
    }

    fn leaf(&mut self, depth: usize) -> Expr {
        match self.below(10) {
            0..=2 => Expr::Const(self.number()),
            3 => self.at(),
            4 if !self.channels.is_empty() => Expr::Length(ChannelId(self.below(self.channels.len()) as u32)),
            _ => Expr::Read(self.place(depth)),
        }
    }

    fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right), self.span())
    }

    fn place(&mut self, depth: usize) -> Place {
        let variable = self.below(self.variables.len());
        let Some(len) = self.variables[variable].array else { return self.place_of(variable, None) };
        let index = match self.below(10) {
            0..=3 => Expr::Const(self.below(len as usize) as i32),
            _ if depth == 0 => Expr::Const(self.below(len as usize) as i32),
            4 => {
                let value = Expr::Read(self.scalar_or_first());
                self.binary(BinaryOp::Remainder, value, Expr::Const(len as i32))
            }
            5 => {
                let value = Expr::Read(self.scalar_or_first());
                let mask = (len.next_power_of_two() - 1) as i32;
                self.binary(BinaryOp::BitAnd, value, Expr::Const(mask))
            }
            6 | 7 => Expr::Read(self.scalar_or_first()),
            _ => match self.expr(depth - 1) {
                // A constant index is within bounds.
                Expr::Const(value) => Expr::Const(value.rem_euclid(len as i32)),
                other => other,
            },
        };
        self.place_of(variable, Some(index))
    }

    fn place_of(&mut self, variable: usize, index: Option<Expr>) -> Place {
        Place { variable: VariableId(variable as u32), index: index.map(Box::new), span: self.span() }
    }

    /// Some scalar; the first element of an array if that is what chance finds.
    fn scalar_or_first(&mut self) -> Place {
        let variable = self.below(self.variables.len());
        let index = self.variables[variable].array.map(|_| Expr::Const(0));
        self.place_of(variable, index)
    }

    fn array(&mut self) -> Option<usize> {
        let arrays: Vec<usize> = (0..self.variables.len()).filter(|&at| self.variables[at].array.is_some()).collect();
        (!arrays.is_empty()).then(|| self.pick(&arrays))
    }
}

/// Which kinds of locations a program has.
#[derive(Clone, Copy)]
struct Marks {
    committed: bool,
    atomic: bool,
    end: bool,
}
