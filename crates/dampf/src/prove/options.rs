//! The options of `dampf prove` and `dampf certify`.

use crate::options::Progress;
use crate::values;
use clap::{Args, ValueEnum, ValueHint};
use dampf_cegar::abstraction::Scope;
use dampf_cegar::prove::SolverChoice;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

pub const PROVE_NOTES: &str = "\
Examples:
  dampf prove lock.c                          prove that no assertion of a C program can fail, or show the run
  dampf prove counter.smt2 --json result.json the same for Horn clauses, with a summary for programs
  dampf prove lock.c --certificate lock.cert  keep the invariants that are the proof ...
  dampf certify lock.c lock.cert              ... and check them again
  dampf info counter.smt2                     show the transition system that was understood

Inputs: .smt2 (linear Horn clauses of SMT-LIB), .pl (ARMC clauses), .c and .i (sequential programs over integers).
What each language may say, and what a proof assumes, is told in docs/prove.md.
Exit status: 0 verified, 1 violated, 2 bad usage or input, 3 unknown.
Ctrl-C ends the proof and prints what was learnt; a second Ctrl-C ends Dampf at once.";

#[derive(Args, Debug)]
pub struct ProveOptions {
    /// The program or clauses to prove: a .smt2, .pl, .c or .i file
    #[arg(value_hint = ValueHint::FilePath)]
    pub input: PathBuf,

    /// How many workers compute abstractions; the answer and every figure are the same for any number
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Proof")]
    pub workers: NonZeroUsize,

    /// Take the first counterexample that a worker finds, whichever it is: the answer may depend on chance
    #[arg(long, help_heading = "Proof")]
    pub naive: bool,

    /// Take predicates from refuted counterexamples alone, and infer nothing else about loops
    #[arg(long, help_heading = "Proof")]
    pub refine_only: bool,

    /// Who decides what follows from what
    #[arg(long, value_enum, value_name = "NAME", default_value = "auto", help_heading = "Proof")]
    pub solver: Solver,

    /// Where a predicate that was found is used
    #[arg(long, value_enum, value_name = "WHERE", default_value = "local", help_heading = "Proof")]
    pub predicates: Predicates,

    /// Prove the system as it was read, without simplifying it first
    #[arg(long, help_heading = "Proof")]
    pub no_simplify: bool,

    /// Stop after this time: seconds, or with a unit as in 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = values::time, help_heading = "Limits")]
    pub max_time: Option<Duration>,

    /// Stop after this many refinements of the abstraction
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_refinements: Option<u32>,

    /// Write a summary as JSON; `-` writes it to standard output, in place of the text
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub json: Option<PathBuf>,

    /// Write the invariants that prove the program, for `dampf certify`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub certificate: Option<PathBuf>,

    /// Whether to show progress on a terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub progress: Progress,
}

#[derive(Args, Debug)]
pub struct CertifyOptions {
    /// The program or clauses that were proved
    #[arg(value_hint = ValueHint::FilePath)]
    pub input: PathBuf,

    /// What `dampf prove --certificate` wrote
    #[arg(value_hint = ValueHint::FilePath)]
    pub certificate: PathBuf,

    /// Write what is to be shown as a script for any SMT solver, too: each of its answers has to be `unsat`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub smtlib: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Solver {
    /// What suits the input
    Auto,
    /// Dampf's own: simplex with branching
    Own,
    /// Z3, where its library is installed
    Z3,
}

impl From<Solver> for SolverChoice {
    fn from(solver: Solver) -> SolverChoice {
        match solver {
            Solver::Auto => SolverChoice::Auto,
            Solver::Own => SolverChoice::Own,
            Solver::Z3 => SolverChoice::Z3,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Predicates {
    /// At the location it was found for
    Local,
    /// At all locations with the same variables
    Global,
}

impl From<Predicates> for Scope {
    fn from(predicates: Predicates) -> Scope {
        match predicates {
            Predicates::Local => Scope::Local,
            Predicates::Global => Scope::Global,
        }
    }
}
