//! `dampf-cxx`: `dampf c++` as a single word, for build systems that want one. A program of Cargo's has no `+` in its
//! name; `make install` adds a link that is called `dampf-c++`.

use std::process::ExitCode;

fn main() -> ExitCode {
    dampf_cli::compile_with(dampf_cli::Compiler::Cxx)
}
