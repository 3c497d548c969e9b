//! Random formulas and words, from a seed.

use super::word::Word;
use dampf_ltl::Formula;
use std::sync::Arc;

/// Steele, Lea and Flood's SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    /// A formula with about so many operators.
    pub fn formula(&mut self, operators: usize, propositions: u32, with_next: bool) -> Formula {
        if operators == 0 {
            return match self.below(40) {
                0 => Formula::True,
                1 => Formula::False,
                _ => Formula::Proposition(self.below(propositions as usize) as u32),
            };
        }
        let rest = operators - 1;
        let kind = self.below(if with_next { 14 } else { 13 });
        if kind < 4 || kind == 13 {
            let inner = Arc::new(self.formula(rest, propositions, with_next));
            return match kind {
                0 | 1 => Formula::Not(inner),
                2 => Formula::Always(inner),
                3 => Formula::Eventually(inner),
                _ => Formula::Next(inner),
            };
        }
        let left_operators = self.below(rest + 1);
        let left = Arc::new(self.formula(left_operators, propositions, with_next));
        let right = Arc::new(self.formula(rest - left_operators, propositions, with_next));
        match kind {
            4 | 5 => Formula::And(left, right),
            6 | 7 => Formula::Or(left, right),
            8 => Formula::Implies(left, right),
            9 => Formula::Equivalent(left, right),
            10 => Formula::Until(left, right),
            11 => Formula::Release(left, right),
            _ => Formula::WeakUntil(left, right),
        }
    }

    pub fn word(&mut self, propositions: u32) -> Word {
        let letters = 1 << propositions;
        let stem = self.below(5);
        let cycle = 1 + self.below(4);
        Word { letters: (0..stem + cycle).map(|_| self.below(letters) as u32).collect(), back_to: stem }
    }
}
