//! What a simulation says when it is over.

use super::Time;
use crate::Rank;

/// How a simulation came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// All processes are done, or all that were not lost.
    Finished,
    /// Processes wait for messages, and none is under way.
    Stuck,
    /// The turns were used up. Somebody may be going in circles.
    TurnsExhausted,
}

/// What one rank did and how long it took.
///
/// Up to its end, a rank is busy or idle: the two add up to when it finished or died, or else to the makespan.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Account {
    pub turns: u64,
    pub messages_sent: u64,
    pub bytes_sent: u64,
    pub messages_received: u64,
    pub bytes_received: u64,
    pub busy: Time,
    pub idle: Time,
    /// When the process was done, if it was.
    pub finished: Option<Time>,
}

/// What a simulation says when it is over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub ending: Ending,
    /// When the last rank ended: the time that the whole run takes.
    pub makespan: Time,
    /// Turns of all ranks together.
    pub turns: u64,
    /// Messages that were sent and that nobody received, because their receiver had ended or never asked.
    pub messages_undelivered: u64,
    /// The rank that died before it was done.
    pub lost: Option<Rank>,
    /// By rank.
    pub accounts: Vec<Account>,
}

impl Outcome {
    pub fn messages(&self) -> u64 {
        self.accounts.iter().map(|account| account.messages_sent).sum()
    }

    pub fn bytes(&self) -> u64 {
        self.accounts.iter().map(|account| account.bytes_sent).sum()
    }

    /// Which part of the time that all ranks had they were busy, from 0 to 1.
    pub fn utilisation(&self) -> f64 {
        let busy: f64 = self.accounts.iter().map(|account| account.busy as f64).sum();
        let all = self.makespan as f64 * self.accounts.len() as f64;
        if all > 0.0 { busy / all } else { 1.0 }
    }
}
