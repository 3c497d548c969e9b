//! The loop of refinement, apart from who computes the trees.

use crate::abstraction::Abstraction;
use crate::cases::SplitSystem;
use crate::expansion::Expander;
use crate::fingerprint::Fingerprint;
use crate::formula::Formula;
use crate::generalisation::{generalise, visits};
use crate::inference::infer;
use crate::path::Run;
use crate::patience::Patience;
use crate::prove::{Limits, Outcome, Progress, ProofResult, ProveSettings, Reason, Statistics};
use crate::reachability::Reachability;
use crate::refinement::{Refinement, refine};
use crate::system::{LocationId, System, TransitionId};
use crate::verify::{is_inductive, replayed};
use std::time::Instant;

/// A counterexample that comes by one location so often is taken for a loop that is being unrolled.
const VISITS_MIN: usize = 5;

/// After so many such counterexamples facts are inferred, and predicates generalised: by then refinement has shown
/// which forms matter.
const INFERENCES_AFTER: [u32; 3] = [1, 8, 30];
const GENERALISATIONS_AFTER: [u32; 4] = [3, 6, 12, 24];

/// What lasts from iteration to iteration.
pub struct Cegar<'s> {
    split: &'s SplitSystem,
    abstraction: Abstraction,
    limits: Limits,
    patience: Patience<'s>,
    infers_facts: bool,
    statistics: Statistics,
    fingerprint: Fingerprint,
    counterexamples: Vec<Vec<TransitionId>>,
    /// By location, how many predicates the workers know.
    told: Vec<usize>,
    facts_are_new: bool,
    loops_unrolled: u32,
}

impl<'s> Cegar<'s> {
    pub fn new(split: &'s SplitSystem, settings: &ProveSettings<'s>) -> Cegar<'s> {
        Cegar {
            split,
            abstraction: Abstraction::new(&split.system, settings.scope),
            limits: settings.limits,
            patience: Patience {
                deadline: settings.limits.time_max.map(|time| Instant::now() + time),
                interrupted: settings.interrupted,
            },
            infers_facts: !settings.refines_only,
            statistics: Statistics::default(),
            fingerprint: Fingerprint::default(),
            counterexamples: Vec::new(),
            told: vec![0; split.system.locations.len()],
            facts_are_new: false,
            loops_unrolled: 0,
        }
    }

    pub fn system(&self) -> &'s System {
        &self.split.system
    }

    pub fn abstraction(&self) -> &Abstraction {
        &self.abstraction
    }

    /// What workers do not know yet: facts if they have changed, and new predicates.
    pub fn news(&mut self) -> (Option<Vec<Formula>>, Vec<(LocationId, Formula)>) {
        let facts = std::mem::take(&mut self.facts_are_new).then(|| self.abstraction.facts().to_vec());
        let mut predicates = Vec::new();
        for (at, told) in self.told.iter_mut().enumerate() {
            let location = LocationId(at as u32);
            let all = self.abstraction.predicates(location);
            predicates.extend(all[*told..].iter().map(|formula| (location, formula.clone())));
            *told = all.len();
        }
        (facts, predicates)
    }

    pub fn stop(&self, nodes: u64) -> Option<Reason> {
        if self.patience.is_interrupted() {
            Some(Reason::Interrupted)
        } else if self.patience.is_late() {
            Some(Reason::Time)
        } else if nodes > self.limits.nodes_max {
            Some(Reason::Nodes)
        } else if self.limits.memory_bytes_max.is_some_and(|most| resident_bytes() > most) {
            Some(Reason::GaveUp("the limit of memory was reached".to_string()))
        } else {
            None
        }
    }

    pub fn progress(&self) -> Progress {
        Progress {
            iteration: self.statistics.iterations,
            predicates: self.abstraction.count(),
            nodes: self.statistics.nodes,
            depth: self.statistics.depth,
        }
    }

    /// Ends an iteration: an outcome, or a better abstraction.
    pub fn conclude(&mut self, reachability: &Reachability, expander: &mut Expander<'_>) -> Option<Outcome> {
        self.statistics.iterations += 1;
        self.statistics.nodes += reachability.states().count() as u64;
        self.statistics.depth = reachability.states().map(|(depth, _)| depth).max().unwrap_or(0);
        self.fingerprint.add(reachability.fingerprint());
        let Some(path) = reachability.counterexample() else { return Some(self.safe(reachability, expander)) };
        path.iter().for_each(|id| self.fingerprint.add(u64::from(id.0)));
        self.statistics.counterexample_lengths.push(path.len() as u32);
        self.counterexamples.push(path.iter().map(|id| self.split.originals[id.0 as usize]).collect());
        match refine(&self.split.system, &mut self.abstraction, &path, self.patience) {
            Refinement::Run(run) => Some(self.unsafe_by(run)),
            Refinement::Refined if self.statistics.iterations > self.limits.refinements_max => {
                Some(Outcome::Unknown { reason: Reason::Refinements })
            }
            Refinement::Refined => {
                self.look_for_loops(&path);
                None
            }
            Refinement::NothingNew => self.last_resort(&path, "refinement found nothing new"),
            Refinement::GaveUp(text) => self.last_resort(&path, text),
        }
    }

    /// A path that comes by one location often is a loop that is being unrolled.
    fn look_for_loops(&mut self, path: &[TransitionId]) {
        if !self.infers_facts || visits(&self.split.system, path) < VISITS_MIN {
            return;
        }
        self.loops_unrolled += 1;
        if INFERENCES_AFTER.contains(&self.loops_unrolled) {
            self.infer_facts();
        }
        if GENERALISATIONS_AFTER.contains(&self.loops_unrolled) {
            generalise(&self.split.system, &mut self.abstraction, path, self.patience);
        }
    }

    /// Where refinement is stuck, facts may exclude what it could not.
    fn last_resort(&mut self, path: &[TransitionId], text: &str) -> Option<Outcome> {
        if let Some(reason) = self.stop(0) {
            return Some(Outcome::Unknown { reason });
        }
        let has_more = self.infers_facts
            && (self.infer_facts() || generalise(&self.split.system, &mut self.abstraction, path, self.patience));
        if has_more { None } else { Some(gave_up(text)) }
    }

    /// Says whether there are facts that were not known before.
    fn infer_facts(&mut self) -> bool {
        let Some(facts) = infer(&self.split.system, &self.abstraction, self.patience) else { return false };
        let is_new = facts != self.abstraction.facts();
        if is_new {
            self.abstraction.set_facts(facts);
            self.facts_are_new = true;
        }
        is_new
    }

    /// A run is shown only after it was replayed.
    fn unsafe_by(&self, mut run: Run) -> Outcome {
        if !replayed(&self.split.system, &run) {
            return gave_up("the run of a counterexample does not replay");
        }
        for id in &mut run.transitions {
            *id = self.split.originals[id.0 as usize];
        }
        Outcome::Unsafe { run }
    }

    /// Invariants are believed only after they were checked.
    fn safe(&mut self, reachability: &Reachability, expander: &mut Expander<'_>) -> Outcome {
        let mut states: Vec<_> = reachability.states().map(|(_, state)| state.clone()).collect();
        states.sort();
        if !is_inductive(&self.split.system, &self.abstraction, &states, expander) {
            return gave_up("the invariants did not pass their check");
        }
        let mut disjuncts = vec![Vec::new(); self.split.system.locations.len()];
        for state in states {
            disjuncts[state.location.0 as usize].push(self.abstraction.meaning(state.location, &state.holding));
        }
        Outcome::Safe { invariants: disjuncts.into_iter().map(Formula::or).collect() }
    }

    pub fn finish(mut self, outcome: Outcome, entailment_checks: u64) -> ProofResult {
        self.statistics.predicates = self.abstraction.count();
        self.statistics.entailment_checks = entailment_checks;
        for at in 0..self.split.system.locations.len() {
            for predicate in self.abstraction.predicates(LocationId(at as u32)) {
                self.fingerprint.add(at as u64);
                self.fingerprint.add_text(&format!("{predicate:?}"));
            }
        }
        ProofResult {
            outcome,
            statistics: self.statistics,
            fingerprint: self.fingerprint.value(),
            counterexamples: self.counterexamples,
        }
    }
}

/// The memory of this process; zero where the system does not tell.
fn resident_bytes() -> u64 {
    let statistics = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statistics.split_whitespace().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0);
    // Pages of Linux have this size on all machines that Dampf is built for.
    pages * 4096
}

fn gave_up(text: &str) -> Outcome {
    Outcome::Unknown { reason: Reason::GaveUp(text.to_string()) }
}
