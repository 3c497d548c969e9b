//! Properties of runs, and the search for runs that violate them.
//!
//! A property is an automaton ([`dampf_core::Automaton`]) that accepts the runs that violate it. The [`Product`] of a
//! model and an automaton is a model again, with accepting states; a run that passes accepting states for ever is a
//! violation, and since there are finitely many states, there is one that is a lasso: a stem and a cycle.
//!
//! [`check_cycles`] looks for lassos.

mod cycles;
mod product;

pub use cycles::{CycleAlgorithm, CycleSearch, check_cycles, confirmed};
pub use product::{Product, STUTTER, projected};
