//! Finds out which processes a model can have, by running it.
//!
//! A first set is the processes that are there at the beginning. Where a step would start one that is not prepared for, the
//! model is made again with it. Exploring the neighbourhood of the initial state and a few random runs find most of them; a search that meets another
//! one begins again (see [`Promela::learn`](crate::Promela::learn)).

use crate::lower::{Instance, lower};
use crate::model::PromelaModel;
use crate::typed::Typed;
use dampf_core::{FaultKind, Model, Successors, Unsupported, Word, Worker};
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// How far the neighbourhood of the initial state is explored.
const STATES_MAX: usize = 2_000;
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

/// Adds the processes that exploring finds.
pub fn explore(typed: &Arc<Typed>, instances: &mut Vec<Instance>) -> Result<(), Unsupported> {
    loop {
        let model = PromelaModel::spacious(typed, lower(typed, instances, true)?)?;
        let mut found = BTreeSet::new();
        let is_complete = neighbourhood(&model, &mut found)?;
        if found.is_empty() && !is_complete {
            for seed in 0..RUNS {
                random_run(&model, seed, &mut found)?;
            }
        }
        if found.is_empty() {
            return Ok(());
        }
        instances.extend(found);
    }
}

/// Notes the processes that the steps of a state would start.
fn note(model: &PromelaModel, state: &[Word], steps: &Successors, found: &mut BTreeSet<Instance>) {
    for (index, fault) in steps.faults() {
        if fault.kind == FaultKind::Unprepared {
            found.extend(model.unprepared(state, steps.action(*index)));
        }
    }
}

/// Explores states near the initial one; whether that were all.
fn neighbourhood(model: &PromelaModel, found: &mut BTreeSet<Instance>) -> Result<bool, Unsupported> {
    let mut worker = model.worker();
    let mut steps = Successors::new(model.width());
    worker.initial(&mut steps)?;
    let mut visited = HashSet::from([steps.state(0).to_vec()]);
    let mut queue = vec![steps.state(0).to_vec()];
    let mut next = 0;
    while next < queue.len() && next < STATES_MAX {
        worker.successors(&queue[next], &mut steps)?;
        note(model, &queue[next], &steps, found);
        for index in (0..steps.len()).filter(|index| steps.fault(*index).is_none()) {
            if visited.insert(steps.state(index).to_vec()) {
                queue.push(steps.state(index).to_vec());
            }
        }
        next += 1;
    }
    Ok(next == queue.len())
}

fn random_run(model: &PromelaModel, seed: u64, found: &mut BTreeSet<Instance>) -> Result<(), Unsupported> {
    let mut worker = model.worker();
    let mut steps = Successors::new(model.width());
    worker.initial(&mut steps)?;
    let mut state = steps.state(0).to_vec();
    let mut chance = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    for _ in 0..RUN_STEPS {
        worker.successors(&state, &mut steps)?;
        note(model, &state, &steps, found);
        let open: Vec<usize> = (0..steps.len()).filter(|index| steps.fault(*index).is_none()).collect();
        if open.is_empty() || !found.is_empty() {
            break;
        }
        chance ^= chance << 13;
        chance ^= chance >> 7;
        chance ^= chance << 17;
        state = steps.state(open[(chance >> 32) as usize % open.len()]).to_vec();
    }
    Ok(())
}
