//! `dampf-cc`: `dampf cc` as a single word, for build systems that want one.

use std::process::ExitCode;

fn main() -> ExitCode {
    dampf_cli::compile_with(dampf_cli::Compiler::C)
}
