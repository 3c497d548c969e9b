//! What is linked into a checked program, made ready for one compiler.
//!
//! The header and the hooks travel inside of the binary. They are written to a directory of the user's cache, and
//! the hooks are compiled there once for each compiler; a build system calls the compiler thousands of times, and
//! the header's path stands in its lists of dependencies. The directory is named for its contents and appears whole,
//! under its name only when it is complete, so that calls that run at the same time do not meet. Where there is no
//! cache, everything is made anew in a temporary directory.

use super::toolchain::{self, Toolchain};
use crate::failure::Failure;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const HEADER: &str = include_str!("../../../../runtime/dampf.h");
const THREAD_HEADER: &str = include_str!("../../../../runtime/IVMThread.h");
const ANNOTATION_HEADER: &str = include_str!("../../../../runtime/icvm_verify.h");
const ATOMIC_WAIT_HEADER: &str = include_str!("../../../../runtime/libstdc++/atomic_wait.h");
const ASSEMBLER: &str = include_str!("../../../../runtime/as.sh");
const ATOMICS_HEADER: &str = include_str!("../../../../runtime/dampf_atomics.h");
const HOOKS: &str = include_str!("../../../../runtime/hooks.c");

/// The files of the runtime, on disk.
#[derive(Debug)]
pub struct Runtime {
    directory: PathBuf,
    /// Removed with this value, where there is no cache.
    temporary: Option<TempDir>,
}

impl Runtime {
    pub fn prepare(toolchain: &Toolchain) -> Result<Runtime, Failure> {
        let name = directory_name(toolchain);
        if let Some(cache) = cache_directory() {
            let directory = cache.join(&name);
            if directory.is_dir() {
                return Ok(Runtime { directory, temporary: None });
            }
            // A cache that cannot be written to is no reason not to compile.
            if std::fs::create_dir_all(&cache).is_ok()
                && let Ok(temporary) = tempfile::Builder::new().prefix(".making-").tempdir_in(&cache)
            {
                fill(temporary.path(), toolchain)?;
                return Ok(move_into_place(temporary, directory));
            }
        }
        let temporary = tempfile::Builder::new()
            .prefix("dampf-")
            .tempdir()
            .map_err(|error| Failure::new(format!("cannot make a temporary directory: {error}")))?;
        fill(temporary.path(), toolchain)?;
        Ok(Runtime { directory: temporary.path().to_owned(), temporary: Some(temporary) })
    }

    /// Whether it is gone when the compiler has run.
    pub fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// Where dampf.h is found, and what comes before headers of the C++ library.
    pub fn include_directory(&self) -> PathBuf {
        self.directory.join("include")
    }

    /// What is included before everything else.
    pub fn atomics_header(&self) -> PathBuf {
        self.include_directory().join("dampf_atomics.h")
    }

    /// The object with the bodies of all hooks.
    pub fn hooks(&self) -> PathBuf {
        self.directory.join("hooks.o")
    }

    /// Where the compiler finds the programs that it calls before its own.
    pub fn tools_directory(&self) -> PathBuf {
        self.directory.join("tools")
    }

    /// What gcc's driver is told.
    pub fn specs(&self) -> PathBuf {
        self.directory.join("dampf.specs")
    }
}

/// Renames a complete directory. Somebody else may have been faster, with the same contents.
fn move_into_place(temporary: TempDir, directory: PathBuf) -> Runtime {
    match std::fs::rename(temporary.path(), &directory) {
        Ok(()) => {
            // There is nothing left to remove under the old name.
            let _ = temporary.keep();
            Runtime { directory, temporary: None }
        }
        Err(_) if directory.is_dir() => Runtime { directory, temporary: None },
        Err(_) => Runtime { directory: temporary.path().to_owned(), temporary: Some(temporary) },
    }
}

/// Makes all files in an empty directory.
fn fill(directory: &Path, toolchain: &Toolchain) -> Result<(), Failure> {
    write_sources(directory)
        .and_then(|()| write_tools(&directory.join("tools"), toolchain))
        .map_err(|error| Failure::new(format!("cannot write to `{}`: {error}", directory.display())))?;
    toolchain.compile_plainly(&directory.join("hooks.c"), &directory.join("hooks.o"))
}

fn write_sources(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let include = directory.join("include");
    std::fs::create_dir(&include)?;
    std::fs::write(include.join("dampf.h"), HEADER)?;
    std::fs::write(include.join("IVMThread.h"), THREAD_HEADER)?;
    std::fs::write(include.join("icvm_verify.h"), ANNOTATION_HEADER)?;
    std::fs::write(include.join("dampf_atomics.h"), ATOMICS_HEADER)?;
    // Under the name that the C++ library includes.
    std::fs::create_dir(include.join("bits"))?;
    std::fs::write(include.join("bits/atomic_wait.h"), ATOMIC_WAIT_HEADER)?;
    std::fs::write(directory.join("hooks.c"), HOOKS)?;
    std::fs::write(directory.join("dampf.specs"), toolchain::specs())?;
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o755))
}

/// Writes what stands between the compiler and its own tools: an assembler, if the compiler says which it calls.
fn write_tools(tools: &Path, toolchain: &Toolchain) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::create_dir(tools)?;
    let Some(assembler) = toolchain.assembler() else { return Ok(()) };
    let quoted = assembler.replace('\'', "'\\''");
    let path = tools.join("as");
    std::fs::write(&path, ASSEMBLER.replace("@ASSEMBLER@", &quoted))?;
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
}

/// A name for the contents: the sources, and the compiler of the hooks.
fn directory_name(toolchain: &Toolchain) -> String {
    let (specs, identity) = (toolchain::specs(), toolchain.identity());
    let headers = [HEADER, THREAD_HEADER, ANNOTATION_HEADER, ATOMIC_WAIT_HEADER, ATOMICS_HEADER];
    let parts = headers.into_iter().chain([HOOKS, ASSEMBLER, &specs, &identity]);
    let bytes = parts.flat_map(|part| part.bytes().chain([0]));
    format!("runtime-{:016x}", dampf_core::fnv1a(bytes))
}

/// The user's cache, as the XDG specification places it: relative paths do not count.
pub fn cache_directory() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let caches = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(caches.join("dampf"))
}
