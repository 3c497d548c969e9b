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

use crate::checkpoint::CheckpointProblem;
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
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How a search on disk uses its folder.
#[derive(Clone, Debug)]
pub struct DiskSettings {
    /// Which model this is: a search is only resumed with the identity it was begun with.
    pub identity: String,
    /// Whatever the caller wants to know when the search is to be resumed; see
    /// [`description`](crate::checkpoint::description).
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

impl From<DiskTrouble> for CheckpointProblem {
    fn from(trouble: DiskTrouble) -> CheckpointProblem {
        match trouble {
            DiskTrouble::Write { file, error } => CheckpointProblem::Unusable { folder: file, error },
            DiskTrouble::Limit => {
                CheckpointProblem::Unusable { folder: PathBuf::new(), error: io::ErrorKind::StorageFull.into() }
            }
            DiskTrouble::Read { file, error } => CheckpointProblem::Unreadable { file, error },
            DiskTrouble::Damaged { file } => CheckpointProblem::Damaged { file },
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
) -> Result<Outcome, CheckpointProblem> {
    assert!(options.threads > 0, "a search needs a thread");
    let disk = Disk::take(folder, settings.max_disk_bytes, settings.failing_after_bytes)?;
    if Manifest::read(folder)?.is_some() {
        return Err(CheckpointProblem::HoldsCheckpoint { folder: folder.to_owned() });
    }
    if let Some(name) = disk.stranger()? {
        return Err(CheckpointProblem::HoldsOthers { folder: folder.to_owned(), name });
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
) -> Result<Outcome, CheckpointProblem> {
    assert!(options.threads > 0, "a search needs a thread");
    let begun = Manifest::read(folder)?.ok_or_else(|| CheckpointProblem::NoCheckpoint { folder: folder.to_owned() })?;
    let disk = Disk::take(folder, settings.max_disk_bytes, settings.failing_after_bytes)?;
    // Whoever had the folder until now may have written another checkpoint since.
    let begun = Manifest::read(folder)?.unwrap_or(begun);
    resume::check_fit(&begun, folder, options, settings, model.width())?;
    let space = resume::space(&begun, Arc::clone(&disk), Plan::new(options, settings.buffer_bytes))?;
    let contents = Contents::restore(model, &disk, begun.contents.iter().map(disk::Finished::from).collect())?;
    let settings = DiskSettings { description: begun.description.clone(), ..settings.clone() };
    explore(model, (space, Some(contents)), options, &settings, monitor, &begun)
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
) -> Result<Outcome, CheckpointProblem> {
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
    let (findings, judgement) = (std::mem::take(&mut search.findings), std::mem::take(&mut search.judgement));
    let is_done = search.finished;
    drop(search);
    if settings.remove_when_done && is_done {
        // What cannot be deleted stays; the verdict stands.
        let _ = disk::remove(disk.folder());
    }
    Ok(Outcome { verdict, statistics, findings, stopped: monitor.stopped(), judgement })
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
