//! The boundary where languages and engines meet.
//!
//! A *front end* (a language, compiled object code) turns its input into a [`Model`]; an *engine* explores
//! any model and returns a [`Verdict`]. Neither knows the other: both know only this crate, and it knows
//! nothing but the standard library.
//!
//! The invariants every model keeps and every engine relies on:
//!
//! 1. **A state is a slice of 32-bit words**, as many as [`Model::width`] says, the same number for every
//!    state of a model. What is large or varies in size is a *component* ([`ComponentTable`]): interned once
//!    and named in the state by its 32-bit id.
//! 2. **Equal words mean equal states, and equal states have equal words.** The encoding is canonical; an
//!    engine compares, hashes and stores words and nothing else.
//! 3. **Successors are deterministic**: the same state gives the same entries in the same order, with the
//!    same labels, on every worker and in every run. The order of the entries is the *action order* that
//!    `--deterministic` refers to.
//! 4. **A label determines a step**: among the successors of one state no two entries share an [`Action`].
//!    A [`Trail`] therefore needs only labels, and it can be replayed.
//! 5. **Four outcomes are never mixed.** A [`Fault`] is a bug of the checked program: a result. [`Unsupported`] means
//!    that we cannot decide: the verdict is unknown. [`Revise`] means that the model was made under an assumption that
//!    does not hold: what was explored does not count, and exploration restarts with a model that knows better. A
//!    broken invariant of our own is a panic.

mod automaton;
mod companion;
mod component;
mod diagnostic;
mod fault;
mod fault_selection;
mod fingerprint;
mod fnv;
mod ground;
pub mod interning;
mod model;
pub mod problem;
mod trail;
mod verdict;

pub use automaton::{Automaton, AutomatonEdge, AutomatonLocation, Literal};
pub use companion::{
    Acceptance, Activity, Agent, Agents, Binding, CallStack, Change, Dependencies, Describe, Footprint, Footprints,
    Inspect, Interleaving, Interplay, Movers, Object, Observations, Part, Participation, ProcessMove, Propositions,
    Restore, Sections, Standing, Step, StepPart, Suggestion, Symmetry, Transfer,
};
pub use component::{ComponentId, ComponentTable};
pub use diagnostic::{Diagnostic, Source, SourceFile, Span};
pub use fault::{Fault, FaultKind, Revise, SourceLocation, Unsupported};
pub use fault_selection::{FaultSelection, IgnoredFaults, SourcePlace};
pub use fingerprint::Fingerprints;
pub use fnv::fnv1a;
pub use ground::{Ground, Heap, PIECE_ALIGNMENT};
pub use model::{Action, Model, Remark, StepEnd, Successors, Word, Worker};
pub use trail::{Replay, ReplayError, Trail, replay, replay_selected};
pub use verdict::{Finding, Statistics, Verdict};
