//! Drives one rank on a thread of its own: turns until it is done, waiting when there is nothing to do.

use crate::{Process, Transport, Turn};
use std::time::Duration;

/// So many idle turns in a row before the rank goes to sleep. Answers often come within a microsecond or two, and
/// sleeping costs more than that.
const IDLE_TURNS_AWAKE: u32 = 24;

/// The first of them only let the processor breathe; the others let other threads run, since there may be more ranks
/// than processors, and the answer may be up to one of those.
const IDLE_TURNS_SPINNING: u32 = 8;

/// A message ends the wait at once. The end of the time matters only to processes that look at the clock.
const WAIT: Duration = Duration::from_millis(5);

/// Takes turns until the process is done.
pub fn run<P: Process, T: Transport>(process: &mut P, transport: &mut T) {
    let mut idle_turns = 0;
    loop {
        match process.turn(transport) {
            Turn::Worked { .. } => idle_turns = 0,
            Turn::Idle => {
                idle_turns += 1;
                if idle_turns <= IDLE_TURNS_SPINNING {
                    std::hint::spin_loop();
                } else if idle_turns <= IDLE_TURNS_AWAKE {
                    std::thread::yield_now();
                } else {
                    transport.wait(WAIT);
                    idle_turns = IDLE_TURNS_AWAKE;
                }
            }
            Turn::Done => return,
        }
    }
}
