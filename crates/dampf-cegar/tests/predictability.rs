//! The same result for any number of workers, any delays, and workers that die; and how a naive search differs.

mod programs;

use dampf_cegar::abstraction::Scope;
use dampf_cegar::{Limits, Outcome, ProofResult, ProveSettings, System, prove, prove_simulated};
use dampf_net::SimulationSettings;
use programs::{counts_to, lock, random_program, three_ways, up_and_down};
use std::collections::BTreeSet;

/// How many simulated networks each program is proved on; more with `DAMPF_SEEDS`.
fn seeds() -> u64 {
    std::env::var("DAMPF_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

fn settings() -> ProveSettings<'static> {
    let limits = Limits { refinements_max: 12, ..Limits::default() };
    ProveSettings { limits, ..ProveSettings::default() }
}

fn assert_same(expected: &ProofResult, result: &ProofResult, how: &str) {
    assert_eq!(expected.outcome, result.outcome, "{how}");
    assert_eq!(expected.counterexamples, result.counterexamples, "{how}");
    assert_eq!(expected.fingerprint, result.fingerprint, "{how}");
    let without_checks = |result: &ProofResult| {
        let mut statistics = result.statistics.clone();
        statistics.entailment_checks = 0;
        statistics
    };
    assert_eq!(without_checks(expected), without_checks(result), "{how}");
}

fn programs() -> Vec<(String, System)> {
    let mut programs = vec![
        ("three ways".to_string(), three_ways()),
        ("up and down".to_string(), up_and_down()),
        ("counts to 7".to_string(), counts_to(7)),
        ("lock".to_string(), lock(false)),
        ("broken lock".to_string(), lock(true)),
    ];
    programs.extend((0..12).map(|seed| (format!("random {seed}"), random_program(seed))));
    programs
}

#[test]
fn threads_change_nothing() {
    for (name, system) in programs() {
        let expected = prove(&system, &settings(), &mut |_| {});
        for workers in [2, 3, 4, 8] {
            let result = prove(&system, &ProveSettings { workers, ..settings() }, &mut |_| {});
            assert_same(&expected, &result, &format!("{name}, {workers} threads"));
        }
    }
}

#[test]
fn delays_change_nothing() {
    for (name, system) in programs() {
        let expected = prove(&system, &settings(), &mut |_| {});
        for seed in 0..seeds() {
            let workers = [1, 2, 3, 4, 8][seed as usize % 5];
            let (result, _) = prove_simulated(&system, &settings(), workers, &SimulationSettings::varied(seed));
            let result = result.expect("the simulation ends");
            assert_same(&expected, &result, &format!("{name}, {workers} workers, seed {seed}"));
        }
    }
}

#[test]
fn lost_workers_change_nothing() {
    for (name, system) in programs() {
        let expected = prove(&system, &settings(), &mut |_| {});
        for seed in 0..seeds() {
            let workers = [1, 2, 3, 4, 8][seed as usize % 5];
            let network = SimulationSettings::varied(seed);
            let (_, undisturbed) = prove_simulated(&system, &settings(), workers, &network);
            // Some time on the way, from the beginning to the end.
            let time = undisturbed.makespan / (seeds() + 1) * (seed + 1);
            let lose = Some((1 + seed as u32 % workers, time));
            let (result, _) = prove_simulated(&system, &settings(), workers, &SimulationSettings { lose, ..network });
            let result = result.expect("the simulation ends");
            assert_same(&expected, &result, &format!("{name}, {workers} workers, one lost at {time}, seed {seed}"));
        }
    }
}

/// The counterexamples as numbers of transitions, from one.
fn counterexamples(result: &ProofResult) -> Vec<Vec<u32>> {
    result.counterexamples.iter().map(|path| path.iter().map(|id| id.0 + 1).collect()).collect()
}

#[test]
fn the_least_of_three_ways_is_taken() {
    let system = three_ways();
    let settings = ProveSettings { scope: Scope::Global, ..settings() };
    for seed in 0..seeds() {
        let (result, _) = prove_simulated(&system, &settings, 3, &SimulationSettings::varied(seed));
        let result = result.expect("the simulation ends");
        assert!(matches!(result.outcome, Outcome::Safe { .. }));
        assert_eq!(counterexamples(&result), [[1, 4, 8]]);
    }
}

#[test]
fn a_naive_search_takes_one_of_four_courses() {
    let (first, second, third) = (vec![1, 4, 8], vec![2, 5, 8], vec![3, 6, 7, 8]);
    let courses = BTreeSet::from([
        vec![first.clone()],
        vec![second.clone(), first.clone()],
        vec![second, third.clone(), first.clone()],
        vec![third, first],
    ]);
    let system = three_ways();
    let settings = ProveSettings { scope: Scope::Global, is_naive: true, ..settings() };
    let mut seen = BTreeSet::new();
    for seed in 0..600 {
        let (result, _) = prove_simulated(&system, &settings, 3, &SimulationSettings::varied(seed));
        let result = result.expect("the simulation ends");
        assert!(matches!(result.outcome, Outcome::Safe { .. }));
        seen.insert(counterexamples(&result));
    }
    assert_eq!(seen, courses);
}
