//! Ctrl-C, and requests to terminate.
//!
//! The first one ends the search that is under way, or what is being prepared, whatever round it is in; the second ends
//! Dampf. Between two rounds nothing is lost: whoever begins to search is told of what came before.

use crate::cluster;
use crate::failure::Failure;
use dampf_search::{Monitor, StopReason};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

static IS_PRESSED: AtomicBool = AtomicBool::new(false);
/// Everything is done but to end.
static IS_OVER: AtomicBool = AtomicBool::new(false);
static CURRENT: Mutex<Option<Arc<Monitor>>> = Mutex::new(None);

/// Begins to watch. Ranks that are `processes` are ended by whoever started them, because another rank is gone or the
/// user wants it: then there is no time left, and only the way on is told, from their checkpoint.
pub fn watch(processes: Option<Option<PathBuf>>) -> Result<(), Failure> {
    let handler = move || {
        // ORDERING: Relaxed throughout: the flags order nothing; a search learns of them through its monitor.
        if IS_OVER.load(Ordering::Relaxed) {
            return;
        }
        if let Some(checkpoint) = &processes {
            cluster::say_how_to_go_on(checkpoint.as_deref());
            std::process::exit(3);
        }
        if IS_PRESSED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        if let Some(monitor) = &*CURRENT.lock().expect("nothing panics under this lock") {
            monitor.stop(StopReason::Interrupted);
        }
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::new(format!("cannot watch for Ctrl-C: {error}")))
}

pub fn is_pressed() -> bool {
    IS_PRESSED.load(Ordering::Relaxed)
}

/// Set once Ctrl-C was pressed, for those who look by themselves.
pub fn flag() -> &'static AtomicBool {
    &IS_PRESSED
}

/// From now on this is the search to be ended: at once, if that was wanted before.
pub fn direct_to(monitor: &Arc<Monitor>) {
    *CURRENT.lock().expect("nothing panics under this lock") = Some(Arc::clone(monitor));
    if is_pressed() {
        monitor.stop(StopReason::Interrupted);
    }
}

/// From now on, requests to end change nothing.
pub fn end_of_searches() {
    IS_OVER.store(true, Ordering::Relaxed);
}
