//! `dampf cc` and `dampf c++`: the cross compiler as a drop-in for gcc, and programs compiled on the fly.
//!
//! A program is checked as the static RISC-V executable that a stock compiler makes of it. What Dampf adds is
//! small: sanitizers turn every access that may be shared and every undefined operation into a call
//! (`-fsanitize=thread,undefined`), and instead of the sanitizers' libraries, which do not exist for this
//! machine, our own [`runtime`] is linked. A compiler driver that is told of a sanitizer would ask for its
//! library, so the flags are given to the compiler proper, behind the driver's back ([`toolchain`]).
//!
//! Everything else is left to the driver: it knows which of its invocations compile, link, preprocess or only
//! answer a question, and its messages and exit status are passed on untouched.

mod arguments;
mod object_cache;
mod runtime;
mod toolchain;

use crate::failure::Failure;
use arguments::Invocation;
use runtime::Runtime;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use tempfile::TempDir;
use toolchain::Toolchain;

/// The language that a driver is for. It decides what is linked; sources are told apart by their names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compiler {
    C,
    Cxx,
}

impl Compiler {
    /// The driver for a source file, by its name.
    pub fn of_source(source: &Path) -> Option<Compiler> {
        match source.extension()?.to_str()? {
            "c" | "i" => Some(Compiler::C),
            "cc" | "cp" | "cpp" | "cxx" | "c++" | "C" | "CPP" | "ii" => Some(Compiler::Cxx),
            _ => None,
        }
    }

    /// The environment variable that may name the driver.
    fn variable(self) -> &'static str {
        match self {
            Compiler::C => "DAMPF_CC",
            Compiler::Cxx => "DAMPF_CXX",
        }
    }
}

/// An executable in a temporary directory, removed with this value.
#[derive(Debug)]
pub struct Compiled {
    path: PathBuf,
    _directory: TempDir,
}

impl Compiled {
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Longer command lines than this travel in a response file, as they may exceed what the system passes on.
const COMMAND_LINE_BYTES_MAX: usize = 64 * 1024;

/// The time of a compilation whose result is to be the same on another day, as compilers take it: seconds since 1970.
const BEGINNING_OF_TIME: &str = "0";

/// Runs the cross compiler as a drop-in, with gcc's `arguments`: adds our flags, and links our runtime when the
/// invocation links. Returns the compiler's exit status.
pub fn run(compiler: Compiler, arguments: &[OsString]) -> Result<u8, Failure> {
    run_at(compiler, arguments, None)
}

/// Does the same at another time than now, as far as the program can tell.
fn run_at(compiler: Compiler, arguments: &[OsString], time: Option<&str>) -> Result<u8, Failure> {
    let invocation = Invocation::read(arguments)?;
    if invocation.makes_shared_library() {
        return Err(Failure::with_help(
            "a shared library cannot be checked: a checked program is one static executable",
            "build a static library instead (CMake: -DBUILD_SHARED_LIBS=OFF, configure: --disable-shared)",
        ));
    }
    let toolchain = Toolchain::find(compiler)?;
    let runtime = Runtime::prepare(&toolchain)?;
    let status = compile(&toolchain, &runtime, &invocation, time)?;
    Ok(exit_status(status))
}

/// Compiles one source file to a temporary executable. `flags` are those that a user gives for it: `-D`, `-I`,
/// `-O`, `-std`, `-l`.
///
/// The same source at the same path makes the same segments whenever it is compiled, so that a trail can tell whether
/// it still fits. Therefore clocks stand still, and no hash of the debug information is linked in: that says where the
/// compiler ran.
pub fn executable(source: &Path, flags: &[String]) -> Result<Compiled, Failure> {
    let shown = source.display();
    let Some(compiler) = Compiler::of_source(source) else {
        return Err(Failure::new(format!("`{shown}` is no C or C++ source: its name ends otherwise")));
    };
    let unreadable = |error: std::io::Error| Failure::new(format!("cannot read `{shown}`: {error}"));
    let metadata = source.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(Failure::new(format!("`{shown}` is a directory, not a source")));
    }
    if !metadata.is_file() {
        return Err(Failure::new(format!("`{shown}` is no file that can be read more than once")));
    }
    std::fs::File::open(source).map_err(unreadable)?;
    let directory = tempfile::Builder::new()
        .prefix("dampf-")
        .tempdir()
        .map_err(|error| Failure::new(format!("cannot make a temporary directory: {error}")))?;
    let path = directory.path().join(source.file_stem().unwrap_or(OsStr::new("program")));
    let flags: Vec<OsString> = flags.iter().map(OsString::from).collect();
    let with_flags = |first: &[&OsStr]| -> Vec<OsString> {
        first.iter().map(|&argument| argument.to_owned()).chain(flags.iter().cloned()).collect()
    };
    let mut input = unmistakable(source);
    let object = directory.path().join("object.o").into_os_string();
    let compiling = with_flags(&[&input, "-c".as_ref(), "-o".as_ref(), &object]);
    let mut status = 0;
    let is_linked = Invocation::read(&with_flags(&[&input]))?.links();
    if object_cache::is_on() && is_linked && Invocation::read(&compiling)?.only_object().is_some() {
        // What is compiled is kept, what is linked is not.
        status = run_at(compiler, &compiling, Some(BEGINNING_OF_TIME))?;
        input = object;
    }
    if status == 0 {
        // Libraries are looked into for what stands before them; the one of mathematics is always at hand.
        let mut linking = with_flags(&[&input, "-o".as_ref(), path.as_os_str(), "-Wl,--build-id=none".as_ref()]);
        linking.push("-lm".into());
        status = run_at(compiler, &linking, Some(BEGINNING_OF_TIME))?;
    }
    if status != 0 {
        return Err(Failure::new(format!("`{shown}` was not compiled (the compiler's exit status is {status})")));
    }
    if !path.is_file() {
        return Err(Failure::new(format!("`{shown}` was compiled, but not to an executable: see its flags")));
    }
    Ok(Compiled { path, _directory: directory })
}

/// A file name that is not taken for an option or a response file.
fn unmistakable(source: &Path) -> OsString {
    match source.as_os_str().as_bytes().first() {
        Some(b'-' | b'@') => Path::new(".").join(source).into(),
        _ => source.into(),
    }
}

/// Runs the compiler on an invocation, with our flags around the user's.
fn compile(
    toolchain: &Toolchain,
    runtime: &Runtime,
    invocation: &Invocation,
    time: Option<&str>,
) -> Result<ExitStatus, Failure> {
    let mut arguments = toolchain.flags_before(runtime);
    arguments.extend(invocation.arguments().iter().cloned());
    arguments.extend(toolchain.flags_after(runtime, invocation));
    let kept = object_cache::Entry::of(toolchain, runtime, (invocation, &arguments), time);
    if kept.as_ref().is_some_and(object_cache::Entry::restore) {
        return Ok(ExitStatus::default());
    }
    let bytes: usize = arguments.iter().map(|argument| argument.len() + 1).sum();
    let mut command = toolchain.command();
    if let Some(time) = time {
        command.env("SOURCE_DATE_EPOCH", time);
    }
    let written = if bytes > COMMAND_LINE_BYTES_MAX { Some(response_file(&arguments)?) } else { None };
    match &written {
        Some((_, argument)) => command.arg(argument),
        None => command.args(&arguments),
    };
    let Some(kept) = kept else { return status_of(toolchain, &mut command) };
    let (status, has_spoken) = status_and_messages(toolchain, &mut command)?;
    if status.success() && !has_spoken {
        kept.keep();
    }
    Ok(status)
}

/// Runs a compiler and passes on what it says; also whether it says anything.
fn status_and_messages(toolchain: &Toolchain, command: &mut Command) -> Result<(ExitStatus, bool), Failure> {
    if std::io::stderr().is_terminal() {
        command.arg("-fdiagnostics-color=always");
    }
    let output = command.stdout(Stdio::inherit()).stderr(Stdio::piped()).output();
    let output = output.map_err(|error| Failure::new(format!("cannot run `{}`: {error}", toolchain.name())))?;
    // Nobody may be listening any more.
    let _ = std::io::stderr().write_all(&output.stderr);
    Ok((output.status, !output.stderr.is_empty()))
}

/// Writes arguments to a file, and returns the argument that names it.
fn response_file(arguments: &[OsString]) -> Result<(tempfile::NamedTempFile, OsString), Failure> {
    let cannot = |error| Failure::new(format!("cannot write a file of compiler arguments: {error}"));
    let mut file = tempfile::Builder::new().prefix("dampf-").tempfile().map_err(cannot)?;
    let mut text = Vec::new();
    for argument in arguments {
        arguments::quote(argument, &mut text);
    }
    file.write_all(&text).and_then(|()| file.flush()).map_err(cannot)?;
    let mut argument = OsString::from("@");
    argument.push(file.path());
    Ok((file, argument))
}

fn status_of(toolchain: &Toolchain, command: &mut Command) -> Result<ExitStatus, Failure> {
    command.status().map_err(|error| Failure::new(format!("cannot run `{}`: {error}", toolchain.name())))
}

/// The exit status as a shell would see it.
fn exit_status(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => u8::try_from(code).unwrap_or(u8::MAX),
        (None, Some(signal)) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        (None, None) => u8::MAX,
    }
}

#[cfg(test)]
mod tests;
