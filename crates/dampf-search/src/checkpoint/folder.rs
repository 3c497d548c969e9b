//! A folder that one run uses.

use super::CheckpointProblem;
use super::manifest::{MANIFEST, has_manifest};
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LOCK: &str = "dampf-search.lock";
/// What the name of a file ends in while it is being written.
const UNFINISHED: &str = ".new";
const NAP: Duration = Duration::from_millis(10);

pub struct Folder {
    path: PathBuf,
    /// Held as long as the run uses the folder, and given up by the system when the process ends in whatever way.
    _lock: Option<File>,
}

impl Folder {
    /// Takes a folder, which is made if there is none, and keeps other runs away from it. A run that is about to end is
    /// waited for.
    pub fn take(path: &Path, patience: Duration) -> Result<Folder, CheckpointProblem> {
        let unusable = |error| CheckpointProblem::Unusable { folder: path.to_owned(), error };
        fs::create_dir_all(path).map_err(unusable)?;
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(path.join(LOCK));
        let lock = lock.map_err(unusable)?;
        let start = Instant::now();
        loop {
            match lock.try_lock() {
                Err(TryLockError::WouldBlock) if start.elapsed() < patience => std::thread::sleep(NAP),
                Err(TryLockError::WouldBlock) => return Err(CheckpointProblem::InUse { folder: path.to_owned() }),
                // File systems of clusters may have no locks. They are used without.
                Ok(()) | Err(TryLockError::Error(_)) => break,
            }
        }
        Ok(Folder { path: path.to_owned(), _lock: Some(lock) })
    }

    /// A folder that another rank of the same run has taken.
    pub fn shared(path: &Path) -> Folder {
        Folder { path: path.to_owned(), _lock: None }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Whether there is a manifest, of whatever version.
    pub fn holds_checkpoint(&self) -> bool {
        has_manifest(&self.path)
    }

    /// Deletes the manifest, so that nothing in the folder counts any more.
    pub fn remove_checkpoint(&self) -> Result<(), CheckpointProblem> {
        fs::remove_file(self.file(MANIFEST)).map_err(|error| self.unusable(error))
    }

    /// The names of all files in the folder, in their order.
    pub fn names(&self) -> Result<Vec<String>, CheckpointProblem> {
        names(&self.path).map_err(|error| self.unusable(error))
    }

    /// Whether a name is one that every kind of search uses, whatever its data files are called.
    pub fn is_common_name(name: &str) -> bool {
        name == LOCK || name.strip_suffix(UNFINISHED).unwrap_or(name) == MANIFEST
    }

    /// Replaces a small file as a whole: whoever reads it, at whatever moment the process ends, reads the old contents
    /// or the new ones.
    pub fn replace(&self, name: &str, contents: &[u8]) -> io::Result<()> {
        let temporary = self.file(&format!("{name}{UNFINISHED}"));
        let write = || {
            let mut file = File::create(&temporary)?;
            file.write_all(contents)?;
            file.sync_all()?;
            fs::rename(&temporary, self.file(name))?;
            // The rename itself has to last, too. Not every file system can synchronise a folder.
            match File::open(&self.path)?.sync_all() {
                Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
                    Ok(())
                }
                synchronised => synchronised,
            }
        };
        write().inspect_err(|_| {
            let _ = fs::remove_file(&temporary);
        })
    }

    /// Deletes those data files that are meant and that no manifest names: what was left behind by a run that ended
    /// while it wrote, or is not needed any more.
    pub fn remove_unnamed<'n>(
        &self,
        named: impl Iterator<Item = &'n str>,
        is_meant: impl Fn(&str) -> bool,
    ) -> Result<(), CheckpointProblem> {
        let named: HashSet<&str> = named.collect();
        let unnamed = |name: &&String| is_meant(name) && !named.contains(name.as_str());
        for name in self.names()?.iter().filter(unnamed) {
            fs::remove_file(self.file(name)).map_err(|error| self.unusable(error))?;
        }
        Ok(())
    }

    fn unusable(&self, error: io::Error) -> CheckpointProblem {
        CheckpointProblem::Unusable { folder: self.path.clone(), error }
    }
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let name = |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    let mut names = fs::read_dir(folder)?.map(name).collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_a_search_are_common() {
        for own in ["dampf-search.lock", "dampf-search.manifest", "dampf-search.manifest.new"] {
            assert!(Folder::is_common_name(own), "{own}");
        }
        for other in ["lock", "manifest", "manifest.new", "dampf-search.lock.new", "dampf-search", ".new"] {
            assert!(!Folder::is_common_name(other), "{other}");
        }
    }
}
