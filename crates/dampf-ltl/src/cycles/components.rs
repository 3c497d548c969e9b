//! Strongly connected components for accepting and fair cycles, with one thread (Couvreur; Gabow's stacks).
//!
//! The search is depth-first and visits every state once. The components that are being built lie on a stack of roots,
//! each with the *sets* that its states and edges belong to: the accepting states, and for each mover the states in
//! which it cannot move and the edges along which it does. An edge back into a component merges all that came since. A
//! component that meets all sets has a cycle through all of them, which is accepting and, for every mover, weakly fair:
//! none can move from some moment on without ever moving. So fairness needs no copies of states.
//!
//! A state costs four bytes beside what the store has: the moment it was visited, or that its component is done.

use crate::cycles::explorer::{ACCEPTING, Edge, Explorer, Sets, mover_set};
use crate::cycles::lasso::{Hop, Lasso, Seen};
use crate::cycles::path::Path;
use dampf_core::{Acceptance, Movers};
use dampf_search::{Monitor, SearchOptions, StopReason};
use dampf_store::{Numbered, StateRef};
use std::collections::{HashMap, VecDeque};

/// Of a state whose component has no cycle that meets all sets.
const DONE: u32 = u32::MAX;

pub fn search<M: Acceptance + Movers, S: Numbered>(
    model: &M,
    store: &S,
    is_fair: bool,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Seen {
    let movers = if is_fair { model.mover_count() } else { 0 };
    let mut search = Components {
        explorer: Explorer::<M, S>::new(model, store, (options, monitor), is_fair),
        wanted: (0..movers).fold(ACCEPTING, |all, mover| all | mover_set(mover)),
        moments: Vec::new(),
        active: Vec::new(),
        roots: Vec::new(),
        path: Path::default(),
        edge_sets: Vec::new(),
        options,
        monitor,
        seen: Seen::default(),
    };
    let mut initial = Vec::new();
    search.explorer.begin(&mut initial);
    search.note_faults();
    for edge in initial {
        if !monitor.is_stopped() && search.moment(edge.target) == 0 {
            search.visit_all(edge);
        }
    }
    search.seen.judgement.absorb(search.explorer.take_judgement());
    search.seen
}

/// A component that is being built.
struct Root {
    /// The moment its first state was visited.
    moment: u32,
    /// What its states and edges belong to.
    sets: Sets,
    /// What the edge belongs to along which the search came to it.
    sets_before: Sets,
}

struct Components<'a, M: Acceptance + Movers, S: Numbered> {
    explorer: Explorer<'a, M, S>,
    /// The sets that a component has to meet.
    wanted: Sets,
    /// When a state was visited, by its number: 0 for never.
    moments: Vec<u32>,
    /// The states of the components that are being built, in the order they were visited: the one with moment `m` is at
    /// `m - 1`.
    active: Vec<StateRef>,
    roots: Vec<Root>,
    path: Path,
    /// The sets of the edges of the states on the path, as these lie there; nothing where all are empty.
    edge_sets: Vec<Vec<Sets>>,
    options: &'a SearchOptions,
    monitor: &'a Monitor,
    seen: Seen,
}

impl<M: Acceptance + Movers, S: Numbered> Components<'_, M, S> {
    #[inline]
    fn moment(&self, state: StateRef) -> u32 {
        self.moments.get(state.0 as usize).copied().unwrap_or(0)
    }

    fn set_moment(&mut self, state: StateRef, moment: u32) {
        let state = state.0 as usize;
        if state >= self.moments.len() {
            self.moments.resize((state + 1).next_power_of_two(), 0);
        }
        self.moments[state] = moment;
    }

    fn enter(&mut self, edge: Edge, sets_before: Sets) {
        // Moments are places of `active`, so those of components that are done are used again.
        self.active.push(edge.target);
        let moment = self.active.len() as u32;
        self.set_moment(edge.target, moment);
        let is_deep = self.options.max_depth.is_some_and(|limit| self.path.depth() as u64 >= limit);
        let explorer = &mut self.explorer;
        self.path.push(edge, |edges| {
            if !is_deep {
                explorer.expand(edge.target, false, edges);
            }
        });
        let mut sets = if edge.is_accepting { ACCEPTING } else { 0 };
        if let Some(fair) = &mut self.explorer.fair {
            let mut of_edges = std::mem::take(&mut fair.of_edges);
            if is_deep {
                of_edges.clear();
            } else {
                sets |= fair.of_state;
            }
            of_edges.reverse();
            self.edge_sets.push(of_edges);
        }
        self.roots.push(Root { moment, sets, sets_before });
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

    fn visit_all(&mut self, root: Edge) {
        self.enter(root, 0);
        while !self.monitor.is_stopped() {
            let Some(&frame) = self.path.last() else { return };
            let Some(edge) = self.path.next_edge() else {
                self.leave(frame.state);
                continue;
            };
            let sets = self.edge_sets.last_mut().and_then(Vec::pop).unwrap_or(0);
            match self.moment(edge.target) {
                0 => self.enter(edge, sets),
                DONE => {}
                moment => {
                    self.merge(moment, sets);
                    let root = self.roots.last().expect("a component is being built");
                    if root.sets & self.wanted == self.wanted {
                        return self.close();
                    }
                }
            }
        }
    }

    /// Everything that was visited since a moment is one component: there is a way back.
    fn merge(&mut self, moment: u32, mut sets: Sets) {
        while let Some(root) = self.roots.pop_if(|root| root.moment > moment) {
            sets |= root.sets | root.sets_before;
        }
        self.roots.last_mut().expect("the component of an active state is there").sets |= sets;
    }

    fn leave(&mut self, state: StateRef) {
        let moment = self.moment(state);
        if self.roots.last().is_some_and(|root| root.moment == moment) {
            self.roots.pop();
            for done in self.active.drain(moment as usize - 1..) {
                self.moments[done.0 as usize] = DONE;
            }
        }
        self.path.pop();
        if self.explorer.fair.is_some() {
            self.edge_sets.pop();
        }
    }

    /// Notes a lasso whose cycle meets all sets, within the last component: the way to it, and within it from place to
    /// place, each time to the nearest that is missing.
    fn close(&mut self) {
        let first = self.roots.last().expect("a component was found").moment;
        let way: Vec<StateRef> = self.path.states().collect();
        let begin = way.iter().position(|&state| self.moment(state) >= first).expect("its first state is on the path");
        let start = way[begin];
        let (mut cycle, mut met, mut at) = (Vec::new(), 0, start);
        while met & self.wanted != self.wanted {
            let (steps, sets) = self.nearest(at, first, self.wanted & !met, None);
            met |= sets;
            at = steps.last().map_or(at, |hop: &Hop| hop.target);
            cycle.extend(steps);
        }
        if cycle.is_empty() || at != start {
            cycle.extend(self.nearest(at, first, 0, Some(start)).0);
        }
        self.seen.lasso = Some(Lasso { stem: way[..=begin].to_vec(), cycle });
        self.monitor.stop(StopReason::Fault);
    }

    /// The shortest way within the component from a state to a state or edge of one of the missing sets, or to a given
    /// state: its steps, and the sets that its end meets.
    fn nearest(&mut self, from: StateRef, first: u32, missing: Sets, to: Option<StateRef>) -> (Vec<Hop>, Sets) {
        let mut before: HashMap<StateRef, (StateRef, Hop)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        let mut edges = Vec::new();
        while let Some(state) = queue.pop_front() {
            edges.clear();
            self.explorer.expand(state, true, &mut edges);
            let (of_state, of_edges) = match &mut self.explorer.fair {
                Some(fair) => (fair.of_state, std::mem::take(&mut fair.of_edges)),
                None => (0, Vec::new()),
            };
            if to.is_none() && of_state & missing != 0 {
                return (way_back(&before, from, state), of_state);
            }
            for (number, edge) in edges.iter().enumerate() {
                let moment = self.moment(edge.target);
                if moment == DONE || moment < first {
                    continue;
                }
                let sets = of_edges.get(number).copied().unwrap_or(0) | if edge.is_accepting { ACCEPTING } else { 0 };
                let is_wanted = to.map_or(sets & missing != 0, |to| to == edge.target);
                let hop = Hop { target: edge.target, edge: Some(number) };
                if is_wanted {
                    let mut way = way_back(&before, from, state);
                    way.push(hop);
                    return (way, sets);
                }
                if edge.target != from && !before.contains_key(&edge.target) {
                    before.insert(edge.target, (state, hop));
                    queue.push_back(edge.target);
                }
            }
        }
        unreachable!("a component is strongly connected and meets all sets")
    }
}

/// The steps of the way that a breadth-first search took.
fn way_back(before: &HashMap<StateRef, (StateRef, Hop)>, from: StateRef, to: StateRef) -> Vec<Hop> {
    let mut way = Vec::new();
    let mut at = to;
    while at != from {
        let (previous, hop) = before[&at];
        way.push(hop);
        at = previous;
    }
    way.reverse();
    way
}
