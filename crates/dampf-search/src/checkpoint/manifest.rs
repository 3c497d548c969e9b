//! The manifest: the one file that says what a checkpoint consists of.
//!
//! A line with the version and a checksum, then JSON: the [`Envelope`], which all kinds of searches have, and what the
//! search itself says. The version stands outside, so that any other one is recognised whatever follows it.

use super::{CheckpointProblem, Folder, checksum};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

pub const MANIFEST: &str = "dampf-search.manifest";
const MAGIC: &[u8] = b"dampf checkpoint ";
/// Grows with every change of what manifests or data files mean.
const VERSION: &str = "7";
/// What manifests of ranks and of searches on disk were called before they became one.
const EARLIER_OF_RANKS: &str = "manifest";
const EARLIER_ON_DISK: &str = "dampf-search.json";
/// Hexadecimal digits of the checksum.
const DIGITS: usize = 16;

/// What every manifest says.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Envelope {
    /// The kind of search. Data files of one kind mean nothing to another.
    pub kind: String,
    /// What is searched, by the caller's reckoning: a search of something else does not go on from here.
    pub identity: String,
    /// Kept for whoever resumes; see [`description`].
    pub description: String,
}

#[derive(Serialize, Deserialize)]
struct Contents<S> {
    #[serde(flatten)]
    envelope: Envelope,
    search: S,
}

/// Makes this the checkpoint of a folder. The data files that it names are on the disk.
pub fn write<S: Serialize>(folder: &Folder, envelope: &Envelope, search: &S) -> io::Result<()> {
    let contents = Contents { envelope: envelope.clone(), search };
    let contents = serde_json::to_vec(&contents).expect("a manifest is text and numbers");
    let mut text = MAGIC.to_vec();
    text.extend_from_slice(format!("{VERSION} {:0DIGITS$x}\n", checksum(&contents)).as_bytes());
    text.extend_from_slice(&contents);
    folder.replace(MANIFEST, &text)
}

/// The checkpoint that a search of this kind left in a folder; none if there is none.
pub fn read<S: DeserializeOwned>(folder: &Path, kind: &str) -> Result<Option<(Envelope, S)>, CheckpointProblem> {
    let Some(contents) = contents(folder)? else { return Ok(None) };
    if envelope(folder, &contents)?.kind != kind {
        return Err(CheckpointProblem::OtherSearch { folder: folder.to_owned() });
    }
    let Contents { envelope, search } = serde_json::from_slice(&contents).map_err(|_| damaged(folder))?;
    Ok(Some((envelope, search)))
}

/// What was kept in a folder for whoever resumes, by whatever kind of search.
pub fn description(folder: &Path) -> Result<String, CheckpointProblem> {
    match contents(folder)? {
        Some(contents) => Ok(envelope(folder, &contents)?.description),
        None => Err(CheckpointProblem::NoCheckpoint { folder: folder.to_owned() }),
    }
}

pub(super) fn has_manifest(folder: &Path) -> bool {
    folder.join(MANIFEST).exists() || is_of_earlier_version(folder)
}

fn is_of_earlier_version(folder: &Path) -> bool {
    let is_of_ranks = || std::fs::read(folder.join(EARLIER_OF_RANKS)).is_ok_and(|text| text.starts_with(MAGIC));
    folder.join(EARLIER_ON_DISK).exists() || is_of_ranks()
}

fn damaged(folder: &Path) -> CheckpointProblem {
    CheckpointProblem::Damaged { file: path(folder) }
}

fn path(folder: &Path) -> PathBuf {
    folder.join(MANIFEST)
}

fn envelope(folder: &Path, contents: &[u8]) -> Result<Envelope, CheckpointProblem> {
    serde_json::from_slice(contents).map_err(|_| damaged(folder))
}

/// What follows the first line, if that is as it should be.
fn contents(folder: &Path) -> Result<Option<Vec<u8>>, CheckpointProblem> {
    let mut text = match std::fs::read(path(folder)) {
        Ok(text) => text,
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(CheckpointProblem::Unreadable { file: path(folder), error });
        }
        Err(_) if is_of_earlier_version(folder) => {
            return Err(CheckpointProblem::OtherVersion { folder: folder.to_owned() });
        }
        Err(_) => return Ok(None),
    };
    let end = text.iter().position(|&byte| byte == b'\n').ok_or_else(|| damaged(folder))?;
    let contents = text.split_off(end + 1);
    let line = text.strip_prefix(MAGIC).and_then(|line| line.strip_suffix(b"\n"));
    let mut fields = line.ok_or_else(|| damaged(folder))?.split(|&byte| byte == b' ');
    let (version, sum) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
    if version != VERSION.as_bytes() && version.iter().all(u8::is_ascii_digit) && !version.is_empty() {
        return Err(CheckpointProblem::OtherVersion { folder: folder.to_owned() });
    }
    let expected = format!("{:0DIGITS$x}", checksum(&contents));
    if version != VERSION.as_bytes() || sum != expected.as_bytes() || fields.next().is_some() {
        return Err(damaged(folder));
    }
    Ok(Some(contents))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn envelope() -> Envelope {
        Envelope { kind: "ranks".to_owned(), identity: "a graph".to_owned(), description: "how to go on".to_owned() }
    }

    #[test]
    fn what_was_written_is_read_and_what_was_damaged_is_not() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::take(place.path(), Duration::ZERO).unwrap();
        let read = || read::<Vec<u64>>(place.path(), "ranks");
        assert!(matches!(read(), Ok(None)));
        assert!(matches!(description(place.path()), Err(CheckpointProblem::NoCheckpoint { .. })));
        write(&folder, &envelope(), &vec![1u64, 2]).unwrap();
        assert_eq!(read().unwrap(), Some((envelope(), vec![1, 2])));
        assert_eq!(description(place.path()).unwrap(), "how to go on");
        let of_another_kind = super::read::<Vec<u64>>(place.path(), "disk");
        assert!(matches!(of_another_kind, Err(CheckpointProblem::OtherSearch { .. })));
        let whole = std::fs::read(folder.file(MANIFEST)).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            for bytes in [&changed[..], &whole[..at]] {
                std::fs::write(folder.file(MANIFEST), bytes).unwrap();
                assert!(read().is_err(), "byte {at}");
            }
        }
    }

    #[test]
    fn other_versions_are_recognised() {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("manifest", "dampf checkpoint 1\n????????"),
            ("dampf-search.json", "{\"checksum\":1,\"search\":{\"format\":3}}"),
            (MANIFEST, "dampf checkpoint 999 in some other way\nor without"),
        ] {
            std::fs::write(place.path().join(name), text).unwrap();
            let folder = Folder::shared(place.path());
            assert!(folder.holds_checkpoint());
            let problem = description(place.path()).unwrap_err();
            assert!(matches!(problem, CheckpointProblem::OtherVersion { .. }), "{name}: {problem}");
            std::fs::remove_file(place.path().join(name)).unwrap();
            assert!(!folder.holds_checkpoint());
        }
    }

    #[test]
    fn a_folder_is_one_run_s() {
        let place = tempfile::tempdir().unwrap();
        let taken = Folder::take(place.path(), Duration::ZERO).unwrap();
        let second = Folder::take(place.path(), Duration::from_millis(20));
        assert!(matches!(second, Err(CheckpointProblem::InUse { .. })));
        drop(taken);
        Folder::take(place.path(), Duration::ZERO).unwrap();
    }
}
