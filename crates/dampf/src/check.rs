//! `dampf check`: explores a model and reports the verdict.
//!
//! What was learnt is first written to the files that were asked for, then printed. A file that cannot be
//! written costs the exit status, never the result.

use crate::failure::Failure;
use crate::input::Input;
use crate::options::{self, Backend, CheckOptions, Search};
use crate::output_file::OutputFile;
use crate::progress::Progress;
use crate::terminal::{self, Terminal};
use dampf_core::{Statistics, Verdict};
use dampf_gcl::model::{self, GclModel};
use dampf_report::{CheckReport, Excerpt, Palette, Run, Setting, TrailFile};
use dampf_search::{Monitor, Order, Outcome, Stop};
use dampf_store::{ExactStore, Store, TreeStore};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub fn run(options: &CheckOptions, terminal: &Terminal) -> Result<u8, Failure> {
    check_options(options)?;
    let input = Input::load(&options.model)?;
    let property = match &options.buchi {
        Some(path) => Some(input.read_buchi(path)?.name),
        None => input.program.property.as_ref().map(|property| property.name.clone()),
    };
    // The interpreter is the bare front end: whatever searched, trails are told by it.
    let reference = GclModel::new(input.program.clone(), model::Backend::Interpreter);
    let outputs = Outputs::reserve(options)?;
    let start = Instant::now();
    let mut backend = options.backend;
    let outcome = match (&property, &reference) {
        (Some(name), _) => not_searched(format!(
            "the model has a property automaton (`{name}`), and the search for accepting cycles does not exist yet"
        )),
        (None, Err(unsupported)) => not_searched(unsupported.to_string()),
        (None, Ok(reference)) => {
            let native = compiled(&input, options);
            backend = if native.is_some() { Backend::Native } else { Backend::Interpreter };
            search(native.as_ref().unwrap_or(reference), &input, options, terminal)?
        }
    };
    let elapsed = start.elapsed();
    let (outcome, run) = told(outcome, reference.as_ref().ok(), input.deadlocks);
    let setting = setting(options, backend);
    let report = CheckReport {
        setting: &setting,
        verdict: &outcome.verdict,
        statistics: &outcome.statistics,
        findings: &outcome.findings,
        run: run.as_ref(),
        elapsed,
        peak_rss_bytes: dampf_search::peak_resident_bytes().unwrap_or(0),
    };
    let trail = run.as_ref().map(|run| TrailFile::new(input.origin.clone(), run.trail().clone(), run.fault()));
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
fn setting(options: &CheckOptions, backend: Backend) -> Setting {
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
        backend: match backend {
            Backend::Native => "native",
            Backend::Interpreter => "interpreter",
        },
        threads: options.threads,
        deterministic: options.deterministic,
    }
}

fn not_searched(reason: String) -> Outcome {
    Outcome { verdict: Verdict::Unknown(reason), statistics: Statistics::default(), findings: Vec::new() }
}

/// The model as native code, where that is wanted and this machine can do it. Otherwise the interpreter does
/// the work, which comes to the same answer.
fn compiled(input: &Input, options: &CheckOptions) -> Option<GclModel> {
    match options.backend {
        Backend::Native => GclModel::new(input.program.clone(), model::Backend::Native).ok(),
        Backend::Interpreter => None,
    }
}

fn search(model: &GclModel, input: &Input, options: &CheckOptions, terminal: &Terminal) -> Result<Outcome, Failure> {
    let monitor = Arc::new(Monitor::new());
    stop_on_interrupt(&monitor)?;
    let progress = Progress::start(&monitor, options.progress == options::Progress::Auto, terminal);
    let width = model.layout().width;
    let outcome = match options.store {
        options::Store::Tree => search_with(model, &TreeStore::new(width), input, options, &monitor),
        options::Store::Exact => search_with(model, &ExactStore::new(width), input, options, &monitor),
    };
    progress.finish();
    Ok(outcome)
}

fn search_with<S: Store>(
    model: &GclModel,
    store: &S,
    input: &Input,
    options: &CheckOptions,
    monitor: &Monitor,
) -> Outcome {
    let search = dampf_search::Options {
        order: match options.search {
            Search::Bfs => Order::BreadthFirst,
            Search::Dfs => Order::DepthFirst,
        },
        threads: options.threads,
        deterministic: options.deterministic,
        keep_going: options.keep_going,
        deadlocks: input.deadlocks,
        max_depth: options.max_depth,
        max_states: options.max_states,
        max_time: options.max_time,
        max_memory_bytes: options.max_memory,
    };
    dampf_search::check(model, store, &search, monitor)
}

/// The first Ctrl-C ends the search, the second ends Dampf.
fn stop_on_interrupt(monitor: &Arc<Monitor>) -> Result<(), Failure> {
    let monitor = Arc::clone(monitor);
    let pressed = AtomicBool::new(false);
    let handler = move || {
        if pressed.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        monitor.stop(Stop::Interrupted);
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::new(format!("cannot watch for Ctrl-C: {error}")))
}

/// Replays the run of a violation on the bare front end. A run that does not replay proves nothing, so the
/// verdict is unknown then.
fn told(outcome: Outcome, reference: Option<&GclModel>, deadlocks: bool) -> (Outcome, Option<Run<'_, GclModel>>) {
    let (Verdict::Violated(finding), Some(reference)) = (&outcome.verdict, reference) else {
        return (outcome, None);
    };
    let reason = match Run::replay(reference, finding.trail.clone(), deadlocks) {
        Ok(run) if run.fault() == Some(&finding.fault) => return (outcome, Some(run)),
        Ok(_) => format!("a run that should end in `{}` does not", finding.fault),
        Err(error) => format!("a run that should end in `{}` does not replay: {error}", finding.fault),
    };
    let verdict = Verdict::Unknown(format!("{reason}; this is an error in Dampf, please report it"));
    (Outcome { verdict, findings: Vec::new(), ..outcome }, None)
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
    fn write(
        &self,
        report: &CheckReport<'_, GclModel>,
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
