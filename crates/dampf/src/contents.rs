//! Where the contents of a program's states are: what their words name, memory and registers.
//!
//! In memory, or in a file that nobody else sees and that is gone when Dampf ends. While a search with such a file is
//! under way, its pages are let go of whenever they take more than their share of memory, and the size of the file is
//! watched.

use crate::failure::Failure;
use crate::options::{CheckOptions, Place};
use dampf_core::{Ground, Heap};
use dampf_search::{Monitor, StopReason, resident_file_bytes};
use dampf_store::FileGround;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// What a search may use where it is not told.
const MEMORY_BYTES: u64 = 1 << 30;
/// How often the file and its pages are looked at.
const INTERVAL: Duration = Duration::from_millis(20);

pub enum Contents {
    InMemory,
    OnDisk(Filed),
}

pub struct Filed {
    ground: Arc<FileGround>,
    /// Pages of files beyond this are let go of.
    resident_max: u64,
    disk_max: Option<u64>,
}

impl Contents {
    /// For one search, as the options say.
    pub fn of(options: &CheckOptions) -> Result<Contents, Failure> {
        if options.contents() == Place::Memory {
            return Ok(Contents::InMemory);
        }
        let file = match &options.disk {
            Some(folder) => std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder)),
            None => tempfile::tempfile(),
        };
        let file = file.map_err(|error| {
            let place = options.disk.as_deref().map_or_else(std::env::temp_dir, Path::to_owned);
            Failure::with_help(
                format!("cannot make a file in `{}`: {error}", place.display()),
                "name another folder with --disk",
            )
        })?;
        Ok(Contents::OnDisk(Filed {
            ground: Arc::new(FileGround::new(file)),
            resident_max: Self::share(options.max_memory),
            disk_max: options.max_disk,
        }))
    }

    /// What the contents may take of the memory that there is.
    pub fn share(max_memory: Option<u64>) -> u64 {
        max_memory.unwrap_or(MEMORY_BYTES) / 4
    }

    pub fn ground(&self) -> Arc<dyn Ground> {
        match self {
            Contents::InMemory => Arc::new(Heap::default()),
            Contents::OnDisk(filed) => Arc::<FileGround>::clone(&filed.ground),
        }
    }

    pub fn is_on_disk(&self) -> bool {
        matches!(self, Contents::OnDisk(_))
    }

    /// Runs a search while the file is watched.
    pub fn watched<R>(&self, monitor: &Monitor, search: impl FnOnce() -> R) -> R {
        let Contents::OnDisk(filed) = self else { return search() };
        std::thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            scope.spawn(move || {
                // Ends at once when the other side is dropped.
                while is_done.recv_timeout(INTERVAL) == Err(mpsc::RecvTimeoutError::Timeout) {
                    filed.look(monitor);
                }
            });
            let result = search();
            drop(done);
            result
        })
    }
}

impl Filed {
    fn look(&self, monitor: &Monitor) {
        if resident_file_bytes().is_some_and(|now| now > self.resident_max) {
            self.ground.let_go();
        }
        if self.ground.is_full() {
            monitor.stop(StopReason::DiskFull);
        }
        if self.disk_max.is_some_and(|limit| self.ground.bytes() > limit) {
            monitor.stop(StopReason::DiskLimit);
        }
    }
}
