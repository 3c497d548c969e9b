//! Checkpoints: what a search leaves in a folder so that another process can go on with it.
//!
//! A folder holds data files, which are a search's own matter, and one *manifest*, which says which of them count. This
//! is what searches on disk and searches by ranks have in common: taking a folder so that nobody else uses it
//! ([`Folder`]), replacing the manifest as a whole and reading it back ([`write`], [`read`]), deleting what no manifest
//! names, and all the ways in which a folder is not what it should be ([`CheckpointProblem`]).
//!
//! Invariant: nothing that a manifest names is ever changed, and a manifest is replaced only when everything that the
//! new one names is on the disk. So whatever happens at whatever moment, the manifest stands for a moment of the
//! search.

mod checksum;
mod folder;
mod manifest;
mod problem;

pub use checksum::checksum;
pub use folder::Folder;
pub use manifest::{Envelope, MANIFEST, description, read, write};
pub use problem::CheckpointProblem;
