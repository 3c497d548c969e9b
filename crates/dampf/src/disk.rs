//! Searches on disk: where their files are, and how they are begun, resumed and begun again.

use crate::cluster::Attempt;
use crate::failure::Failure;
use crate::options::CheckOptions;
use crate::resume;
use dampf_core::Restore;
use dampf_report::Origin;
use dampf_search::checkpoint::CheckpointProblem;
use dampf_search::external::{self, DiskSettings};
use dampf_search::{Monitor, Outcome, SearchOptions};
use std::path::{Path, PathBuf};

/// Searches on disk, in the folder that the options name or in a temporary one.
pub fn search<M: Restore>(
    model: &M,
    search: &SearchOptions,
    options: &CheckOptions,
    (attempt, origin): (&Attempt, &Origin),
    monitor: &Monitor,
) -> Result<Outcome, Failure> {
    let settings = DiskSettings {
        identity: resume::identity(origin),
        description: match &attempt.description {
            Some(first) => resume::with_origin(first, origin, ""),
            None => resume::description(origin, "")?,
        },
        max_disk_bytes: options.max_disk,
        checkpoint_every: options.cluster.checkpoint_every,
        resumable: options.disk.is_some(),
        ..DiskSettings::default()
    };
    let folder = Folder::of(options)?;
    let path = folder.path();
    let searched = if attempt.is_resumed && attempt.number == 0 {
        external::resume(model, path, search, &settings, monitor)
    } else {
        if attempt.number > 0 {
            // What an earlier attempt left was of another model.
            external::remove(path)
                .map_err(|error| Failure::new(format!("cannot empty `{}`: {error}", path.display())))?;
        }
        external::check(model, path, search, &settings, monitor)
    };
    searched.map_err(|problem| match &problem {
        CheckpointProblem::HoldsCheckpoint { folder } => Failure::with_help(
            problem.to_string(),
            format!("go on with it by `dampf resume {}`, or name another folder", folder.display()),
        ),
        _ => Failure::new(problem.to_string()),
    })
}

/// Where the files of a search are.
enum Folder {
    Given(PathBuf),
    /// Gone with everything in it when the search has ended.
    Temporary(tempfile::TempDir),
}

impl Folder {
    fn of(options: &CheckOptions) -> Result<Folder, Failure> {
        match &options.disk {
            Some(folder) => Ok(Folder::Given(folder.clone())),
            None => {
                let made = tempfile::Builder::new().prefix("dampf-disk-").tempdir();
                made.map(Folder::Temporary).map_err(|error| {
                    Failure::with_help(format!("cannot make a temporary folder: {error}"), "name one with --disk")
                })
            }
        }
    }

    fn path(&self) -> &Path {
        match self {
            Folder::Given(path) => path,
            Folder::Temporary(folder) => folder.path(),
        }
    }
}
