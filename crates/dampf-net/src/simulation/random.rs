//! The numbers that make one simulation differ from another: splitmix64, from a seed.

/// A sequence of numbers that is determined by its seed.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(super) fn next_number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number from 0 to `most`, both included.
    pub(super) fn up_to(&mut self, most: u64) -> u64 {
        // The upper half of a product spreads the numbers evenly without a division.
        ((u128::from(self.next_number()) * (u128::from(most) + 1)) >> 64) as u64
    }

    /// One of the choices, of which there is at least one.
    pub(super) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.up_to(choices.len() as u64 - 1) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn numbers_stay_within_their_bounds_and_reach_them() {
        let mut random = Random::new(7);
        assert!((0..100).all(|_| random.up_to(0) == 0));
        let mut seen = [0; 4];
        (0..1000).for_each(|_| seen[random.up_to(3) as usize] += 1);
        assert!(seen.iter().all(|times| (150..350).contains(times)), "{seen:?}");
        assert!((0..100).any(|_| random.up_to(u64::MAX) > u64::MAX / 2));
    }
}
