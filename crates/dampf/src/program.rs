//! Programs as inputs: an executable, or a source that is compiled first.

use crate::chance::Chance;
use crate::compile::{self, Compiler};
use crate::failure::Failure;
use crate::options::{ModelOptions, Reduce, StepSize};
use dampf_core::{Ground, Model, Revise, Successors, Worker};
use dampf_object::{Granularity, ObjectModel, Options, Program, SeenUses, Sharing, read_facts};
use dampf_report::{Origin, ProgramOrigin, bytes_hash};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const EXECUTABLE_BYTES_MAX: u64 = 512 << 20;
/// Random runs that are made before the search, to see which memory threads share.
const TRIAL_RUNS: u64 = 8;
const TRIAL_STEPS: usize = 2000;
/// Instructions that all trial runs together may take.
const TRIAL_INSTRUCTIONS: u64 = 1 << 28;
/// A run that comes to known states so often goes in circles.
const REPETITIONS_MAX: usize = 16;

/// A program that was read and understood.
pub struct ProgramInput {
    pub program: Arc<Program>,
    pub options: Options,
    pub sharing: Sharing,
    pub deadlocks: bool,
    pub origin: Origin,
}

/// Whether a file is a program: by its name a source, or by its first bytes an executable.
pub fn is_program(path: &Path) -> bool {
    let begins_like_elf = || {
        use std::io::Read;
        let mut magic = [0; 4];
        std::fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok() && magic == *b"\x7fELF")
    };
    let has_extension = path.extension().is_some();
    Compiler::of_source(path).is_some() || begins_like_elf() || (!has_extension && path.is_file())
}

/// The flags that a program is compiled with. Optimisation is based on the absence of races: where they are no faults, every access has to be
/// made as it is written.
fn flags_for(origin: &ProgramOrigin) -> Vec<String> {
    let unoptimised = origin.ignore_races.then(|| "-O0".to_owned());
    unoptimised.into_iter().chain(origin.flags.iter().cloned()).collect()
}

impl ProgramInput {
    /// Reads the program that the options name.
    pub fn load(options: &ModelOptions) -> Result<ProgramInput, Failure> {
        for (option, given) in [("--invariant", &options.invariants), ("--goal", &options.goals)] {
            if !given.is_empty() {
                return Err(Failure::with_help(
                    format!("{option} goes with models; `{}` is a program", options.input.display()),
                    "write an assertion in the program",
                ));
            }
        }
        let program = &options.program;
        let mut flags: Vec<String> = options.definitions.iter().map(|definition| format!("-D{definition}")).collect();
        flags.extend(program.cflags.iter().flat_map(|flags| flags.split_whitespace()).map(str::to_owned));
        let origin = ProgramOrigin {
            flags,
            arguments: program.arguments.clone(),
            step: match program.step {
                StepSize::Visible => "visible",
                StepSize::Line => "line",
                StepSize::Instruction => "instruction",
            }
            .to_owned(),
            spurious_wakeups: program.spurious_wakeups,
            leaks: program.leaks,
            uninitialised: program.uninitialised,
            ignore_races: program.no_races,
            all_shared: program.reduce == Reduce::None,
            ..ProgramOrigin::default()
        };
        let origin = Origin {
            model: options.input.display().to_string(),
            deadlocks: !options.no_deadlock,
            program: Some(origin),
            ..Origin::default()
        };
        ProgramInput::read(&options.input, origin)
    }

    /// Reads the program at `path` as `origin` says; the origin's path and hash become those of the file.
    pub fn read(path: &Path, origin: Origin) -> Result<ProgramInput, Failure> {
        let kept = origin.program.clone().unwrap_or_default();
        let compiled = match Compiler::of_source(path) {
            Some(_) => Some(compile::executable(path, &flags_for(&kept))?),
            None if !kept.flags.is_empty() => {
                return Err(Failure::with_help(
                    format!("`{}` is compiled already: -D and --cflags have no effect on it", path.display()),
                    "give them to `dampf cc`, or check the source",
                ));
            }
            None => None,
        };
        let executable = compiled.as_ref().map_or(path, |compiled| compiled.path());
        let bytes = read_bytes(executable)?;
        let hash = bytes_hash(&if compiled.is_some() { read_bytes(path)? } else { bytes.clone() });
        let name = path.display().to_string();
        // A source or executable that was moved is called as it was: its name takes room on the stack.
        let mut arguments = vec![origin.model.clone()];
        arguments.extend(kept.arguments.iter().cloned());
        let program = Program::load(name.clone(), &bytes, arguments).map_err(|refusal| Failure::Message {
            message: format!("`{name}` cannot be checked: {}", refusal.message),
            help: refusal.help,
        })?;
        let executable_hash = compiled.is_some().then(|| contents_hash(&program));
        let options = Options {
            granularity: match kept.step.as_str() {
                "line" => Granularity::Line,
                "instruction" => Granularity::Instruction,
                _ => Granularity::Visible,
            },
            spurious_wakeups: kept.spurious_wakeups,
            leaks: kept.leaks,
            uninitialised: kept.uninitialised,
            ignore_races: kept.ignore_races,
        };
        let sharing = Sharing::from_text(kept.all_shared, &kept.sharing);
        let deadlocks = origin.deadlocks;
        let kept = ProgramOrigin { executable_hash, ..kept };
        let origin = Origin { model: name, model_hash: hash, program: Some(kept), ..origin };
        Ok(ProgramInput { program: Arc::new(program), options, sharing, deadlocks, origin })
    }

    /// A model of the program with what is known about sharing by now.
    pub fn model(&self) -> ObjectModel {
        ObjectModel::new(Arc::clone(&self.program), self.options, self.sharing.clone())
    }

    /// As [`model`](Self::model), with what its states are made of on a ground.
    pub fn model_on(&self, ground: Arc<dyn Ground>) -> ObjectModel {
        ObjectModel::on(ground, Arc::clone(&self.program), self.options, self.sharing.clone())
    }

    /// Takes to heart what a search found out about sharing.
    pub fn learn<'r>(&mut self, refuted: impl IntoIterator<Item = &'r Revise>) {
        for revise in refuted {
            self.sharing.learn(read_facts(&String::from_utf8_lossy(&revise.facts)));
        }
        if let Some(program) = &mut self.origin.program {
            program.sharing = self.sharing.to_text();
        }
    }

    /// Learns about sharing from random runs, which is cheaper than from searches that have to begin again; until a moment, if one is
    /// given.
    pub fn try_out(&mut self, end: Option<Instant>) {
        let mut instructions = 0;
        let mut seen = SeenUses::default();
        'runs: for seed in 0..TRIAL_RUNS {
            loop {
                if instructions > TRIAL_INSTRUCTIONS || is_over(end) {
                    break 'runs;
                }
                let mut model = self.model();
                model.watch_uses();
                let mut refuted = Vec::new();
                instructions += trial_run(&model, seed, TRIAL_INSTRUCTIONS - instructions, end, &mut refuted);
                seen.merge(&model.seen_uses());
                self.learn(&refuted);
                // Early runs see more orders; later ones get further, because less is visible to them.
                if !self.sharing.everything && seed + 1 >= TRIAL_RUNS / 2 {
                    self.sharing.uses = seen.uses().collect();
                }
                if refuted.is_empty() {
                    break;
                }
            }
        }
        self.sharing.end_trials();
        self.learn(&[]);
    }
}

/// What putting a word of a state together costs, in instructions of the program: matters where there are hundreds of threads.
const INSTRUCTIONS_PER_WORD: u64 = 4;

fn is_over(end: Option<Instant>) -> bool {
    end.is_some_and(|end| Instant::now() >= end)
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
        if is_over(end) {
            break;
        }
        worker.successors(&state, &mut next);
        refuted.extend(next.refuted().iter().map(|(_, revise)| revise.clone()));
        if !refuted.is_empty() {
            break;
        }
        words += (next.len() * next.width()) as u64;
        let open: Vec<usize> = (0..next.len()).filter(|&step| next.leads_on(step)).collect();
        if open.is_empty() {
            break;
        }
        let step = open[chance.below(open.len())];
        state.clear();
        state.extend_from_slice(next.state(step));
    }
    worker.instructions() + words * INSTRUCTIONS_PER_WORD
}

/// A hash of what runs: the segments alone, since the debug information also says where a program was compiled. The file's header is
/// among them, and says how long the rest of the file is.
fn contents_hash(program: &Program) -> String {
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

fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
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
