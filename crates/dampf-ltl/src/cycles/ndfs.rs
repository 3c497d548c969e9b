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
//! Two colours are bits of a byte, and the path knows what is cyan; so a state costs a byte beside what the store has.

use crate::cycles::explorer::{Edge, Explorer};
use crate::cycles::lasso::{Lasso, Seen};
use crate::cycles::path::Path;
use dampf_core::{Acceptance, Movers};
use dampf_search::{Monitor, SearchOptions, StopReason};
use dampf_store::Numbered;

const CYAN: u8 = 1;
const BLUE: u8 = 2;
const RED: u8 = 4;

pub fn search<M: Acceptance + Movers, S: Numbered>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Seen {
    let mut search = Nested {
        explorer: Explorer::<M, S>::new(model, store, (options, monitor), false),
        colours: Vec::new(),
        path: Path::default(),
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

struct Nested<'a, M: Acceptance + Movers, S: Numbered> {
    explorer: Explorer<'a, M, S>,
    /// By number.
    colours: Vec<u8>,
    path: Path,
    options: &'a SearchOptions,
    monitor: &'a Monitor,
    seen: Seen,
}

impl<M: Acceptance + Movers, S: Numbered> Nested<'_, M, S> {
    #[inline]
    fn colour(&self, state: u32) -> u8 {
        self.colours.get(state as usize).copied().unwrap_or(0)
    }

    #[inline]
    fn paint(&mut self, state: u32, colour: u8) {
        let state = state as usize;
        if state >= self.colours.len() {
            // The store hands numbers out in order, so most of the room is used soon.
            self.colours.resize((state + 1).next_power_of_two(), 0);
        }
        self.colours[state] = colour;
    }

    fn enter(&mut self, edge: Edge) {
        self.paint(edge.target, CYAN);
        let is_deep = self.options.max_depth.is_some_and(|limit| self.path.depth() as u64 >= limit);
        let explorer = &mut self.explorer;
        self.path.push(edge, |edges| {
            if !is_deep {
                explorer.expand(edge.target, false, edges);
            }
        });
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
                let colour = self.colour(edge.target);
                if colour == 0 {
                    self.enter(edge);
                    continue;
                }
                if colour & CYAN != 0 && (frame.is_accepting || edge.is_accepting) {
                    return self.close(&[], edge.target);
                }
                if colour & RED == 0 {
                    self.path.last_mut().expect("it is there").is_marked = false;
                }
                continue;
            }
            let is_red = if frame.is_marked {
                true
            } else if frame.is_accepting {
                if self.inner(frame.state) {
                    return;
                }
                true
            } else {
                false
            };
            self.paint(frame.state, if is_red { RED } else { BLUE });
            self.path.pop();
            if let (false, Some(before)) = (is_red, self.path.last_mut()) {
                before.is_marked = false;
            }
        }
    }

    /// Looks for a cycle through an accepting state that the outer search leaves; whether there is one.
    fn inner(&mut self, seed: u32) -> bool {
        let mut path = Path::default();
        let enter = |explorer: &mut Explorer<'_, M, S>, path: &mut Path, edge: Edge| {
            path.push(edge, |edges| explorer.expand(edge.target, true, edges));
        };
        enter(&mut self.explorer, &mut path, Edge { target: seed, is_accepting: true, is_new: false });
        while !self.monitor.is_stopped() && path.last().is_some() {
            let Some(edge) = path.next_edge() else {
                path.pop();
                continue;
            };
            match self.colour(edge.target) {
                colour if colour & CYAN != 0 => {
                    let way: Vec<u32> = path.states().skip(1).collect();
                    self.close(&way, edge.target);
                    return true;
                }
                BLUE => {
                    self.paint(edge.target, RED);
                    enter(&mut self.explorer, &mut path, edge);
                }
                _ => {}
            }
        }
        false
    }

    /// Notes the cycle that goes from the end of the path along some states to a state on the path.
    fn close(&mut self, along: &[u32], to: u32) {
        self.seen.lasso = Some(Lasso::closed(&self.path, along, to));
        self.monitor.stop(StopReason::Fault);
    }
}
