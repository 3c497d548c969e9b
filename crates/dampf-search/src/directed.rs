//! Directed searches: the most promising state first.
//!
//! [`heuristic`](heuristic) says how promising a state is, by how processes and threads stand in it, or by the run that
//! led there. What waits is taken in that order (`open.rs`): greedily (`best_first.rs`), together with the length of
//! the run (`a_star.rs`), up to a bound that grows (`deepening.rs`), or only the best few of each level (a beam, which
//! is a best-first search that throws the others away).
//!
//! All of them are searches of the whole space, if nobody throws anything away: they come to `verified` too, only later
//! than a breadth-first search, which has less to do for a state.

mod a_star;
pub(crate) mod best_first;
mod deepening;
mod heuristic;
mod open;
mod towards;

pub use towards::{TrailDistance, TrailSearch, approached};

pub use heuristic::{Heuristic, Measure};

pub(crate) use heuristic::Guide;

use crate::recall::{Carried, FromStore, Recall};
use crate::{Monitor, Outcome, SearchOptions, conclude};
use dampf_core::Observations;
use dampf_store::{ExactStore, Parents, Retrieve, Store};

/// In which order a directed search takes states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The least estimate first.
    BestFirst,
    /// Level by level, with so many states of each that have the least estimates.
    Beam { width: usize },
    /// The deepest first, and among those any: depth-first in an order that is drawn.
    Random { seed: u64 },
}

/// Explores a model as a direction says. The store is empty when the search begins.
///
/// # Panics
/// If a trail does not replay.
pub fn check_directed<M: Observations, S: Retrieve + Parents>(
    model: &M,
    store: &S,
    how: (Direction, &Heuristic),
    options: &SearchOptions,
    monitor: &Monitor,
) -> Outcome {
    directed(model, (store, &FromStore), how, options, monitor)
}

/// The same with a store that does not give states back.
///
/// # Panics
/// Like [`check_directed`].
pub fn check_directed_carrying<M: Observations, S: Store>(
    model: &M,
    store: &S,
    how: (Direction, &Heuristic),
    options: &SearchOptions,
    monitor: &Monitor,
) -> Outcome {
    directed(model, (store, &Carried::default()), how, options, monitor)
}

fn directed<R: Recall<S>, M: Observations, S: Store>(
    model: &M,
    space: (&S, &R),
    (direction, heuristic): (Direction, &Heuristic),
    options: &SearchOptions,
    monitor: &Monitor,
) -> Outcome {
    let guide = || Guide::new(model, heuristic);
    conclude::<R, M, S>(model, space.0, options, monitor, || {
        best_first::search(model, space, (direction, &guide), options, monitor)
    })
}

/// A*: the least sum of the steps so far and the estimate first. Where the estimate is never more than the steps that
/// are left, a run that is found is a shortest one. With one thread.
///
/// # Panics
/// If a trail does not replay.
pub fn check_a_star<M: Observations>(
    model: &M,
    heuristic: &Heuristic,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Outcome {
    let store = ExactStore::new(model.width());
    conclude::<FromStore, M, ExactStore>(model, &store, options, monitor, || {
        a_star::search(model, &store, Guide::new(model, heuristic), options, monitor)
    })
}

/// Depth-first with a bound for the sum of the steps so far and the estimate, again and again with a greater bound:
/// iterative deepening, and IDA* where there is a heuristic. What is remembered of an iteration is limited, and only
/// saves time; so the search needs little memory. With one thread.
///
/// # Panics
/// If a trail does not replay.
pub fn check_deepening<M: Observations>(
    model: &M,
    heuristic: &Heuristic,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Outcome {
    // Nothing is stored: the search knows its runs.
    let store = ExactStore::new(model.width());
    conclude::<FromStore, M, ExactStore>(model, &store, options, monitor, || {
        deepening::search(model, Guide::new(model, heuristic), options, monitor)
    })
}
