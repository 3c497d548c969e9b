//! `cargo xtask`: what it offers, and who does it.

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use xtask::bench::BenchOptions;
use xtask::corpus::Corpus;
use xtask::libraries::LibraryOptions;
use xtask::mamp::Mamp;
use xtask::suite::FuzzOptions;
use xtask::workspace::Workspace;
use xtask::{bench, corpus, libraries, mamp, suite, tidy};

/// Developer commands of Dampf.
#[derive(Parser, Debug)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 110)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Check everything that is checked of a change: format, tidy, lints, tests
    Test,
    /// Check what no compiler checks: arrows between crates, the architecture page, sizes, forbidden words
    Tidy,
    /// Run the checker over whole collections of models and compare its counts with known ones
    #[command(subcommand)]
    Corpus(Corpus),
    /// Check the programs over real libraries, under `models/libraries`, against what they say of themselves
    Libraries(LibraryOptions),
    /// Measure speed and memory, against SPIN where it is installed
    Bench(BenchOptions),
    /// Instances of the manufacturing problem for `models/plan/mamp.cc`, and whether schedules solve them
    #[command(subcommand)]
    Mamp(Mamp),
    /// Read damaged models for a while: the mutation tests of all languages; or compare with others on random programs
    Fuzz(FuzzOptions),
    /// Rewrite the expectations of tests with what happens now; look at the difference before you keep it
    Bless,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let workspace = Workspace::of_this_crate();
    let result = match &arguments.command {
        Command::Test => suite::test(&workspace),
        Command::Tidy => tidy::run(&workspace),
        Command::Corpus(corpus) => corpus::run(&workspace, corpus),
        Command::Libraries(options) => libraries::run(&workspace, options),
        Command::Bench(options) => bench::run(&workspace, options),
        Command::Mamp(command) => mamp::run(command),
        Command::Fuzz(options) => suite::fuzz(&workspace, options),
        Command::Bless => suite::bless(&workspace),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
