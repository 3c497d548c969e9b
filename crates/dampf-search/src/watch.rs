//! The watch: a thread that looks at the clock and at memory while the others search.

use crate::{Monitor, SearchOptions, StopReason};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How often limits are looked at. At hundred megabytes a second, memory grows by two in this time.
const INTERVAL: Duration = Duration::from_millis(20);

/// Runs a search while its limits are watched. `store_bytes` says how large the visited set is.
pub fn watched<R>(
    store_bytes: &(dyn Fn() -> u64 + Sync),
    options: &SearchOptions,
    monitor: &Monitor,
    search: impl FnOnce() -> R,
) -> R {
    let begin = Instant::now();
    let is_late = || options.max_time.is_some_and(|limit| options.time_spent + begin.elapsed() >= limit);
    // What went before may have taken all the time there was.
    if is_late() {
        monitor.stop(StopReason::TimeLimit);
    }
    std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel::<()>();
        scope.spawn(move || {
            // Ends at once when the other side is dropped.
            while is_done.recv_timeout(INTERVAL) == Err(mpsc::RecvTimeoutError::Timeout) {
                monitor.set_store_bytes(store_bytes());
                if is_late() {
                    monitor.stop(StopReason::TimeLimit);
                }
                if options.max_memory_bytes.is_some_and(|limit| resident_bytes().is_some_and(|now| now >= limit)) {
                    monitor.stop(StopReason::MemoryLimit);
                }
            }
        });
        let result = search();
        drop(done);
        result
    })
}

/// Resident memory of this process; none where the system does not tell.
pub fn resident_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
}

/// The most resident memory this process ever had; none where the system does not tell.
pub fn peak_resident_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// What of it are pages of files; none where the system does not tell.
pub fn resident_file_bytes() -> Option<u64> {
    Some(status_bytes("RssFile:")? + status_bytes("RssShmem:").unwrap_or(0))
}

fn status_bytes(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
