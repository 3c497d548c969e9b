//! What tests of engines are made of: random inputs from a seed, and a naive reference to compare with.
//!
//! Nothing here is clever. The reference uses hash maps of whole states and one queue, so that it can be
//! believed by reading it.

pub mod buchi;
pub mod expectations;
#[cfg(feature = "program")]
pub mod footprints;
pub mod graph;
pub mod libraries;
pub mod mamp;
pub mod moving;
pub mod mutants;
pub mod pages;
pub mod plot;
#[cfg(feature = "program")]
pub mod program;
pub mod promela;
pub mod puzzle;
pub mod random;
pub mod reference;
pub mod threads;
