//! The order of states that makes a search predictable, kept by all ranks together.
//!
//! The states of a level are numbered by the position of the first state that leads to them, then by the step's index
//! there: the order in which a search on one thread finds them. A rank knows this *place* of each of its states, and
//! only the comparison with all others' gives the number. So each rank sorts the places of one range of positions for
//! all, and says how many there are and which number each has in the range.

use crate::discovery::{Discovery, FaultPlace};
use crate::parcel::Companion;
use crate::wire::{Garbled, Reader, Write};
use dampf_core::Fault;
use dampf_net::Rank;
use dampf_store::{Inserted, StateRef};
use std::collections::HashMap;

/// The position of a state in its level, and the index of a step there.
pub type Place = (u64, u32);

/// A step, or with `true` the state that it leads to: that order where both are faulty.
type PlaceOfFault = (Place, bool);

/// The part of a level that is on this rank, by ascending position.
#[derive(Default)]
struct RankedLevel {
    states: Vec<StateRef>,
    positions: Vec<u64>,
    /// By which way each state was found first; empty for the initial states.
    places: Vec<Place>,
}

impl RankedLevel {
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        order.sort_unstable_by_key(|&at| self.positions[at]);
        self.states = order.iter().map(|&at| self.states[at]).collect();
        self.positions = order.iter().map(|&at| self.positions[at]).collect();
        if !self.places.is_empty() {
            self.places = order.iter().map(|&at| self.places[at]).collect();
        }
    }
}

/// A fault of a level as a discovery.
fn placed(level: u64, (((position, step), of_state), fault): (PlaceOfFault, Fault)) -> Discovery {
    let place = match level {
        0 => FaultPlace::Initial(position),
        _ => FaultPlace::Placed { level, position, step, of_state },
    };
    Discovery { fault, place, steps: Vec::new(), cycle: Vec::new() }
}

pub(crate) struct Ranking {
    ranks: Rank,
    /// All levels so far; the last is the current one.
    levels: Vec<RankedLevel>,
    /// States of the current level on all ranks.
    size: u64,
    /// States of all levels so far on all ranks.
    pub states: u64,
    /// The states of the own level that are being explored: where they begin, and where they end.
    batch: std::ops::Range<usize>,
    next: HashMap<StateRef, Place>,
    is_ordering: bool,
    /// The next level while it is put in order: ascending places.
    sorted: Vec<(Place, StateRef)>,
    /// The places of this rank's range, by rank.
    places: Vec<Option<Vec<Place>>>,
    /// For each range, how many states it has and which of them are this rank's.
    ranges: Vec<Option<(u64, Vec<u64>)>>,
    /// Faults of states of the current level and of steps to it.
    faults: Vec<(PlaceOfFault, Fault)>,
    /// Faulty steps that leave the current level.
    faulty_steps: Vec<(PlaceOfFault, Fault)>,
}

/// How far the next level is put in order.
pub(crate) enum Ordering {
    Waits,
    /// This rank's range is sorted: what to say to whom.
    Merged(Vec<(Rank, Vec<u8>)>),
    /// Every state of the next level has its position; there are so many on all ranks.
    Done {
        size: u64,
    },
}

impl Ranking {
    pub fn new(ranks: Rank) -> Self {
        Ranking {
            ranks,
            levels: vec![RankedLevel::default()],
            size: 0,
            states: 0,
            batch: 0..0,
            next: HashMap::new(),
            is_ordering: false,
            sorted: Vec::new(),
            places: vec![None; ranks as usize],
            ranges: vec![None; ranks as usize],
            faults: Vec::new(),
            faulty_steps: Vec::new(),
        }
    }

    fn level(&self) -> &RankedLevel {
        self.levels.last().expect("there is a level")
    }

    /// Takes an initial state of this rank.
    pub fn begin_with(&mut self, state: StateRef, number: u64) {
        let level = self.levels.last_mut().expect("there is a level");
        level.states.push(state);
        level.positions.push(number);
    }

    /// All initial states of this rank were taken: so many positions there are on all ranks, and so many states.
    pub fn begin_level(&mut self, positions: u64, states: u64) {
        self.size = positions;
        self.states = states;
    }

    /// Whether the current level has states, on whichever rank.
    pub fn has_states(&self) -> bool {
        self.size > 0
    }

    /// The states of the current level, by ascending position.
    pub fn current(&self) -> &[StateRef] {
        &self.level().states
    }

    /// The next states of this rank are explored, so many.
    pub fn begin_batch(&mut self, states: usize) {
        self.batch = self.batch.end..self.batch.end + states;
    }

    /// The position of a state of the batch that is explored.
    #[inline]
    pub fn position(&self, number: usize) -> u64 {
        self.level().positions[self.batch.start + number]
    }

    /// A step leads to a state that is new in this level, or was.
    pub fn reach(&mut self, inserted: Inserted, place: Place) {
        match inserted {
            Inserted::New(state) => {
                self.next.insert(state, place);
            }
            Inserted::Known(state) => {
                if let Some(first) = self.next.get_mut(&state) {
                    *first = place.min(*first);
                }
            }
        }
    }

    /// Notes what is wrong with a state of the batch that is explored, or with a step of it.
    pub fn note(&mut self, number: usize, step: Option<usize>, fault: Fault) {
        let position = self.position(number);
        if let Some(step) = step {
            self.faulty_steps.push((((position, step as u32), false), fault));
            return;
        }
        // An initial state stands by its own position.
        let place = self.level().places.get(self.batch.start + number).copied().unwrap_or((position, 0));
        self.faults.push(((place, true), fault));
    }

    /// Faults of this level, and faulty steps that leave it.
    pub fn fault_counts(&self) -> (u64, u64) {
        (self.faults.len() as u64, self.faulty_steps.len() as u64)
    }

    /// The faults of this level, in their order. Faulty steps count in the level they would lead to.
    pub fn take_faults(&mut self, level: u64) -> Vec<Discovery> {
        let mut faults = std::mem::replace(&mut self.faults, std::mem::take(&mut self.faulty_steps));
        faults.sort_by_key(|(place, _)| *place);
        faults.into_iter().map(|fault| placed(level, fault)).collect()
    }

    pub fn is_ordering(&self) -> bool {
        self.is_ordering
    }

    /// The first position of a range, and the one behind its last.
    fn range(&self, of: Rank) -> std::ops::Range<u64> {
        let bound = |of: u64| (u128::from(self.size) * u128::from(of) / u128::from(self.ranks)) as u64;
        bound(u64::from(of))..bound(u64::from(of) + 1)
    }

    /// Begins to put the next level in order: the places of this rank's states, for those who sort them.
    pub fn begin_ordering(&mut self) -> Vec<(Rank, Vec<u8>)> {
        self.is_ordering = true;
        self.sorted = self.next.drain().map(|(state, place)| (place, state)).collect();
        self.sorted.sort_unstable();
        let message = |to: Rank| {
            let range = self.range(to);
            let from = self.sorted.partition_point(|&((position, _), _)| position < range.start);
            let to_end = self.sorted.partition_point(|&((position, _), _)| position < range.end);
            let mut places = Vec::new();
            places.number((to_end - from) as u64);
            for &((position, step), _) in &self.sorted[from..to_end] {
                places.number(position);
                places.number(u64::from(step));
            }
            (to, places)
        };
        (0..self.ranks).map(message).collect()
    }

    pub fn take_places(&mut self, from: Rank, places: &[u8]) -> Result<(), Garbled> {
        let mut reader = Reader::new(places);
        let count = reader.count()?;
        let places = (0..count).map(|_| Ok((reader.number()?, reader.word()?))).collect::<Result<_, Garbled>>()?;
        self.places[from as usize] = Some(places);
        Ok(())
    }

    pub fn take_positions(&mut self, from: Rank, positions: &[u8]) -> Result<(), Garbled> {
        let mut reader = Reader::new(positions);
        let total = reader.number()?;
        let count = reader.count()?;
        let positions = (0..count).map(|_| reader.number()).collect::<Result<_, Garbled>>()?;
        self.ranges[from as usize] = Some((total, positions));
        Ok(())
    }

    /// Goes on with the order as far as is known.
    pub fn ordering(&mut self) -> Ordering {
        if self.places.iter().all(Option::is_some) {
            return Ordering::Merged(self.merge());
        }
        if self.ranges.iter().all(Option::is_some) {
            return Ordering::Done { size: self.settle() };
        }
        Ordering::Waits
    }

    /// Sorts the places of this rank's range; each rank is told the numbers of its own.
    fn merge(&mut self) -> Vec<(Rank, Vec<u8>)> {
        let lists: Vec<Vec<Place>> = self.places.iter_mut().filter_map(Option::take).collect();
        let mut all: Vec<Place> = lists.iter().flatten().copied().collect();
        // Places of different states differ: one state, one step, one successor.
        all.sort_unstable();
        let reply = |(to, list): (usize, &Vec<Place>)| {
            let mut positions = Vec::new();
            positions.number(all.len() as u64);
            positions.number(list.len() as u64);
            for place in list {
                let number = all.binary_search(place).expect("it is among all");
                positions.number(number as u64);
            }
            (to as Rank, positions)
        };
        lists.iter().enumerate().map(reply).collect()
    }

    /// Makes the ordered level the current one, and returns its size on all ranks.
    fn settle(&mut self) -> u64 {
        let ranges: Vec<(u64, Vec<u64>)> = self.ranges.iter_mut().filter_map(Option::take).collect();
        let mut positions = Vec::with_capacity(self.sorted.len());
        let mut before = 0;
        for (total, of_range) in ranges {
            positions.extend(of_range.into_iter().map(|number| before + number));
            before += total;
        }
        let sorted = std::mem::take(&mut self.sorted);
        self.levels.push(RankedLevel {
            states: sorted.iter().map(|&(_, state)| state).collect(),
            positions,
            places: sorted.iter().map(|&(place, _)| place).collect(),
        });
        self.size = before;
        self.states += before;
        self.batch = 0..0;
        self.is_ordering = false;
        before
    }

    /// The states of the current level, with the ways by which they were found and their positions.
    pub fn for_each_current(&self, mut visit: impl FnMut(StateRef, Place, u64)) {
        let level = self.level();
        for (at, &state) in level.states.iter().enumerate() {
            visit(state, level.places.get(at).copied().unwrap_or_default(), level.positions[at]);
        }
    }

    /// Faulty steps to the current level, for a checkpoint.
    pub fn pending_faults(&self) -> Vec<Discovery> {
        let level = self.levels.len() as u64 - 1;
        self.faults.iter().map(|fault| placed(level, fault.clone())).collect()
    }

    pub fn restore_faults(&mut self, faults: Vec<Discovery>) {
        self.faults.extend(faults.into_iter().filter_map(|Discovery { fault, place, .. }| match place {
            FaultPlace::Placed { position, step, of_state, .. } => Some((((position, step), of_state), fault)),
            _ => None,
        }));
    }

    /// Takes a state of a checkpoint, in any order.
    pub fn restore(&mut self, level: u64, state: StateRef, companion: Companion) {
        while self.levels.len() as u64 <= level {
            self.levels.push(RankedLevel::default());
        }
        let restored = &mut self.levels[level as usize];
        restored.states.push(state);
        restored.positions.push(companion.position);
        if level > 0 {
            restored.places.push(companion.place);
        }
    }

    /// All states of a checkpoint were taken: the current level is this one, of this size on all ranks, which have so
    /// many states.
    pub fn restored(&mut self, level: u64, size: u64, states: u64) {
        self.states = states;
        self.levels.resize_with(level as usize + 1, RankedLevel::default);
        self.levels.iter_mut().for_each(RankedLevel::sort);
        self.size = size;
        self.batch = 0..0;
    }

    /// All states of this rank, each with its level and its position there.
    pub fn for_each(&self, mut visit: impl FnMut(StateRef, u64, u64)) {
        for (level, ranked) in self.levels.iter().enumerate() {
            ranked.states.iter().zip(&ranked.positions).for_each(|(&state, &position)| {
                visit(state, level as u64, position);
            });
        }
    }

    /// Where a state of this rank was found.
    pub fn place_of(&self, state: StateRef) -> Option<FaultPlace> {
        self.levels.iter().enumerate().find_map(|(level, ranked)| {
            let at = ranked.states.iter().position(|&other| other == state)?;
            Some(match ranked.places.get(at) {
                Some(&(position, step)) => FaultPlace::Placed { level: level as u64, position, step, of_state: true },
                None => FaultPlace::Initial(ranked.positions[at]),
            })
        })
    }

    /// The state at a position of a level, if it is this rank's, and by which way it was found.
    pub fn whence(&self, level: u64, position: u64) -> Option<(StateRef, Option<Place>)> {
        let level = self.levels.get(level as usize)?;
        let at = level.positions.binary_search(&position).ok()?;
        Some((level.states[at], level.places.get(at).copied()))
    }
}
