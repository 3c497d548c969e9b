//! What the manifest of a search on disk says.
//!
//! It names the data files that belong to the search, with their lengths and the checksums of the tables at their ends,
//! and holds the counters. What it does not name is left over from work that was not finished, and is done again.

use super::disk::{Disk, DiskTrouble, Finished};
use crate::checkpoint::{self, CheckpointProblem, Envelope, MANIFEST};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

const KIND: &str = "disk";

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(crate) struct Manifest {
    /// Which model this is, by the caller's reckoning. Stands in the envelope, as the description does.
    #[serde(skip)]
    pub identity: String,
    #[serde(skip)]
    pub description: String,
    /// Words per state.
    pub width: usize,
    pub deadlocks: bool,
    pub keep_going: bool,
    pub deterministic: bool,
    pub counters: Counters,
    /// Whether there is nothing left to do.
    pub finished: bool,
    pub levels: Vec<LevelsNamed>,
    pub level_count: u64,
    /// Merged runs of visited states, the oldest first: the files of their parts.
    pub visited: Vec<Vec<Named>>,
    /// These runs have the states of so many levels.
    pub visited_levels: u64,
    /// Candidates for the next level.
    pub spills: Vec<Named>,
    /// What names in states stand for, the oldest first.
    pub contents: Vec<Named>,
    /// States of the last level that are not expanded: ranges of their positions.
    pub unexpanded: Vec<(u64, u64)>,
    pub findings: Vec<TrailNamed>,
    pub suspicion: Suspicion,
    /// A step that could not be computed.
    pub unsupported: Option<String>,
    /// What the search takes for granted.
    pub premises: BTreeSet<String>,
    /// Whether some run ends.
    pub met_end: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
pub(crate) struct Counters {
    pub states: u64,
    pub transitions: u64,
    pub faults: u64,
    /// The greatest distance at which a state was found.
    pub depth: u64,
}

/// Faults that a predictable search has met but not ordered yet.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
pub(crate) struct Suspicion {
    /// Among the states of the last level.
    pub states: bool,
    /// Among the steps from the last level.
    pub steps: bool,
    /// Among the steps from the level before.
    pub earlier_steps: bool,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(crate) struct Named {
    pub name: String,
    pub bytes: u64,
    pub checksum: u64,
}

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(crate) struct LevelsNamed {
    pub file: Named,
    pub first: u64,
    pub last: u64,
}

/// A way to a fault, by the labels of its steps.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub(crate) struct TrailNamed {
    pub initial: u64,
    pub actions: Vec<u64>,
    /// Whether the fault is that of the state behind a faulty last step.
    pub beyond: bool,
}

impl From<&Finished> for Named {
    fn from(file: &Finished) -> Named {
        Named { name: file.name.clone(), bytes: file.bytes, checksum: file.checksum }
    }
}

impl From<&Named> for Finished {
    fn from(file: &Named) -> Finished {
        Finished { name: file.name.clone(), bytes: file.bytes, checksum: file.checksum }
    }
}

impl Manifest {
    /// Of a search that has not begun.
    pub fn new(identity: &str, description: &str, width: usize) -> Manifest {
        Manifest {
            identity: identity.to_owned(),
            description: description.to_owned(),
            width,
            deadlocks: false,
            keep_going: false,
            deterministic: false,
            counters: Counters::default(),
            finished: false,
            levels: Vec::new(),
            level_count: 0,
            visited: Vec::new(),
            visited_levels: 0,
            spills: Vec::new(),
            contents: Vec::new(),
            unexpanded: Vec::new(),
            findings: Vec::new(),
            suspicion: Suspicion::default(),
            unsupported: None,
            premises: BTreeSet::new(),
            met_end: false,
        }
    }

    /// Every file that is named.
    pub fn files(&self) -> impl Iterator<Item = &Named> {
        let levels = self.levels.iter().map(|levels| &levels.file);
        levels.chain(self.visited.iter().flatten()).chain(&self.spills).chain(&self.contents)
    }

    /// Makes this the checkpoint of the folder.
    pub fn write(&self, disk: &Disk) -> Result<(), DiskTrouble> {
        disk.sync_unnamed(self.files().map(|file| file.name.as_str()))?;
        let envelope =
            Envelope { kind: KIND.to_owned(), identity: self.identity.clone(), description: self.description.clone() };
        disk.write_manifest(&envelope, self)?;
        disk.checkpointed(self.files().map(|file| file.name.clone()));
        Ok(())
    }

    /// The checkpoint of a folder; none if there is none.
    pub fn read(folder: &Path) -> Result<Option<Manifest>, CheckpointProblem> {
        let Some((envelope, manifest)) = checkpoint::read::<Manifest>(folder, KIND)? else { return Ok(None) };
        // Names are looked up in the folder and may be deleted there: they must not lead out of it.
        let is_plain = |file: &Named| Finished::from(file).is_named_well();
        if manifest.width == 0 || !manifest.files().all(is_plain) {
            return Err(CheckpointProblem::Damaged { file: folder.join(MANIFEST) });
        }
        let Envelope { identity, description, .. } = envelope;
        Ok(Some(Manifest { identity, description, ..manifest }))
    }
}
