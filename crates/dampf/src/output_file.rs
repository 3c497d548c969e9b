//! Files that a check writes its result to.
//!
//! A path is tried before the search, so that one that cannot be written ends the command at once and not
//! after hours. Trying leaves no trace: old contents stay until there is something to write, and a file that
//! did not exist does not exist afterwards.

use crate::failure::Failure;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A path that was seen to be writable.
pub struct OutputFile {
    option: &'static str,
    path: PathBuf,
    /// Pipes and devices are written to, but not removed.
    regular: bool,
}

impl OutputFile {
    /// Tries the file that `option` names. `precious` are files that the command reads: they are not overwritten.
    pub fn reserve(option: &'static str, path: &Path, precious: &[&Path]) -> Result<OutputFile, Failure> {
        let shown = path.display();
        if precious.iter().any(|other| identity(other).is_some_and(|other| identity(path) == Some(other))) {
            return Err(Failure::new(format!("{option}: `{shown}` is an input or another output of this command")));
        }
        let metadata = path.metadata().ok();
        let exists = metadata.is_some();
        let regular = metadata.is_none_or(|metadata| metadata.is_file() || metadata.is_dir());
        if regular {
            let tried = OpenOptions::new().write(true).create(true).truncate(false).open(path);
            tried.map_err(|error| Failure::new(format!("{option}: cannot write `{shown}`: {error}")))?;
            if !exists {
                // What stays behind where this fails is an empty file, which the result will replace.
                let _ = std::fs::remove_file(path);
            }
        }
        Ok(OutputFile { option, path: path.to_owned(), regular })
    }

    /// Replaces the contents of the file.
    pub fn write(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        let attempt = || {
            let mut out = BufWriter::new(File::create(&self.path)?);
            write(&mut out)?;
            out.flush()
        };
        attempt()
            .map_err(|error| Failure::new(format!("{}: cannot write `{}`: {error}", self.option, self.path.display())))
    }

    /// Removes what an earlier run left: this run has nothing for the file, and a stale result would mislead.
    pub fn remove(&self) {
        if self.regular {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// The path without detours, the same for every name of a file, whether the file exists or not.
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    })
}
