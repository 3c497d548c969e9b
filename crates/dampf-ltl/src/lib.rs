//! Properties of runs, and the search for runs that violate them.
//!
//! A property of infinite runs is written as a formula and checked as an automaton ([`dampf_core::Automaton`]) that
//! accepts the runs which violate it. The smaller the automaton, the smaller its product with the model; so most of the
//! work of translating goes into making it small: formulas are simplified (`terms.rs`, `implication.rs`), expanded to
//! an automaton with marks on edges (`tableau.rs`), reduced by simulation (`simulation.rs`), and only then brought to
//! locations that accept (`degeneralize.rs`). Automata that others made are read from HOA files (`hoa.rs`).
//!
//! A wrong translation would be a wrong `verified`. So the tests compare with an evaluator that knows nothing of
//! automata, with the automaton of the negation, and with SPIN's translation.
//!
//! The [`Product`] of a model and an automaton is a model again, with accepting states; a run that passes accepting
//! states for ever is a violation, and since there are finitely many states, there is one that is a lasso: a stem and a
//! cycle. [`check_cycles`] looks for lassos.

mod acceptance;
mod cycles;
mod degeneralize;
mod fair_copies;
mod formula;
mod generalized;
mod guards;
mod hoa;
mod implication;
mod one_more_word;
mod parser;
mod product;
mod simulation;
mod stutter;
mod tableau;
mod terms;
mod tokens;
mod translation;

pub use cycles::{
    CycleAlgorithm, CycleSearch, MOVERS_MAX, check_cycles, check_ends, check_nested, confirmed, hopeless_from,
    shortened,
};
pub use fair_copies::FairCopies;
pub use formula::Formula;
pub use hoa::{parse_hoa, write_hoa};
pub use parser::{Parsed, Proposition, Reading, is_read_differently, parse, parse_as, parse_source};
pub use product::{Product, STUTTER, projected};
pub use stutter::{accepts_stuttering, is_stutter_invariant};
pub use translation::{translate, violations, with_final_locations};
