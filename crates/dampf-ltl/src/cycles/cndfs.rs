//! Nested depth-first search by several threads (Evangelista, Laarman, Petrucci and van de Pol: CNDFS).
//!
//! Every thread does the whole nested search, in an order of its own, and leaves out what others have finished: *blue*
//! states, which an outer search has left, and *red* ones, which an inner search has. What is *cyan*, on the path of an
//! outer search, is each thread's own affair.
//!
//! Inner searches of several threads may meet. So what an inner search visits becomes red only when it is over, and
//! not before every other accepting state among it is red: an inner search that began at such a state has to come to
//! its end first, since this one may have left out what that one must see. There is no deadlock in waiting, since of
//! the accepting states that are waited for one was left last by all outer searches, and its search waits for none.
//!
//! A state all of whose successors are red becomes red when an outer search leaves it: an inner search from it would
//! visit nothing else and wait for nobody. It is on no cycle, since what is red leads to red states only (or to such
//! as are about to become red, by a thread that has nothing to wait for any more).
//!
//! Colours are marks in the store: two bits for all threads and one for each.

use crate::cycles::explorer::{Edge, Explorer};
use crate::cycles::lasso::{Lasso, Seen};
use crate::cycles::path::Path;
use dampf_core::{Acceptance, Movers};
use dampf_search::{Chance, Monitor, SearchOptions, StopReason};
use dampf_store::{Numbered, StateRef};
use std::collections::HashSet;
use std::sync::Mutex;

const BLUE: u32 = 1;
const RED: u32 = 2;
/// More threads have no bit of their own.
pub const THREADS_MAX: usize = 30;

fn cyan(thread: usize) -> u32 {
    4 << thread
}

pub fn search<M: Acceptance + Movers, S: Numbered>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Seen {
    let threads = options.threads.min(THREADS_MAX);
    let mut seen = Seen::default();
    let mut initial = Vec::new();
    {
        let mut explorer = Explorer::<M, S>::new(model, store, (options, monitor), false);
        explorer.begin(&mut initial);
        seen.note_faults(explorer.met.drain(..), &Path::default(), monitor);
        seen.judgement.absorb(explorer.take_judgement());
    }
    let all = Mutex::new(seen);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (initial, all) = (&initial, &all);
            scope.spawn(move || {
                let mut search = Worker {
                    explorer: Explorer::<M, S>::new(model, store, (options, monitor), false),
                    store,
                    cyan: cyan(thread),
                    chance: (thread > 0).then_some(Chance(thread as u64)),
                    path: Path::default(),
                    options,
                    monitor,
                    seen: Seen::default(),
                };
                for edge in initial {
                    if !monitor.is_stopped() && search.colours(edge.target) & (BLUE | search.cyan) == 0 {
                        search.outer(*edge);
                    }
                }
                search.seen.judgement.absorb(search.explorer.take_judgement());
                all.lock().expect("no thread panics while it holds the result").absorb(search.seen);
            });
        }
    });
    all.into_inner().expect("no thread panicked while it held the result")
}

/// Puts edges into another order. The first thread does not: it goes through edges in their order.
fn shuffle(chance: &mut Option<Chance>, edges: &mut [Edge]) {
    let Some(chance) = chance.as_mut().filter(|_| edges.len() > 1) else { return };
    edges.rotate_left(chance.below(edges.len()));
    if chance.below(2) == 0 {
        edges.reverse();
    }
}

struct Worker<'a, M: Acceptance + Movers, S: Numbered> {
    explorer: Explorer<'a, M, S>,
    store: &'a S,
    /// The bit of the states on its path.
    cyan: u32,
    chance: Option<Chance>,
    path: Path,
    options: &'a SearchOptions,
    monitor: &'a Monitor,
    seen: Seen,
}

impl<M: Acceptance + Movers, S: Numbered> Worker<'_, M, S> {
    fn colours(&self, state: StateRef) -> u32 {
        self.store.marks(state)
    }

    fn enter(&mut self, edge: Edge) {
        // Whoever comes first counts the state's steps and tells its faults.
        let is_again = self.store.mark(edge.target, self.cyan) != 0;
        let is_deep = self.options.max_depth.is_some_and(|limit| self.path.depth() as u64 >= limit);
        let explorer = &mut self.explorer;
        self.path.push(edge, |edges| {
            if !is_deep {
                explorer.expand(edge.target, is_again, edges);
            }
        });
        shuffle(&mut self.chance, self.path.untried_mut());
        // Red until a successor is not.
        self.path.last_mut().expect("a state was put there").is_marked = !is_deep;
        self.seen.judgement.truncated |= is_deep;
        self.monitor.deepen(self.path.depth() as u64 - 1);
        if !self.explorer.met.is_empty() {
            self.note_faults();
        }
    }

    #[cold]
    fn note_faults(&mut self) {
        self.seen.note_faults(self.explorer.met.drain(..), &self.path, self.monitor);
    }

    fn outer(&mut self, root: Edge) {
        self.enter(root);
        while !self.monitor.is_stopped() {
            let Some(&frame) = self.path.last() else { return };
            if let Some(edge) = self.path.next_edge() {
                let colours = self.colours(edge.target);
                if colours & self.cyan != 0 {
                    if frame.is_accepting || edge.is_accepting {
                        return self.close(&[], edge.target);
                    }
                } else if colours & BLUE == 0 {
                    self.enter(edge);
                    continue;
                }
                if colours & RED == 0 {
                    self.path.last_mut().expect("it is there").is_marked = false;
                }
                continue;
            }
            let is_red = frame.is_marked;
            self.store.mark(frame.state, if is_red { BLUE | RED } else { BLUE });
            if !is_red && frame.is_accepting && self.inner(frame.state) {
                return;
            }
            self.store.unmark(frame.state, self.cyan);
            self.path.pop();
            if let (false, Some(before)) = (is_red || frame.is_accepting, self.path.last_mut()) {
                before.is_marked = false;
            }
        }
    }

    /// Looks for a cycle through an accepting state that the outer search leaves; whether there is one.
    fn inner(&mut self, seed: StateRef) -> bool {
        let mut path = Path::default();
        let mut visited = HashSet::from([seed]);
        // Other accepting states among the visited.
        let mut accepting = Vec::new();
        let enter = |explorer: &mut Explorer<'_, M, S>, path: &mut Path, edge: Edge| {
            path.push(edge, |edges| explorer.expand(edge.target, true, edges));
        };
        enter(&mut self.explorer, &mut path, Edge { target: seed, is_accepting: true, is_new: false, colour: 0 });
        while !self.monitor.is_stopped() && path.last().is_some() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                continue;
            };
            let colours = self.colours(edge.target);
            if colours & self.cyan != 0 {
                let way: Vec<StateRef> = path.states().skip(1).collect();
                self.close(&way, edge.target);
                return true;
            }
            if colours & RED == 0 && visited.insert(edge.target) {
                if edge.is_accepting {
                    accepting.push(edge.target);
                }
                enter(&mut self.explorer, &mut path, edge);
            }
        }
        while accepting.iter().any(|&state| self.colours(state) & RED == 0) {
            if self.monitor.is_stopped() {
                return false;
            }
            std::thread::yield_now();
        }
        for state in visited {
            self.store.mark(state, RED);
        }
        false
    }

    /// Notes the cycle that goes from the end of the path along some states to a state on the path.
    fn close(&mut self, along: &[StateRef], to: StateRef) {
        self.seen.lasso = Some(Lasso::closed(&self.path, along, to));
        self.monitor.stop(StopReason::Fault);
    }
}
