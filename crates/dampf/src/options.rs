//! Every command and option, in one place.
//!
//! Parsing, help, man pages and completions all come from these definitions.

use crate::fault_options::FaultOptions;
use crate::front_end::Offer;
use crate::plan::{PLAN_NOTES, PlanOptions};
use crate::properties::is_hanoi;
use crate::prove::{CertifyOptions, PROVE_NOTES, ProveOptions};
use crate::store_options::Store;
use crate::values;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use dampf_core::{Fault, FaultSelection};
use dampf_dist::{CycleMethod, LocalSearch, Partition, Waiting};
use dampf_search::HandOff;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  dampf check server.cpp -D WORKERS=2 -- -v   compile a program and check every run of it, with an argument
  dampf c++ -o server a.cpp b.cpp             compile for checking, as with g++; then: dampf check server
  dampf check server --ignore data-race@log.c  ... but for races in log.c
  dampf check leader.pml                      find deadlocks and failed assertions of a Promela model, or verify
  dampf check mutex.dve                       ... of a DVE model
  dampf check mutex.dve --invariant 'x < 3'   ... and that x is below 3 in every state
  dampf check ring.dmc -D N=5 --threads auto  set a constant of the model, use all cores
  dampf check mutex.dve --trail bug.json      keep the run that leads to the violation ...
  dampf replay bug.json                       ... and show it again, step by step
  dampf simulate mutex.dve --interactive      walk through the model by hand
  dampf prove lock.c                          prove that no assertion of a sequential program can fail
  dampf plan shop.cpp                         run a program with agents, and plan for those that are idle
  dampf info mutex.dve                        show what was understood of the model

Exit status:
  0  verified: every reachable state was explored, none is faulty
  1  violated: the shown run leads to the shown fault
  2  bad usage or input
  3  unknown: a limit was reached, or Dampf cannot decide; the reason is printed";

/// A software model checker: shows you the run that breaks a program or model, or explores every run there is.
///
/// Dampf reads concurrent C and C++ programs, compiled (`dampf cc`, `dampf c++`) or as source, and models in Promela
/// (.pml), DVE (.dve) and DMC (.dmc). It visits every state that can be reached, looks for deadlocks, violated
/// assertions, illegal memory accesses, data races and misused locks, and shows the exact run that leads to what it
/// finds.
#[derive(Parser, Debug)]
#[command(name = "dampf", version, after_help = EXAMPLES, max_term_width = 110, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,

    /// Whether to colour the output; NO_COLOR is respected
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Search for violations, or verify that there are none
    #[command(after_help = CHECK_NOTES)]
    Check(Box<CheckOptions>),
    /// Go on with a search from its last checkpoint
    #[command(after_help = CHECK_NOTES)]
    Resume(ResumeOptions),
    /// Show one run: random, guided by a trail, or chosen by hand
    Simulate(SimulateOptions),
    /// Show a trail step by step, with sources and values
    Replay(ReplayOptions),
    /// Look for a shorter run than a trail to a fault, and show it
    Shorten(ShortenOptions),
    /// Prove that no run of a sequential program fails, by predicate abstraction, or show the run that does
    #[command(after_help = PROVE_NOTES)]
    Prove(ProveOptions),
    /// Check the invariants again that a proof left behind
    Certify(CertifyOptions),
    /// Run a program with agents and advise them, or find the way to a goal
    #[command(after_help = PLAN_NOTES)]
    Plan(Box<PlanOptions>),
    /// Show what was understood of a program or model: threads' entry points, variables, state size, properties
    Info(InfoOptions),
    /// Compile C for checking: a drop-in for gcc
    #[command(disable_help_flag = true)]
    Cc {
        /// Arguments as for gcc
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Compile C++ for checking: a drop-in for g++
    #[command(name = "c++", disable_help_flag = true)]
    Cxx {
        /// Arguments as for g++
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Print a completion script for a shell
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, of Dampf or of one of its commands
    Man {
        /// The command to describe
        command: Option<String>,
    },
}

const CHECK_NOTES: &str = "\
Exit status: 0 verified, 1 violated, 2 bad usage or input, 3 unknown.
What a verdict covers and what it does not is told in docs/verified.md.
Ctrl-C ends the search and prints what was learnt; a second Ctrl-C ends Dampf at once.";

#[derive(Args, Clone, Debug)]
pub struct CheckOptions {
    #[command(flatten)]
    pub model: ModelOptions,

    #[command(flatten)]
    pub cluster: ClusterOptions,

    /// In which order states are explored; breadth-first finds shortest runs
    #[arg(long, value_enum, value_name = "ORDER", default_value = "auto", help_heading = "Search")]
    pub search: Search,

    /// What makes a state promising, for the searches that go by that (best-first, astar, idastar, beam)
    ///
    /// most-blocked: few threads can move. lock-and-block: and many hold a lock; the default, but for astar and
    /// idastar, which find shortest runs to deadlocks by most-blocked. locked-block, locked-blocks, alive-blocks,
    /// blocked-blocks: threads beside each other that hold locks, are alive, are blocked. threads-alive: few have
    /// ended. interleaving: threads take turns. read-write: many accesses; alternating-access: to what another thread
    /// has just accessed. branch-coverage: branches that were not taken before, or rarely. The short names of the
    /// literature do as well: mb, lnb, pl1, pl2, pba, pbb, alive, int, rw, aa, bc.
    ///
    /// distance(EXPR): how many steps may be left, as an expression over the model's or the program's variables.
    /// published: what HEURISTIC(EXPR) of dampf.h said last; the default for programs with it. formula: how far
    /// invariants, goals and assertions are from failing. For models also formula-bound: the same, never too much; and
    /// pdb(NAME, ...; ...): the steps that are left at least if only these variables and processes are looked at, the
    /// most of several such patterns; pdb alone chooses one.
    ///
    /// Several with `+` between them are added up.
    #[arg(long, value_name = "SUM", help_heading = "Search")]
    pub heuristic: Option<String>,

    /// With `--search beam`: how many states of each level are kept
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub beam_width: Option<NonZeroUsize>,

    /// With `--search random`: another number, another order
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub seed: Option<u64>,

    /// With `--search stack-slicing`: how many steps a thread goes on before it hands states to the next one, or `auto`
    ///
    /// Few steps make threads spend their time with handing over, many leave others without work; in between it matters
    /// little. auto: 20, fewer while a thread waits, more while states pile up.
    #[arg(long, value_name = "STEPS", value_parser = values::hand_off, help_heading = "Search")]
    pub handoff: Option<HandOff>,

    /// How many threads search; one unless you say otherwise, `auto` or 0 means one per core
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::threads, help_heading = "Search")]
    pub threads: usize,

    /// The same verdict, counts and shortest counterexample for any number of threads
    #[arg(long, help_heading = "Search")]
    pub deterministic: bool,

    /// Go on after the first violation and count them all
    #[arg(long, help_heading = "Search")]
    pub keep_going: bool,

    /// A formula of linear temporal logic that every run must satisfy; may be given several times
    ///
    /// With SPIN's operators: [] (always), <> (eventually), U, W, V, X, ! && || -> <->, or their words. What they
    /// connect are expressions of the model's own language: `[] (request == 1 -> <> reply == 1)`. A run that ends
    /// counts as one that stays where it ends.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Properties")]
    pub ltl: Vec<String>,

    /// A name for an expression in formulas: --ap 'full=queue.size >= 3'; may be given several times
    #[arg(long, value_name = "NAME=EXPRESSION", value_parser = values::named_expression, help_heading = "Properties")]
    pub ap: Vec<(String, String)>,

    /// Check only this one of the properties that the model itself has: the name of a formula or claim; may be given
    /// several times
    #[arg(long, value_name = "NAME", help_heading = "Properties")]
    pub property: Vec<String>,

    /// No run may pass states with acceptance labels for ever
    #[arg(long, help_heading = "Properties")]
    pub acceptance: bool,

    /// No run may stay away from states with progress labels for ever
    #[arg(long, help_heading = "Properties")]
    pub non_progress: bool,

    /// No state may be reachable from which no run ends, if some run does (programs)
    #[arg(long, help_heading = "Properties")]
    pub livelock: bool,

    /// No thread may wait for ever while others go on, in runs that are weakly fair (programs)
    ///
    /// To wait for the end of another thread does not count.
    #[arg(long, help_heading = "Properties")]
    pub starvation: bool,

    /// Which runs count where properties of whole runs are checked
    #[arg(long, value_enum, value_name = "KIND", default_value = "none", help_heading = "Properties")]
    pub fairness: Fairness,

    /// How runs that violate properties are looked for
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto", help_heading = "Search")]
    pub cycles: CycleOption,

    /// Take more time to find a shorter run where one violates a property
    #[arg(long, help_heading = "Properties")]
    pub short: bool,

    /// Leave out the properties of runs that the model itself has: formulas, claims, automata, trace assertions
    ///
    /// Only assertions, end states and the like are checked then. Without this, a model that has such properties is
    /// checked for these; then a state in which nothing can move is no fault, but a run that stays there.
    #[arg(long, help_heading = "Properties")]
    pub no_claims: bool,

    /// How visited states are kept: `tree`, `exact`, `hash-compact[:BITS]`,
    /// `bitstate[:SIZE][,k=K][,states=N][,runs=N]`, `reconstruct[:STEPS]` or `disk`
    ///
    /// tree: compressed, about ten bytes a state; the default. exact: word for word. disk: level by level on disk,
    /// memory is only a buffer. reconstruct: the step that led to each state, and whole states every so many steps (32
    /// unless you say otherwise); others are computed again when they are needed.
    ///
    /// The others may take a state for another one: what they find is real, what they do not find is unknown, and they
    /// say how much was probably left out. hash-compact: so many bits of a hash of each state, 24 to 64 in whole bytes,
    /// 64 unless you say otherwise. bitstate: K bits of each state in a filter of so many bytes, half of --max-memory
    /// unless you say otherwise, or else 256M; K is computed where the number of states to expect is given; runs: so
    /// often at most, with other hash functions each time.
    #[arg(long, value_name = "KIND", default_value = "tree", value_parser = values::store, help_heading = "Search")]
    pub store: Store,

    /// Where the contents of a program's states are kept, memory and registers: with `--store disk` on disk, otherwise
    /// in memory
    ///
    /// States name their contents, and equal contents are kept once. With `--store tree --contents disk` the states
    /// stay in memory and what they are made of goes to disk: the fast way where states are large. With `--store disk`
    /// both are on disk.
    #[arg(long, value_enum, value_name = "PLACE", help_heading = "Search")]
    pub contents: Option<Place>,

    /// The folder of a search on disk, which `dampf resume DIR` goes on with; otherwise a temporary one
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Search")]
    pub disk: Option<PathBuf>,

    /// How successors of models are computed: by code compiled for this machine, the default where it can be, or by
    /// interpreting
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Search")]
    pub backend: Option<Backend>,

    /// A Büchi automaton of the runs that must not be: a `.hoa` file (Hanoi format, over expressions of the model), or
    /// a `.buc` file (DMC models)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Properties")]
    pub buchi: Option<PathBuf>,

    /// Explore no state further than N steps from the beginning
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_depth: Option<u64>,

    /// Stop after N states
    #[arg(long, value_name = "N", value_parser = values::states, help_heading = "Limits")]
    pub max_states: Option<u64>,

    /// Stop after this time: seconds, or with a unit as in 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = values::time, help_heading = "Limits")]
    pub max_time: Option<Duration>,

    /// Stop before using more memory: bytes, or with a unit as in 512M, 2G
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Limits")]
    pub max_memory: Option<u64>,

    /// Stop before using more disk (--store disk): bytes, or with a unit as in 512M, 2G
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Limits")]
    pub max_disk: Option<u64>,

    /// Write the result as JSON into FILE; `-` writes it to standard output instead of the text
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Keep the run that leads to the violation in FILE, for `dampf replay`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub trail: Option<PathBuf>,

    /// Show every step of a long run, and the calls of libraries in which steps of programs are
    #[arg(long, help_heading = "Output")]
    pub full_trail: bool,

    /// Whether to show progress on the terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub progress: Progress,
}

/// How states are divided among ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartitionOption {
    /// As suits the model.
    Auto,
    Named(Partition),
}

/// How a search is shared among ranks, each with its own part of the states.
#[derive(Args, Clone, Debug)]
pub struct ClusterOptions {
    /// Share the states among N ranks in this process; under `mpirun -n N` the processes are the ranks
    ///
    /// With --threads, so many threads of each rank have a part of the states each.
    #[arg(long, value_name = "N", value_parser = values::ranks, help_heading = "Ranks")]
    pub ranks: Option<u32>,

    /// Who owns a state: `full`, `auto`, `incremental`, `section=NAME[,NAME]`, `depth=N`, `estimate` or `distance=N`
    ///
    /// full: by a hash of the whole state, the default. auto: by the sections that the first states suggest.
    /// incremental: as full, computed from what a step changes. section: by a hash of some processes, variables,
    /// `memory` or `stacks` only. depth: slices of so many steps in turn. estimate: by how many steps leave the state.
    /// distance: by how far its values are from the initial ones, in ranges of this size.
    #[arg(long, value_name = "NAME", value_parser = values::partition, help_heading = "Ranks")]
    pub partition: Option<PartitionOption>,

    /// What waits to be explored: `hash`, `none`, `store` or `limit=N[,extended][,store]`
    ///
    /// hash: references to stored states, the default. The others let whole states wait and look them up when their
    /// turn comes: all of them, those that were not stored when they arrived, or as many as the limit before stored
    /// ones are thrown out.
    #[arg(long, value_name = "NAME", value_parser = values::waiting, help_heading = "Ranks")]
    pub queue: Option<Waiting>,

    /// How many sent states a rank remembers, not to send them again
    #[arg(long, value_name = "N", value_parser = values::cached_states, help_heading = "Ranks")]
    pub sent_cache: Option<usize>,

    /// Let the contents of a program's states travel through files in this folder, which all ranks must see; otherwise
    /// in messages
    ///
    /// Messages are small then: they say where contents are. A rank writes contents once for all others, and reads only
    /// what it needs.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Ranks")]
    pub shared_folder: Option<PathBuf>,

    /// Explore N steps on before sending states:
    /// `N[,own=store|queue|cache|leave][,foreign=sent|search|leave][,cache=STATES]`
    ///
    /// Saves messages and repeats work. own and foreign say what is remembered of states on the way: this rank's are
    /// stored, others' are remembered as if they had been sent, unless you say otherwise. Counts are those of stored
    /// states then, not of all.
    #[arg(long, value_name = "N", value_parser = values::local_search, help_heading = "Ranks")]
    pub local_search: Option<LocalSearch>,

    /// Keep what was explored in a folder, so that `dampf resume DIR` goes on from there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Checkpoints")]
    pub checkpoint: Option<PathBuf>,

    /// How often: seconds, or with a unit as in 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = values::time, default_value = "10m", help_heading = "Checkpoints")]
    pub checkpoint_every: Duration,
}

#[derive(Args, Debug)]
pub struct ResumeOptions {
    /// The folder that `dampf check --checkpoint` or `--disk` wrote
    #[arg(value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,

    /// The number of ranks from now on; under `mpirun -n N` the processes are the ranks
    #[arg(long, value_name = "N", value_parser = values::ranks, help_heading = "Ranks")]
    pub ranks: Option<u32>,

    /// The number of threads from now on, of each rank where there are several
    #[arg(long, value_name = "N", value_parser = values::threads, help_heading = "Search")]
    pub threads: Option<usize>,

    /// How often to save a checkpoint from now on
    #[arg(long, value_name = "TIME", value_parser = values::time, help_heading = "Checkpoints")]
    pub checkpoint_every: Option<Duration>,

    /// Stop after this time: seconds, or with a unit as in 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = values::time, help_heading = "Limits")]
    pub max_time: Option<Duration>,

    /// Stop before using more memory: bytes, or with a unit as in 512M, 2G
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Limits")]
    pub max_memory: Option<u64>,

    /// Stop before using more disk (--store disk): bytes, or with a unit as in 512M, 2G
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Limits")]
    pub max_disk: Option<u64>,

    /// Stop after N states, those of the checkpoint included
    #[arg(long, value_name = "N", value_parser = values::states, help_heading = "Limits")]
    pub max_states: Option<u64>,

    /// Write the result as JSON into FILE; `-` writes it to standard output instead of the text
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Keep the run that leads to the violation in FILE, for `dampf replay`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub trail: Option<PathBuf>,

    /// Whether to show progress on the terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub progress: Progress,
}

/// A model and what is checked of it. Trails keep it, so that the same model can be made again.
#[derive(Args, Clone, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelOptions {
    /// The program or model: an executable, a .c, .cc or .cpp source, a .pml, .dve or .dmc model
    #[arg(value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    pub input: PathBuf,

    /// Define a macro of a C or C++ source, or set a constant of a DMC model; may be given several times
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Properties")]
    pub definitions: Vec<String>,

    /// An expression that must be true in every state; may be given several times
    #[arg(long = "invariant", value_name = "EXPR", allow_hyphen_values = true, help_heading = "Properties")]
    pub invariants: Vec<String>,

    /// An expression whose truth in some state is what you look for; may be given several times
    #[arg(long = "goal", value_name = "EXPR", allow_hyphen_values = true, help_heading = "Properties")]
    pub goals: Vec<String>,

    /// A state in which nothing can move is no fault
    #[arg(long, help_heading = "Properties")]
    pub no_deadlock: bool,

    #[command(flatten)]
    #[serde(flatten)]
    pub faults: FaultOptions,

    #[command(flatten)]
    pub program: ProgramOptions,
}

/// How often clocks jump ahead, unless it is said otherwise.
const CLOCK_JUMPS: u32 = 1;

/// How a program is compiled, run and looked at. Models have none of this.
#[derive(Args, Clone, Default, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct ProgramOptions {
    /// Further flags for the compiler of a C or C++ source, separated by spaces; may be given several times
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, help_heading = "Programs")]
    pub cflags: Vec<String>,

    /// How far a thread runs in one step: to its next operation that others can notice, one source line, or one
    /// instruction
    #[arg(long, value_enum, value_name = "SIZE", default_value = "visible", help_heading = "Programs")]
    pub step: StepSize,

    /// What is left out of the search
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto")]
    pub reduce: Reduce,

    /// States that differ in nothing but which of several equal threads or processes does what are one state
    #[arg(long)]
    pub symmetry: bool,

    /// Waits on condition variables may end without a signal
    #[arg(long, help_heading = "Programs")]
    pub spurious_wakeups: bool,

    /// Heap blocks that nobody has freed at the end are a fault
    #[arg(long, help_heading = "Programs")]
    pub leaks: bool,

    /// Reading heap memory that was never written is a fault, and so is a branch or an address that depends on a local
    /// variable that was never written
    #[arg(long, help_heading = "Programs")]
    pub uninitialised: bool,

    /// Every allocation of the program's may fail: both is tried
    #[arg(long, help_heading = "Programs")]
    pub malloc_may_fail: bool,

    /// Data races are no fault; sources are compiled without optimisation, so that every access is made as it is
    /// written
    #[arg(long, help_heading = "Programs")]
    pub no_races: bool,

    /// Ending with an exit status other than 0 is no fault
    #[arg(long, help_heading = "Programs")]
    pub any_exit_status: bool,

    /// How often clocks jump ahead in a run at most, past any deadline, wherever they are read; in between they stand
    /// still. With 0, a program that reads a clock is never verified
    #[arg(long, value_name = "N", default_value_t = CLOCK_JUMPS, value_parser = clap::value_parser!(u32).range(0..=100),
          help_heading = "Programs")]
    pub clock_jumps: u32,

    /// What the program reads from standard input; without it, reading there is not supported
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Programs")]
    pub stdin: Option<PathBuf>,

    /// A file that the program may open under this name and read; may be given several times
    #[arg(long = "file", value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = "Programs")]
    pub files: Vec<String>,

    /// A variable of the program's environment, which is otherwise empty; may be given several times
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = values::variable, help_heading = "Programs")]
    pub environment: Vec<String>,

    /// How many processors the program is told that there are; two unless you say otherwise
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Programs")]
    pub cpus: Option<u32>,

    /// Whether accesses to global and static variables that are declared volatile race with each other, as in the
    /// standards, or are atomic
    #[arg(long, value_enum, value_name = "KIND", default_value = "plain", help_heading = "Programs")]
    pub volatile: Volatile,

    /// The arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// Lets `dampf check file.cpp -std=c++20 -O2 -I include` be said as to a compiler: flags that are the compiler's and
/// none of ours become values of `--cflags`.
pub fn with_compiler_flags(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let arguments: Vec<OsString> = arguments.collect();
    let command = arguments.get(1).and_then(|command| command.to_str());
    if !matches!(command, Some("check" | "simulate" | "plan" | "info")) {
        return arguments;
    }
    let mut result = Vec::new();
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_str().unwrap_or("");
        if text == "--" {
            result.push(argument);
            result.extend(rest);
            break;
        }
        if matches!(text, "--cflags" | "--invariant" | "--goal" | "--heuristic") {
            result.push(argument);
            result.extend(rest.next());
            continue;
        }
        let takes_value = matches!(text, "-I" | "-L" | "-l" | "-U" | "-include" | "-isystem");
        let is_flag = ["-std=", "-O", "-f", "-W", "-m", "-I", "-L", "-l", "-U", "-isystem", "-include"]
            .iter()
            .any(|flag| text.starts_with(flag));
        if is_flag || matches!(text, "-pthread" | "-g" | "-w" | "-ansi" | "-pedantic") {
            result.push(OsString::from(format!("--cflags={text}")));
            if takes_value && let Some(value) = rest.next() {
                result.push(OsString::from(format!("--cflags={}", value.to_string_lossy())));
            }
        } else {
            result.push(argument);
        }
    }
    result
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum, Serialize, Deserialize)]
pub enum StepSize {
    /// Up to the next operation that other threads can notice
    #[default]
    Visible,
    /// One line of the source
    Line,
    /// One instruction
    Instruction,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum, Serialize, Deserialize)]
pub enum Reduce {
    /// For programs `races`, for models `none`
    #[default]
    Auto,
    /// Programs: threads switch at locks and at atomic operations; races are found by what they access in between
    Races,
    /// Programs: threads switch at locks and at memory that is shared
    Lgc,
    /// One order of steps that do not disturb each other is enough; runs may not be the shortest. For programs, beside
    /// `races`
    Por,
    /// The same, also where random walks say that it gains nothing; to test it with
    #[value(hide = true)]
    PorAlways,
    /// Nothing: all steps of a model; threads of a program switch at every access to memory
    None,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum, Serialize, Deserialize)]
pub enum Volatile {
    /// Accesses like any others
    #[default]
    Plain,
    /// Accesses that do not race with each other
    Atomic,
}

#[derive(Args, Debug)]
#[command(after_help = SIMULATE_NOTES)]
pub struct SimulateOptions {
    #[command(flatten)]
    pub model: ModelOptions,

    /// Print what the program prints and nothing else, and end with its exit status
    #[arg(long, conflicts_with_all = ["trail", "interactive", "steps"])]
    pub quiet: bool,

    /// The seed of the random choices; without it a new one, which is printed
    #[arg(long, value_name = "N", conflicts_with_all = ["trail", "interactive"])]
    pub seed: Option<u64>,

    /// Stop after N steps
    #[arg(long, value_name = "N", default_value = "100", conflicts_with_all = ["trail", "interactive"])]
    pub steps: u64,

    /// Follow a trail that `dampf check --trail` wrote
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath,
          conflicts_with_all = ["interactive", "definitions", "invariants", "goals", "no_deadlock", "only", "ignore",
                                "suppressions", "cflags", "step", "reduce", "symmetry",
                                "spurious_wakeups", "leaks", "uninitialised", "malloc_may_fail", "no_races", "any_exit_status",
                                "clock_jumps", "stdin", "files", "environment", "cpus", "volatile", "arguments"])]
    pub trail: Option<PathBuf>,

    /// Choose every step by its number; `u` takes a step back, `q` ends
    #[arg(long, short)]
    pub interactive: bool,
}

const SIMULATE_NOTES: &str =
    "Exit status: 0 the run was shown, 1 it ended in a fault, 2 bad usage or input, 3 unknown.";

#[derive(Args, Debug)]
#[command(after_help = REPLAY_NOTES)]
pub struct ReplayOptions {
    /// A trail file, as `dampf check --trail` writes it
    #[arg(value_hint = ValueHint::FilePath)]
    pub trail: PathBuf,

    /// The model, where it is no longer at the path the trail names
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub model: Option<PathBuf>,

    /// Replay even if the model's text, or what a program is compiled to, is not what it was
    #[arg(long)]
    pub allow_changed_model: bool,

    /// Show the calls of libraries in which steps of programs are
    #[arg(long)]
    pub full_trail: bool,
}

const REPLAY_NOTES: &str = "Exit status: 0 the trail was shown and ends as it says, 2 it cannot be, 3 unknown.";

#[derive(Args, Debug)]
#[command(after_help = SHORTEN_NOTES)]
pub struct ShortenOptions {
    #[command(flatten)]
    pub replayed: ReplayOptions,

    /// Keep the shorter run in FILE, for `dampf replay`
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// How many states each of the searches may find
    ///
    /// The first begins where the run begins: if it comes to its end, there is no shorter run. The others begin later
    /// and later on the run.
    #[arg(long, value_name = "N", default_value = "10000000", value_parser = values::states)]
    pub max_states: u64,

    /// What is to become less: the steps, or how often the run switches between threads or processes
    #[arg(long, value_enum, value_name = "WHAT", default_value = "steps")]
    pub measure: Shortened,

    /// How a shorter run is looked for before breadth-first search has its turn: by how near states are to the end of
    /// the run
    #[arg(long, value_enum, value_name = "ORDER", default_value = "auto")]
    pub search: TrailOrder,

    /// How near states are to the end of the run: by the parts in which they differ, by where processes and threads
    /// stand, or by the greater of the two
    #[arg(long, value_enum, value_name = "WHAT", default_value = "both")]
    pub by: TrailNearness,
}

/// What a run is to have less of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Shortened {
    /// Steps
    Steps,
    /// Switches between threads or processes, and among runs with as few, steps
    Switches,
}

/// How the end of a run is approached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TrailOrder {
    /// Best-first, then A*
    Auto,
    /// The nearest state first
    BestFirst,
    /// The fewest steps so far and distance together first
    Astar,
    /// The same with little memory: depth-first up to a bound that grows
    Idastar,
    /// Not at all: breadth-first search alone
    Bfs,
}

/// How near states are to the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TrailNearness {
    Hamming,
    Locations,
    Both,
}

const SHORTEN_NOTES: &str =
    "Exit status: 0 a run is shown, the shortest that was found, 2 the trail is none of the model.";

#[derive(Args, Debug)]
pub struct InfoOptions {
    #[command(flatten)]
    pub model: ModelOptions,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Search {
    /// Breadth-first; for programs, short searches in other orders are sent ahead from time to time, which find what
    /// lies deep
    Auto,
    /// Breadth-first
    Bfs,
    /// Depth-first
    Dfs,
    /// Depth-first in slices: threads in a ring, each hands the states behind its slice to the next
    StackSlicing,
    /// As they come: breadth-first without waiting for the end of a level; with ranks
    FirstCome,
    /// The most promising state first; with ranks, the one with the fewest steps
    BestFirst,
    /// A*: the fewest steps so far and estimated to be left first; one thread
    Astar,
    /// A* with little memory: depth-first up to a bound that grows; one thread
    Idastar,
    /// Depth-first up to a depth that grows; one thread
    Iddfs,
    /// The most promising states of each level; proves nothing
    Beam,
    /// Depth-first in an order that is drawn
    Random,
}

impl Search {
    /// Whether it is breadth-first by levels.
    pub fn is_by_levels(self) -> bool {
        matches!(self, Search::Auto | Search::Bfs)
    }

    /// Whether it is one of those that are in memory and of one process only.
    pub fn is_directed(self) -> bool {
        matches!(self, Search::Astar | Search::Idastar | Search::Iddfs | Search::Beam | Search::Random)
    }

    /// Whether it goes by a heuristic.
    pub fn is_guided(self) -> bool {
        matches!(self, Search::BestFirst | Search::Astar | Search::Idastar | Search::Beam)
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Search::Auto => "auto",
            Search::Bfs => "bfs",
            Search::Dfs => "dfs",
            Search::StackSlicing => "stack-slicing",
            Search::FirstCome => "first-come",
            Search::BestFirst => "best-first",
            Search::Astar => "astar",
            Search::Idastar => "idastar",
            Search::Iddfs => "iddfs",
            Search::Beam => "beam",
            Search::Random => "random",
        }
    }
}

impl ModelOptions {
    /// What the options ask of a front end, by name: whether it is asked, and who has it.
    pub fn asked(&self) -> Vec<(&'static str, bool, Offer)> {
        let program = &self.program;
        vec![
            ("-D", !self.definitions.is_empty(), Offer::Definitions),
            ("--invariant", !self.invariants.is_empty(), Offer::Expressions),
            ("--goal", !self.goals.is_empty(), Offer::Expressions),
            ("--cflags", !program.cflags.is_empty(), Offer::Programs),
            ("--step", program.step != StepSize::Visible, Offer::Programs),
            ("--reduce lgc", program.reduce == Reduce::Lgc, Offer::Programs),
            ("--reduce races", program.reduce == Reduce::Races, Offer::Programs),
            ("--reduce por", matches!(program.reduce, Reduce::Por | Reduce::PorAlways), Offer::Interleavings),
            ("--symmetry", program.symmetry, Offer::Symmetry),
            ("--spurious-wakeups", program.spurious_wakeups, Offer::Programs),
            ("--leaks", program.leaks, Offer::Programs),
            ("--uninitialised", program.uninitialised, Offer::Programs),
            ("--malloc-may-fail", program.malloc_may_fail, Offer::Programs),
            ("--no-races", program.no_races, Offer::Programs),
            ("--any-exit-status", program.any_exit_status, Offer::Programs),
            ("--clock-jumps", program.clock_jumps != CLOCK_JUMPS, Offer::Programs),
            ("--stdin", program.stdin.is_some(), Offer::Programs),
            ("--file", !program.files.is_empty(), Offer::Programs),
            ("--env", !program.environment.is_empty(), Offer::Programs),
            ("--cpus", program.cpus.is_some(), Offer::Programs),
            ("--volatile", program.volatile != Volatile::Plain, Offer::Programs),
            ("arguments after `--`", !program.arguments.is_empty(), Offer::Programs),
        ]
    }

    /// Whether a deadlock is a fault.
    pub fn deadlocks(&self) -> bool {
        !self.no_deadlock && self.selection().counts(&Fault::deadlock())
    }

    /// Which faults count.
    pub fn selection(&self) -> FaultSelection {
        self.faults.selection().expect("what the options say was looked at when they were read")
    }
}

impl CheckOptions {
    /// What the options ask of a front end.
    pub fn asked(&self) -> Vec<(&'static str, bool, Offer)> {
        let mut asked = self.model.asked();
        asked.extend([
            ("--buchi", self.buchi.as_deref().is_some_and(|file| !is_hanoi(file)), Offer::Automata),
            ("--buchi", self.buchi.as_deref().is_some_and(is_hanoi), Offer::Formulas),
            ("--ltl", !self.ltl.is_empty(), Offer::Formulas),
            ("--ap", !self.ap.is_empty(), Offer::Formulas),
            ("--livelock", self.livelock, Offer::Threads),
            ("--starvation", self.starvation, Offer::Threads),
            ("--acceptance", self.acceptance, Offer::AcceptanceLabels),
            ("--non-progress", self.non_progress, Offer::Progress),
            ("--backend", self.backend.is_some(), Offer::Backends),
            ("--contents", self.contents.is_some(), Offer::Contents),
            ("--shared-folder", self.cluster.shared_folder.is_some(), Offer::Contents),
        ]);
        asked
    }

    /// Where the contents of a program's states are.
    pub fn contents(&self) -> Place {
        self.contents.unwrap_or(if self.store == Store::Disk { Place::Disk } else { Place::Memory })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Fairness {
    /// All
    None,
    /// Those in which every process or thread that can move from some moment on does move
    Weak,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum CycleOption {
    /// What suits the number of threads and fairness
    Auto,
    /// Nested depth-first search, by one thread
    Ndfs,
    /// The same with a second thread for the inner search
    DualCore,
    /// Nested depth-first search, by all threads
    Cndfs,
    /// Strongly connected components, by one thread; the one for fair runs
    Scc,
    /// On ranks, the default there: states that cannot lie on a cycle are dropped until none changes
    Owcty,
    /// On ranks: a nested search from each accepting state, all ranks together; quadratic, to be compared with
    NaiveNested,
    /// On ranks: nested searches that begin at steps to a level that is not deeper; to be compared with
    ImprovedNested,
    /// On ranks: a nested breadth-first search from each accepting state, by one rank alone, within --max-depth
    BoundedNested,
}

impl CycleOption {
    /// What it is called on the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// How ranks look for cycles; none where this is not for ranks.
    pub fn method(self) -> Option<CycleMethod> {
        match self {
            CycleOption::Auto | CycleOption::Owcty => Some(CycleMethod::Owcty),
            CycleOption::NaiveNested => Some(CycleMethod::NaiveNested),
            CycleOption::ImprovedNested => Some(CycleMethod::ImprovedNested),
            CycleOption::BoundedNested => Some(CycleMethod::BoundedNested),
            CycleOption::Ndfs | CycleOption::DualCore | CycleOption::Cndfs | CycleOption::Scc => None,
        }
    }

    /// Whether ranks alone look for cycles this way.
    pub fn needs_ranks(self) -> bool {
        self != CycleOption::Auto && self.method().is_some()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Place {
    Memory,
    Disk,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Backend {
    /// Code compiled for this machine
    Native,
    /// The reference interpreter
    Interpreter,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Progress {
    Auto,
    Never,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn flags_of_the_compiler_are_passed_on() {
        let given = ["dampf", "check", "a.cpp", "-std=c++20", "-I", "inc", "-DN=2", "--threads", "2", "--", "-O2"];
        let expected = [
            "dampf",
            "check",
            "a.cpp",
            "--cflags=-std=c++20",
            "--cflags=-I",
            "--cflags=inc",
            "-DN=2",
            "--threads",
            "2",
            "--",
            "-O2",
        ];
        assert_eq!(with_compiler_flags(given.iter().map(OsString::from)), expected.map(OsString::from));
        let said = ["dampf", "check", "a.dve", "--invariant", "-x < 3", "--cflags", "-O2"].map(OsString::from);
        assert_eq!(with_compiler_flags(said.clone().into_iter()), said);
        let other = ["dampf", "cc", "-O2"].map(OsString::from);
        assert_eq!(with_compiler_flags(other.clone().into_iter()), other);
    }

    #[test]
    fn the_definitions_are_consistent() {
        Arguments::command().debug_assert();
    }
}
