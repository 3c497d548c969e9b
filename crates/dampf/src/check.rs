//! `dampf check`: explores a model and reports the verdict.

use crate::cluster::{self, Attempt, Ranks};
use crate::contents::Contents;
use crate::cycle_engine::{self, CycleQuestion};
use crate::engine::{self, Question, Searched};
use crate::failure::Failure;
use crate::front_end::{self, FrontEnd, LookedAt, Made, Making, Offer};
use crate::front_ends::Registry;
use crate::heuristics;
use crate::interrupt;
use crate::options::{self, CheckOptions, PartitionOption, Place, Search};
use crate::outputs::{Outputs, Shown};
use crate::properties::{self, Property};
use crate::resume;
use crate::rounds::{self, Clock, Ended, Exploration, Explored, Round};
use crate::sampling;
use crate::store_options::Store;
use crate::terminal::Terminal;
use dampf_core::{Describe, Model, Statistics, Unsupported, Verdict};
use dampf_dist::Partition;
use dampf_report::{BusyLines, CheckReport, Excerpt, Origin, Run, Setting, Traffic, TrailFile};
use dampf_search::{Heuristic, Judgement, Monitor, Outcome, StopReason, shortening_states_max};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Checks an input, from its beginning or from a checkpoint, which says of what it is.
pub fn run(
    options: &mut CheckOptions,
    resumed: Option<&Origin>,
    registry: &Registry,
    terminal: &Terminal,
) -> Result<u8, Failure> {
    options.model.faults.read_suppressions()?;
    let options = &*options;
    check_options(options)?;
    let mut ranks = Ranks::new(options)?;
    interrupt::watch(ranks.are_processes().then(|| options.cluster.checkpoint.clone()))?;
    let input = &options.model.input;
    let checked = registry.of(input).and_then(|language| {
        registry.refuse_unoffered(language, input, &options.asked())?;
        language.check(options, resumed, &mut ranks, terminal)
    });
    interrupt::end_of_searches();
    match checked {
        // Told while all processes are still there: the launcher ends them when the first one ends with a failure.
        Err(failure) if ranks.are_processes() => {
            failure.draw(terminal);
            Err(Failure::ToldElsewhere { status: failure.exit_status() })
        }
        checked => checked,
    }
}

/// Checks an input of a front end.
pub fn check<F: FrontEnd>(
    options: &CheckOptions,
    resumed: Option<&Origin>,
    ranks: &mut Ranks,
    terminal: &Terminal,
) -> Result<u8, Failure> {
    // What counts steps is to count something that is said.
    let counted_steps = if F::COUNTS_STEPS { Ok(None) } else { properties::counted_steps(options) };
    let counted_steps = ranks.agree(counted_steps)?;
    let mut unreduced = options.clone();
    unreduced.model.program.reduce = options::Reduce::None;
    let options = if counted_steps.is_some() { &unreduced } else { options };
    let prepared = prepare::<F>(options, resumed, ranks.speaks()).and_then(|prepared| {
        check_property_options(options, &prepared.properties)?;
        Ok(prepared)
    });
    let Prepared { attempt, front_end, properties, heuristic, outputs } = ranks.agree(prepared)?;
    // A search on disk has its buffers by this limit, and does not end at it.
    let memory_bytes_max = options.max_memory.filter(|_| options.store != Store::Disk);
    let clock = Clock::new(options.max_time).with_memory(memory_bytes_max);
    let watcher = (options.progress == options::Progress::Auto && ranks.speaks()).then_some(terminal);
    // Runs of models are short, and people expect the shortest.
    let sends_scouts = options.search == Search::Auto
        && F::OFFERS.contains(&Offer::Programs)
        && properties.is_empty()
        && !options.deterministic
        && options.store == Store::Tree
        && !cluster::is_shared(options);
    let contents = Contents::InMemory;
    let mut check = Check {
        options,
        ranks,
        terminal,
        outputs,
        attempt,
        properties,
        heuristic,
        contents,
        sends_scouts,
        counted_steps,
    };
    let ended = match front_end {
        Ok(front_end) => rounds::run(front_end, resumed.is_none(), clock, watcher, &mut check)?,
        Err(stop) => Ended::Stopped(stop),
    };
    match ended {
        Ended::Done(status) => Ok(status),
        Ended::Stopped(stop) => {
            let limits = engine::search_options(options, &clock, 0);
            let outcome = Outcome { stopped: Some(stop), ..not_searched(stop.reason(&limits)) };
            let result = CheckResult::<F::Model> { rounds: 1, ..CheckResult::of(&outcome, clock.elapsed()) };
            check.conclude(None, result)
        }
    }
}

/// What there is before the search begins.
struct Prepared<F> {
    attempt: Attempt,
    /// The reason instead of a front end where Ctrl-C came first.
    front_end: Result<F, StopReason>,
    properties: Vec<Property>,
    /// What a directed search goes by, where somebody says.
    heuristic: Option<Heuristic>,
    outputs: Outputs,
}

/// Everything that can fail before the search begins.
fn prepare<F: FrontEnd>(
    options: &CheckOptions,
    resumed: Option<&Origin>,
    speaks: bool,
) -> Result<Prepared<F>, Failure> {
    let attempt = Attempt::new(options, resumed)?;
    let (model, known) = (options.model.clone(), resumed.map(|origin| origin.knowledge.clone()));
    // No limit counts yet, but Ctrl-C does.
    let loaded = Clock::new(None).watched(move || F::load(&model.input, &model, known.as_ref()));
    let mut front_end = loaded.map_or_else(|stop| Ok(Err(stop)), |loaded| loaded.map(Ok))?;
    let properties = match &mut front_end {
        Ok(front_end) => properties::asked(front_end, options)?,
        Err(_) => Vec::new(),
    };
    let heuristic = match &mut front_end {
        Ok(front_end) if options.search.is_guided() && !cluster::is_shared(options) => {
            heuristics::asked(front_end, options.heuristic.as_deref(), &options.model)?
        }
        _ => None,
    };
    Ok(Prepared { attempt, front_end, properties, heuristic, outputs: Outputs::reserve(options, speaks)? })
}

/// How to read the same input again, with what is known of it by now.
pub fn origin<F: FrontEnd>(front_end: &F, model: &options::ModelOptions, keep_going: bool) -> Origin {
    let hashes = front_end.hashes();
    Origin {
        model: model.input.display().to_string(),
        model_hash: hashes.input,
        build_hash: hashes.build,
        keep_going,
        options: serde_json::to_value(model).expect("options are texts, numbers and switches"),
        knowledge: front_end.knowledge(),
    }
}

/// A check that is under way.
struct Check<'a> {
    options: &'a CheckOptions,
    ranks: &'a mut Ranks,
    terminal: &'a Terminal,
    outputs: Outputs,
    attempt: Attempt,
    /// Of runs. Where there are none, states and steps are looked at alone.
    properties: Vec<Property>,
    heuristic: Option<Heuristic>,
    /// Where the contents of this round's states are.
    contents: Contents,
    /// Whether scouts are sent ahead of a breadth-first search.
    sends_scouts: bool,
    /// What is taken for granted where an automaton counts steps.
    counted_steps: Option<String>,
}

impl<F: FrontEnd> Exploration<F> for Check<'_> {
    type Result = u8;

    fn making(&mut self) -> Result<Making, Failure> {
        self.contents = self.ranks.agree(Contents::of(self.options))?;
        Ok(Making {
            backend: match self.options.backend {
                Some(options::Backend::Interpreter) => front_end::Backend::Reference,
                Some(options::Backend::Native) | None => front_end::Backend::Fast,
            },
            keep_going: goes_on(self.options),
            reduction: match self.options.model.program.reduce {
                _ if unreduced(self.options, &self.properties).is_some() => front_end::Reduction::None,
                options::Reduce::Por => front_end::Reduction::WhereWorthWhile,
                options::Reduce::PorAlways => front_end::Reduction::Always,
                _ => front_end::Reduction::None,
            },
            symmetric: self.options.model.program.symmetry,
            ground: self.contents.ground(),
        })
    }

    fn explore(
        &mut self,
        front_end: &F,
        made: Result<Made<F::Model>, Unsupported>,
        round: Round,
    ) -> Result<Explored<u8>, Failure> {
        let origin = origin(front_end, &self.options.model, goes_on(self.options));
        let mut violated = None;
        let (made, searched) = match made {
            Ok(made) if self.properties.is_empty() => {
                let searched = self.search(&made.searched, &origin, &round)?;
                (Some(made), searched)
            }
            Ok(made) => {
                let question = CycleQuestion { origin: &origin, round: &round };
                let watched = cycle_engine::search(
                    &made.searched,
                    &self.properties,
                    &question,
                    &mut self.attempt,
                    self.ranks,
                    (self.options, self.terminal),
                )?;
                violated = watched.violated;
                (Some(made), watched.searched)
            }
            Err(unsupported) => (None, Searched::alone(not_searched(unsupported.to_string()))),
        };
        let Searched { mut outcome, traffic, cut_short } = searched;
        if !outcome.judgement.refuted.is_empty() && !outcome.stopped.is_some_and(StopReason::is_wanted) {
            let facts = outcome.judgement.refuted.into_iter().collect();
            return Ok(Explored::Refuted { facts, states: outcome.statistics.states });
        }
        outcome.judgement.premises.extend(self.counted_steps.clone());
        outcome.statistics.store_bytes += made.as_ref().map_or(0, |made| F::contents_bytes(&made.searched));
        let looked_at = LookedAt {
            claims: !self.options.no_claims,
            runs: !self.properties.is_empty(),
            fair: cycle_engine::is_fair(self.options),
        };
        if let (Verdict::Verified, Some(reason)) = (&outcome.verdict, front_end.reservation(looked_at)) {
            outcome.verdict = Verdict::Unknown(reason);
        }
        let mut warnings: Vec<String> =
            unreduced(self.options, &self.properties).map(str::to_owned).into_iter().collect();
        // With an automaton beside it a run that ends goes on, in its last state.
        let knows_ends = self.properties.iter().all(|property| property.is_of_ends);
        if F::RUNS_END && knows_ends && outcome.verdict == Verdict::Verified && !outcome.judgement.met_end {
            warnings.push(NO_RUN_ENDS.to_owned());
        }
        let elapsed = round.clock.elapsed();
        let bare = made.as_ref().map(Made::bare);
        if let Some(made) = &made {
            outcome = engine::lifted::<F>(outcome, made, &self.options.model);
        }
        let is_reduced = made.as_ref().is_some_and(|made| made.reduction == front_end::POR);
        let may_be_long = is_reduced || outcome.judgement.found_ahead || is_directed(self.options);
        if let (Some(bare), true) = (bare, may_be_long && self.properties.is_empty()) {
            self.shorten(bare, &mut outcome, &round);
        }
        let is_limited = outcome.stopped.is_some_and(StopReason::is_wanted) && self.ranks.speaks();
        // Samples take as much time as they get, so they are not the same every time.
        let is_sampled = is_limited && !self.options.deterministic && !interrupt::is_pressed();
        let is_open = matches!(outcome.verdict, Verdict::Unknown(_)) && is_sampled;
        let is_quick = sampling::is_quick(outcome.statistics.transitions, elapsed);
        let busy_lines = bare.filter(|_| is_open && is_quick).map(sampling::busy_lines);
        let (outcome, run) = match violated {
            Some(property) => cycle_engine::told(outcome, bare, &self.properties[property], self.options),
            None => engine::told(outcome, bare, &self.options.model),
        };
        let result = CheckResult {
            backend: made.as_ref().map_or("none", |made| made.backend),
            reduction: made.as_ref().map_or("none", |made| made.reduction),
            rounds: round.number,
            run: run.as_ref(),
            traffic,
            cut_short,
            warnings: &warnings,
            busy_lines,
            ..CheckResult::of(&outcome, elapsed)
        };
        self.conclude(Some(&origin), result).map(Explored::Done)
    }
}

/// How many steps are taken to find those that a run can do without: at least, and at most.
const THINNING_STEPS: Range<u64> = 1 << 14..1 << 18;
/// Searches for a shorter run are made where each may find so many states.
const SHORTENING_STATES_MIN: u64 = 1 << 12;

/// What is said of a program that is right, but for this.
const NO_RUN_ENDS: &str = "no run ends: whatever happens, some thread goes on for ever";

/// What there is to report.
struct CheckResult<'a, M: Describe> {
    backend: &'static str,
    reduction: &'static str,
    outcome: &'a Outcome,
    rounds: u64,
    run: Option<&'a Run<'a, M>>,
    elapsed: Duration,
    traffic: Option<Traffic>,
    cut_short: Option<String>,
    warnings: &'a [String],
    busy_lines: Option<BusyLines>,
}

impl<'a, M: Describe> CheckResult<'a, M> {
    fn of(outcome: &'a Outcome, elapsed: Duration) -> Self {
        let (run, traffic, cut_short, busy_lines) = (None, None, None, None);
        let (backend, reduction, warnings) = ("none", "none", &[]);
        CheckResult { backend, reduction, outcome, rounds: 1, run, elapsed, traffic, cut_short, warnings, busy_lines }
    }
}

impl Check<'_> {
    fn search<M: engine::Searchable>(
        &mut self,
        model: &M,
        origin: &Origin,
        round: &Round,
    ) -> Result<Searched, Failure> {
        let question = Question {
            origin,
            round,
            contents: &self.contents,
            sends_scouts: self.sends_scouts,
            heuristic: self.heuristic.as_ref(),
        };
        engine::search(model, &question, &mut self.attempt, self.ranks, self.options, self.terminal)
    }

    /// Looks for a shorter run than one that was found with steps left out, or in another order than by levels.
    fn shorten<M: Model>(&self, bare: &M, outcome: &mut Outcome, round: &Round) {
        if !self.ranks.speaks() || self.options.keep_going || interrupt::is_pressed() {
            return;
        }
        let Verdict::Violated(finding) = &outcome.verdict else { return };
        let monitor = Arc::new(Monitor::new());
        interrupt::direct_to(&monitor);
        let search = engine::search_options(self.options, &round.clock, 0);
        // Not more is spent than the search has spent, where that is much.
        let steps_max = outcome.statistics.transitions.clamp(THINNING_STEPS.start, THINNING_STEPS.end);
        let thinner = dampf_search::thinned(bare, finding, steps_max, &search, &monitor);
        let finding = thinner.as_ref().unwrap_or(finding);
        // These find shortest runs, unless they go by a heuristic that says too much.
        let most = match self.options.search {
            Search::Astar | Search::Idastar | Search::Iddfs => shortening_states_max(bare.width()) / 10,
            _ => shortening_states_max(bare.width()),
        };
        let is_ahead = outcome.judgement.found_ahead;
        let most = if is_ahead { most.min((outcome.statistics.states / 4).max(SHORTENING_STATES_MIN)) } else { most };
        let max_states = search.max_states.map_or(most, |limit| limit.min(most));
        let search = dampf_search::SearchOptions { max_states: Some(max_states), ..search };
        // Near the initial states a breadth-first search has found nothing before.
        let shorten = if is_ahead { dampf_search::shortened_behind } else { dampf_search::shortened };
        // So few states are not even those of a few steps, where there are hundreds of threads.
        let is_of_use = most >= SHORTENING_STATES_MIN;
        let shorter = is_of_use.then(|| shorten(bare, finding, &search, &monitor)).flatten();
        if let Some(shorter) = shorter.or(thinner) {
            outcome.findings = vec![shorter.clone()];
            outcome.verdict = Verdict::Violated(Box::new(shorter));
        }
    }

    /// Reports what was found out; returns the exit status.
    fn conclude<M: Describe>(&self, origin: Option<&Origin>, result: CheckResult<M>) -> Result<u8, Failure> {
        let (options, terminal) = (self.options, self.terminal);
        if !self.ranks.speaks() {
            // The first rank's exit status is that of the run.
            return Ok(0);
        }
        let CheckResult { backend, reduction, outcome, rounds, run, elapsed, traffic, cut_short, warnings, busy_lines } =
            result;
        let setting = setting(options, (backend, reduction), self.ranks, self.sends_scouts);
        let way_on = way_on(options, outcome);
        let verdict = match &outcome.verdict {
            Verdict::Unknown(reason) => Verdict::Unknown(format!("{reason}{way_on}")),
            verdict => verdict.clone(),
        };
        let is_violated = matches!(verdict, Verdict::Violated(_));
        let premises = outcome.judgement.premises.iter().cloned();
        let report = CheckReport {
            setting: &setting,
            verdict: &verdict,
            statistics: &outcome.statistics,
            findings: &outcome.findings,
            satisfied: properties::satisfied(
                &self.properties,
                cycle_engine::is_fair(options),
                outcome.judgement.met_end,
            ),
            rounds,
            run,
            elapsed,
            peak_rss_bytes: dampf_search::peak_resident_bytes().unwrap_or(0),
            traffic,
            cut_short: cut_short.filter(|_| is_violated).map(|reason| format!("{reason}{way_on}")),
            assumptions: options.model.selection().assumptions().into_iter().chain(premises).collect(),
            warnings: warnings.to_vec(),
            busy_lines,
        };
        let trail =
            run.zip(origin).map(|(run, origin)| TrailFile::new(origin.clone(), run.trail().clone(), run.fault()));
        let shown = Shown {
            palette: terminal.palette,
            error_palette: terminal.error_palette,
            excerpt: if options.full_trail { Excerpt::Unfolded } else { Excerpt::Ends },
        };
        self.outputs.write(&report, trail.as_ref(), shown)?;
        Ok(outcome.verdict.exit_status())
    }
}

/// Whether the search goes on behind some faults, because it is to find all or because these do not count.
fn goes_on(options: &CheckOptions) -> bool {
    options.keep_going || !options.model.selection().is_everything()
}

/// How to go on, where a limit ended the search and a checkpoint is there.
fn way_on(options: &CheckOptions, outcome: &Outcome) -> String {
    match options.cluster.checkpoint.as_ref().or(options.disk.as_ref()) {
        Some(folder) if outcome.stopped.is_some_and(StopReason::is_wanted) && resume::is_possible(folder) => {
            format!("; `dampf resume {}` goes on from the last checkpoint", folder.display())
        }
        _ => String::new(),
    }
}

/// Refuses options that contradict each other.
fn check_options(options: &CheckOptions) -> Result<(), Failure> {
    if options.deterministic && !options.search.is_by_levels() && !(is_directed(options) && options.threads == 1) {
        return Err(Failure::with_help(
            "--deterministic promises the shortest counterexample, which only --search bfs looks for",
            "leave one of the two out; with `--threads 1` every search finds the same each time",
        ));
    }
    check_directions(options)?;
    let slices = options.search == Search::StackSlicing;
    if slices && cluster::is_shared(options) {
        return Err(Failure::with_help(
            "--search stack-slicing is a search by the threads of one process, without ranks and checkpoints",
            "with ranks, `--search dfs --partition depth=N` slices the depth",
        ));
    }
    if options.handoff.is_some() && !slices {
        return Err(Failure::with_help(
            "--handoff says when a thread of --search stack-slicing hands states over",
            "add --search stack-slicing",
        ));
    }
    if options.store != Store::Tree && cluster::is_shared(options) {
        return Err(Failure::with_help(
            "ranks (mpirun, --ranks and all options about them, --search first-come and best-first) and --checkpoint keep states in the tree \
             store only",
            "leave --store out; a search on disk is one process's, and is resumed from its own folder, --disk DIR",
        ));
    }
    if options.deterministic && !matches!(options.store, Store::Tree | Store::Exact | Store::Disk) {
        return Err(Failure::with_help(
            format!(
                "--deterministic needs a store that looks states up level by level and gives them back, which --store {} does not",
                options.store.name()
            ),
            "leave one of the two out",
        ));
    }
    if let (Store::Bitstate(bitstate), Some(limit)) = (options.store, options.max_memory)
        && bitstate.filter(Some(limit)).bytes() >= limit
    {
        return Err(Failure::with_help(
            "the filter of --store bitstate leaves no room below --max-memory",
            "make it smaller, or leave its size out: it takes half of the limit then",
        ));
    }
    if options.model.program.symmetry
        && matches!(options.model.program.reduce, options::Reduce::Por | options::Reduce::PorAlways)
    {
        return Err(Failure::with_help(
            "--symmetry and --reduce por do not go together: that no step is put off for ever was shown for each alone",
            "leave one of the two out",
        ));
    }
    let on_disk = options.store == Store::Disk;
    if on_disk && !options.search.is_by_levels() {
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

/// Whether the search goes by a heuristic, or by chance.
fn is_directed(options: &CheckOptions) -> bool {
    options.search.is_directed() || options.search == Search::BestFirst && !cluster::is_shared(options)
}

/// The same for searches that go by a heuristic.
fn check_directions(options: &CheckOptions) -> Result<(), Failure> {
    let search = options.search;
    let name = search.name();
    let is_shared = cluster::is_shared(options);
    if search.is_directed() && is_shared {
        return Err(Failure::with_help(
            format!("--search {name} is a search by one process, without ranks and checkpoints"),
            "with ranks there are bfs, dfs, first-come and best-first",
        ));
    }
    if search == Search::BestFirst && is_shared && options.heuristic.is_some() {
        return Err(Failure::with_help(
            "on ranks --search best-first goes by the number of steps that leave a state",
            "leave --heuristic out, or the ranks",
        ));
    }
    let has_one_thread = matches!(search, Search::Astar | Search::Idastar | Search::Iddfs);
    if has_one_thread && options.threads > 1 {
        return Err(Failure::with_help(
            format!("--search {name} has one thread"),
            "leave --threads out, or use --search best-first",
        ));
    }
    let keeps_states = matches!(options.store, Store::Tree | Store::Exact);
    if has_one_thread && !keeps_states {
        return Err(Failure::with_help(
            format!("--search {name} keeps whole states, in its own way"),
            "leave --store out, or use --search best-first",
        ));
    }
    let is_guided = search.is_guided();
    if let Some(text) = &options.heuristic {
        heuristics::parse(text)?;
    }
    let misplaced = [
        (options.heuristic.is_some() && !is_guided, "--heuristic", "best-first, astar, idastar or beam"),
        (options.beam_width.is_some() && search != Search::Beam, "--beam-width", "beam"),
        (options.seed.is_some() && search != Search::Random, "--seed", "random"),
    ];
    match misplaced.into_iter().find(|(is_misplaced, ..)| *is_misplaced) {
        Some((_, option, searches)) => Err(Failure::with_help(
            format!("{option} says nothing to --search {name}"),
            format!("add --search {searches}"),
        )),
        None => Ok(()),
    }
}

/// Why steps are not left out though that was asked for, if they are not: what is looked at would notice.
fn unreduced(options: &CheckOptions, properties: &[Property]) -> Option<&'static str> {
    let is_asked = matches!(options.model.program.reduce, options::Reduce::Por | options::Reduce::PorAlways);
    let counts_repetitions = properties.iter().any(|property| !property.is_stutter_invariant);
    match (is_asked && !properties.is_empty(), cycle_engine::is_fair(options), counts_repetitions) {
        (true, true, _) => Some("no steps are left out: fairness looks at all of them"),
        (true, false, true) => Some("no steps are left out: the property may notice how often a state is repeated"),
        _ => None,
    }
}

/// Refuses options that do not go together with properties of runs.
fn check_property_options(options: &CheckOptions, properties: &[Property]) -> Result<(), Failure> {
    if properties.is_empty() {
        if options.fairness != options::Fairness::None || options.cycles != options::CycleOption::Auto {
            return Err(Failure::with_help(
                "--fairness and --cycles are about properties of runs, and there is none to check",
                "`--ltl FORMULA` gives one; so do --acceptance, --non-progress, --livelock and --starvation",
            ));
        }
        return Ok(());
    }
    let is_shared = cluster::is_shared(options);
    if is_shared {
        check_cycles_on_ranks(options)?;
    }
    let by_depth = matches!(options.cluster.partition, Some(PartitionOption::Named(Partition::DepthSlices(_))));
    let refused = [
        (is_shared && by_depth, "--partition depth"),
        (!matches!(options.store, Store::Tree | Store::Exact), "any --store but tree and exact"),
        (!is_shared && !options.search.is_by_levels(), "--search"),
        (options.model.program.symmetry, "--symmetry"),
    ];
    match refused.into_iter().find(|(is_asked, _)| *is_asked) {
        Some((_, what)) => Err(Failure::with_help(
            format!("properties of runs are not checked with {what}"),
            "leave it out, or the properties with --no-claims; --cycles says how runs are looked for",
        )),
        None => Ok(()),
    }
}

/// Refuses ways to look for runs that ranks do not have, and what their ways do not go together with.
fn check_cycles_on_ranks(options: &CheckOptions) -> Result<(), Failure> {
    let name = options.cycles.name();
    let Some(method) = options.cycles.method() else {
        return Err(Failure::with_help(
            format!("--cycles {name} is a way of threads that share their states, and ranks do not"),
            "ranks have --cycles owcty, naive-nested, improved-nested and bounded-nested; or leave out what asks for ranks",
        ));
    };
    if options.deterministic && !method.is_predictable() {
        return Err(Failure::with_help(
            format!(
                "--cycles {name} finds another run when messages come in another order, and --deterministic forbids that"
            ),
            "use --cycles owcty or bounded-nested, or leave --deterministic out",
        ));
    }
    if options.cluster.checkpoint.is_some() && options.cycles == options::CycleOption::BoundedNested {
        return Err(Failure::with_help(
            "--checkpoint does not keep the nested searches that a rank has by itself while it explores",
            "use --cycles owcty, or leave --checkpoint out",
        ));
    }
    if options.cluster.local_search.is_some() && !method.allows_local_search() {
        return Err(Failure::with_help(
            "--local-search would miss runs here: two ways to look for them go together with it",
            "use --cycles bounded-nested or naive-nested, or leave --local-search out",
        ));
    }
    Ok(())
}

/// `backend` is the one that did the work, `reduction` what was left out of it.
fn setting(
    options: &CheckOptions,
    (backend, reduction): (&'static str, &'static str),
    ranks: &Ranks,
    sends_scouts: bool,
) -> Setting {
    Setting {
        model: options.model.input.display().to_string(),
        search: if sends_scouts || options.search != Search::Auto { options.search.name() } else { "bfs" },
        store: options.store.name(),
        backend,
        reduction,
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
        judgement: Judgement::default(),
    }
}
