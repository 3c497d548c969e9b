//! Where threads meet at the end of a level.
//!
//! A deep and narrow space has levels that take less time than putting a thread to sleep and waking it up, so whoever
//! waits first spins, then yields, and sleeps only when the others take long.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const SPINS: u32 = 2000;
/// How long a thread yields before it sleeps, and how long it sleeps at a time.
const PATIENCE: Duration = Duration::from_millis(1);
const NAP: Duration = Duration::from_micros(100);

pub(crate) struct Meeting {
    threads: usize,
    arrived: AtomicUsize,
    /// How often all have met.
    met: AtomicUsize,
}

impl Meeting {
    pub fn new(threads: usize) -> Self {
        Meeting { threads, arrived: AtomicUsize::new(0), met: AtomicUsize::new(0) }
    }

    /// Waits until all threads are here. True for the one that came last.
    pub fn wait(&self) -> bool {
        // ORDERING: what was done before the meeting is seen by all after it: AcqRel collects it from those who
        // arrived earlier, Release on `met` hands it over, and Acquire receives it.
        let met = self.met.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.met.store(met.wrapping_add(1), Ordering::Release);
            return true;
        }
        for _ in 0..SPINS {
            // ORDERING: Acquire as above.
            if self.met.load(Ordering::Acquire) != met {
                return false;
            }
            std::hint::spin_loop();
        }
        let start = Instant::now();
        // ORDERING: Acquire as above.
        while self.met.load(Ordering::Acquire) == met {
            if start.elapsed() < PATIENCE { std::thread::yield_now() } else { std::thread::sleep(NAP) }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_leaves_before_all_are_there_and_one_is_last() {
        let (meeting, total, last) = (Meeting::new(4), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 1..=500 {
                        total.fetch_add(1, Ordering::Relaxed);
                        last.fetch_add(usize::from(meeting.wait()), Ordering::Relaxed);
                        assert!(total.load(Ordering::Relaxed) >= 4 * round);
                        meeting.wait();
                    }
                });
            }
        });
        assert_eq!(last.into_inner(), 500);
    }
}
