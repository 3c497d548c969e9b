//! The decision procedure against exhaustive search and against Z3, and interpolants against their definition.

mod programs;

use dampf_cegar::decide::{Answer, Question};
use dampf_cegar::inequality::Condition;
use dampf_cegar::interpolation::{Preference, interpolants};
use dampf_cegar::path::{PathAnswer, PathFormula};
use dampf_cegar::patience::Patience;
use dampf_cegar::rational::Rational;
use dampf_cegar::{
    Formula, Linear, Outcome, Relation, SolverChoice, Symbol, System, TransitionId, certificate, prove, z3,
};
use dampf_cegar::{Limits, ProveSettings};
use programs::{Chance, lock, random_program, three_ways, up_and_down};

fn random_atom(chance: &mut Chance, variables: u32) -> Formula {
    let mut sum = Linear::constant(chance.between(-6, 6));
    for index in 0..variables {
        sum = sum.plus(chance.between(-3, 3), &Linear::symbol(Symbol::Before(index))).unwrap();
    }
    let relation = [Relation::AtMost, Relation::Below, Relation::AtMost, Relation::Equal][chance.below(4) as usize];
    Formula::atom(sum, relation)
}

fn random_formula(chance: &mut Chance, variables: u32, depth: u32) -> Formula {
    match chance.below(if depth == 0 { 1 } else { 4 }) {
        0 | 3 => random_atom(chance, variables),
        kind => {
            let parts: Vec<_> =
                (0..2 + chance.below(3)).map(|_| random_formula(chance, variables, depth - 1)).collect();
            if kind == 1 { Formula::and(parts) } else { Formula::or(parts) }
        }
    }
}

fn decide(formula: &Formula, variables: u32, is_integer: bool) -> Answer {
    let mut question = Question::default();
    for _ in 0..variables {
        question.add_variable(is_integer, 0);
    }
    let column = |symbol: Symbol| match symbol {
        Symbol::Before(index) => index,
        _ => unreachable!(),
    };
    question.assert(&Condition::of(formula, &mut { column }, &|_| is_integer), 0);
    question.decide(100_000, Patience::default())
}

/// Variables within -4 and 4, so that trying all of them is possible.
fn bounded(formula: Formula, variables: u32) -> Formula {
    let bounds = (0..variables).flat_map(|index| {
        let variable = Linear::symbol(Symbol::Before(index));
        let upper = variable.plus(-4, &Linear::constant(1)).unwrap();
        let lower = variable.times(-1).unwrap().plus(-4, &Linear::constant(1)).unwrap();
        [Formula::atom(upper, Relation::AtMost), Formula::atom(lower, Relation::AtMost)]
    });
    Formula::and(bounds.chain([formula]).collect::<Vec<_>>())
}

fn holds(formula: &Formula, values: &[Rational]) -> bool {
    formula.holds(&|symbol| match symbol {
        Symbol::Before(index) => values[index as usize].clone(),
        _ => unreachable!(),
    })
}

#[test]
fn integers_are_decided_as_by_trying_all() {
    let variables = 3;
    for seed in 0..1_500 {
        let mut chance = Chance::new(seed);
        let formula = bounded(random_formula(&mut chance, variables, 3), variables);
        let mut has_solution = false;
        for index in 0..9_i128.pow(variables) {
            let digit = |at: u32| Rational::integer(index / 9_i128.pow(at) % 9 - 4);
            has_solution |= holds(&formula, &(0..variables).map(digit).collect::<Vec<_>>());
        }
        match decide(&formula, variables, true) {
            Answer::Model(model) => {
                assert!(model.iter().all(Rational::is_integer), "seed {seed}");
                assert!(holds(&formula, &model), "seed {seed}");
                assert!(has_solution, "seed {seed}");
            }
            Answer::Refuted(_) => assert!(!has_solution, "seed {seed}"),
            Answer::GaveUp => panic!("bounded integers are decided, seed {seed}"),
        }
    }
}

#[test]
fn fractions_have_models_or_none() {
    let variables = 4;
    for seed in 0..1_500 {
        let mut chance = Chance::new(seed);
        let formula = random_formula(&mut chance, variables, 4);
        match decide(&formula, variables, false) {
            Answer::Model(model) => assert!(holds(&formula, &model), "seed {seed}"),
            // What has no fractions has no integers.
            Answer::Refuted(_) => {
                assert!(!matches!(decide(&formula, variables, true), Answer::Model(_)), "seed {seed}")
            }
            Answer::GaveUp => panic!("fractions are always decided, seed {seed}"),
        }
    }
}

/// All paths of a length from the initial location to the error.
fn error_paths(system: &System, length_max: usize) -> Vec<Vec<TransitionId>> {
    let mut paths = Vec::new();
    let mut open = vec![(system.initial, Vec::new())];
    while let Some((location, path)) = open.pop() {
        if location == system.error {
            paths.push(path);
        } else if path.len() < length_max {
            for id in system.transition_ids().filter(|id| system.transition(*id).from == location) {
                let mut longer = path.clone();
                longer.push(id);
                open.push((system.transition(id).to, longer));
            }
        }
    }
    paths
}

/// Whether a formula before a transition, and the transition, imply one behind it.
fn implies(system: &System, id: TransitionId, before: &Formula, after: &Formula) -> bool {
    let mut invariants = vec![Formula::True; system.locations.len()];
    let transition = system.transition(id);
    let mut alone = system.clone();
    alone.transitions = vec![transition.clone()];
    if transition.from == transition.to {
        // The same location has two formulas: give its copy a place of its own.
        alone.locations.push(alone.location(transition.to).clone());
        alone.transitions[0].to = dampf_cegar::LocationId(alone.locations.len() as u32 - 1);
        invariants.push(after.clone());
    } else {
        invariants[transition.to.0 as usize] = after.clone();
    }
    invariants[transition.from.0 as usize] = before.clone();
    certificate::certify(&alone, &invariants).is_ok()
}

#[test]
fn interpolants_lead_from_true_to_false() {
    let mut refuted = 0;
    let programs = [three_ways(), up_and_down(), lock(false)].into_iter().chain((0..40).map(random_program));
    for system in programs {
        for transitions in error_paths(&system, 6).into_iter().take(40) {
            let path = PathFormula::new(&system, &transitions, &[]);
            let PathAnswer::Refuted(proof) = path.decide(10_000) else { continue };
            for preference in [Preference::Late, Preference::Early] {
                let Ok(formulas) = interpolants(&path, &proof, preference, Patience::default()) else { continue };
                refuted += 1;
                let mut before = Formula::True;
                for (step, &id) in transitions.iter().enumerate() {
                    // `certify` also refuses symbols that the location does not have; the error counts as false.
                    let after = formulas.get(step).cloned().unwrap_or(Formula::False);
                    assert!(implies(&system, id, &before, &after), "{transitions:?} step {step}: {before:?} {after:?}");
                    before = after;
                }
            }
        }
    }
    assert!(refuted > 200, "only {refuted} paths were refuted");
}

#[test]
fn solvers_find_the_same_proofs() {
    if !z3::is_available() {
        eprintln!("Z3 is not installed: nothing to compare with");
        return;
    }
    let limits = Limits { refinements_max: 10, ..Limits::default() };
    for seed in 0..40 {
        let system = random_program(seed);
        let result =
            |solver| prove(&system, &ProveSettings { solver, limits, ..ProveSettings::default() }, &mut |_| {});
        let (own, z3) = (result(SolverChoice::Own), result(SolverChoice::Z3));
        assert_eq!(own.outcome, z3.outcome, "seed {seed}");
        assert_eq!(own.fingerprint, z3.fingerprint, "seed {seed}");
    }
}

#[test]
fn proofs_are_certified_and_damaged_ones_are_not() {
    let mut proved = 0;
    let limits = Limits { refinements_max: 10, ..Limits::default() };
    for seed in 0..60 {
        let system = random_program(seed);
        let result = prove(&system, &ProveSettings { limits, ..ProveSettings::default() }, &mut |_| {});
        match result.outcome {
            Outcome::Safe { invariants } => {
                proved += 1;
                assert_eq!(certificate::certify(&system, &invariants), Ok(()), "seed {seed}");
                let script = certificate::obligations_as_smtlib(&system, &invariants).unwrap();
                assert_eq!(script.matches("(check-sat)").count(), system.transitions.len());
                let mut damaged = invariants.clone();
                damaged[2] = Formula::False;
                assert!(certificate::certify(&system, &damaged).is_err(), "seed {seed}");
            }
            Outcome::Unsafe { run } => assert!(run.replays(&system), "seed {seed}"),
            Outcome::Unknown { .. } => {}
        }
    }
    assert!(proved > 10, "only {proved} proofs");
}
