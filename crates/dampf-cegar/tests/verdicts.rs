//! Programs whose answers are known.

mod programs;

use dampf_cegar::abstraction::Scope;
use dampf_cegar::{Limits, Outcome, ProveSettings, Reason, prove};
use programs::{counts_to, lock, three_ways};

#[test]
fn safe_programs_are_proved() {
    for (name, system) in [("three ways", three_ways()), ("lock", lock(false))] {
        for scope in [Scope::Local, Scope::Global] {
            let result = prove(&system, &ProveSettings { scope, ..ProveSettings::default() }, &mut |_| {});
            assert!(matches!(result.outcome, Outcome::Safe { .. }), "{name}: {:?}", result.outcome);
        }
    }
}

#[test]
fn runs_of_unsafe_programs_are_found() {
    let result = prove(&lock(true), &ProveSettings::default(), &mut |_| {});
    let Outcome::Unsafe { run } = result.outcome else { panic!("{:?}", result.outcome) };
    assert!(run.replays(&lock(true)));

    let result = prove(&counts_to(9), &ProveSettings::default(), &mut |_| {});
    let Outcome::Unsafe { run } = result.outcome else { panic!("{:?}", result.outcome) };
    assert_eq!(run.transitions.len(), 11);
    assert!(run.replays(&counts_to(9)));
}

#[test]
fn limits_are_told() {
    let limits = Limits { refinements_max: 3, ..Limits::default() };
    let result = prove(&counts_to(9), &ProveSettings { limits, ..ProveSettings::default() }, &mut |_| {});
    assert_eq!(result.outcome, Outcome::Unknown { reason: Reason::Refinements });
}
