//! `dampf prove`: a proof that no run fails, by predicate abstraction, or the run that does.
//!
//! An input becomes a transition system, the system is simplified, and the engine proves what is left. What it finds is
//! told of the input: a run of the simplified system is solved again on the system as it was read and replayed there,
//! invariants are carried back. A run that the input itself does not have is never shown.

mod certify;
mod options;
mod report;

pub use certify::run as certify;
use options::Solver;
pub use options::{CertifyOptions, PROVE_NOTES, ProveOptions};

use crate::failure::Failure;
use crate::interrupt;
use crate::options::Progress;
use crate::output_file::OutputFile;
use crate::source::read_source;
use crate::terminal::{Terminal, print};
use dampf_cegar::input::certificate::{Certificate, text_hash};
use dampf_cegar::input::{Input, Language, show};
use dampf_cegar::path::{PathAnswer, PathFormula, Run};
use dampf_cegar::patience::Patience;
use dampf_cegar::prove::{Limits, Outcome, ProofResult, ProveSettings, Reason};
use dampf_cegar::simplify::{Simplified, condensed, simplified};
use dampf_cegar::{Formula, Location, System, TransitionId};
use dampf_core::Source;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use report::Report;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often a path may be split into cases while its values are looked for.
const SPLITS_MAX: u32 = 100_000;
/// What was found at the end of the time may still be told of the input.
const CONCLUSION_TIME: Duration = Duration::from_secs(1);

/// What was found out about an input.
enum Verdict {
    /// The invariants by location of the simplified system, and those of the system as it was read, where they can be
    /// said without quantifiers.
    Verified {
        proved: Vec<Formula>,
        original: Option<Vec<Formula>>,
    },
    /// A run of the system as it was read.
    Violated(Run),
    Unknown(String),
}

pub fn run(options: &ProveOptions, terminal: &Terminal) -> Result<u8, Failure> {
    let started = Instant::now();
    let json_to_stdout = options.json.as_deref() == Some(Path::new("-"));
    let mut precious: Vec<&Path> = vec![&options.input];
    let json = options.json.as_deref().filter(|_| !json_to_stdout);
    let json_file = json.map(|path| OutputFile::reserve("--json", path, &precious)).transpose()?;
    precious.extend(json);
    let certificate = options.certificate.as_deref();
    let certificate = certificate.map(|path| OutputFile::reserve("--certificate", path, &precious)).transpose()?;
    if options.solver == Solver::Z3 && !dampf_cegar::z3::is_available() {
        return Err(Failure::with_help("--solver z3: there is no Z3 library", "install libz3, or use --solver own"));
    }
    interrupt::watch(None)?;
    let (source, input) = read(&options.input)?;
    let simplified = if options.no_simplify { Simplified::unchanged(&input.system) } else { simplified(&input.system) };
    let result = proof(options, &simplified.system, started, terminal);
    let patience = Patience {
        deadline: options.max_time.map(|time| (started + time).max(Instant::now() + CONCLUSION_TIME)),
        interrupted: Some(interrupt::flag()),
    };
    let verdict = concluded(&input, &simplified, &result.outcome, patience);
    interrupt::end_of_searches();
    let report = Report {
        source: &source,
        input: &input,
        simplified: &simplified.system,
        verdict: &verdict,
        result: &result,
        workers: options.workers.get(),
        elapsed: started.elapsed(),
    };
    // A file that cannot be written costs the exit status, never the result.
    let json = json_file.map_or(Ok(()), |file| file.write(|out| report.write_json(out)));
    let kept = certificate.map_or(Ok(()), |file| match &verdict {
        Verdict::Verified { proved, original } => {
            let certificate = Certificate {
                text_hash: text_hash(&source.text),
                is_simplified: original.is_none(),
                invariants: original.as_ref().unwrap_or(proved).clone(),
            };
            let system = if original.is_none() { &simplified.system } else { &input.system };
            file.write(|out| out.write_all(certificate.write(system).as_bytes()))
        }
        _ => {
            file.remove();
            Ok(())
        }
    });
    let printed =
        print(|out| if json_to_stdout { report.write_json(out) } else { report.write_text(out, terminal.palette) });
    json.and(kept).and(printed)?;
    Ok(verdict.exit_status())
}

/// Reads the input of a proof.
fn read(path: &Path) -> Result<(Arc<Source>, Input), Failure> {
    let Some(language) = Language::of(path) else {
        let shown = path.display();
        return Err(match path.metadata() {
            _ if path.is_dir() => Failure::new(format!("`{shown}` is a directory, not a program")),
            Err(error) => Failure::new(format!("cannot read `{shown}`: {error}")),
            Ok(_) => Failure::with_help(
                format!("`{shown}` is no input that can be proved"),
                "proofs are of .smt2 (Horn clauses), .pl (ARMC clauses) and .c or .i files",
            ),
        });
    };
    let source = read_source(path)?;
    let input = language.parse(&source)?;
    Ok((source, input))
}

/// What was understood of an input, for `dampf info`; none where it is not for proofs.
pub fn info(path: &Path) -> Option<Result<String, Failure>> {
    // Programs in C are for `dampf check`, which shows them as compiled code.
    let language = Language::of(path).filter(|language| *language != Language::C)?;
    Some(read_source(path).and_then(|source| {
        let input = language.parse(&source)?;
        Ok(show::system(&input.system))
    }))
}

fn proof(options: &ProveOptions, system: &System, started: Instant, terminal: &Terminal) -> ProofResult {
    let settings = ProveSettings {
        solver: options.solver.into(),
        workers: u32::try_from(options.workers.get()).unwrap_or(u32::MAX),
        scope: options.predicates.into(),
        is_naive: options.naive,
        refines_only: options.refine_only,
        limits: Limits {
            refinements_max: options.max_refinements.unwrap_or(u32::MAX),
            // Reading and simplifying were part of the time.
            time_max: options.max_time.map(|time| time.saturating_sub(started.elapsed()).max(Duration::from_millis(1))),
            ..Limits::default()
        },
        interrupted: Some(interrupt::flag()),
    };
    let line = (options.progress == Progress::Auto && terminal.watched).then(|| {
        let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        line.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
        line
    });
    let result = dampf_cegar::prove(system, &settings, &mut |progress| {
        if let Some(line) = &line {
            line.set_message(format!(
                "{} refinements, {} predicates, {} abstract states, depth {}, {}",
                progress.iteration,
                progress.predicates,
                dampf_report::grouped(progress.nodes),
                progress.depth,
                dampf_report::seconds(started.elapsed()),
            ));
        }
    });
    if let Some(line) = line {
        line.finish_and_clear();
    }
    result
}

/// What the engine found out, told of the input.
fn concluded(input: &Input, simplified: &Simplified, outcome: &Outcome, patience: Patience<'_>) -> Verdict {
    match outcome {
        Outcome::Safe { invariants } => {
            let locations = &simplified.system.locations;
            let short = |(location, invariant): (&Location, &Formula)| condensed(invariant, &location.variables);
            let proved: Vec<Formula> = locations.iter().zip(invariants).map(short).collect();
            let original = simplified.original_invariants(&proved);
            Verdict::Verified { proved, original }
        }
        Outcome::Unsafe { run } => solved_again(input, &simplified.original_path(&run.transitions), patience),
        Outcome::Unknown { reason } => Verdict::Unknown(match reason {
            Reason::Refinements => "the limit on refinements was reached".to_owned(),
            Reason::Time => "the time limit was reached".to_owned(),
            Reason::Nodes => "the limit on abstract states was reached".to_owned(),
            Reason::Interrupted => "interrupted".to_owned(),
            Reason::GaveUp(text) => text.clone(),
        }),
    }
}

/// The values of a run of the input along a path.
fn solved_again(input: &Input, path: &[TransitionId], patience: Patience<'_>) -> Verdict {
    let system = input.within_ranges.as_ref().unwrap_or(&input.system);
    match PathFormula::new(system, path, &[]).decide_within(SPLITS_MAX, patience) {
        PathAnswer::Run(run) => {
            assert!(run.replays(system), "a run does not replay on the system as it was read");
            Verdict::Violated(run)
        }
        PathAnswer::Refuted(_) if input.within_ranges.is_some() => Verdict::Unknown(
            "the run that was found makes a signed integer overflow, which C leaves undefined".to_owned(),
        ),
        PathAnswer::Refuted(_) => panic!("a run of the simplified system is none of the original"),
        PathAnswer::GaveUp => Verdict::Unknown("the values of the run that was found are out of reach".to_owned()),
    }
}

impl Verdict {
    fn name(&self) -> &'static str {
        match self {
            Verdict::Verified { .. } => "verified",
            Verdict::Violated(_) => "violated",
            Verdict::Unknown(_) => "unknown",
        }
    }

    fn exit_status(&self) -> u8 {
        match self {
            Verdict::Verified { .. } => 0,
            Verdict::Violated(_) => 1,
            Verdict::Unknown(_) => 3,
        }
    }
}
