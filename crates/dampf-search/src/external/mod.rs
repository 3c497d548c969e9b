//! Breadth-first search on disk, for spaces that are larger than memory.
//!
//! Duplicates are found late, in bulk: the successors of a whole level are gathered, sorted, and compared with the
//! sorted runs of all visited states in one go from begin to end. Memory is a buffer; everything that must last lies on
//! disk as sorted, compressed runs. States are compared as a whole, so the search is exact, and what it counts is what
//! the search in memory counts.
//!
//! The way of a state through the files here: [`packing`] makes it a record, [`gathering`] collects it as a candidate
//! (if [`recent`] does not know it) and sorts it ([`sorting`]), [`space`] merges the candidates ([`merging`]) and
//! leaves out what was [`visited`]; it then stands in a level ([`levels`]), a [`run`] in memory or in a [`section`] of
//! a file ([`coding`], [`disk`]), from where [`expansion`] takes it up. [`search`] is the loop around this, [`trails`]
//! finds ways back, and [`manifest`] is what a checkpoint says.
//!
//! Invariant: files are written once and never changed; a checkpoint names files that are complete and on the disk. So
//! a search whose process ends at whatever moment goes on from its last checkpoint, and comes to the same end.

mod coding;
mod contents;
mod disk;
mod expansion;
mod filter;
mod gathering;
mod levels;
mod manifest;
mod merging;
mod packing;
mod plan;
mod recent;
mod resume;
mod run;
mod search;
mod section;
mod sorting;
mod space;
mod squeezing;
mod trails;
mod visited;

use crate::{Monitor, Outcome, SearchOptions, StopReason, judge, watch};
use contents::Contents;
use dampf_core::{Restore, Verdict};
use dampf_store::Exactness;
use disk::{Disk, DiskTrouble};
use manifest::Manifest;
use packing::Packing;
use plan::Plan;
use search::Search;
use space::Space;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How a search on disk uses its folder.
#[derive(Clone, Debug)]
pub struct DiskSettings {
    /// Which model this is: a search is only resumed with the identity it was begun with.
    pub identity: String,
    /// Whatever the caller wants to know when the search is to be resumed; see [`read_description`].
    pub description: String,
    /// The search ends before its files are larger than this.
    pub max_disk_bytes: Option<u64>,
    /// How often a checkpoint is written. With zero, as often as possible.
    pub checkpoint_every: Duration,
    /// Whether what names in states stand for is kept with them: without it, only a search whose states hold no names
    /// can be resumed.
    pub resumable: bool,
    /// Whether the files are deleted when the search has come to its end, so that nothing could be resumed.
    pub remove_when_done: bool,
    /// The size of the buffer for candidates of each thread. Otherwise chosen by the memory limit.
    pub buffer_bytes: Option<u64>,
    /// Writing fails after so many bytes, as on a full disk: for tests.
    #[doc(hidden)]
    pub failing_after_bytes: Option<u64>,
}

impl Default for DiskSettings {
    fn default() -> Self {
        DiskSettings {
            identity: String::new(),
            description: String::new(),
            max_disk_bytes: None,
            checkpoint_every: Duration::from_secs(60),
            resumable: true,
            remove_when_done: false,
            buffer_bytes: None,
            failing_after_bytes: None,
        }
    }
}

/// Why there is no outcome.
#[derive(Debug)]
pub enum DiskProblem {
    /// Another process searches in this folder.
    InUse {
        folder: PathBuf,
    },
    /// There is a search in this folder that could be resumed.
    HoldsSearch {
        folder: PathBuf,
    },
    /// There is a file in this folder that no search made.
    HoldsOthers {
        folder: PathBuf,
        name: String,
    },
    /// There is no search in this folder.
    NoSearch {
        folder: PathBuf,
    },
    /// The search in this folder is one of another model.
    OtherModel {
        folder: PathBuf,
    },
    /// The search in this folder was begun with another value of this option.
    OtherOption {
        folder: PathBuf,
        option: &'static str,
    },
    /// The search in this folder was begun by another version.
    OtherFormat {
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

impl fmt::Display for DiskProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiskProblem::InUse { folder } => write!(f, "another search is using `{}`", folder.display()),
            DiskProblem::HoldsSearch { folder } => {
                write!(f, "`{}` holds a search already, which can be resumed", folder.display())
            }
            DiskProblem::HoldsOthers { folder, name } => {
                write!(f, "`{}` is not empty: `{name}` is no file of a search", folder.display())
            }
            DiskProblem::NoSearch { folder } => write!(f, "there is no search in `{}`", folder.display()),
            DiskProblem::OtherModel { folder } => {
                write!(f, "the search in `{}` is one of another model, or the model was changed", folder.display())
            }
            DiskProblem::OtherOption { folder, option } => {
                write!(f, "the search in `{}` was begun with another value of `{option}`", folder.display())
            }
            DiskProblem::OtherFormat { folder } => {
                write!(f, "the search in `{}` was begun by another version", folder.display())
            }
            DiskProblem::Unusable { folder, error } => write!(f, "cannot use `{}`: {error}", folder.display()),
            DiskProblem::Unreadable { file, error } => write!(f, "cannot read `{}`: {error}", file.display()),
            DiskProblem::Damaged { file } => write!(f, "`{}` is damaged", file.display()),
        }
    }
}

impl std::error::Error for DiskProblem {}

impl From<DiskTrouble> for DiskProblem {
    fn from(trouble: DiskTrouble) -> DiskProblem {
        match trouble {
            DiskTrouble::Write { file, error } => DiskProblem::Unusable { folder: file, error },
            DiskTrouble::Limit => {
                DiskProblem::Unusable { folder: PathBuf::new(), error: io::ErrorKind::StorageFull.into() }
            }
            DiskTrouble::Read { file, error } => DiskProblem::Unreadable { file, error },
            DiskTrouble::Damaged { file } => DiskProblem::Damaged { file },
        }
    }
}

/// Explores a model and judges it, in a folder that is made, or empty.
///
/// The search is breadth-first whatever the options say. `max_memory_bytes` does not end it but says how large its
/// buffers may be. It ends in `unknown` when the disk is full or its limit is reached; [`resume`] then goes on from the
/// last checkpoint.
///
/// # Panics
/// If a trail does not replay: then Dampf, not the model, is wrong, and no verdict must be given.
pub fn check<M: Restore>(
    model: &M,
    folder: &Path,
    options: &SearchOptions,
    settings: &DiskSettings,
    monitor: &Monitor,
) -> Result<Outcome, DiskProblem> {
    assert!(options.threads > 0, "a search needs a thread");
    let disk = Disk::take(folder, settings.max_disk_bytes, settings.failing_after_bytes)?;
    if Manifest::read(folder)?.is_some() {
        return Err(DiskProblem::HoldsSearch { folder: folder.to_owned() });
    }
    if let Some(name) = disk.stranger()? {
        return Err(DiskProblem::HoldsOthers { folder: folder.to_owned(), name });
    }
    disk.keep_only(&[])?;
    let space = Space {
        disk,
        plan: Plan::new(options, settings.buffer_bytes),
        packing: Arc::new(Packing::narrowest(model.width())),
        levels: levels::Levels::default(),
        visited: visited::Visited::default(),
        spills: Vec::new(),
        frontier: run::Run::default(),
    };
    let begun = Manifest::new(&settings.identity, &settings.description, model.width());
    let contents = settings.resumable.then(Contents::default);
    explore(model, (space, contents), options, settings, monitor, &begun)
}

/// Goes on with the search in a folder, from its last checkpoint. A search that had come to its end is judged again.
///
/// The identity must be that of the search's beginning, and so must be the options that decide what a fault is and when
/// to stop at one. Limits, threads and buffers may differ. The search keeps the description it was begun with.
pub fn resume<M: Restore>(
    model: &M,
    folder: &Path,
    options: &SearchOptions,
    settings: &DiskSettings,
    monitor: &Monitor,
) -> Result<Outcome, DiskProblem> {
    assert!(options.threads > 0, "a search needs a thread");
    let begun = Manifest::read(folder)?.ok_or_else(|| DiskProblem::NoSearch { folder: folder.to_owned() })?;
    let disk = Disk::take(folder, settings.max_disk_bytes, settings.failing_after_bytes)?;
    // Whoever had the folder until now may have written another checkpoint since.
    let begun = Manifest::read(folder)?.unwrap_or(begun);
    resume::check_fit(&begun, folder, options, settings, model.width())?;
    let space = resume::space(&begun, Arc::clone(&disk), Plan::new(options, settings.buffer_bytes))?;
    let contents = Contents::restore(model, &disk, begun.contents.iter().map(disk::Finished::from).collect())?;
    let settings = DiskSettings { description: begun.description.clone(), ..settings.clone() };
    explore(model, (space, Some(contents)), options, &settings, monitor, &begun)
}

/// The description that a search was begun with.
pub fn read_description(folder: &Path) -> Result<String, DiskProblem> {
    let manifest = Manifest::read(folder)?.ok_or_else(|| DiskProblem::NoSearch { folder: folder.to_owned() })?;
    Ok(manifest.description)
}

/// Deletes the files of a search, and the folder if nothing else is in it.
pub fn remove(folder: &Path) -> io::Result<()> {
    disk::remove(folder)
}

fn explore<M: Restore>(
    model: &M,
    (space, contents): (Space, Option<Contents>),
    options: &SearchOptions,
    settings: &DiskSettings,
    monitor: &Monitor,
    begun: &Manifest,
) -> Result<Outcome, DiskProblem> {
    let disk = Arc::clone(&space.disk);
    let mut search = Search::new(model, (space, contents), options, settings, monitor, begun);
    // Memory is kept within its limit by the sizes of buffers.
    let limits = SearchOptions { max_memory_bytes: None, ..options.clone() };
    let result = watch::watched(&|| disk.bytes(), &limits, monitor, || {
        // From the beginning there is something to resume, and a description.
        search.checkpoint().and_then(|()| search.run())
    });
    let trouble = match result {
        Ok(()) => None,
        Err(trouble) if trouble.is_want_of_room() => {
            monitor.stop(if matches!(trouble, DiskTrouble::Limit) {
                StopReason::DiskLimit
            } else {
                StopReason::DiskFull
            });
            Some(trouble)
        }
        Err(trouble) => return Err(trouble.into()),
    };
    let statistics = monitor.snapshot().statistics(disk.bytes());
    let stopped = monitor.stopped();
    let certainty = (Exactness::Exact, statistics.states);
    let verdict = match judge(&search.findings, &search.judgement, stopped, certainty, options) {
        Verdict::Unknown(reason) => Verdict::Unknown(in_detail(reason, stopped, trouble.as_ref(), settings)),
        known => known,
    };
    let (findings, refuted) = (std::mem::take(&mut search.findings), std::mem::take(&mut search.judgement.refuted));
    let is_done = search.finished;
    drop(search);
    if settings.remove_when_done && is_done {
        // What cannot be deleted stays; the verdict stands.
        let _ = disk::remove(disk.folder());
    }
    Ok(Outcome { verdict, statistics, findings, stopped: monitor.stopped(), refuted })
}

/// The reason of an unknown verdict, with what is to be said about the disk.
fn in_detail(
    reason: String,
    stopped: Option<StopReason>,
    trouble: Option<&DiskTrouble>,
    settings: &DiskSettings,
) -> String {
    match (stopped, trouble) {
        (Some(StopReason::DiskLimit), _) => {
            format!("the disk limit of {} MiB was reached", settings.max_disk_bytes.unwrap_or_default() >> 20)
        }
        (Some(StopReason::DiskFull), Some(trouble)) => format!("{reason}: {trouble}"),
        (_, Some(trouble)) => format!("{reason}, and there is no newer checkpoint: {trouble}"),
        (_, None) => reason,
    }
}
