//! Properties of runs hold with partial-order reduction exactly where they hold without, on random programs.

mod reference;

use dampf_core::{Model, Verdict};
use dampf_gcl::ir::Program;
use dampf_gcl::{Backend, GclModel};
use dampf_ltl::{CycleAlgorithm, CycleSearch, Product, check_cycles, is_stutter_invariant, parse, violations};
use dampf_reduce::Reduced;
use dampf_search::{Monitor, SearchOptions};
use dampf_store::ExactStore;
use dampf_testkit::program::{Size, random_program};

/// Formulas over two propositions, none of which counts repetitions.
const FORMULAS: &[&str] = &[
    "[] p0",
    "<> p0",
    "[] <> p0",
    "<> [] p0",
    "p0 U p1",
    "[] (p0 -> <> p1)",
    "[] <> p0 -> [] <> p1",
    "<> (p0 && (p0 U (!p0 && <> p1)))",
    "[] (p0 W p1)",
];

/// States of the product: more are not looked at.
const STATES_MAX: u64 = 3_000;

/// Whether a property holds, or none where the space is too large.
fn holds<M>(model: &M, automaton: &dampf_core::Automaton) -> Option<(bool, u64)>
where
    M: dampf_core::Propositions + dampf_core::Acceptance + dampf_core::Movers,
{
    let product = Product::new(model, automaton);
    let options = SearchOptions { max_states: Some(STATES_MAX), deadlocks: false, ..SearchOptions::default() };
    let fault =
        dampf_core::Fault { kind: dampf_core::FaultKind::Property, message: "a cycle".to_owned(), location: None };
    let search = CycleSearch { algorithm: CycleAlgorithm::Components, is_fair: false, fault, options };
    let outcome = check_cycles(&product, &ExactStore::new(product.width()), &search, &Monitor::new());
    match outcome.verdict {
        Verdict::Verified => Some((true, outcome.statistics.states)),
        Verdict::Violated(finding) if finding.trail.cycle.is_empty() => None,
        Verdict::Violated(_) => Some((false, outcome.statistics.states)),
        Verdict::Unknown(_) => None,
    }
}

/// A random program with the guards of its property as propositions, without assertions, which would end runs.
fn program(seed: u64) -> Option<Program> {
    // Few variables for many processes: steps that have nothing to do with each other.
    let size = Size { processes: 3, locations: 3, transitions: 5, globals: 3, locals: 1, channels: 1, depth: 1 };
    let mut program = random_program(seed, size);
    program.take_property()?;
    program.checks.clear();
    (program.propositions.len() >= 2).then_some(program)
}

#[test]
fn reduction_keeps_what_formulas_say() {
    let (mut compared, mut reduced_ones, mut violated) = (0, 0, 0);
    for seed in 0..700 {
        let Some(program) = program(seed) else { continue };
        let make =
            || GclModel::new(program.clone(), Backend::Interpreter).expect("the interpreter takes every program");
        let (full, reduced) = (make(), Reduced::always(make()));
        if reduced.plan().is_none() {
            continue;
        }
        for formula in FORMULAS {
            let parsed = parse(formula).expect("the formula is one");
            assert!(is_stutter_invariant(&parsed.formula), "{formula}");
            let automaton = violations(&parsed, formula);
            let (Some(expected), Some(found)) = (holds(&full, &automaton), holds(&reduced, &automaton)) else {
                continue;
            };
            assert_eq!(found.0, expected.0, "seed {seed}, {formula}");
            compared += 1;
            violated += u64::from(!expected.0);
            reduced_ones += u64::from(expected.0 && found.1 < expected.1);
        }
    }
    println!("{compared} compared, {violated} violated, {reduced_ones} with fewer states");
    assert!(compared > 250 && violated > 50 && reduced_ones > 5, "{compared}, {violated}, {reduced_ones}");
}
