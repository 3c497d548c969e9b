//! Random programs of processes that have little to do with each other.

use dampf_core::{FaultKind, Source, Span};
use dampf_gcl::ir::{
    BinaryOp, Channel, ChannelId, Check, Effect, Expr, IntType, Location, LocationId, Place, Process, ProcessId,
    Program, Sync, Transition, Variable, VariableId,
};
use dampf_testkit::random::Random;

/// Variables that are only counted up and down come first, then other shared variables, the last of which is an array,
/// then two of each process.
const COUNTERS: u64 = 2;
const SHARED: u64 = 5;
const ARRAY: u64 = SHARED - 1;

pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let processes = 2 + random.below(3);
    let variables = (0..SHARED + 2 * processes).map(|number| Variable {
        name: format!("v{number}"),
        owner: None,
        ty: if number < COUNTERS { IntType::U8 } else { IntType { bits: 2, signed: false } },
        array: (number == ARRAY).then_some(4),
        initial: vec![0; if number == ARRAY { 4 } else { 1 }],
        span: Span::default(),
    });
    let channels = (0..2).map(|number| Channel {
        name: format!("c{number}"),
        capacity: random.below(3) as u32,
        fields: vec![IntType::BIT],
        span: Span::default(),
    });
    let channels: Vec<Channel> = channels.collect();
    let has_ends = random.below(2) == 0;
    let has_compound_steps = random.below(3) == 0;
    let has_checks = random.below(3) == 0;
    let mut process = |number| process(&mut random, number, has_ends, has_compound_steps);
    let processes: Vec<Process> = (0..processes).map(&mut process).collect();
    let check = Check {
        kind: FaultKind::Goal,
        condition: comparison(&mut random, 0, BinaryOp::Equal),
        text: "goal".to_owned(),
        span: None,
    };
    Program {
        name: format!("loose{seed}"),
        source: Source::new(format!("loose{seed}.gcl"), " ".repeat(100)),
        variables: variables.collect(),
        channels,
        processes,
        checks: if has_checks { vec![check] } else { Vec::new() },
        propositions: Vec::new(),
        estimates: Vec::new(),
        property: None,
        has_error_state: false,
        error_location: None,
        has_compound_steps,
        timeout: None,
    }
}

fn process(random: &mut Random, number: u64, has_ends: bool, has_holders: bool) -> Process {
    let count = 2 + random.below(4);
    let location = |at: u64, end| Location {
        name: format!("l{at}"),
        committed: false,
        end,
        accepting: false,
        span: Span::default(),
    };
    let locations = (0..count).map(|at| location(at, has_ends && random.below(2) == 0)).collect();
    // A way through all locations, mostly around, and some shortcuts.
    let mut transitions: Vec<Transition> =
        (0..count - 1).map(|at| transition(random, number, at, at + 1, has_holders)).collect();
    for _ in 0..random.below(4) {
        let (source, target) = (random.below(count), random.below(count));
        transitions.push(transition(random, number, source, target, has_holders));
    }
    Process { name: format!("P{number}"), locations, initial: LocationId(0), transitions, span: Span::default() }
}

fn place(random: &mut Random, process: u64) -> Place {
    let own = SHARED + 2 * process + random.below(2);
    let variable = if random.below(100) < 70 { own } else { random.below(SHARED) };
    let variable = if variable < COUNTERS { own } else { variable };
    // An index is a value of two bits, like an own variable.
    let index = (variable == ARRAY).then(|| match random.below(3) {
        0 => Expr::Const(process as i32 % 4),
        _ => Expr::Read(Place { variable: VariableId(own as u32), index: None, span: Span::default() }),
    });
    Place { variable: VariableId(variable as u32), index: index.map(Box::new), span: Span::default() }
}

fn comparison(random: &mut Random, process: u64, op: BinaryOp) -> Expr {
    let (read, bound) = (Expr::Read(place(random, process)), Expr::Const(random.below(4) as i32));
    Expr::Binary(op, Box::new(read), Box::new(bound), Span::default())
}

fn transition(random: &mut Random, process: u64, source: u64, target: u64, has_holders: bool) -> Transition {
    let ops = [BinaryOp::Less, BinaryOp::Greater, BinaryOp::Equal, BinaryOp::NotEqual];
    let op = ops[random.below(4) as usize];
    let guard = (random.below(2) == 0).then(|| comparison(random, process, op));
    let channel = ChannelId(random.below(2) as u32);
    let sync = match random.below(6) {
        0 => Some(Sync::Send { channel, values: vec![Expr::Const(random.below(2) as i32)] }),
        1 => Some(Sync::Receive { channel, targets: vec![place(random, process)] }),
        _ => None,
    };
    let mut effects = Vec::new();
    let mut guard = guard;
    if random.below(4) == 0 {
        let counter = Place { variable: VariableId(random.below(COUNTERS) as u32), index: None, span: Span::default() };
        let (op, bound, change) = match random.below(2) {
            0 => (BinaryOp::Less, 3, BinaryOp::Add),
            _ => (BinaryOp::Greater, 0, BinaryOp::Subtract),
        };
        let read = || Box::new(Expr::Read(counter.clone()));
        guard = Some(Expr::Binary(op, read(), Box::new(Expr::Const(bound)), Span::default()));
        let value = Expr::Binary(change, read(), Box::new(Expr::Const(1)), Span::default());
        effects.push(Effect::Assign { target: counter.clone(), value, span: Span::default() });
    }
    if random.below(20) == 0 {
        // Faults of different places are different.
        let span =
            Span::new((process * 20 + source * 4 + target) as usize, (process * 20 + source * 4 + target + 1) as usize);
        let condition = comparison(random, process, BinaryOp::NotEqual);
        effects.push(Effect::Assert { condition, kind: FaultKind::Assertion, span });
    }
    for _ in 0..random.below(3) {
        let target = place(random, process);
        let value = match random.below(4) {
            0 => Expr::Const(random.below(4) as i32),
            1 => Expr::Read(place(random, process)),
            more => {
                let op = if more == 2 { BinaryOp::Add } else { BinaryOp::Subtract };
                Expr::Binary(op, Box::new(Expr::Read(target.clone())), Box::new(Expr::Const(1)), Span::default())
            }
        };
        effects.push(Effect::Assign { target, value, span: Span::default() });
    }
    let holder = (has_holders && random.below(4) == 0).then_some(ProcessId(process as u32));
    let (source, target) = (LocationId(source as u32), LocationId(target as u32));
    Transition { source, target, guard, sync, joint: None, effects, holder, span: Span::default() }
}
