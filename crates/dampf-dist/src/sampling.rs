//! By which sections the states of a model are best divided, found by exploring some of them first.
//!
//! A step that leaves the sections alone stays on its rank, so few sections mean few steps that cross. States whose
//! sections are equal lie on one rank, so sections with few values mean uneven shares. The first thousands of states
//! say how much of both there is: how often each section changes, and how evenly the states fall to ranks. (Random
//! walks say little of the latter: they meet most often what they come back to, and not what there is most of.)
//!
//! Everything here depends on the model and the number of ranks alone: ranks that choose for themselves choose the
//! same.

use crate::Distributable;
use crate::partition::{Partition, Sections, spread};
use dampf_core::{Fingerprints, Successors, Word, Worker};
use dampf_net::Rank;
use dampf_store::{Inserted, Retrieve, Session, StateRef, Store, TreeStore};
use std::collections::VecDeque;

/// Steps that are computed. Those of programs are dearer.
const STEPS_MAX: usize = 300_000;
const STEPS_MAX_OF_PROGRAMS: usize = 20_000;
/// So many of the states that were explored last are looked at.
const STATES_MAX: usize = 1 << 13;
/// With fewer states nothing is known.
const STATES_MIN: usize = 1 << 9;
/// Sections beyond these are not looked at.
const SECTIONS_MAX: usize = 64;
/// So many sections are tried together with others: those that are best alone.
const SECTIONS_COMBINED: usize = 16;
/// So many sets of sections are kept in mind while sets grow.
const SETS_KEPT: usize = 4;
/// What a step that crosses costs more than one that does not, in steps.
const CROSSING_COST: f64 = 1.5;
/// By how many standard deviations the largest share is taken to exceed what the sample shows.
const DEVIATIONS: f64 = 0.8;

/// How the states of a model are best divided among so many ranks: by some of their sections, or by everything.
pub fn partition_for<M: Distributable>(model: &M, ranks: Rank) -> Partition {
    if ranks < 2 {
        return Partition::Full;
    }
    let names: Vec<String> = model.sections().into_iter().take(SECTIONS_MAX).collect();
    let masks: Vec<Vec<Word>> = names.iter().filter_map(|name| model.section(name)).collect();
    if names.is_empty() || masks.len() < names.len() {
        return Partition::Full;
    }
    let Some(sample) = Sample::take(model, &masks, ranks) else { return Partition::Full };
    match sample.best_sections() {
        Some(sections) => Partition::Sections(sections.into_iter().map(|section| names[section].clone()).collect()),
        None => Partition::Full,
    }
}

/// What was seen.
struct Sample<'m> {
    ranks: Rank,
    masks: &'m [Vec<Word>],
    /// Whether a word of a state is wholly in a section or not at all.
    parts: bool,
    /// What the words of the states hold, or fingerprints of what they name; in the order in which the states were
    /// found.
    values: Vec<u64>,
    /// Which sections each step changes that leaves the states, and how many steps change the same.
    changes: Vec<(u64, u32)>,
}

/// Some sections, and what a division by them costs.
#[derive(Clone, Copy)]
struct Set {
    sections: u64,
    cost: f64,
}

impl<'m> Sample<'m> {
    /// None where too little is seen, or all there is.
    fn take<M: Distributable>(model: &M, masks: &'m [Vec<Word>], ranks: Rank) -> Option<Self> {
        let (store, states) = explore_some(model)?;
        // What comes first is not typical.
        let states = &states[states.len() / 2..];
        if states.len() < STATES_MIN {
            return None;
        }
        let mut sample = Sample { ranks, masks, parts: model.has_parts(), values: Vec::new(), changes: Vec::new() };
        let mut changes = Vec::new();
        let (mut session, mut worker) = (store.session(), model.worker());
        let (mut words, mut successors) = (vec![0; model.width()], Successors::new(model.width()));
        let (mut fingerprints, mut numbers) = (Fingerprints::new(), Vec::new());
        for &state in states.iter().step_by(states.len().div_ceil(STATES_MAX)) {
            TreeStore::load(&mut session, state, &mut words);
            if sample.parts {
                fingerprints.words(model, &words, &mut numbers);
                sample.values.extend_from_slice(&numbers);
            } else {
                sample.values.extend(words.iter().map(|&word| u64::from(word)));
            }
            worker.successors(&words, &mut successors);
            for step in (0..successors.len()).filter(|&step| successors.leads_on(step)) {
                changes.push(sample.changed(&words, successors.state(step)));
            }
        }
        changes.sort_unstable();
        sample.changes = changes.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect();
        Some(sample)
    }

    /// The sections in which two states differ.
    fn changed(&self, before: &[Word], after: &[Word]) -> u64 {
        let differs =
            |mask: &[Word]| mask.iter().zip(before.iter().zip(after)).any(|(mask, (a, b))| (a ^ b) & mask != 0);
        let changed = self.masks.iter().enumerate().filter(|(_, mask)| differs(mask));
        changed.fold(0, |all, (section, _)| all | 1 << section)
    }

    /// The sections by which states are best divided; none where that is everything.
    fn best_sections(&self) -> Option<Vec<usize>> {
        let mut sets: Vec<Set> = (0..self.masks.len()).map(|section| self.set(1 << section)).collect();
        let by_cost = |a: &Set, b: &Set| a.cost.total_cmp(&b.cost).then(a.sections.cmp(&b.sections));
        sets.sort_by(by_cost);
        let candidates: u64 = sets.iter().take(SECTIONS_COMBINED).fold(0, |all, set| all | set.sections);
        let mut best = *sets.first()?;
        loop {
            sets.truncate(SETS_KEPT);
            let mut larger: Vec<Set> = Vec::new();
            for set in &sets {
                for section in (0..self.masks.len()).filter(|section| candidates & !set.sections & 1 << section != 0) {
                    let sections = set.sections | 1 << section;
                    if larger.iter().all(|known| known.sections != sections) {
                        larger.push(self.set(sections));
                    }
                }
            }
            larger.sort_by(by_cost);
            match larger.first() {
                Some(set) if set.cost < best.cost => best = *set,
                _ => break,
            }
            sets = larger;
        }
        let everything = Sections::new(vec![Word::MAX; self.width()]);
        let cost_of_everything = self.cost(1.0, &everything);
        let is_in = |section: &usize| best.sections >> section & 1 == 1;
        (best.cost < cost_of_everything).then(|| (0..self.masks.len()).filter(is_in).collect())
    }

    fn width(&self) -> usize {
        self.masks[0].len()
    }

    fn set(&self, sections: u64) -> Set {
        let mut mask = vec![0; self.width()];
        for of_section in self.masks.iter().enumerate().filter(|(at, _)| sections >> at & 1 == 1).map(|(_, mask)| mask)
        {
            mask.iter_mut().zip(of_section).for_each(|(all, of_section)| *all |= of_section);
        }
        Set { sections, cost: self.cost(self.changing(sections), &Sections::new(mask)) }
    }

    /// What exploring a state costs on the rank that has most, where this share of the steps changes its sections.
    fn cost(&self, changing: f64, sections: &Sections) -> f64 {
        let value_in = |values: &[u64]| {
            sections.hash(|at| if self.parts { values[at] } else { values[at] & u64::from(sections.mask[at]) })
        };
        let hashes: Vec<u64> = self.values.chunks_exact(self.width()).map(value_in).collect();
        let crossing = (1.0 - 1.0 / f64::from(self.ranks)) * changing;
        // Values fall to ranks at random: so much do shares vary, whatever the sample shows.
        let deviation = (self.alike(&hashes) * (f64::from(self.ranks) - 1.0)).sqrt();
        (1.0 + CROSSING_COST * crossing) * self.unevenness(&hashes) * (1.0 + DEVIATIONS * deviation)
    }

    /// The largest share of a rank, where 1 is an even one; of those that were found earlier and of those later,
    /// because shares may shift.
    fn unevenness(&self, hashes: &[u64]) -> f64 {
        let in_half = |hashes: &[u64]| {
            let mut counts = vec![0u32; self.ranks as usize];
            hashes.iter().for_each(|&hash| counts[spread(hash, self.ranks) as usize] += 1);
            let most = counts.into_iter().max().unwrap_or(0);
            f64::from(most) * f64::from(self.ranks) / hashes.len() as f64
        };
        let (earlier, later) = hashes.split_at(hashes.len() / 2);
        in_half(earlier).max(in_half(later))
    }

    /// The chance that two states have equal values.
    fn alike(&self, hashes: &[u64]) -> f64 {
        let mut hashes = hashes.to_vec();
        hashes.sort_unstable();
        let pairs = |count: usize| (count * (count - 1) / 2) as f64;
        let equal: f64 = hashes.chunk_by(|a, b| a == b).map(|same| pairs(same.len())).sum();
        equal / pairs(hashes.len())
    }

    /// The share of steps that change one of these sections.
    fn changing(&self, sections: u64) -> f64 {
        let all: u64 = self.changes.iter().map(|&(_, count)| u64::from(count)).sum();
        let changing = self.changes.iter().filter(|(changed, _)| changed & sections != 0);
        changing.map(|&(_, count)| u64::from(count)).sum::<u64>() as f64 / all.max(1) as f64
    }
}

/// Explores the first states of a model: a store with them, and those that were explored in their order. None where a
/// state cannot be computed, or where there are no more.
fn explore_some<M: Distributable>(model: &M) -> Option<(TreeStore, Vec<StateRef>)> {
    let steps_max = if model.has_parts() { STEPS_MAX_OF_PROGRAMS } else { STEPS_MAX };
    let store = TreeStore::new(model.width());
    let (mut session, mut worker) = (store.session(), model.worker());
    let (mut words, mut successors) = (vec![0; model.width()], Successors::new(model.width()));
    let (mut waiting, mut explored, mut pending) = (VecDeque::new(), Vec::new(), Vec::new());
    worker.initial(&mut successors);
    let mut steps = 0;
    loop {
        pending.clear();
        session.prepare_all(&successors, 0..successors.len(), &mut pending);
        for (step, &pending) in pending.iter().enumerate().filter(|(step, _)| successors.leads_on(*step)) {
            if let Inserted::New(state) = session.commit(pending, successors.state(step), None) {
                waiting.push_back(state);
            }
        }
        session.quiesce();
        if steps > steps_max {
            drop(session);
            return Some((store, explored));
        }
        let state = waiting.pop_front()?;
        explored.push(state);
        TreeStore::load(&mut session, state, &mut words);
        worker.successors(&words, &mut successors);
        if successors.unsupported().is_some() || !successors.refuted().is_empty() {
            return None;
        }
        steps += successors.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dampf_core::{Action, Model, Sections, Transfer};

    /// Two counters of 500 and two bits. Steps turn a bit; where both are set, they also move a counter and clear them.
    struct Counters;

    impl Model for Counters {
        type Worker<'m> = Self;

        fn width(&self) -> usize {
            4
        }

        fn worker(&self) -> Self {
            Counters
        }
    }

    impl Worker for Counters {
        fn initial(&mut self, out: &mut Successors) {
            out.clear();
            out.push(Action(0), &[0, 0, 0, 0]);
        }

        fn successors(&mut self, state: &[Word], out: &mut Successors) {
            out.clear();
            let mut push = |at: usize, value: Word| {
                let mut next = state.to_vec();
                if at < 2 {
                    next[2..].fill(0);
                }
                next[at] = value;
                out.push(Action(at as u64), &next);
            };
            for bit in [2, 3] {
                push(bit, 1 - state[bit]);
            }
            if state[2..] == [1, 1] {
                for counter in [0, 1] {
                    push(counter, (state[counter] + 1) % 500);
                }
            }
        }
    }

    impl Transfer for Counters {}

    impl Sections for Counters {
        fn section(&self, name: &str) -> Option<Vec<Word>> {
            let at = self.sections().iter().position(|section| section == name)?;
            Some((0..4).map(|word| if word == at { Word::MAX } else { 0 }).collect())
        }

        fn sections(&self) -> Vec<String> {
            ["left", "right", "up", "down"].map(str::to_owned).into()
        }
    }

    #[test]
    fn sections_are_those_with_many_values_and_few_changes() {
        for ranks in [2, 3, 4, 16] {
            let Partition::Sections(names) = partition_for(&Counters, ranks) else { panic!("{ranks}") };
            assert!(names.iter().any(|name| name == "left" || name == "right"), "{names:?}");
            assert!(names.iter().all(|name| name == "left" || name == "right"), "{names:?}");
            assert_eq!(partition_for(&Counters, ranks), Partition::Sections(names));
        }
    }

    #[test]
    fn one_rank_has_everything() {
        assert_eq!(partition_for(&Counters, 1), Partition::Full);
    }
}
