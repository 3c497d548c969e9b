//! Trail-directed search: a shorter run towards the state where a known one ends (Edelkamp and Mehler).
//!
//! Whoever has a run to an error knows what the error looks like, and a second search can go by how far states are from
//! there: in how many parts they differ (Hamming distance), or how far their processes stand from there (the distance
//! in the control flow of each). Whatever fault it comes to first counts, if the run is shorter.

use super::heuristic::{Guidance, RunSeen};
use super::{Direction, a_star, best_first, deepening};
use crate::recall::FromStore;
use crate::{Monitor, SearchOptions, conclude};
use dampf_core::{Action, Finding, Observations, Verdict, Word, replay_selected};
use dampf_store::{ExactStore, TreeStore};

/// How far a state is from the one where a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrailDistance {
    /// In how many parts they differ.
    Hamming,
    /// How far processes are from where they stand there.
    Locations,
    /// The greater of the two.
    Greater,
}

/// How a search goes by that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrailSearch {
    AStar,
    Deepening,
    BestFirst,
}

/// A run of `model` to a fault that has fewer steps than this one, if a search towards its end finds one. The options
/// say how many states it may find.
///
/// # Panics
/// If a trail does not replay.
pub fn approached<M: Observations>(
    model: &M,
    finding: &Finding,
    (search, distance): (TrailSearch, TrailDistance),
    options: &SearchOptions,
    monitor: &Monitor,
) -> Option<Finding> {
    let steps = finding.trail.stem.len();
    if !finding.trail.cycle.is_empty() {
        return None;
    }
    let replay = replay_selected(model, &finding.trail, options.deadlocks, &options.faults).ok()?;
    let target = replay.states.last()?;
    let guide = || Towards { model, worker: model.worker(), target, distance };
    let options = SearchOptions {
        threads: 1,
        deterministic: false,
        keep_going: false,
        max_depth: Some(steps as u64),
        ..options.clone()
    };
    // A limit ends this search, Ctrl-C all of them.
    let within = monitor.within();
    let (exact, tree) = (ExactStore::new(model.width()), TreeStore::new(model.width()));
    let outcome = match search {
        TrailSearch::AStar => conclude::<FromStore, M, ExactStore>(model, &exact, &options, &within, || {
            a_star::search(model, &exact, guide(), &options, &within)
        }),
        TrailSearch::Deepening => conclude::<FromStore, M, ExactStore>(model, &exact, &options, &within, || {
            deepening::search(model, guide(), &options, &within)
        }),
        TrailSearch::BestFirst => conclude::<FromStore, M, TreeStore>(model, &tree, &options, &within, || {
            best_first::search(model, (&tree, &FromStore), (Direction::BestFirst, &guide), &options, &within)
        }),
    };
    match outcome.verdict {
        Verdict::Violated(found) if found.trail.stem.len() < steps => Some(*found),
        _ => None,
    }
}

/// Goes by the distance to a state.
struct Towards<'m, M: Observations + 'm> {
    model: &'m M,
    worker: M::Worker<'m>,
    target: &'m [Word],
    distance: TrailDistance,
}

impl<M: Observations> Guidance for Towards<'_, M> {
    fn estimate(&mut self, state: &[Word], _: RunSeen) -> u32 {
        let mut locations = || M::location_distance(&mut self.worker, state, self.target);
        let hamming = || self.model.differences(state, self.target);
        match self.distance {
            TrailDistance::Hamming => hamming(),
            TrailDistance::Locations => locations(),
            TrailDistance::Greater => locations().max(hamming()),
        }
    }

    fn behind(&mut self, run: RunSeen, _: &[Word], _: Action) -> RunSeen {
        run
    }
}
