//! `dampf check`: explores a model and reports the verdict.
//!
//! What was learnt is first written to the files that were asked for, then printed. A file that cannot be
//! written costs the exit status, never the result.

use crate::cluster::{self, Attempt, Ranks};
use crate::contents::Contents;
use crate::engine::{self, Question, Searched};
use crate::failure::Failure;
use crate::input::Input;
use crate::options::{self, Backend, CheckOptions, Place, Search, StepSize};
use crate::output_file::OutputFile;
use crate::program::{self, ProgramInput};
use crate::promela::{self, PromelaInput};
use crate::terminal::{self, Terminal};
use dampf_core::{Describe, Statistics, Verdict};
use dampf_gcl::model::{self, GclModel};
use dampf_report::{CheckReport, Excerpt, Origin, Palette, Run, Setting, Traffic, TrailFile};
use dampf_search::{Outcome, Stop};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

pub fn run(options: &CheckOptions, terminal: &Terminal) -> Result<u8, Failure> {
    start(options, None, terminal)
}

/// Goes on with a check from its checkpoint, which says of what it is.
pub fn resume(options: &CheckOptions, origin: Origin, terminal: &Terminal) -> Result<u8, Failure> {
    start(options, Some(origin), terminal)
}

fn start(options: &CheckOptions, resumed: Option<Origin>, terminal: &Terminal) -> Result<u8, Failure> {
    check_options(options)?;
    let mut ranks = Ranks::new(options)?;
    let checked = check_by_language(options, resumed, &mut ranks, terminal);
    engine::end_of_searches();
    match checked {
        // Told while all processes are still there: the launcher ends them when the first one ends with a failure.
        Err(failure) if ranks.are_processes() => {
            failure.draw(terminal);
            Err(Failure::ToldElsewhere { status: failure.exit_status() })
        }
        checked => checked,
    }
}

fn check_by_language(
    options: &CheckOptions,
    resumed: Option<Origin>,
    ranks: &mut Ranks,
    terminal: &Terminal,
) -> Result<u8, Failure> {
    if program::is_program(&options.model.input) {
        return check_program(options, resumed, ranks, terminal);
    }
    let of_programs =
        [("--contents", options.contents.is_some()), ("--shared-folder", options.cluster.shared_folder.is_some())];
    if let Some((option, _)) = of_programs.into_iter().find(|(_, is_given)| *is_given) {
        let model = options.model.input.display();
        return Err(Failure::new(format!("{option} goes with programs; the states of `{model}` hold everything")));
    }
    if promela::is_promela(&options.model.input) {
        check_promela(options, resumed, ranks, terminal)
    } else {
        check_model(options, resumed, ranks, terminal)
    }
}

fn check_model(
    options: &CheckOptions,
    resumed: Option<Origin>,
    ranks: &mut Ranks,
    terminal: &Terminal,
) -> Result<u8, Failure> {
    let speaks = ranks.speaks();
    let prepare = || {
        let attempt = Attempt::new(options, resumed.as_ref())?;
        let input = Input::load(&options.model)?;
        let property = match &options.buchi {
            Some(path) => Some(input.read_buchi(path)?.name),
            None => input.program.property.as_ref().map(|property| property.name.clone()),
        };
        Ok((attempt, input, property, Outputs::reserve(options, speaks)?))
    };
    let (mut attempt, input, property, outputs) = ranks.agree(prepare())?;
    // The interpreter is the bare front end: whatever searched, trails are told by it.
    let reference = GclModel::new(input.program.clone(), model::Backend::Interpreter);
    let start = Instant::now();
    let mut backend = options.backend.unwrap_or(Backend::Native);
    let (mut traffic, mut cut_short) = (None, None);
    let outcome = match (&property, &reference) {
        (Some(name), _) => not_searched(format!(
            "the model has a property automaton (`{name}`), and the search for accepting cycles does not exist yet"
        )),
        (None, Err(unsupported)) => not_searched(unsupported.to_string()),
        (None, Ok(reference)) => {
            let native = compiled(&input, options);
            backend = if native.is_some() { Backend::Native } else { Backend::Interpreter };
            let model = native.as_ref().unwrap_or(reference);
            let question = Question {
                origin: &input.origin,
                deadlocks: input.deadlocks,
                time_spent: Duration::ZERO,
                contents: &Contents::InMemory,
            };
            let searched = engine::search(model, &question, &mut attempt, ranks, options, terminal)?;
            (traffic, cut_short) = (searched.traffic, searched.cut_short);
            searched.outcome
        }
    };
    let elapsed = start.elapsed();
    let (outcome, run) = engine::told(outcome, reference.as_ref().ok(), input.deadlocks);
    let backend = match backend {
        Backend::Native => "native",
        Backend::Interpreter => "interpreter",
    };
    let told =
        Told { backend, origin: &input.origin, outcome: &outcome, run: run.as_ref(), elapsed, traffic, cut_short };
    conclude(options, ranks, terminal, &outputs, told)
}

/// Checks a Promela model. Where a process is started that the model was not prepared for, the search begins again.
fn check_promela(
    options: &CheckOptions,
    resumed: Option<Origin>,
    ranks: &mut Ranks,
    terminal: &Terminal,
) -> Result<u8, Failure> {
    if options.buchi.is_some() {
        return Err(Failure::new("--buchi goes with DMC models, not with Promela"));
    }
    let speaks = ranks.speaks();
    let prepare = || {
        let attempt = Attempt::new(options, resumed.as_ref())?;
        let input = match &resumed {
            Some(origin) => PromelaInput::read(&options.model.input, origin.clone())?,
            None => PromelaInput::load(&options.model)?,
        };
        Ok((attempt, input, Outputs::reserve(options, speaks)?))
    };
    let (mut attempt, mut input, outputs) = ranks.agree(prepare())?;
    let start = Instant::now();
    if resumed.is_none() {
        input.promela.explore()?;
    }
    loop {
        // The interpreter is the bare front end: whatever searched, trails are told by it.
        let reference = input.model(model::Backend::Interpreter, options.keep_going)?;
        let native = match options.backend.unwrap_or(Backend::Native) {
            Backend::Native => input.model(model::Backend::Native, options.keep_going).ok(),
            Backend::Interpreter => None,
        };
        let backend = if native.is_some() { "native" } else { "interpreter" };
        let searched = native.as_ref().unwrap_or(&reference);
        let origin = input.origin();
        let question = Question {
            origin: &origin,
            deadlocks: input.deadlocks,
            time_spent: start.elapsed(),
            contents: &Contents::InMemory,
        };
        let Searched { outcome, traffic, cut_short } =
            engine::search(searched, &question, &mut attempt, ranks, options, terminal)?;
        if !outcome.refuted.is_empty() && !outcome.stopped.is_some_and(Stop::is_wanted) {
            let refuted: Vec<_> = outcome.refuted.iter().cloned().collect();
            if input.promela.learn(&refuted) {
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
        let told = Told { backend, origin: &origin, outcome: &outcome, run: run.as_ref(), elapsed, traffic, cut_short };
        return conclude(options, ranks, terminal, &outputs, told);
    }
}

/// Checks a program. What the search assumes about sharing may turn out wrong; then it begins again.
fn check_program(
    options: &CheckOptions,
    resumed: Option<Origin>,
    ranks: &mut Ranks,
    terminal: &Terminal,
) -> Result<u8, Failure> {
    if options.buchi.is_some() {
        return Err(Failure::new("--buchi goes with DMC models, not with programs"));
    }
    if options.backend.is_some() {
        let program = options.model.input.display();
        return Err(Failure::new(format!("--backend goes with models; `{program}` is a program")));
    }
    let speaks = ranks.speaks();
    let prepare = || {
        let attempt = Attempt::new(options, resumed.as_ref())?;
        let input = match &resumed {
            Some(origin) => ProgramInput::read(&options.model.input, origin.clone())?,
            None => ProgramInput::load(&options.model)?,
        };
        Ok((attempt, input, Outputs::reserve(options, speaks)?))
    };
    let (mut attempt, mut input, outputs) = ranks.agree(prepare())?;
    let start = Instant::now();
    if resumed.is_none() {
        input.try_out(options.max_time.map(|limit| start + limit));
    }
    loop {
        let contents = ranks.agree(Contents::of(options))?;
        let model = input.model_on(contents.ground());
        let question = Question {
            origin: &input.origin,
            deadlocks: input.deadlocks,
            time_spent: start.elapsed(),
            contents: &contents,
        };
        let Searched { mut outcome, traffic, cut_short } =
            engine::search(&model, &question, &mut attempt, ranks, options, terminal)?;
        if !outcome.refuted.is_empty() && !outcome.stopped.is_some_and(Stop::is_wanted) {
            input.learn(&outcome.refuted);
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
        let origin = &input.origin;
        let told =
            Told { backend: "machine", origin, outcome: &outcome, run: run.as_ref(), elapsed, traffic, cut_short };
        return conclude(options, ranks, terminal, &outputs, told);
    }
}

/// What there is to report.
struct Told<'a, M: Describe> {
    backend: &'static str,
    origin: &'a Origin,
    outcome: &'a Outcome,
    run: Option<&'a Run<'a, M>>,
    elapsed: Duration,
    traffic: Option<Traffic>,
    cut_short: Option<String>,
}

/// Reports what was found out; returns the exit status.
fn conclude<M: Describe>(
    options: &CheckOptions,
    ranks: &Ranks,
    terminal: &Terminal,
    outputs: &Outputs,
    told: Told<M>,
) -> Result<u8, Failure> {
    if !ranks.speaks() {
        // The first rank's exit status is that of the run.
        return Ok(0);
    }
    let Told { backend, origin, outcome, run, elapsed, traffic, cut_short } = told;
    let setting = setting(options, backend, ranks);
    let way_on = way_on(options, outcome);
    let verdict = match &outcome.verdict {
        Verdict::Unknown(reason) => Verdict::Unknown(format!("{reason}{way_on}")),
        verdict => verdict.clone(),
    };
    let is_violated = matches!(verdict, Verdict::Violated(_));
    let report = CheckReport {
        setting: &setting,
        verdict: &verdict,
        statistics: &outcome.statistics,
        findings: &outcome.findings,
        run,
        elapsed,
        peak_rss_bytes: dampf_search::peak_resident_bytes().unwrap_or(0),
        traffic,
        cut_short: cut_short.filter(|_| is_violated).map(|reason| format!("{reason}{way_on}")),
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

/// How to go on, where a limit ended the search and a checkpoint is there.
fn way_on(options: &CheckOptions, outcome: &Outcome) -> String {
    match options.cluster.checkpoint.as_ref().or(options.disk.as_ref()) {
        Some(folder) if outcome.stopped.is_some_and(Stop::is_wanted) && crate::resume::is_possible(folder) => {
            format!("; `dampf resume {}` goes on from the last checkpoint", folder.display())
        }
        _ => String::new(),
    }
}

/// Refuses options that contradict each other.
fn check_options(options: &CheckOptions) -> Result<(), Failure> {
    if options.deterministic && options.search != Search::Bfs {
        return Err(Failure::with_help(
            "--deterministic promises the shortest counterexample, which only --search bfs looks for",
            "leave one of the two out; with `--search dfs --threads 1` every run is the same already",
        ));
    }
    if options.store != options::Store::Tree && cluster::is_shared(options) {
        return Err(Failure::with_help(
            "ranks (mpirun, --ranks and all options about them, --search first-come and best-first) and --checkpoint keep states in the tree \
             store only",
            "leave --store out; a search on disk is one process's, and is resumed from its own folder, --disk DIR",
        ));
    }
    let on_disk = options.store == options::Store::Disk;
    if on_disk && options.search != Search::Bfs {
        return Err(Failure::with_help("--store disk searches level by level", "leave --search out"));
    }
    let has_file = on_disk || options.contents() == Place::Disk;
    if !has_file && (options.disk.is_some() || options.max_disk.is_some()) {
        return Err(Failure::with_help(
            "--disk and --max-disk go with --store disk and --contents disk",
            "add --store disk",
        ));
    }
    if options.trail.as_deref() == Some(Path::new("-")) {
        return Err(Failure::with_help("--trail needs the name of a file", "`--json -` writes to standard output"));
    }
    Ok(())
}

/// `backend` is the one that did the work.
fn setting(options: &CheckOptions, backend: &'static str, ranks: &Ranks) -> Setting {
    Setting {
        model: options.model.input.display().to_string(),
        search: match options.search {
            Search::Bfs => "bfs",
            Search::Dfs => "dfs",
            Search::FirstCome => "first-come",
            Search::BestFirst => "best-first",
        },
        store: match options.store {
            options::Store::Tree => "tree",
            options::Store::Exact => "exact",
            options::Store::Disk => "disk",
        },
        backend,
        threads: options.threads,
        ranks: ranks.count() as usize,
        deterministic: options.deterministic,
    }
}

fn not_searched(reason: String) -> Outcome {
    Outcome {
        verdict: Verdict::Unknown(reason),
        statistics: Statistics::default(),
        findings: Vec::new(),
        stopped: None,
        refuted: BTreeSet::new(),
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
    /// Nothing where somebody else speaks.
    fn reserve(options: &CheckOptions, speaks: bool) -> Result<Outputs, Failure> {
        if !speaks {
            return Ok(Outputs { json: None, json_to_stdout: false, trail: None });
        }
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
