//! A shorter lasso than one that was found: depth-first searches come to cycles by long ways.
//!
//! The stem becomes a shortest way to the cycle. Where the run need not be fair, the cycle becomes a shortest one from
//! there through an accepting state, if that is shorter. Both are breadth-first searches in the model itself, within a
//! number of states: what takes longer is not worth it.

use dampf_core::{Acceptance, Action, Finding, Successors, Trail, Word, Worker, replay};
use std::collections::{HashMap, VecDeque};

/// A lasso that is no longer than the one that was found; that one where there is no better one within `states_max`.
pub fn shortened<M: Acceptance>(model: &M, finding: &Finding, is_fair: bool, states_max: usize) -> Finding {
    let shorter = || {
        let Finding { trail, .. } = finding;
        let states = replay(model, trail, false).ok()?.states;
        let cycle = &states[trail.stem.len()..states.len() - 1];
        let mut ways = Ways { worker: model.worker(), out: Successors::new(model.width()), states_max };
        let (initial, stem) = ways.begun(&|state| cycle.iter().any(|on_cycle| on_cycle == state))?;
        let entry = stem.last().map_or(&initial.1, |(_, state)| state).clone();
        let at = cycle.iter().position(|on_cycle| *on_cycle == entry)?;
        let mut around: Vec<Action> = trail.cycle[at..].iter().chain(&trail.cycle[..at]).copied().collect();
        if !is_fair && let Some(direct) = ways.around(&entry, &|state| model.is_accepting(state)) {
            around = if direct.len() < around.len() { direct } else { around };
        }
        let stem = stem.into_iter().map(|(action, _)| action).collect();
        Some(Trail { initial: initial.0, stem, cycle: around })
    };
    let shorter = if finding.trail.cycle.is_empty() { None } else { shorter() };
    match shorter.filter(|trail| trail.len() < finding.trail.len()) {
        Some(trail) => Finding { trail, ..finding.clone() },
        None => finding.clone(),
    }
}

/// A way: the labels of its steps, each with the state that it leads to.
type Way = Vec<(Action, Vec<Word>)>;

/// Whether a state is what is looked for.
type IsTarget<'a> = &'a dyn Fn(&[Word]) -> bool;

/// Shortest ways, found breadth-first.
struct Ways<W> {
    worker: W,
    out: Successors,
    states_max: usize,
}

impl<W: Worker> Ways<W> {
    /// From an initial state, which is returned with its number, to a target.
    fn begun(&mut self, is_target: IsTarget) -> Option<((u64, Vec<Word>), Way)> {
        self.worker.initial(&mut self.out);
        let leading = (0..self.out.len()).filter(|&index| self.out.leads_on(index));
        let initial: Vec<(u64, Vec<Word>)> =
            leading.map(|index| (self.out.action(index).0, self.out.state(index).to_vec())).collect();
        if let Some(found) = initial.iter().find(|(_, state)| is_target(state)) {
            return Some((found.clone(), Vec::new()));
        }
        let (from, way) = self.nearest(initial.iter().map(|(_, state)| state.clone()).collect(), is_target)?;
        initial.into_iter().find(|(_, state)| *state == from).map(|initial| (initial, way))
    }

    /// From a state around to it again, by way of a target.
    fn around(&mut self, entry: &[Word], is_target: IsTarget) -> Option<Vec<Action>> {
        let (mut labels, mut at) = (Vec::new(), entry.to_vec());
        if !is_target(entry) {
            let (_, way) = self.nearest(vec![at], is_target)?;
            at = way.last()?.1.clone();
            labels.extend(way.into_iter().map(|(action, _)| action));
        }
        let (_, way) = self.nearest(vec![at], &|state| state == entry)?;
        labels.extend(way.into_iter().map(|(action, _)| action));
        Some(labels)
    }

    /// From one of several states, by at least one step, to the nearest target: where it begins, and the way.
    fn nearest(&mut self, from: Vec<Vec<Word>>, is_target: IsTarget) -> Option<(Vec<Word>, Way)> {
        let mut before: HashMap<Vec<Word>, Option<(Vec<Word>, Action)>> =
            from.iter().map(|state| (state.clone(), None)).collect();
        let mut queue = VecDeque::from(from);
        while let Some(state) = queue.pop_front() {
            self.worker.successors(&state, &mut self.out);
            for index in (0..self.out.len()).filter(|&index| self.out.leads_on(index)) {
                let (action, next) = (self.out.action(index), self.out.state(index));
                if is_target(next) {
                    let mut way = vec![(action, next.to_vec())];
                    let mut at = state;
                    while let Some((previous, action)) = before.remove(&at).flatten() {
                        way.push((action, at));
                        at = previous;
                    }
                    way.reverse();
                    return Some((at, way));
                }
                if !before.contains_key(next) {
                    before.insert(next.to_vec(), Some((state.clone(), action)));
                    queue.push_back(next.to_vec());
                }
            }
            if before.len() > self.states_max {
                return None;
            }
        }
        None
    }
}
