//! States from which no end can be reached, by strongly connected components, with one thread (Gabow's stacks).
//!
//! Whoever cannot reach an end comes to a component that no edge leaves and that has no end in it. So one depth-first
//! search finds out of every state whether an end can be reached from it: where one is in its component, or where an
//! edge leads to another component from which one can. A state without successors counts as an end, since a deadlock is
//! a fault of its own; so does one of which it is not known what else follows.
//!
//! The run that is shown leads on a shortest way to a state from which there is no end, from there on a shortest way
//! into a component that is never left, and around a shortest cycle there.

use crate::cycles::explorer::{Edge, Explorer};
use crate::cycles::lasso::{Hop, Lasso, Seen};
use crate::cycles::path::Path;
use dampf_core::{Acceptance, Movers};
use dampf_search::{Monitor, SearchOptions};
use dampf_store::{Numbered, StateRef};
use std::collections::{HashMap, VecDeque};

/// Of states whose component is done: an end can be reached; none can; none can, and the component is never left.
const ENDING: u32 = u32::MAX;
const HOPELESS: u32 = u32::MAX - 1;
const CAUGHT: u32 = u32::MAX - 2;

/// What was seen, and after how many steps of the lasso no end can be reached any more.
pub fn search<M: Acceptance + Movers, S: Numbered>(
    model: &M,
    store: &S,
    options: &SearchOptions,
    monitor: &Monitor,
) -> (Seen, usize) {
    let mut search = Ends {
        explorer: Explorer::<M, S>::new(model, store, (options, monitor), false),
        moments: Vec::new(),
        active: Vec::new(),
        roots: Vec::new(),
        path: Path::default(),
        options,
        monitor,
        seen: Seen::default(),
        has_hopeless: false,
    };
    let mut initial = Vec::new();
    search.explorer.begin(&mut initial);
    search.note_faults();
    for &edge in &initial {
        if !monitor.is_stopped() && search.moment(edge.target) == 0 {
            search.visit_all(edge);
        }
    }
    let mut judgement = search.explorer.take_judgement();
    judgement.truncated |= search.seen.judgement.truncated;
    search.seen.judgement = judgement;
    let judgement = &search.seen.judgement;
    let mut steps = 0;
    if search.has_hopeless && judgement.met_end && judgement.refuted.is_empty() && search.seen.faults.is_empty() {
        let (lasso, hopeless_after) = search.lasso(&initial);
        (search.seen.lasso, steps) = (Some(lasso), hopeless_after);
    }
    (search.seen, steps)
}

/// A component that is being built.
struct Root {
    /// The moment its first state was visited.
    moment: u32,
    /// Whether an end can be reached.
    ends: bool,
    /// Whether an edge leads to another component.
    is_left: bool,
}

struct Ends<'a, M: Acceptance + Movers, S: Numbered> {
    explorer: Explorer<'a, M, S>,
    /// When a state was visited, by its number, or what came of it; 0 for never.
    moments: Vec<u32>,
    /// The states of the components that are being built: the one with moment `m` is at `m - 1`.
    active: Vec<StateRef>,
    roots: Vec<Root>,
    path: Path,
    options: &'a SearchOptions,
    monitor: &'a Monitor,
    seen: Seen,
    has_hopeless: bool,
}

impl<M: Acceptance + Movers, S: Numbered> Ends<'_, M, S> {
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

    fn enter(&mut self, edge: Edge) {
        self.active.push(edge.target);
        let moment = self.active.len() as u32;
        self.set_moment(edge.target, moment);
        let is_deep = self.options.max_depth.is_some_and(|limit| self.path.depth() as u64 >= limit);
        let (explorer, mut has_edges) = (&mut self.explorer, false);
        self.path.push(edge, |edges| {
            if !is_deep {
                let before = edges.len();
                explorer.expand(edge.target, false, edges);
                has_edges = edges.len() > before;
            }
        });
        let ends = !has_edges || self.explorer.may_end;
        self.roots.push(Root { moment, ends, is_left: false });
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
        self.enter(root);
        while !self.monitor.is_stopped() {
            let Some(&frame) = self.path.last() else { return };
            let Some(edge) = self.path.next_edge() else {
                self.leave(frame.state);
                continue;
            };
            match self.moment(edge.target) {
                0 => self.enter(edge),
                done @ CAUGHT.. => self.note_left(done == ENDING),
                moment => self.merge(moment),
            }
        }
    }

    /// An edge leads from the last component to another, from which an end can be reached or not.
    fn note_left(&mut self, ends: bool) {
        if let Some(root) = self.roots.last_mut() {
            root.ends |= ends;
            root.is_left = true;
        }
    }

    /// Everything that was visited since a moment is one component: there is a way back.
    fn merge(&mut self, moment: u32) {
        let (mut ends, mut is_left) = (false, false);
        while let Some(root) = self.roots.pop_if(|root| root.moment > moment) {
            ends |= root.ends;
            is_left |= root.is_left;
        }
        let root = self.roots.last_mut().expect("the component of an active state is there");
        root.ends |= ends;
        root.is_left |= is_left;
    }

    fn leave(&mut self, state: StateRef) {
        let moment = self.moment(state);
        self.path.pop();
        let Some(root) = self.roots.pop_if(|root| root.moment == moment) else { return };
        let done = match (root.ends, root.is_left) {
            (true, _) => ENDING,
            (false, true) => HOPELESS,
            (false, false) => CAUGHT,
        };
        self.has_hopeless |= !root.ends;
        for state in self.active.drain(moment as usize - 1..) {
            self.moments[state.0 as usize] = done;
        }
        self.note_left(root.ends);
    }

    /// The shortest way to a hopeless state, and on into a component that is never left, and around in it; with the
    /// number of steps to the first of these.
    fn lasso(&mut self, initial: &[Edge]) -> (Lasso, usize) {
        let starts: Vec<StateRef> = initial.iter().map(|edge| edge.target).collect();
        let mut stem = self.way(&starts, false, |moment, _| matches!(moment, HOPELESS | CAUGHT));
        let hopeless = *stem.last().expect("a hopeless state was found");
        let steps = stem.len() - 1;
        let caught = self.way(&[hopeless], false, |moment, _| moment == CAUGHT);
        let entry = *caught.last().expect("whoever is hopeless comes to be caught");
        stem.extend(&caught[1..]);
        let around = self.way(&[entry], true, |_, state| state == entry);
        let cycle = around[1..].iter().map(|&state| Hop::to(state)).collect();
        (Lasso { stem, cycle }, steps)
    }

    /// The states of a shortest way from one of some states to one that is looked for, which is known by what came of
    /// it and by its number; the way has one step at least where `moves`.
    fn way(&mut self, starts: &[StateRef], moves: bool, is_target: impl Fn(u32, StateRef) -> bool) -> Vec<StateRef> {
        if let Some(&start) = starts.iter().find(|&&start| !moves && is_target(self.moment(start), start)) {
            return vec![start];
        }
        let mut before: HashMap<StateRef, StateRef> = HashMap::new();
        let mut queue: VecDeque<StateRef> = starts.iter().copied().collect();
        let mut edges = Vec::new();
        while let Some(state) = queue.pop_front() {
            edges.clear();
            self.explorer.expand(state, true, &mut edges);
            for edge in &edges {
                if is_target(self.moment(edge.target), edge.target) {
                    let mut way = vec![edge.target, state];
                    let mut at = state;
                    while let Some(&previous) = before.get(&at).filter(|_| !starts.contains(&at)) {
                        way.push(previous);
                        at = previous;
                    }
                    way.reverse();
                    return way;
                }
                if !starts.contains(&edge.target) && !before.contains_key(&edge.target) {
                    before.insert(edge.target, state);
                    queue.push_back(edge.target);
                }
            }
        }
        unreachable!("there is a way, the search went it")
    }
}
