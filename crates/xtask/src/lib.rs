//! The commands behind `cargo xtask`, the one door for developers.
//!
//! Nothing here is part of the checker: no crate of the checker is used, only its command line is, so that
//! what is measured and compared is what users run. Random models come from the test kit.

pub mod bench;
pub mod checker;
pub mod corpus;
pub mod figures;
pub mod fuzz;
pub mod libraries;
pub mod mamp;
pub mod measured;
pub mod spin;
pub mod suite;
pub mod tidy;
pub mod workspace;

/// Why a command cannot go on: a sentence for the developer.
pub type Failure = String;
