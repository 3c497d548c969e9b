//! The checker as planner (thesis, chapter 5).
//!
//! A program with agents is run, and from time to time the same program is searched for a good future of the agents
//! that have nothing to do. What the search finds is given to the agents as advice: values of variables that they have
//! said to take advice in. They go on by themselves, and may do something else.
//!
//! - [`atomic_step`]: what one mover does in a step, to everybody else.
//! - [`lookahead`]: the futures that a planner looks at, as a model made of a model.
//! - [`planning`]: the search for the best of them, breadth-first or the best first, on any number of threads.
//! - [`simulation`]: parallel steps, in which every mover moves once, in an order that is drawn.
//! - [`criterion`]: when to plan again.
//! - [`interleave`]: planning and simulation in turns; [`dominance`] compares what was planned with what came of it.
//! - [`schedule`]: what the agents did when.
//!
//! A model without agents has no run to advise. Then [`planning`] alone finds a way to a goal, or to the best state.
//!
//! **Invariant.** Everything that is decided follows from the model, the settings and the seed: not from the number of
//! threads, and not from time, unless a limit on time or memory ends a search. Then the search says so.

pub mod atomic_step;
pub mod criterion;
pub mod dominance;
pub mod interleave;
pub mod lookahead;
pub mod planning;
pub mod schedule;
pub mod simulation;

pub use criterion::{Criterion, IdleAgents};
pub use dominance::Dominance;
pub use interleave::{PlanningPhase, Run, RunSettings, interleave};
pub use lookahead::{Lookahead, Pruning};
pub use planning::{Planned, PlanningLimits, PlanningOrder, PlanningSettings, plan};
pub use schedule::{AgentSchedule, BusyInterval, Schedule};
pub use simulation::RunEnd;

use dampf_core::{Revise, Unsupported};

/// Why a run cannot be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Interruption {
    /// Assumptions of the model do not hold: the run is to be made again with a model that knows better.
    Refuted(Vec<Revise>),
    Unsupported(Unsupported),
    /// The program has no initial state, or fails before it has one.
    NoBeginning(String),
}
