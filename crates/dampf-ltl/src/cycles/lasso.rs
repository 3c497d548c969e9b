//! What a search for cycles comes to, and the runs that it shows.

use crate::cycles::explorer::Met;
use crate::cycles::path::Path;
use dampf_core::{Action, Fault, Finding, Model, Successors, Trail, Word, Worker};
use dampf_search::{Judgement, Monitor};
use dampf_store::{Retrieve, StateRef};

/// A run that goes on for ever, by the states it passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lasso {
    /// From an initial state to the one where the cycle begins.
    pub stem: Vec<StateRef>,
    /// The steps behind that one, the last of which leads back to it.
    pub cycle: Vec<Hop>,
}

/// A step of a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    pub target: StateRef,
    /// Which of the edges that lead to the target, where it matters who moves: by its number among all edges of its
    /// state.
    pub edge: Option<usize>,
}

impl Hop {
    /// Any step to a state.
    pub fn to(target: StateRef) -> Hop {
        Hop { target, edge: None }
    }
}

impl Lasso {
    /// The one that goes from the end of a path along some states to a state on the path.
    pub fn closed(path: &Path, along: &[StateRef], to: StateRef) -> Lasso {
        let way: Vec<StateRef> = path.states().collect();
        let begin = way.iter().rposition(|&state| state == to).expect("a cycle is closed at a state on the path");
        let cycle = way[begin + 1..].iter().chain(along).copied().chain([to]).map(Hop::to).collect();
        Lasso { stem: way[..=begin].to_vec(), cycle }
    }
}

/// A fault, and the states on the way to where it was met.
pub struct FaultAt {
    pub way: Vec<StateRef>,
    pub step: Option<usize>,
    pub fault: Fault,
}

impl FaultAt {
    /// `way` leads to the state that was being expanded.
    pub fn new(met: Met, way: &[StateRef]) -> FaultAt {
        // An initial state that cannot be has no way to it.
        let way = if met.state.is_none() { Vec::new() } else { way.to_vec() };
        FaultAt { way, step: met.step, fault: met.fault }
    }
}

/// What a search has seen.
#[derive(Default)]
pub struct Seen {
    pub lasso: Option<Lasso>,
    pub faults: Vec<FaultAt>,
    pub judgement: Judgement,
}

impl Seen {
    /// Notes faults that were met where a path ends.
    pub fn note_faults(&mut self, met: impl Iterator<Item = Met>, path: &Path, monitor: &Monitor) {
        let way: Vec<StateRef> = path.states().collect();
        for met in met {
            monitor.add_fault();
            self.faults.push(FaultAt::new(met, &way));
        }
    }

    pub fn absorb(&mut self, other: Seen) {
        self.lasso = self.lasso.take().or(other.lasso);
        self.faults.extend(other.faults);
        self.judgement.absorb(other.judgement);
    }
}

/// Makes runs of ways through states.
pub struct Runs<'a, M: Model + 'a, S: Retrieve + 'a> {
    session: S::Session<'a>,
    worker: M::Worker<'a>,
    out: Successors,
    words: [Vec<Word>; 2],
}

impl<'a, M: Model, S: Retrieve + 'a> Runs<'a, M, S> {
    pub fn new(model: &'a M, store: &'a S) -> Self {
        Runs {
            session: store.session(),
            worker: model.worker(),
            out: Successors::new(model.width()),
            words: [vec![0; model.width()], vec![0; model.width()]],
        }
    }

    /// The run that is a lasso.
    pub fn lasso(&mut self, lasso: &Lasso) -> Trail {
        let mut trail = self.along(&lasso.stem);
        let mut at = *lasso.stem.last().expect("a lasso begins somewhere");
        for hop in &lasso.cycle {
            trail.cycle.push(match hop.edge {
                Some(edge) => self.step_along(at, edge),
                None => self.step_to(at, hop.target),
            });
            at = hop.target;
        }
        trail
    }

    /// The run that ends in a fault.
    pub fn finding(&mut self, met: &FaultAt) -> Finding {
        let Some(last) = met.way.last() else {
            return Finding {
                fault: met.fault.clone(),
                trail: Trail::ending(met.step.unwrap_or_default() as u64, Vec::new()),
            };
        };
        let mut trail = self.along(&met.way);
        if let Some(step) = met.step {
            self.expand(*last);
            trail.stem.push(self.out.action(step));
        }
        Finding { fault: met.fault.clone(), trail }
    }

    /// The run from an initial state through these states.
    fn along(&mut self, way: &[StateRef]) -> Trail {
        self.worker.initial(&mut self.out);
        S::load(&mut self.session, way[0], &mut self.words[1]);
        let initial = (0..self.out.len()).find(|&index| self.out.state(index) == self.words[1].as_slice());
        let initial = initial.expect("a way begins in an initial state");
        let stem = way.windows(2).map(|pair| self.step_to(pair[0], pair[1])).collect();
        Trail::ending(initial as u64, stem)
    }

    fn expand(&mut self, state: StateRef) {
        S::load(&mut self.session, state, &mut self.words[0]);
        self.worker.successors(&self.words[0], &mut self.out);
    }

    /// The label of the step that is this edge of a state.
    fn step_along(&mut self, from: StateRef, edge: usize) -> Action {
        self.expand(from);
        let step = (0..self.out.len()).filter(|&index| self.out.leads_on(index)).nth(edge);
        self.out.action(step.expect("the edge was there before"))
    }

    /// The least label of a step from one state to another.
    fn step_to(&mut self, from: StateRef, to: StateRef) -> Action {
        self.expand(from);
        S::load(&mut self.session, to, &mut self.words[1]);
        let (out, target) = (&self.out, self.words[1].as_slice());
        let step = (0..out.len()).find(|&index| out.leads_on(index) && out.state(index) == target);
        out.action(step.expect("the states of a way are neighbours"))
    }
}
