//! Proofs of integer programs by predicate abstraction and its refinement by counterexamples.
//!
//! A program is a [`System`]: locations with variables, and transitions that are formulas of linear arithmetic. Front
//! ends make systems; nothing behind them knows where a system came from.

pub mod formula;
pub mod input;
pub mod linear;
pub mod simplify;
pub mod system;

pub use formula::Formula;
pub use linear::{Constraint, Linear, Overflow, Relation, Symbol};
pub use system::{Location, LocationId, Origin, Sort, System, Transition, TransitionId, Variable};
