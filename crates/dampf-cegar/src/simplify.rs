//! Simplification of formulas and systems: the same runs with less to say about them.

pub mod eliminate;
pub mod split;
