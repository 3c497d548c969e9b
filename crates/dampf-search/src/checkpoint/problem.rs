//! Why a folder cannot be used, or cannot be gone on from.

use std::fmt;
use std::io;
use std::path::PathBuf;

#[derive(Debug)]
pub enum CheckpointProblem {
    /// Another run uses the folder.
    InUse {
        folder: PathBuf,
    },
    /// There is a checkpoint already, from which a search could go on.
    HoldsCheckpoint {
        folder: PathBuf,
    },
    /// There is a file in the folder that no search made.
    HoldsOthers {
        folder: PathBuf,
        name: String,
    },
    NoCheckpoint {
        folder: PathBuf,
    },
    /// The checkpoint is of another model, or of another kind of search.
    OtherSearch {
        folder: PathBuf,
    },
    /// The search was begun with another value of this option.
    OtherOption {
        folder: PathBuf,
        option: &'static str,
    },
    /// The checkpoint was written by another version.
    OtherVersion {
        folder: PathBuf,
    },
    Unusable {
        folder: PathBuf,
        error: io::Error,
    },
    Unreadable {
        file: PathBuf,
        error: io::Error,
    },
    /// A file does not hold what was written to it.
    Damaged {
        file: PathBuf,
    },
}

impl fmt::Display for CheckpointProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointProblem::InUse { folder } => write!(f, "`{}` is used by another run", folder.display()),
            CheckpointProblem::HoldsCheckpoint { folder } => {
                write!(f, "`{}` holds a checkpoint already", folder.display())
            }
            CheckpointProblem::HoldsOthers { folder, name } => {
                write!(f, "`{}` is not empty: `{name}` is no file of a search", folder.display())
            }
            CheckpointProblem::NoCheckpoint { folder } => write!(f, "`{}` holds no checkpoint", folder.display()),
            CheckpointProblem::OtherSearch { folder } => {
                write!(f, "the checkpoint in `{}` is of another model, or of other options", folder.display())
            }
            CheckpointProblem::OtherOption { folder, option } => {
                write!(f, "the search in `{}` was begun with another value of `{option}`", folder.display())
            }
            CheckpointProblem::OtherVersion { folder } => {
                write!(f, "the search in `{}` was begun by another version", folder.display())
            }
            CheckpointProblem::Unusable { folder, error } => write!(f, "cannot use `{}`: {error}", folder.display()),
            CheckpointProblem::Unreadable { file, error } => write!(f, "cannot read `{}`: {error}", file.display()),
            CheckpointProblem::Damaged { file } => write!(f, "`{}` is damaged", file.display()),
        }
    }
}

impl std::error::Error for CheckpointProblem {}
