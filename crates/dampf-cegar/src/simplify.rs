//! Simplification of formulas and systems: the same runs with less to say about them.

mod conjuncts;
pub mod eliminate;
pub mod split;
