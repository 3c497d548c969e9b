//! Proofs of integer programs by predicate abstraction and its refinement by counterexamples.
//!
//! A program is a [`System`]: locations with variables, and transitions that are formulas of linear arithmetic. Front
//! ends make systems; nothing behind them knows where a system came from.

pub mod abstraction;
mod affine;
pub mod bits;
pub mod cases;
mod cegar;
pub mod certificate;
mod context;
pub mod decide;
pub mod expansion;
pub mod fingerprint;
pub mod formula;
mod generalisation;
pub mod inequality;
pub mod inference;
pub mod input;
pub mod interpolation;
pub mod linear;
mod master;
pub mod message;
pub mod path;
pub mod patience;
pub mod proof;
pub mod prove;
pub mod rational;
pub mod reachability;
pub mod refinement;
pub mod simplex;
pub mod simplify;
pub mod solver;
pub mod system;
pub mod tree;
mod verify;
mod worker;
pub mod z3;

pub use formula::Formula;
pub use linear::{Constraint, Linear, Overflow, Relation, Symbol};
pub use prove::{
    Limits, Outcome, Progress, ProofResult, ProveSettings, Reason, SolverChoice, Statistics, prove, prove_as_rank,
    prove_simulated,
};
pub use system::{Location, LocationId, Origin, Sort, System, Transition, TransitionId, Variable};
