//! Short searches in other orders that a breadth-first search sends ahead.
//!
//! A proof takes the whole space, whatever the order; an error that lies deep is found sooner by a search that goes
//! deep. So each time a breadth-first search has found twice as many states, it has some of its threads' time spent on
//! searches that go deep, in different orders. None is sent while the space is small, where the nearest error is found
//! at once.
//!
//! A scout has a store of its own and forgets it at the end. What it says counts like anything else: its faults are
//! real, and what it refutes is refuted.

use crate::directed::{Direction, Guide, Heuristic, Measure, best_first};
use crate::rebuild::{self, Route};
use crate::recall::FromStore;
use crate::traversal::{Discovery, Traversal};
use crate::{Monitor, SearchOptions, StopReason, depth_first};
use dampf_core::Observations;
use dampf_store::TreeStore;
use std::sync::{Mutex, PoisonError};

/// None is sent before so many states are found.
const STATES_LEAST: u64 = 2048;
/// The part of the states found so far that the scouts of a round may find. Rounds come with twice as many states each,
/// so all rounds together spend twice that part; but a scout takes about one step for a state that it finds, and a
/// breadth-first search several.
const SHARE: u64 = 12;
/// With fewer states than this a scout comes nowhere.
const STATES_OF_SCOUT: u64 = 256;
/// Scouts of a round that go in an order that is drawn.
const RANDOM_MOST: u64 = 8;

/// A round of scouts.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    number: u64,
    /// How many states all of its scouts may find.
    states: u64,
}

/// Says when scouts are sent.
pub(crate) struct Rounds {
    next: Round,
    /// How many states there have to be for the next round; none where no scouts are wanted.
    due: Option<u64>,
}

impl Rounds {
    pub fn new(options: &SearchOptions, are_wanted: bool) -> Self {
        let due = (are_wanted && !options.keep_going).then_some(STATES_LEAST);
        Rounds { next: Round { number: 0, states: 0 }, due }
    }

    /// The round that is due where so many states are found.
    pub fn due(&mut self, states: u64) -> Option<Round> {
        self.due.filter(|due| states >= *due)?;
        self.due = Some(states * 2);
        let round = Round { states: states / SHARE, ..self.next };
        self.next.number += 1;
        Some(round)
    }
}

/// In which order a scout goes.
enum Scout {
    /// Depth-first, as the model has its steps.
    InOrder,
    /// Where threads hold locks and are blocked.
    Guided,
    /// Depth-first in an order that is drawn.
    Random(u64),
}

/// What scouts have seen.
#[derive(Default)]
pub(crate) struct Seen(Mutex<Traversal>);

impl Seen {
    pub fn into_inner(self) -> Traversal {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a thread's scouts of a round, until one comes back with something.
    pub fn send<M: Observations>(
        &self,
        model: &M,
        round: Round,
        thread: usize,
        (options, monitor): (&SearchOptions, &Monitor),
    ) {
        let number = round.number * options.threads as u64 + thread as u64;
        let states = round.states / options.threads as u64;
        // In the order of the model, or by a heuristic, nothing new would come of a second thread.
        let mut orders = if thread == 0 { vec![Scout::InOrder, Scout::Guided] } else { Vec::new() };
        // The other half is for runs that are drawn: many short ones see more than a long one.
        let drawn = (states / 2 / STATES_OF_SCOUT).clamp(1, RANDOM_MOST);
        orders.extend((0..drawn).map(|turn| Scout::Random(RANDOM_MOST * number + turn)));
        for order in orders {
            let share = match order {
                Scout::InOrder | Scout::Guided => states / 4,
                Scout::Random(_) => states / 2 / drawn,
            };
            let max_states = Some(share.max(STATES_OF_SCOUT));
            let options = SearchOptions { threads: 1, max_states, ..options.clone() };
            let within = monitor.within();
            let store = TreeStore::new(model.width());
            let space = (&store, &FromStore);
            let traversal = match order {
                Scout::InOrder => depth_first::search(model, space, &options, &within),
                Scout::Guided => {
                    let heuristic = Heuristic(vec![Measure::LockAndBlock]);
                    let guide = || Guide::new(model, &heuristic);
                    best_first::search(model, space, (Direction::BestFirst, &guide), &options, &within)
                }
                Scout::Random(seed) => {
                    best_first::search(model, space, (Direction::Random { seed }, &|| ()), &options, &within)
                }
            };
            let Traversal { discoveries, judgement } = traversal;
            if judgement.refuted.is_empty() && discoveries.is_empty() {
                continue;
            }
            let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !judgement.refuted.is_empty() {
                seen.judgement.refuted.extend(judgement.refuted);
                monitor.stop(StopReason::Refuted);
                return;
            }
            for Discovery { fault, route, step } in discoveries {
                let route = Route::Known(rebuild::trail(model, &store, &route, step));
                monitor.add_fault();
                seen.note(Discovery { fault, route, step: None });
            }
            seen.judgement.faults += judgement.faults;
            seen.judgement.premises.extend(judgement.premises);
            seen.judgement.found_ahead = true;
            monitor.stop(StopReason::Fault);
            return;
        }
    }
}
