//! A*: the state first for which the steps that led to it and the estimate of those that are left are the fewest.
//!
//! A state may be found on a long way before a shorter one is: then it is opened again, so that runs are shortest
//! whenever the heuristic never says too much, even if it is not consistent. For that states have numbers, and each has
//! its distance, its estimate and where it was reached from beside it.
//!
//! A fault ends the search when no state that waits can lead to one on a shorter run.

use super::heuristic::{Guidance, RunSeen};
use super::open::NOWHERE;
use crate::expand::{Expander, Explored, Sink};
use crate::rebuild::Route;
use crate::traversal::{Discovery, Traversal};
use crate::{Monitor, SearchOptions, StopReason};
use dampf_core::{Fault, Model, Successors, Word};
use dampf_store::{ExactStore, Inserted, Retrieve, Session, StateRef, Store};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::convert::Infallible;

/// What is known of a state, by its number.
#[derive(Clone, Copy)]
struct Node {
    distance: u32,
    estimate: u32,
    parent: u32,
    run: RunSeen,
    is_expanded: bool,
}

/// What waits: the sum first, then the most steps so far, then the number.
type Waiting = Reverse<(u32, Reverse<u32>, u32)>;

pub(super) fn search<M: Model, G: Guidance>(
    model: &M,
    store: &ExactStore,
    guide: G,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Traversal {
    let mut traversal = Traversal::default();
    let mut space = Space { nodes: Vec::new(), open: BinaryHeap::new(), guide };
    let begun = traversal.begin(model, store, (options, monitor), |_, name, words| {
        space.reach(name.0 as u32, NOWHERE, 0, RunSeen::default(), words);
    });
    if !begun {
        return traversal;
    }
    let mut expander = Expander::new(model, options);
    let (mut session, mut pending, mut met) = (store.session(), Vec::new(), Vec::new());
    // The length of the shortest run to a fault, and the fault.
    let mut best: Option<(u32, Discovery)> = None;
    while let Some(Reverse((sum, Reverse(distance), number))) = space.open.pop() {
        if monitor.is_stopped() || best.as_ref().is_some_and(|(length, _)| sum >= *length) {
            break;
        }
        if space.nodes[number as usize].distance < distance {
            continue;
        }
        if options.max_depth.is_some_and(|limit| u64::from(distance) >= limit) {
            traversal.judgement.truncated = true;
            continue;
        }
        let mut sink = Opening {
            space: &mut space,
            session: &mut session,
            pending: &mut pending,
            met: &mut met,
            number,
            state: Vec::new(),
            found: 0,
        };
        let Ok(steps) = expander.expand(&[StateRef(u64::from(number))], &mut sink);
        let found = sink.found;
        // What is opened again counts once.
        let is_again = std::mem::replace(&mut space.nodes[number as usize].is_expanded, true);
        let states = monitor.add(found, if is_again { 0 } else { steps });
        if found > 0 {
            monitor.deepen(u64::from(distance) + 1);
        }
        if options.max_states.is_some_and(|limit| states >= limit) {
            monitor.stop(StopReason::StateLimit);
        }
        if !expander.judgement().refuted.is_empty() {
            monitor.stop(StopReason::Refuted);
        }
        for (step, fault) in met.drain(..) {
            if !is_again {
                monitor.add_fault();
            }
            let length = distance + u32::from(step.is_some());
            let discovery = Discovery { fault, route: Route::Along(space.way_to(number)), step };
            if options.keep_going {
                traversal.note(discovery);
            } else if best.as_ref().is_none_or(|(least, _)| length < *least) {
                best = Some((length, discovery));
            }
        }
    }
    if let Some((_, discovery)) = best {
        traversal.note(discovery);
        monitor.stop(StopReason::Fault);
    }
    monitor.set_frontier(space.open.len() as u64);
    traversal.judgement.absorb(expander.take_judgement());
    traversal
}

struct Space<G> {
    nodes: Vec<Node>,
    open: BinaryHeap<Waiting>,
    guide: G,
}

impl<G: Guidance> Space<G> {
    /// A way to a state was found.
    fn reach(&mut self, number: u32, parent: u32, distance: u32, run: RunSeen, words: &[Word]) {
        let known = self.nodes.get(number as usize).copied().filter(|node| node.distance != u32::MAX);
        let estimate = match known {
            Some(node) if node.distance <= distance => return,
            Some(node) => node.estimate,
            None => self.guide.estimate(words, run),
        };
        if self.nodes.len() <= number as usize {
            let run = RunSeen::default();
            let unknown = Node { distance: u32::MAX, estimate: 0, parent: NOWHERE, run, is_expanded: false };
            self.nodes.resize(number as usize + 1, unknown);
        }
        let node = &mut self.nodes[number as usize];
        *node = Node { distance, estimate, parent, run, is_expanded: node.is_expanded };
        self.open.push(Reverse((distance.saturating_add(estimate), Reverse(distance), number)));
    }

    fn way_to(&self, number: u32) -> Vec<StateRef> {
        let parent = |number: &u32| Some(self.nodes[*number as usize].parent).filter(|&parent| parent != NOWHERE);
        let way = std::iter::successors(Some(number), parent);
        let mut way: Vec<StateRef> = way.map(|number| StateRef(u64::from(number))).collect();
        way.reverse();
        way
    }
}

/// Reaches the successors of a state.
struct Opening<'t, 's: 't, G> {
    space: &'t mut Space<G>,
    session: &'t mut <ExactStore as Store>::Session<'s>,
    pending: &'t mut Vec<u64>,
    met: &'t mut Vec<(Option<usize>, Fault)>,
    number: u32,
    state: Vec<Word>,
    found: u64,
}

impl<G: Guidance> Sink for Opening<'_, '_, G> {
    type Source = StateRef;
    type Error = Infallible;

    fn load(&mut self, _: usize, source: StateRef, words: &mut [Word]) {
        ExactStore::load(self.session, source, words);
    }

    fn prepare(&mut self, _: usize, _: StateRef, state: &[Word], successors: &Successors) -> Result<(), Infallible> {
        self.state.extend_from_slice(state);
        self.session.prepare_all(successors, 0..successors.len(), self.pending);
        Ok(())
    }

    fn fault(&mut self, _: Explored<'_, StateRef>, step: Option<usize>, fault: Fault) {
        self.met.push((step, fault));
    }

    fn commit(&mut self, batch: &[StateRef], successors: &[Successors]) -> Result<(), Infallible> {
        let Node { distance, run, .. } = self.space.nodes[self.number as usize];
        for (&source, successors) in batch.iter().zip(successors) {
            for (step, (&pending, words)) in self.pending.iter().zip(successors.states()).enumerate() {
                if !successors.leads_on(step) {
                    continue;
                }
                let target = match self.session.commit(pending, words, Some(source)) {
                    Inserted::New(target) => {
                        self.found += 1;
                        target
                    }
                    Inserted::Known(target) => target,
                };
                let run = self.space.guide.behind(run, &self.state, successors.action(step));
                self.space.reach(target.0 as u32, self.number, distance + 1, run, words);
            }
        }
        self.pending.clear();
        self.session.quiesce();
        Ok(())
    }
}
