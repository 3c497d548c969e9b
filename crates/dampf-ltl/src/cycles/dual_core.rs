//! Nested depth-first search by two threads (Holzmann and Bošnački, *The design of a multicore extension of the SPIN
//! model checker*, section 3.1).
//!
//! One thread does the outer search and puts each accepting state into a queue when it leaves it; the other one takes
//! them out in that order and looks from each for a way back to it. Both keep their own marks. That is the algorithm of
//! Courcoubetis, Vardi, Wolper and Yannakakis with its two searches side by side: the order in which accepting states
//! are left is all that the second search needs to know of the first, so it may lag behind as far as it likes.

use crate::cycles::explorer::{Edge, Explorer};
use crate::cycles::lasso::{Hop, Lasso, Seen};
use crate::cycles::path::Path;
use dampf_core::{Acceptance, Movers};
use dampf_search::{Monitor, SearchOptions, StopReason};
use dampf_store::{Numbered, Parent, StateRef};
use std::sync::mpsc::{self, Receiver, Sender};

/// Visited by the outer search.
const OUTER: u32 = 1;
/// Visited by an inner one.
const INNER: u32 = 2;

pub fn search<M: Acceptance + Movers, S: Numbered + Parent>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Seen {
    let (seeds, queue) = mpsc::channel();
    std::thread::scope(|scope| {
        let inner = scope.spawn(move || inner(model, store, queue, (options, monitor)));
        let mut seen = outer(model, store, seeds, (options, monitor));
        seen.absorb(inner.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        seen
    })
}

/// Visits everything, and hands accepting states over when they are left.
fn outer<M: Acceptance + Movers, S: Numbered>(
    model: &M,
    store: &S,
    seeds: Sender<StateRef>,
    (options, monitor): (&SearchOptions, &Monitor),
) -> Seen {
    let mut explorer = Explorer::<M, S>::new(model, store, (options, monitor), false);
    let (mut seen, mut path, mut open) = (Seen::default(), Path::default(), Vec::new());
    explorer.begin(&mut open);
    open.reverse();
    loop {
        if !explorer.met.is_empty() {
            seen.note_faults(explorer.met.drain(..), &path, monitor);
        }
        if monitor.is_stopped() {
            break;
        }
        let edge = if path.last().is_some() { path.next_edge() } else { open.pop() };
        let Some(edge) = edge else {
            let Some(left) = path.pop() else { break };
            // Nobody takes it any more where a cycle was found.
            let _ = left.is_accepting.then(|| seeds.send(left.state));
            continue;
        };
        if store.mark(edge.target, OUTER) & OUTER == 0 {
            let is_deep = options.max_depth.is_some_and(|limit| path.depth() as u64 >= limit);
            path.push(edge, |edges| {
                if !is_deep {
                    explorer.expand(edge.target, false, edges);
                }
            });
            seen.judgement.truncated |= is_deep;
            monitor.deepen(path.depth() as u64 - 1);
        }
    }
    seen.judgement.absorb(explorer.take_judgement());
    seen
}

/// Looks from each accepting state for a way back to it.
fn inner<M: Acceptance + Movers, S: Numbered + Parent>(
    model: &M,
    store: &S,
    queue: Receiver<StateRef>,
    (options, monitor): (&SearchOptions, &Monitor),
) -> Seen {
    let mut explorer = Explorer::<M, S>::new(model, store, (options, monitor), false);
    let (mut seen, mut path) = (Seen::default(), Path::default());
    for seed in queue {
        path.push(Edge { target: seed, is_accepting: true, is_new: false, colour: 0 }, |edges| {
            explorer.expand(seed, true, edges);
        });
        while path.last().is_some() && !monitor.is_stopped() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                continue;
            };
            if edge.target == seed {
                let cycle = path.states().skip(1).chain([seed]).map(Hop::to).collect();
                seen.lasso = Some(Lasso { stem: way_to(store, seed), cycle });
                monitor.stop(StopReason::Fault);
            } else if store.mark(edge.target, INNER) & INNER == 0 {
                path.push(edge, |edges| explorer.expand(edge.target, true, edges));
            }
        }
        if monitor.is_stopped() {
            break;
        }
        // The seed itself: a later search that comes here finds nothing that leads back to its own.
        store.mark(seed, INNER);
    }
    seen.judgement.absorb(explorer.take_judgement());
    seen
}

/// The states from an initial one to this one, by which each was found first.
fn way_to<S: Parent>(store: &S, state: StateRef) -> Vec<StateRef> {
    let ancestors = std::iter::successors(Some(state), |&state| store.parent(state));
    let mut way: Vec<StateRef> = ancestors.collect();
    way.reverse();
    way
}
