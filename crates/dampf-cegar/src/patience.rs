//! How long somebody is willing to wait. Running out of patience makes an answer unknown and nothing else.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

#[derive(Clone, Copy, Debug, Default)]
pub struct Patience<'a> {
    pub deadline: Option<Instant>,
    pub interrupted: Option<&'a AtomicBool>,
}

impl Patience<'_> {
    pub fn is_interrupted(&self) -> bool {
        // ORDERING: Relaxed: the flag carries nothing with it, and a late look at it only ends the proof later.
        self.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() > deadline)
    }

    pub fn is_over(&self) -> bool {
        self.is_interrupted() || self.is_late()
    }
}
