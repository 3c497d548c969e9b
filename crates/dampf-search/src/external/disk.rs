//! The folder of a search: its files, what they occupy, and what can go wrong with them.
//!
//! Files are written once, from begin to end, and never changed. A file that is given up before it is finished is
//! deleted. A finished one that is no longer needed is deleted at once, unless the last checkpoint names it: then it
//! stays until the next checkpoint does not.

use crate::checkpoint::{self, CheckpointProblem, Envelope, Folder, MANIFEST};
use serde::Serialize;
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Bytes that are collected before they are written.
const WRITTEN_AT_ONCE: usize = 256 << 10;
/// Less than this is not worth a checkpoint of its own.
const RETIRED_BYTES: u64 = 64 << 20;
/// How long it may take until a process that has ended, or is about to become another, lets go of the lock.
const PATIENCE: Duration = Duration::from_millis(500);
/// How the names of a search's data files end.
const ENDING: &str = ".run";

/// What is in a data file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A level, or a part of one.
    Level,
    /// Several small levels.
    Levels,
    /// Visited states of several levels.
    Visited,
    /// Candidates.
    Spill,
    /// What names in states stand for.
    Contents,
}

impl Kind {
    const ALL: [Kind; 5] = [Kind::Level, Kind::Levels, Kind::Visited, Kind::Spill, Kind::Contents];

    fn name(self) -> &'static str {
        match self {
            Kind::Level => "level",
            Kind::Levels => "levels",
            Kind::Visited => "visited",
            Kind::Spill => "spill",
            Kind::Contents => "contents",
        }
    }
}

/// The kind and the number that the name of a data file says; none if it is not one.
fn parsed(name: &str) -> Option<(Kind, u64)> {
    let (kind, number) = name.strip_suffix(ENDING)?.split_once('-')?;
    let kind = Kind::ALL.into_iter().find(|known| known.name() == kind)?;
    let is_number = number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((kind, if is_number { number.parse().ok()? } else { return None }))
}

/// Why something cannot be done on disk.
#[derive(Debug)]
pub(crate) enum DiskTrouble {
    Write {
        file: PathBuf,
        error: io::Error,
    },
    /// The files would occupy more than they may.
    Limit,
    Read {
        file: PathBuf,
        error: io::Error,
    },
    /// A file does not hold what was written to it.
    Damaged {
        file: PathBuf,
    },
}

impl DiskTrouble {
    /// Whether the search cannot go on for want of room, and everything that was written is intact.
    pub fn is_want_of_room(&self) -> bool {
        matches!(self, DiskTrouble::Write { .. } | DiskTrouble::Limit)
    }
}

impl fmt::Display for DiskTrouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiskTrouble::Write { file, error } => write!(f, "cannot write `{}`: {error}", file.display()),
            DiskTrouble::Limit => write!(f, "the files would be larger than allowed"),
            DiskTrouble::Read { file, error } => write!(f, "cannot read `{}`: {error}", file.display()),
            DiskTrouble::Damaged { file } => write!(f, "`{}` is damaged", file.display()),
        }
    }
}

/// The folder of a search that is under way.
pub(crate) struct Disk {
    folder: Folder,
    bytes: AtomicU64,
    bytes_max: Option<u64>,
    /// After so many bytes, writing fails.
    failing_after: Option<u64>,
    written: AtomicU64,
    next_number: AtomicU64,
    /// What the last checkpoint names, and which of it is to be deleted after the next.
    named: Mutex<Named>,
}

#[derive(Default)]
struct Named {
    files: HashSet<String>,
    retired: Vec<(String, u64)>,
}

/// A finished file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Finished {
    pub name: String,
    pub bytes: u64,
    /// The checksum of the table at its end.
    pub checksum: u64,
}

impl Finished {
    pub fn is(&self, kind: Kind) -> bool {
        parsed(&self.name).is_some_and(|(known, _)| known == kind)
    }

    /// Whether the name is one that a search gives its data files.
    pub fn is_named_well(&self) -> bool {
        parsed(&self.name).is_some()
    }
}

impl Disk {
    /// Takes a folder, which is made if there is none.
    pub fn take(
        folder: &Path,
        bytes_max: Option<u64>,
        failing_after: Option<u64>,
    ) -> Result<Arc<Disk>, CheckpointProblem> {
        Ok(Arc::new(Disk {
            folder: Folder::take(folder, PATIENCE)?,
            bytes: AtomicU64::new(0),
            bytes_max,
            failing_after,
            written: AtomicU64::new(0),
            next_number: AtomicU64::new(0),
            named: Mutex::default(),
        }))
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.file(name)
    }

    /// Bytes that the data files occupy.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The name of a file in the folder that is not one of a search's, if there is one.
    pub fn stranger(&self) -> Result<Option<String>, CheckpointProblem> {
        let names = self.folder.names()?;
        Ok(names.into_iter().find(|name| !is_own(name)))
    }

    /// Deletes the data files that are not to be kept. What is kept counts as named by the last checkpoint.
    pub fn keep_only(&self, kept: &[&Finished]) -> Result<(), CheckpointProblem> {
        let names = || kept.iter().map(|file| file.name.as_str());
        self.folder.remove_unnamed(names(), |name| parsed(name).is_some())?;
        let sizes: std::collections::BTreeMap<&str, u64> =
            kept.iter().map(|file| (file.name.as_str(), file.bytes)).collect();
        self.bytes.store(sizes.values().sum(), Ordering::Relaxed);
        let next = sizes.keys().filter_map(|name| parsed(name)).map(|(_, number)| number + 1).max().unwrap_or(0);
        self.next_number.store(next, Ordering::Relaxed);
        self.named().files = names().map(str::to_owned).collect();
        Ok(())
    }

    fn named(&self) -> std::sync::MutexGuard<'_, Named> {
        self.named.lock().expect("nothing panics under this lock")
    }

    /// Begins a data file.
    pub fn create(self: &Arc<Self>, kind: Kind) -> Result<Output, DiskTrouble> {
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number:06}{ENDING}", kind.name());
        let path = self.path(&name);
        match File::create_new(&path) {
            Ok(file) => Ok(Output { disk: Arc::clone(self), name, file, pending: Vec::new(), flushed: 0, kept: false }),
            Err(error) => Err(DiskTrouble::Write { file: path, error }),
        }
    }

    /// Counts bytes that are about to be written.
    fn reserve(&self, bytes: u64, path: &Path) -> Result<(), DiskTrouble> {
        let now = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let written = self.written.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.bytes_max.is_some_and(|limit| now > limit) {
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
            return Err(DiskTrouble::Limit);
        }
        if self.failing_after.is_some_and(|limit| written > limit) {
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
            let error = io::Error::from(io::ErrorKind::StorageFull);
            return Err(DiskTrouble::Write { file: path.to_owned(), error });
        }
        Ok(())
    }

    /// Says that a finished file is not needed any more.
    pub fn retire(&self, file: &Finished) {
        let mut named = self.named();
        if named.files.contains(&file.name) {
            named.retired.push((file.name.clone(), file.bytes));
        } else {
            self.delete(&file.name, file.bytes);
        }
    }

    fn delete(&self, name: &str, bytes: u64) {
        // A file that cannot be deleted is in nobody's way: the next search in the folder tries again.
        let _ = std::fs::remove_file(self.path(name));
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Whether much of what the files occupy is no longer needed, so that a checkpoint would make room.
    pub fn is_worth_cleaning(&self) -> bool {
        let retired: u64 = self.named().retired.iter().map(|(_, bytes)| bytes).sum();
        retired > (self.bytes() / 4).max(RETIRED_BYTES)
    }

    /// Says that a checkpoint names these files and no others: what was retired is deleted.
    pub fn checkpointed(&self, files: impl Iterator<Item = String>) {
        let mut named = self.named();
        named.files = files.collect();
        for (name, bytes) in std::mem::take(&mut named.retired) {
            self.delete(&name, bytes);
        }
    }

    /// Makes this the manifest of the folder.
    pub fn write_manifest<S: Serialize>(&self, envelope: &Envelope, search: &S) -> Result<(), DiskTrouble> {
        let path = self.path(MANIFEST);
        self.reserve(0, &path)?;
        checkpoint::write(&self.folder, envelope, search).map_err(|error| DiskTrouble::Write { file: path, error })
    }

    /// Waits until finished files are on the disk itself. Those that the last checkpoint names are.
    pub fn sync_unnamed<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<(), DiskTrouble> {
        let known = self.named().files.clone();
        for name in names.filter(|name| !known.contains(*name)) {
            let path = self.path(name);
            let synced = File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(|error| DiskTrouble::Write { file: path, error })?;
        }
        Ok(())
    }
}

/// Whether a name is one of those that a search gives its files.
fn is_own(name: &str) -> bool {
    Folder::is_common_name(name) || parsed(name).is_some()
}

/// Deletes all files that a search left in a folder, and the folder if nothing else is in it.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        if is_own(&name.to_string_lossy()) {
            std::fs::remove_file(folder.join(name))?;
        }
    }
    // What is not empty stays.
    let _ = std::fs::remove_dir(folder);
    Ok(())
}

/// A data file that is being written.
pub(crate) struct Output {
    disk: Arc<Disk>,
    name: String,
    file: File,
    /// What was not handed to the system yet.
    pub pending: Vec<u8>,
    flushed: u64,
    kept: bool,
}

impl Output {
    /// Bytes so far.
    pub fn bytes(&self) -> u64 {
        self.flushed + self.pending.len() as u64
    }

    /// Hands the pending bytes to the system when they are enough to be worth it.
    pub fn flush_if_full(&mut self) -> Result<(), DiskTrouble> {
        if self.pending.len() >= WRITTEN_AT_ONCE { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), DiskTrouble> {
        let path = self.disk.path(&self.name);
        self.disk.reserve(self.pending.len() as u64, &path)?;
        self.flushed += self.pending.len() as u64;
        self.file.write_all(&self.pending).map_err(|error| DiskTrouble::Write { file: path, error })?;
        self.pending.clear();
        Ok(())
    }

    pub fn finish(mut self, checksum: u64) -> Result<Finished, DiskTrouble> {
        self.flush()?;
        self.kept = true;
        Ok(Finished { name: self.name.clone(), bytes: self.flushed, checksum })
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if !self.kept {
            self.disk.delete(&self.name, self.flushed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_a_search_are_taken_for_its_own() {
        for own in ["dampf-search.lock", "dampf-search.manifest", "level-000000.run", "spill-1234567.run"] {
            assert!(is_own(own), "{own}");
        }
        for other in ["lock", "setup.run", "level-1.run", "level-00000x.run", "levels-000001", "../level-000001.run"] {
            assert!(!is_own(other), "{other}");
        }
    }
}
