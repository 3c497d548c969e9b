//! Random choices that can be had again.

/// Pseudo-random numbers (splitmix64), the same on every machine.
pub struct Chance(pub u64);

impl Chance {
    /// A number from 0 to `limit - 1`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // The upper half of the product is even enough for any number of choices there is.
        ((u128::from(mixed) * limit as u128) >> 64) as usize
    }
}
