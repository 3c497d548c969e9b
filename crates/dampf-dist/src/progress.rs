//! How far the ranks are, as the first one knows it: for whoever watches, for limits, and for handing out work.

use crate::mail::Mail;
use crate::message::Message;
use dampf_net::Rank;
use dampf_search::Snapshot;
use dampf_search::expand::BATCH;

/// Batches between two words to the first rank about how far a rank is.
const BATCHES_PER_WORD: u32 = 256;

/// How far a rank is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    pub states: u64,
    pub transitions: u64,
    pub waiting: u64,
    pub depth: u64,
    pub faults: u64,
}

pub(crate) struct Watch {
    /// Of all ranks, as they said last.
    of_ranks: Vec<Progress>,
    /// Batches since this rank said so last, and until it does.
    batches: u32,
    batches_per_word: u32,
}

impl Watch {
    /// A limit of states is the first rank's to see: the smaller it is, the more often it is told.
    pub fn new(ranks: Rank, max_states: Option<u64>) -> Self {
        let limit = max_states.unwrap_or(u64::MAX);
        let batches = (limit / (4 * BATCH as u64 * u64::from(ranks))).clamp(1, u64::from(BATCHES_PER_WORD));
        Watch { of_ranks: vec![Progress::default(); ranks as usize], batches: 0, batches_per_word: batches as u32 }
    }

    /// A batch was explored. True where this rank is to say how far it is.
    pub fn is_due(&mut self) -> bool {
        self.batches += 1;
        self.batches >= self.batches_per_word
    }

    /// Says how far this rank is.
    pub fn tell(&mut self, mail: &mut Mail, own: Progress) {
        self.batches = 0;
        mail.send(0, &Message::Progress(own));
    }

    pub fn take(&mut self, from: Rank, progress: Progress) {
        self.of_ranks[from as usize] = progress;
    }

    /// All ranks together.
    pub fn all(&self) -> Snapshot {
        let mut all = Snapshot::default();
        for progress in &self.of_ranks {
            all.states += progress.states;
            all.transitions += progress.transitions;
            all.frontier += progress.waiting;
            all.depth = all.depth.max(progress.depth);
            all.faults += progress.faults;
        }
        all
    }

    /// The rank with the least to do. Until it says more, it counts as having a little more from now on.
    pub fn least_loaded(&mut self) -> Rank {
        let load = |progress: &Progress| progress.states + progress.waiting;
        let least = (0..self.of_ranks.len()).min_by_key(|&rank| load(&self.of_ranks[rank])).unwrap_or(0);
        self.of_ranks[least].waiting += 1;
        least as Rank
    }
}
