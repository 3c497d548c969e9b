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
        line.set_message(text(&snapshot, recent, start.elapsed(), columns()));
    }
    line.finish_and_clear();
}

/// The columns of the terminal, which may change while somebody watches.
fn columns() -> usize {
    console::Term::stderr().size_checked().map_or(80, |(_, columns)| usize::from(columns))
}

/// As many figures as fit a line: one that is too long would be wrapped, and a wrapped line is not cleared.
fn text(snapshot: &Snapshot, states_per_second: u64, elapsed: Duration, columns: usize) -> String {
    let figures = [
        format!("{} states", grouped(snapshot.states)),
        format!("{}/s", grouped(states_per_second)),
        format!("{} waiting", grouped(snapshot.frontier)),
        format!("depth {}", grouped(snapshot.depth)),
        bytes(dampf_search::resident_bytes().unwrap_or(snapshot.store_bytes)),
        seconds(elapsed),
    ];
    // A terminal may go to the next line when the last column is written.
    let fits = |text: &str| text.chars().count() < columns;
    let mut line = String::new();
    for figure in figures {
        let longer = if line.is_empty() { figure } else { format!("{line}, {figure}") };
        if !fits(&longer) {
            break;
        }
        line = longer;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrow_terminal_shows_as_many_figures_as_fit() {
        let snapshot = Snapshot {
            states: 123_456_789,
            transitions: 0,
            frontier: 1_234_567,
            depth: 1_234,
            faults: 0,
            store_bytes: 0,
        };
        let shown = |columns| text(&snapshot, 2_345_678, Duration::from_secs(100), columns);
        assert!(shown(200).ends_with(" s") && shown(200).contains("depth 1,234"), "{}", shown(200));
        assert_eq!(shown(60), "123,456,789 states, 2,345,678/s, 1,234,567 waiting");
        assert_eq!(shown(31), "123,456,789 states");
        for columns in 0..120 {
            assert!(shown(columns).chars().count() < columns.max(1), "{columns}");
        }
    }
}
