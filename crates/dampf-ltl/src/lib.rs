//! Properties of runs, and the search for runs that violate them.
//!
//! A property is an automaton ([`dampf_core::Automaton`]) that accepts the runs that violate it. The [`Product`] of a
//! model and an automaton is a model again, with accepting states; a run that passes accepting states for ever is a
//! violation, and since there are finitely many states, there is one that is a lasso: a stem and a cycle.
//!
//! [`check_cycles`] looks for lassos. Its algorithms are a file each: `ndfs.rs` (one thread, nested depth-first),
//! `dual_core.rs` (the same with a thread for each of the two searches), `cndfs.rs` (any number of threads) and
//! `components.rs` (strongly connected components, and fair runs). They share what a thread does with a state
//! (`explorer.rs`), their stack (`path.rs`) and what becomes of a lasso (`lasso.rs`).

mod cndfs;
mod components;
mod cycles;
mod dual_core;
mod explorer;
mod lasso;
mod ndfs;
mod path;
mod product;

pub use cycles::{CycleAlgorithm, CycleSearch, check_cycles};
pub use product::{Product, STUTTER};
