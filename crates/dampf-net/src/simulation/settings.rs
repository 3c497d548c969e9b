//! What a simulated network is like, and how simulated time is told.
//!
//! The costs are those of the LogGP model: a message occupies the processors of its sender and its receiver for an
//! overhead each, the sender's port for a time per byte, and then travels for the latency.

use super::random::Random;
use crate::Rank;

/// Simulated time, in picoseconds: a byte takes less than a nanosecond, and the longest time is more than half a year.
pub type Time = u64;

pub const NANOSECOND: Time = 1_000;
pub const MICROSECOND: Time = 1_000 * NANOSECOND;
pub const MILLISECOND: Time = 1_000 * MICROSECOND;
pub const SECOND: Time = 1_000 * MILLISECOND;

/// What the simulated network and its ranks are like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SimulationSettings {
    /// Determines everything that is left to chance: delays of messages, and who is first of those whose turn it is.
    pub seed: u64,
    /// What a turn costs in itself. At least one picosecond is taken, so that time goes on.
    pub cost_per_turn: Time,
    /// What a unit of work costs that a process says it has done.
    pub cost_per_work: Time,
    /// What sending a message costs its sender, and receiving it its receiver (LogGP's `o`).
    pub overhead: Time,
    /// How long a byte occupies the sender's port (`G`). Messages of one sender leave one after the other.
    pub gap_per_byte: Time,
    /// How long every message travels (`L`).
    pub latency: Time,
    /// A message travels up to this much longer, by chance. Messages between the same two ranks stay in order.
    pub delay_max: Time,
    /// The rank that dies, and when. It takes no turn from then on, and what it had not sent yet is never sent.
    pub lose: Option<(Rank, Time)>,
    /// How long it takes the others to notice, up to `delay_max` more.
    pub detection_delay: Time,
    /// So many turns of all ranks together, and the simulation gives up.
    pub turns_max: u64,
}

impl SimulationSettings {
    /// A cluster of ordinary machines on 10 gigabit Ethernet. A unit of work takes a microsecond.
    pub fn new(seed: u64) -> SimulationSettings {
        SimulationSettings {
            seed,
            cost_per_turn: 100 * NANOSECOND,
            cost_per_work: MICROSECOND,
            overhead: MICROSECOND,
            gap_per_byte: 800,
            latency: 10 * MICROSECOND,
            delay_max: 10 * MICROSECOND,
            lose: None,
            detection_delay: 100 * MILLISECOND,
            turns_max: 100_000_000,
        }
    }

    /// A network as unlike others as the seed makes it, for tests of what must hold on every network: fast or slow,
    /// steady or with messages that are overtaken by thousands of others.
    pub fn varied(seed: u64) -> SimulationSettings {
        let mut random = Random::new(seed ^ 0x5eed_0f5e_7716_5eed);
        let mut choose = |most: Time| random.pick(&[0, most / 1000, most / 30, most]);
        SimulationSettings {
            cost_per_turn: choose(10 * MICROSECOND),
            cost_per_work: choose(100 * MICROSECOND),
            overhead: choose(10 * MICROSECOND),
            gap_per_byte: choose(30 * NANOSECOND),
            latency: choose(MILLISECOND),
            delay_max: choose(10 * MILLISECOND),
            detection_delay: choose(100 * MILLISECOND),
            ..SimulationSettings::new(seed)
        }
    }
}
