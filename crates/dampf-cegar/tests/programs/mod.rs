//! Systems built by hand and by chance, for tests of the engine.
#![allow(dead_code)] // Every test file uses some of it.

use dampf_cegar::{
    Formula, Linear, Location, LocationId, Origin, Relation, Sort, Symbol, System, Transition, Variable,
};

/// The variable before the step.
pub fn before(index: u32) -> Linear {
    Linear::symbol(Symbol::Before(index))
}

/// The variable after the step.
pub fn after(index: u32) -> Linear {
    Linear::symbol(Symbol::After(index))
}

pub fn number(value: i128) -> Linear {
    Linear::constant(value)
}

pub fn plus(left: &Linear, right: &Linear) -> Linear {
    left.plus(1, right).unwrap()
}

pub fn at_most(left: &Linear, right: &Linear) -> Formula {
    Formula::atom(left.plus(-1, right).unwrap(), Relation::AtMost)
}

pub fn below(left: &Linear, right: &Linear) -> Formula {
    Formula::atom(left.plus(-1, right).unwrap(), Relation::Below)
}

pub fn equal(left: &Linear, right: &Linear) -> Formula {
    Formula::atom(left.plus(-1, right).unwrap(), Relation::Equal)
}

/// These variables keep their values.
pub fn kept(variables: &[u32]) -> Formula {
    Formula::and(variables.iter().map(|&index| equal(&after(index), &before(index))))
}

pub struct Builder {
    system: System,
}

pub const INITIAL: u32 = 0;
pub const ERROR: u32 = 1;

impl Builder {
    /// Locations 2 and up have these variables.
    pub fn new(variables: &[&str], sort: Sort, locations: u32) -> Builder {
        let variables: Vec<_> = variables.iter().map(|name| Variable { name: (*name).to_string(), sort }).collect();
        let location = |at: u32| Location {
            name: match at {
                INITIAL => "initial".to_string(),
                ERROR => "error".to_string(),
                _ => format!("l{at}"),
            },
            variables: if at < 2 { Vec::new() } else { variables.clone() },
        };
        let system = System {
            locations: (0..locations + 2).map(location).collect(),
            transitions: Vec::new(),
            initial: LocationId(INITIAL),
            error: LocationId(ERROR),
        };
        Builder { system }
    }

    pub fn step(mut self, from: u32, to: u32, parts: impl IntoIterator<Item = Formula>) -> Builder {
        self.system.transitions.push(Transition {
            from: LocationId(from),
            to: LocationId(to),
            relation: Formula::and(parts),
            auxiliaries: Vec::new(),
            origin: Origin::default(),
        });
        self
    }

    pub fn build(self) -> System {
        self.system
    }
}

/// Three ways to one assertion, as in the running example of the paper: it takes one, two or three refinements,
/// depending on which counterexample is analysed first.
pub fn three_ways() -> System {
    let (x, y) = (0, 1);
    Builder::new(&["x", "y"], Sort::Integer, 5)
        .step(INITIAL, 2, [at_most(&number(1), &after(x))])
        .step(INITIAL, 3, [at_most(&number(2), &after(y))])
        .step(INITIAL, 4, [at_most(&number(1), &after(y))])
        .step(2, 6, [equal(&after(y), &before(x)), kept(&[x])])
        .step(3, 6, [kept(&[x, y])])
        .step(4, 5, [equal(&after(y), &plus(&before(y), &number(1))), kept(&[x])])
        .step(5, 6, [kept(&[x, y])])
        .step(6, ERROR, [at_most(&before(y), &number(0))])
        .build()
}

/// `x := 0; y := 0; while * { x++; y++ }; while x > 0 { x--; y-- }; assert y == 0`.
pub fn up_and_down() -> System {
    let (x, y) = (0, 1);
    let moved =
        |by: i128| [equal(&after(x), &plus(&before(x), &number(by))), equal(&after(y), &plus(&before(y), &number(by)))];
    let down = moved(-1).into_iter().chain([at_most(&number(1), &before(x))]);
    Builder::new(&["x", "y"], Sort::Integer, 2)
        .step(INITIAL, 2, [equal(&after(x), &number(0)), equal(&after(y), &number(0))])
        .step(2, 2, moved(1))
        .step(2, 3, [kept(&[x, y])])
        .step(3, 3, down)
        .step(
            3,
            ERROR,
            [
                at_most(&before(x), &number(0)),
                Formula::or([below(&before(y), &number(0)), below(&number(0), &before(y))]),
            ],
        )
        .build()
}

/// Counts to a bound and claims that it never gets there.
pub fn counts_to(bound: i128) -> System {
    Builder::new(&["x"], Sort::Integer, 1)
        .step(INITIAL, 2, [equal(&after(0), &number(0))])
        .step(2, 2, [equal(&after(0), &plus(&before(0), &number(1)))])
        .step(2, ERROR, [at_most(&number(bound), &before(0))])
        .build()
}

/// A lock that is taken and given back, and a counter that says how often.
pub fn lock(is_broken: bool) -> System {
    let (lock, old, new) = (0, 1, 2);
    let give_back = if is_broken { kept(&[lock]) } else { equal(&after(lock), &number(0)) };
    Builder::new(&["lock", "old", "new"], Sort::Integer, 3)
        .step(INITIAL, 2, [equal(&after(lock), &number(0))])
        .step(
            2,
            3,
            [
                equal(&before(lock), &number(0)),
                equal(&after(lock), &number(1)),
                equal(&after(old), &before(new)),
                kept(&[new]),
            ],
        )
        .step(2, ERROR, [below(&number(0), &before(lock))])
        .step(3, 4, [kept(&[lock, old, new])])
        .step(3, 4, [give_back, equal(&after(new), &plus(&before(new), &number(1))), kept(&[old])])
        .step(
            4,
            2,
            [
                Formula::or([below(&before(old), &before(new)), below(&before(new), &before(old))]),
                kept(&[lock, old, new]),
            ],
        )
        .step(4, ERROR, [equal(&before(old), &before(new)), equal(&before(lock), &number(0))])
        .build()
}

/// A generator of numbers that are the same on every machine.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    pub fn between(&mut self, low: i128, high: i128) -> i128 {
        low + i128::from(self.below((high - low + 1) as u64))
    }
}

/// A small program by chance: guards, assignments and assertions over three variables.
pub fn random_program(seed: u64) -> System {
    let mut chance = Chance::new(seed);
    let locations = 2 + chance.below(3) as u32;
    let mut builder = Builder::new(&["x", "y", "z"], Sort::Integer, locations);
    let initial = (0..3).map(|index| equal(&after(index), &number(chance.between(-1, 2))));
    let initial: Vec<_> = initial.collect();
    builder = builder.step(INITIAL, 2, initial);
    for _ in 0..locations + 2 + chance.below(3) as u32 {
        let (from, to) = (2 + chance.below(locations.into()) as u32, 2 + chance.below(locations.into()) as u32);
        let mut parts = vec![random_guard(&mut chance)];
        for index in 0..3 {
            let source = before(chance.below(3) as u32);
            let value = match chance.below(4) {
                0 => plus(&source, &number(chance.between(-1, 2))),
                1 => plus(&before(index), &number(chance.between(-1, 1))),
                _ => before(index),
            };
            parts.push(equal(&after(index), &value));
        }
        builder = builder.step(from, to, parts);
    }
    let last = locations + 1;
    let violated = random_guard(&mut chance);
    builder.step(last, ERROR, [violated]).build()
}

fn random_guard(chance: &mut Chance) -> Formula {
    let (left, right) = (before(chance.below(3) as u32), before(chance.below(3) as u32));
    let bound = number(chance.between(-3, 5));
    match chance.below(5) {
        0 => Formula::True,
        1 => at_most(&left, &bound),
        2 => at_most(&bound, &left),
        3 => at_most(&left, &plus(&right, &bound)),
        _ => Formula::or([equal(&left, &bound), below(&right, &left)]),
    }
}
