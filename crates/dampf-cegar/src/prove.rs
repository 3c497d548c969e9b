//! Proofs from beginning to end: abstract, look for a counterexample, refine, until there is none or it is real.

use crate::abstraction::{Abstraction, Scope};
use crate::cases::{SplitSystem, split_into_cases};
use crate::expansion::Expander;
use crate::fingerprint::Fingerprint;
use crate::formula::Formula;
use crate::path::Run;
use crate::reachability::Reachability;
use crate::refinement::{Refinement, refine};
use crate::solver::OwnSolver;
use crate::system::{System, TransitionId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Who decides entailments.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SolverChoice {
    #[default]
    Auto,
    Own,
    Z3,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub refinements_max: u32,
    pub time_max: Option<Duration>,
    /// Abstract states of one iteration.
    pub nodes_max: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { refinements_max: u32::MAX, time_max: None, nodes_max: u64::MAX }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ProveSettings<'a> {
    pub solver: SolverChoice,
    pub scope: Scope,
    /// Takes the first counterexample that is found, whichever it is.
    pub is_naive: bool,
    pub limits: Limits,
    /// Set from outside to end the proof.
    pub interrupted: Option<&'a AtomicBool>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    Refinements,
    Time,
    Nodes,
    Interrupted,
    /// A solver or an arithmetic limit, in words.
    GaveUp(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// By location, what holds whenever it is reached.
    Safe {
        invariants: Vec<Formula>,
    },
    /// A run to the error location, replayed exactly.
    Unsafe {
        run: Run,
    },
    Unknown {
        reason: Reason,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    pub iterations: u32,
    pub predicates: usize,
    /// Abstract states of all iterations.
    pub nodes: u64,
    pub entailment_checks: u64,
    /// The depth of the last tree.
    pub depth: u32,
    /// By iteration.
    pub counterexample_lengths: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct ProofResult {
    pub outcome: Outcome,
    pub statistics: Statistics,
    /// Over all trees, counterexamples and predicates.
    pub fingerprint: u64,
    /// The counterexamples that were analysed, by iteration, as transitions of the program.
    pub counterexamples: Vec<Vec<TransitionId>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Progress {
    pub iteration: u32,
    pub predicates: usize,
    pub nodes: u64,
    pub depth: u32,
}

pub fn prove(system: &System, settings: &ProveSettings<'_>, progress: &mut dyn FnMut(Progress)) -> ProofResult {
    let split = split_into_cases(system);
    let started = Instant::now();
    let mut cegar = Cegar::new(&split, settings);
    let mut expander = Expander::new(&split.system, Box::new(OwnSolver::new(&split.system)));
    let outcome = loop {
        let mut reachability = Reachability::new(&split.system, settings.is_naive);
        let mut stopped = None;
        while let Some((id, state, depth)) = reachability.next_work() {
            for (transition, successor) in expander.successors(&cegar.abstraction, &state) {
                reachability.reached(id, depth, transition, successor);
            }
            if let Some(reason) = stop(settings, started, reachability.tree().nodes_made() as u64) {
                stopped = Some(reason);
                break;
            }
        }
        cegar.statistics.entailment_checks = expander.checks();
        progress(Progress {
            iteration: cegar.statistics.iterations,
            predicates: cegar.abstraction.count(),
            nodes: cegar.statistics.nodes,
            depth: cegar.statistics.depth,
        });
        if let Some(reason) = stopped {
            break Outcome::Unknown { reason };
        }
        if let Some(outcome) = cegar.conclude(&reachability) {
            break outcome;
        }
    };
    cegar.finish(outcome)
}

fn stop(settings: &ProveSettings<'_>, started: Instant, nodes: u64) -> Option<Reason> {
    // ORDERING: Relaxed: the flag carries nothing with it, and a late look at it only ends the proof later.
    if settings.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
        Some(Reason::Interrupted)
    } else if settings.limits.time_max.is_some_and(|time| started.elapsed() > time) {
        Some(Reason::Time)
    } else if nodes > settings.limits.nodes_max {
        Some(Reason::Nodes)
    } else {
        None
    }
}

/// What lasts from iteration to iteration.
struct Cegar<'s> {
    split: &'s SplitSystem,
    abstraction: Abstraction,
    refinements_max: u32,
    statistics: Statistics,
    fingerprint: Fingerprint,
    counterexamples: Vec<Vec<TransitionId>>,
}

impl<'s> Cegar<'s> {
    fn new(split: &'s SplitSystem, settings: &ProveSettings<'_>) -> Cegar<'s> {
        Cegar {
            split,
            abstraction: Abstraction::new(&split.system, settings.scope),
            refinements_max: settings.limits.refinements_max,
            statistics: Statistics::default(),
            fingerprint: Fingerprint::default(),
            counterexamples: Vec::new(),
        }
    }

    /// Ends an iteration: an outcome, or a better abstraction.
    fn conclude(&mut self, reachability: &Reachability) -> Option<Outcome> {
        self.statistics.iterations += 1;
        self.statistics.nodes += reachability.tree().nodes_made() as u64;
        self.statistics.depth = reachability.states().map(|(depth, _)| depth).max().unwrap_or(0);
        self.fingerprint.add(reachability.fingerprint());
        let Some(path) = reachability.counterexample() else { return Some(self.safe(reachability)) };
        path.iter().for_each(|id| self.fingerprint.add(u64::from(id.0)));
        self.statistics.counterexample_lengths.push(path.len() as u32);
        self.counterexamples.push(path.iter().map(|id| self.split.originals[id.0 as usize]).collect());
        if std::env::var_os("CEGAR_DEBUG").is_some() {
            eprintln!("counterexample {:?}", path.iter().map(|id| id.0).collect::<Vec<_>>());
        }
        match refine(&self.split.system, &mut self.abstraction, &path) {
            Refinement::Run(run) => Some(self.unsafe_by(run)),
            Refinement::Refined if self.statistics.iterations > self.refinements_max => {
                Some(Outcome::Unknown { reason: Reason::Refinements })
            }
            Refinement::Refined => None,
            Refinement::NothingNew => {
                Some(Outcome::Unknown { reason: Reason::GaveUp("refinement found nothing new".to_string()) })
            }
            Refinement::GaveUp(text) => Some(Outcome::Unknown { reason: Reason::GaveUp(text.to_string()) }),
        }
    }

    fn unsafe_by(&self, mut run: Run) -> Outcome {
        assert!(run.replays(&self.split.system), "a run does not replay");
        for id in &mut run.transitions {
            *id = self.split.originals[id.0 as usize];
        }
        Outcome::Unsafe { run }
    }

    fn safe(&self, reachability: &Reachability) -> Outcome {
        let mut states: Vec<_> = reachability.states().map(|(_, state)| state).collect();
        states.sort();
        let mut disjuncts = vec![Vec::new(); self.split.system.locations.len()];
        for state in states {
            disjuncts[state.location.0 as usize].push(self.abstraction.meaning(state.location, &state.holding));
        }
        Outcome::Safe { invariants: disjuncts.into_iter().map(Formula::or).collect() }
    }

    fn finish(mut self, outcome: Outcome) -> ProofResult {
        self.statistics.predicates = self.abstraction.count();
        ProofResult {
            outcome,
            statistics: self.statistics,
            fingerprint: self.fingerprint.value(),
            counterexamples: self.counterexamples,
        }
    }
}
