//! A rank's states, numbered, so that what is known of each is kept in arrays.
//!
//! A store names states by references that are hashes. The sorted references are the numbering; the high bits of a
//! reference say about where it is, by a list of where each range of them begins.
//!
//! A state takes 8 bytes for its reference, 1 for the ranges and 1 for its marks.

use dampf_store::StateRef;

/// States that share an entry of the list of ranges, on average.
const STATES_PER_RANGE: usize = 4;

const IS_ACCEPTING: u8 = 1;
const IS_KEPT: u8 = 2;
const IS_REACHED: u8 = 4;

#[derive(Default)]
pub(crate) struct StateTable {
    states: Vec<StateRef>,
    /// Where the states of each range of references begin, and where the last one ends.
    ranges: Vec<u32>,
    marks: Vec<u8>,
}

impl StateTable {
    /// All states are kept, and none is accepting.
    pub fn new(mut states: Vec<StateRef>) -> Self {
        assert!(u32::try_from(states.len()).is_ok(), "a rank has less than 2^32 states");
        states.sort_unstable();
        let marks = vec![IS_KEPT; states.len()];
        StateTable { ranges: ranges(&states), states, marks }
    }

    pub fn len(&self) -> u32 {
        self.states.len() as u32
    }

    pub fn state(&self, number: u32) -> StateRef {
        self.states[number as usize]
    }

    /// The number of a state.
    #[inline]
    pub fn number(&self, state: StateRef) -> Option<u32> {
        let range = range_of(state, self.ranges.len() - 1);
        let (first, end) = (self.ranges[range] as usize, self.ranges[range + 1] as usize);
        let at = self.states[first..end].binary_search(&state).ok()?;
        Some((first + at) as u32)
    }

    /// Leaves the kept states alone, under new numbers in the same order.
    pub fn retain_kept(&mut self) {
        let mut marks = self.marks.iter();
        self.states.retain(|_| marks.next().is_some_and(|marks| marks & IS_KEPT != 0));
        self.states.shrink_to_fit();
        self.marks.retain(|marks| marks & IS_KEPT != 0);
        self.marks.shrink_to_fit();
        self.ranges = ranges(&self.states);
    }

    #[inline]
    pub fn is_accepting(&self, number: u32) -> bool {
        self.marks[number as usize] & IS_ACCEPTING != 0
    }

    pub fn set_accepting(&mut self, number: u32) {
        self.marks[number as usize] |= IS_ACCEPTING;
    }

    #[inline]
    pub fn is_kept(&self, number: u32) -> bool {
        self.marks[number as usize] & IS_KEPT != 0
    }

    pub fn keep(&mut self, number: u32) {
        self.marks[number as usize] |= IS_KEPT;
    }

    /// Keeps no state.
    pub fn drop_all(&mut self) {
        self.marks.iter_mut().for_each(|marks| *marks &= !IS_KEPT);
    }

    #[inline]
    pub fn drop(&mut self, number: u32) {
        self.marks[number as usize] &= !IS_KEPT;
    }

    /// Marks a state as reached; true where it was not.
    #[inline]
    pub fn reach(&mut self, number: u32) -> bool {
        let marks = &mut self.marks[number as usize];
        let is_new = *marks & IS_REACHED == 0;
        *marks |= IS_REACHED;
        is_new
    }

    /// Keeps those states alone that were reached, and takes the marks of reaching away.
    pub fn keep_reached(&mut self) {
        for marks in &mut self.marks {
            *marks = *marks & IS_ACCEPTING | if *marks & IS_REACHED != 0 { IS_KEPT } else { 0 };
        }
    }
}

#[inline]
fn range_of(state: StateRef, ranges: usize) -> usize {
    ((u128::from(state.0) * ranges as u128) >> 64) as usize
}

fn ranges(states: &[StateRef]) -> Vec<u32> {
    let count = (states.len() / STATES_PER_RANGE).max(1);
    let mut begins = Vec::with_capacity(count + 1);
    for (at, &state) in states.iter().enumerate() {
        while begins.len() <= range_of(state, count) {
            begins.push(at as u32);
        }
    }
    begins.resize(count + 1, states.len() as u32);
    begins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_found_by_their_references() {
        for count in [0u64, 1, 2, 5, 100, 1000] {
            let reference = |number: u64| StateRef((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let mut table = StateTable::new((0..count).map(reference).collect());
            assert_eq!(u64::from(table.len()), count);
            for state in (0..count).map(reference) {
                let number = table.number(state).expect("it is there");
                assert_eq!(table.state(number), state);
                if state.0 % 3 == 0 {
                    table.drop(number);
                }
            }
            assert_eq!(table.number(reference(count)), None);
            table.retain_kept();
            for state in (0..count).map(reference) {
                assert_eq!(table.number(state).is_some(), state.0 % 3 != 0);
            }
        }
    }
}
