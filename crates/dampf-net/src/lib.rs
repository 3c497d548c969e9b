//! How the ranks of a distributed run talk to each other.
//!
//! A rank sees the network through a [`Transport`]. There are three: threads of one process, a simulated network that
//! does the same thing again for the same seed, and MPI; and [`host`] puts several ranks into each process of one. What
//! a rank does is a [`Process`], taken turn by turn, so that the same code runs on all three: [`run`] drives it on a
//! thread or under MPI, [`simulate`] drives thousands of them at once.
//!
//! The network promises little, and nothing else may be relied on: messages from one rank to another arrive whole,
//! once, and in the order in which they were sent. Between different pairs of ranks there is no order at all.

mod environment;
#[cfg(feature = "mpi")]
pub mod mpi;
mod post;
mod run;
pub mod simulation;
pub mod thread;

pub use environment::ranks_of_environment;
pub use post::{Post, host};
pub use run::run;
pub use simulation::{Outcome, SimulationSettings, simulate};

use std::fmt;
use std::time::Duration;

/// The number of a rank, from 0.
pub type Rank = u32;

/// One rank's end of the network.
pub trait Transport {
    fn rank(&self) -> Rank;

    /// How many ranks there are, this one included.
    fn ranks(&self) -> Rank;

    /// Hands a message over, to be delivered to another rank. Does not wait for the other side.
    fn send(&mut self, to: Rank, message: Vec<u8>);

    /// The next message that has arrived, with its sender. That a rank is lost is said once, after everything that it
    /// sent before.
    fn receive(&mut self) -> Result<Option<(Rank, Vec<u8>)>, Lost>;

    /// Waits until a message may have arrived, or until the time is over. May return early.
    fn wait(&mut self, at_most: Duration);
}

/// A rank has died: nothing more will come from it, and nothing reaches it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lost {
    pub rank: Rank,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} is gone", self.rank)
    }
}

impl std::error::Error for Lost {}

/// What a rank does, taken turn by turn.
pub trait Process {
    /// Does a bounded piece of work: receives what has arrived, computes a little, sends.
    fn turn(&mut self, network: &mut impl Transport) -> Turn;
}

/// How a turn went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// Something was done. `work` says how much, in units of the process's own (a simulation turns them into time).
    Worked { work: u64 },
    /// There is nothing to do before a message arrives.
    Idle,
    /// The process has ended and must not be called again.
    Done,
}
