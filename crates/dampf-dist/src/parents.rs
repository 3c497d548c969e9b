//! The parents of the first states of a search.
//!
//! A store keeps as many bits of a parent's reference as it has room for, and it has little room while it is small. So
//! the first states have the vaguest parents, for the rest of the search, and deep searches have long ways of them.
//! These are kept beside the store, with all bits that travel.

use dampf_store::StateRef;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The parents of so many states are kept. Trails by levels are short, and few of their steps are early ones.
const STATES_MAX: usize = 1 << 20;
const STATES_MAX_BY_LEVELS: usize = 1 << 16;

pub struct EarlyParents {
    bits: HashMap<StateRef, u32, BuildHasherDefault<Scrambled>>,
    states_max: usize,
}

impl EarlyParents {
    pub fn new(by_levels: bool) -> Self {
        let states_max = if by_levels { STATES_MAX_BY_LEVELS } else { STATES_MAX };
        EarlyParents { bits: HashMap::default(), states_max }
    }

    #[inline]
    pub fn note(&mut self, state: StateRef, parent_bits: u32) {
        if self.bits.len() < self.states_max {
            self.bits.insert(state, parent_bits);
        }
    }

    pub fn get(&self, state: StateRef) -> Option<u32> {
        self.bits.get(&state).copied()
    }
}

/// References are hashes already.
#[derive(Default)]
pub struct Scrambled(u64);

impl Hasher for Scrambled {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("references are numbers")
    }

    fn write_u64(&mut self, reference: u64) {
        self.0 = reference;
    }
}
