//! How a thread waits for others.
//!
//! A deep and narrow space has levels, and slices, that take less time than putting a thread to sleep and waking it up,
//! so whoever waits first spins, then yields, and sleeps only when the others take long.

use std::time::{Duration, Instant};

const SPINS: u32 = 2000;
/// How long a thread yields before it sleeps, and how long it sleeps at a time.
const YIELDING: Duration = Duration::from_millis(1);
const NAP: Duration = Duration::from_micros(100);

/// One time of waiting.
#[derive(Default)]
pub(crate) struct Patience {
    spins: u32,
    /// Since when it has not only been spinning.
    yielding: Option<Instant>,
}

impl Patience {
    /// Waits a moment, before what is waited for is looked at again.
    pub fn pause(&mut self) {
        if self.spins < SPINS {
            self.spins += 1;
            std::hint::spin_loop();
        } else if self.yielding.get_or_insert_with(Instant::now).elapsed() < YIELDING {
            std::thread::yield_now();
        } else {
            std::thread::sleep(NAP);
        }
    }
}
