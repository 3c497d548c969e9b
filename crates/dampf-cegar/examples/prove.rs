//! Proves the system of a file and prints the verdict with what it took, on one line.

use dampf_cegar::input::Language;
use dampf_cegar::{Limits, Outcome, ProveSettings, prove};
use dampf_core::Source;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a file");
    let seconds: u64 = arguments.next().map_or(60, |text| text.parse().expect("seconds"));
    let text = std::fs::read_to_string(&file).expect("a readable file");
    let source = Source::new(file.clone(), text);
    let language = Language::of(Path::new(&file)).expect("a language");
    let Ok(input) = language.parse(&source) else {
        println!("{file}\tunread");
        std::process::exit(2)
    };
    let system = input.system;
    let started = Instant::now();
    let simplified = dampf_cegar::simplify::simplified(&system);
    let system = simplified.system;
    let solver = match arguments.next().as_deref() {
        Some("z3") => dampf_cegar::SolverChoice::Z3,
        _ => dampf_cegar::SolverChoice::Own,
    };
    let workers: u32 = arguments.next().map_or(0, |text| text.parse().expect("workers"));
    let limits = Limits { time_max: Some(Duration::from_secs(seconds)), ..Limits::default() };
    let result = prove(&system, &ProveSettings { limits, solver, workers, ..ProveSettings::default() }, &mut |_| {});
    let verdict = match &result.outcome {
        Outcome::Safe { .. } => "safe".to_string(),
        Outcome::Unsafe { run } => format!("unsafe({})", run.transitions.len()),
        Outcome::Unknown { reason } => format!("unknown({reason:?})"),
    };
    let statistics = &result.statistics;
    println!(
        "{file}\t{verdict}\t{:.2}s\titerations {} predicates {} nodes {} checks {} lengths {:?}",
        started.elapsed().as_secs_f64(),
        statistics.iterations,
        statistics.predicates,
        statistics.nodes,
        statistics.entailment_checks,
        &statistics.counterexample_lengths[statistics.counterexample_lengths.len().saturating_sub(12)..],
    );
}
