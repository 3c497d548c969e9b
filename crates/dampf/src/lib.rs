//! The command line of Dampf, and the only room where languages, engines, stores and reports meet.
//!
//! A command is one function over [`FrontEnd`]: `check`, `simulate`, `replay` (and `shorten`), `plan`, `info`. The
//! [`Registry`] chooses the front end of a file; a program that adds its own to it has all commands for it. `prove` and
//! `certify` are of transition systems instead, and have front ends of their own.
//!
//! Every command ends in an exit status: 0 verified, 1 violated, 2 bad usage or input, 3 unknown. Whatever can
//! go wrong outside of Dampf (a file, a pipe, a disk, an option) is a [`Failure`] and ends in an
//! `error:` line; nothing a user does ends in a panic.

mod check;
mod cluster;
mod compile;
mod contents;
mod cycle_engine;
mod definitions;
mod disk;
mod earlier_properties;
mod engine;
mod failure;
mod fault_options;
mod front_end;
mod front_ends;
mod heuristics;
mod info;
mod interactive;
mod interrupt;
mod options;
mod output_file;
mod outputs;
mod plan;
mod progress;
mod properties;
mod prove;
mod replay;
mod resume;
mod rounds;
mod sampling;
mod simulate;
mod source;
mod store_options;
mod terminal;
mod values;

pub use compile::Compiler;
pub use dampf_report::{Knowledge, Palette};
pub use failure::Failure;
pub use front_end::{Backend, FrontEnd, Hashes, Made, Making, Offer};
pub use front_ends::Registry;
pub use options::ModelOptions;
pub use source::read_source;

use clap::{CommandFactory, Parser};
use options::{Arguments, Command};
use std::process::ExitCode;
use terminal::Terminal;

/// Does what the arguments of this process say.
pub fn run(registry: &Registry) -> ExitCode {
    let mut arguments = match Arguments::try_parse_from(options::with_compiler_flags(std::env::args_os())) {
        Ok(arguments) => arguments,
        Err(error) => return definitions::answer(&error),
    };
    let terminal = Terminal::new(arguments.color);
    let status = match &mut arguments.command {
        Command::Check(options) => check::run(options, None, registry, &terminal),
        Command::Resume(options) => resume::run(options, registry, &terminal),
        Command::Simulate(options) => simulate::run(options, registry, &terminal),
        Command::Replay(options) => replay::run(options, registry, &terminal),
        Command::Shorten(options) => replay::shorten(options, registry, &terminal),
        Command::Prove(options) => prove::run(options, &terminal),
        Command::Certify(options) => prove::certify(options, &terminal),
        Command::Plan(options) => plan::run(options, registry, &terminal),
        Command::Info(options) => info::run(options, registry, &terminal),
        Command::Cc { arguments } => compile::run(compile::Compiler::C, arguments),
        Command::Cxx { arguments } => compile::run(compile::Compiler::Cxx, arguments),
        Command::Completions { shell } => definitions::completions(Arguments::command(), *shell),
        Command::Man { command } => definitions::manual(Arguments::command(), command.as_deref()),
    };
    exit_code(status, &terminal)
}

/// Compiles for checking, with the arguments of this process as for gcc or g++.
pub fn compile_with(compiler: Compiler) -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    exit_code(compile::run(compiler, &arguments), &Terminal::new(options::Color::Auto))
}

fn exit_code(status: Result<u8, Failure>, terminal: &Terminal) -> ExitCode {
    match status {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            failure.draw(terminal);
            ExitCode::from(failure.exit_status())
        }
    }
}
