//! Linear temporal logic: from formulas to Büchi automata.
//!
//! A property of infinite runs is written as a formula and checked as an automaton that accepts the runs which violate
//! it. The smaller the automaton, the smaller its product with the model; so most of the work here goes into making it
//! small: formulas are simplified (`terms.rs`, `implication.rs`), expanded to an automaton with marks on edges
//! (`tableau.rs`), reduced by simulation (`simulation.rs`), and only then brought to locations that accept
//! (`degeneralize.rs`). Automata that others made are read from HOA files (`hoa.rs`).
//!
//! A wrong translation would be a wrong `verified`. So the tests compare with an evaluator that knows nothing of
//! automata, with the automaton of the negation, and with SPIN's translation.

mod acceptance;
mod degeneralize;
mod formula;
mod generalized;
mod guards;
mod hoa;
mod implication;
mod parser;
mod simulation;
mod stutter;
mod tableau;
mod terms;
mod tokens;
mod translation;

pub use formula::Formula;
pub use hoa::{parse_hoa, write_hoa};
pub use parser::{Parsed, Proposition, Reading, is_read_differently, parse, parse_as, parse_source};
pub use stutter::is_stutter_invariant;
pub use translation::{translate, violations, with_final_locations};
