//! Simplification changes no answer: on random small systems, against an exploration of all their states.

#[allow(dead_code)]
mod concrete;

use concrete::{Chance, Exploration, explore, holds, is_run, successors};
use dampf_cegar::simplify::eliminate::Sorts;
use dampf_cegar::simplify::simplified;
use dampf_cegar::simplify::split::{PARTS_MAX, split};
use dampf_cegar::{
    Formula, Linear, Location, LocationId, Origin, Relation, Sort, Symbol, System, Transition, Variable,
};

/// Values stay within 0 and this.
const GREATEST: i128 = 3;

fn sum(terms: &[(Symbol, i128)], constant: i128) -> Linear {
    terms
        .iter()
        .fold(Linear::constant(constant), |all, &(symbol, value)| all.plus(value, &Linear::symbol(symbol)).unwrap())
}

fn random_atom(chance: &mut Chance, symbols: &[Symbol]) -> Formula {
    let constant = chance.below(5) as i128 - 2;
    let factor = *chance.pick(&[1, -1, 1, -1, 2]);
    let mut terms = vec![(*chance.pick(symbols), factor)];
    let other = *chance.pick(symbols);
    if chance.below(2) == 0 && other != terms[0].0 {
        terms.push((other, *chance.pick(&[1, -1])));
    }
    let relation = *chance.pick(&[Relation::AtMost, Relation::Below, Relation::Equal, Relation::Equal]);
    Formula::atom(sum(&terms, constant), relation)
}

fn random_formula(chance: &mut Chance, symbols: &[Symbol], depth: u64) -> Formula {
    if symbols.is_empty() {
        return Formula::True;
    }
    match chance.below(if depth == 0 { 2 } else { 5 }) {
        0 | 1 => random_atom(chance, symbols),
        2 => Formula::or((0..2).map(|_| random_formula(chance, symbols, depth - 1)).collect::<Vec<_>>()),
        _ => Formula::and((0..2).map(|_| random_formula(chance, symbols, depth - 1)).collect::<Vec<_>>()),
    }
}

fn random_system(chance: &mut Chance) -> System {
    let variable = |name: &str, sort: Sort| Variable { name: name.to_owned(), sort };
    let mut locations: Vec<Location> =
        ["initial", "error"].iter().map(|name| Location { name: (*name).to_owned(), variables: Vec::new() }).collect();
    for index in 0..2 + chance.below(4) {
        let all = [variable("x", Sort::Integer), variable("pc", Sort::Integer), variable("b", Sort::Boolean)];
        let variables = all.into_iter().take(1 + chance.below(3) as usize).collect();
        locations.push(Location { name: format!("l{index}"), variables });
    }
    let count = locations.len() as u64;
    let mut transitions = Vec::new();
    for at in 0..6 + chance.below(6) {
        let from = if at == 0 { 0 } else { [0, 2 + chance.below(count - 2)][usize::from(chance.below(6) != 0)] };
        let to = if at == 1 { 1 } else { [1, 2 + chance.below(count - 2)][usize::from(chance.below(6) != 0)] };
        let (before, after) = (&locations[from as usize].variables, &locations[to as usize].variables);
        let auxiliaries = vec![Sort::Integer; chance.below(3) as usize];
        let mut symbols: Vec<Symbol> = (0..before.len() as u32).map(Symbol::Before).collect();
        symbols.extend((0..after.len() as u32).map(Symbol::After));
        symbols.extend((0..auxiliaries.len() as u32).map(Symbol::Auxiliary));
        let mut parts = vec![random_formula(chance, &symbols, 2)];
        // Often a variable keeps its value or gets a constant, as in programs.
        for index in 0..after.len() as u32 {
            match chance.below(3) {
                0 if (index as usize) < before.len() => {
                    parts.push(Formula::atom(
                        sum(&[(Symbol::After(index), 1), (Symbol::Before(index), -1)], 0),
                        Relation::Equal,
                    ));
                }
                1 => {
                    let value = chance.below(2) as i128;
                    parts.push(Formula::atom(sum(&[(Symbol::After(index), 1)], -value), Relation::Equal));
                }
                _ => {}
            }
        }
        for &symbol in &symbols {
            let greatest = match symbol {
                Symbol::Before(index) if before[index as usize].sort == Sort::Boolean => 1,
                Symbol::After(index) if after[index as usize].sort == Sort::Boolean => 1,
                // What is known of integers before is not said.
                Symbol::Before(_) => continue,
                _ => GREATEST,
            };
            parts.push(Formula::atom(sum(&[(symbol, -1)], 0), Relation::AtMost));
            parts.push(Formula::atom(sum(&[(symbol, 1)], -greatest), Relation::AtMost));
        }
        transitions.push(Transition {
            from: LocationId(from as u32),
            to: LocationId(to as u32),
            relation: Formula::and(parts),
            auxiliaries,
            origin: Origin::default(),
        });
    }
    System { locations, transitions, initial: LocationId(0), error: LocationId(1) }
}

/// The reachable states as formulas.
fn exact_invariants(explored: &Exploration) -> Vec<Formula> {
    let is =
        |values: &Vec<i128>| {
            Formula::and(values.iter().enumerate().map(|(index, &value)| {
                Formula::atom(sum(&[(Symbol::Before(index as u32), 1)], -value), Relation::Equal)
            }))
        };
    explored.states.iter().map(|states| Formula::or(states.iter().map(is))).collect()
}

#[test]
fn simplified_systems_have_the_same_answer_and_a_way_back() {
    let (mut unsafe_systems, mut lifted) = (0, 0);
    for seed in 0..400 {
        let system = random_system(&mut Chance(seed));
        let small = simplified(&system);
        assert_eq!(simplified(&system).system, small.system, "seed {seed}: not deterministic");
        let original = explore(&system, 20_000).expect("values are bounded");
        let Some(explored) = explore(&small.system, 20_000) else { continue };
        assert_eq!(explored.error.is_some(), original.error.is_some(), "seed {seed}");
        if let Some(path) = &explored.error {
            unsafe_systems += 1;
            assert_eq!(is_run(&system, &small.original_path(path)), Some(true), "seed {seed}");
            continue;
        }
        let Some(invariants) = small.original_invariants(&exact_invariants(&explored)) else { continue };
        lifted += 1;
        assert_eq!(invariants[1], Formula::False, "seed {seed}: the error is not excluded");
        for transition in &system.transitions {
            let count = system.location(transition.from).variables.len() as u32;
            for number in 0..(GREATEST + 1).pow(count) {
                let values: Vec<i128> = (0..count).map(|at| number / (GREATEST + 1).pow(at) % (GREATEST + 1)).collect();
                if !holds(&invariants[transition.from.0 as usize], &values) {
                    continue;
                }
                for after in successors(&system, transition, &values).expect("values are bounded") {
                    assert!(holds(&invariants[transition.to.0 as usize], &after), "seed {seed}: {transition:?}");
                }
            }
        }
    }
    assert!(unsafe_systems > 50 && lifted > 50, "{unsafe_systems} unsafe, {lifted} with invariants");
}

#[test]
fn the_parts_of_a_relation_are_the_relation() {
    for seed in 1_000..1_300 {
        let system = random_system(&mut Chance(seed));
        for transition in &system.transitions {
            let parts = split(&transition.relation, Sorts::of(&system, transition), PARTS_MAX);
            let count = system.location(transition.from).variables.len() as u32;
            for number in 0..(GREATEST + 1).pow(count) {
                let values: Vec<i128> = (0..count).map(|at| number / (GREATEST + 1).pow(at) % (GREATEST + 1)).collect();
                let expected = successors(&system, transition, &values).expect("values are bounded");
                let mut union = std::collections::BTreeSet::new();
                for (relation, auxiliaries) in &parts {
                    let part = Transition {
                        relation: relation.clone(),
                        auxiliaries: auxiliaries.clone(),
                        ..transition.clone()
                    };
                    union.extend(successors(&system, &part, &values).expect("values are bounded"));
                }
                assert_eq!(union, expected, "seed {seed}: {transition:?} from {values:?}");
            }
        }
    }
}
