//! Bounded nested breadth-first searches: cycles that each rank looks for by itself (the thesis on reducing
//! communication, §4.1.9).
//!
//! When a rank explores an accepting state, it goes on from there alone, breadth first and whoever owns the states,
//! until it comes back to the accepting state or nothing new is left. That takes no messages at all, and follows again
//! what follows an accepting state, as often as there are accepting states before it. Every accepting state that can be
//! reached is explored by some rank, and whatever can be reached from it is followed; so a cycle is missed by no rank,
//! but for the bound: with a limit of depth, a run and its cycle together have no more steps than that, and a search
//! that the limit cuts short has left something out.
//!
//! Local searches (`local.rs`) do no harm here. A state that one of them passes through may never be known to its
//! owner, but it is explored where it is passed through, and if it is accepting, its nested search begins there.
//!
//! Nested searches are part of what a rank has to do before it rests: so whoever notices the end of the search, or of a
//! level, knows that none is left. One at a time is under way, and its states are forgotten when it ends: 16 bytes each
//! beside their words.

use crate::cycles::SoughtCycles;
use crate::queue::Stored;
use dampf_core::{Action, Model, Word};
use dampf_search::Expander;
use dampf_search::expand::BATCH;
use dampf_store::hash_words;
use std::collections::VecDeque;

/// An accepting state that was explored here: so many steps from a state of this rank.
struct Begin {
    words: Vec<Word>,
    root: Stored,
    path: Vec<Action>,
}

/// A run that passes an accepting state for ever.
pub(crate) struct FoundCycle {
    pub root: Stored,
    /// The steps from there to the accepting state.
    pub path: Vec<Action>,
    pub cycle: Vec<Action>,
}

pub(crate) struct BoundedNested<'a> {
    sought: SoughtCycles<'a>,
    /// The most steps that a run and its cycle may have.
    bound: Option<u64>,
    waiting: VecDeque<Begin>,
    current: Option<(Begin, NestedSearch)>,
    /// Emptied, to be used by the next search.
    spare: Option<NestedSearch>,
    /// Somebody knows of a cycle already.
    is_over: bool,
    /// States whose steps were followed again.
    pub followed: u64,
    /// The bound has cut a search short.
    pub is_truncated: bool,
}

impl<'a> BoundedNested<'a> {
    pub fn new(sought: SoughtCycles<'a>, bound: Option<u64>) -> Self {
        BoundedNested {
            sought,
            bound,
            waiting: VecDeque::new(),
            current: None,
            spare: None,
            is_over: false,
            followed: 0,
            is_truncated: false,
        }
    }

    pub fn sought(&self) -> SoughtCycles<'a> {
        self.sought
    }

    /// A state is explored here, so many steps from a state of this rank.
    #[inline]
    pub fn explore(&mut self, state: &[Word], root: Stored, path: &[Action]) {
        if !self.is_over && (self.sought.is_accepting)(state) {
            self.waiting.push_back(Begin { words: state.to_vec(), root, path: path.to_vec() });
        }
    }

    /// Whether a cycle was found here.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    pub fn has_work(&self) -> bool {
        !self.is_over && (self.current.is_some() || !self.waiting.is_empty())
    }

    /// Goes on with the search that is under way, or begins the next. Says how many steps were followed, and what was
    /// found.
    pub fn search_some<M: Model>(&mut self, expander: &mut Expander<'_, M>) -> (u64, Option<FoundCycle>) {
        if self.current.is_none() {
            let Some(begin) = self.waiting.pop_front() else { return (0, None) };
            let mut search = self.spare.take().unwrap_or_else(|| NestedSearch::new(begin.words.len()));
            search.begin(&begin.words);
            self.current = Some((begin, search));
        }
        let (begin, search) = self.current.as_mut().expect("a search is under way");
        let before = u64::from(begin.root.depth) + begin.path.len() as u64;
        let steps_max = self.bound.map_or(u64::MAX, |bound| bound.saturating_sub(before));
        let (mut work, mut end) = (0, NestedEnd::GoesOn);
        for _ in 0..BATCH {
            end = search.follow(expander, steps_max, &mut work);
            if end != NestedEnd::GoesOn {
                break;
            }
            self.followed += 1;
        }
        if end == NestedEnd::GoesOn {
            return (work, None);
        }
        let (Begin { root, path, .. }, search) = self.current.take().expect("a search is under way");
        self.is_truncated |= end == NestedEnd::Bounded;
        let found = if let NestedEnd::Closed(cycle) = end {
            self.followed += 1;
            self.is_over = true;
            self.waiting.clear();
            Some(FoundCycle { root, path, cycle })
        } else {
            None
        };
        self.spare = Some(search);
        (work.max(1), found)
    }
}

#[derive(PartialEq, Eq)]
enum NestedEnd {
    GoesOn,
    /// All that can be reached was followed.
    Complete,
    /// The bound leaves states that were not followed.
    Bounded,
    /// The search is back where it began, by these steps.
    Closed(Vec<Action>),
}

const FREE: u32 = u32::MAX;
/// Places of the table of an empty search; a power of two.
const PLACES_MIN: usize = 64;

/// One search. Its states are numbered in the order in which they were found; the first is the one it is to come back
/// to.
struct NestedSearch {
    width: usize,
    words: Vec<Word>,
    /// Where each state was found from.
    origins: Vec<(u32, Action)>,
    /// Numbers of states by their hashes, at most half of the places.
    places: Vec<u32>,
    /// The next state to follow, the first of the next level, and the level.
    at: u32,
    level_end: u32,
    level: u64,
    scratch: Vec<Word>,
}

impl NestedSearch {
    fn new(width: usize) -> Self {
        NestedSearch {
            width,
            words: Vec::new(),
            origins: Vec::new(),
            places: Vec::new(),
            at: 0,
            level_end: 0,
            level: 0,
            scratch: vec![0; width],
        }
    }

    fn begin(&mut self, state: &[Word]) {
        self.words.clear();
        self.origins.clear();
        self.places.clear();
        self.places.resize(PLACES_MIN, FREE);
        (self.at, self.level_end, self.level) = (0, 1, 0);
        self.insert(state, (0, Action(0)));
    }

    fn state(&self, number: u32) -> &[Word] {
        &self.words[number as usize * self.width..][..self.width]
    }

    /// Follows the steps of the next state, unless that is further away than the bound allows.
    fn follow<M: Model>(&mut self, expander: &mut Expander<'_, M>, steps_max: u64, work: &mut u64) -> NestedEnd {
        if self.at as usize == self.origins.len() {
            return NestedEnd::Complete;
        }
        if self.at == self.level_end {
            (self.level, self.level_end) = (self.level + 1, self.origins.len() as u32);
        }
        if self.level >= steps_max {
            return NestedEnd::Bounded;
        }
        let number = self.at;
        self.at += 1;
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.copy_from_slice(self.state(number));
        let successors = expander.successors_of(&scratch);
        *work += successors.len() as u64;
        let mut closing = None;
        for step in (0..successors.len()).filter(|&step| successors.leads_on(step)) {
            let is_back = !self.insert(successors.state(step), (number, successors.action(step)))
                && successors.state(step) == self.state(0);
            if is_back {
                closing = Some(successors.action(step));
                break;
            }
        }
        self.scratch = scratch;
        closing.map_or(NestedEnd::GoesOn, |action| NestedEnd::Closed(self.cycle(number, action)))
    }

    /// The steps to a state, and one more.
    fn cycle(&self, mut number: u32, last: Action) -> Vec<Action> {
        let mut cycle = vec![last];
        while number != 0 {
            let (origin, action) = self.origins[number as usize];
            cycle.push(action);
            number = origin;
        }
        cycle.reverse();
        cycle
    }

    /// Adds a state; false where it is known.
    fn insert(&mut self, state: &[Word], origin: (u32, Action)) -> bool {
        let place = self.place(state);
        if self.places[place] != FREE {
            return false;
        }
        self.places[place] = self.origins.len() as u32;
        self.origins.push(origin);
        self.words.extend_from_slice(state);
        if self.origins.len() * 2 > self.places.len() {
            self.grow();
        }
        true
    }

    /// The place where a state is, or would be.
    fn place(&self, state: &[Word]) -> usize {
        let last = self.places.len() - 1;
        let mut place = hash_words(state) as usize & last;
        while self.places[place] != FREE && self.state(self.places[place]) != state {
            place = (place + 1) & last;
        }
        place
    }

    fn grow(&mut self) {
        let states = u32::try_from(self.origins.len()).expect("a nested search has less than 2^32 states");
        let places = vec![FREE; self.places.len() * 4];
        self.places = places;
        for number in 0..states {
            let place = self.place(self.state(number));
            self.places[place] = number;
        }
    }
}
