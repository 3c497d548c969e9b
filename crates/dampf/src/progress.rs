//! A line on the terminal that says how far the search is.

use crate::terminal::Terminal;
use dampf_report::{bytes, grouped, rate, seconds};
use dampf_search::{Monitor, Snapshot};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(200);

/// Shows progress until it is finished; does nothing where nobody watches.
pub struct Progress {
    /// Dropping the sender wakes and ends the thread.
    watcher: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    pub fn start(monitor: &Arc<Monitor>, wanted: bool, terminal: &Terminal) -> Progress {
        if !wanted || !terminal.watched {
            return Progress { watcher: None };
        }
        let (sender, finished) = mpsc::channel();
        let monitor = Arc::clone(monitor);
        let watch = move || show(&monitor, &finished);
        // Without a thread to spare the search goes on unwatched.
        let thread = std::thread::Builder::new().name("progress".to_owned()).spawn(watch);
        Progress { watcher: thread.ok().map(|thread| (sender, thread)) }
    }

    /// Removes the line.
    pub fn finish(self) {
        if let Some((sender, thread)) = self.watcher {
            drop(sender);
            let _ = thread.join();
        }
    }
}

fn show(monitor: &Monitor, finished: &mpsc::Receiver<()>) {
    let start = Instant::now();
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    line.set_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()));
    let mut before = (start, 0);
    while finished.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
        let snapshot = monitor.snapshot();
        let now = Instant::now();
        let recent = rate(snapshot.states.saturating_sub(before.1), now - before.0);
        before = (now, snapshot.states);
        line.set_message(text(&snapshot, recent, start.elapsed()));
    }
    line.finish_and_clear();
}

fn text(snapshot: &Snapshot, states_per_second: u64, elapsed: Duration) -> String {
    format!(
        "{} states, {}/s, {} waiting, depth {}, {}, {}",
        grouped(snapshot.states),
        grouped(states_per_second),
        grouped(snapshot.frontier),
        grouped(snapshot.depth),
        bytes(dampf_search::resident_bytes().unwrap_or(snapshot.store_bytes)),
        seconds(elapsed),
    )
}
