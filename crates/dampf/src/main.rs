//! The program `dampf`: the command line with all front ends.

use std::process::ExitCode;

fn main() -> ExitCode {
    dampf_cli::run(&dampf_cli::Registry::new())
}
