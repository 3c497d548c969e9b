//! The command line of Dampf, and the only room where languages, engines, stores and reports meet.
//!
//! Every command ends in an exit status: 0 verified, 1 violated, 2 bad usage or input, 3 unknown. Whatever can
//! go wrong outside of Dampf (a file, a pipe, a disk, an option) is a [`failure::Failure`] and ends in an
//! `error:` line; nothing a user does ends in a panic.

mod chance;
mod check;
mod cluster;
mod compile;
mod contents;
mod definitions;
mod disk;
mod engine;
mod failure;
mod info;
mod input;
mod interactive;
mod options;
mod output_file;
mod program;
mod program_info;
mod progress;
mod promela;
mod promela_info;
mod replay;
mod resume;
mod run_program;
mod simulate;
mod terminal;
mod values;

use clap::{CommandFactory, Parser};
use options::{Arguments, Command};
use std::process::ExitCode;
use terminal::Terminal;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse_from(options::with_compiler_flags(std::env::args_os())) {
        Ok(arguments) => arguments,
        Err(error) => return definitions::answer(&error),
    };
    let terminal = Terminal::new(arguments.color);
    let status = match &arguments.command {
        Command::Check(options) => check::run(options, &terminal),
        Command::Resume(options) => resume::run(options, &terminal),
        Command::Simulate(options) => simulate::run(options, &terminal),
        Command::Replay(options) => replay::run(options, &terminal),
        Command::Info(options) => info::run(options, &terminal),
        Command::Cc { arguments } => compile::run(compile::Compiler::C, arguments),
        Command::Cxx { arguments } => compile::run(compile::Compiler::Cxx, arguments),
        Command::Completions { shell } => definitions::completions(Arguments::command(), *shell),
        Command::Man { command } => definitions::manual(Arguments::command(), command.as_deref()),
    };
    match status {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            failure.draw(&terminal);
            ExitCode::from(failure.exit_status())
        }
    }
}
