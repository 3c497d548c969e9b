//! What a program finds around it, as the options say: arguments, environment, standard input, files, processors.

use super::program::read_bytes;
use crate::failure::Failure;
use crate::options::ModelOptions;
use dampf_object::{PROCESSORS, ReadableFile, Surroundings};
use dampf_report::bytes_hash;

/// Reads what the program is to find. It is called as it was when the options named it: its name takes room on the
/// stack.
pub fn of(options: &ModelOptions) -> Result<Surroundings, Failure> {
    let program = &options.program;
    let mut arguments = vec![options.input.display().to_string()];
    arguments.extend(program.arguments.iter().cloned());
    let read = |path: &String| Ok(ReadableFile { path: path.clone(), contents: read_bytes(path.as_ref())? });
    Ok(Surroundings {
        arguments,
        environment: program.environment.clone(),
        stdin: program.stdin.as_deref().map(read_bytes).transpose()?,
        files: program.files.iter().map(read).collect::<Result<_, Failure>>()?,
        processors: program.cpus.unwrap_or(PROCESSORS),
    })
}

/// A hash of an input and of what it can read: a trail is a run of both.
pub fn hash(input: &[u8], surroundings: &Surroundings) -> String {
    let own = bytes_hash(input);
    let readable = surroundings.files.iter().map(|file| &file.contents).chain(&surroundings.stdin);
    let hashes: Vec<String> = readable.map(|contents| bytes_hash(contents)).collect();
    if hashes.is_empty() { own } else { bytes_hash(format!("{own} {}", hashes.join(" ")).as_bytes()) }
}
