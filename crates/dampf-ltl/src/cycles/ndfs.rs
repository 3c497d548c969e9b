//! Nested depth-first search for accepting cycles, with one thread and three colours (Courcoubetis, Vardi, Wolper and
//! Yannakakis; with the improvements of Holzmann, Peled and Yannakakis, Gastin, Moro and Zeitoun, and Schwoon and
//! Esparza).
//!
//! The outer search is depth-first. A state on its path is *cyan*. When it leaves an accepting state, an inner search
//! looks from there for a cyan state, which closes a cycle; what the inner search visits becomes *red* and is not
//! visited by any later one, because all that can be reached from a red state was seen to lead to no accepting cycle.
//!
//! - An edge of the outer search to a cyan state closes a cycle at once where either end of it is accepting.
//! - A state all of whose successors are red is red: an inner search from it would find nothing.
//!
//! Colours lie where states are looked up ([`Coloured`]), so an edge that leads to a state with a colour is dealt with
//! when it is found, before the others, and never waits on the path. That is one of the orders that the algorithm may
//! take the edges of a state in. What is cyan then is cyan still in the edge's turn, and what is blue then and red
//! later was taken for blue, which is only less than could be known. Edges to states that no search has entered yet
//! wait, and their targets are looked up again in their turn.

use crate::cycles::explorer::{Edge, Explorer};
use crate::cycles::lasso::{Lasso, Seen};
use crate::cycles::path::Path;
use dampf_core::{Acceptance, Movers};
use dampf_search::{Monitor, SearchOptions, StopReason};
use dampf_store::{Coloured, StateRef};

const CYAN: u8 = 1;
const BLUE: u8 = 2;
const RED: u8 = 3;

pub fn search<M: Acceptance + Movers, S: Coloured>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Seen {
    let mut search = Nested {
        explorer: Explorer::<M, S>::new(model, store, (options, monitor), false),
        path: Path::default(),
        inner_path: Path::default(),
        options,
        monitor,
        seen: Seen::default(),
    };
    let mut initial = Vec::new();
    search.explorer.begin(&mut initial);
    search.note_faults();
    for edge in initial {
        if !monitor.is_stopped() && search.colour(edge.target) == 0 {
            search.outer(edge);
        }
    }
    search.seen.judgement.absorb(search.explorer.take_judgement());
    search.seen
}

struct Nested<'a, M: Acceptance + Movers, S: Coloured> {
    explorer: Explorer<'a, M, S>,
    path: Path,
    /// Of inner searches: empty between them.
    inner_path: Path,
    options: &'a SearchOptions,
    monitor: &'a Monitor,
    seen: Seen,
}

impl<M: Acceptance + Movers, S: Coloured> Nested<'_, M, S> {
    #[inline]
    fn colour(&mut self, state: StateRef) -> u8 {
        S::colour(&mut self.explorer.session, state)
    }

    #[inline]
    fn paint(&mut self, state: StateRef, colour: u8) {
        S::paint(&mut self.explorer.session, state, colour);
    }

    /// Puts a state on the path; whether one of its edges closes a cycle.
    fn enter(&mut self, edge: Edge) -> bool {
        self.paint(edge.target, CYAN);
        let is_deep = self.options.max_depth.is_some_and(|limit| self.path.depth() as u64 >= limit);
        let (explorer, mut is_red, mut closing) = (&mut self.explorer, !is_deep, None);
        self.path.push(edge, |edges| {
            if is_deep {
                return;
            }
            let first = edges.len();
            explorer.expand_coloured(edge.target, false, edges);
            let mut kept = first;
            for found in first..edges.len() {
                let to = edges[found];
                match to.colour {
                    0 => {
                        edges[kept] = to;
                        kept += 1;
                    }
                    CYAN if edge.is_accepting || to.is_accepting => closing = closing.or(Some(to.target)),
                    RED => {}
                    _ => is_red = false,
                }
            }
            edges.truncate(kept);
        });
        // Red until a successor is not.
        self.path.last_mut().expect("a state was put there").is_marked = is_red;
        self.seen.judgement.truncated |= is_deep;
        self.monitor.deepen(self.path.depth() as u64 - 1);
        if !self.explorer.met.is_empty() {
            self.note_faults();
        }
        if let Some(target) = closing {
            self.close(&[], target);
        }
        closing.is_some()
    }

    #[cold]
    fn note_faults(&mut self) {
        self.seen.note_faults(self.explorer.met.drain(..), &self.path, self.monitor);
    }

    fn outer(&mut self, root: Edge) {
        if self.enter(root) {
            return;
        }
        // Whether the path grew last: then the next edge was looked up just now.
        let mut has_grown = true;
        while !self.monitor.is_stopped() {
            let Some(&frame) = self.path.last() else { return };
            if let Some(edge) = self.path.next_edge() {
                let colour = if std::mem::take(&mut has_grown) { 0 } else { self.colour(edge.target) };
                match colour {
                    0 => {
                        has_grown = true;
                        // What comes after this state is looked up again: it may be far away by then, or in a moment.
                        if let Some(ahead) = self.path.edge_ahead() {
                            S::approach(&mut self.explorer.session, ahead.target);
                        }
                        if self.enter(edge) {
                            return;
                        }
                    }
                    CYAN if frame.is_accepting || edge.is_accepting => return self.close(&[], edge.target),
                    RED => {}
                    _ => self.path.last_mut().expect("it is there").is_marked = false,
                }
                continue;
            }
            has_grown = false;
            if !frame.is_marked && frame.is_accepting && self.inner(frame.state) {
                return;
            }
            let is_red = frame.is_marked || frame.is_accepting;
            self.paint(frame.state, if is_red { RED } else { BLUE });
            self.path.pop();
            if let (false, Some(before)) = (is_red, self.path.last_mut()) {
                before.is_marked = false;
            }
        }
    }

    /// Looks for a cycle through an accepting state that the outer search leaves; whether there is one.
    fn inner(&mut self, seed: StateRef) -> bool {
        let mut path = std::mem::take(&mut self.inner_path);
        let enter = |explorer: &mut Explorer<'_, M, S>, path: &mut Path, edge: Edge| {
            path.push(edge, |edges| explorer.expand_coloured(edge.target, true, edges));
        };
        enter(&mut self.explorer, &mut path, Edge { target: seed, is_accepting: true, is_new: false, colour: CYAN });
        while !self.monitor.is_stopped() && path.last().is_some() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                continue;
            };
            match edge.colour {
                CYAN => {
                    let way: Vec<StateRef> = path.states().skip(1).collect();
                    self.close(&way, edge.target);
                    return true;
                }
                // It may have become red since.
                BLUE if self.colour(edge.target) == BLUE => {
                    self.paint(edge.target, RED);
                    enter(&mut self.explorer, &mut path, edge);
                }
                _ => {}
            }
        }
        self.inner_path = path;
        false
    }

    /// Notes the cycle that goes from the end of the path along some states to a state on the path.
    fn close(&mut self, along: &[StateRef], to: StateRef) {
        self.seen.lasso = Some(Lasso::closed(&self.path, along, to));
        self.monitor.stop(StopReason::Fault);
    }
}
