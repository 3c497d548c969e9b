//! Runs with as few switches between processes or threads as can be.
//!
//! A run is easier to follow where its steps are many in a row of the same mover. So runs are compared by their
//! switches first and by their steps second, and a search finds the least run to a fault in that order: Dijkstra's
//! algorithm over states together with who moved last. The first that is taken of its kind is a least one.

use crate::expand::{Expander, Explored, Sink};
use crate::{Monitor, SearchOptions};
use dampf_core::{Action, Fault, Finding, Movers, Successors, Trail, Word, Worker, replay_selected};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::convert::Infallible;

/// Of a run without steps.
const NOBODY: u32 = u32::MAX;
const NOWHERE: u32 = u32::MAX;

/// How many times the mover changes in a run that is one of the model; none where it is not.
pub fn switches<M: Movers>(model: &M, trail: &Trail, options: &SearchOptions) -> Option<usize> {
    let replay = replay_selected(model, trail, options.deadlocks, &options.faults).ok()?;
    let movers = replay.states.iter().zip(&trail.stem).map(|(state, action)| mover(model, state, *action));
    let movers: Vec<u32> = movers.collect();
    Some(movers.windows(2).filter(|pair| pair[0] != pair[1]).count())
}

/// Who moves: of several the first, who begins.
fn mover<M: Movers>(model: &M, state: &[Word], action: Action) -> u32 {
    let mut first = NOBODY;
    model.movers(state, action, &mut |mover| {
        if first == NOBODY {
            first = mover as u32;
        }
    });
    first
}

/// Switches, and steps.
type Length = (u32, u32);

/// A way to a state.
struct Node {
    state: Box<[Word]>,
    mover: u32,
    parent: u32,
    action: Action,
    switches: u32,
    steps: u32,
}

/// A run to a fault with fewer switches than this one, or with as many and fewer steps: the least of all, if the
/// search comes to its end within the states that the options allow.
pub fn with_fewer_switches<M: Movers>(
    model: &M,
    finding: &Finding,
    options: &SearchOptions,
    monitor: &Monitor,
) -> Option<Finding> {
    let known = switches(model, &finding.trail, options)? as u32;
    let mut best = (known, finding.trail.stem.len() as u32);
    let mut found: Option<Finding> = None;
    let mut nodes: Vec<Node> = Vec::new();
    let mut open = BinaryHeap::new();
    let mut reached: HashMap<(Box<[Word]>, u32), Length> = HashMap::new();
    let mut initial = Successors::new(model.width());
    model.worker().initial(&mut initial);
    for number in (0..initial.len()).filter(|&number| initial.leads_on(number)) {
        open.push(Reverse((0, 0, nodes.len() as u32)));
        let (state, action) = (initial.state(number).into(), Action(number as u64));
        nodes.push(Node { state, mover: NOBODY, parent: NOWHERE, action, switches: 0, steps: 0 });
    }
    let options = SearchOptions { keep_going: false, ..options.clone() };
    let mut expander = Expander::new(model, &options);
    let mut taken = 0;
    while let Some(Reverse((switches, steps, number))) = open.pop() {
        if (switches, steps) >= best || monitor.is_stopped() || options.max_states.is_some_and(|limit| taken >= limit) {
            break;
        }
        let node = &nodes[number as usize];
        // Another way may have come here meanwhile.
        if reached.get(&(node.state.clone(), node.mover)).is_some_and(|least| *least < (switches, steps)) {
            continue;
        }
        taken += 1;
        let (state, last) = (node.state.clone(), node.mover);
        let mut sink = Gathering { state: &state, steps: Vec::new(), met: Vec::new() };
        let Ok(_) = expander.expand(&[()], &mut sink);
        let Gathering { steps: following, met, .. } = sink;
        let switched = |action: Action| {
            let mover = mover(model, &state, action);
            (mover, switches + u32::from(last != NOBODY && mover != last))
        };
        for (step, fault) in met {
            let length = match step {
                None => (switches, steps),
                Some(action) => (switched(action).1, steps + 1),
            };
            if length < best {
                best = length;
                found = Some(Finding { fault, trail: way_to(&nodes, number, step) });
            }
        }
        for (action, state) in following {
            let (mover, switches) = switched(action);
            let length = (switches, steps + 1);
            let known = reached.entry((state.clone(), mover)).or_insert((u32::MAX, u32::MAX));
            if length < best && length < *known {
                *known = length;
                open.push(Reverse((switches, steps + 1, nodes.len() as u32)));
                nodes.push(Node { state, mover, parent: number, action, switches, steps: steps + 1 });
            }
        }
    }
    let is_refuted = !expander.judgement().refuted.is_empty();
    debug_assert!(nodes.iter().all(|node| node.switches <= node.steps));
    found.filter(|_| !is_refuted)
}

fn way_to(nodes: &[Node], number: u32, last: Option<Action>) -> Trail {
    let parent = |number: &u32| Some(nodes[*number as usize].parent).filter(|&parent| parent != NOWHERE);
    let way: Vec<u32> = std::iter::successors(Some(number), parent).collect();
    let initial = nodes[*way.last().expect("a way has a state") as usize].action.0;
    let actions = way.iter().rev().skip(1).map(|&number| nodes[number as usize].action);
    Trail::ending(initial, actions.chain(last).collect())
}

/// Lists what a state leads to.
struct Gathering<'t> {
    state: &'t [Word],
    steps: Vec<(Action, Box<[Word]>)>,
    met: Vec<(Option<Action>, Fault)>,
}

impl Sink for Gathering<'_> {
    type Source = ();
    type Error = Infallible;

    fn load(&mut self, _: usize, (): (), words: &mut [Word]) {
        words.copy_from_slice(self.state);
    }

    fn prepare(&mut self, _: usize, (): (), _: &[Word], _: &Successors) -> Result<(), Infallible> {
        Ok(())
    }

    fn fault(&mut self, explored: Explored<'_, ()>, step: Option<usize>, fault: Fault) {
        self.met.push((step.map(|step| explored.successors.action(step)), fault));
    }

    fn commit(&mut self, _: &[()], successors: &[Successors]) -> Result<(), Infallible> {
        for successors in successors {
            let leads_on = (0..successors.len()).filter(|&step| successors.leads_on(step));
            self.steps.extend(leads_on.map(|step| (successors.action(step), successors.state(step).into())));
        }
        Ok(())
    }
}
