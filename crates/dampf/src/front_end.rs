//! The one door for languages: what a front end is to the command line.
//!
//! A front end turns an input into a model, under what it knows about it so far. Every command is one function over
//! this trait, and a language that implements it has all commands, engines, stores and outputs. Which front ends there
//! are, the registry says (`front_ends.rs`).
//!
//! **Rounds.** A model may rest on assumptions, which exploring checks. Where one is refuted, the front end learns
//! that, and exploration restarts with a model that knows better; the loop is in `rounds.rs`. What was learnt is a
//! [`Knowledge`]: only the front end reads it, trail files and checkpoints carry it.

use crate::failure::Failure;
use crate::options::ModelOptions;
use dampf_core::{
    Acceptance, Agents, Automaton, Describe, Ground, Heap, Observations, Propositions, Restore, Revise, Sections,
    Trail, Transfer, Unsupported,
};
use dampf_report::{Knowledge, Palette};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A language, or a kind of program.
pub trait FrontEnd: Send + Sized + 'static {
    /// What an input of this kind is called, with its article: `a Promela model`.
    const CALLED: &'static str;
    /// The same for all of them: `Promela models`.
    const ALL_CALLED: &'static str;
    /// Whether runs are meant to end: that none does is worth a word.
    const RUNS_END: bool = false;
    /// Whether the number of steps means something, so that a formula may speak of the next one.
    const COUNTS_STEPS: bool = true;
    /// Which options mean something here; the others are refused.
    const OFFERS: &'static [Offer];

    type Model: Describe + Transfer + Restore + Sections + Propositions + Acceptance + Observations + Agents + Send;

    /// Whether a file is an input of this kind, by its name or its first bytes.
    fn reads(path: &Path) -> bool;

    /// Reads the input at `path`, as the options say, with what was known about it before. An input that was moved is
    /// called as it was when [`ModelOptions::input`] named it.
    fn load(path: &Path, options: &ModelOptions, known: Option<&Knowledge>) -> Result<Self, Failure>;

    /// Hashes by which a change is noticed.
    fn hashes(&self) -> Hashes;

    fn knowledge(&self) -> Knowledge {
        Knowledge::default()
    }

    /// Learns what can be learnt without exploring much, until a moment if one is given; not asked of what was known
    /// before.
    fn preview(&mut self, end: Option<Instant>) -> Result<(), Failure> {
        let _ = end;
        Ok(())
    }

    /// The model under what is known by now.
    fn model(&self, making: &Making) -> Result<Made<Self::Model>, Unsupported>;

    /// A run of what was searched as a run of the bare front end; none where it is no such run, which is an error of
    /// ours.
    fn lifted(made: &Made<Self::Model>, trail: &Trail) -> Option<Trail> {
        let _ = made;
        Some(trail.clone())
    }

    /// Learns what exploring has refuted; whether the next model will be another.
    fn learn(&mut self, refuted: &[Revise]) -> bool {
        let _ = refuted;
        false
    }

    /// The properties of runs that the input itself has, in their order.
    fn properties(&self) -> Vec<OwnProperty> {
        Vec::new()
    }

    /// The automaton of one of these that is no formula, by its number. What its guards look at becomes propositions of
    /// the models that are made from now on.
    fn automaton(&mut self, property: usize) -> Result<Automaton, Failure> {
        unreachable!("{} have no property {property}", Self::ALL_CALLED)
    }

    /// The same for an automaton in a file, in the language's own form.
    fn automaton_in(&mut self, file: &Path) -> Result<Automaton, Failure> {
        let _ = file;
        unreachable!("{} do not offer automata", Self::ALL_CALLED)
    }

    /// The automaton of the runs that make no progress from some moment on.
    fn non_progress(&mut self) -> Result<Automaton, Failure> {
        unreachable!("{} know no progress", Self::ALL_CALLED)
    }

    /// Has the models that are made from now on tell whether expressions hold, as further propositions; returns the
    /// number of the first.
    fn observe(&mut self, expressions: &[Observed]) -> Result<u32, Failure> {
        let _ = expressions;
        unreachable!("{} do not offer formulas", Self::ALL_CALLED)
    }

    /// Has the models that are made from now on estimate how many steps are left; returns the number of the estimate.
    fn estimate_by(&mut self, asked: &AskedEstimate) -> Result<usize, Failure> {
        let _ = asked;
        Err(Failure::new(format!("{} have nothing to estimate by", Self::ALL_CALLED)))
    }

    /// Whether the input itself says how many steps are left.
    fn publishes_estimates(&self) -> bool {
        false
    }

    /// What the input can be asked to estimate by, besides the measures that everything has: how it is written, and
    /// what it is.
    fn offered_estimates(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Has the models that are made from now on make all steps that properties of whole runs may notice.
    fn watch_runs(&mut self) {}

    /// The automaton of the runs in which somebody waits for ever while others go on.
    fn starvation(&mut self) -> Result<Automaton, Failure> {
        unreachable!("{} do not offer threads", Self::ALL_CALLED)
    }

    /// What a search has not looked at that found nothing, if there is something.
    fn reservation(&self, looked_at: LookedAt) -> Option<String> {
        let _ = looked_at;
        None
    }

    /// Bytes that the contents of states take, where they are not in the states' words.
    fn contents_bytes(model: &Self::Model) -> u64 {
        let _ = model;
        0
    }

    /// Writes what was understood.
    fn write_info(self, out: &mut dyn Write, palette: Palette) -> Result<io::Result<()>, Failure>;

    /// Runs the input as it would run anywhere; returns its exit status.
    fn run(&self, seed: u64) -> Result<u8, Failure> {
        let _ = seed;
        unreachable!("{} do not run", Self::ALL_CALLED)
    }
}

/// What a search looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LookedAt {
    /// Whether what the input claims of its runs is to be looked at.
    pub claims: bool,
    /// Whether whole runs were.
    pub runs: bool,
    /// Whether only fair ones were.
    pub fair: bool,
}

/// A property of runs that an input has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnProperty {
    pub name: Option<String>,
    /// Its text, where it is a formula; otherwise the front end has an automaton for it.
    pub formula: Option<String>,
    /// What it is called where it has no name: `the never claim`.
    pub called: &'static str,
}

/// An expression of the input's own language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed {
    pub text: String,
}

/// What steps to an error are estimated by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AskedEstimate {
    /// The value of an expression of the input's own language.
    Distance(String),
    /// What the input says itself.
    Published,
    /// How far what is checked is from failing.
    Formula,
    /// The same, never too much.
    FormulaBound,
    /// Distances in abstractions to some sections each; without any, the front end chooses. And which faults count
    /// besides what is checked: deadlocks, and steps without a result.
    Patterns { patterns: Vec<Vec<String>>, deadlocks: bool, steps: bool },
}

/// Hashes of an input.
pub struct Hashes {
    /// Of its text or bytes.
    pub input: String,
    /// Of what it was compiled to, where it was.
    pub build: Option<String>,
}

/// Something that options ask for and that not every front end has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offer {
    /// `-D`.
    Definitions,
    /// `--invariant`, `--goal`.
    Expressions,
    /// `--buchi`.
    Automata,
    /// `--ltl`.
    Formulas,
    /// `--livelock`, `--starvation`.
    Threads,
    /// `--non-progress`.
    Progress,
    /// `--acceptance`.
    AcceptanceLabels,
    /// `--backend`.
    Backends,
    /// `--contents`, `--shared-folder`: states name contents that lie elsewhere.
    Contents,
    /// `--reduce por`: it is known which steps disturb each other.
    Interleavings,
    /// `--symmetry`: it is known what is interchangeable.
    Symmetry,
    /// Everything that is about compiling, running and looking at a program.
    Programs,
}

/// How a model is made.
#[derive(Clone)]
pub struct Making {
    pub backend: Backend,
    /// For a search that goes on after faults.
    pub keep_going: bool,
    /// Whether steps are left out that can just as well be taken later.
    pub reduction: Reduction,
    /// Whether states are one that differ only by an exchange of what is interchangeable.
    pub symmetric: bool,
    /// Where the contents of states lie.
    pub ground: Arc<dyn Ground>,
}

impl Making {
    /// The bare front end: for replaying and walking.
    pub fn bare(keep_going: bool) -> Making {
        Making {
            backend: Backend::Reference,
            keep_going,
            reduction: Reduction::None,
            symmetric: false,
            ground: Arc::new(Heap::default()),
        }
    }
}

/// When steps are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    None,
    /// Where random walks say that it gains something.
    WhereWorthWhile,
    Always,
}

/// What computes successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backend {
    /// What is fastest.
    Fast,
    /// What says what the input means.
    Reference,
}

/// What [`Made::reduction`] is where stubborn sets leave steps out.
pub const POR: &str = "por";

/// A model, and the bare front end that its trails are replayed on where that is another one.
pub struct Made<M> {
    pub searched: M,
    pub reference: Option<M>,
    /// What computes successors of `searched`, for reports.
    pub backend: &'static str,
    /// What is left out of `searched`, for reports.
    pub reduction: &'static str,
}

impl<M> Made<M> {
    pub fn bare(&self) -> &M {
        self.reference.as_ref().unwrap_or(&self.searched)
    }
}
