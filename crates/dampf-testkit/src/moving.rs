//! Moves states between two models of the same thing that do not share their tables, and shows that nothing is lost on
//! the way.
//!
//! The mover knows nothing but the trait [`Transfer`]: it takes parts from one model and makes them in the other, the
//! innermost first.

use dampf_core::{Action, Fault, Fingerprints, Part, Revise, Successors, Transfer, Unsupported, Word, Worker};
use std::collections::{HashMap, HashSet};

/// Moves states from one model to another.
pub struct Mover<'m, M> {
    from: &'m M,
    to: &'m M,
    /// What parts are called there.
    names: HashMap<Part, Word>,
}

impl<'m, M: Transfer> Mover<'m, M> {
    pub fn new(from: &'m M, to: &'m M) -> Self {
        Mover { from, to, names: HashMap::new() }
    }

    /// The words that a state has there.
    pub fn state(&mut self, state: &[Word]) -> Vec<Word> {
        let mut parts = Vec::new();
        self.from.parts_of_state(state, &mut |position, part| parts.push((position, part)));
        assert!(parts.is_empty() || self.from.has_parts(), "a model that names parts says so");
        self.translated(state.to_vec(), &parts)
    }

    /// How many parts have been moved.
    pub fn part_count(&self) -> usize {
        self.names.len()
    }

    fn part(&mut self, part: Part) -> Word {
        if let Some(&name) = self.names.get(&part) {
            return name;
        }
        let (mut words, mut parts) = (Vec::new(), Vec::new());
        self.from.part(part, &mut words, &mut |position, part| parts.push((position, part)));
        let contents = self.translated(words, &parts);
        let name = self.to.name_of(part.kind, &contents);
        self.names.insert(part, name);
        name
    }

    fn translated(&mut self, mut words: Vec<Word>, parts: &[(usize, Part)]) -> Vec<Word> {
        for &(position, part) in parts {
            assert_eq!(words[position], part.name, "a part is named by the word at its position");
            words[position] = self.part(part);
        }
        words
    }
}

/// What [`move_all`] has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    pub states: usize,
    pub transitions: usize,
    /// Of steps and of states.
    pub faults: usize,
    /// Parts that were moved.
    pub parts: usize,
    /// States whose words are different there.
    pub renamed: usize,
}

/// Everything that a model says about a state.
#[derive(PartialEq, Debug)]
struct Account {
    steps: Vec<(Action, Option<Vec<Word>>)>,
    faults: Vec<(usize, Fault)>,
    refuted: Vec<(usize, Revise)>,
    fault_of_state: Option<Fault>,
    valid_end: bool,
    unsupported: Option<Unsupported>,
}

fn account(successors: &Successors) -> Account {
    let step = |index: usize| {
        let leads_to = successors.leads_on(index).then(|| successors.state(index).to_vec());
        (successors.action(index), leads_to)
    };
    Account {
        steps: (0..successors.len()).map(step).collect(),
        faults: successors.faults().to_vec(),
        refuted: successors.refuted().to_vec(),
        fault_of_state: successors.fault_of_state(true),
        valid_end: successors.valid_end(),
        unsupported: successors.unsupported().cloned(),
    }
}

/// Up to so many states of a model, in the order in which a breadth-first search finds them, and what their steps
/// refute.
pub fn explore<M: Transfer>(model: &M, states_max: usize) -> (Vec<Vec<Word>>, Vec<Revise>) {
    let (states, accounts): (Vec<_>, Vec<_>) = accounts(model, states_max).into_iter().unzip();
    (states, accounts.into_iter().flat_map(|account| account.refuted).map(|(_, revise)| revise).collect())
}

/// The same with what the model says about each.
fn accounts<M: Transfer>(model: &M, states_max: usize) -> Vec<(Vec<Word>, Account)> {
    let mut worker = model.worker();
    let mut next = Successors::new(model.width());
    worker.initial(&mut next);
    let mut found: Vec<Vec<Word>> = account(&next).steps.into_iter().filter_map(|(_, state)| state).collect();
    let mut seen: HashSet<Vec<Word>> = found.iter().cloned().collect();
    let mut accounts = Vec::new();
    while let Some(state) = found.get(accounts.len()) {
        worker.successors(state, &mut next);
        let account = account(&next);
        for state in account.steps.iter().filter_map(|(_, state)| state.as_ref()) {
            if found.len() < states_max && seen.insert(state.clone()) {
                found.push(state.clone());
            }
        }
        accounts.push(account);
    }
    found.into_iter().zip(accounts).collect()
}

/// Explores a model and moves its states to another one of the same thing, the last ones first, so that things are
/// named in another order there. Panics unless a state moved back is the state, different states stay different, the
/// other model says the same about them, and fingerprints are equal.
///
/// The other model should be new, or names may be the same by chance and show nothing; see [`Moved::renamed`].
pub fn move_all<M: Transfer>(here: &M, there: &M, states_max: usize) -> Moved {
    let explored = accounts(here, states_max);
    let (mut forth, mut back) = (Mover::new(here, there), Mover::new(there, here));
    let mut moved: Vec<Vec<Word>> = explored.iter().rev().map(|(state, _)| forth.state(state)).collect();
    moved.reverse();
    let distinct: HashSet<&[Word]> = moved.iter().map(Vec::as_slice).collect();
    assert_eq!(distinct.len(), explored.len(), "different states stay different");

    let mut result = Moved { states: explored.len(), transitions: 0, faults: 0, parts: 0, renamed: 0 };
    let mut worker = there.worker();
    let mut next = Successors::new(there.width());
    let (mut of_here, mut of_there) = (Fingerprints::new(), Fingerprints::new());
    let (mut words_here, mut words_there) = (Vec::new(), Vec::new());
    for ((state, mut told_here), moved) in explored.into_iter().zip(moved) {
        assert_eq!(back.state(&moved), state, "a state that moves forth and back is the same");
        of_here.words(here, &state, &mut words_here);
        of_there.words(there, &moved, &mut words_there);
        assert_eq!(words_here, words_there, "fingerprints do not depend on names");

        worker.successors(&moved, &mut next);
        for (_, leads_to) in &mut told_here.steps {
            *leads_to = leads_to.as_deref().map(|state| forth.state(state));
        }
        let told_there = account(&next);
        assert_eq!(told_there, told_here, "a moved state has the same future");
        result.transitions += told_there.steps.len();
        result.faults += told_there.faults.len() + usize::from(told_there.fault_of_state.is_some());
        result.renamed += usize::from(moved != state);
    }
    result.parts = forth.part_count();
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Pages;

    #[test]
    fn pages_move() {
        let (here, there) = (Pages::new(3, 5), Pages::new(3, 5));
        let moved = move_all(&here, &there, usize::MAX);
        assert_eq!(moved.states as u64, here.state_count());
        assert!(moved.renamed > moved.states / 2, "{moved:?}");
        assert_eq!(there.table.len(), here.table.len());
    }
}
