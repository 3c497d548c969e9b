//! Front ends: texts in, transition systems out.
//!
//! Each language is one module with one function from a source to a [`System`]. What a front end cannot express is
//! refused by name and place, never approximated: a system that differs from its text proves nothing.

pub mod armc;
pub mod c;
pub mod certificate;
pub mod horn;
pub mod show;
pub mod smtlib;

use crate::system::System;
use dampf_core::{Diagnostic, Source};
use std::path::Path;
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// `.smt2`
    Horn,
    /// `.pl`
    Armc,
    /// `.c`, and `.i` behind the preprocessor
    C,
}

/// What was read.
pub struct Input {
    pub system: System,
    /// The system with the ranges of its types, where these are left out of `system`: the same transitions in the same
    /// order. A run to the error that has no counterpart here breaks an assumption.
    pub within_ranges: Option<System>,
    /// What a proof takes for granted about the text beyond its language: `integers do not overflow`.
    pub assumptions: Vec<String>,
}

impl Language {
    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "smt2" => Some(Language::Horn),
            "pl" => Some(Language::Armc),
            "c" | "i" => Some(Language::C),
            _ => None,
        }
    }

    pub fn parse(self, source: &Arc<Source>) -> Result<Input, Vec<Diagnostic>> {
        let exact = |system| Input { system, within_ranges: None, assumptions: Vec::new() };
        match self {
            Language::Horn => horn::parse(source).map(exact),
            Language::Armc => armc::parse(source).map(exact),
            Language::C => c::parse(source),
        }
    }
}
