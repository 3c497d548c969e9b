//! Finds out which processes a model can have, and what values its variables take, by running it.
//!
//! A first set is the processes that are there at the beginning. Where a step would start one that is not prepared for,
//! the model is made again with it. Exploring the neighbourhood of the initial state and a few random runs find most of
//! them; a search that meets another one begins again (see [`Promela::learn`](crate::Promela::learn)).

use crate::assumptions::Assumptions;
use crate::lower::{Instance, lower};
use crate::model::PromelaModel;
use crate::refutation::Refutation;
use crate::resolve::PROCESSES_MAX;
use crate::typed::Typed;
use dampf_core::{Model, Successors, Unsupported, Word, Worker};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// How far the neighbourhood of the initial state is explored.
const STATES_MAX: usize = 1_000;
const RUNS: u64 = 8;
const RUN_STEPS: usize = 2_000;

/// The processes at the beginning.
pub fn initial(typed: &Typed) -> Vec<Instance> {
    let queues = |variable: &crate::typed::Variable| match variable.initial {
        crate::typed::Initial::Channels { .. } => variable.len(),
        _ => 0,
    };
    let mut channels: u32 = typed.globals.iter().map(queues).sum();
    let mut instances = Vec::new();
    for (pid, &proctype) in typed.active.iter().enumerate() {
        instances.push(Instance { pid: pid as u32, proctype, channels });
        channels += typed.proctypes[proctype].channels();
    }
    instances
}

/// Adds the processes that exploring finds, and says what it has seen of values and choices.
pub fn explore(typed: &Arc<Typed>, instances: &mut Vec<Instance>) -> Result<Assumptions, Unsupported> {
    let mut expected = Assumptions::default();
    for round in 0.. {
        let mut lowered = lower(typed, instances, &expected, true)?;
        // Nobody looks at what states are asked about.
        lowered.program.checks.clear();
        let model = PromelaModel::spacious(typed, lowered)?;
        let mut exploration = Exploration {
            model: &model,
            found: BTreeSet::new(),
            started: vec![false; instances.len()],
            seen: Assumptions::default(),
            is_surprised: false,
            expected: &mut expected,
        };
        let is_complete = exploration.neighbourhood();
        if !exploration.has_news() && !is_complete {
            for seed in 0..RUNS {
                exploration.random_run(seed);
            }
        }
        if !exploration.has_news() {
            let Exploration { started, mut seen, .. } = exploration;
            let mut started = started.into_iter();
            instances.retain(|_| started.next().unwrap_or(false));
            seen.round_up();
            seen.expect_as(expected);
            return Ok(seen);
        }
        for instance in exploration.found {
            add_with_followers(typed, instances, instance, round);
        }
    }
    unreachable!("rounds end when nothing new is found, and there are only so many processes and channels")
}

/// Prepares for a process. Where one process after the other is started there will be more, the longer it goes on.
pub fn add_with_followers(typed: &Typed, instances: &mut Vec<Instance>, instance: Instance, round: u32) {
    let followers = 1u32.checked_shl(round.saturating_sub(2)).map_or(64, |power| power.min(64)) / 2;
    let mut next = instance;
    for _ in 0..=followers {
        add(typed, instances, next);
        next.pid += 1;
        next.channels += typed.proctypes[next.proctype].channels();
    }
}

fn add(typed: &Typed, instances: &mut Vec<Instance>, instance: Instance) {
    let is_known = instances.contains(&instance);
    if !is_known && (instance.pid as usize) < PROCESSES_MAX && instance.proctype < typed.proctypes.len() {
        instances.push(instance);
    }
}

/// What is found on the way.
struct Exploration<'m> {
    model: &'m PromelaModel,
    found: BTreeSet<Instance>,
    /// The instances that were there at some time.
    started: Vec<bool>,
    seen: Assumptions,
    /// What statements choose that are prepared for some of their choices only, and whether one has chosen otherwise.
    expected: &'m mut Assumptions,
    is_surprised: bool,
}

impl Exploration<'_> {
    /// Whether the model has to be made again.
    fn has_news(&self) -> bool {
        self.is_surprised || !self.found.is_empty()
    }

    /// Notes the values of a state, and the processes that its steps would start.
    fn note(&mut self, state: &[Word], steps: &Successors) {
        self.model.observe(state, &mut self.seen);
        self.model.observe_choices(state, self.expected);
        for (instance, started) in self.started.iter_mut().enumerate() {
            *started |= self.model.is_alive(instance, state);
        }
        for (_, revise) in steps.refuted() {
            match Refutation::decode(&revise.facts) {
                Some(Refutation::Process(instance)) => drop(self.found.insert(instance)),
                Some(Refutation::Choice(instance, site, choice)) => {
                    self.expected.expect(instance, site, choice);
                    self.is_surprised = true;
                }
                Some(Refutation::Values(_)) | None => {}
            }
        }
    }

    /// Explores states near the initial one; whether that were all.
    fn neighbourhood(&mut self) -> bool {
        let mut worker = self.model.worker();
        let mut steps = Successors::new(self.model.width());
        worker.initial(&mut steps);
        let mut visited = HashSet::from([steps.state(0).to_vec()]);
        let mut queue = vec![steps.state(0).to_vec()];
        let mut next = 0;
        while next < queue.len() && next < STATES_MAX {
            worker.successors(&queue[next], &mut steps);
            self.note(&queue[next], &steps);
            for index in (0..steps.len()).filter(|index| steps.step_end(*index).is_none()) {
                if visited.insert(steps.state(index).to_vec()) {
                    queue.push(steps.state(index).to_vec());
                }
            }
            next += 1;
        }
        next == queue.len()
    }

    fn random_run(&mut self, seed: u64) {
        let mut worker = self.model.worker();
        let mut steps = Successors::new(self.model.width());
        worker.initial(&mut steps);
        let mut state = steps.state(0).to_vec();
        let mut chance = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        for _ in 0..RUN_STEPS {
            worker.successors(&state, &mut steps);
            self.note(&state, &steps);
            let open: Vec<usize> = (0..steps.len()).filter(|index| steps.step_end(*index).is_none()).collect();
            if open.is_empty() || !self.found.is_empty() {
                break;
            }
            chance ^= chance << 13;
            chance ^= chance >> 7;
            chance ^= chance << 17;
            state = steps.state(open[(chance >> 32) as usize % open.len()]).to_vec();
        }
    }
}
