//! `dampf replay`: shows a kept run again. `dampf shorten`: shows a shorter one.

use crate::failure::Failure;
use crate::front_end::{FrontEnd, Hashes, Made, Making};
use crate::front_ends::Registry;
use crate::interrupt;
use crate::options::{ModelOptions, ReplayOptions, ShortenOptions, Shortened, TrailNearness, TrailOrder};
use crate::output_file::OutputFile;
use crate::rounds::{self, Clock, Ended, Exploration, Explored, Round};
use crate::source::read_source;
use crate::terminal::{Terminal, complain, print};
use dampf_core::{Describe, Finding, Observations, Trail, Unsupported};
use dampf_report::{Excerpt, Palette, Run, TrailFile, grouped, write_fault, write_run};
use dampf_search::{Monitor, SearchOptions, TrailDistance, TrailSearch, shortening_states_max};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a trail is run again and shown.
#[derive(Clone, Copy)]
pub struct Replayed<'a> {
    /// The model may be another one than the trail was written for.
    pub may_differ: bool,
    pub excerpt: Excerpt,
    pub shortening: Option<Shortening<'a>>,
}

/// How a shorter run is looked for, and where it is kept.
#[derive(Clone, Copy)]
pub struct Shortening<'a> {
    options: &'a ShortenOptions,
    output: Option<&'a OutputFile>,
}

pub fn run(options: &ReplayOptions, registry: &Registry, terminal: &Terminal) -> Result<u8, Failure> {
    show_kept(options, None, registry, terminal)
}

pub fn shorten(options: &ShortenOptions, registry: &Registry, terminal: &Terminal) -> Result<u8, Failure> {
    let precious = [options.replayed.trail.as_path()];
    let output = options.output.as_deref().map(|path| OutputFile::reserve("--output", path, &precious)).transpose()?;
    let shortening = Shortening { options, output: output.as_ref() };
    show_kept(&options.replayed, Some(shortening), registry, terminal)
}

fn show_kept(
    options: &ReplayOptions,
    shortening: Option<Shortening<'_>>,
    registry: &Registry,
    terminal: &Terminal,
) -> Result<u8, Failure> {
    let kept = read(&options.trail)?;
    let model = match &options.model {
        Some(path) => path.clone(),
        None => find_model(&kept.origin.model, &options.trail)?,
    };
    let excerpt = if options.full_trail { Excerpt::Unfolded } else { Excerpt::Whole };
    let shown = Replayed { may_differ: options.allow_changed_model, excerpt, shortening };
    registry.of(&model)?.follow(&kept, &model, shown, terminal)?;
    Ok(0)
}

/// Reads a trail file.
pub fn read(path: &Path) -> Result<TrailFile, Failure> {
    let source = read_source(path)?;
    TrailFile::from_json(&source.text).map_err(|error| Failure::new(format!("`{}`: {error}", path.display())))
}

/// The model of a trail: where the path leads from here, or else from the folder of the trail.
fn find_model(model: &str, trail: &Path) -> Result<PathBuf, Failure> {
    let from_here = PathBuf::from(model);
    let beside = trail.parent().map(|folder| folder.join(model));
    match beside {
        _ if from_here.exists() => Ok(from_here),
        Some(beside) if beside.exists() => Ok(beside),
        _ => Err(Failure::with_help(
            format!("`{}` is a trail of the model `{model}`, which is not there", trail.display()),
            "`--model FILE` says where the model is now",
        )),
    }
}

/// Runs a kept trail on the model at `path` and shows it. Returns whether it ends in a fault.
pub fn follow<F: FrontEnd>(
    kept: &TrailFile,
    path: &Path,
    shown: Replayed<'_>,
    terminal: &Terminal,
) -> Result<bool, Failure> {
    let mut options: ModelOptions = serde_json::from_value(kept.origin.options.clone())
        .map_err(|error| Failure::new(format!("the trail's options are not of this Dampf: {error}")))?;
    options
        .faults
        .selection()
        .map_err(|problem| Failure::new(format!("the trail's options are not of this Dampf: {problem}")))?;
    options.input = PathBuf::from(&kept.origin.model);
    let front_end = F::load(path, &options, Some(&kept.origin.knowledge))?;
    let reads_files = options.program.stdin.is_some() || !options.program.files.is_empty();
    check_unchanged(kept, &front_end.hashes(), path, (reads_files, shown.may_differ))?;
    let mut replay = Replay { kept, path, options: &options, shown, terminal };
    match rounds::run(front_end, false, Clock::new(None), None, &mut replay)? {
        Ended::Done(is_faulty) => Ok(is_faulty),
        Ended::Stopped(_) => unreachable!("nobody watches for Ctrl-C"),
    }
}

/// A trail that is run again.
struct Replay<'a> {
    kept: &'a TrailFile,
    path: &'a Path,
    options: &'a ModelOptions,
    shown: Replayed<'a>,
    terminal: &'a Terminal,
}

impl<F: FrontEnd> Exploration<F> for Replay<'_> {
    /// Whether it ends in a fault.
    type Result = bool;

    fn making(&mut self) -> Result<Making, Failure> {
        Ok(Making::bare(self.kept.origin.keep_going))
    }

    /// What other steps than the trail's refute does not matter: the trail is a run under what was known when it was
    /// found.
    fn explore(
        &mut self,
        _: &F,
        made: Result<Made<F::Model>, Unsupported>,
        _: Round,
    ) -> Result<Explored<bool>, Failure> {
        let (made, path) = (made?, self.path);
        let trail = self.kept.trail.clone();
        let run = match self.kept.fault_of_run() {
            Some(fault) => Run::ending_in(made.bare(), trail, fault),
            None => Run::replay(made.bare(), trail, self.options.deadlocks(), &self.options.selection()),
        };
        let run = run.map_err(|error| Failure::new(format!("the trail is no run of `{}`: {error}", path.display())))?;
        check_end(self.kept, &run, path)?;
        let run = match self.shown.shortening {
            Some(shortening) => self.shorter(made.bare(), run, shortening)?,
            None => run,
        };
        print(|out| show(out, self.terminal.palette, &run, path, self.shown.excerpt))?;
        Ok(Explored::Done(run.fault().is_some()))
    }
}

impl Replay<'_> {
    /// A shorter run to a fault, as short as can be found; the run itself where there is none.
    fn shorter<'m, M: Describe + Observations>(
        &self,
        model: &'m M,
        run: Run<'m, M>,
        Shortening { options, output }: Shortening<'_>,
    ) -> Result<Run<'m, M>, Failure> {
        let Some(fault) = run.fault().cloned().filter(|_| self.kept.trail.cycle.is_empty()) else {
            return Err(Failure::with_help(
                format!("the trail of `{}` is no run to a fault of a state or a step", self.path.display()),
                "a run that goes round for ever is made shorter by `dampf check --short`",
            ));
        };
        let monitor = Arc::new(Monitor::new());
        interrupt::direct_to(&monitor);
        let limits = SearchOptions {
            deadlocks: self.options.deadlocks(),
            faults: self.options.selection(),
            max_states: Some(options.max_states),
            ..SearchOptions::default()
        };
        let kept = Finding { fault, trail: self.kept.trail.clone() };
        let (finding, told) = match options.measure {
            Shortened::Steps => with_fewer_steps(model, kept, options, &limits, &monitor),
            Shortened::Switches => with_fewer_switches(model, kept, &limits, &monitor),
        };
        complain(&format!("{told}\n"));
        let Finding { fault, trail } = finding;
        if let Some(output) = output {
            let fault = Some((fault.kind.to_string(), fault.message.clone()));
            let kept = TrailFile { origin: self.kept.origin.clone(), trail: trail.clone(), fault };
            output.write(|out| out.write_all(kept.to_json().as_bytes()))?;
        }
        Run::replay(model, trail, limits.deadlocks, &limits.faults)
            .map_err(|error| Failure::new(format!("a shorter run does not replay: {error}; please report this")))
    }
}

/// The shortest run that is found, and what is said of it. Breadth-first search has the last word: if it comes to its
/// end, there is no shorter run.
fn with_fewer_steps<M: Observations>(
    model: &M,
    kept: Finding,
    options: &ShortenOptions,
    limits: &SearchOptions,
    monitor: &Monitor,
) -> (Finding, String) {
    let distance = match options.by {
        TrailNearness::Hamming => TrailDistance::Hamming,
        TrailNearness::Locations => TrailDistance::Locations,
        TrailNearness::Both => TrailDistance::Greater,
    };
    let searches: &[TrailSearch] = match options.search {
        TrailOrder::Auto => &[TrailSearch::BestFirst, TrailSearch::AStar],
        TrailOrder::BestFirst => &[TrailSearch::BestFirst],
        TrailOrder::Astar => &[TrailSearch::AStar],
        TrailOrder::Idastar => &[TrailSearch::Deepening],
        TrailOrder::Bfs => &[],
    };
    let steps = kept.trail.len();
    let mut finding = kept;
    let most = options.max_states.min(shortening_states_max(model.width()));
    let aimed = SearchOptions { max_states: Some(most), ..limits.clone() };
    for search in searches {
        while let Some(shorter) = dampf_search::approached(model, &finding, (*search, distance), &aimed, monitor) {
            finding = shorter;
        }
    }
    while let Some(shorter) = dampf_search::shortened(model, &finding, limits, monitor) {
        finding = shorter;
    }
    let told = match finding.trail.len() {
        length if length < steps => {
            format!("{} steps instead of {}", grouped(length as u64), grouped(steps as u64))
        }
        _ => format!("no shorter run than the one of {} steps was found", grouped(steps as u64)),
    };
    (finding, told)
}

/// The same for the run that switches least often.
fn with_fewer_switches<M: Observations>(
    model: &M,
    kept: Finding,
    limits: &SearchOptions,
    monitor: &Monitor,
) -> (Finding, String) {
    let counted = |trail: &Trail| {
        let switches = dampf_search::switches(model, trail, limits).unwrap_or(0);
        let plural = if switches == 1 { "" } else { "es" };
        format!("{} switch{plural} in {} steps", grouped(switches as u64), grouped(trail.len() as u64))
    };
    let before = counted(&kept.trail);
    match dampf_search::with_fewer_switches(model, &kept, limits, monitor) {
        Some(finding) => {
            let told = format!("{} instead of {before}", counted(&finding.trail));
            (finding, told)
        }
        None => (kept, format!("no run with less than {before} was found")),
    }
}

/// Refuses an input that has changed since a trail was written, or whose files have.
fn check_unchanged(
    kept: &TrailFile,
    hashes: &Hashes,
    path: &Path,
    (reads_files, may_differ): (bool, bool),
) -> Result<(), Failure> {
    if hashes.input != kept.origin.model_hash && !may_differ {
        let besides = if reads_files { ", or a file that it reads," } else { "" };
        return Err(Failure::with_help(
            format!(
                "`{}`{besides} has changed since the trail was written: its steps may mean something else now",
                path.display()
            ),
            "check the model again, or replay with --allow-changed-model",
        ));
    }
    // Of a source that was moved the names differ that it is compiled with.
    let comparable = path.display().to_string() == kept.origin.model;
    let rebuilt_otherwise = comparable && kept.origin.build_hash.is_some() && hashes.build != kept.origin.build_hash;
    if rebuilt_otherwise && !may_differ {
        return Err(Failure::with_help(
            format!(
                "`{}` is as it was, but is compiled to another program than the one that the trail was written for: \
                 a header, a library or the compiler has changed since",
                path.display()
            ),
            "check the program again, or replay with --allow-changed-model",
        ));
    }
    Ok(())
}

/// A trail tells of a fault; a run that ends otherwise is not the run it tells of.
fn check_end<M: Describe>(kept: &TrailFile, run: &Run<'_, M>, path: &Path) -> Result<(), Failure> {
    let Some((kind, message)) = &kept.fault else { return Ok(()) };
    let recorded = format!("{kind}: {message}");
    match run.fault() {
        Some(fault) if fault.to_string() == recorded => Ok(()),
        Some(fault) => Err(Failure::new(format!(
            "on `{}` the trail ends in `{fault}`, but it was written for `{recorded}`",
            path.display()
        ))),
        None => Err(Failure::new(format!(
            "on `{}` the trail ends without a fault, but it was written for `{recorded}`",
            path.display()
        ))),
    }
}

fn show<M: Describe>(
    out: &mut dyn Write,
    palette: Palette,
    run: &Run<'_, M>,
    path: &Path,
    excerpt: Excerpt,
) -> io::Result<()> {
    let steps = if run.len() == 1 { "1 step".to_owned() } else { format!("{} steps", grouped(run.len() as u64)) };
    writeln!(out, "{}\n", palette.heading(format!("a run of {} in {steps}", path.display())))?;
    write_run(out, palette, run, excerpt)?;
    writeln!(out)?;
    match run.fault() {
        Some(fault) => write_fault(out, palette, fault),
        None => writeln!(out, "the run ends without a fault"),
    }
}
