//! Programs: an executable, or a source that is compiled first.

use super::{program_info, program_surroundings};
use crate::compile::{self, Compiler};
use crate::failure::Failure;
use crate::front_end::{self, AskedEstimate, FrontEnd, Hashes, LookedAt, Made, Making, Observed, Offer, Reduction};
use crate::options::{ModelOptions, Reduce, StepSize, Volatile};
use crate::terminal::complain;
use dampf_core::{
    Automaton, AutomatonEdge, AutomatonLocation, FaultKind, Ground, Literal, Model, Revise, Successors, Trail,
    Unsupported, Worker,
};
use dampf_object::{
    Ending, Expression, Granularity, ObjectModel, ProgramChecks, ProgramEstimate, Proposition, SeenUses, Sharing,
    StateCheck, read_expression,
};
use dampf_report::{Knowledge, Palette, bytes_hash};
use dampf_search::Chance;
use std::collections::{HashSet, VecDeque};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const EXECUTABLE_BYTES_MAX: u64 = 512 << 20;
/// Random runs that are made before the search, to see which memory threads share.
const TRIAL_RUNS: u64 = 8;
const TRIAL_STEPS: usize = 2000;
/// Instructions that all trial runs together may take.
const TRIAL_INSTRUCTIONS: u64 = 1 << 28;
/// What the states of a trial run may take. Programs that need more have shown by then what they share.
const TRIAL_BYTES: u64 = 64 << 20;
/// A run that comes to known states so often goes in circles.
const REPETITIONS_MAX: usize = 16;

/// Random runs that see what threads do from where they stand: so many at most, and so many that see nothing new.
const SURVEY_RUNS: u64 = 48;
const SURVEY_IDLE_MAX: u32 = 8;
/// Instructions that they may take together.
const SURVEY_INSTRUCTIONS: u64 = 1 << 25;
/// So many states are looked at besides, once a search has refuted what was seen; twice as many each time, within
/// limits.
const SURVEY_STATES: usize = 1 << 10;

/// After so many searches that refuted that nothing is assumed about it any more.
const REFUTED_FUTURES_MAX: u32 = 6;

/// Of what is kept in trails and checkpoints.
const KNOWLEDGE_VERSION: u32 = 4;

/// Threads in more slots than this are not looked at by themselves, to see whether they starve.
const STARVING_SLOTS_MAX: u32 = 24;

/// A program that was read and understood.
pub struct Program {
    pub program: Arc<dampf_object::Program>,
    options: ProgramChecks,
    pub sharing: Sharing,
    /// Whether threads switch at every access, whatever others do.
    nothing_assumed: bool,
    /// Whether threads may be interchangeable.
    symmetry: bool,
    /// Whether steps are left out that can as well be taken later.
    partial_order: bool,
    /// How often a search has refuted what threads were assumed to do.
    refuted_futures: u32,
    hash: String,
    build_hash: Option<String>,
    /// What properties of runs look at.
    propositions: Vec<Proposition>,
    /// Whether it is looked at who starves.
    watches_starvation: bool,
    /// Invariants and goals.
    checks: Vec<StateCheck>,
    estimates: Vec<ProgramEstimate>,
}

/// The flags that a program is compiled with. Optimisation is based on the absence of races: where they are no faults,
/// every access has to be made as it is written.
fn flags_for(options: &ModelOptions) -> Vec<String> {
    let unoptimised = options.program.no_races.then(|| "-O0".to_owned());
    let definitions = options.definitions.iter().map(|definition| format!("-D{definition}"));
    let given = options.program.cflags.iter().flat_map(|flags| flags.split_whitespace()).map(str::to_owned);
    unoptimised.into_iter().chain(definitions).chain(given).collect()
}

/// What is checked of a program, and how finely.
fn looked_at(options: &ModelOptions) -> ProgramChecks {
    // Where a race is none of anybody's business, what comes of it is.
    let races_count = options.selection().counts_all(FaultKind::DataRace);
    let options = &options.program;
    ProgramChecks {
        granularity: match options.step {
            StepSize::Visible => Granularity::Visible,
            StepSize::Line => Granularity::Line,
            StepSize::Instruction => Granularity::Instruction,
        },
        spurious_wakeups: options.spurious_wakeups,
        leaks: options.leaks,
        uninitialised: options.uninitialised,
        allocations_may_fail: options.malloc_may_fail,
        ignore_races: options.no_races,
        any_exit_status: options.any_exit_status,
        by_segments: races_count
            && matches!(options.reduce, Reduce::Auto | Reduce::Races | Reduce::Por | Reduce::PorAlways),
        clock_jumps: options.clock_jumps,
        volatile_is_atomic: options.volatile == Volatile::Atomic,
        symmetry: false,
        partial_order: false,
    }
}

impl FrontEnd for Program {
    const CALLED: &'static str = "a program";
    const ALL_CALLED: &'static str = "programs";
    const RUNS_END: bool = true;
    const COUNTS_STEPS: bool = false;
    const OFFERS: &'static [Offer] = &[
        Offer::Definitions,
        Offer::Expressions,
        Offer::Formulas,
        Offer::Threads,
        Offer::Contents,
        Offer::Interleavings,
        Offer::Symmetry,
        Offer::Programs,
    ];

    type Model = ObjectModel;

    /// By its name a source, or by its first bytes an executable.
    fn reads(path: &Path) -> bool {
        let begins_like_elf = || {
            use std::io::Read;
            let mut magic = [0; 4];
            std::fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok() && magic == *b"\x7fELF")
        };
        let has_extension = path.extension().is_some();
        Compiler::of_source(path).is_some() || begins_like_elf() || (!has_extension && path.is_file())
    }

    fn load(path: &Path, options: &ModelOptions, known: Option<&Knowledge>) -> Result<Self, Failure> {
        let compiled = match Compiler::of_source(path) {
            Some(_) => Some(compile::executable(path, &flags_for(options))?),
            None if !options.definitions.is_empty() || !options.program.cflags.is_empty() => {
                return Err(Failure::with_help(
                    format!("`{}` is compiled already: -D and --cflags have no effect on it", path.display()),
                    "give them to `dampf cc`, or check the source",
                ));
            }
            None => None,
        };
        let executable = compiled.as_ref().map_or(path, |compiled| compiled.path());
        let bytes = read_bytes(executable)?;
        let surroundings = program_surroundings::of(options)?;
        let source = compiled.is_some().then(|| read_bytes(path)).transpose()?;
        let hash = program_surroundings::hash(source.as_ref().unwrap_or(&bytes), &surroundings);
        let name = path.display().to_string();
        let program = dampf_object::Program::load(name.clone(), &bytes, surroundings).map_err(|refusal| {
            let message = format!("`{name}` cannot be checked: {}", refusal.message);
            Failure::Message { message, help: refusal.help }
        })?;
        let build_hash = compiled.is_some().then(|| contents_hash(&program));
        let nothing_assumed = options.program.reduce == Reduce::None;
        let sharing = match known {
            Some(known) if known.version != KNOWLEDGE_VERSION => return Err(Failure::other_knowledge(path)),
            Some(known) => Sharing::from_text(nothing_assumed, &known.text),
            None => Sharing::new(nothing_assumed),
        };
        let mut sharing = sharing;
        let checks = checks(&program, options, &mut sharing)?;
        // Who stands where, and what each has written, is looked at thread by thread.
        let wants_symmetry = options.program.symmetry && checks.is_empty();
        let partial_order = matches!(options.program.reduce, Reduce::Por | Reduce::PorAlways);
        let options = looked_at(options);
        // Every other place to switch, and every look at what others have, would have to know of homes.
        let symmetry =
            wants_symmetry && !nothing_assumed && !options.leaks && options.granularity == Granularity::Visible;
        let program = Arc::new(program);
        let refuted_futures = 0;
        Ok(Program {
            program,
            options,
            sharing,
            nothing_assumed,
            symmetry,
            partial_order,
            refuted_futures,
            hash,
            build_hash,
            propositions: Vec::new(),
            watches_starvation: false,
            checks,
            estimates: Vec::new(),
        })
    }

    fn hashes(&self) -> Hashes {
        Hashes { input: self.hash.clone(), build: self.build_hash.clone() }
    }

    fn knowledge(&self) -> Knowledge {
        Knowledge { version: KNOWLEDGE_VERSION, text: self.sharing.to_text() }
    }

    /// Learns about sharing from random runs, which is cheaper than from searches that have to restart.
    fn preview(&mut self, end: Option<Instant>) -> Result<(), Failure> {
        let mut instructions = 0;
        let mut seen = SeenUses::default();
        'runs: for seed in 0..TRIAL_RUNS {
            loop {
                if instructions > TRIAL_INSTRUCTIONS || is_over(end) {
                    break 'runs;
                }
                let mut model = self.model_on(Making::bare(false).ground);
                model.watch_uses();
                let mut refuted = Vec::new();
                instructions += trial_run(&model, seed, TRIAL_INSTRUCTIONS - instructions, end, &mut refuted);
                seen.merge(&model.seen_uses());
                self.absorb(&refuted);
                // Early runs see more orders; later ones get further, because less is visible to them.
                if !self.sharing.everything && seed + 1 >= TRIAL_RUNS / 2 {
                    self.sharing.uses = seen.uses().collect();
                    self.sharing.guarded_sites = seen.guarded_sites().collect();
                    self.sharing.lock_order = seen.lock_order();
                    self.sharing.assume_released(&seen.released);
                    self.sharing.round_heads = seen.round_heads.clone();
                }
                if refuted.is_empty() {
                    break;
                }
            }
        }
        self.sharing.end_trials();
        if self.symmetry {
            self.sharing.assume_symmetric(seen.classes());
        }
        self.survey(end);
        Ok(())
    }

    fn model(&self, making: &Making) -> Result<Made<ObjectModel>, Unsupported> {
        let is_symmetric = making.symmetric && !self.sharing.classes.is_empty();
        // What threads do later is not looked at for what propositions see of it.
        let is_looked_at = !self.propositions.is_empty() || !self.checks.is_empty();
        let is_partial = making.reduction != Reduction::None && !is_looked_at;
        let options = ProgramChecks { symmetry: is_symmetric, partial_order: is_partial, ..self.options };
        let searched = self.model_with(Arc::clone(&making.ground), options);
        let needs_reference = is_symmetric || searched.leaves_out();
        let reference = needs_reference.then(|| self.model_on(Making::bare(false).ground));
        let reduction = match () {
            () if searched.leaves_out() => front_end::POR,
            () if self.nothing_assumed => "none",
            () if self.options.by_segments && is_symmetric => "races, symmetry",
            () if self.options.by_segments => "races",
            () if is_symmetric => "lgc, symmetry",
            () => "lgc",
        };
        Ok(Made { searched, reference, backend: "machine", reduction })
    }

    fn lifted(made: &Made<ObjectModel>, trail: &Trail) -> Option<Trail> {
        match &made.reference {
            Some(bare) => dampf_object::lifted(&made.searched, bare, trail),
            None => Some(trail.clone()),
        }
    }

    fn learn(&mut self, refuted: &[Revise]) -> bool {
        let before = self.sharing.clone();
        self.absorb(refuted);
        if self.partial_order && self.sharing.futures != before.futures {
            self.refuted_futures += 1;
            if self.refuted_futures > REFUTED_FUTURES_MAX {
                // Runs tell little about this program.
                self.sharing.futures.give_up();
            }
        }
        self.survey(None);
        self.sharing != before
    }

    fn observe(&mut self, expressions: &[Observed]) -> Result<u32, Failure> {
        let first = self.propositions.len() as u32;
        for Observed { text } in expressions {
            let program = &self.program;
            let read = self.sharing.watch(|watch| read_expression(program, text, watch));
            let expression = read.map_err(|problem| not_understood(text, &problem))?;
            self.propositions.push(Proposition { text: text.clone(), expression });
        }
        Ok(first)
    }

    fn estimate_by(&mut self, asked: &AskedEstimate) -> Result<usize, Failure> {
        let estimate = match asked {
            AskedEstimate::Distance(text) => ProgramEstimate::Value(self.distance(text)?),
            AskedEstimate::Published => match self.program.published_estimate() {
                Some(published) => ProgramEstimate::Value(published),
                None => {
                    return Err(Failure::with_help(
                        "--heuristic published: the program publishes no estimate",
                        "HEURISTIC(expression) of dampf.h does, wherever a thread comes by",
                    ));
                }
            },
            AskedEstimate::Formula if self.checks.is_empty() => {
                return Err(Failure::with_help(
                    "--heuristic formula goes by conditions, and there are no invariants or goals",
                    "`--invariant EXPR` and `--goal EXPR` say what is looked for",
                ));
            }
            AskedEstimate::Formula => ProgramEstimate::Formula,
            AskedEstimate::FormulaBound | AskedEstimate::Patterns { .. } => {
                return Err(Failure::with_help(
                    "--heuristic formula-bound and pdb go with models: of a program it is not known what a step changes at most",
                    "programs have formula, distance(EXPR) and published",
                ));
            }
        };
        self.estimates.push(estimate);
        Ok(self.estimates.len() - 1)
    }

    fn publishes_estimates(&self) -> bool {
        self.program.published_estimate().is_some()
    }

    fn offered_estimates(&self) -> Vec<(String, String)> {
        let mut offered =
            vec![("distance(EXPR)".to_owned(), "the value of any expression over global variables".to_owned())];
        if self.publishes_estimates() {
            offered.push(("published".to_owned(), "what HEURISTIC(...) said last; the default".to_owned()));
        }
        offered.push(("formula".to_owned(), "with --invariant or --goal".to_owned()));
        offered
    }

    fn watch_runs(&mut self) {
        self.sharing.watch(|_| ());
    }

    /// Guesses when who begins to wait for ever, and follows that one.
    fn starvation(&mut self) -> Result<Automaton, Failure> {
        self.watches_starvation = true;
        let first = self.propositions.len() as u32;
        let waits = |slot| Literal { proposition: first + slot, is_positive: true };
        let mut begins = vec![AutomatonEdge { guard: Vec::new(), target: 0 }];
        begins.extend((0..STARVING_SLOTS_MAX).map(|slot| AutomatonEdge { guard: vec![waits(slot)], target: slot + 1 }));
        let mut locations =
            vec![AutomatonLocation { name: "any".to_owned(), edges: begins, ..AutomatonLocation::default() }];
        for slot in 0..STARVING_SLOTS_MAX {
            let text = format!("the thread in slot {slot} waits");
            let edges = vec![AutomatonEdge { guard: vec![waits(slot)], target: slot + 1 }];
            locations.push(AutomatonLocation { name: text.clone(), is_accepting: true, edges, is_final: false });
            self.propositions.push(Proposition { text, expression: Expression::Waits(slot) });
        }
        Ok(Automaton { name: "starvation".to_owned(), locations, initial: 0 })
    }

    fn reservation(&self, _: LookedAt) -> Option<String> {
        if self.watches_starvation && self.sharing.thread_slots() > STARVING_SLOTS_MAX as usize {
            return Some(format!(
                "who starves is looked at for {STARVING_SLOTS_MAX} threads at the same time, not for more"
            ));
        }

        let reason = "no run is faulty in which threads switch between lines, but `--step line` leaves out all others";
        (self.options.granularity == Granularity::Line).then(|| reason.to_owned())
    }

    fn contents_bytes(model: &ObjectModel) -> u64 {
        model.bytes() as u64
    }

    fn write_info(self, out: &mut dyn Write, palette: Palette) -> Result<io::Result<()>, Failure> {
        Ok(program_info::write(out, palette, &self))
    }

    /// Passes on what the program prints; its exit status, or 1 and the reason for a fault.
    fn run(&self, seed: u64) -> Result<u8, Failure> {
        let mut out = io::stdout().lock();
        // The reader may have gone, which is no reason to stop the program.
        let mut print = |text: &[u8]| {
            let _ = out.write_all(text);
        };
        // Whoever runs the program wants to know its exit status.
        let options = ProgramChecks { any_exit_status: true, ..self.options };
        let model = ObjectModel::new(Arc::clone(&self.program), options, self.sharing.clone());
        match model.run_once(seed, &mut print)? {
            Ending::Exited(status) => Ok(status),
            Ending::Fault(fault) => {
                complain(&format!("{fault}\n"));
                Ok(1)
            }
            Ending::Deadlock => {
                complain("deadlock: no thread can go on\n");
                Ok(1)
            }
        }
    }
}

/// The invariants and goals that the options give.
fn checks(
    program: &dampf_object::Program,
    options: &ModelOptions,
    sharing: &mut Sharing,
) -> Result<Vec<StateCheck>, Failure> {
    let mut checks = Vec::new();
    for (kind, texts) in [(FaultKind::Invariant, &options.invariants), (FaultKind::Goal, &options.goals)] {
        for text in texts {
            let read = sharing.watch(|watch| read_expression(program, text, watch));
            let condition = read.map_err(|problem| not_understood(text, &problem))?;
            checks.push(StateCheck { kind, text: text.clone(), condition });
        }
    }
    Ok(checks)
}

fn not_understood(text: &str, problem: &str) -> Failure {
    Failure::with_help(
        format!("`{text}` cannot be looked at: {problem}"),
        "expressions are over global variables, `queue.size >= 3`, and places, `at(file.c:12)`, `in(worker)`",
    )
}

impl Program {
    /// An expression that is looked at in the states that there are: it makes no further ones, unless it speaks of
    /// places, which are watched.
    fn distance(&mut self, text: &str) -> Result<Expression, Failure> {
        let mut watch = self.sharing.watch.clone();
        let read = read_expression(&self.program, text, &mut watch);
        let expression = read.map_err(|problem| not_understood(text, &problem))?;
        if watch.places != self.sharing.watch.places {
            self.sharing.watch(|known| known.places = watch.places);
        }
        Ok(expression)
    }

    /// A model with what is known about sharing by now, whose contents lie on a ground.
    pub fn model_on(&self, ground: Arc<dyn Ground>) -> ObjectModel {
        self.model_with(ground, self.options)
    }

    fn model_with(&self, ground: Arc<dyn Ground>, options: ProgramChecks) -> ObjectModel {
        let model = ObjectModel::on(ground, Arc::clone(&self.program), options, self.sharing.clone());
        let (propositions, checks) = (self.propositions.clone(), self.checks.clone());
        ObjectModel { propositions, checks, estimates: self.estimates.clone(), ..model }
    }

    fn absorb(&mut self, refuted: &[Revise]) {
        for revise in refuted {
            self.sharing.learn_text(&String::from_utf8_lossy(&revise.facts));
        }
    }

    /// Sees in random runs what threads do from where they stand, under what is known by now.
    fn survey(&mut self, end: Option<Instant>) {
        if !self.partial_order {
            return;
        }
        let (mut instructions, mut idle) = (0, 0);
        for seed in 0..SURVEY_RUNS {
            let mut model = self.model_on(Making::bare(false).ground);
            let is_enough = idle >= SURVEY_IDLE_MAX || instructions > SURVEY_INSTRUCTIONS || is_over(end);
            if is_enough || !model.survey() {
                break;
            }
            let mut refuted = Vec::new();
            let seed = seed + SURVEY_RUNS * u64::from(self.refuted_futures);
            instructions += trial_run(&model, seed, SURVEY_INSTRUCTIONS - instructions, end, &mut refuted);
            let seen = model.surveyed();
            let is_news = self.sharing.futures.learns_from(&seen);
            idle = if is_news { 0 } else { idle + 1 };
            self.sharing.futures.merge(&seen);
            if !refuted.is_empty() {
                idle = 0;
                self.absorb(&refuted);
            }
        }
        // What random runs miss is rare, and would come one by one.
        let mut model = self.model_on(Making::bare(false).ground);
        if self.refuted_futures > 0 && model.survey() {
            let refuted = first_states(&model, SURVEY_STATES << self.refuted_futures.min(4), end);
            self.sharing.futures.merge(&model.surveyed());
            self.absorb(&refuted);
        }
    }
}

/// What putting a word of a state together costs, in instructions of the program, and what a step costs besides, in
/// words: matters where there are hundreds of threads.
const INSTRUCTIONS_PER_WORD: u64 = 4;
const WORDS_PER_STEP: usize = 256;

fn is_over(end: Option<Instant>) -> bool {
    end.is_some_and(|end| Instant::now() >= end)
}

/// Explores the first states of a model, level by level. What they refute.
fn first_states(model: &ObjectModel, states_max: usize, end: Option<Instant>) -> Vec<Revise> {
    let mut worker = model.worker();
    let mut next = Successors::new(model.width());
    let (mut seen, mut open) = (HashSet::new(), VecDeque::new());
    worker.initial(&mut next);
    loop {
        if !next.refuted().is_empty() {
            return next.refuted().iter().map(|(_, revise)| revise.clone()).collect();
        }
        for step in (0..next.len()).filter(|&step| next.leads_on(step)) {
            if seen.len() < states_max && seen.insert(next.state(step).to_vec()) {
                open.push_back(next.state(step).to_vec());
            }
        }
        let is_enough = worker.instructions() > SURVEY_INSTRUCTIONS || model.bytes() as u64 > TRIAL_BYTES;
        let Some(state) = open.pop_front().filter(|_| !is_enough && !is_over(end)) else { return Vec::new() };
        worker.successors(&state, &mut next);
    }
}

/// One random run, as far as it goes; returns the number of instructions it took, or would have taken for its cost.
fn trial_run(
    model: &ObjectModel,
    seed: u64,
    instructions_max: u64,
    end: Option<Instant>,
    refuted: &mut Vec<Revise>,
) -> u64 {
    let mut worker = model.worker();
    let mut next = Successors::new(model.width());
    let mut chance = Chance(seed);
    worker.initial(&mut next);
    refuted.extend(next.refuted().iter().map(|(_, revise)| revise.clone()));
    if next.is_empty() || !next.leads_on(0) {
        return worker.instructions();
    }
    let mut state = next.state(0).to_vec();
    let mut seen = HashSet::new();
    let mut repetitions = 0;
    let mut words = 0;
    for _ in 0..TRIAL_STEPS {
        repetitions += usize::from(!seen.insert(state.clone()));
        if repetitions > REPETITIONS_MAX || worker.instructions() + words * INSTRUCTIONS_PER_WORD > instructions_max {
            break;
        }
        if is_over(end) || model.bytes() as u64 > TRIAL_BYTES {
            break;
        }
        worker.successors(&state, &mut next);
        refuted.extend(next.refuted().iter().map(|(_, revise)| revise.clone()));
        if !refuted.is_empty() {
            break;
        }
        words += (next.len() * (next.width() + WORDS_PER_STEP)) as u64;
        let open: Vec<usize> = (0..next.len()).filter(|&step| next.leads_on(step)).collect();
        if open.is_empty() {
            break;
        }
        let step = open[chance.below(open.len())];
        if open.len() == 1 && next.state(step) == state {
            break;
        }
        state.clear();
        state.extend_from_slice(next.state(step));
    }
    worker.instructions() + words * INSTRUCTIONS_PER_WORD
}

/// A hash of what runs: the segments alone, since the debug information also says where a program was compiled. The
/// file's header is among them, and says how long the rest of the file is.
fn contents_hash(program: &dampf_object::Program) -> String {
    const HEADER_BYTES: usize = 64;
    let mut contents = Vec::new();
    for segment in &program.image.segments {
        contents.extend(segment.address.to_le_bytes());
        contents.extend(segment.memory_size.to_le_bytes());
        let skipped = if segment.bytes.starts_with(b"\x7fELF") { HEADER_BYTES } else { 0 };
        contents.extend(segment.bytes.iter().skip(skipped));
    }
    bytes_hash(&contents)
}

pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| Failure::new(format!("cannot read `{shown}`: {error}"));
    let length = std::fs::metadata(path).map_err(unreadable)?.len();
    if length > EXECUTABLE_BYTES_MAX {
        return Err(Failure::new(format!(
            "cannot read `{shown}`: it is larger than {} MiB",
            EXECUTABLE_BYTES_MAX >> 20
        )));
    }
    std::fs::read(path).map_err(unreadable)
}
