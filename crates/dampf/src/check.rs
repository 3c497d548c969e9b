//! `dampf check`: explores a model and reports the verdict.
//!
//! What was learnt is first written to the files that were asked for, then printed. A file that cannot be
//! written costs the exit status, never the result.

use crate::engine;
use crate::failure::Failure;
use crate::input::Input;
use crate::options::{self, Backend, CheckOptions, Search, StepSize};
use crate::output_file::OutputFile;
use crate::program::{self, ProgramInput};
use crate::promela::{self, PromelaInput};
use crate::terminal::{self, Terminal};
use dampf_core::{Describe, FaultKind, Statistics, Verdict};
use dampf_gcl::model::{self, GclModel};
use dampf_report::{CheckReport, Excerpt, Origin, Palette, Run, Setting, TrailFile};
use dampf_search::{Outcome, Stop};
use std::path::Path;
use std::time::{Duration, Instant};

pub fn run(options: &CheckOptions, terminal: &Terminal) -> Result<u8, Failure> {
    check_options(options)?;
    if program::is_program(&options.model.input) {
        check_program(options, terminal)
    } else if promela::is_promela(&options.model.input) {
        check_promela(options, terminal)
    } else {
        check_model(options, terminal)
    }
}

fn check_model(options: &CheckOptions, terminal: &Terminal) -> Result<u8, Failure> {
    let input = Input::load(&options.model)?;
    let property = match &options.buchi {
        Some(path) => Some(input.read_buchi(path)?.name),
        None => input.program.property.as_ref().map(|property| property.name.clone()),
    };
    // The interpreter is the bare front end: whatever searched, trails are told by it.
    let reference = GclModel::new(input.program.clone(), model::Backend::Interpreter);
    let outputs = Outputs::reserve(options)?;
    let start = Instant::now();
    let mut backend = options.backend.unwrap_or(Backend::Native);
    let outcome = match (&property, &reference) {
        (Some(name), _) => not_searched(format!(
            "the model has a property automaton (`{name}`), and the search for accepting cycles does not exist yet"
        )),
        (None, Err(unsupported)) => not_searched(unsupported.to_string()),
        (None, Ok(reference)) => {
            let native = compiled(&input, options);
            backend = if native.is_some() { Backend::Native } else { Backend::Interpreter };
            engine::search(native.as_ref().unwrap_or(reference), input.deadlocks, Duration::ZERO, options, terminal)?
        }
    };
    let elapsed = start.elapsed();
    let (outcome, run) = engine::told(outcome, reference.as_ref().ok(), input.deadlocks);
    let backend = match backend {
        Backend::Native => "native",
        Backend::Interpreter => "interpreter",
    };
    conclude(options, terminal, &outputs, backend, &input.origin, &outcome, run.as_ref(), elapsed)
}

/// Checks a Promela model. Where a process is started that the model was not prepared for, the search begins again.
fn check_promela(options: &CheckOptions, terminal: &Terminal) -> Result<u8, Failure> {
    if options.buchi.is_some() {
        return Err(Failure::new("--buchi goes with DMC models, not with Promela"));
    }
    let mut input = PromelaInput::load(&options.model)?;
    let outputs = Outputs::reserve(options)?;
    let start = Instant::now();
    input.promela.explore()?;
    loop {
        // The interpreter is the bare front end: whatever searched, trails are told by it.
        let reference = input.model(model::Backend::Interpreter, options.keep_going)?;
        let native = match options.backend.unwrap_or(Backend::Native) {
            Backend::Native => input.model(model::Backend::Native, options.keep_going).ok(),
            Backend::Interpreter => None,
        };
        let backend = if native.is_some() { "native" } else { "interpreter" };
        let searched = native.as_ref().unwrap_or(&reference);
        let outcome = engine::search(searched, input.deadlocks, start.elapsed(), options, terminal)?;
        if outcome.findings.iter().any(|finding| finding.fault.kind == FaultKind::Unprepared) {
            let learnt = outcome.findings.iter().map(|finding| input.promela.learn(&reference, &finding.trail));
            if learnt.fold(false, |some, learnt| some | learnt) {
                continue;
            }
        }
        let elapsed = start.elapsed();
        let (mut outcome, run) = engine::told(outcome, Some(&reference), input.deadlocks);
        if let (Verdict::Verified, [claim, ..], false) = (&outcome.verdict, input.promela.claims(), options.no_claims) {
            let reason = format!(
                "assertions and end states hold, but {claim} is not checked yet (--no-claims leaves such claims out)"
            );
            outcome.verdict = Verdict::Unknown(reason);
        }
        return conclude(options, terminal, &outputs, backend, &input.origin(), &outcome, run.as_ref(), elapsed);
    }
}

/// Checks a program. What the search assumes about sharing may turn out wrong; then it begins again.
fn check_program(options: &CheckOptions, terminal: &Terminal) -> Result<u8, Failure> {
    if options.buchi.is_some() {
        return Err(Failure::new("--buchi goes with DMC models, not with programs"));
    }
    if options.backend.is_some() {
        let program = options.model.input.display();
        return Err(Failure::new(format!("--backend goes with models; `{program}` is a program")));
    }
    let mut input = ProgramInput::load(&options.model)?;
    let outputs = Outputs::reserve(options)?;
    let start = Instant::now();
    input.try_out();
    loop {
        let model = input.model();
        let mut outcome = engine::search(&model, input.deadlocks, start.elapsed(), options, terminal)?;
        let lessons = model.lessons();
        if !lessons.is_empty() && !outcome.stopped.is_some_and(Stop::is_wanted) {
            input.learn(lessons);
            continue;
        }
        outcome.statistics.store_bytes += model.bytes() as u64;
        if options.model.program.step == StepSize::Line && outcome.verdict == Verdict::Verified {
            let reason =
                "no run is faulty in which threads switch between lines, but `--step line` leaves out all others";
            outcome.verdict = Verdict::Unknown(reason.to_owned());
        }
        let elapsed = start.elapsed();
        let (outcome, run) = engine::told(outcome, Some(&model), input.deadlocks);
        return conclude(options, terminal, &outputs, "machine", &input.origin, &outcome, run.as_ref(), elapsed);
    }
}

/// Reports what was found out; returns the exit status.
#[expect(clippy::too_many_arguments, reason = "a report is made of all of these, and made in one place")]
fn conclude<M: Describe>(
    options: &CheckOptions,
    terminal: &Terminal,
    outputs: &Outputs,
    backend: &'static str,
    origin: &Origin,
    outcome: &Outcome,
    run: Option<&Run<'_, M>>,
    elapsed: Duration,
) -> Result<u8, Failure> {
    let setting = setting(options, backend);
    let report = CheckReport {
        setting: &setting,
        verdict: &outcome.verdict,
        statistics: &outcome.statistics,
        findings: &outcome.findings,
        run,
        elapsed,
        peak_rss_bytes: dampf_search::peak_resident_bytes().unwrap_or(0),
    };
    let trail = run.map(|run| TrailFile::new(origin.clone(), run.trail().clone(), run.fault()));
    let shown = Shown {
        palette: terminal.palette,
        error_palette: terminal.error_palette,
        excerpt: if options.full_trail { Excerpt::Whole } else { Excerpt::Ends },
    };
    outputs.write(&report, trail.as_ref(), shown)?;
    Ok(outcome.verdict.exit_status())
}

/// Refuses options that contradict each other.
fn check_options(options: &CheckOptions) -> Result<(), Failure> {
    if options.deterministic && options.search == Search::Dfs {
        return Err(Failure::with_help(
            "--deterministic promises the shortest counterexample, which --search dfs does not look for",
            "leave one of the two out; with `--search dfs --threads 1` every run is the same already",
        ));
    }
    if options.trail.as_deref() == Some(Path::new("-")) {
        return Err(Failure::with_help("--trail needs the name of a file", "`--json -` writes to standard output"));
    }
    Ok(())
}

/// `backend` is the one that did the work.
fn setting(options: &CheckOptions, backend: &'static str) -> Setting {
    Setting {
        model: options.model.input.display().to_string(),
        search: match options.search {
            Search::Bfs => "bfs",
            Search::Dfs => "dfs",
        },
        store: match options.store {
            options::Store::Tree => "tree",
            options::Store::Exact => "exact",
        },
        backend,
        threads: options.threads,
        deterministic: options.deterministic,
    }
}

fn not_searched(reason: String) -> Outcome {
    Outcome {
        verdict: Verdict::Unknown(reason),
        statistics: Statistics::default(),
        findings: Vec::new(),
        stopped: None,
    }
}

/// The model as native code, where that is wanted and this machine can do it. Otherwise the interpreter does
/// the work, which comes to the same answer.
fn compiled(input: &Input, options: &CheckOptions) -> Option<GclModel> {
    match options.backend.unwrap_or(Backend::Native) {
        Backend::Native => GclModel::new(input.program.clone(), model::Backend::Native).ok(),
        Backend::Interpreter => None,
    }
}

/// Where the result goes.
struct Outputs {
    json: Option<OutputFile>,
    json_to_stdout: bool,
    trail: Option<OutputFile>,
}

impl Outputs {
    fn reserve(options: &CheckOptions) -> Result<Outputs, Failure> {
        let json_to_stdout = options.json.as_deref() == Some(Path::new("-"));
        let mut precious: Vec<&Path> = vec![&options.model.input];
        precious.extend(options.buchi.as_deref());
        let json = options.json.as_deref().filter(|_| !json_to_stdout);
        let json_file = json.map(|path| OutputFile::reserve("--json", path, &precious)).transpose()?;
        precious.extend(json);
        let trail = options.trail.as_deref().map(|path| OutputFile::reserve("--trail", path, &precious)).transpose()?;
        Ok(Outputs { json: json_file, json_to_stdout, trail })
    }

    /// Writes everything that can be written; the first failure is returned after the rest was tried.
    fn write<M: Describe>(
        &self,
        report: &CheckReport<'_, M>,
        trail: Option<&TrailFile>,
        shown: Shown,
    ) -> Result<(), Failure> {
        let json = self.json.as_ref().map_or(Ok(()), |file| file.write(|out| report.write_json(out)));
        let kept = match (&self.trail, trail) {
            (Some(file), Some(trail)) => file.write(|out| out.write_all(trail.to_json().as_bytes())),
            (Some(file), None) => {
                file.remove();
                Ok(())
            }
            (None, _) => Ok(()),
        };
        let printed = terminal::print(|out| {
            if self.json_to_stdout {
                report.write_json(out)
            } else {
                report.write_text(out, shown.palette, shown.excerpt)
            }
        });
        if printed.is_err() {
            // Nobody may have to search again because a disk is full: the result goes where it still can.
            let mut text = Vec::new();
            if report.write_text(&mut text, shown.error_palette, shown.excerpt).is_ok() {
                terminal::complain(&String::from_utf8_lossy(&text));
            }
        }
        json.and(kept).and(printed)
    }
}

/// How the text is shown.
#[derive(Clone, Copy)]
struct Shown {
    palette: Palette,
    error_palette: Palette,
    excerpt: Excerpt,
}
