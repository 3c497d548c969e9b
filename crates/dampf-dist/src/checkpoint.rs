//! Checkpoints of ranks: where they go, and what their manifest says.
//!
//! A rank appends the states it has found since the last checkpoint to a file of its own, and writes those that wait to
//! be explored into another. When all ranks have done so, the first one replaces the manifest, which says which files
//! count and up to which length. A run that goes on names the old files and adds its own, so the number of ranks may be
//! another.

use crate::cycles::CycleProgress;
use crate::parcel::Format;
use crate::parcel_file::Piece;
use dampf_net::Rank;
use dampf_search::checkpoint::{self, CheckpointProblem, Envelope, Folder, MANIFEST};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where checkpoints go, and how often.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoints {
    /// A folder that all ranks see.
    pub folder: PathBuf,
    pub every: Duration,
    /// What the search is of. A search of something else does not go on from here.
    pub identity: String,
    /// Kept for whoever resumes; see [`description`](dampf_search::checkpoint::description).
    pub description: String,
    pub start: Start,
}

/// What a folder is to hold when a search starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// No checkpoint.
    New,
    /// The checkpoint to go on from.
    Resume,
    /// Checkpoints of earlier rounds of the same run, so many, which do not count any more.
    Restart(u64),
}

const KIND: &str = "ranks";
/// Rounds are this far apart in the numbers of files.
const GENERATIONS_PER_ROUND: u64 = 1 << 16;
/// So long a run waits for one that is about to end: ranks outlive their launcher by seconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// A file by which the ranks of a run that was ended agree who tells so.
pub const ENDED: &str = "dampf-search.ended";

/// What the files of states are called, by what is in them.
pub(crate) const STORED: &str = "stored";
pub(crate) const WAITING: &str = "waiting";
pub(crate) const FOUND: &str = "found";
pub(crate) const KEPT: &str = "kept";

/// What stands for a moment of the search.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(crate) struct Manifest {
    /// How often the search was resumed; part of file names.
    pub generation: u64,
    pub level: u64,
    pub format: Format,
    /// Files of all states that were found, with the rank that wrote each.
    pub stored: Vec<(Rank, Piece)>,
    /// Files of those of them that wait to be explored.
    pub waiting: Vec<(Rank, Piece)>,
    /// Files of states that were found but not looked up yet.
    pub found: Vec<(Rank, Piece)>,
    /// Where everything was explored and cycles are looked for: how far that has come, and files of the states that may
    /// still lie on one.
    #[serde(default)]
    pub cycles: Option<CycleProgress>,
    #[serde(default)]
    pub kept: Vec<(Rank, Piece)>,
    /// What the ranks said of themselves.
    #[serde(with = "hexadecimal")]
    pub accounts: Vec<Vec<u8>>,
}

impl Manifest {
    /// Makes this the checkpoint of a folder.
    pub fn write(&self, folder: &Folder, checkpoints: &Checkpoints) -> io::Result<()> {
        let envelope = Envelope {
            kind: KIND.to_owned(),
            identity: checkpoints.identity.clone(),
            description: checkpoints.description.clone(),
        };
        checkpoint::write(folder, &envelope, self)
    }

    fn files(&self) -> impl Iterator<Item = &str> {
        self.stored
            .iter()
            .chain(&self.waiting)
            .chain(&self.found)
            .chain(&self.kept)
            .map(|(_, piece)| piece.name.as_str())
    }

    /// Deletes files that the manifest does not name: what a run left behind that ended while it wrote.
    pub fn remove_unnamed(&self, folder: &Folder) {
        self.remove(folder, |name| name == ENDED || generation(name).is_some());
    }

    /// Deletes files of states that waited at an earlier checkpoint.
    pub fn remove_earlier_waiting(&self, folder: &Folder) {
        self.remove(folder, |name| generation(name).is_some() && !name.ends_with(STORED));
    }

    fn remove(&self, folder: &Folder, is_meant: impl Fn(&str) -> bool) {
        // Another rank of the run that goes on from here may have begun to write already.
        let is_old = |name: &str| generation(name).is_none_or(|generation| generation <= self.generation);
        // A file that cannot be deleted is only in the way of other things.
        let _ = folder.remove_unnamed(self.files(), |name| is_meant(name) && is_old(name));
    }
}

/// The checkpoint of a folder.
fn read(folder: &Path) -> Result<(Envelope, Manifest), CheckpointProblem> {
    let read = checkpoint::read::<Manifest>(folder, KIND)?;
    let (envelope, manifest) = read.ok_or_else(|| CheckpointProblem::NoCheckpoint { folder: folder.to_owned() })?;
    // Names are looked up in the folder and may be deleted there: they must not lead out of it.
    let is_plain = |name: &str| name.is_empty() || generation(name).is_some();
    if !manifest.files().all(is_plain) {
        return Err(CheckpointProblem::Damaged { file: folder.join(MANIFEST) });
    }
    Ok((envelope, manifest))
}

/// The generation that the name of a file of states says; none if it is not one.
fn generation(name: &str) -> Option<u64> {
    let (numbers, kind) = name.split_once('.')?;
    let is_known = [STORED, WAITING, FOUND, KEPT].contains(&kind);
    let mut numbers = numbers.split('-').map(|number| number.parse().ok());
    let generation = numbers.next()??;
    (is_known && numbers.all(|number: Option<u64>| number.is_some())).then_some(generation)
}

/// A folder that can be used.
pub(crate) struct Prepared {
    pub folder: Folder,
    /// The checkpoint to go on from.
    pub manifest: Option<Manifest>,
    /// The number of the files to write.
    pub generation: u64,
}

/// Makes a folder ready.
///
/// The first rank looks for other runs and for checkpoints that are in the way; the others may come later, when it has
/// written one.
pub(crate) fn prepare_folder(checkpoints: &Checkpoints, is_first: bool) -> Result<Prepared, CheckpointProblem> {
    let path = &checkpoints.folder;
    if checkpoints.start == Start::New {
        let unusable = |error| CheckpointProblem::Unusable { folder: path.clone(), error };
        std::fs::create_dir_all(path).map_err(unusable)?;
    }
    let folder = if is_first && path.is_dir() { Folder::take(path, PATIENCE)? } else { Folder::shared(path) };
    let (manifest, generation) = match checkpoints.start {
        Start::Resume => {
            let (envelope, manifest) = read(path)?;
            if envelope.identity != checkpoints.identity {
                return Err(CheckpointProblem::OtherSearch { folder: path.clone() });
            }
            if is_first {
                // Or nobody would tell how to go on when this run is ended, too.
                let _ = std::fs::remove_file(folder.file(ENDED));
            }
            let generation = manifest.generation + 1;
            (Some(manifest), generation)
        }
        Start::New => {
            if is_first && folder.holds_checkpoint() {
                return Err(CheckpointProblem::HoldsCheckpoint { folder: path.clone() });
            }
            (None, 0)
        }
        Start::Restart(rounds) => {
            if is_first && folder.holds_checkpoint() {
                let (_, manifest) = read(path)?;
                folder.remove_checkpoint()?;
                Manifest { stored: Vec::new(), waiting: Vec::new(), found: Vec::new(), kept: Vec::new(), ..manifest }
                    .remove_unnamed(&folder);
            }
            (None, rounds * GENERATIONS_PER_ROUND)
        }
    };
    Ok(Prepared { folder, manifest, generation })
}

/// Bytes as text.
mod hexadecimal {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(all: &[Vec<u8>], serializer: S) -> Result<S::Ok, S::Error> {
        let text = |bytes: &Vec<u8>| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        all.iter().map(text).collect::<Vec<_>>().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<u8>>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        let bytes = |text: &String| {
            let pairs = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
            pairs.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect::<Option<Vec<u8>>>()
        };
        texts.iter().map(bytes).collect::<Option<_>>().ok_or_else(|| D::Error::custom("no hexadecimal number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_say_their_generation() {
        for (name, of) in [
            ("3-1.stored", Some(3)),
            ("65536-0-7.waiting", Some(65536)),
            ("0-2-1.found", Some(0)),
            ("1-0-2.kept", Some(1)),
        ] {
            assert_eq!(generation(name), of, "{name}");
        }
        for other in ["../3-1.stored", "3-1.stored.new", "x.found", "3-x.stored", "3-1", "dampf-search.manifest"] {
            assert_eq!(generation(other), None, "{other}");
        }
    }

    #[test]
    fn accounts_are_kept() {
        let manifest = Manifest {
            generation: 2,
            level: 7,
            format: Format {
                depths: true,
                labels: false,
                places: false,
                positions: false,
                accepting: false,
                parts: true,
            },
            stored: vec![(1, Piece { name: "0-1.stored".to_owned(), bytes: 9 })],
            waiting: Vec::new(),
            found: Vec::new(),
            cycles: Some(CycleProgress { drops: true, kept: Some(5), iterations: 2 }),
            kept: vec![(0, Piece { name: "0-0-3.kept".to_owned(), bytes: 11 })],
            accounts: vec![Vec::new(), (0..=255).collect()],
        };
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::take(place.path(), Duration::ZERO).unwrap();
        let checkpoints = Checkpoints {
            folder: place.path().to_owned(),
            every: Duration::ZERO,
            identity: "a model".to_owned(),
            description: String::new(),
            start: Start::New,
        };
        manifest.write(&folder, &checkpoints).unwrap();
        assert_eq!(read(place.path()).unwrap().1, manifest);
    }
}
