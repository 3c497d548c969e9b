//! Where threads meet at the end of a level.

use crate::patience::Patience;
use std::sync::atomic::{AtomicUsize, Ordering};

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
        let mut patience = Patience::default();
        // ORDERING: Acquire as above.
        while self.met.load(Ordering::Acquire) == met {
            patience.pause();
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
